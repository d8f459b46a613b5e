// The tensor argument of the C ABI: DLPack's DLTensor, from its own header or declared with the
// same layout. C and C++.
#pragma once

#if defined(DLPACK_DLPACK_H_)
// The library's header has been included under some other path.
#elif __has_include(<dlpack/dlpack.h>)
#include <dlpack/dlpack.h>
#else
#ifdef __cplusplus
#include <cstdint>
extern "C" {
#define TK_INT32_ENUM enum : int32_t
#else
#include <stdint.h>
#define TK_INT32_ENUM enum
#endif

// Binary-compatible with DLPack 1.x (dmlc.github.io/dlpack, "C API"); only what a launcher reads.
typedef TK_INT32_ENUM{kDLCPU = 1, kDLCUDA = 2, kDLCUDAHost = 3, kDLCUDAManaged = 13} DLDeviceType;
typedef struct {
    DLDeviceType device_type;
    int32_t device_id;
} DLDevice;
typedef enum {
    kDLInt = 0,
    kDLUInt = 1,
    kDLFloat = 2,
    kDLBfloat = 4,
    kDLBool = 6,
    kDLFloat8_e4m3fn = 10,
    kDLFloat8_e5m2 = 12
} DLDataTypeCode;
typedef struct {
    uint8_t code;
    uint8_t bits;
    uint16_t lanes;
} DLDataType;
typedef struct {
    void* data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t* shape;
    int64_t* strides;  // in elements; null: dense rows
    uint64_t byte_offset;
} DLTensor;

#undef TK_INT32_ENUM
#ifdef __cplusplus
}
#endif
#endif

#ifdef __cplusplus
namespace tk {

inline void* data_of(const DLTensor& tensor) {
    return static_cast<char*>(tensor.data) + tensor.byte_offset;
}

// The stride of an axis in elements, also if DLPack omits the strides; a stride that does not fit
// becomes the largest number.
inline int64_t stride_of(const DLTensor& tensor, int axis) {
    if (tensor.strides != nullptr) return tensor.strides[axis];
    int64_t stride = 1;
    for (int i = axis + 1; i < tensor.ndim; ++i) {
        if (__builtin_mul_overflow(stride, tensor.shape[i], &stride)) return INT64_MAX;
    }
    return stride;
}

}  // namespace tk
#endif
