// Checks the arguments of a launcher, with a message for the first wrong one; accesses no device.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "conditions.h"
#include "sentence.h"
#include "tensor.h"

namespace tk {

// ---- one call ----------------------------------------------------------------------------------

// Where a call runs, and what it needs.
struct tensors_device {
    const char* function;
    int device;  // -1 without tensors
    const std::vector<tensor>* tensors;
};

// The checks of one call. Only the first failure counts: later ones are not examined.
class arguments {
public:
    explicit arguments(const char* function) : function_(function) { taken_.reserve(16); }

    bool ok() const { return result_.ok(); }
    const status& result() const { return result_; }
    const char* function() const { return function_; }
    tensors_device device() const { return {function_, device_, &taken_}; }

    // Conditions in order; the first that does not hold is reported.
    void require(std::initializer_list<condition> list) {
        for (const condition& c : list) {
            if (!ok()) return;
            if (!c.holds) result_ = c.refusal(function_, c);
        }
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
        taken_.push_back(t);
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

    // Memory that is written may not be part of any other argument, nor be reached twice. Different
    // columns of the same rows do not overlap.
    void check_memory(const tensor& t) {
        if (t.mode == access::accumulate && !detail::is_dense(t))
            return refuse(t, "is cleared before the launch, so it must be dense");
        if (t.mode != access::read && !detail::has_distinct_elements(t))
            return refuse(t, "is written, but some of its elements overlap or interleave");
        for (const tensor& other : taken_) {
            if (t.mode == access::read && other.mode == access::read) continue;
            if (detail::overlap(t, other))
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
    std::vector<tensor> taken_;
};

}  // namespace tk
