// The part of the CUDA runtime that launchers use, for tests without a toolkit or a GPU: it
// remembers.
#pragma once

#include <cstring>

#include "cuda.h"
#include "fake_cuda.h"

enum cudaError_t {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorInsufficientDriver = 35,
    cudaErrorInvalidDevice = 101,
    cudaErrorLaunchFailure = 719,
    cudaErrorStreamCaptureUnsupported = 900,
};
typedef struct CUstream_st* cudaStream_t;
#define CUDART_VERSION 13000
#define cudaStreamLegacy ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)
struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};
enum cudaDeviceAttr {
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrPageableMemoryAccess = 88,
};
enum cudaMemoryType {
    cudaMemoryTypeUnregistered = 0,
    cudaMemoryTypeHost = 1,
    cudaMemoryTypeDevice = 2,
    cudaMemoryTypeManaged = 3,
};
struct cudaPointerAttributes {
    cudaMemoryType type;
    int device;
    void *devicePointer, *hostPointer;
};
enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributeNonPortableClusterSizeAllowed = 10,
};
enum cudaDriverEntryPointQueryResult { cudaDriverEntryPointSuccess };
enum { cudaEnableDefault = 0 };
enum cudaLaunchAttributeID {
    cudaLaunchAttributeClusterDimension = 4,
    cudaLaunchAttributeProgrammaticStreamSerialization = 6,
};
struct cudaLaunchAttribute {
    cudaLaunchAttributeID id;
    struct {
        dim3 clusterDim;
        int programmaticStreamSerializationAllowed;
    } val;
};
struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute* attrs;
    unsigned numAttrs;
};

inline FakeCuda fake;

// Written by the test for the kernels of the library.
const char* fake_kernel_name(const void* function);

inline cudaError_t cudaGetDevice(int* device) {
    *device = fake.current_device;
    return fake.devices == 0 ? cudaErrorInsufficientDriver : cudaSuccess;
}
inline cudaError_t cudaSetDevice(int device) {
    if (device < 0 || device >= fake.devices) return cudaErrorInvalidDevice;
    fake.current_device = device;
    fake.has_context = true;
    ++fake.device_switches;
    return cudaSuccess;
}
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
    *value = attribute == cudaDevAttrMultiProcessorCount      ? fake.multiprocessors
             : attribute == cudaDevAttrPageableMemoryAccess   ? (fake.pageable ? 1 : 0)
             : attribute == cudaDevAttrComputeCapabilityMajor ? fake.major
                                                              : fake.minor;
    return cudaSuccess;
}
inline cudaError_t cudaGetDeviceCount(int* count) {
    *count = fake.devices;
    return cudaSuccess;
}
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive };
inline cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status) {
    *status = fake.captures ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    return cudaSuccess;
}
inline cudaError_t cudaStreamGetDevice(cudaStream_t, int* device) {
    if (fake.captures) return cudaErrorStreamCaptureUnsupported;
    *device = fake.stream_device < 0 ? fake.current_device : fake.stream_device;
    return cudaSuccess;
}
inline cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
    *can = fake.peers ? 1 : 0;
    return cudaSuccess;
}
inline cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* found, const void* address) {
    ++fake.memory_questions;
    const bool host = reinterpret_cast<uintptr_t>(address) >= fake.host_memory;
    found->type = host ? cudaMemoryTypeUnregistered : cudaMemoryTypeDevice;
    found->device = fake.memory_device < 0 ? fake.current_device : fake.memory_device;
    return cudaSuccess;
}
template <class F>
cudaError_t cudaFuncSetAttribute(F, cudaFuncAttribute, int bytes) {
    fake.opted_in_bytes = static_cast<size_t>(bytes);
    return cudaSuccess;
}
inline cudaError_t cudaOccupancyMaxActiveClusters(int* count, const void*,
                                                  const cudaLaunchConfig_t*) {
    *count = fake.multiprocessors;
    return cudaSuccess;
}
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline const char* cudaGetErrorString(cudaError_t error) {
    return error == cudaErrorInsufficientDriver ? "no driver" : "some error";
}
inline cudaError_t cudaMemsetAsync(void* address, int, size_t bytes, cudaStream_t) {
    ++fake.clears;
    fake.cleared = address;
    fake.cleared_bytes = bytes;
    return cudaSuccess;
}
inline cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                       void** arguments) {
    if (fake.launch_error != 0) return static_cast<cudaError_t>(fake.launch_error);
    ++fake.launches;
    fake.kernel = fake_kernel_name(function);
    fake.launch_device = fake.current_device;
    fake.grid = config->gridDim.x;
    fake.threads = config->blockDim.x;
    fake.shared_bytes = config->dynamicSmemBytes;
    fake.stream = config->stream;
    fake.overlaps = false;
    for (unsigned i = 0; i < config->numAttrs; ++i) {
        const cudaLaunchAttribute& given = config->attrs[i];
        if (given.id == cudaLaunchAttributeProgrammaticStreamSerialization)
            fake.overlaps = given.val.programmaticStreamSerializationAllowed != 0;
    }
    fake.value_count = 0;
    for (void** a = arguments; *a != nullptr && fake.value_count < 16; ++a) {
        std::memcpy(&fake.values[fake.value_count++], *a, 4);
    }
    return cudaSuccess;
}

inline CUresult fake_encode(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank,
                            void* address, const cuuint64_t* extents, const cuuint64_t* strides,
                            const cuuint32_t* box, const cuuint32_t*, CUtensorMapInterleave,
                            CUtensorMapSwizzle swizzle, CUtensorMapL2promotion,
                            CUtensorMapFloatOOBfill) {
    if (!fake.has_context) return CUDA_ERROR_INVALID_CONTEXT;
    const int place = fake.map_count++ % 16;
    FakeMap& m = fake.maps[place];
    m.address = address;
    m.type = type;
    m.rank = rank;
    m.swizzle = swizzle;
    for (cuuint32_t i = 0; i < rank; ++i) {
        m.extents[i] = extents[i];
        m.box[i] = box[i];
        if (i > 0) m.strides[i] = strides[i - 1];
        if (extents[i] == 0 || (i > 0 && strides[i - 1] % 16 != 0)) return 1;
    }
    if (reinterpret_cast<uintptr_t>(address) % 16 != 0 || address == nullptr) return 1;
    std::memcpy(map, &place, sizeof place);
    return CUDA_SUCCESS;
}
inline cudaError_t cudaGetDriverEntryPointByVersion(const char*, void** function, unsigned,
                                                    unsigned,
                                                    cudaDriverEntryPointQueryResult* found) {
    *function = fake.has_driver ? reinterpret_cast<void*>(&fake_encode) : nullptr;
    *found = cudaDriverEntryPointSuccess;
    return cudaSuccess;
}
