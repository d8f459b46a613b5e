// The functions of references on arrays; language/reference_functions.def lists them.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "emulator/array.h"
#include "frontend/parse/ast.h"
#include "language/arithmetic.h"
#include "language/dtype.h"
#include "language/reference.h"

namespace tkc::emulator {

using namespace arithmetic;

// Why a value cannot be computed; caught where the place in the source is known.
struct ValueError : std::runtime_error {
    explicit ValueError(const std::string& what, std::string instead = "")
        : std::runtime_error(what), help(std::move(instead)) {}
    std::string help;  // what to write instead, if that is known
};
// Two shapes that do not fit.
struct ShapeError : std::runtime_error {
    ShapeError(const std::string& what, Shape a, Shape b)
        : std::runtime_error(what), left(std::move(a)), right(std::move(b)) {}
    Shape left, right;
};

// The items one after another along a new first axis; their shapes are the same.
Array stacked(const std::vector<Array>& items);

void check_shapes(const char* what, const Array& a, const Array& b);
// combine() for shapes that may not fit; `what` is for the message.
template <class T, class F>
Array checked_combine(const char* what, const Array& a, const Array& b, NumberKind kind, F f) {
    check_shapes(what, a, b);
    return combine<T>(a, b, kind, f);
}

// Throws where a single position is none of an axis of so many.
void check_inside(std::int64_t position, std::int64_t extent);

// What an output of integers of this type holds. Throws if a cell is not an integer: what is cut
// off here would hide what the kernel cuts off.
Array as_whole(Array made, Dtype dtype);

// `axis`: null where none was written. `number`: the further constant of a function of tiles.
Array call_function(ReferenceFunction function, const std::vector<Array>& arguments,
                    const std::int64_t* axis, std::int64_t number = 0);
// The extents that the type of a parameter names, of the last axes of its argument.
std::map<std::string, std::int64_t> extents_of(const ast::FnParam& param, const Array& argument);

// The operands of an operation, as they are written.
struct Sides {
    std::string left, right;
};

// The first axis from the last on that differs, or the inner one of a product, marked in both.
// Empty where one of the shapes lacks it.
std::string shape_diagrams(const Shape& a, const Shape& b, const Sides& sides, bool product);

// An operator of the language: cell by cell, or the product `@`.
Array unary(ast::UnaryOp op, const Array& x);
Array binary(ast::BinaryOp op, const Array& a, const Array& b);
// What `and` or `or` gives where its left side is a number that decides: its right side is then not
// evaluated, as in a kernel.
std::optional<Array> decided_by(ast::BinaryOp op, const Array& left);
Array select(const Array& condition, const Array& a, const Array& b);
Array convert(Dtype dtype, const Array& x);
NumberKind wider(const Array& a, const Array& b);

// Whether a function of numbers chooses by them, which for tensors are those of a cell.
bool chooses(const ast::Function& function);

}  // namespace tkc::emulator
