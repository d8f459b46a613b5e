// Made by tkc from selective_scan.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/integer.cuh"
#include "tk/operations/slice_tile.cuh"
#include "tk/tk.cuh"

// selective_scan: kernel selective_scan with T = bf16, TD = bf16, TB = f32, S = 16, GATED = false,
// SOFTPLUS = true, BD = 128.
// producer: 1 warp, 128 registers a thread; scan: 4 warps, 128 registers a thread.
// 256 threads, 128 registers each, 8320 bytes of shared memory.
struct selective_scan_shared {
    tk::shared_tile<float, 8, 16> bc_b[8];
    tk::shared_tile<float, 8, 16> bc_c[8];
    tk::pipeline<8> bc;
};
static_assert(offsetof(selective_scan_shared, bc) == 8192);

__global__ void __launch_bounds__(256, 2) selective_scan_kernel(
    const __grid_constant__ CUtensorMap Bm_map, const __grid_constant__ CUtensorMap C_map,
    const tk::tensor_argument<const tk::bf16, 4> U, const tk::tensor_argument<const tk::bf16, 4> Dt,
    const tk::tensor_argument<const float, 3> A, const tk::tensor_argument<const float, 2> D,
    const tk::tensor_argument<const float, 2> bias, const tk::tensor_argument<const float, 4> S0,
    const tk::tensor_argument<tk::bf16, 4> Y, const tk::tensor_argument<float, 4> State,
    const tk::tensor_argument<float, 5> Saved, int B, int G, int CG, int L, int I, int F, int V,
    int segments, int chunks) {
    extern __shared__ __align__(1024) unsigned char memory[];
    selective_scan_shared& shared = *reinterpret_cast<selective_scan_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Bm_map, C_map);
        shared.bc.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int d_tiles = tk::tiles(CG, 128);
    const int p_tiles = tk::max(segments, 0);
    const int warp = tk::warp_index();

    if (warp < 4) {
        // selective_scan.tk:41: role producer(1 warp) {
        if (warp == 0 && tk::elect_one()) {
            tk::cursor<8> bc_next;
            const int program = blockIdx.x;
            const int g = program / d_tiles % G;
            const int p = program / (d_tiles * G) % p_tiles;
            const int b = program / (d_tiles * G * p_tiles);

            // selective_scan.tk:38: let first = max(p * chunks, 0);
            const int first = tk::max(p * chunks, 0);

            // selective_scan.tk:42: for s in first..min(first + chunks, ceil_div(L, 32)) {
            #pragma unroll 1
            for (int s = first; s < tk::min(first + chunks, tk::divide_up(L, 32)); s += 1) {
                // selective_scan.tk:43: for t in s * 32..min(s * 32 + 32, L) by 8 { produce bc { ..
                #pragma unroll 1
                for (int t = s * 32; t < tk::min(s * 32 + 32, L); t += 8) {
                    shared.bc.begin(bc_next, 1024);
                    tk::tma_load(shared.bc_b[bc_next.stage], Bm_map, shared.bc.full[bc_next.stage],
                                 b, g, t, 0);
                    tk::tma_load(shared.bc_c[bc_next.stage], C_map, shared.bc.full[bc_next.stage],
                                 b, g, t, 0);
                    bc_next.advance();
                }
            }
        }
    } else {
        // selective_scan.tk:47: role scan(BD // 32 warps) {
        const int thread = int(threadIdx.x) - 128;
        tk::cursor<8> bc_next;
        const int program = blockIdx.x;
        const int d = program % d_tiles * 128;
        const int g = program / d_tiles % G;
        const int p = program / (d_tiles * G) % p_tiles;
        const int b = program / (d_tiles * G * p_tiles);

        // selective_scan.tk:38: let first = max(p * chunks, 0);
        const int first = tk::max(p * chunks, 0);

        // selective_scan.tk:48: let a    = load(A[g, d, :]) * LOG2E;
        tk::stripe<float, 128, 16, 128, 1, 8> t0;
        tk::load_vectors(t0, tk::dense_slice(A, {g, d, 0}, CG - d, 16), thread);
        tk::stripe<float, 128, 16, 128, 1, 8> a;
        tk::map(a, [](float t0) { return t0 * 1.442695f; }, t0);

        // selective_scan.tk:49: let skip = column(load(D[g, d]));
        tk::stripe<float, 128, 1, 128, 1, 8> skip;
        tk::load_global(skip, tk::slice<1, tk::no_axis>(D, {g, d}, CG - d, 1), thread);

        // selective_scan.tk:50: let add  = column(load(bias[g, d]));
        tk::stripe<float, 128, 1, 128, 1, 8> add;
        tk::load_global(add, tk::slice<1, tk::no_axis>(bias, {g, d}, CG - d, 1), thread);

        // selective_scan.tk:51: var h    = load(S0[b * segments + p, g, d, :]);
        tk::stripe<float, 128, 16, 128, 1, 8> h;
        tk::load_vectors(h,
                         tk::dense_slice(S0, {b * segments + p, g, d, 0},
                                         b * segments + p > -1 && b * segments + p < I ? CG - d : 0,
                                         16), thread);

        // selective_scan.tk:52: for s in first..min(first + chunks, ceil_div(L, 32)) {
        tk::stripe<float, 128, 8, 128, 1, 8> y;
        for (int s = first; s < tk::min(first + chunks, tk::divide_up(L, 32)); s += 1) {
            // selective_scan.tk:53: store(Saved[b, s, g, d, :], h);
            tk::store_vectors(
                tk::dense_slice(Saved, {b, s, g, d, 0},
                                s < tk::divide_up(L, 32) ? (b < V ? CG - d : 0) : 0, 16), h,
                thread);

            // selective_scan.tk:54: for t in s * 32..min(s * 32 + 32, L) by 8 {
            for (int t = s * 32; t < tk::min(s * 32 + 32, L); t += 8) {
                // selective_scan.tk:55: let u  = load(U[b, g, d, t]);
                tk::stripe<tk::bf16, 128, 8, 128, 1, 8> u;
                tk::load_vectors(u, tk::vector_slice(U, {b, g, d, t}, CG - d, L - t), thread);

                // selective_scan.tk:56: let dt = step_sizes(f32(load(Dt[b, g, d, t])) + add, L - ..
                tk::stripe<tk::bf16, 128, 8, 128, 1, 8> t5;
                tk::load_vectors(t5, tk::vector_slice(Dt, {b, g, d, t}, CG - d, L - t), thread);
                tk::stripe<float, 128, 8, 128, 1, 8> dt;
                tk::map(dt, thread, [&](int, int col, tk::bf16 t5, float add) {
                    const float x = col < L - t ? float(t5) + add : -INFINITY;
                    const float x_2 = tk::exp(-tk::abs(x));
                    const float x_3 = tk::divide(x_2, 2.0f + x_2);
                    const float x_4 = x_3 * x_3;
                    return tk::fma(
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
                                1.0f), tk::max(x, 0.0f));
                }, t5, add);

                // selective_scan.tk:57: var y: f32[BD, 8] = 0;
                tk::zero(y);

                // selective_scan.tk:58: consume bc as n {
                const tk::cursor<8> n = shared.bc.take(bc_next);

                // selective_scan.tk:13: return exp2(dt[:, I +: 1] * a) * h + dt[:, I +: 1] * ..
                tk::stripe<float, 128, 1, 128, 1, 8> t8;
                tk::slice_registers<0, 0>(t8, dt);
                tk::stripe<float, 128, 1, 128, 1, 8> t9;
                tk::slice_registers<0, 0>(t9, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 8> t10;
                tk::slice_registers<0, 0>(t10, u);

                // selective_scan.tk:18: h = next<I>(h, a, dt, u, bm);
                tk::stripe<float, 128, 1, 128, 1, 8> t1;
                tk::map(t1, [](float t9, tk::bf16 t10) { return t9 * float(t10); }, t9, t10);
                tk::stripe<float, 1, 16, 128, 1, 8> t67;
                tk::load_shared(t67, tk::part<0, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                tk::map(h, [](float t8, float a, float h, float t1, float t67) {
                    return tk::fma(tk::exp2(t8 * a), h, t1 * t67);
                }, t8, a, h, t1, t67);

                // selective_scan.tk:19: y = where(col_index(y) == I, sum(h * cm, axis = 1), y);
                tk::stripe<float, 1, 16, 128, 1, 8> t68;
                tk::load_shared(t68, tk::part<0, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                tk::stripe<float, 128, 16, 128, 1, 8> t11;
                tk::map(t11, [](float h, float t68) { return h * t68; }, h, t68);
                tk::stripe<float, 128, 1, 128, 1, 8> t12;
                tk::fold_rows(t12, t11, tk::plus{}, thread);
                tk::finish_rows(t12, tk::plus{});
                tk::map(y, thread, [](int, int col, float t12, float y) {
                    return col == 0 ? t12 : y;
                }, t12, y);
                // selective_scan.tk:13
                tk::stripe<float, 128, 1, 128, 1, 8> t15;
                tk::slice_registers<0, 1>(t15, dt);
                tk::stripe<float, 128, 1, 128, 1, 8> t16;
                tk::slice_registers<0, 1>(t16, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 8> t17;
                tk::slice_registers<0, 1>(t17, u);
                // selective_scan.tk:18
                tk::stripe<float, 128, 1, 128, 1, 8> t2;
                tk::map(t2, [](float t16, tk::bf16 t17) { return t16 * float(t17); }, t16, t17);
                tk::stripe<float, 1, 16, 128, 1, 8> t69;
                tk::load_shared(t69, tk::part<1, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                tk::map(h, [](float t15, float a, float h, float t2, float t69) {
                    return tk::fma(tk::exp2(t15 * a), h, t2 * t69);
                }, t15, a, h, t2, t69);
                // selective_scan.tk:19
                tk::stripe<float, 1, 16, 128, 1, 8> t70;
                tk::load_shared(t70, tk::part<1, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                tk::stripe<float, 128, 16, 128, 1, 8> t18;
                tk::map(t18, [](float h, float t70) { return h * t70; }, h, t70);
                tk::stripe<float, 128, 1, 128, 1, 8> t19;
                tk::fold_rows(t19, t18, tk::plus{}, thread);
                tk::finish_rows(t19, tk::plus{});
                tk::map(y, thread, [](int, int col, float t19, float y) {
                    return col == 1 ? t19 : y;
                }, t19, y);
                // selective_scan.tk:13
                tk::stripe<float, 128, 1, 128, 1, 8> t22;
                tk::slice_registers<0, 2>(t22, dt);
                tk::stripe<float, 128, 1, 128, 1, 8> t23;
                tk::slice_registers<0, 2>(t23, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 8> t24;
                tk::slice_registers<0, 2>(t24, u);
                // selective_scan.tk:18
                tk::stripe<float, 128, 1, 128, 1, 8> t3;
                tk::map(t3, [](float t23, tk::bf16 t24) { return t23 * float(t24); }, t23, t24);
                tk::stripe<float, 1, 16, 128, 1, 8> t71;
                tk::load_shared(t71, tk::part<2, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                tk::map(h, [](float t22, float a, float h, float t3, float t71) {
                    return tk::fma(tk::exp2(t22 * a), h, t3 * t71);
                }, t22, a, h, t3, t71);
                // selective_scan.tk:19
                tk::stripe<float, 1, 16, 128, 1, 8> t72;
                tk::load_shared(t72, tk::part<2, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                tk::stripe<float, 128, 16, 128, 1, 8> t25;
                tk::map(t25, [](float h, float t72) { return h * t72; }, h, t72);
                tk::stripe<float, 128, 1, 128, 1, 8> t26;
                tk::fold_rows(t26, t25, tk::plus{}, thread);
                tk::finish_rows(t26, tk::plus{});
                tk::map(y, thread, [](int, int col, float t26, float y) {
                    return col == 2 ? t26 : y;
                }, t26, y);
                // selective_scan.tk:13
                tk::stripe<float, 128, 1, 128, 1, 8> t29;
                tk::slice_registers<0, 3>(t29, dt);
                tk::stripe<float, 128, 1, 128, 1, 8> t30;
                tk::slice_registers<0, 3>(t30, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 8> t31;
                tk::slice_registers<0, 3>(t31, u);
                // selective_scan.tk:18
                tk::stripe<float, 128, 1, 128, 1, 8> t4;
                tk::map(t4, [](float t30, tk::bf16 t31) { return t30 * float(t31); }, t30, t31);
                tk::stripe<float, 1, 16, 128, 1, 8> t73;
                tk::load_shared(t73, tk::part<3, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                tk::map(h, [](float t29, float a, float h, float t4, float t73) {
                    return tk::fma(tk::exp2(t29 * a), h, t4 * t73);
                }, t29, a, h, t4, t73);
                // selective_scan.tk:19
                tk::stripe<float, 1, 16, 128, 1, 8> t74;
                tk::load_shared(t74, tk::part<3, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                tk::stripe<float, 128, 16, 128, 1, 8> t32;
                tk::map(t32, [](float h, float t74) { return h * t74; }, h, t74);
                tk::stripe<float, 128, 1, 128, 1, 8> t33;
                tk::fold_rows(t33, t32, tk::plus{}, thread);
                tk::finish_rows(t33, tk::plus{});
                tk::map(y, thread, [](int, int col, float t33, float y) {
                    return col == 3 ? t33 : y;
                }, t33, y);
                // selective_scan.tk:13
                tk::stripe<float, 128, 1, 128, 1, 8> t36;
                tk::slice_registers<0, 4>(t36, dt);
                tk::stripe<float, 128, 1, 128, 1, 8> t37;
                tk::slice_registers<0, 4>(t37, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 8> t38;
                tk::slice_registers<0, 4>(t38, u);
                // selective_scan.tk:18
                tk::stripe<float, 128, 1, 128, 1, 8> t63;
                tk::map(t63, [](float t37, tk::bf16 t38) { return t37 * float(t38); }, t37, t38);
                tk::stripe<float, 1, 16, 128, 1, 8> t75;
                tk::load_shared(t75, tk::part<4, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                tk::map(h, [](float t36, float a, float h, float t63, float t75) {
                    return tk::fma(tk::exp2(t36 * a), h, t63 * t75);
                }, t36, a, h, t63, t75);
                // selective_scan.tk:19
                tk::stripe<float, 1, 16, 128, 1, 8> t76;
                tk::load_shared(t76, tk::part<4, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                tk::stripe<float, 128, 16, 128, 1, 8> t39;
                tk::map(t39, [](float h, float t76) { return h * t76; }, h, t76);
                tk::stripe<float, 128, 1, 128, 1, 8> t40;
                tk::fold_rows(t40, t39, tk::plus{}, thread);
                tk::finish_rows(t40, tk::plus{});
                tk::map(y, thread, [](int, int col, float t40, float y) {
                    return col == 4 ? t40 : y;
                }, t40, y);
                // selective_scan.tk:13
                tk::stripe<float, 128, 1, 128, 1, 8> t43;
                tk::slice_registers<0, 5>(t43, dt);
                tk::stripe<float, 128, 1, 128, 1, 8> t44;
                tk::slice_registers<0, 5>(t44, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 8> t45;
                tk::slice_registers<0, 5>(t45, u);
                // selective_scan.tk:18
                tk::stripe<float, 128, 1, 128, 1, 8> t64;
                tk::map(t64, [](float t44, tk::bf16 t45) { return t44 * float(t45); }, t44, t45);
                tk::stripe<float, 1, 16, 128, 1, 8> t77;
                tk::load_shared(t77, tk::part<5, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                tk::map(h, [](float t43, float a, float h, float t64, float t77) {
                    return tk::fma(tk::exp2(t43 * a), h, t64 * t77);
                }, t43, a, h, t64, t77);
                // selective_scan.tk:19
                tk::stripe<float, 1, 16, 128, 1, 8> t78;
                tk::load_shared(t78, tk::part<5, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                tk::stripe<float, 128, 16, 128, 1, 8> t46;
                tk::map(t46, [](float h, float t78) { return h * t78; }, h, t78);
                tk::stripe<float, 128, 1, 128, 1, 8> t47;
                tk::fold_rows(t47, t46, tk::plus{}, thread);
                tk::finish_rows(t47, tk::plus{});
                tk::map(y, thread, [](int, int col, float t47, float y) {
                    return col == 5 ? t47 : y;
                }, t47, y);
                // selective_scan.tk:13
                tk::stripe<float, 128, 1, 128, 1, 8> t50;
                tk::slice_registers<0, 6>(t50, dt);
                tk::stripe<float, 128, 1, 128, 1, 8> t51;
                tk::slice_registers<0, 6>(t51, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 8> t52;
                tk::slice_registers<0, 6>(t52, u);
                // selective_scan.tk:18
                tk::stripe<float, 128, 1, 128, 1, 8> t65;
                tk::map(t65, [](float t51, tk::bf16 t52) { return t51 * float(t52); }, t51, t52);
                tk::stripe<float, 1, 16, 128, 1, 8> t79;
                tk::load_shared(t79, tk::part<6, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                tk::map(h, [](float t50, float a, float h, float t65, float t79) {
                    return tk::fma(tk::exp2(t50 * a), h, t65 * t79);
                }, t50, a, h, t65, t79);
                // selective_scan.tk:19
                tk::stripe<float, 1, 16, 128, 1, 8> t80;
                tk::load_shared(t80, tk::part<6, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                tk::stripe<float, 128, 16, 128, 1, 8> t53;
                tk::map(t53, [](float h, float t80) { return h * t80; }, h, t80);
                tk::stripe<float, 128, 1, 128, 1, 8> t54;
                tk::fold_rows(t54, t53, tk::plus{}, thread);
                tk::finish_rows(t54, tk::plus{});
                tk::map(y, thread, [](int, int col, float t54, float y) {
                    return col == 6 ? t54 : y;
                }, t54, y);
                // selective_scan.tk:13
                tk::stripe<float, 128, 1, 128, 1, 8> t57;
                tk::slice_registers<0, 7>(t57, dt);
                tk::stripe<float, 128, 1, 128, 1, 8> t58;
                tk::slice_registers<0, 7>(t58, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 8> t59;
                tk::slice_registers<0, 7>(t59, u);
                // selective_scan.tk:18
                tk::stripe<float, 128, 1, 128, 1, 8> t66;
                tk::map(t66, [](float t58, tk::bf16 t59) { return t58 * float(t59); }, t58, t59);
                tk::stripe<float, 1, 16, 128, 1, 8> t81;
                tk::load_shared(t81, tk::part<7, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                tk::map(h, [](float t57, float a, float h, float t66, float t81) {
                    return tk::fma(tk::exp2(t57 * a), h, t66 * t81);
                }, t57, a, h, t66, t81);
                // selective_scan.tk:19
                tk::stripe<float, 1, 16, 128, 1, 8> t82;
                tk::load_shared(t82, tk::part<7, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                shared.bc.release_after_loads(n);
                tk::stripe<float, 128, 16, 128, 1, 8> t60;
                tk::map(t60, [](float h, float t82) { return h * t82; }, h, t82);
                tk::stripe<float, 128, 1, 128, 1, 8> t61;
                tk::fold_rows(t61, t60, tk::plus{}, thread);
                tk::finish_rows(t61, tk::plus{});
                tk::map(y, thread, [](int, int col, float t61, float y) {
                    return col == 7 ? t61 : y;
                }, t61, y);

                // selective_scan.tk:68: y += skip * u;
                tk::map(y, [](float y, float skip, tk::bf16 u) {
                    return tk::fma(skip, float(u), y);
                }, y, skip, u);

                // selective_scan.tk:70: store(Y[b, g, d, t], T(y));
                tk::stripe<tk::bf16, 128, 8, 128, 1, 8> t62 = tk::convert<tk::bf16>(y);
                tk::store_vectors(tk::vector_slice(Y, {b, g, d, t}, CG - d, L - t), t62, thread);
            }
        }

        // selective_scan.tk:73: if p == segments - 1 { store(State[b, g, d, :], h); }
        if (p == segments - 1) {
            tk::store_vectors(tk::dense_slice(State, {b, g, d, 0}, b < F ? CG - d : 0, 16), h,
                              thread);
        }
    }
}

// selective_scan_general: kernel selective_scan with T = bf16, TD = bf16, TB = f32, S = 16, GATED =
// false, SOFTPLUS = true, BD = 128; any strides and alignment.
// producer: 1 warp, 255 registers a thread; scan: 4 warps, 255 registers a thread.
// 256 threads, 255 registers each, 8320 bytes of shared memory.
struct selective_scan_general_shared {
    tk::shared_tile<float, 8, 16> bc_b[8];
    tk::shared_tile<float, 8, 16> bc_c[8];
    tk::pipeline<8> bc;
};
static_assert(offsetof(selective_scan_general_shared, bc) == 8192);

__global__ void __launch_bounds__(256, 1) selective_scan_general_kernel(
    const tk::tensor_argument<const tk::bf16, 4> U, const tk::tensor_argument<const tk::bf16, 4> Dt,
    const tk::tensor_argument<const float, 3> A, const tk::tensor_argument<const float, 4> Bm,
    const tk::tensor_argument<const float, 4> C, const tk::tensor_argument<const float, 2> D,
    const tk::tensor_argument<const float, 2> bias, const tk::tensor_argument<const float, 4> S0,
    const tk::tensor_argument<tk::bf16, 4> Y, const tk::tensor_argument<float, 4> State,
    const tk::tensor_argument<float, 5> Saved, int B, int G, int CG, int L, int I, int F, int V,
    int segments, int chunks) {
    extern __shared__ __align__(1024) unsigned char memory[];
    selective_scan_general_shared& shared =
        *reinterpret_cast<selective_scan_general_shared*>(memory);

    if (threadIdx.x == 0) {
        shared.bc.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int d_tiles = tk::tiles(CG, 128);
    const int p_tiles = tk::max(segments, 0);
    const int warp = tk::warp_index();

    if (warp < 4) {
        // selective_scan.tk:41: role producer(1 warp) {
        if (warp == 0) {
            const int thread = int(threadIdx.x);
            tk::cursor<8> bc_next;
            const int program = blockIdx.x;
            const int g = program / d_tiles % G;
            const int p = program / (d_tiles * G) % p_tiles;
            const int b = program / (d_tiles * G * p_tiles);

            // selective_scan.tk:38: let first = max(p * chunks, 0);
            const int first = tk::max(p * chunks, 0);

            // selective_scan.tk:42: for s in first..min(first + chunks, ceil_div(L, 32)) {
            #pragma unroll 1
            for (int s = first; s < tk::min(first + chunks, tk::divide_up(L, 32)); s += 1) {
                // selective_scan.tk:43: for t in s * 32..min(s * 32 + 32, L) by 8 { produce bc { ..
                #pragma unroll 1
                for (int t = s * 32; t < tk::min(s * 32 + 32, L); t += 8) {
                    shared.bc.wait_empty(bc_next);
                    tk::copy_to_shared(shared.bc_b[bc_next.stage],
                                       tk::slice(Bm, {b, g, t, 0}, L - t, 16), thread, 32);
                    tk::copy_to_shared(shared.bc_c[bc_next.stage],
                                       tk::slice(C, {b, g, t, 0}, L - t, 16), thread, 32);
                    shared.bc.publish(bc_next, tk::ordinary_alone{});
                    bc_next.advance();
                }
            }
        }
    } else {
        // selective_scan.tk:47: role scan(BD // 32 warps) {
        const int thread = int(threadIdx.x) - 128;
        tk::cursor<8> bc_next;
        const int program = blockIdx.x;
        const int d = program % d_tiles * 128;
        const int g = program / d_tiles % G;
        const int p = program / (d_tiles * G) % p_tiles;
        const int b = program / (d_tiles * G * p_tiles);

        // selective_scan.tk:38: let first = max(p * chunks, 0);
        const int first = tk::max(p * chunks, 0);

        // selective_scan.tk:48: let a    = load(A[g, d, :]) * LOG2E;
        tk::stripe<float, 128, 16, 128, 1, 2> t0;
        tk::load_global(t0, tk::slice(A, {g, d, 0}, CG - d, 16), thread);
        tk::stripe<float, 128, 16, 128, 1, 2> a;
        tk::map(a, [](float t0) { return t0 * 1.442695f; }, t0);

        // selective_scan.tk:49: let skip = column(load(D[g, d]));
        tk::stripe<float, 128, 1, 128, 1, 2> skip;
        tk::load_global(skip, tk::slice<1, tk::no_axis>(D, {g, d}, CG - d, 1), thread);

        // selective_scan.tk:50: let add  = column(load(bias[g, d]));
        tk::stripe<float, 128, 1, 128, 1, 2> add;
        tk::load_global(add, tk::slice<1, tk::no_axis>(bias, {g, d}, CG - d, 1), thread);

        // selective_scan.tk:51: var h    = load(S0[b * segments + p, g, d, :]);
        tk::stripe<float, 128, 16, 128, 1, 2> h;
        tk::load_global(h,
                        tk::slice(S0, {b * segments + p, g, d, 0},
                                  b * segments + p > -1 && b * segments + p < I ? CG - d : 0, 16),
                        thread);

        // selective_scan.tk:52: for s in first..min(first + chunks, ceil_div(L, 32)) {
        tk::stripe<float, 128, 8, 128, 1, 2> y;
        for (int s = first; s < tk::min(first + chunks, tk::divide_up(L, 32)); s += 1) {
            // selective_scan.tk:53: store(Saved[b, s, g, d, :], h);
            tk::store_global(
                tk::slice(Saved, {b, s, g, d, 0},
                          s < tk::divide_up(L, 32) ? (b < V ? CG - d : 0) : 0, 16), h, thread);

            // selective_scan.tk:54: for t in s * 32..min(s * 32 + 32, L) by 8 {
            for (int t = s * 32; t < tk::min(s * 32 + 32, L); t += 8) {
                // selective_scan.tk:55: let u  = load(U[b, g, d, t]);
                tk::stripe<tk::bf16, 128, 8, 128, 1, 2> u;
                tk::load_global(u, tk::slice(U, {b, g, d, t}, CG - d, L - t), thread);

                // selective_scan.tk:56: let dt = step_sizes(f32(load(Dt[b, g, d, t])) + add, L - ..
                tk::stripe<tk::bf16, 128, 8, 128, 1, 2> t5;
                tk::load_global(t5, tk::slice(Dt, {b, g, d, t}, CG - d, L - t), thread);
                tk::stripe<float, 128, 8, 128, 1, 2> dt;
                tk::map(dt, thread, [&](int, int col, tk::bf16 t5, float add) {
                    const float x = col < L - t ? float(t5) + add : -INFINITY;
                    const float x_2 = tk::exp(-tk::abs(x));
                    const float x_3 = tk::divide(x_2, 2.0f + x_2);
                    const float x_4 = x_3 * x_3;
                    return tk::fma(
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
                                1.0f), tk::max(x, 0.0f));
                }, t5, add);

                // selective_scan.tk:57: var y: f32[BD, 8] = 0;
                tk::zero(y);

                // selective_scan.tk:58: consume bc as n {
                const tk::cursor<8> n = shared.bc.take(bc_next);

                // selective_scan.tk:13: return exp2(dt[:, I +: 1] * a) * h + dt[:, I +: 1] * ..
                tk::stripe<float, 128, 1, 128, 1, 2> t8;
                tk::slice_registers<0, 0>(t8, dt);
                tk::stripe<float, 128, 1, 128, 1, 2> t9;
                tk::slice_registers<0, 0>(t9, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 2> t10;
                tk::slice_registers<0, 0>(t10, u);

                // selective_scan.tk:18: h = next<I>(h, a, dt, u, bm);
                tk::stripe<float, 128, 1, 128, 1, 2> t1;
                tk::map(t1, [](float t9, tk::bf16 t10) { return t9 * float(t10); }, t9, t10);
                tk::stripe<float, 1, 16, 128, 1, 2> t67;
                tk::load_shared(t67, tk::part<0, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                tk::map(h, [](float t8, float a, float h, float t1, float t67) {
                    return tk::fma(tk::exp2(t8 * a), h, t1 * t67);
                }, t8, a, h, t1, t67);

                // selective_scan.tk:19: y = where(col_index(y) == I, sum(h * cm, axis = 1), y);
                tk::stripe<float, 1, 16, 128, 1, 2> t68;
                tk::load_shared(t68, tk::part<0, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                tk::stripe<float, 128, 16, 128, 1, 2> t11;
                tk::map(t11, [](float h, float t68) { return h * t68; }, h, t68);
                tk::stripe<float, 128, 1, 128, 1, 2> t12;
                tk::fold_rows(t12, t11, tk::plus{}, thread);
                tk::finish_rows(t12, tk::plus{});
                tk::map(y, thread, [](int, int col, float t12, float y) {
                    return col == 0 ? t12 : y;
                }, t12, y);
                // selective_scan.tk:13
                tk::stripe<float, 128, 1, 128, 1, 2> t15;
                tk::slice_registers<0, 1>(t15, dt);
                tk::stripe<float, 128, 1, 128, 1, 2> t16;
                tk::slice_registers<0, 1>(t16, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 2> t17;
                tk::slice_registers<0, 1>(t17, u);
                // selective_scan.tk:18
                tk::stripe<float, 128, 1, 128, 1, 2> t2;
                tk::map(t2, [](float t16, tk::bf16 t17) { return t16 * float(t17); }, t16, t17);
                tk::stripe<float, 1, 16, 128, 1, 2> t69;
                tk::load_shared(t69, tk::part<1, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                tk::map(h, [](float t15, float a, float h, float t2, float t69) {
                    return tk::fma(tk::exp2(t15 * a), h, t2 * t69);
                }, t15, a, h, t2, t69);
                // selective_scan.tk:19
                tk::stripe<float, 1, 16, 128, 1, 2> t70;
                tk::load_shared(t70, tk::part<1, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                tk::stripe<float, 128, 16, 128, 1, 2> t18;
                tk::map(t18, [](float h, float t70) { return h * t70; }, h, t70);
                tk::stripe<float, 128, 1, 128, 1, 2> t19;
                tk::fold_rows(t19, t18, tk::plus{}, thread);
                tk::finish_rows(t19, tk::plus{});
                tk::map(y, thread, [](int, int col, float t19, float y) {
                    return col == 1 ? t19 : y;
                }, t19, y);
                // selective_scan.tk:13
                tk::stripe<float, 128, 1, 128, 1, 2> t22;
                tk::slice_registers<0, 2>(t22, dt);
                tk::stripe<float, 128, 1, 128, 1, 2> t23;
                tk::slice_registers<0, 2>(t23, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 2> t24;
                tk::slice_registers<0, 2>(t24, u);
                // selective_scan.tk:18
                tk::stripe<float, 128, 1, 128, 1, 2> t3;
                tk::map(t3, [](float t23, tk::bf16 t24) { return t23 * float(t24); }, t23, t24);
                tk::stripe<float, 1, 16, 128, 1, 2> t71;
                tk::load_shared(t71, tk::part<2, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                tk::map(h, [](float t22, float a, float h, float t3, float t71) {
                    return tk::fma(tk::exp2(t22 * a), h, t3 * t71);
                }, t22, a, h, t3, t71);
                // selective_scan.tk:19
                tk::stripe<float, 1, 16, 128, 1, 2> t72;
                tk::load_shared(t72, tk::part<2, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                tk::stripe<float, 128, 16, 128, 1, 2> t25;
                tk::map(t25, [](float h, float t72) { return h * t72; }, h, t72);
                tk::stripe<float, 128, 1, 128, 1, 2> t26;
                tk::fold_rows(t26, t25, tk::plus{}, thread);
                tk::finish_rows(t26, tk::plus{});
                tk::map(y, thread, [](int, int col, float t26, float y) {
                    return col == 2 ? t26 : y;
                }, t26, y);
                // selective_scan.tk:13
                tk::stripe<float, 128, 1, 128, 1, 2> t29;
                tk::slice_registers<0, 3>(t29, dt);
                tk::stripe<float, 128, 1, 128, 1, 2> t30;
                tk::slice_registers<0, 3>(t30, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 2> t31;
                tk::slice_registers<0, 3>(t31, u);
                // selective_scan.tk:18
                tk::stripe<float, 128, 1, 128, 1, 2> t4;
                tk::map(t4, [](float t30, tk::bf16 t31) { return t30 * float(t31); }, t30, t31);
                tk::stripe<float, 1, 16, 128, 1, 2> t73;
                tk::load_shared(t73, tk::part<3, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                tk::map(h, [](float t29, float a, float h, float t4, float t73) {
                    return tk::fma(tk::exp2(t29 * a), h, t4 * t73);
                }, t29, a, h, t4, t73);
                // selective_scan.tk:19
                tk::stripe<float, 1, 16, 128, 1, 2> t74;
                tk::load_shared(t74, tk::part<3, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                tk::stripe<float, 128, 16, 128, 1, 2> t32;
                tk::map(t32, [](float h, float t74) { return h * t74; }, h, t74);
                tk::stripe<float, 128, 1, 128, 1, 2> t33;
                tk::fold_rows(t33, t32, tk::plus{}, thread);
                tk::finish_rows(t33, tk::plus{});
                tk::map(y, thread, [](int, int col, float t33, float y) {
                    return col == 3 ? t33 : y;
                }, t33, y);
                // selective_scan.tk:13
                tk::stripe<float, 128, 1, 128, 1, 2> t36;
                tk::slice_registers<0, 4>(t36, dt);
                tk::stripe<float, 128, 1, 128, 1, 2> t37;
                tk::slice_registers<0, 4>(t37, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 2> t38;
                tk::slice_registers<0, 4>(t38, u);
                // selective_scan.tk:18
                tk::stripe<float, 128, 1, 128, 1, 2> t63;
                tk::map(t63, [](float t37, tk::bf16 t38) { return t37 * float(t38); }, t37, t38);
                tk::stripe<float, 1, 16, 128, 1, 2> t75;
                tk::load_shared(t75, tk::part<4, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                tk::map(h, [](float t36, float a, float h, float t63, float t75) {
                    return tk::fma(tk::exp2(t36 * a), h, t63 * t75);
                }, t36, a, h, t63, t75);
                // selective_scan.tk:19
                tk::stripe<float, 1, 16, 128, 1, 2> t76;
                tk::load_shared(t76, tk::part<4, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                tk::stripe<float, 128, 16, 128, 1, 2> t39;
                tk::map(t39, [](float h, float t76) { return h * t76; }, h, t76);
                tk::stripe<float, 128, 1, 128, 1, 2> t40;
                tk::fold_rows(t40, t39, tk::plus{}, thread);
                tk::finish_rows(t40, tk::plus{});
                tk::map(y, thread, [](int, int col, float t40, float y) {
                    return col == 4 ? t40 : y;
                }, t40, y);
                // selective_scan.tk:13
                tk::stripe<float, 128, 1, 128, 1, 2> t43;
                tk::slice_registers<0, 5>(t43, dt);
                tk::stripe<float, 128, 1, 128, 1, 2> t44;
                tk::slice_registers<0, 5>(t44, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 2> t45;
                tk::slice_registers<0, 5>(t45, u);
                // selective_scan.tk:18
                tk::stripe<float, 128, 1, 128, 1, 2> t64;
                tk::map(t64, [](float t44, tk::bf16 t45) { return t44 * float(t45); }, t44, t45);
                tk::stripe<float, 1, 16, 128, 1, 2> t77;
                tk::load_shared(t77, tk::part<5, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                tk::map(h, [](float t43, float a, float h, float t64, float t77) {
                    return tk::fma(tk::exp2(t43 * a), h, t64 * t77);
                }, t43, a, h, t64, t77);
                // selective_scan.tk:19
                tk::stripe<float, 1, 16, 128, 1, 2> t78;
                tk::load_shared(t78, tk::part<5, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                tk::stripe<float, 128, 16, 128, 1, 2> t46;
                tk::map(t46, [](float h, float t78) { return h * t78; }, h, t78);
                tk::stripe<float, 128, 1, 128, 1, 2> t47;
                tk::fold_rows(t47, t46, tk::plus{}, thread);
                tk::finish_rows(t47, tk::plus{});
                tk::map(y, thread, [](int, int col, float t47, float y) {
                    return col == 5 ? t47 : y;
                }, t47, y);
                // selective_scan.tk:13
                tk::stripe<float, 128, 1, 128, 1, 2> t50;
                tk::slice_registers<0, 6>(t50, dt);
                tk::stripe<float, 128, 1, 128, 1, 2> t51;
                tk::slice_registers<0, 6>(t51, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 2> t52;
                tk::slice_registers<0, 6>(t52, u);
                // selective_scan.tk:18
                tk::stripe<float, 128, 1, 128, 1, 2> t65;
                tk::map(t65, [](float t51, tk::bf16 t52) { return t51 * float(t52); }, t51, t52);
                tk::stripe<float, 1, 16, 128, 1, 2> t79;
                tk::load_shared(t79, tk::part<6, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                tk::map(h, [](float t50, float a, float h, float t65, float t79) {
                    return tk::fma(tk::exp2(t50 * a), h, t65 * t79);
                }, t50, a, h, t65, t79);
                // selective_scan.tk:19
                tk::stripe<float, 1, 16, 128, 1, 2> t80;
                tk::load_shared(t80, tk::part<6, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                tk::stripe<float, 128, 16, 128, 1, 2> t53;
                tk::map(t53, [](float h, float t80) { return h * t80; }, h, t80);
                tk::stripe<float, 128, 1, 128, 1, 2> t54;
                tk::fold_rows(t54, t53, tk::plus{}, thread);
                tk::finish_rows(t54, tk::plus{});
                tk::map(y, thread, [](int, int col, float t54, float y) {
                    return col == 6 ? t54 : y;
                }, t54, y);
                // selective_scan.tk:13
                tk::stripe<float, 128, 1, 128, 1, 2> t57;
                tk::slice_registers<0, 7>(t57, dt);
                tk::stripe<float, 128, 1, 128, 1, 2> t58;
                tk::slice_registers<0, 7>(t58, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 2> t59;
                tk::slice_registers<0, 7>(t59, u);
                // selective_scan.tk:18
                tk::stripe<float, 128, 1, 128, 1, 2> t66;
                tk::map(t66, [](float t58, tk::bf16 t59) { return t58 * float(t59); }, t58, t59);
                tk::stripe<float, 1, 16, 128, 1, 2> t81;
                tk::load_shared(t81, tk::part<7, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                tk::map(h, [](float t57, float a, float h, float t66, float t81) {
                    return tk::fma(tk::exp2(t57 * a), h, t66 * t81);
                }, t57, a, h, t66, t81);
                // selective_scan.tk:19
                tk::stripe<float, 1, 16, 128, 1, 2> t82;
                tk::load_shared(t82, tk::part<7, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                shared.bc.release_after_loads(n, tk::ordinary_alone{});
                tk::stripe<float, 128, 16, 128, 1, 2> t60;
                tk::map(t60, [](float h, float t82) { return h * t82; }, h, t82);
                tk::stripe<float, 128, 1, 128, 1, 2> t61;
                tk::fold_rows(t61, t60, tk::plus{}, thread);
                tk::finish_rows(t61, tk::plus{});
                tk::map(y, thread, [](int, int col, float t61, float y) {
                    return col == 7 ? t61 : y;
                }, t61, y);

                // selective_scan.tk:68: y += skip * u;
                tk::map(y, [](float y, float skip, tk::bf16 u) {
                    return tk::fma(skip, float(u), y);
                }, y, skip, u);

                // selective_scan.tk:70: store(Y[b, g, d, t], T(y));
                tk::stripe<tk::bf16, 128, 8, 128, 1, 2> t62 = tk::convert<tk::bf16>(y);
                tk::store_global(tk::slice(Y, {b, g, d, t}, CG - d, L - t), t62, thread);
            }
        }

        // selective_scan.tk:73: if p == segments - 1 { store(State[b, g, d, :], h); }
        if (p == segments - 1) {
            tk::store_global(tk::slice(State, {b, g, d, 0}, b < F ? CG - d : 0, 16), h, thread);
        }
    }
}

// selective_scan_narrow: kernel selective_scan with T = bf16, TD = bf16, TB = f32, S = 16, GATED =
// false, SOFTPLUS = true, BD = 32.
// producer: 1 warp, 128 registers a thread; scan: 1 warp, 128 registers a thread.
// 64 threads, 128 registers each, 8320 bytes of shared memory.
struct selective_scan_narrow_shared {
    tk::shared_tile<float, 8, 16> bc_b[8];
    tk::shared_tile<float, 8, 16> bc_c[8];
    tk::pipeline<8> bc;
};
static_assert(offsetof(selective_scan_narrow_shared, bc) == 8192);

__global__ void __launch_bounds__(64, 8) selective_scan_narrow_kernel(
    const __grid_constant__ CUtensorMap Bm_map, const __grid_constant__ CUtensorMap C_map,
    const tk::tensor_argument<const tk::bf16, 4> U, const tk::tensor_argument<const tk::bf16, 4> Dt,
    const tk::tensor_argument<const float, 3> A, const tk::tensor_argument<const float, 2> D,
    const tk::tensor_argument<const float, 2> bias, const tk::tensor_argument<const float, 4> S0,
    const tk::tensor_argument<tk::bf16, 4> Y, const tk::tensor_argument<float, 4> State,
    const tk::tensor_argument<float, 5> Saved, int B, int G, int CG, int L, int I, int F, int V,
    int segments, int chunks) {
    extern __shared__ __align__(1024) unsigned char memory[];
    selective_scan_narrow_shared& shared = *reinterpret_cast<selective_scan_narrow_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Bm_map, C_map);
        shared.bc.init(1, 1);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int d_tiles = tk::tiles(CG, 32);
    const int p_tiles = tk::max(segments, 0);
    const int warp = tk::warp_index();

    // selective_scan.tk:41: role producer(1 warp) {
    if (warp == 0 && tk::elect_one()) {
        tk::cursor<8> bc_next;
        const int program = blockIdx.x;
        const int g = program / d_tiles % G;
        const int p = program / (d_tiles * G) % p_tiles;
        const int b = program / (d_tiles * G * p_tiles);

        // selective_scan.tk:38: let first = max(p * chunks, 0);
        const int first = tk::max(p * chunks, 0);

        // selective_scan.tk:42: for s in first..min(first + chunks, ceil_div(L, 32)) {
        #pragma unroll 1
        for (int s = first; s < tk::min(first + chunks, tk::divide_up(L, 32)); s += 1) {
            // selective_scan.tk:43: for t in s * 32..min(s * 32 + 32, L) by 8 { produce bc { b = ..
            #pragma unroll 1
            for (int t = s * 32; t < tk::min(s * 32 + 32, L); t += 8) {
                shared.bc.begin(bc_next, 1024);
                tk::tma_load(shared.bc_b[bc_next.stage], Bm_map, shared.bc.full[bc_next.stage], b,
                             g, t, 0);
                tk::tma_load(shared.bc_c[bc_next.stage], C_map, shared.bc.full[bc_next.stage], b, g,
                             t, 0);
                bc_next.advance();
            }
        }
    }
    // selective_scan.tk:47: role scan(BD // 32 warps) {
    if (warp == 1) {
        const int thread = int(threadIdx.x) - 32;
        tk::cursor<8> bc_next;
        const int program = blockIdx.x;
        const int d = program % d_tiles * 32;
        const int g = program / d_tiles % G;
        const int p = program / (d_tiles * G) % p_tiles;
        const int b = program / (d_tiles * G * p_tiles);

        // selective_scan.tk:38: let first = max(p * chunks, 0);
        const int first = tk::max(p * chunks, 0);

        // selective_scan.tk:48: let a    = load(A[g, d, :]) * LOG2E;
        tk::stripe<float, 32, 16, 32, 1, 8> t0;
        tk::load_vectors(t0, tk::dense_slice(A, {g, d, 0}, CG - d, 16), thread);
        tk::stripe<float, 32, 16, 32, 1, 8> a;
        tk::map(a, [](float t0) { return t0 * 1.442695f; }, t0);

        // selective_scan.tk:49: let skip = column(load(D[g, d]));
        tk::stripe<float, 32, 1, 32, 1, 8> skip;
        tk::load_global(skip, tk::slice<1, tk::no_axis>(D, {g, d}, CG - d, 1), thread);

        // selective_scan.tk:50: let add  = column(load(bias[g, d]));
        tk::stripe<float, 32, 1, 32, 1, 8> add;
        tk::load_global(add, tk::slice<1, tk::no_axis>(bias, {g, d}, CG - d, 1), thread);

        // selective_scan.tk:51: var h    = load(S0[b * segments + p, g, d, :]);
        tk::stripe<float, 32, 16, 32, 1, 8> h;
        tk::load_vectors(h,
                         tk::dense_slice(S0, {b * segments + p, g, d, 0},
                                         b * segments + p > -1 && b * segments + p < I ? CG - d : 0,
                                         16), thread);

        // selective_scan.tk:52: for s in first..min(first + chunks, ceil_div(L, 32)) {
        tk::stripe<float, 32, 8, 32, 1, 8> y;
        for (int s = first; s < tk::min(first + chunks, tk::divide_up(L, 32)); s += 1) {
            // selective_scan.tk:53: store(Saved[b, s, g, d, :], h);
            tk::store_vectors(
                tk::dense_slice(Saved, {b, s, g, d, 0},
                                s < tk::divide_up(L, 32) ? (b < V ? CG - d : 0) : 0, 16), h,
                thread);

            // selective_scan.tk:54: for t in s * 32..min(s * 32 + 32, L) by 8 {
            for (int t = s * 32; t < tk::min(s * 32 + 32, L); t += 8) {
                // selective_scan.tk:55: let u  = load(U[b, g, d, t]);
                tk::stripe<tk::bf16, 32, 8, 32, 1, 8> u;
                tk::load_vectors(u, tk::vector_slice(U, {b, g, d, t}, CG - d, L - t), thread);

                // selective_scan.tk:56: let dt = step_sizes(f32(load(Dt[b, g, d, t])) + add, L - ..
                tk::stripe<tk::bf16, 32, 8, 32, 1, 8> t5;
                tk::load_vectors(t5, tk::vector_slice(Dt, {b, g, d, t}, CG - d, L - t), thread);
                tk::stripe<float, 32, 8, 32, 1, 8> dt;
                tk::map(dt, thread, [&](int, int col, tk::bf16 t5, float add) {
                    const float x = col < L - t ? float(t5) + add : -INFINITY;
                    const float x_2 = tk::exp(-tk::abs(x));
                    const float x_3 = tk::divide(x_2, 2.0f + x_2);
                    const float x_4 = x_3 * x_3;
                    return tk::fma(
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
                                1.0f), tk::max(x, 0.0f));
                }, t5, add);

                // selective_scan.tk:57: var y: f32[BD, 8] = 0;
                tk::zero(y);

                // selective_scan.tk:58: consume bc as n {
                const tk::cursor<8> n = shared.bc.take(bc_next);

                // selective_scan.tk:13: return exp2(dt[:, I +: 1] * a) * h + dt[:, I +: 1] * ..
                tk::stripe<float, 32, 1, 32, 1, 8> t8;
                tk::slice_registers<0, 0>(t8, dt);
                tk::stripe<float, 32, 1, 32, 1, 8> t9;
                tk::slice_registers<0, 0>(t9, dt);
                tk::stripe<tk::bf16, 32, 1, 32, 1, 8> t10;
                tk::slice_registers<0, 0>(t10, u);

                // selective_scan.tk:18: h = next<I>(h, a, dt, u, bm);
                tk::stripe<float, 32, 1, 32, 1, 8> t1;
                tk::map(t1, [](float t9, tk::bf16 t10) { return t9 * float(t10); }, t9, t10);
                tk::stripe<float, 1, 16, 32, 1, 8> t67;
                tk::load_shared(t67, tk::part<0, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                tk::map(h, [](float t8, float a, float h, float t1, float t67) {
                    return tk::fma(tk::exp2(t8 * a), h, t1 * t67);
                }, t8, a, h, t1, t67);

                // selective_scan.tk:19: y = where(col_index(y) == I, sum(h * cm, axis = 1), y);
                tk::stripe<float, 1, 16, 32, 1, 8> t68;
                tk::load_shared(t68, tk::part<0, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                tk::stripe<float, 32, 16, 32, 1, 8> t11;
                tk::map(t11, [](float h, float t68) { return h * t68; }, h, t68);
                tk::stripe<float, 32, 1, 32, 1, 8> t12;
                tk::fold_rows(t12, t11, tk::plus{}, thread);
                tk::finish_rows(t12, tk::plus{});
                tk::map(y, thread, [](int, int col, float t12, float y) {
                    return col == 0 ? t12 : y;
                }, t12, y);
                // selective_scan.tk:13
                tk::stripe<float, 32, 1, 32, 1, 8> t15;
                tk::slice_registers<0, 1>(t15, dt);
                tk::stripe<float, 32, 1, 32, 1, 8> t16;
                tk::slice_registers<0, 1>(t16, dt);
                tk::stripe<tk::bf16, 32, 1, 32, 1, 8> t17;
                tk::slice_registers<0, 1>(t17, u);
                // selective_scan.tk:18
                tk::stripe<float, 32, 1, 32, 1, 8> t2;
                tk::map(t2, [](float t16, tk::bf16 t17) { return t16 * float(t17); }, t16, t17);
                tk::stripe<float, 1, 16, 32, 1, 8> t69;
                tk::load_shared(t69, tk::part<1, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                tk::map(h, [](float t15, float a, float h, float t2, float t69) {
                    return tk::fma(tk::exp2(t15 * a), h, t2 * t69);
                }, t15, a, h, t2, t69);
                // selective_scan.tk:19
                tk::stripe<float, 1, 16, 32, 1, 8> t70;
                tk::load_shared(t70, tk::part<1, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                tk::stripe<float, 32, 16, 32, 1, 8> t18;
                tk::map(t18, [](float h, float t70) { return h * t70; }, h, t70);
                tk::stripe<float, 32, 1, 32, 1, 8> t19;
                tk::fold_rows(t19, t18, tk::plus{}, thread);
                tk::finish_rows(t19, tk::plus{});
                tk::map(y, thread, [](int, int col, float t19, float y) {
                    return col == 1 ? t19 : y;
                }, t19, y);
                // selective_scan.tk:13
                tk::stripe<float, 32, 1, 32, 1, 8> t22;
                tk::slice_registers<0, 2>(t22, dt);
                tk::stripe<float, 32, 1, 32, 1, 8> t23;
                tk::slice_registers<0, 2>(t23, dt);
                tk::stripe<tk::bf16, 32, 1, 32, 1, 8> t24;
                tk::slice_registers<0, 2>(t24, u);
                // selective_scan.tk:18
                tk::stripe<float, 32, 1, 32, 1, 8> t3;
                tk::map(t3, [](float t23, tk::bf16 t24) { return t23 * float(t24); }, t23, t24);
                tk::stripe<float, 1, 16, 32, 1, 8> t71;
                tk::load_shared(t71, tk::part<2, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                tk::map(h, [](float t22, float a, float h, float t3, float t71) {
                    return tk::fma(tk::exp2(t22 * a), h, t3 * t71);
                }, t22, a, h, t3, t71);
                // selective_scan.tk:19
                tk::stripe<float, 1, 16, 32, 1, 8> t72;
                tk::load_shared(t72, tk::part<2, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                tk::stripe<float, 32, 16, 32, 1, 8> t25;
                tk::map(t25, [](float h, float t72) { return h * t72; }, h, t72);
                tk::stripe<float, 32, 1, 32, 1, 8> t26;
                tk::fold_rows(t26, t25, tk::plus{}, thread);
                tk::finish_rows(t26, tk::plus{});
                tk::map(y, thread, [](int, int col, float t26, float y) {
                    return col == 2 ? t26 : y;
                }, t26, y);
                // selective_scan.tk:13
                tk::stripe<float, 32, 1, 32, 1, 8> t29;
                tk::slice_registers<0, 3>(t29, dt);
                tk::stripe<float, 32, 1, 32, 1, 8> t30;
                tk::slice_registers<0, 3>(t30, dt);
                tk::stripe<tk::bf16, 32, 1, 32, 1, 8> t31;
                tk::slice_registers<0, 3>(t31, u);
                // selective_scan.tk:18
                tk::stripe<float, 32, 1, 32, 1, 8> t4;
                tk::map(t4, [](float t30, tk::bf16 t31) { return t30 * float(t31); }, t30, t31);
                tk::stripe<float, 1, 16, 32, 1, 8> t73;
                tk::load_shared(t73, tk::part<3, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                tk::map(h, [](float t29, float a, float h, float t4, float t73) {
                    return tk::fma(tk::exp2(t29 * a), h, t4 * t73);
                }, t29, a, h, t4, t73);
                // selective_scan.tk:19
                tk::stripe<float, 1, 16, 32, 1, 8> t74;
                tk::load_shared(t74, tk::part<3, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                tk::stripe<float, 32, 16, 32, 1, 8> t32;
                tk::map(t32, [](float h, float t74) { return h * t74; }, h, t74);
                tk::stripe<float, 32, 1, 32, 1, 8> t33;
                tk::fold_rows(t33, t32, tk::plus{}, thread);
                tk::finish_rows(t33, tk::plus{});
                tk::map(y, thread, [](int, int col, float t33, float y) {
                    return col == 3 ? t33 : y;
                }, t33, y);
                // selective_scan.tk:13
                tk::stripe<float, 32, 1, 32, 1, 8> t36;
                tk::slice_registers<0, 4>(t36, dt);
                tk::stripe<float, 32, 1, 32, 1, 8> t37;
                tk::slice_registers<0, 4>(t37, dt);
                tk::stripe<tk::bf16, 32, 1, 32, 1, 8> t38;
                tk::slice_registers<0, 4>(t38, u);
                // selective_scan.tk:18
                tk::stripe<float, 32, 1, 32, 1, 8> t63;
                tk::map(t63, [](float t37, tk::bf16 t38) { return t37 * float(t38); }, t37, t38);
                tk::stripe<float, 1, 16, 32, 1, 8> t75;
                tk::load_shared(t75, tk::part<4, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                tk::map(h, [](float t36, float a, float h, float t63, float t75) {
                    return tk::fma(tk::exp2(t36 * a), h, t63 * t75);
                }, t36, a, h, t63, t75);
                // selective_scan.tk:19
                tk::stripe<float, 1, 16, 32, 1, 8> t76;
                tk::load_shared(t76, tk::part<4, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                tk::stripe<float, 32, 16, 32, 1, 8> t39;
                tk::map(t39, [](float h, float t76) { return h * t76; }, h, t76);
                tk::stripe<float, 32, 1, 32, 1, 8> t40;
                tk::fold_rows(t40, t39, tk::plus{}, thread);
                tk::finish_rows(t40, tk::plus{});
                tk::map(y, thread, [](int, int col, float t40, float y) {
                    return col == 4 ? t40 : y;
                }, t40, y);
                // selective_scan.tk:13
                tk::stripe<float, 32, 1, 32, 1, 8> t43;
                tk::slice_registers<0, 5>(t43, dt);
                tk::stripe<float, 32, 1, 32, 1, 8> t44;
                tk::slice_registers<0, 5>(t44, dt);
                tk::stripe<tk::bf16, 32, 1, 32, 1, 8> t45;
                tk::slice_registers<0, 5>(t45, u);
                // selective_scan.tk:18
                tk::stripe<float, 32, 1, 32, 1, 8> t64;
                tk::map(t64, [](float t44, tk::bf16 t45) { return t44 * float(t45); }, t44, t45);
                tk::stripe<float, 1, 16, 32, 1, 8> t77;
                tk::load_shared(t77, tk::part<5, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                tk::map(h, [](float t43, float a, float h, float t64, float t77) {
                    return tk::fma(tk::exp2(t43 * a), h, t64 * t77);
                }, t43, a, h, t64, t77);
                // selective_scan.tk:19
                tk::stripe<float, 1, 16, 32, 1, 8> t78;
                tk::load_shared(t78, tk::part<5, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                tk::stripe<float, 32, 16, 32, 1, 8> t46;
                tk::map(t46, [](float h, float t78) { return h * t78; }, h, t78);
                tk::stripe<float, 32, 1, 32, 1, 8> t47;
                tk::fold_rows(t47, t46, tk::plus{}, thread);
                tk::finish_rows(t47, tk::plus{});
                tk::map(y, thread, [](int, int col, float t47, float y) {
                    return col == 5 ? t47 : y;
                }, t47, y);
                // selective_scan.tk:13
                tk::stripe<float, 32, 1, 32, 1, 8> t50;
                tk::slice_registers<0, 6>(t50, dt);
                tk::stripe<float, 32, 1, 32, 1, 8> t51;
                tk::slice_registers<0, 6>(t51, dt);
                tk::stripe<tk::bf16, 32, 1, 32, 1, 8> t52;
                tk::slice_registers<0, 6>(t52, u);
                // selective_scan.tk:18
                tk::stripe<float, 32, 1, 32, 1, 8> t65;
                tk::map(t65, [](float t51, tk::bf16 t52) { return t51 * float(t52); }, t51, t52);
                tk::stripe<float, 1, 16, 32, 1, 8> t79;
                tk::load_shared(t79, tk::part<6, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                tk::map(h, [](float t50, float a, float h, float t65, float t79) {
                    return tk::fma(tk::exp2(t50 * a), h, t65 * t79);
                }, t50, a, h, t65, t79);
                // selective_scan.tk:19
                tk::stripe<float, 1, 16, 32, 1, 8> t80;
                tk::load_shared(t80, tk::part<6, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                tk::stripe<float, 32, 16, 32, 1, 8> t53;
                tk::map(t53, [](float h, float t80) { return h * t80; }, h, t80);
                tk::stripe<float, 32, 1, 32, 1, 8> t54;
                tk::fold_rows(t54, t53, tk::plus{}, thread);
                tk::finish_rows(t54, tk::plus{});
                tk::map(y, thread, [](int, int col, float t54, float y) {
                    return col == 6 ? t54 : y;
                }, t54, y);
                // selective_scan.tk:13
                tk::stripe<float, 32, 1, 32, 1, 8> t57;
                tk::slice_registers<0, 7>(t57, dt);
                tk::stripe<float, 32, 1, 32, 1, 8> t58;
                tk::slice_registers<0, 7>(t58, dt);
                tk::stripe<tk::bf16, 32, 1, 32, 1, 8> t59;
                tk::slice_registers<0, 7>(t59, u);
                // selective_scan.tk:18
                tk::stripe<float, 32, 1, 32, 1, 8> t66;
                tk::map(t66, [](float t58, tk::bf16 t59) { return t58 * float(t59); }, t58, t59);
                tk::stripe<float, 1, 16, 32, 1, 8> t81;
                tk::load_shared(t81, tk::part<7, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                tk::map(h, [](float t57, float a, float h, float t66, float t81) {
                    return tk::fma(tk::exp2(t57 * a), h, t66 * t81);
                }, t57, a, h, t66, t81);
                // selective_scan.tk:19
                tk::stripe<float, 1, 16, 32, 1, 8> t82;
                tk::load_shared(t82, tk::part<7, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                shared.bc.release_after_loads(n);
                tk::stripe<float, 32, 16, 32, 1, 8> t60;
                tk::map(t60, [](float h, float t82) { return h * t82; }, h, t82);
                tk::stripe<float, 32, 1, 32, 1, 8> t61;
                tk::fold_rows(t61, t60, tk::plus{}, thread);
                tk::finish_rows(t61, tk::plus{});
                tk::map(y, thread, [](int, int col, float t61, float y) {
                    return col == 7 ? t61 : y;
                }, t61, y);

                // selective_scan.tk:68: y += skip * u;
                tk::map(y, [](float y, float skip, tk::bf16 u) {
                    return tk::fma(skip, float(u), y);
                }, y, skip, u);

                // selective_scan.tk:70: store(Y[b, g, d, t], T(y));
                tk::stripe<tk::bf16, 32, 8, 32, 1, 8> t62 = tk::convert<tk::bf16>(y);
                tk::store_vectors(tk::vector_slice(Y, {b, g, d, t}, CG - d, L - t), t62, thread);
            }
        }

        // selective_scan.tk:73: if p == segments - 1 { store(State[b, g, d, :], h); }
        if (p == segments - 1) {
            tk::store_vectors(tk::dense_slice(State, {b, g, d, 0}, b < F ? CG - d : 0, 16), h,
                              thread);
        }
    }
}

// selective_scan_narrow_general: kernel selective_scan with T = bf16, TD = bf16, TB = f32, S = 16,
// GATED = false, SOFTPLUS = true, BD = 32; any strides and alignment.
// producer: 1 warp, 255 registers a thread; scan: 1 warp, 255 registers a thread.
// 64 threads, 255 registers each, 8320 bytes of shared memory.
struct selective_scan_narrow_general_shared {
    tk::shared_tile<float, 8, 16> bc_b[8];
    tk::shared_tile<float, 8, 16> bc_c[8];
    tk::pipeline<8> bc;
};
static_assert(offsetof(selective_scan_narrow_general_shared, bc) == 8192);

__global__ void __launch_bounds__(64, 1) selective_scan_narrow_general_kernel(
    const tk::tensor_argument<const tk::bf16, 4> U, const tk::tensor_argument<const tk::bf16, 4> Dt,
    const tk::tensor_argument<const float, 3> A, const tk::tensor_argument<const float, 4> Bm,
    const tk::tensor_argument<const float, 4> C, const tk::tensor_argument<const float, 2> D,
    const tk::tensor_argument<const float, 2> bias, const tk::tensor_argument<const float, 4> S0,
    const tk::tensor_argument<tk::bf16, 4> Y, const tk::tensor_argument<float, 4> State,
    const tk::tensor_argument<float, 5> Saved, int B, int G, int CG, int L, int I, int F, int V,
    int segments, int chunks) {
    extern __shared__ __align__(1024) unsigned char memory[];
    selective_scan_narrow_general_shared& shared =
        *reinterpret_cast<selective_scan_narrow_general_shared*>(memory);

    if (threadIdx.x == 0) {
        shared.bc.init(1, 1);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int d_tiles = tk::tiles(CG, 32);
    const int p_tiles = tk::max(segments, 0);
    const int warp = tk::warp_index();

    // selective_scan.tk:41: role producer(1 warp) {
    if (warp == 0) {
        const int thread = int(threadIdx.x);
        tk::cursor<8> bc_next;
        const int program = blockIdx.x;
        const int g = program / d_tiles % G;
        const int p = program / (d_tiles * G) % p_tiles;
        const int b = program / (d_tiles * G * p_tiles);

        // selective_scan.tk:38: let first = max(p * chunks, 0);
        const int first = tk::max(p * chunks, 0);

        // selective_scan.tk:42: for s in first..min(first + chunks, ceil_div(L, 32)) {
        #pragma unroll 1
        for (int s = first; s < tk::min(first + chunks, tk::divide_up(L, 32)); s += 1) {
            // selective_scan.tk:43: for t in s * 32..min(s * 32 + 32, L) by 8 { produce bc { b = ..
            #pragma unroll 1
            for (int t = s * 32; t < tk::min(s * 32 + 32, L); t += 8) {
                shared.bc.wait_empty(bc_next);
                tk::copy_to_shared(shared.bc_b[bc_next.stage],
                                   tk::slice(Bm, {b, g, t, 0}, L - t, 16), thread, 32);
                tk::copy_to_shared(shared.bc_c[bc_next.stage],
                                   tk::slice(C, {b, g, t, 0}, L - t, 16), thread, 32);
                shared.bc.publish(bc_next, tk::ordinary_alone{});
                bc_next.advance();
            }
        }
    }
    // selective_scan.tk:47: role scan(BD // 32 warps) {
    if (warp == 1) {
        const int thread = int(threadIdx.x) - 32;
        tk::cursor<8> bc_next;
        const int program = blockIdx.x;
        const int d = program % d_tiles * 32;
        const int g = program / d_tiles % G;
        const int p = program / (d_tiles * G) % p_tiles;
        const int b = program / (d_tiles * G * p_tiles);

        // selective_scan.tk:38: let first = max(p * chunks, 0);
        const int first = tk::max(p * chunks, 0);

        // selective_scan.tk:48: let a    = load(A[g, d, :]) * LOG2E;
        tk::stripe<float, 32, 16, 32, 1, 2> t0;
        tk::load_global(t0, tk::slice(A, {g, d, 0}, CG - d, 16), thread);
        tk::stripe<float, 32, 16, 32, 1, 2> a;
        tk::map(a, [](float t0) { return t0 * 1.442695f; }, t0);

        // selective_scan.tk:49: let skip = column(load(D[g, d]));
        tk::stripe<float, 32, 1, 32, 1, 2> skip;
        tk::load_global(skip, tk::slice<1, tk::no_axis>(D, {g, d}, CG - d, 1), thread);

        // selective_scan.tk:50: let add  = column(load(bias[g, d]));
        tk::stripe<float, 32, 1, 32, 1, 2> add;
        tk::load_global(add, tk::slice<1, tk::no_axis>(bias, {g, d}, CG - d, 1), thread);

        // selective_scan.tk:51: var h    = load(S0[b * segments + p, g, d, :]);
        tk::stripe<float, 32, 16, 32, 1, 2> h;
        tk::load_global(h,
                        tk::slice(S0, {b * segments + p, g, d, 0},
                                  b * segments + p > -1 && b * segments + p < I ? CG - d : 0, 16),
                        thread);

        // selective_scan.tk:52: for s in first..min(first + chunks, ceil_div(L, 32)) {
        tk::stripe<float, 32, 8, 32, 1, 2> y;
        for (int s = first; s < tk::min(first + chunks, tk::divide_up(L, 32)); s += 1) {
            // selective_scan.tk:53: store(Saved[b, s, g, d, :], h);
            tk::store_global(
                tk::slice(Saved, {b, s, g, d, 0},
                          s < tk::divide_up(L, 32) ? (b < V ? CG - d : 0) : 0, 16), h, thread);

            // selective_scan.tk:54: for t in s * 32..min(s * 32 + 32, L) by 8 {
            for (int t = s * 32; t < tk::min(s * 32 + 32, L); t += 8) {
                // selective_scan.tk:55: let u  = load(U[b, g, d, t]);
                tk::stripe<tk::bf16, 32, 8, 32, 1, 2> u;
                tk::load_global(u, tk::slice(U, {b, g, d, t}, CG - d, L - t), thread);

                // selective_scan.tk:56: let dt = step_sizes(f32(load(Dt[b, g, d, t])) + add, L - ..
                tk::stripe<tk::bf16, 32, 8, 32, 1, 2> t5;
                tk::load_global(t5, tk::slice(Dt, {b, g, d, t}, CG - d, L - t), thread);
                tk::stripe<float, 32, 8, 32, 1, 2> dt;
                tk::map(dt, thread, [&](int, int col, tk::bf16 t5, float add) {
                    const float x = col < L - t ? float(t5) + add : -INFINITY;
                    const float x_2 = tk::exp(-tk::abs(x));
                    const float x_3 = tk::divide(x_2, 2.0f + x_2);
                    const float x_4 = x_3 * x_3;
                    return tk::fma(
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
                                1.0f), tk::max(x, 0.0f));
                }, t5, add);

                // selective_scan.tk:57: var y: f32[BD, 8] = 0;
                tk::zero(y);

                // selective_scan.tk:58: consume bc as n {
                const tk::cursor<8> n = shared.bc.take(bc_next);

                // selective_scan.tk:13: return exp2(dt[:, I +: 1] * a) * h + dt[:, I +: 1] * ..
                tk::stripe<float, 32, 1, 32, 1, 2> t8;
                tk::slice_registers<0, 0>(t8, dt);
                tk::stripe<float, 32, 1, 32, 1, 2> t9;
                tk::slice_registers<0, 0>(t9, dt);
                tk::stripe<tk::bf16, 32, 1, 32, 1, 2> t10;
                tk::slice_registers<0, 0>(t10, u);

                // selective_scan.tk:18: h = next<I>(h, a, dt, u, bm);
                tk::stripe<float, 32, 1, 32, 1, 2> t1;
                tk::map(t1, [](float t9, tk::bf16 t10) { return t9 * float(t10); }, t9, t10);
                tk::stripe<float, 1, 16, 32, 1, 2> t67;
                tk::load_shared(t67, tk::part<0, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                tk::map(h, [](float t8, float a, float h, float t1, float t67) {
                    return tk::fma(tk::exp2(t8 * a), h, t1 * t67);
                }, t8, a, h, t1, t67);

                // selective_scan.tk:19: y = where(col_index(y) == I, sum(h * cm, axis = 1), y);
                tk::stripe<float, 1, 16, 32, 1, 2> t68;
                tk::load_shared(t68, tk::part<0, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                tk::stripe<float, 32, 16, 32, 1, 2> t11;
                tk::map(t11, [](float h, float t68) { return h * t68; }, h, t68);
                tk::stripe<float, 32, 1, 32, 1, 2> t12;
                tk::fold_rows(t12, t11, tk::plus{}, thread);
                tk::finish_rows(t12, tk::plus{});
                tk::map(y, thread, [](int, int col, float t12, float y) {
                    return col == 0 ? t12 : y;
                }, t12, y);
                // selective_scan.tk:13
                tk::stripe<float, 32, 1, 32, 1, 2> t15;
                tk::slice_registers<0, 1>(t15, dt);
                tk::stripe<float, 32, 1, 32, 1, 2> t16;
                tk::slice_registers<0, 1>(t16, dt);
                tk::stripe<tk::bf16, 32, 1, 32, 1, 2> t17;
                tk::slice_registers<0, 1>(t17, u);
                // selective_scan.tk:18
                tk::stripe<float, 32, 1, 32, 1, 2> t2;
                tk::map(t2, [](float t16, tk::bf16 t17) { return t16 * float(t17); }, t16, t17);
                tk::stripe<float, 1, 16, 32, 1, 2> t69;
                tk::load_shared(t69, tk::part<1, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                tk::map(h, [](float t15, float a, float h, float t2, float t69) {
                    return tk::fma(tk::exp2(t15 * a), h, t2 * t69);
                }, t15, a, h, t2, t69);
                // selective_scan.tk:19
                tk::stripe<float, 1, 16, 32, 1, 2> t70;
                tk::load_shared(t70, tk::part<1, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                tk::stripe<float, 32, 16, 32, 1, 2> t18;
                tk::map(t18, [](float h, float t70) { return h * t70; }, h, t70);
                tk::stripe<float, 32, 1, 32, 1, 2> t19;
                tk::fold_rows(t19, t18, tk::plus{}, thread);
                tk::finish_rows(t19, tk::plus{});
                tk::map(y, thread, [](int, int col, float t19, float y) {
                    return col == 1 ? t19 : y;
                }, t19, y);
                // selective_scan.tk:13
                tk::stripe<float, 32, 1, 32, 1, 2> t22;
                tk::slice_registers<0, 2>(t22, dt);
                tk::stripe<float, 32, 1, 32, 1, 2> t23;
                tk::slice_registers<0, 2>(t23, dt);
                tk::stripe<tk::bf16, 32, 1, 32, 1, 2> t24;
                tk::slice_registers<0, 2>(t24, u);
                // selective_scan.tk:18
                tk::stripe<float, 32, 1, 32, 1, 2> t3;
                tk::map(t3, [](float t23, tk::bf16 t24) { return t23 * float(t24); }, t23, t24);
                tk::stripe<float, 1, 16, 32, 1, 2> t71;
                tk::load_shared(t71, tk::part<2, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                tk::map(h, [](float t22, float a, float h, float t3, float t71) {
                    return tk::fma(tk::exp2(t22 * a), h, t3 * t71);
                }, t22, a, h, t3, t71);
                // selective_scan.tk:19
                tk::stripe<float, 1, 16, 32, 1, 2> t72;
                tk::load_shared(t72, tk::part<2, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                tk::stripe<float, 32, 16, 32, 1, 2> t25;
                tk::map(t25, [](float h, float t72) { return h * t72; }, h, t72);
                tk::stripe<float, 32, 1, 32, 1, 2> t26;
                tk::fold_rows(t26, t25, tk::plus{}, thread);
                tk::finish_rows(t26, tk::plus{});
                tk::map(y, thread, [](int, int col, float t26, float y) {
                    return col == 2 ? t26 : y;
                }, t26, y);
                // selective_scan.tk:13
                tk::stripe<float, 32, 1, 32, 1, 2> t29;
                tk::slice_registers<0, 3>(t29, dt);
                tk::stripe<float, 32, 1, 32, 1, 2> t30;
                tk::slice_registers<0, 3>(t30, dt);
                tk::stripe<tk::bf16, 32, 1, 32, 1, 2> t31;
                tk::slice_registers<0, 3>(t31, u);
                // selective_scan.tk:18
                tk::stripe<float, 32, 1, 32, 1, 2> t4;
                tk::map(t4, [](float t30, tk::bf16 t31) { return t30 * float(t31); }, t30, t31);
                tk::stripe<float, 1, 16, 32, 1, 2> t73;
                tk::load_shared(t73, tk::part<3, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                tk::map(h, [](float t29, float a, float h, float t4, float t73) {
                    return tk::fma(tk::exp2(t29 * a), h, t4 * t73);
                }, t29, a, h, t4, t73);
                // selective_scan.tk:19
                tk::stripe<float, 1, 16, 32, 1, 2> t74;
                tk::load_shared(t74, tk::part<3, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                tk::stripe<float, 32, 16, 32, 1, 2> t32;
                tk::map(t32, [](float h, float t74) { return h * t74; }, h, t74);
                tk::stripe<float, 32, 1, 32, 1, 2> t33;
                tk::fold_rows(t33, t32, tk::plus{}, thread);
                tk::finish_rows(t33, tk::plus{});
                tk::map(y, thread, [](int, int col, float t33, float y) {
                    return col == 3 ? t33 : y;
                }, t33, y);
                // selective_scan.tk:13
                tk::stripe<float, 32, 1, 32, 1, 2> t36;
                tk::slice_registers<0, 4>(t36, dt);
                tk::stripe<float, 32, 1, 32, 1, 2> t37;
                tk::slice_registers<0, 4>(t37, dt);
                tk::stripe<tk::bf16, 32, 1, 32, 1, 2> t38;
                tk::slice_registers<0, 4>(t38, u);
                // selective_scan.tk:18
                tk::stripe<float, 32, 1, 32, 1, 2> t63;
                tk::map(t63, [](float t37, tk::bf16 t38) { return t37 * float(t38); }, t37, t38);
                tk::stripe<float, 1, 16, 32, 1, 2> t75;
                tk::load_shared(t75, tk::part<4, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                tk::map(h, [](float t36, float a, float h, float t63, float t75) {
                    return tk::fma(tk::exp2(t36 * a), h, t63 * t75);
                }, t36, a, h, t63, t75);
                // selective_scan.tk:19
                tk::stripe<float, 1, 16, 32, 1, 2> t76;
                tk::load_shared(t76, tk::part<4, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                tk::stripe<float, 32, 16, 32, 1, 2> t39;
                tk::map(t39, [](float h, float t76) { return h * t76; }, h, t76);
                tk::stripe<float, 32, 1, 32, 1, 2> t40;
                tk::fold_rows(t40, t39, tk::plus{}, thread);
                tk::finish_rows(t40, tk::plus{});
                tk::map(y, thread, [](int, int col, float t40, float y) {
                    return col == 4 ? t40 : y;
                }, t40, y);
                // selective_scan.tk:13
                tk::stripe<float, 32, 1, 32, 1, 2> t43;
                tk::slice_registers<0, 5>(t43, dt);
                tk::stripe<float, 32, 1, 32, 1, 2> t44;
                tk::slice_registers<0, 5>(t44, dt);
                tk::stripe<tk::bf16, 32, 1, 32, 1, 2> t45;
                tk::slice_registers<0, 5>(t45, u);
                // selective_scan.tk:18
                tk::stripe<float, 32, 1, 32, 1, 2> t64;
                tk::map(t64, [](float t44, tk::bf16 t45) { return t44 * float(t45); }, t44, t45);
                tk::stripe<float, 1, 16, 32, 1, 2> t77;
                tk::load_shared(t77, tk::part<5, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                tk::map(h, [](float t43, float a, float h, float t64, float t77) {
                    return tk::fma(tk::exp2(t43 * a), h, t64 * t77);
                }, t43, a, h, t64, t77);
                // selective_scan.tk:19
                tk::stripe<float, 1, 16, 32, 1, 2> t78;
                tk::load_shared(t78, tk::part<5, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                tk::stripe<float, 32, 16, 32, 1, 2> t46;
                tk::map(t46, [](float h, float t78) { return h * t78; }, h, t78);
                tk::stripe<float, 32, 1, 32, 1, 2> t47;
                tk::fold_rows(t47, t46, tk::plus{}, thread);
                tk::finish_rows(t47, tk::plus{});
                tk::map(y, thread, [](int, int col, float t47, float y) {
                    return col == 5 ? t47 : y;
                }, t47, y);
                // selective_scan.tk:13
                tk::stripe<float, 32, 1, 32, 1, 2> t50;
                tk::slice_registers<0, 6>(t50, dt);
                tk::stripe<float, 32, 1, 32, 1, 2> t51;
                tk::slice_registers<0, 6>(t51, dt);
                tk::stripe<tk::bf16, 32, 1, 32, 1, 2> t52;
                tk::slice_registers<0, 6>(t52, u);
                // selective_scan.tk:18
                tk::stripe<float, 32, 1, 32, 1, 2> t65;
                tk::map(t65, [](float t51, tk::bf16 t52) { return t51 * float(t52); }, t51, t52);
                tk::stripe<float, 1, 16, 32, 1, 2> t79;
                tk::load_shared(t79, tk::part<6, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                tk::map(h, [](float t50, float a, float h, float t65, float t79) {
                    return tk::fma(tk::exp2(t50 * a), h, t65 * t79);
                }, t50, a, h, t65, t79);
                // selective_scan.tk:19
                tk::stripe<float, 1, 16, 32, 1, 2> t80;
                tk::load_shared(t80, tk::part<6, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                tk::stripe<float, 32, 16, 32, 1, 2> t53;
                tk::map(t53, [](float h, float t80) { return h * t80; }, h, t80);
                tk::stripe<float, 32, 1, 32, 1, 2> t54;
                tk::fold_rows(t54, t53, tk::plus{}, thread);
                tk::finish_rows(t54, tk::plus{});
                tk::map(y, thread, [](int, int col, float t54, float y) {
                    return col == 6 ? t54 : y;
                }, t54, y);
                // selective_scan.tk:13
                tk::stripe<float, 32, 1, 32, 1, 2> t57;
                tk::slice_registers<0, 7>(t57, dt);
                tk::stripe<float, 32, 1, 32, 1, 2> t58;
                tk::slice_registers<0, 7>(t58, dt);
                tk::stripe<tk::bf16, 32, 1, 32, 1, 2> t59;
                tk::slice_registers<0, 7>(t59, u);
                // selective_scan.tk:18
                tk::stripe<float, 32, 1, 32, 1, 2> t66;
                tk::map(t66, [](float t58, tk::bf16 t59) { return t58 * float(t59); }, t58, t59);
                tk::stripe<float, 1, 16, 32, 1, 2> t81;
                tk::load_shared(t81, tk::part<7, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                tk::map(h, [](float t57, float a, float h, float t66, float t81) {
                    return tk::fma(tk::exp2(t57 * a), h, t66 * t81);
                }, t57, a, h, t66, t81);
                // selective_scan.tk:19
                tk::stripe<float, 1, 16, 32, 1, 2> t82;
                tk::load_shared(t82, tk::part<7, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                shared.bc.release_after_loads(n, tk::ordinary_alone{});
                tk::stripe<float, 32, 16, 32, 1, 2> t60;
                tk::map(t60, [](float h, float t82) { return h * t82; }, h, t82);
                tk::stripe<float, 32, 1, 32, 1, 2> t61;
                tk::fold_rows(t61, t60, tk::plus{}, thread);
                tk::finish_rows(t61, tk::plus{});
                tk::map(y, thread, [](int, int col, float t61, float y) {
                    return col == 7 ? t61 : y;
                }, t61, y);

                // selective_scan.tk:68: y += skip * u;
                tk::map(y, [](float y, float skip, tk::bf16 u) {
                    return tk::fma(skip, float(u), y);
                }, y, skip, u);

                // selective_scan.tk:70: store(Y[b, g, d, t], T(y));
                tk::stripe<tk::bf16, 32, 8, 32, 1, 2> t62 = tk::convert<tk::bf16>(y);
                tk::store_global(tk::slice(Y, {b, g, d, t}, CG - d, L - t), t62, thread);
            }
        }

        // selective_scan.tk:73: if p == segments - 1 { store(State[b, g, d, :], h); }
        if (p == segments - 1) {
            tk::store_global(tk::slice(State, {b, g, d, 0}, b < F ? CG - d : 0, 16), h, thread);
        }
    }
}

// ends: kernel ends with T = bf16, TD = bf16, TB = f32, S = 16, SOFTPLUS = true, BD = 128.
// producer: 1 warp, 128 registers a thread; scan: 4 warps, 128 registers a thread.
// 256 threads, 128 registers each, 4224 bytes of shared memory.
struct ends_shared {
    tk::shared_tile<float, 8, 16> bs_tile[8];
    tk::pipeline<8> bs;
};
static_assert(offsetof(ends_shared, bs) == 4096);

__global__ void __launch_bounds__(256, 2) ends_kernel(
    const __grid_constant__ CUtensorMap Bm_map, const tk::tensor_argument<const tk::bf16, 4> U,
    const tk::tensor_argument<const tk::bf16, 4> Dt, const tk::tensor_argument<const float, 3> A,
    const tk::tensor_argument<const float, 2> bias, const tk::tensor_argument<float, 5> End,
    const tk::tensor_argument<float, 4> Left, int B, int G, int CG, int L, int segments,
    int chunks) {
    extern __shared__ __align__(1024) unsigned char memory[];
    ends_shared& shared = *reinterpret_cast<ends_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Bm_map);
        shared.bs.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int d_tiles = tk::tiles(CG, 128);
    const int p_tiles = tk::max(segments - 1, 0);
    const int warp = tk::warp_index();

    if (warp < 4) {
        // selective_scan.tk:89: role producer(1 warp) {
        if (warp == 0 && tk::elect_one()) {
            tk::cursor<8> bs_next;
            const int program = blockIdx.x;
            const int g = program / d_tiles % G;
            const int p = program / (d_tiles * G) % p_tiles;
            const int b = program / (d_tiles * G * p_tiles);

            // selective_scan.tk:86: let first = max(p * chunks, 0);
            const int first = tk::max(p * chunks, 0);

            // selective_scan.tk:90: for s in first..min(first + chunks, ceil_div(L, 32)), t in s ..
            #pragma unroll 1
            for (int s = first; s < tk::min(first + chunks, tk::divide_up(L, 32)); s += 1) {
                #pragma unroll 1
                for (int t = s * 32; t < tk::min(s * 32 + 32, L); t += 8) {
                    shared.bs.begin(bs_next, 512);
                    tk::tma_load(shared.bs_tile[bs_next.stage], Bm_map,
                                 shared.bs.full[bs_next.stage], b, g, t, 0);
                    bs_next.advance();
                }
            }
        }
    } else {
        // selective_scan.tk:93: role scan(BD // 32 warps) {
        const int thread = int(threadIdx.x) - 128;
        tk::cursor<8> bs_next;
        const int program = blockIdx.x;
        const int d = program % d_tiles * 128;
        const int g = program / d_tiles % G;
        const int p = program / (d_tiles * G) % p_tiles;
        const int b = program / (d_tiles * G * p_tiles);

        // selective_scan.tk:86: let first = max(p * chunks, 0);
        const int first = tk::max(p * chunks, 0);

        // selective_scan.tk:94: let a   = load(A[g, d, :]) * LOG2E;
        tk::stripe<float, 128, 16, 128, 1, 8> t0;
        tk::load_vectors(t0, tk::dense_slice(A, {g, d, 0}, CG - d, 16), thread);
        tk::stripe<float, 128, 16, 128, 1, 8> a;
        tk::map(a, [](float t0) { return t0 * 1.442695f; }, t0);

        // selective_scan.tk:95: let add = column(load(bias[g, d]));
        tk::stripe<float, 128, 1, 128, 1, 8> add;
        tk::load_global(add, tk::slice<1, tk::no_axis>(bias, {g, d}, CG - d, 1), thread);

        // selective_scan.tk:96: var h: f32[BD, S] = 0;
        tk::stripe<float, 128, 16, 128, 1, 8> h;
        tk::zero(h);

        // selective_scan.tk:97: var steps: f32[BD, 1] = 0;
        tk::stripe<float, 128, 1, 128, 1, 8> steps;
        tk::zero(steps);

        // selective_scan.tk:98: for s in first..min(first + chunks, ceil_div(L, 32)), t in s * ..
        for (int s = first; s < tk::min(first + chunks, tk::divide_up(L, 32)); s += 1) {
            for (int t = s * 32; t < tk::min(s * 32 + 32, L); t += 8) {
                // selective_scan.tk:99: let u  = load(U[b, g, d, t]);
                tk::stripe<tk::bf16, 128, 8, 128, 1, 8> u;
                tk::load_vectors(u, tk::vector_slice(U, {b, g, d, t}, CG - d, L - t), thread);

                // selective_scan.tk:100: let dt = pad(step_sizes(f32(load(Dt[b, g, d, t])) + ..
                tk::stripe<tk::bf16, 128, 8, 128, 1, 8> t3;
                tk::load_vectors(t3, tk::vector_slice(Dt, {b, g, d, t}, CG - d, L - t), thread);
                tk::stripe<float, 128, 8, 128, 1, 8> dt;
                tk::map(dt, thread, [&](int row, int col, tk::bf16 t3, float add) {
                    const float x = col < L - t ? float(t3) + add : -INFINITY;
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
                }, t3, add);

                // selective_scan.tk:101: consume bs as n {
                const tk::cursor<8> n_element = shared.bs.take(bs_next);

                // selective_scan.tk:13: return exp2(dt[:, I +: 1] * a) * h + dt[:, I +: 1] * ..
                tk::stripe<float, 128, 1, 128, 1, 8> t5;
                tk::slice_registers<0, 0>(t5, dt);
                tk::stripe<float, 128, 1, 128, 1, 8> t6;
                tk::slice_registers<0, 0>(t6, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 8> t7;
                tk::slice_registers<0, 0>(t7, u);

                // selective_scan.tk:102: h = next<0>(h, a, dt, u, f32(n[0, :]));
                tk::stripe<float, 128, 1, 128, 1, 8> t1;
                tk::map(t1, [](float t6, tk::bf16 t7) { return t6 * float(t7); }, t6, t7);
                tk::stripe<float, 1, 16, 128, 1, 8> t43;
                tk::load_shared(t43, tk::part<0, 0, 1, 16>(shared.bs_tile[n_element.stage]),
                                thread);
                tk::map(h, [](float t5, float a, float h, float t1, float t43) {
                    return tk::fma(tk::exp2(t5 * a), h, t1 * t43);
                }, t5, a, h, t1, t43);
                // selective_scan.tk:13
                tk::stripe<float, 128, 1, 128, 1, 8> t9;
                tk::slice_registers<0, 1>(t9, dt);
                tk::stripe<float, 128, 1, 128, 1, 8> t10;
                tk::slice_registers<0, 1>(t10, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 8> t11;
                tk::slice_registers<0, 1>(t11, u);

                // selective_scan.tk:103: h = next<1>(h, a, dt, u, f32(n[1, :]));
                tk::stripe<float, 128, 1, 128, 1, 8> t2;
                tk::map(t2, [](float t10, tk::bf16 t11) { return t10 * float(t11); }, t10, t11);
                tk::stripe<float, 1, 16, 128, 1, 8> t44;
                tk::load_shared(t44, tk::part<1, 0, 1, 16>(shared.bs_tile[n_element.stage]),
                                thread);
                tk::map(h, [](float t9, float a, float h, float t2, float t44) {
                    return tk::fma(tk::exp2(t9 * a), h, t2 * t44);
                }, t9, a, h, t2, t44);
                // selective_scan.tk:13
                tk::stripe<float, 128, 1, 128, 1, 8> t13;
                tk::slice_registers<0, 2>(t13, dt);
                tk::stripe<float, 128, 1, 128, 1, 8> t14;
                tk::slice_registers<0, 2>(t14, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 8> t15;
                tk::slice_registers<0, 2>(t15, u);

                // selective_scan.tk:104: h = next<2>(h, a, dt, u, f32(n[2, :]));
                tk::stripe<float, 128, 1, 128, 1, 8> t37;
                tk::map(t37, [](float t14, tk::bf16 t15) { return t14 * float(t15); }, t14, t15);
                tk::stripe<float, 1, 16, 128, 1, 8> t45;
                tk::load_shared(t45, tk::part<2, 0, 1, 16>(shared.bs_tile[n_element.stage]),
                                thread);
                tk::map(h, [](float t13, float a, float h, float t37, float t45) {
                    return tk::fma(tk::exp2(t13 * a), h, t37 * t45);
                }, t13, a, h, t37, t45);
                // selective_scan.tk:13
                tk::stripe<float, 128, 1, 128, 1, 8> t17;
                tk::slice_registers<0, 3>(t17, dt);
                tk::stripe<float, 128, 1, 128, 1, 8> t18;
                tk::slice_registers<0, 3>(t18, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 8> t19;
                tk::slice_registers<0, 3>(t19, u);

                // selective_scan.tk:105: h = next<3>(h, a, dt, u, f32(n[3, :]));
                tk::stripe<float, 128, 1, 128, 1, 8> t38;
                tk::map(t38, [](float t18, tk::bf16 t19) { return t18 * float(t19); }, t18, t19);
                tk::stripe<float, 1, 16, 128, 1, 8> t46;
                tk::load_shared(t46, tk::part<3, 0, 1, 16>(shared.bs_tile[n_element.stage]),
                                thread);
                tk::map(h, [](float t17, float a, float h, float t38, float t46) {
                    return tk::fma(tk::exp2(t17 * a), h, t38 * t46);
                }, t17, a, h, t38, t46);
                // selective_scan.tk:13
                tk::stripe<float, 128, 1, 128, 1, 8> t21;
                tk::slice_registers<0, 4>(t21, dt);
                tk::stripe<float, 128, 1, 128, 1, 8> t22;
                tk::slice_registers<0, 4>(t22, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 8> t23;
                tk::slice_registers<0, 4>(t23, u);

                // selective_scan.tk:106: h = next<4>(h, a, dt, u, f32(n[4, :]));
                tk::stripe<float, 128, 1, 128, 1, 8> t39;
                tk::map(t39, [](float t22, tk::bf16 t23) { return t22 * float(t23); }, t22, t23);
                tk::stripe<float, 1, 16, 128, 1, 8> t47;
                tk::load_shared(t47, tk::part<4, 0, 1, 16>(shared.bs_tile[n_element.stage]),
                                thread);
                tk::map(h, [](float t21, float a, float h, float t39, float t47) {
                    return tk::fma(tk::exp2(t21 * a), h, t39 * t47);
                }, t21, a, h, t39, t47);
                // selective_scan.tk:13
                tk::stripe<float, 128, 1, 128, 1, 8> t25;
                tk::slice_registers<0, 5>(t25, dt);
                tk::stripe<float, 128, 1, 128, 1, 8> t26;
                tk::slice_registers<0, 5>(t26, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 8> t27;
                tk::slice_registers<0, 5>(t27, u);

                // selective_scan.tk:107: h = next<5>(h, a, dt, u, f32(n[5, :]));
                tk::stripe<float, 128, 1, 128, 1, 8> t40;
                tk::map(t40, [](float t26, tk::bf16 t27) { return t26 * float(t27); }, t26, t27);
                tk::stripe<float, 1, 16, 128, 1, 8> t48;
                tk::load_shared(t48, tk::part<5, 0, 1, 16>(shared.bs_tile[n_element.stage]),
                                thread);
                tk::map(h, [](float t25, float a, float h, float t40, float t48) {
                    return tk::fma(tk::exp2(t25 * a), h, t40 * t48);
                }, t25, a, h, t40, t48);
                // selective_scan.tk:13
                tk::stripe<float, 128, 1, 128, 1, 8> t29;
                tk::slice_registers<0, 6>(t29, dt);
                tk::stripe<float, 128, 1, 128, 1, 8> t30;
                tk::slice_registers<0, 6>(t30, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 8> t31;
                tk::slice_registers<0, 6>(t31, u);

                // selective_scan.tk:108: h = next<6>(h, a, dt, u, f32(n[6, :]));
                tk::stripe<float, 128, 1, 128, 1, 8> t41;
                tk::map(t41, [](float t30, tk::bf16 t31) { return t30 * float(t31); }, t30, t31);
                tk::stripe<float, 1, 16, 128, 1, 8> t49;
                tk::load_shared(t49, tk::part<6, 0, 1, 16>(shared.bs_tile[n_element.stage]),
                                thread);
                tk::map(h, [](float t29, float a, float h, float t41, float t49) {
                    return tk::fma(tk::exp2(t29 * a), h, t41 * t49);
                }, t29, a, h, t41, t49);
                // selective_scan.tk:13
                tk::stripe<float, 128, 1, 128, 1, 8> t33;
                tk::slice_registers<0, 7>(t33, dt);
                tk::stripe<float, 128, 1, 128, 1, 8> t34;
                tk::slice_registers<0, 7>(t34, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 8> t35;
                tk::slice_registers<0, 7>(t35, u);

                // selective_scan.tk:109: h = next<7>(h, a, dt, u, f32(n[7, :]));
                tk::stripe<float, 128, 1, 128, 1, 8> t42;
                tk::map(t42, [](float t34, tk::bf16 t35) { return t34 * float(t35); }, t34, t35);
                tk::stripe<float, 1, 16, 128, 1, 8> t50;
                tk::load_shared(t50, tk::part<7, 0, 1, 16>(shared.bs_tile[n_element.stage]),
                                thread);
                shared.bs.release_after_loads(n_element);
                tk::map(h, [](float t33, float a, float h, float t42, float t50) {
                    return tk::fma(tk::exp2(t33 * a), h, t42 * t50);
                }, t33, a, h, t42, t50);

                // selective_scan.tk:111: steps += sum(dt, axis = 1);
                tk::stripe<float, 128, 1, 128, 1, 8> t36;
                tk::fold_rows(t36, dt, tk::plus{}, thread);
                tk::map(steps, [](float steps, float t36) { return steps + t36; }, steps, t36);
            }
        }

        // selective_scan.tk:113: store(End[b, p, g, d, :], h);
        tk::store_vectors(tk::dense_slice(End, {b, p, g, d, 0}, CG - d, 16), h, thread);

        // selective_scan.tk:114: store(Left[b, p, g, d], steps);
        tk::stripe<float, 128, 1, 128, 1, 8> t51 = steps;
        tk::finish_rows(t51, tk::plus{});
        tk::store_global(tk::slice<3, tk::no_axis>(Left, {b, p, g, d}, CG - d, 1), t51, thread);
    }
}

// ends_general: kernel ends with T = bf16, TD = bf16, TB = f32, S = 16, SOFTPLUS = true, BD = 128;
// any strides and alignment.
// producer: 1 warp, 255 registers a thread; scan: 4 warps, 255 registers a thread.
// 256 threads, 255 registers each, 4224 bytes of shared memory.
struct ends_general_shared {
    tk::shared_tile<float, 8, 16> bs_tile[8];
    tk::pipeline<8> bs;
};
static_assert(offsetof(ends_general_shared, bs) == 4096);

__global__ void __launch_bounds__(256, 1) ends_general_kernel(
    const tk::tensor_argument<const tk::bf16, 4> U, const tk::tensor_argument<const tk::bf16, 4> Dt,
    const tk::tensor_argument<const float, 3> A, const tk::tensor_argument<const float, 4> Bm,
    const tk::tensor_argument<const float, 2> bias, const tk::tensor_argument<float, 5> End,
    const tk::tensor_argument<float, 4> Left, int B, int G, int CG, int L, int segments,
    int chunks) {
    extern __shared__ __align__(1024) unsigned char memory[];
    ends_general_shared& shared = *reinterpret_cast<ends_general_shared*>(memory);

    if (threadIdx.x == 0) {
        shared.bs.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int d_tiles = tk::tiles(CG, 128);
    const int p_tiles = tk::max(segments - 1, 0);
    const int warp = tk::warp_index();

    if (warp < 4) {
        // selective_scan.tk:89: role producer(1 warp) {
        if (warp == 0) {
            const int thread = int(threadIdx.x);
            tk::cursor<8> bs_next;
            const int program = blockIdx.x;
            const int g = program / d_tiles % G;
            const int p = program / (d_tiles * G) % p_tiles;
            const int b = program / (d_tiles * G * p_tiles);

            // selective_scan.tk:86: let first = max(p * chunks, 0);
            const int first = tk::max(p * chunks, 0);

            // selective_scan.tk:90: for s in first..min(first + chunks, ceil_div(L, 32)), t in s ..
            #pragma unroll 1
            for (int s = first; s < tk::min(first + chunks, tk::divide_up(L, 32)); s += 1) {
                #pragma unroll 1
                for (int t = s * 32; t < tk::min(s * 32 + 32, L); t += 8) {
                    shared.bs.wait_empty(bs_next);
                    tk::copy_to_shared(shared.bs_tile[bs_next.stage],
                                       tk::slice(Bm, {b, g, t, 0}, L - t, 16), thread, 32);
                    shared.bs.publish(bs_next, tk::ordinary_alone{});
                    bs_next.advance();
                }
            }
        }
    } else {
        // selective_scan.tk:93: role scan(BD // 32 warps) {
        const int thread = int(threadIdx.x) - 128;
        tk::cursor<8> bs_next;
        const int program = blockIdx.x;
        const int d = program % d_tiles * 128;
        const int g = program / d_tiles % G;
        const int p = program / (d_tiles * G) % p_tiles;
        const int b = program / (d_tiles * G * p_tiles);

        // selective_scan.tk:86: let first = max(p * chunks, 0);
        const int first = tk::max(p * chunks, 0);

        // selective_scan.tk:94: let a   = load(A[g, d, :]) * LOG2E;
        tk::stripe<float, 128, 16, 128, 1, 2> t0;
        tk::load_global(t0, tk::slice(A, {g, d, 0}, CG - d, 16), thread);
        tk::stripe<float, 128, 16, 128, 1, 2> a;
        tk::map(a, [](float t0) { return t0 * 1.442695f; }, t0);

        // selective_scan.tk:95: let add = column(load(bias[g, d]));
        tk::stripe<float, 128, 1, 128, 1, 2> add;
        tk::load_global(add, tk::slice<1, tk::no_axis>(bias, {g, d}, CG - d, 1), thread);

        // selective_scan.tk:96: var h: f32[BD, S] = 0;
        tk::stripe<float, 128, 16, 128, 1, 2> h;
        tk::zero(h);

        // selective_scan.tk:97: var steps: f32[BD, 1] = 0;
        tk::stripe<float, 128, 1, 128, 1, 2> steps;
        tk::zero(steps);

        // selective_scan.tk:98: for s in first..min(first + chunks, ceil_div(L, 32)), t in s * ..
        for (int s = first; s < tk::min(first + chunks, tk::divide_up(L, 32)); s += 1) {
            for (int t = s * 32; t < tk::min(s * 32 + 32, L); t += 8) {
                // selective_scan.tk:99: let u  = load(U[b, g, d, t]);
                tk::stripe<tk::bf16, 128, 8, 128, 1, 2> u;
                tk::load_global(u, tk::slice(U, {b, g, d, t}, CG - d, L - t), thread);

                // selective_scan.tk:100: let dt = pad(step_sizes(f32(load(Dt[b, g, d, t])) + ..
                tk::stripe<tk::bf16, 128, 8, 128, 1, 2> t3;
                tk::load_global(t3, tk::slice(Dt, {b, g, d, t}, CG - d, L - t), thread);
                tk::stripe<float, 128, 8, 128, 1, 2> dt;
                tk::map(dt, thread, [&](int row, int col, tk::bf16 t3, float add) {
                    const float x = col < L - t ? float(t3) + add : -INFINITY;
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
                }, t3, add);

                // selective_scan.tk:101: consume bs as n {
                const tk::cursor<8> n_element = shared.bs.take(bs_next);

                // selective_scan.tk:13: return exp2(dt[:, I +: 1] * a) * h + dt[:, I +: 1] * ..
                tk::stripe<float, 128, 1, 128, 1, 2> t5;
                tk::slice_registers<0, 0>(t5, dt);
                tk::stripe<float, 128, 1, 128, 1, 2> t6;
                tk::slice_registers<0, 0>(t6, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 2> t7;
                tk::slice_registers<0, 0>(t7, u);

                // selective_scan.tk:102: h = next<0>(h, a, dt, u, f32(n[0, :]));
                tk::stripe<float, 128, 1, 128, 1, 2> t1;
                tk::map(t1, [](float t6, tk::bf16 t7) { return t6 * float(t7); }, t6, t7);
                tk::stripe<float, 1, 16, 128, 1, 2> t43;
                tk::load_shared(t43, tk::part<0, 0, 1, 16>(shared.bs_tile[n_element.stage]),
                                thread);
                tk::map(h, [](float t5, float a, float h, float t1, float t43) {
                    return tk::fma(tk::exp2(t5 * a), h, t1 * t43);
                }, t5, a, h, t1, t43);
                // selective_scan.tk:13
                tk::stripe<float, 128, 1, 128, 1, 2> t9;
                tk::slice_registers<0, 1>(t9, dt);
                tk::stripe<float, 128, 1, 128, 1, 2> t10;
                tk::slice_registers<0, 1>(t10, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 2> t11;
                tk::slice_registers<0, 1>(t11, u);

                // selective_scan.tk:103: h = next<1>(h, a, dt, u, f32(n[1, :]));
                tk::stripe<float, 128, 1, 128, 1, 2> t2;
                tk::map(t2, [](float t10, tk::bf16 t11) { return t10 * float(t11); }, t10, t11);
                tk::stripe<float, 1, 16, 128, 1, 2> t44;
                tk::load_shared(t44, tk::part<1, 0, 1, 16>(shared.bs_tile[n_element.stage]),
                                thread);
                tk::map(h, [](float t9, float a, float h, float t2, float t44) {
                    return tk::fma(tk::exp2(t9 * a), h, t2 * t44);
                }, t9, a, h, t2, t44);
                // selective_scan.tk:13
                tk::stripe<float, 128, 1, 128, 1, 2> t13;
                tk::slice_registers<0, 2>(t13, dt);
                tk::stripe<float, 128, 1, 128, 1, 2> t14;
                tk::slice_registers<0, 2>(t14, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 2> t15;
                tk::slice_registers<0, 2>(t15, u);

                // selective_scan.tk:104: h = next<2>(h, a, dt, u, f32(n[2, :]));
                tk::stripe<float, 128, 1, 128, 1, 2> t37;
                tk::map(t37, [](float t14, tk::bf16 t15) { return t14 * float(t15); }, t14, t15);
                tk::stripe<float, 1, 16, 128, 1, 2> t45;
                tk::load_shared(t45, tk::part<2, 0, 1, 16>(shared.bs_tile[n_element.stage]),
                                thread);
                tk::map(h, [](float t13, float a, float h, float t37, float t45) {
                    return tk::fma(tk::exp2(t13 * a), h, t37 * t45);
                }, t13, a, h, t37, t45);
                // selective_scan.tk:13
                tk::stripe<float, 128, 1, 128, 1, 2> t17;
                tk::slice_registers<0, 3>(t17, dt);
                tk::stripe<float, 128, 1, 128, 1, 2> t18;
                tk::slice_registers<0, 3>(t18, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 2> t19;
                tk::slice_registers<0, 3>(t19, u);

                // selective_scan.tk:105: h = next<3>(h, a, dt, u, f32(n[3, :]));
                tk::stripe<float, 128, 1, 128, 1, 2> t38;
                tk::map(t38, [](float t18, tk::bf16 t19) { return t18 * float(t19); }, t18, t19);
                tk::stripe<float, 1, 16, 128, 1, 2> t46;
                tk::load_shared(t46, tk::part<3, 0, 1, 16>(shared.bs_tile[n_element.stage]),
                                thread);
                tk::map(h, [](float t17, float a, float h, float t38, float t46) {
                    return tk::fma(tk::exp2(t17 * a), h, t38 * t46);
                }, t17, a, h, t38, t46);
                // selective_scan.tk:13
                tk::stripe<float, 128, 1, 128, 1, 2> t21;
                tk::slice_registers<0, 4>(t21, dt);
                tk::stripe<float, 128, 1, 128, 1, 2> t22;
                tk::slice_registers<0, 4>(t22, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 2> t23;
                tk::slice_registers<0, 4>(t23, u);

                // selective_scan.tk:106: h = next<4>(h, a, dt, u, f32(n[4, :]));
                tk::stripe<float, 128, 1, 128, 1, 2> t39;
                tk::map(t39, [](float t22, tk::bf16 t23) { return t22 * float(t23); }, t22, t23);
                tk::stripe<float, 1, 16, 128, 1, 2> t47;
                tk::load_shared(t47, tk::part<4, 0, 1, 16>(shared.bs_tile[n_element.stage]),
                                thread);
                tk::map(h, [](float t21, float a, float h, float t39, float t47) {
                    return tk::fma(tk::exp2(t21 * a), h, t39 * t47);
                }, t21, a, h, t39, t47);
                // selective_scan.tk:13
                tk::stripe<float, 128, 1, 128, 1, 2> t25;
                tk::slice_registers<0, 5>(t25, dt);
                tk::stripe<float, 128, 1, 128, 1, 2> t26;
                tk::slice_registers<0, 5>(t26, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 2> t27;
                tk::slice_registers<0, 5>(t27, u);

                // selective_scan.tk:107: h = next<5>(h, a, dt, u, f32(n[5, :]));
                tk::stripe<float, 128, 1, 128, 1, 2> t40;
                tk::map(t40, [](float t26, tk::bf16 t27) { return t26 * float(t27); }, t26, t27);
                tk::stripe<float, 1, 16, 128, 1, 2> t48;
                tk::load_shared(t48, tk::part<5, 0, 1, 16>(shared.bs_tile[n_element.stage]),
                                thread);
                tk::map(h, [](float t25, float a, float h, float t40, float t48) {
                    return tk::fma(tk::exp2(t25 * a), h, t40 * t48);
                }, t25, a, h, t40, t48);
                // selective_scan.tk:13
                tk::stripe<float, 128, 1, 128, 1, 2> t29;
                tk::slice_registers<0, 6>(t29, dt);
                tk::stripe<float, 128, 1, 128, 1, 2> t30;
                tk::slice_registers<0, 6>(t30, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 2> t31;
                tk::slice_registers<0, 6>(t31, u);

                // selective_scan.tk:108: h = next<6>(h, a, dt, u, f32(n[6, :]));
                tk::stripe<float, 128, 1, 128, 1, 2> t41;
                tk::map(t41, [](float t30, tk::bf16 t31) { return t30 * float(t31); }, t30, t31);
                tk::stripe<float, 1, 16, 128, 1, 2> t49;
                tk::load_shared(t49, tk::part<6, 0, 1, 16>(shared.bs_tile[n_element.stage]),
                                thread);
                tk::map(h, [](float t29, float a, float h, float t41, float t49) {
                    return tk::fma(tk::exp2(t29 * a), h, t41 * t49);
                }, t29, a, h, t41, t49);
                // selective_scan.tk:13
                tk::stripe<float, 128, 1, 128, 1, 2> t33;
                tk::slice_registers<0, 7>(t33, dt);
                tk::stripe<float, 128, 1, 128, 1, 2> t34;
                tk::slice_registers<0, 7>(t34, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 2> t35;
                tk::slice_registers<0, 7>(t35, u);

                // selective_scan.tk:109: h = next<7>(h, a, dt, u, f32(n[7, :]));
                tk::stripe<float, 128, 1, 128, 1, 2> t42;
                tk::map(t42, [](float t34, tk::bf16 t35) { return t34 * float(t35); }, t34, t35);
                tk::stripe<float, 1, 16, 128, 1, 2> t50;
                tk::load_shared(t50, tk::part<7, 0, 1, 16>(shared.bs_tile[n_element.stage]),
                                thread);
                shared.bs.release_after_loads(n_element, tk::ordinary_alone{});
                tk::map(h, [](float t33, float a, float h, float t42, float t50) {
                    return tk::fma(tk::exp2(t33 * a), h, t42 * t50);
                }, t33, a, h, t42, t50);

                // selective_scan.tk:111: steps += sum(dt, axis = 1);
                tk::stripe<float, 128, 1, 128, 1, 2> t36;
                tk::fold_rows(t36, dt, tk::plus{}, thread);
                tk::map(steps, [](float steps, float t36) { return steps + t36; }, steps, t36);
            }
        }

        // selective_scan.tk:113: store(End[b, p, g, d, :], h);
        tk::store_global(tk::slice(End, {b, p, g, d, 0}, CG - d, 16), h, thread);

        // selective_scan.tk:114: store(Left[b, p, g, d], steps);
        tk::stripe<float, 128, 1, 128, 1, 2> t51 = steps;
        tk::finish_rows(t51, tk::plus{});
        tk::store_global(tk::slice<3, tk::no_axis>(Left, {b, p, g, d}, CG - d, 1), t51, thread);
    }
}

// starts: kernel starts with S = 16.
// 32 threads, 136 registers each.
__global__ void __launch_bounds__(32, 15) starts_kernel(
    const tk::tensor_argument<const float, 3> A, const tk::tensor_argument<const float, 4> S0,
    const tk::tensor_argument<const float, 5> End, const tk::tensor_argument<const float, 4> Left,
    const tk::tensor_argument<float, 4> Start, int G, int CG, int I, int B, int segments) {
    tk::wait_for_previous_kernel();

    const int d_tiles = tk::tiles(CG, 32);
    const int warp = tk::warp_index();

    // selective_scan.tk:119: kernel starts<S: int = 16>(A: f32[G, CG, S], S0: f32[I, G, CG, S], ..
    if (warp == 0) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int d = program % d_tiles * 32;
        const int g = program / d_tiles % G;
        const int b = program / (d_tiles * G);

        // selective_scan.tk:125: let a = load(A[g, d, :]) * LOG2E;
        tk::stripe<float, 32, 16, 32, 4, 4> t0;
        tk::load_vectors(t0, tk::dense_slice(A, {g, d, 0}, CG - d, 16), thread);
        tk::stripe<float, 32, 16, 32, 4, 4> a;
        tk::map(a, [](float t0) { return t0 * 1.442695f; }, t0);

        // selective_scan.tk:126: var h = load(S0[b, g, d, :]);
        tk::stripe<float, 32, 16, 32, 4, 4> h;
        tk::load_vectors(h, tk::dense_slice(S0, {b, g, d, 0}, b < I ? CG - d : 0, 16), thread);

        // selective_scan.tk:127: store(Start[b * segments, g, d, :], h);
        tk::store_vectors(
            tk::dense_slice(Start, {b * segments, g, d, 0},
                            b * segments > -1 && b * segments < B * segments ? CG - d : 0, 16), h,
            thread);

        // selective_scan.tk:128: for p in segments - 1 pipelined(4) {
        #pragma unroll 4
        for (int p = 0; p < segments - 1; p += 1) {
            // selective_scan.tk:129: h = load(End[b, p, g, d, :]) + exp2(a * column(load(Left[b, ..
            tk::stripe<float, 32, 16, 32, 4, 4> t2;
            tk::load_vectors(t2, tk::dense_slice(End, {b, p, g, d, 0}, CG - d, 16), thread);
            tk::stripe<float, 32, 1, 32, 4, 4> t3;
            tk::load_global(t3, tk::slice<3, tk::no_axis>(Left, {b, p, g, d}, CG - d, 1), thread);
            tk::map(h, [](float t2, float a, float t3, float h) {
                return tk::fma(tk::exp2(a * t3), h, t2);
            }, t2, a, t3, h);

            // selective_scan.tk:130: store(Start[b * segments + p + 1, g, d, :], h);
            tk::store_vectors(
                tk::dense_slice(Start, {b * segments + p + 1, g, d, 0},
                                b * segments + p + 1 > -1 && b * segments + p + 1 < B * segments
                                ? CG - d : 0, 16), h, thread);
        }
    }
}

// starts_general: kernel starts with S = 16; any strides and alignment.
// 32 threads, 255 registers each.
__global__ void __launch_bounds__(32, 1) starts_general_kernel(
    const tk::tensor_argument<const float, 3> A, const tk::tensor_argument<const float, 4> S0,
    const tk::tensor_argument<const float, 5> End, const tk::tensor_argument<const float, 4> Left,
    const tk::tensor_argument<float, 4> Start, int G, int CG, int I, int B, int segments) {
    tk::wait_for_previous_kernel();

    const int d_tiles = tk::tiles(CG, 32);
    const int warp = tk::warp_index();

    // selective_scan.tk:119: kernel starts<S: int = 16>(A: f32[G, CG, S], S0: f32[I, G, CG, S], ..
    if (warp == 0) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int d = program % d_tiles * 32;
        const int g = program / d_tiles % G;
        const int b = program / (d_tiles * G);

        // selective_scan.tk:125: let a = load(A[g, d, :]) * LOG2E;
        tk::stripe<float, 32, 16, 32, 8, 2> t0;
        tk::load_global(t0, tk::slice(A, {g, d, 0}, CG - d, 16), thread);
        tk::stripe<float, 32, 16, 32, 8, 2> a;
        tk::map(a, [](float t0) { return t0 * 1.442695f; }, t0);

        // selective_scan.tk:126: var h = load(S0[b, g, d, :]);
        tk::stripe<float, 32, 16, 32, 8, 2> h;
        tk::load_global(h, tk::slice(S0, {b, g, d, 0}, b < I ? CG - d : 0, 16), thread);

        // selective_scan.tk:127: store(Start[b * segments, g, d, :], h);
        tk::store_global(
            tk::slice(Start, {b * segments, g, d, 0},
                      b * segments > -1 && b * segments < B * segments ? CG - d : 0, 16), h,
            thread);

        // selective_scan.tk:128: for p in segments - 1 pipelined(4) {
        for (int p = 0; p < segments - 1; p += 1) {
            // selective_scan.tk:129: h = load(End[b, p, g, d, :]) + exp2(a * column(load(Left[b, ..
            tk::stripe<float, 32, 16, 32, 8, 2> t2;
            tk::load_global(t2, tk::slice(End, {b, p, g, d, 0}, CG - d, 16), thread);
            tk::stripe<float, 32, 1, 32, 8, 2> t3;
            tk::load_global(t3, tk::slice<3, tk::no_axis>(Left, {b, p, g, d}, CG - d, 1), thread);
            tk::map(h, [](float t2, float a, float t3, float h) {
                return tk::fma(tk::exp2(a * t3), h, t2);
            }, t2, a, t3, h);

            // selective_scan.tk:130: store(Start[b * segments + p + 1, g, d, :], h);
            tk::store_global(
                tk::slice(Start, {b * segments + p + 1, g, d, 0},
                          b * segments + p + 1 > -1 && b * segments + p + 1 < B * segments ? CG - d
                          : 0, 16), h, thread);
        }
    }
}

namespace {
int run_selective_scan(const char* function, tk::candidates offered, const DLTensor* U_given,
                       const DLTensor* Dt_given, const DLTensor* A_given, const DLTensor* Bm_given,
                       const DLTensor* C_given, const DLTensor* D_given, const DLTensor* Z_given,
                       const DLTensor* bias_given, const DLTensor* S0_given, DLTensor* Y_given,
                       DLTensor* State_given, DLTensor* Saved_given, int32_t segments,
                       int32_t chunks, cudaStream_t stream) {
    tk::arguments call{function};
    const tk::tensor U = call.take("U", U_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Dt = call.take("Dt", Dt_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor A = call.take("A", A_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor Bm = call.take("Bm", Bm_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor D = call.take("D", D_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor Z = call.take("Z", Z_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor bias = call.take("bias", bias_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor State = call.take("State", State_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Saved = call.take("Saved", Saved_given, tk::dtype_f32, 5, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = U.shape[0];
    const int64_t G = U.shape[1];
    const int64_t CG = U.shape[2];
    const int64_t L = U.shape[3];
    const int64_t BZ = Z.shape[0];
    const int64_t I = S0.shape[0];
    const int64_t F = State.shape[0];
    const int64_t V = Saved.shape[0];
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
        tk::same_extent("G", U, 1, S0, 1), tk::same_extent("CG", U, 2, S0, 2),
        tk::fixed_extent(S0, 3, 16), tk::same_extent("B", U, 0, Y, 0),
        tk::same_extent("G", U, 1, Y, 1), tk::same_extent("CG", U, 2, Y, 2),
        tk::same_extent("L", U, 3, Y, 3), tk::same_extent("G", U, 1, State, 1),
        tk::same_extent("CG", U, 2, State, 2), tk::fixed_extent(State, 3, 16),
        tk::same_extent("G", U, 1, Saved, 2), tk::same_extent("CG", U, 2, Saved, 3),
        tk::fixed_extent(Saved, 4, 16),
        tk::extents_fit(
            {{"B", B}, {"G", G}, {"CG", CG}, {"L", L}, {"BZ", BZ}, {"I", I}, {"F", F}, {"V", V}}),
        tk::that(Saved.shape[1] == tk::ceil_div(L, 32),
                 "axis 1 of `Saved` is {}; it must be `ceil_div(L, 32)`, which is {}",
                 {Saved.shape[1], tk::ceil_div(L, 32)}),
        tk::fits("B*segments", tk::multiply(B, int64_t{segments})),
        tk::that(-2147483648 <= tk::multiply(B, int64_t{segments}),
                 "`B*segments` reaches {}; it must fit in 32 bits",
                 {tk::multiply(B, int64_t{segments})}),
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
        tk::that(F <= B, "`selective_scan` requires `F <= B`"),
        tk::that(V <= B, "`selective_scan` requires `V <= B`"),
        tk::that(I <= tk::multiply(B, int64_t{segments}),
                 "`selective_scan` requires `I <= B * segments`"),
        tk::that(int64_t{segments} >= 1, "`selective_scan` requires `segments >= 1`"),
        tk::that(int64_t{chunks} >= 1, "`selective_scan` requires `chunks >= 1`"),
        tk::that(tk::multiply(int64_t{segments}, int64_t{chunks}) * 32 >= L,
                 "`selective_scan` requires `segments * chunks * 32 >= L`"),
        tk::that(tk::multiply(int64_t{segments} - 1, int64_t{chunks}) * 32 <= L,
                 "`selective_scan` requires `(segments - 1) * chunks * 32 <= L`"),
        tk::fits("p*chunks", tk::larger(0, tk::multiply(int64_t{segments} - 1, int64_t{chunks}))),
        tk::that(-2147483648 <=
                 tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{chunks})),
                 "`p*chunks` reaches {}; it must fit in 32 bits",
                 {tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{chunks}))}),
        tk::fits("first + chunks",
                 tk::larger(tk::larger(0, tk::multiply(int64_t{segments} - 1, int64_t{chunks})),
                            0) + int64_t{chunks}),
        tk::fits("b*segments", tk::larger(0, tk::multiply(B - 1, int64_t{segments}))),
        tk::that(-2147483648 <= tk::smaller(0, tk::multiply(B - 1, int64_t{segments})),
                 "`b*segments` reaches {}; it must fit in 32 bits",
                 {tk::smaller(0, tk::multiply(B - 1, int64_t{segments}))}),
        tk::fits("b*segments + p",
                 tk::larger(0, tk::multiply(B - 1, int64_t{segments})) + (int64_t{segments} - 1))});
    if (!call.ok()) return tk::finish(call.result());

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call, offered};
    choice.candidate();  // selective_scan
    choice.prefer(
        {tk::suits_fast(U, "L"), tk::whole_vectors(U, 8), tk::suits_fast(Dt, "L"),
         tk::suits_fast(A), tk::suits_fast(Bm), tk::suits_fast(C), tk::suits_fast(S0),
         tk::suits_fast(Y, "L"), tk::suits_fast(State), tk::suits_fast(Saved)});
    choice.require(
        {tk::grid_fits(tk::multiply(tk::ceil_div(CG, 128), G), 2147483648),
         tk::grid_fits(
             tk::multiply(tk::multiply(tk::ceil_div(CG, 128), G), tk::larger(int64_t{segments}, 0)),
             2147483648)});
    choice.offer(
        tk::multiply(
            tk::multiply(tk::multiply(tk::ceil_div(CG, 128), G), tk::larger(int64_t{segments}, 0)),
            B),
        3116 + 512 *
        tk::larger(
            tk::smaller(
                tk::larger(tk::multiply(tk::floor_div(int64_t{segments}, 2), int64_t{chunks}), 0) +
                int64_t{chunks}, tk::ceil_div(L, 32)) -
            tk::larger(tk::multiply(tk::floor_div(int64_t{segments}, 2), int64_t{chunks}), 0), 0) +
        tk::multiply(
            tk::larger(0, (Bm.stride[2] % 32 == 0 ? 10 : 16) + (C.stride[2] % 32 == 0 ? 10 : 16)) +
            5780,
            tk::multiply(
                tk::larger(
                    tk::smaller(
                        tk::larger(
                            tk::multiply(tk::floor_div(int64_t{segments}, 2), int64_t{chunks}), 0) +
                        int64_t{chunks}, tk::ceil_div(L, 32)) -
                    tk::larger(tk::multiply(tk::floor_div(int64_t{segments}, 2), int64_t{chunks}),
                               0), 0),
                tk::larger(
                    tk::ceil_div(
                        tk::smaller(
                            tk::floor_div(
                                tk::larger(
                                    tk::multiply(tk::floor_div(int64_t{segments}, 2),
                                                 int64_t{chunks}), 0) +
                                tk::smaller(
                                    tk::larger(
                                        tk::multiply(tk::floor_div(int64_t{segments}, 2),
                                                     int64_t{chunks}), 0) + int64_t{chunks},
                                    tk::ceil_div(L, 32)), 2) * 32 + 32, L) -
                        tk::floor_div(
                            tk::larger(
                                tk::multiply(tk::floor_div(int64_t{segments}, 2), int64_t{chunks}),
                                0) +
                            tk::smaller(
                                tk::larger(
                                    tk::multiply(tk::floor_div(int64_t{segments}, 2),
                                                 int64_t{chunks}), 0) + int64_t{chunks},
                                tk::ceil_div(L, 32)), 2) * 32, 8), 0))), 2147483648);
    choice.candidate();  // selective_scan_narrow
    choice.prefer(
        {tk::suits_fast(U, "L"), tk::whole_vectors(U, 8), tk::suits_fast(Dt, "L"),
         tk::suits_fast(A), tk::suits_fast(Bm), tk::suits_fast(C), tk::suits_fast(S0),
         tk::suits_fast(Y, "L"), tk::suits_fast(State), tk::suits_fast(Saved)});
    choice.require(
        {tk::grid_fits(tk::multiply(tk::ceil_div(CG, 32), G), 2147483648),
         tk::grid_fits(
             tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G), tk::larger(int64_t{segments}, 0)),
             2147483648)});
    choice.offer(
        tk::multiply(
            tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G), tk::larger(int64_t{segments}, 0)),
            B),
        1904 + 128 *
        tk::larger(
            tk::smaller(
                tk::larger(tk::multiply(tk::floor_div(int64_t{segments}, 2), int64_t{chunks}), 0) +
                int64_t{chunks}, tk::ceil_div(L, 32)) -
            tk::larger(tk::multiply(tk::floor_div(int64_t{segments}, 2), int64_t{chunks}), 0), 0) +
        tk::multiply(
            tk::larger(0, (Bm.stride[2] % 32 == 0 ? 10 : 16) + (C.stride[2] % 32 == 0 ? 10 : 16)) +
            1466,
            tk::multiply(
                tk::larger(
                    tk::smaller(
                        tk::larger(
                            tk::multiply(tk::floor_div(int64_t{segments}, 2), int64_t{chunks}), 0) +
                        int64_t{chunks}, tk::ceil_div(L, 32)) -
                    tk::larger(tk::multiply(tk::floor_div(int64_t{segments}, 2), int64_t{chunks}),
                               0), 0),
                tk::larger(
                    tk::ceil_div(
                        tk::smaller(
                            tk::floor_div(
                                tk::larger(
                                    tk::multiply(tk::floor_div(int64_t{segments}, 2),
                                                 int64_t{chunks}), 0) +
                                tk::smaller(
                                    tk::larger(
                                        tk::multiply(tk::floor_div(int64_t{segments}, 2),
                                                     int64_t{chunks}), 0) + int64_t{chunks},
                                    tk::ceil_div(L, 32)), 2) * 32 + 32, L) -
                        tk::floor_div(
                            tk::larger(
                                tk::multiply(tk::floor_div(int64_t{segments}, 2), int64_t{chunks}),
                                0) +
                            tk::smaller(
                                tk::larger(
                                    tk::multiply(tk::floor_div(int64_t{segments}, 2),
                                                 int64_t{chunks}), 0) + int64_t{chunks},
                                tk::ceil_div(L, 32)), 2) * 32, 8), 0))), 2147483648);
    choice.candidate(true);  // selective_scan_general
    choice.require(
        {tk::grid_fits(tk::multiply(tk::ceil_div(CG, 128), G), 2147483648),
         tk::grid_fits(
             tk::multiply(tk::multiply(tk::ceil_div(CG, 128), G), tk::larger(int64_t{segments}, 0)),
             2147483648)});
    choice.offer(
        tk::multiply(
            tk::multiply(tk::multiply(tk::ceil_div(CG, 128), G), tk::larger(int64_t{segments}, 0)),
            B),
        3116 + 512 *
        tk::larger(
            tk::smaller(
                tk::larger(tk::multiply(tk::floor_div(int64_t{segments}, 2), int64_t{chunks}), 0) +
                int64_t{chunks}, tk::ceil_div(L, 32)) -
            tk::larger(tk::multiply(tk::floor_div(int64_t{segments}, 2), int64_t{chunks}), 0), 0) +
        5844 *
        tk::multiply(
            tk::larger(
                tk::smaller(
                    tk::larger(tk::multiply(tk::floor_div(int64_t{segments}, 2), int64_t{chunks}),
                               0) + int64_t{chunks}, tk::ceil_div(L, 32)) -
                tk::larger(tk::multiply(tk::floor_div(int64_t{segments}, 2), int64_t{chunks}), 0),
                0),
            tk::larger(
                tk::ceil_div(
                    tk::smaller(
                        tk::floor_div(
                            tk::larger(
                                tk::multiply(tk::floor_div(int64_t{segments}, 2), int64_t{chunks}),
                                0) +
                            tk::smaller(
                                tk::larger(
                                    tk::multiply(tk::floor_div(int64_t{segments}, 2),
                                                 int64_t{chunks}), 0) + int64_t{chunks},
                                tk::ceil_div(L, 32)), 2) * 32 + 32, L) -
                    tk::floor_div(
                        tk::larger(
                            tk::multiply(tk::floor_div(int64_t{segments}, 2), int64_t{chunks}), 0) +
                        tk::smaller(
                            tk::larger(
                                tk::multiply(tk::floor_div(int64_t{segments}, 2), int64_t{chunks}),
                                0) + int64_t{chunks}, tk::ceil_div(L, 32)), 2) * 32, 8), 0)),
        2147483648);
    choice.candidate(true);  // selective_scan_narrow_general
    choice.require(
        {tk::grid_fits(tk::multiply(tk::ceil_div(CG, 32), G), 2147483648),
         tk::grid_fits(
             tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G), tk::larger(int64_t{segments}, 0)),
             2147483648)});
    choice.offer(
        tk::multiply(
            tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G), tk::larger(int64_t{segments}, 0)),
            B),
        1904 + 128 *
        tk::larger(
            tk::smaller(
                tk::larger(tk::multiply(tk::floor_div(int64_t{segments}, 2), int64_t{chunks}), 0) +
                int64_t{chunks}, tk::ceil_div(L, 32)) -
            tk::larger(tk::multiply(tk::floor_div(int64_t{segments}, 2), int64_t{chunks}), 0), 0) +
        1530 *
        tk::multiply(
            tk::larger(
                tk::smaller(
                    tk::larger(tk::multiply(tk::floor_div(int64_t{segments}, 2), int64_t{chunks}),
                               0) + int64_t{chunks}, tk::ceil_div(L, 32)) -
                tk::larger(tk::multiply(tk::floor_div(int64_t{segments}, 2), int64_t{chunks}), 0),
                0),
            tk::larger(
                tk::ceil_div(
                    tk::smaller(
                        tk::floor_div(
                            tk::larger(
                                tk::multiply(tk::floor_div(int64_t{segments}, 2), int64_t{chunks}),
                                0) +
                            tk::smaller(
                                tk::larger(
                                    tk::multiply(tk::floor_div(int64_t{segments}, 2),
                                                 int64_t{chunks}), 0) + int64_t{chunks},
                                tk::ceil_div(L, 32)), 2) * 32 + 32, L) -
                    tk::floor_div(
                        tk::larger(
                            tk::multiply(tk::floor_div(int64_t{segments}, 2), int64_t{chunks}), 0) +
                        tk::smaller(
                            tk::larger(
                                tk::multiply(tk::floor_div(int64_t{segments}, 2), int64_t{chunks}),
                                0) + int64_t{chunks}, tk::ceil_div(L, 32)), 2) * 32, 8), 0)),
        2147483648);
    if (!choice.ok()) return tk::finish(choice.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    const int best = choice.best(site);
    if (best == 0) {
        return tk::finish(tk::run<selective_scan_kernel>(
            site, sizeof(selective_scan_shared), tk::kernel_shape(256).overlapping(),
            tk::multiply(
                tk::multiply(tk::multiply(tk::ceil_div(CG, 128), G),
                             tk::larger(int64_t{segments}, 0)), B), tk::box{Bm, {1, 1, 8, 16}, 64},
            tk::box{C, {1, 1, 8, 16}, 64}, U, Dt, A, D, bias, S0, Y, State, Saved, B, G, CG, L, I,
            F, V, segments, chunks));
    }
    if (best == 1) {
        return tk::finish(tk::run<selective_scan_narrow_kernel>(
            site, sizeof(selective_scan_narrow_shared), tk::kernel_shape(64).overlapping(),
            tk::multiply(
                tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G),
                             tk::larger(int64_t{segments}, 0)), B), tk::box{Bm, {1, 1, 8, 16}, 64},
            tk::box{C, {1, 1, 8, 16}, 64}, U, Dt, A, D, bias, S0, Y, State, Saved, B, G, CG, L, I,
            F, V, segments, chunks));
    }
    if (best == 2) {
        return tk::finish(tk::run<selective_scan_general_kernel>(
            site, sizeof(selective_scan_general_shared), tk::kernel_shape(256).overlapping(),
            tk::multiply(
                tk::multiply(tk::multiply(tk::ceil_div(CG, 128), G),
                             tk::larger(int64_t{segments}, 0)), B), U, Dt, A, Bm, C, D, bias, S0, Y,
            State, Saved, B, G, CG, L, I, F, V, segments, chunks));
    }
    return tk::finish(tk::run<selective_scan_narrow_general_kernel>(
        site, sizeof(selective_scan_narrow_general_shared), tk::kernel_shape(64).overlapping(),
        tk::multiply(
            tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G), tk::larger(int64_t{segments}, 0)),
            B), U, Dt, A, Bm, C, D, bias, S0, Y, State, Saved, B, G, CG, L, I, F, V, segments,
        chunks));
}

tk::status launch_ends(const tk::launch_site& site, const tk::tensor& U, const tk::tensor& Dt,
                       const tk::tensor& A, const tk::tensor& Bm, const tk::tensor& bias,
                       const tk::tensor& End, const tk::tensor& Left, int64_t B, int64_t G,
                       int64_t CG, int64_t L, int32_t segments, int32_t chunks) {
    return tk::run<ends_kernel>(site, sizeof(ends_shared), tk::kernel_shape(256).overlapping(),
                                tk::multiply(
                                    tk::multiply(tk::multiply(tk::ceil_div(CG, 128), G),
                                                 tk::larger(int64_t{segments} - 1, 0)), B),
                                tk::box{Bm, {1, 1, 8, 16}, 64}, U, Dt, A, bias, End, Left, B, G, CG,
                                L, segments, chunks);
}

tk::status launch_ends_general(
    const tk::launch_site& site, const tk::tensor& U, const tk::tensor& Dt, const tk::tensor& A,
    const tk::tensor& Bm, const tk::tensor& bias, const tk::tensor& End, const tk::tensor& Left,
    int64_t B, int64_t G, int64_t CG, int64_t L, int32_t segments, int32_t chunks) {
    return tk::run<ends_general_kernel>(
        site, sizeof(ends_general_shared), tk::kernel_shape(256).overlapping(),
        tk::multiply(
            tk::multiply(tk::multiply(tk::ceil_div(CG, 128), G),
                         tk::larger(int64_t{segments} - 1, 0)), B), U, Dt, A, Bm, bias, End, Left,
        B, G, CG, L, segments, chunks);
}

tk::status launch_starts(const tk::launch_site& site, const tk::tensor& A, const tk::tensor& S0,
                         const tk::tensor& End, const tk::tensor& Left, const tk::tensor& Start,
                         int64_t G, int64_t CG, int64_t I, int64_t B, int32_t segments) {
    return tk::run<starts_kernel>(site, 0, tk::kernel_shape(32).overlapping(),
                                  tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G), B), A, S0,
                                  End, Left, Start, G, CG, I, B, segments);
}

tk::status launch_starts_general(const tk::launch_site& site, const tk::tensor& A,
                                 const tk::tensor& S0, const tk::tensor& End,
                                 const tk::tensor& Left, const tk::tensor& Start, int64_t G,
                                 int64_t CG, int64_t I, int64_t B, int32_t segments) {
    return tk::run<starts_general_kernel>(site, 0, tk::kernel_shape(32).overlapping(),
                                          tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G), B), A,
                                          S0, End, Left, Start, G, CG, I, B, segments);
}

tk::status launch_selective_scan(
    const tk::launch_site& site, const tk::tensor& U, const tk::tensor& Dt, const tk::tensor& A,
    const tk::tensor& Bm, const tk::tensor& C, const tk::tensor& D, const tk::tensor& bias,
    const tk::tensor& S0, const tk::tensor& Y, const tk::tensor& State, const tk::tensor& Saved,
    int64_t B, int64_t G, int64_t CG, int64_t L, int64_t I, int64_t F, int64_t V, int32_t segments,
    int32_t chunks) {
    return tk::run<selective_scan_kernel>(
        site, sizeof(selective_scan_shared), tk::kernel_shape(256).overlapping(),
        tk::multiply(
            tk::multiply(tk::multiply(tk::ceil_div(CG, 128), G), tk::larger(int64_t{segments}, 0)),
            B), tk::box{Bm, {1, 1, 8, 16}, 64}, tk::box{C, {1, 1, 8, 16}, 64}, U, Dt, A, D, bias,
        S0, Y, State, Saved, B, G, CG, L, I, F, V, segments, chunks);
}

tk::status launch_selective_scan_general(
    const tk::launch_site& site, const tk::tensor& U, const tk::tensor& Dt, const tk::tensor& A,
    const tk::tensor& Bm, const tk::tensor& C, const tk::tensor& D, const tk::tensor& bias,
    const tk::tensor& S0, const tk::tensor& Y, const tk::tensor& State, const tk::tensor& Saved,
    int64_t B, int64_t G, int64_t CG, int64_t L, int64_t I, int64_t F, int64_t V, int32_t segments,
    int32_t chunks) {
    return tk::run<selective_scan_general_kernel>(
        site, sizeof(selective_scan_general_shared), tk::kernel_shape(256).overlapping(),
        tk::multiply(
            tk::multiply(tk::multiply(tk::ceil_div(CG, 128), G), tk::larger(int64_t{segments}, 0)),
            B), U, Dt, A, Bm, C, D, bias, S0, Y, State, Saved, B, G, CG, L, I, F, V, segments,
        chunks);
}

}  // namespace

extern "C" {
int selective_scan(const DLTensor* U_given, const DLTensor* Dt_given, const DLTensor* A_given,
                   const DLTensor* Bm_given, const DLTensor* C_given, const DLTensor* D_given,
                   const DLTensor* Z_given, const DLTensor* bias_given, const DLTensor* S0_given,
                   DLTensor* Y_given, DLTensor* State_given, DLTensor* Saved_given,
                   int32_t segments, int32_t chunks, void*, size_t, cudaStream_t stream) {
    return run_selective_scan("selective_scan", {0, 1, 2, 3}, U_given, Dt_given, A_given, Bm_given,
                              C_given, D_given, Z_given, bias_given, S0_given, Y_given, State_given,
                              Saved_given, segments, chunks, stream);
}
TK_NO_WORKSPACE(selective_scan, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, int32_t, int32_t)

int selective_scan_narrow(const DLTensor* U_given, const DLTensor* Dt_given,
                          const DLTensor* A_given, const DLTensor* Bm_given,
                          const DLTensor* C_given, const DLTensor* D_given, const DLTensor* Z_given,
                          const DLTensor* bias_given, const DLTensor* S0_given, DLTensor* Y_given,
                          DLTensor* State_given, DLTensor* Saved_given, int32_t segments,
                          int32_t chunks, void*, size_t, cudaStream_t stream) {
    return run_selective_scan("selective_scan_narrow", {1, 3}, U_given, Dt_given, A_given, Bm_given,
                              C_given, D_given, Z_given, bias_given, S0_given, Y_given, State_given,
                              Saved_given, segments, chunks, stream);
}
TK_NO_WORKSPACE(selective_scan_narrow, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*, DLTensor*, DLTensor*, int32_t, int32_t)

int ends(const DLTensor* U_given, const DLTensor* Dt_given, const DLTensor* A_given,
         const DLTensor* Bm_given, const DLTensor* bias_given, DLTensor* End_given,
         DLTensor* Left_given, int32_t segments, int32_t chunks, void*, size_t,
         cudaStream_t stream) {
    tk::arguments call{"ends"};
    const tk::tensor U = call.take("U", U_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Dt = call.take("Dt", Dt_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor A = call.take("A", A_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor Bm = call.take("Bm", Bm_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor bias = call.take("bias", bias_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor End = call.take("End", End_given, tk::dtype_f32, 5, tk::access::write);
    const tk::tensor Left = call.take("Left", Left_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = U.shape[0];
    const int64_t G = U.shape[1];
    const int64_t CG = U.shape[2];
    const int64_t L = U.shape[3];
    call.require({
        tk::same_extent("B", U, 0, Dt, 0), tk::same_extent("G", U, 1, Dt, 1),
        tk::same_extent("CG", U, 2, Dt, 2), tk::same_extent("L", U, 3, Dt, 3),
        tk::same_extent("G", U, 1, A, 0), tk::same_extent("CG", U, 2, A, 1),
        tk::fixed_extent(A, 2, 16), tk::same_extent("B", U, 0, Bm, 0),
        tk::same_extent("G", U, 1, Bm, 1), tk::same_extent("L", U, 3, Bm, 2),
        tk::fixed_extent(Bm, 3, 16), tk::same_extent("G", U, 1, bias, 0),
        tk::same_extent("CG", U, 2, bias, 1), tk::same_extent("B", U, 0, End, 0),
        tk::same_extent("G", U, 1, End, 2), tk::same_extent("CG", U, 2, End, 3),
        tk::fixed_extent(End, 4, 16), tk::same_extent("B", U, 0, Left, 0),
        tk::same_extent("G", U, 1, Left, 2), tk::same_extent("CG", U, 2, Left, 3),
        tk::extents_fit({{"B", B}, {"G", G}, {"CG", CG}, {"L", L}}),
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
        tk::fits("p*chunks",
                 tk::larger(0, tk::multiply(int64_t{segments} - 1 - 1, int64_t{chunks}))),
        tk::that(-2147483648 <=
                 tk::smaller(0, tk::multiply(int64_t{segments} - 1 - 1, int64_t{chunks})),
                 "`p*chunks` reaches {}; it must fit in 32 bits",
                 {tk::smaller(0, tk::multiply(int64_t{segments} - 1 - 1, int64_t{chunks}))}),
        tk::fits("first + chunks",
                 tk::larger(tk::larger(0, tk::multiply(int64_t{segments} - 1 - 1, int64_t{chunks})),
                            0) + int64_t{chunks})});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(
        tk::multiply(tk::multiply(tk::ceil_div(CG, 128), G), tk::larger(int64_t{segments} - 1, 0)),
        B);
    const bool fast = tk::hold(
        {tk::suits_fast(U, "L"), tk::whole_vectors(U, 8), tk::suits_fast(Dt, "L"),
         tk::suits_fast(A), tk::suits_fast(Bm), tk::suits_fast(End)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(
            tk::run<ends_kernel>(site, sizeof(ends_shared), tk::kernel_shape(256).overlapping(),
                                 programs, tk::box{Bm, {1, 1, 8, 16}, 64}, U, Dt, A, bias, End,
                                 Left, B, G, CG, L, segments, chunks));
    }
    return tk::finish(tk::run<ends_general_kernel>(
        site, sizeof(ends_general_shared), tk::kernel_shape(256).overlapping(), programs, U, Dt, A,
        Bm, bias, End, Left, B, G, CG, L, segments, chunks));
}
TK_NO_WORKSPACE(ends, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*, DLTensor*, int32_t, int32_t)

int starts(const DLTensor* A_given, const DLTensor* S0_given, const DLTensor* End_given,
           const DLTensor* Left_given, DLTensor* Start_given, int32_t segments, void*, size_t,
           cudaStream_t stream) {
    tk::arguments call{"starts"};
    const tk::tensor A = call.take("A", A_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor End = call.take("End", End_given, tk::dtype_f32, 5, tk::access::read);
    const tk::tensor Left = call.take("Left", Left_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor Start = call.take("Start", Start_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t G = A.shape[0];
    const int64_t CG = A.shape[1];
    const int64_t I = S0.shape[0];
    const int64_t B = End.shape[0];
    call.require({
        tk::fixed_extent(A, 2, 16), tk::same_extent("G", A, 0, S0, 1),
        tk::same_extent("CG", A, 1, S0, 2), tk::fixed_extent(S0, 3, 16),
        tk::same_extent("G", A, 0, End, 2), tk::same_extent("CG", A, 1, End, 3),
        tk::fixed_extent(End, 4, 16), tk::same_extent("B", End, 0, Left, 0),
        tk::same_extent("G", A, 0, Left, 2), tk::same_extent("CG", A, 1, Left, 3),
        tk::same_extent("G", A, 0, Start, 1), tk::same_extent("CG", A, 1, Start, 2),
        tk::fixed_extent(Start, 3, 16), tk::extents_fit({{"G", G}, {"CG", CG}, {"I", I}, {"B", B}}),
        tk::that(-2147483648 <= int64_t{segments} - 1,
                 "`segments - 1` reaches {}; it must fit in 32 bits", {int64_t{segments} - 1}),
        tk::that(End.shape[1] == int64_t{segments} - 1,
                 "axis 1 of `End` is {}; it must be `segments - 1`, which is {}",
                 {End.shape[1], int64_t{segments} - 1}),
        tk::that(Left.shape[1] == int64_t{segments} - 1,
                 "axis 1 of `Left` is {}; it must be `segments - 1`, which is {}",
                 {Left.shape[1], int64_t{segments} - 1}),
        tk::fits("B*segments", tk::multiply(B, int64_t{segments})),
        tk::that(-2147483648 <= tk::multiply(B, int64_t{segments}),
                 "`B*segments` reaches {}; it must fit in 32 bits",
                 {tk::multiply(B, int64_t{segments})}),
        tk::that(Start.shape[0] == tk::multiply(B, int64_t{segments}),
                 "axis 0 of `Start` is {}; it must be `B*segments`, which is {}",
                 {Start.shape[0], tk::multiply(B, int64_t{segments})}),
        tk::that(I <= B, "`starts` requires `I <= B`"),
        tk::that(int64_t{segments} >= 1, "`starts` requires `segments >= 1`"),
        tk::grid_fits(tk::multiply(tk::ceil_div(CG, 32), G), 2147483648),
        tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G), B), 2147483648),
        tk::fits("b*segments", tk::larger(0, tk::multiply(B - 1, int64_t{segments}))),
        tk::that(-2147483648 <= tk::smaller(0, tk::multiply(B - 1, int64_t{segments})),
                 "`b*segments` reaches {}; it must fit in 32 bits",
                 {tk::smaller(0, tk::multiply(B - 1, int64_t{segments}))}),
        tk::fits("b*segments + p",
                 tk::larger(0, tk::multiply(B - 1, int64_t{segments})) +
                 (int64_t{segments} - 1 - 1)),
        tk::fits("b*segments + p + 1",
                 tk::larger(0, tk::multiply(B - 1, int64_t{segments})) +
                 (int64_t{segments} - 1 - 1) + 1)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G), B);
    const bool fast = tk::hold(
        {tk::suits_fast(A), tk::suits_fast(S0), tk::suits_fast(End), tk::suits_fast(Start)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<starts_kernel, starts_general_kernel>(
        fast ? 0 : 1, site, 0, tk::kernel_shape(32).overlapping(), programs, A, S0, End, Left,
        Start, G, CG, I, B, segments));
}
TK_NO_WORKSPACE(starts, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*, int32_t)

int selective_scan_segments(
    const DLTensor* U_given, const DLTensor* Dt_given, const DLTensor* A_given,
    const DLTensor* Bm_given, const DLTensor* C_given, const DLTensor* D_given,
    const DLTensor* Z_given, const DLTensor* bias_given, const DLTensor* S0_given,
    DLTensor* Y_given, DLTensor* State_given, DLTensor* Saved_given, DLTensor* End_given,
    DLTensor* Left_given, DLTensor* Start_given, int32_t segments, int32_t chunks, void*, size_t,
    cudaStream_t stream) {
    tk::arguments call{"selective_scan_segments"};
    const tk::tensor U = call.take("U", U_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Dt = call.take("Dt", Dt_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor A = call.take("A", A_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor Bm = call.take("Bm", Bm_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor D = call.take("D", D_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor Z = call.take("Z", Z_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor bias = call.take("bias", bias_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor State = call.take("State", State_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Saved = call.take("Saved", Saved_given, tk::dtype_f32, 5, tk::access::write);
    const tk::tensor End = call.take("End", End_given, tk::dtype_f32, 5, tk::access::write);
    const tk::tensor Left = call.take("Left", Left_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Start = call.take("Start", Start_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = U.shape[0];
    const int64_t G = U.shape[1];
    const int64_t CG = U.shape[2];
    const int64_t L = U.shape[3];
    const int64_t BZ = Z.shape[0];
    const int64_t I = S0.shape[0];
    const int64_t F = State.shape[0];
    const int64_t V = Saved.shape[0];
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
         tk::same_extent("G", U, 1, S0, 1), tk::same_extent("CG", U, 2, S0, 2),
         tk::fixed_extent(S0, 3, 16), tk::same_extent("B", U, 0, Y, 0),
         tk::same_extent("G", U, 1, Y, 1), tk::same_extent("CG", U, 2, Y, 2),
         tk::same_extent("L", U, 3, Y, 3), tk::same_extent("G", U, 1, State, 1),
         tk::same_extent("CG", U, 2, State, 2), tk::fixed_extent(State, 3, 16),
         tk::same_extent("G", U, 1, Saved, 2), tk::same_extent("CG", U, 2, Saved, 3),
         tk::fixed_extent(Saved, 4, 16), tk::same_extent("B", U, 0, End, 0),
         tk::same_extent("G", U, 1, End, 2), tk::same_extent("CG", U, 2, End, 3),
         tk::fixed_extent(End, 4, 16), tk::same_extent("B", U, 0, Left, 0),
         tk::same_extent("G", U, 1, Left, 2), tk::same_extent("CG", U, 2, Left, 3),
         tk::same_extent("G", U, 1, Start, 1), tk::same_extent("CG", U, 2, Start, 2),
         tk::fixed_extent(Start, 3, 16),
         tk::extents_fit(
             {{"B", B}, {"G", G}, {"CG", CG}, {"L", L}, {"BZ", BZ}, {"I", I}, {"F", F}, {"V", V}}),
         tk::that(Saved.shape[1] == tk::ceil_div(L, 32),
                  "axis 1 of `Saved` is {}; it must be `ceil_div(L, 32)`, which is {}",
                  {Saved.shape[1], tk::ceil_div(L, 32)}),
         tk::that(-2147483648 <= int64_t{segments} - 1,
                  "`segments - 1` reaches {}; it must fit in 32 bits", {int64_t{segments} - 1}),
         tk::that(End.shape[1] == int64_t{segments} - 1,
                  "axis 1 of `End` is {}; it must be `segments - 1`, which is {}",
                  {End.shape[1], int64_t{segments} - 1}),
         tk::that(Left.shape[1] == int64_t{segments} - 1,
                  "axis 1 of `Left` is {}; it must be `segments - 1`, which is {}",
                  {Left.shape[1], int64_t{segments} - 1}),
         tk::fits("B*segments", tk::multiply(B, int64_t{segments})),
         tk::that(-2147483648 <= tk::multiply(B, int64_t{segments}),
                  "`B*segments` reaches {}; it must fit in 32 bits",
                  {tk::multiply(B, int64_t{segments})}),
         tk::that(Start.shape[0] == tk::multiply(B, int64_t{segments}),
                  "axis 0 of `Start` is {}; it must be `B*segments`, which is {}",
                  {Start.shape[0], tk::multiply(B, int64_t{segments})}),
         tk::that(I <= B, "`selective_scan_segments` requires `I <= B`"),
         tk::that(F <= B, "`selective_scan_segments` requires `F <= B`"),
         tk::that(V <= B, "`selective_scan_segments` requires `V <= B`")});
    // ends(U, Dt, A, Bm, bias, End, Left, segments, chunks)
    call.require({
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
        tk::fits("p*chunks",
                 tk::larger(0, tk::multiply(int64_t{segments} - 1 - 1, int64_t{chunks}))),
        tk::that(-2147483648 <=
                 tk::smaller(0, tk::multiply(int64_t{segments} - 1 - 1, int64_t{chunks})),
                 "`p*chunks` reaches {}; it must fit in 32 bits",
                 {tk::smaller(0, tk::multiply(int64_t{segments} - 1 - 1, int64_t{chunks}))}),
        tk::fits("first + chunks",
                 tk::larger(tk::larger(0, tk::multiply(int64_t{segments} - 1 - 1, int64_t{chunks})),
                            0) + int64_t{chunks})});
    // starts(A, S0, End, Left, Start, segments)
    call.require(
        {tk::grid_fits(tk::multiply(tk::ceil_div(CG, 32), G), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G), B), 2147483648),
         tk::fits("b*segments", tk::larger(0, tk::multiply(B - 1, int64_t{segments}))),
         tk::that(-2147483648 <= tk::smaller(0, tk::multiply(B - 1, int64_t{segments})),
                  "`b*segments` reaches {}; it must fit in 32 bits",
                  {tk::smaller(0, tk::multiply(B - 1, int64_t{segments}))}),
         tk::fits("b*segments + p",
                  tk::larger(0, tk::multiply(B - 1, int64_t{segments})) +
                  (int64_t{segments} - 1 - 1)),
         tk::fits("b*segments + p + 1",
                  tk::larger(0, tk::multiply(B - 1, int64_t{segments})) +
                  (int64_t{segments} - 1 - 1) + 1)});
    // selective_scan(U, Dt, A, Bm, C, D, Z, bias, Start, Y, State, Saved, segments, chunks)
    call.require({
        tk::that(tk::multiply(B, int64_t{segments}) < 2147221504,
                 "`B*segments` is {}; extents must be less than 2147221504",
                 {tk::multiply(B, int64_t{segments})}),
        tk::fits("segments*chunks", tk::multiply(int64_t{segments}, int64_t{chunks})),
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
                 "`selective_scan` requires `segments * chunks * 32 >= L`"),
        tk::that(tk::multiply(int64_t{segments} - 1, int64_t{chunks}) * 32 <= L,
                 "`selective_scan` requires `(segments - 1) * chunks * 32 <= L`"),
        tk::grid_fits(
            tk::multiply(tk::multiply(tk::ceil_div(CG, 128), G), tk::larger(int64_t{segments}, 0)),
            2147483648),
        tk::grid_fits(
            tk::multiply(
                tk::multiply(tk::multiply(tk::ceil_div(CG, 128), G),
                             tk::larger(int64_t{segments}, 0)), B), 2147483648),
        tk::fits("p*chunks", tk::larger(0, tk::multiply(int64_t{segments} - 1, int64_t{chunks}))),
        tk::that(-2147483648 <=
                 tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{chunks})),
                 "`p*chunks` reaches {}; it must fit in 32 bits",
                 {tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{chunks}))}),
        tk::fits("first + chunks",
                 tk::larger(tk::larger(0, tk::multiply(int64_t{segments} - 1, int64_t{chunks})),
                            0) + int64_t{chunks}),
        tk::fits("b*segments + p",
                 tk::larger(0, tk::multiply(B - 1, int64_t{segments})) + (int64_t{segments} - 1))});
    if (!call.ok()) return tk::finish(call.result());

    // ends(U, Dt, A, Bm, bias, End, Left, segments, chunks)
    const bool choice_1 = tk::hold(
        {tk::suits_fast(U, "L"), tk::whole_vectors(U, 8), tk::suits_fast(Dt, "L"),
         tk::suits_fast(A), tk::suits_fast(Bm), tk::suits_fast(End)});

    // starts(A, S0, End, Left, Start, segments)
    const bool choice_2 = tk::hold(
        {tk::suits_fast(A), tk::suits_fast(S0), tk::suits_fast(End), tk::suits_fast(Start)});

    // selective_scan(U, Dt, A, Bm, C, D, Z, bias, Start, Y, State, Saved, segments, chunks)
    const bool choice_3 = tk::hold(
        {tk::suits_fast(U, "L"), tk::whole_vectors(U, 8), tk::suits_fast(Dt, "L"),
         tk::suits_fast(A), tk::suits_fast(Bm), tk::suits_fast(C), tk::suits_fast(Start),
         tk::suits_fast(Y, "L"), tk::suits_fast(State), tk::suits_fast(Saved)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1) {
        TK_FINISH_IF_FAILED(
            launch_ends(site, U, Dt, A, Bm, bias, End, Left, B, G, CG, L, segments, chunks));
    } else {
        TK_FINISH_IF_FAILED(launch_ends_general(
            site, U, Dt, A, Bm, bias, End, Left, B, G, CG, L, segments, chunks));
    }
    if (choice_2) {
        TK_FINISH_IF_FAILED(launch_starts(
            site, A, S0, tk::read_only(End), tk::read_only(Left), Start, G, CG, I, B, segments));
    } else {
        TK_FINISH_IF_FAILED(launch_starts_general(
            site, A, S0, tk::read_only(End), tk::read_only(Left), Start, G, CG, I, B, segments));
    }
    if (choice_3) {
        TK_FINISH_IF_FAILED(launch_selective_scan(
            site, U, Dt, A, Bm, C, D, bias, tk::read_only(Start), Y, State, Saved, B, G, CG, L,
            tk::multiply(B, int64_t{segments}), F, V, segments, chunks));
    } else {
        TK_FINISH_IF_FAILED(launch_selective_scan_general(
            site, U, Dt, A, Bm, C, D, bias, tk::read_only(Start), Y, State, Saved, B, G, CG, L,
            tk::multiply(B, int64_t{segments}), F, V, segments, chunks));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(selective_scan_segments, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                int32_t, int32_t)
}  // extern "C"
