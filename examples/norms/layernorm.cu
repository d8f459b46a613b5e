// Made by tkc from layernorm.tk: change that, and not this.

#include <cuda.h>

#include "tk/host/tensor_argument.h"
#include "tk/operations/cells.cuh"
#include "tk/tk.cuh"

// layernorm: kernel layernorm of layernorm.tk with C = 1024, ROWS = 8.
//
// Roles:
//   layernorm    8 warps (warps 0 to 7), 80 registers a thread
// 256 threads a block, launched with 80 registers each.
//
// Shared memory, 0 bytes:
//    offset   bytes  what
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct layernorm_shared {
};

__global__ void __launch_bounds__(256, 3) layernorm_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<const tk::bf16, 1> W,
    const tk::tensor_argument<const tk::bf16, 1> Bias, const tk::tensor_argument<tk::bf16, 2> Y,
    const tk::tensor_argument<float, 1> Mean, const tk::tensor_argument<float, 1> Rstd, int R,
    float eps) {
    // layernorm.tk:6: kernel layernorm<C: int = 1024, ROWS: int = rows.fit(C, 8192)>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 8;

    // layernorm.tk:10: let x    = f32(load(X[r, :]));
    tk::stripe<tk::bf16, 8, 1024, 256, 32, 8> t0;
    const tk::global_tile<const tk::bf16> X_tile{tk::address(X, r, 0), X.stride[0], 1, R - r, 1024};
    tk::load_vectors(t0, X_tile, thread);
    tk::stripe<float, 8, 1024, 256, 32, 8> x = tk::convert<float>(t0);

    // <std.norm>:10: fn mean(x: f32[M, N], columns: i32) -> f32[M, 1] { return sum(x, axis = 1) /
    // f32(columns); }
    tk::stripe<float, 8, 1, 256, 32, 8> t1;
    tk::fold_rows(t1, x, tk::plus{}, thread);
    tk::finish_rows(t1, tk::plus{});

    // layernorm.tk:11: let mean = norm.mean(x, C);
    tk::stripe<float, 8, 1, 256, 32, 8> mean;
    tk::map(mean, thread, [](int, int, float t1) { return tk::divide(t1, 1024.0f); }, t1);

    // <std.norm>:16: fn rstd(x: f32[M, N], columns: i32, eps: f32) -> f32[M, 1] { return
    // rsqrt(sum(x * x, axis = 1) / f32(columns) + eps); }
    tk::stripe<float, 8, 1024, 256, 32, 8> t2;
    tk::map(t2, thread, [](int, int, tk::bf16 t0, float mean) {
        const float x_2 = float(t0) - mean;
        return x_2 * x_2;
    }, t0, mean);
    tk::stripe<float, 8, 1, 256, 32, 8> t3;
    tk::fold_rows(t3, t2, tk::plus{}, thread);
    tk::finish_rows(t3, tk::plus{});

    // layernorm.tk:13: let rstd = norm.rstd(d, C, eps);
    tk::stripe<float, 8, 1, 256, 32, 8> rstd;
    tk::map(rstd, thread, [&](int, int, float t3) {
        return tk::rsqrt(tk::divide(t3, 1024.0f) + eps);
    }, t3);

    // layernorm.tk:14: store(Y[r, :], bf16(d * rstd * load(W[:]) + load(Bias[:])));
    tk::stripe<tk::bf16, 1, 1024, 256, 32, 8> t4;
    const tk::global_tile<const tk::bf16> W_tile{tk::address(W, 0), 0, 1, 1, 1024};
    tk::load_vectors(t4, W_tile, thread);
    tk::stripe<tk::bf16, 1, 1024, 256, 32, 8> t5;
    const tk::global_tile<const tk::bf16> Bias_tile{tk::address(Bias, 0), 0, 1, 1, 1024};
    tk::load_vectors(t5, Bias_tile, thread);
    tk::stripe<tk::bf16, 8, 1024, 256, 32, 8> t6;
    tk::map(t6, thread, [](int, int, tk::bf16 t0, float mean, float rstd, tk::bf16 t4, tk::bf16 t5) {
        return tk::fma((float(t0) - mean) * rstd, float(t4), float(t5));
    }, t0, mean, rstd, t4, t5);
    const tk::global_tile<tk::bf16> Y_tile{tk::address(Y, r, 0), Y.stride[0], 1, R - r, 1024};
    tk::store_vectors(Y_tile, t6, thread);

    // layernorm.tk:15: store(Mean[r], mean);
    const tk::global_tile<float> Mean_tile{tk::address(Mean, r), Mean.stride[0], 0, R - r, 1};
    tk::store_global(Mean_tile, mean, thread);

    // layernorm.tk:16: store(Rstd[r], rstd);
    const tk::global_tile<float> Rstd_tile{tk::address(Rstd, r), Rstd.stride[0], 0, R - r, 1};
    tk::store_global(Rstd_tile, rstd, thread);
}

// layernorm_general: kernel layernorm of layernorm.tk with C = 1024, ROWS = 8, for tensors of any
// strides and alignment.
//
// Roles:
//   layernorm    8 warps (warps 0 to 7), 255 registers a thread
// 256 threads a block, launched with 255 registers each.
//
// Shared memory, 0 bytes:
//    offset   bytes  what
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct layernorm_general_shared {
};

__global__ void __launch_bounds__(256, 1) layernorm_general_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<const tk::bf16, 1> W,
    const tk::tensor_argument<const tk::bf16, 1> Bias, const tk::tensor_argument<tk::bf16, 2> Y,
    const tk::tensor_argument<float, 1> Mean, const tk::tensor_argument<float, 1> Rstd, int R,
    float eps) {
    // layernorm.tk:6: kernel layernorm<C: int = 1024, ROWS: int = rows.fit(C, 8192)>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 8;

    // layernorm.tk:10: let x    = f32(load(X[r, :]));
    tk::stripe<tk::bf16, 8, 1024, 256, 32, 2> t0;
    const tk::global_tile<const tk::bf16> X_tile{tk::address(X, r, 0), X.stride[0], X.stride[1],
                                                 R - r, 1024};
    tk::load_global(t0, X_tile, thread);
    tk::stripe<float, 8, 1024, 256, 32, 2> x = tk::convert<float>(t0);

    // <std.norm>:10: fn mean(x: f32[M, N], columns: i32) -> f32[M, 1] { return sum(x, axis = 1) /
    // f32(columns); }
    tk::stripe<float, 8, 1, 256, 32, 2> t1;
    tk::fold_rows(t1, x, tk::plus{}, thread);
    tk::finish_rows(t1, tk::plus{});

    // layernorm.tk:11: let mean = norm.mean(x, C);
    tk::stripe<float, 8, 1, 256, 32, 2> mean;
    tk::map(mean, thread, [](int, int, float t1) { return tk::divide(t1, 1024.0f); }, t1);

    // <std.norm>:16: fn rstd(x: f32[M, N], columns: i32, eps: f32) -> f32[M, 1] { return
    // rsqrt(sum(x * x, axis = 1) / f32(columns) + eps); }
    tk::stripe<float, 8, 1024, 256, 32, 2> t2;
    tk::map(t2, thread, [](int, int, tk::bf16 t0, float mean) {
        const float x_2 = float(t0) - mean;
        return x_2 * x_2;
    }, t0, mean);
    tk::stripe<float, 8, 1, 256, 32, 2> t3;
    tk::fold_rows(t3, t2, tk::plus{}, thread);
    tk::finish_rows(t3, tk::plus{});

    // layernorm.tk:13: let rstd = norm.rstd(d, C, eps);
    tk::stripe<float, 8, 1, 256, 32, 2> rstd;
    tk::map(rstd, thread, [&](int, int, float t3) {
        return tk::rsqrt(tk::divide(t3, 1024.0f) + eps);
    }, t3);

    // layernorm.tk:14: store(Y[r, :], bf16(d * rstd * load(W[:]) + load(Bias[:])));
    tk::stripe<tk::bf16, 1, 1024, 256, 32, 2> t4;
    const tk::global_tile<const tk::bf16> W_tile{tk::address(W, 0), 0, W.stride[0], 1, 1024};
    tk::load_global(t4, W_tile, thread);
    tk::stripe<tk::bf16, 1, 1024, 256, 32, 2> t5;
    const tk::global_tile<const tk::bf16> Bias_tile{tk::address(Bias, 0), 0, Bias.stride[0], 1,
                                                    1024};
    tk::load_global(t5, Bias_tile, thread);
    tk::stripe<tk::bf16, 8, 1024, 256, 32, 2> t6;
    tk::map(t6, thread, [](int, int, tk::bf16 t0, float mean, float rstd, tk::bf16 t4, tk::bf16 t5) {
        return tk::fma((float(t0) - mean) * rstd, float(t4), float(t5));
    }, t0, mean, rstd, t4, t5);
    const tk::global_tile<tk::bf16> Y_tile{tk::address(Y, r, 0), Y.stride[0], Y.stride[1], R - r,
                                           1024};
    tk::store_global(Y_tile, t6, thread);

    // layernorm.tk:15: store(Mean[r], mean);
    const tk::global_tile<float> Mean_tile{tk::address(Mean, r), Mean.stride[0], 0, R - r, 1};
    tk::store_global(Mean_tile, mean, thread);

    // layernorm.tk:16: store(Rstd[r], rstd);
    const tk::global_tile<float> Rstd_tile{tk::address(Rstd, r), Rstd.stride[0], 0, R - r, 1};
    tk::store_global(Rstd_tile, rstd, thread);
}

// add_layernorm: kernel add_layernorm of layernorm.tk with C = 1024, ROWS = 8.
//
// Roles:
//   add_layernorm 8 warps (warps 0 to 7), 128 registers a thread
// 256 threads a block, launched with 128 registers each.
//
// Shared memory, 0 bytes:
//    offset   bytes  what
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct add_layernorm_shared {
};

__global__ void __launch_bounds__(256, 2) add_layernorm_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X,
    const tk::tensor_argument<const tk::bf16, 2> Res,
    const tk::tensor_argument<const tk::bf16, 1> W,
    const tk::tensor_argument<const tk::bf16, 1> Bias, const tk::tensor_argument<tk::bf16, 2> Z,
    const tk::tensor_argument<tk::bf16, 2> Y, const tk::tensor_argument<float, 1> Mean,
    const tk::tensor_argument<float, 1> Rstd, int R, float eps) {
    // layernorm.tk:19: kernel add_layernorm<C: int = 1024, ROWS: int = rows.fit(C, 8192)>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 8;

    // layernorm.tk:24: let z    = bf16(f32(load(X[r, :])) + load(Res[r, :]));
    tk::stripe<tk::bf16, 8, 1024, 256, 32, 8> t0;
    const tk::global_tile<const tk::bf16> X_tile{tk::address(X, r, 0), X.stride[0], 1, R - r, 1024};
    tk::load_vectors(t0, X_tile, thread);
    tk::stripe<tk::bf16, 8, 1024, 256, 32, 8> t1;
    const tk::global_tile<const tk::bf16> Res_tile{tk::address(Res, r, 0), Res.stride[0], 1, R - r,
                                                   1024};
    tk::load_vectors(t1, Res_tile, thread);
    tk::stripe<tk::bf16, 8, 1024, 256, 32, 8> z;
    tk::map(z, thread, [](int, int, tk::bf16 t0, tk::bf16 t1) {
        return float(t0) + float(t1);
    }, t0, t1);

    // layernorm.tk:25: store(Z[r, :], z);
    const tk::global_tile<tk::bf16> Z_tile{tk::address(Z, r, 0), Z.stride[0], 1, R - r, 1024};
    tk::store_vectors(Z_tile, z, thread);

    // <std.norm>:10: fn mean(x: f32[M, N], columns: i32) -> f32[M, 1] { return sum(x, axis = 1) /
    // f32(columns); }
    tk::stripe<float, 8, 1024, 256, 32, 8> t2 = tk::convert<float>(z);
    tk::stripe<float, 8, 1, 256, 32, 8> t3;
    tk::fold_rows(t3, t2, tk::plus{}, thread);
    tk::finish_rows(t3, tk::plus{});

    // layernorm.tk:26: let mean = norm.mean(f32(z), C);
    tk::stripe<float, 8, 1, 256, 32, 8> mean;
    tk::map(mean, thread, [](int, int, float t3) { return tk::divide(t3, 1024.0f); }, t3);

    // <std.norm>:16: fn rstd(x: f32[M, N], columns: i32, eps: f32) -> f32[M, 1] { return
    // rsqrt(sum(x * x, axis = 1) / f32(columns) + eps); }
    tk::stripe<float, 8, 1024, 256, 32, 8> t4;
    tk::map(t4, thread, [](int, int, tk::bf16 z, float mean) {
        const float x = float(z) - mean;
        return x * x;
    }, z, mean);
    tk::stripe<float, 8, 1, 256, 32, 8> t5;
    tk::fold_rows(t5, t4, tk::plus{}, thread);
    tk::finish_rows(t5, tk::plus{});

    // layernorm.tk:28: let rstd = norm.rstd(d, C, eps);
    tk::stripe<float, 8, 1, 256, 32, 8> rstd;
    tk::map(rstd, thread, [&](int, int, float t5) {
        return tk::rsqrt(tk::divide(t5, 1024.0f) + eps);
    }, t5);

    // layernorm.tk:29: store(Y[r, :], bf16(d * rstd * load(W[:]) + load(Bias[:])));
    tk::stripe<tk::bf16, 1, 1024, 256, 32, 8> t6;
    const tk::global_tile<const tk::bf16> W_tile{tk::address(W, 0), 0, 1, 1, 1024};
    tk::load_vectors(t6, W_tile, thread);
    tk::stripe<tk::bf16, 1, 1024, 256, 32, 8> t7;
    const tk::global_tile<const tk::bf16> Bias_tile{tk::address(Bias, 0), 0, 1, 1, 1024};
    tk::load_vectors(t7, Bias_tile, thread);
    tk::stripe<tk::bf16, 8, 1024, 256, 32, 8> t8;
    tk::map(t8, thread, [](int, int, tk::bf16 z, float mean, float rstd, tk::bf16 t6, tk::bf16 t7) {
        return tk::fma((float(z) - mean) * rstd, float(t6), float(t7));
    }, z, mean, rstd, t6, t7);
    const tk::global_tile<tk::bf16> Y_tile{tk::address(Y, r, 0), Y.stride[0], 1, R - r, 1024};
    tk::store_vectors(Y_tile, t8, thread);

    // layernorm.tk:30: store(Mean[r], mean);
    const tk::global_tile<float> Mean_tile{tk::address(Mean, r), Mean.stride[0], 0, R - r, 1};
    tk::store_global(Mean_tile, mean, thread);

    // layernorm.tk:31: store(Rstd[r], rstd);
    const tk::global_tile<float> Rstd_tile{tk::address(Rstd, r), Rstd.stride[0], 0, R - r, 1};
    tk::store_global(Rstd_tile, rstd, thread);
}

// add_layernorm_general: kernel add_layernorm of layernorm.tk with C = 1024, ROWS = 8, for tensors
// of any strides and alignment.
//
// Roles:
//   add_layernorm 8 warps (warps 0 to 7), 255 registers a thread
// 256 threads a block, launched with 255 registers each.
//
// Shared memory, 0 bytes:
//    offset   bytes  what
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct add_layernorm_general_shared {
};

__global__ void __launch_bounds__(256, 1) add_layernorm_general_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X,
    const tk::tensor_argument<const tk::bf16, 2> Res,
    const tk::tensor_argument<const tk::bf16, 1> W,
    const tk::tensor_argument<const tk::bf16, 1> Bias, const tk::tensor_argument<tk::bf16, 2> Z,
    const tk::tensor_argument<tk::bf16, 2> Y, const tk::tensor_argument<float, 1> Mean,
    const tk::tensor_argument<float, 1> Rstd, int R, float eps) {
    // layernorm.tk:19: kernel add_layernorm<C: int = 1024, ROWS: int = rows.fit(C, 8192)>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 8;

    // layernorm.tk:24: let z    = bf16(f32(load(X[r, :])) + load(Res[r, :]));
    tk::stripe<tk::bf16, 8, 1024, 256, 32, 2> t0;
    const tk::global_tile<const tk::bf16> X_tile{tk::address(X, r, 0), X.stride[0], X.stride[1],
                                                 R - r, 1024};
    tk::load_global(t0, X_tile, thread);
    tk::stripe<tk::bf16, 8, 1024, 256, 32, 2> t1;
    const tk::global_tile<const tk::bf16> Res_tile{tk::address(Res, r, 0), Res.stride[0],
                                                   Res.stride[1], R - r, 1024};
    tk::load_global(t1, Res_tile, thread);
    tk::stripe<tk::bf16, 8, 1024, 256, 32, 2> z;
    tk::map(z, thread, [](int, int, tk::bf16 t0, tk::bf16 t1) {
        return float(t0) + float(t1);
    }, t0, t1);

    // layernorm.tk:25: store(Z[r, :], z);
    const tk::global_tile<tk::bf16> Z_tile{tk::address(Z, r, 0), Z.stride[0], Z.stride[1], R - r,
                                           1024};
    tk::store_global(Z_tile, z, thread);

    // <std.norm>:10: fn mean(x: f32[M, N], columns: i32) -> f32[M, 1] { return sum(x, axis = 1) /
    // f32(columns); }
    tk::stripe<float, 8, 1024, 256, 32, 2> t2 = tk::convert<float>(z);
    tk::stripe<float, 8, 1, 256, 32, 2> t3;
    tk::fold_rows(t3, t2, tk::plus{}, thread);
    tk::finish_rows(t3, tk::plus{});

    // layernorm.tk:26: let mean = norm.mean(f32(z), C);
    tk::stripe<float, 8, 1, 256, 32, 2> mean;
    tk::map(mean, thread, [](int, int, float t3) { return tk::divide(t3, 1024.0f); }, t3);

    // <std.norm>:16: fn rstd(x: f32[M, N], columns: i32, eps: f32) -> f32[M, 1] { return
    // rsqrt(sum(x * x, axis = 1) / f32(columns) + eps); }
    tk::stripe<float, 8, 1024, 256, 32, 2> t4;
    tk::map(t4, thread, [](int, int, tk::bf16 z, float mean) {
        const float x = float(z) - mean;
        return x * x;
    }, z, mean);
    tk::stripe<float, 8, 1, 256, 32, 2> t5;
    tk::fold_rows(t5, t4, tk::plus{}, thread);
    tk::finish_rows(t5, tk::plus{});

    // layernorm.tk:28: let rstd = norm.rstd(d, C, eps);
    tk::stripe<float, 8, 1, 256, 32, 2> rstd;
    tk::map(rstd, thread, [&](int, int, float t5) {
        return tk::rsqrt(tk::divide(t5, 1024.0f) + eps);
    }, t5);

    // layernorm.tk:29: store(Y[r, :], bf16(d * rstd * load(W[:]) + load(Bias[:])));
    tk::stripe<tk::bf16, 1, 1024, 256, 32, 2> t6;
    const tk::global_tile<const tk::bf16> W_tile{tk::address(W, 0), 0, W.stride[0], 1, 1024};
    tk::load_global(t6, W_tile, thread);
    tk::stripe<tk::bf16, 1, 1024, 256, 32, 2> t7;
    const tk::global_tile<const tk::bf16> Bias_tile{tk::address(Bias, 0), 0, Bias.stride[0], 1,
                                                    1024};
    tk::load_global(t7, Bias_tile, thread);
    tk::stripe<tk::bf16, 8, 1024, 256, 32, 2> t8;
    tk::map(t8, thread, [](int, int, tk::bf16 z, float mean, float rstd, tk::bf16 t6, tk::bf16 t7) {
        return tk::fma((float(z) - mean) * rstd, float(t6), float(t7));
    }, z, mean, rstd, t6, t7);
    const tk::global_tile<tk::bf16> Y_tile{tk::address(Y, r, 0), Y.stride[0], Y.stride[1], R - r,
                                           1024};
    tk::store_global(Y_tile, t8, thread);

    // layernorm.tk:30: store(Mean[r], mean);
    const tk::global_tile<float> Mean_tile{tk::address(Mean, r), Mean.stride[0], 0, R - r, 1};
    tk::store_global(Mean_tile, mean, thread);

    // layernorm.tk:31: store(Rstd[r], rstd);
    const tk::global_tile<float> Rstd_tile{tk::address(Rstd, r), Rstd.stride[0], 0, R - r, 1};
    tk::store_global(Rstd_tile, rstd, thread);
}

#include "tk/host/launcher.h"

namespace {
// layernorm: C = 1024, ROWS = 8
tk::status launch_layernorm(const tk::launch_site& site, const tk::tensor& X, const tk::tensor& W,
                            const tk::tensor& Bias, const tk::tensor& Y, const tk::tensor& Mean,
                            const tk::tensor& Rstd, int64_t R, float eps) {
    const int64_t programs = tk::ceil_div(R, 8);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&layernorm_kernel),
                                    static_cast<int>(sizeof(layernorm_shared)), {}, {}};
    return tk::launch_kernel(kernel, layernorm_kernel, site, programs, 256,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<const tk::bf16, 1>(W),
                             tk::cells<const tk::bf16, 1>(Bias), tk::cells<tk::bf16, 2>(Y),
                             tk::cells<float, 1>(Mean), tk::cells<float, 1>(Rstd),
                             static_cast<int>(R), eps);
}

// layernorm_general: C = 1024, ROWS = 8
tk::status launch_layernorm_general(const tk::launch_site& site, const tk::tensor& X,
                                    const tk::tensor& W, const tk::tensor& Bias,
                                    const tk::tensor& Y, const tk::tensor& Mean,
                                    const tk::tensor& Rstd, int64_t R, float eps) {
    const int64_t programs = tk::ceil_div(R, 8);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&layernorm_general_kernel),
                                    static_cast<int>(sizeof(layernorm_general_shared)), {}, {}};
    return tk::launch_kernel(kernel, layernorm_general_kernel, site, programs, 256,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<const tk::bf16, 1>(W),
                             tk::cells<const tk::bf16, 1>(Bias), tk::cells<tk::bf16, 2>(Y),
                             tk::cells<float, 1>(Mean), tk::cells<float, 1>(Rstd),
                             static_cast<int>(R), eps);
}

tk::status run_layernorm(const DLTensor* X_given, const DLTensor* W_given,
                         const DLTensor* Bias_given, DLTensor* Y_given, DLTensor* Mean_given,
                         DLTensor* Rstd_given, float eps, cudaStream_t stream) {
    tk::arguments call{"layernorm"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor W = call.take("W", W_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor Bias = call.take("Bias", Bias_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor Mean = call.take("Mean", Mean_given, tk::dtype_f32, 1, tk::access::write);
    const tk::tensor Rstd = call.take("Rstd", Rstd_given, tk::dtype_f32, 1, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t R = X.shape[0];

    call.require(X.shape[1] == 1024, "axis 1 of `X` is {}; this kernel is made for 1024",
                 {X.shape[1]});
    call.require(W.shape[0] == 1024, "axis 0 of `W` is {}; this kernel is made for 1024",
                 {W.shape[0]});
    call.require(Bias.shape[0] == 1024, "axis 0 of `Bias` is {}; this kernel is made for 1024",
                 {Bias.shape[0]});
    call.require(Y.shape[0] == R, "`R` is {} in axis 0 of `X`, but {} in axis 0 of `Y`",
                 {R, Y.shape[0]});
    call.require(Y.shape[1] == 1024, "axis 1 of `Y` is {}; this kernel is made for 1024",
                 {Y.shape[1]});
    call.require(Mean.shape[0] == R, "`R` is {} in axis 0 of `X`, but {} in axis 0 of `Mean`",
                 {R, Mean.shape[0]});
    call.require(Rstd.shape[0] == R, "`R` is {} in axis 0 of `X`, but {} in axis 0 of `Rstd`",
                 {R, Rstd.shape[0]});
    call.require(R < 2147221504, "`R` is {}; extents must be less than 2147221504", {R});
    if (!call.ok()) return call.result();

    const tk::device_scope device{call.device()};
    TK_RETURN_IF_FAILED(device.result());
    tk::launch_site site;
    TK_RETURN_IF_FAILED(tk::find_site(site, stream));

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call.function(), site};
    choice.candidate();  // layernorm
    choice.prefer(X.stride[1] == 1);
    choice.prefer(X.address % 16 == 0);
    choice.prefer(X.stride[0] % 8 == 0 && 0 < X.stride[0] && X.stride[0] < 549755813888);
    choice.prefer(W.stride[0] == 1);
    choice.prefer(W.address % 16 == 0);
    choice.prefer(Bias.stride[0] == 1);
    choice.prefer(Bias.address % 16 == 0);
    choice.prefer(Y.stride[1] == 1);
    choice.prefer(Y.address % 16 == 0);
    choice.prefer(Y.stride[0] % 8 == 0 && 0 < Y.stride[0] && Y.stride[0] < 549755813888);
    choice.offer(tk::ceil_div(R, 8), 4769);
    choice.candidate(true);  // layernorm_general
    choice.offer(tk::ceil_div(R, 8), 4769);
    if (choice.best() == 0) return launch_layernorm(site, X, W, Bias, Y, Mean, Rstd, R, eps);
    if (choice.best() == 1) {
        return launch_layernorm_general(site, X, W, Bias, Y, Mean, Rstd, R, eps);
    }
    return choice.result();
}

// add_layernorm: C = 1024, ROWS = 8
tk::status launch_add_layernorm(const tk::launch_site& site, const tk::tensor& X,
                                const tk::tensor& Res, const tk::tensor& W, const tk::tensor& Bias,
                                const tk::tensor& Z, const tk::tensor& Y, const tk::tensor& Mean,
                                const tk::tensor& Rstd, int64_t R, float eps) {
    const int64_t programs = tk::ceil_div(R, 8);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&add_layernorm_kernel),
                                    static_cast<int>(sizeof(add_layernorm_shared)), {}, {}};
    return tk::launch_kernel(kernel, add_layernorm_kernel, site, programs, 256,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<const tk::bf16, 2>(Res),
                             tk::cells<const tk::bf16, 1>(W), tk::cells<const tk::bf16, 1>(Bias),
                             tk::cells<tk::bf16, 2>(Z), tk::cells<tk::bf16, 2>(Y),
                             tk::cells<float, 1>(Mean), tk::cells<float, 1>(Rstd),
                             static_cast<int>(R), eps);
}

// add_layernorm_general: C = 1024, ROWS = 8
tk::status launch_add_layernorm_general(const tk::launch_site& site, const tk::tensor& X,
                                        const tk::tensor& Res, const tk::tensor& W,
                                        const tk::tensor& Bias, const tk::tensor& Z,
                                        const tk::tensor& Y, const tk::tensor& Mean,
                                        const tk::tensor& Rstd, int64_t R, float eps) {
    const int64_t programs = tk::ceil_div(R, 8);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&add_layernorm_general_kernel),
                                    static_cast<int>(sizeof(add_layernorm_general_shared)), {}, {}};
    return tk::launch_kernel(kernel, add_layernorm_general_kernel, site, programs, 256,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<const tk::bf16, 2>(Res),
                             tk::cells<const tk::bf16, 1>(W), tk::cells<const tk::bf16, 1>(Bias),
                             tk::cells<tk::bf16, 2>(Z), tk::cells<tk::bf16, 2>(Y),
                             tk::cells<float, 1>(Mean), tk::cells<float, 1>(Rstd),
                             static_cast<int>(R), eps);
}

tk::status run_add_layernorm(const DLTensor* X_given, const DLTensor* Res_given,
                             const DLTensor* W_given, const DLTensor* Bias_given, DLTensor* Z_given,
                             DLTensor* Y_given, DLTensor* Mean_given, DLTensor* Rstd_given,
                             float eps, cudaStream_t stream) {
    tk::arguments call{"add_layernorm"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Res = call.take("Res", Res_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor W = call.take("W", W_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor Bias = call.take("Bias", Bias_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor Z = call.take("Z", Z_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor Mean = call.take("Mean", Mean_given, tk::dtype_f32, 1, tk::access::write);
    const tk::tensor Rstd = call.take("Rstd", Rstd_given, tk::dtype_f32, 1, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t R = X.shape[0];

    call.require(X.shape[1] == 1024, "axis 1 of `X` is {}; this kernel is made for 1024",
                 {X.shape[1]});
    call.require(Res.shape[0] == R, "`R` is {} in axis 0 of `X`, but {} in axis 0 of `Res`",
                 {R, Res.shape[0]});
    call.require(Res.shape[1] == 1024, "axis 1 of `Res` is {}; this kernel is made for 1024",
                 {Res.shape[1]});
    call.require(W.shape[0] == 1024, "axis 0 of `W` is {}; this kernel is made for 1024",
                 {W.shape[0]});
    call.require(Bias.shape[0] == 1024, "axis 0 of `Bias` is {}; this kernel is made for 1024",
                 {Bias.shape[0]});
    call.require(Z.shape[0] == R, "`R` is {} in axis 0 of `X`, but {} in axis 0 of `Z`",
                 {R, Z.shape[0]});
    call.require(Z.shape[1] == 1024, "axis 1 of `Z` is {}; this kernel is made for 1024",
                 {Z.shape[1]});
    call.require(Y.shape[0] == R, "`R` is {} in axis 0 of `X`, but {} in axis 0 of `Y`",
                 {R, Y.shape[0]});
    call.require(Y.shape[1] == 1024, "axis 1 of `Y` is {}; this kernel is made for 1024",
                 {Y.shape[1]});
    call.require(Mean.shape[0] == R, "`R` is {} in axis 0 of `X`, but {} in axis 0 of `Mean`",
                 {R, Mean.shape[0]});
    call.require(Rstd.shape[0] == R, "`R` is {} in axis 0 of `X`, but {} in axis 0 of `Rstd`",
                 {R, Rstd.shape[0]});
    call.require(R < 2147221504, "`R` is {}; extents must be less than 2147221504", {R});
    if (!call.ok()) return call.result();

    const tk::device_scope device{call.device()};
    TK_RETURN_IF_FAILED(device.result());
    tk::launch_site site;
    TK_RETURN_IF_FAILED(tk::find_site(site, stream));

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call.function(), site};
    choice.candidate();  // add_layernorm
    choice.prefer(X.stride[1] == 1);
    choice.prefer(X.address % 16 == 0);
    choice.prefer(X.stride[0] % 8 == 0 && 0 < X.stride[0] && X.stride[0] < 549755813888);
    choice.prefer(Res.stride[1] == 1);
    choice.prefer(Res.address % 16 == 0);
    choice.prefer(Res.stride[0] % 8 == 0 && 0 < Res.stride[0] && Res.stride[0] < 549755813888);
    choice.prefer(W.stride[0] == 1);
    choice.prefer(W.address % 16 == 0);
    choice.prefer(Bias.stride[0] == 1);
    choice.prefer(Bias.address % 16 == 0);
    choice.prefer(Z.stride[1] == 1);
    choice.prefer(Z.address % 16 == 0);
    choice.prefer(Z.stride[0] % 8 == 0 && 0 < Z.stride[0] && Z.stride[0] < 549755813888);
    choice.prefer(Y.stride[1] == 1);
    choice.prefer(Y.address % 16 == 0);
    choice.prefer(Y.stride[0] % 8 == 0 && 0 < Y.stride[0] && Y.stride[0] < 549755813888);
    choice.offer(tk::ceil_div(R, 8), 7073);
    choice.candidate(true);  // add_layernorm_general
    choice.offer(tk::ceil_div(R, 8), 7073);
    if (choice.best() == 0) {
        return launch_add_layernorm(site, X, Res, W, Bias, Z, Y, Mean, Rstd, R, eps);
    }
    if (choice.best() == 1) {
        return launch_add_layernorm_general(site, X, Res, W, Bias, Z, Y, Mean, Rstd, R, eps);
    }
    return choice.result();
}

}  // namespace

extern "C" {
int layernorm(const DLTensor* X_given, const DLTensor* W_given, const DLTensor* Bias_given,
              DLTensor* Y_given, DLTensor* Mean_given, DLTensor* Rstd_given, float eps, void*,
              size_t, cudaStream_t stream) {
    return tk::finish(
        run_layernorm(X_given, W_given, Bias_given, Y_given, Mean_given, Rstd_given, eps, stream));
}

size_t layernorm_workspace(const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*,
                           DLTensor*, float) {
    return 0;
}

const char* layernorm_error() {
    return tk::last_sentence;
}

int add_layernorm(const DLTensor* X_given, const DLTensor* Res_given, const DLTensor* W_given,
                  const DLTensor* Bias_given, DLTensor* Z_given, DLTensor* Y_given,
                  DLTensor* Mean_given, DLTensor* Rstd_given, float eps, void*, size_t,
                  cudaStream_t stream) {
    return tk::finish(
        run_add_layernorm(X_given, Res_given, W_given, Bias_given, Z_given, Y_given, Mean_given,
                          Rstd_given, eps, stream));
}

size_t add_layernorm_workspace(const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                               DLTensor*, DLTensor*, DLTensor*, DLTensor*, float) {
    return 0;
}

const char* add_layernorm_error() {
    return tk::last_sentence;
}
}  // extern "C"
