// Made by tkc from selective_scan_backward.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/folded.cuh"
#include "tk/operations/integer.cuh"
#include "tk/operations/slice_tile.cuh"
#include "tk/tk.cuh"

// ends: kernel ends with T = bf16, TD = bf16, TB = f32, S = 16, GATED = false, SOFTPLUS = true,
// PACKED = false, BD = 128.
// producer: 1 warp, 128 registers a thread; scan: 4 warps, 128 registers a thread.
// 256 threads, 128 registers each, 4224 bytes of shared memory.
struct ends_shared {
    tk::shared_tile<float, 8, 16> cs_tile[8];
    tk::pipeline<8> cs;
};
static_assert(offsetof(ends_shared, cs) == 4096);

__global__ void __launch_bounds__(256, 2) ends_kernel(
    const __grid_constant__ CUtensorMap C_map, const tk::tensor_argument<const tk::bf16, 4> Dt,
    const tk::tensor_argument<const float, 3> A, const tk::tensor_argument<const float, 2> bias,
    const tk::tensor_argument<const tk::bf16, 4> dY, const tk::tensor_argument<float, 5> End,
    const tk::tensor_argument<float, 4> Left, int B, int G, int CG, int L, int segments,
    int chunks) {
    extern __shared__ __align__(1024) unsigned char memory[];
    ends_shared& shared = *reinterpret_cast<ends_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(C_map);
        shared.cs.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int d_tiles = tk::tiles(CG, 128);
    const int p_tiles = tk::max(segments - 1, 0);
    const int warp = tk::warp_index();

    if (warp < 4) {
        // selective_scan_backward.tk:122: role producer(1 warp) {
        if (warp == 0 && tk::elect_one()) {
            tk::cursor<8> cs_next;
            const int program = blockIdx.x;
            const int g = program / d_tiles % G;
            const int p = program / (d_tiles * G) % p_tiles;
            const int b = program / (d_tiles * G * p_tiles);

            // selective_scan_backward.tk:116: let first = max((p + 1) * chunks, 0);
            const int first = tk::max((p + 1) * chunks, 0);

            // selective_scan_backward.tk:117: let last  = min(first + chunks, ceil_div(L, 32));
            const int last = tk::min(first + chunks, tk::divide_up(L, 32));

            // selective_scan_backward.tk:119: let end   = if PACKED { min(start[q + 1], min(last ..
            const int end = L;

            // selective_scan_backward.tk:123: for s in reversed first..(if PACKED { ..
            #pragma unroll 1
            for (int s = first + (last - first - 1); s >= first; s -= 1) {
                #pragma unroll 1
                for (int t = s * 32 + (tk::divide_up(tk::min(s * 32 + 32, end) - s * 32, 8) - 1) *
                     8; t >= s * 32; t -= 8) {
                    // selective_scan_backward.tk:124: produce cs = load(C[b, g, t, :]);
                    shared.cs.begin(cs_next, 512);
                    tk::tma_load(shared.cs_tile[cs_next.stage], C_map,
                                 shared.cs.full[cs_next.stage], b, g, t, 0);
                    cs_next.advance();
                }
            }
        }
    } else {
        // selective_scan_backward.tk:128: role scan(BD // 32 warps) {
        const int thread = int(threadIdx.x) - 128;
        tk::cursor<8> cs_next;
        const int program = blockIdx.x;
        const int d = program % d_tiles * 128;
        const int g = program / d_tiles % G;
        const int p = program / (d_tiles * G) % p_tiles;
        const int b = program / (d_tiles * G * p_tiles);

        // selective_scan_backward.tk:116: let first = max((p + 1) * chunks, 0);
        const int first = tk::max((p + 1) * chunks, 0);

        // selective_scan_backward.tk:117: let last  = min(first + chunks, ceil_div(L, 32));
        const int last = tk::min(first + chunks, tk::divide_up(L, 32));

        // selective_scan_backward.tk:119: let end   = if PACKED { min(start[q + 1], min(last * ..
        const int end = L;

        // selective_scan_backward.tk:129: let a   = load(A[g, d, :]) * LOG2E;
        tk::stripe<float, 128, 16, 128, 1, 8> t0;
        tk::load_vectors(t0, tk::dense_slice(A, {g, d, 0}, CG - d, 16), thread);
        tk::stripe<float, 128, 16, 128, 1, 8> a;
        tk::map(a, [](float t0) { return t0 * 1.442695f; }, t0);

        // selective_scan_backward.tk:130: let add = column(load(bias[g, d]));
        tk::stripe<float, 128, 1, 128, 1, 8> add;
        tk::load_global(add, tk::slice<1, tk::no_axis>(bias, {g, d}, CG - d, 1), thread);

        // selective_scan_backward.tk:131: var r: f32[BD, S] = 0;
        tk::stripe<float, 128, 16, 128, 1, 8> r;
        tk::zero(r);

        // selective_scan_backward.tk:132: var steps: f32[BD, 1] = 0;
        tk::stripe<float, 128, 1, 128, 1, 8> steps;
        tk::zero(steps);

        // selective_scan_backward.tk:134: for s in reversed first..(if PACKED { ceil_div(end, ..
        for (int s = first + (last - first - 1); s >= first; s -= 1) {
            for (int t = s * 32 + (tk::divide_up(tk::min(s * 32 + 32, end) - s * 32, 8) - 1) * 8;
                 t >= s * 32; t -= 8) {
                // selective_scan_backward.tk:135: let dt = ..
                tk::stripe<tk::bf16, 128, 8, 128, 1, 8> t2;
                tk::load_vectors(t2, tk::vector_slice(Dt, {b, g, d, t}, CG - d, L - t), thread);
                tk::stripe<float, 128, 8, 128, 1, 8> t28;
                tk::map(t28, thread, [&](int row, int col, tk::bf16 t2, float add) {
                    const float x = col < end - t ? float(t2) + add : -INFINITY;
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
                }, t2, add);

                // selective_scan_backward.tk:136: let gy = ungated(f32(load(dY[b, g, d, t])), if ..
                tk::stripe<tk::bf16, 128, 8, 128, 1, 8> t3;
                tk::load_vectors(t3, tk::vector_slice(dY, {b, g, d, t}, CG - d, L - t), thread);
                tk::stripe<float, 128, 8, 128, 1, 8> gy = tk::convert<float>(t3);

                // selective_scan_backward.tk:138: consume cs as n {
                const tk::cursor<8> n_element = shared.cs.take(cs_next);

                // selective_scan_backward.tk:102: return exp2(dt[:, I +: 1] * a) * (r + dy[:, I ..
                tk::stripe<float, 128, 1, 128, 1, 8> t4;
                tk::slice_registers<0, 7>(t4, t28);
                tk::stripe<float, 128, 1, 128, 1, 8> t5;
                tk::slice_registers<0, 7>(t5, gy);

                // selective_scan_backward.tk:139: r = r_before<7>(r, a, dt, dy, n);
                tk::stripe<float, 1, 16, 128, 1, 8> t1;
                tk::load_shared(t1, tk::part<7, 0, 1, 16>(shared.cs_tile[n_element.stage]), thread);
                tk::map(r, [](float t4, float a, float r, float t5, float t1) {
                    return tk::exp2(t4 * a) * tk::fma(t5, t1, r);
                }, t4, a, r, t5, t1);
                // selective_scan_backward.tk:102
                tk::stripe<float, 128, 1, 128, 1, 8> t7;
                tk::slice_registers<0, 6>(t7, t28);
                tk::stripe<float, 128, 1, 128, 1, 8> t8;
                tk::slice_registers<0, 6>(t8, gy);

                // selective_scan_backward.tk:140: r = r_before<6>(r, a, dt, dy, n);
                tk::stripe<float, 1, 16, 128, 1, 8> t30;
                tk::load_shared(t30, tk::part<6, 0, 1, 16>(shared.cs_tile[n_element.stage]),
                                thread);
                tk::map(r, [](float t7, float a, float r, float t8, float t30) {
                    return tk::exp2(t7 * a) * tk::fma(t8, t30, r);
                }, t7, a, r, t8, t30);
                // selective_scan_backward.tk:102
                tk::stripe<float, 128, 1, 128, 1, 8> t10;
                tk::slice_registers<0, 5>(t10, t28);
                tk::stripe<float, 128, 1, 128, 1, 8> t11;
                tk::slice_registers<0, 5>(t11, gy);

                // selective_scan_backward.tk:141: r = r_before<5>(r, a, dt, dy, n);
                tk::stripe<float, 1, 16, 128, 1, 8> t31;
                tk::load_shared(t31, tk::part<5, 0, 1, 16>(shared.cs_tile[n_element.stage]),
                                thread);
                tk::map(r, [](float t10, float a, float r, float t11, float t31) {
                    return tk::exp2(t10 * a) * tk::fma(t11, t31, r);
                }, t10, a, r, t11, t31);
                // selective_scan_backward.tk:102
                tk::stripe<float, 128, 1, 128, 1, 8> t13;
                tk::slice_registers<0, 4>(t13, t28);
                tk::stripe<float, 128, 1, 128, 1, 8> t14;
                tk::slice_registers<0, 4>(t14, gy);

                // selective_scan_backward.tk:142: r = r_before<4>(r, a, dt, dy, n);
                tk::stripe<float, 1, 16, 128, 1, 8> t32;
                tk::load_shared(t32, tk::part<4, 0, 1, 16>(shared.cs_tile[n_element.stage]),
                                thread);
                tk::map(r, [](float t13, float a, float r, float t14, float t32) {
                    return tk::exp2(t13 * a) * tk::fma(t14, t32, r);
                }, t13, a, r, t14, t32);
                // selective_scan_backward.tk:102
                tk::stripe<float, 128, 1, 128, 1, 8> t16;
                tk::slice_registers<0, 3>(t16, t28);
                tk::stripe<float, 128, 1, 128, 1, 8> t17;
                tk::slice_registers<0, 3>(t17, gy);

                // selective_scan_backward.tk:143: r = r_before<3>(r, a, dt, dy, n);
                tk::stripe<float, 1, 16, 128, 1, 8> t33;
                tk::load_shared(t33, tk::part<3, 0, 1, 16>(shared.cs_tile[n_element.stage]),
                                thread);
                tk::map(r, [](float t16, float a, float r, float t17, float t33) {
                    return tk::exp2(t16 * a) * tk::fma(t17, t33, r);
                }, t16, a, r, t17, t33);
                // selective_scan_backward.tk:102
                tk::stripe<float, 128, 1, 128, 1, 8> t19;
                tk::slice_registers<0, 2>(t19, t28);
                tk::stripe<float, 128, 1, 128, 1, 8> t20;
                tk::slice_registers<0, 2>(t20, gy);

                // selective_scan_backward.tk:144: r = r_before<2>(r, a, dt, dy, n);
                tk::stripe<float, 1, 16, 128, 1, 8> t34;
                tk::load_shared(t34, tk::part<2, 0, 1, 16>(shared.cs_tile[n_element.stage]),
                                thread);
                tk::map(r, [](float t19, float a, float r, float t20, float t34) {
                    return tk::exp2(t19 * a) * tk::fma(t20, t34, r);
                }, t19, a, r, t20, t34);
                // selective_scan_backward.tk:102
                tk::stripe<float, 128, 1, 128, 1, 8> t22;
                tk::slice_registers<0, 1>(t22, t28);
                tk::stripe<float, 128, 1, 128, 1, 8> t23;
                tk::slice_registers<0, 1>(t23, gy);

                // selective_scan_backward.tk:145: r = r_before<1>(r, a, dt, dy, n);
                tk::stripe<float, 1, 16, 128, 1, 8> t35;
                tk::load_shared(t35, tk::part<1, 0, 1, 16>(shared.cs_tile[n_element.stage]),
                                thread);
                tk::map(r, [](float t22, float a, float r, float t23, float t35) {
                    return tk::exp2(t22 * a) * tk::fma(t23, t35, r);
                }, t22, a, r, t23, t35);
                // selective_scan_backward.tk:102
                tk::stripe<float, 128, 1, 128, 1, 8> t25;
                tk::slice_registers<0, 0>(t25, t28);
                tk::stripe<float, 128, 1, 128, 1, 8> t26;
                tk::slice_registers<0, 0>(t26, gy);

                // selective_scan_backward.tk:146: r = r_before<0>(r, a, dt, dy, n);
                tk::stripe<float, 1, 16, 128, 1, 8> t36;
                tk::load_shared(t36, tk::part<0, 0, 1, 16>(shared.cs_tile[n_element.stage]),
                                thread);
                shared.cs.release_after_loads(n_element);
                tk::map(r, [](float t25, float a, float r, float t26, float t36) {
                    return tk::exp2(t25 * a) * tk::fma(t26, t36, r);
                }, t25, a, r, t26, t36);

                // selective_scan_backward.tk:148: steps += sum(pad(dt, axis = 1, with = 0), axis ..
                tk::stripe<float, 128, 1, 128, 1, 8> t29;
                tk::fold_rows(t29, t28, tk::plus{}, thread);
                tk::map(steps, [](float steps, float t29) { return steps + t29; }, steps, t29);
            }
        }

        // selective_scan_backward.tk:150: store(End[b, p, g, d, :], r);
        tk::store_vectors(tk::dense_slice(End, {b, p, g, d, 0}, CG - d, 16), r, thread);

        // selective_scan_backward.tk:151: store(Left[b, p, g, d], steps);
        tk::stripe<float, 128, 1, 128, 1, 8> t37 = steps;
        tk::finish_rows(t37, tk::plus{});
        tk::store_global(tk::slice<3, tk::no_axis>(Left, {b, p, g, d}, CG - d, 1), t37, thread);
    }
}

// ends_general: kernel ends with T = bf16, TD = bf16, TB = f32, S = 16, GATED = false, SOFTPLUS =
// true, PACKED = false, BD = 128; any strides and alignment.
// producer: 1 warp, 255 registers a thread; scan: 4 warps, 255 registers a thread.
// 256 threads, 255 registers each, 4224 bytes of shared memory.
struct ends_general_shared {
    tk::shared_tile<float, 8, 16> cs_tile[8];
    tk::pipeline<8> cs;
};
static_assert(offsetof(ends_general_shared, cs) == 4096);

__global__ void __launch_bounds__(256, 1) ends_general_kernel(
    const tk::tensor_argument<const tk::bf16, 4> Dt, const tk::tensor_argument<const float, 3> A,
    const tk::tensor_argument<const float, 4> C, const tk::tensor_argument<const float, 2> bias,
    const tk::tensor_argument<const tk::bf16, 4> dY, const tk::tensor_argument<float, 5> End,
    const tk::tensor_argument<float, 4> Left, int B, int G, int CG, int L, int segments,
    int chunks) {
    extern __shared__ __align__(1024) unsigned char memory[];
    ends_general_shared& shared = *reinterpret_cast<ends_general_shared*>(memory);

    if (threadIdx.x == 0) {
        shared.cs.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int d_tiles = tk::tiles(CG, 128);
    const int p_tiles = tk::max(segments - 1, 0);
    const int warp = tk::warp_index();

    if (warp < 4) {
        // selective_scan_backward.tk:122: role producer(1 warp) {
        if (warp == 0) {
            const int thread = int(threadIdx.x);
            tk::cursor<8> cs_next;
            const int program = blockIdx.x;
            const int g = program / d_tiles % G;
            const int p = program / (d_tiles * G) % p_tiles;
            const int b = program / (d_tiles * G * p_tiles);

            // selective_scan_backward.tk:116: let first = max((p + 1) * chunks, 0);
            const int first = tk::max((p + 1) * chunks, 0);

            // selective_scan_backward.tk:117: let last  = min(first + chunks, ceil_div(L, 32));
            const int last = tk::min(first + chunks, tk::divide_up(L, 32));

            // selective_scan_backward.tk:119: let end   = if PACKED { min(start[q + 1], min(last ..
            const int end = L;

            // selective_scan_backward.tk:123: for s in reversed first..(if PACKED { ..
            #pragma unroll 1
            for (int s = first + (last - first - 1); s >= first; s -= 1) {
                #pragma unroll 1
                for (int t = s * 32 + (tk::divide_up(tk::min(s * 32 + 32, end) - s * 32, 8) - 1) *
                     8; t >= s * 32; t -= 8) {
                    // selective_scan_backward.tk:124: produce cs = load(C[b, g, t, :]);
                    shared.cs.wait_empty(cs_next);
                    tk::copy_to_shared(shared.cs_tile[cs_next.stage],
                                       tk::slice(C, {b, g, t, 0}, L - t, 16), thread, 32);
                    shared.cs.publish(cs_next, tk::ordinary_alone{});
                    cs_next.advance();
                }
            }
        }
    } else {
        // selective_scan_backward.tk:128: role scan(BD // 32 warps) {
        const int thread = int(threadIdx.x) - 128;
        tk::cursor<8> cs_next;
        const int program = blockIdx.x;
        const int d = program % d_tiles * 128;
        const int g = program / d_tiles % G;
        const int p = program / (d_tiles * G) % p_tiles;
        const int b = program / (d_tiles * G * p_tiles);

        // selective_scan_backward.tk:116: let first = max((p + 1) * chunks, 0);
        const int first = tk::max((p + 1) * chunks, 0);

        // selective_scan_backward.tk:117: let last  = min(first + chunks, ceil_div(L, 32));
        const int last = tk::min(first + chunks, tk::divide_up(L, 32));

        // selective_scan_backward.tk:119: let end   = if PACKED { min(start[q + 1], min(last * ..
        const int end = L;

        // selective_scan_backward.tk:129: let a   = load(A[g, d, :]) * LOG2E;
        tk::stripe<float, 128, 16, 128, 1, 2> t0;
        tk::load_global(t0, tk::slice(A, {g, d, 0}, CG - d, 16), thread);
        tk::stripe<float, 128, 16, 128, 1, 2> a;
        tk::map(a, [](float t0) { return t0 * 1.442695f; }, t0);

        // selective_scan_backward.tk:130: let add = column(load(bias[g, d]));
        tk::stripe<float, 128, 1, 128, 1, 2> add;
        tk::load_global(add, tk::slice<1, tk::no_axis>(bias, {g, d}, CG - d, 1), thread);

        // selective_scan_backward.tk:131: var r: f32[BD, S] = 0;
        tk::stripe<float, 128, 16, 128, 1, 2> r;
        tk::zero(r);

        // selective_scan_backward.tk:132: var steps: f32[BD, 1] = 0;
        tk::stripe<float, 128, 1, 128, 1, 2> steps;
        tk::zero(steps);

        // selective_scan_backward.tk:134: for s in reversed first..(if PACKED { ceil_div(end, ..
        for (int s = first + (last - first - 1); s >= first; s -= 1) {
            for (int t = s * 32 + (tk::divide_up(tk::min(s * 32 + 32, end) - s * 32, 8) - 1) * 8;
                 t >= s * 32; t -= 8) {
                // selective_scan_backward.tk:135: let dt = ..
                tk::stripe<tk::bf16, 128, 8, 128, 1, 2> t2;
                tk::load_global(t2, tk::slice(Dt, {b, g, d, t}, CG - d, L - t), thread);
                tk::stripe<float, 128, 8, 128, 1, 2> t28;
                tk::map(t28, thread, [&](int row, int col, tk::bf16 t2, float add) {
                    const float x = col < end - t ? float(t2) + add : -INFINITY;
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
                }, t2, add);

                // selective_scan_backward.tk:136: let gy = ungated(f32(load(dY[b, g, d, t])), if ..
                tk::stripe<tk::bf16, 128, 8, 128, 1, 2> t3;
                tk::load_global(t3, tk::slice(dY, {b, g, d, t}, CG - d, L - t), thread);
                tk::stripe<float, 128, 8, 128, 1, 2> gy = tk::convert<float>(t3);

                // selective_scan_backward.tk:138: consume cs as n {
                const tk::cursor<8> n_element = shared.cs.take(cs_next);

                // selective_scan_backward.tk:102: return exp2(dt[:, I +: 1] * a) * (r + dy[:, I ..
                tk::stripe<float, 128, 1, 128, 1, 2> t4;
                tk::slice_registers<0, 7>(t4, t28);
                tk::stripe<float, 128, 1, 128, 1, 2> t5;
                tk::slice_registers<0, 7>(t5, gy);

                // selective_scan_backward.tk:139: r = r_before<7>(r, a, dt, dy, n);
                tk::stripe<float, 1, 16, 128, 1, 2> t1;
                tk::load_shared(t1, tk::part<7, 0, 1, 16>(shared.cs_tile[n_element.stage]), thread);
                tk::map(r, [](float t4, float a, float r, float t5, float t1) {
                    return tk::exp2(t4 * a) * tk::fma(t5, t1, r);
                }, t4, a, r, t5, t1);
                // selective_scan_backward.tk:102
                tk::stripe<float, 128, 1, 128, 1, 2> t7;
                tk::slice_registers<0, 6>(t7, t28);
                tk::stripe<float, 128, 1, 128, 1, 2> t8;
                tk::slice_registers<0, 6>(t8, gy);

                // selective_scan_backward.tk:140: r = r_before<6>(r, a, dt, dy, n);
                tk::stripe<float, 1, 16, 128, 1, 2> t30;
                tk::load_shared(t30, tk::part<6, 0, 1, 16>(shared.cs_tile[n_element.stage]),
                                thread);
                tk::map(r, [](float t7, float a, float r, float t8, float t30) {
                    return tk::exp2(t7 * a) * tk::fma(t8, t30, r);
                }, t7, a, r, t8, t30);
                // selective_scan_backward.tk:102
                tk::stripe<float, 128, 1, 128, 1, 2> t10;
                tk::slice_registers<0, 5>(t10, t28);
                tk::stripe<float, 128, 1, 128, 1, 2> t11;
                tk::slice_registers<0, 5>(t11, gy);

                // selective_scan_backward.tk:141: r = r_before<5>(r, a, dt, dy, n);
                tk::stripe<float, 1, 16, 128, 1, 2> t31;
                tk::load_shared(t31, tk::part<5, 0, 1, 16>(shared.cs_tile[n_element.stage]),
                                thread);
                tk::map(r, [](float t10, float a, float r, float t11, float t31) {
                    return tk::exp2(t10 * a) * tk::fma(t11, t31, r);
                }, t10, a, r, t11, t31);
                // selective_scan_backward.tk:102
                tk::stripe<float, 128, 1, 128, 1, 2> t13;
                tk::slice_registers<0, 4>(t13, t28);
                tk::stripe<float, 128, 1, 128, 1, 2> t14;
                tk::slice_registers<0, 4>(t14, gy);

                // selective_scan_backward.tk:142: r = r_before<4>(r, a, dt, dy, n);
                tk::stripe<float, 1, 16, 128, 1, 2> t32;
                tk::load_shared(t32, tk::part<4, 0, 1, 16>(shared.cs_tile[n_element.stage]),
                                thread);
                tk::map(r, [](float t13, float a, float r, float t14, float t32) {
                    return tk::exp2(t13 * a) * tk::fma(t14, t32, r);
                }, t13, a, r, t14, t32);
                // selective_scan_backward.tk:102
                tk::stripe<float, 128, 1, 128, 1, 2> t16;
                tk::slice_registers<0, 3>(t16, t28);
                tk::stripe<float, 128, 1, 128, 1, 2> t17;
                tk::slice_registers<0, 3>(t17, gy);

                // selective_scan_backward.tk:143: r = r_before<3>(r, a, dt, dy, n);
                tk::stripe<float, 1, 16, 128, 1, 2> t33;
                tk::load_shared(t33, tk::part<3, 0, 1, 16>(shared.cs_tile[n_element.stage]),
                                thread);
                tk::map(r, [](float t16, float a, float r, float t17, float t33) {
                    return tk::exp2(t16 * a) * tk::fma(t17, t33, r);
                }, t16, a, r, t17, t33);
                // selective_scan_backward.tk:102
                tk::stripe<float, 128, 1, 128, 1, 2> t19;
                tk::slice_registers<0, 2>(t19, t28);
                tk::stripe<float, 128, 1, 128, 1, 2> t20;
                tk::slice_registers<0, 2>(t20, gy);

                // selective_scan_backward.tk:144: r = r_before<2>(r, a, dt, dy, n);
                tk::stripe<float, 1, 16, 128, 1, 2> t34;
                tk::load_shared(t34, tk::part<2, 0, 1, 16>(shared.cs_tile[n_element.stage]),
                                thread);
                tk::map(r, [](float t19, float a, float r, float t20, float t34) {
                    return tk::exp2(t19 * a) * tk::fma(t20, t34, r);
                }, t19, a, r, t20, t34);
                // selective_scan_backward.tk:102
                tk::stripe<float, 128, 1, 128, 1, 2> t22;
                tk::slice_registers<0, 1>(t22, t28);
                tk::stripe<float, 128, 1, 128, 1, 2> t23;
                tk::slice_registers<0, 1>(t23, gy);

                // selective_scan_backward.tk:145: r = r_before<1>(r, a, dt, dy, n);
                tk::stripe<float, 1, 16, 128, 1, 2> t35;
                tk::load_shared(t35, tk::part<1, 0, 1, 16>(shared.cs_tile[n_element.stage]),
                                thread);
                tk::map(r, [](float t22, float a, float r, float t23, float t35) {
                    return tk::exp2(t22 * a) * tk::fma(t23, t35, r);
                }, t22, a, r, t23, t35);
                // selective_scan_backward.tk:102
                tk::stripe<float, 128, 1, 128, 1, 2> t25;
                tk::slice_registers<0, 0>(t25, t28);
                tk::stripe<float, 128, 1, 128, 1, 2> t26;
                tk::slice_registers<0, 0>(t26, gy);

                // selective_scan_backward.tk:146: r = r_before<0>(r, a, dt, dy, n);
                tk::stripe<float, 1, 16, 128, 1, 2> t36;
                tk::load_shared(t36, tk::part<0, 0, 1, 16>(shared.cs_tile[n_element.stage]),
                                thread);
                shared.cs.release_after_loads(n_element, tk::ordinary_alone{});
                tk::map(r, [](float t25, float a, float r, float t26, float t36) {
                    return tk::exp2(t25 * a) * tk::fma(t26, t36, r);
                }, t25, a, r, t26, t36);

                // selective_scan_backward.tk:148: steps += sum(pad(dt, axis = 1, with = 0), axis ..
                tk::stripe<float, 128, 1, 128, 1, 2> t29;
                tk::fold_rows(t29, t28, tk::plus{}, thread);
                tk::map(steps, [](float steps, float t29) { return steps + t29; }, steps, t29);
            }
        }

        // selective_scan_backward.tk:150: store(End[b, p, g, d, :], r);
        tk::store_global(tk::slice(End, {b, p, g, d, 0}, CG - d, 16), r, thread);

        // selective_scan_backward.tk:151: store(Left[b, p, g, d], steps);
        tk::stripe<float, 128, 1, 128, 1, 2> t37 = steps;
        tk::finish_rows(t37, tk::plus{});
        tk::store_global(tk::slice<3, tk::no_axis>(Left, {b, p, g, d}, CG - d, 1), t37, thread);
    }
}

// behind: kernel behind with S = 16, PACKED = false.
// 32 threads, 136 registers each.
__global__ void __launch_bounds__(32, 15) behind_kernel(
    const tk::tensor_argument<const float, 3> A, const tk::tensor_argument<const float, 4> dState,
    const tk::tensor_argument<const float, 5> End, const tk::tensor_argument<const float, 4> Left,
    const tk::tensor_argument<float, 5> Behind, int G, int CG, int F, int B, int segments) {
    tk::wait_for_previous_kernel();

    const int d_tiles = tk::tiles(CG, 32);
    const int warp = tk::warp_index();

    // selective_scan_backward.tk:156: kernel behind<S: int = 16, PACKED: bool = false>(
    if (warp == 0) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int d = program % d_tiles * 32;
        const int g = program / d_tiles % G;
        const int b = program / (d_tiles * G);

        // selective_scan_backward.tk:163: let a = load(A[g, d, :]) * LOG2E;
        tk::stripe<float, 32, 16, 32, 4, 4> t0;
        tk::load_vectors(t0, tk::dense_slice(A, {g, d, 0}, CG - d, 16), thread);
        tk::stripe<float, 32, 16, 32, 4, 4> a;
        tk::map(a, [](float t0) { return t0 * 1.442695f; }, t0);

        // selective_scan_backward.tk:164: var r = load(dState[b, g, d, :]);
        tk::stripe<float, 32, 16, 32, 4, 4> r;
        tk::load_vectors(r, tk::dense_slice(dState, {b, g, d, 0}, b < F ? CG - d : 0, 16), thread);

        // selective_scan_backward.tk:165: store(Behind[b, segments - 1, g, d, :], r);
        tk::store_vectors(
            tk::dense_slice(Behind, {b, segments - 1, g, d, 0},
                            segments - 1 > -1 && segments - 1 < segments ? CG - d : 0, 16), r,
            thread);

        // selective_scan_backward.tk:166: for p in reversed segments - 1 pipelined(4) {
        #pragma unroll 4
        for (int p = segments - 1 - 1; p >= 0; p -= 1) {
            // selective_scan_backward.tk:167: let left = column(load(Left[b, p, g, d]));
            tk::stripe<float, 32, 1, 32, 4, 4> left;
            tk::load_global(left, tk::slice<3, tk::no_axis>(Left, {b, p, g, d}, CG - d, 1), thread);

            // selective_scan_backward.tk:168: r = load(End[b, p, g, d, :]) + (if PACKED { ..
            tk::stripe<float, 32, 16, 32, 4, 4> t3;
            tk::load_vectors(t3, tk::dense_slice(End, {b, p, g, d, 0}, CG - d, 16), thread);
            tk::map(r, [](float t3, float a, float left, float r) {
                return tk::fma(tk::exp2(a * left), r, t3);
            }, t3, a, left, r);

            // selective_scan_backward.tk:169: store(Behind[b, p, g, d, :], r);
            tk::store_vectors(
                tk::dense_slice(Behind, {b, p, g, d, 0}, p < segments ? CG - d : 0, 16), r, thread);
        }
    }
}

// behind_general: kernel behind with S = 16, PACKED = false; any strides and alignment.
// 32 threads, 255 registers each.
__global__ void __launch_bounds__(32, 1) behind_general_kernel(
    const tk::tensor_argument<const float, 3> A, const tk::tensor_argument<const float, 4> dState,
    const tk::tensor_argument<const float, 5> End, const tk::tensor_argument<const float, 4> Left,
    const tk::tensor_argument<float, 5> Behind, int G, int CG, int F, int B, int segments) {
    tk::wait_for_previous_kernel();

    const int d_tiles = tk::tiles(CG, 32);
    const int warp = tk::warp_index();

    // selective_scan_backward.tk:156: kernel behind<S: int = 16, PACKED: bool = false>(
    if (warp == 0) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int d = program % d_tiles * 32;
        const int g = program / d_tiles % G;
        const int b = program / (d_tiles * G);

        // selective_scan_backward.tk:163: let a = load(A[g, d, :]) * LOG2E;
        tk::stripe<float, 32, 16, 32, 8, 2> t0;
        tk::load_global(t0, tk::slice(A, {g, d, 0}, CG - d, 16), thread);
        tk::stripe<float, 32, 16, 32, 8, 2> a;
        tk::map(a, [](float t0) { return t0 * 1.442695f; }, t0);

        // selective_scan_backward.tk:164: var r = load(dState[b, g, d, :]);
        tk::stripe<float, 32, 16, 32, 8, 2> r;
        tk::load_global(r, tk::slice(dState, {b, g, d, 0}, b < F ? CG - d : 0, 16), thread);

        // selective_scan_backward.tk:165: store(Behind[b, segments - 1, g, d, :], r);
        tk::store_global(
            tk::slice(Behind, {b, segments - 1, g, d, 0},
                      segments - 1 > -1 && segments - 1 < segments ? CG - d : 0, 16), r, thread);

        // selective_scan_backward.tk:166: for p in reversed segments - 1 pipelined(4) {
        for (int p = segments - 1 - 1; p >= 0; p -= 1) {
            // selective_scan_backward.tk:167: let left = column(load(Left[b, p, g, d]));
            tk::stripe<float, 32, 1, 32, 8, 2> left;
            tk::load_global(left, tk::slice<3, tk::no_axis>(Left, {b, p, g, d}, CG - d, 1), thread);

            // selective_scan_backward.tk:168: r = load(End[b, p, g, d, :]) + (if PACKED { ..
            tk::stripe<float, 32, 16, 32, 8, 2> t3;
            tk::load_global(t3, tk::slice(End, {b, p, g, d, 0}, CG - d, 16), thread);
            tk::map(r, [](float t3, float a, float left, float r) {
                return tk::fma(tk::exp2(a * left), r, t3);
            }, t3, a, left, r);

            // selective_scan_backward.tk:169: store(Behind[b, p, g, d, :], r);
            tk::store_global(tk::slice(Behind, {b, p, g, d, 0}, p < segments ? CG - d : 0, 16), r,
                             thread);
        }
    }
}

// sweep: kernel sweep with T = bf16, TD = bf16, TB = f32, S = 16, GATED = false, SOFTPLUS = true,
// PACKED = false.
// 32 threads, 255 registers each, 27648 bytes of shared memory: sweep_kernel<8, 8, true>.
// sweep_general: kernel sweep with T = bf16, TD = bf16, TB = f32, S = 16, GATED = false, SOFTPLUS =
// true, PACKED = false; any strides and alignment.
// 32 threads, 255 registers each, 27648 bytes of shared memory: sweep_kernel<1, 2, false>.
struct sweep_shared {
    tk::shared_tile<float, 32, 8> sweep_a0[1];
    tk::shared_tile<float, 32, 8> sweep_a1[1];
    tk::shared_tile<float, 32, 1> sweep_skip[1];
    tk::shared_tile<float, 32, 1> sweep_add[1];
    tk::shared_tile<float, 32, 8> sweep_da0[1];
    tk::shared_tile<float, 32, 8> sweep_da1[1];
    tk::shared_tile<float, 32, 8> sweep_r0[1];
    tk::shared_tile<float, 32, 8> sweep_r1[1];
    tk::shared_tile<float, 32, 8> sweep_h04[1];
    tk::shared_tile<float, 32, 8> sweep_h08[1];
    tk::shared_tile<float, 32, 8> sweep_h012[1];
    tk::shared_tile<float, 32, 8> sweep_h016[1];
    tk::shared_tile<float, 32, 8> sweep_h020[1];
    tk::shared_tile<float, 32, 8> sweep_h024[1];
    tk::shared_tile<float, 32, 8> sweep_h028[1];
    tk::shared_tile<float, 32, 8> sweep_h14[1];
    tk::shared_tile<float, 32, 8> sweep_h18[1];
    tk::shared_tile<float, 32, 8> sweep_h112[1];
    tk::shared_tile<float, 32, 8> sweep_h116[1];
    tk::shared_tile<float, 32, 8> sweep_h120[1];
    tk::shared_tile<float, 32, 8> sweep_h124[1];
    tk::shared_tile<float, 32, 8> sweep_h128[1];
    tk::shared_tile<float, 32, 8> sweep_steps0[1];
    tk::shared_tile<float, 32, 8> sweep_steps1[1];
    tk::shared_tile<float, 32, 8> sweep_steps2[1];
    tk::shared_tile<float, 32, 8> sweep_steps3[1];
    tk::shared_tile<int, 1, 1> sweep_place[1];
    tk::shared_tile<float, 32, 1> sweep_dd[1];
    tk::shared_tile<float, 32, 1> sweep_db[1];
    tk::shared_tile<float, 8, 16> sweep_bt[1];
    tk::shared_tile<float, 8, 16> sweep_bt_2[1];
    tk::shared_tile<float, 8, 16> sweep_ct[1];
    tk::shared_tile<float, 1, 8> sweep_f32_rows_8[1];
};
static_assert(offsetof(sweep_shared, sweep_f32_rows_8) == 27136);

template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(32, blocks) sweep_kernel(
    const tk::tensor_argument<const tk::bf16, 4> U, const tk::tensor_argument<const tk::bf16, 4> Dt,
    const tk::tensor_argument<const float, 3> A, const tk::tensor_argument<const float, 4> Bm,
    const tk::tensor_argument<const float, 4> C, const tk::tensor_argument<const float, 2> D,
    const tk::tensor_argument<const float, 2> bias, const tk::tensor_argument<const tk::bf16, 4> dY,
    const tk::tensor_argument<const float, 5> Saved,
    const tk::tensor_argument<const float, 5> Behind, const tk::tensor_argument<tk::bf16, 4> dU,
    const tk::tensor_argument<tk::bf16, 4> dDt, const tk::tensor_argument<tk::bf16, 4> dZ,
    const tk::tensor_argument<float, 5> Part, const tk::tensor_argument<float, 5> ofA,
    const tk::tensor_argument<float, 4> ofD, const tk::tensor_argument<float, 4> ofBias,
    const tk::tensor_argument<float, 4> dS0, int B, int G, int CG, int L, int BZ, int I,
    int segments, int chunks) {
    extern __shared__ __align__(1024) unsigned char memory[];
    sweep_shared& shared = *reinterpret_cast<sweep_shared*>(memory);

    tk::wait_for_previous_kernel();

    const int d_tiles = tk::tiles(CG, 32);
    const int p_tiles = tk::max(segments, 0);
    const int warp = tk::warp_index();

    // selective_scan_backward.tk:174: kernel sweep<T: dtype = bf16, TD: dtype = T, TB: dtype = ..
    if (warp == 0) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int d = program % d_tiles * 32;
        const int g = program / d_tiles % G;
        const int p = program / (d_tiles * G) % p_tiles;
        const int b = program / (d_tiles * G * p_tiles);

        // selective_scan_backward.tk:187: let first = max(p * chunks, 0);
        const int first = tk::max(p * chunks, 0);

        // selective_scan_backward.tk:188: let last  = min(first + chunks, ceil_div(L, 32));
        const int last = tk::min(first + chunks, tk::divide_up(L, 32));

        // selective_scan_backward.tk:192: shared a0: f32[32, S / 2] = load(A[g, d, 0 +: S / 2]) ..
        tk::stripe<float, 32, 8, 32, 1, vector> t0;
        tk::load_slice<vectors>(t0, tk::slice_if_dense<vectors>(A, {g, d, 0}, CG - d, 16), thread);
        tk::stripe<float, 32, 8, 32, 1, vector> t1;
        tk::map(t1, [](float t0) { return t0 * 1.442695f; }, t0);
        tk::store_shared(shared.sweep_a0[0], t1, thread);

        // selective_scan_backward.tk:193: shared a1: f32[32, S / 2] = load(A[g, d, S / 2 +: S / ..
        tk::stripe<float, 32, 8, 32, 1, vector> t2;
        tk::load_slice<vectors>(t2, tk::slice_if_dense<vectors>(A, {g, d, 8}, CG - d, 16 - 8),
                                thread);
        tk::stripe<float, 32, 8, 32, 1, vector> t3;
        tk::map(t3, [](float t2) { return t2 * 1.442695f; }, t2);
        tk::store_shared(shared.sweep_a1[0], t3, thread);

        // selective_scan_backward.tk:194: shared skip: f32[32, 1] = column(load(D[g, d]));
        tk::stripe<float, 32, 1, 32, 1, vector> t4;
        tk::load_global(t4, tk::slice<1, tk::no_axis>(D, {g, d}, CG - d, 1), thread);
        tk::store_shared(shared.sweep_skip[0], t4, thread);

        // selective_scan_backward.tk:195: shared add: f32[32, 1] = column(load(bias[g, d]));
        tk::stripe<float, 32, 1, 32, 1, vector> t5;
        tk::load_global(t5, tk::slice<1, tk::no_axis>(bias, {g, d}, CG - d, 1), thread);
        tk::store_shared(shared.sweep_add[0], t5, thread);

        // selective_scan_backward.tk:196: shared da0: f32[32, S / 2] = 0;
        tk::stripe<float, 32, 8, 32, 1, vector> t6;
        tk::zero(t6);
        tk::store_shared(shared.sweep_da0[0], t6, thread);

        // selective_scan_backward.tk:197: shared da1: f32[32, S / 2] = 0;
        tk::stripe<float, 32, 8, 32, 1, vector> t7;
        tk::zero(t7);
        tk::store_shared(shared.sweep_da1[0], t7, thread);

        // selective_scan_backward.tk:198: shared r0: f32[32, S / 2] = load(Behind[b, p, g, d, 0 ..
        tk::stripe<float, 32, 8, 32, 1, vector> t8;
        tk::load_slice<vectors>(
            t8, tk::slice_if_dense<vectors>(Behind, {b, p, g, d, 0}, CG - d, 16), thread);
        tk::store_shared(shared.sweep_r0[0], t8, thread);

        // selective_scan_backward.tk:199: shared r1: f32[32, S / 2] = load(Behind[b, p, g, d, S ..
        tk::stripe<float, 32, 8, 32, 1, vector> t9;
        tk::load_slice<vectors>(
            t9, tk::slice_if_dense<vectors>(Behind, {b, p, g, d, 8}, CG - d, 16 - 8), thread);
        tk::store_shared(shared.sweep_r1[0], t9, thread);

        // selective_scan_backward.tk:201: shared h04: f32[32, S / 2] = 0;
        tk::stripe<float, 32, 8, 32, 1, vector> t10;
        tk::zero(t10);
        tk::store_shared(shared.sweep_h04[0], t10, thread);

        // selective_scan_backward.tk:202: shared h08: f32[32, S / 2] = 0;
        tk::stripe<float, 32, 8, 32, 1, vector> t11;
        tk::zero(t11);
        tk::store_shared(shared.sweep_h08[0], t11, thread);

        // selective_scan_backward.tk:203: shared h012: f32[32, S / 2] = 0;
        tk::stripe<float, 32, 8, 32, 1, vector> t12;
        tk::zero(t12);
        tk::store_shared(shared.sweep_h012[0], t12, thread);

        // selective_scan_backward.tk:204: shared h016: f32[32, S / 2] = 0;
        tk::stripe<float, 32, 8, 32, 1, vector> t13;
        tk::zero(t13);
        tk::store_shared(shared.sweep_h016[0], t13, thread);

        // selective_scan_backward.tk:205: shared h020: f32[32, S / 2] = 0;
        tk::stripe<float, 32, 8, 32, 1, vector> t14;
        tk::zero(t14);
        tk::store_shared(shared.sweep_h020[0], t14, thread);

        // selective_scan_backward.tk:206: shared h024: f32[32, S / 2] = 0;
        tk::stripe<float, 32, 8, 32, 1, vector> t15;
        tk::zero(t15);
        tk::store_shared(shared.sweep_h024[0], t15, thread);

        // selective_scan_backward.tk:207: shared h028: f32[32, S / 2] = 0;
        tk::stripe<float, 32, 8, 32, 1, vector> t16;
        tk::zero(t16);
        tk::store_shared(shared.sweep_h028[0], t16, thread);

        // selective_scan_backward.tk:208: shared h14: f32[32, S / 2] = 0;
        tk::stripe<float, 32, 8, 32, 1, vector> t17;
        tk::zero(t17);
        tk::store_shared(shared.sweep_h14[0], t17, thread);

        // selective_scan_backward.tk:209: shared h18: f32[32, S / 2] = 0;
        tk::stripe<float, 32, 8, 32, 1, vector> t18;
        tk::zero(t18);
        tk::store_shared(shared.sweep_h18[0], t18, thread);

        // selective_scan_backward.tk:210: shared h112: f32[32, S / 2] = 0;
        tk::stripe<float, 32, 8, 32, 1, vector> t19;
        tk::zero(t19);
        tk::store_shared(shared.sweep_h112[0], t19, thread);

        // selective_scan_backward.tk:211: shared h116: f32[32, S / 2] = 0;
        tk::stripe<float, 32, 8, 32, 1, vector> t20;
        tk::zero(t20);
        tk::store_shared(shared.sweep_h116[0], t20, thread);

        // selective_scan_backward.tk:212: shared h120: f32[32, S / 2] = 0;
        tk::stripe<float, 32, 8, 32, 1, vector> t21;
        tk::zero(t21);
        tk::store_shared(shared.sweep_h120[0], t21, thread);

        // selective_scan_backward.tk:213: shared h124: f32[32, S / 2] = 0;
        tk::stripe<float, 32, 8, 32, 1, vector> t22;
        tk::zero(t22);
        tk::store_shared(shared.sweep_h124[0], t22, thread);

        // selective_scan_backward.tk:214: shared h128: f32[32, S / 2] = 0;
        tk::stripe<float, 32, 8, 32, 1, vector> t23;
        tk::zero(t23);
        tk::store_shared(shared.sweep_h128[0], t23, thread);

        // selective_scan_backward.tk:215: shared steps0: f32[32, 8] = 0;
        tk::stripe<float, 32, 8, 32, 1, vector> t24;
        tk::zero(t24);
        tk::store_shared(shared.sweep_steps0[0], t24, thread);

        // selective_scan_backward.tk:216: shared steps1: f32[32, 8] = 0;
        tk::stripe<float, 32, 8, 32, 1, vector> t25;
        tk::zero(t25);
        tk::store_shared(shared.sweep_steps1[0], t25, thread);

        // selective_scan_backward.tk:217: shared steps2: f32[32, 8] = 0;
        tk::stripe<float, 32, 8, 32, 1, vector> t26;
        tk::zero(t26);
        tk::store_shared(shared.sweep_steps2[0], t26, thread);

        // selective_scan_backward.tk:218: shared steps3: f32[32, 8] = 0;
        tk::stripe<float, 32, 8, 32, 1, vector> t27;
        tk::zero(t27);
        tk::store_shared(shared.sweep_steps3[0], t27, thread);

        // selective_scan_backward.tk:219: shared place: i32[1, 1] = 0;
        tk::stripe<int, 1, 1, 32, 1, vector> t28;
        tk::map(t28, []() { return 0; });
        tk::store_shared(shared.sweep_place[0], t28, thread);

        // selective_scan_backward.tk:220: shared dd: f32[32, 1] = 0;
        tk::stripe<float, 32, 1, 32, 1, vector> t29;
        tk::zero(t29);
        tk::store_shared(shared.sweep_dd[0], t29, thread);

        // selective_scan_backward.tk:221: shared db: f32[32, 1] = 0;
        tk::stripe<float, 32, 1, 32, 1, vector> t30;
        tk::zero(t30);
        tk::store_shared(shared.sweep_db[0], t30, thread);
        tk::barrier_sync(1, 32);

        // selective_scan_backward.tk:222: for q in reversed one..other {
        tk::stripe<float, 32, 8, 32, 1, vector> h0;
        tk::stripe<float, 32, 8, 32, 1, vector> h1;
        tk::stripe<float, 32, 8, 32, 1, vector> dt_2;
        tk::stripe<float, 32, 8, 32, 1, vector> s_r;
        tk::stripe<float, 32, 8, 32, 1, vector> s_a;
        tk::stripe<float, 32, 8, 32, 1, vector> s_z;
        tk::stripe<float, 32, 8, 32, 1, vector> s_w;
        tk::stripe<float, 32, 8, 32, 1, vector> s_y;
        tk::stripe<float, 32, 8, 32, 1, vector> k_k0_e;
        tk::stripe<float, 32, 8, 32, 1, vector> k_k0_left;
        tk::stripe<float, 32, 8, 32, 1, vector> k_k1_e;
        tk::stripe<float, 32, 8, 32, 1, vector> k_k1_left;
        tk::stripe<float, 32, 8, 32, 1, vector> k_k2_e;
        tk::stripe<float, 32, 8, 32, 1, vector> k_k2_left;
        tk::stripe<float, 32, 8, 32, 1, vector> k_k3_e;
        tk::stripe<float, 32, 8, 32, 1, vector> k_k3_left;
        tk::stripe<float, 32, 8, 32, 1, vector> h;
        tk::stripe<float, 32, 8, 32, 1, vector> h_2;
        tk::stripe<float, 32, 8, 32, 1, vector> h_3;
        tk::stripe<float, 32, 8, 32, 1, vector> h_4;
        for (int q = 0; q >= 0; q -= 1) {
            // selective_scan_backward.tk:227: let end  = if PACKED { high } else { L };
            const int end = L;

            // selective_scan_backward.tk:232: for c in reversed (if PACKED { from // 32 } else { ..
            for (int c = first + (last - first - 1); c >= first; c -= 1) {
                // selective_scan_backward.tk:233: var h0 = load(Saved[b, c, g, d, 0 +: S / 2]);
                tk::load_slice<vectors>(h0,
                                        tk::slice_if_dense<vectors>(Saved, {b, c, g, d, 0},
                                                                    c < tk::divide_up(L, 32)
                                                                    ? CG - d : 0, 16), thread);

                // selective_scan_backward.tk:234: var h1 = load(Saved[b, c, g, d, S / 2 +: S / 2]);
                tk::load_slice<vectors>(h1,
                                        tk::slice_if_dense<vectors>(Saved, {b, c, g, d, 8},
                                                                    c < tk::divide_up(L, 32)
                                                                    ? CG - d : 0, 16 - 8), thread);

                // selective_scan_backward.tk:236: for t in (if PACKED { max(c * 4, from // 8) * ..
                for (int t = c * 32; t < tk::min(c * 32 + 32, end); t += 8) {
                    // selective_scan_backward.tk:237: let i  = t.start // 8 % 4;
                    const int i = t / 8 % 4;

                    // selective_scan_backward.tk:238: let bt = shared(load(Bm[b, g, t, :]));
                    tk::stripe<float, 8, 16, 32, 1, vector> t33;
                    tk::load_slice<vectors>(
                        t33, tk::slice_if_dense<vectors>(Bm, {b, g, t, 0}, L - t, 16), thread);
                    tk::barrier_sync(1, 32);
                    tk::store_shared(shared.sweep_bt[0], t33, thread);
                    tk::barrier_sync(1, 32);

                    // selective_scan_backward.tk:239: let u  = load(U[b, g, d, t]);
                    tk::stripe<tk::bf16, 32, 8, 32, 1, vector> u;
                    tk::load_slice<vectors>(
                        u, tk::slice_if_vectors<vectors>(U, {b, g, d, t}, CG - d, L - t), thread);

                    // selective_scan_backward.tk:240: let dt = ..
                    tk::stripe<tk::bf16, 32, 8, 32, 1, vector> t36;
                    tk::load_slice<vectors>(t36,
                                            tk::slice_if_vectors<vectors>(Dt, {b, g, d, t}, CG - d,
                                                                          L - t), thread);
                    tk::stripe<float, 32, 1, 32, 1, vector> t442;
                    tk::load_shared(t442, shared.sweep_add[0], thread);
                    tk::stripe<float, 32, 8, 32, 1, vector> dt;
                    tk::map(dt, thread, [&](int row, int col, tk::bf16 t36, float t442) {
                        const float x = col < end - t ? float(t36) + t442 : -INFINITY;
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
                                                                            tk::divide(1.0f,
                                                                                       11.0f)),
                                                                    tk::divide(1.0f, 9.0f)),
                                                            tk::divide(1.0f, 7.0f)),
                                                    tk::divide(1.0f, 5.0f)),
                                            tk::divide(1.0f, 3.0f)), 1.0f), tk::max(x, 0.0f))
                            : 0.0f;
                    }, t36, t442);

                    // selective_scan.tk:17: return exp2(dt[:, I +: 1] * a) * h + dt[:, I +: 1] * ..
                    tk::stripe<float, 32, 1, 32, 1, vector> t38;
                    tk::slice_registers<0, 0>(t38, dt);
                    tk::stripe<float, 32, 1, 32, 1, vector> t39;
                    tk::slice_registers<0, 0>(t39, dt);
                    tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t40;
                    tk::slice_registers<0, 0>(t40, u);
                    tk::stripe<float, 32, 1, 32, 1, vector> t42;
                    tk::slice_registers<0, 1>(t42, dt);
                    tk::stripe<float, 32, 1, 32, 1, vector> t43;
                    tk::slice_registers<0, 1>(t43, dt);
                    tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t44;
                    tk::slice_registers<0, 1>(t44, u);
                    tk::stripe<float, 32, 1, 32, 1, vector> t46;
                    tk::slice_registers<0, 2>(t46, dt);
                    tk::stripe<float, 32, 1, 32, 1, vector> t47;
                    tk::slice_registers<0, 2>(t47, dt);
                    tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t48;
                    tk::slice_registers<0, 2>(t48, u);
                    tk::stripe<float, 32, 1, 32, 1, vector> t50;
                    tk::slice_registers<0, 3>(t50, dt);
                    tk::stripe<float, 32, 1, 32, 1, vector> t51;
                    tk::slice_registers<0, 3>(t51, dt);
                    tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t52;
                    tk::slice_registers<0, 3>(t52, u);

                    // selective_scan_backward.tk:242: h0 = four_ahead<0, 0>(h0, f32(a0), dt, u, ..
                    tk::stripe<float, 32, 1, 32, 1, vector> t31;
                    tk::map(t31, [](float t39, tk::bf16 t40) { return t39 * float(t40); },
                            t39, t40);
                    tk::stripe<float, 32, 1, 32, 1, vector> t32;
                    tk::map(t32, [](float t43, tk::bf16 t44) { return t43 * float(t44); },
                            t43, t44);
                    tk::stripe<float, 32, 1, 32, 1, vector> t34;
                    tk::map(t34, [](float t47, tk::bf16 t48) { return t47 * float(t48); },
                            t47, t48);
                    tk::stripe<float, 32, 1, 32, 1, vector> t35;
                    tk::map(t35, [](float t51, tk::bf16 t52) { return t51 * float(t52); },
                            t51, t52);
                    tk::stripe<float, 32, 8, 32, 1, vector> t443;
                    tk::load_shared(t443, shared.sweep_a0[0], thread);
                    tk::stripe<float, 1, 8, 32, 1, vector> t444;
                    tk::load_shared(t444, tk::part<0, 0, 1, 8>(shared.sweep_bt[0]), thread);
                    tk::stripe<float, 1, 8, 32, 1, vector> t445;
                    tk::load_shared(t445, tk::part<1, 0, 1, 8>(shared.sweep_bt[0]), thread);
                    tk::stripe<float, 1, 8, 32, 1, vector> t446;
                    tk::load_shared(t446, tk::part<2, 0, 1, 8>(shared.sweep_bt[0]), thread);
                    tk::stripe<float, 1, 8, 32, 1, vector> t447;
                    tk::load_shared(t447, tk::part<3, 0, 1, 8>(shared.sweep_bt[0]), thread);
                    tk::map(h0,
                            [](float t50, float t443, float t46, float t42, float t38, float h0,
                               float t31, float t444, float t32, float t445, float t34, float t446,
                               float t35, float t447) {
                        return tk::fma(tk::exp2(t50 * t443),
                                       tk::fma(tk::exp2(t46 * t443),
                                               tk::fma(tk::exp2(t42 * t443),
                                                       tk::fma(tk::exp2(t38 * t443), h0,
                                                               t31 * t444), t32 * t445),
                                               t34 * t446), t35 * t447);
                    }, t50, t443, t46, t42, t38, h0, t31, t444, t32, t445, t34, t446, t35, t447);
                    // selective_scan.tk:17
                    tk::stripe<float, 32, 1, 32, 1, vector> t54;
                    tk::slice_registers<0, 0>(t54, dt);
                    tk::stripe<float, 32, 1, 32, 1, vector> t55;
                    tk::slice_registers<0, 0>(t55, dt);
                    tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t56;
                    tk::slice_registers<0, 0>(t56, u);
                    tk::stripe<float, 32, 1, 32, 1, vector> t58;
                    tk::slice_registers<0, 1>(t58, dt);
                    tk::stripe<float, 32, 1, 32, 1, vector> t59;
                    tk::slice_registers<0, 1>(t59, dt);
                    tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t60;
                    tk::slice_registers<0, 1>(t60, u);
                    tk::stripe<float, 32, 1, 32, 1, vector> t62;
                    tk::slice_registers<0, 2>(t62, dt);
                    tk::stripe<float, 32, 1, 32, 1, vector> t63;
                    tk::slice_registers<0, 2>(t63, dt);
                    tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t64;
                    tk::slice_registers<0, 2>(t64, u);
                    tk::stripe<float, 32, 1, 32, 1, vector> t66;
                    tk::slice_registers<0, 3>(t66, dt);
                    tk::stripe<float, 32, 1, 32, 1, vector> t67;
                    tk::slice_registers<0, 3>(t67, dt);
                    tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t68;
                    tk::slice_registers<0, 3>(t68, u);

                    // selective_scan_backward.tk:243: h1 = four_ahead<0, S / 2>(h1, f32(a1), dt, ..
                    tk::stripe<float, 32, 1, 32, 1, vector> t102;
                    tk::map(t102, [](float t55, tk::bf16 t56) { return t55 * float(t56); },
                            t55, t56);
                    tk::stripe<float, 32, 1, 32, 1, vector> t104;
                    tk::map(t104, [](float t59, tk::bf16 t60) { return t59 * float(t60); },
                            t59, t60);
                    tk::stripe<float, 32, 1, 32, 1, vector> t105;
                    tk::map(t105, [](float t63, tk::bf16 t64) { return t63 * float(t64); },
                            t63, t64);
                    tk::stripe<float, 32, 1, 32, 1, vector> t115;
                    tk::map(t115, [](float t67, tk::bf16 t68) { return t67 * float(t68); },
                            t67, t68);
                    tk::stripe<float, 32, 8, 32, 1, vector> t448;
                    tk::load_shared(t448, shared.sweep_a1[0], thread);
                    tk::stripe<float, 1, 8, 32, 1, vector> t449;
                    tk::load_shared(t449, tk::part<0, 8, 1, 8>(shared.sweep_bt[0]), thread);
                    tk::stripe<float, 1, 8, 32, 1, vector> t450;
                    tk::load_shared(t450, tk::part<1, 8, 1, 8>(shared.sweep_bt[0]), thread);
                    tk::stripe<float, 1, 8, 32, 1, vector> t451;
                    tk::load_shared(t451, tk::part<2, 8, 1, 8>(shared.sweep_bt[0]), thread);
                    tk::stripe<float, 1, 8, 32, 1, vector> t452;
                    tk::load_shared(t452, tk::part<3, 8, 1, 8>(shared.sweep_bt[0]), thread);
                    tk::map(h1,
                            [](float t66, float t448, float t62, float t58, float t54, float h1,
                               float t102, float t449, float t104, float t450, float t105,
                               float t451, float t115, float t452) {
                        return tk::fma(tk::exp2(t66 * t448),
                                       tk::fma(tk::exp2(t62 * t448),
                                               tk::fma(tk::exp2(t58 * t448),
                                                       tk::fma(tk::exp2(t54 * t448), h1,
                                                               t102 * t449), t104 * t450),
                                               t105 * t451), t115 * t452);
                    },
                        t66, t448, t62, t58, t54, h1, t102, t449, t104, t450, t105, t451, t115,
                        t452);

                    // selective_scan_backward.tk:244: if i == 0 { steps0 = dt; h04 = h0; h14 = ..
                    if (i == 0) {
                        tk::store_shared(shared.sweep_steps0[0], dt, thread);
                        tk::store_shared(shared.sweep_h04[0], h0, thread);
                        tk::store_shared(shared.sweep_h14[0], h1, thread);
                        tk::barrier_sync(1, 32);
                    }

                    // selective_scan_backward.tk:245: if i == 1 { steps1 = dt; h012 = h0; h112 = ..
                    if (i == 1) {
                        tk::store_shared(shared.sweep_steps1[0], dt, thread);
                        tk::store_shared(shared.sweep_h012[0], h0, thread);
                        tk::store_shared(shared.sweep_h112[0], h1, thread);
                        tk::barrier_sync(1, 32);
                    }

                    // selective_scan_backward.tk:246: if i == 2 { steps2 = dt; h020 = h0; h120 = ..
                    if (i == 2) {
                        tk::store_shared(shared.sweep_steps2[0], dt, thread);
                        tk::store_shared(shared.sweep_h020[0], h0, thread);
                        tk::store_shared(shared.sweep_h120[0], h1, thread);
                        tk::barrier_sync(1, 32);
                    }

                    // selective_scan_backward.tk:247: if i == 3 { steps3 = dt; h028 = h0; h128 = ..
                    if (i == 3) {
                        tk::store_shared(shared.sweep_steps3[0], dt, thread);
                        tk::store_shared(shared.sweep_h028[0], h0, thread);
                        tk::store_shared(shared.sweep_h128[0], h1, thread);
                        tk::barrier_sync(1, 32);
                    }

                    // selective_scan_backward.tk:248: if i < 3 {
                    if (i < 3) {
                        // selective_scan.tk:17
                        tk::stripe<float, 32, 1, 32, 1, vector> t70;
                        tk::slice_registers<0, 4>(t70, dt);
                        tk::stripe<float, 32, 1, 32, 1, vector> t71;
                        tk::slice_registers<0, 4>(t71, dt);
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t72;
                        tk::slice_registers<0, 4>(t72, u);
                        tk::stripe<float, 32, 1, 32, 1, vector> t74;
                        tk::slice_registers<0, 5>(t74, dt);
                        tk::stripe<float, 32, 1, 32, 1, vector> t75;
                        tk::slice_registers<0, 5>(t75, dt);
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t76;
                        tk::slice_registers<0, 5>(t76, u);
                        tk::stripe<float, 32, 1, 32, 1, vector> t78;
                        tk::slice_registers<0, 6>(t78, dt);
                        tk::stripe<float, 32, 1, 32, 1, vector> t79;
                        tk::slice_registers<0, 6>(t79, dt);
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t80;
                        tk::slice_registers<0, 6>(t80, u);
                        tk::stripe<float, 32, 1, 32, 1, vector> t82;
                        tk::slice_registers<0, 7>(t82, dt);
                        tk::stripe<float, 32, 1, 32, 1, vector> t83;
                        tk::slice_registers<0, 7>(t83, dt);
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t84;
                        tk::slice_registers<0, 7>(t84, u);

                        // selective_scan_backward.tk:249: h0 = four_ahead<4, 0>(h0, f32(a0), dt, ..
                        tk::stripe<float, 32, 1, 32, 1, vector> t122;
                        tk::map(t122, [](float t71, tk::bf16 t72) { return t71 * float(t72); },
                                t71, t72);
                        tk::stripe<float, 32, 1, 32, 1, vector> t129;
                        tk::map(t129, [](float t75, tk::bf16 t76) { return t75 * float(t76); },
                                t75, t76);
                        tk::stripe<float, 32, 1, 32, 1, vector> t136;
                        tk::map(t136, [](float t79, tk::bf16 t80) { return t79 * float(t80); },
                                t79, t80);
                        tk::stripe<float, 32, 1, 32, 1, vector> t149;
                        tk::map(t149, [](float t83, tk::bf16 t84) { return t83 * float(t84); },
                                t83, t84);
                        tk::stripe<float, 32, 8, 32, 1, vector> t453;
                        tk::load_shared(t453, shared.sweep_a0[0], thread);
                        tk::stripe<float, 1, 8, 32, 1, vector> t454;
                        tk::load_shared(t454, tk::part<4, 0, 1, 8>(shared.sweep_bt[0]), thread);
                        tk::stripe<float, 1, 8, 32, 1, vector> t455;
                        tk::load_shared(t455, tk::part<5, 0, 1, 8>(shared.sweep_bt[0]), thread);
                        tk::stripe<float, 1, 8, 32, 1, vector> t456;
                        tk::load_shared(t456, tk::part<6, 0, 1, 8>(shared.sweep_bt[0]), thread);
                        tk::stripe<float, 1, 8, 32, 1, vector> t457;
                        tk::load_shared(t457, tk::part<7, 0, 1, 8>(shared.sweep_bt[0]), thread);
                        tk::map(h0,
                                [](float t82, float t453, float t78, float t74, float t70, float h0,
                                   float t122, float t454, float t129, float t455, float t136,
                                   float t456, float t149, float t457) {
                            return tk::fma(tk::exp2(t82 * t453),
                                           tk::fma(tk::exp2(t78 * t453),
                                                   tk::fma(tk::exp2(t74 * t453),
                                                           tk::fma(tk::exp2(t70 * t453), h0,
                                                                   t122 * t454), t129 * t455),
                                                   t136 * t456), t149 * t457);
                        },
                            t82, t453, t78, t74, t70, h0, t122, t454, t129, t455, t136, t456, t149,
                            t457);
                        // selective_scan.tk:17
                        tk::stripe<float, 32, 1, 32, 1, vector> t86;
                        tk::slice_registers<0, 4>(t86, dt);
                        tk::stripe<float, 32, 1, 32, 1, vector> t87;
                        tk::slice_registers<0, 4>(t87, dt);
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t88;
                        tk::slice_registers<0, 4>(t88, u);
                        tk::stripe<float, 32, 1, 32, 1, vector> t90;
                        tk::slice_registers<0, 5>(t90, dt);
                        tk::stripe<float, 32, 1, 32, 1, vector> t91;
                        tk::slice_registers<0, 5>(t91, dt);
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t92;
                        tk::slice_registers<0, 5>(t92, u);
                        tk::stripe<float, 32, 1, 32, 1, vector> t94;
                        tk::slice_registers<0, 6>(t94, dt);
                        tk::stripe<float, 32, 1, 32, 1, vector> t95;
                        tk::slice_registers<0, 6>(t95, dt);
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t96;
                        tk::slice_registers<0, 6>(t96, u);
                        tk::stripe<float, 32, 1, 32, 1, vector> t98;
                        tk::slice_registers<0, 7>(t98, dt);
                        tk::stripe<float, 32, 1, 32, 1, vector> t99;
                        tk::slice_registers<0, 7>(t99, dt);
                        tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t100;
                        tk::slice_registers<0, 7>(t100, u);

                        // selective_scan_backward.tk:250: h1 = four_ahead<4, S / 2>(h1, f32(a1), ..
                        tk::stripe<float, 32, 1, 32, 1, vector> t161;
                        tk::map(t161, [](float t87, tk::bf16 t88) { return t87 * float(t88); },
                                t87, t88);
                        tk::stripe<float, 32, 1, 32, 1, vector> t173;
                        tk::map(t173, [](float t91, tk::bf16 t92) { return t91 * float(t92); },
                                t91, t92);
                        tk::stripe<float, 32, 1, 32, 1, vector> t185;
                        tk::map(t185, [](float t95, tk::bf16 t96) { return t95 * float(t96); },
                                t95, t96);
                        tk::stripe<float, 32, 1, 32, 1, vector> t194;
                        tk::map(t194, [](float t99, tk::bf16 t100) { return t99 * float(t100); },
                                t99, t100);
                        tk::stripe<float, 32, 8, 32, 1, vector> t458;
                        tk::load_shared(t458, shared.sweep_a1[0], thread);
                        tk::stripe<float, 1, 8, 32, 1, vector> t459;
                        tk::load_shared(t459, tk::part<4, 8, 1, 8>(shared.sweep_bt[0]), thread);
                        tk::stripe<float, 1, 8, 32, 1, vector> t460;
                        tk::load_shared(t460, tk::part<5, 8, 1, 8>(shared.sweep_bt[0]), thread);
                        tk::stripe<float, 1, 8, 32, 1, vector> t461;
                        tk::load_shared(t461, tk::part<6, 8, 1, 8>(shared.sweep_bt[0]), thread);
                        tk::stripe<float, 1, 8, 32, 1, vector> t462;
                        tk::load_shared(t462, tk::part<7, 8, 1, 8>(shared.sweep_bt[0]), thread);
                        tk::map(h1,
                                [](float t98, float t458, float t94, float t90, float t86, float h1,
                                   float t161, float t459, float t173, float t460, float t185,
                                   float t461, float t194, float t462) {
                            return tk::fma(tk::exp2(t98 * t458),
                                           tk::fma(tk::exp2(t94 * t458),
                                                   tk::fma(tk::exp2(t90 * t458),
                                                           tk::fma(tk::exp2(t86 * t458), h1,
                                                                   t161 * t459), t173 * t460),
                                                   t185 * t461), t194 * t462);
                        },
                            t98, t458, t94, t90, t86, h1, t161, t459, t173, t460, t185, t461, t194,
                            t462);
                    }

                    // selective_scan_backward.tk:252: if i == 0 { h08 = h0; h18 = h1; }
                    if (i == 0) {
                        tk::store_shared(shared.sweep_h08[0], h0, thread);
                        tk::store_shared(shared.sweep_h18[0], h1, thread);
                        tk::barrier_sync(1, 32);
                    }

                    // selective_scan_backward.tk:253: if i == 1 { h016 = h0; h116 = h1; }
                    if (i == 1) {
                        tk::store_shared(shared.sweep_h016[0], h0, thread);
                        tk::store_shared(shared.sweep_h116[0], h1, thread);
                        tk::barrier_sync(1, 32);
                    }

                    // selective_scan_backward.tk:254: if i == 2 { h024 = h0; h124 = h1; }
                    if (i == 2) {
                        tk::store_shared(shared.sweep_h024[0], h0, thread);
                        tk::store_shared(shared.sweep_h124[0], h1, thread);
                        tk::barrier_sync(1, 32);
                    }
                }

                // selective_scan_backward.tk:256: for t in reversed (if PACKED { max(c * 4, from ..
                for (int t = c * 32 + (tk::divide_up(tk::min(c * 32 + 32, end) - c * 32, 8) - 1) *
                     8; t >= c * 32; t -= 8) {
                    // selective_scan_backward.tk:257: let i  = t.start // 8 % 4;
                    const int i_2 = t / 8 % 4;

                    // selective_scan_backward.tk:258: let bt = shared(load(Bm[b, g, t, :]));
                    tk::stripe<float, 8, 16, 32, 1, vector> t101;
                    tk::load_slice<vectors>(
                        t101, tk::slice_if_dense<vectors>(Bm, {b, g, t, 0}, L - t, 16), thread);
                    tk::barrier_sync(1, 32);
                    tk::store_shared(shared.sweep_bt_2[0], t101, thread);

                    // selective_scan_backward.tk:259: let ct = shared(load(C[b, g, t, :]));
                    tk::stripe<float, 8, 16, 32, 1, vector> t103;
                    tk::load_slice<vectors>(
                        t103, tk::slice_if_dense<vectors>(C, {b, g, t, 0}, L - t, 16), thread);
                    tk::store_shared(shared.sweep_ct[0], t103, thread);

                    // selective_scan_backward.tk:260: let u  = load(U[b, g, d, t]);
                    tk::stripe<tk::bf16, 32, 8, 32, 1, vector> u_3;
                    tk::load_slice<vectors>(
                        u_3, tk::slice_if_vectors<vectors>(U, {b, g, d, t}, CG - d, L - t), thread);

                    // selective_scan_backward.tk:261: place = t.start // 8;
                    tk::stripe<int, 1, 1, 32, 1, vector> t106;
                    tk::map(t106, [&]() { return t / 8; });
                    tk::store_shared(shared.sweep_place[0], t106, thread);
                    tk::barrier_sync(1, 32);

                    // selective_scan_backward.tk:262: var dt: f32[32, 8] = steps0;
                    tk::load_shared(dt_2, shared.sweep_steps0[0], thread);

                    // selective_scan_backward.tk:263: if i == 1 { dt = steps1; }
                    if (i_2 == 1) tk::load_shared(dt_2, shared.sweep_steps1[0], thread);

                    // selective_scan_backward.tk:264: if i == 2 { dt = steps2; }
                    if (i_2 == 2) tk::load_shared(dt_2, shared.sweep_steps2[0], thread);

                    // selective_scan_backward.tk:265: if i == 3 { dt = steps3; }
                    if (i_2 == 3) tk::load_shared(dt_2, shared.sweep_steps3[0], thread);

                    // selective_scan_backward.tk:266: let gy = ungated(f32(load(dY[b, g, d, ..
                    tk::stripe<tk::bf16, 32, 8, 32, 1, vector> t107;
                    tk::load_slice<vectors>(t107,
                                            tk::slice_if_vectors<vectors>(dY, {b, g, d, t}, CG - d,
                                                                          L - t), thread);
                    tk::stripe<float, 32, 8, 32, 1, vector> gy = tk::convert<float>(t107);

                    // selective_scan_backward.tk:268: var s: sums<32, S / 2, 8> = { r = r0, a = ..
                    tk::load_shared(s_r, shared.sweep_r0[0], thread);
                    tk::zero(s_a);
                    tk::zero(s_z);
                    tk::zero(s_w);
                    tk::zero(s_y);

                    // selective_scan_backward.tk:269: var none: step<32, S / 2> = { e = r0, left ..
                    tk::load_shared(k_k3_e, shared.sweep_r0[0], thread);
                    tk::load_shared(k_k3_left, shared.sweep_r0[0], thread);

                    // selective_scan_backward.tk:270: var k: steps<32, S / 2> = { k0 = none, k1 ..
                    k_k0_e = k_k3_e;
                    k_k0_left = k_k3_left;
                    k_k1_e = k_k3_e;
                    k_k1_left = k_k3_left;
                    k_k2_e = k_k3_e;
                    k_k2_left = k_k3_left;

                    // selective_scan_backward.tk:271: for step in 8 {
                    for (int step = 0; step < 8; step += 1) {
                        // selective_scan_backward.tk:272: if step == 0 {
                        if (step == 0) {
                            // selective_scan_backward.tk:273: var h: f32[32, S / 2] = h04;
                            tk::load_shared(h, shared.sweep_h04[0], thread);

                            // selective_scan_backward.tk:274: if i == 1 { h = h012; }
                            if (i_2 == 1) tk::load_shared(h, shared.sweep_h012[0], thread);

                            // selective_scan_backward.tk:275: if i == 2 { h = h020; }
                            if (i_2 == 2) tk::load_shared(h, shared.sweep_h020[0], thread);

                            // selective_scan_backward.tk:276: if i == 3 { h = h028; }
                            if (i_2 == 3) tk::load_shared(h, shared.sweep_h028[0], thread);

                            // selective_scan_backward.tk:277: let at = min(max(scalar(place), ..
                            tk::stripe<int, 1, 1, 32, 1, vector> t108;
                            tk::load_shared(t108, shared.sweep_place[0], thread);
                            const int number = t108.cell(0);
                            const int at = tk::min(tk::max(number, 0), tk::divide_up(L, 8) - 1);

                            // selective_scan_backward.tk:37: let e = exp2(dt[:, I +: 1] * a);
                            tk::stripe<float, 32, 1, 32, 1, vector> t109;
                            tk::slice_registers<0, 4>(t109, dt_2);
                            tk::stripe<float, 32, 8, 32, 1, vector> t463;
                            tk::load_shared(t463, shared.sweep_a0[0], thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> e;
                            tk::map(e, [](float t109, float t463) { return tk::exp2(t109 * t463); },
                                    t109, t463);

                            // selective_scan_backward.tk:71: k.k0 = stepped<I>(h, a, dt);
                            k_k0_e = e;
                            tk::map(k_k0_left, [](float e, float h) { return e * h; }, e, h);

                            // selective_scan_backward.tk:43: return k.left + dt[:, I +: 1] * ..
                            tk::stripe<float, 32, 1, 32, 1, vector> t110;
                            tk::slice_registers<0, 4>(t110, dt_2);
                            tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t111;
                            tk::slice_registers<0, 4>(t111, u_3);

                            // selective_scan_backward.tk:72: let h1 = grown<I, FIRST>(k.k0, dt, ..
                            tk::stripe<float, 32, 1, 32, 1, vector> t201;
                            tk::map(t201, [](float t110, tk::bf16 t111) {
                                return t110 * float(t111);
                            }, t110, t111);
                            tk::stripe<float, 1, 8, 32, 1, vector> t464;
                            tk::load_shared(t464, tk::part<4, 0, 1, 8>(shared.sweep_bt_2[0]),
                                            thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> h1_6;
                            tk::map(h1_6, [](float t201, float t464, float k_k0_left) {
                                return tk::fma(t201, t464, k_k0_left);
                            }, t201, t464, k_k0_left);

                            // selective_scan_backward.tk:49: return sum(h * dy[:, I +: 1], axis ..
                            tk::stripe<float, 32, 1, 32, 1, vector> t113;
                            tk::slice_registers<0, 4>(t113, gy);
                            tk::stripe<float, 32, 8, 32, 1, vector> t114;
                            tk::map(t114, [](float h1_6, float t113) { return h1_6 * t113; },
                                    h1_6, t113);
                            tk::stripe<float, 1, 8, 32, 1, vector> n0;
                            tk::fold_columns(n0, t114, tk::plus{}, thread);
                            // selective_scan_backward.tk:37
                            tk::stripe<float, 32, 1, 32, 1, vector> t116;
                            tk::slice_registers<0, 5>(t116, dt_2);
                            tk::stripe<float, 32, 8, 32, 1, vector> t465;
                            tk::load_shared(t465, shared.sweep_a0[0], thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> e_2;
                            tk::map(e_2, [](float t116, float t465) {
                                return tk::exp2(t116 * t465);
                            }, t116, t465);

                            // selective_scan_backward.tk:74: k.k1 = stepped<I + 1>(h1, a, dt);
                            k_k1_e = e_2;
                            tk::map(k_k1_left, [](float e_2, float h1_6) { return e_2 * h1_6; },
                                    e_2, h1_6);
                            // selective_scan_backward.tk:43
                            tk::stripe<float, 32, 1, 32, 1, vector> t117;
                            tk::slice_registers<0, 5>(t117, dt_2);
                            tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t118;
                            tk::slice_registers<0, 5>(t118, u_3);

                            // selective_scan_backward.tk:75: let h2 = grown<I + 1, FIRST>(k.k1, ..
                            tk::stripe<float, 32, 1, 32, 1, vector> t208;
                            tk::map(t208, [](float t117, tk::bf16 t118) {
                                return t117 * float(t118);
                            }, t117, t118);
                            tk::stripe<float, 1, 8, 32, 1, vector> t466;
                            tk::load_shared(t466, tk::part<5, 0, 1, 8>(shared.sweep_bt_2[0]),
                                            thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> h2_5;
                            tk::map(h2_5, [](float t208, float t466, float k_k1_left) {
                                return tk::fma(t208, t466, k_k1_left);
                            }, t208, t466, k_k1_left);
                            // selective_scan_backward.tk:49
                            tk::stripe<float, 32, 1, 32, 1, vector> t120;
                            tk::slice_registers<0, 5>(t120, gy);
                            tk::stripe<float, 32, 8, 32, 1, vector> t121;
                            tk::map(t121, [](float h2_5, float t120) { return h2_5 * t120; },
                                    h2_5, t120);
                            tk::stripe<float, 1, 8, 32, 1, vector> n1;
                            tk::fold_columns(n1, t121, tk::plus{}, thread);
                            // selective_scan_backward.tk:37
                            tk::stripe<float, 32, 1, 32, 1, vector> t123;
                            tk::slice_registers<0, 6>(t123, dt_2);
                            tk::stripe<float, 32, 8, 32, 1, vector> t467;
                            tk::load_shared(t467, shared.sweep_a0[0], thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> e_3;
                            tk::map(e_3, [](float t123, float t467) {
                                return tk::exp2(t123 * t467);
                            }, t123, t467);

                            // selective_scan_backward.tk:77: k.k2 = stepped<I + 2>(h2, a, dt);
                            k_k2_e = e_3;
                            tk::map(k_k2_left, [](float e_3, float h2_5) { return e_3 * h2_5; },
                                    e_3, h2_5);
                            // selective_scan_backward.tk:43
                            tk::stripe<float, 32, 1, 32, 1, vector> t124;
                            tk::slice_registers<0, 6>(t124, dt_2);
                            tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t125;
                            tk::slice_registers<0, 6>(t125, u_3);

                            // selective_scan_backward.tk:78: let h3 = grown<I + 2, FIRST>(k.k2, ..
                            tk::stripe<float, 32, 1, 32, 1, vector> t215;
                            tk::map(t215, [](float t124, tk::bf16 t125) {
                                return t124 * float(t125);
                            }, t124, t125);
                            tk::stripe<float, 1, 8, 32, 1, vector> t468;
                            tk::load_shared(t468, tk::part<6, 0, 1, 8>(shared.sweep_bt_2[0]),
                                            thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> h3_5;
                            tk::map(h3_5, [](float t215, float t468, float k_k2_left) {
                                return tk::fma(t215, t468, k_k2_left);
                            }, t215, t468, k_k2_left);
                            // selective_scan_backward.tk:49
                            tk::stripe<float, 32, 1, 32, 1, vector> t127;
                            tk::slice_registers<0, 6>(t127, gy);
                            tk::stripe<float, 32, 8, 32, 1, vector> t128;
                            tk::map(t128, [](float h3_5, float t127) { return h3_5 * t127; },
                                    h3_5, t127);
                            tk::stripe<float, 1, 8, 32, 1, vector> n2;
                            tk::fold_columns(n2, t128, tk::plus{}, thread);
                            // selective_scan_backward.tk:37
                            tk::stripe<float, 32, 1, 32, 1, vector> t130;
                            tk::slice_registers<0, 7>(t130, dt_2);
                            tk::stripe<float, 32, 8, 32, 1, vector> t469;
                            tk::load_shared(t469, shared.sweep_a0[0], thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> e_4;
                            tk::map(e_4, [](float t130, float t469) {
                                return tk::exp2(t130 * t469);
                            }, t130, t469);

                            // selective_scan_backward.tk:80: k.k3 = stepped<I + 3>(h3, a, dt);
                            k_k3_e = e_4;
                            tk::map(k_k3_left, [](float e_4, float h3_5) { return e_4 * h3_5; },
                                    e_4, h3_5);
                            // selective_scan_backward.tk:43
                            tk::stripe<float, 32, 1, 32, 1, vector> t131;
                            tk::slice_registers<0, 7>(t131, dt_2);
                            tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t132;
                            tk::slice_registers<0, 7>(t132, u_3);
                            // selective_scan_backward.tk:49
                            tk::stripe<float, 32, 1, 32, 1, vector> t134;
                            tk::slice_registers<0, 7>(t134, gy);
                            tk::stripe<float, 32, 1, 32, 1, vector> t228;
                            tk::map(t228, [](float t131, tk::bf16 t132) {
                                return t131 * float(t132);
                            }, t131, t132);
                            tk::stripe<float, 1, 8, 32, 1, vector> t470;
                            tk::load_shared(t470, tk::part<7, 0, 1, 8>(shared.sweep_bt_2[0]),
                                            thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> t135;
                            tk::map(t135, [](float t228, float t470, float k_k3_left, float t134) {
                                return tk::fma(t228, t470, k_k3_left) * t134;
                            }, t228, t470, k_k3_left, t134);
                            tk::stripe<float, 1, 8, 32, 1, vector> n3;
                            tk::fold_columns(n3, t135, tk::plus{}, thread);

                            // selective_scan_backward.tk:279: if not PACKED or t.start + 4 < ..
                            tk::store_folded<tk::stripe<float, 32, 8, 32, 1, vector>>(
                                tk::slice_if_dense<vectors, tk::no_axis, 4>(Part,
                                                                            {b, g, d / 32, at, 144},
                                                                            1,
                                                                            at > -1 &&
                                                                            at < tk::divide_up(L, 8)
                                                                            ? (d / 32 <
                                                                               tk::divide_up(CG, 32)
                                                                               ? 256 - 144 : 0)
                                                                            : 0), n0, thread);

                            // selective_scan_backward.tk:280: if not PACKED or t.start + 5 < ..
                            tk::store_folded<tk::stripe<float, 32, 8, 32, 1, vector>>(
                                tk::slice_if_dense<vectors, tk::no_axis, 4>(Part,
                                                                            {b, g, d / 32, at, 176},
                                                                            1,
                                                                            at > -1 &&
                                                                            at < tk::divide_up(L, 8)
                                                                            ? (d / 32 <
                                                                               tk::divide_up(CG, 32)
                                                                               ? 256 - 176 : 0)
                                                                            : 0), n1, thread);

                            // selective_scan_backward.tk:281: if not PACKED or t.start + 6 < ..
                            tk::store_folded<tk::stripe<float, 32, 8, 32, 1, vector>>(
                                tk::slice_if_dense<vectors, tk::no_axis, 4>(Part,
                                                                            {b, g, d / 32, at, 208},
                                                                            1,
                                                                            at > -1 &&
                                                                            at < tk::divide_up(L, 8)
                                                                            ? (d / 32 <
                                                                               tk::divide_up(CG, 32)
                                                                               ? 256 - 208 : 0)
                                                                            : 0), n2, thread);

                            // selective_scan_backward.tk:282: if not PACKED or t.start + 7 < ..
                            tk::store_folded<tk::stripe<float, 32, 8, 32, 1, vector>>(
                                tk::slice_if_dense<vectors, tk::no_axis, 4>(Part,
                                                                            {b, g, d / 32, at, 240},
                                                                            1,
                                                                            at > -1 &&
                                                                            at < tk::divide_up(L, 8)
                                                                            ? (d / 32 <
                                                                               tk::divide_up(CG, 32)
                                                                               ? 256 - 240 : 0)
                                                                            : 0), n3, thread);
                        }

                        // selective_scan_backward.tk:284: if step == 1 {
                        if (step == 1) {
                            // selective_scan_backward.tk:285: let at = min(max(scalar(place), ..
                            tk::stripe<int, 1, 1, 32, 1, vector> t137;
                            tk::load_shared(t137, shared.sweep_place[0], thread);
                            const int number = t137.cell(0);
                            const int at_2 = tk::min(tk::max(number, 0), tk::divide_up(L, 8) - 1);

                            // selective_scan_backward.tk:55: let q = s.r + dy[:, I +: 1] * ..
                            tk::stripe<float, 32, 1, 32, 1, vector> t138;
                            tk::slice_registers<0, 7>(t138, gy);
                            tk::stripe<float, 1, 8, 32, 1, vector> t471;
                            tk::load_shared(t471, tk::part<7, 0, 1, 8>(shared.sweep_ct[0]), thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> q_2;
                            tk::map(q_2, [](float s_r, float t138, float t471) {
                                return tk::fma(t138, t471, s_r);
                            }, s_r, t138, t471);

                            // selective_scan_backward.tk:56: s.z = add_to_column<I>(s.z, sum(q * ..
                            tk::stripe<float, 1, 8, 32, 1, vector> t472;
                            tk::load_shared(t472, tk::part<7, 0, 1, 8>(shared.sweep_bt_2[0]),
                                            thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> t141;
                            tk::map(t141, [](float q_2, float t472) { return q_2 * t472; },
                                    q_2, t472);
                            tk::stripe<float, 32, 1, 32, 1, vector> t142;
                            tk::fold_rows(t142, t141, tk::plus{}, thread);
                            tk::finish_rows(t142, tk::plus{});
                            tk::map(s_z, thread, [](int, int col, float s_z, float t142) {
                                return col == 7 ? s_z + t142 : s_z;
                            }, s_z, t142);

                            // selective_scan_backward.tk:57: s.r = k.e * q;
                            tk::map(s_r, [](float k_k3_e, float q_2) { return k_k3_e * q_2; },
                                    k_k3_e, q_2);

                            // selective_scan_backward.tk:58: let w = k.left * q;
                            tk::stripe<float, 32, 8, 32, 1, vector> w;
                            tk::map(w, [](float k_k3_left, float q_2) { return k_k3_left * q_2; },
                                    k_k3_left, q_2);

                            // selective_scan_backward.tk:59: s.w = add_to_column<I>(s.w, sum(w * ..
                            tk::stripe<float, 32, 8, 32, 1, vector> t473;
                            tk::load_shared(t473, shared.sweep_a0[0], thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> t143;
                            tk::map(t143, [](float w, float t473) { return w * t473; }, w, t473);
                            tk::stripe<float, 32, 1, 32, 1, vector> t144;
                            tk::fold_rows(t144, t143, tk::plus{}, thread);
                            tk::finish_rows(t144, tk::plus{});
                            tk::map(s_w, thread, [](int, int col, float s_w, float t144) {
                                return col == 7 ? s_w + t144 : s_w;
                            }, s_w, t144);

                            // selective_scan_backward.tk:60: s.a += dt[:, I +: 1] * w;
                            tk::stripe<float, 32, 1, 32, 1, vector> t145;
                            tk::slice_registers<0, 7>(t145, dt_2);
                            tk::map(s_a, [](float s_a, float t145, float w) {
                                return tk::fma(t145, w, s_a);
                            }, s_a, t145, w);

                            // selective_scan_backward.tk:61: return sum(q * (dt[:, I +: 1] * ..
                            tk::stripe<float, 32, 1, 32, 1, vector> t146;
                            tk::slice_registers<0, 7>(t146, dt_2);
                            tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t147;
                            tk::slice_registers<0, 7>(t147, u_3);
                            tk::stripe<float, 32, 1, 32, 1, vector> t240;
                            tk::map(t240, [](float t146, tk::bf16 t147) {
                                return t146 * float(t147);
                            }, t146, t147);
                            tk::stripe<float, 32, 8, 32, 1, vector> t148;
                            tk::map(t148, [](float q_2, float t240) { return q_2 * t240; },
                                    q_2, t240);
                            tk::stripe<float, 1, 8, 32, 1, vector> n3_2;
                            tk::fold_columns(n3_2, t148, tk::plus{}, thread);
                            // selective_scan_backward.tk:55
                            tk::stripe<float, 32, 1, 32, 1, vector> t150;
                            tk::slice_registers<0, 6>(t150, gy);
                            tk::stripe<float, 1, 8, 32, 1, vector> t474;
                            tk::load_shared(t474, tk::part<6, 0, 1, 8>(shared.sweep_ct[0]), thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> q_3;
                            tk::map(q_3, [](float s_r, float t150, float t474) {
                                return tk::fma(t150, t474, s_r);
                            }, s_r, t150, t474);
                            // selective_scan_backward.tk:56
                            tk::stripe<float, 1, 8, 32, 1, vector> t475;
                            tk::load_shared(t475, tk::part<6, 0, 1, 8>(shared.sweep_bt_2[0]),
                                            thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> t153;
                            tk::map(t153, [](float q_3, float t475) { return q_3 * t475; },
                                    q_3, t475);
                            tk::stripe<float, 32, 1, 32, 1, vector> t154;
                            tk::fold_rows(t154, t153, tk::plus{}, thread);
                            tk::finish_rows(t154, tk::plus{});
                            tk::map(s_z, thread, [](int, int col, float s_z, float t154) {
                                return col == 6 ? s_z + t154 : s_z;
                            }, s_z, t154);
                            // selective_scan_backward.tk:57
                            tk::map(s_r, [](float k_k2_e, float q_3) { return k_k2_e * q_3; },
                                    k_k2_e, q_3);
                            // selective_scan_backward.tk:58
                            tk::stripe<float, 32, 8, 32, 1, vector> w_2;
                            tk::map(w_2, [](float k_k2_left, float q_3) { return k_k2_left * q_3; },
                                    k_k2_left, q_3);
                            // selective_scan_backward.tk:59
                            tk::stripe<float, 32, 8, 32, 1, vector> t476;
                            tk::load_shared(t476, shared.sweep_a0[0], thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> t155;
                            tk::map(t155, [](float w_2, float t476) { return w_2 * t476; },
                                    w_2, t476);
                            tk::stripe<float, 32, 1, 32, 1, vector> t156;
                            tk::fold_rows(t156, t155, tk::plus{}, thread);
                            tk::finish_rows(t156, tk::plus{});
                            tk::map(s_w, thread, [](int, int col, float s_w, float t156) {
                                return col == 6 ? s_w + t156 : s_w;
                            }, s_w, t156);
                            // selective_scan_backward.tk:60
                            tk::stripe<float, 32, 1, 32, 1, vector> t157;
                            tk::slice_registers<0, 6>(t157, dt_2);
                            tk::map(s_a, [](float s_a, float t157, float w_2) {
                                return tk::fma(t157, w_2, s_a);
                            }, s_a, t157, w_2);
                            // selective_scan_backward.tk:61
                            tk::stripe<float, 32, 1, 32, 1, vector> t158;
                            tk::slice_registers<0, 6>(t158, dt_2);
                            tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t159;
                            tk::slice_registers<0, 6>(t159, u_3);
                            tk::stripe<float, 32, 1, 32, 1, vector> t252;
                            tk::map(t252, [](float t158, tk::bf16 t159) {
                                return t158 * float(t159);
                            }, t158, t159);
                            tk::stripe<float, 32, 8, 32, 1, vector> t160;
                            tk::map(t160, [](float q_3, float t252) { return q_3 * t252; },
                                    q_3, t252);
                            tk::stripe<float, 1, 8, 32, 1, vector> n2_2;
                            tk::fold_columns(n2_2, t160, tk::plus{}, thread);
                            // selective_scan_backward.tk:55
                            tk::stripe<float, 32, 1, 32, 1, vector> t162;
                            tk::slice_registers<0, 5>(t162, gy);
                            tk::stripe<float, 1, 8, 32, 1, vector> t477;
                            tk::load_shared(t477, tk::part<5, 0, 1, 8>(shared.sweep_ct[0]), thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> q_4;
                            tk::map(q_4, [](float s_r, float t162, float t477) {
                                return tk::fma(t162, t477, s_r);
                            }, s_r, t162, t477);
                            // selective_scan_backward.tk:56
                            tk::stripe<float, 1, 8, 32, 1, vector> t478;
                            tk::load_shared(t478, tk::part<5, 0, 1, 8>(shared.sweep_bt_2[0]),
                                            thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> t165;
                            tk::map(t165, [](float q_4, float t478) { return q_4 * t478; },
                                    q_4, t478);
                            tk::stripe<float, 32, 1, 32, 1, vector> t166;
                            tk::fold_rows(t166, t165, tk::plus{}, thread);
                            tk::finish_rows(t166, tk::plus{});
                            tk::map(s_z, thread, [](int, int col, float s_z, float t166) {
                                return col == 5 ? s_z + t166 : s_z;
                            }, s_z, t166);
                            // selective_scan_backward.tk:57
                            tk::map(s_r, [](float k_k1_e, float q_4) { return k_k1_e * q_4; },
                                    k_k1_e, q_4);
                            // selective_scan_backward.tk:58
                            tk::stripe<float, 32, 8, 32, 1, vector> w_3;
                            tk::map(w_3, [](float k_k1_left, float q_4) { return k_k1_left * q_4; },
                                    k_k1_left, q_4);
                            // selective_scan_backward.tk:59
                            tk::stripe<float, 32, 8, 32, 1, vector> t479;
                            tk::load_shared(t479, shared.sweep_a0[0], thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> t167;
                            tk::map(t167, [](float w_3, float t479) { return w_3 * t479; },
                                    w_3, t479);
                            tk::stripe<float, 32, 1, 32, 1, vector> t168;
                            tk::fold_rows(t168, t167, tk::plus{}, thread);
                            tk::finish_rows(t168, tk::plus{});
                            tk::map(s_w, thread, [](int, int col, float s_w, float t168) {
                                return col == 5 ? s_w + t168 : s_w;
                            }, s_w, t168);
                            // selective_scan_backward.tk:60
                            tk::stripe<float, 32, 1, 32, 1, vector> t169;
                            tk::slice_registers<0, 5>(t169, dt_2);
                            tk::map(s_a, [](float s_a, float t169, float w_3) {
                                return tk::fma(t169, w_3, s_a);
                            }, s_a, t169, w_3);
                            // selective_scan_backward.tk:61
                            tk::stripe<float, 32, 1, 32, 1, vector> t170;
                            tk::slice_registers<0, 5>(t170, dt_2);
                            tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t171;
                            tk::slice_registers<0, 5>(t171, u_3);
                            tk::stripe<float, 32, 1, 32, 1, vector> t264;
                            tk::map(t264, [](float t170, tk::bf16 t171) {
                                return t170 * float(t171);
                            }, t170, t171);
                            tk::stripe<float, 32, 8, 32, 1, vector> t172;
                            tk::map(t172, [](float q_4, float t264) { return q_4 * t264; },
                                    q_4, t264);
                            tk::stripe<float, 1, 8, 32, 1, vector> n1_2;
                            tk::fold_columns(n1_2, t172, tk::plus{}, thread);
                            // selective_scan_backward.tk:55
                            tk::stripe<float, 32, 1, 32, 1, vector> t174;
                            tk::slice_registers<0, 4>(t174, gy);
                            tk::stripe<float, 1, 8, 32, 1, vector> t480;
                            tk::load_shared(t480, tk::part<4, 0, 1, 8>(shared.sweep_ct[0]), thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> q_5;
                            tk::map(q_5, [](float s_r, float t174, float t480) {
                                return tk::fma(t174, t480, s_r);
                            }, s_r, t174, t480);
                            // selective_scan_backward.tk:56
                            tk::stripe<float, 1, 8, 32, 1, vector> t481;
                            tk::load_shared(t481, tk::part<4, 0, 1, 8>(shared.sweep_bt_2[0]),
                                            thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> t177;
                            tk::map(t177, [](float q_5, float t481) { return q_5 * t481; },
                                    q_5, t481);
                            tk::stripe<float, 32, 1, 32, 1, vector> t178;
                            tk::fold_rows(t178, t177, tk::plus{}, thread);
                            tk::finish_rows(t178, tk::plus{});
                            tk::map(s_z, thread, [](int, int col, float s_z, float t178) {
                                return col == 4 ? s_z + t178 : s_z;
                            }, s_z, t178);
                            // selective_scan_backward.tk:57
                            tk::map(s_r, [](float k_k0_e, float q_5) { return k_k0_e * q_5; },
                                    k_k0_e, q_5);
                            // selective_scan_backward.tk:58
                            tk::stripe<float, 32, 8, 32, 1, vector> w_4;
                            tk::map(w_4, [](float k_k0_left, float q_5) { return k_k0_left * q_5; },
                                    k_k0_left, q_5);
                            // selective_scan_backward.tk:59
                            tk::stripe<float, 32, 8, 32, 1, vector> t482;
                            tk::load_shared(t482, shared.sweep_a0[0], thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> t179;
                            tk::map(t179, [](float w_4, float t482) { return w_4 * t482; },
                                    w_4, t482);
                            tk::stripe<float, 32, 1, 32, 1, vector> t180;
                            tk::fold_rows(t180, t179, tk::plus{}, thread);
                            tk::finish_rows(t180, tk::plus{});
                            tk::map(s_w, thread, [](int, int col, float s_w, float t180) {
                                return col == 4 ? s_w + t180 : s_w;
                            }, s_w, t180);
                            // selective_scan_backward.tk:60
                            tk::stripe<float, 32, 1, 32, 1, vector> t181;
                            tk::slice_registers<0, 4>(t181, dt_2);
                            tk::map(s_a, [](float s_a, float t181, float w_4) {
                                return tk::fma(t181, w_4, s_a);
                            }, s_a, t181, w_4);
                            // selective_scan_backward.tk:61
                            tk::stripe<float, 32, 1, 32, 1, vector> t182;
                            tk::slice_registers<0, 4>(t182, dt_2);
                            tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t183;
                            tk::slice_registers<0, 4>(t183, u_3);
                            tk::stripe<float, 32, 1, 32, 1, vector> t273;
                            tk::map(t273, [](float t182, tk::bf16 t183) {
                                return t182 * float(t183);
                            }, t182, t183);
                            tk::stripe<float, 32, 8, 32, 1, vector> t184;
                            tk::map(t184, [](float q_5, float t273) { return q_5 * t273; },
                                    q_5, t273);
                            tk::stripe<float, 1, 8, 32, 1, vector> n0_2;
                            tk::fold_columns(n0_2, t184, tk::plus{}, thread);

                            // selective_scan_backward.tk:287: if not PACKED or t.start + 4 < ..
                            tk::store_folded<tk::stripe<float, 32, 8, 32, 1, vector>>(
                                tk::slice_if_dense<vectors, tk::no_axis, 4>(Part,
                                                                            {b, g, d / 32, at_2,
                                                                             128}, 1,
                                                                            at_2 > -1 &&
                                                                            at_2 <
                                                                            tk::divide_up(L, 8)
                                                                            ? (d / 32 <
                                                                               tk::divide_up(CG, 32)
                                                                               ? 256 - 128 : 0)
                                                                            : 0), n0_2, thread);

                            // selective_scan_backward.tk:288: if not PACKED or t.start + 5 < ..
                            tk::store_folded<tk::stripe<float, 32, 8, 32, 1, vector>>(
                                tk::slice_if_dense<vectors, tk::no_axis, 4>(Part,
                                                                            {b, g, d / 32, at_2,
                                                                             160}, 1,
                                                                            at_2 > -1 &&
                                                                            at_2 <
                                                                            tk::divide_up(L, 8)
                                                                            ? (d / 32 <
                                                                               tk::divide_up(CG, 32)
                                                                               ? 256 - 160 : 0)
                                                                            : 0), n1_2, thread);

                            // selective_scan_backward.tk:289: if not PACKED or t.start + 6 < ..
                            tk::store_folded<tk::stripe<float, 32, 8, 32, 1, vector>>(
                                tk::slice_if_dense<vectors, tk::no_axis, 4>(Part,
                                                                            {b, g, d / 32, at_2,
                                                                             192}, 1,
                                                                            at_2 > -1 &&
                                                                            at_2 <
                                                                            tk::divide_up(L, 8)
                                                                            ? (d / 32 <
                                                                               tk::divide_up(CG, 32)
                                                                               ? 256 - 192 : 0)
                                                                            : 0), n2_2, thread);

                            // selective_scan_backward.tk:290: if not PACKED or t.start + 7 < ..
                            tk::store_folded<tk::stripe<float, 32, 8, 32, 1, vector>>(
                                tk::slice_if_dense<vectors, tk::no_axis, 4>(Part,
                                                                            {b, g, d / 32, at_2,
                                                                             224}, 1,
                                                                            at_2 > -1 &&
                                                                            at_2 <
                                                                            tk::divide_up(L, 8)
                                                                            ? (d / 32 <
                                                                               tk::divide_up(CG, 32)
                                                                               ? 256 - 224 : 0)
                                                                            : 0), n3_2, thread);
                        }

                        // selective_scan_backward.tk:292: if step == 2 {
                        if (step == 2) {
                            // selective_scan_backward.tk:293: var h: f32[32, S / 2] = 0;
                            tk::zero(h_2);

                            // selective_scan_backward.tk:294: if i == 0 { h = load(Saved[b, c, ..
                            if (i_2 == 0) {
                                tk::stripe<float, 32, 8, 32, 1, vector> t186;
                                tk::load_slice<vectors>(
                                    t186,
                                    tk::slice_if_dense<vectors>(Saved, {b, c, g, d, 0},
                                                                c < tk::divide_up(L, 32) ? CG - d
                                                                : 0, 16), thread);
                                h_2 = t186;
                            }

                            // selective_scan_backward.tk:295: if i == 1 { h = h08; }
                            if (i_2 == 1) tk::load_shared(h_2, shared.sweep_h08[0], thread);

                            // selective_scan_backward.tk:296: if i == 2 { h = h016; }
                            if (i_2 == 2) tk::load_shared(h_2, shared.sweep_h016[0], thread);

                            // selective_scan_backward.tk:297: if i == 3 { h = h024; }
                            if (i_2 == 3) tk::load_shared(h_2, shared.sweep_h024[0], thread);

                            // selective_scan_backward.tk:299: let at = min(max(scalar(place), ..
                            tk::stripe<int, 1, 1, 32, 1, vector> t187;
                            tk::load_shared(t187, shared.sweep_place[0], thread);
                            const int number = t187.cell(0);
                            const int at_3 = tk::min(tk::max(number, 0), tk::divide_up(L, 8) - 1);
                            // selective_scan_backward.tk:37
                            tk::stripe<float, 32, 1, 32, 1, vector> t188;
                            tk::slice_registers<0, 0>(t188, dt_2);
                            tk::stripe<float, 32, 8, 32, 1, vector> t483;
                            tk::load_shared(t483, shared.sweep_a0[0], thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> e_5;
                            tk::map(e_5, [](float t188, float t483) {
                                return tk::exp2(t188 * t483);
                            }, t188, t483);
                            // selective_scan_backward.tk:71
                            k_k0_e = e_5;
                            tk::map(k_k0_left, [](float e_5, float h_2) { return e_5 * h_2; },
                                    e_5, h_2);
                            // selective_scan_backward.tk:43
                            tk::stripe<float, 32, 1, 32, 1, vector> t189;
                            tk::slice_registers<0, 0>(t189, dt_2);
                            tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t190;
                            tk::slice_registers<0, 0>(t190, u_3);
                            // selective_scan_backward.tk:72
                            tk::stripe<float, 32, 1, 32, 1, vector> t280;
                            tk::map(t280, [](float t189, tk::bf16 t190) {
                                return t189 * float(t190);
                            }, t189, t190);
                            tk::stripe<float, 1, 8, 32, 1, vector> t484;
                            tk::load_shared(t484, tk::part<0, 0, 1, 8>(shared.sweep_bt_2[0]),
                                            thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> h1_7;
                            tk::map(h1_7, [](float t280, float t484, float k_k0_left) {
                                return tk::fma(t280, t484, k_k0_left);
                            }, t280, t484, k_k0_left);
                            // selective_scan_backward.tk:49
                            tk::stripe<float, 32, 1, 32, 1, vector> t192;
                            tk::slice_registers<0, 0>(t192, gy);
                            tk::stripe<float, 32, 8, 32, 1, vector> t193;
                            tk::map(t193, [](float h1_7, float t192) { return h1_7 * t192; },
                                    h1_7, t192);
                            tk::stripe<float, 1, 8, 32, 1, vector> n0_3;
                            tk::fold_columns(n0_3, t193, tk::plus{}, thread);
                            // selective_scan_backward.tk:37
                            tk::stripe<float, 32, 1, 32, 1, vector> t195;
                            tk::slice_registers<0, 1>(t195, dt_2);
                            tk::stripe<float, 32, 8, 32, 1, vector> t485;
                            tk::load_shared(t485, shared.sweep_a0[0], thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> e_6;
                            tk::map(e_6, [](float t195, float t485) {
                                return tk::exp2(t195 * t485);
                            }, t195, t485);
                            // selective_scan_backward.tk:74
                            k_k1_e = e_6;
                            tk::map(k_k1_left, [](float e_6, float h1_7) { return e_6 * h1_7; },
                                    e_6, h1_7);
                            // selective_scan_backward.tk:43
                            tk::stripe<float, 32, 1, 32, 1, vector> t196;
                            tk::slice_registers<0, 1>(t196, dt_2);
                            tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t197;
                            tk::slice_registers<0, 1>(t197, u_3);
                            // selective_scan_backward.tk:75
                            tk::stripe<float, 32, 1, 32, 1, vector> t287;
                            tk::map(t287, [](float t196, tk::bf16 t197) {
                                return t196 * float(t197);
                            }, t196, t197);
                            tk::stripe<float, 1, 8, 32, 1, vector> t486;
                            tk::load_shared(t486, tk::part<1, 0, 1, 8>(shared.sweep_bt_2[0]),
                                            thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> h2_6;
                            tk::map(h2_6, [](float t287, float t486, float k_k1_left) {
                                return tk::fma(t287, t486, k_k1_left);
                            }, t287, t486, k_k1_left);
                            // selective_scan_backward.tk:49
                            tk::stripe<float, 32, 1, 32, 1, vector> t199;
                            tk::slice_registers<0, 1>(t199, gy);
                            tk::stripe<float, 32, 8, 32, 1, vector> t200;
                            tk::map(t200, [](float h2_6, float t199) { return h2_6 * t199; },
                                    h2_6, t199);
                            tk::stripe<float, 1, 8, 32, 1, vector> n1_3;
                            tk::fold_columns(n1_3, t200, tk::plus{}, thread);
                            // selective_scan_backward.tk:37
                            tk::stripe<float, 32, 1, 32, 1, vector> t202;
                            tk::slice_registers<0, 2>(t202, dt_2);
                            tk::stripe<float, 32, 8, 32, 1, vector> t487;
                            tk::load_shared(t487, shared.sweep_a0[0], thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> e_7;
                            tk::map(e_7, [](float t202, float t487) {
                                return tk::exp2(t202 * t487);
                            }, t202, t487);
                            // selective_scan_backward.tk:77
                            k_k2_e = e_7;
                            tk::map(k_k2_left, [](float e_7, float h2_6) { return e_7 * h2_6; },
                                    e_7, h2_6);
                            // selective_scan_backward.tk:43
                            tk::stripe<float, 32, 1, 32, 1, vector> t203;
                            tk::slice_registers<0, 2>(t203, dt_2);
                            tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t204;
                            tk::slice_registers<0, 2>(t204, u_3);
                            // selective_scan_backward.tk:78
                            tk::stripe<float, 32, 1, 32, 1, vector> t294;
                            tk::map(t294, [](float t203, tk::bf16 t204) {
                                return t203 * float(t204);
                            }, t203, t204);
                            tk::stripe<float, 1, 8, 32, 1, vector> t488;
                            tk::load_shared(t488, tk::part<2, 0, 1, 8>(shared.sweep_bt_2[0]),
                                            thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> h3_6;
                            tk::map(h3_6, [](float t294, float t488, float k_k2_left) {
                                return tk::fma(t294, t488, k_k2_left);
                            }, t294, t488, k_k2_left);
                            // selective_scan_backward.tk:49
                            tk::stripe<float, 32, 1, 32, 1, vector> t206;
                            tk::slice_registers<0, 2>(t206, gy);
                            tk::stripe<float, 32, 8, 32, 1, vector> t207;
                            tk::map(t207, [](float h3_6, float t206) { return h3_6 * t206; },
                                    h3_6, t206);
                            tk::stripe<float, 1, 8, 32, 1, vector> n2_3;
                            tk::fold_columns(n2_3, t207, tk::plus{}, thread);
                            // selective_scan_backward.tk:37
                            tk::stripe<float, 32, 1, 32, 1, vector> t209;
                            tk::slice_registers<0, 3>(t209, dt_2);
                            tk::stripe<float, 32, 8, 32, 1, vector> t489;
                            tk::load_shared(t489, shared.sweep_a0[0], thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> e_8;
                            tk::map(e_8, [](float t209, float t489) {
                                return tk::exp2(t209 * t489);
                            }, t209, t489);
                            // selective_scan_backward.tk:80
                            k_k3_e = e_8;
                            tk::map(k_k3_left, [](float e_8, float h3_6) { return e_8 * h3_6; },
                                    e_8, h3_6);
                            // selective_scan_backward.tk:43
                            tk::stripe<float, 32, 1, 32, 1, vector> t210;
                            tk::slice_registers<0, 3>(t210, dt_2);
                            tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t211;
                            tk::slice_registers<0, 3>(t211, u_3);
                            // selective_scan_backward.tk:49
                            tk::stripe<float, 32, 1, 32, 1, vector> t213;
                            tk::slice_registers<0, 3>(t213, gy);
                            tk::stripe<float, 32, 1, 32, 1, vector> t307;
                            tk::map(t307, [](float t210, tk::bf16 t211) {
                                return t210 * float(t211);
                            }, t210, t211);
                            tk::stripe<float, 1, 8, 32, 1, vector> t490;
                            tk::load_shared(t490, tk::part<3, 0, 1, 8>(shared.sweep_bt_2[0]),
                                            thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> t214;
                            tk::map(t214, [](float t307, float t490, float k_k3_left, float t213) {
                                return tk::fma(t307, t490, k_k3_left) * t213;
                            }, t307, t490, k_k3_left, t213);
                            tk::stripe<float, 1, 8, 32, 1, vector> n3_3;
                            tk::fold_columns(n3_3, t214, tk::plus{}, thread);

                            // selective_scan_backward.tk:301: if not PACKED or t.start + 0 < ..
                            tk::store_folded<tk::stripe<float, 32, 8, 32, 1, vector>>(
                                tk::slice_if_dense<vectors, tk::no_axis, 4>(Part,
                                                                            {b, g, d / 32, at_3,
                                                                             16}, 1,
                                                                            at_3 > -1 &&
                                                                            at_3 <
                                                                            tk::divide_up(L, 8)
                                                                            ? (d / 32 <
                                                                               tk::divide_up(CG, 32)
                                                                               ? 256 - 16 : 0) : 0),
                                n0_3, thread);

                            // selective_scan_backward.tk:302: if not PACKED or t.start + 1 < ..
                            tk::store_folded<tk::stripe<float, 32, 8, 32, 1, vector>>(
                                tk::slice_if_dense<vectors, tk::no_axis, 4>(Part,
                                                                            {b, g, d / 32, at_3,
                                                                             48}, 1,
                                                                            at_3 > -1 &&
                                                                            at_3 <
                                                                            tk::divide_up(L, 8)
                                                                            ? (d / 32 <
                                                                               tk::divide_up(CG, 32)
                                                                               ? 256 - 48 : 0) : 0),
                                n1_3, thread);

                            // selective_scan_backward.tk:303: if not PACKED or t.start + 2 < ..
                            tk::store_folded<tk::stripe<float, 32, 8, 32, 1, vector>>(
                                tk::slice_if_dense<vectors, tk::no_axis, 4>(Part,
                                                                            {b, g, d / 32, at_3,
                                                                             80}, 1,
                                                                            at_3 > -1 &&
                                                                            at_3 <
                                                                            tk::divide_up(L, 8)
                                                                            ? (d / 32 <
                                                                               tk::divide_up(CG, 32)
                                                                               ? 256 - 80 : 0) : 0),
                                n2_3, thread);

                            // selective_scan_backward.tk:304: if not PACKED or t.start + 3 < ..
                            tk::store_folded<tk::stripe<float, 32, 8, 32, 1, vector>>(
                                tk::slice_if_dense<vectors, tk::no_axis, 4>(Part,
                                                                            {b, g, d / 32, at_3,
                                                                             112}, 1,
                                                                            at_3 > -1 &&
                                                                            at_3 <
                                                                            tk::divide_up(L, 8)
                                                                            ? (d / 32 <
                                                                               tk::divide_up(CG, 32)
                                                                               ? 256 - 112 : 0)
                                                                            : 0), n3_3, thread);
                        }

                        // selective_scan_backward.tk:306: if step == 3 {
                        if (step == 3) {
                            // selective_scan_backward.tk:307: let at = min(max(scalar(place), ..
                            tk::stripe<int, 1, 1, 32, 1, vector> t216;
                            tk::load_shared(t216, shared.sweep_place[0], thread);
                            const int number = t216.cell(0);
                            const int at_4 = tk::min(tk::max(number, 0), tk::divide_up(L, 8) - 1);
                            // selective_scan_backward.tk:55
                            tk::stripe<float, 32, 1, 32, 1, vector> t217;
                            tk::slice_registers<0, 3>(t217, gy);
                            tk::stripe<float, 1, 8, 32, 1, vector> t491;
                            tk::load_shared(t491, tk::part<3, 0, 1, 8>(shared.sweep_ct[0]), thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> q_6;
                            tk::map(q_6, [](float s_r, float t217, float t491) {
                                return tk::fma(t217, t491, s_r);
                            }, s_r, t217, t491);
                            // selective_scan_backward.tk:56
                            tk::stripe<float, 1, 8, 32, 1, vector> t492;
                            tk::load_shared(t492, tk::part<3, 0, 1, 8>(shared.sweep_bt_2[0]),
                                            thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> t220;
                            tk::map(t220, [](float q_6, float t492) { return q_6 * t492; },
                                    q_6, t492);
                            tk::stripe<float, 32, 1, 32, 1, vector> t221;
                            tk::fold_rows(t221, t220, tk::plus{}, thread);
                            tk::finish_rows(t221, tk::plus{});
                            tk::map(s_z, thread, [](int, int col, float s_z, float t221) {
                                return col == 3 ? s_z + t221 : s_z;
                            }, s_z, t221);
                            // selective_scan_backward.tk:57
                            tk::map(s_r, [](float k_k3_e, float q_6) { return k_k3_e * q_6; },
                                    k_k3_e, q_6);
                            // selective_scan_backward.tk:58
                            tk::stripe<float, 32, 8, 32, 1, vector> w_5;
                            tk::map(w_5, [](float k_k3_left, float q_6) { return k_k3_left * q_6; },
                                    k_k3_left, q_6);
                            // selective_scan_backward.tk:59
                            tk::stripe<float, 32, 8, 32, 1, vector> t493;
                            tk::load_shared(t493, shared.sweep_a0[0], thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> t222;
                            tk::map(t222, [](float w_5, float t493) { return w_5 * t493; },
                                    w_5, t493);
                            tk::stripe<float, 32, 1, 32, 1, vector> t223;
                            tk::fold_rows(t223, t222, tk::plus{}, thread);
                            tk::finish_rows(t223, tk::plus{});
                            tk::map(s_w, thread, [](int, int col, float s_w, float t223) {
                                return col == 3 ? s_w + t223 : s_w;
                            }, s_w, t223);
                            // selective_scan_backward.tk:60
                            tk::stripe<float, 32, 1, 32, 1, vector> t224;
                            tk::slice_registers<0, 3>(t224, dt_2);
                            tk::map(s_a, [](float s_a, float t224, float w_5) {
                                return tk::fma(t224, w_5, s_a);
                            }, s_a, t224, w_5);
                            // selective_scan_backward.tk:61
                            tk::stripe<float, 32, 1, 32, 1, vector> t225;
                            tk::slice_registers<0, 3>(t225, dt_2);
                            tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t226;
                            tk::slice_registers<0, 3>(t226, u_3);
                            tk::stripe<float, 32, 1, 32, 1, vector> t319;
                            tk::map(t319, [](float t225, tk::bf16 t226) {
                                return t225 * float(t226);
                            }, t225, t226);
                            tk::stripe<float, 32, 8, 32, 1, vector> t227;
                            tk::map(t227, [](float q_6, float t319) { return q_6 * t319; },
                                    q_6, t319);
                            tk::stripe<float, 1, 8, 32, 1, vector> n3_4;
                            tk::fold_columns(n3_4, t227, tk::plus{}, thread);
                            // selective_scan_backward.tk:55
                            tk::stripe<float, 32, 1, 32, 1, vector> t229;
                            tk::slice_registers<0, 2>(t229, gy);
                            tk::stripe<float, 1, 8, 32, 1, vector> t494;
                            tk::load_shared(t494, tk::part<2, 0, 1, 8>(shared.sweep_ct[0]), thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> q_7;
                            tk::map(q_7, [](float s_r, float t229, float t494) {
                                return tk::fma(t229, t494, s_r);
                            }, s_r, t229, t494);
                            // selective_scan_backward.tk:56
                            tk::stripe<float, 1, 8, 32, 1, vector> t495;
                            tk::load_shared(t495, tk::part<2, 0, 1, 8>(shared.sweep_bt_2[0]),
                                            thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> t232;
                            tk::map(t232, [](float q_7, float t495) { return q_7 * t495; },
                                    q_7, t495);
                            tk::stripe<float, 32, 1, 32, 1, vector> t233;
                            tk::fold_rows(t233, t232, tk::plus{}, thread);
                            tk::finish_rows(t233, tk::plus{});
                            tk::map(s_z, thread, [](int, int col, float s_z, float t233) {
                                return col == 2 ? s_z + t233 : s_z;
                            }, s_z, t233);
                            // selective_scan_backward.tk:57
                            tk::map(s_r, [](float k_k2_e, float q_7) { return k_k2_e * q_7; },
                                    k_k2_e, q_7);
                            // selective_scan_backward.tk:58
                            tk::stripe<float, 32, 8, 32, 1, vector> w_6;
                            tk::map(w_6, [](float k_k2_left, float q_7) { return k_k2_left * q_7; },
                                    k_k2_left, q_7);
                            // selective_scan_backward.tk:59
                            tk::stripe<float, 32, 8, 32, 1, vector> t496;
                            tk::load_shared(t496, shared.sweep_a0[0], thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> t234;
                            tk::map(t234, [](float w_6, float t496) { return w_6 * t496; },
                                    w_6, t496);
                            tk::stripe<float, 32, 1, 32, 1, vector> t235;
                            tk::fold_rows(t235, t234, tk::plus{}, thread);
                            tk::finish_rows(t235, tk::plus{});
                            tk::map(s_w, thread, [](int, int col, float s_w, float t235) {
                                return col == 2 ? s_w + t235 : s_w;
                            }, s_w, t235);
                            // selective_scan_backward.tk:60
                            tk::stripe<float, 32, 1, 32, 1, vector> t236;
                            tk::slice_registers<0, 2>(t236, dt_2);
                            tk::map(s_a, [](float s_a, float t236, float w_6) {
                                return tk::fma(t236, w_6, s_a);
                            }, s_a, t236, w_6);
                            // selective_scan_backward.tk:61
                            tk::stripe<float, 32, 1, 32, 1, vector> t237;
                            tk::slice_registers<0, 2>(t237, dt_2);
                            tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t238;
                            tk::slice_registers<0, 2>(t238, u_3);
                            tk::stripe<float, 32, 1, 32, 1, vector> t331;
                            tk::map(t331, [](float t237, tk::bf16 t238) {
                                return t237 * float(t238);
                            }, t237, t238);
                            tk::stripe<float, 32, 8, 32, 1, vector> t239;
                            tk::map(t239, [](float q_7, float t331) { return q_7 * t331; },
                                    q_7, t331);
                            tk::stripe<float, 1, 8, 32, 1, vector> n2_4;
                            tk::fold_columns(n2_4, t239, tk::plus{}, thread);
                            // selective_scan_backward.tk:55
                            tk::stripe<float, 32, 1, 32, 1, vector> t241;
                            tk::slice_registers<0, 1>(t241, gy);
                            tk::stripe<float, 1, 8, 32, 1, vector> t497;
                            tk::load_shared(t497, tk::part<1, 0, 1, 8>(shared.sweep_ct[0]), thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> q_8;
                            tk::map(q_8, [](float s_r, float t241, float t497) {
                                return tk::fma(t241, t497, s_r);
                            }, s_r, t241, t497);
                            // selective_scan_backward.tk:56
                            tk::stripe<float, 1, 8, 32, 1, vector> t498;
                            tk::load_shared(t498, tk::part<1, 0, 1, 8>(shared.sweep_bt_2[0]),
                                            thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> t244;
                            tk::map(t244, [](float q_8, float t498) { return q_8 * t498; },
                                    q_8, t498);
                            tk::stripe<float, 32, 1, 32, 1, vector> t245;
                            tk::fold_rows(t245, t244, tk::plus{}, thread);
                            tk::finish_rows(t245, tk::plus{});
                            tk::map(s_z, thread, [](int, int col, float s_z, float t245) {
                                return col == 1 ? s_z + t245 : s_z;
                            }, s_z, t245);
                            // selective_scan_backward.tk:57
                            tk::map(s_r, [](float k_k1_e, float q_8) { return k_k1_e * q_8; },
                                    k_k1_e, q_8);
                            // selective_scan_backward.tk:58
                            tk::stripe<float, 32, 8, 32, 1, vector> w_7;
                            tk::map(w_7, [](float k_k1_left, float q_8) { return k_k1_left * q_8; },
                                    k_k1_left, q_8);
                            // selective_scan_backward.tk:59
                            tk::stripe<float, 32, 8, 32, 1, vector> t499;
                            tk::load_shared(t499, shared.sweep_a0[0], thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> t246;
                            tk::map(t246, [](float w_7, float t499) { return w_7 * t499; },
                                    w_7, t499);
                            tk::stripe<float, 32, 1, 32, 1, vector> t247;
                            tk::fold_rows(t247, t246, tk::plus{}, thread);
                            tk::finish_rows(t247, tk::plus{});
                            tk::map(s_w, thread, [](int, int col, float s_w, float t247) {
                                return col == 1 ? s_w + t247 : s_w;
                            }, s_w, t247);
                            // selective_scan_backward.tk:60
                            tk::stripe<float, 32, 1, 32, 1, vector> t248;
                            tk::slice_registers<0, 1>(t248, dt_2);
                            tk::map(s_a, [](float s_a, float t248, float w_7) {
                                return tk::fma(t248, w_7, s_a);
                            }, s_a, t248, w_7);
                            // selective_scan_backward.tk:61
                            tk::stripe<float, 32, 1, 32, 1, vector> t249;
                            tk::slice_registers<0, 1>(t249, dt_2);
                            tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t250;
                            tk::slice_registers<0, 1>(t250, u_3);
                            tk::stripe<float, 32, 1, 32, 1, vector> t343;
                            tk::map(t343, [](float t249, tk::bf16 t250) {
                                return t249 * float(t250);
                            }, t249, t250);
                            tk::stripe<float, 32, 8, 32, 1, vector> t251;
                            tk::map(t251, [](float q_8, float t343) { return q_8 * t343; },
                                    q_8, t343);
                            tk::stripe<float, 1, 8, 32, 1, vector> n1_4;
                            tk::fold_columns(n1_4, t251, tk::plus{}, thread);
                            // selective_scan_backward.tk:55
                            tk::stripe<float, 32, 1, 32, 1, vector> t253;
                            tk::slice_registers<0, 0>(t253, gy);
                            tk::stripe<float, 1, 8, 32, 1, vector> t500;
                            tk::load_shared(t500, tk::part<0, 0, 1, 8>(shared.sweep_ct[0]), thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> q_9;
                            tk::map(q_9, [](float s_r, float t253, float t500) {
                                return tk::fma(t253, t500, s_r);
                            }, s_r, t253, t500);
                            // selective_scan_backward.tk:56
                            tk::stripe<float, 1, 8, 32, 1, vector> t501;
                            tk::load_shared(t501, tk::part<0, 0, 1, 8>(shared.sweep_bt_2[0]),
                                            thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> t256;
                            tk::map(t256, [](float q_9, float t501) { return q_9 * t501; },
                                    q_9, t501);
                            tk::stripe<float, 32, 1, 32, 1, vector> t257;
                            tk::fold_rows(t257, t256, tk::plus{}, thread);
                            tk::finish_rows(t257, tk::plus{});
                            tk::map(s_z, thread, [](int, int col, float s_z, float t257) {
                                return col == 0 ? s_z + t257 : s_z;
                            }, s_z, t257);
                            // selective_scan_backward.tk:57
                            tk::map(s_r, [](float k_k0_e, float q_9) { return k_k0_e * q_9; },
                                    k_k0_e, q_9);
                            // selective_scan_backward.tk:58
                            tk::stripe<float, 32, 8, 32, 1, vector> w_8;
                            tk::map(w_8, [](float k_k0_left, float q_9) { return k_k0_left * q_9; },
                                    k_k0_left, q_9);
                            // selective_scan_backward.tk:59
                            tk::stripe<float, 32, 8, 32, 1, vector> t502;
                            tk::load_shared(t502, shared.sweep_a0[0], thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> t258;
                            tk::map(t258, [](float w_8, float t502) { return w_8 * t502; },
                                    w_8, t502);
                            tk::stripe<float, 32, 1, 32, 1, vector> t259;
                            tk::fold_rows(t259, t258, tk::plus{}, thread);
                            tk::finish_rows(t259, tk::plus{});
                            tk::map(s_w, thread, [](int, int col, float s_w, float t259) {
                                return col == 0 ? s_w + t259 : s_w;
                            }, s_w, t259);
                            // selective_scan_backward.tk:60
                            tk::stripe<float, 32, 1, 32, 1, vector> t260;
                            tk::slice_registers<0, 0>(t260, dt_2);
                            tk::map(s_a, [](float s_a, float t260, float w_8) {
                                return tk::fma(t260, w_8, s_a);
                            }, s_a, t260, w_8);
                            // selective_scan_backward.tk:61
                            tk::stripe<float, 32, 1, 32, 1, vector> t261;
                            tk::slice_registers<0, 0>(t261, dt_2);
                            tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t262;
                            tk::slice_registers<0, 0>(t262, u_3);
                            tk::stripe<float, 32, 1, 32, 1, vector> t352;
                            tk::map(t352, [](float t261, tk::bf16 t262) {
                                return t261 * float(t262);
                            }, t261, t262);
                            tk::stripe<float, 32, 8, 32, 1, vector> t263;
                            tk::map(t263, [](float q_9, float t352) { return q_9 * t352; },
                                    q_9, t352);
                            tk::stripe<float, 1, 8, 32, 1, vector> n0_4;
                            tk::fold_columns(n0_4, t263, tk::plus{}, thread);

                            // selective_scan_backward.tk:309: if not PACKED or t.start + 0 < ..
                            tk::store_folded<tk::stripe<float, 32, 8, 32, 1, vector>>(
                                tk::slice_if_dense<vectors, tk::no_axis, 4>(Part,
                                                                            {b, g, d / 32, at_4, 0},
                                                                            1,
                                                                            at_4 > -1 &&
                                                                            at_4 <
                                                                            tk::divide_up(L, 8)
                                                                            ? (d / 32 <
                                                                               tk::divide_up(CG, 32)
                                                                               ? 256 : 0) : 0),
                                n0_4, thread);

                            // selective_scan_backward.tk:310: if not PACKED or t.start + 1 < ..
                            tk::store_folded<tk::stripe<float, 32, 8, 32, 1, vector>>(
                                tk::slice_if_dense<vectors, tk::no_axis, 4>(Part,
                                                                            {b, g, d / 32, at_4,
                                                                             32}, 1,
                                                                            at_4 > -1 &&
                                                                            at_4 <
                                                                            tk::divide_up(L, 8)
                                                                            ? (d / 32 <
                                                                               tk::divide_up(CG, 32)
                                                                               ? 256 - 32 : 0) : 0),
                                n1_4, thread);

                            // selective_scan_backward.tk:311: if not PACKED or t.start + 2 < ..
                            tk::store_folded<tk::stripe<float, 32, 8, 32, 1, vector>>(
                                tk::slice_if_dense<vectors, tk::no_axis, 4>(Part,
                                                                            {b, g, d / 32, at_4,
                                                                             64}, 1,
                                                                            at_4 > -1 &&
                                                                            at_4 <
                                                                            tk::divide_up(L, 8)
                                                                            ? (d / 32 <
                                                                               tk::divide_up(CG, 32)
                                                                               ? 256 - 64 : 0) : 0),
                                n2_4, thread);

                            // selective_scan_backward.tk:312: if not PACKED or t.start + 3 < ..
                            tk::store_folded<tk::stripe<float, 32, 8, 32, 1, vector>>(
                                tk::slice_if_dense<vectors, tk::no_axis, 4>(Part,
                                                                            {b, g, d / 32, at_4,
                                                                             96}, 1,
                                                                            at_4 > -1 &&
                                                                            at_4 <
                                                                            tk::divide_up(L, 8)
                                                                            ? (d / 32 <
                                                                               tk::divide_up(CG, 32)
                                                                               ? 256 - 96 : 0) : 0),
                                n3_4, thread);

                            // selective_scan_backward.tk:313: r0 = s.r;
                            tk::store_shared(shared.sweep_r0[0], s_r, thread);

                            // selective_scan_backward.tk:314: da0 = da0 + s.a;
                            tk::stripe<float, 32, 8, 32, 1, vector> t503;
                            tk::load_shared(t503, shared.sweep_da0[0], thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> t265;
                            tk::map(t265, [](float t503, float s_a) { return t503 + s_a; },
                                    t503, s_a);
                            tk::barrier_sync(1, 32);
                            tk::store_shared(shared.sweep_da0[0], t265, thread);
                            tk::barrier_sync(1, 32);

                            // selective_scan_backward.tk:315: s.r = r1;
                            tk::load_shared(s_r, shared.sweep_r1[0], thread);

                            // selective_scan_backward.tk:316: s.a = 0;
                            tk::zero(s_a);
                        }

                        // selective_scan_backward.tk:318: if step == 4 {
                        if (step == 4) {
                            // selective_scan_backward.tk:319: var h: f32[32, S / 2] = h14;
                            tk::load_shared(h_3, shared.sweep_h14[0], thread);

                            // selective_scan_backward.tk:320: if i == 1 { h = h112; }
                            if (i_2 == 1) tk::load_shared(h_3, shared.sweep_h112[0], thread);

                            // selective_scan_backward.tk:321: if i == 2 { h = h120; }
                            if (i_2 == 2) tk::load_shared(h_3, shared.sweep_h120[0], thread);

                            // selective_scan_backward.tk:322: if i == 3 { h = h128; }
                            if (i_2 == 3) tk::load_shared(h_3, shared.sweep_h128[0], thread);

                            // selective_scan_backward.tk:323: let at = min(max(scalar(place), ..
                            tk::stripe<int, 1, 1, 32, 1, vector> t266;
                            tk::load_shared(t266, shared.sweep_place[0], thread);
                            const int number = t266.cell(0);
                            const int at_5 = tk::min(tk::max(number, 0), tk::divide_up(L, 8) - 1);
                            // selective_scan_backward.tk:37
                            tk::stripe<float, 32, 1, 32, 1, vector> t267;
                            tk::slice_registers<0, 4>(t267, dt_2);
                            tk::stripe<float, 32, 8, 32, 1, vector> t504;
                            tk::load_shared(t504, shared.sweep_a1[0], thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> e_9;
                            tk::map(e_9, [](float t267, float t504) {
                                return tk::exp2(t267 * t504);
                            }, t267, t504);
                            // selective_scan_backward.tk:71
                            k_k0_e = e_9;
                            tk::map(k_k0_left, [](float e_9, float h_3) { return e_9 * h_3; },
                                    e_9, h_3);
                            // selective_scan_backward.tk:43
                            tk::stripe<float, 32, 1, 32, 1, vector> t268;
                            tk::slice_registers<0, 4>(t268, dt_2);
                            tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t269;
                            tk::slice_registers<0, 4>(t269, u_3);
                            // selective_scan_backward.tk:72
                            tk::stripe<float, 32, 1, 32, 1, vector> t359;
                            tk::map(t359, [](float t268, tk::bf16 t269) {
                                return t268 * float(t269);
                            }, t268, t269);
                            tk::stripe<float, 1, 8, 32, 1, vector> t505;
                            tk::load_shared(t505, tk::part<4, 8, 1, 8>(shared.sweep_bt_2[0]),
                                            thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> h1_8;
                            tk::map(h1_8, [](float t359, float t505, float k_k0_left) {
                                return tk::fma(t359, t505, k_k0_left);
                            }, t359, t505, k_k0_left);
                            // selective_scan_backward.tk:49
                            tk::stripe<float, 32, 1, 32, 1, vector> t271;
                            tk::slice_registers<0, 4>(t271, gy);
                            tk::stripe<float, 32, 8, 32, 1, vector> t272;
                            tk::map(t272, [](float h1_8, float t271) { return h1_8 * t271; },
                                    h1_8, t271);
                            tk::stripe<float, 1, 8, 32, 1, vector> n0_5;
                            tk::fold_columns(n0_5, t272, tk::plus{}, thread);
                            // selective_scan_backward.tk:37
                            tk::stripe<float, 32, 1, 32, 1, vector> t274;
                            tk::slice_registers<0, 5>(t274, dt_2);
                            tk::stripe<float, 32, 8, 32, 1, vector> t506;
                            tk::load_shared(t506, shared.sweep_a1[0], thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> e_10;
                            tk::map(e_10, [](float t274, float t506) {
                                return tk::exp2(t274 * t506);
                            }, t274, t506);
                            // selective_scan_backward.tk:74
                            k_k1_e = e_10;
                            tk::map(k_k1_left, [](float e_10, float h1_8) { return e_10 * h1_8; },
                                    e_10, h1_8);
                            // selective_scan_backward.tk:43
                            tk::stripe<float, 32, 1, 32, 1, vector> t275;
                            tk::slice_registers<0, 5>(t275, dt_2);
                            tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t276;
                            tk::slice_registers<0, 5>(t276, u_3);
                            // selective_scan_backward.tk:75
                            tk::stripe<float, 32, 1, 32, 1, vector> t366;
                            tk::map(t366, [](float t275, tk::bf16 t276) {
                                return t275 * float(t276);
                            }, t275, t276);
                            tk::stripe<float, 1, 8, 32, 1, vector> t507;
                            tk::load_shared(t507, tk::part<5, 8, 1, 8>(shared.sweep_bt_2[0]),
                                            thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> h2_7;
                            tk::map(h2_7, [](float t366, float t507, float k_k1_left) {
                                return tk::fma(t366, t507, k_k1_left);
                            }, t366, t507, k_k1_left);
                            // selective_scan_backward.tk:49
                            tk::stripe<float, 32, 1, 32, 1, vector> t278;
                            tk::slice_registers<0, 5>(t278, gy);
                            tk::stripe<float, 32, 8, 32, 1, vector> t279;
                            tk::map(t279, [](float h2_7, float t278) { return h2_7 * t278; },
                                    h2_7, t278);
                            tk::stripe<float, 1, 8, 32, 1, vector> n1_5;
                            tk::fold_columns(n1_5, t279, tk::plus{}, thread);
                            // selective_scan_backward.tk:37
                            tk::stripe<float, 32, 1, 32, 1, vector> t281;
                            tk::slice_registers<0, 6>(t281, dt_2);
                            tk::stripe<float, 32, 8, 32, 1, vector> t508;
                            tk::load_shared(t508, shared.sweep_a1[0], thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> e_11;
                            tk::map(e_11, [](float t281, float t508) {
                                return tk::exp2(t281 * t508);
                            }, t281, t508);
                            // selective_scan_backward.tk:77
                            k_k2_e = e_11;
                            tk::map(k_k2_left, [](float e_11, float h2_7) { return e_11 * h2_7; },
                                    e_11, h2_7);
                            // selective_scan_backward.tk:43
                            tk::stripe<float, 32, 1, 32, 1, vector> t282;
                            tk::slice_registers<0, 6>(t282, dt_2);
                            tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t283;
                            tk::slice_registers<0, 6>(t283, u_3);
                            // selective_scan_backward.tk:78
                            tk::stripe<float, 32, 1, 32, 1, vector> t373;
                            tk::map(t373, [](float t282, tk::bf16 t283) {
                                return t282 * float(t283);
                            }, t282, t283);
                            tk::stripe<float, 1, 8, 32, 1, vector> t509;
                            tk::load_shared(t509, tk::part<6, 8, 1, 8>(shared.sweep_bt_2[0]),
                                            thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> h3_7;
                            tk::map(h3_7, [](float t373, float t509, float k_k2_left) {
                                return tk::fma(t373, t509, k_k2_left);
                            }, t373, t509, k_k2_left);
                            // selective_scan_backward.tk:49
                            tk::stripe<float, 32, 1, 32, 1, vector> t285;
                            tk::slice_registers<0, 6>(t285, gy);
                            tk::stripe<float, 32, 8, 32, 1, vector> t286;
                            tk::map(t286, [](float h3_7, float t285) { return h3_7 * t285; },
                                    h3_7, t285);
                            tk::stripe<float, 1, 8, 32, 1, vector> n2_5;
                            tk::fold_columns(n2_5, t286, tk::plus{}, thread);
                            // selective_scan_backward.tk:37
                            tk::stripe<float, 32, 1, 32, 1, vector> t288;
                            tk::slice_registers<0, 7>(t288, dt_2);
                            tk::stripe<float, 32, 8, 32, 1, vector> t510;
                            tk::load_shared(t510, shared.sweep_a1[0], thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> e_12;
                            tk::map(e_12, [](float t288, float t510) {
                                return tk::exp2(t288 * t510);
                            }, t288, t510);
                            // selective_scan_backward.tk:80
                            k_k3_e = e_12;
                            tk::map(k_k3_left, [](float e_12, float h3_7) { return e_12 * h3_7; },
                                    e_12, h3_7);
                            // selective_scan_backward.tk:43
                            tk::stripe<float, 32, 1, 32, 1, vector> t289;
                            tk::slice_registers<0, 7>(t289, dt_2);
                            tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t290;
                            tk::slice_registers<0, 7>(t290, u_3);
                            // selective_scan_backward.tk:49
                            tk::stripe<float, 32, 1, 32, 1, vector> t292;
                            tk::slice_registers<0, 7>(t292, gy);
                            tk::stripe<float, 32, 1, 32, 1, vector> t386;
                            tk::map(t386, [](float t289, tk::bf16 t290) {
                                return t289 * float(t290);
                            }, t289, t290);
                            tk::stripe<float, 1, 8, 32, 1, vector> t511;
                            tk::load_shared(t511, tk::part<7, 8, 1, 8>(shared.sweep_bt_2[0]),
                                            thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> t293;
                            tk::map(t293, [](float t386, float t511, float k_k3_left, float t292) {
                                return tk::fma(t386, t511, k_k3_left) * t292;
                            }, t386, t511, k_k3_left, t292);
                            tk::stripe<float, 1, 8, 32, 1, vector> n3_5;
                            tk::fold_columns(n3_5, t293, tk::plus{}, thread);

                            // selective_scan_backward.tk:325: if not PACKED or t.start + 4 < ..
                            tk::store_folded<tk::stripe<float, 32, 8, 32, 1, vector>>(
                                tk::slice_if_dense<vectors, tk::no_axis, 4>(Part,
                                                                            {b, g, d / 32, at_5,
                                                                             152}, 1,
                                                                            at_5 > -1 &&
                                                                            at_5 <
                                                                            tk::divide_up(L, 8)
                                                                            ? (d / 32 <
                                                                               tk::divide_up(CG, 32)
                                                                               ? 256 - 152 : 0)
                                                                            : 0), n0_5, thread);

                            // selective_scan_backward.tk:326: if not PACKED or t.start + 5 < ..
                            tk::store_folded<tk::stripe<float, 32, 8, 32, 1, vector>>(
                                tk::slice_if_dense<vectors, tk::no_axis, 4>(Part,
                                                                            {b, g, d / 32, at_5,
                                                                             184}, 1,
                                                                            at_5 > -1 &&
                                                                            at_5 <
                                                                            tk::divide_up(L, 8)
                                                                            ? (d / 32 <
                                                                               tk::divide_up(CG, 32)
                                                                               ? 256 - 184 : 0)
                                                                            : 0), n1_5, thread);

                            // selective_scan_backward.tk:327: if not PACKED or t.start + 6 < ..
                            tk::store_folded<tk::stripe<float, 32, 8, 32, 1, vector>>(
                                tk::slice_if_dense<vectors, tk::no_axis, 4>(Part,
                                                                            {b, g, d / 32, at_5,
                                                                             216}, 1,
                                                                            at_5 > -1 &&
                                                                            at_5 <
                                                                            tk::divide_up(L, 8)
                                                                            ? (d / 32 <
                                                                               tk::divide_up(CG, 32)
                                                                               ? 256 - 216 : 0)
                                                                            : 0), n2_5, thread);

                            // selective_scan_backward.tk:328: if not PACKED or t.start + 7 < ..
                            tk::store_folded<tk::stripe<float, 32, 8, 32, 1, vector>>(
                                tk::slice_if_dense<vectors, tk::no_axis, 4>(Part,
                                                                            {b, g, d / 32, at_5,
                                                                             248}, 1,
                                                                            at_5 > -1 &&
                                                                            at_5 <
                                                                            tk::divide_up(L, 8)
                                                                            ? (d / 32 <
                                                                               tk::divide_up(CG, 32)
                                                                               ? 256 - 248 : 0)
                                                                            : 0), n3_5, thread);
                        }

                        // selective_scan_backward.tk:330: if step == 5 {
                        if (step == 5) {
                            // selective_scan_backward.tk:331: let at = min(max(scalar(place), ..
                            tk::stripe<int, 1, 1, 32, 1, vector> t295;
                            tk::load_shared(t295, shared.sweep_place[0], thread);
                            const int number = t295.cell(0);
                            const int at_6 = tk::min(tk::max(number, 0), tk::divide_up(L, 8) - 1);
                            // selective_scan_backward.tk:55
                            tk::stripe<float, 32, 1, 32, 1, vector> t296;
                            tk::slice_registers<0, 7>(t296, gy);
                            tk::stripe<float, 1, 8, 32, 1, vector> t512;
                            tk::load_shared(t512, tk::part<7, 8, 1, 8>(shared.sweep_ct[0]), thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> q_10;
                            tk::map(q_10, [](float s_r, float t296, float t512) {
                                return tk::fma(t296, t512, s_r);
                            }, s_r, t296, t512);
                            // selective_scan_backward.tk:56
                            tk::stripe<float, 1, 8, 32, 1, vector> t513;
                            tk::load_shared(t513, tk::part<7, 8, 1, 8>(shared.sweep_bt_2[0]),
                                            thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> t299;
                            tk::map(t299, [](float q_10, float t513) { return q_10 * t513; },
                                    q_10, t513);
                            tk::stripe<float, 32, 1, 32, 1, vector> t300;
                            tk::fold_rows(t300, t299, tk::plus{}, thread);
                            tk::finish_rows(t300, tk::plus{});
                            tk::map(s_z, thread, [](int, int col, float s_z, float t300) {
                                return col == 7 ? s_z + t300 : s_z;
                            }, s_z, t300);
                            // selective_scan_backward.tk:57
                            tk::map(s_r, [](float k_k3_e, float q_10) { return k_k3_e * q_10; },
                                    k_k3_e, q_10);
                            // selective_scan_backward.tk:58
                            tk::stripe<float, 32, 8, 32, 1, vector> w_9;
                            tk::map(w_9, [](float k_k3_left, float q_10) {
                                return k_k3_left * q_10;
                            }, k_k3_left, q_10);
                            // selective_scan_backward.tk:59
                            tk::stripe<float, 32, 8, 32, 1, vector> t514;
                            tk::load_shared(t514, shared.sweep_a1[0], thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> t301;
                            tk::map(t301, [](float w_9, float t514) { return w_9 * t514; },
                                    w_9, t514);
                            tk::stripe<float, 32, 1, 32, 1, vector> t302;
                            tk::fold_rows(t302, t301, tk::plus{}, thread);
                            tk::finish_rows(t302, tk::plus{});
                            tk::map(s_w, thread, [](int, int col, float s_w, float t302) {
                                return col == 7 ? s_w + t302 : s_w;
                            }, s_w, t302);
                            // selective_scan_backward.tk:60
                            tk::stripe<float, 32, 1, 32, 1, vector> t303;
                            tk::slice_registers<0, 7>(t303, dt_2);
                            tk::map(s_a, [](float s_a, float t303, float w_9) {
                                return tk::fma(t303, w_9, s_a);
                            }, s_a, t303, w_9);
                            // selective_scan_backward.tk:61
                            tk::stripe<float, 32, 1, 32, 1, vector> t304;
                            tk::slice_registers<0, 7>(t304, dt_2);
                            tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t305;
                            tk::slice_registers<0, 7>(t305, u_3);
                            tk::stripe<float, 32, 1, 32, 1, vector> t398;
                            tk::map(t398, [](float t304, tk::bf16 t305) {
                                return t304 * float(t305);
                            }, t304, t305);
                            tk::stripe<float, 32, 8, 32, 1, vector> t306;
                            tk::map(t306, [](float q_10, float t398) { return q_10 * t398; },
                                    q_10, t398);
                            tk::stripe<float, 1, 8, 32, 1, vector> n3_6;
                            tk::fold_columns(n3_6, t306, tk::plus{}, thread);
                            // selective_scan_backward.tk:55
                            tk::stripe<float, 32, 1, 32, 1, vector> t308;
                            tk::slice_registers<0, 6>(t308, gy);
                            tk::stripe<float, 1, 8, 32, 1, vector> t515;
                            tk::load_shared(t515, tk::part<6, 8, 1, 8>(shared.sweep_ct[0]), thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> q_11;
                            tk::map(q_11, [](float s_r, float t308, float t515) {
                                return tk::fma(t308, t515, s_r);
                            }, s_r, t308, t515);
                            // selective_scan_backward.tk:56
                            tk::stripe<float, 1, 8, 32, 1, vector> t516;
                            tk::load_shared(t516, tk::part<6, 8, 1, 8>(shared.sweep_bt_2[0]),
                                            thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> t311;
                            tk::map(t311, [](float q_11, float t516) { return q_11 * t516; },
                                    q_11, t516);
                            tk::stripe<float, 32, 1, 32, 1, vector> t312;
                            tk::fold_rows(t312, t311, tk::plus{}, thread);
                            tk::finish_rows(t312, tk::plus{});
                            tk::map(s_z, thread, [](int, int col, float s_z, float t312) {
                                return col == 6 ? s_z + t312 : s_z;
                            }, s_z, t312);
                            // selective_scan_backward.tk:57
                            tk::map(s_r, [](float k_k2_e, float q_11) { return k_k2_e * q_11; },
                                    k_k2_e, q_11);
                            // selective_scan_backward.tk:58
                            tk::stripe<float, 32, 8, 32, 1, vector> w_10;
                            tk::map(w_10, [](float k_k2_left, float q_11) {
                                return k_k2_left * q_11;
                            }, k_k2_left, q_11);
                            // selective_scan_backward.tk:59
                            tk::stripe<float, 32, 8, 32, 1, vector> t517;
                            tk::load_shared(t517, shared.sweep_a1[0], thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> t313;
                            tk::map(t313, [](float w_10, float t517) { return w_10 * t517; },
                                    w_10, t517);
                            tk::stripe<float, 32, 1, 32, 1, vector> t314;
                            tk::fold_rows(t314, t313, tk::plus{}, thread);
                            tk::finish_rows(t314, tk::plus{});
                            tk::map(s_w, thread, [](int, int col, float s_w, float t314) {
                                return col == 6 ? s_w + t314 : s_w;
                            }, s_w, t314);
                            // selective_scan_backward.tk:60
                            tk::stripe<float, 32, 1, 32, 1, vector> t315;
                            tk::slice_registers<0, 6>(t315, dt_2);
                            tk::map(s_a, [](float s_a, float t315, float w_10) {
                                return tk::fma(t315, w_10, s_a);
                            }, s_a, t315, w_10);
                            // selective_scan_backward.tk:61
                            tk::stripe<float, 32, 1, 32, 1, vector> t316;
                            tk::slice_registers<0, 6>(t316, dt_2);
                            tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t317;
                            tk::slice_registers<0, 6>(t317, u_3);
                            tk::stripe<float, 32, 1, 32, 1, vector> t410;
                            tk::map(t410, [](float t316, tk::bf16 t317) {
                                return t316 * float(t317);
                            }, t316, t317);
                            tk::stripe<float, 32, 8, 32, 1, vector> t318;
                            tk::map(t318, [](float q_11, float t410) { return q_11 * t410; },
                                    q_11, t410);
                            tk::stripe<float, 1, 8, 32, 1, vector> n2_6;
                            tk::fold_columns(n2_6, t318, tk::plus{}, thread);
                            // selective_scan_backward.tk:55
                            tk::stripe<float, 32, 1, 32, 1, vector> t320;
                            tk::slice_registers<0, 5>(t320, gy);
                            tk::stripe<float, 1, 8, 32, 1, vector> t518;
                            tk::load_shared(t518, tk::part<5, 8, 1, 8>(shared.sweep_ct[0]), thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> q_12;
                            tk::map(q_12, [](float s_r, float t320, float t518) {
                                return tk::fma(t320, t518, s_r);
                            }, s_r, t320, t518);
                            // selective_scan_backward.tk:56
                            tk::stripe<float, 1, 8, 32, 1, vector> t519;
                            tk::load_shared(t519, tk::part<5, 8, 1, 8>(shared.sweep_bt_2[0]),
                                            thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> t323;
                            tk::map(t323, [](float q_12, float t519) { return q_12 * t519; },
                                    q_12, t519);
                            tk::stripe<float, 32, 1, 32, 1, vector> t324;
                            tk::fold_rows(t324, t323, tk::plus{}, thread);
                            tk::finish_rows(t324, tk::plus{});
                            tk::map(s_z, thread, [](int, int col, float s_z, float t324) {
                                return col == 5 ? s_z + t324 : s_z;
                            }, s_z, t324);
                            // selective_scan_backward.tk:57
                            tk::map(s_r, [](float k_k1_e, float q_12) { return k_k1_e * q_12; },
                                    k_k1_e, q_12);
                            // selective_scan_backward.tk:58
                            tk::stripe<float, 32, 8, 32, 1, vector> w_11;
                            tk::map(w_11, [](float k_k1_left, float q_12) {
                                return k_k1_left * q_12;
                            }, k_k1_left, q_12);
                            // selective_scan_backward.tk:59
                            tk::stripe<float, 32, 8, 32, 1, vector> t520;
                            tk::load_shared(t520, shared.sweep_a1[0], thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> t325;
                            tk::map(t325, [](float w_11, float t520) { return w_11 * t520; },
                                    w_11, t520);
                            tk::stripe<float, 32, 1, 32, 1, vector> t326;
                            tk::fold_rows(t326, t325, tk::plus{}, thread);
                            tk::finish_rows(t326, tk::plus{});
                            tk::map(s_w, thread, [](int, int col, float s_w, float t326) {
                                return col == 5 ? s_w + t326 : s_w;
                            }, s_w, t326);
                            // selective_scan_backward.tk:60
                            tk::stripe<float, 32, 1, 32, 1, vector> t327;
                            tk::slice_registers<0, 5>(t327, dt_2);
                            tk::map(s_a, [](float s_a, float t327, float w_11) {
                                return tk::fma(t327, w_11, s_a);
                            }, s_a, t327, w_11);
                            // selective_scan_backward.tk:61
                            tk::stripe<float, 32, 1, 32, 1, vector> t328;
                            tk::slice_registers<0, 5>(t328, dt_2);
                            tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t329;
                            tk::slice_registers<0, 5>(t329, u_3);
                            tk::stripe<float, 32, 1, 32, 1, vector> t422;
                            tk::map(t422, [](float t328, tk::bf16 t329) {
                                return t328 * float(t329);
                            }, t328, t329);
                            tk::stripe<float, 32, 8, 32, 1, vector> t330;
                            tk::map(t330, [](float q_12, float t422) { return q_12 * t422; },
                                    q_12, t422);
                            tk::stripe<float, 1, 8, 32, 1, vector> n1_6;
                            tk::fold_columns(n1_6, t330, tk::plus{}, thread);
                            // selective_scan_backward.tk:55
                            tk::stripe<float, 32, 1, 32, 1, vector> t332;
                            tk::slice_registers<0, 4>(t332, gy);
                            tk::stripe<float, 1, 8, 32, 1, vector> t521;
                            tk::load_shared(t521, tk::part<4, 8, 1, 8>(shared.sweep_ct[0]), thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> q_13;
                            tk::map(q_13, [](float s_r, float t332, float t521) {
                                return tk::fma(t332, t521, s_r);
                            }, s_r, t332, t521);
                            // selective_scan_backward.tk:56
                            tk::stripe<float, 1, 8, 32, 1, vector> t522;
                            tk::load_shared(t522, tk::part<4, 8, 1, 8>(shared.sweep_bt_2[0]),
                                            thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> t335;
                            tk::map(t335, [](float q_13, float t522) { return q_13 * t522; },
                                    q_13, t522);
                            tk::stripe<float, 32, 1, 32, 1, vector> t336;
                            tk::fold_rows(t336, t335, tk::plus{}, thread);
                            tk::finish_rows(t336, tk::plus{});
                            tk::map(s_z, thread, [](int, int col, float s_z, float t336) {
                                return col == 4 ? s_z + t336 : s_z;
                            }, s_z, t336);
                            // selective_scan_backward.tk:57
                            tk::map(s_r, [](float k_k0_e, float q_13) { return k_k0_e * q_13; },
                                    k_k0_e, q_13);
                            // selective_scan_backward.tk:58
                            tk::stripe<float, 32, 8, 32, 1, vector> w_12;
                            tk::map(w_12, [](float k_k0_left, float q_13) {
                                return k_k0_left * q_13;
                            }, k_k0_left, q_13);
                            // selective_scan_backward.tk:59
                            tk::stripe<float, 32, 8, 32, 1, vector> t523;
                            tk::load_shared(t523, shared.sweep_a1[0], thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> t337;
                            tk::map(t337, [](float w_12, float t523) { return w_12 * t523; },
                                    w_12, t523);
                            tk::stripe<float, 32, 1, 32, 1, vector> t338;
                            tk::fold_rows(t338, t337, tk::plus{}, thread);
                            tk::finish_rows(t338, tk::plus{});
                            tk::map(s_w, thread, [](int, int col, float s_w, float t338) {
                                return col == 4 ? s_w + t338 : s_w;
                            }, s_w, t338);
                            // selective_scan_backward.tk:60
                            tk::stripe<float, 32, 1, 32, 1, vector> t339;
                            tk::slice_registers<0, 4>(t339, dt_2);
                            tk::map(s_a, [](float s_a, float t339, float w_12) {
                                return tk::fma(t339, w_12, s_a);
                            }, s_a, t339, w_12);
                            // selective_scan_backward.tk:61
                            tk::stripe<float, 32, 1, 32, 1, vector> t340;
                            tk::slice_registers<0, 4>(t340, dt_2);
                            tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t341;
                            tk::slice_registers<0, 4>(t341, u_3);
                            tk::stripe<float, 32, 1, 32, 1, vector> t433;
                            tk::map(t433, [](float t340, tk::bf16 t341) {
                                return t340 * float(t341);
                            }, t340, t341);
                            tk::stripe<float, 32, 8, 32, 1, vector> t342;
                            tk::map(t342, [](float q_13, float t433) { return q_13 * t433; },
                                    q_13, t433);
                            tk::stripe<float, 1, 8, 32, 1, vector> n0_6;
                            tk::fold_columns(n0_6, t342, tk::plus{}, thread);

                            // selective_scan_backward.tk:333: if not PACKED or t.start + 4 < ..
                            tk::store_folded<tk::stripe<float, 32, 8, 32, 1, vector>>(
                                tk::slice_if_dense<vectors, tk::no_axis, 4>(Part,
                                                                            {b, g, d / 32, at_6,
                                                                             136}, 1,
                                                                            at_6 > -1 &&
                                                                            at_6 <
                                                                            tk::divide_up(L, 8)
                                                                            ? (d / 32 <
                                                                               tk::divide_up(CG, 32)
                                                                               ? 256 - 136 : 0)
                                                                            : 0), n0_6, thread);

                            // selective_scan_backward.tk:334: if not PACKED or t.start + 5 < ..
                            tk::store_folded<tk::stripe<float, 32, 8, 32, 1, vector>>(
                                tk::slice_if_dense<vectors, tk::no_axis, 4>(Part,
                                                                            {b, g, d / 32, at_6,
                                                                             168}, 1,
                                                                            at_6 > -1 &&
                                                                            at_6 <
                                                                            tk::divide_up(L, 8)
                                                                            ? (d / 32 <
                                                                               tk::divide_up(CG, 32)
                                                                               ? 256 - 168 : 0)
                                                                            : 0), n1_6, thread);

                            // selective_scan_backward.tk:335: if not PACKED or t.start + 6 < ..
                            tk::store_folded<tk::stripe<float, 32, 8, 32, 1, vector>>(
                                tk::slice_if_dense<vectors, tk::no_axis, 4>(Part,
                                                                            {b, g, d / 32, at_6,
                                                                             200}, 1,
                                                                            at_6 > -1 &&
                                                                            at_6 <
                                                                            tk::divide_up(L, 8)
                                                                            ? (d / 32 <
                                                                               tk::divide_up(CG, 32)
                                                                               ? 256 - 200 : 0)
                                                                            : 0), n2_6, thread);

                            // selective_scan_backward.tk:336: if not PACKED or t.start + 7 < ..
                            tk::store_folded<tk::stripe<float, 32, 8, 32, 1, vector>>(
                                tk::slice_if_dense<vectors, tk::no_axis, 4>(Part,
                                                                            {b, g, d / 32, at_6,
                                                                             232}, 1,
                                                                            at_6 > -1 &&
                                                                            at_6 <
                                                                            tk::divide_up(L, 8)
                                                                            ? (d / 32 <
                                                                               tk::divide_up(CG, 32)
                                                                               ? 256 - 232 : 0)
                                                                            : 0), n3_6, thread);
                        }

                        // selective_scan_backward.tk:338: if step == 6 {
                        if (step == 6) {
                            // selective_scan_backward.tk:339: var h: f32[32, S / 2] = 0;
                            tk::zero(h_4);

                            // selective_scan_backward.tk:340: if i == 0 { h = load(Saved[b, c, ..
                            if (i_2 == 0) {
                                tk::stripe<float, 32, 8, 32, 1, vector> t344;
                                tk::load_slice<vectors>(
                                    t344,
                                    tk::slice_if_dense<vectors>(Saved, {b, c, g, d, 8},
                                                                c < tk::divide_up(L, 32) ? CG - d
                                                                : 0, 16 - 8), thread);
                                h_4 = t344;
                            }

                            // selective_scan_backward.tk:341: if i == 1 { h = h18; }
                            if (i_2 == 1) tk::load_shared(h_4, shared.sweep_h18[0], thread);

                            // selective_scan_backward.tk:342: if i == 2 { h = h116; }
                            if (i_2 == 2) tk::load_shared(h_4, shared.sweep_h116[0], thread);

                            // selective_scan_backward.tk:343: if i == 3 { h = h124; }
                            if (i_2 == 3) tk::load_shared(h_4, shared.sweep_h124[0], thread);

                            // selective_scan_backward.tk:345: let at = min(max(scalar(place), ..
                            tk::stripe<int, 1, 1, 32, 1, vector> t345;
                            tk::load_shared(t345, shared.sweep_place[0], thread);
                            const int number = t345.cell(0);
                            const int at_7 = tk::min(tk::max(number, 0), tk::divide_up(L, 8) - 1);
                            // selective_scan_backward.tk:37
                            tk::stripe<float, 32, 1, 32, 1, vector> t346;
                            tk::slice_registers<0, 0>(t346, dt_2);
                            tk::stripe<float, 32, 8, 32, 1, vector> t524;
                            tk::load_shared(t524, shared.sweep_a1[0], thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> e_13;
                            tk::map(e_13, [](float t346, float t524) {
                                return tk::exp2(t346 * t524);
                            }, t346, t524);
                            // selective_scan_backward.tk:71
                            k_k0_e = e_13;
                            tk::map(k_k0_left, [](float e_13, float h_4) { return e_13 * h_4; },
                                    e_13, h_4);
                            // selective_scan_backward.tk:43
                            tk::stripe<float, 32, 1, 32, 1, vector> t347;
                            tk::slice_registers<0, 0>(t347, dt_2);
                            tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t348;
                            tk::slice_registers<0, 0>(t348, u_3);
                            // selective_scan_backward.tk:72
                            tk::stripe<float, 32, 1, 32, 1, vector> t434;
                            tk::map(t434, [](float t347, tk::bf16 t348) {
                                return t347 * float(t348);
                            }, t347, t348);
                            tk::stripe<float, 1, 8, 32, 1, vector> t525;
                            tk::load_shared(t525, tk::part<0, 8, 1, 8>(shared.sweep_bt_2[0]),
                                            thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> h1_9;
                            tk::map(h1_9, [](float t434, float t525, float k_k0_left) {
                                return tk::fma(t434, t525, k_k0_left);
                            }, t434, t525, k_k0_left);
                            // selective_scan_backward.tk:49
                            tk::stripe<float, 32, 1, 32, 1, vector> t350;
                            tk::slice_registers<0, 0>(t350, gy);
                            tk::stripe<float, 32, 8, 32, 1, vector> t351;
                            tk::map(t351, [](float h1_9, float t350) { return h1_9 * t350; },
                                    h1_9, t350);
                            tk::stripe<float, 1, 8, 32, 1, vector> n0_7;
                            tk::fold_columns(n0_7, t351, tk::plus{}, thread);
                            // selective_scan_backward.tk:37
                            tk::stripe<float, 32, 1, 32, 1, vector> t353;
                            tk::slice_registers<0, 1>(t353, dt_2);
                            tk::stripe<float, 32, 8, 32, 1, vector> t526;
                            tk::load_shared(t526, shared.sweep_a1[0], thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> e_14;
                            tk::map(e_14, [](float t353, float t526) {
                                return tk::exp2(t353 * t526);
                            }, t353, t526);
                            // selective_scan_backward.tk:74
                            k_k1_e = e_14;
                            tk::map(k_k1_left, [](float e_14, float h1_9) { return e_14 * h1_9; },
                                    e_14, h1_9);
                            // selective_scan_backward.tk:43
                            tk::stripe<float, 32, 1, 32, 1, vector> t354;
                            tk::slice_registers<0, 1>(t354, dt_2);
                            tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t355;
                            tk::slice_registers<0, 1>(t355, u_3);
                            // selective_scan_backward.tk:75
                            tk::stripe<float, 32, 1, 32, 1, vector> t435;
                            tk::map(t435, [](float t354, tk::bf16 t355) {
                                return t354 * float(t355);
                            }, t354, t355);
                            tk::stripe<float, 1, 8, 32, 1, vector> t527;
                            tk::load_shared(t527, tk::part<1, 8, 1, 8>(shared.sweep_bt_2[0]),
                                            thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> h2_8;
                            tk::map(h2_8, [](float t435, float t527, float k_k1_left) {
                                return tk::fma(t435, t527, k_k1_left);
                            }, t435, t527, k_k1_left);
                            // selective_scan_backward.tk:49
                            tk::stripe<float, 32, 1, 32, 1, vector> t357;
                            tk::slice_registers<0, 1>(t357, gy);
                            tk::stripe<float, 32, 8, 32, 1, vector> t358;
                            tk::map(t358, [](float h2_8, float t357) { return h2_8 * t357; },
                                    h2_8, t357);
                            tk::stripe<float, 1, 8, 32, 1, vector> n1_7;
                            tk::fold_columns(n1_7, t358, tk::plus{}, thread);
                            // selective_scan_backward.tk:37
                            tk::stripe<float, 32, 1, 32, 1, vector> t360;
                            tk::slice_registers<0, 2>(t360, dt_2);
                            tk::stripe<float, 32, 8, 32, 1, vector> t528;
                            tk::load_shared(t528, shared.sweep_a1[0], thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> e_15;
                            tk::map(e_15, [](float t360, float t528) {
                                return tk::exp2(t360 * t528);
                            }, t360, t528);
                            // selective_scan_backward.tk:77
                            k_k2_e = e_15;
                            tk::map(k_k2_left, [](float e_15, float h2_8) { return e_15 * h2_8; },
                                    e_15, h2_8);
                            // selective_scan_backward.tk:43
                            tk::stripe<float, 32, 1, 32, 1, vector> t361;
                            tk::slice_registers<0, 2>(t361, dt_2);
                            tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t362;
                            tk::slice_registers<0, 2>(t362, u_3);
                            // selective_scan_backward.tk:78
                            tk::stripe<float, 32, 1, 32, 1, vector> t436;
                            tk::map(t436, [](float t361, tk::bf16 t362) {
                                return t361 * float(t362);
                            }, t361, t362);
                            tk::stripe<float, 1, 8, 32, 1, vector> t529;
                            tk::load_shared(t529, tk::part<2, 8, 1, 8>(shared.sweep_bt_2[0]),
                                            thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> h3_8;
                            tk::map(h3_8, [](float t436, float t529, float k_k2_left) {
                                return tk::fma(t436, t529, k_k2_left);
                            }, t436, t529, k_k2_left);
                            // selective_scan_backward.tk:49
                            tk::stripe<float, 32, 1, 32, 1, vector> t364;
                            tk::slice_registers<0, 2>(t364, gy);
                            tk::stripe<float, 32, 8, 32, 1, vector> t365;
                            tk::map(t365, [](float h3_8, float t364) { return h3_8 * t364; },
                                    h3_8, t364);
                            tk::stripe<float, 1, 8, 32, 1, vector> n2_7;
                            tk::fold_columns(n2_7, t365, tk::plus{}, thread);
                            // selective_scan_backward.tk:37
                            tk::stripe<float, 32, 1, 32, 1, vector> t367;
                            tk::slice_registers<0, 3>(t367, dt_2);
                            tk::stripe<float, 32, 8, 32, 1, vector> t530;
                            tk::load_shared(t530, shared.sweep_a1[0], thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> e_16;
                            tk::map(e_16, [](float t367, float t530) {
                                return tk::exp2(t367 * t530);
                            }, t367, t530);
                            // selective_scan_backward.tk:80
                            k_k3_e = e_16;
                            tk::map(k_k3_left, [](float e_16, float h3_8) { return e_16 * h3_8; },
                                    e_16, h3_8);
                            // selective_scan_backward.tk:43
                            tk::stripe<float, 32, 1, 32, 1, vector> t368;
                            tk::slice_registers<0, 3>(t368, dt_2);
                            tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t369;
                            tk::slice_registers<0, 3>(t369, u_3);
                            // selective_scan_backward.tk:49
                            tk::stripe<float, 32, 1, 32, 1, vector> t371;
                            tk::slice_registers<0, 3>(t371, gy);
                            tk::stripe<float, 32, 1, 32, 1, vector> t437;
                            tk::map(t437, [](float t368, tk::bf16 t369) {
                                return t368 * float(t369);
                            }, t368, t369);
                            tk::stripe<float, 1, 8, 32, 1, vector> t531;
                            tk::load_shared(t531, tk::part<3, 8, 1, 8>(shared.sweep_bt_2[0]),
                                            thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> t372;
                            tk::map(t372, [](float t437, float t531, float k_k3_left, float t371) {
                                return tk::fma(t437, t531, k_k3_left) * t371;
                            }, t437, t531, k_k3_left, t371);
                            tk::stripe<float, 1, 8, 32, 1, vector> n3_7;
                            tk::fold_columns(n3_7, t372, tk::plus{}, thread);

                            // selective_scan_backward.tk:347: if not PACKED or t.start + 0 < ..
                            tk::store_folded<tk::stripe<float, 32, 8, 32, 1, vector>>(
                                tk::slice_if_dense<vectors, tk::no_axis, 4>(Part,
                                                                            {b, g, d / 32, at_7,
                                                                             24}, 1,
                                                                            at_7 > -1 &&
                                                                            at_7 <
                                                                            tk::divide_up(L, 8)
                                                                            ? (d / 32 <
                                                                               tk::divide_up(CG, 32)
                                                                               ? 256 - 24 : 0) : 0),
                                n0_7, thread);

                            // selective_scan_backward.tk:348: if not PACKED or t.start + 1 < ..
                            tk::store_folded<tk::stripe<float, 32, 8, 32, 1, vector>>(
                                tk::slice_if_dense<vectors, tk::no_axis, 4>(Part,
                                                                            {b, g, d / 32, at_7,
                                                                             56}, 1,
                                                                            at_7 > -1 &&
                                                                            at_7 <
                                                                            tk::divide_up(L, 8)
                                                                            ? (d / 32 <
                                                                               tk::divide_up(CG, 32)
                                                                               ? 256 - 56 : 0) : 0),
                                n1_7, thread);

                            // selective_scan_backward.tk:349: if not PACKED or t.start + 2 < ..
                            tk::store_folded<tk::stripe<float, 32, 8, 32, 1, vector>>(
                                tk::slice_if_dense<vectors, tk::no_axis, 4>(Part,
                                                                            {b, g, d / 32, at_7,
                                                                             88}, 1,
                                                                            at_7 > -1 &&
                                                                            at_7 <
                                                                            tk::divide_up(L, 8)
                                                                            ? (d / 32 <
                                                                               tk::divide_up(CG, 32)
                                                                               ? 256 - 88 : 0) : 0),
                                n2_7, thread);

                            // selective_scan_backward.tk:350: if not PACKED or t.start + 3 < ..
                            tk::store_folded<tk::stripe<float, 32, 8, 32, 1, vector>>(
                                tk::slice_if_dense<vectors, tk::no_axis, 4>(Part,
                                                                            {b, g, d / 32, at_7,
                                                                             120}, 1,
                                                                            at_7 > -1 &&
                                                                            at_7 <
                                                                            tk::divide_up(L, 8)
                                                                            ? (d / 32 <
                                                                               tk::divide_up(CG, 32)
                                                                               ? 256 - 120 : 0)
                                                                            : 0), n3_7, thread);
                        }

                        // selective_scan_backward.tk:352: if step == 7 {
                        if (step == 7) {
                            // selective_scan_backward.tk:353: let at = min(max(scalar(place), ..
                            tk::stripe<int, 1, 1, 32, 1, vector> t374;
                            tk::load_shared(t374, shared.sweep_place[0], thread);
                            const int number = t374.cell(0);
                            const int at_8 = tk::min(tk::max(number, 0), tk::divide_up(L, 8) - 1);
                            // selective_scan_backward.tk:55
                            tk::stripe<float, 32, 1, 32, 1, vector> t375;
                            tk::slice_registers<0, 3>(t375, gy);
                            tk::stripe<float, 1, 8, 32, 1, vector> t532;
                            tk::load_shared(t532, tk::part<3, 8, 1, 8>(shared.sweep_ct[0]), thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> q_14;
                            tk::map(q_14, [](float s_r, float t375, float t532) {
                                return tk::fma(t375, t532, s_r);
                            }, s_r, t375, t532);
                            // selective_scan_backward.tk:56
                            tk::stripe<float, 1, 8, 32, 1, vector> t533;
                            tk::load_shared(t533, tk::part<3, 8, 1, 8>(shared.sweep_bt_2[0]),
                                            thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> t378;
                            tk::map(t378, [](float q_14, float t533) { return q_14 * t533; },
                                    q_14, t533);
                            tk::stripe<float, 32, 1, 32, 1, vector> t379;
                            tk::fold_rows(t379, t378, tk::plus{}, thread);
                            tk::finish_rows(t379, tk::plus{});
                            tk::map(s_z, thread, [](int, int col, float s_z, float t379) {
                                return col == 3 ? s_z + t379 : s_z;
                            }, s_z, t379);
                            // selective_scan_backward.tk:57
                            tk::map(s_r, [](float k_k3_e, float q_14) { return k_k3_e * q_14; },
                                    k_k3_e, q_14);
                            // selective_scan_backward.tk:58
                            tk::stripe<float, 32, 8, 32, 1, vector> w_13;
                            tk::map(w_13, [](float k_k3_left, float q_14) {
                                return k_k3_left * q_14;
                            }, k_k3_left, q_14);
                            // selective_scan_backward.tk:59
                            tk::stripe<float, 32, 8, 32, 1, vector> t534;
                            tk::load_shared(t534, shared.sweep_a1[0], thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> t380;
                            tk::map(t380, [](float w_13, float t534) { return w_13 * t534; },
                                    w_13, t534);
                            tk::stripe<float, 32, 1, 32, 1, vector> t381;
                            tk::fold_rows(t381, t380, tk::plus{}, thread);
                            tk::finish_rows(t381, tk::plus{});
                            tk::map(s_w, thread, [](int, int col, float s_w, float t381) {
                                return col == 3 ? s_w + t381 : s_w;
                            }, s_w, t381);
                            // selective_scan_backward.tk:60
                            tk::stripe<float, 32, 1, 32, 1, vector> t382;
                            tk::slice_registers<0, 3>(t382, dt_2);
                            tk::map(s_a, [](float s_a, float t382, float w_13) {
                                return tk::fma(t382, w_13, s_a);
                            }, s_a, t382, w_13);
                            // selective_scan_backward.tk:61
                            tk::stripe<float, 32, 1, 32, 1, vector> t383;
                            tk::slice_registers<0, 3>(t383, dt_2);
                            tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t384;
                            tk::slice_registers<0, 3>(t384, u_3);
                            tk::stripe<float, 32, 1, 32, 1, vector> t438;
                            tk::map(t438, [](float t383, tk::bf16 t384) {
                                return t383 * float(t384);
                            }, t383, t384);
                            tk::stripe<float, 32, 8, 32, 1, vector> t385;
                            tk::map(t385, [](float q_14, float t438) { return q_14 * t438; },
                                    q_14, t438);
                            tk::stripe<float, 1, 8, 32, 1, vector> n3_8;
                            tk::fold_columns(n3_8, t385, tk::plus{}, thread);
                            // selective_scan_backward.tk:55
                            tk::stripe<float, 32, 1, 32, 1, vector> t387;
                            tk::slice_registers<0, 2>(t387, gy);
                            tk::stripe<float, 1, 8, 32, 1, vector> t535;
                            tk::load_shared(t535, tk::part<2, 8, 1, 8>(shared.sweep_ct[0]), thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> q_15;
                            tk::map(q_15, [](float s_r, float t387, float t535) {
                                return tk::fma(t387, t535, s_r);
                            }, s_r, t387, t535);
                            // selective_scan_backward.tk:56
                            tk::stripe<float, 1, 8, 32, 1, vector> t536;
                            tk::load_shared(t536, tk::part<2, 8, 1, 8>(shared.sweep_bt_2[0]),
                                            thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> t390;
                            tk::map(t390, [](float q_15, float t536) { return q_15 * t536; },
                                    q_15, t536);
                            tk::stripe<float, 32, 1, 32, 1, vector> t391;
                            tk::fold_rows(t391, t390, tk::plus{}, thread);
                            tk::finish_rows(t391, tk::plus{});
                            tk::map(s_z, thread, [](int, int col, float s_z, float t391) {
                                return col == 2 ? s_z + t391 : s_z;
                            }, s_z, t391);
                            // selective_scan_backward.tk:57
                            tk::map(s_r, [](float k_k2_e, float q_15) { return k_k2_e * q_15; },
                                    k_k2_e, q_15);
                            // selective_scan_backward.tk:58
                            tk::stripe<float, 32, 8, 32, 1, vector> w_14;
                            tk::map(w_14, [](float k_k2_left, float q_15) {
                                return k_k2_left * q_15;
                            }, k_k2_left, q_15);
                            // selective_scan_backward.tk:59
                            tk::stripe<float, 32, 8, 32, 1, vector> t537;
                            tk::load_shared(t537, shared.sweep_a1[0], thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> t392;
                            tk::map(t392, [](float w_14, float t537) { return w_14 * t537; },
                                    w_14, t537);
                            tk::stripe<float, 32, 1, 32, 1, vector> t393;
                            tk::fold_rows(t393, t392, tk::plus{}, thread);
                            tk::finish_rows(t393, tk::plus{});
                            tk::map(s_w, thread, [](int, int col, float s_w, float t393) {
                                return col == 2 ? s_w + t393 : s_w;
                            }, s_w, t393);
                            // selective_scan_backward.tk:60
                            tk::stripe<float, 32, 1, 32, 1, vector> t394;
                            tk::slice_registers<0, 2>(t394, dt_2);
                            tk::map(s_a, [](float s_a, float t394, float w_14) {
                                return tk::fma(t394, w_14, s_a);
                            }, s_a, t394, w_14);
                            // selective_scan_backward.tk:61
                            tk::stripe<float, 32, 1, 32, 1, vector> t395;
                            tk::slice_registers<0, 2>(t395, dt_2);
                            tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t396;
                            tk::slice_registers<0, 2>(t396, u_3);
                            tk::stripe<float, 32, 1, 32, 1, vector> t439;
                            tk::map(t439, [](float t395, tk::bf16 t396) {
                                return t395 * float(t396);
                            }, t395, t396);
                            tk::stripe<float, 32, 8, 32, 1, vector> t397;
                            tk::map(t397, [](float q_15, float t439) { return q_15 * t439; },
                                    q_15, t439);
                            tk::stripe<float, 1, 8, 32, 1, vector> n2_8;
                            tk::fold_columns(n2_8, t397, tk::plus{}, thread);
                            // selective_scan_backward.tk:55
                            tk::stripe<float, 32, 1, 32, 1, vector> t399;
                            tk::slice_registers<0, 1>(t399, gy);
                            tk::stripe<float, 1, 8, 32, 1, vector> t538;
                            tk::load_shared(t538, tk::part<1, 8, 1, 8>(shared.sweep_ct[0]), thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> q_16;
                            tk::map(q_16, [](float s_r, float t399, float t538) {
                                return tk::fma(t399, t538, s_r);
                            }, s_r, t399, t538);
                            // selective_scan_backward.tk:56
                            tk::stripe<float, 1, 8, 32, 1, vector> t539;
                            tk::load_shared(t539, tk::part<1, 8, 1, 8>(shared.sweep_bt_2[0]),
                                            thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> t402;
                            tk::map(t402, [](float q_16, float t539) { return q_16 * t539; },
                                    q_16, t539);
                            tk::stripe<float, 32, 1, 32, 1, vector> t403;
                            tk::fold_rows(t403, t402, tk::plus{}, thread);
                            tk::finish_rows(t403, tk::plus{});
                            tk::map(s_z, thread, [](int, int col, float s_z, float t403) {
                                return col == 1 ? s_z + t403 : s_z;
                            }, s_z, t403);
                            // selective_scan_backward.tk:57
                            tk::map(s_r, [](float k_k1_e, float q_16) { return k_k1_e * q_16; },
                                    k_k1_e, q_16);
                            // selective_scan_backward.tk:58
                            tk::stripe<float, 32, 8, 32, 1, vector> w_15;
                            tk::map(w_15, [](float k_k1_left, float q_16) {
                                return k_k1_left * q_16;
                            }, k_k1_left, q_16);
                            // selective_scan_backward.tk:59
                            tk::stripe<float, 32, 8, 32, 1, vector> t540;
                            tk::load_shared(t540, shared.sweep_a1[0], thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> t404;
                            tk::map(t404, [](float w_15, float t540) { return w_15 * t540; },
                                    w_15, t540);
                            tk::stripe<float, 32, 1, 32, 1, vector> t405;
                            tk::fold_rows(t405, t404, tk::plus{}, thread);
                            tk::finish_rows(t405, tk::plus{});
                            tk::map(s_w, thread, [](int, int col, float s_w, float t405) {
                                return col == 1 ? s_w + t405 : s_w;
                            }, s_w, t405);
                            // selective_scan_backward.tk:60
                            tk::stripe<float, 32, 1, 32, 1, vector> t406;
                            tk::slice_registers<0, 1>(t406, dt_2);
                            tk::map(s_a, [](float s_a, float t406, float w_15) {
                                return tk::fma(t406, w_15, s_a);
                            }, s_a, t406, w_15);
                            // selective_scan_backward.tk:61
                            tk::stripe<float, 32, 1, 32, 1, vector> t407;
                            tk::slice_registers<0, 1>(t407, dt_2);
                            tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t408;
                            tk::slice_registers<0, 1>(t408, u_3);
                            tk::stripe<float, 32, 1, 32, 1, vector> t440;
                            tk::map(t440, [](float t407, tk::bf16 t408) {
                                return t407 * float(t408);
                            }, t407, t408);
                            tk::stripe<float, 32, 8, 32, 1, vector> t409;
                            tk::map(t409, [](float q_16, float t440) { return q_16 * t440; },
                                    q_16, t440);
                            tk::stripe<float, 1, 8, 32, 1, vector> n1_8;
                            tk::fold_columns(n1_8, t409, tk::plus{}, thread);
                            // selective_scan_backward.tk:55
                            tk::stripe<float, 32, 1, 32, 1, vector> t411;
                            tk::slice_registers<0, 0>(t411, gy);
                            tk::stripe<float, 1, 8, 32, 1, vector> t541;
                            tk::load_shared(t541, tk::part<0, 8, 1, 8>(shared.sweep_ct[0]), thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> q_17;
                            tk::map(q_17, [](float s_r, float t411, float t541) {
                                return tk::fma(t411, t541, s_r);
                            }, s_r, t411, t541);
                            // selective_scan_backward.tk:56
                            tk::stripe<float, 1, 8, 32, 1, vector> t542;
                            tk::load_shared(t542, tk::part<0, 8, 1, 8>(shared.sweep_bt_2[0]),
                                            thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> t414;
                            tk::map(t414, [](float q_17, float t542) { return q_17 * t542; },
                                    q_17, t542);
                            tk::stripe<float, 32, 1, 32, 1, vector> t415;
                            tk::fold_rows(t415, t414, tk::plus{}, thread);
                            tk::finish_rows(t415, tk::plus{});
                            tk::map(s_z, thread, [](int, int col, float s_z, float t415) {
                                return col == 0 ? s_z + t415 : s_z;
                            }, s_z, t415);
                            // selective_scan_backward.tk:57
                            tk::map(s_r, [](float k_k0_e, float q_17) { return k_k0_e * q_17; },
                                    k_k0_e, q_17);
                            // selective_scan_backward.tk:58
                            tk::stripe<float, 32, 8, 32, 1, vector> w_16;
                            tk::map(w_16, [](float k_k0_left, float q_17) {
                                return k_k0_left * q_17;
                            }, k_k0_left, q_17);
                            // selective_scan_backward.tk:59
                            tk::stripe<float, 32, 8, 32, 1, vector> t543;
                            tk::load_shared(t543, shared.sweep_a1[0], thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> t416;
                            tk::map(t416, [](float w_16, float t543) { return w_16 * t543; },
                                    w_16, t543);
                            tk::stripe<float, 32, 1, 32, 1, vector> t417;
                            tk::fold_rows(t417, t416, tk::plus{}, thread);
                            tk::finish_rows(t417, tk::plus{});
                            tk::map(s_w, thread, [](int, int col, float s_w, float t417) {
                                return col == 0 ? s_w + t417 : s_w;
                            }, s_w, t417);
                            // selective_scan_backward.tk:60
                            tk::stripe<float, 32, 1, 32, 1, vector> t418;
                            tk::slice_registers<0, 0>(t418, dt_2);
                            tk::map(s_a, [](float s_a, float t418, float w_16) {
                                return tk::fma(t418, w_16, s_a);
                            }, s_a, t418, w_16);
                            // selective_scan_backward.tk:61
                            tk::stripe<float, 32, 1, 32, 1, vector> t419;
                            tk::slice_registers<0, 0>(t419, dt_2);
                            tk::stripe<tk::bf16, 32, 1, 32, 1, vector> t420;
                            tk::slice_registers<0, 0>(t420, u_3);
                            tk::stripe<float, 32, 1, 32, 1, vector> t441;
                            tk::map(t441, [](float t419, tk::bf16 t420) {
                                return t419 * float(t420);
                            }, t419, t420);
                            tk::stripe<float, 32, 8, 32, 1, vector> t421;
                            tk::map(t421, [](float q_17, float t441) { return q_17 * t441; },
                                    q_17, t441);
                            tk::stripe<float, 1, 8, 32, 1, vector> n0_8;
                            tk::fold_columns(n0_8, t421, tk::plus{}, thread);

                            // selective_scan_backward.tk:355: if not PACKED or t.start + 0 < ..
                            tk::store_folded<tk::stripe<float, 32, 8, 32, 1, vector>>(
                                tk::slice_if_dense<vectors, tk::no_axis, 4>(Part,
                                                                            {b, g, d / 32, at_8, 8},
                                                                            1,
                                                                            at_8 > -1 &&
                                                                            at_8 <
                                                                            tk::divide_up(L, 8)
                                                                            ? (d / 32 <
                                                                               tk::divide_up(CG, 32)
                                                                               ? 256 - 8 : 0) : 0),
                                n0_8, thread);

                            // selective_scan_backward.tk:356: if not PACKED or t.start + 1 < ..
                            tk::store_folded<tk::stripe<float, 32, 8, 32, 1, vector>>(
                                tk::slice_if_dense<vectors, tk::no_axis, 4>(Part,
                                                                            {b, g, d / 32, at_8,
                                                                             40}, 1,
                                                                            at_8 > -1 &&
                                                                            at_8 <
                                                                            tk::divide_up(L, 8)
                                                                            ? (d / 32 <
                                                                               tk::divide_up(CG, 32)
                                                                               ? 256 - 40 : 0) : 0),
                                n1_8, thread);

                            // selective_scan_backward.tk:357: if not PACKED or t.start + 2 < ..
                            tk::store_folded<tk::stripe<float, 32, 8, 32, 1, vector>>(
                                tk::slice_if_dense<vectors, tk::no_axis, 4>(Part,
                                                                            {b, g, d / 32, at_8,
                                                                             72}, 1,
                                                                            at_8 > -1 &&
                                                                            at_8 <
                                                                            tk::divide_up(L, 8)
                                                                            ? (d / 32 <
                                                                               tk::divide_up(CG, 32)
                                                                               ? 256 - 72 : 0) : 0),
                                n2_8, thread);

                            // selective_scan_backward.tk:358: if not PACKED or t.start + 3 < ..
                            tk::store_folded<tk::stripe<float, 32, 8, 32, 1, vector>>(
                                tk::slice_if_dense<vectors, tk::no_axis, 4>(Part,
                                                                            {b, g, d / 32, at_8,
                                                                             104}, 1,
                                                                            at_8 > -1 &&
                                                                            at_8 <
                                                                            tk::divide_up(L, 8)
                                                                            ? (d / 32 <
                                                                               tk::divide_up(CG, 32)
                                                                               ? 256 - 104 : 0)
                                                                            : 0), n3_8, thread);

                            // selective_scan_backward.tk:359: r1 = s.r;
                            tk::store_shared(shared.sweep_r1[0], s_r, thread);

                            // selective_scan_backward.tk:360: da1 = da1 + s.a;
                            tk::stripe<float, 32, 8, 32, 1, vector> t544;
                            tk::load_shared(t544, shared.sweep_da1[0], thread);
                            tk::stripe<float, 32, 8, 32, 1, vector> t423;
                            tk::map(t423, [](float t544, float s_a) { return t544 + s_a; },
                                    t544, s_a);
                            tk::barrier_sync(1, 32);
                            tk::store_shared(shared.sweep_da1[0], t423, thread);
                            tk::barrier_sync(1, 32);
                        }
                    }

                    // selective_scan_backward.tk:363: let du = T(dt * s.z + f32(skip) * dy);
                    tk::stripe<float, 32, 1, 32, 1, vector> t545;
                    tk::load_shared(t545, shared.sweep_skip[0], thread);
                    tk::stripe<tk::bf16, 32, 8, 32, 1, vector> du;
                    tk::map(du, [](tk::bf16 t107, float dt_2, float s_z, float t545) {
                        return tk::fma(dt_2, s_z, t545 * float(t107));
                    }, t107, dt_2, s_z, t545);

                    // selective_scan_backward.tk:364: if PACKED { store(dUq[d, t], du); } else { ..
                    tk::store_slice<vectors>(
                        tk::slice_if_vectors<vectors>(dU, {b, g, d, t}, CG - d, L - t), du, thread);

                    // selective_scan_backward.tk:365: let slope = if SOFTPLUS { ..
                    tk::stripe<tk::bf16, 32, 8, 32, 1, vector> t424;
                    tk::load_slice<vectors>(t424,
                                            tk::slice_if_vectors<vectors>(Dt, {b, g, d, t}, CG - d,
                                                                          L - t), thread);

                    // selective_scan_backward.tk:366: let all = (u * s.z + s.w * LN2) * slope;
                    tk::stripe<float, 32, 1, 32, 1, vector> t546;
                    tk::load_shared(t546, shared.sweep_add[0], thread);
                    tk::stripe<float, 32, 8, 32, 1, vector> all;
                    tk::map(all, [](tk::bf16 t424, float t546, tk::bf16 u_3, float s_z, float s_w) {
                        return tk::fma(float(u_3), s_z, s_w * 0.6931472f) *
                            tk::divide(1.0f, 1.0f + tk::exp(-(float(t424) + t546)));
                    }, t424, t546, u_3, s_z, s_w);

                    // selective_scan_backward.tk:368: if PACKED { store(dDtq[d, t], TD(ddt)); } ..
                    tk::stripe<tk::bf16, 32, 8, 32, 1, vector> t425 = tk::convert<tk::bf16>(all);
                    tk::store_slice<vectors>(
                        tk::slice_if_vectors<vectors>(dDt, {b, g, d, t}, CG - d, L - t), t425,
                        thread);

                    // selective_scan_backward.tk:374: dd = dd + sum(dy * u, axis = 1);
                    tk::stripe<float, 32, 8, 32, 1, vector> t426;
                    tk::map(t426, [](tk::bf16 t107, tk::bf16 u_3) {
                        return float(t107) * float(u_3);
                    }, t107, u_3);
                    tk::stripe<float, 32, 1, 32, 1, vector> t427;
                    tk::fold_rows(t427, t426, tk::plus{}, thread);
                    tk::finish_rows(t427, tk::plus{});
                    tk::stripe<float, 32, 1, 32, 1, vector> t547;
                    tk::load_shared(t547, shared.sweep_dd[0], thread);
                    tk::stripe<float, 32, 1, 32, 1, vector> t428;
                    tk::map(t428, [](float t547, float t427) { return t547 + t427; }, t547, t427);
                    tk::barrier_sync(1, 32);
                    tk::store_shared(shared.sweep_dd[0], t428, thread);

                    // selective_scan_backward.tk:375: db = db + sum(pad(ddt, axis = 1, with = ..
                    tk::stripe<float, 32, 8, 32, 1, vector> t429;
                    tk::map(t429, thread, [&](int, int col, float all) {
                        return col < L - t ? all : 0.0f;
                    }, all);
                    tk::stripe<float, 32, 1, 32, 1, vector> t430;
                    tk::fold_rows(t430, t429, tk::plus{}, thread);
                    tk::finish_rows(t430, tk::plus{});
                    tk::stripe<float, 32, 1, 32, 1, vector> t548;
                    tk::load_shared(t548, shared.sweep_db[0], thread);
                    tk::stripe<float, 32, 1, 32, 1, vector> t431;
                    tk::map(t431, [](float t548, float t430) { return t548 + t430; }, t548, t430);
                    tk::barrier_sync(1, 32);
                    tk::store_shared(shared.sweep_db[0], t431, thread);
                    tk::barrier_sync(1, 32);
                }
            }

            // selective_scan_backward.tk:378: let begins = if PACKED { start[q] >= first * 32 ..
            const bool begins = p == 0;

            // selective_scan_backward.tk:379: if begins {
            if (begins) {
                // selective_scan_backward.tk:380: store(dS0[(if PACKED { q } else { b }), g, d, ..
                tk::stripe<float, 32, 8, 32, 1, vector> t549;
                tk::load_shared(t549, shared.sweep_r0[0], thread);
                tk::store_slice<vectors>(
                    tk::slice_if_dense<vectors>(dS0, {b, g, d, 0}, b < I ? CG - d : 0, 16), t549,
                    thread);

                // selective_scan_backward.tk:381: store(dS0[(if PACKED { q } else { b }), g, d, ..
                tk::stripe<float, 32, 8, 32, 1, vector> t550;
                tk::load_shared(t550, shared.sweep_r1[0], thread);
                tk::store_slice<vectors>(
                    tk::slice_if_dense<vectors>(dS0, {b, g, d, 8}, b < I ? CG - d : 0, 16 - 8),
                    t550, thread);
            }
        }

        // selective_scan_backward.tk:384: if not GATED { store(dZ[b, g, d, 0 +: 8], 0); }
        tk::stripe<tk::bf16, 32, 8, 32, 1, vector> t432;
        tk::map(t432, []() { return tk::bf16(0.0f); });
        tk::store_slice<vectors>(
            tk::slice_if_vectors<vectors>(dZ, {b, g, d, 0}, b < BZ ? CG - d : 0, L), t432, thread);

        // selective_scan_backward.tk:385: store(ofA[b, p, g, d, 0 +: S / 2], da0);
        tk::stripe<float, 32, 8, 32, 1, vector> t551;
        tk::load_shared(t551, shared.sweep_da0[0], thread);
        tk::store_slice<vectors>(tk::slice_if_dense<vectors>(ofA, {b, p, g, d, 0}, CG - d, 16),
                                 t551, thread);

        // selective_scan_backward.tk:386: store(ofA[b, p, g, d, S / 2 +: S / 2], da1);
        tk::stripe<float, 32, 8, 32, 1, vector> t552;
        tk::load_shared(t552, shared.sweep_da1[0], thread);
        tk::store_slice<vectors>(tk::slice_if_dense<vectors>(ofA, {b, p, g, d, 8}, CG - d, 16 - 8),
                                 t552, thread);

        // selective_scan_backward.tk:387: store(ofD[b, p, g, d], dd);
        tk::stripe<float, 32, 1, 32, 1, vector> t553;
        tk::load_shared(t553, shared.sweep_dd[0], thread);
        tk::store_global(tk::slice<3, tk::no_axis>(ofD, {b, p, g, d}, CG - d, 1), t553, thread);

        // selective_scan_backward.tk:388: store(ofBias[b, p, g, d], db);
        tk::stripe<float, 32, 1, 32, 1, vector> t554;
        tk::load_shared(t554, shared.sweep_db[0], thread);
        tk::store_global(tk::slice<3, tk::no_axis>(ofBias, {b, p, g, d}, CG - d, 1), t554, thread);
    }
}

// rows_of_groups: kernel rows_of_groups with S = 16.
// 256 threads, 64 registers each.
__global__ void __launch_bounds__(256, 4) rows_of_groups_kernel(
    const tk::tensor_argument<const float, 5> Part, const tk::tensor_argument<float, 4> Sum, int B,
    int G, int W, int L8) {
    tk::wait_for_previous_kernel();

    const int t_tiles = tk::tiles(L8, 8);

    // selective_scan_backward.tk:392: kernel rows_of_groups<S: int = 16>(Part: f32[B, G, W, L8, ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int t = program % t_tiles * 8;
    const int g = program / t_tiles % G;
    const int b = program / (t_tiles * G);

    // selective_scan_backward.tk:395: var all: f32[8, 16 * S] = 0;
    tk::stripe<float, 8, 256, 256, 32, 4> all;
    tk::zero(all);

    // selective_scan_backward.tk:396: for w in W pipelined(4) { all += load(Part[b, g, w, t, :]); }
    #pragma unroll 4
    for (int w = 0; w < W; w += 1) {
        tk::stripe<float, 8, 256, 256, 32, 4> t0;
        tk::load_vectors(t0, tk::dense_slice(Part, {b, g, w, t, 0}, L8 - t, 256), thread);
        tk::map(all, [](float all, float t0) { return all + t0; }, all, t0);
    }

    // selective_scan_backward.tk:397: store(Sum[b, g, t, :], all);
    tk::store_vectors(tk::dense_slice(Sum, {b, g, t, 0}, L8 - t, 256), all, thread);
}

// rows_of_groups_general: kernel rows_of_groups with S = 16; any strides and alignment.
// 256 threads, 255 registers each.
__global__ void __launch_bounds__(256, 1) rows_of_groups_general_kernel(
    const tk::tensor_argument<const float, 5> Part, const tk::tensor_argument<float, 4> Sum, int B,
    int G, int W, int L8) {
    tk::wait_for_previous_kernel();

    const int t_tiles = tk::tiles(L8, 8);

    // selective_scan_backward.tk:392: kernel rows_of_groups<S: int = 16>(Part: f32[B, G, W, L8, ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int t = program % t_tiles * 8;
    const int g = program / t_tiles % G;
    const int b = program / (t_tiles * G);

    // selective_scan_backward.tk:395: var all: f32[8, 16 * S] = 0;
    tk::stripe<float, 8, 256, 256, 32, 2> all;
    tk::zero(all);

    // selective_scan_backward.tk:396: for w in W pipelined(4) { all += load(Part[b, g, w, t, :]); }
    for (int w = 0; w < W; w += 1) {
        tk::stripe<float, 8, 256, 256, 32, 2> t0;
        tk::load_global(t0, tk::slice(Part, {b, g, w, t, 0}, L8 - t, 256), thread);
        tk::map(all, [](float all, float t0) { return all + t0; }, all, t0);
    }

    // selective_scan_backward.tk:397: store(Sum[b, g, t, :], all);
    tk::store_global(tk::slice(Sum, {b, g, t, 0}, L8 - t, 256), all, thread);
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

    // selective_scan_backward.tk:401: kernel rows_of_channels<S: int = 16>(Part: f32[B, P, G, ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int d = program % d_tiles * 32;
    const int g = program / d_tiles;

    // selective_scan_backward.tk:404: var all: f32[32, S] = 0;
    tk::stripe<float, 32, 16, 128, row_threads, vector> all;
    tk::zero(all);

    // selective_scan_backward.tk:405: for b in B, p in P { all += load(Part[b, p, g, d, :]); }
    for (int b = 0; b < B; b += 1) {
        for (int p = 0; p < P; p += 1) {
            tk::stripe<float, 32, 16, 128, row_threads, vector> t0;
            tk::load_slice<vectors>(
                t0, tk::slice_if_dense<vectors>(Part, {b, p, g, d, 0}, CG - d, 16), thread);
            tk::map(all, [](float all, float t0) { return all + t0; }, all, t0);
        }
    }

    // selective_scan_backward.tk:406: store(Sum[g, d, :], all);
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

    // selective_scan_backward.tk:409: kernel of_channels(Part: f32[B, P, G, CG], out Sum: f32[G, ..
    if (warp == 0) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int d = program % d_tiles * 32;
        const int g = program / d_tiles;

        // selective_scan_backward.tk:412: var all: f32[1, 32] = 0;
        tk::stripe<float, 1, 32, 32, row_threads, vector> all;
        tk::zero(all);

        // selective_scan_backward.tk:413: for b in B, p in P { all += load(Part[b, p, g, d]); }
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

        // selective_scan_backward.tk:414: store(Sum[g, d], all);
        tk::store_slice<vectors>(
            tk::slice_if_vectors<vectors, tk::no_axis, 1>(Sum, {g, d}, 1, CG - d), all, thread);
    }
}

// selective_scan_ended: kernel selective_scan.ended.
// 32 threads, 64 registers each: selective_scan_ended_kernel<32, 16, 4, true>.
// selective_scan_ended_general: kernel selective_scan.ended; any strides and alignment.
// 32 threads, 255 registers each: selective_scan_ended_kernel<1, 32, 2, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(32, blocks) selective_scan_ended_kernel(
    const tk::tensor_argument<const int, 1> start, const tk::tensor_argument<int, 1> Ended, int R,
    int E, int chunks) {
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    // selective_scan.tk:38: kernel ended(start: i32[R], chunks: i32, out Ended: i32[E])
    if (warp == 0) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int p = program * 16;

        // selective_scan.tk:43: var count: i32[16, 1] = 0;
        tk::stripe<int, 16, 1, 32, row_threads, vector> count;
        tk::map(count, []() { return 0; });

        // selective_scan.tk:45: for k in R by 64 { count += sum(pad(where(load(start[k]) <= at * ..
        for (int k = 0; k < R; k += 64) {
            tk::stripe<int, 1, 64, 32, row_threads, vector> t0;
            tk::load_slice<vectors>(t0, tk::slice_if_dense<vectors>(start, {k}, 1, R - k), thread);
            tk::stripe<int, 16, 64, 32, row_threads, vector> t1;
            tk::map(t1, thread, [&](int row, int col, int t0) {
                return col < R - k ? (t0 <= (p + row) * (chunks * 32) ? 1 : 0) : 0;
            }, t0);
            tk::stripe<int, 16, 1, 32, row_threads, vector> t2;
            tk::fold_rows(t2, t1, tk::plus{}, thread);
            tk::finish_rows(t2, tk::plus{});
            tk::map(count, [](int count, int t2) { return tk::wrapping_add(count, t2); },
                    count, t2);
        }

        // selective_scan.tk:46: store(Ended[p], where(at == 0, 0, count - 1));
        tk::stripe<int, 16, 1, 32, row_threads, vector> t3;
        tk::map(t3, thread, [&](int row, int, int count) {
            return p + row == 0 ? 0 : tk::wrapping_subtract(count, 1);
        }, count);
        tk::store_global(tk::slice<0, tk::no_axis>(Ended, {p}, E - p, 1), t3, thread);
    }
}

namespace {
tk::status launch_selective_scan_ended(const tk::launch_site& site, const tk::tensor& start,
                                       const tk::tensor& Ended, int64_t R, int64_t E,
                                       int32_t chunks) {
    return tk::run<selective_scan_ended_kernel<32, 16, 4, true>>(
        site, 0, tk::kernel_shape(32).overlapping(), tk::ceil_div(E, 16), start, Ended, R, E,
        chunks);
}

tk::status launch_selective_scan_ended_general(const tk::launch_site& site, const tk::tensor& start,
                                               const tk::tensor& Ended, int64_t R, int64_t E,
                                               int32_t chunks) {
    return tk::run<selective_scan_ended_kernel<1, 32, 2, false>>(
        site, 0, tk::kernel_shape(32).overlapping(), tk::ceil_div(E, 16), start, Ended, R, E,
        chunks);
}

tk::status launch_ends(const tk::launch_site& site, const tk::tensor& Dt, const tk::tensor& A,
                       const tk::tensor& C, const tk::tensor& bias, const tk::tensor& dY,
                       const tk::tensor& End, const tk::tensor& Left, int64_t B, int64_t G,
                       int64_t CG, int64_t L, int32_t segments, int32_t chunks) {
    return tk::run<ends_kernel>(site, sizeof(ends_shared), tk::kernel_shape(256).overlapping(),
                                tk::multiply(
                                    tk::multiply(tk::multiply(tk::ceil_div(CG, 128), G),
                                                 tk::larger(int64_t{segments} - 1, 0)), B),
                                tk::box{C, {1, 1, 8, 16}, 64}, Dt, A, bias, dY, End, Left, B, G, CG,
                                L, segments, chunks);
}

tk::status launch_ends_general(
    const tk::launch_site& site, const tk::tensor& Dt, const tk::tensor& A, const tk::tensor& C,
    const tk::tensor& bias, const tk::tensor& dY, const tk::tensor& End, const tk::tensor& Left,
    int64_t B, int64_t G, int64_t CG, int64_t L, int32_t segments, int32_t chunks) {
    return tk::run<ends_general_kernel>(
        site, sizeof(ends_general_shared), tk::kernel_shape(256).overlapping(),
        tk::multiply(
            tk::multiply(tk::multiply(tk::ceil_div(CG, 128), G),
                         tk::larger(int64_t{segments} - 1, 0)), B), Dt, A, C, bias, dY, End, Left,
        B, G, CG, L, segments, chunks);
}

tk::status launch_behind(const tk::launch_site& site, const tk::tensor& A, const tk::tensor& dState,
                         const tk::tensor& End, const tk::tensor& Left, const tk::tensor& Behind,
                         int64_t G, int64_t CG, int64_t F, int64_t B, int32_t segments) {
    return tk::run<behind_kernel>(site, 0, tk::kernel_shape(32).overlapping(),
                                  tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G), B), A, dState,
                                  End, Left, Behind, G, CG, F, B, segments);
}

tk::status launch_behind_general(const tk::launch_site& site, const tk::tensor& A,
                                 const tk::tensor& dState, const tk::tensor& End,
                                 const tk::tensor& Left, const tk::tensor& Behind, int64_t G,
                                 int64_t CG, int64_t F, int64_t B, int32_t segments) {
    return tk::run<behind_general_kernel>(site, 0, tk::kernel_shape(32).overlapping(),
                                          tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G), B), A,
                                          dState, End, Left, Behind, G, CG, F, B, segments);
}

tk::status launch_sweep(
    const tk::launch_site& site, const tk::tensor& U, const tk::tensor& Dt, const tk::tensor& A,
    const tk::tensor& Bm, const tk::tensor& C, const tk::tensor& D, const tk::tensor& bias,
    const tk::tensor& dY, const tk::tensor& Saved, const tk::tensor& Behind, const tk::tensor& dU,
    const tk::tensor& dDt, const tk::tensor& dZ, const tk::tensor& Part, const tk::tensor& ofA,
    const tk::tensor& ofD, const tk::tensor& ofBias, const tk::tensor& dS0, int64_t B, int64_t G,
    int64_t CG, int64_t L, int64_t BZ, int64_t I, int32_t segments, int32_t chunks) {
    return tk::run<sweep_kernel<8, 8, true>>(
        site, sizeof(sweep_shared), tk::kernel_shape(32).overlapping(),
        tk::multiply(
            tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G), tk::larger(int64_t{segments}, 0)),
            B), U, Dt, A, Bm, C, D, bias, dY, Saved, Behind, dU, dDt, dZ, Part, ofA, ofD, ofBias,
        dS0, B, G, CG, L, BZ, I, segments, chunks);
}

tk::status launch_sweep_general(
    const tk::launch_site& site, const tk::tensor& U, const tk::tensor& Dt, const tk::tensor& A,
    const tk::tensor& Bm, const tk::tensor& C, const tk::tensor& D, const tk::tensor& bias,
    const tk::tensor& dY, const tk::tensor& Saved, const tk::tensor& Behind, const tk::tensor& dU,
    const tk::tensor& dDt, const tk::tensor& dZ, const tk::tensor& Part, const tk::tensor& ofA,
    const tk::tensor& ofD, const tk::tensor& ofBias, const tk::tensor& dS0, int64_t B, int64_t G,
    int64_t CG, int64_t L, int64_t BZ, int64_t I, int32_t segments, int32_t chunks) {
    return tk::run<sweep_kernel<1, 2, false>>(
        site, sizeof(sweep_shared), tk::kernel_shape(32).overlapping(),
        tk::multiply(
            tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G), tk::larger(int64_t{segments}, 0)),
            B), U, Dt, A, Bm, C, D, bias, dY, Saved, Behind, dU, dDt, dZ, Part, ofA, ofD, ofBias,
        dS0, B, G, CG, L, BZ, I, segments, chunks);
}

tk::status launch_rows_of_groups(const tk::launch_site& site, const tk::tensor& Part,
                                 const tk::tensor& Sum, int64_t B, int64_t G, int64_t W,
                                 int64_t L8) {
    return tk::run<rows_of_groups_kernel>(site, 0, tk::kernel_shape(256).overlapping(),
                                          tk::multiply(tk::multiply(tk::ceil_div(L8, 8), G), B),
                                          Part, Sum, B, G, W, L8);
}

tk::status launch_rows_of_groups_general(const tk::launch_site& site, const tk::tensor& Part,
                                         const tk::tensor& Sum, int64_t B, int64_t G, int64_t W,
                                         int64_t L8) {
    return tk::run<rows_of_groups_general_kernel>(site, 0, tk::kernel_shape(256).overlapping(),
                                                  tk::multiply(tk::multiply(tk::ceil_div(L8, 8), G),
                                                               B), Part, Sum, B, G, W, L8);
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
         const DLTensor* dState_given, const DLTensor* start_given, const DLTensor* Ended_given,
         DLTensor* End_given, DLTensor* Left_given, int32_t segments, int32_t chunks, void*, size_t,
         cudaStream_t stream) {
    tk::arguments call{"ends"};
    const tk::tensor Dt = call.take("Dt", Dt_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor A = call.take("A", A_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor Z = call.take("Z", Z_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor bias = call.take("bias", bias_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor dY = call.take("dY", dY_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dState = call.take("dState", dState_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Ended = call.take("Ended", Ended_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor End = call.take("End", End_given, tk::dtype_f32, 5, tk::access::write);
    const tk::tensor Left = call.take("Left", Left_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Dt.shape[0];
    const int64_t G = Dt.shape[1];
    const int64_t CG = Dt.shape[2];
    const int64_t L = Dt.shape[3];
    const int64_t BZ = Z.shape[0];
    const int64_t F = dState.shape[0];
    const int64_t R = start.shape[0];
    const int64_t E = Ended.shape[0];
    call.require(
        {tk::same_extent("G", Dt, 1, A, 0), tk::same_extent("CG", Dt, 2, A, 1),
         tk::fixed_extent(A, 2, 16), tk::same_extent("B", Dt, 0, C, 0),
         tk::same_extent("G", Dt, 1, C, 1), tk::same_extent("L", Dt, 3, C, 2),
         tk::fixed_extent(C, 3, 16), tk::same_extent("G", Dt, 1, Z, 1),
         tk::same_extent("CG", Dt, 2, Z, 2), tk::same_extent("L", Dt, 3, Z, 3),
         tk::same_extent("G", Dt, 1, bias, 0), tk::same_extent("CG", Dt, 2, bias, 1),
         tk::same_extent("B", Dt, 0, dY, 0), tk::same_extent("G", Dt, 1, dY, 1),
         tk::same_extent("CG", Dt, 2, dY, 2), tk::same_extent("L", Dt, 3, dY, 3),
         tk::same_extent("G", Dt, 1, dState, 1), tk::same_extent("CG", Dt, 2, dState, 2),
         tk::fixed_extent(dState, 3, 16), tk::same_extent("B", Dt, 0, End, 0),
         tk::same_extent("G", Dt, 1, End, 2), tk::same_extent("CG", Dt, 2, End, 3),
         tk::fixed_extent(End, 4, 16), tk::same_extent("B", Dt, 0, Left, 0),
         tk::same_extent("G", Dt, 1, Left, 2), tk::same_extent("CG", Dt, 2, Left, 3),
         tk::extents_fit(
             {{"B", B}, {"G", G}, {"CG", CG}, {"L", L}, {"BZ", BZ}, {"F", F}, {"R", R}, {"E", E}}),
         tk::that(-2147483648 <= int64_t{segments} - 1,
                  "`segments - 1` reaches {}; it must fit in 32 bits", {int64_t{segments} - 1}),
         tk::that(End.shape[1] == int64_t{segments} - 1,
                  "axis 1 of `End` is {}; it must be `segments - 1`, which is {}",
                  {End.shape[1], int64_t{segments} - 1}),
         tk::that(Left.shape[1] == int64_t{segments} - 1,
                  "axis 1 of `Left` is {}; it must be `segments - 1`, which is {}",
                  {Left.shape[1], int64_t{segments} - 1}),
         tk::that(int64_t{segments} >= 1, "`ends` requires `segments >= 1`"),
         tk::that(int64_t{chunks} >= 1, "`ends` requires `chunks >= 1`"),
         tk::grid_fits(tk::multiply(tk::ceil_div(CG, 128), G), 2147483648),
         tk::grid_fits(
             tk::multiply(tk::multiply(tk::ceil_div(CG, 128), G),
                          tk::larger(int64_t{segments} - 1, 0)), 2147483648),
         tk::grid_fits(
             tk::multiply(
                 tk::multiply(tk::multiply(tk::ceil_div(CG, 128), G),
                              tk::larger(int64_t{segments} - 1, 0)), B), 2147483648),
         tk::fits("(p + 1)*chunks",
                  tk::larger(int64_t{chunks},
                             tk::multiply(int64_t{segments} - 1 - 1 + 1, int64_t{chunks}))),
         tk::that(-2147483648 <=
                  tk::smaller(int64_t{chunks},
                              tk::multiply(int64_t{segments} - 1 - 1 + 1, int64_t{chunks})),
                  "`(p + 1)*chunks` reaches {}; it must fit in 32 bits",
                  {
                      tk::smaller(int64_t{chunks},
                                  tk::multiply(int64_t{segments} - 1 - 1 + 1, int64_t{chunks}))}),
         tk::fits("first + chunks",
                  tk::larger(
                      tk::larger(int64_t{chunks},
                                 tk::multiply(int64_t{segments} - 1 - 1 + 1, int64_t{chunks})), 0) +
                  int64_t{chunks})});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(
        tk::multiply(tk::multiply(tk::ceil_div(CG, 128), G), tk::larger(int64_t{segments} - 1, 0)),
        B);
    const bool fast = tk::hold(
        {tk::suits_fast(Dt, "L"), tk::whole_vectors(Dt, 8), tk::suits_fast(A), tk::suits_fast(C),
         tk::suits_fast(dY, "L"), tk::suits_fast(End)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(
            tk::run<ends_kernel>(site, sizeof(ends_shared), tk::kernel_shape(256).overlapping(),
                                 programs, tk::box{C, {1, 1, 8, 16}, 64}, Dt, A, bias, dY, End,
                                 Left, B, G, CG, L, segments, chunks));
    }
    return tk::finish(tk::run<ends_general_kernel>(
        site, sizeof(ends_general_shared), tk::kernel_shape(256).overlapping(), programs, Dt, A, C,
        bias, dY, End, Left, B, G, CG, L, segments, chunks));
}
TK_NO_WORKSPACE(ends, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*, DLTensor*, int32_t, int32_t)

int behind(const DLTensor* A_given, const DLTensor* dState_given, const DLTensor* End_given,
           const DLTensor* Left_given, DLTensor* Behind_given, int32_t segments, void*, size_t,
           cudaStream_t stream) {
    tk::arguments call{"behind"};
    const tk::tensor A = call.take("A", A_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor dState = call.take("dState", dState_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor End = call.take("End", End_given, tk::dtype_f32, 5, tk::access::read);
    const tk::tensor Left = call.take("Left", Left_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor Behind = call.take("Behind", Behind_given, tk::dtype_f32, 5,
                                        tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t G = A.shape[0];
    const int64_t CG = A.shape[1];
    const int64_t F = dState.shape[0];
    const int64_t B = End.shape[0];
    call.require(
        {tk::fixed_extent(A, 2, 16), tk::same_extent("G", A, 0, dState, 1),
         tk::same_extent("CG", A, 1, dState, 2), tk::fixed_extent(dState, 3, 16),
         tk::same_extent("G", A, 0, End, 2), tk::same_extent("CG", A, 1, End, 3),
         tk::fixed_extent(End, 4, 16), tk::same_extent("B", End, 0, Left, 0),
         tk::same_extent("G", A, 0, Left, 2), tk::same_extent("CG", A, 1, Left, 3),
         tk::same_extent("B", End, 0, Behind, 0), tk::same_extent("G", A, 0, Behind, 2),
         tk::same_extent("CG", A, 1, Behind, 3), tk::fixed_extent(Behind, 4, 16),
         tk::extents_fit({{"G", G}, {"CG", CG}, {"F", F}, {"B", B}}),
         tk::that(-2147483648 <= int64_t{segments} - 1,
                  "`segments - 1` reaches {}; it must fit in 32 bits", {int64_t{segments} - 1}),
         tk::that(End.shape[1] == int64_t{segments} - 1,
                  "axis 1 of `End` is {}; it must be `segments - 1`, which is {}",
                  {End.shape[1], int64_t{segments} - 1}),
         tk::that(Left.shape[1] == int64_t{segments} - 1,
                  "axis 1 of `Left` is {}; it must be `segments - 1`, which is {}",
                  {Left.shape[1], int64_t{segments} - 1}),
         tk::that(Behind.shape[1] == int64_t{segments},
                  "axis 1 of `Behind` is {}; it must be `segments`, which is {}",
                  {Behind.shape[1], int64_t{segments}}),
         tk::that(F <= B, "`behind` requires `PACKED or F <= B`"),
         tk::that(int64_t{segments} >= 1, "`behind` requires `segments >= 1`"),
         tk::grid_fits(tk::multiply(tk::ceil_div(CG, 32), G), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G), B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G), B);
    const bool fast = tk::hold(
        {tk::suits_fast(A), tk::suits_fast(dState), tk::suits_fast(End), tk::suits_fast(Behind)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<behind_kernel, behind_general_kernel>(
        fast ? 0 : 1, site, 0, tk::kernel_shape(32).overlapping(), programs, A, dState, End, Left,
        Behind, G, CG, F, B, segments));
}
TK_NO_WORKSPACE(behind, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*, int32_t)

int sweep(const DLTensor* U_given, const DLTensor* Dt_given, const DLTensor* A_given,
          const DLTensor* Bm_given, const DLTensor* C_given, const DLTensor* D_given,
          const DLTensor* Z_given, const DLTensor* bias_given, const DLTensor* dY_given,
          const DLTensor* Saved_given, const DLTensor* Behind_given, const DLTensor* S0_given,
          const DLTensor* dState_given, const DLTensor* start_given, const DLTensor* Ended_given,
          DLTensor* dU_given, DLTensor* dDt_given, DLTensor* dZ_given, DLTensor* Part_given,
          DLTensor* ofA_given, DLTensor* ofD_given, DLTensor* ofBias_given, DLTensor* dS0_given,
          int32_t segments, int32_t chunks, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"sweep"};
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
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor dState = call.take("dState", dState_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Ended = call.take("Ended", Ended_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor dU = call.take("dU", dU_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dDt = call.take("dDt", dDt_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dZ = call.take("dZ", dZ_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 5, tk::access::write);
    const tk::tensor ofA = call.take("ofA", ofA_given, tk::dtype_f32, 5, tk::access::write);
    const tk::tensor ofD = call.take("ofD", ofD_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor ofBias = call.take("ofBias", ofBias_given, tk::dtype_f32, 4,
                                        tk::access::write);
    const tk::tensor dS0 = call.take("dS0", dS0_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = U.shape[0];
    const int64_t G = U.shape[1];
    const int64_t CG = U.shape[2];
    const int64_t L = U.shape[3];
    const int64_t BZ = Z.shape[0];
    const int64_t IS = S0.shape[0];
    const int64_t F = dState.shape[0];
    const int64_t R = start.shape[0];
    const int64_t E = Ended.shape[0];
    const int64_t I = dS0.shape[0];
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
         tk::same_extent("G", U, 1, S0, 1), tk::same_extent("CG", U, 2, S0, 2),
         tk::fixed_extent(S0, 3, 16), tk::same_extent("G", U, 1, dState, 1),
         tk::same_extent("CG", U, 2, dState, 2), tk::fixed_extent(dState, 3, 16),
         tk::same_extent("B", U, 0, dU, 0), tk::same_extent("G", U, 1, dU, 1),
         tk::same_extent("CG", U, 2, dU, 2), tk::same_extent("L", U, 3, dU, 3),
         tk::same_extent("B", U, 0, dDt, 0), tk::same_extent("G", U, 1, dDt, 1),
         tk::same_extent("CG", U, 2, dDt, 2), tk::same_extent("L", U, 3, dDt, 3),
         tk::same_extent("BZ", Z, 0, dZ, 0), tk::same_extent("G", U, 1, dZ, 1),
         tk::same_extent("CG", U, 2, dZ, 2), tk::same_extent("L", U, 3, dZ, 3),
         tk::same_extent("B", U, 0, Part, 0), tk::same_extent("G", U, 1, Part, 1),
         tk::fixed_extent(Part, 4, 256), tk::same_extent("B", U, 0, ofA, 0),
         tk::same_extent("G", U, 1, ofA, 2), tk::same_extent("CG", U, 2, ofA, 3),
         tk::fixed_extent(ofA, 4, 16), tk::same_extent("B", U, 0, ofD, 0),
         tk::same_extent("G", U, 1, ofD, 2), tk::same_extent("CG", U, 2, ofD, 3),
         tk::same_extent("B", U, 0, ofBias, 0), tk::same_extent("G", U, 1, ofBias, 2),
         tk::same_extent("CG", U, 2, ofBias, 3), tk::same_extent("G", U, 1, dS0, 1),
         tk::same_extent("CG", U, 2, dS0, 2), tk::fixed_extent(dS0, 3, 16),
         tk::extents_fit(
             {{"B", B}, {"G", G}, {"CG", CG}, {"L", L}, {"BZ", BZ}, {"IS", IS}, {"F", F}, {"R", R},
              {"E", E}, {"I", I}}),
         tk::that(Saved.shape[1] == tk::ceil_div(L, 32),
                  "axis 1 of `Saved` is {}; it must be `ceil_div(L, 32)`, which is {}",
                  {Saved.shape[1], tk::ceil_div(L, 32)}),
         tk::that(Behind.shape[1] == int64_t{segments},
                  "axis 1 of `Behind` is {}; it must be `segments`, which is {}",
                  {Behind.shape[1], int64_t{segments}}),
         tk::that(Part.shape[2] == tk::ceil_div(CG, 32),
                  "axis 2 of `Part` is {}; it must be `ceil_div(CG, 32)`, which is {}",
                  {Part.shape[2], tk::ceil_div(CG, 32)}),
         tk::that(Part.shape[3] == tk::ceil_div(L, 8),
                  "axis 3 of `Part` is {}; it must be `ceil_div(L, 8)`, which is {}",
                  {Part.shape[3], tk::ceil_div(L, 8)}),
         tk::that(ofA.shape[1] == int64_t{segments},
                  "axis 1 of `ofA` is {}; it must be `segments`, which is {}",
                  {ofA.shape[1], int64_t{segments}}),
         tk::that(ofD.shape[1] == int64_t{segments},
                  "axis 1 of `ofD` is {}; it must be `segments`, which is {}",
                  {ofD.shape[1], int64_t{segments}}),
         tk::that(ofBias.shape[1] == int64_t{segments},
                  "axis 1 of `ofBias` is {}; it must be `segments`, which is {}",
                  {ofBias.shape[1], int64_t{segments}}),
         tk::fits("segments*chunks", tk::multiply(int64_t{segments}, int64_t{chunks})),
         tk::that(-2147483648 <= tk::multiply(int64_t{segments}, int64_t{chunks}),
                  "`segments*chunks` reaches {}; it must fit in 32 bits",
                  {tk::multiply(int64_t{segments}, int64_t{chunks})}),
         tk::fits("segments*chunks*32", tk::multiply(int64_t{segments}, int64_t{chunks}) * 32),
         tk::that(-2147483648 <= tk::multiply(int64_t{segments}, int64_t{chunks}) * 32,
                  "`segments*chunks*32` reaches {}; it must fit in 32 bits",
                  {tk::multiply(int64_t{segments}, int64_t{chunks}) * 32}),
         tk::that(-2147483648 <= int64_t{segments} - 1,
                  "`segments - 1` reaches {}; it must fit in 32 bits", {int64_t{segments} - 1}),
         tk::fits("(segments - 1)*chunks", tk::multiply(int64_t{segments} - 1, int64_t{chunks})),
         tk::that(-2147483648 <= tk::multiply(int64_t{segments} - 1, int64_t{chunks}),
                  "`(segments - 1)*chunks` reaches {}; it must fit in 32 bits",
                  {tk::multiply(int64_t{segments} - 1, int64_t{chunks})}),
         tk::fits("(segments - 1)*chunks*32",
                  tk::multiply(int64_t{segments} - 1, int64_t{chunks}) * 32),
         tk::that(-2147483648 <= tk::multiply(int64_t{segments} - 1, int64_t{chunks}) * 32,
                  "`(segments - 1)*chunks*32` reaches {}; it must fit in 32 bits",
                  {tk::multiply(int64_t{segments} - 1, int64_t{chunks}) * 32}),
         tk::that(BZ == 0, "`sweep` requires `if GATED { BZ == B } else { BZ == 0 }`"),
         tk::that(int64_t{segments} >= 1, "`sweep` requires `segments >= 1`"),
         tk::that(int64_t{chunks} >= 1, "`sweep` requires `chunks >= 1`"),
         tk::that(tk::multiply(int64_t{segments}, int64_t{chunks}) * 32 >= L,
                  "`sweep` requires `segments * chunks * 32 >= L`"),
         tk::that(tk::multiply(int64_t{segments} - 1, int64_t{chunks}) * 32 <= L,
                  "`sweep` requires `(segments - 1) * chunks * 32 <= L`"),
         tk::that(I <= B,
                  "`sweep` requires `if PACKED { B == 1 and R >= 2 and I < R and E > segments } else { I <= B }`"),
         tk::grid_fits(tk::multiply(tk::ceil_div(CG, 32), G), 2147483648),
         tk::grid_fits(
             tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G), tk::larger(int64_t{segments}, 0)),
             2147483648),
         tk::grid_fits(
             tk::multiply(
                 tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G),
                              tk::larger(int64_t{segments}, 0)), B), 2147483648),
         tk::fits("p*chunks", tk::larger(0, tk::multiply(int64_t{segments} - 1, int64_t{chunks}))),
         tk::that(-2147483648 <=
                  tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{chunks})),
                  "`p*chunks` reaches {}; it must fit in 32 bits",
                  {tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{chunks}))}),
         tk::fits("first + chunks",
                  tk::larger(tk::larger(0, tk::multiply(int64_t{segments} - 1, int64_t{chunks})),
                             0) + int64_t{chunks})});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(
        tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G), tk::larger(int64_t{segments}, 0)), B);
    const bool fast = tk::hold({
        tk::suits_fast(U, "L"), tk::whole_vectors(U, 8), tk::suits_fast(Dt, "L"), tk::suits_fast(A),
        tk::suits_fast(Bm), tk::suits_fast(C), tk::suits_fast(dY, "L"), tk::suits_fast(Saved),
        tk::suits_fast(Behind), tk::suits_fast(dU, "L"), tk::suits_fast(dDt, "L"),
        tk::suits_fast(dZ, "L"), tk::suits_fast(Part), tk::suits_fast(ofA), tk::suits_fast(dS0)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<sweep_kernel<8, 8, true>, sweep_kernel<1, 2, false>>(
        fast ? 0 : 1, site, sizeof(sweep_shared), tk::kernel_shape(32).overlapping(), programs, U,
        Dt, A, Bm, C, D, bias, dY, Saved, Behind, dU, dDt, dZ, Part, ofA, ofD, ofBias, dS0, B, G,
        CG, L, BZ, I, segments, chunks));
}
TK_NO_WORKSPACE(sweep, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, int32_t, int32_t)

int rows_of_groups(const DLTensor* Part_given, DLTensor* Sum_given, void*, size_t,
                   cudaStream_t stream) {
    tk::arguments call{"rows_of_groups"};
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 5, tk::access::read);
    const tk::tensor Sum = call.take("Sum", Sum_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Part.shape[0];
    const int64_t G = Part.shape[1];
    const int64_t W = Part.shape[2];
    const int64_t L8 = Part.shape[3];
    call.require(
        {tk::fixed_extent(Part, 4, 256), tk::same_extent("B", Part, 0, Sum, 0),
         tk::same_extent("G", Part, 1, Sum, 1), tk::same_extent("L8", Part, 3, Sum, 2),
         tk::fixed_extent(Sum, 3, 256), tk::extents_fit({{"B", B}, {"G", G}, {"W", W}, {"L8", L8}}),
         tk::grid_fits(tk::multiply(tk::ceil_div(L8, 8), G), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(L8, 8), G), B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(tk::ceil_div(L8, 8), G), B);
    const bool fast = tk::hold({tk::suits_fast(Part), tk::suits_fast(Sum)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<rows_of_groups_kernel, rows_of_groups_general_kernel>(
        fast ? 0 : 1, site, 0, tk::kernel_shape(256).overlapping(), programs, Part, Sum, B, G, W,
        L8));
}
TK_NO_WORKSPACE(rows_of_groups, const DLTensor*, DLTensor*)

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
    const DLTensor* S0_given, const DLTensor* start_given, const DLTensor* dY_given,
    const DLTensor* dState_given, DLTensor* dU_given, DLTensor* dDt_given, DLTensor* dA_given,
    DLTensor* dBC_given, DLTensor* dD_given, DLTensor* dZ_given, DLTensor* dbias_given,
    DLTensor* dS0_given, DLTensor* Ended_given, DLTensor* End_given, DLTensor* Left_given,
    DLTensor* Behind_given, DLTensor* Part_given, DLTensor* ofA_given, DLTensor* ofD_given,
    DLTensor* ofBias_given, int32_t segments, int32_t chunks, void*, size_t, cudaStream_t stream) {
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
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor dY = call.take("dY", dY_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dState = call.take("dState", dState_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor dU = call.take("dU", dU_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dDt = call.take("dDt", dDt_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dA = call.take("dA", dA_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor dBC = call.take("dBC", dBC_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor dD = call.take("dD", dD_given, tk::dtype_f32, 2, tk::access::write);
    const tk::tensor dZ = call.take("dZ", dZ_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dbias = call.take("dbias", dbias_given, tk::dtype_f32, 2, tk::access::write);
    const tk::tensor dS0 = call.take("dS0", dS0_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Ended = call.take("Ended", Ended_given, tk::dtype_i32, 1, tk::access::write);
    const tk::tensor End = call.take("End", End_given, tk::dtype_f32, 5, tk::access::write);
    const tk::tensor Left = call.take("Left", Left_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Behind = call.take("Behind", Behind_given, tk::dtype_f32, 5,
                                        tk::access::write);
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
    const int64_t IS = S0.shape[0];
    const int64_t R = start.shape[0];
    const int64_t F = dState.shape[0];
    const int64_t I = dS0.shape[0];
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
         tk::same_extent("B", U, 0, Saved, 0), tk::same_extent("G", U, 1, Saved, 2),
         tk::same_extent("CG", U, 2, Saved, 3), tk::fixed_extent(Saved, 4, 16),
         tk::same_extent("G", U, 1, S0, 1), tk::same_extent("CG", U, 2, S0, 2),
         tk::fixed_extent(S0, 3, 16), tk::same_extent("B", U, 0, dY, 0),
         tk::same_extent("G", U, 1, dY, 1), tk::same_extent("CG", U, 2, dY, 2),
         tk::same_extent("L", U, 3, dY, 3), tk::same_extent("G", U, 1, dState, 1),
         tk::same_extent("CG", U, 2, dState, 2), tk::fixed_extent(dState, 3, 16),
         tk::same_extent("B", U, 0, dU, 0), tk::same_extent("G", U, 1, dU, 1),
         tk::same_extent("CG", U, 2, dU, 2), tk::same_extent("L", U, 3, dU, 3),
         tk::same_extent("B", U, 0, dDt, 0), tk::same_extent("G", U, 1, dDt, 1),
         tk::same_extent("CG", U, 2, dDt, 2), tk::same_extent("L", U, 3, dDt, 3),
         tk::same_extent("G", U, 1, dA, 0), tk::same_extent("CG", U, 2, dA, 1),
         tk::fixed_extent(dA, 2, 16), tk::same_extent("B", U, 0, dBC, 0),
         tk::same_extent("G", U, 1, dBC, 1), tk::fixed_extent(dBC, 3, 256),
         tk::same_extent("G", U, 1, dD, 0), tk::same_extent("CG", U, 2, dD, 1),
         tk::same_extent("BZ", Z, 0, dZ, 0), tk::same_extent("G", U, 1, dZ, 1),
         tk::same_extent("CG", U, 2, dZ, 2), tk::same_extent("L", U, 3, dZ, 3),
         tk::same_extent("G", U, 1, dbias, 0), tk::same_extent("CG", U, 2, dbias, 1),
         tk::same_extent("G", U, 1, dS0, 1), tk::same_extent("CG", U, 2, dS0, 2),
         tk::fixed_extent(dS0, 3, 16), tk::same_extent("R", start, 0, Ended, 0),
         tk::same_extent("B", U, 0, End, 0), tk::same_extent("G", U, 1, End, 2),
         tk::same_extent("CG", U, 2, End, 3), tk::fixed_extent(End, 4, 16),
         tk::same_extent("B", U, 0, Left, 0), tk::same_extent("G", U, 1, Left, 2),
         tk::same_extent("CG", U, 2, Left, 3), tk::same_extent("B", U, 0, Behind, 0),
         tk::same_extent("G", U, 1, Behind, 2), tk::same_extent("CG", U, 2, Behind, 3),
         tk::fixed_extent(Behind, 4, 16), tk::same_extent("B", U, 0, Part, 0),
         tk::same_extent("G", U, 1, Part, 1), tk::fixed_extent(Part, 4, 256),
         tk::same_extent("B", U, 0, ofA, 0), tk::same_extent("G", U, 1, ofA, 2),
         tk::same_extent("CG", U, 2, ofA, 3), tk::fixed_extent(ofA, 4, 16),
         tk::same_extent("B", U, 0, ofD, 0), tk::same_extent("G", U, 1, ofD, 2),
         tk::same_extent("CG", U, 2, ofD, 3), tk::same_extent("B", U, 0, ofBias, 0),
         tk::same_extent("G", U, 1, ofBias, 2), tk::same_extent("CG", U, 2, ofBias, 3),
         tk::extents_fit(
             {{"B", B}, {"G", G}, {"CG", CG}, {"L", L}, {"BZ", BZ}, {"IS", IS}, {"R", R}, {"F", F},
              {"I", I}}),
         tk::that(Saved.shape[1] == tk::ceil_div(L, 32),
                  "axis 1 of `Saved` is {}; it must be `ceil_div(L, 32)`, which is {}",
                  {Saved.shape[1], tk::ceil_div(L, 32)}),
         tk::that(dBC.shape[2] == tk::ceil_div(L, 8),
                  "axis 2 of `dBC` is {}; it must be `ceil_div(L, 8)`, which is {}",
                  {dBC.shape[2], tk::ceil_div(L, 8)}),
         tk::that(-2147483648 <= int64_t{segments} - 1,
                  "`segments - 1` reaches {}; it must fit in 32 bits", {int64_t{segments} - 1}),
         tk::that(End.shape[1] == int64_t{segments} - 1,
                  "axis 1 of `End` is {}; it must be `segments - 1`, which is {}",
                  {End.shape[1], int64_t{segments} - 1}),
         tk::that(Left.shape[1] == int64_t{segments} - 1,
                  "axis 1 of `Left` is {}; it must be `segments - 1`, which is {}",
                  {Left.shape[1], int64_t{segments} - 1}),
         tk::that(Behind.shape[1] == int64_t{segments},
                  "axis 1 of `Behind` is {}; it must be `segments`, which is {}",
                  {Behind.shape[1], int64_t{segments}}),
         tk::that(Part.shape[2] == tk::ceil_div(CG, 32),
                  "axis 2 of `Part` is {}; it must be `ceil_div(CG, 32)`, which is {}",
                  {Part.shape[2], tk::ceil_div(CG, 32)}),
         tk::that(Part.shape[3] == tk::ceil_div(L, 8),
                  "axis 3 of `Part` is {}; it must be `ceil_div(L, 8)`, which is {}",
                  {Part.shape[3], tk::ceil_div(L, 8)}),
         tk::that(ofA.shape[1] == int64_t{segments},
                  "axis 1 of `ofA` is {}; it must be `segments`, which is {}",
                  {ofA.shape[1], int64_t{segments}}),
         tk::that(ofD.shape[1] == int64_t{segments},
                  "axis 1 of `ofD` is {}; it must be `segments`, which is {}",
                  {ofD.shape[1], int64_t{segments}}),
         tk::that(ofBias.shape[1] == int64_t{segments},
                  "axis 1 of `ofBias` is {}; it must be `segments`, which is {}",
                  {ofBias.shape[1], int64_t{segments}}),
         tk::that(BZ == 0,
                  "`selective_scan_backward` requires `if GATED { BZ == B } else { BZ == 0 }`"),
         tk::that(I <= B && F <= B && R == 0,
                  "`selective_scan_backward` requires `if PACKED { B == 1 and R >= 2 and I < R } else { I <= B and F <= B and R == 0 }`")});
    // selective_scan.ended(start, Ended, chunks)
    call.require(
        {tk::that(int64_t{chunks} >= 1, "`ended` requires `chunks >= 1`"),
         tk::fits("chunks*32", int64_t{chunks} * 32),
         tk::that(-2147483648 <= int64_t{chunks} * 32,
                  "`chunks*32` reaches {}; it must fit in 32 bits", {int64_t{chunks} * 32}),
         tk::fits("(p.start + row_index)*(chunks*32)",
                  tk::larger(0, tk::multiply(R - 1 + 262143, int64_t{chunks} * 32))),
         tk::that(-2147483648 <= tk::smaller(0, tk::multiply(R - 1 + 262143, int64_t{chunks} * 32)),
                  "`(p.start + row_index)*(chunks*32)` reaches {}; it must fit in 32 bits",
                  {tk::smaller(0, tk::multiply(R - 1 + 262143, int64_t{chunks} * 32))})});
    // ends(Dt, A, C, Z, bias, dY, dState, start, Ended, End, Left, segments, chunks)
    call.require(
        {tk::that(int64_t{segments} >= 1, "`ends` requires `segments >= 1`"),
         tk::grid_fits(tk::multiply(tk::ceil_div(CG, 128), G), 2147483648),
         tk::grid_fits(
             tk::multiply(tk::multiply(tk::ceil_div(CG, 128), G),
                          tk::larger(int64_t{segments} - 1, 0)), 2147483648),
         tk::grid_fits(
             tk::multiply(
                 tk::multiply(tk::multiply(tk::ceil_div(CG, 128), G),
                              tk::larger(int64_t{segments} - 1, 0)), B), 2147483648),
         tk::fits("(p + 1)*chunks",
                  tk::larger(int64_t{chunks},
                             tk::multiply(int64_t{segments} - 1 - 1 + 1, int64_t{chunks}))),
         tk::that(-2147483648 <=
                  tk::smaller(int64_t{chunks},
                              tk::multiply(int64_t{segments} - 1 - 1 + 1, int64_t{chunks})),
                  "`(p + 1)*chunks` reaches {}; it must fit in 32 bits",
                  {
                      tk::smaller(int64_t{chunks},
                                  tk::multiply(int64_t{segments} - 1 - 1 + 1, int64_t{chunks}))}),
         tk::fits("first + chunks",
                  tk::larger(
                      tk::larger(int64_t{chunks},
                                 tk::multiply(int64_t{segments} - 1 - 1 + 1, int64_t{chunks})), 0) +
                  int64_t{chunks})});
    // behind(A, dState, End, Left, Behind, segments)
    call.require(
        {tk::that(F <= B, "`behind` requires `PACKED or F <= B`"),
         tk::grid_fits(tk::multiply(tk::ceil_div(CG, 32), G), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G), B), 2147483648)});
    // sweep(U, Dt, A, Bm, C, D, Z, bias, dY, Saved, Behind, S0, dState, start, Ended, dU, dDt, dZ,
    // Part, ofA, ofD, ofBias, dS0, segments, chunks)
    call.require(
        {tk::fits("segments*chunks", tk::multiply(int64_t{segments}, int64_t{chunks})),
         tk::that(-2147483648 <= tk::multiply(int64_t{segments}, int64_t{chunks}),
                  "`segments*chunks` reaches {}; it must fit in 32 bits",
                  {tk::multiply(int64_t{segments}, int64_t{chunks})}),
         tk::fits("segments*chunks*32", tk::multiply(int64_t{segments}, int64_t{chunks}) * 32),
         tk::that(-2147483648 <= tk::multiply(int64_t{segments}, int64_t{chunks}) * 32,
                  "`segments*chunks*32` reaches {}; it must fit in 32 bits",
                  {tk::multiply(int64_t{segments}, int64_t{chunks}) * 32}),
         tk::fits("(segments - 1)*chunks", tk::multiply(int64_t{segments} - 1, int64_t{chunks})),
         tk::that(-2147483648 <= tk::multiply(int64_t{segments} - 1, int64_t{chunks}),
                  "`(segments - 1)*chunks` reaches {}; it must fit in 32 bits",
                  {tk::multiply(int64_t{segments} - 1, int64_t{chunks})}),
         tk::fits("(segments - 1)*chunks*32",
                  tk::multiply(int64_t{segments} - 1, int64_t{chunks}) * 32),
         tk::that(-2147483648 <= tk::multiply(int64_t{segments} - 1, int64_t{chunks}) * 32,
                  "`(segments - 1)*chunks*32` reaches {}; it must fit in 32 bits",
                  {tk::multiply(int64_t{segments} - 1, int64_t{chunks}) * 32}),
         tk::that(tk::multiply(int64_t{segments}, int64_t{chunks}) * 32 >= L,
                  "`sweep` requires `segments * chunks * 32 >= L`"),
         tk::that(tk::multiply(int64_t{segments} - 1, int64_t{chunks}) * 32 <= L,
                  "`sweep` requires `(segments - 1) * chunks * 32 <= L`"),
         tk::that(I <= B,
                  "`sweep` requires `if PACKED { B == 1 and R >= 2 and I < R and R > segments } else { I <= B }`"),
         tk::grid_fits(
             tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G), tk::larger(int64_t{segments}, 0)),
             2147483648),
         tk::grid_fits(
             tk::multiply(
                 tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G),
                              tk::larger(int64_t{segments}, 0)), B), 2147483648),
         tk::fits("p*chunks", tk::larger(0, tk::multiply(int64_t{segments} - 1, int64_t{chunks}))),
         tk::that(-2147483648 <=
                  tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{chunks})),
                  "`p*chunks` reaches {}; it must fit in 32 bits",
                  {tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{chunks}))}),
         tk::fits("first + chunks",
                  tk::larger(tk::larger(0, tk::multiply(int64_t{segments} - 1, int64_t{chunks})),
                             0) + int64_t{chunks})});
    // rows_of_groups(Part, dBC)
    call.require({
        tk::that(tk::ceil_div(CG, 32) < 2147221504,
                 "`ceil_div(CG, 32)` is {}; extents must be less than 2147221504",
                 {tk::ceil_div(CG, 32)}),
        tk::that(tk::ceil_div(L, 8) < 2147221504,
                 "`ceil_div(L, 8)` is {}; extents must be less than 2147221504",
                 {tk::ceil_div(L, 8)}),
        tk::grid_fits(tk::multiply(tk::ceil_div(tk::ceil_div(L, 8), 8), G), 2147483648),
        tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(tk::ceil_div(L, 8), 8), G), B),
                      2147483648)});
    // rows_of_channels(ofA, dA)
    call.require({
        tk::that(int64_t{segments} < 2147221504,
                 "`segments` is {}; extents must be less than 2147221504", {int64_t{segments}})});
    if (!call.ok()) return tk::finish(call.result());

    // selective_scan.ended(start, Ended, chunks)
    const bool choice_1 = tk::hold({tk::suits_fast(start, "R")});

    // ends(Dt, A, C, Z, bias, dY, dState, start, Ended, End, Left, segments, chunks)
    const bool choice_2 = tk::hold(
        {tk::suits_fast(Dt, "L"), tk::whole_vectors(Dt, 8), tk::suits_fast(A), tk::suits_fast(C),
         tk::suits_fast(dY, "L"), tk::suits_fast(End)});

    // behind(A, dState, End, Left, Behind, segments)
    const bool choice_3 = tk::hold(
        {tk::suits_fast(A), tk::suits_fast(dState), tk::suits_fast(End), tk::suits_fast(Behind)});

    // sweep(U, Dt, A, Bm, C, D, Z, bias, dY, Saved, Behind, S0, dState, start, Ended, dU, dDt, dZ,
    // Part, ofA, ofD, ofBias, dS0, segments, chunks)
    const bool choice_4 = tk::hold({
        tk::suits_fast(U, "L"), tk::whole_vectors(U, 8), tk::suits_fast(Dt, "L"), tk::suits_fast(A),
        tk::suits_fast(Bm), tk::suits_fast(C), tk::suits_fast(dY, "L"), tk::suits_fast(Saved),
        tk::suits_fast(Behind), tk::suits_fast(dU, "L"), tk::suits_fast(dDt, "L"),
        tk::suits_fast(dZ, "L"), tk::suits_fast(Part), tk::suits_fast(ofA), tk::suits_fast(dS0)});

    // rows_of_groups(Part, dBC)
    const bool choice_5 = tk::hold({tk::suits_fast(Part), tk::suits_fast(dBC)});

    // rows_of_channels(ofA, dA)
    const bool choice_6 = tk::hold({tk::suits_fast(ofA), tk::suits_fast(dA)});

    // of_channels(ofD, dD)
    const bool choice_7 =
        tk::hold({tk::suits_fast(ofD, "CG"), tk::whole_vectors(ofD, 4), tk::suits_fast(dD, "CG")});

    // of_channels(ofBias, dbias)
    const bool choice_8 = tk::hold(
        {tk::suits_fast(ofBias, "CG"), tk::whole_vectors(ofBias, 4), tk::suits_fast(dbias, "CG")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1) {
        TK_FINISH_IF_FAILED(launch_selective_scan_ended(site, start, Ended, R, R, chunks));
    } else {
        TK_FINISH_IF_FAILED(launch_selective_scan_ended_general(site, start, Ended, R, R, chunks));
    }
    if (choice_2) {
        TK_FINISH_IF_FAILED(
            launch_ends(site, Dt, A, C, bias, dY, End, Left, B, G, CG, L, segments, chunks));
    } else {
        TK_FINISH_IF_FAILED(launch_ends_general(
            site, Dt, A, C, bias, dY, End, Left, B, G, CG, L, segments, chunks));
    }
    if (choice_3) {
        TK_FINISH_IF_FAILED(
            launch_behind(site, A, dState, tk::read_only(End), tk::read_only(Left), Behind, G, CG,
                          F, B, segments));
    } else {
        TK_FINISH_IF_FAILED(
            launch_behind_general(site, A, dState, tk::read_only(End), tk::read_only(Left), Behind,
                                  G, CG, F, B, segments));
    }
    if (choice_4) {
        TK_FINISH_IF_FAILED(
            launch_sweep(site, U, Dt, A, Bm, C, D, bias, dY, Saved, tk::read_only(Behind), dU, dDt,
                         dZ, Part, ofA, ofD, ofBias, dS0, B, G, CG, L, BZ, I, segments, chunks));
    } else {
        TK_FINISH_IF_FAILED(launch_sweep_general(
            site, U, Dt, A, Bm, C, D, bias, dY, Saved, tk::read_only(Behind), dU, dDt, dZ, Part,
            ofA, ofD, ofBias, dS0, B, G, CG, L, BZ, I, segments, chunks));
    }
    if (choice_5) {
        TK_FINISH_IF_FAILED(launch_rows_of_groups(
            site, tk::read_only(Part), dBC, B, G, tk::ceil_div(CG, 32), tk::ceil_div(L, 8)));
    } else {
        TK_FINISH_IF_FAILED(launch_rows_of_groups_general(
            site, tk::read_only(Part), dBC, B, G, tk::ceil_div(CG, 32), tk::ceil_div(L, 8)));
    }
    if (choice_6) {
        TK_FINISH_IF_FAILED(
            launch_rows_of_channels(site, tk::read_only(ofA), dA, B, int64_t{segments}, G, CG));
    } else {
        TK_FINISH_IF_FAILED(launch_rows_of_channels_general(
            site, tk::read_only(ofA), dA, B, int64_t{segments}, G, CG));
    }
    if (choice_7) {
        TK_FINISH_IF_FAILED(
            launch_of_channels(site, tk::read_only(ofD), dD, B, int64_t{segments}, G, CG));
    } else {
        TK_FINISH_IF_FAILED(
            launch_of_channels_general(site, tk::read_only(ofD), dD, B, int64_t{segments}, G, CG));
    }
    if (choice_8) {
        TK_FINISH_IF_FAILED(
            launch_of_channels(site, tk::read_only(ofBias), dbias, B, int64_t{segments}, G, CG));
    } else {
        TK_FINISH_IF_FAILED(launch_of_channels_general(
            site, tk::read_only(ofBias), dbias, B, int64_t{segments}, G, CG));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(selective_scan_backward, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, int32_t, int32_t)
}  // extern "C"
