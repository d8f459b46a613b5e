// Made by tkc from residual_in_place.tk: change that, and not this.

#include <cuda.h>

#include "tk/host/tensor_argument.h"
#include "tk/operations/cells.cuh"
#include "tk/tk.cuh"

// add_in_place: kernel add_in_place of residual_in_place.tk with BN = 2048, ROWS = 4.
//
// Roles:
//   add_in_place 8 warps (warps 0 to 7), 80 registers a thread
// 256 threads a block, launched with 80 registers each.
//
// Shared memory, 0 bytes:
//    offset   bytes  what
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct add_in_place_shared {
};

__global__ void __launch_bounds__(256, 3) add_in_place_kernel(
    const tk::tensor_argument<tk::bf16, 2> X, const tk::tensor_argument<const tk::bf16, 2> Y, int M,
    int N, float alpha) {
    const int n_tiles = tk::tiles(N, 2048);

    // residual_in_place.tk:4: kernel add_in_place<BN: int = 2048, ROWS: int = 4>(inout X: bf16[M,
    // N], Y: bf16[M, N], alpha: f32)
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 2048;
    const int m = program / n_tiles * 4;

    // residual_in_place.tk:7: store(X[m, n], bf16(f32(load(X[m, n])) + alpha * load(Y[m, n])));
    tk::stripe<tk::bf16, 4, 2048, 256, 64, 8> t0;
    const tk::vector_tile<const tk::bf16> X_tile{tk::address(X, m, n), X.stride[0], 1, M - m,
                                                 N - n};
    tk::load_vectors_in_order(t0, X_tile, thread);
    tk::stripe<tk::bf16, 4, 2048, 256, 64, 8> t1;
    const tk::vector_tile<const tk::bf16> Y_tile{tk::address(Y, m, n), Y.stride[0], 1, M - m,
                                                 N - n};
    tk::load_vectors(t1, Y_tile, thread);
    tk::stripe<tk::bf16, 4, 2048, 256, 64, 8> t2;
    tk::map(t2, thread, [&](int, int, tk::bf16 t0, tk::bf16 t1) {
        return tk::fma(alpha, float(t1), float(t0));
    }, t0, t1);
    const tk::vector_tile<tk::bf16> X_tile_2{tk::address(X, m, n), X.stride[0], 1, M - m, N - n};
    tk::store_vectors(X_tile_2, t2, thread);
}

// add_in_place_general: kernel add_in_place of residual_in_place.tk with BN = 2048, ROWS = 4, for
// tensors of any strides and alignment.
//
// Roles:
//   add_in_place 8 warps (warps 0 to 7), 255 registers a thread
// 256 threads a block, launched with 255 registers each.
//
// Shared memory, 0 bytes:
//    offset   bytes  what
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct add_in_place_general_shared {
};

__global__ void __launch_bounds__(256, 1) add_in_place_general_kernel(
    const tk::tensor_argument<tk::bf16, 2> X, const tk::tensor_argument<const tk::bf16, 2> Y, int M,
    int N, float alpha) {
    const int n_tiles = tk::tiles(N, 2048);

    // residual_in_place.tk:4: kernel add_in_place<BN: int = 2048, ROWS: int = 4>(inout X: bf16[M,
    // N], Y: bf16[M, N], alpha: f32)
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 2048;
    const int m = program / n_tiles * 4;

    // residual_in_place.tk:7: store(X[m, n], bf16(f32(load(X[m, n])) + alpha * load(Y[m, n])));
    tk::stripe<tk::bf16, 4, 2048, 256, 64, 2> t0;
    const tk::global_tile<const tk::bf16> X_tile{tk::address(X, m, n), X.stride[0], X.stride[1],
                                                 M - m, N - n};
    tk::load_global(t0, X_tile, thread);
    tk::stripe<tk::bf16, 4, 2048, 256, 64, 2> t1;
    const tk::global_tile<const tk::bf16> Y_tile{tk::address(Y, m, n), Y.stride[0], Y.stride[1],
                                                 M - m, N - n};
    tk::load_global(t1, Y_tile, thread);
    tk::stripe<tk::bf16, 4, 2048, 256, 64, 2> t2;
    tk::map(t2, thread, [&](int, int, tk::bf16 t0, tk::bf16 t1) {
        return tk::fma(alpha, float(t1), float(t0));
    }, t0, t1);
    const tk::global_tile<tk::bf16> X_tile_2{tk::address(X, m, n), X.stride[0], X.stride[1], M - m,
                                             N - n};
    tk::store_global(X_tile_2, t2, thread);
}

// rmsnorm_in_place: kernel rmsnorm_in_place of residual_in_place.tk with C = 4096, ROWS = 2.
//
// Roles:
//   rmsnorm_in_place 8 warps (warps 0 to 7), 64 registers a thread
// 256 threads a block, launched with 64 registers each.
//
// Shared memory, 1024 bytes:
//    offset   bytes  what
//         0      32  1 x f32[1, 8], what the warps of rmsnorm_in_place made of rows
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct rmsnorm_in_place_shared {
    tk::shared_tile<float, 1, 8> rmsnorm_in_place_f32_parts[1];
};
static_assert(offsetof(rmsnorm_in_place_shared, rmsnorm_in_place_f32_parts) == 0);

__global__ void __launch_bounds__(256, 4) rmsnorm_in_place_kernel(
    const tk::tensor_argument<tk::bf16, 2> X, const tk::tensor_argument<const tk::bf16, 1> W, int R,
    float eps) {
    extern __shared__ __align__(1024) unsigned char memory[];
    rmsnorm_in_place_shared& shared = *reinterpret_cast<rmsnorm_in_place_shared*>(memory);

    // residual_in_place.tk:10: kernel rmsnorm_in_place<C: int = 4096, ROWS: int = 2>(inout X:
    // bf16[R, C], W: bf16[C], eps: f32)
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 2;

    // residual_in_place.tk:13: let x  = f32(load(X[r, :]));
    tk::stripe<tk::bf16, 2, 4096, 256, 128, 8> t0;
    const tk::global_tile<const tk::bf16> X_tile{tk::address(X, r, 0), X.stride[0], 1, R - r, 4096};
    tk::load_vectors_in_order(t0, X_tile, thread);

    // residual_in_place.tk:14: let ms = sum(x * x, axis = 1) * (1.0 / C);
    tk::stripe<float, 2, 4096, 256, 128, 8> t1;
    tk::map(t1, thread, [](int, int, tk::bf16 t0) {
        const float x_2 = float(t0);
        return x_2 * x_2;
    }, t0);
    tk::stripe<float, 2, 1, 256, 128, 8> t2;
    tk::fold_rows(t2, t1, tk::plus{}, thread);
    tk::finish_rows(t2, tk::plus{}, shared.rmsnorm_in_place_f32_parts[0], thread, 1);
    tk::stripe<float, 2, 1, 256, 128, 8> ms;
    tk::map(ms, thread, [](int, int, float t2) { return t2 * tk::divide(1.0f, 4096.0f); }, t2);

    // residual_in_place.tk:15: store(X[r, :], bf16(x * rsqrt(ms + eps) * load(W[:])));
    tk::stripe<tk::bf16, 1, 4096, 256, 128, 8> t3;
    const tk::global_tile<const tk::bf16> W_tile{tk::address(W, 0), 0, 1, 1, 4096};
    tk::load_vectors(t3, W_tile, thread);
    tk::stripe<float, 2, 1, 256, 128, 8> t5;
    tk::map(t5, thread, [&](int, int, float ms) { return tk::rsqrt(ms + eps); }, ms);
    tk::stripe<tk::bf16, 2, 4096, 256, 128, 8> t4;
    tk::map(t4, thread, [](int, int, tk::bf16 t0, float t5, tk::bf16 t3) {
        return float(t0) * t5 * float(t3);
    }, t0, t5, t3);
    const tk::global_tile<tk::bf16> X_tile_2{tk::address(X, r, 0), X.stride[0], 1, R - r, 4096};
    tk::store_vectors(X_tile_2, t4, thread);
}

// rmsnorm_in_place_general: kernel rmsnorm_in_place of residual_in_place.tk with C = 4096, ROWS =
// 2, for tensors of any strides and alignment.
//
// Roles:
//   rmsnorm_in_place 8 warps (warps 0 to 7), 255 registers a thread
// 256 threads a block, launched with 255 registers each.
//
// Shared memory, 1024 bytes:
//    offset   bytes  what
//         0      32  1 x f32[1, 8], what the warps of rmsnorm_in_place made of rows
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct rmsnorm_in_place_general_shared {
    tk::shared_tile<float, 1, 8> rmsnorm_in_place_f32_parts[1];
};
static_assert(offsetof(rmsnorm_in_place_general_shared, rmsnorm_in_place_f32_parts) == 0);

__global__ void __launch_bounds__(256, 1) rmsnorm_in_place_general_kernel(
    const tk::tensor_argument<tk::bf16, 2> X, const tk::tensor_argument<const tk::bf16, 1> W, int R,
    float eps) {
    extern __shared__ __align__(1024) unsigned char memory[];
    rmsnorm_in_place_general_shared& shared =
        *reinterpret_cast<rmsnorm_in_place_general_shared*>(memory);

    // residual_in_place.tk:10: kernel rmsnorm_in_place<C: int = 4096, ROWS: int = 2>(inout X:
    // bf16[R, C], W: bf16[C], eps: f32)
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 2;

    // residual_in_place.tk:13: let x  = f32(load(X[r, :]));
    tk::stripe<tk::bf16, 2, 4096, 256, 128, 2> t0;
    const tk::global_tile<const tk::bf16> X_tile{tk::address(X, r, 0), X.stride[0], X.stride[1],
                                                 R - r, 4096};
    tk::load_global(t0, X_tile, thread);

    // residual_in_place.tk:14: let ms = sum(x * x, axis = 1) * (1.0 / C);
    tk::stripe<float, 2, 4096, 256, 128, 2> t1;
    tk::map(t1, thread, [](int, int, tk::bf16 t0) {
        const float x_2 = float(t0);
        return x_2 * x_2;
    }, t0);
    tk::stripe<float, 2, 1, 256, 128, 2> t2;
    tk::fold_rows(t2, t1, tk::plus{}, thread);
    tk::finish_rows(t2, tk::plus{}, shared.rmsnorm_in_place_f32_parts[0], thread, 1);
    tk::stripe<float, 2, 1, 256, 128, 2> ms;
    tk::map(ms, thread, [](int, int, float t2) { return t2 * tk::divide(1.0f, 4096.0f); }, t2);

    // residual_in_place.tk:15: store(X[r, :], bf16(x * rsqrt(ms + eps) * load(W[:])));
    tk::stripe<tk::bf16, 1, 4096, 256, 128, 2> t3;
    const tk::global_tile<const tk::bf16> W_tile{tk::address(W, 0), 0, W.stride[0], 1, 4096};
    tk::load_global(t3, W_tile, thread);
    tk::stripe<float, 2, 1, 256, 128, 2> t5;
    tk::map(t5, thread, [&](int, int, float ms) { return tk::rsqrt(ms + eps); }, ms);
    tk::stripe<tk::bf16, 2, 4096, 256, 128, 2> t4;
    tk::map(t4, thread, [](int, int, tk::bf16 t0, float t5, tk::bf16 t3) {
        return float(t0) * t5 * float(t3);
    }, t0, t5, t3);
    const tk::global_tile<tk::bf16> X_tile_2{tk::address(X, r, 0), X.stride[0], X.stride[1], R - r,
                                             4096};
    tk::store_global(X_tile_2, t4, thread);
}

#include "tk/host/launcher.h"

namespace {
// add_in_place: BN = 2048, ROWS = 4
tk::status launch_add_in_place(const tk::launch_site& site, const tk::tensor& X,
                               const tk::tensor& Y, int64_t M, int64_t N, float alpha) {
    const int64_t programs = tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4));
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&add_in_place_kernel),
                                    static_cast<int>(sizeof(add_in_place_shared)), {}, {}};
    return tk::launch_kernel(kernel, add_in_place_kernel, site, programs, 256,
                             tk::cells<tk::bf16, 2>(X), tk::cells<const tk::bf16, 2>(Y),
                             static_cast<int>(M), static_cast<int>(N), alpha);
}

// add_in_place_general: BN = 2048, ROWS = 4
tk::status launch_add_in_place_general(const tk::launch_site& site, const tk::tensor& X,
                                       const tk::tensor& Y, int64_t M, int64_t N, float alpha) {
    const int64_t programs = tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4));
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&add_in_place_general_kernel),
                                    static_cast<int>(sizeof(add_in_place_general_shared)), {}, {}};
    return tk::launch_kernel(kernel, add_in_place_general_kernel, site, programs, 256,
                             tk::cells<tk::bf16, 2>(X), tk::cells<const tk::bf16, 2>(Y),
                             static_cast<int>(M), static_cast<int>(N), alpha);
}

tk::status run_add_in_place(DLTensor* X_given, const DLTensor* Y_given, float alpha,
                            cudaStream_t stream) {
    tk::arguments call{"add_in_place"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::read);
    if (!call.ok()) return call.result();
    const int64_t M = X.shape[0];
    const int64_t N = X.shape[1];

    call.require(Y.shape[0] == M, "`M` is {} in axis 0 of `X`, but {} in axis 0 of `Y`",
                 {M, Y.shape[0]});
    call.require(Y.shape[1] == N, "`N` is {} in axis 1 of `X`, but {} in axis 1 of `Y`",
                 {N, Y.shape[1]});
    call.require(M < 2147221504, "`M` is {}; extents must be less than 2147221504", {M});
    call.require(N < 2147221504, "`N` is {}; extents must be less than 2147221504", {N});
    call.require(tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4)) < 2147483648,
                 "the grid has {} programs; it must have less than 2147483648",
                 {tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4))});
    if (!call.ok()) return call.result();

    const tk::device_scope device{call.device()};
    TK_RETURN_IF_FAILED(device.result());
    tk::launch_site site;
    TK_RETURN_IF_FAILED(tk::find_site(site, stream));

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call.function(), site};
    choice.candidate();  // add_in_place
    choice.prefer(X.stride[1] == 1);
    choice.prefer(X.address % 16 == 0);
    choice.prefer(X.stride[0] % 8 == 0 && 0 < X.stride[0] && X.stride[0] < 549755813888);
    choice.prefer(N % 8 == 0);
    choice.prefer(Y.stride[1] == 1);
    choice.prefer(Y.address % 16 == 0);
    choice.prefer(Y.stride[0] % 8 == 0 && 0 < Y.stride[0] && Y.stride[0] < 549755813888);
    choice.offer(tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4)), 4828);
    choice.candidate(true);  // add_in_place_general
    choice.offer(tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4)), 4828);
    if (choice.best() == 0) return launch_add_in_place(site, X, Y, M, N, alpha);
    if (choice.best() == 1) return launch_add_in_place_general(site, X, Y, M, N, alpha);
    return choice.result();
}

// rmsnorm_in_place: C = 4096, ROWS = 2
tk::status launch_rmsnorm_in_place(const tk::launch_site& site, const tk::tensor& X,
                                   const tk::tensor& W, int64_t R, float eps) {
    const int64_t programs = tk::ceil_div(R, 2);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&rmsnorm_in_place_kernel),
                                    static_cast<int>(sizeof(rmsnorm_in_place_shared)), {}, {}};
    return tk::launch_kernel(kernel, rmsnorm_in_place_kernel, site, programs, 256,
                             tk::cells<tk::bf16, 2>(X), tk::cells<const tk::bf16, 1>(W),
                             static_cast<int>(R), eps);
}

// rmsnorm_in_place_general: C = 4096, ROWS = 2
tk::status launch_rmsnorm_in_place_general(const tk::launch_site& site, const tk::tensor& X,
                                           const tk::tensor& W, int64_t R, float eps) {
    const int64_t programs = tk::ceil_div(R, 2);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&rmsnorm_in_place_general_kernel),
                                    static_cast<int>(sizeof(rmsnorm_in_place_general_shared)), {},
                                    {}};
    return tk::launch_kernel(kernel, rmsnorm_in_place_general_kernel, site, programs, 256,
                             tk::cells<tk::bf16, 2>(X), tk::cells<const tk::bf16, 1>(W),
                             static_cast<int>(R), eps);
}

tk::status run_rmsnorm_in_place(DLTensor* X_given, const DLTensor* W_given, float eps,
                                cudaStream_t stream) {
    tk::arguments call{"rmsnorm_in_place"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor W = call.take("W", W_given, tk::dtype_bf16, 1, tk::access::read);
    if (!call.ok()) return call.result();
    const int64_t R = X.shape[0];

    call.require(X.shape[1] == 4096, "axis 1 of `X` is {}; this kernel is made for 4096",
                 {X.shape[1]});
    call.require(W.shape[0] == 4096, "axis 0 of `W` is {}; this kernel is made for 4096",
                 {W.shape[0]});
    call.require(R < 2147221504, "`R` is {}; extents must be less than 2147221504", {R});
    if (!call.ok()) return call.result();

    const tk::device_scope device{call.device()};
    TK_RETURN_IF_FAILED(device.result());
    tk::launch_site site;
    TK_RETURN_IF_FAILED(tk::find_site(site, stream));

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call.function(), site};
    choice.candidate();  // rmsnorm_in_place
    choice.prefer(X.stride[1] == 1);
    choice.prefer(X.address % 16 == 0);
    choice.prefer(X.stride[0] % 8 == 0 && 0 < X.stride[0] && X.stride[0] < 549755813888);
    choice.prefer(W.stride[0] == 1);
    choice.prefer(W.address % 16 == 0);
    choice.offer(tk::ceil_div(R, 2), 4637);
    choice.candidate(true);  // rmsnorm_in_place_general
    choice.offer(tk::ceil_div(R, 2), 4637);
    if (choice.best() == 0) return launch_rmsnorm_in_place(site, X, W, R, eps);
    if (choice.best() == 1) return launch_rmsnorm_in_place_general(site, X, W, R, eps);
    return choice.result();
}

}  // namespace

extern "C" {
int add_in_place(DLTensor* X_given, const DLTensor* Y_given, float alpha, void*, size_t,
                 cudaStream_t stream) {
    return tk::finish(run_add_in_place(X_given, Y_given, alpha, stream));
}

size_t add_in_place_workspace(DLTensor*, const DLTensor*, float) {
    return 0;
}

const char* add_in_place_error() {
    return tk::last_sentence;
}

int rmsnorm_in_place(DLTensor* X_given, const DLTensor* W_given, float eps, void*, size_t,
                     cudaStream_t stream) {
    return tk::finish(run_rmsnorm_in_place(X_given, W_given, eps, stream));
}

size_t rmsnorm_in_place_workspace(DLTensor*, const DLTensor*, float) {
    return 0;
}

const char* rmsnorm_in_place_error() {
    return tk::last_sentence;
}
}  // extern "C"
