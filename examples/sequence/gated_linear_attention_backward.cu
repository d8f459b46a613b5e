// Made by tkc from gated_linear_attention_backward.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/integer.cuh"
#include "tk/ptx/wgmma_n016.cuh"
#include "tk/ptx/wgmma_n064.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/tk.cuh"

// before: kernel before with T = bf16, TG = bf16, DK = 128, DV = 128, PACKED = false, L = 64.
// producer: 1 warp, 24 registers a thread; forgotten: 1 warpgroup, 240 registers a thread; state: 1
// warpgroup, 240 registers a thread.
// 384 threads, 168 registers each at first, 133280 bytes of shared memory.
struct before_shared {
    tk::shared_tile<tk::bf16, 64, 64> ks_tile[2];
    tk::shared_tile<tk::bf16, 64, 128> vs_tile[3];
    tk::shared_tile<tk::bf16, 64, 64> gs_tile[3];
    tk::shared_tile<tk::bf16, 64, 64> keys_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> forgotten_behind[1];
    tk::shared_tile<tk::bf16, 64, 16> state_ones[1];
    tk::shared_tile<tk::bf16, 64, 64> state_Before[2];
    tk::pipeline<2> ks;
    tk::pipeline<3> vs;
    tk::pipeline<3> gs;
    tk::pipeline<2> keys;
};
static_assert(offsetof(before_shared, keys) == 133248);

__global__ void __launch_bounds__(384, 1) before_kernel(
    const __grid_constant__ CUtensorMap G_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap V_map, const __grid_constant__ CUtensorMap Before_map,
    const tk::tensor_argument<const float, 4> S0, int B, int N, int H, int J) {
    extern __shared__ __align__(1024) unsigned char memory[];
    before_shared& shared = *reinterpret_cast<before_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(G_map, K_map, V_map, Before_map);
        shared.ks.init(1, 4);
        shared.vs.init(1, 4);
        shared.gs.init(1, 8);
        shared.keys.init(4, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gated_linear_attention_backward.tk:61: role producer(1 warp) {
        tk::registers_at_most<24>();
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<3> gs_next, vs_next;
            tk::cursor<2> ks_next;
            const int program = blockIdx.x;
            const int c = program % 2 * 64;
            const int h = program / 2 % H;
            const int b = program / (2 * H);

            // gated_linear_attention_backward.tk:53: let at    = if PACKED { 0 } else { b };
            const int at = b;

            // gated_linear_attention_backward.tk:55: let end   = if PACKED { (start[b + 1] // L ..
            const int end = N;

            // gated_linear_attention_backward.tk:62: for t in first..end by L {
            #pragma unroll 1
            for (int t = 0; t < end; t += 64) {
                // gated_linear_attention_backward.tk:63: produce gs = tma_load(G[at, t, h, c]);
                shared.gs.begin(gs_next, 8192);
                tk::tma_load(shared.gs_tile[gs_next.stage], G_map, shared.gs.full[gs_next.stage],
                             at, t, h, c);
                gs_next.advance();

                // gated_linear_attention_backward.tk:64: produce ks = tma_load(K[at, t, h, c]);
                shared.ks.begin(ks_next, 8192);
                tk::tma_load(shared.ks_tile[ks_next.stage], K_map, shared.ks.full[ks_next.stage],
                             at, t, h, c);
                ks_next.advance();

                // gated_linear_attention_backward.tk:65: produce vs = tma_load(V[at, t, h, :]);
                shared.vs.begin(vs_next, 16384);
                tk::tma_load(shared.vs_tile[vs_next.stage], V_map, shared.vs.full[vs_next.stage],
                             at, t, h, 0);
                vs_next.advance();
            }
        }
    } else if (warp < 4) {
        // gated_linear_attention_backward.tk:68: role forgotten(1 warpgroup) {
        tk::registers_at_least<240>();
        const int thread = tk::warpgroup_thread();
        tk::cursor<3> gs_next;
        tk::cursor<2> keys_next_2, ks_next;

        // gated_linear_attention_backward.tk:55: let end   = if PACKED { (start[b + 1] // L + b ..
        const int end = N;

        // gated_linear_attention_backward.tk:69: var x: f32[L, L] = 0;
        tk::fragment<float, 64, 64> x;
        tk::zero(x);

        // gated_linear_attention_backward.tk:70: let behind = shared(TG(where(col_index(x) > ..
        tk::fragment<tk::bf16, 64, 64> t0;
        tk::map(t0, thread, [](int row, int col) { return col > row ? 1.0f : 0.0f; });
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.forgotten_behind[0], t0, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);

        // gated_linear_attention_backward.tk:71: for t in first..end by L {
        for (int t = 0; t < end; t += 64) {
            // gated_linear_attention_backward.tk:72: let g = consume gs;
            const tk::cursor<3> g_element = shared.gs.take(gs_next);

            // gated_linear_attention_backward.tk:73: let e = mma(behind, g);
            tk::fragment<float, 64, 64> e;
            tk::mma_async(e, shared.forgotten_behind[0], shared.gs_tile[g_element.stage],
                          tk::accumulate_never{});

            // gated_linear_attention_backward.tk:74: produce keys = T((consume ks) * exp2(e * ..
            const tk::cursor<2> ks_element = shared.ks.take(ks_next);
            tk::fragment<tk::bf16, 64, 64> t1;
            tk::load_shared(t1, shared.ks_tile[ks_element.stage], thread);
            shared.ks.release_after_loads(ks_element);
            tk::mma_wait<0>(e);
            shared.gs.release(g_element);
            tk::fragment<tk::bf16, 64, 64> t3;
            tk::map(t3, [](tk::bf16 t1, float e) { return float(t1) * tk::exp2(e * 1.442695f); },
                    t1, e);
            shared.keys.wait_empty(keys_next_2);
            tk::store_shared(shared.keys_tile[keys_next_2.stage], t3, thread);
            shared.keys.publish(keys_next_2);
            keys_next_2.advance();
        }
    } else {
        // gated_linear_attention_backward.tk:77: role state(1 warpgroup) {
        tk::registers_at_least<240>();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<3> gs_next;
        tk::cursor<2> keys_next_2;
        const int program = blockIdx.x;
        const int c = program % 2 * 64;
        const int h = program / 2 % H;
        const int b = program / (2 * H);

        // gated_linear_attention_backward.tk:53: let at    = if PACKED { 0 } else { b };
        const int at = b;

        // gated_linear_attention_backward.tk:55: let end   = if PACKED { (start[b + 1] // L + b ..
        const int end = N;

        // gated_linear_attention_backward.tk:78: var s: f32[64, DV] = load(S0[b, h, c, :]);
        tk::fragment<float, 64, 128> s;
        tk::load_global(s, tk::slice(S0, {b, h, c, 0}, b < J ? 128 - c : 0, 128), thread);

        // gated_linear_attention_backward.tk:79: var one: TG[L, 16] = 1;
        tk::fragment<tk::bf16, 64, 16> one;
        tk::map(one, []() { return tk::bf16(1.0f); });

        // gated_linear_attention_backward.tk:80: let ones = shared(one);
        tk::barrier_sync(4, 128);
        tk::store_shared(shared.state_ones[0], one, thread);
        tk::fence_async();
        tk::barrier_sync(4, 128);

        // gated_linear_attention_backward.tk:81: for t in first..end by L {
        for (int t = 0; t < end; t += 64) {
            // gated_linear_attention_backward.tk:82: let g = consume gs;
            const tk::cursor<3> g_element = shared.gs.take(gs_next);

            // gated_linear_attention_backward.tk:83: let e = mma(g.T, ones);
            tk::fragment<float, 64, 16> e;
            tk::mma_async(e, tk::transposed(shared.gs_tile[g_element.stage]), shared.state_ones[0],
                          tk::accumulate_never{});

            // gated_linear_attention_backward.tk:84: tma_store(Before[at, t.start // L, h * DK + ..
            tk::hold_waits(warp);
            tk::mma_wait<0>(e);
            shared.gs.release(g_element);
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                tk::store_shared(shared.state_Before[panel / 64 % 2],
                                 tk::convert<tk::bf16>(tk::window<64, 64>(s, 0, panel)), thread);
                tk::fence_async();
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(3, 128);
                if (leader) {
                    tk::tma_store(Before_map, shared.state_Before[panel / 64 % 2], at, t / 64,
                                  h * 128 + c, panel);
                }
            }

            // gated_linear_attention_backward.tk:85: s *= exp2(max(e, axis = 1) * LOG2E);
            tk::column_fragment<float, 64> t4;
            tk::fold_rows(t4, e, tk::maximum{}, thread);
            tk::finish_rows(t4, tk::maximum{});
            tk::column_fragment<float, 64> t0;
            tk::map(t0, [](float t4) { return tk::exp2(t4 * 1.442695f); }, t4);
            tk::map(s, [](float s, float t0) { return s * t0; }, s, t0);

            // gated_linear_attention_backward.tk:86: s += mma((consume keys).T, consume vs);
            const tk::cursor<2> keys_element = shared.keys.take(keys_next_2);
            shared.vs.wait_full(g_element);
            tk::mma_async(s, tk::transposed(shared.keys_tile[keys_element.stage]),
                          shared.vs_tile[g_element.stage]);
            tk::mma_wait<0>(s);
            shared.vs.release(g_element);
            shared.keys.release(keys_element);
        }

        if (leader) tk::tma_store_wait_read<0>();
    }
}

// behind: kernel behind with T = bf16, TG = bf16, DK = 128, DV = 128, PACKED = false, L = 64.
// producer: 1 warp, 24 registers a thread; forgotten: 1 warpgroup, 240 registers a thread; state: 1
// warpgroup, 240 registers a thread.
// 384 threads, 168 registers each at first, 133280 bytes of shared memory.
struct behind_shared {
    tk::shared_tile<tk::bf16, 64, 64> qs_tile[2];
    tk::shared_tile<tk::bf16, 64, 128> os_tile[3];
    tk::shared_tile<tk::bf16, 64, 64> gs_tile[3];
    tk::shared_tile<tk::bf16, 64, 64> queries_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> forgotten_upto[1];
    tk::shared_tile<tk::bf16, 64, 16> state_ones[1];
    tk::shared_tile<tk::bf16, 64, 64> state_Behind[2];
    tk::pipeline<2> qs;
    tk::pipeline<3> os;
    tk::pipeline<3> gs;
    tk::pipeline<2> queries;
};
static_assert(offsetof(behind_shared, queries) == 133248);

__global__ void __launch_bounds__(384, 1) behind_kernel(
    const __grid_constant__ CUtensorMap G_map, const __grid_constant__ CUtensorMap Q_map,
    const __grid_constant__ CUtensorMap dO_map, const __grid_constant__ CUtensorMap Behind_map,
    const tk::tensor_argument<const float, 4> dState, const tk::tensor_argument<float, 4> dS0,
    int B, int N, int H, int F, int I, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    behind_shared& shared = *reinterpret_cast<behind_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(G_map, Q_map, dO_map, Behind_map);
        shared.qs.init(1, 4);
        shared.os.init(1, 4);
        shared.gs.init(1, 8);
        shared.queries.init(4, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gated_linear_attention_backward.tk:107: role producer(1 warp) {
        tk::registers_at_most<24>();
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<3> gs_next, os_next;
            tk::cursor<2> qs_next;
            const int program = blockIdx.x;
            const int c = program % 2 * 64;
            const int h = program / 2 % H;
            const int b = program / (2 * H);

            // gated_linear_attention_backward.tk:99: let at    = if PACKED { 0 } else { b };
            const int at = b;

            // gated_linear_attention_backward.tk:101: let end   = if PACKED { (start[b + 1] // L ..
            const int end = N;

            // gated_linear_attention_backward.tk:108: for t in reversed first..end by L {
            #pragma unroll 1
            for (int t = (tk::divide_up(end, 64) - 1) * 64; t >= 0; t -= 64) {
                // gated_linear_attention_backward.tk:109: produce gs = tma_load(G[at, t, h, c]);
                shared.gs.begin(gs_next, 8192);
                tk::tma_load(shared.gs_tile[gs_next.stage], G_map, shared.gs.full[gs_next.stage],
                             at, t, h, c);
                gs_next.advance();

                // gated_linear_attention_backward.tk:110: produce qs = tma_load(Q[at, t, h, c]);
                shared.qs.begin(qs_next, 8192);
                tk::tma_load(shared.qs_tile[qs_next.stage], Q_map, shared.qs.full[qs_next.stage],
                             at, t, h, c);
                qs_next.advance();

                // gated_linear_attention_backward.tk:111: produce os = tma_load(dO[at, t, h, :]);
                shared.os.begin(os_next, 16384);
                tk::tma_load(shared.os_tile[os_next.stage], dO_map, shared.os.full[os_next.stage],
                             at, t, h, 0);
                os_next.advance();
            }
        }
    } else if (warp < 4) {
        // gated_linear_attention_backward.tk:114: role forgotten(1 warpgroup) {
        tk::registers_at_least<240>();
        const int thread = tk::warpgroup_thread();
        tk::cursor<3> gs_next;
        tk::cursor<2> qs_next, queries_next_2;

        // gated_linear_attention_backward.tk:101: let end   = if PACKED { (start[b + 1] // L + b ..
        const int end = N;

        // gated_linear_attention_backward.tk:115: var x: f32[L, L] = 0;
        tk::fragment<float, 64, 64> x;
        tk::zero(x);

        // gated_linear_attention_backward.tk:116: let upto = shared(TG(where(col_index(x) <= ..
        tk::fragment<tk::bf16, 64, 64> t0;
        tk::map(t0, thread, [](int row, int col) { return col <= row ? 1.0f : 0.0f; });
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.forgotten_upto[0], t0, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);

        // gated_linear_attention_backward.tk:117: for t in reversed first..end by L {
        for (int t = (tk::divide_up(end, 64) - 1) * 64; t >= 0; t -= 64) {
            // gated_linear_attention_backward.tk:118: let g = consume gs;
            const tk::cursor<3> g_element = shared.gs.take(gs_next);

            // gated_linear_attention_backward.tk:119: let e = mma(upto, g);
            tk::fragment<float, 64, 64> e;
            tk::mma_async(e, shared.forgotten_upto[0], shared.gs_tile[g_element.stage],
                          tk::accumulate_never{});

            // gated_linear_attention_backward.tk:120: produce queries = T((consume qs) * (exp2(e ..
            const tk::cursor<2> qs_element = shared.qs.take(qs_next);
            tk::fragment<tk::bf16, 64, 64> t1;
            tk::load_shared(t1, shared.qs_tile[qs_element.stage], thread);
            shared.qs.release_after_loads(qs_element);
            tk::mma_wait<0>(e);
            shared.gs.release(g_element);
            tk::fragment<tk::bf16, 64, 64> t3;
            tk::map(t3, [&](tk::bf16 t1, float e) {
                return float(t1) * (tk::exp2(e * 1.442695f) * scale);
            }, t1, e);
            shared.queries.wait_empty(queries_next_2);
            tk::store_shared(shared.queries_tile[queries_next_2.stage], t3, thread);
            shared.queries.publish(queries_next_2);
            queries_next_2.advance();
        }
    } else {
        // gated_linear_attention_backward.tk:123: role state(1 warpgroup) {
        tk::registers_at_least<240>();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<3> gs_next;
        tk::cursor<2> queries_next_2;
        const int program = blockIdx.x;
        const int c = program % 2 * 64;
        const int h = program / 2 % H;
        const int b = program / (2 * H);

        // gated_linear_attention_backward.tk:99: let at    = if PACKED { 0 } else { b };
        const int at = b;

        // gated_linear_attention_backward.tk:101: let end   = if PACKED { (start[b + 1] // L + b ..
        const int end = N;

        // gated_linear_attention_backward.tk:124: var r: f32[64, DV] = load(dState[b, h, c, :]);
        tk::fragment<float, 64, 128> r;
        tk::load_global(r, tk::slice(dState, {b, h, c, 0}, b < F ? 128 - c : 0, 128), thread);

        // gated_linear_attention_backward.tk:125: var one: TG[L, 16] = 1;
        tk::fragment<tk::bf16, 64, 16> one;
        tk::map(one, []() { return tk::bf16(1.0f); });

        // gated_linear_attention_backward.tk:126: let ones = shared(one);
        tk::barrier_sync(4, 128);
        tk::store_shared(shared.state_ones[0], one, thread);
        tk::fence_async();
        tk::barrier_sync(4, 128);

        // gated_linear_attention_backward.tk:127: for t in reversed first..end by L {
        for (int t = (tk::divide_up(end, 64) - 1) * 64; t >= 0; t -= 64) {
            // gated_linear_attention_backward.tk:128: let g = consume gs;
            const tk::cursor<3> g_element = shared.gs.take(gs_next);

            // gated_linear_attention_backward.tk:129: let e = mma(g.T, ones);
            tk::fragment<float, 64, 16> e;
            tk::mma_async(e, tk::transposed(shared.gs_tile[g_element.stage]), shared.state_ones[0],
                          tk::accumulate_never{});

            // gated_linear_attention_backward.tk:130: tma_store(Behind[at, t.start // L, h * DK ..
            tk::hold_waits(warp);
            tk::mma_wait<0>(e);
            shared.gs.release(g_element);
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                tk::store_shared(shared.state_Behind[panel / 64 % 2],
                                 tk::convert<tk::bf16>(tk::window<64, 64>(r, 0, panel)), thread);
                tk::fence_async();
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(3, 128);
                if (leader) {
                    tk::tma_store(Behind_map, shared.state_Behind[panel / 64 % 2], at, t / 64,
                                  h * 128 + c, panel);
                }
            }

            // gated_linear_attention_backward.tk:131: r *= exp2(max(e, axis = 1) * LOG2E);
            tk::column_fragment<float, 64> t4;
            tk::fold_rows(t4, e, tk::maximum{}, thread);
            tk::finish_rows(t4, tk::maximum{});
            tk::column_fragment<float, 64> t0;
            tk::map(t0, [](float t4) { return tk::exp2(t4 * 1.442695f); }, t4);
            tk::map(r, [](float r, float t0) { return r * t0; }, r, t0);

            // gated_linear_attention_backward.tk:132: r += mma((consume queries).T, consume os);
            const tk::cursor<2> queries_element = shared.queries.take(queries_next_2);
            shared.os.wait_full(g_element);
            tk::mma_async(r, tk::transposed(shared.queries_tile[queries_element.stage]),
                          shared.os_tile[g_element.stage]);
            tk::mma_wait<0>(r);
            shared.os.release(g_element);
            shared.queries.release(queries_element);
        }

        // gated_linear_attention_backward.tk:134: store(dS0[b, h, c, :], r);
        tk::store_global(tk::slice(dS0, {b, h, c, 0}, b < I ? 128 - c : 0, 128), r, thread);

        if (leader) tk::tma_store_wait_read<0>();
    }
}

// chunks: kernel chunks with T = bf16, TG = bf16, TDG = bf16, DK = 128, DV = 128, PACKED = false, L
// = 64.
// producer: 1 warp, 24 registers a thread; queries: 1 warpgroup, 240 registers a thread; keys: 1
// warpgroup, 240 registers a thread.
// 384 threads, 168 registers each at first, 224432 bytes of shared memory; persistent.
struct chunks_shared {
    tk::shared_tile<tk::bf16, 64, 128> os_tile[1];
    tk::shared_tile<tk::bf16, 64, 128> vs_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> gs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> ks_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> qs_tile[2];
    tk::shared_tile<tk::bf16, 64, 128> befores_tile[1];
    tk::shared_tile<tk::bf16, 64, 128> behinds_tile[1];
    tk::shared_tile<float, 64, 64> exponents_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_w[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_wlow[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_s[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_r[1];
    tk::shared_tile<float, 4, 1> queries_f32_rows_1[1];
    tk::shared_tile<tk::bf16, 64, 64> keys_w[1];
    tk::shared_tile<tk::bf16, 64, 64> keys_wlow[1];
    tk::shared_tile<tk::bf16, 64, 64> keys_s[1];
    tk::shared_tile<tk::bf16, 64, 64> keys_m[1];
    tk::shared_tile<float, 4, 64> keys_f32_rows_64[1];
    tk::shared_tile<int, 1, 128> keys_turned[1];
    tk::shared_tile<float, 4, 1> keys_f32_rows_1[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_dQ[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_A[1];
    tk::shared_tile<tk::bf16, 64, 64> keys_dK[1];
    tk::pipeline<1> os;
    tk::pipeline<1> vs;
    tk::pipeline<2> gs;
    tk::pipeline<2> ks;
    tk::pipeline<2> qs;
    tk::pipeline<1> befores;
    tk::pipeline<1> behinds;
    tk::pipeline<1> exponents;
};
static_assert(offsetof(chunks_shared, exponents) == 224416);

__global__ void __launch_bounds__(384, 1) chunks_kernel(
    const __grid_constant__ CUtensorMap dO_map, const __grid_constant__ CUtensorMap V_map,
    const __grid_constant__ CUtensorMap G_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap Before_map,
    const __grid_constant__ CUtensorMap Behind_map, const __grid_constant__ CUtensorMap dQ_map,
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap dK_map,
    const __grid_constant__ CUtensorMap dG_map, int B, int N, int H, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    chunks_shared& shared = *reinterpret_cast<chunks_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(dO_map, V_map, G_map, K_map, Q_map, Before_map, Behind_map, dQ_map,
                              A_map, dK_map, dG_map);
        shared.os.init(1, 8);
        shared.vs.init(1, 8);
        shared.gs.init(1, 8);
        shared.ks.init(1, 8);
        shared.qs.init(1, 8);
        shared.befores.init(1, 8);
        shared.behinds.init(1, 4);
        shared.exponents.init(4, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gated_linear_attention_backward.tk:157: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int t_tiles = tk::tiles(N, 64);
        const int programs = t_tiles * H * B;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<1> befores_next, behinds_next, os_next, vs_next;
            tk::cursor<2> gs_next, ks_next, qs_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int t = program % t_tiles * 64;
                const int h = program / t_tiles % H;
                const int b = program / (t_tiles * H);

                // gated_linear_attention_backward.tk:158: produce os = tma_load(dO[b, t, h, :]);
                shared.os.begin(os_next, 16384);
                tk::tma_load(shared.os_tile[os_next.stage], dO_map, shared.os.full[os_next.stage],
                             b, t, h, 0);
                os_next.advance();

                // gated_linear_attention_backward.tk:159: produce vs = tma_load(V[b, t, h, :]);
                shared.vs.begin(vs_next, 16384);
                tk::tma_load(shared.vs_tile[vs_next.stage], V_map, shared.vs.full[vs_next.stage], b,
                             t, h, 0);
                vs_next.advance();

                // gated_linear_attention_backward.tk:160: for c in DK by 64 {
                #pragma unroll 1
                for (int c = 0; c < 128; c += 64) {
                    // gated_linear_attention_backward.tk:161: produce gs = tma_load(G[b, t, h, c]);
                    shared.gs.begin(gs_next, 8192);
                    tk::tma_load(shared.gs_tile[gs_next.stage], G_map,
                                 shared.gs.full[gs_next.stage], b, t, h, c);
                    gs_next.advance();

                    // gated_linear_attention_backward.tk:162: produce ks = tma_load(K[b, t, h, c]);
                    shared.ks.begin(ks_next, 8192);
                    tk::tma_load(shared.ks_tile[ks_next.stage], K_map,
                                 shared.ks.full[ks_next.stage], b, t, h, c);
                    ks_next.advance();

                    // gated_linear_attention_backward.tk:163: produce qs = tma_load(Q[b, t, h, c]);
                    shared.qs.begin(qs_next, 8192);
                    tk::tma_load(shared.qs_tile[qs_next.stage], Q_map,
                                 shared.qs.full[qs_next.stage], b, t, h, c);
                    qs_next.advance();

                    // gated_linear_attention_backward.tk:164: produce befores = ..
                    shared.befores.begin(befores_next, 16384);
                    tk::tma_load(shared.befores_tile[befores_next.stage], Before_map,
                                 shared.befores.full[befores_next.stage], b, t / 64, h * 128 + c,
                                 0);
                    befores_next.advance();

                    // gated_linear_attention_backward.tk:165: produce behinds = ..
                    shared.behinds.begin(behinds_next, 16384);
                    tk::tma_load(shared.behinds_tile[behinds_next.stage], Behind_map,
                                 shared.behinds.full[behinds_next.stage], b, t / 64, h * 128 + c,
                                 0);
                    behinds_next.advance();
                }
            }
        }
    } else if (warp < 4) {
        // gated_linear_attention_backward.tk:168: role queries(1 warpgroup) {
        tk::registers_at_least<240>();
        const int t_tiles = tk::tiles(N, 64);
        const int programs = t_tiles * H * B;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<1> befores_next, exponents_next_2, os_next;
        tk::cursor<2> gs_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int t = program % t_tiles * 64;
            const int h = program / t_tiles % H;
            const int b = program / (t_tiles * H);

            // gated_linear_attention_backward.tk:169: let o = consume os;
            const tk::cursor<1> o_element = shared.os.take(os_next);

            // gated_linear_attention_backward.tk:170: let p = mma(o, (consume vs).T) * scale;
            shared.vs.wait_full(o_element);
            tk::fragment<float, 64, 64> t0;
            tk::mma_async(t0, shared.os_tile[o_element.stage],
                          tk::transposed(shared.vs_tile[o_element.stage]), tk::accumulate_never{});
            tk::mma_wait<0>(t0);
            shared.vs.release(o_element);
            tk::fragment<float, 64, 64> p;
            tk::map(p, [&](float t0) { return t0 * scale; }, t0);

            // <std.parts>:15: let high = T(x);
            tk::fragment<tk::bf16, 64, 64> high;
            tk::map(high, thread, [&](int row, int col, float p) {
                return col < N - t ? (col <= row ? p : 0.0f) : 0.0f;
            }, p);

            // gated_linear_attention_backward.tk:171: let own  = ..
            tk::fragment<tk::bf16, 64, 64> own_low;
            tk::map(own_low, thread, [&](int row, int col, float p, tk::bf16 high) {
                return (col < N - t ? (col <= row ? p : 0.0f) : 0.0f) - float(high);
            }, p, high);

            // gated_linear_attention_backward.tk:172: let w    = shared(own.high);
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.queries_w[0], high, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);

            // gated_linear_attention_backward.tk:173: let wlow = shared(own.low);
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.queries_wlow[0], own_low, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);

            // gated_linear_attention_backward.tk:174: shared s: T[L, 64] = 0;
            tk::fragment<tk::bf16, 64, 64> t3;
            tk::map(t3, []() { return tk::bf16(0.0f); });
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.queries_s[0], t3, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);

            // gated_linear_attention_backward.tk:175: shared r: T[L, 64] = 0;
            tk::fragment<tk::bf16, 64, 64> t4;
            tk::map(t4, []() { return tk::bf16(0.0f); });
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.queries_r[0], t4, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);

            // gated_linear_attention_backward.tk:176: var a: f32[L, L] = 0;
            tk::fragment<float, 64, 64> a;
            tk::zero(a);

            // gated_linear_attention_backward.tk:177: for c in DK by 64 {
            tk::fragment<float, 64, 64> u;
            tk::fragment<float, 64, 64> x_3;
            tk::fragment<float, 64, 64> x_4;
            tk::column_fragment<float, 64> x_5;
            tk::column_fragment<float, 64> x_6;
            tk::fragment<float, 64, 64> u_2;
            tk::column_fragment<float, 64> x_7;
            for (int c = 0; c < 128; c += 64) {
                // gated_linear_attention_backward.tk:178: let g = consume gs;
                const tk::cursor<2> g_element = shared.gs.take(gs_next);

                // gated_linear_attention_backward.tk:179: let k = consume ks;
                shared.ks.wait_full(g_element);

                // gated_linear_attention_backward.tk:180: let q = consume qs;
                shared.qs.wait_full(g_element);

                // gated_linear_attention_backward.tk:181: var z = mma(o, (consume befores).T);
                const tk::cursor<1> befores_element = shared.befores.take(befores_next);
                tk::fragment<float, 64, 64> z;
                tk::mma_async(z, shared.os_tile[o_element.stage],
                              tk::transposed(shared.befores_tile[befores_element.stage]),
                              tk::accumulate_never{});

                // gated_linear_attention_backward.tk:182: z *= exp2(mma(TG(where(col_index(a) <= ..
                tk::fragment<tk::bf16, 64, 64> t6;
                tk::map(t6, thread, [](int row, int col) { return col <= row ? 1.0f : 0.0f; });
                tk::fragment<float, 64, 64> t7;
                tk::mma_async(t7, t6, shared.gs_tile[g_element.stage], tk::accumulate_never{});
                tk::mma_wait<0>(z, t7, t6);
                shared.befores.release(befores_element);
                tk::map(z, [&](float z, float t7) {
                    return z * (tk::exp2(t7 * 1.442695f) * scale);
                }, z, t7);

                // gated_linear_attention.tk:48: var x: f32[L, L] = 0;
                tk::fragment<float, 64, 64> x;
                tk::zero(x);

                // gated_linear_attention_backward.tk:183: let x = ..
                tk::fragment<tk::bf16, 64, 64> t8;
                tk::map(t8, thread, [](int row, int col) {
                    return row >= 32 ? (col >= 32 && col <= row ? 1.0f : 0.0f)
                        : col > row && col < 32 ? -1.0f : 0.0f;
                });
                tk::fragment<float, 64, 64> x_2;
                tk::mma_async(x_2, t8, shared.gs_tile[g_element.stage], tk::accumulate_never{});

                // gated_linear_attention.tk:57: let reach = if T == bf16 { 40.0 } else { -1.0 };
                const float reach = 40.0f;
                tk::mma_wait<0>(x_2, t8);

                // gated_linear_attention.tk:58: return scalar(where(max(max(pad(abs(x), axis = ..
                tk::fragment<float, 64, 64> t10;
                tk::map(t10, [](float x_2) { return tk::abs(x_2); }, x_2);
                tk::column_fragment<float, 64> t11;
                tk::fold_rows(t11, t10, tk::maximum{}, thread);
                tk::finish_rows(t11, tk::maximum{});
                tk::row_fragment<float, 1> t12;
                tk::reduce_columns(t12, t11, shared.queries_f32_rows_1[0], tk::maximum{}, thread,
                                   2);
                tk::row_fragment<int, 1> t13;
                tk::map(t13, [&](float t12) { return t12 <= reach ? 0 : 6; }, t12);
                const int number = t13.cell(0);

                // gated_linear_attention_backward.tk:184: let count = ..
                const int count = number;

                // gated_linear_attention_backward.tk:185: var dg: f32[L, 64] = 0;
                tk::fragment<float, 64, 64> dg;
                tk::zero(dg);

                // gated_linear_attention_backward.tk:186: if T == bf16 and count == 0 {
                if (count == 0) {
                    // gated_linear_attention_backward.tk:187: let f = exp2(x * -LOG2E);
                    tk::fragment<float, 64, 64> f;
                    tk::map(f, [](float x_2) { return tk::exp2(x_2 * -1.442695f); }, x_2);

                    // <std.parts>:21: high = T(x);
                    tk::fragment<tk::bf16, 64, 64> t1;
                    tk::load_shared(t1, shared.ks_tile[g_element.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t14;
                    tk::map(t14, [](tk::bf16 t1, float f) { return float(t1) * f; }, t1, f);
                    tk::barrier_sync(2, 128);
                    tk::store_shared(shared.queries_s[0], t14, thread);
                    tk::fence_async();
                    tk::barrier_sync(2, 128);

                    // <std.parts>:22: low = T(x - high);
                    tk::fragment<tk::bf16, 64, 64> t2;
                    tk::load_shared(t2, shared.ks_tile[g_element.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t5;
                    tk::load_shared(t5, shared.queries_s[0], thread);
                    tk::fragment<tk::bf16, 64, 64> t15;
                    tk::map(t15, [](tk::bf16 t2, float f, tk::bf16 t5) {
                        return tk::fma(float(t2), f, -float(t5));
                    }, t2, f, t5);
                    tk::barrier_sync(2, 128);
                    tk::store_shared(shared.queries_r[0], t15, thread);
                    tk::fence_async();
                    tk::barrier_sync(2, 128);

                    // gated_linear_attention_backward.tk:189: var u = mma(w, s);
                    tk::mma_async(u, shared.queries_w[0], shared.queries_s[0],
                                  tk::accumulate_never{});

                    // gated_linear_attention_backward.tk:190: u += mma(w, r);
                    tk::mma_async(u, shared.queries_w[0], shared.queries_r[0]);

                    // gated_linear_attention_backward.tk:191: u += mma(wlow, s);
                    tk::mma_async(u, shared.queries_wlow[0], shared.queries_s[0]);

                    // gated_linear_attention_backward.tk:192: let e = exp2(x * LOG2E);
                    tk::fragment<float, 64, 64> e;
                    tk::map(e, [](float x_2) { return tk::exp2(x_2 * 1.442695f); }, x_2);
                    // <std.parts>:15
                    tk::fragment<tk::bf16, 64, 64> t9;
                    tk::load_shared(t9, shared.qs_tile[g_element.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> high_2;
                    tk::map(high_2, [](tk::bf16 t9, float e) { return float(t9) * e; }, t9, e);

                    // gated_linear_attention_backward.tk:193: let y = parts.split<T>(q * e);
                    tk::fragment<tk::bf16, 64, 64> t16;
                    tk::load_shared(t16, shared.qs_tile[g_element.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> y_low;
                    tk::map(y_low, [](tk::bf16 t16, float e, tk::bf16 high_2) {
                        return tk::fma(float(t16), e, -float(high_2));
                    }, t16, e, high_2);

                    // gated_linear_attention_backward.tk:194: a += mma(y.high, s.T);
                    tk::mma_async(a, high_2, tk::transposed(shared.queries_s[0]));

                    // gated_linear_attention_backward.tk:195: a += mma(y.high, r.T);
                    tk::mma_async(a, high_2, tk::transposed(shared.queries_r[0]));

                    // gated_linear_attention_backward.tk:196: a += mma(y.low, s.T);
                    tk::mma_async(a, y_low, tk::transposed(shared.queries_s[0]));
                    tk::mma_wait<3>(u);

                    // gated_linear_attention_backward.tk:197: u *= e;
                    tk::map(u, [](float u, float e) { return u * e; }, u, e);

                    // gated_linear_attention_backward.tk:198: z += u;
                    tk::map(z, [](float z, float u) { return z + u; }, z, u);
                    // <std.parts>:21
                    tk::fragment<tk::bf16, 64, 64> t25;
                    tk::load_shared(t25, shared.qs_tile[g_element.stage], thread);
                    tk::hold_waits(warp);
                    tk::fragment<tk::bf16, 64, 64> t17;
                    tk::map(t17, [](float z, tk::bf16 t25) { return z * float(t25); }, z, t25);
                    tk::mma_wait<0>(a, high_2, y_low);
                    tk::barrier_sync(2, 128);
                    tk::store_shared(shared.queries_s[0], t17, thread);
                    tk::fence_async();
                    tk::barrier_sync(2, 128);
                    // <std.parts>:22
                    tk::fragment<tk::bf16, 64, 64> t30;
                    tk::load_shared(t30, shared.qs_tile[g_element.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t32;
                    tk::load_shared(t32, shared.queries_s[0], thread);
                    tk::fragment<tk::bf16, 64, 64> t18;
                    tk::map(t18, [](float z, tk::bf16 t30, tk::bf16 t32) {
                        return tk::fma(z, float(t30), -float(t32));
                    }, z, t30, t32);
                    tk::barrier_sync(2, 128);
                    tk::store_shared(shared.queries_r[0], t18, thread);
                    tk::fence_async();
                    tk::barrier_sync(2, 128);

                    // gated_linear_attention_backward.tk:42: var x: f32[L, L] = 0;
                    tk::zero(x_3);

                    // gated_linear_attention_backward.tk:201: dg += mma(since, s);
                    tk::fragment<tk::bf16, 64, 64> t19;
                    tk::map(t19, thread, [](int row, int col) { return col >= row ? 1.0f : 0.0f; });
                    tk::mma_async(dg, t19, shared.queries_s[0]);

                    // gated_linear_attention_backward.tk:202: dg += mma(since, r);
                    tk::mma_async(dg, t19, shared.queries_r[0]);
                    tk::mma_wait<0>(dg, t19);
                } else {
                    // gated_linear_attention_backward.tk:204: s = T(z * q);
                    tk::fragment<tk::bf16, 64, 64> t36;
                    tk::load_shared(t36, shared.qs_tile[g_element.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t21;
                    tk::map(t21, [](float z, tk::bf16 t36) { return z * float(t36); }, z, t36);
                    tk::barrier_sync(2, 128);
                    tk::store_shared(shared.queries_s[0], t21, thread);
                    tk::fence_async();
                    tk::barrier_sync(2, 128);
                    // gated_linear_attention_backward.tk:42
                    tk::zero(x_4);

                    // gated_linear_attention_backward.tk:205: dg += mma(T(onward<L>()), s);
                    tk::fragment<tk::bf16, 64, 64> t22;
                    tk::map(t22, thread, [](int row, int col) { return col >= row ? 1.0f : 0.0f; });
                    tk::mma_async(dg, t22, shared.queries_s[0]);

                    // gated_linear_attention_backward.tk:206: z += sum(where(row_index(a) == ..
                    tk::fragment<tk::bf16, 64, 64> t37;
                    tk::load_shared(t37, shared.queries_w[0], thread);
                    tk::fragment<tk::bf16, 64, 64> t38;
                    tk::load_shared(t38, shared.queries_wlow[0], thread);
                    tk::fragment<float, 64, 64> t23;
                    tk::map(t23, thread, [](int row, int col, tk::bf16 t37, tk::bf16 t38) {
                        return row == col ? float(t37) + float(t38) : 0.0f;
                    }, t37, t38);
                    tk::column_fragment<float, 64> t24;
                    tk::fold_rows(t24, t23, tk::plus{}, thread);
                    tk::finish_rows(t24, tk::plus{});
                    tk::fragment<tk::bf16, 64, 64> t39;
                    tk::load_shared(t39, shared.ks_tile[g_element.stage], thread);
                    tk::map(z, [](float z, float t24, tk::bf16 t39) {
                        return tk::fma(t24, float(t39), z);
                    }, z, t24, t39);

                    // gated_linear_attention_backward.tk:207: let n = mma(q, k.T);
                    tk::fragment<float, 64, 64> n;
                    tk::mma_async(n, shared.qs_tile[g_element.stage],
                                  tk::transposed(shared.ks_tile[g_element.stage]),
                                  tk::accumulate_never{});
                    tk::mma_wait<0>(dg, n, t22);

                    // gated_linear_attention_backward.tk:208: a += where(row_index(n) == ..
                    tk::map(a, thread, [](int row, int col, float a, float n) {
                        return a + (row == col ? n : 0.0f);
                    }, a, n);

                    // gated_linear_attention_backward.tk:209: for b in 0..count {
                    for (int b_2 = 0; b_2 < count; b_2 += 1) {
                        // gated_linear_attention.tk:28: var x: f32[L, 1] = 0;
                        tk::zero(x_5);

                        // gated_linear_attention_backward.tk:211: let f = exp2(mma(m, g) * LOG2E);
                        tk::fragment<tk::bf16, 64, 64> t26;
                        tk::map(t26, thread, [&](int row, int col) {
                            const int x_8 = row >> (b_2 & 31);
                            const bool x_9 = (x_8 & 1) == 1;
                            const int x_10 = x_8 << (b_2 & 31);
                            const int x_11 = row + 1;
                            return col >= (x_9 ? x_10 : x_11) &&
                                col < (x_9 ? x_11 : tk::wrapping_add(x_10, 1 << (b_2 & 31))) ? 1.0f
                                : 0.0f;
                        });
                        tk::fragment<float, 64, 64> t27;
                        tk::mma_async(t27, t26, shared.gs_tile[g_element.stage],
                                      tk::accumulate_never{});
                        tk::mma_wait<0>(t27, t26);
                        tk::fragment<float, 64, 64> f_2;
                        tk::map(f_2, [](float t27) { return tk::exp2(t27 * 1.442695f); }, t27);

                        // gated_linear_attention.tk:38: var x: f32[L, 1] = 0;
                        tk::zero(x_6);

                        // gated_linear_attention.tk:40: let c = b - 1;
                        const int c_2 = b_2;

                        // gated_linear_attention_backward.tk:213: s = T(k * f);
                        tk::fragment<tk::bf16, 64, 64> t40;
                        tk::load_shared(t40, shared.ks_tile[g_element.stage], thread);
                        tk::fragment<tk::bf16, 64, 64> t28;
                        tk::map(t28, [](tk::bf16 t40, float f_2) { return float(t40) * f_2; },
                                t40, f_2);
                        tk::barrier_sync(2, 128);
                        tk::store_shared(shared.queries_s[0], t28, thread);
                        tk::fence_async();
                        tk::barrier_sync(2, 128);

                        // gated_linear_attention_backward.tk:214: let y = mma(T(q * f), s.T);
                        tk::fragment<tk::bf16, 64, 64> t41;
                        tk::load_shared(t41, shared.qs_tile[g_element.stage], thread);
                        tk::fragment<tk::bf16, 64, 64> t29;
                        tk::map(t29, [](tk::bf16 t41, float f_2) { return float(t41) * f_2; },
                                t41, f_2);
                        tk::fragment<float, 64, 64> y;
                        tk::mma_async(y, t29, tk::transposed(shared.queries_s[0]),
                                      tk::accumulate_never{});
                        tk::mma_wait<0>(y, t29);

                        // gated_linear_attention_backward.tk:215: a += ..
                        tk::map(a, thread, [&](int row, int col, float a, float y) {
                            const bool x_8 = b_2 + 1 == 0;
                            const int x_9 = row >> (c_2 & 31);
                            const int x_10 = x_9 << (c_2 & 31);
                            return a +
                                (col >=
                                 (x_8 ? row : tk::wrapping_subtract(x_10, 1 << (c_2 & 31))) &&
                                 col < (x_8 ? row + 1 : (x_9 & 1) == 1 ? x_10 : 0) ? y : 0.0f);
                        }, a, y);

                        // gated_linear_attention_backward.tk:216: var u = ..
                        tk::fragment<tk::bf16, 64, 64> t42;
                        tk::load_shared(t42, shared.queries_w[0], thread);
                        tk::fragment<tk::bf16, 64, 64> t31;
                        tk::map(t31, thread, [&](int row, int col, tk::bf16 t42) {
                            const bool x_8 = b_2 + 1 == 0;
                            const int x_9 = row >> (c_2 & 31);
                            const int x_10 = x_9 << (c_2 & 31);
                            return col >=
                                (x_8 ? row : tk::wrapping_subtract(x_10, 1 << (c_2 & 31))) &&
                                col < (x_8 ? row + 1 : (x_9 & 1) == 1 ? x_10 : 0) ? tk::bf16(t42)
                                : tk::bf16(0.0f);
                        }, t42);
                        tk::mma_async(u_2, t31, shared.queries_s[0], tk::accumulate_never{});
                        tk::mma_wait<0>(u_2, t31);

                        // gated_linear_attention_backward.tk:217: u *= f;
                        tk::map(u_2, [](float u_2, float f_2) { return u_2 * f_2; }, u_2, f_2);

                        // gated_linear_attention_backward.tk:218: z += u;
                        tk::map(z, [](float z, float u_2) { return z + u_2; }, z, u_2);

                        // gated_linear_attention_backward.tk:219: s = T(u * q);
                        tk::fragment<tk::bf16, 64, 64> t43;
                        tk::load_shared(t43, shared.qs_tile[g_element.stage], thread);
                        tk::fragment<tk::bf16, 64, 64> t33;
                        tk::map(t33, [](float u_2, tk::bf16 t43) { return u_2 * float(t43); },
                                u_2, t43);
                        tk::barrier_sync(2, 128);
                        tk::store_shared(shared.queries_s[0], t33, thread);
                        tk::fence_async();
                        tk::barrier_sync(2, 128);

                        // gated_linear_attention_backward.tk:33: var x: f32[L, 1] = 0;
                        tk::zero(x_7);

                        // gated_linear_attention_backward.tk:220: dg += ..
                        tk::fragment<tk::bf16, 64, 64> t34;
                        tk::map(t34, thread, [&](int row, int col) {
                            const int x_8 = row >> (b_2 & 31);
                            const bool x_9 = (x_8 & 1) == 1;
                            const int x_10 = x_8 << (b_2 & 31);
                            return col >= (x_9 ? row : x_10) &&
                                col < (x_9 ? tk::wrapping_add(x_10, 1 << (b_2 & 31)) : row) ? 1.0f
                                : 0.0f;
                        });
                        tk::mma_async(dg, t34, shared.queries_s[0]);
                        tk::mma_wait<0>(dg, t34);
                    }
                }
                shared.qs.release_after_loads(g_element);
                shared.ks.release_after_loads(g_element);
                shared.gs.release(g_element);

                // gated_linear_attention_backward.tk:223: produce exponents = dg;
                shared.exponents.wait_empty(exponents_next_2);
                tk::store_shared(shared.exponents_tile[exponents_next_2.stage], dg, thread);
                shared.exponents.publish(exponents_next_2, tk::ordinary_alone{});
                exponents_next_2.advance();

                // gated_linear_attention_backward.tk:228: tma_store(dQ[b, t, h, c], T(z));
                #pragma unroll
                for (int panel = 0; panel < 64; panel += 64) {
                    if (leader) tk::tma_store_wait_read<0>();
                    tk::barrier_sync(1, 128);
                    tk::store_shared(shared.queries_dQ[0], tk::convert<tk::bf16>(z), thread);
                    tk::fence_async();
                    tk::barrier_sync(1, 128);
                    if (leader) tk::tma_store(dQ_map, shared.queries_dQ[0], b, t, h, c + panel);
                }
            }
            shared.os.release(o_element);
            // <std.parts>:15
            tk::fragment<tk::bf16, 64, 64> high_3;
            tk::map(high_3, thread, [&](int row, int col, float a) {
                return col <= row ? a * scale : 0.0f;
            }, a);

            // gated_linear_attention_backward.tk:231: let all = ..

            // gated_linear_attention_backward.tk:232: store(A[b, h, t.start +: L, 0 +: L], ..
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                tk::store_shared(shared.queries_A[0], high_3, thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if (leader) tk::tma_store(A_map, shared.queries_A[0], b, h, t, panel);
            }

            // gated_linear_attention_backward.tk:233: store(A[b, h, t.start +: L, L +: L], ..
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                tk::fragment<tk::bf16, 64, 64> all_low;
                tk::map(all_low, thread, [&](int row, int col, float a, tk::bf16 high_3) {
                    return (col <= row ? a * scale : 0.0f) - float(high_3);
                }, a, high_3);
                tk::store_shared(shared.queries_A[0], all_low, thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if (leader) tk::tma_store(A_map, shared.queries_A[0], b, h, t, 64 + panel);
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    } else {
        // gated_linear_attention_backward.tk:235: role keys(1 warpgroup) {
        tk::registers_at_least<240>();
        const int t_tiles = tk::tiles(N, 64);
        const int programs = t_tiles * H * B;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<1> behinds_next, os_next;
        tk::cursor<2> gs_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int t = program % t_tiles * 64;
            const int h = program / t_tiles % H;
            const int b = program / (t_tiles * H);

            // gated_linear_attention_backward.tk:236: var x: f32[L, L] = 0;
            tk::fragment<float, 64, 64> x;
            tk::zero(x);

            // gated_linear_attention_backward.tk:237: let o = consume os;
            const tk::cursor<1> o_element = shared.os.take(os_next);

            // gated_linear_attention_backward.tk:238: let v = consume vs;
            shared.vs.wait_full(o_element);

            // gated_linear_attention_backward.tk:239: let p = mma(v, o.T) * scale;
            tk::fragment<float, 64, 64> t0;
            tk::mma_async(t0, shared.vs_tile[o_element.stage],
                          tk::transposed(shared.os_tile[o_element.stage]), tk::accumulate_never{});
            tk::mma_wait<0>(t0);
            shared.os.release(o_element);
            tk::fragment<float, 64, 64> p;
            tk::map(p, [&](float t0) { return t0 * scale; }, t0);

            // <std.parts>:15: let high = T(x);
            tk::fragment<tk::bf16, 64, 64> high;
            tk::map(high, thread, [&](int row, int col, float p) {
                return col < N - t ? (col >= row ? p : 0.0f) : 0.0f;
            }, p);

            // gated_linear_attention_backward.tk:240: let own  = ..
            tk::fragment<tk::bf16, 64, 64> own_low;
            tk::map(own_low, thread, [&](int row, int col, float p, tk::bf16 high) {
                return (col < N - t ? (col >= row ? p : 0.0f) : 0.0f) - float(high);
            }, p, high);

            // gated_linear_attention_backward.tk:241: let w    = shared(own.high);
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.keys_w[0], high, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);

            // gated_linear_attention_backward.tk:242: let wlow = shared(own.low);
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.keys_wlow[0], own_low, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);

            // gated_linear_attention_backward.tk:243: shared s: T[L, 64] = 0;
            tk::fragment<tk::bf16, 64, 64> t3;
            tk::map(t3, []() { return tk::bf16(0.0f); });
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.keys_s[0], t3, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);

            // gated_linear_attention_backward.tk:244: shared m: T[L, L] = 0;
            tk::fragment<tk::bf16, 64, 64> t4;
            tk::map(t4, []() { return tk::bf16(0.0f); });
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.keys_m[0], t4, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);

            // gated_linear_attention_backward.tk:245: for c in DK by 64 {
            tk::fragment<float, 64, 64> t25;
            tk::fragment<float, 64, 64> u;
            tk::fragment<float, 64, 64> x_3;
            tk::column_fragment<float, 64> x_4;
            tk::column_fragment<float, 64> x_5;
            tk::fragment<float, 64, 64> u_2;
            for (int c = 0; c < 128; c += 64) {
                // gated_linear_attention_backward.tk:246: let g = consume gs;
                const tk::cursor<2> g_element = shared.gs.take(gs_next);

                // gated_linear_attention_backward.tk:247: let k = consume ks;
                shared.ks.wait_full(g_element);

                // gated_linear_attention_backward.tk:248: let q = consume qs;
                shared.qs.wait_full(g_element);

                // gated_linear_attention_backward.tk:249: let r = consume behinds;
                const tk::cursor<1> r_element = shared.behinds.take(behinds_next);

                // gated_linear_attention_backward.tk:250: let first = consume befores;
                shared.befores.wait_full(r_element);

                // gated_linear_attention_backward.tk:251: var past = sum(f32(first[:, 0 +: 64]) ..
                tk::fragment<tk::bf16, 64, 64> t1;
                tk::load_shared(t1, tk::part<0, 0, 64, 64>(shared.befores_tile[r_element.stage]),
                                thread);
                tk::fragment<tk::bf16, 64, 64> t2;
                tk::load_shared(t2, tk::part<0, 0, 64, 64>(shared.behinds_tile[r_element.stage]),
                                thread);
                tk::fragment<float, 64, 64> t7;
                tk::map(t7, [](tk::bf16 t1, tk::bf16 t2) { return float(t1) * float(t2); }, t1, t2);
                tk::column_fragment<float, 64> past;
                tk::fold_rows(past, t7, tk::plus{}, thread);
                tk::finish_rows(past, tk::plus{});

                // gated_linear_attention_backward.tk:252: if DV > 64 { past += sum(f32(first[:, ..
                tk::fragment<tk::bf16, 64, 64> t8;
                tk::load_shared(t8, tk::part<0, 64, 64, 64>(shared.befores_tile[r_element.stage]),
                                thread);
                shared.befores.release_after_loads(r_element);
                tk::fragment<tk::bf16, 64, 64> t16;
                tk::load_shared(t16, tk::part<0, 64, 64, 64>(shared.behinds_tile[r_element.stage]),
                                thread);
                tk::fragment<float, 64, 64> t11;
                tk::map(t11, [](tk::bf16 t8, tk::bf16 t16) { return float(t8) * float(t16); },
                        t8, t16);
                tk::column_fragment<float, 64> t12;
                tk::fold_rows(t12, t11, tk::plus{}, thread);
                tk::finish_rows(t12, tk::plus{});
                tk::map(past, [](float past, float t12) { return past + t12; }, past, t12);

                // gated_linear_attention_backward.tk:253: let g0 = past.T * exp2(sum(f32(g), ..
                tk::row_fragment<float, 64> t13;
                tk::transpose(t13, past, shared.keys_turned[0], thread, 4);
                tk::fragment<tk::bf16, 64, 64> t20;
                tk::load_shared(t20, shared.gs_tile[g_element.stage], thread);
                tk::fragment<float, 64, 64> t14 = tk::convert<float>(t20);
                tk::row_fragment<float, 64> t15;
                tk::reduce_columns(t15, t14, shared.keys_f32_rows_64[0], tk::plus{}, thread, 4);
                tk::row_fragment<float, 64> g0;
                tk::map(g0, [](float t13, float t15) { return t13 * tk::exp2(t15 * 1.442695f); },
                        t13, t15);

                // gated_linear_attention_backward.tk:254: var z = mma(v, r.T);
                tk::fragment<float, 64, 64> z;
                tk::mma_async(z, shared.vs_tile[o_element.stage],
                              tk::transposed(shared.behinds_tile[r_element.stage]),
                              tk::accumulate_never{});

                // gated_linear_attention_backward.tk:255: z *= exp2(mma(TG(where(col_index(x) > ..
                tk::fragment<tk::bf16, 64, 64> t17;
                tk::map(t17, thread, [](int row, int col) { return col > row ? 1.0f : 0.0f; });
                tk::fragment<float, 64, 64> t18;
                tk::mma_async(t18, t17, shared.gs_tile[g_element.stage], tk::accumulate_never{});
                tk::mma_wait<0>(z, t18, t17);
                shared.behinds.release_after_loads(r_element);
                tk::map(z, [](float z, float t18) { return z * tk::exp2(t18 * 1.442695f); },
                        z, t18);

                // gated_linear_attention.tk:48: var x: f32[L, L] = 0;
                tk::fragment<float, 64, 64> x_2;
                tk::zero(x_2);

                // gated_linear_attention_backward.tk:256: let away = ..
                tk::fragment<tk::bf16, 64, 64> t19;
                tk::map(t19, thread, [](int row, int col) {
                    return row >= 32 ? (col >= 32 && col <= row ? 1.0f : 0.0f)
                        : col > row && col < 32 ? -1.0f : 0.0f;
                });
                tk::fragment<float, 64, 64> away;
                tk::mma_async(away, t19, shared.gs_tile[g_element.stage], tk::accumulate_never{});

                // gated_linear_attention.tk:57: let reach = if T == bf16 { 40.0 } else { -1.0 };
                const float reach = 40.0f;
                tk::mma_wait<0>(away, t19);

                // gated_linear_attention.tk:58: return scalar(where(max(max(pad(abs(x), axis = ..
                tk::fragment<float, 64, 64> t21;
                tk::map(t21, [](float away) { return tk::abs(away); }, away);
                tk::column_fragment<float, 64> t22;
                tk::fold_rows(t22, t21, tk::maximum{}, thread);
                tk::finish_rows(t22, tk::maximum{});
                tk::row_fragment<float, 1> t23;
                tk::reduce_columns(t23, t22, shared.keys_f32_rows_1[0], tk::maximum{}, thread, 4);
                tk::row_fragment<int, 1> t24;
                tk::map(t24, [&](float t23) { return t23 <= reach ? 0 : 6; }, t23);
                const int number = t24.cell(0);

                // gated_linear_attention_backward.tk:257: let count = ..
                const int count = number;

                // gated_linear_attention_backward.tk:258: var dg: f32[L, 64] = 0;
                tk::fragment<float, 64, 64> dg;
                tk::zero(dg);

                // gated_linear_attention_backward.tk:259: dg += g0;
                tk::map(dg, [](float dg, float g0) { return dg + g0; }, dg, g0);

                // gated_linear_attention_backward.tk:260: if T == bf16 and count == 0 {
                if (count == 0) {
                    // gated_linear_attention_backward.tk:261: dg += sum(pad(z * k, axis = 0, ..
                    tk::fragment<tk::bf16, 64, 64> t29;
                    tk::load_shared(t29, shared.ks_tile[g_element.stage], thread);
                    if (t + 64 <= N) {
                        tk::map(t25, [](float z, tk::bf16 t29) { return z * float(t29); }, z, t29);
                    } else {
                        tk::map(t25, thread, [&](int row, int, float z, tk::bf16 t29) {
                            return row < N - t ? z * float(t29) : 0.0f;
                        }, z, t29);
                    }
                    tk::row_fragment<float, 64> t26;
                    tk::reduce_columns(t26, t25, shared.keys_f32_rows_64[0], tk::plus{}, thread, 4);
                    tk::map(dg, [](float dg, float t26) { return dg + t26; }, dg, t26);

                    // gated_linear_attention_backward.tk:262: let f = exp2(away * LOG2E);
                    tk::fragment<float, 64, 64> f;
                    tk::map(f, [](float away) { return tk::exp2(away * 1.442695f); }, away);

                    // <std.parts>:21: high = T(x);
                    tk::fragment<tk::bf16, 64, 64> t43;
                    tk::load_shared(t43, shared.qs_tile[g_element.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t27;
                    tk::map(t27, [](tk::bf16 t43, float f) { return float(t43) * f; }, t43, f);
                    tk::barrier_sync(4, 128);
                    tk::store_shared(shared.keys_s[0], t27, thread);
                    tk::fence_async();
                    tk::barrier_sync(4, 128);

                    // <std.parts>:22: low = T(x - high);
                    tk::fragment<tk::bf16, 64, 64> t47;
                    tk::load_shared(t47, shared.qs_tile[g_element.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t48;
                    tk::load_shared(t48, shared.keys_s[0], thread);
                    tk::fragment<tk::bf16, 64, 64> t28;
                    tk::map(t28, [](tk::bf16 t47, float f, tk::bf16 t48) {
                        return tk::fma(float(t47), f, -float(t48));
                    }, t47, f, t48);
                    tk::barrier_sync(4, 128);
                    tk::store_shared(shared.keys_m[0], t28, thread);
                    tk::fence_async();
                    tk::barrier_sync(4, 128);

                    // gated_linear_attention_backward.tk:264: var u = mma(w, s);
                    tk::mma_async(u, shared.keys_w[0], shared.keys_s[0], tk::accumulate_never{});

                    // gated_linear_attention_backward.tk:265: u += mma(w, m);
                    tk::mma_async(u, shared.keys_w[0], shared.keys_m[0]);

                    // gated_linear_attention_backward.tk:266: u += mma(wlow, s);
                    tk::mma_async(u, shared.keys_wlow[0], shared.keys_s[0]);
                    tk::mma_wait<0>(u);

                    // gated_linear_attention_backward.tk:267: u *= exp2(away * -LOG2E);
                    tk::map(u, [](float u, float away) { return u * tk::exp2(away * -1.442695f); },
                            u, away);

                    // gated_linear_attention_backward.tk:268: z += u;
                    tk::map(z, [](float z, float u) { return z + u; }, z, u);
                    // <std.parts>:21
                    tk::fragment<tk::bf16, 64, 64> t49;
                    tk::load_shared(t49, shared.ks_tile[g_element.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t30;
                    tk::map(t30, [](float z, tk::bf16 t49) { return -z * float(t49); }, z, t49);
                    tk::barrier_sync(4, 128);
                    tk::store_shared(shared.keys_s[0], t30, thread);
                    tk::fence_async();
                    tk::barrier_sync(4, 128);
                    // <std.parts>:22
                    tk::fragment<tk::bf16, 64, 64> t50;
                    tk::load_shared(t50, shared.ks_tile[g_element.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t51;
                    tk::load_shared(t51, shared.keys_s[0], thread);
                    tk::fragment<tk::bf16, 64, 64> t31;
                    tk::map(t31, [](float z, tk::bf16 t50, tk::bf16 t51) {
                        return tk::fma(-z, float(t50), -float(t51));
                    }, z, t50, t51);
                    tk::barrier_sync(4, 128);
                    tk::store_shared(shared.keys_m[0], t31, thread);
                    tk::fence_async();
                    tk::barrier_sync(4, 128);

                    // gated_linear_attention_backward.tk:42: var x: f32[L, L] = 0;
                    tk::zero(x_3);

                    // gated_linear_attention_backward.tk:271: dg += mma(since, s);
                    tk::fragment<tk::bf16, 64, 64> t32;
                    tk::map(t32, thread, [](int row, int col) { return col >= row ? 1.0f : 0.0f; });
                    tk::mma_async(dg, t32, shared.keys_s[0]);

                    // gated_linear_attention_backward.tk:272: dg += mma(since, m);
                    tk::mma_async(dg, t32, shared.keys_m[0]);
                    tk::mma_wait<0>(dg, t32);
                } else {
                    // gated_linear_attention_backward.tk:274: s = T(z * k);
                    tk::fragment<tk::bf16, 64, 64> t52;
                    tk::load_shared(t52, shared.ks_tile[g_element.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t34;
                    tk::map(t34, [](float z, tk::bf16 t52) { return z * float(t52); }, z, t52);
                    tk::barrier_sync(4, 128);
                    tk::store_shared(shared.keys_s[0], t34, thread);
                    tk::fence_async();
                    tk::barrier_sync(4, 128);

                    // gated_linear_attention_backward.tk:275: dg += mma(T(where(col_index(x) < ..
                    tk::fragment<tk::bf16, 64, 64> t35;
                    tk::map(t35, thread, [](int row, int col) { return col < row ? 1.0f : 0.0f; });
                    tk::mma_async(dg, t35, shared.keys_s[0]);

                    // gated_linear_attention_backward.tk:276: z += sum(where(row_index(x) == ..
                    tk::fragment<tk::bf16, 64, 64> t53;
                    tk::load_shared(t53, shared.keys_w[0], thread);
                    tk::fragment<tk::bf16, 64, 64> t54;
                    tk::load_shared(t54, shared.keys_wlow[0], thread);
                    tk::fragment<float, 64, 64> t36;
                    tk::map(t36, thread, [](int row, int col, tk::bf16 t53, tk::bf16 t54) {
                        return row == col ? float(t53) + float(t54) : 0.0f;
                    }, t53, t54);
                    tk::hold_waits(warp);
                    tk::column_fragment<float, 64> t37;
                    tk::fold_rows(t37, t36, tk::plus{}, thread);
                    tk::finish_rows(t37, tk::plus{});
                    tk::fragment<tk::bf16, 64, 64> t55;
                    tk::load_shared(t55, shared.qs_tile[g_element.stage], thread);
                    tk::map(z, [](float z, float t37, tk::bf16 t55) {
                        return tk::fma(t37, float(t55), z);
                    }, z, t37, t55);
                    tk::mma_wait<0>(dg, t35);

                    // gated_linear_attention_backward.tk:277: for b in 0..count {
                    for (int b_2 = 0; b_2 < count; b_2 += 1) {
                        // gated_linear_attention.tk:28: var x: f32[L, 1] = 0;
                        tk::zero(x_4);

                        // gated_linear_attention_backward.tk:279: m = T(where(rows, 1.0, 0.0));
                        tk::fragment<tk::bf16, 64, 64> t38;
                        tk::map(t38, thread, [&](int row, int col) {
                            const int x_8 = row >> (b_2 & 31);
                            const bool x_9 = (x_8 & 1) == 1;
                            const int x_10 = x_8 << (b_2 & 31);
                            const int x_11 = row + 1;
                            return col >= (x_9 ? x_10 : x_11) &&
                                col < (x_9 ? x_11 : tk::wrapping_add(x_10, 1 << (b_2 & 31))) ? 1.0f
                                : 0.0f;
                        });
                        tk::barrier_sync(4, 128);
                        tk::store_shared(shared.keys_m[0], t38, thread);
                        tk::fence_async();
                        tk::barrier_sync(4, 128);

                        // gated_linear_attention_backward.tk:280: let f = ..
                        tk::fragment<float, 64, 64> t40;
                        tk::mma_async(t40, t38, shared.gs_tile[g_element.stage],
                                      tk::accumulate_never{});
                        tk::mma_wait<0>(t40, t38);
                        tk::fragment<float, 64, 64> f_2;
                        tk::map(f_2, [](float t40) { return tk::exp2(t40 * 1.442695f); }, t40);

                        // gated_linear_attention_backward.tk:24: var x: f32[L, 1] = 0;
                        tk::zero(x_5);

                        // gated_linear_attention_backward.tk:282: s = T(q * f);
                        tk::fragment<tk::bf16, 64, 64> t56;
                        tk::load_shared(t56, shared.qs_tile[g_element.stage], thread);
                        tk::fragment<tk::bf16, 64, 64> t41;
                        tk::map(t41, [](tk::bf16 t56, float f_2) { return float(t56) * f_2; },
                                t56, f_2);
                        tk::barrier_sync(4, 128);
                        tk::store_shared(shared.keys_s[0], t41, thread);
                        tk::fence_async();
                        tk::barrier_sync(4, 128);

                        // gated_linear_attention_backward.tk:283: var u = ..
                        tk::fragment<tk::bf16, 64, 64> t57;
                        tk::load_shared(t57, shared.keys_w[0], thread);
                        tk::fragment<tk::bf16, 64, 64> t42;
                        tk::map(t42, thread, [&](int row, int col, tk::bf16 t57) {
                            const int x_8 = row >> (b_2 & 31);
                            const int x_9 = x_8 << (b_2 & 31);
                            return col >= tk::wrapping_add(x_9, 1 << (b_2 & 31)) &&
                                col < ((x_8 & 1) == 1 ? 0 : tk::wrapping_add(x_9, 2 << (b_2 & 31)))
                                ? tk::bf16(t57) : tk::bf16(0.0f);
                        }, t57);
                        tk::mma_async(u_2, t42, shared.keys_s[0], tk::accumulate_never{});
                        tk::mma_wait<0>(u_2, t42);

                        // gated_linear_attention_backward.tk:284: u *= f;
                        tk::map(u_2, [](float u_2, float f_2) { return u_2 * f_2; }, u_2, f_2);

                        // gated_linear_attention_backward.tk:285: z += u;
                        tk::map(z, [](float z, float u_2) { return z + u_2; }, z, u_2);

                        // gated_linear_attention_backward.tk:286: s = T(u * k);
                        tk::fragment<tk::bf16, 64, 64> t58;
                        tk::load_shared(t58, shared.ks_tile[g_element.stage], thread);
                        tk::fragment<tk::bf16, 64, 64> t44;
                        tk::map(t44, [](float u_2, tk::bf16 t58) { return u_2 * float(t58); },
                                u_2, t58);
                        tk::barrier_sync(4, 128);
                        tk::store_shared(shared.keys_s[0], t44, thread);
                        tk::fence_async();
                        tk::barrier_sync(4, 128);

                        // gated_linear_attention_backward.tk:287: dg += mma(m.T, s);
                        tk::mma_async(dg, tk::transposed(shared.keys_m[0]), shared.keys_s[0]);
                        tk::mma_wait<0>(dg);
                    }
                }
                shared.qs.release_after_loads(g_element);
                shared.ks.release_after_loads(g_element);
                shared.gs.release_after_loads(g_element);

                // gated_linear_attention_backward.tk:290: dg += consume exponents;
                shared.exponents.wait_full(r_element);
                tk::fragment<float, 64, 64> t59;
                tk::load_shared(t59, shared.exponents_tile[r_element.stage], thread);
                shared.exponents.release_after_loads(r_element, tk::ordinary_alone{});
                tk::map(dg, [](float dg, float t59) { return dg + t59; }, dg, t59);

                // gated_linear_attention_backward.tk:295: tma_store(dK[b, t, h, c], T(z));
                #pragma unroll
                for (int panel = 0; panel < 64; panel += 64) {
                    if (leader) tk::tma_store_wait_read<0>();
                    tk::barrier_sync(3, 128);
                    tk::store_shared(shared.keys_dK[0], tk::convert<tk::bf16>(z), thread);
                    tk::fence_async();
                    tk::barrier_sync(3, 128);
                    if (leader) tk::tma_store(dK_map, shared.keys_dK[0], b, t, h, c + panel);
                }

                // gated_linear_attention_backward.tk:298: if TDG == T { tma_store(dG[b, t, h, ..
                #pragma unroll
                for (int panel = 0; panel < 64; panel += 64) {
                    if (leader) tk::tma_store_wait_read<0>();
                    tk::barrier_sync(3, 128);
                    tk::store_shared(shared.keys_dK[0], tk::convert<tk::bf16>(dg), thread);
                    tk::fence_async();
                    tk::barrier_sync(3, 128);
                    if (leader) tk::tma_store(dG_map, shared.keys_dK[0], b, t, h, c + panel);
                }
            }
            shared.vs.release(o_element);
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

// chunks_general: kernel chunks with T = bf16, TG = bf16, TDG = bf16, DK = 128, DV = 128, PACKED =
// false, L = 64; any strides and alignment.
// producer: 1 warp, 24 registers a thread; queries: 1 warpgroup, 240 registers a thread; keys: 1
// warpgroup, 240 registers a thread.
// 384 threads, 168 registers each at first, 224432 bytes of shared memory; persistent.
struct chunks_general_shared {
    tk::shared_tile<tk::bf16, 64, 128> os_tile[1];
    tk::shared_tile<tk::bf16, 64, 128> vs_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> gs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> ks_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> qs_tile[2];
    tk::shared_tile<tk::bf16, 64, 128> befores_tile[1];
    tk::shared_tile<tk::bf16, 64, 128> behinds_tile[1];
    tk::shared_tile<float, 64, 64> exponents_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_w[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_wlow[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_s[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_r[1];
    tk::shared_tile<float, 4, 1> queries_f32_rows_1[1];
    tk::shared_tile<tk::bf16, 64, 64> keys_w[1];
    tk::shared_tile<tk::bf16, 64, 64> keys_wlow[1];
    tk::shared_tile<tk::bf16, 64, 64> keys_s[1];
    tk::shared_tile<tk::bf16, 64, 64> keys_m[1];
    tk::shared_tile<float, 4, 64> keys_f32_rows_64[1];
    tk::shared_tile<int, 1, 128> keys_turned[1];
    tk::shared_tile<float, 4, 1> keys_f32_rows_1[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_dQ[1];
    tk::shared_tile<tk::bf16, 64, 64> keys_dK[1];
    tk::shared_tile<tk::bf16, 64, 64> keys_dG[1];
    tk::pipeline<1> os;
    tk::pipeline<1> vs;
    tk::pipeline<2> gs;
    tk::pipeline<2> ks;
    tk::pipeline<2> qs;
    tk::pipeline<1> befores;
    tk::pipeline<1> behinds;
    tk::pipeline<1> exponents;
};
static_assert(offsetof(chunks_general_shared, exponents) == 224416);

__global__ void __launch_bounds__(384, 1) chunks_general_kernel(
    const __grid_constant__ CUtensorMap dO_map, const __grid_constant__ CUtensorMap V_map,
    const __grid_constant__ CUtensorMap G_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap Before_map,
    const __grid_constant__ CUtensorMap Behind_map, const __grid_constant__ CUtensorMap dQ_map,
    const __grid_constant__ CUtensorMap dK_map, const __grid_constant__ CUtensorMap dG_map,
    const tk::tensor_argument<tk::bf16, 4> A, int B, int N, int H, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    chunks_general_shared& shared = *reinterpret_cast<chunks_general_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(dO_map, V_map, G_map, K_map, Q_map, Before_map, Behind_map, dQ_map,
                              dK_map, dG_map);
        shared.os.init(1, 8);
        shared.vs.init(1, 8);
        shared.gs.init(1, 8);
        shared.ks.init(1, 8);
        shared.qs.init(1, 8);
        shared.befores.init(1, 8);
        shared.behinds.init(1, 4);
        shared.exponents.init(4, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gated_linear_attention_backward.tk:157: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int t_tiles = tk::tiles(N, 64);
        const int programs = t_tiles * H * B;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<1> befores_next, behinds_next, os_next, vs_next;
            tk::cursor<2> gs_next, ks_next, qs_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int t = program % t_tiles * 64;
                const int h = program / t_tiles % H;
                const int b = program / (t_tiles * H);

                // gated_linear_attention_backward.tk:158: produce os = tma_load(dO[b, t, h, :]);
                shared.os.begin(os_next, 16384);
                tk::tma_load(shared.os_tile[os_next.stage], dO_map, shared.os.full[os_next.stage],
                             b, t, h, 0);
                os_next.advance();

                // gated_linear_attention_backward.tk:159: produce vs = tma_load(V[b, t, h, :]);
                shared.vs.begin(vs_next, 16384);
                tk::tma_load(shared.vs_tile[vs_next.stage], V_map, shared.vs.full[vs_next.stage], b,
                             t, h, 0);
                vs_next.advance();

                // gated_linear_attention_backward.tk:160: for c in DK by 64 {
                #pragma unroll 1
                for (int c = 0; c < 128; c += 64) {
                    // gated_linear_attention_backward.tk:161: produce gs = tma_load(G[b, t, h, c]);
                    shared.gs.begin(gs_next, 8192);
                    tk::tma_load(shared.gs_tile[gs_next.stage], G_map,
                                 shared.gs.full[gs_next.stage], b, t, h, c);
                    gs_next.advance();

                    // gated_linear_attention_backward.tk:162: produce ks = tma_load(K[b, t, h, c]);
                    shared.ks.begin(ks_next, 8192);
                    tk::tma_load(shared.ks_tile[ks_next.stage], K_map,
                                 shared.ks.full[ks_next.stage], b, t, h, c);
                    ks_next.advance();

                    // gated_linear_attention_backward.tk:163: produce qs = tma_load(Q[b, t, h, c]);
                    shared.qs.begin(qs_next, 8192);
                    tk::tma_load(shared.qs_tile[qs_next.stage], Q_map,
                                 shared.qs.full[qs_next.stage], b, t, h, c);
                    qs_next.advance();

                    // gated_linear_attention_backward.tk:164: produce befores = ..
                    shared.befores.begin(befores_next, 16384);
                    tk::tma_load(shared.befores_tile[befores_next.stage], Before_map,
                                 shared.befores.full[befores_next.stage], b, t / 64, h * 128 + c,
                                 0);
                    befores_next.advance();

                    // gated_linear_attention_backward.tk:165: produce behinds = ..
                    shared.behinds.begin(behinds_next, 16384);
                    tk::tma_load(shared.behinds_tile[behinds_next.stage], Behind_map,
                                 shared.behinds.full[behinds_next.stage], b, t / 64, h * 128 + c,
                                 0);
                    behinds_next.advance();
                }
            }
        }
    } else if (warp < 4) {
        // gated_linear_attention_backward.tk:168: role queries(1 warpgroup) {
        tk::registers_at_least<240>();
        const int t_tiles = tk::tiles(N, 64);
        const int programs = t_tiles * H * B;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<1> befores_next, exponents_next_2, os_next;
        tk::cursor<2> gs_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int t = program % t_tiles * 64;
            const int h = program / t_tiles % H;
            const int b = program / (t_tiles * H);

            // gated_linear_attention_backward.tk:169: let o = consume os;
            const tk::cursor<1> o_element = shared.os.take(os_next);

            // gated_linear_attention_backward.tk:170: let p = mma(o, (consume vs).T) * scale;
            shared.vs.wait_full(o_element);
            tk::fragment<float, 64, 64> t0;
            tk::mma_async(t0, shared.os_tile[o_element.stage],
                          tk::transposed(shared.vs_tile[o_element.stage]), tk::accumulate_never{});
            tk::mma_wait<0>(t0);
            shared.vs.release(o_element);
            tk::fragment<float, 64, 64> p;
            tk::map(p, [&](float t0) { return t0 * scale; }, t0);

            // <std.parts>:15: let high = T(x);
            tk::fragment<tk::bf16, 64, 64> high;
            tk::map(high, thread, [&](int row, int col, float p) {
                return col < N - t ? (col <= row ? p : 0.0f) : 0.0f;
            }, p);

            // gated_linear_attention_backward.tk:171: let own  = ..
            tk::fragment<tk::bf16, 64, 64> own_low;
            tk::map(own_low, thread, [&](int row, int col, float p, tk::bf16 high) {
                return (col < N - t ? (col <= row ? p : 0.0f) : 0.0f) - float(high);
            }, p, high);

            // gated_linear_attention_backward.tk:172: let w    = shared(own.high);
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.queries_w[0], high, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);

            // gated_linear_attention_backward.tk:173: let wlow = shared(own.low);
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.queries_wlow[0], own_low, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);

            // gated_linear_attention_backward.tk:174: shared s: T[L, 64] = 0;
            tk::fragment<tk::bf16, 64, 64> t3;
            tk::map(t3, []() { return tk::bf16(0.0f); });
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.queries_s[0], t3, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);

            // gated_linear_attention_backward.tk:175: shared r: T[L, 64] = 0;
            tk::fragment<tk::bf16, 64, 64> t4;
            tk::map(t4, []() { return tk::bf16(0.0f); });
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.queries_r[0], t4, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);

            // gated_linear_attention_backward.tk:176: var a: f32[L, L] = 0;
            tk::fragment<float, 64, 64> a;
            tk::zero(a);

            // gated_linear_attention_backward.tk:177: for c in DK by 64 {
            tk::fragment<float, 64, 64> u;
            tk::fragment<float, 64, 64> x_3;
            tk::fragment<float, 64, 64> x_4;
            tk::column_fragment<float, 64> x_5;
            tk::column_fragment<float, 64> x_6;
            tk::fragment<float, 64, 64> u_2;
            tk::column_fragment<float, 64> x_7;
            for (int c = 0; c < 128; c += 64) {
                // gated_linear_attention_backward.tk:178: let g = consume gs;
                const tk::cursor<2> g_element = shared.gs.take(gs_next);

                // gated_linear_attention_backward.tk:179: let k = consume ks;
                shared.ks.wait_full(g_element);

                // gated_linear_attention_backward.tk:180: let q = consume qs;
                shared.qs.wait_full(g_element);

                // gated_linear_attention_backward.tk:181: var z = mma(o, (consume befores).T);
                const tk::cursor<1> befores_element = shared.befores.take(befores_next);
                tk::fragment<float, 64, 64> z;
                tk::mma_async(z, shared.os_tile[o_element.stage],
                              tk::transposed(shared.befores_tile[befores_element.stage]),
                              tk::accumulate_never{});

                // gated_linear_attention_backward.tk:182: z *= exp2(mma(TG(where(col_index(a) <= ..
                tk::fragment<tk::bf16, 64, 64> t6;
                tk::map(t6, thread, [](int row, int col) { return col <= row ? 1.0f : 0.0f; });
                tk::fragment<float, 64, 64> t7;
                tk::mma_async(t7, t6, shared.gs_tile[g_element.stage], tk::accumulate_never{});
                tk::mma_wait<0>(z, t7, t6);
                shared.befores.release(befores_element);
                tk::map(z, [&](float z, float t7) {
                    return z * (tk::exp2(t7 * 1.442695f) * scale);
                }, z, t7);

                // gated_linear_attention.tk:48: var x: f32[L, L] = 0;
                tk::fragment<float, 64, 64> x;
                tk::zero(x);

                // gated_linear_attention_backward.tk:183: let x = ..
                tk::fragment<tk::bf16, 64, 64> t8;
                tk::map(t8, thread, [](int row, int col) {
                    return row >= 32 ? (col >= 32 && col <= row ? 1.0f : 0.0f)
                        : col > row && col < 32 ? -1.0f : 0.0f;
                });
                tk::fragment<float, 64, 64> x_2;
                tk::mma_async(x_2, t8, shared.gs_tile[g_element.stage], tk::accumulate_never{});

                // gated_linear_attention.tk:57: let reach = if T == bf16 { 40.0 } else { -1.0 };
                const float reach = 40.0f;
                tk::mma_wait<0>(x_2, t8);

                // gated_linear_attention.tk:58: return scalar(where(max(max(pad(abs(x), axis = ..
                tk::fragment<float, 64, 64> t10;
                tk::map(t10, [](float x_2) { return tk::abs(x_2); }, x_2);
                tk::column_fragment<float, 64> t11;
                tk::fold_rows(t11, t10, tk::maximum{}, thread);
                tk::finish_rows(t11, tk::maximum{});
                tk::row_fragment<float, 1> t12;
                tk::reduce_columns(t12, t11, shared.queries_f32_rows_1[0], tk::maximum{}, thread,
                                   2);
                tk::row_fragment<int, 1> t13;
                tk::map(t13, [&](float t12) { return t12 <= reach ? 0 : 6; }, t12);
                const int number = t13.cell(0);

                // gated_linear_attention_backward.tk:184: let count = ..
                const int count = number;

                // gated_linear_attention_backward.tk:185: var dg: f32[L, 64] = 0;
                tk::fragment<float, 64, 64> dg;
                tk::zero(dg);

                // gated_linear_attention_backward.tk:186: if T == bf16 and count == 0 {
                if (count == 0) {
                    // gated_linear_attention_backward.tk:187: let f = exp2(x * -LOG2E);
                    tk::fragment<float, 64, 64> f;
                    tk::map(f, [](float x_2) { return tk::exp2(x_2 * -1.442695f); }, x_2);

                    // <std.parts>:21: high = T(x);
                    tk::fragment<tk::bf16, 64, 64> t1;
                    tk::load_shared(t1, shared.ks_tile[g_element.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t14;
                    tk::map(t14, [](tk::bf16 t1, float f) { return float(t1) * f; }, t1, f);
                    tk::barrier_sync(2, 128);
                    tk::store_shared(shared.queries_s[0], t14, thread);
                    tk::fence_async();
                    tk::barrier_sync(2, 128);

                    // <std.parts>:22: low = T(x - high);
                    tk::fragment<tk::bf16, 64, 64> t2;
                    tk::load_shared(t2, shared.ks_tile[g_element.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t5;
                    tk::load_shared(t5, shared.queries_s[0], thread);
                    tk::fragment<tk::bf16, 64, 64> t15;
                    tk::map(t15, [](tk::bf16 t2, float f, tk::bf16 t5) {
                        return tk::fma(float(t2), f, -float(t5));
                    }, t2, f, t5);
                    tk::barrier_sync(2, 128);
                    tk::store_shared(shared.queries_r[0], t15, thread);
                    tk::fence_async();
                    tk::barrier_sync(2, 128);

                    // gated_linear_attention_backward.tk:189: var u = mma(w, s);
                    tk::mma_async(u, shared.queries_w[0], shared.queries_s[0],
                                  tk::accumulate_never{});

                    // gated_linear_attention_backward.tk:190: u += mma(w, r);
                    tk::mma_async(u, shared.queries_w[0], shared.queries_r[0]);

                    // gated_linear_attention_backward.tk:191: u += mma(wlow, s);
                    tk::mma_async(u, shared.queries_wlow[0], shared.queries_s[0]);

                    // gated_linear_attention_backward.tk:192: let e = exp2(x * LOG2E);
                    tk::fragment<float, 64, 64> e;
                    tk::map(e, [](float x_2) { return tk::exp2(x_2 * 1.442695f); }, x_2);
                    // <std.parts>:15
                    tk::fragment<tk::bf16, 64, 64> t9;
                    tk::load_shared(t9, shared.qs_tile[g_element.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> high_2;
                    tk::map(high_2, [](tk::bf16 t9, float e) { return float(t9) * e; }, t9, e);

                    // gated_linear_attention_backward.tk:193: let y = parts.split<T>(q * e);
                    tk::fragment<tk::bf16, 64, 64> t16;
                    tk::load_shared(t16, shared.qs_tile[g_element.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> y_low;
                    tk::map(y_low, [](tk::bf16 t16, float e, tk::bf16 high_2) {
                        return tk::fma(float(t16), e, -float(high_2));
                    }, t16, e, high_2);

                    // gated_linear_attention_backward.tk:194: a += mma(y.high, s.T);
                    tk::mma_async(a, high_2, tk::transposed(shared.queries_s[0]));

                    // gated_linear_attention_backward.tk:195: a += mma(y.high, r.T);
                    tk::mma_async(a, high_2, tk::transposed(shared.queries_r[0]));

                    // gated_linear_attention_backward.tk:196: a += mma(y.low, s.T);
                    tk::mma_async(a, y_low, tk::transposed(shared.queries_s[0]));
                    tk::mma_wait<3>(u);

                    // gated_linear_attention_backward.tk:197: u *= e;
                    tk::map(u, [](float u, float e) { return u * e; }, u, e);

                    // gated_linear_attention_backward.tk:198: z += u;
                    tk::map(z, [](float z, float u) { return z + u; }, z, u);
                    // <std.parts>:21
                    tk::fragment<tk::bf16, 64, 64> t25;
                    tk::load_shared(t25, shared.qs_tile[g_element.stage], thread);
                    tk::hold_waits(warp);
                    tk::fragment<tk::bf16, 64, 64> t17;
                    tk::map(t17, [](float z, tk::bf16 t25) { return z * float(t25); }, z, t25);
                    tk::mma_wait<0>(a, high_2, y_low);
                    tk::barrier_sync(2, 128);
                    tk::store_shared(shared.queries_s[0], t17, thread);
                    tk::fence_async();
                    tk::barrier_sync(2, 128);
                    // <std.parts>:22
                    tk::fragment<tk::bf16, 64, 64> t30;
                    tk::load_shared(t30, shared.qs_tile[g_element.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t32;
                    tk::load_shared(t32, shared.queries_s[0], thread);
                    tk::fragment<tk::bf16, 64, 64> t18;
                    tk::map(t18, [](float z, tk::bf16 t30, tk::bf16 t32) {
                        return tk::fma(z, float(t30), -float(t32));
                    }, z, t30, t32);
                    tk::barrier_sync(2, 128);
                    tk::store_shared(shared.queries_r[0], t18, thread);
                    tk::fence_async();
                    tk::barrier_sync(2, 128);

                    // gated_linear_attention_backward.tk:42: var x: f32[L, L] = 0;
                    tk::zero(x_3);

                    // gated_linear_attention_backward.tk:201: dg += mma(since, s);
                    tk::fragment<tk::bf16, 64, 64> t19;
                    tk::map(t19, thread, [](int row, int col) { return col >= row ? 1.0f : 0.0f; });
                    tk::mma_async(dg, t19, shared.queries_s[0]);

                    // gated_linear_attention_backward.tk:202: dg += mma(since, r);
                    tk::mma_async(dg, t19, shared.queries_r[0]);
                    tk::mma_wait<0>(dg, t19);
                } else {
                    // gated_linear_attention_backward.tk:204: s = T(z * q);
                    tk::fragment<tk::bf16, 64, 64> t36;
                    tk::load_shared(t36, shared.qs_tile[g_element.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t21;
                    tk::map(t21, [](float z, tk::bf16 t36) { return z * float(t36); }, z, t36);
                    tk::barrier_sync(2, 128);
                    tk::store_shared(shared.queries_s[0], t21, thread);
                    tk::fence_async();
                    tk::barrier_sync(2, 128);
                    // gated_linear_attention_backward.tk:42
                    tk::zero(x_4);

                    // gated_linear_attention_backward.tk:205: dg += mma(T(onward<L>()), s);
                    tk::fragment<tk::bf16, 64, 64> t22;
                    tk::map(t22, thread, [](int row, int col) { return col >= row ? 1.0f : 0.0f; });
                    tk::mma_async(dg, t22, shared.queries_s[0]);

                    // gated_linear_attention_backward.tk:206: z += sum(where(row_index(a) == ..
                    tk::fragment<tk::bf16, 64, 64> t37;
                    tk::load_shared(t37, shared.queries_w[0], thread);
                    tk::fragment<tk::bf16, 64, 64> t38;
                    tk::load_shared(t38, shared.queries_wlow[0], thread);
                    tk::fragment<float, 64, 64> t23;
                    tk::map(t23, thread, [](int row, int col, tk::bf16 t37, tk::bf16 t38) {
                        return row == col ? float(t37) + float(t38) : 0.0f;
                    }, t37, t38);
                    tk::column_fragment<float, 64> t24;
                    tk::fold_rows(t24, t23, tk::plus{}, thread);
                    tk::finish_rows(t24, tk::plus{});
                    tk::fragment<tk::bf16, 64, 64> t39;
                    tk::load_shared(t39, shared.ks_tile[g_element.stage], thread);
                    tk::map(z, [](float z, float t24, tk::bf16 t39) {
                        return tk::fma(t24, float(t39), z);
                    }, z, t24, t39);

                    // gated_linear_attention_backward.tk:207: let n = mma(q, k.T);
                    tk::fragment<float, 64, 64> n;
                    tk::mma_async(n, shared.qs_tile[g_element.stage],
                                  tk::transposed(shared.ks_tile[g_element.stage]),
                                  tk::accumulate_never{});
                    tk::mma_wait<0>(dg, n, t22);

                    // gated_linear_attention_backward.tk:208: a += where(row_index(n) == ..
                    tk::map(a, thread, [](int row, int col, float a, float n) {
                        return a + (row == col ? n : 0.0f);
                    }, a, n);

                    // gated_linear_attention_backward.tk:209: for b in 0..count {
                    for (int b_2 = 0; b_2 < count; b_2 += 1) {
                        // gated_linear_attention.tk:28: var x: f32[L, 1] = 0;
                        tk::zero(x_5);

                        // gated_linear_attention_backward.tk:211: let f = exp2(mma(m, g) * LOG2E);
                        tk::fragment<tk::bf16, 64, 64> t26;
                        tk::map(t26, thread, [&](int row, int col) {
                            const int x_8 = row >> (b_2 & 31);
                            const bool x_9 = (x_8 & 1) == 1;
                            const int x_10 = x_8 << (b_2 & 31);
                            const int x_11 = row + 1;
                            return col >= (x_9 ? x_10 : x_11) &&
                                col < (x_9 ? x_11 : tk::wrapping_add(x_10, 1 << (b_2 & 31))) ? 1.0f
                                : 0.0f;
                        });
                        tk::fragment<float, 64, 64> t27;
                        tk::mma_async(t27, t26, shared.gs_tile[g_element.stage],
                                      tk::accumulate_never{});
                        tk::mma_wait<0>(t27, t26);
                        tk::fragment<float, 64, 64> f_2;
                        tk::map(f_2, [](float t27) { return tk::exp2(t27 * 1.442695f); }, t27);

                        // gated_linear_attention.tk:38: var x: f32[L, 1] = 0;
                        tk::zero(x_6);

                        // gated_linear_attention.tk:40: let c = b - 1;
                        const int c_2 = b_2;

                        // gated_linear_attention_backward.tk:213: s = T(k * f);
                        tk::fragment<tk::bf16, 64, 64> t40;
                        tk::load_shared(t40, shared.ks_tile[g_element.stage], thread);
                        tk::fragment<tk::bf16, 64, 64> t28;
                        tk::map(t28, [](tk::bf16 t40, float f_2) { return float(t40) * f_2; },
                                t40, f_2);
                        tk::barrier_sync(2, 128);
                        tk::store_shared(shared.queries_s[0], t28, thread);
                        tk::fence_async();
                        tk::barrier_sync(2, 128);

                        // gated_linear_attention_backward.tk:214: let y = mma(T(q * f), s.T);
                        tk::fragment<tk::bf16, 64, 64> t41;
                        tk::load_shared(t41, shared.qs_tile[g_element.stage], thread);
                        tk::fragment<tk::bf16, 64, 64> t29;
                        tk::map(t29, [](tk::bf16 t41, float f_2) { return float(t41) * f_2; },
                                t41, f_2);
                        tk::fragment<float, 64, 64> y;
                        tk::mma_async(y, t29, tk::transposed(shared.queries_s[0]),
                                      tk::accumulate_never{});
                        tk::mma_wait<0>(y, t29);

                        // gated_linear_attention_backward.tk:215: a += ..
                        tk::map(a, thread, [&](int row, int col, float a, float y) {
                            const bool x_8 = b_2 + 1 == 0;
                            const int x_9 = row >> (c_2 & 31);
                            const int x_10 = x_9 << (c_2 & 31);
                            return a +
                                (col >=
                                 (x_8 ? row : tk::wrapping_subtract(x_10, 1 << (c_2 & 31))) &&
                                 col < (x_8 ? row + 1 : (x_9 & 1) == 1 ? x_10 : 0) ? y : 0.0f);
                        }, a, y);

                        // gated_linear_attention_backward.tk:216: var u = ..
                        tk::fragment<tk::bf16, 64, 64> t42;
                        tk::load_shared(t42, shared.queries_w[0], thread);
                        tk::fragment<tk::bf16, 64, 64> t31;
                        tk::map(t31, thread, [&](int row, int col, tk::bf16 t42) {
                            const bool x_8 = b_2 + 1 == 0;
                            const int x_9 = row >> (c_2 & 31);
                            const int x_10 = x_9 << (c_2 & 31);
                            return col >=
                                (x_8 ? row : tk::wrapping_subtract(x_10, 1 << (c_2 & 31))) &&
                                col < (x_8 ? row + 1 : (x_9 & 1) == 1 ? x_10 : 0) ? tk::bf16(t42)
                                : tk::bf16(0.0f);
                        }, t42);
                        tk::mma_async(u_2, t31, shared.queries_s[0], tk::accumulate_never{});
                        tk::mma_wait<0>(u_2, t31);

                        // gated_linear_attention_backward.tk:217: u *= f;
                        tk::map(u_2, [](float u_2, float f_2) { return u_2 * f_2; }, u_2, f_2);

                        // gated_linear_attention_backward.tk:218: z += u;
                        tk::map(z, [](float z, float u_2) { return z + u_2; }, z, u_2);

                        // gated_linear_attention_backward.tk:219: s = T(u * q);
                        tk::fragment<tk::bf16, 64, 64> t43;
                        tk::load_shared(t43, shared.qs_tile[g_element.stage], thread);
                        tk::fragment<tk::bf16, 64, 64> t33;
                        tk::map(t33, [](float u_2, tk::bf16 t43) { return u_2 * float(t43); },
                                u_2, t43);
                        tk::barrier_sync(2, 128);
                        tk::store_shared(shared.queries_s[0], t33, thread);
                        tk::fence_async();
                        tk::barrier_sync(2, 128);

                        // gated_linear_attention_backward.tk:33: var x: f32[L, 1] = 0;
                        tk::zero(x_7);

                        // gated_linear_attention_backward.tk:220: dg += ..
                        tk::fragment<tk::bf16, 64, 64> t34;
                        tk::map(t34, thread, [&](int row, int col) {
                            const int x_8 = row >> (b_2 & 31);
                            const bool x_9 = (x_8 & 1) == 1;
                            const int x_10 = x_8 << (b_2 & 31);
                            return col >= (x_9 ? row : x_10) &&
                                col < (x_9 ? tk::wrapping_add(x_10, 1 << (b_2 & 31)) : row) ? 1.0f
                                : 0.0f;
                        });
                        tk::mma_async(dg, t34, shared.queries_s[0]);
                        tk::mma_wait<0>(dg, t34);
                    }
                }
                shared.qs.release_after_loads(g_element);
                shared.ks.release_after_loads(g_element);
                shared.gs.release(g_element);

                // gated_linear_attention_backward.tk:223: produce exponents = dg;
                shared.exponents.wait_empty(exponents_next_2);
                tk::store_shared(shared.exponents_tile[exponents_next_2.stage], dg, thread);
                shared.exponents.publish(exponents_next_2, tk::ordinary_alone{});
                exponents_next_2.advance();

                // gated_linear_attention_backward.tk:228: tma_store(dQ[b, t, h, c], T(z));
                #pragma unroll
                for (int panel = 0; panel < 64; panel += 64) {
                    if (leader) tk::tma_store_wait_read<0>();
                    tk::barrier_sync(1, 128);
                    tk::store_shared(shared.queries_dQ[0], tk::convert<tk::bf16>(z), thread);
                    tk::fence_async();
                    tk::barrier_sync(1, 128);
                    if (leader) tk::tma_store(dQ_map, shared.queries_dQ[0], b, t, h, c + panel);
                }
            }
            shared.os.release(o_element);
            // <std.parts>:15
            tk::fragment<tk::bf16, 64, 64> high_3;
            tk::map(high_3, thread, [&](int row, int col, float a) {
                return col <= row ? a * scale : 0.0f;
            }, a);

            // gated_linear_attention_backward.tk:231: let all = ..
            tk::fragment<tk::bf16, 64, 64> all_low;
            tk::map(all_low, thread, [&](int row, int col, float a, tk::bf16 high_3) {
                return (col <= row ? a * scale : 0.0f) - float(high_3);
            }, a, high_3);

            // gated_linear_attention_backward.tk:232: store(A[b, h, t.start +: L, 0 +: L], ..
            tk::store_global(tk::slice(A, {b, h, t, 0}, tk::divide_up(N, 64) * 64 - t, 128), high_3,
                             thread);

            // gated_linear_attention_backward.tk:233: store(A[b, h, t.start +: L, L +: L], ..
            tk::store_global(tk::slice(A, {b, h, t, 64}, tk::divide_up(N, 64) * 64 - t, 128 - 64),
                             all_low, thread);
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    } else {
        // gated_linear_attention_backward.tk:235: role keys(1 warpgroup) {
        tk::registers_at_least<240>();
        const int t_tiles = tk::tiles(N, 64);
        const int programs = t_tiles * H * B;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<1> behinds_next, os_next;
        tk::cursor<2> gs_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int t = program % t_tiles * 64;
            const int h = program / t_tiles % H;
            const int b = program / (t_tiles * H);

            // gated_linear_attention_backward.tk:236: var x: f32[L, L] = 0;
            tk::fragment<float, 64, 64> x;
            tk::zero(x);

            // gated_linear_attention_backward.tk:237: let o = consume os;
            const tk::cursor<1> o_element = shared.os.take(os_next);

            // gated_linear_attention_backward.tk:238: let v = consume vs;
            shared.vs.wait_full(o_element);

            // gated_linear_attention_backward.tk:239: let p = mma(v, o.T) * scale;
            tk::fragment<float, 64, 64> t0;
            tk::mma_async(t0, shared.vs_tile[o_element.stage],
                          tk::transposed(shared.os_tile[o_element.stage]), tk::accumulate_never{});
            tk::mma_wait<0>(t0);
            shared.os.release(o_element);
            tk::fragment<float, 64, 64> p;
            tk::map(p, [&](float t0) { return t0 * scale; }, t0);

            // <std.parts>:15: let high = T(x);
            tk::fragment<tk::bf16, 64, 64> high;
            tk::map(high, thread, [&](int row, int col, float p) {
                return col < N - t ? (col >= row ? p : 0.0f) : 0.0f;
            }, p);

            // gated_linear_attention_backward.tk:240: let own  = ..
            tk::fragment<tk::bf16, 64, 64> own_low;
            tk::map(own_low, thread, [&](int row, int col, float p, tk::bf16 high) {
                return (col < N - t ? (col >= row ? p : 0.0f) : 0.0f) - float(high);
            }, p, high);

            // gated_linear_attention_backward.tk:241: let w    = shared(own.high);
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.keys_w[0], high, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);

            // gated_linear_attention_backward.tk:242: let wlow = shared(own.low);
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.keys_wlow[0], own_low, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);

            // gated_linear_attention_backward.tk:243: shared s: T[L, 64] = 0;
            tk::fragment<tk::bf16, 64, 64> t3;
            tk::map(t3, []() { return tk::bf16(0.0f); });
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.keys_s[0], t3, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);

            // gated_linear_attention_backward.tk:244: shared m: T[L, L] = 0;
            tk::fragment<tk::bf16, 64, 64> t4;
            tk::map(t4, []() { return tk::bf16(0.0f); });
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.keys_m[0], t4, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);

            // gated_linear_attention_backward.tk:245: for c in DK by 64 {
            tk::fragment<float, 64, 64> t25;
            tk::fragment<float, 64, 64> u;
            tk::fragment<float, 64, 64> x_3;
            tk::column_fragment<float, 64> x_4;
            tk::column_fragment<float, 64> x_5;
            tk::fragment<float, 64, 64> u_2;
            for (int c = 0; c < 128; c += 64) {
                // gated_linear_attention_backward.tk:246: let g = consume gs;
                const tk::cursor<2> g_element = shared.gs.take(gs_next);

                // gated_linear_attention_backward.tk:247: let k = consume ks;
                shared.ks.wait_full(g_element);

                // gated_linear_attention_backward.tk:248: let q = consume qs;
                shared.qs.wait_full(g_element);

                // gated_linear_attention_backward.tk:249: let r = consume behinds;
                const tk::cursor<1> r_element = shared.behinds.take(behinds_next);

                // gated_linear_attention_backward.tk:250: let first = consume befores;
                shared.befores.wait_full(r_element);

                // gated_linear_attention_backward.tk:251: var past = sum(f32(first[:, 0 +: 64]) ..
                tk::fragment<tk::bf16, 64, 64> t1;
                tk::load_shared(t1, tk::part<0, 0, 64, 64>(shared.befores_tile[r_element.stage]),
                                thread);
                tk::fragment<tk::bf16, 64, 64> t2;
                tk::load_shared(t2, tk::part<0, 0, 64, 64>(shared.behinds_tile[r_element.stage]),
                                thread);
                tk::fragment<float, 64, 64> t7;
                tk::map(t7, [](tk::bf16 t1, tk::bf16 t2) { return float(t1) * float(t2); }, t1, t2);
                tk::column_fragment<float, 64> past;
                tk::fold_rows(past, t7, tk::plus{}, thread);
                tk::finish_rows(past, tk::plus{});

                // gated_linear_attention_backward.tk:252: if DV > 64 { past += sum(f32(first[:, ..
                tk::fragment<tk::bf16, 64, 64> t8;
                tk::load_shared(t8, tk::part<0, 64, 64, 64>(shared.befores_tile[r_element.stage]),
                                thread);
                shared.befores.release_after_loads(r_element);
                tk::fragment<tk::bf16, 64, 64> t16;
                tk::load_shared(t16, tk::part<0, 64, 64, 64>(shared.behinds_tile[r_element.stage]),
                                thread);
                tk::fragment<float, 64, 64> t11;
                tk::map(t11, [](tk::bf16 t8, tk::bf16 t16) { return float(t8) * float(t16); },
                        t8, t16);
                tk::column_fragment<float, 64> t12;
                tk::fold_rows(t12, t11, tk::plus{}, thread);
                tk::finish_rows(t12, tk::plus{});
                tk::map(past, [](float past, float t12) { return past + t12; }, past, t12);

                // gated_linear_attention_backward.tk:253: let g0 = past.T * exp2(sum(f32(g), ..
                tk::row_fragment<float, 64> t13;
                tk::transpose(t13, past, shared.keys_turned[0], thread, 4);
                tk::fragment<tk::bf16, 64, 64> t20;
                tk::load_shared(t20, shared.gs_tile[g_element.stage], thread);
                tk::fragment<float, 64, 64> t14 = tk::convert<float>(t20);
                tk::row_fragment<float, 64> t15;
                tk::reduce_columns(t15, t14, shared.keys_f32_rows_64[0], tk::plus{}, thread, 4);
                tk::row_fragment<float, 64> g0;
                tk::map(g0, [](float t13, float t15) { return t13 * tk::exp2(t15 * 1.442695f); },
                        t13, t15);

                // gated_linear_attention_backward.tk:254: var z = mma(v, r.T);
                tk::fragment<float, 64, 64> z;
                tk::mma_async(z, shared.vs_tile[o_element.stage],
                              tk::transposed(shared.behinds_tile[r_element.stage]),
                              tk::accumulate_never{});

                // gated_linear_attention_backward.tk:255: z *= exp2(mma(TG(where(col_index(x) > ..
                tk::fragment<tk::bf16, 64, 64> t17;
                tk::map(t17, thread, [](int row, int col) { return col > row ? 1.0f : 0.0f; });
                tk::fragment<float, 64, 64> t18;
                tk::mma_async(t18, t17, shared.gs_tile[g_element.stage], tk::accumulate_never{});
                tk::mma_wait<0>(z, t18, t17);
                shared.behinds.release_after_loads(r_element);
                tk::map(z, [](float z, float t18) { return z * tk::exp2(t18 * 1.442695f); },
                        z, t18);

                // gated_linear_attention.tk:48: var x: f32[L, L] = 0;
                tk::fragment<float, 64, 64> x_2;
                tk::zero(x_2);

                // gated_linear_attention_backward.tk:256: let away = ..
                tk::fragment<tk::bf16, 64, 64> t19;
                tk::map(t19, thread, [](int row, int col) {
                    return row >= 32 ? (col >= 32 && col <= row ? 1.0f : 0.0f)
                        : col > row && col < 32 ? -1.0f : 0.0f;
                });
                tk::fragment<float, 64, 64> away;
                tk::mma_async(away, t19, shared.gs_tile[g_element.stage], tk::accumulate_never{});

                // gated_linear_attention.tk:57: let reach = if T == bf16 { 40.0 } else { -1.0 };
                const float reach = 40.0f;
                tk::mma_wait<0>(away, t19);

                // gated_linear_attention.tk:58: return scalar(where(max(max(pad(abs(x), axis = ..
                tk::fragment<float, 64, 64> t21;
                tk::map(t21, [](float away) { return tk::abs(away); }, away);
                tk::column_fragment<float, 64> t22;
                tk::fold_rows(t22, t21, tk::maximum{}, thread);
                tk::finish_rows(t22, tk::maximum{});
                tk::row_fragment<float, 1> t23;
                tk::reduce_columns(t23, t22, shared.keys_f32_rows_1[0], tk::maximum{}, thread, 4);
                tk::row_fragment<int, 1> t24;
                tk::map(t24, [&](float t23) { return t23 <= reach ? 0 : 6; }, t23);
                const int number = t24.cell(0);

                // gated_linear_attention_backward.tk:257: let count = ..
                const int count = number;

                // gated_linear_attention_backward.tk:258: var dg: f32[L, 64] = 0;
                tk::fragment<float, 64, 64> dg;
                tk::zero(dg);

                // gated_linear_attention_backward.tk:259: dg += g0;
                tk::map(dg, [](float dg, float g0) { return dg + g0; }, dg, g0);

                // gated_linear_attention_backward.tk:260: if T == bf16 and count == 0 {
                if (count == 0) {
                    // gated_linear_attention_backward.tk:261: dg += sum(pad(z * k, axis = 0, ..
                    tk::fragment<tk::bf16, 64, 64> t29;
                    tk::load_shared(t29, shared.ks_tile[g_element.stage], thread);
                    if (t + 64 <= N) {
                        tk::map(t25, [](float z, tk::bf16 t29) { return z * float(t29); }, z, t29);
                    } else {
                        tk::map(t25, thread, [&](int row, int, float z, tk::bf16 t29) {
                            return row < N - t ? z * float(t29) : 0.0f;
                        }, z, t29);
                    }
                    tk::row_fragment<float, 64> t26;
                    tk::reduce_columns(t26, t25, shared.keys_f32_rows_64[0], tk::plus{}, thread, 4);
                    tk::map(dg, [](float dg, float t26) { return dg + t26; }, dg, t26);

                    // gated_linear_attention_backward.tk:262: let f = exp2(away * LOG2E);
                    tk::fragment<float, 64, 64> f;
                    tk::map(f, [](float away) { return tk::exp2(away * 1.442695f); }, away);

                    // <std.parts>:21: high = T(x);
                    tk::fragment<tk::bf16, 64, 64> t43;
                    tk::load_shared(t43, shared.qs_tile[g_element.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t27;
                    tk::map(t27, [](tk::bf16 t43, float f) { return float(t43) * f; }, t43, f);
                    tk::barrier_sync(4, 128);
                    tk::store_shared(shared.keys_s[0], t27, thread);
                    tk::fence_async();
                    tk::barrier_sync(4, 128);

                    // <std.parts>:22: low = T(x - high);
                    tk::fragment<tk::bf16, 64, 64> t47;
                    tk::load_shared(t47, shared.qs_tile[g_element.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t48;
                    tk::load_shared(t48, shared.keys_s[0], thread);
                    tk::fragment<tk::bf16, 64, 64> t28;
                    tk::map(t28, [](tk::bf16 t47, float f, tk::bf16 t48) {
                        return tk::fma(float(t47), f, -float(t48));
                    }, t47, f, t48);
                    tk::barrier_sync(4, 128);
                    tk::store_shared(shared.keys_m[0], t28, thread);
                    tk::fence_async();
                    tk::barrier_sync(4, 128);

                    // gated_linear_attention_backward.tk:264: var u = mma(w, s);
                    tk::mma_async(u, shared.keys_w[0], shared.keys_s[0], tk::accumulate_never{});

                    // gated_linear_attention_backward.tk:265: u += mma(w, m);
                    tk::mma_async(u, shared.keys_w[0], shared.keys_m[0]);

                    // gated_linear_attention_backward.tk:266: u += mma(wlow, s);
                    tk::mma_async(u, shared.keys_wlow[0], shared.keys_s[0]);
                    tk::mma_wait<0>(u);

                    // gated_linear_attention_backward.tk:267: u *= exp2(away * -LOG2E);
                    tk::map(u, [](float u, float away) { return u * tk::exp2(away * -1.442695f); },
                            u, away);

                    // gated_linear_attention_backward.tk:268: z += u;
                    tk::map(z, [](float z, float u) { return z + u; }, z, u);
                    // <std.parts>:21
                    tk::fragment<tk::bf16, 64, 64> t49;
                    tk::load_shared(t49, shared.ks_tile[g_element.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t30;
                    tk::map(t30, [](float z, tk::bf16 t49) { return -z * float(t49); }, z, t49);
                    tk::barrier_sync(4, 128);
                    tk::store_shared(shared.keys_s[0], t30, thread);
                    tk::fence_async();
                    tk::barrier_sync(4, 128);
                    // <std.parts>:22
                    tk::fragment<tk::bf16, 64, 64> t50;
                    tk::load_shared(t50, shared.ks_tile[g_element.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t51;
                    tk::load_shared(t51, shared.keys_s[0], thread);
                    tk::fragment<tk::bf16, 64, 64> t31;
                    tk::map(t31, [](float z, tk::bf16 t50, tk::bf16 t51) {
                        return tk::fma(-z, float(t50), -float(t51));
                    }, z, t50, t51);
                    tk::barrier_sync(4, 128);
                    tk::store_shared(shared.keys_m[0], t31, thread);
                    tk::fence_async();
                    tk::barrier_sync(4, 128);

                    // gated_linear_attention_backward.tk:42: var x: f32[L, L] = 0;
                    tk::zero(x_3);

                    // gated_linear_attention_backward.tk:271: dg += mma(since, s);
                    tk::fragment<tk::bf16, 64, 64> t32;
                    tk::map(t32, thread, [](int row, int col) { return col >= row ? 1.0f : 0.0f; });
                    tk::mma_async(dg, t32, shared.keys_s[0]);

                    // gated_linear_attention_backward.tk:272: dg += mma(since, m);
                    tk::mma_async(dg, t32, shared.keys_m[0]);
                    tk::mma_wait<0>(dg, t32);
                } else {
                    // gated_linear_attention_backward.tk:274: s = T(z * k);
                    tk::fragment<tk::bf16, 64, 64> t52;
                    tk::load_shared(t52, shared.ks_tile[g_element.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t34;
                    tk::map(t34, [](float z, tk::bf16 t52) { return z * float(t52); }, z, t52);
                    tk::barrier_sync(4, 128);
                    tk::store_shared(shared.keys_s[0], t34, thread);
                    tk::fence_async();
                    tk::barrier_sync(4, 128);

                    // gated_linear_attention_backward.tk:275: dg += mma(T(where(col_index(x) < ..
                    tk::fragment<tk::bf16, 64, 64> t35;
                    tk::map(t35, thread, [](int row, int col) { return col < row ? 1.0f : 0.0f; });
                    tk::mma_async(dg, t35, shared.keys_s[0]);

                    // gated_linear_attention_backward.tk:276: z += sum(where(row_index(x) == ..
                    tk::fragment<tk::bf16, 64, 64> t53;
                    tk::load_shared(t53, shared.keys_w[0], thread);
                    tk::fragment<tk::bf16, 64, 64> t54;
                    tk::load_shared(t54, shared.keys_wlow[0], thread);
                    tk::fragment<float, 64, 64> t36;
                    tk::map(t36, thread, [](int row, int col, tk::bf16 t53, tk::bf16 t54) {
                        return row == col ? float(t53) + float(t54) : 0.0f;
                    }, t53, t54);
                    tk::hold_waits(warp);
                    tk::column_fragment<float, 64> t37;
                    tk::fold_rows(t37, t36, tk::plus{}, thread);
                    tk::finish_rows(t37, tk::plus{});
                    tk::fragment<tk::bf16, 64, 64> t55;
                    tk::load_shared(t55, shared.qs_tile[g_element.stage], thread);
                    tk::map(z, [](float z, float t37, tk::bf16 t55) {
                        return tk::fma(t37, float(t55), z);
                    }, z, t37, t55);
                    tk::mma_wait<0>(dg, t35);

                    // gated_linear_attention_backward.tk:277: for b in 0..count {
                    for (int b_2 = 0; b_2 < count; b_2 += 1) {
                        // gated_linear_attention.tk:28: var x: f32[L, 1] = 0;
                        tk::zero(x_4);

                        // gated_linear_attention_backward.tk:279: m = T(where(rows, 1.0, 0.0));
                        tk::fragment<tk::bf16, 64, 64> t38;
                        tk::map(t38, thread, [&](int row, int col) {
                            const int x_8 = row >> (b_2 & 31);
                            const bool x_9 = (x_8 & 1) == 1;
                            const int x_10 = x_8 << (b_2 & 31);
                            const int x_11 = row + 1;
                            return col >= (x_9 ? x_10 : x_11) &&
                                col < (x_9 ? x_11 : tk::wrapping_add(x_10, 1 << (b_2 & 31))) ? 1.0f
                                : 0.0f;
                        });
                        tk::barrier_sync(4, 128);
                        tk::store_shared(shared.keys_m[0], t38, thread);
                        tk::fence_async();
                        tk::barrier_sync(4, 128);

                        // gated_linear_attention_backward.tk:280: let f = ..
                        tk::fragment<float, 64, 64> t40;
                        tk::mma_async(t40, t38, shared.gs_tile[g_element.stage],
                                      tk::accumulate_never{});
                        tk::mma_wait<0>(t40, t38);
                        tk::fragment<float, 64, 64> f_2;
                        tk::map(f_2, [](float t40) { return tk::exp2(t40 * 1.442695f); }, t40);

                        // gated_linear_attention_backward.tk:24: var x: f32[L, 1] = 0;
                        tk::zero(x_5);

                        // gated_linear_attention_backward.tk:282: s = T(q * f);
                        tk::fragment<tk::bf16, 64, 64> t56;
                        tk::load_shared(t56, shared.qs_tile[g_element.stage], thread);
                        tk::fragment<tk::bf16, 64, 64> t41;
                        tk::map(t41, [](tk::bf16 t56, float f_2) { return float(t56) * f_2; },
                                t56, f_2);
                        tk::barrier_sync(4, 128);
                        tk::store_shared(shared.keys_s[0], t41, thread);
                        tk::fence_async();
                        tk::barrier_sync(4, 128);

                        // gated_linear_attention_backward.tk:283: var u = ..
                        tk::fragment<tk::bf16, 64, 64> t57;
                        tk::load_shared(t57, shared.keys_w[0], thread);
                        tk::fragment<tk::bf16, 64, 64> t42;
                        tk::map(t42, thread, [&](int row, int col, tk::bf16 t57) {
                            const int x_8 = row >> (b_2 & 31);
                            const int x_9 = x_8 << (b_2 & 31);
                            return col >= tk::wrapping_add(x_9, 1 << (b_2 & 31)) &&
                                col < ((x_8 & 1) == 1 ? 0 : tk::wrapping_add(x_9, 2 << (b_2 & 31)))
                                ? tk::bf16(t57) : tk::bf16(0.0f);
                        }, t57);
                        tk::mma_async(u_2, t42, shared.keys_s[0], tk::accumulate_never{});
                        tk::mma_wait<0>(u_2, t42);

                        // gated_linear_attention_backward.tk:284: u *= f;
                        tk::map(u_2, [](float u_2, float f_2) { return u_2 * f_2; }, u_2, f_2);

                        // gated_linear_attention_backward.tk:285: z += u;
                        tk::map(z, [](float z, float u_2) { return z + u_2; }, z, u_2);

                        // gated_linear_attention_backward.tk:286: s = T(u * k);
                        tk::fragment<tk::bf16, 64, 64> t58;
                        tk::load_shared(t58, shared.ks_tile[g_element.stage], thread);
                        tk::fragment<tk::bf16, 64, 64> t44;
                        tk::map(t44, [](float u_2, tk::bf16 t58) { return u_2 * float(t58); },
                                u_2, t58);
                        tk::barrier_sync(4, 128);
                        tk::store_shared(shared.keys_s[0], t44, thread);
                        tk::fence_async();
                        tk::barrier_sync(4, 128);

                        // gated_linear_attention_backward.tk:287: dg += mma(m.T, s);
                        tk::mma_async(dg, tk::transposed(shared.keys_m[0]), shared.keys_s[0]);
                        tk::mma_wait<0>(dg);
                    }
                }
                shared.qs.release_after_loads(g_element);
                shared.ks.release_after_loads(g_element);
                shared.gs.release_after_loads(g_element);

                // gated_linear_attention_backward.tk:290: dg += consume exponents;
                shared.exponents.wait_full(r_element);
                tk::fragment<float, 64, 64> t59;
                tk::load_shared(t59, shared.exponents_tile[r_element.stage], thread);
                shared.exponents.release_after_loads(r_element, tk::ordinary_alone{});
                tk::map(dg, [](float dg, float t59) { return dg + t59; }, dg, t59);

                // gated_linear_attention_backward.tk:295: tma_store(dK[b, t, h, c], T(z));
                #pragma unroll
                for (int panel = 0; panel < 64; panel += 64) {
                    if (leader) tk::tma_store_wait_read<0>();
                    tk::barrier_sync(3, 128);
                    tk::store_shared(shared.keys_dK[0], tk::convert<tk::bf16>(z), thread);
                    tk::fence_async();
                    tk::barrier_sync(3, 128);
                    if (leader) tk::tma_store(dK_map, shared.keys_dK[0], b, t, h, c + panel);
                }

                // gated_linear_attention_backward.tk:298: if TDG == T { tma_store(dG[b, t, h, ..
                #pragma unroll
                for (int panel = 0; panel < 64; panel += 64) {
                    if (leader) tk::tma_store_wait_read<0>();
                    tk::barrier_sync(3, 128);
                    tk::store_shared(shared.keys_dG[0], tk::convert<tk::bf16>(dg), thread);
                    tk::fence_async();
                    tk::barrier_sync(3, 128);
                    if (leader) tk::tma_store(dG_map, shared.keys_dG[0], b, t, h, c + panel);
                }
            }
            shared.vs.release(o_element);
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

// values: kernel values with T = bf16, TG = bf16, DK = 128, DV = 128, PACKED = false, L = 64.
// producer: 1 warp, 240 registers a thread; values: 1 warpgroup, 240 registers a thread.
// 256 threads, 255 registers each at first, 188592 bytes of shared memory; persistent.
struct values_shared {
    tk::shared_tile<tk::bf16, 64, 64> gs_tile[3];
    tk::shared_tile<tk::bf16, 64, 64> ks_tile[3];
    tk::shared_tile<tk::bf16, 64, 128> behinds_tile[3];
    tk::shared_tile<tk::bf16, 64, 128> lasts_a[2];
    tk::shared_tile<tk::bf16, 64, 128> lasts_o[2];
    tk::shared_tile<tk::bf16, 64, 64> values_later[1];
    tk::shared_tile<tk::bf16, 64, 64> values_dV[2];
    tk::pipeline<3> gs;
    tk::pipeline<3> ks;
    tk::pipeline<3> behinds;
    tk::pipeline<2> lasts;
};
static_assert(offsetof(values_shared, lasts) == 188560);

__global__ void __launch_bounds__(256, 1) values_kernel(
    const __grid_constant__ CUtensorMap G_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap Behind_map, const __grid_constant__ CUtensorMap A_map,
    const __grid_constant__ CUtensorMap dO_map, const __grid_constant__ CUtensorMap dV_map, int B,
    int N, int H) {
    extern __shared__ __align__(1024) unsigned char memory[];
    values_shared& shared = *reinterpret_cast<values_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(G_map, K_map, Behind_map, A_map, dO_map, dV_map);
        shared.gs.init(1, 4);
        shared.ks.init(1, 4);
        shared.behinds.init(1, 4);
        shared.lasts.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 4) {
        // gated_linear_attention_backward.tk:317: role producer(1 warp) {
        tk::registers_at_most<240>();
        const int t_tiles = tk::tiles(N, 64);
        const int programs = t_tiles * H * B;
        if (warp == 4 && tk::elect_one()) {
            tk::cursor<3> behinds_next, gs_next, ks_next;
            tk::cursor<2> lasts_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int t = program % t_tiles * 64;
                const int h = program / t_tiles % H;
                const int b = program / (t_tiles * H);

                // gated_linear_attention_backward.tk:318: for c in DK by 64 {
                #pragma unroll 1
                for (int c = 0; c < 128; c += 64) {
                    // gated_linear_attention_backward.tk:319: produce gs = tma_load(G[b, t, h, c]);
                    shared.gs.begin(gs_next, 8192);
                    tk::tma_load(shared.gs_tile[gs_next.stage], G_map,
                                 shared.gs.full[gs_next.stage], b, t, h, c);
                    gs_next.advance();

                    // gated_linear_attention_backward.tk:320: produce ks = tma_load(K[b, t, h, c]);
                    shared.ks.begin(ks_next, 8192);
                    tk::tma_load(shared.ks_tile[ks_next.stage], K_map,
                                 shared.ks.full[ks_next.stage], b, t, h, c);
                    ks_next.advance();

                    // gated_linear_attention_backward.tk:321: produce behinds = ..
                    shared.behinds.begin(behinds_next, 16384);
                    tk::tma_load(shared.behinds_tile[behinds_next.stage], Behind_map,
                                 shared.behinds.full[behinds_next.stage], b, t / 64, h * 128 + c,
                                 0);
                    behinds_next.advance();
                }

                // gated_linear_attention_backward.tk:323: produce lasts { a = tma_load(A[b, h, ..
                shared.lasts.begin(lasts_next, 32768);
                tk::tma_load(shared.lasts_a[lasts_next.stage], A_map,
                             shared.lasts.full[lasts_next.stage], b, h, t, 0);
                tk::tma_load(shared.lasts_o[lasts_next.stage], dO_map,
                             shared.lasts.full[lasts_next.stage], b, t, h, 0);
                lasts_next.advance();
            }
        }
    } else {
        // gated_linear_attention_backward.tk:325: role values(1 warpgroup) {
        tk::registers_at_most<240>();
        const int t_tiles = tk::tiles(N, 64);
        const int programs = t_tiles * H * B;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<3> gs_next;
        tk::cursor<2> lasts_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int t = program % t_tiles * 64;
            const int h = program / t_tiles % H;
            const int b = program / (t_tiles * H);

            // gated_linear_attention_backward.tk:326: var x: f32[L, L] = 0;
            tk::fragment<float, 64, 64> x;
            tk::zero(x);

            // gated_linear_attention_backward.tk:327: let later = shared(TG(where(col_index(x) > ..
            tk::fragment<tk::bf16, 64, 64> t0;
            tk::map(t0, thread, [](int row, int col) { return col > row ? 1.0f : 0.0f; });
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.values_later[0], t0, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);

            // gated_linear_attention_backward.tk:328: var z: f32[L, DV] = 0;
            tk::fragment<float, 64, 128> z;
            tk::zero(z);

            // gated_linear_attention_backward.tk:329: for c in DK by 64 {
            for (int c = 0; c < 128; c += 64) {
                // gated_linear_attention_backward.tk:330: let e = mma(later, consume gs);
                const tk::cursor<3> gs_element = shared.gs.take(gs_next);
                tk::fragment<float, 64, 64> e;
                tk::mma_async(e, shared.values_later[0], shared.gs_tile[gs_element.stage],
                              tk::accumulate_never{});

                // gated_linear_attention_backward.tk:331: z += mma(T((consume ks) * exp2(e * ..
                shared.ks.wait_full(gs_element);
                tk::fragment<tk::bf16, 64, 64> t1;
                tk::load_shared(t1, shared.ks_tile[gs_element.stage], thread);
                shared.ks.release_after_loads(gs_element);
                tk::mma_wait<0>(e);
                shared.gs.release(gs_element);
                tk::fragment<tk::bf16, 64, 64> t3;
                tk::map(t3, [](tk::bf16 t1, float e) {
                    return float(t1) * tk::exp2(e * 1.442695f);
                }, t1, e);
                shared.behinds.wait_full(gs_element);
                tk::mma_async(z, t3, shared.behinds_tile[gs_element.stage]);
                tk::mma_wait<0>(z, t3);
                shared.behinds.release(gs_element);
            }

            // gated_linear_attention_backward.tk:333: let s = consume lasts;
            const tk::cursor<2> s = shared.lasts.take(lasts_next);

            // gated_linear_attention_backward.tk:334: z += mma(s.a[:, 0 +: L].T, s.o);
            tk::mma_async(z, tk::transposed(tk::part<0, 0, 64, 64>(shared.lasts_a[s.stage])),
                          shared.lasts_o[s.stage]);

            // gated_linear_attention_backward.tk:335: z += mma(s.a[:, L +: L].T, s.o);
            tk::mma_async(z, tk::transposed(tk::part<0, 64, 64, 64>(shared.lasts_a[s.stage])),
                          shared.lasts_o[s.stage]);
            tk::mma_wait<0>(z);
            shared.lasts.release(s);

            // gated_linear_attention_backward.tk:336: if PACKED { store(dVt[0 +: L, h, :], ..
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                tk::store_shared(shared.values_dV[panel / 64 % 2],
                                 tk::convert<tk::bf16>(tk::window<64, 64>(z, 0, panel)), thread);
                tk::fence_async();
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                if (leader) tk::tma_store(dV_map, shared.values_dV[panel / 64 % 2], b, t, h, panel);
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

namespace {
tk::status launch_before(const tk::launch_site& site, const tk::tensor& K, const tk::tensor& V,
                         const tk::tensor& G, const tk::tensor& S0, const tk::tensor& Before,
                         int64_t B, int64_t N, int64_t H, int64_t J) {
    return tk::run<before_kernel>(site, sizeof(before_shared), tk::kernel_shape(384).overlapping(),
                                  tk::multiply(2 * H, B), tk::box{G, {1, 64, 1, 64}, 128},
                                  tk::box{K, {1, 64, 1, 64}, 128}, tk::box{V, {1, 64, 1, 64}, 128},
                                  tk::box{Before, {1, 1, 64, 64}, 128}, S0, B, N, H, J);
}

tk::status launch_behind(const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& dO,
                         const tk::tensor& G, const tk::tensor& dState, const tk::tensor& Behind,
                         const tk::tensor& dS0, int64_t B, int64_t N, int64_t H, int64_t F,
                         int64_t I, float scale) {
    return tk::run<behind_kernel>(site, sizeof(behind_shared), tk::kernel_shape(384).overlapping(),
                                  tk::multiply(2 * H, B), tk::box{G, {1, 64, 1, 64}, 128},
                                  tk::box{Q, {1, 64, 1, 64}, 128}, tk::box{dO, {1, 64, 1, 64}, 128},
                                  tk::box{Behind, {1, 1, 64, 64}, 128}, dState, dS0, B, N, H, F, I,
                                  scale);
}

tk::status launch_chunks(const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K,
                         const tk::tensor& V, const tk::tensor& G, const tk::tensor& dO,
                         const tk::tensor& Before, const tk::tensor& Behind, const tk::tensor& dQ,
                         const tk::tensor& dK, const tk::tensor& dG, const tk::tensor& A, int64_t B,
                         int64_t N, int64_t H, float scale) {
    return tk::run<chunks_kernel>(
        site, sizeof(chunks_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(N, 64), H), B), tk::box{dO, {1, 64, 1, 64}, 128},
        tk::box{V, {1, 64, 1, 64}, 128}, tk::box{G, {1, 64, 1, 64}, 128},
        tk::box{K, {1, 64, 1, 64}, 128}, tk::box{Q, {1, 64, 1, 64}, 128},
        tk::box{Before, {1, 1, 64, 64}, 128}, tk::box{Behind, {1, 1, 64, 64}, 128},
        tk::box{dQ, {1, 64, 1, 64}, 128}, tk::box{A, {1, 1, 64, 64}, 128},
        tk::box{dK, {1, 64, 1, 64}, 128}, tk::box{dG, {1, 64, 1, 64}, 128}, B, N, H, scale);
}

tk::status launch_chunks_general(
    const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K, const tk::tensor& V,
    const tk::tensor& G, const tk::tensor& dO, const tk::tensor& Before, const tk::tensor& Behind,
    const tk::tensor& dQ, const tk::tensor& dK, const tk::tensor& dG, const tk::tensor& A,
    int64_t B, int64_t N, int64_t H, float scale) {
    return tk::run<chunks_general_kernel>(
        site, sizeof(chunks_general_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(N, 64), H), B), tk::box{dO, {1, 64, 1, 64}, 128},
        tk::box{V, {1, 64, 1, 64}, 128}, tk::box{G, {1, 64, 1, 64}, 128},
        tk::box{K, {1, 64, 1, 64}, 128}, tk::box{Q, {1, 64, 1, 64}, 128},
        tk::box{Before, {1, 1, 64, 64}, 128}, tk::box{Behind, {1, 1, 64, 64}, 128},
        tk::box{dQ, {1, 64, 1, 64}, 128}, tk::box{dK, {1, 64, 1, 64}, 128},
        tk::box{dG, {1, 64, 1, 64}, 128}, A, B, N, H, scale);
}

tk::status launch_values(const tk::launch_site& site, const tk::tensor& K, const tk::tensor& G,
                         const tk::tensor& dO, const tk::tensor& A, const tk::tensor& Behind,
                         const tk::tensor& dV, int64_t B, int64_t N, int64_t H) {
    return tk::run<values_kernel>(
        site, sizeof(values_shared), tk::kernel_shape(256).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(N, 64), H), B), tk::box{G, {1, 64, 1, 64}, 128},
        tk::box{K, {1, 64, 1, 64}, 128}, tk::box{Behind, {1, 1, 64, 64}, 128},
        tk::box{A, {1, 1, 64, 64}, 128}, tk::box{dO, {1, 64, 1, 64}, 128},
        tk::box{dV, {1, 64, 1, 64}, 128}, B, N, H);
}

}  // namespace

extern "C" {
int before(const DLTensor* K_given, const DLTensor* V_given, const DLTensor* G_given,
           const DLTensor* S0_given, const DLTensor* start_given, DLTensor* Before_given, void*,
           size_t, cudaStream_t stream) {
    tk::arguments call{"before"};
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor G = call.take("G", G_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Before = call.take("Before", Before_given, tk::dtype_bf16, 4,
                                        tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = K.shape[0];
    const int64_t N = K.shape[1];
    const int64_t H = K.shape[2];
    const int64_t J = S0.shape[0];
    const int64_t P = start.shape[0];
    call.require(
        {tk::fixed_extent(K, 3, 128), tk::same_extent("B", K, 0, V, 0),
         tk::same_extent("N", K, 1, V, 1), tk::same_extent("H", K, 2, V, 2),
         tk::fixed_extent(V, 3, 128), tk::same_extent("B", K, 0, G, 0),
         tk::same_extent("N", K, 1, G, 1), tk::same_extent("H", K, 2, G, 2),
         tk::fixed_extent(G, 3, 128), tk::same_extent("H", K, 2, S0, 1),
         tk::fixed_extent(S0, 2, 128), tk::fixed_extent(S0, 3, 128),
         tk::same_extent("B", K, 0, Before, 0), tk::fixed_extent(Before, 3, 128),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"J", J}, {"P", P}}),
         tk::that(Before.shape[1] == tk::ceil_div(N, 64),
                  "axis 1 of `Before` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Before.shape[1], tk::ceil_div(N, 64)}), tk::fits("H*128", H * 128),
         tk::that(Before.shape[2] == H * 128,
                  "axis 2 of `Before` is {}; it must be `H*128`, which is {}",
                  {Before.shape[2], H * 128}), tk::suits_tma_load(K), tk::suits_tma_load(V),
         tk::suits_tma_load(G), tk::suits_tma_store(Before), tk::grid_fits(2 * H, 2147483648),
         tk::grid_fits(tk::multiply(2 * H, B), 2147483648), tk::fits("h*128", (H - 1) * 128),
         tk::fits("h*128 + c.start", (H - 1) * 128 + 127)});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<before_kernel>(
        site, sizeof(before_shared), tk::kernel_shape(384).overlapping(), tk::multiply(2 * H, B),
        tk::box{G, {1, 64, 1, 64}, 128}, tk::box{K, {1, 64, 1, 64}, 128},
        tk::box{V, {1, 64, 1, 64}, 128}, tk::box{Before, {1, 1, 64, 64}, 128}, S0, B, N, H, J));
}
TK_NO_WORKSPACE(before, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)

int behind(const DLTensor* Q_given, const DLTensor* dO_given, const DLTensor* G_given,
           const DLTensor* dState_given, const DLTensor* start_given, DLTensor* Behind_given,
           DLTensor* dS0_given, float scale, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"behind"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor G = call.take("G", G_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dState = call.take("dState", dState_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Behind = call.take("Behind", Behind_given, tk::dtype_bf16, 4,
                                        tk::access::write);
    const tk::tensor dS0 = call.take("dS0", dS0_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t H = Q.shape[2];
    const int64_t F = dState.shape[0];
    const int64_t P = start.shape[0];
    const int64_t I = dS0.shape[0];
    call.require(
        {tk::fixed_extent(Q, 3, 128), tk::same_extent("B", Q, 0, dO, 0),
         tk::same_extent("N", Q, 1, dO, 1), tk::same_extent("H", Q, 2, dO, 2),
         tk::fixed_extent(dO, 3, 128), tk::same_extent("B", Q, 0, G, 0),
         tk::same_extent("N", Q, 1, G, 1), tk::same_extent("H", Q, 2, G, 2),
         tk::fixed_extent(G, 3, 128), tk::same_extent("H", Q, 2, dState, 1),
         tk::fixed_extent(dState, 2, 128), tk::fixed_extent(dState, 3, 128),
         tk::same_extent("B", Q, 0, Behind, 0), tk::fixed_extent(Behind, 3, 128),
         tk::same_extent("H", Q, 2, dS0, 1), tk::fixed_extent(dS0, 2, 128),
         tk::fixed_extent(dS0, 3, 128),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"F", F}, {"P", P}, {"I", I}}),
         tk::that(Behind.shape[1] == tk::ceil_div(N, 64),
                  "axis 1 of `Behind` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Behind.shape[1], tk::ceil_div(N, 64)}), tk::fits("H*128", H * 128),
         tk::that(Behind.shape[2] == H * 128,
                  "axis 2 of `Behind` is {}; it must be `H*128`, which is {}",
                  {Behind.shape[2], H * 128}),
         tk::that(I <= B, "`behind` requires `PACKED or I <= B`"), tk::suits_tma_load(Q),
         tk::suits_tma_load(dO), tk::suits_tma_load(G), tk::suits_tma_store(Behind),
         tk::grid_fits(2 * H, 2147483648), tk::grid_fits(tk::multiply(2 * H, B), 2147483648),
         tk::fits("h*128", (H - 1) * 128), tk::fits("h*128 + c.start", (H - 1) * 128 + 127)});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<behind_kernel>(
        site, sizeof(behind_shared), tk::kernel_shape(384).overlapping(), tk::multiply(2 * H, B),
        tk::box{G, {1, 64, 1, 64}, 128}, tk::box{Q, {1, 64, 1, 64}, 128},
        tk::box{dO, {1, 64, 1, 64}, 128}, tk::box{Behind, {1, 1, 64, 64}, 128}, dState, dS0, B, N,
        H, F, I, scale));
}
TK_NO_WORKSPACE(behind, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*, DLTensor*, float)

int chunks(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
           const DLTensor* G_given, const DLTensor* dO_given, const DLTensor* Before_given,
           const DLTensor* Behind_given, const DLTensor* First_given, const DLTensor* Tokens_given,
           DLTensor* dQ_given, DLTensor* dK_given, DLTensor* dG_given, DLTensor* A_given,
           float scale, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"chunks"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor G = call.take("G", G_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Before = call.take("Before", Before_given, tk::dtype_bf16, 4,
                                        tk::access::read);
    const tk::tensor Behind = call.take("Behind", Behind_given, tk::dtype_bf16, 4,
                                        tk::access::read);
    const tk::tensor First = call.take("First", First_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Tokens = call.take("Tokens", Tokens_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor dQ = call.take("dQ", dQ_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dK = call.take("dK", dK_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dG = call.take("dG", dG_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor A = call.take("A", A_given, tk::dtype_bf16, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t H = Q.shape[2];
    const int64_t S = First.shape[0];
    call.require(
        {tk::fixed_extent(Q, 3, 128), tk::same_extent("B", Q, 0, K, 0),
         tk::same_extent("N", Q, 1, K, 1), tk::same_extent("H", Q, 2, K, 2),
         tk::fixed_extent(K, 3, 128), tk::same_extent("B", Q, 0, V, 0),
         tk::same_extent("N", Q, 1, V, 1), tk::same_extent("H", Q, 2, V, 2),
         tk::fixed_extent(V, 3, 128), tk::same_extent("B", Q, 0, G, 0),
         tk::same_extent("N", Q, 1, G, 1), tk::same_extent("H", Q, 2, G, 2),
         tk::fixed_extent(G, 3, 128), tk::same_extent("B", Q, 0, dO, 0),
         tk::same_extent("N", Q, 1, dO, 1), tk::same_extent("H", Q, 2, dO, 2),
         tk::fixed_extent(dO, 3, 128), tk::same_extent("B", Q, 0, Before, 0),
         tk::fixed_extent(Before, 3, 128), tk::same_extent("B", Q, 0, Behind, 0),
         tk::fixed_extent(Behind, 3, 128), tk::same_extent("S", First, 0, Tokens, 0),
         tk::same_extent("B", Q, 0, dQ, 0), tk::same_extent("N", Q, 1, dQ, 1),
         tk::same_extent("H", Q, 2, dQ, 2), tk::fixed_extent(dQ, 3, 128),
         tk::same_extent("B", Q, 0, dK, 0), tk::same_extent("N", Q, 1, dK, 1),
         tk::same_extent("H", Q, 2, dK, 2), tk::fixed_extent(dK, 3, 128),
         tk::same_extent("B", Q, 0, dG, 0), tk::same_extent("N", Q, 1, dG, 1),
         tk::same_extent("H", Q, 2, dG, 2), tk::fixed_extent(dG, 3, 128),
         tk::same_extent("B", Q, 0, A, 0), tk::same_extent("H", Q, 2, A, 1),
         tk::fixed_extent(A, 3, 128), tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"S", S}}),
         tk::that(Before.shape[1] == tk::ceil_div(N, 64),
                  "axis 1 of `Before` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Before.shape[1], tk::ceil_div(N, 64)}), tk::fits("H*128", H * 128),
         tk::that(Before.shape[2] == H * 128,
                  "axis 2 of `Before` is {}; it must be `H*128`, which is {}",
                  {Before.shape[2], H * 128}),
         tk::that(Behind.shape[1] == tk::ceil_div(N, 64),
                  "axis 1 of `Behind` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Behind.shape[1], tk::ceil_div(N, 64)}),
         tk::that(Behind.shape[2] == H * 128,
                  "axis 2 of `Behind` is {}; it must be `H*128`, which is {}",
                  {Behind.shape[2], H * 128}),
         tk::that(A.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `A` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {A.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 64), H), 2147418112),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 64), H), B), 2147418112),
         tk::fits("h*128", (H - 1) * 128), tk::fits("h*128 + c.start", (H - 1) * 128 + 127)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(tk::ceil_div(N, 64), H), B);

    // The general one only where the other does not suit.
    tk::selection choice{call};
    choice.candidate();  // chunks
    choice.prefer(
        {tk::suits_fast(Q), tk::suits_fast(K), tk::suits_fast(V), tk::suits_fast(G),
         tk::suits_fast(dO), tk::suits_fast(Before), tk::suits_fast(Behind), tk::suits_fast(dQ),
         tk::suits_fast(dK), tk::suits_fast(dG), tk::suits_fast(A)});
    choice.offer();
    choice.candidate(true);  // chunks_general
    choice.require(
        {tk::suits_tma_load(Q), tk::suits_tma_load(K), tk::suits_tma_load(V), tk::suits_tma_load(G),
         tk::suits_tma_load(dO), tk::suits_tma_load(Before), tk::suits_tma_load(Behind),
         tk::suits_tma_store(dQ), tk::suits_tma_store(dK), tk::suits_tma_store(dG)});
    choice.offer();
    if (!choice.ok()) return tk::finish(choice.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    const int best = choice.best(site);
    if (best == 0) {
        return tk::finish(tk::run<chunks_kernel>(
            site, sizeof(chunks_shared), tk::kernel_shape(384).at_once(1).overlapping(), programs,
            tk::box{dO, {1, 64, 1, 64}, 128}, tk::box{V, {1, 64, 1, 64}, 128},
            tk::box{G, {1, 64, 1, 64}, 128}, tk::box{K, {1, 64, 1, 64}, 128},
            tk::box{Q, {1, 64, 1, 64}, 128}, tk::box{Before, {1, 1, 64, 64}, 128},
            tk::box{Behind, {1, 1, 64, 64}, 128}, tk::box{dQ, {1, 64, 1, 64}, 128},
            tk::box{A, {1, 1, 64, 64}, 128}, tk::box{dK, {1, 64, 1, 64}, 128},
            tk::box{dG, {1, 64, 1, 64}, 128}, B, N, H, scale));
    }
    return tk::finish(tk::run<chunks_general_kernel>(
        site, sizeof(chunks_general_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        programs, tk::box{dO, {1, 64, 1, 64}, 128}, tk::box{V, {1, 64, 1, 64}, 128},
        tk::box{G, {1, 64, 1, 64}, 128}, tk::box{K, {1, 64, 1, 64}, 128},
        tk::box{Q, {1, 64, 1, 64}, 128}, tk::box{Before, {1, 1, 64, 64}, 128},
        tk::box{Behind, {1, 1, 64, 64}, 128}, tk::box{dQ, {1, 64, 1, 64}, 128},
        tk::box{dK, {1, 64, 1, 64}, 128}, tk::box{dG, {1, 64, 1, 64}, 128}, A, B, N, H, scale));
}
TK_NO_WORKSPACE(chunks, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, float)

int values(const DLTensor* K_given, const DLTensor* G_given, const DLTensor* dO_given,
           const DLTensor* A_given, const DLTensor* Behind_given, const DLTensor* First_given,
           const DLTensor* Tokens_given, DLTensor* dV_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"values"};
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor G = call.take("G", G_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor A = call.take("A", A_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Behind = call.take("Behind", Behind_given, tk::dtype_bf16, 4,
                                        tk::access::read);
    const tk::tensor First = call.take("First", First_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Tokens = call.take("Tokens", Tokens_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor dV = call.take("dV", dV_given, tk::dtype_bf16, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = K.shape[0];
    const int64_t N = K.shape[1];
    const int64_t H = K.shape[2];
    const int64_t S = First.shape[0];
    call.require(
        {tk::fixed_extent(K, 3, 128), tk::same_extent("B", K, 0, G, 0),
         tk::same_extent("N", K, 1, G, 1), tk::same_extent("H", K, 2, G, 2),
         tk::fixed_extent(G, 3, 128), tk::same_extent("B", K, 0, dO, 0),
         tk::same_extent("N", K, 1, dO, 1), tk::same_extent("H", K, 2, dO, 2),
         tk::fixed_extent(dO, 3, 128), tk::same_extent("B", K, 0, A, 0),
         tk::same_extent("H", K, 2, A, 1), tk::fixed_extent(A, 3, 128),
         tk::same_extent("B", K, 0, Behind, 0), tk::fixed_extent(Behind, 3, 128),
         tk::same_extent("S", First, 0, Tokens, 0), tk::same_extent("B", K, 0, dV, 0),
         tk::same_extent("N", K, 1, dV, 1), tk::same_extent("H", K, 2, dV, 2),
         tk::fixed_extent(dV, 3, 128), tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"S", S}}),
         tk::that(A.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `A` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {A.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(Behind.shape[1] == tk::ceil_div(N, 64),
                  "axis 1 of `Behind` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Behind.shape[1], tk::ceil_div(N, 64)}), tk::fits("H*128", H * 128),
         tk::that(Behind.shape[2] == H * 128,
                  "axis 2 of `Behind` is {}; it must be `H*128`, which is {}",
                  {Behind.shape[2], H * 128}), tk::suits_tma_load(K), tk::suits_tma_load(G),
         tk::suits_tma_load(dO), tk::suits_tma_load(A), tk::suits_tma_load(Behind),
         tk::suits_tma_store(dV), tk::grid_fits(tk::multiply(tk::ceil_div(N, 64), H), 2147418112),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 64), H), B), 2147418112),
         tk::fits("h*128", (H - 1) * 128), tk::fits("h*128 + c.start", (H - 1) * 128 + 127)});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<values_kernel>(
        site, sizeof(values_shared), tk::kernel_shape(256).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(N, 64), H), B), tk::box{G, {1, 64, 1, 64}, 128},
        tk::box{K, {1, 64, 1, 64}, 128}, tk::box{Behind, {1, 1, 64, 64}, 128},
        tk::box{A, {1, 1, 64, 64}, 128}, tk::box{dO, {1, 64, 1, 64}, 128},
        tk::box{dV, {1, 64, 1, 64}, 128}, B, N, H));
}
TK_NO_WORKSPACE(values, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*)

int gated_linear_attention_backward(
    const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
    const DLTensor* G_given, const DLTensor* S0_given, const DLTensor* dO_given,
    const DLTensor* dState_given, const DLTensor* start_given, DLTensor* dQ_given,
    DLTensor* dK_given, DLTensor* dV_given, DLTensor* dG_given, DLTensor* dS0_given,
    DLTensor* Before_given, DLTensor* Behind_given, DLTensor* A_given, float scale, void*, size_t,
    cudaStream_t stream) {
    tk::arguments call{"gated_linear_attention_backward"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor G = call.take("G", G_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dState = call.take("dState", dState_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor dQ = call.take("dQ", dQ_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dK = call.take("dK", dK_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dV = call.take("dV", dV_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dG = call.take("dG", dG_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dS0 = call.take("dS0", dS0_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Before = call.take("Before", Before_given, tk::dtype_bf16, 4,
                                        tk::access::write);
    const tk::tensor Behind = call.take("Behind", Behind_given, tk::dtype_bf16, 4,
                                        tk::access::write);
    const tk::tensor A = call.take("A", A_given, tk::dtype_bf16, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t H = Q.shape[2];
    const int64_t J = S0.shape[0];
    const int64_t F = dState.shape[0];
    const int64_t P = start.shape[0];
    const int64_t I = dS0.shape[0];
    call.require(
        {tk::fixed_extent(Q, 3, 128), tk::same_extent("B", Q, 0, K, 0),
         tk::same_extent("N", Q, 1, K, 1), tk::same_extent("H", Q, 2, K, 2),
         tk::fixed_extent(K, 3, 128), tk::same_extent("B", Q, 0, V, 0),
         tk::same_extent("N", Q, 1, V, 1), tk::same_extent("H", Q, 2, V, 2),
         tk::fixed_extent(V, 3, 128), tk::same_extent("B", Q, 0, G, 0),
         tk::same_extent("N", Q, 1, G, 1), tk::same_extent("H", Q, 2, G, 2),
         tk::fixed_extent(G, 3, 128), tk::same_extent("H", Q, 2, S0, 1),
         tk::fixed_extent(S0, 2, 128), tk::fixed_extent(S0, 3, 128),
         tk::same_extent("B", Q, 0, dO, 0), tk::same_extent("N", Q, 1, dO, 1),
         tk::same_extent("H", Q, 2, dO, 2), tk::fixed_extent(dO, 3, 128),
         tk::same_extent("H", Q, 2, dState, 1), tk::fixed_extent(dState, 2, 128),
         tk::fixed_extent(dState, 3, 128), tk::same_extent("B", Q, 0, dQ, 0),
         tk::same_extent("N", Q, 1, dQ, 1), tk::same_extent("H", Q, 2, dQ, 2),
         tk::fixed_extent(dQ, 3, 128), tk::same_extent("B", Q, 0, dK, 0),
         tk::same_extent("N", Q, 1, dK, 1), tk::same_extent("H", Q, 2, dK, 2),
         tk::fixed_extent(dK, 3, 128), tk::same_extent("B", Q, 0, dV, 0),
         tk::same_extent("N", Q, 1, dV, 1), tk::same_extent("H", Q, 2, dV, 2),
         tk::fixed_extent(dV, 3, 128), tk::same_extent("B", Q, 0, dG, 0),
         tk::same_extent("N", Q, 1, dG, 1), tk::same_extent("H", Q, 2, dG, 2),
         tk::fixed_extent(dG, 3, 128), tk::same_extent("H", Q, 2, dS0, 1),
         tk::fixed_extent(dS0, 2, 128), tk::fixed_extent(dS0, 3, 128),
         tk::same_extent("B", Q, 0, Before, 0), tk::fixed_extent(Before, 3, 128),
         tk::same_extent("B", Q, 0, Behind, 0), tk::fixed_extent(Behind, 3, 128),
         tk::same_extent("B", Q, 0, A, 0), tk::same_extent("H", Q, 2, A, 1),
         tk::fixed_extent(A, 3, 128),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"J", J}, {"F", F}, {"P", P}, {"I", I}}),
         tk::that(Before.shape[1] == tk::ceil_div(N, 64),
                  "axis 1 of `Before` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Before.shape[1], tk::ceil_div(N, 64)}), tk::fits("H*128", H * 128),
         tk::that(Before.shape[2] == H * 128,
                  "axis 2 of `Before` is {}; it must be `H*128`, which is {}",
                  {Before.shape[2], H * 128}),
         tk::that(Behind.shape[1] == tk::ceil_div(N, 64),
                  "axis 1 of `Behind` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Behind.shape[1], tk::ceil_div(N, 64)}),
         tk::that(Behind.shape[2] == H * 128,
                  "axis 2 of `Behind` is {}; it must be `H*128`, which is {}",
                  {Behind.shape[2], H * 128}),
         tk::that(A.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `A` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {A.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(P == 0, "`gated_linear_attention_backward` requires `P == 0`"),
         tk::that(I <= B, "`gated_linear_attention_backward` requires `I <= B`"),
         tk::that(J <= B, "`gated_linear_attention_backward` requires `J <= B`"),
         tk::that(F <= B, "`gated_linear_attention_backward` requires `F <= B`")});
    // before(K, V, G, S0, start, Before)
    call.require(
        {tk::suits_tma_load(K), tk::suits_tma_load(V), tk::suits_tma_load(G),
         tk::suits_tma_store(Before), tk::grid_fits(2 * H, 2147483648),
         tk::grid_fits(tk::multiply(2 * H, B), 2147483648), tk::fits("h*128", (H - 1) * 128),
         tk::fits("h*128 + c.start", (H - 1) * 128 + 127)});
    // behind(Q, dO, G, dState, start, Behind, dS0, scale)
    call.require({tk::suits_tma_load(Q), tk::suits_tma_load(dO), tk::suits_tma_store(Behind)});
    // chunks(Q, K, V, G, dO, Before, Behind, start, start, dQ, dK, dG, A, scale)
    call.require(
        {tk::grid_fits(tk::multiply(tk::ceil_div(N, 64), H), 2147418112),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 64), H), B), 2147418112)});
    // values(K, G, dO, A, Behind, start, start, dV)
    call.require({tk::suits_tma_load(A), tk::suits_tma_store(dV)});
    if (!call.ok()) return tk::finish(call.result());

    // chunks(Q, K, V, G, dO, Before, Behind, start, start, dQ, dK, dG, A, scale)
    tk::selection choice_3{call};
    choice_3.candidate();  // chunks
    choice_3.prefer(
        {tk::suits_fast(Q), tk::suits_fast(K), tk::suits_fast(V), tk::suits_fast(G),
         tk::suits_fast(dO), tk::suits_fast(Before), tk::suits_fast(Behind), tk::suits_fast(dQ),
         tk::suits_fast(dK), tk::suits_fast(dG), tk::suits_fast(A)});
    choice_3.offer();
    choice_3.candidate(true);  // chunks_general
    choice_3.require(
        {tk::suits_tma_load(Q), tk::suits_tma_load(K), tk::suits_tma_load(V), tk::suits_tma_load(G),
         tk::suits_tma_load(dO), tk::suits_tma_load(Before), tk::suits_tma_load(Behind),
         tk::suits_tma_store(dQ), tk::suits_tma_store(dK), tk::suits_tma_store(dG)});
    choice_3.offer();
    if (!choice_3.ok()) return tk::finish(choice_3.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    TK_FINISH_IF_FAILED(launch_before(site, K, V, G, S0, Before, B, N, H, J));
    TK_FINISH_IF_FAILED(launch_behind(site, Q, dO, G, dState, Behind, dS0, B, N, H, F, I, scale));
    if (choice_3.best(site) == 0) {
        TK_FINISH_IF_FAILED(
            launch_chunks(site, Q, K, V, G, dO, tk::read_only(Before), tk::read_only(Behind), dQ,
                          dK, dG, A, B, N, H, scale));
    }
    if (choice_3.best(site) == 1) {
        TK_FINISH_IF_FAILED(
            launch_chunks_general(site, Q, K, V, G, dO, tk::read_only(Before),
                                  tk::read_only(Behind), dQ, dK, dG, A, B, N, H, scale));
    }
    TK_FINISH_IF_FAILED(
        launch_values(site, K, G, dO, tk::read_only(A), tk::read_only(Behind), dV, B, N, H));
    return tk::finish({});
}
TK_NO_WORKSPACE(gated_linear_attention_backward, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, float)
}  // extern "C"
