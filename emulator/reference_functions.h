// The functions of references on arrays; language/reference_functions.def lists them.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "emulator/array.h"
#include "emulator/functions.h"
#include "frontend/parse/ast.h"
#include "language/dtype.h"
#include "language/reference.h"

namespace tkc::emulator {

// Why a value cannot be computed; caught where the place in the source is known.
struct ValueError : std::runtime_error {
    using std::runtime_error::runtime_error;
};
// Two shapes that do not fit.
struct ShapeError : std::runtime_error {
    ShapeError(const std::string& what, Shape a, Shape b)
        : std::runtime_error(what), left(std::move(a)), right(std::move(b)) {}
    Shape left, right;
};

// A whole number that is kept as a double; far outside of 64 bits, the nearest that fits.
inline std::int64_t whole_of(double value) {
    constexpr double limit = 0x1p62;
    if (!(value > -limit)) return -(std::int64_t{1} << 62);
    return value < limit ? static_cast<std::int64_t>(value) : std::int64_t{1} << 62;
}

// combine() for shapes that may not fit; `what` is for the message.
template <class F>
Array checked_combine(const char* what, const Array& a, const Array& b, NumberKind kind, F f) {
    if (a.shape != b.shape && !broadcast(a.shape, b.shape))
        throw ShapeError(what, a.shape, b.shape);
    return combine(a, b, kind, f);
}

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
std::string drawn_shapes(const Shape& a, const Shape& b, const Sides& sides, bool product);

// An operator of the language: cell by cell, or the product `@`.
Array unary(ast::UnaryOp op, const Array& x);
Array binary(ast::BinaryOp op, const Array& a, const Array& b);
Array select(const Array& condition, const Array& a, const Array& b);
Array convert(Dtype dtype, const Array& x);
NumberKind wider(const Array& a, const Array& b);

// Whether a function of numbers chooses by them, which for tensors are those of a cell.
bool chooses(const ast::Function& function);

}  // namespace tkc::emulator
