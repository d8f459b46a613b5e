// The building blocks of emitted launchers: the device, the choice among kernels, tensor maps,
// workspace, launch.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <tuple>

#include "arguments.h"
#include "device_scope.h"
#include "launch.h"
#include "tensor_argument.h"
#include "tensor_map.h"

namespace tk {

// ---- the end of a call -------------------------------------------------------------------------

namespace {
// The message of this thread's last call of any launcher of this file; empty if it succeeded.
thread_local char last_message[sizeof(status::sentence)];
}  // namespace

// Stores the message for `NAME_error()` and returns the status code.
static inline int finish(const status& result) {
    std::memcpy(last_message, result.sentence, std::strlen(result.sentence) + 1);
    return result.code;
}

// Returns from the enclosing C function with a failed status.
#define TK_FINISH_IF_FAILED(...)                             \
    do {                                                     \
        const ::tk::status tk_status = (__VA_ARGS__);        \
        if (!tk_status.ok()) return ::tk::finish(tk_status); \
    } while (0)

// ---- device ------------------------------------------------------------------------------------

// Where a call runs.
struct launch_site {
    cudaStream_t stream = nullptr;
    int device = 0;
    int multiprocessors = 0;
};

// The current device, which must be one that the kernels are built for.
inline status find_site(launch_site& site, cudaStream_t stream, devices built_for) {
    site.stream = stream;
    TK_RETURN_IF_FAILED(current_device(site.device, built_for));
    TK_RETURN_IF_FAILED(check_stream(stream, site.device));
    site.multiprocessors = multiprocessors(site.device);
    return {};
}

// Makes the tensors' device current, and determines where to launch on it.
struct launch_scope : device_scope, launch_site {
    launch_scope(const tensors_device& tensors, cudaStream_t on, devices built_for = {})
        : device_scope(tensors) {
        found_ = device_scope::result();
        if (found_.ok()) found_ = find_site(*this, on, built_for);
    }
    bool ok() const { return found_.ok(); }
    const status& result() const { return found_; }

private:
    status found_;
};

// ---- choice ------------------------------------------------------------------------------------

constexpr int max_candidates = 64;

// Whether all of them do.
inline bool all_hold(std::initializer_list<condition> list) {
    for (const condition& c : list) {
        if (!c.holds) return false;
    }
    return true;
}

// Numbers of the kernels that a call may choose among.
struct candidates {
    uint64_t mask = 0;

    constexpr candidates(std::initializer_list<int> numbers) {
        for (const int number : numbers) mask |= uint64_t{1} << number;
    }
    static constexpr candidates all() {
        candidates every{};
        every.mask = ~uint64_t{0};
        return every;
    }
    constexpr bool has(int number) const { return (mask >> number & 1) != 0; }
};

// Which of a launcher's kernels runs: among those whose conditions hold, a general variant only if
// no other applies, and otherwise the cheapest by the estimate; the first of equals.
class selection {
public:
    explicit selection(const arguments& call, candidates offered = candidates::all())
        : function_(call.function()), offered_(offered) {}

    // Begins the next kernel; the following calls describe it.
    void candidate(bool general = false) {
        ++index_;
        general_ = general;
        suits_ = offered_.has(index_);
    }
    // Conditions that only rule out this kernel; another does without them.
    void prefer(std::initializer_list<condition> list) {
        for (const condition& c : list) suits_ = suits_ && c.holds;
    }
    // Conditions of this kernel; the message of the first is returned if no kernel applies.
    void require(std::initializer_list<condition> list) {
        for (const condition& c : list) {
            if (suits_ && !c.holds && refusal_.ok()) refusal_ = c.refusal(function_, c);
            suits_ = suits_ && c.holds;
        }
    }
    // Ends the kernel, which is never compared with another: one of the two is general.
    void offer() { offer(1, 1); }
    // Ends the kernel: it would run this many programs with that many cycles each.
    void offer(int64_t programs, int64_t cycles) {
        if (suits_) offers_[count_++] = {index_, general_, programs, cycles};
    }
    // The same of a grid whose programs must be less than `end`.
    void offer(int64_t programs, int64_t cycles, int64_t end) {
        require({grid_fits(programs, end)});
        offer(programs, cycles);
    }

    bool ok() const { return count_ != 0; }  // a kernel suits
    const status& result() const { return refusal_; }

    // The number of the chosen kernel. A multiprocessor runs one program after another, and the
    // last wave takes as long as a full one.
    int best(const launch_site& site) const {
        const kernel_offer* best = nullptr;
        int64_t best_cost = 0;
        for (int i = 0; i < count_; ++i) {
            const kernel_offer& next = offers_[i];
            if (best != nullptr && next.general && !best->general) continue;
            const int64_t cost =
                multiply(ceil_div(next.programs, site.multiprocessors), next.cycles);
            const bool better =
                best == nullptr || (best->general && !next.general) || cost < best_cost;
            if (!better) continue;
            best = &next;
            best_cost = cost;
        }
        return best->number;
    }

private:
    struct kernel_offer {
        int number;
        bool general;
        int64_t programs, cycles;
    };

    const char* function_;
    candidates offered_;
    int index_ = -1;
    bool general_ = false, suits_ = false;
    int count_ = 0;
    kernel_offer offers_[max_candidates];
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

inline CUtensorMapDataType map_type(const dtype& type, bool tf32) {
    if (tf32) return CU_TENSOR_MAP_DATA_TYPE_TFLOAT32;
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

// The map of a tensor for boxes with these extents, one per axis, the last one swizzled over `span`
// bytes. Alignment and strides are conditions that the launcher has checked. An empty tensor gets a
// map of one element in spare memory: loads read zeros there, and stores are ignored. `tf32`: loads
// of f32 round to it.
inline status encode(CUtensorMap& map, const tensor& t, std::initializer_list<int> box, int span,
                     bool tf32 = false, int view_axis = -1) {
    tensor_view view{t.name, t.data<void>(), t.rank, {}, {}};
    for (int axis = 0; axis < t.rank; ++axis) {
        view.extent[axis] = t.shape[axis];
        view.stride[axis] = t.stride[axis];
    }
    void* spare = nullptr;
    if (t.empty) TK_RETURN_IF_FAILED(detail::spare_address(t.mode, spare));
    int extents[5] = {};
    std::copy(box.begin(), box.end(), extents);
    if (view_axis >= 0)
        TK_RETURN_IF_FAILED(end_in_views(view, extents, view_axis, t.type.bits / 8, t.empty));
    return encode_tensor_map(map, detail::map_type(t.type, tf32), t.type.bits / 8, view, extents,
                             span, spare);
}

inline constexpr bool rounds_to_tf32 = true;

// The same as an argument of a kernel: the launch encodes it.
struct box {
    const tensor& of;
    std::initializer_list<int> extents;
    int span;
    bool tf32 = false;
    int view_axis = -1;  // -1: not of views
};

// A map whose boxes can end anywhere along an axis, where a view of the tensor ends (end_in_views).
// An empty tensor has one like any other: all coordinates are outside it.
inline box of_views(box map, int axis) {
    map.view_axis = axis;
    return map;
}

// ---- memory ------------------------------------------------------------------------------------

// Sets every element of a dense tensor to zero, on the stream.
inline status clear(const tensor& t, const launch_site& site) {
    if (t.empty) return {};
    return check_cuda(cudaMemsetAsync(reinterpret_cast<void*>(t.first), 0,
                                      static_cast<size_t>(t.past - t.first), site.stream),
                      "clearing the accumulator");
}

// The memory that the caller provides for counters exists.
inline status check_workspace(const void* workspace, size_t given, int64_t needed) {
    if (needed == 0) return {};
    if (workspace == nullptr)
        return failure(status_workspace, "the workspace is missing: it must have %lld bytes",
                       static_cast<long long>(needed));
    if (given < static_cast<size_t>(needed))
        return failure(status_workspace, "the workspace has %llu bytes and must have %lld",
                       static_cast<unsigned long long>(given), static_cast<long long>(needed));
    if (reinterpret_cast<uintptr_t>(workspace) % 4 != 0)
        return failure(status_workspace, "the workspace must begin at a multiple of 4 bytes");
    return {};
}

// Counters begin at 0.
inline status clear_counters(void* workspace, int64_t bytes, const launch_site& site) {
    if (bytes == 0) return {};
    return check_cuda(cudaMemsetAsync(workspace, 0, static_cast<size_t>(bytes), site.stream),
                      "clearing the counters");
}

// ---- launch ------------------------------------------------------------------------------------

namespace detail {

// An argument as the kernel's head says it.
template <class Parameter, class Value>
Parameter parameter(const Value& value, status&) {
    return static_cast<Parameter>(value);
}
template <class Parameter>
Parameter parameter(const box& map, status& result) {
    Parameter encoded{};
    if (result.ok())
        result = encode(encoded, map.of, map.extents, map.span, map.tf32, map.view_axis);
    return encoded;
}

// How many blocks that many programs need: for a persistent kernel, no more than run at once.
inline status blocks_for(kernel_handle& kernel, const launch_site& site, int64_t programs,
                         int64_t& blocks) {
    blocks = programs * kernel.shape.blocks_of_program;
    if (kernel.shape.persistent == 0) return {};
    int resident = 0;
    TK_RETURN_IF_FAILED(resident_blocks(kernel, site.device, kernel.shape.threads, resident));
    if (kernel.shape.cluster == 1) resident *= kernel.shape.persistent;
    blocks = min_of(blocks, resident);
    return {};
}

}  // namespace detail

// Launches a kernel on that many programs; 0 launches nothing.
template <class... Parameters, class... Values>
status launch_kernel(kernel_handle& kernel, void (*)(Parameters...), const launch_site& site,
                     int64_t programs, const Values&... values) {
    if (programs == 0) return {};
    int64_t blocks = 0;
    TK_RETURN_IF_FAILED(detail::blocks_for(kernel, site, programs, blocks));
    status result;
    std::tuple<Parameters...> arguments{detail::parameter<Parameters>(values, result)...};
    if (!result.ok()) return result;
    return std::apply(
        [&](auto&... each) {
            void* pointers[] = {&each..., nullptr};
            return launch(kernel, site.device, dim3(static_cast<unsigned>(blocks)),
                          kernel.shape.threads, site.stream, pointers);
        },
        arguments);
}

namespace {
// The same with its own handle, which no other library shares.
template <auto Kernel, class... Values>
status run(const launch_site& site, size_t shared_bytes, kernel_shape shape, int64_t programs,
           const Values&... values) {
    static kernel_handle kernel = handle_of(Kernel, shared_bytes, shape);
    return launch_kernel(kernel, Kernel, site, programs, values...);
}
// The one of this number.
template <auto... Kernels, class... Values>
status run_one_of(int number, const launch_site& site, size_t shared_bytes, kernel_shape shape,
                  int64_t programs, const Values&... values) {
    status result;
    int next = 0;
    const auto launch = [&](auto run_it) {
        if (next++ == number) result = run_it(site, shared_bytes, shape, programs, values...);
    };
    (launch(run<Kernels, Values...>), ...);
    return result;
}
}  // namespace

}  // namespace tk

#define TK_ERROR(NAME) \
    const char* NAME##_error() { return tk::last_message; }

// The further functions of a launcher that needs no workspace.
#define TK_NO_WORKSPACE(NAME, ...)                     \
    size_t NAME##_workspace(__VA_ARGS__) { return 0; } \
    const char* NAME##_error() { return tk::last_message; }
