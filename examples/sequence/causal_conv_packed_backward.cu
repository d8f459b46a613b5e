// Made by tkc from causal_conv_packed_backward.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/cells.cuh"
#include "tk/operations/integer.cuh"
#include "tk/tk.cuh"

// gradients_of_chunks: kernel gradients_of_chunks with T = bf16, TW = bf16, W = 4, SILU = true,
// CHUNK = 128, BC = 256.
// 32 threads, 255 registers each.
__global__ void __launch_bounds__(32, 8) gradients_of_chunks_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X,
    const tk::tensor_argument<const tk::bf16, 2> Weight,
    const tk::tensor_argument<const tk::bf16, 1> Bias,
    const tk::tensor_argument<const tk::bf16, 3> Before,
    const tk::tensor_argument<const tk::bf16, 2> dY,
    const tk::tensor_argument<const tk::bf16, 3> dBehind,
    const tk::tensor_argument<const int, 1> start, const tk::tensor_argument<tk::bf16, 2> dX,
    const tk::tensor_argument<float, 4> Part, int N, int C, int CB, int I, int F, int P) {
    tk::wait_for_previous_kernel();

    const int c_tiles = tk::tiles(C, 256);
    const int warp = tk::warp_index();

    // causal_conv_packed_backward.tk:10: kernel gradients_of_chunks<T: dtype = bf16, TW: dtype = ..
    if (warp == 0) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int c = program % c_tiles * 256;
        const int t = program / c_tiles * 128;

        // causal_conv_packed_backward.tk:17: let w: causal_conv.weights<BC> = {
        tk::stripe<tk::bf16, 1, 256, 32, 32, 8> t0;
        tk::load_vectors(t0, tk::vector_slice<tk::no_axis, 1>(Weight, {0, c}, 1, C - c), thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 8> t1;
        tk::load_vectors(t1, tk::vector_slice<tk::no_axis, 1>(Weight, {1, c}, 1, C - c), thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 8> t2;
        tk::load_vectors(t2, tk::vector_slice<tk::no_axis, 1>(Weight, {2, c}, 1, C - c), thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 8> t3;
        tk::load_vectors(t3, tk::vector_slice<tk::no_axis, 1>(Weight, {3, c}, 1, C - c), thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 8> t4;
        tk::load_vectors(t4, tk::dense_slice(Bias, {c}, 1, CB - c), thread);
        tk::stripe<float, 1, 256, 32, 32, 8> w_w0;
        tk::map(w_w0, [](tk::bf16 t0) { return float(t0); }, t0);
        tk::stripe<float, 1, 256, 32, 32, 8> w_w1;
        tk::map(w_w1, [](tk::bf16 t1) { return float(t1); }, t1);
        tk::stripe<float, 1, 256, 32, 32, 8> w_w2;
        tk::map(w_w2, [](tk::bf16 t2) { return float(t2); }, t2);
        tk::stripe<float, 1, 256, 32, 32, 8> w_w3;
        tk::map(w_w3, [](tk::bf16 t3) { return float(t3); }, t3);
        tk::stripe<float, 1, 256, 32, 32, 8> w_bias;
        tk::map(w_bias, [](tk::bf16 t4) { return float(t4); }, t4);

        // causal_conv_packed_backward.tk:21: var past: i32[1, 1] = 0;
        tk::stripe<int, 1, 1, 32, 32, 8> past;
        tk::map(past, []() { return 0; });

        // causal_conv_packed_backward.tk:22: var seen: i32[1, 1] = 0;
        tk::stripe<int, 1, 1, 32, 32, 8> seen;
        tk::map(seen, []() { return 0; });

        // causal_conv_packed_backward.tk:23: for i in P by 128 {
        for (int i = 0; i < P; i += 128) {
            // causal_conv_packed_backward.tk:24: let at = load(start[i]);
            tk::stripe<int, 1, 128, 32, 32, 8> at;
            tk::load_vectors(at, tk::dense_slice(start, {i}, 1, P - i), thread);

            // causal_conv_packed_backward.tk:25: past += sum(pad(where(at <= t.start, 1, 0), ..
            tk::stripe<int, 1, 128, 32, 32, 8> t6;
            tk::map(t6, thread, [&](int, int col, int at) {
                return col < P - i ? (at <= t ? 1 : 0) : 0;
            }, at);
            tk::stripe<int, 1, 1, 32, 32, 8> t7;
            tk::fold_rows(t7, t6, tk::plus{}, thread);
            tk::finish_rows(t7, tk::plus{});
            tk::map(past, [](int past, int t7) { return tk::wrapping_add(past, t7); }, past, t7);

            // causal_conv_packed_backward.tk:26: seen += sum(pad(where(at < t.end, 1, 0), axis = ..
            tk::stripe<int, 1, 128, 32, 32, 8> t8;
            tk::map(t8, thread, [&](int, int col, int at) {
                return col < P - i ? (at < t + 128 ? 1 : 0) : 0;
            }, at);
            tk::stripe<int, 1, 1, 32, 32, 8> t9;
            tk::fold_rows(t9, t8, tk::plus{}, thread);
            tk::finish_rows(t9, tk::plus{});
            tk::map(seen, [](int seen, int t9) { return tk::wrapping_add(seen, t9); }, seen, t9);
        }

        // causal_conv_packed_backward.tk:28: var d: causal_conv_backward.gradients<BC> = { dw0 = ..
        tk::stripe<float, 1, 256, 32, 32, 8> d_dw0;
        tk::zero(d_dw0);
        tk::stripe<float, 1, 256, 32, 32, 8> d_dw1;
        tk::zero(d_dw1);
        tk::stripe<float, 1, 256, 32, 32, 8> d_dw2;
        tk::zero(d_dw2);
        tk::stripe<float, 1, 256, 32, 32, 8> d_dw3;
        tk::zero(d_dw3);
        tk::stripe<float, 1, 256, 32, 32, 8> d_dbias;
        tk::zero(d_dbias);

        // causal_conv_packed_backward.tk:29: for b in max(scalar(past) - 1, ..
        const int number = past.cell(0);
        const int number_2 = seen.cell(0);
        tk::stripe<float, 1, 256, 32, 32, 8> z;
        tk::stripe<float, 1, 256, 32, 32, 8> dz3;
        tk::stripe<float, 1, 256, 32, 32, 8> dx;
        for (int b = tk::max(tk::wrapping_subtract(number, 1), 0); b < tk::min(number_2, P - 1);
             b += 1) {
            // causal_conv_packed_backward.tk:30: let from  = start[b];
            const int from = b < P ? tk::dense_cell(start, b) : int{};

            // causal_conv_packed_backward.tk:31: let upto  = start[b + 1];
            const int upto = b + 1 < P ? tk::dense_cell(start, b + 1) : int{};

            // causal_conv_packed_backward.tk:32: let first = max(t.start, from);
            const int first = tk::max(t, from);

            // causal_conv_packed_backward.tk:33: let end   = min(t.end, upto);
            const int end = tk::min(t + 128, upto);

            // causal_conv_packed_backward.tk:34: var x0 = T(f32(load(X[(if first - 3 >= from { ..
            tk::stripe<tk::bf16, 1, 256, 32, 32, 8> t10;
            tk::load_vectors(
                t10,
                tk::vector_slice<tk::no_axis, 1>(X, {first - 3 >= from ? first - 3 : N, c}, 1,
                                                 (first - 3 >= from ? first - 3 : N) > -1 &&
                                                 (first - 3 >= from ? first - 3 : N) < N ? C - c
                                                 : 0), thread);
            tk::stripe<tk::bf16, 1, 256, 32, 32, 8> t11;
            tk::load_vectors(t11,
                             tk::vector_slice<tk::no_axis, 2>(Before, {b, first - from, c}, 1,
                                                              first - from > -1 && first - from < 3
                                                              ? (b < I ? C - c : 0) : 0), thread);
            tk::stripe<tk::bf16, 1, 256, 32, 32, 8> x0;
            tk::map(x0, [](tk::bf16 t10, tk::bf16 t11) { return float(t10) + float(t11); },
                    t10, t11);

            // causal_conv_packed_backward.tk:35: var x1 = T(f32(load(X[(if first - 2 >= from { ..
            tk::stripe<tk::bf16, 1, 256, 32, 32, 8> t12;
            tk::load_vectors(
                t12,
                tk::vector_slice<tk::no_axis, 1>(X, {first - 2 >= from ? first - 2 : N, c}, 1,
                                                 (first - 2 >= from ? first - 2 : N) > -1 &&
                                                 (first - 2 >= from ? first - 2 : N) < N ? C - c
                                                 : 0), thread);
            tk::stripe<tk::bf16, 1, 256, 32, 32, 8> t13;
            tk::load_vectors(t13,
                             tk::vector_slice<tk::no_axis, 2>(Before, {b, first - from + 4 - 3, c},
                                                              1,
                                                              first - from + 4 - 3 > -1 &&
                                                              first - from + 4 - 3 < 3
                                                              ? (b < I ? C - c : 0) : 0), thread);
            tk::stripe<tk::bf16, 1, 256, 32, 32, 8> x1;
            tk::map(x1, [](tk::bf16 t12, tk::bf16 t13) { return float(t12) + float(t13); },
                    t12, t13);

            // causal_conv_packed_backward.tk:36: var x2 = T(f32(load(X[(if first - 1 >= from { ..
            tk::stripe<tk::bf16, 1, 256, 32, 32, 8> t14;
            tk::load_vectors(
                t14,
                tk::vector_slice<tk::no_axis, 1>(X, {first - 1 >= from ? first - 1 : N, c}, 1,
                                                 (first - 1 >= from ? first - 1 : N) > -1 &&
                                                 (first - 1 >= from ? first - 1 : N) < N ? C - c
                                                 : 0), thread);
            tk::stripe<tk::bf16, 1, 256, 32, 32, 8> t15;
            tk::load_vectors(t15,
                             tk::vector_slice<tk::no_axis, 2>(Before, {b, first - from + 4 - 2, c},
                                                              1,
                                                              first - from + 4 - 2 > -1 &&
                                                              first - from + 4 - 2 < 3
                                                              ? (b < I ? C - c : 0) : 0), thread);
            tk::stripe<tk::bf16, 1, 256, 32, 32, 8> x2;
            tk::map(x2, [](tk::bf16 t14, tk::bf16 t15) { return float(t14) + float(t15); },
                    t14, t15);

            // causal_conv_packed_backward.tk:37: var a0: T[1, BC]  = load(X[(if first < upto { ..
            tk::stripe<tk::bf16, 1, 256, 32, 32, 8> a0;
            tk::load_vectors(a0,
                             tk::vector_slice<tk::no_axis, 1>(X, {first < upto ? first : N, c}, 1,
                                                              (first < upto ? first : N) > -1 &&
                                                              (first < upto ? first : N) < N ? C - c
                                                              : 0), thread);

            // causal_conv_packed_backward.tk:38: var a1: T[1, BC]  = load(X[(if first + 1 < upto ..
            tk::stripe<tk::bf16, 1, 256, 32, 32, 8> a1;
            tk::load_vectors(
                a1,
                tk::vector_slice<tk::no_axis, 1>(X, {first + 1 < upto ? first + 1 : N, c}, 1,
                                                 (first + 1 < upto ? first + 1 : N) > -1 &&
                                                 (first + 1 < upto ? first + 1 : N) < N ? C - c
                                                 : 0), thread);

            // causal_conv_packed_backward.tk:39: var dy0: T[1, BC] = load(dY[(if first < upto { ..
            tk::stripe<tk::bf16, 1, 256, 32, 32, 8> dy0;
            tk::load_vectors(dy0,
                             tk::vector_slice<tk::no_axis, 1>(dY, {first < upto ? first : N, c}, 1,
                                                              (first < upto ? first : N) > -1 &&
                                                              (first < upto ? first : N) < N ? C - c
                                                              : 0), thread);

            // causal_conv_packed_backward.tk:40: var dy1: T[1, BC] = load(dY[(if first + 1 < ..
            tk::stripe<tk::bf16, 1, 256, 32, 32, 8> dy1;
            tk::load_vectors(
                dy1,
                tk::vector_slice<tk::no_axis, 1>(dY, {first + 1 < upto ? first + 1 : N, c}, 1,
                                                 (first + 1 < upto ? first + 1 : N) > -1 &&
                                                 (first + 1 < upto ? first + 1 : N) < N ? C - c
                                                 : 0), thread);

            // causal_conv_packed_backward.tk:41: var dz0: f32[1, BC] = 0;
            tk::stripe<float, 1, 256, 32, 32, 8> dz0;
            tk::zero(dz0);

            // causal_conv_packed_backward.tk:42: var dz1: f32[1, BC] = 0;
            tk::stripe<float, 1, 256, 32, 32, 8> dz1;
            tk::zero(dz1);

            // causal_conv_packed_backward.tk:43: var dz2: f32[1, BC] = 0;
            tk::stripe<float, 1, 256, 32, 32, 8> dz2;
            tk::zero(dz2);

            // causal_conv_packed_backward.tk:44: for n in first - 3..end by 1 pipelined(2) {
            #pragma unroll 2
            for (int n = first - 3; n < end; n += 1) {
                // causal_conv_packed_backward.tk:45: let at = if n + 2 < end and n + 5 < upto { ..
                const int at_2 = n + 2 < end && n + 5 < upto ? n + 5 : N;

                // causal_conv_packed_backward.tk:46: let ahead = load(X[at, c]);
                tk::stripe<tk::bf16, 1, 256, 32, 32, 8> ahead;
                tk::load_vectors(ahead,
                                 tk::vector_slice<tk::no_axis, 1>(X, {at_2, c}, 1,
                                                                  at_2 > -1 && at_2 < N ? C - c
                                                                  : 0), thread);

                // causal_conv_packed_backward.tk:47: let dy_ahead = load(dY[at, c]);
                tk::stripe<tk::bf16, 1, 256, 32, 32, 8> dy_ahead;
                tk::load_vectors(dy_ahead,
                                 tk::vector_slice<tk::no_axis, 1>(dY, {at_2, c}, 1,
                                                                  at_2 > -1 && at_2 < N ? C - c
                                                                  : 0), thread);

                // causal_conv_packed_backward.tk:49: if n == first and first > from { d = { dw0 ..
                if (n == first && first > from) {
                    tk::zero(d_dw0);
                    tk::zero(d_dw1);
                    tk::zero(d_dw2);
                    tk::zero(d_dw3);
                    tk::zero(d_dbias);
                }

                // causal_conv_backward.tk:14: var dz = f32(dy);
                tk::map(dz3, [](tk::bf16 dy0) { return float(dy0); }, dy0);

                // causal_conv.tk:15: var z = w.bias;
                z = w_bias;

                // causal_conv.tk:16: if W > 3 { z += w.w0 * x0; }
                tk::map(z, [](float z, float w_w0, tk::bf16 x0) {
                    return tk::fma(w_w0, float(x0), z);
                }, z, w_w0, x0);

                // causal_conv.tk:17: if W > 2 { z += w.w1 * x1; }
                tk::map(z, [](float z, float w_w1, tk::bf16 x1) {
                    return tk::fma(w_w1, float(x1), z);
                }, z, w_w1, x1);

                // causal_conv_backward.tk:15: if SILU { dz *= ..
                tk::map(dz3,
                        [](float w_w3, tk::bf16 a0, float w_w2, tk::bf16 x2, float z, float dz3) {
                    const float x = tk::fma(w_w3, float(a0), tk::fma(w_w2, float(x2), z));
                    const float x_2 = tk::divide(1.0f, 1.0f + tk::exp(-x));
                    return dz3 * (x_2 * tk::fma(x, 1.0f - x_2, 1.0f));
                }, w_w3, a0, w_w2, x2, z, dz3);

                // causal_conv_backward.tk:16: if W > 3 { d.dw0 += dz * x0; }
                tk::map(d_dw0, [](float d_dw0, float dz3, tk::bf16 x0) {
                    return tk::fma(dz3, float(x0), d_dw0);
                }, d_dw0, dz3, x0);

                // causal_conv_backward.tk:17: if W > 2 { d.dw1 += dz * x1; }
                tk::map(d_dw1, [](float d_dw1, float dz3, tk::bf16 x1) {
                    return tk::fma(dz3, float(x1), d_dw1);
                }, d_dw1, dz3, x1);

                // causal_conv_backward.tk:18: d.dw2 += dz * x2;
                tk::map(d_dw2, [](float d_dw2, float dz3, tk::bf16 x2) {
                    return tk::fma(dz3, float(x2), d_dw2);
                }, d_dw2, dz3, x2);

                // causal_conv_backward.tk:19: d.dw3 += dz * x3;
                tk::map(d_dw3, [](float d_dw3, float dz3, tk::bf16 a0) {
                    return tk::fma(dz3, float(a0), d_dw3);
                }, d_dw3, dz3, a0);

                // causal_conv_backward.tk:20: d.dbias += dz;
                tk::map(d_dbias, [](float d_dbias, float dz3) { return d_dbias + dz3; },
                        d_dbias, dz3);

                // causal_conv_packed_backward.tk:51: if n >= first {
                if (n >= first) {
                    // causal_conv_backward.tk:26: var dx = w.w3 * dz0 + w.w2 * dz1;
                    tk::map(dx, [](float w_w3, float dz0, float w_w2, float dz1) {
                        return tk::fma(w_w3, dz0, w_w2 * dz1);
                    }, w_w3, dz0, w_w2, dz1);

                    // causal_conv_backward.tk:27: if W > 2 { dx += w.w1 * dz2; }
                    tk::map(dx, [](float dx, float w_w1, float dz2) {
                        return tk::fma(w_w1, dz2, dx);
                    }, dx, w_w1, dz2);

                    // causal_conv_backward.tk:28: if W > 3 { dx += w.w0 * dz3; }
                    tk::map(dx, [](float dx, float w_w0, float dz3) {
                        return tk::fma(w_w0, dz3, dx);
                    }, dx, w_w0, dz3);

                    // causal_conv_packed_backward.tk:52: store(dX[n, c],
                    tk::stripe<tk::bf16, 1, 256, 32, 32, 8> t22;
                    tk::load_vectors(
                        t22,
                        tk::vector_slice<tk::no_axis, 2>(dBehind, {b, n - upto + 4 - 1, c}, 1,
                                                         n - upto + 4 - 1 > -1 &&
                                                         n - upto + 4 - 1 < 3 ? (b < F ? C - c : 0)
                                                         : 0), thread);
                    tk::stripe<tk::bf16, 1, 256, 32, 32, 8> t23;
                    tk::map(t23, [](float dx, tk::bf16 t22) { return dx + float(t22); }, dx, t22);
                    tk::store_vectors(
                        tk::clipped(tk::dense_slice(dX, {n, c}, N - n, C - c), 0 - n, 0), t23,
                        thread);
                }

                // causal_conv_packed_backward.tk:55: dz0 = dz1;
                dz0 = dz1;

                // causal_conv_packed_backward.tk:56: dz1 = dz2;
                dz1 = dz2;

                // causal_conv_packed_backward.tk:57: dz2 = dz3;
                dz2 = dz3;

                // causal_conv_packed_backward.tk:58: x0 = x1;
                x0 = x1;

                // causal_conv_packed_backward.tk:59: x1 = x2;
                x1 = x2;

                // causal_conv_packed_backward.tk:60: x2 = a0;
                x2 = a0;

                // causal_conv_packed_backward.tk:61: a0 = a1;
                a0 = a1;

                // causal_conv_packed_backward.tk:62: a1 = ahead;
                a1 = ahead;

                // causal_conv_packed_backward.tk:63: dy0 = dy1;
                dy0 = dy1;

                // causal_conv_packed_backward.tk:64: dy1 = dy_ahead;
                dy1 = dy_ahead;
            }
        }

        // causal_conv_packed_backward.tk:67: if W > 3 { store(Part[0, t.index, W - 4, c], d.dw0); }
        tk::store_vectors(
            tk::vector_slice<tk::no_axis, 3>(Part, {0, t / 128, 0, c}, 1,
                                             t / 128 < tk::divide_up(N, 128) ? C - c : 0), d_dw0,
            thread);

        // causal_conv_packed_backward.tk:68: if W > 2 { store(Part[0, t.index, W - 3, c], d.dw1); }
        tk::store_vectors(
            tk::vector_slice<tk::no_axis, 3>(Part, {0, t / 128, 1, c}, 1,
                                             t / 128 < tk::divide_up(N, 128) ? C - c : 0), d_dw1,
            thread);

        // causal_conv_packed_backward.tk:69: store(Part[0, t.index, W - 2, c], d.dw2);
        tk::store_vectors(
            tk::vector_slice<tk::no_axis, 3>(Part, {0, t / 128, 2, c}, 1,
                                             t / 128 < tk::divide_up(N, 128) ? C - c : 0), d_dw2,
            thread);

        // causal_conv_packed_backward.tk:70: store(Part[0, t.index, W - 1, c], d.dw3);
        tk::store_vectors(
            tk::vector_slice<tk::no_axis, 3>(Part, {0, t / 128, 3, c}, 1,
                                             t / 128 < tk::divide_up(N, 128) ? C - c : 0), d_dw3,
            thread);

        // causal_conv_packed_backward.tk:71: store(Part[0, t.index, W, c], d.dbias);
        tk::store_vectors(
            tk::vector_slice<tk::no_axis, 3>(Part, {0, t / 128, 4, c}, 1,
                                             t / 128 < tk::divide_up(N, 128) ? C - c : 0), d_dbias,
            thread);
    }
}

// gradients_of_chunks_general: kernel gradients_of_chunks with T = bf16, TW = bf16, W = 4, SILU =
// true, CHUNK = 128, BC = 256; any strides and alignment.
// 32 threads, 255 registers each.
__global__ void __launch_bounds__(32, 1) gradients_of_chunks_general_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X,
    const tk::tensor_argument<const tk::bf16, 2> Weight,
    const tk::tensor_argument<const tk::bf16, 1> Bias,
    const tk::tensor_argument<const tk::bf16, 3> Before,
    const tk::tensor_argument<const tk::bf16, 2> dY,
    const tk::tensor_argument<const tk::bf16, 3> dBehind,
    const tk::tensor_argument<const int, 1> start, const tk::tensor_argument<tk::bf16, 2> dX,
    const tk::tensor_argument<float, 4> Part, int N, int C, int CB, int I, int F, int P) {
    tk::wait_for_previous_kernel();

    const int c_tiles = tk::tiles(C, 256);
    const int warp = tk::warp_index();

    // causal_conv_packed_backward.tk:10: kernel gradients_of_chunks<T: dtype = bf16, TW: dtype = ..
    if (warp == 0) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int c = program % c_tiles * 256;
        const int t = program / c_tiles * 128;

        // causal_conv_packed_backward.tk:17: let w: causal_conv.weights<BC> = {
        tk::stripe<tk::bf16, 1, 256, 32, 32, 2> t0;
        tk::load_global(t0, tk::slice<tk::no_axis, 1>(Weight, {0, c}, 1, C - c), thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 2> t1;
        tk::load_global(t1, tk::slice<tk::no_axis, 1>(Weight, {1, c}, 1, C - c), thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 2> t2;
        tk::load_global(t2, tk::slice<tk::no_axis, 1>(Weight, {2, c}, 1, C - c), thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 2> t3;
        tk::load_global(t3, tk::slice<tk::no_axis, 1>(Weight, {3, c}, 1, C - c), thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 2> t4;
        tk::load_global(t4, tk::slice(Bias, {c}, 1, CB - c), thread);
        tk::stripe<float, 1, 256, 32, 32, 2> w_w0;
        tk::map(w_w0, [](tk::bf16 t0) { return float(t0); }, t0);
        tk::stripe<float, 1, 256, 32, 32, 2> w_w1;
        tk::map(w_w1, [](tk::bf16 t1) { return float(t1); }, t1);
        tk::stripe<float, 1, 256, 32, 32, 2> w_w2;
        tk::map(w_w2, [](tk::bf16 t2) { return float(t2); }, t2);
        tk::stripe<float, 1, 256, 32, 32, 2> w_w3;
        tk::map(w_w3, [](tk::bf16 t3) { return float(t3); }, t3);
        tk::stripe<float, 1, 256, 32, 32, 2> w_bias;
        tk::map(w_bias, [](tk::bf16 t4) { return float(t4); }, t4);

        // causal_conv_packed_backward.tk:21: var past: i32[1, 1] = 0;
        tk::stripe<int, 1, 1, 32, 32, 2> past;
        tk::map(past, []() { return 0; });

        // causal_conv_packed_backward.tk:22: var seen: i32[1, 1] = 0;
        tk::stripe<int, 1, 1, 32, 32, 2> seen;
        tk::map(seen, []() { return 0; });

        // causal_conv_packed_backward.tk:23: for i in P by 128 {
        for (int i = 0; i < P; i += 128) {
            // causal_conv_packed_backward.tk:24: let at = load(start[i]);
            tk::stripe<int, 1, 128, 32, 32, 2> at;
            tk::load_global(at, tk::slice(start, {i}, 1, P - i), thread);

            // causal_conv_packed_backward.tk:25: past += sum(pad(where(at <= t.start, 1, 0), ..
            tk::stripe<int, 1, 128, 32, 32, 2> t6;
            tk::map(t6, thread, [&](int, int col, int at) {
                return col < P - i ? (at <= t ? 1 : 0) : 0;
            }, at);
            tk::stripe<int, 1, 1, 32, 32, 2> t7;
            tk::fold_rows(t7, t6, tk::plus{}, thread);
            tk::finish_rows(t7, tk::plus{});
            tk::map(past, [](int past, int t7) { return tk::wrapping_add(past, t7); }, past, t7);

            // causal_conv_packed_backward.tk:26: seen += sum(pad(where(at < t.end, 1, 0), axis = ..
            tk::stripe<int, 1, 128, 32, 32, 2> t8;
            tk::map(t8, thread, [&](int, int col, int at) {
                return col < P - i ? (at < t + 128 ? 1 : 0) : 0;
            }, at);
            tk::stripe<int, 1, 1, 32, 32, 2> t9;
            tk::fold_rows(t9, t8, tk::plus{}, thread);
            tk::finish_rows(t9, tk::plus{});
            tk::map(seen, [](int seen, int t9) { return tk::wrapping_add(seen, t9); }, seen, t9);
        }

        // causal_conv_packed_backward.tk:28: var d: causal_conv_backward.gradients<BC> = { dw0 = ..
        tk::stripe<float, 1, 256, 32, 32, 2> d_dw0;
        tk::zero(d_dw0);
        tk::stripe<float, 1, 256, 32, 32, 2> d_dw1;
        tk::zero(d_dw1);
        tk::stripe<float, 1, 256, 32, 32, 2> d_dw2;
        tk::zero(d_dw2);
        tk::stripe<float, 1, 256, 32, 32, 2> d_dw3;
        tk::zero(d_dw3);
        tk::stripe<float, 1, 256, 32, 32, 2> d_dbias;
        tk::zero(d_dbias);

        // causal_conv_packed_backward.tk:29: for b in max(scalar(past) - 1, ..
        const int number = past.cell(0);
        const int number_2 = seen.cell(0);
        tk::stripe<float, 1, 256, 32, 32, 2> z;
        tk::stripe<float, 1, 256, 32, 32, 2> dz3;
        tk::stripe<float, 1, 256, 32, 32, 2> dx;
        for (int b = tk::max(tk::wrapping_subtract(number, 1), 0); b < tk::min(number_2, P - 1);
             b += 1) {
            // causal_conv_packed_backward.tk:30: let from  = start[b];
            const int from = b < P ? tk::cell(start, b) : int{};

            // causal_conv_packed_backward.tk:31: let upto  = start[b + 1];
            const int upto = b + 1 < P ? tk::cell(start, b + 1) : int{};

            // causal_conv_packed_backward.tk:32: let first = max(t.start, from);
            const int first = tk::max(t, from);

            // causal_conv_packed_backward.tk:33: let end   = min(t.end, upto);
            const int end = tk::min(t + 128, upto);

            // causal_conv_packed_backward.tk:34: var x0 = T(f32(load(X[(if first - 3 >= from { ..
            tk::stripe<tk::bf16, 1, 256, 32, 32, 2> t10;
            tk::load_global(t10,
                            tk::slice<tk::no_axis, 1>(X, {first - 3 >= from ? first - 3 : N, c}, 1,
                                                      (first - 3 >= from ? first - 3 : N) > -1 &&
                                                      (first - 3 >= from ? first - 3 : N) < N
                                                      ? C - c : 0), thread);
            tk::stripe<tk::bf16, 1, 256, 32, 32, 2> t11;
            tk::load_global(t11,
                            tk::slice<tk::no_axis, 2>(Before, {b, first - from, c}, 1,
                                                      first - from > -1 && first - from < 3
                                                      ? (b < I ? C - c : 0) : 0), thread);
            tk::stripe<tk::bf16, 1, 256, 32, 32, 2> x0;
            tk::map(x0, [](tk::bf16 t10, tk::bf16 t11) { return float(t10) + float(t11); },
                    t10, t11);

            // causal_conv_packed_backward.tk:35: var x1 = T(f32(load(X[(if first - 2 >= from { ..
            tk::stripe<tk::bf16, 1, 256, 32, 32, 2> t12;
            tk::load_global(t12,
                            tk::slice<tk::no_axis, 1>(X, {first - 2 >= from ? first - 2 : N, c}, 1,
                                                      (first - 2 >= from ? first - 2 : N) > -1 &&
                                                      (first - 2 >= from ? first - 2 : N) < N
                                                      ? C - c : 0), thread);
            tk::stripe<tk::bf16, 1, 256, 32, 32, 2> t13;
            tk::load_global(t13,
                            tk::slice<tk::no_axis, 2>(Before, {b, first - from + 4 - 3, c}, 1,
                                                      first - from + 4 - 3 > -1 &&
                                                      first - from + 4 - 3 < 3 ? (b < I ? C - c : 0)
                                                      : 0), thread);
            tk::stripe<tk::bf16, 1, 256, 32, 32, 2> x1;
            tk::map(x1, [](tk::bf16 t12, tk::bf16 t13) { return float(t12) + float(t13); },
                    t12, t13);

            // causal_conv_packed_backward.tk:36: var x2 = T(f32(load(X[(if first - 1 >= from { ..
            tk::stripe<tk::bf16, 1, 256, 32, 32, 2> t14;
            tk::load_global(t14,
                            tk::slice<tk::no_axis, 1>(X, {first - 1 >= from ? first - 1 : N, c}, 1,
                                                      (first - 1 >= from ? first - 1 : N) > -1 &&
                                                      (first - 1 >= from ? first - 1 : N) < N
                                                      ? C - c : 0), thread);
            tk::stripe<tk::bf16, 1, 256, 32, 32, 2> t15;
            tk::load_global(t15,
                            tk::slice<tk::no_axis, 2>(Before, {b, first - from + 4 - 2, c}, 1,
                                                      first - from + 4 - 2 > -1 &&
                                                      first - from + 4 - 2 < 3 ? (b < I ? C - c : 0)
                                                      : 0), thread);
            tk::stripe<tk::bf16, 1, 256, 32, 32, 2> x2;
            tk::map(x2, [](tk::bf16 t14, tk::bf16 t15) { return float(t14) + float(t15); },
                    t14, t15);

            // causal_conv_packed_backward.tk:37: var a0: T[1, BC]  = load(X[(if first < upto { ..
            tk::stripe<tk::bf16, 1, 256, 32, 32, 2> a0;
            tk::load_global(a0,
                            tk::slice<tk::no_axis, 1>(X, {first < upto ? first : N, c}, 1,
                                                      (first < upto ? first : N) > -1 &&
                                                      (first < upto ? first : N) < N ? C - c : 0),
                            thread);

            // causal_conv_packed_backward.tk:38: var a1: T[1, BC]  = load(X[(if first + 1 < upto ..
            tk::stripe<tk::bf16, 1, 256, 32, 32, 2> a1;
            tk::load_global(a1,
                            tk::slice<tk::no_axis, 1>(X, {first + 1 < upto ? first + 1 : N, c}, 1,
                                                      (first + 1 < upto ? first + 1 : N) > -1 &&
                                                      (first + 1 < upto ? first + 1 : N) < N ? C - c
                                                      : 0), thread);

            // causal_conv_packed_backward.tk:39: var dy0: T[1, BC] = load(dY[(if first < upto { ..
            tk::stripe<tk::bf16, 1, 256, 32, 32, 2> dy0;
            tk::load_global(dy0,
                            tk::slice<tk::no_axis, 1>(dY, {first < upto ? first : N, c}, 1,
                                                      (first < upto ? first : N) > -1 &&
                                                      (first < upto ? first : N) < N ? C - c : 0),
                            thread);

            // causal_conv_packed_backward.tk:40: var dy1: T[1, BC] = load(dY[(if first + 1 < ..
            tk::stripe<tk::bf16, 1, 256, 32, 32, 2> dy1;
            tk::load_global(dy1,
                            tk::slice<tk::no_axis, 1>(dY, {first + 1 < upto ? first + 1 : N, c}, 1,
                                                      (first + 1 < upto ? first + 1 : N) > -1 &&
                                                      (first + 1 < upto ? first + 1 : N) < N ? C - c
                                                      : 0), thread);

            // causal_conv_packed_backward.tk:41: var dz0: f32[1, BC] = 0;
            tk::stripe<float, 1, 256, 32, 32, 2> dz0;
            tk::zero(dz0);

            // causal_conv_packed_backward.tk:42: var dz1: f32[1, BC] = 0;
            tk::stripe<float, 1, 256, 32, 32, 2> dz1;
            tk::zero(dz1);

            // causal_conv_packed_backward.tk:43: var dz2: f32[1, BC] = 0;
            tk::stripe<float, 1, 256, 32, 32, 2> dz2;
            tk::zero(dz2);

            // causal_conv_packed_backward.tk:44: for n in first - 3..end by 1 pipelined(2) {
            for (int n = first - 3; n < end; n += 1) {
                // causal_conv_packed_backward.tk:45: let at = if n + 2 < end and n + 5 < upto { ..
                const int at_2 = n + 2 < end && n + 5 < upto ? n + 5 : N;

                // causal_conv_packed_backward.tk:46: let ahead = load(X[at, c]);
                tk::stripe<tk::bf16, 1, 256, 32, 32, 2> ahead;
                tk::load_global(ahead,
                                tk::slice<tk::no_axis, 1>(X, {at_2, c}, 1,
                                                          at_2 > -1 && at_2 < N ? C - c : 0),
                                thread);

                // causal_conv_packed_backward.tk:47: let dy_ahead = load(dY[at, c]);
                tk::stripe<tk::bf16, 1, 256, 32, 32, 2> dy_ahead;
                tk::load_global(dy_ahead,
                                tk::slice<tk::no_axis, 1>(dY, {at_2, c}, 1,
                                                          at_2 > -1 && at_2 < N ? C - c : 0),
                                thread);

                // causal_conv_packed_backward.tk:49: if n == first and first > from { d = { dw0 ..
                if (n == first && first > from) {
                    tk::zero(d_dw0);
                    tk::zero(d_dw1);
                    tk::zero(d_dw2);
                    tk::zero(d_dw3);
                    tk::zero(d_dbias);
                }

                // causal_conv_backward.tk:14: var dz = f32(dy);
                tk::map(dz3, [](tk::bf16 dy0) { return float(dy0); }, dy0);

                // causal_conv.tk:15: var z = w.bias;
                z = w_bias;

                // causal_conv.tk:16: if W > 3 { z += w.w0 * x0; }
                tk::map(z, [](float z, float w_w0, tk::bf16 x0) {
                    return tk::fma(w_w0, float(x0), z);
                }, z, w_w0, x0);

                // causal_conv.tk:17: if W > 2 { z += w.w1 * x1; }
                tk::map(z, [](float z, float w_w1, tk::bf16 x1) {
                    return tk::fma(w_w1, float(x1), z);
                }, z, w_w1, x1);

                // causal_conv_backward.tk:15: if SILU { dz *= ..
                tk::map(dz3,
                        [](float w_w3, tk::bf16 a0, float w_w2, tk::bf16 x2, float z, float dz3) {
                    const float x = tk::fma(w_w3, float(a0), tk::fma(w_w2, float(x2), z));
                    const float x_2 = tk::divide(1.0f, 1.0f + tk::exp(-x));
                    return dz3 * (x_2 * tk::fma(x, 1.0f - x_2, 1.0f));
                }, w_w3, a0, w_w2, x2, z, dz3);

                // causal_conv_backward.tk:16: if W > 3 { d.dw0 += dz * x0; }
                tk::map(d_dw0, [](float d_dw0, float dz3, tk::bf16 x0) {
                    return tk::fma(dz3, float(x0), d_dw0);
                }, d_dw0, dz3, x0);

                // causal_conv_backward.tk:17: if W > 2 { d.dw1 += dz * x1; }
                tk::map(d_dw1, [](float d_dw1, float dz3, tk::bf16 x1) {
                    return tk::fma(dz3, float(x1), d_dw1);
                }, d_dw1, dz3, x1);

                // causal_conv_backward.tk:18: d.dw2 += dz * x2;
                tk::map(d_dw2, [](float d_dw2, float dz3, tk::bf16 x2) {
                    return tk::fma(dz3, float(x2), d_dw2);
                }, d_dw2, dz3, x2);

                // causal_conv_backward.tk:19: d.dw3 += dz * x3;
                tk::map(d_dw3, [](float d_dw3, float dz3, tk::bf16 a0) {
                    return tk::fma(dz3, float(a0), d_dw3);
                }, d_dw3, dz3, a0);

                // causal_conv_backward.tk:20: d.dbias += dz;
                tk::map(d_dbias, [](float d_dbias, float dz3) { return d_dbias + dz3; },
                        d_dbias, dz3);

                // causal_conv_packed_backward.tk:51: if n >= first {
                if (n >= first) {
                    // causal_conv_backward.tk:26: var dx = w.w3 * dz0 + w.w2 * dz1;
                    tk::map(dx, [](float w_w3, float dz0, float w_w2, float dz1) {
                        return tk::fma(w_w3, dz0, w_w2 * dz1);
                    }, w_w3, dz0, w_w2, dz1);

                    // causal_conv_backward.tk:27: if W > 2 { dx += w.w1 * dz2; }
                    tk::map(dx, [](float dx, float w_w1, float dz2) {
                        return tk::fma(w_w1, dz2, dx);
                    }, dx, w_w1, dz2);

                    // causal_conv_backward.tk:28: if W > 3 { dx += w.w0 * dz3; }
                    tk::map(dx, [](float dx, float w_w0, float dz3) {
                        return tk::fma(w_w0, dz3, dx);
                    }, dx, w_w0, dz3);

                    // causal_conv_packed_backward.tk:52: store(dX[n, c],
                    tk::stripe<tk::bf16, 1, 256, 32, 32, 2> t22;
                    tk::load_global(t22,
                                    tk::slice<tk::no_axis, 2>(dBehind, {b, n - upto + 4 - 1, c}, 1,
                                                              n - upto + 4 - 1 > -1 &&
                                                              n - upto + 4 - 1 < 3
                                                              ? (b < F ? C - c : 0) : 0), thread);
                    tk::stripe<tk::bf16, 1, 256, 32, 32, 2> t23;
                    tk::map(t23, [](float dx, tk::bf16 t22) { return dx + float(t22); }, dx, t22);
                    tk::store_global(tk::clipped(tk::slice(dX, {n, c}, N - n, C - c), 0 - n, 0),
                                     t23, thread);
                }

                // causal_conv_packed_backward.tk:55: dz0 = dz1;
                dz0 = dz1;

                // causal_conv_packed_backward.tk:56: dz1 = dz2;
                dz1 = dz2;

                // causal_conv_packed_backward.tk:57: dz2 = dz3;
                dz2 = dz3;

                // causal_conv_packed_backward.tk:58: x0 = x1;
                x0 = x1;

                // causal_conv_packed_backward.tk:59: x1 = x2;
                x1 = x2;

                // causal_conv_packed_backward.tk:60: x2 = a0;
                x2 = a0;

                // causal_conv_packed_backward.tk:61: a0 = a1;
                a0 = a1;

                // causal_conv_packed_backward.tk:62: a1 = ahead;
                a1 = ahead;

                // causal_conv_packed_backward.tk:63: dy0 = dy1;
                dy0 = dy1;

                // causal_conv_packed_backward.tk:64: dy1 = dy_ahead;
                dy1 = dy_ahead;
            }
        }

        // causal_conv_packed_backward.tk:67: if W > 3 { store(Part[0, t.index, W - 4, c], d.dw0); }
        tk::store_global(
            tk::slice<tk::no_axis, 3>(Part, {0, t / 128, 0, c}, 1,
                                      t / 128 < tk::divide_up(N, 128) ? C - c : 0), d_dw0, thread);

        // causal_conv_packed_backward.tk:68: if W > 2 { store(Part[0, t.index, W - 3, c], d.dw1); }
        tk::store_global(
            tk::slice<tk::no_axis, 3>(Part, {0, t / 128, 1, c}, 1,
                                      t / 128 < tk::divide_up(N, 128) ? C - c : 0), d_dw1, thread);

        // causal_conv_packed_backward.tk:69: store(Part[0, t.index, W - 2, c], d.dw2);
        tk::store_global(
            tk::slice<tk::no_axis, 3>(Part, {0, t / 128, 2, c}, 1,
                                      t / 128 < tk::divide_up(N, 128) ? C - c : 0), d_dw2, thread);

        // causal_conv_packed_backward.tk:70: store(Part[0, t.index, W - 1, c], d.dw3);
        tk::store_global(
            tk::slice<tk::no_axis, 3>(Part, {0, t / 128, 3, c}, 1,
                                      t / 128 < tk::divide_up(N, 128) ? C - c : 0), d_dw3, thread);

        // causal_conv_packed_backward.tk:71: store(Part[0, t.index, W, c], d.dbias);
        tk::store_global(
            tk::slice<tk::no_axis, 3>(Part, {0, t / 128, 4, c}, 1,
                                      t / 128 < tk::divide_up(N, 128) ? C - c : 0), d_dbias,
            thread);
    }
}

// gradients_before: kernel gradients_before with T = bf16, TW = bf16, W = 4, SILU = true, BC = 256.
// 32 threads, 168 registers each: gradients_before_kernel<12, 8, true>.
// gradients_before_general: kernel gradients_before with T = bf16, TW = bf16, W = 4, SILU = true,
// BC = 256; any strides and alignment.
// 32 threads, 255 registers each: gradients_before_kernel<1, 2, false>.
template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(32, blocks) gradients_before_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X,
    const tk::tensor_argument<const tk::bf16, 2> Weight,
    const tk::tensor_argument<const tk::bf16, 1> Bias,
    const tk::tensor_argument<const tk::bf16, 3> Before,
    const tk::tensor_argument<const tk::bf16, 2> dY,
    const tk::tensor_argument<const tk::bf16, 3> dBehind,
    const tk::tensor_argument<const int, 1> start, const tk::tensor_argument<tk::bf16, 3> dBefore,
    int N, int C, int CB, int I, int F, int P, int J) {
    tk::wait_for_previous_kernel();

    const int c_tiles = tk::tiles(C, 256);
    const int warp = tk::warp_index();

    // causal_conv_packed_backward.tk:75: kernel gradients_before<T: dtype = bf16, TW: dtype = T, ..
    if (warp == 0) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int c = program % c_tiles * 256;
        const int b = program / c_tiles;

        // causal_conv_packed_backward.tk:82: let w: causal_conv.weights<BC> = {
        tk::stripe<tk::bf16, 1, 256, 32, 32, vector> t0;
        tk::load_slice<vectors>(
            t0, tk::slice_if_vectors<vectors, tk::no_axis, 1>(Weight, {0, c}, 1, C - c), thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, vector> t1;
        tk::load_slice<vectors>(
            t1, tk::slice_if_vectors<vectors, tk::no_axis, 1>(Weight, {1, c}, 1, C - c), thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, vector> t2;
        tk::load_slice<vectors>(
            t2, tk::slice_if_vectors<vectors, tk::no_axis, 1>(Weight, {2, c}, 1, C - c), thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, vector> t3;
        tk::load_slice<vectors>(
            t3, tk::slice_if_vectors<vectors, tk::no_axis, 1>(Weight, {3, c}, 1, C - c), thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, vector> t4;
        tk::load_slice<vectors>(t4, tk::slice_if_dense<vectors>(Bias, {c}, 1, CB - c), thread);
        tk::stripe<float, 1, 256, 32, 32, vector> z_3;
        tk::map(z_3, [](tk::bf16 t4) { return float(t4); }, t4);

        // causal_conv_packed_backward.tk:86: let from = start[b];
        const int from = tk::cell(start, b);

        // causal_conv_packed_backward.tk:87: let upto = start[b + 1];
        const int upto = tk::cell(start, b + 1);

        // causal_conv_packed_backward.tk:88: let at0 = if from < upto { from } else { N };
        const int at0 = from < upto ? from : N;

        // causal_conv_packed_backward.tk:89: let at1 = if from + 1 < upto { from + 1 } else { N };
        const int at1 = tk::wrapping_add(from, 1) < upto ? tk::wrapping_add(from, 1) : N;

        // causal_conv_packed_backward.tk:90: let at2 = if from + 2 < upto { from + 2 } else { N };
        const int at2 = tk::wrapping_add(from, 2) < upto ? tk::wrapping_add(from, 2) : N;

        // causal_conv_packed_backward.tk:91: let before0 = load(Before[b, W - 4, c]);
        tk::stripe<tk::bf16, 1, 256, 32, 32, vector> before0;
        tk::load_slice<vectors>(before0,
                                tk::slice_if_vectors<vectors, tk::no_axis, 2>(Before, {b, 0, c}, 1,
                                                                              b < I ? C - c : 0),
                                thread);

        // causal_conv_packed_backward.tk:92: let before1 = load(Before[b, W - 3, c]);
        tk::stripe<tk::bf16, 1, 256, 32, 32, vector> before1;
        tk::load_slice<vectors>(before1,
                                tk::slice_if_vectors<vectors, tk::no_axis, 2>(Before, {b, 1, c}, 1,
                                                                              b < I ? C - c : 0),
                                thread);

        // causal_conv_packed_backward.tk:93: let before2 = load(Before[b, W - 2, c]);
        tk::stripe<tk::bf16, 1, 256, 32, 32, vector> before2;
        tk::load_slice<vectors>(before2,
                                tk::slice_if_vectors<vectors, tk::no_axis, 2>(Before, {b, 2, c}, 1,
                                                                              b < I ? C - c : 0),
                                thread);

        // causal_conv_packed_backward.tk:94: let x0 = load(X[at0, c]);
        tk::stripe<tk::bf16, 1, 256, 32, 32, vector> x0;
        tk::load_slice<vectors>(x0,
                                tk::slice_if_vectors<vectors, tk::no_axis, 1>(X, {at0, c}, 1,
                                                                              at0 > -1 && at0 < N
                                                                              ? C - c : 0), thread);

        // causal_conv_packed_backward.tk:95: let x1 = load(X[at1, c]);
        tk::stripe<tk::bf16, 1, 256, 32, 32, vector> x1;
        tk::load_slice<vectors>(x1,
                                tk::slice_if_vectors<vectors, tk::no_axis, 1>(X, {at1, c}, 1,
                                                                              at1 > -1 && at1 < N
                                                                              ? C - c : 0), thread);

        // causal_conv_packed_backward.tk:96: var d: causal_conv_backward.gradients<BC> = { dw0 = ..
        tk::stripe<float, 1, 256, 32, 32, vector> d_dw0;
        tk::zero(d_dw0);
        tk::stripe<float, 1, 256, 32, 32, vector> d_dw1;
        tk::zero(d_dw1);
        tk::stripe<float, 1, 256, 32, 32, vector> d_dw2;
        tk::zero(d_dw2);
        tk::stripe<float, 1, 256, 32, 32, vector> d_dw3;
        tk::zero(d_dw3);
        tk::stripe<float, 1, 256, 32, 32, vector> d_dbias;
        tk::zero(d_dbias);

        // causal_conv_packed_backward.tk:97: let dz0 = ..
        tk::stripe<tk::bf16, 1, 256, 32, 32, vector> t10;
        tk::load_slice<vectors>(t10,
                                tk::slice_if_vectors<vectors, tk::no_axis, 1>(dY, {at0, c}, 1,
                                                                              at0 > -1 && at0 < N
                                                                              ? C - c : 0), thread);

        // causal_conv_backward.tk:14: var dz = f32(dy);
        tk::stripe<float, 1, 256, 32, 32, vector> dz0;
        tk::map(dz0, [](tk::bf16 t10) { return float(t10); }, t10);

        // causal_conv.tk:15: var z = w.bias;
        tk::stripe<float, 1, 256, 32, 32, vector> z = z_3;

        // causal_conv.tk:16: if W > 3 { z += w.w0 * x0; }
        tk::map(z, [](tk::bf16 t0, tk::bf16 before0, float z) {
            return tk::fma(float(t0), float(before0), z);
        }, t0, before0, z);

        // causal_conv.tk:17: if W > 2 { z += w.w1 * x1; }
        tk::map(z, [](tk::bf16 t1, tk::bf16 before1, float z) {
            return tk::fma(float(t1), float(before1), z);
        }, t1, before1, z);

        // causal_conv_backward.tk:15: if SILU { dz *= ..
        tk::map(dz0,
                [](tk::bf16 t3, float dz0, tk::bf16 x0, tk::bf16 t2, tk::bf16 before2, float z) {
            const float x = tk::fma(float(t3), float(x0), tk::fma(float(t2), float(before2), z));
            const float x_2 = tk::divide(1.0f, 1.0f + tk::exp(-x));
            return dz0 * (x_2 * tk::fma(x, 1.0f - x_2, 1.0f));
        }, t3, dz0, x0, t2, before2, z);

        // causal_conv_backward.tk:16: if W > 3 { d.dw0 += dz * x0; }
        tk::map(d_dw0, [](float d_dw0, float dz0, tk::bf16 before0) {
            return tk::fma(dz0, float(before0), d_dw0);
        }, d_dw0, dz0, before0);

        // causal_conv_backward.tk:17: if W > 2 { d.dw1 += dz * x1; }
        tk::map(d_dw1, [](float d_dw1, float dz0, tk::bf16 before1) {
            return tk::fma(dz0, float(before1), d_dw1);
        }, d_dw1, dz0, before1);

        // causal_conv_backward.tk:18: d.dw2 += dz * x2;
        tk::map(d_dw2, [](float d_dw2, float dz0, tk::bf16 before2) {
            return tk::fma(dz0, float(before2), d_dw2);
        }, d_dw2, dz0, before2);

        // causal_conv_backward.tk:19: d.dw3 += dz * x3;
        tk::map(d_dw3, [](float d_dw3, float dz0, tk::bf16 x0) {
            return tk::fma(dz0, float(x0), d_dw3);
        }, d_dw3, dz0, x0);

        // causal_conv_backward.tk:20: d.dbias += dz;
        tk::map(d_dbias, [](float d_dbias, float dz0) { return d_dbias + dz0; }, d_dbias, dz0);

        // causal_conv_packed_backward.tk:98: let dz1 = ..
        tk::stripe<tk::bf16, 1, 256, 32, 32, vector> t11;
        tk::load_slice<vectors>(t11,
                                tk::slice_if_vectors<vectors, tk::no_axis, 1>(dY, {at1, c}, 1,
                                                                              at1 > -1 && at1 < N
                                                                              ? C - c : 0), thread);
        // causal_conv_backward.tk:14
        tk::stripe<float, 1, 256, 32, 32, vector> dz1;
        tk::map(dz1, [](tk::bf16 t11) { return float(t11); }, t11);
        // causal_conv.tk:15
        tk::stripe<float, 1, 256, 32, 32, vector> z_2 = z_3;
        // causal_conv.tk:16
        tk::map(z_2, [](tk::bf16 t0, tk::bf16 before1, float z_2) {
            return tk::fma(float(t0), float(before1), z_2);
        }, t0, before1, z_2);
        // causal_conv.tk:17
        tk::map(z_2, [](tk::bf16 t1, tk::bf16 before2, float z_2) {
            return tk::fma(float(t1), float(before2), z_2);
        }, t1, before2, z_2);
        // causal_conv_backward.tk:15
        tk::map(dz1, [](tk::bf16 t3, float dz1, tk::bf16 x1, tk::bf16 t2, tk::bf16 x0, float z_2) {
            const float x = tk::fma(float(t3), float(x1), tk::fma(float(t2), float(x0), z_2));
            const float x_2 = tk::divide(1.0f, 1.0f + tk::exp(-x));
            return dz1 * (x_2 * tk::fma(x, 1.0f - x_2, 1.0f));
        }, t3, dz1, x1, t2, x0, z_2);
        // causal_conv_backward.tk:16
        tk::map(d_dw0, [](float d_dw0, float dz1, tk::bf16 before1) {
            return tk::fma(dz1, float(before1), d_dw0);
        }, d_dw0, dz1, before1);
        // causal_conv_backward.tk:17
        tk::map(d_dw1, [](float d_dw1, float dz1, tk::bf16 before2) {
            return tk::fma(dz1, float(before2), d_dw1);
        }, d_dw1, dz1, before2);
        // causal_conv_backward.tk:18
        tk::map(d_dw2, [](float d_dw2, float dz1, tk::bf16 x0) {
            return tk::fma(dz1, float(x0), d_dw2);
        }, d_dw2, dz1, x0);
        // causal_conv_backward.tk:19
        tk::map(d_dw3, [](float d_dw3, float dz1, tk::bf16 x1) {
            return tk::fma(dz1, float(x1), d_dw3);
        }, d_dw3, dz1, x1);
        // causal_conv_backward.tk:20
        tk::map(d_dbias, [](float d_dbias, float dz1) { return d_dbias + dz1; }, d_dbias, dz1);

        // causal_conv_packed_backward.tk:99: let dz2 = ..
        tk::stripe<tk::bf16, 1, 256, 32, 32, vector> t12;
        tk::load_slice<vectors>(t12,
                                tk::slice_if_vectors<vectors, tk::no_axis, 1>(X, {at2, c}, 1,
                                                                              at2 > -1 && at2 < N
                                                                              ? C - c : 0), thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, vector> t13;
        tk::load_slice<vectors>(t13,
                                tk::slice_if_vectors<vectors, tk::no_axis, 1>(dY, {at2, c}, 1,
                                                                              at2 > -1 && at2 < N
                                                                              ? C - c : 0), thread);
        // causal_conv_backward.tk:14
        tk::stripe<float, 1, 256, 32, 32, vector> dz2;
        tk::map(dz2, [](tk::bf16 t13) { return float(t13); }, t13);
        // causal_conv.tk:16
        tk::map(z_3, [](tk::bf16 t0, tk::bf16 before2, float z_3) {
            return tk::fma(float(t0), float(before2), z_3);
        }, t0, before2, z_3);
        // causal_conv.tk:17
        tk::map(z_3, [](tk::bf16 t1, tk::bf16 x0, float z_3) {
            return tk::fma(float(t1), float(x0), z_3);
        }, t1, x0, z_3);
        // causal_conv_backward.tk:15
        tk::map(dz2, [](tk::bf16 t3, float dz2, tk::bf16 t12, tk::bf16 t2, tk::bf16 x1, float z_3) {
            const float x = tk::fma(float(t3), float(t12), tk::fma(float(t2), float(x1), z_3));
            const float x_2 = tk::divide(1.0f, 1.0f + tk::exp(-x));
            return dz2 * (x_2 * tk::fma(x, 1.0f - x_2, 1.0f));
        }, t3, dz2, t12, t2, x1, z_3);
        // causal_conv_backward.tk:16
        tk::map(d_dw0, [](float d_dw0, float dz2, tk::bf16 before2) {
            return tk::fma(dz2, float(before2), d_dw0);
        }, d_dw0, dz2, before2);
        // causal_conv_backward.tk:17
        tk::map(d_dw1, [](float d_dw1, float dz2, tk::bf16 x0) {
            return tk::fma(dz2, float(x0), d_dw1);
        }, d_dw1, dz2, x0);
        // causal_conv_backward.tk:18
        tk::map(d_dw2, [](float d_dw2, float dz2, tk::bf16 x1) {
            return tk::fma(dz2, float(x1), d_dw2);
        }, d_dw2, dz2, x1);
        // causal_conv_backward.tk:19
        tk::map(d_dw3, [](float d_dw3, float dz2, tk::bf16 t12) {
            return tk::fma(dz2, float(t12), d_dw3);
        }, d_dw3, dz2, t12);
        // causal_conv_backward.tk:20
        tk::map(d_dbias, [](float d_dbias, float dz2) { return d_dbias + dz2; }, d_dbias, dz2);

        // causal_conv_packed_backward.tk:100: var none: f32[1, BC] = 0;
        tk::stripe<float, 1, 256, 32, 32, vector> none;
        tk::zero(none);

        // causal_conv_packed_backward.tk:101: let tokens = upto - from;
        const int tokens = tk::wrapping_subtract(upto, from);

        // causal_conv_backward.tk:26: var dx = w.w3 * dz0 + w.w2 * dz1;
        tk::stripe<float, 1, 256, 32, 32, vector> dx;
        tk::map(dx, [](tk::bf16 t3, float none, tk::bf16 t2, float dz0) {
            return tk::fma(float(t3), none, float(t2) * dz0);
        }, t3, none, t2, dz0);

        // causal_conv_backward.tk:27: if W > 2 { dx += w.w1 * dz2; }
        tk::map(dx, [](tk::bf16 t1, float dz1, float dx) { return tk::fma(float(t1), dz1, dx); },
                t1, dz1, dx);

        // causal_conv_backward.tk:28: if W > 3 { dx += w.w0 * dz3; }
        tk::map(dx, [](tk::bf16 t0, float dz2, float dx) { return tk::fma(float(t0), dz2, dx); },
                t0, dz2, dx);

        // causal_conv_packed_backward.tk:102: store(dBefore[b, W - 2, c],
        tk::stripe<tk::bf16, 1, 256, 32, 32, vector> t14;
        tk::load_slice<vectors>(
            t14,
            tk::slice_if_vectors<vectors, tk::no_axis, 2>(dBehind,
                                                          {b, tk::wrapping_subtract(2, tokens), c},
                                                          1,
                                                          tk::wrapping_subtract(2, tokens) > -1 &&
                                                          tk::wrapping_subtract(2, tokens) < 3
                                                          ? (b < F ? C - c : 0) : 0), thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, vector> t15;
        tk::map(t15, [](float dx, tk::bf16 t14) { return dx + float(t14); }, dx, t14);
        tk::store_slice<vectors>(
            tk::slice_if_vectors<vectors, tk::no_axis, 2>(dBefore, {b, 2, c}, 1, C - c), t15,
            thread);
        // causal_conv_backward.tk:26
        tk::stripe<float, 1, 256, 32, 32, vector> dx_2;
        tk::map(dx_2, [](tk::bf16 t3, float none, tk::bf16 t2) {
            return tk::fma(float(t3), none, float(t2) * none);
        }, t3, none, t2);
        // causal_conv_backward.tk:27
        tk::map(dx_2, [](tk::bf16 t1, float dz0, float dx_2) {
            return tk::fma(float(t1), dz0, dx_2);
        }, t1, dz0, dx_2);
        // causal_conv_backward.tk:28
        tk::map(dx_2, [](tk::bf16 t0, float dz1, float dx_2) {
            return tk::fma(float(t0), dz1, dx_2);
        }, t0, dz1, dx_2);

        // causal_conv_packed_backward.tk:105: store(dBefore[b, W - 3, c],
        tk::stripe<tk::bf16, 1, 256, 32, 32, vector> t16;
        tk::load_slice<vectors>(
            t16,
            tk::slice_if_vectors<vectors, tk::no_axis, 2>(dBehind,
                                                          {b, tk::wrapping_subtract(1, tokens), c},
                                                          1,
                                                          tk::wrapping_subtract(1, tokens) > -1 &&
                                                          tk::wrapping_subtract(1, tokens) < 3
                                                          ? (b < F ? C - c : 0) : 0), thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, vector> t17;
        tk::map(t17, [](float dx_2, tk::bf16 t16) { return dx_2 + float(t16); }, dx_2, t16);
        tk::store_slice<vectors>(
            tk::slice_if_vectors<vectors, tk::no_axis, 2>(dBefore, {b, 1, c}, 1, C - c), t17,
            thread);
        // causal_conv_backward.tk:26
        tk::stripe<float, 1, 256, 32, 32, vector> dx_3;
        tk::map(dx_3, [](tk::bf16 t3, float none, tk::bf16 t2) {
            return tk::fma(float(t3), none, float(t2) * none);
        }, t3, none, t2);
        // causal_conv_backward.tk:27
        tk::map(dx_3, [](tk::bf16 t1, float none, float dx_3) {
            return tk::fma(float(t1), none, dx_3);
        }, t1, none, dx_3);
        // causal_conv_backward.tk:28
        tk::map(dx_3, [](tk::bf16 t0, float dz0, float dx_3) {
            return tk::fma(float(t0), dz0, dx_3);
        }, t0, dz0, dx_3);

        // causal_conv_packed_backward.tk:109: store(dBefore[b, W - 4, c],
        tk::stripe<tk::bf16, 1, 256, 32, 32, vector> t18;
        tk::load_slice<vectors>(
            t18,
            tk::slice_if_vectors<vectors, tk::no_axis, 2>(dBehind,
                                                          {b, tk::wrapping_subtract(0, tokens), c},
                                                          1,
                                                          tk::wrapping_subtract(0, tokens) > -1 &&
                                                          tk::wrapping_subtract(0, tokens) < 3
                                                          ? (b < F ? C - c : 0) : 0), thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, vector> t19;
        tk::map(t19, [](float dx_3, tk::bf16 t18) { return dx_3 + float(t18); }, dx_3, t18);
        tk::store_slice<vectors>(
            tk::slice_if_vectors<vectors, tk::no_axis, 2>(dBefore, {b, 0, c}, 1, C - c), t19,
            thread);
    }
}

// causal_conv_backward_sums_of_parts: kernel causal_conv_backward.sums_of_parts with BC = 32, BP =
// 32.
// 256 threads, 48 registers each, 1024 bytes of shared memory.
struct causal_conv_backward_sums_of_parts_shared {
    tk::shared_tile<float, 8, 32> sums_of_parts_f32_rows_32[1];
};

__global__ void __launch_bounds__(256, 5) causal_conv_backward_sums_of_parts_kernel(
    const tk::tensor_argument<const float, 4> Part, const tk::tensor_argument<float, 2> Sum, int B,
    int P, int R, int C) {
    extern __shared__ __align__(1024) unsigned char memory[];
    causal_conv_backward_sums_of_parts_shared& shared =
        *reinterpret_cast<causal_conv_backward_sums_of_parts_shared*>(memory);

    tk::wait_for_previous_kernel();

    const int c_tiles = tk::tiles(C, 32);

    // causal_conv_backward.tk:90: kernel sums_of_parts<BC: int = 32, BP: int = 32>(Part: f32[B, ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int c = program % c_tiles * 32;
    const int r = program / c_tiles;

    // causal_conv_backward.tk:93: var total: f32[BP, BC] = 0;
    tk::stripe<float, 32, 32, 256, 8, 4> total;
    tk::zero(total);

    // causal_conv_backward.tk:94: for b in B {
    for (int b = 0; b < B; b += 1) {
        // causal_conv_backward.tk:95: for p in P by BP pipelined(2) { total += load(Part[b, p, ..
        #pragma unroll 2
        for (int p = 0; p < P; p += 32) {
            tk::stripe<float, 32, 32, 256, 8, 4> t0;
            tk::load_vectors(t0, tk::vector_slice<1, 3>(Part, {b, p, r, c}, P - p, C - c), thread);
            tk::map(total, [](float total, float t0) { return total + t0; }, total, t0);
        }
    }

    // causal_conv_backward.tk:97: store(Sum[r, c], sum(total, axis = 0));
    tk::stripe<float, 1, 32, 256, 8, 4> t1;
    tk::reduce_columns(t1, total, shared.sums_of_parts_f32_rows_32[0], tk::plus{}, thread, 1);
    tk::store_vectors(tk::vector_slice<tk::no_axis, 1>(Sum, {r, c}, 1, C - c), t1, thread);
}

// causal_conv_backward_sums_of_parts_general: kernel causal_conv_backward.sums_of_parts with BC =
// 32, BP = 32; any strides and alignment.
// 256 threads, 255 registers each, 1024 bytes of shared memory.
struct causal_conv_backward_sums_of_parts_general_shared {
    tk::shared_tile<float, 8, 32> sums_of_parts_f32_rows_32[1];
};

__global__ void __launch_bounds__(256, 1) causal_conv_backward_sums_of_parts_general_kernel(
    const tk::tensor_argument<const float, 4> Part, const tk::tensor_argument<float, 2> Sum, int B,
    int P, int R, int C) {
    extern __shared__ __align__(1024) unsigned char memory[];
    causal_conv_backward_sums_of_parts_general_shared& shared =
        *reinterpret_cast<causal_conv_backward_sums_of_parts_general_shared*>(memory);

    tk::wait_for_previous_kernel();

    const int c_tiles = tk::tiles(C, 32);

    // causal_conv_backward.tk:90: kernel sums_of_parts<BC: int = 32, BP: int = 32>(Part: f32[B, ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int c = program % c_tiles * 32;
    const int r = program / c_tiles;

    // causal_conv_backward.tk:93: var total: f32[BP, BC] = 0;
    tk::stripe<float, 32, 32, 256, 16, 2> total;
    tk::zero(total);

    // causal_conv_backward.tk:94: for b in B {
    for (int b = 0; b < B; b += 1) {
        // causal_conv_backward.tk:95: for p in P by BP pipelined(2) { total += load(Part[b, p, ..
        for (int p = 0; p < P; p += 32) {
            tk::stripe<float, 32, 32, 256, 16, 2> t0;
            tk::load_global(t0, tk::slice<1, 3>(Part, {b, p, r, c}, P - p, C - c), thread);
            tk::map(total, [](float total, float t0) { return total + t0; }, total, t0);
        }
    }

    // causal_conv_backward.tk:97: store(Sum[r, c], sum(total, axis = 0));
    tk::stripe<float, 1, 32, 256, 16, 2> t1;
    tk::reduce_columns(t1, total, shared.sums_of_parts_f32_rows_32[0], tk::plus{}, thread, 1);
    tk::store_global(tk::slice<tk::no_axis, 1>(Sum, {r, c}, 1, C - c), t1, thread);
}

namespace {
tk::status launch_gradients_of_chunks(
    const tk::launch_site& site, const tk::tensor& X, const tk::tensor& Weight,
    const tk::tensor& Bias, const tk::tensor& Before, const tk::tensor& dY,
    const tk::tensor& dBehind, const tk::tensor& start, const tk::tensor& dX,
    const tk::tensor& Part, int64_t N, int64_t C, int64_t CB, int64_t I, int64_t F, int64_t P) {
    return tk::run<gradients_of_chunks_kernel>(
        site, 0, tk::kernel_shape(32).overlapping(),
        tk::multiply(tk::ceil_div(C, 256), tk::ceil_div(N, 128)), X, Weight, Bias, Before, dY,
        dBehind, start, dX, Part, N, C, CB, I, F, P);
}

tk::status launch_gradients_of_chunks_general(
    const tk::launch_site& site, const tk::tensor& X, const tk::tensor& Weight,
    const tk::tensor& Bias, const tk::tensor& Before, const tk::tensor& dY,
    const tk::tensor& dBehind, const tk::tensor& start, const tk::tensor& dX,
    const tk::tensor& Part, int64_t N, int64_t C, int64_t CB, int64_t I, int64_t F, int64_t P) {
    return tk::run<gradients_of_chunks_general_kernel>(
        site, 0, tk::kernel_shape(32).overlapping(),
        tk::multiply(tk::ceil_div(C, 256), tk::ceil_div(N, 128)), X, Weight, Bias, Before, dY,
        dBehind, start, dX, Part, N, C, CB, I, F, P);
}

tk::status launch_gradients_before(
    const tk::launch_site& site, const tk::tensor& X, const tk::tensor& Weight,
    const tk::tensor& Bias, const tk::tensor& Before, const tk::tensor& dY,
    const tk::tensor& dBehind, const tk::tensor& start, const tk::tensor& dBefore, int64_t N,
    int64_t C, int64_t CB, int64_t I, int64_t F, int64_t P, int64_t J) {
    return tk::run<gradients_before_kernel<12, 8, true>>(
        site, 0, tk::kernel_shape(32).overlapping(), tk::multiply(tk::ceil_div(C, 256), J), X,
        Weight, Bias, Before, dY, dBehind, start, dBefore, N, C, CB, I, F, P, J);
}

tk::status launch_gradients_before_general(
    const tk::launch_site& site, const tk::tensor& X, const tk::tensor& Weight,
    const tk::tensor& Bias, const tk::tensor& Before, const tk::tensor& dY,
    const tk::tensor& dBehind, const tk::tensor& start, const tk::tensor& dBefore, int64_t N,
    int64_t C, int64_t CB, int64_t I, int64_t F, int64_t P, int64_t J) {
    return tk::run<gradients_before_kernel<1, 2, false>>(
        site, 0, tk::kernel_shape(32).overlapping(), tk::multiply(tk::ceil_div(C, 256), J), X,
        Weight, Bias, Before, dY, dBehind, start, dBefore, N, C, CB, I, F, P, J);
}

tk::status launch_causal_conv_backward_sums_of_parts(const tk::launch_site& site,
                                                     const tk::tensor& Part, const tk::tensor& Sum,
                                                     int64_t B, int64_t P, int64_t R, int64_t C) {
    return tk::run<causal_conv_backward_sums_of_parts_kernel>(
        site, sizeof(causal_conv_backward_sums_of_parts_shared),
        tk::kernel_shape(256).overlapping(), tk::multiply(tk::ceil_div(C, 32), R), Part, Sum, B, P,
        R, C);
}

tk::status launch_causal_conv_backward_sums_of_parts_general(
    const tk::launch_site& site, const tk::tensor& Part, const tk::tensor& Sum, int64_t B,
    int64_t P, int64_t R, int64_t C) {
    return tk::run<causal_conv_backward_sums_of_parts_general_kernel>(
        site, sizeof(causal_conv_backward_sums_of_parts_general_shared),
        tk::kernel_shape(256).overlapping(), tk::multiply(tk::ceil_div(C, 32), R), Part, Sum, B, P,
        R, C);
}

}  // namespace

extern "C" {
int gradients_of_chunks(const DLTensor* X_given, const DLTensor* Weight_given,
                        const DLTensor* Bias_given, const DLTensor* Before_given,
                        const DLTensor* dY_given, const DLTensor* dBehind_given,
                        const DLTensor* start_given, DLTensor* dX_given, DLTensor* Part_given,
                        void*, size_t, cudaStream_t stream) {
    tk::arguments call{"gradients_of_chunks"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Weight = call.take("Weight", Weight_given, tk::dtype_bf16, 2,
                                        tk::access::read);
    const tk::tensor Bias = call.take("Bias", Bias_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor Before = call.take("Before", Before_given, tk::dtype_bf16, 3,
                                        tk::access::read);
    const tk::tensor dY = call.take("dY", dY_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor dBehind = call.take("dBehind", dBehind_given, tk::dtype_bf16, 3,
                                         tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor dX = call.take("dX", dX_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t N = X.shape[0];
    const int64_t C = X.shape[1];
    const int64_t CB = Bias.shape[0];
    const int64_t I = Before.shape[0];
    const int64_t F = dBehind.shape[0];
    const int64_t P = start.shape[0];
    call.require(
        {tk::fixed_extent(Weight, 0, 4), tk::same_extent("C", X, 1, Weight, 1),
         tk::fixed_extent(Before, 1, 3), tk::same_extent("C", X, 1, Before, 2),
         tk::same_extent("N", X, 0, dY, 0), tk::same_extent("C", X, 1, dY, 1),
         tk::fixed_extent(dBehind, 1, 3), tk::same_extent("C", X, 1, dBehind, 2),
         tk::same_extent("N", X, 0, dX, 0), tk::same_extent("C", X, 1, dX, 1),
         tk::fixed_extent(Part, 0, 1), tk::fixed_extent(Part, 2, 5),
         tk::same_extent("C", X, 1, Part, 3),
         tk::extents_fit({{"N", N}, {"C", C}, {"CB", CB}, {"I", I}, {"F", F}, {"P", P}}),
         tk::that(Part.shape[1] == tk::ceil_div(N, 128),
                  "axis 1 of `Part` is {}; it must be `ceil_div(N, 128)`, which is {}",
                  {Part.shape[1], tk::ceil_div(N, 128)}),
         tk::that(P >= 1, "`gradients_of_chunks` requires `P >= 1`"),
         tk::that(CB == 0 || CB == C, "`gradients_of_chunks` requires `CB == 0 or CB == C`"),
         tk::grid_fits(tk::multiply(tk::ceil_div(C, 256), tk::ceil_div(N, 128)), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::ceil_div(C, 256), tk::ceil_div(N, 128));
    const bool fast = tk::hold(
        {tk::suits_fast(X, "C"), tk::whole_vectors(X, 8), tk::suits_fast(Weight, "C"),
         tk::suits_fast(Bias, "CB"), tk::suits_fast(Before, "C"), tk::suits_fast(dY, "C"),
         tk::suits_fast(dBehind, "C"), tk::suits_fast(start, "P"), tk::suits_fast(dX, "C"),
         tk::suits_fast(Part, "C")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<gradients_of_chunks_kernel, gradients_of_chunks_general_kernel>(
            fast ? 0 : 1, site, 0, tk::kernel_shape(32).overlapping(), programs, X, Weight, Bias,
            Before, dY, dBehind, start, dX, Part, N, C, CB, I, F, P));
}
TK_NO_WORKSPACE(gradients_of_chunks, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*,
                DLTensor*)

int gradients_before(
    const DLTensor* X_given, const DLTensor* Weight_given, const DLTensor* Bias_given,
    const DLTensor* Before_given, const DLTensor* dY_given, const DLTensor* dBehind_given,
    const DLTensor* start_given, DLTensor* dBefore_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"gradients_before"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Weight = call.take("Weight", Weight_given, tk::dtype_bf16, 2,
                                        tk::access::read);
    const tk::tensor Bias = call.take("Bias", Bias_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor Before = call.take("Before", Before_given, tk::dtype_bf16, 3,
                                        tk::access::read);
    const tk::tensor dY = call.take("dY", dY_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor dBehind = call.take("dBehind", dBehind_given, tk::dtype_bf16, 3,
                                         tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor dBefore = call.take("dBefore", dBefore_given, tk::dtype_bf16, 3,
                                         tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t N = X.shape[0];
    const int64_t C = X.shape[1];
    const int64_t CB = Bias.shape[0];
    const int64_t I = Before.shape[0];
    const int64_t F = dBehind.shape[0];
    const int64_t P = start.shape[0];
    const int64_t J = dBefore.shape[0];
    call.require(
        {tk::fixed_extent(Weight, 0, 4), tk::same_extent("C", X, 1, Weight, 1),
         tk::fixed_extent(Before, 1, 3), tk::same_extent("C", X, 1, Before, 2),
         tk::same_extent("N", X, 0, dY, 0), tk::same_extent("C", X, 1, dY, 1),
         tk::fixed_extent(dBehind, 1, 3), tk::same_extent("C", X, 1, dBehind, 2),
         tk::fixed_extent(dBefore, 1, 3), tk::same_extent("C", X, 1, dBefore, 2),
         tk::extents_fit({{"N", N}, {"C", C}, {"CB", CB}, {"I", I}, {"F", F}, {"P", P}, {"J", J}}),
         tk::that(J < P, "`gradients_before` requires `J < P`"),
         tk::that(CB == 0 || CB == C, "`gradients_before` requires `CB == 0 or CB == C`"),
         tk::grid_fits(tk::multiply(tk::ceil_div(C, 256), J), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::ceil_div(C, 256), J);
    const bool fast = tk::hold(
        {tk::suits_fast(X, "C"), tk::whole_vectors(X, 8), tk::suits_fast(Weight, "C"),
         tk::suits_fast(Bias, "CB"), tk::suits_fast(Before, "C"), tk::suits_fast(dY, "C"),
         tk::suits_fast(dBehind, "C"), tk::suits_fast(dBefore, "C")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<gradients_before_kernel<12, 8, true>, gradients_before_kernel<1, 2, false>>(
            fast ? 0 : 1, site, 0, tk::kernel_shape(32).overlapping(), programs, X, Weight, Bias,
            Before, dY, dBehind, start, dBefore, N, C, CB, I, F, P, J));
}
TK_NO_WORKSPACE(gradients_before, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*)

int causal_conv_packed_backward(
    const DLTensor* X_given, const DLTensor* Weight_given, const DLTensor* Bias_given,
    const DLTensor* Before_given, const DLTensor* dY_given, const DLTensor* dBehind_given,
    const DLTensor* start_given, DLTensor* dX_given, DLTensor* dBefore_given,
    DLTensor* dWeight_given, DLTensor* Part_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"causal_conv_packed_backward"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Weight = call.take("Weight", Weight_given, tk::dtype_bf16, 2,
                                        tk::access::read);
    const tk::tensor Bias = call.take("Bias", Bias_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor Before = call.take("Before", Before_given, tk::dtype_bf16, 3,
                                        tk::access::read);
    const tk::tensor dY = call.take("dY", dY_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor dBehind = call.take("dBehind", dBehind_given, tk::dtype_bf16, 3,
                                         tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor dX = call.take("dX", dX_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor dBefore = call.take("dBefore", dBefore_given, tk::dtype_bf16, 3,
                                         tk::access::write);
    const tk::tensor dWeight = call.take("dWeight", dWeight_given, tk::dtype_f32, 2,
                                         tk::access::write);
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t N = X.shape[0];
    const int64_t C = X.shape[1];
    const int64_t CB = Bias.shape[0];
    const int64_t I = Before.shape[0];
    const int64_t F = dBehind.shape[0];
    const int64_t P = start.shape[0];
    const int64_t J = dBefore.shape[0];
    call.require(
        {tk::fixed_extent(Weight, 0, 4), tk::same_extent("C", X, 1, Weight, 1),
         tk::fixed_extent(Before, 1, 3), tk::same_extent("C", X, 1, Before, 2),
         tk::same_extent("N", X, 0, dY, 0), tk::same_extent("C", X, 1, dY, 1),
         tk::fixed_extent(dBehind, 1, 3), tk::same_extent("C", X, 1, dBehind, 2),
         tk::same_extent("N", X, 0, dX, 0), tk::same_extent("C", X, 1, dX, 1),
         tk::fixed_extent(dBefore, 1, 3), tk::same_extent("C", X, 1, dBefore, 2),
         tk::fixed_extent(dWeight, 0, 5), tk::same_extent("C", X, 1, dWeight, 1),
         tk::fixed_extent(Part, 0, 1), tk::fixed_extent(Part, 2, 5),
         tk::same_extent("C", X, 1, Part, 3),
         tk::extents_fit({{"N", N}, {"C", C}, {"CB", CB}, {"I", I}, {"F", F}, {"P", P}, {"J", J}}),
         tk::that(Part.shape[1] == tk::ceil_div(N, 128),
                  "axis 1 of `Part` is {}; it must be `ceil_div(N, 128)`, which is {}",
                  {Part.shape[1], tk::ceil_div(N, 128)}),
         tk::that(J < P, "`causal_conv_packed_backward` requires `J < P`"),
         tk::that(CB == 0 || CB == C,
                  "`causal_conv_packed_backward` requires `CB == 0 or CB == C`")});
    // gradients_of_chunks(X, Weight, Bias, Before, dY, dBehind, start, dX, Part)
    call.require(
        {tk::that(P >= 1, "`gradients_of_chunks` requires `P >= 1`"),
         tk::grid_fits(tk::multiply(tk::ceil_div(C, 256), tk::ceil_div(N, 128)), 2147483648)});
    // gradients_before(X, Weight, Bias, Before, dY, dBehind, start, dBefore)
    call.require({tk::grid_fits(tk::multiply(tk::ceil_div(C, 256), J), 2147483648)});
    // causal_conv_backward.sums_of_parts(Part, dWeight)
    call.require({
        tk::that(tk::ceil_div(N, 128) < 2147221504,
                 "`ceil_div(N, 128)` is {}; extents must be less than 2147221504",
                 {tk::ceil_div(N, 128)}), tk::grid_fits(tk::ceil_div(C, 32) * 5, 2147483648)});
    if (!call.ok()) return tk::finish(call.result());

    // gradients_of_chunks(X, Weight, Bias, Before, dY, dBehind, start, dX, Part)
    const bool choice_1 = tk::hold(
        {tk::suits_fast(X, "C"), tk::whole_vectors(X, 8), tk::suits_fast(Weight, "C"),
         tk::suits_fast(Bias, "CB"), tk::suits_fast(Before, "C"), tk::suits_fast(dY, "C"),
         tk::suits_fast(dBehind, "C"), tk::suits_fast(start, "P"), tk::suits_fast(dX, "C"),
         tk::suits_fast(Part, "C")});

    // gradients_before(X, Weight, Bias, Before, dY, dBehind, start, dBefore)
    const bool choice_2 = tk::hold(
        {tk::suits_fast(X, "C"), tk::whole_vectors(X, 8), tk::suits_fast(Weight, "C"),
         tk::suits_fast(Bias, "CB"), tk::suits_fast(Before, "C"), tk::suits_fast(dY, "C"),
         tk::suits_fast(dBehind, "C"), tk::suits_fast(dBefore, "C")});

    // causal_conv_backward.sums_of_parts(Part, dWeight)
    const bool choice_3 = tk::hold(
        {tk::suits_fast(Part, "C"), tk::whole_vectors(Part, 4), tk::suits_fast(dWeight, "C")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1) {
        TK_FINISH_IF_FAILED(launch_gradients_of_chunks(
            site, X, Weight, Bias, Before, dY, dBehind, start, dX, Part, N, C, CB, I, F, P));
    } else {
        TK_FINISH_IF_FAILED(launch_gradients_of_chunks_general(
            site, X, Weight, Bias, Before, dY, dBehind, start, dX, Part, N, C, CB, I, F, P));
    }
    if (choice_2) {
        TK_FINISH_IF_FAILED(launch_gradients_before(
            site, X, Weight, Bias, Before, dY, dBehind, start, dBefore, N, C, CB, I, F, P, J));
    } else {
        TK_FINISH_IF_FAILED(launch_gradients_before_general(
            site, X, Weight, Bias, Before, dY, dBehind, start, dBefore, N, C, CB, I, F, P, J));
    }
    if (choice_3) {
        TK_FINISH_IF_FAILED(launch_causal_conv_backward_sums_of_parts(
            site, tk::read_only(Part), dWeight, 1, tk::ceil_div(N, 128), 5, C));
    } else {
        TK_FINISH_IF_FAILED(launch_causal_conv_backward_sums_of_parts_general(
            site, tk::read_only(Part), dWeight, 1, tk::ceil_div(N, 128), 5, C));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(causal_conv_packed_backward, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*)
}  // extern "C"
