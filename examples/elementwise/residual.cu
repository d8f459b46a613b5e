// Made by tkc from residual.tk: change that, and not this.

#include <cuda.h>

#include "tk/host/tensor_argument.h"
#include "tk/operations/cells.cuh"
#include "tk/tk.cuh"

// bias: kernel bias of residual.tk with BN = 2048, ROWS = 4.
//
// Roles:
//   bias         8 warps (warps 0 to 7), 80 registers a thread
// 256 threads a block, launched with 80 registers each.
//
// Shared memory, 0 bytes:
//    offset   bytes  what
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct bias_shared {
};

__global__ void __launch_bounds__(256, 3) bias_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X,
    const tk::tensor_argument<const tk::bf16, 1> Bias, const tk::tensor_argument<tk::bf16, 2> Y,
    int M, int N) {
    const int n_tiles = tk::tiles(N, 2048);

    // residual.tk:5: kernel bias<BN: int = 2048, ROWS: int = 4>(X: bf16[M, N], Bias: bf16[N], out
    // Y: bf16[M, N])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 2048;
    const int m = program / n_tiles * 4;

    // residual.tk:8: store(Y[m, n], bf16(f32(load(X[m, n])) + load(Bias[n])));
    tk::stripe<tk::bf16, 4, 2048, 256, 64, 8> t0;
    const tk::vector_tile<const tk::bf16> X_tile{tk::address(X, m, n), X.stride[0], 1, M - m,
                                                 N - n};
    tk::load_vectors(t0, X_tile, thread);
    tk::stripe<tk::bf16, 1, 2048, 256, 64, 8> t1;
    const tk::vector_tile<const tk::bf16> Bias_tile{tk::address(Bias, n), 0, 1, 1, N - n};
    tk::load_vectors(t1, Bias_tile, thread);
    tk::stripe<tk::bf16, 4, 2048, 256, 64, 8> t2;
    tk::map(t2, thread, [](int, int, tk::bf16 t0, tk::bf16 t1) {
        return float(t0) + float(t1);
    }, t0, t1);
    const tk::vector_tile<tk::bf16> Y_tile{tk::address(Y, m, n), Y.stride[0], 1, M - m, N - n};
    tk::store_vectors(Y_tile, t2, thread);
}

// bias_general: kernel bias of residual.tk with BN = 2048, ROWS = 4, for tensors of any strides and
// alignment.
//
// Roles:
//   bias         8 warps (warps 0 to 7), 255 registers a thread
// 256 threads a block, launched with 255 registers each.
//
// Shared memory, 0 bytes:
//    offset   bytes  what
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct bias_general_shared {
};

__global__ void __launch_bounds__(256, 1) bias_general_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X,
    const tk::tensor_argument<const tk::bf16, 1> Bias, const tk::tensor_argument<tk::bf16, 2> Y,
    int M, int N) {
    const int n_tiles = tk::tiles(N, 2048);

    // residual.tk:5: kernel bias<BN: int = 2048, ROWS: int = 4>(X: bf16[M, N], Bias: bf16[N], out
    // Y: bf16[M, N])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 2048;
    const int m = program / n_tiles * 4;

    // residual.tk:8: store(Y[m, n], bf16(f32(load(X[m, n])) + load(Bias[n])));
    tk::stripe<tk::bf16, 4, 2048, 256, 64, 2> t0;
    const tk::global_tile<const tk::bf16> X_tile{tk::address(X, m, n), X.stride[0], X.stride[1],
                                                 M - m, N - n};
    tk::load_global(t0, X_tile, thread);
    tk::stripe<tk::bf16, 1, 2048, 256, 64, 2> t1;
    const tk::global_tile<const tk::bf16> Bias_tile{tk::address(Bias, n), 0, Bias.stride[0], 1,
                                                    N - n};
    tk::load_global(t1, Bias_tile, thread);
    tk::stripe<tk::bf16, 4, 2048, 256, 64, 2> t2;
    tk::map(t2, thread, [](int, int, tk::bf16 t0, tk::bf16 t1) {
        return float(t0) + float(t1);
    }, t0, t1);
    const tk::global_tile<tk::bf16> Y_tile{tk::address(Y, m, n), Y.stride[0], Y.stride[1], M - m,
                                           N - n};
    tk::store_global(Y_tile, t2, thread);
}

// residual: kernel residual of residual.tk with BN = 2048, ROWS = 4.
//
// Roles:
//   residual     8 warps (warps 0 to 7), 80 registers a thread
// 256 threads a block, launched with 80 registers each.
//
// Shared memory, 0 bytes:
//    offset   bytes  what
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct residual_shared {
};

__global__ void __launch_bounds__(256, 3) residual_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X,
    const tk::tensor_argument<const tk::bf16, 2> Res, const tk::tensor_argument<tk::bf16, 2> Y,
    int M, int N, float alpha) {
    const int n_tiles = tk::tiles(N, 2048);

    // residual.tk:11: kernel residual<BN: int = 2048, ROWS: int = 4>(X: bf16[M, N], Res: bf16[M,
    // N], alpha: f32, out Y: bf16[M, N])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 2048;
    const int m = program / n_tiles * 4;

    // residual.tk:14: store(Y[m, n], bf16(f32(load(Res[m, n])) + alpha * load(X[m, n])));
    tk::stripe<tk::bf16, 4, 2048, 256, 64, 8> t0;
    const tk::vector_tile<const tk::bf16> Res_tile{tk::address(Res, m, n), Res.stride[0], 1, M - m,
                                                   N - n};
    tk::load_vectors(t0, Res_tile, thread);
    tk::stripe<tk::bf16, 4, 2048, 256, 64, 8> t1;
    const tk::vector_tile<const tk::bf16> X_tile{tk::address(X, m, n), X.stride[0], 1, M - m,
                                                 N - n};
    tk::load_vectors(t1, X_tile, thread);
    tk::stripe<tk::bf16, 4, 2048, 256, 64, 8> t2;
    tk::map(t2, thread, [&](int, int, tk::bf16 t0, tk::bf16 t1) {
        return tk::fma(alpha, float(t1), float(t0));
    }, t0, t1);
    const tk::vector_tile<tk::bf16> Y_tile{tk::address(Y, m, n), Y.stride[0], 1, M - m, N - n};
    tk::store_vectors(Y_tile, t2, thread);
}

// residual_general: kernel residual of residual.tk with BN = 2048, ROWS = 4, for tensors of any
// strides and alignment.
//
// Roles:
//   residual     8 warps (warps 0 to 7), 255 registers a thread
// 256 threads a block, launched with 255 registers each.
//
// Shared memory, 0 bytes:
//    offset   bytes  what
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct residual_general_shared {
};

__global__ void __launch_bounds__(256, 1) residual_general_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X,
    const tk::tensor_argument<const tk::bf16, 2> Res, const tk::tensor_argument<tk::bf16, 2> Y,
    int M, int N, float alpha) {
    const int n_tiles = tk::tiles(N, 2048);

    // residual.tk:11: kernel residual<BN: int = 2048, ROWS: int = 4>(X: bf16[M, N], Res: bf16[M,
    // N], alpha: f32, out Y: bf16[M, N])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 2048;
    const int m = program / n_tiles * 4;

    // residual.tk:14: store(Y[m, n], bf16(f32(load(Res[m, n])) + alpha * load(X[m, n])));
    tk::stripe<tk::bf16, 4, 2048, 256, 64, 2> t0;
    const tk::global_tile<const tk::bf16> Res_tile{tk::address(Res, m, n), Res.stride[0],
                                                   Res.stride[1], M - m, N - n};
    tk::load_global(t0, Res_tile, thread);
    tk::stripe<tk::bf16, 4, 2048, 256, 64, 2> t1;
    const tk::global_tile<const tk::bf16> X_tile{tk::address(X, m, n), X.stride[0], X.stride[1],
                                                 M - m, N - n};
    tk::load_global(t1, X_tile, thread);
    tk::stripe<tk::bf16, 4, 2048, 256, 64, 2> t2;
    tk::map(t2, thread, [&](int, int, tk::bf16 t0, tk::bf16 t1) {
        return tk::fma(alpha, float(t1), float(t0));
    }, t0, t1);
    const tk::global_tile<tk::bf16> Y_tile{tk::address(Y, m, n), Y.stride[0], Y.stride[1], M - m,
                                           N - n};
    tk::store_global(Y_tile, t2, thread);
}

// bias_gelu: kernel bias_gelu of residual.tk with BN = 2048, ROWS = 4.
//
// Roles:
//   bias_gelu    8 warps (warps 0 to 7), 80 registers a thread
// 256 threads a block, launched with 80 registers each.
//
// Shared memory, 0 bytes:
//    offset   bytes  what
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct bias_gelu_shared {
};

__global__ void __launch_bounds__(256, 3) bias_gelu_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X,
    const tk::tensor_argument<const tk::bf16, 1> Bias, const tk::tensor_argument<tk::bf16, 2> Y,
    int M, int N) {
    const int n_tiles = tk::tiles(N, 2048);

    // residual.tk:17: kernel bias_gelu<BN: int = 2048, ROWS: int = 4>(X: bf16[M, N], Bias: bf16[N],
    // out Y: bf16[M, N])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 2048;
    const int m = program / n_tiles * 4;

    // residual.tk:20: store(Y[m, n], bf16(activation.gelu(f32(load(X[m, n])) + load(Bias[n]))));
    tk::stripe<tk::bf16, 4, 2048, 256, 64, 8> t0;
    const tk::vector_tile<const tk::bf16> X_tile{tk::address(X, m, n), X.stride[0], 1, M - m,
                                                 N - n};
    tk::load_vectors(t0, X_tile, thread);
    tk::stripe<tk::bf16, 1, 2048, 256, 64, 8> t1;
    const tk::vector_tile<const tk::bf16> Bias_tile{tk::address(Bias, n), 0, 1, 1, N - n};
    tk::load_vectors(t1, Bias_tile, thread);
    tk::stripe<tk::bf16, 4, 2048, 256, 64, 8> t2;
    tk::map(t2, thread, [](int, int, tk::bf16 t0, tk::bf16 t1) {
        const float x = float(t0) + float(t1);
        return 0.5f * x * (1.0f + tk::tanh(0.7978846f * tk::fma(0.044715f * x * x, x, x)));
    }, t0, t1);
    const tk::vector_tile<tk::bf16> Y_tile{tk::address(Y, m, n), Y.stride[0], 1, M - m, N - n};
    tk::store_vectors(Y_tile, t2, thread);
}

// bias_gelu_general: kernel bias_gelu of residual.tk with BN = 2048, ROWS = 4, for tensors of any
// strides and alignment.
//
// Roles:
//   bias_gelu    8 warps (warps 0 to 7), 255 registers a thread
// 256 threads a block, launched with 255 registers each.
//
// Shared memory, 0 bytes:
//    offset   bytes  what
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct bias_gelu_general_shared {
};

__global__ void __launch_bounds__(256, 1) bias_gelu_general_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X,
    const tk::tensor_argument<const tk::bf16, 1> Bias, const tk::tensor_argument<tk::bf16, 2> Y,
    int M, int N) {
    const int n_tiles = tk::tiles(N, 2048);

    // residual.tk:17: kernel bias_gelu<BN: int = 2048, ROWS: int = 4>(X: bf16[M, N], Bias: bf16[N],
    // out Y: bf16[M, N])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 2048;
    const int m = program / n_tiles * 4;

    // residual.tk:20: store(Y[m, n], bf16(activation.gelu(f32(load(X[m, n])) + load(Bias[n]))));
    tk::stripe<tk::bf16, 4, 2048, 256, 64, 2> t0;
    const tk::global_tile<const tk::bf16> X_tile{tk::address(X, m, n), X.stride[0], X.stride[1],
                                                 M - m, N - n};
    tk::load_global(t0, X_tile, thread);
    tk::stripe<tk::bf16, 1, 2048, 256, 64, 2> t1;
    const tk::global_tile<const tk::bf16> Bias_tile{tk::address(Bias, n), 0, Bias.stride[0], 1,
                                                    N - n};
    tk::load_global(t1, Bias_tile, thread);
    tk::stripe<tk::bf16, 4, 2048, 256, 64, 2> t2;
    tk::map(t2, thread, [](int, int, tk::bf16 t0, tk::bf16 t1) {
        const float x = float(t0) + float(t1);
        return 0.5f * x * (1.0f + tk::tanh(0.7978846f * tk::fma(0.044715f * x * x, x, x)));
    }, t0, t1);
    const tk::global_tile<tk::bf16> Y_tile{tk::address(Y, m, n), Y.stride[0], Y.stride[1], M - m,
                                           N - n};
    tk::store_global(Y_tile, t2, thread);
}

// bias_residual: kernel bias_residual of residual.tk with BN = 2048, ROWS = 2.
//
// Roles:
//   bias_residual 8 warps (warps 0 to 7), 80 registers a thread
// 256 threads a block, launched with 80 registers each.
//
// Shared memory, 0 bytes:
//    offset   bytes  what
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct bias_residual_shared {
};

__global__ void __launch_bounds__(256, 3) bias_residual_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X,
    const tk::tensor_argument<const tk::bf16, 1> Bias,
    const tk::tensor_argument<const tk::bf16, 2> Res, const tk::tensor_argument<tk::bf16, 2> Y,
    int M, int N, float alpha) {
    const int n_tiles = tk::tiles(N, 2048);

    // residual.tk:23: kernel bias_residual<BN: int = 2048, ROWS: int = 2>(X: bf16[M, N], Bias:
    // bf16[N], Res: bf16[M, N], alpha: f32, out Y: bf16[M, N])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 2048;
    const int m = program / n_tiles * 2;

    // residual.tk:26: store(Y[m, n], bf16(f32(load(Res[m, n])) + alpha * (f32(load(X[m, n])) +
    // load(Bias[n]))));
    tk::stripe<tk::bf16, 2, 2048, 256, 128, 8> t0;
    const tk::vector_tile<const tk::bf16> Res_tile{tk::address(Res, m, n), Res.stride[0], 1, M - m,
                                                   N - n};
    tk::load_vectors(t0, Res_tile, thread);
    tk::stripe<tk::bf16, 2, 2048, 256, 128, 8> t1;
    const tk::vector_tile<const tk::bf16> X_tile{tk::address(X, m, n), X.stride[0], 1, M - m,
                                                 N - n};
    tk::load_vectors(t1, X_tile, thread);
    tk::stripe<tk::bf16, 1, 2048, 256, 128, 8> t2;
    const tk::vector_tile<const tk::bf16> Bias_tile{tk::address(Bias, n), 0, 1, 1, N - n};
    tk::load_vectors(t2, Bias_tile, thread);
    tk::stripe<tk::bf16, 2, 2048, 256, 128, 8> t3;
    tk::map(t3, thread, [&](int, int, tk::bf16 t0, tk::bf16 t1, tk::bf16 t2) {
        return tk::fma(alpha, float(t1) + float(t2), float(t0));
    }, t0, t1, t2);
    const tk::vector_tile<tk::bf16> Y_tile{tk::address(Y, m, n), Y.stride[0], 1, M - m, N - n};
    tk::store_vectors(Y_tile, t3, thread);
}

// bias_residual_general: kernel bias_residual of residual.tk with BN = 2048, ROWS = 2, for tensors
// of any strides and alignment.
//
// Roles:
//   bias_residual 8 warps (warps 0 to 7), 255 registers a thread
// 256 threads a block, launched with 255 registers each.
//
// Shared memory, 0 bytes:
//    offset   bytes  what
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct bias_residual_general_shared {
};

__global__ void __launch_bounds__(256, 1) bias_residual_general_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X,
    const tk::tensor_argument<const tk::bf16, 1> Bias,
    const tk::tensor_argument<const tk::bf16, 2> Res, const tk::tensor_argument<tk::bf16, 2> Y,
    int M, int N, float alpha) {
    const int n_tiles = tk::tiles(N, 2048);

    // residual.tk:23: kernel bias_residual<BN: int = 2048, ROWS: int = 2>(X: bf16[M, N], Bias:
    // bf16[N], Res: bf16[M, N], alpha: f32, out Y: bf16[M, N])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 2048;
    const int m = program / n_tiles * 2;

    // residual.tk:26: store(Y[m, n], bf16(f32(load(Res[m, n])) + alpha * (f32(load(X[m, n])) +
    // load(Bias[n]))));
    tk::stripe<tk::bf16, 2, 2048, 256, 128, 2> t0;
    const tk::global_tile<const tk::bf16> Res_tile{tk::address(Res, m, n), Res.stride[0],
                                                   Res.stride[1], M - m, N - n};
    tk::load_global(t0, Res_tile, thread);
    tk::stripe<tk::bf16, 2, 2048, 256, 128, 2> t1;
    const tk::global_tile<const tk::bf16> X_tile{tk::address(X, m, n), X.stride[0], X.stride[1],
                                                 M - m, N - n};
    tk::load_global(t1, X_tile, thread);
    tk::stripe<tk::bf16, 1, 2048, 256, 128, 2> t2;
    const tk::global_tile<const tk::bf16> Bias_tile{tk::address(Bias, n), 0, Bias.stride[0], 1,
                                                    N - n};
    tk::load_global(t2, Bias_tile, thread);
    tk::stripe<tk::bf16, 2, 2048, 256, 128, 2> t3;
    tk::map(t3, thread, [&](int, int, tk::bf16 t0, tk::bf16 t1, tk::bf16 t2) {
        return tk::fma(alpha, float(t1) + float(t2), float(t0));
    }, t0, t1, t2);
    const tk::global_tile<tk::bf16> Y_tile{tk::address(Y, m, n), Y.stride[0], Y.stride[1], M - m,
                                           N - n};
    tk::store_global(Y_tile, t3, thread);
}

#include "tk/host/launcher.h"

namespace {
// bias: BN = 2048, ROWS = 4
tk::status launch_bias(const tk::launch_site& site, const tk::tensor& X, const tk::tensor& Bias,
                       const tk::tensor& Y, int64_t M, int64_t N) {
    const int64_t programs = tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4));
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&bias_kernel),
                                    static_cast<int>(sizeof(bias_shared)), {}, {}};
    return tk::launch_kernel(kernel, bias_kernel, site, programs, 256,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<const tk::bf16, 1>(Bias),
                             tk::cells<tk::bf16, 2>(Y), static_cast<int>(M), static_cast<int>(N));
}

// bias_general: BN = 2048, ROWS = 4
tk::status launch_bias_general(const tk::launch_site& site, const tk::tensor& X,
                               const tk::tensor& Bias, const tk::tensor& Y, int64_t M, int64_t N) {
    const int64_t programs = tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4));
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&bias_general_kernel),
                                    static_cast<int>(sizeof(bias_general_shared)), {}, {}};
    return tk::launch_kernel(kernel, bias_general_kernel, site, programs, 256,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<const tk::bf16, 1>(Bias),
                             tk::cells<tk::bf16, 2>(Y), static_cast<int>(M), static_cast<int>(N));
}

tk::status run_bias(const DLTensor* X_given, const DLTensor* Bias_given, DLTensor* Y_given,
                    cudaStream_t stream) {
    tk::arguments call{"bias"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Bias = call.take("Bias", Bias_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t M = X.shape[0];
    const int64_t N = X.shape[1];

    call.require(Bias.shape[0] == N, "`N` is {} in axis 1 of `X`, but {} in axis 0 of `Bias`",
                 {N, Bias.shape[0]});
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
    choice.candidate();  // bias
    choice.prefer(X.stride[1] == 1);
    choice.prefer(X.address % 16 == 0);
    choice.prefer(X.stride[0] % 8 == 0 && 0 < X.stride[0] && X.stride[0] < 549755813888);
    choice.prefer(N % 8 == 0);
    choice.prefer(Bias.stride[0] == 1);
    choice.prefer(Bias.address % 16 == 0);
    choice.prefer(Y.stride[1] == 1);
    choice.prefer(Y.address % 16 == 0);
    choice.prefer(Y.stride[0] % 8 == 0 && 0 < Y.stride[0] && Y.stride[0] < 549755813888);
    choice.offer(tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4)), 4060);
    choice.candidate(true);  // bias_general
    choice.offer(tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4)), 4060);
    if (choice.best() == 0) return launch_bias(site, X, Bias, Y, M, N);
    if (choice.best() == 1) return launch_bias_general(site, X, Bias, Y, M, N);
    return choice.result();
}

// residual: BN = 2048, ROWS = 4
tk::status launch_residual(const tk::launch_site& site, const tk::tensor& X, const tk::tensor& Res,
                           const tk::tensor& Y, int64_t M, int64_t N, float alpha) {
    const int64_t programs = tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4));
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&residual_kernel),
                                    static_cast<int>(sizeof(residual_shared)), {}, {}};
    return tk::launch_kernel(kernel, residual_kernel, site, programs, 256,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<const tk::bf16, 2>(Res),
                             tk::cells<tk::bf16, 2>(Y), static_cast<int>(M), static_cast<int>(N),
                             alpha);
}

// residual_general: BN = 2048, ROWS = 4
tk::status launch_residual_general(const tk::launch_site& site, const tk::tensor& X,
                                   const tk::tensor& Res, const tk::tensor& Y, int64_t M, int64_t N,
                                   float alpha) {
    const int64_t programs = tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4));
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&residual_general_kernel),
                                    static_cast<int>(sizeof(residual_general_shared)), {}, {}};
    return tk::launch_kernel(kernel, residual_general_kernel, site, programs, 256,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<const tk::bf16, 2>(Res),
                             tk::cells<tk::bf16, 2>(Y), static_cast<int>(M), static_cast<int>(N),
                             alpha);
}

tk::status run_residual(const DLTensor* X_given, const DLTensor* Res_given, DLTensor* Y_given,
                        float alpha, cudaStream_t stream) {
    tk::arguments call{"residual"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Res = call.take("Res", Res_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t M = X.shape[0];
    const int64_t N = X.shape[1];

    call.require(Res.shape[0] == M, "`M` is {} in axis 0 of `X`, but {} in axis 0 of `Res`",
                 {M, Res.shape[0]});
    call.require(Res.shape[1] == N, "`N` is {} in axis 1 of `X`, but {} in axis 1 of `Res`",
                 {N, Res.shape[1]});
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
    choice.candidate();  // residual
    choice.prefer(X.stride[1] == 1);
    choice.prefer(X.address % 16 == 0);
    choice.prefer(X.stride[0] % 8 == 0 && 0 < X.stride[0] && X.stride[0] < 549755813888);
    choice.prefer(N % 8 == 0);
    choice.prefer(Res.stride[1] == 1);
    choice.prefer(Res.address % 16 == 0);
    choice.prefer(Res.stride[0] % 8 == 0 && 0 < Res.stride[0] && Res.stride[0] < 549755813888);
    choice.prefer(Y.stride[1] == 1);
    choice.prefer(Y.address % 16 == 0);
    choice.prefer(Y.stride[0] % 8 == 0 && 0 < Y.stride[0] && Y.stride[0] < 549755813888);
    choice.offer(tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4)), 4828);
    choice.candidate(true);  // residual_general
    choice.offer(tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4)), 4828);
    if (choice.best() == 0) return launch_residual(site, X, Res, Y, M, N, alpha);
    if (choice.best() == 1) return launch_residual_general(site, X, Res, Y, M, N, alpha);
    return choice.result();
}

// bias_gelu: BN = 2048, ROWS = 4
tk::status launch_bias_gelu(const tk::launch_site& site, const tk::tensor& X,
                            const tk::tensor& Bias, const tk::tensor& Y, int64_t M, int64_t N) {
    const int64_t programs = tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4));
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&bias_gelu_kernel),
                                    static_cast<int>(sizeof(bias_gelu_shared)), {}, {}};
    return tk::launch_kernel(kernel, bias_gelu_kernel, site, programs, 256,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<const tk::bf16, 1>(Bias),
                             tk::cells<tk::bf16, 2>(Y), static_cast<int>(M), static_cast<int>(N));
}

// bias_gelu_general: BN = 2048, ROWS = 4
tk::status launch_bias_gelu_general(const tk::launch_site& site, const tk::tensor& X,
                                    const tk::tensor& Bias, const tk::tensor& Y, int64_t M,
                                    int64_t N) {
    const int64_t programs = tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4));
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&bias_gelu_general_kernel),
                                    static_cast<int>(sizeof(bias_gelu_general_shared)), {}, {}};
    return tk::launch_kernel(kernel, bias_gelu_general_kernel, site, programs, 256,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<const tk::bf16, 1>(Bias),
                             tk::cells<tk::bf16, 2>(Y), static_cast<int>(M), static_cast<int>(N));
}

tk::status run_bias_gelu(const DLTensor* X_given, const DLTensor* Bias_given, DLTensor* Y_given,
                         cudaStream_t stream) {
    tk::arguments call{"bias_gelu"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Bias = call.take("Bias", Bias_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t M = X.shape[0];
    const int64_t N = X.shape[1];

    call.require(Bias.shape[0] == N, "`N` is {} in axis 1 of `X`, but {} in axis 0 of `Bias`",
                 {N, Bias.shape[0]});
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
    choice.candidate();  // bias_gelu
    choice.prefer(X.stride[1] == 1);
    choice.prefer(X.address % 16 == 0);
    choice.prefer(X.stride[0] % 8 == 0 && 0 < X.stride[0] && X.stride[0] < 549755813888);
    choice.prefer(N % 8 == 0);
    choice.prefer(Bias.stride[0] == 1);
    choice.prefer(Bias.address % 16 == 0);
    choice.prefer(Y.stride[1] == 1);
    choice.prefer(Y.address % 16 == 0);
    choice.prefer(Y.stride[0] % 8 == 0 && 0 < Y.stride[0] && Y.stride[0] < 549755813888);
    choice.offer(tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4)), 5788);
    choice.candidate(true);  // bias_gelu_general
    choice.offer(tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4)), 5788);
    if (choice.best() == 0) return launch_bias_gelu(site, X, Bias, Y, M, N);
    if (choice.best() == 1) return launch_bias_gelu_general(site, X, Bias, Y, M, N);
    return choice.result();
}

// bias_residual: BN = 2048, ROWS = 2
tk::status launch_bias_residual(const tk::launch_site& site, const tk::tensor& X,
                                const tk::tensor& Bias, const tk::tensor& Res, const tk::tensor& Y,
                                int64_t M, int64_t N, float alpha) {
    const int64_t programs = tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 2));
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&bias_residual_kernel),
                                    static_cast<int>(sizeof(bias_residual_shared)), {}, {}};
    return tk::launch_kernel(kernel, bias_residual_kernel, site, programs, 256,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<const tk::bf16, 1>(Bias),
                             tk::cells<const tk::bf16, 2>(Res), tk::cells<tk::bf16, 2>(Y),
                             static_cast<int>(M), static_cast<int>(N), alpha);
}

// bias_residual_general: BN = 2048, ROWS = 2
tk::status launch_bias_residual_general(const tk::launch_site& site, const tk::tensor& X,
                                        const tk::tensor& Bias, const tk::tensor& Res,
                                        const tk::tensor& Y, int64_t M, int64_t N, float alpha) {
    const int64_t programs = tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 2));
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&bias_residual_general_kernel),
                                    static_cast<int>(sizeof(bias_residual_general_shared)), {}, {}};
    return tk::launch_kernel(kernel, bias_residual_general_kernel, site, programs, 256,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<const tk::bf16, 1>(Bias),
                             tk::cells<const tk::bf16, 2>(Res), tk::cells<tk::bf16, 2>(Y),
                             static_cast<int>(M), static_cast<int>(N), alpha);
}

tk::status run_bias_residual(const DLTensor* X_given, const DLTensor* Bias_given,
                             const DLTensor* Res_given, DLTensor* Y_given, float alpha,
                             cudaStream_t stream) {
    tk::arguments call{"bias_residual"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Bias = call.take("Bias", Bias_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor Res = call.take("Res", Res_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t M = X.shape[0];
    const int64_t N = X.shape[1];

    call.require(Bias.shape[0] == N, "`N` is {} in axis 1 of `X`, but {} in axis 0 of `Bias`",
                 {N, Bias.shape[0]});
    call.require(Res.shape[0] == M, "`M` is {} in axis 0 of `X`, but {} in axis 0 of `Res`",
                 {M, Res.shape[0]});
    call.require(Res.shape[1] == N, "`N` is {} in axis 1 of `X`, but {} in axis 1 of `Res`",
                 {N, Res.shape[1]});
    call.require(Y.shape[0] == M, "`M` is {} in axis 0 of `X`, but {} in axis 0 of `Y`",
                 {M, Y.shape[0]});
    call.require(Y.shape[1] == N, "`N` is {} in axis 1 of `X`, but {} in axis 1 of `Y`",
                 {N, Y.shape[1]});
    call.require(M < 2147221504, "`M` is {}; extents must be less than 2147221504", {M});
    call.require(N < 2147221504, "`N` is {}; extents must be less than 2147221504", {N});
    call.require(tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 2)) < 2147483648,
                 "the grid has {} programs; it must have less than 2147483648",
                 {tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 2))});
    if (!call.ok()) return call.result();

    const tk::device_scope device{call.device()};
    TK_RETURN_IF_FAILED(device.result());
    tk::launch_site site;
    TK_RETURN_IF_FAILED(tk::find_site(site, stream));

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call.function(), site};
    choice.candidate();  // bias_residual
    choice.prefer(X.stride[1] == 1);
    choice.prefer(X.address % 16 == 0);
    choice.prefer(X.stride[0] % 8 == 0 && 0 < X.stride[0] && X.stride[0] < 549755813888);
    choice.prefer(N % 8 == 0);
    choice.prefer(Bias.stride[0] == 1);
    choice.prefer(Bias.address % 16 == 0);
    choice.prefer(Res.stride[1] == 1);
    choice.prefer(Res.address % 16 == 0);
    choice.prefer(Res.stride[0] % 8 == 0 && 0 < Res.stride[0] && Res.stride[0] < 549755813888);
    choice.prefer(Y.stride[1] == 1);
    choice.prefer(Y.address % 16 == 0);
    choice.prefer(Y.stride[0] % 8 == 0 && 0 < Y.stride[0] && Y.stride[0] < 549755813888);
    choice.offer(tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 2)), 3484);
    choice.candidate(true);  // bias_residual_general
    choice.offer(tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 2)), 3484);
    if (choice.best() == 0) return launch_bias_residual(site, X, Bias, Res, Y, M, N, alpha);
    if (choice.best() == 1) return launch_bias_residual_general(site, X, Bias, Res, Y, M, N, alpha);
    return choice.result();
}

}  // namespace

extern "C" {
int bias(const DLTensor* X_given, const DLTensor* Bias_given, DLTensor* Y_given, void*, size_t,
         cudaStream_t stream) {
    return tk::finish(run_bias(X_given, Bias_given, Y_given, stream));
}

size_t bias_workspace(const DLTensor*, const DLTensor*, DLTensor*) {
    return 0;
}

const char* bias_error() {
    return tk::last_sentence;
}

int residual(const DLTensor* X_given, const DLTensor* Res_given, DLTensor* Y_given, float alpha,
             void*, size_t, cudaStream_t stream) {
    return tk::finish(run_residual(X_given, Res_given, Y_given, alpha, stream));
}

size_t residual_workspace(const DLTensor*, const DLTensor*, DLTensor*, float) {
    return 0;
}

const char* residual_error() {
    return tk::last_sentence;
}

int bias_gelu(const DLTensor* X_given, const DLTensor* Bias_given, DLTensor* Y_given, void*, size_t,
              cudaStream_t stream) {
    return tk::finish(run_bias_gelu(X_given, Bias_given, Y_given, stream));
}

size_t bias_gelu_workspace(const DLTensor*, const DLTensor*, DLTensor*) {
    return 0;
}

const char* bias_gelu_error() {
    return tk::last_sentence;
}

int bias_residual(const DLTensor* X_given, const DLTensor* Bias_given, const DLTensor* Res_given,
                  DLTensor* Y_given, float alpha, void*, size_t, cudaStream_t stream) {
    return tk::finish(run_bias_residual(X_given, Bias_given, Res_given, Y_given, alpha, stream));
}

size_t bias_residual_workspace(const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*,
                               float) {
    return 0;
}

const char* bias_residual_error() {
    return tk::last_sentence;
}
}  // extern "C"
