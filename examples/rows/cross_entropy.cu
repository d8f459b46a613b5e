// Made by tkc from cross_entropy.tk: change that, and not this.

#include <cuda.h>

#include "tk/host/tensor_argument.h"
#include "tk/operations/cells.cuh"
#include "tk/tk.cuh"

// cross_entropy: kernel cross_entropy of cross_entropy.tk with BV = 8192.
//
// Roles:
//   cross_entropy 8 warps (warps 0 to 7), 80 registers a thread
// 256 threads a block, launched with 80 registers each.
//
// Shared memory, 1024 bytes:
//    offset   bytes  what
//         0      32  1 x f32[1, 8], what the warps of cross_entropy made of rows
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct cross_entropy_shared {
    tk::shared_tile<float, 1, 8> cross_entropy_f32_parts[1];
};
static_assert(offsetof(cross_entropy_shared, cross_entropy_f32_parts) == 0);

__global__ void __launch_bounds__(256, 3) cross_entropy_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<const int, 1> label,
    const tk::tensor_argument<float, 1> Loss, const tk::tensor_argument<float, 1> LSE, int R, int V,
    int ignore) {
    extern __shared__ __align__(1024) unsigned char memory[];
    cross_entropy_shared& shared = *reinterpret_cast<cross_entropy_shared*>(memory);

    // cross_entropy.tk:3: kernel cross_entropy<BV: int = 8192>(X: bf16[R, V], label: i32[R],
    // ignore: i32, out Loss: f32[R], out LSE: f32[R])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program;

    // cross_entropy.tk:7: var top: f32[1, 1] = -inf;
    tk::stripe<float, 1, 1, 256, 256, 8> top;
    tk::fill(top, -INFINITY);

    // cross_entropy.tk:8: var total: f32[1, 1] = 0;
    tk::stripe<float, 1, 1, 256, 256, 8> total;
    tk::zero(total);

    // cross_entropy.tk:9: for v in V by BV {
    for (int v = 0; v < V; v += 8192) {
        // cross_entropy.tk:10: let x    = pad(f32(load(X[r, v])), axis = 1, with = -inf);
        tk::stripe<tk::bf16, 1, 8192, 256, 256, 8> t0;
        const tk::vector_tile<const tk::bf16> X_tile{tk::address(X, r, v), X.stride[0], 1, R - r,
                                                     V - v};
        tk::load_vectors(t0, X_tile, thread);
        tk::stripe<float, 1, 8192, 256, 256, 8> x;
        tk::map(x, thread, [&](int, int col, tk::bf16 t0) {
            return col < V - v ? float(t0) : -INFINITY;
        }, t0);

        // cross_entropy.tk:11: let next = max(top, max(x, axis = 1));
        tk::stripe<float, 1, 1, 256, 256, 8> t1;
        tk::fold_rows(t1, x, tk::maximum{}, thread);
        tk::finish_rows(t1, tk::maximum{}, shared.cross_entropy_f32_parts[0], thread, 1);
        tk::stripe<float, 1, 1, 256, 256, 8> next;
        tk::map(next, thread, [](int, int, float top, float t1) {
            return tk::max(top, t1);
        }, top, t1);

        // cross_entropy.tk:12: let base = where(next == -inf, 0, next);
        tk::stripe<float, 1, 1, 256, 256, 8> base;
        tk::map(base, thread, [](int, int, float next) {
            return next == -INFINITY ? 0.0f : next;
        }, next);

        // cross_entropy.tk:13: total = total * exp(top - base) + sum(exp(x - base), axis = 1);
        tk::stripe<float, 1, 8192, 256, 256, 8> t2;
        tk::map(t2, thread, [](int, int, float x, float base) {
            return tk::exp(x - base);
        }, x, base);
        tk::stripe<float, 1, 1, 256, 256, 8> t3;
        tk::fold_rows(t3, t2, tk::plus{}, thread);
        tk::map(total, thread, [](int, int, float total, float top, float base, float t3) {
            return tk::fma(total, tk::exp(top - base), t3);
        }, total, top, base, t3);

        // cross_entropy.tk:14: top = next;
        top = next;
    }

    // cross_entropy.tk:16: let lse = where(total == 0, -inf, top + log(total));
    tk::stripe<float, 1, 1, 256, 256, 8> t4 = total;
    tk::finish_rows(t4, tk::plus{}, shared.cross_entropy_f32_parts[0], thread, 1);
    tk::stripe<float, 1, 1, 256, 256, 8> lse;
    tk::map(lse, thread, [](int, int, float t4, float top) {
        return t4 == 0.0f ? -INFINITY : top + tk::log(t4);
    }, t4, top);

    // cross_entropy.tk:17: var loss: f32[1, 1] = 0;
    tk::stripe<float, 1, 1, 256, 256, 8> loss;
    tk::zero(loss);

    // cross_entropy.tk:18: let y = label[r.start];
    const int y = tk::cell(label, r);

    // cross_entropy.tk:19: if y != ignore {
    if (y != ignore) {
        // cross_entropy.tk:21: loss = lse - f32(X[r.start, y]);
        tk::map(loss, thread, [&](int, int, float lse) {
            return lse - (0 <= y && y < V ? float(tk::dense_cell(X, r, y)) : 0.0f);
        }, lse);
    }

    // cross_entropy.tk:23: store(Loss[r], loss);
    const tk::global_tile<float> Loss_tile{tk::address(Loss, r), 0, Loss.stride[0], 1, R - r};
    tk::store_global(Loss_tile, loss, thread);

    // cross_entropy.tk:24: store(LSE[r], lse);
    const tk::global_tile<float> LSE_tile{tk::address(LSE, r), 0, LSE.stride[0], 1, R - r};
    tk::store_global(LSE_tile, lse, thread);
}

// cross_entropy_general: kernel cross_entropy of cross_entropy.tk with BV = 8192, for tensors of
// any strides and alignment.
//
// Roles:
//   cross_entropy 8 warps (warps 0 to 7), 255 registers a thread
// 256 threads a block, launched with 255 registers each.
//
// Shared memory, 1024 bytes:
//    offset   bytes  what
//         0      32  1 x f32[1, 8], what the warps of cross_entropy made of rows
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct cross_entropy_general_shared {
    tk::shared_tile<float, 1, 8> cross_entropy_f32_parts[1];
};
static_assert(offsetof(cross_entropy_general_shared, cross_entropy_f32_parts) == 0);

__global__ void __launch_bounds__(256, 1) cross_entropy_general_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<const int, 1> label,
    const tk::tensor_argument<float, 1> Loss, const tk::tensor_argument<float, 1> LSE, int R, int V,
    int ignore) {
    extern __shared__ __align__(1024) unsigned char memory[];
    cross_entropy_general_shared& shared = *reinterpret_cast<cross_entropy_general_shared*>(memory);

    // cross_entropy.tk:3: kernel cross_entropy<BV: int = 8192>(X: bf16[R, V], label: i32[R],
    // ignore: i32, out Loss: f32[R], out LSE: f32[R])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program;

    // cross_entropy.tk:7: var top: f32[1, 1] = -inf;
    tk::stripe<float, 1, 1, 256, 256, 2> top;
    tk::fill(top, -INFINITY);

    // cross_entropy.tk:8: var total: f32[1, 1] = 0;
    tk::stripe<float, 1, 1, 256, 256, 2> total;
    tk::zero(total);

    // cross_entropy.tk:9: for v in V by BV {
    for (int v = 0; v < V; v += 8192) {
        // cross_entropy.tk:10: let x    = pad(f32(load(X[r, v])), axis = 1, with = -inf);
        tk::stripe<tk::bf16, 1, 8192, 256, 256, 2> t0;
        const tk::global_tile<const tk::bf16> X_tile{tk::address(X, r, v), X.stride[0], X.stride[1],
                                                     R - r, V - v};
        tk::load_global(t0, X_tile, thread);
        tk::stripe<float, 1, 8192, 256, 256, 2> x;
        tk::map(x, thread, [&](int, int col, tk::bf16 t0) {
            return col < V - v ? float(t0) : -INFINITY;
        }, t0);

        // cross_entropy.tk:11: let next = max(top, max(x, axis = 1));
        tk::stripe<float, 1, 1, 256, 256, 2> t1;
        tk::fold_rows(t1, x, tk::maximum{}, thread);
        tk::finish_rows(t1, tk::maximum{}, shared.cross_entropy_f32_parts[0], thread, 1);
        tk::stripe<float, 1, 1, 256, 256, 2> next;
        tk::map(next, thread, [](int, int, float top, float t1) {
            return tk::max(top, t1);
        }, top, t1);

        // cross_entropy.tk:12: let base = where(next == -inf, 0, next);
        tk::stripe<float, 1, 1, 256, 256, 2> base;
        tk::map(base, thread, [](int, int, float next) {
            return next == -INFINITY ? 0.0f : next;
        }, next);

        // cross_entropy.tk:13: total = total * exp(top - base) + sum(exp(x - base), axis = 1);
        tk::stripe<float, 1, 8192, 256, 256, 2> t2;
        tk::map(t2, thread, [](int, int, float x, float base) {
            return tk::exp(x - base);
        }, x, base);
        tk::stripe<float, 1, 1, 256, 256, 2> t3;
        tk::fold_rows(t3, t2, tk::plus{}, thread);
        tk::map(total, thread, [](int, int, float total, float top, float base, float t3) {
            return tk::fma(total, tk::exp(top - base), t3);
        }, total, top, base, t3);

        // cross_entropy.tk:14: top = next;
        top = next;
    }

    // cross_entropy.tk:16: let lse = where(total == 0, -inf, top + log(total));
    tk::stripe<float, 1, 1, 256, 256, 2> t4 = total;
    tk::finish_rows(t4, tk::plus{}, shared.cross_entropy_f32_parts[0], thread, 1);
    tk::stripe<float, 1, 1, 256, 256, 2> lse;
    tk::map(lse, thread, [](int, int, float t4, float top) {
        return t4 == 0.0f ? -INFINITY : top + tk::log(t4);
    }, t4, top);

    // cross_entropy.tk:17: var loss: f32[1, 1] = 0;
    tk::stripe<float, 1, 1, 256, 256, 2> loss;
    tk::zero(loss);

    // cross_entropy.tk:18: let y = label[r.start];
    const int y = tk::cell(label, r);

    // cross_entropy.tk:19: if y != ignore {
    if (y != ignore) {
        // cross_entropy.tk:21: loss = lse - f32(X[r.start, y]);
        tk::map(loss, thread, [&](int, int, float lse) {
            return lse - (0 <= y && y < V ? float(tk::cell(X, r, y)) : 0.0f);
        }, lse);
    }

    // cross_entropy.tk:23: store(Loss[r], loss);
    const tk::global_tile<float> Loss_tile{tk::address(Loss, r), 0, Loss.stride[0], 1, R - r};
    tk::store_global(Loss_tile, loss, thread);

    // cross_entropy.tk:24: store(LSE[r], lse);
    const tk::global_tile<float> LSE_tile{tk::address(LSE, r), 0, LSE.stride[0], 1, R - r};
    tk::store_global(LSE_tile, lse, thread);
}

// cross_entropy_backward: kernel cross_entropy_backward of cross_entropy.tk with BV = 8192.
//
// Roles:
//   cross_entropy_backward 8 warps (warps 0 to 7), 64 registers a thread
// 256 threads a block, launched with 64 registers each.
//
// Shared memory, 0 bytes:
//    offset   bytes  what
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct cross_entropy_backward_shared {
};

__global__ void __launch_bounds__(256, 4) cross_entropy_backward_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<const int, 1> label,
    const tk::tensor_argument<const float, 1> LSE, const tk::tensor_argument<tk::bf16, 2> dX, int R,
    int V, int ignore, float scale) {
    const int v_tiles = tk::tiles(V, 8192);

    // cross_entropy.tk:28: kernel cross_entropy_backward<BV: int = 8192>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int v = program % v_tiles * 8192;
    const int r = program / v_tiles;

    // cross_entropy.tk:32: let y = label[r.start];
    const int y = tk::cell(label, r);

    // cross_entropy.tk:33: let x = f32(load(X[r, v]));
    tk::stripe<tk::bf16, 1, 8192, 256, 256, 8> t0;
    const tk::vector_tile<const tk::bf16> X_tile{tk::address(X, r, v), X.stride[0], 1, R - r,
                                                 V - v};
    tk::load_vectors(t0, X_tile, thread);

    // cross_entropy.tk:34: let p = exp(x - load(LSE[r])) - where(v.start + col_index(x) == y, 1.0,
    // 0.0);
    tk::stripe<float, 1, 1, 256, 256, 8> t1;
    const tk::global_tile<const float> LSE_tile{tk::address(LSE, r), 0, LSE.stride[0], 1, R - r};
    tk::load_global(t1, LSE_tile, thread);

    // cross_entropy.tk:35: store(dX[r, v], bf16(where(y == ignore, 0.0, scale * p)));
    tk::stripe<tk::bf16, 1, 8192, 256, 256, 8> t2;
    tk::map(t2, thread, [&](int, int col, tk::bf16 t0, float t1) {
        return y == ignore ? 0.0f
            : scale * (tk::exp(float(t0) - t1) - (v + col == y ? 1.0f : 0.0f));
    }, t0, t1);
    const tk::vector_tile<tk::bf16> dX_tile{tk::address(dX, r, v), dX.stride[0], 1, R - r, V - v};
    tk::store_vectors(dX_tile, t2, thread);
}

// cross_entropy_backward_general: kernel cross_entropy_backward of cross_entropy.tk with BV = 8192,
// for tensors of any strides and alignment.
//
// Roles:
//   cross_entropy_backward 8 warps (warps 0 to 7), 255 registers a thread
// 256 threads a block, launched with 255 registers each.
//
// Shared memory, 0 bytes:
//    offset   bytes  what
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct cross_entropy_backward_general_shared {
};

__global__ void __launch_bounds__(256, 1) cross_entropy_backward_general_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<const int, 1> label,
    const tk::tensor_argument<const float, 1> LSE, const tk::tensor_argument<tk::bf16, 2> dX, int R,
    int V, int ignore, float scale) {
    const int v_tiles = tk::tiles(V, 8192);

    // cross_entropy.tk:28: kernel cross_entropy_backward<BV: int = 8192>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int v = program % v_tiles * 8192;
    const int r = program / v_tiles;

    // cross_entropy.tk:32: let y = label[r.start];
    const int y = tk::cell(label, r);

    // cross_entropy.tk:33: let x = f32(load(X[r, v]));
    tk::stripe<tk::bf16, 1, 8192, 256, 256, 2> t0;
    const tk::global_tile<const tk::bf16> X_tile{tk::address(X, r, v), X.stride[0], X.stride[1],
                                                 R - r, V - v};
    tk::load_global(t0, X_tile, thread);

    // cross_entropy.tk:34: let p = exp(x - load(LSE[r])) - where(v.start + col_index(x) == y, 1.0,
    // 0.0);
    tk::stripe<float, 1, 1, 256, 256, 2> t1;
    const tk::global_tile<const float> LSE_tile{tk::address(LSE, r), 0, LSE.stride[0], 1, R - r};
    tk::load_global(t1, LSE_tile, thread);

    // cross_entropy.tk:35: store(dX[r, v], bf16(where(y == ignore, 0.0, scale * p)));
    tk::stripe<tk::bf16, 1, 8192, 256, 256, 2> t2;
    tk::map(t2, thread, [&](int, int col, tk::bf16 t0, float t1) {
        return y == ignore ? 0.0f
            : scale * (tk::exp(float(t0) - t1) - (v + col == y ? 1.0f : 0.0f));
    }, t0, t1);
    const tk::global_tile<tk::bf16> dX_tile{tk::address(dX, r, v), dX.stride[0], dX.stride[1],
                                            R - r, V - v};
    tk::store_global(dX_tile, t2, thread);
}

#include "tk/host/launcher.h"

namespace {
// cross_entropy: BV = 8192
tk::status launch_cross_entropy(const tk::launch_site& site, const tk::tensor& X,
                                const tk::tensor& label, const tk::tensor& Loss,
                                const tk::tensor& LSE, int64_t R, int64_t V, int32_t ignore) {
    const int64_t programs = R;
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&cross_entropy_kernel),
                                    static_cast<int>(sizeof(cross_entropy_shared)), {}, {}};
    return tk::launch_kernel(kernel, cross_entropy_kernel, site, programs, 256,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<const int, 1>(label),
                             tk::cells<float, 1>(Loss), tk::cells<float, 1>(LSE),
                             static_cast<int>(R), static_cast<int>(V), ignore);
}

// cross_entropy_general: BV = 8192
tk::status launch_cross_entropy_general(const tk::launch_site& site, const tk::tensor& X,
                                        const tk::tensor& label, const tk::tensor& Loss,
                                        const tk::tensor& LSE, int64_t R, int64_t V,
                                        int32_t ignore) {
    const int64_t programs = R;
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&cross_entropy_general_kernel),
                                    static_cast<int>(sizeof(cross_entropy_general_shared)), {}, {}};
    return tk::launch_kernel(kernel, cross_entropy_general_kernel, site, programs, 256,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<const int, 1>(label),
                             tk::cells<float, 1>(Loss), tk::cells<float, 1>(LSE),
                             static_cast<int>(R), static_cast<int>(V), ignore);
}

tk::status run_cross_entropy(const DLTensor* X_given, const DLTensor* label_given,
                             DLTensor* Loss_given, DLTensor* LSE_given, int32_t ignore,
                             cudaStream_t stream) {
    tk::arguments call{"cross_entropy"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor label = call.take("label", label_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Loss = call.take("Loss", Loss_given, tk::dtype_f32, 1, tk::access::write);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 1, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t R = X.shape[0];
    const int64_t V = X.shape[1];

    call.require(label.shape[0] == R, "`R` is {} in axis 0 of `X`, but {} in axis 0 of `label`",
                 {R, label.shape[0]});
    call.require(Loss.shape[0] == R, "`R` is {} in axis 0 of `X`, but {} in axis 0 of `Loss`",
                 {R, Loss.shape[0]});
    call.require(LSE.shape[0] == R, "`R` is {} in axis 0 of `X`, but {} in axis 0 of `LSE`",
                 {R, LSE.shape[0]});
    call.require(R < 2147221504, "`R` is {}; extents must be less than 2147221504", {R});
    call.require(V < 2147221504, "`V` is {}; extents must be less than 2147221504", {V});
    call.require(V > 0, "`cross_entropy` requires `V > 0`");
    if (!call.ok()) return call.result();

    const tk::device_scope device{call.device()};
    TK_RETURN_IF_FAILED(device.result());
    tk::launch_site site;
    TK_RETURN_IF_FAILED(tk::find_site(site, stream));

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call.function(), site};
    choice.candidate();  // cross_entropy
    choice.prefer(X.stride[1] == 1);
    choice.prefer(X.address % 16 == 0);
    choice.prefer(X.stride[0] % 8 == 0 && 0 < X.stride[0] && X.stride[0] < 549755813888);
    choice.prefer(V % 8 == 0);
    choice.offer(R, 1501 + 1985 * tk::ceil_div(V, 8192));
    choice.candidate(true);  // cross_entropy_general
    choice.offer(R, 1501 + 1985 * tk::ceil_div(V, 8192));
    if (choice.best() == 0) return launch_cross_entropy(site, X, label, Loss, LSE, R, V, ignore);
    if (choice.best() == 1) {
        return launch_cross_entropy_general(site, X, label, Loss, LSE, R, V, ignore);
    }
    return choice.result();
}

// cross_entropy_backward: BV = 8192
tk::status launch_cross_entropy_backward(const tk::launch_site& site, const tk::tensor& X,
                                         const tk::tensor& label, const tk::tensor& LSE,
                                         const tk::tensor& dX, int64_t R, int64_t V, int32_t ignore,
                                         float scale) {
    const int64_t programs = tk::multiply(tk::ceil_div(V, 8192), R);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&cross_entropy_backward_kernel),
                                    static_cast<int>(sizeof(cross_entropy_backward_shared)), {},
                                    {}};
    return tk::launch_kernel(kernel, cross_entropy_backward_kernel, site, programs, 256,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<const int, 1>(label),
                             tk::cells<const float, 1>(LSE), tk::cells<tk::bf16, 2>(dX),
                             static_cast<int>(R), static_cast<int>(V), ignore, scale);
}

// cross_entropy_backward_general: BV = 8192
tk::status launch_cross_entropy_backward_general(const tk::launch_site& site, const tk::tensor& X,
                                                 const tk::tensor& label, const tk::tensor& LSE,
                                                 const tk::tensor& dX, int64_t R, int64_t V,
                                                 int32_t ignore, float scale) {
    const int64_t programs = tk::multiply(tk::ceil_div(V, 8192), R);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{
        reinterpret_cast<const void*>(&cross_entropy_backward_general_kernel),
        static_cast<int>(sizeof(cross_entropy_backward_general_shared)), {}, {}};
    return tk::launch_kernel(kernel, cross_entropy_backward_general_kernel, site, programs, 256,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<const int, 1>(label),
                             tk::cells<const float, 1>(LSE), tk::cells<tk::bf16, 2>(dX),
                             static_cast<int>(R), static_cast<int>(V), ignore, scale);
}

tk::status run_cross_entropy_backward(const DLTensor* X_given, const DLTensor* label_given,
                                      const DLTensor* LSE_given, DLTensor* dX_given, int32_t ignore,
                                      float scale, cudaStream_t stream) {
    tk::arguments call{"cross_entropy_backward"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor label = call.take("label", label_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor dX = call.take("dX", dX_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t R = X.shape[0];
    const int64_t V = X.shape[1];

    call.require(label.shape[0] == R, "`R` is {} in axis 0 of `X`, but {} in axis 0 of `label`",
                 {R, label.shape[0]});
    call.require(LSE.shape[0] == R, "`R` is {} in axis 0 of `X`, but {} in axis 0 of `LSE`",
                 {R, LSE.shape[0]});
    call.require(dX.shape[0] == R, "`R` is {} in axis 0 of `X`, but {} in axis 0 of `dX`",
                 {R, dX.shape[0]});
    call.require(dX.shape[1] == V, "`V` is {} in axis 1 of `X`, but {} in axis 1 of `dX`",
                 {V, dX.shape[1]});
    call.require(R < 2147221504, "`R` is {}; extents must be less than 2147221504", {R});
    call.require(V < 2147221504, "`V` is {}; extents must be less than 2147221504", {V});
    call.require(tk::multiply(tk::ceil_div(V, 8192), R) < 2147483648,
                 "the grid has {} programs; it must have less than 2147483648",
                 {tk::multiply(tk::ceil_div(V, 8192), R)});
    if (!call.ok()) return call.result();

    const tk::device_scope device{call.device()};
    TK_RETURN_IF_FAILED(device.result());
    tk::launch_site site;
    TK_RETURN_IF_FAILED(tk::find_site(site, stream));

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call.function(), site};
    choice.candidate();  // cross_entropy_backward
    choice.prefer(X.stride[1] == 1);
    choice.prefer(X.address % 16 == 0);
    choice.prefer(X.stride[0] % 8 == 0 && 0 < X.stride[0] && X.stride[0] < 549755813888);
    choice.prefer(V % 8 == 0);
    choice.prefer(dX.stride[1] == 1);
    choice.prefer(dX.address % 16 == 0);
    choice.prefer(dX.stride[0] % 8 == 0 && 0 < dX.stride[0] && dX.stride[0] < 549755813888);
    choice.offer(tk::multiply(tk::ceil_div(V, 8192), R), 4701);
    choice.candidate(true);  // cross_entropy_backward_general
    choice.offer(tk::multiply(tk::ceil_div(V, 8192), R), 4701);
    if (choice.best() == 0) {
        return launch_cross_entropy_backward(site, X, label, LSE, dX, R, V, ignore, scale);
    }
    if (choice.best() == 1) {
        return launch_cross_entropy_backward_general(site, X, label, LSE, dX, R, V, ignore, scale);
    }
    return choice.result();
}

}  // namespace

extern "C" {
int cross_entropy(const DLTensor* X_given, const DLTensor* label_given, DLTensor* Loss_given,
                  DLTensor* LSE_given, int32_t ignore, void*, size_t, cudaStream_t stream) {
    return tk::finish(
        run_cross_entropy(X_given, label_given, Loss_given, LSE_given, ignore, stream));
}

size_t cross_entropy_workspace(const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, int32_t) {
    return 0;
}

const char* cross_entropy_error() {
    return tk::last_sentence;
}

int cross_entropy_backward(const DLTensor* X_given, const DLTensor* label_given,
                           const DLTensor* LSE_given, DLTensor* dX_given, int32_t ignore,
                           float scale, void*, size_t, cudaStream_t stream) {
    return tk::finish(
        run_cross_entropy_backward(X_given, label_given, LSE_given, dX_given, ignore, scale,
                                   stream));
}

size_t cross_entropy_backward_workspace(const DLTensor*, const DLTensor*, const DLTensor*,
                                        DLTensor*, int32_t, float) {
    return 0;
}

const char* cross_entropy_backward_error() {
    return tk::last_sentence;
}
}  // extern "C"
