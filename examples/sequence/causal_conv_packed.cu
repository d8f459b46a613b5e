// Made by tkc from causal_conv_packed.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/cells.cuh"
#include "tk/operations/integer.cuh"
#include "tk/tk.cuh"

// packed: kernel packed with T = bf16, TW = bf16, W = 4, SILU = true, BC = 256, CHUNK = 64.
// 32 threads, 128 registers each.
__global__ void __launch_bounds__(32, 16) packed_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X,
    const tk::tensor_argument<const tk::bf16, 2> Weight,
    const tk::tensor_argument<const tk::bf16, 1> Bias,
    const tk::tensor_argument<const tk::bf16, 3> Before,
    const tk::tensor_argument<const int, 1> start, const tk::tensor_argument<tk::bf16, 2> Y, int N,
    int C, int CB, int I, int P) {
    tk::wait_for_previous_kernel();

    const int c_tiles = tk::tiles(C, 256);
    const int warp = tk::warp_index();

    // causal_conv_packed.tk:10: kernel packed<T: dtype = bf16, TW: dtype = T, W: int = 4, SILU: ..
    if (warp == 0) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int c = program % c_tiles * 256;
        const int t = program / c_tiles * 64;

        // causal_conv_packed.tk:16: let w: causal_conv.weights<BC> = {
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

        // causal_conv_packed.tk:20: var past: i32[1, 1] = 0;
        tk::stripe<int, 1, 1, 32, 32, 8> past;
        tk::map(past, []() { return 0; });

        // causal_conv_packed.tk:21: var seen: i32[1, 1] = 0;
        tk::stripe<int, 1, 1, 32, 32, 8> seen;
        tk::map(seen, []() { return 0; });

        // causal_conv_packed.tk:22: for i in P by 128 {
        for (int i = 0; i < P; i += 128) {
            // causal_conv_packed.tk:23: let at = load(start[i]);
            tk::stripe<int, 1, 128, 32, 32, 8> at;
            tk::load_vectors(at, tk::dense_slice(start, {i}, 1, P - i), thread);

            // causal_conv_packed.tk:24: past += sum(pad(where(at <= t.start, 1, 0), axis = 1, ..
            tk::stripe<int, 1, 128, 32, 32, 8> t6;
            tk::map(t6, thread, [&](int, int col, int at) {
                return col < P - i ? (at <= t ? 1 : 0) : 0;
            }, at);
            tk::stripe<int, 1, 1, 32, 32, 8> t7;
            tk::fold_rows(t7, t6, tk::plus{}, thread);
            tk::finish_rows(t7, tk::plus{});
            tk::map(past, [](int past, int t7) { return tk::wrapping_add(past, t7); }, past, t7);

            // causal_conv_packed.tk:25: seen += sum(pad(where(at < t.end, 1, 0), axis = 1, with ..
            tk::stripe<int, 1, 128, 32, 32, 8> t8;
            tk::map(t8, thread, [&](int, int col, int at) {
                return col < P - i ? (at < t + 64 ? 1 : 0) : 0;
            }, at);
            tk::stripe<int, 1, 1, 32, 32, 8> t9;
            tk::fold_rows(t9, t8, tk::plus{}, thread);
            tk::finish_rows(t9, tk::plus{});
            tk::map(seen, [](int seen, int t9) { return tk::wrapping_add(seen, t9); }, seen, t9);
        }

        // causal_conv_packed.tk:27: for b in max(scalar(past) - 1, 0)..min(scalar(seen), P - 1) {
        const int number = past.cell(0);
        const int number_2 = seen.cell(0);
        tk::stripe<float, 1, 256, 32, 32, 8> z;
        for (int b = tk::max(tk::wrapping_subtract(number, 1), 0); b < tk::min(number_2, P - 1);
             b += 1) {
            // causal_conv_packed.tk:28: let from  = start[b];
            const int from = b < P ? tk::dense_cell(start, b) : int{};

            // causal_conv_packed.tk:29: let first = max(t.start, from);
            const int first = tk::max(t, from);

            // causal_conv_packed.tk:30: let end   = min(t.end, start[b + 1]);
            const int end = tk::min(t + 64, b + 1 < P ? tk::dense_cell(start, b + 1) : int{});

            // causal_conv_packed.tk:32: var x0 = T(f32(load(X[(if first - 3 >= from { first - 3 ..
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

            // causal_conv_packed.tk:33: var x1 = T(f32(load(X[(if first - 2 >= from { first - 2 ..
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

            // causal_conv_packed.tk:34: var x2 = T(f32(load(X[(if first - 1 >= from { first - 1 ..
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

            // causal_conv_packed.tk:35: var a0: T[1, BC] = load(X[first, c]);
            tk::stripe<tk::bf16, 1, 256, 32, 32, 8> a0;
            tk::load_vectors(a0,
                             tk::vector_slice<tk::no_axis, 1>(X, {first, c}, 1,
                                                              first < N ? C - c : 0), thread);

            // causal_conv_packed.tk:36: var a1: T[1, BC] = load(X[first + 1, c]);
            tk::stripe<tk::bf16, 1, 256, 32, 32, 8> a1;
            tk::load_vectors(a1,
                             tk::vector_slice<tk::no_axis, 1>(X, {first + 1, c}, 1,
                                                              first + 1 < N ? C - c : 0), thread);

            // causal_conv_packed.tk:37: var a2: T[1, BC] = load(X[first + 2, c]);
            tk::stripe<tk::bf16, 1, 256, 32, 32, 8> a2;
            tk::load_vectors(a2,
                             tk::vector_slice<tk::no_axis, 1>(X, {first + 2, c}, 1,
                                                              first + 2 < N ? C - c : 0), thread);

            // causal_conv_packed.tk:38: var a3: T[1, BC] = load(X[first + 3, c]);
            tk::stripe<tk::bf16, 1, 256, 32, 32, 8> a3;
            tk::load_vectors(a3,
                             tk::vector_slice<tk::no_axis, 1>(X, {first + 3, c}, 1,
                                                              first + 3 < N ? C - c : 0), thread);

            // causal_conv_packed.tk:39: for n in first..end by 1 pipelined(4) {
            #pragma unroll 4
            for (int n = first; n < end; n += 1) {
                // causal_conv_packed.tk:40: let ahead = load(X[(if n + 4 < end { n + 4 } else { ..
                tk::stripe<tk::bf16, 1, 256, 32, 32, 8> ahead;
                tk::load_vectors(ahead,
                                 tk::vector_slice<tk::no_axis, 1>(X, {n + 4 < end ? n + 4 : N, c},
                                                                  1,
                                                                  (n + 4 < end ? n + 4 : N) > -1 &&
                                                                  (n + 4 < end ? n + 4 : N) < N
                                                                  ? C - c : 0), thread);

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

                // causal_conv_packed.tk:42: store(Y[n, c], T(if SILU { activation.silu(z) } else ..
                tk::stripe<tk::bf16, 1, 256, 32, 32, 8> t21;
                tk::map(t21, [](float w_w3, tk::bf16 a0, float w_w2, tk::bf16 x2, float z) {
                    const float x = tk::fma(w_w3, float(a0), tk::fma(w_w2, float(x2), z));
                    return tk::divide(x, 1.0f + tk::exp(-x));
                }, w_w3, a0, w_w2, x2, z);
                tk::store_vectors(tk::vector_slice(Y, {n, c}, N - n, C - c), t21, thread);

                // causal_conv_packed.tk:43: x0 = x1;
                x0 = x1;

                // causal_conv_packed.tk:44: x1 = x2;
                x1 = x2;

                // causal_conv_packed.tk:45: x2 = a0;
                x2 = a0;

                // causal_conv_packed.tk:46: a0 = a1;
                a0 = a1;

                // causal_conv_packed.tk:47: a1 = a2;
                a1 = a2;

                // causal_conv_packed.tk:48: a2 = a3;
                a2 = a3;

                // causal_conv_packed.tk:49: a3 = ahead;
                a3 = ahead;
            }
        }
    }
}

// packed_general: kernel packed with T = bf16, TW = bf16, W = 4, SILU = true, BC = 256, CHUNK = 64;
// any strides and alignment.
// 32 threads, 255 registers each.
__global__ void __launch_bounds__(32, 1) packed_general_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X,
    const tk::tensor_argument<const tk::bf16, 2> Weight,
    const tk::tensor_argument<const tk::bf16, 1> Bias,
    const tk::tensor_argument<const tk::bf16, 3> Before,
    const tk::tensor_argument<const int, 1> start, const tk::tensor_argument<tk::bf16, 2> Y, int N,
    int C, int CB, int I, int P) {
    tk::wait_for_previous_kernel();

    const int c_tiles = tk::tiles(C, 256);
    const int warp = tk::warp_index();

    // causal_conv_packed.tk:10: kernel packed<T: dtype = bf16, TW: dtype = T, W: int = 4, SILU: ..
    if (warp == 0) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int c = program % c_tiles * 256;
        const int t = program / c_tiles * 64;

        // causal_conv_packed.tk:16: let w: causal_conv.weights<BC> = {
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

        // causal_conv_packed.tk:20: var past: i32[1, 1] = 0;
        tk::stripe<int, 1, 1, 32, 32, 2> past;
        tk::map(past, []() { return 0; });

        // causal_conv_packed.tk:21: var seen: i32[1, 1] = 0;
        tk::stripe<int, 1, 1, 32, 32, 2> seen;
        tk::map(seen, []() { return 0; });

        // causal_conv_packed.tk:22: for i in P by 128 {
        for (int i = 0; i < P; i += 128) {
            // causal_conv_packed.tk:23: let at = load(start[i]);
            tk::stripe<int, 1, 128, 32, 32, 2> at;
            tk::load_global(at, tk::slice(start, {i}, 1, P - i), thread);

            // causal_conv_packed.tk:24: past += sum(pad(where(at <= t.start, 1, 0), axis = 1, ..
            tk::stripe<int, 1, 128, 32, 32, 2> t6;
            tk::map(t6, thread, [&](int, int col, int at) {
                return col < P - i ? (at <= t ? 1 : 0) : 0;
            }, at);
            tk::stripe<int, 1, 1, 32, 32, 2> t7;
            tk::fold_rows(t7, t6, tk::plus{}, thread);
            tk::finish_rows(t7, tk::plus{});
            tk::map(past, [](int past, int t7) { return tk::wrapping_add(past, t7); }, past, t7);

            // causal_conv_packed.tk:25: seen += sum(pad(where(at < t.end, 1, 0), axis = 1, with ..
            tk::stripe<int, 1, 128, 32, 32, 2> t8;
            tk::map(t8, thread, [&](int, int col, int at) {
                return col < P - i ? (at < t + 64 ? 1 : 0) : 0;
            }, at);
            tk::stripe<int, 1, 1, 32, 32, 2> t9;
            tk::fold_rows(t9, t8, tk::plus{}, thread);
            tk::finish_rows(t9, tk::plus{});
            tk::map(seen, [](int seen, int t9) { return tk::wrapping_add(seen, t9); }, seen, t9);
        }

        // causal_conv_packed.tk:27: for b in max(scalar(past) - 1, 0)..min(scalar(seen), P - 1) {
        const int number = past.cell(0);
        const int number_2 = seen.cell(0);
        tk::stripe<float, 1, 256, 32, 32, 2> z;
        for (int b = tk::max(tk::wrapping_subtract(number, 1), 0); b < tk::min(number_2, P - 1);
             b += 1) {
            // causal_conv_packed.tk:28: let from  = start[b];
            const int from = b < P ? tk::cell(start, b) : int{};

            // causal_conv_packed.tk:29: let first = max(t.start, from);
            const int first = tk::max(t, from);

            // causal_conv_packed.tk:30: let end   = min(t.end, start[b + 1]);
            const int end = tk::min(t + 64, b + 1 < P ? tk::cell(start, b + 1) : int{});

            // causal_conv_packed.tk:32: var x0 = T(f32(load(X[(if first - 3 >= from { first - 3 ..
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

            // causal_conv_packed.tk:33: var x1 = T(f32(load(X[(if first - 2 >= from { first - 2 ..
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

            // causal_conv_packed.tk:34: var x2 = T(f32(load(X[(if first - 1 >= from { first - 1 ..
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

            // causal_conv_packed.tk:35: var a0: T[1, BC] = load(X[first, c]);
            tk::stripe<tk::bf16, 1, 256, 32, 32, 2> a0;
            tk::load_global(a0, tk::slice<tk::no_axis, 1>(X, {first, c}, 1, first < N ? C - c : 0),
                            thread);

            // causal_conv_packed.tk:36: var a1: T[1, BC] = load(X[first + 1, c]);
            tk::stripe<tk::bf16, 1, 256, 32, 32, 2> a1;
            tk::load_global(a1,
                            tk::slice<tk::no_axis, 1>(X, {first + 1, c}, 1,
                                                      first + 1 < N ? C - c : 0), thread);

            // causal_conv_packed.tk:37: var a2: T[1, BC] = load(X[first + 2, c]);
            tk::stripe<tk::bf16, 1, 256, 32, 32, 2> a2;
            tk::load_global(a2,
                            tk::slice<tk::no_axis, 1>(X, {first + 2, c}, 1,
                                                      first + 2 < N ? C - c : 0), thread);

            // causal_conv_packed.tk:38: var a3: T[1, BC] = load(X[first + 3, c]);
            tk::stripe<tk::bf16, 1, 256, 32, 32, 2> a3;
            tk::load_global(a3,
                            tk::slice<tk::no_axis, 1>(X, {first + 3, c}, 1,
                                                      first + 3 < N ? C - c : 0), thread);

            // causal_conv_packed.tk:39: for n in first..end by 1 pipelined(4) {
            for (int n = first; n < end; n += 1) {
                // causal_conv_packed.tk:40: let ahead = load(X[(if n + 4 < end { n + 4 } else { ..
                tk::stripe<tk::bf16, 1, 256, 32, 32, 2> ahead;
                tk::load_global(ahead,
                                tk::slice<tk::no_axis, 1>(X, {n + 4 < end ? n + 4 : N, c}, 1,
                                                          (n + 4 < end ? n + 4 : N) > -1 &&
                                                          (n + 4 < end ? n + 4 : N) < N ? C - c
                                                          : 0), thread);

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

                // causal_conv_packed.tk:42: store(Y[n, c], T(if SILU { activation.silu(z) } else ..
                tk::stripe<tk::bf16, 1, 256, 32, 32, 2> t21;
                tk::map(t21, [](float w_w3, tk::bf16 a0, float w_w2, tk::bf16 x2, float z) {
                    const float x = tk::fma(w_w3, float(a0), tk::fma(w_w2, float(x2), z));
                    return tk::divide(x, 1.0f + tk::exp(-x));
                }, w_w3, a0, w_w2, x2, z);
                tk::store_global(tk::slice(Y, {n, c}, N - n, C - c), t21, thread);

                // causal_conv_packed.tk:43: x0 = x1;
                x0 = x1;

                // causal_conv_packed.tk:44: x1 = x2;
                x1 = x2;

                // causal_conv_packed.tk:45: x2 = a0;
                x2 = a0;

                // causal_conv_packed.tk:46: a0 = a1;
                a0 = a1;

                // causal_conv_packed.tk:47: a1 = a2;
                a1 = a2;

                // causal_conv_packed.tk:48: a2 = a3;
                a2 = a3;

                // causal_conv_packed.tk:49: a3 = ahead;
                a3 = ahead;
            }
        }
    }
}

// last_tokens: kernel last_tokens with T = bf16, W = 4, BC = 256.
// 32 threads, 64 registers each: last_tokens_kernel<32, 8, true>.
// last_tokens_general: kernel last_tokens with T = bf16, W = 4, BC = 256; any strides and
// alignment.
// 32 threads, 255 registers each: last_tokens_kernel<1, 2, false>.
template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(32, blocks) last_tokens_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X,
    const tk::tensor_argument<const tk::bf16, 3> Before,
    const tk::tensor_argument<const int, 1> start, const tk::tensor_argument<tk::bf16, 3> Behind,
    int N, int C, int I, int P, int F) {
    tk::wait_for_previous_kernel();

    const int c_tiles = tk::tiles(C, 256);
    const int warp = tk::warp_index();

    // causal_conv_packed.tk:55: kernel last_tokens<T: dtype = bf16, W: int = 4, schedule BC: int ..
    if (warp == 0) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int c = program % c_tiles * 256;
        const int i = program / c_tiles % 3;
        const int b = program / (c_tiles * 3);

        // causal_conv_packed.tk:61: let tokens = start[b + 1] - start[b];
        const int tokens = tk::wrapping_subtract(tk::cell(start, b + 1), tk::cell(start, b));

        // causal_conv_packed.tk:62: let at     = tokens - (W - 1) + i;
        const int at = tk::wrapping_add(tk::wrapping_subtract(tokens, 3), i);

        // causal_conv_packed.tk:63: store(Behind[b, i, c], T(f32(load(X[(if at >= 0 { start[b] + ..
        tk::stripe<tk::bf16, 1, 256, 32, 32, vector> t0;
        tk::load_slice<vectors>(
            t0,
            tk::slice_if_vectors<vectors, tk::no_axis, 1>(X,
                                                          {at >= 0
                                                           ? tk::wrapping_add(tk::cell(start, b),
                                                                              at) : N, c}, 1,
                                                          (at >= 0
                                                           ? tk::wrapping_add(tk::cell(start, b),
                                                                              at) : N) > -1 &&
                                                          (at >= 0
                                                           ? tk::wrapping_add(tk::cell(start, b),
                                                                              at) : N) < N ? C - c
                                                          : 0), thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, vector> t1;
        tk::load_slice<vectors>(
            t1,
            tk::slice_if_vectors<vectors, tk::no_axis, 2>(Before,
                                                          {b, tk::wrapping_add(tokens, i), c}, 1,
                                                          tk::wrapping_add(tokens, i) > -1 &&
                                                          tk::wrapping_add(tokens, i) < 3
                                                          ? (b < I ? C - c : 0) : 0), thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, vector> t2;
        tk::map(t2, [](tk::bf16 t0, tk::bf16 t1) { return float(t0) + float(t1); }, t0, t1);
        tk::store_slice<vectors>(
            tk::slice_if_vectors<vectors, tk::no_axis, 2>(Behind, {b, i, c}, 1, C - c), t2, thread);
    }
}

namespace {
tk::status launch_packed(const tk::launch_site& site, const tk::tensor& X, const tk::tensor& Weight,
                         const tk::tensor& Bias, const tk::tensor& Before, const tk::tensor& start,
                         const tk::tensor& Y, int64_t N, int64_t C, int64_t CB, int64_t I,
                         int64_t P) {
    return tk::run<packed_kernel>(site, 0, tk::kernel_shape(32).overlapping(),
                                  tk::multiply(tk::ceil_div(C, 256), tk::ceil_div(N, 64)), X,
                                  Weight, Bias, Before, start, Y, N, C, CB, I, P);
}

tk::status launch_packed_general(
    const tk::launch_site& site, const tk::tensor& X, const tk::tensor& Weight,
    const tk::tensor& Bias, const tk::tensor& Before, const tk::tensor& start, const tk::tensor& Y,
    int64_t N, int64_t C, int64_t CB, int64_t I, int64_t P) {
    return tk::run<packed_general_kernel>(site, 0, tk::kernel_shape(32).overlapping(),
                                          tk::multiply(tk::ceil_div(C, 256), tk::ceil_div(N, 64)),
                                          X, Weight, Bias, Before, start, Y, N, C, CB, I, P);
}

tk::status launch_last_tokens(const tk::launch_site& site, const tk::tensor& X,
                              const tk::tensor& Before, const tk::tensor& start,
                              const tk::tensor& Behind, int64_t N, int64_t C, int64_t I, int64_t P,
                              int64_t F) {
    return tk::run<last_tokens_kernel<32, 8, true>>(site, 0, tk::kernel_shape(32).overlapping(),
                                                    tk::multiply(tk::ceil_div(C, 256) * 3, F), X,
                                                    Before, start, Behind, N, C, I, P, F);
}

tk::status launch_last_tokens_general(const tk::launch_site& site, const tk::tensor& X,
                                      const tk::tensor& Before, const tk::tensor& start,
                                      const tk::tensor& Behind, int64_t N, int64_t C, int64_t I,
                                      int64_t P, int64_t F) {
    return tk::run<last_tokens_kernel<1, 2, false>>(site, 0, tk::kernel_shape(32).overlapping(),
                                                    tk::multiply(tk::ceil_div(C, 256) * 3, F), X,
                                                    Before, start, Behind, N, C, I, P, F);
}

}  // namespace

extern "C" {
int packed(const DLTensor* X_given, const DLTensor* Weight_given, const DLTensor* Bias_given,
           const DLTensor* Before_given, const DLTensor* start_given, DLTensor* Y_given, void*,
           size_t, cudaStream_t stream) {
    tk::arguments call{"packed"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Weight = call.take("Weight", Weight_given, tk::dtype_bf16, 2,
                                        tk::access::read);
    const tk::tensor Bias = call.take("Bias", Bias_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor Before = call.take("Before", Before_given, tk::dtype_bf16, 3,
                                        tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t N = X.shape[0];
    const int64_t C = X.shape[1];
    const int64_t CB = Bias.shape[0];
    const int64_t I = Before.shape[0];
    const int64_t P = start.shape[0];
    call.require(
        {tk::fixed_extent(Weight, 0, 4), tk::same_extent("C", X, 1, Weight, 1),
         tk::fixed_extent(Before, 1, 3), tk::same_extent("C", X, 1, Before, 2),
         tk::same_extent("N", X, 0, Y, 0), tk::same_extent("C", X, 1, Y, 1),
         tk::extents_fit({{"N", N}, {"C", C}, {"CB", CB}, {"I", I}, {"P", P}}),
         tk::that(P >= 1, "`packed` requires `P >= 1`"),
         tk::that(CB == 0 || CB == C, "`packed` requires `CB == 0 or CB == C`"),
         tk::grid_fits(tk::multiply(tk::ceil_div(C, 256), tk::ceil_div(N, 64)), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::ceil_div(C, 256), tk::ceil_div(N, 64));
    const bool fast = tk::hold(
        {tk::suits_fast(X, "C"), tk::whole_vectors(X, 8), tk::suits_fast(Weight, "C"),
         tk::suits_fast(Bias, "CB"), tk::suits_fast(Before, "C"), tk::suits_fast(start, "P"),
         tk::suits_fast(Y, "C")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<packed_kernel, packed_general_kernel>(
        fast ? 0 : 1, site, 0, tk::kernel_shape(32).overlapping(), programs, X, Weight, Bias,
        Before, start, Y, N, C, CB, I, P));
}
TK_NO_WORKSPACE(packed, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)

int last_tokens(const DLTensor* X_given, const DLTensor* Before_given, const DLTensor* start_given,
                DLTensor* Behind_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"last_tokens"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Before = call.take("Before", Before_given, tk::dtype_bf16, 3,
                                        tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Behind = call.take("Behind", Behind_given, tk::dtype_bf16, 3,
                                        tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t N = X.shape[0];
    const int64_t C = X.shape[1];
    const int64_t I = Before.shape[0];
    const int64_t P = start.shape[0];
    const int64_t F = Behind.shape[0];
    call.require(
        {tk::fixed_extent(Before, 1, 3), tk::same_extent("C", X, 1, Before, 2),
         tk::fixed_extent(Behind, 1, 3), tk::same_extent("C", X, 1, Behind, 2),
         tk::extents_fit({{"N", N}, {"C", C}, {"I", I}, {"P", P}, {"F", F}}),
         tk::that(F < P, "`last_tokens` requires `F < P`"),
         tk::grid_fits(tk::multiply(tk::ceil_div(C, 256) * 3, F), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::ceil_div(C, 256) * 3, F);
    const bool fast = tk::hold(
        {tk::suits_fast(X, "C"), tk::whole_vectors(X, 8), tk::suits_fast(Before, "C"),
         tk::suits_fast(Behind, "C")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<last_tokens_kernel<32, 8, true>, last_tokens_kernel<1, 2, false>>(
            fast ? 0 : 1, site, 0, tk::kernel_shape(32).overlapping(), programs, X, Before, start,
            Behind, N, C, I, P, F));
}
TK_NO_WORKSPACE(last_tokens, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*)

int causal_conv_packed(const DLTensor* X_given, const DLTensor* Weight_given,
                       const DLTensor* Bias_given, const DLTensor* Before_given,
                       const DLTensor* start_given, DLTensor* Y_given, DLTensor* Behind_given,
                       void*, size_t, cudaStream_t stream) {
    tk::arguments call{"causal_conv_packed"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Weight = call.take("Weight", Weight_given, tk::dtype_bf16, 2,
                                        tk::access::read);
    const tk::tensor Bias = call.take("Bias", Bias_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor Before = call.take("Before", Before_given, tk::dtype_bf16, 3,
                                        tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor Behind = call.take("Behind", Behind_given, tk::dtype_bf16, 3,
                                        tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t N = X.shape[0];
    const int64_t C = X.shape[1];
    const int64_t CB = Bias.shape[0];
    const int64_t I = Before.shape[0];
    const int64_t P = start.shape[0];
    const int64_t F = Behind.shape[0];
    call.require(
        {tk::fixed_extent(Weight, 0, 4), tk::same_extent("C", X, 1, Weight, 1),
         tk::fixed_extent(Before, 1, 3), tk::same_extent("C", X, 1, Before, 2),
         tk::same_extent("N", X, 0, Y, 0), tk::same_extent("C", X, 1, Y, 1),
         tk::fixed_extent(Behind, 1, 3), tk::same_extent("C", X, 1, Behind, 2),
         tk::extents_fit({{"N", N}, {"C", C}, {"CB", CB}, {"I", I}, {"P", P}, {"F", F}}),
         tk::that(F < P, "`causal_conv_packed` requires `F < P`"),
         tk::that(CB == 0 || CB == C, "`causal_conv_packed` requires `CB == 0 or CB == C`")});
    // packed(X, Weight, Bias, Before, start, Y)
    call.require(
        {tk::that(P >= 1, "`packed` requires `P >= 1`"),
         tk::grid_fits(tk::multiply(tk::ceil_div(C, 256), tk::ceil_div(N, 64)), 2147483648)});
    // last_tokens(X, Before, start, Behind)
    call.require({tk::grid_fits(tk::multiply(tk::ceil_div(C, 256) * 3, F), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());

    // packed(X, Weight, Bias, Before, start, Y)
    const bool choice_1 = tk::hold(
        {tk::suits_fast(X, "C"), tk::whole_vectors(X, 8), tk::suits_fast(Weight, "C"),
         tk::suits_fast(Bias, "CB"), tk::suits_fast(Before, "C"), tk::suits_fast(start, "P"),
         tk::suits_fast(Y, "C")});

    // last_tokens(X, Before, start, Behind)
    const bool choice_2 = tk::hold(
        {tk::suits_fast(X, "C"), tk::whole_vectors(X, 8), tk::suits_fast(Before, "C"),
         tk::suits_fast(Behind, "C")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1) {
        TK_FINISH_IF_FAILED(launch_packed(site, X, Weight, Bias, Before, start, Y, N, C, CB, I, P));
    } else {
        TK_FINISH_IF_FAILED(
            launch_packed_general(site, X, Weight, Bias, Before, start, Y, N, C, CB, I, P));
    }
    if (choice_2) {
        TK_FINISH_IF_FAILED(launch_last_tokens(site, X, Before, start, Behind, N, C, I, P, F));
    } else {
        TK_FINISH_IF_FAILED(
            launch_last_tokens_general(site, X, Before, start, Behind, N, C, I, P, F));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(causal_conv_packed, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, DLTensor*, DLTensor*)
}  // extern "C"
