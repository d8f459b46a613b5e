// Made by tkc from gated_linear_attention_packed.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/cells.cuh"
#include "tk/operations/integer.cuh"
#include "tk/ptx/wgmma_n008.cuh"
#include "tk/ptx/wgmma_n064.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/tk.cuh"

// placed_gates: kernel placed_gates with TG = bf16, DK = 128, ROWS = 16, L = 64.
// 128 threads, 48 registers each: placed_gates_kernel<10, 16, 8, true>.
// placed_gates_general: kernel placed_gates with TG = bf16, DK = 128, ROWS = 16, L = 64; any
// strides and alignment.
// 128 threads, 255 registers each: placed_gates_kernel<1, 32, 2, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) placed_gates_kernel(
    const tk::tensor_argument<const tk::bf16, 4> G, const tk::tensor_argument<const int, 1> First,
    const tk::tensor_argument<const int, 1> Tokens, const tk::tensor_argument<tk::f16, 4> R, int N,
    int H, int S) {
    tk::wait_for_previous_kernel();

    // gated_linear_attention_packed.tk:9: kernel placed_gates<TG: dtype = bf16, DK: int = 128, ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int h = program % H;
    const int t = program / H * 16;

    // gated_linear_attention_packed.tk:13: let place = t.start // L;
    const int place = t / 64;

    // gated_linear_attention_packed.tk:14: let Gt = G[0, First[place] +: Tokens[place]];
    const int Gt_start = tk::cell(First, place);
    const int Gt_end = tk::wrapping_add(tk::cell(First, place), tk::cell(Tokens, place));

    // gated_linear_attention_packed.tk:15: store(R[0, t, h, :], f16(max(f32(load(Gt[t.start - ..
    tk::stripe<tk::bf16, 16, 128, 128, row_threads, vector> t0;
    tk::load_slice<vectors>(
        t0,
        tk::clipped(
            tk::slice_if_dense<vectors, 1, 3>(G,
                                              {0, tk::wrapping_add(Gt_start, t - place * 64), h, 0},
                                              tk::wrapping_subtract(tk::max(tk::min(Gt_end, N), 0),
                                                                    tk::wrapping_add(Gt_start,
                                                                                     t - place *
                                                                                     64)), 128),
            tk::wrapping_subtract(0, tk::wrapping_add(Gt_start, t - place * 64)), 0), thread);
    tk::stripe<tk::f16, 16, 128, 128, row_threads, vector> t1;
    tk::map(t1, [](tk::bf16 t0) { return tk::max(float(t0), -60000.0f); }, t0);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors, 1, 3>(R, {0, t, h, 0}, S * 64 - t, 128),
                             t1, thread);
}

// packed_chunks_packed_chunks: kernel packed_chunks.packed_chunks with L = 64.
// 32 threads, 64 registers each.
__global__ void __launch_bounds__(32, 32) packed_chunks_packed_chunks_kernel(
    const tk::tensor_argument<const int, 1> start, const tk::tensor_argument<int, 1> First,
    const tk::tensor_argument<int, 1> Tokens, int P, int S) {
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    // packed_chunks.tk:5: kernel packed_chunks<L: int = 64>(start: i32[P], out First: i32[S], ..
    if (warp == 0) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int b = program;

        // packed_chunks.tk:9: let place   = start[b] // L + b;
        const int place = tk::wrapping_add(tk::divide_down(tk::cell(start, b), 64), b);

        // packed_chunks.tk:10: let room    = start[b + 1] // L + b + 1 - place;
        const int room = tk::wrapping_subtract(
            tk::wrapping_add(tk::wrapping_add(tk::divide_down(tk::cell(start, b + 1), 64), b), 1),
            place);

        // packed_chunks.tk:11: let Firsts  = First[place +: room];
        const int Firsts_end = tk::wrapping_add(place, room);

        // packed_chunks.tk:12: let Counted = Tokens[place +: room];
        const int Counted_end = tk::wrapping_add(place, room);

        // packed_chunks.tk:13: for i in room by 64 {
        for (int i = 0; i < room; i += 64) {
            // packed_chunks.tk:15: store(Firsts[i], first);
            tk::stripe<int, 1, 64, 32, 16, 4> t0;
            tk::map(t0, thread, [&](int, int col) {
                return tk::min(
                    tk::wrapping_add(tk::cell(start, b),
                                     tk::wrapping_multiply(tk::wrapping_add(i, col), 64)),
                    tk::cell(start, b + 1));
            });
            tk::barrier_sync(1, 32);
            tk::store_global(
                tk::clipped(
                    tk::slice(First, {tk::wrapping_add(place, i)}, 1,
                              tk::wrapping_subtract(tk::max(tk::min(Firsts_end, S), 0),
                                                    tk::wrapping_add(place, i))), 0,
                    tk::wrapping_subtract(0, tk::wrapping_add(place, i))), t0, thread);

            // packed_chunks.tk:16: store(Counted[i], min(start[b + 1] - first, L));
            tk::stripe<int, 1, 64, 32, 16, 4> t1;
            tk::map(t1, thread, [&](int, int col) {
                const int x = tk::cell(start, b + 1);
                return tk::min(
                    tk::wrapping_subtract(x,
                                          tk::min(
                                              tk::wrapping_add(tk::cell(start, b),
                                                               tk::wrapping_multiply(
                                                                   tk::wrapping_add(i, col), 64)),
                                              x)), 64);
            });
            tk::store_global(
                tk::clipped(
                    tk::slice(Tokens, {tk::wrapping_add(place, i)}, 1,
                              tk::wrapping_subtract(tk::max(tk::min(Counted_end, S), 0),
                                                    tk::wrapping_add(place, i))), 0,
                    tk::wrapping_subtract(0, tk::wrapping_add(place, i))), t1, thread);
        }
    }
}

// gated_linear_attention_chunks_T_bf16_TG_f16_DK_128_BV_128_PACKED_true: kernel
// gated_linear_attention.chunks with T = bf16, TG = f16, DK = 128, BV = 128, PACKED = true, L = 64,
// TWO = false.
// producer: 1 warp, 24 registers a thread; aux: 1 warpgroup, 168 registers a thread; state: 1
// warpgroup, 168 registers a thread; output: 1 warpgroup, 152 registers a thread.
// 512 threads, 128 registers each at first, 231632 bytes of shared memory.
struct gated_linear_attention_chunks_T_bf16_TG_f16_DK_128_BV_128_PACKED_true_shared {
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
static_assert(offsetof(gated_linear_attention_chunks_T_bf16_TG_f16_DK_128_BV_128_PACKED_true_shared,
                       states1) == 231616);

__global__ void __launch_bounds__(512, 1) gated_linear_attention_chunks_T_bf16_TG_f16_DK_128_BV_128_PACKED_true_kernel(
    const __grid_constant__ CUtensorMap G_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap V_map,
    const __grid_constant__ CUtensorMap O_map, const tk::tensor_argument<const float, 4> S0,
    const tk::tensor_argument<const int, 1> start, const tk::tensor_argument<tk::bf16, 4> O,
    const tk::tensor_argument<float, 4> State, int B, int N, int H, int DV, int I, int P, int F,
    float scale, int segments) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gated_linear_attention_chunks_T_bf16_TG_f16_DK_128_BV_128_PACKED_true_shared& shared =
        *reinterpret_cast<gated_linear_attention_chunks_T_bf16_TG_f16_DK_128_BV_128_PACKED_true_shared*>(
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
            const int b = program / (c_tiles * H * p_tiles);

            // gated_linear_attention.tk:72: let first  = if PACKED { start[b] } else { 0 };
            const int first = tk::cell(start, b);

            // gated_linear_attention.tk:73: let tokens = if PACKED { start[b + 1] - start[b] } ..
            const int tokens = tk::wrapping_subtract(tk::cell(start, b + 1), tk::cell(start, b));

            // gated_linear_attention.tk:74: let place  = if PACKED { (start[b] // L + b) * L } ..
            const int place = tk::wrapping_multiply(
                tk::wrapping_add(tk::divide_down(tk::cell(start, b), 64), b), 64);

            // gated_linear_attention.tk:76: let end    = if PACKED { tokens } else { min((p + 1) ..
            const int end = tokens;

            // gated_linear_attention.tk:77: let Qb = Q[0, first +: tokens];  let Kb = K[0, first ..
            const int Qb_end = tk::wrapping_add(first, tokens);
            const int Kb_end = tk::wrapping_add(first, tokens);
            const int Vb_end = tk::wrapping_add(first, tokens);

            // gated_linear_attention.tk:91: for t in begin..end by L {
            #pragma unroll 1
            for (int t = 0; t < end; t += 64) {
                // gated_linear_attention.tk:92: if PACKED { produce gs = tma_load(G[0, place + ..
                shared.gs.begin(gs_next, 16384);
                tk::tma_load(shared.gs_tile[gs_next.stage], G_map, shared.gs.full[gs_next.stage], 0,
                             tk::wrapping_add(place, t), h, 0);
                gs_next.advance();

                // gated_linear_attention.tk:93: if PACKED { produce ks = tma_load(Kb[t, h, :]) ..
                shared.ks.begin(ks_next, 16384);
                tk::tma_load(shared.ks_tile[ks_next.stage], K_map, shared.ks.full[ks_next.stage], 0,
                             tk::wrapping_add(first, t), h, 0);
                ks_next.advance();

                // gated_linear_attention.tk:94: if PACKED { produce qs = tma_load(Qb[t, h, :]) ..
                shared.qs.begin(qs_next, 16384);
                tk::tma_load(shared.qs_tile[qs_next.stage], Q_map, shared.qs.full[qs_next.stage], 0,
                             tk::wrapping_add(first, t), h, 0);
                qs_next.advance();

                // gated_linear_attention.tk:95: if PACKED { produce vs = tma_load(Vb[t, h, c]) ..
                shared.vs.begin(vs_next, 16384);
                tk::tma_load(shared.vs_tile[vs_next.stage], V_map, shared.vs.full[vs_next.stage], 0,
                             tk::wrapping_add(first, t), h, c);
                vs_next.advance();
            }
        }
    } else if (warp < 4) {
        // gated_linear_attention.tk:98: role aux(1 warpgroup) registers((if PACKED { 168 } else ..
        tk::registers_at_least<168>();
        const int c_tiles = tk::tiles(DV, 128);
        const int p_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        tk::cursor<2> gs_next;
        tk::cursor<1> weights_next_2;
        const int program = blockIdx.x;
        const int b = program / (c_tiles * H * p_tiles);

        // gated_linear_attention.tk:73: let tokens = if PACKED { start[b + 1] - start[b] } else ..
        const int tokens = tk::wrapping_subtract(tk::cell(start, b + 1), tk::cell(start, b));

        // gated_linear_attention.tk:76: let end    = if PACKED { tokens } else { min((p + 1) * ..
        const int end = tokens;

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
        for (int t = 0; t < end; t += 64) {
            // gated_linear_attention.tk:102: let g = consume gs;
            const tk::cursor<2> g_element = shared.gs.take(gs_next);

            // gated_linear_attention.tk:103: let k = consume ks;
            shared.ks.wait_full(g_element);

            // gated_linear_attention.tk:104: let q = consume qs;
            shared.qs.wait_full(g_element);

            // gated_linear_attention.tk:105: let known = if PACKED { tokens - t.start } else { L };
            const int known = tk::wrapping_subtract(tokens, t);

            // gated_linear_attention.tk:48: var x: f32[L, L] = 0;
            tk::fragment<float, 64, 64> x;
            tk::zero(x);

            // gated_linear_attention.tk:109: let m0 = mma(m, g[:, 0 +: 64]);
            tk::fragment<tk::f16, 64, 64> t2;
            tk::map(t2, thread, [&](int row, int col) {
                return row < known
                    ? (row >= 32 ? (col >= 32 && col <= row ? 1.0f : 0.0f) : col > row && col < 32
                       ? -1.0f : 0.0f) : 0.0f;
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

                // gated_linear_attention.tk:119: y = mma(q0x.high, k0.T);
                tk::mma_async(y, high_2, tk::transposed(shared.aux_k0[0]), tk::accumulate_never{});
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

                // gated_linear_attention.tk:125: if TWO { k0 = k1x.high; k1 = k1x.low; } else { ..
                tk::barrier_sync(2, 128);
                tk::store_shared(shared.aux_k1[0], high_3, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);

                // gated_linear_attention.tk:128: y += mma(q1x.high, k1.T);
                tk::mma_async(y, high_4, tk::transposed(shared.aux_k1[0]));
                tk::mma_wait<0>(y, high_2, high_4);

                // gated_linear_attention.tk:130: a = where(col_index(y) <= row_index(y) and (not ..
                tk::map(a, thread, [&](int row, int col, float y) {
                    return col <= row && col < known ? tk::bf16(y) : tk::bf16(0.0f);
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
                    if (known >= 64) {
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
                                col < (x_5 ? row + 1 : (x_6 & 1) == 1 ? x_7 : 0) && col < known
                                ? tk::bf16(y) : tk::bf16(a);
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
                if (known >= 64) {
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
                        return col >= x_6 - 32 && col < ((x_5 & 1) == 1 ? x_6 : 0) && col < known
                            ? tk::bf16(y) : tk::bf16(a);
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

        // gated_linear_attention.tk:73: let tokens = if PACKED { start[b + 1] - start[b] } else ..
        const int tokens = tk::wrapping_subtract(tk::cell(start, b + 1), tk::cell(start, b));

        // gated_linear_attention.tk:76: let end    = if PACKED { tokens } else { min((p + 1) * ..
        const int end = tokens;

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
        for (int t = 0; t < end; t += 64) {
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
        tk::registers_at_least<152>();
        const int c_tiles = tk::tiles(DV, 128);
        const int p_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> gs_next;
        tk::cursor<1> keys0_next_2, keys1_next_2, states0_next_2;
        const int program = blockIdx.x;
        const int c = program % c_tiles * 128;
        const int h = program / c_tiles % H;
        const int b = program / (c_tiles * H * p_tiles);

        // gated_linear_attention.tk:72: let first  = if PACKED { start[b] } else { 0 };
        const int first = tk::cell(start, b);

        // gated_linear_attention.tk:73: let tokens = if PACKED { start[b + 1] - start[b] } else ..
        const int tokens = tk::wrapping_subtract(tk::cell(start, b + 1), tk::cell(start, b));

        // gated_linear_attention.tk:76: let end    = if PACKED { tokens } else { min((p + 1) * ..
        const int end = tokens;

        // gated_linear_attention.tk:77: let Qb = Q[0, first +: tokens];  let Kb = K[0, first +: ..
        const int Ob_end = tk::wrapping_add(first, tokens);

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
        tk::fragment<tk::bf16, 64, 64> t9;
        tk::fragment<tk::bf16, 64, 64> t13;
        for (int t = 0; t < end; t += 64) {
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
            if (tk::wrapping_subtract(tokens, t) > 63) {
                tk::map(t9, [](tk::bf16 t1, float e0) {
                    return float(t1) * tk::exp2(e0 * 1.442695f);
                }, t1, e0);
            } else {
                tk::map(t9, thread, [&](int row, int, tk::bf16 t1, float e0) {
                    return row < tk::wrapping_subtract(tokens, t)
                        ? float(t1) * tk::exp2(e0 * 1.442695f) : 0.0f;
                }, t1, e0);
            }
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
            if (tk::wrapping_subtract(tokens, t) > 63) {
                tk::map(t13, [](tk::bf16 t3, float e1) {
                    return float(t3) * tk::exp2(e1 * 1.442695f);
                }, t3, e1);
            } else {
                tk::map(t13, thread, [&](int row, int, tk::bf16 t3, float e1) {
                    return row < tk::wrapping_subtract(tokens, t)
                        ? float(t3) * tk::exp2(e1 * 1.442695f) : 0.0f;
                }, t3, e1);
            }
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
            if (leader) tk::tma_store_wait<0>();
            tk::fence_async_all();
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(5, 128);
                tk::fragment<tk::bf16, 64, 64> t18;
                tk::map(t18, [&](float o) { return o * scale; }, tk::window<64, 64>(o, 0, panel));
                tk::store_shared(shared.output_O[0], t18, thread);
                tk::fence_async();
                tk::barrier_sync(5, 128);
                if ((DV % 8 != 0 && DV < c + panel + 64) ||
                    Ob_end < tk::wrapping_add(tk::wrapping_add(first, t), 64)) {
                    tk::copy_to_global(
                        tk::clipped(
                            tk::dense_slice<1, 3>(O, {0, tk::wrapping_add(first, t), h, c + panel},
                                                  B > 0
                                                  ? tk::wrapping_subtract(
                                                      tk::max(tk::min(Ob_end, N), 0),
                                                      tk::wrapping_add(first, t)) : 0,
                                                  DV - (c + panel)),
                            tk::wrapping_subtract(0, tk::wrapping_add(first, t)), 0),
                        shared.output_O[0]);
                    if (leader) tk::tma_store_nothing();
                } else if (leader) {
                    tk::tma_store(O_map, shared.output_O[0], 0, tk::wrapping_add(first, t), h,
                                  c + panel);
                }
            }
        }

        if (leader) tk::tma_store_wait_read<0>();
    }
}

// gated_linear_attention_chunks_T_bf16_TG_f16_DK_128_BV_128_PACKED_true_general: kernel
// gated_linear_attention.chunks with T = bf16, TG = f16, DK = 128, BV = 128, PACKED = true, L = 64,
// TWO = false; any strides and alignment.
// producer: 1 warp, 24 registers a thread; aux: 1 warpgroup, 168 registers a thread; state: 1
// warpgroup, 168 registers a thread; output: 1 warpgroup, 152 registers a thread.
// 512 threads, 128 registers each at first, 223440 bytes of shared memory.
struct gated_linear_attention_chunks_T_bf16_TG_f16_DK_128_BV_128_PACKED_true_general_shared {
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
static_assert(offsetof(
                  gated_linear_attention_chunks_T_bf16_TG_f16_DK_128_BV_128_PACKED_true_general_shared,
                  states1) == 223424);

__global__ void __launch_bounds__(512, 1) gated_linear_attention_chunks_T_bf16_TG_f16_DK_128_BV_128_PACKED_true_general_kernel(
    const __grid_constant__ CUtensorMap G_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap V_map,
    const tk::tensor_argument<const float, 4> S0, const tk::tensor_argument<const int, 1> start,
    const tk::tensor_argument<tk::bf16, 4> O, const tk::tensor_argument<float, 4> State, int B,
    int N, int H, int DV, int I, int P, int F, float scale, int segments) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gated_linear_attention_chunks_T_bf16_TG_f16_DK_128_BV_128_PACKED_true_general_shared& shared =
        *reinterpret_cast<gated_linear_attention_chunks_T_bf16_TG_f16_DK_128_BV_128_PACKED_true_general_shared*>(
        memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(G_map, K_map, Q_map, V_map);
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
            const int b = program / (c_tiles * H * p_tiles);

            // gated_linear_attention.tk:72: let first  = if PACKED { start[b] } else { 0 };
            const int first = tk::cell(start, b);

            // gated_linear_attention.tk:73: let tokens = if PACKED { start[b + 1] - start[b] } ..
            const int tokens = tk::wrapping_subtract(tk::cell(start, b + 1), tk::cell(start, b));

            // gated_linear_attention.tk:74: let place  = if PACKED { (start[b] // L + b) * L } ..
            const int place = tk::wrapping_multiply(
                tk::wrapping_add(tk::divide_down(tk::cell(start, b), 64), b), 64);

            // gated_linear_attention.tk:76: let end    = if PACKED { tokens } else { min((p + 1) ..
            const int end = tokens;

            // gated_linear_attention.tk:77: let Qb = Q[0, first +: tokens];  let Kb = K[0, first ..
            const int Qb_end = tk::wrapping_add(first, tokens);
            const int Kb_end = tk::wrapping_add(first, tokens);
            const int Vb_end = tk::wrapping_add(first, tokens);

            // gated_linear_attention.tk:91: for t in begin..end by L {
            #pragma unroll 1
            for (int t = 0; t < end; t += 64) {
                // gated_linear_attention.tk:92: if PACKED { produce gs = tma_load(G[0, place + ..
                shared.gs.begin(gs_next, 16384);
                tk::tma_load(shared.gs_tile[gs_next.stage], G_map, shared.gs.full[gs_next.stage], 0,
                             tk::wrapping_add(place, t), h, 0);
                gs_next.advance();

                // gated_linear_attention.tk:93: if PACKED { produce ks = tma_load(Kb[t, h, :]) ..
                shared.ks.begin(ks_next, 16384);
                tk::tma_load(shared.ks_tile[ks_next.stage], K_map, shared.ks.full[ks_next.stage], 0,
                             tk::wrapping_add(first, t), h, 0);
                ks_next.advance();

                // gated_linear_attention.tk:94: if PACKED { produce qs = tma_load(Qb[t, h, :]) ..
                shared.qs.begin(qs_next, 16384);
                tk::tma_load(shared.qs_tile[qs_next.stage], Q_map, shared.qs.full[qs_next.stage], 0,
                             tk::wrapping_add(first, t), h, 0);
                qs_next.advance();

                // gated_linear_attention.tk:95: if PACKED { produce vs = tma_load(Vb[t, h, c]) ..
                shared.vs.begin(vs_next, 16384);
                tk::tma_load(shared.vs_tile[vs_next.stage], V_map, shared.vs.full[vs_next.stage], 0,
                             tk::wrapping_add(first, t), h, c);
                vs_next.advance();
            }
        }
    } else if (warp < 4) {
        // gated_linear_attention.tk:98: role aux(1 warpgroup) registers((if PACKED { 168 } else ..
        tk::registers_at_least<168>();
        const int c_tiles = tk::tiles(DV, 128);
        const int p_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        tk::cursor<2> gs_next;
        tk::cursor<1> weights_next_2;
        const int program = blockIdx.x;
        const int b = program / (c_tiles * H * p_tiles);

        // gated_linear_attention.tk:73: let tokens = if PACKED { start[b + 1] - start[b] } else ..
        const int tokens = tk::wrapping_subtract(tk::cell(start, b + 1), tk::cell(start, b));

        // gated_linear_attention.tk:76: let end    = if PACKED { tokens } else { min((p + 1) * ..
        const int end = tokens;

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
        for (int t = 0; t < end; t += 64) {
            // gated_linear_attention.tk:102: let g = consume gs;
            const tk::cursor<2> g_element = shared.gs.take(gs_next);

            // gated_linear_attention.tk:103: let k = consume ks;
            shared.ks.wait_full(g_element);

            // gated_linear_attention.tk:104: let q = consume qs;
            shared.qs.wait_full(g_element);

            // gated_linear_attention.tk:105: let known = if PACKED { tokens - t.start } else { L };
            const int known = tk::wrapping_subtract(tokens, t);

            // gated_linear_attention.tk:48: var x: f32[L, L] = 0;
            tk::fragment<float, 64, 64> x;
            tk::zero(x);

            // gated_linear_attention.tk:109: let m0 = mma(m, g[:, 0 +: 64]);
            tk::fragment<tk::f16, 64, 64> t2;
            tk::map(t2, thread, [&](int row, int col) {
                return row < known
                    ? (row >= 32 ? (col >= 32 && col <= row ? 1.0f : 0.0f) : col > row && col < 32
                       ? -1.0f : 0.0f) : 0.0f;
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

                // gated_linear_attention.tk:119: y = mma(q0x.high, k0.T);
                tk::mma_async(y, high_2, tk::transposed(shared.aux_k0[0]), tk::accumulate_never{});
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

                // gated_linear_attention.tk:125: if TWO { k0 = k1x.high; k1 = k1x.low; } else { ..
                tk::barrier_sync(2, 128);
                tk::store_shared(shared.aux_k1[0], high_3, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);

                // gated_linear_attention.tk:128: y += mma(q1x.high, k1.T);
                tk::mma_async(y, high_4, tk::transposed(shared.aux_k1[0]));
                tk::mma_wait<0>(y, high_2, high_4);

                // gated_linear_attention.tk:130: a = where(col_index(y) <= row_index(y) and (not ..
                tk::map(a, thread, [&](int row, int col, float y) {
                    return col <= row && col < known ? tk::bf16(y) : tk::bf16(0.0f);
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
                    if (known >= 64) {
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
                                col < (x_5 ? row + 1 : (x_6 & 1) == 1 ? x_7 : 0) && col < known
                                ? tk::bf16(y) : tk::bf16(a);
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
                if (known >= 64) {
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
                        return col >= x_6 - 32 && col < ((x_5 & 1) == 1 ? x_6 : 0) && col < known
                            ? tk::bf16(y) : tk::bf16(a);
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

        // gated_linear_attention.tk:73: let tokens = if PACKED { start[b + 1] - start[b] } else ..
        const int tokens = tk::wrapping_subtract(tk::cell(start, b + 1), tk::cell(start, b));

        // gated_linear_attention.tk:76: let end    = if PACKED { tokens } else { min((p + 1) * ..
        const int end = tokens;

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
        for (int t = 0; t < end; t += 64) {
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
        tk::registers_at_least<152>();
        const int c_tiles = tk::tiles(DV, 128);
        const int p_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        tk::cursor<2> gs_next;
        tk::cursor<1> keys0_next_2, keys1_next_2, states0_next_2;
        const int program = blockIdx.x;
        const int c = program % c_tiles * 128;
        const int h = program / c_tiles % H;
        const int b = program / (c_tiles * H * p_tiles);

        // gated_linear_attention.tk:72: let first  = if PACKED { start[b] } else { 0 };
        const int first = tk::cell(start, b);

        // gated_linear_attention.tk:73: let tokens = if PACKED { start[b + 1] - start[b] } else ..
        const int tokens = tk::wrapping_subtract(tk::cell(start, b + 1), tk::cell(start, b));

        // gated_linear_attention.tk:76: let end    = if PACKED { tokens } else { min((p + 1) * ..
        const int end = tokens;

        // gated_linear_attention.tk:77: let Qb = Q[0, first +: tokens];  let Kb = K[0, first +: ..
        const int Ob_end = tk::wrapping_add(first, tokens);

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
        tk::fragment<tk::bf16, 64, 64> t9;
        tk::fragment<tk::bf16, 64, 64> t13;
        for (int t = 0; t < end; t += 64) {
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
            if (tk::wrapping_subtract(tokens, t) > 63) {
                tk::map(t9, [](tk::bf16 t1, float e0) {
                    return float(t1) * tk::exp2(e0 * 1.442695f);
                }, t1, e0);
            } else {
                tk::map(t9, thread, [&](int row, int, tk::bf16 t1, float e0) {
                    return row < tk::wrapping_subtract(tokens, t)
                        ? float(t1) * tk::exp2(e0 * 1.442695f) : 0.0f;
                }, t1, e0);
            }
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
            if (tk::wrapping_subtract(tokens, t) > 63) {
                tk::map(t13, [](tk::bf16 t3, float e1) {
                    return float(t3) * tk::exp2(e1 * 1.442695f);
                }, t3, e1);
            } else {
                tk::map(t13, thread, [&](int row, int, tk::bf16 t3, float e1) {
                    return row < tk::wrapping_subtract(tokens, t)
                        ? float(t3) * tk::exp2(e1 * 1.442695f) : 0.0f;
                }, t3, e1);
            }
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
            tk::fragment<tk::bf16, 64, 128> t18;
            tk::map(t18, [&](float o) { return o * scale; }, o);
            tk::barrier_sync(6, 128);
            tk::store_global(
                tk::clipped(
                    tk::slice<1, 3>(O, {0, tk::wrapping_add(first, t), h, c},
                                    B > 0
                                    ? tk::wrapping_subtract(tk::max(tk::min(Ob_end, N), 0),
                                                            tk::wrapping_add(first, t)) : 0,
                                    DV - c), tk::wrapping_subtract(0, tk::wrapping_add(first, t)),
                    0), t18, thread);
        }
    }
}

namespace {
tk::status launch_packed_chunks_packed_chunks(const tk::launch_site& site, const tk::tensor& start,
                                              const tk::tensor& First, const tk::tensor& Tokens,
                                              int64_t P, int64_t S) {
    return tk::run<packed_chunks_packed_chunks_kernel>(site, 0, tk::kernel_shape(32).overlapping(),
                                                       tk::larger(P - 1, 0), start, First, Tokens,
                                                       P, S);
}

tk::status launch_placed_gates(const tk::launch_site& site, const tk::tensor& G,
                               const tk::tensor& First, const tk::tensor& Tokens,
                               const tk::tensor& R, int64_t N, int64_t H, int64_t S) {
    return tk::run<placed_gates_kernel<10, 16, 8, true>>(
        site, 0, tk::kernel_shape(128).overlapping(),
        tk::multiply(H, tk::larger(tk::ceil_div(S * 64, 16), 0)), G, First, Tokens, R, N, H, S);
}

tk::status launch_placed_gates_general(const tk::launch_site& site, const tk::tensor& G,
                                       const tk::tensor& First, const tk::tensor& Tokens,
                                       const tk::tensor& R, int64_t N, int64_t H, int64_t S) {
    return tk::run<placed_gates_kernel<1, 32, 2, false>>(
        site, 0, tk::kernel_shape(128).overlapping(),
        tk::multiply(H, tk::larger(tk::ceil_div(S * 64, 16), 0)), G, First, Tokens, R, N, H, S);
}

tk::status launch_gated_linear_attention_chunks_T_bf16_TG_f16_DK_128_BV_128_PACKED_true(
    const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K, const tk::tensor& V,
    const tk::tensor& G, const tk::tensor& S0, const tk::tensor& start, const tk::tensor& O,
    const tk::tensor& State, int64_t B, int64_t N, int64_t H, int64_t DV, int64_t I, int64_t P,
    int64_t F, float scale, int32_t segments) {
    return tk::run<gated_linear_attention_chunks_T_bf16_TG_f16_DK_128_BV_128_PACKED_true_kernel>(
        site, sizeof(gated_linear_attention_chunks_T_bf16_TG_f16_DK_128_BV_128_PACKED_true_shared),
        tk::kernel_shape(512).overlapping(),
        tk::multiply(
            tk::multiply(tk::multiply(tk::ceil_div(DV, 128), H), tk::larger(int64_t{segments}, 0)),
            tk::larger(P - 1, 0)), tk::box{G, {1, 64, 1, 64}, 128}, tk::box{K, {1, 64, 1, 64}, 128},
        tk::box{Q, {1, 64, 1, 64}, 128}, tk::box{V, {1, 64, 1, 64}, 128},
        tk::box{O, {1, 64, 1, 64}, 128}, S0, start, O, State, B, N, H, DV, I, P, F, scale,
        segments);
}

tk::status launch_gated_linear_attention_chunks_T_bf16_TG_f16_DK_128_BV_128_PACKED_true_general(
    const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K, const tk::tensor& V,
    const tk::tensor& G, const tk::tensor& S0, const tk::tensor& start, const tk::tensor& O,
    const tk::tensor& State, int64_t B, int64_t N, int64_t H, int64_t DV, int64_t I, int64_t P,
    int64_t F, float scale, int32_t segments) {
    return tk::run<gated_linear_attention_chunks_T_bf16_TG_f16_DK_128_BV_128_PACKED_true_general_kernel>(
        site,
        sizeof(
            gated_linear_attention_chunks_T_bf16_TG_f16_DK_128_BV_128_PACKED_true_general_shared),
        tk::kernel_shape(512).overlapping(),
        tk::multiply(
            tk::multiply(tk::multiply(tk::ceil_div(DV, 128), H), tk::larger(int64_t{segments}, 0)),
            tk::larger(P - 1, 0)), tk::box{G, {1, 64, 1, 64}, 128}, tk::box{K, {1, 64, 1, 64}, 128},
        tk::box{Q, {1, 64, 1, 64}, 128}, tk::box{V, {1, 64, 1, 64}, 128}, S0, start, O, State, B, N,
        H, DV, I, P, F, scale, segments);
}

}  // namespace

extern "C" {
int placed_gates(const DLTensor* G_given, const DLTensor* First_given, const DLTensor* Tokens_given,
                 DLTensor* R_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"placed_gates"};
    const tk::tensor G = call.take("G", G_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor First = call.take("First", First_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Tokens = call.take("Tokens", Tokens_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor R = call.take("R", R_given, tk::dtype_f16, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t N = G.shape[1];
    const int64_t H = G.shape[2];
    const int64_t S = First.shape[0];
    call.require(
        {tk::fixed_extent(G, 0, 1), tk::fixed_extent(G, 3, 128),
         tk::same_extent("S", First, 0, Tokens, 0), tk::fixed_extent(R, 0, 1),
         tk::same_extent("H", G, 2, R, 2), tk::fixed_extent(R, 3, 128),
         tk::extents_fit({{"N", N}, {"H", H}, {"S", S}}), tk::fits("S*64", S * 64),
         tk::that(R.shape[1] == S * 64, "axis 1 of `R` is {}; it must be `S*64`, which is {}",
                  {R.shape[1], S * 64}), tk::fits("S*64 + 15", S * 64 + 15),
         tk::grid_fits(tk::multiply(H, tk::larger(tk::ceil_div(S * 64, 16), 0)), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(H, tk::larger(tk::ceil_div(S * 64, 16), 0));
    const bool fast = tk::hold({tk::suits_fast(G), tk::suits_fast(R)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<placed_gates_kernel<10, 16, 8, true>, placed_gates_kernel<1, 32, 2, false>>(
            fast ? 0 : 1, site, 0, tk::kernel_shape(128).overlapping(), programs, G, First, Tokens,
            R, N, H, S));
}
TK_NO_WORKSPACE(placed_gates, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*)

int gated_linear_attention_packed(
    const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
    const DLTensor* G_given, const DLTensor* S0_given, const DLTensor* start_given,
    DLTensor* O_given, DLTensor* State_given, DLTensor* First_given, DLTensor* Tokens_given,
    DLTensor* R_given, float scale, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"gated_linear_attention_packed"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor G = call.take("G", G_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor State = call.take("State", State_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor First = call.take("First", First_given, tk::dtype_i32, 1, tk::access::write);
    const tk::tensor Tokens = call.take("Tokens", Tokens_given, tk::dtype_i32, 1,
                                        tk::access::write);
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
         tk::same_extent("B", Q, 0, R, 0), tk::same_extent("H", Q, 2, R, 2),
         tk::fixed_extent(R, 3, 128),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"DV", DV}, {"I", I}, {"P", P}, {"F", F}}),
         tk::fits("N/64 + P", tk::floor_div(N, 64) + P),
         tk::that(First.shape[0] == tk::floor_div(N, 64) + P - 1,
                  "axis 0 of `First` is {}; it must be `N/64 + P - 1`, which is {}",
                  {First.shape[0], tk::floor_div(N, 64) + P - 1}),
         tk::that(Tokens.shape[0] == tk::floor_div(N, 64) + P - 1,
                  "axis 0 of `Tokens` is {}; it must be `N/64 + P - 1`, which is {}",
                  {Tokens.shape[0], tk::floor_div(N, 64) + P - 1}),
         tk::fits("(N/64 + P - 1)*64", (tk::floor_div(N, 64) + P - 1) * 64),
         tk::that(R.shape[1] == (tk::floor_div(N, 64) + P - 1) * 64,
                  "axis 1 of `R` is {}; it must be `(N/64 + P - 1)*64`, which is {}",
                  {R.shape[1], (tk::floor_div(N, 64) + P - 1) * 64}),
         tk::that(B == 1, "`gated_linear_attention_packed` requires `B == 1`"),
         tk::that(P >= 1, "`gated_linear_attention_packed` requires `P >= 1`"),
         tk::that(F < P, "`gated_linear_attention_packed` requires `F < P`"),
         tk::that(-2147483648 <= tk::ceil_div(tk::larger(N, 1), 64) * 64,
                  "`ceil_div(max(N, 1), 64)*64`, which `gated_linear_attention.chunks` is called with, is {}; it must fit in 32 bits",
                  {tk::ceil_div(tk::larger(N, 1), 64) * 64}),
         tk::that(tk::ceil_div(tk::larger(N, 1), 64) * 64 < 2147483648,
                  "`ceil_div(max(N, 1), 64)*64`, which `gated_linear_attention.chunks` is called with, is {}; it must fit in 32 bits",
                  {tk::ceil_div(tk::larger(N, 1), 64) * 64})});
    // packed_chunks.packed_chunks(start, First, Tokens)
    call.require({
        tk::that(tk::floor_div(N, 64) + P - 1 < 2147221504,
                 "`N/64 + P - 1` is {}; extents must be less than 2147221504",
                 {tk::floor_div(N, 64) + P - 1})});
    // placed_gates(G, First, Tokens, R)
    call.require(
        {tk::fits("(N/64 + P - 1)*64 + 15", (tk::floor_div(N, 64) + P - 1) * 64 + 15),
         tk::grid_fits(
             tk::multiply(H, tk::larger(tk::ceil_div((tk::floor_div(N, 64) + P - 1) * 64, 16), 0)),
             2147483648)});
    // gated_linear_attention.chunks(Q, K, V, R, S0, start, O, State, scale, 1, ceil_div(max(N, 1),
    // 64)*64)
    call.require({
        tk::that(tk::ceil_div(tk::larger(N, 1), 64) * 64 >= 64,
                 "`chunks` requires `(ceil_div(max(N, 1), 64)*64) >= L`"),
        tk::that(tk::ceil_div(tk::larger(N, 1), 64) * 64 >= N,
                 "`chunks` requires `1 * (ceil_div(max(N, 1), 64)*64) >= N`"),
        tk::that(0 <= N, "`chunks` requires `(1 - 1) * (ceil_div(max(N, 1), 64)*64) <= N`"),
        tk::grid_fits(tk::multiply(tk::ceil_div(DV, 128), H), 2147483648),
        tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(DV, 128), H), tk::larger(P - 1, 0)),
                      2147483648), tk::fits("b*1", tk::larger(0, P - 1 - 1)),
        tk::that(-2147483648 <= tk::smaller(0, P - 1 - 1),
                 "`b*1` reaches {}; it must fit in 32 bits", {tk::smaller(0, P - 1 - 1)})});
    if (!call.ok()) return tk::finish(call.result());

    // placed_gates(G, First, Tokens, R)
    const bool choice_2 = tk::hold({tk::suits_fast(G), tk::suits_fast(R)});

    // gated_linear_attention.chunks(Q, K, V, R, S0, start, O, State, scale, 1, ceil_div(max(N, 1),
    // 64)*64)
    tk::selection choice_3{call};
    choice_3.candidate();  // gated_linear_attention_chunks_T_bf16_TG_f16_DK_128_BV_128_PACKED_true
    choice_3.prefer(
        {tk::suits_fast(Q), tk::suits_fast(K), tk::suits_fast(V, "DV"), tk::suits_fast(R),
         tk::suits_fast(O, "DV")});
    choice_3.offer();
    // gated_linear_attention_chunks_T_bf16_TG_f16_DK_128_BV_128_PACKED_true_general
    choice_3.candidate(true);
    choice_3.require(
        {tk::suits_tma_load(Q), tk::suits_tma_load(K), tk::suits_tma_load(V, "DV"),
         tk::suits_tma_load(R)});
    choice_3.offer();
    if (!choice_3.ok()) return tk::finish(choice_3.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    TK_FINISH_IF_FAILED(launch_packed_chunks_packed_chunks(
        site, start, First, Tokens, P, tk::floor_div(N, 64) + P - 1));
    if (choice_2) {
        TK_FINISH_IF_FAILED(
            launch_placed_gates(site, G, tk::read_only(First), tk::read_only(Tokens), R, N, H,
                                tk::floor_div(N, 64) + P - 1));
    } else {
        TK_FINISH_IF_FAILED(
            launch_placed_gates_general(site, G, tk::read_only(First), tk::read_only(Tokens), R, N,
                                        H, tk::floor_div(N, 64) + P - 1));
    }
    if (choice_3.best(site) == 0) {
        TK_FINISH_IF_FAILED(
            launch_gated_linear_attention_chunks_T_bf16_TG_f16_DK_128_BV_128_PACKED_true(
                site, Q, K, V, tk::read_only(R), S0, start, O, State, B, N, H, DV, I, P, F, scale,
                static_cast<int32_t>(1)));
    }
    if (choice_3.best(site) == 1) {
        TK_FINISH_IF_FAILED(
            launch_gated_linear_attention_chunks_T_bf16_TG_f16_DK_128_BV_128_PACKED_true_general(
                site, Q, K, V, tk::read_only(R), S0, start, O, State, B, N, H, DV, I, P, F, scale,
                static_cast<int32_t>(1)));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(gated_linear_attention_packed, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, float)
}  // extern "C"
