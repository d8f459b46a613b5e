// Made by tkc from mamba2_backward.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/cells.cuh"
#include "tk/operations/integer.cuh"
#include "tk/ptx/wgmma_n064.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/tk.cuh"

// before: kernel before with T = bf16, P = 64, S = 128, HEADS = 2, PACKED = false, L = 64.
// producer: 1 warp, 24 registers a thread; state: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 134288 bytes of shared memory.
struct before_shared {
    tk::shared_tile<tk::bf16, 64, 128> bs_tile[3];
    tk::shared_tile<tk::bf16, 64, 128> xs_tile[3];
    tk::shared_tile<float, 1, 64> gs_g0[3];
    tk::shared_tile<float, 1, 64> gs_w0[3];
    tk::shared_tile<float, 1, 64> gs_g1[3];
    tk::shared_tile<float, 1, 64> gs_w1[3];
    tk::shared_tile<tk::bf16, 64, 64> state_Before[4];
    tk::pipeline<3> bs;
    tk::pipeline<3> xs;
    tk::pipeline<3> gs;
};
static_assert(offsetof(before_shared, gs) == 134240);

__global__ void __launch_bounds__(384, 1) before_kernel(
    const __grid_constant__ CUtensorMap G_map, const __grid_constant__ CUtensorMap W_map,
    const __grid_constant__ CUtensorMap Bm_map, const __grid_constant__ CUtensorMap X_map,
    const __grid_constant__ CUtensorMap Before_map, const tk::tensor_argument<const float, 3> S0,
    int B, int N, int GR, int H, int J) {
    extern __shared__ __align__(1024) unsigned char memory[];
    before_shared& shared = *reinterpret_cast<before_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(G_map, W_map, Bm_map, X_map, Before_map);
        shared.bs.init(1, 8);
        shared.xs.init(1, 8);
        shared.gs.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // mamba2_backward.tk:58: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int c_tiles = tk::tiles(H * 64, 128);
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<3> bs_next, gs_next, xs_next;
            const int program = blockIdx.x;
            const int c = program % c_tiles * 128;
            const int b = program / c_tiles;

            // mamba2_backward.tk:46: let end    = if PACKED { (start[b + 1] // L + b + 1 - ..
            const int end = N;

            // mamba2_backward.tk:47: let at     = if PACKED { 0 } else { b };
            const int at = b;

            // mamba2_backward.tk:48: let room   = if PACKED { tokens } else { ceil_div(N, L) * L };
            const int room = tk::divide_up(N, 64) * 64;

            // mamba2_backward.tk:51: let h     = c.start // P;
            const int h = c / 64;

            // mamba2_backward.tk:52: let last  = h + HEADS - 1;
            const int last = h + 2 - 1;

            // mamba2_backward.tk:53: let group = h // (H / GR);
            const int group = h / (H / GR);

            // mamba2_backward.tk:59: for t in end by L {
            #pragma unroll 1
            for (int t = 0; t < end; t += 64) {
                // mamba2_backward.tk:60: produce gs {
                shared.gs.begin(gs_next, 1024);

                // mamba2_backward.tk:61: g0 = tma_load(Gb[h, t.start +: L]); w0 = tma_load(Wb[h, ..
                tk::tma_load(shared.gs_g0[gs_next.stage], G_map, shared.gs.full[gs_next.stage], at,
                             h, t);
                tk::tma_load(shared.gs_w0[gs_next.stage], W_map, shared.gs.full[gs_next.stage], at,
                             h, t);

                // mamba2_backward.tk:62: g1 = tma_load(Gb[last, t.start +: L]); w1 = ..
                tk::tma_load(shared.gs_g1[gs_next.stage], G_map, shared.gs.full[gs_next.stage], at,
                             last, t);
                tk::tma_load(shared.gs_w1[gs_next.stage], W_map, shared.gs.full[gs_next.stage], at,
                             last, t);
                // mamba2_backward.tk:60
                gs_next.advance();

                // mamba2_backward.tk:64: if PACKED { produce bs = tma_load(Bb[t, group, :]) ..
                shared.bs.begin(bs_next, 16384);
                tk::tma_load(shared.bs_tile[bs_next.stage], Bm_map, shared.bs.full[bs_next.stage],
                             b, t, group, 0);
                bs_next.advance();

                // mamba2_backward.tk:65: if PACKED { produce xs = tma_load(Xb[t, c]) ..
                shared.xs.begin(xs_next, 16384);
                tk::tma_load(shared.xs_tile[xs_next.stage], X_map, shared.xs.full[xs_next.stage], b,
                             t, c);
                xs_next.advance();
            }
        }
    } else {
        // mamba2_backward.tk:68: role state(HEADS * P / 64 warpgroups) {
        tk::registers_at_least<240>();
        const int c_tiles = tk::tiles(H * 64, 128);
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<3> gs_next;
        const int program = blockIdx.x;
        const int c = program % c_tiles * 128;
        const int b = program / c_tiles;

        // mamba2_backward.tk:46: let end    = if PACKED { (start[b + 1] // L + b + 1 - place) * ..
        const int end = N;

        // mamba2_backward.tk:47: let at     = if PACKED { 0 } else { b };
        const int at = b;

        // mamba2_backward.tk:69: var s: f32[HEADS * P, S] = load(S0[b, c, :]);
        tk::fragment<float, 64, 128> s;
        tk::load_global(s,
                        tk::slice(S0, {b, c + 64 * warpgroup, 0},
                                  b < J ? H * 64 - (c + 64 * warpgroup) : 0, 128), thread);

        // mamba2_backward.tk:70: for t in end by L {
        tk::fragment<float, 64, 64> v;
        for (int t = 0; t < end; t += 64) {
            // mamba2_backward.tk:71: tma_store(Before[at, place + t.index, c, :], T(s));
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                tk::store_shared(shared.state_Before[warpgroup * 2 + panel / 64 % 2],
                                 tk::convert<tk::bf16>(tk::window<64, 64>(s, 0, panel)), thread);
                tk::fence_async();
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                if (leader) {
                    tk::tma_store(Before_map, shared.state_Before[warpgroup * 2 + panel / 64 % 2],
                                  at, t / 64, c + warpgroup * 64, panel);
                }
            }

            // mamba2_backward.tk:72: let a = consume gs;
            const tk::cursor<3> a = shared.gs.take(gs_next);

            // mamba2_backward.tk:73: let e0 = exp2(scalar(a.g0[:, L - 1 +: 1]));
            tk::row_fragment<float, 1> t3;
            tk::load_shared(t3, tk::part<0, 63, 1, 1>(shared.gs_g0[a.stage]), thread);
            const float number = t3.cell(0);
            const float e0 = tk::exp2(number);

            // mamba2_backward.tk:74: let e1 = exp2(scalar(a.g1[:, L - 1 +: 1]));
            tk::row_fragment<float, 1> t5;
            tk::load_shared(t5, tk::part<0, 63, 1, 1>(shared.gs_g1[a.stage]), thread);
            const float number_2 = t5.cell(0);
            const float e1 = tk::exp2(number_2);

            // mamba2_backward.tk:75: let x = consume xs;
            shared.xs.wait_full(a);

            // mamba2_backward.tk:76: let y = f32(x.T);
            tk::fragment<tk::bf16, 64, 64> t7;
            tk::load_transposed(t7, shared.xs_tile[a.stage], thread, 64 * warpgroup);
            shared.xs.release_after_loads(a);

            // mamba2_backward.tk:77: let v = y * (if HEADS == 1 { a.w0 } else { ..
            tk::row_fragment<float, 64> t0;
            tk::load_shared(t0, shared.gs_w0[a.stage], thread);
            tk::row_fragment<float, 64> t8;
            tk::load_shared(t8, shared.gs_w1[a.stage], thread);
            shared.gs.release_after_loads(a);
            if (64 * warpgroup <= 0) {
                tk::map(v, [](tk::bf16 t7, float t0, float) { return float(t7) * t0; }, t7, t0, t8);
            } else {
                tk::map(v, thread, [&](int row, int, tk::bf16 t7, float t0, float t8) {
                    return float(t7) * (64 * warpgroup + row < 64 ? t0 : t8);
                }, t7, t0, t8);
            }

            // <std.parts>:15: let high = T(x);
            tk::fragment<tk::bf16, 64, 64> high = tk::convert<tk::bf16>(v);

            // mamba2_backward.tk:78: let w = parts.split<T>(if PACKED { where(col_index(v) < ..
            tk::fragment<tk::bf16, 64, 64> w_low;
            tk::map(w_low, [](float v, tk::bf16 high) { return v - float(high); }, v, high);

            // mamba2_backward.tk:79: s *= if HEADS == 1 { e0 } else { where(row_index(s) < P, ..
            if (64 * warpgroup <= 0) {
                tk::map(s, [&](float s) { return s * e0; }, s);
            } else {
                tk::map(s, thread, [&](int row, int, float s) {
                    return s * (64 * warpgroup + row < 64 ? e0 : e1);
                }, s);
            }

            // mamba2_backward.tk:80: let k = consume bs;
            shared.bs.wait_full(a);

            // mamba2_backward.tk:81: s += mma(w.high, k);
            tk::mma_async(s, high, shared.bs_tile[a.stage]);

            // mamba2_backward.tk:82: s += mma(w.low, k);
            tk::mma_async(s, w_low, shared.bs_tile[a.stage]);
            tk::mma_wait<0>(s, high, w_low);
            shared.bs.release(a);
        }

        if (leader) tk::tma_store_wait_read<0>();
    }
}

// behind: kernel behind with T = bf16, P = 64, S = 128, HEADS = 2, PACKED = false, L = 64.
// producer: 1 warp, 24 registers a thread; state: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 133264 bytes of shared memory.
struct behind_shared {
    tk::shared_tile<tk::bf16, 64, 128> cs_tile[3];
    tk::shared_tile<tk::bf16, 64, 128> ys_tile[3];
    tk::shared_tile<float, 1, 64> gs_g0[3];
    tk::shared_tile<float, 1, 64> gs_g1[3];
    tk::shared_tile<tk::bf16, 64, 64> state_Behind[4];
    tk::pipeline<3> cs;
    tk::pipeline<3> ys;
    tk::pipeline<3> gs;
};
static_assert(offsetof(behind_shared, gs) == 133216);

__global__ void __launch_bounds__(384, 1) behind_kernel(
    const __grid_constant__ CUtensorMap G_map, const __grid_constant__ CUtensorMap C_map,
    const __grid_constant__ CUtensorMap dY_map, const __grid_constant__ CUtensorMap Behind_map,
    const tk::tensor_argument<const float, 3> dState, const tk::tensor_argument<float, 3> dS0,
    int B, int N, int GR, int H, int F, int I) {
    extern __shared__ __align__(1024) unsigned char memory[];
    behind_shared& shared = *reinterpret_cast<behind_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(G_map, C_map, dY_map, Behind_map);
        shared.cs.init(1, 8);
        shared.ys.init(1, 8);
        shared.gs.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // mamba2_backward.tk:111: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int c_tiles = tk::tiles(H * 64, 128);
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<3> cs_next, gs_next, ys_next;
            const int program = blockIdx.x;
            const int c = program % c_tiles * 128;
            const int b = program / c_tiles;

            // mamba2_backward.tk:99: let end    = if PACKED { (start[b + 1] // L + b + 1 - ..
            const int end = N;

            // mamba2_backward.tk:100: let at     = if PACKED { 0 } else { b };
            const int at = b;

            // mamba2_backward.tk:101: let room   = if PACKED { tokens } else { ceil_div(N, L) * ..
            const int room = tk::divide_up(N, 64) * 64;

            // mamba2_backward.tk:104: let h     = c.start // P;
            const int h = c / 64;

            // mamba2_backward.tk:105: let last  = h + HEADS - 1;
            const int last = h + 2 - 1;

            // mamba2_backward.tk:106: let group = h // (H / GR);
            const int group = h / (H / GR);

            // mamba2_backward.tk:112: for t in reversed end by L {
            #pragma unroll 1
            for (int t = (tk::divide_up(end, 64) - 1) * 64; t >= 0; t -= 64) {
                // mamba2_backward.tk:113: produce gs {
                shared.gs.begin(gs_next, 512);

                // mamba2_backward.tk:114: g0 = tma_load(Gb[h, t.start +: L]);
                tk::tma_load(shared.gs_g0[gs_next.stage], G_map, shared.gs.full[gs_next.stage], at,
                             h, t);

                // mamba2_backward.tk:115: g1 = tma_load(Gb[last, t.start +: L]);
                tk::tma_load(shared.gs_g1[gs_next.stage], G_map, shared.gs.full[gs_next.stage], at,
                             last, t);
                // mamba2_backward.tk:113
                gs_next.advance();

                // mamba2_backward.tk:117: if PACKED { produce cs = tma_load(Cb[t, group, :]) ..
                shared.cs.begin(cs_next, 16384);
                tk::tma_load(shared.cs_tile[cs_next.stage], C_map, shared.cs.full[cs_next.stage], b,
                             t, group, 0);
                cs_next.advance();

                // mamba2_backward.tk:118: if PACKED { produce ys = tma_load(dYb[t, c]) ..
                shared.ys.begin(ys_next, 16384);
                tk::tma_load(shared.ys_tile[ys_next.stage], dY_map, shared.ys.full[ys_next.stage],
                             b, t, c);
                ys_next.advance();
            }
        }
    } else {
        // mamba2_backward.tk:121: role state(HEADS * P / 64 warpgroups) {
        tk::registers_at_least<240>();
        const int c_tiles = tk::tiles(H * 64, 128);
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<3> gs_next;
        const int program = blockIdx.x;
        const int c = program % c_tiles * 128;
        const int b = program / c_tiles;

        // mamba2_backward.tk:99: let end    = if PACKED { (start[b + 1] // L + b + 1 - place) * ..
        const int end = N;

        // mamba2_backward.tk:100: let at     = if PACKED { 0 } else { b };
        const int at = b;

        // mamba2_backward.tk:122: var r: f32[HEADS * P, S] = load(dState[b, c, :]);
        tk::fragment<float, 64, 128> r;
        tk::load_global(r,
                        tk::slice(dState, {b, c + 64 * warpgroup, 0},
                                  b < F ? H * 64 - (c + 64 * warpgroup) : 0, 128), thread);

        // mamba2_backward.tk:123: for t in reversed end by L {
        tk::fragment<float, 64, 64> v;
        for (int t = (tk::divide_up(end, 64) - 1) * 64; t >= 0; t -= 64) {
            // mamba2_backward.tk:124: tma_store(Behind[at, place + t.index, c, :], T(r));
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                tk::store_shared(shared.state_Behind[warpgroup * 2 + panel / 64 % 2],
                                 tk::convert<tk::bf16>(tk::window<64, 64>(r, 0, panel)), thread);
                tk::fence_async();
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                if (leader) {
                    tk::tma_store(Behind_map, shared.state_Behind[warpgroup * 2 + panel / 64 % 2],
                                  at, t / 64, c + warpgroup * 64, panel);
                }
            }

            // mamba2_backward.tk:125: let a = consume gs;
            const tk::cursor<3> a = shared.gs.take(gs_next);

            // mamba2_backward.tk:126: let e0 = exp2(scalar(a.g0[:, L - 1 +: 1]));
            tk::row_fragment<float, 1> t3;
            tk::load_shared(t3, tk::part<0, 63, 1, 1>(shared.gs_g0[a.stage]), thread);
            const float number = t3.cell(0);
            const float e0 = tk::exp2(number);

            // mamba2_backward.tk:127: let e1 = exp2(scalar(a.g1[:, L - 1 +: 1]));
            tk::row_fragment<float, 1> t5;
            tk::load_shared(t5, tk::part<0, 63, 1, 1>(shared.gs_g1[a.stage]), thread);
            const float number_2 = t5.cell(0);
            const float e1 = tk::exp2(number_2);

            // mamba2_backward.tk:128: let y = consume ys;
            shared.ys.wait_full(a);

            // mamba2_backward.tk:129: let x = f32(y.T);
            tk::fragment<tk::bf16, 64, 64> t7;
            tk::load_transposed(t7, shared.ys_tile[a.stage], thread, 64 * warpgroup);
            shared.ys.release_after_loads(a);

            // mamba2_backward.tk:130: let v = x * (if HEADS == 1 { exp2(a.g0) } else { ..
            tk::row_fragment<float, 64> t0;
            tk::load_shared(t0, shared.gs_g0[a.stage], thread);
            tk::row_fragment<float, 64> t8;
            tk::load_shared(t8, shared.gs_g1[a.stage], thread);
            shared.gs.release_after_loads(a);
            if (64 * warpgroup <= 0) {
                tk::map(v, [](tk::bf16 t7, float t0, float) { return float(t7) * tk::exp2(t0); },
                        t7, t0, t8);
            } else {
                tk::map(v, thread, [&](int row, int, tk::bf16 t7, float t0, float t8) {
                    return float(t7) * (64 * warpgroup + row < 64 ? tk::exp2(t0) : tk::exp2(t8));
                }, t7, t0, t8);
            }

            // <std.parts>:15: let high = T(x);
            tk::fragment<tk::bf16, 64, 64> high = tk::convert<tk::bf16>(v);

            // mamba2_backward.tk:131: let w = parts.split<T>(if PACKED { where(col_index(v) < ..
            tk::fragment<tk::bf16, 64, 64> w_low;
            tk::map(w_low, [](float v, tk::bf16 high) { return v - float(high); }, v, high);

            // mamba2_backward.tk:132: r *= if HEADS == 1 { e0 } else { where(row_index(r) < P, ..
            if (64 * warpgroup <= 0) {
                tk::map(r, [&](float r) { return r * e0; }, r);
            } else {
                tk::map(r, thread, [&](int row, int, float r) {
                    return r * (64 * warpgroup + row < 64 ? e0 : e1);
                }, r);
            }

            // mamba2_backward.tk:133: let q = consume cs;
            shared.cs.wait_full(a);

            // mamba2_backward.tk:134: r += mma(w.high, q);
            tk::mma_async(r, high, shared.cs_tile[a.stage]);

            // mamba2_backward.tk:135: r += mma(w.low, q);
            tk::mma_async(r, w_low, shared.cs_tile[a.stage]);
            tk::mma_wait<0>(r, high, w_low);
            shared.cs.release(a);
        }

        // mamba2_backward.tk:137: store(dS0[b, c, :], r);
        tk::store_global(
            tk::slice(dS0, {b, c + 64 * warpgroup, 0}, b < I ? H * 64 - (c + 64 * warpgroup) : 0,
                      128), r, thread);

        if (leader) tk::tma_store_wait_read<0>();
    }
}

// chunks: kernel chunks with T = bf16, P = 64, S = 128, PACKED = false, L = 64.
// producer: 1 warp, 24 registers a thread; queries: 1 warpgroup, 240 registers a thread; keys: 1
// warpgroup, 240 registers a thread.
// 384 threads, 168 registers each at first, 176240 bytes of shared memory.
struct chunks_shared {
    tk::shared_tile<tk::bf16, 64, 128> shares_b[1];
    tk::shared_tile<tk::bf16, 64, 128> shares_c[1];
    tk::shared_tile<tk::bf16, 64, 64> xs_x[2];
    tk::shared_tile<tk::bf16, 64, 64> xs_y[2];
    tk::shared_tile<float, 1, 64> gs_g[2];
    tk::shared_tile<float, 64, 1> gs_gc[2];
    tk::shared_tile<float, 1, 64> gs_d[2];
    tk::shared_tile<float, 64, 1> gs_dc[2];
    tk::shared_tile<tk::bf16, 64, 128> states_s[2];
    tk::shared_tile<tk::bf16, 64, 128> states_r[2];
    tk::shared_tile<float, 4, 1> queries_f32_rows_1[1];
    tk::shared_tile<float, 4, 64> keys_f32_rows_64[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_dC[2];
    tk::shared_tile<tk::bf16, 64, 64> keys_dX[1];
    tk::shared_tile<tk::bf16, 64, 64> keys_dB[2];
    tk::pipeline<1> shares;
    tk::pipeline<2> xs;
    tk::pipeline<2> gs;
    tk::pipeline<2> states;
};
static_assert(offsetof(chunks_shared, states) == 176208);

__global__ void __launch_bounds__(384, 1) chunks_kernel(
    const __grid_constant__ CUtensorMap Bm_map, const __grid_constant__ CUtensorMap C_map,
    const __grid_constant__ CUtensorMap X_map, const __grid_constant__ CUtensorMap dY_map,
    const __grid_constant__ CUtensorMap G_map, const __grid_constant__ CUtensorMap Step_map,
    const __grid_constant__ CUtensorMap Before_map, const __grid_constant__ CUtensorMap Behind_map,
    const __grid_constant__ CUtensorMap dC_map, const __grid_constant__ CUtensorMap dX_map,
    const __grid_constant__ CUtensorMap dB_map, const tk::tensor_argument<const float, 1> D,
    const tk::tensor_argument<float, 3> Query, const tk::tensor_argument<float, 3> Key,
    const tk::tensor_argument<float, 3> QueryPairs, const tk::tensor_argument<float, 3> KeyPairs,
    const tk::tensor_argument<float, 3> Past, const tk::tensor_argument<float, 3> Skip, int B,
    int N, int GR, int H) {
    extern __shared__ __align__(1024) unsigned char memory[];
    chunks_shared& shared = *reinterpret_cast<chunks_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Bm_map, C_map, X_map, dY_map, G_map, Step_map, Before_map, Behind_map,
                              dC_map, dX_map, dB_map);
        shared.shares.init(1, 8);
        shared.xs.init(1, 8);
        shared.gs.init(1, 8);
        shared.states.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // mamba2_backward.tk:169: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int t_tiles = tk::tiles(N, 64);
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> gs_next, states_next, xs_next;
            tk::cursor<1> shares_next;
            const int program = blockIdx.x;
            const int group = program % GR;
            const int t = program / GR % t_tiles * 64;
            const int b = program / (GR * t_tiles);

            // mamba2_backward.tk:163: let first = group * (H / GR);
            const int first = group * (H / GR);

            // mamba2_backward.tk:173: produce shares { b = tma_load(Bm[b, t, group, :]); c = ..
            shared.shares.begin(shares_next, 32768);
            tk::tma_load(shared.shares_b[shares_next.stage], Bm_map,
                         shared.shares.full[shares_next.stage], b, t, group, 0);
            tk::tma_load(shared.shares_c[shares_next.stage], C_map,
                         shared.shares.full[shares_next.stage], b, t, group, 0);
            shares_next.advance();

            // mamba2_backward.tk:175: for i in H / GR {
            #pragma unroll 1
            for (int i = 0; i < H / GR; i += 1) {
                // mamba2_backward.tk:176: let h = first + i;
                const int h = first + i;

                // mamba2_backward.tk:180: produce xs { x = tma_load(X[b, t, h * P +: P]); y = ..
                shared.xs.begin(xs_next, 16384);
                tk::tma_load(shared.xs_x[xs_next.stage], X_map, shared.xs.full[xs_next.stage], b, t,
                             h * 64);
                tk::tma_load(shared.xs_y[xs_next.stage], dY_map, shared.xs.full[xs_next.stage], b,
                             t, h * 64);
                xs_next.advance();

                // mamba2_backward.tk:182: produce gs {
                shared.gs.begin(gs_next, 1024);

                // mamba2_backward.tk:183: g = tma_load(G[b, h, t.start +: L]); gc = ..
                tk::tma_load(shared.gs_g[gs_next.stage], G_map, shared.gs.full[gs_next.stage], b, h,
                             t);
                tk::tma_load(shared.gs_gc[gs_next.stage], G_map, shared.gs.full[gs_next.stage], b,
                             h, t);

                // mamba2_backward.tk:184: d = tma_load(Step[(if PACKED { 0 } else { b }), h, ..
                tk::tma_load(shared.gs_d[gs_next.stage], Step_map, shared.gs.full[gs_next.stage], b,
                             h, t);
                tk::tma_load(shared.gs_dc[gs_next.stage], Step_map, shared.gs.full[gs_next.stage],
                             b, h, t);
                // mamba2_backward.tk:182
                gs_next.advance();

                // mamba2_backward.tk:186: produce states { s = tma_load(Before[(if PACKED { 0 } ..
                shared.states.begin(states_next, 32768);
                tk::tma_load(shared.states_s[states_next.stage], Before_map,
                             shared.states.full[states_next.stage], b, t / 64, h * 64, 0);
                tk::tma_load(shared.states_r[states_next.stage], Behind_map,
                             shared.states.full[states_next.stage], b, t / 64, h * 64, 0);
                states_next.advance();
            }
        }
    } else if (warp < 4) {
        // mamba2_backward.tk:189: role queries(1 warpgroup) {
        tk::registers_at_least<240>();
        const int t_tiles = tk::tiles(N, 64);
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<1> shares_next;
        tk::cursor<2> xs_next;
        const int program = blockIdx.x;
        const int group = program % GR;
        const int t = program / GR % t_tiles * 64;
        const int b = program / (GR * t_tiles);

        // mamba2_backward.tk:163: let first = group * (H / GR);
        const int first = group * (H / GR);

        // mamba2_backward.tk:190: let common = consume shares;
        const tk::cursor<1> common = shared.shares.take(shares_next);

        // mamba2_backward.tk:191: var dc: f32[L, S] = 0;
        tk::fragment<float, 64, 128> dc;
        tk::zero(dc);

        // mamba2_backward.tk:192: for i in H / GR {
        for (int i = 0; i < H / GR; i += 1) {
            // mamba2_backward.tk:193: let h = first + i;
            const int h = first + i;

            // mamba2_backward.tk:194: let v = consume xs;
            const tk::cursor<2> v = shared.xs.take(xs_next);

            // mamba2_backward.tk:195: let p = mma(v.y, v.x.T);
            tk::fragment<float, 64, 64> p;
            tk::mma_async(p, shared.xs_y[v.stage], tk::transposed(shared.xs_x[v.stage]),
                          tk::accumulate_never{});

            // mamba2_backward.tk:196: let m = consume states;
            shared.states.wait_full(v);

            // mamba2_backward.tk:197: var y = mma(v.y, m.s);
            tk::fragment<float, 64, 128> y;
            tk::mma_async(y, shared.xs_y[v.stage], shared.states_s[v.stage],
                          tk::accumulate_never{});
            tk::mma_wait<1>(p);

            // mamba2_backward.tk:32: fn total(x: f32[M, N]) -> f32[1, 1] { return sum(sum(x, ..
            tk::fragment<float, 64, 64> t2;
            tk::map(t2, thread, [](int row, int col, float p) { return row == col ? p : 0.0f; }, p);
            tk::column_fragment<float, 64> t3;
            tk::fold_rows(t3, t2, tk::plus{}, thread);
            tk::finish_rows(t3, tk::plus{});
            tk::row_fragment<float, 1> t4;
            tk::reduce_columns(t4, t3, shared.queries_f32_rows_1[0], tk::plus{}, thread, 2);

            // mamba2_backward.tk:198: store(Skip[(if PACKED { 0 } else { b }), t.index, h], ..
            const float number = t4.cell(0);
            tk::row_fragment<float, 1> t5;
            tk::fill(t5, number);
            tk::store_global(
                tk::slice<tk::no_axis, 2>(Skip, {b, t / 64, h}, 1,
                                          t / 64 < tk::divide_up(N, 64) ? H - h : 0), t5, thread);

            // mamba2_backward.tk:199: let a = consume gs;
            shared.gs.wait_full(v);

            // mamba2_backward.tk:200: let w = T(pad(p * decay.between(a.gc, a.g) * a.d, axis = ..
            tk::column_fragment<float, 64> t1;
            tk::map(t1, thread, [&](int row, int) {
                return tk::get(shared.gs_gc[v.stage], row, 0);
            });
            tk::row_fragment<float, 64> t12;
            tk::load_shared(t12, shared.gs_g[v.stage], thread);
            tk::row_fragment<float, 64> t22;
            tk::load_shared(t22, shared.gs_d[v.stage], thread);
            tk::hold_waits(warp);
            tk::fragment<tk::bf16, 64, 64> w;
            tk::map(w, thread, [&](int row, int col, float t1, float t12, float p, float t22) {
                return col < N - t ? p * tk::exp2(row >= col ? t1 - t12 : -INFINITY) * t22 : 0.0f;
            }, t1, t12, p, t22);

            // mamba2_backward.tk:201: y *= exp2(a.gc);
            tk::column_fragment<float, 64> t23;
            tk::map(t23, thread, [&](int row, int) {
                return tk::get(shared.gs_gc[v.stage], row, 0);
            });
            tk::column_fragment<float, 64> t0;
            tk::map(t0, [](float t23) { return tk::exp2(t23); }, t23);
            tk::mma_wait<0>(y);
            shared.xs.release(v);
            tk::map(y, [](float y, float t0) { return y * t0; }, y, t0);

            // mamba2_backward.tk:202: dc += y;
            tk::map(dc, [](float dc, float y) { return dc + y; }, dc, y);

            // mamba2_backward.tk:203: dc += mma(w, common.b);
            tk::mma_async(dc, w, shared.shares_b[common.stage]);

            // mamba2_backward.tk:204: store(Query[(if PACKED { 0 } else { b }), h, t.start +: ..
            tk::fragment<tk::bf16, 64, 128> t24;
            tk::load_shared(t24, shared.shares_c[common.stage], thread);
            tk::fragment<float, 64, 128> t6;
            tk::map(t6, [](float y, tk::bf16 t24) { return y * float(t24); }, y, t24);
            tk::column_fragment<float, 64> t7;
            tk::fold_rows(t7, t6, tk::plus{}, thread);
            tk::finish_rows(t7, tk::plus{});
            tk::store_global(
                tk::slice<2, tk::no_axis>(Query, {b, h, t},
                                          h < H ? tk::divide_up(N, 64) * 64 - t : 0, 1), t7,
                thread);
            // mamba2_backward.tk:32
            tk::fragment<tk::bf16, 64, 64> t25;
            tk::load_shared(t25, tk::part<0, 0, 64, 64>(shared.states_s[v.stage]), thread);
            tk::fragment<tk::bf16, 64, 64> t26;
            tk::load_shared(t26, tk::part<0, 0, 64, 64>(shared.states_r[v.stage]), thread);
            tk::hold_waits(warp);
            tk::fragment<float, 64, 64> t10;
            tk::map(t10, [](tk::bf16 t25, tk::bf16 t26) { return float(t25) * float(t26); },
                    t25, t26);
            tk::column_fragment<float, 64> t11;
            tk::fold_rows(t11, t10, tk::plus{}, thread);
            tk::finish_rows(t11, tk::plus{});
            tk::row_fragment<float, 1> both;
            tk::reduce_columns(both, t11, shared.queries_f32_rows_1[0], tk::plus{}, thread, 2);
            tk::fragment<tk::bf16, 64, 64> t27;
            tk::load_shared(t27, tk::part<0, 64, 64, 64>(shared.states_s[v.stage]), thread);
            tk::fragment<tk::bf16, 64, 64> t28;
            tk::load_shared(t28, tk::part<0, 64, 64, 64>(shared.states_r[v.stage]), thread);
            shared.states.release_after_loads(v);
            tk::fragment<float, 64, 64> t15;
            tk::map(t15, [](tk::bf16 t27, tk::bf16 t28) { return float(t27) * float(t28); },
                    t27, t28);
            tk::column_fragment<float, 64> t16;
            tk::fold_rows(t16, t15, tk::plus{}, thread);
            tk::finish_rows(t16, tk::plus{});
            tk::row_fragment<float, 1> t17;
            tk::reduce_columns(t17, t16, shared.queries_f32_rows_1[0], tk::plus{}, thread, 2);

            // mamba2_backward.tk:206: if S > 64 { both += total(f32(m.s[0 +: 64, S - 64 +: 64]) ..
            tk::map(both, [](float both, float t17) { return both + t17; }, both, t17);

            // mamba2_backward.tk:209: store(Past[(if PACKED { 0 } else { b }), t.index, h], ..
            const float number_2 = both.cell(0);
            tk::row_fragment<float, 1> t19;
            tk::load_shared(t19, tk::part<0, 63, 1, 1>(shared.gs_g[v.stage]), thread);
            shared.gs.release_after_loads(v);
            const float number_3 = t19.cell(0);
            tk::row_fragment<float, 1> t20;
            tk::fill(t20, number_2 * tk::exp2(number_3));
            tk::store_global(
                tk::slice<tk::no_axis, 2>(Past, {b, t / 64, h}, 1,
                                          t / 64 < tk::divide_up(N, 64) ? H - h : 0), t20, thread);
            tk::mma_wait<0>(dc, w);
        }
        shared.shares.release_after_loads(common);

        // mamba2_backward.tk:211: if PACKED { store(dCt[0 +: L, group, :], T(dc)); } else { ..
        #pragma unroll
        for (int panel = 0; panel < 128; panel += 64) {
            tk::store_shared(shared.queries_dC[panel / 64 % 2],
                             tk::convert<tk::bf16>(tk::window<64, 64>(dc, 0, panel)), thread);
            tk::fence_async();
            if (leader) tk::tma_store_wait_read<0>();
            tk::barrier_sync(1, 128);
            if (leader) {
                tk::tma_store(dC_map, shared.queries_dC[panel / 64 % 2], b, t, group, panel);
            }
        }

        if (leader) tk::tma_store_wait_read<0>();
    } else {
        // mamba2_backward.tk:213: role keys(1 warpgroup) {
        tk::registers_at_least<240>();
        const int t_tiles = tk::tiles(N, 64);
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<1> shares_next;
        tk::cursor<2> xs_next;
        const int program = blockIdx.x;
        const int group = program % GR;
        const int t = program / GR % t_tiles * 64;
        const int b = program / (GR * t_tiles);

        // mamba2_backward.tk:163: let first = group * (H / GR);
        const int first = group * (H / GR);

        // mamba2_backward.tk:214: let common = consume shares;
        const tk::cursor<1> common = shared.shares.take(shares_next);

        // mamba2_backward.tk:215: var db: f32[L, S] = 0;
        tk::fragment<float, 64, 128> db;
        tk::zero(db);

        // mamba2_backward.tk:216: for i in H / GR {
        tk::fragment<tk::bf16, 64, 64> w;
        tk::fragment<tk::bf16, 64, 64> f;
        for (int i = 0; i < H / GR; i += 1) {
            // mamba2_backward.tk:217: let h = first + i;
            const int h = first + i;

            // mamba2_backward.tk:219: let p = mma(common.b, common.c.T);
            tk::fragment<float, 64, 64> p;
            tk::mma_async(p, shared.shares_b[common.stage],
                          tk::transposed(shared.shares_c[common.stage]), tk::accumulate_never{});

            // mamba2_backward.tk:220: let v = consume xs;
            const tk::cursor<2> v = shared.xs.take(xs_next);

            // mamba2_backward.tk:221: let q = mma(v.x, v.y.T);
            tk::fragment<float, 64, 64> q;
            tk::mma_async(q, shared.xs_x[v.stage], tk::transposed(shared.xs_y[v.stage]),
                          tk::accumulate_never{});

            // mamba2_backward.tk:222: let a = consume gs;
            shared.gs.wait_full(v);

            // mamba2_backward.tk:223: let e = between_by_key(a.gc, a.g);
            tk::row_fragment<float, 64> t1;
            tk::load_shared(t1, shared.gs_g[v.stage], thread);
            tk::column_fragment<float, 64> t2;
            tk::map(t2, thread, [&](int row, int) {
                return tk::get(shared.gs_gc[v.stage], row, 0);
            });
            tk::fragment<float, 64, 64> e;
            tk::map(e, thread, [](int row, int col, float t1, float t2) {
                return tk::exp2(col >= row ? t1 - t2 : -INFINITY);
            }, t1, t2);

            // mamba2_backward.tk:224: let left = exp2(scalar(a.g[:, L - 1 +: 1]) - a.gc);
            tk::hold_waits(warp);
            tk::row_fragment<float, 1> t4;
            tk::load_shared(t4, tk::part<0, 63, 1, 1>(shared.gs_g[v.stage]), thread);
            const float number = t4.cell(0);
            tk::column_fragment<float, 64> t8;
            tk::map(t8, thread, [&](int row, int) {
                return tk::get(shared.gs_gc[v.stage], row, 0);
            });
            tk::column_fragment<float, 64> left;
            tk::map(left, [&](float t8) { return tk::exp2(number - t8); }, t8);
            tk::mma_wait<1>(p);

            // mamba2_backward.tk:225: let w = T(pad(p * e, axis = 1, with = 0));
            if (t + 64 <= N) {
                tk::map(w, [](float p, float e) { return p * e; }, p, e);
            } else {
                tk::map(w, thread, [&](int, int col, float p, float e) {
                    return col < N - t ? p * e : 0.0f;
                }, p, e);
            }
            tk::mma_wait<0>(q);

            // mamba2_backward.tk:226: let u = q * e;
            tk::fragment<float, 64, 64> u;
            tk::map(u, [](float q, float e) { return q * e; }, q, e);

            // mamba2_backward.tk:227: let m = if PACKED { inside(p * u) } else { p * u };
            tk::fragment<float, 64, 64> m;
            tk::map(m, [](float p, float u) { return p * u; }, p, u);

            // mamba2_backward.tk:228: store(KeyPairs[(if PACKED { 0 } else { b }), h, t.start +: ..
            tk::column_fragment<float, 64> t5;
            tk::fold_rows(t5, m, tk::plus{}, thread);
            tk::finish_rows(t5, tk::plus{});
            tk::store_global(
                tk::slice<2, tk::no_axis>(KeyPairs, {b, h, t},
                                          h < H ? tk::divide_up(N, 64) * 64 - t : 0, 1), t5,
                thread);

            // mamba2_backward.tk:229: store(QueryPairs[(if PACKED { 0 } else { b }), h, t.start ..
            tk::column_fragment<float, 64> t9;
            tk::map(t9, thread, [&](int row, int) {
                return tk::get(shared.gs_dc[v.stage], row, 0);
            });
            tk::fragment<float, 64, 64> t6;
            tk::map(t6, [](float m, float t9) { return m * t9; }, m, t9);
            tk::row_fragment<float, 64> t7;
            tk::reduce_columns(t7, t6, shared.keys_f32_rows_64[0], tk::plus{}, thread, 4);
            tk::store_global(
                tk::slice<tk::no_axis, 2>(QueryPairs, {b, h, t}, 1,
                                          h < H ? tk::divide_up(N, 64) * 64 - t : 0), t7, thread);

            // mamba2_backward.tk:230: let r = consume states;
            shared.states.wait_full(v);

            // mamba2_backward.tk:231: let f = T(pad(u * a.dc, axis = 1, with = 0));
            tk::column_fragment<float, 64> t11;
            tk::map(t11, thread, [&](int row, int) {
                return tk::get(shared.gs_dc[v.stage], row, 0);
            });
            if (t + 64 <= N) {
                tk::map(f, [](float u, float t11) { return u * t11; }, u, t11);
            } else {
                tk::map(f, thread, [&](int, int col, float u, float t11) {
                    return col < N - t ? u * t11 : 0.0f;
                }, u, t11);
            }

            // mamba2_backward.tk:232: var z = mma(common.b, r.r[0 +: 64, :].T);
            tk::fragment<float, 64, 64> z;
            tk::mma_async(z, shared.shares_b[common.stage],
                          tk::transposed(shared.states_r[v.stage]), tk::accumulate_never{});

            // mamba2_backward.tk:233: db += mma(f, common.c);
            tk::mma_async(db, f, shared.shares_c[common.stage]);

            // mamba2_backward.tk:235: var y = mma(v.x, r.r);
            tk::fragment<float, 64, 128> y;
            tk::mma_async(y, shared.xs_x[v.stage], shared.states_r[v.stage],
                          tk::accumulate_never{});
            tk::mma_wait<2>(z);

            // mamba2_backward.tk:236: z *= left;
            tk::map(z, [](float z, float left) { return z * left; }, z, left);

            // mamba2_backward.tk:237: y *= left * a.dc;
            tk::hold_waits(warp);
            tk::column_fragment<float, 64> t14;
            tk::map(t14, thread, [&](int row, int) {
                return tk::get(shared.gs_dc[v.stage], row, 0);
            });
            tk::column_fragment<float, 64> t0;
            tk::map(t0, [](float left, float t14) { return left * t14; }, left, t14);
            tk::mma_wait<0>(db, y, f);
            shared.states.release(v);
            tk::map(y, [](float y, float t0) { return y * t0; }, y, t0);

            // mamba2_backward.tk:238: db += y;
            tk::map(db, [](float db, float y) { return db + y; }, db, y);

            // mamba2_backward.tk:242: var key = sum(z * v.x[:, 0 +: 64], axis = 1);
            tk::fragment<tk::bf16, 64, 64> t15;
            tk::load_shared(t15, shared.xs_x[v.stage], thread);
            tk::fragment<float, 64, 64> t10;
            tk::map(t10, [](float z, tk::bf16 t15) { return z * float(t15); }, z, t15);
            tk::column_fragment<float, 64> key;
            tk::fold_rows(key, t10, tk::plus{}, thread);
            tk::finish_rows(key, tk::plus{});

            // mamba2_backward.tk:243: z += mma(w, v.y[:, 0 +: 64]);
            tk::mma_async(z, w, shared.xs_y[v.stage]);

            // mamba2_backward.tk:255: if PACKED { store(dXt[0 +: L, h * P +: 64], T(z * a.dc + ..
            tk::column_fragment<float, 64> t16;
            tk::map(t16, thread, [&](int row, int) {
                return tk::get(shared.gs_dc[v.stage], row, 0);
            });
            shared.gs.release_after_loads(v);
            tk::fragment<tk::bf16, 64, 64> t17;
            tk::load_shared(t17, shared.xs_y[v.stage], thread);
            tk::mma_wait<0>(z, w);
            shared.xs.release_after_loads(v);
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(3, 128);
                tk::fragment<tk::bf16, 64, 64> t12;
                tk::map(t12, [&](float z, float t16, tk::bf16 t17) {
                    return tk::fma(z, t16, (h < H ? tk::cell(D, h) : float{}) * float(t17));
                }, z, t16, t17);
                tk::store_shared(shared.keys_dX[0], t12, thread);
                tk::fence_async();
                tk::barrier_sync(3, 128);
                if (leader) tk::tma_store(dX_map, shared.keys_dX[0], b, t, h * 64 + panel);
            }

            // mamba2_backward.tk:257: store(Key[(if PACKED { 0 } else { b }), h, t.start +: L], ..
            tk::store_global(
                tk::slice<2, tk::no_axis>(Key, {b, h, t}, h < H ? tk::divide_up(N, 64) * 64 - t : 0,
                                          1), key, thread);
        }
        shared.shares.release(common);

        // mamba2_backward.tk:259: if PACKED { store(dBt[0 +: L, group, :], T(db)); } else { ..
        #pragma unroll
        for (int panel = 0; panel < 128; panel += 64) {
            if (leader) tk::tma_store_wait_read<0>();
            tk::barrier_sync(3, 128);
            tk::store_shared(shared.keys_dB[panel / 64 % 2],
                             tk::convert<tk::bf16>(tk::window<64, 64>(db, 0, panel)), thread);
            tk::fence_async();
            tk::barrier_sync(3, 128);
            if (leader) tk::tma_store(dB_map, shared.keys_dB[panel / 64 % 2], b, t, group, panel);
        }

        if (leader) tk::tma_store_wait_read<0>();
    }
}

// steps: kernel steps with T = bf16, SOFTPLUS = true, PACKED = false, L = 64, BH = 32.
// 128 threads, 255 registers each, 9216 bytes of shared memory: steps_kernel<2, 8, 8, true>.
// steps_general: kernel steps with T = bf16, SOFTPLUS = true, PACKED = false, L = 64, BH = 32; any
// strides and alignment.
// 128 threads, 255 registers each, 9216 bytes of shared memory: steps_kernel<1, 32, 2, false>.
struct steps_shared {
    tk::shared_tile<int, 1, 2112> steps_turned[1];
    tk::shared_tile<float, 4, 32> steps_f32_rows_32[1];
};
static_assert(offsetof(steps_shared, steps_f32_rows_32) == 8448);

template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) steps_kernel(
    const tk::tensor_argument<const tk::bf16, 3> Dt, const tk::tensor_argument<const float, 1> A,
    const tk::tensor_argument<const float, 1> bias, const tk::tensor_argument<const float, 3> Query,
    const tk::tensor_argument<const float, 3> Key,
    const tk::tensor_argument<const float, 3> QueryPairs,
    const tk::tensor_argument<const float, 3> KeyPairs,
    const tk::tensor_argument<const float, 3> Past, const tk::tensor_argument<tk::bf16, 3> dDt,
    const tk::tensor_argument<float, 3> ofA, const tk::tensor_argument<float, 3> ofBias, int B,
    int N, int H, float dt_min, float dt_max) {
    extern __shared__ __align__(1024) unsigned char memory[];
    steps_shared& shared = *reinterpret_cast<steps_shared*>(memory);

    tk::wait_for_previous_kernel();

    const int h_tiles = tk::tiles(H, 32);
    const int t_tiles = tk::tiles(tk::divide_up(N, 64) * 64, 64);

    // mamba2_backward.tk:264: kernel steps<T: dtype = bf16, SOFTPLUS: bool = true, PACKED: bool ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int h = program % h_tiles * 32;
    const int t = program / h_tiles % t_tiles * 64;
    const int b = program / (h_tiles * t_tiles);

    // mamba2_backward.tk:275: let tokens = if PACKED { Tokens[t.index] } else { N };
    const int tokens = N;

    // mamba2_backward.tk:278: let x    = f32(if PACKED { load(Dts[0 +: L, h]) } else { ..
    tk::stripe<tk::bf16, 64, 32, 128, row_threads, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_vectors<vectors>(Dt, {b, t, h}, N - t, H - h), thread);
    tk::stripe<float, 1, 32, 128, row_threads, vector> t1;
    tk::load_slice<vectors>(t1, tk::slice_if_vectors<vectors>(bias, {h}, 1, H - h), thread);

    // mamba2_backward.tk:279: let y    = if SOFTPLUS { activation.softplus(x) } else { x };
    tk::stripe<float, 64, 32, 128, row_threads, vector> y;
    tk::map(y, [](tk::bf16 t0, float t1) {
        const float x_2 = float(t0) + t1;
        const float x_3 = tk::exp(-tk::abs(x_2));
        const float x_4 = tk::divide(x_3, 2.0f + x_3);
        const float x_5 = x_4 * x_4;
        return tk::fma(2.0f * x_4,
                       tk::fma(x_5,
                               tk::fma(x_5,
                                       tk::fma(x_5,
                                               tk::fma(x_5,
                                                       tk::fma(x_5,
                                                               tk::fma(x_5, tk::divide(1.0f, 13.0f),
                                                                       tk::divide(1.0f, 11.0f)),
                                                               tk::divide(1.0f, 9.0f)),
                                                       tk::divide(1.0f, 7.0f)),
                                               tk::divide(1.0f, 5.0f)), tk::divide(1.0f, 3.0f)),
                               1.0f), tk::max(x_2, 0.0f));
    }, t0, t1);

    // mamba2_backward.tk:281: let dt   = where(real, min(max(y, dt_min), dt_max), 0).T;
    tk::stripe<float, 64, 32, 128, row_threads, vector> t2;
    tk::map(t2, thread, [&](int row, int, float y) {
        return t + row < tokens ? tk::min(tk::max(y, dt_min), dt_max) : 0.0f;
    }, y);
    tk::stripe<float, 32, 64, 128, row_threads, vector> dt;
    tk::transpose(dt, t2, shared.steps_turned[0], thread, 1);

    // mamba2_backward.tk:282: let all  = load(Key[b, h, t]);
    tk::stripe<float, 32, 64, 128, row_threads, vector> all;
    tk::load_slice<vectors>(all,
                            tk::slice_if_vectors<vectors>(Key, {b, h, t}, H - h,
                                                          tk::divide_up(N, 64) * 64 - t), thread);

    // mamba2_backward.tk:284: let pair = load(KeyPairs[b, h, t]);
    tk::stripe<float, 32, 64, 128, row_threads, vector> pair;
    tk::load_slice<vectors>(pair,
                            tk::slice_if_vectors<vectors>(KeyPairs, {b, h, t}, H - h,
                                                          tk::divide_up(N, 64) * 64 - t), thread);

    // mamba2_backward.tk:285: let from = key * dt;
    tk::stripe<float, 32, 64, 128, row_threads, vector> from;
    tk::map(from, [](float all, float dt) { return all * dt; }, all, dt);

    // mamba2_backward.tk:286: let sums = load(Query[b, h, t]) + load(QueryPairs[b, h, t]) - pair ..
    tk::stripe<float, 32, 64, 128, row_threads, vector> t6;
    tk::load_slice<vectors>(t6,
                            tk::slice_if_vectors<vectors>(Query, {b, h, t}, H - h,
                                                          tk::divide_up(N, 64) * 64 - t), thread);
    tk::stripe<float, 32, 64, 128, row_threads, vector> t7;
    tk::load_slice<vectors>(t7,
                            tk::slice_if_vectors<vectors>(QueryPairs, {b, h, t}, H - h,
                                                          tk::divide_up(N, 64) * 64 - t), thread);

    // mamba2_backward.tk:287: let to   = if PACKED { where(col_index(sums) < tokens, sums, 0) } ..
    tk::stripe<float, 32, 64, 128, row_threads, vector> to;
    tk::map(to, thread, [&](int, int col, float pair, float dt, float t6, float t7) {
        return col < N - t ? tk::fma(-pair, dt, t6 + t7) : 0.0f;
    }, pair, dt, t6, t7);

    // mamba2_backward.tk:288: let da   = column(load(Past[b, t.index, h])) + (cumsum(from, axis ..
    tk::stripe<float, 32, 1, 128, row_threads, vector> t8;
    tk::load_global(t8,
                    tk::slice<2, tk::no_axis>(Past, {b, t / 64, h},
                                              t / 64 < tk::divide_up(N, 64) ? H - h : 0, 1),
                    thread);
    tk::stripe<float, 32, 64, 128, row_threads, vector> t9;
    tk::running_sums(t9, from, thread);
    tk::stripe<float, 32, 1, 128, row_threads, vector> t10;
    tk::fold_rows(t10, to, tk::plus{}, thread);
    tk::finish_rows(t10, tk::plus{});
    tk::stripe<float, 32, 64, 128, row_threads, vector> t11;
    tk::running_sums(t11, to, thread);
    tk::stripe<float, 32, 64, 128, row_threads, vector> da;
    tk::map(da, [](float t8, float t9, float from, float t10, float t11, float to) {
        return t8 + (t9 - from) + (t10 - t11 + to);
    }, t8, t9, from, t10, t11, to);

    // mamba2_backward.tk:289: let ddt  = (key + pair + column(load(A[h])) * da).T;
    tk::stripe<float, 32, 1, 128, row_threads, vector> t12;
    tk::load_global(t12, tk::slice<0, tk::no_axis>(A, {h}, H - h, 1), thread);
    tk::stripe<float, 32, 64, 128, row_threads, vector> t13;
    tk::map(t13, [](float all, float pair, float t12, float da) {
        return tk::fma(t12, da, all + pair);
    }, all, pair, t12, da);
    tk::stripe<float, 64, 32, 128, row_threads, vector> ddt;
    tk::transpose(ddt, t13, shared.steps_turned[0], thread, 1);

    // mamba2_backward.tk:290: let dx   = where(real and y >= dt_min and y <= dt_max, if SOFTPLUS ..
    tk::stripe<float, 64, 32, 128, row_threads, vector> dx;
    tk::map(dx, thread, [&](int row, int, tk::bf16 t0, float t1, float y, float ddt) {
        return t + row < tokens && y >= dt_min && y <= dt_max
            ? ddt * tk::divide(1.0f, 1.0f + tk::exp(-(float(t0) + t1))) : 0.0f;
    }, t0, t1, y, ddt);

    // mamba2_backward.tk:291: if PACKED { store(dDts[0 +: L, h], T(dx)); } else { store(dDt[b, ..
    tk::stripe<tk::bf16, 64, 32, 128, row_threads, vector> t15 = tk::convert<tk::bf16>(dx);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(dDt, {b, t, h}, N - t, H - h), t15,
                             thread);

    // mamba2_backward.tk:292: store(ofA[b, t.index, h], sum(dt * da, axis = 1));
    tk::stripe<float, 32, 64, 128, row_threads, vector> t16;
    tk::map(t16, [](float dt, float da) { return dt * da; }, dt, da);
    tk::stripe<float, 32, 1, 128, row_threads, vector> t17;
    tk::fold_rows(t17, t16, tk::plus{}, thread);
    tk::finish_rows(t17, tk::plus{});
    tk::store_global(
        tk::slice<2, tk::no_axis>(ofA, {b, t / 64, h}, t / 64 < tk::divide_up(N, 64) ? H - h : 0,
                                  1), t17, thread);

    // mamba2_backward.tk:293: store(ofBias[b, t.index, h], sum(dx, axis = 0));
    tk::stripe<float, 1, 32, 128, row_threads, vector> t18;
    tk::reduce_columns(t18, dx, shared.steps_f32_rows_32[0], tk::plus{}, thread, 1);
    tk::store_slice<vectors>(
        tk::slice_if_vectors<vectors, tk::no_axis, 2>(ofBias, {b, t / 64, h}, 1,
                                                      t / 64 < tk::divide_up(N, 64) ? H - h : 0),
        t18, thread);
}

// totals: kernel totals with BH = 32.
// 256 threads, 48 registers each, 1024 bytes of shared memory: totals_kernel<5, 8, 4, true>.
// totals_general: kernel totals with BH = 32; any strides and alignment.
// 256 threads, 255 registers each, 1024 bytes of shared memory: totals_kernel<1, 16, 2, false>.
struct totals_shared {
    tk::shared_tile<float, 8, 32> totals_f32_rows_32[1];
};

template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) totals_kernel(
    const tk::tensor_argument<const float, 3> Part, const tk::tensor_argument<float, 1> Total,
    int B, int R, int H) {
    extern __shared__ __align__(1024) unsigned char memory[];
    totals_shared& shared = *reinterpret_cast<totals_shared*>(memory);

    tk::wait_for_previous_kernel();

    // mamba2_backward.tk:296: kernel totals<BH: int = 32>(Part: f32[B, R, H], out Total: f32[H])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int h = program * 32;

    // mamba2_backward.tk:299: var all: f32[1, BH] = 0;
    tk::stripe<float, 1, 32, 256, row_threads, vector> all;
    tk::zero(all);

    // mamba2_backward.tk:300: for b in B, r in R by 64 { all += sum(load(Part[b, r, h]), axis = ..
    for (int b = 0; b < B; b += 1) {
        for (int r = 0; r < R; r += 64) {
            tk::stripe<float, 64, 32, 256, row_threads, vector> t0;
            tk::load_slice<vectors>(
                t0, tk::slice_if_vectors<vectors>(Part, {b, r, h}, R - r, H - h), thread);
            tk::stripe<float, 1, 32, 256, row_threads, vector> t1;
            tk::reduce_columns(t1, t0, shared.totals_f32_rows_32[0], tk::plus{}, thread, 1);
            tk::map(all, [](float all, float t1) { return all + t1; }, all, t1);
        }
    }

    // mamba2_backward.tk:301: store(Total[h], all);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(Total, {h}, 1, H - h), all, thread);
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

// mamba2_gates_T_bf16_SOFTPLUS_true_PACKED_false: kernel mamba2.gates with T = bf16, SOFTPLUS =
// true, PACKED = false, L = 64, BH = 32.
// 128 threads, 96 registers each, 9216 bytes of shared memory:
// mamba2_gates_T_bf16_SOFTPLUS_true_PACKED_false_kernel<5, 8, 8, true>.
// mamba2_gates_T_bf16_SOFTPLUS_true_PACKED_false_general: kernel mamba2.gates with T = bf16,
// SOFTPLUS = true, PACKED = false, L = 64, BH = 32; any strides and alignment.
// 128 threads, 255 registers each, 9216 bytes of shared memory:
// mamba2_gates_T_bf16_SOFTPLUS_true_PACKED_false_kernel<1, 32, 2, false>.
struct mamba2_gates_T_bf16_SOFTPLUS_true_PACKED_false_shared {
    tk::shared_tile<int, 1, 2112> gates_turned[1];
};

template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) mamba2_gates_T_bf16_SOFTPLUS_true_PACKED_false_kernel(
    const tk::tensor_argument<const tk::bf16, 3> Dt, const tk::tensor_argument<const float, 1> A,
    const tk::tensor_argument<const float, 1> bias, const tk::tensor_argument<float, 3> G,
    const tk::tensor_argument<float, 3> Step, const tk::tensor_argument<float, 3> W, int B, int N,
    int H, float dt_min, float dt_max) {
    extern __shared__ __align__(1024) unsigned char memory[];
    mamba2_gates_T_bf16_SOFTPLUS_true_PACKED_false_shared& shared =
        *reinterpret_cast<mamba2_gates_T_bf16_SOFTPLUS_true_PACKED_false_shared*>(memory);

    tk::wait_for_previous_kernel();

    const int h_tiles = tk::tiles(H, 32);
    const int t_tiles = tk::tiles(tk::divide_up(N, 64) * 64, 64);

    // mamba2.tk:26: kernel gates<T: dtype = bf16, SOFTPLUS: bool = true, PACKED: bool = false, ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int h = program % h_tiles * 32;
    const int t = program / h_tiles % t_tiles * 64;
    const int b = program / (h_tiles * t_tiles);

    // mamba2.tk:52: let y  = step<SOFTPLUS>(f32(load(Dt[b, t, h])) + load(bias[h]), dt_min, ..
    tk::stripe<tk::bf16, 64, 32, 128, row_threads, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_vectors<vectors>(Dt, {b, t, h}, N - t, H - h), thread);
    tk::stripe<float, 1, 32, 128, row_threads, vector> t1;
    tk::load_slice<vectors>(t1, tk::slice_if_vectors<vectors>(bias, {h}, 1, H - h), thread);

    // mamba2.tk:53: let dt = where(t.start + row_index(y) < N, y, 0).T;
    tk::stripe<float, 64, 32, 128, row_threads, vector> t2;
    tk::map(t2, thread, [&](int row, int, tk::bf16 t0, float t1) {
        const float x = float(t0) + t1;
        const float x_2 = tk::exp(-tk::abs(x));
        const float x_3 = tk::divide(x_2, 2.0f + x_2);
        const float x_4 = x_3 * x_3;
        return t + row < N ? tk::min(
            tk::max(
                tk::fma(2.0f * x_3,
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
                                1.0f), tk::max(x, 0.0f)), dt_min), dt_max) : 0.0f;
    }, t0, t1);
    tk::stripe<float, 32, 64, 128, row_threads, vector> dt;
    tk::transpose(dt, t2, shared.gates_turned[0], thread, 1);

    // mamba2.tk:54: let a  = dt * column(load(A[h])) * LOG2E;
    tk::stripe<float, 32, 1, 128, row_threads, vector> t4;
    tk::load_global(t4, tk::slice<0, tk::no_axis>(A, {h}, H - h, 1), thread);
    tk::stripe<float, 32, 64, 128, row_threads, vector> a;
    tk::map(a, [](float dt, float t4) { return dt * t4 * 1.442695f; }, dt, t4);

    // mamba2.tk:55: let g  = cumsum(a, axis = 1);
    tk::stripe<float, 32, 64, 128, row_threads, vector> g;
    tk::running_sums(g, a, thread);

    // mamba2.tk:56: store(G[b, h, t], g);
    tk::store_slice<vectors>(
        tk::slice_if_vectors<vectors>(G, {b, h, t}, H - h, tk::divide_up(N, 64) * 64 - t), g,
        thread);

    // mamba2.tk:57: store(Step[b, h, t], dt);
    tk::store_slice<vectors>(
        tk::slice_if_vectors<vectors>(Step, {b, h, t}, H - h, tk::divide_up(N, 64) * 64 - t), dt,
        thread);

    // mamba2.tk:58: store(W[b, h, t], dt * exp2(sum(a, axis = 1) - g));
    tk::stripe<float, 32, 1, 128, row_threads, vector> t6;
    tk::fold_rows(t6, a, tk::plus{}, thread);
    tk::finish_rows(t6, tk::plus{});
    tk::stripe<float, 32, 64, 128, row_threads, vector> t7;
    tk::map(t7, [](float dt, float t6, float g) { return dt * tk::exp2(t6 - g); }, dt, t6, g);
    tk::store_slice<vectors>(
        tk::slice_if_vectors<vectors>(W, {b, h, t}, H - h, tk::divide_up(N, 64) * 64 - t), t7,
        thread);
}

namespace {
tk::status launch_packed_chunks_packed_chunks(const tk::launch_site& site, const tk::tensor& start,
                                              const tk::tensor& First, const tk::tensor& Tokens,
                                              int64_t P, int64_t S) {
    return tk::run<packed_chunks_packed_chunks_kernel>(site, 0, tk::kernel_shape(32).overlapping(),
                                                       tk::larger(P - 1, 0), start, First, Tokens,
                                                       P, S);
}

tk::status launch_mamba2_gates_T_bf16_SOFTPLUS_true_PACKED_false(
    const tk::launch_site& site, const tk::tensor& Dt, const tk::tensor& A, const tk::tensor& bias,
    const tk::tensor& G, const tk::tensor& Step, const tk::tensor& W, int64_t B, int64_t N,
    int64_t H, float dt_min, float dt_max) {
    return tk::run<mamba2_gates_T_bf16_SOFTPLUS_true_PACKED_false_kernel<5, 8, 8, true>>(
        site, sizeof(mamba2_gates_T_bf16_SOFTPLUS_true_PACKED_false_shared),
        tk::kernel_shape(128).overlapping(),
        tk::multiply(
            tk::multiply(tk::ceil_div(H, 32),
                         tk::larger(tk::ceil_div(tk::ceil_div(N, 64) * 64, 64), 0)), B), Dt, A,
        bias, G, Step, W, B, N, H, dt_min, dt_max);
}

tk::status launch_mamba2_gates_T_bf16_SOFTPLUS_true_PACKED_false_general(
    const tk::launch_site& site, const tk::tensor& Dt, const tk::tensor& A, const tk::tensor& bias,
    const tk::tensor& G, const tk::tensor& Step, const tk::tensor& W, int64_t B, int64_t N,
    int64_t H, float dt_min, float dt_max) {
    return tk::run<mamba2_gates_T_bf16_SOFTPLUS_true_PACKED_false_kernel<1, 32, 2, false>>(
        site, sizeof(mamba2_gates_T_bf16_SOFTPLUS_true_PACKED_false_shared),
        tk::kernel_shape(128).overlapping(),
        tk::multiply(
            tk::multiply(tk::ceil_div(H, 32),
                         tk::larger(tk::ceil_div(tk::ceil_div(N, 64) * 64, 64), 0)), B), Dt, A,
        bias, G, Step, W, B, N, H, dt_min, dt_max);
}

tk::status launch_before(const tk::launch_site& site, const tk::tensor& X, const tk::tensor& Bm,
                         const tk::tensor& G, const tk::tensor& W, const tk::tensor& S0,
                         const tk::tensor& Before, int64_t B, int64_t N, int64_t GR, int64_t H,
                         int64_t J) {
    return tk::run<before_kernel>(site, sizeof(before_shared), tk::kernel_shape(384).overlapping(),
                                  tk::multiply(tk::larger(tk::ceil_div(H * 64, 128), 0), B),
                                  tk::box{G, {1, 1, 64}, 0}, tk::box{W, {1, 1, 64}, 0},
                                  tk::box{Bm, {1, 64, 1, 64}, 128}, tk::box{X, {1, 64, 64}, 128},
                                  tk::box{Before, {1, 1, 64, 64}, 128}, S0, B, N, GR, H, J);
}

tk::status launch_behind(const tk::launch_site& site, const tk::tensor& dY, const tk::tensor& C,
                         const tk::tensor& G, const tk::tensor& dState, const tk::tensor& Behind,
                         const tk::tensor& dS0, int64_t B, int64_t N, int64_t GR, int64_t H,
                         int64_t F, int64_t I) {
    return tk::run<behind_kernel>(
        site, sizeof(behind_shared), tk::kernel_shape(384).overlapping(),
        tk::multiply(tk::larger(tk::ceil_div(H * 64, 128), 0), B), tk::box{G, {1, 1, 64}, 0},
        tk::box{C, {1, 64, 1, 64}, 128}, tk::box{dY, {1, 64, 64}, 128},
        tk::box{Behind, {1, 1, 64, 64}, 128}, dState, dS0, B, N, GR, H, F, I);
}

tk::status launch_chunks(
    const tk::launch_site& site, const tk::tensor& X, const tk::tensor& dY, const tk::tensor& Bm,
    const tk::tensor& C, const tk::tensor& D, const tk::tensor& G, const tk::tensor& Step,
    const tk::tensor& Before, const tk::tensor& Behind, const tk::tensor& dX, const tk::tensor& dB,
    const tk::tensor& dC, const tk::tensor& Query, const tk::tensor& Key,
    const tk::tensor& QueryPairs, const tk::tensor& KeyPairs, const tk::tensor& Past,
    const tk::tensor& Skip, int64_t B, int64_t N, int64_t GR, int64_t H) {
    return tk::run<chunks_kernel>(
        site, sizeof(chunks_shared), tk::kernel_shape(384).overlapping(),
        tk::multiply(tk::multiply(GR, tk::ceil_div(N, 64)), B), tk::box{Bm, {1, 64, 1, 64}, 128},
        tk::box{C, {1, 64, 1, 64}, 128}, tk::box{X, {1, 64, 64}, 128},
        tk::box{dY, {1, 64, 64}, 128}, tk::box{G, {1, 1, 64}, 0}, tk::box{Step, {1, 1, 64}, 0},
        tk::box{Before, {1, 1, 64, 64}, 128}, tk::box{Behind, {1, 1, 64, 64}, 128},
        tk::box{dC, {1, 64, 1, 64}, 128}, tk::box{dX, {1, 64, 64}, 128},
        tk::box{dB, {1, 64, 1, 64}, 128}, D, Query, Key, QueryPairs, KeyPairs, Past, Skip, B, N, GR,
        H);
}

tk::status launch_steps(const tk::launch_site& site, const tk::tensor& Dt, const tk::tensor& A,
                        const tk::tensor& bias, const tk::tensor& Query, const tk::tensor& Key,
                        const tk::tensor& QueryPairs, const tk::tensor& KeyPairs,
                        const tk::tensor& Past, const tk::tensor& dDt, const tk::tensor& ofA,
                        const tk::tensor& ofBias, int64_t B, int64_t N, int64_t H, float dt_min,
                        float dt_max) {
    return tk::run<steps_kernel<2, 8, 8, true>>(
        site, sizeof(steps_shared), tk::kernel_shape(128).overlapping(),
        tk::multiply(
            tk::multiply(tk::ceil_div(H, 32),
                         tk::larger(tk::ceil_div(tk::ceil_div(N, 64) * 64, 64), 0)), B), Dt, A,
        bias, Query, Key, QueryPairs, KeyPairs, Past, dDt, ofA, ofBias, B, N, H, dt_min, dt_max);
}

tk::status launch_steps_general(
    const tk::launch_site& site, const tk::tensor& Dt, const tk::tensor& A, const tk::tensor& bias,
    const tk::tensor& Query, const tk::tensor& Key, const tk::tensor& QueryPairs,
    const tk::tensor& KeyPairs, const tk::tensor& Past, const tk::tensor& dDt,
    const tk::tensor& ofA, const tk::tensor& ofBias, int64_t B, int64_t N, int64_t H, float dt_min,
    float dt_max) {
    return tk::run<steps_kernel<1, 32, 2, false>>(
        site, sizeof(steps_shared), tk::kernel_shape(128).overlapping(),
        tk::multiply(
            tk::multiply(tk::ceil_div(H, 32),
                         tk::larger(tk::ceil_div(tk::ceil_div(N, 64) * 64, 64), 0)), B), Dt, A,
        bias, Query, Key, QueryPairs, KeyPairs, Past, dDt, ofA, ofBias, B, N, H, dt_min, dt_max);
}

tk::status launch_totals(const tk::launch_site& site, const tk::tensor& Part,
                         const tk::tensor& Total, int64_t B, int64_t R, int64_t H) {
    return tk::run<totals_kernel<5, 8, 4, true>>(site, sizeof(totals_shared),
                                                 tk::kernel_shape(256).overlapping(),
                                                 tk::ceil_div(H, 32), Part, Total, B, R, H);
}

tk::status launch_totals_general(const tk::launch_site& site, const tk::tensor& Part,
                                 const tk::tensor& Total, int64_t B, int64_t R, int64_t H) {
    return tk::run<totals_kernel<1, 16, 2, false>>(site, sizeof(totals_shared),
                                                   tk::kernel_shape(256).overlapping(),
                                                   tk::ceil_div(H, 32), Part, Total, B, R, H);
}

}  // namespace

extern "C" {
int before(const DLTensor* X_given, const DLTensor* Bm_given, const DLTensor* G_given,
           const DLTensor* W_given, const DLTensor* S0_given, const DLTensor* start_given,
           DLTensor* Before_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"before"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor Bm = call.take("Bm", Bm_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor G = call.take("G", G_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor W = call.take("W", W_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Before = call.take("Before", Before_given, tk::dtype_bf16, 4,
                                        tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = X.shape[0];
    const int64_t N = X.shape[1];
    const int64_t GR = Bm.shape[2];
    const int64_t H = G.shape[1];
    const int64_t J = S0.shape[0];
    const int64_t R = start.shape[0];
    call.require(
        {tk::same_extent("B", X, 0, Bm, 0), tk::same_extent("N", X, 1, Bm, 1),
         tk::fixed_extent(Bm, 3, 128), tk::same_extent("B", X, 0, G, 0),
         tk::same_extent("B", X, 0, W, 0), tk::same_extent("H", G, 1, W, 1),
         tk::fixed_extent(S0, 2, 128), tk::same_extent("B", X, 0, Before, 0),
         tk::fixed_extent(Before, 3, 128),
         tk::extents_fit({{"B", B}, {"N", N}, {"GR", GR}, {"H", H}, {"J", J}, {"R", R}}),
         tk::fits("H*64", H * 64),
         tk::that(X.shape[2] == H * 64, "axis 2 of `X` is {}; it must be `H*64`, which is {}",
                  {X.shape[2], H * 64}),
         tk::that(G.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `G` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {G.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(W.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `W` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {W.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(S0.shape[1] == H * 64, "axis 1 of `S0` is {}; it must be `H*64`, which is {}",
                  {S0.shape[1], H * 64}),
         tk::that(Before.shape[1] == tk::ceil_div(N, 64),
                  "axis 1 of `Before` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Before.shape[1], tk::ceil_div(N, 64)}),
         tk::that(Before.shape[2] == H * 64,
                  "axis 2 of `Before` is {}; it must be `H*64`, which is {}",
                  {Before.shape[2], H * 64}),
         tk::that(1 <= GR, "`H%GR` divides by `GR`, which is {}: it must be at least 1", {GR}),
         tk::that(tk::floor_mod(H, GR) == 0, "`before` requires `H % GR == 0`"),
         tk::that(tk::floor_div(H, GR) % 2 == 0, "`before` requires `H / GR % HEADS == 0`"),
         tk::that(0 < GR, "`GR` is at least 1, because `before` divides by it"),
         tk::that(0 < tk::floor_div(H, GR), "`H/GR` is at least 1, because `before` divides by it"),
         tk::suits_tma_load(X), tk::suits_tma_load(Bm), tk::suits_tma_load(G),
         tk::suits_tma_load(W), tk::suits_tma_store(Before), tk::fits("H*64 + 127", H * 64 + 127),
         tk::grid_fits(tk::larger(tk::ceil_div(H * 64, 128), 0), 2147483648),
         tk::grid_fits(tk::multiply(tk::larger(tk::ceil_div(H * 64, 128), 0), B), 2147483648),
         tk::that(1 <= tk::floor_div(H, GR),
                  "`h/(H/GR)` divides by `H/GR`, which is {}: it must be at least 1",
                  {tk::floor_div(H, GR)})});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<before_kernel>(
        site, sizeof(before_shared), tk::kernel_shape(384).overlapping(),
        tk::multiply(tk::larger(tk::ceil_div(H * 64, 128), 0), B), tk::box{G, {1, 1, 64}, 0},
        tk::box{W, {1, 1, 64}, 0}, tk::box{Bm, {1, 64, 1, 64}, 128}, tk::box{X, {1, 64, 64}, 128},
        tk::box{Before, {1, 1, 64, 64}, 128}, S0, B, N, GR, H, J));
}
TK_NO_WORKSPACE(before, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, DLTensor*)

int behind(const DLTensor* dY_given, const DLTensor* C_given, const DLTensor* G_given,
           const DLTensor* dState_given, const DLTensor* start_given, DLTensor* Behind_given,
           DLTensor* dS0_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"behind"};
    const tk::tensor dY = call.take("dY", dY_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor G = call.take("G", G_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor dState = call.take("dState", dState_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Behind = call.take("Behind", Behind_given, tk::dtype_bf16, 4,
                                        tk::access::write);
    const tk::tensor dS0 = call.take("dS0", dS0_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = dY.shape[0];
    const int64_t N = dY.shape[1];
    const int64_t GR = C.shape[2];
    const int64_t H = G.shape[1];
    const int64_t F = dState.shape[0];
    const int64_t R = start.shape[0];
    const int64_t I = dS0.shape[0];
    call.require(
        {tk::same_extent("B", dY, 0, C, 0), tk::same_extent("N", dY, 1, C, 1),
         tk::fixed_extent(C, 3, 128), tk::same_extent("B", dY, 0, G, 0),
         tk::fixed_extent(dState, 2, 128), tk::same_extent("B", dY, 0, Behind, 0),
         tk::fixed_extent(Behind, 3, 128), tk::fixed_extent(dS0, 2, 128),
         tk::extents_fit({{"B", B}, {"N", N}, {"GR", GR}, {"H", H}, {"F", F}, {"R", R}, {"I", I}}),
         tk::fits("H*64", H * 64),
         tk::that(dY.shape[2] == H * 64, "axis 2 of `dY` is {}; it must be `H*64`, which is {}",
                  {dY.shape[2], H * 64}),
         tk::that(G.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `G` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {G.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(dState.shape[1] == H * 64,
                  "axis 1 of `dState` is {}; it must be `H*64`, which is {}",
                  {dState.shape[1], H * 64}),
         tk::that(Behind.shape[1] == tk::ceil_div(N, 64),
                  "axis 1 of `Behind` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Behind.shape[1], tk::ceil_div(N, 64)}),
         tk::that(Behind.shape[2] == H * 64,
                  "axis 2 of `Behind` is {}; it must be `H*64`, which is {}",
                  {Behind.shape[2], H * 64}),
         tk::that(dS0.shape[1] == H * 64, "axis 1 of `dS0` is {}; it must be `H*64`, which is {}",
                  {dS0.shape[1], H * 64}),
         tk::that(1 <= GR, "`H%GR` divides by `GR`, which is {}: it must be at least 1", {GR}),
         tk::that(tk::floor_mod(H, GR) == 0, "`behind` requires `H % GR == 0`"),
         tk::that(tk::floor_div(H, GR) % 2 == 0, "`behind` requires `H / GR % HEADS == 0`"),
         tk::that(I <= B, "`behind` requires `PACKED or I <= B`"),
         tk::that(0 < GR, "`GR` is at least 1, because `behind` divides by it"),
         tk::that(0 < tk::floor_div(H, GR), "`H/GR` is at least 1, because `behind` divides by it"),
         tk::suits_tma_load(dY), tk::suits_tma_load(C), tk::suits_tma_load(G),
         tk::suits_tma_store(Behind), tk::fits("H*64 + 127", H * 64 + 127),
         tk::grid_fits(tk::larger(tk::ceil_div(H * 64, 128), 0), 2147483648),
         tk::grid_fits(tk::multiply(tk::larger(tk::ceil_div(H * 64, 128), 0), B), 2147483648),
         tk::that(1 <= tk::floor_div(H, GR),
                  "`h/(H/GR)` divides by `H/GR`, which is {}: it must be at least 1",
                  {tk::floor_div(H, GR)})});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<behind_kernel>(
        site, sizeof(behind_shared), tk::kernel_shape(384).overlapping(),
        tk::multiply(tk::larger(tk::ceil_div(H * 64, 128), 0), B), tk::box{G, {1, 1, 64}, 0},
        tk::box{C, {1, 64, 1, 64}, 128}, tk::box{dY, {1, 64, 64}, 128},
        tk::box{Behind, {1, 1, 64, 64}, 128}, dState, dS0, B, N, GR, H, F, I));
}
TK_NO_WORKSPACE(behind, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*, DLTensor*)

int chunks(const DLTensor* X_given, const DLTensor* dY_given, const DLTensor* Bm_given,
           const DLTensor* C_given, const DLTensor* D_given, const DLTensor* G_given,
           const DLTensor* Step_given, const DLTensor* Before_given, const DLTensor* Behind_given,
           const DLTensor* First_given, const DLTensor* Tokens_given, DLTensor* dX_given,
           DLTensor* dB_given, DLTensor* dC_given, DLTensor* Query_given, DLTensor* Key_given,
           DLTensor* QueryPairs_given, DLTensor* KeyPairs_given, DLTensor* Past_given,
           DLTensor* Skip_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"chunks"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor dY = call.take("dY", dY_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor Bm = call.take("Bm", Bm_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor D = call.take("D", D_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor G = call.take("G", G_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor Step = call.take("Step", Step_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor Before = call.take("Before", Before_given, tk::dtype_bf16, 4,
                                        tk::access::read);
    const tk::tensor Behind = call.take("Behind", Behind_given, tk::dtype_bf16, 4,
                                        tk::access::read);
    const tk::tensor First = call.take("First", First_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Tokens = call.take("Tokens", Tokens_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor dX = call.take("dX", dX_given, tk::dtype_bf16, 3, tk::access::write);
    const tk::tensor dB = call.take("dB", dB_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dC = call.take("dC", dC_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Query = call.take("Query", Query_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor Key = call.take("Key", Key_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor QueryPairs = call.take("QueryPairs", QueryPairs_given, tk::dtype_f32, 3,
                                            tk::access::write);
    const tk::tensor KeyPairs = call.take("KeyPairs", KeyPairs_given, tk::dtype_f32, 3,
                                          tk::access::write);
    const tk::tensor Past = call.take("Past", Past_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor Skip = call.take("Skip", Skip_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = X.shape[0];
    const int64_t N = X.shape[1];
    const int64_t GR = Bm.shape[2];
    const int64_t H = D.shape[0];
    const int64_t M = First.shape[0];
    call.require(
        {tk::same_extent("B", X, 0, dY, 0), tk::same_extent("N", X, 1, dY, 1),
         tk::same_extent("B", X, 0, Bm, 0), tk::same_extent("N", X, 1, Bm, 1),
         tk::fixed_extent(Bm, 3, 128), tk::same_extent("B", X, 0, C, 0),
         tk::same_extent("N", X, 1, C, 1), tk::same_extent("GR", Bm, 2, C, 2),
         tk::fixed_extent(C, 3, 128), tk::same_extent("B", X, 0, G, 0),
         tk::same_extent("H", D, 0, G, 1), tk::same_extent("B", X, 0, Step, 0),
         tk::same_extent("H", D, 0, Step, 1), tk::same_extent("B", X, 0, Before, 0),
         tk::fixed_extent(Before, 3, 128), tk::same_extent("B", X, 0, Behind, 0),
         tk::fixed_extent(Behind, 3, 128), tk::same_extent("M", First, 0, Tokens, 0),
         tk::same_extent("B", X, 0, dX, 0), tk::same_extent("N", X, 1, dX, 1),
         tk::same_extent("B", X, 0, dB, 0), tk::same_extent("N", X, 1, dB, 1),
         tk::same_extent("GR", Bm, 2, dB, 2), tk::fixed_extent(dB, 3, 128),
         tk::same_extent("B", X, 0, dC, 0), tk::same_extent("N", X, 1, dC, 1),
         tk::same_extent("GR", Bm, 2, dC, 2), tk::fixed_extent(dC, 3, 128),
         tk::same_extent("B", X, 0, Query, 0), tk::same_extent("H", D, 0, Query, 1),
         tk::same_extent("B", X, 0, Key, 0), tk::same_extent("H", D, 0, Key, 1),
         tk::same_extent("B", X, 0, QueryPairs, 0), tk::same_extent("H", D, 0, QueryPairs, 1),
         tk::same_extent("B", X, 0, KeyPairs, 0), tk::same_extent("H", D, 0, KeyPairs, 1),
         tk::same_extent("B", X, 0, Past, 0), tk::same_extent("H", D, 0, Past, 2),
         tk::same_extent("B", X, 0, Skip, 0), tk::same_extent("H", D, 0, Skip, 2),
         tk::extents_fit({{"B", B}, {"N", N}, {"GR", GR}, {"H", H}, {"M", M}}),
         tk::fits("H*64", H * 64),
         tk::that(X.shape[2] == H * 64, "axis 2 of `X` is {}; it must be `H*64`, which is {}",
                  {X.shape[2], H * 64}),
         tk::that(dY.shape[2] == H * 64, "axis 2 of `dY` is {}; it must be `H*64`, which is {}",
                  {dY.shape[2], H * 64}),
         tk::that(G.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `G` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {G.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(Step.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `Step` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {Step.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(Before.shape[1] == tk::ceil_div(N, 64),
                  "axis 1 of `Before` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Before.shape[1], tk::ceil_div(N, 64)}),
         tk::that(Before.shape[2] == H * 64,
                  "axis 2 of `Before` is {}; it must be `H*64`, which is {}",
                  {Before.shape[2], H * 64}),
         tk::that(Behind.shape[1] == tk::ceil_div(N, 64),
                  "axis 1 of `Behind` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Behind.shape[1], tk::ceil_div(N, 64)}),
         tk::that(Behind.shape[2] == H * 64,
                  "axis 2 of `Behind` is {}; it must be `H*64`, which is {}",
                  {Behind.shape[2], H * 64}),
         tk::that(dX.shape[2] == H * 64, "axis 2 of `dX` is {}; it must be `H*64`, which is {}",
                  {dX.shape[2], H * 64}),
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
         tk::that(Past.shape[1] == tk::ceil_div(N, 64),
                  "axis 1 of `Past` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Past.shape[1], tk::ceil_div(N, 64)}),
         tk::that(Skip.shape[1] == tk::ceil_div(N, 64),
                  "axis 1 of `Skip` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Skip.shape[1], tk::ceil_div(N, 64)}),
         tk::that(1 <= GR, "`H%GR` divides by `GR`, which is {}: it must be at least 1", {GR}),
         tk::that(tk::floor_mod(H, GR) == 0, "`chunks` requires `H % GR == 0`"),
         tk::that(0 < GR, "`GR` is at least 1, because `chunks` divides by it"),
         tk::suits_tma_load(X), tk::suits_tma_load(dY), tk::suits_tma_load(Bm),
         tk::suits_tma_load(C), tk::suits_tma_load(G), tk::suits_tma_load(Step),
         tk::suits_tma_load(Before), tk::suits_tma_load(Behind), tk::suits_tma_store(dX),
         tk::suits_tma_store(dB), tk::suits_tma_store(dC),
         tk::grid_fits(tk::multiply(GR, tk::ceil_div(N, 64)), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(GR, tk::ceil_div(N, 64)), B), 2147483648),
         tk::fits("group*(H/GR)", tk::multiply(GR - 1, tk::floor_div(H, GR))),
         tk::fits("first + i",
                  tk::multiply(GR - 1, tk::floor_div(H, GR)) + (tk::floor_div(H, GR) - 1)),
         tk::fits("h*64",
                  (tk::multiply(GR - 1, tk::floor_div(H, GR)) + (tk::floor_div(H, GR) - 1)) * 64),
         tk::fits("h*64 + panel",
                  (tk::multiply(GR - 1, tk::floor_div(H, GR)) + (tk::floor_div(H, GR) - 1)) * 64 +
                  63)});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<chunks_kernel>(
        site, sizeof(chunks_shared), tk::kernel_shape(384).overlapping(),
        tk::multiply(tk::multiply(GR, tk::ceil_div(N, 64)), B), tk::box{Bm, {1, 64, 1, 64}, 128},
        tk::box{C, {1, 64, 1, 64}, 128}, tk::box{X, {1, 64, 64}, 128},
        tk::box{dY, {1, 64, 64}, 128}, tk::box{G, {1, 1, 64}, 0}, tk::box{Step, {1, 1, 64}, 0},
        tk::box{Before, {1, 1, 64, 64}, 128}, tk::box{Behind, {1, 1, 64, 64}, 128},
        tk::box{dC, {1, 64, 1, 64}, 128}, tk::box{dX, {1, 64, 64}, 128},
        tk::box{dB, {1, 64, 1, 64}, 128}, D, Query, Key, QueryPairs, KeyPairs, Past, Skip, B, N, GR,
        H));
}
TK_NO_WORKSPACE(chunks, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*)

int steps(const DLTensor* Dt_given, const DLTensor* A_given, const DLTensor* bias_given,
          const DLTensor* Query_given, const DLTensor* Key_given, const DLTensor* QueryPairs_given,
          const DLTensor* KeyPairs_given, const DLTensor* First_given, const DLTensor* Tokens_given,
          const DLTensor* Past_given, DLTensor* dDt_given, DLTensor* ofA_given,
          DLTensor* ofBias_given, float dt_min, float dt_max, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"steps"};
    const tk::tensor Dt = call.take("Dt", Dt_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor A = call.take("A", A_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor bias = call.take("bias", bias_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor Query = call.take("Query", Query_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor Key = call.take("Key", Key_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor QueryPairs = call.take("QueryPairs", QueryPairs_given, tk::dtype_f32, 3,
                                            tk::access::read);
    const tk::tensor KeyPairs = call.take("KeyPairs", KeyPairs_given, tk::dtype_f32, 3,
                                          tk::access::read);
    const tk::tensor First = call.take("First", First_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Tokens = call.take("Tokens", Tokens_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Past = call.take("Past", Past_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor dDt = call.take("dDt", dDt_given, tk::dtype_bf16, 3, tk::access::write);
    const tk::tensor ofA = call.take("ofA", ofA_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor ofBias = call.take("ofBias", ofBias_given, tk::dtype_f32, 3,
                                        tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Dt.shape[0];
    const int64_t N = Dt.shape[1];
    const int64_t H = Dt.shape[2];
    const int64_t M = First.shape[0];
    call.require(
        {tk::same_extent("H", Dt, 2, A, 0), tk::same_extent("H", Dt, 2, bias, 0),
         tk::same_extent("B", Dt, 0, Query, 0), tk::same_extent("H", Dt, 2, Query, 1),
         tk::same_extent("B", Dt, 0, Key, 0), tk::same_extent("H", Dt, 2, Key, 1),
         tk::same_extent("B", Dt, 0, QueryPairs, 0), tk::same_extent("H", Dt, 2, QueryPairs, 1),
         tk::same_extent("B", Dt, 0, KeyPairs, 0), tk::same_extent("H", Dt, 2, KeyPairs, 1),
         tk::same_extent("M", First, 0, Tokens, 0), tk::same_extent("B", Dt, 0, Past, 0),
         tk::same_extent("H", Dt, 2, Past, 2), tk::same_extent("B", Dt, 0, dDt, 0),
         tk::same_extent("N", Dt, 1, dDt, 1), tk::same_extent("H", Dt, 2, dDt, 2),
         tk::same_extent("B", Dt, 0, ofA, 0), tk::same_extent("H", Dt, 2, ofA, 2),
         tk::same_extent("B", Dt, 0, ofBias, 0), tk::same_extent("H", Dt, 2, ofBias, 2),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"M", M}}),
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
         tk::that(Past.shape[1] == tk::ceil_div(N, 64),
                  "axis 1 of `Past` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Past.shape[1], tk::ceil_div(N, 64)}),
         tk::that(ofA.shape[1] == tk::ceil_div(N, 64),
                  "axis 1 of `ofA` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {ofA.shape[1], tk::ceil_div(N, 64)}),
         tk::that(ofBias.shape[1] == tk::ceil_div(N, 64),
                  "axis 1 of `ofBias` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {ofBias.shape[1], tk::ceil_div(N, 64)}),
         tk::grid_fits(
             tk::multiply(tk::ceil_div(H, 32),
                          tk::larger(tk::ceil_div(tk::ceil_div(N, 64) * 64, 64), 0)), 2147483648),
         tk::grid_fits(
             tk::multiply(
                 tk::multiply(tk::ceil_div(H, 32),
                              tk::larger(tk::ceil_div(tk::ceil_div(N, 64) * 64, 64), 0)), B),
             2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(
        tk::multiply(tk::ceil_div(H, 32),
                     tk::larger(tk::ceil_div(tk::ceil_div(N, 64) * 64, 64), 0)), B);
    const bool fast = tk::hold(
        {tk::suits_fast(Dt, "H"), tk::whole_vectors(Dt, 8), tk::suits_fast(bias, "H"),
         tk::suits_fast(Query), tk::that(tk::ceil_div(N, 64) * 64 % 8 == 0), tk::suits_fast(Key),
         tk::suits_fast(QueryPairs), tk::suits_fast(KeyPairs), tk::suits_fast(dDt, "H"),
         tk::suits_fast(ofBias, "H")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<steps_kernel<2, 8, 8, true>, steps_kernel<1, 32, 2, false>>(
        fast ? 0 : 1, site, sizeof(steps_shared), tk::kernel_shape(128).overlapping(), programs, Dt,
        A, bias, Query, Key, QueryPairs, KeyPairs, Past, dDt, ofA, ofBias, B, N, H, dt_min,
        dt_max));
}
TK_NO_WORKSPACE(steps, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*, DLTensor*, DLTensor*, float, float)

int totals(const DLTensor* Part_given, DLTensor* Total_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"totals"};
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor Total = call.take("Total", Total_given, tk::dtype_f32, 1, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Part.shape[0];
    const int64_t R = Part.shape[1];
    const int64_t H = Part.shape[2];
    call.require(
        {tk::same_extent("H", Part, 2, Total, 0), tk::extents_fit({{"B", B}, {"R", R}, {"H", H}})});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast = tk::hold(
        {tk::suits_fast(Part, "H"), tk::whole_vectors(Part, 4), tk::suits_fast(Total, "H")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<totals_kernel<5, 8, 4, true>, totals_kernel<1, 16, 2, false>>(
        fast ? 0 : 1, site, sizeof(totals_shared), tk::kernel_shape(256).overlapping(),
        tk::ceil_div(H, 32), Part, Total, B, R, H));
}
TK_NO_WORKSPACE(totals, const DLTensor*, DLTensor*)

int mamba2_backward(const DLTensor* X_given, const DLTensor* Dt_given, const DLTensor* A_given,
                    const DLTensor* Bm_given, const DLTensor* C_given, const DLTensor* D_given,
                    const DLTensor* bias_given, const DLTensor* S0_given, const DLTensor* dY_given,
                    const DLTensor* dState_given, const DLTensor* start_given, DLTensor* dX_given,
                    DLTensor* dDt_given, DLTensor* dA_given, DLTensor* dB_given, DLTensor* dC_given,
                    DLTensor* dD_given, DLTensor* dbias_given, DLTensor* dS0_given,
                    DLTensor* First_given, DLTensor* Tokens_given, DLTensor* G_given,
                    DLTensor* Step_given, DLTensor* W_given, DLTensor* Before_given,
                    DLTensor* Behind_given, DLTensor* Query_given, DLTensor* Key_given,
                    DLTensor* QueryPairs_given, DLTensor* KeyPairs_given, DLTensor* Past_given,
                    DLTensor* Skip_given, DLTensor* ofA_given, DLTensor* ofBias_given, float dt_min,
                    float dt_max, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"mamba2_backward"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor Dt = call.take("Dt", Dt_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor A = call.take("A", A_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor Bm = call.take("Bm", Bm_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor D = call.take("D", D_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor bias = call.take("bias", bias_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor dY = call.take("dY", dY_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor dState = call.take("dState", dState_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor dX = call.take("dX", dX_given, tk::dtype_bf16, 3, tk::access::write);
    const tk::tensor dDt = call.take("dDt", dDt_given, tk::dtype_bf16, 3, tk::access::write);
    const tk::tensor dA = call.take("dA", dA_given, tk::dtype_f32, 1, tk::access::write);
    const tk::tensor dB = call.take("dB", dB_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dC = call.take("dC", dC_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dD = call.take("dD", dD_given, tk::dtype_f32, 1, tk::access::write);
    const tk::tensor dbias = call.take("dbias", dbias_given, tk::dtype_f32, 1, tk::access::write);
    const tk::tensor dS0 = call.take("dS0", dS0_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor First = call.take("First", First_given, tk::dtype_i32, 1, tk::access::write);
    const tk::tensor Tokens = call.take("Tokens", Tokens_given, tk::dtype_i32, 1,
                                        tk::access::write);
    const tk::tensor G = call.take("G", G_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor Step = call.take("Step", Step_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor W = call.take("W", W_given, tk::dtype_f32, 3, tk::access::write);
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
    const tk::tensor Past = call.take("Past", Past_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor Skip = call.take("Skip", Skip_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor ofA = call.take("ofA", ofA_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor ofBias = call.take("ofBias", ofBias_given, tk::dtype_f32, 3,
                                        tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = X.shape[0];
    const int64_t N = X.shape[1];
    const int64_t H = Dt.shape[2];
    const int64_t GR = Bm.shape[2];
    const int64_t J = S0.shape[0];
    const int64_t F = dState.shape[0];
    const int64_t R = start.shape[0];
    const int64_t I = dS0.shape[0];
    call.require({
        tk::same_extent("B", X, 0, Dt, 0), tk::same_extent("N", X, 1, Dt, 1),
        tk::same_extent("H", Dt, 2, A, 0), tk::same_extent("B", X, 0, Bm, 0),
        tk::same_extent("N", X, 1, Bm, 1), tk::fixed_extent(Bm, 3, 128),
        tk::same_extent("B", X, 0, C, 0), tk::same_extent("N", X, 1, C, 1),
        tk::same_extent("GR", Bm, 2, C, 2), tk::fixed_extent(C, 3, 128),
        tk::same_extent("H", Dt, 2, D, 0), tk::same_extent("H", Dt, 2, bias, 0),
        tk::fixed_extent(S0, 2, 128), tk::same_extent("B", X, 0, dY, 0),
        tk::same_extent("N", X, 1, dY, 1), tk::fixed_extent(dState, 2, 128),
        tk::same_extent("B", X, 0, dX, 0), tk::same_extent("N", X, 1, dX, 1),
        tk::same_extent("B", X, 0, dDt, 0), tk::same_extent("N", X, 1, dDt, 1),
        tk::same_extent("H", Dt, 2, dDt, 2), tk::same_extent("H", Dt, 2, dA, 0),
        tk::same_extent("B", X, 0, dB, 0), tk::same_extent("N", X, 1, dB, 1),
        tk::same_extent("GR", Bm, 2, dB, 2), tk::fixed_extent(dB, 3, 128),
        tk::same_extent("B", X, 0, dC, 0), tk::same_extent("N", X, 1, dC, 1),
        tk::same_extent("GR", Bm, 2, dC, 2), tk::fixed_extent(dC, 3, 128),
        tk::same_extent("H", Dt, 2, dD, 0), tk::same_extent("H", Dt, 2, dbias, 0),
        tk::fixed_extent(dS0, 2, 128), tk::same_extent("R", start, 0, First, 0),
        tk::same_extent("R", start, 0, Tokens, 0), tk::same_extent("B", X, 0, G, 0),
        tk::same_extent("H", Dt, 2, G, 1), tk::same_extent("B", X, 0, Step, 0),
        tk::same_extent("H", Dt, 2, Step, 1), tk::same_extent("B", X, 0, W, 0),
        tk::same_extent("H", Dt, 2, W, 1), tk::same_extent("B", X, 0, Before, 0),
        tk::fixed_extent(Before, 3, 128), tk::same_extent("B", X, 0, Behind, 0),
        tk::fixed_extent(Behind, 3, 128), tk::same_extent("B", X, 0, Query, 0),
        tk::same_extent("H", Dt, 2, Query, 1), tk::same_extent("B", X, 0, Key, 0),
        tk::same_extent("H", Dt, 2, Key, 1), tk::same_extent("B", X, 0, QueryPairs, 0),
        tk::same_extent("H", Dt, 2, QueryPairs, 1), tk::same_extent("B", X, 0, KeyPairs, 0),
        tk::same_extent("H", Dt, 2, KeyPairs, 1), tk::same_extent("B", X, 0, Past, 0),
        tk::same_extent("H", Dt, 2, Past, 2), tk::same_extent("B", X, 0, Skip, 0),
        tk::same_extent("H", Dt, 2, Skip, 2), tk::same_extent("B", X, 0, ofA, 0),
        tk::same_extent("H", Dt, 2, ofA, 2), tk::same_extent("B", X, 0, ofBias, 0),
        tk::same_extent("H", Dt, 2, ofBias, 2),
        tk::extents_fit(
            {{"B", B}, {"N", N}, {"H", H}, {"GR", GR}, {"J", J}, {"F", F}, {"R", R}, {"I", I}}),
        tk::fits("H*64", H * 64),
        tk::that(X.shape[2] == H * 64, "axis 2 of `X` is {}; it must be `H*64`, which is {}",
                 {X.shape[2], H * 64}),
        tk::that(S0.shape[1] == H * 64, "axis 1 of `S0` is {}; it must be `H*64`, which is {}",
                 {S0.shape[1], H * 64}),
        tk::that(dY.shape[2] == H * 64, "axis 2 of `dY` is {}; it must be `H*64`, which is {}",
                 {dY.shape[2], H * 64}),
        tk::that(dState.shape[1] == H * 64,
                 "axis 1 of `dState` is {}; it must be `H*64`, which is {}",
                 {dState.shape[1], H * 64}),
        tk::that(dX.shape[2] == H * 64, "axis 2 of `dX` is {}; it must be `H*64`, which is {}",
                 {dX.shape[2], H * 64}),
        tk::that(dS0.shape[1] == H * 64, "axis 1 of `dS0` is {}; it must be `H*64`, which is {}",
                 {dS0.shape[1], H * 64}),
        tk::that(G.shape[2] == tk::ceil_div(N, 64) * 64,
                 "axis 2 of `G` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                 {G.shape[2], tk::ceil_div(N, 64) * 64}),
        tk::that(Step.shape[2] == tk::ceil_div(N, 64) * 64,
                 "axis 2 of `Step` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                 {Step.shape[2], tk::ceil_div(N, 64) * 64}),
        tk::that(W.shape[2] == tk::ceil_div(N, 64) * 64,
                 "axis 2 of `W` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                 {W.shape[2], tk::ceil_div(N, 64) * 64}),
        tk::that(Before.shape[1] == tk::ceil_div(N, 64),
                 "axis 1 of `Before` is {}; it must be `ceil_div(N, 64)`, which is {}",
                 {Before.shape[1], tk::ceil_div(N, 64)}),
        tk::that(Before.shape[2] == H * 64,
                 "axis 2 of `Before` is {}; it must be `H*64`, which is {}",
                 {Before.shape[2], H * 64}),
        tk::that(Behind.shape[1] == tk::ceil_div(N, 64),
                 "axis 1 of `Behind` is {}; it must be `ceil_div(N, 64)`, which is {}",
                 {Behind.shape[1], tk::ceil_div(N, 64)}),
        tk::that(Behind.shape[2] == H * 64,
                 "axis 2 of `Behind` is {}; it must be `H*64`, which is {}",
                 {Behind.shape[2], H * 64}),
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
        tk::that(Past.shape[1] == tk::ceil_div(N, 64),
                 "axis 1 of `Past` is {}; it must be `ceil_div(N, 64)`, which is {}",
                 {Past.shape[1], tk::ceil_div(N, 64)}),
        tk::that(Skip.shape[1] == tk::ceil_div(N, 64),
                 "axis 1 of `Skip` is {}; it must be `ceil_div(N, 64)`, which is {}",
                 {Skip.shape[1], tk::ceil_div(N, 64)}),
        tk::that(ofA.shape[1] == tk::ceil_div(N, 64),
                 "axis 1 of `ofA` is {}; it must be `ceil_div(N, 64)`, which is {}",
                 {ofA.shape[1], tk::ceil_div(N, 64)}),
        tk::that(ofBias.shape[1] == tk::ceil_div(N, 64),
                 "axis 1 of `ofBias` is {}; it must be `ceil_div(N, 64)`, which is {}",
                 {ofBias.shape[1], tk::ceil_div(N, 64)}),
        tk::that(1 <= GR, "`H%GR` divides by `GR`, which is {}: it must be at least 1", {GR}),
        tk::that(tk::floor_mod(H, GR) == 0, "`mamba2_backward` requires `H % GR == 0`"),
        tk::that(tk::floor_div(H, GR) % 2 == 0, "`mamba2_backward` requires `H / GR % HEADS == 0`"),
        tk::that(R == 0, "`mamba2_backward` requires `PACKED or R == 0`"),
        tk::that(I <= B, "`mamba2_backward` requires `PACKED or I <= B`"),
        tk::that(J <= B, "`mamba2_backward` requires `PACKED or J <= B`"),
        tk::that(F <= B, "`mamba2_backward` requires `PACKED or F <= B`"),
        tk::that(0 < GR, "`GR` is at least 1, because `mamba2_backward` divides by it")});
    // mamba2.gates(Dt, A, bias, start, G, Step, W, dt_min, dt_max)
    call.require({
        tk::grid_fits(
            tk::multiply(tk::ceil_div(H, 32),
                         tk::larger(tk::ceil_div(tk::ceil_div(N, 64) * 64, 64), 0)), 2147483648),
        tk::grid_fits(
            tk::multiply(
                tk::multiply(tk::ceil_div(H, 32),
                             tk::larger(tk::ceil_div(tk::ceil_div(N, 64) * 64, 64), 0)), B),
            2147483648)});
    // before(X, Bm, G, W, S0, start, Before)
    call.require(
        {tk::that(0 < tk::floor_div(H, GR), "`H/GR` is at least 1, because `before` divides by it"),
         tk::suits_tma_load(X), tk::suits_tma_load(Bm), tk::suits_tma_load(G),
         tk::suits_tma_load(W), tk::suits_tma_store(Before), tk::fits("H*64 + 127", H * 64 + 127),
         tk::grid_fits(tk::larger(tk::ceil_div(H * 64, 128), 0), 2147483648),
         tk::grid_fits(tk::multiply(tk::larger(tk::ceil_div(H * 64, 128), 0), B), 2147483648),
         tk::that(1 <= tk::floor_div(H, GR),
                  "`h/(H/GR)` divides by `H/GR`, which is {}: it must be at least 1",
                  {tk::floor_div(H, GR)})});
    // behind(dY, C, G, dState, start, Behind, dS0)
    call.require({tk::suits_tma_load(dY), tk::suits_tma_load(C), tk::suits_tma_store(Behind)});
    // chunks(X, dY, Bm, C, D, G, Step, Before, Behind, First, Tokens, dX, dB, dC, Query, Key,
    // QueryPairs, KeyPairs, Past, Skip)
    call.require(
        {tk::suits_tma_load(Step), tk::suits_tma_store(dX), tk::suits_tma_store(dB),
         tk::suits_tma_store(dC), tk::grid_fits(tk::multiply(GR, tk::ceil_div(N, 64)), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(GR, tk::ceil_div(N, 64)), B), 2147483648),
         tk::fits("group*(H/GR)", tk::multiply(GR - 1, tk::floor_div(H, GR))),
         tk::fits("first + i",
                  tk::multiply(GR - 1, tk::floor_div(H, GR)) + (tk::floor_div(H, GR) - 1)),
         tk::fits("h*64",
                  (tk::multiply(GR - 1, tk::floor_div(H, GR)) + (tk::floor_div(H, GR) - 1)) * 64),
         tk::fits("h*64 + panel",
                  (tk::multiply(GR - 1, tk::floor_div(H, GR)) + (tk::floor_div(H, GR) - 1)) * 64 +
                  63)});
    // totals(ofA, dA)
    call.require({
        tk::that(tk::ceil_div(N, 64) < 2147221504,
                 "`ceil_div(N, 64)` is {}; extents must be less than 2147221504",
                 {tk::ceil_div(N, 64)})});
    if (!call.ok()) return tk::finish(call.result());

    // mamba2.gates(Dt, A, bias, start, G, Step, W, dt_min, dt_max)
    const bool choice_2 = tk::hold(
        {tk::suits_fast(Dt, "H"), tk::whole_vectors(Dt, 8), tk::suits_fast(bias, "H"),
         tk::suits_fast(G), tk::suits_fast(Step), tk::suits_fast(W)});

    // steps(Dt, A, bias, Query, Key, QueryPairs, KeyPairs, First, Tokens, Past, dDt, ofA, ofBias,
    // dt_min, dt_max)
    const bool choice_6 = tk::hold(
        {tk::suits_fast(Dt, "H"), tk::whole_vectors(Dt, 8), tk::suits_fast(bias, "H"),
         tk::suits_fast(Query), tk::suits_fast(Key), tk::suits_fast(QueryPairs),
         tk::suits_fast(KeyPairs), tk::suits_fast(dDt, "H"), tk::suits_fast(ofBias, "H")});

    // totals(ofA, dA)
    const bool choice_7 =
        tk::hold({tk::suits_fast(ofA, "H"), tk::whole_vectors(ofA, 4), tk::suits_fast(dA, "H")});

    // totals(ofBias, dbias)
    const bool choice_8 = tk::hold(
        {tk::suits_fast(ofBias, "H"), tk::whole_vectors(ofBias, 4), tk::suits_fast(dbias, "H")});

    // totals(Skip, dD)
    const bool choice_9 =
        tk::hold({tk::suits_fast(Skip, "H"), tk::whole_vectors(Skip, 4), tk::suits_fast(dD, "H")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    TK_FINISH_IF_FAILED(launch_packed_chunks_packed_chunks(site, start, First, Tokens, R, R));
    if (choice_2) {
        TK_FINISH_IF_FAILED(launch_mamba2_gates_T_bf16_SOFTPLUS_true_PACKED_false(
            site, Dt, A, bias, G, Step, W, B, N, H, dt_min, dt_max));
    } else {
        TK_FINISH_IF_FAILED(launch_mamba2_gates_T_bf16_SOFTPLUS_true_PACKED_false_general(
            site, Dt, A, bias, G, Step, W, B, N, H, dt_min, dt_max));
    }
    TK_FINISH_IF_FAILED(
        launch_before(site, X, Bm, tk::read_only(G), tk::read_only(W), S0, Before, B, N, GR, H, J));
    TK_FINISH_IF_FAILED(
        launch_behind(site, dY, C, tk::read_only(G), dState, Behind, dS0, B, N, GR, H, F, I));
    TK_FINISH_IF_FAILED(
        launch_chunks(site, X, dY, Bm, C, D, tk::read_only(G), tk::read_only(Step),
                      tk::read_only(Before), tk::read_only(Behind), dX, dB, dC, Query, Key,
                      QueryPairs, KeyPairs, Past, Skip, B, N, GR, H));
    if (choice_6) {
        TK_FINISH_IF_FAILED(
            launch_steps(site, Dt, A, bias, tk::read_only(Query), tk::read_only(Key),
                         tk::read_only(QueryPairs), tk::read_only(KeyPairs), tk::read_only(Past),
                         dDt, ofA, ofBias, B, N, H, dt_min, dt_max));
    } else {
        TK_FINISH_IF_FAILED(
            launch_steps_general(site, Dt, A, bias, tk::read_only(Query), tk::read_only(Key),
                                 tk::read_only(QueryPairs), tk::read_only(KeyPairs),
                                 tk::read_only(Past), dDt, ofA, ofBias, B, N, H, dt_min, dt_max));
    }
    if (choice_7) {
        TK_FINISH_IF_FAILED(launch_totals(site, tk::read_only(ofA), dA, B, tk::ceil_div(N, 64), H));
    } else {
        TK_FINISH_IF_FAILED(
            launch_totals_general(site, tk::read_only(ofA), dA, B, tk::ceil_div(N, 64), H));
    }
    if (choice_8) {
        TK_FINISH_IF_FAILED(
            launch_totals(site, tk::read_only(ofBias), dbias, B, tk::ceil_div(N, 64), H));
    } else {
        TK_FINISH_IF_FAILED(
            launch_totals_general(site, tk::read_only(ofBias), dbias, B, tk::ceil_div(N, 64), H));
    }
    if (choice_9) {
        TK_FINISH_IF_FAILED(
            launch_totals(site, tk::read_only(Skip), dD, B, tk::ceil_div(N, 64), H));
    } else {
        TK_FINISH_IF_FAILED(
            launch_totals_general(site, tk::read_only(Skip), dD, B, tk::ceil_div(N, 64), H));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(mamba2_backward, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, float, float)
}  // extern "C"
