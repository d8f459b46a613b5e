// Dense arrays, the values of references. Reals are float64. Integers and bools are integers
// of 64 bits, which wrap as in kernels: those of i32 and u32 at 32 bits, all others at 64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "language/dtype.h"

namespace tkc::emulator {

using Shape = std::vector<std::int64_t>;

// In the order of widening: bool with integer gives integer, integer with real gives real.
enum class NumberKind : std::uint8_t { boolean, integer, real };

struct Array {
    NumberKind kind = NumberKind::real;
    Shape shape;  // empty: a single number
    // Rows one after another, the last axis fastest: doubles of reals, integers of all others.
    std::variant<std::vector<double>, std::vector<std::int64_t>> cells;
    // Of integers of i32, u32 and i64: their type. Those of 32 bits wrap there; what is made
    // of one of them and one of i64 does not. None of extents, literals, and other types.
    std::optional<Dtype> wraps = std::nullopt;

    static Array real(double value) { return {NumberKind::real, {}, std::vector{value}}; }
    static Array whole(std::int64_t value, NumberKind kind = NumberKind::integer) {
        return {kind, {}, std::vector{value}};
    }
    static Array zeros(Shape shape, NumberKind kind = NumberKind::real);
    std::size_t rank() const { return shape.size(); }
    std::size_t size() const {
        return std::visit([](const auto& all) { return all.size(); }, cells);
    }
    bool is_number() const { return size() == 1; }
    bool is_real() const { return kind == NumberKind::real; }
    template <class T>
    std::vector<T>& of() {
        return std::get<std::vector<T>>(cells);
    }
    template <class T>
    const std::vector<T>& of() const {
        return std::get<std::vector<T>>(cells);
    }
    // A cell as a real; and of what is not real, as it is.
    double real_at(std::size_t i) const;
    std::int64_t whole_at(std::size_t i) const { return of<std::int64_t>()[i]; }
    Array cell(std::size_t i) const;
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

// The cells as numbers of type T: where they are, or converted into `room`. Integers of reals
// are cut off, and end where 64 bits do.
template <class T>
const std::vector<T>& cells_as(const Array& a, std::vector<T>& room);
// With cells for numbers of this kind.
Array as_kind(Array a, NumberKind kind);

// `f(a, b)` cell by cell, of the cells as numbers of type T; the shapes must fit. What `f` gives is
// not wrapped.
template <class T, class F>
Array combine(const Array& a, const Array& b, NumberKind kind, F f) {
    const Shape shape = a.shape == b.shape ? a.shape : *broadcast(a.shape, b.shape);
    const auto fits = [&](const Array& x) { return x.shape == shape || x.is_number(); };
    if (!fits(a) || !fits(b)) return combine<T>(expand(a, shape), expand(b, shape), kind, f);
    Array result = Array::zeros(shape, kind);
    result.wraps = wrapping(a, b, kind);
    std::vector<T> left_room;
    std::vector<T> right_room;
    const std::vector<T>& left = cells_as(a, left_room);
    const std::vector<T>& right = cells_as(b, right_room);
    const std::size_t left_step = left.size() == 1 ? 0 : 1;
    const std::size_t right_step = right.size() == 1 ? 0 : 1;
    std::visit(
        [&]<class R>(std::vector<R>& made) {
            for (std::size_t i = 0; i < made.size(); ++i)
                made[i] = static_cast<R>(f(left[i * left_step], right[i * right_step]));
        },
        result.cells);
    return result;
}
// Of doubles if one of both is real, else of integers.
template <class F>
Array combine_wider(const Array& a, const Array& b, NumberKind kind, F f) {
    return a.is_real() || b.is_real() ? combine<double>(a, b, kind, f)
                                      : combine<std::int64_t>(a, b, kind, f);
}

template <class T, class F>
Array apply(const Array& a, NumberKind kind, F f) {
    Array result = Array::zeros(a.shape, kind);
    if (kind == NumberKind::integer) result.wraps = a.wraps;
    std::vector<T> room;
    const std::vector<T>& from = cells_as(a, room);
    std::visit(
        [&]<class R>(std::vector<R>& made) {
            for (std::size_t i = 0; i < made.size(); ++i) made[i] = static_cast<R>(f(from[i]));
        },
        result.cells);
    return result;
}
template <class F>
Array apply_as_is(const Array& a, NumberKind kind, F f) {
    return a.is_real() ? apply<double>(a, kind, f) : apply<std::int64_t>(a, kind, f);
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
