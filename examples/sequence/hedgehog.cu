// Made by tkc from hedgehog.tk: change that, and not this.
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

// chunks: kernel chunks with T = bf16, D = 128, DV = 128, F = 64, PACKED = false, STATES = false, L
// = 64.
// producer: 1 warp, 24 registers a thread; keys: 1 warpgroup, 88 registers a thread; state: 1
// warpgroup, 232 registers a thread; output: 1 warpgroup, 168 registers a thread.
// 512 threads, 128 registers each at first, 183392 bytes of shared memory.
struct chunks_shared {
    tk::shared_tile<tk::bf16, 128, 64> wqs_tile[1];
    tk::shared_tile<tk::bf16, 128, 64> wks_tile[1];
    tk::shared_tile<tk::bf16, 64, 128> ks_last[1];
    tk::shared_tile<tk::bf16, 64, 128> ks_own[1];
    tk::shared_tile<tk::bf16, 64, 128> ks_q[1];
    tk::shared_tile<tk::bf16, 64, 128> vs_last[1];
    tk::shared_tile<tk::bf16, 64, 128> vs_own[1];
    tk::shared_tile<tk::bf16, 64, 64> fs_p[1];
    tk::shared_tile<tk::bf16, 64, 64> fs_n[1];
    tk::shared_tile<tk::bf16, 64, 8> fs_one[1];
    tk::shared_tile<tk::bf16, 64, 128> states_p[1];
    tk::shared_tile<tk::bf16, 64, 128> states_n[1];
    tk::shared_tile<tk::bf16, 64, 8> states_zp[1];
    tk::shared_tile<tk::bf16, 64, 8> states_zn[1];
    tk::shared_tile<tk::bf16, 64, 64> output_O[2];
    tk::pipeline<1> wqs;
    tk::pipeline<1> wks;
    tk::pipeline<1> ks;
    tk::pipeline<1> vs;
    tk::pipeline<1> fs;
    tk::pipeline<1> states;
};
static_assert(offsetof(chunks_shared, states) == 183376);

__global__ void __launch_bounds__(512, 1) chunks_kernel(
    const __grid_constant__ CUtensorMap WK_map, const __grid_constant__ CUtensorMap WQ_map,
    const __grid_constant__ CUtensorMap K_map, const __grid_constant__ CUtensorMap Q_map,
    const __grid_constant__ CUtensorMap V_map, const __grid_constant__ CUtensorMap O_map,
    const tk::tensor_argument<const float, 1> Alpha, const tk::tensor_argument<const float, 1> Beta,
    const tk::tensor_argument<const float, 4> S0, const tk::tensor_argument<const float, 3> Z0,
    const tk::tensor_argument<float, 4> State, const tk::tensor_argument<float, 3> Sums, int B,
    int N, int H, int I, int E, float scale, float eps, int segments, int length) {
    extern __shared__ __align__(1024) unsigned char memory[];
    chunks_shared& shared = *reinterpret_cast<chunks_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(WK_map, WQ_map, K_map, Q_map, V_map, O_map);
        shared.wqs.init(1, 4);
        shared.wks.init(1, 4);
        shared.ks.init(1, 8);
        shared.vs.init(1, 8);
        shared.fs.init(4, 4);
        shared.states.init(4, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 12) {
        // hedgehog.tk:48: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int p_tiles = tk::max(segments, 0);
        if (warp == 12 && tk::elect_one()) {
            tk::cursor<1> ks_next, vs_next, wks_next, wqs_next;
            const int program = blockIdx.x;
            const int h = program % H;
            const int p = program / H % p_tiles;
            const int b = program / (H * p_tiles);

            // hedgehog.tk:38: let begin  = if PACKED { 0 } else { max(p * length - L, 0) };
            const int begin = tk::max(p * length - 64, 0);

            // hedgehog.tk:39: let end    = if PACKED { tokens } else { min((p + 1) * length, N) };
            const int end = tk::min((p + 1) * length, N);

            // hedgehog.tk:49: produce wks = tma_load(WK[h, :, :]);
            shared.wks.begin(wks_next, 16384);
            tk::tma_load(shared.wks_tile[wks_next.stage], WK_map, shared.wks.full[wks_next.stage],
                         h, 0, 0);
            wks_next.advance();

            // hedgehog.tk:50: produce wqs = tma_load(WQ[h, :, :]);
            shared.wqs.begin(wqs_next, 16384);
            tk::tma_load(shared.wqs_tile[wqs_next.stage], WQ_map, shared.wqs.full[wqs_next.stage],
                         h, 0, 0);
            wqs_next.advance();

            // hedgehog.tk:51: for t in begin..end by L {
            #pragma unroll 1
            for (int t = begin; t < end; t += 64) {
                // hedgehog.tk:59: produce ks {
                shared.ks.begin(ks_next, 49152);

                // hedgehog.tk:60: last = tma_load(K[b, max(t.start - L, 0) +: L, h, :]); own = ..
                tk::tma_load(shared.ks_last[ks_next.stage], K_map, shared.ks.full[ks_next.stage], b,
                             tk::max(t - 64, 0), h, 0);
                tk::tma_load(shared.ks_own[ks_next.stage], K_map, shared.ks.full[ks_next.stage], b,
                             t, h, 0);

                // hedgehog.tk:61: q = tma_load(Q[b, t, h, :]);
                tk::tma_load(shared.ks_q[ks_next.stage], Q_map, shared.ks.full[ks_next.stage], b, t,
                             h, 0);
                // hedgehog.tk:59
                ks_next.advance();

                // hedgehog.tk:63: produce vs { last = tma_load(V[b, max(t.start - L, 0) +: L, h, ..
                shared.vs.begin(vs_next, 32768);
                tk::tma_load(shared.vs_last[vs_next.stage], V_map, shared.vs.full[vs_next.stage], b,
                             tk::max(t - 64, 0), h, 0);
                tk::tma_load(shared.vs_own[vs_next.stage], V_map, shared.vs.full[vs_next.stage], b,
                             t, h, 0);
                vs_next.advance();
            }
        }
    } else if (warp < 4) {
        // hedgehog.tk:67: role keys(1 warpgroup) {
        tk::registers_at_most<88>();
        const int p_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        tk::cursor<1> fs_next_2, ks_next, wks_next;
        const int program = blockIdx.x;
        const int p = program / H % p_tiles;

        // hedgehog.tk:38: let begin  = if PACKED { 0 } else { max(p * length - L, 0) };
        const int begin = tk::max(p * length - 64, 0);

        // hedgehog.tk:39: let end    = if PACKED { tokens } else { min((p + 1) * length, N) };
        const int end = tk::min((p + 1) * length, N);

        // hedgehog.tk:68: var one: T[L, 8] = 1;
        tk::fragment<tk::bf16, 64, 8> one;
        tk::map(one, []() { return tk::bf16(1.0f); });

        // hedgehog.tk:69: let w = consume wks;
        const tk::cursor<1> w_element = shared.wks.take(wks_next);

        // hedgehog.tk:70: for t in begin..end by L {
        tk::fragment<tk::bf16, 64, 64> p_2;
        tk::fragment<tk::bf16, 64, 64> n;
        for (int t = begin; t < end; t += 64) {
            // hedgehog.tk:71: let k = consume ks;
            const tk::cursor<1> k = shared.ks.take(ks_next);

            // hedgehog.tk:72: let x = mma(k.own, w);
            tk::fragment<float, 64, 64> x;
            tk::mma_async(x, shared.ks_own[k.stage], shared.wks_tile[w_element.stage],
                          tk::accumulate_never{});
            tk::mma_wait<0>(x);
            shared.ks.release(k);

            // hedgehog.tk:21: let e = exp2((x - max(x, axis = 1)) * LOG2E);
            tk::column_fragment<float, 64> t1;
            tk::fold_rows(t1, x, tk::maximum{}, thread);
            tk::finish_rows(t1, tk::maximum{});
            tk::fragment<float, 64, 64> e;
            tk::map(e, [](float x, float t1) { return tk::exp2((x - t1) * 1.442695f); }, x, t1);

            // hedgehog.tk:22: return max(e / sum(e, axis = 1), 0.000001);
            tk::column_fragment<float, 64> t2;
            tk::fold_rows(t2, e, tk::plus{}, thread);
            tk::finish_rows(t2, tk::plus{});

            // hedgehog.tk:74: let p = T(seen<STATES>(pad(features(x), axis = 0, with = 0), more));
            if (t + 64 <= N) {
                tk::map(p_2, [](float e, float t2) { return tk::max(tk::divide(e, t2), 1e-06f); },
                        e, t2);
            } else {
                tk::map(p_2, thread, [&](int row, int, float e, float t2) {
                    return row < N - t ? tk::max(tk::divide(e, t2), 1e-06f) : 0.0f;
                }, e, t2);
            }
            // hedgehog.tk:21
            tk::fragment<float, 64, 64> t3;
            tk::map(t3, [](float x) { return -x; }, x);
            tk::column_fragment<float, 64> t4;
            tk::fold_rows(t4, t3, tk::maximum{}, thread);
            tk::finish_rows(t4, tk::maximum{});
            tk::fragment<float, 64, 64> e_2;
            tk::map(e_2, [](float t3, float t4) { return tk::exp2((t3 - t4) * 1.442695f); },
                    t3, t4);
            // hedgehog.tk:22
            tk::column_fragment<float, 64> t5;
            tk::fold_rows(t5, e_2, tk::plus{}, thread);
            tk::finish_rows(t5, tk::plus{});

            // hedgehog.tk:75: let n = T(seen<STATES>(pad(features(-x), axis = 0, with = 0), more));
            if (t + 64 <= N) {
                tk::map(n, [](float e_2, float t5) { return tk::max(tk::divide(e_2, t5), 1e-06f); },
                        e_2, t5);
            } else {
                tk::map(n, thread, [&](int row, int, float e_2, float t5) {
                    return row < N - t ? tk::max(tk::divide(e_2, t5), 1e-06f) : 0.0f;
                }, e_2, t5);
            }

            // hedgehog.tk:76: produce fs { p = p; n = n; one = one; }
            shared.fs.wait_empty(fs_next_2);
            tk::store_shared(shared.fs_p[fs_next_2.stage], p_2, thread);
            tk::store_shared(shared.fs_n[fs_next_2.stage], n, thread);
            tk::store_shared(shared.fs_one[fs_next_2.stage], one, thread);
            shared.fs.publish(fs_next_2);
            fs_next_2.advance();
        }
        shared.wks.release(w_element);
    } else if (warp < 8) {
        // hedgehog.tk:79: role state(1 warpgroup) {
        tk::registers_at_least<232>();
        const int p_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        tk::cursor<1> fs_next_2, states_next_2;
        const int program = blockIdx.x;
        const int h = program % H;
        const int p = program / H % p_tiles;
        const int b = program / (H * p_tiles);

        // hedgehog.tk:38: let begin  = if PACKED { 0 } else { max(p * length - L, 0) };
        const int begin = tk::max(p * length - 64, 0);

        // hedgehog.tk:39: let end    = if PACKED { tokens } else { min((p + 1) * length, N) };
        const int end = tk::min((p + 1) * length, N);

        // hedgehog.tk:80: var sp: f32[F, DV] = load(S0[b * segments + p, h, 0 +: F, :]);
        tk::fragment<float, 64, 128> sp;
        tk::load_global(sp,
                        tk::slice(S0, {b * segments + p, h, 0, 0},
                                  b * segments + p > -1 && b * segments + p < I ? 128 : 0, 128),
                        thread);

        // hedgehog.tk:81: var sn: f32[F, DV] = load(S0[b * segments + p, h, F +: F, :]);
        tk::fragment<float, 64, 128> sn;
        tk::load_global(sn,
                        tk::slice(S0, {b * segments + p, h, 64, 0},
                                  b * segments + p > -1 && b * segments + p < I ? 128 - 64 : 0,
                                  128), thread);

        // hedgehog.tk:82: var zp: f32[F, 8] = column(load(Z0[b * segments + p, h, 0 +: F]));
        tk::fragment<float, 64, 8> zp;
        tk::map(zp, thread, [&](int row, int) {
            return 0 <= tk::wrapping_add(tk::wrapping_multiply(b, segments), p) &&
                tk::wrapping_add(tk::wrapping_multiply(b, segments), p) < I && h < H && row < 128
                ? tk::cell(Z0, tk::wrapping_add(tk::wrapping_multiply(b, segments), p), h, row)
                : float{};
        });

        // hedgehog.tk:83: var zn: f32[F, 8] = column(load(Z0[b * segments + p, h, F +: F]));
        tk::fragment<float, 64, 8> zn;
        tk::map(zn, thread, [&](int row, int) {
            return 0 <= tk::wrapping_add(tk::wrapping_multiply(b, segments), p) &&
                tk::wrapping_add(tk::wrapping_multiply(b, segments), p) < I && h < H &&
                64 + row < 128
                ? tk::cell(Z0, tk::wrapping_add(tk::wrapping_multiply(b, segments), p), h, 64 + row)
                : float{};
        });

        // hedgehog.tk:85: var p0: T[F, DV] = 0;
        tk::fragment<tk::bf16, 64, 128> p0;
        tk::map(p0, []() { return tk::bf16(0.0f); });

        // hedgehog.tk:86: var n0: T[F, DV] = 0;
        tk::fragment<tk::bf16, 64, 128> n0;
        tk::map(n0, []() { return tk::bf16(0.0f); });

        // hedgehog.tk:87: var zp0: T[F, 8] = 0;
        tk::fragment<tk::bf16, 64, 8> zp0;
        tk::map(zp0, []() { return tk::bf16(0.0f); });

        // hedgehog.tk:88: var zn0: T[F, 8] = 0;
        tk::fragment<tk::bf16, 64, 8> zn0;
        tk::map(zn0, []() { return tk::bf16(0.0f); });

        // hedgehog.tk:89: for t in begin..end by L {
        for (int t = begin; t < end; t += 64) {
            // hedgehog.tk:90: produce states { p = p0; n = n0; zp = zp0; zn = zn0; }
            shared.states.wait_empty(states_next_2);
            tk::store_shared(shared.states_p[states_next_2.stage], p0, thread);
            tk::store_shared(shared.states_n[states_next_2.stage], n0, thread);
            tk::store_shared(shared.states_zp[states_next_2.stage], zp0, thread);
            tk::store_shared(shared.states_zn[states_next_2.stage], zn0, thread);
            shared.states.publish(states_next_2);
            states_next_2.advance();

            // hedgehog.tk:91: p0 = T(sp);
            p0 = tk::convert<tk::bf16>(sp);

            // hedgehog.tk:92: n0 = T(sn);
            n0 = tk::convert<tk::bf16>(sn);

            // hedgehog.tk:93: zp0 = T(zp);
            zp0 = tk::convert<tk::bf16>(zp);

            // hedgehog.tk:94: zn0 = T(zn);
            zn0 = tk::convert<tk::bf16>(zn);

            // hedgehog.tk:95: let f = consume fs;
            const tk::cursor<1> f = shared.fs.take(fs_next_2);

            // hedgehog.tk:96: let v = consume vs;
            shared.vs.wait_full(f);

            // hedgehog.tk:97: sp += mma(f.p.T, v.own);
            tk::mma_async(sp, tk::transposed(shared.fs_p[f.stage]), shared.vs_own[f.stage]);

            // hedgehog.tk:98: sn += mma(f.n.T, v.own);
            tk::mma_async(sn, tk::transposed(shared.fs_n[f.stage]), shared.vs_own[f.stage]);

            // hedgehog.tk:99: zp += mma(f.p.T, f.one);
            tk::mma_async(zp, tk::transposed(shared.fs_p[f.stage]), shared.fs_one[f.stage]);

            // hedgehog.tk:100: zn += mma(f.n.T, f.one);
            tk::mma_async(zn, tk::transposed(shared.fs_n[f.stage]), shared.fs_one[f.stage]);
            tk::mma_wait<0>(sp, sn, zp, zn);
            shared.vs.release(f);
            shared.fs.release(f);
        }

        // hedgehog.tk:102: if p == segments - 1 {
        if (p == segments - 1) {
            // hedgehog.tk:103: store(State[b, h, 0 +: F, :], sp);
            tk::store_global(tk::slice(State, {b, h, 0, 0}, b < E ? 128 : 0, 128), sp, thread);

            // hedgehog.tk:104: store(State[b, h, F +: F, :], sn);
            tk::store_global(tk::slice(State, {b, h, 64, 0}, b < E ? 128 - 64 : 0, 128), sn,
                             thread);

            // hedgehog.tk:105: store(Sums[b, h, 0 +: F], max(zp, axis = 1));
            tk::column_fragment<float, 64> t4;
            tk::fold_rows(t4, zp, tk::maximum{}, thread);
            tk::finish_rows(t4, tk::maximum{});
            tk::store_global(tk::slice<2, tk::no_axis>(Sums, {b, h, 0}, b < E ? 128 : 0, 1), t4,
                             thread);

            // hedgehog.tk:106: store(Sums[b, h, F +: F], max(zn, axis = 1));
            tk::column_fragment<float, 64> t5;
            tk::fold_rows(t5, zn, tk::maximum{}, thread);
            tk::finish_rows(t5, tk::maximum{});
            tk::store_global(tk::slice<2, tk::no_axis>(Sums, {b, h, 64}, b < E ? 128 - 64 : 0, 1),
                             t5, thread);
        }
    } else {
        // hedgehog.tk:109: role output(1 warpgroup) {
        tk::registers_at_least<168>();
        const int p_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<1> ks_next, wqs_next;
        const int program = blockIdx.x;
        const int h = program % H;
        const int p = program / H % p_tiles;
        const int b = program / (H * p_tiles);

        // hedgehog.tk:37: let tokens = if PACKED { start[b + 1] - start[b] } else { N };
        const int tokens = N;

        // hedgehog.tk:38: let begin  = if PACKED { 0 } else { max(p * length - L, 0) };
        const int begin = tk::max(p * length - 64, 0);

        // hedgehog.tk:39: let end    = if PACKED { tokens } else { min((p + 1) * length, N) };
        const int end = tk::min((p + 1) * length, N);

        // hedgehog.tk:110: let w = consume wqs;
        const tk::cursor<1> w_element = shared.wqs.take(wqs_next);

        // hedgehog.tk:111: let alpha = Alpha[h];
        const float alpha = tk::cell(Alpha, h);

        // hedgehog.tk:112: let beta = Beta[h];
        const float beta = tk::cell(Beta, h);

        // hedgehog.tk:113: for t in begin..end by L {
        tk::fragment<float, 64, 64> y0;
        for (int t = begin; t < end; t += 64) {
            // hedgehog.tk:114: let k = consume ks;
            const tk::cursor<1> k = shared.ks.take(ks_next);

            // hedgehog.tk:115: let x = mma(k.q, w);
            tk::fragment<float, 64, 64> x;
            tk::mma_async(x, shared.ks_q[k.stage], shared.wqs_tile[w_element.stage],
                          tk::accumulate_never{});

            // hedgehog.tk:116: let s0 = mma(k.q, k.last.T);
            tk::fragment<float, 64, 64> s0;
            tk::mma_async(s0, shared.ks_q[k.stage], tk::transposed(shared.ks_last[k.stage]),
                          tk::accumulate_never{});

            // hedgehog.tk:117: let s1 = mma(k.q, k.own.T);
            tk::fragment<float, 64, 64> s1;
            tk::mma_async(s1, shared.ks_q[k.stage], tk::transposed(shared.ks_own[k.stage]),
                          tk::accumulate_never{});
            tk::mma_wait<2>(x);

            // hedgehog.tk:21: let e = exp2((x - max(x, axis = 1)) * LOG2E);
            tk::column_fragment<float, 64> t3;
            tk::fold_rows(t3, x, tk::maximum{}, thread);
            tk::finish_rows(t3, tk::maximum{});
            tk::fragment<float, 64, 64> e;
            tk::map(e, [](float x, float t3) { return tk::exp2((x - t3) * 1.442695f); }, x, t3);

            // hedgehog.tk:22: return max(e / sum(e, axis = 1), 0.000001);
            tk::column_fragment<float, 64> t4;
            tk::fold_rows(t4, e, tk::plus{}, thread);
            tk::finish_rows(t4, tk::plus{});

            // hedgehog.tk:118: let fp = T(features(x) * alpha);
            tk::fragment<tk::bf16, 64, 64> fp;
            tk::map(fp, [&](float e, float t4) {
                return tk::max(tk::divide(e, t4), 1e-06f) * alpha;
            }, e, t4);
            // hedgehog.tk:21
            tk::hold_waits(warp);
            tk::fragment<float, 64, 64> t5;
            tk::map(t5, [](float x) { return -x; }, x);
            tk::column_fragment<float, 64> t6;
            tk::fold_rows(t6, t5, tk::maximum{}, thread);
            tk::finish_rows(t6, tk::maximum{});
            tk::fragment<float, 64, 64> e_2;
            tk::map(e_2, [](float t5, float t6) { return tk::exp2((t5 - t6) * 1.442695f); },
                    t5, t6);
            // hedgehog.tk:22
            tk::column_fragment<float, 64> t7;
            tk::fold_rows(t7, e_2, tk::plus{}, thread);
            tk::finish_rows(t7, tk::plus{});

            // hedgehog.tk:119: let fm = T(features(-x) * alpha);
            tk::fragment<tk::bf16, 64, 64> fm;
            tk::map(fm, [&](float e_2, float t7) {
                return tk::max(tk::divide(e_2, t7), 1e-06f) * alpha;
            }, e_2, t7);
            tk::mma_wait<1>(s0);

            // hedgehog.tk:120: let y0 = where(t.start > 0 and col_index(s0) < tokens - ..
            if (tk::max(t - 64, 0) + 64 <= tokens) {
                tk::map(y0, [&](float s0) { return t > 0 ? s0 : -INFINITY; }, s0);
            } else {
                tk::map(y0, thread, [&](int, int col, float s0) {
                    return t > 0 && col < tokens - tk::max(t - 64, 0) ? s0 : -INFINITY;
                }, s0);
            }
            tk::mma_wait<0>(s1);
            shared.ks.release(k);

            // hedgehog.tk:121: let y1 = where(col_index(s1) <= row_index(s1) and col_index(s1) < ..
            tk::fragment<float, 64, 64> y1;
            tk::map(y1, thread, [&](int row, int col, float s1) {
                return col <= row && col < tokens - t ? s1 : -INFINITY;
            }, s1);

            // hedgehog.tk:122: let most = max(max(y0, axis = 1), max(y1, axis = 1));
            tk::column_fragment<float, 64> t8;
            tk::fold_rows(t8, y0, tk::maximum{}, thread);
            tk::finish_rows(t8, tk::maximum{});
            tk::column_fragment<float, 64> t9;
            tk::fold_rows(t9, y1, tk::maximum{}, thread);
            tk::finish_rows(t9, tk::maximum{});
            tk::column_fragment<float, 64> most;
            tk::map(most, [](float t8, float t9) { return tk::max(t8, t9); }, t8, t9);

            // hedgehog.tk:123: let e0 = exp2((y0 - most) * (scale * LOG2E)) * beta;
            tk::fragment<float, 64, 64> e0;
            tk::map(e0, [&](float y0, float most) {
                return tk::exp2((y0 - most) * (scale * 1.442695f)) * beta;
            }, y0, most);

            // hedgehog.tk:124: let e1 = exp2((y1 - most) * (scale * LOG2E)) * beta;
            tk::fragment<float, 64, 64> e1;
            tk::map(e1, [&](float y1, float most) {
                return tk::exp2((y1 - most) * (scale * 1.442695f)) * beta;
            }, y1, most);

            // hedgehog.tk:125: let near = sum(e0, axis = 1) + sum(e1, axis = 1);
            tk::column_fragment<float, 64> t10;
            tk::fold_rows(t10, e0, tk::plus{}, thread);
            tk::finish_rows(t10, tk::plus{});
            tk::column_fragment<float, 64> t11;
            tk::fold_rows(t11, e1, tk::plus{}, thread);
            tk::finish_rows(t11, tk::plus{});

            // hedgehog.tk:126: let r0 = T(e0);
            tk::fragment<tk::bf16, 64, 64> r0 = tk::convert<tk::bf16>(e0);

            // hedgehog.tk:127: let r1 = T(e1);
            tk::fragment<tk::bf16, 64, 64> r1 = tk::convert<tk::bf16>(e1);

            // hedgehog.tk:128: let before = consume states;
            shared.states.wait_full(k);

            // hedgehog.tk:129: var o = mma(fp, before.p);
            tk::fragment<float, 64, 128> o;
            tk::mma_async(o, fp, shared.states_p[k.stage], tk::accumulate_never{});

            // hedgehog.tk:130: o += mma(fm, before.n);
            tk::mma_async(o, fm, shared.states_n[k.stage]);

            // hedgehog.tk:131: var z = mma(fp, before.zp);
            tk::fragment<float, 64, 8> z;
            tk::mma_async(z, fp, shared.states_zp[k.stage], tk::accumulate_never{});

            // hedgehog.tk:132: z += mma(fm, before.zn);
            tk::mma_async(z, fm, shared.states_zn[k.stage]);

            // hedgehog.tk:133: let v = consume vs;
            shared.vs.wait_full(k);

            // hedgehog.tk:134: o += mma(r0, v.last);
            tk::mma_async(o, r0, shared.vs_last[k.stage]);

            // hedgehog.tk:135: o += mma(r1, v.own);
            tk::mma_async(o, r1, shared.vs_own[k.stage]);
            tk::mma_wait<2>(z, fp, fm);
            shared.states.release(k);

            // hedgehog.tk:136: let all = near + max(z, axis = 1) + eps;
            tk::column_fragment<float, 64> t14;
            tk::fold_rows(t14, z, tk::maximum{}, thread);
            tk::finish_rows(t14, tk::maximum{});
            tk::hold_waits(warp);
            tk::column_fragment<float, 64> all;
            tk::map(all, [&](float t10, float t11, float t14) { return t10 + t11 + t14 + eps; },
                    t10, t11, t14);
            tk::mma_wait<0>(o, r0, r1);
            shared.vs.release(k);

            // hedgehog.tk:141: let y = T(o / all);
            tk::fragment<tk::bf16, 64, 128> y;
            tk::map(y, [](float o, float all) { return tk::divide(o, all); }, o, all);

            // hedgehog.tk:142: if t.start >= p * length { tma_store(O[b, t, h, :], y); }
            if (t >= p * length) {
                #pragma unroll
                for (int panel = 0; panel < 128; panel += 64) {
                    tk::store_shared(shared.output_O[panel / 64 % 2],
                                     tk::window<64, 64>(y, 0, panel), thread);
                    tk::fence_async();
                    if (leader) tk::tma_store_wait_read<0>();
                    tk::barrier_sync(1, 128);
                    if (leader) {
                        tk::tma_store(O_map, shared.output_O[panel / 64 % 2], b, t, h, panel);
                    }
                }
            }
        }
        shared.wqs.release(w_element);

        if (leader) tk::tma_store_wait_read<0>();
    }
}

// ends: kernel ends with T = bf16, D = 128, DV = 128, F = 64, L = 64.
// producer: 1 warp, 24 registers a thread; keys: 1 warpgroup, 240 registers a thread; state: 1
// warpgroup, 240 registers a thread.
// 384 threads, 168 registers each at first, 116848 bytes of shared memory.
struct ends_shared {
    tk::shared_tile<tk::bf16, 128, 64> wks_tile[1];
    tk::shared_tile<tk::bf16, 64, 128> ks_tile[2];
    tk::shared_tile<tk::bf16, 64, 128> vs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> fs_p[2];
    tk::shared_tile<tk::bf16, 64, 64> fs_n[2];
    tk::shared_tile<tk::bf16, 64, 8> fs_one[2];
    tk::pipeline<1> wks;
    tk::pipeline<2> ks;
    tk::pipeline<2> vs;
    tk::pipeline<2> fs;
};
static_assert(offsetof(ends_shared, fs) == 116816);

__global__ void __launch_bounds__(384, 1) ends_kernel(
    const __grid_constant__ CUtensorMap WK_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap V_map, const tk::tensor_argument<float, 4> End,
    const tk::tensor_argument<float, 3> Added, int B, int N, int H, int segments, int length) {
    extern __shared__ __align__(1024) unsigned char memory[];
    ends_shared& shared = *reinterpret_cast<ends_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(WK_map, K_map, V_map);
        shared.wks.init(1, 4);
        shared.ks.init(1, 4);
        shared.vs.init(1, 4);
        shared.fs.init(4, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // hedgehog.tk:171: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int p_tiles = tk::max(segments, 0);
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> ks_next, vs_next;
            tk::cursor<1> wks_next;
            const int program = blockIdx.x;
            const int h = program % H;
            const int p = program / H % p_tiles;
            const int b = program / (H * p_tiles);

            // hedgehog.tk:164: let begin = max(p * length - L, 0);
            const int begin = tk::max(p * length - 64, 0);

            // hedgehog.tk:165: let end   = min((p + 1) * length - L, N);
            const int end = tk::min((p + 1) * length - 64, N);

            // hedgehog.tk:172: produce wks = tma_load(WK[h, :, :]);
            shared.wks.begin(wks_next, 16384);
            tk::tma_load(shared.wks_tile[wks_next.stage], WK_map, shared.wks.full[wks_next.stage],
                         h, 0, 0);
            wks_next.advance();

            // hedgehog.tk:173: for t in begin..end by L { produce ks = tma_load(K[b, t, h, :]); ..
            #pragma unroll 1
            for (int t = begin; t < end; t += 64) {
                shared.ks.begin(ks_next, 16384);
                tk::tma_load(shared.ks_tile[ks_next.stage], K_map, shared.ks.full[ks_next.stage], b,
                             t, h, 0);
                ks_next.advance();
                shared.vs.begin(vs_next, 16384);
                tk::tma_load(shared.vs_tile[vs_next.stage], V_map, shared.vs.full[vs_next.stage], b,
                             t, h, 0);
                vs_next.advance();
            }
        }
    } else if (warp < 4) {
        // hedgehog.tk:175: role keys(1 warpgroup) {
        tk::registers_at_least<240>();
        const int p_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        tk::cursor<2> fs_next_2, ks_next;
        tk::cursor<1> wks_next;
        const int program = blockIdx.x;
        const int p = program / H % p_tiles;

        // hedgehog.tk:164: let begin = max(p * length - L, 0);
        const int begin = tk::max(p * length - 64, 0);

        // hedgehog.tk:165: let end   = min((p + 1) * length - L, N);
        const int end = tk::min((p + 1) * length - 64, N);

        // hedgehog.tk:176: var one: T[L, 8] = 1;
        tk::fragment<tk::bf16, 64, 8> one;
        tk::map(one, []() { return tk::bf16(1.0f); });

        // hedgehog.tk:177: let w = consume wks;
        const tk::cursor<1> w_element = shared.wks.take(wks_next);

        // hedgehog.tk:178: for t in begin..end by L {
        tk::fragment<tk::bf16, 64, 64> fp;
        tk::fragment<tk::bf16, 64, 64> fm;
        for (int t = begin; t < end; t += 64) {
            // hedgehog.tk:179: let k = consume ks;
            const tk::cursor<2> k_element = shared.ks.take(ks_next);

            // hedgehog.tk:180: let x = mma(k, w);
            tk::fragment<float, 64, 64> x;
            tk::mma_async(x, shared.ks_tile[k_element.stage], shared.wks_tile[w_element.stage],
                          tk::accumulate_never{});
            tk::mma_wait<0>(x);
            shared.ks.release(k_element);

            // hedgehog.tk:21: let e = exp2((x - max(x, axis = 1)) * LOG2E);
            tk::column_fragment<float, 64> t1;
            tk::fold_rows(t1, x, tk::maximum{}, thread);
            tk::finish_rows(t1, tk::maximum{});
            tk::fragment<float, 64, 64> e;
            tk::map(e, [](float x, float t1) { return tk::exp2((x - t1) * 1.442695f); }, x, t1);

            // hedgehog.tk:22: return max(e / sum(e, axis = 1), 0.000001);
            tk::column_fragment<float, 64> t2;
            tk::fold_rows(t2, e, tk::plus{}, thread);
            tk::finish_rows(t2, tk::plus{});

            // hedgehog.tk:181: let fp = T(pad(features(x), axis = 0, with = 0));
            if (t + 64 <= N) {
                tk::map(fp, [](float e, float t2) { return tk::max(tk::divide(e, t2), 1e-06f); },
                        e, t2);
            } else {
                tk::map(fp, thread, [&](int row, int, float e, float t2) {
                    return row < N - t ? tk::max(tk::divide(e, t2), 1e-06f) : 0.0f;
                }, e, t2);
            }
            // hedgehog.tk:21
            tk::fragment<float, 64, 64> t3;
            tk::map(t3, [](float x) { return -x; }, x);
            tk::column_fragment<float, 64> t4;
            tk::fold_rows(t4, t3, tk::maximum{}, thread);
            tk::finish_rows(t4, tk::maximum{});
            tk::fragment<float, 64, 64> e_2;
            tk::map(e_2, [](float t3, float t4) { return tk::exp2((t3 - t4) * 1.442695f); },
                    t3, t4);
            // hedgehog.tk:22
            tk::column_fragment<float, 64> t5;
            tk::fold_rows(t5, e_2, tk::plus{}, thread);
            tk::finish_rows(t5, tk::plus{});

            // hedgehog.tk:182: let fm = T(pad(features(-x), axis = 0, with = 0));
            if (t + 64 <= N) {
                tk::map(fm, [](float e_2, float t5) {
                    return tk::max(tk::divide(e_2, t5), 1e-06f);
                }, e_2, t5);
            } else {
                tk::map(fm, thread, [&](int row, int, float e_2, float t5) {
                    return row < N - t ? tk::max(tk::divide(e_2, t5), 1e-06f) : 0.0f;
                }, e_2, t5);
            }

            // hedgehog.tk:183: produce fs { p = fp; n = fm; one = one; }
            shared.fs.wait_empty(fs_next_2);
            tk::store_shared(shared.fs_p[fs_next_2.stage], fp, thread);
            tk::store_shared(shared.fs_n[fs_next_2.stage], fm, thread);
            tk::store_shared(shared.fs_one[fs_next_2.stage], one, thread);
            shared.fs.publish(fs_next_2);
            fs_next_2.advance();
        }
        shared.wks.release(w_element);
    } else {
        // hedgehog.tk:186: role state(1 warpgroup) {
        tk::registers_at_least<240>();
        const int p_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        tk::cursor<2> fs_next_2;
        const int program = blockIdx.x;
        const int h = program % H;
        const int p = program / H % p_tiles;
        const int b = program / (H * p_tiles);

        // hedgehog.tk:164: let begin = max(p * length - L, 0);
        const int begin = tk::max(p * length - 64, 0);

        // hedgehog.tk:165: let end   = min((p + 1) * length - L, N);
        const int end = tk::min((p + 1) * length - 64, N);

        // hedgehog.tk:187: var sp: f32[F, DV] = 0;
        tk::fragment<float, 64, 128> sp;
        tk::zero(sp);

        // hedgehog.tk:188: var sn: f32[F, DV] = 0;
        tk::fragment<float, 64, 128> sn;
        tk::zero(sn);

        // hedgehog.tk:189: var zp: f32[F, 8] = 0;
        tk::fragment<float, 64, 8> zp;
        tk::zero(zp);

        // hedgehog.tk:190: var zn: f32[F, 8] = 0;
        tk::fragment<float, 64, 8> zn;
        tk::zero(zn);

        // hedgehog.tk:191: for t in begin..end by L {
        for (int t = begin; t < end; t += 64) {
            // hedgehog.tk:192: let f = consume fs;
            const tk::cursor<2> f = shared.fs.take(fs_next_2);

            // hedgehog.tk:193: let v = consume vs;
            shared.vs.wait_full(f);

            // hedgehog.tk:194: sp += mma(f.p.T, v);
            tk::mma_async(sp, tk::transposed(shared.fs_p[f.stage]), shared.vs_tile[f.stage]);

            // hedgehog.tk:195: sn += mma(f.n.T, v);
            tk::mma_async(sn, tk::transposed(shared.fs_n[f.stage]), shared.vs_tile[f.stage]);

            // hedgehog.tk:196: zp += mma(f.p.T, f.one);
            tk::mma_async(zp, tk::transposed(shared.fs_p[f.stage]), shared.fs_one[f.stage]);

            // hedgehog.tk:197: zn += mma(f.n.T, f.one);
            tk::mma_async(zn, tk::transposed(shared.fs_n[f.stage]), shared.fs_one[f.stage]);
            tk::mma_wait<0>(sp, sn, zp, zn);
            shared.vs.release(f);
            shared.fs.release(f);
        }

        // hedgehog.tk:199: store(End[b * segments + p, h, 0 +: F, :], sp);
        tk::store_global(
            tk::slice(End, {b * segments + p, h, 0, 0},
                      b * segments + p > -1 && b * segments + p < B * segments ? 128 : 0, 128), sp,
            thread);

        // hedgehog.tk:200: store(End[b * segments + p, h, F +: F, :], sn);
        tk::store_global(
            tk::slice(End, {b * segments + p, h, 64, 0},
                      b * segments + p > -1 && b * segments + p < B * segments ? 128 - 64 : 0, 128),
            sn, thread);

        // hedgehog.tk:201: store(Added[b * segments + p, h, 0 +: F], max(zp, axis = 1));
        tk::column_fragment<float, 64> t0;
        tk::fold_rows(t0, zp, tk::maximum{}, thread);
        tk::finish_rows(t0, tk::maximum{});
        tk::store_global(
            tk::slice<2, tk::no_axis>(Added, {b * segments + p, h, 0},
                                      b * segments + p > -1 && b * segments + p < B * segments ? 128
                                      : 0, 1), t0, thread);

        // hedgehog.tk:202: store(Added[b * segments + p, h, F +: F], max(zn, axis = 1));
        tk::column_fragment<float, 64> t1;
        tk::fold_rows(t1, zn, tk::maximum{}, thread);
        tk::finish_rows(t1, tk::maximum{});
        tk::store_global(
            tk::slice<2, tk::no_axis>(Added, {b * segments + p, h, 64},
                                      b * segments + p > -1 && b * segments + p < B * segments
                                      ? 128 - 64 : 0, 1), t1, thread);
    }
}

// based_starts_R_128: kernel based.starts with ROWS = 8, BD = 128, R = 128.
// 128 threads, 72 registers each.
__global__ void __launch_bounds__(128, 7) based_starts_R_128_kernel(
    const tk::tensor_argument<const float, 4> End, const tk::tensor_argument<const float, 3> Added,
    const tk::tensor_argument<const float, 4> S0, const tk::tensor_argument<const float, 3> Z0,
    const tk::tensor_argument<float, 4> Start, const tk::tensor_argument<float, 3> Before,
    const tk::tensor_argument<float, 4> State, const tk::tensor_argument<float, 3> Sums, int H,
    int DV, int I, int E, int sequences, int segments) {
    tk::wait_for_previous_kernel();

    const int d_tiles = tk::tiles(DV, 128);

    // based.tk:208: kernel starts<ROWS: int = 8, BD: int = 128, R: int = 192>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int d = program % d_tiles * 128;
    const int r = program / d_tiles % 16 * 8;
    const int h = program / (d_tiles * 16) % H;
    const int b = program / (d_tiles * 16 * H);

    // based.tk:215: var s: f32[ROWS, BD] = load(S0[b, h, r, d]);
    tk::stripe<float, 8, 128, 128, 32, 4> s;
    tk::load_vectors(s, tk::vector_slice(S0, {b, h, r, d}, b < I ? 128 - r : 0, DV - d), thread);

    // based.tk:216: for p in segments pipelined(4) {
    #pragma unroll 4
    for (int p = 0; p < segments; p += 1) {
        // based.tk:217: store(Start[b * segments + p, h, r, d], s);
        tk::store_vectors(
            tk::vector_slice(Start, {b * segments + p, h, r, d},
                             b * segments + p > -1 && b * segments + p < sequences * segments
                             ? 128 - r : 0, DV - d), s, thread);

        // based.tk:218: s += load(End[b * segments + p, h, r, d]);
        tk::stripe<float, 8, 128, 128, 32, 4> t1;
        tk::load_vectors(t1,
                         tk::vector_slice(End, {b * segments + p, h, r, d},
                                          b * segments + p > -1 &&
                                          b * segments + p < sequences * segments ? 128 - r : 0,
                                          DV - d), thread);
        tk::map(s, [](float s, float t1) { return s + t1; }, s, t1);
    }

    // based.tk:220: store(State[b, h, r, d], s);
    tk::store_vectors(tk::vector_slice(State, {b, h, r, d}, b < E ? 128 - r : 0, DV - d), s,
                      thread);

    // based.tk:221: if d.start == 0 {
    if (d == 0) {
        // based.tk:222: var z: f32[1, ROWS] = load(Z0[b, h, r]);
        tk::stripe<float, 1, 8, 128, 32, 4> z;
        tk::load_vectors(z, tk::dense_slice<tk::no_axis, 2>(Z0, {b, h, r}, 1, b < I ? 128 - r : 0),
                         thread);

        // based.tk:223: for p in segments {
        for (int p = 0; p < segments; p += 1) {
            // based.tk:224: store(Before[b * segments + p, h, r], z);
            tk::store_vectors(
                tk::dense_slice<tk::no_axis, 2>(Before, {b * segments + p, h, r}, 1,
                                                b * segments + p > -1 &&
                                                b * segments + p < sequences * segments ? 128 - r
                                                : 0), z, thread);

            // based.tk:225: z += load(Added[b * segments + p, h, r]);
            tk::stripe<float, 1, 8, 128, 32, 4> t3;
            tk::load_vectors(t3,
                             tk::dense_slice<tk::no_axis, 2>(Added, {b * segments + p, h, r}, 1,
                                                             b * segments + p > -1 &&
                                                             b * segments + p < sequences * segments
                                                             ? 128 - r : 0), thread);
            tk::map(z, [](float z, float t3) { return z + t3; }, z, t3);
        }

        // based.tk:227: store(Sums[b, h, r], z);
        tk::store_vectors(tk::dense_slice<tk::no_axis, 2>(Sums, {b, h, r}, 1, b < E ? 128 - r : 0),
                          z, thread);
    }
}

// based_starts_R_128_general: kernel based.starts with ROWS = 8, BD = 128, R = 128; any strides and
// alignment.
// 128 threads, 255 registers each.
__global__ void __launch_bounds__(128, 1) based_starts_R_128_general_kernel(
    const tk::tensor_argument<const float, 4> End, const tk::tensor_argument<const float, 3> Added,
    const tk::tensor_argument<const float, 4> S0, const tk::tensor_argument<const float, 3> Z0,
    const tk::tensor_argument<float, 4> Start, const tk::tensor_argument<float, 3> Before,
    const tk::tensor_argument<float, 4> State, const tk::tensor_argument<float, 3> Sums, int H,
    int DV, int I, int E, int sequences, int segments) {
    tk::wait_for_previous_kernel();

    const int d_tiles = tk::tiles(DV, 128);

    // based.tk:208: kernel starts<ROWS: int = 8, BD: int = 128, R: int = 192>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int d = program % d_tiles * 128;
    const int r = program / d_tiles % 16 * 8;
    const int h = program / (d_tiles * 16) % H;
    const int b = program / (d_tiles * 16 * H);

    // based.tk:215: var s: f32[ROWS, BD] = load(S0[b, h, r, d]);
    tk::stripe<float, 8, 128, 128, 32, 2> s;
    tk::load_global(s, tk::slice(S0, {b, h, r, d}, b < I ? 128 - r : 0, DV - d), thread);

    // based.tk:216: for p in segments pipelined(4) {
    for (int p = 0; p < segments; p += 1) {
        // based.tk:217: store(Start[b * segments + p, h, r, d], s);
        tk::store_global(
            tk::slice(Start, {b * segments + p, h, r, d},
                      b * segments + p > -1 && b * segments + p < sequences * segments ? 128 - r
                      : 0, DV - d), s, thread);

        // based.tk:218: s += load(End[b * segments + p, h, r, d]);
        tk::stripe<float, 8, 128, 128, 32, 2> t1;
        tk::load_global(t1,
                        tk::slice(End, {b * segments + p, h, r, d},
                                  b * segments + p > -1 && b * segments + p < sequences * segments
                                  ? 128 - r : 0, DV - d), thread);
        tk::map(s, [](float s, float t1) { return s + t1; }, s, t1);
    }

    // based.tk:220: store(State[b, h, r, d], s);
    tk::store_global(tk::slice(State, {b, h, r, d}, b < E ? 128 - r : 0, DV - d), s, thread);

    // based.tk:221: if d.start == 0 {
    if (d == 0) {
        // based.tk:222: var z: f32[1, ROWS] = load(Z0[b, h, r]);
        tk::stripe<float, 1, 8, 128, 32, 2> z;
        tk::load_global(z, tk::slice<tk::no_axis, 2>(Z0, {b, h, r}, 1, b < I ? 128 - r : 0),
                        thread);

        // based.tk:223: for p in segments {
        for (int p = 0; p < segments; p += 1) {
            // based.tk:224: store(Before[b * segments + p, h, r], z);
            tk::store_global(
                tk::slice<tk::no_axis, 2>(Before, {b * segments + p, h, r}, 1,
                                          b * segments + p > -1 &&
                                          b * segments + p < sequences * segments ? 128 - r : 0), z,
                thread);

            // based.tk:225: z += load(Added[b * segments + p, h, r]);
            tk::stripe<float, 1, 8, 128, 32, 2> t3;
            tk::load_global(t3,
                            tk::slice<tk::no_axis, 2>(Added, {b * segments + p, h, r}, 1,
                                                      b * segments + p > -1 &&
                                                      b * segments + p < sequences * segments
                                                      ? 128 - r : 0), thread);
            tk::map(z, [](float z, float t3) { return z + t3; }, z, t3);
        }

        // based.tk:227: store(Sums[b, h, r], z);
        tk::store_global(tk::slice<tk::no_axis, 2>(Sums, {b, h, r}, 1, b < E ? 128 - r : 0), z,
                         thread);
    }
}

// chunks_T_bf16_D_128_DV_128_F_64_PACKED_false_STATES_true: kernel chunks with T = bf16, D = 128,
// DV = 128, F = 64, PACKED = false, STATES = true, L = 64.
// producer: 1 warp, 24 registers a thread; keys: 1 warpgroup, 88 registers a thread; state: 1
// warpgroup, 232 registers a thread; output: 1 warpgroup, 168 registers a thread.
// 512 threads, 128 registers each at first, 183392 bytes of shared memory.
struct chunks_T_bf16_D_128_DV_128_F_64_PACKED_false_STATES_true_shared {
    tk::shared_tile<tk::bf16, 128, 64> wqs_tile[1];
    tk::shared_tile<tk::bf16, 128, 64> wks_tile[1];
    tk::shared_tile<tk::bf16, 64, 128> ks_last[1];
    tk::shared_tile<tk::bf16, 64, 128> ks_own[1];
    tk::shared_tile<tk::bf16, 64, 128> ks_q[1];
    tk::shared_tile<tk::bf16, 64, 128> vs_last[1];
    tk::shared_tile<tk::bf16, 64, 128> vs_own[1];
    tk::shared_tile<tk::bf16, 64, 64> fs_p[1];
    tk::shared_tile<tk::bf16, 64, 64> fs_n[1];
    tk::shared_tile<tk::bf16, 64, 8> fs_one[1];
    tk::shared_tile<tk::bf16, 64, 128> states_p[1];
    tk::shared_tile<tk::bf16, 64, 128> states_n[1];
    tk::shared_tile<tk::bf16, 64, 8> states_zp[1];
    tk::shared_tile<tk::bf16, 64, 8> states_zn[1];
    tk::shared_tile<tk::bf16, 64, 64> output_O[2];
    tk::pipeline<1> wqs;
    tk::pipeline<1> wks;
    tk::pipeline<1> ks;
    tk::pipeline<1> vs;
    tk::pipeline<1> fs;
    tk::pipeline<1> states;
};
static_assert(offsetof(chunks_T_bf16_D_128_DV_128_F_64_PACKED_false_STATES_true_shared, states) ==
              183376);

__global__ void __launch_bounds__(512, 1) chunks_T_bf16_D_128_DV_128_F_64_PACKED_false_STATES_true_kernel(
    const __grid_constant__ CUtensorMap WK_map, const __grid_constant__ CUtensorMap WQ_map,
    const __grid_constant__ CUtensorMap K_map, const __grid_constant__ CUtensorMap Q_map,
    const __grid_constant__ CUtensorMap V_map, const __grid_constant__ CUtensorMap O_map,
    const tk::tensor_argument<const float, 1> Alpha, const tk::tensor_argument<const float, 1> Beta,
    const tk::tensor_argument<const float, 4> S0, const tk::tensor_argument<const float, 3> Z0,
    const tk::tensor_argument<float, 4> State, const tk::tensor_argument<float, 3> Sums, int B,
    int N, int H, int I, int E, float scale, float eps, int segments, int length) {
    extern __shared__ __align__(1024) unsigned char memory[];
    chunks_T_bf16_D_128_DV_128_F_64_PACKED_false_STATES_true_shared& shared =
        *reinterpret_cast<chunks_T_bf16_D_128_DV_128_F_64_PACKED_false_STATES_true_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(WK_map, WQ_map, K_map, Q_map, V_map, O_map);
        shared.wqs.init(1, 4);
        shared.wks.init(1, 4);
        shared.ks.init(1, 8);
        shared.vs.init(1, 8);
        shared.fs.init(4, 4);
        shared.states.init(4, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 12) {
        // hedgehog.tk:48: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int p_tiles = tk::max(segments, 0);
        if (warp == 12 && tk::elect_one()) {
            tk::cursor<1> ks_next, vs_next, wks_next, wqs_next;
            const int program = blockIdx.x;
            const int h = program % H;
            const int p = program / H % p_tiles;
            const int b = program / (H * p_tiles);

            // hedgehog.tk:38: let begin  = if PACKED { 0 } else { max(p * length - L, 0) };
            const int begin = tk::max(p * length - 64, 0);

            // hedgehog.tk:39: let end    = if PACKED { tokens } else { min((p + 1) * length, N) };
            const int end = tk::min((p + 1) * length, N);

            // hedgehog.tk:49: produce wks = tma_load(WK[h, :, :]);
            shared.wks.begin(wks_next, 16384);
            tk::tma_load(shared.wks_tile[wks_next.stage], WK_map, shared.wks.full[wks_next.stage],
                         h, 0, 0);
            wks_next.advance();

            // hedgehog.tk:50: produce wqs = tma_load(WQ[h, :, :]);
            shared.wqs.begin(wqs_next, 16384);
            tk::tma_load(shared.wqs_tile[wqs_next.stage], WQ_map, shared.wqs.full[wqs_next.stage],
                         h, 0, 0);
            wqs_next.advance();

            // hedgehog.tk:51: for t in begin..end by L {
            #pragma unroll 1
            for (int t = begin; t < end; t += 64) {
                // hedgehog.tk:59: produce ks {
                shared.ks.begin(ks_next, 49152);

                // hedgehog.tk:60: last = tma_load(K[b, max(t.start - L, 0) +: L, h, :]); own = ..
                tk::tma_load(shared.ks_last[ks_next.stage], K_map, shared.ks.full[ks_next.stage], b,
                             tk::max(t - 64, 0), h, 0);
                tk::tma_load(shared.ks_own[ks_next.stage], K_map, shared.ks.full[ks_next.stage], b,
                             t, h, 0);

                // hedgehog.tk:61: q = tma_load(Q[b, t, h, :]);
                tk::tma_load(shared.ks_q[ks_next.stage], Q_map, shared.ks.full[ks_next.stage], b, t,
                             h, 0);
                // hedgehog.tk:59
                ks_next.advance();

                // hedgehog.tk:63: produce vs { last = tma_load(V[b, max(t.start - L, 0) +: L, h, ..
                shared.vs.begin(vs_next, 32768);
                tk::tma_load(shared.vs_last[vs_next.stage], V_map, shared.vs.full[vs_next.stage], b,
                             tk::max(t - 64, 0), h, 0);
                tk::tma_load(shared.vs_own[vs_next.stage], V_map, shared.vs.full[vs_next.stage], b,
                             t, h, 0);
                vs_next.advance();
            }
        }
    } else if (warp < 4) {
        // hedgehog.tk:67: role keys(1 warpgroup) {
        tk::registers_at_most<88>();
        const int p_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        tk::cursor<1> fs_next_2, ks_next, wks_next;
        const int program = blockIdx.x;
        const int p = program / H % p_tiles;

        // hedgehog.tk:37: let tokens = if PACKED { start[b + 1] - start[b] } else { N };
        const int tokens = N;

        // hedgehog.tk:38: let begin  = if PACKED { 0 } else { max(p * length - L, 0) };
        const int begin = tk::max(p * length - 64, 0);

        // hedgehog.tk:39: let end    = if PACKED { tokens } else { min((p + 1) * length, N) };
        const int end = tk::min((p + 1) * length, N);

        // hedgehog.tk:68: var one: T[L, 8] = 1;
        tk::fragment<tk::bf16, 64, 8> one;
        tk::map(one, []() { return tk::bf16(1.0f); });

        // hedgehog.tk:69: let w = consume wks;
        const tk::cursor<1> w_element = shared.wks.take(wks_next);

        // hedgehog.tk:70: for t in begin..end by L {
        tk::fragment<tk::bf16, 64, 64> p_2;
        tk::fragment<tk::bf16, 64, 64> n;
        for (int t = begin; t < end; t += 64) {
            // hedgehog.tk:71: let k = consume ks;
            const tk::cursor<1> k = shared.ks.take(ks_next);

            // hedgehog.tk:72: let x = mma(k.own, w);
            tk::fragment<float, 64, 64> x;
            tk::mma_async(x, shared.ks_own[k.stage], shared.wks_tile[w_element.stage],
                          tk::accumulate_never{});

            // hedgehog.tk:73: let more = t.start + L < tokens;
            const bool more = t + 64 < tokens;
            tk::mma_wait<0>(x);
            shared.ks.release(k);

            // hedgehog.tk:21: let e = exp2((x - max(x, axis = 1)) * LOG2E);
            tk::column_fragment<float, 64> t1;
            tk::fold_rows(t1, x, tk::maximum{}, thread);
            tk::finish_rows(t1, tk::maximum{});
            tk::fragment<float, 64, 64> e;
            tk::map(e, [](float x, float t1) { return tk::exp2((x - t1) * 1.442695f); }, x, t1);

            // hedgehog.tk:22: return max(e / sum(e, axis = 1), 0.000001);
            tk::column_fragment<float, 64> t2;
            tk::fold_rows(t2, e, tk::plus{}, thread);
            tk::finish_rows(t2, tk::plus{});

            // hedgehog.tk:74: let p = T(seen<STATES>(pad(features(x), axis = 0, with = 0), more));
            if (t + 64 <= N) {
                tk::map(p_2, [&](float e, float t2) {
                    return more ? tk::max(tk::divide(e, t2), 1e-06f) : 0.0f;
                }, e, t2);
            } else {
                tk::map(p_2, thread, [&](int row, int, float e, float t2) {
                    return more ? (row < N - t ? tk::max(tk::divide(e, t2), 1e-06f) : 0.0f) : 0.0f;
                }, e, t2);
            }
            // hedgehog.tk:21
            tk::fragment<float, 64, 64> t3;
            tk::map(t3, [](float x) { return -x; }, x);
            tk::column_fragment<float, 64> t4;
            tk::fold_rows(t4, t3, tk::maximum{}, thread);
            tk::finish_rows(t4, tk::maximum{});
            tk::fragment<float, 64, 64> e_2;
            tk::map(e_2, [](float t3, float t4) { return tk::exp2((t3 - t4) * 1.442695f); },
                    t3, t4);
            // hedgehog.tk:22
            tk::column_fragment<float, 64> t5;
            tk::fold_rows(t5, e_2, tk::plus{}, thread);
            tk::finish_rows(t5, tk::plus{});

            // hedgehog.tk:75: let n = T(seen<STATES>(pad(features(-x), axis = 0, with = 0), more));
            if (t + 64 <= N) {
                tk::map(n, [&](float e_2, float t5) {
                    return more ? tk::max(tk::divide(e_2, t5), 1e-06f) : 0.0f;
                }, e_2, t5);
            } else {
                tk::map(n, thread, [&](int row, int, float e_2, float t5) {
                    return more ? (row < N - t ? tk::max(tk::divide(e_2, t5), 1e-06f) : 0.0f)
                        : 0.0f;
                }, e_2, t5);
            }

            // hedgehog.tk:76: produce fs { p = p; n = n; one = one; }
            shared.fs.wait_empty(fs_next_2);
            tk::store_shared(shared.fs_p[fs_next_2.stage], p_2, thread);
            tk::store_shared(shared.fs_n[fs_next_2.stage], n, thread);
            tk::store_shared(shared.fs_one[fs_next_2.stage], one, thread);
            shared.fs.publish(fs_next_2);
            fs_next_2.advance();
        }
        shared.wks.release(w_element);
    } else if (warp < 8) {
        // hedgehog.tk:79: role state(1 warpgroup) {
        tk::registers_at_least<232>();
        const int p_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        tk::cursor<1> fs_next_2, states_next_2;
        const int program = blockIdx.x;
        const int h = program % H;
        const int p = program / H % p_tiles;
        const int b = program / (H * p_tiles);

        // hedgehog.tk:38: let begin  = if PACKED { 0 } else { max(p * length - L, 0) };
        const int begin = tk::max(p * length - 64, 0);

        // hedgehog.tk:39: let end    = if PACKED { tokens } else { min((p + 1) * length, N) };
        const int end = tk::min((p + 1) * length, N);

        // hedgehog.tk:80: var sp: f32[F, DV] = load(S0[b * segments + p, h, 0 +: F, :]);
        tk::fragment<float, 64, 128> sp;
        tk::load_global(sp,
                        tk::slice(S0, {b * segments + p, h, 0, 0},
                                  b * segments + p > -1 && b * segments + p < I ? 128 : 0, 128),
                        thread);

        // hedgehog.tk:81: var sn: f32[F, DV] = load(S0[b * segments + p, h, F +: F, :]);
        tk::fragment<float, 64, 128> sn;
        tk::load_global(sn,
                        tk::slice(S0, {b * segments + p, h, 64, 0},
                                  b * segments + p > -1 && b * segments + p < I ? 128 - 64 : 0,
                                  128), thread);

        // hedgehog.tk:82: var zp: f32[F, 8] = column(load(Z0[b * segments + p, h, 0 +: F]));
        tk::fragment<float, 64, 8> zp;
        tk::map(zp, thread, [&](int row, int) {
            return 0 <= tk::wrapping_add(tk::wrapping_multiply(b, segments), p) &&
                tk::wrapping_add(tk::wrapping_multiply(b, segments), p) < I && h < H && row < 128
                ? tk::cell(Z0, tk::wrapping_add(tk::wrapping_multiply(b, segments), p), h, row)
                : float{};
        });

        // hedgehog.tk:83: var zn: f32[F, 8] = column(load(Z0[b * segments + p, h, F +: F]));
        tk::fragment<float, 64, 8> zn;
        tk::map(zn, thread, [&](int row, int) {
            return 0 <= tk::wrapping_add(tk::wrapping_multiply(b, segments), p) &&
                tk::wrapping_add(tk::wrapping_multiply(b, segments), p) < I && h < H &&
                64 + row < 128
                ? tk::cell(Z0, tk::wrapping_add(tk::wrapping_multiply(b, segments), p), h, 64 + row)
                : float{};
        });

        // hedgehog.tk:85: var p0: T[F, DV] = 0;
        tk::fragment<tk::bf16, 64, 128> p0;
        tk::map(p0, []() { return tk::bf16(0.0f); });

        // hedgehog.tk:86: var n0: T[F, DV] = 0;
        tk::fragment<tk::bf16, 64, 128> n0;
        tk::map(n0, []() { return tk::bf16(0.0f); });

        // hedgehog.tk:87: var zp0: T[F, 8] = 0;
        tk::fragment<tk::bf16, 64, 8> zp0;
        tk::map(zp0, []() { return tk::bf16(0.0f); });

        // hedgehog.tk:88: var zn0: T[F, 8] = 0;
        tk::fragment<tk::bf16, 64, 8> zn0;
        tk::map(zn0, []() { return tk::bf16(0.0f); });

        // hedgehog.tk:89: for t in begin..end by L {
        for (int t = begin; t < end; t += 64) {
            // hedgehog.tk:90: produce states { p = p0; n = n0; zp = zp0; zn = zn0; }
            shared.states.wait_empty(states_next_2);
            tk::store_shared(shared.states_p[states_next_2.stage], p0, thread);
            tk::store_shared(shared.states_n[states_next_2.stage], n0, thread);
            tk::store_shared(shared.states_zp[states_next_2.stage], zp0, thread);
            tk::store_shared(shared.states_zn[states_next_2.stage], zn0, thread);
            shared.states.publish(states_next_2);
            states_next_2.advance();

            // hedgehog.tk:91: p0 = T(sp);
            p0 = tk::convert<tk::bf16>(sp);

            // hedgehog.tk:92: n0 = T(sn);
            n0 = tk::convert<tk::bf16>(sn);

            // hedgehog.tk:93: zp0 = T(zp);
            zp0 = tk::convert<tk::bf16>(zp);

            // hedgehog.tk:94: zn0 = T(zn);
            zn0 = tk::convert<tk::bf16>(zn);

            // hedgehog.tk:95: let f = consume fs;
            const tk::cursor<1> f = shared.fs.take(fs_next_2);

            // hedgehog.tk:96: let v = consume vs;
            shared.vs.wait_full(f);

            // hedgehog.tk:97: sp += mma(f.p.T, v.own);
            tk::mma_async(sp, tk::transposed(shared.fs_p[f.stage]), shared.vs_own[f.stage]);

            // hedgehog.tk:98: sn += mma(f.n.T, v.own);
            tk::mma_async(sn, tk::transposed(shared.fs_n[f.stage]), shared.vs_own[f.stage]);

            // hedgehog.tk:99: zp += mma(f.p.T, f.one);
            tk::mma_async(zp, tk::transposed(shared.fs_p[f.stage]), shared.fs_one[f.stage]);

            // hedgehog.tk:100: zn += mma(f.n.T, f.one);
            tk::mma_async(zn, tk::transposed(shared.fs_n[f.stage]), shared.fs_one[f.stage]);
            tk::mma_wait<0>(sp, sn, zp, zn);
            shared.vs.release(f);
            shared.fs.release(f);
        }

        // hedgehog.tk:102: if p == segments - 1 {
        if (p == segments - 1) {
            // hedgehog.tk:103: store(State[b, h, 0 +: F, :], sp);
            tk::store_global(tk::slice(State, {b, h, 0, 0}, b < E ? 128 : 0, 128), sp, thread);

            // hedgehog.tk:104: store(State[b, h, F +: F, :], sn);
            tk::store_global(tk::slice(State, {b, h, 64, 0}, b < E ? 128 - 64 : 0, 128), sn,
                             thread);

            // hedgehog.tk:105: store(Sums[b, h, 0 +: F], max(zp, axis = 1));
            tk::column_fragment<float, 64> t4;
            tk::fold_rows(t4, zp, tk::maximum{}, thread);
            tk::finish_rows(t4, tk::maximum{});
            tk::store_global(tk::slice<2, tk::no_axis>(Sums, {b, h, 0}, b < E ? 128 : 0, 1), t4,
                             thread);

            // hedgehog.tk:106: store(Sums[b, h, F +: F], max(zn, axis = 1));
            tk::column_fragment<float, 64> t5;
            tk::fold_rows(t5, zn, tk::maximum{}, thread);
            tk::finish_rows(t5, tk::maximum{});
            tk::store_global(tk::slice<2, tk::no_axis>(Sums, {b, h, 64}, b < E ? 128 - 64 : 0, 1),
                             t5, thread);
        }
    } else {
        // hedgehog.tk:109: role output(1 warpgroup) {
        tk::registers_at_least<168>();
        const int p_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<1> ks_next, wqs_next;
        const int program = blockIdx.x;
        const int h = program % H;
        const int p = program / H % p_tiles;
        const int b = program / (H * p_tiles);

        // hedgehog.tk:37: let tokens = if PACKED { start[b + 1] - start[b] } else { N };
        const int tokens = N;

        // hedgehog.tk:38: let begin  = if PACKED { 0 } else { max(p * length - L, 0) };
        const int begin = tk::max(p * length - 64, 0);

        // hedgehog.tk:39: let end    = if PACKED { tokens } else { min((p + 1) * length, N) };
        const int end = tk::min((p + 1) * length, N);

        // hedgehog.tk:110: let w = consume wqs;
        const tk::cursor<1> w_element = shared.wqs.take(wqs_next);

        // hedgehog.tk:111: let alpha = Alpha[h];
        const float alpha = tk::cell(Alpha, h);

        // hedgehog.tk:112: let beta = Beta[h];
        const float beta = tk::cell(Beta, h);

        // hedgehog.tk:113: for t in begin..end by L {
        tk::fragment<float, 64, 64> y0;
        for (int t = begin; t < end; t += 64) {
            // hedgehog.tk:114: let k = consume ks;
            const tk::cursor<1> k = shared.ks.take(ks_next);

            // hedgehog.tk:115: let x = mma(k.q, w);
            tk::fragment<float, 64, 64> x;
            tk::mma_async(x, shared.ks_q[k.stage], shared.wqs_tile[w_element.stage],
                          tk::accumulate_never{});

            // hedgehog.tk:116: let s0 = mma(k.q, k.last.T);
            tk::fragment<float, 64, 64> s0;
            tk::mma_async(s0, shared.ks_q[k.stage], tk::transposed(shared.ks_last[k.stage]),
                          tk::accumulate_never{});

            // hedgehog.tk:117: let s1 = mma(k.q, k.own.T);
            tk::fragment<float, 64, 64> s1;
            tk::mma_async(s1, shared.ks_q[k.stage], tk::transposed(shared.ks_own[k.stage]),
                          tk::accumulate_never{});
            tk::mma_wait<2>(x);

            // hedgehog.tk:21: let e = exp2((x - max(x, axis = 1)) * LOG2E);
            tk::column_fragment<float, 64> t3;
            tk::fold_rows(t3, x, tk::maximum{}, thread);
            tk::finish_rows(t3, tk::maximum{});
            tk::fragment<float, 64, 64> e;
            tk::map(e, [](float x, float t3) { return tk::exp2((x - t3) * 1.442695f); }, x, t3);

            // hedgehog.tk:22: return max(e / sum(e, axis = 1), 0.000001);
            tk::column_fragment<float, 64> t4;
            tk::fold_rows(t4, e, tk::plus{}, thread);
            tk::finish_rows(t4, tk::plus{});

            // hedgehog.tk:118: let fp = T(features(x) * alpha);
            tk::fragment<tk::bf16, 64, 64> fp;
            tk::map(fp, [&](float e, float t4) {
                return tk::max(tk::divide(e, t4), 1e-06f) * alpha;
            }, e, t4);
            // hedgehog.tk:21
            tk::hold_waits(warp);
            tk::fragment<float, 64, 64> t5;
            tk::map(t5, [](float x) { return -x; }, x);
            tk::column_fragment<float, 64> t6;
            tk::fold_rows(t6, t5, tk::maximum{}, thread);
            tk::finish_rows(t6, tk::maximum{});
            tk::fragment<float, 64, 64> e_2;
            tk::map(e_2, [](float t5, float t6) { return tk::exp2((t5 - t6) * 1.442695f); },
                    t5, t6);
            // hedgehog.tk:22
            tk::column_fragment<float, 64> t7;
            tk::fold_rows(t7, e_2, tk::plus{}, thread);
            tk::finish_rows(t7, tk::plus{});

            // hedgehog.tk:119: let fm = T(features(-x) * alpha);
            tk::fragment<tk::bf16, 64, 64> fm;
            tk::map(fm, [&](float e_2, float t7) {
                return tk::max(tk::divide(e_2, t7), 1e-06f) * alpha;
            }, e_2, t7);
            tk::mma_wait<1>(s0);

            // hedgehog.tk:120: let y0 = where(t.start > 0 and col_index(s0) < tokens - ..
            if (tk::max(t - 64, 0) + 64 <= tokens) {
                tk::map(y0, [&](float s0) { return t > 0 ? s0 : -INFINITY; }, s0);
            } else {
                tk::map(y0, thread, [&](int, int col, float s0) {
                    return t > 0 && col < tokens - tk::max(t - 64, 0) ? s0 : -INFINITY;
                }, s0);
            }
            tk::mma_wait<0>(s1);
            shared.ks.release(k);

            // hedgehog.tk:121: let y1 = where(col_index(s1) <= row_index(s1) and col_index(s1) < ..
            tk::fragment<float, 64, 64> y1;
            tk::map(y1, thread, [&](int row, int col, float s1) {
                return col <= row && col < tokens - t ? s1 : -INFINITY;
            }, s1);

            // hedgehog.tk:122: let most = max(max(y0, axis = 1), max(y1, axis = 1));
            tk::column_fragment<float, 64> t8;
            tk::fold_rows(t8, y0, tk::maximum{}, thread);
            tk::finish_rows(t8, tk::maximum{});
            tk::column_fragment<float, 64> t9;
            tk::fold_rows(t9, y1, tk::maximum{}, thread);
            tk::finish_rows(t9, tk::maximum{});
            tk::column_fragment<float, 64> most;
            tk::map(most, [](float t8, float t9) { return tk::max(t8, t9); }, t8, t9);

            // hedgehog.tk:123: let e0 = exp2((y0 - most) * (scale * LOG2E)) * beta;
            tk::fragment<float, 64, 64> e0;
            tk::map(e0, [&](float y0, float most) {
                return tk::exp2((y0 - most) * (scale * 1.442695f)) * beta;
            }, y0, most);

            // hedgehog.tk:124: let e1 = exp2((y1 - most) * (scale * LOG2E)) * beta;
            tk::fragment<float, 64, 64> e1;
            tk::map(e1, [&](float y1, float most) {
                return tk::exp2((y1 - most) * (scale * 1.442695f)) * beta;
            }, y1, most);

            // hedgehog.tk:125: let near = sum(e0, axis = 1) + sum(e1, axis = 1);
            tk::column_fragment<float, 64> t10;
            tk::fold_rows(t10, e0, tk::plus{}, thread);
            tk::finish_rows(t10, tk::plus{});
            tk::column_fragment<float, 64> t11;
            tk::fold_rows(t11, e1, tk::plus{}, thread);
            tk::finish_rows(t11, tk::plus{});

            // hedgehog.tk:126: let r0 = T(e0);
            tk::fragment<tk::bf16, 64, 64> r0 = tk::convert<tk::bf16>(e0);

            // hedgehog.tk:127: let r1 = T(e1);
            tk::fragment<tk::bf16, 64, 64> r1 = tk::convert<tk::bf16>(e1);

            // hedgehog.tk:128: let before = consume states;
            shared.states.wait_full(k);

            // hedgehog.tk:129: var o = mma(fp, before.p);
            tk::fragment<float, 64, 128> o;
            tk::mma_async(o, fp, shared.states_p[k.stage], tk::accumulate_never{});

            // hedgehog.tk:130: o += mma(fm, before.n);
            tk::mma_async(o, fm, shared.states_n[k.stage]);

            // hedgehog.tk:131: var z = mma(fp, before.zp);
            tk::fragment<float, 64, 8> z;
            tk::mma_async(z, fp, shared.states_zp[k.stage], tk::accumulate_never{});

            // hedgehog.tk:132: z += mma(fm, before.zn);
            tk::mma_async(z, fm, shared.states_zn[k.stage]);

            // hedgehog.tk:133: let v = consume vs;
            shared.vs.wait_full(k);

            // hedgehog.tk:134: o += mma(r0, v.last);
            tk::mma_async(o, r0, shared.vs_last[k.stage]);

            // hedgehog.tk:135: o += mma(r1, v.own);
            tk::mma_async(o, r1, shared.vs_own[k.stage]);
            tk::mma_wait<2>(z, fp, fm);
            shared.states.release(k);

            // hedgehog.tk:136: let all = near + max(z, axis = 1) + eps;
            tk::column_fragment<float, 64> t14;
            tk::fold_rows(t14, z, tk::maximum{}, thread);
            tk::finish_rows(t14, tk::maximum{});
            tk::hold_waits(warp);
            tk::column_fragment<float, 64> all;
            tk::map(all, [&](float t10, float t11, float t14) { return t10 + t11 + t14 + eps; },
                    t10, t11, t14);
            tk::mma_wait<0>(o, r0, r1);
            shared.vs.release(k);

            // hedgehog.tk:141: let y = T(o / all);
            tk::fragment<tk::bf16, 64, 128> y;
            tk::map(y, [](float o, float all) { return tk::divide(o, all); }, o, all);

            // hedgehog.tk:142: if t.start >= p * length { tma_store(O[b, t, h, :], y); }
            if (t >= p * length) {
                #pragma unroll
                for (int panel = 0; panel < 128; panel += 64) {
                    tk::store_shared(shared.output_O[panel / 64 % 2],
                                     tk::window<64, 64>(y, 0, panel), thread);
                    tk::fence_async();
                    if (leader) tk::tma_store_wait_read<0>();
                    tk::barrier_sync(1, 128);
                    if (leader) {
                        tk::tma_store(O_map, shared.output_O[panel / 64 % 2], b, t, h, panel);
                    }
                }
            }
        }
        shared.wqs.release(w_element);

        if (leader) tk::tma_store_wait_read<0>();
    }
}

namespace {
tk::status launch_chunks(const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K,
                         const tk::tensor& V, const tk::tensor& WQ, const tk::tensor& WK,
                         const tk::tensor& Alpha, const tk::tensor& Beta, const tk::tensor& S0,
                         const tk::tensor& Z0, const tk::tensor& O, const tk::tensor& State,
                         const tk::tensor& Sums, int64_t B, int64_t N, int64_t H, int64_t I,
                         int64_t E, float scale, float eps, int32_t segments, int32_t length) {
    return tk::run<chunks_kernel>(site, sizeof(chunks_shared), tk::kernel_shape(512).overlapping(),
                                  tk::multiply(tk::multiply(H, tk::larger(int64_t{segments}, 0)),
                                               B), tk::box{WK, {1, 128, 64}, 128},
                                  tk::box{WQ, {1, 128, 64}, 128}, tk::box{K, {1, 64, 1, 64}, 128},
                                  tk::box{Q, {1, 64, 1, 64}, 128}, tk::box{V, {1, 64, 1, 64}, 128},
                                  tk::box{O, {1, 64, 1, 64}, 128}, Alpha, Beta, S0, Z0, State, Sums,
                                  B, N, H, I, E, scale, eps, segments, length);
}

tk::status launch_ends(const tk::launch_site& site, const tk::tensor& K, const tk::tensor& V,
                       const tk::tensor& WK, const tk::tensor& End, const tk::tensor& Added,
                       int64_t B, int64_t N, int64_t H, int32_t segments, int32_t length) {
    return tk::run<ends_kernel>(site, sizeof(ends_shared), tk::kernel_shape(384).overlapping(),
                                tk::multiply(tk::multiply(H, tk::larger(int64_t{segments}, 0)), B),
                                tk::box{WK, {1, 128, 64}, 128}, tk::box{K, {1, 64, 1, 64}, 128},
                                tk::box{V, {1, 64, 1, 64}, 128}, End, Added, B, N, H, segments,
                                length);
}

tk::status launch_based_starts_R_128(
    const tk::launch_site& site, const tk::tensor& End, const tk::tensor& Added,
    const tk::tensor& S0, const tk::tensor& Z0, const tk::tensor& Start, const tk::tensor& Before,
    const tk::tensor& State, const tk::tensor& Sums, int64_t H, int64_t DV, int64_t I, int64_t E,
    int32_t sequences, int32_t segments) {
    return tk::run<based_starts_R_128_kernel>(
        site, 0, tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(DV, 128) * 16, H),
                     tk::larger(int64_t{sequences}, 0)), End, Added, S0, Z0, Start, Before, State,
        Sums, H, DV, I, E, sequences, segments);
}

tk::status launch_based_starts_R_128_general(
    const tk::launch_site& site, const tk::tensor& End, const tk::tensor& Added,
    const tk::tensor& S0, const tk::tensor& Z0, const tk::tensor& Start, const tk::tensor& Before,
    const tk::tensor& State, const tk::tensor& Sums, int64_t H, int64_t DV, int64_t I, int64_t E,
    int32_t sequences, int32_t segments) {
    return tk::run<based_starts_R_128_general_kernel>(
        site, 0, tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(DV, 128) * 16, H),
                     tk::larger(int64_t{sequences}, 0)), End, Added, S0, Z0, Start, Before, State,
        Sums, H, DV, I, E, sequences, segments);
}

tk::status launch_chunks_T_bf16_D_128_DV_128_F_64_PACKED_false_STATES_true(
    const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K, const tk::tensor& V,
    const tk::tensor& WQ, const tk::tensor& WK, const tk::tensor& Alpha, const tk::tensor& Beta,
    const tk::tensor& S0, const tk::tensor& Z0, const tk::tensor& O, const tk::tensor& State,
    const tk::tensor& Sums, int64_t B, int64_t N, int64_t H, int64_t I, int64_t E, float scale,
    float eps, int32_t segments, int32_t length) {
    return tk::run<chunks_T_bf16_D_128_DV_128_F_64_PACKED_false_STATES_true_kernel>(
        site, sizeof(chunks_T_bf16_D_128_DV_128_F_64_PACKED_false_STATES_true_shared),
        tk::kernel_shape(512).overlapping(),
        tk::multiply(tk::multiply(H, tk::larger(int64_t{segments}, 0)), B),
        tk::box{WK, {1, 128, 64}, 128}, tk::box{WQ, {1, 128, 64}, 128},
        tk::box{K, {1, 64, 1, 64}, 128}, tk::box{Q, {1, 64, 1, 64}, 128},
        tk::box{V, {1, 64, 1, 64}, 128}, tk::box{O, {1, 64, 1, 64}, 128}, Alpha, Beta, S0, Z0,
        State, Sums, B, N, H, I, E, scale, eps, segments, length);
}

}  // namespace

extern "C" {
int chunks(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
           const DLTensor* WQ_given, const DLTensor* WK_given, const DLTensor* Alpha_given,
           const DLTensor* Beta_given, const DLTensor* S0_given, const DLTensor* Z0_given,
           const DLTensor* start_given, DLTensor* O_given, DLTensor* State_given,
           DLTensor* Sums_given, float scale, float eps, int32_t segments, int32_t length, void*,
           size_t, cudaStream_t stream) {
    tk::arguments call{"chunks"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor WQ = call.take("WQ", WQ_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor WK = call.take("WK", WK_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor Alpha = call.take("Alpha", Alpha_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor Beta = call.take("Beta", Beta_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor Z0 = call.take("Z0", Z0_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor State = call.take("State", State_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Sums = call.take("Sums", Sums_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t H = Q.shape[2];
    const int64_t I = S0.shape[0];
    const int64_t P = start.shape[0];
    const int64_t E = State.shape[0];
    call.require({
        tk::fixed_extent(Q, 3, 128), tk::same_extent("B", Q, 0, K, 0),
        tk::same_extent("N", Q, 1, K, 1), tk::same_extent("H", Q, 2, K, 2),
        tk::fixed_extent(K, 3, 128), tk::same_extent("B", Q, 0, V, 0),
        tk::same_extent("N", Q, 1, V, 1), tk::same_extent("H", Q, 2, V, 2),
        tk::fixed_extent(V, 3, 128), tk::same_extent("H", Q, 2, WQ, 0),
        tk::fixed_extent(WQ, 1, 128), tk::fixed_extent(WQ, 2, 64),
        tk::same_extent("H", Q, 2, WK, 0), tk::fixed_extent(WK, 1, 128),
        tk::fixed_extent(WK, 2, 64), tk::same_extent("H", Q, 2, Alpha, 0),
        tk::same_extent("H", Q, 2, Beta, 0), tk::same_extent("H", Q, 2, S0, 1),
        tk::fixed_extent(S0, 2, 128), tk::fixed_extent(S0, 3, 128),
        tk::same_extent("I", S0, 0, Z0, 0), tk::same_extent("H", Q, 2, Z0, 1),
        tk::fixed_extent(Z0, 2, 128), tk::same_extent("B", Q, 0, O, 0),
        tk::same_extent("N", Q, 1, O, 1), tk::same_extent("H", Q, 2, O, 2),
        tk::fixed_extent(O, 3, 128), tk::same_extent("H", Q, 2, State, 1),
        tk::fixed_extent(State, 2, 128), tk::fixed_extent(State, 3, 128),
        tk::same_extent("E", State, 0, Sums, 0), tk::same_extent("H", Q, 2, Sums, 1),
        tk::fixed_extent(Sums, 2, 128),
        tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"I", I}, {"P", P}, {"E", E}}),
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
        tk::that(scale > 0.0f, "`chunks` requires `scale > 0`"),
        tk::that(I == 0 && E == 0, "`chunks` requires `STATES or I == 0 and E == 0`"),
        tk::that(E <= B, "`chunks` requires `PACKED or E <= B`"),
        tk::that(int64_t{segments} >= 1, "`chunks` requires `segments >= 1`"),
        tk::that(int64_t{length} >= 64, "`chunks` requires `length >= L`"),
        tk::that(int64_t{length} % 64 == 0, "`chunks` requires `length % L == 0`"),
        tk::that(tk::multiply(int64_t{segments}, int64_t{length}) >= N,
                 "`chunks` requires `segments * length >= N`"),
        tk::that(tk::multiply(int64_t{segments} - 1, int64_t{length}) <= N,
                 "`chunks` requires `(segments - 1) * length <= N`"), tk::suits_tma_load(Q),
        tk::suits_tma_load(K), tk::suits_tma_load(V), tk::suits_tma_load(WQ),
        tk::suits_tma_load(WK), tk::suits_tma_store(O),
        tk::grid_fits(tk::multiply(H, tk::larger(int64_t{segments}, 0)), 2147483648),
        tk::grid_fits(tk::multiply(tk::multiply(H, tk::larger(int64_t{segments}, 0)), B),
                      2147483648),
        tk::fits("p*length", tk::larger(0, tk::multiply(int64_t{segments} - 1, int64_t{length}))),
        tk::that(-2147483648 <=
                 tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{length})),
                 "`p*length` reaches {}; it must fit in 32 bits",
                 {tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{length}))}),
        tk::that(-2147483648 <=
                 tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{length})) - 64,
                 "`p*length - 64` reaches {}; it must fit in 32 bits",
                 {tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{length})) - 64}),
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
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<chunks_kernel>(
        site, sizeof(chunks_shared), tk::kernel_shape(512).overlapping(),
        tk::multiply(tk::multiply(H, tk::larger(int64_t{segments}, 0)), B),
        tk::box{WK, {1, 128, 64}, 128}, tk::box{WQ, {1, 128, 64}, 128},
        tk::box{K, {1, 64, 1, 64}, 128}, tk::box{Q, {1, 64, 1, 64}, 128},
        tk::box{V, {1, 64, 1, 64}, 128}, tk::box{O, {1, 64, 1, 64}, 128}, Alpha, Beta, S0, Z0,
        State, Sums, B, N, H, I, E, scale, eps, segments, length));
}
TK_NO_WORKSPACE(chunks, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*, DLTensor*, DLTensor*, float, float, int32_t, int32_t)

int ends(const DLTensor* K_given, const DLTensor* V_given, const DLTensor* WK_given,
         DLTensor* End_given, DLTensor* Added_given, int32_t segments, int32_t length, void*,
         size_t, cudaStream_t stream) {
    tk::arguments call{"ends"};
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor WK = call.take("WK", WK_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor End = call.take("End", End_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Added = call.take("Added", Added_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = K.shape[0];
    const int64_t N = K.shape[1];
    const int64_t H = K.shape[2];
    call.require({
        tk::fixed_extent(K, 3, 128), tk::same_extent("B", K, 0, V, 0),
        tk::same_extent("N", K, 1, V, 1), tk::same_extent("H", K, 2, V, 2),
        tk::fixed_extent(V, 3, 128), tk::same_extent("H", K, 2, WK, 0),
        tk::fixed_extent(WK, 1, 128), tk::fixed_extent(WK, 2, 64),
        tk::same_extent("H", K, 2, End, 1), tk::fixed_extent(End, 2, 128),
        tk::fixed_extent(End, 3, 128), tk::same_extent("H", K, 2, Added, 1),
        tk::fixed_extent(Added, 2, 128), tk::extents_fit({{"B", B}, {"N", N}, {"H", H}}),
        tk::fits("B*segments", tk::multiply(B, int64_t{segments})),
        tk::that(-2147483648 <= tk::multiply(B, int64_t{segments}),
                 "`B*segments` reaches {}; it must fit in 32 bits",
                 {tk::multiply(B, int64_t{segments})}),
        tk::that(End.shape[0] == tk::multiply(B, int64_t{segments}),
                 "axis 0 of `End` is {}; it must be `B*segments`, which is {}",
                 {End.shape[0], tk::multiply(B, int64_t{segments})}),
        tk::that(Added.shape[0] == tk::multiply(B, int64_t{segments}),
                 "axis 0 of `Added` is {}; it must be `B*segments`, which is {}",
                 {Added.shape[0], tk::multiply(B, int64_t{segments})}),
        tk::that(int64_t{segments} >= 1, "`ends` requires `segments >= 1`"),
        tk::that(int64_t{length} >= 64, "`ends` requires `length >= L`"),
        tk::that(int64_t{length} % 64 == 0, "`ends` requires `length % L == 0`"),
        tk::suits_tma_load(K), tk::suits_tma_load(V), tk::suits_tma_load(WK),
        tk::grid_fits(tk::multiply(H, tk::larger(int64_t{segments}, 0)), 2147483648),
        tk::grid_fits(tk::multiply(tk::multiply(H, tk::larger(int64_t{segments}, 0)), B),
                      2147483648),
        tk::fits("p*length", tk::larger(0, tk::multiply(int64_t{segments} - 1, int64_t{length}))),
        tk::that(-2147483648 <=
                 tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{length})),
                 "`p*length` reaches {}; it must fit in 32 bits",
                 {tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{length}))}),
        tk::that(-2147483648 <=
                 tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{length})) - 64,
                 "`p*length - 64` reaches {}; it must fit in 32 bits",
                 {tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{length})) - 64}),
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
        tk::that(-2147483648 <=
                 tk::smaller(int64_t{length},
                             tk::multiply(int64_t{segments} - 1 + 1, int64_t{length})) - 64,
                 "`(p + 1)*length - 64` reaches {}; it must fit in 32 bits",
                 {
                     tk::smaller(int64_t{length},
                                 tk::multiply(int64_t{segments} - 1 + 1, int64_t{length})) - 64}),
        tk::fits("b*segments", tk::larger(0, tk::multiply(B - 1, int64_t{segments}))),
        tk::that(-2147483648 <= tk::smaller(0, tk::multiply(B - 1, int64_t{segments})),
                 "`b*segments` reaches {}; it must fit in 32 bits",
                 {tk::smaller(0, tk::multiply(B - 1, int64_t{segments}))}),
        tk::fits("b*segments + p",
                 tk::larger(0, tk::multiply(B - 1, int64_t{segments})) + (int64_t{segments} - 1))});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<ends_kernel>(
        site, sizeof(ends_shared), tk::kernel_shape(384).overlapping(),
        tk::multiply(tk::multiply(H, tk::larger(int64_t{segments}, 0)), B),
        tk::box{WK, {1, 128, 64}, 128}, tk::box{K, {1, 64, 1, 64}, 128},
        tk::box{V, {1, 64, 1, 64}, 128}, End, Added, B, N, H, segments, length));
}
TK_NO_WORKSPACE(ends, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*,
                int32_t, int32_t)

int hedgehog(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
             const DLTensor* WQ_given, const DLTensor* WK_given, const DLTensor* Alpha_given,
             const DLTensor* Beta_given, const DLTensor* S0_given, const DLTensor* Z0_given,
             const DLTensor* start_given, DLTensor* O_given, DLTensor* State_given,
             DLTensor* Sums_given, float scale, float eps, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"hedgehog"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor WQ = call.take("WQ", WQ_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor WK = call.take("WK", WK_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor Alpha = call.take("Alpha", Alpha_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor Beta = call.take("Beta", Beta_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor Z0 = call.take("Z0", Z0_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor State = call.take("State", State_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Sums = call.take("Sums", Sums_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t H = Q.shape[2];
    const int64_t I = S0.shape[0];
    const int64_t P = start.shape[0];
    const int64_t E = State.shape[0];
    call.require(
        {tk::fixed_extent(Q, 3, 128), tk::same_extent("B", Q, 0, K, 0),
         tk::same_extent("N", Q, 1, K, 1), tk::same_extent("H", Q, 2, K, 2),
         tk::fixed_extent(K, 3, 128), tk::same_extent("B", Q, 0, V, 0),
         tk::same_extent("N", Q, 1, V, 1), tk::same_extent("H", Q, 2, V, 2),
         tk::fixed_extent(V, 3, 128), tk::same_extent("H", Q, 2, WQ, 0),
         tk::fixed_extent(WQ, 1, 128), tk::fixed_extent(WQ, 2, 64),
         tk::same_extent("H", Q, 2, WK, 0), tk::fixed_extent(WK, 1, 128),
         tk::fixed_extent(WK, 2, 64), tk::same_extent("H", Q, 2, Alpha, 0),
         tk::same_extent("H", Q, 2, Beta, 0), tk::same_extent("H", Q, 2, S0, 1),
         tk::fixed_extent(S0, 2, 128), tk::fixed_extent(S0, 3, 128),
         tk::same_extent("I", S0, 0, Z0, 0), tk::same_extent("H", Q, 2, Z0, 1),
         tk::fixed_extent(Z0, 2, 128), tk::same_extent("B", Q, 0, O, 0),
         tk::same_extent("N", Q, 1, O, 1), tk::same_extent("H", Q, 2, O, 2),
         tk::fixed_extent(O, 3, 128), tk::same_extent("H", Q, 2, State, 1),
         tk::fixed_extent(State, 2, 128), tk::fixed_extent(State, 3, 128),
         tk::same_extent("E", State, 0, Sums, 0), tk::same_extent("H", Q, 2, Sums, 1),
         tk::fixed_extent(Sums, 2, 128),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"I", I}, {"P", P}, {"E", E}}),
         tk::that(scale > 0.0f, "`hedgehog` requires `scale > 0`"),
         tk::that(I == 0 && E == 0, "`hedgehog` requires `STATES or I == 0 and E == 0`"),
         tk::that(E <= B, "`hedgehog` requires `PACKED or E <= B`"),
         tk::that(-2147483648 <= tk::ceil_div(tk::larger(N, 1), 64) * 64,
                  "`ceil_div(max(N, 1), 64)*64`, which `chunks` is called with, is {}; it must fit in 32 bits",
                  {tk::ceil_div(tk::larger(N, 1), 64) * 64}),
         tk::that(tk::ceil_div(tk::larger(N, 1), 64) * 64 < 2147483648,
                  "`ceil_div(max(N, 1), 64)*64`, which `chunks` is called with, is {}; it must fit in 32 bits",
                  {tk::ceil_div(tk::larger(N, 1), 64) * 64})});
    // chunks(Q, K, V, WQ, WK, Alpha, Beta, S0, Z0, start, O, State, Sums, scale, eps, 1,
    // ceil_div(max(N, 1), 64)*64)
    call.require({
        tk::that(tk::ceil_div(tk::larger(N, 1), 64) * 64 >= 64,
                 "`chunks` requires `(ceil_div(max(N, 1), 64)*64) >= L`"),
        tk::that(tk::ceil_div(tk::larger(N, 1), 64) * 64 >= N,
                 "`chunks` requires `1 * (ceil_div(max(N, 1), 64)*64) >= N`"),
        tk::that(0 <= N, "`chunks` requires `(1 - 1) * (ceil_div(max(N, 1), 64)*64) <= N`"),
        tk::suits_tma_load(Q), tk::suits_tma_load(K), tk::suits_tma_load(V), tk::suits_tma_load(WQ),
        tk::suits_tma_load(WK), tk::suits_tma_store(O), tk::grid_fits(H, 2147483648),
        tk::grid_fits(tk::multiply(H, B), 2147483648),
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
        tk::fits("b*1", tk::larger(0, B - 1)),
        tk::that(-2147483648 <= tk::smaller(0, B - 1), "`b*1` reaches {}; it must fit in 32 bits",
                 {tk::smaller(0, B - 1)})});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    TK_FINISH_IF_FAILED(launch_chunks(
        site, Q, K, V, WQ, WK, Alpha, Beta, S0, Z0, O, State, Sums, B, N, H, I, E, scale, eps,
        static_cast<int32_t>(1), static_cast<int32_t>(tk::ceil_div(tk::larger(N, 1), 64) * 64)));
    return tk::finish({});
}
TK_NO_WORKSPACE(hedgehog, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*, DLTensor*, DLTensor*, float, float)

int hedgehog_segments(
    const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
    const DLTensor* WQ_given, const DLTensor* WK_given, const DLTensor* Alpha_given,
    const DLTensor* Beta_given, const DLTensor* S0_given, const DLTensor* Z0_given,
    const DLTensor* start_given, DLTensor* O_given, DLTensor* State_given, DLTensor* Sums_given,
    DLTensor* End_given, DLTensor* Added_given, DLTensor* Start_given, DLTensor* Before_given,
    DLTensor* Unused_given, DLTensor* UnusedSums_given, float scale, float eps, int32_t segments,
    int32_t length, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"hedgehog_segments"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor WQ = call.take("WQ", WQ_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor WK = call.take("WK", WK_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor Alpha = call.take("Alpha", Alpha_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor Beta = call.take("Beta", Beta_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor Z0 = call.take("Z0", Z0_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor State = call.take("State", State_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Sums = call.take("Sums", Sums_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor End = call.take("End", End_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Added = call.take("Added", Added_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor Start = call.take("Start", Start_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Before = call.take("Before", Before_given, tk::dtype_f32, 3,
                                        tk::access::write);
    const tk::tensor Unused = call.take("Unused", Unused_given, tk::dtype_f32, 4,
                                        tk::access::write);
    const tk::tensor UnusedSums = call.take("UnusedSums", UnusedSums_given, tk::dtype_f32, 3,
                                            tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t H = Q.shape[2];
    const int64_t I = S0.shape[0];
    const int64_t P = start.shape[0];
    const int64_t E = State.shape[0];
    call.require(
        {tk::fixed_extent(Q, 3, 128), tk::same_extent("B", Q, 0, K, 0),
         tk::same_extent("N", Q, 1, K, 1), tk::same_extent("H", Q, 2, K, 2),
         tk::fixed_extent(K, 3, 128), tk::same_extent("B", Q, 0, V, 0),
         tk::same_extent("N", Q, 1, V, 1), tk::same_extent("H", Q, 2, V, 2),
         tk::fixed_extent(V, 3, 128), tk::same_extent("H", Q, 2, WQ, 0),
         tk::fixed_extent(WQ, 1, 128), tk::fixed_extent(WQ, 2, 64),
         tk::same_extent("H", Q, 2, WK, 0), tk::fixed_extent(WK, 1, 128),
         tk::fixed_extent(WK, 2, 64), tk::same_extent("H", Q, 2, Alpha, 0),
         tk::same_extent("H", Q, 2, Beta, 0), tk::same_extent("H", Q, 2, S0, 1),
         tk::fixed_extent(S0, 2, 128), tk::fixed_extent(S0, 3, 128),
         tk::same_extent("I", S0, 0, Z0, 0), tk::same_extent("H", Q, 2, Z0, 1),
         tk::fixed_extent(Z0, 2, 128), tk::same_extent("B", Q, 0, O, 0),
         tk::same_extent("N", Q, 1, O, 1), tk::same_extent("H", Q, 2, O, 2),
         tk::fixed_extent(O, 3, 128), tk::same_extent("H", Q, 2, State, 1),
         tk::fixed_extent(State, 2, 128), tk::fixed_extent(State, 3, 128),
         tk::same_extent("E", State, 0, Sums, 0), tk::same_extent("H", Q, 2, Sums, 1),
         tk::fixed_extent(Sums, 2, 128), tk::same_extent("H", Q, 2, End, 1),
         tk::fixed_extent(End, 2, 128), tk::fixed_extent(End, 3, 128),
         tk::same_extent("H", Q, 2, Added, 1), tk::fixed_extent(Added, 2, 128),
         tk::same_extent("H", Q, 2, Start, 1), tk::fixed_extent(Start, 2, 128),
         tk::fixed_extent(Start, 3, 128), tk::same_extent("H", Q, 2, Before, 1),
         tk::fixed_extent(Before, 2, 128), tk::same_extent("H", Q, 2, Unused, 1),
         tk::fixed_extent(Unused, 2, 128), tk::fixed_extent(Unused, 3, 128),
         tk::same_extent("H", Q, 2, UnusedSums, 1), tk::fixed_extent(UnusedSums, 2, 128),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"I", I}, {"P", P}, {"E", E}}),
         tk::fits("B*segments", tk::multiply(B, int64_t{segments})),
         tk::that(-2147483648 <= tk::multiply(B, int64_t{segments}),
                  "`B*segments` reaches {}; it must fit in 32 bits",
                  {tk::multiply(B, int64_t{segments})}),
         tk::that(End.shape[0] == tk::multiply(B, int64_t{segments}),
                  "axis 0 of `End` is {}; it must be `B*segments`, which is {}",
                  {End.shape[0], tk::multiply(B, int64_t{segments})}),
         tk::that(Added.shape[0] == tk::multiply(B, int64_t{segments}),
                  "axis 0 of `Added` is {}; it must be `B*segments`, which is {}",
                  {Added.shape[0], tk::multiply(B, int64_t{segments})}),
         tk::that(Start.shape[0] == tk::multiply(B, int64_t{segments}),
                  "axis 0 of `Start` is {}; it must be `B*segments`, which is {}",
                  {Start.shape[0], tk::multiply(B, int64_t{segments})}),
         tk::that(Before.shape[0] == tk::multiply(B, int64_t{segments}),
                  "axis 0 of `Before` is {}; it must be `B*segments`, which is {}",
                  {Before.shape[0], tk::multiply(B, int64_t{segments})}),
         tk::that(Unused.shape[0] == tk::smaller(B, 0),
                  "axis 0 of `Unused` is {}; it must be `min(B, 0)`, which is {}",
                  {Unused.shape[0], tk::smaller(B, 0)}),
         tk::that(UnusedSums.shape[0] == tk::smaller(B, 0),
                  "axis 0 of `UnusedSums` is {}; it must be `min(B, 0)`, which is {}",
                  {UnusedSums.shape[0], tk::smaller(B, 0)}),
         tk::that(scale > 0.0f, "`hedgehog_segments` requires `scale > 0`"),
         tk::that(P == 0, "`hedgehog_segments` requires `P == 0`"),
         tk::that(I <= B, "`hedgehog_segments` requires `I <= B`"),
         tk::that(E <= B, "`hedgehog_segments` requires `E <= B`")});
    // ends(K, V, WK, End, Added, segments, length)
    call.require({
        tk::that(int64_t{segments} >= 1, "`ends` requires `segments >= 1`"),
        tk::that(int64_t{length} >= 64, "`ends` requires `length >= L`"),
        tk::that(int64_t{length} % 64 == 0, "`ends` requires `length % L == 0`"),
        tk::suits_tma_load(K), tk::suits_tma_load(V), tk::suits_tma_load(WK),
        tk::grid_fits(tk::multiply(H, tk::larger(int64_t{segments}, 0)), 2147483648),
        tk::grid_fits(tk::multiply(tk::multiply(H, tk::larger(int64_t{segments}, 0)), B),
                      2147483648),
        tk::fits("p*length", tk::larger(0, tk::multiply(int64_t{segments} - 1, int64_t{length}))),
        tk::that(-2147483648 <=
                 tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{length})),
                 "`p*length` reaches {}; it must fit in 32 bits",
                 {tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{length}))}),
        tk::that(-2147483648 <=
                 tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{length})) - 64,
                 "`p*length - 64` reaches {}; it must fit in 32 bits",
                 {tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{length})) - 64}),
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
        tk::that(-2147483648 <=
                 tk::smaller(int64_t{length},
                             tk::multiply(int64_t{segments} - 1 + 1, int64_t{length})) - 64,
                 "`(p + 1)*length - 64` reaches {}; it must fit in 32 bits",
                 {
                     tk::smaller(int64_t{length},
                                 tk::multiply(int64_t{segments} - 1 + 1, int64_t{length})) - 64}),
        tk::fits("b*segments", tk::larger(0, tk::multiply(B - 1, int64_t{segments}))),
        tk::that(-2147483648 <= tk::smaller(0, tk::multiply(B - 1, int64_t{segments})),
                 "`b*segments` reaches {}; it must fit in 32 bits",
                 {tk::smaller(0, tk::multiply(B - 1, int64_t{segments}))}),
        tk::fits("b*segments + p",
                 tk::larger(0, tk::multiply(B - 1, int64_t{segments})) + (int64_t{segments} - 1))});
    // based.starts(End, Added, S0, Z0, Start, Before, Unused, UnusedSums, B, segments)
    call.require({
        tk::that(tk::smaller(B, 0) < 2147221504,
                 "`min(B, 0)` is {}; extents must be less than 2147221504", {tk::smaller(B, 0)}),
        tk::that(tk::smaller(B, 0) <= B, "`starts` requires `(min(B, 0)) <= B`"),
        tk::grid_fits(16 * H, 2147483648),
        tk::grid_fits(tk::multiply(16 * H, tk::larger(B, 0)), 2147483648)});
    // chunks(Q, K, V, WQ, WK, Alpha, Beta, Start, Before, start, O, State, Sums, scale, eps,
    // segments, length)
    call.require({
        tk::that(tk::multiply(B, int64_t{segments}) < 2147221504,
                 "`B*segments` is {}; extents must be less than 2147221504",
                 {tk::multiply(B, int64_t{segments})}),
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
        tk::that(tk::multiply(int64_t{segments}, int64_t{length}) >= N,
                 "`chunks` requires `segments * length >= N`"),
        tk::that(tk::multiply(int64_t{segments} - 1, int64_t{length}) <= N,
                 "`chunks` requires `(segments - 1) * length <= N`"), tk::suits_tma_load(Q),
        tk::suits_tma_load(WQ), tk::suits_tma_store(O)});
    if (!call.ok()) return tk::finish(call.result());

    // based.starts(End, Added, S0, Z0, Start, Before, Unused, UnusedSums, B, segments)
    const bool choice_2 = tk::hold({
        tk::that(End.stride[3] == 1), tk::that(End.address % 16 == 0),
        tk::that(End.stride[2] % 4 == 0 && 0 < End.stride[2] && End.stride[2] < 274877906944),
        tk::that(End.stride[1] % 4 == 0 && 0 < End.stride[1] && End.stride[1] < 274877906944),
        tk::that(End.stride[0] % 4 == 0 && 0 < End.stride[0] && End.stride[0] < 274877906944),
        tk::suits_fast(Added), tk::that(S0.stride[3] == 1), tk::that(S0.address % 16 == 0),
        tk::that(S0.stride[2] % 4 == 0 && 0 < S0.stride[2] && S0.stride[2] < 274877906944),
        tk::that(S0.stride[1] % 4 == 0 && 0 < S0.stride[1] && S0.stride[1] < 274877906944),
        tk::that(S0.stride[0] % 4 == 0 && 0 < S0.stride[0] && S0.stride[0] < 274877906944),
        tk::suits_fast(Z0), tk::that(Start.stride[3] == 1), tk::that(Start.address % 16 == 0),
        tk::that(Start.stride[2] % 4 == 0 && 0 < Start.stride[2] && Start.stride[2] < 274877906944),
        tk::that(Start.stride[1] % 4 == 0 && 0 < Start.stride[1] && Start.stride[1] < 274877906944),
        tk::that(Start.stride[0] % 4 == 0 && 0 < Start.stride[0] && Start.stride[0] < 274877906944),
        tk::suits_fast(Before), tk::that(Unused.stride[3] == 1), tk::that(Unused.address % 16 == 0),
        tk::that(Unused.stride[2] % 4 == 0 && 0 < Unused.stride[2] &&
                 Unused.stride[2] < 274877906944),
        tk::that(Unused.stride[1] % 4 == 0 && 0 < Unused.stride[1] &&
                 Unused.stride[1] < 274877906944),
        tk::that(Unused.stride[0] % 4 == 0 && 0 < Unused.stride[0] &&
                 Unused.stride[0] < 274877906944), tk::suits_fast(UnusedSums)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    TK_FINISH_IF_FAILED(launch_ends(site, K, V, WK, End, Added, B, N, H, segments, length));
    if (choice_2) {
        TK_FINISH_IF_FAILED(launch_based_starts_R_128(
            site, tk::read_only(End), tk::read_only(Added), S0, Z0, Start, Before, Unused,
            UnusedSums, H, 128, I, tk::smaller(B, 0), static_cast<int32_t>(B), segments));
    } else {
        TK_FINISH_IF_FAILED(launch_based_starts_R_128_general(
            site, tk::read_only(End), tk::read_only(Added), S0, Z0, Start, Before, Unused,
            UnusedSums, H, 128, I, tk::smaller(B, 0), static_cast<int32_t>(B), segments));
    }
    TK_FINISH_IF_FAILED(launch_chunks_T_bf16_D_128_DV_128_F_64_PACKED_false_STATES_true(
        site, Q, K, V, WQ, WK, Alpha, Beta, tk::read_only(Start), tk::read_only(Before), O, State,
        Sums, B, N, H, tk::multiply(B, int64_t{segments}), E, scale, eps, segments, length));
    return tk::finish({});
}
TK_NO_WORKSPACE(hedgehog_segments, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, float, float, int32_t,
                int32_t)
}  // extern "C"
