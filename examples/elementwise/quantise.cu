// Made by tkc from quantise.tk: change that, and not this.

#include <cuda.h>

#include "tk/host/tensor_argument.h"
#include "tk/operations/cells.cuh"
#include "tk/tk.cuh"

// quantise: kernel quantise of quantise.tk with C = 4096, ROWS = 2.
//
// Roles:
//   quantise     8 warps (warps 0 to 7), 64 registers a thread
// 256 threads a block, launched with 64 registers each.
//
// Shared memory, 1024 bytes:
//    offset   bytes  what
//         0      32  1 x f32[1, 8], what the warps of quantise made of rows
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct quantise_shared {
    tk::shared_tile<float, 1, 8> quantise_f32_parts[1];
};
static_assert(offsetof(quantise_shared, quantise_f32_parts) == 0);

__global__ void __launch_bounds__(256, 4) quantise_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<tk::fp8_e4m3, 2> Y,
    const tk::tensor_argument<float, 1> Scale, int R) {
    extern __shared__ __align__(1024) unsigned char memory[];
    quantise_shared& shared = *reinterpret_cast<quantise_shared*>(memory);

    // quantise.tk:6: kernel quantise<C: int = 4096, ROWS: int = rows.fit(C, 8192)>(X: bf16[R, C],
    // out Y: fp8_e4m3[R, C], out Scale: f32[R])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 2;

    // quantise.tk:9: let q = quantise.rows(f32(load(X[r, :])));
    tk::stripe<tk::bf16, 2, 4096, 256, 128, 16> t0;
    const tk::global_tile<const tk::bf16> X_tile{tk::address(X, r, 0), X.stride[0], 1, R - r, 4096};
    tk::load_vectors(t0, X_tile, thread);

    // <std.quantise>:11: let top   = max(abs(x), axis = 1);
    tk::stripe<float, 2, 4096, 256, 128, 16> t1;
    tk::map(t1, thread, [](int, int, tk::bf16 t0) { return tk::abs(float(t0)); }, t0);
    tk::stripe<float, 2, 1, 256, 128, 16> top;
    tk::fold_rows(top, t1, tk::maximum{}, thread);
    tk::finish_rows(top, tk::maximum{}, shared.quantise_f32_parts[0], thread, 1);

    // <std.quantise>:12: let scale = where(top == 0, 1.0, top / 448);
    tk::stripe<float, 2, 1, 256, 128, 16> scale;
    tk::map(scale, thread, [](int, int, float top) {
        return top == 0.0f ? 1.0f : tk::divide(top, 448.0f);
    }, top);
    // quantise.tk:9, continued
    tk::stripe<tk::fp8_e4m3, 2, 4096, 256, 128, 16> q_cells;
    tk::map(q_cells, thread, [](int, int, tk::bf16 t0, float scale) {
        return tk::divide(float(t0), scale);
    }, t0, scale);

    // quantise.tk:10: store(Y[r, :], q.cells);
    const tk::global_tile<tk::fp8_e4m3> Y_tile{tk::address(Y, r, 0), Y.stride[0], 1, R - r, 4096};
    tk::store_vectors(Y_tile, q_cells, thread);

    // quantise.tk:11: store(Scale[r], q.scale);
    const tk::global_tile<float> Scale_tile{tk::address(Scale, r), Scale.stride[0], 0, R - r, 1};
    tk::store_global(Scale_tile, scale, thread);
}

// quantise_general: kernel quantise of quantise.tk with C = 4096, ROWS = 2, for tensors of any
// strides and alignment.
//
// Roles:
//   quantise     8 warps (warps 0 to 7), 255 registers a thread
// 256 threads a block, launched with 255 registers each.
//
// Shared memory, 1024 bytes:
//    offset   bytes  what
//         0      32  1 x f32[1, 8], what the warps of quantise made of rows
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct quantise_general_shared {
    tk::shared_tile<float, 1, 8> quantise_f32_parts[1];
};
static_assert(offsetof(quantise_general_shared, quantise_f32_parts) == 0);

__global__ void __launch_bounds__(256, 1) quantise_general_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<tk::fp8_e4m3, 2> Y,
    const tk::tensor_argument<float, 1> Scale, int R) {
    extern __shared__ __align__(1024) unsigned char memory[];
    quantise_general_shared& shared = *reinterpret_cast<quantise_general_shared*>(memory);

    // quantise.tk:6: kernel quantise<C: int = 4096, ROWS: int = rows.fit(C, 8192)>(X: bf16[R, C],
    // out Y: fp8_e4m3[R, C], out Scale: f32[R])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 2;

    // quantise.tk:9: let q = quantise.rows(f32(load(X[r, :])));
    tk::stripe<tk::bf16, 2, 4096, 256, 128, 4> t0;
    const tk::global_tile<const tk::bf16> X_tile{tk::address(X, r, 0), X.stride[0], X.stride[1],
                                                 R - r, 4096};
    tk::load_global(t0, X_tile, thread);

    // <std.quantise>:11: let top   = max(abs(x), axis = 1);
    tk::stripe<float, 2, 4096, 256, 128, 4> t1;
    tk::map(t1, thread, [](int, int, tk::bf16 t0) { return tk::abs(float(t0)); }, t0);
    tk::stripe<float, 2, 1, 256, 128, 4> top;
    tk::fold_rows(top, t1, tk::maximum{}, thread);
    tk::finish_rows(top, tk::maximum{}, shared.quantise_f32_parts[0], thread, 1);

    // <std.quantise>:12: let scale = where(top == 0, 1.0, top / 448);
    tk::stripe<float, 2, 1, 256, 128, 4> scale;
    tk::map(scale, thread, [](int, int, float top) {
        return top == 0.0f ? 1.0f : tk::divide(top, 448.0f);
    }, top);
    // quantise.tk:9, continued
    tk::stripe<tk::fp8_e4m3, 2, 4096, 256, 128, 4> q_cells;
    tk::map(q_cells, thread, [](int, int, tk::bf16 t0, float scale) {
        return tk::divide(float(t0), scale);
    }, t0, scale);

    // quantise.tk:10: store(Y[r, :], q.cells);
    const tk::global_tile<tk::fp8_e4m3> Y_tile{tk::address(Y, r, 0), Y.stride[0], Y.stride[1],
                                               R - r, 4096};
    tk::store_global(Y_tile, q_cells, thread);

    // quantise.tk:11: store(Scale[r], q.scale);
    const tk::global_tile<float> Scale_tile{tk::address(Scale, r), Scale.stride[0], 0, R - r, 1};
    tk::store_global(Scale_tile, scale, thread);
}

// quantise_blocks: kernel quantise_blocks of quantise.tk with G = 128, ROWS = 16.
//
// Roles:
//   quantise_blocks 8 warps (warps 0 to 7), 64 registers a thread
// 256 threads a block, launched with 64 registers each.
//
// Shared memory, 0 bytes:
//    offset   bytes  what
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct quantise_blocks_shared {
};

__global__ void __launch_bounds__(256, 4) quantise_blocks_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<tk::fp8_e4m3, 2> Y,
    const tk::tensor_argument<float, 2> Scale, int R, int C) {
    const int g_tiles = tk::tiles(C, 128);

    // quantise.tk:14: kernel quantise_blocks<G: int = 128, ROWS: int = 16>(X: bf16[R, C], out Y:
    // fp8_e4m3[R, C], out Scale: f32[R, C / G])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int g = program % g_tiles * 128;
    const int r = program / g_tiles * 16;

    // quantise.tk:18: let q = quantise.rows(f32(load(X[r, g])));
    tk::stripe<tk::bf16, 16, 128, 256, 8, 16> t0;
    const tk::vector_tile<const tk::bf16> X_tile{tk::address(X, r, g), X.stride[0], 1, R - r,
                                                 C - g};
    tk::load_vectors(t0, X_tile, thread);

    // <std.quantise>:11: let top   = max(abs(x), axis = 1);
    tk::stripe<float, 16, 128, 256, 8, 16> t1;
    tk::map(t1, thread, [](int, int, tk::bf16 t0) { return tk::abs(float(t0)); }, t0);
    tk::stripe<float, 16, 1, 256, 8, 16> top;
    tk::fold_rows(top, t1, tk::maximum{}, thread);
    tk::finish_rows(top, tk::maximum{});

    // <std.quantise>:12: let scale = where(top == 0, 1.0, top / 448);
    tk::stripe<float, 16, 1, 256, 8, 16> scale;
    tk::map(scale, thread, [](int, int, float top) {
        return top == 0.0f ? 1.0f : tk::divide(top, 448.0f);
    }, top);
    // quantise.tk:18, continued
    tk::stripe<tk::fp8_e4m3, 16, 128, 256, 8, 16> q_cells;
    tk::map(q_cells, thread, [](int, int, tk::bf16 t0, float scale) {
        return tk::divide(float(t0), scale);
    }, t0, scale);

    // quantise.tk:19: store(Y[r, g], q.cells);
    const tk::vector_tile<tk::fp8_e4m3> Y_tile{tk::address(Y, r, g), Y.stride[0], 1, R - r, C - g};
    tk::store_vectors(Y_tile, q_cells, thread);

    // quantise.tk:20: store(Scale[r, g.index +: 1], q.scale);
    const tk::global_tile<float> Scale_tile{tk::address(Scale, r, g / 128), Scale.stride[0],
                                            Scale.stride[1], R - r, C / 128 - g / 128};
    tk::store_global(Scale_tile, scale, thread);
}

// quantise_blocks_general: kernel quantise_blocks of quantise.tk with G = 128, ROWS = 16, for
// tensors of any strides and alignment.
//
// Roles:
//   quantise_blocks 8 warps (warps 0 to 7), 255 registers a thread
// 256 threads a block, launched with 255 registers each.
//
// Shared memory, 0 bytes:
//    offset   bytes  what
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct quantise_blocks_general_shared {
};

__global__ void __launch_bounds__(256, 1) quantise_blocks_general_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<tk::fp8_e4m3, 2> Y,
    const tk::tensor_argument<float, 2> Scale, int R, int C) {
    const int g_tiles = tk::tiles(C, 128);

    // quantise.tk:14: kernel quantise_blocks<G: int = 128, ROWS: int = 16>(X: bf16[R, C], out Y:
    // fp8_e4m3[R, C], out Scale: f32[R, C / G])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int g = program % g_tiles * 128;
    const int r = program / g_tiles * 16;

    // quantise.tk:18: let q = quantise.rows(f32(load(X[r, g])));
    tk::stripe<tk::bf16, 16, 128, 256, 32, 4> t0;
    const tk::global_tile<const tk::bf16> X_tile{tk::address(X, r, g), X.stride[0], X.stride[1],
                                                 R - r, C - g};
    tk::load_global(t0, X_tile, thread);

    // <std.quantise>:11: let top   = max(abs(x), axis = 1);
    tk::stripe<float, 16, 128, 256, 32, 4> t1;
    tk::map(t1, thread, [](int, int, tk::bf16 t0) { return tk::abs(float(t0)); }, t0);
    tk::stripe<float, 16, 1, 256, 32, 4> top;
    tk::fold_rows(top, t1, tk::maximum{}, thread);
    tk::finish_rows(top, tk::maximum{});

    // <std.quantise>:12: let scale = where(top == 0, 1.0, top / 448);
    tk::stripe<float, 16, 1, 256, 32, 4> scale;
    tk::map(scale, thread, [](int, int, float top) {
        return top == 0.0f ? 1.0f : tk::divide(top, 448.0f);
    }, top);
    // quantise.tk:18, continued
    tk::stripe<tk::fp8_e4m3, 16, 128, 256, 32, 4> q_cells;
    tk::map(q_cells, thread, [](int, int, tk::bf16 t0, float scale) {
        return tk::divide(float(t0), scale);
    }, t0, scale);

    // quantise.tk:19: store(Y[r, g], q.cells);
    const tk::global_tile<tk::fp8_e4m3> Y_tile{tk::address(Y, r, g), Y.stride[0], Y.stride[1],
                                               R - r, C - g};
    tk::store_global(Y_tile, q_cells, thread);

    // quantise.tk:20: store(Scale[r, g.index +: 1], q.scale);
    const tk::global_tile<float> Scale_tile{tk::address(Scale, r, g / 128), Scale.stride[0],
                                            Scale.stride[1], R - r, C / 128 - g / 128};
    tk::store_global(Scale_tile, scale, thread);
}

// dequantise: kernel dequantise of quantise.tk with BN = 2048, ROWS = 4.
//
// Roles:
//   dequantise   8 warps (warps 0 to 7), 64 registers a thread
// 256 threads a block, launched with 64 registers each.
//
// Shared memory, 0 bytes:
//    offset   bytes  what
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct dequantise_shared {
};

__global__ void __launch_bounds__(256, 4) dequantise_kernel(
    const tk::tensor_argument<const tk::fp8_e4m3, 2> X,
    const tk::tensor_argument<const float, 1> Scale, const tk::tensor_argument<tk::bf16, 2> Y,
    int M, int N) {
    const int n_tiles = tk::tiles(N, 2048);

    // quantise.tk:23: kernel dequantise<BN: int = 2048, ROWS: int = 4>(X: fp8_e4m3[M, N], Scale:
    // f32[M], out Y: bf16[M, N])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 2048;
    const int m = program / n_tiles * 4;

    // quantise.tk:26: store(Y[m, n], bf16(f32(load(X[m, n])) * column(load(Scale[m]))));
    tk::stripe<tk::fp8_e4m3, 4, 2048, 256, 64, 16> t0;
    const tk::vector_tile<const tk::fp8_e4m3> X_tile{tk::address(X, m, n), X.stride[0], 1, M - m,
                                                     N - n};
    tk::load_vectors(t0, X_tile, thread);
    tk::stripe<float, 4, 1, 256, 64, 16> t1;
    const tk::global_tile<const float> Scale_tile{tk::address(Scale, m), Scale.stride[0], 0, M - m,
                                                  1};
    tk::load_global(t1, Scale_tile, thread);
    tk::stripe<tk::bf16, 4, 2048, 256, 64, 16> t2;
    tk::map(t2, thread, [](int, int, tk::fp8_e4m3 t0, float t1) { return float(t0) * t1; }, t0, t1);
    const tk::vector_tile<tk::bf16> Y_tile{tk::address(Y, m, n), Y.stride[0], 1, M - m, N - n};
    tk::store_vectors(Y_tile, t2, thread);
}

// dequantise_general: kernel dequantise of quantise.tk with BN = 2048, ROWS = 4, for tensors of any
// strides and alignment.
//
// Roles:
//   dequantise   8 warps (warps 0 to 7), 255 registers a thread
// 256 threads a block, launched with 255 registers each.
//
// Shared memory, 0 bytes:
//    offset   bytes  what
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct dequantise_general_shared {
};

__global__ void __launch_bounds__(256, 1) dequantise_general_kernel(
    const tk::tensor_argument<const tk::fp8_e4m3, 2> X,
    const tk::tensor_argument<const float, 1> Scale, const tk::tensor_argument<tk::bf16, 2> Y,
    int M, int N) {
    const int n_tiles = tk::tiles(N, 2048);

    // quantise.tk:23: kernel dequantise<BN: int = 2048, ROWS: int = 4>(X: fp8_e4m3[M, N], Scale:
    // f32[M], out Y: bf16[M, N])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 2048;
    const int m = program / n_tiles * 4;

    // quantise.tk:26: store(Y[m, n], bf16(f32(load(X[m, n])) * column(load(Scale[m]))));
    tk::stripe<tk::fp8_e4m3, 4, 2048, 256, 64, 4> t0;
    const tk::global_tile<const tk::fp8_e4m3> X_tile{tk::address(X, m, n), X.stride[0], X.stride[1],
                                                     M - m, N - n};
    tk::load_global(t0, X_tile, thread);
    tk::stripe<float, 4, 1, 256, 64, 4> t1;
    const tk::global_tile<const float> Scale_tile{tk::address(Scale, m), Scale.stride[0], 0, M - m,
                                                  1};
    tk::load_global(t1, Scale_tile, thread);
    tk::stripe<tk::bf16, 4, 2048, 256, 64, 4> t2;
    tk::map(t2, thread, [](int, int, tk::fp8_e4m3 t0, float t1) { return float(t0) * t1; }, t0, t1);
    const tk::global_tile<tk::bf16> Y_tile{tk::address(Y, m, n), Y.stride[0], Y.stride[1], M - m,
                                           N - n};
    tk::store_global(Y_tile, t2, thread);
}

#include "tk/host/launcher.h"

namespace {
// quantise: C = 4096, ROWS = 2
tk::status launch_quantise(const tk::launch_site& site, const tk::tensor& X, const tk::tensor& Y,
                           const tk::tensor& Scale, int64_t R) {
    const int64_t programs = tk::ceil_div(R, 2);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&quantise_kernel),
                                    static_cast<int>(sizeof(quantise_shared)), {}, {}};
    return tk::launch_kernel(kernel, quantise_kernel, site, programs, 256,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<tk::fp8_e4m3, 2>(Y),
                             tk::cells<float, 1>(Scale), static_cast<int>(R));
}

// quantise_general: C = 4096, ROWS = 2
tk::status launch_quantise_general(const tk::launch_site& site, const tk::tensor& X,
                                   const tk::tensor& Y, const tk::tensor& Scale, int64_t R) {
    const int64_t programs = tk::ceil_div(R, 2);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&quantise_general_kernel),
                                    static_cast<int>(sizeof(quantise_general_shared)), {}, {}};
    return tk::launch_kernel(kernel, quantise_general_kernel, site, programs, 256,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<tk::fp8_e4m3, 2>(Y),
                             tk::cells<float, 1>(Scale), static_cast<int>(R));
}

tk::status run_quantise(const DLTensor* X_given, DLTensor* Y_given, DLTensor* Scale_given,
                        cudaStream_t stream) {
    tk::arguments call{"quantise"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_fp8_e4m3, 2, tk::access::write);
    const tk::tensor Scale = call.take("Scale", Scale_given, tk::dtype_f32, 1, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t R = X.shape[0];

    call.require(X.shape[1] == 4096, "axis 1 of `X` is {}; this kernel is made for 4096",
                 {X.shape[1]});
    call.require(Y.shape[0] == R, "`R` is {} in axis 0 of `X`, but {} in axis 0 of `Y`",
                 {R, Y.shape[0]});
    call.require(Y.shape[1] == 4096, "axis 1 of `Y` is {}; this kernel is made for 4096",
                 {Y.shape[1]});
    call.require(Scale.shape[0] == R, "`R` is {} in axis 0 of `X`, but {} in axis 0 of `Scale`",
                 {R, Scale.shape[0]});
    call.require(R < 2147221504, "`R` is {}; extents must be less than 2147221504", {R});
    if (!call.ok()) return call.result();

    const tk::device_scope device{call.device()};
    TK_RETURN_IF_FAILED(device.result());
    tk::launch_site site;
    TK_RETURN_IF_FAILED(tk::find_site(site, stream));

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call.function(), site};
    choice.candidate();  // quantise
    choice.prefer(X.stride[1] == 1);
    choice.prefer(X.address % 16 == 0);
    choice.prefer(X.stride[0] % 8 == 0 && 0 < X.stride[0] && X.stride[0] < 549755813888);
    choice.prefer(Y.stride[1] == 1);
    choice.prefer(Y.address % 16 == 0);
    choice.prefer(Y.stride[0] % 16 == 0 && 0 < Y.stride[0] && Y.stride[0] < 1099511627776);
    choice.offer(tk::ceil_div(R, 2), 3421);
    choice.candidate(true);  // quantise_general
    choice.offer(tk::ceil_div(R, 2), 3421);
    if (choice.best() == 0) return launch_quantise(site, X, Y, Scale, R);
    if (choice.best() == 1) return launch_quantise_general(site, X, Y, Scale, R);
    return choice.result();
}

// quantise_blocks: G = 128, ROWS = 16
tk::status launch_quantise_blocks(const tk::launch_site& site, const tk::tensor& X,
                                  const tk::tensor& Y, const tk::tensor& Scale, int64_t R,
                                  int64_t C) {
    const int64_t programs = tk::multiply(tk::ceil_div(C, 128), tk::ceil_div(R, 16));
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&quantise_blocks_kernel),
                                    static_cast<int>(sizeof(quantise_blocks_shared)), {}, {}};
    return tk::launch_kernel(kernel, quantise_blocks_kernel, site, programs, 256,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<tk::fp8_e4m3, 2>(Y),
                             tk::cells<float, 2>(Scale), static_cast<int>(R), static_cast<int>(C));
}

// quantise_blocks_general: G = 128, ROWS = 16
tk::status launch_quantise_blocks_general(const tk::launch_site& site, const tk::tensor& X,
                                          const tk::tensor& Y, const tk::tensor& Scale, int64_t R,
                                          int64_t C) {
    const int64_t programs = tk::multiply(tk::ceil_div(C, 128), tk::ceil_div(R, 16));
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&quantise_blocks_general_kernel),
                                    static_cast<int>(sizeof(quantise_blocks_general_shared)), {},
                                    {}};
    return tk::launch_kernel(kernel, quantise_blocks_general_kernel, site, programs, 256,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<tk::fp8_e4m3, 2>(Y),
                             tk::cells<float, 2>(Scale), static_cast<int>(R), static_cast<int>(C));
}

tk::status run_quantise_blocks(const DLTensor* X_given, DLTensor* Y_given, DLTensor* Scale_given,
                               cudaStream_t stream) {
    tk::arguments call{"quantise_blocks"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_fp8_e4m3, 2, tk::access::write);
    const tk::tensor Scale = call.take("Scale", Scale_given, tk::dtype_f32, 2, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t R = X.shape[0];
    const int64_t C = X.shape[1];

    call.require(Y.shape[0] == R, "`R` is {} in axis 0 of `X`, but {} in axis 0 of `Y`",
                 {R, Y.shape[0]});
    call.require(Y.shape[1] == C, "`C` is {} in axis 1 of `X`, but {} in axis 1 of `Y`",
                 {C, Y.shape[1]});
    call.require(Scale.shape[0] == R, "`R` is {} in axis 0 of `X`, but {} in axis 0 of `Scale`",
                 {R, Scale.shape[0]});
    call.require(R < 2147221504, "`R` is {}; extents must be less than 2147221504", {R});
    call.require(C < 2147221504, "`C` is {}; extents must be less than 2147221504", {C});
    call.require(C % 128 == 0, "`C/128` is an extent, but {} is no multiple of 128", {C});
    call.require(Scale.shape[1] == tk::floor_div(C, 128),
                 "axis 1 of `Scale` is {}; it must be `C/128`, which is {}",
                 {Scale.shape[1], tk::floor_div(C, 128)});
    call.require(tk::multiply(tk::ceil_div(C, 128), tk::ceil_div(R, 16)) < 2147483648,
                 "the grid has {} programs; it must have less than 2147483648",
                 {tk::multiply(tk::ceil_div(C, 128), tk::ceil_div(R, 16))});
    if (!call.ok()) return call.result();

    const tk::device_scope device{call.device()};
    TK_RETURN_IF_FAILED(device.result());
    tk::launch_site site;
    TK_RETURN_IF_FAILED(tk::find_site(site, stream));

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call.function(), site};
    choice.candidate();  // quantise_blocks
    choice.prefer(X.stride[1] == 1);
    choice.prefer(X.address % 16 == 0);
    choice.prefer(X.stride[0] % 8 == 0 && 0 < X.stride[0] && X.stride[0] < 549755813888);
    choice.prefer(C % 16 == 0);
    choice.prefer(Y.stride[1] == 1);
    choice.prefer(Y.address % 16 == 0);
    choice.prefer(Y.stride[0] % 16 == 0 && 0 < Y.stride[0] && Y.stride[0] < 1099511627776);
    choice.offer(tk::multiply(tk::ceil_div(C, 128), tk::ceil_div(R, 16)), 1985);
    choice.candidate(true);  // quantise_blocks_general
    choice.offer(tk::multiply(tk::ceil_div(C, 128), tk::ceil_div(R, 16)), 1985);
    if (choice.best() == 0) return launch_quantise_blocks(site, X, Y, Scale, R, C);
    if (choice.best() == 1) return launch_quantise_blocks_general(site, X, Y, Scale, R, C);
    return choice.result();
}

// dequantise: BN = 2048, ROWS = 4
tk::status launch_dequantise(const tk::launch_site& site, const tk::tensor& X,
                             const tk::tensor& Scale, const tk::tensor& Y, int64_t M, int64_t N) {
    const int64_t programs = tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4));
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&dequantise_kernel),
                                    static_cast<int>(sizeof(dequantise_shared)), {}, {}};
    return tk::launch_kernel(kernel, dequantise_kernel, site, programs, 256,
                             tk::cells<const tk::fp8_e4m3, 2>(X), tk::cells<const float, 1>(Scale),
                             tk::cells<tk::bf16, 2>(Y), static_cast<int>(M), static_cast<int>(N));
}

// dequantise_general: BN = 2048, ROWS = 4
tk::status launch_dequantise_general(const tk::launch_site& site, const tk::tensor& X,
                                     const tk::tensor& Scale, const tk::tensor& Y, int64_t M,
                                     int64_t N) {
    const int64_t programs = tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4));
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&dequantise_general_kernel),
                                    static_cast<int>(sizeof(dequantise_general_shared)), {}, {}};
    return tk::launch_kernel(kernel, dequantise_general_kernel, site, programs, 256,
                             tk::cells<const tk::fp8_e4m3, 2>(X), tk::cells<const float, 1>(Scale),
                             tk::cells<tk::bf16, 2>(Y), static_cast<int>(M), static_cast<int>(N));
}

tk::status run_dequantise(const DLTensor* X_given, const DLTensor* Scale_given, DLTensor* Y_given,
                          cudaStream_t stream) {
    tk::arguments call{"dequantise"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_fp8_e4m3, 2, tk::access::read);
    const tk::tensor Scale = call.take("Scale", Scale_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t M = X.shape[0];
    const int64_t N = X.shape[1];

    call.require(Scale.shape[0] == M, "`M` is {} in axis 0 of `X`, but {} in axis 0 of `Scale`",
                 {M, Scale.shape[0]});
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
    choice.candidate();  // dequantise
    choice.prefer(X.stride[1] == 1);
    choice.prefer(X.address % 16 == 0);
    choice.prefer(X.stride[0] % 16 == 0 && 0 < X.stride[0] && X.stride[0] < 1099511627776);
    choice.prefer(N % 16 == 0);
    choice.prefer(Y.stride[1] == 1);
    choice.prefer(Y.address % 16 == 0);
    choice.prefer(Y.stride[0] % 8 == 0 && 0 < Y.stride[0] && Y.stride[0] < 549755813888);
    choice.offer(tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4)), 3229);
    choice.candidate(true);  // dequantise_general
    choice.offer(tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4)), 3229);
    if (choice.best() == 0) return launch_dequantise(site, X, Scale, Y, M, N);
    if (choice.best() == 1) return launch_dequantise_general(site, X, Scale, Y, M, N);
    return choice.result();
}

}  // namespace

extern "C" {
int quantise(const DLTensor* X_given, DLTensor* Y_given, DLTensor* Scale_given, void*, size_t,
             cudaStream_t stream) {
    return tk::finish(run_quantise(X_given, Y_given, Scale_given, stream));
}

size_t quantise_workspace(const DLTensor*, DLTensor*, DLTensor*) {
    return 0;
}

const char* quantise_error() {
    return tk::last_sentence;
}

int quantise_blocks(const DLTensor* X_given, DLTensor* Y_given, DLTensor* Scale_given, void*,
                    size_t, cudaStream_t stream) {
    return tk::finish(run_quantise_blocks(X_given, Y_given, Scale_given, stream));
}

size_t quantise_blocks_workspace(const DLTensor*, DLTensor*, DLTensor*) {
    return 0;
}

const char* quantise_blocks_error() {
    return tk::last_sentence;
}

int dequantise(const DLTensor* X_given, const DLTensor* Scale_given, DLTensor* Y_given, void*,
               size_t, cudaStream_t stream) {
    return tk::finish(run_dequantise(X_given, Scale_given, Y_given, stream));
}

size_t dequantise_workspace(const DLTensor*, const DLTensor*, DLTensor*) {
    return 0;
}

const char* dequantise_error() {
    return tk::last_sentence;
}
}  // extern "C"
