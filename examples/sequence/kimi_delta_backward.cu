// Made by tkc from kimi_delta_backward.tk: change that, and not this.
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
// 256 threads, 255 registers each at first, 116928 bytes of shared memory.
struct before_shared {
    tk::shared_tile<tk::bf16, 64, 128> ks_tile[2];
    tk::shared_tile<tk::bf16, 64, 128> rs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> vs_tile[2];
    tk::shared_tile<float, 1, 64> betas_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> ts_tile[2];
    tk::shared_tile<float, 1, 128> lefts_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> state_Before[2];
    tk::pipeline<2> ks;
    tk::pipeline<2> rs;
    tk::pipeline<2> vs;
    tk::pipeline<2> betas;
    tk::pipeline<2> ts;
    tk::pipeline<2> lefts;
};
static_assert(offsetof(before_shared, lefts) == 116896);

__global__ void __launch_bounds__(256, 1) before_kernel(
    const __grid_constant__ CUtensorMap Keys_map, const __grid_constant__ CUtensorMap V_map,
    const __grid_constant__ CUtensorMap C_map, const __grid_constant__ CUtensorMap Inverse_map,
    const __grid_constant__ CUtensorMap Left_map, const __grid_constant__ CUtensorMap Rest_map,
    const __grid_constant__ CUtensorMap Before_map, const __grid_constant__ CUtensorMap U_map,
    const tk::tensor_argument<const float, 4> S0, int B, int N, int H, int J) {
    extern __shared__ __align__(1024) unsigned char memory[];
    before_shared& shared = *reinterpret_cast<before_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Keys_map, V_map, C_map, Inverse_map, Left_map, Rest_map, Before_map,
                              U_map);
        shared.ks.init(1, 4);
        shared.rs.init(1, 4);
        shared.vs.init(1, 4);
        shared.betas.init(1, 4);
        shared.ts.init(1, 4);
        shared.lefts.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 4) {
        // kimi_delta_backward.tk:47: role producer(1 warp) {
        tk::registers_at_most<240>();
        if (warp == 4 && tk::elect_one()) {
            tk::cursor<2> betas_next, ks_next, lefts_next, rs_next, ts_next, vs_next;
            const int program = blockIdx.x;
            const int c = program % 2 * 64;
            const int h = program / 2 % H;
            const int b = program / (2 * H);

            // kimi_delta_backward.tk:35: let at    = if PACKED { 0 } else { b };
            const int at = b;

            // kimi_delta_backward.tk:37: let end   = if PACKED { (start[b + 1] // L + b + 1) * L ..
            const int end = N;

            // kimi_delta_backward.tk:48: for t in first..end by L {
            #pragma unroll 1
            for (int t = 0; t < end; t += 64) {
                // kimi_delta_backward.tk:49: produce ks = tma_load(Keys[at, t, h, :]);
                shared.ks.begin(ks_next, 16384);
                tk::tma_load(shared.ks_tile[ks_next.stage], Keys_map, shared.ks.full[ks_next.stage],
                             at, t, h, 0);
                ks_next.advance();

                // kimi_delta_backward.tk:50: produce vs = tma_load(V[at, t, h, c]);
                shared.vs.begin(vs_next, 8192);
                tk::tma_load(shared.vs_tile[vs_next.stage], V_map, shared.vs.full[vs_next.stage],
                             at, t, h, c);
                vs_next.advance();

                // kimi_delta_backward.tk:51: produce betas = tma_load(Cb[t]);
                shared.betas.begin(betas_next, 256);
                tk::tma_load(shared.betas_tile[betas_next.stage], C_map,
                             shared.betas.full[betas_next.stage], at, h, t);
                betas_next.advance();

                // kimi_delta_backward.tk:52: produce ts = tma_load(Tb[t, :]) allow_foreign;
                shared.ts.begin(ts_next, 8192);
                tk::tma_load(shared.ts_tile[ts_next.stage], Inverse_map,
                             shared.ts.full[ts_next.stage], at, h, t, 0);
                ts_next.advance();

                // kimi_delta_backward.tk:53: produce lefts = tma_load(Left[at, h, t.start // L, ..
                shared.lefts.begin(lefts_next, 512);
                tk::tma_load(shared.lefts_tile[lefts_next.stage], Left_map,
                             shared.lefts.full[lefts_next.stage], at, h, t / 64, 0);
                lefts_next.advance();

                // kimi_delta_backward.tk:54: produce rs = tma_load(Rest[at, t, h, :]);
                shared.rs.begin(rs_next, 16384);
                tk::tma_load(shared.rs_tile[rs_next.stage], Rest_map, shared.rs.full[rs_next.stage],
                             at, t, h, 0);
                rs_next.advance();
            }
        }
    } else {
        // kimi_delta_backward.tk:57: role state(1 warpgroup) {
        tk::registers_at_most<240>();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> ks_next;
        const int program = blockIdx.x;
        const int c = program % 2 * 64;
        const int h = program / 2 % H;
        const int b = program / (2 * H);

        // kimi_delta_backward.tk:35: let at    = if PACKED { 0 } else { b };
        const int at = b;

        // kimi_delta_backward.tk:37: let end   = if PACKED { (start[b + 1] // L + b + 1) * L } ..
        const int end = N;

        // kimi_delta_backward.tk:58: var s: f32[BV, DK] = load(S0[b, h, c, :]);
        tk::fragment<float, 64, 128> s;
        tk::load_global(s, tk::slice(S0, {b, h, c, 0}, b < J ? 128 - c : 0, 128), thread);

        // kimi_delta_backward.tk:59: for t in first..end by L {
        tk::fragment<tk::bf16, 64, 64> t5;
        for (int t = 0; t < end; t += 64) {
            // kimi_delta_backward.tk:60: let x = T(s);
            tk::fragment<tk::bf16, 64, 128> x = tk::convert<tk::bf16>(s);

            // kimi_delta_backward.tk:61: let y = mma(x, (consume ks).T);
            const tk::cursor<2> ks_element = shared.ks.take(ks_next);
            tk::fragment<float, 64, 64> y;
            tk::mma_async(y, x, tk::transposed(shared.ks_tile[ks_element.stage]),
                          tk::accumulate_never{});

            // kimi_delta_backward.tk:62: let v = consume vs;
            shared.vs.wait_full(ks_element);

            // kimi_delta_backward.tk:63: let beta = consume betas;
            shared.betas.wait_full(ks_element);

            // kimi_delta_backward.tk:64: let i = consume ts;
            shared.ts.wait_full(ks_element);

            // kimi_delta_backward.tk:65: let left = consume lefts;
            shared.lefts.wait_full(ks_element);

            // kimi_delta_backward.tk:66: let u = kimi_delta.update(inout s, y, v.T, i, consume ..
            shared.rs.wait_full(ks_element);

            // kimi_delta.tk:43: var u = v * beta;
            tk::fragment<tk::bf16, 64, 64> t3;
            tk::load_transposed(t3, shared.vs_tile[ks_element.stage], thread);
            shared.vs.release_after_loads(ks_element);
            tk::row_fragment<float, 64> t0;
            tk::load_shared(t0, shared.betas_tile[ks_element.stage], thread);
            tk::fragment<float, 64, 64> u;
            tk::map(u, [](tk::bf16 t3, float t0) { return float(t3) * t0; }, t3, t0);

            // kimi_delta.tk:44: u -= y * beta;
            tk::hold_waits(warp);
            tk::mma_wait<0>(y, x);
            shared.ks.release(ks_element);
            tk::row_fragment<float, 64> t1;
            tk::load_shared(t1, shared.betas_tile[ks_element.stage], thread);
            shared.betas.release_after_loads(ks_element);
            tk::map(u, [](float u, float y, float t1) { return tk::fma(-y, t1, u); }, u, y, t1);

            // kimi_delta.tk:45: u = pad(u, axis = 1, with = 0);
            if (!(t + 64 <= N)) {
                tk::map(u, thread, [&](int, int col, float u) { return col < N - t ? u : 0.0f; },
                        u);
            }

            // kimi_delta.tk:46: u += mma(T(u), x.T);
            tk::fragment<tk::bf16, 64, 64> t4 = tk::convert<tk::bf16>(u);
            tk::mma_async(u, t4, tk::transposed(shared.ts_tile[ks_element.stage]));

            // kimi_delta.tk:47: s *= left;
            const auto t7 = tk::in_place(shared.lefts_tile[ks_element.stage], thread);
            tk::map(s, [](float s, float t7) { return s * t7; }, s, t7);
            // kimi_delta_backward.tk:65
            tk::hold_waits(warp);
            shared.lefts.release_after_loads(ks_element);
            tk::mma_wait<0>(u, t4);
            shared.ts.release(ks_element);

            // kimi_delta.tk:48: s += mma(T(pad(u, axis = 1, with = 0)), k);
            if (t + 64 <= N) {
                t5 = tk::convert<tk::bf16>(u);
            } else {
                tk::map(t5, thread, [&](int, int col, float u) { return col < N - t ? u : 0.0f; },
                        u);
            }
            tk::mma_async(s, t5, shared.rs_tile[ks_element.stage]);

            // kimi_delta_backward.tk:67: tma_store(Before[at, t.start // L, h * DV + c.start +: ..
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                tk::store_shared(shared.state_Before[panel / 64 % 2],
                                 tk::window<64, 64>(x, 0, panel), thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if (leader) {
                    tk::tma_store(Before_map, shared.state_Before[panel / 64 % 2], at, t / 64,
                                  h * 128 + c, panel);
                }
            }
            tk::mma_wait<0>(s, t5);
            shared.rs.release(ks_element);

            // kimi_delta_backward.tk:68: tma_store(U[at, h, c, t.start +: L], T(pad(u, axis = 1, ..
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                tk::store_shared(shared.state_Before[panel / 64 % 2], t5, thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if (leader) {
                    tk::tma_store(U_map, shared.state_Before[panel / 64 % 2], at, h, c, t + panel);
                }
            }
        }

        if (leader) tk::tma_store_wait_read<0>();
    }
}

// behind: kernel behind with T = bf16, DK = 128, DV = 128, BV = 64, PACKED = false, L = 64.
// producer: 1 warp, 240 registers a thread; state: 1 warpgroup, 240 registers a thread.
// 256 threads, 255 registers each at first, 166144 bytes of shared memory.
struct behind_shared {
    tk::shared_tile<tk::bf16, 64, 128> rs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> os_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> ws_tile[2];
    tk::shared_tile<float, 1, 128> lefts_tile[2];
    tk::shared_tile<tk::bf16, 64, 128> qs_tile[2];
    tk::shared_tile<float, 1, 64> betas_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> ts_tile[2];
    tk::shared_tile<tk::bf16, 64, 128> ks_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> state_Behind[2];
    tk::pipeline<2> rs;
    tk::pipeline<2> os;
    tk::pipeline<2> ws;
    tk::pipeline<2> lefts;
    tk::pipeline<2> qs;
    tk::pipeline<2> betas;
    tk::pipeline<2> ts;
    tk::pipeline<2> ks;
};
static_assert(offsetof(behind_shared, ks) == 166112);

__global__ void __launch_bounds__(256, 1) behind_kernel(
    const __grid_constant__ CUtensorMap Rest_map, const __grid_constant__ CUtensorMap dO_map,
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap Left_map,
    const __grid_constant__ CUtensorMap C_map, const __grid_constant__ CUtensorMap Inverse_map,
    const __grid_constant__ CUtensorMap Keys_map, const __grid_constant__ CUtensorMap Queries_map,
    const __grid_constant__ CUtensorMap Behind_map, const __grid_constant__ CUtensorMap Y_map,
    const __grid_constant__ CUtensorMap dV_map, const tk::tensor_argument<const float, 4> dState,
    const tk::tensor_argument<float, 4> dS0, int B, int N, int H, int F, int M, int I) {
    extern __shared__ __align__(1024) unsigned char memory[];
    behind_shared& shared = *reinterpret_cast<behind_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Rest_map, dO_map, A_map, Left_map, C_map, Inverse_map, Keys_map,
                              Queries_map, Behind_map, Y_map, dV_map);
        shared.rs.init(1, 4);
        shared.os.init(1, 4);
        shared.ws.init(1, 4);
        shared.lefts.init(1, 4);
        shared.qs.init(1, 4);
        shared.betas.init(1, 4);
        shared.ts.init(1, 4);
        shared.ks.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 4) {
        // kimi_delta_backward.tk:99: role producer(1 warp) {
        tk::registers_at_most<240>();
        if (warp == 4 && tk::elect_one()) {
            tk::cursor<2> betas_next, ks_next, lefts_next, os_next, qs_next, rs_next, ts_next, ws_next;
            const int program = blockIdx.x;
            const int c = program % 2 * 64;
            const int h = program / 2 % H;
            const int b = program / (2 * H);

            // kimi_delta_backward.tk:83: let at    = if PACKED { 0 } else { b };
            const int at = b;

            // kimi_delta_backward.tk:86: let end   = if PACKED { (start[b + 1] // L + b + 1) * L ..
            const int end = N;

            // kimi_delta_backward.tk:100: for t in reversed first..end by L {
            #pragma unroll 1
            for (int t = (tk::divide_up(end, 64) - 1) * 64; t >= 0; t -= 64) {
                // kimi_delta_backward.tk:101: produce rs = tma_load(Rest[at, t, h, :]);
                shared.rs.begin(rs_next, 16384);
                tk::tma_load(shared.rs_tile[rs_next.stage], Rest_map, shared.rs.full[rs_next.stage],
                             at, t, h, 0);
                rs_next.advance();

                // kimi_delta_backward.tk:102: produce os = tma_load(dO[at, t, h, c]);
                shared.os.begin(os_next, 8192);
                tk::tma_load(shared.os_tile[os_next.stage], dO_map, shared.os.full[os_next.stage],
                             at, t, h, c);
                os_next.advance();

                // kimi_delta_backward.tk:103: produce ws = tma_load(A[at, h, t.start +: L, :]);
                shared.ws.begin(ws_next, 8192);
                tk::tma_load(shared.ws_tile[ws_next.stage], A_map, shared.ws.full[ws_next.stage],
                             at, h, t, 0);
                ws_next.advance();

                // kimi_delta_backward.tk:104: produce lefts = tma_load(Left[at, h, t.start // L, ..
                shared.lefts.begin(lefts_next, 512);
                tk::tma_load(shared.lefts_tile[lefts_next.stage], Left_map,
                             shared.lefts.full[lefts_next.stage], at, h, t / 64, 0);
                lefts_next.advance();

                // kimi_delta_backward.tk:105: produce betas = tma_load(Cb[t]);
                shared.betas.begin(betas_next, 256);
                tk::tma_load(shared.betas_tile[betas_next.stage], C_map,
                             shared.betas.full[betas_next.stage], at, h, t);
                betas_next.advance();

                // kimi_delta_backward.tk:106: produce ts = tma_load(Tb[t, :]) allow_foreign;
                shared.ts.begin(ts_next, 8192);
                tk::tma_load(shared.ts_tile[ts_next.stage], Inverse_map,
                             shared.ts.full[ts_next.stage], at, h, t, 0);
                ts_next.advance();

                // kimi_delta_backward.tk:107: produce ks = tma_load(Keys[at, t, h, :]);
                shared.ks.begin(ks_next, 16384);
                tk::tma_load(shared.ks_tile[ks_next.stage], Keys_map, shared.ks.full[ks_next.stage],
                             at, t, h, 0);
                ks_next.advance();

                // kimi_delta_backward.tk:108: produce qs = tma_load(Queries[at, t, h, :]);
                shared.qs.begin(qs_next, 16384);
                tk::tma_load(shared.qs_tile[qs_next.stage], Queries_map,
                             shared.qs.full[qs_next.stage], at, t, h, 0);
                qs_next.advance();
            }
        }
    } else {
        // kimi_delta_backward.tk:111: role state(1 warpgroup) {
        tk::registers_at_most<240>();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> rs_next;
        const int program = blockIdx.x;
        const int c = program % 2 * 64;
        const int h = program / 2 % H;
        const int b = program / (2 * H);

        // kimi_delta_backward.tk:83: let at    = if PACKED { 0 } else { b };
        const int at = b;

        // kimi_delta_backward.tk:86: let end   = if PACKED { (start[b + 1] // L + b + 1) * L } ..
        const int end = N;

        // kimi_delta_backward.tk:112: var r: f32[BV, DK] = load(dState[b, h, c, :]);
        tk::fragment<float, 64, 128> r;
        tk::load_global(r, tk::slice(dState, {b, h, c, 0}, b < F ? 128 - c : 0, 128), thread);

        // kimi_delta_backward.tk:113: for t in reversed first..end by L {
        tk::fragment<tk::bf16, 64, 64> t3;
        for (int t = (tk::divide_up(end, 64) - 1) * 64; t >= 0; t -= 64) {
            // kimi_delta_backward.tk:114: let x = T(r);
            tk::fragment<tk::bf16, 64, 128> x = tk::convert<tk::bf16>(r);

            // kimi_delta_backward.tk:115: var y = mma(x, (consume rs).T);
            const tk::cursor<2> rs_element = shared.rs.take(rs_next);
            tk::fragment<float, 64, 64> y;
            tk::mma_async(y, x, tk::transposed(shared.rs_tile[rs_element.stage]),
                          tk::accumulate_never{});

            // kimi_delta_backward.tk:116: let o = consume os;
            shared.os.wait_full(rs_element);

            // kimi_delta_backward.tk:117: y += mma(o.T, consume ws);
            shared.ws.wait_full(rs_element);
            tk::mma_async(y, tk::transposed(shared.os_tile[rs_element.stage]),
                          shared.ws_tile[rs_element.stage]);
            tk::mma_wait<0>(y, x);
            shared.rs.release(rs_element);
            shared.ws.release(rs_element);

            // kimi_delta_backward.tk:118: y = pad(y, axis = 1, with = 0);
            if (!(t + 64 <= N)) {
                tk::map(y, thread, [&](int, int col, float y) { return col < N - t ? y : 0.0f; },
                        y);
            }

            // kimi_delta_backward.tk:119: y += mma(T(y), consume ts);
            tk::fragment<tk::bf16, 64, 64> t2 = tk::convert<tk::bf16>(y);
            shared.ts.wait_full(rs_element);
            tk::mma_async(y, t2, shared.ts_tile[rs_element.stage]);

            // kimi_delta_backward.tk:120: r *= consume lefts;
            shared.lefts.wait_full(rs_element);
            const auto t0 = tk::in_place(shared.lefts_tile[rs_element.stage], thread);
            tk::map(r, [](float r, float t0) { return r * t0; }, r, t0);
            shared.lefts.release_after_loads(rs_element);

            // kimi_delta_backward.tk:121: r += mma(o.T, consume qs);
            shared.qs.wait_full(rs_element);
            tk::mma_async(r, tk::transposed(shared.os_tile[rs_element.stage]),
                          shared.qs_tile[rs_element.stage]);

            // kimi_delta_backward.tk:122: let z = y * (consume betas);
            shared.betas.wait_full(rs_element);
            tk::mma_wait<1>(y, t2);
            shared.ts.release(rs_element);
            tk::row_fragment<float, 64> t1;
            tk::load_shared(t1, shared.betas_tile[rs_element.stage], thread);
            shared.betas.release_after_loads(rs_element);
            tk::fragment<float, 64, 64> z;
            tk::map(z, [](float y, float t1) { return y * t1; }, y, t1);

            // kimi_delta_backward.tk:123: r += mma(T(pad(-z, axis = 1, with = 0)), consume ks);
            if (t + 64 <= N) {
                tk::map(t3, [](float z) { return -z; }, z);
            } else {
                tk::map(t3, thread, [&](int, int col, float z) { return col < N - t ? -z : 0.0f; },
                        z);
            }
            shared.ks.wait_full(rs_element);
            tk::mma_async(r, t3, shared.ks_tile[rs_element.stage]);

            // kimi_delta_backward.tk:124: tma_store(Behind[at, t.start // L, h * DV + c.start +: ..
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

            // kimi_delta_backward.tk:125: tma_store(Y[at, t, h, c], T(y).T);
            tk::fragment<tk::bf16, 64, 64> t4 = tk::convert<tk::bf16>(y);
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                tk::store_transposed(shared.state_Behind[panel / 64 % 2], t4, thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if (leader) {
                    tk::tma_store(Y_map, shared.state_Behind[panel / 64 % 2], at, t, h, c + panel);
                }
            }

            // kimi_delta_backward.tk:126: if PACKED { store(dVb[t.start - first +: L, h, c], ..
            tk::hold_waits(warp);
            tk::fragment<tk::bf16, 64, 64> t6 = tk::convert<tk::bf16>(z);
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                tk::store_transposed(shared.state_Behind[panel / 64 % 2], t6, thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if (leader) {
                    tk::tma_store(dV_map, shared.state_Behind[panel / 64 % 2], b, t, h, c + panel);
                }
            }
            tk::mma_wait<0>(r, t3);
            shared.qs.release(rs_element);
            shared.os.release(rs_element);
            shared.ks.release(rs_element);
        }

        // kimi_delta_backward.tk:128: store(dS0[b, h, c, :], r);
        tk::store_global(tk::slice(dS0, {b, h, c, 0}, b < I ? 128 - c : 0, 128), r, thread);

        if (leader) tk::tma_store_wait_read<0>();
    }
}

// chunks: kernel chunks with T = bf16, TG = f16, TDG = f16, TB = f32, DK = 128, DV = 128, L = 64.
// producer: 1 warp, 24 registers a thread; queries: 1 warpgroup, 240 registers a thread; keys: 1
// warpgroup, 240 registers a thread.
// 384 threads, 168 registers each at first, 216256 bytes of shared memory; persistent.
struct chunks_shared {
    tk::shared_tile<tk::bf16, 64, 128> ys_tile[1];
    tk::shared_tile<tk::bf16, 128, 64> us_tile[1];
    tk::shared_tile<tk::bf16, 64, 128> os_tile[1];
    tk::shared_tile<tk::f16, 64, 64> gs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> ks_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> qs_tile[1];
    tk::shared_tile<tk::bf16, 128, 64> befores_tile[1];
    tk::shared_tile<tk::bf16, 128, 64> behinds_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> ws_q[1];
    tk::shared_tile<tk::bf16, 64, 64> ws_k[1];
    tk::shared_tile<float, 64, 64> handed_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_s[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_r[1];
    tk::shared_tile<float, 4, 1> queries_f32_rows_1[1];
    tk::shared_tile<tk::bf16, 64, 64> keys_s[1];
    tk::shared_tile<tk::bf16, 64, 64> keys_m[1];
    tk::shared_tile<float, 1, 64> keys_row[1];
    tk::shared_tile<float, 4, 64> keys_f32_rows_64[1];
    tk::shared_tile<float, 4, 1> keys_f32_rows_1[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_dQ[1];
    tk::shared_tile<tk::bf16, 64, 64> keys_dK[1];
    tk::shared_tile<tk::f16, 64, 64> keys_dG[1];
    tk::pipeline<1> ys;
    tk::pipeline<1> us;
    tk::pipeline<1> os;
    tk::pipeline<2> gs;
    tk::pipeline<2> ks;
    tk::pipeline<1> qs;
    tk::pipeline<1> befores;
    tk::pipeline<1> behinds;
    tk::pipeline<1> ws;
    tk::pipeline<1> handed;
};
static_assert(offsetof(chunks_shared, handed) == 216240);

__global__ void __launch_bounds__(384, 1) chunks_kernel(
    const __grid_constant__ CUtensorMap Y_map, const __grid_constant__ CUtensorMap U_map,
    const __grid_constant__ CUtensorMap dO_map, const __grid_constant__ CUtensorMap G_map,
    const __grid_constant__ CUtensorMap K_map, const __grid_constant__ CUtensorMap Q_map,
    const __grid_constant__ CUtensorMap Before_map, const __grid_constant__ CUtensorMap Behind_map,
    const __grid_constant__ CUtensorMap dQ_map, const __grid_constant__ CUtensorMap dK_map,
    const __grid_constant__ CUtensorMap dG_map, const tk::tensor_argument<const float, 3> Beta,
    const tk::tensor_argument<float, 4> Read, int B, int N, int H, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    chunks_shared& shared = *reinterpret_cast<chunks_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Y_map, U_map, dO_map, G_map, K_map, Q_map, Before_map, Behind_map,
                              dQ_map, dK_map, dG_map);
        shared.ys.init(1, 4);
        shared.us.init(1, 8);
        shared.os.init(1, 4);
        shared.gs.init(1, 8);
        shared.ks.init(1, 8);
        shared.qs.init(1, 8);
        shared.befores.init(1, 8);
        shared.behinds.init(1, 4);
        shared.ws.init(4, 8);
        shared.handed.init(4, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // kimi_delta_backward.tk:167: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int t_tiles = tk::tiles(N, 64);
        const int programs = 2 * t_tiles * H * B;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<1> befores_next, behinds_next, os_next, qs_next, us_next, ys_next;
            tk::cursor<2> gs_next, ks_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int c = program % 2 * 64;
                const int t = program / 2 % t_tiles * 64;
                const int h = program / (2 * t_tiles) % H;
                const int b = program / (2 * t_tiles * H);

                // kimi_delta_backward.tk:168: produce ys = tma_load(Y[b, t, h, :]);
                shared.ys.begin(ys_next, 16384);
                tk::tma_load(shared.ys_tile[ys_next.stage], Y_map, shared.ys.full[ys_next.stage], b,
                             t, h, 0);
                ys_next.advance();

                // kimi_delta_backward.tk:169: produce us = tma_load(U[b, h, :, t.start +: L]);
                shared.us.begin(us_next, 16384);
                tk::tma_load(shared.us_tile[us_next.stage], U_map, shared.us.full[us_next.stage], b,
                             h, 0, t);
                us_next.advance();

                // kimi_delta_backward.tk:170: produce os = tma_load(dO[b, t, h, :]);
                shared.os.begin(os_next, 16384);
                tk::tma_load(shared.os_tile[os_next.stage], dO_map, shared.os.full[os_next.stage],
                             b, t, h, 0);
                os_next.advance();

                // kimi_delta_backward.tk:171: produce gs = tma_load(G[b, t, h, c]);
                shared.gs.begin(gs_next, 8192);
                tk::tma_load(shared.gs_tile[gs_next.stage], G_map, shared.gs.full[gs_next.stage], b,
                             t, h, c);
                gs_next.advance();

                // kimi_delta_backward.tk:172: produce ks = tma_load(K[b, t, h, c]);
                shared.ks.begin(ks_next, 8192);
                tk::tma_load(shared.ks_tile[ks_next.stage], K_map, shared.ks.full[ks_next.stage], b,
                             t, h, c);
                ks_next.advance();

                // kimi_delta_backward.tk:173: produce qs = tma_load(Q[b, t, h, c]);
                shared.qs.begin(qs_next, 8192);
                tk::tma_load(shared.qs_tile[qs_next.stage], Q_map, shared.qs.full[qs_next.stage], b,
                             t, h, c);
                qs_next.advance();

                // kimi_delta_backward.tk:174: produce befores = tma_load(Before[b, t.index, h * ..
                shared.befores.begin(befores_next, 16384);
                tk::tma_load(shared.befores_tile[befores_next.stage], Before_map,
                             shared.befores.full[befores_next.stage], b, t / 64, h * 128, c);
                befores_next.advance();

                // kimi_delta_backward.tk:175: produce behinds = tma_load(Behind[b, t.index, h * ..
                shared.behinds.begin(behinds_next, 16384);
                tk::tma_load(shared.behinds_tile[behinds_next.stage], Behind_map,
                             shared.behinds.full[behinds_next.stage], b, t / 64, h * 128, c);
                behinds_next.advance();
            }
        }
    } else if (warp < 4) {
        // kimi_delta_backward.tk:177: role queries(1 warpgroup) {
        tk::registers_at_least<240>();
        const int t_tiles = tk::tiles(N, 64);
        const int programs = 2 * t_tiles * H * B;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> gs_next;
        tk::cursor<1> handed_next_2, ws_next_2, ys_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int c = program % 2 * 64;
            const int t = program / 2 % t_tiles * 64;
            const int h = program / (2 * t_tiles) % H;
            const int b = program / (2 * t_tiles * H);

            // kimi_delta_backward.tk:178: let y = consume ys;
            const tk::cursor<1> y_element = shared.ys.take(ys_next);

            // kimi_delta_backward.tk:179: let u = consume us;
            shared.us.wait_full(y_element);

            // kimi_delta_backward.tk:180: let o = consume os;
            shared.os.wait_full(y_element);

            // kimi_delta_backward.tk:181: let p = mma(o, u) * scale;
            tk::fragment<float, 64, 64> t0;
            tk::mma_async(t0, shared.os_tile[y_element.stage], shared.us_tile[y_element.stage],
                          tk::accumulate_never{});
            tk::mma_wait<0>(t0);
            tk::fragment<float, 64, 64> p;
            tk::map(p, [&](float t0) { return t0 * scale; }, t0);

            // kimi_delta_backward.tk:182: produce ws { q = ..
            tk::fragment<tk::bf16, 64, 64> t1;
            tk::map(t1, thread, [&](int row_2, int col, float p) {
                return row_2 < N - t ? (row_2 >= col ? p : 0.0f) : 0.0f;
            }, p);
            tk::fragment<float, 64, 64> t2;
            tk::mma_async(t2, shared.ys_tile[y_element.stage], shared.us_tile[y_element.stage],
                          tk::accumulate_never{});
            tk::mma_wait<0>(t2);
            shared.us.release(y_element);
            tk::fragment<tk::bf16, 64, 64> t3;
            tk::map(t3, thread, [&](int row_2, int col, float t2) {
                return row_2 < N - t ? (row_2 > col ? t2 : 0.0f) : 0.0f;
            }, t2);
            shared.ws.wait_empty(ws_next_2);
            tk::store_shared(shared.ws_q[ws_next_2.stage], t1, thread);
            tk::store_shared(shared.ws_k[ws_next_2.stage], t3, thread);
            shared.ws.publish(ws_next_2);
            ws_next_2.advance();

            // kimi_delta_backward.tk:183: var beta: f32[L, 1] = column(load(Beta[b, t, h]));
            tk::column_fragment<float, 64> beta;
            tk::load_global(beta, tk::slice<1, tk::no_axis>(Beta, {b, t, h}, N - t, 1), thread);

            // kimi_delta_backward.tk:184: shared s: T[L, 64] = 0;
            tk::fragment<tk::bf16, 64, 64> t5;
            tk::map(t5, []() { return tk::bf16(0.0f); });
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.queries_s[0], t5, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);

            // kimi_delta_backward.tk:185: shared r: T[L, 64] = 0;
            tk::fragment<tk::bf16, 64, 64> t6;
            tk::map(t6, []() { return tk::bf16(0.0f); });
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.queries_r[0], t6, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);

            // kimi_delta_backward.tk:186: let g = consume gs;
            const tk::cursor<2> g_element = shared.gs.take(gs_next);

            // kimi_delta_backward.tk:187: let k = consume ks;
            shared.ks.wait_full(g_element);

            // kimi_delta_backward.tk:188: let q = consume qs;
            shared.qs.wait_full(y_element);

            // kimi_delta_backward.tk:189: let state = consume befores;
            shared.befores.wait_full(y_element);

            // kimi_delta_backward.tk:190: let f = exp2(mma(TG(where(col_index(p) <= ..
            tk::fragment<tk::f16, 64, 64> t7;
            tk::map(t7, thread, [](int row_2, int col) { return col <= row_2 ? 1.0f : 0.0f; });
            tk::fragment<float, 64, 64> t8;
            tk::mma_async(t8, t7, shared.gs_tile[g_element.stage], tk::accumulate_never{});
            tk::mma_wait<0>(t8, t7);
            tk::fragment<float, 64, 64> f;
            tk::map(f, [](float t8) { return tk::exp2(t8 * 1.442695f); }, t8);

            // kimi_delta_backward.tk:191: var z = mma(o, state);
            tk::fragment<float, 64, 64> z;
            tk::mma_async(z, shared.os_tile[y_element.stage], shared.befores_tile[y_element.stage],
                          tk::accumulate_never{});
            tk::mma_wait<0>(z);
            shared.os.release(y_element);

            // kimi_delta_backward.tk:192: z *= f * scale;
            tk::map(z, [&](float z, float f) { return z * (f * scale); }, z, f);

            // kimi_delta_backward.tk:193: var x = mma(y, state);
            tk::fragment<float, 64, 64> x;
            tk::mma_async(x, shared.ys_tile[y_element.stage], shared.befores_tile[y_element.stage],
                          tk::accumulate_never{});
            tk::mma_wait<0>(x);
            shared.befores.release(y_element);
            shared.ys.release(y_element);

            // kimi_delta_backward.tk:194: x *= f;
            tk::map(x, [](float x, float f) { return x * f; }, x, f);

            // kimi_delta_backward.tk:195: let w = consume ws;
            shared.ws.wait_full(y_element);

            // gated_linear_attention.tk:48: var x: f32[L, L] = 0;
            tk::fragment<float, 64, 64> x_2;
            tk::zero(x_2);

            // kimi_delta_backward.tk:196: let away = ..
            tk::fragment<tk::f16, 64, 64> t11;
            tk::map(t11, thread, [](int row_2, int col) {
                return row_2 >= 32 ? (col >= 32 && col <= row_2 ? 1.0f : 0.0f)
                    : col > row_2 && col < 32 ? -1.0f : 0.0f;
            });
            tk::fragment<float, 64, 64> away;
            tk::mma_async(away, t11, shared.gs_tile[g_element.stage], tk::accumulate_never{});

            // gated_linear_attention.tk:57: let reach = if T == bf16 { 40.0 } else { -1.0 };
            const float reach = 40.0f;
            tk::mma_wait<0>(away, t11);

            // gated_linear_attention.tk:58: return scalar(where(max(max(pad(abs(x), axis = 0, ..
            tk::fragment<float, 64, 64> t13;
            tk::map(t13, [](float away) { return tk::abs(away); }, away);
            tk::column_fragment<float, 64> t14;
            tk::fold_rows(t14, t13, tk::maximum{}, thread);
            tk::finish_rows(t14, tk::maximum{});
            tk::row_fragment<float, 1> t15;
            tk::reduce_columns(t15, t14, shared.queries_f32_rows_1[0], tk::maximum{}, thread, 2);
            tk::row_fragment<int, 1> t16;
            tk::map(t16, [&](float t15) { return t15 <= reach ? 0 : 6; }, t15);
            const int number = t16.cell(0);

            // kimi_delta_backward.tk:197: let count = gated_linear_attention.levels<T, L>(away);
            const int count = number;

            // kimi_delta_backward.tk:198: var dg: f32[L, 64] = 0;
            tk::fragment<float, 64, 64> dg;
            tk::zero(dg);

            // kimi_delta_backward.tk:199: if T == bf16 and count == 0 {
            if (count == 0) {
                // kimi_delta_backward.tk:200: let until = exp2(away * -LOG2E);
                tk::fragment<float, 64, 64> until;
                tk::map(until, [](float away) { return tk::exp2(away * -1.442695f); }, away);

                // <std.parts>:21: high = T(x);
                tk::fragment<tk::bf16, 64, 64> t4;
                tk::load_shared(t4, shared.ks_tile[g_element.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t17;
                tk::map(t17, [](tk::bf16 t4, float until) { return float(t4) * until; }, t4, until);
                tk::barrier_sync(2, 128);
                tk::store_shared(shared.queries_s[0], t17, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);

                // <std.parts>:22: low = T(x - high);
                tk::fragment<tk::bf16, 64, 64> t9;
                tk::load_shared(t9, shared.ks_tile[g_element.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t10;
                tk::load_shared(t10, shared.queries_s[0], thread);
                tk::fragment<tk::bf16, 64, 64> t18;
                tk::map(t18, [](tk::bf16 t9, float until, tk::bf16 t10) {
                    return tk::fma(float(t9), until, -float(t10));
                }, t9, until, t10);
                tk::barrier_sync(2, 128);
                tk::store_shared(shared.queries_r[0], t18, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);

                // kimi_delta_backward.tk:202: var m = mma(w.q, s);
                tk::fragment<float, 64, 64> m;
                tk::mma_async(m, shared.ws_q[y_element.stage], shared.queries_s[0],
                              tk::accumulate_never{});

                // kimi_delta_backward.tk:203: m += mma(w.q, r);
                tk::mma_async(m, shared.ws_q[y_element.stage], shared.queries_r[0]);

                // kimi_delta_backward.tk:204: var n = mma(w.k, s);
                tk::fragment<float, 64, 64> n;
                tk::mma_async(n, shared.ws_k[y_element.stage], shared.queries_s[0],
                              tk::accumulate_never{});

                // kimi_delta_backward.tk:205: n += mma(w.k, r);
                tk::mma_async(n, shared.ws_k[y_element.stage], shared.queries_r[0]);

                // kimi_delta_backward.tk:206: let since = exp2(away * LOG2E);
                tk::fragment<float, 64, 64> since;
                tk::map(since, [](float away) { return tk::exp2(away * 1.442695f); }, away);
                tk::mma_wait<2>(m);

                // kimi_delta_backward.tk:207: m *= since;
                tk::map(m, [](float m, float since) { return m * since; }, m, since);

                // kimi_delta_backward.tk:208: z += m;
                tk::map(z, [](float z, float m) { return z + m; }, z, m);
                tk::mma_wait<0>(n);

                // kimi_delta_backward.tk:209: n *= since;
                tk::map(n, [](float n, float since) { return n * since; }, n, since);

                // kimi_delta_backward.tk:210: x += n;
                tk::map(x, [](float x, float n) { return x + n; }, x, n);
                // <std.parts>:21
                tk::fragment<tk::bf16, 64, 64> t12;
                tk::load_shared(t12, shared.qs_tile[y_element.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t19;
                tk::load_shared(t19, shared.ks_tile[g_element.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t21;
                tk::map(t21, [](float z, tk::bf16 t12, float x, tk::bf16 t19, float beta) {
                    return tk::fma(z, float(t12), -(x * float(t19) * beta));
                }, z, t12, x, t19, beta);
                tk::barrier_sync(2, 128);
                tk::store_shared(shared.queries_s[0], t21, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);
                // <std.parts>:22
                tk::fragment<tk::bf16, 64, 64> t20;
                tk::load_shared(t20, shared.qs_tile[y_element.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t35;
                tk::load_shared(t35, shared.ks_tile[g_element.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t42;
                tk::load_shared(t42, shared.queries_s[0], thread);
                tk::fragment<tk::bf16, 64, 64> t22;
                tk::map(t22,
                        [](float z, tk::bf16 t20, float x, tk::bf16 t35, float beta, tk::bf16 t42) {
                    return tk::fma(z, float(t20), -(x * float(t35) * beta)) - float(t42);
                }, z, t20, x, t35, beta, t42);
                tk::barrier_sync(2, 128);
                tk::store_shared(shared.queries_r[0], t22, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);

                // gated_linear_attention_backward.tk:42: var x: f32[L, L] = 0;
                tk::fragment<float, 64, 64> x_3;
                tk::zero(x_3);

                // kimi_delta_backward.tk:213: dg += mma(rows, s);
                tk::fragment<tk::bf16, 64, 64> t23;
                tk::map(t23, thread, [](int row_2, int col) { return col >= row_2 ? 1.0f : 0.0f; });
                tk::mma_async(dg, t23, shared.queries_s[0]);

                // kimi_delta_backward.tk:214: dg += mma(rows, r);
                tk::mma_async(dg, t23, shared.queries_r[0]);
                tk::mma_wait<0>(dg, t23);
            } else {
                // kimi_delta_backward.tk:216: s = T(z * q);
                tk::fragment<tk::bf16, 64, 64> t49;
                tk::load_shared(t49, shared.qs_tile[y_element.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t25;
                tk::map(t25, [](float z, tk::bf16 t49) { return z * float(t49); }, z, t49);
                tk::barrier_sync(2, 128);
                tk::store_shared(shared.queries_s[0], t25, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);

                // kimi_delta_backward.tk:217: r = T(x * k * -beta);
                tk::fragment<tk::bf16, 64, 64> t50;
                tk::load_shared(t50, shared.ks_tile[g_element.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t26;
                tk::map(t26, [](float x, tk::bf16 t50, float beta) {
                    return x * float(t50) * -beta;
                }, x, t50, beta);
                tk::barrier_sync(2, 128);
                tk::store_shared(shared.queries_r[0], t26, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);
                // gated_linear_attention_backward.tk:42
                tk::fragment<float, 64, 64> x_4;
                tk::zero(x_4);

                // kimi_delta_backward.tk:219: dg += mma(rows, s);
                tk::fragment<tk::bf16, 64, 64> t27;
                tk::map(t27, thread, [](int row_2, int col) { return col >= row_2 ? 1.0f : 0.0f; });
                tk::mma_async(dg, t27, shared.queries_s[0]);

                // kimi_delta_backward.tk:220: dg += mma(rows, r);
                tk::mma_async(dg, t27, shared.queries_r[0]);

                // kimi_delta_backward.tk:221: z += sum(where(row_index(p) == col_index(p), ..
                tk::fragment<tk::bf16, 64, 64> t51;
                tk::load_shared(t51, shared.ws_q[y_element.stage], thread);
                tk::fragment<float, 64, 64> t29;
                tk::map(t29, thread, [](int row_2, int col, tk::bf16 t51) {
                    return row_2 == col ? float(t51) : 0.0f;
                }, t51);
                tk::column_fragment<float, 64> t30;
                tk::fold_rows(t30, t29, tk::plus{}, thread);
                tk::finish_rows(t30, tk::plus{});
                tk::fragment<tk::bf16, 64, 64> t52;
                tk::load_shared(t52, shared.ks_tile[g_element.stage], thread);
                tk::map(z, [](float z, float t30, tk::bf16 t52) {
                    return tk::fma(t30, float(t52), z);
                }, z, t30, t52);
                tk::mma_wait<0>(dg, t27);

                // kimi_delta_backward.tk:222: for b in 0..count {
                for (int b_2 = 0; b_2 < count; b_2 += 1) {
                    // gated_linear_attention.tk:28: var x: f32[L, 1] = 0;
                    tk::column_fragment<float, 64> x_5;
                    tk::zero(x_5);

                    // kimi_delta_backward.tk:137: let f = exp2(mma(TG(where(rows, 1.0, 0.0)), g) ..
                    tk::fragment<tk::f16, 64, 64> t31;
                    tk::map(t31, thread, [&](int row_2, int col) {
                        const int x_9 = row_2 >> (b_2 & 31);
                        const bool x_10 = (x_9 & 1) == 1;
                        const int x_11 = x_9 << (b_2 & 31);
                        const int x_12 = row_2 + 1;
                        return col >= (x_10 ? x_11 : x_12) &&
                            col < (x_10 ? x_12 : tk::wrapping_add(x_11, 1 << (b_2 & 31))) ? 1.0f
                            : 0.0f;
                    });
                    tk::fragment<float, 64, 64> t32;
                    tk::mma_async(t32, t31, shared.gs_tile[g_element.stage],
                                  tk::accumulate_never{});
                    tk::mma_wait<0>(t32, t31);
                    tk::fragment<float, 64, 64> f_2;
                    tk::map(f_2, [](float t32) { return tk::exp2(t32 * 1.442695f); }, t32);

                    // kimi_delta_backward.tk:138: s = T(k * f);
                    tk::fragment<tk::bf16, 64, 64> t53;
                    tk::load_shared(t53, shared.ks_tile[g_element.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t33;
                    tk::map(t33, [](tk::bf16 t53, float f_2) { return float(t53) * f_2; },
                            t53, f_2);
                    tk::barrier_sync(2, 128);
                    tk::store_shared(shared.queries_s[0], t33, thread);
                    tk::fence_async();
                    tk::barrier_sync(2, 128);

                    // kimi_delta_backward.tk:139: var a = mma(where(neighbours(z, b), p, 0), s);
                    tk::fragment<tk::bf16, 64, 64> t54;
                    tk::load_shared(t54, shared.ws_q[y_element.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t34;
                    tk::map(t34, thread, [&](int row_2, int col, tk::bf16 t54) {
                        return col >> (b_2 & 31) == ((row_2 >> (b_2 & 31)) ^ 1) ? tk::bf16(t54)
                            : tk::bf16(0.0f);
                    }, t54);
                    tk::fragment<float, 64, 64> a;
                    tk::mma_async(a, t34, shared.queries_s[0], tk::accumulate_never{});
                    tk::mma_wait<0>(a, t34);

                    // kimi_delta_backward.tk:140: a *= f;
                    tk::map(a, [](float a, float f_2) { return a * f_2; }, a, f_2);

                    // kimi_delta_backward.tk:141: z += a;
                    tk::map(z, [](float z, float a) { return z + a; }, z, a);

                    // kimi_delta_backward.tk:142: s = T(if SCALED { a * q * factor } else { a * ..
                    tk::fragment<tk::bf16, 64, 64> t55;
                    tk::load_shared(t55, shared.qs_tile[y_element.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t36;
                    tk::map(t36, [](float a, tk::bf16 t55) { return a * float(t55); }, a, t55);
                    tk::barrier_sync(2, 128);
                    tk::store_shared(shared.queries_s[0], t36, thread);
                    tk::fence_async();
                    tk::barrier_sync(2, 128);

                    // gated_linear_attention_backward.tk:33: var x: f32[L, 1] = 0;
                    tk::column_fragment<float, 64> x_6;
                    tk::zero(x_6);

                    // kimi_delta_backward.tk:143: dg += ..
                    tk::fragment<tk::bf16, 64, 64> t37;
                    tk::map(t37, thread, [&](int row_2, int col) {
                        const int x_9 = row_2 >> (b_2 & 31);
                        const bool x_10 = (x_9 & 1) == 1;
                        const int x_11 = x_9 << (b_2 & 31);
                        return col >= (x_10 ? row_2 : x_11) &&
                            col < (x_10 ? tk::wrapping_add(x_11, 1 << (b_2 & 31)) : row_2) ? 1.0f
                            : 0.0f;
                    });
                    tk::mma_async(dg, t37, shared.queries_s[0]);
                    // gated_linear_attention.tk:28
                    tk::column_fragment<float, 64> x_7;
                    tk::zero(x_7);
                    // kimi_delta_backward.tk:137
                    tk::fragment<float, 64, 64> t39;
                    tk::mma_async(t39, t31, shared.gs_tile[g_element.stage],
                                  tk::accumulate_never{});
                    tk::mma_wait<0>(dg, t39, t37, t31);
                    tk::fragment<float, 64, 64> f_3;
                    tk::map(f_3, [](float t39) { return tk::exp2(t39 * 1.442695f); }, t39);
                    // kimi_delta_backward.tk:138
                    tk::fragment<tk::bf16, 64, 64> t56;
                    tk::load_shared(t56, shared.ks_tile[g_element.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t40;
                    tk::map(t40, [](tk::bf16 t56, float f_3) { return float(t56) * f_3; },
                            t56, f_3);
                    tk::barrier_sync(2, 128);
                    tk::store_shared(shared.queries_s[0], t40, thread);
                    tk::fence_async();
                    tk::barrier_sync(2, 128);
                    // kimi_delta_backward.tk:139
                    tk::fragment<tk::bf16, 64, 64> t57;
                    tk::load_shared(t57, shared.ws_k[y_element.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t41;
                    tk::map(t41, thread, [&](int row_2, int col, tk::bf16 t57) {
                        return col >> (b_2 & 31) == ((row_2 >> (b_2 & 31)) ^ 1) ? tk::bf16(t57)
                            : tk::bf16(0.0f);
                    }, t57);
                    tk::fragment<float, 64, 64> a_2;
                    tk::mma_async(a_2, t41, shared.queries_s[0], tk::accumulate_never{});
                    tk::mma_wait<0>(a_2, t41);
                    // kimi_delta_backward.tk:140
                    tk::map(a_2, [](float a_2, float f_3) { return a_2 * f_3; }, a_2, f_3);
                    // kimi_delta_backward.tk:141
                    tk::map(x, [](float x, float a_2) { return x + a_2; }, x, a_2);
                    // kimi_delta_backward.tk:142
                    tk::fragment<tk::bf16, 64, 64> t58;
                    tk::load_shared(t58, shared.ks_tile[g_element.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t43;
                    tk::map(t43, [](float a_2, tk::bf16 t58, float beta) {
                        return a_2 * float(t58) * -beta;
                    }, a_2, t58, beta);
                    tk::barrier_sync(2, 128);
                    tk::store_shared(shared.queries_s[0], t43, thread);
                    tk::fence_async();
                    tk::barrier_sync(2, 128);
                    // gated_linear_attention_backward.tk:33
                    tk::column_fragment<float, 64> x_8;
                    tk::zero(x_8);
                    // kimi_delta_backward.tk:143
                    tk::mma_async(dg, t37, shared.queries_s[0]);
                    tk::mma_wait<0>(dg, t37);
                }
            }
            shared.ws.release_after_loads(y_element, tk::ordinary_alone{});
            shared.qs.release_after_loads(y_element);
            shared.gs.release(g_element);

            // kimi_delta_backward.tk:227: tma_store(dQ[b, t, h, c], T(z));
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                tk::store_shared(shared.queries_dQ[0], tk::convert<tk::bf16>(z), thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if (leader) tk::tma_store(dQ_map, shared.queries_dQ[0], b, t, h, c + panel);
            }

            // kimi_delta_backward.tk:228: store(Read[b, h, c.index, t.start +: L], sum(x * k, ..
            tk::fragment<tk::bf16, 64, 64> t59;
            tk::load_shared(t59, shared.ks_tile[g_element.stage], thread);
            shared.ks.release_after_loads(g_element);
            tk::fragment<float, 64, 64> t46;
            tk::map(t46, [](float x, tk::bf16 t59) { return x * float(t59); }, x, t59);
            tk::column_fragment<float, 64> t47;
            tk::fold_rows(t47, t46, tk::plus{}, thread);
            tk::finish_rows(t47, tk::plus{});
            tk::store_global(
                tk::slice<3, tk::no_axis>(Read, {b, h, c / 64, t},
                                          c / 64 < 2 ? tk::divide_up(N, 64) * 64 - t : 0, 1), t47,
                thread);

            // kimi_delta_backward.tk:229: produce handed = x * -beta;
            tk::fragment<float, 64, 64> t48;
            tk::map(t48, [](float x, float beta) { return x * -beta; }, x, beta);
            shared.handed.wait_empty(handed_next_2);
            tk::store_shared(shared.handed_tile[handed_next_2.stage], t48, thread);
            shared.handed.publish(handed_next_2, tk::ordinary_alone{});
            handed_next_2.advance();

            // kimi_delta_backward.tk:230: produce handed = dg;
            shared.handed.wait_empty(handed_next_2);
            tk::store_shared(shared.handed_tile[handed_next_2.stage], dg, thread);
            shared.handed.publish(handed_next_2, tk::ordinary_alone{});
            handed_next_2.advance();
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    } else {
        // kimi_delta_backward.tk:232: role keys(1 warpgroup) {
        tk::registers_at_least<240>();
        const int t_tiles = tk::tiles(N, 64);
        const int programs = 2 * t_tiles * H * B;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> gs_next;
        tk::cursor<1> handed_next_2, us_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int c = program % 2 * 64;
            const int t = program / 2 % t_tiles * 64;
            const int h = program / (2 * t_tiles) % H;
            const int b = program / (2 * t_tiles * H);

            // kimi_delta_backward.tk:233: let u = consume us;
            const tk::cursor<1> u_element = shared.us.take(us_next);

            // kimi_delta_backward.tk:234: var beta: f32[L, 1] = column(load(Beta[b, t, h]));
            tk::column_fragment<float, 64> beta;
            tk::load_global(beta, tk::slice<1, tk::no_axis>(Beta, {b, t, h}, N - t, 1), thread);

            // kimi_delta_backward.tk:235: shared s: T[L, 64] = 0;
            tk::fragment<tk::bf16, 64, 64> t1;
            tk::map(t1, []() { return tk::bf16(0.0f); });
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.keys_s[0], t1, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);

            // kimi_delta_backward.tk:236: shared m: T[L, 64] = 0;
            tk::fragment<tk::bf16, 64, 64> t2;
            tk::map(t2, []() { return tk::bf16(0.0f); });
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.keys_m[0], t2, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);

            // kimi_delta_backward.tk:237: let g = consume gs;
            const tk::cursor<2> g_element = shared.gs.take(gs_next);

            // kimi_delta_backward.tk:238: let k = consume ks;
            shared.ks.wait_full(g_element);

            // kimi_delta_backward.tk:239: let q = consume qs;
            shared.qs.wait_full(u_element);

            // kimi_delta_backward.tk:240: let r = consume behinds;
            shared.behinds.wait_full(u_element);

            // kimi_delta_backward.tk:241: let first = consume befores;
            shared.befores.wait_full(u_element);

            // kimi_delta_backward.tk:242: var past = sum(f32(first[0 +: 64, :]) * r[0 +: 64, :], ..
            tk::fragment<tk::bf16, 64, 64> t0;
            tk::load_shared(t0, tk::part<0, 0, 64, 64>(shared.befores_tile[u_element.stage]),
                            thread);
            tk::fragment<tk::bf16, 64, 64> t6;
            tk::load_shared(t6, tk::part<0, 0, 64, 64>(shared.behinds_tile[u_element.stage]),
                            thread);
            tk::fragment<float, 64, 64> t5;
            tk::map(t5, [](tk::bf16 t0, tk::bf16 t6) { return float(t0) * float(t6); }, t0, t6);
            tk::row_fragment<float, 64> past;
            tk::reduce_columns(past, t5, shared.keys_f32_rows_64[0], tk::plus{}, thread, 4);

            // kimi_delta_backward.tk:243: if DV > 64 { past += sum(f32(first[DV - 64 +: 64, :]) ..
            tk::fragment<tk::bf16, 64, 64> t14;
            tk::load_shared(t14, tk::part<64, 0, 64, 64>(shared.befores_tile[u_element.stage]),
                            thread);
            shared.befores.release_after_loads(u_element);
            tk::fragment<tk::bf16, 64, 64> t18;
            tk::load_shared(t18, tk::part<64, 0, 64, 64>(shared.behinds_tile[u_element.stage]),
                            thread);
            tk::fragment<float, 64, 64> t9;
            tk::map(t9, [](tk::bf16 t14, tk::bf16 t18) { return float(t14) * float(t18); },
                    t14, t18);
            tk::row_fragment<float, 64> t10;
            tk::reduce_columns(t10, t9, shared.keys_f32_rows_64[0], tk::plus{}, thread, 4);
            tk::map(past, [](float past, float t10) { return past + t10; }, past, t10);

            // kimi_delta_backward.tk:244: shared row: f32[1, 64] = past * exp2(sum(f32(g), axis ..
            tk::fragment<tk::f16, 64, 64> t28;
            tk::load_shared(t28, shared.gs_tile[g_element.stage], thread);
            tk::fragment<float, 64, 64> t11 = tk::convert<float>(t28);
            tk::row_fragment<float, 64> t12;
            tk::reduce_columns(t12, t11, shared.keys_f32_rows_64[0], tk::plus{}, thread, 4);
            tk::row_fragment<float, 64> t13;
            tk::map(t13, [](float past, float t12) { return past * tk::exp2(t12 * 1.442695f); },
                    past, t12);
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.keys_row[0], t13, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);

            // kimi_delta_backward.tk:245: var z = mma(u.T, r);
            tk::fragment<float, 64, 64> z;
            tk::mma_async(z, tk::transposed(shared.us_tile[u_element.stage]),
                          shared.behinds_tile[u_element.stage], tk::accumulate_never{});

            // kimi_delta_backward.tk:246: z *= exp2(mma(TG(where(col_index(z) > row_index(z), ..
            tk::fragment<tk::f16, 64, 64> t15;
            tk::map(t15, thread, [](int row_2, int col) { return col > row_2 ? 1.0f : 0.0f; });
            tk::fragment<float, 64, 64> t16;
            tk::mma_async(t16, t15, shared.gs_tile[g_element.stage], tk::accumulate_never{});
            tk::mma_wait<0>(z, t16, t15);
            shared.behinds.release_after_loads(u_element, tk::ordinary_alone{});
            shared.us.release(u_element);
            tk::map(z, [](float z, float t16) { return z * tk::exp2(t16 * 1.442695f); }, z, t16);

            // kimi_delta_backward.tk:247: let w = consume ws;
            shared.ws.wait_full(u_element);

            // gated_linear_attention.tk:48: var x: f32[L, L] = 0;
            tk::fragment<float, 64, 64> x;
            tk::zero(x);

            // kimi_delta_backward.tk:248: let away = ..
            tk::fragment<tk::f16, 64, 64> t17;
            tk::map(t17, thread, [](int row_2, int col) {
                return row_2 >= 32 ? (col >= 32 && col <= row_2 ? 1.0f : 0.0f)
                    : col > row_2 && col < 32 ? -1.0f : 0.0f;
            });
            tk::fragment<float, 64, 64> away;
            tk::mma_async(away, t17, shared.gs_tile[g_element.stage], tk::accumulate_never{});

            // gated_linear_attention.tk:57: let reach = if T == bf16 { 40.0 } else { -1.0 };
            const float reach = 40.0f;
            tk::mma_wait<0>(away, t17);

            // gated_linear_attention.tk:58: return scalar(where(max(max(pad(abs(x), axis = 0, ..
            tk::fragment<float, 64, 64> t19;
            tk::map(t19, [](float away) { return tk::abs(away); }, away);
            tk::column_fragment<float, 64> t20;
            tk::fold_rows(t20, t19, tk::maximum{}, thread);
            tk::finish_rows(t20, tk::maximum{});
            tk::row_fragment<float, 1> t21;
            tk::reduce_columns(t21, t20, shared.keys_f32_rows_1[0], tk::maximum{}, thread, 4);
            tk::row_fragment<int, 1> t22;
            tk::map(t22, [&](float t21) { return t21 <= reach ? 0 : 6; }, t21);
            const int number = t22.cell(0);

            // kimi_delta_backward.tk:249: let count = gated_linear_attention.levels<T, L>(away);
            const int count = number;

            // kimi_delta_backward.tk:250: var dg: f32[L, 64] = 0;
            tk::fragment<float, 64, 64> dg;
            tk::zero(dg);

            // kimi_delta_backward.tk:251: if T == bf16 and count == 0 {
            if (count == 0) {
                // kimi_delta_backward.tk:252: row += sum(pad(z * k, axis = 0, with = 0), axis = 0);
                tk::fragment<tk::bf16, 64, 64> t46;
                tk::load_shared(t46, shared.ks_tile[g_element.stage], thread);
                tk::fragment<float, 64, 64> t23;
                tk::map(t23, thread, [&](int row_2, int, float z, tk::bf16 t46) {
                    return row_2 < N - t ? z * float(t46) : 0.0f;
                }, z, t46);
                tk::row_fragment<float, 64> t24;
                tk::reduce_columns(t24, t23, shared.keys_f32_rows_64[0], tk::plus{}, thread, 4);
                tk::row_fragment<float, 64> t54;
                tk::load_shared(t54, shared.keys_row[0], thread);
                tk::row_fragment<float, 64> t25;
                tk::map(t25, [](float t54, float t24) { return t54 + t24; }, t54, t24);
                tk::barrier_sync(4, 128);
                tk::store_shared(shared.keys_row[0], t25, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);

                // kimi_delta_backward.tk:253: let since = exp2(away * LOG2E);
                tk::fragment<float, 64, 64> since;
                tk::map(since, [](float away) { return tk::exp2(away * 1.442695f); }, away);

                // <std.parts>:21: high = T(x);
                tk::fragment<tk::bf16, 64, 64> t55;
                tk::load_shared(t55, shared.qs_tile[u_element.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t26;
                tk::map(t26, [](tk::bf16 t55, float since) { return float(t55) * since; },
                        t55, since);
                tk::barrier_sync(4, 128);
                tk::store_shared(shared.keys_s[0], t26, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);

                // <std.parts>:22: low = T(x - high);
                tk::fragment<tk::bf16, 64, 64> t56;
                tk::load_shared(t56, shared.qs_tile[u_element.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t57;
                tk::load_shared(t57, shared.keys_s[0], thread);
                tk::fragment<tk::bf16, 64, 64> t27;
                tk::map(t27, [](tk::bf16 t56, float since, tk::bf16 t57) {
                    return tk::fma(float(t56), since, -float(t57));
                }, t56, since, t57);
                tk::barrier_sync(4, 128);
                tk::store_shared(shared.keys_m[0], t27, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);

                // kimi_delta_backward.tk:255: var a = mma(w.q.T, s);
                tk::fragment<float, 64, 64> a;
                tk::mma_async(a, tk::transposed(shared.ws_q[u_element.stage]), shared.keys_s[0],
                              tk::accumulate_never{});

                // kimi_delta_backward.tk:256: a += mma(w.q.T, m);
                tk::mma_async(a, tk::transposed(shared.ws_q[u_element.stage]), shared.keys_m[0]);
                // <std.parts>:21
                tk::fragment<tk::bf16, 64, 64> t58;
                tk::load_shared(t58, shared.ks_tile[g_element.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t29;
                tk::map(t29, [](tk::bf16 t58, float since, float beta) {
                    return float(t58) * since * -beta;
                }, t58, since, beta);
                tk::ptx::wgmma_wait<1>();
                tk::barrier_sync(4, 128);
                tk::store_shared(shared.keys_s[0], t29, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);
                // <std.parts>:22
                tk::fragment<tk::bf16, 64, 64> t59;
                tk::load_shared(t59, shared.ks_tile[g_element.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t60;
                tk::load_shared(t60, shared.keys_s[0], thread);
                tk::fragment<tk::bf16, 64, 64> t30;
                tk::map(t30, [](tk::bf16 t59, float since, float beta, tk::bf16 t60) {
                    return tk::fma(float(t59) * since, -beta, -float(t60));
                }, t59, since, beta, t60);
                tk::mma_wait<0>(a);
                tk::barrier_sync(4, 128);
                tk::store_shared(shared.keys_m[0], t30, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);

                // kimi_delta_backward.tk:258: a += mma(w.k.T, s);
                tk::mma_async(a, tk::transposed(shared.ws_k[u_element.stage]), shared.keys_s[0]);

                // kimi_delta_backward.tk:259: a += mma(w.k.T, m);
                tk::mma_async(a, tk::transposed(shared.ws_k[u_element.stage]), shared.keys_m[0]);
                tk::mma_wait<0>(a);

                // kimi_delta_backward.tk:260: a *= exp2(away * -LOG2E);
                tk::map(a, [](float a, float away) { return a * tk::exp2(away * -1.442695f); },
                        a, away);

                // kimi_delta_backward.tk:261: z += a;
                tk::map(z, [](float z, float a) { return z + a; }, z, a);
                // <std.parts>:21
                tk::fragment<tk::bf16, 64, 64> t61;
                tk::load_shared(t61, shared.ks_tile[g_element.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t31;
                tk::map(t31, [](float z, tk::bf16 t61) { return -z * float(t61); }, z, t61);
                tk::barrier_sync(4, 128);
                tk::store_shared(shared.keys_s[0], t31, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);
                // <std.parts>:22
                tk::fragment<tk::bf16, 64, 64> t62;
                tk::load_shared(t62, shared.ks_tile[g_element.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t63;
                tk::load_shared(t63, shared.keys_s[0], thread);
                tk::fragment<tk::bf16, 64, 64> t32;
                tk::map(t32, [](float z, tk::bf16 t62, tk::bf16 t63) {
                    return tk::fma(-z, float(t62), -float(t63));
                }, z, t62, t63);
                tk::barrier_sync(4, 128);
                tk::store_shared(shared.keys_m[0], t32, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);

                // gated_linear_attention_backward.tk:42: var x: f32[L, L] = 0;
                tk::fragment<float, 64, 64> x_2;
                tk::zero(x_2);

                // kimi_delta_backward.tk:264: dg += mma(rows, s);
                tk::fragment<tk::bf16, 64, 64> t33;
                tk::map(t33, thread, [](int row_2, int col) { return col >= row_2 ? 1.0f : 0.0f; });
                tk::mma_async(dg, t33, shared.keys_s[0]);

                // kimi_delta_backward.tk:265: dg += mma(rows, m);
                tk::mma_async(dg, t33, shared.keys_m[0]);
                tk::mma_wait<0>(dg, t33);
            } else {
                // kimi_delta_backward.tk:267: s = T(z * k);
                tk::fragment<tk::bf16, 64, 64> t64;
                tk::load_shared(t64, shared.ks_tile[g_element.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t35;
                tk::map(t35, [](float z, tk::bf16 t64) { return z * float(t64); }, z, t64);
                tk::barrier_sync(4, 128);
                tk::store_shared(shared.keys_s[0], t35, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);

                // kimi_delta_backward.tk:268: dg += mma(T(where(col_index(z) < row_index(z), ..
                tk::fragment<tk::bf16, 64, 64> t36;
                tk::map(t36, thread, [](int row_2, int col) { return col < row_2 ? 1.0f : 0.0f; });
                tk::mma_async(dg, t36, shared.keys_s[0]);

                // kimi_delta_backward.tk:269: z += sum(where(row_index(z) == col_index(z), ..
                tk::fragment<tk::bf16, 64, 64> t65;
                tk::load_shared(t65, shared.ws_q[u_element.stage], thread);
                tk::fragment<float, 64, 64> t37;
                tk::map(t37, thread, [](int row_2, int col, tk::bf16 t65) {
                    return row_2 == col ? float(t65) : 0.0f;
                }, t65);
                tk::column_fragment<float, 64> t38;
                tk::fold_rows(t38, t37, tk::plus{}, thread);
                tk::finish_rows(t38, tk::plus{});
                tk::fragment<tk::bf16, 64, 64> t66;
                tk::load_shared(t66, shared.qs_tile[u_element.stage], thread);
                tk::map(z, [](float z, float t38, tk::bf16 t66) {
                    return tk::fma(t38, float(t66), z);
                }, z, t38, t66);
                tk::mma_wait<0>(dg, t36);

                // kimi_delta_backward.tk:270: for b in 0..count {
                for (int b_2 = 0; b_2 < count; b_2 += 1) {
                    // gated_linear_attention.tk:28: var x: f32[L, 1] = 0;
                    tk::column_fragment<float, 64> x_3;
                    tk::zero(x_3);

                    // kimi_delta_backward.tk:272: let f = exp2(mma(TG(where(rows, 1.0, 0.0)), g) ..
                    tk::fragment<tk::f16, 64, 64> t39;
                    tk::map(t39, thread, [&](int row_2, int col) {
                        const int x_9 = row_2 >> (b_2 & 31);
                        const bool x_10 = (x_9 & 1) == 1;
                        const int x_11 = x_9 << (b_2 & 31);
                        const int x_12 = row_2 + 1;
                        return col >= (x_10 ? x_11 : x_12) &&
                            col < (x_10 ? x_12 : tk::wrapping_add(x_11, 1 << (b_2 & 31))) ? 1.0f
                            : 0.0f;
                    });
                    tk::fragment<float, 64, 64> t40;
                    tk::mma_async(t40, t39, shared.gs_tile[g_element.stage],
                                  tk::accumulate_never{});
                    tk::mma_wait<0>(t40, t39);
                    tk::fragment<float, 64, 64> f;
                    tk::map(f, [](float t40) { return tk::exp2(t40 * 1.442695f); }, t40);

                    // kimi_delta_backward.tk:273: s = T(q * f);
                    tk::fragment<tk::bf16, 64, 64> t67;
                    tk::load_shared(t67, shared.qs_tile[u_element.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t41;
                    tk::map(t41, [](tk::bf16 t67, float f) { return float(t67) * f; }, t67, f);
                    tk::barrier_sync(4, 128);
                    tk::store_shared(shared.keys_s[0], t41, thread);
                    tk::fence_async();
                    tk::barrier_sync(4, 128);

                    // kimi_delta_backward.tk:274: m = T(k * f * -beta);
                    tk::fragment<tk::bf16, 64, 64> t68;
                    tk::load_shared(t68, shared.ks_tile[g_element.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t42;
                    tk::map(t42, [](tk::bf16 t68, float f, float beta) {
                        return float(t68) * f * -beta;
                    }, t68, f, beta);
                    tk::barrier_sync(4, 128);
                    tk::store_shared(shared.keys_m[0], t42, thread);
                    tk::fence_async();
                    tk::barrier_sync(4, 128);

                    // kimi_delta_backward.tk:275: var a = mma(where(neighbours(z, b), w.q.T, 0), ..
                    tk::fragment<tk::bf16, 64, 64> t44;
                    tk::load_transposed(t44, shared.ws_q[u_element.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t45;
                    tk::map(t45, thread, [&](int row_2, int col, tk::bf16 t44) {
                        return col >> (b_2 & 31) == ((row_2 >> (b_2 & 31)) ^ 1) ? tk::bf16(t44)
                            : tk::bf16(0.0f);
                    }, t44);
                    tk::fragment<float, 64, 64> a_2;
                    tk::mma_async(a_2, t45, shared.keys_s[0], tk::accumulate_never{});

                    // kimi_delta_backward.tk:276: a += mma(where(neighbours(z, b), w.k.T, 0), m);
                    tk::fragment<tk::bf16, 64, 64> t48;
                    tk::load_transposed(t48, shared.ws_k[u_element.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t49;
                    tk::map(t49, thread, [&](int row_2, int col, tk::bf16 t48) {
                        return col >> (b_2 & 31) == ((row_2 >> (b_2 & 31)) ^ 1) ? tk::bf16(t48)
                            : tk::bf16(0.0f);
                    }, t48);
                    tk::mma_async(a_2, t49, shared.keys_m[0]);
                    tk::mma_wait<0>(a_2, t45, t49);

                    // kimi_delta_backward.tk:277: a *= f;
                    tk::map(a_2, [](float a_2, float f) { return a_2 * f; }, a_2, f);

                    // kimi_delta_backward.tk:278: z += a;
                    tk::map(z, [](float z, float a_2) { return z + a_2; }, z, a_2);

                    // kimi_delta_backward.tk:279: s = T(a * k);
                    tk::fragment<tk::bf16, 64, 64> t69;
                    tk::load_shared(t69, shared.ks_tile[g_element.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t50;
                    tk::map(t50, [](float a_2, tk::bf16 t69) { return a_2 * float(t69); },
                            a_2, t69);
                    tk::barrier_sync(4, 128);
                    tk::store_shared(shared.keys_s[0], t50, thread);
                    tk::fence_async();
                    tk::barrier_sync(4, 128);

                    // gated_linear_attention_backward.tk:33: var x: f32[L, 1] = 0;
                    tk::column_fragment<float, 64> x_4;
                    tk::zero(x_4);

                    // kimi_delta_backward.tk:280: dg += ..
                    tk::fragment<tk::bf16, 64, 64> t51;
                    tk::map(t51, thread, [&](int row_2, int col) {
                        const int x_9 = row_2 >> (b_2 & 31);
                        const bool x_10 = (x_9 & 1) == 1;
                        const int x_11 = x_9 << (b_2 & 31);
                        return col >= (x_10 ? row_2 : x_11) &&
                            col < (x_10 ? tk::wrapping_add(x_11, 1 << (b_2 & 31)) : row_2) ? 1.0f
                            : 0.0f;
                    });
                    tk::mma_async(dg, t51, shared.keys_s[0]);
                    tk::mma_wait<0>(dg, t51);
                }
            }
            shared.ws.release_after_loads(u_element, tk::ordinary_alone{});
            shared.qs.release_after_loads(u_element);
            shared.ks.release_after_loads(g_element);
            shared.gs.release_after_loads(g_element, tk::ordinary_alone{});

            // kimi_delta_backward.tk:283: dg += row;
            tk::row_fragment<float, 64> t70;
            tk::load_shared(t70, shared.keys_row[0], thread);
            tk::map(dg, [](float dg, float t70) { return dg + t70; }, dg, t70);

            // kimi_delta_backward.tk:284: tma_store(dK[b, t, h, c], T(z + (consume handed)));
            const tk::cursor<1> handed_element = shared.handed.take(handed_next_2);
            tk::fragment<float, 64, 64> t71;
            tk::load_shared(t71, shared.handed_tile[handed_element.stage], thread);
            shared.handed.release_after_loads(handed_element, tk::ordinary_alone{});
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(3, 128);
                tk::fragment<tk::bf16, 64, 64> t52;
                tk::map(t52, [](float z, float t71) { return z + t71; }, z, t71);
                tk::store_shared(shared.keys_dK[0], t52, thread);
                tk::fence_async();
                tk::barrier_sync(3, 128);
                if (leader) tk::tma_store(dK_map, shared.keys_dK[0], b, t, h, c + panel);
            }

            // kimi_delta_backward.tk:285: tma_store(dG[b, t, h, c], TDG(dg + (consume handed)));
            const tk::cursor<1> handed_element_2 = shared.handed.take(handed_next_2);
            tk::fragment<float, 64, 64> t72;
            tk::load_shared(t72, shared.handed_tile[handed_element_2.stage], thread);
            shared.handed.release_after_loads(handed_element_2, tk::ordinary_alone{});
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(3, 128);
                tk::fragment<tk::f16, 64, 64> t53;
                tk::map(t53, [](float dg, float t72) { return dg + t72; }, dg, t72);
                tk::store_shared(shared.keys_dG[0], t53, thread);
                tk::fence_async();
                tk::barrier_sync(3, 128);
                if (leader) tk::tma_store(dG_map, shared.keys_dG[0], b, t, h, c + panel);
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

// beta_gradients: kernel beta_gradients with T = bf16, TDB = f32, DK = 128, DV = 128, PACKED =
// false, L = 64.
// 256 threads, 64 registers each, 1024 bytes of shared memory: beta_gradients_kernel<4, 16, 8,
// true>.
// beta_gradients_general: kernel beta_gradients with T = bf16, TDB = f32, DK = 128, DV = 128,
// PACKED = false, L = 64; any strides and alignment.
// 256 threads, 255 registers each, 1024 bytes of shared memory: beta_gradients_kernel<1, 32, 2,
// false>.
struct beta_gradients_shared {
    tk::shared_tile<int, 1, 128> beta_gradients_turned[1];
};

template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) beta_gradients_kernel(
    const tk::tensor_argument<const tk::bf16, 4> V, const tk::tensor_argument<const tk::bf16, 4> Y,
    const tk::tensor_argument<const float, 4> Read, const tk::tensor_argument<float, 3> dBeta,
    int B, int N, int H) {
    extern __shared__ __align__(1024) unsigned char memory[];
    beta_gradients_shared& shared = *reinterpret_cast<beta_gradients_shared*>(memory);

    tk::wait_for_previous_kernel();

    const int t_tiles = tk::tiles(N, 64);

    // kimi_delta_backward.tk:289: kernel beta_gradients<T: dtype = bf16, TDB: dtype = f32, DK: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int t = program % t_tiles * 64;
    const int h = program / t_tiles % H;
    const int b = program / (t_tiles * H);

    // kimi_delta_backward.tk:296: var d = sum(f32(load(Y[b, t, h, :])) * load(V[b, t, h, :]), ..
    tk::stripe<tk::bf16, 64, 128, 256, row_threads, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_dense<vectors, 1, 3>(Y, {b, t, h, 0}, N - t, 128),
                            thread);
    tk::stripe<tk::bf16, 64, 128, 256, row_threads, vector> t1;
    tk::load_slice<vectors>(t1, tk::slice_if_dense<vectors, 1, 3>(V, {b, t, h, 0}, N - t, 128),
                            thread);
    tk::stripe<float, 64, 128, 256, row_threads, vector> t2;
    tk::map(t2, [](tk::bf16 t0, tk::bf16 t1) { return float(t0) * float(t1); }, t0, t1);
    tk::stripe<float, 64, 1, 256, row_threads, vector> t3;
    tk::fold_rows(t3, t2, tk::plus{}, thread);
    tk::finish_rows(t3, tk::plus{});
    tk::stripe<float, 64, 1, 256, row_threads, vector> t4;
    tk::load_global(t4,
                    tk::slice<3, tk::no_axis>(Read, {b, h, 0, t}, tk::divide_up(N, 64) * 64 - t, 1),
                    thread);
    tk::stripe<float, 64, 1, 256, row_threads, vector> d;
    tk::map(d, [](float t3, float t4) { return t3 - t4; }, t3, t4);

    // kimi_delta_backward.tk:297: if DK > 64 { d -= column(load(Read[b, h, 1, t.start +: L])); }
    tk::stripe<float, 64, 1, 256, row_threads, vector> t5;
    tk::load_global(t5,
                    tk::slice<3, tk::no_axis>(Read, {b, h, 1, t}, tk::divide_up(N, 64) * 64 - t, 1),
                    thread);
    tk::map(d, [](float d, float t5) { return d - t5; }, d, t5);

    // kimi_delta_backward.tk:298: if PACKED { store(dBt[0 +: L, h], TDB(d.T)); } else { ..
    tk::stripe<float, 1, 64, 256, row_threads, vector> t6;
    tk::transpose(t6, d, shared.beta_gradients_turned[0], thread, 1);
    tk::store_global(tk::slice<tk::no_axis, 1>(dBeta, {b, t, h}, 1, N - t), t6, thread);
}

// kimi_delta_pairs_T_bf16_TG_f16_TB_f32_DK_128: kernel kimi_delta.pairs with T = bf16, TG = f16, TB
// = f32, DK = 128, L = 64.
// producer: 1 warp, 24 registers a thread; queries: 1 warpgroup, 240 registers a thread; keys: 1
// warpgroup, 240 registers a thread.
// 384 threads, 168 registers each at first, 207968 bytes of shared memory; persistent.
struct kimi_delta_pairs_T_bf16_TG_f16_TB_f32_DK_128_shared {
    tk::shared_tile<tk::f16, 64, 64> gs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> ks_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> qs_tile[2];
    tk::shared_tile<tk::f16, 64, 64> queries_middle[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_high_3[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_low[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_t25[2];
    tk::shared_tile<float, 4, 64> queries_f32_rows_64[1];
    tk::shared_tile<float, 4, 1> queries_f32_rows_1[1];
    tk::shared_tile<tk::f16, 64, 64> keys_middle[1];
    tk::shared_tile<tk::bf16, 64, 64> keys_high_3[1];
    tk::shared_tile<tk::bf16, 64, 64> keys_low[1];
    tk::shared_tile<tk::bf16, 64, 64> keys_t13[2];
    tk::shared_tile<tk::f16, 64, 64> keys_t17[1];
    tk::shared_tile<tk::f16, 64, 64> keys_t19[1];
    tk::shared_tile<tk::f16, 64, 64> keys_r0[1];
    tk::shared_tile<tk::f16, 64, 64> keys_r1[1];
    tk::shared_tile<float, 4, 1> keys_f32_rows_1[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_Queries[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_Keys[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_Rest[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_A[1];
    tk::shared_tile<tk::bf16, 64, 64> keys_Inverse[1];
    tk::pipeline<2> gs;
    tk::pipeline<2> ks;
    tk::pipeline<2> qs;
};
static_assert(offsetof(kimi_delta_pairs_T_bf16_TG_f16_TB_f32_DK_128_shared, qs) == 207936);

__global__ void __launch_bounds__(384, 1) kimi_delta_pairs_T_bf16_TG_f16_TB_f32_DK_128_kernel(
    const __grid_constant__ CUtensorMap G_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap Queries_map,
    const __grid_constant__ CUtensorMap Keys_map, const __grid_constant__ CUtensorMap Rest_map,
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap Inverse_map,
    const tk::tensor_argument<const float, 3> Beta, const tk::tensor_argument<float, 4> Left,
    const tk::tensor_argument<float, 3> C, int B, int N, int H, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    kimi_delta_pairs_T_bf16_TG_f16_TB_f32_DK_128_shared& shared =
        *reinterpret_cast<kimi_delta_pairs_T_bf16_TG_f16_TB_f32_DK_128_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(G_map, K_map, Q_map, Queries_map, Keys_map, Rest_map, A_map,
                              Inverse_map);
        shared.gs.init(1, 8);
        shared.ks.init(1, 8);
        shared.qs.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // kimi_delta.tk:65: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int h_tiles = tk::tiles(H, 2);
        const int t_tiles = tk::tiles(N, 64);
        const int programs = h_tiles * t_tiles * B;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> gs_next, ks_next, qs_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int h = program % h_tiles * 2;
                const int t = program / h_tiles % t_tiles * 64;
                const int b = program / (h_tiles * t_tiles);

                // kimi_delta.tk:66: for i in 2 {
                #pragma unroll 1
                for (int i = 0; i < 2; i += 1) {
                    // kimi_delta.tk:67: for c in DK by 64 {
                    #pragma unroll 1
                    for (int c = 0; c < 128; c += 64) {
                        // kimi_delta.tk:68: produce gs = tma_load(G[b, t, h.start + i, c]);
                        shared.gs.begin(gs_next, 8192);
                        tk::tma_load(shared.gs_tile[gs_next.stage], G_map,
                                     shared.gs.full[gs_next.stage], b, t, h + i, c);
                        gs_next.advance();

                        // kimi_delta.tk:69: produce ks = tma_load(K[b, t, h.start + i, c]);
                        shared.ks.begin(ks_next, 8192);
                        tk::tma_load(shared.ks_tile[ks_next.stage], K_map,
                                     shared.ks.full[ks_next.stage], b, t, h + i, c);
                        ks_next.advance();

                        // kimi_delta.tk:70: produce qs = tma_load(Q[b, t, h.start + i, c]);
                        shared.qs.begin(qs_next, 8192);
                        tk::tma_load(shared.qs_tile[qs_next.stage], Q_map,
                                     shared.qs.full[qs_next.stage], b, t, h + i, c);
                        qs_next.advance();
                    }
                }
            }
        }
    } else if (warp < 4) {
        // kimi_delta.tk:74: role queries(1 warpgroup) {
        tk::registers_at_least<240>();
        const int h_tiles = tk::tiles(H, 2);
        const int t_tiles = tk::tiles(N, 64);
        const int programs = h_tiles * t_tiles * B;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> gs_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int h = program % h_tiles * 2;
            const int t = program / h_tiles % t_tiles * 64;
            const int b = program / (h_tiles * t_tiles);

            // gated_linear_attention.tk:48: var x: f32[L, L] = 0;
            tk::fragment<float, 64, 64> x;
            tk::zero(x);

            // kimi_delta.tk:75: let middle = shared(TG(gated_linear_attention.from_middle<L>()));
            tk::fragment<tk::f16, 64, 64> t0;
            tk::map(t0, thread, [](int row, int col) {
                return row >= 32 ? (col >= 32 && col <= row ? 1.0f : 0.0f) : col > row && col < 32
                    ? -1.0f : 0.0f;
            });
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.queries_middle[0], t0, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);

            // kimi_delta.tk:76: for i in 2 {
            tk::fragment<float, 64, 64> e;
            tk::fragment<float, 64, 64> r;
            tk::column_fragment<float, 64> x_3;
            tk::column_fragment<float, 64> x_4;
            for (int i = 0; i < 2; i += 1) {
                // kimi_delta.tk:77: var a: f32[L, L] = 0;
                tk::fragment<float, 64, 64> a;
                tk::zero(a);

                // kimi_delta.tk:78: for c in DK by 64 {
                for (int c = 0; c < 128; c += 64) {
                    // kimi_delta.tk:79: let g = consume gs;
                    const tk::cursor<2> g_element = shared.gs.take(gs_next);

                    // kimi_delta.tk:80: let k = consume ks;
                    shared.ks.wait_full(g_element);

                    // kimi_delta.tk:81: let q = consume qs;
                    shared.qs.wait_full(g_element);

                    // kimi_delta.tk:82: let x = mma(middle, g);
                    tk::fragment<float, 64, 64> x_2;
                    tk::mma_async(x_2, shared.queries_middle[0], shared.gs_tile[g_element.stage],
                                  tk::accumulate_never{});

                    // kimi_delta.tk:83: store(Left[b, h.start + i, t.index, c], exp2(sum(f32(g), ..
                    tk::fragment<tk::f16, 64, 64> t1;
                    tk::load_shared(t1, shared.gs_tile[g_element.stage], thread);
                    tk::fragment<float, 64, 64> t3 = tk::convert<float>(t1);
                    tk::hold_waits(warp);
                    tk::row_fragment<float, 64> t4;
                    tk::reduce_columns(t4, t3, shared.queries_f32_rows_64[0], tk::plus{}, thread,
                                       2);
                    tk::row_fragment<float, 64> t5;
                    tk::map(t5, [](float t4) { return tk::exp2(t4 * 1.442695f); }, t4);
                    tk::store_global(
                        tk::slice<tk::no_axis, 3>(Left, {b, h + i, t / 64, c}, 1,
                                                  t / 64 < tk::divide_up(N, 64)
                                                  ? (h + i < H ? 128 - c : 0) : 0), t5, thread);

                    // kimi_delta.tk:84: var e: f32[L, 64] = 0;
                    tk::zero(e);

                    // kimi_delta.tk:85: var r: f32[L, 64] = 0;
                    tk::zero(r);

                    // gated_linear_attention.tk:57: let reach = if T == bf16 { 40.0 } else { ..
                    const float reach = 40.0f;
                    tk::mma_wait<0>(x_2);

                    // gated_linear_attention.tk:58: return scalar(where(max(max(pad(abs(x), axis ..
                    tk::fragment<float, 64, 64> t6;
                    tk::map(t6, [](float x_2) { return tk::abs(x_2); }, x_2);
                    tk::column_fragment<float, 64> t7;
                    tk::fold_rows(t7, t6, tk::maximum{}, thread);
                    tk::finish_rows(t7, tk::maximum{});
                    tk::row_fragment<float, 1> t8;
                    tk::reduce_columns(t8, t7, shared.queries_f32_rows_1[0], tk::maximum{}, thread,
                                       2);
                    tk::row_fragment<int, 1> t9;
                    tk::map(t9, [&](float t8) { return t8 <= reach ? 0 : 6; }, t8);
                    const int number = t9.cell(0);

                    // kimi_delta.tk:86: let count = gated_linear_attention.levels<T, L>(x);
                    const int count = number;

                    // kimi_delta.tk:87: if T == bf16 and count == 0 {
                    if (count == 0) {
                        // kimi_delta.tk:88: e = exp2(x * LOG2E);
                        tk::map(e, [](float x_2) { return tk::exp2(x_2 * 1.442695f); }, x_2);

                        // kimi_delta.tk:89: r = exp2(x * -LOG2E);
                        tk::map(r, [](float x_2) { return tk::exp2(x_2 * -1.442695f); }, x_2);

                        // <std.parts>:15: let high = T(x);
                        tk::fragment<tk::bf16, 64, 64> t2;
                        tk::load_shared(t2, shared.qs_tile[g_element.stage], thread);
                        tk::fragment<tk::bf16, 64, 64> high;
                        tk::map(high, [](tk::bf16 t2, float e) { return float(t2) * e; }, t2, e);

                        // kimi_delta.tk:20: let queries = parts.split<T>(q * f);
                        tk::fragment<tk::bf16, 64, 64> t10;
                        tk::load_shared(t10, shared.qs_tile[g_element.stage], thread);
                        tk::fragment<tk::bf16, 64, 64> queries_low;
                        tk::map(queries_low, [](tk::bf16 t10, float e, tk::bf16 high) {
                            return tk::fma(float(t10), e, -float(high));
                        }, t10, e, high);
                        // <std.parts>:15
                        tk::fragment<tk::bf16, 64, 64> t11;
                        tk::load_shared(t11, shared.ks_tile[g_element.stage], thread);
                        tk::fragment<tk::bf16, 64, 64> high_2;
                        tk::map(high_2, [](tk::bf16 t11, float r) { return float(t11) * r; },
                                t11, r);

                        // kimi_delta.tk:21: let keys = parts.split<T>(k * until);
                        tk::fragment<tk::bf16, 64, 64> t16;
                        tk::load_shared(t16, shared.ks_tile[g_element.stage], thread);
                        tk::fragment<tk::bf16, 64, 64> keys_low;
                        tk::map(keys_low, [](tk::bf16 t16, float r, tk::bf16 high_2) {
                            return tk::fma(float(t16), r, -float(high_2));
                        }, t16, r, high_2);

                        // kimi_delta.tk:22: let high = shared(keys.high);
                        tk::barrier_sync(2, 128);
                        tk::store_shared(shared.queries_high_3[0], high_2, thread);
                        tk::fence_async();
                        tk::barrier_sync(2, 128);

                        // kimi_delta.tk:23: let low  = shared(keys.low);
                        tk::barrier_sync(2, 128);
                        tk::store_shared(shared.queries_low[0], keys_low, thread);
                        tk::fence_async();
                        tk::barrier_sync(2, 128);

                        // kimi_delta.tk:24: a += mma(queries.high, high.T);
                        tk::mma_async(a, high, tk::transposed(shared.queries_high_3[0]));

                        // kimi_delta.tk:25: a += mma(queries.high, low.T);
                        tk::mma_async(a, high, tk::transposed(shared.queries_low[0]));

                        // kimi_delta.tk:26: a += mma(queries.low, high.T);
                        tk::mma_async(a, queries_low, tk::transposed(shared.queries_high_3[0]));

                        // kimi_delta.tk:91: e *= exp2(sum(where(row_index(x) < L / 2, f32(g), ..
                        tk::fragment<tk::f16, 64, 64> t26;
                        tk::load_shared(t26, shared.gs_tile[g_element.stage], thread);
                        tk::fragment<float, 64, 64> t12;
                        tk::map(t12, thread, [](int row, int, tk::f16 t26) {
                            return row < 32 ? float(t26) : 0.0f;
                        }, t26);
                        tk::row_fragment<float, 64> t13;
                        tk::reduce_columns(t13, t12, shared.queries_f32_rows_64[0], tk::plus{},
                                           thread, 2);
                        tk::map(e, [](float e, float t13) { return e * tk::exp2(t13 * 1.442695f); },
                                e, t13);

                        // kimi_delta.tk:92: r *= exp2(sum(where(row_index(x) < L / 2, 0, ..
                        tk::fragment<tk::f16, 64, 64> t31;
                        tk::load_shared(t31, shared.gs_tile[g_element.stage], thread);
                        tk::hold_waits(warp);
                        tk::fragment<float, 64, 64> t14;
                        tk::map(t14, thread, [](int row, int, tk::f16 t31) {
                            return row < 32 ? 0.0f : float(t31);
                        }, t31);
                        tk::row_fragment<float, 64> t15;
                        tk::reduce_columns(t15, t14, shared.queries_f32_rows_64[0], tk::plus{},
                                           thread, 2);
                        tk::map(r, [](float r, float t15) { return r * tk::exp2(t15 * 1.442695f); },
                                r, t15);
                        tk::mma_wait<0>(a, high, queries_low);
                    } else {
                        // kimi_delta.tk:94: let d = mma(q, k.T);
                        tk::fragment<float, 64, 64> d;
                        tk::mma_async(d, shared.qs_tile[g_element.stage],
                                      tk::transposed(shared.ks_tile[g_element.stage]),
                                      tk::accumulate_never{});
                        tk::mma_wait<0>(d);

                        // kimi_delta.tk:95: a += where(row_index(d) == col_index(d), d, 0);
                        tk::map(a, thread, [](int row, int col, float a, float d) {
                            return a + (row == col ? d : 0.0f);
                        }, a, d);

                        // kimi_delta.tk:96: e = exp2(mma(TG(where(col_index(a) <= row_index(a), ..
                        tk::fragment<tk::f16, 64, 64> t17;
                        tk::map(t17, thread, [](int row, int col) {
                            return col <= row ? 1.0f : 0.0f;
                        });
                        tk::fragment<float, 64, 64> t18;
                        tk::mma_async(t18, t17, shared.gs_tile[g_element.stage],
                                      tk::accumulate_never{});
                        tk::mma_wait<0>(t18, t17);
                        tk::map(e, [](float t18) { return tk::exp2(t18 * 1.442695f); }, t18);

                        // kimi_delta.tk:97: r = exp2(mma(TG(where(col_index(a) > row_index(a), ..
                        tk::fragment<tk::f16, 64, 64> t19;
                        tk::map(t19, thread, [](int row, int col) {
                            return col > row ? 1.0f : 0.0f;
                        });
                        tk::fragment<float, 64, 64> t20;
                        tk::mma_async(t20, t19, shared.gs_tile[g_element.stage],
                                      tk::accumulate_never{});
                        tk::mma_wait<0>(t20, t19);
                        tk::map(r, [](float t20) { return tk::exp2(t20 * 1.442695f); }, t20);

                        // kimi_delta.tk:31: for b in 0..count {
                        tk::barrier_sync(2, 128);
                        for (int b_2 = 0; b_2 < count; b_2 += 1) {
                            // gated_linear_attention.tk:28: var x: f32[L, 1] = 0;
                            tk::zero(x_3);

                            // kimi_delta.tk:33: let f = exp2(mma(r, g) * LOG2E);
                            tk::fragment<tk::f16, 64, 64> t21;
                            tk::map(t21, thread, [&](int row, int col) {
                                const int x_5 = row >> (b_2 & 31);
                                const bool x_6 = (x_5 & 1) == 1;
                                const int x_7 = x_5 << (b_2 & 31);
                                const int x_8 = row + 1;
                                return col >= (x_6 ? x_7 : x_8) &&
                                    col < (x_6 ? x_8 : tk::wrapping_add(x_7, 1 << (b_2 & 31)))
                                    ? 1.0f : 0.0f;
                            });
                            tk::fragment<float, 64, 64> t22;
                            tk::mma_async(t22, t21, shared.gs_tile[g_element.stage],
                                          tk::accumulate_never{});
                            tk::mma_wait<0>(t22, t21);
                            tk::fragment<float, 64, 64> f;
                            tk::map(f, [](float t22) { return tk::exp2(t22 * 1.442695f); }, t22);

                            // kimi_delta.tk:34: let y = mma(T(q * f), shared(T(k * f)).T);
                            tk::fragment<tk::bf16, 64, 64> t32;
                            tk::load_shared(t32, shared.qs_tile[g_element.stage], thread);
                            tk::fragment<tk::bf16, 64, 64> t23;
                            tk::map(t23, [](tk::bf16 t32, float f) { return float(t32) * f; },
                                    t32, f);
                            tk::fragment<tk::bf16, 64, 64> t33;
                            tk::load_shared(t33, shared.ks_tile[g_element.stage], thread);
                            tk::fragment<tk::bf16, 64, 64> t24;
                            tk::map(t24, [](tk::bf16 t33, float f) { return float(t33) * f; },
                                    t33, f);
                            tk::store_shared(shared.queries_t25[b_2 % 2], t24, thread);
                            tk::fence_async();
                            tk::barrier_sync(2, 128);
                            tk::fragment<float, 64, 64> y;
                            tk::mma_async(y, t23, tk::transposed(shared.queries_t25[b_2 % 2]),
                                          tk::accumulate_never{});

                            // gated_linear_attention.tk:38: var x: f32[L, 1] = 0;
                            tk::zero(x_4);

                            // gated_linear_attention.tk:40: let c = b - 1;
                            const int c_2 = b_2;
                            tk::mma_wait<0>(y, t23);

                            // kimi_delta.tk:35: a += where(gated_linear_attention.inside<L>(a, ..
                            tk::map(a, thread, [&](int row, int col, float a, float y) {
                                const bool x_5 = b_2 + 1 == 0;
                                const int x_6 = row >> (c_2 & 31);
                                const int x_7 = x_6 << (c_2 & 31);
                                return a +
                                    (col >=
                                     (x_5 ? row : tk::wrapping_subtract(x_7, 1 << (c_2 & 31))) &&
                                     col < (x_5 ? row + 1 : (x_6 & 1) == 1 ? x_7 : 0) ? y : 0.0f);
                            }, a, y);
                        }
                    }
                    shared.gs.release_after_loads(g_element);

                    // kimi_delta.tk:100: tma_store(Queries[b, t, h.start + i, c], T(q * (e * ..
                    tk::fragment<tk::bf16, 64, 64> t34;
                    tk::load_shared(t34, shared.qs_tile[g_element.stage], thread);
                    shared.qs.release_after_loads(g_element);
                    #pragma unroll
                    for (int panel = 0; panel < 64; panel += 64) {
                        if (leader) tk::tma_store_wait_read<0>();
                        tk::barrier_sync(1, 128);
                        tk::fragment<tk::bf16, 64, 64> t27;
                        tk::map(t27, [&](tk::bf16 t34, float e) {
                            return float(t34) * (e * scale);
                        }, t34, e);
                        tk::store_shared(shared.queries_Queries[0], t27, thread);
                        tk::fence_async();
                        tk::barrier_sync(1, 128);
                        if (leader) {
                            tk::tma_store(Queries_map, shared.queries_Queries[0], b, t, h + i,
                                          c + panel);
                        }
                    }

                    // kimi_delta.tk:101: tma_store(Keys[b, t, h.start + i, c], T(k * e));
                    tk::fragment<tk::bf16, 64, 64> t35;
                    tk::load_shared(t35, shared.ks_tile[g_element.stage], thread);
                    #pragma unroll
                    for (int panel = 0; panel < 64; panel += 64) {
                        if (leader) tk::tma_store_wait_read<0>();
                        tk::barrier_sync(1, 128);
                        tk::fragment<tk::bf16, 64, 64> t28;
                        tk::map(t28, [](tk::bf16 t35, float e) { return float(t35) * e; }, t35, e);
                        tk::store_shared(shared.queries_Keys[0], t28, thread);
                        tk::fence_async();
                        tk::barrier_sync(1, 128);
                        if (leader) {
                            tk::tma_store(Keys_map, shared.queries_Keys[0], b, t, h + i, c + panel);
                        }
                    }

                    // kimi_delta.tk:102: tma_store(Rest[b, t, h.start + i, c], T(k * r));
                    tk::fragment<tk::bf16, 64, 64> t36;
                    tk::load_shared(t36, shared.ks_tile[g_element.stage], thread);
                    shared.ks.release_after_loads(g_element);
                    #pragma unroll
                    for (int panel = 0; panel < 64; panel += 64) {
                        if (leader) tk::tma_store_wait_read<0>();
                        tk::barrier_sync(1, 128);
                        tk::fragment<tk::bf16, 64, 64> t29;
                        tk::map(t29, [](tk::bf16 t36, float r) { return float(t36) * r; }, t36, r);
                        tk::store_shared(shared.queries_Rest[0], t29, thread);
                        tk::fence_async();
                        tk::barrier_sync(1, 128);
                        if (leader) {
                            tk::tma_store(Rest_map, shared.queries_Rest[0], b, t, h + i, c + panel);
                        }
                    }
                }

                // kimi_delta.tk:104: tma_store(A[b, h.start + i, t.start +: L, :], ..
                #pragma unroll
                for (int panel = 0; panel < 64; panel += 64) {
                    if (leader) tk::tma_store_wait_read<0>();
                    tk::barrier_sync(1, 128);
                    tk::fragment<tk::bf16, 64, 64> t30;
                    tk::map(t30, thread, [&](int row, int col, float a) {
                        return col <= row ? a * scale : 0.0f;
                    }, a);
                    tk::store_shared(shared.queries_A[0], t30, thread);
                    tk::fence_async();
                    tk::barrier_sync(1, 128);
                    if (leader) tk::tma_store(A_map, shared.queries_A[0], b, h + i, t, panel);
                }
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    } else {
        // kimi_delta.tk:107: role keys(1 warpgroup) {
        tk::registers_at_least<240>();
        const int h_tiles = tk::tiles(H, 2);
        const int t_tiles = tk::tiles(N, 64);
        const int programs = h_tiles * t_tiles * B;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> ks_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int h = program % h_tiles * 2;
            const int t = program / h_tiles % t_tiles * 64;
            const int b = program / (h_tiles * t_tiles);

            // gated_linear_attention.tk:48: var x: f32[L, L] = 0;
            tk::fragment<float, 64, 64> x;
            tk::zero(x);

            // kimi_delta.tk:108: let middle = shared(TG(gated_linear_attention.from_middle<L>()));
            tk::fragment<tk::f16, 64, 64> t0;
            tk::map(t0, thread, [](int row, int col) {
                return row >= 32 ? (col >= 32 && col <= row ? 1.0f : 0.0f) : col > row && col < 32
                    ? -1.0f : 0.0f;
            });
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.keys_middle[0], t0, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);

            // kimi_delta.tk:109: var m0: f32[L, L] = 0;
            tk::fragment<float, 64, 64> m0;
            tk::zero(m0);

            // kimi_delta.tk:110: var m1: f32[L, L] = 0;
            tk::fragment<float, 64, 64> m1;
            tk::zero(m1);

            // kimi_delta.tk:111: for i in 2 {
            tk::column_fragment<float, 64> x_3;
            tk::column_fragment<float, 64> x_4;
            for (int i = 0; i < 2; i += 1) {
                // kimi_delta.tk:112: var m: f32[L, L] = 0;
                tk::fragment<float, 64, 64> m;
                tk::zero(m);

                // kimi_delta.tk:113: for c in DK by 64 {
                for (int c = 0; c < 128; c += 64) {
                    // kimi_delta.tk:114: let k = consume ks;
                    const tk::cursor<2> k_element = shared.ks.take(ks_next);

                    // kimi_delta.tk:115: let g = consume gs;
                    shared.gs.wait_full(k_element);

                    // kimi_delta.tk:116: let x = mma(middle, g);
                    tk::fragment<float, 64, 64> x_2;
                    tk::mma_async(x_2, shared.keys_middle[0], shared.gs_tile[k_element.stage],
                                  tk::accumulate_never{});

                    // gated_linear_attention.tk:57: let reach = if T == bf16 { 40.0 } else { ..
                    const float reach = 40.0f;
                    tk::mma_wait<0>(x_2);

                    // gated_linear_attention.tk:58: return scalar(where(max(max(pad(abs(x), axis ..
                    tk::fragment<float, 64, 64> t3;
                    tk::map(t3, [](float x_2) { return tk::abs(x_2); }, x_2);
                    tk::column_fragment<float, 64> t4;
                    tk::fold_rows(t4, t3, tk::maximum{}, thread);
                    tk::finish_rows(t4, tk::maximum{});
                    tk::row_fragment<float, 1> t5;
                    tk::reduce_columns(t5, t4, shared.keys_f32_rows_1[0], tk::maximum{}, thread, 4);
                    tk::row_fragment<int, 1> t6;
                    tk::map(t6, [&](float t5) { return t5 <= reach ? 0 : 6; }, t5);
                    const int number = t6.cell(0);

                    // kimi_delta.tk:117: let count = gated_linear_attention.levels<T, L>(x);
                    const int count = number;

                    // kimi_delta.tk:118: if T == bf16 and count == 0 {
                    if (count == 0) {
                        // <std.parts>:15: let high = T(x);
                        tk::fragment<tk::bf16, 64, 64> t1;
                        tk::load_shared(t1, shared.ks_tile[k_element.stage], thread);
                        tk::fragment<tk::bf16, 64, 64> high;
                        tk::map(high, [](tk::bf16 t1, float x_2) {
                            return float(t1) * tk::exp2(x_2 * 1.442695f);
                        }, t1, x_2);

                        // kimi_delta.tk:20: let queries = parts.split<T>(q * f);
                        tk::fragment<tk::bf16, 64, 64> t2;
                        tk::load_shared(t2, shared.ks_tile[k_element.stage], thread);
                        tk::fragment<tk::bf16, 64, 64> queries_low;
                        tk::map(queries_low, [](tk::bf16 t2, float x_2, tk::bf16 high) {
                            return tk::fma(float(t2), tk::exp2(x_2 * 1.442695f), -float(high));
                        }, t2, x_2, high);
                        // <std.parts>:15
                        tk::fragment<tk::bf16, 64, 64> t7;
                        tk::load_shared(t7, shared.ks_tile[k_element.stage], thread);
                        tk::fragment<tk::bf16, 64, 64> high_2;
                        tk::map(high_2, [](tk::bf16 t7, float x_2) {
                            return float(t7) * tk::exp2(x_2 * -1.442695f);
                        }, t7, x_2);

                        // kimi_delta.tk:21: let keys = parts.split<T>(k * until);
                        tk::fragment<tk::bf16, 64, 64> t8;
                        tk::load_shared(t8, shared.ks_tile[k_element.stage], thread);
                        tk::fragment<tk::bf16, 64, 64> keys_low;
                        tk::map(keys_low, [](tk::bf16 t8, float x_2, tk::bf16 high_2) {
                            return tk::fma(float(t8), tk::exp2(x_2 * -1.442695f), -float(high_2));
                        }, t8, x_2, high_2);

                        // kimi_delta.tk:22: let high = shared(keys.high);
                        tk::barrier_sync(4, 128);
                        tk::store_shared(shared.keys_high_3[0], high_2, thread);
                        tk::fence_async();
                        tk::barrier_sync(4, 128);

                        // kimi_delta.tk:23: let low  = shared(keys.low);
                        tk::barrier_sync(4, 128);
                        tk::store_shared(shared.keys_low[0], keys_low, thread);
                        tk::fence_async();
                        tk::barrier_sync(4, 128);

                        // kimi_delta.tk:24: a += mma(queries.high, high.T);
                        tk::mma_async(m, high, tk::transposed(shared.keys_high_3[0]));

                        // kimi_delta.tk:25: a += mma(queries.high, low.T);
                        tk::mma_async(m, high, tk::transposed(shared.keys_low[0]));

                        // kimi_delta.tk:26: a += mma(queries.low, high.T);
                        tk::mma_async(m, queries_low, tk::transposed(shared.keys_high_3[0]));
                        tk::mma_wait<0>(m, high, queries_low);
                    } else {
                        // kimi_delta.tk:31: for b in 0..count {
                        tk::barrier_sync(4, 128);
                        for (int b_2 = 0; b_2 < count; b_2 += 1) {
                            // gated_linear_attention.tk:28: var x: f32[L, 1] = 0;
                            tk::zero(x_3);

                            // kimi_delta.tk:33: let f = exp2(mma(r, g) * LOG2E);
                            tk::fragment<tk::f16, 64, 64> t9;
                            tk::map(t9, thread, [&](int row, int col) {
                                const int x_5 = row >> (b_2 & 31);
                                const bool x_6 = (x_5 & 1) == 1;
                                const int x_7 = x_5 << (b_2 & 31);
                                const int x_8 = row + 1;
                                return col >= (x_6 ? x_7 : x_8) &&
                                    col < (x_6 ? x_8 : tk::wrapping_add(x_7, 1 << (b_2 & 31)))
                                    ? 1.0f : 0.0f;
                            });
                            tk::fragment<float, 64, 64> t10;
                            tk::mma_async(t10, t9, shared.gs_tile[k_element.stage],
                                          tk::accumulate_never{});

                            // kimi_delta.tk:34: let y = mma(T(q * f), shared(T(k * f)).T);
                            tk::fragment<tk::bf16, 64, 64> t14;
                            tk::load_shared(t14, shared.ks_tile[k_element.stage], thread);
                            tk::mma_wait<0>(t10, t9);
                            tk::fragment<tk::bf16, 64, 64> t11;
                            tk::map(t11, [](float t10, tk::bf16 t14) {
                                return float(t14) * tk::exp2(t10 * 1.442695f);
                            }, t10, t14);
                            tk::store_shared(shared.keys_t13[b_2 % 2], t11, thread);
                            tk::fence_async();
                            tk::barrier_sync(4, 128);
                            tk::fragment<float, 64, 64> y;
                            tk::mma_async(y, t11, tk::transposed(shared.keys_t13[b_2 % 2]),
                                          tk::accumulate_never{});

                            // gated_linear_attention.tk:38: var x: f32[L, 1] = 0;
                            tk::zero(x_4);

                            // gated_linear_attention.tk:40: let c = b - 1;
                            const int c_2 = b_2;
                            tk::mma_wait<0>(y, t11);

                            // kimi_delta.tk:35: a += where(gated_linear_attention.inside<L>(a, ..
                            tk::map(m, thread, [&](int row, int col, float m, float y) {
                                const bool x_5 = b_2 + 1 == 0;
                                const int x_6 = row >> (c_2 & 31);
                                const int x_7 = x_6 << (c_2 & 31);
                                return m +
                                    (col >=
                                     (x_5 ? row : tk::wrapping_subtract(x_7, 1 << (c_2 & 31))) &&
                                     col < (x_5 ? row + 1 : (x_6 & 1) == 1 ? x_7 : 0) ? y : 0.0f);
                            }, m, y);
                        }
                    }
                    shared.gs.release(k_element);
                    shared.ks.release_after_loads(k_element);
                }

                // kimi_delta.tk:124: m0 = m1;
                m0 = m1;

                // kimi_delta.tk:125: let beta = f32(load(Beta[b, t, h.start + i]));
                tk::row_fragment<float, 64> beta;
                tk::load_global(beta,
                                tk::slice<tk::no_axis, 1>(Beta, {b, t, h + i}, 1,
                                                          h + i < H ? N - t : 0), thread);

                // kimi_delta.tk:126: store(C[b, h.start + i, t.start +: L], beta);
                tk::store_global(
                    tk::slice<tk::no_axis, 2>(C, {b, h + i, t}, 1,
                                              h + i < H ? tk::divide_up(N, 64) * 64 - t : 0), beta,
                    thread);

                // kimi_delta.tk:127: m1 = gated_delta.strictly_lower(m * column(beta));
                tk::map(m1, thread, [&](int row, int col, float m) {
                    const int x_5 = N - t;
                    return col < x_5
                        ? (row < x_5
                           ? (row > col
                              ? m *
                              (b < B && t + row < N && h + i < H ? tk::cell(Beta, b, t + row, h + i)
                               : float{}) : 0.0f) : 0.0f) : 0.0f;
                }, m);
            }

            // <std.triangular>:55: return rounded_inverses(shared(f16(m0)), shared(f16(m1)));
            tk::fragment<tk::f16, 64, 64> t16 = tk::convert<tk::f16>(m0);
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.keys_t17[0], t16, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);
            tk::fragment<tk::f16, 64, 64> t18 = tk::convert<tk::f16>(m1);
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.keys_t19[0], t18, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);

            // <std.triangular>:60: var like: f32[64, 16] = 0;
            tk::fragment<float, 64, 16> like;
            tk::zero(like);

            // <std.triangular>:63: shared r0: f16[64, 64] = 0;
            tk::fragment<tk::f16, 64, 64> t20;
            tk::map(t20, []() { return tk::f16(0.0f); });
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.keys_r0[0], t20, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);

            // <std.triangular>:64: shared r1: f16[64, 64] = 0;
            tk::fragment<tk::f16, 64, 64> t21;
            tk::map(t21, []() { return tk::f16(0.0f); });
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.keys_r1[0], t21, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);

            // <std.triangular>:65: var v0 = inverses_of_pairs(f32(s0));
            tk::fragment<tk::f16, 64, 64> t15;
            tk::load_shared(t15, shared.keys_t17[0], thread);
            tk::fragment<float, 64, 64> v0;
            tk::map(v0, thread, [](int row, int col, tk::f16 t15) {
                return row == col ? 1.0f : row >> 1 == col >> 1 ? -float(t15) : 0.0f;
            }, t15);

            // <std.triangular>:66: var v1 = inverses_of_pairs(f32(s1));
            tk::fragment<tk::f16, 64, 64> t24;
            tk::load_shared(t24, shared.keys_t19[0], thread);
            tk::fragment<float, 64, 64> v1;
            tk::map(v1, thread, [](int row, int col, tk::f16 t24) {
                return row == col ? 1.0f : row >> 1 == col >> 1 ? -float(t24) : 0.0f;
            }, t24);

            // <std.triangular>:67: for b in 1..4 {
            for (int b_3 = 1; b_3 < 4; b_3 += 1) {
                // <std.triangular>:69: let h0 = f16(v0);
                tk::fragment<tk::f16, 64, 64> h0 = tk::convert<tk::f16>(v0);

                // <std.triangular>:18: return { a = mma(h[:, 0 +: 16], m[0 +: 16, 0 +: 16]), b = ..
                tk::fragment<tk::f16, 64, 16> t22;
                tk::slice_registers<0, 0>(t22, h0);
                tk::fragment<float, 64, 16> x0_a;
                tk::mma_async(x0_a, t22, tk::part<0, 0, 16, 16>(shared.keys_t17[0]),
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 16> t25;
                tk::slice_registers<0, 4>(t25, h0);
                tk::fragment<float, 64, 16> x0_b;
                tk::mma_async(x0_b, t25, tk::part<16, 16, 16, 16>(shared.keys_t17[0]),
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 16> t28;
                tk::slice_registers<0, 8>(t28, h0);
                tk::fragment<float, 64, 16> x0_c;
                tk::mma_async(x0_c, t28, tk::part<32, 32, 16, 16>(shared.keys_t17[0]),
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 16> t31;
                tk::slice_registers<0, 12>(t31, h0);
                tk::fragment<float, 64, 16> x0_d;
                tk::mma_async(x0_d, t31, tk::part<48, 48, 16, 16>(shared.keys_t17[0]),
                              tk::accumulate_never{});

                // <std.triangular>:71: r0 = h0;
                tk::barrier_sync(4, 128);
                tk::store_shared(shared.keys_r0[0], h0, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);
                tk::mma_wait<3>(x0_a, t22);

                // <std.triangular>:72: let w0 = negated(x0, inside);
                tk::fragment<tk::f16, 64, 16> w0_a;
                tk::map(w0_a, thread, [&](int row, int col, float x0_a) {
                    const int x_5 = (row & 15) >> (b_3 & 31);
                    return ((x_5 & 1) == 1 ? x_5 - 1 : -1) == col >> (b_3 & 31) ? -x0_a : 0.0f;
                }, x0_a);
                tk::hold_waits(warp);
                tk::mma_wait<2>(x0_b, t25);
                tk::fragment<tk::f16, 64, 16> w0_b;
                tk::map(w0_b, thread, [&](int row, int col, float x0_b) {
                    const int x_5 = (row & 15) >> (b_3 & 31);
                    return ((x_5 & 1) == 1 ? x_5 - 1 : -1) == col >> (b_3 & 31) ? -x0_b : 0.0f;
                }, x0_b);
                tk::hold_waits(warp);
                tk::mma_wait<1>(x0_c, t28);
                tk::fragment<tk::f16, 64, 16> w0_c;
                tk::map(w0_c, thread, [&](int row, int col, float x0_c) {
                    const int x_5 = (row & 15) >> (b_3 & 31);
                    return ((x_5 & 1) == 1 ? x_5 - 1 : -1) == col >> (b_3 & 31) ? -x0_c : 0.0f;
                }, x0_c);
                tk::hold_waits(warp);
                tk::mma_wait<0>(x0_d, t31);
                tk::fragment<tk::f16, 64, 16> w0_d;
                tk::map(w0_d, thread, [&](int row, int col, float x0_d) {
                    const int x_5 = (row & 15) >> (b_3 & 31);
                    return ((x_5 & 1) == 1 ? x_5 - 1 : -1) == col >> (b_3 & 31) ? -x0_d : 0.0f;
                }, x0_d);

                // <std.triangular>:73: let h1 = f16(v1);
                tk::fragment<tk::f16, 64, 64> h1 = tk::convert<tk::f16>(v1);
                // <std.triangular>:18
                tk::fragment<tk::f16, 64, 16> t34;
                tk::slice_registers<0, 0>(t34, h1);
                tk::fragment<float, 64, 16> x1_a;
                tk::mma_async(x1_a, t34, tk::part<0, 0, 16, 16>(shared.keys_t19[0]),
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 16> t37;
                tk::slice_registers<0, 4>(t37, h1);
                tk::fragment<float, 64, 16> x1_b;
                tk::mma_async(x1_b, t37, tk::part<16, 16, 16, 16>(shared.keys_t19[0]),
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 16> t40;
                tk::slice_registers<0, 8>(t40, h1);
                tk::fragment<float, 64, 16> x1_c;
                tk::mma_async(x1_c, t40, tk::part<32, 32, 16, 16>(shared.keys_t19[0]),
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 16> t43;
                tk::slice_registers<0, 12>(t43, h1);
                tk::fragment<float, 64, 16> x1_d;
                tk::mma_async(x1_d, t43, tk::part<48, 48, 16, 16>(shared.keys_t19[0]),
                              tk::accumulate_never{});

                // <std.triangular>:26: v += mma(x.a, h[0 +: 16, :]);
                tk::mma_async(v0, w0_a, tk::part<0, 0, 16, 64>(shared.keys_r0[0]));

                // <std.triangular>:27: v += mma(x.b, h[16 +: 16, :]);
                tk::mma_async(v0, w0_b, tk::part<16, 0, 16, 64>(shared.keys_r0[0]));

                // <std.triangular>:28: v += mma(x.c, h[32 +: 16, :]);
                tk::mma_async(v0, w0_c, tk::part<32, 0, 16, 64>(shared.keys_r0[0]));

                // <std.triangular>:29: v += mma(x.d, h[48 +: 16, :]);
                tk::mma_async(v0, w0_d, tk::part<48, 0, 16, 64>(shared.keys_r0[0]));

                // <std.triangular>:76: r1 = h1;
                tk::barrier_sync(4, 128);
                tk::store_shared(shared.keys_r1[0], h1, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);
                tk::mma_wait<7>(x1_a, t34);
                // <std.triangular>:26
                tk::fragment<tk::f16, 64, 16> t50;
                tk::map(t50, thread, [&](int row, int col, float x1_a) {
                    const int x_5 = (row & 15) >> (b_3 & 31);
                    return ((x_5 & 1) == 1 ? x_5 - 1 : -1) == col >> (b_3 & 31) ? -x1_a : 0.0f;
                }, x1_a);
                tk::mma_async(v1, t50, tk::part<0, 0, 16, 64>(shared.keys_r1[0]));
                tk::mma_wait<7>(x1_b, t37);
                // <std.triangular>:27
                tk::fragment<tk::f16, 64, 16> t52;
                tk::map(t52, thread, [&](int row, int col, float x1_b) {
                    const int x_5 = (row & 15) >> (b_3 & 31);
                    return ((x_5 & 1) == 1 ? x_5 - 1 : -1) == col >> (b_3 & 31) ? -x1_b : 0.0f;
                }, x1_b);
                tk::mma_async(v1, t52, tk::part<16, 0, 16, 64>(shared.keys_r1[0]));
                tk::mma_wait<7>(x1_c, t40);
                // <std.triangular>:28
                tk::fragment<tk::f16, 64, 16> t54;
                tk::map(t54, thread, [&](int row, int col, float x1_c) {
                    const int x_5 = (row & 15) >> (b_3 & 31);
                    return ((x_5 & 1) == 1 ? x_5 - 1 : -1) == col >> (b_3 & 31) ? -x1_c : 0.0f;
                }, x1_c);
                tk::mma_async(v1, t54, tk::part<32, 0, 16, 64>(shared.keys_r1[0]));
                tk::mma_wait<7>(x1_d, t43);
                // <std.triangular>:29
                tk::fragment<tk::f16, 64, 16> t56;
                tk::map(t56, thread, [&](int row, int col, float x1_d) {
                    const int x_5 = (row & 15) >> (b_3 & 31);
                    return ((x_5 & 1) == 1 ? x_5 - 1 : -1) == col >> (b_3 & 31) ? -x1_d : 0.0f;
                }, x1_d);
                tk::mma_async(v1, t56, tk::part<48, 0, 16, 64>(shared.keys_r1[0]));
                tk::mma_wait<0>(v0, v1, w0_a, w0_b, w0_c, w0_d, t50, t52, t54, t56);
            }

            // <std.triangular>:79: let h0 = f16(v0);
            tk::fragment<tk::f16, 64, 64> h0_2 = tk::convert<tk::f16>(v0);

            // <std.triangular>:36: return { a = mma(h[:, 16 +: 16], m[16 +: 16, 0 +: 16]), b = ..
            tk::fragment<tk::f16, 64, 16> t58;
            tk::slice_registers<0, 4>(t58, h0_2);
            tk::fragment<float, 64, 16> y0_a;
            tk::mma_async(y0_a, t58, tk::part<16, 0, 16, 16>(shared.keys_t17[0]),
                          tk::accumulate_never{});
            tk::fragment<tk::f16, 64, 16> t61;
            tk::slice_registers<0, 12>(t61, h0_2);
            tk::fragment<float, 64, 16> y0_b;
            tk::mma_async(y0_b, t61, tk::part<48, 32, 16, 16>(shared.keys_t17[0]),
                          tk::accumulate_never{});

            // <std.triangular>:81: r0 = h0;
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.keys_r0[0], h0_2, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);

            // <std.triangular>:82: let h1 = f16(v1);
            tk::fragment<tk::f16, 64, 64> h1_2 = tk::convert<tk::f16>(v1);
            // <std.triangular>:36
            tk::fragment<tk::f16, 64, 16> t64;
            tk::slice_registers<0, 4>(t64, h1_2);
            tk::fragment<float, 64, 16> y1_a;
            tk::mma_async(y1_a, t64, tk::part<16, 0, 16, 16>(shared.keys_t19[0]),
                          tk::accumulate_never{});
            tk::fragment<tk::f16, 64, 16> t67;
            tk::slice_registers<0, 12>(t67, h1_2);
            tk::fragment<float, 64, 16> y1_b;
            tk::mma_async(y1_b, t67, tk::part<48, 32, 16, 16>(shared.keys_t19[0]),
                          tk::accumulate_never{});
            tk::mma_wait<3>(y0_a, t58);

            // <std.triangular>:39: v += mma(f16(-x.a), h[0 +: 16, :]);
            tk::fragment<tk::f16, 64, 16> t70;
            tk::map(t70, [](float y0_a) { return -y0_a; }, y0_a);
            tk::mma_async(v0, t70, tk::part<0, 0, 16, 64>(shared.keys_r0[0]));
            tk::mma_wait<3>(y0_b, t61);

            // <std.triangular>:40: v += mma(f16(-x.b), h[32 +: 16, :]);
            tk::fragment<tk::f16, 64, 16> t72;
            tk::map(t72, [](float y0_b) { return -y0_b; }, y0_b);
            tk::mma_async(v0, t72, tk::part<32, 0, 16, 64>(shared.keys_r0[0]));

            // <std.triangular>:85: r1 = h1;
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.keys_r1[0], h1_2, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);
            tk::mma_wait<3>(y1_a, t64);
            // <std.triangular>:39
            tk::fragment<tk::f16, 64, 16> t74;
            tk::map(t74, [](float y1_a) { return -y1_a; }, y1_a);
            tk::mma_async(v1, t74, tk::part<0, 0, 16, 64>(shared.keys_r1[0]));
            tk::mma_wait<3>(y1_b, t67);
            // <std.triangular>:40
            tk::fragment<tk::f16, 64, 16> t76;
            tk::map(t76, [](float y1_b) { return -y1_b; }, y1_b);
            tk::mma_async(v1, t76, tk::part<32, 0, 16, 64>(shared.keys_r1[0]));
            tk::mma_wait<2>(v0, t70, t72);

            // <std.triangular>:87: let g0 = f16(v0);
            tk::fragment<tk::f16, 64, 64> g0 = tk::convert<tk::f16>(v0);

            // <std.triangular>:42: fn below_half(h: f16[64, 64], m: f16[64, 64]) -> f32[64, 32] ..
            tk::fragment<tk::f16, 64, 32> t78;
            tk::slice_registers<0, 8>(t78, g0);
            tk::fragment<float, 64, 32> z0;
            tk::mma_async(z0, t78, tk::part<32, 0, 32, 32>(shared.keys_t17[0]),
                          tk::accumulate_never{});

            // <std.triangular>:89: r0 = g0;
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.keys_r0[0], g0, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);
            tk::mma_wait<1>(v1, t74, t76);

            // <std.triangular>:90: let g1 = f16(v1);
            tk::fragment<tk::f16, 64, 64> g1 = tk::convert<tk::f16>(v1);
            // <std.triangular>:42
            tk::fragment<tk::f16, 64, 32> t81;
            tk::slice_registers<0, 8>(t81, g1);
            tk::fragment<float, 64, 32> z1;
            tk::mma_async(z1, t81, tk::part<32, 0, 32, 32>(shared.keys_t19[0]),
                          tk::accumulate_never{});
            tk::mma_wait<1>(z0, t78);

            // <std.triangular>:43: fn subtract_half(inout v: f32[64, 64], x: f32[64, 32], h: ..
            tk::fragment<tk::f16, 64, 32> t84;
            tk::map(t84, [](float z0) { return -z0; }, z0);
            tk::mma_async(v0, t84, tk::part<0, 0, 32, 64>(shared.keys_r0[0]));

            // <std.triangular>:93: r1 = g1;
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.keys_r1[0], g1, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);
            tk::mma_wait<1>(z1, t81);
            // <std.triangular>:43
            tk::fragment<tk::f16, 64, 32> t86;
            tk::map(t86, [](float z1) { return -z1; }, z1);
            tk::mma_async(v1, t86, tk::part<0, 0, 32, 64>(shared.keys_r1[0]));
            tk::mma_wait<1>(v0, t84);

            // kimi_delta.tk:130: tma_store(Inverse[b, h.start, t.start +: L, :], T(x.a));
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(3, 128);
                tk::fragment<tk::bf16, 64, 64> t88;
                tk::map(t88, thread, [](int row, int col, float v0) {
                    return row == col ? 0.0f : v0;
                }, v0);
                tk::store_shared(shared.keys_Inverse[0], t88, thread);
                tk::fence_async();
                tk::barrier_sync(3, 128);
                if (leader) tk::tma_store(Inverse_map, shared.keys_Inverse[0], b, h, t, panel);
            }
            tk::mma_wait<0>(v1, t86);

            // kimi_delta.tk:131: tma_store(Inverse[b, h.start + 1, t.start +: L, :], T(x.b));
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(3, 128);
                tk::fragment<tk::bf16, 64, 64> t89;
                tk::map(t89, thread, [](int row, int col, float v1) {
                    return row == col ? 0.0f : v1;
                }, v1);
                tk::store_shared(shared.keys_Inverse[0], t89, thread);
                tk::fence_async();
                tk::barrier_sync(3, 128);
                if (leader) tk::tma_store(Inverse_map, shared.keys_Inverse[0], b, h + 1, t, panel);
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

namespace {
tk::status launch_kimi_delta_pairs_T_bf16_TG_f16_TB_f32_DK_128(
    const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K, const tk::tensor& G,
    const tk::tensor& Beta, const tk::tensor& Queries, const tk::tensor& Keys,
    const tk::tensor& Rest, const tk::tensor& A, const tk::tensor& Inverse, const tk::tensor& Left,
    const tk::tensor& C, int64_t B, int64_t N, int64_t H, float scale) {
    return tk::run<kimi_delta_pairs_T_bf16_TG_f16_TB_f32_DK_128_kernel>(
        site, sizeof(kimi_delta_pairs_T_bf16_TG_f16_TB_f32_DK_128_shared),
        tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(H, 2), tk::ceil_div(N, 64)), B),
        tk::box{G, {1, 64, 1, 64}, 128}, tk::box{K, {1, 64, 1, 64}, 128},
        tk::box{Q, {1, 64, 1, 64}, 128}, tk::box{Queries, {1, 64, 1, 64}, 128},
        tk::box{Keys, {1, 64, 1, 64}, 128}, tk::box{Rest, {1, 64, 1, 64}, 128},
        tk::box{A, {1, 1, 64, 64}, 128}, tk::box{Inverse, {1, 1, 64, 64}, 128}, Beta, Left, C, B, N,
        H, scale);
}

tk::status launch_before(const tk::launch_site& site, const tk::tensor& Keys,
                         const tk::tensor& Rest, const tk::tensor& V, const tk::tensor& Inverse,
                         const tk::tensor& Left, const tk::tensor& C, const tk::tensor& S0,
                         const tk::tensor& U, const tk::tensor& Before, int64_t B, int64_t N,
                         int64_t H, int64_t J) {
    return tk::run<before_kernel>(
        site, sizeof(before_shared), tk::kernel_shape(256).overlapping(), tk::multiply(2 * H, B),
        tk::box{Keys, {1, 64, 1, 64}, 128}, tk::box{V, {1, 64, 1, 64}, 128},
        tk::box{C, {1, 1, 64}, 0}, tk::box{Inverse, {1, 1, 64, 64}, 128},
        tk::box{Left, {1, 1, 1, 128}, 0}, tk::box{Rest, {1, 64, 1, 64}, 128},
        tk::box{Before, {1, 1, 64, 64}, 128}, tk::box{U, {1, 1, 64, 64}, 128}, S0, B, N, H, J);
}

tk::status launch_behind(const tk::launch_site& site, const tk::tensor& Queries,
                         const tk::tensor& Keys, const tk::tensor& Rest, const tk::tensor& dO,
                         const tk::tensor& A, const tk::tensor& Inverse, const tk::tensor& Left,
                         const tk::tensor& C, const tk::tensor& dState, const tk::tensor& Y,
                         const tk::tensor& Behind, const tk::tensor& dV, const tk::tensor& dS0,
                         int64_t B, int64_t N, int64_t H, int64_t F, int64_t M, int64_t I) {
    return tk::run<behind_kernel>(
        site, sizeof(behind_shared), tk::kernel_shape(256).overlapping(), tk::multiply(2 * H, B),
        tk::box{Rest, {1, 64, 1, 64}, 128}, tk::box{dO, {1, 64, 1, 64}, 128},
        tk::box{A, {1, 1, 64, 64}, 128}, tk::box{Left, {1, 1, 1, 128}, 0},
        tk::box{C, {1, 1, 64}, 0}, tk::box{Inverse, {1, 1, 64, 64}, 128},
        tk::box{Keys, {1, 64, 1, 64}, 128}, tk::box{Queries, {1, 64, 1, 64}, 128},
        tk::box{Behind, {1, 1, 64, 64}, 128}, tk::box{Y, {1, 64, 1, 64}, 128},
        tk::box{dV, {1, 64, 1, 64}, 128}, dState, dS0, B, N, H, F, M, I);
}

tk::status launch_chunks(
    const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K, const tk::tensor& G,
    const tk::tensor& Beta, const tk::tensor& dO, const tk::tensor& U, const tk::tensor& Y,
    const tk::tensor& Before, const tk::tensor& Behind, const tk::tensor& dQ, const tk::tensor& dK,
    const tk::tensor& dG, const tk::tensor& Read, int64_t B, int64_t N, int64_t H, float scale) {
    return tk::run<chunks_kernel>(
        site, sizeof(chunks_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::multiply(2 * tk::ceil_div(N, 64), H), B), tk::box{Y, {1, 64, 1, 64}, 128},
        tk::box{U, {1, 1, 128, 64}, 128}, tk::box{dO, {1, 64, 1, 64}, 128},
        tk::box{G, {1, 64, 1, 64}, 128}, tk::box{K, {1, 64, 1, 64}, 128},
        tk::box{Q, {1, 64, 1, 64}, 128}, tk::box{Before, {1, 1, 128, 64}, 128},
        tk::box{Behind, {1, 1, 128, 64}, 128}, tk::box{dQ, {1, 64, 1, 64}, 128},
        tk::box{dK, {1, 64, 1, 64}, 128}, tk::box{dG, {1, 64, 1, 64}, 128}, Beta, Read, B, N, H,
        scale);
}

tk::status launch_beta_gradients(const tk::launch_site& site, const tk::tensor& V,
                                 const tk::tensor& Y, const tk::tensor& Read,
                                 const tk::tensor& dBeta, int64_t B, int64_t N, int64_t H) {
    return tk::run<beta_gradients_kernel<4, 16, 8, true>>(
        site, sizeof(beta_gradients_shared), tk::kernel_shape(256).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(N, 64), H), B), V, Y, Read, dBeta, B, N, H);
}

tk::status launch_beta_gradients_general(const tk::launch_site& site, const tk::tensor& V,
                                         const tk::tensor& Y, const tk::tensor& Read,
                                         const tk::tensor& dBeta, int64_t B, int64_t N, int64_t H) {
    return tk::run<beta_gradients_kernel<1, 32, 2, false>>(
        site, sizeof(beta_gradients_shared), tk::kernel_shape(256).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(N, 64), H), B), V, Y, Read, dBeta, B, N, H);
}

}  // namespace

extern "C" {
int before(const DLTensor* Keys_given, const DLTensor* Rest_given, const DLTensor* V_given,
           const DLTensor* Inverse_given, const DLTensor* Left_given, const DLTensor* C_given,
           const DLTensor* S0_given, const DLTensor* start_given, DLTensor* U_given,
           DLTensor* Before_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"before"};
    const tk::tensor Keys = call.take("Keys", Keys_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Rest = call.take("Rest", Rest_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Inverse = call.take("Inverse", Inverse_given, tk::dtype_bf16, 4,
                                         tk::access::read);
    const tk::tensor Left = call.take("Left", Left_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor U = call.take("U", U_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Before = call.take("Before", Before_given, tk::dtype_bf16, 4,
                                        tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Keys.shape[0];
    const int64_t N = Keys.shape[1];
    const int64_t H = Keys.shape[2];
    const int64_t J = S0.shape[0];
    const int64_t P = start.shape[0];
    call.require(
        {tk::fixed_extent(Keys, 3, 128), tk::same_extent("B", Keys, 0, Rest, 0),
         tk::same_extent("N", Keys, 1, Rest, 1), tk::same_extent("H", Keys, 2, Rest, 2),
         tk::fixed_extent(Rest, 3, 128), tk::same_extent("B", Keys, 0, V, 0),
         tk::same_extent("N", Keys, 1, V, 1), tk::same_extent("H", Keys, 2, V, 2),
         tk::fixed_extent(V, 3, 128), tk::same_extent("B", Keys, 0, Inverse, 0),
         tk::same_extent("H", Keys, 2, Inverse, 1), tk::fixed_extent(Inverse, 3, 64),
         tk::same_extent("B", Keys, 0, Left, 0), tk::same_extent("H", Keys, 2, Left, 1),
         tk::fixed_extent(Left, 3, 128), tk::same_extent("B", Keys, 0, C, 0),
         tk::same_extent("H", Keys, 2, C, 1), tk::same_extent("H", Keys, 2, S0, 1),
         tk::fixed_extent(S0, 2, 128), tk::fixed_extent(S0, 3, 128),
         tk::same_extent("B", Keys, 0, U, 0), tk::same_extent("H", Keys, 2, U, 1),
         tk::fixed_extent(U, 2, 128), tk::same_extent("B", Keys, 0, Before, 0),
         tk::fixed_extent(Before, 3, 128),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"J", J}, {"P", P}}),
         tk::that(Inverse.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `Inverse` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {Inverse.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(Left.shape[2] == tk::ceil_div(N, 64),
                  "axis 2 of `Left` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Left.shape[2], tk::ceil_div(N, 64)}),
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
                  {Before.shape[2], H * 128}), tk::suits_tma_load(Keys), tk::suits_tma_load(Rest),
         tk::suits_tma_load(V), tk::suits_tma_load(Inverse), tk::suits_tma_load(Left),
         tk::suits_tma_load(C), tk::suits_tma_store(U), tk::suits_tma_store(Before),
         tk::grid_fits(2 * H, 2147483648), tk::grid_fits(tk::multiply(2 * H, B), 2147483648),
         tk::fits("h*128", (H - 1) * 128), tk::fits("h*128 + c.start", (H - 1) * 128 + 127)});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<before_kernel>(
        site, sizeof(before_shared), tk::kernel_shape(256).overlapping(), tk::multiply(2 * H, B),
        tk::box{Keys, {1, 64, 1, 64}, 128}, tk::box{V, {1, 64, 1, 64}, 128},
        tk::box{C, {1, 1, 64}, 0}, tk::box{Inverse, {1, 1, 64, 64}, 128},
        tk::box{Left, {1, 1, 1, 128}, 0}, tk::box{Rest, {1, 64, 1, 64}, 128},
        tk::box{Before, {1, 1, 64, 64}, 128}, tk::box{U, {1, 1, 64, 64}, 128}, S0, B, N, H, J));
}
TK_NO_WORKSPACE(before, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*,
                DLTensor*)

int behind(const DLTensor* Queries_given, const DLTensor* Keys_given, const DLTensor* Rest_given,
           const DLTensor* dO_given, const DLTensor* A_given, const DLTensor* Inverse_given,
           const DLTensor* Left_given, const DLTensor* C_given, const DLTensor* dState_given,
           const DLTensor* start_given, DLTensor* Y_given, DLTensor* Behind_given,
           DLTensor* dV_given, DLTensor* dS0_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"behind"};
    const tk::tensor Queries = call.take("Queries", Queries_given, tk::dtype_bf16, 4,
                                         tk::access::read);
    const tk::tensor Keys = call.take("Keys", Keys_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Rest = call.take("Rest", Rest_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor A = call.take("A", A_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Inverse = call.take("Inverse", Inverse_given, tk::dtype_bf16, 4,
                                         tk::access::read);
    const tk::tensor Left = call.take("Left", Left_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor dState = call.take("dState", dState_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Behind = call.take("Behind", Behind_given, tk::dtype_bf16, 4,
                                        tk::access::write);
    const tk::tensor dV = call.take("dV", dV_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dS0 = call.take("dS0", dS0_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Queries.shape[0];
    const int64_t N = Queries.shape[1];
    const int64_t H = Queries.shape[2];
    const int64_t F = dState.shape[0];
    const int64_t P = start.shape[0];
    const int64_t M = dV.shape[1];
    const int64_t I = dS0.shape[0];
    call.require(
        {tk::fixed_extent(Queries, 3, 128), tk::same_extent("B", Queries, 0, Keys, 0),
         tk::same_extent("N", Queries, 1, Keys, 1), tk::same_extent("H", Queries, 2, Keys, 2),
         tk::fixed_extent(Keys, 3, 128), tk::same_extent("B", Queries, 0, Rest, 0),
         tk::same_extent("N", Queries, 1, Rest, 1), tk::same_extent("H", Queries, 2, Rest, 2),
         tk::fixed_extent(Rest, 3, 128), tk::same_extent("B", Queries, 0, dO, 0),
         tk::same_extent("N", Queries, 1, dO, 1), tk::same_extent("H", Queries, 2, dO, 2),
         tk::fixed_extent(dO, 3, 128), tk::same_extent("B", Queries, 0, A, 0),
         tk::same_extent("H", Queries, 2, A, 1), tk::fixed_extent(A, 3, 64),
         tk::same_extent("B", Queries, 0, Inverse, 0), tk::same_extent("H", Queries, 2, Inverse, 1),
         tk::fixed_extent(Inverse, 3, 64), tk::same_extent("B", Queries, 0, Left, 0),
         tk::same_extent("H", Queries, 2, Left, 1), tk::fixed_extent(Left, 3, 128),
         tk::same_extent("B", Queries, 0, C, 0), tk::same_extent("H", Queries, 2, C, 1),
         tk::same_extent("H", Queries, 2, dState, 1), tk::fixed_extent(dState, 2, 128),
         tk::fixed_extent(dState, 3, 128), tk::same_extent("B", Queries, 0, Y, 0),
         tk::same_extent("N", Queries, 1, Y, 1), tk::same_extent("H", Queries, 2, Y, 2),
         tk::fixed_extent(Y, 3, 128), tk::same_extent("B", Queries, 0, Behind, 0),
         tk::fixed_extent(Behind, 3, 128), tk::same_extent("B", Queries, 0, dV, 0),
         tk::same_extent("H", Queries, 2, dV, 2), tk::fixed_extent(dV, 3, 128),
         tk::same_extent("H", Queries, 2, dS0, 1), tk::fixed_extent(dS0, 2, 128),
         tk::fixed_extent(dS0, 3, 128),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"F", F}, {"P", P}, {"M", M}, {"I", I}}),
         tk::that(A.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `A` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {A.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(Inverse.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `Inverse` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {Inverse.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(Left.shape[2] == tk::ceil_div(N, 64),
                  "axis 2 of `Left` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Left.shape[2], tk::ceil_div(N, 64)}),
         tk::that(C.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `C` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {C.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(Behind.shape[1] == tk::ceil_div(N, 64),
                  "axis 1 of `Behind` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Behind.shape[1], tk::ceil_div(N, 64)}), tk::fits("H*128", H * 128),
         tk::that(Behind.shape[2] == H * 128,
                  "axis 2 of `Behind` is {}; it must be `H*128`, which is {}",
                  {Behind.shape[2], H * 128}),
         tk::that(I <= B, "`behind` requires `PACKED or I <= B`"),
         tk::that(M == N, "`behind` requires `PACKED or M == N`"), tk::suits_tma_load(Queries),
         tk::suits_tma_load(Keys), tk::suits_tma_load(Rest), tk::suits_tma_load(dO),
         tk::suits_tma_load(A), tk::suits_tma_load(Inverse), tk::suits_tma_load(Left),
         tk::suits_tma_load(C), tk::suits_tma_store(Y), tk::suits_tma_store(Behind),
         tk::suits_tma_store(dV), tk::grid_fits(2 * H, 2147483648),
         tk::grid_fits(tk::multiply(2 * H, B), 2147483648), tk::fits("h*128", (H - 1) * 128),
         tk::fits("h*128 + c.start", (H - 1) * 128 + 127)});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<behind_kernel>(
        site, sizeof(behind_shared), tk::kernel_shape(256).overlapping(), tk::multiply(2 * H, B),
        tk::box{Rest, {1, 64, 1, 64}, 128}, tk::box{dO, {1, 64, 1, 64}, 128},
        tk::box{A, {1, 1, 64, 64}, 128}, tk::box{Left, {1, 1, 1, 128}, 0},
        tk::box{C, {1, 1, 64}, 0}, tk::box{Inverse, {1, 1, 64, 64}, 128},
        tk::box{Keys, {1, 64, 1, 64}, 128}, tk::box{Queries, {1, 64, 1, 64}, 128},
        tk::box{Behind, {1, 1, 64, 64}, 128}, tk::box{Y, {1, 64, 1, 64}, 128},
        tk::box{dV, {1, 64, 1, 64}, 128}, dState, dS0, B, N, H, F, M, I));
}
TK_NO_WORKSPACE(behind, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*)

int chunks(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* G_given,
           const DLTensor* Beta_given, const DLTensor* dO_given, const DLTensor* U_given,
           const DLTensor* Y_given, const DLTensor* Before_given, const DLTensor* Behind_given,
           DLTensor* dQ_given, DLTensor* dK_given, DLTensor* dG_given, DLTensor* Read_given,
           float scale, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"chunks"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor G = call.take("G", G_given, tk::dtype_f16, 4, tk::access::read);
    const tk::tensor Beta = call.take("Beta", Beta_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor U = call.take("U", U_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Before = call.take("Before", Before_given, tk::dtype_bf16, 4,
                                        tk::access::read);
    const tk::tensor Behind = call.take("Behind", Behind_given, tk::dtype_bf16, 4,
                                        tk::access::read);
    const tk::tensor dQ = call.take("dQ", dQ_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dK = call.take("dK", dK_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dG = call.take("dG", dG_given, tk::dtype_f16, 4, tk::access::write);
    const tk::tensor Read = call.take("Read", Read_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t H = Q.shape[2];
    call.require({
        tk::fixed_extent(Q, 3, 128), tk::same_extent("B", Q, 0, K, 0),
        tk::same_extent("N", Q, 1, K, 1), tk::same_extent("H", Q, 2, K, 2),
        tk::fixed_extent(K, 3, 128), tk::same_extent("B", Q, 0, G, 0),
        tk::same_extent("N", Q, 1, G, 1), tk::same_extent("H", Q, 2, G, 2),
        tk::fixed_extent(G, 3, 128), tk::same_extent("B", Q, 0, Beta, 0),
        tk::same_extent("N", Q, 1, Beta, 1), tk::same_extent("H", Q, 2, Beta, 2),
        tk::same_extent("B", Q, 0, dO, 0), tk::same_extent("N", Q, 1, dO, 1),
        tk::same_extent("H", Q, 2, dO, 2), tk::fixed_extent(dO, 3, 128),
        tk::same_extent("B", Q, 0, U, 0), tk::same_extent("H", Q, 2, U, 1),
        tk::fixed_extent(U, 2, 128), tk::same_extent("B", Q, 0, Y, 0),
        tk::same_extent("N", Q, 1, Y, 1), tk::same_extent("H", Q, 2, Y, 2),
        tk::fixed_extent(Y, 3, 128), tk::same_extent("B", Q, 0, Before, 0),
        tk::fixed_extent(Before, 3, 128), tk::same_extent("B", Q, 0, Behind, 0),
        tk::fixed_extent(Behind, 3, 128), tk::same_extent("B", Q, 0, dQ, 0),
        tk::same_extent("N", Q, 1, dQ, 1), tk::same_extent("H", Q, 2, dQ, 2),
        tk::fixed_extent(dQ, 3, 128), tk::same_extent("B", Q, 0, dK, 0),
        tk::same_extent("N", Q, 1, dK, 1), tk::same_extent("H", Q, 2, dK, 2),
        tk::fixed_extent(dK, 3, 128), tk::same_extent("B", Q, 0, dG, 0),
        tk::same_extent("N", Q, 1, dG, 1), tk::same_extent("H", Q, 2, dG, 2),
        tk::fixed_extent(dG, 3, 128), tk::same_extent("B", Q, 0, Read, 0),
        tk::same_extent("H", Q, 2, Read, 1), tk::fixed_extent(Read, 2, 2),
        tk::extents_fit({{"B", B}, {"N", N}, {"H", H}}),
        tk::that(U.shape[3] == tk::ceil_div(N, 64) * 64,
                 "axis 3 of `U` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                 {U.shape[3], tk::ceil_div(N, 64) * 64}),
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
        tk::that(Read.shape[3] == tk::ceil_div(N, 64) * 64,
                 "axis 3 of `Read` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                 {Read.shape[3], tk::ceil_div(N, 64) * 64}), tk::suits_tma_load(Q),
        tk::suits_tma_load(K), tk::suits_tma_load(G), tk::suits_tma_load(dO), tk::suits_tma_load(U),
        tk::suits_tma_load(Y), tk::suits_tma_load(Before), tk::suits_tma_load(Behind),
        tk::suits_tma_store(dQ), tk::suits_tma_store(dK), tk::suits_tma_store(dG),
        tk::grid_fits(tk::multiply(2 * tk::ceil_div(N, 64), H), 2147418112),
        tk::grid_fits(tk::multiply(tk::multiply(2 * tk::ceil_div(N, 64), H), B), 2147418112),
        tk::fits("h*128", (H - 1) * 128)});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<chunks_kernel>(
        site, sizeof(chunks_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::multiply(2 * tk::ceil_div(N, 64), H), B), tk::box{Y, {1, 64, 1, 64}, 128},
        tk::box{U, {1, 1, 128, 64}, 128}, tk::box{dO, {1, 64, 1, 64}, 128},
        tk::box{G, {1, 64, 1, 64}, 128}, tk::box{K, {1, 64, 1, 64}, 128},
        tk::box{Q, {1, 64, 1, 64}, 128}, tk::box{Before, {1, 1, 128, 64}, 128},
        tk::box{Behind, {1, 1, 128, 64}, 128}, tk::box{dQ, {1, 64, 1, 64}, 128},
        tk::box{dK, {1, 64, 1, 64}, 128}, tk::box{dG, {1, 64, 1, 64}, 128}, Beta, Read, B, N, H,
        scale));
}
TK_NO_WORKSPACE(chunks, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, float)

int beta_gradients(const DLTensor* V_given, const DLTensor* Y_given, const DLTensor* Read_given,
                   const DLTensor* First_given, const DLTensor* Tokens_given, DLTensor* dBeta_given,
                   void*, size_t, cudaStream_t stream) {
    tk::arguments call{"beta_gradients"};
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Read = call.take("Read", Read_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor First = call.take("First", First_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Tokens = call.take("Tokens", Tokens_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor dBeta = call.take("dBeta", dBeta_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = V.shape[0];
    const int64_t N = V.shape[1];
    const int64_t H = V.shape[2];
    const int64_t S = First.shape[0];
    call.require(
        {tk::fixed_extent(V, 3, 128), tk::same_extent("B", V, 0, Y, 0),
         tk::same_extent("N", V, 1, Y, 1), tk::same_extent("H", V, 2, Y, 2),
         tk::fixed_extent(Y, 3, 128), tk::same_extent("B", V, 0, Read, 0),
         tk::same_extent("H", V, 2, Read, 1), tk::fixed_extent(Read, 2, 2),
         tk::same_extent("S", First, 0, Tokens, 0), tk::same_extent("B", V, 0, dBeta, 0),
         tk::same_extent("N", V, 1, dBeta, 1), tk::same_extent("H", V, 2, dBeta, 2),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"S", S}}),
         tk::that(Read.shape[3] == tk::ceil_div(N, 64) * 64,
                  "axis 3 of `Read` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {Read.shape[3], tk::ceil_div(N, 64) * 64}),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 64), H), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 64), H), B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(tk::ceil_div(N, 64), H), B);
    const bool fast = tk::hold({tk::suits_fast(V), tk::suits_fast(Y)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(tk::run<beta_gradients_kernel<4, 16, 8, true>>(
            site, sizeof(beta_gradients_shared), tk::kernel_shape(256).overlapping(), programs, V,
            Y, Read, dBeta, B, N, H));
    }
    return tk::finish(tk::run<beta_gradients_kernel<1, 32, 2, false>>(
        site, sizeof(beta_gradients_shared), tk::kernel_shape(256).overlapping(), programs, V, Y,
        Read, dBeta, B, N, H));
}
TK_NO_WORKSPACE(beta_gradients, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)

int kimi_delta_backward(
    const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
    const DLTensor* G_given, const DLTensor* Beta_given, const DLTensor* S0_given,
    const DLTensor* dO_given, const DLTensor* dState_given, const DLTensor* start_given,
    DLTensor* dQ_given, DLTensor* dK_given, DLTensor* dV_given, DLTensor* dG_given,
    DLTensor* dBeta_given, DLTensor* dS0_given, DLTensor* Queries_given, DLTensor* Keys_given,
    DLTensor* Rest_given, DLTensor* A_given, DLTensor* Inverse_given, DLTensor* C_given,
    DLTensor* Left_given, DLTensor* U_given, DLTensor* Y_given, DLTensor* Read_given,
    DLTensor* Before_given, DLTensor* Behind_given, float scale, void*, size_t,
    cudaStream_t stream) {
    tk::arguments call{"kimi_delta_backward"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor G = call.take("G", G_given, tk::dtype_f16, 4, tk::access::read);
    const tk::tensor Beta = call.take("Beta", Beta_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dState = call.take("dState", dState_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor dQ = call.take("dQ", dQ_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dK = call.take("dK", dK_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dV = call.take("dV", dV_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dG = call.take("dG", dG_given, tk::dtype_f16, 4, tk::access::write);
    const tk::tensor dBeta = call.take("dBeta", dBeta_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor dS0 = call.take("dS0", dS0_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Queries = call.take("Queries", Queries_given, tk::dtype_bf16, 4,
                                         tk::access::write);
    const tk::tensor Keys = call.take("Keys", Keys_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Rest = call.take("Rest", Rest_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor A = call.take("A", A_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Inverse = call.take("Inverse", Inverse_given, tk::dtype_bf16, 4,
                                         tk::access::write);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor Left = call.take("Left", Left_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor U = call.take("U", U_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Read = call.take("Read", Read_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Before = call.take("Before", Before_given, tk::dtype_bf16, 4,
                                        tk::access::write);
    const tk::tensor Behind = call.take("Behind", Behind_given, tk::dtype_bf16, 4,
                                        tk::access::write);
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
         tk::fixed_extent(G, 3, 128), tk::same_extent("B", Q, 0, Beta, 0),
         tk::same_extent("N", Q, 1, Beta, 1), tk::same_extent("H", Q, 2, Beta, 2),
         tk::same_extent("H", Q, 2, S0, 1), tk::fixed_extent(S0, 2, 128),
         tk::fixed_extent(S0, 3, 128), tk::same_extent("B", Q, 0, dO, 0),
         tk::same_extent("N", Q, 1, dO, 1), tk::same_extent("H", Q, 2, dO, 2),
         tk::fixed_extent(dO, 3, 128), tk::same_extent("H", Q, 2, dState, 1),
         tk::fixed_extent(dState, 2, 128), tk::fixed_extent(dState, 3, 128),
         tk::same_extent("B", Q, 0, dQ, 0), tk::same_extent("N", Q, 1, dQ, 1),
         tk::same_extent("H", Q, 2, dQ, 2), tk::fixed_extent(dQ, 3, 128),
         tk::same_extent("B", Q, 0, dK, 0), tk::same_extent("N", Q, 1, dK, 1),
         tk::same_extent("H", Q, 2, dK, 2), tk::fixed_extent(dK, 3, 128),
         tk::same_extent("B", Q, 0, dV, 0), tk::same_extent("N", Q, 1, dV, 1),
         tk::same_extent("H", Q, 2, dV, 2), tk::fixed_extent(dV, 3, 128),
         tk::same_extent("B", Q, 0, dG, 0), tk::same_extent("N", Q, 1, dG, 1),
         tk::same_extent("H", Q, 2, dG, 2), tk::fixed_extent(dG, 3, 128),
         tk::same_extent("B", Q, 0, dBeta, 0), tk::same_extent("N", Q, 1, dBeta, 1),
         tk::same_extent("H", Q, 2, dBeta, 2), tk::same_extent("H", Q, 2, dS0, 1),
         tk::fixed_extent(dS0, 2, 128), tk::fixed_extent(dS0, 3, 128),
         tk::same_extent("B", Q, 0, Queries, 0), tk::same_extent("N", Q, 1, Queries, 1),
         tk::same_extent("H", Q, 2, Queries, 2), tk::fixed_extent(Queries, 3, 128),
         tk::same_extent("B", Q, 0, Keys, 0), tk::same_extent("N", Q, 1, Keys, 1),
         tk::same_extent("H", Q, 2, Keys, 2), tk::fixed_extent(Keys, 3, 128),
         tk::same_extent("B", Q, 0, Rest, 0), tk::same_extent("N", Q, 1, Rest, 1),
         tk::same_extent("H", Q, 2, Rest, 2), tk::fixed_extent(Rest, 3, 128),
         tk::same_extent("B", Q, 0, A, 0), tk::same_extent("H", Q, 2, A, 1),
         tk::fixed_extent(A, 3, 64), tk::same_extent("B", Q, 0, Inverse, 0),
         tk::same_extent("H", Q, 2, Inverse, 1), tk::fixed_extent(Inverse, 3, 64),
         tk::same_extent("B", Q, 0, C, 0), tk::same_extent("H", Q, 2, C, 1),
         tk::same_extent("B", Q, 0, Left, 0), tk::same_extent("H", Q, 2, Left, 1),
         tk::fixed_extent(Left, 3, 128), tk::same_extent("B", Q, 0, U, 0),
         tk::same_extent("H", Q, 2, U, 1), tk::fixed_extent(U, 2, 128),
         tk::same_extent("B", Q, 0, Y, 0), tk::same_extent("N", Q, 1, Y, 1),
         tk::same_extent("H", Q, 2, Y, 2), tk::fixed_extent(Y, 3, 128),
         tk::same_extent("B", Q, 0, Read, 0), tk::same_extent("H", Q, 2, Read, 1),
         tk::fixed_extent(Read, 2, 2), tk::same_extent("B", Q, 0, Before, 0),
         tk::fixed_extent(Before, 3, 128), tk::same_extent("B", Q, 0, Behind, 0),
         tk::fixed_extent(Behind, 3, 128),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"J", J}, {"F", F}, {"P", P}, {"I", I}}),
         tk::that(A.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `A` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {A.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(Inverse.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `Inverse` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {Inverse.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(C.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `C` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {C.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(Left.shape[2] == tk::ceil_div(N, 64),
                  "axis 2 of `Left` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Left.shape[2], tk::ceil_div(N, 64)}),
         tk::that(U.shape[3] == tk::ceil_div(N, 64) * 64,
                  "axis 3 of `U` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {U.shape[3], tk::ceil_div(N, 64) * 64}),
         tk::that(Read.shape[3] == tk::ceil_div(N, 64) * 64,
                  "axis 3 of `Read` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {Read.shape[3], tk::ceil_div(N, 64) * 64}),
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
         tk::that(P == 0, "`kimi_delta_backward` requires `P == 0`"),
         tk::that(I <= B, "`kimi_delta_backward` requires `I <= B`"),
         tk::that(J <= B, "`kimi_delta_backward` requires `J <= B`"),
         tk::that(F <= B, "`kimi_delta_backward` requires `F <= B`")});
    // kimi_delta.pairs(Q, K, G, Beta, Queries, Keys, Rest, A, Inverse, Left, C, scale)
    call.require(
        {tk::suits_tma_load(Q), tk::suits_tma_load(K), tk::suits_tma_load(G),
         tk::suits_tma_store(Queries), tk::suits_tma_store(Keys), tk::suits_tma_store(Rest),
         tk::suits_tma_store(A), tk::suits_tma_store(Inverse),
         tk::grid_fits(tk::multiply(tk::ceil_div(H, 2), tk::ceil_div(N, 64)), 2147418112),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(H, 2), tk::ceil_div(N, 64)), B),
                       2147418112)});
    // before(Keys, Rest, V, Inverse, Left, C, S0, start, U, Before)
    call.require(
        {tk::suits_tma_load(V), tk::suits_tma_load(Left), tk::suits_tma_load(C),
         tk::suits_tma_store(U), tk::suits_tma_store(Before), tk::grid_fits(2 * H, 2147483648),
         tk::grid_fits(tk::multiply(2 * H, B), 2147483648), tk::fits("h*128", (H - 1) * 128),
         tk::fits("h*128 + c.start", (H - 1) * 128 + 127)});
    // behind(Queries, Keys, Rest, dO, A, Inverse, Left, C, dState, start, Y, Behind, dV, dS0)
    call.require(
        {tk::suits_tma_load(dO), tk::suits_tma_store(Y), tk::suits_tma_store(Behind),
         tk::suits_tma_store(dV)});
    // chunks(Q, K, G, Beta, dO, U, Y, Before, Behind, dQ, dK, dG, Read, scale)
    call.require(
        {tk::suits_tma_store(dQ), tk::suits_tma_store(dK), tk::suits_tma_store(dG),
         tk::grid_fits(tk::multiply(2 * tk::ceil_div(N, 64), H), 2147418112),
         tk::grid_fits(tk::multiply(tk::multiply(2 * tk::ceil_div(N, 64), H), B), 2147418112)});
    // beta_gradients(V, Y, Read, start, start, dBeta)
    call.require(
        {tk::grid_fits(tk::multiply(tk::ceil_div(N, 64), H), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 64), H), B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());

    // beta_gradients(V, Y, Read, start, start, dBeta)
    const bool choice_5 = tk::hold({tk::suits_fast(V), tk::suits_fast(Y)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    TK_FINISH_IF_FAILED(launch_kimi_delta_pairs_T_bf16_TG_f16_TB_f32_DK_128(
        site, Q, K, G, Beta, Queries, Keys, Rest, A, Inverse, Left, C, B, N, H, scale));
    TK_FINISH_IF_FAILED(
        launch_before(site, tk::read_only(Keys), tk::read_only(Rest), V, tk::read_only(Inverse),
                      tk::read_only(Left), tk::read_only(C), S0, U, Before, B, N, H, J));
    TK_FINISH_IF_FAILED(
        launch_behind(site, tk::read_only(Queries), tk::read_only(Keys), tk::read_only(Rest), dO,
                      tk::read_only(A), tk::read_only(Inverse), tk::read_only(Left),
                      tk::read_only(C), dState, Y, Behind, dV, dS0, B, N, H, F, N, I));
    TK_FINISH_IF_FAILED(launch_chunks(
        site, Q, K, G, Beta, dO, tk::read_only(U), tk::read_only(Y), tk::read_only(Before),
        tk::read_only(Behind), dQ, dK, dG, Read, B, N, H, scale));
    if (choice_5) {
        TK_FINISH_IF_FAILED(
            launch_beta_gradients(site, V, tk::read_only(Y), tk::read_only(Read), dBeta, B, N, H));
    } else {
        TK_FINISH_IF_FAILED(launch_beta_gradients_general(
            site, V, tk::read_only(Y), tk::read_only(Read), dBeta, B, N, H));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(kimi_delta_backward, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, float)
}  // extern "C"
