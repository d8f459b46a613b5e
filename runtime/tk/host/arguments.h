// Checking the arguments of a launcher, with a sentence for the first that is wrong; touches no
// device.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "dlpack.h"
#include "integers.h"
#include "status.h"

namespace tk {

// ---- sentences ---------------------------------------------------------------------------------

// A value in a sentence.
struct number {
    bool real;
    int64_t integer;
    double fraction;

    template <class T>
    number(T value)
        : real(!(T(0.5) == T(0))), integer(static_cast<int64_t>(value)), fraction(double(value)) {}
};

// A failure whose sentence is `text` with its `{}` replaced by the values, behind "function: ".
inline status refusal(int code, const char* function, const char* text,
                      std::initializer_list<number> values) {
    status result;
    result.code = code;
    const size_t room = sizeof result.sentence;
    size_t at = static_cast<size_t>(std::snprintf(result.sentence, room, "%s: ", function));
    const number* value = values.begin();
    for (const char* c = text; *c != '\0' && at + 1 < room; ++c) {
        if (c[0] != '{' || c[1] != '}' || value == values.end()) {
            result.sentence[at++] = *c;
            continue;
        }
        char* out = result.sentence + at;
        const int length = value->real ? std::snprintf(out, room - at, "%g", value->fraction)
                                       : std::snprintf(out, room - at, "%lld",
                                                       static_cast<long long>(value->integer));
        at += static_cast<size_t>(length);
        ++value;
        ++c;
    }
    if (at > room - 1) at = room - 1;
    result.sentence[at] = '\0';
    return result;
}

// ---- tensors -----------------------------------------------------------------------------------

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

// No tensor reaches further, nor has more elements along an axis; sums of so many bytes fit.
constexpr int64_t memory_limit = int64_t{1} << 57;
constexpr int64_t extent_limit = int64_t{1} << 40;

// A tensor argument that has passed its checks. Strides are those that matter: an axis of one
// element, and every axis of an empty tensor, counts as dense with rows at multiples of 16 bytes
// (libraries leave anything there), and an empty tensor's address as 0.
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

// Puts in the strides that do not matter, and finds the bytes covered. False where an address would
// not fit: such a tensor cannot exist.
inline bool settle_strides(tensor& t) {
    const int64_t size = t.type.bits / 8;
    const int64_t row = 16 / size;
    int64_t dense = 1;  // the stride that follows from the axes behind
    int64_t low = 0, high = 0;
    for (int axis = t.rank - 1; axis >= 0; --axis) {
        int64_t& stride = t.stride[axis];
        if (t.empty || t.shape[axis] == 1)
            stride = axis == t.rank - 1 ? 1 : ceil_div(dense, row) * row;
        const int64_t reach = multiply(t.shape[axis] - 1, multiply(stride, size));
        if (!t.empty) (reach < 0 ? low : high) += reach;
        if (low < -memory_limit || high > memory_limit) return false;
        dense = multiply(stride < 0 ? -stride : stride, t.empty ? 1 : t.shape[axis]);
        if (dense > integer_limit) dense = integer_limit;
    }
    t.first = t.address + low;
    t.past = t.empty ? t.first : t.address + high + size;
    return t.first >= 0;
}

// Whether no two elements of a tensor share a place, for tensors whose axes nest (the others count
// as interleaved, and are refused where they are written).
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

// Whether a tensor's elements fill one piece of memory.
inline bool is_dense(const tensor& t) {
    int64_t size = t.empty ? 0 : t.type.bits / 8;
    for (int axis = 0; axis < t.rank; ++axis) size = multiply(size, t.shape[axis]);
    return size == t.past - t.first;
}

}  // namespace detail

// ---- one call ----------------------------------------------------------------------------------

// The bytes of a tensor, as later arguments are compared with them.
struct memory {
    const char* name;
    access mode;
    int64_t first, past;
};

// Where a call runs, and what must be there.
struct tensors_device {
    const char* function;
    int device;  // -1 without tensors
    const std::vector<memory>* tensors;
};

// The checks of one call. Only the first failure counts: what comes after it is not looked at.
class arguments {
public:
    explicit arguments(const char* function) : function_(function) { taken_.reserve(16); }

    bool ok() const { return result_.ok(); }
    const status& result() const { return result_; }
    const char* function() const { return function_; }
    tensors_device device() const { return {function_, device_, &taken_}; }

    void require(bool holds, const char* text, std::initializer_list<number> values = {}) {
        if (!holds && ok()) result_ = refusal(status_requirement, function_, text, values);
    }

    // The tensor, which must be of this dtype and rank; remembers which device it is on.
    tensor take(const char* name, const DLTensor* given, dtype type, int rank, access mode) {
        tensor t;
        t.name = name;
        t.type = type;
        t.mode = mode;
        t.rank = rank;
        if (!ok() || !check_kind(t, given) || !check_device(t, *given)) return t;
        for (int axis = 0; axis < rank; ++axis) {
            t.shape[axis] = given->shape[axis];
            if (t.shape[axis] < 0)
                return refuse(t, "axis %d has the negative extent %lld", axis, t.shape[axis]), t;
            if (t.shape[axis] > extent_limit)
                return refuse(t, "axis %d has the extent %lld, more than any memory holds", axis,
                              t.shape[axis]),
                       t;
            t.empty = t.empty || t.shape[axis] == 0;
        }
        for (int axis = 0; axis < rank; ++axis) t.stride[axis] = stride_of(*given, axis);
        if (!t.empty) {
            if (given->data == nullptr) return refuse(t, "has elements, but its data is null"), t;
            if (!find_address(t, *given)) return t;
        }
        if (!detail::settle_strides(t)) return refuse(t, "has strides that no memory can hold"), t;
        check_memory(t);
        taken_.push_back({t.name, t.mode, t.first, t.past});
        return t;
    }

private:
    template <class... Values>
    void refuse(const tensor& t, const char* format, Values... values) {
        char text[160];
        if constexpr (sizeof...(values) == 0) std::snprintf(text, sizeof text, "%s", format);
        else std::snprintf(text, sizeof text, format, as_argument(values)...);
        result_ = failure(status_bad_argument, "%s: `%s` %s", function_, t.name, text);
    }
    static long long as_argument(int64_t value) { return value; }
    static int as_argument(int value) { return value; }
    static unsigned long long as_argument(unsigned long long value) { return value; }
    static const void* as_argument(const void* value) { return value; }
    static const char* as_argument(const char* value) { return value; }

    bool check_kind(const tensor& t, const DLTensor* given) {
        if (given == nullptr) return refuse(t, "is null"), false;
        if (given->dtype.code != t.type.code || given->dtype.bits != t.type.bits ||
            given->dtype.lanes != 1)
            return refuse(t, "is %s; it must be %s", detail::dtype_name(given->dtype), t.type.name),
                   false;
        if (given->ndim != t.rank)
            return refuse(t, "has %d axes; it must have %d", given->ndim, t.rank), false;
        if (given->shape == nullptr && t.rank > 0) return refuse(t, "has no shape"), false;
        return true;
    }

    bool check_device(const tensor& t, const DLTensor& given) {
        const DLDeviceType type = given.device.device_type;
        if (type != kDLCUDA && type != kDLCUDAManaged)
            return refuse(t, "is not in the memory of a CUDA device"), false;
        if (given.device.device_id < 0)
            return refuse(t, "is on device %d, which is none", given.device.device_id), false;
        if (device_ < 0) device_ = given.device.device_id;
        if (given.device.device_id != device_)
            return refuse(t, "is on device %d, but the tensors before it are on device %d",
                          given.device.device_id, device_),
                   false;
        return true;
    }

    // Where the elements begin: an address that fits, at a multiple of an element's size.
    bool find_address(tensor& t, const DLTensor& given) {
        const uint64_t data = reinterpret_cast<uintptr_t>(given.data);
        const uint64_t limit = static_cast<uint64_t>(integer_limit);
        if (data > limit || given.byte_offset > limit - data)
            return refuse(t,
                          "begins past the end of all memory: its data is %p, its byte_offset %llu",
                          given.data, static_cast<unsigned long long>(given.byte_offset)),
                   false;
        t.address = static_cast<int64_t>(data + given.byte_offset);
        const int64_t size = t.type.bits / 8;
        if (t.address % size != 0)
            return refuse(t,
                          "begins %lld bytes past a multiple of %lld, the size of its elements: "
                          "pass a copy",
                          t.address % size, size),
                   false;
        return true;
    }

    // Memory that is written may not be part of any other argument, nor be reached twice.
    void check_memory(const tensor& t) {
        if (t.mode == access::accumulate && !detail::is_dense(t))
            return refuse(t, "is cleared before the launch: it must be dense");
        if (t.mode != access::read && !detail::has_distinct_elements(t))
            return refuse(t, "is written, but some of its elements share a place or interleave");
        for (const memory& other : taken_) {
            if (t.mode == access::read && other.mode == access::read) continue;
            if (t.first < other.past && other.first < t.past)
                return refuse(t,
                              t.mode != access::read
                                  ? "is written, but its memory overlaps that of `%s`"
                                  : "overlaps the memory of `%s`, which is written",
                              other.name);
        }
    }

    const char* function_;
    status result_;
    int device_ = -1;
    std::vector<memory> taken_;
};

}  // namespace tk
