// Single elements of a tensor argument, by position; offsets have 64 bits.
#pragma once

#include <type_traits>

#include "../host/tensor_argument.h"
#include "../ptx/config.h"

#if TK_CUDA
namespace tk {

namespace detail {

// Dense: neighbors along the last axis are adjacent, whatever its stride is.
template <bool Dense, class T, int Rank, class... Position>
TK_DEVICE T* address_of(const tensor_argument<T, Rank>& tensor, Position... position) {
    static_assert(sizeof...(Position) == Rank, "one position for each axis");
    const int64_t at[Rank] = {static_cast<int64_t>(position)...};
    int64_t offset = 0;
    TK_UNROLL
    for (int axis = 0; axis < Rank; ++axis)
        offset += Dense && axis == Rank - 1 ? at[axis] : at[axis] * tensor.stride[axis];
    return tensor.data + offset;
}

}  // namespace detail

// tensor[position...], which is inside. A plain load: with the read-only path, which the compiler
// moves more freely, an epilogue of 128 x 256 cells spilled registers.
template <class T, int Rank, class... Position>
TK_DEVICE std::remove_const_t<T> cell(const tensor_argument<T, Rank>& tensor,
                                      Position... position) {
    return *detail::address_of<false>(tensor, position...);
}

// The same of a tensor whose last axis has stride 1: no multiplication, and neighboring cells are
// one address and a distance known to the compiler.
template <class T, int Rank, class... Position>
TK_DEVICE std::remove_const_t<T> dense_cell(const tensor_argument<T, Rank>& tensor,
                                            Position... position) {
    return *detail::address_of<true>(tensor, position...);
}

}  // namespace tk
#endif
