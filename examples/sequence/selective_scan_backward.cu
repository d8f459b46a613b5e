// Made by tkc from selective_scan_backward.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/integer.cuh"
#include "tk/operations/slice_tile.cuh"
#include "tk/tk.cuh"

// ends: kernel ends with T = bf16, TD = bf16, TB = f32, S = 16, GATED = false, SOFTPLUS = true, SEG
// = 512.
// 32 threads, 128 registers each: ends_kernel<16, 8, true>.
// ends_general: kernel ends with T = bf16, TD = bf16, TB = f32, S = 16, GATED = false, SOFTPLUS =
// true, SEG = 512; any strides and alignment.
// 32 threads, 255 registers each: ends_kernel<1, 2, false>.
template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(32, blocks) ends_kernel(
    const tk::tensor_argument<const tk::bf16, 4> Dt, const tk::tensor_argument<const float, 3> A,
    const tk::tensor_argument<const float, 4> C, const tk::tensor_argument<const float, 2> bias,
    const tk::tensor_argument<const tk::bf16, 4> dY, const tk::tensor_argument<float, 5> End,
    const tk::tensor_argument<float, 4> Left, int B, int G, int CG, int L) {
    tk::wait_for_previous_kernel();

    const int d_tiles = tk::tiles(CG, 32);
    const int s_tiles = tk::tiles(L, 512);
    const int warp = tk::warp_index();

    // selective_scan_backward.tk:83: kernel ends<T: dtype = bf16, TD: dtype = T, TB: dtype = ..
    if (warp == 0) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int d = program % d_tiles * 32;
        const int g = program / d_tiles % G;
        const int s = program / (d_tiles * G) % s_tiles * 512;
        const int b = program / (d_tiles * G * s_tiles);

        // selective_scan_backward.tk:89: let a   = load(A[g, d, :]) * LOG2E;
        tk::stripe<float, 32, 16, 32, 1, vector> t0;
        tk::load_slice<vectors>(t0, tk::slice_if_dense<vectors>(A, {g, d, 0}, CG - d, 16), thread);
        tk::stripe<float, 32, 16, 32, 1, vector> a;
        tk::map(a, [](float t0) { return t0 * 1.442695f; }, t0);

        // selective_scan_backward.tk:90: let add = column(load(bias[g, d]));
        tk::stripe<float, 32, 1, 32, 1, vector> add;
        tk::load_global(add, tk::slice<1, tk::no_axis>(bias, {g, d}, CG - d, 1), thread);

        // selective_scan_backward.tk:91: var r: f32[32, S] = 0;
        tk::stripe<float, 32, 16, 32, 1, vector> r;
        tk::zero(r);

        // selective_scan_backward.tk:92: var steps: f32[32, 1] = 0;
        tk::stripe<float, 32, 1, 32, 1, vector> steps;
        tk::zero(steps);

        // selective_scan_backward.tk:93: for t in reversed s.start..min(s.end, L) by 8 {
        for (int t = s + (tk::divide_up(tk::min(s + 512, L) - s, 8) - 1) * 8; t >= s; t -= 8) {
            // selective_scan_backward.tk:94: let dt = ..
            tk::stripe<tk::bf16, 32, 8, 32, 1, vector> t2;
            tk::load_slice<vectors>(
                t2, tk::slice_if_vectors<vectors>(Dt, {b, g, d, t}, CG - d, L - t), thread);
            tk::stripe<float, 32, 8, 32, 1, vector> dt;
            tk::map(dt, thread, [&](int row, int col, tk::bf16 t2, float add) {
                const float x = col < L - t ? float(t2) + add : -INFINITY;
                const float x_2 = tk::exp(-tk::abs(x));
                const float x_3 = tk::divide(x_2, 2.0f + x_2);
                const float x_4 = x_3 * x_3;
                return row < CG - d ? tk::fma(
                    2.0f * x_3,
                    tk::fma(x_4,
                            tk::fma(x_4,
                                    tk::fma(x_4,
                                            tk::fma(x_4,
                                                    tk::fma(x_4,
                                                            tk::fma(x_4, tk::divide(1.0f, 13.0f),
                                                                    tk::divide(1.0f, 11.0f)),
                                                            tk::divide(1.0f, 9.0f)),
                                                    tk::divide(1.0f, 7.0f)),
                                            tk::divide(1.0f, 5.0f)), tk::divide(1.0f, 3.0f)), 1.0f),
                    tk::max(x, 0.0f)) : 0.0f;
            }, t2, add);

            // selective_scan_backward.tk:95: let dy = ungated(f32(load(dY[b, g, d, t])), if ..
            tk::stripe<tk::bf16, 32, 8, 32, 1, vector> t3;
            tk::load_slice<vectors>(
                t3, tk::slice_if_vectors<vectors>(dY, {b, g, d, t}, CG - d, L - t), thread);
            tk::stripe<float, 32, 8, 32, 1, vector> dy = tk::convert<float>(t3);

            // selective_scan_backward.tk:96: r = exp2(dt[:, 7 +: 1] * a) * (r + dy[:, 7 +: 1] * ..
            tk::stripe<float, 32, 1, 32, 1, vector> t4;
            tk::slice_registers<0, 7>(t4, dt);
            tk::stripe<float, 32, 1, 32, 1, vector> t5;
            tk::slice_registers<0, 7>(t5, dy);
            tk::stripe<float, 1, 16, 32, 1, vector> t6;
            tk::load_slice<vectors>(
                t6,
                tk::slice_if_dense<vectors, tk::no_axis, 3>(C, {b, g, t + 7, 0}, 1,
                                                            t + 7 < L ? 16 : 0), thread);
            tk::map(r, [](float t4, float a, float r, float t5, float t6) {
                return tk::exp2(t4 * a) * tk::fma(t5, t6, r);
            }, t4, a, r, t5, t6);

            // selective_scan_backward.tk:97: r = exp2(dt[:, 6 +: 1] * a) * (r + dy[:, 6 +: 1] * ..
            tk::stripe<float, 32, 1, 32, 1, vector> t7;
            tk::slice_registers<0, 6>(t7, dt);
            tk::stripe<float, 32, 1, 32, 1, vector> t8;
            tk::slice_registers<0, 6>(t8, dy);
            tk::stripe<float, 1, 16, 32, 1, vector> t9;
            tk::load_slice<vectors>(
                t9,
                tk::slice_if_dense<vectors, tk::no_axis, 3>(C, {b, g, t + 6, 0}, 1,
                                                            t + 6 < L ? 16 : 0), thread);
            tk::map(r, [](float t7, float a, float r, float t8, float t9) {
                return tk::exp2(t7 * a) * tk::fma(t8, t9, r);
            }, t7, a, r, t8, t9);

            // selective_scan_backward.tk:98: r = exp2(dt[:, 5 +: 1] * a) * (r + dy[:, 5 +: 1] * ..
            tk::stripe<float, 32, 1, 32, 1, vector> t10;
            tk::slice_registers<0, 5>(t10, dt);
            tk::stripe<float, 32, 1, 32, 1, vector> t11;
            tk::slice_registers<0, 5>(t11, dy);
            tk::stripe<float, 1, 16, 32, 1, vector> t12;
            tk::load_slice<vectors>(
                t12,
                tk::slice_if_dense<vectors, tk::no_axis, 3>(C, {b, g, t + 5, 0}, 1,
                                                            t + 5 < L ? 16 : 0), thread);
            tk::map(r, [](float t10, float a, float r, float t11, float t12) {
                return tk::exp2(t10 * a) * tk::fma(t11, t12, r);
            }, t10, a, r, t11, t12);

            // selective_scan_backward.tk:99: r = exp2(dt[:, 4 +: 1] * a) * (r + dy[:, 4 +: 1] * ..
            tk::stripe<float, 32, 1, 32, 1, vector> t13;
            tk::slice_registers<0, 4>(t13, dt);
            tk::stripe<float, 32, 1, 32, 1, vector> t14;
            tk::slice_registers<0, 4>(t14, dy);
            tk::stripe<float, 1, 16, 32, 1, vector> t15;
            tk::load_slice<vectors>(
                t15,
                tk::slice_if_dense<vectors, tk::no_axis, 3>(C, {b, g, t + 4, 0}, 1,
                                                            t + 4 < L ? 16 : 0), thread);
            tk::map(r, [](float t13, float a, float r, float t14, float t15) {
                return tk::exp2(t13 * a) * tk::fma(t14, t15, r);
            }, t13, a, r, t14, t15);

            // selective_scan_backward.tk:100: r = exp2(dt[:, 3 +: 1] * a) * (r + dy[:, 3 +: 1] * ..
            tk::stripe<float, 32, 1, 32, 1, vector> t16;
            tk::slice_registers<0, 3>(t16, dt);
            tk::stripe<float, 32, 1, 32, 1, vector> t17;
            tk::slice_registers<0, 3>(t17, dy);
            tk::stripe<float, 1, 16, 32, 1, vector> t18;
            tk::load_slice<vectors>(
                t18,
                tk::slice_if_dense<vectors, tk::no_axis, 3>(C, {b, g, t + 3, 0}, 1,
                                                            t + 3 < L ? 16 : 0), thread);
            tk::map(r, [](float t16, float a, float r, float t17, float t18) {
                return tk::exp2(t16 * a) * tk::fma(t17, t18, r);
            }, t16, a, r, t17, t18);

            // selective_scan_backward.tk:101: r = exp2(dt[:, 2 +: 1] * a) * (r + dy[:, 2 +: 1] * ..
            tk::stripe<float, 32, 1, 32, 1, vector> t19;
            tk::slice_registers<0, 2>(t19, dt);
            tk::stripe<float, 32, 1, 32, 1, vector> t20;
            tk::slice_registers<0, 2>(t20, dy);
            tk::stripe<float, 1, 16, 32, 1, vector> t21;
            tk::load_slice<vectors>(
                t21,
                tk::slice_if_dense<vectors, tk::no_axis, 3>(C, {b, g, t + 2, 0}, 1,
                                                            t + 2 < L ? 16 : 0), thread);
            tk::map(r, [](float t19, float a, float r, float t20, float t21) {
                return tk::exp2(t19 * a) * tk::fma(t20, t21, r);
            }, t19, a, r, t20, t21);

            // selective_scan_backward.tk:102: r = exp2(dt[:, 1 +: 1] * a) * (r + dy[:, 1 +: 1] * ..
            tk::stripe<float, 32, 1, 32, 1, vector> t22;
            tk::slice_registers<0, 1>(t22, dt);
            tk::stripe<float, 32, 1, 32, 1, vector> t23;
            tk::slice_registers<0, 1>(t23, dy);
            tk::stripe<float, 1, 16, 32, 1, vector> t24;
            tk::load_slice<vectors>(
                t24,
                tk::slice_if_dense<vectors, tk::no_axis, 3>(C, {b, g, t + 1, 0}, 1,
                                                            t + 1 < L ? 16 : 0), thread);
            tk::map(r, [](float t22, float a, float r, float t23, float t24) {
                return tk::exp2(t22 * a) * tk::fma(t23, t24, r);
            }, t22, a, r, t23, t24);

            // selective_scan_backward.tk:103: r = exp2(dt[:, 0 +: 1] * a) * (r + dy[:, 0 +: 1] * ..
            tk::stripe<float, 32, 1, 32, 1, vector> t25;
            tk::slice_registers<0, 0>(t25, dt);
            tk::stripe<float, 32, 1, 32, 1, vector> t26;
            tk::slice_registers<0, 0>(t26, dy);
            tk::stripe<float, 1, 16, 32, 1, vector> t27;
            tk::load_slice<vectors>(t27,
                                    tk::slice_if_dense<vectors, tk::no_axis, 3>(C, {b, g, t, 0}, 1,
                                                                                t < L ? 16 : 0),
                                    thread);
            tk::map(r, [](float t25, float a, float r, float t26, float t27) {
                return tk::exp2(t25 * a) * tk::fma(t26, t27, r);
            }, t25, a, r, t26, t27);

            // selective_scan_backward.tk:104: steps += sum(dt, axis = 1);
            tk::stripe<float, 32, 1, 32, 1, vector> t28;
            tk::fold_rows(t28, dt, tk::plus{}, thread);
            tk::map(steps, [](float steps, float t28) { return steps + t28; }, steps, t28);
        }

        // selective_scan_backward.tk:106: store(End[b, s.index, g, d, :], r);
        tk::store_slice<vectors>(
            tk::slice_if_dense<vectors>(End, {b, s / 512, g, d, 0},
                                        s / 512 < tk::divide_up(L, 512) ? CG - d : 0, 16), r,
            thread);

        // selective_scan_backward.tk:107: store(Left[b, s.index, g, d], steps);
        tk::stripe<float, 32, 1, 32, 1, vector> t1 = steps;
        tk::finish_rows(t1, tk::plus{});
        tk::store_global(
            tk::slice<3, tk::no_axis>(Left, {b, s / 512, g, d},
                                      s / 512 < tk::divide_up(L, 512) ? CG - d : 0, 1), t1, thread);
    }
}

// behind: kernel behind with S = 16.
// 32 threads, 72 registers each: behind_kernel<28, 4, 4, true>.
// behind_general: kernel behind with S = 16; any strides and alignment.
// 32 threads, 255 registers each: behind_kernel<1, 8, 2, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(32, blocks) behind_kernel(
    const tk::tensor_argument<const float, 3> A, const tk::tensor_argument<const float, 4> dState,
    const tk::tensor_argument<const float, 5> End, const tk::tensor_argument<const float, 4> Left,
    const tk::tensor_argument<float, 5> Behind, const tk::tensor_argument<float, 4> dS0, int G,
    int CG, int F, int B, int P, int I) {
    tk::wait_for_previous_kernel();

    const int d_tiles = tk::tiles(CG, 32);
    const int warp = tk::warp_index();

    // selective_scan_backward.tk:111: kernel behind<S: int = 16>(A: f32[G, CG, S], dState: ..
    if (warp == 0) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int d = program % d_tiles * 32;
        const int g = program / d_tiles % G;
        const int b = program / (d_tiles * G);

        // selective_scan_backward.tk:116: let a = load(A[g, d, :]) * LOG2E;
        tk::stripe<float, 32, 16, 32, row_threads, vector> t0;
        tk::load_slice<vectors>(t0, tk::slice_if_dense<vectors>(A, {g, d, 0}, CG - d, 16), thread);
        tk::stripe<float, 32, 16, 32, row_threads, vector> a;
        tk::map(a, [](float t0) { return t0 * 1.442695f; }, t0);

        // selective_scan_backward.tk:117: var r = load(dState[b, g, d, :]);
        tk::stripe<float, 32, 16, 32, row_threads, vector> r;
        tk::load_slice<vectors>(
            r, tk::slice_if_dense<vectors>(dState, {b, g, d, 0}, b < F ? CG - d : 0, 16), thread);

        // selective_scan_backward.tk:118: for p in reversed P {
        for (int p = P - 1; p >= 0; p -= 1) {
            // selective_scan_backward.tk:119: store(Behind[b, p, g, d, :], r);
            tk::store_slice<vectors>(
                tk::slice_if_dense<vectors>(Behind, {b, p, g, d, 0}, CG - d, 16), r, thread);

            // selective_scan_backward.tk:120: r = load(End[b, p, g, d, :]) + exp2(a * ..
            tk::stripe<float, 32, 16, 32, row_threads, vector> t2;
            tk::load_slice<vectors>(
                t2, tk::slice_if_dense<vectors>(End, {b, p, g, d, 0}, CG - d, 16), thread);
            tk::stripe<float, 32, 1, 32, row_threads, vector> t3;
            tk::load_global(t3, tk::slice<3, tk::no_axis>(Left, {b, p, g, d}, CG - d, 1), thread);
            tk::map(r, [](float t2, float a, float t3, float r) {
                return tk::fma(tk::exp2(a * t3), r, t2);
            }, t2, a, t3, r);
        }

        // selective_scan_backward.tk:122: store(dS0[b, g, d, :], r);
        tk::store_slice<vectors>(
            tk::slice_if_dense<vectors>(dS0, {b, g, d, 0}, b < I ? CG - d : 0, 16), r, thread);
    }
}

// segments: kernel segments with T = bf16, TD = bf16, TB = f32, S = 16, GATED = false, SOFTPLUS =
// true, SEG = 512.
// 32 threads, 255 registers each, 7168 bytes of shared memory: segments_kernel<8, 8, true>.
// segments_general: kernel segments with T = bf16, TD = bf16, TB = f32, S = 16, GATED = false,
// SOFTPLUS = true, SEG = 512; any strides and alignment.
// 32 threads, 255 registers each, 7168 bytes of shared memory: segments_kernel<1, 2, false>.
struct segments_shared {
    tk::shared_tile<float, 32, 8> segments_da0[1];
    tk::shared_tile<float, 32, 8> segments_da1[1];
    tk::shared_tile<float, 32, 8> segments_r0[1];
    tk::shared_tile<float, 32, 8> segments_r1[1];
    tk::shared_tile<float, 8, 16> segments_bt[1];
    tk::shared_tile<float, 8, 16> segments_ct[1];
    tk::shared_tile<float, 8, 16> segments_bt_2[1];
    tk::shared_tile<float, 8, 16> segments_ct_2[1];
    tk::shared_tile<float, 1, 8> segments_f32_rows_8[1];
};
static_assert(offsetof(segments_shared, segments_f32_rows_8) == 6144);

template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(32, blocks) segments_kernel(
    const tk::tensor_argument<const tk::bf16, 4> U, const tk::tensor_argument<const tk::bf16, 4> Dt,
    const tk::tensor_argument<const float, 3> A, const tk::tensor_argument<const float, 4> Bm,
    const tk::tensor_argument<const float, 4> C, const tk::tensor_argument<const float, 2> D,
    const tk::tensor_argument<const float, 2> bias, const tk::tensor_argument<const tk::bf16, 4> dY,
    const tk::tensor_argument<const float, 5> Saved,
    const tk::tensor_argument<const float, 5> Behind, const tk::tensor_argument<float, 5> Kept,
    const tk::tensor_argument<tk::bf16, 4> dU, const tk::tensor_argument<tk::bf16, 4> dDt,
    const tk::tensor_argument<tk::bf16, 4> dZ, const tk::tensor_argument<float, 5> Part,
    const tk::tensor_argument<float, 5> ofA, const tk::tensor_argument<float, 4> ofD,
    const tk::tensor_argument<float, 4> ofBias, int B, int G, int CG, int L, int BZ) {
    extern __shared__ __align__(1024) unsigned char memory[];
    segments_shared& shared = *reinterpret_cast<segments_shared*>(memory);

    tk::wait_for_previous_kernel();

    const int d_tiles = tk::tiles(CG, 32);
    const int p_tiles = tk::tiles(L, 512);
    const int warp = tk::warp_index();

    // selective_scan_backward.tk:127: kernel segments<T: dtype = bf16, TD: dtype = T, TB: dtype ..
    if (warp == 0) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int d = program % d_tiles * 32;
        const int g = program / d_tiles % G;
        const int p = program / (d_tiles * G) % p_tiles * 512;
        const int b = program / (d_tiles * G * p_tiles);

        // selective_scan_backward.tk:137: let a0   = load(A[g, d, 0 +: S / 2]) * LOG2E;
        tk::stripe<float, 32, 8, 32, 1, vector> t0;
        tk::load_slice<vectors>(t0, tk::slice_if_dense<vectors>(A, {g, d, 0}, CG - d, 16), thread);
        tk::stripe<float, 32, 8, 32, 1, vector> a0;
        tk::map(a0, [](float t0) { return t0 * 1.442695f; }, t0);

        // selective_scan_backward.tk:138: let a1   = load(A[g, d, S / 2 +: S / 2]) * LOG2E;
        tk::stripe<float, 32, 8, 32, 1, vector> t1;
        tk::load_slice<vectors>(t1, tk::slice_if_dense<vectors>(A, {g, d, 8}, CG - d, 16 - 8),
                                thread);
        tk::stripe<float, 32, 8, 32, 1, vector> a1;
        tk::map(a1, [](float t1) { return t1 * 1.442695f; }, t1);

        // selective_scan_backward.tk:139: let skip = column(load(D[g, d]));
        tk::stripe<float, 32, 1, 32, 1, vector> skip;
        tk::load_global(skip, tk::slice<1, tk::no_axis>(D, {g, d}, CG - d, 1), thread);

        // selective_scan_backward.tk:140: let add  = column(load(bias[g, d]));
        tk::stripe<float, 32, 1, 32, 1, vector> add;
        tk::load_global(add, tk::slice<1, tk::no_axis>(bias, {g, d}, CG - d, 1), thread);

        // selective_scan_backward.tk:141: shared da0: f32[32, S / 2] = 0;
        tk::stripe<float, 32, 8, 32, 1, vector> t4;
        tk::zero(t4);
        tk::store_shared(shared.segments_da0[0], t4, thread);

        // selective_scan_backward.tk:142: shared da1: f32[32, S / 2] = 0;
        tk::stripe<float, 32, 8, 32, 1, vector> t5;
        tk::zero(t5);
        tk::store_shared(shared.segments_da1[0], t5, thread);

        // selective_scan_backward.tk:143: shared r0: f32[32, S / 2] = load(Behind[b, p.index, g, ..
        tk::stripe<float, 32, 8, 32, 1, vector> t6;
        tk::load_slice<vectors>(t6,
                                tk::slice_if_dense<vectors>(Behind, {b, p / 512, g, d, 0},
                                                            p / 512 < tk::divide_up(L, 512) ? CG - d
                                                            : 0, 16), thread);
        tk::store_shared(shared.segments_r0[0], t6, thread);

        // selective_scan_backward.tk:144: shared r1: f32[32, S / 2] = load(Behind[b, p.index, g, ..
        tk::stripe<float, 32, 8, 32, 1, vector> t7;
        tk::load_slice<vectors>(t7,
                                tk::slice_if_dense<vectors>(Behind, {b, p / 512, g, d, 8},
                                                            p / 512 < tk::divide_up(L, 512) ? CG - d
                                                            : 0, 16 - 8), thread);
        tk::store_shared(shared.segments_r1[0], t7, thread);
        tk::barrier_sync(1, 32);

        // selective_scan_backward.tk:145: var dd: f32[32, 1] = 0;
        tk::stripe<float, 32, 1, 32, 1, vector> dd;
        tk::zero(dd);

        // selective_scan_backward.tk:146: var db: f32[32, 1] = 0;
        tk::stripe<float, 32, 1, 32, 1, vector> db;
        tk::zero(db);

        // selective_scan_backward.tk:147: for c in reversed p.start..min(p.end, L) by 64 {
        tk::stripe<float, 32, 8, 32, 1, vector> y;
        tk::stripe<float, 32, 8, 32, 1, vector> o_z;
        tk::stripe<float, 32, 8, 32, 1, vector> o_w;
        tk::stripe<float, 8, 8, 32, 1, vector> n_b;
        tk::stripe<float, 8, 8, 32, 1, vector> n_c;
        tk::stripe<float, 32, 8, 32, 1, vector> s0_r;
        tk::stripe<float, 32, 8, 32, 1, vector> s0_a;
        tk::stripe<float, 32, 8, 32, 1, vector> s1_r;
        tk::stripe<float, 32, 8, 32, 1, vector> s1_a;
        for (int c = p + (tk::divide_up(tk::min(p + 512, L) - p, 64) - 1) * 64; c >= p; c -= 64) {
            // selective_scan_backward.tk:148: var h0 = load(Saved[b, c.index, g, d, 0 +: S / 2]);
            tk::stripe<float, 32, 8, 32, 1, vector> h0;
            tk::load_slice<vectors>(h0,
                                    tk::slice_if_dense<vectors>(Saved, {b, c / 64, g, d, 0},
                                                                c / 64 < tk::divide_up(L, 64)
                                                                ? CG - d : 0, 16), thread);

            // selective_scan_backward.tk:149: var h1 = load(Saved[b, c.index, g, d, S / 2 +: S / ..
            tk::stripe<float, 32, 8, 32, 1, vector> h1;
            tk::load_slice<vectors>(h1,
                                    tk::slice_if_dense<vectors>(Saved, {b, c / 64, g, d, 8},
                                                                c / 64 < tk::divide_up(L, 64)
                                                                ? CG - d : 0, 16 - 8), thread);

            // selective_scan_backward.tk:150: for t in c.start..min(c.end, L) by 8 {
            for (int t = c; t < tk::min(c + 64, L); t += 8) {
                // selective_scan_backward.tk:151: let at = p.index * 16 + (t.start - c.start) // 4;
                const int at = p / 512 * 16 + tk::divide_down(t - c, 4);

                // selective_scan_backward.tk:152: let bt = shared(load(Bm[b, g, t, :]));
                tk::stripe<float, 8, 16, 32, 1, vector> t10;
                tk::load_slice<vectors>(
                    t10, tk::slice_if_dense<vectors>(Bm, {b, g, t, 0}, L - t, 16), thread);
                tk::barrier_sync(1, 32);
                tk::store_shared(shared.segments_bt[0], t10, thread);

                // selective_scan_backward.tk:153: let ct = shared(load(C[b, g, t, :]));
                tk::stripe<float, 8, 16, 32, 1, vector> t12;
                tk::load_slice<vectors>(
                    t12, tk::slice_if_dense<vectors>(C, {b, g, t, 0}, L - t, 16), thread);
                tk::store_shared(shared.segments_ct[0], t12, thread);
                tk::barrier_sync(1, 32);

                // selective_scan_backward.tk:154: let u  = load(U[b, g, d, t]);
                tk::stripe<tk::bf16, 32, 8, 32, 1, vector> u;
                tk::load_slice<vectors>(
                    u, tk::slice_if_vectors<vectors>(U, {b, g, d, t}, CG - d, L - t), thread);

                // selective_scan_backward.tk:155: let dt = ..
                tk::stripe<tk::bf16, 32, 8, 32, 1, vector> t15;
                tk::load_slice<vectors>(
                    t15, tk::slice_if_vectors<vectors>(Dt, {b, g, d, t}, CG - d, L - t), thread);
                tk::stripe<float, 32, 8, 32, 1, vector> dt;
                tk::map(dt, thread, [&](int row, int col, tk::bf16 t15, float add) {
                    const float x = col < L - t ? float(t15) + add : -INFINITY;
                    const float x_2 = tk::exp(-tk::abs(x));
                    const float x_3 = tk::divide(x_2, 2.0f + x_2);
                    const float x_4 = x_3 * x_3;
                    return row < CG - d ? tk::fma(
                        2.0f * x_3,
                        tk::fma(x_4,
                                tk::fma(x_4,
                                        tk::fma(x_4,
                                                tk::fma(x_4,
                                                        tk::fma(x_4,
                                                                tk::fma(x_4,
                                                                        tk::divide(1.0f, 13.0f),
                                                                        tk::divide(1.0f, 11.0f)),
                                                                tk::divide(1.0f, 9.0f)),
                                                        tk::divide(1.0f, 7.0f)),
                                                tk::divide(1.0f, 5.0f)), tk::divide(1.0f, 3.0f)),
                                1.0f), tk::max(x, 0.0f)) : 0.0f;
                }, t15, add);

                // selective_scan_backward.tk:156: var y  = skip * u;
                tk::map(y, [](float skip, tk::bf16 u) { return skip * float(u); }, skip, u);

                // selective_scan_backward.tk:157: store(Kept[b, at, g, d, 0 +: S / 2], h0);
                tk::store_slice<vectors>(
                    tk::slice_if_dense<vectors>(Kept, {b, at, g, d, 0},
                                                at > -1 && at < tk::divide_up(L, 512) * 16 ? CG - d
                                                : 0, 16), h0, thread);

                // selective_scan.tk:13: return exp2(dt[:, I +: 1] * a) * h + dt[:, I +: 1] * ..
                tk::stripe<float, 32, 1, 32, 1, vector> t17;
                tk::slice_registers<0, 0>(t17, dt);
                tk::stripe<float, 32, 1, 32, 1, vector> t18;
                tk::slice_registers<0, 0>(t18, dt);
                tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t19;
                tk::slice_registers<0, 0>(t19, u);

                // selective_scan_backward.tk:28: h = selective_scan.next<I>(h, a, dt, u, ..
                tk::stripe<float, 32, 1, 32, 1, vector> t2;
                tk::map(t2, [](float t18, tk::bf16 t19) { return t18 * float(t19); }, t18, t19);
                tk::stripe<float, 1, 8, 32, 1, vector> t422;
                tk::load_shared(t422, tk::part<0, 0, 1, 8>(shared.segments_bt[0]), thread);
                tk::map(h0, [](float t17, float a0, float h0, float t2, float t422) {
                    return tk::fma(tk::exp2(t17 * a0), h0, t2 * t422);
                }, t17, a0, h0, t2, t422);
                // selective_scan.tk:13
                tk::stripe<float, 32, 1, 32, 1, vector> t21;
                tk::slice_registers<0, 1>(t21, dt);
                tk::stripe<float, 32, 1, 32, 1, vector> t22;
                tk::slice_registers<0, 1>(t22, dt);
                tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t23;
                tk::slice_registers<0, 1>(t23, u);
                // selective_scan_backward.tk:28
                tk::stripe<float, 32, 1, 32, 1, vector> t3;
                tk::map(t3, [](float t22, tk::bf16 t23) { return t22 * float(t23); }, t22, t23);
                tk::stripe<float, 1, 8, 32, 1, vector> t423;
                tk::load_shared(t423, tk::part<1, 0, 1, 8>(shared.segments_bt[0]), thread);
                tk::map(h0, [](float t21, float a0, float h0, float t3, float t423) {
                    return tk::fma(tk::exp2(t21 * a0), h0, t3 * t423);
                }, t21, a0, h0, t3, t423);
                // selective_scan.tk:13
                tk::stripe<float, 32, 1, 32, 1, vector> t25;
                tk::slice_registers<0, 2>(t25, dt);
                tk::stripe<float, 32, 1, 32, 1, vector> t26;
                tk::slice_registers<0, 2>(t26, dt);
                tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t27;
                tk::slice_registers<0, 2>(t27, u);
                // selective_scan_backward.tk:28
                tk::stripe<float, 32, 1, 32, 1, vector> t8;
                tk::map(t8, [](float t26, tk::bf16 t27) { return t26 * float(t27); }, t26, t27);
                tk::stripe<float, 1, 8, 32, 1, vector> t424;
                tk::load_shared(t424, tk::part<2, 0, 1, 8>(shared.segments_bt[0]), thread);
                tk::map(h0, [](float t25, float a0, float h0, float t8, float t424) {
                    return tk::fma(tk::exp2(t25 * a0), h0, t8 * t424);
                }, t25, a0, h0, t8, t424);
                // selective_scan.tk:13
                tk::stripe<float, 32, 1, 32, 1, vector> t29;
                tk::slice_registers<0, 3>(t29, dt);
                tk::stripe<float, 32, 1, 32, 1, vector> t30;
                tk::slice_registers<0, 3>(t30, dt);
                tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t31;
                tk::slice_registers<0, 3>(t31, u);
                // selective_scan_backward.tk:28
                tk::stripe<float, 32, 1, 32, 1, vector> t9;
                tk::map(t9, [](float t30, tk::bf16 t31) { return t30 * float(t31); }, t30, t31);
                tk::stripe<float, 1, 8, 32, 1, vector> t425;
                tk::load_shared(t425, tk::part<3, 0, 1, 8>(shared.segments_bt[0]), thread);
                tk::map(h0, [](float t29, float a0, float h0, float t9, float t425) {
                    return tk::fma(tk::exp2(t29 * a0), h0, t9 * t425);
                }, t29, a0, h0, t9, t425);

                // selective_scan_backward.tk:159: store(Kept[b, at + 1, g, d, 0 +: S / 2], h0);
                tk::store_slice<vectors>(
                    tk::slice_if_dense<vectors>(Kept, {b, at + 1, g, d, 0},
                                                at + 1 > -1 && at + 1 < tk::divide_up(L, 512) * 16
                                                ? CG - d : 0, 16), h0, thread);
                // selective_scan.tk:13
                tk::stripe<float, 32, 1, 32, 1, vector> t33;
                tk::slice_registers<0, 4>(t33, dt);
                tk::stripe<float, 32, 1, 32, 1, vector> t34;
                tk::slice_registers<0, 4>(t34, dt);
                tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t35;
                tk::slice_registers<0, 4>(t35, u);
                // selective_scan_backward.tk:28
                tk::stripe<float, 32, 1, 32, 1, vector> t11;
                tk::map(t11, [](float t34, tk::bf16 t35) { return t34 * float(t35); }, t34, t35);
                tk::stripe<float, 1, 8, 32, 1, vector> t426;
                tk::load_shared(t426, tk::part<4, 0, 1, 8>(shared.segments_bt[0]), thread);
                tk::map(h0, [](float t33, float a0, float h0, float t11, float t426) {
                    return tk::fma(tk::exp2(t33 * a0), h0, t11 * t426);
                }, t33, a0, h0, t11, t426);
                // selective_scan.tk:13
                tk::stripe<float, 32, 1, 32, 1, vector> t37;
                tk::slice_registers<0, 5>(t37, dt);
                tk::stripe<float, 32, 1, 32, 1, vector> t38;
                tk::slice_registers<0, 5>(t38, dt);
                tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t39;
                tk::slice_registers<0, 5>(t39, u);
                // selective_scan_backward.tk:28
                tk::stripe<float, 32, 1, 32, 1, vector> t13;
                tk::map(t13, [](float t38, tk::bf16 t39) { return t38 * float(t39); }, t38, t39);
                tk::stripe<float, 1, 8, 32, 1, vector> t427;
                tk::load_shared(t427, tk::part<5, 0, 1, 8>(shared.segments_bt[0]), thread);
                tk::map(h0, [](float t37, float a0, float h0, float t13, float t427) {
                    return tk::fma(tk::exp2(t37 * a0), h0, t13 * t427);
                }, t37, a0, h0, t13, t427);
                // selective_scan.tk:13
                tk::stripe<float, 32, 1, 32, 1, vector> t41;
                tk::slice_registers<0, 6>(t41, dt);
                tk::stripe<float, 32, 1, 32, 1, vector> t42;
                tk::slice_registers<0, 6>(t42, dt);
                tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t43;
                tk::slice_registers<0, 6>(t43, u);
                // selective_scan_backward.tk:28
                tk::stripe<float, 32, 1, 32, 1, vector> t14;
                tk::map(t14, [](float t42, tk::bf16 t43) { return t42 * float(t43); }, t42, t43);
                tk::stripe<float, 1, 8, 32, 1, vector> t428;
                tk::load_shared(t428, tk::part<6, 0, 1, 8>(shared.segments_bt[0]), thread);
                tk::map(h0, [](float t41, float a0, float h0, float t14, float t428) {
                    return tk::fma(tk::exp2(t41 * a0), h0, t14 * t428);
                }, t41, a0, h0, t14, t428);
                // selective_scan.tk:13
                tk::stripe<float, 32, 1, 32, 1, vector> t45;
                tk::slice_registers<0, 7>(t45, dt);
                tk::stripe<float, 32, 1, 32, 1, vector> t46;
                tk::slice_registers<0, 7>(t46, dt);
                tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t47;
                tk::slice_registers<0, 7>(t47, u);
                // selective_scan_backward.tk:28
                tk::stripe<float, 32, 1, 32, 1, vector> t82;
                tk::map(t82, [](float t46, tk::bf16 t47) { return t46 * float(t47); }, t46, t47);
                tk::stripe<float, 1, 8, 32, 1, vector> t429;
                tk::load_shared(t429, tk::part<7, 0, 1, 8>(shared.segments_bt[0]), thread);
                tk::map(h0, [](float t45, float a0, float h0, float t82, float t429) {
                    return tk::fma(tk::exp2(t45 * a0), h0, t82 * t429);
                }, t45, a0, h0, t82, t429);

                // selective_scan_backward.tk:161: store(Kept[b, at, g, d, S / 2 +: S / 2], h1);
                tk::store_slice<vectors>(
                    tk::slice_if_dense<vectors>(Kept, {b, at, g, d, 8},
                                                at > -1 && at < tk::divide_up(L, 512) * 16 ? CG - d
                                                : 0, 16 - 8), h1, thread);
                // selective_scan.tk:13
                tk::stripe<float, 32, 1, 32, 1, vector> t49;
                tk::slice_registers<0, 0>(t49, dt);
                tk::stripe<float, 32, 1, 32, 1, vector> t50;
                tk::slice_registers<0, 0>(t50, dt);
                tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t51;
                tk::slice_registers<0, 0>(t51, u);
                // selective_scan_backward.tk:28
                tk::stripe<float, 32, 1, 32, 1, vector> t84;
                tk::map(t84, [](float t50, tk::bf16 t51) { return t50 * float(t51); }, t50, t51);
                tk::stripe<float, 1, 8, 32, 1, vector> t430;
                tk::load_shared(t430, tk::part<0, 8, 1, 8>(shared.segments_bt[0]), thread);
                tk::map(h1, [](float t49, float a1, float h1, float t84, float t430) {
                    return tk::fma(tk::exp2(t49 * a1), h1, t84 * t430);
                }, t49, a1, h1, t84, t430);
                // selective_scan.tk:13
                tk::stripe<float, 32, 1, 32, 1, vector> t53;
                tk::slice_registers<0, 1>(t53, dt);
                tk::stripe<float, 32, 1, 32, 1, vector> t54;
                tk::slice_registers<0, 1>(t54, dt);
                tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t55;
                tk::slice_registers<0, 1>(t55, u);
                // selective_scan_backward.tk:28
                tk::stripe<float, 32, 1, 32, 1, vector> t85;
                tk::map(t85, [](float t54, tk::bf16 t55) { return t54 * float(t55); }, t54, t55);
                tk::stripe<float, 1, 8, 32, 1, vector> t431;
                tk::load_shared(t431, tk::part<1, 8, 1, 8>(shared.segments_bt[0]), thread);
                tk::map(h1, [](float t53, float a1, float h1, float t85, float t431) {
                    return tk::fma(tk::exp2(t53 * a1), h1, t85 * t431);
                }, t53, a1, h1, t85, t431);
                // selective_scan.tk:13
                tk::stripe<float, 32, 1, 32, 1, vector> t57;
                tk::slice_registers<0, 2>(t57, dt);
                tk::stripe<float, 32, 1, 32, 1, vector> t58;
                tk::slice_registers<0, 2>(t58, dt);
                tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t59;
                tk::slice_registers<0, 2>(t59, u);
                // selective_scan_backward.tk:28
                tk::stripe<float, 32, 1, 32, 1, vector> t107;
                tk::map(t107, [](float t58, tk::bf16 t59) { return t58 * float(t59); }, t58, t59);
                tk::stripe<float, 1, 8, 32, 1, vector> t432;
                tk::load_shared(t432, tk::part<2, 8, 1, 8>(shared.segments_bt[0]), thread);
                tk::map(h1, [](float t57, float a1, float h1, float t107, float t432) {
                    return tk::fma(tk::exp2(t57 * a1), h1, t107 * t432);
                }, t57, a1, h1, t107, t432);
                // selective_scan.tk:13
                tk::stripe<float, 32, 1, 32, 1, vector> t61;
                tk::slice_registers<0, 3>(t61, dt);
                tk::stripe<float, 32, 1, 32, 1, vector> t62;
                tk::slice_registers<0, 3>(t62, dt);
                tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t63;
                tk::slice_registers<0, 3>(t63, u);
                // selective_scan_backward.tk:28
                tk::stripe<float, 32, 1, 32, 1, vector> t108;
                tk::map(t108, [](float t62, tk::bf16 t63) { return t62 * float(t63); }, t62, t63);
                tk::stripe<float, 1, 8, 32, 1, vector> t433;
                tk::load_shared(t433, tk::part<3, 8, 1, 8>(shared.segments_bt[0]), thread);
                tk::map(h1, [](float t61, float a1, float h1, float t108, float t433) {
                    return tk::fma(tk::exp2(t61 * a1), h1, t108 * t433);
                }, t61, a1, h1, t108, t433);

                // selective_scan_backward.tk:163: store(Kept[b, at + 1, g, d, S / 2 +: S / 2], h1);
                tk::store_slice<vectors>(
                    tk::slice_if_dense<vectors>(Kept, {b, at + 1, g, d, 8},
                                                at + 1 > -1 && at + 1 < tk::divide_up(L, 512) * 16
                                                ? CG - d : 0, 16 - 8), h1, thread);
                // selective_scan.tk:13
                tk::stripe<float, 32, 1, 32, 1, vector> t65;
                tk::slice_registers<0, 4>(t65, dt);
                tk::stripe<float, 32, 1, 32, 1, vector> t66;
                tk::slice_registers<0, 4>(t66, dt);
                tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t67;
                tk::slice_registers<0, 4>(t67, u);
                // selective_scan_backward.tk:28
                tk::stripe<float, 32, 1, 32, 1, vector> t120;
                tk::map(t120, [](float t66, tk::bf16 t67) { return t66 * float(t67); }, t66, t67);
                tk::stripe<float, 1, 8, 32, 1, vector> t434;
                tk::load_shared(t434, tk::part<4, 8, 1, 8>(shared.segments_bt[0]), thread);
                tk::map(h1, [](float t65, float a1, float h1, float t120, float t434) {
                    return tk::fma(tk::exp2(t65 * a1), h1, t120 * t434);
                }, t65, a1, h1, t120, t434);
                // selective_scan.tk:13
                tk::stripe<float, 32, 1, 32, 1, vector> t69;
                tk::slice_registers<0, 5>(t69, dt);
                tk::stripe<float, 32, 1, 32, 1, vector> t70;
                tk::slice_registers<0, 5>(t70, dt);
                tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t71;
                tk::slice_registers<0, 5>(t71, u);
                // selective_scan_backward.tk:28
                tk::stripe<float, 32, 1, 32, 1, vector> t121;
                tk::map(t121, [](float t70, tk::bf16 t71) { return t70 * float(t71); }, t70, t71);
                tk::stripe<float, 1, 8, 32, 1, vector> t435;
                tk::load_shared(t435, tk::part<5, 8, 1, 8>(shared.segments_bt[0]), thread);
                tk::map(h1, [](float t69, float a1, float h1, float t121, float t435) {
                    return tk::fma(tk::exp2(t69 * a1), h1, t121 * t435);
                }, t69, a1, h1, t121, t435);
                // selective_scan.tk:13
                tk::stripe<float, 32, 1, 32, 1, vector> t73;
                tk::slice_registers<0, 6>(t73, dt);
                tk::stripe<float, 32, 1, 32, 1, vector> t74;
                tk::slice_registers<0, 6>(t74, dt);
                tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t75;
                tk::slice_registers<0, 6>(t75, u);
                // selective_scan_backward.tk:28
                tk::stripe<float, 32, 1, 32, 1, vector> t142;
                tk::map(t142, [](float t74, tk::bf16 t75) { return t74 * float(t75); }, t74, t75);
                tk::stripe<float, 1, 8, 32, 1, vector> t436;
                tk::load_shared(t436, tk::part<6, 8, 1, 8>(shared.segments_bt[0]), thread);
                tk::map(h1, [](float t73, float a1, float h1, float t142, float t436) {
                    return tk::fma(tk::exp2(t73 * a1), h1, t142 * t436);
                }, t73, a1, h1, t142, t436);
                // selective_scan.tk:13
                tk::stripe<float, 32, 1, 32, 1, vector> t77;
                tk::slice_registers<0, 7>(t77, dt);
                tk::stripe<float, 32, 1, 32, 1, vector> t78;
                tk::slice_registers<0, 7>(t78, dt);
                tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t79;
                tk::slice_registers<0, 7>(t79, u);
                // selective_scan_backward.tk:28
                tk::stripe<float, 32, 1, 32, 1, vector> t143;
                tk::map(t143, [](float t78, tk::bf16 t79) { return t78 * float(t79); }, t78, t79);
                tk::stripe<float, 1, 8, 32, 1, vector> t437;
                tk::load_shared(t437, tk::part<7, 8, 1, 8>(shared.segments_bt[0]), thread);
                tk::map(h1, [](float t77, float a1, float h1, float t143, float t437) {
                    return tk::fma(tk::exp2(t77 * a1), h1, t143 * t437);
                }, t77, a1, h1, t143, t437);

                // selective_scan_backward.tk:169: store(dZ[b, g, d, t], 0);
                tk::stripe<tk::bf16, 32, 8, 32, 1, vector> t80;
                tk::map(t80, []() { return tk::bf16(0.0f); });
                tk::store_slice<vectors>(
                    tk::slice_if_vectors<vectors>(dZ, {b, g, d, t}, b < BZ ? CG - d : 0, L - t),
                    t80, thread);
            }

            // selective_scan_backward.tk:172: for t in reversed c.start..min(c.end, L) by 8 {
            for (int t = c + (tk::divide_up(tk::min(c + 64, L) - c, 8) - 1) * 8; t >= c; t -= 8) {
                // selective_scan_backward.tk:173: let at = p.index * 16 + (t.start - c.start) // 4;
                const int at_2 = p / 512 * 16 + tk::divide_down(t - c, 4);

                // selective_scan_backward.tk:174: let bt = shared(load(Bm[b, g, t, :]));
                tk::stripe<float, 8, 16, 32, 1, vector> t81;
                tk::load_slice<vectors>(
                    t81, tk::slice_if_dense<vectors>(Bm, {b, g, t, 0}, L - t, 16), thread);
                tk::barrier_sync(1, 32);
                tk::store_shared(shared.segments_bt_2[0], t81, thread);

                // selective_scan_backward.tk:175: let ct = shared(load(C[b, g, t, :]));
                tk::stripe<float, 8, 16, 32, 1, vector> t83;
                tk::load_slice<vectors>(
                    t83, tk::slice_if_dense<vectors>(C, {b, g, t, 0}, L - t, 16), thread);
                tk::store_shared(shared.segments_ct_2[0], t83, thread);
                tk::barrier_sync(1, 32);

                // selective_scan_backward.tk:176: let u  = load(U[b, g, d, t]);
                tk::stripe<tk::bf16, 32, 8, 32, 1, vector> u_3;
                tk::load_slice<vectors>(
                    u_3, tk::slice_if_vectors<vectors>(U, {b, g, d, t}, CG - d, L - t), thread);

                // selective_scan_backward.tk:177: let dt = ..
                tk::stripe<tk::bf16, 32, 8, 32, 1, vector> t86;
                tk::load_slice<vectors>(
                    t86, tk::slice_if_vectors<vectors>(Dt, {b, g, d, t}, CG - d, L - t), thread);
                tk::stripe<float, 32, 8, 32, 1, vector> dt_2;
                tk::map(dt_2, thread, [&](int row, int col, tk::bf16 t86, float add) {
                    const float x = col < L - t ? float(t86) + add : -INFINITY;
                    const float x_2 = tk::exp(-tk::abs(x));
                    const float x_3 = tk::divide(x_2, 2.0f + x_2);
                    const float x_4 = x_3 * x_3;
                    return row < CG - d ? tk::fma(
                        2.0f * x_3,
                        tk::fma(x_4,
                                tk::fma(x_4,
                                        tk::fma(x_4,
                                                tk::fma(x_4,
                                                        tk::fma(x_4,
                                                                tk::fma(x_4,
                                                                        tk::divide(1.0f, 13.0f),
                                                                        tk::divide(1.0f, 11.0f)),
                                                                tk::divide(1.0f, 9.0f)),
                                                        tk::divide(1.0f, 7.0f)),
                                                tk::divide(1.0f, 5.0f)), tk::divide(1.0f, 3.0f)),
                                1.0f), tk::max(x, 0.0f)) : 0.0f;
                }, t86, add);

                // selective_scan_backward.tk:178: let dy = ungated(f32(load(dY[b, g, d, t])), if ..
                tk::stripe<tk::bf16, 32, 8, 32, 1, vector> t87;
                tk::load_slice<vectors>(
                    t87, tk::slice_if_vectors<vectors>(dY, {b, g, d, t}, CG - d, L - t), thread);
                tk::stripe<float, 32, 8, 32, 1, vector> dy = tk::convert<float>(t87);

                // selective_scan_backward.tk:179: var o: columns<32, 8> = { z = 0, w = 0 };
                tk::zero(o_z);
                tk::zero(o_w);

                // selective_scan_backward.tk:180: var n: rows<8, S / 2> = { b = 0, c = 0 };
                tk::zero(n_b);
                tk::zero(n_c);

                // selective_scan_backward.tk:181: var s0: sums<32, S / 2> = { r = r0, a = 0 };
                tk::load_shared(s0_r, shared.segments_r0[0], thread);
                tk::zero(s0_a);

                // selective_scan_backward.tk:182: for step in 4 {
                for (int step = 0; step < 4; step += 1) {
                    // selective_scan_backward.tk:183: if step == 0 { two_back_from<6, 0>(inout ..
                    if (step == 0) {
                        tk::stripe<float, 32, 8, 32, 1, vector> t88;
                        tk::load_slice_in_order<vectors>(
                            t88,
                            tk::slice_if_dense<vectors>(Kept, {b, at_2 + 1, g, d, 0},
                                                        at_2 + 1 > -1 &&
                                                        at_2 + 1 < tk::divide_up(L, 512) * 16
                                                        ? CG - d : 0, 16), thread);
                        // selective_scan.tk:13
                        tk::stripe<float, 32, 1, 32, 1, vector> t90;
                        tk::slice_registers<0, 4>(t90, dt_2);
                        tk::stripe<float, 32, 1, 32, 1, vector> t91;
                        tk::slice_registers<0, 4>(t91, dt_2);
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t92;
                        tk::slice_registers<0, 4>(t92, u_3);
                        tk::stripe<float, 32, 1, 32, 1, vector> t94;
                        tk::slice_registers<0, 5>(t94, dt_2);
                        tk::stripe<float, 32, 1, 32, 1, vector> t95;
                        tk::slice_registers<0, 5>(t95, dt_2);
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t96;
                        tk::slice_registers<0, 5>(t96, u_3);

                        // selective_scan_backward.tk:67: let h2 = selective_scan.next<I - 1>(h1, ..
                        tk::stripe<float, 32, 1, 32, 1, vector> t155;
                        tk::map(t155, [](float t91, tk::bf16 t92) { return t91 * float(t92); },
                                t91, t92);
                        tk::stripe<float, 32, 1, 32, 1, vector> t156;
                        tk::map(t156, [](float t95, tk::bf16 t96) { return t95 * float(t96); },
                                t95, t96);
                        tk::stripe<float, 1, 8, 32, 1, vector> t438;
                        tk::load_shared(t438, tk::part<4, 0, 1, 8>(shared.segments_bt_2[0]),
                                        thread);
                        tk::stripe<float, 1, 8, 32, 1, vector> t439;
                        tk::load_shared(t439, tk::part<5, 0, 1, 8>(shared.segments_bt_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> h2;
                        tk::map(h2,
                                [](float t94, float a0, float t90, float t88, float t155,
                                   float t438, float t156, float t439) {
                            return tk::fma(tk::exp2(t94 * a0),
                                           tk::fma(tk::exp2(t90 * a0), t88, t155 * t438),
                                           t156 * t439);
                        }, t94, a0, t90, t88, t155, t438, t156, t439);
                        // selective_scan.tk:13
                        tk::stripe<float, 32, 1, 32, 1, vector> t98;
                        tk::slice_registers<0, 6>(t98, dt_2);
                        tk::stripe<float, 32, 1, 32, 1, vector> t99;
                        tk::slice_registers<0, 6>(t99, dt_2);
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t100;
                        tk::slice_registers<0, 6>(t100, u_3);

                        // selective_scan_backward.tk:57: let h1 = selective_scan.next<I>(h, a, ..
                        tk::stripe<float, 32, 1, 32, 1, vector> t185;
                        tk::map(t185, [](float t99, tk::bf16 t100) { return t99 * float(t100); },
                                t99, t100);
                        tk::stripe<float, 1, 8, 32, 1, vector> t440;
                        tk::load_shared(t440, tk::part<6, 0, 1, 8>(shared.segments_bt_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> h1_3;
                        tk::map(h1_3, [](float t98, float a0, float h2, float t185, float t440) {
                            return tk::fma(tk::exp2(t98 * a0), h2, t185 * t440);
                        }, t98, a0, h2, t185, t440);
                        // selective_scan.tk:13
                        tk::stripe<float, 32, 1, 32, 1, vector> t102;
                        tk::slice_registers<0, 7>(t102, dt_2);
                        tk::stripe<float, 32, 1, 32, 1, vector> t103;
                        tk::slice_registers<0, 7>(t103, dt_2);
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t104;
                        tk::slice_registers<0, 7>(t104, u_3);

                        // selective_scan_backward.tk:42: let dyt = dy[:, I +: 1];
                        tk::stripe<float, 32, 1, 32, 1, vector> dyt;
                        tk::slice_registers<0, 7>(dyt, dy);

                        // selective_scan_backward.tk:43: let dtt = dt[:, I +: 1];
                        tk::stripe<float, 32, 1, 32, 1, vector> dtt;
                        tk::slice_registers<0, 7>(dtt, dt_2);

                        // selective_scan_backward.tk:44: let q   = s.r + dyt * cm;
                        tk::stripe<float, 1, 8, 32, 1, vector> t441;
                        tk::load_shared(t441, tk::part<7, 0, 1, 8>(shared.segments_ct_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> q;
                        tk::map(q, [](float s0_r, float dyt, float t441) {
                            return tk::fma(dyt, t441, s0_r);
                        }, s0_r, dyt, t441);

                        // selective_scan_backward.tk:45: o.z = add_to_column<I>(o.z, sum(q * bm, ..
                        tk::stripe<float, 1, 8, 32, 1, vector> t442;
                        tk::load_shared(t442, tk::part<7, 0, 1, 8>(shared.segments_bt_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> t109;
                        tk::map(t109, [](float q, float t442) { return q * t442; }, q, t442);
                        tk::stripe<float, 32, 1, 32, 1, vector> t110;
                        tk::fold_rows(t110, t109, tk::plus{}, thread);
                        tk::finish_rows(t110, tk::plus{});
                        tk::map(o_z, thread, [](int, int col, float o_z, float t110) {
                            return col == 7 ? o_z + t110 : o_z;
                        }, o_z, t110);

                        // selective_scan_backward.tk:46: s.r = exp2(dtt * a) * q;
                        tk::map(s0_r, [](float dtt, float a0, float q) {
                            return tk::exp2(dtt * a0) * q;
                        }, dtt, a0, q);

                        // selective_scan_backward.tk:47: let w = s.r * before;
                        tk::stripe<float, 32, 8, 32, 1, vector> w;
                        tk::map(w, [](float s0_r, float h1_3) { return s0_r * h1_3; }, s0_r, h1_3);

                        // selective_scan_backward.tk:48: o.w = add_to_column<I>(o.w, sum(w * a, ..
                        tk::stripe<float, 32, 8, 32, 1, vector> t111;
                        tk::map(t111, [](float w, float a0) { return w * a0; }, w, a0);
                        tk::stripe<float, 32, 1, 32, 1, vector> t112;
                        tk::fold_rows(t112, t111, tk::plus{}, thread);
                        tk::finish_rows(t112, tk::plus{});
                        tk::map(o_w, thread, [](int, int col, float o_w, float t112) {
                            return col == 7 ? o_w + t112 : o_w;
                        }, o_w, t112);

                        // selective_scan_backward.tk:49: s.a += dtt * w;
                        tk::map(s0_a, [](float s0_a, float dtt, float w) {
                            return tk::fma(dtt, w, s0_a);
                        }, s0_a, dtt, w);

                        // selective_scan_backward.tk:50: n.b = where(row_index(n.b) == I, sum(q ..
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t113;
                        tk::slice_registers<0, 7>(t113, u_3);
                        tk::stripe<float, 32, 1, 32, 1, vector> t186;
                        tk::map(t186, [](float dtt, tk::bf16 t113) { return dtt * float(t113); },
                                dtt, t113);
                        tk::stripe<float, 32, 8, 32, 1, vector> t114;
                        tk::map(t114, [](float q, float t186) { return q * t186; }, q, t186);
                        tk::stripe<float, 1, 8, 32, 1, vector> t115;
                        tk::reduce_columns(t115, t114, shared.segments_f32_rows_8[0], tk::plus{},
                                           thread, 1);
                        tk::map(n_b, thread, [](int row, int, float t115, float n_b) {
                            return row == 7 ? t115 : n_b;
                        }, t115, n_b);

                        // selective_scan_backward.tk:51: n.c = where(row_index(n.c) == I, ..
                        tk::stripe<float, 32, 1, 32, 1, vector> t198;
                        tk::map(t198, [](float t103, tk::bf16 t104) { return t103 * float(t104); },
                                t103, t104);
                        tk::stripe<float, 1, 8, 32, 1, vector> t443;
                        tk::load_shared(t443, tk::part<7, 0, 1, 8>(shared.segments_bt_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> t116;
                        tk::map(t116,
                                [](float t102, float a0, float h1_3, float t198, float t443,
                                   float dyt) {
                            return tk::fma(tk::exp2(t102 * a0), h1_3, t198 * t443) * dyt;
                        }, t102, a0, h1_3, t198, t443, dyt);
                        tk::stripe<float, 1, 8, 32, 1, vector> t117;
                        tk::reduce_columns(t117, t116, shared.segments_f32_rows_8[0], tk::plus{},
                                           thread, 1);
                        tk::map(n_c, thread, [](int row, int, float t117, float n_c) {
                            return row == 7 ? t117 : n_c;
                        }, t117, n_c);
                        // selective_scan_backward.tk:42
                        tk::stripe<float, 32, 1, 32, 1, vector> dyt_2;
                        tk::slice_registers<0, 6>(dyt_2, dy);
                        // selective_scan_backward.tk:43
                        tk::stripe<float, 32, 1, 32, 1, vector> dtt_2;
                        tk::slice_registers<0, 6>(dtt_2, dt_2);
                        // selective_scan_backward.tk:44
                        tk::stripe<float, 1, 8, 32, 1, vector> t444;
                        tk::load_shared(t444, tk::part<6, 0, 1, 8>(shared.segments_ct_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> q_2;
                        tk::map(q_2, [](float s0_r, float dyt_2, float t444) {
                            return tk::fma(dyt_2, t444, s0_r);
                        }, s0_r, dyt_2, t444);
                        // selective_scan_backward.tk:45
                        tk::stripe<float, 1, 8, 32, 1, vector> t445;
                        tk::load_shared(t445, tk::part<6, 0, 1, 8>(shared.segments_bt_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> t122;
                        tk::map(t122, [](float q_2, float t445) { return q_2 * t445; }, q_2, t445);
                        tk::stripe<float, 32, 1, 32, 1, vector> t123;
                        tk::fold_rows(t123, t122, tk::plus{}, thread);
                        tk::finish_rows(t123, tk::plus{});
                        tk::map(o_z, thread, [](int, int col, float o_z, float t123) {
                            return col == 6 ? o_z + t123 : o_z;
                        }, o_z, t123);
                        // selective_scan_backward.tk:46
                        tk::map(s0_r, [](float dtt_2, float a0, float q_2) {
                            return tk::exp2(dtt_2 * a0) * q_2;
                        }, dtt_2, a0, q_2);
                        // selective_scan_backward.tk:47
                        tk::stripe<float, 32, 8, 32, 1, vector> w_2;
                        tk::map(w_2, [](float s0_r, float h2) { return s0_r * h2; }, s0_r, h2);
                        // selective_scan_backward.tk:48
                        tk::stripe<float, 32, 8, 32, 1, vector> t124;
                        tk::map(t124, [](float w_2, float a0) { return w_2 * a0; }, w_2, a0);
                        tk::stripe<float, 32, 1, 32, 1, vector> t125;
                        tk::fold_rows(t125, t124, tk::plus{}, thread);
                        tk::finish_rows(t125, tk::plus{});
                        tk::map(o_w, thread, [](int, int col, float o_w, float t125) {
                            return col == 6 ? o_w + t125 : o_w;
                        }, o_w, t125);
                        // selective_scan_backward.tk:49
                        tk::map(s0_a, [](float s0_a, float dtt_2, float w_2) {
                            return tk::fma(dtt_2, w_2, s0_a);
                        }, s0_a, dtt_2, w_2);
                        // selective_scan_backward.tk:50
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t126;
                        tk::slice_registers<0, 6>(t126, u_3);
                        tk::stripe<float, 32, 1, 32, 1, vector> t199;
                        tk::map(t199, [](float dtt_2, tk::bf16 t126) {
                            return dtt_2 * float(t126);
                        }, dtt_2, t126);
                        tk::stripe<float, 32, 8, 32, 1, vector> t127;
                        tk::map(t127, [](float q_2, float t199) { return q_2 * t199; }, q_2, t199);
                        tk::stripe<float, 1, 8, 32, 1, vector> t128;
                        tk::reduce_columns(t128, t127, shared.segments_f32_rows_8[0], tk::plus{},
                                           thread, 1);
                        tk::map(n_b, thread, [](int row, int, float t128, float n_b) {
                            return row == 6 ? t128 : n_b;
                        }, t128, n_b);
                        // selective_scan_backward.tk:51
                        tk::stripe<float, 32, 8, 32, 1, vector> t129;
                        tk::map(t129, [](float h1_3, float dyt_2) { return h1_3 * dyt_2; },
                                h1_3, dyt_2);
                        tk::stripe<float, 1, 8, 32, 1, vector> t130;
                        tk::reduce_columns(t130, t129, shared.segments_f32_rows_8[0], tk::plus{},
                                           thread, 1);
                        tk::map(n_c, thread, [](int row, int, float t130, float n_c) {
                            return row == 6 ? t130 : n_c;
                        }, t130, n_c);
                    }

                    // selective_scan_backward.tk:184: if step == 1 { two_back<4, 0>(inout s0, ..
                    if (step == 1) {
                        tk::stripe<float, 32, 8, 32, 1, vector> t131;
                        tk::load_slice_in_order<vectors>(
                            t131,
                            tk::slice_if_dense<vectors>(Kept, {b, at_2 + 1, g, d, 0},
                                                        at_2 + 1 > -1 &&
                                                        at_2 + 1 < tk::divide_up(L, 512) * 16
                                                        ? CG - d : 0, 16), thread);
                        // selective_scan.tk:13
                        tk::stripe<float, 32, 1, 32, 1, vector> t133;
                        tk::slice_registers<0, 4>(t133, dt_2);
                        tk::stripe<float, 32, 1, 32, 1, vector> t134;
                        tk::slice_registers<0, 4>(t134, dt_2);
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t135;
                        tk::slice_registers<0, 4>(t135, u_3);
                        // selective_scan_backward.tk:57
                        tk::stripe<float, 32, 1, 32, 1, vector> t220;
                        tk::map(t220, [](float t134, tk::bf16 t135) { return t134 * float(t135); },
                                t134, t135);
                        tk::stripe<float, 1, 8, 32, 1, vector> t446;
                        tk::load_shared(t446, tk::part<4, 0, 1, 8>(shared.segments_bt_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> h1_4;
                        tk::map(h1_4, [](float t133, float a0, float t131, float t220, float t446) {
                            return tk::fma(tk::exp2(t133 * a0), t131, t220 * t446);
                        }, t133, a0, t131, t220, t446);
                        // selective_scan.tk:13
                        tk::stripe<float, 32, 1, 32, 1, vector> t137;
                        tk::slice_registers<0, 5>(t137, dt_2);
                        tk::stripe<float, 32, 1, 32, 1, vector> t138;
                        tk::slice_registers<0, 5>(t138, dt_2);
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t139;
                        tk::slice_registers<0, 5>(t139, u_3);
                        // selective_scan_backward.tk:42
                        tk::stripe<float, 32, 1, 32, 1, vector> dyt_3;
                        tk::slice_registers<0, 5>(dyt_3, dy);
                        // selective_scan_backward.tk:43
                        tk::stripe<float, 32, 1, 32, 1, vector> dtt_3;
                        tk::slice_registers<0, 5>(dtt_3, dt_2);
                        // selective_scan_backward.tk:44
                        tk::stripe<float, 1, 8, 32, 1, vector> t447;
                        tk::load_shared(t447, tk::part<5, 0, 1, 8>(shared.segments_ct_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> q_3;
                        tk::map(q_3, [](float s0_r, float dyt_3, float t447) {
                            return tk::fma(dyt_3, t447, s0_r);
                        }, s0_r, dyt_3, t447);
                        // selective_scan_backward.tk:45
                        tk::stripe<float, 1, 8, 32, 1, vector> t448;
                        tk::load_shared(t448, tk::part<5, 0, 1, 8>(shared.segments_bt_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> t144;
                        tk::map(t144, [](float q_3, float t448) { return q_3 * t448; }, q_3, t448);
                        tk::stripe<float, 32, 1, 32, 1, vector> t145;
                        tk::fold_rows(t145, t144, tk::plus{}, thread);
                        tk::finish_rows(t145, tk::plus{});
                        tk::map(o_z, thread, [](int, int col, float o_z, float t145) {
                            return col == 5 ? o_z + t145 : o_z;
                        }, o_z, t145);
                        // selective_scan_backward.tk:46
                        tk::map(s0_r, [](float dtt_3, float a0, float q_3) {
                            return tk::exp2(dtt_3 * a0) * q_3;
                        }, dtt_3, a0, q_3);
                        // selective_scan_backward.tk:47
                        tk::stripe<float, 32, 8, 32, 1, vector> w_3;
                        tk::map(w_3, [](float s0_r, float h1_4) { return s0_r * h1_4; },
                                s0_r, h1_4);
                        // selective_scan_backward.tk:48
                        tk::stripe<float, 32, 8, 32, 1, vector> t146;
                        tk::map(t146, [](float w_3, float a0) { return w_3 * a0; }, w_3, a0);
                        tk::stripe<float, 32, 1, 32, 1, vector> t147;
                        tk::fold_rows(t147, t146, tk::plus{}, thread);
                        tk::finish_rows(t147, tk::plus{});
                        tk::map(o_w, thread, [](int, int col, float o_w, float t147) {
                            return col == 5 ? o_w + t147 : o_w;
                        }, o_w, t147);
                        // selective_scan_backward.tk:49
                        tk::map(s0_a, [](float s0_a, float dtt_3, float w_3) {
                            return tk::fma(dtt_3, w_3, s0_a);
                        }, s0_a, dtt_3, w_3);
                        // selective_scan_backward.tk:50
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t148;
                        tk::slice_registers<0, 5>(t148, u_3);
                        tk::stripe<float, 32, 1, 32, 1, vector> t221;
                        tk::map(t221, [](float dtt_3, tk::bf16 t148) {
                            return dtt_3 * float(t148);
                        }, dtt_3, t148);
                        tk::stripe<float, 32, 8, 32, 1, vector> t149;
                        tk::map(t149, [](float q_3, float t221) { return q_3 * t221; }, q_3, t221);
                        tk::stripe<float, 1, 8, 32, 1, vector> t150;
                        tk::reduce_columns(t150, t149, shared.segments_f32_rows_8[0], tk::plus{},
                                           thread, 1);
                        tk::map(n_b, thread, [](int row, int, float t150, float n_b) {
                            return row == 5 ? t150 : n_b;
                        }, t150, n_b);
                        // selective_scan_backward.tk:51
                        tk::stripe<float, 32, 1, 32, 1, vector> t233;
                        tk::map(t233, [](float t138, tk::bf16 t139) { return t138 * float(t139); },
                                t138, t139);
                        tk::stripe<float, 1, 8, 32, 1, vector> t449;
                        tk::load_shared(t449, tk::part<5, 0, 1, 8>(shared.segments_bt_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> t151;
                        tk::map(t151,
                                [](float t137, float a0, float h1_4, float t233, float t449,
                                   float dyt_3) {
                            return tk::fma(tk::exp2(t137 * a0), h1_4, t233 * t449) * dyt_3;
                        }, t137, a0, h1_4, t233, t449, dyt_3);
                        tk::stripe<float, 1, 8, 32, 1, vector> t152;
                        tk::reduce_columns(t152, t151, shared.segments_f32_rows_8[0], tk::plus{},
                                           thread, 1);
                        tk::map(n_c, thread, [](int row, int, float t152, float n_c) {
                            return row == 5 ? t152 : n_c;
                        }, t152, n_c);
                        // selective_scan_backward.tk:42
                        tk::stripe<float, 32, 1, 32, 1, vector> dyt_4;
                        tk::slice_registers<0, 4>(dyt_4, dy);
                        // selective_scan_backward.tk:43
                        tk::stripe<float, 32, 1, 32, 1, vector> dtt_4;
                        tk::slice_registers<0, 4>(dtt_4, dt_2);
                        // selective_scan_backward.tk:44
                        tk::stripe<float, 1, 8, 32, 1, vector> t450;
                        tk::load_shared(t450, tk::part<4, 0, 1, 8>(shared.segments_ct_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> q_4;
                        tk::map(q_4, [](float s0_r, float dyt_4, float t450) {
                            return tk::fma(dyt_4, t450, s0_r);
                        }, s0_r, dyt_4, t450);
                        // selective_scan_backward.tk:45
                        tk::stripe<float, 1, 8, 32, 1, vector> t451;
                        tk::load_shared(t451, tk::part<4, 0, 1, 8>(shared.segments_bt_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> t157;
                        tk::map(t157, [](float q_4, float t451) { return q_4 * t451; }, q_4, t451);
                        tk::stripe<float, 32, 1, 32, 1, vector> t158;
                        tk::fold_rows(t158, t157, tk::plus{}, thread);
                        tk::finish_rows(t158, tk::plus{});
                        tk::map(o_z, thread, [](int, int col, float o_z, float t158) {
                            return col == 4 ? o_z + t158 : o_z;
                        }, o_z, t158);
                        // selective_scan_backward.tk:46
                        tk::map(s0_r, [](float dtt_4, float a0, float q_4) {
                            return tk::exp2(dtt_4 * a0) * q_4;
                        }, dtt_4, a0, q_4);
                        // selective_scan_backward.tk:47
                        tk::stripe<float, 32, 8, 32, 1, vector> w_4;
                        tk::map(w_4, [](float s0_r, float t131) { return s0_r * t131; },
                                s0_r, t131);
                        // selective_scan_backward.tk:48
                        tk::stripe<float, 32, 8, 32, 1, vector> t159;
                        tk::map(t159, [](float w_4, float a0) { return w_4 * a0; }, w_4, a0);
                        tk::stripe<float, 32, 1, 32, 1, vector> t160;
                        tk::fold_rows(t160, t159, tk::plus{}, thread);
                        tk::finish_rows(t160, tk::plus{});
                        tk::map(o_w, thread, [](int, int col, float o_w, float t160) {
                            return col == 4 ? o_w + t160 : o_w;
                        }, o_w, t160);
                        // selective_scan_backward.tk:49
                        tk::map(s0_a, [](float s0_a, float dtt_4, float w_4) {
                            return tk::fma(dtt_4, w_4, s0_a);
                        }, s0_a, dtt_4, w_4);
                        // selective_scan_backward.tk:50
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t161;
                        tk::slice_registers<0, 4>(t161, u_3);
                        tk::stripe<float, 32, 1, 32, 1, vector> t234;
                        tk::map(t234, [](float dtt_4, tk::bf16 t161) {
                            return dtt_4 * float(t161);
                        }, dtt_4, t161);
                        tk::stripe<float, 32, 8, 32, 1, vector> t162;
                        tk::map(t162, [](float q_4, float t234) { return q_4 * t234; }, q_4, t234);
                        tk::stripe<float, 1, 8, 32, 1, vector> t163;
                        tk::reduce_columns(t163, t162, shared.segments_f32_rows_8[0], tk::plus{},
                                           thread, 1);
                        tk::map(n_b, thread, [](int row, int, float t163, float n_b) {
                            return row == 4 ? t163 : n_b;
                        }, t163, n_b);
                        // selective_scan_backward.tk:51
                        tk::stripe<float, 32, 8, 32, 1, vector> t164;
                        tk::map(t164, [](float h1_4, float dyt_4) { return h1_4 * dyt_4; },
                                h1_4, dyt_4);
                        tk::stripe<float, 1, 8, 32, 1, vector> t165;
                        tk::reduce_columns(t165, t164, shared.segments_f32_rows_8[0], tk::plus{},
                                           thread, 1);
                        tk::map(n_c, thread, [](int row, int, float t165, float n_c) {
                            return row == 4 ? t165 : n_c;
                        }, t165, n_c);
                    }

                    // selective_scan_backward.tk:185: if step == 2 { two_back_from<2, 0>(inout ..
                    if (step == 2) {
                        tk::stripe<float, 32, 8, 32, 1, vector> t166;
                        tk::load_slice_in_order<vectors>(
                            t166,
                            tk::slice_if_dense<vectors>(Kept, {b, at_2, g, d, 0},
                                                        at_2 > -1 &&
                                                        at_2 < tk::divide_up(L, 512) * 16 ? CG - d
                                                        : 0, 16), thread);
                        // selective_scan.tk:13
                        tk::stripe<float, 32, 1, 32, 1, vector> t168;
                        tk::slice_registers<0, 0>(t168, dt_2);
                        tk::stripe<float, 32, 1, 32, 1, vector> t169;
                        tk::slice_registers<0, 0>(t169, dt_2);
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t170;
                        tk::slice_registers<0, 0>(t170, u_3);
                        tk::stripe<float, 32, 1, 32, 1, vector> t172;
                        tk::slice_registers<0, 1>(t172, dt_2);
                        tk::stripe<float, 32, 1, 32, 1, vector> t173;
                        tk::slice_registers<0, 1>(t173, dt_2);
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t174;
                        tk::slice_registers<0, 1>(t174, u_3);
                        // selective_scan_backward.tk:67
                        tk::stripe<float, 32, 1, 32, 1, vector> t264;
                        tk::map(t264, [](float t169, tk::bf16 t170) { return t169 * float(t170); },
                                t169, t170);
                        tk::stripe<float, 32, 1, 32, 1, vector> t265;
                        tk::map(t265, [](float t173, tk::bf16 t174) { return t173 * float(t174); },
                                t173, t174);
                        tk::stripe<float, 1, 8, 32, 1, vector> t452;
                        tk::load_shared(t452, tk::part<0, 0, 1, 8>(shared.segments_bt_2[0]),
                                        thread);
                        tk::stripe<float, 1, 8, 32, 1, vector> t453;
                        tk::load_shared(t453, tk::part<1, 0, 1, 8>(shared.segments_bt_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> h2_4;
                        tk::map(h2_4,
                                [](float t172, float a0, float t168, float t166, float t264,
                                   float t452, float t265, float t453) {
                            return tk::fma(tk::exp2(t172 * a0),
                                           tk::fma(tk::exp2(t168 * a0), t166, t264 * t452),
                                           t265 * t453);
                        }, t172, a0, t168, t166, t264, t452, t265, t453);
                        // selective_scan.tk:13
                        tk::stripe<float, 32, 1, 32, 1, vector> t176;
                        tk::slice_registers<0, 2>(t176, dt_2);
                        tk::stripe<float, 32, 1, 32, 1, vector> t177;
                        tk::slice_registers<0, 2>(t177, dt_2);
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t178;
                        tk::slice_registers<0, 2>(t178, u_3);
                        // selective_scan_backward.tk:57
                        tk::stripe<float, 32, 1, 32, 1, vector> t277;
                        tk::map(t277, [](float t177, tk::bf16 t178) { return t177 * float(t178); },
                                t177, t178);
                        tk::stripe<float, 1, 8, 32, 1, vector> t454;
                        tk::load_shared(t454, tk::part<2, 0, 1, 8>(shared.segments_bt_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> h1_6;
                        tk::map(h1_6, [](float t176, float a0, float h2_4, float t277, float t454) {
                            return tk::fma(tk::exp2(t176 * a0), h2_4, t277 * t454);
                        }, t176, a0, h2_4, t277, t454);
                        // selective_scan.tk:13
                        tk::stripe<float, 32, 1, 32, 1, vector> t180;
                        tk::slice_registers<0, 3>(t180, dt_2);
                        tk::stripe<float, 32, 1, 32, 1, vector> t181;
                        tk::slice_registers<0, 3>(t181, dt_2);
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t182;
                        tk::slice_registers<0, 3>(t182, u_3);
                        // selective_scan_backward.tk:42
                        tk::stripe<float, 32, 1, 32, 1, vector> dyt_5;
                        tk::slice_registers<0, 3>(dyt_5, dy);
                        // selective_scan_backward.tk:43
                        tk::stripe<float, 32, 1, 32, 1, vector> dtt_5;
                        tk::slice_registers<0, 3>(dtt_5, dt_2);
                        // selective_scan_backward.tk:44
                        tk::stripe<float, 1, 8, 32, 1, vector> t455;
                        tk::load_shared(t455, tk::part<3, 0, 1, 8>(shared.segments_ct_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> q_5;
                        tk::map(q_5, [](float s0_r, float dyt_5, float t455) {
                            return tk::fma(dyt_5, t455, s0_r);
                        }, s0_r, dyt_5, t455);
                        // selective_scan_backward.tk:45
                        tk::stripe<float, 1, 8, 32, 1, vector> t456;
                        tk::load_shared(t456, tk::part<3, 0, 1, 8>(shared.segments_bt_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> t187;
                        tk::map(t187, [](float q_5, float t456) { return q_5 * t456; }, q_5, t456);
                        tk::stripe<float, 32, 1, 32, 1, vector> t188;
                        tk::fold_rows(t188, t187, tk::plus{}, thread);
                        tk::finish_rows(t188, tk::plus{});
                        tk::map(o_z, thread, [](int, int col, float o_z, float t188) {
                            return col == 3 ? o_z + t188 : o_z;
                        }, o_z, t188);
                        // selective_scan_backward.tk:46
                        tk::map(s0_r, [](float dtt_5, float a0, float q_5) {
                            return tk::exp2(dtt_5 * a0) * q_5;
                        }, dtt_5, a0, q_5);
                        // selective_scan_backward.tk:47
                        tk::stripe<float, 32, 8, 32, 1, vector> w_5;
                        tk::map(w_5, [](float s0_r, float h1_6) { return s0_r * h1_6; },
                                s0_r, h1_6);
                        // selective_scan_backward.tk:48
                        tk::stripe<float, 32, 8, 32, 1, vector> t189;
                        tk::map(t189, [](float w_5, float a0) { return w_5 * a0; }, w_5, a0);
                        tk::stripe<float, 32, 1, 32, 1, vector> t190;
                        tk::fold_rows(t190, t189, tk::plus{}, thread);
                        tk::finish_rows(t190, tk::plus{});
                        tk::map(o_w, thread, [](int, int col, float o_w, float t190) {
                            return col == 3 ? o_w + t190 : o_w;
                        }, o_w, t190);
                        // selective_scan_backward.tk:49
                        tk::map(s0_a, [](float s0_a, float dtt_5, float w_5) {
                            return tk::fma(dtt_5, w_5, s0_a);
                        }, s0_a, dtt_5, w_5);
                        // selective_scan_backward.tk:50
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t191;
                        tk::slice_registers<0, 3>(t191, u_3);
                        tk::stripe<float, 32, 1, 32, 1, vector> t278;
                        tk::map(t278, [](float dtt_5, tk::bf16 t191) {
                            return dtt_5 * float(t191);
                        }, dtt_5, t191);
                        tk::stripe<float, 32, 8, 32, 1, vector> t192;
                        tk::map(t192, [](float q_5, float t278) { return q_5 * t278; }, q_5, t278);
                        tk::stripe<float, 1, 8, 32, 1, vector> t193;
                        tk::reduce_columns(t193, t192, shared.segments_f32_rows_8[0], tk::plus{},
                                           thread, 1);
                        tk::map(n_b, thread, [](int row, int, float t193, float n_b) {
                            return row == 3 ? t193 : n_b;
                        }, t193, n_b);
                        // selective_scan_backward.tk:51
                        tk::stripe<float, 32, 1, 32, 1, vector> t299;
                        tk::map(t299, [](float t181, tk::bf16 t182) { return t181 * float(t182); },
                                t181, t182);
                        tk::stripe<float, 1, 8, 32, 1, vector> t457;
                        tk::load_shared(t457, tk::part<3, 0, 1, 8>(shared.segments_bt_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> t194;
                        tk::map(t194,
                                [](float t180, float a0, float h1_6, float t299, float t457,
                                   float dyt_5) {
                            return tk::fma(tk::exp2(t180 * a0), h1_6, t299 * t457) * dyt_5;
                        }, t180, a0, h1_6, t299, t457, dyt_5);
                        tk::stripe<float, 1, 8, 32, 1, vector> t195;
                        tk::reduce_columns(t195, t194, shared.segments_f32_rows_8[0], tk::plus{},
                                           thread, 1);
                        tk::map(n_c, thread, [](int row, int, float t195, float n_c) {
                            return row == 3 ? t195 : n_c;
                        }, t195, n_c);
                        // selective_scan_backward.tk:42
                        tk::stripe<float, 32, 1, 32, 1, vector> dyt_6;
                        tk::slice_registers<0, 2>(dyt_6, dy);
                        // selective_scan_backward.tk:43
                        tk::stripe<float, 32, 1, 32, 1, vector> dtt_6;
                        tk::slice_registers<0, 2>(dtt_6, dt_2);
                        // selective_scan_backward.tk:44
                        tk::stripe<float, 1, 8, 32, 1, vector> t458;
                        tk::load_shared(t458, tk::part<2, 0, 1, 8>(shared.segments_ct_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> q_6;
                        tk::map(q_6, [](float s0_r, float dyt_6, float t458) {
                            return tk::fma(dyt_6, t458, s0_r);
                        }, s0_r, dyt_6, t458);
                        // selective_scan_backward.tk:45
                        tk::stripe<float, 1, 8, 32, 1, vector> t459;
                        tk::load_shared(t459, tk::part<2, 0, 1, 8>(shared.segments_bt_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> t200;
                        tk::map(t200, [](float q_6, float t459) { return q_6 * t459; }, q_6, t459);
                        tk::stripe<float, 32, 1, 32, 1, vector> t201;
                        tk::fold_rows(t201, t200, tk::plus{}, thread);
                        tk::finish_rows(t201, tk::plus{});
                        tk::map(o_z, thread, [](int, int col, float o_z, float t201) {
                            return col == 2 ? o_z + t201 : o_z;
                        }, o_z, t201);
                        // selective_scan_backward.tk:46
                        tk::map(s0_r, [](float dtt_6, float a0, float q_6) {
                            return tk::exp2(dtt_6 * a0) * q_6;
                        }, dtt_6, a0, q_6);
                        // selective_scan_backward.tk:47
                        tk::stripe<float, 32, 8, 32, 1, vector> w_6;
                        tk::map(w_6, [](float s0_r, float h2_4) { return s0_r * h2_4; },
                                s0_r, h2_4);
                        // selective_scan_backward.tk:48
                        tk::stripe<float, 32, 8, 32, 1, vector> t202;
                        tk::map(t202, [](float w_6, float a0) { return w_6 * a0; }, w_6, a0);
                        tk::stripe<float, 32, 1, 32, 1, vector> t203;
                        tk::fold_rows(t203, t202, tk::plus{}, thread);
                        tk::finish_rows(t203, tk::plus{});
                        tk::map(o_w, thread, [](int, int col, float o_w, float t203) {
                            return col == 2 ? o_w + t203 : o_w;
                        }, o_w, t203);
                        // selective_scan_backward.tk:49
                        tk::map(s0_a, [](float s0_a, float dtt_6, float w_6) {
                            return tk::fma(dtt_6, w_6, s0_a);
                        }, s0_a, dtt_6, w_6);
                        // selective_scan_backward.tk:50
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t204;
                        tk::slice_registers<0, 2>(t204, u_3);
                        tk::stripe<float, 32, 1, 32, 1, vector> t300;
                        tk::map(t300, [](float dtt_6, tk::bf16 t204) {
                            return dtt_6 * float(t204);
                        }, dtt_6, t204);
                        tk::stripe<float, 32, 8, 32, 1, vector> t205;
                        tk::map(t205, [](float q_6, float t300) { return q_6 * t300; }, q_6, t300);
                        tk::stripe<float, 1, 8, 32, 1, vector> t206;
                        tk::reduce_columns(t206, t205, shared.segments_f32_rows_8[0], tk::plus{},
                                           thread, 1);
                        tk::map(n_b, thread, [](int row, int, float t206, float n_b) {
                            return row == 2 ? t206 : n_b;
                        }, t206, n_b);
                        // selective_scan_backward.tk:51
                        tk::stripe<float, 32, 8, 32, 1, vector> t207;
                        tk::map(t207, [](float h1_6, float dyt_6) { return h1_6 * dyt_6; },
                                h1_6, dyt_6);
                        tk::stripe<float, 1, 8, 32, 1, vector> t208;
                        tk::reduce_columns(t208, t207, shared.segments_f32_rows_8[0], tk::plus{},
                                           thread, 1);
                        tk::map(n_c, thread, [](int row, int, float t208, float n_c) {
                            return row == 2 ? t208 : n_c;
                        }, t208, n_c);
                    }

                    // selective_scan_backward.tk:186: if step == 3 { two_back<0, 0>(inout s0, ..
                    if (step == 3) {
                        tk::stripe<float, 32, 8, 32, 1, vector> t209;
                        tk::load_slice_in_order<vectors>(
                            t209,
                            tk::slice_if_dense<vectors>(Kept, {b, at_2, g, d, 0},
                                                        at_2 > -1 &&
                                                        at_2 < tk::divide_up(L, 512) * 16 ? CG - d
                                                        : 0, 16), thread);
                        // selective_scan.tk:13
                        tk::stripe<float, 32, 1, 32, 1, vector> t211;
                        tk::slice_registers<0, 0>(t211, dt_2);
                        tk::stripe<float, 32, 1, 32, 1, vector> t212;
                        tk::slice_registers<0, 0>(t212, dt_2);
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t213;
                        tk::slice_registers<0, 0>(t213, u_3);
                        // selective_scan_backward.tk:57
                        tk::stripe<float, 32, 1, 32, 1, vector> t312;
                        tk::map(t312, [](float t212, tk::bf16 t213) { return t212 * float(t213); },
                                t212, t213);
                        tk::stripe<float, 1, 8, 32, 1, vector> t460;
                        tk::load_shared(t460, tk::part<0, 0, 1, 8>(shared.segments_bt_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> h1_7;
                        tk::map(h1_7, [](float t211, float a0, float t209, float t312, float t460) {
                            return tk::fma(tk::exp2(t211 * a0), t209, t312 * t460);
                        }, t211, a0, t209, t312, t460);
                        // selective_scan.tk:13
                        tk::stripe<float, 32, 1, 32, 1, vector> t215;
                        tk::slice_registers<0, 1>(t215, dt_2);
                        tk::stripe<float, 32, 1, 32, 1, vector> t216;
                        tk::slice_registers<0, 1>(t216, dt_2);
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t217;
                        tk::slice_registers<0, 1>(t217, u_3);
                        // selective_scan_backward.tk:42
                        tk::stripe<float, 32, 1, 32, 1, vector> dyt_7;
                        tk::slice_registers<0, 1>(dyt_7, dy);
                        // selective_scan_backward.tk:43
                        tk::stripe<float, 32, 1, 32, 1, vector> dtt_7;
                        tk::slice_registers<0, 1>(dtt_7, dt_2);
                        // selective_scan_backward.tk:44
                        tk::stripe<float, 1, 8, 32, 1, vector> t461;
                        tk::load_shared(t461, tk::part<1, 0, 1, 8>(shared.segments_ct_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> q_7;
                        tk::map(q_7, [](float s0_r, float dyt_7, float t461) {
                            return tk::fma(dyt_7, t461, s0_r);
                        }, s0_r, dyt_7, t461);
                        // selective_scan_backward.tk:45
                        tk::stripe<float, 1, 8, 32, 1, vector> t462;
                        tk::load_shared(t462, tk::part<1, 0, 1, 8>(shared.segments_bt_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> t222;
                        tk::map(t222, [](float q_7, float t462) { return q_7 * t462; }, q_7, t462);
                        tk::stripe<float, 32, 1, 32, 1, vector> t223;
                        tk::fold_rows(t223, t222, tk::plus{}, thread);
                        tk::finish_rows(t223, tk::plus{});
                        tk::map(o_z, thread, [](int, int col, float o_z, float t223) {
                            return col == 1 ? o_z + t223 : o_z;
                        }, o_z, t223);
                        // selective_scan_backward.tk:46
                        tk::map(s0_r, [](float dtt_7, float a0, float q_7) {
                            return tk::exp2(dtt_7 * a0) * q_7;
                        }, dtt_7, a0, q_7);
                        // selective_scan_backward.tk:47
                        tk::stripe<float, 32, 8, 32, 1, vector> w_7;
                        tk::map(w_7, [](float s0_r, float h1_7) { return s0_r * h1_7; },
                                s0_r, h1_7);
                        // selective_scan_backward.tk:48
                        tk::stripe<float, 32, 8, 32, 1, vector> t224;
                        tk::map(t224, [](float w_7, float a0) { return w_7 * a0; }, w_7, a0);
                        tk::stripe<float, 32, 1, 32, 1, vector> t225;
                        tk::fold_rows(t225, t224, tk::plus{}, thread);
                        tk::finish_rows(t225, tk::plus{});
                        tk::map(o_w, thread, [](int, int col, float o_w, float t225) {
                            return col == 1 ? o_w + t225 : o_w;
                        }, o_w, t225);
                        // selective_scan_backward.tk:49
                        tk::map(s0_a, [](float s0_a, float dtt_7, float w_7) {
                            return tk::fma(dtt_7, w_7, s0_a);
                        }, s0_a, dtt_7, w_7);
                        // selective_scan_backward.tk:50
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t226;
                        tk::slice_registers<0, 1>(t226, u_3);
                        tk::stripe<float, 32, 1, 32, 1, vector> t313;
                        tk::map(t313, [](float dtt_7, tk::bf16 t226) {
                            return dtt_7 * float(t226);
                        }, dtt_7, t226);
                        tk::stripe<float, 32, 8, 32, 1, vector> t227;
                        tk::map(t227, [](float q_7, float t313) { return q_7 * t313; }, q_7, t313);
                        tk::stripe<float, 1, 8, 32, 1, vector> t228;
                        tk::reduce_columns(t228, t227, shared.segments_f32_rows_8[0], tk::plus{},
                                           thread, 1);
                        tk::map(n_b, thread, [](int row, int, float t228, float n_b) {
                            return row == 1 ? t228 : n_b;
                        }, t228, n_b);
                        // selective_scan_backward.tk:51
                        tk::stripe<float, 32, 1, 32, 1, vector> t342;
                        tk::map(t342, [](float t216, tk::bf16 t217) { return t216 * float(t217); },
                                t216, t217);
                        tk::stripe<float, 1, 8, 32, 1, vector> t463;
                        tk::load_shared(t463, tk::part<1, 0, 1, 8>(shared.segments_bt_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> t229;
                        tk::map(t229,
                                [](float t215, float a0, float h1_7, float t342, float t463,
                                   float dyt_7) {
                            return tk::fma(tk::exp2(t215 * a0), h1_7, t342 * t463) * dyt_7;
                        }, t215, a0, h1_7, t342, t463, dyt_7);
                        tk::stripe<float, 1, 8, 32, 1, vector> t230;
                        tk::reduce_columns(t230, t229, shared.segments_f32_rows_8[0], tk::plus{},
                                           thread, 1);
                        tk::map(n_c, thread, [](int row, int, float t230, float n_c) {
                            return row == 1 ? t230 : n_c;
                        }, t230, n_c);
                        // selective_scan_backward.tk:42
                        tk::stripe<float, 32, 1, 32, 1, vector> dyt_8;
                        tk::slice_registers<0, 0>(dyt_8, dy);
                        // selective_scan_backward.tk:43
                        tk::stripe<float, 32, 1, 32, 1, vector> dtt_8;
                        tk::slice_registers<0, 0>(dtt_8, dt_2);
                        // selective_scan_backward.tk:44
                        tk::stripe<float, 1, 8, 32, 1, vector> t464;
                        tk::load_shared(t464, tk::part<0, 0, 1, 8>(shared.segments_ct_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> q_8;
                        tk::map(q_8, [](float s0_r, float dyt_8, float t464) {
                            return tk::fma(dyt_8, t464, s0_r);
                        }, s0_r, dyt_8, t464);
                        // selective_scan_backward.tk:45
                        tk::stripe<float, 1, 8, 32, 1, vector> t465;
                        tk::load_shared(t465, tk::part<0, 0, 1, 8>(shared.segments_bt_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> t235;
                        tk::map(t235, [](float q_8, float t465) { return q_8 * t465; }, q_8, t465);
                        tk::stripe<float, 32, 1, 32, 1, vector> t236;
                        tk::fold_rows(t236, t235, tk::plus{}, thread);
                        tk::finish_rows(t236, tk::plus{});
                        tk::map(o_z, thread, [](int, int col, float o_z, float t236) {
                            return col == 0 ? o_z + t236 : o_z;
                        }, o_z, t236);
                        // selective_scan_backward.tk:46
                        tk::map(s0_r, [](float dtt_8, float a0, float q_8) {
                            return tk::exp2(dtt_8 * a0) * q_8;
                        }, dtt_8, a0, q_8);
                        // selective_scan_backward.tk:47
                        tk::stripe<float, 32, 8, 32, 1, vector> w_8;
                        tk::map(w_8, [](float s0_r, float t209) { return s0_r * t209; },
                                s0_r, t209);
                        // selective_scan_backward.tk:48
                        tk::stripe<float, 32, 8, 32, 1, vector> t237;
                        tk::map(t237, [](float w_8, float a0) { return w_8 * a0; }, w_8, a0);
                        tk::stripe<float, 32, 1, 32, 1, vector> t238;
                        tk::fold_rows(t238, t237, tk::plus{}, thread);
                        tk::finish_rows(t238, tk::plus{});
                        tk::map(o_w, thread, [](int, int col, float o_w, float t238) {
                            return col == 0 ? o_w + t238 : o_w;
                        }, o_w, t238);
                        // selective_scan_backward.tk:49
                        tk::map(s0_a, [](float s0_a, float dtt_8, float w_8) {
                            return tk::fma(dtt_8, w_8, s0_a);
                        }, s0_a, dtt_8, w_8);
                        // selective_scan_backward.tk:50
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t239;
                        tk::slice_registers<0, 0>(t239, u_3);
                        tk::stripe<float, 32, 1, 32, 1, vector> t343;
                        tk::map(t343, [](float dtt_8, tk::bf16 t239) {
                            return dtt_8 * float(t239);
                        }, dtt_8, t239);
                        tk::stripe<float, 32, 8, 32, 1, vector> t240;
                        tk::map(t240, [](float q_8, float t343) { return q_8 * t343; }, q_8, t343);
                        tk::stripe<float, 1, 8, 32, 1, vector> t241;
                        tk::reduce_columns(t241, t240, shared.segments_f32_rows_8[0], tk::plus{},
                                           thread, 1);
                        tk::map(n_b, thread, [](int row, int, float t241, float n_b) {
                            return row == 0 ? t241 : n_b;
                        }, t241, n_b);
                        // selective_scan_backward.tk:51
                        tk::stripe<float, 32, 8, 32, 1, vector> t242;
                        tk::map(t242, [](float h1_7, float dyt_8) { return h1_7 * dyt_8; },
                                h1_7, dyt_8);
                        tk::stripe<float, 1, 8, 32, 1, vector> t243;
                        tk::reduce_columns(t243, t242, shared.segments_f32_rows_8[0], tk::plus{},
                                           thread, 1);
                        tk::map(n_c, thread, [](int row, int, float t243, float n_c) {
                            return row == 0 ? t243 : n_c;
                        }, t243, n_c);
                    }
                }

                // selective_scan_backward.tk:188: r0 = s0.r;
                tk::barrier_sync(1, 32);
                tk::store_shared(shared.segments_r0[0], s0_r, thread);

                // selective_scan_backward.tk:189: da0 = da0 + s0.a;
                tk::stripe<float, 32, 8, 32, 1, vector> t466;
                tk::load_shared(t466, shared.segments_da0[0], thread);
                tk::stripe<float, 32, 8, 32, 1, vector> t244;
                tk::map(t244, [](float t466, float s0_a) { return t466 + s0_a; }, t466, s0_a);
                tk::barrier_sync(1, 32);
                tk::store_shared(shared.segments_da0[0], t244, thread);

                // selective_scan_backward.tk:190: store(Part[b, g, d.index, t, 0 +: S / 2], n.b);
                tk::store_slice<vectors>(
                    tk::slice_if_dense<vectors>(Part, {b, g, d / 32, t, 0},
                                                d / 32 < tk::divide_up(CG, 32) ? L - t : 0, 32),
                    n_b, thread);

                // selective_scan_backward.tk:191: store(Part[b, g, d.index, t, S +: S / 2], n.c);
                tk::store_slice<vectors>(
                    tk::slice_if_dense<vectors>(Part, {b, g, d / 32, t, 16},
                                                d / 32 < tk::divide_up(CG, 32) ? L - t : 0,
                                                32 - 16), n_c, thread);

                // selective_scan_backward.tk:192: var s1: sums<32, S / 2> = { r = r1, a = 0 };
                tk::load_shared(s1_r, shared.segments_r1[0], thread);
                tk::zero(s1_a);

                // selective_scan_backward.tk:193: for step in 4 {
                for (int step = 0; step < 4; step += 1) {
                    // selective_scan_backward.tk:194: if step == 0 { two_back_from<6, S / ..
                    if (step == 0) {
                        tk::stripe<float, 32, 8, 32, 1, vector> t245;
                        tk::load_slice_in_order<vectors>(
                            t245,
                            tk::slice_if_dense<vectors>(Kept, {b, at_2 + 1, g, d, 8},
                                                        at_2 + 1 > -1 &&
                                                        at_2 + 1 < tk::divide_up(L, 512) * 16
                                                        ? CG - d : 0, 16 - 8), thread);
                        // selective_scan.tk:13
                        tk::stripe<float, 32, 1, 32, 1, vector> t247;
                        tk::slice_registers<0, 4>(t247, dt_2);
                        tk::stripe<float, 32, 1, 32, 1, vector> t248;
                        tk::slice_registers<0, 4>(t248, dt_2);
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t249;
                        tk::slice_registers<0, 4>(t249, u_3);
                        tk::stripe<float, 32, 1, 32, 1, vector> t251;
                        tk::slice_registers<0, 5>(t251, dt_2);
                        tk::stripe<float, 32, 1, 32, 1, vector> t252;
                        tk::slice_registers<0, 5>(t252, dt_2);
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t253;
                        tk::slice_registers<0, 5>(t253, u_3);
                        // selective_scan_backward.tk:67
                        tk::stripe<float, 32, 1, 32, 1, vector> t355;
                        tk::map(t355, [](float t248, tk::bf16 t249) { return t248 * float(t249); },
                                t248, t249);
                        tk::stripe<float, 32, 1, 32, 1, vector> t356;
                        tk::map(t356, [](float t252, tk::bf16 t253) { return t252 * float(t253); },
                                t252, t253);
                        tk::stripe<float, 1, 8, 32, 1, vector> t467;
                        tk::load_shared(t467, tk::part<4, 8, 1, 8>(shared.segments_bt_2[0]),
                                        thread);
                        tk::stripe<float, 1, 8, 32, 1, vector> t468;
                        tk::load_shared(t468, tk::part<5, 8, 1, 8>(shared.segments_bt_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> h2_7;
                        tk::map(h2_7,
                                [](float t251, float a1, float t247, float t245, float t355,
                                   float t467, float t356, float t468) {
                            return tk::fma(tk::exp2(t251 * a1),
                                           tk::fma(tk::exp2(t247 * a1), t245, t355 * t467),
                                           t356 * t468);
                        }, t251, a1, t247, t245, t355, t467, t356, t468);
                        // selective_scan.tk:13
                        tk::stripe<float, 32, 1, 32, 1, vector> t255;
                        tk::slice_registers<0, 6>(t255, dt_2);
                        tk::stripe<float, 32, 1, 32, 1, vector> t256;
                        tk::slice_registers<0, 6>(t256, dt_2);
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t257;
                        tk::slice_registers<0, 6>(t257, u_3);
                        // selective_scan_backward.tk:57
                        tk::stripe<float, 32, 1, 32, 1, vector> t377;
                        tk::map(t377, [](float t256, tk::bf16 t257) { return t256 * float(t257); },
                                t256, t257);
                        tk::stripe<float, 1, 8, 32, 1, vector> t469;
                        tk::load_shared(t469, tk::part<6, 8, 1, 8>(shared.segments_bt_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> h1_9;
                        tk::map(h1_9, [](float t255, float a1, float h2_7, float t377, float t469) {
                            return tk::fma(tk::exp2(t255 * a1), h2_7, t377 * t469);
                        }, t255, a1, h2_7, t377, t469);
                        // selective_scan.tk:13
                        tk::stripe<float, 32, 1, 32, 1, vector> t259;
                        tk::slice_registers<0, 7>(t259, dt_2);
                        tk::stripe<float, 32, 1, 32, 1, vector> t260;
                        tk::slice_registers<0, 7>(t260, dt_2);
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t261;
                        tk::slice_registers<0, 7>(t261, u_3);
                        // selective_scan_backward.tk:42
                        tk::stripe<float, 32, 1, 32, 1, vector> dyt_9;
                        tk::slice_registers<0, 7>(dyt_9, dy);
                        // selective_scan_backward.tk:43
                        tk::stripe<float, 32, 1, 32, 1, vector> dtt_9;
                        tk::slice_registers<0, 7>(dtt_9, dt_2);
                        // selective_scan_backward.tk:44
                        tk::stripe<float, 1, 8, 32, 1, vector> t470;
                        tk::load_shared(t470, tk::part<7, 8, 1, 8>(shared.segments_ct_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> q_9;
                        tk::map(q_9, [](float s1_r, float dyt_9, float t470) {
                            return tk::fma(dyt_9, t470, s1_r);
                        }, s1_r, dyt_9, t470);
                        // selective_scan_backward.tk:45
                        tk::stripe<float, 1, 8, 32, 1, vector> t471;
                        tk::load_shared(t471, tk::part<7, 8, 1, 8>(shared.segments_bt_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> t266;
                        tk::map(t266, [](float q_9, float t471) { return q_9 * t471; }, q_9, t471);
                        tk::stripe<float, 32, 1, 32, 1, vector> t267;
                        tk::fold_rows(t267, t266, tk::plus{}, thread);
                        tk::finish_rows(t267, tk::plus{});
                        tk::map(o_z, thread, [](int, int col, float o_z, float t267) {
                            return col == 7 ? o_z + t267 : o_z;
                        }, o_z, t267);
                        // selective_scan_backward.tk:46
                        tk::map(s1_r, [](float dtt_9, float a1, float q_9) {
                            return tk::exp2(dtt_9 * a1) * q_9;
                        }, dtt_9, a1, q_9);
                        // selective_scan_backward.tk:47
                        tk::stripe<float, 32, 8, 32, 1, vector> w_9;
                        tk::map(w_9, [](float s1_r, float h1_9) { return s1_r * h1_9; },
                                s1_r, h1_9);
                        // selective_scan_backward.tk:48
                        tk::stripe<float, 32, 8, 32, 1, vector> t268;
                        tk::map(t268, [](float w_9, float a1) { return w_9 * a1; }, w_9, a1);
                        tk::stripe<float, 32, 1, 32, 1, vector> t269;
                        tk::fold_rows(t269, t268, tk::plus{}, thread);
                        tk::finish_rows(t269, tk::plus{});
                        tk::map(o_w, thread, [](int, int col, float o_w, float t269) {
                            return col == 7 ? o_w + t269 : o_w;
                        }, o_w, t269);
                        // selective_scan_backward.tk:49
                        tk::map(s1_a, [](float s1_a, float dtt_9, float w_9) {
                            return tk::fma(dtt_9, w_9, s1_a);
                        }, s1_a, dtt_9, w_9);
                        // selective_scan_backward.tk:50
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t270;
                        tk::slice_registers<0, 7>(t270, u_3);
                        tk::stripe<float, 32, 1, 32, 1, vector> t378;
                        tk::map(t378, [](float dtt_9, tk::bf16 t270) {
                            return dtt_9 * float(t270);
                        }, dtt_9, t270);
                        tk::stripe<float, 32, 8, 32, 1, vector> t271;
                        tk::map(t271, [](float q_9, float t378) { return q_9 * t378; }, q_9, t378);
                        tk::stripe<float, 1, 8, 32, 1, vector> t272;
                        tk::reduce_columns(t272, t271, shared.segments_f32_rows_8[0], tk::plus{},
                                           thread, 1);
                        tk::map(n_b, thread, [](int row, int, float t272, float n_b) {
                            return row == 7 ? t272 : n_b;
                        }, t272, n_b);
                        // selective_scan_backward.tk:51
                        tk::stripe<float, 32, 1, 32, 1, vector> t390;
                        tk::map(t390, [](float t260, tk::bf16 t261) { return t260 * float(t261); },
                                t260, t261);
                        tk::stripe<float, 1, 8, 32, 1, vector> t472;
                        tk::load_shared(t472, tk::part<7, 8, 1, 8>(shared.segments_bt_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> t273;
                        tk::map(t273,
                                [](float t259, float a1, float h1_9, float t390, float t472,
                                   float dyt_9) {
                            return tk::fma(tk::exp2(t259 * a1), h1_9, t390 * t472) * dyt_9;
                        }, t259, a1, h1_9, t390, t472, dyt_9);
                        tk::stripe<float, 1, 8, 32, 1, vector> t274;
                        tk::reduce_columns(t274, t273, shared.segments_f32_rows_8[0], tk::plus{},
                                           thread, 1);
                        tk::map(n_c, thread, [](int row, int, float t274, float n_c) {
                            return row == 7 ? t274 : n_c;
                        }, t274, n_c);
                        // selective_scan_backward.tk:42
                        tk::stripe<float, 32, 1, 32, 1, vector> dyt_10;
                        tk::slice_registers<0, 6>(dyt_10, dy);
                        // selective_scan_backward.tk:43
                        tk::stripe<float, 32, 1, 32, 1, vector> dtt_10;
                        tk::slice_registers<0, 6>(dtt_10, dt_2);
                        // selective_scan_backward.tk:44
                        tk::stripe<float, 1, 8, 32, 1, vector> t473;
                        tk::load_shared(t473, tk::part<6, 8, 1, 8>(shared.segments_ct_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> q_10;
                        tk::map(q_10, [](float s1_r, float dyt_10, float t473) {
                            return tk::fma(dyt_10, t473, s1_r);
                        }, s1_r, dyt_10, t473);
                        // selective_scan_backward.tk:45
                        tk::stripe<float, 1, 8, 32, 1, vector> t474;
                        tk::load_shared(t474, tk::part<6, 8, 1, 8>(shared.segments_bt_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> t279;
                        tk::map(t279, [](float q_10, float t474) { return q_10 * t474; },
                                q_10, t474);
                        tk::stripe<float, 32, 1, 32, 1, vector> t280;
                        tk::fold_rows(t280, t279, tk::plus{}, thread);
                        tk::finish_rows(t280, tk::plus{});
                        tk::map(o_z, thread, [](int, int col, float o_z, float t280) {
                            return col == 6 ? o_z + t280 : o_z;
                        }, o_z, t280);
                        // selective_scan_backward.tk:46
                        tk::map(s1_r, [](float dtt_10, float a1, float q_10) {
                            return tk::exp2(dtt_10 * a1) * q_10;
                        }, dtt_10, a1, q_10);
                        // selective_scan_backward.tk:47
                        tk::stripe<float, 32, 8, 32, 1, vector> w_10;
                        tk::map(w_10, [](float s1_r, float h2_7) { return s1_r * h2_7; },
                                s1_r, h2_7);
                        // selective_scan_backward.tk:48
                        tk::stripe<float, 32, 8, 32, 1, vector> t281;
                        tk::map(t281, [](float w_10, float a1) { return w_10 * a1; }, w_10, a1);
                        tk::stripe<float, 32, 1, 32, 1, vector> t282;
                        tk::fold_rows(t282, t281, tk::plus{}, thread);
                        tk::finish_rows(t282, tk::plus{});
                        tk::map(o_w, thread, [](int, int col, float o_w, float t282) {
                            return col == 6 ? o_w + t282 : o_w;
                        }, o_w, t282);
                        // selective_scan_backward.tk:49
                        tk::map(s1_a, [](float s1_a, float dtt_10, float w_10) {
                            return tk::fma(dtt_10, w_10, s1_a);
                        }, s1_a, dtt_10, w_10);
                        // selective_scan_backward.tk:50
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t283;
                        tk::slice_registers<0, 6>(t283, u_3);
                        tk::stripe<float, 32, 1, 32, 1, vector> t391;
                        tk::map(t391, [](float dtt_10, tk::bf16 t283) {
                            return dtt_10 * float(t283);
                        }, dtt_10, t283);
                        tk::stripe<float, 32, 8, 32, 1, vector> t284;
                        tk::map(t284, [](float q_10, float t391) { return q_10 * t391; },
                                q_10, t391);
                        tk::stripe<float, 1, 8, 32, 1, vector> t285;
                        tk::reduce_columns(t285, t284, shared.segments_f32_rows_8[0], tk::plus{},
                                           thread, 1);
                        tk::map(n_b, thread, [](int row, int, float t285, float n_b) {
                            return row == 6 ? t285 : n_b;
                        }, t285, n_b);
                        // selective_scan_backward.tk:51
                        tk::stripe<float, 32, 8, 32, 1, vector> t286;
                        tk::map(t286, [](float h1_9, float dyt_10) { return h1_9 * dyt_10; },
                                h1_9, dyt_10);
                        tk::stripe<float, 1, 8, 32, 1, vector> t287;
                        tk::reduce_columns(t287, t286, shared.segments_f32_rows_8[0], tk::plus{},
                                           thread, 1);
                        tk::map(n_c, thread, [](int row, int, float t287, float n_c) {
                            return row == 6 ? t287 : n_c;
                        }, t287, n_c);
                    }

                    // selective_scan_backward.tk:195: if step == 1 { two_back<4, S / 2>(inout ..
                    if (step == 1) {
                        tk::stripe<float, 32, 8, 32, 1, vector> t288;
                        tk::load_slice_in_order<vectors>(
                            t288,
                            tk::slice_if_dense<vectors>(Kept, {b, at_2 + 1, g, d, 8},
                                                        at_2 + 1 > -1 &&
                                                        at_2 + 1 < tk::divide_up(L, 512) * 16
                                                        ? CG - d : 0, 16 - 8), thread);
                        // selective_scan.tk:13
                        tk::stripe<float, 32, 1, 32, 1, vector> t290;
                        tk::slice_registers<0, 4>(t290, dt_2);
                        tk::stripe<float, 32, 1, 32, 1, vector> t291;
                        tk::slice_registers<0, 4>(t291, dt_2);
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t292;
                        tk::slice_registers<0, 4>(t292, u_3);
                        // selective_scan_backward.tk:57
                        tk::stripe<float, 32, 1, 32, 1, vector> t408;
                        tk::map(t408, [](float t291, tk::bf16 t292) { return t291 * float(t292); },
                                t291, t292);
                        tk::stripe<float, 1, 8, 32, 1, vector> t475;
                        tk::load_shared(t475, tk::part<4, 8, 1, 8>(shared.segments_bt_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> h1_10;
                        tk::map(h1_10, [](float t290, float a1, float t288, float t408, float t475) {
                            return tk::fma(tk::exp2(t290 * a1), t288, t408 * t475);
                        }, t290, a1, t288, t408, t475);
                        // selective_scan.tk:13
                        tk::stripe<float, 32, 1, 32, 1, vector> t294;
                        tk::slice_registers<0, 5>(t294, dt_2);
                        tk::stripe<float, 32, 1, 32, 1, vector> t295;
                        tk::slice_registers<0, 5>(t295, dt_2);
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t296;
                        tk::slice_registers<0, 5>(t296, u_3);
                        // selective_scan_backward.tk:42
                        tk::stripe<float, 32, 1, 32, 1, vector> dyt_11;
                        tk::slice_registers<0, 5>(dyt_11, dy);
                        // selective_scan_backward.tk:43
                        tk::stripe<float, 32, 1, 32, 1, vector> dtt_11;
                        tk::slice_registers<0, 5>(dtt_11, dt_2);
                        // selective_scan_backward.tk:44
                        tk::stripe<float, 1, 8, 32, 1, vector> t476;
                        tk::load_shared(t476, tk::part<5, 8, 1, 8>(shared.segments_ct_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> q_11;
                        tk::map(q_11, [](float s1_r, float dyt_11, float t476) {
                            return tk::fma(dyt_11, t476, s1_r);
                        }, s1_r, dyt_11, t476);
                        // selective_scan_backward.tk:45
                        tk::stripe<float, 1, 8, 32, 1, vector> t477;
                        tk::load_shared(t477, tk::part<5, 8, 1, 8>(shared.segments_bt_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> t301;
                        tk::map(t301, [](float q_11, float t477) { return q_11 * t477; },
                                q_11, t477);
                        tk::stripe<float, 32, 1, 32, 1, vector> t302;
                        tk::fold_rows(t302, t301, tk::plus{}, thread);
                        tk::finish_rows(t302, tk::plus{});
                        tk::map(o_z, thread, [](int, int col, float o_z, float t302) {
                            return col == 5 ? o_z + t302 : o_z;
                        }, o_z, t302);
                        // selective_scan_backward.tk:46
                        tk::map(s1_r, [](float dtt_11, float a1, float q_11) {
                            return tk::exp2(dtt_11 * a1) * q_11;
                        }, dtt_11, a1, q_11);
                        // selective_scan_backward.tk:47
                        tk::stripe<float, 32, 8, 32, 1, vector> w_11;
                        tk::map(w_11, [](float s1_r, float h1_10) { return s1_r * h1_10; },
                                s1_r, h1_10);
                        // selective_scan_backward.tk:48
                        tk::stripe<float, 32, 8, 32, 1, vector> t303;
                        tk::map(t303, [](float w_11, float a1) { return w_11 * a1; }, w_11, a1);
                        tk::stripe<float, 32, 1, 32, 1, vector> t304;
                        tk::fold_rows(t304, t303, tk::plus{}, thread);
                        tk::finish_rows(t304, tk::plus{});
                        tk::map(o_w, thread, [](int, int col, float o_w, float t304) {
                            return col == 5 ? o_w + t304 : o_w;
                        }, o_w, t304);
                        // selective_scan_backward.tk:49
                        tk::map(s1_a, [](float s1_a, float dtt_11, float w_11) {
                            return tk::fma(dtt_11, w_11, s1_a);
                        }, s1_a, dtt_11, w_11);
                        // selective_scan_backward.tk:50
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t305;
                        tk::slice_registers<0, 5>(t305, u_3);
                        tk::stripe<float, 32, 1, 32, 1, vector> t409;
                        tk::map(t409, [](float dtt_11, tk::bf16 t305) {
                            return dtt_11 * float(t305);
                        }, dtt_11, t305);
                        tk::stripe<float, 32, 8, 32, 1, vector> t306;
                        tk::map(t306, [](float q_11, float t409) { return q_11 * t409; },
                                q_11, t409);
                        tk::stripe<float, 1, 8, 32, 1, vector> t307;
                        tk::reduce_columns(t307, t306, shared.segments_f32_rows_8[0], tk::plus{},
                                           thread, 1);
                        tk::map(n_b, thread, [](int row, int, float t307, float n_b) {
                            return row == 5 ? t307 : n_b;
                        }, t307, n_b);
                        // selective_scan_backward.tk:51
                        tk::stripe<float, 32, 1, 32, 1, vector> t410;
                        tk::map(t410, [](float t295, tk::bf16 t296) { return t295 * float(t296); },
                                t295, t296);
                        tk::stripe<float, 1, 8, 32, 1, vector> t478;
                        tk::load_shared(t478, tk::part<5, 8, 1, 8>(shared.segments_bt_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> t308;
                        tk::map(t308,
                                [](float t294, float a1, float h1_10, float t410, float t478,
                                   float dyt_11) {
                            return tk::fma(tk::exp2(t294 * a1), h1_10, t410 * t478) * dyt_11;
                        }, t294, a1, h1_10, t410, t478, dyt_11);
                        tk::stripe<float, 1, 8, 32, 1, vector> t309;
                        tk::reduce_columns(t309, t308, shared.segments_f32_rows_8[0], tk::plus{},
                                           thread, 1);
                        tk::map(n_c, thread, [](int row, int, float t309, float n_c) {
                            return row == 5 ? t309 : n_c;
                        }, t309, n_c);
                        // selective_scan_backward.tk:42
                        tk::stripe<float, 32, 1, 32, 1, vector> dyt_12;
                        tk::slice_registers<0, 4>(dyt_12, dy);
                        // selective_scan_backward.tk:43
                        tk::stripe<float, 32, 1, 32, 1, vector> dtt_12;
                        tk::slice_registers<0, 4>(dtt_12, dt_2);
                        // selective_scan_backward.tk:44
                        tk::stripe<float, 1, 8, 32, 1, vector> t479;
                        tk::load_shared(t479, tk::part<4, 8, 1, 8>(shared.segments_ct_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> q_12;
                        tk::map(q_12, [](float s1_r, float dyt_12, float t479) {
                            return tk::fma(dyt_12, t479, s1_r);
                        }, s1_r, dyt_12, t479);
                        // selective_scan_backward.tk:45
                        tk::stripe<float, 1, 8, 32, 1, vector> t480;
                        tk::load_shared(t480, tk::part<4, 8, 1, 8>(shared.segments_bt_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> t314;
                        tk::map(t314, [](float q_12, float t480) { return q_12 * t480; },
                                q_12, t480);
                        tk::stripe<float, 32, 1, 32, 1, vector> t315;
                        tk::fold_rows(t315, t314, tk::plus{}, thread);
                        tk::finish_rows(t315, tk::plus{});
                        tk::map(o_z, thread, [](int, int col, float o_z, float t315) {
                            return col == 4 ? o_z + t315 : o_z;
                        }, o_z, t315);
                        // selective_scan_backward.tk:46
                        tk::map(s1_r, [](float dtt_12, float a1, float q_12) {
                            return tk::exp2(dtt_12 * a1) * q_12;
                        }, dtt_12, a1, q_12);
                        // selective_scan_backward.tk:47
                        tk::stripe<float, 32, 8, 32, 1, vector> w_12;
                        tk::map(w_12, [](float s1_r, float t288) { return s1_r * t288; },
                                s1_r, t288);
                        // selective_scan_backward.tk:48
                        tk::stripe<float, 32, 8, 32, 1, vector> t316;
                        tk::map(t316, [](float w_12, float a1) { return w_12 * a1; }, w_12, a1);
                        tk::stripe<float, 32, 1, 32, 1, vector> t317;
                        tk::fold_rows(t317, t316, tk::plus{}, thread);
                        tk::finish_rows(t317, tk::plus{});
                        tk::map(o_w, thread, [](int, int col, float o_w, float t317) {
                            return col == 4 ? o_w + t317 : o_w;
                        }, o_w, t317);
                        // selective_scan_backward.tk:49
                        tk::map(s1_a, [](float s1_a, float dtt_12, float w_12) {
                            return tk::fma(dtt_12, w_12, s1_a);
                        }, s1_a, dtt_12, w_12);
                        // selective_scan_backward.tk:50
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t318;
                        tk::slice_registers<0, 4>(t318, u_3);
                        tk::stripe<float, 32, 1, 32, 1, vector> t411;
                        tk::map(t411, [](float dtt_12, tk::bf16 t318) {
                            return dtt_12 * float(t318);
                        }, dtt_12, t318);
                        tk::stripe<float, 32, 8, 32, 1, vector> t319;
                        tk::map(t319, [](float q_12, float t411) { return q_12 * t411; },
                                q_12, t411);
                        tk::stripe<float, 1, 8, 32, 1, vector> t320;
                        tk::reduce_columns(t320, t319, shared.segments_f32_rows_8[0], tk::plus{},
                                           thread, 1);
                        tk::map(n_b, thread, [](int row, int, float t320, float n_b) {
                            return row == 4 ? t320 : n_b;
                        }, t320, n_b);
                        // selective_scan_backward.tk:51
                        tk::stripe<float, 32, 8, 32, 1, vector> t321;
                        tk::map(t321, [](float h1_10, float dyt_12) { return h1_10 * dyt_12; },
                                h1_10, dyt_12);
                        tk::stripe<float, 1, 8, 32, 1, vector> t322;
                        tk::reduce_columns(t322, t321, shared.segments_f32_rows_8[0], tk::plus{},
                                           thread, 1);
                        tk::map(n_c, thread, [](int row, int, float t322, float n_c) {
                            return row == 4 ? t322 : n_c;
                        }, t322, n_c);
                    }

                    // selective_scan_backward.tk:196: if step == 2 { two_back_from<2, S / ..
                    if (step == 2) {
                        tk::stripe<float, 32, 8, 32, 1, vector> t323;
                        tk::load_slice_in_order<vectors>(
                            t323,
                            tk::slice_if_dense<vectors>(Kept, {b, at_2, g, d, 8},
                                                        at_2 > -1 &&
                                                        at_2 < tk::divide_up(L, 512) * 16 ? CG - d
                                                        : 0, 16 - 8), thread);
                        // selective_scan.tk:13
                        tk::stripe<float, 32, 1, 32, 1, vector> t325;
                        tk::slice_registers<0, 0>(t325, dt_2);
                        tk::stripe<float, 32, 1, 32, 1, vector> t326;
                        tk::slice_registers<0, 0>(t326, dt_2);
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t327;
                        tk::slice_registers<0, 0>(t327, u_3);
                        tk::stripe<float, 32, 1, 32, 1, vector> t329;
                        tk::slice_registers<0, 1>(t329, dt_2);
                        tk::stripe<float, 32, 1, 32, 1, vector> t330;
                        tk::slice_registers<0, 1>(t330, dt_2);
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t331;
                        tk::slice_registers<0, 1>(t331, u_3);
                        // selective_scan_backward.tk:67
                        tk::stripe<float, 32, 1, 32, 1, vector> t412;
                        tk::map(t412, [](float t326, tk::bf16 t327) { return t326 * float(t327); },
                                t326, t327);
                        tk::stripe<float, 32, 1, 32, 1, vector> t413;
                        tk::map(t413, [](float t330, tk::bf16 t331) { return t330 * float(t331); },
                                t330, t331);
                        tk::stripe<float, 1, 8, 32, 1, vector> t481;
                        tk::load_shared(t481, tk::part<0, 8, 1, 8>(shared.segments_bt_2[0]),
                                        thread);
                        tk::stripe<float, 1, 8, 32, 1, vector> t482;
                        tk::load_shared(t482, tk::part<1, 8, 1, 8>(shared.segments_bt_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> h2_10;
                        tk::map(h2_10,
                                [](float t329, float a1, float t325, float t323, float t412,
                                   float t481, float t413, float t482) {
                            return tk::fma(tk::exp2(t329 * a1),
                                           tk::fma(tk::exp2(t325 * a1), t323, t412 * t481),
                                           t413 * t482);
                        }, t329, a1, t325, t323, t412, t481, t413, t482);
                        // selective_scan.tk:13
                        tk::stripe<float, 32, 1, 32, 1, vector> t333;
                        tk::slice_registers<0, 2>(t333, dt_2);
                        tk::stripe<float, 32, 1, 32, 1, vector> t334;
                        tk::slice_registers<0, 2>(t334, dt_2);
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t335;
                        tk::slice_registers<0, 2>(t335, u_3);
                        // selective_scan_backward.tk:57
                        tk::stripe<float, 32, 1, 32, 1, vector> t414;
                        tk::map(t414, [](float t334, tk::bf16 t335) { return t334 * float(t335); },
                                t334, t335);
                        tk::stripe<float, 1, 8, 32, 1, vector> t483;
                        tk::load_shared(t483, tk::part<2, 8, 1, 8>(shared.segments_bt_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> h1_12;
                        tk::map(h1_12,
                                [](float t333, float a1, float h2_10, float t414, float t483) {
                            return tk::fma(tk::exp2(t333 * a1), h2_10, t414 * t483);
                        }, t333, a1, h2_10, t414, t483);
                        // selective_scan.tk:13
                        tk::stripe<float, 32, 1, 32, 1, vector> t337;
                        tk::slice_registers<0, 3>(t337, dt_2);
                        tk::stripe<float, 32, 1, 32, 1, vector> t338;
                        tk::slice_registers<0, 3>(t338, dt_2);
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t339;
                        tk::slice_registers<0, 3>(t339, u_3);
                        // selective_scan_backward.tk:42
                        tk::stripe<float, 32, 1, 32, 1, vector> dyt_13;
                        tk::slice_registers<0, 3>(dyt_13, dy);
                        // selective_scan_backward.tk:43
                        tk::stripe<float, 32, 1, 32, 1, vector> dtt_13;
                        tk::slice_registers<0, 3>(dtt_13, dt_2);
                        // selective_scan_backward.tk:44
                        tk::stripe<float, 1, 8, 32, 1, vector> t484;
                        tk::load_shared(t484, tk::part<3, 8, 1, 8>(shared.segments_ct_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> q_13;
                        tk::map(q_13, [](float s1_r, float dyt_13, float t484) {
                            return tk::fma(dyt_13, t484, s1_r);
                        }, s1_r, dyt_13, t484);
                        // selective_scan_backward.tk:45
                        tk::stripe<float, 1, 8, 32, 1, vector> t485;
                        tk::load_shared(t485, tk::part<3, 8, 1, 8>(shared.segments_bt_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> t344;
                        tk::map(t344, [](float q_13, float t485) { return q_13 * t485; },
                                q_13, t485);
                        tk::stripe<float, 32, 1, 32, 1, vector> t345;
                        tk::fold_rows(t345, t344, tk::plus{}, thread);
                        tk::finish_rows(t345, tk::plus{});
                        tk::map(o_z, thread, [](int, int col, float o_z, float t345) {
                            return col == 3 ? o_z + t345 : o_z;
                        }, o_z, t345);
                        // selective_scan_backward.tk:46
                        tk::map(s1_r, [](float dtt_13, float a1, float q_13) {
                            return tk::exp2(dtt_13 * a1) * q_13;
                        }, dtt_13, a1, q_13);
                        // selective_scan_backward.tk:47
                        tk::stripe<float, 32, 8, 32, 1, vector> w_13;
                        tk::map(w_13, [](float s1_r, float h1_12) { return s1_r * h1_12; },
                                s1_r, h1_12);
                        // selective_scan_backward.tk:48
                        tk::stripe<float, 32, 8, 32, 1, vector> t346;
                        tk::map(t346, [](float w_13, float a1) { return w_13 * a1; }, w_13, a1);
                        tk::stripe<float, 32, 1, 32, 1, vector> t347;
                        tk::fold_rows(t347, t346, tk::plus{}, thread);
                        tk::finish_rows(t347, tk::plus{});
                        tk::map(o_w, thread, [](int, int col, float o_w, float t347) {
                            return col == 3 ? o_w + t347 : o_w;
                        }, o_w, t347);
                        // selective_scan_backward.tk:49
                        tk::map(s1_a, [](float s1_a, float dtt_13, float w_13) {
                            return tk::fma(dtt_13, w_13, s1_a);
                        }, s1_a, dtt_13, w_13);
                        // selective_scan_backward.tk:50
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t348;
                        tk::slice_registers<0, 3>(t348, u_3);
                        tk::stripe<float, 32, 1, 32, 1, vector> t415;
                        tk::map(t415, [](float dtt_13, tk::bf16 t348) {
                            return dtt_13 * float(t348);
                        }, dtt_13, t348);
                        tk::stripe<float, 32, 8, 32, 1, vector> t349;
                        tk::map(t349, [](float q_13, float t415) { return q_13 * t415; },
                                q_13, t415);
                        tk::stripe<float, 1, 8, 32, 1, vector> t350;
                        tk::reduce_columns(t350, t349, shared.segments_f32_rows_8[0], tk::plus{},
                                           thread, 1);
                        tk::map(n_b, thread, [](int row, int, float t350, float n_b) {
                            return row == 3 ? t350 : n_b;
                        }, t350, n_b);
                        // selective_scan_backward.tk:51
                        tk::stripe<float, 32, 1, 32, 1, vector> t416;
                        tk::map(t416, [](float t338, tk::bf16 t339) { return t338 * float(t339); },
                                t338, t339);
                        tk::stripe<float, 1, 8, 32, 1, vector> t486;
                        tk::load_shared(t486, tk::part<3, 8, 1, 8>(shared.segments_bt_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> t351;
                        tk::map(t351,
                                [](float t337, float a1, float h1_12, float t416, float t486,
                                   float dyt_13) {
                            return tk::fma(tk::exp2(t337 * a1), h1_12, t416 * t486) * dyt_13;
                        }, t337, a1, h1_12, t416, t486, dyt_13);
                        tk::stripe<float, 1, 8, 32, 1, vector> t352;
                        tk::reduce_columns(t352, t351, shared.segments_f32_rows_8[0], tk::plus{},
                                           thread, 1);
                        tk::map(n_c, thread, [](int row, int, float t352, float n_c) {
                            return row == 3 ? t352 : n_c;
                        }, t352, n_c);
                        // selective_scan_backward.tk:42
                        tk::stripe<float, 32, 1, 32, 1, vector> dyt_14;
                        tk::slice_registers<0, 2>(dyt_14, dy);
                        // selective_scan_backward.tk:43
                        tk::stripe<float, 32, 1, 32, 1, vector> dtt_14;
                        tk::slice_registers<0, 2>(dtt_14, dt_2);
                        // selective_scan_backward.tk:44
                        tk::stripe<float, 1, 8, 32, 1, vector> t487;
                        tk::load_shared(t487, tk::part<2, 8, 1, 8>(shared.segments_ct_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> q_14;
                        tk::map(q_14, [](float s1_r, float dyt_14, float t487) {
                            return tk::fma(dyt_14, t487, s1_r);
                        }, s1_r, dyt_14, t487);
                        // selective_scan_backward.tk:45
                        tk::stripe<float, 1, 8, 32, 1, vector> t488;
                        tk::load_shared(t488, tk::part<2, 8, 1, 8>(shared.segments_bt_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> t357;
                        tk::map(t357, [](float q_14, float t488) { return q_14 * t488; },
                                q_14, t488);
                        tk::stripe<float, 32, 1, 32, 1, vector> t358;
                        tk::fold_rows(t358, t357, tk::plus{}, thread);
                        tk::finish_rows(t358, tk::plus{});
                        tk::map(o_z, thread, [](int, int col, float o_z, float t358) {
                            return col == 2 ? o_z + t358 : o_z;
                        }, o_z, t358);
                        // selective_scan_backward.tk:46
                        tk::map(s1_r, [](float dtt_14, float a1, float q_14) {
                            return tk::exp2(dtt_14 * a1) * q_14;
                        }, dtt_14, a1, q_14);
                        // selective_scan_backward.tk:47
                        tk::stripe<float, 32, 8, 32, 1, vector> w_14;
                        tk::map(w_14, [](float s1_r, float h2_10) { return s1_r * h2_10; },
                                s1_r, h2_10);
                        // selective_scan_backward.tk:48
                        tk::stripe<float, 32, 8, 32, 1, vector> t359;
                        tk::map(t359, [](float w_14, float a1) { return w_14 * a1; }, w_14, a1);
                        tk::stripe<float, 32, 1, 32, 1, vector> t360;
                        tk::fold_rows(t360, t359, tk::plus{}, thread);
                        tk::finish_rows(t360, tk::plus{});
                        tk::map(o_w, thread, [](int, int col, float o_w, float t360) {
                            return col == 2 ? o_w + t360 : o_w;
                        }, o_w, t360);
                        // selective_scan_backward.tk:49
                        tk::map(s1_a, [](float s1_a, float dtt_14, float w_14) {
                            return tk::fma(dtt_14, w_14, s1_a);
                        }, s1_a, dtt_14, w_14);
                        // selective_scan_backward.tk:50
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t361;
                        tk::slice_registers<0, 2>(t361, u_3);
                        tk::stripe<float, 32, 1, 32, 1, vector> t417;
                        tk::map(t417, [](float dtt_14, tk::bf16 t361) {
                            return dtt_14 * float(t361);
                        }, dtt_14, t361);
                        tk::stripe<float, 32, 8, 32, 1, vector> t362;
                        tk::map(t362, [](float q_14, float t417) { return q_14 * t417; },
                                q_14, t417);
                        tk::stripe<float, 1, 8, 32, 1, vector> t363;
                        tk::reduce_columns(t363, t362, shared.segments_f32_rows_8[0], tk::plus{},
                                           thread, 1);
                        tk::map(n_b, thread, [](int row, int, float t363, float n_b) {
                            return row == 2 ? t363 : n_b;
                        }, t363, n_b);
                        // selective_scan_backward.tk:51
                        tk::stripe<float, 32, 8, 32, 1, vector> t364;
                        tk::map(t364, [](float h1_12, float dyt_14) { return h1_12 * dyt_14; },
                                h1_12, dyt_14);
                        tk::stripe<float, 1, 8, 32, 1, vector> t365;
                        tk::reduce_columns(t365, t364, shared.segments_f32_rows_8[0], tk::plus{},
                                           thread, 1);
                        tk::map(n_c, thread, [](int row, int, float t365, float n_c) {
                            return row == 2 ? t365 : n_c;
                        }, t365, n_c);
                    }

                    // selective_scan_backward.tk:197: if step == 3 { two_back<0, S / 2>(inout ..
                    if (step == 3) {
                        tk::stripe<float, 32, 8, 32, 1, vector> t366;
                        tk::load_slice_in_order<vectors>(
                            t366,
                            tk::slice_if_dense<vectors>(Kept, {b, at_2, g, d, 8},
                                                        at_2 > -1 &&
                                                        at_2 < tk::divide_up(L, 512) * 16 ? CG - d
                                                        : 0, 16 - 8), thread);
                        // selective_scan.tk:13
                        tk::stripe<float, 32, 1, 32, 1, vector> t368;
                        tk::slice_registers<0, 0>(t368, dt_2);
                        tk::stripe<float, 32, 1, 32, 1, vector> t369;
                        tk::slice_registers<0, 0>(t369, dt_2);
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t370;
                        tk::slice_registers<0, 0>(t370, u_3);
                        // selective_scan_backward.tk:57
                        tk::stripe<float, 32, 1, 32, 1, vector> t418;
                        tk::map(t418, [](float t369, tk::bf16 t370) { return t369 * float(t370); },
                                t369, t370);
                        tk::stripe<float, 1, 8, 32, 1, vector> t489;
                        tk::load_shared(t489, tk::part<0, 8, 1, 8>(shared.segments_bt_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> h1_13;
                        tk::map(h1_13, [](float t368, float a1, float t366, float t418, float t489) {
                            return tk::fma(tk::exp2(t368 * a1), t366, t418 * t489);
                        }, t368, a1, t366, t418, t489);
                        // selective_scan.tk:13
                        tk::stripe<float, 32, 1, 32, 1, vector> t372;
                        tk::slice_registers<0, 1>(t372, dt_2);
                        tk::stripe<float, 32, 1, 32, 1, vector> t373;
                        tk::slice_registers<0, 1>(t373, dt_2);
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t374;
                        tk::slice_registers<0, 1>(t374, u_3);
                        // selective_scan_backward.tk:42
                        tk::stripe<float, 32, 1, 32, 1, vector> dyt_15;
                        tk::slice_registers<0, 1>(dyt_15, dy);
                        // selective_scan_backward.tk:43
                        tk::stripe<float, 32, 1, 32, 1, vector> dtt_15;
                        tk::slice_registers<0, 1>(dtt_15, dt_2);
                        // selective_scan_backward.tk:44
                        tk::stripe<float, 1, 8, 32, 1, vector> t490;
                        tk::load_shared(t490, tk::part<1, 8, 1, 8>(shared.segments_ct_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> q_15;
                        tk::map(q_15, [](float s1_r, float dyt_15, float t490) {
                            return tk::fma(dyt_15, t490, s1_r);
                        }, s1_r, dyt_15, t490);
                        // selective_scan_backward.tk:45
                        tk::stripe<float, 1, 8, 32, 1, vector> t491;
                        tk::load_shared(t491, tk::part<1, 8, 1, 8>(shared.segments_bt_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> t379;
                        tk::map(t379, [](float q_15, float t491) { return q_15 * t491; },
                                q_15, t491);
                        tk::stripe<float, 32, 1, 32, 1, vector> t380;
                        tk::fold_rows(t380, t379, tk::plus{}, thread);
                        tk::finish_rows(t380, tk::plus{});
                        tk::map(o_z, thread, [](int, int col, float o_z, float t380) {
                            return col == 1 ? o_z + t380 : o_z;
                        }, o_z, t380);
                        // selective_scan_backward.tk:46
                        tk::map(s1_r, [](float dtt_15, float a1, float q_15) {
                            return tk::exp2(dtt_15 * a1) * q_15;
                        }, dtt_15, a1, q_15);
                        // selective_scan_backward.tk:47
                        tk::stripe<float, 32, 8, 32, 1, vector> w_15;
                        tk::map(w_15, [](float s1_r, float h1_13) { return s1_r * h1_13; },
                                s1_r, h1_13);
                        // selective_scan_backward.tk:48
                        tk::stripe<float, 32, 8, 32, 1, vector> t381;
                        tk::map(t381, [](float w_15, float a1) { return w_15 * a1; }, w_15, a1);
                        tk::stripe<float, 32, 1, 32, 1, vector> t382;
                        tk::fold_rows(t382, t381, tk::plus{}, thread);
                        tk::finish_rows(t382, tk::plus{});
                        tk::map(o_w, thread, [](int, int col, float o_w, float t382) {
                            return col == 1 ? o_w + t382 : o_w;
                        }, o_w, t382);
                        // selective_scan_backward.tk:49
                        tk::map(s1_a, [](float s1_a, float dtt_15, float w_15) {
                            return tk::fma(dtt_15, w_15, s1_a);
                        }, s1_a, dtt_15, w_15);
                        // selective_scan_backward.tk:50
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t383;
                        tk::slice_registers<0, 1>(t383, u_3);
                        tk::stripe<float, 32, 1, 32, 1, vector> t419;
                        tk::map(t419, [](float dtt_15, tk::bf16 t383) {
                            return dtt_15 * float(t383);
                        }, dtt_15, t383);
                        tk::stripe<float, 32, 8, 32, 1, vector> t384;
                        tk::map(t384, [](float q_15, float t419) { return q_15 * t419; },
                                q_15, t419);
                        tk::stripe<float, 1, 8, 32, 1, vector> t385;
                        tk::reduce_columns(t385, t384, shared.segments_f32_rows_8[0], tk::plus{},
                                           thread, 1);
                        tk::map(n_b, thread, [](int row, int, float t385, float n_b) {
                            return row == 1 ? t385 : n_b;
                        }, t385, n_b);
                        // selective_scan_backward.tk:51
                        tk::stripe<float, 32, 1, 32, 1, vector> t420;
                        tk::map(t420, [](float t373, tk::bf16 t374) { return t373 * float(t374); },
                                t373, t374);
                        tk::stripe<float, 1, 8, 32, 1, vector> t492;
                        tk::load_shared(t492, tk::part<1, 8, 1, 8>(shared.segments_bt_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> t386;
                        tk::map(t386,
                                [](float t372, float a1, float h1_13, float t420, float t492,
                                   float dyt_15) {
                            return tk::fma(tk::exp2(t372 * a1), h1_13, t420 * t492) * dyt_15;
                        }, t372, a1, h1_13, t420, t492, dyt_15);
                        tk::stripe<float, 1, 8, 32, 1, vector> t387;
                        tk::reduce_columns(t387, t386, shared.segments_f32_rows_8[0], tk::plus{},
                                           thread, 1);
                        tk::map(n_c, thread, [](int row, int, float t387, float n_c) {
                            return row == 1 ? t387 : n_c;
                        }, t387, n_c);
                        // selective_scan_backward.tk:42
                        tk::stripe<float, 32, 1, 32, 1, vector> dyt_16;
                        tk::slice_registers<0, 0>(dyt_16, dy);
                        // selective_scan_backward.tk:43
                        tk::stripe<float, 32, 1, 32, 1, vector> dtt_16;
                        tk::slice_registers<0, 0>(dtt_16, dt_2);
                        // selective_scan_backward.tk:44
                        tk::stripe<float, 1, 8, 32, 1, vector> t493;
                        tk::load_shared(t493, tk::part<0, 8, 1, 8>(shared.segments_ct_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> q_16;
                        tk::map(q_16, [](float s1_r, float dyt_16, float t493) {
                            return tk::fma(dyt_16, t493, s1_r);
                        }, s1_r, dyt_16, t493);
                        // selective_scan_backward.tk:45
                        tk::stripe<float, 1, 8, 32, 1, vector> t494;
                        tk::load_shared(t494, tk::part<0, 8, 1, 8>(shared.segments_bt_2[0]),
                                        thread);
                        tk::stripe<float, 32, 8, 32, 1, vector> t392;
                        tk::map(t392, [](float q_16, float t494) { return q_16 * t494; },
                                q_16, t494);
                        tk::stripe<float, 32, 1, 32, 1, vector> t393;
                        tk::fold_rows(t393, t392, tk::plus{}, thread);
                        tk::finish_rows(t393, tk::plus{});
                        tk::map(o_z, thread, [](int, int col, float o_z, float t393) {
                            return col == 0 ? o_z + t393 : o_z;
                        }, o_z, t393);
                        // selective_scan_backward.tk:46
                        tk::map(s1_r, [](float dtt_16, float a1, float q_16) {
                            return tk::exp2(dtt_16 * a1) * q_16;
                        }, dtt_16, a1, q_16);
                        // selective_scan_backward.tk:47
                        tk::stripe<float, 32, 8, 32, 1, vector> w_16;
                        tk::map(w_16, [](float s1_r, float t366) { return s1_r * t366; },
                                s1_r, t366);
                        // selective_scan_backward.tk:48
                        tk::stripe<float, 32, 8, 32, 1, vector> t394;
                        tk::map(t394, [](float w_16, float a1) { return w_16 * a1; }, w_16, a1);
                        tk::stripe<float, 32, 1, 32, 1, vector> t395;
                        tk::fold_rows(t395, t394, tk::plus{}, thread);
                        tk::finish_rows(t395, tk::plus{});
                        tk::map(o_w, thread, [](int, int col, float o_w, float t395) {
                            return col == 0 ? o_w + t395 : o_w;
                        }, o_w, t395);
                        // selective_scan_backward.tk:49
                        tk::map(s1_a, [](float s1_a, float dtt_16, float w_16) {
                            return tk::fma(dtt_16, w_16, s1_a);
                        }, s1_a, dtt_16, w_16);
                        // selective_scan_backward.tk:50
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t396;
                        tk::slice_registers<0, 0>(t396, u_3);
                        tk::stripe<float, 32, 1, 32, 1, vector> t421;
                        tk::map(t421, [](float dtt_16, tk::bf16 t396) {
                            return dtt_16 * float(t396);
                        }, dtt_16, t396);
                        tk::stripe<float, 32, 8, 32, 1, vector> t397;
                        tk::map(t397, [](float q_16, float t421) { return q_16 * t421; },
                                q_16, t421);
                        tk::stripe<float, 1, 8, 32, 1, vector> t398;
                        tk::reduce_columns(t398, t397, shared.segments_f32_rows_8[0], tk::plus{},
                                           thread, 1);
                        tk::map(n_b, thread, [](int row, int, float t398, float n_b) {
                            return row == 0 ? t398 : n_b;
                        }, t398, n_b);
                        // selective_scan_backward.tk:51
                        tk::stripe<float, 32, 8, 32, 1, vector> t399;
                        tk::map(t399, [](float h1_13, float dyt_16) { return h1_13 * dyt_16; },
                                h1_13, dyt_16);
                        tk::stripe<float, 1, 8, 32, 1, vector> t400;
                        tk::reduce_columns(t400, t399, shared.segments_f32_rows_8[0], tk::plus{},
                                           thread, 1);
                        tk::map(n_c, thread, [](int row, int, float t400, float n_c) {
                            return row == 0 ? t400 : n_c;
                        }, t400, n_c);
                    }
                }

                // selective_scan_backward.tk:199: r1 = s1.r;
                tk::barrier_sync(1, 32);
                tk::store_shared(shared.segments_r1[0], s1_r, thread);

                // selective_scan_backward.tk:200: da1 = da1 + s1.a;
                tk::stripe<float, 32, 8, 32, 1, vector> t495;
                tk::load_shared(t495, shared.segments_da1[0], thread);
                tk::stripe<float, 32, 8, 32, 1, vector> t401;
                tk::map(t401, [](float t495, float s1_a) { return t495 + s1_a; }, t495, s1_a);
                tk::barrier_sync(1, 32);
                tk::store_shared(shared.segments_da1[0], t401, thread);
                tk::barrier_sync(1, 32);

                // selective_scan_backward.tk:201: store(Part[b, g, d.index, t, S / 2 +: S / 2], ..
                tk::store_slice<vectors>(
                    tk::slice_if_dense<vectors>(Part, {b, g, d / 32, t, 8},
                                                d / 32 < tk::divide_up(CG, 32) ? L - t : 0, 32 - 8),
                    n_b, thread);

                // selective_scan_backward.tk:202: store(Part[b, g, d.index, t, S + S / 2 +: S / ..
                tk::store_slice<vectors>(
                    tk::slice_if_dense<vectors>(Part, {b, g, d / 32, t, 24},
                                                d / 32 < tk::divide_up(CG, 32) ? L - t : 0,
                                                32 - 24), n_c, thread);

                // selective_scan_backward.tk:203: store(dU[b, g, d, t], T(dt * o.z + skip * dy));
                tk::stripe<tk::bf16, 32, 8, 32, 1, vector> t402;
                tk::map(t402, [](tk::bf16 t87, float dt_2, float o_z, float skip) {
                    return tk::fma(dt_2, o_z, skip * float(t87));
                }, t87, dt_2, o_z, skip);
                tk::store_slice<vectors>(
                    tk::slice_if_vectors<vectors>(dU, {b, g, d, t}, CG - d, L - t), t402, thread);

                // selective_scan_backward.tk:204: let ddt = (u * o.z + o.w * LN2) * (if SOFTPLUS ..
                tk::stripe<float, 32, 8, 32, 1, vector> ddt;
                tk::map(ddt, [](float dt_2, tk::bf16 u_3, float o_z, float o_w) {
                    const float x = -dt_2;
                    return tk::fma(float(u_3), o_z, o_w * 0.6931472f) *
                        (dt_2 < 0.125f
                         ? dt_2 *
                         tk::fma(-(dt_2 * tk::divide(1.0f, 2.0f)),
                                 tk::fma(-(dt_2 * tk::divide(1.0f, 3.0f)),
                                         tk::fma(-(dt_2 * tk::divide(1.0f, 4.0f)),
                                                 tk::fma(x, tk::divide(1.0f, 5.0f), 1.0f), 1.0f),
                                         1.0f), 1.0f) : 1.0f - tk::exp(x));
                }, dt_2, u_3, o_z, o_w);

                // selective_scan_backward.tk:205: store(dDt[b, g, d, t], TD(ddt));
                tk::stripe<tk::bf16, 32, 8, 32, 1, vector> t403 = tk::convert<tk::bf16>(ddt);
                tk::store_slice<vectors>(
                    tk::slice_if_vectors<vectors>(dDt, {b, g, d, t}, CG - d, L - t), t403, thread);

                // selective_scan_backward.tk:206: dd += sum(dy * u, axis = 1);
                tk::stripe<float, 32, 8, 32, 1, vector> t404;
                tk::map(t404, [](tk::bf16 t87, tk::bf16 u_3) { return float(t87) * float(u_3); },
                        t87, u_3);
                tk::stripe<float, 32, 1, 32, 1, vector> t405;
                tk::fold_rows(t405, t404, tk::plus{}, thread);
                tk::map(dd, [](float dd, float t405) { return dd + t405; }, dd, t405);

                // selective_scan_backward.tk:207: db += sum(pad(ddt, axis = 1, with = 0), axis = ..
                tk::stripe<float, 32, 8, 32, 1, vector> t406;
                tk::map(t406, thread, [&](int, int col, float ddt) {
                    return col < L - t ? ddt : 0.0f;
                }, ddt);
                tk::stripe<float, 32, 1, 32, 1, vector> t407;
                tk::fold_rows(t407, t406, tk::plus{}, thread);
                tk::map(db, [](float db, float t407) { return db + t407; }, db, t407);
            }
        }

        // selective_scan_backward.tk:210: store(ofA[b, p.index, g, d, 0 +: S / 2], da0);
        tk::stripe<float, 32, 8, 32, 1, vector> t496;
        tk::load_shared(t496, shared.segments_da0[0], thread);
        tk::store_slice<vectors>(
            tk::slice_if_dense<vectors>(ofA, {b, p / 512, g, d, 0},
                                        p / 512 < tk::divide_up(L, 512) ? CG - d : 0, 16), t496,
            thread);

        // selective_scan_backward.tk:211: store(ofA[b, p.index, g, d, S / 2 +: S / 2], da1);
        tk::stripe<float, 32, 8, 32, 1, vector> t497;
        tk::load_shared(t497, shared.segments_da1[0], thread);
        tk::store_slice<vectors>(
            tk::slice_if_dense<vectors>(ofA, {b, p / 512, g, d, 8},
                                        p / 512 < tk::divide_up(L, 512) ? CG - d : 0, 16 - 8), t497,
            thread);

        // selective_scan_backward.tk:212: store(ofD[b, p.index, g, d], dd);
        tk::stripe<float, 32, 1, 32, 1, vector> t498 = dd;
        tk::finish_rows(t498, tk::plus{});
        tk::store_global(
            tk::slice<3, tk::no_axis>(ofD, {b, p / 512, g, d},
                                      p / 512 < tk::divide_up(L, 512) ? CG - d : 0, 1), t498,
            thread);

        // selective_scan_backward.tk:213: store(ofBias[b, p.index, g, d], db);
        tk::stripe<float, 32, 1, 32, 1, vector> t499 = db;
        tk::finish_rows(t499, tk::plus{});
        tk::store_global(
            tk::slice<3, tk::no_axis>(ofBias, {b, p / 512, g, d},
                                      p / 512 < tk::divide_up(L, 512) ? CG - d : 0, 1), t499,
            thread);
    }
}

// rows_of_groups: kernel rows_of_groups with S = 16.
// 128 threads, 48 registers each: rows_of_groups_kernel<10, 4, 4, true>.
// rows_of_groups_general: kernel rows_of_groups with S = 16; any strides and alignment.
// 128 threads, 255 registers each: rows_of_groups_kernel<1, 8, 2, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) rows_of_groups_kernel(
    const tk::tensor_argument<const float, 5> Part, const tk::tensor_argument<float, 4> dB,
    const tk::tensor_argument<float, 4> dC, int B, int G, int W, int L) {
    tk::wait_for_previous_kernel();

    const int t_tiles = tk::tiles(L, 32);

    // selective_scan_backward.tk:217: kernel rows_of_groups<S: int = 16>(Part: f32[B, G, W, L, 2 ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int t = program % t_tiles * 32;
    const int g = program / t_tiles % G;
    const int b = program / (t_tiles * G);

    // selective_scan_backward.tk:220: var all_b: f32[32, S] = 0;
    tk::stripe<float, 32, 16, 128, row_threads, vector> all_b;
    tk::zero(all_b);

    // selective_scan_backward.tk:221: var all_c: f32[32, S] = 0;
    tk::stripe<float, 32, 16, 128, row_threads, vector> all_c;
    tk::zero(all_c);

    // selective_scan_backward.tk:222: for w in W {
    for (int w = 0; w < W; w += 1) {
        // selective_scan_backward.tk:223: all_b += load(Part[b, g, w, t, 0 +: S]);
        tk::stripe<float, 32, 16, 128, row_threads, vector> t0;
        tk::load_slice<vectors>(t0, tk::slice_if_dense<vectors>(Part, {b, g, w, t, 0}, L - t, 32),
                                thread);
        tk::map(all_b, [](float all_b, float t0) { return all_b + t0; }, all_b, t0);

        // selective_scan_backward.tk:224: all_c += load(Part[b, g, w, t, S +: S]);
        tk::stripe<float, 32, 16, 128, row_threads, vector> t1;
        tk::load_slice<vectors>(
            t1, tk::slice_if_dense<vectors>(Part, {b, g, w, t, 16}, L - t, 32 - 16), thread);
        tk::map(all_c, [](float all_c, float t1) { return all_c + t1; }, all_c, t1);
    }

    // selective_scan_backward.tk:226: store(dB[b, g, t, :], all_b);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(dB, {b, g, t, 0}, L - t, 16), all_b,
                             thread);

    // selective_scan_backward.tk:227: store(dC[b, g, t, :], all_c);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(dC, {b, g, t, 0}, L - t, 16), all_c,
                             thread);
}

// rows_of_channels: kernel rows_of_channels with S = 16.
// 128 threads, 48 registers each: rows_of_channels_kernel<10, 4, 4, true>.
// rows_of_channels_general: kernel rows_of_channels with S = 16; any strides and alignment.
// 128 threads, 255 registers each: rows_of_channels_kernel<1, 8, 2, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) rows_of_channels_kernel(
    const tk::tensor_argument<const float, 5> Part, const tk::tensor_argument<float, 3> Sum, int B,
    int P, int G, int CG) {
    tk::wait_for_previous_kernel();

    const int d_tiles = tk::tiles(CG, 32);

    // selective_scan_backward.tk:231: kernel rows_of_channels<S: int = 16>(Part: f32[B, P, G, ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int d = program % d_tiles * 32;
    const int g = program / d_tiles;

    // selective_scan_backward.tk:234: var all: f32[32, S] = 0;
    tk::stripe<float, 32, 16, 128, row_threads, vector> all;
    tk::zero(all);

    // selective_scan_backward.tk:235: for b in B, p in P { all += load(Part[b, p, g, d, :]); }
    for (int b = 0; b < B; b += 1) {
        for (int p = 0; p < P; p += 1) {
            tk::stripe<float, 32, 16, 128, row_threads, vector> t0;
            tk::load_slice<vectors>(
                t0, tk::slice_if_dense<vectors>(Part, {b, p, g, d, 0}, CG - d, 16), thread);
            tk::map(all, [](float all, float t0) { return all + t0; }, all, t0);
        }
    }

    // selective_scan_backward.tk:236: store(Sum[g, d, :], all);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(Sum, {g, d, 0}, CG - d, 16), all, thread);
}

// of_channels: kernel of_channels.
// 32 threads, 64 registers each: of_channels_kernel<32, 8, 4, true>.
// of_channels_general: kernel of_channels; any strides and alignment.
// 32 threads, 255 registers each: of_channels_kernel<1, 16, 2, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(32, blocks) of_channels_kernel(
    const tk::tensor_argument<const float, 4> Part, const tk::tensor_argument<float, 2> Sum, int B,
    int P, int G, int CG) {
    tk::wait_for_previous_kernel();

    const int d_tiles = tk::tiles(CG, 32);
    const int warp = tk::warp_index();

    // selective_scan_backward.tk:239: kernel of_channels(Part: f32[B, P, G, CG], out Sum: f32[G, ..
    if (warp == 0) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int d = program % d_tiles * 32;
        const int g = program / d_tiles;

        // selective_scan_backward.tk:242: var all: f32[1, 32] = 0;
        tk::stripe<float, 1, 32, 32, row_threads, vector> all;
        tk::zero(all);

        // selective_scan_backward.tk:243: for b in B, p in P { all += load(Part[b, p, g, d]); }
        for (int b = 0; b < B; b += 1) {
            for (int p = 0; p < P; p += 1) {
                tk::stripe<float, 1, 32, 32, row_threads, vector> t0;
                tk::load_slice<vectors>(
                    t0,
                    tk::slice_if_vectors<vectors, tk::no_axis, 3>(Part, {b, p, g, d}, 1, CG - d),
                    thread);
                tk::map(all, [](float all, float t0) { return all + t0; }, all, t0);
            }
        }

        // selective_scan_backward.tk:244: store(Sum[g, d], all);
        tk::store_slice<vectors>(
            tk::slice_if_vectors<vectors, tk::no_axis, 1>(Sum, {g, d}, 1, CG - d), all, thread);
    }
}

namespace {
tk::status launch_ends(const tk::launch_site& site, const tk::tensor& Dt, const tk::tensor& A,
                       const tk::tensor& C, const tk::tensor& bias, const tk::tensor& dY,
                       const tk::tensor& End, const tk::tensor& Left, int64_t B, int64_t G,
                       int64_t CG, int64_t L) {
    return tk::run<ends_kernel<16, 8, true>>(
        site, 0, tk::kernel_shape(32).overlapping(),
        tk::multiply(tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G), tk::ceil_div(L, 512)), B),
        Dt, A, C, bias, dY, End, Left, B, G, CG, L);
}

tk::status launch_ends_general(const tk::launch_site& site, const tk::tensor& Dt,
                               const tk::tensor& A, const tk::tensor& C, const tk::tensor& bias,
                               const tk::tensor& dY, const tk::tensor& End, const tk::tensor& Left,
                               int64_t B, int64_t G, int64_t CG, int64_t L) {
    return tk::run<ends_kernel<1, 2, false>>(
        site, 0, tk::kernel_shape(32).overlapping(),
        tk::multiply(tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G), tk::ceil_div(L, 512)), B),
        Dt, A, C, bias, dY, End, Left, B, G, CG, L);
}

tk::status launch_behind(const tk::launch_site& site, const tk::tensor& A, const tk::tensor& dState,
                         const tk::tensor& End, const tk::tensor& Left, const tk::tensor& Behind,
                         const tk::tensor& dS0, int64_t G, int64_t CG, int64_t F, int64_t B,
                         int64_t P, int64_t I) {
    return tk::run<behind_kernel<28, 4, 4, true>>(
        site, 0, tk::kernel_shape(32).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G), B), A, dState, End, Left, Behind, dS0,
        G, CG, F, B, P, I);
}

tk::status launch_behind_general(
    const tk::launch_site& site, const tk::tensor& A, const tk::tensor& dState,
    const tk::tensor& End, const tk::tensor& Left, const tk::tensor& Behind, const tk::tensor& dS0,
    int64_t G, int64_t CG, int64_t F, int64_t B, int64_t P, int64_t I) {
    return tk::run<behind_kernel<1, 8, 2, false>>(
        site, 0, tk::kernel_shape(32).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G), B), A, dState, End, Left, Behind, dS0,
        G, CG, F, B, P, I);
}

tk::status launch_segments(
    const tk::launch_site& site, const tk::tensor& U, const tk::tensor& Dt, const tk::tensor& A,
    const tk::tensor& Bm, const tk::tensor& C, const tk::tensor& D, const tk::tensor& bias,
    const tk::tensor& dY, const tk::tensor& Saved, const tk::tensor& Behind, const tk::tensor& Kept,
    const tk::tensor& dU, const tk::tensor& dDt, const tk::tensor& dZ, const tk::tensor& Part,
    const tk::tensor& ofA, const tk::tensor& ofD, const tk::tensor& ofBias, int64_t B, int64_t G,
    int64_t CG, int64_t L, int64_t BZ) {
    return tk::run<segments_kernel<8, 8, true>>(
        site, sizeof(segments_shared), tk::kernel_shape(32).overlapping(),
        tk::multiply(tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G), tk::ceil_div(L, 512)), B),
        U, Dt, A, Bm, C, D, bias, dY, Saved, Behind, Kept, dU, dDt, dZ, Part, ofA, ofD, ofBias, B,
        G, CG, L, BZ);
}

tk::status launch_segments_general(
    const tk::launch_site& site, const tk::tensor& U, const tk::tensor& Dt, const tk::tensor& A,
    const tk::tensor& Bm, const tk::tensor& C, const tk::tensor& D, const tk::tensor& bias,
    const tk::tensor& dY, const tk::tensor& Saved, const tk::tensor& Behind, const tk::tensor& Kept,
    const tk::tensor& dU, const tk::tensor& dDt, const tk::tensor& dZ, const tk::tensor& Part,
    const tk::tensor& ofA, const tk::tensor& ofD, const tk::tensor& ofBias, int64_t B, int64_t G,
    int64_t CG, int64_t L, int64_t BZ) {
    return tk::run<segments_kernel<1, 2, false>>(
        site, sizeof(segments_shared), tk::kernel_shape(32).overlapping(),
        tk::multiply(tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G), tk::ceil_div(L, 512)), B),
        U, Dt, A, Bm, C, D, bias, dY, Saved, Behind, Kept, dU, dDt, dZ, Part, ofA, ofD, ofBias, B,
        G, CG, L, BZ);
}

tk::status launch_rows_of_groups(const tk::launch_site& site, const tk::tensor& Part,
                                 const tk::tensor& dB, const tk::tensor& dC, int64_t B, int64_t G,
                                 int64_t W, int64_t L) {
    return tk::run<rows_of_groups_kernel<10, 4, 4, true>>(
        site, 0, tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(L, 32), G), B), Part, dB, dC, B, G, W, L);
}

tk::status launch_rows_of_groups_general(const tk::launch_site& site, const tk::tensor& Part,
                                         const tk::tensor& dB, const tk::tensor& dC, int64_t B,
                                         int64_t G, int64_t W, int64_t L) {
    return tk::run<rows_of_groups_kernel<1, 8, 2, false>>(
        site, 0, tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(L, 32), G), B), Part, dB, dC, B, G, W, L);
}

tk::status launch_rows_of_channels(const tk::launch_site& site, const tk::tensor& Part,
                                   const tk::tensor& Sum, int64_t B, int64_t P, int64_t G,
                                   int64_t CG) {
    return tk::run<rows_of_channels_kernel<10, 4, 4, true>>(
        site, 0, tk::kernel_shape(128).overlapping(), tk::multiply(tk::ceil_div(CG, 32), G), Part,
        Sum, B, P, G, CG);
}

tk::status launch_rows_of_channels_general(const tk::launch_site& site, const tk::tensor& Part,
                                           const tk::tensor& Sum, int64_t B, int64_t P, int64_t G,
                                           int64_t CG) {
    return tk::run<rows_of_channels_kernel<1, 8, 2, false>>(
        site, 0, tk::kernel_shape(128).overlapping(), tk::multiply(tk::ceil_div(CG, 32), G), Part,
        Sum, B, P, G, CG);
}

tk::status launch_of_channels(const tk::launch_site& site, const tk::tensor& Part,
                              const tk::tensor& Sum, int64_t B, int64_t P, int64_t G, int64_t CG) {
    return tk::run<of_channels_kernel<32, 8, 4, true>>(site, 0, tk::kernel_shape(32).overlapping(),
                                                       tk::multiply(tk::ceil_div(CG, 32), G), Part,
                                                       Sum, B, P, G, CG);
}

tk::status launch_of_channels_general(const tk::launch_site& site, const tk::tensor& Part,
                                      const tk::tensor& Sum, int64_t B, int64_t P, int64_t G,
                                      int64_t CG) {
    return tk::run<of_channels_kernel<1, 16, 2, false>>(site, 0, tk::kernel_shape(32).overlapping(),
                                                        tk::multiply(tk::ceil_div(CG, 32), G), Part,
                                                        Sum, B, P, G, CG);
}

}  // namespace

extern "C" {
int ends(const DLTensor* Dt_given, const DLTensor* A_given, const DLTensor* C_given,
         const DLTensor* Z_given, const DLTensor* bias_given, const DLTensor* dY_given,
         DLTensor* End_given, DLTensor* Left_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"ends"};
    const tk::tensor Dt = call.take("Dt", Dt_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor A = call.take("A", A_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor Z = call.take("Z", Z_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor bias = call.take("bias", bias_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor dY = call.take("dY", dY_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor End = call.take("End", End_given, tk::dtype_f32, 5, tk::access::write);
    const tk::tensor Left = call.take("Left", Left_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Dt.shape[0];
    const int64_t G = Dt.shape[1];
    const int64_t CG = Dt.shape[2];
    const int64_t L = Dt.shape[3];
    const int64_t BZ = Z.shape[0];
    call.require(
        {tk::same_extent("G", Dt, 1, A, 0), tk::same_extent("CG", Dt, 2, A, 1),
         tk::fixed_extent(A, 2, 16), tk::same_extent("B", Dt, 0, C, 0),
         tk::same_extent("G", Dt, 1, C, 1), tk::same_extent("L", Dt, 3, C, 2),
         tk::fixed_extent(C, 3, 16), tk::same_extent("G", Dt, 1, Z, 1),
         tk::same_extent("CG", Dt, 2, Z, 2), tk::same_extent("L", Dt, 3, Z, 3),
         tk::same_extent("G", Dt, 1, bias, 0), tk::same_extent("CG", Dt, 2, bias, 1),
         tk::same_extent("B", Dt, 0, dY, 0), tk::same_extent("G", Dt, 1, dY, 1),
         tk::same_extent("CG", Dt, 2, dY, 2), tk::same_extent("L", Dt, 3, dY, 3),
         tk::same_extent("B", Dt, 0, End, 0), tk::same_extent("G", Dt, 1, End, 2),
         tk::same_extent("CG", Dt, 2, End, 3), tk::fixed_extent(End, 4, 16),
         tk::same_extent("B", Dt, 0, Left, 0), tk::same_extent("G", Dt, 1, Left, 2),
         tk::same_extent("CG", Dt, 2, Left, 3),
         tk::extents_fit({{"B", B}, {"G", G}, {"CG", CG}, {"L", L}, {"BZ", BZ}}),
         tk::that(End.shape[1] == tk::ceil_div(L, 512),
                  "axis 1 of `End` is {}; it must be `ceil_div(L, 512)`, which is {}",
                  {End.shape[1], tk::ceil_div(L, 512)}),
         tk::that(Left.shape[1] == tk::ceil_div(L, 512),
                  "axis 1 of `Left` is {}; it must be `ceil_div(L, 512)`, which is {}",
                  {Left.shape[1], tk::ceil_div(L, 512)}),
         tk::grid_fits(tk::multiply(tk::ceil_div(CG, 32), G), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G), tk::ceil_div(L, 512)),
                       2147483648),
         tk::grid_fits(
             tk::multiply(tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G), tk::ceil_div(L, 512)),
                          B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs =
        tk::multiply(tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G), tk::ceil_div(L, 512)), B);
    const bool fast = tk::hold(
        {tk::suits_fast(Dt, "L"), tk::whole_vectors(Dt, 8), tk::suits_fast(A), tk::suits_fast(C),
         tk::suits_fast(dY, "L"), tk::suits_fast(End)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<ends_kernel<16, 8, true>, ends_kernel<1, 2, false>>(
        fast ? 0 : 1, site, 0, tk::kernel_shape(32).overlapping(), programs, Dt, A, C, bias, dY,
        End, Left, B, G, CG, L));
}
TK_NO_WORKSPACE(ends, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, DLTensor*, DLTensor*)

int behind(const DLTensor* A_given, const DLTensor* dState_given, const DLTensor* End_given,
           const DLTensor* Left_given, DLTensor* Behind_given, DLTensor* dS0_given, void*, size_t,
           cudaStream_t stream) {
    tk::arguments call{"behind"};
    const tk::tensor A = call.take("A", A_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor dState = call.take("dState", dState_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor End = call.take("End", End_given, tk::dtype_f32, 5, tk::access::read);
    const tk::tensor Left = call.take("Left", Left_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor Behind = call.take("Behind", Behind_given, tk::dtype_f32, 5,
                                        tk::access::write);
    const tk::tensor dS0 = call.take("dS0", dS0_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t G = A.shape[0];
    const int64_t CG = A.shape[1];
    const int64_t F = dState.shape[0];
    const int64_t B = End.shape[0];
    const int64_t P = End.shape[1];
    const int64_t I = dS0.shape[0];
    call.require(
        {tk::fixed_extent(A, 2, 16), tk::same_extent("G", A, 0, dState, 1),
         tk::same_extent("CG", A, 1, dState, 2), tk::fixed_extent(dState, 3, 16),
         tk::same_extent("G", A, 0, End, 2), tk::same_extent("CG", A, 1, End, 3),
         tk::fixed_extent(End, 4, 16), tk::same_extent("B", End, 0, Left, 0),
         tk::same_extent("P", End, 1, Left, 1), tk::same_extent("G", A, 0, Left, 2),
         tk::same_extent("CG", A, 1, Left, 3), tk::same_extent("B", End, 0, Behind, 0),
         tk::same_extent("P", End, 1, Behind, 1), tk::same_extent("G", A, 0, Behind, 2),
         tk::same_extent("CG", A, 1, Behind, 3), tk::fixed_extent(Behind, 4, 16),
         tk::same_extent("G", A, 0, dS0, 1), tk::same_extent("CG", A, 1, dS0, 2),
         tk::fixed_extent(dS0, 3, 16),
         tk::extents_fit({{"G", G}, {"CG", CG}, {"F", F}, {"B", B}, {"P", P}, {"I", I}}),
         tk::that(I <= B, "`behind` requires `I <= B`"),
         tk::that(F <= B, "`behind` requires `F <= B`"),
         tk::grid_fits(tk::multiply(tk::ceil_div(CG, 32), G), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G), B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G), B);
    const bool fast = tk::hold(
        {tk::suits_fast(A), tk::suits_fast(dState), tk::suits_fast(End), tk::suits_fast(Behind),
         tk::suits_fast(dS0)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<behind_kernel<28, 4, 4, true>, behind_kernel<1, 8, 2, false>>(
        fast ? 0 : 1, site, 0, tk::kernel_shape(32).overlapping(), programs, A, dState, End, Left,
        Behind, dS0, G, CG, F, B, P, I));
}
TK_NO_WORKSPACE(behind, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*, DLTensor*)

int segments(const DLTensor* U_given, const DLTensor* Dt_given, const DLTensor* A_given,
             const DLTensor* Bm_given, const DLTensor* C_given, const DLTensor* D_given,
             const DLTensor* Z_given, const DLTensor* bias_given, const DLTensor* dY_given,
             const DLTensor* Saved_given, const DLTensor* Behind_given, DLTensor* Kept_given,
             DLTensor* dU_given, DLTensor* dDt_given, DLTensor* dZ_given, DLTensor* Part_given,
             DLTensor* ofA_given, DLTensor* ofD_given, DLTensor* ofBias_given, void*, size_t,
             cudaStream_t stream) {
    tk::arguments call{"segments"};
    const tk::tensor U = call.take("U", U_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Dt = call.take("Dt", Dt_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor A = call.take("A", A_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor Bm = call.take("Bm", Bm_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor D = call.take("D", D_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor Z = call.take("Z", Z_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor bias = call.take("bias", bias_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor dY = call.take("dY", dY_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Saved = call.take("Saved", Saved_given, tk::dtype_f32, 5, tk::access::read);
    const tk::tensor Behind = call.take("Behind", Behind_given, tk::dtype_f32, 5, tk::access::read);
    const tk::tensor Kept = call.take("Kept", Kept_given, tk::dtype_f32, 5, tk::access::write);
    const tk::tensor dU = call.take("dU", dU_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dDt = call.take("dDt", dDt_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dZ = call.take("dZ", dZ_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 5, tk::access::write);
    const tk::tensor ofA = call.take("ofA", ofA_given, tk::dtype_f32, 5, tk::access::write);
    const tk::tensor ofD = call.take("ofD", ofD_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor ofBias = call.take("ofBias", ofBias_given, tk::dtype_f32, 4,
                                        tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = U.shape[0];
    const int64_t G = U.shape[1];
    const int64_t CG = U.shape[2];
    const int64_t L = U.shape[3];
    const int64_t BZ = Z.shape[0];
    call.require(
        {tk::same_extent("B", U, 0, Dt, 0), tk::same_extent("G", U, 1, Dt, 1),
         tk::same_extent("CG", U, 2, Dt, 2), tk::same_extent("L", U, 3, Dt, 3),
         tk::same_extent("G", U, 1, A, 0), tk::same_extent("CG", U, 2, A, 1),
         tk::fixed_extent(A, 2, 16), tk::same_extent("B", U, 0, Bm, 0),
         tk::same_extent("G", U, 1, Bm, 1), tk::same_extent("L", U, 3, Bm, 2),
         tk::fixed_extent(Bm, 3, 16), tk::same_extent("B", U, 0, C, 0),
         tk::same_extent("G", U, 1, C, 1), tk::same_extent("L", U, 3, C, 2),
         tk::fixed_extent(C, 3, 16), tk::same_extent("G", U, 1, D, 0),
         tk::same_extent("CG", U, 2, D, 1), tk::same_extent("G", U, 1, Z, 1),
         tk::same_extent("CG", U, 2, Z, 2), tk::same_extent("L", U, 3, Z, 3),
         tk::same_extent("G", U, 1, bias, 0), tk::same_extent("CG", U, 2, bias, 1),
         tk::same_extent("B", U, 0, dY, 0), tk::same_extent("G", U, 1, dY, 1),
         tk::same_extent("CG", U, 2, dY, 2), tk::same_extent("L", U, 3, dY, 3),
         tk::same_extent("B", U, 0, Saved, 0), tk::same_extent("G", U, 1, Saved, 2),
         tk::same_extent("CG", U, 2, Saved, 3), tk::fixed_extent(Saved, 4, 16),
         tk::same_extent("B", U, 0, Behind, 0), tk::same_extent("G", U, 1, Behind, 2),
         tk::same_extent("CG", U, 2, Behind, 3), tk::fixed_extent(Behind, 4, 16),
         tk::same_extent("B", U, 0, Kept, 0), tk::same_extent("G", U, 1, Kept, 2),
         tk::same_extent("CG", U, 2, Kept, 3), tk::fixed_extent(Kept, 4, 16),
         tk::same_extent("B", U, 0, dU, 0), tk::same_extent("G", U, 1, dU, 1),
         tk::same_extent("CG", U, 2, dU, 2), tk::same_extent("L", U, 3, dU, 3),
         tk::same_extent("B", U, 0, dDt, 0), tk::same_extent("G", U, 1, dDt, 1),
         tk::same_extent("CG", U, 2, dDt, 2), tk::same_extent("L", U, 3, dDt, 3),
         tk::same_extent("BZ", Z, 0, dZ, 0), tk::same_extent("G", U, 1, dZ, 1),
         tk::same_extent("CG", U, 2, dZ, 2), tk::same_extent("L", U, 3, dZ, 3),
         tk::same_extent("B", U, 0, Part, 0), tk::same_extent("G", U, 1, Part, 1),
         tk::same_extent("L", U, 3, Part, 3), tk::fixed_extent(Part, 4, 32),
         tk::same_extent("B", U, 0, ofA, 0), tk::same_extent("G", U, 1, ofA, 2),
         tk::same_extent("CG", U, 2, ofA, 3), tk::fixed_extent(ofA, 4, 16),
         tk::same_extent("B", U, 0, ofD, 0), tk::same_extent("G", U, 1, ofD, 2),
         tk::same_extent("CG", U, 2, ofD, 3), tk::same_extent("B", U, 0, ofBias, 0),
         tk::same_extent("G", U, 1, ofBias, 2), tk::same_extent("CG", U, 2, ofBias, 3),
         tk::extents_fit({{"B", B}, {"G", G}, {"CG", CG}, {"L", L}, {"BZ", BZ}}),
         tk::that(Saved.shape[1] == tk::ceil_div(L, 64),
                  "axis 1 of `Saved` is {}; it must be `ceil_div(L, 64)`, which is {}",
                  {Saved.shape[1], tk::ceil_div(L, 64)}),
         tk::that(Behind.shape[1] == tk::ceil_div(L, 512),
                  "axis 1 of `Behind` is {}; it must be `ceil_div(L, 512)`, which is {}",
                  {Behind.shape[1], tk::ceil_div(L, 512)}),
         tk::that(Kept.shape[1] == tk::ceil_div(L, 512) * 16,
                  "axis 1 of `Kept` is {}; it must be `ceil_div(L, 512)*16`, which is {}",
                  {Kept.shape[1], tk::ceil_div(L, 512) * 16}),
         tk::that(Part.shape[2] == tk::ceil_div(CG, 32),
                  "axis 2 of `Part` is {}; it must be `ceil_div(CG, 32)`, which is {}",
                  {Part.shape[2], tk::ceil_div(CG, 32)}),
         tk::that(ofA.shape[1] == tk::ceil_div(L, 512),
                  "axis 1 of `ofA` is {}; it must be `ceil_div(L, 512)`, which is {}",
                  {ofA.shape[1], tk::ceil_div(L, 512)}),
         tk::that(ofD.shape[1] == tk::ceil_div(L, 512),
                  "axis 1 of `ofD` is {}; it must be `ceil_div(L, 512)`, which is {}",
                  {ofD.shape[1], tk::ceil_div(L, 512)}),
         tk::that(ofBias.shape[1] == tk::ceil_div(L, 512),
                  "axis 1 of `ofBias` is {}; it must be `ceil_div(L, 512)`, which is {}",
                  {ofBias.shape[1], tk::ceil_div(L, 512)}),
         tk::that(BZ == 0, "`segments` requires `if GATED { BZ == B } else { BZ == 0 }`"),
         tk::grid_fits(tk::multiply(tk::ceil_div(CG, 32), G), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G), tk::ceil_div(L, 512)),
                       2147483648),
         tk::grid_fits(
             tk::multiply(tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G), tk::ceil_div(L, 512)),
                          B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs =
        tk::multiply(tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G), tk::ceil_div(L, 512)), B);
    const bool fast = tk::hold(
        {tk::suits_fast(U, "L"), tk::whole_vectors(U, 8), tk::suits_fast(Dt, "L"),
         tk::suits_fast(A), tk::suits_fast(Bm), tk::suits_fast(C), tk::suits_fast(dY, "L"),
         tk::suits_fast(Saved), tk::suits_fast(Behind), tk::suits_fast(Kept),
         tk::suits_fast(dU, "L"), tk::suits_fast(dDt, "L"), tk::suits_fast(dZ, "L"),
         tk::suits_fast(Part), tk::suits_fast(ofA)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<segments_kernel<8, 8, true>, segments_kernel<1, 2, false>>(
        fast ? 0 : 1, site, sizeof(segments_shared), tk::kernel_shape(32).overlapping(), programs,
        U, Dt, A, Bm, C, D, bias, dY, Saved, Behind, Kept, dU, dDt, dZ, Part, ofA, ofD, ofBias, B,
        G, CG, L, BZ));
}
TK_NO_WORKSPACE(segments, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*)

int rows_of_groups(const DLTensor* Part_given, DLTensor* dB_given, DLTensor* dC_given, void*,
                   size_t, cudaStream_t stream) {
    tk::arguments call{"rows_of_groups"};
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 5, tk::access::read);
    const tk::tensor dB = call.take("dB", dB_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor dC = call.take("dC", dC_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Part.shape[0];
    const int64_t G = Part.shape[1];
    const int64_t W = Part.shape[2];
    const int64_t L = Part.shape[3];
    call.require(
        {tk::fixed_extent(Part, 4, 32), tk::same_extent("B", Part, 0, dB, 0),
         tk::same_extent("G", Part, 1, dB, 1), tk::same_extent("L", Part, 3, dB, 2),
         tk::fixed_extent(dB, 3, 16), tk::same_extent("B", Part, 0, dC, 0),
         tk::same_extent("G", Part, 1, dC, 1), tk::same_extent("L", Part, 3, dC, 2),
         tk::fixed_extent(dC, 3, 16), tk::extents_fit({{"B", B}, {"G", G}, {"W", W}, {"L", L}}),
         tk::grid_fits(tk::multiply(tk::ceil_div(L, 32), G), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(L, 32), G), B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(tk::ceil_div(L, 32), G), B);
    const bool fast = tk::hold({tk::suits_fast(Part), tk::suits_fast(dB), tk::suits_fast(dC)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(tk::run<rows_of_groups_kernel<10, 4, 4, true>>(
            site, 0, tk::kernel_shape(128).overlapping(), programs, Part, dB, dC, B, G, W, L));
    }
    return tk::finish(tk::run<rows_of_groups_kernel<1, 8, 2, false>>(
        site, 0, tk::kernel_shape(128).overlapping(), programs, Part, dB, dC, B, G, W, L));
}
TK_NO_WORKSPACE(rows_of_groups, const DLTensor*, DLTensor*, DLTensor*)

int rows_of_channels(const DLTensor* Part_given, DLTensor* Sum_given, void*, size_t,
                     cudaStream_t stream) {
    tk::arguments call{"rows_of_channels"};
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 5, tk::access::read);
    const tk::tensor Sum = call.take("Sum", Sum_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Part.shape[0];
    const int64_t P = Part.shape[1];
    const int64_t G = Part.shape[2];
    const int64_t CG = Part.shape[3];
    call.require(
        {tk::fixed_extent(Part, 4, 16), tk::same_extent("G", Part, 2, Sum, 0),
         tk::same_extent("CG", Part, 3, Sum, 1), tk::fixed_extent(Sum, 2, 16),
         tk::extents_fit({{"B", B}, {"P", P}, {"G", G}, {"CG", CG}}),
         tk::grid_fits(tk::multiply(tk::ceil_div(CG, 32), G), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::ceil_div(CG, 32), G);
    const bool fast = tk::hold({tk::suits_fast(Part), tk::suits_fast(Sum)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(tk::run<rows_of_channels_kernel<10, 4, 4, true>>(
            site, 0, tk::kernel_shape(128).overlapping(), programs, Part, Sum, B, P, G, CG));
    }
    return tk::finish(tk::run<rows_of_channels_kernel<1, 8, 2, false>>(
        site, 0, tk::kernel_shape(128).overlapping(), programs, Part, Sum, B, P, G, CG));
}
TK_NO_WORKSPACE(rows_of_channels, const DLTensor*, DLTensor*)

int of_channels(const DLTensor* Part_given, DLTensor* Sum_given, void*, size_t,
                cudaStream_t stream) {
    tk::arguments call{"of_channels"};
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor Sum = call.take("Sum", Sum_given, tk::dtype_f32, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Part.shape[0];
    const int64_t P = Part.shape[1];
    const int64_t G = Part.shape[2];
    const int64_t CG = Part.shape[3];
    call.require(
        {tk::same_extent("G", Part, 2, Sum, 0), tk::same_extent("CG", Part, 3, Sum, 1),
         tk::extents_fit({{"B", B}, {"P", P}, {"G", G}, {"CG", CG}}),
         tk::grid_fits(tk::multiply(tk::ceil_div(CG, 32), G), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::ceil_div(CG, 32), G);
    const bool fast = tk::hold(
        {tk::suits_fast(Part, "CG"), tk::whole_vectors(Part, 4), tk::suits_fast(Sum, "CG")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<of_channels_kernel<32, 8, 4, true>, of_channels_kernel<1, 16, 2, false>>(
            fast ? 0 : 1, site, 0, tk::kernel_shape(32).overlapping(), programs, Part, Sum, B, P, G,
            CG));
}
TK_NO_WORKSPACE(of_channels, const DLTensor*, DLTensor*)

int selective_scan_backward(
    const DLTensor* U_given, const DLTensor* Dt_given, const DLTensor* A_given,
    const DLTensor* Bm_given, const DLTensor* C_given, const DLTensor* D_given,
    const DLTensor* Z_given, const DLTensor* bias_given, const DLTensor* Saved_given,
    const DLTensor* dY_given, const DLTensor* dState_given, DLTensor* dU_given, DLTensor* dDt_given,
    DLTensor* dA_given, DLTensor* dB_given, DLTensor* dC_given, DLTensor* dD_given,
    DLTensor* dZ_given, DLTensor* dbias_given, DLTensor* dS0_given, DLTensor* End_given,
    DLTensor* Left_given, DLTensor* Behind_given, DLTensor* Kept_given, DLTensor* Part_given,
    DLTensor* ofA_given, DLTensor* ofD_given, DLTensor* ofBias_given, void*, size_t,
    cudaStream_t stream) {
    tk::arguments call{"selective_scan_backward"};
    const tk::tensor U = call.take("U", U_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Dt = call.take("Dt", Dt_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor A = call.take("A", A_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor Bm = call.take("Bm", Bm_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor D = call.take("D", D_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor Z = call.take("Z", Z_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor bias = call.take("bias", bias_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor Saved = call.take("Saved", Saved_given, tk::dtype_f32, 5, tk::access::read);
    const tk::tensor dY = call.take("dY", dY_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dState = call.take("dState", dState_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor dU = call.take("dU", dU_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dDt = call.take("dDt", dDt_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dA = call.take("dA", dA_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor dB = call.take("dB", dB_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor dC = call.take("dC", dC_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor dD = call.take("dD", dD_given, tk::dtype_f32, 2, tk::access::write);
    const tk::tensor dZ = call.take("dZ", dZ_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dbias = call.take("dbias", dbias_given, tk::dtype_f32, 2, tk::access::write);
    const tk::tensor dS0 = call.take("dS0", dS0_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor End = call.take("End", End_given, tk::dtype_f32, 5, tk::access::write);
    const tk::tensor Left = call.take("Left", Left_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Behind = call.take("Behind", Behind_given, tk::dtype_f32, 5,
                                        tk::access::write);
    const tk::tensor Kept = call.take("Kept", Kept_given, tk::dtype_f32, 5, tk::access::write);
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 5, tk::access::write);
    const tk::tensor ofA = call.take("ofA", ofA_given, tk::dtype_f32, 5, tk::access::write);
    const tk::tensor ofD = call.take("ofD", ofD_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor ofBias = call.take("ofBias", ofBias_given, tk::dtype_f32, 4,
                                        tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = U.shape[0];
    const int64_t G = U.shape[1];
    const int64_t CG = U.shape[2];
    const int64_t L = U.shape[3];
    const int64_t BZ = Z.shape[0];
    const int64_t F = dState.shape[0];
    const int64_t I = dS0.shape[0];
    call.require({
        tk::same_extent("B", U, 0, Dt, 0), tk::same_extent("G", U, 1, Dt, 1),
        tk::same_extent("CG", U, 2, Dt, 2), tk::same_extent("L", U, 3, Dt, 3),
        tk::same_extent("G", U, 1, A, 0), tk::same_extent("CG", U, 2, A, 1),
        tk::fixed_extent(A, 2, 16), tk::same_extent("B", U, 0, Bm, 0),
        tk::same_extent("G", U, 1, Bm, 1), tk::same_extent("L", U, 3, Bm, 2),
        tk::fixed_extent(Bm, 3, 16), tk::same_extent("B", U, 0, C, 0),
        tk::same_extent("G", U, 1, C, 1), tk::same_extent("L", U, 3, C, 2),
        tk::fixed_extent(C, 3, 16), tk::same_extent("G", U, 1, D, 0),
        tk::same_extent("CG", U, 2, D, 1), tk::same_extent("G", U, 1, Z, 1),
        tk::same_extent("CG", U, 2, Z, 2), tk::same_extent("L", U, 3, Z, 3),
        tk::same_extent("G", U, 1, bias, 0), tk::same_extent("CG", U, 2, bias, 1),
        tk::same_extent("B", U, 0, Saved, 0), tk::same_extent("G", U, 1, Saved, 2),
        tk::same_extent("CG", U, 2, Saved, 3), tk::fixed_extent(Saved, 4, 16),
        tk::same_extent("B", U, 0, dY, 0), tk::same_extent("G", U, 1, dY, 1),
        tk::same_extent("CG", U, 2, dY, 2), tk::same_extent("L", U, 3, dY, 3),
        tk::same_extent("G", U, 1, dState, 1), tk::same_extent("CG", U, 2, dState, 2),
        tk::fixed_extent(dState, 3, 16), tk::same_extent("B", U, 0, dU, 0),
        tk::same_extent("G", U, 1, dU, 1), tk::same_extent("CG", U, 2, dU, 2),
        tk::same_extent("L", U, 3, dU, 3), tk::same_extent("B", U, 0, dDt, 0),
        tk::same_extent("G", U, 1, dDt, 1), tk::same_extent("CG", U, 2, dDt, 2),
        tk::same_extent("L", U, 3, dDt, 3), tk::same_extent("G", U, 1, dA, 0),
        tk::same_extent("CG", U, 2, dA, 1), tk::fixed_extent(dA, 2, 16),
        tk::same_extent("B", U, 0, dB, 0), tk::same_extent("G", U, 1, dB, 1),
        tk::same_extent("L", U, 3, dB, 2), tk::fixed_extent(dB, 3, 16),
        tk::same_extent("B", U, 0, dC, 0), tk::same_extent("G", U, 1, dC, 1),
        tk::same_extent("L", U, 3, dC, 2), tk::fixed_extent(dC, 3, 16),
        tk::same_extent("G", U, 1, dD, 0), tk::same_extent("CG", U, 2, dD, 1),
        tk::same_extent("BZ", Z, 0, dZ, 0), tk::same_extent("G", U, 1, dZ, 1),
        tk::same_extent("CG", U, 2, dZ, 2), tk::same_extent("L", U, 3, dZ, 3),
        tk::same_extent("G", U, 1, dbias, 0), tk::same_extent("CG", U, 2, dbias, 1),
        tk::same_extent("G", U, 1, dS0, 1), tk::same_extent("CG", U, 2, dS0, 2),
        tk::fixed_extent(dS0, 3, 16), tk::same_extent("B", U, 0, End, 0),
        tk::same_extent("G", U, 1, End, 2), tk::same_extent("CG", U, 2, End, 3),
        tk::fixed_extent(End, 4, 16), tk::same_extent("B", U, 0, Left, 0),
        tk::same_extent("G", U, 1, Left, 2), tk::same_extent("CG", U, 2, Left, 3),
        tk::same_extent("B", U, 0, Behind, 0), tk::same_extent("G", U, 1, Behind, 2),
        tk::same_extent("CG", U, 2, Behind, 3), tk::fixed_extent(Behind, 4, 16),
        tk::same_extent("B", U, 0, Kept, 0), tk::same_extent("G", U, 1, Kept, 2),
        tk::same_extent("CG", U, 2, Kept, 3), tk::fixed_extent(Kept, 4, 16),
        tk::same_extent("B", U, 0, Part, 0), tk::same_extent("G", U, 1, Part, 1),
        tk::same_extent("L", U, 3, Part, 3), tk::fixed_extent(Part, 4, 32),
        tk::same_extent("B", U, 0, ofA, 0), tk::same_extent("G", U, 1, ofA, 2),
        tk::same_extent("CG", U, 2, ofA, 3), tk::fixed_extent(ofA, 4, 16),
        tk::same_extent("B", U, 0, ofD, 0), tk::same_extent("G", U, 1, ofD, 2),
        tk::same_extent("CG", U, 2, ofD, 3), tk::same_extent("B", U, 0, ofBias, 0),
        tk::same_extent("G", U, 1, ofBias, 2), tk::same_extent("CG", U, 2, ofBias, 3),
        tk::extents_fit({{"B", B}, {"G", G}, {"CG", CG}, {"L", L}, {"BZ", BZ}, {"F", F}, {"I", I}}),
        tk::that(Saved.shape[1] == tk::ceil_div(L, 64),
                 "axis 1 of `Saved` is {}; it must be `ceil_div(L, 64)`, which is {}",
                 {Saved.shape[1], tk::ceil_div(L, 64)}),
        tk::that(End.shape[1] == tk::ceil_div(L, 512),
                 "axis 1 of `End` is {}; it must be `ceil_div(L, 512)`, which is {}",
                 {End.shape[1], tk::ceil_div(L, 512)}),
        tk::that(Left.shape[1] == tk::ceil_div(L, 512),
                 "axis 1 of `Left` is {}; it must be `ceil_div(L, 512)`, which is {}",
                 {Left.shape[1], tk::ceil_div(L, 512)}),
        tk::that(Behind.shape[1] == tk::ceil_div(L, 512),
                 "axis 1 of `Behind` is {}; it must be `ceil_div(L, 512)`, which is {}",
                 {Behind.shape[1], tk::ceil_div(L, 512)}),
        tk::that(Kept.shape[1] == tk::ceil_div(L, 512) * 16,
                 "axis 1 of `Kept` is {}; it must be `ceil_div(L, 512)*16`, which is {}",
                 {Kept.shape[1], tk::ceil_div(L, 512) * 16}),
        tk::that(Part.shape[2] == tk::ceil_div(CG, 32),
                 "axis 2 of `Part` is {}; it must be `ceil_div(CG, 32)`, which is {}",
                 {Part.shape[2], tk::ceil_div(CG, 32)}),
        tk::that(ofA.shape[1] == tk::ceil_div(L, 512),
                 "axis 1 of `ofA` is {}; it must be `ceil_div(L, 512)`, which is {}",
                 {ofA.shape[1], tk::ceil_div(L, 512)}),
        tk::that(ofD.shape[1] == tk::ceil_div(L, 512),
                 "axis 1 of `ofD` is {}; it must be `ceil_div(L, 512)`, which is {}",
                 {ofD.shape[1], tk::ceil_div(L, 512)}),
        tk::that(ofBias.shape[1] == tk::ceil_div(L, 512),
                 "axis 1 of `ofBias` is {}; it must be `ceil_div(L, 512)`, which is {}",
                 {ofBias.shape[1], tk::ceil_div(L, 512)}),
        tk::that(BZ == 0,
                 "`selective_scan_backward` requires `if GATED { BZ == B } else { BZ == 0 }`"),
        tk::that(I <= B, "`selective_scan_backward` requires `I <= B`"),
        tk::that(F <= B, "`selective_scan_backward` requires `F <= B`")});
    // ends(Dt, A, C, Z, bias, dY, End, Left)
    call.require(
        {tk::grid_fits(tk::multiply(tk::ceil_div(CG, 32), G), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G), tk::ceil_div(L, 512)),
                       2147483648),
         tk::grid_fits(
             tk::multiply(tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G), tk::ceil_div(L, 512)),
                          B), 2147483648)});
    // behind(A, dState, End, Left, Behind, dS0)
    call.require({
        tk::that(tk::ceil_div(L, 512) < 2147221504,
                 "`ceil_div(L, 512)` is {}; extents must be less than 2147221504",
                 {tk::ceil_div(L, 512)}),
        tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G), B), 2147483648)});
    // rows_of_groups(Part, dB, dC)
    call.require({
        tk::that(tk::ceil_div(CG, 32) < 2147221504,
                 "`ceil_div(CG, 32)` is {}; extents must be less than 2147221504",
                 {tk::ceil_div(CG, 32)}),
        tk::grid_fits(tk::multiply(tk::ceil_div(L, 32), G), 2147483648),
        tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(L, 32), G), B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());

    // ends(Dt, A, C, Z, bias, dY, End, Left)
    const bool choice_1 = tk::hold(
        {tk::suits_fast(Dt, "L"), tk::whole_vectors(Dt, 8), tk::suits_fast(A), tk::suits_fast(C),
         tk::suits_fast(dY, "L"), tk::suits_fast(End)});

    // behind(A, dState, End, Left, Behind, dS0)
    const bool choice_2 = tk::hold(
        {tk::suits_fast(A), tk::suits_fast(dState), tk::suits_fast(End), tk::suits_fast(Behind),
         tk::suits_fast(dS0)});

    // segments(U, Dt, A, Bm, C, D, Z, bias, dY, Saved, Behind, Kept, dU, dDt, dZ, Part, ofA, ofD,
    // ofBias)
    const bool choice_3 = tk::hold(
        {tk::suits_fast(U, "L"), tk::whole_vectors(U, 8), tk::suits_fast(Dt, "L"),
         tk::suits_fast(A), tk::suits_fast(Bm), tk::suits_fast(C), tk::suits_fast(dY, "L"),
         tk::suits_fast(Saved), tk::suits_fast(Behind), tk::suits_fast(Kept),
         tk::suits_fast(dU, "L"), tk::suits_fast(dDt, "L"), tk::suits_fast(dZ, "L"),
         tk::suits_fast(Part), tk::suits_fast(ofA)});

    // rows_of_groups(Part, dB, dC)
    const bool choice_4 = tk::hold({tk::suits_fast(Part), tk::suits_fast(dB), tk::suits_fast(dC)});

    // rows_of_channels(ofA, dA)
    const bool choice_5 = tk::hold({tk::suits_fast(ofA), tk::suits_fast(dA)});

    // of_channels(ofD, dD)
    const bool choice_6 =
        tk::hold({tk::suits_fast(ofD, "CG"), tk::whole_vectors(ofD, 4), tk::suits_fast(dD, "CG")});

    // of_channels(ofBias, dbias)
    const bool choice_7 = tk::hold(
        {tk::suits_fast(ofBias, "CG"), tk::whole_vectors(ofBias, 4), tk::suits_fast(dbias, "CG")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1) {
        TK_FINISH_IF_FAILED(launch_ends(site, Dt, A, C, bias, dY, End, Left, B, G, CG, L));
    } else {
        TK_FINISH_IF_FAILED(launch_ends_general(site, Dt, A, C, bias, dY, End, Left, B, G, CG, L));
    }
    if (choice_2) {
        TK_FINISH_IF_FAILED(
            launch_behind(site, A, dState, tk::read_only(End), tk::read_only(Left), Behind, dS0, G,
                          CG, F, B, tk::ceil_div(L, 512), I));
    } else {
        TK_FINISH_IF_FAILED(
            launch_behind_general(site, A, dState, tk::read_only(End), tk::read_only(Left), Behind,
                                  dS0, G, CG, F, B, tk::ceil_div(L, 512), I));
    }
    if (choice_3) {
        TK_FINISH_IF_FAILED(
            launch_segments(site, U, Dt, A, Bm, C, D, bias, dY, Saved, tk::read_only(Behind), Kept,
                            dU, dDt, dZ, Part, ofA, ofD, ofBias, B, G, CG, L, BZ));
    } else {
        TK_FINISH_IF_FAILED(launch_segments_general(
            site, U, Dt, A, Bm, C, D, bias, dY, Saved, tk::read_only(Behind), Kept, dU, dDt, dZ,
            Part, ofA, ofD, ofBias, B, G, CG, L, BZ));
    }
    if (choice_4) {
        TK_FINISH_IF_FAILED(launch_rows_of_groups(
            site, tk::read_only(Part), dB, dC, B, G, tk::ceil_div(CG, 32), L));
    } else {
        TK_FINISH_IF_FAILED(launch_rows_of_groups_general(
            site, tk::read_only(Part), dB, dC, B, G, tk::ceil_div(CG, 32), L));
    }
    if (choice_5) {
        TK_FINISH_IF_FAILED(
            launch_rows_of_channels(site, tk::read_only(ofA), dA, B, tk::ceil_div(L, 512), G, CG));
    } else {
        TK_FINISH_IF_FAILED(launch_rows_of_channels_general(
            site, tk::read_only(ofA), dA, B, tk::ceil_div(L, 512), G, CG));
    }
    if (choice_6) {
        TK_FINISH_IF_FAILED(
            launch_of_channels(site, tk::read_only(ofD), dD, B, tk::ceil_div(L, 512), G, CG));
    } else {
        TK_FINISH_IF_FAILED(launch_of_channels_general(
            site, tk::read_only(ofD), dD, B, tk::ceil_div(L, 512), G, CG));
    }
    if (choice_7) {
        TK_FINISH_IF_FAILED(
            launch_of_channels(site, tk::read_only(ofBias), dbias, B, tk::ceil_div(L, 512), G, CG));
    } else {
        TK_FINISH_IF_FAILED(launch_of_channels_general(
            site, tk::read_only(ofBias), dbias, B, tk::ceil_div(L, 512), G, CG));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(selective_scan_backward, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*)
}  // extern "C"
