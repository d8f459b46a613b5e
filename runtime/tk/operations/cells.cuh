// Single elements of a tensor argument, by position; offsets have 64 bits.
#pragma once

#include "../host/tensor_argument.h"
#include "../ptx/config.h"

#if TK_CUDA
namespace tk {

// The address of tensor[position...]. It need not lie inside the tensor if nothing is read or
// written there.
template <class T, int Rank, class... Position>
TK_DEVICE T* address(const tensor_argument<T, Rank>& tensor, Position... position) {
    static_assert(sizeof...(Position) == Rank, "one position for each axis");
    const int64_t at[Rank] = {static_cast<int64_t>(position)...};
    int64_t offset = 0;
    TK_UNROLL
    for (int axis = 0; axis < Rank; ++axis) offset += at[axis] * tensor.stride[axis];
    return tensor.data + offset;
}

// tensor[position...], which lies inside.
template <class T, int Rank, class... Position>
TK_DEVICE T cell(const tensor_argument<T, Rank>& tensor, Position... position) {
    return *address(tensor, position...);
}

// The same for a tensor that nobody writes in this launch: the load may be moved, repeated or
// joined with others, and passes through the read-only path.
template <class T, int Rank, class... Position>
TK_DEVICE T cell(const tensor_argument<const T, Rank>& tensor, Position... position) {
    const T* at = address(tensor, position...);
    T value;
    if constexpr (sizeof(T) == 2) {
        uint16_t bits;
        asm("ld.global.nc.b16 %0, [%1];" : "=h"(bits) : "l"(at));
        memcpy(&value, &bits, 2);
    } else if constexpr (sizeof(T) == 4) {
        uint32_t bits;
        asm("ld.global.nc.b32 %0, [%1];" : "=r"(bits) : "l"(at));
        memcpy(&value, &bits, 4);
    } else {
        value = *at;
    }
    return value;
}

}  // namespace tk
#endif
