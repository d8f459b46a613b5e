// Made by tkc from hedgehog_backward.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/argmax.cuh"
#include "tk/operations/cells.cuh"
#include "tk/operations/integer.cuh"
#include "tk/ptx/wgmma_n064.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/tk.cuh"

// before: kernel before with T = bf16, D = 128, DV = 128, F = 64, PACKED = false, L = 64.
// producer: 1 warp, 24 registers a thread; features: 1 warpgroup, 240 registers a thread; state: 1
// warpgroup, 240 registers a thread.
// 384 threads, 168 registers each at first, 132208 bytes of shared memory.
struct before_shared {
    tk::shared_tile<tk::bf16, 128, 64> ws_tile[1];
    tk::shared_tile<tk::bf16, 64, 128> ks_tile[2];
    tk::shared_tile<tk::bf16, 64, 128> vs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> fs_p[2];
    tk::shared_tile<tk::bf16, 64, 64> fs_n[2];
    tk::shared_tile<float, 4, 64> features_f32_rows_64[1];
    tk::shared_tile<tk::bf16, 64, 64> state_Before[2];
    tk::pipeline<1> ws;
    tk::pipeline<2> ks;
    tk::pipeline<2> vs;
    tk::pipeline<2> fs;
};
static_assert(offsetof(before_shared, fs) == 132176);

__global__ void __launch_bounds__(384, 1) before_kernel(
    const __grid_constant__ CUtensorMap WK_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap V_map, const __grid_constant__ CUtensorMap Before_map,
    const tk::tensor_argument<const float, 4> S0, const tk::tensor_argument<const float, 3> Z0,
    const tk::tensor_argument<float, 3> Sums, int B, int N, int H, int J, int segments,
    int length) {
    extern __shared__ __align__(1024) unsigned char memory[];
    before_shared& shared = *reinterpret_cast<before_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(WK_map, K_map, V_map, Before_map);
        shared.ws.init(1, 4);
        shared.ks.init(1, 4);
        shared.vs.init(1, 4);
        shared.fs.init(4, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // hedgehog_backward.tk:64: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int segment_tiles = tk::max(segments, 0);
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> ks_next, vs_next;
            tk::cursor<1> ws_next;
            const int program = blockIdx.x;
            const int h = program % H;
            const int segment = program / H % segment_tiles;
            const int b = program / (H * segment_tiles);

            // hedgehog_backward.tk:56: let begin  = if PACKED { 0 } else { max(segment * length ..
            const int begin = tk::max(segment * length - 64, 0);

            // hedgehog_backward.tk:57: let end    = if PACKED { (start[b + 1] // L + b + 1 - ..
            const int end = segment == segments - 1 ? N : (segment + 1) * length - 64;

            // hedgehog_backward.tk:65: produce ws = tma_load(WK[h, :, :]);
            shared.ws.begin(ws_next, 16384);
            tk::tma_load(shared.ws_tile[ws_next.stage], WK_map, shared.ws.full[ws_next.stage], h, 0,
                         0);
            ws_next.advance();

            // hedgehog_backward.tk:66: for t in begin..end by L {
            #pragma unroll 1
            for (int t = begin; t < end; t += 64) {
                // hedgehog_backward.tk:67: if PACKED { produce ks = tma_load(Kb[t, h, :]) ..
                shared.ks.begin(ks_next, 16384);
                tk::tma_load(shared.ks_tile[ks_next.stage], K_map, shared.ks.full[ks_next.stage], b,
                             t, h, 0);
                ks_next.advance();

                // hedgehog_backward.tk:68: if PACKED { produce vs = tma_load(Vb[t, h, :]) ..
                shared.vs.begin(vs_next, 16384);
                tk::tma_load(shared.vs_tile[vs_next.stage], V_map, shared.vs.full[vs_next.stage], b,
                             t, h, 0);
                vs_next.advance();
            }
        }
    } else if (warp < 4) {
        // hedgehog_backward.tk:71: role features(1 warpgroup) {
        tk::registers_at_least<240>();
        const int segment_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        tk::cursor<2> fs_next_2, ks_next;
        tk::cursor<1> ws_next;
        const int program = blockIdx.x;
        const int h = program % H;
        const int segment = program / H % segment_tiles;
        const int b = program / (H * segment_tiles);

        // hedgehog_backward.tk:54: let at     = if PACKED { 0 } else { b };
        const int at = b;

        // hedgehog_backward.tk:56: let begin  = if PACKED { 0 } else { max(segment * length - L, ..
        const int begin = tk::max(segment * length - 64, 0);

        // hedgehog_backward.tk:57: let end    = if PACKED { (start[b + 1] // L + b + 1 - place) ..
        const int end = segment == segments - 1 ? N : (segment + 1) * length - 64;

        // hedgehog_backward.tk:72: let w = consume ws;
        const tk::cursor<1> w_element = shared.ws.take(ws_next);

        // hedgehog_backward.tk:73: var zp: f32[1, F] = load(Z0[b * segments + segment, h, 0 +: F]);
        tk::row_fragment<float, 64> zp;
        tk::load_global(zp,
                        tk::slice<tk::no_axis, 2>(Z0, {b * segments + segment, h, 0}, 1,
                                                  b * segments + segment > -1 &&
                                                  b * segments + segment < J ? 128 : 0), thread);

        // hedgehog_backward.tk:74: var zn: f32[1, F] = load(Z0[b * segments + segment, h, F +: F]);
        tk::row_fragment<float, 64> zn;
        tk::load_global(zn,
                        tk::slice<tk::no_axis, 2>(Z0, {b * segments + segment, h, 64}, 1,
                                                  b * segments + segment > -1 &&
                                                  b * segments + segment < J ? 128 - 64 : 0),
                        thread);

        // hedgehog_backward.tk:75: for t in begin..end by L {
        tk::fragment<tk::bf16, 64, 64> p;
        tk::fragment<tk::bf16, 64, 64> n;
        for (int t = begin; t < end; t += 64) {
            // hedgehog_backward.tk:76: let x = mma(consume ks, w);
            const tk::cursor<2> ks_element = shared.ks.take(ks_next);
            tk::fragment<float, 64, 64> x;
            tk::mma_async(x, shared.ks_tile[ks_element.stage], shared.ws_tile[w_element.stage],
                          tk::accumulate_never{});

            // hedgehog_backward.tk:77: store(Sums[at, place + t.start // L, h * 2 * F +: F], zp);
            tk::store_global(
                tk::slice<tk::no_axis, 2>(Sums, {at, t / 64, h * 2 * 64}, 1,
                                          t / 64 < tk::divide_up(N, 64)
                                          ? (at < B ? H * 2 * 64 - h * 2 * 64 : 0) : 0), zp,
                thread);

            // hedgehog_backward.tk:78: store(Sums[at, place + t.start // L, h * 2 * F + F +: F], ..
            tk::store_global(
                tk::slice<tk::no_axis, 2>(Sums, {at, t / 64, h * 2 * 64 + 64}, 1,
                                          t / 64 < tk::divide_up(N, 64)
                                          ? (at < B ? H * 2 * 64 - (h * 2 * 64 + 64) : 0) : 0), zn,
                thread);
            tk::mma_wait<0>(x);
            shared.ks.release(ks_element);

            // hedgehog_backward.tk:27: let e = exp2((x - max(x, axis = 1)) * LOG2E);
            tk::column_fragment<float, 64> t3;
            tk::fold_rows(t3, x, tk::maximum{}, thread);
            tk::finish_rows(t3, tk::maximum{});
            tk::fragment<float, 64, 64> e;
            tk::map(e, [](float x, float t3) { return tk::exp2((x - t3) * 1.442695f); }, x, t3);

            // hedgehog_backward.tk:28: return e / sum(e, axis = 1);
            tk::column_fragment<float, 64> t4;
            tk::fold_rows(t4, e, tk::plus{}, thread);
            tk::finish_rows(t4, tk::plus{});

            // hedgehog_backward.tk:79: let p = T(pad(feature(distribution(x)), axis = 0, with = ..
            if (t + 64 <= N) {
                tk::map(p, [](float e, float t4) { return tk::max(tk::divide(e, t4), 1e-06f); },
                        e, t4);
            } else {
                tk::map(p, thread, [&](int row, int, float e, float t4) {
                    return row < N - t ? tk::max(tk::divide(e, t4), 1e-06f) : 0.0f;
                }, e, t4);
            }
            // hedgehog_backward.tk:27
            tk::fragment<float, 64, 64> t5;
            tk::map(t5, [](float x) { return -x; }, x);
            tk::column_fragment<float, 64> t6;
            tk::fold_rows(t6, t5, tk::maximum{}, thread);
            tk::finish_rows(t6, tk::maximum{});
            tk::fragment<float, 64, 64> e_2;
            tk::map(e_2, [](float t5, float t6) { return tk::exp2((t5 - t6) * 1.442695f); },
                    t5, t6);
            // hedgehog_backward.tk:28
            tk::column_fragment<float, 64> t7;
            tk::fold_rows(t7, e_2, tk::plus{}, thread);
            tk::finish_rows(t7, tk::plus{});

            // hedgehog_backward.tk:80: let n = T(pad(feature(distribution(-x)), axis = 0, with = ..
            if (t + 64 <= N) {
                tk::map(n, [](float e_2, float t7) { return tk::max(tk::divide(e_2, t7), 1e-06f); },
                        e_2, t7);
            } else {
                tk::map(n, thread, [&](int row, int, float e_2, float t7) {
                    return row < N - t ? tk::max(tk::divide(e_2, t7), 1e-06f) : 0.0f;
                }, e_2, t7);
            }

            // hedgehog_backward.tk:81: produce fs { p = p; n = n; }
            shared.fs.wait_empty(fs_next_2);
            tk::store_shared(shared.fs_p[fs_next_2.stage], p, thread);
            tk::store_shared(shared.fs_n[fs_next_2.stage], n, thread);
            shared.fs.publish(fs_next_2);
            fs_next_2.advance();

            // hedgehog_backward.tk:82: zp += sum(f32(p), axis = 0);
            tk::fragment<float, 64, 64> t8 = tk::convert<float>(p);
            tk::row_fragment<float, 64> t9;
            tk::reduce_columns(t9, t8, shared.features_f32_rows_64[0], tk::plus{}, thread, 2);
            tk::map(zp, [](float zp, float t9) { return zp + t9; }, zp, t9);

            // hedgehog_backward.tk:83: zn += sum(f32(n), axis = 0);
            tk::fragment<float, 64, 64> t10 = tk::convert<float>(n);
            tk::row_fragment<float, 64> t11;
            tk::reduce_columns(t11, t10, shared.features_f32_rows_64[0], tk::plus{}, thread, 2);
            tk::map(zn, [](float zn, float t11) { return zn + t11; }, zn, t11);
        }
        shared.ws.release(w_element);
    } else {
        // hedgehog_backward.tk:86: role state(1 warpgroup) {
        tk::registers_at_least<240>();
        const int segment_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> fs_next_2;
        const int program = blockIdx.x;
        const int h = program % H;
        const int segment = program / H % segment_tiles;
        const int b = program / (H * segment_tiles);

        // hedgehog_backward.tk:54: let at     = if PACKED { 0 } else { b };
        const int at = b;

        // hedgehog_backward.tk:56: let begin  = if PACKED { 0 } else { max(segment * length - L, ..
        const int begin = tk::max(segment * length - 64, 0);

        // hedgehog_backward.tk:57: let end    = if PACKED { (start[b + 1] // L + b + 1 - place) ..
        const int end = segment == segments - 1 ? N : (segment + 1) * length - 64;

        // hedgehog_backward.tk:87: var p: f32[F, DV] = load(S0[b * segments + segment, h, 0 +: ..
        tk::fragment<float, 64, 128> p;
        tk::load_global(p,
                        tk::slice(S0, {b * segments + segment, h, 0, 0},
                                  b * segments + segment > -1 && b * segments + segment < J ? 128
                                  : 0, 128), thread);

        // hedgehog_backward.tk:88: var n: f32[F, DV] = load(S0[b * segments + segment, h, F +: ..
        tk::fragment<float, 64, 128> n;
        tk::load_global(n,
                        tk::slice(S0, {b * segments + segment, h, 64, 0},
                                  b * segments + segment > -1 && b * segments + segment < J
                                  ? 128 - 64 : 0, 128), thread);

        // hedgehog_backward.tk:89: for t in begin..end by L {
        for (int t = begin; t < end; t += 64) {
            // hedgehog_backward.tk:90: tma_store(Before[at, place + t.start // L, h * 2 * F +: ..
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(3, 128);
                tk::store_shared(shared.state_Before[panel / 64 % 2],
                                 tk::convert<tk::bf16>(tk::window<64, 64>(p, 0, panel)), thread);
                tk::fence_async();
                tk::barrier_sync(3, 128);
                if (leader) {
                    tk::tma_store(Before_map, shared.state_Before[panel / 64 % 2], at, t / 64,
                                  h * 2 * 64, panel);
                }
            }

            // hedgehog_backward.tk:91: tma_store(Before[at, place + t.start // L, h * 2 * F + F ..
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(3, 128);
                tk::store_shared(shared.state_Before[panel / 64 % 2],
                                 tk::convert<tk::bf16>(tk::window<64, 64>(n, 0, panel)), thread);
                tk::fence_async();
                tk::barrier_sync(3, 128);
                if (leader) {
                    tk::tma_store(Before_map, shared.state_Before[panel / 64 % 2], at, t / 64,
                                  h * 2 * 64 + 64, panel);
                }
            }

            // hedgehog_backward.tk:92: let f = consume fs;
            const tk::cursor<2> f = shared.fs.take(fs_next_2);

            // hedgehog_backward.tk:93: let v = consume vs;
            shared.vs.wait_full(f);

            // hedgehog_backward.tk:94: p += mma(f.p.T, v);
            tk::mma_async(p, tk::transposed(shared.fs_p[f.stage]), shared.vs_tile[f.stage]);

            // hedgehog_backward.tk:95: n += mma(f.n.T, v);
            tk::mma_async(n, tk::transposed(shared.fs_n[f.stage]), shared.vs_tile[f.stage]);
            tk::mma_wait<0>(p, n);
            shared.vs.release(f);
            shared.fs.release(f);
        }

        if (leader) tk::tma_store_wait_read<0>();
    }
}

// behind: kernel behind with T = bf16, D = 128, DV = 128, F = 64, PACKED = false, STATES = false, L
// = 64.
// producer: 1 warp, 24 registers a thread; features: 1 warpgroup, 240 registers a thread; state: 1
// warpgroup, 240 registers a thread.
// 384 threads, 168 registers each at first, 133264 bytes of shared memory.
struct behind_shared {
    tk::shared_tile<tk::bf16, 128, 64> ws_tile[1];
    tk::shared_tile<tk::bf16, 64, 128> qs_tile[2];
    tk::shared_tile<tk::bf16, 64, 128> os_tile[2];
    tk::shared_tile<float, 64, 1> rows_r[2];
    tk::shared_tile<float, 64, 1> rows_c[2];
    tk::shared_tile<tk::bf16, 64, 64> fs_p[2];
    tk::shared_tile<tk::bf16, 64, 64> fs_n[2];
    tk::shared_tile<float, 4, 64> features_f32_rows_64[1];
    tk::shared_tile<tk::bf16, 64, 64> state_Behind[2];
    tk::pipeline<1> ws;
    tk::pipeline<2> qs;
    tk::pipeline<2> os;
    tk::pipeline<2> rows;
    tk::pipeline<2> fs;
};
static_assert(offsetof(behind_shared, fs) == 133232);

__global__ void __launch_bounds__(384, 1) behind_kernel(
    const __grid_constant__ CUtensorMap WQ_map, const __grid_constant__ CUtensorMap Q_map,
    const __grid_constant__ CUtensorMap R_map, const __grid_constant__ CUtensorMap C_map,
    const __grid_constant__ CUtensorMap dO_map, const __grid_constant__ CUtensorMap Behind_map,
    const tk::tensor_argument<const float, 4> dState,
    const tk::tensor_argument<const float, 3> dSums, const tk::tensor_argument<float, 3> Sums,
    const tk::tensor_argument<float, 4> dS0, const tk::tensor_argument<float, 3> dZ0, int B, int N,
    int H, int E, int I, int segments, int length) {
    extern __shared__ __align__(1024) unsigned char memory[];
    behind_shared& shared = *reinterpret_cast<behind_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(WQ_map, Q_map, R_map, C_map, dO_map, Behind_map);
        shared.ws.init(1, 4);
        shared.qs.init(1, 4);
        shared.os.init(1, 4);
        shared.rows.init(1, 4);
        shared.fs.init(4, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // hedgehog_backward.tk:134: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int segment_tiles = tk::max(segments, 0);
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> os_next, qs_next, rows_next;
            tk::cursor<1> ws_next;
            const int program = blockIdx.x;
            const int h = program % H;
            const int segment = program / H % segment_tiles;
            const int b = program / (H * segment_tiles);

            // hedgehog_backward.tk:120: let at     = if PACKED { 0 } else { b };
            const int at = b;

            // hedgehog_backward.tk:122: let begin  = if PACKED { 0 } else { segment * length };
            const int begin = segment * length;

            // hedgehog_backward.tk:123: let end    = if PACKED { (start[b + 1] // L + b + 1 - ..
            const int end = tk::min((segment + 1) * length, N);

            // hedgehog_backward.tk:125: let room   = if PACKED { tokens } else { ceil_div(N, L) ..
            const int room = tk::divide_up(N, 64) * 64;

            // hedgehog_backward.tk:135: produce ws = tma_load(WQ[h, :, :]);
            shared.ws.begin(ws_next, 16384);
            tk::tma_load(shared.ws_tile[ws_next.stage], WQ_map, shared.ws.full[ws_next.stage], h, 0,
                         0);
            ws_next.advance();

            // hedgehog_backward.tk:136: for t in reversed begin..end by L {
            #pragma unroll 1
            for (int t = begin + (tk::divide_up(end - begin, 64) - 1) * 64; t >= begin; t -= 64) {
                // hedgehog_backward.tk:137: if PACKED { produce qs = tma_load(Qb[t, h, :]) ..
                shared.qs.begin(qs_next, 16384);
                tk::tma_load(shared.qs_tile[qs_next.stage], Q_map, shared.qs.full[qs_next.stage], b,
                             t, h, 0);
                qs_next.advance();

                // hedgehog_backward.tk:138: produce rows { r = column(tma_load(Rb[h, t.start +: ..
                shared.rows.begin(rows_next, 512);
                tk::tma_load(shared.rows_r[rows_next.stage], R_map,
                             shared.rows.full[rows_next.stage], at, h, t);
                tk::tma_load(shared.rows_c[rows_next.stage], C_map,
                             shared.rows.full[rows_next.stage], at, h, t);
                rows_next.advance();

                // hedgehog_backward.tk:139: if PACKED { produce os = tma_load(dOb[t, h, :]) ..
                shared.os.begin(os_next, 16384);
                tk::tma_load(shared.os_tile[os_next.stage], dO_map, shared.os.full[os_next.stage],
                             b, t, h, 0);
                os_next.advance();
            }
        }
    } else if (warp < 4) {
        // hedgehog_backward.tk:142: role features(1 warpgroup) {
        tk::registers_at_least<240>();
        const int segment_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        tk::cursor<2> fs_next_2, qs_next;
        tk::cursor<1> ws_next;
        const int program = blockIdx.x;
        const int h = program % H;
        const int segment = program / H % segment_tiles;
        const int b = program / (H * segment_tiles);

        // hedgehog_backward.tk:120: let at     = if PACKED { 0 } else { b };
        const int at = b;

        // hedgehog_backward.tk:122: let begin  = if PACKED { 0 } else { segment * length };
        const int begin = segment * length;

        // hedgehog_backward.tk:123: let end    = if PACKED { (start[b + 1] // L + b + 1 - place) ..
        const int end = tk::min((segment + 1) * length, N);

        // hedgehog_backward.tk:124: let last   = b * segments + segments - 1 - segment;
        const int last = b * segments + segments - 1 - segment;

        // hedgehog_backward.tk:143: let w = consume ws;
        const tk::cursor<1> w_element = shared.ws.take(ws_next);

        // hedgehog_backward.tk:145: var zp: f32[1, F] = -load(dSums[last, h, 0 +: F]);
        tk::row_fragment<float, 64> zp;
        tk::map(zp, thread, [&](int, int col) {
            return -(0 <= last && last < E && h < H && col < 128 ? tk::cell(dSums, last, h, col)
                     : float{});
        });

        // hedgehog_backward.tk:146: var zn: f32[1, F] = -load(dSums[last, h, F +: F]);
        tk::row_fragment<float, 64> zn;
        tk::map(zn, thread, [&](int, int col) {
            return -(0 <= last && last < E && h < H && 64 + col < 128
                     ? tk::cell(dSums, last, h, 64 + col) : float{});
        });

        // hedgehog_backward.tk:147: for t in reversed begin..end by L {
        tk::fragment<tk::bf16, 64, 64> p;
        tk::fragment<tk::bf16, 64, 64> n;
        for (int t = begin + (tk::divide_up(end - begin, 64) - 1) * 64; t >= begin; t -= 64) {
            // hedgehog_backward.tk:148: let x = mma(consume qs, w);
            const tk::cursor<2> qs_element = shared.qs.take(qs_next);
            tk::fragment<float, 64, 64> x;
            tk::mma_async(x, shared.qs_tile[qs_element.stage], shared.ws_tile[w_element.stage],
                          tk::accumulate_never{});

            // hedgehog_backward.tk:149: store(Sums[at, place + t.start // L, h * 2 * F +: F], zp);
            tk::store_global(
                tk::slice<tk::no_axis, 2>(Sums, {at, tk::divide_down(t, 64), h * 2 * 64}, 1,
                                          tk::divide_down(t, 64) > -1 &&
                                          tk::divide_down(t, 64) < tk::divide_up(N, 64)
                                          ? (at < B ? H * 2 * 64 - h * 2 * 64 : 0) : 0), zp,
                thread);

            // hedgehog_backward.tk:150: store(Sums[at, place + t.start // L, h * 2 * F + F +: ..
            tk::store_global(
                tk::slice<tk::no_axis, 2>(Sums, {at, tk::divide_down(t, 64), h * 2 * 64 + 64}, 1,
                                          tk::divide_down(t, 64) > -1 &&
                                          tk::divide_down(t, 64) < tk::divide_up(N, 64)
                                          ? (at < B ? H * 2 * 64 - (h * 2 * 64 + 64) : 0) : 0), zn,
                thread);

            // hedgehog_backward.tk:151: let i = consume rows;
            shared.rows.wait_full(qs_element);
            tk::mma_wait<0>(x);
            shared.qs.release(qs_element);

            // hedgehog_backward.tk:27: let e = exp2((x - max(x, axis = 1)) * LOG2E);
            tk::column_fragment<float, 64> t3;
            tk::fold_rows(t3, x, tk::maximum{}, thread);
            tk::finish_rows(t3, tk::maximum{});
            tk::fragment<float, 64, 64> e;
            tk::map(e, [](float x, float t3) { return tk::exp2((x - t3) * 1.442695f); }, x, t3);

            // hedgehog_backward.tk:28: return e / sum(e, axis = 1);
            tk::column_fragment<float, 64> t4;
            tk::fold_rows(t4, e, tk::plus{}, thread);
            tk::finish_rows(t4, tk::plus{});

            // hedgehog_backward.tk:154: let p = T(taken<PACKED, STATES>(feature(distribution(x)) ..
            tk::column_fragment<float, 64> t2;
            tk::map(t2, thread, [&](int row, int) {
                return tk::get(shared.rows_r[qs_element.stage], row, 0);
            });
            if (t + 64 <= N) {
                tk::map(p, [](float e, float t4, float t2) {
                    return tk::max(tk::divide(e, t4), 1e-06f) * t2;
                }, e, t4, t2);
            } else {
                tk::map(p, thread, [&](int row, int, float e, float t4, float t2) {
                    return row < N - t ? tk::max(tk::divide(e, t4), 1e-06f) * t2 : 0.0f;
                }, e, t4, t2);
            }
            // hedgehog_backward.tk:27
            tk::fragment<float, 64, 64> t5;
            tk::map(t5, [](float x) { return -x; }, x);
            tk::column_fragment<float, 64> t6;
            tk::fold_rows(t6, t5, tk::maximum{}, thread);
            tk::finish_rows(t6, tk::maximum{});
            tk::fragment<float, 64, 64> e_2;
            tk::map(e_2, [](float t5, float t6) { return tk::exp2((t5 - t6) * 1.442695f); },
                    t5, t6);
            // hedgehog_backward.tk:28
            tk::column_fragment<float, 64> t7;
            tk::fold_rows(t7, e_2, tk::plus{}, thread);
            tk::finish_rows(t7, tk::plus{});

            // hedgehog_backward.tk:155: let n = T(taken<PACKED, ..
            tk::column_fragment<float, 64> t14;
            tk::map(t14, thread, [&](int row, int) {
                return tk::get(shared.rows_r[qs_element.stage], row, 0);
            });
            if (t + 64 <= N) {
                tk::map(n, [](float e_2, float t7, float t14) {
                    return tk::max(tk::divide(e_2, t7), 1e-06f) * t14;
                }, e_2, t7, t14);
            } else {
                tk::map(n, thread, [&](int row, int, float e_2, float t7, float t14) {
                    return row < N - t ? tk::max(tk::divide(e_2, t7), 1e-06f) * t14 : 0.0f;
                }, e_2, t7, t14);
            }

            // hedgehog_backward.tk:156: produce fs { p = p; n = n; }
            shared.fs.wait_empty(fs_next_2);
            tk::store_shared(shared.fs_p[fs_next_2.stage], p, thread);
            tk::store_shared(shared.fs_n[fs_next_2.stage], n, thread);
            shared.fs.publish(fs_next_2);
            fs_next_2.advance();

            // hedgehog_backward.tk:157: zp += sum(p * c, axis = 0);
            tk::column_fragment<float, 64> t15;
            tk::map(t15, thread, [&](int row, int) {
                return tk::get(shared.rows_c[qs_element.stage], row, 0);
            });
            tk::fragment<float, 64, 64> t8;
            tk::map(t8, [](tk::bf16 p, float t15) { return float(p) * t15; }, p, t15);
            tk::row_fragment<float, 64> t9;
            tk::reduce_columns(t9, t8, shared.features_f32_rows_64[0], tk::plus{}, thread, 2);
            tk::map(zp, [](float zp, float t9) { return zp + t9; }, zp, t9);

            // hedgehog_backward.tk:158: zn += sum(n * c, axis = 0);
            tk::column_fragment<float, 64> t16;
            tk::map(t16, thread, [&](int row, int) {
                return tk::get(shared.rows_c[qs_element.stage], row, 0);
            });
            shared.rows.release_after_loads(qs_element);
            tk::fragment<float, 64, 64> t10;
            tk::map(t10, [](tk::bf16 n, float t16) { return float(n) * t16; }, n, t16);
            tk::row_fragment<float, 64> t11;
            tk::reduce_columns(t11, t10, shared.features_f32_rows_64[0], tk::plus{}, thread, 2);
            tk::map(zn, [](float zn, float t11) { return zn + t11; }, zn, t11);
        }
        shared.ws.release(w_element);

        // hedgehog_backward.tk:160: store(dZ0[last, h, 0 +: F], -zp);
        tk::row_fragment<float, 64> t12;
        tk::map(t12, [](float zp) { return -zp; }, zp);
        tk::store_global(
            tk::slice<tk::no_axis, 2>(dZ0, {last, h, 0}, 1, last > -1 && last < I ? 128 : 0), t12,
            thread);

        // hedgehog_backward.tk:161: store(dZ0[last, h, F +: F], -zn);
        tk::row_fragment<float, 64> t13;
        tk::map(t13, [](float zn) { return -zn; }, zn);
        tk::store_global(
            tk::slice<tk::no_axis, 2>(dZ0, {last, h, 64}, 1, last > -1 && last < I ? 128 - 64 : 0),
            t13, thread);
    } else {
        // hedgehog_backward.tk:163: role state(1 warpgroup) {
        tk::registers_at_least<240>();
        const int segment_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> fs_next_2;
        const int program = blockIdx.x;
        const int h = program % H;
        const int segment = program / H % segment_tiles;
        const int b = program / (H * segment_tiles);

        // hedgehog_backward.tk:120: let at     = if PACKED { 0 } else { b };
        const int at = b;

        // hedgehog_backward.tk:122: let begin  = if PACKED { 0 } else { segment * length };
        const int begin = segment * length;

        // hedgehog_backward.tk:123: let end    = if PACKED { (start[b + 1] // L + b + 1 - place) ..
        const int end = tk::min((segment + 1) * length, N);

        // hedgehog_backward.tk:124: let last   = b * segments + segments - 1 - segment;
        const int last = b * segments + segments - 1 - segment;

        // hedgehog_backward.tk:164: var p: f32[F, DV] = load(dState[last, h, 0 +: F, :]);
        tk::fragment<float, 64, 128> p;
        tk::load_global(p, tk::slice(dState, {last, h, 0, 0}, last > -1 && last < E ? 128 : 0, 128),
                        thread);

        // hedgehog_backward.tk:165: var n: f32[F, DV] = load(dState[last, h, F +: F, :]);
        tk::fragment<float, 64, 128> n;
        tk::load_global(n,
                        tk::slice(dState, {last, h, 64, 0}, last > -1 && last < E ? 128 - 64 : 0,
                                  128), thread);

        // hedgehog_backward.tk:166: for t in reversed begin..end by L {
        for (int t = begin + (tk::divide_up(end - begin, 64) - 1) * 64; t >= begin; t -= 64) {
            // hedgehog_backward.tk:167: tma_store(Behind[at, place + t.start // L, h * 2 * F +: ..
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(3, 128);
                tk::store_shared(shared.state_Behind[panel / 64 % 2],
                                 tk::convert<tk::bf16>(tk::window<64, 64>(p, 0, panel)), thread);
                tk::fence_async();
                tk::barrier_sync(3, 128);
                if (leader) {
                    tk::tma_store(Behind_map, shared.state_Behind[panel / 64 % 2], at,
                                  tk::divide_down(t, 64), h * 2 * 64, panel);
                }
            }

            // hedgehog_backward.tk:168: tma_store(Behind[at, place + t.start // L, h * 2 * F + F ..
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(3, 128);
                tk::store_shared(shared.state_Behind[panel / 64 % 2],
                                 tk::convert<tk::bf16>(tk::window<64, 64>(n, 0, panel)), thread);
                tk::fence_async();
                tk::barrier_sync(3, 128);
                if (leader) {
                    tk::tma_store(Behind_map, shared.state_Behind[panel / 64 % 2], at,
                                  tk::divide_down(t, 64), h * 2 * 64 + 64, panel);
                }
            }

            // hedgehog_backward.tk:169: let f = consume fs;
            const tk::cursor<2> f = shared.fs.take(fs_next_2);

            // hedgehog_backward.tk:170: let o = consume os;
            shared.os.wait_full(f);

            // hedgehog_backward.tk:171: p += mma(f.p.T, o);
            tk::mma_async(p, tk::transposed(shared.fs_p[f.stage]), shared.os_tile[f.stage]);

            // hedgehog_backward.tk:172: n += mma(f.n.T, o);
            tk::mma_async(n, tk::transposed(shared.fs_n[f.stage]), shared.os_tile[f.stage]);
            tk::mma_wait<0>(p, n);
            shared.os.release(f);
            shared.fs.release(f);
        }

        // hedgehog_backward.tk:174: store(dS0[last, h, 0 +: F, :], p);
        tk::store_global(tk::slice(dS0, {last, h, 0, 0}, last > -1 && last < I ? 128 : 0, 128), p,
                         thread);

        // hedgehog_backward.tk:175: store(dS0[last, h, F +: F, :], n);
        tk::store_global(
            tk::slice(dS0, {last, h, 64, 0}, last > -1 && last < I ? 128 - 64 : 0, 128), n, thread);

        if (leader) tk::tma_store_wait_read<0>();
    }
}

// queries: kernel queries with T = bf16, D = 128, DV = 128, F = 64, PACKED = false, L = 64.
// producer: 1 warp, 24 registers a thread; far: 1 warpgroup, 240 registers a thread; near: 1
// warpgroup, 240 registers a thread.
// 384 threads, 168 registers each at first, 198720 bytes of shared memory; persistent.
struct queries_shared {
    tk::shared_tile<tk::bf16, 64, 128> ks_last[1];
    tk::shared_tile<tk::bf16, 64, 128> ks_own[1];
    tk::shared_tile<tk::bf16, 64, 128> ks_q[1];
    tk::shared_tile<tk::bf16, 64, 128> vs_last[1];
    tk::shared_tile<tk::bf16, 64, 128> vs_own[1];
    tk::shared_tile<tk::bf16, 64, 128> vs_o[1];
    tk::shared_tile<tk::bf16, 64, 128> vs_g[1];
    tk::shared_tile<tk::bf16, 64, 128> states_p[1];
    tk::shared_tile<tk::bf16, 64, 128> states_n[1];
    tk::shared_tile<float, 1, 64> states_zp[1];
    tk::shared_tile<float, 1, 64> states_zn[1];
    tk::shared_tile<tk::bf16, 128, 64> states_w[1];
    tk::shared_tile<tk::bf16, 64, 64> fars_x[1];
    tk::shared_tile<float, 64, 1> fars_z[1];
    tk::shared_tile<float, 64, 1> fars_da[1];
    tk::shared_tile<float, 4, 1> near_f32_rows_1[1];
    tk::shared_tile<tk::bf16, 64, 64> near_dX[1];
    tk::shared_tile<tk::bf16, 64, 64> near_dQ[2];
    tk::pipeline<1> ks;
    tk::pipeline<1> vs;
    tk::pipeline<1> states;
    tk::pipeline<1> fars;
};
static_assert(offsetof(queries_shared, fars) == 198704);

__global__ void __launch_bounds__(384, 1) queries_kernel(
    const __grid_constant__ CUtensorMap K_map, const __grid_constant__ CUtensorMap Q_map,
    const __grid_constant__ CUtensorMap V_map, const __grid_constant__ CUtensorMap O_map,
    const __grid_constant__ CUtensorMap dO_map, const __grid_constant__ CUtensorMap WQ_map,
    const __grid_constant__ CUtensorMap Before_map, const __grid_constant__ CUtensorMap Sums_map,
    const __grid_constant__ CUtensorMap dX_map, const __grid_constant__ CUtensorMap dQ_map,
    const tk::tensor_argument<const float, 1> Alpha, const tk::tensor_argument<const float, 1> Beta,
    const tk::tensor_argument<float, 3> R, const tk::tensor_argument<float, 3> C,
    const tk::tensor_argument<float, 3> M, const tk::tensor_argument<float, 3> W,
    const tk::tensor_argument<float, 3> G, const tk::tensor_argument<float, 3> Places,
    const tk::tensor_argument<float, 3> ofAlpha, const tk::tensor_argument<float, 3> ofBeta, int B,
    int N, int H, float scale, float eps) {
    extern __shared__ __align__(1024) unsigned char memory[];
    queries_shared& shared = *reinterpret_cast<queries_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(K_map, Q_map, V_map, O_map, dO_map, WQ_map, Before_map, Sums_map,
                              dX_map, dQ_map);
        shared.ks.init(1, 8);
        shared.vs.init(1, 8);
        shared.states.init(1, 8);
        shared.fars.init(4, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // hedgehog_backward.tk:204: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int t_tiles = tk::tiles(N, 64);
        const int programs = t_tiles * H * B;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<1> ks_next, states_next, vs_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int t = program % t_tiles * 64;
                const int h = program / t_tiles % H;
                const int b = program / (t_tiles * H);

                // hedgehog_backward.tk:191: let first   = if PACKED { First[t.index] } else { ..
                const int first = t;

                // hedgehog_backward.tk:193: let before  = max(first - L, 0);
                const int before = tk::max(first - 64, 0);

                // hedgehog_backward.tk:215: produce ks {
                shared.ks.begin(ks_next, 49152);

                // hedgehog_backward.tk:216: last = tma_load(K[b, before +: L, h, :]); own = ..
                tk::tma_load(shared.ks_last[ks_next.stage], K_map, shared.ks.full[ks_next.stage], b,
                             before, h, 0);
                tk::tma_load(shared.ks_own[ks_next.stage], K_map, shared.ks.full[ks_next.stage], b,
                             t, h, 0);

                // hedgehog_backward.tk:217: q = tma_load(Q[b, t, h, :]);
                tk::tma_load(shared.ks_q[ks_next.stage], Q_map, shared.ks.full[ks_next.stage], b, t,
                             h, 0);
                // hedgehog_backward.tk:215
                ks_next.advance();

                // hedgehog_backward.tk:219: produce vs {
                shared.vs.begin(vs_next, 65536);

                // hedgehog_backward.tk:220: last = tma_load(V[b, before +: L, h, :]); own = ..
                tk::tma_load(shared.vs_last[vs_next.stage], V_map, shared.vs.full[vs_next.stage], b,
                             before, h, 0);
                tk::tma_load(shared.vs_own[vs_next.stage], V_map, shared.vs.full[vs_next.stage], b,
                             t, h, 0);

                // hedgehog_backward.tk:221: o = tma_load(O[b, t, h, :]); g = tma_load(dO[b, t, ..
                tk::tma_load(shared.vs_o[vs_next.stage], O_map, shared.vs.full[vs_next.stage], b, t,
                             h, 0);
                tk::tma_load(shared.vs_g[vs_next.stage], dO_map, shared.vs.full[vs_next.stage], b,
                             t, h, 0);
                // hedgehog_backward.tk:219
                vs_next.advance();

                // hedgehog_backward.tk:224: produce states {
                shared.states.begin(states_next, 49664);

                // hedgehog_backward.tk:225: w = tma_load(WQ[h, :, :]);
                tk::tma_load(shared.states_w[states_next.stage], WQ_map,
                             shared.states.full[states_next.stage], h, 0, 0);

                // hedgehog_backward.tk:226: p = tma_load(Before[b, t.index - 1, h * 2 * F +: F, ..
                tk::tma_load(shared.states_p[states_next.stage], Before_map,
                             shared.states.full[states_next.stage], b, t / 64 - 1, h * 2 * 64, 0);
                tk::tma_load(shared.states_n[states_next.stage], Before_map,
                             shared.states.full[states_next.stage], b, t / 64 - 1, h * 2 * 64 + 64,
                             0);

                // hedgehog_backward.tk:227: zp = tma_load(Sums[b, t.index - 1, h * 2 * F +: F]); ..
                tk::tma_load(shared.states_zp[states_next.stage], Sums_map,
                             shared.states.full[states_next.stage], b, t / 64 - 1, h * 2 * 64);
                tk::tma_load(shared.states_zn[states_next.stage], Sums_map,
                             shared.states.full[states_next.stage], b, t / 64 - 1, h * 2 * 64 + 64);
                // hedgehog_backward.tk:224
                states_next.advance();
            }
        }
    } else if (warp < 4) {
        // hedgehog_backward.tk:230: role far(1 warpgroup) {
        tk::registers_at_least<240>();
        const int t_tiles = tk::tiles(N, 64);
        const int programs = t_tiles * H * B;
        const int thread = tk::warpgroup_thread();
        tk::cursor<1> fars_next_2, ks_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int h = program / t_tiles % H;

            // hedgehog_backward.tk:231: let alpha = Alpha[h];
            const float alpha = tk::cell(Alpha, h);

            // hedgehog_backward.tk:232: let k = consume ks;
            const tk::cursor<1> k = shared.ks.take(ks_next);

            // hedgehog_backward.tk:233: let s = consume states;
            shared.states.wait_full(k);

            // hedgehog_backward.tk:234: let x = mma(k.q, s.w);
            tk::fragment<float, 64, 64> x;
            tk::mma_async(x, shared.ks_q[k.stage], shared.states_w[k.stage],
                          tk::accumulate_never{});

            // hedgehog_backward.tk:235: let v = consume vs;
            shared.vs.wait_full(k);

            // hedgehog_backward.tk:236: var f = mma(v.g, s.p.T);
            tk::fragment<float, 64, 64> f;
            tk::mma_async(f, shared.vs_g[k.stage], tk::transposed(shared.states_p[k.stage]),
                          tk::accumulate_never{});

            // hedgehog_backward.tk:237: let c = sum(f32(v.o) * f32(v.g), axis = 1);
            tk::fragment<tk::bf16, 64, 128> t1;
            tk::load_shared(t1, shared.vs_o[k.stage], thread);
            tk::fragment<tk::bf16, 64, 128> t3;
            tk::load_shared(t3, shared.vs_g[k.stage], thread);
            tk::fragment<float, 64, 128> t2;
            tk::map(t2, [](tk::bf16 t1, tk::bf16 t3) { return float(t1) * float(t3); }, t1, t3);
            tk::column_fragment<float, 64> c;
            tk::fold_rows(c, t2, tk::plus{}, thread);
            tk::finish_rows(c, tk::plus{});
            tk::mma_wait<1>(x);
            shared.ks.release(k);

            // hedgehog_backward.tk:27: let e = exp2((x - max(x, axis = 1)) * LOG2E);
            tk::column_fragment<float, 64> t4;
            tk::fold_rows(t4, x, tk::maximum{}, thread);
            tk::finish_rows(t4, tk::maximum{});
            tk::fragment<float, 64, 64> e;
            tk::map(e, [](float x, float t4) { return tk::exp2((x - t4) * 1.442695f); }, x, t4);

            // hedgehog_backward.tk:28: return e / sum(e, axis = 1);
            tk::column_fragment<float, 64> t5;
            tk::fold_rows(t5, e, tk::plus{}, thread);
            tk::finish_rows(t5, tk::plus{});

            // hedgehog_backward.tk:238: let p = distribution(x);
            tk::fragment<float, 64, 64> p;
            tk::map(p, [](float e, float t5) { return tk::divide(e, t5); }, e, t5);
            tk::mma_wait<0>(f);

            // hedgehog_backward.tk:239: f -= s.zp * c;
            tk::row_fragment<float, 64> t7;
            tk::load_shared(t7, shared.states_zp[k.stage], thread);
            tk::map(f, [](float f, float t7, float c) { return tk::fma(-t7, c, f); }, f, t7, c);

            // hedgehog_backward.tk:240: var z  = sum(feature(p) * s.zp, axis = 1);
            tk::row_fragment<float, 64> t9;
            tk::load_shared(t9, shared.states_zp[k.stage], thread);
            tk::fragment<float, 64, 64> t6;
            tk::map(t6, [](float p, float t9) { return tk::max(p, 1e-06f) * t9; }, p, t9);
            tk::column_fragment<float, 64> z;
            tk::fold_rows(z, t6, tk::plus{}, thread);
            tk::finish_rows(z, tk::plus{});

            // hedgehog_backward.tk:241: var da = sum(feature(p) * f, axis = 1);
            tk::fragment<float, 64, 64> t8;
            tk::map(t8, [](float p, float f) { return tk::max(p, 1e-06f) * f; }, p, f);
            tk::column_fragment<float, 64> da;
            tk::fold_rows(da, t8, tk::plus{}, thread);
            tk::finish_rows(da, tk::plus{});

            // hedgehog_backward.tk:35: let d = where(y >= 0.000001, df, 0) * y;
            tk::fragment<float, 64, 64> d;
            tk::map(d, [](float p, float f) { return (p >= 1e-06f ? f : 0.0f) * p; }, p, f);

            // hedgehog_backward.tk:36: return d - y * sum(d, axis = 1);
            tk::column_fragment<float, 64> t10;
            tk::fold_rows(t10, d, tk::plus{}, thread);
            tk::finish_rows(t10, tk::plus{});

            // hedgehog_backward.tk:242: var dx = through(p, f);
            tk::fragment<float, 64, 64> dx;
            tk::map(dx, [](float d, float p, float t10) { return tk::fma(-p, t10, d); }, d, p, t10);

            // hedgehog_backward.tk:243: f = mma(v.g, s.n.T);
            tk::mma_async(f, shared.vs_g[k.stage], tk::transposed(shared.states_n[k.stage]),
                          tk::accumulate_never{});
            // hedgehog_backward.tk:27
            tk::fragment<float, 64, 64> t11;
            tk::map(t11, [](float x) { return -x; }, x);
            tk::column_fragment<float, 64> t12;
            tk::fold_rows(t12, t11, tk::maximum{}, thread);
            tk::finish_rows(t12, tk::maximum{});
            tk::fragment<float, 64, 64> e_2;
            tk::map(e_2, [](float t11, float t12) { return tk::exp2((t11 - t12) * 1.442695f); },
                    t11, t12);
            // hedgehog_backward.tk:28
            tk::column_fragment<float, 64> t13;
            tk::fold_rows(t13, e_2, tk::plus{}, thread);
            tk::finish_rows(t13, tk::plus{});

            // hedgehog_backward.tk:244: let n = distribution(-x);
            tk::fragment<float, 64, 64> n;
            tk::map(n, [](float e_2, float t13) { return tk::divide(e_2, t13); }, e_2, t13);
            tk::mma_wait<0>(f);
            shared.vs.release_after_loads(k);

            // hedgehog_backward.tk:245: f -= s.zn * c;
            tk::row_fragment<float, 64> t20;
            tk::load_shared(t20, shared.states_zn[k.stage], thread);
            tk::map(f, [](float f, float t20, float c) { return tk::fma(-t20, c, f); }, f, t20, c);

            // hedgehog_backward.tk:246: z  += sum(feature(n) * s.zn, axis = 1);
            tk::row_fragment<float, 64> t21;
            tk::load_shared(t21, shared.states_zn[k.stage], thread);
            shared.states.release_after_loads(k);
            tk::fragment<float, 64, 64> t14;
            tk::map(t14, [](float n, float t21) { return tk::max(n, 1e-06f) * t21; }, n, t21);
            tk::column_fragment<float, 64> t15;
            tk::fold_rows(t15, t14, tk::plus{}, thread);
            tk::finish_rows(t15, tk::plus{});
            tk::map(z, [](float z, float t15) { return z + t15; }, z, t15);

            // hedgehog_backward.tk:247: da += sum(feature(n) * f, axis = 1);
            tk::fragment<float, 64, 64> t16;
            tk::map(t16, [](float n, float f) { return tk::max(n, 1e-06f) * f; }, n, f);
            tk::column_fragment<float, 64> t17;
            tk::fold_rows(t17, t16, tk::plus{}, thread);
            tk::finish_rows(t17, tk::plus{});
            tk::map(da, [](float da, float t17) { return da + t17; }, da, t17);
            // hedgehog_backward.tk:35
            tk::fragment<float, 64, 64> d_2;
            tk::map(d_2, [](float n, float f) { return (n >= 1e-06f ? f : 0.0f) * n; }, n, f);
            // hedgehog_backward.tk:36
            tk::column_fragment<float, 64> t18;
            tk::fold_rows(t18, d_2, tk::plus{}, thread);
            tk::finish_rows(t18, tk::plus{});

            // hedgehog_backward.tk:248: dx -= through(n, f);
            tk::map(dx, [](float dx, float d_2, float n, float t18) {
                return dx - tk::fma(-n, t18, d_2);
            }, dx, d_2, n, t18);

            // hedgehog_backward.tk:254: produce fars { x = T(dx * (alpha / (abs(alpha) * z + ..
            tk::column_fragment<float, 64> t0;
            tk::map(t0, [&](float z) {
                return tk::divide(alpha, tk::fma(tk::abs(alpha), z, 1.0f));
            }, z);
            tk::fragment<tk::bf16, 64, 64> t19;
            tk::map(t19, [](float dx, float t0) { return dx * t0; }, dx, t0);
            shared.fars.wait_empty(fars_next_2);
            tk::store_shared(shared.fars_x[fars_next_2.stage], t19, thread);
            tk::store_shared(shared.fars_z[fars_next_2.stage], z, thread);
            tk::store_shared(shared.fars_da[fars_next_2.stage], da, thread);
            shared.fars.publish(fars_next_2, tk::ordinary_alone{});
            fars_next_2.advance();
        }
    } else {
        // hedgehog_backward.tk:256: role near(1 warpgroup) {
        tk::registers_at_least<240>();
        const int t_tiles = tk::tiles(N, 64);
        const int programs = t_tiles * H * B;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<1> ks_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int t = program % t_tiles * 64;
            const int h = program / t_tiles % H;
            const int b = program / (t_tiles * H);

            // hedgehog_backward.tk:191: let first   = if PACKED { First[t.index] } else { ..
            const int first = t;

            // hedgehog_backward.tk:192: let tokens  = if PACKED { Tokens[t.index] } else { N - ..
            const int tokens = N - t;

            // hedgehog_backward.tk:193: let before  = max(first - L, 0);
            const int before = tk::max(first - 64, 0);

            // hedgehog_backward.tk:194: let follows = if PACKED { first - First[max(t.index - 1, ..
            const bool follows = t > 0;

            // hedgehog_backward.tk:257: let alpha = Alpha[h];
            const float alpha = tk::cell(Alpha, h);

            // hedgehog_backward.tk:258: let beta  = Beta[h];
            const float beta = tk::cell(Beta, h);

            // hedgehog_backward.tk:259: let k  = consume ks;
            const tk::cursor<1> k = shared.ks.take(ks_next);

            // hedgehog_backward.tk:260: let s0 = mma(k.q, k.last.T);
            tk::fragment<float, 64, 64> s0;
            tk::mma_async(s0, shared.ks_q[k.stage], tk::transposed(shared.ks_last[k.stage]),
                          tk::accumulate_never{});

            // hedgehog_backward.tk:261: let s1 = mma(k.q, k.own.T);
            tk::fragment<float, 64, 64> s1;
            tk::mma_async(s1, shared.ks_q[k.stage], tk::transposed(shared.ks_own[k.stage]),
                          tk::accumulate_never{});
            tk::mma_wait<1>(s0);

            // hedgehog_backward.tk:262: let y0 = where(follows and col_index(s0) < N - before, ..
            tk::fragment<float, 64, 64> y0;
            tk::map(y0, thread, [&](int, int col, float s0) {
                return follows && col < N - before ? s0 : -INFINITY;
            }, s0);
            tk::mma_wait<0>(s1);

            // hedgehog_backward.tk:263: let y1 = where(col_index(s1) <= row_index(s1) and ..
            tk::fragment<float, 64, 64> y1;
            tk::map(y1, thread, [&](int row, int col, float s1) {
                return col <= row && col < tokens ? s1 : -INFINITY;
            }, s1);

            // hedgehog_backward.tk:264: let m0 = max(y0, axis = 1);
            tk::column_fragment<float, 64> m0;
            tk::fold_rows(m0, y0, tk::maximum{}, thread);
            tk::finish_rows(m0, tk::maximum{});

            // hedgehog_backward.tk:265: let m1 = max(y1, axis = 1);
            tk::column_fragment<float, 64> m1;
            tk::fold_rows(m1, y1, tk::maximum{}, thread);
            tk::finish_rows(m1, tk::maximum{});

            // hedgehog_backward.tk:266: let most = max(m0, m1);
            tk::column_fragment<float, 64> most;
            tk::map(most, [](float m0, float m1) { return tk::max(m0, m1); }, m0, m1);

            // hedgehog_backward.tk:267: let at = where(m0 >= m1, argmax(y0, axis = 1), L + ..
            tk::column_fragment<int, 64> t4;
            tk::locate_in_rows(t4, y0, tk::maximum{}, thread);
            tk::column_fragment<int, 64> t5;
            tk::locate_in_rows(t5, y1, tk::maximum{}, thread);
            tk::column_fragment<int, 64> at;
            tk::map(at, [](float m0, float m1, int t4, int t5) {
                return m0 >= m1 ? t4 : tk::wrapping_add(64, t5);
            }, m0, m1, t4, t5);

            // hedgehog_backward.tk:268: let e0 = exp2((y0 - most) * (scale * LOG2E));
            tk::fragment<float, 64, 64> e0;
            tk::map(e0, [&](float y0, float most) {
                return tk::exp2((y0 - most) * (scale * 1.442695f));
            }, y0, most);

            // hedgehog_backward.tk:269: let e1 = exp2((y1 - most) * (scale * LOG2E));
            tk::fragment<float, 64, 64> e1;
            tk::map(e1, [&](float y1, float most) {
                return tk::exp2((y1 - most) * (scale * 1.442695f));
            }, y1, most);

            // hedgehog_backward.tk:270: let v  = consume vs;
            shared.vs.wait_full(k);

            // hedgehog_backward.tk:271: var d0 = mma(v.g, v.last.T);
            tk::fragment<float, 64, 64> d0;
            tk::mma_async(d0, shared.vs_g[k.stage], tk::transposed(shared.vs_last[k.stage]),
                          tk::accumulate_never{});

            // hedgehog_backward.tk:272: let near = sum(e0, axis = 1) + sum(e1, axis = 1);
            tk::column_fragment<float, 64> t7;
            tk::fold_rows(t7, e0, tk::plus{}, thread);
            tk::finish_rows(t7, tk::plus{});
            tk::column_fragment<float, 64> t8;
            tk::fold_rows(t8, e1, tk::plus{}, thread);
            tk::finish_rows(t8, tk::plus{});
            tk::column_fragment<float, 64> near_2;
            tk::map(near_2, [](float t7, float t8) { return t7 + t8; }, t7, t8);

            // hedgehog_backward.tk:273: let c = sum(f32(v.o) * f32(v.g), axis = 1);
            tk::fragment<tk::bf16, 64, 128> t2;
            tk::load_shared(t2, shared.vs_o[k.stage], thread);
            tk::fragment<tk::bf16, 64, 128> t3;
            tk::load_shared(t3, shared.vs_g[k.stage], thread);
            tk::fragment<float, 64, 128> t9;
            tk::map(t9, [](tk::bf16 t2, tk::bf16 t3) { return float(t2) * float(t3); }, t2, t3);
            tk::column_fragment<float, 64> c;
            tk::fold_rows(c, t9, tk::plus{}, thread);
            tk::finish_rows(c, tk::plus{});
            tk::mma_wait<0>(d0);

            // hedgehog_backward.tk:274: d0 = (d0 - c) * e0;
            tk::map(d0, [](float d0, float c, float e0) { return (d0 - c) * e0; }, d0, c, e0);

            // hedgehog_backward.tk:275: var d1 = mma(v.g, v.own.T);
            tk::fragment<float, 64, 64> d1;
            tk::mma_async(d1, shared.vs_g[k.stage], tk::transposed(shared.vs_own[k.stage]),
                          tk::accumulate_never{});
            tk::mma_wait<0>(d1);
            shared.vs.release_after_loads(k);

            // hedgehog_backward.tk:276: d1 = (d1 - c) * e1;
            tk::map(d1, [](float d1, float c, float e1) { return (d1 - c) * e1; }, d1, c, e1);

            // hedgehog_backward.tk:277: let db = sum(d0, axis = 1) + sum(d1, axis = 1);
            tk::column_fragment<float, 64> t12;
            tk::fold_rows(t12, d0, tk::plus{}, thread);
            tk::finish_rows(t12, tk::plus{});
            tk::column_fragment<float, 64> t13;
            tk::fold_rows(t13, d1, tk::plus{}, thread);
            tk::finish_rows(t13, tk::plus{});
            tk::column_fragment<float, 64> db;
            tk::map(db, [](float t12, float t13) { return t12 + t13; }, t12, t13);

            // hedgehog_backward.tk:278: var u = mma(T(where(col_index(d0) == at, d0 - db, d0)), ..
            tk::fragment<tk::bf16, 64, 64> t14;
            tk::map(t14, thread, [](int, int col, int at, float d0, float db) {
                return col == at ? d0 - db : d0;
            }, at, d0, db);
            tk::fragment<float, 64, 128> u;
            tk::mma_async(u, t14, shared.ks_last[k.stage], tk::accumulate_never{});

            // hedgehog_backward.tk:279: u += mma(T(own_columns<PACKED>(where(L + col_index(d1) ..
            tk::fragment<tk::bf16, 64, 64> t16;
            tk::map(t16, thread, [](int, int col, int at, float d1, float db) {
                return 64 + col == at ? d1 - db : d1;
            }, at, d1, db);
            tk::mma_async(u, t16, shared.ks_own[k.stage]);

            // hedgehog_backward.tk:280: let s = consume states;
            shared.states.wait_full(k);

            // hedgehog_backward.tk:281: let f = consume fars;
            shared.fars.wait_full(k);

            // hedgehog_backward.tk:282: let r = 1 / (beta * near + alpha * f.z + eps);
            tk::column_fragment<float, 64> t6;
            tk::map(t6, thread, [&](int row, int) {
                return tk::get(shared.fars_z[k.stage], row, 0);
            });
            tk::column_fragment<float, 64> r;
            tk::map(r, [&](float near_2, float t6) {
                return tk::divide(1.0f, tk::fma(beta, near_2, alpha * t6) + eps);
            }, near_2, t6);

            // hedgehog_backward.tk:283: let z = T(f.x * (r * (abs(alpha) * f.z + 1)));
            tk::column_fragment<float, 64> t10;
            tk::map(t10, thread, [&](int row, int) {
                return tk::get(shared.fars_z[k.stage], row, 0);
            });
            tk::column_fragment<float, 64> t0;
            tk::map(t0, [&](float r, float t10) { return r * tk::fma(tk::abs(alpha), t10, 1.0f); },
                    r, t10);
            tk::fragment<tk::bf16, 64, 64> t11;
            tk::load_shared(t11, shared.fars_x[k.stage], thread);
            tk::fragment<tk::bf16, 64, 64> z;
            tk::map(z, [](tk::bf16 t11, float t0) { return float(t11) * t0; }, t11, t0);

            // hedgehog_backward.tk:284: let off = (beta * db + alpha * f.da - eps * c) * r;
            tk::column_fragment<float, 64> t15;
            tk::map(t15, thread, [&](int row, int) {
                return tk::get(shared.fars_da[k.stage], row, 0);
            });
            tk::column_fragment<float, 64> off;
            tk::map(off, [&](float db, float t15, float c, float r) {
                return tk::fma(-eps, c, tk::fma(beta, db, alpha * t15)) * r;
            }, db, t15, c, r);

            // hedgehog_backward.tk:285: u *= r * (beta * scale);
            tk::column_fragment<float, 64> t1;
            tk::map(t1, [&](float r) { return r * (beta * scale); }, r);
            tk::mma_wait<0>(u, t14, t16);
            shared.ks.release(k);
            tk::map(u, [](float u, float t1) { return u * t1; }, u, t1);

            // hedgehog_backward.tk:286: u += mma(z, s.w.T);
            tk::mma_async(u, z, tk::transposed(shared.states_w[k.stage]));
            tk::mma_wait<0>(u, z);
            shared.states.release(k);

            // hedgehog_backward.tk:287: if PACKED { store(dXt[0 +: L, h, :], z); } else { ..
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                tk::store_shared(shared.near_dX[0], z, thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if (leader) tk::tma_store(dX_map, shared.near_dX[0], b, t, h, panel);
            }

            // hedgehog_backward.tk:288: if PACKED { store(dQt[0 +: L, h, :], T(u)); } else { ..
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                tk::store_shared(shared.near_dQ[panel / 64 % 2],
                                 tk::convert<tk::bf16>(tk::window<64, 64>(u, 0, panel)), thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if (leader) tk::tma_store(dQ_map, shared.near_dQ[panel / 64 % 2], b, t, h, panel);
            }

            // hedgehog_backward.tk:289: store(R[b, h, t.start +: L], r);
            tk::store_global(
                tk::slice<2, tk::no_axis>(R, {b, h, t}, tk::divide_up(N, 64) * 64 - t, 1), r,
                thread);

            // hedgehog_backward.tk:290: store(C[b, h, t.start +: L], c);
            tk::store_global(
                tk::slice<2, tk::no_axis>(C, {b, h, t}, tk::divide_up(N, 64) * 64 - t, 1), c,
                thread);

            // hedgehog_backward.tk:291: store(M[b, h, t.start +: L], most * (scale * LOG2E));
            tk::column_fragment<float, 64> t18;
            tk::map(t18, [&](float most) { return most * (scale * 1.442695f); }, most);
            tk::store_global(
                tk::slice<2, tk::no_axis>(M, {b, h, t}, tk::divide_up(N, 64) * 64 - t, 1), t18,
                thread);

            // hedgehog_backward.tk:292: store(W[b, h, t.start +: L], beta * r);
            tk::column_fragment<float, 64> t19;
            tk::map(t19, [&](float r) { return beta * r; }, r);
            tk::store_global(
                tk::slice<2, tk::no_axis>(W, {b, h, t}, tk::divide_up(N, 64) * 64 - t, 1), t19,
                thread);

            // hedgehog_backward.tk:293: store(G[b, h, t.start +: L], db * r * (beta * scale));
            tk::column_fragment<float, 64> t20;
            tk::map(t20, [&](float db, float r) { return db * r * (beta * scale); }, db, r);
            tk::store_global(
                tk::slice<2, tk::no_axis>(G, {b, h, t}, tk::divide_up(N, 64) * 64 - t, 1), t20,
                thread);

            // hedgehog_backward.tk:294: store(Places[b, h, t.start +: L], f32(at));
            tk::column_fragment<float, 64> t21;
            tk::map(t21, [](int at) { return float(at); }, at);
            tk::store_global(
                tk::slice<2, tk::no_axis>(Places, {b, h, t}, tk::divide_up(N, 64) * 64 - t, 1), t21,
                thread);

            // hedgehog_backward.tk:297: store(ofAlpha[b, t.index, h], scalar(sum(if PACKED { ..
            tk::column_fragment<float, 64> t28;
            tk::map(t28, thread, [&](int row, int) {
                return tk::get(shared.fars_z[k.stage], row, 0);
            });
            tk::column_fragment<float, 64> t29;
            tk::map(t29, thread, [&](int row, int) {
                return tk::get(shared.fars_da[k.stage], row, 0);
            });
            shared.fars.release_after_loads(k, tk::ordinary_alone{});
            tk::column_fragment<float, 64> t22;
            tk::map(t22, thread, [&](int row, int, float off, float t28, float t29, float r) {
                return row < N - t ? tk::fma(-off, t28, t29) * r : 0.0f;
            }, off, t28, t29, r);
            tk::row_fragment<float, 1> t23;
            tk::reduce_columns(t23, t22, shared.near_f32_rows_1[0], tk::plus{}, thread, 2);
            const float number = t23.cell(0);
            tk::row_fragment<float, 1> t24;
            tk::fill(t24, number);
            tk::store_global(
                tk::slice<tk::no_axis, 2>(ofAlpha, {b, t / 64, h}, 1,
                                          t / 64 < tk::divide_up(N, 64) ? H - h : 0), t24, thread);

            // hedgehog_backward.tk:298: store(ofBeta[b, t.index, h], scalar(sum(if PACKED { ..
            tk::column_fragment<float, 64> t25;
            tk::map(t25, thread, [&](int row, int, float off, float near_2, float db, float r) {
                return row < N - t ? tk::fma(-off, near_2, db) * r : 0.0f;
            }, off, near_2, db, r);
            tk::row_fragment<float, 1> t26;
            tk::reduce_columns(t26, t25, shared.near_f32_rows_1[0], tk::plus{}, thread, 2);
            const float number_2 = t26.cell(0);
            tk::row_fragment<float, 1> t27;
            tk::fill(t27, number_2);
            tk::store_global(
                tk::slice<tk::no_axis, 2>(ofBeta, {b, t / 64, h}, 1,
                                          t / 64 < tk::divide_up(N, 64) ? H - h : 0), t27, thread);
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

// keys: kernel keys with T = bf16, D = 128, DV = 128, F = 64, PACKED = false, STATES = false, L =
// 64.
// producer: 1 warp, 24 registers a thread; keys: 1 warpgroup, 240 registers a thread; values: 1
// warpgroup, 240 registers a thread.
// 384 threads, 168 registers each at first, 192624 bytes of shared memory; persistent.
struct keys_shared {
    tk::shared_tile<tk::bf16, 64, 128> ks_tile[1];
    tk::shared_tile<tk::bf16, 64, 128> vs_tile[1];
    tk::shared_tile<tk::bf16, 64, 128> qs_own[1];
    tk::shared_tile<tk::bf16, 64, 128> qs_next[1];
    tk::shared_tile<tk::bf16, 64, 128> os_own[1];
    tk::shared_tile<tk::bf16, 64, 128> os_next[1];
    tk::shared_tile<float, 1, 64> rows_m[1];
    tk::shared_tile<float, 1, 64> rows_w[1];
    tk::shared_tile<float, 1, 64> rows_c[1];
    tk::shared_tile<float, 1, 64> rows_g[1];
    tk::shared_tile<float, 1, 64> rows_p[1];
    tk::shared_tile<float, 1, 64> nexts_m[1];
    tk::shared_tile<float, 1, 64> nexts_w[1];
    tk::shared_tile<float, 1, 64> nexts_c[1];
    tk::shared_tile<float, 1, 64> nexts_g[1];
    tk::shared_tile<float, 1, 64> nexts_p[1];
    tk::shared_tile<tk::bf16, 64, 128> states_p[1];
    tk::shared_tile<tk::bf16, 64, 128> states_n[1];
    tk::shared_tile<float, 1, 64> states_zp[1];
    tk::shared_tile<float, 1, 64> states_zn[1];
    tk::shared_tile<tk::bf16, 128, 64> states_w[1];
    tk::shared_tile<tk::bf16, 64, 64> keys_dX[1];
    tk::shared_tile<tk::bf16, 64, 64> keys_dK[2];
    tk::shared_tile<tk::bf16, 64, 64> values_dV[2];
    tk::pipeline<1> ks;
    tk::pipeline<1> vs;
    tk::pipeline<1> qs;
    tk::pipeline<1> os;
    tk::pipeline<1> rows;
    tk::pipeline<1> nexts;
    tk::pipeline<1> states;
};
static_assert(offsetof(keys_shared, states) == 192608);

__global__ void __launch_bounds__(384, 1) keys_kernel(
    const __grid_constant__ CUtensorMap K_map, const __grid_constant__ CUtensorMap Q_map,
    const __grid_constant__ CUtensorMap V_map, const __grid_constant__ CUtensorMap dO_map,
    const __grid_constant__ CUtensorMap M_map_, const __grid_constant__ CUtensorMap W_map,
    const __grid_constant__ CUtensorMap C_map, const __grid_constant__ CUtensorMap G_map,
    const __grid_constant__ CUtensorMap Places_map, const __grid_constant__ CUtensorMap WK_map,
    const __grid_constant__ CUtensorMap Behind_map, const __grid_constant__ CUtensorMap Sums_map,
    const __grid_constant__ CUtensorMap dX_map, const __grid_constant__ CUtensorMap dK_map,
    const __grid_constant__ CUtensorMap dV_map, const tk::tensor_argument<const float, 1> Alpha,
    int B, int N, int H, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    keys_shared& shared = *reinterpret_cast<keys_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(K_map, Q_map, V_map, dO_map, M_map_, W_map, C_map, G_map, Places_map,
                              WK_map, Behind_map, Sums_map, dX_map, dK_map, dV_map);
        shared.ks.init(1, 8);
        shared.vs.init(1, 4);
        shared.qs.init(1, 8);
        shared.os.init(1, 8);
        shared.rows.init(1, 8);
        shared.nexts.init(1, 8);
        shared.states.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // hedgehog_backward.tk:332: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int t_tiles = tk::tiles(N, 64);
        const int programs = t_tiles * H * B;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<1> ks_next, nexts_next, os_next, qs_next, rows_next, states_next, vs_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int t = program % t_tiles * 64;
                const int h = program / t_tiles % H;
                const int b = program / (t_tiles * H);

                // hedgehog_backward.tk:315: let later = min(t.start + L, (ceil_div(N, L) - 1) * L);
                const int later = tk::min(t + 64, (tk::divide_up(N, 64) - 1) * 64);

                // hedgehog_backward.tk:316: let row   = if PACKED { place * L } else { later };
                const int row = later;

                // hedgehog_backward.tk:339: produce ks = tma_load(K[b, t, h, :]);
                shared.ks.begin(ks_next, 16384);
                tk::tma_load(shared.ks_tile[ks_next.stage], K_map, shared.ks.full[ks_next.stage], b,
                             t, h, 0);
                ks_next.advance();

                // hedgehog_backward.tk:340: produce qs { own = tma_load(Q[b, t, h, :]); next = ..
                shared.qs.begin(qs_next, 32768);
                tk::tma_load(shared.qs_own[qs_next.stage], Q_map, shared.qs.full[qs_next.stage], b,
                             t, h, 0);
                tk::tma_load(shared.qs_next[qs_next.stage], Q_map, shared.qs.full[qs_next.stage], b,
                             later, h, 0);
                qs_next.advance();

                // hedgehog_backward.tk:341: produce vs = tma_load(V[b, t, h, :]);
                shared.vs.begin(vs_next, 16384);
                tk::tma_load(shared.vs_tile[vs_next.stage], V_map, shared.vs.full[vs_next.stage], b,
                             t, h, 0);
                vs_next.advance();

                // hedgehog_backward.tk:342: produce os { own = tma_load(dO[b, t, h, :]); next = ..
                shared.os.begin(os_next, 32768);
                tk::tma_load(shared.os_own[os_next.stage], dO_map, shared.os.full[os_next.stage], b,
                             t, h, 0);
                tk::tma_load(shared.os_next[os_next.stage], dO_map, shared.os.full[os_next.stage],
                             b, later, h, 0);
                os_next.advance();

                // hedgehog_backward.tk:344: produce rows {
                shared.rows.begin(rows_next, 1280);

                // hedgehog_backward.tk:345: m = tma_load(M[b, h, t.start +: L]); w = ..
                tk::tma_load(shared.rows_m[rows_next.stage], M_map_,
                             shared.rows.full[rows_next.stage], b, h, t);
                tk::tma_load(shared.rows_w[rows_next.stage], W_map,
                             shared.rows.full[rows_next.stage], b, h, t);
                tk::tma_load(shared.rows_c[rows_next.stage], C_map,
                             shared.rows.full[rows_next.stage], b, h, t);

                // hedgehog_backward.tk:346: g = tma_load(G[b, h, t.start +: L]); p = ..
                tk::tma_load(shared.rows_g[rows_next.stage], G_map,
                             shared.rows.full[rows_next.stage], b, h, t);
                tk::tma_load(shared.rows_p[rows_next.stage], Places_map,
                             shared.rows.full[rows_next.stage], b, h, t);
                // hedgehog_backward.tk:344
                rows_next.advance();

                // hedgehog_backward.tk:348: produce nexts {
                shared.nexts.begin(nexts_next, 1280);

                // hedgehog_backward.tk:349: m = tma_load(M[b, h, row +: L]); w = tma_load(W[b, ..
                tk::tma_load(shared.nexts_m[nexts_next.stage], M_map_,
                             shared.nexts.full[nexts_next.stage], b, h, row);
                tk::tma_load(shared.nexts_w[nexts_next.stage], W_map,
                             shared.nexts.full[nexts_next.stage], b, h, row);
                tk::tma_load(shared.nexts_c[nexts_next.stage], C_map,
                             shared.nexts.full[nexts_next.stage], b, h, row);

                // hedgehog_backward.tk:350: g = tma_load(G[b, h, row +: L]); p = ..
                tk::tma_load(shared.nexts_g[nexts_next.stage], G_map,
                             shared.nexts.full[nexts_next.stage], b, h, row);
                tk::tma_load(shared.nexts_p[nexts_next.stage], Places_map,
                             shared.nexts.full[nexts_next.stage], b, h, row);
                // hedgehog_backward.tk:348
                nexts_next.advance();

                // hedgehog_backward.tk:352: produce states {
                shared.states.begin(states_next, 49664);

                // hedgehog_backward.tk:353: w = tma_load(WK[h, :, :]);
                tk::tma_load(shared.states_w[states_next.stage], WK_map,
                             shared.states.full[states_next.stage], h, 0, 0);

                // hedgehog_backward.tk:354: p = tma_load(Behind[b, t.index + 1, h * 2 * F +: F, ..
                tk::tma_load(shared.states_p[states_next.stage], Behind_map,
                             shared.states.full[states_next.stage], b, t / 64 + 1, h * 2 * 64, 0);
                tk::tma_load(shared.states_n[states_next.stage], Behind_map,
                             shared.states.full[states_next.stage], b, t / 64 + 1, h * 2 * 64 + 64,
                             0);

                // hedgehog_backward.tk:355: zp = tma_load(Sums[b, t.index + 1, h * 2 * F +: F]); ..
                tk::tma_load(shared.states_zp[states_next.stage], Sums_map,
                             shared.states.full[states_next.stage], b, t / 64 + 1, h * 2 * 64);
                tk::tma_load(shared.states_zn[states_next.stage], Sums_map,
                             shared.states.full[states_next.stage], b, t / 64 + 1, h * 2 * 64 + 64);
                // hedgehog_backward.tk:352
                states_next.advance();
            }
        }
    } else if (warp < 4) {
        // hedgehog_backward.tk:358: role keys(1 warpgroup) {
        tk::registers_at_least<240>();
        const int t_tiles = tk::tiles(N, 64);
        const int programs = t_tiles * H * B;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<1> ks_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int t = program % t_tiles * 64;
            const int h = program / t_tiles % H;
            const int b = program / (t_tiles * H);

            // hedgehog_backward.tk:312: let tokens = if PACKED { Tokens[t.index] } else { N - ..
            const int tokens = N - t;

            // hedgehog_backward.tk:314: let coming = if PACKED { Tokens[place] * (tokens // L) } ..
            const int coming = N - t - 64;

            // hedgehog_backward.tk:315: let later = min(t.start + L, (ceil_div(N, L) - 1) * L);
            const int later = tk::min(t + 64, (tk::divide_up(N, 64) - 1) * 64);

            // hedgehog_backward.tk:359: let alpha = (if STATES { 1.0 } else { Alpha[h] }) * (if ..
            const float alpha = tk::cell(Alpha, h) * 1.0f;

            // hedgehog_backward.tk:360: let k = consume ks;
            const tk::cursor<1> k_element = shared.ks.take(ks_next);

            // hedgehog_backward.tk:361: let q = consume qs;
            shared.qs.wait_full(k_element);

            // hedgehog_backward.tk:362: var a = mma(k, q.own.T);
            tk::fragment<float, 64, 64> a;
            tk::mma_async(a, shared.ks_tile[k_element.stage],
                          tk::transposed(shared.qs_own[k_element.stage]), tk::accumulate_never{});

            // hedgehog_backward.tk:363: let v = consume vs;
            shared.vs.wait_full(k_element);

            // hedgehog_backward.tk:364: let o = consume os;
            shared.os.wait_full(k_element);

            // hedgehog_backward.tk:365: var d = mma(v, o.own.T);
            tk::fragment<float, 64, 64> d;
            tk::mma_async(d, shared.vs_tile[k_element.stage],
                          tk::transposed(shared.os_own[k_element.stage]), tk::accumulate_never{});

            // hedgehog_backward.tk:366: let i = consume rows;
            shared.rows.wait_full(k_element);
            tk::mma_wait<1>(a);

            // hedgehog_backward.tk:367: a = exp2(a * (scale * LOG2E) - i.m) * i.w;
            tk::row_fragment<float, 64> t0;
            tk::load_shared(t0, shared.rows_m[k_element.stage], thread);
            tk::row_fragment<float, 64> t1;
            tk::load_shared(t1, shared.rows_w[k_element.stage], thread);
            tk::map(a, [&](float a, float t0, float t1) {
                return tk::exp2(tk::fma(a, scale * 1.442695f, -t0)) * t1;
            }, a, t0, t1);
            tk::mma_wait<0>(d);

            // hedgehog_backward.tk:368: a = a * (d - i.c) * scale;
            tk::row_fragment<float, 64> t3;
            tk::load_shared(t3, shared.rows_c[k_element.stage], thread);
            tk::map(a, [&](float a, float d, float t3) { return a * (d - t3) * scale; }, a, d, t3);

            // hedgehog_backward.tk:369: a = where(i.p == f32(L + row_index(a)), a - i.g, a);
            tk::row_fragment<float, 64> t5;
            tk::load_shared(t5, shared.rows_p[k_element.stage], thread);
            tk::row_fragment<float, 64> t14;
            tk::load_shared(t14, shared.rows_g[k_element.stage], thread);
            shared.rows.release_after_loads(k_element);
            tk::map(a, thread, [](int row_2, int, float t5, float a, float t14) {
                return t5 == float(64 + row_2) ? a - t14 : a;
            }, t5, a, t14);

            // hedgehog_backward.tk:370: var u = mma(T(where(col_index(a) >= row_index(a) and ..
            tk::fragment<tk::bf16, 64, 64> t2;
            tk::map(t2, thread, [&](int row_2, int col, float a) {
                return col >= row_2 && col < tokens ? a : 0.0f;
            }, a);
            tk::fragment<float, 64, 128> u;
            tk::mma_async(u, t2, shared.qs_own[k_element.stage], tk::accumulate_never{});

            // hedgehog_backward.tk:371: a = mma(k, q.next.T);
            tk::mma_async(a, shared.ks_tile[k_element.stage],
                          tk::transposed(shared.qs_next[k_element.stage]), tk::accumulate_never{});

            // hedgehog_backward.tk:372: d = mma(v, o.next.T);
            tk::mma_async(d, shared.vs_tile[k_element.stage],
                          tk::transposed(shared.os_next[k_element.stage]), tk::accumulate_never{});

            // hedgehog_backward.tk:373: let j = consume nexts;
            shared.nexts.wait_full(k_element);
            tk::mma_wait<1>(u, a, t2);

            // hedgehog_backward.tk:374: a = exp2(a * (scale * LOG2E) - j.m) * j.w;
            tk::row_fragment<float, 64> t15;
            tk::load_shared(t15, shared.nexts_m[k_element.stage], thread);
            tk::row_fragment<float, 64> t16;
            tk::load_shared(t16, shared.nexts_w[k_element.stage], thread);
            tk::map(a, [&](float a, float t15, float t16) {
                return tk::exp2(tk::fma(a, scale * 1.442695f, -t15)) * t16;
            }, a, t15, t16);
            tk::mma_wait<0>(d);
            shared.os.release(k_element);

            // hedgehog_backward.tk:375: a = a * (d - j.c) * scale;
            tk::row_fragment<float, 64> t17;
            tk::load_shared(t17, shared.nexts_c[k_element.stage], thread);
            tk::map(a, [&](float a, float d, float t17) { return a * (d - t17) * scale; },
                    a, d, t17);

            // hedgehog_backward.tk:376: a = where(j.p == f32(row_index(a)), a - j.g, a);
            tk::row_fragment<float, 64> t18;
            tk::load_shared(t18, shared.nexts_p[k_element.stage], thread);
            tk::row_fragment<float, 64> t19;
            tk::load_shared(t19, shared.nexts_g[k_element.stage], thread);
            shared.nexts.release_after_loads(k_element);
            tk::map(a, thread, [](int row_2, int, float t18, float a, float t19) {
                return t18 == float(row_2) ? a - t19 : a;
            }, t18, a, t19);

            // hedgehog_backward.tk:377: u += mma(T(where(coming > 0 and col_index(a) < (if ..
            tk::fragment<tk::bf16, 64, 64> t4;
            tk::map(t4, thread, [&](int, int col, float a) {
                return coming > 0 && col < N - later ? a : 0.0f;
            }, a);
            tk::mma_async(u, t4, shared.qs_next[k_element.stage]);

            // hedgehog_backward.tk:378: let s = consume states;
            shared.states.wait_full(k_element);

            // hedgehog_backward.tk:379: let x = mma(k, s.w);
            tk::fragment<float, 64, 64> x;
            tk::mma_async(x, shared.ks_tile[k_element.stage], shared.states_w[k_element.stage],
                          tk::accumulate_never{});

            // hedgehog_backward.tk:380: d = mma(v, s.p.T);
            tk::mma_async(d, shared.vs_tile[k_element.stage],
                          tk::transposed(shared.states_p[k_element.stage]), tk::accumulate_never{});
            tk::mma_wait<0>(u, x, d, t4);
            shared.qs.release(k_element);
            shared.ks.release(k_element);

            // hedgehog_backward.tk:381: d -= s.zp;
            tk::row_fragment<float, 64> t20;
            tk::load_shared(t20, shared.states_zp[k_element.stage], thread);
            tk::map(d, [](float d, float t20) { return d - t20; }, d, t20);

            // hedgehog_backward.tk:27: let e = exp2((x - max(x, axis = 1)) * LOG2E);
            tk::column_fragment<float, 64> t6;
            tk::fold_rows(t6, x, tk::maximum{}, thread);
            tk::finish_rows(t6, tk::maximum{});
            tk::fragment<float, 64, 64> e;
            tk::map(e, [](float x, float t6) { return tk::exp2((x - t6) * 1.442695f); }, x, t6);

            // hedgehog_backward.tk:28: return e / sum(e, axis = 1);
            tk::column_fragment<float, 64> t7;
            tk::fold_rows(t7, e, tk::plus{}, thread);
            tk::finish_rows(t7, tk::plus{});

            // hedgehog_backward.tk:35: let d = where(y >= 0.000001, df, 0) * y;
            tk::fragment<float, 64, 64> d_2;
            tk::map(d_2, [](float e, float t7, float d) {
                const float x_2 = tk::divide(e, t7);
                return (x_2 >= 1e-06f ? d : 0.0f) * x_2;
            }, e, t7, d);

            // hedgehog_backward.tk:36: return d - y * sum(d, axis = 1);
            tk::column_fragment<float, 64> t8;
            tk::fold_rows(t8, d_2, tk::plus{}, thread);
            tk::finish_rows(t8, tk::plus{});

            // hedgehog_backward.tk:382: var dx = through(distribution(x), d);
            tk::fragment<float, 64, 64> dx;
            tk::map(dx, [](float d_2, float e, float t7, float t8) {
                return tk::fma(-tk::divide(e, t7), t8, d_2);
            }, d_2, e, t7, t8);

            // hedgehog_backward.tk:383: d = mma(v, s.n.T);
            tk::mma_async(d, shared.vs_tile[k_element.stage],
                          tk::transposed(shared.states_n[k_element.stage]), tk::accumulate_never{});
            tk::mma_wait<0>(d);
            shared.vs.release(k_element);

            // hedgehog_backward.tk:384: d -= s.zn;
            tk::row_fragment<float, 64> t21;
            tk::load_shared(t21, shared.states_zn[k_element.stage], thread);
            tk::map(d, [](float d, float t21) { return d - t21; }, d, t21);
            // hedgehog_backward.tk:27
            tk::fragment<float, 64, 64> t9;
            tk::map(t9, [](float x) { return -x; }, x);
            tk::column_fragment<float, 64> t10;
            tk::fold_rows(t10, t9, tk::maximum{}, thread);
            tk::finish_rows(t10, tk::maximum{});
            tk::fragment<float, 64, 64> e_2;
            tk::map(e_2, [](float t9, float t10) { return tk::exp2((t9 - t10) * 1.442695f); },
                    t9, t10);
            // hedgehog_backward.tk:28
            tk::column_fragment<float, 64> t11;
            tk::fold_rows(t11, e_2, tk::plus{}, thread);
            tk::finish_rows(t11, tk::plus{});
            // hedgehog_backward.tk:35
            tk::fragment<float, 64, 64> d_3;
            tk::map(d_3, [](float e_2, float t11, float d) {
                const float x_2 = tk::divide(e_2, t11);
                return (x_2 >= 1e-06f ? d : 0.0f) * x_2;
            }, e_2, t11, d);
            // hedgehog_backward.tk:36
            tk::column_fragment<float, 64> t12;
            tk::fold_rows(t12, d_3, tk::plus{}, thread);
            tk::finish_rows(t12, tk::plus{});

            // hedgehog_backward.tk:385: dx -= through(distribution(-x), d);
            tk::map(dx, [](float dx, float d_3, float e_2, float t11, float t12) {
                return dx - tk::fma(-tk::divide(e_2, t11), t12, d_3);
            }, dx, d_3, e_2, t11, t12);

            // hedgehog_backward.tk:386: let z = T(dx * alpha);
            tk::fragment<tk::bf16, 64, 64> z;
            tk::map(z, [&](float dx) { return dx * alpha; }, dx);

            // hedgehog_backward.tk:387: u += mma(z, s.w.T);
            tk::mma_async(u, z, tk::transposed(shared.states_w[k_element.stage]));
            tk::mma_wait<0>(u, z);
            shared.states.release_after_loads(k_element);

            // hedgehog_backward.tk:388: if PACKED { store(dXt[0 +: L, h, :], z); } else { ..
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                tk::store_shared(shared.keys_dX[0], z, thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if (leader) tk::tma_store(dX_map, shared.keys_dX[0], b, t, h, panel);
            }

            // hedgehog_backward.tk:389: if PACKED { store(dKt[0 +: L, h, :], T(u)); } else { ..
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                tk::store_shared(shared.keys_dK[panel / 64 % 2],
                                 tk::convert<tk::bf16>(tk::window<64, 64>(u, 0, panel)), thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if (leader) tk::tma_store(dK_map, shared.keys_dK[panel / 64 % 2], b, t, h, panel);
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    } else {
        // hedgehog_backward.tk:391: role values(1 warpgroup) {
        tk::registers_at_least<240>();
        const int t_tiles = tk::tiles(N, 64);
        const int programs = t_tiles * H * B;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<1> ks_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int t = program % t_tiles * 64;
            const int h = program / t_tiles % H;
            const int b = program / (t_tiles * H);

            // hedgehog_backward.tk:312: let tokens = if PACKED { Tokens[t.index] } else { N - ..
            const int tokens = N - t;

            // hedgehog_backward.tk:314: let coming = if PACKED { Tokens[place] * (tokens // L) } ..
            const int coming = N - t - 64;

            // hedgehog_backward.tk:315: let later = min(t.start + L, (ceil_div(N, L) - 1) * L);
            const int later = tk::min(t + 64, (tk::divide_up(N, 64) - 1) * 64);

            // hedgehog_backward.tk:392: let alpha = (if STATES { 1.0 } else { Alpha[h] }) * (if ..
            const float alpha = tk::cell(Alpha, h) * 1.0f;

            // hedgehog_backward.tk:393: let k = consume ks;
            const tk::cursor<1> k_element = shared.ks.take(ks_next);

            // hedgehog_backward.tk:394: let q = consume qs;
            shared.qs.wait_full(k_element);

            // hedgehog_backward.tk:395: let o = consume os;
            shared.os.wait_full(k_element);

            // hedgehog_backward.tk:396: var a = mma(k, q.own.T);
            tk::fragment<float, 64, 64> a;
            tk::mma_async(a, shared.ks_tile[k_element.stage],
                          tk::transposed(shared.qs_own[k_element.stage]), tk::accumulate_never{});

            // hedgehog_backward.tk:397: let i = consume rows;
            shared.rows.wait_full(k_element);
            tk::mma_wait<0>(a);

            // hedgehog_backward.tk:398: a = exp2(a * (scale * LOG2E) - i.m) * i.w;
            tk::row_fragment<float, 64> t0;
            tk::load_shared(t0, shared.rows_m[k_element.stage], thread);
            tk::row_fragment<float, 64> t2;
            tk::load_shared(t2, shared.rows_w[k_element.stage], thread);
            shared.rows.release_after_loads(k_element);
            tk::map(a, [&](float a, float t0, float t2) {
                return tk::exp2(tk::fma(a, scale * 1.442695f, -t0)) * t2;
            }, a, t0, t2);

            // hedgehog_backward.tk:399: var u = mma(T(where(col_index(a) >= row_index(a) and ..
            tk::fragment<tk::bf16, 64, 64> t1;
            tk::map(t1, thread, [&](int row_2, int col, float a) {
                return col >= row_2 && col < tokens ? a : 0.0f;
            }, a);
            tk::fragment<float, 64, 128> u;
            tk::mma_async(u, t1, shared.os_own[k_element.stage], tk::accumulate_never{});

            // hedgehog_backward.tk:400: a = mma(k, q.next.T);
            tk::mma_async(a, shared.ks_tile[k_element.stage],
                          tk::transposed(shared.qs_next[k_element.stage]), tk::accumulate_never{});

            // hedgehog_backward.tk:401: let j = consume nexts;
            shared.nexts.wait_full(k_element);
            tk::mma_wait<0>(u, a, t1);
            shared.qs.release(k_element);

            // hedgehog_backward.tk:402: a = exp2(a * (scale * LOG2E) - j.m) * j.w;
            tk::row_fragment<float, 64> t4;
            tk::load_shared(t4, shared.nexts_m[k_element.stage], thread);
            tk::row_fragment<float, 64> t13;
            tk::load_shared(t13, shared.nexts_w[k_element.stage], thread);
            shared.nexts.release_after_loads(k_element);
            tk::map(a, [&](float a, float t4, float t13) {
                return tk::exp2(tk::fma(a, scale * 1.442695f, -t4)) * t13;
            }, a, t4, t13);

            // hedgehog_backward.tk:403: u += mma(T(where(coming > 0 and col_index(a) < (if ..
            tk::fragment<tk::bf16, 64, 64> t3;
            tk::map(t3, thread, [&](int, int col, float a) {
                return coming > 0 && col < N - later ? a : 0.0f;
            }, a);
            tk::mma_async(u, t3, shared.os_next[k_element.stage]);

            // hedgehog_backward.tk:404: let s = consume states;
            shared.states.wait_full(k_element);

            // hedgehog_backward.tk:405: let x = mma(k, s.w);
            tk::fragment<float, 64, 64> x;
            tk::mma_async(x, shared.ks_tile[k_element.stage], shared.states_w[k_element.stage],
                          tk::accumulate_never{});
            tk::mma_wait<0>(u, x, t3);
            shared.os.release(k_element);
            shared.ks.release(k_element);

            // hedgehog_backward.tk:27: let e = exp2((x - max(x, axis = 1)) * LOG2E);
            tk::column_fragment<float, 64> t5;
            tk::fold_rows(t5, x, tk::maximum{}, thread);
            tk::finish_rows(t5, tk::maximum{});
            tk::fragment<float, 64, 64> e;
            tk::map(e, [](float x, float t5) { return tk::exp2((x - t5) * 1.442695f); }, x, t5);

            // hedgehog_backward.tk:28: return e / sum(e, axis = 1);
            tk::column_fragment<float, 64> t6;
            tk::fold_rows(t6, e, tk::plus{}, thread);
            tk::finish_rows(t6, tk::plus{});

            // hedgehog_backward.tk:406: u += mma(T(feature(distribution(x)) * alpha), s.p);
            tk::fragment<tk::bf16, 64, 64> t7;
            tk::map(t7, [&](float e, float t6) {
                return tk::max(tk::divide(e, t6), 1e-06f) * alpha;
            }, e, t6);
            tk::mma_async(u, t7, shared.states_p[k_element.stage]);
            // hedgehog_backward.tk:27
            tk::fragment<float, 64, 64> t8;
            tk::map(t8, [](float x) { return -x; }, x);
            tk::column_fragment<float, 64> t9;
            tk::fold_rows(t9, t8, tk::maximum{}, thread);
            tk::finish_rows(t9, tk::maximum{});
            tk::fragment<float, 64, 64> e_2;
            tk::map(e_2, [](float t8, float t9) { return tk::exp2((t8 - t9) * 1.442695f); },
                    t8, t9);
            // hedgehog_backward.tk:28
            tk::column_fragment<float, 64> t10;
            tk::fold_rows(t10, e_2, tk::plus{}, thread);
            tk::finish_rows(t10, tk::plus{});

            // hedgehog_backward.tk:407: u += mma(T(feature(distribution(-x)) * alpha), s.n);
            tk::fragment<tk::bf16, 64, 64> t11;
            tk::map(t11, [&](float e_2, float t10) {
                return tk::max(tk::divide(e_2, t10), 1e-06f) * alpha;
            }, e_2, t10);
            tk::mma_async(u, t11, shared.states_n[k_element.stage]);
            tk::mma_wait<0>(u, t7, t11);
            shared.states.release(k_element);

            // hedgehog_backward.tk:408: if PACKED { store(dVt[0 +: L, h, :], T(u)); } else { ..
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                tk::store_shared(shared.values_dV[panel / 64 % 2],
                                 tk::convert<tk::bf16>(tk::window<64, 64>(u, 0, panel)), thread);
                tk::fence_async();
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(3, 128);
                if (leader) tk::tma_store(dV_map, shared.values_dV[panel / 64 % 2], b, t, h, panel);
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

// maps: kernel maps with T = bf16, D = 128, F = 64, SPAN = 2048.
// producer: 1 warp, 240 registers a thread; consumer: 1 warpgroup, 240 registers a thread.
// 256 threads, 255 registers each at first, 98368 bytes of shared memory; persistent.
struct maps_shared {
    tk::shared_tile<tk::bf16, 64, 128> x_dx_tiles_x[4];
    tk::shared_tile<tk::bf16, 64, 64> x_dx_tiles_dx[4];
    tk::pipeline<4> x_dx_tiles;
};
static_assert(offsetof(maps_shared, x_dx_tiles) == 98304);

__global__ void __launch_bounds__(256, 1) maps_kernel(
    const __grid_constant__ CUtensorMap X_map, const __grid_constant__ CUtensorMap dX_map,
    const tk::tensor_argument<float, 5> Part, int B, int N, int H) {
    extern __shared__ __align__(1024) unsigned char memory[];
    maps_shared& shared = *reinterpret_cast<maps_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(X_map, dX_map);
        shared.x_dx_tiles.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 4) {
        // hedgehog_backward.tk:413: kernel maps<T: dtype = bf16, D: int = 128, F: int = 64, ..
        tk::registers_at_most<240>();
        const int s_tiles = tk::tiles(N, 2048);
        const int programs = s_tiles * H * B;
        if (warp == 4 && tk::elect_one()) {
            tk::cursor<4> x_dx_tiles_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int s = program % s_tiles * 2048;
                const int h = program / s_tiles % H;
                const int b = program / (s_tiles * H);

                // hedgehog_backward.tk:418: for t in s.start..min(s.start + SPAN, N) by 64 ..
                #pragma unroll 1
                for (int t = s; t < tk::min(s + 2048, N); t += 64) {
                    shared.x_dx_tiles.begin(x_dx_tiles_next, 24576);
                    tk::tma_load(shared.x_dx_tiles_x[x_dx_tiles_next.stage], X_map,
                                 shared.x_dx_tiles.full[x_dx_tiles_next.stage], b, t, h, 0);
                    tk::tma_load(shared.x_dx_tiles_dx[x_dx_tiles_next.stage], dX_map,
                                 shared.x_dx_tiles.full[x_dx_tiles_next.stage], b, t, h, 0);
                    x_dx_tiles_next.advance();
                }
            }
        }
    } else {
        // hedgehog_backward.tk:413: kernel maps<T: dtype = bf16, D: int = 128, F: int = 64, ..
        tk::registers_at_most<240>();
        const int s_tiles = tk::tiles(N, 2048);
        const int programs = s_tiles * H * B;
        const int thread = tk::warpgroup_thread();
        tk::cursor<4> x_dx_tiles_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int s = program % s_tiles * 2048;
            const int h = program / s_tiles % H;
            const int b = program / (s_tiles * H);

            // hedgehog_backward.tk:417: var acc: f32[D, F] = 0;
            tk::fragment<float, 128, 64> acc;
            tk::zero(acc);

            // hedgehog_backward.tk:418: for t in s.start..min(s.start + SPAN, N) by 64 pipelined ..
            tk::cursor<4> previous_x_dx_tiles;
            for (int t = s; t < tk::min(s + 2048, N); t += 64) {
                const tk::cursor<4> tiles = shared.x_dx_tiles.take(x_dx_tiles_next);
                tk::mma_async(acc, tk::transposed(shared.x_dx_tiles_x[tiles.stage]),
                              shared.x_dx_tiles_dx[tiles.stage]);
                tk::ptx::wgmma_wait<1>();
                if (s < t) shared.x_dx_tiles.release(previous_x_dx_tiles);
                previous_x_dx_tiles = tiles;
            }
            tk::mma_wait<0>(acc);
            if (s < tk::min(s + 2048, N)) shared.x_dx_tiles.release(previous_x_dx_tiles);

            // hedgehog_backward.tk:419: store(Part[b, s.index, h, :, :], acc);
            tk::store_global(
                tk::slice(Part, {b, s / 2048, h, 0, 0}, s / 2048 < tk::divide_up(N, 2048) ? 128 : 0,
                          64), acc, thread);
        }
    }
}

// maps_general: kernel maps with T = bf16, D = 128, F = 64, SPAN = 2048; any strides and alignment.
// producer: 1 warp, 240 registers a thread; consumer: 1 warpgroup, 240 registers a thread.
// 256 threads, 255 registers each at first, 98368 bytes of shared memory; persistent.
struct maps_general_shared {
    tk::shared_tile<tk::bf16, 64, 128> x_dx_tiles_x[4];
    tk::shared_tile<tk::bf16, 64, 64> x_dx_tiles_dx[4];
    tk::pipeline<4> x_dx_tiles;
};
static_assert(offsetof(maps_general_shared, x_dx_tiles) == 98304);

__global__ void __launch_bounds__(256, 1) maps_general_kernel(
    const tk::tensor_argument<const tk::bf16, 4> X, const tk::tensor_argument<const tk::bf16, 4> dX,
    const tk::tensor_argument<float, 5> Part, int B, int N, int H) {
    extern __shared__ __align__(1024) unsigned char memory[];
    maps_general_shared& shared = *reinterpret_cast<maps_general_shared*>(memory);

    if (threadIdx.x == 0) {
        shared.x_dx_tiles.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 4) {
        // hedgehog_backward.tk:413: kernel maps<T: dtype = bf16, D: int = 128, F: int = 64, ..
        tk::registers_at_most<240>();
        const int s_tiles = tk::tiles(N, 2048);
        const int programs = s_tiles * H * B;
        if (warp == 4) {
            const int thread = int(threadIdx.x) - 128;
            tk::cursor<4> x_dx_tiles_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int s = program % s_tiles * 2048;
                const int h = program / s_tiles % H;
                const int b = program / (s_tiles * H);

                // hedgehog_backward.tk:418: for t in s.start..min(s.start + SPAN, N) by 64 ..
                #pragma unroll 1
                for (int t = s; t < tk::min(s + 2048, N); t += 64) {
                    shared.x_dx_tiles.wait_empty(x_dx_tiles_next);
                    tk::copy_to_shared(shared.x_dx_tiles_x[x_dx_tiles_next.stage],
                                       tk::slice<1, 3>(X, {b, t, h, 0}, N - t, 128), thread, 32);
                    tk::copy_to_shared(shared.x_dx_tiles_dx[x_dx_tiles_next.stage],
                                       tk::slice<1, 3>(dX, {b, t, h, 0}, N - t, 64), thread, 32);
                    shared.x_dx_tiles.publish(x_dx_tiles_next);
                    x_dx_tiles_next.advance();
                }
            }
        }
    } else {
        // hedgehog_backward.tk:413: kernel maps<T: dtype = bf16, D: int = 128, F: int = 64, ..
        tk::registers_at_most<240>();
        const int s_tiles = tk::tiles(N, 2048);
        const int programs = s_tiles * H * B;
        const int thread = tk::warpgroup_thread();
        tk::cursor<4> x_dx_tiles_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int s = program % s_tiles * 2048;
            const int h = program / s_tiles % H;
            const int b = program / (s_tiles * H);

            // hedgehog_backward.tk:417: var acc: f32[D, F] = 0;
            tk::fragment<float, 128, 64> acc;
            tk::zero(acc);

            // hedgehog_backward.tk:418: for t in s.start..min(s.start + SPAN, N) by 64 pipelined ..
            tk::cursor<4> previous_x_dx_tiles;
            for (int t = s; t < tk::min(s + 2048, N); t += 64) {
                const tk::cursor<4> tiles = shared.x_dx_tiles.take(x_dx_tiles_next);
                tk::mma_async(acc, tk::transposed(shared.x_dx_tiles_x[tiles.stage]),
                              shared.x_dx_tiles_dx[tiles.stage]);
                tk::ptx::wgmma_wait<1>();
                if (s < t) shared.x_dx_tiles.release(previous_x_dx_tiles);
                previous_x_dx_tiles = tiles;
            }
            tk::mma_wait<0>(acc);
            if (s < tk::min(s + 2048, N)) shared.x_dx_tiles.release(previous_x_dx_tiles);

            // hedgehog_backward.tk:419: store(Part[b, s.index, h, :, :], acc);
            tk::store_global(
                tk::slice(Part, {b, s / 2048, h, 0, 0}, s / 2048 < tk::divide_up(N, 2048) ? 128 : 0,
                          64), acc, thread);
        }
    }
}

// maps_total: kernel maps_total with T = bf16, D = 128, F = 64.
// 128 threads, 48 registers each: maps_total_kernel<10, 8, 8, true>.
// maps_total_general: kernel maps_total with T = bf16, D = 128, F = 64; any strides and alignment.
// 128 threads, 255 registers each: maps_total_kernel<1, 32, 2, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) maps_total_kernel(
    const tk::tensor_argument<const float, 5> Part, const tk::tensor_argument<tk::bf16, 3> dW,
    int B, int R, int H) {
    tk::wait_for_previous_kernel();

    // hedgehog_backward.tk:422: kernel maps_total<T: dtype = bf16, D: int = 128, F: int = ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int d = program % 8 * 16;
    const int h = program / 8;

    // hedgehog_backward.tk:425: var all: f32[16, F] = 0;
    tk::stripe<float, 16, 64, 128, row_threads, vector> all;
    tk::zero(all);

    // hedgehog_backward.tk:426: for b in B, r in R { all += load(Part[b, r, h, d, :]); }
    for (int b = 0; b < B; b += 1) {
        for (int r = 0; r < R; r += 1) {
            tk::stripe<float, 16, 64, 128, row_threads, vector> t0;
            tk::load_slice<vectors>(
                t0, tk::slice_if_dense<vectors>(Part, {b, r, h, d, 0}, 128 - d, 64), thread);
            tk::map(all, [](float all, float t0) { return all + t0; }, all, t0);
        }
    }

    // hedgehog_backward.tk:427: store(dW[h, d, :], T(all));
    tk::stripe<tk::bf16, 16, 64, 128, row_threads, vector> t1 = tk::convert<tk::bf16>(all);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(dW, {h, d, 0}, 128 - d, 64), t1, thread);
}

// factors: kernel factors with BH = 32.
// 256 threads, 48 registers each, 1024 bytes of shared memory: factors_kernel<5, 8, 4, true>.
// factors_general: kernel factors with BH = 32; any strides and alignment.
// 256 threads, 255 registers each, 1024 bytes of shared memory: factors_kernel<1, 16, 2, false>.
struct factors_shared {
    tk::shared_tile<float, 8, 32> factors_f32_rows_32[1];
};

template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) factors_kernel(
    const tk::tensor_argument<const float, 3> OfAlpha,
    const tk::tensor_argument<const float, 3> OfBeta, const tk::tensor_argument<float, 1> dAlpha,
    const tk::tensor_argument<float, 1> dBeta, int B, int R, int H) {
    extern __shared__ __align__(1024) unsigned char memory[];
    factors_shared& shared = *reinterpret_cast<factors_shared*>(memory);

    tk::wait_for_previous_kernel();

    // hedgehog_backward.tk:430: kernel factors<BH: int = 32>(OfAlpha: f32[B, R, H], OfBeta: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int h = program * 32;

    // hedgehog_backward.tk:433: var alpha: f32[1, BH] = 0;
    tk::stripe<float, 1, 32, 256, row_threads, vector> alpha;
    tk::zero(alpha);

    // hedgehog_backward.tk:434: var beta: f32[1, BH] = 0;
    tk::stripe<float, 1, 32, 256, row_threads, vector> beta;
    tk::zero(beta);

    // hedgehog_backward.tk:435: for b in B, r in R by 64 {
    for (int b = 0; b < B; b += 1) {
        for (int r = 0; r < R; r += 64) {
            // hedgehog_backward.tk:436: alpha += sum(load(OfAlpha[b, r, h]), axis = 0);
            tk::stripe<float, 64, 32, 256, row_threads, vector> t0;
            tk::load_slice<vectors>(
                t0, tk::slice_if_vectors<vectors>(OfAlpha, {b, r, h}, R - r, H - h), thread);
            tk::stripe<float, 1, 32, 256, row_threads, vector> t1;
            tk::reduce_columns(t1, t0, shared.factors_f32_rows_32[0], tk::plus{}, thread, 1);
            tk::map(alpha, [](float alpha, float t1) { return alpha + t1; }, alpha, t1);

            // hedgehog_backward.tk:437: beta  += sum(load(OfBeta[b, r, h]), axis = 0);
            tk::stripe<float, 64, 32, 256, row_threads, vector> t2;
            tk::load_slice<vectors>(
                t2, tk::slice_if_vectors<vectors>(OfBeta, {b, r, h}, R - r, H - h), thread);
            tk::stripe<float, 1, 32, 256, row_threads, vector> t3;
            tk::reduce_columns(t3, t2, shared.factors_f32_rows_32[0], tk::plus{}, thread, 1);
            tk::map(beta, [](float beta, float t3) { return beta + t3; }, beta, t3);
        }
    }

    // hedgehog_backward.tk:439: store(dAlpha[h], alpha);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(dAlpha, {h}, 1, H - h), alpha, thread);

    // hedgehog_backward.tk:440: store(dBeta[h], beta);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(dBeta, {h}, 1, H - h), beta, thread);
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

namespace {
tk::status launch_packed_chunks_packed_chunks(const tk::launch_site& site, const tk::tensor& start,
                                              const tk::tensor& First, const tk::tensor& Tokens,
                                              int64_t P, int64_t S) {
    return tk::run<packed_chunks_packed_chunks_kernel>(site, 0, tk::kernel_shape(32).overlapping(),
                                                       tk::larger(P - 1, 0), start, First, Tokens,
                                                       P, S);
}

tk::status launch_before(const tk::launch_site& site, const tk::tensor& K, const tk::tensor& V,
                         const tk::tensor& WK, const tk::tensor& S0, const tk::tensor& Z0,
                         const tk::tensor& Before, const tk::tensor& Sums, int64_t B, int64_t N,
                         int64_t H, int64_t J, int32_t segments, int32_t length) {
    return tk::run<before_kernel>(site, sizeof(before_shared), tk::kernel_shape(384).overlapping(),
                                  tk::multiply(tk::multiply(H, tk::larger(int64_t{segments}, 0)),
                                               B), tk::box{WK, {1, 128, 64}, 128},
                                  tk::box{K, {1, 64, 1, 64}, 128}, tk::box{V, {1, 64, 1, 64}, 128},
                                  tk::box{Before, {1, 1, 64, 64}, 128}, S0, Z0, Sums, B, N, H, J,
                                  segments, length);
}

tk::status launch_queries(
    const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K, const tk::tensor& V,
    const tk::tensor& WQ, const tk::tensor& Alpha, const tk::tensor& Beta, const tk::tensor& O,
    const tk::tensor& dO, const tk::tensor& Before, const tk::tensor& Sums, const tk::tensor& dQ,
    const tk::tensor& dX, const tk::tensor& R, const tk::tensor& C, const tk::tensor& M,
    const tk::tensor& W, const tk::tensor& G, const tk::tensor& Places, const tk::tensor& ofAlpha,
    const tk::tensor& ofBeta, int64_t B, int64_t N, int64_t H, float scale, float eps) {
    return tk::run<queries_kernel>(
        site, sizeof(queries_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(N, 64), H), B), tk::box{K, {1, 64, 1, 64}, 128},
        tk::box{Q, {1, 64, 1, 64}, 128}, tk::box{V, {1, 64, 1, 64}, 128},
        tk::box{O, {1, 64, 1, 64}, 128}, tk::box{dO, {1, 64, 1, 64}, 128},
        tk::box{WQ, {1, 128, 64}, 128}, tk::box{Before, {1, 1, 64, 64}, 128},
        tk::box{Sums, {1, 1, 64}, 0}, tk::box{dX, {1, 64, 1, 64}, 128},
        tk::box{dQ, {1, 64, 1, 64}, 128}, Alpha, Beta, R, C, M, W, G, Places, ofAlpha, ofBeta, B, N,
        H, scale, eps);
}

tk::status launch_behind(
    const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& dO, const tk::tensor& WQ,
    const tk::tensor& R, const tk::tensor& C, const tk::tensor& dState, const tk::tensor& dSums,
    const tk::tensor& Behind, const tk::tensor& Sums, const tk::tensor& dS0, const tk::tensor& dZ0,
    int64_t B, int64_t N, int64_t H, int64_t E, int64_t I, int32_t segments, int32_t length) {
    return tk::run<behind_kernel>(site, sizeof(behind_shared), tk::kernel_shape(384).overlapping(),
                                  tk::multiply(tk::multiply(H, tk::larger(int64_t{segments}, 0)),
                                               B), tk::box{WQ, {1, 128, 64}, 128},
                                  tk::box{Q, {1, 64, 1, 64}, 128}, tk::box{R, {1, 1, 64}, 0},
                                  tk::box{C, {1, 1, 64}, 0}, tk::box{dO, {1, 64, 1, 64}, 128},
                                  tk::box{Behind, {1, 1, 64, 64}, 128}, dState, dSums, Sums, dS0,
                                  dZ0, B, N, H, E, I, segments, length);
}

tk::status launch_keys(
    const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K, const tk::tensor& V,
    const tk::tensor& WK, const tk::tensor& Alpha, const tk::tensor& dO, const tk::tensor& Behind,
    const tk::tensor& Sums, const tk::tensor& C, const tk::tensor& M, const tk::tensor& W,
    const tk::tensor& G, const tk::tensor& Places, const tk::tensor& dK, const tk::tensor& dV,
    const tk::tensor& dX, int64_t B, int64_t N, int64_t H, float scale) {
    return tk::run<keys_kernel>(
        site, sizeof(keys_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(N, 64), H), B), tk::box{K, {1, 64, 1, 64}, 128},
        tk::box{Q, {1, 64, 1, 64}, 128}, tk::box{V, {1, 64, 1, 64}, 128},
        tk::box{dO, {1, 64, 1, 64}, 128}, tk::box{M, {1, 1, 64}, 0}, tk::box{W, {1, 1, 64}, 0},
        tk::box{C, {1, 1, 64}, 0}, tk::box{G, {1, 1, 64}, 0}, tk::box{Places, {1, 1, 64}, 0},
        tk::box{WK, {1, 128, 64}, 128}, tk::box{Behind, {1, 1, 64, 64}, 128},
        tk::box{Sums, {1, 1, 64}, 0}, tk::box{dX, {1, 64, 1, 64}, 128},
        tk::box{dK, {1, 64, 1, 64}, 128}, tk::box{dV, {1, 64, 1, 64}, 128}, Alpha, B, N, H, scale);
}

tk::status launch_maps(const tk::launch_site& site, const tk::tensor& X, const tk::tensor& dX,
                       const tk::tensor& Part, int64_t B, int64_t N, int64_t H) {
    return tk::run<maps_kernel>(
        site, sizeof(maps_shared), tk::kernel_shape(256).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(N, 2048), H), B), tk::box{X, {1, 64, 1, 64}, 128},
        tk::box{dX, {1, 64, 1, 64}, 128}, Part, B, N, H);
}

tk::status launch_maps_general(const tk::launch_site& site, const tk::tensor& X,
                               const tk::tensor& dX, const tk::tensor& Part, int64_t B, int64_t N,
                               int64_t H) {
    return tk::run<maps_general_kernel>(
        site, sizeof(maps_general_shared), tk::kernel_shape(256).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(N, 2048), H), B), X, dX, Part, B, N, H);
}

tk::status launch_maps_total(const tk::launch_site& site, const tk::tensor& Part,
                             const tk::tensor& dW, int64_t B, int64_t R, int64_t H) {
    return tk::run<maps_total_kernel<10, 8, 8, true>>(site, 0, tk::kernel_shape(128).overlapping(),
                                                      8 * H, Part, dW, B, R, H);
}

tk::status launch_maps_total_general(const tk::launch_site& site, const tk::tensor& Part,
                                     const tk::tensor& dW, int64_t B, int64_t R, int64_t H) {
    return tk::run<maps_total_kernel<1, 32, 2, false>>(site, 0, tk::kernel_shape(128).overlapping(),
                                                       8 * H, Part, dW, B, R, H);
}

tk::status launch_factors(const tk::launch_site& site, const tk::tensor& OfAlpha,
                          const tk::tensor& OfBeta, const tk::tensor& dAlpha,
                          const tk::tensor& dBeta, int64_t B, int64_t R, int64_t H) {
    return tk::run<factors_kernel<5, 8, 4, true>>(
        site, sizeof(factors_shared), tk::kernel_shape(256).overlapping(), tk::ceil_div(H, 32),
        OfAlpha, OfBeta, dAlpha, dBeta, B, R, H);
}

tk::status launch_factors_general(const tk::launch_site& site, const tk::tensor& OfAlpha,
                                  const tk::tensor& OfBeta, const tk::tensor& dAlpha,
                                  const tk::tensor& dBeta, int64_t B, int64_t R, int64_t H) {
    return tk::run<factors_kernel<1, 16, 2, false>>(
        site, sizeof(factors_shared), tk::kernel_shape(256).overlapping(), tk::ceil_div(H, 32),
        OfAlpha, OfBeta, dAlpha, dBeta, B, R, H);
}

}  // namespace

extern "C" {
int before(const DLTensor* K_given, const DLTensor* V_given, const DLTensor* WK_given,
           const DLTensor* S0_given, const DLTensor* Z0_given, const DLTensor* start_given,
           DLTensor* Before_given, DLTensor* Sums_given, int32_t segments, int32_t length, void*,
           size_t, cudaStream_t stream) {
    tk::arguments call{"before"};
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor WK = call.take("WK", WK_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor Z0 = call.take("Z0", Z0_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Before = call.take("Before", Before_given, tk::dtype_bf16, 4,
                                        tk::access::write);
    const tk::tensor Sums = call.take("Sums", Sums_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = K.shape[0];
    const int64_t N = K.shape[1];
    const int64_t H = K.shape[2];
    const int64_t J = S0.shape[0];
    const int64_t P = start.shape[0];
    call.require(
        {tk::fixed_extent(K, 3, 128), tk::same_extent("B", K, 0, V, 0),
         tk::same_extent("N", K, 1, V, 1), tk::same_extent("H", K, 2, V, 2),
         tk::fixed_extent(V, 3, 128), tk::same_extent("H", K, 2, WK, 0),
         tk::fixed_extent(WK, 1, 128), tk::fixed_extent(WK, 2, 64),
         tk::same_extent("H", K, 2, S0, 1), tk::fixed_extent(S0, 2, 128),
         tk::fixed_extent(S0, 3, 128), tk::same_extent("J", S0, 0, Z0, 0),
         tk::same_extent("H", K, 2, Z0, 1), tk::fixed_extent(Z0, 2, 128),
         tk::same_extent("B", K, 0, Before, 0), tk::fixed_extent(Before, 3, 128),
         tk::same_extent("B", K, 0, Sums, 0),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"J", J}, {"P", P}}),
         tk::that(Before.shape[1] == tk::ceil_div(N, 64),
                  "axis 1 of `Before` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Before.shape[1], tk::ceil_div(N, 64)}), tk::fits("H*2", H * 2),
         tk::fits("H*2*64", H * 2 * 64),
         tk::that(Before.shape[2] == H * 2 * 64,
                  "axis 2 of `Before` is {}; it must be `H*2*64`, which is {}",
                  {Before.shape[2], H * 2 * 64}),
         tk::that(Sums.shape[1] == tk::ceil_div(N, 64),
                  "axis 1 of `Sums` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Sums.shape[1], tk::ceil_div(N, 64)}),
         tk::that(Sums.shape[2] == H * 2 * 64,
                  "axis 2 of `Sums` is {}; it must be `H*2*64`, which is {}",
                  {Sums.shape[2], H * 2 * 64}),
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
         tk::that(int64_t{segments} >= 1, "`before` requires `segments >= 1`"),
         tk::that(int64_t{length} >= 64, "`before` requires `length >= L`"),
         tk::that(int64_t{length} % 64 == 0, "`before` requires `length % L == 0`"),
         tk::that(tk::multiply(int64_t{segments}, int64_t{length}) >= N,
                  "`before` requires `segments * length >= N`"),
         tk::that(tk::multiply(int64_t{segments} - 1, int64_t{length}) <= N,
                  "`before` requires `(segments - 1) * length <= N`"), tk::suits_tma_load(K),
         tk::suits_tma_load(V), tk::suits_tma_load(WK), tk::suits_tma_store(Before),
         tk::grid_fits(tk::multiply(H, tk::larger(int64_t{segments}, 0)), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(H, tk::larger(int64_t{segments}, 0)), B),
                       2147483648),
         tk::fits("segment*length",
                  tk::larger(0, tk::multiply(int64_t{segments} - 1, int64_t{length}))),
         tk::that(-2147483648 <=
                  tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{length})),
                  "`segment*length` reaches {}; it must fit in 32 bits",
                  {tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{length}))}),
         tk::that(-2147483648 <=
                  tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{length})) - 64,
                  "`segment*length - 64` reaches {}; it must fit in 32 bits",
                  {tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{length})) - 64}),
         tk::fits("(segment + 1)*length",
                  tk::larger(int64_t{length},
                             tk::multiply(int64_t{segments} - 1 + 1, int64_t{length}))),
         tk::that(-2147483648 <=
                  tk::smaller(int64_t{length},
                              tk::multiply(int64_t{segments} - 1 + 1, int64_t{length})),
                  "`(segment + 1)*length` reaches {}; it must fit in 32 bits",
                  {
                      tk::smaller(int64_t{length},
                                  tk::multiply(int64_t{segments} - 1 + 1, int64_t{length}))}),
         tk::that(-2147483648 <=
                  tk::smaller(int64_t{length},
                              tk::multiply(int64_t{segments} - 1 + 1, int64_t{length})) - 64,
                  "`(segment + 1)*length - 64` reaches {}; it must fit in 32 bits",
                  {
                      tk::smaller(int64_t{length},
                                  tk::multiply(int64_t{segments} - 1 + 1, int64_t{length})) - 64}),
         tk::fits("b*segments", tk::larger(0, tk::multiply(B - 1, int64_t{segments}))),
         tk::that(-2147483648 <= tk::smaller(0, tk::multiply(B - 1, int64_t{segments})),
                  "`b*segments` reaches {}; it must fit in 32 bits",
                  {tk::smaller(0, tk::multiply(B - 1, int64_t{segments}))}),
         tk::fits("b*segments + segment",
                  tk::larger(0, tk::multiply(B - 1, int64_t{segments})) + (int64_t{segments} - 1)),
         tk::fits("h*2", (H - 1) * 2), tk::fits("h*2*64", (H - 1) * 2 * 64),
         tk::fits("h*2*64 + 64", (H - 1) * 2 * 64 + 64)});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<before_kernel>(
        site, sizeof(before_shared), tk::kernel_shape(384).overlapping(),
        tk::multiply(tk::multiply(H, tk::larger(int64_t{segments}, 0)), B),
        tk::box{WK, {1, 128, 64}, 128}, tk::box{K, {1, 64, 1, 64}, 128},
        tk::box{V, {1, 64, 1, 64}, 128}, tk::box{Before, {1, 1, 64, 64}, 128}, S0, Z0, Sums, B, N,
        H, J, segments, length));
}
TK_NO_WORKSPACE(before, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, int32_t, int32_t)

int behind(const DLTensor* Q_given, const DLTensor* dO_given, const DLTensor* WQ_given,
           const DLTensor* Alpha_given, const DLTensor* R_given, const DLTensor* C_given,
           const DLTensor* dState_given, const DLTensor* dSums_given, const DLTensor* start_given,
           DLTensor* Behind_given, DLTensor* Sums_given, DLTensor* dS0_given, DLTensor* dZ0_given,
           int32_t segments, int32_t length, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"behind"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor WQ = call.take("WQ", WQ_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor Alpha = call.take("Alpha", Alpha_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor R = call.take("R", R_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor dState = call.take("dState", dState_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor dSums = call.take("dSums", dSums_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Behind = call.take("Behind", Behind_given, tk::dtype_bf16, 4,
                                        tk::access::write);
    const tk::tensor Sums = call.take("Sums", Sums_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor dS0 = call.take("dS0", dS0_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor dZ0 = call.take("dZ0", dZ0_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t H = Q.shape[2];
    const int64_t E = dState.shape[0];
    const int64_t P = start.shape[0];
    const int64_t I = dS0.shape[0];
    call.require(
        {tk::fixed_extent(Q, 3, 128), tk::same_extent("B", Q, 0, dO, 0),
         tk::same_extent("N", Q, 1, dO, 1), tk::same_extent("H", Q, 2, dO, 2),
         tk::fixed_extent(dO, 3, 128), tk::same_extent("H", Q, 2, WQ, 0),
         tk::fixed_extent(WQ, 1, 128), tk::fixed_extent(WQ, 2, 64),
         tk::same_extent("H", Q, 2, Alpha, 0), tk::same_extent("B", Q, 0, R, 0),
         tk::same_extent("H", Q, 2, R, 1), tk::same_extent("B", Q, 0, C, 0),
         tk::same_extent("H", Q, 2, C, 1), tk::same_extent("H", Q, 2, dState, 1),
         tk::fixed_extent(dState, 2, 128), tk::fixed_extent(dState, 3, 128),
         tk::same_extent("E", dState, 0, dSums, 0), tk::same_extent("H", Q, 2, dSums, 1),
         tk::fixed_extent(dSums, 2, 128), tk::same_extent("B", Q, 0, Behind, 0),
         tk::fixed_extent(Behind, 3, 128), tk::same_extent("B", Q, 0, Sums, 0),
         tk::same_extent("H", Q, 2, dS0, 1), tk::fixed_extent(dS0, 2, 128),
         tk::fixed_extent(dS0, 3, 128), tk::same_extent("I", dS0, 0, dZ0, 0),
         tk::same_extent("H", Q, 2, dZ0, 1), tk::fixed_extent(dZ0, 2, 128),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"E", E}, {"P", P}, {"I", I}}),
         tk::that(R.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `R` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {R.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(C.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `C` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {C.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(Behind.shape[1] == tk::ceil_div(N, 64),
                  "axis 1 of `Behind` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Behind.shape[1], tk::ceil_div(N, 64)}), tk::fits("H*2", H * 2),
         tk::fits("H*2*64", H * 2 * 64),
         tk::that(Behind.shape[2] == H * 2 * 64,
                  "axis 2 of `Behind` is {}; it must be `H*2*64`, which is {}",
                  {Behind.shape[2], H * 2 * 64}),
         tk::that(Sums.shape[1] == tk::ceil_div(N, 64),
                  "axis 1 of `Sums` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Sums.shape[1], tk::ceil_div(N, 64)}),
         tk::that(Sums.shape[2] == H * 2 * 64,
                  "axis 2 of `Sums` is {}; it must be `H*2*64`, which is {}",
                  {Sums.shape[2], H * 2 * 64}),
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
         tk::that(I == 0, "`behind` requires `STATES or I == 0`"),
         tk::that(I <= B, "`behind` requires `PACKED or I <= B`"),
         tk::that(int64_t{segments} == 1 || I == 0, "`behind` requires `segments == 1 or I == 0`"),
         tk::that(int64_t{segments} >= 1, "`behind` requires `segments >= 1`"),
         tk::that(int64_t{length} >= 64, "`behind` requires `length >= L`"),
         tk::that(int64_t{length} % 64 == 0, "`behind` requires `length % L == 0`"),
         tk::that(tk::multiply(int64_t{segments}, int64_t{length}) >= N,
                  "`behind` requires `segments * length >= N`"),
         tk::that(tk::multiply(int64_t{segments} - 1, int64_t{length}) <= N,
                  "`behind` requires `(segments - 1) * length <= N`"), tk::suits_tma_load(Q),
         tk::suits_tma_load(dO), tk::suits_tma_load(WQ), tk::suits_tma_load(R),
         tk::suits_tma_load(C), tk::suits_tma_store(Behind),
         tk::grid_fits(tk::multiply(H, tk::larger(int64_t{segments}, 0)), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(H, tk::larger(int64_t{segments}, 0)), B),
                       2147483648),
         tk::fits("segment*length",
                  tk::larger(0, tk::multiply(int64_t{segments} - 1, int64_t{length}))),
         tk::that(-2147483648 <=
                  tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{length})),
                  "`segment*length` reaches {}; it must fit in 32 bits",
                  {tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{length}))}),
         tk::fits("(segment + 1)*length",
                  tk::larger(int64_t{length},
                             tk::multiply(int64_t{segments} - 1 + 1, int64_t{length}))),
         tk::that(-2147483648 <=
                  tk::smaller(int64_t{length},
                              tk::multiply(int64_t{segments} - 1 + 1, int64_t{length})),
                  "`(segment + 1)*length` reaches {}; it must fit in 32 bits",
                  {
                      tk::smaller(int64_t{length},
                                  tk::multiply(int64_t{segments} - 1 + 1, int64_t{length}))}),
         tk::fits("b*segments", tk::larger(0, tk::multiply(B - 1, int64_t{segments}))),
         tk::that(-2147483648 <= tk::smaller(0, tk::multiply(B - 1, int64_t{segments})),
                  "`b*segments` reaches {}; it must fit in 32 bits",
                  {tk::smaller(0, tk::multiply(B - 1, int64_t{segments}))}),
         tk::fits("b*segments + segments",
                  tk::larger(0, tk::multiply(B - 1, int64_t{segments})) + int64_t{segments}),
         tk::that(-2147483648 <=
                  tk::smaller(0, tk::multiply(B - 1, int64_t{segments})) + int64_t{segments},
                  "`b*segments + segments` reaches {}; it must fit in 32 bits",
                  {tk::smaller(0, tk::multiply(B - 1, int64_t{segments})) + int64_t{segments}}),
         tk::that(-2147483648 <=
                  tk::smaller(0, tk::multiply(B - 1, int64_t{segments})) + int64_t{segments} - 1,
                  "`b*segments + segments - 1` reaches {}; it must fit in 32 bits",
                  {tk::smaller(0, tk::multiply(B - 1, int64_t{segments})) + int64_t{segments} - 1}),
         tk::that(-2147483648 <=
                  tk::smaller(0, tk::multiply(B - 1, int64_t{segments})) + int64_t{segments} - 1 -
                  (int64_t{segments} - 1),
                  "`b*segments + segments - 1 - segment` reaches {}; it must fit in 32 bits",
                  {tk::smaller(0, tk::multiply(B - 1, int64_t{segments})) + int64_t{segments} - 1 -
                   (int64_t{segments} - 1)}), tk::fits("h*2", (H - 1) * 2),
         tk::fits("h*2*64", (H - 1) * 2 * 64), tk::fits("h*2*64 + 64", (H - 1) * 2 * 64 + 64),
         tk::fits("N - t.start",
                  N - tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{length})))});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<behind_kernel>(
        site, sizeof(behind_shared), tk::kernel_shape(384).overlapping(),
        tk::multiply(tk::multiply(H, tk::larger(int64_t{segments}, 0)), B),
        tk::box{WQ, {1, 128, 64}, 128}, tk::box{Q, {1, 64, 1, 64}, 128}, tk::box{R, {1, 1, 64}, 0},
        tk::box{C, {1, 1, 64}, 0}, tk::box{dO, {1, 64, 1, 64}, 128},
        tk::box{Behind, {1, 1, 64, 64}, 128}, dState, dSums, Sums, dS0, dZ0, B, N, H, E, I,
        segments, length));
}
TK_NO_WORKSPACE(behind, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, int32_t, int32_t)

int queries(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
            const DLTensor* WQ_given, const DLTensor* Alpha_given, const DLTensor* Beta_given,
            const DLTensor* O_given, const DLTensor* dO_given, const DLTensor* Before_given,
            const DLTensor* Sums_given, const DLTensor* First_given, const DLTensor* Tokens_given,
            DLTensor* dQ_given, DLTensor* dX_given, DLTensor* R_given, DLTensor* C_given,
            DLTensor* M_given, DLTensor* W_given, DLTensor* G_given, DLTensor* Places_given,
            DLTensor* ofAlpha_given, DLTensor* ofBeta_given, float scale, float eps, void*, size_t,
            cudaStream_t stream) {
    tk::arguments call{"queries"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor WQ = call.take("WQ", WQ_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor Alpha = call.take("Alpha", Alpha_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor Beta = call.take("Beta", Beta_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Before = call.take("Before", Before_given, tk::dtype_bf16, 4,
                                        tk::access::read);
    const tk::tensor Sums = call.take("Sums", Sums_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor First = call.take("First", First_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Tokens = call.take("Tokens", Tokens_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor dQ = call.take("dQ", dQ_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dX = call.take("dX", dX_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor R = call.take("R", R_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor M = call.take("M", M_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor W = call.take("W", W_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor G = call.take("G", G_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor Places = call.take("Places", Places_given, tk::dtype_f32, 3,
                                        tk::access::write);
    const tk::tensor ofAlpha = call.take("ofAlpha", ofAlpha_given, tk::dtype_f32, 3,
                                         tk::access::write);
    const tk::tensor ofBeta = call.take("ofBeta", ofBeta_given, tk::dtype_f32, 3,
                                        tk::access::write);
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
         tk::fixed_extent(V, 3, 128), tk::same_extent("H", Q, 2, WQ, 0),
         tk::fixed_extent(WQ, 1, 128), tk::fixed_extent(WQ, 2, 64),
         tk::same_extent("H", Q, 2, Alpha, 0), tk::same_extent("H", Q, 2, Beta, 0),
         tk::same_extent("B", Q, 0, O, 0), tk::same_extent("N", Q, 1, O, 1),
         tk::same_extent("H", Q, 2, O, 2), tk::fixed_extent(O, 3, 128),
         tk::same_extent("B", Q, 0, dO, 0), tk::same_extent("N", Q, 1, dO, 1),
         tk::same_extent("H", Q, 2, dO, 2), tk::fixed_extent(dO, 3, 128),
         tk::same_extent("B", Q, 0, Before, 0), tk::fixed_extent(Before, 3, 128),
         tk::same_extent("B", Q, 0, Sums, 0), tk::same_extent("S", First, 0, Tokens, 0),
         tk::same_extent("B", Q, 0, dQ, 0), tk::same_extent("N", Q, 1, dQ, 1),
         tk::same_extent("H", Q, 2, dQ, 2), tk::fixed_extent(dQ, 3, 128),
         tk::same_extent("B", Q, 0, dX, 0), tk::same_extent("N", Q, 1, dX, 1),
         tk::same_extent("H", Q, 2, dX, 2), tk::fixed_extent(dX, 3, 64),
         tk::same_extent("B", Q, 0, R, 0), tk::same_extent("H", Q, 2, R, 1),
         tk::same_extent("B", Q, 0, C, 0), tk::same_extent("H", Q, 2, C, 1),
         tk::same_extent("B", Q, 0, M, 0), tk::same_extent("H", Q, 2, M, 1),
         tk::same_extent("B", Q, 0, W, 0), tk::same_extent("H", Q, 2, W, 1),
         tk::same_extent("B", Q, 0, G, 0), tk::same_extent("H", Q, 2, G, 1),
         tk::same_extent("B", Q, 0, Places, 0), tk::same_extent("H", Q, 2, Places, 1),
         tk::same_extent("B", Q, 0, ofAlpha, 0), tk::same_extent("H", Q, 2, ofAlpha, 2),
         tk::same_extent("B", Q, 0, ofBeta, 0), tk::same_extent("H", Q, 2, ofBeta, 2),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"S", S}}),
         tk::that(Before.shape[1] == tk::ceil_div(N, 64),
                  "axis 1 of `Before` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Before.shape[1], tk::ceil_div(N, 64)}), tk::fits("H*2", H * 2),
         tk::fits("H*2*64", H * 2 * 64),
         tk::that(Before.shape[2] == H * 2 * 64,
                  "axis 2 of `Before` is {}; it must be `H*2*64`, which is {}",
                  {Before.shape[2], H * 2 * 64}),
         tk::that(Sums.shape[1] == tk::ceil_div(N, 64),
                  "axis 1 of `Sums` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Sums.shape[1], tk::ceil_div(N, 64)}),
         tk::that(Sums.shape[2] == H * 2 * 64,
                  "axis 2 of `Sums` is {}; it must be `H*2*64`, which is {}",
                  {Sums.shape[2], H * 2 * 64}),
         tk::that(R.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `R` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {R.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(C.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `C` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {C.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(M.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `M` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {M.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(W.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `W` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {W.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(G.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `G` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {G.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(Places.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `Places` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {Places.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(ofAlpha.shape[1] == tk::ceil_div(N, 64),
                  "axis 1 of `ofAlpha` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {ofAlpha.shape[1], tk::ceil_div(N, 64)}),
         tk::that(ofBeta.shape[1] == tk::ceil_div(N, 64),
                  "axis 1 of `ofBeta` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {ofBeta.shape[1], tk::ceil_div(N, 64)}),
         tk::that(scale > 0.0f, "`queries` requires `scale > 0`"), tk::suits_tma_load(Q),
         tk::suits_tma_load(K), tk::suits_tma_load(V), tk::suits_tma_load(WQ),
         tk::suits_tma_load(O), tk::suits_tma_load(dO), tk::suits_tma_load(Before),
         tk::suits_tma_load(Sums), tk::suits_tma_store(dQ), tk::suits_tma_store(dX),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 64), H), 2147418112),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 64), H), B), 2147418112),
         tk::fits("h*2", (H - 1) * 2), tk::fits("h*2*64", (H - 1) * 2 * 64),
         tk::fits("h*2*64 + 64", (H - 1) * 2 * 64 + 64)});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<queries_kernel>(
        site, sizeof(queries_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(N, 64), H), B), tk::box{K, {1, 64, 1, 64}, 128},
        tk::box{Q, {1, 64, 1, 64}, 128}, tk::box{V, {1, 64, 1, 64}, 128},
        tk::box{O, {1, 64, 1, 64}, 128}, tk::box{dO, {1, 64, 1, 64}, 128},
        tk::box{WQ, {1, 128, 64}, 128}, tk::box{Before, {1, 1, 64, 64}, 128},
        tk::box{Sums, {1, 1, 64}, 0}, tk::box{dX, {1, 64, 1, 64}, 128},
        tk::box{dQ, {1, 64, 1, 64}, 128}, Alpha, Beta, R, C, M, W, G, Places, ofAlpha, ofBeta, B, N,
        H, scale, eps));
}
TK_NO_WORKSPACE(queries, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, float,
                float)

int keys(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
         const DLTensor* WK_given, const DLTensor* Alpha_given, const DLTensor* dO_given,
         const DLTensor* Behind_given, const DLTensor* Sums_given, const DLTensor* C_given,
         const DLTensor* M_given, const DLTensor* W_given, const DLTensor* G_given,
         const DLTensor* Places_given, const DLTensor* First_given, const DLTensor* Tokens_given,
         DLTensor* dK_given, DLTensor* dV_given, DLTensor* dX_given, float scale, void*, size_t,
         cudaStream_t stream) {
    tk::arguments call{"keys"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor WK = call.take("WK", WK_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor Alpha = call.take("Alpha", Alpha_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Behind = call.take("Behind", Behind_given, tk::dtype_bf16, 4,
                                        tk::access::read);
    const tk::tensor Sums = call.take("Sums", Sums_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor M = call.take("M", M_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor W = call.take("W", W_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor G = call.take("G", G_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor Places = call.take("Places", Places_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor First = call.take("First", First_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Tokens = call.take("Tokens", Tokens_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor dK = call.take("dK", dK_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dV = call.take("dV", dV_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dX = call.take("dX", dX_given, tk::dtype_bf16, 4, tk::access::write);
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
         tk::fixed_extent(V, 3, 128), tk::same_extent("H", Q, 2, WK, 0),
         tk::fixed_extent(WK, 1, 128), tk::fixed_extent(WK, 2, 64),
         tk::same_extent("H", Q, 2, Alpha, 0), tk::same_extent("B", Q, 0, dO, 0),
         tk::same_extent("N", Q, 1, dO, 1), tk::same_extent("H", Q, 2, dO, 2),
         tk::fixed_extent(dO, 3, 128), tk::same_extent("B", Q, 0, Behind, 0),
         tk::fixed_extent(Behind, 3, 128), tk::same_extent("B", Q, 0, Sums, 0),
         tk::same_extent("B", Q, 0, C, 0), tk::same_extent("H", Q, 2, C, 1),
         tk::same_extent("B", Q, 0, M, 0), tk::same_extent("H", Q, 2, M, 1),
         tk::same_extent("B", Q, 0, W, 0), tk::same_extent("H", Q, 2, W, 1),
         tk::same_extent("B", Q, 0, G, 0), tk::same_extent("H", Q, 2, G, 1),
         tk::same_extent("B", Q, 0, Places, 0), tk::same_extent("H", Q, 2, Places, 1),
         tk::same_extent("S", First, 0, Tokens, 0), tk::same_extent("B", Q, 0, dK, 0),
         tk::same_extent("N", Q, 1, dK, 1), tk::same_extent("H", Q, 2, dK, 2),
         tk::fixed_extent(dK, 3, 128), tk::same_extent("B", Q, 0, dV, 0),
         tk::same_extent("N", Q, 1, dV, 1), tk::same_extent("H", Q, 2, dV, 2),
         tk::fixed_extent(dV, 3, 128), tk::same_extent("B", Q, 0, dX, 0),
         tk::same_extent("N", Q, 1, dX, 1), tk::same_extent("H", Q, 2, dX, 2),
         tk::fixed_extent(dX, 3, 64), tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"S", S}}),
         tk::that(Behind.shape[1] == tk::ceil_div(N, 64),
                  "axis 1 of `Behind` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Behind.shape[1], tk::ceil_div(N, 64)}), tk::fits("H*2", H * 2),
         tk::fits("H*2*64", H * 2 * 64),
         tk::that(Behind.shape[2] == H * 2 * 64,
                  "axis 2 of `Behind` is {}; it must be `H*2*64`, which is {}",
                  {Behind.shape[2], H * 2 * 64}),
         tk::that(Sums.shape[1] == tk::ceil_div(N, 64),
                  "axis 1 of `Sums` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Sums.shape[1], tk::ceil_div(N, 64)}),
         tk::that(Sums.shape[2] == H * 2 * 64,
                  "axis 2 of `Sums` is {}; it must be `H*2*64`, which is {}",
                  {Sums.shape[2], H * 2 * 64}),
         tk::that(C.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `C` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {C.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(M.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `M` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {M.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(W.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `W` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {W.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(G.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `G` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {G.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(Places.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `Places` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {Places.shape[2], tk::ceil_div(N, 64) * 64}), tk::suits_tma_load(Q),
         tk::suits_tma_load(K), tk::suits_tma_load(V), tk::suits_tma_load(WK),
         tk::suits_tma_load(dO), tk::suits_tma_load(Behind), tk::suits_tma_load(Sums),
         tk::suits_tma_load(C), tk::suits_tma_load(M), tk::suits_tma_load(W), tk::suits_tma_load(G),
         tk::suits_tma_load(Places), tk::suits_tma_store(dK), tk::suits_tma_store(dV),
         tk::suits_tma_store(dX), tk::grid_fits(tk::multiply(tk::ceil_div(N, 64), H), 2147418112),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 64), H), B), 2147418112),
         tk::fits("h*2", (H - 1) * 2), tk::fits("h*2*64", (H - 1) * 2 * 64),
         tk::fits("h*2*64 + 64", (H - 1) * 2 * 64 + 64)});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<keys_kernel>(
        site, sizeof(keys_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(N, 64), H), B), tk::box{K, {1, 64, 1, 64}, 128},
        tk::box{Q, {1, 64, 1, 64}, 128}, tk::box{V, {1, 64, 1, 64}, 128},
        tk::box{dO, {1, 64, 1, 64}, 128}, tk::box{M, {1, 1, 64}, 0}, tk::box{W, {1, 1, 64}, 0},
        tk::box{C, {1, 1, 64}, 0}, tk::box{G, {1, 1, 64}, 0}, tk::box{Places, {1, 1, 64}, 0},
        tk::box{WK, {1, 128, 64}, 128}, tk::box{Behind, {1, 1, 64, 64}, 128},
        tk::box{Sums, {1, 1, 64}, 0}, tk::box{dX, {1, 64, 1, 64}, 128},
        tk::box{dK, {1, 64, 1, 64}, 128}, tk::box{dV, {1, 64, 1, 64}, 128}, Alpha, B, N, H, scale));
}
TK_NO_WORKSPACE(keys, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*, DLTensor*, DLTensor*, float)

int maps(const DLTensor* X_given, const DLTensor* dX_given, DLTensor* Part_given, void*, size_t,
         cudaStream_t stream) {
    tk::arguments call{"maps"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dX = call.take("dX", dX_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 5, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = X.shape[0];
    const int64_t N = X.shape[1];
    const int64_t H = X.shape[2];
    call.require(
        {tk::fixed_extent(X, 3, 128), tk::same_extent("B", X, 0, dX, 0),
         tk::same_extent("N", X, 1, dX, 1), tk::same_extent("H", X, 2, dX, 2),
         tk::fixed_extent(dX, 3, 64), tk::same_extent("B", X, 0, Part, 0),
         tk::same_extent("H", X, 2, Part, 2), tk::fixed_extent(Part, 3, 128),
         tk::fixed_extent(Part, 4, 64), tk::extents_fit({{"B", B}, {"N", N}, {"H", H}}),
         tk::that(Part.shape[1] == tk::ceil_div(N, 2048),
                  "axis 1 of `Part` is {}; it must be `ceil_div(N, 2048)`, which is {}",
                  {Part.shape[1], tk::ceil_div(N, 2048)}),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 2048), H), 2147418112),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 2048), H), B), 2147418112)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(tk::ceil_div(N, 2048), H), B);
    const bool fast = tk::hold({tk::suits_fast(X), tk::suits_fast(dX)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(tk::run<maps_kernel>(
            site, sizeof(maps_shared), tk::kernel_shape(256).at_once(1).overlapping(), programs,
            tk::box{X, {1, 64, 1, 64}, 128}, tk::box{dX, {1, 64, 1, 64}, 128}, Part, B, N, H));
    }
    return tk::finish(tk::run<maps_general_kernel>(
        site, sizeof(maps_general_shared), tk::kernel_shape(256).at_once(1).overlapping(), programs,
        X, dX, Part, B, N, H));
}
TK_NO_WORKSPACE(maps, const DLTensor*, const DLTensor*, DLTensor*)

int maps_total(const DLTensor* Part_given, DLTensor* dW_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"maps_total"};
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 5, tk::access::read);
    const tk::tensor dW = call.take("dW", dW_given, tk::dtype_bf16, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Part.shape[0];
    const int64_t R = Part.shape[1];
    const int64_t H = Part.shape[2];
    call.require(
        {tk::fixed_extent(Part, 3, 128), tk::fixed_extent(Part, 4, 64),
         tk::same_extent("H", Part, 2, dW, 0), tk::fixed_extent(dW, 1, 128),
         tk::fixed_extent(dW, 2, 64), tk::extents_fit({{"B", B}, {"R", R}, {"H", H}}),
         tk::grid_fits(8 * H, 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast = tk::hold({tk::suits_fast(Part), tk::suits_fast(dW)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<maps_total_kernel<10, 8, 8, true>, maps_total_kernel<1, 32, 2, false>>(
            fast ? 0 : 1, site, 0, tk::kernel_shape(128).overlapping(), 8 * H, Part, dW, B, R, H));
}
TK_NO_WORKSPACE(maps_total, const DLTensor*, DLTensor*)

int factors(const DLTensor* OfAlpha_given, const DLTensor* OfBeta_given, DLTensor* dAlpha_given,
            DLTensor* dBeta_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"factors"};
    const tk::tensor OfAlpha = call.take("OfAlpha", OfAlpha_given, tk::dtype_f32, 3,
                                         tk::access::read);
    const tk::tensor OfBeta = call.take("OfBeta", OfBeta_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor dAlpha = call.take("dAlpha", dAlpha_given, tk::dtype_f32, 1,
                                        tk::access::write);
    const tk::tensor dBeta = call.take("dBeta", dBeta_given, tk::dtype_f32, 1, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = OfAlpha.shape[0];
    const int64_t R = OfAlpha.shape[1];
    const int64_t H = OfAlpha.shape[2];
    call.require(
        {tk::same_extent("B", OfAlpha, 0, OfBeta, 0), tk::same_extent("R", OfAlpha, 1, OfBeta, 1),
         tk::same_extent("H", OfAlpha, 2, OfBeta, 2), tk::same_extent("H", OfAlpha, 2, dAlpha, 0),
         tk::same_extent("H", OfAlpha, 2, dBeta, 0),
         tk::extents_fit({{"B", B}, {"R", R}, {"H", H}})});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast = tk::hold(
        {tk::suits_fast(OfAlpha, "H"), tk::whole_vectors(OfAlpha, 4), tk::suits_fast(OfBeta, "H"),
         tk::suits_fast(dAlpha, "H"), tk::suits_fast(dBeta, "H")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<factors_kernel<5, 8, 4, true>, factors_kernel<1, 16, 2, false>>(
            fast ? 0 : 1, site, sizeof(factors_shared), tk::kernel_shape(256).overlapping(),
            tk::ceil_div(H, 32), OfAlpha, OfBeta, dAlpha, dBeta, B, R, H));
}
TK_NO_WORKSPACE(factors, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*)

int hedgehog_backward(
    const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
    const DLTensor* WQ_given, const DLTensor* WK_given, const DLTensor* Alpha_given,
    const DLTensor* Beta_given, const DLTensor* O_given, const DLTensor* S0_given,
    const DLTensor* Z0_given, const DLTensor* dO_given, const DLTensor* dState_given,
    const DLTensor* dSums_given, const DLTensor* start_given, DLTensor* dQ_given,
    DLTensor* dK_given, DLTensor* dV_given, DLTensor* dWQ_given, DLTensor* dWK_given,
    DLTensor* dAlpha_given, DLTensor* dBeta_given, DLTensor* dS0_given, DLTensor* dZ0_given,
    DLTensor* Before_given, DLTensor* Behind_given, DLTensor* Sums_given, DLTensor* After_given,
    DLTensor* dX_given, DLTensor* dY_given, DLTensor* R_given, DLTensor* C_given, DLTensor* M_given,
    DLTensor* W_given, DLTensor* G_given, DLTensor* Places_given, DLTensor* OfAlpha_given,
    DLTensor* OfBeta_given, DLTensor* PartQ_given, DLTensor* PartK_given, DLTensor* First_given,
    DLTensor* Tokens_given, DLTensor* End_given, DLTensor* Added_given, DLTensor* Start_given,
    DLTensor* StartSums_given, DLTensor* Unused_given, DLTensor* UnusedSums_given, float scale,
    float eps, int32_t segments, int32_t length, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"hedgehog_backward"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor WQ = call.take("WQ", WQ_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor WK = call.take("WK", WK_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor Alpha = call.take("Alpha", Alpha_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor Beta = call.take("Beta", Beta_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor Z0 = call.take("Z0", Z0_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dState = call.take("dState", dState_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor dSums = call.take("dSums", dSums_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor dQ = call.take("dQ", dQ_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dK = call.take("dK", dK_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dV = call.take("dV", dV_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dWQ = call.take("dWQ", dWQ_given, tk::dtype_bf16, 3, tk::access::write);
    const tk::tensor dWK = call.take("dWK", dWK_given, tk::dtype_bf16, 3, tk::access::write);
    const tk::tensor dAlpha = call.take("dAlpha", dAlpha_given, tk::dtype_f32, 1,
                                        tk::access::write);
    const tk::tensor dBeta = call.take("dBeta", dBeta_given, tk::dtype_f32, 1, tk::access::write);
    const tk::tensor dS0 = call.take("dS0", dS0_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor dZ0 = call.take("dZ0", dZ0_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor Before = call.take("Before", Before_given, tk::dtype_bf16, 4,
                                        tk::access::write);
    const tk::tensor Behind = call.take("Behind", Behind_given, tk::dtype_bf16, 4,
                                        tk::access::write);
    const tk::tensor Sums = call.take("Sums", Sums_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor After = call.take("After", After_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor dX = call.take("dX", dX_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dY = call.take("dY", dY_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor R = call.take("R", R_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor M = call.take("M", M_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor W = call.take("W", W_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor G = call.take("G", G_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor Places = call.take("Places", Places_given, tk::dtype_f32, 3,
                                        tk::access::write);
    const tk::tensor OfAlpha = call.take("OfAlpha", OfAlpha_given, tk::dtype_f32, 3,
                                         tk::access::write);
    const tk::tensor OfBeta = call.take("OfBeta", OfBeta_given, tk::dtype_f32, 3,
                                        tk::access::write);
    const tk::tensor PartQ = call.take("PartQ", PartQ_given, tk::dtype_f32, 5, tk::access::write);
    const tk::tensor PartK = call.take("PartK", PartK_given, tk::dtype_f32, 5, tk::access::write);
    const tk::tensor First = call.take("First", First_given, tk::dtype_i32, 1, tk::access::write);
    const tk::tensor Tokens = call.take("Tokens", Tokens_given, tk::dtype_i32, 1,
                                        tk::access::write);
    const tk::tensor End = call.take("End", End_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Added = call.take("Added", Added_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor Start = call.take("Start", Start_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor StartSums = call.take("StartSums", StartSums_given, tk::dtype_f32, 3,
                                           tk::access::write);
    const tk::tensor Unused = call.take("Unused", Unused_given, tk::dtype_f32, 4,
                                        tk::access::write);
    const tk::tensor UnusedSums = call.take("UnusedSums", UnusedSums_given, tk::dtype_f32, 3,
                                            tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t H = Q.shape[2];
    const int64_t J = S0.shape[0];
    const int64_t E = dState.shape[0];
    const int64_t P = start.shape[0];
    const int64_t I = dS0.shape[0];
    call.require(
        {tk::fixed_extent(Q, 3, 128), tk::same_extent("B", Q, 0, K, 0),
         tk::same_extent("N", Q, 1, K, 1), tk::same_extent("H", Q, 2, K, 2),
         tk::fixed_extent(K, 3, 128), tk::same_extent("B", Q, 0, V, 0),
         tk::same_extent("N", Q, 1, V, 1), tk::same_extent("H", Q, 2, V, 2),
         tk::fixed_extent(V, 3, 128), tk::same_extent("H", Q, 2, WQ, 0),
         tk::fixed_extent(WQ, 1, 128), tk::fixed_extent(WQ, 2, 64),
         tk::same_extent("H", Q, 2, WK, 0), tk::fixed_extent(WK, 1, 128),
         tk::fixed_extent(WK, 2, 64), tk::same_extent("H", Q, 2, Alpha, 0),
         tk::same_extent("H", Q, 2, Beta, 0), tk::same_extent("B", Q, 0, O, 0),
         tk::same_extent("N", Q, 1, O, 1), tk::same_extent("H", Q, 2, O, 2),
         tk::fixed_extent(O, 3, 128), tk::same_extent("H", Q, 2, S0, 1),
         tk::fixed_extent(S0, 2, 128), tk::fixed_extent(S0, 3, 128),
         tk::same_extent("J", S0, 0, Z0, 0), tk::same_extent("H", Q, 2, Z0, 1),
         tk::fixed_extent(Z0, 2, 128), tk::same_extent("B", Q, 0, dO, 0),
         tk::same_extent("N", Q, 1, dO, 1), tk::same_extent("H", Q, 2, dO, 2),
         tk::fixed_extent(dO, 3, 128), tk::same_extent("H", Q, 2, dState, 1),
         tk::fixed_extent(dState, 2, 128), tk::fixed_extent(dState, 3, 128),
         tk::same_extent("E", dState, 0, dSums, 0), tk::same_extent("H", Q, 2, dSums, 1),
         tk::fixed_extent(dSums, 2, 128), tk::same_extent("B", Q, 0, dQ, 0),
         tk::same_extent("N", Q, 1, dQ, 1), tk::same_extent("H", Q, 2, dQ, 2),
         tk::fixed_extent(dQ, 3, 128), tk::same_extent("B", Q, 0, dK, 0),
         tk::same_extent("N", Q, 1, dK, 1), tk::same_extent("H", Q, 2, dK, 2),
         tk::fixed_extent(dK, 3, 128), tk::same_extent("B", Q, 0, dV, 0),
         tk::same_extent("N", Q, 1, dV, 1), tk::same_extent("H", Q, 2, dV, 2),
         tk::fixed_extent(dV, 3, 128), tk::same_extent("H", Q, 2, dWQ, 0),
         tk::fixed_extent(dWQ, 1, 128), tk::fixed_extent(dWQ, 2, 64),
         tk::same_extent("H", Q, 2, dWK, 0), tk::fixed_extent(dWK, 1, 128),
         tk::fixed_extent(dWK, 2, 64), tk::same_extent("H", Q, 2, dAlpha, 0),
         tk::same_extent("H", Q, 2, dBeta, 0), tk::same_extent("H", Q, 2, dS0, 1),
         tk::fixed_extent(dS0, 2, 128), tk::fixed_extent(dS0, 3, 128),
         tk::same_extent("I", dS0, 0, dZ0, 0), tk::same_extent("H", Q, 2, dZ0, 1),
         tk::fixed_extent(dZ0, 2, 128), tk::same_extent("B", Q, 0, Before, 0),
         tk::fixed_extent(Before, 3, 128), tk::same_extent("B", Q, 0, Behind, 0),
         tk::fixed_extent(Behind, 3, 128), tk::same_extent("B", Q, 0, Sums, 0),
         tk::same_extent("B", Q, 0, After, 0), tk::same_extent("B", Q, 0, dX, 0),
         tk::same_extent("N", Q, 1, dX, 1), tk::same_extent("H", Q, 2, dX, 2),
         tk::fixed_extent(dX, 3, 64), tk::same_extent("B", Q, 0, dY, 0),
         tk::same_extent("N", Q, 1, dY, 1), tk::same_extent("H", Q, 2, dY, 2),
         tk::fixed_extent(dY, 3, 64), tk::same_extent("B", Q, 0, R, 0),
         tk::same_extent("H", Q, 2, R, 1), tk::same_extent("B", Q, 0, C, 0),
         tk::same_extent("H", Q, 2, C, 1), tk::same_extent("B", Q, 0, M, 0),
         tk::same_extent("H", Q, 2, M, 1), tk::same_extent("B", Q, 0, W, 0),
         tk::same_extent("H", Q, 2, W, 1), tk::same_extent("B", Q, 0, G, 0),
         tk::same_extent("H", Q, 2, G, 1), tk::same_extent("B", Q, 0, Places, 0),
         tk::same_extent("H", Q, 2, Places, 1), tk::same_extent("B", Q, 0, OfAlpha, 0),
         tk::same_extent("H", Q, 2, OfAlpha, 2), tk::same_extent("B", Q, 0, OfBeta, 0),
         tk::same_extent("H", Q, 2, OfBeta, 2), tk::same_extent("B", Q, 0, PartQ, 0),
         tk::same_extent("H", Q, 2, PartQ, 2), tk::fixed_extent(PartQ, 3, 128),
         tk::fixed_extent(PartQ, 4, 64), tk::same_extent("B", Q, 0, PartK, 0),
         tk::same_extent("H", Q, 2, PartK, 2), tk::fixed_extent(PartK, 3, 128),
         tk::fixed_extent(PartK, 4, 64), tk::same_extent("P", start, 0, First, 0),
         tk::same_extent("P", start, 0, Tokens, 0), tk::same_extent("H", Q, 2, End, 1),
         tk::fixed_extent(End, 2, 128), tk::fixed_extent(End, 3, 128),
         tk::same_extent("H", Q, 2, Added, 1), tk::fixed_extent(Added, 2, 128),
         tk::same_extent("H", Q, 2, Start, 1), tk::fixed_extent(Start, 2, 128),
         tk::fixed_extent(Start, 3, 128), tk::same_extent("H", Q, 2, StartSums, 1),
         tk::fixed_extent(StartSums, 2, 128), tk::same_extent("H", Q, 2, Unused, 1),
         tk::fixed_extent(Unused, 2, 128), tk::fixed_extent(Unused, 3, 128),
         tk::same_extent("H", Q, 2, UnusedSums, 1), tk::fixed_extent(UnusedSums, 2, 128),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"J", J}, {"E", E}, {"P", P}, {"I", I}}),
         tk::that(Before.shape[1] == tk::ceil_div(N, 64),
                  "axis 1 of `Before` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Before.shape[1], tk::ceil_div(N, 64)}), tk::fits("H*2", H * 2),
         tk::fits("H*2*64", H * 2 * 64),
         tk::that(Before.shape[2] == H * 2 * 64,
                  "axis 2 of `Before` is {}; it must be `H*2*64`, which is {}",
                  {Before.shape[2], H * 2 * 64}),
         tk::that(Behind.shape[1] == tk::ceil_div(N, 64),
                  "axis 1 of `Behind` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Behind.shape[1], tk::ceil_div(N, 64)}),
         tk::that(Behind.shape[2] == H * 2 * 64,
                  "axis 2 of `Behind` is {}; it must be `H*2*64`, which is {}",
                  {Behind.shape[2], H * 2 * 64}),
         tk::that(Sums.shape[1] == tk::ceil_div(N, 64),
                  "axis 1 of `Sums` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Sums.shape[1], tk::ceil_div(N, 64)}),
         tk::that(Sums.shape[2] == H * 2 * 64,
                  "axis 2 of `Sums` is {}; it must be `H*2*64`, which is {}",
                  {Sums.shape[2], H * 2 * 64}),
         tk::that(After.shape[1] == tk::ceil_div(N, 64),
                  "axis 1 of `After` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {After.shape[1], tk::ceil_div(N, 64)}),
         tk::that(After.shape[2] == H * 2 * 64,
                  "axis 2 of `After` is {}; it must be `H*2*64`, which is {}",
                  {After.shape[2], H * 2 * 64}),
         tk::that(R.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `R` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {R.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(C.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `C` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {C.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(M.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `M` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {M.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(W.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `W` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {W.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(G.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `G` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {G.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(Places.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `Places` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {Places.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(OfAlpha.shape[1] == tk::ceil_div(N, 64),
                  "axis 1 of `OfAlpha` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {OfAlpha.shape[1], tk::ceil_div(N, 64)}),
         tk::that(OfBeta.shape[1] == tk::ceil_div(N, 64),
                  "axis 1 of `OfBeta` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {OfBeta.shape[1], tk::ceil_div(N, 64)}),
         tk::that(PartQ.shape[1] == tk::ceil_div(N, 2048),
                  "axis 1 of `PartQ` is {}; it must be `ceil_div(N, 2048)`, which is {}",
                  {PartQ.shape[1], tk::ceil_div(N, 2048)}),
         tk::that(PartK.shape[1] == tk::ceil_div(N, 2048),
                  "axis 1 of `PartK` is {}; it must be `ceil_div(N, 2048)`, which is {}",
                  {PartK.shape[1], tk::ceil_div(N, 2048)}),
         tk::that(End.shape[0] == tk::smaller(B, 0),
                  "axis 0 of `End` is {}; it must be `min(B, 0)`, which is {}",
                  {End.shape[0], tk::smaller(B, 0)}),
         tk::that(Added.shape[0] == tk::smaller(B, 0),
                  "axis 0 of `Added` is {}; it must be `min(B, 0)`, which is {}",
                  {Added.shape[0], tk::smaller(B, 0)}),
         tk::that(Start.shape[0] == tk::smaller(B, 0),
                  "axis 0 of `Start` is {}; it must be `min(B, 0)`, which is {}",
                  {Start.shape[0], tk::smaller(B, 0)}),
         tk::that(StartSums.shape[0] == tk::smaller(B, 0),
                  "axis 0 of `StartSums` is {}; it must be `min(B, 0)`, which is {}",
                  {StartSums.shape[0], tk::smaller(B, 0)}),
         tk::that(Unused.shape[0] == tk::smaller(B, 0),
                  "axis 0 of `Unused` is {}; it must be `min(B, 0)`, which is {}",
                  {Unused.shape[0], tk::smaller(B, 0)}),
         tk::that(UnusedSums.shape[0] == tk::smaller(B, 0),
                  "axis 0 of `UnusedSums` is {}; it must be `min(B, 0)`, which is {}",
                  {UnusedSums.shape[0], tk::smaller(B, 0)}),
         tk::that(scale > 0.0f, "`hedgehog_backward` requires `scale > 0`"),
         tk::that(I == 0 && J == 0 && E == 0,
                  "`hedgehog_backward` requires `STATES or I == 0 and J == 0 and E == 0`"),
         tk::that(P == 0, "`hedgehog_backward` requires `PACKED or P == 0`"),
         tk::that(I <= B, "`hedgehog_backward` requires `PACKED or I <= B`"),
         tk::that(J <= B, "`hedgehog_backward` requires `PACKED or J <= B`"),
         tk::that(E <= B, "`hedgehog_backward` requires `PACKED or E <= B`"),
         tk::that(int64_t{segments} == 1,
                  "`hedgehog_backward` requires `SEGMENTS or segments == 1`"),
         tk::that(-2147483648 <= tk::ceil_div(tk::larger(N, 1), 64) * 64,
                  "`ceil_div(max(N, 1), 64)*64`, which `before` is called with, is {}; it must fit in 32 bits",
                  {tk::ceil_div(tk::larger(N, 1), 64) * 64}),
         tk::that(tk::ceil_div(tk::larger(N, 1), 64) * 64 < 2147483648,
                  "`ceil_div(max(N, 1), 64)*64`, which `before` is called with, is {}; it must fit in 32 bits",
                  {tk::ceil_div(tk::larger(N, 1), 64) * 64})});
    // before(K, V, WK, S0, Z0, start, Before, Sums, 1, ceil_div(max(N, 1), 64)*64)
    call.require({
        tk::that(tk::ceil_div(tk::larger(N, 1), 64) * 64 >= 64,
                 "`before` requires `(ceil_div(max(N, 1), 64)*64) >= L`"),
        tk::that(tk::ceil_div(tk::larger(N, 1), 64) * 64 >= N,
                 "`before` requires `1 * (ceil_div(max(N, 1), 64)*64) >= N`"),
        tk::that(0 <= N, "`before` requires `(1 - 1) * (ceil_div(max(N, 1), 64)*64) <= N`"),
        tk::suits_tma_load(K), tk::suits_tma_load(V), tk::suits_tma_load(WK),
        tk::suits_tma_store(Before), tk::grid_fits(H, 2147483648),
        tk::grid_fits(tk::multiply(H, B), 2147483648),
        tk::fits("(segment + 1)*(ceil_div(max(N, 1), 64)*64)",
                 tk::larger(tk::ceil_div(tk::larger(N, 1), 64) * 64,
                            tk::ceil_div(tk::larger(N, 1), 64) * 64)),
        tk::that(-2147483648 <=
                 tk::smaller(tk::ceil_div(tk::larger(N, 1), 64) * 64,
                             tk::ceil_div(tk::larger(N, 1), 64) * 64),
                 "`(segment + 1)*(ceil_div(max(N, 1), 64)*64)` reaches {}; it must fit in 32 bits",
                 {
                     tk::smaller(tk::ceil_div(tk::larger(N, 1), 64) * 64,
                                 tk::ceil_div(tk::larger(N, 1), 64) * 64)}),
        tk::that(-2147483648 <=
                 tk::smaller(tk::ceil_div(tk::larger(N, 1), 64) * 64,
                             tk::ceil_div(tk::larger(N, 1), 64) * 64) - 64,
                 "`(segment + 1)*(ceil_div(max(N, 1), 64)*64) - 64` reaches {}; it must fit in 32 bits",
                 {
                     tk::smaller(tk::ceil_div(tk::larger(N, 1), 64) * 64,
                                 tk::ceil_div(tk::larger(N, 1), 64) * 64) - 64}),
        tk::fits("b*1", tk::larger(0, B - 1)),
        tk::that(-2147483648 <= tk::smaller(0, B - 1), "`b*1` reaches {}; it must fit in 32 bits",
                 {tk::smaller(0, B - 1)}), tk::fits("h*2", (H - 1) * 2),
        tk::fits("h*2*64", (H - 1) * 2 * 64), tk::fits("h*2*64 + 64", (H - 1) * 2 * 64 + 64)});
    // queries(Q, K, V, WQ, Alpha, Beta, O, dO, Before, Sums, First, Tokens, dQ, dX, R, C, M, W, G,
    // Places, OfAlpha, OfBeta, scale, eps)
    call.require(
        {tk::suits_tma_load(Q), tk::suits_tma_load(WQ), tk::suits_tma_load(O),
         tk::suits_tma_load(dO), tk::suits_tma_load(Sums), tk::suits_tma_store(dQ),
         tk::suits_tma_store(dX), tk::grid_fits(tk::multiply(tk::ceil_div(N, 64), H), 2147418112),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 64), H), B), 2147418112)});
    // behind(Q, dO, WQ, Alpha, R, C, dState, dSums, start, Behind, After, dS0, dZ0, 1,
    // ceil_div(max(N, 1), 64)*64)
    call.require(
        {tk::that(I == 0, "`behind` requires `STATES or I == 0`"), tk::suits_tma_load(R),
         tk::suits_tma_load(C), tk::suits_tma_store(Behind),
         tk::fits("b*1 + 1", tk::larger(0, B - 1) + 1),
         tk::that(-2147483648 <= tk::smaller(0, B - 1) + 1,
                  "`b*1 + 1` reaches {}; it must fit in 32 bits", {tk::smaller(0, B - 1) + 1}),
         tk::fits("N - t.start", N)});
    // keys(Q, K, V, WK, Alpha, dO, Behind, After, C, M, W, G, Places, First, Tokens, dK, dV, dY,
    // scale)
    call.require(
        {tk::suits_tma_load(After), tk::suits_tma_load(M), tk::suits_tma_load(W),
         tk::suits_tma_load(G), tk::suits_tma_load(Places), tk::suits_tma_store(dK),
         tk::suits_tma_store(dV), tk::suits_tma_store(dY)});
    // maps(Q, dX, PartQ)
    call.require(
        {tk::grid_fits(tk::multiply(tk::ceil_div(N, 2048), H), 2147418112),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 2048), H), B), 2147418112)});
    // maps_total(PartQ, dWQ)
    call.require({
        tk::that(tk::ceil_div(N, 2048) < 2147221504,
                 "`ceil_div(N, 2048)` is {}; extents must be less than 2147221504",
                 {tk::ceil_div(N, 2048)}), tk::grid_fits(8 * H, 2147483648)});
    // factors(OfAlpha, OfBeta, dAlpha, dBeta)
    call.require({
        tk::that(tk::ceil_div(N, 64) < 2147221504,
                 "`ceil_div(N, 64)` is {}; extents must be less than 2147221504",
                 {tk::ceil_div(N, 64)})});
    if (!call.ok()) return tk::finish(call.result());

    // maps(Q, dX, PartQ)
    const bool choice_6 = tk::hold({tk::suits_fast(Q), tk::suits_fast(dX)});

    // maps(K, dY, PartK)
    const bool choice_7 = tk::hold({tk::suits_fast(K), tk::suits_fast(dY)});

    // maps_total(PartQ, dWQ)
    const bool choice_8 = tk::hold({tk::suits_fast(PartQ), tk::suits_fast(dWQ)});

    // maps_total(PartK, dWK)
    const bool choice_9 = tk::hold({tk::suits_fast(PartK), tk::suits_fast(dWK)});

    // factors(OfAlpha, OfBeta, dAlpha, dBeta)
    const bool choice_10 = tk::hold(
        {tk::suits_fast(OfAlpha, "H"), tk::whole_vectors(OfAlpha, 4), tk::suits_fast(OfBeta, "H"),
         tk::suits_fast(dAlpha, "H"), tk::suits_fast(dBeta, "H")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    TK_FINISH_IF_FAILED(launch_packed_chunks_packed_chunks(site, start, First, Tokens, P, P));
    TK_FINISH_IF_FAILED(
        launch_before(site, K, V, WK, S0, Z0, Before, Sums, B, N, H, J, static_cast<int32_t>(1),
                      static_cast<int32_t>(tk::ceil_div(tk::larger(N, 1), 64) * 64)));
    TK_FINISH_IF_FAILED(launch_queries(
        site, Q, K, V, WQ, Alpha, Beta, O, dO, tk::read_only(Before), tk::read_only(Sums), dQ, dX,
        R, C, M, W, G, Places, OfAlpha, OfBeta, B, N, H, scale, eps));
    TK_FINISH_IF_FAILED(
        launch_behind(site, Q, dO, WQ, tk::read_only(R), tk::read_only(C), dState, dSums, Behind,
                      After, dS0, dZ0, B, N, H, E, I, static_cast<int32_t>(1),
                      static_cast<int32_t>(tk::ceil_div(tk::larger(N, 1), 64) * 64)));
    TK_FINISH_IF_FAILED(
        launch_keys(site, Q, K, V, WK, Alpha, dO, tk::read_only(Behind), tk::read_only(After),
                    tk::read_only(C), tk::read_only(M), tk::read_only(W), tk::read_only(G),
                    tk::read_only(Places), dK, dV, dY, B, N, H, scale));
    if (choice_6) {
        TK_FINISH_IF_FAILED(launch_maps(site, Q, tk::read_only(dX), PartQ, B, N, H));
    } else {
        TK_FINISH_IF_FAILED(launch_maps_general(site, Q, tk::read_only(dX), PartQ, B, N, H));
    }
    if (choice_7) {
        TK_FINISH_IF_FAILED(launch_maps(site, K, tk::read_only(dY), PartK, B, N, H));
    } else {
        TK_FINISH_IF_FAILED(launch_maps_general(site, K, tk::read_only(dY), PartK, B, N, H));
    }
    if (choice_8) {
        TK_FINISH_IF_FAILED(
            launch_maps_total(site, tk::read_only(PartQ), dWQ, B, tk::ceil_div(N, 2048), H));
    } else {
        TK_FINISH_IF_FAILED(launch_maps_total_general(
            site, tk::read_only(PartQ), dWQ, B, tk::ceil_div(N, 2048), H));
    }
    if (choice_9) {
        TK_FINISH_IF_FAILED(
            launch_maps_total(site, tk::read_only(PartK), dWK, B, tk::ceil_div(N, 2048), H));
    } else {
        TK_FINISH_IF_FAILED(launch_maps_total_general(
            site, tk::read_only(PartK), dWK, B, tk::ceil_div(N, 2048), H));
    }
    if (choice_10) {
        TK_FINISH_IF_FAILED(
            launch_factors(site, tk::read_only(OfAlpha), tk::read_only(OfBeta), dAlpha, dBeta, B,
                           tk::ceil_div(N, 64), H));
    } else {
        TK_FINISH_IF_FAILED(
            launch_factors_general(site, tk::read_only(OfAlpha), tk::read_only(OfBeta), dAlpha,
                                   dBeta, B, tk::ceil_div(N, 64), H));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(hedgehog_backward, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, float, float,
                int32_t, int32_t)
}  // extern "C"
