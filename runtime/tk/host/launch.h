// What a launcher queries from the device and the runtime, each once, and the launch itself.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>

#include "status.h"

namespace tk {

constexpr int max_devices = 64;

inline status check_cuda(cudaError_t error, const char* what) {
    if (error == cudaSuccess) return {};
    cudaGetLastError();  // clears the error, which is reported here
    return failure(status_cuda_error, "%s: %s", what, cudaGetErrorString(error));
}

// The number of multiprocessors of a device, queried once.
inline int multiprocessors(int device) {
    static std::atomic<int> known[max_devices];
    int count = known[device].load(std::memory_order_relaxed);
    if (count == 0) {
        cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
        known[device].store(count, std::memory_order_relaxed);
    }
    return count;
}

// Which devices kernels are built for: those of a compute capability (10 * major + minor), or those
// from it on. Code built for sm_90a runs on no other.
struct devices {
    int capability = 90;
    bool later = false;
};
constexpr devices devices_from(int capability) { return {capability, true}; }

// The current device, which must be one of those.
inline status current_device(int& device, devices built_for = {}) {
    static std::atomic<int> known[max_devices];
    TK_RETURN_IF_FAILED(check_cuda(cudaGetDevice(&device), "no CUDA device"));
    if (device >= max_devices)
        return failure(status_unsupported_device, "device %d: more devices than are kept track of",
                       device);
    int capability = known[device].load(std::memory_order_relaxed);
    if (capability == 0) {
        int major = 0, minor = 0;
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
        capability = major * 10 + minor;
        known[device].store(capability, std::memory_order_relaxed);
    }
    const bool later = built_for.later && capability > built_for.capability;
    if (capability != built_for.capability && !later)
        return failure(status_unsupported_device,
                       "device %d has compute capability %d.%d; this kernel is built for %d.%d%s",
                       device, capability / 10, capability % 10, built_for.capability / 10,
                       built_for.capability % 10, built_for.later ? " and later ones" : "");
    return {};
}

// How a kernel is launched.
struct kernel_shape {
    int threads = 0;            // of a block
    int cluster = 1;            // blocks along x that reach each other's shared memory
    int blocks_of_program = 1;  // that share one program
    int persistent = 0;  // blocks on a multiprocessor, which go through the programs; 0: one each
    bool overlaps =
        false;  // its blocks may come before the kernel before it on the stream has ended

    constexpr kernel_shape() = default;
    explicit constexpr kernel_shape(int block_threads) : threads(block_threads) {}
    constexpr kernel_shape in_clusters(int blocks, int of_program = 1) const {
        kernel_shape shape = *this;
        shape.cluster = blocks;
        shape.blocks_of_program = of_program;
        return shape;
    }
    constexpr kernel_shape blocks_per_sm(int blocks) const {
        kernel_shape shape = *this;
        shape.persistent = blocks;
        return shape;
    }
    // Of a kernel that begins with wait_for_previous_kernel (kernel_order.cuh), and of no other.
    constexpr kernel_shape programmatic_launch() const {
        kernel_shape shape = *this;
        shape.overlaps = true;
        return shape;
    }
};

// One kernel of the library: remembers on which devices its shared memory has been opted in to.
struct kernel_handle {
    const void* function;
    int shared_bytes;
    std::atomic<bool> ready[max_devices];
    std::atomic<int> resident[max_devices];
    int cluster = 1;  // blocks along x that run at once and reach each other's shared memory
    kernel_shape shape{};

    status prepare(int device) {
        if (ready[device].load(std::memory_order_acquire)) return {};
        TK_RETURN_IF_FAILED(
            check_cuda(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            shared_bytes),
                       "shared memory opt-in"));
        ready[device].store(true, std::memory_order_release);
        return {};
    }
};

// The handle of a kernel, static where it is launched.
template <class... Parameters>
kernel_handle handle_of(void (*kernel)(Parameters...), size_t shared_bytes, kernel_shape shape) {
    return {reinterpret_cast<const void*>(kernel),
            static_cast<int>(shared_bytes),
            {},
            {},
            shape.cluster,
            shape};
}

namespace detail {

inline cudaLaunchConfig_t launch_config(const kernel_handle& kernel, dim3 grid, int threads,
                                        cudaStream_t stream, cudaLaunchAttribute (&attributes)[2]) {
    cudaLaunchConfig_t config{};
    config.gridDim = grid;
    config.blockDim = dim3(static_cast<unsigned>(threads));
    config.dynamicSmemBytes = static_cast<size_t>(kernel.shared_bytes);
    config.stream = stream;
    config.attrs = attributes;
    if (kernel.cluster > 1) {
        cudaLaunchAttribute& attribute = attributes[config.numAttrs++];
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim.x = static_cast<unsigned>(kernel.cluster);
        attribute.val.clusterDim.y = 1;
        attribute.val.clusterDim.z = 1;
    }
    if (kernel.shape.overlaps) {
        cudaLaunchAttribute& attribute = attributes[config.numAttrs++];
        attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attribute.val.programmaticStreamSerializationAllowed = 1;
    }
    return config;
}

}  // namespace detail

// How many blocks of a persistent kernel run at once, in whole clusters; a cluster is in one group
// of multiprocessors, so larger ones need not fill the device. Queried once. Without clusters, one
// per multiprocessor.
inline status resident_blocks(kernel_handle& kernel, int device, int threads, int& blocks) {
    if (kernel.cluster == 1) {
        blocks = multiprocessors(device);
        return {};
    }
    TK_RETURN_IF_FAILED(kernel.prepare(device));
    blocks = kernel.resident[device].load(std::memory_order_relaxed);
    if (blocks != 0) return {};
    cudaLaunchAttribute attributes[2]{};
    const auto config = detail::launch_config(kernel, dim3(static_cast<unsigned>(kernel.cluster)),
                                              threads, nullptr, attributes);
    int clusters = 0;
    TK_RETURN_IF_FAILED(check_cuda(
        cudaOccupancyMaxActiveClusters(&clusters, kernel.function, &config), "clusters"));
    if (clusters == 0)
        return failure(status_unsupported_device, "no cluster of %d blocks fits this device",
                       kernel.cluster);
    blocks = clusters * kernel.cluster;
    kernel.resident[device].store(blocks, std::memory_order_relaxed);
    return {};
}

// A launch runs on the device of its stream, whatever the current one is: the kernel would run on a
// device without its tensors. The default streams are those of the current device.
inline status check_stream(cudaStream_t stream, int device) {
#if CUDART_VERSION >= 12080
    if (stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread) return {};
    // Querying a stream that is being captured would end the capture.
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    TK_RETURN_IF_FAILED(check_cuda(cudaStreamIsCapturing(stream, &capture), "the stream"));
    if (capture != cudaStreamCaptureStatusNone) return {};
    int where = device;
    TK_RETURN_IF_FAILED(check_cuda(cudaStreamGetDevice(stream, &where), "the stream"));
    if (where != device)
        return failure(status_bad_argument,
                       "the stream is of device %d, but the tensors are on device %d", where,
                       device);
#else
    (void)stream, (void)device;  // the runtime cannot tell
#endif
    return {};
}

// Launches on a stream; the grid is a multiple of the kernel's cluster along x.
inline status launch(kernel_handle& kernel, int device, dim3 grid, int threads, cudaStream_t stream,
                     void** arguments) {
    TK_RETURN_IF_FAILED(kernel.prepare(device));
    cudaLaunchAttribute attributes[2]{};
    const auto config = detail::launch_config(kernel, grid, threads, stream, attributes);
    return check_cuda(cudaLaunchKernelExC(&config, kernel.function, arguments), "launch");
}

}  // namespace tk
