// Made by tkc from hedgehog.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/cells.cuh"
#include "tk/ptx/wgmma_n008.cuh"
#include "tk/ptx/wgmma_n064.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/tk.cuh"

// hedgehog: kernel hedgehog with T = bf16, D = 128, DV = 128, F = 64, PACKED = false, STATES =
// false, L = 64.
// producer: 1 warp, 24 registers a thread; keys: 1 warpgroup, 96 registers a thread; state: 1
// warpgroup, 224 registers a thread; output: 1 warpgroup, 168 registers a thread.
// 512 threads, 128 registers each at first, 183392 bytes of shared memory.
struct hedgehog_shared {
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
static_assert(offsetof(hedgehog_shared, states) == 183376);

__global__ void __launch_bounds__(512, 1) hedgehog_kernel(
    const __grid_constant__ CUtensorMap WK_map, const __grid_constant__ CUtensorMap WQ_map,
    const __grid_constant__ CUtensorMap K_map, const __grid_constant__ CUtensorMap Q_map,
    const __grid_constant__ CUtensorMap V_map, const __grid_constant__ CUtensorMap O_map,
    const tk::tensor_argument<const float, 1> Alpha, const tk::tensor_argument<const float, 1> Beta,
    const tk::tensor_argument<const float, 4> S0, const tk::tensor_argument<const float, 3> Z0,
    const tk::tensor_argument<float, 4> State, const tk::tensor_argument<float, 3> Sums, int B,
    int N, int H, int I, int E, float scale, float eps) {
    extern __shared__ __align__(1024) unsigned char memory[];
    hedgehog_shared& shared = *reinterpret_cast<hedgehog_shared*>(memory);

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
        // hedgehog.tk:41: role producer(1 warp) {
        tk::registers_at_most<24>();
        if (warp == 12 && tk::elect_one()) {
            tk::cursor<1> ks_next, vs_next, wks_next, wqs_next;
            const int program = blockIdx.x;
            const int h = program % H;
            const int b = program / H;

            // hedgehog.tk:32: let tokens = if PACKED { start[b + 1] - start[b] } else { N };
            const int tokens = N;

            // hedgehog.tk:42: produce wks = tma_load(WK[h, :, :]);
            shared.wks.begin(wks_next, 16384);
            tk::tma_load(shared.wks_tile[wks_next.stage], WK_map, shared.wks.full[wks_next.stage],
                         h, 0, 0);
            wks_next.advance();

            // hedgehog.tk:43: produce wqs = tma_load(WQ[h, :, :]);
            shared.wqs.begin(wqs_next, 16384);
            tk::tma_load(shared.wqs_tile[wqs_next.stage], WQ_map, shared.wqs.full[wqs_next.stage],
                         h, 0, 0);
            wqs_next.advance();

            // hedgehog.tk:44: for t in tokens by L {
            #pragma unroll 1
            for (int t = 0; t < tokens; t += 64) {
                // hedgehog.tk:52: produce ks {
                shared.ks.begin(ks_next, 49152);

                // hedgehog.tk:53: last = tma_load(K[b, max(t.start - L, 0) +: L, h, :]); own = ..
                tk::tma_load(shared.ks_last[ks_next.stage], K_map, shared.ks.full[ks_next.stage], b,
                             tk::max(t - 64, 0), h, 0);
                tk::tma_load(shared.ks_own[ks_next.stage], K_map, shared.ks.full[ks_next.stage], b,
                             t, h, 0);

                // hedgehog.tk:54: q = tma_load(Q[b, t, h, :]);
                tk::tma_load(shared.ks_q[ks_next.stage], Q_map, shared.ks.full[ks_next.stage], b, t,
                             h, 0);
                // hedgehog.tk:52
                ks_next.advance();

                // hedgehog.tk:56: produce vs { last = tma_load(V[b, max(t.start - L, 0) +: L, h, ..
                shared.vs.begin(vs_next, 32768);
                tk::tma_load(shared.vs_last[vs_next.stage], V_map, shared.vs.full[vs_next.stage], b,
                             tk::max(t - 64, 0), h, 0);
                tk::tma_load(shared.vs_own[vs_next.stage], V_map, shared.vs.full[vs_next.stage], b,
                             t, h, 0);
                vs_next.advance();
            }
        }
    } else if (warp < 4) {
        // hedgehog.tk:60: role keys(1 warpgroup) {
        tk::registers_at_most<96>();
        const int thread = tk::warpgroup_thread();
        tk::cursor<1> fs_next_2, ks_next, wks_next;

        // hedgehog.tk:32: let tokens = if PACKED { start[b + 1] - start[b] } else { N };
        const int tokens = N;

        // hedgehog.tk:61: var one: T[L, 8] = 1;
        tk::fragment<tk::bf16, 64, 8> one;
        tk::map(one, []() { return tk::bf16(1.0f); });

        // hedgehog.tk:62: let w = consume wks;
        const tk::cursor<1> w_element = shared.wks.take(wks_next);

        // hedgehog.tk:63: for t in tokens by L {
        tk::fragment<tk::bf16, 64, 64> p;
        tk::fragment<tk::bf16, 64, 64> n;
        for (int t = 0; t < tokens; t += 64) {
            // hedgehog.tk:64: let k = consume ks;
            const tk::cursor<1> k = shared.ks.take(ks_next);

            // hedgehog.tk:65: let x = mma(k.own, w);
            tk::fragment<float, 64, 64> x;
            tk::mma_async(x, shared.ks_own[k.stage], shared.wks_tile[w_element.stage],
                          tk::accumulate_never{});
            tk::mma_wait<0>(x);
            shared.ks.release(k);

            // hedgehog.tk:17: let e = exp2((x - max(x, axis = 1)) * LOG2E);
            tk::column_fragment<float, 64> t1;
            tk::fold_rows(t1, x, tk::maximum{}, thread);
            tk::finish_rows(t1, tk::maximum{});
            tk::fragment<float, 64, 64> e;
            tk::map(e, [](float x, float t1) { return tk::exp2((x - t1) * 1.442695f); }, x, t1);

            // hedgehog.tk:18: return max(e / sum(e, axis = 1), 0.000001);
            tk::column_fragment<float, 64> t2;
            tk::fold_rows(t2, e, tk::plus{}, thread);
            tk::finish_rows(t2, tk::plus{});

            // hedgehog.tk:67: let p = T(seen<STATES>(pad(features(x), axis = 0, with = 0), more));
            if (t + 64 <= N) {
                tk::map(p, [](float e, float t2) { return tk::max(tk::divide(e, t2), 1e-06f); },
                        e, t2);
            } else {
                tk::map(p, thread, [&](int row, int, float e, float t2) {
                    return row < N - t ? tk::max(tk::divide(e, t2), 1e-06f) : 0.0f;
                }, e, t2);
            }
            // hedgehog.tk:17
            tk::fragment<float, 64, 64> t3;
            tk::map(t3, [](float x) { return -x; }, x);
            tk::column_fragment<float, 64> t4;
            tk::fold_rows(t4, t3, tk::maximum{}, thread);
            tk::finish_rows(t4, tk::maximum{});
            tk::fragment<float, 64, 64> e_2;
            tk::map(e_2, [](float t3, float t4) { return tk::exp2((t3 - t4) * 1.442695f); },
                    t3, t4);
            // hedgehog.tk:18
            tk::column_fragment<float, 64> t5;
            tk::fold_rows(t5, e_2, tk::plus{}, thread);
            tk::finish_rows(t5, tk::plus{});

            // hedgehog.tk:68: let n = T(seen<STATES>(pad(features(-x), axis = 0, with = 0), more));
            if (t + 64 <= N) {
                tk::map(n, [](float e_2, float t5) { return tk::max(tk::divide(e_2, t5), 1e-06f); },
                        e_2, t5);
            } else {
                tk::map(n, thread, [&](int row, int, float e_2, float t5) {
                    return row < N - t ? tk::max(tk::divide(e_2, t5), 1e-06f) : 0.0f;
                }, e_2, t5);
            }

            // hedgehog.tk:69: produce fs { p = p; n = n; one = one; }
            shared.fs.wait_empty(fs_next_2);
            tk::store_shared(shared.fs_p[fs_next_2.stage], p, thread);
            tk::store_shared(shared.fs_n[fs_next_2.stage], n, thread);
            tk::store_shared(shared.fs_one[fs_next_2.stage], one, thread);
            shared.fs.publish(fs_next_2);
            fs_next_2.advance();
        }
        shared.wks.release(w_element);
    } else if (warp < 8) {
        // hedgehog.tk:72: role state(1 warpgroup) {
        tk::registers_at_least<224>();
        const int thread = tk::warpgroup_thread();
        tk::cursor<1> fs_next_2, states_next_2;
        const int program = blockIdx.x;
        const int h = program % H;
        const int b = program / H;

        // hedgehog.tk:32: let tokens = if PACKED { start[b + 1] - start[b] } else { N };
        const int tokens = N;

        // hedgehog.tk:73: var p: f32[F, DV] = load(S0[b, h, 0 +: F, :]);
        tk::fragment<float, 64, 128> p;
        tk::load_global(p, tk::slice(S0, {b, h, 0, 0}, b < I ? 128 : 0, 128), thread);

        // hedgehog.tk:74: var n: f32[F, DV] = load(S0[b, h, F +: F, :]);
        tk::fragment<float, 64, 128> n;
        tk::load_global(n, tk::slice(S0, {b, h, 64, 0}, b < I ? 128 - 64 : 0, 128), thread);

        // hedgehog.tk:75: var zp: f32[F, 8] = column(load(Z0[b, h, 0 +: F]));
        tk::fragment<float, 64, 8> zp;
        tk::map(zp, thread, [&](int row, int) {
            return b < I && h < H && row < 128 ? tk::cell(Z0, b, h, row) : float{};
        });

        // hedgehog.tk:76: var zn: f32[F, 8] = column(load(Z0[b, h, F +: F]));
        tk::fragment<float, 64, 8> zn;
        tk::map(zn, thread, [&](int row, int) {
            return b < I && h < H && 64 + row < 128 ? tk::cell(Z0, b, h, 64 + row) : float{};
        });

        // hedgehog.tk:78: var p0: T[F, DV] = 0;
        tk::fragment<tk::bf16, 64, 128> p0;
        tk::map(p0, []() { return tk::bf16(0.0f); });

        // hedgehog.tk:79: var n0: T[F, DV] = 0;
        tk::fragment<tk::bf16, 64, 128> n0;
        tk::map(n0, []() { return tk::bf16(0.0f); });

        // hedgehog.tk:80: var zp0: T[F, 8] = 0;
        tk::fragment<tk::bf16, 64, 8> zp0;
        tk::map(zp0, []() { return tk::bf16(0.0f); });

        // hedgehog.tk:81: var zn0: T[F, 8] = 0;
        tk::fragment<tk::bf16, 64, 8> zn0;
        tk::map(zn0, []() { return tk::bf16(0.0f); });

        // hedgehog.tk:82: for t in tokens by L {
        for (int t = 0; t < tokens; t += 64) {
            // hedgehog.tk:83: produce states { p = p0; n = n0; zp = zp0; zn = zn0; }
            shared.states.wait_empty(states_next_2);
            tk::store_shared(shared.states_p[states_next_2.stage], p0, thread);
            tk::store_shared(shared.states_n[states_next_2.stage], n0, thread);
            tk::store_shared(shared.states_zp[states_next_2.stage], zp0, thread);
            tk::store_shared(shared.states_zn[states_next_2.stage], zn0, thread);
            shared.states.publish(states_next_2);
            states_next_2.advance();

            // hedgehog.tk:84: p0 = T(p);
            p0 = tk::convert<tk::bf16>(p);

            // hedgehog.tk:85: n0 = T(n);
            n0 = tk::convert<tk::bf16>(n);

            // hedgehog.tk:86: zp0 = T(zp);
            zp0 = tk::convert<tk::bf16>(zp);

            // hedgehog.tk:87: zn0 = T(zn);
            zn0 = tk::convert<tk::bf16>(zn);

            // hedgehog.tk:88: let f = consume fs;
            const tk::cursor<1> f = shared.fs.take(fs_next_2);

            // hedgehog.tk:89: let v = consume vs;
            shared.vs.wait_full(f);

            // hedgehog.tk:90: p += mma(f.p.T, v.own);
            tk::mma_async(p, tk::transposed(shared.fs_p[f.stage]), shared.vs_own[f.stage]);

            // hedgehog.tk:91: n += mma(f.n.T, v.own);
            tk::mma_async(n, tk::transposed(shared.fs_n[f.stage]), shared.vs_own[f.stage]);

            // hedgehog.tk:92: zp += mma(f.p.T, f.one);
            tk::mma_async(zp, tk::transposed(shared.fs_p[f.stage]), shared.fs_one[f.stage]);

            // hedgehog.tk:93: zn += mma(f.n.T, f.one);
            tk::mma_async(zn, tk::transposed(shared.fs_n[f.stage]), shared.fs_one[f.stage]);
            tk::mma_wait<0>(p, n, zp, zn);
            shared.vs.release(f);
            shared.fs.release(f);
        }

        // hedgehog.tk:95: store(State[b, h, 0 +: F, :], p);
        tk::store_global(tk::slice(State, {b, h, 0, 0}, b < E ? 128 : 0, 128), p, thread);

        // hedgehog.tk:96: store(State[b, h, F +: F, :], n);
        tk::store_global(tk::slice(State, {b, h, 64, 0}, b < E ? 128 - 64 : 0, 128), n, thread);

        // hedgehog.tk:97: store(Sums[b, h, 0 +: F], max(zp, axis = 1));
        tk::column_fragment<float, 64> t4;
        tk::fold_rows(t4, zp, tk::maximum{}, thread);
        tk::finish_rows(t4, tk::maximum{});
        tk::store_global(tk::slice<2, tk::no_axis>(Sums, {b, h, 0}, b < E ? 128 : 0, 1), t4,
                         thread);

        // hedgehog.tk:98: store(Sums[b, h, F +: F], max(zn, axis = 1));
        tk::column_fragment<float, 64> t5;
        tk::fold_rows(t5, zn, tk::maximum{}, thread);
        tk::finish_rows(t5, tk::maximum{});
        tk::store_global(tk::slice<2, tk::no_axis>(Sums, {b, h, 64}, b < E ? 128 - 64 : 0, 1), t5,
                         thread);
    } else {
        // hedgehog.tk:100: role output(1 warpgroup) {
        tk::registers_at_least<168>();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<1> ks_next, wqs_next;
        const int program = blockIdx.x;
        const int h = program % H;
        const int b = program / H;

        // hedgehog.tk:32: let tokens = if PACKED { start[b + 1] - start[b] } else { N };
        const int tokens = N;

        // hedgehog.tk:101: let w = consume wqs;
        const tk::cursor<1> w_element = shared.wqs.take(wqs_next);

        // hedgehog.tk:102: let alpha = Alpha[h];
        const float alpha = tk::cell(Alpha, h);

        // hedgehog.tk:103: let beta = Beta[h];
        const float beta = tk::cell(Beta, h);

        // hedgehog.tk:104: for t in tokens by L {
        tk::fragment<float, 64, 64> y0;
        for (int t = 0; t < tokens; t += 64) {
            // hedgehog.tk:105: let k = consume ks;
            const tk::cursor<1> k = shared.ks.take(ks_next);

            // hedgehog.tk:106: let x = mma(k.q, w);
            tk::fragment<float, 64, 64> x;
            tk::mma_async(x, shared.ks_q[k.stage], shared.wqs_tile[w_element.stage],
                          tk::accumulate_never{});

            // hedgehog.tk:107: let s0 = mma(k.q, k.last.T);
            tk::fragment<float, 64, 64> s0;
            tk::mma_async(s0, shared.ks_q[k.stage], tk::transposed(shared.ks_last[k.stage]),
                          tk::accumulate_never{});

            // hedgehog.tk:108: let s1 = mma(k.q, k.own.T);
            tk::fragment<float, 64, 64> s1;
            tk::mma_async(s1, shared.ks_q[k.stage], tk::transposed(shared.ks_own[k.stage]),
                          tk::accumulate_never{});
            tk::mma_wait<2>(x);

            // hedgehog.tk:17: let e = exp2((x - max(x, axis = 1)) * LOG2E);
            tk::column_fragment<float, 64> t3;
            tk::fold_rows(t3, x, tk::maximum{}, thread);
            tk::finish_rows(t3, tk::maximum{});
            tk::fragment<float, 64, 64> e;
            tk::map(e, [](float x, float t3) { return tk::exp2((x - t3) * 1.442695f); }, x, t3);

            // hedgehog.tk:18: return max(e / sum(e, axis = 1), 0.000001);
            tk::column_fragment<float, 64> t4;
            tk::fold_rows(t4, e, tk::plus{}, thread);
            tk::finish_rows(t4, tk::plus{});

            // hedgehog.tk:109: let p = T(features(x) * alpha);
            tk::fragment<tk::bf16, 64, 64> p;
            tk::map(p, [&](float e, float t4) {
                return tk::max(tk::divide(e, t4), 1e-06f) * alpha;
            }, e, t4);
            // hedgehog.tk:17
            tk::hold_waits(warp);
            tk::fragment<float, 64, 64> t5;
            tk::map(t5, [](float x) { return -x; }, x);
            tk::column_fragment<float, 64> t6;
            tk::fold_rows(t6, t5, tk::maximum{}, thread);
            tk::finish_rows(t6, tk::maximum{});
            tk::fragment<float, 64, 64> e_2;
            tk::map(e_2, [](float t5, float t6) { return tk::exp2((t5 - t6) * 1.442695f); },
                    t5, t6);
            // hedgehog.tk:18
            tk::column_fragment<float, 64> t7;
            tk::fold_rows(t7, e_2, tk::plus{}, thread);
            tk::finish_rows(t7, tk::plus{});

            // hedgehog.tk:110: let n = T(features(-x) * alpha);
            tk::fragment<tk::bf16, 64, 64> n;
            tk::map(n, [&](float e_2, float t7) {
                return tk::max(tk::divide(e_2, t7), 1e-06f) * alpha;
            }, e_2, t7);
            tk::mma_wait<1>(s0);

            // hedgehog.tk:111: let y0 = where(t.start > 0 and col_index(s0) < tokens - ..
            if (tk::max(t - 64, 0) + 64 <= tokens) {
                tk::map(y0, [&](float s0) { return t > 0 ? s0 : -INFINITY; }, s0);
            } else {
                tk::map(y0, thread, [&](int, int col, float s0) {
                    return t > 0 && col < tokens - tk::max(t - 64, 0) ? s0 : -INFINITY;
                }, s0);
            }
            tk::mma_wait<0>(s1);
            shared.ks.release(k);

            // hedgehog.tk:112: let y1 = where(col_index(s1) <= row_index(s1) and col_index(s1) < ..
            tk::fragment<float, 64, 64> y1;
            tk::map(y1, thread, [&](int row, int col, float s1) {
                return col <= row && col < tokens - t ? s1 : -INFINITY;
            }, s1);

            // hedgehog.tk:113: let most = max(max(y0, axis = 1), max(y1, axis = 1));
            tk::column_fragment<float, 64> t8;
            tk::fold_rows(t8, y0, tk::maximum{}, thread);
            tk::finish_rows(t8, tk::maximum{});
            tk::column_fragment<float, 64> t9;
            tk::fold_rows(t9, y1, tk::maximum{}, thread);
            tk::finish_rows(t9, tk::maximum{});
            tk::column_fragment<float, 64> most;
            tk::map(most, [](float t8, float t9) { return tk::max(t8, t9); }, t8, t9);

            // hedgehog.tk:114: let e0 = exp2((y0 - most) * (scale * LOG2E)) * beta;
            tk::fragment<float, 64, 64> e0;
            tk::map(e0, [&](float y0, float most) {
                return tk::exp2((y0 - most) * (scale * 1.442695f)) * beta;
            }, y0, most);

            // hedgehog.tk:115: let e1 = exp2((y1 - most) * (scale * LOG2E)) * beta;
            tk::fragment<float, 64, 64> e1;
            tk::map(e1, [&](float y1, float most) {
                return tk::exp2((y1 - most) * (scale * 1.442695f)) * beta;
            }, y1, most);

            // hedgehog.tk:116: let near = sum(e0, axis = 1) + sum(e1, axis = 1);
            tk::column_fragment<float, 64> t10;
            tk::fold_rows(t10, e0, tk::plus{}, thread);
            tk::finish_rows(t10, tk::plus{});
            tk::column_fragment<float, 64> t11;
            tk::fold_rows(t11, e1, tk::plus{}, thread);
            tk::finish_rows(t11, tk::plus{});

            // hedgehog.tk:117: let r0 = T(e0);
            tk::fragment<tk::bf16, 64, 64> r0 = tk::convert<tk::bf16>(e0);

            // hedgehog.tk:118: let r1 = T(e1);
            tk::fragment<tk::bf16, 64, 64> r1 = tk::convert<tk::bf16>(e1);

            // hedgehog.tk:119: let before = consume states;
            shared.states.wait_full(k);

            // hedgehog.tk:120: var o = mma(p, before.p);
            tk::fragment<float, 64, 128> o;
            tk::mma_async(o, p, shared.states_p[k.stage], tk::accumulate_never{});

            // hedgehog.tk:121: o += mma(n, before.n);
            tk::mma_async(o, n, shared.states_n[k.stage]);

            // hedgehog.tk:122: var z = mma(p, before.zp);
            tk::fragment<float, 64, 8> z;
            tk::mma_async(z, p, shared.states_zp[k.stage], tk::accumulate_never{});

            // hedgehog.tk:123: z += mma(n, before.zn);
            tk::mma_async(z, n, shared.states_zn[k.stage]);

            // hedgehog.tk:124: let v = consume vs;
            shared.vs.wait_full(k);

            // hedgehog.tk:125: o += mma(r0, v.last);
            tk::mma_async(o, r0, shared.vs_last[k.stage]);

            // hedgehog.tk:126: o += mma(r1, v.own);
            tk::mma_async(o, r1, shared.vs_own[k.stage]);
            tk::mma_wait<2>(z, p, n);
            shared.states.release(k);

            // hedgehog.tk:127: let all = near + max(z, axis = 1) + eps;
            tk::column_fragment<float, 64> t14;
            tk::fold_rows(t14, z, tk::maximum{}, thread);
            tk::finish_rows(t14, tk::maximum{});
            tk::hold_waits(warp);
            tk::column_fragment<float, 64> all;
            tk::map(all, [&](float t10, float t11, float t14) { return t10 + t11 + t14 + eps; },
                    t10, t11, t14);
            tk::mma_wait<0>(o, r0, r1);
            shared.vs.release(k);

            // hedgehog.tk:131: } else { tma_store(O[b, t, h, :], T(o / all)); }
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                tk::fragment<tk::bf16, 64, 64> t15;
                tk::map(t15, [](float o, float all) { return tk::divide(o, all); },
                        tk::window<64, 64>(o, 0, panel), all);
                tk::store_shared(shared.output_O[panel / 64 % 2], t15, thread);
                tk::fence_async();
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                if (leader) tk::tma_store(O_map, shared.output_O[panel / 64 % 2], b, t, h, panel);
            }
        }
        shared.wqs.release(w_element);

        if (leader) tk::tma_store_wait_read<0>();
    }
}

extern "C" {
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
         tk::that(E <= B, "`hedgehog` requires `PACKED or E <= B`"), tk::suits_tma_load(Q),
         tk::suits_tma_load(K), tk::suits_tma_load(V), tk::suits_tma_load(WQ),
         tk::suits_tma_load(WK), tk::suits_tma_store(O),
         tk::grid_fits(tk::multiply(H, B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<hedgehog_kernel>(
        site, sizeof(hedgehog_shared), tk::kernel_shape(512).overlapping(), tk::multiply(H, B),
        tk::box{WK, {1, 128, 64}, 128}, tk::box{WQ, {1, 128, 64}, 128},
        tk::box{K, {1, 64, 1, 64}, 128}, tk::box{Q, {1, 64, 1, 64}, 128},
        tk::box{V, {1, 64, 1, 64}, 128}, tk::box{O, {1, 64, 1, 64}, 128}, Alpha, Beta, S0, Z0,
        State, Sums, B, N, H, I, E, scale, eps));
}
TK_NO_WORKSPACE(hedgehog, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*, DLTensor*, DLTensor*, float, float)
}  // extern "C"
