// Scalar expressions: extents, bounds, conditions, slice positions, and the body of an elementwise
// operation.
//
// A Scalar is an immutable tree shared by reference. One kind of tree serves both the index
// arithmetic that the proofs look at and the arithmetic done on every cell of a tile (`Element`,
// `Row`, `Column` occur only there).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "language/dtype.h"
#include "language/function.h"

namespace tkc::ir {

struct ScalarNode;
using Scalar = std::shared_ptr<const ScalarNode>;

struct Integer {
    std::int64_t value;
};
struct Real {
    double value;
};
struct Boolean {
    bool value;
};
// A name bound at launch or by the kernel: an extent, parameter, grid or loop variable, `let`; or,
// in the launch contract, a property of an argument: `A.shape.0`, `A.stride.1` (elements),
// `A.address` (bytes).
struct Symbol {
    std::string name;
};
// Cell of the n-th input of an elementwise operation, at the position being computed (extent 1 is
// broadcast).
struct Element {
    std::int64_t input;
};
// Row and column of the cell being computed, counted from the tile's corner.
struct Row {};
struct Column {};
// One element of a tensor. With `zero_outside`, a position past an axis gives zero; else it must
// be inside.
struct ElementLoad {
    std::string tensor;
    std::vector<Scalar> position;
    bool zero_outside;
};
struct Call {
    Function function;
    std::vector<Scalar> arguments;
};
// Conversion to the node's dtype: round to nearest even; to integers truncating and saturating.
struct Cast {
    Scalar argument;
};

// A CUDA function of the user's, of numbers. `meaning` computes the same, made of the arguments as
// the call is: what is proved and emulated is that. Only the emitted text calls the function.
struct External {
    std::string name;
    std::string header;  // that declares it; empty: nvcc knows it
    std::vector<Scalar> arguments;
    Scalar meaning;
};

struct ScalarNode {
    Dtype dtype;
    std::variant<Integer, Real, Boolean, Symbol, Element, Row, Column, ElementLoad, Call, Cast,
                 External>
        node;
    std::size_t size;  // nodes of the tree when written out: shared parts count each time
};

Scalar integer(std::int64_t value, Dtype dtype = Dtype::i32);
Scalar real(double value, Dtype dtype = Dtype::f32);
Scalar boolean(bool value);
Scalar symbol(std::string name, Dtype dtype = Dtype::i32);
Scalar element(std::int64_t input, Dtype dtype);
Scalar row();
Scalar column();
Scalar element_load(std::string tensor, std::vector<Scalar> position, bool zero_outside,
                    Dtype dtype);
Scalar cast(Dtype dtype, Scalar argument);
Scalar external(std::string name, std::string header, std::vector<Scalar> arguments,
                Scalar meaning);
// Applies `function`; folds constants and the neutral elements of integer arithmetic (x + 0, 1 *
// x, ..). A tile whose cells are in an argument stays in the result: it ends where that does.
Scalar call(Function function, std::vector<Scalar> arguments);

inline Scalar add(Scalar a, Scalar b) { return call(Function::add, {std::move(a), std::move(b)}); }
inline Scalar sub(Scalar a, Scalar b) { return call(Function::sub, {std::move(a), std::move(b)}); }
inline Scalar mul(Scalar a, Scalar b) { return call(Function::mul, {std::move(a), std::move(b)}); }
inline Scalar floor_div(Scalar a, Scalar b) {
    return call(Function::div, {std::move(a), std::move(b)});
}
inline Scalar ceil_div(Scalar a, Scalar b) {
    return call(Function::ceil_div, {std::move(a), std::move(b)});
}
inline Scalar less(Scalar a, Scalar b) { return call(Function::lt, {std::move(a), std::move(b)}); }

// The value of an integer or boolean constant (true = 1), if the tree is one.
bool is_constant(const Scalar& s, std::int64_t* value = nullptr);
// Whether it is the number 0, of any type.
bool is_zero(const Scalar& s);
// Same tree, written the same way (no algebra: normal_form.h has that).
bool same(const Scalar& a, const Scalar& b);
// The tree with every node for which `f` returns something replaced by that (children first). Each
// node once: what `f` returned is not given to it again, where a node around it falls away either.
Scalar rewrite(const Scalar& s, const std::function<Scalar(const Scalar&)>& f);
// Without what no value depends on: `x*0` is 0, where the edge of x is of no matter any more.
Scalar simplified(const Scalar& s);
// Symbols replaced by the trees given for their names.
Scalar substitute(const Scalar& s, const std::map<std::string, Scalar>& values);
// Calls `f` on every node, parents first; not on what an external function means, which is made of
// its arguments.
void visit_nodes(const Scalar& s, const std::function<void(const ScalarNode&)>& f);
std::set<std::string> symbols_of(const Scalar& s);
bool mentions(const Scalar& s, const std::string& symbol);
// Value of an integer or boolean expression under `values`; false if a symbol is missing, a
// divisor is not positive, or a node is not integer arithmetic.
bool evaluate(const Scalar& s, const std::map<std::string, std::int64_t>& values,
              std::int64_t* result);

// Text in the language's own spelling, with `#0` for inputs, `row`, `col`; parsed back by
// parse_scalar.
std::string to_string(const Scalar& s);

}  // namespace tkc::ir
