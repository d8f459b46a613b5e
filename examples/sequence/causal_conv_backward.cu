// Made by tkc from causal_conv_backward.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/integer.cuh"
#include "tk/tk.cuh"

// gradients_of_chunks: kernel gradients_of_chunks with T = bf16, TW = bf16, W = 4, SILU = true,
// CHUNK = 128, BC = 256.
// 32 threads, 255 registers each.
__global__ void __launch_bounds__(32, 8) gradients_of_chunks_kernel(
    const tk::tensor_argument<const tk::bf16, 3> X,
    const tk::tensor_argument<const tk::bf16, 2> Weight,
    const tk::tensor_argument<const tk::bf16, 1> Bias,
    const tk::tensor_argument<const tk::bf16, 3> Before,
    const tk::tensor_argument<const tk::bf16, 3> dY,
    const tk::tensor_argument<const tk::bf16, 3> dBehind, const tk::tensor_argument<tk::bf16, 3> dX,
    const tk::tensor_argument<tk::bf16, 3> dBefore, const tk::tensor_argument<float, 4> Part, int B,
    int N, int C, int CB, int I, int F, int J) {
    tk::wait_for_previous_kernel();

    const int c_tiles = tk::tiles(C, 256);
    const int t_tiles = tk::tiles(tk::max(N, 1), 128);
    const int warp = tk::warp_index();

    // causal_conv_backward.tk:34: kernel gradients_of_chunks<T: dtype = bf16, TW: dtype = T, W: ..
    if (warp == 0) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int c = program % c_tiles * 256;
        const int t = program / c_tiles % t_tiles * 128;
        const int b = program / (c_tiles * t_tiles);

        // causal_conv_backward.tk:40: let w: causal_conv.weights<BC> = {
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

        // causal_conv_backward.tk:44: let before0 = T(f32(load(X[b, t.start - 3, c])) + ..
        tk::stripe<tk::bf16, 1, 256, 32, 32, 8> t5;
        tk::load_vectors(t5,
                         tk::vector_slice<tk::no_axis, 2>(X, {b, t - 3, c}, 1,
                                                          t - 3 > -1 && t - 3 < N ? C - c : 0),
                         thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 8> t6;
        tk::load_vectors(t6,
                         tk::vector_slice<tk::no_axis, 2>(Before, {b, t, c}, 1,
                                                          t < 3 ? (b < I ? C - c : 0) : 0), thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 8> before0;
        tk::map(before0, [](tk::bf16 t5, tk::bf16 t6) { return float(t5) + float(t6); }, t5, t6);

        // causal_conv_backward.tk:45: let before1 = T(f32(load(X[b, t.start - 2, c])) + ..
        tk::stripe<tk::bf16, 1, 256, 32, 32, 8> t7;
        tk::load_vectors(t7,
                         tk::vector_slice<tk::no_axis, 2>(X, {b, t - 2, c}, 1,
                                                          t - 2 > -1 && t - 2 < N ? C - c : 0),
                         thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 8> t8;
        tk::load_vectors(t8,
                         tk::vector_slice<tk::no_axis, 2>(Before, {b, t + 4 - 3, c}, 1,
                                                          t + 4 - 3 > -1 && t + 4 - 3 < 3
                                                          ? (b < I ? C - c : 0) : 0), thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 8> before1;
        tk::map(before1, [](tk::bf16 t7, tk::bf16 t8) { return float(t7) + float(t8); }, t7, t8);

        // causal_conv_backward.tk:46: let before2 = T(f32(load(X[b, t.start - 1, c])) + ..
        tk::stripe<tk::bf16, 1, 256, 32, 32, 8> t9;
        tk::load_vectors(t9,
                         tk::vector_slice<tk::no_axis, 2>(X, {b, t - 1, c}, 1,
                                                          t - 1 > -1 && t - 1 < N ? C - c : 0),
                         thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 8> t10;
        tk::load_vectors(t10,
                         tk::vector_slice<tk::no_axis, 2>(Before, {b, t + 4 - 2, c}, 1,
                                                          t + 4 - 2 > -1 && t + 4 - 2 < 3
                                                          ? (b < I ? C - c : 0) : 0), thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 8> before2;
        tk::map(before2, [](tk::bf16 t9, tk::bf16 t10) { return float(t9) + float(t10); }, t9, t10);

        // causal_conv_backward.tk:47: var x0: T[1, BC] = load(X[b, t.start, c]);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 8> x0;
        tk::load_vectors(x0, tk::vector_slice<tk::no_axis, 2>(X, {b, t, c}, 1, t < N ? C - c : 0),
                         thread);

        // causal_conv_backward.tk:48: var x1: T[1, BC] = load(X[b, t.start + 1, c]);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 8> x1;
        tk::load_vectors(x1,
                         tk::vector_slice<tk::no_axis, 2>(X, {b, t + 1, c}, 1,
                                                          t + 1 < N ? C - c : 0), thread);

        // causal_conv_backward.tk:49: var x2: T[1, BC] = load(X[b, t.start + 2, c]);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 8> x2;
        tk::load_vectors(x2,
                         tk::vector_slice<tk::no_axis, 2>(X, {b, t + 2, c}, 1,
                                                          t + 2 < N ? C - c : 0), thread);

        // causal_conv_backward.tk:50: var d: gradients<BC> = { dw0 = 0, dw1 = 0, dw2 = 0, dw3 = ..
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

        // causal_conv_backward.tk:51: var dz0 = gradient_of_sum<W>(inout d, w, before0, before1, ..
        tk::stripe<tk::bf16, 1, 256, 32, 32, 8> t14;
        tk::load_vectors(t14, tk::vector_slice<tk::no_axis, 2>(dY, {b, t, c}, 1, t < N ? C - c : 0),
                         thread);

        // causal_conv_backward.tk:14: var dz = f32(dy);
        tk::stripe<float, 1, 256, 32, 32, 8> dz0;
        tk::map(dz0, [](tk::bf16 t14) { return float(t14); }, t14);

        // causal_conv.tk:15: var z = w.bias;
        tk::stripe<float, 1, 256, 32, 32, 8> z = w_bias;

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

        // causal_conv_backward.tk:52: var dz1 = gradient_of_sum<W>(inout d, w, before1, before2, ..
        tk::stripe<tk::bf16, 1, 256, 32, 32, 8> t15;
        tk::load_vectors(t15,
                         tk::vector_slice<tk::no_axis, 2>(dY, {b, t + 1, c}, 1,
                                                          t + 1 < N ? C - c : 0), thread);
        // causal_conv_backward.tk:14
        tk::stripe<float, 1, 256, 32, 32, 8> dz1;
        tk::map(dz1, [](tk::bf16 t15) { return float(t15); }, t15);
        // causal_conv.tk:15
        tk::stripe<float, 1, 256, 32, 32, 8> z_2 = w_bias;
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

        // causal_conv_backward.tk:53: var dz2 = gradient_of_sum<W>(inout d, w, before2, x0, x1, ..
        tk::stripe<tk::bf16, 1, 256, 32, 32, 8> t16;
        tk::load_vectors(t16,
                         tk::vector_slice<tk::no_axis, 2>(dY, {b, t + 2, c}, 1,
                                                          t + 2 < N ? C - c : 0), thread);
        // causal_conv_backward.tk:14
        tk::stripe<float, 1, 256, 32, 32, 8> dz2;
        tk::map(dz2, [](tk::bf16 t16) { return float(t16); }, t16);
        // causal_conv.tk:15
        tk::stripe<float, 1, 256, 32, 32, 8> z_3 = w_bias;
        // causal_conv.tk:16
        tk::map(z_3, [](tk::bf16 t0, tk::bf16 before2, float z_3) {
            return tk::fma(float(t0), float(before2), z_3);
        }, t0, before2, z_3);
        // causal_conv.tk:17
        tk::map(z_3, [](tk::bf16 t1, tk::bf16 x0, float z_3) {
            return tk::fma(float(t1), float(x0), z_3);
        }, t1, x0, z_3);
        // causal_conv_backward.tk:15
        tk::map(dz2, [](tk::bf16 t3, float dz2, tk::bf16 x2, tk::bf16 t2, tk::bf16 x1, float z_3) {
            const float x = tk::fma(float(t3), float(x2), tk::fma(float(t2), float(x1), z_3));
            const float x_2 = tk::divide(1.0f, 1.0f + tk::exp(-x));
            return dz2 * (x_2 * tk::fma(x, 1.0f - x_2, 1.0f));
        }, t3, dz2, x2, t2, x1, z_3);
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
        tk::map(d_dw3, [](float d_dw3, float dz2, tk::bf16 x2) {
            return tk::fma(dz2, float(x2), d_dw3);
        }, d_dw3, dz2, x2);
        // causal_conv_backward.tk:20
        tk::map(d_dbias, [](float d_dbias, float dz2) { return d_dbias + dz2; }, d_dbias, dz2);

        // causal_conv_backward.tk:54: if t.start == 0 {
        if (t == 0) {
            // causal_conv_backward.tk:55: var none: f32[1, BC] = 0;
            tk::stripe<float, 1, 256, 32, 32, 8> none;
            tk::zero(none);

            // causal_conv_backward.tk:26: var dx = w.w3 * dz0 + w.w2 * dz1;
            tk::stripe<float, 1, 256, 32, 32, 8> dx;
            tk::map(dx, [](float w_w3, float none, float w_w2, float dz0) {
                return tk::fma(w_w3, none, w_w2 * dz0);
            }, w_w3, none, w_w2, dz0);

            // causal_conv_backward.tk:27: if W > 2 { dx += w.w1 * dz2; }
            tk::map(dx, [](float dx, float w_w1, float dz1) { return tk::fma(w_w1, dz1, dx); },
                    dx, w_w1, dz1);

            // causal_conv_backward.tk:28: if W > 3 { dx += w.w0 * dz3; }
            tk::map(dx, [](float dx, float w_w0, float dz2) { return tk::fma(w_w0, dz2, dx); },
                    dx, w_w0, dz2);

            // causal_conv_backward.tk:56: store(dBefore[b, W - 2, c], T(gradient_of_token<W>(w, ..
            tk::stripe<tk::bf16, 1, 256, 32, 32, 8> t17;
            tk::load_vectors(t17,
                             tk::vector_slice<tk::no_axis, 2>(dBehind, {b, 2 - N, c}, 1,
                                                              2 - N > -1 && 2 - N < 3
                                                              ? (b < F ? C - c : 0) : 0), thread);
            tk::stripe<tk::bf16, 1, 256, 32, 32, 8> t18;
            tk::map(t18, [](float dx, tk::bf16 t17) { return dx + float(t17); }, dx, t17);
            tk::store_vectors(
                tk::vector_slice<tk::no_axis, 2>(dBefore, {b, 2, c}, 1, b < J ? C - c : 0), t18,
                thread);
            // causal_conv_backward.tk:26
            tk::stripe<float, 1, 256, 32, 32, 8> dx_2;
            tk::map(dx_2, [](float w_w3, float none, float w_w2) {
                return tk::fma(w_w3, none, w_w2 * none);
            }, w_w3, none, w_w2);
            // causal_conv_backward.tk:27
            tk::map(dx_2, [](float dx_2, float w_w1, float dz0) {
                return tk::fma(w_w1, dz0, dx_2);
            }, dx_2, w_w1, dz0);
            // causal_conv_backward.tk:28
            tk::map(dx_2, [](float dx_2, float w_w0, float dz1) {
                return tk::fma(w_w0, dz1, dx_2);
            }, dx_2, w_w0, dz1);

            // causal_conv_backward.tk:57: if W > 2 { store(dBefore[b, W - 3, c], ..
            tk::stripe<tk::bf16, 1, 256, 32, 32, 8> t19;
            tk::load_vectors(t19,
                             tk::vector_slice<tk::no_axis, 2>(dBehind, {b, 1 - N, c}, 1,
                                                              1 - N > -1 && 1 - N < 3
                                                              ? (b < F ? C - c : 0) : 0), thread);
            tk::stripe<tk::bf16, 1, 256, 32, 32, 8> t20;
            tk::map(t20, [](float dx_2, tk::bf16 t19) { return dx_2 + float(t19); }, dx_2, t19);
            tk::store_vectors(
                tk::vector_slice<tk::no_axis, 2>(dBefore, {b, 1, c}, 1, b < J ? C - c : 0), t20,
                thread);
            // causal_conv_backward.tk:26
            tk::stripe<float, 1, 256, 32, 32, 8> dx_3;
            tk::map(dx_3, [](float w_w3, float none, float w_w2) {
                return tk::fma(w_w3, none, w_w2 * none);
            }, w_w3, none, w_w2);
            // causal_conv_backward.tk:27
            tk::map(dx_3, [](float dx_3, float w_w1, float none) {
                return tk::fma(w_w1, none, dx_3);
            }, dx_3, w_w1, none);
            // causal_conv_backward.tk:28
            tk::map(dx_3, [](float dx_3, float w_w0, float dz0) {
                return tk::fma(w_w0, dz0, dx_3);
            }, dx_3, w_w0, dz0);

            // causal_conv_backward.tk:58: if W > 3 { store(dBefore[b, W - 4, c], ..
            tk::stripe<tk::bf16, 1, 256, 32, 32, 8> t21;
            tk::load_vectors(t21,
                             tk::vector_slice<tk::no_axis, 2>(dBehind, {b, 0 - N, c}, 1,
                                                              0 - N > -1 && 0 - N < 3
                                                              ? (b < F ? C - c : 0) : 0), thread);
            tk::stripe<tk::bf16, 1, 256, 32, 32, 8> t22;
            tk::map(t22, [](float dx_3, tk::bf16 t21) { return dx_3 + float(t21); }, dx_3, t21);
            tk::store_vectors(
                tk::vector_slice<tk::no_axis, 2>(dBefore, {b, 0, c}, 1, b < J ? C - c : 0), t22,
                thread);
        } else {
            // causal_conv_backward.tk:60: d = { dw0 = 0, dw1 = 0, dw2 = 0, dw3 = 0, dbias = 0 };
            tk::zero(d_dw0);
            tk::zero(d_dw1);
            tk::zero(d_dw2);
            tk::zero(d_dw3);
            tk::zero(d_dbias);
        }

        // causal_conv_backward.tk:62: var a0: T[1, BC]  = load(X[b, t.start + 3, c]);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 8> a0;
        tk::load_vectors(a0,
                         tk::vector_slice<tk::no_axis, 2>(X, {b, t + 3, c}, 1,
                                                          t + 3 < N ? C - c : 0), thread);

        // causal_conv_backward.tk:63: var a1: T[1, BC]  = load(X[b, t.start + 4, c]);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 8> a1;
        tk::load_vectors(a1,
                         tk::vector_slice<tk::no_axis, 2>(X, {b, t + 4, c}, 1,
                                                          t + 4 < N ? C - c : 0), thread);

        // causal_conv_backward.tk:64: var dy0: T[1, BC] = load(dY[b, t.start + 3, c]);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 8> dy0;
        tk::load_vectors(dy0,
                         tk::vector_slice<tk::no_axis, 2>(dY, {b, t + 3, c}, 1,
                                                          t + 3 < N ? C - c : 0), thread);

        // causal_conv_backward.tk:65: var dy1: T[1, BC] = load(dY[b, t.start + 4, c]);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 8> dy1;
        tk::load_vectors(dy1,
                         tk::vector_slice<tk::no_axis, 2>(dY, {b, t + 4, c}, 1,
                                                          t + 4 < N ? C - c : 0), thread);

        // causal_conv_backward.tk:66: for n in t.start..t.end by 1 pipelined(2) {
        #pragma unroll 2
        for (int n = t; n < t + 128; n += 1) {
            // causal_conv_backward.tk:67: let at = if n + 2 < t.end { n + 5 } else { N };
            const int at = n + 2 < t + 128 ? n + 5 : N;

            // causal_conv_backward.tk:68: let ahead = load(X[b, at, c]);
            tk::stripe<tk::bf16, 1, 256, 32, 32, 8> ahead;
            tk::load_vectors(ahead,
                             tk::vector_slice<tk::no_axis, 2>(X, {b, at, c}, 1,
                                                              at > -1 && at < N ? C - c : 0),
                             thread);

            // causal_conv_backward.tk:69: let dy_ahead = load(dY[b, at, c]);
            tk::stripe<tk::bf16, 1, 256, 32, 32, 8> dy_ahead;
            tk::load_vectors(dy_ahead,
                             tk::vector_slice<tk::no_axis, 2>(dY, {b, at, c}, 1,
                                                              at > -1 && at < N ? C - c : 0),
                             thread);
            // causal_conv_backward.tk:14
            tk::stripe<float, 1, 256, 32, 32, 8> dz3;
            tk::map(dz3, [](tk::bf16 dy0) { return float(dy0); }, dy0);
            // causal_conv.tk:15
            tk::stripe<float, 1, 256, 32, 32, 8> z_4 = w_bias;
            // causal_conv.tk:16
            tk::map(z_4, [](float z_4, float w_w0, tk::bf16 x0) {
                return tk::fma(w_w0, float(x0), z_4);
            }, z_4, w_w0, x0);
            // causal_conv.tk:17
            tk::map(z_4, [](float z_4, float w_w1, tk::bf16 x1) {
                return tk::fma(w_w1, float(x1), z_4);
            }, z_4, w_w1, x1);
            // causal_conv_backward.tk:15
            tk::map(dz3, [](float w_w3, tk::bf16 a0, float w_w2, tk::bf16 x2, float z_4, float dz3) {
                const float x = tk::fma(w_w3, float(a0), tk::fma(w_w2, float(x2), z_4));
                const float x_2 = tk::divide(1.0f, 1.0f + tk::exp(-x));
                return dz3 * (x_2 * tk::fma(x, 1.0f - x_2, 1.0f));
            }, w_w3, a0, w_w2, x2, z_4, dz3);
            // causal_conv_backward.tk:16
            tk::map(d_dw0, [](float d_dw0, float dz3, tk::bf16 x0) {
                return tk::fma(dz3, float(x0), d_dw0);
            }, d_dw0, dz3, x0);
            // causal_conv_backward.tk:17
            tk::map(d_dw1, [](float d_dw1, float dz3, tk::bf16 x1) {
                return tk::fma(dz3, float(x1), d_dw1);
            }, d_dw1, dz3, x1);
            // causal_conv_backward.tk:18
            tk::map(d_dw2, [](float d_dw2, float dz3, tk::bf16 x2) {
                return tk::fma(dz3, float(x2), d_dw2);
            }, d_dw2, dz3, x2);
            // causal_conv_backward.tk:19
            tk::map(d_dw3, [](float d_dw3, float dz3, tk::bf16 a0) {
                return tk::fma(dz3, float(a0), d_dw3);
            }, d_dw3, dz3, a0);
            // causal_conv_backward.tk:20
            tk::map(d_dbias, [](float d_dbias, float dz3) { return d_dbias + dz3; }, d_dbias, dz3);
            // causal_conv_backward.tk:26
            tk::stripe<float, 1, 256, 32, 32, 8> dx_4;
            tk::map(dx_4, [](float w_w3, float dz0, float w_w2, float dz1) {
                return tk::fma(w_w3, dz0, w_w2 * dz1);
            }, w_w3, dz0, w_w2, dz1);
            // causal_conv_backward.tk:27
            tk::map(dx_4, [](float dx_4, float w_w1, float dz2) {
                return tk::fma(w_w1, dz2, dx_4);
            }, dx_4, w_w1, dz2);
            // causal_conv_backward.tk:28
            tk::map(dx_4, [](float dx_4, float w_w0, float dz3) {
                return tk::fma(w_w0, dz3, dx_4);
            }, dx_4, w_w0, dz3);

            // causal_conv_backward.tk:71: store(dX[b, n, c], T(gradient_of_token<W>(w, dz0, dz1, ..
            tk::stripe<tk::bf16, 1, 256, 32, 32, 8> t29;
            tk::load_vectors(t29,
                             tk::vector_slice<tk::no_axis, 2>(dBehind, {b, n - N + 4 - 1, c}, 1,
                                                              n - N + 4 - 1 > -1 &&
                                                              n - N + 4 - 1 < 3
                                                              ? (b < F ? C - c : 0) : 0), thread);
            tk::stripe<tk::bf16, 1, 256, 32, 32, 8> t30;
            tk::map(t30, [](float dx_4, tk::bf16 t29) { return dx_4 + float(t29); }, dx_4, t29);
            tk::store_vectors(tk::vector_slice(dX, {b, n, c}, N - n, C - c), t30, thread);

            // causal_conv_backward.tk:72: dz0 = dz1;
            dz0 = dz1;

            // causal_conv_backward.tk:73: dz1 = dz2;
            dz1 = dz2;

            // causal_conv_backward.tk:74: dz2 = dz3;
            dz2 = dz3;

            // causal_conv_backward.tk:75: x0 = x1;
            x0 = x1;

            // causal_conv_backward.tk:76: x1 = x2;
            x1 = x2;

            // causal_conv_backward.tk:77: x2 = a0;
            x2 = a0;

            // causal_conv_backward.tk:78: a0 = a1;
            a0 = a1;

            // causal_conv_backward.tk:79: a1 = ahead;
            a1 = ahead;

            // causal_conv_backward.tk:80: dy0 = dy1;
            dy0 = dy1;

            // causal_conv_backward.tk:81: dy1 = dy_ahead;
            dy1 = dy_ahead;
        }

        // causal_conv_backward.tk:83: if W > 3 { store(Part[b, t.index, W - 4, c], d.dw0); }
        tk::store_vectors(
            tk::vector_slice<tk::no_axis, 3>(Part, {b, t / 128, 0, c}, 1,
                                             t / 128 < tk::divide_up(tk::max(N, 1), 128) ? C - c
                                             : 0), d_dw0, thread);

        // causal_conv_backward.tk:84: if W > 2 { store(Part[b, t.index, W - 3, c], d.dw1); }
        tk::store_vectors(
            tk::vector_slice<tk::no_axis, 3>(Part, {b, t / 128, 1, c}, 1,
                                             t / 128 < tk::divide_up(tk::max(N, 1), 128) ? C - c
                                             : 0), d_dw1, thread);

        // causal_conv_backward.tk:85: store(Part[b, t.index, W - 2, c], d.dw2);
        tk::store_vectors(
            tk::vector_slice<tk::no_axis, 3>(Part, {b, t / 128, 2, c}, 1,
                                             t / 128 < tk::divide_up(tk::max(N, 1), 128) ? C - c
                                             : 0), d_dw2, thread);

        // causal_conv_backward.tk:86: store(Part[b, t.index, W - 1, c], d.dw3);
        tk::store_vectors(
            tk::vector_slice<tk::no_axis, 3>(Part, {b, t / 128, 3, c}, 1,
                                             t / 128 < tk::divide_up(tk::max(N, 1), 128) ? C - c
                                             : 0), d_dw3, thread);

        // causal_conv_backward.tk:87: store(Part[b, t.index, W, c], d.dbias);
        tk::store_vectors(
            tk::vector_slice<tk::no_axis, 3>(Part, {b, t / 128, 4, c}, 1,
                                             t / 128 < tk::divide_up(tk::max(N, 1), 128) ? C - c
                                             : 0), d_dbias, thread);
    }
}

// gradients_of_chunks_general: kernel gradients_of_chunks with T = bf16, TW = bf16, W = 4, SILU =
// true, CHUNK = 128, BC = 256; any strides and alignment.
// 32 threads, 255 registers each.
__global__ void __launch_bounds__(32, 1) gradients_of_chunks_general_kernel(
    const tk::tensor_argument<const tk::bf16, 3> X,
    const tk::tensor_argument<const tk::bf16, 2> Weight,
    const tk::tensor_argument<const tk::bf16, 1> Bias,
    const tk::tensor_argument<const tk::bf16, 3> Before,
    const tk::tensor_argument<const tk::bf16, 3> dY,
    const tk::tensor_argument<const tk::bf16, 3> dBehind, const tk::tensor_argument<tk::bf16, 3> dX,
    const tk::tensor_argument<tk::bf16, 3> dBefore, const tk::tensor_argument<float, 4> Part, int B,
    int N, int C, int CB, int I, int F, int J) {
    tk::wait_for_previous_kernel();

    const int c_tiles = tk::tiles(C, 256);
    const int t_tiles = tk::tiles(tk::max(N, 1), 128);
    const int warp = tk::warp_index();

    // causal_conv_backward.tk:34: kernel gradients_of_chunks<T: dtype = bf16, TW: dtype = T, W: ..
    if (warp == 0) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int c = program % c_tiles * 256;
        const int t = program / c_tiles % t_tiles * 128;
        const int b = program / (c_tiles * t_tiles);

        // causal_conv_backward.tk:40: let w: causal_conv.weights<BC> = {
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

        // causal_conv_backward.tk:44: let before0 = T(f32(load(X[b, t.start - 3, c])) + ..
        tk::stripe<tk::bf16, 1, 256, 32, 32, 2> t5;
        tk::load_global(t5,
                        tk::slice<tk::no_axis, 2>(X, {b, t - 3, c}, 1,
                                                  t - 3 > -1 && t - 3 < N ? C - c : 0), thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 2> t6;
        tk::load_global(t6,
                        tk::slice<tk::no_axis, 2>(Before, {b, t, c}, 1,
                                                  t < 3 ? (b < I ? C - c : 0) : 0), thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 2> before0;
        tk::map(before0, [](tk::bf16 t5, tk::bf16 t6) { return float(t5) + float(t6); }, t5, t6);

        // causal_conv_backward.tk:45: let before1 = T(f32(load(X[b, t.start - 2, c])) + ..
        tk::stripe<tk::bf16, 1, 256, 32, 32, 2> t7;
        tk::load_global(t7,
                        tk::slice<tk::no_axis, 2>(X, {b, t - 2, c}, 1,
                                                  t - 2 > -1 && t - 2 < N ? C - c : 0), thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 2> t8;
        tk::load_global(t8,
                        tk::slice<tk::no_axis, 2>(Before, {b, t + 4 - 3, c}, 1,
                                                  t + 4 - 3 > -1 && t + 4 - 3 < 3
                                                  ? (b < I ? C - c : 0) : 0), thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 2> before1;
        tk::map(before1, [](tk::bf16 t7, tk::bf16 t8) { return float(t7) + float(t8); }, t7, t8);

        // causal_conv_backward.tk:46: let before2 = T(f32(load(X[b, t.start - 1, c])) + ..
        tk::stripe<tk::bf16, 1, 256, 32, 32, 2> t9;
        tk::load_global(t9,
                        tk::slice<tk::no_axis, 2>(X, {b, t - 1, c}, 1,
                                                  t - 1 > -1 && t - 1 < N ? C - c : 0), thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 2> t10;
        tk::load_global(t10,
                        tk::slice<tk::no_axis, 2>(Before, {b, t + 4 - 2, c}, 1,
                                                  t + 4 - 2 > -1 && t + 4 - 2 < 3
                                                  ? (b < I ? C - c : 0) : 0), thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 2> before2;
        tk::map(before2, [](tk::bf16 t9, tk::bf16 t10) { return float(t9) + float(t10); }, t9, t10);

        // causal_conv_backward.tk:47: var x0: T[1, BC] = load(X[b, t.start, c]);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 2> x0;
        tk::load_global(x0, tk::slice<tk::no_axis, 2>(X, {b, t, c}, 1, t < N ? C - c : 0), thread);

        // causal_conv_backward.tk:48: var x1: T[1, BC] = load(X[b, t.start + 1, c]);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 2> x1;
        tk::load_global(x1, tk::slice<tk::no_axis, 2>(X, {b, t + 1, c}, 1, t + 1 < N ? C - c : 0),
                        thread);

        // causal_conv_backward.tk:49: var x2: T[1, BC] = load(X[b, t.start + 2, c]);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 2> x2;
        tk::load_global(x2, tk::slice<tk::no_axis, 2>(X, {b, t + 2, c}, 1, t + 2 < N ? C - c : 0),
                        thread);

        // causal_conv_backward.tk:50: var d: gradients<BC> = { dw0 = 0, dw1 = 0, dw2 = 0, dw3 = ..
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

        // causal_conv_backward.tk:51: var dz0 = gradient_of_sum<W>(inout d, w, before0, before1, ..
        tk::stripe<tk::bf16, 1, 256, 32, 32, 2> t14;
        tk::load_global(t14, tk::slice<tk::no_axis, 2>(dY, {b, t, c}, 1, t < N ? C - c : 0),
                        thread);

        // causal_conv_backward.tk:14: var dz = f32(dy);
        tk::stripe<float, 1, 256, 32, 32, 2> dz0;
        tk::map(dz0, [](tk::bf16 t14) { return float(t14); }, t14);

        // causal_conv.tk:15: var z = w.bias;
        tk::stripe<float, 1, 256, 32, 32, 2> z = w_bias;

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

        // causal_conv_backward.tk:52: var dz1 = gradient_of_sum<W>(inout d, w, before1, before2, ..
        tk::stripe<tk::bf16, 1, 256, 32, 32, 2> t15;
        tk::load_global(t15, tk::slice<tk::no_axis, 2>(dY, {b, t + 1, c}, 1, t + 1 < N ? C - c : 0),
                        thread);
        // causal_conv_backward.tk:14
        tk::stripe<float, 1, 256, 32, 32, 2> dz1;
        tk::map(dz1, [](tk::bf16 t15) { return float(t15); }, t15);
        // causal_conv.tk:15
        tk::stripe<float, 1, 256, 32, 32, 2> z_2 = w_bias;
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

        // causal_conv_backward.tk:53: var dz2 = gradient_of_sum<W>(inout d, w, before2, x0, x1, ..
        tk::stripe<tk::bf16, 1, 256, 32, 32, 2> t16;
        tk::load_global(t16, tk::slice<tk::no_axis, 2>(dY, {b, t + 2, c}, 1, t + 2 < N ? C - c : 0),
                        thread);
        // causal_conv_backward.tk:14
        tk::stripe<float, 1, 256, 32, 32, 2> dz2;
        tk::map(dz2, [](tk::bf16 t16) { return float(t16); }, t16);
        // causal_conv.tk:15
        tk::stripe<float, 1, 256, 32, 32, 2> z_3 = w_bias;
        // causal_conv.tk:16
        tk::map(z_3, [](tk::bf16 t0, tk::bf16 before2, float z_3) {
            return tk::fma(float(t0), float(before2), z_3);
        }, t0, before2, z_3);
        // causal_conv.tk:17
        tk::map(z_3, [](tk::bf16 t1, tk::bf16 x0, float z_3) {
            return tk::fma(float(t1), float(x0), z_3);
        }, t1, x0, z_3);
        // causal_conv_backward.tk:15
        tk::map(dz2, [](tk::bf16 t3, float dz2, tk::bf16 x2, tk::bf16 t2, tk::bf16 x1, float z_3) {
            const float x = tk::fma(float(t3), float(x2), tk::fma(float(t2), float(x1), z_3));
            const float x_2 = tk::divide(1.0f, 1.0f + tk::exp(-x));
            return dz2 * (x_2 * tk::fma(x, 1.0f - x_2, 1.0f));
        }, t3, dz2, x2, t2, x1, z_3);
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
        tk::map(d_dw3, [](float d_dw3, float dz2, tk::bf16 x2) {
            return tk::fma(dz2, float(x2), d_dw3);
        }, d_dw3, dz2, x2);
        // causal_conv_backward.tk:20
        tk::map(d_dbias, [](float d_dbias, float dz2) { return d_dbias + dz2; }, d_dbias, dz2);

        // causal_conv_backward.tk:54: if t.start == 0 {
        if (t == 0) {
            // causal_conv_backward.tk:55: var none: f32[1, BC] = 0;
            tk::stripe<float, 1, 256, 32, 32, 2> none;
            tk::zero(none);

            // causal_conv_backward.tk:26: var dx = w.w3 * dz0 + w.w2 * dz1;
            tk::stripe<float, 1, 256, 32, 32, 2> dx;
            tk::map(dx, [](float w_w3, float none, float w_w2, float dz0) {
                return tk::fma(w_w3, none, w_w2 * dz0);
            }, w_w3, none, w_w2, dz0);

            // causal_conv_backward.tk:27: if W > 2 { dx += w.w1 * dz2; }
            tk::map(dx, [](float dx, float w_w1, float dz1) { return tk::fma(w_w1, dz1, dx); },
                    dx, w_w1, dz1);

            // causal_conv_backward.tk:28: if W > 3 { dx += w.w0 * dz3; }
            tk::map(dx, [](float dx, float w_w0, float dz2) { return tk::fma(w_w0, dz2, dx); },
                    dx, w_w0, dz2);

            // causal_conv_backward.tk:56: store(dBefore[b, W - 2, c], T(gradient_of_token<W>(w, ..
            tk::stripe<tk::bf16, 1, 256, 32, 32, 2> t17;
            tk::load_global(t17,
                            tk::slice<tk::no_axis, 2>(dBehind, {b, 2 - N, c}, 1,
                                                      2 - N > -1 && 2 - N < 3 ? (b < F ? C - c : 0)
                                                      : 0), thread);
            tk::stripe<tk::bf16, 1, 256, 32, 32, 2> t18;
            tk::map(t18, [](float dx, tk::bf16 t17) { return dx + float(t17); }, dx, t17);
            tk::store_global(tk::slice<tk::no_axis, 2>(dBefore, {b, 2, c}, 1, b < J ? C - c : 0),
                             t18, thread);
            // causal_conv_backward.tk:26
            tk::stripe<float, 1, 256, 32, 32, 2> dx_2;
            tk::map(dx_2, [](float w_w3, float none, float w_w2) {
                return tk::fma(w_w3, none, w_w2 * none);
            }, w_w3, none, w_w2);
            // causal_conv_backward.tk:27
            tk::map(dx_2, [](float dx_2, float w_w1, float dz0) {
                return tk::fma(w_w1, dz0, dx_2);
            }, dx_2, w_w1, dz0);
            // causal_conv_backward.tk:28
            tk::map(dx_2, [](float dx_2, float w_w0, float dz1) {
                return tk::fma(w_w0, dz1, dx_2);
            }, dx_2, w_w0, dz1);

            // causal_conv_backward.tk:57: if W > 2 { store(dBefore[b, W - 3, c], ..
            tk::stripe<tk::bf16, 1, 256, 32, 32, 2> t19;
            tk::load_global(t19,
                            tk::slice<tk::no_axis, 2>(dBehind, {b, 1 - N, c}, 1,
                                                      1 - N > -1 && 1 - N < 3 ? (b < F ? C - c : 0)
                                                      : 0), thread);
            tk::stripe<tk::bf16, 1, 256, 32, 32, 2> t20;
            tk::map(t20, [](float dx_2, tk::bf16 t19) { return dx_2 + float(t19); }, dx_2, t19);
            tk::store_global(tk::slice<tk::no_axis, 2>(dBefore, {b, 1, c}, 1, b < J ? C - c : 0),
                             t20, thread);
            // causal_conv_backward.tk:26
            tk::stripe<float, 1, 256, 32, 32, 2> dx_3;
            tk::map(dx_3, [](float w_w3, float none, float w_w2) {
                return tk::fma(w_w3, none, w_w2 * none);
            }, w_w3, none, w_w2);
            // causal_conv_backward.tk:27
            tk::map(dx_3, [](float dx_3, float w_w1, float none) {
                return tk::fma(w_w1, none, dx_3);
            }, dx_3, w_w1, none);
            // causal_conv_backward.tk:28
            tk::map(dx_3, [](float dx_3, float w_w0, float dz0) {
                return tk::fma(w_w0, dz0, dx_3);
            }, dx_3, w_w0, dz0);

            // causal_conv_backward.tk:58: if W > 3 { store(dBefore[b, W - 4, c], ..
            tk::stripe<tk::bf16, 1, 256, 32, 32, 2> t21;
            tk::load_global(t21,
                            tk::slice<tk::no_axis, 2>(dBehind, {b, 0 - N, c}, 1,
                                                      0 - N > -1 && 0 - N < 3 ? (b < F ? C - c : 0)
                                                      : 0), thread);
            tk::stripe<tk::bf16, 1, 256, 32, 32, 2> t22;
            tk::map(t22, [](float dx_3, tk::bf16 t21) { return dx_3 + float(t21); }, dx_3, t21);
            tk::store_global(tk::slice<tk::no_axis, 2>(dBefore, {b, 0, c}, 1, b < J ? C - c : 0),
                             t22, thread);
        } else {
            // causal_conv_backward.tk:60: d = { dw0 = 0, dw1 = 0, dw2 = 0, dw3 = 0, dbias = 0 };
            tk::zero(d_dw0);
            tk::zero(d_dw1);
            tk::zero(d_dw2);
            tk::zero(d_dw3);
            tk::zero(d_dbias);
        }

        // causal_conv_backward.tk:62: var a0: T[1, BC]  = load(X[b, t.start + 3, c]);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 2> a0;
        tk::load_global(a0, tk::slice<tk::no_axis, 2>(X, {b, t + 3, c}, 1, t + 3 < N ? C - c : 0),
                        thread);

        // causal_conv_backward.tk:63: var a1: T[1, BC]  = load(X[b, t.start + 4, c]);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 2> a1;
        tk::load_global(a1, tk::slice<tk::no_axis, 2>(X, {b, t + 4, c}, 1, t + 4 < N ? C - c : 0),
                        thread);

        // causal_conv_backward.tk:64: var dy0: T[1, BC] = load(dY[b, t.start + 3, c]);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 2> dy0;
        tk::load_global(dy0, tk::slice<tk::no_axis, 2>(dY, {b, t + 3, c}, 1, t + 3 < N ? C - c : 0),
                        thread);

        // causal_conv_backward.tk:65: var dy1: T[1, BC] = load(dY[b, t.start + 4, c]);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 2> dy1;
        tk::load_global(dy1, tk::slice<tk::no_axis, 2>(dY, {b, t + 4, c}, 1, t + 4 < N ? C - c : 0),
                        thread);

        // causal_conv_backward.tk:66: for n in t.start..t.end by 1 pipelined(2) {
        for (int n = t; n < t + 128; n += 1) {
            // causal_conv_backward.tk:67: let at = if n + 2 < t.end { n + 5 } else { N };
            const int at = n + 2 < t + 128 ? n + 5 : N;

            // causal_conv_backward.tk:68: let ahead = load(X[b, at, c]);
            tk::stripe<tk::bf16, 1, 256, 32, 32, 2> ahead;
            tk::load_global(ahead,
                            tk::slice<tk::no_axis, 2>(X, {b, at, c}, 1,
                                                      at > -1 && at < N ? C - c : 0), thread);

            // causal_conv_backward.tk:69: let dy_ahead = load(dY[b, at, c]);
            tk::stripe<tk::bf16, 1, 256, 32, 32, 2> dy_ahead;
            tk::load_global(dy_ahead,
                            tk::slice<tk::no_axis, 2>(dY, {b, at, c}, 1,
                                                      at > -1 && at < N ? C - c : 0), thread);
            // causal_conv_backward.tk:14
            tk::stripe<float, 1, 256, 32, 32, 2> dz3;
            tk::map(dz3, [](tk::bf16 dy0) { return float(dy0); }, dy0);
            // causal_conv.tk:15
            tk::stripe<float, 1, 256, 32, 32, 2> z_4 = w_bias;
            // causal_conv.tk:16
            tk::map(z_4, [](float z_4, float w_w0, tk::bf16 x0) {
                return tk::fma(w_w0, float(x0), z_4);
            }, z_4, w_w0, x0);
            // causal_conv.tk:17
            tk::map(z_4, [](float z_4, float w_w1, tk::bf16 x1) {
                return tk::fma(w_w1, float(x1), z_4);
            }, z_4, w_w1, x1);
            // causal_conv_backward.tk:15
            tk::map(dz3, [](float w_w3, tk::bf16 a0, float w_w2, tk::bf16 x2, float z_4, float dz3) {
                const float x = tk::fma(w_w3, float(a0), tk::fma(w_w2, float(x2), z_4));
                const float x_2 = tk::divide(1.0f, 1.0f + tk::exp(-x));
                return dz3 * (x_2 * tk::fma(x, 1.0f - x_2, 1.0f));
            }, w_w3, a0, w_w2, x2, z_4, dz3);
            // causal_conv_backward.tk:16
            tk::map(d_dw0, [](float d_dw0, float dz3, tk::bf16 x0) {
                return tk::fma(dz3, float(x0), d_dw0);
            }, d_dw0, dz3, x0);
            // causal_conv_backward.tk:17
            tk::map(d_dw1, [](float d_dw1, float dz3, tk::bf16 x1) {
                return tk::fma(dz3, float(x1), d_dw1);
            }, d_dw1, dz3, x1);
            // causal_conv_backward.tk:18
            tk::map(d_dw2, [](float d_dw2, float dz3, tk::bf16 x2) {
                return tk::fma(dz3, float(x2), d_dw2);
            }, d_dw2, dz3, x2);
            // causal_conv_backward.tk:19
            tk::map(d_dw3, [](float d_dw3, float dz3, tk::bf16 a0) {
                return tk::fma(dz3, float(a0), d_dw3);
            }, d_dw3, dz3, a0);
            // causal_conv_backward.tk:20
            tk::map(d_dbias, [](float d_dbias, float dz3) { return d_dbias + dz3; }, d_dbias, dz3);
            // causal_conv_backward.tk:26
            tk::stripe<float, 1, 256, 32, 32, 2> dx_4;
            tk::map(dx_4, [](float w_w3, float dz0, float w_w2, float dz1) {
                return tk::fma(w_w3, dz0, w_w2 * dz1);
            }, w_w3, dz0, w_w2, dz1);
            // causal_conv_backward.tk:27
            tk::map(dx_4, [](float dx_4, float w_w1, float dz2) {
                return tk::fma(w_w1, dz2, dx_4);
            }, dx_4, w_w1, dz2);
            // causal_conv_backward.tk:28
            tk::map(dx_4, [](float dx_4, float w_w0, float dz3) {
                return tk::fma(w_w0, dz3, dx_4);
            }, dx_4, w_w0, dz3);

            // causal_conv_backward.tk:71: store(dX[b, n, c], T(gradient_of_token<W>(w, dz0, dz1, ..
            tk::stripe<tk::bf16, 1, 256, 32, 32, 2> t29;
            tk::load_global(t29,
                            tk::slice<tk::no_axis, 2>(dBehind, {b, n - N + 4 - 1, c}, 1,
                                                      n - N + 4 - 1 > -1 && n - N + 4 - 1 < 3
                                                      ? (b < F ? C - c : 0) : 0), thread);
            tk::stripe<tk::bf16, 1, 256, 32, 32, 2> t30;
            tk::map(t30, [](float dx_4, tk::bf16 t29) { return dx_4 + float(t29); }, dx_4, t29);
            tk::store_global(tk::slice(dX, {b, n, c}, N - n, C - c), t30, thread);

            // causal_conv_backward.tk:72: dz0 = dz1;
            dz0 = dz1;

            // causal_conv_backward.tk:73: dz1 = dz2;
            dz1 = dz2;

            // causal_conv_backward.tk:74: dz2 = dz3;
            dz2 = dz3;

            // causal_conv_backward.tk:75: x0 = x1;
            x0 = x1;

            // causal_conv_backward.tk:76: x1 = x2;
            x1 = x2;

            // causal_conv_backward.tk:77: x2 = a0;
            x2 = a0;

            // causal_conv_backward.tk:78: a0 = a1;
            a0 = a1;

            // causal_conv_backward.tk:79: a1 = ahead;
            a1 = ahead;

            // causal_conv_backward.tk:80: dy0 = dy1;
            dy0 = dy1;

            // causal_conv_backward.tk:81: dy1 = dy_ahead;
            dy1 = dy_ahead;
        }

        // causal_conv_backward.tk:83: if W > 3 { store(Part[b, t.index, W - 4, c], d.dw0); }
        tk::store_global(
            tk::slice<tk::no_axis, 3>(Part, {b, t / 128, 0, c}, 1,
                                      t / 128 < tk::divide_up(tk::max(N, 1), 128) ? C - c : 0),
            d_dw0, thread);

        // causal_conv_backward.tk:84: if W > 2 { store(Part[b, t.index, W - 3, c], d.dw1); }
        tk::store_global(
            tk::slice<tk::no_axis, 3>(Part, {b, t / 128, 1, c}, 1,
                                      t / 128 < tk::divide_up(tk::max(N, 1), 128) ? C - c : 0),
            d_dw1, thread);

        // causal_conv_backward.tk:85: store(Part[b, t.index, W - 2, c], d.dw2);
        tk::store_global(
            tk::slice<tk::no_axis, 3>(Part, {b, t / 128, 2, c}, 1,
                                      t / 128 < tk::divide_up(tk::max(N, 1), 128) ? C - c : 0),
            d_dw2, thread);

        // causal_conv_backward.tk:86: store(Part[b, t.index, W - 1, c], d.dw3);
        tk::store_global(
            tk::slice<tk::no_axis, 3>(Part, {b, t / 128, 3, c}, 1,
                                      t / 128 < tk::divide_up(tk::max(N, 1), 128) ? C - c : 0),
            d_dw3, thread);

        // causal_conv_backward.tk:87: store(Part[b, t.index, W, c], d.dbias);
        tk::store_global(
            tk::slice<tk::no_axis, 3>(Part, {b, t / 128, 4, c}, 1,
                                      t / 128 < tk::divide_up(tk::max(N, 1), 128) ? C - c : 0),
            d_dbias, thread);
    }
}

// sums_of_parts: kernel sums_of_parts with BC = 32, BP = 32.
// 256 threads, 48 registers each, 1024 bytes of shared memory.
struct sums_of_parts_shared {
    tk::shared_tile<float, 8, 32> sums_of_parts_f32_rows_32[1];
};

__global__ void __launch_bounds__(256, 5) sums_of_parts_kernel(
    const tk::tensor_argument<const float, 4> Part, const tk::tensor_argument<float, 2> Sum, int B,
    int P, int R, int C) {
    extern __shared__ __align__(1024) unsigned char memory[];
    sums_of_parts_shared& shared = *reinterpret_cast<sums_of_parts_shared*>(memory);

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

// sums_of_parts_general: kernel sums_of_parts with BC = 32, BP = 32; any strides and alignment.
// 256 threads, 255 registers each, 1024 bytes of shared memory.
struct sums_of_parts_general_shared {
    tk::shared_tile<float, 8, 32> sums_of_parts_f32_rows_32[1];
};

__global__ void __launch_bounds__(256, 1) sums_of_parts_general_kernel(
    const tk::tensor_argument<const float, 4> Part, const tk::tensor_argument<float, 2> Sum, int B,
    int P, int R, int C) {
    extern __shared__ __align__(1024) unsigned char memory[];
    sums_of_parts_general_shared& shared = *reinterpret_cast<sums_of_parts_general_shared*>(memory);

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
    const tk::tensor& dBehind, const tk::tensor& dX, const tk::tensor& dBefore,
    const tk::tensor& Part, int64_t B, int64_t N, int64_t C, int64_t CB, int64_t I, int64_t F,
    int64_t J) {
    return tk::run<gradients_of_chunks_kernel>(
        site, 0, tk::kernel_shape(32).overlapping(),
        tk::multiply(
            tk::multiply(tk::ceil_div(C, 256), tk::larger(tk::ceil_div(tk::larger(N, 1), 128), 0)),
            B), X, Weight, Bias, Before, dY, dBehind, dX, dBefore, Part, B, N, C, CB, I, F, J);
}

tk::status launch_gradients_of_chunks_general(
    const tk::launch_site& site, const tk::tensor& X, const tk::tensor& Weight,
    const tk::tensor& Bias, const tk::tensor& Before, const tk::tensor& dY,
    const tk::tensor& dBehind, const tk::tensor& dX, const tk::tensor& dBefore,
    const tk::tensor& Part, int64_t B, int64_t N, int64_t C, int64_t CB, int64_t I, int64_t F,
    int64_t J) {
    return tk::run<gradients_of_chunks_general_kernel>(
        site, 0, tk::kernel_shape(32).overlapping(),
        tk::multiply(
            tk::multiply(tk::ceil_div(C, 256), tk::larger(tk::ceil_div(tk::larger(N, 1), 128), 0)),
            B), X, Weight, Bias, Before, dY, dBehind, dX, dBefore, Part, B, N, C, CB, I, F, J);
}

tk::status launch_sums_of_parts(const tk::launch_site& site, const tk::tensor& Part,
                                const tk::tensor& Sum, int64_t B, int64_t P, int64_t R, int64_t C) {
    return tk::run<sums_of_parts_kernel>(
        site, sizeof(sums_of_parts_shared), tk::kernel_shape(256).overlapping(),
        tk::multiply(tk::ceil_div(C, 32), R), Part, Sum, B, P, R, C);
}

tk::status launch_sums_of_parts_general(const tk::launch_site& site, const tk::tensor& Part,
                                        const tk::tensor& Sum, int64_t B, int64_t P, int64_t R,
                                        int64_t C) {
    return tk::run<sums_of_parts_general_kernel>(
        site, sizeof(sums_of_parts_general_shared), tk::kernel_shape(256).overlapping(),
        tk::multiply(tk::ceil_div(C, 32), R), Part, Sum, B, P, R, C);
}

}  // namespace

extern "C" {
int gradients_of_chunks(const DLTensor* X_given, const DLTensor* Weight_given,
                        const DLTensor* Bias_given, const DLTensor* Before_given,
                        const DLTensor* dY_given, const DLTensor* dBehind_given, DLTensor* dX_given,
                        DLTensor* dBefore_given, DLTensor* Part_given, void*, size_t,
                        cudaStream_t stream) {
    tk::arguments call{"gradients_of_chunks"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor Weight = call.take("Weight", Weight_given, tk::dtype_bf16, 2,
                                        tk::access::read);
    const tk::tensor Bias = call.take("Bias", Bias_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor Before = call.take("Before", Before_given, tk::dtype_bf16, 3,
                                        tk::access::read);
    const tk::tensor dY = call.take("dY", dY_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor dBehind = call.take("dBehind", dBehind_given, tk::dtype_bf16, 3,
                                         tk::access::read);
    const tk::tensor dX = call.take("dX", dX_given, tk::dtype_bf16, 3, tk::access::write);
    const tk::tensor dBefore = call.take("dBefore", dBefore_given, tk::dtype_bf16, 3,
                                         tk::access::write);
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = X.shape[0];
    const int64_t N = X.shape[1];
    const int64_t C = X.shape[2];
    const int64_t CB = Bias.shape[0];
    const int64_t I = Before.shape[0];
    const int64_t F = dBehind.shape[0];
    const int64_t J = dBefore.shape[0];
    call.require({
        tk::fixed_extent(Weight, 0, 4), tk::same_extent("C", X, 2, Weight, 1),
        tk::fixed_extent(Before, 1, 3), tk::same_extent("C", X, 2, Before, 2),
        tk::same_extent("B", X, 0, dY, 0), tk::same_extent("N", X, 1, dY, 1),
        tk::same_extent("C", X, 2, dY, 2), tk::fixed_extent(dBehind, 1, 3),
        tk::same_extent("C", X, 2, dBehind, 2), tk::same_extent("B", X, 0, dX, 0),
        tk::same_extent("N", X, 1, dX, 1), tk::same_extent("C", X, 2, dX, 2),
        tk::fixed_extent(dBefore, 1, 3), tk::same_extent("C", X, 2, dBefore, 2),
        tk::same_extent("B", X, 0, Part, 0), tk::fixed_extent(Part, 2, 5),
        tk::same_extent("C", X, 2, Part, 3),
        tk::extents_fit({{"B", B}, {"N", N}, {"C", C}, {"CB", CB}, {"I", I}, {"F", F}, {"J", J}}),
        tk::that(Part.shape[1] == tk::ceil_div(tk::larger(N, 1), 128),
                 "axis 1 of `Part` is {}; it must be `ceil_div(max(N, 1), 128)`, which is {}",
                 {Part.shape[1], tk::ceil_div(tk::larger(N, 1), 128)}),
        tk::that(J <= B, "`gradients_of_chunks` requires `J <= B`"),
        tk::that(CB == 0 || CB == C, "`gradients_of_chunks` requires `CB == 0 or CB == C`"),
        tk::grid_fits(
            tk::multiply(tk::ceil_div(C, 256), tk::larger(tk::ceil_div(tk::larger(N, 1), 128), 0)),
            2147483648),
        tk::grid_fits(
            tk::multiply(
                tk::multiply(tk::ceil_div(C, 256),
                             tk::larger(tk::ceil_div(tk::larger(N, 1), 128), 0)), B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(
        tk::multiply(tk::ceil_div(C, 256), tk::larger(tk::ceil_div(tk::larger(N, 1), 128), 0)), B);
    const bool fast = tk::hold(
        {tk::suits_fast(X, "C"), tk::whole_vectors(X, 8), tk::suits_fast(Weight, "C"),
         tk::suits_fast(Bias, "CB"), tk::suits_fast(Before, "C"), tk::suits_fast(dY, "C"),
         tk::suits_fast(dBehind, "C"), tk::suits_fast(dX, "C"), tk::suits_fast(dBefore, "C"),
         tk::suits_fast(Part, "C")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<gradients_of_chunks_kernel, gradients_of_chunks_general_kernel>(
            fast ? 0 : 1, site, 0, tk::kernel_shape(32).overlapping(), programs, X, Weight, Bias,
            Before, dY, dBehind, dX, dBefore, Part, B, N, C, CB, I, F, J));
}
TK_NO_WORKSPACE(gradients_of_chunks, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, DLTensor*)

int sums_of_parts(const DLTensor* Part_given, DLTensor* Sum_given, void*, size_t,
                  cudaStream_t stream) {
    tk::arguments call{"sums_of_parts"};
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor Sum = call.take("Sum", Sum_given, tk::dtype_f32, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Part.shape[0];
    const int64_t P = Part.shape[1];
    const int64_t R = Part.shape[2];
    const int64_t C = Part.shape[3];
    call.require(
        {tk::same_extent("R", Part, 2, Sum, 0), tk::same_extent("C", Part, 3, Sum, 1),
         tk::extents_fit({{"B", B}, {"P", P}, {"R", R}, {"C", C}}),
         tk::grid_fits(tk::multiply(tk::ceil_div(C, 32), R), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::ceil_div(C, 32), R);
    const bool fast =
        tk::hold({tk::suits_fast(Part, "C"), tk::whole_vectors(Part, 4), tk::suits_fast(Sum, "C")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(tk::run<sums_of_parts_kernel>(
            site, sizeof(sums_of_parts_shared), tk::kernel_shape(256).overlapping(), programs, Part,
            Sum, B, P, R, C));
    }
    return tk::finish(tk::run<sums_of_parts_general_kernel>(
        site, sizeof(sums_of_parts_general_shared), tk::kernel_shape(256).overlapping(), programs,
        Part, Sum, B, P, R, C));
}
TK_NO_WORKSPACE(sums_of_parts, const DLTensor*, DLTensor*)

int causal_conv_backward(const DLTensor* X_given, const DLTensor* Weight_given,
                         const DLTensor* Bias_given, const DLTensor* Before_given,
                         const DLTensor* dY_given, const DLTensor* dBehind_given,
                         DLTensor* dX_given, DLTensor* dBefore_given, DLTensor* dWeight_given,
                         DLTensor* Part_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"causal_conv_backward"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor Weight = call.take("Weight", Weight_given, tk::dtype_bf16, 2,
                                        tk::access::read);
    const tk::tensor Bias = call.take("Bias", Bias_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor Before = call.take("Before", Before_given, tk::dtype_bf16, 3,
                                        tk::access::read);
    const tk::tensor dY = call.take("dY", dY_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor dBehind = call.take("dBehind", dBehind_given, tk::dtype_bf16, 3,
                                         tk::access::read);
    const tk::tensor dX = call.take("dX", dX_given, tk::dtype_bf16, 3, tk::access::write);
    const tk::tensor dBefore = call.take("dBefore", dBefore_given, tk::dtype_bf16, 3,
                                         tk::access::write);
    const tk::tensor dWeight = call.take("dWeight", dWeight_given, tk::dtype_f32, 2,
                                         tk::access::write);
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = X.shape[0];
    const int64_t N = X.shape[1];
    const int64_t C = X.shape[2];
    const int64_t CB = Bias.shape[0];
    const int64_t I = Before.shape[0];
    const int64_t F = dBehind.shape[0];
    const int64_t J = dBefore.shape[0];
    call.require(
        {tk::fixed_extent(Weight, 0, 4), tk::same_extent("C", X, 2, Weight, 1),
         tk::fixed_extent(Before, 1, 3), tk::same_extent("C", X, 2, Before, 2),
         tk::same_extent("B", X, 0, dY, 0), tk::same_extent("N", X, 1, dY, 1),
         tk::same_extent("C", X, 2, dY, 2), tk::fixed_extent(dBehind, 1, 3),
         tk::same_extent("C", X, 2, dBehind, 2), tk::same_extent("B", X, 0, dX, 0),
         tk::same_extent("N", X, 1, dX, 1), tk::same_extent("C", X, 2, dX, 2),
         tk::fixed_extent(dBefore, 1, 3), tk::same_extent("C", X, 2, dBefore, 2),
         tk::fixed_extent(dWeight, 0, 5), tk::same_extent("C", X, 2, dWeight, 1),
         tk::same_extent("B", X, 0, Part, 0), tk::fixed_extent(Part, 2, 5),
         tk::same_extent("C", X, 2, Part, 3),
         tk::extents_fit({{"B", B}, {"N", N}, {"C", C}, {"CB", CB}, {"I", I}, {"F", F}, {"J", J}}),
         tk::that(Part.shape[1] == tk::ceil_div(tk::larger(N, 1), 128),
                  "axis 1 of `Part` is {}; it must be `ceil_div(max(N, 1), 128)`, which is {}",
                  {Part.shape[1], tk::ceil_div(tk::larger(N, 1), 128)}),
         tk::that(J <= B, "`causal_conv_backward` requires `J <= B`"),
         tk::that(CB == 0 || CB == C, "`causal_conv_backward` requires `CB == 0 or CB == C`")});
    // gradients_of_chunks(X, Weight, Bias, Before, dY, dBehind, dX, dBefore, Part)
    call.require({
        tk::grid_fits(
            tk::multiply(tk::ceil_div(C, 256), tk::larger(tk::ceil_div(tk::larger(N, 1), 128), 0)),
            2147483648),
        tk::grid_fits(
            tk::multiply(
                tk::multiply(tk::ceil_div(C, 256),
                             tk::larger(tk::ceil_div(tk::larger(N, 1), 128), 0)), B), 2147483648)});
    // sums_of_parts(Part, dWeight)
    call.require({
        tk::that(tk::ceil_div(tk::larger(N, 1), 128) < 2147221504,
                 "`ceil_div(max(N, 1), 128)` is {}; extents must be less than 2147221504",
                 {tk::ceil_div(tk::larger(N, 1), 128)}),
        tk::grid_fits(tk::ceil_div(C, 32) * 5, 2147483648)});
    if (!call.ok()) return tk::finish(call.result());

    // gradients_of_chunks(X, Weight, Bias, Before, dY, dBehind, dX, dBefore, Part)
    const bool choice_1 = tk::hold(
        {tk::suits_fast(X, "C"), tk::whole_vectors(X, 8), tk::suits_fast(Weight, "C"),
         tk::suits_fast(Bias, "CB"), tk::suits_fast(Before, "C"), tk::suits_fast(dY, "C"),
         tk::suits_fast(dBehind, "C"), tk::suits_fast(dX, "C"), tk::suits_fast(dBefore, "C"),
         tk::suits_fast(Part, "C")});

    // sums_of_parts(Part, dWeight)
    const bool choice_2 = tk::hold(
        {tk::suits_fast(Part, "C"), tk::whole_vectors(Part, 4), tk::suits_fast(dWeight, "C")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1) {
        TK_FINISH_IF_FAILED(launch_gradients_of_chunks(
            site, X, Weight, Bias, Before, dY, dBehind, dX, dBefore, Part, B, N, C, CB, I, F, J));
    } else {
        TK_FINISH_IF_FAILED(launch_gradients_of_chunks_general(
            site, X, Weight, Bias, Before, dY, dBehind, dX, dBefore, Part, B, N, C, CB, I, F, J));
    }
    if (choice_2) {
        TK_FINISH_IF_FAILED(launch_sums_of_parts(
            site, tk::read_only(Part), dWeight, B, tk::ceil_div(tk::larger(N, 1), 128), 5, C));
    } else {
        TK_FINISH_IF_FAILED(launch_sums_of_parts_general(
            site, tk::read_only(Part), dWeight, B, tk::ceil_div(tk::larger(N, 1), 128), 5, C));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(causal_conv_backward, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*)
}  // extern "C"
