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
        // gated_linear_attention_backward.tk:52: role producer(1 warp) {
        tk::registers_at_most<24>();
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<3> gs_next, vs_next;
            tk::cursor<2> ks_next;
            const int program = blockIdx.x;
            const int c = program % 2 * 64;
            const int h = program / 2 % H;
            const int b = program / (2 * H);

            // gated_linear_attention_backward.tk:44: let at    = if PACKED { 0 } else { b };
            const int at = b;

            // gated_linear_attention_backward.tk:46: let end   = if PACKED { (start[b + 1] // L ..
            const int end = N;

            // gated_linear_attention_backward.tk:53: for t in first..end by L {
            #pragma unroll 1
            for (int t = 0; t < end; t += 64) {
                // gated_linear_attention_backward.tk:54: produce gs = tma_load(G[at, t, h, c]);
                shared.gs.begin(gs_next, 8192);
                tk::tma_load(shared.gs_tile[gs_next.stage], G_map, shared.gs.full[gs_next.stage],
                             at, t, h, c);
                gs_next.advance();

                // gated_linear_attention_backward.tk:55: produce ks = tma_load(K[at, t, h, c]);
                shared.ks.begin(ks_next, 8192);
                tk::tma_load(shared.ks_tile[ks_next.stage], K_map, shared.ks.full[ks_next.stage],
                             at, t, h, c);
                ks_next.advance();

                // gated_linear_attention_backward.tk:56: produce vs = tma_load(V[at, t, h, :]);
                shared.vs.begin(vs_next, 16384);
                tk::tma_load(shared.vs_tile[vs_next.stage], V_map, shared.vs.full[vs_next.stage],
                             at, t, h, 0);
                vs_next.advance();
            }
        }
    } else if (warp < 4) {
        // gated_linear_attention_backward.tk:59: role forgotten(1 warpgroup) {
        tk::registers_at_least<240>();
        const int thread = tk::warpgroup_thread();
        tk::cursor<3> gs_next;
        tk::cursor<2> keys_next_2, ks_next;

        // gated_linear_attention_backward.tk:46: let end   = if PACKED { (start[b + 1] // L + b ..
        const int end = N;

        // gated_linear_attention_backward.tk:60: var x: f32[L, L] = 0;
        tk::fragment<float, 64, 64> x;
        tk::zero(x);

        // gated_linear_attention_backward.tk:61: let behind = shared(TG(where(col_index(x) > ..
        tk::fragment<tk::bf16, 64, 64> t0;
        tk::map(t0, thread, [](int row, int col) { return col > row ? 1.0f : 0.0f; });
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.forgotten_behind[0], t0, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);

        // gated_linear_attention_backward.tk:62: for t in first..end by L {
        for (int t = 0; t < end; t += 64) {
            // gated_linear_attention_backward.tk:63: let g = consume gs;
            const tk::cursor<3> g_element = shared.gs.take(gs_next);

            // gated_linear_attention_backward.tk:64: let e = mma(behind, g);
            tk::fragment<float, 64, 64> e;
            tk::mma_async(e, shared.forgotten_behind[0], shared.gs_tile[g_element.stage],
                          tk::accumulate_never{});

            // gated_linear_attention_backward.tk:65: produce keys = T((consume ks) * exp2(e * ..
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
        // gated_linear_attention_backward.tk:68: role state(1 warpgroup) {
        tk::registers_at_least<240>();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<3> gs_next;
        tk::cursor<2> keys_next_2;
        const int program = blockIdx.x;
        const int c = program % 2 * 64;
        const int h = program / 2 % H;
        const int b = program / (2 * H);

        // gated_linear_attention_backward.tk:44: let at    = if PACKED { 0 } else { b };
        const int at = b;

        // gated_linear_attention_backward.tk:46: let end   = if PACKED { (start[b + 1] // L + b ..
        const int end = N;

        // gated_linear_attention_backward.tk:69: var s: f32[64, DV] = load(S0[b, h, c, :]);
        tk::fragment<float, 64, 128> s;
        tk::load_global(s, tk::slice(S0, {b, h, c, 0}, b < J ? 128 - c : 0, 128), thread);

        // gated_linear_attention_backward.tk:70: var one: TG[L, 16] = 1;
        tk::fragment<tk::bf16, 64, 16> one;
        tk::map(one, []() { return tk::bf16(1.0f); });

        // gated_linear_attention_backward.tk:71: let ones = shared(one);
        tk::barrier_sync(4, 128);
        tk::store_shared(shared.state_ones[0], one, thread);
        tk::fence_async();
        tk::barrier_sync(4, 128);

        // gated_linear_attention_backward.tk:72: for t in first..end by L {
        for (int t = 0; t < end; t += 64) {
            // gated_linear_attention_backward.tk:73: let g = consume gs;
            const tk::cursor<3> g_element = shared.gs.take(gs_next);

            // gated_linear_attention_backward.tk:74: let e = mma(g.T, ones);
            tk::fragment<float, 64, 16> e;
            tk::mma_async(e, tk::transposed(shared.gs_tile[g_element.stage]), shared.state_ones[0],
                          tk::accumulate_never{});

            // gated_linear_attention_backward.tk:75: tma_store(Before[at, t.start // L, h * DK + ..
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

            // gated_linear_attention_backward.tk:76: s *= exp2(max(e, axis = 1) * LOG2E);
            tk::column_fragment<float, 64> t4;
            tk::fold_rows(t4, e, tk::maximum{}, thread);
            tk::finish_rows(t4, tk::maximum{});
            tk::column_fragment<float, 64> t0;
            tk::map(t0, [](float t4) { return tk::exp2(t4 * 1.442695f); }, t4);
            tk::map(s, [](float s, float t0) { return s * t0; }, s, t0);

            // gated_linear_attention_backward.tk:77: s += mma((consume keys).T, consume vs);
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
        // gated_linear_attention_backward.tk:98: role producer(1 warp) {
        tk::registers_at_most<24>();
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<3> gs_next, os_next;
            tk::cursor<2> qs_next;
            const int program = blockIdx.x;
            const int c = program % 2 * 64;
            const int h = program / 2 % H;
            const int b = program / (2 * H);

            // gated_linear_attention_backward.tk:90: let at    = if PACKED { 0 } else { b };
            const int at = b;

            // gated_linear_attention_backward.tk:92: let end   = if PACKED { (start[b + 1] // L ..
            const int end = N;

            // gated_linear_attention_backward.tk:99: for t in reversed first..end by L {
            #pragma unroll 1
            for (int t = (tk::divide_up(end, 64) - 1) * 64; t >= 0; t -= 64) {
                // gated_linear_attention_backward.tk:100: produce gs = tma_load(G[at, t, h, c]);
                shared.gs.begin(gs_next, 8192);
                tk::tma_load(shared.gs_tile[gs_next.stage], G_map, shared.gs.full[gs_next.stage],
                             at, t, h, c);
                gs_next.advance();

                // gated_linear_attention_backward.tk:101: produce qs = tma_load(Q[at, t, h, c]);
                shared.qs.begin(qs_next, 8192);
                tk::tma_load(shared.qs_tile[qs_next.stage], Q_map, shared.qs.full[qs_next.stage],
                             at, t, h, c);
                qs_next.advance();

                // gated_linear_attention_backward.tk:102: produce os = tma_load(dO[at, t, h, :]);
                shared.os.begin(os_next, 16384);
                tk::tma_load(shared.os_tile[os_next.stage], dO_map, shared.os.full[os_next.stage],
                             at, t, h, 0);
                os_next.advance();
            }
        }
    } else if (warp < 4) {
        // gated_linear_attention_backward.tk:105: role forgotten(1 warpgroup) {
        tk::registers_at_least<240>();
        const int thread = tk::warpgroup_thread();
        tk::cursor<3> gs_next;
        tk::cursor<2> qs_next, queries_next_2;

        // gated_linear_attention_backward.tk:92: let end   = if PACKED { (start[b + 1] // L + b ..
        const int end = N;

        // gated_linear_attention_backward.tk:106: var x: f32[L, L] = 0;
        tk::fragment<float, 64, 64> x;
        tk::zero(x);

        // gated_linear_attention_backward.tk:107: let upto = shared(TG(where(col_index(x) <= ..
        tk::fragment<tk::bf16, 64, 64> t0;
        tk::map(t0, thread, [](int row, int col) { return col <= row ? 1.0f : 0.0f; });
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.forgotten_upto[0], t0, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);

        // gated_linear_attention_backward.tk:108: for t in reversed first..end by L {
        for (int t = (tk::divide_up(end, 64) - 1) * 64; t >= 0; t -= 64) {
            // gated_linear_attention_backward.tk:109: let g = consume gs;
            const tk::cursor<3> g_element = shared.gs.take(gs_next);

            // gated_linear_attention_backward.tk:110: let e = mma(upto, g);
            tk::fragment<float, 64, 64> e;
            tk::mma_async(e, shared.forgotten_upto[0], shared.gs_tile[g_element.stage],
                          tk::accumulate_never{});

            // gated_linear_attention_backward.tk:111: produce queries = T((consume qs) * (exp2(e ..
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
        // gated_linear_attention_backward.tk:114: role state(1 warpgroup) {
        tk::registers_at_least<240>();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<3> gs_next;
        tk::cursor<2> queries_next_2;
        const int program = blockIdx.x;
        const int c = program % 2 * 64;
        const int h = program / 2 % H;
        const int b = program / (2 * H);

        // gated_linear_attention_backward.tk:90: let at    = if PACKED { 0 } else { b };
        const int at = b;

        // gated_linear_attention_backward.tk:92: let end   = if PACKED { (start[b + 1] // L + b ..
        const int end = N;

        // gated_linear_attention_backward.tk:115: var r: f32[64, DV] = load(dState[b, h, c, :]);
        tk::fragment<float, 64, 128> r;
        tk::load_global(r, tk::slice(dState, {b, h, c, 0}, b < F ? 128 - c : 0, 128), thread);

        // gated_linear_attention_backward.tk:116: var one: TG[L, 16] = 1;
        tk::fragment<tk::bf16, 64, 16> one;
        tk::map(one, []() { return tk::bf16(1.0f); });

        // gated_linear_attention_backward.tk:117: let ones = shared(one);
        tk::barrier_sync(4, 128);
        tk::store_shared(shared.state_ones[0], one, thread);
        tk::fence_async();
        tk::barrier_sync(4, 128);

        // gated_linear_attention_backward.tk:118: for t in reversed first..end by L {
        for (int t = (tk::divide_up(end, 64) - 1) * 64; t >= 0; t -= 64) {
            // gated_linear_attention_backward.tk:119: let g = consume gs;
            const tk::cursor<3> g_element = shared.gs.take(gs_next);

            // gated_linear_attention_backward.tk:120: let e = mma(g.T, ones);
            tk::fragment<float, 64, 16> e;
            tk::mma_async(e, tk::transposed(shared.gs_tile[g_element.stage]), shared.state_ones[0],
                          tk::accumulate_never{});

            // gated_linear_attention_backward.tk:121: tma_store(Behind[at, t.start // L, h * DK ..
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

            // gated_linear_attention_backward.tk:122: r *= exp2(max(e, axis = 1) * LOG2E);
            tk::column_fragment<float, 64> t4;
            tk::fold_rows(t4, e, tk::maximum{}, thread);
            tk::finish_rows(t4, tk::maximum{});
            tk::column_fragment<float, 64> t0;
            tk::map(t0, [](float t4) { return tk::exp2(t4 * 1.442695f); }, t4);
            tk::map(r, [](float r, float t0) { return r * t0; }, r, t0);

            // gated_linear_attention_backward.tk:123: r += mma((consume queries).T, consume os);
            const tk::cursor<2> queries_element = shared.queries.take(queries_next_2);
            shared.os.wait_full(g_element);
            tk::mma_async(r, tk::transposed(shared.queries_tile[queries_element.stage]),
                          shared.os_tile[g_element.stage]);
            tk::mma_wait<0>(r);
            shared.os.release(g_element);
            shared.queries.release(queries_element);
        }

        // gated_linear_attention_backward.tk:125: store(dS0[b, h, c, :], r);
        tk::store_global(tk::slice(dS0, {b, h, c, 0}, b < I ? 128 - c : 0, 128), r, thread);

        if (leader) tk::tma_store_wait_read<0>();
    }
}

// chunks: kernel chunks with T = bf16, TG = bf16, TDG = bf16, DK = 128, DV = 128, PACKED = false, L
// = 64.
// producer: 1 warp, 24 registers a thread; queries: 1 warpgroup, 240 registers a thread; keys: 1
// warpgroup, 240 registers a thread.
// 384 threads, 168 registers each at first, 190656 bytes of shared memory; persistent.
struct chunks_shared {
    tk::shared_tile<tk::bf16, 64, 128> os_tile[1];
    tk::shared_tile<tk::bf16, 64, 128> vs_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> gs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> ks_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> qs_tile[2];
    tk::shared_tile<tk::bf16, 64, 128> befores_tile[1];
    tk::shared_tile<tk::bf16, 64, 128> behinds_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> exponents_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> queries_s[1];
    tk::shared_tile<tk::bf16, 64, 64> keys_s[1];
    tk::shared_tile<tk::bf16, 64, 64> keys_d[1];
    tk::shared_tile<float, 4, 64> keys_f32_rows_64[1];
    tk::shared_tile<int, 1, 128> keys_turned[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_dQ[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_A[1];
    tk::shared_tile<tk::bf16, 64, 64> keys_dK[1];
    tk::shared_tile<tk::bf16, 64, 64> keys_dG[1];
    tk::pipeline<1> os;
    tk::pipeline<1> vs;
    tk::pipeline<2> gs;
    tk::pipeline<2> ks;
    tk::pipeline<2> qs;
    tk::pipeline<1> befores;
    tk::pipeline<1> behinds;
    tk::pipeline<2> exponents;
};
static_assert(offsetof(chunks_shared, exponents) == 190624);

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
        // gated_linear_attention_backward.tk:148: role producer(1 warp) {
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

                // gated_linear_attention_backward.tk:149: produce os = tma_load(dO[b, t, h, :]);
                shared.os.begin(os_next, 16384);
                tk::tma_load(shared.os_tile[os_next.stage], dO_map, shared.os.full[os_next.stage],
                             b, t, h, 0);
                os_next.advance();

                // gated_linear_attention_backward.tk:150: produce vs = tma_load(V[b, t, h, :]);
                shared.vs.begin(vs_next, 16384);
                tk::tma_load(shared.vs_tile[vs_next.stage], V_map, shared.vs.full[vs_next.stage], b,
                             t, h, 0);
                vs_next.advance();

                // gated_linear_attention_backward.tk:151: for c in DK by 64 {
                #pragma unroll 1
                for (int c = 0; c < 128; c += 64) {
                    // gated_linear_attention_backward.tk:152: produce gs = tma_load(G[b, t, h, c]);
                    shared.gs.begin(gs_next, 8192);
                    tk::tma_load(shared.gs_tile[gs_next.stage], G_map,
                                 shared.gs.full[gs_next.stage], b, t, h, c);
                    gs_next.advance();

                    // gated_linear_attention_backward.tk:153: produce ks = tma_load(K[b, t, h, c]);
                    shared.ks.begin(ks_next, 8192);
                    tk::tma_load(shared.ks_tile[ks_next.stage], K_map,
                                 shared.ks.full[ks_next.stage], b, t, h, c);
                    ks_next.advance();

                    // gated_linear_attention_backward.tk:154: produce qs = tma_load(Q[b, t, h, c]);
                    shared.qs.begin(qs_next, 8192);
                    tk::tma_load(shared.qs_tile[qs_next.stage], Q_map,
                                 shared.qs.full[qs_next.stage], b, t, h, c);
                    qs_next.advance();

                    // gated_linear_attention_backward.tk:155: produce befores = ..
                    shared.befores.begin(befores_next, 16384);
                    tk::tma_load(shared.befores_tile[befores_next.stage], Before_map,
                                 shared.befores.full[befores_next.stage], b, t / 64, h * 128 + c,
                                 0);
                    befores_next.advance();

                    // gated_linear_attention_backward.tk:156: produce behinds = ..
                    shared.behinds.begin(behinds_next, 16384);
                    tk::tma_load(shared.behinds_tile[behinds_next.stage], Behind_map,
                                 shared.behinds.full[behinds_next.stage], b, t / 64, h * 128 + c,
                                 0);
                    behinds_next.advance();
                }
            }
        }
    } else if (warp < 4) {
        // gated_linear_attention_backward.tk:159: role queries(1 warpgroup) {
        tk::registers_at_least<240>();
        const int t_tiles = tk::tiles(N, 64);
        const int programs = t_tiles * H * B;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<1> befores_next, os_next;
        tk::cursor<2> exponents_next_2, gs_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int t = program % t_tiles * 64;
            const int h = program / t_tiles % H;
            const int b = program / (t_tiles * H);

            // gated_linear_attention_backward.tk:160: let o = consume os;
            const tk::cursor<1> o_element = shared.os.take(os_next);

            // gated_linear_attention_backward.tk:161: let p = mma(o, (consume vs).T) * scale;
            shared.vs.wait_full(o_element);
            tk::fragment<float, 64, 64> t0;
            tk::mma_async(t0, shared.os_tile[o_element.stage],
                          tk::transposed(shared.vs_tile[o_element.stage]), tk::accumulate_never{});
            tk::mma_wait<0>(t0);
            shared.vs.release(o_element);
            tk::fragment<float, 64, 64> p;
            tk::map(p, [&](float t0) { return t0 * scale; }, t0);

            // gated_linear_attention_backward.tk:162: let own = sum(where(row_index(p) == ..
            tk::fragment<float, 64, 64> t1;
            tk::map(t1, thread, [](int row, int col, float p) { return row == col ? p : 0.0f; }, p);
            tk::column_fragment<float, 64> own;
            tk::fold_rows(own, t1, tk::plus{}, thread);
            tk::finish_rows(own, tk::plus{});

            // gated_linear_attention_backward.tk:163: let w = T(pad(p, axis = 1, with = 0));
            tk::fragment<tk::bf16, 64, 64> w;
            tk::map(w, thread, [&](int, int col, float p) { return col < N - t ? p : 0.0f; }, p);

            // gated_linear_attention_backward.tk:164: shared s: T[L, 64] = 0;
            tk::fragment<tk::bf16, 64, 64> t3;
            tk::map(t3, []() { return tk::bf16(0.0f); });
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.queries_s[0], t3, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);

            // gated_linear_attention_backward.tk:165: var a: f32[L, L] = 0;
            tk::fragment<float, 64, 64> a;
            tk::zero(a);

            // gated_linear_attention_backward.tk:166: for c in DK by 64 {
            tk::column_fragment<float, 64> x;
            tk::column_fragment<float, 64> x_2;
            tk::fragment<float, 64, 64> u;
            for (int c = 0; c < 128; c += 64) {
                // gated_linear_attention_backward.tk:167: let g = consume gs;
                const tk::cursor<2> g_element = shared.gs.take(gs_next);

                // gated_linear_attention_backward.tk:168: let k = consume ks;
                shared.ks.wait_full(g_element);

                // gated_linear_attention_backward.tk:169: let q = consume qs;
                shared.qs.wait_full(g_element);

                // gated_linear_attention_backward.tk:170: let n = mma(q, k.T);
                tk::fragment<float, 64, 64> n;
                tk::mma_async(n, shared.qs_tile[g_element.stage],
                              tk::transposed(shared.ks_tile[g_element.stage]),
                              tk::accumulate_never{});

                // gated_linear_attention_backward.tk:171: let e = mma(TG(where(col_index(a) <= ..
                tk::fragment<tk::bf16, 64, 64> t5;
                tk::map(t5, thread, [](int row, int col) { return col <= row ? 1.0f : 0.0f; });
                tk::fragment<float, 64, 64> e;
                tk::mma_async(e, t5, shared.gs_tile[g_element.stage], tk::accumulate_never{});
                tk::mma_wait<1>(n);

                // gated_linear_attention_backward.tk:172: a += where(row_index(n) == ..
                tk::map(a, thread, [](int row, int col, float a, float n) {
                    return a + (row == col ? n : 0.0f);
                }, a, n);

                // gated_linear_attention_backward.tk:173: var z = mma(o, (consume befores).T);
                const tk::cursor<1> befores_element = shared.befores.take(befores_next);
                tk::fragment<float, 64, 64> z;
                tk::mma_async(z, shared.os_tile[o_element.stage],
                              tk::transposed(shared.befores_tile[befores_element.stage]),
                              tk::accumulate_never{});
                tk::mma_wait<0>(e, z, t5);
                shared.befores.release(befores_element);

                // gated_linear_attention_backward.tk:174: z *= exp2(e * LOG2E) * scale;
                tk::map(z, [&](float z, float e) { return z * (tk::exp2(e * 1.442695f) * scale); },
                        z, e);

                // gated_linear_attention_backward.tk:175: produce exponents = T(z * q);
                tk::fragment<tk::bf16, 64, 64> t2;
                tk::load_shared(t2, shared.qs_tile[g_element.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t8;
                tk::map(t8, [](float z, tk::bf16 t2) { return z * float(t2); }, z, t2);
                shared.exponents.wait_empty(exponents_next_2);
                tk::store_shared(shared.exponents_tile[exponents_next_2.stage], t8, thread);
                shared.exponents.publish(exponents_next_2);
                exponents_next_2.advance();

                // gated_linear_attention_backward.tk:176: z += own * k;
                tk::fragment<tk::bf16, 64, 64> t4;
                tk::load_shared(t4, shared.ks_tile[g_element.stage], thread);
                tk::map(z, [](float z, float own, tk::bf16 t4) {
                    return tk::fma(own, float(t4), z);
                }, z, own, t4);

                // gated_linear_attention_backward.tk:177: for b in 0..log2(L) {
                for (int b_2 = 0; b_2 < 6; b_2 += 1) {
                    // gated_linear_attention.tk:24: var x: f32[L, 1] = 0;
                    tk::zero(x);

                    // gated_linear_attention_backward.tk:179: let f = exp2(mma(m, g) * LOG2E);
                    tk::fragment<tk::bf16, 64, 64> t9;
                    tk::map(t9, thread, [&](int row, int col) {
                        const int x_5 = row >> (b_2 & 31);
                        const bool x_6 = (x_5 & 1) == 1;
                        const int x_7 = x_5 << (b_2 & 31);
                        const int x_8 = row + 1;
                        return col >= (x_6 ? x_7 : x_8) &&
                            col < (x_6 ? x_8 : tk::wrapping_add(x_7, 1 << (b_2 & 31))) ? 1.0f
                            : 0.0f;
                    });
                    tk::fragment<float, 64, 64> t10;
                    tk::mma_async(t10, t9, shared.gs_tile[g_element.stage], tk::accumulate_never{});
                    tk::mma_wait<0>(t10, t9);
                    tk::fragment<float, 64, 64> f;
                    tk::map(f, [](float t10) { return tk::exp2(t10 * 1.442695f); }, t10);

                    // gated_linear_attention.tk:34: var x: f32[L, 1] = 0;
                    tk::zero(x_2);

                    // gated_linear_attention.tk:36: let c = b - 1;
                    const int c_2 = b_2;

                    // gated_linear_attention_backward.tk:181: s = T(k * f);
                    tk::fragment<tk::bf16, 64, 64> t6;
                    tk::load_shared(t6, shared.ks_tile[g_element.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t11;
                    tk::map(t11, [](tk::bf16 t6, float f) { return float(t6) * f; }, t6, f);
                    tk::barrier_sync(2, 128);
                    tk::store_shared(shared.queries_s[0], t11, thread);
                    tk::fence_async();
                    tk::barrier_sync(2, 128);

                    // gated_linear_attention_backward.tk:182: let y = mma(T(q * f), s.T);
                    tk::fragment<tk::bf16, 64, 64> t7;
                    tk::load_shared(t7, shared.qs_tile[g_element.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t12;
                    tk::map(t12, [](tk::bf16 t7, float f) { return float(t7) * f; }, t7, f);
                    tk::fragment<float, 64, 64> y;
                    tk::mma_async(y, t12, tk::transposed(shared.queries_s[0]),
                                  tk::accumulate_never{});
                    tk::mma_wait<0>(y, t12);

                    // gated_linear_attention_backward.tk:183: a += ..
                    tk::map(a, thread, [&](int row, int col, float a, float y) {
                        const bool x_5 = b_2 + 1 == 0;
                        const int x_6 = row >> (c_2 & 31);
                        const int x_7 = x_6 << (c_2 & 31);
                        return a +
                            (col >= (x_5 ? row : tk::wrapping_subtract(x_7, 1 << (c_2 & 31))) &&
                             col < (x_5 ? row + 1 : (x_6 & 1) == 1 ? x_7 : 0) ? y : 0.0f);
                    }, a, y);

                    // gated_linear_attention_backward.tk:184: var u = ..
                    tk::fragment<tk::bf16, 64, 64> t14;
                    tk::map(t14, thread, [&](int row, int col, tk::bf16 w) {
                        const bool x_5 = b_2 + 1 == 0;
                        const int x_6 = row >> (c_2 & 31);
                        const int x_7 = x_6 << (c_2 & 31);
                        return col >= (x_5 ? row : tk::wrapping_subtract(x_7, 1 << (c_2 & 31))) &&
                            col < (x_5 ? row + 1 : (x_6 & 1) == 1 ? x_7 : 0) ? tk::bf16(w)
                            : tk::bf16(0.0f);
                    }, w);
                    tk::mma_async(u, t14, shared.queries_s[0], tk::accumulate_never{});
                    tk::mma_wait<0>(u, t14);

                    // gated_linear_attention_backward.tk:185: u *= f;
                    tk::map(u, [](float u, float f) { return u * f; }, u, f);

                    // gated_linear_attention_backward.tk:186: z += u;
                    tk::map(z, [](float z, float u) { return z + u; }, z, u);

                    // gated_linear_attention_backward.tk:187: produce exponents = T(u * q);
                    tk::fragment<tk::bf16, 64, 64> t13;
                    tk::load_shared(t13, shared.qs_tile[g_element.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t16;
                    tk::map(t16, [](float u, tk::bf16 t13) { return u * float(t13); }, u, t13);
                    shared.exponents.wait_empty(exponents_next_2);
                    tk::store_shared(shared.exponents_tile[exponents_next_2.stage], t16, thread);
                    shared.exponents.publish(exponents_next_2);
                    exponents_next_2.advance();
                }
                shared.qs.release_after_loads(g_element);
                shared.ks.release_after_loads(g_element);
                shared.gs.release(g_element);

                // gated_linear_attention_backward.tk:193: tma_store(dQ[b, t, h, c], T(z));
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

            // gated_linear_attention_backward.tk:196: tma_store(A[b, h, t.start +: L, :], T(a * ..
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                tk::fragment<tk::bf16, 64, 64> t18;
                tk::map(t18, [&](float a) { return a * scale; }, a);
                tk::store_shared(shared.queries_A[0], t18, thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if (leader) tk::tma_store(A_map, shared.queries_A[0], b, h, t, panel);
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    } else {
        // gated_linear_attention_backward.tk:198: role keys(1 warpgroup) {
        tk::registers_at_least<240>();
        const int t_tiles = tk::tiles(N, 64);
        const int programs = t_tiles * H * B;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<1> behinds_next, os_next;
        tk::cursor<2> exponents_next_2, gs_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int t = program % t_tiles * 64;
            const int h = program / t_tiles % H;
            const int b = program / (t_tiles * H);

            // gated_linear_attention_backward.tk:199: var x: f32[L, L] = 0;
            tk::fragment<float, 64, 64> x;
            tk::zero(x);

            // gated_linear_attention_backward.tk:200: let o = consume os;
            const tk::cursor<1> o_element = shared.os.take(os_next);

            // gated_linear_attention_backward.tk:201: let v = consume vs;
            shared.vs.wait_full(o_element);

            // gated_linear_attention_backward.tk:202: let p = mma(v, o.T) * scale;
            tk::fragment<float, 64, 64> t0;
            tk::mma_async(t0, shared.vs_tile[o_element.stage],
                          tk::transposed(shared.os_tile[o_element.stage]), tk::accumulate_never{});
            tk::mma_wait<0>(t0);
            shared.os.release(o_element);
            tk::fragment<float, 64, 64> p;
            tk::map(p, [&](float t0) { return t0 * scale; }, t0);

            // gated_linear_attention_backward.tk:203: let own = sum(where(row_index(p) == ..
            tk::fragment<float, 64, 64> t1;
            tk::map(t1, thread, [](int row, int col, float p) { return row == col ? p : 0.0f; }, p);
            tk::column_fragment<float, 64> own;
            tk::fold_rows(own, t1, tk::plus{}, thread);
            tk::finish_rows(own, tk::plus{});

            // gated_linear_attention_backward.tk:204: let w = T(pad(p, axis = 1, with = 0));
            tk::fragment<tk::bf16, 64, 64> w;
            tk::map(w, thread, [&](int, int col, float p) { return col < N - t ? p : 0.0f; }, p);

            // gated_linear_attention_backward.tk:205: shared s: T[L, 64] = 0;
            tk::fragment<tk::bf16, 64, 64> t3;
            tk::map(t3, []() { return tk::bf16(0.0f); });
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.keys_s[0], t3, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);

            // gated_linear_attention_backward.tk:206: shared d: T[L, 64] = 0;
            tk::fragment<tk::bf16, 64, 64> t4;
            tk::map(t4, []() { return tk::bf16(0.0f); });
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.keys_d[0], t4, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);

            // gated_linear_attention_backward.tk:207: for c in DK by 64 {
            tk::column_fragment<float, 64> x_2;
            tk::column_fragment<float, 64> x_3;
            tk::fragment<float, 64, 64> u;
            tk::column_fragment<float, 64> x_4;
            for (int c = 0; c < 128; c += 64) {
                // gated_linear_attention_backward.tk:208: let g = consume gs;
                const tk::cursor<2> g_element = shared.gs.take(gs_next);

                // gated_linear_attention_backward.tk:209: let k = consume ks;
                shared.ks.wait_full(g_element);

                // gated_linear_attention_backward.tk:210: let q = consume qs;
                shared.qs.wait_full(g_element);

                // gated_linear_attention_backward.tk:211: var z = own * q;
                tk::fragment<tk::bf16, 64, 64> t2;
                tk::load_shared(t2, shared.qs_tile[g_element.stage], thread);
                tk::fragment<float, 64, 64> z;
                tk::map(z, [](float own, tk::bf16 t2) { return own * float(t2); }, own, t2);

                // gated_linear_attention_backward.tk:212: var dg = mma(T(where(col_index(x) >= ..
                tk::fragment<tk::bf16, 64, 64> t5;
                tk::map(t5, thread, [](int row, int col) { return col >= row ? 1.0f : 0.0f; });
                const tk::cursor<2> exponents_element = shared.exponents.take(exponents_next_2);
                tk::fragment<float, 64, 64> dg;
                tk::mma_async(dg, t5, shared.exponents_tile[exponents_element.stage],
                              tk::accumulate_never{});
                tk::mma_wait<0>(dg, t5);
                shared.exponents.release(exponents_element);

                // gated_linear_attention_backward.tk:213: for b in 0..log2(L) {
                for (int b_2 = 0; b_2 < 6; b_2 += 1) {
                    // gated_linear_attention.tk:24: var x: f32[L, 1] = 0;
                    tk::zero(x_2);

                    // gated_linear_attention_backward.tk:215: let f = exp2(mma(m, g) * LOG2E);
                    tk::fragment<tk::bf16, 64, 64> t7;
                    tk::map(t7, thread, [&](int row, int col) {
                        const int x_5 = row >> (b_2 & 31);
                        const bool x_6 = (x_5 & 1) == 1;
                        const int x_7 = x_5 << (b_2 & 31);
                        const int x_8 = row + 1;
                        return col >= (x_6 ? x_7 : x_8) &&
                            col < (x_6 ? x_8 : tk::wrapping_add(x_7, 1 << (b_2 & 31))) ? 1.0f
                            : 0.0f;
                    });
                    tk::fragment<float, 64, 64> t8;
                    tk::mma_async(t8, t7, shared.gs_tile[g_element.stage], tk::accumulate_never{});
                    tk::mma_wait<0>(t8, t7);
                    tk::fragment<float, 64, 64> f;
                    tk::map(f, [](float t8) { return tk::exp2(t8 * 1.442695f); }, t8);

                    // gated_linear_attention_backward.tk:21: var x: f32[L, 1] = 0;
                    tk::zero(x_3);

                    // gated_linear_attention_backward.tk:217: s = T(q * f);
                    tk::fragment<tk::bf16, 64, 64> t6;
                    tk::load_shared(t6, shared.qs_tile[g_element.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t9;
                    tk::map(t9, [](tk::bf16 t6, float f) { return float(t6) * f; }, t6, f);
                    tk::barrier_sync(4, 128);
                    tk::store_shared(shared.keys_s[0], t9, thread);
                    tk::fence_async();
                    tk::barrier_sync(4, 128);

                    // gated_linear_attention_backward.tk:218: var u = ..
                    tk::fragment<tk::bf16, 64, 64> t10;
                    tk::map(t10, thread, [&](int row, int col, tk::bf16 w) {
                        const int x_5 = row >> (b_2 & 31);
                        const int x_6 = x_5 << (b_2 & 31);
                        return col >= tk::wrapping_add(x_6, 1 << (b_2 & 31)) &&
                            col < ((x_5 & 1) == 1 ? 0 : tk::wrapping_add(x_6, 2 << (b_2 & 31)))
                            ? tk::bf16(w) : tk::bf16(0.0f);
                    }, w);
                    tk::mma_async(u, t10, shared.keys_s[0], tk::accumulate_never{});
                    tk::mma_wait<0>(u, t10);

                    // gated_linear_attention_backward.tk:219: u *= f;
                    tk::map(u, [](float u, float f) { return u * f; }, u, f);

                    // gated_linear_attention_backward.tk:220: z += u;
                    tk::map(z, [](float z, float u) { return z + u; }, z, u);

                    // gated_linear_attention_backward.tk:30: var x: f32[L, 1] = 0;
                    tk::zero(x_4);

                    // gated_linear_attention_backward.tk:222: d = T(u * k);
                    tk::fragment<tk::bf16, 64, 64> t11;
                    tk::load_shared(t11, shared.ks_tile[g_element.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t12;
                    tk::map(t12, [](float u, tk::bf16 t11) { return u * float(t11); }, u, t11);
                    tk::barrier_sync(4, 128);
                    tk::store_shared(shared.keys_d[0], t12, thread);
                    tk::fence_async();
                    tk::barrier_sync(4, 128);

                    // gated_linear_attention_backward.tk:223: dg += mma(r, d);
                    tk::fragment<tk::bf16, 64, 64> t13;
                    tk::map(t13, thread, [&](int row, int col) {
                        const int x_5 = row >> (b_2 & 31);
                        const bool x_6 = (x_5 & 1) == 1;
                        const int x_7 = x_5 << (b_2 & 31);
                        return col >= (x_6 ? row : x_7) &&
                            col < (x_6 ? tk::wrapping_add(x_7, 1 << (b_2 & 31)) : row) ? 1.0f
                            : 0.0f;
                    });
                    tk::mma_async(dg, t13, shared.keys_d[0]);

                    // gated_linear_attention_backward.tk:224: dg += mma(r, consume exponents);
                    const tk::cursor<2> exponents_element_2 =
                        shared.exponents.take(exponents_next_2);
                    tk::mma_async(dg, t13, shared.exponents_tile[exponents_element_2.stage]);
                    tk::mma_wait<0>(dg, t13);
                    shared.exponents.release(exponents_element_2);
                }
                shared.qs.release_after_loads(g_element);

                // gated_linear_attention_backward.tk:226: let r = consume behinds;
                const tk::cursor<1> r_element = shared.behinds.take(behinds_next);

                // gated_linear_attention_backward.tk:227: let first = consume befores;
                shared.befores.wait_full(r_element);

                // gated_linear_attention_backward.tk:228: var past = sum(f32(first[:, 0 +: 64]) ..
                tk::fragment<tk::bf16, 64, 64> t18;
                tk::load_shared(t18, tk::part<0, 0, 64, 64>(shared.befores_tile[r_element.stage]),
                                thread);
                tk::fragment<tk::bf16, 64, 64> t27;
                tk::load_shared(t27, tk::part<0, 0, 64, 64>(shared.behinds_tile[r_element.stage]),
                                thread);
                tk::fragment<float, 64, 64> t17;
                tk::map(t17, [](tk::bf16 t18, tk::bf16 t27) { return float(t18) * float(t27); },
                        t18, t27);
                tk::column_fragment<float, 64> past;
                tk::fold_rows(past, t17, tk::plus{}, thread);
                tk::finish_rows(past, tk::plus{});

                // gated_linear_attention_backward.tk:229: if DV > 64 { past += sum(f32(first[:, ..
                tk::fragment<tk::bf16, 64, 64> t28;
                tk::load_shared(t28, tk::part<0, 64, 64, 64>(shared.befores_tile[r_element.stage]),
                                thread);
                shared.befores.release_after_loads(r_element);
                tk::fragment<tk::bf16, 64, 64> t33;
                tk::load_shared(t33, tk::part<0, 64, 64, 64>(shared.behinds_tile[r_element.stage]),
                                thread);
                tk::fragment<float, 64, 64> t21;
                tk::map(t21, [](tk::bf16 t28, tk::bf16 t33) { return float(t28) * float(t33); },
                        t28, t33);
                tk::column_fragment<float, 64> t22;
                tk::fold_rows(t22, t21, tk::plus{}, thread);
                tk::finish_rows(t22, tk::plus{});
                tk::map(past, [](float past, float t22) { return past + t22; }, past, t22);

                // gated_linear_attention_backward.tk:230: dg += past.T * exp2(sum(f32(g), axis = ..
                tk::row_fragment<float, 64> t23;
                tk::transpose(t23, past, shared.keys_turned[0], thread, 4);
                tk::fragment<tk::bf16, 64, 64> t34;
                tk::load_shared(t34, shared.gs_tile[g_element.stage], thread);
                tk::fragment<float, 64, 64> t24 = tk::convert<float>(t34);
                tk::row_fragment<float, 64> t25;
                tk::reduce_columns(t25, t24, shared.keys_f32_rows_64[0], tk::plus{}, thread, 4);
                tk::map(dg, [](float dg, float t23, float t25) {
                    return tk::fma(t23, tk::exp2(t25 * 1.442695f), dg);
                }, dg, t23, t25);

                // gated_linear_attention_backward.tk:231: let e = mma(TG(where(col_index(x) > ..
                tk::fragment<tk::bf16, 64, 64> t26;
                tk::map(t26, thread, [](int row, int col) { return col > row ? 1.0f : 0.0f; });
                tk::fragment<float, 64, 64> e;
                tk::mma_async(e, t26, shared.gs_tile[g_element.stage], tk::accumulate_never{});

                // gated_linear_attention_backward.tk:232: var y = mma(v, r.T);
                tk::fragment<float, 64, 64> y;
                tk::mma_async(y, shared.vs_tile[o_element.stage],
                              tk::transposed(shared.behinds_tile[r_element.stage]),
                              tk::accumulate_never{});
                tk::mma_wait<0>(e, y, t26);
                shared.gs.release_after_loads(g_element);
                shared.behinds.release_after_loads(r_element);

                // gated_linear_attention_backward.tk:233: y *= exp2(e * LOG2E);
                tk::map(y, [](float y, float e) { return y * tk::exp2(e * 1.442695f); }, y, e);

                // gated_linear_attention_backward.tk:234: d = T(y * k);
                tk::fragment<tk::bf16, 64, 64> t35;
                tk::load_shared(t35, shared.ks_tile[g_element.stage], thread);
                shared.ks.release_after_loads(g_element);
                tk::fragment<tk::bf16, 64, 64> t29;
                tk::map(t29, [](float y, tk::bf16 t35) { return y * float(t35); }, y, t35);
                tk::barrier_sync(4, 128);
                tk::store_shared(shared.keys_d[0], t29, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);

                // gated_linear_attention_backward.tk:235: dg += mma(T(where(col_index(x) < ..
                tk::fragment<tk::bf16, 64, 64> t30;
                tk::map(t30, thread, [](int row, int col) { return col < row ? 1.0f : 0.0f; });
                tk::mma_async(dg, t30, shared.keys_d[0]);

                // gated_linear_attention_backward.tk:236: z += y;
                tk::map(z, [](float z, float y) { return z + y; }, z, y);

                // gated_linear_attention_backward.tk:241: tma_store(dK[b, t, h, c], T(z));
                tk::hold_waits(warp);
                tk::mma_wait<0>(dg, t30);
                #pragma unroll
                for (int panel = 0; panel < 64; panel += 64) {
                    if (leader) tk::tma_store_wait_read<0>();
                    tk::barrier_sync(3, 128);
                    tk::store_shared(shared.keys_dK[0], tk::convert<tk::bf16>(z), thread);
                    tk::fence_async();
                    tk::barrier_sync(3, 128);
                    if (leader) tk::tma_store(dK_map, shared.keys_dK[0], b, t, h, c + panel);
                }

                // gated_linear_attention_backward.tk:243: tma_store(dG[b, t, h, c], TDG(dg));
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
// 256 threads, 255 registers each at first, 172208 bytes of shared memory; persistent.
struct values_shared {
    tk::shared_tile<tk::bf16, 64, 64> gs_tile[3];
    tk::shared_tile<tk::bf16, 64, 64> ks_tile[3];
    tk::shared_tile<tk::bf16, 64, 128> behinds_tile[3];
    tk::shared_tile<tk::bf16, 64, 64> lasts_a[2];
    tk::shared_tile<tk::bf16, 64, 128> lasts_o[2];
    tk::shared_tile<tk::bf16, 64, 64> values_later[1];
    tk::shared_tile<tk::bf16, 64, 64> values_dV[2];
    tk::pipeline<3> gs;
    tk::pipeline<3> ks;
    tk::pipeline<3> behinds;
    tk::pipeline<2> lasts;
};
static_assert(offsetof(values_shared, lasts) == 172176);

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
        // gated_linear_attention_backward.tk:262: role producer(1 warp) {
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

                // gated_linear_attention_backward.tk:263: for c in DK by 64 {
                #pragma unroll 1
                for (int c = 0; c < 128; c += 64) {
                    // gated_linear_attention_backward.tk:264: produce gs = tma_load(G[b, t, h, c]);
                    shared.gs.begin(gs_next, 8192);
                    tk::tma_load(shared.gs_tile[gs_next.stage], G_map,
                                 shared.gs.full[gs_next.stage], b, t, h, c);
                    gs_next.advance();

                    // gated_linear_attention_backward.tk:265: produce ks = tma_load(K[b, t, h, c]);
                    shared.ks.begin(ks_next, 8192);
                    tk::tma_load(shared.ks_tile[ks_next.stage], K_map,
                                 shared.ks.full[ks_next.stage], b, t, h, c);
                    ks_next.advance();

                    // gated_linear_attention_backward.tk:266: produce behinds = ..
                    shared.behinds.begin(behinds_next, 16384);
                    tk::tma_load(shared.behinds_tile[behinds_next.stage], Behind_map,
                                 shared.behinds.full[behinds_next.stage], b, t / 64, h * 128 + c,
                                 0);
                    behinds_next.advance();
                }

                // gated_linear_attention_backward.tk:268: produce lasts { a = tma_load(A[b, h, ..
                shared.lasts.begin(lasts_next, 24576);
                tk::tma_load(shared.lasts_a[lasts_next.stage], A_map,
                             shared.lasts.full[lasts_next.stage], b, h, t, 0);
                tk::tma_load(shared.lasts_o[lasts_next.stage], dO_map,
                             shared.lasts.full[lasts_next.stage], b, t, h, 0);
                lasts_next.advance();
            }
        }
    } else {
        // gated_linear_attention_backward.tk:270: role values(1 warpgroup) {
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

            // gated_linear_attention_backward.tk:271: var x: f32[L, L] = 0;
            tk::fragment<float, 64, 64> x;
            tk::zero(x);

            // gated_linear_attention_backward.tk:272: let later = shared(TG(where(col_index(x) > ..
            tk::fragment<tk::bf16, 64, 64> t0;
            tk::map(t0, thread, [](int row, int col) { return col > row ? 1.0f : 0.0f; });
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.values_later[0], t0, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);

            // gated_linear_attention_backward.tk:273: var z: f32[L, DV] = 0;
            tk::fragment<float, 64, 128> z;
            tk::zero(z);

            // gated_linear_attention_backward.tk:274: for c in DK by 64 {
            for (int c = 0; c < 128; c += 64) {
                // gated_linear_attention_backward.tk:275: let e = mma(later, consume gs);
                const tk::cursor<3> gs_element = shared.gs.take(gs_next);
                tk::fragment<float, 64, 64> e;
                tk::mma_async(e, shared.values_later[0], shared.gs_tile[gs_element.stage],
                              tk::accumulate_never{});

                // gated_linear_attention_backward.tk:276: z += mma(T((consume ks) * exp2(e * ..
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

            // gated_linear_attention_backward.tk:278: let s = consume lasts;
            const tk::cursor<2> s = shared.lasts.take(lasts_next);

            // gated_linear_attention_backward.tk:279: z += mma(s.a.T, s.o);
            tk::mma_async(z, tk::transposed(shared.lasts_a[s.stage]), shared.lasts_o[s.stage]);
            tk::mma_wait<0>(z);
            shared.lasts.release(s);

            // gated_linear_attention_backward.tk:280: if PACKED { store(dVt[0 +: L, h, :], ..
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
         tk::fixed_extent(A, 3, 64), tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"S", S}}),
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
                  {A.shape[2], tk::ceil_div(N, 64) * 64}), tk::suits_tma_load(Q),
         tk::suits_tma_load(K), tk::suits_tma_load(V), tk::suits_tma_load(G),
         tk::suits_tma_load(dO), tk::suits_tma_load(Before), tk::suits_tma_load(Behind),
         tk::suits_tma_store(dQ), tk::suits_tma_store(dK), tk::suits_tma_store(dG),
         tk::suits_tma_store(A), tk::grid_fits(tk::multiply(tk::ceil_div(N, 64), H), 2147418112),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 64), H), B), 2147418112),
         tk::fits("h*128", (H - 1) * 128), tk::fits("h*128 + c.start", (H - 1) * 128 + 127)});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<chunks_kernel>(
        site, sizeof(chunks_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(N, 64), H), B), tk::box{dO, {1, 64, 1, 64}, 128},
        tk::box{V, {1, 64, 1, 64}, 128}, tk::box{G, {1, 64, 1, 64}, 128},
        tk::box{K, {1, 64, 1, 64}, 128}, tk::box{Q, {1, 64, 1, 64}, 128},
        tk::box{Before, {1, 1, 64, 64}, 128}, tk::box{Behind, {1, 1, 64, 64}, 128},
        tk::box{dQ, {1, 64, 1, 64}, 128}, tk::box{A, {1, 1, 64, 64}, 128},
        tk::box{dK, {1, 64, 1, 64}, 128}, tk::box{dG, {1, 64, 1, 64}, 128}, B, N, H, scale));
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
         tk::same_extent("H", K, 2, A, 1), tk::fixed_extent(A, 3, 64),
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
         tk::fixed_extent(A, 3, 64),
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
        {tk::suits_tma_store(dQ), tk::suits_tma_store(dK), tk::suits_tma_store(dG),
         tk::suits_tma_store(A), tk::grid_fits(tk::multiply(tk::ceil_div(N, 64), H), 2147418112),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 64), H), B), 2147418112)});
    // values(K, G, dO, A, Behind, start, start, dV)
    call.require({tk::suits_tma_store(dV)});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    TK_FINISH_IF_FAILED(launch_before(site, K, V, G, S0, Before, B, N, H, J));
    TK_FINISH_IF_FAILED(launch_behind(site, Q, dO, G, dState, Behind, dS0, B, N, H, F, I, scale));
    TK_FINISH_IF_FAILED(
        launch_chunks(site, Q, K, V, G, dO, tk::read_only(Before), tk::read_only(Behind), dQ, dK,
                      dG, A, B, N, H, scale));
    TK_FINISH_IF_FAILED(
        launch_values(site, K, G, dO, tk::read_only(A), tk::read_only(Behind), dV, B, N, H));
    return tk::finish({});
}
TK_NO_WORKSPACE(gated_linear_attention_backward, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, float)
}  // extern "C"
