// Tensor maps for the copy engine: encoding through the driver, without linking it.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "../tile/layout.h"
#include "status.h"

namespace tk {

// Element types of a tensor map, in the driver's names.
template <class T>
struct tensor_map_type;
struct bf16;
struct f16;
template <>
struct tensor_map_type<bf16> {
    static constexpr CUtensorMapDataType value = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
};
template <>
struct tensor_map_type<f16> {
    static constexpr CUtensorMapDataType value = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
};
template <>
struct tensor_map_type<float> {
    static constexpr CUtensorMapDataType value = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
};
template <>
struct tensor_map_type<int32_t> {
    static constexpr CUtensorMapDataType value = CU_TENSOR_MAP_DATA_TYPE_INT32;
};

// A tensor as the kernel's map needs it: the dimensions outermost first, strides in elements. The
// last dimension is the tile's columns and the one before it its rows, whatever their order in
// memory: a tensor [B, N, H, D] read by tiles [N, D] is given as B, H, N, D.
struct tensor_view {
    const char* name;  // the parameter, for messages
    void* data;
    int rank;
    int64_t extent[5];
    int64_t stride[5];
};

namespace detail {

using encode_function = decltype(&cuTensorMapEncodeTiled);

inline encode_function find_encode() {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found{};
    const cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function,
                                                               12000, cudaEnableDefault, &found);
    if (error != cudaSuccess || found != cudaDriverEntryPointSuccess) return nullptr;
    return reinterpret_cast<encode_function>(function);
}

}  // namespace detail

// Makes a map whose boxes can end at any row. The copy engine writes zeros outside a tensor, so its
// rows appear twice: as `box` rows, where the box is clipped, and as a further dimension that moves
// those along the tensor, one row per step, starting `box` rows before it. Row r and the rows after
// it, n of them in the box, are at `r + n` along the new dimension, the outermost one, and at `box
// - n` along the old one: rows past `n` are outside that. No address outside the tensor is read if
// r is not negative, r + n is at most the extent, and n is at least 1. For an empty tensor no data
// are read.
inline status end_in_views(tensor_view& tensor, int* box_extents, int axis, int element_bytes,
                           bool empty) {
    const int64_t rows = box_extents[axis];
    const int64_t extent = tensor.extent[axis];
    // The stride of an axis of one element is never used; libraries leave anything there.
    const int64_t stride = extent == 1 ? 16 / element_bytes : tensor.stride[axis];
    const uint64_t before = static_cast<uint64_t>(rows * stride * element_bytes);
    const uintptr_t data = reinterpret_cast<uintptr_t>(tensor.data);
    if (!empty && (stride < 0 || data < before))
        return failure(status_bad_argument,
                       "%s: the stride of axis %d, %lld, is too large for views of it", tensor.name,
                       axis, static_cast<long long>(stride));
    for (int i = tensor.rank; i > 0; --i) {
        tensor.extent[i] = tensor.extent[i - 1];
        tensor.stride[i] = tensor.stride[i - 1];
        box_extents[i] = box_extents[i - 1];
    }
    tensor.rank += 1;
    tensor.extent[0] = empty ? 0 : extent + 1;  // a map of one element, as of any empty tensor
    tensor.stride[0] = tensor.stride[axis + 1] = stride;
    tensor.extent[axis + 1] = rows;
    box_extents[0] = 1;
    if (!empty) tensor.data = reinterpret_cast<void*>(data - before);
    return {};
}

// Encodes the map for boxes of these extents, an axis each, the last one swizzled over `span`
// bytes. Promotion to 128 bytes: where rows start at multiples of 16 bytes and not of 128, a row of
// a box lies in two lines, and promotion to 256 cost 13 % of a product's speed; with aligned rows
// none of the four settings made a difference. A tensor with an extent of 0 gets a map of one
// element on `dummy` (any 16-byte aligned device address): the coordinates that a kernel then uses
// lie outside it.
inline status encode_tensor_map(
    CUtensorMap& map, CUtensorMapDataType type, int element_bytes, const tensor_view& tensor,
    const int* box_extents, int span, void* dummy = nullptr,
    CUtensorMapL2promotion promotion = CU_TENSOR_MAP_L2_PROMOTION_L2_128B) {
    static const detail::encode_function encode = detail::find_encode();
    if (encode == nullptr)
        return failure(status_cuda_error, "the CUDA driver does not offer cuTensorMapEncodeTiled");
    const int rank = tensor.rank;
    cuuint64_t extents[5], strides[5];
    cuuint32_t box[5], steps[5];
    bool empty = false;
    for (int i = 0; i < rank; ++i) empty = empty || tensor.extent[i] == 0;
    for (int i = 0; i < rank; ++i) {  // i counts from the innermost dimension
        const int axis = rank - 1 - i;
        const int64_t extent = empty ? 1 : tensor.extent[axis];
        int64_t stride = tensor.stride[axis] * element_bytes;
        // The stride of an axis of one element is never used; libraries leave anything there.
        if (extent == 1) stride = i == 0 ? element_bytes : 16;
        if (i == 0 && stride != element_bytes)
            return failure(status_bad_argument,
                           "%s: the innermost stride must be 1 for TMA, not %lld", tensor.name,
                           static_cast<long long>(tensor.stride[axis]));
        if (stride < 0 || stride % 16 != 0 || stride >= int64_t{1} << 40) {
            if (i != 0)
                return failure(
                    status_bad_argument,
                    "%s: the stride of axis %d is %lld bytes; TMA needs a multiple of 16 "
                    "below 2^40",
                    tensor.name, axis, static_cast<long long>(stride));
        }
        extents[i] = static_cast<cuuint64_t>(extent);
        if (i > 0) strides[i - 1] = static_cast<cuuint64_t>(stride);
        box[i] = static_cast<cuuint32_t>(box_extents[axis]);
        steps[i] = 1;
    }
    void* data = empty ? dummy : tensor.data;
    if (reinterpret_cast<uintptr_t>(data) % 16 != 0 || data == nullptr)
        return failure(status_bad_argument, "%s: TMA needs a base address at a multiple of 16",
                       tensor.name);
    const CUtensorMapSwizzle swizzle = span == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
                                       : span == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                                       : span == 32 ? CU_TENSOR_MAP_SWIZZLE_32B
                                                    : CU_TENSOR_MAP_SWIZZLE_NONE;
    const auto encoded = [&] {
        return encode(&map, type, static_cast<cuuint32_t>(rank), data, extents, strides, box, steps,
                      CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, promotion,
                      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    };
    CUresult result = encoded();
    // A thread that has not launched anything yet, such as one of PyTorch's for gradients, has a
    // device and no context. Setting the device makes its context current (CUDA 12.0 and later).
    int device = 0;
    if (result == CUDA_ERROR_INVALID_CONTEXT && cudaGetDevice(&device) == cudaSuccess &&
        cudaSetDevice(device) == cudaSuccess)
        result = encoded();
    if (result != CUDA_SUCCESS)
        return failure(status_cuda_error,
                       "%s: cuTensorMapEncodeTiled refused the tensor (error %d)", tensor.name,
                       static_cast<int>(result));
    return {};
}

// The map for loads and stores of windows of rows x cols, laid out like the tile they are taken
// from.
template <class Tile>
status encode_tile_map(CUtensorMap& map, const tensor_view& tensor, void* dummy = nullptr,
                       CUtensorMapL2promotion promotion = CU_TENSOR_MAP_L2_PROMOTION_L2_128B) {
    using type = typename Tile::type;
    constexpr int size = static_cast<int>(sizeof(type));
    int box[5] = {1, 1, 1, 1, 1};
    box[tensor.rank - 1] = box_columns(Tile::span, Tile::cols, size);
    if (tensor.rank > 1) box[tensor.rank - 2] = box_rows(Tile::span, Tile::rows);
    return encode_tensor_map(map, tensor_map_type<type>::value, size, tensor, box, Tile::span,
                             dummy, promotion);
}

}  // namespace tk
