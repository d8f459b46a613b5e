// What emitted launchers are made of: the device, the choice among kernels, tensor maps, workspace,
// launch.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "arguments.h"
#include "device_scope.h"
#include "launch.h"
#include "tensor_argument.h"
#include "tensor_map.h"

namespace tk {

// ---- the end of a call -------------------------------------------------------------------------

namespace {
// The sentence of this thread's last call of any launcher of this file; empty if it succeeded.
thread_local char last_sentence[sizeof(status::sentence)];
}  // namespace

// Keeps the sentence for the function that tells it, and gives the code.
static inline int finish(const status& result) {
    std::memcpy(last_sentence, result.sentence, std::strlen(result.sentence) + 1);
    return result.code;
}

// ---- device ------------------------------------------------------------------------------------

// Where a call runs.
struct launch_site {
    cudaStream_t stream = nullptr;
    int device = 0;
    int multiprocessors = 0;
};

// The current device, which must be one that the kernels are built for.
inline status find_site(launch_site& site, cudaStream_t stream) {
    site.stream = stream;
    TK_RETURN_IF_FAILED(current_device(site.device));
    TK_RETURN_IF_FAILED(check_stream(stream, site.device));
    site.multiprocessors = multiprocessors(site.device);
    return {};
}

// ---- choice ------------------------------------------------------------------------------------

// Which of a launcher's kernels runs: of those whose conditions hold, a general variant only where
// nothing else does, and then the cheapest by the estimate; the first of equals.
class selection {
public:
    selection(const char* function, const launch_site& site) : function_(function), site_(site) {}

    // Goes on to the next kernel; what follows is about it.
    void candidate(bool general = false) {
        ++index_;
        general_ = general;
        suits_ = true;
    }
    // A condition that only makes this kernel pass; another does without it.
    void prefer(bool holds) { suits_ = suits_ && holds; }
    // A condition of this kernel; its sentence is the answer if no kernel suits.
    void require(bool holds, const char* text, std::initializer_list<number> values = {}) {
        if (suits_ && !holds && refusal_.ok())
            refusal_ = refusal(status_requirement, function_, text, values);
        suits_ = suits_ && holds;
    }
    // Ends the kernel: it would run this many programs of that many cycles each. A multiprocessor
    // takes one program after the other, and the last wave lasts as long as a full one.
    void offer(int64_t programs, int64_t cycles) {
        if (!suits_ || (best_ >= 0 && general_ && !best_general_)) return;
        const int64_t cost = multiply(ceil_div(programs, site_.multiprocessors), cycles);
        const bool better = best_ < 0 || (best_general_ && !general_) || cost < best_cost_;
        if (!better) return;
        best_ = index_;
        best_cost_ = cost;
        best_general_ = general_;
    }

    int best() const { return best_; }  // counted from 0; -1: none
    const status& result() const { return refusal_; }

private:
    const char* function_;
    const launch_site& site_;
    int index_ = -1;
    bool general_ = false, suits_ = false;
    int best_ = -1;
    int64_t best_cost_ = 0;
    bool best_general_ = false;
    status refusal_;
};

// ---- tensor maps -------------------------------------------------------------------------------

namespace detail {

#if TK_CUDA
static __device__ uint4 spare_memory[2];
inline status spare_address(access mode, void*& address) {
    TK_RETURN_IF_FAILED(check_cuda(cudaGetSymbolAddress(&address, spare_memory), "spare memory"));
    address = static_cast<uint4*>(address) + (mode == access::read ? 0 : 1);
    return {};
}
#else
inline status spare_address(access mode, void*& address) {
    alignas(16) static unsigned char spare_memory[2][16];
    address = spare_memory[mode == access::read ? 0 : 1];
    return {};
}
#endif

inline CUtensorMapDataType map_type(const dtype& type) {
    switch (type.code * 256 + type.bits) {
        case kDLFloat * 256 + 16: return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
        case kDLBfloat * 256 + 16: return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
        case kDLFloat * 256 + 32: return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
        case kDLFloat * 256 + 64: return CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
        case kDLInt * 256 + 32: return CU_TENSOR_MAP_DATA_TYPE_INT32;
        case kDLUInt * 256 + 32: return CU_TENSOR_MAP_DATA_TYPE_UINT32;
        case kDLInt * 256 + 64: return CU_TENSOR_MAP_DATA_TYPE_INT64;
        case kDLInt * 256 + 16: return CU_TENSOR_MAP_DATA_TYPE_UINT16;  // only moved, never added
        default: return CU_TENSOR_MAP_DATA_TYPE_UINT8;
    }
}

}  // namespace detail

// The map of a tensor for boxes of these extents, an axis each, the last one swizzled over `span`
// bytes. Alignment and strides are conditions that the launcher has checked. An empty tensor gets a
// map of one element on spare memory: loads find zeros there, and nobody reads what is stored.
inline status encode(CUtensorMap& map, const tensor& t, std::initializer_list<int> box, int span) {
    tensor_view view{t.name, t.data<void>(), t.rank, {}, {}};
    for (int axis = 0; axis < t.rank; ++axis) {
        view.extent[axis] = t.shape[axis];
        view.stride[axis] = t.stride[axis];
    }
    void* spare = nullptr;
    if (t.empty) TK_RETURN_IF_FAILED(detail::spare_address(t.mode, spare));
    return encode_tensor_map(map, detail::map_type(t.type), t.type.bits / 8, view, box.begin(),
                             span, spare);
}

// What a kernel gets of a tensor that it touches cell by cell.
template <class T, int Rank>
tensor_argument<T, Rank> cells(const tensor& t) {
    tensor_argument<T, Rank> argument{t.data<T>(), {}};
    for (int axis = 0; axis < Rank; ++axis) argument.stride[axis] = t.stride[axis];
    return argument;
}

// ---- memory ------------------------------------------------------------------------------------

// Sets every element of a dense tensor to zero, on the stream.
inline status clear(const tensor& t, const launch_site& site) {
    if (t.empty) return {};
    return check_cuda(cudaMemsetAsync(reinterpret_cast<void*>(t.first), 0,
                                      static_cast<size_t>(t.past - t.first), site.stream),
                      "clearing the accumulator");
}

// ---- launch ------------------------------------------------------------------------------------

namespace detail {
template <class T>
struct same {
    using type = T;
};
}  // namespace detail

// Launches so many blocks; the arguments are converted to what the kernel's head says.
template <class... Parameters>
status launch_kernel(kernel_handle& kernel, void (*)(Parameters...), const launch_site& site,
                     int64_t blocks, int threads,
                     typename detail::same<Parameters>::type... values) {
    void* pointers[] = {&values..., nullptr};
    return launch(kernel, site.device, dim3(static_cast<unsigned>(blocks)), threads, site.stream,
                  pointers);
}

}  // namespace tk
