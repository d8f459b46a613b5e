// Made by tkc from argmax.tk: change that, and not this.

#include <cuda.h>

#include "tk/host/tensor_argument.h"
#include "tk/operations/argmax.cuh"
#include "tk/operations/cells.cuh"
#include "tk/tk.cuh"

// argmax_rows: kernel argmax_rows of argmax.tk with BV = 4096.
//
// Roles:
//   argmax_rows  4 warps (warps 0 to 3), 80 registers a thread
// 128 threads a block, launched with 80 registers each.
//
// Shared memory, 2048 bytes:
//    offset   bytes  what
//         0      32  1 x i32[1, 8], what the warps of argmax_rows found in rows or columns
//      1024      16  1 x f32[1, 4], what the warps of argmax_rows made of rows
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct argmax_rows_shared {
    tk::shared_tile<int, 1, 8> argmax_rows_places[1];
    unsigned char unused[896];
    tk::shared_tile<float, 1, 4> argmax_rows_f32_parts[1];
};
static_assert(offsetof(argmax_rows_shared, argmax_rows_places) == 0);
static_assert(offsetof(argmax_rows_shared, argmax_rows_f32_parts) == 1024);

__global__ void __launch_bounds__(128, 6) argmax_rows_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<int, 1> Index, int R,
    int V) {
    extern __shared__ __align__(1024) unsigned char memory[];
    argmax_rows_shared& shared = *reinterpret_cast<argmax_rows_shared*>(memory);

    // argmax.tk:2: kernel argmax_rows<BV: int = 4096>(X: bf16[R, V], out Index: i32[R])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program;

    // argmax.tk:6: var best: f32[1, 1] = -inf;
    tk::stripe<float, 1, 1, 128, 128, 8> best;
    tk::fill(best, -INFINITY);

    // argmax.tk:7: var who:  i32[1, 1] = 0;
    tk::stripe<int, 1, 1, 128, 128, 8> who;
    tk::map(who, thread, [](int, int) { return 0; });

    // argmax.tk:8: for v in V by BV {
    for (int v = 0; v < V; v += 4096) {
        // argmax.tk:9: let x     = pad(f32(load(X[r, v])), axis = 1, with = -inf);
        tk::stripe<tk::bf16, 1, 4096, 128, 128, 8> t0;
        const tk::vector_tile<const tk::bf16> X_tile{tk::address(X, r, v), X.stride[0], 1, R - r,
                                                     V - v};
        tk::load_vectors(t0, X_tile, thread);
        tk::stripe<float, 1, 4096, 128, 128, 8> x;
        tk::map(x, thread, [&](int, int col, tk::bf16 t0) {
            return col < V - v ? float(t0) : -INFINITY;
        }, t0);

        // argmax.tk:10: let value = max(x, axis = 1);
        tk::stripe<float, 1, 1, 128, 128, 8> value;
        tk::fold_rows(value, x, tk::maximum{}, thread);
        tk::finish_rows(value, tk::maximum{}, shared.argmax_rows_f32_parts[0], thread, 1);

        // argmax.tk:11: who  = where(value > best, v.start + argmax(x, axis = 1), who);
        tk::stripe<int, 1, 1, 128, 128, 8> t2;
        tk::locate_in_rows(t2, x, tk::maximum{}, shared.argmax_rows_places[0], thread, 1);
        tk::map(who, thread, [&](int, int, float value, float best, int t2, int who) {
            return value > best ? v + t2 : who;
        }, value, best, t2, who);

        // argmax.tk:12: best = max(best, value);
        tk::map(best, thread, [](int, int, float best, float value) {
            return tk::max(best, value);
        }, best, value);
    }

    // argmax.tk:14: store(Index[r], who);
    const tk::global_tile<int> Index_tile{tk::address(Index, r), 0, Index.stride[0], 1, R - r};
    tk::store_global(Index_tile, who, thread);
}

// argmax_rows_general: kernel argmax_rows of argmax.tk with BV = 4096, for tensors of any strides
// and alignment.
//
// Roles:
//   argmax_rows  4 warps (warps 0 to 3), 255 registers a thread
// 128 threads a block, launched with 255 registers each.
//
// Shared memory, 2048 bytes:
//    offset   bytes  what
//         0      32  1 x i32[1, 8], what the warps of argmax_rows found in rows or columns
//      1024      16  1 x f32[1, 4], what the warps of argmax_rows made of rows
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct argmax_rows_general_shared {
    tk::shared_tile<int, 1, 8> argmax_rows_places[1];
    unsigned char unused[896];
    tk::shared_tile<float, 1, 4> argmax_rows_f32_parts[1];
};
static_assert(offsetof(argmax_rows_general_shared, argmax_rows_places) == 0);
static_assert(offsetof(argmax_rows_general_shared, argmax_rows_f32_parts) == 1024);

__global__ void __launch_bounds__(128, 1) argmax_rows_general_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<int, 1> Index, int R,
    int V) {
    extern __shared__ __align__(1024) unsigned char memory[];
    argmax_rows_general_shared& shared = *reinterpret_cast<argmax_rows_general_shared*>(memory);

    // argmax.tk:2: kernel argmax_rows<BV: int = 4096>(X: bf16[R, V], out Index: i32[R])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program;

    // argmax.tk:6: var best: f32[1, 1] = -inf;
    tk::stripe<float, 1, 1, 128, 128, 2> best;
    tk::fill(best, -INFINITY);

    // argmax.tk:7: var who:  i32[1, 1] = 0;
    tk::stripe<int, 1, 1, 128, 128, 2> who;
    tk::map(who, thread, [](int, int) { return 0; });

    // argmax.tk:8: for v in V by BV {
    for (int v = 0; v < V; v += 4096) {
        // argmax.tk:9: let x     = pad(f32(load(X[r, v])), axis = 1, with = -inf);
        tk::stripe<tk::bf16, 1, 4096, 128, 128, 2> t0;
        const tk::global_tile<const tk::bf16> X_tile{tk::address(X, r, v), X.stride[0], X.stride[1],
                                                     R - r, V - v};
        tk::load_global(t0, X_tile, thread);
        tk::stripe<float, 1, 4096, 128, 128, 2> x;
        tk::map(x, thread, [&](int, int col, tk::bf16 t0) {
            return col < V - v ? float(t0) : -INFINITY;
        }, t0);

        // argmax.tk:10: let value = max(x, axis = 1);
        tk::stripe<float, 1, 1, 128, 128, 2> value;
        tk::fold_rows(value, x, tk::maximum{}, thread);
        tk::finish_rows(value, tk::maximum{}, shared.argmax_rows_f32_parts[0], thread, 1);

        // argmax.tk:11: who  = where(value > best, v.start + argmax(x, axis = 1), who);
        tk::stripe<int, 1, 1, 128, 128, 2> t2;
        tk::locate_in_rows(t2, x, tk::maximum{}, shared.argmax_rows_places[0], thread, 1);
        tk::map(who, thread, [&](int, int, float value, float best, int t2, int who) {
            return value > best ? v + t2 : who;
        }, value, best, t2, who);

        // argmax.tk:12: best = max(best, value);
        tk::map(best, thread, [](int, int, float best, float value) {
            return tk::max(best, value);
        }, best, value);
    }

    // argmax.tk:14: store(Index[r], who);
    const tk::global_tile<int> Index_tile{tk::address(Index, r), 0, Index.stride[0], 1, R - r};
    tk::store_global(Index_tile, who, thread);
}

#include "tk/host/launcher.h"

namespace {
// argmax_rows: BV = 4096
tk::status launch_argmax_rows(const tk::launch_site& site, const tk::tensor& X,
                              const tk::tensor& Index, int64_t R, int64_t V) {
    const int64_t programs = R;
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&argmax_rows_kernel),
                                    static_cast<int>(sizeof(argmax_rows_shared)), {}, {}};
    return tk::launch_kernel(kernel, argmax_rows_kernel, site, programs, 128,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<int, 1>(Index),
                             static_cast<int>(R), static_cast<int>(V));
}

// argmax_rows_general: BV = 4096
tk::status launch_argmax_rows_general(const tk::launch_site& site, const tk::tensor& X,
                                      const tk::tensor& Index, int64_t R, int64_t V) {
    const int64_t programs = R;
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&argmax_rows_general_kernel),
                                    static_cast<int>(sizeof(argmax_rows_general_shared)), {}, {}};
    return tk::launch_kernel(kernel, argmax_rows_general_kernel, site, programs, 128,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<int, 1>(Index),
                             static_cast<int>(R), static_cast<int>(V));
}

tk::status run_argmax_rows(const DLTensor* X_given, DLTensor* Index_given, cudaStream_t stream) {
    tk::arguments call{"argmax_rows"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Index = call.take("Index", Index_given, tk::dtype_i32, 1, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t R = X.shape[0];
    const int64_t V = X.shape[1];

    call.require(Index.shape[0] == R, "`R` is {} in axis 0 of `X`, but {} in axis 0 of `Index`",
                 {R, Index.shape[0]});
    call.require(R < 2147221504, "`R` is {}; extents must be less than 2147221504", {R});
    call.require(V < 2147221504, "`V` is {}; extents must be less than 2147221504", {V});
    call.require(V > 0, "`argmax_rows` requires `V > 0`");
    if (!call.ok()) return call.result();

    const tk::device_scope device{call.device()};
    TK_RETURN_IF_FAILED(device.result());
    tk::launch_site site;
    TK_RETURN_IF_FAILED(tk::find_site(site, stream));

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call.function(), site};
    choice.candidate();  // argmax_rows
    choice.prefer(X.stride[1] == 1);
    choice.prefer(X.address % 16 == 0);
    choice.prefer(X.stride[0] % 8 == 0 && 0 < X.stride[0] && X.stride[0] < 549755813888);
    choice.prefer(V % 8 == 0);
    choice.offer(R, 1501 + 769 * tk::ceil_div(V, 4096));
    choice.candidate(true);  // argmax_rows_general
    choice.offer(R, 1501 + 769 * tk::ceil_div(V, 4096));
    if (choice.best() == 0) return launch_argmax_rows(site, X, Index, R, V);
    if (choice.best() == 1) return launch_argmax_rows_general(site, X, Index, R, V);
    return choice.result();
}

}  // namespace

extern "C" {
int argmax_rows(const DLTensor* X_given, DLTensor* Index_given, void*, size_t,
                cudaStream_t stream) {
    return tk::finish(run_argmax_rows(X_given, Index_given, stream));
}

size_t argmax_rows_workspace(const DLTensor*, DLTensor*) {
    return 0;
}

const char* argmax_rows_error() {
    return tk::last_sentence;
}
}  // extern "C"
