// Made by tkc from gated_linear_attention_f32.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/integer.cuh"
#include "tk/ptx/wgmma_n008.cuh"
#include "tk/ptx/wgmma_n064.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/tk.cuh"

// rounded_gates: kernel rounded_gates with DK = 128, ROWS = 16.
// 128 threads, 48 registers each: rounded_gates_kernel<10, 16, 8, true>.
// rounded_gates_general: kernel rounded_gates with DK = 128, ROWS = 16; any strides and alignment.
// 128 threads, 255 registers each: rounded_gates_kernel<1, 32, 2, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) rounded_gates_kernel(
    const tk::tensor_argument<const float, 4> G, const tk::tensor_argument<tk::f16, 4> R, int B,
    int N, int H) {
    tk::wait_for_previous_kernel();

    const int t_tiles = tk::tiles(N, 16);

    // gated_linear_attention_f32.tk:5: kernel rounded_gates<DK: int = 128, ROWS: int = 16>(G: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int h = program % H;
    const int t = program / H % t_tiles * 16;
    const int b = program / (H * t_tiles);

    // gated_linear_attention_f32.tk:8: store(R[b, t, h, :], f16(max(load(G[b, t, h, :]), -60000)));
    tk::stripe<float, 16, 128, 128, row_threads, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_dense<vectors, 1, 3>(G, {b, t, h, 0}, N - t, 128),
                            thread);
    tk::stripe<tk::f16, 16, 128, 128, row_threads, vector> t1;
    tk::map(t1, [](float t0) { return tk::max(t0, -60000.0f); }, t0);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors, 1, 3>(R, {b, t, h, 0}, N - t, 128), t1,
                             thread);
}

// gated_linear_attention_chunks_T_bf16_TG_f16_DK_128_BV_128: kernel gated_linear_attention.chunks
// with T = bf16, TG = f16, DK = 128, BV = 128, PACKED = false, L = 64, TWO = true.
// producer: 1 warp, 24 registers a thread; aux: 1 warpgroup, 176 registers a thread; state: 1
// warpgroup, 168 registers a thread; output: 1 warpgroup, 144 registers a thread.
// 512 threads, 128 registers each at first, 231632 bytes of shared memory.
struct gated_linear_attention_chunks_T_bf16_TG_f16_DK_128_BV_128_shared {
    tk::shared_tile<tk::bf16, 64, 128> ks_tile[2];
    tk::shared_tile<tk::bf16, 64, 128> vs_tile[2];
    tk::shared_tile<tk::bf16, 64, 128> qs_tile[2];
    tk::shared_tile<tk::f16, 64, 128> gs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> weights_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> keys0_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> keys1_tile[1];
    tk::shared_tile<tk::bf16, 64, 128> states0_tile[1];
    tk::shared_tile<tk::bf16, 64, 128> states1_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> aux_k0[1];
    tk::shared_tile<tk::bf16, 64, 64> aux_k1[1];
    tk::shared_tile<float, 4, 1> aux_f32_rows_1[1];
    tk::shared_tile<tk::f16, 64, 8> state_ones[1];
    tk::shared_tile<tk::f16, 64, 64> output_upto[1];
    tk::shared_tile<tk::f16, 64, 64> output_behind[1];
    tk::shared_tile<tk::bf16, 64, 64> output_O[1];
    tk::pipeline<2> ks;
    tk::pipeline<2> vs;
    tk::pipeline<2> qs;
    tk::pipeline<2> gs;
    tk::pipeline<1> weights;
    tk::pipeline<1> keys0;
    tk::pipeline<1> keys1;
    tk::pipeline<1> states0;
    tk::pipeline<1> states1;
};
static_assert(offsetof(gated_linear_attention_chunks_T_bf16_TG_f16_DK_128_BV_128_shared, states1) ==
              231616);

__global__ void __launch_bounds__(512, 1) gated_linear_attention_chunks_T_bf16_TG_f16_DK_128_BV_128_kernel(
    const __grid_constant__ CUtensorMap G_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap V_map,
    const __grid_constant__ CUtensorMap O_map, const tk::tensor_argument<const float, 4> S0,
    const tk::tensor_argument<tk::bf16, 4> O, const tk::tensor_argument<float, 4> State, int B,
    int N, int H, int DV, int I, int F, float scale, int segments, int length) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gated_linear_attention_chunks_T_bf16_TG_f16_DK_128_BV_128_shared& shared =
        *reinterpret_cast<gated_linear_attention_chunks_T_bf16_TG_f16_DK_128_BV_128_shared*>(
        memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(G_map, K_map, Q_map, V_map, O_map);
        shared.ks.init(1, 8);
        shared.vs.init(1, 8);
        shared.qs.init(1, 8);
        shared.gs.init(1, 12);
        shared.weights.init(4, 4);
        shared.keys0.init(4, 4);
        shared.keys1.init(4, 4);
        shared.states0.init(4, 4);
        shared.states1.init(4, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 12) {
        // gated_linear_attention.tk:90: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int c_tiles = tk::tiles(DV, 128);
        const int p_tiles = tk::max(segments, 0);
        if (warp == 12 && tk::elect_one()) {
            tk::cursor<2> gs_next, ks_next, qs_next, vs_next;
            const int program = blockIdx.x;
            const int c = program % c_tiles * 128;
            const int h = program / c_tiles % H;
            const int p = program / (c_tiles * H) % p_tiles;
            const int b = program / (c_tiles * H * p_tiles);

            // gated_linear_attention.tk:75: let begin  = if PACKED { 0 } else { p * length };
            const int begin = p * length;

            // gated_linear_attention.tk:76: let end    = if PACKED { tokens } else { min((p + 1) ..
            const int end = tk::min((p + 1) * length, N);

            // gated_linear_attention.tk:91: for t in begin..end by L {
            #pragma unroll 1
            for (int t = begin; t < end; t += 64) {
                // gated_linear_attention.tk:92: if PACKED { produce gs = tma_load(G[0, place + ..
                shared.gs.begin(gs_next, 16384);
                tk::tma_load(shared.gs_tile[gs_next.stage], G_map, shared.gs.full[gs_next.stage], b,
                             t, h, 0);
                gs_next.advance();

                // gated_linear_attention.tk:93: if PACKED { produce ks = tma_load(Kb[t, h, :]) ..
                shared.ks.begin(ks_next, 16384);
                tk::tma_load(shared.ks_tile[ks_next.stage], K_map, shared.ks.full[ks_next.stage], b,
                             t, h, 0);
                ks_next.advance();

                // gated_linear_attention.tk:94: if PACKED { produce qs = tma_load(Qb[t, h, :]) ..
                shared.qs.begin(qs_next, 16384);
                tk::tma_load(shared.qs_tile[qs_next.stage], Q_map, shared.qs.full[qs_next.stage], b,
                             t, h, 0);
                qs_next.advance();

                // gated_linear_attention.tk:95: if PACKED { produce vs = tma_load(Vb[t, h, c]) ..
                shared.vs.begin(vs_next, 16384);
                tk::tma_load(shared.vs_tile[vs_next.stage], V_map, shared.vs.full[vs_next.stage], b,
                             t, h, c);
                vs_next.advance();
            }
        }
    } else if (warp < 4) {
        // gated_linear_attention.tk:98: role aux(1 warpgroup) registers((if PACKED { 168 } else ..
        tk::registers_at_least<176>();
        const int c_tiles = tk::tiles(DV, 128);
        const int p_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        tk::cursor<2> gs_next;
        tk::cursor<1> weights_next_2;
        const int program = blockIdx.x;
        const int p = program / (c_tiles * H) % p_tiles;

        // gated_linear_attention.tk:75: let begin  = if PACKED { 0 } else { p * length };
        const int begin = p * length;

        // gated_linear_attention.tk:76: let end    = if PACKED { tokens } else { min((p + 1) * ..
        const int end = tk::min((p + 1) * length, N);

        // gated_linear_attention.tk:99: shared k0: T[L, 64] = 0;
        tk::fragment<tk::bf16, 64, 64> t0;
        tk::map(t0, []() { return tk::bf16(0.0f); });
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.aux_k0[0], t0, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);

        // gated_linear_attention.tk:100: shared k1: T[L, 64] = 0;
        tk::fragment<tk::bf16, 64, 64> t1;
        tk::map(t1, []() { return tk::bf16(0.0f); });
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.aux_k1[0], t1, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);

        // gated_linear_attention.tk:101: for t in begin..end by L {
        tk::column_fragment<float, 64> x_2;
        tk::column_fragment<float, 64> x_3;
        tk::column_fragment<float, 64> x_4;
        for (int t = begin; t < end; t += 64) {
            // gated_linear_attention.tk:102: let g = consume gs;
            const tk::cursor<2> g_element = shared.gs.take(gs_next);

            // gated_linear_attention.tk:103: let k = consume ks;
            shared.ks.wait_full(g_element);

            // gated_linear_attention.tk:104: let q = consume qs;
            shared.qs.wait_full(g_element);

            // gated_linear_attention.tk:48: var x: f32[L, L] = 0;
            tk::fragment<float, 64, 64> x;
            tk::zero(x);

            // gated_linear_attention.tk:109: let m0 = mma(m, g[:, 0 +: 64]);
            tk::fragment<tk::f16, 64, 64> t2;
            tk::map(t2, thread, [](int row, int col) {
                return row >= 32 ? (col >= 32 && col <= row ? 1.0f : 0.0f) : col > row && col < 32
                    ? -1.0f : 0.0f;
            });
            tk::fragment<float, 64, 64> m0;
            tk::mma_async(m0, t2, tk::part<0, 0, 64, 64>(shared.gs_tile[g_element.stage]),
                          tk::accumulate_never{});

            // gated_linear_attention.tk:110: let m1 = if DK > 64 { mma(m, g[:, 64 +: 64]) } else ..
            tk::fragment<float, 64, 64> m1;
            tk::mma_async(m1, t2, tk::part<0, 64, 64, 64>(shared.gs_tile[g_element.stage]),
                          tk::accumulate_never{});

            // gated_linear_attention.tk:111: var y: f32[L, L] = 0;
            tk::fragment<float, 64, 64> y;
            tk::zero(y);

            // gated_linear_attention.tk:112: var a: T[L, L] = 0;
            tk::fragment<tk::bf16, 64, 64> a;
            tk::map(a, []() { return tk::bf16(0.0f); });

            // gated_linear_attention.tk:57: let reach = if T == bf16 { 40.0 } else { -1.0 };
            const float reach = 40.0f;
            tk::mma_wait<0>(m0, m1, t2);

            // gated_linear_attention.tk:58: return scalar(where(max(max(pad(abs(x), axis = 0, ..
            tk::fragment<float, 64, 64> t8;
            tk::map(t8, [](float m0, float m1) {
                return tk::abs(tk::max(tk::abs(m0), tk::abs(m1)));
            }, m0, m1);
            tk::column_fragment<float, 64> t9;
            tk::fold_rows(t9, t8, tk::maximum{}, thread);
            tk::finish_rows(t9, tk::maximum{});
            tk::row_fragment<float, 1> t10;
            tk::reduce_columns(t10, t9, shared.aux_f32_rows_1[0], tk::maximum{}, thread, 2);
            tk::row_fragment<int, 1> t11;
            tk::map(t11, [&](float t10) { return t10 <= reach ? 0 : 6; }, t10);
            const int number = t11.cell(0);

            // gated_linear_attention.tk:113: let count = levels<T, L>(max(abs(m0), abs(m1)));
            const int count = number;

            // gated_linear_attention.tk:114: if T == bf16 and count == 0 {
            if (count == 0) {
                // <std.parts>:15: let high = T(x);
                tk::fragment<tk::bf16, 64, 64> t4;
                tk::load_shared(t4, tk::part<0, 0, 64, 64>(shared.ks_tile[g_element.stage]),
                                thread);
                tk::fragment<tk::bf16, 64, 64> high;
                tk::map(high, [](tk::bf16 t4, float m0) {
                    return float(t4) * tk::exp2(m0 * -1.442695f);
                }, t4, m0);

                // gated_linear_attention.tk:115: let k0x = parts.split<T>(k[:, 0 +: 64] * ..
                tk::fragment<tk::bf16, 64, 64> t7;
                tk::load_shared(t7, tk::part<0, 0, 64, 64>(shared.ks_tile[g_element.stage]),
                                thread);
                tk::fragment<tk::bf16, 64, 64> k0x_low;
                tk::map(k0x_low, [](tk::bf16 t7, float m0, tk::bf16 high) {
                    return tk::fma(float(t7), tk::exp2(m0 * -1.442695f), -float(high));
                }, t7, m0, high);
                // <std.parts>:15
                tk::fragment<tk::bf16, 64, 64> t18;
                tk::load_shared(t18, tk::part<0, 0, 64, 64>(shared.qs_tile[g_element.stage]),
                                thread);
                tk::fragment<tk::bf16, 64, 64> high_2;
                tk::map(high_2, [](tk::bf16 t18, float m0) {
                    return float(t18) * tk::exp2(m0 * 1.442695f);
                }, t18, m0);

                // gated_linear_attention.tk:116: let q0x = parts.split<T>(q[:, 0 +: 64] * ..
                tk::fragment<tk::bf16, 64, 64> t21;
                tk::load_shared(t21, tk::part<0, 0, 64, 64>(shared.qs_tile[g_element.stage]),
                                thread);
                tk::fragment<tk::bf16, 64, 64> q0x_low;
                tk::map(q0x_low, [](tk::bf16 t21, float m0, tk::bf16 high_2) {
                    return tk::fma(float(t21), tk::exp2(m0 * 1.442695f), -float(high_2));
                }, t21, m0, high_2);

                // gated_linear_attention.tk:117: k0 = k0x.high;
                tk::barrier_sync(2, 128);
                tk::store_shared(shared.aux_k0[0], high, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);

                // gated_linear_attention.tk:118: if TWO { k1 = k0x.low; }
                tk::barrier_sync(2, 128);
                tk::store_shared(shared.aux_k1[0], k0x_low, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);

                // gated_linear_attention.tk:119: y = mma(q0x.high, k0.T);
                tk::mma_async(y, high_2, tk::transposed(shared.aux_k0[0]), tk::accumulate_never{});

                // gated_linear_attention.tk:120: if TWO { y += mma(q0x.high, k1.T); }
                tk::mma_async(y, high_2, tk::transposed(shared.aux_k1[0]));

                // gated_linear_attention.tk:121: if TWO { y += mma(q0x.low, k0.T); }
                tk::mma_async(y, q0x_low, tk::transposed(shared.aux_k0[0]));
                // <std.parts>:15
                tk::fragment<tk::bf16, 64, 64> t30;
                tk::load_shared(t30, tk::part<0, 64, 64, 64>(shared.ks_tile[g_element.stage]),
                                thread);
                tk::fragment<tk::bf16, 64, 64> high_3;
                tk::map(high_3, [](tk::bf16 t30, float m1) {
                    return float(t30) * tk::exp2(m1 * -1.442695f);
                }, t30, m1);

                // gated_linear_attention.tk:123: let k1x = parts.split<T>(k[:, 64 +: 64] * ..
                tk::fragment<tk::bf16, 64, 64> t31;
                tk::load_shared(t31, tk::part<0, 64, 64, 64>(shared.ks_tile[g_element.stage]),
                                thread);
                tk::fragment<tk::bf16, 64, 64> k1x_low;
                tk::map(k1x_low, [](tk::bf16 t31, float m1, tk::bf16 high_3) {
                    return tk::fma(float(t31), tk::exp2(m1 * -1.442695f), -float(high_3));
                }, t31, m1, high_3);
                // <std.parts>:15
                tk::fragment<tk::bf16, 64, 64> t32;
                tk::load_shared(t32, tk::part<0, 64, 64, 64>(shared.qs_tile[g_element.stage]),
                                thread);
                tk::hold_waits(warp);
                tk::fragment<tk::bf16, 64, 64> high_4;
                tk::map(high_4, [](tk::bf16 t32, float m1) {
                    return float(t32) * tk::exp2(m1 * 1.442695f);
                }, t32, m1);

                // gated_linear_attention.tk:124: let q1x = parts.split<T>(q[:, 64 +: 64] * ..
                tk::fragment<tk::bf16, 64, 64> t33;
                tk::load_shared(t33, tk::part<0, 64, 64, 64>(shared.qs_tile[g_element.stage]),
                                thread);
                tk::fragment<tk::bf16, 64, 64> q1x_low;
                tk::map(q1x_low, [](tk::bf16 t33, float m1, tk::bf16 high_4) {
                    return tk::fma(float(t33), tk::exp2(m1 * 1.442695f), -float(high_4));
                }, t33, m1, high_4);
                tk::mma_wait<0>(y, high_2, q0x_low);

                // gated_linear_attention.tk:125: if TWO { k0 = k1x.high; k1 = k1x.low; } else { ..
                tk::barrier_sync(2, 128);
                tk::store_shared(shared.aux_k0[0], high_3, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);
                tk::barrier_sync(2, 128);
                tk::store_shared(shared.aux_k1[0], k1x_low, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);

                // gated_linear_attention.tk:126: if TWO { y += mma(q1x.high, k0.T); }
                tk::mma_async(y, high_4, tk::transposed(shared.aux_k0[0]));

                // gated_linear_attention.tk:127: if TWO { y += mma(q1x.low, k0.T); }
                tk::mma_async(y, q1x_low, tk::transposed(shared.aux_k0[0]));

                // gated_linear_attention.tk:128: y += mma(q1x.high, k1.T);
                tk::mma_async(y, high_4, tk::transposed(shared.aux_k1[0]));
                tk::mma_wait<0>(y, high_4, q1x_low);

                // gated_linear_attention.tk:130: a = where(col_index(y) <= row_index(y) and (not ..
                tk::map(a, thread, [&](int row, int col, float y) {
                    return col <= row ? tk::bf16(col < N - t ? y : 0.0f) : tk::bf16(0.0f);
                }, y);
            } else {
                // gated_linear_attention.tk:134: y = mma(q, k.T);
                tk::mma_async(y, shared.qs_tile[g_element.stage],
                              tk::transposed(shared.ks_tile[g_element.stage]),
                              tk::accumulate_never{});
                tk::mma_wait<0>(y);

                // gated_linear_attention.tk:135: for b in 0..count {
                for (int b_2 = 0; b_2 < count; b_2 += 1) {
                    // gated_linear_attention.tk:28: var x: f32[L, 1] = 0;
                    tk::zero(x_2);

                    // gated_linear_attention.tk:137: let e0 = mma(m, g[:, 0 +: 64]);
                    tk::fragment<tk::f16, 64, 64> t16;
                    tk::map(t16, thread, [&](int row, int col) {
                        const int x_5 = row >> (b_2 & 31);
                        const bool x_6 = (x_5 & 1) == 1;
                        const int x_7 = x_5 << (b_2 & 31);
                        const int x_8 = row + 1;
                        return col >= (x_6 ? x_7 : x_8) &&
                            col < (x_6 ? x_8 : tk::wrapping_add(x_7, 1 << (b_2 & 31))) ? 1.0f
                            : 0.0f;
                    });
                    tk::fragment<float, 64, 64> e0;
                    tk::mma_async(e0, t16, tk::part<0, 0, 64, 64>(shared.gs_tile[g_element.stage]),
                                  tk::accumulate_never{});

                    // gated_linear_attention.tk:139: let e1 = mma(m, g[:, 64 +: 64]);
                    tk::fragment<float, 64, 64> e1;
                    tk::mma_async(e1, t16, tk::part<0, 64, 64, 64>(shared.gs_tile[g_element.stage]),
                                  tk::accumulate_never{});

                    // gated_linear_attention.tk:38: var x: f32[L, 1] = 0;
                    tk::zero(x_3);

                    // gated_linear_attention.tk:40: let c = b - 1;
                    const int c_2 = b_2 - 1;

                    // gated_linear_attention.tk:140: a = where(inside<L>(y, met<L>(b)) and (not ..
                    if (t + 64 <= N) {
                        tk::map(a, thread, [&](int row, int col, float y, tk::bf16 a) {
                            const bool x_5 = b_2 == 0;
                            const int x_6 = row >> (c_2 & 31);
                            const int x_7 = x_6 << (c_2 & 31);
                            return col >=
                                (x_5 ? row : tk::wrapping_subtract(x_7, 1 << (c_2 & 31))) &&
                                col < (x_5 ? row + 1 : (x_6 & 1) == 1 ? x_7 : 0) ? tk::bf16(y)
                                : tk::bf16(a);
                        }, y, a);
                    } else {
                        tk::map(a, thread, [&](int row, int col, float y, tk::bf16 a) {
                            const bool x_5 = b_2 == 0;
                            const int x_6 = row >> (c_2 & 31);
                            const int x_7 = x_6 << (c_2 & 31);
                            return col >=
                                (x_5 ? row : tk::wrapping_subtract(x_7, 1 << (c_2 & 31))) &&
                                col < (x_5 ? row + 1 : (x_6 & 1) == 1 ? x_7 : 0)
                                ? tk::bf16(col < N - t ? y : 0.0f) : tk::bf16(a);
                        }, y, a);
                    }
                    tk::mma_wait<1>(e0);

                    // gated_linear_attention.tk:141: let x0 = exp2(e0 * LOG2E);
                    tk::fragment<float, 64, 64> x0;
                    tk::map(x0, [](float e0) { return tk::exp2(e0 * 1.442695f); }, e0);

                    // gated_linear_attention.tk:142: k0 = T(k[:, 0 +: 64] * x0);
                    tk::fragment<tk::bf16, 64, 64> t34;
                    tk::load_shared(t34, tk::part<0, 0, 64, 64>(shared.ks_tile[g_element.stage]),
                                    thread);
                    tk::fragment<tk::bf16, 64, 64> t23;
                    tk::map(t23, [](tk::bf16 t34, float x0) { return float(t34) * x0; }, t34, x0);
                    tk::barrier_sync(2, 128);
                    tk::store_shared(shared.aux_k0[0], t23, thread);
                    tk::fence_async();
                    tk::barrier_sync(2, 128);

                    // gated_linear_attention.tk:143: y = mma(T(q[:, 0 +: 64] * x0), k0.T);
                    tk::fragment<tk::bf16, 64, 64> t35;
                    tk::load_shared(t35, tk::part<0, 0, 64, 64>(shared.qs_tile[g_element.stage]),
                                    thread);
                    tk::fragment<tk::bf16, 64, 64> t25;
                    tk::map(t25, [](tk::bf16 t35, float x0) { return float(t35) * x0; }, t35, x0);
                    tk::mma_async(y, t25, tk::transposed(shared.aux_k0[0]), tk::accumulate_never{});
                    tk::mma_wait<1>(e1, t16);

                    // gated_linear_attention.tk:144: let x1 = exp2(e1 * LOG2E);
                    tk::fragment<float, 64, 64> x1;
                    tk::map(x1, [](float e1) { return tk::exp2(e1 * 1.442695f); }, e1);

                    // gated_linear_attention.tk:145: k1 = T(k[:, 64 +: 64] * x1);
                    tk::fragment<tk::bf16, 64, 64> t36;
                    tk::load_shared(t36, tk::part<0, 64, 64, 64>(shared.ks_tile[g_element.stage]),
                                    thread);
                    tk::fragment<tk::bf16, 64, 64> t27;
                    tk::map(t27, [](tk::bf16 t36, float x1) { return float(t36) * x1; }, t36, x1);
                    tk::barrier_sync(2, 128);
                    tk::store_shared(shared.aux_k1[0], t27, thread);
                    tk::fence_async();
                    tk::barrier_sync(2, 128);

                    // gated_linear_attention.tk:146: y += mma(T(q[:, 64 +: 64] * x1), k1.T);
                    tk::fragment<tk::bf16, 64, 64> t37;
                    tk::load_shared(t37, tk::part<0, 64, 64, 64>(shared.qs_tile[g_element.stage]),
                                    thread);
                    tk::fragment<tk::bf16, 64, 64> t29;
                    tk::map(t29, [](tk::bf16 t37, float x1) { return float(t37) * x1; }, t37, x1);
                    tk::mma_async(y, t29, tk::transposed(shared.aux_k1[0]));
                    tk::mma_wait<0>(y, t25, t29);
                }
                // gated_linear_attention.tk:38
                tk::zero(x_4);

                // gated_linear_attention.tk:154: a = where(inside<L>(y, met<L>(log2(L))) and ..
                if (t + 64 <= N) {
                    tk::map(a, thread, [](int row, int col, float y, tk::bf16 a) {
                        const int x_5 = row >> 5;
                        const int x_6 = x_5 << 5;
                        return col >= x_6 - 32 && col < ((x_5 & 1) == 1 ? x_6 : 0) ? tk::bf16(y)
                            : tk::bf16(a);
                    }, y, a);
                } else {
                    tk::map(a, thread, [&](int row, int col, float y, tk::bf16 a) {
                        const int x_5 = row >> 5;
                        const int x_6 = x_5 << 5;
                        return col >= x_6 - 32 && col < ((x_5 & 1) == 1 ? x_6 : 0)
                            ? tk::bf16(col < N - t ? y : 0.0f) : tk::bf16(a);
                    }, y, a);
                }
            }
            shared.qs.release_after_loads(g_element);
            shared.ks.release_after_loads(g_element);
            shared.gs.release(g_element);

            // gated_linear_attention.tk:156: produce weights = a;
            shared.weights.wait_empty(weights_next_2);
            tk::store_shared(shared.weights_tile[weights_next_2.stage], a, thread);
            shared.weights.publish(weights_next_2);
            weights_next_2.advance();
        }
    } else if (warp < 8) {
        // gated_linear_attention.tk:159: role state(1 warpgroup) registers(168) {
        tk::registers_at_least<168>();
        const int c_tiles = tk::tiles(DV, 128);
        const int p_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        tk::cursor<2> gs_next;
        tk::cursor<1> keys0_next_2, states0_next_2, states1_next_2;
        const int program = blockIdx.x;
        const int c = program % c_tiles * 128;
        const int h = program / c_tiles % H;
        const int p = program / (c_tiles * H) % p_tiles;
        const int b = program / (c_tiles * H * p_tiles);

        // gated_linear_attention.tk:75: let begin  = if PACKED { 0 } else { p * length };
        const int begin = p * length;

        // gated_linear_attention.tk:76: let end    = if PACKED { tokens } else { min((p + 1) * ..
        const int end = tk::min((p + 1) * length, N);

        // gated_linear_attention.tk:160: var s0: f32[64, BV] = load(S0[b * segments + p, h, 0 +: ..
        tk::fragment<float, 64, 128> s0;
        tk::load_global(s0,
                        tk::slice(S0, {b * segments + p, h, 0, c},
                                  b * segments + p > -1 && b * segments + p < I ? 128 : 0, DV - c),
                        thread);

        // gated_linear_attention.tk:161: var s1: f32[64, BV] = 0;
        tk::fragment<float, 64, 128> s1;
        tk::zero(s1);

        // gated_linear_attention.tk:162: if DK > 64 { s1 = load(S0[b * segments + p, h, 64 +: ..
        tk::fragment<float, 64, 128> t1;
        tk::load_global(t1,
                        tk::slice(S0, {b * segments + p, h, 64, c},
                                  b * segments + p > -1 && b * segments + p < I ? 128 - 64 : 0,
                                  DV - c), thread);
        s1 = t1;

        // gated_linear_attention.tk:163: var one: TG[L, 8] = 1;
        tk::fragment<tk::f16, 64, 8> one;
        tk::map(one, []() { return tk::f16(1.0f); });

        // gated_linear_attention.tk:164: let ones = shared(one);
        tk::barrier_sync(4, 128);
        tk::store_shared(shared.state_ones[0], one, thread);
        tk::fence_async();
        tk::barrier_sync(4, 128);

        // gated_linear_attention.tk:165: for t in begin..end by L {
        for (int t = begin; t < end; t += 64) {
            // gated_linear_attention.tk:166: produce states0 = T(s0);
            tk::fragment<tk::bf16, 64, 128> t3 = tk::convert<tk::bf16>(s0);
            shared.states0.wait_empty(states0_next_2);
            tk::store_shared(shared.states0_tile[states0_next_2.stage], t3, thread);
            shared.states0.publish(states0_next_2);
            states0_next_2.advance();

            // gated_linear_attention.tk:167: if DK > 64 { produce states1 = T(s1); }
            tk::fragment<tk::bf16, 64, 128> t4 = tk::convert<tk::bf16>(s1);
            shared.states1.wait_empty(states1_next_2);
            tk::store_shared(shared.states1_tile[states1_next_2.stage], t4, thread);
            shared.states1.publish(states1_next_2);
            states1_next_2.advance();

            // gated_linear_attention.tk:168: let g = consume gs;
            const tk::cursor<2> g_element = shared.gs.take(gs_next);

            // gated_linear_attention.tk:169: let v = consume vs;
            shared.vs.wait_full(g_element);

            // gated_linear_attention.tk:170: s0 *= exp2(max(mma(g[:, 0 +: 64].T, ones), axis = ..
            tk::fragment<float, 64, 8> t6;
            tk::mma_async(t6,
                          tk::transposed(tk::part<0, 0, 64, 64>(shared.gs_tile[g_element.stage])),
                          shared.state_ones[0], tk::accumulate_never{});
            tk::mma_wait<0>(t6);
            tk::column_fragment<float, 64> t7;
            tk::fold_rows(t7, t6, tk::maximum{}, thread);
            tk::finish_rows(t7, tk::maximum{});
            tk::column_fragment<float, 64> t0;
            tk::map(t0, [](float t7) { return tk::exp2(t7 * 1.442695f); }, t7);
            tk::map(s0, [](float s0, float t0) { return s0 * t0; }, s0, t0);

            // gated_linear_attention.tk:171: s0 += mma((consume keys0).T, v);
            const tk::cursor<1> keys0_element = shared.keys0.take(keys0_next_2);
            tk::mma_async(s0, tk::transposed(shared.keys0_tile[keys0_element.stage]),
                          shared.vs_tile[g_element.stage]);

            // gated_linear_attention.tk:173: s1 *= exp2(max(mma(g[:, 64 +: 64].T, ones), axis = ..
            tk::fragment<float, 64, 8> t9;
            tk::mma_async(t9,
                          tk::transposed(tk::part<0, 64, 64, 64>(shared.gs_tile[g_element.stage])),
                          shared.state_ones[0], tk::accumulate_never{});
            tk::mma_wait<0>(s0, t9);
            shared.keys0.release(keys0_element);
            shared.gs.release(g_element);
            tk::column_fragment<float, 64> t10;
            tk::fold_rows(t10, t9, tk::maximum{}, thread);
            tk::finish_rows(t10, tk::maximum{});
            tk::column_fragment<float, 64> t2;
            tk::map(t2, [](float t10) { return tk::exp2(t10 * 1.442695f); }, t10);
            tk::map(s1, [](float s1, float t2) { return s1 * t2; }, s1, t2);

            // gated_linear_attention.tk:174: s1 += mma((consume keys1).T, v);
            shared.keys1.wait_full(keys0_element);
            tk::mma_async(s1, tk::transposed(shared.keys1_tile[keys0_element.stage]),
                          shared.vs_tile[g_element.stage]);
            tk::mma_wait<0>(s1);
            shared.keys1.release(keys0_element);
            shared.vs.release(g_element);
        }

        // gated_linear_attention.tk:177: store(State[b * segments + p, h, 0 +: 64, c], s0);
        tk::store_global(
            tk::slice(State, {b * segments + p, h, 0, c},
                      b * segments + p > -1 && b * segments + p < F ? 128 : 0, DV - c), s0, thread);

        // gated_linear_attention.tk:178: if DK > 64 { store(State[b * segments + p, h, 64 +: 64, ..
        tk::store_global(
            tk::slice(State, {b * segments + p, h, 64, c},
                      b * segments + p > -1 && b * segments + p < F ? 128 - 64 : 0, DV - c), s1,
            thread);
    } else {
        // gated_linear_attention.tk:180: role output(1 warpgroup) registers((if PACKED { 152 } ..
        tk::registers_at_least<144>();
        const int c_tiles = tk::tiles(DV, 128);
        const int p_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> gs_next;
        tk::cursor<1> keys0_next_2, keys1_next_2, states0_next_2;
        const int program = blockIdx.x;
        const int c = program % c_tiles * 128;
        const int h = program / c_tiles % H;
        const int p = program / (c_tiles * H) % p_tiles;
        const int b = program / (c_tiles * H * p_tiles);

        // gated_linear_attention.tk:75: let begin  = if PACKED { 0 } else { p * length };
        const int begin = p * length;

        // gated_linear_attention.tk:76: let end    = if PACKED { tokens } else { min((p + 1) * ..
        const int end = tk::min((p + 1) * length, N);

        // gated_linear_attention.tk:181: var x: f32[L, L] = 0;
        tk::fragment<float, 64, 64> x;
        tk::zero(x);

        // gated_linear_attention.tk:182: let upto   = shared(TG(where(col_index(x) <= ..
        tk::fragment<tk::f16, 64, 64> t0;
        tk::map(t0, thread, [](int row, int col) { return col <= row ? 1.0f : 0.0f; });
        tk::barrier_sync(6, 128);
        tk::store_shared(shared.output_upto[0], t0, thread);
        tk::fence_async();
        tk::barrier_sync(6, 128);

        // gated_linear_attention.tk:183: let behind = shared(TG(where(col_index(x) > ..
        tk::fragment<tk::f16, 64, 64> t2;
        tk::map(t2, thread, [](int row, int col) { return col > row ? 1.0f : 0.0f; });
        tk::barrier_sync(6, 128);
        tk::store_shared(shared.output_behind[0], t2, thread);
        tk::fence_async();
        tk::barrier_sync(6, 128);

        // gated_linear_attention.tk:184: for t in begin..end by L {
        for (int t = begin; t < end; t += 64) {
            // gated_linear_attention.tk:185: let g = consume gs;
            const tk::cursor<2> g_element = shared.gs.take(gs_next);

            // gated_linear_attention.tk:186: let k = consume ks;
            shared.ks.wait_full(g_element);

            // gated_linear_attention.tk:187: let q = consume qs;
            shared.qs.wait_full(g_element);

            // gated_linear_attention.tk:189: let e0 = mma(behind, g[:, 0 +: 64]);
            tk::fragment<float, 64, 64> e0;
            tk::mma_async(e0, shared.output_behind[0],
                          tk::part<0, 0, 64, 64>(shared.gs_tile[g_element.stage]),
                          tk::accumulate_never{});

            // gated_linear_attention.tk:190: var o: f32[L, BV] = 0;
            tk::fragment<float, 64, 128> o;
            tk::zero(o);

            // gated_linear_attention.tk:192: let e1 = mma(behind, g[:, 64 +: 64]);
            tk::fragment<float, 64, 64> e1;
            tk::mma_async(e1, shared.output_behind[0],
                          tk::part<0, 64, 64, 64>(shared.gs_tile[g_element.stage]),
                          tk::accumulate_never{});

            // gated_linear_attention.tk:193: produce keys0 = T(if PACKED { where(row_index(e0) < ..
            tk::fragment<tk::bf16, 64, 64> t1;
            tk::load_shared(t1, tk::part<0, 0, 64, 64>(shared.ks_tile[g_element.stage]), thread);
            tk::mma_wait<1>(e0);
            tk::fragment<tk::bf16, 64, 64> t9;
            tk::map(t9, [](tk::bf16 t1, float e0) { return float(t1) * tk::exp2(e0 * 1.442695f); },
                    t1, e0);
            shared.keys0.wait_empty(keys0_next_2);
            tk::store_shared(shared.keys0_tile[keys0_next_2.stage], t9, thread);
            shared.keys0.publish(keys0_next_2);
            keys0_next_2.advance();

            // gated_linear_attention.tk:195: let c0 = mma(upto, g[:, 0 +: 64]);
            tk::fragment<float, 64, 64> c0;
            tk::mma_async(c0, shared.output_upto[0],
                          tk::part<0, 0, 64, 64>(shared.gs_tile[g_element.stage]),
                          tk::accumulate_never{});

            // gated_linear_attention.tk:196: produce keys1 = T(if PACKED { where(row_index(e1) < ..
            tk::fragment<tk::bf16, 64, 64> t3;
            tk::load_shared(t3, tk::part<0, 64, 64, 64>(shared.ks_tile[g_element.stage]), thread);
            shared.ks.release_after_loads(g_element);
            tk::mma_wait<1>(e1);
            tk::fragment<tk::bf16, 64, 64> t13;
            tk::map(t13, [](tk::bf16 t3, float e1) { return float(t3) * tk::exp2(e1 * 1.442695f); },
                    t3, e1);
            shared.keys1.wait_empty(keys1_next_2);
            tk::store_shared(shared.keys1_tile[keys1_next_2.stage], t13, thread);
            shared.keys1.publish(keys1_next_2);
            keys1_next_2.advance();

            // gated_linear_attention.tk:198: let c1 = mma(upto, g[:, 64 +: 64]);
            tk::fragment<float, 64, 64> c1;
            tk::mma_async(c1, shared.output_upto[0],
                          tk::part<0, 64, 64, 64>(shared.gs_tile[g_element.stage]),
                          tk::accumulate_never{});

            // gated_linear_attention.tk:199: let w0 = T(q[:, 0 +: 64] * exp2(c0 * LOG2E));
            tk::fragment<tk::bf16, 64, 64> t5;
            tk::load_shared(t5, tk::part<0, 0, 64, 64>(shared.qs_tile[g_element.stage]), thread);
            tk::mma_wait<1>(c0);
            tk::fragment<tk::bf16, 64, 64> w0;
            tk::map(w0, [](tk::bf16 t5, float c0) { return float(t5) * tk::exp2(c0 * 1.442695f); },
                    t5, c0);

            // gated_linear_attention.tk:200: o = mma(w0, consume states0);
            const tk::cursor<1> states0_element = shared.states0.take(states0_next_2);
            tk::mma_async(o, w0, shared.states0_tile[states0_element.stage],
                          tk::accumulate_never{});

            // gated_linear_attention.tk:201: let w1 = T(q[:, 64 +: 64] * exp2(c1 * LOG2E));
            tk::fragment<tk::bf16, 64, 64> t7;
            tk::load_shared(t7, tk::part<0, 64, 64, 64>(shared.qs_tile[g_element.stage]), thread);
            shared.qs.release_after_loads(g_element);
            tk::mma_wait<1>(c1);
            shared.gs.release(g_element);
            tk::fragment<tk::bf16, 64, 64> w1;
            tk::map(w1, [](tk::bf16 t7, float c1) { return float(t7) * tk::exp2(c1 * 1.442695f); },
                    t7, c1);

            // gated_linear_attention.tk:202: o += mma(w1, consume states1);
            shared.states1.wait_full(states0_element);
            tk::mma_async(o, w1, shared.states1_tile[states0_element.stage]);

            // gated_linear_attention.tk:210: o += mma(consume weights, consume vs);
            shared.weights.wait_full(states0_element);
            shared.vs.wait_full(g_element);
            tk::mma_async(o, shared.weights_tile[states0_element.stage],
                          shared.vs_tile[g_element.stage]);
            tk::mma_wait<0>(o, w0, w1);
            shared.states0.release(states0_element);
            shared.states1.release(states0_element);
            shared.vs.release(g_element);
            shared.weights.release(states0_element);

            // gated_linear_attention.tk:211: if PACKED { store(Ob[t, h, c], T(o * scale)); } ..
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(5, 128);
                tk::fragment<tk::bf16, 64, 64> t18;
                tk::map(t18, [&](float o) { return o * scale; }, tk::window<64, 64>(o, 0, panel));
                tk::store_shared(shared.output_O[0], t18, thread);
                tk::fence_async();
                tk::barrier_sync(5, 128);
                if (DV % 8 != 0 && DV < c + panel + 64) {
                    tk::copy_to_global(
                        tk::clipped(
                            tk::dense_slice<1, 3>(O, {b, t, h, c + panel}, N - t, DV - (c + panel)),
                            0 - t, 0), shared.output_O[0]);
                    if (leader) tk::tma_store_nothing();
                } else if (leader) {
                    tk::tma_store(O_map, shared.output_O[0], b, t, h, c + panel);
                }
            }
        }

        if (leader) tk::tma_store_wait_read<0>();
    }
}

// gated_linear_attention_ends_T_bf16_TG_f16_DK_128_BV_128: kernel gated_linear_attention.ends with
// T = bf16, TG = f16, DK = 128, BV = 128, L = 64.
// producer: 1 warp, 24 registers a thread; forgotten: 1 warpgroup, 240 registers a thread; state: 1
// warpgroup, 240 registers a thread.
// 384 threads, 168 registers each at first, 173248 bytes of shared memory.
struct gated_linear_attention_ends_T_bf16_TG_f16_DK_128_BV_128_shared {
    tk::shared_tile<tk::bf16, 64, 128> ks_tile[2];
    tk::shared_tile<tk::bf16, 64, 128> vs_tile[3];
    tk::shared_tile<tk::f16, 64, 128> gs_tile[3];
    tk::shared_tile<tk::bf16, 64, 64> keys0_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> keys1_tile[2];
    tk::shared_tile<tk::f16, 64, 64> forgotten_behind[1];
    tk::shared_tile<tk::f16, 64, 8> state_ones[1];
    tk::pipeline<2> ks;
    tk::pipeline<3> vs;
    tk::pipeline<3> gs;
    tk::pipeline<2> keys0;
    tk::pipeline<2> keys1;
};
static_assert(offsetof(gated_linear_attention_ends_T_bf16_TG_f16_DK_128_BV_128_shared, keys1) ==
              173216);

__global__ void __launch_bounds__(384, 1) gated_linear_attention_ends_T_bf16_TG_f16_DK_128_BV_128_kernel(
    const __grid_constant__ CUtensorMap G_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap V_map, const tk::tensor_argument<float, 4> End,
    const tk::tensor_argument<float, 3> Left, int B, int N, int H, int DV, int segments,
    int length) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gated_linear_attention_ends_T_bf16_TG_f16_DK_128_BV_128_shared& shared =
        *reinterpret_cast<gated_linear_attention_ends_T_bf16_TG_f16_DK_128_BV_128_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(G_map, K_map, V_map);
        shared.ks.init(1, 4);
        shared.vs.init(1, 4);
        shared.gs.init(1, 8);
        shared.keys0.init(4, 4);
        shared.keys1.init(4, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gated_linear_attention.tk:237: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int c_tiles = tk::tiles(DV, 128);
        const int p_tiles = tk::max(segments, 0);
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<3> gs_next, vs_next;
            tk::cursor<2> ks_next;
            const int program = blockIdx.x;
            const int c = program % c_tiles * 128;
            const int h = program / c_tiles % H;
            const int p = program / (c_tiles * H) % p_tiles;
            const int b = program / (c_tiles * H * p_tiles);

            // gated_linear_attention.tk:238: for t in p * length..min((p + 1) * length, N) by L {
            #pragma unroll 1
            for (int t = p * length; t < tk::min((p + 1) * length, N); t += 64) {
                // gated_linear_attention.tk:239: produce gs = tma_load(G[b, t, h, :]);
                shared.gs.begin(gs_next, 16384);
                tk::tma_load(shared.gs_tile[gs_next.stage], G_map, shared.gs.full[gs_next.stage], b,
                             t, h, 0);
                gs_next.advance();

                // gated_linear_attention.tk:240: produce ks = tma_load(K[b, t, h, :]);
                shared.ks.begin(ks_next, 16384);
                tk::tma_load(shared.ks_tile[ks_next.stage], K_map, shared.ks.full[ks_next.stage], b,
                             t, h, 0);
                ks_next.advance();

                // gated_linear_attention.tk:241: produce vs = tma_load(V[b, t, h, c]);
                shared.vs.begin(vs_next, 16384);
                tk::tma_load(shared.vs_tile[vs_next.stage], V_map, shared.vs.full[vs_next.stage], b,
                             t, h, c);
                vs_next.advance();
            }
        }
    } else if (warp < 4) {
        // gated_linear_attention.tk:244: role forgotten(1 warpgroup) {
        tk::registers_at_least<240>();
        const int c_tiles = tk::tiles(DV, 128);
        const int p_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        tk::cursor<3> gs_next;
        tk::cursor<2> keys0_next_2, keys1_next_2, ks_next;
        const int program = blockIdx.x;
        const int p = program / (c_tiles * H) % p_tiles;

        // gated_linear_attention.tk:245: var x: f32[L, L] = 0;
        tk::fragment<float, 64, 64> x;
        tk::zero(x);

        // gated_linear_attention.tk:246: let behind = shared(TG(where(col_index(x) > ..
        tk::fragment<tk::f16, 64, 64> t0;
        tk::map(t0, thread, [](int row, int col) { return col > row ? 1.0f : 0.0f; });
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.forgotten_behind[0], t0, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);

        // gated_linear_attention.tk:247: for t in p * length..min((p + 1) * length, N) by L {
        for (int t = p * length; t < tk::min((p + 1) * length, N); t += 64) {
            // gated_linear_attention.tk:248: let g = consume gs;
            const tk::cursor<3> g_element = shared.gs.take(gs_next);

            // gated_linear_attention.tk:249: let k = consume ks;
            const tk::cursor<2> k_element = shared.ks.take(ks_next);

            // gated_linear_attention.tk:250: let e0 = mma(behind, g[:, 0 +: 64]);
            tk::fragment<float, 64, 64> e0;
            tk::mma_async(e0, shared.forgotten_behind[0],
                          tk::part<0, 0, 64, 64>(shared.gs_tile[g_element.stage]),
                          tk::accumulate_never{});

            // gated_linear_attention.tk:252: let e1 = mma(behind, g[:, 64 +: 64]);
            tk::fragment<float, 64, 64> e1;
            tk::mma_async(e1, shared.forgotten_behind[0],
                          tk::part<0, 64, 64, 64>(shared.gs_tile[g_element.stage]),
                          tk::accumulate_never{});

            // gated_linear_attention.tk:253: produce keys0 = T(k[:, 0 +: 64] * exp2(e0 * LOG2E));
            tk::fragment<tk::bf16, 64, 64> t1;
            tk::load_shared(t1, tk::part<0, 0, 64, 64>(shared.ks_tile[k_element.stage]), thread);
            tk::mma_wait<1>(e0);
            tk::fragment<tk::bf16, 64, 64> t7;
            tk::map(t7, [](tk::bf16 t1, float e0) { return float(t1) * tk::exp2(e0 * 1.442695f); },
                    t1, e0);
            shared.keys0.wait_empty(keys0_next_2);
            tk::store_shared(shared.keys0_tile[keys0_next_2.stage], t7, thread);
            shared.keys0.publish(keys0_next_2);
            keys0_next_2.advance();

            // gated_linear_attention.tk:254: produce keys1 = T(k[:, 64 +: 64] * exp2(e1 * LOG2E));
            tk::fragment<tk::bf16, 64, 64> t3;
            tk::load_shared(t3, tk::part<0, 64, 64, 64>(shared.ks_tile[k_element.stage]), thread);
            shared.ks.release_after_loads(k_element);
            tk::mma_wait<0>(e1);
            shared.gs.release(g_element);
            tk::fragment<tk::bf16, 64, 64> t9;
            tk::map(t9, [](tk::bf16 t3, float e1) { return float(t3) * tk::exp2(e1 * 1.442695f); },
                    t3, e1);
            shared.keys1.wait_empty(keys1_next_2);
            tk::store_shared(shared.keys1_tile[keys1_next_2.stage], t9, thread);
            shared.keys1.publish(keys1_next_2);
            keys1_next_2.advance();
        }
    } else {
        // gated_linear_attention.tk:260: role state(1 warpgroup) {
        tk::registers_at_least<240>();
        const int c_tiles = tk::tiles(DV, 128);
        const int p_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        tk::cursor<3> gs_next;
        tk::cursor<2> keys0_next_2;
        const int program = blockIdx.x;
        const int c = program % c_tiles * 128;
        const int h = program / c_tiles % H;
        const int p = program / (c_tiles * H) % p_tiles;
        const int b = program / (c_tiles * H * p_tiles);

        // gated_linear_attention.tk:261: var s0: f32[64, BV] = 0;
        tk::fragment<float, 64, 128> s0;
        tk::zero(s0);

        // gated_linear_attention.tk:262: var s1: f32[64, BV] = 0;
        tk::fragment<float, 64, 128> s1;
        tk::zero(s1);

        // gated_linear_attention.tk:263: var g0: f32[64, 1] = 0;
        tk::column_fragment<float, 64> g0;
        tk::zero(g0);

        // gated_linear_attention.tk:264: var g1: f32[64, 1] = 0;
        tk::column_fragment<float, 64> g1;
        tk::zero(g1);

        // gated_linear_attention.tk:265: var one: TG[L, 8] = 1;
        tk::fragment<tk::f16, 64, 8> one;
        tk::map(one, []() { return tk::f16(1.0f); });

        // gated_linear_attention.tk:266: let ones = shared(one);
        tk::barrier_sync(4, 128);
        tk::store_shared(shared.state_ones[0], one, thread);
        tk::fence_async();
        tk::barrier_sync(4, 128);

        // gated_linear_attention.tk:267: for t in p * length..min((p + 1) * length, N) by L {
        for (int t = p * length; t < tk::min((p + 1) * length, N); t += 64) {
            // gated_linear_attention.tk:268: let g = consume gs;
            const tk::cursor<3> g_element = shared.gs.take(gs_next);

            // gated_linear_attention.tk:269: let v = consume vs;
            shared.vs.wait_full(g_element);

            // gated_linear_attention.tk:270: let d0 = mma(g[:, 0 +: 64].T, ones);
            tk::fragment<float, 64, 8> d0;
            tk::mma_async(d0,
                          tk::transposed(tk::part<0, 0, 64, 64>(shared.gs_tile[g_element.stage])),
                          shared.state_ones[0], tk::accumulate_never{});

            // gated_linear_attention.tk:272: let d1 = mma(g[:, 64 +: 64].T, ones);
            tk::fragment<float, 64, 8> d1;
            tk::mma_async(d1,
                          tk::transposed(tk::part<0, 64, 64, 64>(shared.gs_tile[g_element.stage])),
                          shared.state_ones[0], tk::accumulate_never{});
            tk::mma_wait<1>(d0);

            // gated_linear_attention.tk:273: let m0 = max(d0, axis = 1) * LOG2E;
            tk::column_fragment<float, 64> t5;
            tk::fold_rows(t5, d0, tk::maximum{}, thread);
            tk::finish_rows(t5, tk::maximum{});
            tk::column_fragment<float, 64> m0;
            tk::map(m0, [](float t5) { return t5 * 1.442695f; }, t5);

            // gated_linear_attention.tk:274: g0 += m0;
            tk::map(g0, [](float g0, float m0) { return g0 + m0; }, g0, m0);

            // gated_linear_attention.tk:275: s0 *= exp2(m0);
            tk::column_fragment<float, 64> t0;
            tk::map(t0, [](float m0) { return tk::exp2(m0); }, m0);
            tk::map(s0, [](float s0, float t0) { return s0 * t0; }, s0, t0);

            // gated_linear_attention.tk:276: s0 += mma((consume keys0).T, v);
            const tk::cursor<2> keys0_element = shared.keys0.take(keys0_next_2);
            tk::mma_async(s0, tk::transposed(shared.keys0_tile[keys0_element.stage]),
                          shared.vs_tile[g_element.stage]);
            tk::mma_wait<1>(d1);
            shared.gs.release(g_element);

            // gated_linear_attention.tk:277: let m1 = max(d1, axis = 1) * LOG2E;
            tk::column_fragment<float, 64> t6;
            tk::fold_rows(t6, d1, tk::maximum{}, thread);
            tk::finish_rows(t6, tk::maximum{});
            tk::column_fragment<float, 64> m1;
            tk::map(m1, [](float t6) { return t6 * 1.442695f; }, t6);

            // gated_linear_attention.tk:278: g1 += m1;
            tk::map(g1, [](float g1, float m1) { return g1 + m1; }, g1, m1);

            // gated_linear_attention.tk:279: s1 *= exp2(m1);
            tk::column_fragment<float, 64> t2;
            tk::map(t2, [](float m1) { return tk::exp2(m1); }, m1);
            tk::map(s1, [](float s1, float t2) { return s1 * t2; }, s1, t2);

            // gated_linear_attention.tk:280: s1 += mma((consume keys1).T, v);
            shared.keys1.wait_full(keys0_element);
            tk::mma_async(s1, tk::transposed(shared.keys1_tile[keys0_element.stage]),
                          shared.vs_tile[g_element.stage]);
            tk::mma_wait<0>(s0, s1);
            shared.keys0.release(keys0_element);
            shared.keys1.release(keys0_element);
            shared.vs.release(g_element);
        }

        // gated_linear_attention.tk:288: store(End[b * segments + p, h, 0 +: 64, c], s0);
        tk::store_global(
            tk::slice(End, {b * segments + p, h, 0, c},
                      b * segments + p > -1 && b * segments + p < B * segments ? 128 : 0, DV - c),
            s0, thread);

        // gated_linear_attention.tk:289: if c.start == 0 { store(Left[b * segments + p, h, 0 +: ..
        if (c == 0) {
            tk::column_fragment<float, 64> t7;
            tk::map(t7, [](float g0) { return tk::exp2(g0); }, g0);
            tk::store_global(
                tk::slice<2, tk::no_axis>(Left, {b * segments + p, h, 0},
                                          b * segments + p > -1 && b * segments + p < B * segments
                                          ? 128 : 0, 1), t7, thread);
        }

        // gated_linear_attention.tk:291: store(End[b * segments + p, h, 64 +: 64, c], s1);
        tk::store_global(
            tk::slice(End, {b * segments + p, h, 64, c},
                      b * segments + p > -1 && b * segments + p < B * segments ? 128 - 64 : 0,
                      DV - c), s1, thread);

        // gated_linear_attention.tk:292: if c.start == 0 { store(Left[b * segments + p, h, 64 +: ..
        if (c == 0) {
            tk::column_fragment<float, 64> t8;
            tk::map(t8, [](float g1) { return tk::exp2(g1); }, g1);
            tk::store_global(
                tk::slice<2, tk::no_axis>(Left, {b * segments + p, h, 64},
                                          b * segments + p > -1 && b * segments + p < B * segments
                                          ? 128 - 64 : 0, 1), t8, thread);
        }
    }
}

// gated_linear_attention_starts_DK_128: kernel gated_linear_attention.starts with DK = 128, ROWS =
// 8, BC = 128.
// 128 threads, 72 registers each.
__global__ void __launch_bounds__(128, 7) gated_linear_attention_starts_DK_128_kernel(
    const tk::tensor_argument<const float, 4> End, const tk::tensor_argument<const float, 3> Left,
    const tk::tensor_argument<const float, 4> S0, const tk::tensor_argument<float, 4> Start,
    const tk::tensor_argument<float, 4> State, int H, int DV, int I, int F, int sequences,
    int segments) {
    tk::wait_for_previous_kernel();

    const int c_tiles = tk::tiles(DV, 128);

    // gated_linear_attention.tk:298: kernel starts<DK: int = 128, ROWS: int = 8, BC: int = 128>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int c = program % c_tiles * 128;
    const int r = program / c_tiles % 16 * 8;
    const int h = program / (c_tiles * 16) % H;
    const int b = program / (c_tiles * 16 * H);

    // gated_linear_attention.tk:304: var s: f32[ROWS, BC] = load(S0[b, h, r, c]);
    tk::stripe<float, 8, 128, 128, 32, 4> s;
    tk::load_vectors(s, tk::vector_slice(S0, {b, h, r, c}, b < I ? 128 - r : 0, DV - c), thread);

    // gated_linear_attention.tk:305: for p in segments pipelined(4) {
    #pragma unroll 4
    for (int p = 0; p < segments; p += 1) {
        // gated_linear_attention.tk:306: store(Start[b * segments + p, h, r, c], s);
        tk::store_vectors(
            tk::vector_slice(Start, {b * segments + p, h, r, c},
                             b * segments + p > -1 && b * segments + p < sequences * segments
                             ? 128 - r : 0, DV - c), s, thread);

        // gated_linear_attention.tk:307: s = s * column(load(Left[b * segments + p, h, r])) + ..
        tk::stripe<float, 8, 1, 128, 32, 4> t1;
        tk::load_global(t1,
                        tk::slice<2, tk::no_axis>(Left, {b * segments + p, h, r},
                                                  b * segments + p > -1 &&
                                                  b * segments + p < sequences * segments ? 128 - r
                                                  : 0, 1), thread);
        tk::stripe<float, 8, 128, 128, 32, 4> t2;
        tk::load_vectors(t2,
                         tk::vector_slice(End, {b * segments + p, h, r, c},
                                          b * segments + p > -1 &&
                                          b * segments + p < sequences * segments ? 128 - r : 0,
                                          DV - c), thread);
        tk::map(s, [](float s, float t1, float t2) { return tk::fma(s, t1, t2); }, s, t1, t2);
    }

    // gated_linear_attention.tk:309: store(State[b, h, r, c], s);
    tk::store_vectors(tk::vector_slice(State, {b, h, r, c}, b < F ? 128 - r : 0, DV - c), s,
                      thread);
}

// gated_linear_attention_starts_DK_128_general: kernel gated_linear_attention.starts with DK = 128,
// ROWS = 8, BC = 128; any strides and alignment.
// 128 threads, 255 registers each.
__global__ void __launch_bounds__(128, 1) gated_linear_attention_starts_DK_128_general_kernel(
    const tk::tensor_argument<const float, 4> End, const tk::tensor_argument<const float, 3> Left,
    const tk::tensor_argument<const float, 4> S0, const tk::tensor_argument<float, 4> Start,
    const tk::tensor_argument<float, 4> State, int H, int DV, int I, int F, int sequences,
    int segments) {
    tk::wait_for_previous_kernel();

    const int c_tiles = tk::tiles(DV, 128);

    // gated_linear_attention.tk:298: kernel starts<DK: int = 128, ROWS: int = 8, BC: int = 128>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int c = program % c_tiles * 128;
    const int r = program / c_tiles % 16 * 8;
    const int h = program / (c_tiles * 16) % H;
    const int b = program / (c_tiles * 16 * H);

    // gated_linear_attention.tk:304: var s: f32[ROWS, BC] = load(S0[b, h, r, c]);
    tk::stripe<float, 8, 128, 128, 32, 2> s;
    tk::load_global(s, tk::slice(S0, {b, h, r, c}, b < I ? 128 - r : 0, DV - c), thread);

    // gated_linear_attention.tk:305: for p in segments pipelined(4) {
    for (int p = 0; p < segments; p += 1) {
        // gated_linear_attention.tk:306: store(Start[b * segments + p, h, r, c], s);
        tk::store_global(
            tk::slice(Start, {b * segments + p, h, r, c},
                      b * segments + p > -1 && b * segments + p < sequences * segments ? 128 - r
                      : 0, DV - c), s, thread);

        // gated_linear_attention.tk:307: s = s * column(load(Left[b * segments + p, h, r])) + ..
        tk::stripe<float, 8, 1, 128, 32, 2> t1;
        tk::load_global(t1,
                        tk::slice<2, tk::no_axis>(Left, {b * segments + p, h, r},
                                                  b * segments + p > -1 &&
                                                  b * segments + p < sequences * segments ? 128 - r
                                                  : 0, 1), thread);
        tk::stripe<float, 8, 128, 128, 32, 2> t2;
        tk::load_global(t2,
                        tk::slice(End, {b * segments + p, h, r, c},
                                  b * segments + p > -1 && b * segments + p < sequences * segments
                                  ? 128 - r : 0, DV - c), thread);
        tk::map(s, [](float s, float t1, float t2) { return tk::fma(s, t1, t2); }, s, t1, t2);
    }

    // gated_linear_attention.tk:309: store(State[b, h, r, c], s);
    tk::store_global(tk::slice(State, {b, h, r, c}, b < F ? 128 - r : 0, DV - c), s, thread);
}

namespace {
tk::status launch_rounded_gates(const tk::launch_site& site, const tk::tensor& G,
                                const tk::tensor& R, int64_t B, int64_t N, int64_t H) {
    return tk::run<rounded_gates_kernel<10, 16, 8, true>>(
        site, 0, tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::multiply(H, tk::ceil_div(N, 16)), B), G, R, B, N, H);
}

tk::status launch_rounded_gates_general(const tk::launch_site& site, const tk::tensor& G,
                                        const tk::tensor& R, int64_t B, int64_t N, int64_t H) {
    return tk::run<rounded_gates_kernel<1, 32, 2, false>>(
        site, 0, tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::multiply(H, tk::ceil_div(N, 16)), B), G, R, B, N, H);
}

tk::status launch_gated_linear_attention_chunks_T_bf16_TG_f16_DK_128_BV_128(
    const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K, const tk::tensor& V,
    const tk::tensor& G, const tk::tensor& S0, const tk::tensor& O, const tk::tensor& State,
    int64_t B, int64_t N, int64_t H, int64_t DV, int64_t I, int64_t F, float scale,
    int32_t segments, int32_t length) {
    return tk::run<gated_linear_attention_chunks_T_bf16_TG_f16_DK_128_BV_128_kernel>(
        site, sizeof(gated_linear_attention_chunks_T_bf16_TG_f16_DK_128_BV_128_shared),
        tk::kernel_shape(512).overlapping(),
        tk::multiply(
            tk::multiply(tk::multiply(tk::ceil_div(DV, 128), H), tk::larger(int64_t{segments}, 0)),
            B), tk::box{G, {1, 64, 1, 64}, 128}, tk::box{K, {1, 64, 1, 64}, 128},
        tk::box{Q, {1, 64, 1, 64}, 128}, tk::box{V, {1, 64, 1, 64}, 128},
        tk::box{O, {1, 64, 1, 64}, 128}, S0, O, State, B, N, H, DV, I, F, scale, segments, length);
}

tk::status launch_gated_linear_attention_ends_T_bf16_TG_f16_DK_128_BV_128(
    const tk::launch_site& site, const tk::tensor& K, const tk::tensor& V, const tk::tensor& G,
    const tk::tensor& End, const tk::tensor& Left, int64_t B, int64_t N, int64_t H, int64_t DV,
    int32_t segments, int32_t length) {
    return tk::run<gated_linear_attention_ends_T_bf16_TG_f16_DK_128_BV_128_kernel>(
        site, sizeof(gated_linear_attention_ends_T_bf16_TG_f16_DK_128_BV_128_shared),
        tk::kernel_shape(384).overlapping(),
        tk::multiply(
            tk::multiply(tk::multiply(tk::ceil_div(DV, 128), H), tk::larger(int64_t{segments}, 0)),
            B), tk::box{G, {1, 64, 1, 64}, 128}, tk::box{K, {1, 64, 1, 64}, 128},
        tk::box{V, {1, 64, 1, 64}, 128}, End, Left, B, N, H, DV, segments, length);
}

tk::status launch_gated_linear_attention_starts_DK_128(
    const tk::launch_site& site, const tk::tensor& End, const tk::tensor& Left,
    const tk::tensor& S0, const tk::tensor& Start, const tk::tensor& State, int64_t H, int64_t DV,
    int64_t I, int64_t F, int32_t sequences, int32_t segments) {
    return tk::run<gated_linear_attention_starts_DK_128_kernel>(
        site, 0, tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(DV, 128) * 16, H),
                     tk::larger(int64_t{sequences}, 0)), End, Left, S0, Start, State, H, DV, I, F,
        sequences, segments);
}

tk::status launch_gated_linear_attention_starts_DK_128_general(
    const tk::launch_site& site, const tk::tensor& End, const tk::tensor& Left,
    const tk::tensor& S0, const tk::tensor& Start, const tk::tensor& State, int64_t H, int64_t DV,
    int64_t I, int64_t F, int32_t sequences, int32_t segments) {
    return tk::run<gated_linear_attention_starts_DK_128_general_kernel>(
        site, 0, tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(DV, 128) * 16, H),
                     tk::larger(int64_t{sequences}, 0)), End, Left, S0, Start, State, H, DV, I, F,
        sequences, segments);
}

}  // namespace

extern "C" {
int rounded_gates(const DLTensor* G_given, DLTensor* R_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"rounded_gates"};
    const tk::tensor G = call.take("G", G_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor R = call.take("R", R_given, tk::dtype_f16, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = G.shape[0];
    const int64_t N = G.shape[1];
    const int64_t H = G.shape[2];
    call.require(
        {tk::fixed_extent(G, 3, 128), tk::same_extent("B", G, 0, R, 0),
         tk::same_extent("N", G, 1, R, 1), tk::same_extent("H", G, 2, R, 2),
         tk::fixed_extent(R, 3, 128), tk::extents_fit({{"B", B}, {"N", N}, {"H", H}}),
         tk::grid_fits(tk::multiply(H, tk::ceil_div(N, 16)), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(H, tk::ceil_div(N, 16)), B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(H, tk::ceil_div(N, 16)), B);
    const bool fast = tk::hold({tk::suits_fast(G), tk::suits_fast(R)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(tk::run<rounded_gates_kernel<10, 16, 8, true>>(
            site, 0, tk::kernel_shape(128).overlapping(), programs, G, R, B, N, H));
    }
    return tk::finish(tk::run<rounded_gates_kernel<1, 32, 2, false>>(
        site, 0, tk::kernel_shape(128).overlapping(), programs, G, R, B, N, H));
}
TK_NO_WORKSPACE(rounded_gates, const DLTensor*, DLTensor*)

int gated_linear_attention_f32(const DLTensor* Q_given, const DLTensor* K_given,
                               const DLTensor* V_given, const DLTensor* G_given,
                               const DLTensor* S0_given, const DLTensor* start_given,
                               DLTensor* O_given, DLTensor* State_given, DLTensor* R_given,
                               float scale, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"gated_linear_attention_f32"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor G = call.take("G", G_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor State = call.take("State", State_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor R = call.take("R", R_given, tk::dtype_f16, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t H = Q.shape[2];
    const int64_t DV = V.shape[3];
    const int64_t I = S0.shape[0];
    const int64_t P = start.shape[0];
    const int64_t F = State.shape[0];
    call.require(
        {tk::fixed_extent(Q, 3, 128), tk::same_extent("B", Q, 0, K, 0),
         tk::same_extent("N", Q, 1, K, 1), tk::same_extent("H", Q, 2, K, 2),
         tk::fixed_extent(K, 3, 128), tk::same_extent("B", Q, 0, V, 0),
         tk::same_extent("N", Q, 1, V, 1), tk::same_extent("H", Q, 2, V, 2),
         tk::same_extent("B", Q, 0, G, 0), tk::same_extent("N", Q, 1, G, 1),
         tk::same_extent("H", Q, 2, G, 2), tk::fixed_extent(G, 3, 128),
         tk::same_extent("H", Q, 2, S0, 1), tk::fixed_extent(S0, 2, 128),
         tk::same_extent("DV", V, 3, S0, 3), tk::same_extent("B", Q, 0, O, 0),
         tk::same_extent("N", Q, 1, O, 1), tk::same_extent("H", Q, 2, O, 2),
         tk::same_extent("DV", V, 3, O, 3), tk::same_extent("H", Q, 2, State, 1),
         tk::fixed_extent(State, 2, 128), tk::same_extent("DV", V, 3, State, 3),
         tk::same_extent("B", Q, 0, R, 0), tk::same_extent("N", Q, 1, R, 1),
         tk::same_extent("H", Q, 2, R, 2), tk::fixed_extent(R, 3, 128),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"DV", DV}, {"I", I}, {"P", P}, {"F", F}}),
         tk::that(P == 0, "`gated_linear_attention_f32` requires `P == 0`"),
         tk::that(F <= B, "`gated_linear_attention_f32` requires `F <= B`"),
         tk::that(-2147483648 <= tk::ceil_div(tk::larger(N, 1), 64) * 64,
                  "`ceil_div(max(N, 1), 64)*64`, which `gated_linear_attention.chunks` is called with, is {}; it must fit in 32 bits",
                  {tk::ceil_div(tk::larger(N, 1), 64) * 64}),
         tk::that(tk::ceil_div(tk::larger(N, 1), 64) * 64 < 2147483648,
                  "`ceil_div(max(N, 1), 64)*64`, which `gated_linear_attention.chunks` is called with, is {}; it must fit in 32 bits",
                  {tk::ceil_div(tk::larger(N, 1), 64) * 64})});
    // rounded_gates(G, R)
    call.require(
        {tk::grid_fits(tk::multiply(H, tk::ceil_div(N, 16)), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(H, tk::ceil_div(N, 16)), B), 2147483648)});
    // gated_linear_attention.chunks(Q, K, V, R, S0, start, O, State, scale, 1, ceil_div(max(N, 1),
    // 64)*64)
    call.require(
        {tk::fits("B*1", B),
         tk::that(-2147483648 <= B, "`B*1` reaches {}; it must fit in 32 bits", {B}),
         tk::that(tk::ceil_div(tk::larger(N, 1), 64) * 64 >= 64,
                  "`chunks` requires `(ceil_div(max(N, 1), 64)*64) >= L`"),
         tk::that(tk::ceil_div(tk::larger(N, 1), 64) * 64 >= N,
                  "`chunks` requires `1 * (ceil_div(max(N, 1), 64)*64) >= N`"),
         tk::that(0 <= N, "`chunks` requires `(1 - 1) * (ceil_div(max(N, 1), 64)*64) <= N`"),
         tk::suits_tma_load(Q), tk::suits_tma_load(K), tk::suits_tma_load(V, "DV"),
         tk::suits_tma_load(R), tk::suits_tma_store(O, "DV"),
         tk::grid_fits(tk::multiply(tk::ceil_div(DV, 128), H), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(DV, 128), H), B), 2147483648),
         tk::fits("(p + 1)*(ceil_div(max(N, 1), 64)*64)",
                  tk::larger(tk::ceil_div(tk::larger(N, 1), 64) * 64,
                             tk::ceil_div(tk::larger(N, 1), 64) * 64)),
         tk::that(-2147483648 <=
                  tk::smaller(tk::ceil_div(tk::larger(N, 1), 64) * 64,
                              tk::ceil_div(tk::larger(N, 1), 64) * 64),
                  "`(p + 1)*(ceil_div(max(N, 1), 64)*64)` reaches {}; it must fit in 32 bits",
                  {
                      tk::smaller(tk::ceil_div(tk::larger(N, 1), 64) * 64,
                                  tk::ceil_div(tk::larger(N, 1), 64) * 64)}),
         tk::fits("N - t.start", N), tk::fits("b*1", tk::larger(0, B - 1)),
         tk::that(-2147483648 <= tk::smaller(0, B - 1), "`b*1` reaches {}; it must fit in 32 bits",
                  {tk::smaller(0, B - 1)})});
    if (!call.ok()) return tk::finish(call.result());

    // rounded_gates(G, R)
    const bool choice_1 = tk::hold({tk::suits_fast(G), tk::suits_fast(R)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1) {
        TK_FINISH_IF_FAILED(launch_rounded_gates(site, G, R, B, N, H));
    } else {
        TK_FINISH_IF_FAILED(launch_rounded_gates_general(site, G, R, B, N, H));
    }
    TK_FINISH_IF_FAILED(launch_gated_linear_attention_chunks_T_bf16_TG_f16_DK_128_BV_128(
        site, Q, K, V, tk::read_only(R), S0, O, State, B, N, H, DV, I, F, scale,
        static_cast<int32_t>(1), static_cast<int32_t>(tk::ceil_div(tk::larger(N, 1), 64) * 64)));
    return tk::finish({});
}
TK_NO_WORKSPACE(gated_linear_attention_f32, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                float)

int gated_linear_attention_f32_segments(
    const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
    const DLTensor* G_given, const DLTensor* S0_given, const DLTensor* start_given,
    DLTensor* O_given, DLTensor* State_given, DLTensor* R_given, DLTensor* End_given,
    DLTensor* Left_given, DLTensor* Start_given, DLTensor* Unused_given, float scale,
    int32_t segments, int32_t length, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"gated_linear_attention_f32_segments"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor G = call.take("G", G_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor State = call.take("State", State_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor R = call.take("R", R_given, tk::dtype_f16, 4, tk::access::write);
    const tk::tensor End = call.take("End", End_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Left = call.take("Left", Left_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor Start = call.take("Start", Start_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Unused = call.take("Unused", Unused_given, tk::dtype_f32, 4,
                                        tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t H = Q.shape[2];
    const int64_t DV = V.shape[3];
    const int64_t I = S0.shape[0];
    const int64_t P = start.shape[0];
    const int64_t F = State.shape[0];
    call.require(
        {tk::fixed_extent(Q, 3, 128), tk::same_extent("B", Q, 0, K, 0),
         tk::same_extent("N", Q, 1, K, 1), tk::same_extent("H", Q, 2, K, 2),
         tk::fixed_extent(K, 3, 128), tk::same_extent("B", Q, 0, V, 0),
         tk::same_extent("N", Q, 1, V, 1), tk::same_extent("H", Q, 2, V, 2),
         tk::same_extent("B", Q, 0, G, 0), tk::same_extent("N", Q, 1, G, 1),
         tk::same_extent("H", Q, 2, G, 2), tk::fixed_extent(G, 3, 128),
         tk::same_extent("H", Q, 2, S0, 1), tk::fixed_extent(S0, 2, 128),
         tk::same_extent("DV", V, 3, S0, 3), tk::same_extent("B", Q, 0, O, 0),
         tk::same_extent("N", Q, 1, O, 1), tk::same_extent("H", Q, 2, O, 2),
         tk::same_extent("DV", V, 3, O, 3), tk::same_extent("H", Q, 2, State, 1),
         tk::fixed_extent(State, 2, 128), tk::same_extent("DV", V, 3, State, 3),
         tk::same_extent("B", Q, 0, R, 0), tk::same_extent("N", Q, 1, R, 1),
         tk::same_extent("H", Q, 2, R, 2), tk::fixed_extent(R, 3, 128),
         tk::same_extent("H", Q, 2, End, 1), tk::fixed_extent(End, 2, 128),
         tk::same_extent("DV", V, 3, End, 3), tk::same_extent("H", Q, 2, Left, 1),
         tk::fixed_extent(Left, 2, 128), tk::same_extent("H", Q, 2, Start, 1),
         tk::fixed_extent(Start, 2, 128), tk::same_extent("DV", V, 3, Start, 3),
         tk::same_extent("H", Q, 2, Unused, 1), tk::fixed_extent(Unused, 2, 128),
         tk::same_extent("DV", V, 3, Unused, 3),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"DV", DV}, {"I", I}, {"P", P}, {"F", F}}),
         tk::fits("B*segments", tk::multiply(B, int64_t{segments})),
         tk::that(-2147483648 <= tk::multiply(B, int64_t{segments}),
                  "`B*segments` reaches {}; it must fit in 32 bits",
                  {tk::multiply(B, int64_t{segments})}),
         tk::that(End.shape[0] == tk::multiply(B, int64_t{segments}),
                  "axis 0 of `End` is {}; it must be `B*segments`, which is {}",
                  {End.shape[0], tk::multiply(B, int64_t{segments})}),
         tk::that(Left.shape[0] == tk::multiply(B, int64_t{segments}),
                  "axis 0 of `Left` is {}; it must be `B*segments`, which is {}",
                  {Left.shape[0], tk::multiply(B, int64_t{segments})}),
         tk::that(Start.shape[0] == tk::multiply(B, int64_t{segments}),
                  "axis 0 of `Start` is {}; it must be `B*segments`, which is {}",
                  {Start.shape[0], tk::multiply(B, int64_t{segments})}),
         tk::that(Unused.shape[0] == tk::smaller(B, 0),
                  "axis 0 of `Unused` is {}; it must be `min(B, 0)`, which is {}",
                  {Unused.shape[0], tk::smaller(B, 0)}),
         tk::that(P == 0, "`gated_linear_attention_f32_segments` requires `P == 0`"),
         tk::that(I <= B, "`gated_linear_attention_f32_segments` requires `I <= B`"),
         tk::that(F <= B, "`gated_linear_attention_f32_segments` requires `F <= B`")});
    // rounded_gates(G, R)
    call.require(
        {tk::grid_fits(tk::multiply(H, tk::ceil_div(N, 16)), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(H, tk::ceil_div(N, 16)), B), 2147483648)});
    // gated_linear_attention.ends(K, V, R, End, Left, segments, length)
    call.require({
        tk::that(DV >= 1, "`ends` requires `DV >= 1`"),
        tk::that(int64_t{segments} >= 1, "`ends` requires `segments >= 1`"),
        tk::that(int64_t{length} >= 64, "`ends` requires `length >= L`"),
        tk::that(int64_t{length} % 64 == 0, "`ends` requires `length % L == 0`"),
        tk::suits_tma_load(K), tk::suits_tma_load(V, "DV"), tk::suits_tma_load(R),
        tk::grid_fits(tk::multiply(tk::ceil_div(DV, 128), H), 2147483648),
        tk::grid_fits(
            tk::multiply(tk::multiply(tk::ceil_div(DV, 128), H), tk::larger(int64_t{segments}, 0)),
            2147483648),
        tk::grid_fits(
            tk::multiply(
                tk::multiply(tk::multiply(tk::ceil_div(DV, 128), H),
                             tk::larger(int64_t{segments}, 0)), B), 2147483648),
        tk::fits("p*length", tk::larger(0, tk::multiply(int64_t{segments} - 1, int64_t{length}))),
        tk::that(-2147483648 <=
                 tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{length})),
                 "`p*length` reaches {}; it must fit in 32 bits",
                 {tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{length}))}),
        tk::fits("(p + 1)*length",
                 tk::larger(int64_t{length},
                            tk::multiply(int64_t{segments} - 1 + 1, int64_t{length}))),
        tk::that(-2147483648 <=
                 tk::smaller(int64_t{length},
                             tk::multiply(int64_t{segments} - 1 + 1, int64_t{length})),
                 "`(p + 1)*length` reaches {}; it must fit in 32 bits",
                 {
                     tk::smaller(int64_t{length},
                                 tk::multiply(int64_t{segments} - 1 + 1, int64_t{length}))}),
        tk::fits("b*segments", tk::larger(0, tk::multiply(B - 1, int64_t{segments}))),
        tk::that(-2147483648 <= tk::smaller(0, tk::multiply(B - 1, int64_t{segments})),
                 "`b*segments` reaches {}; it must fit in 32 bits",
                 {tk::smaller(0, tk::multiply(B - 1, int64_t{segments}))}),
        tk::fits("b*segments + p",
                 tk::larger(0, tk::multiply(B - 1, int64_t{segments})) + (int64_t{segments} - 1))});
    // gated_linear_attention.starts(End, Left, S0, Start, State, B, segments)
    call.require(
        {tk::grid_fits(tk::multiply(tk::ceil_div(DV, 128) * 16, H), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(DV, 128) * 16, H), tk::larger(B, 0)),
                       2147483648)});
    // gated_linear_attention.chunks(Q, K, V, R, Start, start, O, Unused, scale, segments, length)
    call.require({
        tk::that(tk::multiply(B, int64_t{segments}) < 2147221504,
                 "`B*segments` is {}; extents must be less than 2147221504",
                 {tk::multiply(B, int64_t{segments})}),
        tk::that(tk::smaller(B, 0) < 2147221504,
                 "`min(B, 0)` is {}; extents must be less than 2147221504", {tk::smaller(B, 0)}),
        tk::fits("segments*length", tk::multiply(int64_t{segments}, int64_t{length})),
        tk::that(-2147483648 <= tk::multiply(int64_t{segments}, int64_t{length}),
                 "`segments*length` reaches {}; it must fit in 32 bits",
                 {tk::multiply(int64_t{segments}, int64_t{length})}),
        tk::that(-2147483648 <= int64_t{segments} - 1,
                 "`segments - 1` reaches {}; it must fit in 32 bits", {int64_t{segments} - 1}),
        tk::fits("(segments - 1)*length", tk::multiply(int64_t{segments} - 1, int64_t{length})),
        tk::that(-2147483648 <= tk::multiply(int64_t{segments} - 1, int64_t{length}),
                 "`(segments - 1)*length` reaches {}; it must fit in 32 bits",
                 {tk::multiply(int64_t{segments} - 1, int64_t{length})}),
        tk::that(tk::smaller(B, 0) <= tk::multiply(B, int64_t{segments}),
                 "`chunks` requires `PACKED or (min(B, 0)) <= B * segments`"),
        tk::that(tk::multiply(int64_t{segments}, int64_t{length}) >= N,
                 "`chunks` requires `segments * length >= N`"),
        tk::that(tk::multiply(int64_t{segments} - 1, int64_t{length}) <= N,
                 "`chunks` requires `(segments - 1) * length <= N`"), tk::suits_tma_load(Q),
        tk::suits_tma_store(O, "DV"),
        tk::fits("N - t.start",
                 N - tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{length})))});
    if (!call.ok()) return tk::finish(call.result());

    // rounded_gates(G, R)
    const bool choice_1 = tk::hold({tk::suits_fast(G), tk::suits_fast(R)});

    // gated_linear_attention.starts(End, Left, S0, Start, State, B, segments)
    const bool choice_3 = tk::hold(
        {tk::suits_fast(End, "DV"), tk::whole_vectors(End, 4), tk::suits_fast(S0, "DV"),
         tk::suits_fast(Start, "DV"), tk::suits_fast(State, "DV")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1) {
        TK_FINISH_IF_FAILED(launch_rounded_gates(site, G, R, B, N, H));
    } else {
        TK_FINISH_IF_FAILED(launch_rounded_gates_general(site, G, R, B, N, H));
    }
    TK_FINISH_IF_FAILED(launch_gated_linear_attention_ends_T_bf16_TG_f16_DK_128_BV_128(
        site, K, V, tk::read_only(R), End, Left, B, N, H, DV, segments, length));
    if (choice_3) {
        TK_FINISH_IF_FAILED(launch_gated_linear_attention_starts_DK_128(
            site, tk::read_only(End), tk::read_only(Left), S0, Start, State, H, DV, I, F,
            static_cast<int32_t>(B), segments));
    } else {
        TK_FINISH_IF_FAILED(launch_gated_linear_attention_starts_DK_128_general(
            site, tk::read_only(End), tk::read_only(Left), S0, Start, State, H, DV, I, F,
            static_cast<int32_t>(B), segments));
    }
    TK_FINISH_IF_FAILED(launch_gated_linear_attention_chunks_T_bf16_TG_f16_DK_128_BV_128(
        site, Q, K, V, tk::read_only(R), tk::read_only(Start), O, Unused, B, N, H, DV,
        tk::multiply(B, int64_t{segments}), tk::smaller(B, 0), scale, segments, length));
    return tk::finish({});
}
TK_NO_WORKSPACE(gated_linear_attention_f32_segments, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, float, int32_t,
                int32_t)
}  // extern "C"
