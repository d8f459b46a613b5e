// Made by tkc from gated_delta_backward.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/cells.cuh"
#include "tk/operations/integer.cuh"
#include "tk/operations/slice_tile.cuh"
#include "tk/ptx/wgmma_n016.cuh"
#include "tk/ptx/wgmma_n032.cuh"
#include "tk/ptx/wgmma_n064.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/tk.cuh"

// before: kernel before with T = bf16, DK = 128, DV = 128, BV = 64, PACKED = false, L = 64.
// producer: 1 warp, 240 registers a thread; state: 1 warpgroup, 240 registers a thread.
// 256 threads, 255 registers each at first, 84096 bytes of shared memory.
struct before_shared {
    tk::shared_tile<tk::bf16, 64, 128> ks_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> vs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> ts_tile[2];
    tk::shared_tile<float, 1, 64> gs_g[2];
    tk::shared_tile<float, 1, 64> gs_w[2];
    tk::shared_tile<float, 1, 64> gs_beta[2];
    tk::shared_tile<tk::bf16, 64, 64> state_Before[2];
    tk::pipeline<2> ks;
    tk::pipeline<2> vs;
    tk::pipeline<2> ts;
    tk::pipeline<2> gs;
};
static_assert(offsetof(before_shared, gs) == 84064);

__global__ void __launch_bounds__(256, 1) before_kernel(
    const __grid_constant__ CUtensorMap K_map, const __grid_constant__ CUtensorMap V_map,
    const __grid_constant__ CUtensorMap G_map, const __grid_constant__ CUtensorMap W_map,
    const __grid_constant__ CUtensorMap C_map, const __grid_constant__ CUtensorMap Inverse_map,
    const __grid_constant__ CUtensorMap Before_map, const __grid_constant__ CUtensorMap U_map,
    const tk::tensor_argument<const float, 4> S0, int B, int N, int H, int J) {
    extern __shared__ __align__(1024) unsigned char memory[];
    before_shared& shared = *reinterpret_cast<before_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(K_map, V_map, G_map, W_map, C_map, Inverse_map, Before_map, U_map);
        shared.ks.init(1, 4);
        shared.vs.init(1, 4);
        shared.ts.init(1, 4);
        shared.gs.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 4) {
        // gated_delta_backward.tk:46: role producer(1 warp) {
        tk::registers_at_most<240>();
        if (warp == 4 && tk::elect_one()) {
            tk::cursor<2> gs_next, ks_next, ts_next, vs_next;
            const int program = blockIdx.x;
            const int c = program % 2 * 64;
            const int h = program / 2 % H;
            const int b = program / (2 * H);

            // gated_delta_backward.tk:37: let end    = if PACKED { (start[b + 1] // L + b + 1 - ..
            const int end = N;

            // gated_delta_backward.tk:47: for t in end by L {
            #pragma unroll 1
            for (int t = 0; t < end; t += 64) {
                // gated_delta_backward.tk:54: produce ks = tma_load(K[b, t, h, :]);
                shared.ks.begin(ks_next, 16384);
                tk::tma_load(shared.ks_tile[ks_next.stage], K_map, shared.ks.full[ks_next.stage], b,
                             t, h, 0);
                ks_next.advance();

                // gated_delta_backward.tk:55: produce vs = tma_load(V[b, t, h, c]);
                shared.vs.begin(vs_next, 8192);
                tk::tma_load(shared.vs_tile[vs_next.stage], V_map, shared.vs.full[vs_next.stage], b,
                             t, h, c);
                vs_next.advance();

                // gated_delta_backward.tk:56: produce gs { g = tma_load(G[b, h, t.start +: L]); ..
                shared.gs.begin(gs_next, 768);
                tk::tma_load(shared.gs_g[gs_next.stage], G_map, shared.gs.full[gs_next.stage], b, h,
                             t);
                tk::tma_load(shared.gs_w[gs_next.stage], W_map, shared.gs.full[gs_next.stage], b, h,
                             t);
                tk::tma_load(shared.gs_beta[gs_next.stage], C_map, shared.gs.full[gs_next.stage], b,
                             h, t);
                gs_next.advance();

                // gated_delta_backward.tk:57: produce ts = tma_load(Inverse[b, h, t.start +: L, ..
                shared.ts.begin(ts_next, 8192);
                tk::tma_load(shared.ts_tile[ts_next.stage], Inverse_map,
                             shared.ts.full[ts_next.stage], b, h, t, 0);
                ts_next.advance();
            }
        }
    } else {
        // gated_delta_backward.tk:61: role state(1 warpgroup) {
        tk::registers_at_most<240>();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> ks_next;
        const int program = blockIdx.x;
        const int c = program % 2 * 64;
        const int h = program / 2 % H;
        const int b = program / (2 * H);

        // gated_delta_backward.tk:37: let end    = if PACKED { (start[b + 1] // L + b + 1 - ..
        const int end = N;

        // gated_delta_backward.tk:38: let at     = if PACKED { 0 } else { b };
        const int at = b;

        // gated_delta_backward.tk:62: var s: f32[BV, DK] = load(S0[b, h, c, :]);
        tk::fragment<float, 64, 128> s;
        tk::load_global(s, tk::slice(S0, {b, h, c, 0}, b < J ? 128 - c : 0, 128), thread);

        // gated_delta_backward.tk:63: for t in end by L {
        tk::fragment<tk::bf16, 64, 64> t7;
        for (int t = 0; t < end; t += 64) {
            // gated_delta_backward.tk:64: let k = consume ks;
            const tk::cursor<2> k_element = shared.ks.take(ks_next);

            // gated_delta_backward.tk:65: let r = T(s);
            tk::fragment<tk::bf16, 64, 128> r = tk::convert<tk::bf16>(s);

            // gated_delta_backward.tk:66: let y = mma(r, k.T);
            tk::fragment<float, 64, 64> y;
            tk::mma_async(y, r, tk::transposed(shared.ks_tile[k_element.stage]),
                          tk::accumulate_never{});

            // gated_delta_backward.tk:67: let v = consume vs;
            shared.vs.wait_full(k_element);

            // gated_delta_backward.tk:68: let a = consume gs;
            shared.gs.wait_full(k_element);

            // gated_delta_backward.tk:69: let x = consume ts;
            shared.ts.wait_full(k_element);

            // gated_delta.tk:25: var u = v * beta;
            tk::fragment<tk::bf16, 64, 64> t3;
            tk::load_transposed(t3, shared.vs_tile[k_element.stage], thread);
            shared.vs.release_after_loads(k_element);
            tk::row_fragment<float, 64> t0;
            tk::load_shared(t0, shared.gs_beta[k_element.stage], thread);
            tk::fragment<float, 64, 64> u;
            tk::map(u, [](tk::bf16 t3, float t0) { return float(t3) * t0; }, t3, t0);

            // gated_delta.tk:26: let since = exp2(g) * beta;
            tk::hold_waits(warp);
            tk::row_fragment<float, 64> t1;
            tk::load_shared(t1, shared.gs_g[k_element.stage], thread);
            tk::row_fragment<float, 64> t9;
            tk::load_shared(t9, shared.gs_beta[k_element.stage], thread);
            tk::row_fragment<float, 64> since;
            tk::map(since, [](float t1, float t9) { return tk::exp2(t1) * t9; }, t1, t9);
            tk::mma_wait<0>(y, r);

            // gated_delta.tk:27: u -= y * since;
            tk::map(u, [](float u, float y, float since) { return tk::fma(-y, since, u); },
                    u, y, since);

            // gated_delta.tk:28: u = pad(u, axis = 1, with = 0);
            if (!(t + 64 <= N)) {
                tk::map(u, thread, [&](int, int col, float u) { return col < N - t ? u : 0.0f; },
                        u);
            }

            // gated_delta.tk:29: u += mma(T(u), x.T);
            tk::fragment<tk::bf16, 64, 64> t4 = tk::convert<tk::bf16>(u);
            tk::mma_async(u, t4, tk::transposed(shared.ts_tile[k_element.stage]));

            // gated_delta.tk:30: s *= exp2(scalar(g[:, L - 1 +: 1]));
            tk::row_fragment<float, 1> t6;
            tk::load_shared(t6, tk::part<0, 63, 1, 1>(shared.gs_g[k_element.stage]), thread);
            const float number = t6.cell(0);
            tk::map(s, [&](float s) { return s * tk::exp2(number); }, s);

            // gated_delta.tk:31: s += mma(T(pad(u * w, axis = 1, with = 0)), k);
            tk::hold_waits(warp);
            tk::mma_wait<0>(u, t4);
            shared.ts.release(k_element);
            tk::row_fragment<float, 64> t10;
            tk::load_shared(t10, shared.gs_w[k_element.stage], thread);
            shared.gs.release_after_loads(k_element);
            if (t + 64 <= N) {
                tk::map(t7, [](float u, float t10) { return u * t10; }, u, t10);
            } else {
                tk::map(t7, thread, [&](int, int col, float u, float t10) {
                    return col < N - t ? u * t10 : 0.0f;
                }, u, t10);
            }
            tk::mma_async(s, t7, shared.ks_tile[k_element.stage]);

            // gated_delta_backward.tk:71: tma_store(Before[at, place + t.index, h * DV + c.start ..
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                tk::store_shared(shared.state_Before[panel / 64 % 2],
                                 tk::window<64, 64>(r, 0, panel), thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if (leader) {
                    tk::tma_store(Before_map, shared.state_Before[panel / 64 % 2], at, t / 64,
                                  h * 128 + c, panel);
                }
            }

            // gated_delta_backward.tk:72: tma_store(U[at, h, c, place * L + t.start +: L], T(u));
            tk::hold_waits(warp);
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                tk::store_shared(shared.state_Before[panel / 64 % 2], tk::convert<tk::bf16>(u),
                                 thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if (leader) {
                    tk::tma_store(U_map, shared.state_Before[panel / 64 % 2], at, h, c, t + panel);
                }
            }
            tk::mma_wait<0>(s, t7);
            shared.ks.release(k_element);
        }

        if (leader) tk::tma_store_wait_read<0>();
    }
}

// behind: kernel behind with T = bf16, DK = 128, DV = 128, BV = 64, PACKED = false, L = 64.
// producer: 1 warp, 24 registers a thread; aux: 1 warpgroup, 240 registers a thread; state: 1
// warpgroup, 240 registers a thread.
// 384 threads, 168 registers each at first, 199936 bytes of shared memory.
struct behind_shared {
    tk::shared_tile<tk::bf16, 64, 128> ks_tile[2];
    tk::shared_tile<tk::bf16, 64, 128> qs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> os_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> ts_tile[2];
    tk::shared_tile<float, 1, 64> gs_g[2];
    tk::shared_tile<float, 1, 64> gs_w[2];
    tk::shared_tile<float, 1, 64> gs_beta[2];
    tk::shared_tile<float, 1, 64> gps_g[2];
    tk::shared_tile<float, 64, 1> gps_gc[2];
    tk::shared_tile<tk::bf16, 64, 64> ps_tile[2];
    tk::shared_tile<tk::bf16, 64, 128> es_high[2];
    tk::shared_tile<tk::bf16, 64, 128> es_low[2];
    tk::shared_tile<tk::bf16, 64, 64> state_Behind[2];
    tk::pipeline<2> ks;
    tk::pipeline<2> qs;
    tk::pipeline<2> os;
    tk::pipeline<2> ts;
    tk::pipeline<2> gs;
    tk::pipeline<2> gps;
    tk::pipeline<2> ps;
    tk::pipeline<2> es;
};
static_assert(offsetof(behind_shared, es) == 199904);

__global__ void __launch_bounds__(384, 1) behind_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap G_map, const __grid_constant__ CUtensorMap dO_map,
    const __grid_constant__ CUtensorMap W_map, const __grid_constant__ CUtensorMap C_map,
    const __grid_constant__ CUtensorMap Inverse_map, const __grid_constant__ CUtensorMap Behind_map,
    const __grid_constant__ CUtensorMap Y_map, const __grid_constant__ CUtensorMap dV_map,
    const tk::tensor_argument<const float, 4> dState, const tk::tensor_argument<float, 4> dS0,
    int B, int N, int H, int F, int I, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    behind_shared& shared = *reinterpret_cast<behind_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Q_map, K_map, G_map, dO_map, W_map, C_map, Inverse_map, Behind_map,
                              Y_map, dV_map);
        shared.ks.init(1, 8);
        shared.qs.init(1, 4);
        shared.os.init(1, 4);
        shared.ts.init(1, 4);
        shared.gs.init(1, 4);
        shared.gps.init(1, 4);
        shared.ps.init(4, 4);
        shared.es.init(4, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gated_delta_backward.tk:106: role producer(1 warp) {
        tk::registers_at_most<24>();
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> gps_next, gs_next, ks_next, os_next, qs_next, ts_next;
            const int program = blockIdx.x;
            const int c = program % 2 * 64;
            const int h = program / 2 % H;
            const int b = program / (2 * H);

            // gated_delta_backward.tk:93: let end    = if PACKED { (start[b + 1] // L + b + 1 - ..
            const int end = N;

            // gated_delta_backward.tk:94: let at     = if PACKED { 0 } else { b };
            const int at = b;

            // gated_delta_backward.tk:107: for t in reversed end by L {
            #pragma unroll 1
            for (int t = (tk::divide_up(end, 64) - 1) * 64; t >= 0; t -= 64) {
                // gated_delta_backward.tk:115: produce qs = tma_load(Q[b, t, h, :]);
                shared.qs.begin(qs_next, 16384);
                tk::tma_load(shared.qs_tile[qs_next.stage], Q_map, shared.qs.full[qs_next.stage], b,
                             t, h, 0);
                qs_next.advance();

                // gated_delta_backward.tk:116: produce ks = tma_load(K[b, t, h, :]);
                shared.ks.begin(ks_next, 16384);
                tk::tma_load(shared.ks_tile[ks_next.stage], K_map, shared.ks.full[ks_next.stage], b,
                             t, h, 0);
                ks_next.advance();

                // gated_delta_backward.tk:117: produce gps { g = tma_load(G[b, h, t.start +: ..
                shared.gps.begin(gps_next, 512);
                tk::tma_load(shared.gps_g[gps_next.stage], G_map, shared.gps.full[gps_next.stage],
                             b, h, t);
                tk::tma_load(shared.gps_gc[gps_next.stage], G_map, shared.gps.full[gps_next.stage],
                             b, h, t);
                gps_next.advance();

                // gated_delta_backward.tk:118: produce os = tma_load(dO[b, t, h, c]);
                shared.os.begin(os_next, 8192);
                tk::tma_load(shared.os_tile[os_next.stage], dO_map, shared.os.full[os_next.stage],
                             b, t, h, c);
                os_next.advance();

                // gated_delta_backward.tk:119: produce gs { g = tma_load(G[b, h, t.start +: L]); ..
                shared.gs.begin(gs_next, 768);
                tk::tma_load(shared.gs_g[gs_next.stage], G_map, shared.gs.full[gs_next.stage], b, h,
                             t);
                tk::tma_load(shared.gs_w[gs_next.stage], W_map, shared.gs.full[gs_next.stage], b, h,
                             t);
                tk::tma_load(shared.gs_beta[gs_next.stage], C_map, shared.gs.full[gs_next.stage], b,
                             h, t);
                gs_next.advance();

                // gated_delta_backward.tk:121: produce ts = tma_load(Inverse[at, h, place * L + ..
                shared.ts.begin(ts_next, 8192);
                tk::tma_load(shared.ts_tile[ts_next.stage], Inverse_map,
                             shared.ts.full[ts_next.stage], at, h, t, 0);
                ts_next.advance();
            }
        }
    } else if (warp < 4) {
        // gated_delta_backward.tk:124: role aux(1 warpgroup) {
        tk::registers_at_least<240>();
        const int thread = tk::warpgroup_thread();
        tk::cursor<2> es_next_2, ps_next_2, qs_next;

        // gated_delta_backward.tk:93: let end    = if PACKED { (start[b + 1] // L + b + 1 - ..
        const int end = N;

        // gated_delta_backward.tk:125: for t in reversed end by L {
        for (int t = (tk::divide_up(end, 64) - 1) * 64; t >= 0; t -= 64) {
            // gated_delta_backward.tk:126: let q = consume qs;
            const tk::cursor<2> q_element = shared.qs.take(qs_next);

            // gated_delta_backward.tk:127: let p = mma(q, (consume ks).T);
            shared.ks.wait_full(q_element);
            tk::fragment<float, 64, 64> p;
            tk::mma_async(p, shared.qs_tile[q_element.stage],
                          tk::transposed(shared.ks_tile[q_element.stage]), tk::accumulate_never{});

            // gated_delta_backward.tk:128: let a = consume gps;
            shared.gps.wait_full(q_element);

            // gated_delta_backward.tk:129: let e = q * (exp2(a.gc) * scale);
            tk::column_fragment<float, 64> t2;
            tk::map(t2, thread, [&](int row, int) {
                return tk::get(shared.gps_gc[q_element.stage], row, 0);
            });
            tk::column_fragment<float, 64> t0;
            tk::map(t0, [&](float t2) { return tk::exp2(t2) * scale; }, t2);
            tk::fragment<tk::bf16, 64, 128> t3;
            tk::load_shared(t3, shared.qs_tile[q_element.stage], thread);
            tk::fragment<float, 64, 128> e;
            tk::map(e, [](tk::bf16 t3, float t0) { return float(t3) * t0; }, t3, t0);

            // <std.parts>:15: let high = T(x);
            tk::fragment<tk::bf16, 64, 128> high = tk::convert<tk::bf16>(e);

            // gated_delta_backward.tk:130: let x = parts.split<T>(if PACKED { where(row_index(q) ..
            tk::fragment<tk::bf16, 64, 128> x_low;
            tk::map(x_low, [](float e, tk::bf16 high) { return e - float(high); }, e, high);

            // gated_delta_backward.tk:131: produce es { high = x.high; low = x.low; }
            shared.es.wait_empty(es_next_2);
            tk::store_shared(shared.es_high[es_next_2.stage], high, thread);
            tk::store_shared(shared.es_low[es_next_2.stage], x_low, thread);
            shared.es.publish(es_next_2);
            es_next_2.advance();
            tk::mma_wait<0>(p);
            shared.ks.release(q_element);
            shared.qs.release_after_loads(q_element);

            // gated_delta_backward.tk:132: produce ps = T(gated_delta.padded(p * ..
            tk::column_fragment<float, 64> t4;
            tk::map(t4, thread, [&](int row, int) {
                return tk::get(shared.gps_gc[q_element.stage], row, 0);
            });
            tk::row_fragment<float, 64> t5;
            tk::load_shared(t5, shared.gps_g[q_element.stage], thread);
            shared.gps.release_after_loads(q_element);
            tk::fragment<tk::bf16, 64, 64> t1;
            tk::map(t1, thread, [&](int row, int col, float t4, float t5, float p) {
                const int x_2 = N - t;
                return col < x_2
                    ? (row < x_2 ? p * tk::exp2(row >= col ? t4 - t5 : -INFINITY) * scale : 0.0f)
                    : 0.0f;
            }, t4, t5, p);
            shared.ps.wait_empty(ps_next_2);
            tk::store_shared(shared.ps_tile[ps_next_2.stage], t1, thread);
            shared.ps.publish(ps_next_2);
            ps_next_2.advance();
        }
    } else {
        // gated_delta_backward.tk:135: role state(1 warpgroup) {
        tk::registers_at_least<240>();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> ks_next;
        const int program = blockIdx.x;
        const int c = program % 2 * 64;
        const int h = program / 2 % H;
        const int b = program / (2 * H);

        // gated_delta_backward.tk:93: let end    = if PACKED { (start[b + 1] // L + b + 1 - ..
        const int end = N;

        // gated_delta_backward.tk:94: let at     = if PACKED { 0 } else { b };
        const int at = b;

        // gated_delta_backward.tk:136: var r: f32[BV, DK] = load(dState[b, h, c, :]);
        tk::fragment<float, 64, 128> r;
        tk::load_global(r, tk::slice(dState, {b, h, c, 0}, b < F ? 128 - c : 0, 128), thread);

        // gated_delta_backward.tk:137: for t in reversed end by L {
        tk::fragment<float, 64, 64> y;
        tk::fragment<tk::bf16, 64, 64> t6;
        for (int t = (tk::divide_up(end, 64) - 1) * 64; t >= 0; t -= 64) {
            // gated_delta_backward.tk:138: let k = consume ks;
            const tk::cursor<2> k_element = shared.ks.take(ks_next);

            // gated_delta_backward.tk:139: let x = T(r);
            tk::fragment<tk::bf16, 64, 128> x = tk::convert<tk::bf16>(r);

            // gated_delta_backward.tk:140: let z = mma(x, k.T);
            tk::fragment<float, 64, 64> z;
            tk::mma_async(z, x, tk::transposed(shared.ks_tile[k_element.stage]),
                          tk::accumulate_never{});

            // gated_delta_backward.tk:141: let o = consume os;
            shared.os.wait_full(k_element);

            // gated_delta_backward.tk:142: let v = mma(o.T, consume ps);
            shared.ps.wait_full(k_element);
            tk::fragment<float, 64, 64> v;
            tk::mma_async(v, tk::transposed(shared.os_tile[k_element.stage]),
                          shared.ps_tile[k_element.stage], tk::accumulate_never{});

            // gated_delta_backward.tk:143: let a = consume gs;
            shared.gs.wait_full(k_element);
            tk::mma_wait<0>(z, v, x);
            shared.ps.release(k_element);

            // gated_delta_backward.tk:144: var y = pad(v + z * a.w, axis = 1, with = 0);
            tk::row_fragment<float, 64> t0;
            tk::load_shared(t0, shared.gs_w[k_element.stage], thread);
            if (t + 64 <= N) {
                tk::map(y, [](float v, float z, float t0) { return tk::fma(z, t0, v); }, v, z, t0);
            } else {
                tk::map(y, thread, [&](int, int col, float v, float z, float t0) {
                    return col < N - t ? tk::fma(z, t0, v) : 0.0f;
                }, v, z, t0);
            }

            // gated_delta_backward.tk:145: y += mma(T(y), consume ts);
            tk::fragment<tk::bf16, 64, 64> t3 = tk::convert<tk::bf16>(y);
            shared.ts.wait_full(k_element);
            tk::mma_async(y, t3, shared.ts_tile[k_element.stage]);

            // gated_delta_backward.tk:146: r *= exp2(scalar(a.g[:, L - 1 +: 1]));
            tk::row_fragment<float, 1> t5;
            tk::load_shared(t5, tk::part<0, 63, 1, 1>(shared.gs_g[k_element.stage]), thread);
            const float number = t5.cell(0);
            tk::map(r, [&](float r) { return r * tk::exp2(number); }, r);

            // gated_delta_backward.tk:147: let e = consume es;
            shared.es.wait_full(k_element);

            // gated_delta_backward.tk:148: r += mma(o.T, e.low);
            tk::mma_async(r, tk::transposed(shared.os_tile[k_element.stage]),
                          shared.es_low[k_element.stage]);
            tk::mma_wait<1>(y, t3);
            shared.ts.release(k_element);

            // gated_delta_backward.tk:149: r += mma(T(pad(-y * (a.beta * exp2(a.g)), axis = 1, ..
            tk::row_fragment<float, 64> t1;
            tk::load_shared(t1, shared.gs_beta[k_element.stage], thread);
            tk::row_fragment<float, 64> t2;
            tk::load_shared(t2, shared.gs_g[k_element.stage], thread);
            if (t + 64 <= N) {
                tk::map(t6, [](float y, float t1, float t2) { return -y * (t1 * tk::exp2(t2)); },
                        y, t1, t2);
            } else {
                tk::map(t6, thread, [&](int, int col, float y, float t1, float t2) {
                    return col < N - t ? -y * (t1 * tk::exp2(t2)) : 0.0f;
                }, y, t1, t2);
            }
            tk::mma_async(r, t6, shared.ks_tile[k_element.stage]);

            // gated_delta_backward.tk:150: r += mma(o.T, e.high);
            tk::mma_async(r, tk::transposed(shared.os_tile[k_element.stage]),
                          shared.es_high[k_element.stage]);

            // gated_delta_backward.tk:151: tma_store(Behind[at, place + t.index, h * DV + ..
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                tk::store_shared(shared.state_Behind[panel / 64 % 2],
                                 tk::window<64, 64>(x, 0, panel), thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if (leader) {
                    tk::tma_store(Behind_map, shared.state_Behind[panel / 64 % 2], at, t / 64,
                                  h * 128 + c, panel);
                }
            }

            // gated_delta_backward.tk:152: tma_store(Y[at, h, c, place * L + t.start +: L], T(y));
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                tk::store_shared(shared.state_Behind[panel / 64 % 2], tk::convert<tk::bf16>(y),
                                 thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if (leader) {
                    tk::tma_store(Y_map, shared.state_Behind[panel / 64 % 2], at, h, c, t + panel);
                }
            }

            // gated_delta_backward.tk:153: if PACKED { store(dVb[t, h, c], T((y * a.beta).T)); } ..
            tk::row_fragment<float, 64> t11;
            tk::load_shared(t11, shared.gs_beta[k_element.stage], thread);
            shared.gs.release_after_loads(k_element);
            tk::hold_waits(warp);
            tk::fragment<float, 64, 64> t8;
            tk::map(t8, [](float y, float t11) { return y * t11; }, y, t11);
            tk::fragment<tk::bf16, 64, 64> t10 = tk::convert<tk::bf16>(t8);
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                tk::store_transposed(shared.state_Behind[panel / 64 % 2], t10, thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if (leader) {
                    tk::tma_store(dV_map, shared.state_Behind[panel / 64 % 2], b, t, h, c + panel);
                }
            }
            tk::mma_wait<0>(r, t6);
            shared.ks.release(k_element);
            shared.es.release(k_element);
            shared.os.release(k_element);
        }

        // gated_delta_backward.tk:155: store(dS0[b, h, c, :], r);
        tk::store_global(tk::slice(dS0, {b, h, c, 0}, b < I ? 128 - c : 0, 128), r, thread);

        if (leader) tk::tma_store_wait_read<0>();
    }
}

// chunks: kernel chunks with T = bf16, DK = 128, DV = 128, PACKED = false, L = 64.
// producer: 1 warp, 40 registers a thread; queries: 1 warpgroup, 232 registers a thread; keys: 1
// warpgroup, 232 registers a thread.
// 384 threads, 168 registers each at first, 192672 bytes of shared memory; persistent.
struct chunks_shared {
    tk::shared_tile<tk::bf16, 64, 128> ks_tile[1];
    tk::shared_tile<tk::bf16, 64, 128> qs_tile[1];
    tk::shared_tile<tk::bf16, 128, 64> us_tile[1];
    tk::shared_tile<tk::bf16, 128, 64> ys_tile[1];
    tk::shared_tile<tk::bf16, 64, 128> os_tile[1];
    tk::shared_tile<tk::bf16, 64, 128> vs_tile[1];
    tk::shared_tile<tk::bf16, 128, 128> befores_tile[1];
    tk::shared_tile<tk::bf16, 128, 128> behinds_tile[1];
    tk::shared_tile<float, 1, 64> gs_g[2];
    tk::shared_tile<float, 64, 1> gs_gc[2];
    tk::shared_tile<float, 1, 64> gs_beta[2];
    tk::shared_tile<float, 64, 1> gs_bc[2];
    tk::shared_tile<float, 4, 64> queries_f32_rows_64[1];
    tk::shared_tile<float, 4, 1> queries_f32_rows_1[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_dQ[2];
    tk::shared_tile<tk::bf16, 64, 64> keys_dK[1];
    tk::pipeline<1> ks;
    tk::pipeline<1> qs;
    tk::pipeline<1> us;
    tk::pipeline<1> ys;
    tk::pipeline<1> os;
    tk::pipeline<1> vs;
    tk::pipeline<1> befores;
    tk::pipeline<1> behinds;
    tk::pipeline<2> gs;
};
static_assert(offsetof(chunks_shared, gs) == 192640);

__global__ void __launch_bounds__(384, 1) chunks_kernel(
    const __grid_constant__ CUtensorMap K_map, const __grid_constant__ CUtensorMap U_map,
    const __grid_constant__ CUtensorMap Y_map, const __grid_constant__ CUtensorMap G_map,
    const __grid_constant__ CUtensorMap C_map, const __grid_constant__ CUtensorMap dO_map,
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap Before_map,
    const __grid_constant__ CUtensorMap Behind_map, const __grid_constant__ CUtensorMap V_map,
    const __grid_constant__ CUtensorMap dQ_map, const __grid_constant__ CUtensorMap dK_map,
    const tk::tensor_argument<float, 3> Query, const tk::tensor_argument<float, 3> Key,
    const tk::tensor_argument<float, 3> QueryPairs, const tk::tensor_argument<float, 3> KeyPairs,
    const tk::tensor_argument<float, 3> Own, const tk::tensor_argument<float, 3> Read,
    const tk::tensor_argument<float, 3> BetaKeys, const tk::tensor_argument<float, 3> BetaValues,
    const tk::tensor_argument<float, 3> Past, int B, int N, int H, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    chunks_shared& shared = *reinterpret_cast<chunks_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(K_map, U_map, Y_map, G_map, C_map, dO_map, Q_map, Before_map,
                              Behind_map, V_map, dQ_map, dK_map);
        shared.ks.init(1, 8);
        shared.qs.init(1, 8);
        shared.us.init(1, 8);
        shared.ys.init(1, 8);
        shared.os.init(1, 8);
        shared.vs.init(1, 4);
        shared.befores.init(1, 8);
        shared.behinds.init(1, 8);
        shared.gs.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gated_delta_backward.tk:194: role producer(1 warp) registers((if PACKED { 24 } else { ..
        tk::registers_at_most<40>();
        const int t_tiles = tk::tiles(N, 64);
        const int programs = t_tiles * H * B;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<1> befores_next, behinds_next, ks_next, os_next, qs_next, us_next, vs_next, ys_next;
            tk::cursor<2> gs_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int t = program % t_tiles * 64;
                const int h = program / t_tiles % H;
                const int b = program / (t_tiles * H);

                // gated_delta_backward.tk:195: if PACKED { produce ks = tma_load(Kt[0 +: L, h, ..
                shared.ks.begin(ks_next, 16384);
                tk::tma_load(shared.ks_tile[ks_next.stage], K_map, shared.ks.full[ks_next.stage], b,
                             t, h, 0);
                ks_next.advance();

                // gated_delta_backward.tk:196: produce us = tma_load(U[b, h, :, t.start +: L]);
                shared.us.begin(us_next, 16384);
                tk::tma_load(shared.us_tile[us_next.stage], U_map, shared.us.full[us_next.stage], b,
                             h, 0, t);
                us_next.advance();

                // gated_delta_backward.tk:197: produce ys = tma_load(Y[b, h, :, t.start +: L]);
                shared.ys.begin(ys_next, 16384);
                tk::tma_load(shared.ys_tile[ys_next.stage], Y_map, shared.ys.full[ys_next.stage], b,
                             h, 0, t);
                ys_next.advance();

                // gated_delta_backward.tk:206: produce gs {
                shared.gs.begin(gs_next, 1024);

                // gated_delta_backward.tk:207: g = tma_load(G[b, h, t.start +: L]); gc = ..
                tk::tma_load(shared.gs_g[gs_next.stage], G_map, shared.gs.full[gs_next.stage], b, h,
                             t);
                tk::tma_load(shared.gs_gc[gs_next.stage], G_map, shared.gs.full[gs_next.stage], b,
                             h, t);

                // gated_delta_backward.tk:208: beta = tma_load(C[b, h, t.start +: L]); bc = ..
                tk::tma_load(shared.gs_beta[gs_next.stage], C_map, shared.gs.full[gs_next.stage], b,
                             h, t);
                tk::tma_load(shared.gs_bc[gs_next.stage], C_map, shared.gs.full[gs_next.stage], b,
                             h, t);
                // gated_delta_backward.tk:206
                gs_next.advance();

                // gated_delta_backward.tk:210: produce os = tma_load(dO[b, t, h, :]);
                shared.os.begin(os_next, 16384);
                tk::tma_load(shared.os_tile[os_next.stage], dO_map, shared.os.full[os_next.stage],
                             b, t, h, 0);
                os_next.advance();

                // gated_delta_backward.tk:211: produce qs = tma_load(Q[b, t, h, :]);
                shared.qs.begin(qs_next, 16384);
                tk::tma_load(shared.qs_tile[qs_next.stage], Q_map, shared.qs.full[qs_next.stage], b,
                             t, h, 0);
                qs_next.advance();

                // gated_delta_backward.tk:213: produce befores = tma_load(Before[b, t.index, h * ..
                shared.befores.begin(befores_next, 32768);
                tk::tma_load(shared.befores_tile[befores_next.stage], Before_map,
                             shared.befores.full[befores_next.stage], b, t / 64, h * 128, 0);
                befores_next.advance();

                // gated_delta_backward.tk:214: produce behinds = tma_load(Behind[b, t.index, h * ..
                shared.behinds.begin(behinds_next, 32768);
                tk::tma_load(shared.behinds_tile[behinds_next.stage], Behind_map,
                             shared.behinds.full[behinds_next.stage], b, t / 64, h * 128, 0);
                behinds_next.advance();

                // gated_delta_backward.tk:215: if PACKED { produce vs = tma_load(Vt[0 +: L, h, ..
                shared.vs.begin(vs_next, 16384);
                tk::tma_load(shared.vs_tile[vs_next.stage], V_map, shared.vs.full[vs_next.stage], b,
                             t, h, 0);
                vs_next.advance();
            }
        }
    } else if (warp < 4) {
        // gated_delta_backward.tk:217: role queries(1 warpgroup) {
        tk::registers_at_least<232>();
        const int t_tiles = tk::tiles(N, 64);
        const int programs = t_tiles * H * B;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> gs_next;
        tk::cursor<1> ks_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int t = program % t_tiles * 64;
            const int h = program / t_tiles % H;
            const int b = program / (t_tiles * H);

            // gated_delta_backward.tk:218: let k = consume ks;
            const tk::cursor<1> k_element = shared.ks.take(ks_next);

            // gated_delta_backward.tk:219: let u = consume us;
            shared.us.wait_full(k_element);

            // gated_delta_backward.tk:220: let y = consume ys;
            shared.ys.wait_full(k_element);

            // gated_delta_backward.tk:221: let a = consume gs;
            const tk::cursor<2> a = shared.gs.take(gs_next);

            // gated_delta_backward.tk:222: let o = consume os;
            shared.os.wait_full(k_element);

            // gated_delta_backward.tk:223: let q = consume qs;
            shared.qs.wait_full(k_element);

            // gated_delta_backward.tk:224: let s = consume befores;
            shared.befores.wait_full(k_element);

            // gated_delta_backward.tk:225: let p = mma(q, k.T);
            tk::fragment<float, 64, 64> p;
            tk::mma_async(p, shared.qs_tile[k_element.stage],
                          tk::transposed(shared.ks_tile[k_element.stage]), tk::accumulate_never{});

            // gated_delta_backward.tk:226: let w = mma(o, u);
            tk::fragment<float, 64, 64> w;
            tk::mma_async(w, shared.os_tile[k_element.stage], shared.us_tile[k_element.stage],
                          tk::accumulate_never{});

            // gated_delta_backward.tk:227: var z = mma(o, s);
            tk::fragment<float, 64, 128> z;
            tk::mma_async(z, shared.os_tile[k_element.stage], shared.befores_tile[k_element.stage],
                          tk::accumulate_never{});
            tk::mma_wait<1>(p, w);
            shared.us.release(k_element);

            // gated_delta_backward.tk:228: let f = w * (decay.between(a.gc, a.g) * scale);
            tk::column_fragment<float, 64> t1;
            tk::map(t1, thread, [&](int row, int) {
                return tk::get(shared.gs_gc[a.stage], row, 0);
            });
            tk::row_fragment<float, 64> t2;
            tk::load_shared(t2, shared.gs_g[a.stage], thread);
            tk::fragment<float, 64, 64> f;
            tk::map(f, thread, [&](int row, int col, float t1, float t2, float w) {
                return w * (tk::exp2(row >= col ? t1 - t2 : -INFINITY) * scale);
            }, t1, t2, w);

            // gated_delta_backward.tk:229: let m = if PACKED { gated_delta.padded(p * f) } else ..
            tk::fragment<float, 64, 64> m;
            tk::map(m, thread, [&](int row, int, float p, float f) {
                return row < N - t ? p * f : 0.0f;
            }, p, f);

            // gated_delta_backward.tk:230: store(QueryPairs[b, h, t.start +: L], sum(m, axis = 1));
            tk::column_fragment<float, 64> t3;
            tk::fold_rows(t3, m, tk::plus{}, thread);
            tk::finish_rows(t3, tk::plus{});
            tk::store_global(
                tk::slice<2, tk::no_axis>(QueryPairs, {b, h, t}, tk::divide_up(N, 64) * 64 - t, 1),
                t3, thread);

            // gated_delta_backward.tk:231: store(KeyPairs[b, h, t.start +: L], sum(m, axis = 0));
            tk::row_fragment<float, 64> t4;
            tk::reduce_columns(t4, m, shared.queries_f32_rows_64[0], tk::plus{}, thread, 2);
            tk::store_global(
                tk::slice<tk::no_axis, 2>(KeyPairs, {b, h, t}, 1, tk::divide_up(N, 64) * 64 - t),
                t4, thread);

            // gated_delta_backward.tk:232: z *= exp2(a.gc) * scale;
            tk::column_fragment<float, 64> t12;
            tk::map(t12, thread, [&](int row, int) {
                return tk::get(shared.gs_gc[a.stage], row, 0);
            });
            tk::column_fragment<float, 64> t0;
            tk::map(t0, [&](float t12) { return tk::exp2(t12) * scale; }, t12);
            tk::mma_wait<0>(z);
            shared.os.release(k_element);
            tk::map(z, [](float z, float t0) { return z * t0; }, z, t0);

            // gated_delta_backward.tk:233: store(Query[b, h, t.start +: L], sum(z * q, axis = 1));
            tk::fragment<tk::bf16, 64, 128> t33;
            tk::load_shared(t33, shared.qs_tile[k_element.stage], thread);
            shared.qs.release_after_loads(k_element);
            tk::fragment<float, 64, 128> t5;
            tk::map(t5, [](float z, tk::bf16 t33) { return z * float(t33); }, z, t33);
            tk::column_fragment<float, 64> t6;
            tk::fold_rows(t6, t5, tk::plus{}, thread);
            tk::finish_rows(t6, tk::plus{});
            tk::store_global(
                tk::slice<2, tk::no_axis>(Query, {b, h, t}, tk::divide_up(N, 64) * 64 - t, 1), t6,
                thread);

            // gated_delta_backward.tk:234: z += mma(T(pad(f, axis = 1, with = 0)), k);
            tk::fragment<tk::bf16, 64, 64> t7 = tk::convert<tk::bf16>(f);
            tk::mma_async(z, t7, shared.ks_tile[k_element.stage]);

            // gated_delta_backward.tk:235: let r = consume behinds;
            shared.behinds.wait_full(k_element);

            // gated_delta_backward.tk:21: fn total(x: f32[M, N]) -> f32[1, 1] { return ..
            tk::fragment<tk::bf16, 64, 64> t36;
            tk::load_shared(t36, tk::part<0, 0, 64, 64>(shared.befores_tile[k_element.stage]),
                            thread);
            tk::fragment<tk::bf16, 64, 64> t37;
            tk::load_shared(t37, tk::part<0, 0, 64, 64>(shared.behinds_tile[k_element.stage]),
                            thread);
            tk::fragment<float, 64, 64> t10;
            tk::map(t10, [](tk::bf16 t36, tk::bf16 t37) { return float(t36) * float(t37); },
                    t36, t37);
            tk::column_fragment<float, 64> t11;
            tk::fold_rows(t11, t10, tk::plus{}, thread);
            tk::finish_rows(t11, tk::plus{});
            tk::row_fragment<float, 1> past;
            tk::reduce_columns(past, t11, shared.queries_f32_rows_1[0], tk::plus{}, thread, 2);
            tk::fragment<tk::bf16, 64, 64> t38;
            tk::load_shared(t38, tk::part<0, 64, 64, 64>(shared.befores_tile[k_element.stage]),
                            thread);
            tk::fragment<tk::bf16, 64, 64> t39;
            tk::load_shared(t39, tk::part<0, 64, 64, 64>(shared.behinds_tile[k_element.stage]),
                            thread);
            tk::fragment<float, 64, 64> t15;
            tk::map(t15, [](tk::bf16 t38, tk::bf16 t39) { return float(t38) * float(t39); },
                    t38, t39);
            tk::column_fragment<float, 64> t16;
            tk::fold_rows(t16, t15, tk::plus{}, thread);
            tk::finish_rows(t16, tk::plus{});
            tk::row_fragment<float, 1> t17;
            tk::reduce_columns(t17, t16, shared.queries_f32_rows_1[0], tk::plus{}, thread, 2);

            // gated_delta_backward.tk:237: if DK > 64 { past += total(f32(s[0 +: 64, DK - 64 +: ..
            tk::map(past, [](float past, float t17) { return past + t17; }, past, t17);
            // gated_delta_backward.tk:21
            tk::fragment<tk::bf16, 64, 64> t40;
            tk::load_shared(t40, tk::part<64, 0, 64, 64>(shared.befores_tile[k_element.stage]),
                            thread);
            tk::fragment<tk::bf16, 64, 64> t41;
            tk::load_shared(t41, tk::part<64, 0, 64, 64>(shared.behinds_tile[k_element.stage]),
                            thread);
            tk::fragment<float, 64, 64> t20;
            tk::map(t20, [](tk::bf16 t40, tk::bf16 t41) { return float(t40) * float(t41); },
                    t40, t41);
            tk::column_fragment<float, 64> t21;
            tk::fold_rows(t21, t20, tk::plus{}, thread);
            tk::finish_rows(t21, tk::plus{});
            tk::row_fragment<float, 1> t22;
            tk::reduce_columns(t22, t21, shared.queries_f32_rows_1[0], tk::plus{}, thread, 2);

            // gated_delta_backward.tk:238: if DV > 64 { past += total(f32(s[DV - 64 +: 64, 0 +: ..
            tk::map(past, [](float past, float t22) { return past + t22; }, past, t22);
            // gated_delta_backward.tk:21
            tk::fragment<tk::bf16, 64, 64> t42;
            tk::load_shared(t42, tk::part<64, 64, 64, 64>(shared.befores_tile[k_element.stage]),
                            thread);
            shared.befores.release_after_loads(k_element);
            tk::fragment<tk::bf16, 64, 64> t43;
            tk::load_shared(t43, tk::part<64, 64, 64, 64>(shared.behinds_tile[k_element.stage]),
                            thread);
            shared.behinds.release_after_loads(k_element);
            tk::fragment<float, 64, 64> t25;
            tk::map(t25, [](tk::bf16 t42, tk::bf16 t43) { return float(t42) * float(t43); },
                    t42, t43);
            tk::column_fragment<float, 64> t26;
            tk::fold_rows(t26, t25, tk::plus{}, thread);
            tk::finish_rows(t26, tk::plus{});
            tk::row_fragment<float, 1> t27;
            tk::reduce_columns(t27, t26, shared.queries_f32_rows_1[0], tk::plus{}, thread, 2);

            // gated_delta_backward.tk:239: if DK > 64 and DV > 64 { past += total(f32(s[DV - 64 ..
            tk::map(past, [](float past, float t27) { return past + t27; }, past, t27);

            // gated_delta_backward.tk:240: store(Past[b, t.index, h], scalar(past) * ..
            const float number = past.cell(0);
            tk::row_fragment<float, 1> t29;
            tk::load_shared(t29, tk::part<0, 63, 1, 1>(shared.gs_g[a.stage]), thread);
            shared.gs.release_after_loads(a);
            const float number_2 = t29.cell(0);
            tk::row_fragment<float, 1> t30;
            tk::fill(t30, number * tk::exp2(number_2));
            tk::store_global(
                tk::slice<tk::no_axis, 2>(Past, {b, t / 64, h}, 1,
                                          t / 64 < tk::divide_up(N, 64) ? H - h : 0), t30, thread);
            tk::mma_wait<0>(z, t7);
            shared.ks.release(k_element);

            // gated_delta_backward.tk:241: if PACKED { store(dQt[0 +: L, h, :], T(z)); } else { ..
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                tk::store_shared(shared.queries_dQ[panel / 64 % 2],
                                 tk::convert<tk::bf16>(tk::window<64, 64>(z, 0, panel)), thread);
                tk::fence_async();
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                if (leader) {
                    tk::tma_store(dQ_map, shared.queries_dQ[panel / 64 % 2], b, t, h, panel);
                }
            }

            // gated_delta_backward.tk:242: let d = f32(y).T;
            tk::fragment<tk::bf16, 64, 128> t44;
            tk::load_transposed(t44, shared.ys_tile[k_element.stage], thread);
            shared.ys.release_after_loads(k_element);
            tk::fragment<float, 64, 128> d = tk::convert<float>(t44);

            // gated_delta_backward.tk:243: store(BetaValues[b, h, t.start +: L], sum(d * ..
            shared.vs.wait_full(k_element);
            tk::fragment<tk::bf16, 64, 128> t45;
            tk::load_shared(t45, shared.vs_tile[k_element.stage], thread);
            shared.vs.release_after_loads(k_element);
            tk::fragment<float, 64, 128> t34;
            tk::map(t34, [](float d, tk::bf16 t45) { return d * float(t45); }, d, t45);
            tk::column_fragment<float, 64> t35;
            tk::fold_rows(t35, t34, tk::plus{}, thread);
            tk::finish_rows(t35, tk::plus{});
            tk::store_global(
                tk::slice<2, tk::no_axis>(BetaValues, {b, h, t}, tk::divide_up(N, 64) * 64 - t, 1),
                t35, thread);
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    } else {
        // gated_delta_backward.tk:245: role keys(1 warpgroup) {
        tk::registers_at_least<232>();
        const int t_tiles = tk::tiles(N, 64);
        const int programs = t_tiles * H * B;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> gs_next;
        tk::cursor<1> ks_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int t = program % t_tiles * 64;
            const int h = program / t_tiles % H;
            const int b = program / (t_tiles * H);

            // gated_delta_backward.tk:246: let k = consume ks;
            const tk::cursor<1> k_element = shared.ks.take(ks_next);

            // gated_delta_backward.tk:247: let u = consume us;
            shared.us.wait_full(k_element);

            // gated_delta_backward.tk:248: let y = consume ys;
            shared.ys.wait_full(k_element);

            // gated_delta_backward.tk:249: let a = consume gs;
            const tk::cursor<2> a = shared.gs.take(gs_next);

            // gated_delta_backward.tk:250: let o = consume os;
            shared.os.wait_full(k_element);

            // gated_delta_backward.tk:251: let q = consume qs;
            shared.qs.wait_full(k_element);

            // gated_delta_backward.tk:252: let s = consume befores;
            shared.befores.wait_full(k_element);

            // gated_delta_backward.tk:253: let r = consume behinds;
            shared.behinds.wait_full(k_element);

            // gated_delta_backward.tk:254: let p  = mma(k, k.T);
            tk::fragment<float, 64, 64> p;
            tk::mma_async(p, shared.ks_tile[k_element.stage],
                          tk::transposed(shared.ks_tile[k_element.stage]), tk::accumulate_never{});

            // gated_delta_backward.tk:255: let lo = mma(y.T, u);
            tk::fragment<float, 64, 64> lo;
            tk::mma_async(lo, tk::transposed(shared.ys_tile[k_element.stage]),
                          shared.us_tile[k_element.stage], tk::accumulate_never{});

            // gated_delta_backward.tk:256: let up = mma(u.T, y);
            tk::fragment<float, 64, 64> up;
            tk::mma_async(up, tk::transposed(shared.us_tile[k_element.stage]),
                          shared.ys_tile[k_element.stage], tk::accumulate_never{});

            // gated_delta_backward.tk:258: let away  = exp2(where(below, a.gc - a.g, a.g - a.gc));
            tk::column_fragment<float, 64> t0;
            tk::map(t0, thread, [&](int row, int) {
                return tk::get(shared.gs_gc[a.stage], row, 0);
            });
            tk::row_fragment<float, 64> t1;
            tk::load_shared(t1, shared.gs_g[a.stage], thread);
            tk::fragment<float, 64, 64> away;
            tk::map(away, thread, [](int row, int col, float t0, float t1) {
                return tk::exp2(row > col ? t0 - t1 : t1 - t0);
            }, t0, t1);
            tk::mma_wait<0>(p, lo, up);

            // gated_delta_backward.tk:259: let e = gated_delta.padded(where(row_index(p) == ..
            tk::fragment<float, 64, 64> e;
            tk::map(e, thread, [](int row, int col, float away, float lo, float up) {
                return row == col ? 0.0f : away * (row > col ? lo : up);
            }, away, lo, up);

            // gated_delta_backward.tk:260: let n = p * e;
            tk::fragment<float, 64, 64> n;
            tk::map(n, [](float p, float e) { return p * e; }, p, e);

            // gated_delta_backward.tk:261: let w = mma(u.T, o.T);
            tk::fragment<float, 64, 64> w;
            tk::mma_async(w, tk::transposed(shared.us_tile[k_element.stage]),
                          tk::transposed(shared.os_tile[k_element.stage]), tk::accumulate_never{});

            // gated_delta_backward.tk:262: store(BetaKeys[b, h, t.start +: L], sum(where(below, ..
            tk::fragment<float, 64, 64> t4;
            tk::map(t4, thread, [](int row, int col, float n) { return row > col ? n : 0.0f; }, n);
            tk::column_fragment<float, 64> t5;
            tk::fold_rows(t5, t4, tk::plus{}, thread);
            tk::finish_rows(t5, tk::plus{});
            tk::store_global(
                tk::slice<2, tk::no_axis>(BetaKeys, {b, h, t}, tk::divide_up(N, 64) * 64 - t, 1),
                t5, thread);

            // gated_delta_backward.tk:263: store(Own[b, h, t.start +: L], sum(where(below, -n * ..
            tk::column_fragment<float, 64> t2;
            tk::map(t2, thread, [&](int row, int) {
                return tk::get(shared.gs_bc[a.stage], row, 0);
            });
            tk::row_fragment<float, 64> t3;
            tk::load_shared(t3, shared.gs_beta[a.stage], thread);
            tk::fragment<float, 64, 64> t6;
            tk::map(t6, thread, [](int row, int col, float n, float t2, float t3) {
                return row > col ? -n * t2 : n * t3;
            }, n, t2, t3);
            tk::column_fragment<float, 64> t7;
            tk::fold_rows(t7, t6, tk::plus{}, thread);
            tk::finish_rows(t7, tk::plus{});
            tk::store_global(
                tk::slice<2, tk::no_axis>(Own, {b, h, t}, tk::divide_up(N, 64) * 64 - t, 1), t7,
                thread);

            // gated_delta_backward.tk:264: let c = T(-e * where(below, a.bc, a.beta));
            tk::column_fragment<float, 64> t11;
            tk::map(t11, thread, [&](int row, int) {
                return tk::get(shared.gs_bc[a.stage], row, 0);
            });
            tk::row_fragment<float, 64> t13;
            tk::load_shared(t13, shared.gs_beta[a.stage], thread);
            tk::fragment<tk::bf16, 64, 64> c;
            tk::map(c, thread, [](int row, int col, float e, float t11, float t13) {
                return -e * (row > col ? t11 : t13);
            }, e, t11, t13);
            tk::mma_wait<0>(w);
            shared.os.release(k_element);

            // gated_delta_backward.tk:265: let f = T(gated_delta.padded(where(below, 0, w * away ..
            tk::fragment<tk::bf16, 64, 64> f;
            tk::map(f, thread, [&](int row, int col, float w, float away) {
                return col < N - t ? (row > col ? 0.0f : w * away * scale) : 0.0f;
            }, w, away);

            // gated_delta_backward.tk:266: let left  = exp2(scalar(a.g[:, L - 1 +: 1]) - a.gc);
            tk::row_fragment<float, 1> t9;
            tk::load_shared(t9, tk::part<0, 63, 1, 1>(shared.gs_g[a.stage]), thread);
            const float number = t9.cell(0);
            tk::column_fragment<float, 64> t16;
            tk::map(t16, thread, [&](int row, int) {
                return tk::get(shared.gs_gc[a.stage], row, 0);
            });
            tk::column_fragment<float, 64> left;
            tk::map(left, [&](float t16) { return tk::exp2(number - t16); }, t16);

            // gated_delta_backward.tk:267: let since = exp2(a.gc);
            tk::column_fragment<float, 64> t19;
            tk::map(t19, thread, [&](int row, int) {
                return tk::get(shared.gs_gc[a.stage], row, 0);
            });
            tk::column_fragment<float, 64> since;
            tk::map(since, [](float t19) { return tk::exp2(t19); }, t19);

            // gated_delta_backward.tk:269: var z = mma(u.T, r[:, 0 +: 64]);
            tk::fragment<float, 64, 64> z;
            tk::mma_async(z, tk::transposed(shared.us_tile[k_element.stage]),
                          tk::part<0, 0, 128, 64>(shared.behinds_tile[k_element.stage]),
                          tk::accumulate_never{});

            // gated_delta_backward.tk:270: var x = mma(y.T, s[:, 0 +: 64]);
            tk::fragment<float, 64, 64> x;
            tk::mma_async(x, tk::transposed(shared.ys_tile[k_element.stage]),
                          tk::part<0, 0, 128, 64>(shared.befores_tile[k_element.stage]),
                          tk::accumulate_never{});
            tk::mma_wait<1>(z);

            // gated_delta_backward.tk:271: z *= left;
            tk::map(z, [](float z, float left) { return z * left; }, z, left);

            // gated_delta_backward.tk:272: var from = sum(z * k[:, 0 +: 64], axis = 1);
            tk::fragment<tk::bf16, 64, 64> t34;
            tk::load_shared(t34, tk::part<0, 0, 64, 64>(shared.ks_tile[k_element.stage]), thread);
            tk::fragment<float, 64, 64> t15;
            tk::map(t15, [](float z, tk::bf16 t34) { return z * float(t34); }, z, t34);
            tk::column_fragment<float, 64> from;
            tk::fold_rows(from, t15, tk::plus{}, thread);
            tk::finish_rows(from, tk::plus{});
            tk::mma_wait<0>(x);

            // gated_delta_backward.tk:273: x *= since;
            tk::map(x, [](float x, float since) { return x * since; }, x, since);

            // gated_delta_backward.tk:274: var d = sum(x * k[:, 0 +: 64], axis = 1);
            tk::fragment<tk::bf16, 64, 64> t35;
            tk::load_shared(t35, tk::part<0, 0, 64, 64>(shared.ks_tile[k_element.stage]), thread);
            tk::fragment<float, 64, 64> t18;
            tk::map(t18, [](float x, tk::bf16 t35) { return x * float(t35); }, x, t35);
            tk::column_fragment<float, 64> d;
            tk::fold_rows(d, t18, tk::plus{}, thread);
            tk::finish_rows(d, tk::plus{});

            // gated_delta_backward.tk:275: z -= x * a.bc;
            tk::column_fragment<float, 64> t36;
            tk::map(t36, thread, [&](int row, int) {
                return tk::get(shared.gs_bc[a.stage], row, 0);
            });
            tk::map(z, [](float z, float x, float t36) { return tk::fma(-x, t36, z); }, z, x, t36);

            // gated_delta_backward.tk:276: z += mma(c, k[:, 0 +: 64]);
            tk::mma_async(z, c, tk::part<0, 0, 64, 64>(shared.ks_tile[k_element.stage]));

            // gated_delta_backward.tk:277: z += mma(f, q[:, 0 +: 64]);
            tk::mma_async(z, f, tk::part<0, 0, 64, 64>(shared.qs_tile[k_element.stage]));
            tk::mma_wait<0>(z, c, f);

            // gated_delta_backward.tk:278: if PACKED { store(dKt[0 +: L, h, 0 +: 64], T(z)); } ..
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(3, 128);
                tk::store_shared(shared.keys_dK[0], tk::convert<tk::bf16>(z), thread);
                tk::fence_async();
                tk::barrier_sync(3, 128);
                if (leader) tk::tma_store(dK_map, shared.keys_dK[0], b, t, h, panel);
            }

            // gated_delta_backward.tk:280: z = mma(u.T, r[:, DK - 64 +: 64]);
            tk::mma_async(z, tk::transposed(shared.us_tile[k_element.stage]),
                          tk::part<0, 64, 128, 64>(shared.behinds_tile[k_element.stage]),
                          tk::accumulate_never{});

            // gated_delta_backward.tk:281: x = mma(y.T, s[:, DK - 64 +: 64]);
            tk::mma_async(x, tk::transposed(shared.ys_tile[k_element.stage]),
                          tk::part<0, 64, 128, 64>(shared.befores_tile[k_element.stage]),
                          tk::accumulate_never{});
            tk::mma_wait<1>(z);
            shared.behinds.release(k_element);
            shared.us.release(k_element);

            // gated_delta_backward.tk:282: z *= left;
            tk::map(z, [](float z, float left) { return z * left; }, z, left);

            // gated_delta_backward.tk:283: from += sum(z * k[:, DK - 64 +: 64], axis = 1);
            tk::fragment<tk::bf16, 64, 64> t37;
            tk::load_shared(t37, tk::part<0, 64, 64, 64>(shared.ks_tile[k_element.stage]), thread);
            tk::fragment<float, 64, 64> t26;
            tk::map(t26, [](float z, tk::bf16 t37) { return z * float(t37); }, z, t37);
            tk::column_fragment<float, 64> t27;
            tk::fold_rows(t27, t26, tk::plus{}, thread);
            tk::finish_rows(t27, tk::plus{});
            tk::map(from, [](float from, float t27) { return from + t27; }, from, t27);
            tk::mma_wait<0>(x);
            shared.befores.release(k_element);
            shared.ys.release(k_element);

            // gated_delta_backward.tk:284: x *= since;
            tk::map(x, [](float x, float since) { return x * since; }, x, since);

            // gated_delta_backward.tk:285: d += sum(x * k[:, DK - 64 +: 64], axis = 1);
            tk::fragment<tk::bf16, 64, 64> t38;
            tk::load_shared(t38, tk::part<0, 64, 64, 64>(shared.ks_tile[k_element.stage]), thread);
            tk::fragment<float, 64, 64> t29;
            tk::map(t29, [](float x, tk::bf16 t38) { return x * float(t38); }, x, t38);
            tk::column_fragment<float, 64> t30;
            tk::fold_rows(t30, t29, tk::plus{}, thread);
            tk::finish_rows(t30, tk::plus{});
            tk::map(d, [](float d, float t30) { return d + t30; }, d, t30);

            // gated_delta_backward.tk:286: z -= x * a.bc;
            tk::column_fragment<float, 64> t39;
            tk::map(t39, thread, [&](int row, int) {
                return tk::get(shared.gs_bc[a.stage], row, 0);
            });
            shared.gs.release_after_loads(a);
            tk::map(z, [](float z, float x, float t39) { return tk::fma(-x, t39, z); }, z, x, t39);

            // gated_delta_backward.tk:287: z += mma(c, k[:, DK - 64 +: 64]);
            tk::mma_async(z, c, tk::part<0, 64, 64, 64>(shared.ks_tile[k_element.stage]));

            // gated_delta_backward.tk:288: z += mma(f, q[:, DK - 64 +: 64]);
            tk::mma_async(z, f, tk::part<0, 64, 64, 64>(shared.qs_tile[k_element.stage]));
            tk::mma_wait<0>(z, c, f);
            shared.ks.release_after_loads(k_element);
            shared.qs.release(k_element);

            // gated_delta_backward.tk:289: if PACKED { store(dKt[0 +: L, h, DK - 64 +: 64], ..
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(3, 128);
                tk::store_shared(shared.keys_dK[0], tk::convert<tk::bf16>(z), thread);
                tk::fence_async();
                tk::barrier_sync(3, 128);
                if (leader) tk::tma_store(dK_map, shared.keys_dK[0], b, t, h, 64 + panel);
            }

            // gated_delta_backward.tk:291: store(Key[b, h, t.start +: L], from);
            tk::store_global(
                tk::slice<2, tk::no_axis>(Key, {b, h, t}, tk::divide_up(N, 64) * 64 - t, 1), from,
                thread);

            // gated_delta_backward.tk:292: store(Read[b, h, t.start +: L], d);
            tk::store_global(
                tk::slice<2, tk::no_axis>(Read, {b, h, t}, tk::divide_up(N, 64) * 64 - t, 1), d,
                thread);
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

// gate_gradients: kernel gate_gradients with T = f32, PACKED = false, L = 64, BH = 32.
// 128 threads, 168 registers each, 9216 bytes of shared memory: gate_gradients_kernel<3, 16, 4,
// true>.
// gate_gradients_general: kernel gate_gradients with T = f32, PACKED = false, L = 64, BH = 32; any
// strides and alignment.
// 128 threads, 255 registers each, 9216 bytes of shared memory: gate_gradients_kernel<1, 32, 2,
// false>.
struct gate_gradients_shared {
    tk::shared_tile<int, 1, 2080> gate_gradients_turned[1];
};

template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) gate_gradients_kernel(
    const tk::tensor_argument<const float, 3> Query, const tk::tensor_argument<const float, 3> Key,
    const tk::tensor_argument<const float, 3> QueryPairs,
    const tk::tensor_argument<const float, 3> KeyPairs,
    const tk::tensor_argument<const float, 3> Own, const tk::tensor_argument<const float, 3> Read,
    const tk::tensor_argument<const float, 3> C, const tk::tensor_argument<const float, 3> BetaKeys,
    const tk::tensor_argument<const float, 3> BetaValues,
    const tk::tensor_argument<const float, 3> Past, const tk::tensor_argument<float, 3> dGate,
    const tk::tensor_argument<float, 3> dBeta, int B, int H, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gate_gradients_shared& shared = *reinterpret_cast<gate_gradients_shared*>(memory);

    tk::wait_for_previous_kernel();

    const int h_tiles = tk::tiles(H, 32);
    const int t_tiles = tk::tiles(N, 64);

    // gated_delta_backward.tk:296: kernel gate_gradients<T: dtype = f32, PACKED: bool = false, ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int h = program % h_tiles * 32;
    const int t = program / h_tiles % t_tiles * 64;
    const int b = program / (h_tiles * t_tiles);

    // gated_delta_backward.tk:312: let key    = load(Key[b, h, t]);
    tk::stripe<float, 32, 64, 128, row_threads, vector> key;
    tk::load_slice<vectors>(key,
                            tk::slice_if_vectors<vectors>(Key, {b, h, t}, H - h,
                                                          tk::divide_up(N, 64) * 64 - t), thread);

    // gated_delta_backward.tk:313: let other  = load(Query[b, h, t]) + load(QueryPairs[b, h, t]) ..
    tk::stripe<float, 32, 64, 128, row_threads, vector> t1;
    tk::load_slice<vectors>(t1,
                            tk::slice_if_vectors<vectors>(Query, {b, h, t}, H - h,
                                                          tk::divide_up(N, 64) * 64 - t), thread);
    tk::stripe<float, 32, 64, 128, row_threads, vector> t2;
    tk::load_slice<vectors>(t2,
                            tk::slice_if_vectors<vectors>(QueryPairs, {b, h, t}, H - h,
                                                          tk::divide_up(N, 64) * 64 - t), thread);
    tk::stripe<float, 32, 64, 128, row_threads, vector> t3;
    tk::load_slice<vectors>(t3,
                            tk::slice_if_vectors<vectors>(KeyPairs, {b, h, t}, H - h,
                                                          tk::divide_up(N, 64) * 64 - t), thread);
    tk::stripe<float, 32, 64, 128, row_threads, vector> t4;
    tk::load_slice<vectors>(t4,
                            tk::slice_if_vectors<vectors>(Own, {b, h, t}, H - h,
                                                          tk::divide_up(N, 64) * 64 - t), thread);
    tk::stripe<float, 32, 64, 128, row_threads, vector> t5;
    tk::load_slice<vectors>(t5,
                            tk::slice_if_vectors<vectors>(C, {b, h, t}, H - h,
                                                          tk::divide_up(N, 64) * 64 - t), thread);
    tk::stripe<float, 32, 64, 128, row_threads, vector> t6;
    tk::load_slice<vectors>(t6,
                            tk::slice_if_vectors<vectors>(Read, {b, h, t}, H - h,
                                                          tk::divide_up(N, 64) * 64 - t), thread);
    tk::stripe<float, 32, 64, 128, row_threads, vector> other;
    tk::map(other, [](float t1, float t2, float t3, float t4, float t5, float t6) {
        return tk::fma(-t5, t6, t1 + t2 - t3 + t4);
    }, t1, t2, t3, t4, t5, t6);

    // gated_delta_backward.tk:316: let dg     = column(load(Past[b, t.index, h])) + ..
    tk::stripe<float, 32, 1, 128, row_threads, vector> t7;
    tk::load_global(t7,
                    tk::slice<2, tk::no_axis>(Past, {b, t / 64, h},
                                              t / 64 < tk::divide_up(N, 64) ? H - h : 0, 1),
                    thread);
    tk::stripe<float, 32, 64, 128, row_threads, vector> t8;
    tk::running_sums(t8, key, thread);
    tk::stripe<float, 32, 1, 128, row_threads, vector> t9;
    tk::fold_rows(t9, other, tk::plus{}, thread);
    tk::finish_rows(t9, tk::plus{});
    tk::stripe<float, 32, 64, 128, row_threads, vector> t10;
    tk::running_sums(t10, other, thread);
    tk::stripe<float, 32, 64, 128, row_threads, vector> dg;
    tk::map(dg, [](float t7, float t8, float key, float t9, float t10, float other) {
        return t7 + (t8 - key) + (t9 - t10 + other);
    }, t7, t8, key, t9, t10, other);

    // gated_delta_backward.tk:317: if PACKED { store(dGates[0 +: L, h], T(dg.T)); } else { ..
    tk::stripe<float, 64, 32, 128, row_threads, vector> t11;
    tk::transpose(t11, dg, shared.gate_gradients_turned[0], thread, 1);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(dGate, {b, t, h}, N - t, H - h), t11,
                             thread);

    // gated_delta_backward.tk:318: let dbeta  = load(BetaValues[b, h, t]) - load(BetaKeys[b, h, ..
    tk::stripe<float, 32, 64, 128, row_threads, vector> t12;
    tk::load_slice<vectors>(t12,
                            tk::slice_if_vectors<vectors>(BetaValues, {b, h, t}, H - h,
                                                          tk::divide_up(N, 64) * 64 - t), thread);
    tk::stripe<float, 32, 64, 128, row_threads, vector> t13;
    tk::load_slice<vectors>(t13,
                            tk::slice_if_vectors<vectors>(BetaKeys, {b, h, t}, H - h,
                                                          tk::divide_up(N, 64) * 64 - t), thread);
    tk::stripe<float, 32, 64, 128, row_threads, vector> t14;
    tk::load_slice<vectors>(t14,
                            tk::slice_if_vectors<vectors>(Read, {b, h, t}, H - h,
                                                          tk::divide_up(N, 64) * 64 - t), thread);
    tk::stripe<float, 32, 64, 128, row_threads, vector> dbeta;
    tk::map(dbeta, [](float t12, float t13, float t14) { return t12 - t13 - t14; }, t12, t13, t14);

    // gated_delta_backward.tk:319: if PACKED { store(dBetas[0 +: L, h], T(dbeta.T)); } else { ..
    tk::stripe<float, 64, 32, 128, row_threads, vector> t15;
    tk::transpose(t15, dbeta, shared.gate_gradients_turned[0], thread, 1);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(dBeta, {b, t, h}, N - t, H - h), t15,
                             thread);
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

// gated_delta_gates_T_f32_PACKED_false_ROUND_64: kernel gated_delta.gates with T = f32, PACKED =
// false, ROUND = 64, L = 64, BH = 32.
// 128 threads, 96 registers each, 9216 bytes of shared memory:
// gated_delta_gates_T_f32_PACKED_false_ROUND_64_kernel<5, 16, 4, true>.
// gated_delta_gates_T_f32_PACKED_false_ROUND_64_general: kernel gated_delta.gates with T = f32,
// PACKED = false, ROUND = 64, L = 64, BH = 32; any strides and alignment.
// 128 threads, 255 registers each, 9216 bytes of shared memory:
// gated_delta_gates_T_f32_PACKED_false_ROUND_64_kernel<1, 32, 2, false>.
struct gated_delta_gates_T_f32_PACKED_false_ROUND_64_shared {
    tk::shared_tile<int, 1, 2112> gates_turned[1];
};

template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) gated_delta_gates_T_f32_PACKED_false_ROUND_64_kernel(
    const tk::tensor_argument<const float, 3> Gate, const tk::tensor_argument<const float, 3> Beta,
    const tk::tensor_argument<float, 3> G, const tk::tensor_argument<float, 3> W,
    const tk::tensor_argument<float, 3> C, int B, int N, int H, int R) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gated_delta_gates_T_f32_PACKED_false_ROUND_64_shared& shared =
        *reinterpret_cast<gated_delta_gates_T_f32_PACKED_false_ROUND_64_shared*>(memory);

    tk::wait_for_previous_kernel();

    const int h_tiles = tk::tiles(H, 32);
    const int t_tiles = tk::tiles(R, 64);

    // gated_delta.tk:38: kernel gates<T: dtype = f32, PACKED: bool = false, ROUND: int = 128, L: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int h = program % h_tiles * 32;
    const int t = program / h_tiles % t_tiles * 64;
    const int b = program / (h_tiles * t_tiles);

    // gated_delta.tk:62: let a = (f32(load(Gate[b, t, h])) * LOG2E).T;
    tk::stripe<float, 64, 32, 128, row_threads, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_vectors<vectors>(Gate, {b, t, h}, N - t, H - h),
                            thread);
    tk::stripe<float, 64, 32, 128, row_threads, vector> t1;
    tk::map(t1, [](float t0) { return t0 * 1.442695f; }, t0);
    tk::stripe<float, 32, 64, 128, row_threads, vector> a;
    tk::transpose(a, t1, shared.gates_turned[0], thread, 1);

    // gated_delta.tk:63: let g = cumsum(a, axis = 1);
    tk::stripe<float, 32, 64, 128, row_threads, vector> g;
    tk::running_sums(g, a, thread);

    // gated_delta.tk:64: store(G[b, h, t], g);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(G, {b, h, t}, H - h, R - t), g, thread);

    // gated_delta.tk:65: store(W[b, h, t], exp2(sum(a, axis = 1) - g));
    tk::stripe<float, 32, 1, 128, row_threads, vector> t4;
    tk::fold_rows(t4, a, tk::plus{}, thread);
    tk::finish_rows(t4, tk::plus{});
    tk::stripe<float, 32, 64, 128, row_threads, vector> t5;
    tk::map(t5, [](float t4, float g) { return tk::exp2(t4 - g); }, t4, g);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(W, {b, h, t}, H - h, R - t), t5, thread);

    // gated_delta.tk:66: store(C[b, h, t], f32(load(Beta[b, t, h])).T);
    tk::stripe<float, 64, 32, 128, row_threads, vector> t6;
    tk::load_slice<vectors>(t6, tk::slice_if_vectors<vectors>(Beta, {b, t, h}, N - t, H - h),
                            thread);
    tk::stripe<float, 32, 64, 128, row_threads, vector> t7;
    tk::transpose(t7, t6, shared.gates_turned[0], thread, 1);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(C, {b, h, t}, H - h, R - t), t7, thread);
}

// gated_delta_segments_inverses_T_bf16_DK_128_PACKED_false: kernel gated_delta_segments.inverses
// with T = bf16, DK = 128, PACKED = false, L = 64.
// producer: 1 warp, 32 registers a thread; inverse: 3 warpgroups that alternate, 160 registers a
// thread.
// 512 threads, 128 registers each at first, 226496 bytes of shared memory; persistent.
struct gated_delta_segments_inverses_T_bf16_DK_128_PACKED_false_shared {
    tk::shared_tile<tk::bf16, 64, 128> ks_tile[6];
    tk::shared_tile<float, 1, 64> ms_g[6];
    tk::shared_tile<float, 64, 1> ms_gc[6];
    tk::shared_tile<float, 64, 1> ms_bc[6];
    tk::shared_tile<tk::f16, 64, 64> inverse_t3[3];
    tk::shared_tile<tk::f16, 64, 64> inverse_t5[3];
    tk::shared_tile<tk::f16, 64, 64> inverse_r0[3];
    tk::shared_tile<tk::f16, 64, 64> inverse_r1[3];
    tk::shared_tile<tk::bf16, 64, 64> inverse_Inverse[3];
    tk::pipeline<6> ks;
    tk::pipeline<6> ms;
};
static_assert(offsetof(gated_delta_segments_inverses_T_bf16_DK_128_PACKED_false_shared, ms) ==
              226400);

__global__ void __launch_bounds__(512, 1) gated_delta_segments_inverses_T_bf16_DK_128_PACKED_false_kernel(
    const __grid_constant__ CUtensorMap K_map, const __grid_constant__ CUtensorMap G_map,
    const __grid_constant__ CUtensorMap C_map, const __grid_constant__ CUtensorMap Inverse_map,
    int B, int N, int H, int R) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gated_delta_segments_inverses_T_bf16_DK_128_PACKED_false_shared& shared =
        *reinterpret_cast<gated_delta_segments_inverses_T_bf16_DK_128_PACKED_false_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(K_map, G_map, C_map, Inverse_map);
        shared.ks.init(1, 4);
        shared.ms.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 12) {
        // gated_delta_segments.tk:25: role producer(1 warp) {
        tk::registers_at_most<32>();
        const int h_tiles = tk::tiles(H, 2);
        const int t_tiles = tk::tiles(R, 64);
        const int programs = h_tiles * t_tiles * B;
        if (warp == 12 && tk::elect_one()) {
            tk::cursor<6> ks_next, ms_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int h = program % h_tiles * 2;
                const int t = program / h_tiles % t_tiles * 64;
                const int b = program / (h_tiles * t_tiles);

                // gated_delta_segments.tk:21: let Kt = K[0, (if PACKED { First[t.index] } else { ..
                const int Gt_end = tk::min(t + 64, R);
                const int Ct_end = tk::min(t + 64, R);

                // gated_delta_segments.tk:26: for i in 2 {
                #pragma unroll 1
                for (int i = 0; i < 2; i += 1) {
                    // gated_delta_segments.tk:27: if PACKED { produce ks = tma_load(Kt[0 +: L, ..
                    shared.ks.begin(ks_next, 16384);
                    tk::tma_load(shared.ks_tile[ks_next.stage], K_map,
                                 shared.ks.full[ks_next.stage], b, t, h + i, 0);
                    ks_next.advance();

                    // gated_delta_segments.tk:28: produce ms {
                    shared.ms.begin(ms_next, 768);

                    // gated_delta_segments.tk:29: g = tma_load(Gt[h.start + i, 0 +: L]); gc = ..
                    tk::tma_load(shared.ms_g[ms_next.stage], G_map, shared.ms.full[ms_next.stage],
                                 b, h + i, t);
                    tk::tma_load(shared.ms_gc[ms_next.stage], G_map, shared.ms.full[ms_next.stage],
                                 b, h + i, t);

                    // gated_delta_segments.tk:30: bc = column(tma_load(Ct[h.start + i, 0 +: L]));
                    tk::tma_load(shared.ms_bc[ms_next.stage], C_map, shared.ms.full[ms_next.stage],
                                 b, h + i, t);
                    // gated_delta_segments.tk:28
                    ms_next.advance();
                }
            }
        }
    } else {
        // gated_delta_segments.tk:34: role inverse(3 warpgroups) alternate {
        tk::registers_at_least<160>();
        const int h_tiles = tk::tiles(H, 2);
        const int t_tiles = tk::tiles(R, 64);
        const int programs = h_tiles * t_tiles * B;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<6> ks_next, ms_next;
        // Warpgroup 0 has the first turn.
        if (warpgroup == 2) tk::barrier_arrive(4, 256);
        const int ks_taken = 2;
        ks_next.skip(warpgroup * ks_taken);
        const int ms_taken = 2;
        ms_next.skip(warpgroup * ms_taken);
        for (int program = blockIdx.x + warpgroup * gridDim.x; program < programs;
             program += 3 * gridDim.x) {
            const int h = program % h_tiles * 2;
            const int t = program / h_tiles % t_tiles * 64;
            const int b = program / (h_tiles * t_tiles);

            // gated_delta_segments.tk:35: let k0 = consume ks;
            tk::barrier_sync(4 + warpgroup, 256);
            const tk::cursor<6> k0_element = shared.ks.take(ks_next);

            // gated_delta_segments.tk:36: let p0 = mma(k0, k0.T);
            tk::fragment<float, 64, 64> p0;
            tk::mma_async(p0, shared.ks_tile[k0_element.stage],
                          tk::transposed(shared.ks_tile[k0_element.stage]), tk::accumulate_never{});

            // gated_delta_segments.tk:37: let k1 = consume ks;
            const tk::cursor<6> k1_element = shared.ks.take(ks_next);

            // gated_delta_segments.tk:38: let p1 = mma(k1, k1.T);
            tk::fragment<float, 64, 64> p1;
            tk::mma_async(p1, shared.ks_tile[k1_element.stage],
                          tk::transposed(shared.ks_tile[k1_element.stage]), tk::accumulate_never{});

            // gated_delta_segments.tk:39: let a0 = consume ms;
            const tk::cursor<6> a0 = shared.ms.take(ms_next);

            // gated_delta_segments.tk:41: let a1 = consume ms;
            const tk::cursor<6> a1 = shared.ms.take(ms_next);
            tk::barrier_arrive(4 + (warpgroup + 1) % 3, 256);
            tk::mma_wait<1>(p0);
            shared.ks.release(k0_element);

            // <std.triangular>:55: return rounded_inverses(shared(f16(m0)), shared(f16(m1)));
            tk::column_fragment<float, 64> t0;
            tk::map(t0, thread, [&](int row, int) {
                return tk::get(shared.ms_gc[a0.stage], row, 0);
            });
            tk::row_fragment<float, 64> t1;
            tk::load_shared(t1, shared.ms_g[a0.stage], thread);
            tk::column_fragment<float, 64> t10;
            tk::map(t10, thread, [&](int row, int) {
                return tk::get(shared.ms_bc[a0.stage], row, 0);
            });
            shared.ms.release_after_loads(a0);
            tk::fragment<tk::f16, 64, 64> t2;
            tk::map(t2, thread, [&](int row, int col, float p0, float t0, float t1, float t10) {
                const int x = N - t;
                return col < x
                    ? (row < x
                       ? (row > col ? p0 * tk::exp2(row >= col ? t0 - t1 : -INFINITY) * t10 : 0.0f)
                       : 0.0f) : 0.0f;
            }, p0, t0, t1, t10);
            tk::barrier_sync(1 + warpgroup, 128);
            tk::store_shared(shared.inverse_t3[warpgroup], t2, thread);
            tk::fence_async();
            tk::barrier_sync(1 + warpgroup, 128);
            tk::mma_wait<0>(p1);
            shared.ks.release(k1_element);
            tk::column_fragment<float, 64> t13;
            tk::map(t13, thread, [&](int row, int) {
                return tk::get(shared.ms_gc[a1.stage], row, 0);
            });
            tk::row_fragment<float, 64> t16;
            tk::load_shared(t16, shared.ms_g[a1.stage], thread);
            tk::column_fragment<float, 64> t19;
            tk::map(t19, thread, [&](int row, int) {
                return tk::get(shared.ms_bc[a1.stage], row, 0);
            });
            shared.ms.release_after_loads(a1);
            tk::fragment<tk::f16, 64, 64> t4;
            tk::map(t4, thread, [&](int row, int col, float p1, float t13, float t16, float t19) {
                const int x = N - t;
                return col < x
                    ? (row < x
                       ? (row > col ? p1 * tk::exp2(row >= col ? t13 - t16 : -INFINITY) * t19
                          : 0.0f) : 0.0f) : 0.0f;
            }, p1, t13, t16, t19);
            tk::barrier_sync(1 + warpgroup, 128);
            tk::store_shared(shared.inverse_t5[warpgroup], t4, thread);
            tk::fence_async();
            tk::barrier_sync(1 + warpgroup, 128);

            // <std.triangular>:60: var like: f32[64, 16] = 0;
            tk::fragment<float, 64, 16> like;
            tk::zero(like);

            // <std.triangular>:63: shared r0: f16[64, 64] = 0;
            tk::fragment<tk::f16, 64, 64> t6;
            tk::map(t6, []() { return tk::f16(0.0f); });
            tk::barrier_sync(1 + warpgroup, 128);
            tk::store_shared(shared.inverse_r0[warpgroup], t6, thread);
            tk::fence_async();
            tk::barrier_sync(1 + warpgroup, 128);

            // <std.triangular>:64: shared r1: f16[64, 64] = 0;
            tk::fragment<tk::f16, 64, 64> t7;
            tk::map(t7, []() { return tk::f16(0.0f); });
            tk::barrier_sync(1 + warpgroup, 128);
            tk::store_shared(shared.inverse_r1[warpgroup], t7, thread);
            tk::fence_async();
            tk::barrier_sync(1 + warpgroup, 128);

            // <std.triangular>:65: var v0 = inverses_of_pairs(f32(s0));
            tk::fragment<tk::f16, 64, 64> t22;
            tk::load_shared(t22, shared.inverse_t3[warpgroup], thread);
            tk::fragment<float, 64, 64> v0;
            tk::map(v0, thread, [](int row, int col, tk::f16 t22) {
                return row == col ? 1.0f : row >> 1 == col >> 1 ? -float(t22) : 0.0f;
            }, t22);

            // <std.triangular>:66: var v1 = inverses_of_pairs(f32(s1));
            tk::fragment<tk::f16, 64, 64> t25;
            tk::load_shared(t25, shared.inverse_t5[warpgroup], thread);
            tk::fragment<float, 64, 64> v1;
            tk::map(v1, thread, [](int row, int col, tk::f16 t25) {
                return row == col ? 1.0f : row >> 1 == col >> 1 ? -float(t25) : 0.0f;
            }, t25);

            // <std.triangular>:67: for b in 1..4 {
            for (int b_2 = 1; b_2 < 4; b_2 += 1) {
                // <std.triangular>:69: let h0 = f16(v0);
                tk::fragment<tk::f16, 64, 64> h0 = tk::convert<tk::f16>(v0);

                // <std.triangular>:18: return { a = mma(h[:, 0 +: 16], m[0 +: 16, 0 +: 16]), b = ..
                tk::fragment<tk::f16, 64, 16> t8;
                tk::slice_registers<0, 0>(t8, h0);
                tk::fragment<float, 64, 16> x0_a;
                tk::mma_async(x0_a, t8, tk::part<0, 0, 16, 16>(shared.inverse_t3[warpgroup]),
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 16> t11;
                tk::slice_registers<0, 4>(t11, h0);
                tk::fragment<float, 64, 16> x0_b;
                tk::mma_async(x0_b, t11, tk::part<16, 16, 16, 16>(shared.inverse_t3[warpgroup]),
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 16> t14;
                tk::slice_registers<0, 8>(t14, h0);
                tk::fragment<float, 64, 16> x0_c;
                tk::mma_async(x0_c, t14, tk::part<32, 32, 16, 16>(shared.inverse_t3[warpgroup]),
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 16> t17;
                tk::slice_registers<0, 12>(t17, h0);
                tk::fragment<float, 64, 16> x0_d;
                tk::mma_async(x0_d, t17, tk::part<48, 48, 16, 16>(shared.inverse_t3[warpgroup]),
                              tk::accumulate_never{});

                // <std.triangular>:71: r0 = h0;
                tk::barrier_sync(1 + warpgroup, 128);
                tk::store_shared(shared.inverse_r0[warpgroup], h0, thread);
                tk::fence_async();
                tk::barrier_sync(1 + warpgroup, 128);
                tk::mma_wait<3>(x0_a, t8);

                // <std.triangular>:72: let w0 = negated(x0, inside);
                tk::fragment<tk::f16, 64, 16> w0_a;
                tk::map(w0_a, thread, [&](int row, int col, float x0_a) {
                    const int x = (row & 15) >> (b_2 & 31);
                    return ((x & 1) == 1 ? x - 1 : -1) == col >> (b_2 & 31) ? -x0_a : 0.0f;
                }, x0_a);
                tk::hold_waits(warp);
                tk::mma_wait<2>(x0_b, t11);
                tk::fragment<tk::f16, 64, 16> w0_b;
                tk::map(w0_b, thread, [&](int row, int col, float x0_b) {
                    const int x = (row & 15) >> (b_2 & 31);
                    return ((x & 1) == 1 ? x - 1 : -1) == col >> (b_2 & 31) ? -x0_b : 0.0f;
                }, x0_b);
                tk::hold_waits(warp);
                tk::mma_wait<1>(x0_c, t14);
                tk::fragment<tk::f16, 64, 16> w0_c;
                tk::map(w0_c, thread, [&](int row, int col, float x0_c) {
                    const int x = (row & 15) >> (b_2 & 31);
                    return ((x & 1) == 1 ? x - 1 : -1) == col >> (b_2 & 31) ? -x0_c : 0.0f;
                }, x0_c);
                tk::hold_waits(warp);
                tk::mma_wait<0>(x0_d, t17);
                tk::fragment<tk::f16, 64, 16> w0_d;
                tk::map(w0_d, thread, [&](int row, int col, float x0_d) {
                    const int x = (row & 15) >> (b_2 & 31);
                    return ((x & 1) == 1 ? x - 1 : -1) == col >> (b_2 & 31) ? -x0_d : 0.0f;
                }, x0_d);

                // <std.triangular>:73: let h1 = f16(v1);
                tk::fragment<tk::f16, 64, 64> h1 = tk::convert<tk::f16>(v1);
                // <std.triangular>:18
                tk::fragment<tk::f16, 64, 16> t20;
                tk::slice_registers<0, 0>(t20, h1);
                tk::fragment<float, 64, 16> x1_a;
                tk::mma_async(x1_a, t20, tk::part<0, 0, 16, 16>(shared.inverse_t5[warpgroup]),
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 16> t23;
                tk::slice_registers<0, 4>(t23, h1);
                tk::fragment<float, 64, 16> x1_b;
                tk::mma_async(x1_b, t23, tk::part<16, 16, 16, 16>(shared.inverse_t5[warpgroup]),
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 16> t26;
                tk::slice_registers<0, 8>(t26, h1);
                tk::fragment<float, 64, 16> x1_c;
                tk::mma_async(x1_c, t26, tk::part<32, 32, 16, 16>(shared.inverse_t5[warpgroup]),
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 16> t29;
                tk::slice_registers<0, 12>(t29, h1);
                tk::fragment<float, 64, 16> x1_d;
                tk::mma_async(x1_d, t29, tk::part<48, 48, 16, 16>(shared.inverse_t5[warpgroup]),
                              tk::accumulate_never{});

                // <std.triangular>:26: v += mma(x.a, h[0 +: 16, :]);
                tk::mma_async(v0, w0_a, tk::part<0, 0, 16, 64>(shared.inverse_r0[warpgroup]));

                // <std.triangular>:27: v += mma(x.b, h[16 +: 16, :]);
                tk::mma_async(v0, w0_b, tk::part<16, 0, 16, 64>(shared.inverse_r0[warpgroup]));

                // <std.triangular>:28: v += mma(x.c, h[32 +: 16, :]);
                tk::mma_async(v0, w0_c, tk::part<32, 0, 16, 64>(shared.inverse_r0[warpgroup]));

                // <std.triangular>:29: v += mma(x.d, h[48 +: 16, :]);
                tk::mma_async(v0, w0_d, tk::part<48, 0, 16, 64>(shared.inverse_r0[warpgroup]));

                // <std.triangular>:76: r1 = h1;
                tk::barrier_sync(1 + warpgroup, 128);
                tk::store_shared(shared.inverse_r1[warpgroup], h1, thread);
                tk::fence_async();
                tk::barrier_sync(1 + warpgroup, 128);
                tk::mma_wait<7>(x1_a, t20);
                // <std.triangular>:26
                tk::fragment<tk::f16, 64, 16> t36;
                tk::map(t36, thread, [&](int row, int col, float x1_a) {
                    const int x = (row & 15) >> (b_2 & 31);
                    return ((x & 1) == 1 ? x - 1 : -1) == col >> (b_2 & 31) ? -x1_a : 0.0f;
                }, x1_a);
                tk::mma_async(v1, t36, tk::part<0, 0, 16, 64>(shared.inverse_r1[warpgroup]));
                tk::mma_wait<7>(x1_b, t23);
                // <std.triangular>:27
                tk::fragment<tk::f16, 64, 16> t38;
                tk::map(t38, thread, [&](int row, int col, float x1_b) {
                    const int x = (row & 15) >> (b_2 & 31);
                    return ((x & 1) == 1 ? x - 1 : -1) == col >> (b_2 & 31) ? -x1_b : 0.0f;
                }, x1_b);
                tk::mma_async(v1, t38, tk::part<16, 0, 16, 64>(shared.inverse_r1[warpgroup]));
                tk::mma_wait<7>(x1_c, t26);
                // <std.triangular>:28
                tk::fragment<tk::f16, 64, 16> t40;
                tk::map(t40, thread, [&](int row, int col, float x1_c) {
                    const int x = (row & 15) >> (b_2 & 31);
                    return ((x & 1) == 1 ? x - 1 : -1) == col >> (b_2 & 31) ? -x1_c : 0.0f;
                }, x1_c);
                tk::mma_async(v1, t40, tk::part<32, 0, 16, 64>(shared.inverse_r1[warpgroup]));
                tk::mma_wait<7>(x1_d, t29);
                // <std.triangular>:29
                tk::fragment<tk::f16, 64, 16> t42;
                tk::map(t42, thread, [&](int row, int col, float x1_d) {
                    const int x = (row & 15) >> (b_2 & 31);
                    return ((x & 1) == 1 ? x - 1 : -1) == col >> (b_2 & 31) ? -x1_d : 0.0f;
                }, x1_d);
                tk::mma_async(v1, t42, tk::part<48, 0, 16, 64>(shared.inverse_r1[warpgroup]));
                tk::mma_wait<0>(v0, v1, w0_a, w0_b, w0_c, w0_d, t36, t38, t40, t42);
            }

            // <std.triangular>:79: let h0 = f16(v0);
            tk::fragment<tk::f16, 64, 64> h0_2 = tk::convert<tk::f16>(v0);

            // <std.triangular>:36: return { a = mma(h[:, 16 +: 16], m[16 +: 16, 0 +: 16]), b = ..
            tk::fragment<tk::f16, 64, 16> t44;
            tk::slice_registers<0, 4>(t44, h0_2);
            tk::fragment<float, 64, 16> y0_a;
            tk::mma_async(y0_a, t44, tk::part<16, 0, 16, 16>(shared.inverse_t3[warpgroup]),
                          tk::accumulate_never{});
            tk::fragment<tk::f16, 64, 16> t47;
            tk::slice_registers<0, 12>(t47, h0_2);
            tk::fragment<float, 64, 16> y0_b;
            tk::mma_async(y0_b, t47, tk::part<48, 32, 16, 16>(shared.inverse_t3[warpgroup]),
                          tk::accumulate_never{});

            // <std.triangular>:81: r0 = h0;
            tk::barrier_sync(1 + warpgroup, 128);
            tk::store_shared(shared.inverse_r0[warpgroup], h0_2, thread);
            tk::fence_async();
            tk::barrier_sync(1 + warpgroup, 128);

            // <std.triangular>:82: let h1 = f16(v1);
            tk::fragment<tk::f16, 64, 64> h1_2 = tk::convert<tk::f16>(v1);
            // <std.triangular>:36
            tk::fragment<tk::f16, 64, 16> t50;
            tk::slice_registers<0, 4>(t50, h1_2);
            tk::fragment<float, 64, 16> y1_a;
            tk::mma_async(y1_a, t50, tk::part<16, 0, 16, 16>(shared.inverse_t5[warpgroup]),
                          tk::accumulate_never{});
            tk::fragment<tk::f16, 64, 16> t53;
            tk::slice_registers<0, 12>(t53, h1_2);
            tk::fragment<float, 64, 16> y1_b;
            tk::mma_async(y1_b, t53, tk::part<48, 32, 16, 16>(shared.inverse_t5[warpgroup]),
                          tk::accumulate_never{});
            tk::mma_wait<3>(y0_a, t44);

            // <std.triangular>:39: v += mma(f16(-x.a), h[0 +: 16, :]);
            tk::fragment<tk::f16, 64, 16> t56;
            tk::map(t56, [](float y0_a) { return -y0_a; }, y0_a);
            tk::mma_async(v0, t56, tk::part<0, 0, 16, 64>(shared.inverse_r0[warpgroup]));
            tk::mma_wait<3>(y0_b, t47);

            // <std.triangular>:40: v += mma(f16(-x.b), h[32 +: 16, :]);
            tk::fragment<tk::f16, 64, 16> t58;
            tk::map(t58, [](float y0_b) { return -y0_b; }, y0_b);
            tk::mma_async(v0, t58, tk::part<32, 0, 16, 64>(shared.inverse_r0[warpgroup]));

            // <std.triangular>:85: r1 = h1;
            tk::barrier_sync(1 + warpgroup, 128);
            tk::store_shared(shared.inverse_r1[warpgroup], h1_2, thread);
            tk::fence_async();
            tk::barrier_sync(1 + warpgroup, 128);
            tk::mma_wait<3>(y1_a, t50);
            // <std.triangular>:39
            tk::fragment<tk::f16, 64, 16> t60;
            tk::map(t60, [](float y1_a) { return -y1_a; }, y1_a);
            tk::mma_async(v1, t60, tk::part<0, 0, 16, 64>(shared.inverse_r1[warpgroup]));
            tk::mma_wait<3>(y1_b, t53);
            // <std.triangular>:40
            tk::fragment<tk::f16, 64, 16> t62;
            tk::map(t62, [](float y1_b) { return -y1_b; }, y1_b);
            tk::mma_async(v1, t62, tk::part<32, 0, 16, 64>(shared.inverse_r1[warpgroup]));
            tk::mma_wait<2>(v0, t56, t58);

            // <std.triangular>:87: let g0 = f16(v0);
            tk::fragment<tk::f16, 64, 64> g0 = tk::convert<tk::f16>(v0);

            // <std.triangular>:42: fn below_half(h: f16[64, 64], m: f16[64, 64]) -> f32[64, 32] ..
            tk::fragment<tk::f16, 64, 32> t64;
            tk::slice_registers<0, 8>(t64, g0);
            tk::fragment<float, 64, 32> z0;
            tk::mma_async(z0, t64, tk::part<32, 0, 32, 32>(shared.inverse_t3[warpgroup]),
                          tk::accumulate_never{});

            // <std.triangular>:89: r0 = g0;
            tk::barrier_sync(1 + warpgroup, 128);
            tk::store_shared(shared.inverse_r0[warpgroup], g0, thread);
            tk::fence_async();
            tk::barrier_sync(1 + warpgroup, 128);
            tk::mma_wait<1>(v1, t60, t62);

            // <std.triangular>:90: let g1 = f16(v1);
            tk::fragment<tk::f16, 64, 64> g1 = tk::convert<tk::f16>(v1);
            // <std.triangular>:42
            tk::fragment<tk::f16, 64, 32> t67;
            tk::slice_registers<0, 8>(t67, g1);
            tk::fragment<float, 64, 32> z1;
            tk::mma_async(z1, t67, tk::part<32, 0, 32, 32>(shared.inverse_t5[warpgroup]),
                          tk::accumulate_never{});
            tk::mma_wait<1>(z0, t64);

            // <std.triangular>:43: fn subtract_half(inout v: f32[64, 64], x: f32[64, 32], h: ..
            tk::fragment<tk::f16, 64, 32> t70;
            tk::map(t70, [](float z0) { return -z0; }, z0);
            tk::mma_async(v0, t70, tk::part<0, 0, 32, 64>(shared.inverse_r0[warpgroup]));

            // <std.triangular>:93: r1 = g1;
            tk::barrier_sync(1 + warpgroup, 128);
            tk::store_shared(shared.inverse_r1[warpgroup], g1, thread);
            tk::fence_async();
            tk::barrier_sync(1 + warpgroup, 128);
            tk::mma_wait<1>(z1, t67);
            // <std.triangular>:43
            tk::fragment<tk::f16, 64, 32> t72;
            tk::map(t72, [](float z1) { return -z1; }, z1);
            tk::mma_async(v1, t72, tk::part<0, 0, 32, 64>(shared.inverse_r1[warpgroup]));
            tk::mma_wait<1>(v0, t70);

            // gated_delta_segments.tk:44: let i0 = T(x.a);
            tk::mma_wait<0>(v1, t72);

            // gated_delta_segments.tk:45: let i1 = T(x.b);

            // gated_delta_segments.tk:46: tma_store(Inverse[b, h.start, t.start +: L, :], i0);
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                tk::fragment<tk::bf16, 64, 64> i0;
                tk::map(i0, thread, [](int row, int col, float v0) {
                    return row == col ? 0.0f : v0;
                }, v0);
                tk::store_shared(shared.inverse_Inverse[warpgroup], i0, thread);
                tk::fence_async();
                tk::barrier_sync(1 + warpgroup, 128);
                if (leader) {
                    tk::tma_store(Inverse_map, shared.inverse_Inverse[warpgroup], b, h, t, panel);
                }
            }

            // gated_delta_segments.tk:47: tma_store(Inverse[b, h.start + 1, t.start +: L, :], i1);
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                tk::fragment<tk::bf16, 64, 64> i1;
                tk::map(i1, thread, [](int row, int col, float v1) {
                    return row == col ? 0.0f : v1;
                }, v1);
                tk::store_shared(shared.inverse_Inverse[warpgroup], i1, thread);
                tk::fence_async();
                tk::barrier_sync(1 + warpgroup, 128);
                if (leader) {
                    tk::tma_store(Inverse_map, shared.inverse_Inverse[warpgroup], b, h + 1, t,
                                  panel);
                }
            }

            // The elements of the programs in between are another warpgroup's.
            ks_next.skip(2 * ks_taken);
            ms_next.skip(2 * ms_taken);
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
        // Whose turn it is takes it, so that no arrival is left over.
        if (warpgroup == tk::turn_behind(programs, 3)) tk::barrier_sync(4 + warpgroup, 256);
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

tk::status launch_gated_delta_gates_T_f32_PACKED_false_ROUND_64(
    const tk::launch_site& site, const tk::tensor& Gate, const tk::tensor& Beta,
    const tk::tensor& G, const tk::tensor& W, const tk::tensor& C, int64_t B, int64_t N, int64_t H,
    int64_t R) {
    return tk::run<gated_delta_gates_T_f32_PACKED_false_ROUND_64_kernel<5, 16, 4, true>>(
        site, sizeof(gated_delta_gates_T_f32_PACKED_false_ROUND_64_shared),
        tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(H, 32), tk::ceil_div(R, 64)), B), Gate, Beta, G, W,
        C, B, N, H, R);
}

tk::status launch_gated_delta_gates_T_f32_PACKED_false_ROUND_64_general(
    const tk::launch_site& site, const tk::tensor& Gate, const tk::tensor& Beta,
    const tk::tensor& G, const tk::tensor& W, const tk::tensor& C, int64_t B, int64_t N, int64_t H,
    int64_t R) {
    return tk::run<gated_delta_gates_T_f32_PACKED_false_ROUND_64_kernel<1, 32, 2, false>>(
        site, sizeof(gated_delta_gates_T_f32_PACKED_false_ROUND_64_shared),
        tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(H, 32), tk::ceil_div(R, 64)), B), Gate, Beta, G, W,
        C, B, N, H, R);
}

tk::status launch_gated_delta_segments_inverses_T_bf16_DK_128_PACKED_false(
    const tk::launch_site& site, const tk::tensor& K, const tk::tensor& G, const tk::tensor& C,
    const tk::tensor& Inverse, int64_t B, int64_t N, int64_t H, int64_t R) {
    return tk::run<gated_delta_segments_inverses_T_bf16_DK_128_PACKED_false_kernel>(
        site, sizeof(gated_delta_segments_inverses_T_bf16_DK_128_PACKED_false_shared),
        tk::kernel_shape(512).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(H, 2), tk::ceil_div(R, 64)), B),
        tk::box{K, {1, 64, 1, 64}, 128}, tk::box{G, {1, 1, 64}, 0}, tk::box{C, {1, 1, 64}, 0},
        tk::box{Inverse, {1, 1, 64, 64}, 128}, B, N, H, R);
}

tk::status launch_before(const tk::launch_site& site, const tk::tensor& K, const tk::tensor& V,
                         const tk::tensor& Inverse, const tk::tensor& G, const tk::tensor& W,
                         const tk::tensor& C, const tk::tensor& S0, const tk::tensor& U,
                         const tk::tensor& Before, int64_t B, int64_t N, int64_t H, int64_t J) {
    return tk::run<before_kernel>(
        site, sizeof(before_shared), tk::kernel_shape(256).overlapping(), tk::multiply(2 * H, B),
        tk::box{K, {1, 64, 1, 64}, 128}, tk::box{V, {1, 64, 1, 64}, 128}, tk::box{G, {1, 1, 64}, 0},
        tk::box{W, {1, 1, 64}, 0}, tk::box{C, {1, 1, 64}, 0}, tk::box{Inverse, {1, 1, 64, 64}, 128},
        tk::box{Before, {1, 1, 64, 64}, 128}, tk::box{U, {1, 1, 64, 64}, 128}, S0, B, N, H, J);
}

tk::status launch_behind(
    const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K, const tk::tensor& dO,
    const tk::tensor& Inverse, const tk::tensor& G, const tk::tensor& W, const tk::tensor& C,
    const tk::tensor& dState, const tk::tensor& Y, const tk::tensor& Behind, const tk::tensor& dV,
    const tk::tensor& dS0, int64_t B, int64_t N, int64_t H, int64_t F, int64_t I, float scale) {
    return tk::run<behind_kernel>(
        site, sizeof(behind_shared), tk::kernel_shape(384).overlapping(), tk::multiply(2 * H, B),
        tk::box{Q, {1, 64, 1, 64}, 128}, tk::box{K, {1, 64, 1, 64}, 128}, tk::box{G, {1, 1, 64}, 0},
        tk::box{dO, {1, 64, 1, 64}, 128}, tk::box{W, {1, 1, 64}, 0}, tk::box{C, {1, 1, 64}, 0},
        tk::box{Inverse, {1, 1, 64, 64}, 128}, tk::box{Behind, {1, 1, 64, 64}, 128},
        tk::box{Y, {1, 1, 64, 64}, 128}, tk::box{dV, {1, 64, 1, 64}, 128}, dState, dS0, B, N, H, F,
        I, scale);
}

tk::status launch_chunks(
    const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K, const tk::tensor& V,
    const tk::tensor& dO, const tk::tensor& U, const tk::tensor& Y, const tk::tensor& Before,
    const tk::tensor& Behind, const tk::tensor& G, const tk::tensor& C, const tk::tensor& dQ,
    const tk::tensor& dK, const tk::tensor& Query, const tk::tensor& Key,
    const tk::tensor& QueryPairs, const tk::tensor& KeyPairs, const tk::tensor& Own,
    const tk::tensor& Read, const tk::tensor& BetaKeys, const tk::tensor& BetaValues,
    const tk::tensor& Past, int64_t B, int64_t N, int64_t H, float scale) {
    return tk::run<chunks_kernel>(
        site, sizeof(chunks_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(N, 64), H), B), tk::box{K, {1, 64, 1, 64}, 128},
        tk::box{U, {1, 1, 128, 64}, 128}, tk::box{Y, {1, 1, 128, 64}, 128},
        tk::box{G, {1, 1, 64}, 0}, tk::box{C, {1, 1, 64}, 0}, tk::box{dO, {1, 64, 1, 64}, 128},
        tk::box{Q, {1, 64, 1, 64}, 128}, tk::box{Before, {1, 1, 128, 64}, 128},
        tk::box{Behind, {1, 1, 128, 64}, 128}, tk::box{V, {1, 64, 1, 64}, 128},
        tk::box{dQ, {1, 64, 1, 64}, 128}, tk::box{dK, {1, 64, 1, 64}, 128}, Query, Key, QueryPairs,
        KeyPairs, Own, Read, BetaKeys, BetaValues, Past, B, N, H, scale);
}

tk::status launch_gate_gradients(
    const tk::launch_site& site, const tk::tensor& Query, const tk::tensor& Key,
    const tk::tensor& QueryPairs, const tk::tensor& KeyPairs, const tk::tensor& Own,
    const tk::tensor& Read, const tk::tensor& C, const tk::tensor& BetaKeys,
    const tk::tensor& BetaValues, const tk::tensor& Past, const tk::tensor& dGate,
    const tk::tensor& dBeta, int64_t B, int64_t H, int64_t N) {
    return tk::run<gate_gradients_kernel<3, 16, 4, true>>(
        site, sizeof(gate_gradients_shared), tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(H, 32), tk::ceil_div(N, 64)), B), Query, Key,
        QueryPairs, KeyPairs, Own, Read, C, BetaKeys, BetaValues, Past, dGate, dBeta, B, H, N);
}

tk::status launch_gate_gradients_general(
    const tk::launch_site& site, const tk::tensor& Query, const tk::tensor& Key,
    const tk::tensor& QueryPairs, const tk::tensor& KeyPairs, const tk::tensor& Own,
    const tk::tensor& Read, const tk::tensor& C, const tk::tensor& BetaKeys,
    const tk::tensor& BetaValues, const tk::tensor& Past, const tk::tensor& dGate,
    const tk::tensor& dBeta, int64_t B, int64_t H, int64_t N) {
    return tk::run<gate_gradients_kernel<1, 32, 2, false>>(
        site, sizeof(gate_gradients_shared), tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(H, 32), tk::ceil_div(N, 64)), B), Query, Key,
        QueryPairs, KeyPairs, Own, Read, C, BetaKeys, BetaValues, Past, dGate, dBeta, B, H, N);
}

}  // namespace

extern "C" {
int before(const DLTensor* K_given, const DLTensor* V_given, const DLTensor* Inverse_given,
           const DLTensor* G_given, const DLTensor* W_given, const DLTensor* C_given,
           const DLTensor* S0_given, const DLTensor* start_given, DLTensor* U_given,
           DLTensor* Before_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"before"};
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Inverse = call.take("Inverse", Inverse_given, tk::dtype_bf16, 4,
                                         tk::access::read);
    const tk::tensor G = call.take("G", G_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor W = call.take("W", W_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor U = call.take("U", U_given, tk::dtype_bf16, 4, tk::access::write);
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
         tk::fixed_extent(V, 3, 128), tk::same_extent("B", K, 0, Inverse, 0),
         tk::same_extent("H", K, 2, Inverse, 1), tk::fixed_extent(Inverse, 3, 64),
         tk::same_extent("B", K, 0, G, 0), tk::same_extent("H", K, 2, G, 1),
         tk::same_extent("B", K, 0, W, 0), tk::same_extent("H", K, 2, W, 1),
         tk::same_extent("B", K, 0, C, 0), tk::same_extent("H", K, 2, C, 1),
         tk::same_extent("H", K, 2, S0, 1), tk::fixed_extent(S0, 2, 128),
         tk::fixed_extent(S0, 3, 128), tk::same_extent("B", K, 0, U, 0),
         tk::same_extent("H", K, 2, U, 1), tk::fixed_extent(U, 2, 128),
         tk::same_extent("B", K, 0, Before, 0), tk::fixed_extent(Before, 3, 128),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"J", J}, {"P", P}}),
         tk::that(Inverse.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `Inverse` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {Inverse.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(G.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `G` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {G.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(W.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `W` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {W.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(C.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `C` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {C.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(U.shape[3] == tk::ceil_div(N, 64) * 64,
                  "axis 3 of `U` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {U.shape[3], tk::ceil_div(N, 64) * 64}),
         tk::that(Before.shape[1] == tk::ceil_div(N, 64),
                  "axis 1 of `Before` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Before.shape[1], tk::ceil_div(N, 64)}), tk::fits("H*128", H * 128),
         tk::that(Before.shape[2] == H * 128,
                  "axis 2 of `Before` is {}; it must be `H*128`, which is {}",
                  {Before.shape[2], H * 128}), tk::suits_tma_load(K), tk::suits_tma_load(V),
         tk::suits_tma_load(Inverse), tk::suits_tma_load(G), tk::suits_tma_load(W),
         tk::suits_tma_load(C), tk::suits_tma_store(U), tk::suits_tma_store(Before),
         tk::grid_fits(2 * H, 2147483648), tk::grid_fits(tk::multiply(2 * H, B), 2147483648),
         tk::fits("h*128", (H - 1) * 128), tk::fits("h*128 + c.start", (H - 1) * 128 + 127)});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<before_kernel>(
        site, sizeof(before_shared), tk::kernel_shape(256).overlapping(), tk::multiply(2 * H, B),
        tk::box{K, {1, 64, 1, 64}, 128}, tk::box{V, {1, 64, 1, 64}, 128}, tk::box{G, {1, 1, 64}, 0},
        tk::box{W, {1, 1, 64}, 0}, tk::box{C, {1, 1, 64}, 0}, tk::box{Inverse, {1, 1, 64, 64}, 128},
        tk::box{Before, {1, 1, 64, 64}, 128}, tk::box{U, {1, 1, 64, 64}, 128}, S0, B, N, H, J));
}
TK_NO_WORKSPACE(before, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*,
                DLTensor*)

int behind(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* dO_given,
           const DLTensor* Inverse_given, const DLTensor* G_given, const DLTensor* W_given,
           const DLTensor* C_given, const DLTensor* dState_given, const DLTensor* start_given,
           DLTensor* Y_given, DLTensor* Behind_given, DLTensor* dV_given, DLTensor* dS0_given,
           float scale, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"behind"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Inverse = call.take("Inverse", Inverse_given, tk::dtype_bf16, 4,
                                         tk::access::read);
    const tk::tensor G = call.take("G", G_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor W = call.take("W", W_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor dState = call.take("dState", dState_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Behind = call.take("Behind", Behind_given, tk::dtype_bf16, 4,
                                        tk::access::write);
    const tk::tensor dV = call.take("dV", dV_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dS0 = call.take("dS0", dS0_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t H = Q.shape[2];
    const int64_t F = dState.shape[0];
    const int64_t P = start.shape[0];
    const int64_t I = dS0.shape[0];
    call.require(
        {tk::fixed_extent(Q, 3, 128), tk::same_extent("B", Q, 0, K, 0),
         tk::same_extent("N", Q, 1, K, 1), tk::same_extent("H", Q, 2, K, 2),
         tk::fixed_extent(K, 3, 128), tk::same_extent("B", Q, 0, dO, 0),
         tk::same_extent("N", Q, 1, dO, 1), tk::same_extent("H", Q, 2, dO, 2),
         tk::fixed_extent(dO, 3, 128), tk::same_extent("B", Q, 0, Inverse, 0),
         tk::same_extent("H", Q, 2, Inverse, 1), tk::fixed_extent(Inverse, 3, 64),
         tk::same_extent("B", Q, 0, G, 0), tk::same_extent("H", Q, 2, G, 1),
         tk::same_extent("B", Q, 0, W, 0), tk::same_extent("H", Q, 2, W, 1),
         tk::same_extent("B", Q, 0, C, 0), tk::same_extent("H", Q, 2, C, 1),
         tk::same_extent("H", Q, 2, dState, 1), tk::fixed_extent(dState, 2, 128),
         tk::fixed_extent(dState, 3, 128), tk::same_extent("B", Q, 0, Y, 0),
         tk::same_extent("H", Q, 2, Y, 1), tk::fixed_extent(Y, 2, 128),
         tk::same_extent("B", Q, 0, Behind, 0), tk::fixed_extent(Behind, 3, 128),
         tk::same_extent("B", Q, 0, dV, 0), tk::same_extent("N", Q, 1, dV, 1),
         tk::same_extent("H", Q, 2, dV, 2), tk::fixed_extent(dV, 3, 128),
         tk::same_extent("H", Q, 2, dS0, 1), tk::fixed_extent(dS0, 2, 128),
         tk::fixed_extent(dS0, 3, 128),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"F", F}, {"P", P}, {"I", I}}),
         tk::that(Inverse.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `Inverse` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {Inverse.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(G.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `G` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {G.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(W.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `W` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {W.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(C.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `C` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {C.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(Y.shape[3] == tk::ceil_div(N, 64) * 64,
                  "axis 3 of `Y` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {Y.shape[3], tk::ceil_div(N, 64) * 64}),
         tk::that(Behind.shape[1] == tk::ceil_div(N, 64),
                  "axis 1 of `Behind` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Behind.shape[1], tk::ceil_div(N, 64)}), tk::fits("H*128", H * 128),
         tk::that(Behind.shape[2] == H * 128,
                  "axis 2 of `Behind` is {}; it must be `H*128`, which is {}",
                  {Behind.shape[2], H * 128}),
         tk::that(I <= B, "`behind` requires `PACKED or I <= B`"), tk::suits_tma_load(Q),
         tk::suits_tma_load(K), tk::suits_tma_load(dO), tk::suits_tma_load(Inverse),
         tk::suits_tma_load(G), tk::suits_tma_load(W), tk::suits_tma_load(C),
         tk::suits_tma_store(Y), tk::suits_tma_store(Behind), tk::suits_tma_store(dV),
         tk::grid_fits(2 * H, 2147483648), tk::grid_fits(tk::multiply(2 * H, B), 2147483648),
         tk::fits("h*128", (H - 1) * 128), tk::fits("h*128 + c.start", (H - 1) * 128 + 127)});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<behind_kernel>(
        site, sizeof(behind_shared), tk::kernel_shape(384).overlapping(), tk::multiply(2 * H, B),
        tk::box{Q, {1, 64, 1, 64}, 128}, tk::box{K, {1, 64, 1, 64}, 128}, tk::box{G, {1, 1, 64}, 0},
        tk::box{dO, {1, 64, 1, 64}, 128}, tk::box{W, {1, 1, 64}, 0}, tk::box{C, {1, 1, 64}, 0},
        tk::box{Inverse, {1, 1, 64, 64}, 128}, tk::box{Behind, {1, 1, 64, 64}, 128},
        tk::box{Y, {1, 1, 64, 64}, 128}, tk::box{dV, {1, 64, 1, 64}, 128}, dState, dS0, B, N, H, F,
        I, scale));
}
TK_NO_WORKSPACE(behind, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, float)

int chunks(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
           const DLTensor* dO_given, const DLTensor* U_given, const DLTensor* Y_given,
           const DLTensor* Before_given, const DLTensor* Behind_given, const DLTensor* G_given,
           const DLTensor* C_given, const DLTensor* First_given, const DLTensor* Tokens_given,
           DLTensor* dQ_given, DLTensor* dK_given, DLTensor* Query_given, DLTensor* Key_given,
           DLTensor* QueryPairs_given, DLTensor* KeyPairs_given, DLTensor* Own_given,
           DLTensor* Read_given, DLTensor* BetaKeys_given, DLTensor* BetaValues_given,
           DLTensor* Past_given, float scale, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"chunks"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor U = call.take("U", U_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Before = call.take("Before", Before_given, tk::dtype_bf16, 4,
                                        tk::access::read);
    const tk::tensor Behind = call.take("Behind", Behind_given, tk::dtype_bf16, 4,
                                        tk::access::read);
    const tk::tensor G = call.take("G", G_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor First = call.take("First", First_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Tokens = call.take("Tokens", Tokens_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor dQ = call.take("dQ", dQ_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dK = call.take("dK", dK_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Query = call.take("Query", Query_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor Key = call.take("Key", Key_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor QueryPairs = call.take("QueryPairs", QueryPairs_given, tk::dtype_f32, 3,
                                            tk::access::write);
    const tk::tensor KeyPairs = call.take("KeyPairs", KeyPairs_given, tk::dtype_f32, 3,
                                          tk::access::write);
    const tk::tensor Own = call.take("Own", Own_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor Read = call.take("Read", Read_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor BetaKeys = call.take("BetaKeys", BetaKeys_given, tk::dtype_f32, 3,
                                          tk::access::write);
    const tk::tensor BetaValues = call.take("BetaValues", BetaValues_given, tk::dtype_f32, 3,
                                            tk::access::write);
    const tk::tensor Past = call.take("Past", Past_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t H = Q.shape[2];
    const int64_t S = First.shape[0];
    call.require({
        tk::fixed_extent(Q, 3, 128), tk::same_extent("B", Q, 0, K, 0),
        tk::same_extent("N", Q, 1, K, 1), tk::same_extent("H", Q, 2, K, 2),
        tk::fixed_extent(K, 3, 128), tk::same_extent("B", Q, 0, V, 0),
        tk::same_extent("N", Q, 1, V, 1), tk::same_extent("H", Q, 2, V, 2),
        tk::fixed_extent(V, 3, 128), tk::same_extent("B", Q, 0, dO, 0),
        tk::same_extent("N", Q, 1, dO, 1), tk::same_extent("H", Q, 2, dO, 2),
        tk::fixed_extent(dO, 3, 128), tk::same_extent("B", Q, 0, U, 0),
        tk::same_extent("H", Q, 2, U, 1), tk::fixed_extent(U, 2, 128),
        tk::same_extent("B", Q, 0, Y, 0), tk::same_extent("H", Q, 2, Y, 1),
        tk::fixed_extent(Y, 2, 128), tk::same_extent("B", Q, 0, Before, 0),
        tk::fixed_extent(Before, 3, 128), tk::same_extent("B", Q, 0, Behind, 0),
        tk::fixed_extent(Behind, 3, 128), tk::same_extent("B", Q, 0, G, 0),
        tk::same_extent("H", Q, 2, G, 1), tk::same_extent("B", Q, 0, C, 0),
        tk::same_extent("H", Q, 2, C, 1), tk::same_extent("S", First, 0, Tokens, 0),
        tk::same_extent("B", Q, 0, dQ, 0), tk::same_extent("N", Q, 1, dQ, 1),
        tk::same_extent("H", Q, 2, dQ, 2), tk::fixed_extent(dQ, 3, 128),
        tk::same_extent("B", Q, 0, dK, 0), tk::same_extent("N", Q, 1, dK, 1),
        tk::same_extent("H", Q, 2, dK, 2), tk::fixed_extent(dK, 3, 128),
        tk::same_extent("B", Q, 0, Query, 0), tk::same_extent("H", Q, 2, Query, 1),
        tk::same_extent("B", Q, 0, Key, 0), tk::same_extent("H", Q, 2, Key, 1),
        tk::same_extent("B", Q, 0, QueryPairs, 0), tk::same_extent("H", Q, 2, QueryPairs, 1),
        tk::same_extent("B", Q, 0, KeyPairs, 0), tk::same_extent("H", Q, 2, KeyPairs, 1),
        tk::same_extent("B", Q, 0, Own, 0), tk::same_extent("H", Q, 2, Own, 1),
        tk::same_extent("B", Q, 0, Read, 0), tk::same_extent("H", Q, 2, Read, 1),
        tk::same_extent("B", Q, 0, BetaKeys, 0), tk::same_extent("H", Q, 2, BetaKeys, 1),
        tk::same_extent("B", Q, 0, BetaValues, 0), tk::same_extent("H", Q, 2, BetaValues, 1),
        tk::same_extent("B", Q, 0, Past, 0), tk::same_extent("H", Q, 2, Past, 2),
        tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"S", S}}),
        tk::that(U.shape[3] == tk::ceil_div(N, 64) * 64,
                 "axis 3 of `U` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                 {U.shape[3], tk::ceil_div(N, 64) * 64}),
        tk::that(Y.shape[3] == tk::ceil_div(N, 64) * 64,
                 "axis 3 of `Y` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                 {Y.shape[3], tk::ceil_div(N, 64) * 64}),
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
        tk::that(G.shape[2] == tk::ceil_div(N, 64) * 64,
                 "axis 2 of `G` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                 {G.shape[2], tk::ceil_div(N, 64) * 64}),
        tk::that(C.shape[2] == tk::ceil_div(N, 64) * 64,
                 "axis 2 of `C` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                 {C.shape[2], tk::ceil_div(N, 64) * 64}),
        tk::that(Query.shape[2] == tk::ceil_div(N, 64) * 64,
                 "axis 2 of `Query` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                 {Query.shape[2], tk::ceil_div(N, 64) * 64}),
        tk::that(Key.shape[2] == tk::ceil_div(N, 64) * 64,
                 "axis 2 of `Key` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                 {Key.shape[2], tk::ceil_div(N, 64) * 64}),
        tk::that(QueryPairs.shape[2] == tk::ceil_div(N, 64) * 64,
                 "axis 2 of `QueryPairs` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                 {QueryPairs.shape[2], tk::ceil_div(N, 64) * 64}),
        tk::that(KeyPairs.shape[2] == tk::ceil_div(N, 64) * 64,
                 "axis 2 of `KeyPairs` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                 {KeyPairs.shape[2], tk::ceil_div(N, 64) * 64}),
        tk::that(Own.shape[2] == tk::ceil_div(N, 64) * 64,
                 "axis 2 of `Own` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                 {Own.shape[2], tk::ceil_div(N, 64) * 64}),
        tk::that(Read.shape[2] == tk::ceil_div(N, 64) * 64,
                 "axis 2 of `Read` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                 {Read.shape[2], tk::ceil_div(N, 64) * 64}),
        tk::that(BetaKeys.shape[2] == tk::ceil_div(N, 64) * 64,
                 "axis 2 of `BetaKeys` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                 {BetaKeys.shape[2], tk::ceil_div(N, 64) * 64}),
        tk::that(BetaValues.shape[2] == tk::ceil_div(N, 64) * 64,
                 "axis 2 of `BetaValues` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                 {BetaValues.shape[2], tk::ceil_div(N, 64) * 64}),
        tk::that(Past.shape[1] == tk::ceil_div(N, 64),
                 "axis 1 of `Past` is {}; it must be `ceil_div(N, 64)`, which is {}",
                 {Past.shape[1], tk::ceil_div(N, 64)}), tk::suits_tma_load(Q),
        tk::suits_tma_load(K), tk::suits_tma_load(V), tk::suits_tma_load(dO), tk::suits_tma_load(U),
        tk::suits_tma_load(Y), tk::suits_tma_load(Before), tk::suits_tma_load(Behind),
        tk::suits_tma_load(G), tk::suits_tma_load(C), tk::suits_tma_store(dQ),
        tk::suits_tma_store(dK), tk::grid_fits(tk::multiply(tk::ceil_div(N, 64), H), 2147418112),
        tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 64), H), B), 2147418112),
        tk::fits("h*128", (H - 1) * 128)});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<chunks_kernel>(
        site, sizeof(chunks_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(N, 64), H), B), tk::box{K, {1, 64, 1, 64}, 128},
        tk::box{U, {1, 1, 128, 64}, 128}, tk::box{Y, {1, 1, 128, 64}, 128},
        tk::box{G, {1, 1, 64}, 0}, tk::box{C, {1, 1, 64}, 0}, tk::box{dO, {1, 64, 1, 64}, 128},
        tk::box{Q, {1, 64, 1, 64}, 128}, tk::box{Before, {1, 1, 128, 64}, 128},
        tk::box{Behind, {1, 1, 128, 64}, 128}, tk::box{V, {1, 64, 1, 64}, 128},
        tk::box{dQ, {1, 64, 1, 64}, 128}, tk::box{dK, {1, 64, 1, 64}, 128}, Query, Key, QueryPairs,
        KeyPairs, Own, Read, BetaKeys, BetaValues, Past, B, N, H, scale));
}
TK_NO_WORKSPACE(chunks, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, float)

int gate_gradients(
    const DLTensor* Query_given, const DLTensor* Key_given, const DLTensor* QueryPairs_given,
    const DLTensor* KeyPairs_given, const DLTensor* Own_given, const DLTensor* Read_given,
    const DLTensor* C_given, const DLTensor* BetaKeys_given, const DLTensor* BetaValues_given,
    const DLTensor* Past_given, const DLTensor* First_given, const DLTensor* Tokens_given,
    DLTensor* dGate_given, DLTensor* dBeta_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"gate_gradients"};
    const tk::tensor Query = call.take("Query", Query_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor Key = call.take("Key", Key_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor QueryPairs = call.take("QueryPairs", QueryPairs_given, tk::dtype_f32, 3,
                                            tk::access::read);
    const tk::tensor KeyPairs = call.take("KeyPairs", KeyPairs_given, tk::dtype_f32, 3,
                                          tk::access::read);
    const tk::tensor Own = call.take("Own", Own_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor Read = call.take("Read", Read_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor BetaKeys = call.take("BetaKeys", BetaKeys_given, tk::dtype_f32, 3,
                                          tk::access::read);
    const tk::tensor BetaValues = call.take("BetaValues", BetaValues_given, tk::dtype_f32, 3,
                                            tk::access::read);
    const tk::tensor Past = call.take("Past", Past_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor First = call.take("First", First_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Tokens = call.take("Tokens", Tokens_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor dGate = call.take("dGate", dGate_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor dBeta = call.take("dBeta", dBeta_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Query.shape[0];
    const int64_t H = Query.shape[1];
    const int64_t S = First.shape[0];
    const int64_t N = dGate.shape[1];
    call.require(
        {tk::same_extent("B", Query, 0, Key, 0), tk::same_extent("H", Query, 1, Key, 1),
         tk::same_extent("B", Query, 0, QueryPairs, 0),
         tk::same_extent("H", Query, 1, QueryPairs, 1), tk::same_extent("B", Query, 0, KeyPairs, 0),
         tk::same_extent("H", Query, 1, KeyPairs, 1), tk::same_extent("B", Query, 0, Own, 0),
         tk::same_extent("H", Query, 1, Own, 1), tk::same_extent("B", Query, 0, Read, 0),
         tk::same_extent("H", Query, 1, Read, 1), tk::same_extent("B", Query, 0, C, 0),
         tk::same_extent("H", Query, 1, C, 1), tk::same_extent("B", Query, 0, BetaKeys, 0),
         tk::same_extent("H", Query, 1, BetaKeys, 1), tk::same_extent("B", Query, 0, BetaValues, 0),
         tk::same_extent("H", Query, 1, BetaValues, 1), tk::same_extent("B", Query, 0, Past, 0),
         tk::same_extent("H", Query, 1, Past, 2), tk::same_extent("S", First, 0, Tokens, 0),
         tk::same_extent("B", Query, 0, dGate, 0), tk::same_extent("H", Query, 1, dGate, 2),
         tk::same_extent("B", Query, 0, dBeta, 0), tk::same_extent("N", dGate, 1, dBeta, 1),
         tk::same_extent("H", Query, 1, dBeta, 2),
         tk::extents_fit({{"B", B}, {"H", H}, {"S", S}, {"N", N}}),
         tk::that(Query.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `Query` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {Query.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(Key.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `Key` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {Key.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(QueryPairs.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `QueryPairs` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {QueryPairs.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(KeyPairs.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `KeyPairs` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {KeyPairs.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(Own.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `Own` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {Own.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(Read.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `Read` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {Read.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(C.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `C` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {C.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(BetaKeys.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `BetaKeys` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {BetaKeys.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(BetaValues.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `BetaValues` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {BetaValues.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(Past.shape[1] == tk::ceil_div(N, 64),
                  "axis 1 of `Past` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Past.shape[1], tk::ceil_div(N, 64)}),
         tk::grid_fits(tk::multiply(tk::ceil_div(H, 32), tk::ceil_div(N, 64)), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(H, 32), tk::ceil_div(N, 64)), B),
                       2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(tk::ceil_div(H, 32), tk::ceil_div(N, 64)),
                                          B);
    const bool fast = tk::hold(
        {tk::suits_fast(Query), tk::that(tk::ceil_div(N, 64) * 64 % 4 == 0), tk::suits_fast(Key),
         tk::suits_fast(QueryPairs), tk::suits_fast(KeyPairs), tk::suits_fast(Own),
         tk::suits_fast(Read), tk::suits_fast(C), tk::suits_fast(BetaKeys),
         tk::suits_fast(BetaValues), tk::suits_fast(dGate, "H"), tk::whole_vectors(dGate, 4),
         tk::suits_fast(dBeta, "H")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(tk::run<gate_gradients_kernel<3, 16, 4, true>>(
            site, sizeof(gate_gradients_shared), tk::kernel_shape(128).overlapping(), programs,
            Query, Key, QueryPairs, KeyPairs, Own, Read, C, BetaKeys, BetaValues, Past, dGate,
            dBeta, B, H, N));
    }
    return tk::finish(tk::run<gate_gradients_kernel<1, 32, 2, false>>(
        site, sizeof(gate_gradients_shared), tk::kernel_shape(128).overlapping(), programs, Query,
        Key, QueryPairs, KeyPairs, Own, Read, C, BetaKeys, BetaValues, Past, dGate, dBeta, B, H,
        N));
}
TK_NO_WORKSPACE(gate_gradients, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*)

int gated_delta_backward(
    const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
    const DLTensor* Gate_given, const DLTensor* Beta_given, const DLTensor* S0_given,
    const DLTensor* dO_given, const DLTensor* dState_given, const DLTensor* start_given,
    DLTensor* dQ_given, DLTensor* dK_given, DLTensor* dV_given, DLTensor* dGate_given,
    DLTensor* dBeta_given, DLTensor* dS0_given, DLTensor* First_given, DLTensor* Tokens_given,
    DLTensor* G_given, DLTensor* W_given, DLTensor* C_given, DLTensor* Inverse_given,
    DLTensor* U_given, DLTensor* Y_given, DLTensor* Before_given, DLTensor* Behind_given,
    DLTensor* Query_given, DLTensor* Key_given, DLTensor* QueryPairs_given,
    DLTensor* KeyPairs_given, DLTensor* Own_given, DLTensor* Read_given, DLTensor* BetaKeys_given,
    DLTensor* BetaValues_given, DLTensor* Past_given, float scale, void*, size_t,
    cudaStream_t stream) {
    tk::arguments call{"gated_delta_backward"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Gate = call.take("Gate", Gate_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor Beta = call.take("Beta", Beta_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dState = call.take("dState", dState_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor dQ = call.take("dQ", dQ_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dK = call.take("dK", dK_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dV = call.take("dV", dV_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dGate = call.take("dGate", dGate_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor dBeta = call.take("dBeta", dBeta_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor dS0 = call.take("dS0", dS0_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor First = call.take("First", First_given, tk::dtype_i32, 1, tk::access::write);
    const tk::tensor Tokens = call.take("Tokens", Tokens_given, tk::dtype_i32, 1,
                                        tk::access::write);
    const tk::tensor G = call.take("G", G_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor W = call.take("W", W_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor Inverse = call.take("Inverse", Inverse_given, tk::dtype_bf16, 4,
                                         tk::access::write);
    const tk::tensor U = call.take("U", U_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Before = call.take("Before", Before_given, tk::dtype_bf16, 4,
                                        tk::access::write);
    const tk::tensor Behind = call.take("Behind", Behind_given, tk::dtype_bf16, 4,
                                        tk::access::write);
    const tk::tensor Query = call.take("Query", Query_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor Key = call.take("Key", Key_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor QueryPairs = call.take("QueryPairs", QueryPairs_given, tk::dtype_f32, 3,
                                            tk::access::write);
    const tk::tensor KeyPairs = call.take("KeyPairs", KeyPairs_given, tk::dtype_f32, 3,
                                          tk::access::write);
    const tk::tensor Own = call.take("Own", Own_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor Read = call.take("Read", Read_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor BetaKeys = call.take("BetaKeys", BetaKeys_given, tk::dtype_f32, 3,
                                          tk::access::write);
    const tk::tensor BetaValues = call.take("BetaValues", BetaValues_given, tk::dtype_f32, 3,
                                            tk::access::write);
    const tk::tensor Past = call.take("Past", Past_given, tk::dtype_f32, 3, tk::access::write);
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
         tk::fixed_extent(V, 3, 128), tk::same_extent("B", Q, 0, Gate, 0),
         tk::same_extent("N", Q, 1, Gate, 1), tk::same_extent("H", Q, 2, Gate, 2),
         tk::same_extent("B", Q, 0, Beta, 0), tk::same_extent("N", Q, 1, Beta, 1),
         tk::same_extent("H", Q, 2, Beta, 2), tk::same_extent("H", Q, 2, S0, 1),
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
         tk::fixed_extent(dV, 3, 128), tk::same_extent("B", Q, 0, dGate, 0),
         tk::same_extent("N", Q, 1, dGate, 1), tk::same_extent("H", Q, 2, dGate, 2),
         tk::same_extent("B", Q, 0, dBeta, 0), tk::same_extent("N", Q, 1, dBeta, 1),
         tk::same_extent("H", Q, 2, dBeta, 2), tk::same_extent("H", Q, 2, dS0, 1),
         tk::fixed_extent(dS0, 2, 128), tk::fixed_extent(dS0, 3, 128),
         tk::same_extent("P", start, 0, First, 0), tk::same_extent("P", start, 0, Tokens, 0),
         tk::same_extent("B", Q, 0, G, 0), tk::same_extent("H", Q, 2, G, 1),
         tk::same_extent("B", Q, 0, W, 0), tk::same_extent("H", Q, 2, W, 1),
         tk::same_extent("B", Q, 0, C, 0), tk::same_extent("H", Q, 2, C, 1),
         tk::same_extent("B", Q, 0, Inverse, 0), tk::same_extent("H", Q, 2, Inverse, 1),
         tk::fixed_extent(Inverse, 3, 64), tk::same_extent("B", Q, 0, U, 0),
         tk::same_extent("H", Q, 2, U, 1), tk::fixed_extent(U, 2, 128),
         tk::same_extent("B", Q, 0, Y, 0), tk::same_extent("H", Q, 2, Y, 1),
         tk::fixed_extent(Y, 2, 128), tk::same_extent("B", Q, 0, Before, 0),
         tk::fixed_extent(Before, 3, 128), tk::same_extent("B", Q, 0, Behind, 0),
         tk::fixed_extent(Behind, 3, 128), tk::same_extent("B", Q, 0, Query, 0),
         tk::same_extent("H", Q, 2, Query, 1), tk::same_extent("B", Q, 0, Key, 0),
         tk::same_extent("H", Q, 2, Key, 1), tk::same_extent("B", Q, 0, QueryPairs, 0),
         tk::same_extent("H", Q, 2, QueryPairs, 1), tk::same_extent("B", Q, 0, KeyPairs, 0),
         tk::same_extent("H", Q, 2, KeyPairs, 1), tk::same_extent("B", Q, 0, Own, 0),
         tk::same_extent("H", Q, 2, Own, 1), tk::same_extent("B", Q, 0, Read, 0),
         tk::same_extent("H", Q, 2, Read, 1), tk::same_extent("B", Q, 0, BetaKeys, 0),
         tk::same_extent("H", Q, 2, BetaKeys, 1), tk::same_extent("B", Q, 0, BetaValues, 0),
         tk::same_extent("H", Q, 2, BetaValues, 1), tk::same_extent("B", Q, 0, Past, 0),
         tk::same_extent("H", Q, 2, Past, 2),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"J", J}, {"F", F}, {"P", P}, {"I", I}}),
         tk::that(G.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `G` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {G.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(W.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `W` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {W.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(C.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `C` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {C.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(Inverse.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `Inverse` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {Inverse.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(U.shape[3] == tk::ceil_div(N, 64) * 64,
                  "axis 3 of `U` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {U.shape[3], tk::ceil_div(N, 64) * 64}),
         tk::that(Y.shape[3] == tk::ceil_div(N, 64) * 64,
                  "axis 3 of `Y` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {Y.shape[3], tk::ceil_div(N, 64) * 64}),
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
         tk::that(Query.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `Query` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {Query.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(Key.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `Key` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {Key.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(QueryPairs.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `QueryPairs` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {QueryPairs.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(KeyPairs.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `KeyPairs` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {KeyPairs.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(Own.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `Own` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {Own.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(Read.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `Read` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {Read.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(BetaKeys.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `BetaKeys` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {BetaKeys.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(BetaValues.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `BetaValues` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {BetaValues.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(Past.shape[1] == tk::ceil_div(N, 64),
                  "axis 1 of `Past` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Past.shape[1], tk::ceil_div(N, 64)}),
         tk::that(P == 0, "`gated_delta_backward` requires `PACKED or P == 0`"),
         tk::that(I <= B, "`gated_delta_backward` requires `PACKED or I <= B`"),
         tk::that(J <= B, "`gated_delta_backward` requires `PACKED or J <= B`"),
         tk::that(F <= B, "`gated_delta_backward` requires `PACKED or F <= B`")});
    // gated_delta.gates(Gate, Beta, start, G, W, C)
    call.require({
        tk::that(tk::ceil_div(N, 64) * 64 < 2147221504,
                 "`ceil_div(N, 64)*64` is {}; extents must be less than 2147221504",
                 {tk::ceil_div(N, 64) * 64}),
        tk::grid_fits(tk::multiply(tk::ceil_div(H, 32), tk::ceil_div(tk::ceil_div(N, 64) * 64, 64)),
                      2147483648),
        tk::grid_fits(
            tk::multiply(
                tk::multiply(tk::ceil_div(H, 32), tk::ceil_div(tk::ceil_div(N, 64) * 64, 64)), B),
            2147483648)});
    // gated_delta_segments.inverses(K, G, C, First, Tokens, Inverse)
    call.require(
        {tk::suits_tma_load(K),
         tk::that(G.stride[2] == 1,
                  "neighbours in a row of `G` are {} elements apart; `tma_load` needs 1: pass a copy with dense rows, or use `load`",
                  {G.stride[2]}),
         tk::that(G.address % 16 == 0,
                  "`G` begins {} bytes past a multiple of 16; `tma_load` needs a multiple: pass a copy, or use `load`",
                  {tk::floor_mod(G.address, 16)}),
         tk::that(G.stride[1] % 4 == 0 && 0 < G.stride[1] && G.stride[1] < 274877906944,
                  "the rows of `G` start {} bytes apart; `tma_load` needs a positive multiple of 16: pad `ceil_div(N, 64)*64` to a multiple of 4, or use `load`",
                  {G.stride[1] * 4}),
         tk::that(G.stride[0] % 4 == 0 && 0 < G.stride[0] && G.stride[0] < 274877906944,
                  "neighbours along axis 0 of `G` are {} bytes apart; `tma_load` needs a positive multiple of 16: pad `ceil_div(N, 64)*64` to a multiple of 4, or use `load`",
                  {G.stride[0] * 4}),
         tk::that(C.stride[2] == 1,
                  "neighbours in a row of `C` are {} elements apart; `tma_load` needs 1: pass a copy with dense rows, or use `load`",
                  {C.stride[2]}),
         tk::that(C.address % 16 == 0,
                  "`C` begins {} bytes past a multiple of 16; `tma_load` needs a multiple: pass a copy, or use `load`",
                  {tk::floor_mod(C.address, 16)}),
         tk::that(C.stride[1] % 4 == 0 && 0 < C.stride[1] && C.stride[1] < 274877906944,
                  "the rows of `C` start {} bytes apart; `tma_load` needs a positive multiple of 16: pad `ceil_div(N, 64)*64` to a multiple of 4, or use `load`",
                  {C.stride[1] * 4}),
         tk::that(C.stride[0] % 4 == 0 && 0 < C.stride[0] && C.stride[0] < 274877906944,
                  "neighbours along axis 0 of `C` are {} bytes apart; `tma_load` needs a positive multiple of 16: pad `ceil_div(N, 64)*64` to a multiple of 4, or use `load`",
                  {C.stride[0] * 4}), tk::suits_tma_store(Inverse),
         tk::grid_fits(tk::multiply(tk::ceil_div(H, 2), tk::ceil_div(tk::ceil_div(N, 64) * 64, 64)),
                       2147418112),
         tk::grid_fits(
             tk::multiply(
                 tk::multiply(tk::ceil_div(H, 2), tk::ceil_div(tk::ceil_div(N, 64) * 64, 64)), B),
             2147418112)});
    // before(K, V, Inverse, G, W, C, S0, start, U, Before)
    call.require(
        {tk::suits_tma_load(V), tk::suits_tma_load(W), tk::suits_tma_store(U),
         tk::suits_tma_store(Before), tk::grid_fits(2 * H, 2147483648),
         tk::grid_fits(tk::multiply(2 * H, B), 2147483648), tk::fits("h*128", (H - 1) * 128),
         tk::fits("h*128 + c.start", (H - 1) * 128 + 127)});
    // behind(Q, K, dO, Inverse, G, W, C, dState, start, Y, Behind, dV, dS0, scale)
    call.require(
        {tk::suits_tma_load(Q), tk::suits_tma_load(dO), tk::suits_tma_store(Y),
         tk::suits_tma_store(Behind), tk::suits_tma_store(dV)});
    // chunks(Q, K, V, dO, U, Y, Before, Behind, G, C, First, Tokens, dQ, dK, Query, Key,
    // QueryPairs, KeyPairs, Own, Read, BetaKeys, BetaValues, Past, scale)
    call.require(
        {tk::suits_tma_store(dQ), tk::suits_tma_store(dK),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 64), H), 2147418112),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 64), H), B), 2147418112)});
    // gate_gradients(Query, Key, QueryPairs, KeyPairs, Own, Read, C, BetaKeys, BetaValues, Past,
    // First, Tokens, dGate, dBeta)
    call.require(
        {tk::grid_fits(tk::multiply(tk::ceil_div(H, 32), tk::ceil_div(N, 64)), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(H, 32), tk::ceil_div(N, 64)), B),
                       2147483648)});
    if (!call.ok()) return tk::finish(call.result());

    // gated_delta.gates(Gate, Beta, start, G, W, C)
    const bool choice_2 = tk::hold(
        {tk::suits_fast(Gate, "H"), tk::whole_vectors(Gate, 4), tk::suits_fast(Beta, "H"),
         tk::that(G.stride[2] == 1), tk::that(G.address % 16 == 0),
         tk::that(G.stride[1] % 4 == 0 && 0 < G.stride[1] && G.stride[1] < 274877906944),
         tk::that(G.stride[0] % 4 == 0 && 0 < G.stride[0] && G.stride[0] < 274877906944),
         tk::that(W.stride[2] == 1), tk::that(W.address % 16 == 0),
         tk::that(W.stride[1] % 4 == 0 && 0 < W.stride[1] && W.stride[1] < 274877906944),
         tk::that(W.stride[0] % 4 == 0 && 0 < W.stride[0] && W.stride[0] < 274877906944),
         tk::that(C.stride[2] == 1), tk::that(C.address % 16 == 0),
         tk::that(C.stride[1] % 4 == 0 && 0 < C.stride[1] && C.stride[1] < 274877906944),
         tk::that(C.stride[0] % 4 == 0 && 0 < C.stride[0] && C.stride[0] < 274877906944)});

    // gate_gradients(Query, Key, QueryPairs, KeyPairs, Own, Read, C, BetaKeys, BetaValues, Past,
    // First, Tokens, dGate, dBeta)
    const bool choice_7 = tk::hold(
        {tk::suits_fast(Query), tk::suits_fast(Key), tk::suits_fast(QueryPairs),
         tk::suits_fast(KeyPairs), tk::suits_fast(Own), tk::suits_fast(Read), tk::suits_fast(C),
         tk::suits_fast(BetaKeys), tk::suits_fast(BetaValues), tk::suits_fast(dGate, "H"),
         tk::whole_vectors(dGate, 4), tk::suits_fast(dBeta, "H")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    TK_FINISH_IF_FAILED(launch_packed_chunks_packed_chunks(site, start, First, Tokens, P, P));
    if (choice_2) {
        TK_FINISH_IF_FAILED(launch_gated_delta_gates_T_f32_PACKED_false_ROUND_64(
            site, Gate, Beta, G, W, C, B, N, H, tk::ceil_div(N, 64) * 64));
    } else {
        TK_FINISH_IF_FAILED(launch_gated_delta_gates_T_f32_PACKED_false_ROUND_64_general(
            site, Gate, Beta, G, W, C, B, N, H, tk::ceil_div(N, 64) * 64));
    }
    TK_FINISH_IF_FAILED(launch_gated_delta_segments_inverses_T_bf16_DK_128_PACKED_false(
        site, K, tk::read_only(G), tk::read_only(C), Inverse, B, N, H, tk::ceil_div(N, 64) * 64));
    TK_FINISH_IF_FAILED(
        launch_before(site, K, V, tk::read_only(Inverse), tk::read_only(G), tk::read_only(W),
                      tk::read_only(C), S0, U, Before, B, N, H, J));
    TK_FINISH_IF_FAILED(
        launch_behind(site, Q, K, dO, tk::read_only(Inverse), tk::read_only(G), tk::read_only(W),
                      tk::read_only(C), dState, Y, Behind, dV, dS0, B, N, H, F, I, scale));
    TK_FINISH_IF_FAILED(
        launch_chunks(site, Q, K, V, dO, tk::read_only(U), tk::read_only(Y), tk::read_only(Before),
                      tk::read_only(Behind), tk::read_only(G), tk::read_only(C), dQ, dK, Query, Key,
                      QueryPairs, KeyPairs, Own, Read, BetaKeys, BetaValues, Past, B, N, H, scale));
    if (choice_7) {
        TK_FINISH_IF_FAILED(launch_gate_gradients(
            site, tk::read_only(Query), tk::read_only(Key), tk::read_only(QueryPairs),
            tk::read_only(KeyPairs), tk::read_only(Own), tk::read_only(Read), tk::read_only(C),
            tk::read_only(BetaKeys), tk::read_only(BetaValues), tk::read_only(Past), dGate, dBeta,
            B, H, N));
    } else {
        TK_FINISH_IF_FAILED(launch_gate_gradients_general(
            site, tk::read_only(Query), tk::read_only(Key), tk::read_only(QueryPairs),
            tk::read_only(KeyPairs), tk::read_only(Own), tk::read_only(Read), tk::read_only(C),
            tk::read_only(BetaKeys), tk::read_only(BetaValues), tk::read_only(Past), dGate, dBeta,
            B, H, N));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(gated_delta_backward, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, float)
}  // extern "C"
