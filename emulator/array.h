// Dense arrays of float64: the values of references. Whole numbers and bools are kept as doubles
// with a word that says so, exact up to 2^53; those of i32 and u32 wrap as in kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "language/dtype.h"

namespace tkc::emulator {

using Shape = std::vector<std::int64_t>;

// In the order of widening: bool with integer gives integer, integer with real gives real.
enum class NumberKind : std::uint8_t { boolean, integer, real };

struct Array {
    NumberKind kind = NumberKind::real;
    Shape shape;                // empty: a single number
    std::vector<double> cells;  // rows one after another, the last axis fastest
    // Of whole numbers of i32, u32 and i64: their type. Those of 32 bits wrap; what is made of one
    // of them and one of i64 does not. None of extents, literals, and other types.
    std::optional<Dtype> wraps = std::nullopt;

    static Array number(double value, NumberKind kind = NumberKind::real) {
        return {kind, {}, {value}};
    }
    static Array filled(Shape shape, double value, NumberKind kind = NumberKind::real);
    std::size_t rank() const { return shape.size(); }
    bool is_number() const { return cells.size() == 1; }
    bool operator==(const Array&) const = default;
};

std::int64_t element_count(const Shape& shape);
// `[200, 64]`; `a number` for no axes.
std::string to_string(const Shape& shape);

// The shape of two operands, axes compared from the last one on, extent 1 repeated; nothing where
// they do not fit.
std::optional<Shape> broadcast(const Shape& a, const Shape& b);
// `a` repeated to `shape`, which it must fit.
Array expand(const Array& a, const Shape& shape);

// What Array::wraps is for this type.
constexpr std::optional<Dtype> wrapping(Dtype dtype) {
    const bool kept = dtype == Dtype::i32 || dtype == Dtype::u32 || dtype == Dtype::i64;
    return kept ? std::optional(dtype) : std::nullopt;
}
constexpr bool is_narrow(std::optional<Dtype> wraps) { return wraps && *wraps != Dtype::i64; }
// That of what is made of both.
inline std::optional<Dtype> wrapping(const Array& a, const Array& b, NumberKind kind) {
    if (kind != NumberKind::integer) return std::nullopt;
    if (a.wraps == Dtype::i64 || b.wraps == Dtype::i64) return Dtype::i64;
    return a.wraps ? a.wraps : b.wraps;
}

// `f(a, b)` cell by cell; the shapes must fit. What `f` gives is not wrapped.
template <class F>
Array combine(const Array& a, const Array& b, NumberKind kind, F f) {
    const std::optional<Dtype> wraps = wrapping(a, b, kind);
    if (a.shape == b.shape) {
        Array result{kind, a.shape, std::vector<double>(a.cells.size()), wraps};
        for (std::size_t i = 0; i < a.cells.size(); ++i)
            result.cells[i] = f(a.cells[i], b.cells[i]);
        return result;
    }
    const Shape shape = *broadcast(a.shape, b.shape);
    const bool empty = element_count(shape) == 0;
    if (!empty && (b.cells.size() == 1 || a.cells.size() == 1)) {
        Array result{kind, shape, std::vector<double>(std::max(a.cells.size(), b.cells.size())),
                     wraps};
        const bool one = b.cells.size() == 1;
        for (std::size_t i = 0; i < result.cells.size(); ++i) {
            result.cells[i] = one ? f(a.cells[i], b.cells[0]) : f(a.cells[0], b.cells[i]);
        }
        return result;
    }
    const Array x = expand(a, shape);
    const Array y = expand(b, shape);
    return combine(x, y, kind, f);
}

template <class F>
Array apply(const Array& a, NumberKind kind, F f) {
    Array result{kind, a.shape, std::vector<double>(a.cells.size())};
    if (kind == NumberKind::integer) result.wraps = a.wraps;
    for (std::size_t i = 0; i < a.cells.size(); ++i) result.cells[i] = f(a.cells[i]);
    return result;
}

// The last two axes exchanged; a row [n] becomes [n, 1].
Array transpose(const Array& a);

// The product over the last two axes. Rows [n] count as [1, n]; leading axes are broadcast.
// Nothing where the extents do not fit.
std::optional<Array> multiply(const Array& a, const Array& b);

// An array as `outer` x `length` x `inner` cells, for work along one axis.
struct AxisView {
    std::int64_t outer = 1;
    std::int64_t length = 1;
    std::int64_t inner = 1;
};
AxisView along(const Shape& shape, std::size_t axis);

}  // namespace tkc::emulator
