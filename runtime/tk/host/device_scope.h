// Makes the device of a call's tensors the current one, and checks that it can access their memory.
#pragma once

#include <cuda_runtime_api.h>

#include "arguments.h"
#include "launch.h"

namespace tk {

namespace detail {

// Whether a device can read memory that CUDA has not allocated: then every address is valid.
// Queried once.
inline bool reads_any_memory(int device) {
    static std::atomic<int> known[max_devices];  // 1: no, 2: yes
    int answer = known[device].load(std::memory_order_relaxed);
    if (answer == 0) {
        int pageable = 0;
        cudaDeviceGetAttribute(&pageable, cudaDevAttrPageableMemoryAccess, device);
        answer = pageable != 0 ? 2 : 1;
        known[device].store(answer, std::memory_order_relaxed);
    }
    return answer == 2;
}

// Addresses that this thread has checked. A query takes longer than all other checks of a tensor,
// and callers use the same memory again and again.
struct known_address {
    int64_t first = 0;
    int device = -1;
};
constexpr int known_addresses = 64;
inline known_address& known_place(int64_t first) {
    static thread_local known_address known[known_addresses];
    return known[static_cast<uint64_t>(first) * 0x9e3779b97f4a7c15u >> 58];
}

// A host address in a tensor that claims to be on the device causes a fault in the kernel, after
// which the process can no longer use the GPU.
inline status check_address(const tk::tensor& tensor, const tensors_device& tensors) {
    known_address& known = known_place(tensor.first);
    if (known.first == tensor.first && known.device == tensors.device) return {};
    cudaPointerAttributes found{};
    TK_RETURN_IF_FAILED(
        check_cuda(cudaPointerGetAttributes(&found, reinterpret_cast<const void*>(tensor.first)),
                   tensor.name));
    if (found.type == cudaMemoryTypeUnregistered && !reads_any_memory(tensors.device))
        return failure(
            status_bad_argument,
            "%s: `%s` is said to be on device %d, but its memory was not allocated by CUDA",
            tensors.function, tensor.name, tensors.device);
    if (found.type == cudaMemoryTypeDevice && found.device != tensors.device) {
        int reached = 0;
        TK_RETURN_IF_FAILED(check_cuda(
            cudaDeviceCanAccessPeer(&reached, tensors.device, found.device), tensor.name));
        if (reached == 0)
            return failure(status_bad_argument,
                           "%s: `%s` is said to be on device %d, but its memory is on device %d",
                           tensors.function, tensor.name, tensors.device, found.device);
    }
    known = {tensor.first, tensors.device};
    return {};
}

}  // namespace detail

// Makes the tensors' device the current one, and restores the previous one at the end. Fails if
// there is no such device, or if it cannot access the memory.
class device_scope {
public:
    explicit device_scope(const tensors_device& tensors) : result_(enter(tensors)) {}
    ~device_scope() {
        if (changed_) cudaSetDevice(before_);
    }
    device_scope(const device_scope&) = delete;
    device_scope& operator=(const device_scope&) = delete;

    const status& result() const { return result_; }

private:
    status enter(const tensors_device& tensors) {
        TK_RETURN_IF_FAILED(check_cuda(cudaGetDevice(&before_), "no CUDA device"));
        const int device = tensors.device;
        if (device < 0) return {};
        if (device != before_) {
            int count = 0;
            TK_RETURN_IF_FAILED(check_cuda(cudaGetDeviceCount(&count), "no CUDA device"));
            if (device >= count)
                return failure(status_bad_argument,
                               "%s: the tensors are on device %d; the devices here are 0 to %d",
                               tensors.function, device, count - 1);
            TK_RETURN_IF_FAILED(check_cuda(cudaSetDevice(device), "the tensors' device"));
            changed_ = true;
        }
        if (device >= max_devices) return {};  // current_device tells
        for (const tk::tensor& tensor : *tensors.tensors) {
            if (tensor.first == tensor.past) continue;
            TK_RETURN_IF_FAILED(detail::check_address(tensor, tensors));
        }
        return {};
    }

    int before_ = -1;
    bool changed_ = false;
    status result_;
};

}  // namespace tk
