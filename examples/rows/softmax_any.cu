// Made by tkc from softmax_any.tk: change that, and not this.

#include <cuda.h>

#include "tk/host/tensor_argument.h"
#include "tk/operations/cells.cuh"
#include "tk/tk.cuh"

// softmax_any: kernel softmax_any of softmax_any.tk with W = 1024, ROWS = 8.
//
// Roles:
//   softmax_any  8 warps (warps 0 to 7), 80 registers a thread
// 256 threads a block, launched with 80 registers each.
//
// Shared memory, 0 bytes:
//    offset   bytes  what
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct softmax_any_shared {
};

__global__ void __launch_bounds__(256, 3) softmax_any_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<tk::bf16, 2> Y, int R,
    int C) {
    // softmax_any.tk:5: kernel softmax_any<W: int = 1024, ROWS: int = rows.fit(W, 8192)>(X: bf16[R,
    // C], out Y: bf16[R, C])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 8;

    // softmax_any.tk:9: let x = pad(f32(load(X[r, 0 +: W])), axis = 1, with = -inf);
    tk::stripe<tk::bf16, 8, 1024, 256, 32, 8> t0;
    const tk::vector_tile<const tk::bf16> X_tile{tk::address(X, r, 0), X.stride[0], 1, R - r, C};
    tk::load_vectors(t0, X_tile, thread);
    tk::stripe<float, 8, 1024, 256, 32, 8> x;
    tk::map(x, thread, [&](int, int col, tk::bf16 t0) {
        return col < C ? float(t0) : -INFINITY;
    }, t0);

    // softmax_any.tk:10: let e = exp(x - max(x, axis = 1));
    tk::stripe<float, 8, 1, 256, 32, 8> t1;
    tk::fold_rows(t1, x, tk::maximum{}, thread);
    tk::finish_rows(t1, tk::maximum{});
    tk::stripe<float, 8, 1024, 256, 32, 8> e;
    tk::map(e, thread, [](int, int, float x, float t1) { return tk::exp(x - t1); }, x, t1);

    // softmax_any.tk:11: store(Y[r, 0 +: W], bf16(e / sum(e, axis = 1)));
    tk::stripe<float, 8, 1, 256, 32, 8> t2;
    tk::fold_rows(t2, e, tk::plus{}, thread);
    tk::finish_rows(t2, tk::plus{});
    tk::stripe<tk::bf16, 8, 1024, 256, 32, 8> t3;
    tk::map(t3, thread, [](int, int, float e, float t2) { return tk::divide(e, t2); }, e, t2);
    const tk::vector_tile<tk::bf16> Y_tile{tk::address(Y, r, 0), Y.stride[0], 1, R - r, C};
    tk::store_vectors(Y_tile, t3, thread);
}

// softmax_any_general: kernel softmax_any of softmax_any.tk with W = 1024, ROWS = 8, for tensors of
// any strides and alignment.
//
// Roles:
//   softmax_any  8 warps (warps 0 to 7), 255 registers a thread
// 256 threads a block, launched with 255 registers each.
//
// Shared memory, 0 bytes:
//    offset   bytes  what
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct softmax_any_general_shared {
};

__global__ void __launch_bounds__(256, 1) softmax_any_general_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<tk::bf16, 2> Y, int R,
    int C) {
    // softmax_any.tk:5: kernel softmax_any<W: int = 1024, ROWS: int = rows.fit(W, 8192)>(X: bf16[R,
    // C], out Y: bf16[R, C])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 8;

    // softmax_any.tk:9: let x = pad(f32(load(X[r, 0 +: W])), axis = 1, with = -inf);
    tk::stripe<tk::bf16, 8, 1024, 256, 32, 2> t0;
    const tk::global_tile<const tk::bf16> X_tile{tk::address(X, r, 0), X.stride[0], X.stride[1],
                                                 R - r, C};
    tk::load_global(t0, X_tile, thread);
    tk::stripe<float, 8, 1024, 256, 32, 2> x;
    tk::map(x, thread, [&](int, int col, tk::bf16 t0) {
        return col < C ? float(t0) : -INFINITY;
    }, t0);

    // softmax_any.tk:10: let e = exp(x - max(x, axis = 1));
    tk::stripe<float, 8, 1, 256, 32, 2> t1;
    tk::fold_rows(t1, x, tk::maximum{}, thread);
    tk::finish_rows(t1, tk::maximum{});
    tk::stripe<float, 8, 1024, 256, 32, 2> e;
    tk::map(e, thread, [](int, int, float x, float t1) { return tk::exp(x - t1); }, x, t1);

    // softmax_any.tk:11: store(Y[r, 0 +: W], bf16(e / sum(e, axis = 1)));
    tk::stripe<float, 8, 1, 256, 32, 2> t2;
    tk::fold_rows(t2, e, tk::plus{}, thread);
    tk::finish_rows(t2, tk::plus{});
    tk::stripe<tk::bf16, 8, 1024, 256, 32, 2> t3;
    tk::map(t3, thread, [](int, int, float e, float t2) { return tk::divide(e, t2); }, e, t2);
    const tk::global_tile<tk::bf16> Y_tile{tk::address(Y, r, 0), Y.stride[0], Y.stride[1], R - r,
                                           C};
    tk::store_global(Y_tile, t3, thread);
}

// softmax_any_4096: kernel softmax_any of softmax_any.tk with W = 4096, ROWS = 2.
//
// Roles:
//   softmax_any  8 warps (warps 0 to 7), 80 registers a thread
// 256 threads a block, launched with 80 registers each.
//
// Shared memory, 1024 bytes:
//    offset   bytes  what
//         0      32  1 x f32[1, 8], what the warps of softmax_any made of rows
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct softmax_any_4096_shared {
    tk::shared_tile<float, 1, 8> softmax_any_f32_parts[1];
};
static_assert(offsetof(softmax_any_4096_shared, softmax_any_f32_parts) == 0);

__global__ void __launch_bounds__(256, 3) softmax_any_4096_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<tk::bf16, 2> Y, int R,
    int C) {
    extern __shared__ __align__(1024) unsigned char memory[];
    softmax_any_4096_shared& shared = *reinterpret_cast<softmax_any_4096_shared*>(memory);

    // softmax_any.tk:5: kernel softmax_any<W: int = 1024, ROWS: int = rows.fit(W, 8192)>(X: bf16[R,
    // C], out Y: bf16[R, C])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 2;

    // softmax_any.tk:9: let x = pad(f32(load(X[r, 0 +: W])), axis = 1, with = -inf);
    tk::stripe<tk::bf16, 2, 4096, 256, 128, 8> t0;
    const tk::vector_tile<const tk::bf16> X_tile{tk::address(X, r, 0), X.stride[0], 1, R - r, C};
    tk::load_vectors(t0, X_tile, thread);
    tk::stripe<float, 2, 4096, 256, 128, 8> x;
    tk::map(x, thread, [&](int, int col, tk::bf16 t0) {
        return col < C ? float(t0) : -INFINITY;
    }, t0);

    // softmax_any.tk:10: let e = exp(x - max(x, axis = 1));
    tk::stripe<float, 2, 1, 256, 128, 8> t1;
    tk::fold_rows(t1, x, tk::maximum{}, thread);
    tk::finish_rows(t1, tk::maximum{}, shared.softmax_any_f32_parts[0], thread, 1);
    tk::stripe<float, 2, 4096, 256, 128, 8> e;
    tk::map(e, thread, [](int, int, float x, float t1) { return tk::exp(x - t1); }, x, t1);

    // softmax_any.tk:11: store(Y[r, 0 +: W], bf16(e / sum(e, axis = 1)));
    tk::stripe<float, 2, 1, 256, 128, 8> t2;
    tk::fold_rows(t2, e, tk::plus{}, thread);
    tk::finish_rows(t2, tk::plus{}, shared.softmax_any_f32_parts[0], thread, 1);
    tk::stripe<tk::bf16, 2, 4096, 256, 128, 8> t3;
    tk::map(t3, thread, [](int, int, float e, float t2) { return tk::divide(e, t2); }, e, t2);
    const tk::vector_tile<tk::bf16> Y_tile{tk::address(Y, r, 0), Y.stride[0], 1, R - r, C};
    tk::store_vectors(Y_tile, t3, thread);
}

// softmax_any_4096_general: kernel softmax_any of softmax_any.tk with W = 4096, ROWS = 2, for
// tensors of any strides and alignment.
//
// Roles:
//   softmax_any  8 warps (warps 0 to 7), 255 registers a thread
// 256 threads a block, launched with 255 registers each.
//
// Shared memory, 1024 bytes:
//    offset   bytes  what
//         0      32  1 x f32[1, 8], what the warps of softmax_any made of rows
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct softmax_any_4096_general_shared {
    tk::shared_tile<float, 1, 8> softmax_any_f32_parts[1];
};
static_assert(offsetof(softmax_any_4096_general_shared, softmax_any_f32_parts) == 0);

__global__ void __launch_bounds__(256, 1) softmax_any_4096_general_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<tk::bf16, 2> Y, int R,
    int C) {
    extern __shared__ __align__(1024) unsigned char memory[];
    softmax_any_4096_general_shared& shared =
        *reinterpret_cast<softmax_any_4096_general_shared*>(memory);

    // softmax_any.tk:5: kernel softmax_any<W: int = 1024, ROWS: int = rows.fit(W, 8192)>(X: bf16[R,
    // C], out Y: bf16[R, C])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 2;

    // softmax_any.tk:9: let x = pad(f32(load(X[r, 0 +: W])), axis = 1, with = -inf);
    tk::stripe<tk::bf16, 2, 4096, 256, 128, 2> t0;
    const tk::global_tile<const tk::bf16> X_tile{tk::address(X, r, 0), X.stride[0], X.stride[1],
                                                 R - r, C};
    tk::load_global(t0, X_tile, thread);
    tk::stripe<float, 2, 4096, 256, 128, 2> x;
    tk::map(x, thread, [&](int, int col, tk::bf16 t0) {
        return col < C ? float(t0) : -INFINITY;
    }, t0);

    // softmax_any.tk:10: let e = exp(x - max(x, axis = 1));
    tk::stripe<float, 2, 1, 256, 128, 2> t1;
    tk::fold_rows(t1, x, tk::maximum{}, thread);
    tk::finish_rows(t1, tk::maximum{}, shared.softmax_any_f32_parts[0], thread, 1);
    tk::stripe<float, 2, 4096, 256, 128, 2> e;
    tk::map(e, thread, [](int, int, float x, float t1) { return tk::exp(x - t1); }, x, t1);

    // softmax_any.tk:11: store(Y[r, 0 +: W], bf16(e / sum(e, axis = 1)));
    tk::stripe<float, 2, 1, 256, 128, 2> t2;
    tk::fold_rows(t2, e, tk::plus{}, thread);
    tk::finish_rows(t2, tk::plus{}, shared.softmax_any_f32_parts[0], thread, 1);
    tk::stripe<tk::bf16, 2, 4096, 256, 128, 2> t3;
    tk::map(t3, thread, [](int, int, float e, float t2) { return tk::divide(e, t2); }, e, t2);
    const tk::global_tile<tk::bf16> Y_tile{tk::address(Y, r, 0), Y.stride[0], Y.stride[1], R - r,
                                           C};
    tk::store_global(Y_tile, t3, thread);
}

// softmax_any_8192: kernel softmax_any of softmax_any.tk with W = 8192, ROWS = 1.
//
// Roles:
//   softmax_any  8 warps (warps 0 to 7), 80 registers a thread
// 256 threads a block, launched with 80 registers each.
//
// Shared memory, 1024 bytes:
//    offset   bytes  what
//         0      32  1 x f32[1, 8], what the warps of softmax_any made of rows
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct softmax_any_8192_shared {
    tk::shared_tile<float, 1, 8> softmax_any_f32_parts[1];
};
static_assert(offsetof(softmax_any_8192_shared, softmax_any_f32_parts) == 0);

__global__ void __launch_bounds__(256, 3) softmax_any_8192_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<tk::bf16, 2> Y, int R,
    int C) {
    extern __shared__ __align__(1024) unsigned char memory[];
    softmax_any_8192_shared& shared = *reinterpret_cast<softmax_any_8192_shared*>(memory);

    // softmax_any.tk:5: kernel softmax_any<W: int = 1024, ROWS: int = rows.fit(W, 8192)>(X: bf16[R,
    // C], out Y: bf16[R, C])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program;

    // softmax_any.tk:9: let x = pad(f32(load(X[r, 0 +: W])), axis = 1, with = -inf);
    tk::stripe<tk::bf16, 1, 8192, 256, 256, 8> t0;
    const tk::vector_tile<const tk::bf16> X_tile{tk::address(X, r, 0), X.stride[0], 1, R - r, C};
    tk::load_vectors(t0, X_tile, thread);
    tk::stripe<float, 1, 8192, 256, 256, 8> x;
    tk::map(x, thread, [&](int, int col, tk::bf16 t0) {
        return col < C ? float(t0) : -INFINITY;
    }, t0);

    // softmax_any.tk:10: let e = exp(x - max(x, axis = 1));
    tk::stripe<float, 1, 1, 256, 256, 8> t1;
    tk::fold_rows(t1, x, tk::maximum{}, thread);
    tk::finish_rows(t1, tk::maximum{}, shared.softmax_any_f32_parts[0], thread, 1);
    tk::stripe<float, 1, 8192, 256, 256, 8> e;
    tk::map(e, thread, [](int, int, float x, float t1) { return tk::exp(x - t1); }, x, t1);

    // softmax_any.tk:11: store(Y[r, 0 +: W], bf16(e / sum(e, axis = 1)));
    tk::stripe<float, 1, 1, 256, 256, 8> t2;
    tk::fold_rows(t2, e, tk::plus{}, thread);
    tk::finish_rows(t2, tk::plus{}, shared.softmax_any_f32_parts[0], thread, 1);
    tk::stripe<tk::bf16, 1, 8192, 256, 256, 8> t3;
    tk::map(t3, thread, [](int, int, float e, float t2) { return tk::divide(e, t2); }, e, t2);
    const tk::vector_tile<tk::bf16> Y_tile{tk::address(Y, r, 0), Y.stride[0], 1, R - r, C};
    tk::store_vectors(Y_tile, t3, thread);
}

// softmax_any_8192_general: kernel softmax_any of softmax_any.tk with W = 8192, ROWS = 1, for
// tensors of any strides and alignment.
//
// Roles:
//   softmax_any  8 warps (warps 0 to 7), 255 registers a thread
// 256 threads a block, launched with 255 registers each.
//
// Shared memory, 1024 bytes:
//    offset   bytes  what
//         0      32  1 x f32[1, 8], what the warps of softmax_any made of rows
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct softmax_any_8192_general_shared {
    tk::shared_tile<float, 1, 8> softmax_any_f32_parts[1];
};
static_assert(offsetof(softmax_any_8192_general_shared, softmax_any_f32_parts) == 0);

__global__ void __launch_bounds__(256, 1) softmax_any_8192_general_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<tk::bf16, 2> Y, int R,
    int C) {
    extern __shared__ __align__(1024) unsigned char memory[];
    softmax_any_8192_general_shared& shared =
        *reinterpret_cast<softmax_any_8192_general_shared*>(memory);

    // softmax_any.tk:5: kernel softmax_any<W: int = 1024, ROWS: int = rows.fit(W, 8192)>(X: bf16[R,
    // C], out Y: bf16[R, C])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program;

    // softmax_any.tk:9: let x = pad(f32(load(X[r, 0 +: W])), axis = 1, with = -inf);
    tk::stripe<tk::bf16, 1, 8192, 256, 256, 2> t0;
    const tk::global_tile<const tk::bf16> X_tile{tk::address(X, r, 0), X.stride[0], X.stride[1],
                                                 R - r, C};
    tk::load_global(t0, X_tile, thread);
    tk::stripe<float, 1, 8192, 256, 256, 2> x;
    tk::map(x, thread, [&](int, int col, tk::bf16 t0) {
        return col < C ? float(t0) : -INFINITY;
    }, t0);

    // softmax_any.tk:10: let e = exp(x - max(x, axis = 1));
    tk::stripe<float, 1, 1, 256, 256, 2> t1;
    tk::fold_rows(t1, x, tk::maximum{}, thread);
    tk::finish_rows(t1, tk::maximum{}, shared.softmax_any_f32_parts[0], thread, 1);
    tk::stripe<float, 1, 8192, 256, 256, 2> e;
    tk::map(e, thread, [](int, int, float x, float t1) { return tk::exp(x - t1); }, x, t1);

    // softmax_any.tk:11: store(Y[r, 0 +: W], bf16(e / sum(e, axis = 1)));
    tk::stripe<float, 1, 1, 256, 256, 2> t2;
    tk::fold_rows(t2, e, tk::plus{}, thread);
    tk::finish_rows(t2, tk::plus{}, shared.softmax_any_f32_parts[0], thread, 1);
    tk::stripe<tk::bf16, 1, 8192, 256, 256, 2> t3;
    tk::map(t3, thread, [](int, int, float e, float t2) { return tk::divide(e, t2); }, e, t2);
    const tk::global_tile<tk::bf16> Y_tile{tk::address(Y, r, 0), Y.stride[0], Y.stride[1], R - r,
                                           C};
    tk::store_global(Y_tile, t3, thread);
}

// softmax_any_16384: kernel softmax_any of softmax_any.tk with W = 16384, ROWS = 1.
//
// Roles:
//   softmax_any  8 warps (warps 0 to 7), 128 registers a thread
// 256 threads a block, launched with 128 registers each.
//
// Shared memory, 1024 bytes:
//    offset   bytes  what
//         0      32  1 x f32[1, 8], what the warps of softmax_any made of rows
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct softmax_any_16384_shared {
    tk::shared_tile<float, 1, 8> softmax_any_f32_parts[1];
};
static_assert(offsetof(softmax_any_16384_shared, softmax_any_f32_parts) == 0);

__global__ void __launch_bounds__(256, 2) softmax_any_16384_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<tk::bf16, 2> Y, int R,
    int C) {
    extern __shared__ __align__(1024) unsigned char memory[];
    softmax_any_16384_shared& shared = *reinterpret_cast<softmax_any_16384_shared*>(memory);

    // softmax_any.tk:5: kernel softmax_any<W: int = 1024, ROWS: int = rows.fit(W, 8192)>(X: bf16[R,
    // C], out Y: bf16[R, C])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program;

    // softmax_any.tk:9: let x = pad(f32(load(X[r, 0 +: W])), axis = 1, with = -inf);
    tk::stripe<tk::bf16, 1, 16384, 256, 256, 8> t0;
    const tk::vector_tile<const tk::bf16> X_tile{tk::address(X, r, 0), X.stride[0], 1, R - r, C};
    tk::load_vectors(t0, X_tile, thread);
    tk::stripe<float, 1, 16384, 256, 256, 8> x;
    tk::map(x, thread, [&](int, int col, tk::bf16 t0) {
        return col < C ? float(t0) : -INFINITY;
    }, t0);

    // softmax_any.tk:10: let e = exp(x - max(x, axis = 1));
    tk::stripe<float, 1, 1, 256, 256, 8> t1;
    tk::fold_rows(t1, x, tk::maximum{}, thread);
    tk::finish_rows(t1, tk::maximum{}, shared.softmax_any_f32_parts[0], thread, 1);
    tk::stripe<float, 1, 16384, 256, 256, 8> e;
    tk::map(e, thread, [](int, int, float x, float t1) { return tk::exp(x - t1); }, x, t1);

    // softmax_any.tk:11: store(Y[r, 0 +: W], bf16(e / sum(e, axis = 1)));
    tk::stripe<float, 1, 1, 256, 256, 8> t2;
    tk::fold_rows(t2, e, tk::plus{}, thread);
    tk::finish_rows(t2, tk::plus{}, shared.softmax_any_f32_parts[0], thread, 1);
    tk::stripe<tk::bf16, 1, 16384, 256, 256, 8> t3;
    tk::map(t3, thread, [](int, int, float e, float t2) { return tk::divide(e, t2); }, e, t2);
    const tk::vector_tile<tk::bf16> Y_tile{tk::address(Y, r, 0), Y.stride[0], 1, R - r, C};
    tk::store_vectors(Y_tile, t3, thread);
}

// softmax_any_16384_general: kernel softmax_any of softmax_any.tk with W = 16384, ROWS = 1, for
// tensors of any strides and alignment.
//
// Roles:
//   softmax_any  8 warps (warps 0 to 7), 255 registers a thread
// 256 threads a block, launched with 255 registers each.
//
// Shared memory, 1024 bytes:
//    offset   bytes  what
//         0      32  1 x f32[1, 8], what the warps of softmax_any made of rows
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct softmax_any_16384_general_shared {
    tk::shared_tile<float, 1, 8> softmax_any_f32_parts[1];
};
static_assert(offsetof(softmax_any_16384_general_shared, softmax_any_f32_parts) == 0);

__global__ void __launch_bounds__(256, 1) softmax_any_16384_general_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<tk::bf16, 2> Y, int R,
    int C) {
    extern __shared__ __align__(1024) unsigned char memory[];
    softmax_any_16384_general_shared& shared =
        *reinterpret_cast<softmax_any_16384_general_shared*>(memory);

    // softmax_any.tk:5: kernel softmax_any<W: int = 1024, ROWS: int = rows.fit(W, 8192)>(X: bf16[R,
    // C], out Y: bf16[R, C])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program;

    // softmax_any.tk:9: let x = pad(f32(load(X[r, 0 +: W])), axis = 1, with = -inf);
    tk::stripe<tk::bf16, 1, 16384, 256, 256, 4> t0;
    const tk::global_tile<const tk::bf16> X_tile{tk::address(X, r, 0), X.stride[0], X.stride[1],
                                                 R - r, C};
    tk::load_global(t0, X_tile, thread);
    tk::stripe<float, 1, 16384, 256, 256, 4> x;
    tk::map(x, thread, [&](int, int col, tk::bf16 t0) {
        return col < C ? float(t0) : -INFINITY;
    }, t0);

    // softmax_any.tk:10: let e = exp(x - max(x, axis = 1));
    tk::stripe<float, 1, 1, 256, 256, 4> t1;
    tk::fold_rows(t1, x, tk::maximum{}, thread);
    tk::finish_rows(t1, tk::maximum{}, shared.softmax_any_f32_parts[0], thread, 1);
    tk::stripe<float, 1, 16384, 256, 256, 4> e;
    tk::map(e, thread, [](int, int, float x, float t1) { return tk::exp(x - t1); }, x, t1);

    // softmax_any.tk:11: store(Y[r, 0 +: W], bf16(e / sum(e, axis = 1)));
    tk::stripe<float, 1, 1, 256, 256, 4> t2;
    tk::fold_rows(t2, e, tk::plus{}, thread);
    tk::finish_rows(t2, tk::plus{}, shared.softmax_any_f32_parts[0], thread, 1);
    tk::stripe<tk::bf16, 1, 16384, 256, 256, 4> t3;
    tk::map(t3, thread, [](int, int, float e, float t2) { return tk::divide(e, t2); }, e, t2);
    const tk::global_tile<tk::bf16> Y_tile{tk::address(Y, r, 0), Y.stride[0], Y.stride[1], R - r,
                                           C};
    tk::store_global(Y_tile, t3, thread);
}

// softmax_any_32768: kernel softmax_any of softmax_any.tk with W = 32768, ROWS = 1.
//
// Roles:
//   softmax_any  8 warps (warps 0 to 7), 255 registers a thread
// 256 threads a block, launched with 255 registers each.
//
// Shared memory, 1024 bytes:
//    offset   bytes  what
//         0      32  1 x f32[1, 8], what the warps of softmax_any made of rows
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct softmax_any_32768_shared {
    tk::shared_tile<float, 1, 8> softmax_any_f32_parts[1];
};
static_assert(offsetof(softmax_any_32768_shared, softmax_any_f32_parts) == 0);

__global__ void __launch_bounds__(256, 1) softmax_any_32768_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<tk::bf16, 2> Y, int R,
    int C) {
    extern __shared__ __align__(1024) unsigned char memory[];
    softmax_any_32768_shared& shared = *reinterpret_cast<softmax_any_32768_shared*>(memory);

    // softmax_any.tk:5: kernel softmax_any<W: int = 1024, ROWS: int = rows.fit(W, 8192)>(X: bf16[R,
    // C], out Y: bf16[R, C])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program;

    // softmax_any.tk:9: let x = pad(f32(load(X[r, 0 +: W])), axis = 1, with = -inf);
    tk::stripe<tk::bf16, 1, 32768, 256, 256, 8> t0;
    const tk::vector_tile<const tk::bf16> X_tile{tk::address(X, r, 0), X.stride[0], 1, R - r, C};
    tk::load_vectors(t0, X_tile, thread);
    tk::stripe<float, 1, 32768, 256, 256, 8> x;
    tk::map(x, thread, [&](int, int col, tk::bf16 t0) {
        return col < C ? float(t0) : -INFINITY;
    }, t0);

    // softmax_any.tk:10: let e = exp(x - max(x, axis = 1));
    tk::stripe<float, 1, 1, 256, 256, 8> t1;
    tk::fold_rows(t1, x, tk::maximum{}, thread);
    tk::finish_rows(t1, tk::maximum{}, shared.softmax_any_f32_parts[0], thread, 1);
    tk::stripe<float, 1, 32768, 256, 256, 8> e;
    tk::map(e, thread, [](int, int, float x, float t1) { return tk::exp(x - t1); }, x, t1);

    // softmax_any.tk:11: store(Y[r, 0 +: W], bf16(e / sum(e, axis = 1)));
    tk::stripe<float, 1, 1, 256, 256, 8> t2;
    tk::fold_rows(t2, e, tk::plus{}, thread);
    tk::finish_rows(t2, tk::plus{}, shared.softmax_any_f32_parts[0], thread, 1);
    tk::stripe<tk::bf16, 1, 32768, 256, 256, 8> t3;
    tk::map(t3, thread, [](int, int, float e, float t2) { return tk::divide(e, t2); }, e, t2);
    const tk::vector_tile<tk::bf16> Y_tile{tk::address(Y, r, 0), Y.stride[0], 1, R - r, C};
    tk::store_vectors(Y_tile, t3, thread);
}

// softmax_any_32768_general: kernel softmax_any of softmax_any.tk with W = 32768, ROWS = 1, for
// tensors of any strides and alignment.
//
// Roles:
//   softmax_any  8 warps (warps 0 to 7), 255 registers a thread
// 256 threads a block, launched with 255 registers each.
//
// Shared memory, 1024 bytes:
//    offset   bytes  what
//         0      32  1 x f32[1, 8], what the warps of softmax_any made of rows
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct softmax_any_32768_general_shared {
    tk::shared_tile<float, 1, 8> softmax_any_f32_parts[1];
};
static_assert(offsetof(softmax_any_32768_general_shared, softmax_any_f32_parts) == 0);

__global__ void __launch_bounds__(256, 1) softmax_any_32768_general_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<tk::bf16, 2> Y, int R,
    int C) {
    extern __shared__ __align__(1024) unsigned char memory[];
    softmax_any_32768_general_shared& shared =
        *reinterpret_cast<softmax_any_32768_general_shared*>(memory);

    // softmax_any.tk:5: kernel softmax_any<W: int = 1024, ROWS: int = rows.fit(W, 8192)>(X: bf16[R,
    // C], out Y: bf16[R, C])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program;

    // softmax_any.tk:9: let x = pad(f32(load(X[r, 0 +: W])), axis = 1, with = -inf);
    tk::stripe<tk::bf16, 1, 32768, 256, 256, 8> t0;
    const tk::global_tile<const tk::bf16> X_tile{tk::address(X, r, 0), X.stride[0], X.stride[1],
                                                 R - r, C};
    tk::load_global(t0, X_tile, thread);
    tk::stripe<float, 1, 32768, 256, 256, 8> x;
    tk::map(x, thread, [&](int, int col, tk::bf16 t0) {
        return col < C ? float(t0) : -INFINITY;
    }, t0);

    // softmax_any.tk:10: let e = exp(x - max(x, axis = 1));
    tk::stripe<float, 1, 1, 256, 256, 8> t1;
    tk::fold_rows(t1, x, tk::maximum{}, thread);
    tk::finish_rows(t1, tk::maximum{}, shared.softmax_any_f32_parts[0], thread, 1);
    tk::stripe<float, 1, 32768, 256, 256, 8> e;
    tk::map(e, thread, [](int, int, float x, float t1) { return tk::exp(x - t1); }, x, t1);

    // softmax_any.tk:11: store(Y[r, 0 +: W], bf16(e / sum(e, axis = 1)));
    tk::stripe<float, 1, 1, 256, 256, 8> t2;
    tk::fold_rows(t2, e, tk::plus{}, thread);
    tk::finish_rows(t2, tk::plus{}, shared.softmax_any_f32_parts[0], thread, 1);
    tk::stripe<tk::bf16, 1, 32768, 256, 256, 8> t3;
    tk::map(t3, thread, [](int, int, float e, float t2) { return tk::divide(e, t2); }, e, t2);
    const tk::global_tile<tk::bf16> Y_tile{tk::address(Y, r, 0), Y.stride[0], Y.stride[1], R - r,
                                           C};
    tk::store_global(Y_tile, t3, thread);
}

// softmax_any_131072: kernel softmax_any of softmax_any.tk with W = 131072, ROWS = 1.
//
// Roles:
//   softmax_any  8 warps (warps 0 to 7), 255 registers a thread
// 256 threads a block, launched with 255 registers each. Persistent: any number of blocks computes
// the same.
//
// Shared memory, 33792 bytes:
//    offset   bytes  what
//         0     528  1 x i32[1, 132], what the warps of the cluster made of rows
//      1024   32768  1 x bf16[1, 16384], the next program's `X`
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct softmax_any_131072_shared {
    tk::shared_tile<int, 1, 132> softmax_any_exchange[1];
    unsigned char unused[384];
    tk::shared_tile<tk::bf16, 1, 16384> softmax_any_t0_ahead[1];
};
static_assert(offsetof(softmax_any_131072_shared, softmax_any_exchange) == 0);
static_assert(offsetof(softmax_any_131072_shared, softmax_any_t0_ahead) == 1024);

__global__ void __launch_bounds__(256, 1) softmax_any_131072_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<tk::bf16, 2> Y, int R,
    int C) {
    extern __shared__ __align__(1024) unsigned char memory[];
    softmax_any_131072_shared& shared = *reinterpret_cast<softmax_any_131072_shared*>(memory);

    if (threadIdx.x == 0) tk::init_row_exchange(shared.softmax_any_exchange[0]);
    tk::cluster_sync();

    // softmax_any.tk:5: kernel softmax_any<W: int = 1024, ROWS: int = rows.fit(W, 8192)>(X: bf16[R,
    // C], out Y: bf16[R, C])
    const int thread = int(tk::cluster_rank()) * 256 + int(threadIdx.x);
    int meetings = 0;

    // softmax_any.tk:9: let x = pad(f32(load(X[r, 0 +: W])), axis = 1, with = -inf);
    const auto request_t0 = [&](int wanted) {
        if (wanted < R) {
            const int r = wanted;
            const tk::vector_tile<const tk::bf16> X_tile{tk::address(X, r, 0), X.stride[0], 1,
                                                         R - r, C};
            tk::request_ahead<tk::stripe<tk::bf16, 1, 131072, 2048, 2048, 8>>(
                shared.softmax_any_t0_ahead[0], X_tile, thread);
        }
        tk::close_ahead();
    };
    request_t0(int(blockIdx.x / 8));
    for (int program = int(blockIdx.x / 8); program < R; program += int(gridDim.x / 8)) {
        const int r = program;
        tk::stripe<tk::bf16, 1, 131072, 2048, 2048, 8> t0;
        tk::take_ahead<0>(t0, shared.softmax_any_t0_ahead[0], thread);
        request_t0(program + int(gridDim.x / 8));
        tk::stripe<float, 1, 131072, 2048, 2048, 8> x;
        tk::map(x, thread, [&](int, int col, tk::bf16 t0) {
            return col < C ? float(t0) : -INFINITY;
        }, t0);

        // softmax_any.tk:10: let e = exp(x - max(x, axis = 1));
        tk::stripe<float, 1, 1, 2048, 2048, 8> t1;
        tk::fold_rows(t1, x, tk::maximum{}, thread);
        tk::finish_rows_of_cluster<8>(t1, tk::maximum{}, shared.softmax_any_exchange[0], meetings,
                                      thread);
        tk::stripe<float, 1, 131072, 2048, 2048, 8> e;
        tk::map(e, thread, [](int, int, float x, float t1) { return tk::exp(x - t1); }, x, t1);

        // softmax_any.tk:11: store(Y[r, 0 +: W], bf16(e / sum(e, axis = 1)));
        tk::stripe<float, 1, 1, 2048, 2048, 8> t2;
        tk::fold_rows(t2, e, tk::plus{}, thread);
        tk::finish_rows_of_cluster<8>(t2, tk::plus{}, shared.softmax_any_exchange[0], meetings,
                                      thread);
        tk::stripe<tk::bf16, 1, 131072, 2048, 2048, 8> t3;
        tk::map(t3, thread, [](int, int, float e, float t2) { return tk::divide(e, t2); }, e, t2);
        const tk::vector_tile<tk::bf16> Y_tile{tk::address(Y, r, 0), Y.stride[0], 1, R - r, C};
        tk::store_vectors(Y_tile, t3, thread);
    }
}

// softmax_any_131072_general: kernel softmax_any of softmax_any.tk with W = 131072, ROWS = 1, for
// tensors of any strides and alignment.
//
// Roles:
//   softmax_any  8 warps (warps 0 to 7), 255 registers a thread
// 256 threads a block, launched with 255 registers each.
//
// Shared memory, 1024 bytes:
//    offset   bytes  what
//         0     528  1 x i32[1, 132], what the warps of the cluster made of rows
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct softmax_any_131072_general_shared {
    tk::shared_tile<int, 1, 132> softmax_any_exchange[1];
};
static_assert(offsetof(softmax_any_131072_general_shared, softmax_any_exchange) == 0);

__global__ void __launch_bounds__(256, 1) softmax_any_131072_general_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<tk::bf16, 2> Y, int R,
    int C) {
    extern __shared__ __align__(1024) unsigned char memory[];
    softmax_any_131072_general_shared& shared =
        *reinterpret_cast<softmax_any_131072_general_shared*>(memory);

    if (threadIdx.x == 0) tk::init_row_exchange(shared.softmax_any_exchange[0]);
    tk::cluster_sync();

    // softmax_any.tk:5: kernel softmax_any<W: int = 1024, ROWS: int = rows.fit(W, 8192)>(X: bf16[R,
    // C], out Y: bf16[R, C])
    const int thread = int(tk::cluster_rank()) * 256 + int(threadIdx.x);
    int meetings = 0;
    const int program = int(blockIdx.x / 8);
    const int r = program;

    // softmax_any.tk:9: let x = pad(f32(load(X[r, 0 +: W])), axis = 1, with = -inf);
    tk::stripe<tk::bf16, 1, 131072, 2048, 2048, 4> t0;
    const tk::global_tile<const tk::bf16> X_tile{tk::address(X, r, 0), X.stride[0], X.stride[1],
                                                 R - r, C};
    tk::load_global(t0, X_tile, thread);
    tk::stripe<float, 1, 131072, 2048, 2048, 4> x;
    tk::map(x, thread, [&](int, int col, tk::bf16 t0) {
        return col < C ? float(t0) : -INFINITY;
    }, t0);

    // softmax_any.tk:10: let e = exp(x - max(x, axis = 1));
    tk::stripe<float, 1, 1, 2048, 2048, 4> t1;
    tk::fold_rows(t1, x, tk::maximum{}, thread);
    tk::finish_rows_of_cluster<8>(t1, tk::maximum{}, shared.softmax_any_exchange[0], meetings,
                                  thread);
    tk::stripe<float, 1, 131072, 2048, 2048, 4> e;
    tk::map(e, thread, [](int, int, float x, float t1) { return tk::exp(x - t1); }, x, t1);

    // softmax_any.tk:11: store(Y[r, 0 +: W], bf16(e / sum(e, axis = 1)));
    tk::stripe<float, 1, 1, 2048, 2048, 4> t2;
    tk::fold_rows(t2, e, tk::plus{}, thread);
    tk::finish_rows_of_cluster<8>(t2, tk::plus{}, shared.softmax_any_exchange[0], meetings, thread);
    tk::stripe<tk::bf16, 1, 131072, 2048, 2048, 4> t3;
    tk::map(t3, thread, [](int, int, float e, float t2) { return tk::divide(e, t2); }, e, t2);
    const tk::global_tile<tk::bf16> Y_tile{tk::address(Y, r, 0), Y.stride[0], Y.stride[1], R - r,
                                           C};
    tk::store_global(Y_tile, t3, thread);
}

// softmax_long: kernel softmax_long of softmax_any.tk with W = 16384.
//
// Roles:
//   softmax_long 8 warps (warps 0 to 7), 128 registers a thread
// 256 threads a block, launched with 128 registers each.
//
// Shared memory, 1024 bytes:
//    offset   bytes  what
//         0      32  1 x f32[1, 8], what the warps of softmax_long made of rows
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct softmax_long_shared {
    tk::shared_tile<float, 1, 8> softmax_long_f32_parts[1];
};
static_assert(offsetof(softmax_long_shared, softmax_long_f32_parts) == 0);

__global__ void __launch_bounds__(256, 2) softmax_long_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<tk::bf16, 2> Y, int R,
    int C) {
    extern __shared__ __align__(1024) unsigned char memory[];
    softmax_long_shared& shared = *reinterpret_cast<softmax_long_shared*>(memory);

    // softmax_any.tk:20: kernel softmax_long<W: int = 16384>(X: bf16[R, C], out Y: bf16[R, C])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program;

    // softmax_any.tk:24: var top: f32[1, 1] = -inf;
    tk::stripe<float, 1, 1, 256, 256, 8> top;
    tk::fill(top, -INFINITY);

    // softmax_any.tk:25: var all: f32[1, 1] = 0;
    tk::stripe<float, 1, 1, 256, 256, 8> all;
    tk::zero(all);

    // softmax_any.tk:26: for c in C by W {
    for (int c = 0; c < C; c += 16384) {
        // softmax_any.tk:27: let x    = pad(f32(load(X[r, c])), axis = 1, with = -inf);
        tk::stripe<tk::bf16, 1, 16384, 256, 256, 8> t0;
        const tk::vector_tile<const tk::bf16> X_tile{tk::address(X, r, c), X.stride[0], 1, R - r,
                                                     C - c};
        tk::load_vectors(t0, X_tile, thread);
        tk::stripe<float, 1, 16384, 256, 256, 8> x;
        tk::map(x, thread, [&](int, int col, tk::bf16 t0) {
            return col < C - c ? float(t0) : -INFINITY;
        }, t0);

        // softmax_any.tk:28: let most = max(top, max(x, axis = 1));
        tk::stripe<float, 1, 1, 256, 256, 8> t1;
        tk::fold_rows(t1, x, tk::maximum{}, thread);
        tk::finish_rows(t1, tk::maximum{}, shared.softmax_long_f32_parts[0], thread, 1);
        tk::stripe<float, 1, 1, 256, 256, 8> most;
        tk::map(most, thread, [](int, int, float top, float t1) {
            return tk::max(top, t1);
        }, top, t1);

        // softmax_any.tk:29: all = where(most == -inf, 0, all * exp(top - most) + sum(exp(x -
        // most), axis = 1));
        tk::stripe<float, 1, 16384, 256, 256, 8> t2;
        tk::map(t2, thread, [](int, int, float x, float most) {
            return tk::exp(x - most);
        }, x, most);
        tk::stripe<float, 1, 1, 256, 256, 8> t3;
        tk::fold_rows(t3, t2, tk::plus{}, thread);
        tk::finish_rows(t3, tk::plus{}, shared.softmax_long_f32_parts[0], thread, 1);
        tk::map(all, thread, [](int, int, float most, float all, float top, float t3) {
            return most == -INFINITY ? 0.0f : tk::fma(all, tk::exp(top - most), t3);
        }, most, all, top, t3);

        // softmax_any.tk:30: top = most;
        top = most;
    }

    // softmax_any.tk:32: for c in C by W { store(Y[r, c], bf16(exp(f32(load(X[r, c])) - top) /
    // all)); }
    for (int c = 0; c < C; c += 16384) {
        tk::stripe<tk::bf16, 1, 16384, 256, 256, 8> t4;
        const tk::vector_tile<const tk::bf16> X_tile{tk::address(X, r, c), X.stride[0], 1, R - r,
                                                     C - c};
        tk::load_vectors(t4, X_tile, thread);
        tk::stripe<tk::bf16, 1, 16384, 256, 256, 8> t5;
        tk::map(t5, thread, [](int, int, tk::bf16 t4, float top, float all) {
            return tk::divide(tk::exp(float(t4) - top), all);
        }, t4, top, all);
        const tk::vector_tile<tk::bf16> Y_tile{tk::address(Y, r, c), Y.stride[0], 1, R - r, C - c};
        tk::store_vectors(Y_tile, t5, thread);
    }
}

// softmax_long_general: kernel softmax_long of softmax_any.tk with W = 16384, for tensors of any
// strides and alignment.
//
// Roles:
//   softmax_long 8 warps (warps 0 to 7), 255 registers a thread
// 256 threads a block, launched with 255 registers each.
//
// Shared memory, 1024 bytes:
//    offset   bytes  what
//         0      32  1 x f32[1, 8], what the warps of softmax_long made of rows
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct softmax_long_general_shared {
    tk::shared_tile<float, 1, 8> softmax_long_f32_parts[1];
};
static_assert(offsetof(softmax_long_general_shared, softmax_long_f32_parts) == 0);

__global__ void __launch_bounds__(256, 1) softmax_long_general_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<tk::bf16, 2> Y, int R,
    int C) {
    extern __shared__ __align__(1024) unsigned char memory[];
    softmax_long_general_shared& shared = *reinterpret_cast<softmax_long_general_shared*>(memory);

    // softmax_any.tk:20: kernel softmax_long<W: int = 16384>(X: bf16[R, C], out Y: bf16[R, C])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program;

    // softmax_any.tk:24: var top: f32[1, 1] = -inf;
    tk::stripe<float, 1, 1, 256, 256, 4> top;
    tk::fill(top, -INFINITY);

    // softmax_any.tk:25: var all: f32[1, 1] = 0;
    tk::stripe<float, 1, 1, 256, 256, 4> all;
    tk::zero(all);

    // softmax_any.tk:26: for c in C by W {
    for (int c = 0; c < C; c += 16384) {
        // softmax_any.tk:27: let x    = pad(f32(load(X[r, c])), axis = 1, with = -inf);
        tk::stripe<tk::bf16, 1, 16384, 256, 256, 4> t0;
        const tk::global_tile<const tk::bf16> X_tile{tk::address(X, r, c), X.stride[0], X.stride[1],
                                                     R - r, C - c};
        tk::load_global(t0, X_tile, thread);
        tk::stripe<float, 1, 16384, 256, 256, 4> x;
        tk::map(x, thread, [&](int, int col, tk::bf16 t0) {
            return col < C - c ? float(t0) : -INFINITY;
        }, t0);

        // softmax_any.tk:28: let most = max(top, max(x, axis = 1));
        tk::stripe<float, 1, 1, 256, 256, 4> t1;
        tk::fold_rows(t1, x, tk::maximum{}, thread);
        tk::finish_rows(t1, tk::maximum{}, shared.softmax_long_f32_parts[0], thread, 1);
        tk::stripe<float, 1, 1, 256, 256, 4> most;
        tk::map(most, thread, [](int, int, float top, float t1) {
            return tk::max(top, t1);
        }, top, t1);

        // softmax_any.tk:29: all = where(most == -inf, 0, all * exp(top - most) + sum(exp(x -
        // most), axis = 1));
        tk::stripe<float, 1, 16384, 256, 256, 4> t2;
        tk::map(t2, thread, [](int, int, float x, float most) {
            return tk::exp(x - most);
        }, x, most);
        tk::stripe<float, 1, 1, 256, 256, 4> t3;
        tk::fold_rows(t3, t2, tk::plus{}, thread);
        tk::finish_rows(t3, tk::plus{}, shared.softmax_long_f32_parts[0], thread, 1);
        tk::map(all, thread, [](int, int, float most, float all, float top, float t3) {
            return most == -INFINITY ? 0.0f : tk::fma(all, tk::exp(top - most), t3);
        }, most, all, top, t3);

        // softmax_any.tk:30: top = most;
        top = most;
    }

    // softmax_any.tk:32: for c in C by W { store(Y[r, c], bf16(exp(f32(load(X[r, c])) - top) /
    // all)); }
    for (int c = 0; c < C; c += 16384) {
        tk::stripe<tk::bf16, 1, 16384, 256, 256, 4> t4;
        const tk::global_tile<const tk::bf16> X_tile{tk::address(X, r, c), X.stride[0], X.stride[1],
                                                     R - r, C - c};
        tk::load_global(t4, X_tile, thread);
        tk::stripe<tk::bf16, 1, 16384, 256, 256, 4> t5;
        tk::map(t5, thread, [](int, int, tk::bf16 t4, float top, float all) {
            return tk::divide(tk::exp(float(t4) - top), all);
        }, t4, top, all);
        const tk::global_tile<tk::bf16> Y_tile{tk::address(Y, r, c), Y.stride[0], Y.stride[1],
                                               R - r, C - c};
        tk::store_global(Y_tile, t5, thread);
    }
}

#include "tk/host/launcher.h"

namespace {
// softmax_any: W = 1024, ROWS = 8
tk::status launch_softmax_any(const tk::launch_site& site, const tk::tensor& X, const tk::tensor& Y,
                              int64_t R, int64_t C) {
    const int64_t programs = tk::ceil_div(R, 8);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&softmax_any_kernel),
                                    static_cast<int>(sizeof(softmax_any_shared)), {}, {}};
    return tk::launch_kernel(kernel, softmax_any_kernel, site, programs, 256,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<tk::bf16, 2>(Y),
                             static_cast<int>(R), static_cast<int>(C));
}

// softmax_any_4096: W = 4096, ROWS = 2
tk::status launch_softmax_any_4096(const tk::launch_site& site, const tk::tensor& X,
                                   const tk::tensor& Y, int64_t R, int64_t C) {
    const int64_t programs = tk::ceil_div(R, 2);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&softmax_any_4096_kernel),
                                    static_cast<int>(sizeof(softmax_any_4096_shared)), {}, {}};
    return tk::launch_kernel(kernel, softmax_any_4096_kernel, site, programs, 256,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<tk::bf16, 2>(Y),
                             static_cast<int>(R), static_cast<int>(C));
}

// softmax_any_8192: W = 8192, ROWS = 1
tk::status launch_softmax_any_8192(const tk::launch_site& site, const tk::tensor& X,
                                   const tk::tensor& Y, int64_t R, int64_t C) {
    const int64_t programs = R;
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&softmax_any_8192_kernel),
                                    static_cast<int>(sizeof(softmax_any_8192_shared)), {}, {}};
    return tk::launch_kernel(kernel, softmax_any_8192_kernel, site, programs, 256,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<tk::bf16, 2>(Y),
                             static_cast<int>(R), static_cast<int>(C));
}

// softmax_any_16384: W = 16384, ROWS = 1
tk::status launch_softmax_any_16384(const tk::launch_site& site, const tk::tensor& X,
                                    const tk::tensor& Y, int64_t R, int64_t C) {
    const int64_t programs = R;
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&softmax_any_16384_kernel),
                                    static_cast<int>(sizeof(softmax_any_16384_shared)), {}, {}};
    return tk::launch_kernel(kernel, softmax_any_16384_kernel, site, programs, 256,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<tk::bf16, 2>(Y),
                             static_cast<int>(R), static_cast<int>(C));
}

// softmax_any_32768: W = 32768, ROWS = 1
tk::status launch_softmax_any_32768(const tk::launch_site& site, const tk::tensor& X,
                                    const tk::tensor& Y, int64_t R, int64_t C) {
    const int64_t programs = R;
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&softmax_any_32768_kernel),
                                    static_cast<int>(sizeof(softmax_any_32768_shared)), {}, {}};
    return tk::launch_kernel(kernel, softmax_any_32768_kernel, site, programs, 256,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<tk::bf16, 2>(Y),
                             static_cast<int>(R), static_cast<int>(C));
}

// softmax_any_131072: W = 131072, ROWS = 1
tk::status launch_softmax_any_131072(const tk::launch_site& site, const tk::tensor& X,
                                     const tk::tensor& Y, int64_t R, int64_t C) {
    const int64_t programs = R;
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&softmax_any_131072_kernel),
                                    static_cast<int>(sizeof(softmax_any_131072_shared)), {}, {}, 8};
    int resident = 0;
    TK_RETURN_IF_FAILED(tk::resident_blocks(kernel, site.device, 256, resident));
    return tk::launch_kernel(kernel, softmax_any_131072_kernel, site,
                             tk::smaller(programs * 8, resident), 256,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<tk::bf16, 2>(Y),
                             static_cast<int>(R), static_cast<int>(C));
}

// softmax_any_general: W = 1024, ROWS = 8
tk::status launch_softmax_any_general(const tk::launch_site& site, const tk::tensor& X,
                                      const tk::tensor& Y, int64_t R, int64_t C) {
    const int64_t programs = tk::ceil_div(R, 8);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&softmax_any_general_kernel),
                                    static_cast<int>(sizeof(softmax_any_general_shared)), {}, {}};
    return tk::launch_kernel(kernel, softmax_any_general_kernel, site, programs, 256,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<tk::bf16, 2>(Y),
                             static_cast<int>(R), static_cast<int>(C));
}

// softmax_any_4096_general: W = 4096, ROWS = 2
tk::status launch_softmax_any_4096_general(const tk::launch_site& site, const tk::tensor& X,
                                           const tk::tensor& Y, int64_t R, int64_t C) {
    const int64_t programs = tk::ceil_div(R, 2);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&softmax_any_4096_general_kernel),
                                    static_cast<int>(sizeof(softmax_any_4096_general_shared)), {},
                                    {}};
    return tk::launch_kernel(kernel, softmax_any_4096_general_kernel, site, programs, 256,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<tk::bf16, 2>(Y),
                             static_cast<int>(R), static_cast<int>(C));
}

// softmax_any_8192_general: W = 8192, ROWS = 1
tk::status launch_softmax_any_8192_general(const tk::launch_site& site, const tk::tensor& X,
                                           const tk::tensor& Y, int64_t R, int64_t C) {
    const int64_t programs = R;
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&softmax_any_8192_general_kernel),
                                    static_cast<int>(sizeof(softmax_any_8192_general_shared)), {},
                                    {}};
    return tk::launch_kernel(kernel, softmax_any_8192_general_kernel, site, programs, 256,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<tk::bf16, 2>(Y),
                             static_cast<int>(R), static_cast<int>(C));
}

// softmax_any_16384_general: W = 16384, ROWS = 1
tk::status launch_softmax_any_16384_general(const tk::launch_site& site, const tk::tensor& X,
                                            const tk::tensor& Y, int64_t R, int64_t C) {
    const int64_t programs = R;
    if (programs == 0) return {};
    static tk::kernel_handle kernel{
        reinterpret_cast<const void*>(&softmax_any_16384_general_kernel),
        static_cast<int>(sizeof(softmax_any_16384_general_shared)), {}, {}};
    return tk::launch_kernel(kernel, softmax_any_16384_general_kernel, site, programs, 256,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<tk::bf16, 2>(Y),
                             static_cast<int>(R), static_cast<int>(C));
}

// softmax_any_32768_general: W = 32768, ROWS = 1
tk::status launch_softmax_any_32768_general(const tk::launch_site& site, const tk::tensor& X,
                                            const tk::tensor& Y, int64_t R, int64_t C) {
    const int64_t programs = R;
    if (programs == 0) return {};
    static tk::kernel_handle kernel{
        reinterpret_cast<const void*>(&softmax_any_32768_general_kernel),
        static_cast<int>(sizeof(softmax_any_32768_general_shared)), {}, {}};
    return tk::launch_kernel(kernel, softmax_any_32768_general_kernel, site, programs, 256,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<tk::bf16, 2>(Y),
                             static_cast<int>(R), static_cast<int>(C));
}

// softmax_any_131072_general: W = 131072, ROWS = 1
tk::status launch_softmax_any_131072_general(const tk::launch_site& site, const tk::tensor& X,
                                             const tk::tensor& Y, int64_t R, int64_t C) {
    const int64_t programs = R;
    if (programs == 0) return {};
    static tk::kernel_handle kernel{
        reinterpret_cast<const void*>(&softmax_any_131072_general_kernel),
        static_cast<int>(sizeof(softmax_any_131072_general_shared)), {}, {}, 8};
    return tk::launch_kernel(kernel, softmax_any_131072_general_kernel, site, programs * 8, 256,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<tk::bf16, 2>(Y),
                             static_cast<int>(R), static_cast<int>(C));
}

tk::status run_softmax_any(const DLTensor* X_given, DLTensor* Y_given, cudaStream_t stream) {
    tk::arguments call{"softmax_any"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t R = X.shape[0];
    const int64_t C = X.shape[1];

    call.require(Y.shape[0] == R, "`R` is {} in axis 0 of `X`, but {} in axis 0 of `Y`",
                 {R, Y.shape[0]});
    call.require(Y.shape[1] == C, "`C` is {} in axis 1 of `X`, but {} in axis 1 of `Y`",
                 {C, Y.shape[1]});
    call.require(R < 2147221504, "`R` is {}; extents must be less than 2147221504", {R});
    call.require(C < 2147221504, "`C` is {}; extents must be less than 2147221504", {C});
    if (!call.ok()) return call.result();

    const tk::device_scope device{call.device()};
    TK_RETURN_IF_FAILED(device.result());
    tk::launch_site site;
    TK_RETURN_IF_FAILED(tk::find_site(site, stream));

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call.function(), site};
    choice.candidate();  // softmax_any
    choice.require(C <= 1024, "`softmax_any` requires `C <= W`");
    choice.prefer(X.stride[1] == 1);
    choice.prefer(X.address % 16 == 0);
    choice.prefer(X.stride[0] % 8 == 0 && 0 < X.stride[0] && X.stride[0] < 549755813888);
    choice.prefer(C % 8 == 0);
    choice.prefer(Y.stride[1] == 1);
    choice.prefer(Y.address % 16 == 0);
    choice.prefer(Y.stride[0] % 8 == 0 && 0 < Y.stride[0] && Y.stride[0] < 549755813888);
    choice.offer(tk::ceil_div(R, 8), 4572);
    choice.candidate();  // softmax_any_4096
    choice.require(C <= 4096, "`softmax_any` requires `C <= W`");
    choice.prefer(X.stride[1] == 1);
    choice.prefer(X.address % 16 == 0);
    choice.prefer(X.stride[0] % 8 == 0 && 0 < X.stride[0] && X.stride[0] < 549755813888);
    choice.prefer(C % 8 == 0);
    choice.prefer(Y.stride[1] == 1);
    choice.prefer(Y.address % 16 == 0);
    choice.prefer(Y.stride[0] % 8 == 0 && 0 < Y.stride[0] && Y.stride[0] < 549755813888);
    choice.offer(tk::ceil_div(R, 2), 4572);
    choice.candidate();  // softmax_any_8192
    choice.require(C <= 8192, "`softmax_any` requires `C <= W`");
    choice.prefer(X.stride[1] == 1);
    choice.prefer(X.address % 16 == 0);
    choice.prefer(X.stride[0] % 8 == 0 && 0 < X.stride[0] && X.stride[0] < 549755813888);
    choice.prefer(C % 8 == 0);
    choice.prefer(Y.stride[1] == 1);
    choice.prefer(Y.address % 16 == 0);
    choice.prefer(Y.stride[0] % 8 == 0 && 0 < Y.stride[0] && Y.stride[0] < 549755813888);
    choice.offer(R, 4572);
    choice.candidate();  // softmax_any_16384
    choice.require(C <= 16384, "`softmax_any` requires `C <= W`");
    choice.prefer(X.stride[1] == 1);
    choice.prefer(X.address % 16 == 0);
    choice.prefer(X.stride[0] % 8 == 0 && 0 < X.stride[0] && X.stride[0] < 549755813888);
    choice.prefer(C % 8 == 0);
    choice.prefer(Y.stride[1] == 1);
    choice.prefer(Y.address % 16 == 0);
    choice.prefer(Y.stride[0] % 8 == 0 && 0 < Y.stride[0] && Y.stride[0] < 549755813888);
    choice.offer(R, 7644);
    choice.candidate();  // softmax_any_32768
    choice.require(C <= 32768, "`softmax_any` requires `C <= W`");
    choice.prefer(X.stride[1] == 1);
    choice.prefer(X.address % 16 == 0);
    choice.prefer(X.stride[0] % 8 == 0 && 0 < X.stride[0] && X.stride[0] < 549755813888);
    choice.prefer(C % 8 == 0);
    choice.prefer(Y.stride[1] == 1);
    choice.prefer(Y.address % 16 == 0);
    choice.prefer(Y.stride[0] % 8 == 0 && 0 < Y.stride[0] && Y.stride[0] < 549755813888);
    choice.offer(R, 13788);
    choice.candidate();  // softmax_any_131072
    choice.require(C <= 131072, "`softmax_any` requires `C <= W`");
    choice.prefer(X.stride[1] == 1);
    choice.prefer(X.address % 16 == 0);
    choice.prefer(X.stride[0] % 8 == 0 && 0 < X.stride[0] && X.stride[0] < 549755813888);
    choice.prefer(C % 8 == 0);
    choice.prefer(Y.stride[1] == 1);
    choice.prefer(Y.address % 16 == 0);
    choice.prefer(Y.stride[0] % 8 == 0 && 0 < Y.stride[0] && Y.stride[0] < 549755813888);
    choice.require(R < 268427264, "the grid has {} programs; it must have less than 268427264",
                   {R});
    choice.offer(R, 50652);
    choice.candidate(true);  // softmax_any_general
    choice.require(C <= 1024, "`softmax_any` requires `C <= W`");
    choice.offer(tk::ceil_div(R, 8), 4572);
    choice.candidate(true);  // softmax_any_4096_general
    choice.require(C <= 4096, "`softmax_any` requires `C <= W`");
    choice.offer(tk::ceil_div(R, 2), 4572);
    choice.candidate(true);  // softmax_any_8192_general
    choice.require(C <= 8192, "`softmax_any` requires `C <= W`");
    choice.offer(R, 4572);
    choice.candidate(true);  // softmax_any_16384_general
    choice.require(C <= 16384, "`softmax_any` requires `C <= W`");
    choice.offer(R, 7644);
    choice.candidate(true);  // softmax_any_32768_general
    choice.require(C <= 32768, "`softmax_any` requires `C <= W`");
    choice.offer(R, 13788);
    choice.candidate(true);  // softmax_any_131072_general
    choice.require(C <= 131072, "`softmax_any` requires `C <= W`");
    choice.require(R < 268435456, "the grid has {} programs; it must have less than 268435456",
                   {R});
    choice.offer(R, 50652);
    if (choice.best() == 0) return launch_softmax_any(site, X, Y, R, C);
    if (choice.best() == 1) return launch_softmax_any_4096(site, X, Y, R, C);
    if (choice.best() == 2) return launch_softmax_any_8192(site, X, Y, R, C);
    if (choice.best() == 3) return launch_softmax_any_16384(site, X, Y, R, C);
    if (choice.best() == 4) return launch_softmax_any_32768(site, X, Y, R, C);
    if (choice.best() == 5) return launch_softmax_any_131072(site, X, Y, R, C);
    if (choice.best() == 6) return launch_softmax_any_general(site, X, Y, R, C);
    if (choice.best() == 7) return launch_softmax_any_4096_general(site, X, Y, R, C);
    if (choice.best() == 8) return launch_softmax_any_8192_general(site, X, Y, R, C);
    if (choice.best() == 9) return launch_softmax_any_16384_general(site, X, Y, R, C);
    if (choice.best() == 10) return launch_softmax_any_32768_general(site, X, Y, R, C);
    if (choice.best() == 11) return launch_softmax_any_131072_general(site, X, Y, R, C);
    return choice.result();
}

tk::status run_softmax_any_4096(const DLTensor* X_given, DLTensor* Y_given, cudaStream_t stream) {
    tk::arguments call{"softmax_any_4096"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t R = X.shape[0];
    const int64_t C = X.shape[1];

    call.require(Y.shape[0] == R, "`R` is {} in axis 0 of `X`, but {} in axis 0 of `Y`",
                 {R, Y.shape[0]});
    call.require(Y.shape[1] == C, "`C` is {} in axis 1 of `X`, but {} in axis 1 of `Y`",
                 {C, Y.shape[1]});
    call.require(R < 2147221504, "`R` is {}; extents must be less than 2147221504", {R});
    call.require(C < 2147221504, "`C` is {}; extents must be less than 2147221504", {C});
    call.require(C <= 4096, "`softmax_any` requires `C <= W`");
    if (!call.ok()) return call.result();

    const tk::device_scope device{call.device()};
    TK_RETURN_IF_FAILED(device.result());
    tk::launch_site site;
    TK_RETURN_IF_FAILED(tk::find_site(site, stream));

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call.function(), site};
    choice.candidate();  // softmax_any_4096
    choice.prefer(X.stride[1] == 1);
    choice.prefer(X.address % 16 == 0);
    choice.prefer(X.stride[0] % 8 == 0 && 0 < X.stride[0] && X.stride[0] < 549755813888);
    choice.prefer(C % 8 == 0);
    choice.prefer(Y.stride[1] == 1);
    choice.prefer(Y.address % 16 == 0);
    choice.prefer(Y.stride[0] % 8 == 0 && 0 < Y.stride[0] && Y.stride[0] < 549755813888);
    choice.offer(tk::ceil_div(R, 2), 4572);
    choice.candidate(true);  // softmax_any_4096_general
    choice.offer(tk::ceil_div(R, 2), 4572);
    if (choice.best() == 0) return launch_softmax_any_4096(site, X, Y, R, C);
    if (choice.best() == 1) return launch_softmax_any_4096_general(site, X, Y, R, C);
    return choice.result();
}

tk::status run_softmax_any_8192(const DLTensor* X_given, DLTensor* Y_given, cudaStream_t stream) {
    tk::arguments call{"softmax_any_8192"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t R = X.shape[0];
    const int64_t C = X.shape[1];

    call.require(Y.shape[0] == R, "`R` is {} in axis 0 of `X`, but {} in axis 0 of `Y`",
                 {R, Y.shape[0]});
    call.require(Y.shape[1] == C, "`C` is {} in axis 1 of `X`, but {} in axis 1 of `Y`",
                 {C, Y.shape[1]});
    call.require(R < 2147221504, "`R` is {}; extents must be less than 2147221504", {R});
    call.require(C < 2147221504, "`C` is {}; extents must be less than 2147221504", {C});
    call.require(C <= 8192, "`softmax_any` requires `C <= W`");
    if (!call.ok()) return call.result();

    const tk::device_scope device{call.device()};
    TK_RETURN_IF_FAILED(device.result());
    tk::launch_site site;
    TK_RETURN_IF_FAILED(tk::find_site(site, stream));

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call.function(), site};
    choice.candidate();  // softmax_any_8192
    choice.prefer(X.stride[1] == 1);
    choice.prefer(X.address % 16 == 0);
    choice.prefer(X.stride[0] % 8 == 0 && 0 < X.stride[0] && X.stride[0] < 549755813888);
    choice.prefer(C % 8 == 0);
    choice.prefer(Y.stride[1] == 1);
    choice.prefer(Y.address % 16 == 0);
    choice.prefer(Y.stride[0] % 8 == 0 && 0 < Y.stride[0] && Y.stride[0] < 549755813888);
    choice.offer(R, 4572);
    choice.candidate(true);  // softmax_any_8192_general
    choice.offer(R, 4572);
    if (choice.best() == 0) return launch_softmax_any_8192(site, X, Y, R, C);
    if (choice.best() == 1) return launch_softmax_any_8192_general(site, X, Y, R, C);
    return choice.result();
}

tk::status run_softmax_any_16384(const DLTensor* X_given, DLTensor* Y_given, cudaStream_t stream) {
    tk::arguments call{"softmax_any_16384"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t R = X.shape[0];
    const int64_t C = X.shape[1];

    call.require(Y.shape[0] == R, "`R` is {} in axis 0 of `X`, but {} in axis 0 of `Y`",
                 {R, Y.shape[0]});
    call.require(Y.shape[1] == C, "`C` is {} in axis 1 of `X`, but {} in axis 1 of `Y`",
                 {C, Y.shape[1]});
    call.require(R < 2147221504, "`R` is {}; extents must be less than 2147221504", {R});
    call.require(C < 2147221504, "`C` is {}; extents must be less than 2147221504", {C});
    call.require(C <= 16384, "`softmax_any` requires `C <= W`");
    if (!call.ok()) return call.result();

    const tk::device_scope device{call.device()};
    TK_RETURN_IF_FAILED(device.result());
    tk::launch_site site;
    TK_RETURN_IF_FAILED(tk::find_site(site, stream));

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call.function(), site};
    choice.candidate();  // softmax_any_16384
    choice.prefer(X.stride[1] == 1);
    choice.prefer(X.address % 16 == 0);
    choice.prefer(X.stride[0] % 8 == 0 && 0 < X.stride[0] && X.stride[0] < 549755813888);
    choice.prefer(C % 8 == 0);
    choice.prefer(Y.stride[1] == 1);
    choice.prefer(Y.address % 16 == 0);
    choice.prefer(Y.stride[0] % 8 == 0 && 0 < Y.stride[0] && Y.stride[0] < 549755813888);
    choice.offer(R, 7644);
    choice.candidate(true);  // softmax_any_16384_general
    choice.offer(R, 7644);
    if (choice.best() == 0) return launch_softmax_any_16384(site, X, Y, R, C);
    if (choice.best() == 1) return launch_softmax_any_16384_general(site, X, Y, R, C);
    return choice.result();
}

tk::status run_softmax_any_32768(const DLTensor* X_given, DLTensor* Y_given, cudaStream_t stream) {
    tk::arguments call{"softmax_any_32768"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t R = X.shape[0];
    const int64_t C = X.shape[1];

    call.require(Y.shape[0] == R, "`R` is {} in axis 0 of `X`, but {} in axis 0 of `Y`",
                 {R, Y.shape[0]});
    call.require(Y.shape[1] == C, "`C` is {} in axis 1 of `X`, but {} in axis 1 of `Y`",
                 {C, Y.shape[1]});
    call.require(R < 2147221504, "`R` is {}; extents must be less than 2147221504", {R});
    call.require(C < 2147221504, "`C` is {}; extents must be less than 2147221504", {C});
    call.require(C <= 32768, "`softmax_any` requires `C <= W`");
    if (!call.ok()) return call.result();

    const tk::device_scope device{call.device()};
    TK_RETURN_IF_FAILED(device.result());
    tk::launch_site site;
    TK_RETURN_IF_FAILED(tk::find_site(site, stream));

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call.function(), site};
    choice.candidate();  // softmax_any_32768
    choice.prefer(X.stride[1] == 1);
    choice.prefer(X.address % 16 == 0);
    choice.prefer(X.stride[0] % 8 == 0 && 0 < X.stride[0] && X.stride[0] < 549755813888);
    choice.prefer(C % 8 == 0);
    choice.prefer(Y.stride[1] == 1);
    choice.prefer(Y.address % 16 == 0);
    choice.prefer(Y.stride[0] % 8 == 0 && 0 < Y.stride[0] && Y.stride[0] < 549755813888);
    choice.offer(R, 13788);
    choice.candidate(true);  // softmax_any_32768_general
    choice.offer(R, 13788);
    if (choice.best() == 0) return launch_softmax_any_32768(site, X, Y, R, C);
    if (choice.best() == 1) return launch_softmax_any_32768_general(site, X, Y, R, C);
    return choice.result();
}

tk::status run_softmax_any_131072(const DLTensor* X_given, DLTensor* Y_given, cudaStream_t stream) {
    tk::arguments call{"softmax_any_131072"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t R = X.shape[0];
    const int64_t C = X.shape[1];

    call.require(Y.shape[0] == R, "`R` is {} in axis 0 of `X`, but {} in axis 0 of `Y`",
                 {R, Y.shape[0]});
    call.require(Y.shape[1] == C, "`C` is {} in axis 1 of `X`, but {} in axis 1 of `Y`",
                 {C, Y.shape[1]});
    call.require(R < 2147221504, "`R` is {}; extents must be less than 2147221504", {R});
    call.require(C < 2147221504, "`C` is {}; extents must be less than 2147221504", {C});
    call.require(C <= 131072, "`softmax_any` requires `C <= W`");
    if (!call.ok()) return call.result();

    const tk::device_scope device{call.device()};
    TK_RETURN_IF_FAILED(device.result());
    tk::launch_site site;
    TK_RETURN_IF_FAILED(tk::find_site(site, stream));

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call.function(), site};
    choice.candidate();  // softmax_any_131072
    choice.prefer(X.stride[1] == 1);
    choice.prefer(X.address % 16 == 0);
    choice.prefer(X.stride[0] % 8 == 0 && 0 < X.stride[0] && X.stride[0] < 549755813888);
    choice.prefer(C % 8 == 0);
    choice.prefer(Y.stride[1] == 1);
    choice.prefer(Y.address % 16 == 0);
    choice.prefer(Y.stride[0] % 8 == 0 && 0 < Y.stride[0] && Y.stride[0] < 549755813888);
    choice.require(R < 268427264, "the grid has {} programs; it must have less than 268427264",
                   {R});
    choice.offer(R, 50652);
    choice.candidate(true);  // softmax_any_131072_general
    choice.require(R < 268435456, "the grid has {} programs; it must have less than 268435456",
                   {R});
    choice.offer(R, 50652);
    if (choice.best() == 0) return launch_softmax_any_131072(site, X, Y, R, C);
    if (choice.best() == 1) return launch_softmax_any_131072_general(site, X, Y, R, C);
    return choice.result();
}

// softmax_long: W = 16384
tk::status launch_softmax_long(const tk::launch_site& site, const tk::tensor& X,
                               const tk::tensor& Y, int64_t R, int64_t C) {
    const int64_t programs = R;
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&softmax_long_kernel),
                                    static_cast<int>(sizeof(softmax_long_shared)), {}, {}};
    return tk::launch_kernel(kernel, softmax_long_kernel, site, programs, 256,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<tk::bf16, 2>(Y),
                             static_cast<int>(R), static_cast<int>(C));
}

// softmax_long_general: W = 16384
tk::status launch_softmax_long_general(const tk::launch_site& site, const tk::tensor& X,
                                       const tk::tensor& Y, int64_t R, int64_t C) {
    const int64_t programs = R;
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&softmax_long_general_kernel),
                                    static_cast<int>(sizeof(softmax_long_general_shared)), {}, {}};
    return tk::launch_kernel(kernel, softmax_long_general_kernel, site, programs, 256,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<tk::bf16, 2>(Y),
                             static_cast<int>(R), static_cast<int>(C));
}

tk::status run_softmax_long(const DLTensor* X_given, DLTensor* Y_given, cudaStream_t stream) {
    tk::arguments call{"softmax_long"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t R = X.shape[0];
    const int64_t C = X.shape[1];

    call.require(Y.shape[0] == R, "`R` is {} in axis 0 of `X`, but {} in axis 0 of `Y`",
                 {R, Y.shape[0]});
    call.require(Y.shape[1] == C, "`C` is {} in axis 1 of `X`, but {} in axis 1 of `Y`",
                 {C, Y.shape[1]});
    call.require(R < 2147221504, "`R` is {}; extents must be less than 2147221504", {R});
    call.require(C < 2147221504, "`C` is {}; extents must be less than 2147221504", {C});
    call.require(C > 0, "`softmax_long` requires `C > 0`");
    if (!call.ok()) return call.result();

    const tk::device_scope device{call.device()};
    TK_RETURN_IF_FAILED(device.result());
    tk::launch_site site;
    TK_RETURN_IF_FAILED(tk::find_site(site, stream));

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call.function(), site};
    choice.candidate();  // softmax_long
    choice.prefer(X.stride[1] == 1);
    choice.prefer(X.address % 16 == 0);
    choice.prefer(X.stride[0] % 8 == 0 && 0 < X.stride[0] && X.stride[0] < 549755813888);
    choice.prefer(C % 8 == 0);
    choice.prefer(Y.stride[1] == 1);
    choice.prefer(Y.address % 16 == 0);
    choice.prefer(Y.stride[0] % 8 == 0 && 0 < Y.stride[0] && Y.stride[0] < 549755813888);
    choice.offer(R, 1500 + 9601 * tk::ceil_div(C, 16384));
    choice.candidate(true);  // softmax_long_general
    choice.offer(R, 1500 + 9601 * tk::ceil_div(C, 16384));
    if (choice.best() == 0) return launch_softmax_long(site, X, Y, R, C);
    if (choice.best() == 1) return launch_softmax_long_general(site, X, Y, R, C);
    return choice.result();
}

}  // namespace

extern "C" {
int softmax_any(const DLTensor* X_given, DLTensor* Y_given, void*, size_t, cudaStream_t stream) {
    return tk::finish(run_softmax_any(X_given, Y_given, stream));
}

size_t softmax_any_workspace(const DLTensor*, DLTensor*) {
    return 0;
}

const char* softmax_any_error() {
    return tk::last_sentence;
}

int softmax_any_4096(const DLTensor* X_given, DLTensor* Y_given, void*, size_t,
                     cudaStream_t stream) {
    return tk::finish(run_softmax_any_4096(X_given, Y_given, stream));
}

size_t softmax_any_4096_workspace(const DLTensor*, DLTensor*) {
    return 0;
}

const char* softmax_any_4096_error() {
    return tk::last_sentence;
}

int softmax_any_8192(const DLTensor* X_given, DLTensor* Y_given, void*, size_t,
                     cudaStream_t stream) {
    return tk::finish(run_softmax_any_8192(X_given, Y_given, stream));
}

size_t softmax_any_8192_workspace(const DLTensor*, DLTensor*) {
    return 0;
}

const char* softmax_any_8192_error() {
    return tk::last_sentence;
}

int softmax_any_16384(const DLTensor* X_given, DLTensor* Y_given, void*, size_t,
                      cudaStream_t stream) {
    return tk::finish(run_softmax_any_16384(X_given, Y_given, stream));
}

size_t softmax_any_16384_workspace(const DLTensor*, DLTensor*) {
    return 0;
}

const char* softmax_any_16384_error() {
    return tk::last_sentence;
}

int softmax_any_32768(const DLTensor* X_given, DLTensor* Y_given, void*, size_t,
                      cudaStream_t stream) {
    return tk::finish(run_softmax_any_32768(X_given, Y_given, stream));
}

size_t softmax_any_32768_workspace(const DLTensor*, DLTensor*) {
    return 0;
}

const char* softmax_any_32768_error() {
    return tk::last_sentence;
}

int softmax_any_131072(const DLTensor* X_given, DLTensor* Y_given, void*, size_t,
                       cudaStream_t stream) {
    return tk::finish(run_softmax_any_131072(X_given, Y_given, stream));
}

size_t softmax_any_131072_workspace(const DLTensor*, DLTensor*) {
    return 0;
}

const char* softmax_any_131072_error() {
    return tk::last_sentence;
}

int softmax_long(const DLTensor* X_given, DLTensor* Y_given, void*, size_t, cudaStream_t stream) {
    return tk::finish(run_softmax_long(X_given, Y_given, stream));
}

size_t softmax_long_workspace(const DLTensor*, DLTensor*) {
    return 0;
}

const char* softmax_long_error() {
    return tk::last_sentence;
}
}  // extern "C"
