// Made by tkc from rmsnorm.tk: change that, and not this.

#include <cuda.h>

#include "tk/host/tensor_argument.h"
#include "tk/operations/cells.cuh"
#include "tk/tk.cuh"

// rmsnorm: kernel rmsnorm of rmsnorm.tk with C = 1024, ROWS = 8.
//
// Roles:
//   rmsnorm      8 warps (warps 0 to 7), 64 registers a thread
// 256 threads a block, launched with 64 registers each.
//
// Shared memory, 0 bytes:
//    offset   bytes  what
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct rmsnorm_shared {
};

__global__ void __launch_bounds__(256, 4) rmsnorm_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<const tk::bf16, 1> W,
    const tk::tensor_argument<tk::bf16, 2> Y, int R, float eps) {
    // rmsnorm.tk:6: kernel rmsnorm<C: int = 1024, ROWS: int = rows.fit(C, 8192)>(X: bf16[R, C], W:
    // bf16[C], eps: f32, out Y: bf16[R, C])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 8;

    // rmsnorm.tk:9: let x = f32(load(X[r, :]));
    tk::stripe<tk::bf16, 8, 1024, 256, 32, 8> t0;
    const tk::global_tile<const tk::bf16> X_tile{tk::address(X, r, 0), X.stride[0], 1, R - r, 1024};
    tk::load_vectors(t0, X_tile, thread);

    // <std.norm>:16: fn rstd(x: f32[M, N], columns: i32, eps: f32) -> f32[M, 1] { return
    // rsqrt(sum(x * x, axis = 1) / f32(columns) + eps); }
    tk::stripe<float, 8, 1024, 256, 32, 8> t1;
    tk::map(t1, thread, [](int, int, tk::bf16 t0) {
        const float x_2 = float(t0);
        return x_2 * x_2;
    }, t0);
    tk::stripe<float, 8, 1, 256, 32, 8> t2;
    tk::fold_rows(t2, t1, tk::plus{}, thread);
    tk::finish_rows(t2, tk::plus{});

    // rmsnorm.tk:10: store(Y[r, :], bf16(x * norm.rstd(x, C, eps) * load(W[:])));
    tk::stripe<tk::bf16, 1, 1024, 256, 32, 8> t3;
    const tk::global_tile<const tk::bf16> W_tile{tk::address(W, 0), 0, 1, 1, 1024};
    tk::load_vectors(t3, W_tile, thread);
    tk::stripe<float, 8, 1, 256, 32, 8> t5;
    tk::map(t5, thread, [&](int, int, float t2) {
        return tk::rsqrt(tk::divide(t2, 1024.0f) + eps);
    }, t2);
    tk::stripe<tk::bf16, 8, 1024, 256, 32, 8> t4;
    tk::map(t4, thread, [](int, int, tk::bf16 t0, float t5, tk::bf16 t3) {
        return float(t0) * t5 * float(t3);
    }, t0, t5, t3);
    const tk::global_tile<tk::bf16> Y_tile{tk::address(Y, r, 0), Y.stride[0], 1, R - r, 1024};
    tk::store_vectors(Y_tile, t4, thread);
}

// rmsnorm_general: kernel rmsnorm of rmsnorm.tk with C = 1024, ROWS = 8, for tensors of any strides
// and alignment.
//
// Roles:
//   rmsnorm      8 warps (warps 0 to 7), 255 registers a thread
// 256 threads a block, launched with 255 registers each.
//
// Shared memory, 0 bytes:
//    offset   bytes  what
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct rmsnorm_general_shared {
};

__global__ void __launch_bounds__(256, 1) rmsnorm_general_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<const tk::bf16, 1> W,
    const tk::tensor_argument<tk::bf16, 2> Y, int R, float eps) {
    // rmsnorm.tk:6: kernel rmsnorm<C: int = 1024, ROWS: int = rows.fit(C, 8192)>(X: bf16[R, C], W:
    // bf16[C], eps: f32, out Y: bf16[R, C])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 8;

    // rmsnorm.tk:9: let x = f32(load(X[r, :]));
    tk::stripe<tk::bf16, 8, 1024, 256, 32, 2> t0;
    const tk::global_tile<const tk::bf16> X_tile{tk::address(X, r, 0), X.stride[0], X.stride[1],
                                                 R - r, 1024};
    tk::load_global(t0, X_tile, thread);

    // <std.norm>:16: fn rstd(x: f32[M, N], columns: i32, eps: f32) -> f32[M, 1] { return
    // rsqrt(sum(x * x, axis = 1) / f32(columns) + eps); }
    tk::stripe<float, 8, 1024, 256, 32, 2> t1;
    tk::map(t1, thread, [](int, int, tk::bf16 t0) {
        const float x_2 = float(t0);
        return x_2 * x_2;
    }, t0);
    tk::stripe<float, 8, 1, 256, 32, 2> t2;
    tk::fold_rows(t2, t1, tk::plus{}, thread);
    tk::finish_rows(t2, tk::plus{});

    // rmsnorm.tk:10: store(Y[r, :], bf16(x * norm.rstd(x, C, eps) * load(W[:])));
    tk::stripe<tk::bf16, 1, 1024, 256, 32, 2> t3;
    const tk::global_tile<const tk::bf16> W_tile{tk::address(W, 0), 0, W.stride[0], 1, 1024};
    tk::load_global(t3, W_tile, thread);
    tk::stripe<float, 8, 1, 256, 32, 2> t5;
    tk::map(t5, thread, [&](int, int, float t2) {
        return tk::rsqrt(tk::divide(t2, 1024.0f) + eps);
    }, t2);
    tk::stripe<tk::bf16, 8, 1024, 256, 32, 2> t4;
    tk::map(t4, thread, [](int, int, tk::bf16 t0, float t5, tk::bf16 t3) {
        return float(t0) * t5 * float(t3);
    }, t0, t5, t3);
    const tk::global_tile<tk::bf16> Y_tile{tk::address(Y, r, 0), Y.stride[0], Y.stride[1], R - r,
                                           1024};
    tk::store_global(Y_tile, t4, thread);
}

// rmsnorm_train: kernel rmsnorm_train of rmsnorm.tk with C = 1024, ROWS = 8.
//
// Roles:
//   rmsnorm_train 8 warps (warps 0 to 7), 80 registers a thread
// 256 threads a block, launched with 80 registers each.
//
// Shared memory, 0 bytes:
//    offset   bytes  what
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct rmsnorm_train_shared {
};

__global__ void __launch_bounds__(256, 3) rmsnorm_train_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<const tk::bf16, 1> W,
    const tk::tensor_argument<tk::bf16, 2> Y, const tk::tensor_argument<float, 1> Rstd, int R,
    float eps) {
    // rmsnorm.tk:13: kernel rmsnorm_train<C: int = 1024, ROWS: int = rows.fit(C, 8192)>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 8;

    // rmsnorm.tk:17: let x    = f32(load(X[r, :]));
    tk::stripe<tk::bf16, 8, 1024, 256, 32, 8> t0;
    const tk::global_tile<const tk::bf16> X_tile{tk::address(X, r, 0), X.stride[0], 1, R - r, 1024};
    tk::load_vectors(t0, X_tile, thread);

    // <std.norm>:16: fn rstd(x: f32[M, N], columns: i32, eps: f32) -> f32[M, 1] { return
    // rsqrt(sum(x * x, axis = 1) / f32(columns) + eps); }
    tk::stripe<float, 8, 1024, 256, 32, 8> t1;
    tk::map(t1, thread, [](int, int, tk::bf16 t0) {
        const float x_2 = float(t0);
        return x_2 * x_2;
    }, t0);
    tk::stripe<float, 8, 1, 256, 32, 8> t2;
    tk::fold_rows(t2, t1, tk::plus{}, thread);
    tk::finish_rows(t2, tk::plus{});

    // rmsnorm.tk:18: let rstd = norm.rstd(x, C, eps);
    tk::stripe<float, 8, 1, 256, 32, 8> rstd;
    tk::map(rstd, thread, [&](int, int, float t2) {
        return tk::rsqrt(tk::divide(t2, 1024.0f) + eps);
    }, t2);

    // rmsnorm.tk:19: store(Y[r, :], bf16(x * rstd * load(W[:])));
    tk::stripe<tk::bf16, 1, 1024, 256, 32, 8> t3;
    const tk::global_tile<const tk::bf16> W_tile{tk::address(W, 0), 0, 1, 1, 1024};
    tk::load_vectors(t3, W_tile, thread);
    tk::stripe<tk::bf16, 8, 1024, 256, 32, 8> t4;
    tk::map(t4, thread, [](int, int, tk::bf16 t0, float rstd, tk::bf16 t3) {
        return float(t0) * rstd * float(t3);
    }, t0, rstd, t3);
    const tk::global_tile<tk::bf16> Y_tile{tk::address(Y, r, 0), Y.stride[0], 1, R - r, 1024};
    tk::store_vectors(Y_tile, t4, thread);

    // rmsnorm.tk:20: store(Rstd[r], rstd);
    const tk::global_tile<float> Rstd_tile{tk::address(Rstd, r), Rstd.stride[0], 0, R - r, 1};
    tk::store_global(Rstd_tile, rstd, thread);
}

// rmsnorm_train_general: kernel rmsnorm_train of rmsnorm.tk with C = 1024, ROWS = 8, for tensors of
// any strides and alignment.
//
// Roles:
//   rmsnorm_train 8 warps (warps 0 to 7), 255 registers a thread
// 256 threads a block, launched with 255 registers each.
//
// Shared memory, 0 bytes:
//    offset   bytes  what
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct rmsnorm_train_general_shared {
};

__global__ void __launch_bounds__(256, 1) rmsnorm_train_general_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<const tk::bf16, 1> W,
    const tk::tensor_argument<tk::bf16, 2> Y, const tk::tensor_argument<float, 1> Rstd, int R,
    float eps) {
    // rmsnorm.tk:13: kernel rmsnorm_train<C: int = 1024, ROWS: int = rows.fit(C, 8192)>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 8;

    // rmsnorm.tk:17: let x    = f32(load(X[r, :]));
    tk::stripe<tk::bf16, 8, 1024, 256, 32, 2> t0;
    const tk::global_tile<const tk::bf16> X_tile{tk::address(X, r, 0), X.stride[0], X.stride[1],
                                                 R - r, 1024};
    tk::load_global(t0, X_tile, thread);

    // <std.norm>:16: fn rstd(x: f32[M, N], columns: i32, eps: f32) -> f32[M, 1] { return
    // rsqrt(sum(x * x, axis = 1) / f32(columns) + eps); }
    tk::stripe<float, 8, 1024, 256, 32, 2> t1;
    tk::map(t1, thread, [](int, int, tk::bf16 t0) {
        const float x_2 = float(t0);
        return x_2 * x_2;
    }, t0);
    tk::stripe<float, 8, 1, 256, 32, 2> t2;
    tk::fold_rows(t2, t1, tk::plus{}, thread);
    tk::finish_rows(t2, tk::plus{});

    // rmsnorm.tk:18: let rstd = norm.rstd(x, C, eps);
    tk::stripe<float, 8, 1, 256, 32, 2> rstd;
    tk::map(rstd, thread, [&](int, int, float t2) {
        return tk::rsqrt(tk::divide(t2, 1024.0f) + eps);
    }, t2);

    // rmsnorm.tk:19: store(Y[r, :], bf16(x * rstd * load(W[:])));
    tk::stripe<tk::bf16, 1, 1024, 256, 32, 2> t3;
    const tk::global_tile<const tk::bf16> W_tile{tk::address(W, 0), 0, W.stride[0], 1, 1024};
    tk::load_global(t3, W_tile, thread);
    tk::stripe<tk::bf16, 8, 1024, 256, 32, 2> t4;
    tk::map(t4, thread, [](int, int, tk::bf16 t0, float rstd, tk::bf16 t3) {
        return float(t0) * rstd * float(t3);
    }, t0, rstd, t3);
    const tk::global_tile<tk::bf16> Y_tile{tk::address(Y, r, 0), Y.stride[0], Y.stride[1], R - r,
                                           1024};
    tk::store_global(Y_tile, t4, thread);

    // rmsnorm.tk:20: store(Rstd[r], rstd);
    const tk::global_tile<float> Rstd_tile{tk::address(Rstd, r), Rstd.stride[0], 0, R - r, 1};
    tk::store_global(Rstd_tile, rstd, thread);
}

// add_rmsnorm: kernel add_rmsnorm of rmsnorm.tk with C = 1024, ROWS = 8.
//
// Roles:
//   add_rmsnorm  8 warps (warps 0 to 7), 80 registers a thread
// 256 threads a block, launched with 80 registers each.
//
// Shared memory, 0 bytes:
//    offset   bytes  what
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct add_rmsnorm_shared {
};

__global__ void __launch_bounds__(256, 3) add_rmsnorm_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X,
    const tk::tensor_argument<const tk::bf16, 2> Res,
    const tk::tensor_argument<const tk::bf16, 1> W, const tk::tensor_argument<tk::bf16, 2> Z,
    const tk::tensor_argument<tk::bf16, 2> Y, const tk::tensor_argument<float, 1> Rstd, int R,
    float eps) {
    // rmsnorm.tk:23: kernel add_rmsnorm<C: int = 1024, ROWS: int = rows.fit(C, 8192)>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 8;

    // rmsnorm.tk:27: let z    = bf16(f32(load(X[r, :])) + load(Res[r, :]));
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

    // rmsnorm.tk:28: store(Z[r, :], z);
    const tk::global_tile<tk::bf16> Z_tile{tk::address(Z, r, 0), Z.stride[0], 1, R - r, 1024};
    tk::store_vectors(Z_tile, z, thread);

    // <std.norm>:16: fn rstd(x: f32[M, N], columns: i32, eps: f32) -> f32[M, 1] { return
    // rsqrt(sum(x * x, axis = 1) / f32(columns) + eps); }
    tk::stripe<float, 8, 1024, 256, 32, 8> t2;
    tk::map(t2, thread, [](int, int, tk::bf16 z) {
        const float x = float(z);
        return x * x;
    }, z);
    tk::stripe<float, 8, 1, 256, 32, 8> t3;
    tk::fold_rows(t3, t2, tk::plus{}, thread);
    tk::finish_rows(t3, tk::plus{});

    // rmsnorm.tk:29: let rstd = norm.rstd(f32(z), C, eps);
    tk::stripe<float, 8, 1, 256, 32, 8> rstd;
    tk::map(rstd, thread, [&](int, int, float t3) {
        return tk::rsqrt(tk::divide(t3, 1024.0f) + eps);
    }, t3);

    // rmsnorm.tk:30: store(Y[r, :], bf16(z * rstd * load(W[:])));
    tk::stripe<tk::bf16, 1, 1024, 256, 32, 8> t4;
    const tk::global_tile<const tk::bf16> W_tile{tk::address(W, 0), 0, 1, 1, 1024};
    tk::load_vectors(t4, W_tile, thread);
    tk::stripe<tk::bf16, 8, 1024, 256, 32, 8> t5;
    tk::map(t5, thread, [](int, int, tk::bf16 z, float rstd, tk::bf16 t4) {
        return float(z) * rstd * float(t4);
    }, z, rstd, t4);
    const tk::global_tile<tk::bf16> Y_tile{tk::address(Y, r, 0), Y.stride[0], 1, R - r, 1024};
    tk::store_vectors(Y_tile, t5, thread);

    // rmsnorm.tk:31: store(Rstd[r], rstd);
    const tk::global_tile<float> Rstd_tile{tk::address(Rstd, r), Rstd.stride[0], 0, R - r, 1};
    tk::store_global(Rstd_tile, rstd, thread);
}

// add_rmsnorm_general: kernel add_rmsnorm of rmsnorm.tk with C = 1024, ROWS = 8, for tensors of any
// strides and alignment.
//
// Roles:
//   add_rmsnorm  8 warps (warps 0 to 7), 255 registers a thread
// 256 threads a block, launched with 255 registers each.
//
// Shared memory, 0 bytes:
//    offset   bytes  what
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct add_rmsnorm_general_shared {
};

__global__ void __launch_bounds__(256, 1) add_rmsnorm_general_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X,
    const tk::tensor_argument<const tk::bf16, 2> Res,
    const tk::tensor_argument<const tk::bf16, 1> W, const tk::tensor_argument<tk::bf16, 2> Z,
    const tk::tensor_argument<tk::bf16, 2> Y, const tk::tensor_argument<float, 1> Rstd, int R,
    float eps) {
    // rmsnorm.tk:23: kernel add_rmsnorm<C: int = 1024, ROWS: int = rows.fit(C, 8192)>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 8;

    // rmsnorm.tk:27: let z    = bf16(f32(load(X[r, :])) + load(Res[r, :]));
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

    // rmsnorm.tk:28: store(Z[r, :], z);
    const tk::global_tile<tk::bf16> Z_tile{tk::address(Z, r, 0), Z.stride[0], Z.stride[1], R - r,
                                           1024};
    tk::store_global(Z_tile, z, thread);

    // <std.norm>:16: fn rstd(x: f32[M, N], columns: i32, eps: f32) -> f32[M, 1] { return
    // rsqrt(sum(x * x, axis = 1) / f32(columns) + eps); }
    tk::stripe<float, 8, 1024, 256, 32, 2> t2;
    tk::map(t2, thread, [](int, int, tk::bf16 z) {
        const float x = float(z);
        return x * x;
    }, z);
    tk::stripe<float, 8, 1, 256, 32, 2> t3;
    tk::fold_rows(t3, t2, tk::plus{}, thread);
    tk::finish_rows(t3, tk::plus{});

    // rmsnorm.tk:29: let rstd = norm.rstd(f32(z), C, eps);
    tk::stripe<float, 8, 1, 256, 32, 2> rstd;
    tk::map(rstd, thread, [&](int, int, float t3) {
        return tk::rsqrt(tk::divide(t3, 1024.0f) + eps);
    }, t3);

    // rmsnorm.tk:30: store(Y[r, :], bf16(z * rstd * load(W[:])));
    tk::stripe<tk::bf16, 1, 1024, 256, 32, 2> t4;
    const tk::global_tile<const tk::bf16> W_tile{tk::address(W, 0), 0, W.stride[0], 1, 1024};
    tk::load_global(t4, W_tile, thread);
    tk::stripe<tk::bf16, 8, 1024, 256, 32, 2> t5;
    tk::map(t5, thread, [](int, int, tk::bf16 z, float rstd, tk::bf16 t4) {
        return float(z) * rstd * float(t4);
    }, z, rstd, t4);
    const tk::global_tile<tk::bf16> Y_tile{tk::address(Y, r, 0), Y.stride[0], Y.stride[1], R - r,
                                           1024};
    tk::store_global(Y_tile, t5, thread);

    // rmsnorm.tk:31: store(Rstd[r], rstd);
    const tk::global_tile<float> Rstd_tile{tk::address(Rstd, r), Rstd.stride[0], 0, R - r, 1};
    tk::store_global(Rstd_tile, rstd, thread);
}

#include "tk/host/launcher.h"

namespace {
// rmsnorm: C = 1024, ROWS = 8
tk::status launch_rmsnorm(const tk::launch_site& site, const tk::tensor& X, const tk::tensor& W,
                          const tk::tensor& Y, int64_t R, float eps) {
    const int64_t programs = tk::ceil_div(R, 8);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&rmsnorm_kernel),
                                    static_cast<int>(sizeof(rmsnorm_shared)), {}, {}};
    return tk::launch_kernel(kernel, rmsnorm_kernel, site, programs, 256,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<const tk::bf16, 1>(W),
                             tk::cells<tk::bf16, 2>(Y), static_cast<int>(R), eps);
}

// rmsnorm_general: C = 1024, ROWS = 8
tk::status launch_rmsnorm_general(const tk::launch_site& site, const tk::tensor& X,
                                  const tk::tensor& W, const tk::tensor& Y, int64_t R, float eps) {
    const int64_t programs = tk::ceil_div(R, 8);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&rmsnorm_general_kernel),
                                    static_cast<int>(sizeof(rmsnorm_general_shared)), {}, {}};
    return tk::launch_kernel(kernel, rmsnorm_general_kernel, site, programs, 256,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<const tk::bf16, 1>(W),
                             tk::cells<tk::bf16, 2>(Y), static_cast<int>(R), eps);
}

tk::status run_rmsnorm(const DLTensor* X_given, const DLTensor* W_given, DLTensor* Y_given,
                       float eps, cudaStream_t stream) {
    tk::arguments call{"rmsnorm"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor W = call.take("W", W_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t R = X.shape[0];

    call.require(X.shape[1] == 1024, "axis 1 of `X` is {}; this kernel is made for 1024",
                 {X.shape[1]});
    call.require(W.shape[0] == 1024, "axis 0 of `W` is {}; this kernel is made for 1024",
                 {W.shape[0]});
    call.require(Y.shape[0] == R, "`R` is {} in axis 0 of `X`, but {} in axis 0 of `Y`",
                 {R, Y.shape[0]});
    call.require(Y.shape[1] == 1024, "axis 1 of `Y` is {}; this kernel is made for 1024",
                 {Y.shape[1]});
    call.require(R < 2147221504, "`R` is {}; extents must be less than 2147221504", {R});
    if (!call.ok()) return call.result();

    const tk::device_scope device{call.device()};
    TK_RETURN_IF_FAILED(device.result());
    tk::launch_site site;
    TK_RETURN_IF_FAILED(tk::find_site(site, stream));

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call.function(), site};
    choice.candidate();  // rmsnorm
    choice.prefer(X.stride[1] == 1);
    choice.prefer(X.address % 16 == 0);
    choice.prefer(X.stride[0] % 8 == 0 && 0 < X.stride[0] && X.stride[0] < 549755813888);
    choice.prefer(W.stride[0] == 1);
    choice.prefer(W.address % 16 == 0);
    choice.prefer(Y.stride[1] == 1);
    choice.prefer(Y.address % 16 == 0);
    choice.prefer(Y.stride[0] % 8 == 0 && 0 < Y.stride[0] && Y.stride[0] < 549755813888);
    choice.offer(tk::ceil_div(R, 8), 4253);
    choice.candidate(true);  // rmsnorm_general
    choice.offer(tk::ceil_div(R, 8), 4253);
    if (choice.best() == 0) return launch_rmsnorm(site, X, W, Y, R, eps);
    if (choice.best() == 1) return launch_rmsnorm_general(site, X, W, Y, R, eps);
    return choice.result();
}

// rmsnorm_train: C = 1024, ROWS = 8
tk::status launch_rmsnorm_train(const tk::launch_site& site, const tk::tensor& X,
                                const tk::tensor& W, const tk::tensor& Y, const tk::tensor& Rstd,
                                int64_t R, float eps) {
    const int64_t programs = tk::ceil_div(R, 8);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&rmsnorm_train_kernel),
                                    static_cast<int>(sizeof(rmsnorm_train_shared)), {}, {}};
    return tk::launch_kernel(kernel, rmsnorm_train_kernel, site, programs, 256,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<const tk::bf16, 1>(W),
                             tk::cells<tk::bf16, 2>(Y), tk::cells<float, 1>(Rstd),
                             static_cast<int>(R), eps);
}

// rmsnorm_train_general: C = 1024, ROWS = 8
tk::status launch_rmsnorm_train_general(const tk::launch_site& site, const tk::tensor& X,
                                        const tk::tensor& W, const tk::tensor& Y,
                                        const tk::tensor& Rstd, int64_t R, float eps) {
    const int64_t programs = tk::ceil_div(R, 8);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&rmsnorm_train_general_kernel),
                                    static_cast<int>(sizeof(rmsnorm_train_general_shared)), {}, {}};
    return tk::launch_kernel(kernel, rmsnorm_train_general_kernel, site, programs, 256,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<const tk::bf16, 1>(W),
                             tk::cells<tk::bf16, 2>(Y), tk::cells<float, 1>(Rstd),
                             static_cast<int>(R), eps);
}

tk::status run_rmsnorm_train(const DLTensor* X_given, const DLTensor* W_given, DLTensor* Y_given,
                             DLTensor* Rstd_given, float eps, cudaStream_t stream) {
    tk::arguments call{"rmsnorm_train"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor W = call.take("W", W_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor Rstd = call.take("Rstd", Rstd_given, tk::dtype_f32, 1, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t R = X.shape[0];

    call.require(X.shape[1] == 1024, "axis 1 of `X` is {}; this kernel is made for 1024",
                 {X.shape[1]});
    call.require(W.shape[0] == 1024, "axis 0 of `W` is {}; this kernel is made for 1024",
                 {W.shape[0]});
    call.require(Y.shape[0] == R, "`R` is {} in axis 0 of `X`, but {} in axis 0 of `Y`",
                 {R, Y.shape[0]});
    call.require(Y.shape[1] == 1024, "axis 1 of `Y` is {}; this kernel is made for 1024",
                 {Y.shape[1]});
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
    choice.candidate();  // rmsnorm_train
    choice.prefer(X.stride[1] == 1);
    choice.prefer(X.address % 16 == 0);
    choice.prefer(X.stride[0] % 8 == 0 && 0 < X.stride[0] && X.stride[0] < 549755813888);
    choice.prefer(W.stride[0] == 1);
    choice.prefer(W.address % 16 == 0);
    choice.prefer(Y.stride[1] == 1);
    choice.prefer(Y.address % 16 == 0);
    choice.prefer(Y.stride[0] % 8 == 0 && 0 < Y.stride[0] && Y.stride[0] < 549755813888);
    choice.offer(tk::ceil_div(R, 8), 4255);
    choice.candidate(true);  // rmsnorm_train_general
    choice.offer(tk::ceil_div(R, 8), 4255);
    if (choice.best() == 0) return launch_rmsnorm_train(site, X, W, Y, Rstd, R, eps);
    if (choice.best() == 1) return launch_rmsnorm_train_general(site, X, W, Y, Rstd, R, eps);
    return choice.result();
}

// add_rmsnorm: C = 1024, ROWS = 8
tk::status launch_add_rmsnorm(const tk::launch_site& site, const tk::tensor& X,
                              const tk::tensor& Res, const tk::tensor& W, const tk::tensor& Z,
                              const tk::tensor& Y, const tk::tensor& Rstd, int64_t R, float eps) {
    const int64_t programs = tk::ceil_div(R, 8);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&add_rmsnorm_kernel),
                                    static_cast<int>(sizeof(add_rmsnorm_shared)), {}, {}};
    return tk::launch_kernel(kernel, add_rmsnorm_kernel, site, programs, 256,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<const tk::bf16, 2>(Res),
                             tk::cells<const tk::bf16, 1>(W), tk::cells<tk::bf16, 2>(Z),
                             tk::cells<tk::bf16, 2>(Y), tk::cells<float, 1>(Rstd),
                             static_cast<int>(R), eps);
}

// add_rmsnorm_general: C = 1024, ROWS = 8
tk::status launch_add_rmsnorm_general(const tk::launch_site& site, const tk::tensor& X,
                                      const tk::tensor& Res, const tk::tensor& W,
                                      const tk::tensor& Z, const tk::tensor& Y,
                                      const tk::tensor& Rstd, int64_t R, float eps) {
    const int64_t programs = tk::ceil_div(R, 8);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&add_rmsnorm_general_kernel),
                                    static_cast<int>(sizeof(add_rmsnorm_general_shared)), {}, {}};
    return tk::launch_kernel(kernel, add_rmsnorm_general_kernel, site, programs, 256,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<const tk::bf16, 2>(Res),
                             tk::cells<const tk::bf16, 1>(W), tk::cells<tk::bf16, 2>(Z),
                             tk::cells<tk::bf16, 2>(Y), tk::cells<float, 1>(Rstd),
                             static_cast<int>(R), eps);
}

tk::status run_add_rmsnorm(const DLTensor* X_given, const DLTensor* Res_given,
                           const DLTensor* W_given, DLTensor* Z_given, DLTensor* Y_given,
                           DLTensor* Rstd_given, float eps, cudaStream_t stream) {
    tk::arguments call{"add_rmsnorm"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Res = call.take("Res", Res_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor W = call.take("W", W_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor Z = call.take("Z", Z_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
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
    call.require(Z.shape[0] == R, "`R` is {} in axis 0 of `X`, but {} in axis 0 of `Z`",
                 {R, Z.shape[0]});
    call.require(Z.shape[1] == 1024, "axis 1 of `Z` is {}; this kernel is made for 1024",
                 {Z.shape[1]});
    call.require(Y.shape[0] == R, "`R` is {} in axis 0 of `X`, but {} in axis 0 of `Y`",
                 {R, Y.shape[0]});
    call.require(Y.shape[1] == 1024, "axis 1 of `Y` is {}; this kernel is made for 1024",
                 {Y.shape[1]});
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
    choice.candidate();  // add_rmsnorm
    choice.prefer(X.stride[1] == 1);
    choice.prefer(X.address % 16 == 0);
    choice.prefer(X.stride[0] % 8 == 0 && 0 < X.stride[0] && X.stride[0] < 549755813888);
    choice.prefer(Res.stride[1] == 1);
    choice.prefer(Res.address % 16 == 0);
    choice.prefer(Res.stride[0] % 8 == 0 && 0 < Res.stride[0] && Res.stride[0] < 549755813888);
    choice.prefer(W.stride[0] == 1);
    choice.prefer(W.address % 16 == 0);
    choice.prefer(Z.stride[1] == 1);
    choice.prefer(Z.address % 16 == 0);
    choice.prefer(Z.stride[0] % 8 == 0 && 0 < Z.stride[0] && Z.stride[0] < 549755813888);
    choice.prefer(Y.stride[1] == 1);
    choice.prefer(Y.address % 16 == 0);
    choice.prefer(Y.stride[0] % 8 == 0 && 0 < Y.stride[0] && Y.stride[0] < 549755813888);
    choice.offer(tk::ceil_div(R, 8), 6559);
    choice.candidate(true);  // add_rmsnorm_general
    choice.offer(tk::ceil_div(R, 8), 6559);
    if (choice.best() == 0) return launch_add_rmsnorm(site, X, Res, W, Z, Y, Rstd, R, eps);
    if (choice.best() == 1) return launch_add_rmsnorm_general(site, X, Res, W, Z, Y, Rstd, R, eps);
    return choice.result();
}

}  // namespace

extern "C" {
int rmsnorm(const DLTensor* X_given, const DLTensor* W_given, DLTensor* Y_given, float eps, void*,
            size_t, cudaStream_t stream) {
    return tk::finish(run_rmsnorm(X_given, W_given, Y_given, eps, stream));
}

size_t rmsnorm_workspace(const DLTensor*, const DLTensor*, DLTensor*, float) {
    return 0;
}

const char* rmsnorm_error() {
    return tk::last_sentence;
}

int rmsnorm_train(const DLTensor* X_given, const DLTensor* W_given, DLTensor* Y_given,
                  DLTensor* Rstd_given, float eps, void*, size_t, cudaStream_t stream) {
    return tk::finish(run_rmsnorm_train(X_given, W_given, Y_given, Rstd_given, eps, stream));
}

size_t rmsnorm_train_workspace(const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, float) {
    return 0;
}

const char* rmsnorm_train_error() {
    return tk::last_sentence;
}

int add_rmsnorm(const DLTensor* X_given, const DLTensor* Res_given, const DLTensor* W_given,
                DLTensor* Z_given, DLTensor* Y_given, DLTensor* Rstd_given, float eps, void*,
                size_t, cudaStream_t stream) {
    return tk::finish(
        run_add_rmsnorm(X_given, Res_given, W_given, Z_given, Y_given, Rstd_given, eps, stream));
}

size_t add_rmsnorm_workspace(const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*,
                             DLTensor*, DLTensor*, float) {
    return 0;
}

const char* add_rmsnorm_error() {
    return tk::last_sentence;
}
}  // extern "C"
