// Made by tkc from selective_scan.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/integer.cuh"
#include "tk/operations/slice_tile.cuh"
#include "tk/tk.cuh"

// ended: kernel ended.
// 32 threads, 64 registers each: ended_kernel<32, 16, 4, true>.
// ended_general: kernel ended; any strides and alignment.
// 32 threads, 255 registers each: ended_kernel<1, 32, 2, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(32, blocks) ended_kernel(
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

// selective_scan: kernel selective_scan with T = bf16, TD = bf16, TB = f32, S = 16, GATED = false,
// SOFTPLUS = true, PACKED = false, BD = 128.
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
    const tk::tensor_argument<const float, 4> Start, const tk::tensor_argument<tk::bf16, 4> Y,
    const tk::tensor_argument<float, 4> State, const tk::tensor_argument<float, 5> Saved, int B,
    int G, int CG, int L, int I, int J, int F, int V, int segments, int chunks) {
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
        // selective_scan.tk:67: role producer(1 warp) {
        if (warp == 0 && tk::elect_one()) {
            tk::cursor<8> bc_next;
            const int program = blockIdx.x;
            const int g = program / d_tiles % G;
            const int p = program / (d_tiles * G) % p_tiles;
            const int b = program / (d_tiles * G * p_tiles);

            // selective_scan.tk:60: let first = max(p * chunks, 0);
            const int first = tk::max(p * chunks, 0);

            // selective_scan.tk:61: let last  = min(first + chunks, ceil_div(L, 32));
            const int last = tk::min(first + chunks, tk::divide_up(L, 32));

            // selective_scan.tk:68: for q in one..other {
            #pragma unroll 1
            for (int q = 0; q < 1; q += 1) {
                // selective_scan.tk:70: let end  = if PACKED { min(start[q + 1], min(last * 32, ..
                const int end = L;

                // selective_scan.tk:71: for s in (if PACKED { from // 32 } else { first })..(if ..
                #pragma unroll 1
                for (int s = first; s < last; s += 1) {
                    // selective_scan.tk:72: for t in (if PACKED { max(s * 4, from // 8) * 8 } ..
                    #pragma unroll 1
                    for (int t = s * 32; t < tk::min(s * 32 + 32, end); t += 8) {
                        // selective_scan.tk:73: produce bc { b = load(Bm[b, g, t, :]); c = ..
                        shared.bc.begin(bc_next, 1024);
                        tk::tma_load(shared.bc_b[bc_next.stage], Bm_map,
                                     shared.bc.full[bc_next.stage], b, g, t, 0);
                        tk::tma_load(shared.bc_c[bc_next.stage], C_map,
                                     shared.bc.full[bc_next.stage], b, g, t, 0);
                        bc_next.advance();
                    }
                }
            }
        }
    } else {
        // selective_scan.tk:79: role scan(BD // 32 warps) {
        const int thread = int(threadIdx.x) - 128;
        tk::cursor<8> bc_next;
        const int program = blockIdx.x;
        const int d = program % d_tiles * 128;
        const int g = program / d_tiles % G;
        const int p = program / (d_tiles * G) % p_tiles;
        const int b = program / (d_tiles * G * p_tiles);

        // selective_scan.tk:60: let first = max(p * chunks, 0);
        const int first = tk::max(p * chunks, 0);

        // selective_scan.tk:61: let last  = min(first + chunks, ceil_div(L, 32));
        const int last = tk::min(first + chunks, tk::divide_up(L, 32));

        // selective_scan.tk:80: let a    = load(A[g, d, :]) * LOG2E;
        tk::stripe<float, 128, 16, 128, 1, 8> t0;
        tk::load_vectors(t0, tk::dense_slice(A, {g, d, 0}, CG - d, 16), thread);
        tk::stripe<float, 128, 16, 128, 1, 8> a;
        tk::map(a, [](float t0) { return t0 * 1.442695f; }, t0);

        // selective_scan.tk:81: let skip = column(load(D[g, d]));
        tk::stripe<float, 128, 1, 128, 1, 8> skip;
        tk::load_global(skip, tk::slice<1, tk::no_axis>(D, {g, d}, CG - d, 1), thread);

        // selective_scan.tk:82: let add  = column(load(bias[g, d]));
        tk::stripe<float, 128, 1, 128, 1, 8> add;
        tk::load_global(add, tk::slice<1, tk::no_axis>(bias, {g, d}, CG - d, 1), thread);

        // selective_scan.tk:83: var made: T[BD, 8] = 0;
        tk::stripe<tk::bf16, 128, 8, 128, 1, 8> made;
        tk::map(made, []() { return tk::bf16(0.0f); });

        // selective_scan.tk:84: for q in one..other {
        tk::stripe<float, 128, 8, 128, 1, 8> y;
        for (int q = 0; q < 1; q += 1) {
            // selective_scan.tk:86: let end  = if PACKED { min(start[q + 1], min(last * 32, L)) ..
            const int end = L;

            // selective_scan.tk:87: var h: f32[BD, S] = load(S0[(if PACKED { q } else { b }), g, ..
            tk::stripe<float, 128, 16, 128, 1, 8> h;
            tk::load_vectors(h, tk::dense_slice(S0, {b, g, d, 0}, b < I ? CG - d : 0, 16), thread);

            // selective_scan.tk:88: if (if PACKED { start[q] < first * 32 } else { p > 0 }) { h ..
            if (p > 0) {
                tk::stripe<float, 128, 16, 128, 1, 8> t4;
                tk::load_vectors(t4,
                                 tk::dense_slice(Start, {b * segments + p, g, d, 0},
                                                 b * segments + p > -1 && b * segments + p < J
                                                 ? CG - d : 0, 16), thread);
                h = t4;
            }

            // selective_scan.tk:89: for s in (if PACKED { from // 32 } else { first })..(if ..
            for (int s = first; s < last; s += 1) {
                // selective_scan.tk:90: if not PACKED or from <= s * 32 { store(Saved[b, s, g, ..
                tk::store_vectors(
                    tk::dense_slice(Saved, {b, s, g, d, 0},
                                    s < tk::divide_up(L, 32) ? (b < V ? CG - d : 0) : 0, 16), h,
                    thread);

                // selective_scan.tk:91: for t in (if PACKED { max(s * 4, from // 8) * 8 } else { ..
                for (int t = s * 32; t < tk::min(s * 32 + 32, end); t += 8) {
                    // selective_scan.tk:92: let u  = load(U[b, g, d, t]);
                    tk::stripe<tk::bf16, 128, 8, 128, 1, 8> u;
                    tk::load_vectors(u, tk::vector_slice(U, {b, g, d, t}, CG - d, L - t), thread);

                    // selective_scan.tk:93: let dt = step_sizes(f32(load(Dt[b, g, d, t])) + add, ..
                    tk::stripe<tk::bf16, 128, 8, 128, 1, 8> t6;
                    tk::load_vectors(t6, tk::vector_slice(Dt, {b, g, d, t}, CG - d, L - t), thread);
                    tk::stripe<float, 128, 8, 128, 1, 8> dt;
                    tk::map(dt, thread, [&](int, int col, tk::bf16 t6, float add) {
                        const float x = col < end - t ? float(t6) + add : -INFINITY;
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
                                                                            tk::divide(1.0f,
                                                                                       11.0f)),
                                                                    tk::divide(1.0f, 9.0f)),
                                                            tk::divide(1.0f, 7.0f)),
                                                    tk::divide(1.0f, 5.0f)),
                                            tk::divide(1.0f, 3.0f)), 1.0f), tk::max(x, 0.0f));
                    }, t6, add);

                    // selective_scan.tk:94: var y: f32[BD, 8] = 0;
                    tk::zero(y);

                    // selective_scan.tk:95: consume bc as n {
                    const tk::cursor<8> n = shared.bc.take(bc_next);

                    // selective_scan.tk:17: return exp2(dt[:, I +: 1] * a) * h + dt[:, I +: 1] * ..
                    tk::stripe<float, 128, 1, 128, 1, 8> t9;
                    tk::slice_registers<0, 0>(t9, dt);
                    tk::stripe<float, 128, 1, 128, 1, 8> t10;
                    tk::slice_registers<0, 0>(t10, dt);
                    tk::stripe<tk::bf16, 128, 1, 128, 1, 8> t11;
                    tk::slice_registers<0, 0>(t11, u);

                    // selective_scan.tk:22: h = next<I>(h, a, dt, u, bm);
                    tk::stripe<float, 128, 1, 128, 1, 8> t1;
                    tk::map(t1, [](float t10, tk::bf16 t11) { return t10 * float(t11); }, t10, t11);
                    tk::stripe<float, 1, 16, 128, 1, 8> t67;
                    tk::load_shared(t67, tk::part<0, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                    tk::map(h, [](float t9, float a, float h, float t1, float t67) {
                        return tk::fma(tk::exp2(t9 * a), h, t1 * t67);
                    }, t9, a, h, t1, t67);

                    // selective_scan.tk:23: y = where(col_index(y) == I, sum(h * cm, axis = 1), y);
                    tk::stripe<float, 1, 16, 128, 1, 8> t68;
                    tk::load_shared(t68, tk::part<0, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                    tk::stripe<float, 128, 16, 128, 1, 8> t12;
                    tk::map(t12, [](float h, float t68) { return h * t68; }, h, t68);
                    tk::stripe<float, 128, 1, 128, 1, 8> t13;
                    tk::fold_rows(t13, t12, tk::plus{}, thread);
                    tk::finish_rows(t13, tk::plus{});
                    tk::map(y, thread, [](int, int col, float t13, float y) {
                        return col == 0 ? t13 : y;
                    }, t13, y);
                    // selective_scan.tk:17
                    tk::stripe<float, 128, 1, 128, 1, 8> t16;
                    tk::slice_registers<0, 1>(t16, dt);
                    tk::stripe<float, 128, 1, 128, 1, 8> t17;
                    tk::slice_registers<0, 1>(t17, dt);
                    tk::stripe<tk::bf16, 128, 1, 128, 1, 8> t18;
                    tk::slice_registers<0, 1>(t18, u);
                    // selective_scan.tk:22
                    tk::stripe<float, 128, 1, 128, 1, 8> t2;
                    tk::map(t2, [](float t17, tk::bf16 t18) { return t17 * float(t18); }, t17, t18);
                    tk::stripe<float, 1, 16, 128, 1, 8> t69;
                    tk::load_shared(t69, tk::part<1, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                    tk::map(h, [](float t16, float a, float h, float t2, float t69) {
                        return tk::fma(tk::exp2(t16 * a), h, t2 * t69);
                    }, t16, a, h, t2, t69);
                    // selective_scan.tk:23
                    tk::stripe<float, 1, 16, 128, 1, 8> t70;
                    tk::load_shared(t70, tk::part<1, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                    tk::stripe<float, 128, 16, 128, 1, 8> t19;
                    tk::map(t19, [](float h, float t70) { return h * t70; }, h, t70);
                    tk::stripe<float, 128, 1, 128, 1, 8> t20;
                    tk::fold_rows(t20, t19, tk::plus{}, thread);
                    tk::finish_rows(t20, tk::plus{});
                    tk::map(y, thread, [](int, int col, float t20, float y) {
                        return col == 1 ? t20 : y;
                    }, t20, y);
                    // selective_scan.tk:17
                    tk::stripe<float, 128, 1, 128, 1, 8> t23;
                    tk::slice_registers<0, 2>(t23, dt);
                    tk::stripe<float, 128, 1, 128, 1, 8> t24;
                    tk::slice_registers<0, 2>(t24, dt);
                    tk::stripe<tk::bf16, 128, 1, 128, 1, 8> t25;
                    tk::slice_registers<0, 2>(t25, u);
                    // selective_scan.tk:22
                    tk::stripe<float, 128, 1, 128, 1, 8> t3;
                    tk::map(t3, [](float t24, tk::bf16 t25) { return t24 * float(t25); }, t24, t25);
                    tk::stripe<float, 1, 16, 128, 1, 8> t71;
                    tk::load_shared(t71, tk::part<2, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                    tk::map(h, [](float t23, float a, float h, float t3, float t71) {
                        return tk::fma(tk::exp2(t23 * a), h, t3 * t71);
                    }, t23, a, h, t3, t71);
                    // selective_scan.tk:23
                    tk::stripe<float, 1, 16, 128, 1, 8> t72;
                    tk::load_shared(t72, tk::part<2, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                    tk::stripe<float, 128, 16, 128, 1, 8> t26;
                    tk::map(t26, [](float h, float t72) { return h * t72; }, h, t72);
                    tk::stripe<float, 128, 1, 128, 1, 8> t27;
                    tk::fold_rows(t27, t26, tk::plus{}, thread);
                    tk::finish_rows(t27, tk::plus{});
                    tk::map(y, thread, [](int, int col, float t27, float y) {
                        return col == 2 ? t27 : y;
                    }, t27, y);
                    // selective_scan.tk:17
                    tk::stripe<float, 128, 1, 128, 1, 8> t30;
                    tk::slice_registers<0, 3>(t30, dt);
                    tk::stripe<float, 128, 1, 128, 1, 8> t31;
                    tk::slice_registers<0, 3>(t31, dt);
                    tk::stripe<tk::bf16, 128, 1, 128, 1, 8> t32;
                    tk::slice_registers<0, 3>(t32, u);
                    // selective_scan.tk:22
                    tk::stripe<float, 128, 1, 128, 1, 8> t5;
                    tk::map(t5, [](float t31, tk::bf16 t32) { return t31 * float(t32); }, t31, t32);
                    tk::stripe<float, 1, 16, 128, 1, 8> t73;
                    tk::load_shared(t73, tk::part<3, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                    tk::map(h, [](float t30, float a, float h, float t5, float t73) {
                        return tk::fma(tk::exp2(t30 * a), h, t5 * t73);
                    }, t30, a, h, t5, t73);
                    // selective_scan.tk:23
                    tk::stripe<float, 1, 16, 128, 1, 8> t74;
                    tk::load_shared(t74, tk::part<3, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                    tk::stripe<float, 128, 16, 128, 1, 8> t33;
                    tk::map(t33, [](float h, float t74) { return h * t74; }, h, t74);
                    tk::stripe<float, 128, 1, 128, 1, 8> t34;
                    tk::fold_rows(t34, t33, tk::plus{}, thread);
                    tk::finish_rows(t34, tk::plus{});
                    tk::map(y, thread, [](int, int col, float t34, float y) {
                        return col == 3 ? t34 : y;
                    }, t34, y);
                    // selective_scan.tk:17
                    tk::stripe<float, 128, 1, 128, 1, 8> t37;
                    tk::slice_registers<0, 4>(t37, dt);
                    tk::stripe<float, 128, 1, 128, 1, 8> t38;
                    tk::slice_registers<0, 4>(t38, dt);
                    tk::stripe<tk::bf16, 128, 1, 128, 1, 8> t39;
                    tk::slice_registers<0, 4>(t39, u);
                    // selective_scan.tk:22
                    tk::stripe<float, 128, 1, 128, 1, 8> t63;
                    tk::map(t63, [](float t38, tk::bf16 t39) { return t38 * float(t39); },
                            t38, t39);
                    tk::stripe<float, 1, 16, 128, 1, 8> t75;
                    tk::load_shared(t75, tk::part<4, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                    tk::map(h, [](float t37, float a, float h, float t63, float t75) {
                        return tk::fma(tk::exp2(t37 * a), h, t63 * t75);
                    }, t37, a, h, t63, t75);
                    // selective_scan.tk:23
                    tk::stripe<float, 1, 16, 128, 1, 8> t76;
                    tk::load_shared(t76, tk::part<4, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                    tk::stripe<float, 128, 16, 128, 1, 8> t40;
                    tk::map(t40, [](float h, float t76) { return h * t76; }, h, t76);
                    tk::stripe<float, 128, 1, 128, 1, 8> t41;
                    tk::fold_rows(t41, t40, tk::plus{}, thread);
                    tk::finish_rows(t41, tk::plus{});
                    tk::map(y, thread, [](int, int col, float t41, float y) {
                        return col == 4 ? t41 : y;
                    }, t41, y);
                    // selective_scan.tk:17
                    tk::stripe<float, 128, 1, 128, 1, 8> t44;
                    tk::slice_registers<0, 5>(t44, dt);
                    tk::stripe<float, 128, 1, 128, 1, 8> t45;
                    tk::slice_registers<0, 5>(t45, dt);
                    tk::stripe<tk::bf16, 128, 1, 128, 1, 8> t46;
                    tk::slice_registers<0, 5>(t46, u);
                    // selective_scan.tk:22
                    tk::stripe<float, 128, 1, 128, 1, 8> t64;
                    tk::map(t64, [](float t45, tk::bf16 t46) { return t45 * float(t46); },
                            t45, t46);
                    tk::stripe<float, 1, 16, 128, 1, 8> t77;
                    tk::load_shared(t77, tk::part<5, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                    tk::map(h, [](float t44, float a, float h, float t64, float t77) {
                        return tk::fma(tk::exp2(t44 * a), h, t64 * t77);
                    }, t44, a, h, t64, t77);
                    // selective_scan.tk:23
                    tk::stripe<float, 1, 16, 128, 1, 8> t78;
                    tk::load_shared(t78, tk::part<5, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                    tk::stripe<float, 128, 16, 128, 1, 8> t47;
                    tk::map(t47, [](float h, float t78) { return h * t78; }, h, t78);
                    tk::stripe<float, 128, 1, 128, 1, 8> t48;
                    tk::fold_rows(t48, t47, tk::plus{}, thread);
                    tk::finish_rows(t48, tk::plus{});
                    tk::map(y, thread, [](int, int col, float t48, float y) {
                        return col == 5 ? t48 : y;
                    }, t48, y);
                    // selective_scan.tk:17
                    tk::stripe<float, 128, 1, 128, 1, 8> t51;
                    tk::slice_registers<0, 6>(t51, dt);
                    tk::stripe<float, 128, 1, 128, 1, 8> t52;
                    tk::slice_registers<0, 6>(t52, dt);
                    tk::stripe<tk::bf16, 128, 1, 128, 1, 8> t53;
                    tk::slice_registers<0, 6>(t53, u);
                    // selective_scan.tk:22
                    tk::stripe<float, 128, 1, 128, 1, 8> t65;
                    tk::map(t65, [](float t52, tk::bf16 t53) { return t52 * float(t53); },
                            t52, t53);
                    tk::stripe<float, 1, 16, 128, 1, 8> t79;
                    tk::load_shared(t79, tk::part<6, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                    tk::map(h, [](float t51, float a, float h, float t65, float t79) {
                        return tk::fma(tk::exp2(t51 * a), h, t65 * t79);
                    }, t51, a, h, t65, t79);
                    // selective_scan.tk:23
                    tk::stripe<float, 1, 16, 128, 1, 8> t80;
                    tk::load_shared(t80, tk::part<6, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                    tk::stripe<float, 128, 16, 128, 1, 8> t54;
                    tk::map(t54, [](float h, float t80) { return h * t80; }, h, t80);
                    tk::stripe<float, 128, 1, 128, 1, 8> t55;
                    tk::fold_rows(t55, t54, tk::plus{}, thread);
                    tk::finish_rows(t55, tk::plus{});
                    tk::map(y, thread, [](int, int col, float t55, float y) {
                        return col == 6 ? t55 : y;
                    }, t55, y);
                    // selective_scan.tk:17
                    tk::stripe<float, 128, 1, 128, 1, 8> t58;
                    tk::slice_registers<0, 7>(t58, dt);
                    tk::stripe<float, 128, 1, 128, 1, 8> t59;
                    tk::slice_registers<0, 7>(t59, dt);
                    tk::stripe<tk::bf16, 128, 1, 128, 1, 8> t60;
                    tk::slice_registers<0, 7>(t60, u);
                    // selective_scan.tk:22
                    tk::stripe<float, 128, 1, 128, 1, 8> t66;
                    tk::map(t66, [](float t59, tk::bf16 t60) { return t59 * float(t60); },
                            t59, t60);
                    tk::stripe<float, 1, 16, 128, 1, 8> t81;
                    tk::load_shared(t81, tk::part<7, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                    tk::map(h, [](float t58, float a, float h, float t66, float t81) {
                        return tk::fma(tk::exp2(t58 * a), h, t66 * t81);
                    }, t58, a, h, t66, t81);
                    // selective_scan.tk:23
                    tk::stripe<float, 1, 16, 128, 1, 8> t82;
                    tk::load_shared(t82, tk::part<7, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                    shared.bc.release_after_loads(n);
                    tk::stripe<float, 128, 16, 128, 1, 8> t61;
                    tk::map(t61, [](float h, float t82) { return h * t82; }, h, t82);
                    tk::stripe<float, 128, 1, 128, 1, 8> t62;
                    tk::fold_rows(t62, t61, tk::plus{}, thread);
                    tk::finish_rows(t62, tk::plus{});
                    tk::map(y, thread, [](int, int col, float t62, float y) {
                        return col == 7 ? t62 : y;
                    }, t62, y);

                    // selective_scan.tk:105: y += skip * u;
                    tk::map(y, [](float y, float skip, tk::bf16 u) {
                        return tk::fma(skip, float(u), y);
                    }, y, skip, u);

                    // selective_scan.tk:107: made = if PACKED { where(inside(y, from - t.start, ..
                    made = tk::convert<tk::bf16>(y);

                    // selective_scan.tk:108: store(Y[b, g, d, t], made);
                    tk::store_vectors(tk::vector_slice(Y, {b, g, d, t}, CG - d, L - t), made,
                                      thread);
                }
            }

            // selective_scan.tk:111: if (if PACKED { q < done } else { p == segments - 1 }) { ..
            if (p == segments - 1) {
                tk::store_vectors(tk::dense_slice(State, {b, g, d, 0}, b < F ? CG - d : 0, 16), h,
                                  thread);
            }
        }
    }
}

// selective_scan_general: kernel selective_scan with T = bf16, TD = bf16, TB = f32, S = 16, GATED =
// false, SOFTPLUS = true, PACKED = false, BD = 128; any strides and alignment.
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
    const tk::tensor_argument<const float, 4> Start, const tk::tensor_argument<tk::bf16, 4> Y,
    const tk::tensor_argument<float, 4> State, const tk::tensor_argument<float, 5> Saved, int B,
    int G, int CG, int L, int I, int J, int F, int V, int segments, int chunks) {
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
        // selective_scan.tk:67: role producer(1 warp) {
        if (warp == 0) {
            const int thread = int(threadIdx.x);
            tk::cursor<8> bc_next;
            const int program = blockIdx.x;
            const int g = program / d_tiles % G;
            const int p = program / (d_tiles * G) % p_tiles;
            const int b = program / (d_tiles * G * p_tiles);

            // selective_scan.tk:60: let first = max(p * chunks, 0);
            const int first = tk::max(p * chunks, 0);

            // selective_scan.tk:61: let last  = min(first + chunks, ceil_div(L, 32));
            const int last = tk::min(first + chunks, tk::divide_up(L, 32));

            // selective_scan.tk:68: for q in one..other {
            #pragma unroll 1
            for (int q = 0; q < 1; q += 1) {
                // selective_scan.tk:70: let end  = if PACKED { min(start[q + 1], min(last * 32, ..
                const int end = L;

                // selective_scan.tk:71: for s in (if PACKED { from // 32 } else { first })..(if ..
                #pragma unroll 1
                for (int s = first; s < last; s += 1) {
                    // selective_scan.tk:72: for t in (if PACKED { max(s * 4, from // 8) * 8 } ..
                    #pragma unroll 1
                    for (int t = s * 32; t < tk::min(s * 32 + 32, end); t += 8) {
                        // selective_scan.tk:73: produce bc { b = load(Bm[b, g, t, :]); c = ..
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
        }
    } else {
        // selective_scan.tk:79: role scan(BD // 32 warps) {
        const int thread = int(threadIdx.x) - 128;
        tk::cursor<8> bc_next;
        const int program = blockIdx.x;
        const int d = program % d_tiles * 128;
        const int g = program / d_tiles % G;
        const int p = program / (d_tiles * G) % p_tiles;
        const int b = program / (d_tiles * G * p_tiles);

        // selective_scan.tk:60: let first = max(p * chunks, 0);
        const int first = tk::max(p * chunks, 0);

        // selective_scan.tk:61: let last  = min(first + chunks, ceil_div(L, 32));
        const int last = tk::min(first + chunks, tk::divide_up(L, 32));

        // selective_scan.tk:80: let a    = load(A[g, d, :]) * LOG2E;
        tk::stripe<float, 128, 16, 128, 1, 2> t0;
        tk::load_global(t0, tk::slice(A, {g, d, 0}, CG - d, 16), thread);
        tk::stripe<float, 128, 16, 128, 1, 2> a;
        tk::map(a, [](float t0) { return t0 * 1.442695f; }, t0);

        // selective_scan.tk:81: let skip = column(load(D[g, d]));
        tk::stripe<float, 128, 1, 128, 1, 2> skip;
        tk::load_global(skip, tk::slice<1, tk::no_axis>(D, {g, d}, CG - d, 1), thread);

        // selective_scan.tk:82: let add  = column(load(bias[g, d]));
        tk::stripe<float, 128, 1, 128, 1, 2> add;
        tk::load_global(add, tk::slice<1, tk::no_axis>(bias, {g, d}, CG - d, 1), thread);

        // selective_scan.tk:83: var made: T[BD, 8] = 0;
        tk::stripe<tk::bf16, 128, 8, 128, 1, 2> made;
        tk::map(made, []() { return tk::bf16(0.0f); });

        // selective_scan.tk:84: for q in one..other {
        tk::stripe<float, 128, 8, 128, 1, 2> y;
        for (int q = 0; q < 1; q += 1) {
            // selective_scan.tk:86: let end  = if PACKED { min(start[q + 1], min(last * 32, L)) ..
            const int end = L;

            // selective_scan.tk:87: var h: f32[BD, S] = load(S0[(if PACKED { q } else { b }), g, ..
            tk::stripe<float, 128, 16, 128, 1, 2> h;
            tk::load_global(h, tk::slice(S0, {b, g, d, 0}, b < I ? CG - d : 0, 16), thread);

            // selective_scan.tk:88: if (if PACKED { start[q] < first * 32 } else { p > 0 }) { h ..
            if (p > 0) {
                tk::stripe<float, 128, 16, 128, 1, 2> t4;
                tk::load_global(t4,
                                tk::slice(Start, {b * segments + p, g, d, 0},
                                          b * segments + p > -1 && b * segments + p < J ? CG - d
                                          : 0, 16), thread);
                h = t4;
            }

            // selective_scan.tk:89: for s in (if PACKED { from // 32 } else { first })..(if ..
            for (int s = first; s < last; s += 1) {
                // selective_scan.tk:90: if not PACKED or from <= s * 32 { store(Saved[b, s, g, ..
                tk::store_global(
                    tk::slice(Saved, {b, s, g, d, 0},
                              s < tk::divide_up(L, 32) ? (b < V ? CG - d : 0) : 0, 16), h, thread);

                // selective_scan.tk:91: for t in (if PACKED { max(s * 4, from // 8) * 8 } else { ..
                for (int t = s * 32; t < tk::min(s * 32 + 32, end); t += 8) {
                    // selective_scan.tk:92: let u  = load(U[b, g, d, t]);
                    tk::stripe<tk::bf16, 128, 8, 128, 1, 2> u;
                    tk::load_global(u, tk::slice(U, {b, g, d, t}, CG - d, L - t), thread);

                    // selective_scan.tk:93: let dt = step_sizes(f32(load(Dt[b, g, d, t])) + add, ..
                    tk::stripe<tk::bf16, 128, 8, 128, 1, 2> t6;
                    tk::load_global(t6, tk::slice(Dt, {b, g, d, t}, CG - d, L - t), thread);
                    tk::stripe<float, 128, 8, 128, 1, 2> dt;
                    tk::map(dt, thread, [&](int, int col, tk::bf16 t6, float add) {
                        const float x = col < end - t ? float(t6) + add : -INFINITY;
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
                                                                            tk::divide(1.0f,
                                                                                       11.0f)),
                                                                    tk::divide(1.0f, 9.0f)),
                                                            tk::divide(1.0f, 7.0f)),
                                                    tk::divide(1.0f, 5.0f)),
                                            tk::divide(1.0f, 3.0f)), 1.0f), tk::max(x, 0.0f));
                    }, t6, add);

                    // selective_scan.tk:94: var y: f32[BD, 8] = 0;
                    tk::zero(y);

                    // selective_scan.tk:95: consume bc as n {
                    const tk::cursor<8> n = shared.bc.take(bc_next);

                    // selective_scan.tk:17: return exp2(dt[:, I +: 1] * a) * h + dt[:, I +: 1] * ..
                    tk::stripe<float, 128, 1, 128, 1, 2> t9;
                    tk::slice_registers<0, 0>(t9, dt);
                    tk::stripe<float, 128, 1, 128, 1, 2> t10;
                    tk::slice_registers<0, 0>(t10, dt);
                    tk::stripe<tk::bf16, 128, 1, 128, 1, 2> t11;
                    tk::slice_registers<0, 0>(t11, u);

                    // selective_scan.tk:22: h = next<I>(h, a, dt, u, bm);
                    tk::stripe<float, 128, 1, 128, 1, 2> t1;
                    tk::map(t1, [](float t10, tk::bf16 t11) { return t10 * float(t11); }, t10, t11);
                    tk::stripe<float, 1, 16, 128, 1, 2> t67;
                    tk::load_shared(t67, tk::part<0, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                    tk::map(h, [](float t9, float a, float h, float t1, float t67) {
                        return tk::fma(tk::exp2(t9 * a), h, t1 * t67);
                    }, t9, a, h, t1, t67);

                    // selective_scan.tk:23: y = where(col_index(y) == I, sum(h * cm, axis = 1), y);
                    tk::stripe<float, 1, 16, 128, 1, 2> t68;
                    tk::load_shared(t68, tk::part<0, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                    tk::stripe<float, 128, 16, 128, 1, 2> t12;
                    tk::map(t12, [](float h, float t68) { return h * t68; }, h, t68);
                    tk::stripe<float, 128, 1, 128, 1, 2> t13;
                    tk::fold_rows(t13, t12, tk::plus{}, thread);
                    tk::finish_rows(t13, tk::plus{});
                    tk::map(y, thread, [](int, int col, float t13, float y) {
                        return col == 0 ? t13 : y;
                    }, t13, y);
                    // selective_scan.tk:17
                    tk::stripe<float, 128, 1, 128, 1, 2> t16;
                    tk::slice_registers<0, 1>(t16, dt);
                    tk::stripe<float, 128, 1, 128, 1, 2> t17;
                    tk::slice_registers<0, 1>(t17, dt);
                    tk::stripe<tk::bf16, 128, 1, 128, 1, 2> t18;
                    tk::slice_registers<0, 1>(t18, u);
                    // selective_scan.tk:22
                    tk::stripe<float, 128, 1, 128, 1, 2> t2;
                    tk::map(t2, [](float t17, tk::bf16 t18) { return t17 * float(t18); }, t17, t18);
                    tk::stripe<float, 1, 16, 128, 1, 2> t69;
                    tk::load_shared(t69, tk::part<1, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                    tk::map(h, [](float t16, float a, float h, float t2, float t69) {
                        return tk::fma(tk::exp2(t16 * a), h, t2 * t69);
                    }, t16, a, h, t2, t69);
                    // selective_scan.tk:23
                    tk::stripe<float, 1, 16, 128, 1, 2> t70;
                    tk::load_shared(t70, tk::part<1, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                    tk::stripe<float, 128, 16, 128, 1, 2> t19;
                    tk::map(t19, [](float h, float t70) { return h * t70; }, h, t70);
                    tk::stripe<float, 128, 1, 128, 1, 2> t20;
                    tk::fold_rows(t20, t19, tk::plus{}, thread);
                    tk::finish_rows(t20, tk::plus{});
                    tk::map(y, thread, [](int, int col, float t20, float y) {
                        return col == 1 ? t20 : y;
                    }, t20, y);
                    // selective_scan.tk:17
                    tk::stripe<float, 128, 1, 128, 1, 2> t23;
                    tk::slice_registers<0, 2>(t23, dt);
                    tk::stripe<float, 128, 1, 128, 1, 2> t24;
                    tk::slice_registers<0, 2>(t24, dt);
                    tk::stripe<tk::bf16, 128, 1, 128, 1, 2> t25;
                    tk::slice_registers<0, 2>(t25, u);
                    // selective_scan.tk:22
                    tk::stripe<float, 128, 1, 128, 1, 2> t3;
                    tk::map(t3, [](float t24, tk::bf16 t25) { return t24 * float(t25); }, t24, t25);
                    tk::stripe<float, 1, 16, 128, 1, 2> t71;
                    tk::load_shared(t71, tk::part<2, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                    tk::map(h, [](float t23, float a, float h, float t3, float t71) {
                        return tk::fma(tk::exp2(t23 * a), h, t3 * t71);
                    }, t23, a, h, t3, t71);
                    // selective_scan.tk:23
                    tk::stripe<float, 1, 16, 128, 1, 2> t72;
                    tk::load_shared(t72, tk::part<2, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                    tk::stripe<float, 128, 16, 128, 1, 2> t26;
                    tk::map(t26, [](float h, float t72) { return h * t72; }, h, t72);
                    tk::stripe<float, 128, 1, 128, 1, 2> t27;
                    tk::fold_rows(t27, t26, tk::plus{}, thread);
                    tk::finish_rows(t27, tk::plus{});
                    tk::map(y, thread, [](int, int col, float t27, float y) {
                        return col == 2 ? t27 : y;
                    }, t27, y);
                    // selective_scan.tk:17
                    tk::stripe<float, 128, 1, 128, 1, 2> t30;
                    tk::slice_registers<0, 3>(t30, dt);
                    tk::stripe<float, 128, 1, 128, 1, 2> t31;
                    tk::slice_registers<0, 3>(t31, dt);
                    tk::stripe<tk::bf16, 128, 1, 128, 1, 2> t32;
                    tk::slice_registers<0, 3>(t32, u);
                    // selective_scan.tk:22
                    tk::stripe<float, 128, 1, 128, 1, 2> t5;
                    tk::map(t5, [](float t31, tk::bf16 t32) { return t31 * float(t32); }, t31, t32);
                    tk::stripe<float, 1, 16, 128, 1, 2> t73;
                    tk::load_shared(t73, tk::part<3, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                    tk::map(h, [](float t30, float a, float h, float t5, float t73) {
                        return tk::fma(tk::exp2(t30 * a), h, t5 * t73);
                    }, t30, a, h, t5, t73);
                    // selective_scan.tk:23
                    tk::stripe<float, 1, 16, 128, 1, 2> t74;
                    tk::load_shared(t74, tk::part<3, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                    tk::stripe<float, 128, 16, 128, 1, 2> t33;
                    tk::map(t33, [](float h, float t74) { return h * t74; }, h, t74);
                    tk::stripe<float, 128, 1, 128, 1, 2> t34;
                    tk::fold_rows(t34, t33, tk::plus{}, thread);
                    tk::finish_rows(t34, tk::plus{});
                    tk::map(y, thread, [](int, int col, float t34, float y) {
                        return col == 3 ? t34 : y;
                    }, t34, y);
                    // selective_scan.tk:17
                    tk::stripe<float, 128, 1, 128, 1, 2> t37;
                    tk::slice_registers<0, 4>(t37, dt);
                    tk::stripe<float, 128, 1, 128, 1, 2> t38;
                    tk::slice_registers<0, 4>(t38, dt);
                    tk::stripe<tk::bf16, 128, 1, 128, 1, 2> t39;
                    tk::slice_registers<0, 4>(t39, u);
                    // selective_scan.tk:22
                    tk::stripe<float, 128, 1, 128, 1, 2> t63;
                    tk::map(t63, [](float t38, tk::bf16 t39) { return t38 * float(t39); },
                            t38, t39);
                    tk::stripe<float, 1, 16, 128, 1, 2> t75;
                    tk::load_shared(t75, tk::part<4, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                    tk::map(h, [](float t37, float a, float h, float t63, float t75) {
                        return tk::fma(tk::exp2(t37 * a), h, t63 * t75);
                    }, t37, a, h, t63, t75);
                    // selective_scan.tk:23
                    tk::stripe<float, 1, 16, 128, 1, 2> t76;
                    tk::load_shared(t76, tk::part<4, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                    tk::stripe<float, 128, 16, 128, 1, 2> t40;
                    tk::map(t40, [](float h, float t76) { return h * t76; }, h, t76);
                    tk::stripe<float, 128, 1, 128, 1, 2> t41;
                    tk::fold_rows(t41, t40, tk::plus{}, thread);
                    tk::finish_rows(t41, tk::plus{});
                    tk::map(y, thread, [](int, int col, float t41, float y) {
                        return col == 4 ? t41 : y;
                    }, t41, y);
                    // selective_scan.tk:17
                    tk::stripe<float, 128, 1, 128, 1, 2> t44;
                    tk::slice_registers<0, 5>(t44, dt);
                    tk::stripe<float, 128, 1, 128, 1, 2> t45;
                    tk::slice_registers<0, 5>(t45, dt);
                    tk::stripe<tk::bf16, 128, 1, 128, 1, 2> t46;
                    tk::slice_registers<0, 5>(t46, u);
                    // selective_scan.tk:22
                    tk::stripe<float, 128, 1, 128, 1, 2> t64;
                    tk::map(t64, [](float t45, tk::bf16 t46) { return t45 * float(t46); },
                            t45, t46);
                    tk::stripe<float, 1, 16, 128, 1, 2> t77;
                    tk::load_shared(t77, tk::part<5, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                    tk::map(h, [](float t44, float a, float h, float t64, float t77) {
                        return tk::fma(tk::exp2(t44 * a), h, t64 * t77);
                    }, t44, a, h, t64, t77);
                    // selective_scan.tk:23
                    tk::stripe<float, 1, 16, 128, 1, 2> t78;
                    tk::load_shared(t78, tk::part<5, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                    tk::stripe<float, 128, 16, 128, 1, 2> t47;
                    tk::map(t47, [](float h, float t78) { return h * t78; }, h, t78);
                    tk::stripe<float, 128, 1, 128, 1, 2> t48;
                    tk::fold_rows(t48, t47, tk::plus{}, thread);
                    tk::finish_rows(t48, tk::plus{});
                    tk::map(y, thread, [](int, int col, float t48, float y) {
                        return col == 5 ? t48 : y;
                    }, t48, y);
                    // selective_scan.tk:17
                    tk::stripe<float, 128, 1, 128, 1, 2> t51;
                    tk::slice_registers<0, 6>(t51, dt);
                    tk::stripe<float, 128, 1, 128, 1, 2> t52;
                    tk::slice_registers<0, 6>(t52, dt);
                    tk::stripe<tk::bf16, 128, 1, 128, 1, 2> t53;
                    tk::slice_registers<0, 6>(t53, u);
                    // selective_scan.tk:22
                    tk::stripe<float, 128, 1, 128, 1, 2> t65;
                    tk::map(t65, [](float t52, tk::bf16 t53) { return t52 * float(t53); },
                            t52, t53);
                    tk::stripe<float, 1, 16, 128, 1, 2> t79;
                    tk::load_shared(t79, tk::part<6, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                    tk::map(h, [](float t51, float a, float h, float t65, float t79) {
                        return tk::fma(tk::exp2(t51 * a), h, t65 * t79);
                    }, t51, a, h, t65, t79);
                    // selective_scan.tk:23
                    tk::stripe<float, 1, 16, 128, 1, 2> t80;
                    tk::load_shared(t80, tk::part<6, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                    tk::stripe<float, 128, 16, 128, 1, 2> t54;
                    tk::map(t54, [](float h, float t80) { return h * t80; }, h, t80);
                    tk::stripe<float, 128, 1, 128, 1, 2> t55;
                    tk::fold_rows(t55, t54, tk::plus{}, thread);
                    tk::finish_rows(t55, tk::plus{});
                    tk::map(y, thread, [](int, int col, float t55, float y) {
                        return col == 6 ? t55 : y;
                    }, t55, y);
                    // selective_scan.tk:17
                    tk::stripe<float, 128, 1, 128, 1, 2> t58;
                    tk::slice_registers<0, 7>(t58, dt);
                    tk::stripe<float, 128, 1, 128, 1, 2> t59;
                    tk::slice_registers<0, 7>(t59, dt);
                    tk::stripe<tk::bf16, 128, 1, 128, 1, 2> t60;
                    tk::slice_registers<0, 7>(t60, u);
                    // selective_scan.tk:22
                    tk::stripe<float, 128, 1, 128, 1, 2> t66;
                    tk::map(t66, [](float t59, tk::bf16 t60) { return t59 * float(t60); },
                            t59, t60);
                    tk::stripe<float, 1, 16, 128, 1, 2> t81;
                    tk::load_shared(t81, tk::part<7, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                    tk::map(h, [](float t58, float a, float h, float t66, float t81) {
                        return tk::fma(tk::exp2(t58 * a), h, t66 * t81);
                    }, t58, a, h, t66, t81);
                    // selective_scan.tk:23
                    tk::stripe<float, 1, 16, 128, 1, 2> t82;
                    tk::load_shared(t82, tk::part<7, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                    shared.bc.release_after_loads(n, tk::ordinary_alone{});
                    tk::stripe<float, 128, 16, 128, 1, 2> t61;
                    tk::map(t61, [](float h, float t82) { return h * t82; }, h, t82);
                    tk::stripe<float, 128, 1, 128, 1, 2> t62;
                    tk::fold_rows(t62, t61, tk::plus{}, thread);
                    tk::finish_rows(t62, tk::plus{});
                    tk::map(y, thread, [](int, int col, float t62, float y) {
                        return col == 7 ? t62 : y;
                    }, t62, y);

                    // selective_scan.tk:105: y += skip * u;
                    tk::map(y, [](float y, float skip, tk::bf16 u) {
                        return tk::fma(skip, float(u), y);
                    }, y, skip, u);

                    // selective_scan.tk:107: made = if PACKED { where(inside(y, from - t.start, ..
                    made = tk::convert<tk::bf16>(y);

                    // selective_scan.tk:108: store(Y[b, g, d, t], made);
                    tk::store_global(tk::slice(Y, {b, g, d, t}, CG - d, L - t), made, thread);
                }
            }

            // selective_scan.tk:111: if (if PACKED { q < done } else { p == segments - 1 }) { ..
            if (p == segments - 1) {
                tk::store_global(tk::slice(State, {b, g, d, 0}, b < F ? CG - d : 0, 16), h, thread);
            }
        }
    }
}

// selective_scan_narrow: kernel selective_scan with T = bf16, TD = bf16, TB = f32, S = 16, GATED =
// false, SOFTPLUS = true, PACKED = false, BD = 32.
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
    const tk::tensor_argument<const float, 4> Start, const tk::tensor_argument<tk::bf16, 4> Y,
    const tk::tensor_argument<float, 4> State, const tk::tensor_argument<float, 5> Saved, int B,
    int G, int CG, int L, int I, int J, int F, int V, int segments, int chunks) {
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

    // selective_scan.tk:67: role producer(1 warp) {
    if (warp == 0 && tk::elect_one()) {
        tk::cursor<8> bc_next;
        const int program = blockIdx.x;
        const int g = program / d_tiles % G;
        const int p = program / (d_tiles * G) % p_tiles;
        const int b = program / (d_tiles * G * p_tiles);

        // selective_scan.tk:60: let first = max(p * chunks, 0);
        const int first = tk::max(p * chunks, 0);

        // selective_scan.tk:61: let last  = min(first + chunks, ceil_div(L, 32));
        const int last = tk::min(first + chunks, tk::divide_up(L, 32));

        // selective_scan.tk:68: for q in one..other {
        #pragma unroll 1
        for (int q = 0; q < 1; q += 1) {
            // selective_scan.tk:70: let end  = if PACKED { min(start[q + 1], min(last * 32, L)) ..
            const int end = L;

            // selective_scan.tk:71: for s in (if PACKED { from // 32 } else { first })..(if ..
            #pragma unroll 1
            for (int s = first; s < last; s += 1) {
                // selective_scan.tk:72: for t in (if PACKED { max(s * 4, from // 8) * 8 } else { ..
                #pragma unroll 1
                for (int t = s * 32; t < tk::min(s * 32 + 32, end); t += 8) {
                    // selective_scan.tk:73: produce bc { b = load(Bm[b, g, t, :]); c = load(C[b, ..
                    shared.bc.begin(bc_next, 1024);
                    tk::tma_load(shared.bc_b[bc_next.stage], Bm_map, shared.bc.full[bc_next.stage],
                                 b, g, t, 0);
                    tk::tma_load(shared.bc_c[bc_next.stage], C_map, shared.bc.full[bc_next.stage],
                                 b, g, t, 0);
                    bc_next.advance();
                }
            }
        }
    }
    // selective_scan.tk:79: role scan(BD // 32 warps) {
    if (warp == 1) {
        const int thread = int(threadIdx.x) - 32;
        tk::cursor<8> bc_next;
        const int program = blockIdx.x;
        const int d = program % d_tiles * 32;
        const int g = program / d_tiles % G;
        const int p = program / (d_tiles * G) % p_tiles;
        const int b = program / (d_tiles * G * p_tiles);

        // selective_scan.tk:60: let first = max(p * chunks, 0);
        const int first = tk::max(p * chunks, 0);

        // selective_scan.tk:61: let last  = min(first + chunks, ceil_div(L, 32));
        const int last = tk::min(first + chunks, tk::divide_up(L, 32));

        // selective_scan.tk:80: let a    = load(A[g, d, :]) * LOG2E;
        tk::stripe<float, 32, 16, 32, 1, 8> t0;
        tk::load_vectors(t0, tk::dense_slice(A, {g, d, 0}, CG - d, 16), thread);
        tk::stripe<float, 32, 16, 32, 1, 8> a;
        tk::map(a, [](float t0) { return t0 * 1.442695f; }, t0);

        // selective_scan.tk:81: let skip = column(load(D[g, d]));
        tk::stripe<float, 32, 1, 32, 1, 8> skip;
        tk::load_global(skip, tk::slice<1, tk::no_axis>(D, {g, d}, CG - d, 1), thread);

        // selective_scan.tk:82: let add  = column(load(bias[g, d]));
        tk::stripe<float, 32, 1, 32, 1, 8> add;
        tk::load_global(add, tk::slice<1, tk::no_axis>(bias, {g, d}, CG - d, 1), thread);

        // selective_scan.tk:83: var made: T[BD, 8] = 0;
        tk::stripe<tk::bf16, 32, 8, 32, 1, 8> made;
        tk::map(made, []() { return tk::bf16(0.0f); });

        // selective_scan.tk:84: for q in one..other {
        tk::stripe<float, 32, 8, 32, 1, 8> y;
        for (int q = 0; q < 1; q += 1) {
            // selective_scan.tk:86: let end  = if PACKED { min(start[q + 1], min(last * 32, L)) ..
            const int end = L;

            // selective_scan.tk:87: var h: f32[BD, S] = load(S0[(if PACKED { q } else { b }), g, ..
            tk::stripe<float, 32, 16, 32, 1, 8> h;
            tk::load_vectors(h, tk::dense_slice(S0, {b, g, d, 0}, b < I ? CG - d : 0, 16), thread);

            // selective_scan.tk:88: if (if PACKED { start[q] < first * 32 } else { p > 0 }) { h ..
            if (p > 0) {
                tk::stripe<float, 32, 16, 32, 1, 8> t4;
                tk::load_vectors(t4,
                                 tk::dense_slice(Start, {b * segments + p, g, d, 0},
                                                 b * segments + p > -1 && b * segments + p < J
                                                 ? CG - d : 0, 16), thread);
                h = t4;
            }

            // selective_scan.tk:89: for s in (if PACKED { from // 32 } else { first })..(if ..
            for (int s = first; s < last; s += 1) {
                // selective_scan.tk:90: if not PACKED or from <= s * 32 { store(Saved[b, s, g, ..
                tk::store_vectors(
                    tk::dense_slice(Saved, {b, s, g, d, 0},
                                    s < tk::divide_up(L, 32) ? (b < V ? CG - d : 0) : 0, 16), h,
                    thread);

                // selective_scan.tk:91: for t in (if PACKED { max(s * 4, from // 8) * 8 } else { ..
                for (int t = s * 32; t < tk::min(s * 32 + 32, end); t += 8) {
                    // selective_scan.tk:92: let u  = load(U[b, g, d, t]);
                    tk::stripe<tk::bf16, 32, 8, 32, 1, 8> u;
                    tk::load_vectors(u, tk::vector_slice(U, {b, g, d, t}, CG - d, L - t), thread);

                    // selective_scan.tk:93: let dt = step_sizes(f32(load(Dt[b, g, d, t])) + add, ..
                    tk::stripe<tk::bf16, 32, 8, 32, 1, 8> t6;
                    tk::load_vectors(t6, tk::vector_slice(Dt, {b, g, d, t}, CG - d, L - t), thread);
                    tk::stripe<float, 32, 8, 32, 1, 8> dt;
                    tk::map(dt, thread, [&](int, int col, tk::bf16 t6, float add) {
                        const float x = col < end - t ? float(t6) + add : -INFINITY;
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
                                                                            tk::divide(1.0f,
                                                                                       11.0f)),
                                                                    tk::divide(1.0f, 9.0f)),
                                                            tk::divide(1.0f, 7.0f)),
                                                    tk::divide(1.0f, 5.0f)),
                                            tk::divide(1.0f, 3.0f)), 1.0f), tk::max(x, 0.0f));
                    }, t6, add);

                    // selective_scan.tk:94: var y: f32[BD, 8] = 0;
                    tk::zero(y);

                    // selective_scan.tk:95: consume bc as n {
                    const tk::cursor<8> n = shared.bc.take(bc_next);

                    // selective_scan.tk:17: return exp2(dt[:, I +: 1] * a) * h + dt[:, I +: 1] * ..
                    tk::stripe<float, 32, 1, 32, 1, 8> t9;
                    tk::slice_registers<0, 0>(t9, dt);
                    tk::stripe<float, 32, 1, 32, 1, 8> t10;
                    tk::slice_registers<0, 0>(t10, dt);
                    tk::stripe<tk::bf16, 32, 1, 32, 1, 8> t11;
                    tk::slice_registers<0, 0>(t11, u);

                    // selective_scan.tk:22: h = next<I>(h, a, dt, u, bm);
                    tk::stripe<float, 32, 1, 32, 1, 8> t1;
                    tk::map(t1, [](float t10, tk::bf16 t11) { return t10 * float(t11); }, t10, t11);
                    tk::stripe<float, 1, 16, 32, 1, 8> t67;
                    tk::load_shared(t67, tk::part<0, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                    tk::map(h, [](float t9, float a, float h, float t1, float t67) {
                        return tk::fma(tk::exp2(t9 * a), h, t1 * t67);
                    }, t9, a, h, t1, t67);

                    // selective_scan.tk:23: y = where(col_index(y) == I, sum(h * cm, axis = 1), y);
                    tk::stripe<float, 1, 16, 32, 1, 8> t68;
                    tk::load_shared(t68, tk::part<0, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                    tk::stripe<float, 32, 16, 32, 1, 8> t12;
                    tk::map(t12, [](float h, float t68) { return h * t68; }, h, t68);
                    tk::stripe<float, 32, 1, 32, 1, 8> t13;
                    tk::fold_rows(t13, t12, tk::plus{}, thread);
                    tk::finish_rows(t13, tk::plus{});
                    tk::map(y, thread, [](int, int col, float t13, float y) {
                        return col == 0 ? t13 : y;
                    }, t13, y);
                    // selective_scan.tk:17
                    tk::stripe<float, 32, 1, 32, 1, 8> t16;
                    tk::slice_registers<0, 1>(t16, dt);
                    tk::stripe<float, 32, 1, 32, 1, 8> t17;
                    tk::slice_registers<0, 1>(t17, dt);
                    tk::stripe<tk::bf16, 32, 1, 32, 1, 8> t18;
                    tk::slice_registers<0, 1>(t18, u);
                    // selective_scan.tk:22
                    tk::stripe<float, 32, 1, 32, 1, 8> t2;
                    tk::map(t2, [](float t17, tk::bf16 t18) { return t17 * float(t18); }, t17, t18);
                    tk::stripe<float, 1, 16, 32, 1, 8> t69;
                    tk::load_shared(t69, tk::part<1, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                    tk::map(h, [](float t16, float a, float h, float t2, float t69) {
                        return tk::fma(tk::exp2(t16 * a), h, t2 * t69);
                    }, t16, a, h, t2, t69);
                    // selective_scan.tk:23
                    tk::stripe<float, 1, 16, 32, 1, 8> t70;
                    tk::load_shared(t70, tk::part<1, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                    tk::stripe<float, 32, 16, 32, 1, 8> t19;
                    tk::map(t19, [](float h, float t70) { return h * t70; }, h, t70);
                    tk::stripe<float, 32, 1, 32, 1, 8> t20;
                    tk::fold_rows(t20, t19, tk::plus{}, thread);
                    tk::finish_rows(t20, tk::plus{});
                    tk::map(y, thread, [](int, int col, float t20, float y) {
                        return col == 1 ? t20 : y;
                    }, t20, y);
                    // selective_scan.tk:17
                    tk::stripe<float, 32, 1, 32, 1, 8> t23;
                    tk::slice_registers<0, 2>(t23, dt);
                    tk::stripe<float, 32, 1, 32, 1, 8> t24;
                    tk::slice_registers<0, 2>(t24, dt);
                    tk::stripe<tk::bf16, 32, 1, 32, 1, 8> t25;
                    tk::slice_registers<0, 2>(t25, u);
                    // selective_scan.tk:22
                    tk::stripe<float, 32, 1, 32, 1, 8> t3;
                    tk::map(t3, [](float t24, tk::bf16 t25) { return t24 * float(t25); }, t24, t25);
                    tk::stripe<float, 1, 16, 32, 1, 8> t71;
                    tk::load_shared(t71, tk::part<2, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                    tk::map(h, [](float t23, float a, float h, float t3, float t71) {
                        return tk::fma(tk::exp2(t23 * a), h, t3 * t71);
                    }, t23, a, h, t3, t71);
                    // selective_scan.tk:23
                    tk::stripe<float, 1, 16, 32, 1, 8> t72;
                    tk::load_shared(t72, tk::part<2, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                    tk::stripe<float, 32, 16, 32, 1, 8> t26;
                    tk::map(t26, [](float h, float t72) { return h * t72; }, h, t72);
                    tk::stripe<float, 32, 1, 32, 1, 8> t27;
                    tk::fold_rows(t27, t26, tk::plus{}, thread);
                    tk::finish_rows(t27, tk::plus{});
                    tk::map(y, thread, [](int, int col, float t27, float y) {
                        return col == 2 ? t27 : y;
                    }, t27, y);
                    // selective_scan.tk:17
                    tk::stripe<float, 32, 1, 32, 1, 8> t30;
                    tk::slice_registers<0, 3>(t30, dt);
                    tk::stripe<float, 32, 1, 32, 1, 8> t31;
                    tk::slice_registers<0, 3>(t31, dt);
                    tk::stripe<tk::bf16, 32, 1, 32, 1, 8> t32;
                    tk::slice_registers<0, 3>(t32, u);
                    // selective_scan.tk:22
                    tk::stripe<float, 32, 1, 32, 1, 8> t5;
                    tk::map(t5, [](float t31, tk::bf16 t32) { return t31 * float(t32); }, t31, t32);
                    tk::stripe<float, 1, 16, 32, 1, 8> t73;
                    tk::load_shared(t73, tk::part<3, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                    tk::map(h, [](float t30, float a, float h, float t5, float t73) {
                        return tk::fma(tk::exp2(t30 * a), h, t5 * t73);
                    }, t30, a, h, t5, t73);
                    // selective_scan.tk:23
                    tk::stripe<float, 1, 16, 32, 1, 8> t74;
                    tk::load_shared(t74, tk::part<3, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                    tk::stripe<float, 32, 16, 32, 1, 8> t33;
                    tk::map(t33, [](float h, float t74) { return h * t74; }, h, t74);
                    tk::stripe<float, 32, 1, 32, 1, 8> t34;
                    tk::fold_rows(t34, t33, tk::plus{}, thread);
                    tk::finish_rows(t34, tk::plus{});
                    tk::map(y, thread, [](int, int col, float t34, float y) {
                        return col == 3 ? t34 : y;
                    }, t34, y);
                    // selective_scan.tk:17
                    tk::stripe<float, 32, 1, 32, 1, 8> t37;
                    tk::slice_registers<0, 4>(t37, dt);
                    tk::stripe<float, 32, 1, 32, 1, 8> t38;
                    tk::slice_registers<0, 4>(t38, dt);
                    tk::stripe<tk::bf16, 32, 1, 32, 1, 8> t39;
                    tk::slice_registers<0, 4>(t39, u);
                    // selective_scan.tk:22
                    tk::stripe<float, 32, 1, 32, 1, 8> t63;
                    tk::map(t63, [](float t38, tk::bf16 t39) { return t38 * float(t39); },
                            t38, t39);
                    tk::stripe<float, 1, 16, 32, 1, 8> t75;
                    tk::load_shared(t75, tk::part<4, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                    tk::map(h, [](float t37, float a, float h, float t63, float t75) {
                        return tk::fma(tk::exp2(t37 * a), h, t63 * t75);
                    }, t37, a, h, t63, t75);
                    // selective_scan.tk:23
                    tk::stripe<float, 1, 16, 32, 1, 8> t76;
                    tk::load_shared(t76, tk::part<4, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                    tk::stripe<float, 32, 16, 32, 1, 8> t40;
                    tk::map(t40, [](float h, float t76) { return h * t76; }, h, t76);
                    tk::stripe<float, 32, 1, 32, 1, 8> t41;
                    tk::fold_rows(t41, t40, tk::plus{}, thread);
                    tk::finish_rows(t41, tk::plus{});
                    tk::map(y, thread, [](int, int col, float t41, float y) {
                        return col == 4 ? t41 : y;
                    }, t41, y);
                    // selective_scan.tk:17
                    tk::stripe<float, 32, 1, 32, 1, 8> t44;
                    tk::slice_registers<0, 5>(t44, dt);
                    tk::stripe<float, 32, 1, 32, 1, 8> t45;
                    tk::slice_registers<0, 5>(t45, dt);
                    tk::stripe<tk::bf16, 32, 1, 32, 1, 8> t46;
                    tk::slice_registers<0, 5>(t46, u);
                    // selective_scan.tk:22
                    tk::stripe<float, 32, 1, 32, 1, 8> t64;
                    tk::map(t64, [](float t45, tk::bf16 t46) { return t45 * float(t46); },
                            t45, t46);
                    tk::stripe<float, 1, 16, 32, 1, 8> t77;
                    tk::load_shared(t77, tk::part<5, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                    tk::map(h, [](float t44, float a, float h, float t64, float t77) {
                        return tk::fma(tk::exp2(t44 * a), h, t64 * t77);
                    }, t44, a, h, t64, t77);
                    // selective_scan.tk:23
                    tk::stripe<float, 1, 16, 32, 1, 8> t78;
                    tk::load_shared(t78, tk::part<5, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                    tk::stripe<float, 32, 16, 32, 1, 8> t47;
                    tk::map(t47, [](float h, float t78) { return h * t78; }, h, t78);
                    tk::stripe<float, 32, 1, 32, 1, 8> t48;
                    tk::fold_rows(t48, t47, tk::plus{}, thread);
                    tk::finish_rows(t48, tk::plus{});
                    tk::map(y, thread, [](int, int col, float t48, float y) {
                        return col == 5 ? t48 : y;
                    }, t48, y);
                    // selective_scan.tk:17
                    tk::stripe<float, 32, 1, 32, 1, 8> t51;
                    tk::slice_registers<0, 6>(t51, dt);
                    tk::stripe<float, 32, 1, 32, 1, 8> t52;
                    tk::slice_registers<0, 6>(t52, dt);
                    tk::stripe<tk::bf16, 32, 1, 32, 1, 8> t53;
                    tk::slice_registers<0, 6>(t53, u);
                    // selective_scan.tk:22
                    tk::stripe<float, 32, 1, 32, 1, 8> t65;
                    tk::map(t65, [](float t52, tk::bf16 t53) { return t52 * float(t53); },
                            t52, t53);
                    tk::stripe<float, 1, 16, 32, 1, 8> t79;
                    tk::load_shared(t79, tk::part<6, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                    tk::map(h, [](float t51, float a, float h, float t65, float t79) {
                        return tk::fma(tk::exp2(t51 * a), h, t65 * t79);
                    }, t51, a, h, t65, t79);
                    // selective_scan.tk:23
                    tk::stripe<float, 1, 16, 32, 1, 8> t80;
                    tk::load_shared(t80, tk::part<6, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                    tk::stripe<float, 32, 16, 32, 1, 8> t54;
                    tk::map(t54, [](float h, float t80) { return h * t80; }, h, t80);
                    tk::stripe<float, 32, 1, 32, 1, 8> t55;
                    tk::fold_rows(t55, t54, tk::plus{}, thread);
                    tk::finish_rows(t55, tk::plus{});
                    tk::map(y, thread, [](int, int col, float t55, float y) {
                        return col == 6 ? t55 : y;
                    }, t55, y);
                    // selective_scan.tk:17
                    tk::stripe<float, 32, 1, 32, 1, 8> t58;
                    tk::slice_registers<0, 7>(t58, dt);
                    tk::stripe<float, 32, 1, 32, 1, 8> t59;
                    tk::slice_registers<0, 7>(t59, dt);
                    tk::stripe<tk::bf16, 32, 1, 32, 1, 8> t60;
                    tk::slice_registers<0, 7>(t60, u);
                    // selective_scan.tk:22
                    tk::stripe<float, 32, 1, 32, 1, 8> t66;
                    tk::map(t66, [](float t59, tk::bf16 t60) { return t59 * float(t60); },
                            t59, t60);
                    tk::stripe<float, 1, 16, 32, 1, 8> t81;
                    tk::load_shared(t81, tk::part<7, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                    tk::map(h, [](float t58, float a, float h, float t66, float t81) {
                        return tk::fma(tk::exp2(t58 * a), h, t66 * t81);
                    }, t58, a, h, t66, t81);
                    // selective_scan.tk:23
                    tk::stripe<float, 1, 16, 32, 1, 8> t82;
                    tk::load_shared(t82, tk::part<7, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                    shared.bc.release_after_loads(n);
                    tk::stripe<float, 32, 16, 32, 1, 8> t61;
                    tk::map(t61, [](float h, float t82) { return h * t82; }, h, t82);
                    tk::stripe<float, 32, 1, 32, 1, 8> t62;
                    tk::fold_rows(t62, t61, tk::plus{}, thread);
                    tk::finish_rows(t62, tk::plus{});
                    tk::map(y, thread, [](int, int col, float t62, float y) {
                        return col == 7 ? t62 : y;
                    }, t62, y);

                    // selective_scan.tk:105: y += skip * u;
                    tk::map(y, [](float y, float skip, tk::bf16 u) {
                        return tk::fma(skip, float(u), y);
                    }, y, skip, u);

                    // selective_scan.tk:107: made = if PACKED { where(inside(y, from - t.start, ..
                    made = tk::convert<tk::bf16>(y);

                    // selective_scan.tk:108: store(Y[b, g, d, t], made);
                    tk::store_vectors(tk::vector_slice(Y, {b, g, d, t}, CG - d, L - t), made,
                                      thread);
                }
            }

            // selective_scan.tk:111: if (if PACKED { q < done } else { p == segments - 1 }) { ..
            if (p == segments - 1) {
                tk::store_vectors(tk::dense_slice(State, {b, g, d, 0}, b < F ? CG - d : 0, 16), h,
                                  thread);
            }
        }
    }
}

// selective_scan_narrow_general: kernel selective_scan with T = bf16, TD = bf16, TB = f32, S = 16,
// GATED = false, SOFTPLUS = true, PACKED = false, BD = 32; any strides and alignment.
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
    const tk::tensor_argument<const float, 4> Start, const tk::tensor_argument<tk::bf16, 4> Y,
    const tk::tensor_argument<float, 4> State, const tk::tensor_argument<float, 5> Saved, int B,
    int G, int CG, int L, int I, int J, int F, int V, int segments, int chunks) {
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

    // selective_scan.tk:67: role producer(1 warp) {
    if (warp == 0) {
        const int thread = int(threadIdx.x);
        tk::cursor<8> bc_next;
        const int program = blockIdx.x;
        const int g = program / d_tiles % G;
        const int p = program / (d_tiles * G) % p_tiles;
        const int b = program / (d_tiles * G * p_tiles);

        // selective_scan.tk:60: let first = max(p * chunks, 0);
        const int first = tk::max(p * chunks, 0);

        // selective_scan.tk:61: let last  = min(first + chunks, ceil_div(L, 32));
        const int last = tk::min(first + chunks, tk::divide_up(L, 32));

        // selective_scan.tk:68: for q in one..other {
        #pragma unroll 1
        for (int q = 0; q < 1; q += 1) {
            // selective_scan.tk:70: let end  = if PACKED { min(start[q + 1], min(last * 32, L)) ..
            const int end = L;

            // selective_scan.tk:71: for s in (if PACKED { from // 32 } else { first })..(if ..
            #pragma unroll 1
            for (int s = first; s < last; s += 1) {
                // selective_scan.tk:72: for t in (if PACKED { max(s * 4, from // 8) * 8 } else { ..
                #pragma unroll 1
                for (int t = s * 32; t < tk::min(s * 32 + 32, end); t += 8) {
                    // selective_scan.tk:73: produce bc { b = load(Bm[b, g, t, :]); c = load(C[b, ..
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
    }
    // selective_scan.tk:79: role scan(BD // 32 warps) {
    if (warp == 1) {
        const int thread = int(threadIdx.x) - 32;
        tk::cursor<8> bc_next;
        const int program = blockIdx.x;
        const int d = program % d_tiles * 32;
        const int g = program / d_tiles % G;
        const int p = program / (d_tiles * G) % p_tiles;
        const int b = program / (d_tiles * G * p_tiles);

        // selective_scan.tk:60: let first = max(p * chunks, 0);
        const int first = tk::max(p * chunks, 0);

        // selective_scan.tk:61: let last  = min(first + chunks, ceil_div(L, 32));
        const int last = tk::min(first + chunks, tk::divide_up(L, 32));

        // selective_scan.tk:80: let a    = load(A[g, d, :]) * LOG2E;
        tk::stripe<float, 32, 16, 32, 1, 2> t0;
        tk::load_global(t0, tk::slice(A, {g, d, 0}, CG - d, 16), thread);
        tk::stripe<float, 32, 16, 32, 1, 2> a;
        tk::map(a, [](float t0) { return t0 * 1.442695f; }, t0);

        // selective_scan.tk:81: let skip = column(load(D[g, d]));
        tk::stripe<float, 32, 1, 32, 1, 2> skip;
        tk::load_global(skip, tk::slice<1, tk::no_axis>(D, {g, d}, CG - d, 1), thread);

        // selective_scan.tk:82: let add  = column(load(bias[g, d]));
        tk::stripe<float, 32, 1, 32, 1, 2> add;
        tk::load_global(add, tk::slice<1, tk::no_axis>(bias, {g, d}, CG - d, 1), thread);

        // selective_scan.tk:83: var made: T[BD, 8] = 0;
        tk::stripe<tk::bf16, 32, 8, 32, 1, 2> made;
        tk::map(made, []() { return tk::bf16(0.0f); });

        // selective_scan.tk:84: for q in one..other {
        tk::stripe<float, 32, 8, 32, 1, 2> y;
        for (int q = 0; q < 1; q += 1) {
            // selective_scan.tk:86: let end  = if PACKED { min(start[q + 1], min(last * 32, L)) ..
            const int end = L;

            // selective_scan.tk:87: var h: f32[BD, S] = load(S0[(if PACKED { q } else { b }), g, ..
            tk::stripe<float, 32, 16, 32, 1, 2> h;
            tk::load_global(h, tk::slice(S0, {b, g, d, 0}, b < I ? CG - d : 0, 16), thread);

            // selective_scan.tk:88: if (if PACKED { start[q] < first * 32 } else { p > 0 }) { h ..
            if (p > 0) {
                tk::stripe<float, 32, 16, 32, 1, 2> t4;
                tk::load_global(t4,
                                tk::slice(Start, {b * segments + p, g, d, 0},
                                          b * segments + p > -1 && b * segments + p < J ? CG - d
                                          : 0, 16), thread);
                h = t4;
            }

            // selective_scan.tk:89: for s in (if PACKED { from // 32 } else { first })..(if ..
            for (int s = first; s < last; s += 1) {
                // selective_scan.tk:90: if not PACKED or from <= s * 32 { store(Saved[b, s, g, ..
                tk::store_global(
                    tk::slice(Saved, {b, s, g, d, 0},
                              s < tk::divide_up(L, 32) ? (b < V ? CG - d : 0) : 0, 16), h, thread);

                // selective_scan.tk:91: for t in (if PACKED { max(s * 4, from // 8) * 8 } else { ..
                for (int t = s * 32; t < tk::min(s * 32 + 32, end); t += 8) {
                    // selective_scan.tk:92: let u  = load(U[b, g, d, t]);
                    tk::stripe<tk::bf16, 32, 8, 32, 1, 2> u;
                    tk::load_global(u, tk::slice(U, {b, g, d, t}, CG - d, L - t), thread);

                    // selective_scan.tk:93: let dt = step_sizes(f32(load(Dt[b, g, d, t])) + add, ..
                    tk::stripe<tk::bf16, 32, 8, 32, 1, 2> t6;
                    tk::load_global(t6, tk::slice(Dt, {b, g, d, t}, CG - d, L - t), thread);
                    tk::stripe<float, 32, 8, 32, 1, 2> dt;
                    tk::map(dt, thread, [&](int, int col, tk::bf16 t6, float add) {
                        const float x = col < end - t ? float(t6) + add : -INFINITY;
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
                                                                            tk::divide(1.0f,
                                                                                       11.0f)),
                                                                    tk::divide(1.0f, 9.0f)),
                                                            tk::divide(1.0f, 7.0f)),
                                                    tk::divide(1.0f, 5.0f)),
                                            tk::divide(1.0f, 3.0f)), 1.0f), tk::max(x, 0.0f));
                    }, t6, add);

                    // selective_scan.tk:94: var y: f32[BD, 8] = 0;
                    tk::zero(y);

                    // selective_scan.tk:95: consume bc as n {
                    const tk::cursor<8> n = shared.bc.take(bc_next);

                    // selective_scan.tk:17: return exp2(dt[:, I +: 1] * a) * h + dt[:, I +: 1] * ..
                    tk::stripe<float, 32, 1, 32, 1, 2> t9;
                    tk::slice_registers<0, 0>(t9, dt);
                    tk::stripe<float, 32, 1, 32, 1, 2> t10;
                    tk::slice_registers<0, 0>(t10, dt);
                    tk::stripe<tk::bf16, 32, 1, 32, 1, 2> t11;
                    tk::slice_registers<0, 0>(t11, u);

                    // selective_scan.tk:22: h = next<I>(h, a, dt, u, bm);
                    tk::stripe<float, 32, 1, 32, 1, 2> t1;
                    tk::map(t1, [](float t10, tk::bf16 t11) { return t10 * float(t11); }, t10, t11);
                    tk::stripe<float, 1, 16, 32, 1, 2> t67;
                    tk::load_shared(t67, tk::part<0, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                    tk::map(h, [](float t9, float a, float h, float t1, float t67) {
                        return tk::fma(tk::exp2(t9 * a), h, t1 * t67);
                    }, t9, a, h, t1, t67);

                    // selective_scan.tk:23: y = where(col_index(y) == I, sum(h * cm, axis = 1), y);
                    tk::stripe<float, 1, 16, 32, 1, 2> t68;
                    tk::load_shared(t68, tk::part<0, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                    tk::stripe<float, 32, 16, 32, 1, 2> t12;
                    tk::map(t12, [](float h, float t68) { return h * t68; }, h, t68);
                    tk::stripe<float, 32, 1, 32, 1, 2> t13;
                    tk::fold_rows(t13, t12, tk::plus{}, thread);
                    tk::finish_rows(t13, tk::plus{});
                    tk::map(y, thread, [](int, int col, float t13, float y) {
                        return col == 0 ? t13 : y;
                    }, t13, y);
                    // selective_scan.tk:17
                    tk::stripe<float, 32, 1, 32, 1, 2> t16;
                    tk::slice_registers<0, 1>(t16, dt);
                    tk::stripe<float, 32, 1, 32, 1, 2> t17;
                    tk::slice_registers<0, 1>(t17, dt);
                    tk::stripe<tk::bf16, 32, 1, 32, 1, 2> t18;
                    tk::slice_registers<0, 1>(t18, u);
                    // selective_scan.tk:22
                    tk::stripe<float, 32, 1, 32, 1, 2> t2;
                    tk::map(t2, [](float t17, tk::bf16 t18) { return t17 * float(t18); }, t17, t18);
                    tk::stripe<float, 1, 16, 32, 1, 2> t69;
                    tk::load_shared(t69, tk::part<1, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                    tk::map(h, [](float t16, float a, float h, float t2, float t69) {
                        return tk::fma(tk::exp2(t16 * a), h, t2 * t69);
                    }, t16, a, h, t2, t69);
                    // selective_scan.tk:23
                    tk::stripe<float, 1, 16, 32, 1, 2> t70;
                    tk::load_shared(t70, tk::part<1, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                    tk::stripe<float, 32, 16, 32, 1, 2> t19;
                    tk::map(t19, [](float h, float t70) { return h * t70; }, h, t70);
                    tk::stripe<float, 32, 1, 32, 1, 2> t20;
                    tk::fold_rows(t20, t19, tk::plus{}, thread);
                    tk::finish_rows(t20, tk::plus{});
                    tk::map(y, thread, [](int, int col, float t20, float y) {
                        return col == 1 ? t20 : y;
                    }, t20, y);
                    // selective_scan.tk:17
                    tk::stripe<float, 32, 1, 32, 1, 2> t23;
                    tk::slice_registers<0, 2>(t23, dt);
                    tk::stripe<float, 32, 1, 32, 1, 2> t24;
                    tk::slice_registers<0, 2>(t24, dt);
                    tk::stripe<tk::bf16, 32, 1, 32, 1, 2> t25;
                    tk::slice_registers<0, 2>(t25, u);
                    // selective_scan.tk:22
                    tk::stripe<float, 32, 1, 32, 1, 2> t3;
                    tk::map(t3, [](float t24, tk::bf16 t25) { return t24 * float(t25); }, t24, t25);
                    tk::stripe<float, 1, 16, 32, 1, 2> t71;
                    tk::load_shared(t71, tk::part<2, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                    tk::map(h, [](float t23, float a, float h, float t3, float t71) {
                        return tk::fma(tk::exp2(t23 * a), h, t3 * t71);
                    }, t23, a, h, t3, t71);
                    // selective_scan.tk:23
                    tk::stripe<float, 1, 16, 32, 1, 2> t72;
                    tk::load_shared(t72, tk::part<2, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                    tk::stripe<float, 32, 16, 32, 1, 2> t26;
                    tk::map(t26, [](float h, float t72) { return h * t72; }, h, t72);
                    tk::stripe<float, 32, 1, 32, 1, 2> t27;
                    tk::fold_rows(t27, t26, tk::plus{}, thread);
                    tk::finish_rows(t27, tk::plus{});
                    tk::map(y, thread, [](int, int col, float t27, float y) {
                        return col == 2 ? t27 : y;
                    }, t27, y);
                    // selective_scan.tk:17
                    tk::stripe<float, 32, 1, 32, 1, 2> t30;
                    tk::slice_registers<0, 3>(t30, dt);
                    tk::stripe<float, 32, 1, 32, 1, 2> t31;
                    tk::slice_registers<0, 3>(t31, dt);
                    tk::stripe<tk::bf16, 32, 1, 32, 1, 2> t32;
                    tk::slice_registers<0, 3>(t32, u);
                    // selective_scan.tk:22
                    tk::stripe<float, 32, 1, 32, 1, 2> t5;
                    tk::map(t5, [](float t31, tk::bf16 t32) { return t31 * float(t32); }, t31, t32);
                    tk::stripe<float, 1, 16, 32, 1, 2> t73;
                    tk::load_shared(t73, tk::part<3, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                    tk::map(h, [](float t30, float a, float h, float t5, float t73) {
                        return tk::fma(tk::exp2(t30 * a), h, t5 * t73);
                    }, t30, a, h, t5, t73);
                    // selective_scan.tk:23
                    tk::stripe<float, 1, 16, 32, 1, 2> t74;
                    tk::load_shared(t74, tk::part<3, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                    tk::stripe<float, 32, 16, 32, 1, 2> t33;
                    tk::map(t33, [](float h, float t74) { return h * t74; }, h, t74);
                    tk::stripe<float, 32, 1, 32, 1, 2> t34;
                    tk::fold_rows(t34, t33, tk::plus{}, thread);
                    tk::finish_rows(t34, tk::plus{});
                    tk::map(y, thread, [](int, int col, float t34, float y) {
                        return col == 3 ? t34 : y;
                    }, t34, y);
                    // selective_scan.tk:17
                    tk::stripe<float, 32, 1, 32, 1, 2> t37;
                    tk::slice_registers<0, 4>(t37, dt);
                    tk::stripe<float, 32, 1, 32, 1, 2> t38;
                    tk::slice_registers<0, 4>(t38, dt);
                    tk::stripe<tk::bf16, 32, 1, 32, 1, 2> t39;
                    tk::slice_registers<0, 4>(t39, u);
                    // selective_scan.tk:22
                    tk::stripe<float, 32, 1, 32, 1, 2> t63;
                    tk::map(t63, [](float t38, tk::bf16 t39) { return t38 * float(t39); },
                            t38, t39);
                    tk::stripe<float, 1, 16, 32, 1, 2> t75;
                    tk::load_shared(t75, tk::part<4, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                    tk::map(h, [](float t37, float a, float h, float t63, float t75) {
                        return tk::fma(tk::exp2(t37 * a), h, t63 * t75);
                    }, t37, a, h, t63, t75);
                    // selective_scan.tk:23
                    tk::stripe<float, 1, 16, 32, 1, 2> t76;
                    tk::load_shared(t76, tk::part<4, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                    tk::stripe<float, 32, 16, 32, 1, 2> t40;
                    tk::map(t40, [](float h, float t76) { return h * t76; }, h, t76);
                    tk::stripe<float, 32, 1, 32, 1, 2> t41;
                    tk::fold_rows(t41, t40, tk::plus{}, thread);
                    tk::finish_rows(t41, tk::plus{});
                    tk::map(y, thread, [](int, int col, float t41, float y) {
                        return col == 4 ? t41 : y;
                    }, t41, y);
                    // selective_scan.tk:17
                    tk::stripe<float, 32, 1, 32, 1, 2> t44;
                    tk::slice_registers<0, 5>(t44, dt);
                    tk::stripe<float, 32, 1, 32, 1, 2> t45;
                    tk::slice_registers<0, 5>(t45, dt);
                    tk::stripe<tk::bf16, 32, 1, 32, 1, 2> t46;
                    tk::slice_registers<0, 5>(t46, u);
                    // selective_scan.tk:22
                    tk::stripe<float, 32, 1, 32, 1, 2> t64;
                    tk::map(t64, [](float t45, tk::bf16 t46) { return t45 * float(t46); },
                            t45, t46);
                    tk::stripe<float, 1, 16, 32, 1, 2> t77;
                    tk::load_shared(t77, tk::part<5, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                    tk::map(h, [](float t44, float a, float h, float t64, float t77) {
                        return tk::fma(tk::exp2(t44 * a), h, t64 * t77);
                    }, t44, a, h, t64, t77);
                    // selective_scan.tk:23
                    tk::stripe<float, 1, 16, 32, 1, 2> t78;
                    tk::load_shared(t78, tk::part<5, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                    tk::stripe<float, 32, 16, 32, 1, 2> t47;
                    tk::map(t47, [](float h, float t78) { return h * t78; }, h, t78);
                    tk::stripe<float, 32, 1, 32, 1, 2> t48;
                    tk::fold_rows(t48, t47, tk::plus{}, thread);
                    tk::finish_rows(t48, tk::plus{});
                    tk::map(y, thread, [](int, int col, float t48, float y) {
                        return col == 5 ? t48 : y;
                    }, t48, y);
                    // selective_scan.tk:17
                    tk::stripe<float, 32, 1, 32, 1, 2> t51;
                    tk::slice_registers<0, 6>(t51, dt);
                    tk::stripe<float, 32, 1, 32, 1, 2> t52;
                    tk::slice_registers<0, 6>(t52, dt);
                    tk::stripe<tk::bf16, 32, 1, 32, 1, 2> t53;
                    tk::slice_registers<0, 6>(t53, u);
                    // selective_scan.tk:22
                    tk::stripe<float, 32, 1, 32, 1, 2> t65;
                    tk::map(t65, [](float t52, tk::bf16 t53) { return t52 * float(t53); },
                            t52, t53);
                    tk::stripe<float, 1, 16, 32, 1, 2> t79;
                    tk::load_shared(t79, tk::part<6, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                    tk::map(h, [](float t51, float a, float h, float t65, float t79) {
                        return tk::fma(tk::exp2(t51 * a), h, t65 * t79);
                    }, t51, a, h, t65, t79);
                    // selective_scan.tk:23
                    tk::stripe<float, 1, 16, 32, 1, 2> t80;
                    tk::load_shared(t80, tk::part<6, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                    tk::stripe<float, 32, 16, 32, 1, 2> t54;
                    tk::map(t54, [](float h, float t80) { return h * t80; }, h, t80);
                    tk::stripe<float, 32, 1, 32, 1, 2> t55;
                    tk::fold_rows(t55, t54, tk::plus{}, thread);
                    tk::finish_rows(t55, tk::plus{});
                    tk::map(y, thread, [](int, int col, float t55, float y) {
                        return col == 6 ? t55 : y;
                    }, t55, y);
                    // selective_scan.tk:17
                    tk::stripe<float, 32, 1, 32, 1, 2> t58;
                    tk::slice_registers<0, 7>(t58, dt);
                    tk::stripe<float, 32, 1, 32, 1, 2> t59;
                    tk::slice_registers<0, 7>(t59, dt);
                    tk::stripe<tk::bf16, 32, 1, 32, 1, 2> t60;
                    tk::slice_registers<0, 7>(t60, u);
                    // selective_scan.tk:22
                    tk::stripe<float, 32, 1, 32, 1, 2> t66;
                    tk::map(t66, [](float t59, tk::bf16 t60) { return t59 * float(t60); },
                            t59, t60);
                    tk::stripe<float, 1, 16, 32, 1, 2> t81;
                    tk::load_shared(t81, tk::part<7, 0, 1, 16>(shared.bc_b[n.stage]), thread);
                    tk::map(h, [](float t58, float a, float h, float t66, float t81) {
                        return tk::fma(tk::exp2(t58 * a), h, t66 * t81);
                    }, t58, a, h, t66, t81);
                    // selective_scan.tk:23
                    tk::stripe<float, 1, 16, 32, 1, 2> t82;
                    tk::load_shared(t82, tk::part<7, 0, 1, 16>(shared.bc_c[n.stage]), thread);
                    shared.bc.release_after_loads(n, tk::ordinary_alone{});
                    tk::stripe<float, 32, 16, 32, 1, 2> t61;
                    tk::map(t61, [](float h, float t82) { return h * t82; }, h, t82);
                    tk::stripe<float, 32, 1, 32, 1, 2> t62;
                    tk::fold_rows(t62, t61, tk::plus{}, thread);
                    tk::finish_rows(t62, tk::plus{});
                    tk::map(y, thread, [](int, int col, float t62, float y) {
                        return col == 7 ? t62 : y;
                    }, t62, y);

                    // selective_scan.tk:105: y += skip * u;
                    tk::map(y, [](float y, float skip, tk::bf16 u) {
                        return tk::fma(skip, float(u), y);
                    }, y, skip, u);

                    // selective_scan.tk:107: made = if PACKED { where(inside(y, from - t.start, ..
                    made = tk::convert<tk::bf16>(y);

                    // selective_scan.tk:108: store(Y[b, g, d, t], made);
                    tk::store_global(tk::slice(Y, {b, g, d, t}, CG - d, L - t), made, thread);
                }
            }

            // selective_scan.tk:111: if (if PACKED { q < done } else { p == segments - 1 }) { ..
            if (p == segments - 1) {
                tk::store_global(tk::slice(State, {b, g, d, 0}, b < F ? CG - d : 0, 16), h, thread);
            }
        }
    }
}

// ends: kernel ends with T = bf16, TD = bf16, TB = f32, S = 16, SOFTPLUS = true, PACKED = false, BD
// = 128.
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
        // selective_scan.tk:134: role producer(1 warp) {
        if (warp == 0 && tk::elect_one()) {
            tk::cursor<8> bs_next;
            const int program = blockIdx.x;
            const int g = program / d_tiles % G;
            const int p = program / (d_tiles * G) % p_tiles;
            const int b = program / (d_tiles * G * p_tiles);

            // selective_scan.tk:127: let first = max(p * chunks, 0);
            const int first = tk::max(p * chunks, 0);

            // selective_scan.tk:128: let last  = min(first + chunks, ceil_div(L, 32));
            const int last = tk::min(first + chunks, tk::divide_up(L, 32));

            // selective_scan.tk:135: for s in (if PACKED { from // 32 } else { first })..last,
            #pragma unroll 1
            for (int s = first; s < last; s += 1) {
                #pragma unroll 1
                for (int t = s * 32; t < tk::min(s * 32 + 32, L); t += 8) {
                    // selective_scan.tk:136: t in (if PACKED { max(s * 4, from // 8) * 8 } else ..
                    shared.bs.begin(bs_next, 512);
                    tk::tma_load(shared.bs_tile[bs_next.stage], Bm_map,
                                 shared.bs.full[bs_next.stage], b, g, t, 0);
                    bs_next.advance();
                }
            }
        }
    } else {
        // selective_scan.tk:139: role scan(BD // 32 warps) {
        const int thread = int(threadIdx.x) - 128;
        tk::cursor<8> bs_next;
        const int program = blockIdx.x;
        const int d = program % d_tiles * 128;
        const int g = program / d_tiles % G;
        const int p = program / (d_tiles * G) % p_tiles;
        const int b = program / (d_tiles * G * p_tiles);

        // selective_scan.tk:127: let first = max(p * chunks, 0);
        const int first = tk::max(p * chunks, 0);

        // selective_scan.tk:128: let last  = min(first + chunks, ceil_div(L, 32));
        const int last = tk::min(first + chunks, tk::divide_up(L, 32));

        // selective_scan.tk:140: let a   = load(A[g, d, :]) * LOG2E;
        tk::stripe<float, 128, 16, 128, 1, 8> t0;
        tk::load_vectors(t0, tk::dense_slice(A, {g, d, 0}, CG - d, 16), thread);
        tk::stripe<float, 128, 16, 128, 1, 8> a;
        tk::map(a, [](float t0) { return t0 * 1.442695f; }, t0);

        // selective_scan.tk:141: let add = column(load(bias[g, d]));
        tk::stripe<float, 128, 1, 128, 1, 8> add;
        tk::load_global(add, tk::slice<1, tk::no_axis>(bias, {g, d}, CG - d, 1), thread);

        // selective_scan.tk:142: var h: f32[BD, S] = 0;
        tk::stripe<float, 128, 16, 128, 1, 8> h;
        tk::zero(h);

        // selective_scan.tk:143: var steps: f32[BD, 1] = 0;
        tk::stripe<float, 128, 1, 128, 1, 8> steps;
        tk::zero(steps);

        // selective_scan.tk:145: for s in (if PACKED { from // 32 } else { first })..last,
        for (int s = first; s < last; s += 1) {
            for (int t = s * 32; t < tk::min(s * 32 + 32, L); t += 8) {
                // selective_scan.tk:147: let u  = load(U[b, g, d, t]);
                tk::stripe<tk::bf16, 128, 8, 128, 1, 8> u;
                tk::load_vectors(u, tk::vector_slice(U, {b, g, d, t}, CG - d, L - t), thread);

                // selective_scan.tk:148: let dt = pad(step_sizes(f32(load(Dt[b, g, d, t])) + ..
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

                // selective_scan.tk:149: consume bs as n {
                const tk::cursor<8> n_element = shared.bs.take(bs_next);

                // selective_scan.tk:17: return exp2(dt[:, I +: 1] * a) * h + dt[:, I +: 1] * ..
                tk::stripe<float, 128, 1, 128, 1, 8> t5;
                tk::slice_registers<0, 0>(t5, dt);
                tk::stripe<float, 128, 1, 128, 1, 8> t6;
                tk::slice_registers<0, 0>(t6, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 8> t7;
                tk::slice_registers<0, 0>(t7, u);

                // selective_scan.tk:150: h = next<0>(h, a, dt, u, f32(n[0, :]));
                tk::stripe<float, 128, 1, 128, 1, 8> t1;
                tk::map(t1, [](float t6, tk::bf16 t7) { return t6 * float(t7); }, t6, t7);
                tk::stripe<float, 1, 16, 128, 1, 8> t43;
                tk::load_shared(t43, tk::part<0, 0, 1, 16>(shared.bs_tile[n_element.stage]),
                                thread);
                tk::map(h, [](float t5, float a, float h, float t1, float t43) {
                    return tk::fma(tk::exp2(t5 * a), h, t1 * t43);
                }, t5, a, h, t1, t43);
                // selective_scan.tk:17
                tk::stripe<float, 128, 1, 128, 1, 8> t9;
                tk::slice_registers<0, 1>(t9, dt);
                tk::stripe<float, 128, 1, 128, 1, 8> t10;
                tk::slice_registers<0, 1>(t10, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 8> t11;
                tk::slice_registers<0, 1>(t11, u);

                // selective_scan.tk:151: h = next<1>(h, a, dt, u, f32(n[1, :]));
                tk::stripe<float, 128, 1, 128, 1, 8> t2;
                tk::map(t2, [](float t10, tk::bf16 t11) { return t10 * float(t11); }, t10, t11);
                tk::stripe<float, 1, 16, 128, 1, 8> t44;
                tk::load_shared(t44, tk::part<1, 0, 1, 16>(shared.bs_tile[n_element.stage]),
                                thread);
                tk::map(h, [](float t9, float a, float h, float t2, float t44) {
                    return tk::fma(tk::exp2(t9 * a), h, t2 * t44);
                }, t9, a, h, t2, t44);
                // selective_scan.tk:17
                tk::stripe<float, 128, 1, 128, 1, 8> t13;
                tk::slice_registers<0, 2>(t13, dt);
                tk::stripe<float, 128, 1, 128, 1, 8> t14;
                tk::slice_registers<0, 2>(t14, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 8> t15;
                tk::slice_registers<0, 2>(t15, u);

                // selective_scan.tk:152: h = next<2>(h, a, dt, u, f32(n[2, :]));
                tk::stripe<float, 128, 1, 128, 1, 8> t37;
                tk::map(t37, [](float t14, tk::bf16 t15) { return t14 * float(t15); }, t14, t15);
                tk::stripe<float, 1, 16, 128, 1, 8> t45;
                tk::load_shared(t45, tk::part<2, 0, 1, 16>(shared.bs_tile[n_element.stage]),
                                thread);
                tk::map(h, [](float t13, float a, float h, float t37, float t45) {
                    return tk::fma(tk::exp2(t13 * a), h, t37 * t45);
                }, t13, a, h, t37, t45);
                // selective_scan.tk:17
                tk::stripe<float, 128, 1, 128, 1, 8> t17;
                tk::slice_registers<0, 3>(t17, dt);
                tk::stripe<float, 128, 1, 128, 1, 8> t18;
                tk::slice_registers<0, 3>(t18, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 8> t19;
                tk::slice_registers<0, 3>(t19, u);

                // selective_scan.tk:153: h = next<3>(h, a, dt, u, f32(n[3, :]));
                tk::stripe<float, 128, 1, 128, 1, 8> t38;
                tk::map(t38, [](float t18, tk::bf16 t19) { return t18 * float(t19); }, t18, t19);
                tk::stripe<float, 1, 16, 128, 1, 8> t46;
                tk::load_shared(t46, tk::part<3, 0, 1, 16>(shared.bs_tile[n_element.stage]),
                                thread);
                tk::map(h, [](float t17, float a, float h, float t38, float t46) {
                    return tk::fma(tk::exp2(t17 * a), h, t38 * t46);
                }, t17, a, h, t38, t46);
                // selective_scan.tk:17
                tk::stripe<float, 128, 1, 128, 1, 8> t21;
                tk::slice_registers<0, 4>(t21, dt);
                tk::stripe<float, 128, 1, 128, 1, 8> t22;
                tk::slice_registers<0, 4>(t22, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 8> t23;
                tk::slice_registers<0, 4>(t23, u);

                // selective_scan.tk:154: h = next<4>(h, a, dt, u, f32(n[4, :]));
                tk::stripe<float, 128, 1, 128, 1, 8> t39;
                tk::map(t39, [](float t22, tk::bf16 t23) { return t22 * float(t23); }, t22, t23);
                tk::stripe<float, 1, 16, 128, 1, 8> t47;
                tk::load_shared(t47, tk::part<4, 0, 1, 16>(shared.bs_tile[n_element.stage]),
                                thread);
                tk::map(h, [](float t21, float a, float h, float t39, float t47) {
                    return tk::fma(tk::exp2(t21 * a), h, t39 * t47);
                }, t21, a, h, t39, t47);
                // selective_scan.tk:17
                tk::stripe<float, 128, 1, 128, 1, 8> t25;
                tk::slice_registers<0, 5>(t25, dt);
                tk::stripe<float, 128, 1, 128, 1, 8> t26;
                tk::slice_registers<0, 5>(t26, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 8> t27;
                tk::slice_registers<0, 5>(t27, u);

                // selective_scan.tk:155: h = next<5>(h, a, dt, u, f32(n[5, :]));
                tk::stripe<float, 128, 1, 128, 1, 8> t40;
                tk::map(t40, [](float t26, tk::bf16 t27) { return t26 * float(t27); }, t26, t27);
                tk::stripe<float, 1, 16, 128, 1, 8> t48;
                tk::load_shared(t48, tk::part<5, 0, 1, 16>(shared.bs_tile[n_element.stage]),
                                thread);
                tk::map(h, [](float t25, float a, float h, float t40, float t48) {
                    return tk::fma(tk::exp2(t25 * a), h, t40 * t48);
                }, t25, a, h, t40, t48);
                // selective_scan.tk:17
                tk::stripe<float, 128, 1, 128, 1, 8> t29;
                tk::slice_registers<0, 6>(t29, dt);
                tk::stripe<float, 128, 1, 128, 1, 8> t30;
                tk::slice_registers<0, 6>(t30, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 8> t31;
                tk::slice_registers<0, 6>(t31, u);

                // selective_scan.tk:156: h = next<6>(h, a, dt, u, f32(n[6, :]));
                tk::stripe<float, 128, 1, 128, 1, 8> t41;
                tk::map(t41, [](float t30, tk::bf16 t31) { return t30 * float(t31); }, t30, t31);
                tk::stripe<float, 1, 16, 128, 1, 8> t49;
                tk::load_shared(t49, tk::part<6, 0, 1, 16>(shared.bs_tile[n_element.stage]),
                                thread);
                tk::map(h, [](float t29, float a, float h, float t41, float t49) {
                    return tk::fma(tk::exp2(t29 * a), h, t41 * t49);
                }, t29, a, h, t41, t49);
                // selective_scan.tk:17
                tk::stripe<float, 128, 1, 128, 1, 8> t33;
                tk::slice_registers<0, 7>(t33, dt);
                tk::stripe<float, 128, 1, 128, 1, 8> t34;
                tk::slice_registers<0, 7>(t34, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 8> t35;
                tk::slice_registers<0, 7>(t35, u);

                // selective_scan.tk:157: h = next<7>(h, a, dt, u, f32(n[7, :]));
                tk::stripe<float, 128, 1, 128, 1, 8> t42;
                tk::map(t42, [](float t34, tk::bf16 t35) { return t34 * float(t35); }, t34, t35);
                tk::stripe<float, 1, 16, 128, 1, 8> t50;
                tk::load_shared(t50, tk::part<7, 0, 1, 16>(shared.bs_tile[n_element.stage]),
                                thread);
                shared.bs.release_after_loads(n_element);
                tk::map(h, [](float t33, float a, float h, float t42, float t50) {
                    return tk::fma(tk::exp2(t33 * a), h, t42 * t50);
                }, t33, a, h, t42, t50);

                // selective_scan.tk:159: steps += sum(dt, axis = 1);
                tk::stripe<float, 128, 1, 128, 1, 8> t36;
                tk::fold_rows(t36, dt, tk::plus{}, thread);
                tk::map(steps, [](float steps, float t36) { return steps + t36; }, steps, t36);
            }
        }

        // selective_scan.tk:161: store(End[b, p, g, d, :], h);
        tk::store_vectors(tk::dense_slice(End, {b, p, g, d, 0}, CG - d, 16), h, thread);

        // selective_scan.tk:162: store(Left[b, p, g, d], steps);
        tk::stripe<float, 128, 1, 128, 1, 8> t51 = steps;
        tk::finish_rows(t51, tk::plus{});
        tk::store_global(tk::slice<3, tk::no_axis>(Left, {b, p, g, d}, CG - d, 1), t51, thread);
    }
}

// ends_general: kernel ends with T = bf16, TD = bf16, TB = f32, S = 16, SOFTPLUS = true, PACKED =
// false, BD = 128; any strides and alignment.
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
        // selective_scan.tk:134: role producer(1 warp) {
        if (warp == 0) {
            const int thread = int(threadIdx.x);
            tk::cursor<8> bs_next;
            const int program = blockIdx.x;
            const int g = program / d_tiles % G;
            const int p = program / (d_tiles * G) % p_tiles;
            const int b = program / (d_tiles * G * p_tiles);

            // selective_scan.tk:127: let first = max(p * chunks, 0);
            const int first = tk::max(p * chunks, 0);

            // selective_scan.tk:128: let last  = min(first + chunks, ceil_div(L, 32));
            const int last = tk::min(first + chunks, tk::divide_up(L, 32));

            // selective_scan.tk:135: for s in (if PACKED { from // 32 } else { first })..last,
            #pragma unroll 1
            for (int s = first; s < last; s += 1) {
                #pragma unroll 1
                for (int t = s * 32; t < tk::min(s * 32 + 32, L); t += 8) {
                    // selective_scan.tk:136: t in (if PACKED { max(s * 4, from // 8) * 8 } else ..
                    shared.bs.wait_empty(bs_next);
                    tk::copy_to_shared(shared.bs_tile[bs_next.stage],
                                       tk::slice(Bm, {b, g, t, 0}, L - t, 16), thread, 32);
                    shared.bs.publish(bs_next, tk::ordinary_alone{});
                    bs_next.advance();
                }
            }
        }
    } else {
        // selective_scan.tk:139: role scan(BD // 32 warps) {
        const int thread = int(threadIdx.x) - 128;
        tk::cursor<8> bs_next;
        const int program = blockIdx.x;
        const int d = program % d_tiles * 128;
        const int g = program / d_tiles % G;
        const int p = program / (d_tiles * G) % p_tiles;
        const int b = program / (d_tiles * G * p_tiles);

        // selective_scan.tk:127: let first = max(p * chunks, 0);
        const int first = tk::max(p * chunks, 0);

        // selective_scan.tk:128: let last  = min(first + chunks, ceil_div(L, 32));
        const int last = tk::min(first + chunks, tk::divide_up(L, 32));

        // selective_scan.tk:140: let a   = load(A[g, d, :]) * LOG2E;
        tk::stripe<float, 128, 16, 128, 1, 2> t0;
        tk::load_global(t0, tk::slice(A, {g, d, 0}, CG - d, 16), thread);
        tk::stripe<float, 128, 16, 128, 1, 2> a;
        tk::map(a, [](float t0) { return t0 * 1.442695f; }, t0);

        // selective_scan.tk:141: let add = column(load(bias[g, d]));
        tk::stripe<float, 128, 1, 128, 1, 2> add;
        tk::load_global(add, tk::slice<1, tk::no_axis>(bias, {g, d}, CG - d, 1), thread);

        // selective_scan.tk:142: var h: f32[BD, S] = 0;
        tk::stripe<float, 128, 16, 128, 1, 2> h;
        tk::zero(h);

        // selective_scan.tk:143: var steps: f32[BD, 1] = 0;
        tk::stripe<float, 128, 1, 128, 1, 2> steps;
        tk::zero(steps);

        // selective_scan.tk:145: for s in (if PACKED { from // 32 } else { first })..last,
        for (int s = first; s < last; s += 1) {
            for (int t = s * 32; t < tk::min(s * 32 + 32, L); t += 8) {
                // selective_scan.tk:147: let u  = load(U[b, g, d, t]);
                tk::stripe<tk::bf16, 128, 8, 128, 1, 2> u;
                tk::load_global(u, tk::slice(U, {b, g, d, t}, CG - d, L - t), thread);

                // selective_scan.tk:148: let dt = pad(step_sizes(f32(load(Dt[b, g, d, t])) + ..
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

                // selective_scan.tk:149: consume bs as n {
                const tk::cursor<8> n_element = shared.bs.take(bs_next);

                // selective_scan.tk:17: return exp2(dt[:, I +: 1] * a) * h + dt[:, I +: 1] * ..
                tk::stripe<float, 128, 1, 128, 1, 2> t5;
                tk::slice_registers<0, 0>(t5, dt);
                tk::stripe<float, 128, 1, 128, 1, 2> t6;
                tk::slice_registers<0, 0>(t6, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 2> t7;
                tk::slice_registers<0, 0>(t7, u);

                // selective_scan.tk:150: h = next<0>(h, a, dt, u, f32(n[0, :]));
                tk::stripe<float, 128, 1, 128, 1, 2> t1;
                tk::map(t1, [](float t6, tk::bf16 t7) { return t6 * float(t7); }, t6, t7);
                tk::stripe<float, 1, 16, 128, 1, 2> t43;
                tk::load_shared(t43, tk::part<0, 0, 1, 16>(shared.bs_tile[n_element.stage]),
                                thread);
                tk::map(h, [](float t5, float a, float h, float t1, float t43) {
                    return tk::fma(tk::exp2(t5 * a), h, t1 * t43);
                }, t5, a, h, t1, t43);
                // selective_scan.tk:17
                tk::stripe<float, 128, 1, 128, 1, 2> t9;
                tk::slice_registers<0, 1>(t9, dt);
                tk::stripe<float, 128, 1, 128, 1, 2> t10;
                tk::slice_registers<0, 1>(t10, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 2> t11;
                tk::slice_registers<0, 1>(t11, u);

                // selective_scan.tk:151: h = next<1>(h, a, dt, u, f32(n[1, :]));
                tk::stripe<float, 128, 1, 128, 1, 2> t2;
                tk::map(t2, [](float t10, tk::bf16 t11) { return t10 * float(t11); }, t10, t11);
                tk::stripe<float, 1, 16, 128, 1, 2> t44;
                tk::load_shared(t44, tk::part<1, 0, 1, 16>(shared.bs_tile[n_element.stage]),
                                thread);
                tk::map(h, [](float t9, float a, float h, float t2, float t44) {
                    return tk::fma(tk::exp2(t9 * a), h, t2 * t44);
                }, t9, a, h, t2, t44);
                // selective_scan.tk:17
                tk::stripe<float, 128, 1, 128, 1, 2> t13;
                tk::slice_registers<0, 2>(t13, dt);
                tk::stripe<float, 128, 1, 128, 1, 2> t14;
                tk::slice_registers<0, 2>(t14, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 2> t15;
                tk::slice_registers<0, 2>(t15, u);

                // selective_scan.tk:152: h = next<2>(h, a, dt, u, f32(n[2, :]));
                tk::stripe<float, 128, 1, 128, 1, 2> t37;
                tk::map(t37, [](float t14, tk::bf16 t15) { return t14 * float(t15); }, t14, t15);
                tk::stripe<float, 1, 16, 128, 1, 2> t45;
                tk::load_shared(t45, tk::part<2, 0, 1, 16>(shared.bs_tile[n_element.stage]),
                                thread);
                tk::map(h, [](float t13, float a, float h, float t37, float t45) {
                    return tk::fma(tk::exp2(t13 * a), h, t37 * t45);
                }, t13, a, h, t37, t45);
                // selective_scan.tk:17
                tk::stripe<float, 128, 1, 128, 1, 2> t17;
                tk::slice_registers<0, 3>(t17, dt);
                tk::stripe<float, 128, 1, 128, 1, 2> t18;
                tk::slice_registers<0, 3>(t18, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 2> t19;
                tk::slice_registers<0, 3>(t19, u);

                // selective_scan.tk:153: h = next<3>(h, a, dt, u, f32(n[3, :]));
                tk::stripe<float, 128, 1, 128, 1, 2> t38;
                tk::map(t38, [](float t18, tk::bf16 t19) { return t18 * float(t19); }, t18, t19);
                tk::stripe<float, 1, 16, 128, 1, 2> t46;
                tk::load_shared(t46, tk::part<3, 0, 1, 16>(shared.bs_tile[n_element.stage]),
                                thread);
                tk::map(h, [](float t17, float a, float h, float t38, float t46) {
                    return tk::fma(tk::exp2(t17 * a), h, t38 * t46);
                }, t17, a, h, t38, t46);
                // selective_scan.tk:17
                tk::stripe<float, 128, 1, 128, 1, 2> t21;
                tk::slice_registers<0, 4>(t21, dt);
                tk::stripe<float, 128, 1, 128, 1, 2> t22;
                tk::slice_registers<0, 4>(t22, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 2> t23;
                tk::slice_registers<0, 4>(t23, u);

                // selective_scan.tk:154: h = next<4>(h, a, dt, u, f32(n[4, :]));
                tk::stripe<float, 128, 1, 128, 1, 2> t39;
                tk::map(t39, [](float t22, tk::bf16 t23) { return t22 * float(t23); }, t22, t23);
                tk::stripe<float, 1, 16, 128, 1, 2> t47;
                tk::load_shared(t47, tk::part<4, 0, 1, 16>(shared.bs_tile[n_element.stage]),
                                thread);
                tk::map(h, [](float t21, float a, float h, float t39, float t47) {
                    return tk::fma(tk::exp2(t21 * a), h, t39 * t47);
                }, t21, a, h, t39, t47);
                // selective_scan.tk:17
                tk::stripe<float, 128, 1, 128, 1, 2> t25;
                tk::slice_registers<0, 5>(t25, dt);
                tk::stripe<float, 128, 1, 128, 1, 2> t26;
                tk::slice_registers<0, 5>(t26, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 2> t27;
                tk::slice_registers<0, 5>(t27, u);

                // selective_scan.tk:155: h = next<5>(h, a, dt, u, f32(n[5, :]));
                tk::stripe<float, 128, 1, 128, 1, 2> t40;
                tk::map(t40, [](float t26, tk::bf16 t27) { return t26 * float(t27); }, t26, t27);
                tk::stripe<float, 1, 16, 128, 1, 2> t48;
                tk::load_shared(t48, tk::part<5, 0, 1, 16>(shared.bs_tile[n_element.stage]),
                                thread);
                tk::map(h, [](float t25, float a, float h, float t40, float t48) {
                    return tk::fma(tk::exp2(t25 * a), h, t40 * t48);
                }, t25, a, h, t40, t48);
                // selective_scan.tk:17
                tk::stripe<float, 128, 1, 128, 1, 2> t29;
                tk::slice_registers<0, 6>(t29, dt);
                tk::stripe<float, 128, 1, 128, 1, 2> t30;
                tk::slice_registers<0, 6>(t30, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 2> t31;
                tk::slice_registers<0, 6>(t31, u);

                // selective_scan.tk:156: h = next<6>(h, a, dt, u, f32(n[6, :]));
                tk::stripe<float, 128, 1, 128, 1, 2> t41;
                tk::map(t41, [](float t30, tk::bf16 t31) { return t30 * float(t31); }, t30, t31);
                tk::stripe<float, 1, 16, 128, 1, 2> t49;
                tk::load_shared(t49, tk::part<6, 0, 1, 16>(shared.bs_tile[n_element.stage]),
                                thread);
                tk::map(h, [](float t29, float a, float h, float t41, float t49) {
                    return tk::fma(tk::exp2(t29 * a), h, t41 * t49);
                }, t29, a, h, t41, t49);
                // selective_scan.tk:17
                tk::stripe<float, 128, 1, 128, 1, 2> t33;
                tk::slice_registers<0, 7>(t33, dt);
                tk::stripe<float, 128, 1, 128, 1, 2> t34;
                tk::slice_registers<0, 7>(t34, dt);
                tk::stripe<tk::bf16, 128, 1, 128, 1, 2> t35;
                tk::slice_registers<0, 7>(t35, u);

                // selective_scan.tk:157: h = next<7>(h, a, dt, u, f32(n[7, :]));
                tk::stripe<float, 128, 1, 128, 1, 2> t42;
                tk::map(t42, [](float t34, tk::bf16 t35) { return t34 * float(t35); }, t34, t35);
                tk::stripe<float, 1, 16, 128, 1, 2> t50;
                tk::load_shared(t50, tk::part<7, 0, 1, 16>(shared.bs_tile[n_element.stage]),
                                thread);
                shared.bs.release_after_loads(n_element, tk::ordinary_alone{});
                tk::map(h, [](float t33, float a, float h, float t42, float t50) {
                    return tk::fma(tk::exp2(t33 * a), h, t42 * t50);
                }, t33, a, h, t42, t50);

                // selective_scan.tk:159: steps += sum(dt, axis = 1);
                tk::stripe<float, 128, 1, 128, 1, 2> t36;
                tk::fold_rows(t36, dt, tk::plus{}, thread);
                tk::map(steps, [](float steps, float t36) { return steps + t36; }, steps, t36);
            }
        }

        // selective_scan.tk:161: store(End[b, p, g, d, :], h);
        tk::store_global(tk::slice(End, {b, p, g, d, 0}, CG - d, 16), h, thread);

        // selective_scan.tk:162: store(Left[b, p, g, d], steps);
        tk::stripe<float, 128, 1, 128, 1, 2> t51 = steps;
        tk::finish_rows(t51, tk::plus{});
        tk::store_global(tk::slice<3, tk::no_axis>(Left, {b, p, g, d}, CG - d, 1), t51, thread);
    }
}

// starts: kernel starts with S = 16, PACKED = false.
// 32 threads, 136 registers each.
__global__ void __launch_bounds__(32, 15) starts_kernel(
    const tk::tensor_argument<const float, 3> A, const tk::tensor_argument<const float, 4> S0,
    const tk::tensor_argument<const float, 5> End, const tk::tensor_argument<const float, 4> Left,
    const tk::tensor_argument<float, 4> Start, int G, int CG, int I, int B, int segments) {
    tk::wait_for_previous_kernel();

    const int d_tiles = tk::tiles(CG, 32);
    const int warp = tk::warp_index();

    // selective_scan.tk:167: kernel starts<S: int = 16, PACKED: bool = false>(
    if (warp == 0) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int d = program % d_tiles * 32;
        const int g = program / d_tiles % G;
        const int b = program / (d_tiles * G);

        // selective_scan.tk:174: let a = load(A[g, d, :]) * LOG2E;
        tk::stripe<float, 32, 16, 32, 4, 4> t0;
        tk::load_vectors(t0, tk::dense_slice(A, {g, d, 0}, CG - d, 16), thread);
        tk::stripe<float, 32, 16, 32, 4, 4> a;
        tk::map(a, [](float t0) { return t0 * 1.442695f; }, t0);

        // selective_scan.tk:175: var h = load(S0[b, g, d, :]);
        tk::stripe<float, 32, 16, 32, 4, 4> h;
        tk::load_vectors(h, tk::dense_slice(S0, {b, g, d, 0}, b < I ? CG - d : 0, 16), thread);

        // selective_scan.tk:176: store(Start[b * segments, g, d, :], h);
        tk::store_vectors(
            tk::dense_slice(Start, {b * segments, g, d, 0},
                            b * segments > -1 && b * segments < B * segments ? CG - d : 0, 16), h,
            thread);

        // selective_scan.tk:177: for p in segments - 1 pipelined(4) {
        #pragma unroll 4
        for (int p = 0; p < segments - 1; p += 1) {
            // selective_scan.tk:178: let left = column(load(Left[b, p, g, d]));
            tk::stripe<float, 32, 1, 32, 4, 4> left;
            tk::load_global(left, tk::slice<3, tk::no_axis>(Left, {b, p, g, d}, CG - d, 1), thread);

            // selective_scan.tk:179: h = load(End[b, p, g, d, :]) + (if PACKED { where(left < ..
            tk::stripe<float, 32, 16, 32, 4, 4> t3;
            tk::load_vectors(t3, tk::dense_slice(End, {b, p, g, d, 0}, CG - d, 16), thread);
            tk::map(h, [](float t3, float a, float left, float h) {
                return tk::fma(tk::exp2(a * left), h, t3);
            }, t3, a, left, h);

            // selective_scan.tk:180: store(Start[b * segments + p + 1, g, d, :], h);
            tk::store_vectors(
                tk::dense_slice(Start, {b * segments + p + 1, g, d, 0},
                                b * segments + p + 1 > -1 && b * segments + p + 1 < B * segments
                                ? CG - d : 0, 16), h, thread);
        }
    }
}

// starts_general: kernel starts with S = 16, PACKED = false; any strides and alignment.
// 32 threads, 255 registers each.
__global__ void __launch_bounds__(32, 1) starts_general_kernel(
    const tk::tensor_argument<const float, 3> A, const tk::tensor_argument<const float, 4> S0,
    const tk::tensor_argument<const float, 5> End, const tk::tensor_argument<const float, 4> Left,
    const tk::tensor_argument<float, 4> Start, int G, int CG, int I, int B, int segments) {
    tk::wait_for_previous_kernel();

    const int d_tiles = tk::tiles(CG, 32);
    const int warp = tk::warp_index();

    // selective_scan.tk:167: kernel starts<S: int = 16, PACKED: bool = false>(
    if (warp == 0) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int d = program % d_tiles * 32;
        const int g = program / d_tiles % G;
        const int b = program / (d_tiles * G);

        // selective_scan.tk:174: let a = load(A[g, d, :]) * LOG2E;
        tk::stripe<float, 32, 16, 32, 8, 2> t0;
        tk::load_global(t0, tk::slice(A, {g, d, 0}, CG - d, 16), thread);
        tk::stripe<float, 32, 16, 32, 8, 2> a;
        tk::map(a, [](float t0) { return t0 * 1.442695f; }, t0);

        // selective_scan.tk:175: var h = load(S0[b, g, d, :]);
        tk::stripe<float, 32, 16, 32, 8, 2> h;
        tk::load_global(h, tk::slice(S0, {b, g, d, 0}, b < I ? CG - d : 0, 16), thread);

        // selective_scan.tk:176: store(Start[b * segments, g, d, :], h);
        tk::store_global(
            tk::slice(Start, {b * segments, g, d, 0},
                      b * segments > -1 && b * segments < B * segments ? CG - d : 0, 16), h,
            thread);

        // selective_scan.tk:177: for p in segments - 1 pipelined(4) {
        for (int p = 0; p < segments - 1; p += 1) {
            // selective_scan.tk:178: let left = column(load(Left[b, p, g, d]));
            tk::stripe<float, 32, 1, 32, 8, 2> left;
            tk::load_global(left, tk::slice<3, tk::no_axis>(Left, {b, p, g, d}, CG - d, 1), thread);

            // selective_scan.tk:179: h = load(End[b, p, g, d, :]) + (if PACKED { where(left < ..
            tk::stripe<float, 32, 16, 32, 8, 2> t3;
            tk::load_global(t3, tk::slice(End, {b, p, g, d, 0}, CG - d, 16), thread);
            tk::map(h, [](float t3, float a, float left, float h) {
                return tk::fma(tk::exp2(a * left), h, t3);
            }, t3, a, left, h);

            // selective_scan.tk:180: store(Start[b * segments + p + 1, g, d, :], h);
            tk::store_global(
                tk::slice(Start, {b * segments + p + 1, g, d, 0},
                          b * segments + p + 1 > -1 && b * segments + p + 1 < B * segments ? CG - d
                          : 0, 16), h, thread);
        }
    }
}

namespace {
int run_selective_scan(
    const char* function, tk::candidates offered, const DLTensor* U_given, const DLTensor* Dt_given,
    const DLTensor* A_given, const DLTensor* Bm_given, const DLTensor* C_given,
    const DLTensor* D_given, const DLTensor* Z_given, const DLTensor* bias_given,
    const DLTensor* S0_given, const DLTensor* start_given, const DLTensor* Ended_given,
    const DLTensor* Start_given, DLTensor* Y_given, DLTensor* State_given, DLTensor* Saved_given,
    int32_t segments, int32_t chunks, cudaStream_t stream) {
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
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Ended = call.take("Ended", Ended_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Start = call.take("Start", Start_given, tk::dtype_f32, 4, tk::access::read);
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
    const int64_t R = start.shape[0];
    const int64_t E = Ended.shape[0];
    const int64_t J = Start.shape[0];
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
        tk::fixed_extent(S0, 3, 16), tk::same_extent("G", U, 1, Start, 1),
        tk::same_extent("CG", U, 2, Start, 2), tk::fixed_extent(Start, 3, 16),
        tk::same_extent("B", U, 0, Y, 0), tk::same_extent("G", U, 1, Y, 1),
        tk::same_extent("CG", U, 2, Y, 2), tk::same_extent("L", U, 3, Y, 3),
        tk::same_extent("G", U, 1, State, 1), tk::same_extent("CG", U, 2, State, 2),
        tk::fixed_extent(State, 3, 16), tk::same_extent("G", U, 1, Saved, 2),
        tk::same_extent("CG", U, 2, Saved, 3), tk::fixed_extent(Saved, 4, 16),
        tk::extents_fit(
            {{"B", B}, {"G", G}, {"CG", CG}, {"L", L}, {"BZ", BZ}, {"I", I}, {"R", R}, {"E", E},
             {"J", J}, {"F", F}, {"V", V}}),
        tk::that(Saved.shape[1] == tk::ceil_div(L, 32),
                 "axis 1 of `Saved` is {}; it must be `ceil_div(L, 32)`, which is {}",
                 {Saved.shape[1], tk::ceil_div(L, 32)}),
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
        tk::fits("B*segments", tk::multiply(B, int64_t{segments})),
        tk::that(-2147483648 <= tk::multiply(B, int64_t{segments}),
                 "`B*segments` reaches {}; it must fit in 32 bits",
                 {tk::multiply(B, int64_t{segments})}),
        tk::that(V <= B, "`selective_scan` requires `V <= B`"),
        tk::that(int64_t{segments} >= 1, "`selective_scan` requires `segments >= 1`"),
        tk::that(int64_t{chunks} >= 1, "`selective_scan` requires `chunks >= 1`"),
        tk::that(tk::multiply(int64_t{segments}, int64_t{chunks}) * 32 >= L,
                 "`selective_scan` requires `segments * chunks * 32 >= L`"),
        tk::that(tk::multiply(int64_t{segments} - 1, int64_t{chunks}) * 32 <= L,
                 "`selective_scan` requires `(segments - 1) * chunks * 32 <= L`"),
        tk::that(F <= B && I <= B,
                 "`selective_scan` requires `if PACKED { B == 1 and R >= 2 and F < R and E > segments } else { F <= B and I <= B }`"),
        tk::that(J >= (int64_t{segments} > 1 ? tk::multiply(B, int64_t{segments}) : 0),
                 "`selective_scan` requires `PACKED or J >= (if segments > 1 { B * segments } else { 0 })`"),
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
    choice.prefer({
        tk::suits_fast(U, "L"), tk::whole_vectors(U, 8), tk::suits_fast(Dt, "L"), tk::suits_fast(A),
        tk::suits_fast(Bm), tk::suits_fast(C), tk::suits_fast(S0), tk::suits_fast(Start),
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
        3628 + 512 *
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
    choice.prefer({
        tk::suits_fast(U, "L"), tk::whole_vectors(U, 8), tk::suits_fast(Dt, "L"), tk::suits_fast(A),
        tk::suits_fast(Bm), tk::suits_fast(C), tk::suits_fast(S0), tk::suits_fast(Start),
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
        2032 + 128 *
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
        3628 + 512 *
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
        2032 + 128 *
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
            tk::box{C, {1, 1, 8, 16}, 64}, U, Dt, A, D, bias, S0, Start, Y, State, Saved, B, G, CG,
            L, I, J, F, V, segments, chunks));
    }
    if (best == 1) {
        return tk::finish(tk::run<selective_scan_narrow_kernel>(
            site, sizeof(selective_scan_narrow_shared), tk::kernel_shape(64).overlapping(),
            tk::multiply(
                tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G),
                             tk::larger(int64_t{segments}, 0)), B), tk::box{Bm, {1, 1, 8, 16}, 64},
            tk::box{C, {1, 1, 8, 16}, 64}, U, Dt, A, D, bias, S0, Start, Y, State, Saved, B, G, CG,
            L, I, J, F, V, segments, chunks));
    }
    if (best == 2) {
        return tk::finish(tk::run<selective_scan_general_kernel>(
            site, sizeof(selective_scan_general_shared), tk::kernel_shape(256).overlapping(),
            tk::multiply(
                tk::multiply(tk::multiply(tk::ceil_div(CG, 128), G),
                             tk::larger(int64_t{segments}, 0)), B), U, Dt, A, Bm, C, D, bias, S0,
            Start, Y, State, Saved, B, G, CG, L, I, J, F, V, segments, chunks));
    }
    return tk::finish(tk::run<selective_scan_narrow_general_kernel>(
        site, sizeof(selective_scan_narrow_general_shared), tk::kernel_shape(64).overlapping(),
        tk::multiply(
            tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G), tk::larger(int64_t{segments}, 0)),
            B), U, Dt, A, Bm, C, D, bias, S0, Start, Y, State, Saved, B, G, CG, L, I, J, F, V,
        segments, chunks));
}

tk::status launch_ended(const tk::launch_site& site, const tk::tensor& start,
                        const tk::tensor& Ended, int64_t R, int64_t E, int32_t chunks) {
    return tk::run<ended_kernel<32, 16, 4, true>>(site, 0, tk::kernel_shape(32).overlapping(),
                                                  tk::ceil_div(E, 16), start, Ended, R, E, chunks);
}

tk::status launch_ended_general(const tk::launch_site& site, const tk::tensor& start,
                                const tk::tensor& Ended, int64_t R, int64_t E, int32_t chunks) {
    return tk::run<ended_kernel<1, 32, 2, false>>(site, 0, tk::kernel_shape(32).overlapping(),
                                                  tk::ceil_div(E, 16), start, Ended, R, E, chunks);
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
    const tk::tensor& S0, const tk::tensor& Start, const tk::tensor& Y, const tk::tensor& State,
    const tk::tensor& Saved, int64_t B, int64_t G, int64_t CG, int64_t L, int64_t I, int64_t J,
    int64_t F, int64_t V, int32_t segments, int32_t chunks) {
    return tk::run<selective_scan_kernel>(
        site, sizeof(selective_scan_shared), tk::kernel_shape(256).overlapping(),
        tk::multiply(
            tk::multiply(tk::multiply(tk::ceil_div(CG, 128), G), tk::larger(int64_t{segments}, 0)),
            B), tk::box{Bm, {1, 1, 8, 16}, 64}, tk::box{C, {1, 1, 8, 16}, 64}, U, Dt, A, D, bias,
        S0, Start, Y, State, Saved, B, G, CG, L, I, J, F, V, segments, chunks);
}

tk::status launch_selective_scan_general(
    const tk::launch_site& site, const tk::tensor& U, const tk::tensor& Dt, const tk::tensor& A,
    const tk::tensor& Bm, const tk::tensor& C, const tk::tensor& D, const tk::tensor& bias,
    const tk::tensor& S0, const tk::tensor& Start, const tk::tensor& Y, const tk::tensor& State,
    const tk::tensor& Saved, int64_t B, int64_t G, int64_t CG, int64_t L, int64_t I, int64_t J,
    int64_t F, int64_t V, int32_t segments, int32_t chunks) {
    return tk::run<selective_scan_general_kernel>(
        site, sizeof(selective_scan_general_shared), tk::kernel_shape(256).overlapping(),
        tk::multiply(
            tk::multiply(tk::multiply(tk::ceil_div(CG, 128), G), tk::larger(int64_t{segments}, 0)),
            B), U, Dt, A, Bm, C, D, bias, S0, Start, Y, State, Saved, B, G, CG, L, I, J, F, V,
        segments, chunks);
}

}  // namespace

extern "C" {
int ended(const DLTensor* start_given, DLTensor* Ended_given, int32_t chunks, void*, size_t,
          cudaStream_t stream) {
    tk::arguments call{"ended"};
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Ended = call.take("Ended", Ended_given, tk::dtype_i32, 1, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t R = start.shape[0];
    const int64_t E = Ended.shape[0];
    call.require(
        {tk::extents_fit({{"R", R}, {"E", E}}),
         tk::that(int64_t{chunks} >= 1, "`ended` requires `chunks >= 1`"),
         tk::fits("chunks*32", int64_t{chunks} * 32),
         tk::that(-2147483648 <= int64_t{chunks} * 32,
                  "`chunks*32` reaches {}; it must fit in 32 bits", {int64_t{chunks} * 32}),
         tk::fits("(p.start + row_index)*(chunks*32)",
                  tk::larger(0, tk::multiply(E - 1 + 262143, int64_t{chunks} * 32))),
         tk::that(-2147483648 <= tk::smaller(0, tk::multiply(E - 1 + 262143, int64_t{chunks} * 32)),
                  "`(p.start + row_index)*(chunks*32)` reaches {}; it must fit in 32 bits",
                  {tk::smaller(0, tk::multiply(E - 1 + 262143, int64_t{chunks} * 32))})});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast = tk::hold({tk::suits_fast(start, "R")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<ended_kernel<32, 16, 4, true>, ended_kernel<1, 32, 2, false>>(
        fast ? 0 : 1, site, 0, tk::kernel_shape(32).overlapping(), tk::ceil_div(E, 16), start,
        Ended, R, E, chunks));
}
TK_NO_WORKSPACE(ended, const DLTensor*, DLTensor*, int32_t)

int selective_scan(const DLTensor* U_given, const DLTensor* Dt_given, const DLTensor* A_given,
                   const DLTensor* Bm_given, const DLTensor* C_given, const DLTensor* D_given,
                   const DLTensor* Z_given, const DLTensor* bias_given, const DLTensor* S0_given,
                   const DLTensor* start_given, const DLTensor* Ended_given,
                   const DLTensor* Start_given, DLTensor* Y_given, DLTensor* State_given,
                   DLTensor* Saved_given, int32_t segments, int32_t chunks, void*, size_t,
                   cudaStream_t stream) {
    return run_selective_scan("selective_scan", {0, 1, 2, 3}, U_given, Dt_given, A_given, Bm_given,
                              C_given, D_given, Z_given, bias_given, S0_given, start_given,
                              Ended_given, Start_given, Y_given, State_given, Saved_given, segments,
                              chunks, stream);
}
TK_NO_WORKSPACE(selective_scan, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                int32_t, int32_t)

int selective_scan_narrow(
    const DLTensor* U_given, const DLTensor* Dt_given, const DLTensor* A_given,
    const DLTensor* Bm_given, const DLTensor* C_given, const DLTensor* D_given,
    const DLTensor* Z_given, const DLTensor* bias_given, const DLTensor* S0_given,
    const DLTensor* start_given, const DLTensor* Ended_given, const DLTensor* Start_given,
    DLTensor* Y_given, DLTensor* State_given, DLTensor* Saved_given, int32_t segments,
    int32_t chunks, void*, size_t, cudaStream_t stream) {
    return run_selective_scan("selective_scan_narrow", {1, 3}, U_given, Dt_given, A_given, Bm_given,
                              C_given, D_given, Z_given, bias_given, S0_given, start_given,
                              Ended_given, Start_given, Y_given, State_given, Saved_given, segments,
                              chunks, stream);
}
TK_NO_WORKSPACE(selective_scan_narrow, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, int32_t, int32_t)

int ends(const DLTensor* U_given, const DLTensor* Dt_given, const DLTensor* A_given,
         const DLTensor* Bm_given, const DLTensor* bias_given, const DLTensor* S0_given,
         const DLTensor* start_given, const DLTensor* Ended_given, DLTensor* End_given,
         DLTensor* Left_given, int32_t segments, int32_t chunks, void*, size_t,
         cudaStream_t stream) {
    tk::arguments call{"ends"};
    const tk::tensor U = call.take("U", U_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Dt = call.take("Dt", Dt_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor A = call.take("A", A_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor Bm = call.take("Bm", Bm_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor bias = call.take("bias", bias_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Ended = call.take("Ended", Ended_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor End = call.take("End", End_given, tk::dtype_f32, 5, tk::access::write);
    const tk::tensor Left = call.take("Left", Left_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = U.shape[0];
    const int64_t G = U.shape[1];
    const int64_t CG = U.shape[2];
    const int64_t L = U.shape[3];
    const int64_t I = S0.shape[0];
    const int64_t R = start.shape[0];
    const int64_t E = Ended.shape[0];
    call.require({
        tk::same_extent("B", U, 0, Dt, 0), tk::same_extent("G", U, 1, Dt, 1),
        tk::same_extent("CG", U, 2, Dt, 2), tk::same_extent("L", U, 3, Dt, 3),
        tk::same_extent("G", U, 1, A, 0), tk::same_extent("CG", U, 2, A, 1),
        tk::fixed_extent(A, 2, 16), tk::same_extent("B", U, 0, Bm, 0),
        tk::same_extent("G", U, 1, Bm, 1), tk::same_extent("L", U, 3, Bm, 2),
        tk::fixed_extent(Bm, 3, 16), tk::same_extent("G", U, 1, bias, 0),
        tk::same_extent("CG", U, 2, bias, 1), tk::same_extent("G", U, 1, S0, 1),
        tk::same_extent("CG", U, 2, S0, 2), tk::fixed_extent(S0, 3, 16),
        tk::same_extent("B", U, 0, End, 0), tk::same_extent("G", U, 1, End, 2),
        tk::same_extent("CG", U, 2, End, 3), tk::fixed_extent(End, 4, 16),
        tk::same_extent("B", U, 0, Left, 0), tk::same_extent("G", U, 1, Left, 2),
        tk::same_extent("CG", U, 2, Left, 3),
        tk::extents_fit({{"B", B}, {"G", G}, {"CG", CG}, {"L", L}, {"I", I}, {"R", R}, {"E", E}}),
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
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*,
                DLTensor*, int32_t, int32_t)

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
        tk::that(I <= B, "`starts` requires `PACKED or I <= B`"),
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
    const DLTensor* start_given, DLTensor* Y_given, DLTensor* State_given, DLTensor* Saved_given,
    DLTensor* Ended_given, DLTensor* End_given, DLTensor* Left_given, DLTensor* Start_given,
    int32_t segments, int32_t chunks, void*, size_t, cudaStream_t stream) {
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
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor State = call.take("State", State_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Saved = call.take("Saved", Saved_given, tk::dtype_f32, 5, tk::access::write);
    const tk::tensor Ended = call.take("Ended", Ended_given, tk::dtype_i32, 1, tk::access::write);
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
    const int64_t R = start.shape[0];
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
         tk::fixed_extent(Saved, 4, 16), tk::same_extent("R", start, 0, Ended, 0),
         tk::same_extent("B", U, 0, End, 0), tk::same_extent("G", U, 1, End, 2),
         tk::same_extent("CG", U, 2, End, 3), tk::fixed_extent(End, 4, 16),
         tk::same_extent("B", U, 0, Left, 0), tk::same_extent("G", U, 1, Left, 2),
         tk::same_extent("CG", U, 2, Left, 3), tk::same_extent("G", U, 1, Start, 1),
         tk::same_extent("CG", U, 2, Start, 2), tk::fixed_extent(Start, 3, 16),
         tk::extents_fit(
             {{"B", B}, {"G", G}, {"CG", CG}, {"L", L}, {"BZ", BZ}, {"I", I}, {"R", R}, {"F", F},
              {"V", V}}),
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
         tk::that(V <= B, "`selective_scan_segments` requires `V <= B`"),
         tk::that(F <= B && I <= B && R == 0,
                  "`selective_scan_segments` requires `if PACKED { B == 1 and R >= 2 and F < R } else { F <= B and I <= B and R == 0 }`")});
    // ended(start, Ended, chunks)
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
    // ends(U, Dt, A, Bm, bias, S0, start, Ended, End, Left, segments, chunks)
    call.require({
        tk::that(int64_t{segments} >= 1, "`ends` requires `segments >= 1`"),
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
        {tk::that(I <= B, "`starts` requires `PACKED or I <= B`"),
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
    // selective_scan(U, Dt, A, Bm, C, D, Z, bias, S0, start, Ended, Start, Y, State, Saved,
    // segments, chunks)
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
        tk::that(F <= B && I <= B,
                 "`selective_scan` requires `if PACKED { B == 1 and R >= 2 and F < R and R > segments } else { F <= B and I <= B }`"),
        tk::that(tk::multiply(B, int64_t{segments}) >=
                 (int64_t{segments} > 1 ? tk::multiply(B, int64_t{segments}) : 0),
                 "`selective_scan` requires `PACKED or (B*segments) >= (if segments > 1 { B * segments } else { 0 })`"),
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

    // ended(start, Ended, chunks)
    const bool choice_1 = tk::hold({tk::suits_fast(start, "R")});

    // ends(U, Dt, A, Bm, bias, S0, start, Ended, End, Left, segments, chunks)
    const bool choice_2 = tk::hold(
        {tk::suits_fast(U, "L"), tk::whole_vectors(U, 8), tk::suits_fast(Dt, "L"),
         tk::suits_fast(A), tk::suits_fast(Bm), tk::suits_fast(End)});

    // starts(A, S0, End, Left, Start, segments)
    const bool choice_3 = tk::hold(
        {tk::suits_fast(A), tk::suits_fast(S0), tk::suits_fast(End), tk::suits_fast(Start)});

    // selective_scan(U, Dt, A, Bm, C, D, Z, bias, S0, start, Ended, Start, Y, State, Saved,
    // segments, chunks)
    const bool choice_4 = tk::hold({
        tk::suits_fast(U, "L"), tk::whole_vectors(U, 8), tk::suits_fast(Dt, "L"), tk::suits_fast(A),
        tk::suits_fast(Bm), tk::suits_fast(C), tk::suits_fast(S0), tk::suits_fast(Start),
        tk::suits_fast(Y, "L"), tk::suits_fast(State), tk::suits_fast(Saved)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1) {
        TK_FINISH_IF_FAILED(launch_ended(site, start, Ended, R, R, chunks));
    } else {
        TK_FINISH_IF_FAILED(launch_ended_general(site, start, Ended, R, R, chunks));
    }
    if (choice_2) {
        TK_FINISH_IF_FAILED(
            launch_ends(site, U, Dt, A, Bm, bias, End, Left, B, G, CG, L, segments, chunks));
    } else {
        TK_FINISH_IF_FAILED(launch_ends_general(
            site, U, Dt, A, Bm, bias, End, Left, B, G, CG, L, segments, chunks));
    }
    if (choice_3) {
        TK_FINISH_IF_FAILED(launch_starts(
            site, A, S0, tk::read_only(End), tk::read_only(Left), Start, G, CG, I, B, segments));
    } else {
        TK_FINISH_IF_FAILED(launch_starts_general(
            site, A, S0, tk::read_only(End), tk::read_only(Left), Start, G, CG, I, B, segments));
    }
    if (choice_4) {
        TK_FINISH_IF_FAILED(launch_selective_scan(
            site, U, Dt, A, Bm, C, D, bias, S0, tk::read_only(Start), Y, State, Saved, B, G, CG, L,
            I, tk::multiply(B, int64_t{segments}), F, V, segments, chunks));
    } else {
        TK_FINISH_IF_FAILED(launch_selective_scan_general(
            site, U, Dt, A, Bm, C, D, bias, S0, tk::read_only(Start), Y, State, Saved, B, G, CG, L,
            I, tk::multiply(B, int64_t{segments}), F, V, segments, chunks));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(selective_scan_segments, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, int32_t, int32_t)
}  // extern "C"
