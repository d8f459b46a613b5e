// Made by tkc from causal_conv.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/tk.cuh"

// causal_conv: kernel causal_conv with T = bf16, TW = bf16, W = 4, SILU = true, BC = 256, CHUNK =
// 64.
// 32 threads, 136 registers each: causal_conv_kernel<64>.
// causal_conv_short: kernel causal_conv with T = bf16, TW = bf16, W = 4, SILU = true, BC = 256,
// CHUNK = 16.
// 32 threads, 136 registers each: causal_conv_kernel<16>.
template <int CHUNK>
__global__ void __launch_bounds__(32, 15) causal_conv_kernel(
    const tk::tensor_argument<const tk::bf16, 3> X,
    const tk::tensor_argument<const tk::bf16, 2> Weight,
    const tk::tensor_argument<const tk::bf16, 1> Bias,
    const tk::tensor_argument<const tk::bf16, 3> Before, const tk::tensor_argument<tk::bf16, 3> Y,
    const tk::tensor_argument<tk::bf16, 3> Behind, int B, int N, int C, int CB, int I, int F) {
    tk::wait_for_previous_kernel();

    const int c_tiles = tk::tiles(C, 256);
    const int t_tiles = tk::tiles(tk::max(N, 1), CHUNK);
    const int warp = tk::warp_index();

    // causal_conv.tk:21: kernel causal_conv<T: dtype = bf16, TW: dtype = T, W: int = 4, SILU: ..
    if (warp == 0) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int c = program % c_tiles * 256;
        const int t = program / c_tiles % t_tiles * CHUNK;
        const int b = program / (c_tiles * t_tiles);

        // causal_conv.tk:26: let w: weights<BC> = {
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

        // causal_conv.tk:31: var x0 = T(f32(load(X[b, t.start - 3, c])) + load(Before[b, t.start ..
        tk::stripe<tk::bf16, 1, 256, 32, 32, 8> t5;
        tk::load_vectors(t5,
                         tk::vector_slice<tk::no_axis, 2>(X, {b, t - 3, c}, 1,
                                                          t - 3 > -1 && t - 3 < N ? C - c : 0),
                         thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 8> t6;
        tk::load_vectors(t6,
                         tk::vector_slice<tk::no_axis, 2>(Before, {b, t, c}, 1,
                                                          t < 3 ? (b < I ? C - c : 0) : 0), thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 8> x0;
        tk::map(x0, [](tk::bf16 t5, tk::bf16 t6) { return float(t5) + float(t6); }, t5, t6);

        // causal_conv.tk:32: var x1 = T(f32(load(X[b, t.start - 2, c])) + load(Before[b, t.start ..
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
        tk::stripe<tk::bf16, 1, 256, 32, 32, 8> x1;
        tk::map(x1, [](tk::bf16 t7, tk::bf16 t8) { return float(t7) + float(t8); }, t7, t8);

        // causal_conv.tk:33: var x2 = T(f32(load(X[b, t.start - 1, c])) + load(Before[b, t.start ..
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
        tk::stripe<tk::bf16, 1, 256, 32, 32, 8> x2;
        tk::map(x2, [](tk::bf16 t9, tk::bf16 t10) { return float(t9) + float(t10); }, t9, t10);

        // causal_conv.tk:34: var a0: T[1, BC] = load(X[b, t.start, c]);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 8> a0;
        tk::load_vectors(a0, tk::vector_slice<tk::no_axis, 2>(X, {b, t, c}, 1, t < N ? C - c : 0),
                         thread);

        // causal_conv.tk:35: var a1: T[1, BC] = load(X[b, t.start + 1, c]);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 8> a1;
        tk::load_vectors(a1,
                         tk::vector_slice<tk::no_axis, 2>(X, {b, t + 1, c}, 1,
                                                          t + 1 < N ? C - c : 0), thread);

        // causal_conv.tk:36: var a2: T[1, BC] = load(X[b, t.start + 2, c]);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 8> a2;
        tk::load_vectors(a2,
                         tk::vector_slice<tk::no_axis, 2>(X, {b, t + 2, c}, 1,
                                                          t + 2 < N ? C - c : 0), thread);

        // causal_conv.tk:37: var a3: T[1, BC] = load(X[b, t.start + 3, c]);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 8> a3;
        tk::load_vectors(a3,
                         tk::vector_slice<tk::no_axis, 2>(X, {b, t + 3, c}, 1,
                                                          t + 3 < N ? C - c : 0), thread);

        // causal_conv.tk:38: for n in t.start..t.end by 1 pipelined(4) {
        #pragma unroll 4
        for (int n = t; n < t + CHUNK; n += 1) {
            // causal_conv.tk:39: let ahead = load(X[b, (if n + 4 < t.end { n + 4 } else { N }), ..
            tk::stripe<tk::bf16, 1, 256, 32, 32, 8> ahead;
            tk::load_vectors(
                ahead,
                tk::vector_slice<tk::no_axis, 2>(X, {b, n + 4 < t + CHUNK ? n + 4 : N, c}, 1,
                                                 (n + 4 < t + CHUNK ? n + 4 : N) > -1 &&
                                                 (n + 4 < t + CHUNK ? n + 4 : N) < N ? C - c : 0),
                thread);

            // causal_conv.tk:15: var z = w.bias;
            tk::stripe<float, 1, 256, 32, 32, 8> z = w_bias;

            // causal_conv.tk:16: if W > 3 { z += w.w0 * x0; }
            tk::map(z, [](float z, float w_w0, tk::bf16 x0) { return tk::fma(w_w0, float(x0), z); },
                    z, w_w0, x0);

            // causal_conv.tk:17: if W > 2 { z += w.w1 * x1; }
            tk::map(z, [](float z, float w_w1, tk::bf16 x1) { return tk::fma(w_w1, float(x1), z); },
                    z, w_w1, x1);

            // causal_conv.tk:41: store(Y[b, n, c], T(if SILU { activation.silu(z) } else { z }));
            tk::stripe<tk::bf16, 1, 256, 32, 32, 8> t16;
            tk::map(t16, [](float w_w3, tk::bf16 a0, float w_w2, tk::bf16 x2, float z) {
                const float x = tk::fma(w_w3, float(a0), tk::fma(w_w2, float(x2), z));
                return tk::divide(x, 1.0f + tk::exp(-x));
            }, w_w3, a0, w_w2, x2, z);
            tk::store_vectors(tk::vector_slice(Y, {b, n, c}, N - n, C - c), t16, thread);

            // causal_conv.tk:42: x0 = x1;
            x0 = x1;

            // causal_conv.tk:43: x1 = x2;
            x1 = x2;

            // causal_conv.tk:44: x2 = a0;
            x2 = a0;

            // causal_conv.tk:45: a0 = a1;
            a0 = a1;

            // causal_conv.tk:46: a1 = a2;
            a1 = a2;

            // causal_conv.tk:47: a2 = a3;
            a2 = a3;

            // causal_conv.tk:48: a3 = ahead;
            a3 = ahead;
        }

        // causal_conv.tk:50: if t.start == 0 {
        if (t == 0) {
            // causal_conv.tk:51: for i in W - 1 {
            for (int i = 0; i < 3; i += 1) {
                // causal_conv.tk:52: store(Behind[b, i, c], T(f32(load(X[b, N - (W - 1) + i, ..
                tk::stripe<tk::bf16, 1, 256, 32, 32, 8> t17;
                tk::load_vectors(t17,
                                 tk::vector_slice<tk::no_axis, 2>(X, {b, N - 3 + i, c}, 1,
                                                                  N - 3 + i > -1 && N - 3 + i < N
                                                                  ? C - c : 0), thread);
                tk::stripe<tk::bf16, 1, 256, 32, 32, 8> t18;
                tk::load_vectors(t18,
                                 tk::vector_slice<tk::no_axis, 2>(Before, {b, N + i, c}, 1,
                                                                  N + i < 3 ? (b < I ? C - c : 0)
                                                                  : 0), thread);
                tk::stripe<tk::bf16, 1, 256, 32, 32, 8> t19;
                tk::map(t19, [](tk::bf16 t17, tk::bf16 t18) { return float(t17) + float(t18); },
                        t17, t18);
                tk::store_vectors(
                    tk::vector_slice<tk::no_axis, 2>(Behind, {b, i, c}, 1, b < F ? C - c : 0), t19,
                    thread);
            }
        }
    }
}

// causal_conv_general: kernel causal_conv with T = bf16, TW = bf16, W = 4, SILU = true, BC = 256,
// CHUNK = 64; any strides and alignment.
// 32 threads, 255 registers each: causal_conv_general_kernel<64>.
// causal_conv_short_general: kernel causal_conv with T = bf16, TW = bf16, W = 4, SILU = true, BC =
// 256, CHUNK = 16; any strides and alignment.
// 32 threads, 255 registers each: causal_conv_general_kernel<16>.
template <int CHUNK>
__global__ void __launch_bounds__(32, 1) causal_conv_general_kernel(
    const tk::tensor_argument<const tk::bf16, 3> X,
    const tk::tensor_argument<const tk::bf16, 2> Weight,
    const tk::tensor_argument<const tk::bf16, 1> Bias,
    const tk::tensor_argument<const tk::bf16, 3> Before, const tk::tensor_argument<tk::bf16, 3> Y,
    const tk::tensor_argument<tk::bf16, 3> Behind, int B, int N, int C, int CB, int I, int F) {
    tk::wait_for_previous_kernel();

    const int c_tiles = tk::tiles(C, 256);
    const int t_tiles = tk::tiles(tk::max(N, 1), CHUNK);
    const int warp = tk::warp_index();

    // causal_conv.tk:21: kernel causal_conv<T: dtype = bf16, TW: dtype = T, W: int = 4, SILU: ..
    if (warp == 0) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int c = program % c_tiles * 256;
        const int t = program / c_tiles % t_tiles * CHUNK;
        const int b = program / (c_tiles * t_tiles);

        // causal_conv.tk:26: let w: weights<BC> = {
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

        // causal_conv.tk:31: var x0 = T(f32(load(X[b, t.start - 3, c])) + load(Before[b, t.start ..
        tk::stripe<tk::bf16, 1, 256, 32, 32, 2> t5;
        tk::load_global(t5,
                        tk::slice<tk::no_axis, 2>(X, {b, t - 3, c}, 1,
                                                  t - 3 > -1 && t - 3 < N ? C - c : 0), thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 2> t6;
        tk::load_global(t6,
                        tk::slice<tk::no_axis, 2>(Before, {b, t, c}, 1,
                                                  t < 3 ? (b < I ? C - c : 0) : 0), thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 2> x0;
        tk::map(x0, [](tk::bf16 t5, tk::bf16 t6) { return float(t5) + float(t6); }, t5, t6);

        // causal_conv.tk:32: var x1 = T(f32(load(X[b, t.start - 2, c])) + load(Before[b, t.start ..
        tk::stripe<tk::bf16, 1, 256, 32, 32, 2> t7;
        tk::load_global(t7,
                        tk::slice<tk::no_axis, 2>(X, {b, t - 2, c}, 1,
                                                  t - 2 > -1 && t - 2 < N ? C - c : 0), thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 2> t8;
        tk::load_global(t8,
                        tk::slice<tk::no_axis, 2>(Before, {b, t + 4 - 3, c}, 1,
                                                  t + 4 - 3 > -1 && t + 4 - 3 < 3
                                                  ? (b < I ? C - c : 0) : 0), thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 2> x1;
        tk::map(x1, [](tk::bf16 t7, tk::bf16 t8) { return float(t7) + float(t8); }, t7, t8);

        // causal_conv.tk:33: var x2 = T(f32(load(X[b, t.start - 1, c])) + load(Before[b, t.start ..
        tk::stripe<tk::bf16, 1, 256, 32, 32, 2> t9;
        tk::load_global(t9,
                        tk::slice<tk::no_axis, 2>(X, {b, t - 1, c}, 1,
                                                  t - 1 > -1 && t - 1 < N ? C - c : 0), thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 2> t10;
        tk::load_global(t10,
                        tk::slice<tk::no_axis, 2>(Before, {b, t + 4 - 2, c}, 1,
                                                  t + 4 - 2 > -1 && t + 4 - 2 < 3
                                                  ? (b < I ? C - c : 0) : 0), thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 2> x2;
        tk::map(x2, [](tk::bf16 t9, tk::bf16 t10) { return float(t9) + float(t10); }, t9, t10);

        // causal_conv.tk:34: var a0: T[1, BC] = load(X[b, t.start, c]);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 2> a0;
        tk::load_global(a0, tk::slice<tk::no_axis, 2>(X, {b, t, c}, 1, t < N ? C - c : 0), thread);

        // causal_conv.tk:35: var a1: T[1, BC] = load(X[b, t.start + 1, c]);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 2> a1;
        tk::load_global(a1, tk::slice<tk::no_axis, 2>(X, {b, t + 1, c}, 1, t + 1 < N ? C - c : 0),
                        thread);

        // causal_conv.tk:36: var a2: T[1, BC] = load(X[b, t.start + 2, c]);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 2> a2;
        tk::load_global(a2, tk::slice<tk::no_axis, 2>(X, {b, t + 2, c}, 1, t + 2 < N ? C - c : 0),
                        thread);

        // causal_conv.tk:37: var a3: T[1, BC] = load(X[b, t.start + 3, c]);
        tk::stripe<tk::bf16, 1, 256, 32, 32, 2> a3;
        tk::load_global(a3, tk::slice<tk::no_axis, 2>(X, {b, t + 3, c}, 1, t + 3 < N ? C - c : 0),
                        thread);

        // causal_conv.tk:38: for n in t.start..t.end by 1 pipelined(4) {
        for (int n = t; n < t + CHUNK; n += 1) {
            // causal_conv.tk:39: let ahead = load(X[b, (if n + 4 < t.end { n + 4 } else { N }), ..
            tk::stripe<tk::bf16, 1, 256, 32, 32, 2> ahead;
            tk::load_global(ahead,
                            tk::slice<tk::no_axis, 2>(X, {b, n + 4 < t + CHUNK ? n + 4 : N, c}, 1,
                                                      (n + 4 < t + CHUNK ? n + 4 : N) > -1 &&
                                                      (n + 4 < t + CHUNK ? n + 4 : N) < N ? C - c
                                                      : 0), thread);

            // causal_conv.tk:15: var z = w.bias;
            tk::stripe<float, 1, 256, 32, 32, 2> z = w_bias;

            // causal_conv.tk:16: if W > 3 { z += w.w0 * x0; }
            tk::map(z, [](float z, float w_w0, tk::bf16 x0) { return tk::fma(w_w0, float(x0), z); },
                    z, w_w0, x0);

            // causal_conv.tk:17: if W > 2 { z += w.w1 * x1; }
            tk::map(z, [](float z, float w_w1, tk::bf16 x1) { return tk::fma(w_w1, float(x1), z); },
                    z, w_w1, x1);

            // causal_conv.tk:41: store(Y[b, n, c], T(if SILU { activation.silu(z) } else { z }));
            tk::stripe<tk::bf16, 1, 256, 32, 32, 2> t16;
            tk::map(t16, [](float w_w3, tk::bf16 a0, float w_w2, tk::bf16 x2, float z) {
                const float x = tk::fma(w_w3, float(a0), tk::fma(w_w2, float(x2), z));
                return tk::divide(x, 1.0f + tk::exp(-x));
            }, w_w3, a0, w_w2, x2, z);
            tk::store_global(tk::slice(Y, {b, n, c}, N - n, C - c), t16, thread);

            // causal_conv.tk:42: x0 = x1;
            x0 = x1;

            // causal_conv.tk:43: x1 = x2;
            x1 = x2;

            // causal_conv.tk:44: x2 = a0;
            x2 = a0;

            // causal_conv.tk:45: a0 = a1;
            a0 = a1;

            // causal_conv.tk:46: a1 = a2;
            a1 = a2;

            // causal_conv.tk:47: a2 = a3;
            a2 = a3;

            // causal_conv.tk:48: a3 = ahead;
            a3 = ahead;
        }

        // causal_conv.tk:50: if t.start == 0 {
        if (t == 0) {
            // causal_conv.tk:51: for i in W - 1 {
            for (int i = 0; i < 3; i += 1) {
                // causal_conv.tk:52: store(Behind[b, i, c], T(f32(load(X[b, N - (W - 1) + i, ..
                tk::stripe<tk::bf16, 1, 256, 32, 32, 2> t17;
                tk::load_global(t17,
                                tk::slice<tk::no_axis, 2>(X, {b, N - 3 + i, c}, 1,
                                                          N - 3 + i > -1 && N - 3 + i < N ? C - c
                                                          : 0), thread);
                tk::stripe<tk::bf16, 1, 256, 32, 32, 2> t18;
                tk::load_global(t18,
                                tk::slice<tk::no_axis, 2>(Before, {b, N + i, c}, 1,
                                                          N + i < 3 ? (b < I ? C - c : 0) : 0),
                                thread);
                tk::stripe<tk::bf16, 1, 256, 32, 32, 2> t19;
                tk::map(t19, [](tk::bf16 t17, tk::bf16 t18) { return float(t17) + float(t18); },
                        t17, t18);
                tk::store_global(tk::slice<tk::no_axis, 2>(Behind, {b, i, c}, 1, b < F ? C - c : 0),
                                 t19, thread);
            }
        }
    }
}

namespace {
int run_causal_conv(const char* function, tk::candidates offered, const DLTensor* X_given,
                    const DLTensor* Weight_given, const DLTensor* Bias_given,
                    const DLTensor* Before_given, DLTensor* Y_given, DLTensor* Behind_given,
                    cudaStream_t stream) {
    tk::arguments call{function};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor Weight = call.take("Weight", Weight_given, tk::dtype_bf16, 2,
                                        tk::access::read);
    const tk::tensor Bias = call.take("Bias", Bias_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor Before = call.take("Before", Before_given, tk::dtype_bf16, 3,
                                        tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 3, tk::access::write);
    const tk::tensor Behind = call.take("Behind", Behind_given, tk::dtype_bf16, 3,
                                        tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = X.shape[0];
    const int64_t N = X.shape[1];
    const int64_t C = X.shape[2];
    const int64_t CB = Bias.shape[0];
    const int64_t I = Before.shape[0];
    const int64_t F = Behind.shape[0];
    call.require(
        {tk::fixed_extent(Weight, 0, 4), tk::same_extent("C", X, 2, Weight, 1),
         tk::fixed_extent(Before, 1, 3), tk::same_extent("C", X, 2, Before, 2),
         tk::same_extent("B", X, 0, Y, 0), tk::same_extent("N", X, 1, Y, 1),
         tk::same_extent("C", X, 2, Y, 2), tk::fixed_extent(Behind, 1, 3),
         tk::same_extent("C", X, 2, Behind, 2),
         tk::extents_fit({{"B", B}, {"N", N}, {"C", C}, {"CB", CB}, {"I", I}, {"F", F}}),
         tk::that(F <= B, "`causal_conv` requires `F <= B`"),
         tk::that(CB == 0 || CB == C, "`causal_conv` requires `CB == 0 or CB == C`")});
    if (!call.ok()) return tk::finish(call.result());

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call, offered};
    choice.candidate();  // causal_conv
    choice.prefer(
        {tk::suits_fast(X, "C"), tk::whole_vectors(X, 8), tk::suits_fast(Weight, "C"),
         tk::suits_fast(Bias, "CB"), tk::suits_fast(Before, "C"), tk::suits_fast(Y, "C"),
         tk::suits_fast(Behind, "C")});
    choice.require({
        tk::grid_fits(
            tk::multiply(tk::ceil_div(C, 256), tk::larger(tk::ceil_div(tk::larger(N, 1), 64), 0)),
            2147483648)});
    choice.offer(
        tk::multiply(
            tk::multiply(tk::ceil_div(C, 256), tk::larger(tk::ceil_div(tk::larger(N, 1), 64), 0)),
            B), 9494, 2147483648);
    choice.candidate();  // causal_conv_short
    choice.prefer(
        {tk::suits_fast(X, "C"), tk::whole_vectors(X, 8), tk::suits_fast(Weight, "C"),
         tk::suits_fast(Bias, "CB"), tk::suits_fast(Before, "C"), tk::suits_fast(Y, "C"),
         tk::suits_fast(Behind, "C")});
    choice.require({
        tk::grid_fits(
            tk::multiply(tk::ceil_div(C, 256), tk::larger(tk::ceil_div(tk::larger(N, 1), 16), 0)),
            2147483648)});
    choice.offer(
        tk::multiply(
            tk::multiply(tk::ceil_div(C, 256), tk::larger(tk::ceil_div(tk::larger(N, 1), 16), 0)),
            B), 4118, 2147483648);
    choice.candidate(true);  // causal_conv_general
    choice.require({
        tk::grid_fits(
            tk::multiply(tk::ceil_div(C, 256), tk::larger(tk::ceil_div(tk::larger(N, 1), 64), 0)),
            2147483648)});
    choice.offer(
        tk::multiply(
            tk::multiply(tk::ceil_div(C, 256), tk::larger(tk::ceil_div(tk::larger(N, 1), 64), 0)),
            B), 9494, 2147483648);
    choice.candidate(true);  // causal_conv_short_general
    choice.require({
        tk::grid_fits(
            tk::multiply(tk::ceil_div(C, 256), tk::larger(tk::ceil_div(tk::larger(N, 1), 16), 0)),
            2147483648)});
    choice.offer(
        tk::multiply(
            tk::multiply(tk::ceil_div(C, 256), tk::larger(tk::ceil_div(tk::larger(N, 1), 16), 0)),
            B), 4118, 2147483648);
    if (!choice.ok()) return tk::finish(choice.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    const int best = choice.best(site);
    if (best == 0) {
        return tk::finish(tk::run<causal_conv_kernel<64>>(
            site, 0, tk::kernel_shape(32).overlapping(),
            tk::multiply(
                tk::multiply(tk::ceil_div(C, 256),
                             tk::larger(tk::ceil_div(tk::larger(N, 1), 64), 0)), B), X, Weight,
            Bias, Before, Y, Behind, B, N, C, CB, I, F));
    }
    if (best == 1) {
        return tk::finish(tk::run<causal_conv_kernel<16>>(
            site, 0, tk::kernel_shape(32).overlapping(),
            tk::multiply(
                tk::multiply(tk::ceil_div(C, 256),
                             tk::larger(tk::ceil_div(tk::larger(N, 1), 16), 0)), B), X, Weight,
            Bias, Before, Y, Behind, B, N, C, CB, I, F));
    }
    if (best == 2) {
        return tk::finish(tk::run<causal_conv_general_kernel<64>>(
            site, 0, tk::kernel_shape(32).overlapping(),
            tk::multiply(
                tk::multiply(tk::ceil_div(C, 256),
                             tk::larger(tk::ceil_div(tk::larger(N, 1), 64), 0)), B), X, Weight,
            Bias, Before, Y, Behind, B, N, C, CB, I, F));
    }
    return tk::finish(tk::run<causal_conv_general_kernel<16>>(
        site, 0, tk::kernel_shape(32).overlapping(),
        tk::multiply(
            tk::multiply(tk::ceil_div(C, 256), tk::larger(tk::ceil_div(tk::larger(N, 1), 16), 0)),
            B), X, Weight, Bias, Before, Y, Behind, B, N, C, CB, I, F));
}

}  // namespace

extern "C" {
int causal_conv(const DLTensor* X_given, const DLTensor* Weight_given, const DLTensor* Bias_given,
                const DLTensor* Before_given, DLTensor* Y_given, DLTensor* Behind_given, void*,
                size_t, cudaStream_t stream) {
    return run_causal_conv("causal_conv", {0, 1, 2, 3}, X_given, Weight_given, Bias_given,
                           Before_given, Y_given, Behind_given, stream);
}
TK_NO_WORKSPACE(causal_conv, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*, DLTensor*)

int causal_conv_short(const DLTensor* X_given, const DLTensor* Weight_given,
                      const DLTensor* Bias_given, const DLTensor* Before_given, DLTensor* Y_given,
                      DLTensor* Behind_given, void*, size_t, cudaStream_t stream) {
    return run_causal_conv("causal_conv_short", {1, 3}, X_given, Weight_given, Bias_given,
                           Before_given, Y_given, Behind_given, stream);
}
TK_NO_WORKSPACE(causal_conv_short, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*, DLTensor*)
}  // extern "C"
