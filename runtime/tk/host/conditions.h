// The preconditions of a launch, as data: a launcher lists conditions, and here are the error
// messages for violated ones. No message is formatted before a condition fails.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "integers.h"
#include "sentence.h"
#include "tensor.h"

namespace tk {

// Positions are 32-bit integers and step past the end of an axis; extents are less than this.
constexpr int64_t extent_end = (int64_t{1} << 31) - (int64_t{1} << 18);
// The requirements of a tensor map on addresses and strides, in bytes.
constexpr int64_t map_alignment = 16, map_stride_end = int64_t{1} << 40;

struct named_extent {
    const char* name;
    int64_t value;
};

// One condition: whether it holds, and everything that its message needs. It lives only as long as
// the statement that contains it, as do the lists that it points to.
struct condition {
    bool holds;
    // The error message, after "function: ".
    status (*refusal)(const char* function, const condition& broken);
    const char* text = nullptr;  // the sentence, or a name in it
    const tensor* given = nullptr;
    const tensor* other = nullptr;
    int axis = 0, other_axis = 0;
    int64_t found = 0, wanted = 0;
    const char* who = "";      // what relies on it
    const char* instead = "";  // what does not
    std::initializer_list<number> values{};
};

namespace detail {

inline status refuse_text(const char* function, const condition& c) {
    return refusal(status_requirement, function, c.text, c.values);
}
inline status refuse_same_extent(const char* function, const condition& c) {
    return refusal(status_requirement, function,
                   "`{}` is {} in axis {} of `{}`, but {} in axis {} of `{}`",
                   {c.text, c.given->shape[c.axis], c.axis, c.given->name,
                    c.other->shape[c.other_axis], c.other_axis, c.other->name});
}
inline status refuse_fixed_extent(const char* function, const condition& c) {
    const char* text = c.text != nullptr
                           ? "axis {} of `{}` is {}; this kernel is made for `{}` = {}"
                           : "axis {} of `{}` is {}; this kernel is made for {}{}";
    return refusal(status_requirement, function, text,
                   {c.axis, c.given->name, c.found, c.text != nullptr ? c.text : "", c.wanted});
}
inline status refuse_large_extent(const char* function, const condition& c) {
    return refusal(status_requirement, function, "`{}` is {}; extents must be less than {}",
                   {c.text, c.found, extent_end});
}
inline status refuse_grid(const char* function, const condition& c) {
    return refusal(status_requirement, function,
                   "the grid has {} programs; it must have less than {}", {c.found, c.wanted});
}
inline status refuse_number(const char* function, const condition& c) {
    return refusal(status_requirement, function, "`{}` reaches {}; it must fit in 32 bits",
                   {c.text, c.found});
}
inline status refuse_row_length(const char* function, const condition& c) {
    return refusal(status_requirement, function,
                   "the rows of `{}` have {} elements; {} needs a multiple of {}",
                   {c.given->name, c.found, c.who, c.wanted});
}

// Whether bulk copies reach the elements along an axis, which is not the last one.
inline bool is_map_stride(const tensor& t, int axis) {
    const int64_t size = t.type.bits / 8, stride = t.stride[axis];
    return stride % (map_alignment / size) == 0 && 0 < stride && stride < map_stride_end / size;
}

inline bool suits_map(const tensor& t) {
    bool suits = t.stride[t.rank - 1] == 1 && t.address % map_alignment == 0;
    for (int axis = t.rank - 2; axis >= 0; --axis) suits = suits && is_map_stride(t, axis);
    return suits;
}

// The first fault: rows, then the address, then strides from the last axis on.
inline status refuse_map(const char* function, const condition& c) {
    const tensor& t = *c.given;
    const auto refuse = [&](const char* text, std::initializer_list<number> values) {
        return refusal(status_requirement, function, text, values);
    };
    const int64_t size = t.type.bits / 8, elements = map_alignment / size;
    if (t.stride[t.rank - 1] != 1)
        return refuse(
            "neighbours in a row of `{}` are {} elements apart; {} needs 1: pass a copy with dense "
            "rows{}",
            {t.name, t.stride[t.rank - 1], c.who, c.instead});
    if (t.address % map_alignment != 0)
        return refuse(
            "`{}` begins {} bytes past a multiple of {}; {} needs a multiple: pass a copy{}",
            {t.name, floor_mod(t.address, map_alignment), map_alignment, c.who, c.instead});
    int axis = t.rank - 2;
    while (axis > 0 && is_map_stride(t, axis)) --axis;
    const int64_t apart = t.stride[axis] * size;
    char advice[80];
    if (c.text == nullptr)
        std::snprintf(advice, sizeof advice, "pad its rows to a multiple of %d elements",
                      static_cast<int>(elements));
    else
        std::snprintf(advice, sizeof advice, "pad `%s` to a multiple of %d", c.text,
                      static_cast<int>(elements));
    if (axis == t.rank - 2)
        return refuse(
            "the rows of `{}` start {} bytes apart; {} needs a positive multiple of {}: {}{}",
            {t.name, apart, c.who, map_alignment, advice, c.instead});
    return refuse(
        "neighbours along axis {} of `{}` are {} bytes apart; {} needs a positive multiple of {}: "
        "{}{}",
        {axis, t.name, apart, c.who, map_alignment, advice, c.instead});
}

inline condition for_map(const tensor& t, const char* padded, const char* who,
                         const char* instead) {
    condition c{suits_map(t), refuse_map};
    c.given = &t;
    c.text = padded;
    c.who = who;
    c.instead = instead;
    return c;
}

}  // namespace detail

// Any other condition, with its message, in which values replace `{}`.
inline condition check(bool holds, const char* text = "",
                       std::initializer_list<number> values = {}) {
    condition c{holds, detail::refuse_text};
    c.text = text;
    c.values = values;
    return c;
}

// An axis that has the extent `name` of another one before it.
inline condition same_extent(const char* name, const tensor& first, int axis, const tensor& other,
                             int other_axis) {
    condition c{other.shape[other_axis] == first.shape[axis], detail::refuse_same_extent};
    c.text = name;
    c.given = &first;
    c.axis = axis;
    c.other = &other;
    c.other_axis = other_axis;
    return c;
}

// An axis of a number that the kernel is made for: the constant `name`, if it has one.
inline condition fixed_extent(const tensor& t, int axis, int64_t wanted,
                              const char* name = nullptr) {
    condition c{t.shape[axis] == wanted, detail::refuse_fixed_extent};
    c.given = &t;
    c.axis = axis;
    c.found = t.shape[axis];
    c.wanted = wanted;
    c.text = name;
    return c;
}

// Extents that 32-bit positions can step over; the first that is too large is reported.
inline condition extents_fit(std::initializer_list<named_extent> extents) {
    condition c{true, detail::refuse_large_extent};
    for (const named_extent& extent : extents) {
        if (!c.holds || extent.value < extent_end) continue;
        c.holds = false;
        c.text = extent.name;
        c.found = extent.value;
    }
    return c;
}

// Tensors that bulk copies can access: contiguous rows, an address and strides that are multiples
// of 16 bytes. `padded`: the extent that the advice is about, if the last one is a name. For the
// fast one of two kernels, `tma_load` and `tma_store`.
inline condition suits_fast(const tensor& t, const char* padded = nullptr) {
    return detail::for_map(t, padded, "the fast kernel", "");
}
inline condition suits_tma_load(const tensor& t, const char* padded = nullptr) {
    return detail::for_map(t, padded, "`tma_load`", ", or use `load`");
}
inline condition suits_tma_store(const tensor& t, const char* padded = nullptr) {
    return detail::for_map(t, padded, "`tma_store`", ", or use `store`");
}

// Rows of whole vectors, for the fast kernel.
inline condition whole_vectors(const tensor& t, int64_t vector) {
    const int64_t length = t.shape[t.rank - 1];
    condition c{length % vector == 0, detail::refuse_row_length};
    c.given = &t;
    c.found = length;
    c.wanted = vector;
    c.who = "the fast kernel";
    return c;
}

// A number of the kernel, `words`, whose largest value is `value`: below 2^31.
inline condition fits(const char* words, int64_t value) {
    condition c{value < int64_t{1} << 31, detail::refuse_number};
    c.text = words;
    c.found = value;
    return c;
}

// Programs whose numbers fit.
inline condition grid_fits(int64_t programs, int64_t end) {
    condition c{programs < end, detail::refuse_grid};
    c.found = programs;
    c.wanted = end;
    return c;
}

}  // namespace tk
