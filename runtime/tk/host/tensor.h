// A tensor argument as a launcher knows it, from its DLPack form.
#pragma once

#include <cstdint>

#include "dlpack.h"
#include "integers.h"
#include "tensor_argument.h"

namespace tk {

struct dtype {
    uint8_t code;
    uint8_t bits;
    const char* name;
};
constexpr dtype dtype_f16{kDLFloat, 16, "f16"}, dtype_bf16{kDLBfloat, 16, "bf16"};
constexpr dtype dtype_f32{kDLFloat, 32, "f32"}, dtype_f64{kDLFloat, 64, "f64"};
constexpr dtype dtype_i8{kDLInt, 8, "i8"}, dtype_i16{kDLInt, 16, "i16"},
    dtype_i32{kDLInt, 32, "i32"};
constexpr dtype dtype_i64{kDLInt, 64, "i64"}, dtype_u8{kDLUInt, 8, "u8"},
    dtype_u32{kDLUInt, 32, "u32"};
constexpr dtype dtype_bool{kDLBool, 8, "bool"};
constexpr dtype dtype_fp8_e4m3{10, 8, "fp8_e4m3"}, dtype_fp8_e5m2{12, 8, "fp8_e5m2"};

enum class access { read, write, accumulate };  // accumulate: cleared before the launch

constexpr int max_rank = 5;

// No tensor reaches further, nor has more elements along an axis; sums of that many bytes fit.
constexpr int64_t memory_limit = int64_t{1} << 57;
constexpr int64_t extent_limit = int64_t{1} << 40;

// A tensor argument that has passed its checks. Strides that do not matter are normalized: an axis
// of one element, and every axis of an empty tensor, counts as contiguous with rows at multiples of
// 16 bytes (libraries leave anything there), and an empty tensor's address as 0.
struct tensor {
    const char* name = "";
    dtype type{};
    access mode = access::read;
    int rank = 0;
    bool empty = false;
    int64_t shape[max_rank] = {};
    int64_t stride[max_rank] = {};  // in elements
    int64_t address = 0;
    int64_t first = 0, past = 0;  // the bytes that its elements lie in

    template <class T>
    T* data() const {
        return reinterpret_cast<T*>(address);
    }
    // The argument of a kernel for a tensor that it accesses element by element.
    template <class T, int Rank>
    operator tensor_argument<T, Rank>() const {
        tensor_argument<T, Rank> argument{data<T>(), {}};
        for (int axis = 0; axis < Rank; ++axis) argument.stride[axis] = stride[axis];
        return argument;
    }
};

// A tensor that one kernel of several writes, for one that only reads it.
inline tensor read_only(tensor t) {
    t.mode = access::read;
    return t;
}

namespace detail {

inline const char* dtype_name(const DLDataType& type) {
    for (const dtype& known :
         {dtype_f16, dtype_bf16, dtype_f32, dtype_f64, dtype_i8, dtype_i16, dtype_i32, dtype_i64,
          dtype_u8, dtype_u32, dtype_bool, dtype_fp8_e4m3, dtype_fp8_e5m2}) {
        if (known.code == type.code && known.bits == type.bits && type.lanes == 1)
            return known.name;
    }
    return "of a dtype that the language does not have";
}

// Fills in the strides that do not matter, and computes the bytes covered. False if an address
// would not fit: such a tensor cannot exist.
inline bool settle_strides(tensor& t) {
    const int64_t size = t.type.bits / 8;
    const int64_t row = 16 / size;
    int64_t dense = 1;  // the stride that follows from the axes after
    int64_t low = 0, high = 0;
    for (int axis = t.rank - 1; axis >= 0; --axis) {
        int64_t& stride = t.stride[axis];
        if (t.empty || t.shape[axis] == 1)
            stride = axis == t.rank - 1 ? 1 : ceil_div(dense, row) * row;
        const int64_t reach = tk::multiply(t.shape[axis] - 1, tk::multiply(stride, size));
        if (!t.empty) (reach < 0 ? low : high) += reach;
        if (low < -memory_limit || high > memory_limit) return false;
        dense = tk::multiply(stride < 0 ? -stride : stride, t.empty ? 1 : t.shape[axis]);
        if (dense > integer_limit) dense = integer_limit;
    }
    t.first = t.address + low;
    t.past = t.empty ? t.first : t.address + high + size;
    return t.first >= 0;
}

// Whether no two elements of a tensor share an address, for tensors whose axes nest (others count
// as interleaved, and are rejected if they are written).
inline bool has_distinct_elements(const tensor& t) {
    bool done[max_rank] = {};
    int64_t reach = 0;  // of the axes so far, in elements
    for (int round = 0; round < t.rank && !t.empty; ++round) {
        int best = -1;
        int64_t step = 0;
        for (int axis = 0; axis < t.rank; ++axis) {
            const int64_t stride = t.stride[axis] < 0 ? -t.stride[axis] : t.stride[axis];
            if (!done[axis] && (best < 0 || stride < step)) best = axis, step = stride;
        }
        done[best] = true;
        if (t.shape[best] == 1) continue;
        if (step <= reach) return false;
        reach += step * (t.shape[best] - 1);
    }
    return true;
}

// Whether a tensor's elements fill one contiguous piece of memory.
inline bool is_dense(const tensor& t) {
    int64_t size = t.empty ? 0 : t.type.bits / 8;
    for (int axis = 0; axis < t.rank; ++axis) size = tk::multiply(size, t.shape[axis]);
    return size == t.past - t.first;
}

// For rows that begin `step` bytes apart: where in its row a tensor begins, and how many bytes it
// takes there, if none of its rows begins elsewhere.
struct columns {
    int64_t begin, width;
};
inline columns columns_of(const tensor& t, int64_t step) {
    const int64_t size = t.type.bits / 8;
    int64_t low = 0, high = size;
    for (int axis = 0; axis < t.rank; ++axis) {
        const int64_t reach = (t.shape[axis] - 1) * t.stride[axis] * size;
        if (t.stride[axis] * size % step != 0) (reach < 0 ? low : high) += reach;
    }
    const int64_t begin = (t.address + low) % step;
    return {begin, high - low};
}

inline bool in_different_columns(const tensor& a, const tensor& b, int64_t step) {
    const columns x = columns_of(a, step), y = columns_of(b, step);
    const int64_t from_x = (y.begin - x.begin + step) % step;
    const int64_t from_y = (x.begin - y.begin + step) % step;
    return x.width <= from_x && y.width <= from_y;
}

// Whether two tensors may have a byte in common: false if they are disjoint, or in different
// columns of rows that are a stride of one of them apart, as the parts of one packed tensor are.
inline bool overlap(const tensor& a, const tensor& b) {
    if (a.first >= b.past || b.first >= a.past) return false;
    for (const tensor* t : {&a, &b}) {
        for (int axis = 0; axis < t->rank; ++axis) {
            const int64_t stride = t->stride[axis] < 0 ? -t->stride[axis] : t->stride[axis];
            const int64_t step = stride * (t->type.bits / 8);
            if (t->shape[axis] > 1 && step > 0 && in_different_columns(a, b, step)) return false;
        }
    }
    return true;
}

}  // namespace detail

}  // namespace tk
