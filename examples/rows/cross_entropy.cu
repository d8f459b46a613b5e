// Made by tkc from cross_entropy.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/cells.cuh"
#include "tk/tk.cuh"

// cross_entropy: kernel cross_entropy with BV = 8192.
// 256 threads, 64 registers each, 1024 bytes of shared memory.
struct cross_entropy_shared {
    tk::shared_tile<float, 1, 8> cross_entropy_f32_parts[1];
};

__global__ void __launch_bounds__(256, 4) cross_entropy_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<const int, 1> label,
    const tk::tensor_argument<float, 1> Loss, const tk::tensor_argument<float, 1> LSE, int R, int V,
    int ignore) {
    extern __shared__ __align__(1024) unsigned char memory[];
    cross_entropy_shared& shared = *reinterpret_cast<cross_entropy_shared*>(memory);

    tk::wait_for_previous_kernel();

    // cross_entropy.tk:3: kernel cross_entropy<BV: int = 8192>(X: bf16[R, V], label: i32[R], ..
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
        tk::load_vectors(t0, tk::vector_slice(X, {r, v}, R - r, V - v), thread);
        tk::stripe<float, 1, 8192, 256, 256, 8> x;
        tk::map(x, thread, [&](int, int col, tk::bf16 t0) {
            return col < V - v ? float(t0) : -INFINITY;
        }, t0);

        // cross_entropy.tk:11: let next = max(top, max(x, axis = 1));
        tk::stripe<float, 1, 1, 256, 256, 8> t1;
        tk::fold_rows(t1, x, tk::maximum{}, thread);
        tk::finish_rows(t1, tk::maximum{}, shared.cross_entropy_f32_parts[0], thread, 1);
        tk::stripe<float, 1, 1, 256, 256, 8> next;
        tk::map(next, [](float top, float t1) { return tk::max(top, t1); }, top, t1);

        // cross_entropy.tk:12: let base = where(next == -inf, 0, next);
        tk::stripe<float, 1, 1, 256, 256, 8> base;
        tk::map(base, [](float next) { return next == -INFINITY ? 0.0f : next; }, next);

        // cross_entropy.tk:13: total = total * exp(top - base) + sum(exp(x - base), axis = 1);
        tk::stripe<float, 1, 8192, 256, 256, 8> t2;
        tk::map(t2, [](float x, float base) { return tk::exp(x - base); }, x, base);
        tk::stripe<float, 1, 1, 256, 256, 8> t3;
        tk::fold_rows(t3, t2, tk::plus{}, thread);
        tk::map(total, [](float total, float top, float base, float t3) {
            return tk::fma(total, tk::exp(top - base), t3);
        }, total, top, base, t3);

        // cross_entropy.tk:14: top = next;
        top = next;
    }

    // cross_entropy.tk:16: let lse = where(total == 0, -inf, top + log(total));
    tk::stripe<float, 1, 1, 256, 256, 8> t4 = total;
    tk::finish_rows(t4, tk::plus{}, shared.cross_entropy_f32_parts[0], thread, 1);
    tk::stripe<float, 1, 1, 256, 256, 8> lse;
    tk::map(lse, [](float t4, float top) { return t4 == 0.0f ? -INFINITY : top + tk::log(t4); },
            t4, top);

    // cross_entropy.tk:17: var loss: f32[1, 1] = 0;
    tk::stripe<float, 1, 1, 256, 256, 8> loss;
    tk::zero(loss);

    // cross_entropy.tk:18: let y = label[r.start];
    const int y = tk::cell(label, r);

    // cross_entropy.tk:19: if y != ignore {
    if (y != ignore) {
        // cross_entropy.tk:21: loss = lse - f32(X[r.start, y]);
        tk::map(loss, [&](float lse) {
            return lse - (0 <= y && y < V ? float(tk::dense_cell(X, r, y)) : 0.0f);
        }, lse);
    }

    // cross_entropy.tk:23: store(Loss[r], loss);
    tk::store_global(tk::slice(Loss, {r}, 1, R - r), loss, thread);

    // cross_entropy.tk:24: store(LSE[r], lse);
    tk::store_global(tk::slice(LSE, {r}, 1, R - r), lse, thread);
}

// cross_entropy_general: kernel cross_entropy with BV = 8192; any strides and alignment.
// 256 threads, 255 registers each, 1024 bytes of shared memory.
struct cross_entropy_general_shared {
    tk::shared_tile<float, 1, 8> cross_entropy_f32_parts[1];
};

__global__ void __launch_bounds__(256, 1) cross_entropy_general_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<const int, 1> label,
    const tk::tensor_argument<float, 1> Loss, const tk::tensor_argument<float, 1> LSE, int R, int V,
    int ignore) {
    extern __shared__ __align__(1024) unsigned char memory[];
    cross_entropy_general_shared& shared = *reinterpret_cast<cross_entropy_general_shared*>(memory);

    tk::wait_for_previous_kernel();

    // cross_entropy.tk:3: kernel cross_entropy<BV: int = 8192>(X: bf16[R, V], label: i32[R], ..
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
        tk::load_global(t0, tk::slice(X, {r, v}, R - r, V - v), thread);
        tk::stripe<float, 1, 8192, 256, 256, 2> x;
        tk::map(x, thread, [&](int, int col, tk::bf16 t0) {
            return col < V - v ? float(t0) : -INFINITY;
        }, t0);

        // cross_entropy.tk:11: let next = max(top, max(x, axis = 1));
        tk::stripe<float, 1, 1, 256, 256, 2> t1;
        tk::fold_rows(t1, x, tk::maximum{}, thread);
        tk::finish_rows(t1, tk::maximum{}, shared.cross_entropy_f32_parts[0], thread, 1);
        tk::stripe<float, 1, 1, 256, 256, 2> next;
        tk::map(next, [](float top, float t1) { return tk::max(top, t1); }, top, t1);

        // cross_entropy.tk:12: let base = where(next == -inf, 0, next);
        tk::stripe<float, 1, 1, 256, 256, 2> base;
        tk::map(base, [](float next) { return next == -INFINITY ? 0.0f : next; }, next);

        // cross_entropy.tk:13: total = total * exp(top - base) + sum(exp(x - base), axis = 1);
        tk::stripe<float, 1, 8192, 256, 256, 2> t2;
        tk::map(t2, [](float x, float base) { return tk::exp(x - base); }, x, base);
        tk::stripe<float, 1, 1, 256, 256, 2> t3;
        tk::fold_rows(t3, t2, tk::plus{}, thread);
        tk::map(total, [](float total, float top, float base, float t3) {
            return tk::fma(total, tk::exp(top - base), t3);
        }, total, top, base, t3);

        // cross_entropy.tk:14: top = next;
        top = next;
    }

    // cross_entropy.tk:16: let lse = where(total == 0, -inf, top + log(total));
    tk::stripe<float, 1, 1, 256, 256, 2> t4 = total;
    tk::finish_rows(t4, tk::plus{}, shared.cross_entropy_f32_parts[0], thread, 1);
    tk::stripe<float, 1, 1, 256, 256, 2> lse;
    tk::map(lse, [](float t4, float top) { return t4 == 0.0f ? -INFINITY : top + tk::log(t4); },
            t4, top);

    // cross_entropy.tk:17: var loss: f32[1, 1] = 0;
    tk::stripe<float, 1, 1, 256, 256, 2> loss;
    tk::zero(loss);

    // cross_entropy.tk:18: let y = label[r.start];
    const int y = tk::cell(label, r);

    // cross_entropy.tk:19: if y != ignore {
    if (y != ignore) {
        // cross_entropy.tk:21: loss = lse - f32(X[r.start, y]);
        tk::map(loss, [&](float lse) {
            return lse - (0 <= y && y < V ? float(tk::cell(X, r, y)) : 0.0f);
        }, lse);
    }

    // cross_entropy.tk:23: store(Loss[r], loss);
    tk::store_global(tk::slice(Loss, {r}, 1, R - r), loss, thread);

    // cross_entropy.tk:24: store(LSE[r], lse);
    tk::store_global(tk::slice(LSE, {r}, 1, R - r), lse, thread);
}

// cross_entropy_backward: kernel cross_entropy_backward with BV = 8192.
// 256 threads, 64 registers each: cross_entropy_backward_kernel<4, 8, true>.
// cross_entropy_backward_general: kernel cross_entropy_backward with BV = 8192; any strides and
// alignment.
// 256 threads, 255 registers each: cross_entropy_backward_kernel<1, 2, false>.
template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) cross_entropy_backward_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<const int, 1> label,
    const tk::tensor_argument<const float, 1> LSE, const tk::tensor_argument<tk::bf16, 2> dX, int R,
    int V, int ignore, float scale) {
    tk::wait_for_previous_kernel();

    const int v_tiles = tk::tiles(V, 8192);

    // cross_entropy.tk:28: kernel cross_entropy_backward<BV: int = 8192>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int v = program % v_tiles * 8192;
    const int r = program / v_tiles;

    // cross_entropy.tk:32: let y = label[r.start];
    const int y = tk::cell(label, r);

    // cross_entropy.tk:33: let x = f32(load(X[r, v]));
    tk::stripe<tk::bf16, 1, 8192, 256, 256, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_vectors<vectors>(X, {r, v}, R - r, V - v), thread);

    // cross_entropy.tk:34: let p = exp(x - load(LSE[r])) - where(v.start + col_index(x) == y, ..
    tk::stripe<float, 1, 1, 256, 256, vector> t1;
    tk::load_global(t1, tk::slice(LSE, {r}, 1, R - r), thread);

    // cross_entropy.tk:35: store(dX[r, v], bf16(where(y == ignore, 0.0, scale * p)));
    tk::stripe<tk::bf16, 1, 8192, 256, 256, vector> t2;
    tk::map(t2, thread, [&](int, int col, tk::bf16 t0, float t1) {
        return y == ignore ? 0.0f
            : scale * (tk::exp(float(t0) - t1) - (v + col == y ? 1.0f : 0.0f));
    }, t0, t1);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(dX, {r, v}, R - r, V - v), t2, thread);
}

extern "C" {
int cross_entropy(const DLTensor* X_given, const DLTensor* label_given, DLTensor* Loss_given,
                  DLTensor* LSE_given, int32_t ignore, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"cross_entropy"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor label = call.take("label", label_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Loss = call.take("Loss", Loss_given, tk::dtype_f32, 1, tk::access::write);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 1, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t R = X.shape[0];
    const int64_t V = X.shape[1];
    call.require(
        {tk::same_extent("R", X, 0, label, 0), tk::same_extent("R", X, 0, Loss, 0),
         tk::same_extent("R", X, 0, LSE, 0), tk::extents_fit({{"R", R}, {"V", V}}),
         tk::that(V > 0, "`cross_entropy` requires `V > 0`")});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast = tk::hold({tk::suits_fast(X, "V"), tk::whole_vectors(X, 8)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(tk::run<cross_entropy_kernel>(
            site, sizeof(cross_entropy_shared), tk::kernel_shape(256).overlapping(), R, X, label,
            Loss, LSE, R, V, ignore));
    }
    return tk::finish(tk::run<cross_entropy_general_kernel>(
        site, sizeof(cross_entropy_general_shared), tk::kernel_shape(256).overlapping(), R, X,
        label, Loss, LSE, R, V, ignore));
}
TK_NO_WORKSPACE(cross_entropy, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, int32_t)

int cross_entropy_backward(const DLTensor* X_given, const DLTensor* label_given,
                           const DLTensor* LSE_given, DLTensor* dX_given, int32_t ignore,
                           float scale, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"cross_entropy_backward"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor label = call.take("label", label_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor dX = call.take("dX", dX_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t R = X.shape[0];
    const int64_t V = X.shape[1];
    call.require(
        {tk::same_extent("R", X, 0, label, 0), tk::same_extent("R", X, 0, LSE, 0),
         tk::same_extent("R", X, 0, dX, 0), tk::same_extent("V", X, 1, dX, 1),
         tk::extents_fit({{"R", R}, {"V", V}}),
         tk::grid_fits(tk::multiply(tk::ceil_div(V, 8192), R), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::ceil_div(V, 8192), R);
    const bool fast =
        tk::hold({tk::suits_fast(X, "V"), tk::whole_vectors(X, 8), tk::suits_fast(dX, "V")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(tk::run<cross_entropy_backward_kernel<4, 8, true>>(
            site, 0, tk::kernel_shape(256).overlapping(), programs, X, label, LSE, dX, R, V, ignore,
            scale));
    }
    return tk::finish(tk::run<cross_entropy_backward_kernel<1, 2, false>>(
        site, 0, tk::kernel_shape(256).overlapping(), programs, X, label, LSE, dX, R, V, ignore,
        scale));
}
TK_NO_WORKSPACE(cross_entropy_backward, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*, int32_t, float)
}  // extern "C"
