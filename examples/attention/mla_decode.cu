// Made by tkc from mla_decode.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/cells.cuh"
#include "tk/operations/integer.cuh"
#include "tk/ptx/wgmma_n016.cuh"
#include "tk/ptx/wgmma_n064.cuh"
#include "tk/ptx/wgmma_n256.cuh"
#include "tk/tk.cuh"

// attend: kernel attend with T = bf16, DV = 512, DR = 64, PAGED = true, PIECE = 64, PART = f32, CM
// = 1, BM = 64, BN = 64.
// producer: 1 warp, 24 registers a thread; left: 1 warpgroup, 240 registers a thread; right: 1
// warpgroup, 240 registers a thread.
// 384 threads, 168 registers each at first, 222336 bytes of shared memory; persistent.
struct attend_shared {
    tk::shared_tile<tk::bf16, 64, 512> qs_n[1];
    tk::shared_tile<tk::bf16, 64, 64> qs_r[1];
    tk::shared_tile<tk::bf16, 64, 256> ls_tile[2];
    tk::shared_tile<tk::bf16, 64, 256> hs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> rs_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> ps_p[1];
    tk::shared_tile<float, 64, 1> ps_f[1];
    tk::shared_tile<float, 64, 1> es_tile[1];
    unsigned char unused[512];
    tk::pipeline<1> qs;
    tk::pipeline<2> ls;
    tk::pipeline<2> hs;
    tk::pipeline<1> rs;
    tk::pipeline<1> ps;
    tk::pipeline<1> es;
};
static_assert(offsetof(attend_shared, es) == 222320);

__global__ void __launch_bounds__(384, 1) attend_kernel(
    const __grid_constant__ CUtensorMap Qn_map, const __grid_constant__ CUtensorMap Qr_map,
    const __grid_constant__ CUtensorMap C_map, const __grid_constant__ CUtensorMap Kr_map,
    const tk::tensor_argument<const int, 2> table, const tk::tensor_argument<const int, 1> lengths,
    const tk::tensor_argument<float, 4> Part, const tk::tensor_argument<float, 3> Log, int B, int R,
    int MAXP, int S, int page, int pitch, int queries, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    attend_shared& shared = *reinterpret_cast<attend_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Qn_map, Qr_map, C_map, Kr_map);
        shared.qs.init(1, 4);
        shared.ls.init(1, 4);
        shared.hs.init(1, 8);
        shared.rs.init(1, 4);
        shared.ps.init(4, 4);
        shared.es.init(4, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // mla_decode.tk:44: role producer((if PIECE == 1 { 4 } else { 1 }) warps) {
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(R, 64);
        const int programs = m_tiles * S * B;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> hs_next, ls_next;
            tk::cursor<1> qs_next, rs_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int m = program % m_tiles * 64;
                const int s = program / m_tiles % S;
                const int b = program / (m_tiles * S);

                // mla_decode.tk:31: let heads  = max(R // queries, 1);
                const int heads = tk::max(R / queries, 1);

                // mla_decode.tk:32: let length = lengths[b];
                const int length = tk::cell(lengths, b);

                // mla_decode.tk:34: let unseen = if CM == 1 { max(queries - ceil_div(m.end, ..
                const int unseen = tk::max(queries - tk::divide_up(m + 64, heads), 0);

                // mla_decode.tk:35: let chunk  = ceil_div(length, S * BN) * BN;
                const int chunk = tk::divide_up(length, S * 64) * 64;

                // mla_decode.tk:45: produce qs { n = tma_load(Qn[b, m, :]); r = tma_load(Qr[b, ..
                shared.qs.begin(qs_next, 73728);
                tk::tma_load(shared.qs_n[qs_next.stage], Qn_map, shared.qs.full[qs_next.stage], b,
                             m, 0);
                tk::tma_load(shared.qs_r[qs_next.stage], Qr_map, shared.qs.full[qs_next.stage], b,
                             m, 0);
                qs_next.advance();

                // mla_decode.tk:46: for (j) in keys {
                #pragma unroll 1
                for (int j = s * chunk; j < tk::min((s + 1) * chunk, length - unseen); j += 64) {
                    // mla_decode.tk:54: let at = (if PAGED { table[b, max(min(j.start // page, ..
                    const int at = (tk::max(tk::min(tk::divide_down(j, page), MAXP - 1), 0) < MAXP
                                    ? tk::cell(table, b,
                                               tk::max(tk::min(tk::divide_down(j, page), MAXP - 1),
                                                       0)) : int{}) * pitch +
                        tk::remainder(j, page);

                    // mla_decode.tk:55: let Cp = C[at +: min(length - j.start, BN)];
                    const int Cp_end = at + tk::min(length - j, 64);

                    // mla_decode.tk:56: let Kp = Kr[at +: min(length - j.start, BN)];
                    const int Kp_end = at + tk::min(length - j, 64);

                    // mla_decode.tk:57: produce ls = tma_load(Cp[0 +: BN, 0 +: DV / 2]) ..
                    shared.ls.begin(ls_next, 32768);
                    tk::tma_load(shared.ls_tile[ls_next.stage], C_map,
                                 shared.ls.full[ls_next.stage], at, 0);
                    ls_next.advance();

                    // mla_decode.tk:58: produce hs = tma_load(Cp[0 +: BN, DV / 2 +: DV / 2]) ..
                    shared.hs.begin(hs_next, 32768);
                    tk::tma_load(shared.hs_tile[hs_next.stage], C_map,
                                 shared.hs.full[hs_next.stage], at, 256);
                    hs_next.advance();

                    // mla_decode.tk:59: produce rs = tma_load(Kp[0 +: BN, :]) multicast(m);
                    shared.rs.begin(rs_next, 8192);
                    tk::tma_load(shared.rs_tile[rs_next.stage], Kr_map,
                                 shared.rs.full[rs_next.stage], at, 0);
                    rs_next.advance();
                }
            }
        }
    } else if (warp < 4) {
        // mla_decode.tk:63: role left(1 warpgroup) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(R, 64);
        const int programs = m_tiles * S * B;
        const int thread = tk::warpgroup_thread();
        tk::cursor<1> es_next_2, ps_next_2, qs_next, rs_next;
        tk::cursor<2> ls_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int m = program % m_tiles * 64;
            const int s = program / m_tiles % S;
            const int b = program / (m_tiles * S);

            // mla_decode.tk:31: let heads  = max(R // queries, 1);
            const int heads = tk::max(R / queries, 1);

            // mla_decode.tk:32: let length = lengths[b];
            const int length = tk::cell(lengths, b);

            // mla_decode.tk:34: let unseen = if CM == 1 { max(queries - ceil_div(m.end, heads), ..
            const int unseen = tk::max(queries - tk::divide_up(m + 64, heads), 0);

            // mla_decode.tk:35: let chunk  = ceil_div(length, S * BN) * BN;
            const int chunk = tk::divide_up(length, S * 64) * 64;

            // mla_decode.tk:64: let q = consume qs;
            const tk::cursor<1> q = shared.qs.take(qs_next);

            // mla_decode.tk:65: var o: f32[BM, DV / 2] = 0;
            tk::fragment<float, 64, 256> o;
            tk::zero(o);

            // mla_decode.tk:66: var sm = softmax.start<BM>(scale);
            tk::column_fragment<float, 64> sm_max;
            tk::fill(sm_max, -INFINITY);
            tk::column_fragment<float, 64> sm_sum;
            tk::zero(sm_sum);
            tk::column_fragment<float, 64> sm_correction;
            tk::fill(sm_correction, 1.0f);
            const float sm_c = scale * 1.442695f;

            // mla_decode.tk:67: for (j) in keys {
            tk::fragment<float, 64, 64> t;
            for (int j = s * chunk; j < tk::min((s + 1) * chunk, length - unseen); j += 64) {
                // mla_decode.tk:68: let k = consume ls;
                const tk::cursor<2> k_element = shared.ls.take(ls_next);

                // mla_decode.tk:69: var x = mma(q.n[:, 0 +: DV / 2], k.T);
                tk::fragment<float, 64, 64> x;
                tk::mma_async(x, tk::part<0, 0, 64, 256>(shared.qs_n[q.stage]),
                              tk::transposed(shared.ls_tile[k_element.stage]),
                              tk::accumulate_never{});

                // mla_decode.tk:70: x += mma(q.n[:, DV / 2 +: DV / 2], (consume hs).T);
                shared.hs.wait_full(k_element);
                tk::mma_async(x, tk::part<0, 256, 64, 256>(shared.qs_n[q.stage]),
                              tk::transposed(shared.hs_tile[k_element.stage]));

                // mla_decode.tk:71: x += mma(q.r, (consume rs).T);
                const tk::cursor<1> rs_element = shared.rs.take(rs_next);
                tk::mma_async(x, shared.qs_r[q.stage],
                              tk::transposed(shared.rs_tile[rs_element.stage]));
                tk::mma_wait<0>(x);
                shared.hs.release(k_element);
                shared.rs.release(rs_element);

                // mla_decode.tk:72: var t = pad(x, axis = 1, with = -inf);
                if (tk::min(length - j, 64) >= 64) {
                    tk::map(t, [](float x) { return x; }, x);
                } else {
                    tk::map(t, thread, [&](int, int col, float x) {
                        return col < tk::min(length - j, 64) ? x : -INFINITY;
                    }, x);
                }

                // mla_decode.tk:73: if j.end > length - queries + 1 {
                if (j + 64 > length - queries + 1) {
                    // mla_decode.tk:75: t = where(j.start + col_index(x) <= own, t, -inf);
                    tk::map(t, thread, [&](int row, int col, float t) {
                        return j + col <= length - queries + (m + row) / heads ? t : -INFINITY;
                    }, t);
                }

                // <std.softmax>:30: let m  = max(sm.max, max(s, axis = 1));
                tk::column_fragment<float, 64> t3;
                tk::fold_rows(t3, t, tk::maximum{}, thread);
                tk::finish_rows(t3, tk::maximum{});
                tk::column_fragment<float, 64> m_2;
                tk::map(m_2, [](float sm_max, float t3) { return tk::max(sm_max, t3); },
                        sm_max, t3);

                // <std.softmax>:31: let m0 = where(m == -inf, 0, m) * sm.c;
                tk::column_fragment<float, 64> m0;
                tk::map(m0, [&](float m_2) { return (m_2 == -INFINITY ? 0.0f : m_2) * sm_c; }, m_2);

                // <std.softmax>:32: let p  = exp2(fma(s, sm.c, -m0));
                tk::fragment<float, 64, 64> p;
                tk::map(p, [&](float t, float m0) { return tk::exp2(tk::fma(t, sm_c, -m0)); },
                        t, m0);

                // <std.softmax>:33: sm.correction = where(m == sm.max, 1, exp2(fma(sm.max, sm.c, ..
                tk::map(sm_correction, [&](float m_2, float sm_max, float m0) {
                    return m_2 == sm_max ? 1.0f : tk::exp2(tk::fma(sm_max, sm_c, -m0));
                }, m_2, sm_max, m0);

                // <std.softmax>:34: sm.sum = sm.sum * sm.correction + sum(p, axis = 1);
                tk::column_fragment<float, 64> t4;
                tk::fold_rows(t4, p, tk::plus{}, thread);
                tk::map(sm_sum, [](float sm_sum, float sm_correction, float t4) {
                    return tk::fma(sm_sum, sm_correction, t4);
                }, sm_sum, sm_correction, t4);

                // <std.softmax>:35: sm.max = m;
                sm_max = m_2;

                // mla_decode.tk:77: let p = T(softmax.step(inout sm, t));
                tk::fragment<tk::bf16, 64, 64> p_2 = tk::convert<tk::bf16>(p);

                // mla_decode.tk:78: produce ps { p = p; f = sm.correction; }
                shared.ps.wait_empty(ps_next_2);
                tk::store_shared(shared.ps_p[ps_next_2.stage], p_2, thread);
                tk::store_shared(shared.ps_f[ps_next_2.stage], sm_correction, thread);
                shared.ps.publish(ps_next_2);
                ps_next_2.advance();

                // mla_decode.tk:79: o *= sm.correction;
                tk::scale_rows(o, sm_correction);

                // mla_decode.tk:80: o += mma(p, k);
                tk::mma_async(o, p_2, shared.ls_tile[k_element.stage]);
                tk::mma_wait<0>(o, p_2);
                shared.ls.release(k_element);
            }
            shared.qs.release(q);

            // mla_decode.tk:82: let e = where(sm.sum == 0, 0, 1 / sm.sum);
            tk::column_fragment<float, 64> t1 = sm_sum;
            tk::finish_rows(t1, tk::plus{});
            tk::column_fragment<float, 64> e;
            tk::map(e, [](float t1) { return t1 == 0.0f ? 0.0f : tk::divide(1.0f, t1); }, t1);

            // mla_decode.tk:83: produce es = e;
            shared.es.wait_empty(es_next_2);
            tk::store_shared(shared.es_tile[es_next_2.stage], e, thread);
            shared.es.publish(es_next_2, tk::ordinary_alone{});
            es_next_2.advance();

            // mla_decode.tk:84: store(Part[s, b, m, 0 +: DV / 2], PART(o * e));
            tk::fragment<float, 64, 256> t5;
            tk::map(t5, [](float o, float e) { return o * e; }, o, e);
            tk::store_global(tk::slice(Part, {s, b, m, 0}, R - m, 512), t5, thread);

            // mla_decode.tk:85: store(Log[s, b, m], softmax.lse(sm));
            tk::column_fragment<float, 64> t6;
            tk::map(t6, [&](float t1, float sm_max) {
                return t1 == 0.0f ? -INFINITY : tk::fma(sm_max, sm_c, tk::log2(t1)) * 0.6931472f;
            }, t1, sm_max);
            tk::store_global(tk::slice<2, tk::no_axis>(Log, {s, b, m}, R - m, 1), t6, thread);
        }
    } else {
        // mla_decode.tk:87: role right(1 warpgroup) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(R, 64);
        const int programs = m_tiles * S * B;
        const int thread = tk::warpgroup_thread();
        tk::cursor<1> es_next_2, ps_next_2;
        tk::cursor<2> hs_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int m = program % m_tiles * 64;
            const int s = program / m_tiles % S;
            const int b = program / (m_tiles * S);

            // mla_decode.tk:31: let heads  = max(R // queries, 1);
            const int heads = tk::max(R / queries, 1);

            // mla_decode.tk:32: let length = lengths[b];
            const int length = tk::cell(lengths, b);

            // mla_decode.tk:34: let unseen = if CM == 1 { max(queries - ceil_div(m.end, heads), ..
            const int unseen = tk::max(queries - tk::divide_up(m + 64, heads), 0);

            // mla_decode.tk:35: let chunk  = ceil_div(length, S * BN) * BN;
            const int chunk = tk::divide_up(length, S * 64) * 64;

            // mla_decode.tk:88: var o: f32[BM, DV / 2] = 0;
            tk::fragment<float, 64, 256> o;
            tk::zero(o);

            // mla_decode.tk:89: for (j) in keys {
            for (int j = s * chunk; j < tk::min((s + 1) * chunk, length - unseen); j += 64) {
                // mla_decode.tk:90: let k = consume hs;
                const tk::cursor<2> k_element = shared.hs.take(hs_next);

                // mla_decode.tk:91: let w = consume ps;
                const tk::cursor<1> w = shared.ps.take(ps_next_2);

                // mla_decode.tk:92: o *= w.f;
                tk::column_fragment<float, 64> t1;
                tk::map(t1, thread, [&](int row, int) {
                    return tk::get(shared.ps_f[w.stage], row, 0);
                });
                tk::map(o, [](float o, float t1) { return o * t1; }, o, t1);

                // mla_decode.tk:93: o += mma(w.p, k);
                tk::mma_async(o, shared.ps_p[w.stage], shared.hs_tile[k_element.stage]);
                tk::mma_wait<0>(o);
                shared.ps.release_after_loads(w, tk::ordinary_alone{});
                shared.hs.release(k_element);
            }

            // mla_decode.tk:95: store(Part[s, b, m, DV / 2 +: DV / 2], PART(o * (consume es)));
            const tk::cursor<1> es_element = shared.es.take(es_next_2);
            tk::column_fragment<float, 64> t2;
            tk::map(t2, thread, [&](int row, int) {
                return tk::get(shared.es_tile[es_element.stage], row, 0);
            });
            shared.es.release_after_loads(es_element, tk::ordinary_alone{});
            tk::fragment<float, 64, 256> t0;
            tk::map(t0, [](float o, float t2) { return o * t2; }, o, t2);
            tk::store_global(tk::slice(Part, {s, b, m, 256}, R - m, 512 - 256), t0, thread);
        }
    }
}

// attend_few: kernel attend_few with T = bf16, DV = 512, DR = 64, PAGED = true, PIECE = 64, BH =
// 16, BN = 64.
// producer: 1 warp, 240 registers a thread; consumer: 1 warpgroup, 240 registers a thread.
// 256 threads, 255 registers each at first, 189504 bytes of shared memory; persistent.
struct attend_few_shared {
    tk::shared_tile<tk::bf16, 16, 512> qs_n[2];
    tk::shared_tile<tk::bf16, 16, 64> qs_r[2];
    tk::shared_tile<tk::bf16, 64, 512> cs_c[2];
    tk::shared_tile<tk::bf16, 64, 64> cs_r[2];
    tk::shared_tile<tk::bf16, 64, 16> consumer_t4[2];
    tk::shared_tile<float, 4, 16> consumer_f32_rows_16[1];
    unsigned char unused[768];
    tk::pipeline<2> qs;
    tk::pipeline<2> cs;
};
static_assert(offsetof(attend_few_shared, cs) == 189472);

__global__ void __launch_bounds__(256, 1) attend_few_kernel(
    const __grid_constant__ CUtensorMap Qn_map, const __grid_constant__ CUtensorMap Qr_map,
    const __grid_constant__ CUtensorMap C_map, const __grid_constant__ CUtensorMap Kr_map,
    const tk::tensor_argument<const int, 2> table, const tk::tensor_argument<const int, 1> lengths,
    const tk::tensor_argument<float, 4> Part, const tk::tensor_argument<float, 3> Log, int B, int R,
    int MAXP, int S, int page, int pitch, int queries, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    attend_few_shared& shared = *reinterpret_cast<attend_few_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Qn_map, Qr_map, C_map, Kr_map);
        shared.qs.init(1, 4);
        shared.cs.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 4) {
        // mla_decode.tk:116: role producer((if PIECE == 1 { 4 } else { 1 }) warps) {
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(R, 16);
        const int programs = m_tiles * S * B;
        if (warp == 4 && tk::elect_one()) {
            tk::cursor<2> cs_next, qs_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int m = program % m_tiles * 16;
                const int s = program / m_tiles % S;
                const int b = program / (m_tiles * S);

                // mla_decode.tk:109: let length = lengths[b];
                const int length = tk::cell(lengths, b);

                // mla_decode.tk:110: let chunk  = ceil_div(length, S * BN) * BN;
                const int chunk = tk::divide_up(length, S * 64) * 64;

                // mla_decode.tk:117: produce qs { n = tma_load(Qn[b, m, :]); r = tma_load(Qr[b, ..
                shared.qs.begin(qs_next, 18432);
                tk::tma_load(shared.qs_n[qs_next.stage], Qn_map, shared.qs.full[qs_next.stage], b,
                             m, 0);
                tk::tma_load(shared.qs_r[qs_next.stage], Qr_map, shared.qs.full[qs_next.stage], b,
                             m, 0);
                qs_next.advance();

                // mla_decode.tk:118: for (j) in keys {
                #pragma unroll 1
                for (int j = s * chunk; j < tk::min((s + 1) * chunk, length); j += 64) {
                    // mla_decode.tk:124: let at = (if PAGED { table[b, max(min(j.start // page, ..
                    const int at = (tk::max(tk::min(tk::divide_down(j, page), MAXP - 1), 0) < MAXP
                                    ? tk::cell(table, b,
                                               tk::max(tk::min(tk::divide_down(j, page), MAXP - 1),
                                                       0)) : int{}) * pitch +
                        tk::remainder(j, page);

                    // mla_decode.tk:125: let Cp = C[at +: min(length - j.start, BN)];
                    const int Cp_end = at + tk::min(length - j, 64);

                    // mla_decode.tk:126: let Kp = Kr[at +: min(length - j.start, BN)];
                    const int Kp_end = at + tk::min(length - j, 64);

                    // mla_decode.tk:127: produce cs { c = tma_load(Cp[0 +: BN, :]) ..
                    shared.cs.begin(cs_next, 73728);
                    tk::tma_load(shared.cs_c[cs_next.stage], C_map, shared.cs.full[cs_next.stage],
                                 at, 0);
                    tk::tma_load(shared.cs_r[cs_next.stage], Kr_map, shared.cs.full[cs_next.stage],
                                 at, 0);
                    cs_next.advance();
                }
            }
        }
    } else {
        // mla_decode.tk:131: role consumer(1 warpgroup) {
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(R, 16);
        const int programs = m_tiles * S * B;
        const int thread = tk::warpgroup_thread();
        tk::cursor<2> cs_next, qs_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int m = program % m_tiles * 16;
            const int s = program / m_tiles % S;
            const int b = program / (m_tiles * S);

            // mla_decode.tk:108: let heads  = max(R // queries, 1);
            const int heads = tk::max(R / queries, 1);

            // mla_decode.tk:109: let length = lengths[b];
            const int length = tk::cell(lengths, b);

            // mla_decode.tk:110: let chunk  = ceil_div(length, S * BN) * BN;
            const int chunk = tk::divide_up(length, S * 64) * 64;

            // mla_decode.tk:111: let steep  = scale * LOG2E;
            const float steep = scale * 1.442695f;

            // mla_decode.tk:132: let q = consume qs;
            const tk::cursor<2> q = shared.qs.take(qs_next);

            // mla_decode.tk:133: var o: f32[DV, BH] = 0;
            tk::fragment<float, 512, 16> o;
            tk::zero(o);

            // mla_decode.tk:134: var top: f32[1, BH] = -1.0e30;
            tk::row_fragment<float, 16> top;
            tk::fill(top, -1e+30f);

            // mla_decode.tk:135: var total: f32[1, BH] = 0;
            tk::row_fragment<float, 16> total;
            tk::zero(total);

            // mla_decode.tk:136: for (j) in keys {
            tk::barrier_sync(2, 128);
            tk::fragment<float, 64, 16> t;
            for (int j = s * chunk; j < tk::min((s + 1) * chunk, length); j += 64) {
                // mla_decode.tk:137: let k = consume cs;
                const tk::cursor<2> k = shared.cs.take(cs_next);

                // mla_decode.tk:138: var x = mma(k.c, q.n.T);
                tk::fragment<float, 64, 16> x;
                tk::mma_async(x, shared.cs_c[k.stage], tk::transposed(shared.qs_n[q.stage]),
                              tk::accumulate_never{});

                // mla_decode.tk:139: x += mma(k.r, q.r.T);
                tk::mma_async(x, shared.cs_r[k.stage], tk::transposed(shared.qs_r[q.stage]));
                tk::mma_wait<0>(x);

                // mla_decode.tk:140: var t = pad(x, axis = 0, with = -inf);
                if (tk::min(length - j, 64) >= 64) {
                    tk::map(t, [](float x) { return x; }, x);
                } else {
                    tk::map(t, thread, [&](int row, int, float x) {
                        return row < tk::min(length - j, 64) ? x : -INFINITY;
                    }, x);
                }

                // mla_decode.tk:141: if j.end > length - queries + 1 {
                if (j + 64 > length - queries + 1) {
                    // mla_decode.tk:143: t = where(j.start + row_index(x) <= own, t, -inf);
                    tk::map(t, thread, [&](int row, int col, float t) {
                        return j + row <= length - queries + (m + col) / heads ? t : -INFINITY;
                    }, t);
                }

                // mla_decode.tk:145: let next = max(top, max(t, axis = 0) * steep);
                tk::row_fragment<float, 16> t1;
                tk::reduce_columns(t1, t, shared.consumer_f32_rows_16[0], tk::maximum{}, thread, 2);
                tk::row_fragment<float, 16> next;
                tk::map(next, [&](float top, float t1) { return tk::max(top, t1 * steep); },
                        top, t1);

                // mla_decode.tk:146: let p = exp2(t * steep - next);
                tk::fragment<float, 64, 16> p;
                tk::map(p, [&](float t, float next) { return tk::exp2(tk::fma(t, steep, -next)); },
                        t, next);

                // mla_decode.tk:147: let f = exp2(top - next);
                tk::row_fragment<float, 16> f;
                tk::map(f, [](float top, float next) { return tk::exp2(top - next); }, top, next);

                // mla_decode.tk:148: total = total * f + sum(p, axis = 0);
                tk::row_fragment<float, 16> t2;
                tk::reduce_columns(t2, p, shared.consumer_f32_rows_16[0], tk::plus{}, thread, 2);
                tk::map(total, [](float total, float f, float t2) { return tk::fma(total, f, t2); },
                        total, f, t2);

                // mla_decode.tk:149: top = next;
                top = next;

                // mla_decode.tk:150: o *= f;
                tk::map(o, [](float o, float f) { return o * f; }, o, f);

                // mla_decode.tk:151: o += mma(k.c.T, shared(T(p)));
                tk::fragment<tk::bf16, 64, 16> t3 = tk::convert<tk::bf16>(p);
                tk::store_shared(shared.consumer_t4[tk::remainder(tk::divide_down(j, 64), 2)], t3,
                                 thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);
                tk::mma_async(o, tk::transposed(shared.cs_c[k.stage]),
                              shared.consumer_t4[tk::remainder(tk::divide_down(j, 64), 2)]);
                tk::mma_wait<0>(o);
                shared.cs.release(k);
            }
            shared.qs.release(q);

            // mla_decode.tk:153: store(Part[s, b, :, m], o * where(total == 0, 0, 1 / total));
            tk::fragment<float, 512, 16> t5;
            tk::map(t5, [](float o, float total) {
                return o * (total == 0.0f ? 0.0f : tk::divide(1.0f, total));
            }, o, total);
            tk::store_global(tk::slice(Part, {s, b, 0, m}, 512, R - m), t5, thread);

            // mla_decode.tk:154: store(Log[s, b, m], where(total == 0, -inf, (log2(total) + top) ..
            tk::row_fragment<float, 16> t6;
            tk::map(t6, [](float total, float top) {
                return total == 0.0f ? -INFINITY : (tk::log2(total) + top) * 0.6931472f;
            }, total, top);
            tk::store_global(tk::slice<tk::no_axis, 2>(Log, {s, b, m}, 1, R - m), t6, thread);
        }
    }
}

// combine: kernel combine with T = bf16, DV = 512, BS = 8.
// 64 threads, 96 registers each, 5120 bytes of shared memory: combine_kernel<10, 8, true>.
// combine_general: kernel combine with T = bf16, DV = 512, BS = 8; any strides and alignment.
// 64 threads, 255 registers each, 5120 bytes of shared memory: combine_kernel<1, 4, false>.
struct combine_shared {
    tk::shared_tile<float, 2, 512> combine_f32_rows_512[1];
    tk::shared_tile<float, 2, 1> combine_f32_rows_1[1];
};
static_assert(offsetof(combine_shared, combine_f32_rows_1) == 4096);

template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(64, blocks) combine_kernel(
    const tk::tensor_argument<const float, 4> Part, const tk::tensor_argument<const float, 3> Log,
    const tk::tensor_argument<tk::bf16, 3> O, const tk::tensor_argument<float, 2> LSE, int S, int B,
    int R) {
    extern __shared__ __align__(1024) unsigned char memory[];
    combine_shared& shared = *reinterpret_cast<combine_shared*>(memory);

    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    // mla_decode.tk:160: kernel combine<T: dtype = bf16, DV: int = 512, BS: int = 8>(
    if (warp < 2) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int r = program % R;
        const int b = program / R;

        // mla_decode.tk:164: var o: f32[1, DV] = 0;
        tk::stripe<float, 1, 512, 64, 32, vector> o;
        tk::zero(o);

        // mla_decode.tk:165: var top: f32[1, 1] = -inf;
        tk::stripe<float, 1, 1, 64, 32, vector> top;
        tk::fill(top, -INFINITY);

        // mla_decode.tk:166: var total: f32[1, 1] = 0;
        tk::stripe<float, 1, 1, 64, 32, vector> total;
        tk::zero(total);

        // mla_decode.tk:167: for s in S by BS {
        for (int s = 0; s < S; s += 8) {
            // mla_decode.tk:168: let logs = pad(column(load(Log[s, b, r])), axis = 0, with = -inf);
            tk::stripe<float, 8, 1, 64, 32, vector> t0;
            tk::load_global(t0, tk::slice<0, tk::no_axis>(Log, {s, b, r}, S - s, 1), thread);
            tk::stripe<float, 8, 1, 64, 32, vector> logs;
            tk::map(logs, thread, [&](int row, int, float t0) {
                return row < S - s ? t0 : -INFINITY;
            }, t0);

            // mla_decode.tk:169: let next = max(top, max(logs, axis = 0));
            tk::stripe<float, 1, 1, 64, 32, vector> t1;
            tk::reduce_columns(t1, logs, shared.combine_f32_rows_1[0], tk::maximum{}, thread, 1);
            tk::stripe<float, 1, 1, 64, 32, vector> next;
            tk::map(next, [](float top, float t1) { return tk::max(top, t1); }, top, t1);

            // mla_decode.tk:170: let base = where(next == -inf, 0, next);
            tk::stripe<float, 1, 1, 64, 32, vector> base;
            tk::map(base, [](float next) { return next == -INFINITY ? 0.0f : next; }, next);

            // mla_decode.tk:171: let old  = exp(top - base);
            tk::stripe<float, 1, 1, 64, 32, vector> old;
            tk::map(old, [](float top, float base) { return tk::exp(top - base); }, top, base);

            // mla_decode.tk:172: let new  = exp(logs - base);
            tk::stripe<float, 8, 1, 64, 32, vector> new_2;
            tk::map(new_2, [](float logs, float base) { return tk::exp(logs - base); }, logs, base);

            // mla_decode.tk:173: o     = o * old + sum(load(Part[s, b, r, :]) * new, axis = 0);
            tk::stripe<float, 8, 512, 64, 32, vector> t2;
            tk::load_slice<vectors>(
                t2, tk::slice_if_dense<vectors, 0, 3>(Part, {s, b, r, 0}, S - s, 512), thread);
            tk::stripe<float, 8, 512, 64, 32, vector> t3;
            tk::map(t3, [](float t2, float new_2) { return t2 * new_2; }, t2, new_2);
            tk::stripe<float, 1, 512, 64, 32, vector> t4;
            tk::reduce_columns(t4, t3, shared.combine_f32_rows_512[0], tk::plus{}, thread, 1);
            tk::map(o, [](float o, float old, float t4) { return tk::fma(o, old, t4); },
                    o, old, t4);

            // mla_decode.tk:174: total = total * old + sum(new, axis = 0);
            tk::stripe<float, 1, 1, 64, 32, vector> t5;
            tk::reduce_columns(t5, new_2, shared.combine_f32_rows_1[0], tk::plus{}, thread, 1);
            tk::map(total, [](float total, float old, float t5) { return tk::fma(total, old, t5); },
                    total, old, t5);

            // mla_decode.tk:175: top   = next;
            top = next;
        }

        // mla_decode.tk:177: store(O[b, r, :], T(o * where(total == 0, 0, 1 / total)));
        tk::stripe<tk::bf16, 1, 512, 64, 32, vector> t6;
        tk::map(t6, [](float o, float total) {
            return o * (total == 0.0f ? 0.0f : tk::divide(1.0f, total));
        }, o, total);
        tk::store_slice<vectors>(tk::slice_if_dense<vectors, tk::no_axis, 2>(O, {b, r, 0}, 1, 512),
                                 t6, thread);

        // mla_decode.tk:178: store(LSE[b, r], where(total == 0, -inf, log(total) + top));
        tk::stripe<float, 1, 1, 64, 32, vector> t7;
        tk::map(t7, [](float total, float top) {
            return total == 0.0f ? -INFINITY : tk::log(total) + top;
        }, total, top);
        tk::store_global(tk::slice<tk::no_axis, 1>(LSE, {b, r}, 1, R - r), t7, thread);
    }
}

// combine_few: kernel combine_few with T = bf16, DV = 512, BH = 16, BS = 16.
// 128 threads, 255 registers each, 2048 bytes of shared memory.
struct combine_few_shared {
    tk::shared_tile<int, 1, 288> combine_few_turned[1];
};

__global__ void __launch_bounds__(128, 2) combine_few_kernel(
    const tk::tensor_argument<const float, 4> Part, const tk::tensor_argument<const float, 3> Log,
    const tk::tensor_argument<tk::bf16, 3> O, const tk::tensor_argument<float, 2> LSE, int S, int B,
    int R) {
    extern __shared__ __align__(1024) unsigned char memory[];
    combine_few_shared& shared = *reinterpret_cast<combine_few_shared*>(memory);

    tk::wait_for_previous_kernel();

    const int m_tiles = tk::tiles(R, 16);

    // mla_decode.tk:181: kernel combine_few<T: dtype = bf16, DV: int = 512, BH: int = 16, BS: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int d = program % 16 * 32;
    const int m = program / 16 % m_tiles * 16;
    const int b = program / (16 * m_tiles);

    // mla_decode.tk:186: var o: f32[32, BH] = 0;
    tk::stripe<float, 32, 16, 128, 4, 8> o;
    tk::zero(o);

    // mla_decode.tk:187: var top: f32[1, BH] = -1.0e30;
    tk::stripe<float, 1, 16, 128, 4, 8> top;
    tk::fill(top, -1e+30f);

    // mla_decode.tk:188: var total: f32[1, BH] = 0;
    tk::stripe<float, 1, 16, 128, 4, 8> total;
    tk::zero(total);

    // mla_decode.tk:189: for t in S by BS {
    for (int t = 0; t < S; t += 16) {
        // mla_decode.tk:190: for i in BS pipelined(BS) {
        #pragma unroll 16
        for (int i = 0; i < 16; i += 1) {
            // mla_decode.tk:191: let s    = min(t.start + i, S - 1);
            const int s = tk::min(t + i, S - 1);

            // mla_decode.tk:192: let logs = where(t.start + i < S, load(Log[s, b, m]), -inf);
            tk::stripe<float, 1, 16, 128, 4, 8> t0;
            tk::load_vectors(t0,
                             tk::vector_slice<tk::no_axis, 2>(Log, {s, b, m}, 1,
                                                              s > -1 && s < S ? R - m : 0), thread);
            tk::stripe<float, 1, 16, 128, 4, 8> logs;
            tk::map(logs, [&](float t0) { return t + i < S ? t0 : -INFINITY; }, t0);

            // mla_decode.tk:193: let next = max(top, logs);
            tk::stripe<float, 1, 16, 128, 4, 8> next;
            tk::map(next, [](float top, float logs) { return tk::max(top, logs); }, top, logs);

            // mla_decode.tk:194: let old  = exp(top - next);
            tk::stripe<float, 1, 16, 128, 4, 8> old;
            tk::map(old, [](float top, float next) { return tk::exp(top - next); }, top, next);

            // mla_decode.tk:195: let new  = exp(logs - next);
            tk::stripe<float, 1, 16, 128, 4, 8> new_2;
            tk::map(new_2, [](float logs, float next) { return tk::exp(logs - next); }, logs, next);

            // mla_decode.tk:196: o     = o * old + load(Part[s, b, d, m]) * new;
            tk::stripe<float, 32, 16, 128, 4, 8> t1;
            tk::load_vectors(t1,
                             tk::vector_slice(Part, {s, b, d, m}, s > -1 && s < S ? 512 - d : 0,
                                              R - m), thread);
            tk::map(o, [](float o, float old, float t1, float new_2) {
                return tk::fma(o, old, t1 * new_2);
            }, o, old, t1, new_2);

            // mla_decode.tk:197: total = total * old + new;
            tk::map(total, [](float total, float old, float new_2) {
                return tk::fma(total, old, new_2);
            }, total, old, new_2);

            // mla_decode.tk:198: top   = next;
            top = next;
        }
    }

    // mla_decode.tk:201: store(O[b, m, d], T(o * where(total == 0, 0, 1 / total)).T);
    tk::stripe<tk::bf16, 32, 16, 128, 4, 8> t2;
    tk::map(t2, [](float o, float total) {
        return o * (total == 0.0f ? 0.0f : tk::divide(1.0f, total));
    }, o, total);
    tk::stripe<tk::bf16, 16, 32, 128, 4, 8> t3;
    tk::transpose(t3, t2, shared.combine_few_turned[0], thread, 1);
    tk::store_vectors(tk::dense_slice(O, {b, m, d}, R - m, 512 - d), t3, thread);

    // mla_decode.tk:202: if d.index == 0 { store(LSE[b, m], where(total == 0, -inf, log(total) + ..
    if (d / 32 == 0) {
        tk::stripe<float, 1, 16, 128, 4, 8> t4;
        tk::map(t4, [](float total, float top) {
            return total == 0.0f ? -INFINITY : tk::log(total) + top;
        }, total, top);
        tk::store_vectors(tk::vector_slice<tk::no_axis, 1>(LSE, {b, m}, 1, R - m), t4, thread);
    }
}

// combine_few_general: kernel combine_few with T = bf16, DV = 512, BH = 16, BS = 16; any strides
// and alignment.
// 128 threads, 255 registers each, 2048 bytes of shared memory.
struct combine_few_general_shared {
    tk::shared_tile<int, 1, 288> combine_few_turned[1];
};

__global__ void __launch_bounds__(128, 1) combine_few_general_kernel(
    const tk::tensor_argument<const float, 4> Part, const tk::tensor_argument<const float, 3> Log,
    const tk::tensor_argument<tk::bf16, 3> O, const tk::tensor_argument<float, 2> LSE, int S, int B,
    int R) {
    extern __shared__ __align__(1024) unsigned char memory[];
    combine_few_general_shared& shared = *reinterpret_cast<combine_few_general_shared*>(memory);

    tk::wait_for_previous_kernel();

    const int m_tiles = tk::tiles(R, 16);

    // mla_decode.tk:181: kernel combine_few<T: dtype = bf16, DV: int = 512, BH: int = 16, BS: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int d = program % 16 * 32;
    const int m = program / 16 % m_tiles * 16;
    const int b = program / (16 * m_tiles);

    // mla_decode.tk:186: var o: f32[32, BH] = 0;
    tk::stripe<float, 32, 16, 128, 16, 2> o;
    tk::zero(o);

    // mla_decode.tk:187: var top: f32[1, BH] = -1.0e30;
    tk::stripe<float, 1, 16, 128, 16, 2> top;
    tk::fill(top, -1e+30f);

    // mla_decode.tk:188: var total: f32[1, BH] = 0;
    tk::stripe<float, 1, 16, 128, 16, 2> total;
    tk::zero(total);

    // mla_decode.tk:189: for t in S by BS {
    for (int t = 0; t < S; t += 16) {
        // mla_decode.tk:190: for i in BS pipelined(BS) {
        for (int i = 0; i < 16; i += 1) {
            // mla_decode.tk:191: let s    = min(t.start + i, S - 1);
            const int s = tk::min(t + i, S - 1);

            // mla_decode.tk:192: let logs = where(t.start + i < S, load(Log[s, b, m]), -inf);
            tk::stripe<float, 1, 16, 128, 16, 2> t0;
            tk::load_global(t0,
                            tk::slice<tk::no_axis, 2>(Log, {s, b, m}, 1,
                                                      s > -1 && s < S ? R - m : 0), thread);
            tk::stripe<float, 1, 16, 128, 16, 2> logs;
            tk::map(logs, [&](float t0) { return t + i < S ? t0 : -INFINITY; }, t0);

            // mla_decode.tk:193: let next = max(top, logs);
            tk::stripe<float, 1, 16, 128, 16, 2> next;
            tk::map(next, [](float top, float logs) { return tk::max(top, logs); }, top, logs);

            // mla_decode.tk:194: let old  = exp(top - next);
            tk::stripe<float, 1, 16, 128, 16, 2> old;
            tk::map(old, [](float top, float next) { return tk::exp(top - next); }, top, next);

            // mla_decode.tk:195: let new  = exp(logs - next);
            tk::stripe<float, 1, 16, 128, 16, 2> new_2;
            tk::map(new_2, [](float logs, float next) { return tk::exp(logs - next); }, logs, next);

            // mla_decode.tk:196: o     = o * old + load(Part[s, b, d, m]) * new;
            tk::stripe<float, 32, 16, 128, 16, 2> t1;
            tk::load_global(t1, tk::slice(Part, {s, b, d, m}, s > -1 && s < S ? 512 - d : 0, R - m),
                            thread);
            tk::map(o, [](float o, float old, float t1, float new_2) {
                return tk::fma(o, old, t1 * new_2);
            }, o, old, t1, new_2);

            // mla_decode.tk:197: total = total * old + new;
            tk::map(total, [](float total, float old, float new_2) {
                return tk::fma(total, old, new_2);
            }, total, old, new_2);

            // mla_decode.tk:198: top   = next;
            top = next;
        }
    }

    // mla_decode.tk:201: store(O[b, m, d], T(o * where(total == 0, 0, 1 / total)).T);
    tk::stripe<tk::bf16, 32, 16, 128, 16, 2> t2;
    tk::map(t2, [](float o, float total) {
        return o * (total == 0.0f ? 0.0f : tk::divide(1.0f, total));
    }, o, total);
    tk::stripe<tk::bf16, 16, 32, 128, 16, 2> t3;
    tk::transpose(t3, t2, shared.combine_few_turned[0], thread, 1);
    tk::store_global(tk::slice(O, {b, m, d}, R - m, 512 - d), t3, thread);

    // mla_decode.tk:202: if d.index == 0 { store(LSE[b, m], where(total == 0, -inf, log(total) + ..
    if (d / 32 == 0) {
        tk::stripe<float, 1, 16, 128, 16, 2> t4;
        tk::map(t4, [](float total, float top) {
            return total == 0.0f ? -INFINITY : tk::log(total) + top;
        }, total, top);
        tk::store_global(tk::slice<tk::no_axis, 1>(LSE, {b, m}, 1, R - m), t4, thread);
    }
}

// attend_T_bf16_DV_512_DR_64_PAGED_true_PIECE_64_PART_bf16_CM_1: kernel attend with T = bf16, DV =
// 512, DR = 64, PAGED = true, PIECE = 64, PART = bf16, CM = 1, BM = 64, BN = 64.
// producer: 1 warp, 24 registers a thread; left: 1 warpgroup, 240 registers a thread; right: 1
// warpgroup, 240 registers a thread.
// 384 threads, 168 registers each at first, 230528 bytes of shared memory; persistent.
struct attend_T_bf16_DV_512_DR_64_PAGED_true_PIECE_64_PART_bf16_CM_1_shared {
    tk::shared_tile<tk::bf16, 64, 512> qs_n[1];
    tk::shared_tile<tk::bf16, 64, 64> qs_r[1];
    tk::shared_tile<tk::bf16, 64, 256> ls_tile[2];
    tk::shared_tile<tk::bf16, 64, 256> hs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> rs_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> ps_p[1];
    tk::shared_tile<float, 64, 1> ps_f[1];
    tk::shared_tile<float, 64, 1> es_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> right_Part[1];
    tk::pipeline<1> qs;
    tk::pipeline<2> ls;
    tk::pipeline<2> hs;
    tk::pipeline<1> rs;
    tk::pipeline<1> ps;
    tk::pipeline<1> es;
};
static_assert(offsetof(attend_T_bf16_DV_512_DR_64_PAGED_true_PIECE_64_PART_bf16_CM_1_shared, es) ==
              230512);

__global__ void __launch_bounds__(384, 1) attend_T_bf16_DV_512_DR_64_PAGED_true_PIECE_64_PART_bf16_CM_1_kernel(
    const __grid_constant__ CUtensorMap Qn_map, const __grid_constant__ CUtensorMap Qr_map,
    const __grid_constant__ CUtensorMap C_map, const __grid_constant__ CUtensorMap Kr_map,
    const __grid_constant__ CUtensorMap Part_map, const tk::tensor_argument<const int, 2> table,
    const tk::tensor_argument<const int, 1> lengths, const tk::tensor_argument<float, 3> Log, int B,
    int R, int MAXP, int S, int page, int pitch, int queries, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    attend_T_bf16_DV_512_DR_64_PAGED_true_PIECE_64_PART_bf16_CM_1_shared& shared =
        *reinterpret_cast<attend_T_bf16_DV_512_DR_64_PAGED_true_PIECE_64_PART_bf16_CM_1_shared*>(
        memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Qn_map, Qr_map, C_map, Kr_map, Part_map);
        shared.qs.init(1, 4);
        shared.ls.init(1, 4);
        shared.hs.init(1, 8);
        shared.rs.init(1, 4);
        shared.ps.init(4, 4);
        shared.es.init(4, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // mla_decode.tk:44: role producer((if PIECE == 1 { 4 } else { 1 }) warps) {
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(R, 64);
        const int programs = m_tiles * S * B;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> hs_next, ls_next;
            tk::cursor<1> qs_next, rs_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int m = program % m_tiles * 64;
                const int s = program / m_tiles % S;
                const int b = program / (m_tiles * S);

                // mla_decode.tk:31: let heads  = max(R // queries, 1);
                const int heads = tk::max(R / queries, 1);

                // mla_decode.tk:32: let length = lengths[b];
                const int length = tk::cell(lengths, b);

                // mla_decode.tk:34: let unseen = if CM == 1 { max(queries - ceil_div(m.end, ..
                const int unseen = tk::max(queries - tk::divide_up(m + 64, heads), 0);

                // mla_decode.tk:35: let chunk  = ceil_div(length, S * BN) * BN;
                const int chunk = tk::divide_up(length, S * 64) * 64;

                // mla_decode.tk:45: produce qs { n = tma_load(Qn[b, m, :]); r = tma_load(Qr[b, ..
                shared.qs.begin(qs_next, 73728);
                tk::tma_load(shared.qs_n[qs_next.stage], Qn_map, shared.qs.full[qs_next.stage], b,
                             m, 0);
                tk::tma_load(shared.qs_r[qs_next.stage], Qr_map, shared.qs.full[qs_next.stage], b,
                             m, 0);
                qs_next.advance();

                // mla_decode.tk:46: for (j) in keys {
                #pragma unroll 1
                for (int j = s * chunk; j < tk::min((s + 1) * chunk, length - unseen); j += 64) {
                    // mla_decode.tk:54: let at = (if PAGED { table[b, max(min(j.start // page, ..
                    const int at = (tk::max(tk::min(tk::divide_down(j, page), MAXP - 1), 0) < MAXP
                                    ? tk::cell(table, b,
                                               tk::max(tk::min(tk::divide_down(j, page), MAXP - 1),
                                                       0)) : int{}) * pitch +
                        tk::remainder(j, page);

                    // mla_decode.tk:55: let Cp = C[at +: min(length - j.start, BN)];
                    const int Cp_end = at + tk::min(length - j, 64);

                    // mla_decode.tk:56: let Kp = Kr[at +: min(length - j.start, BN)];
                    const int Kp_end = at + tk::min(length - j, 64);

                    // mla_decode.tk:57: produce ls = tma_load(Cp[0 +: BN, 0 +: DV / 2]) ..
                    shared.ls.begin(ls_next, 32768);
                    tk::tma_load(shared.ls_tile[ls_next.stage], C_map,
                                 shared.ls.full[ls_next.stage], at, 0);
                    ls_next.advance();

                    // mla_decode.tk:58: produce hs = tma_load(Cp[0 +: BN, DV / 2 +: DV / 2]) ..
                    shared.hs.begin(hs_next, 32768);
                    tk::tma_load(shared.hs_tile[hs_next.stage], C_map,
                                 shared.hs.full[hs_next.stage], at, 256);
                    hs_next.advance();

                    // mla_decode.tk:59: produce rs = tma_load(Kp[0 +: BN, :]) multicast(m);
                    shared.rs.begin(rs_next, 8192);
                    tk::tma_load(shared.rs_tile[rs_next.stage], Kr_map,
                                 shared.rs.full[rs_next.stage], at, 0);
                    rs_next.advance();
                }
            }
        }
    } else if (warp < 4) {
        // mla_decode.tk:63: role left(1 warpgroup) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(R, 64);
        const int programs = m_tiles * S * B;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<1> es_next_2, ps_next_2, qs_next, rs_next;
        tk::cursor<2> ls_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int m = program % m_tiles * 64;
            const int s = program / m_tiles % S;
            const int b = program / (m_tiles * S);

            // mla_decode.tk:31: let heads  = max(R // queries, 1);
            const int heads = tk::max(R / queries, 1);

            // mla_decode.tk:32: let length = lengths[b];
            const int length = tk::cell(lengths, b);

            // mla_decode.tk:34: let unseen = if CM == 1 { max(queries - ceil_div(m.end, heads), ..
            const int unseen = tk::max(queries - tk::divide_up(m + 64, heads), 0);

            // mla_decode.tk:35: let chunk  = ceil_div(length, S * BN) * BN;
            const int chunk = tk::divide_up(length, S * 64) * 64;

            // mla_decode.tk:64: let q = consume qs;
            const tk::cursor<1> q = shared.qs.take(qs_next);

            // mla_decode.tk:65: var o: f32[BM, DV / 2] = 0;
            tk::fragment<float, 64, 256> o;
            tk::zero(o);

            // mla_decode.tk:66: var sm = softmax.start<BM>(scale);
            tk::column_fragment<float, 64> sm_max;
            tk::fill(sm_max, -INFINITY);
            tk::column_fragment<float, 64> sm_sum;
            tk::zero(sm_sum);
            tk::column_fragment<float, 64> sm_correction;
            tk::fill(sm_correction, 1.0f);
            const float sm_c = scale * 1.442695f;

            // mla_decode.tk:67: for (j) in keys {
            tk::fragment<float, 64, 64> t;
            for (int j = s * chunk; j < tk::min((s + 1) * chunk, length - unseen); j += 64) {
                // mla_decode.tk:68: let k = consume ls;
                const tk::cursor<2> k_element = shared.ls.take(ls_next);

                // mla_decode.tk:69: var x = mma(q.n[:, 0 +: DV / 2], k.T);
                tk::fragment<float, 64, 64> x;
                tk::mma_async(x, tk::part<0, 0, 64, 256>(shared.qs_n[q.stage]),
                              tk::transposed(shared.ls_tile[k_element.stage]),
                              tk::accumulate_never{});

                // mla_decode.tk:70: x += mma(q.n[:, DV / 2 +: DV / 2], (consume hs).T);
                shared.hs.wait_full(k_element);
                tk::mma_async(x, tk::part<0, 256, 64, 256>(shared.qs_n[q.stage]),
                              tk::transposed(shared.hs_tile[k_element.stage]));

                // mla_decode.tk:71: x += mma(q.r, (consume rs).T);
                const tk::cursor<1> rs_element = shared.rs.take(rs_next);
                tk::mma_async(x, shared.qs_r[q.stage],
                              tk::transposed(shared.rs_tile[rs_element.stage]));
                tk::mma_wait<0>(x);
                shared.hs.release(k_element);
                shared.rs.release(rs_element);

                // mla_decode.tk:72: var t = pad(x, axis = 1, with = -inf);
                if (tk::min(length - j, 64) >= 64) {
                    tk::map(t, [](float x) { return x; }, x);
                } else {
                    tk::map(t, thread, [&](int, int col, float x) {
                        return col < tk::min(length - j, 64) ? x : -INFINITY;
                    }, x);
                }

                // mla_decode.tk:73: if j.end > length - queries + 1 {
                if (j + 64 > length - queries + 1) {
                    // mla_decode.tk:75: t = where(j.start + col_index(x) <= own, t, -inf);
                    tk::map(t, thread, [&](int row, int col, float t) {
                        return j + col <= length - queries + (m + row) / heads ? t : -INFINITY;
                    }, t);
                }

                // <std.softmax>:30: let m  = max(sm.max, max(s, axis = 1));
                tk::column_fragment<float, 64> t3;
                tk::fold_rows(t3, t, tk::maximum{}, thread);
                tk::finish_rows(t3, tk::maximum{});
                tk::column_fragment<float, 64> m_2;
                tk::map(m_2, [](float sm_max, float t3) { return tk::max(sm_max, t3); },
                        sm_max, t3);

                // <std.softmax>:31: let m0 = where(m == -inf, 0, m) * sm.c;
                tk::column_fragment<float, 64> m0;
                tk::map(m0, [&](float m_2) { return (m_2 == -INFINITY ? 0.0f : m_2) * sm_c; }, m_2);

                // <std.softmax>:32: let p  = exp2(fma(s, sm.c, -m0));
                tk::fragment<float, 64, 64> p;
                tk::map(p, [&](float t, float m0) { return tk::exp2(tk::fma(t, sm_c, -m0)); },
                        t, m0);

                // <std.softmax>:33: sm.correction = where(m == sm.max, 1, exp2(fma(sm.max, sm.c, ..
                tk::map(sm_correction, [&](float m_2, float sm_max, float m0) {
                    return m_2 == sm_max ? 1.0f : tk::exp2(tk::fma(sm_max, sm_c, -m0));
                }, m_2, sm_max, m0);

                // <std.softmax>:34: sm.sum = sm.sum * sm.correction + sum(p, axis = 1);
                tk::column_fragment<float, 64> t4;
                tk::fold_rows(t4, p, tk::plus{}, thread);
                tk::map(sm_sum, [](float sm_sum, float sm_correction, float t4) {
                    return tk::fma(sm_sum, sm_correction, t4);
                }, sm_sum, sm_correction, t4);

                // <std.softmax>:35: sm.max = m;
                sm_max = m_2;

                // mla_decode.tk:77: let p = T(softmax.step(inout sm, t));
                tk::fragment<tk::bf16, 64, 64> p_2 = tk::convert<tk::bf16>(p);

                // mla_decode.tk:78: produce ps { p = p; f = sm.correction; }
                shared.ps.wait_empty(ps_next_2);
                tk::store_shared(shared.ps_p[ps_next_2.stage], p_2, thread);
                tk::store_shared(shared.ps_f[ps_next_2.stage], sm_correction, thread);
                shared.ps.publish(ps_next_2);
                ps_next_2.advance();

                // mla_decode.tk:79: o *= sm.correction;
                tk::scale_rows(o, sm_correction);

                // mla_decode.tk:80: o += mma(p, k);
                tk::mma_async(o, p_2, shared.ls_tile[k_element.stage]);
                tk::mma_wait<0>(o, p_2);
                shared.ls.release(k_element);
            }

            // mla_decode.tk:82: let e = where(sm.sum == 0, 0, 1 / sm.sum);
            tk::column_fragment<float, 64> t1 = sm_sum;
            tk::finish_rows(t1, tk::plus{});
            tk::column_fragment<float, 64> e;
            tk::map(e, [](float t1) { return t1 == 0.0f ? 0.0f : tk::divide(1.0f, t1); }, t1);

            // mla_decode.tk:83: produce es = e;
            shared.es.wait_empty(es_next_2);
            tk::store_shared(shared.es_tile[es_next_2.stage], e, thread);
            shared.es.publish(es_next_2, tk::ordinary_alone{});
            es_next_2.advance();

            // mla_decode.tk:84: store(Part[s, b, m, 0 +: DV / 2], PART(o * e));
            #pragma unroll
            for (int panel = 0; panel < 256; panel += 64) {
                tk::fragment<tk::bf16, 64, 64> t5;
                tk::map(t5, [](float o, float e) { return o * e; },
                        tk::window<64, 64>(o, 0, panel), e);
                tk::store_shared(tk::block<64>(shared.qs_n[q.stage], panel / 64 % 4), t5, thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if (leader) {
                    tk::tma_store(Part_map, tk::block<64>(shared.qs_n[q.stage], panel / 64 % 4), s,
                                  b, m, panel);
                }
            }
            if (leader) tk::tma_store_wait_read<0>();
            shared.qs.release(q);

            // mla_decode.tk:85: store(Log[s, b, m], softmax.lse(sm));
            tk::column_fragment<float, 64> t6;
            tk::map(t6, [&](float t1, float sm_max) {
                return t1 == 0.0f ? -INFINITY : tk::fma(sm_max, sm_c, tk::log2(t1)) * 0.6931472f;
            }, t1, sm_max);
            tk::store_global(tk::slice<2, tk::no_axis>(Log, {s, b, m}, R - m, 1), t6, thread);
        }
    } else {
        // mla_decode.tk:87: role right(1 warpgroup) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(R, 64);
        const int programs = m_tiles * S * B;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<1> es_next_2, ps_next_2;
        tk::cursor<2> hs_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int m = program % m_tiles * 64;
            const int s = program / m_tiles % S;
            const int b = program / (m_tiles * S);

            // mla_decode.tk:31: let heads  = max(R // queries, 1);
            const int heads = tk::max(R / queries, 1);

            // mla_decode.tk:32: let length = lengths[b];
            const int length = tk::cell(lengths, b);

            // mla_decode.tk:34: let unseen = if CM == 1 { max(queries - ceil_div(m.end, heads), ..
            const int unseen = tk::max(queries - tk::divide_up(m + 64, heads), 0);

            // mla_decode.tk:35: let chunk  = ceil_div(length, S * BN) * BN;
            const int chunk = tk::divide_up(length, S * 64) * 64;

            // mla_decode.tk:88: var o: f32[BM, DV / 2] = 0;
            tk::fragment<float, 64, 256> o;
            tk::zero(o);

            // mla_decode.tk:89: for (j) in keys {
            for (int j = s * chunk; j < tk::min((s + 1) * chunk, length - unseen); j += 64) {
                // mla_decode.tk:90: let k = consume hs;
                const tk::cursor<2> k_element = shared.hs.take(hs_next);

                // mla_decode.tk:91: let w = consume ps;
                const tk::cursor<1> w = shared.ps.take(ps_next_2);

                // mla_decode.tk:92: o *= w.f;
                tk::column_fragment<float, 64> t1;
                tk::map(t1, thread, [&](int row, int) {
                    return tk::get(shared.ps_f[w.stage], row, 0);
                });
                tk::map(o, [](float o, float t1) { return o * t1; }, o, t1);

                // mla_decode.tk:93: o += mma(w.p, k);
                tk::mma_async(o, shared.ps_p[w.stage], shared.hs_tile[k_element.stage]);
                tk::mma_wait<0>(o);
                shared.ps.release_after_loads(w, tk::ordinary_alone{});
                shared.hs.release(k_element);
            }

            // mla_decode.tk:95: store(Part[s, b, m, DV / 2 +: DV / 2], PART(o * (consume es)));
            const tk::cursor<1> es_element = shared.es.take(es_next_2);
            tk::column_fragment<float, 64> t2;
            tk::map(t2, thread, [&](int row, int) {
                return tk::get(shared.es_tile[es_element.stage], row, 0);
            });
            shared.es.release_after_loads(es_element, tk::ordinary_alone{});
            #pragma unroll
            for (int panel = 0; panel < 256; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(3, 128);
                tk::fragment<tk::bf16, 64, 64> t0;
                tk::map(t0, [](float o, float t2) { return o * t2; },
                        tk::window<64, 64>(o, 0, panel), t2);
                tk::store_shared(shared.right_Part[0], t0, thread);
                tk::fence_async();
                tk::barrier_sync(3, 128);
                if (leader) tk::tma_store(Part_map, shared.right_Part[0], s, b, m, 256 + panel);
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

// attend_T_bf16_DV_512_DR_64_PAGED_true_PIECE_64_PART_bf16_CM_1_general: kernel attend with T =
// bf16, DV = 512, DR = 64, PAGED = true, PIECE = 64, PART = bf16, CM = 1, BM = 64, BN = 64; any
// strides and alignment.
// producer: 1 warp, 24 registers a thread; left: 1 warpgroup, 240 registers a thread; right: 1
// warpgroup, 240 registers a thread.
// 384 threads, 168 registers each at first, 222336 bytes of shared memory; persistent.
struct attend_T_bf16_DV_512_DR_64_PAGED_true_PIECE_64_PART_bf16_CM_1_general_shared {
    tk::shared_tile<tk::bf16, 64, 512> qs_n[1];
    tk::shared_tile<tk::bf16, 64, 64> qs_r[1];
    tk::shared_tile<tk::bf16, 64, 256> ls_tile[2];
    tk::shared_tile<tk::bf16, 64, 256> hs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> rs_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> ps_p[1];
    tk::shared_tile<float, 64, 1> ps_f[1];
    tk::shared_tile<float, 64, 1> es_tile[1];
    unsigned char unused[512];
    tk::pipeline<1> qs;
    tk::pipeline<2> ls;
    tk::pipeline<2> hs;
    tk::pipeline<1> rs;
    tk::pipeline<1> ps;
    tk::pipeline<1> es;
};
static_assert(offsetof(attend_T_bf16_DV_512_DR_64_PAGED_true_PIECE_64_PART_bf16_CM_1_general_shared,
                       es) == 222320);

__global__ void __launch_bounds__(384, 1) attend_T_bf16_DV_512_DR_64_PAGED_true_PIECE_64_PART_bf16_CM_1_general_kernel(
    const __grid_constant__ CUtensorMap Qn_map, const __grid_constant__ CUtensorMap Qr_map,
    const __grid_constant__ CUtensorMap C_map, const __grid_constant__ CUtensorMap Kr_map,
    const tk::tensor_argument<const int, 2> table, const tk::tensor_argument<const int, 1> lengths,
    const tk::tensor_argument<tk::bf16, 4> Part, const tk::tensor_argument<float, 3> Log, int B,
    int R, int MAXP, int S, int page, int pitch, int queries, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    attend_T_bf16_DV_512_DR_64_PAGED_true_PIECE_64_PART_bf16_CM_1_general_shared& shared =
        *reinterpret_cast<attend_T_bf16_DV_512_DR_64_PAGED_true_PIECE_64_PART_bf16_CM_1_general_shared*>(
        memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Qn_map, Qr_map, C_map, Kr_map);
        shared.qs.init(1, 4);
        shared.ls.init(1, 4);
        shared.hs.init(1, 8);
        shared.rs.init(1, 4);
        shared.ps.init(4, 4);
        shared.es.init(4, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // mla_decode.tk:44: role producer((if PIECE == 1 { 4 } else { 1 }) warps) {
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(R, 64);
        const int programs = m_tiles * S * B;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> hs_next, ls_next;
            tk::cursor<1> qs_next, rs_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int m = program % m_tiles * 64;
                const int s = program / m_tiles % S;
                const int b = program / (m_tiles * S);

                // mla_decode.tk:31: let heads  = max(R // queries, 1);
                const int heads = tk::max(R / queries, 1);

                // mla_decode.tk:32: let length = lengths[b];
                const int length = tk::cell(lengths, b);

                // mla_decode.tk:34: let unseen = if CM == 1 { max(queries - ceil_div(m.end, ..
                const int unseen = tk::max(queries - tk::divide_up(m + 64, heads), 0);

                // mla_decode.tk:35: let chunk  = ceil_div(length, S * BN) * BN;
                const int chunk = tk::divide_up(length, S * 64) * 64;

                // mla_decode.tk:45: produce qs { n = tma_load(Qn[b, m, :]); r = tma_load(Qr[b, ..
                shared.qs.begin(qs_next, 73728);
                tk::tma_load(shared.qs_n[qs_next.stage], Qn_map, shared.qs.full[qs_next.stage], b,
                             m, 0);
                tk::tma_load(shared.qs_r[qs_next.stage], Qr_map, shared.qs.full[qs_next.stage], b,
                             m, 0);
                qs_next.advance();

                // mla_decode.tk:46: for (j) in keys {
                #pragma unroll 1
                for (int j = s * chunk; j < tk::min((s + 1) * chunk, length - unseen); j += 64) {
                    // mla_decode.tk:54: let at = (if PAGED { table[b, max(min(j.start // page, ..
                    const int at = (tk::max(tk::min(tk::divide_down(j, page), MAXP - 1), 0) < MAXP
                                    ? tk::cell(table, b,
                                               tk::max(tk::min(tk::divide_down(j, page), MAXP - 1),
                                                       0)) : int{}) * pitch +
                        tk::remainder(j, page);

                    // mla_decode.tk:55: let Cp = C[at +: min(length - j.start, BN)];
                    const int Cp_end = at + tk::min(length - j, 64);

                    // mla_decode.tk:56: let Kp = Kr[at +: min(length - j.start, BN)];
                    const int Kp_end = at + tk::min(length - j, 64);

                    // mla_decode.tk:57: produce ls = tma_load(Cp[0 +: BN, 0 +: DV / 2]) ..
                    shared.ls.begin(ls_next, 32768);
                    tk::tma_load(shared.ls_tile[ls_next.stage], C_map,
                                 shared.ls.full[ls_next.stage], at, 0);
                    ls_next.advance();

                    // mla_decode.tk:58: produce hs = tma_load(Cp[0 +: BN, DV / 2 +: DV / 2]) ..
                    shared.hs.begin(hs_next, 32768);
                    tk::tma_load(shared.hs_tile[hs_next.stage], C_map,
                                 shared.hs.full[hs_next.stage], at, 256);
                    hs_next.advance();

                    // mla_decode.tk:59: produce rs = tma_load(Kp[0 +: BN, :]) multicast(m);
                    shared.rs.begin(rs_next, 8192);
                    tk::tma_load(shared.rs_tile[rs_next.stage], Kr_map,
                                 shared.rs.full[rs_next.stage], at, 0);
                    rs_next.advance();
                }
            }
        }
    } else if (warp < 4) {
        // mla_decode.tk:63: role left(1 warpgroup) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(R, 64);
        const int programs = m_tiles * S * B;
        const int thread = tk::warpgroup_thread();
        tk::cursor<1> es_next_2, ps_next_2, qs_next, rs_next;
        tk::cursor<2> ls_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int m = program % m_tiles * 64;
            const int s = program / m_tiles % S;
            const int b = program / (m_tiles * S);

            // mla_decode.tk:31: let heads  = max(R // queries, 1);
            const int heads = tk::max(R / queries, 1);

            // mla_decode.tk:32: let length = lengths[b];
            const int length = tk::cell(lengths, b);

            // mla_decode.tk:34: let unseen = if CM == 1 { max(queries - ceil_div(m.end, heads), ..
            const int unseen = tk::max(queries - tk::divide_up(m + 64, heads), 0);

            // mla_decode.tk:35: let chunk  = ceil_div(length, S * BN) * BN;
            const int chunk = tk::divide_up(length, S * 64) * 64;

            // mla_decode.tk:64: let q = consume qs;
            const tk::cursor<1> q = shared.qs.take(qs_next);

            // mla_decode.tk:65: var o: f32[BM, DV / 2] = 0;
            tk::fragment<float, 64, 256> o;
            tk::zero(o);

            // mla_decode.tk:66: var sm = softmax.start<BM>(scale);
            tk::column_fragment<float, 64> sm_max;
            tk::fill(sm_max, -INFINITY);
            tk::column_fragment<float, 64> sm_sum;
            tk::zero(sm_sum);
            tk::column_fragment<float, 64> sm_correction;
            tk::fill(sm_correction, 1.0f);
            const float sm_c = scale * 1.442695f;

            // mla_decode.tk:67: for (j) in keys {
            tk::fragment<float, 64, 64> t;
            for (int j = s * chunk; j < tk::min((s + 1) * chunk, length - unseen); j += 64) {
                // mla_decode.tk:68: let k = consume ls;
                const tk::cursor<2> k_element = shared.ls.take(ls_next);

                // mla_decode.tk:69: var x = mma(q.n[:, 0 +: DV / 2], k.T);
                tk::fragment<float, 64, 64> x;
                tk::mma_async(x, tk::part<0, 0, 64, 256>(shared.qs_n[q.stage]),
                              tk::transposed(shared.ls_tile[k_element.stage]),
                              tk::accumulate_never{});

                // mla_decode.tk:70: x += mma(q.n[:, DV / 2 +: DV / 2], (consume hs).T);
                shared.hs.wait_full(k_element);
                tk::mma_async(x, tk::part<0, 256, 64, 256>(shared.qs_n[q.stage]),
                              tk::transposed(shared.hs_tile[k_element.stage]));

                // mla_decode.tk:71: x += mma(q.r, (consume rs).T);
                const tk::cursor<1> rs_element = shared.rs.take(rs_next);
                tk::mma_async(x, shared.qs_r[q.stage],
                              tk::transposed(shared.rs_tile[rs_element.stage]));
                tk::mma_wait<0>(x);
                shared.hs.release(k_element);
                shared.rs.release(rs_element);

                // mla_decode.tk:72: var t = pad(x, axis = 1, with = -inf);
                if (tk::min(length - j, 64) >= 64) {
                    tk::map(t, [](float x) { return x; }, x);
                } else {
                    tk::map(t, thread, [&](int, int col, float x) {
                        return col < tk::min(length - j, 64) ? x : -INFINITY;
                    }, x);
                }

                // mla_decode.tk:73: if j.end > length - queries + 1 {
                if (j + 64 > length - queries + 1) {
                    // mla_decode.tk:75: t = where(j.start + col_index(x) <= own, t, -inf);
                    tk::map(t, thread, [&](int row, int col, float t) {
                        return j + col <= length - queries + (m + row) / heads ? t : -INFINITY;
                    }, t);
                }

                // <std.softmax>:30: let m  = max(sm.max, max(s, axis = 1));
                tk::column_fragment<float, 64> t3;
                tk::fold_rows(t3, t, tk::maximum{}, thread);
                tk::finish_rows(t3, tk::maximum{});
                tk::column_fragment<float, 64> m_2;
                tk::map(m_2, [](float sm_max, float t3) { return tk::max(sm_max, t3); },
                        sm_max, t3);

                // <std.softmax>:31: let m0 = where(m == -inf, 0, m) * sm.c;
                tk::column_fragment<float, 64> m0;
                tk::map(m0, [&](float m_2) { return (m_2 == -INFINITY ? 0.0f : m_2) * sm_c; }, m_2);

                // <std.softmax>:32: let p  = exp2(fma(s, sm.c, -m0));
                tk::fragment<float, 64, 64> p;
                tk::map(p, [&](float t, float m0) { return tk::exp2(tk::fma(t, sm_c, -m0)); },
                        t, m0);

                // <std.softmax>:33: sm.correction = where(m == sm.max, 1, exp2(fma(sm.max, sm.c, ..
                tk::map(sm_correction, [&](float m_2, float sm_max, float m0) {
                    return m_2 == sm_max ? 1.0f : tk::exp2(tk::fma(sm_max, sm_c, -m0));
                }, m_2, sm_max, m0);

                // <std.softmax>:34: sm.sum = sm.sum * sm.correction + sum(p, axis = 1);
                tk::column_fragment<float, 64> t4;
                tk::fold_rows(t4, p, tk::plus{}, thread);
                tk::map(sm_sum, [](float sm_sum, float sm_correction, float t4) {
                    return tk::fma(sm_sum, sm_correction, t4);
                }, sm_sum, sm_correction, t4);

                // <std.softmax>:35: sm.max = m;
                sm_max = m_2;

                // mla_decode.tk:77: let p = T(softmax.step(inout sm, t));
                tk::fragment<tk::bf16, 64, 64> p_2 = tk::convert<tk::bf16>(p);

                // mla_decode.tk:78: produce ps { p = p; f = sm.correction; }
                shared.ps.wait_empty(ps_next_2);
                tk::store_shared(shared.ps_p[ps_next_2.stage], p_2, thread);
                tk::store_shared(shared.ps_f[ps_next_2.stage], sm_correction, thread);
                shared.ps.publish(ps_next_2);
                ps_next_2.advance();

                // mla_decode.tk:79: o *= sm.correction;
                tk::scale_rows(o, sm_correction);

                // mla_decode.tk:80: o += mma(p, k);
                tk::mma_async(o, p_2, shared.ls_tile[k_element.stage]);
                tk::mma_wait<0>(o, p_2);
                shared.ls.release(k_element);
            }
            shared.qs.release(q);

            // mla_decode.tk:82: let e = where(sm.sum == 0, 0, 1 / sm.sum);
            tk::column_fragment<float, 64> t1 = sm_sum;
            tk::finish_rows(t1, tk::plus{});
            tk::column_fragment<float, 64> e;
            tk::map(e, [](float t1) { return t1 == 0.0f ? 0.0f : tk::divide(1.0f, t1); }, t1);

            // mla_decode.tk:83: produce es = e;
            shared.es.wait_empty(es_next_2);
            tk::store_shared(shared.es_tile[es_next_2.stage], e, thread);
            shared.es.publish(es_next_2, tk::ordinary_alone{});
            es_next_2.advance();

            // mla_decode.tk:84: store(Part[s, b, m, 0 +: DV / 2], PART(o * e));
            tk::fragment<tk::bf16, 64, 256> t5;
            tk::map(t5, [](float o, float e) { return o * e; }, o, e);
            tk::store_global(tk::slice(Part, {s, b, m, 0}, R - m, 512), t5, thread);

            // mla_decode.tk:85: store(Log[s, b, m], softmax.lse(sm));
            tk::column_fragment<float, 64> t6;
            tk::map(t6, [&](float t1, float sm_max) {
                return t1 == 0.0f ? -INFINITY : tk::fma(sm_max, sm_c, tk::log2(t1)) * 0.6931472f;
            }, t1, sm_max);
            tk::store_global(tk::slice<2, tk::no_axis>(Log, {s, b, m}, R - m, 1), t6, thread);
        }
    } else {
        // mla_decode.tk:87: role right(1 warpgroup) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(R, 64);
        const int programs = m_tiles * S * B;
        const int thread = tk::warpgroup_thread();
        tk::cursor<1> es_next_2, ps_next_2;
        tk::cursor<2> hs_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int m = program % m_tiles * 64;
            const int s = program / m_tiles % S;
            const int b = program / (m_tiles * S);

            // mla_decode.tk:31: let heads  = max(R // queries, 1);
            const int heads = tk::max(R / queries, 1);

            // mla_decode.tk:32: let length = lengths[b];
            const int length = tk::cell(lengths, b);

            // mla_decode.tk:34: let unseen = if CM == 1 { max(queries - ceil_div(m.end, heads), ..
            const int unseen = tk::max(queries - tk::divide_up(m + 64, heads), 0);

            // mla_decode.tk:35: let chunk  = ceil_div(length, S * BN) * BN;
            const int chunk = tk::divide_up(length, S * 64) * 64;

            // mla_decode.tk:88: var o: f32[BM, DV / 2] = 0;
            tk::fragment<float, 64, 256> o;
            tk::zero(o);

            // mla_decode.tk:89: for (j) in keys {
            for (int j = s * chunk; j < tk::min((s + 1) * chunk, length - unseen); j += 64) {
                // mla_decode.tk:90: let k = consume hs;
                const tk::cursor<2> k_element = shared.hs.take(hs_next);

                // mla_decode.tk:91: let w = consume ps;
                const tk::cursor<1> w = shared.ps.take(ps_next_2);

                // mla_decode.tk:92: o *= w.f;
                tk::column_fragment<float, 64> t1;
                tk::map(t1, thread, [&](int row, int) {
                    return tk::get(shared.ps_f[w.stage], row, 0);
                });
                tk::map(o, [](float o, float t1) { return o * t1; }, o, t1);

                // mla_decode.tk:93: o += mma(w.p, k);
                tk::mma_async(o, shared.ps_p[w.stage], shared.hs_tile[k_element.stage]);
                tk::mma_wait<0>(o);
                shared.ps.release_after_loads(w, tk::ordinary_alone{});
                shared.hs.release(k_element);
            }

            // mla_decode.tk:95: store(Part[s, b, m, DV / 2 +: DV / 2], PART(o * (consume es)));
            const tk::cursor<1> es_element = shared.es.take(es_next_2);
            tk::column_fragment<float, 64> t2;
            tk::map(t2, thread, [&](int row, int) {
                return tk::get(shared.es_tile[es_element.stage], row, 0);
            });
            shared.es.release_after_loads(es_element, tk::ordinary_alone{});
            tk::fragment<tk::bf16, 64, 256> t0;
            tk::map(t0, [](float o, float t2) { return o * t2; }, o, t2);
            tk::store_global(tk::slice(Part, {s, b, m, 256}, R - m, 512 - 256), t0, thread);
        }
    }
}

namespace {
tk::status launch_attend(const tk::launch_site& site, const tk::tensor& Qn, const tk::tensor& Qr,
                         const tk::tensor& C, const tk::tensor& Kr, const tk::tensor& table,
                         const tk::tensor& lengths, const tk::tensor& Part, const tk::tensor& Log,
                         int64_t B, int64_t R, int64_t MAXP, int64_t S, int32_t page, int32_t pitch,
                         int32_t queries, float scale) {
    return tk::run<attend_kernel>(
        site, sizeof(attend_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(R, 64), S), B), tk::box{Qn, {1, 64, 64}, 128},
        tk::box{Qr, {1, 64, 64}, 128}, tk::box{C, {64, 64}, 128}, tk::box{Kr, {64, 64}, 128}, table,
        lengths, Part, Log, B, R, MAXP, S, page, pitch, queries, scale);
}

tk::status launch_combine(const tk::launch_site& site, const tk::tensor& Part,
                          const tk::tensor& Log, const tk::tensor& O, const tk::tensor& LSE,
                          int64_t S, int64_t B, int64_t R) {
    return tk::run<combine_kernel<10, 8, true>>(site, sizeof(combine_shared),
                                                tk::kernel_shape(64).overlapping(),
                                                tk::multiply(R, B), Part, Log, O, LSE, S, B, R);
}

tk::status launch_combine_general(const tk::launch_site& site, const tk::tensor& Part,
                                  const tk::tensor& Log, const tk::tensor& O, const tk::tensor& LSE,
                                  int64_t S, int64_t B, int64_t R) {
    return tk::run<combine_kernel<1, 4, false>>(site, sizeof(combine_shared),
                                                tk::kernel_shape(64).overlapping(),
                                                tk::multiply(R, B), Part, Log, O, LSE, S, B, R);
}

tk::status launch_attend_T_bf16_DV_512_DR_64_PAGED_true_PIECE_64_PART_bf16_CM_1(
    const tk::launch_site& site, const tk::tensor& Qn, const tk::tensor& Qr, const tk::tensor& C,
    const tk::tensor& Kr, const tk::tensor& table, const tk::tensor& lengths,
    const tk::tensor& Part, const tk::tensor& Log, int64_t B, int64_t R, int64_t MAXP, int64_t S,
    int32_t page, int32_t pitch, int32_t queries, float scale) {
    return tk::run<attend_T_bf16_DV_512_DR_64_PAGED_true_PIECE_64_PART_bf16_CM_1_kernel>(
        site, sizeof(attend_T_bf16_DV_512_DR_64_PAGED_true_PIECE_64_PART_bf16_CM_1_shared),
        tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(R, 64), S), B), tk::box{Qn, {1, 64, 64}, 128},
        tk::box{Qr, {1, 64, 64}, 128}, tk::box{C, {64, 64}, 128}, tk::box{Kr, {64, 64}, 128},
        tk::box{Part, {1, 1, 64, 64}, 128}, table, lengths, Log, B, R, MAXP, S, page, pitch,
        queries, scale);
}

tk::status launch_attend_T_bf16_DV_512_DR_64_PAGED_true_PIECE_64_PART_bf16_CM_1_general(
    const tk::launch_site& site, const tk::tensor& Qn, const tk::tensor& Qr, const tk::tensor& C,
    const tk::tensor& Kr, const tk::tensor& table, const tk::tensor& lengths,
    const tk::tensor& Part, const tk::tensor& Log, int64_t B, int64_t R, int64_t MAXP, int64_t S,
    int32_t page, int32_t pitch, int32_t queries, float scale) {
    return tk::run<attend_T_bf16_DV_512_DR_64_PAGED_true_PIECE_64_PART_bf16_CM_1_general_kernel>(
        site, sizeof(attend_T_bf16_DV_512_DR_64_PAGED_true_PIECE_64_PART_bf16_CM_1_general_shared),
        tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(R, 64), S), B), tk::box{Qn, {1, 64, 64}, 128},
        tk::box{Qr, {1, 64, 64}, 128}, tk::box{C, {64, 64}, 128}, tk::box{Kr, {64, 64}, 128}, table,
        lengths, Part, Log, B, R, MAXP, S, page, pitch, queries, scale);
}

tk::status launch_attend_few(
    const tk::launch_site& site, const tk::tensor& Qn, const tk::tensor& Qr, const tk::tensor& C,
    const tk::tensor& Kr, const tk::tensor& table, const tk::tensor& lengths,
    const tk::tensor& Part, const tk::tensor& Log, int64_t B, int64_t R, int64_t MAXP, int64_t S,
    int32_t page, int32_t pitch, int32_t queries, float scale) {
    return tk::run<attend_few_kernel>(
        site, sizeof(attend_few_shared), tk::kernel_shape(256).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(R, 16), S), B), tk::box{Qn, {1, 16, 64}, 128},
        tk::box{Qr, {1, 16, 64}, 128}, tk::box{C, {64, 64}, 128}, tk::box{Kr, {64, 64}, 128}, table,
        lengths, Part, Log, B, R, MAXP, S, page, pitch, queries, scale);
}

tk::status launch_combine_few(const tk::launch_site& site, const tk::tensor& Part,
                              const tk::tensor& Log, const tk::tensor& O, const tk::tensor& LSE,
                              int64_t S, int64_t B, int64_t R) {
    return tk::run<combine_few_kernel>(
        site, sizeof(combine_few_shared), tk::kernel_shape(128).overlapping(),
        tk::multiply(16 * tk::ceil_div(R, 16), B), Part, Log, O, LSE, S, B, R);
}

tk::status launch_combine_few_general(const tk::launch_site& site, const tk::tensor& Part,
                                      const tk::tensor& Log, const tk::tensor& O,
                                      const tk::tensor& LSE, int64_t S, int64_t B, int64_t R) {
    return tk::run<combine_few_general_kernel>(
        site, sizeof(combine_few_general_shared), tk::kernel_shape(128).overlapping(),
        tk::multiply(16 * tk::ceil_div(R, 16), B), Part, Log, O, LSE, S, B, R);
}

}  // namespace

extern "C" {
int attend(const DLTensor* Qn_given, const DLTensor* Qr_given, const DLTensor* C_given,
           const DLTensor* Kr_given, const DLTensor* table_given, const DLTensor* lengths_given,
           DLTensor* Part_given, DLTensor* Log_given, int32_t page, int32_t pitch, int32_t queries,
           float scale, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"attend"};
    const tk::tensor Qn = call.take("Qn", Qn_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor Qr = call.take("Qr", Qr_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Kr = call.take("Kr", Kr_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor table = call.take("table", table_given, tk::dtype_i32, 2, tk::access::read);
    const tk::tensor lengths = call.take("lengths", lengths_given, tk::dtype_i32, 1,
                                         tk::access::read);
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Log = call.take("Log", Log_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Qn.shape[0];
    const int64_t R = Qn.shape[1];
    const int64_t L = C.shape[0];
    const int64_t MAXP = table.shape[1];
    const int64_t S = Part.shape[0];
    call.require({
        tk::fixed_extent(Qn, 2, 512), tk::same_extent("B", Qn, 0, Qr, 0),
        tk::same_extent("R", Qn, 1, Qr, 1), tk::fixed_extent(Qr, 2, 64),
        tk::fixed_extent(C, 1, 512), tk::same_extent("L", C, 0, Kr, 0), tk::fixed_extent(Kr, 1, 64),
        tk::same_extent("B", Qn, 0, table, 0), tk::same_extent("B", Qn, 0, lengths, 0),
        tk::same_extent("B", Qn, 0, Part, 1), tk::same_extent("R", Qn, 1, Part, 2),
        tk::fixed_extent(Part, 3, 512), tk::same_extent("S", Part, 0, Log, 0),
        tk::same_extent("B", Qn, 0, Log, 1), tk::same_extent("R", Qn, 1, Log, 2),
        tk::extents_fit({{"B", B}, {"R", R}, {"L", L}, {"MAXP", MAXP}, {"S", S}}),
        tk::that(1 <= int64_t{queries},
                 "`R%queries` divides by `queries`, which is {}: it must be at least 1",
                 {int64_t{queries}}), tk::fits("S*64", S * 64),
        tk::that(int64_t{queries} >= 1, "`attend` requires `queries >= 1`"),
        tk::that(tk::floor_mod(R, int64_t{queries}) == 0, "`attend` requires `R % queries == 0`"),
        tk::that(MAXP >= 1, "`attend` requires `MAXP >= 1`"),
        tk::that(int64_t{page} >= 1, "`attend` requires `page >= 1`"),
        tk::that(int64_t{pitch} >= 1, "`attend` requires `pitch >= 1`"),
        tk::that(L >= int64_t{page}, "`attend` requires `L >= page`"),
        tk::that(int64_t{page} % 64 == 0 || MAXP == 1,
                 "`attend` requires `page % PIECE == 0 or MAXP == 1`"),
        tk::that(scale > 0.0f, "`attend` requires `scale > 0`"),
        tk::that(0 < int64_t{queries}, "`queries` is at least 1, because `attend` divides by it"),
        tk::that(0 < int64_t{pitch}, "`pitch` is at least 1, because `attend` divides by it"),
        tk::that(0 < tk::larger(tk::floor_div(R, int64_t{queries}), 1),
                 "`max(R/queries, 1)` is at least 1, because `attend` divides by it"),
        tk::that(0 < S * 64, "`S*64` is at least 1, because `attend` divides by it"),
        tk::that(0 < int64_t{page}, "`page` is at least 1, because `attend` divides by it"),
        tk::suits_tma_load(Qn), tk::suits_tma_load(Qr), tk::suits_tma_load(C),
        tk::suits_tma_load(Kr), tk::grid_fits(tk::multiply(tk::ceil_div(R, 64), S), 2147418112),
        tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(R, 64), S), B), 2147418112),
        tk::that(-2147483648 <=
                 int64_t{queries} -
                 tk::ceil_div(R - 1 + 64, tk::larger(tk::floor_div(R, int64_t{queries}), 1)),
                 "`queries - ceil_div(m.start + 64, heads)` reaches {}; it must fit in 32 bits",
                 {int64_t{queries} -
                  tk::ceil_div(R - 1 + 64, tk::larger(tk::floor_div(R, int64_t{queries}), 1))}),
        tk::that(1 <= S * 64,
                 "`ceil_div(length, S*64)` divides by `S*64`, which is {}: it must be at least 1",
                 {S * 64}),
        tk::fits("ceil_div(length, S*64)*64",
                 tk::ceil_div(tk::multiply(MAXP, int64_t{page}), S * 64) * 64),
        tk::fits("s*chunk",
                 tk::multiply(S - 1, tk::ceil_div(tk::multiply(MAXP, int64_t{page}), S * 64) * 64)),
        tk::fits("(s + 1)*chunk",
                 tk::multiply(S - 1 + 1,
                              tk::ceil_div(tk::multiply(MAXP, int64_t{page}), S * 64) * 64)),
        tk::fits("min((s + 1)*chunk, length - unseen) + 63",
                 tk::smaller(
                     tk::multiply(S - 1 + 1,
                                  tk::ceil_div(tk::multiply(MAXP, int64_t{page}), S * 64) * 64),
                     tk::multiply(MAXP, int64_t{page}) -
                     tk::larger(int64_t{queries} -
                                tk::ceil_div(R - 1 + 64,
                                             tk::larger(tk::floor_div(R, int64_t{queries}), 1)),
                                0)) + 63),
        tk::that(1 <= int64_t{page},
                 "`j.start/page` divides by `page`, which is {}: it must be at least 1",
                 {int64_t{page}}),
        tk::fits("table[b, max(min(j.start/page, MAXP - 1), 0)]*pitch",
                 tk::larger(0,
                            tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                         int64_t{pitch}))),
        tk::that(-2147483648 <=
                 tk::smaller(0,
                             tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                          int64_t{pitch})),
                 "`table[b, max(min(j.start/page, MAXP - 1), 0)]*pitch` reaches {}; it must fit in 32 bits",
                 {
                     tk::smaller(0,
                                 tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                              int64_t{pitch}))}),
        tk::fits("table[b, max(min(j.start/page, MAXP - 1), 0)]*pitch + j.start%page",
                 tk::larger(0,
                            tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                         int64_t{pitch})) + (int64_t{page} - 1)),
        tk::fits("at + min(length - j.start, 64)",
                 tk::larger(0,
                            tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                         int64_t{pitch})) + (int64_t{page} - 1) +
                 tk::smaller(tk::multiply(MAXP, int64_t{page}), 64)),
        tk::that(-2147483648 <=
                 tk::smaller(0,
                             tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                          int64_t{pitch})) +
                 tk::smaller(0 -
                             (tk::smaller(
                                  tk::multiply(S - 1 + 1,
                                               tk::ceil_div(tk::multiply(MAXP, int64_t{page}),
                                                            S * 64) * 64),
                                  tk::multiply(MAXP, int64_t{page}) -
                                  tk::larger(int64_t{queries} -
                                             tk::ceil_div(R - 1 + 64,
                                                          tk::larger(
                                                              tk::floor_div(R, int64_t{queries}),
                                                              1)), 0)) - 1), 64),
                 "`at + min(length - j.start, 64)` reaches {}; it must fit in 32 bits",
                 {
                     tk::smaller(0,
                                 tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                              int64_t{pitch})) +
                     tk::smaller(0 -
                                 (tk::smaller(
                                      tk::multiply(S - 1 + 1,
                                                   tk::ceil_div(tk::multiply(MAXP, int64_t{page}),
                                                                S * 64) * 64),
                                      tk::multiply(MAXP, int64_t{page}) -
                                      tk::larger(int64_t{queries} -
                                                 tk::ceil_div(R - 1 + 64,
                                                              tk::larger(
                                                                  tk::floor_div(R,
                                                                                int64_t{queries}),
                                                                  1)), 0)) - 1), 64)}),
        tk::fits("j.start + 64",
                 tk::smaller(
                     tk::multiply(S - 1 + 1,
                                  tk::ceil_div(tk::multiply(MAXP, int64_t{page}), S * 64) * 64),
                     tk::multiply(MAXP, int64_t{page}) -
                     tk::larger(int64_t{queries} -
                                tk::ceil_div(R - 1 + 64,
                                             tk::larger(tk::floor_div(R, int64_t{queries}), 1)),
                                0)) - 1 + 64),
        tk::fits("length - queries", tk::multiply(MAXP, int64_t{page}) - int64_t{queries}),
        tk::fits("length - queries + 1", tk::multiply(MAXP, int64_t{page}) - int64_t{queries} + 1),
        tk::fits("j.start + col_index",
                 tk::smaller(
                     tk::multiply(S - 1 + 1,
                                  tk::ceil_div(tk::multiply(MAXP, int64_t{page}), S * 64) * 64),
                     tk::multiply(MAXP, int64_t{page}) -
                     tk::larger(int64_t{queries} -
                                tk::ceil_div(R - 1 + 64,
                                             tk::larger(tk::floor_div(R, int64_t{queries}), 1)),
                                0)) - 1 + 262143),
        tk::fits("length - queries + (m.start + row_index)/heads",
                 tk::multiply(MAXP, int64_t{page}) - int64_t{queries} +
                 tk::floor_div(R - 1 + 262143,
                               tk::larger(tk::floor_div(R, int64_t{queries}), 1)))});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<attend_kernel>(
        site, sizeof(attend_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(R, 64), S), B), tk::box{Qn, {1, 64, 64}, 128},
        tk::box{Qr, {1, 64, 64}, 128}, tk::box{C, {64, 64}, 128}, tk::box{Kr, {64, 64}, 128}, table,
        lengths, Part, Log, B, R, MAXP, S, page, pitch, queries, scale));
}
TK_NO_WORKSPACE(attend, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, int32_t, int32_t, int32_t,
                float)

int attend_few(const DLTensor* Qn_given, const DLTensor* Qr_given, const DLTensor* C_given,
               const DLTensor* Kr_given, const DLTensor* table_given, const DLTensor* lengths_given,
               DLTensor* Part_given, DLTensor* Log_given, int32_t page, int32_t pitch,
               int32_t queries, float scale, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"attend_few"};
    const tk::tensor Qn = call.take("Qn", Qn_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor Qr = call.take("Qr", Qr_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Kr = call.take("Kr", Kr_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor table = call.take("table", table_given, tk::dtype_i32, 2, tk::access::read);
    const tk::tensor lengths = call.take("lengths", lengths_given, tk::dtype_i32, 1,
                                         tk::access::read);
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Log = call.take("Log", Log_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Qn.shape[0];
    const int64_t R = Qn.shape[1];
    const int64_t L = C.shape[0];
    const int64_t MAXP = table.shape[1];
    const int64_t S = Part.shape[0];
    call.require({
        tk::fixed_extent(Qn, 2, 512), tk::same_extent("B", Qn, 0, Qr, 0),
        tk::same_extent("R", Qn, 1, Qr, 1), tk::fixed_extent(Qr, 2, 64),
        tk::fixed_extent(C, 1, 512), tk::same_extent("L", C, 0, Kr, 0), tk::fixed_extent(Kr, 1, 64),
        tk::same_extent("B", Qn, 0, table, 0), tk::same_extent("B", Qn, 0, lengths, 0),
        tk::same_extent("B", Qn, 0, Part, 1), tk::fixed_extent(Part, 2, 512),
        tk::same_extent("R", Qn, 1, Part, 3), tk::same_extent("S", Part, 0, Log, 0),
        tk::same_extent("B", Qn, 0, Log, 1), tk::same_extent("R", Qn, 1, Log, 2),
        tk::extents_fit({{"B", B}, {"R", R}, {"L", L}, {"MAXP", MAXP}, {"S", S}}),
        tk::that(1 <= int64_t{queries},
                 "`R%queries` divides by `queries`, which is {}: it must be at least 1",
                 {int64_t{queries}}), tk::fits("S*64", S * 64),
        tk::that(int64_t{queries} >= 1, "`attend_few` requires `queries >= 1`"),
        tk::that(tk::floor_mod(R, int64_t{queries}) == 0,
                 "`attend_few` requires `R % queries == 0`"),
        tk::that(MAXP >= 1, "`attend_few` requires `MAXP >= 1`"),
        tk::that(int64_t{page} >= 1, "`attend_few` requires `page >= 1`"),
        tk::that(int64_t{pitch} >= 1, "`attend_few` requires `pitch >= 1`"),
        tk::that(L >= int64_t{page}, "`attend_few` requires `L >= page`"),
        tk::that(int64_t{page} % 64 == 0 || MAXP == 1,
                 "`attend_few` requires `page % PIECE == 0 or MAXP == 1`"),
        tk::that(scale > 0.0f, "`attend_few` requires `scale > 0`"),
        tk::that(0 < int64_t{queries},
                 "`queries` is at least 1, because `attend_few` divides by it"),
        tk::that(0 < int64_t{pitch}, "`pitch` is at least 1, because `attend_few` divides by it"),
        tk::that(0 < S * 64, "`S*64` is at least 1, because `attend_few` divides by it"),
        tk::that(0 < int64_t{page}, "`page` is at least 1, because `attend_few` divides by it"),
        tk::suits_tma_load(Qn), tk::suits_tma_load(Qr), tk::suits_tma_load(C),
        tk::suits_tma_load(Kr), tk::grid_fits(tk::multiply(tk::ceil_div(R, 16), S), 2147418112),
        tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(R, 16), S), B), 2147418112),
        tk::that(1 <= S * 64,
                 "`ceil_div(length, S*64)` divides by `S*64`, which is {}: it must be at least 1",
                 {S * 64}),
        tk::fits("ceil_div(length, S*64)*64",
                 tk::ceil_div(tk::multiply(MAXP, int64_t{page}), S * 64) * 64),
        tk::fits("s*chunk",
                 tk::multiply(S - 1, tk::ceil_div(tk::multiply(MAXP, int64_t{page}), S * 64) * 64)),
        tk::fits("(s + 1)*chunk",
                 tk::multiply(S - 1 + 1,
                              tk::ceil_div(tk::multiply(MAXP, int64_t{page}), S * 64) * 64)),
        tk::fits("min((s + 1)*chunk, length) + 63",
                 tk::smaller(
                     tk::multiply(S - 1 + 1,
                                  tk::ceil_div(tk::multiply(MAXP, int64_t{page}), S * 64) * 64),
                     tk::multiply(MAXP, int64_t{page})) + 63),
        tk::that(1 <= int64_t{page},
                 "`j.start/page` divides by `page`, which is {}: it must be at least 1",
                 {int64_t{page}}),
        tk::fits("table[b, max(min(j.start/page, MAXP - 1), 0)]*pitch",
                 tk::larger(0,
                            tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                         int64_t{pitch}))),
        tk::that(-2147483648 <=
                 tk::smaller(0,
                             tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                          int64_t{pitch})),
                 "`table[b, max(min(j.start/page, MAXP - 1), 0)]*pitch` reaches {}; it must fit in 32 bits",
                 {
                     tk::smaller(0,
                                 tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                              int64_t{pitch}))}),
        tk::fits("table[b, max(min(j.start/page, MAXP - 1), 0)]*pitch + j.start%page",
                 tk::larger(0,
                            tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                         int64_t{pitch})) + (int64_t{page} - 1)),
        tk::fits("at + min(length - j.start, 64)",
                 tk::larger(0,
                            tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                         int64_t{pitch})) + (int64_t{page} - 1) +
                 tk::smaller(tk::multiply(MAXP, int64_t{page}), 64)),
        tk::that(-2147483648 <=
                 tk::smaller(0,
                             tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                          int64_t{pitch})) +
                 tk::smaller(0 -
                             (tk::smaller(
                                  tk::multiply(S - 1 + 1,
                                               tk::ceil_div(tk::multiply(MAXP, int64_t{page}),
                                                            S * 64) * 64),
                                  tk::multiply(MAXP, int64_t{page})) - 1), 64),
                 "`at + min(length - j.start, 64)` reaches {}; it must fit in 32 bits",
                 {
                     tk::smaller(0,
                                 tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                              int64_t{pitch})) +
                     tk::smaller(0 -
                                 (tk::smaller(
                                      tk::multiply(S - 1 + 1,
                                                   tk::ceil_div(tk::multiply(MAXP, int64_t{page}),
                                                                S * 64) * 64),
                                      tk::multiply(MAXP, int64_t{page})) - 1), 64)}),
        tk::fits("j.start + 64",
                 tk::smaller(
                     tk::multiply(S - 1 + 1,
                                  tk::ceil_div(tk::multiply(MAXP, int64_t{page}), S * 64) * 64),
                     tk::multiply(MAXP, int64_t{page})) - 1 + 64),
        tk::fits("length - queries", tk::multiply(MAXP, int64_t{page}) - int64_t{queries}),
        tk::fits("length - queries + 1", tk::multiply(MAXP, int64_t{page}) - int64_t{queries} + 1),
        tk::fits("j.start + row_index",
                 tk::smaller(
                     tk::multiply(S - 1 + 1,
                                  tk::ceil_div(tk::multiply(MAXP, int64_t{page}), S * 64) * 64),
                     tk::multiply(MAXP, int64_t{page})) - 1 + 262143),
        tk::fits("length - queries + (m.start + col_index)/heads",
                 tk::multiply(MAXP, int64_t{page}) - int64_t{queries} +
                 tk::floor_div(R - 1 + 262143,
                               tk::larger(tk::floor_div(R, int64_t{queries}), 1)))});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<attend_few_kernel>(
        site, sizeof(attend_few_shared), tk::kernel_shape(256).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(R, 16), S), B), tk::box{Qn, {1, 16, 64}, 128},
        tk::box{Qr, {1, 16, 64}, 128}, tk::box{C, {64, 64}, 128}, tk::box{Kr, {64, 64}, 128}, table,
        lengths, Part, Log, B, R, MAXP, S, page, pitch, queries, scale));
}
TK_NO_WORKSPACE(attend_few, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, int32_t, int32_t, int32_t,
                float)

int combine(const DLTensor* Part_given, const DLTensor* Log_given, DLTensor* O_given,
            DLTensor* LSE_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"combine"};
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor Log = call.take("Log", Log_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 3, tk::access::write);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t S = Part.shape[0];
    const int64_t B = Part.shape[1];
    const int64_t R = Part.shape[2];
    call.require(
        {tk::fixed_extent(Part, 3, 512), tk::same_extent("S", Part, 0, Log, 0),
         tk::same_extent("B", Part, 1, Log, 1), tk::same_extent("R", Part, 2, Log, 2),
         tk::same_extent("B", Part, 1, O, 0), tk::same_extent("R", Part, 2, O, 1),
         tk::fixed_extent(O, 2, 512), tk::same_extent("B", Part, 1, LSE, 0),
         tk::same_extent("R", Part, 2, LSE, 1), tk::extents_fit({{"S", S}, {"B", B}, {"R", R}}),
         tk::grid_fits(tk::multiply(R, B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast = tk::hold({tk::suits_fast(Part), tk::suits_fast(O)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<combine_kernel<10, 8, true>, combine_kernel<1, 4, false>>(
        fast ? 0 : 1, site, sizeof(combine_shared), tk::kernel_shape(64).overlapping(),
        tk::multiply(R, B), Part, Log, O, LSE, S, B, R));
}
TK_NO_WORKSPACE(combine, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*)

int combine_few(const DLTensor* Part_given, const DLTensor* Log_given, DLTensor* O_given,
                DLTensor* LSE_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"combine_few"};
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor Log = call.take("Log", Log_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 3, tk::access::write);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t S = Part.shape[0];
    const int64_t B = Part.shape[1];
    const int64_t R = Part.shape[3];
    call.require(
        {tk::fixed_extent(Part, 2, 512), tk::same_extent("S", Part, 0, Log, 0),
         tk::same_extent("B", Part, 1, Log, 1), tk::same_extent("R", Part, 3, Log, 2),
         tk::same_extent("B", Part, 1, O, 0), tk::same_extent("R", Part, 3, O, 1),
         tk::fixed_extent(O, 2, 512), tk::same_extent("B", Part, 1, LSE, 0),
         tk::same_extent("R", Part, 3, LSE, 1), tk::extents_fit({{"S", S}, {"B", B}, {"R", R}}),
         tk::that(S >= 1, "`combine_few` requires `S >= 1`"),
         tk::grid_fits(tk::multiply(16 * tk::ceil_div(R, 16), B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(16 * tk::ceil_div(R, 16), B);
    const bool fast = tk::hold(
        {tk::suits_fast(Part, "R"), tk::whole_vectors(Part, 8), tk::suits_fast(Log, "R"),
         tk::suits_fast(O), tk::suits_fast(LSE, "R")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(tk::run<combine_few_kernel>(
            site, sizeof(combine_few_shared), tk::kernel_shape(128).overlapping(), programs, Part,
            Log, O, LSE, S, B, R));
    }
    return tk::finish(tk::run<combine_few_general_kernel>(
        site, sizeof(combine_few_general_shared), tk::kernel_shape(128).overlapping(), programs,
        Part, Log, O, LSE, S, B, R));
}
TK_NO_WORKSPACE(combine_few, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*)

int mla_decode(const DLTensor* Qn_given, const DLTensor* Qr_given, const DLTensor* C_given,
               const DLTensor* Kr_given, const DLTensor* table_given, const DLTensor* lengths_given,
               DLTensor* O_given, DLTensor* LSE_given, DLTensor* Part_given, DLTensor* Log_given,
               int32_t page, int32_t pitch, int32_t splits, int32_t queries, float scale, void*,
               size_t, cudaStream_t stream) {
    tk::arguments call{"mla_decode"};
    const tk::tensor Qn = call.take("Qn", Qn_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor Qr = call.take("Qr", Qr_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Kr = call.take("Kr", Kr_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor table = call.take("table", table_given, tk::dtype_i32, 2, tk::access::read);
    const tk::tensor lengths = call.take("lengths", lengths_given, tk::dtype_i32, 1,
                                         tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 3, tk::access::write);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 2, tk::access::write);
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Log = call.take("Log", Log_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Qn.shape[0];
    const int64_t R = Qn.shape[1];
    const int64_t L = C.shape[0];
    const int64_t MAXP = table.shape[1];
    call.require({
        tk::fixed_extent(Qn, 2, 512), tk::same_extent("B", Qn, 0, Qr, 0),
        tk::same_extent("R", Qn, 1, Qr, 1), tk::fixed_extent(Qr, 2, 64),
        tk::fixed_extent(C, 1, 512), tk::same_extent("L", C, 0, Kr, 0), tk::fixed_extent(Kr, 1, 64),
        tk::same_extent("B", Qn, 0, table, 0), tk::same_extent("B", Qn, 0, lengths, 0),
        tk::same_extent("B", Qn, 0, O, 0), tk::same_extent("R", Qn, 1, O, 1),
        tk::fixed_extent(O, 2, 512), tk::same_extent("B", Qn, 0, LSE, 0),
        tk::same_extent("R", Qn, 1, LSE, 1), tk::same_extent("B", Qn, 0, Part, 1),
        tk::same_extent("R", Qn, 1, Part, 2), tk::fixed_extent(Part, 3, 512),
        tk::same_extent("B", Qn, 0, Log, 1), tk::same_extent("R", Qn, 1, Log, 2),
        tk::extents_fit({{"B", B}, {"R", R}, {"L", L}, {"MAXP", MAXP}}),
        tk::that(Part.shape[0] == int64_t{splits},
                 "axis 0 of `Part` is {}; it must be `splits`, which is {}",
                 {Part.shape[0], int64_t{splits}}),
        tk::that(Log.shape[0] == int64_t{splits},
                 "axis 0 of `Log` is {}; it must be `splits`, which is {}",
                 {Log.shape[0], int64_t{splits}}),
        tk::that(1 <= int64_t{queries},
                 "`R%queries` divides by `queries`, which is {}: it must be at least 1",
                 {int64_t{queries}}),
        tk::that(int64_t{splits} >= 1, "`mla_decode` requires `splits >= 1`"),
        tk::that(int64_t{queries} >= 1, "`mla_decode` requires `queries >= 1`"),
        tk::that(tk::floor_mod(R, int64_t{queries}) == 0,
                 "`mla_decode` requires `R % queries == 0`"),
        tk::that(MAXP >= 1, "`mla_decode` requires `MAXP >= 1`"),
        tk::that(int64_t{page} >= 1, "`mla_decode` requires `page >= 1`"),
        tk::that(int64_t{pitch} >= 1, "`mla_decode` requires `pitch >= 1`"),
        tk::that(L >= int64_t{page}, "`mla_decode` requires `L >= page`"),
        tk::that(int64_t{page} % 64 == 0 || MAXP == 1,
                 "`mla_decode` requires `page % PIECE == 0 or MAXP == 1`"),
        tk::that(scale > 0.0f, "`mla_decode` requires `scale > 0`"),
        tk::that(0 < int64_t{queries},
                 "`queries` is at least 1, because `mla_decode` divides by it")});
    // attend(Qn, Qr, C, Kr, table, lengths, Part, Log, page, pitch, queries, scale)
    call.require({
        tk::that(int64_t{splits} < 2147221504,
                 "`splits` is {}; extents must be less than 2147221504", {int64_t{splits}}),
        tk::fits("splits*64", int64_t{splits} * 64),
        tk::that(0 < int64_t{pitch}, "`pitch` is at least 1, because `attend` divides by it"),
        tk::that(0 < tk::larger(tk::floor_div(R, int64_t{queries}), 1),
                 "`max(R/queries, 1)` is at least 1, because `attend` divides by it"),
        tk::that(0 < int64_t{splits} * 64,
                 "`splits*64` is at least 1, because `attend` divides by it"),
        tk::that(0 < int64_t{page}, "`page` is at least 1, because `attend` divides by it"),
        tk::suits_tma_load(Qn), tk::suits_tma_load(Qr), tk::suits_tma_load(C),
        tk::suits_tma_load(Kr),
        tk::grid_fits(tk::multiply(tk::ceil_div(R, 64), int64_t{splits}), 2147418112),
        tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(R, 64), int64_t{splits}), B),
                      2147418112),
        tk::that(-2147483648 <=
                 int64_t{queries} -
                 tk::ceil_div(R - 1 + 64, tk::larger(tk::floor_div(R, int64_t{queries}), 1)),
                 "`queries - ceil_div(m.start + 64, heads)` reaches {}; it must fit in 32 bits",
                 {int64_t{queries} -
                  tk::ceil_div(R - 1 + 64, tk::larger(tk::floor_div(R, int64_t{queries}), 1))}),
        tk::that(1 <= int64_t{splits} * 64,
                 "`ceil_div(length, splits*64)` divides by `splits*64`, which is {}: it must be at least 1",
                 {int64_t{splits} * 64}),
        tk::fits("ceil_div(length, splits*64)*64",
                 tk::ceil_div(tk::multiply(MAXP, int64_t{page}), int64_t{splits} * 64) * 64),
        tk::fits("s*chunk",
                 tk::multiply(int64_t{splits} - 1,
                              tk::ceil_div(tk::multiply(MAXP, int64_t{page}),
                                           int64_t{splits} * 64) * 64)),
        tk::fits("(s + 1)*chunk",
                 tk::multiply(int64_t{splits} - 1 + 1,
                              tk::ceil_div(tk::multiply(MAXP, int64_t{page}),
                                           int64_t{splits} * 64) * 64)),
        tk::fits("min((s + 1)*chunk, length - unseen) + 63",
                 tk::smaller(
                     tk::multiply(int64_t{splits} - 1 + 1,
                                  tk::ceil_div(tk::multiply(MAXP, int64_t{page}),
                                               int64_t{splits} * 64) * 64),
                     tk::multiply(MAXP, int64_t{page}) -
                     tk::larger(int64_t{queries} -
                                tk::ceil_div(R - 1 + 64,
                                             tk::larger(tk::floor_div(R, int64_t{queries}), 1)),
                                0)) + 63),
        tk::that(1 <= int64_t{page},
                 "`j.start/page` divides by `page`, which is {}: it must be at least 1",
                 {int64_t{page}}),
        tk::fits("table[b, max(min(j.start/page, MAXP - 1), 0)]*pitch",
                 tk::larger(0,
                            tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                         int64_t{pitch}))),
        tk::that(-2147483648 <=
                 tk::smaller(0,
                             tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                          int64_t{pitch})),
                 "`table[b, max(min(j.start/page, MAXP - 1), 0)]*pitch` reaches {}; it must fit in 32 bits",
                 {
                     tk::smaller(0,
                                 tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                              int64_t{pitch}))}),
        tk::fits("table[b, max(min(j.start/page, MAXP - 1), 0)]*pitch + j.start%page",
                 tk::larger(0,
                            tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                         int64_t{pitch})) + (int64_t{page} - 1)),
        tk::fits("at + min(length - j.start, 64)",
                 tk::larger(0,
                            tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                         int64_t{pitch})) + (int64_t{page} - 1) +
                 tk::smaller(tk::multiply(MAXP, int64_t{page}), 64)),
        tk::that(-2147483648 <=
                 tk::smaller(0,
                             tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                          int64_t{pitch})) +
                 tk::smaller(0 -
                             (tk::smaller(
                                  tk::multiply(int64_t{splits} - 1 + 1,
                                               tk::ceil_div(tk::multiply(MAXP, int64_t{page}),
                                                            int64_t{splits} * 64) * 64),
                                  tk::multiply(MAXP, int64_t{page}) -
                                  tk::larger(int64_t{queries} -
                                             tk::ceil_div(R - 1 + 64,
                                                          tk::larger(
                                                              tk::floor_div(R, int64_t{queries}),
                                                              1)), 0)) - 1), 64),
                 "`at + min(length - j.start, 64)` reaches {}; it must fit in 32 bits",
                 {
                     tk::smaller(0,
                                 tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                              int64_t{pitch})) +
                     tk::smaller(0 -
                                 (tk::smaller(
                                      tk::multiply(int64_t{splits} - 1 + 1,
                                                   tk::ceil_div(tk::multiply(MAXP, int64_t{page}),
                                                                int64_t{splits} * 64) * 64),
                                      tk::multiply(MAXP, int64_t{page}) -
                                      tk::larger(int64_t{queries} -
                                                 tk::ceil_div(R - 1 + 64,
                                                              tk::larger(
                                                                  tk::floor_div(R,
                                                                                int64_t{queries}),
                                                                  1)), 0)) - 1), 64)}),
        tk::fits("j.start + 64",
                 tk::smaller(
                     tk::multiply(int64_t{splits} - 1 + 1,
                                  tk::ceil_div(tk::multiply(MAXP, int64_t{page}),
                                               int64_t{splits} * 64) * 64),
                     tk::multiply(MAXP, int64_t{page}) -
                     tk::larger(int64_t{queries} -
                                tk::ceil_div(R - 1 + 64,
                                             tk::larger(tk::floor_div(R, int64_t{queries}), 1)),
                                0)) - 1 + 64),
        tk::fits("length - queries", tk::multiply(MAXP, int64_t{page}) - int64_t{queries}),
        tk::fits("length - queries + 1", tk::multiply(MAXP, int64_t{page}) - int64_t{queries} + 1),
        tk::fits("j.start + col_index",
                 tk::smaller(
                     tk::multiply(int64_t{splits} - 1 + 1,
                                  tk::ceil_div(tk::multiply(MAXP, int64_t{page}),
                                               int64_t{splits} * 64) * 64),
                     tk::multiply(MAXP, int64_t{page}) -
                     tk::larger(int64_t{queries} -
                                tk::ceil_div(R - 1 + 64,
                                             tk::larger(tk::floor_div(R, int64_t{queries}), 1)),
                                0)) - 1 + 262143),
        tk::fits("length - queries + (m.start + row_index)/heads",
                 tk::multiply(MAXP, int64_t{page}) - int64_t{queries} +
                 tk::floor_div(R - 1 + 262143,
                               tk::larger(tk::floor_div(R, int64_t{queries}), 1)))});
    // combine(Part, Log, O, LSE)
    call.require({tk::grid_fits(tk::multiply(R, B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());

    // combine(Part, Log, O, LSE)
    const bool choice_2 = tk::hold({tk::suits_fast(Part), tk::suits_fast(O)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    TK_FINISH_IF_FAILED(
        launch_attend(site, Qn, Qr, C, Kr, table, lengths, Part, Log, B, R, MAXP, int64_t{splits},
                      page, pitch, queries, scale));
    if (choice_2) {
        TK_FINISH_IF_FAILED(launch_combine(
            site, tk::read_only(Part), tk::read_only(Log), O, LSE, int64_t{splits}, B, R));
    } else {
        TK_FINISH_IF_FAILED(launch_combine_general(
            site, tk::read_only(Part), tk::read_only(Log), O, LSE, int64_t{splits}, B, R));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(mla_decode, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                int32_t, int32_t, int32_t, int32_t, float)

int mla_decode_whole(const DLTensor* Qn_given, const DLTensor* Qr_given, const DLTensor* C_given,
                     const DLTensor* Kr_given, const DLTensor* table_given,
                     const DLTensor* lengths_given, DLTensor* O_given, DLTensor* LSE_given,
                     int32_t page, int32_t pitch, int32_t queries, float scale, void*, size_t,
                     cudaStream_t stream) {
    tk::arguments call{"mla_decode_whole"};
    const tk::tensor Qn = call.take("Qn", Qn_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor Qr = call.take("Qr", Qr_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Kr = call.take("Kr", Kr_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor table = call.take("table", table_given, tk::dtype_i32, 2, tk::access::read);
    const tk::tensor lengths = call.take("lengths", lengths_given, tk::dtype_i32, 1,
                                         tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Qn.shape[0];
    const int64_t R = Qn.shape[1];
    const int64_t L = C.shape[0];
    const int64_t MAXP = table.shape[1];
    call.require({
        tk::fixed_extent(Qn, 2, 512), tk::same_extent("B", Qn, 0, Qr, 0),
        tk::same_extent("R", Qn, 1, Qr, 1), tk::fixed_extent(Qr, 2, 64),
        tk::fixed_extent(C, 1, 512), tk::same_extent("L", C, 0, Kr, 0), tk::fixed_extent(Kr, 1, 64),
        tk::same_extent("B", Qn, 0, table, 0), tk::same_extent("B", Qn, 0, lengths, 0),
        tk::fixed_extent(O, 0, 1), tk::same_extent("B", Qn, 0, O, 1),
        tk::same_extent("R", Qn, 1, O, 2), tk::fixed_extent(O, 3, 512), tk::fixed_extent(LSE, 0, 1),
        tk::same_extent("B", Qn, 0, LSE, 1), tk::same_extent("R", Qn, 1, LSE, 2),
        tk::extents_fit({{"B", B}, {"R", R}, {"L", L}, {"MAXP", MAXP}}),
        tk::that(1 <= int64_t{queries},
                 "`R%queries` divides by `queries`, which is {}: it must be at least 1",
                 {int64_t{queries}}),
        tk::that(int64_t{queries} >= 1, "`mla_decode_whole` requires `queries >= 1`"),
        tk::that(tk::floor_mod(R, int64_t{queries}) == 0,
                 "`mla_decode_whole` requires `R % queries == 0`"),
        tk::that(MAXP >= 1, "`mla_decode_whole` requires `MAXP >= 1`"),
        tk::that(int64_t{page} >= 1, "`mla_decode_whole` requires `page >= 1`"),
        tk::that(int64_t{pitch} >= 1, "`mla_decode_whole` requires `pitch >= 1`"),
        tk::that(L >= int64_t{page}, "`mla_decode_whole` requires `L >= page`"),
        tk::that(int64_t{page} % 64 == 0 || MAXP == 1,
                 "`mla_decode_whole` requires `page % PIECE == 0 or MAXP == 1`"),
        tk::that(scale > 0.0f, "`mla_decode_whole` requires `scale > 0`"),
        tk::that(0 < int64_t{queries},
                 "`queries` is at least 1, because `mla_decode_whole` divides by it")});
    // attend(Qn, Qr, C, Kr, table, lengths, O, LSE, page, pitch, queries, scale)
    call.require(
        {tk::that(0 < int64_t{pitch}, "`pitch` is at least 1, because `attend` divides by it"),
         tk::that(0 < tk::larger(tk::floor_div(R, int64_t{queries}), 1),
                  "`max(R/queries, 1)` is at least 1, because `attend` divides by it"),
         tk::that(0 < int64_t{page}, "`page` is at least 1, because `attend` divides by it"),
         tk::grid_fits(tk::ceil_div(R, 64), 2147418112),
         tk::grid_fits(tk::multiply(tk::ceil_div(R, 64), B), 2147418112),
         tk::that(-2147483648 <=
                  int64_t{queries} -
                  tk::ceil_div(R - 1 + 64, tk::larger(tk::floor_div(R, int64_t{queries}), 1)),
                  "`queries - ceil_div(m.start + 64, heads)` reaches {}; it must fit in 32 bits",
                  {int64_t{queries} -
                   tk::ceil_div(R - 1 + 64, tk::larger(tk::floor_div(R, int64_t{queries}), 1))}),
         tk::fits("ceil_div(length, 1*64)*64",
                  tk::ceil_div(tk::multiply(MAXP, int64_t{page}), 64) * 64),
         tk::fits("min((s + 1)*chunk, length - unseen) + 63",
                  tk::smaller(tk::ceil_div(tk::multiply(MAXP, int64_t{page}), 64) * 64,
                              tk::multiply(MAXP, int64_t{page}) -
                              tk::larger(int64_t{queries} -
                                         tk::ceil_div(R - 1 + 64,
                                                      tk::larger(tk::floor_div(R, int64_t{queries}),
                                                                 1)), 0)) + 63),
         tk::that(1 <= int64_t{page},
                  "`j.start/page` divides by `page`, which is {}: it must be at least 1",
                  {int64_t{page}}),
         tk::fits("table[b, max(min(j.start/page, MAXP - 1), 0)]*pitch",
                  tk::larger(0,
                             tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                          int64_t{pitch}))),
         tk::that(-2147483648 <=
                  tk::smaller(0,
                              tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                           int64_t{pitch})),
                  "`table[b, max(min(j.start/page, MAXP - 1), 0)]*pitch` reaches {}; it must fit in 32 bits",
                  {
                      tk::smaller(0,
                                  tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                               int64_t{pitch}))}),
         tk::fits("table[b, max(min(j.start/page, MAXP - 1), 0)]*pitch + j.start%page",
                  tk::larger(0,
                             tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                          int64_t{pitch})) + (int64_t{page} - 1)),
         tk::fits("at + min(length - j.start, 64)",
                  tk::larger(0,
                             tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                          int64_t{pitch})) + (int64_t{page} - 1) +
                  tk::smaller(tk::multiply(MAXP, int64_t{page}), 64)),
         tk::that(-2147483648 <=
                  tk::smaller(0,
                              tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                           int64_t{pitch})) +
                  tk::smaller(0 -
                              (tk::smaller(tk::ceil_div(tk::multiply(MAXP, int64_t{page}), 64) * 64,
                                           tk::multiply(MAXP, int64_t{page}) -
                                           tk::larger(int64_t{queries} -
                                                      tk::ceil_div(R - 1 + 64,
                                                                   tk::larger(
                                                                       tk::floor_div(R,
                                                                                     int64_t{
                                                                                         queries}),
                                                                       1)), 0)) - 1), 64),
                  "`at + min(length - j.start, 64)` reaches {}; it must fit in 32 bits",
                  {
                      tk::smaller(0,
                                  tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                               int64_t{pitch})) +
                      tk::smaller(0 -
                                  (tk::smaller(tk::ceil_div(tk::multiply(MAXP, int64_t{page}), 64) *
                                               64,
                                               tk::multiply(MAXP, int64_t{page}) -
                                               tk::larger(int64_t{queries} -
                                                          tk::ceil_div(R - 1 + 64,
                                                                       tk::larger(
                                                                           tk::floor_div(R,
                                                                                         int64_t{
                                                                                             queries}),
                                                                           1)), 0)) - 1), 64)}),
         tk::fits("j.start + 64",
                  tk::smaller(tk::ceil_div(tk::multiply(MAXP, int64_t{page}), 64) * 64,
                              tk::multiply(MAXP, int64_t{page}) -
                              tk::larger(int64_t{queries} -
                                         tk::ceil_div(R - 1 + 64,
                                                      tk::larger(tk::floor_div(R, int64_t{queries}),
                                                                 1)), 0)) - 1 + 64),
         tk::fits("length - queries", tk::multiply(MAXP, int64_t{page}) - int64_t{queries}),
         tk::fits("length - queries + 1", tk::multiply(MAXP, int64_t{page}) - int64_t{queries} + 1),
         tk::fits("j.start + col_index",
                  tk::smaller(tk::ceil_div(tk::multiply(MAXP, int64_t{page}), 64) * 64,
                              tk::multiply(MAXP, int64_t{page}) -
                              tk::larger(int64_t{queries} -
                                         tk::ceil_div(R - 1 + 64,
                                                      tk::larger(tk::floor_div(R, int64_t{queries}),
                                                                 1)), 0)) - 1 + 262143),
         tk::fits("length - queries + (m.start + row_index)/heads",
                  tk::multiply(MAXP, int64_t{page}) - int64_t{queries} +
                  tk::floor_div(R - 1 + 262143,
                                tk::larger(tk::floor_div(R, int64_t{queries}), 1)))});
    if (!call.ok()) return tk::finish(call.result());

    // attend(Qn, Qr, C, Kr, table, lengths, O, LSE, page, pitch, queries, scale)
    tk::selection choice_1{call};
    choice_1.candidate();  // attend_T_bf16_DV_512_DR_64_PAGED_true_PIECE_64_PART_bf16_CM_1
    choice_1.prefer(
        {tk::suits_fast(Qn), tk::suits_fast(Qr), tk::suits_fast(C), tk::suits_fast(Kr),
         tk::suits_fast(O)});
    choice_1.offer();
    // attend_T_bf16_DV_512_DR_64_PAGED_true_PIECE_64_PART_bf16_CM_1_general
    choice_1.candidate(true);
    choice_1.require(
        {tk::suits_tma_load(Qn), tk::suits_tma_load(Qr), tk::suits_tma_load(C),
         tk::suits_tma_load(Kr)});
    choice_1.offer();
    if (!choice_1.ok()) return tk::finish(choice_1.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1.best(site) == 0) {
        TK_FINISH_IF_FAILED(launch_attend_T_bf16_DV_512_DR_64_PAGED_true_PIECE_64_PART_bf16_CM_1(
            site, Qn, Qr, C, Kr, table, lengths, O, LSE, B, R, MAXP, 1, page, pitch, queries,
            scale));
    }
    if (choice_1.best(site) == 1) {
        TK_FINISH_IF_FAILED(
            launch_attend_T_bf16_DV_512_DR_64_PAGED_true_PIECE_64_PART_bf16_CM_1_general(
                site, Qn, Qr, C, Kr, table, lengths, O, LSE, B, R, MAXP, 1, page, pitch, queries,
                scale));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(mla_decode_whole, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, int32_t,
                int32_t, int32_t, float)

int mla_decode_few(const DLTensor* Qn_given, const DLTensor* Qr_given, const DLTensor* C_given,
                   const DLTensor* Kr_given, const DLTensor* table_given,
                   const DLTensor* lengths_given, DLTensor* O_given, DLTensor* LSE_given,
                   DLTensor* Part_given, DLTensor* Log_given, int32_t page, int32_t pitch,
                   int32_t splits, int32_t queries, float scale, void*, size_t,
                   cudaStream_t stream) {
    tk::arguments call{"mla_decode_few"};
    const tk::tensor Qn = call.take("Qn", Qn_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor Qr = call.take("Qr", Qr_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Kr = call.take("Kr", Kr_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor table = call.take("table", table_given, tk::dtype_i32, 2, tk::access::read);
    const tk::tensor lengths = call.take("lengths", lengths_given, tk::dtype_i32, 1,
                                         tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 3, tk::access::write);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 2, tk::access::write);
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Log = call.take("Log", Log_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Qn.shape[0];
    const int64_t R = Qn.shape[1];
    const int64_t L = C.shape[0];
    const int64_t MAXP = table.shape[1];
    call.require({
        tk::fixed_extent(Qn, 2, 512), tk::same_extent("B", Qn, 0, Qr, 0),
        tk::same_extent("R", Qn, 1, Qr, 1), tk::fixed_extent(Qr, 2, 64),
        tk::fixed_extent(C, 1, 512), tk::same_extent("L", C, 0, Kr, 0), tk::fixed_extent(Kr, 1, 64),
        tk::same_extent("B", Qn, 0, table, 0), tk::same_extent("B", Qn, 0, lengths, 0),
        tk::same_extent("B", Qn, 0, O, 0), tk::same_extent("R", Qn, 1, O, 1),
        tk::fixed_extent(O, 2, 512), tk::same_extent("B", Qn, 0, LSE, 0),
        tk::same_extent("R", Qn, 1, LSE, 1), tk::same_extent("B", Qn, 0, Part, 1),
        tk::fixed_extent(Part, 2, 512), tk::same_extent("R", Qn, 1, Part, 3),
        tk::same_extent("B", Qn, 0, Log, 1), tk::same_extent("R", Qn, 1, Log, 2),
        tk::extents_fit({{"B", B}, {"R", R}, {"L", L}, {"MAXP", MAXP}}),
        tk::that(Part.shape[0] == int64_t{splits},
                 "axis 0 of `Part` is {}; it must be `splits`, which is {}",
                 {Part.shape[0], int64_t{splits}}),
        tk::that(Log.shape[0] == int64_t{splits},
                 "axis 0 of `Log` is {}; it must be `splits`, which is {}",
                 {Log.shape[0], int64_t{splits}}),
        tk::that(1 <= int64_t{queries},
                 "`R%queries` divides by `queries`, which is {}: it must be at least 1",
                 {int64_t{queries}}),
        tk::that(int64_t{splits} >= 1, "`mla_decode_few` requires `splits >= 1`"),
        tk::that(int64_t{queries} >= 1, "`mla_decode_few` requires `queries >= 1`"),
        tk::that(tk::floor_mod(R, int64_t{queries}) == 0,
                 "`mla_decode_few` requires `R % queries == 0`"),
        tk::that(MAXP >= 1, "`mla_decode_few` requires `MAXP >= 1`"),
        tk::that(int64_t{page} >= 1, "`mla_decode_few` requires `page >= 1`"),
        tk::that(int64_t{pitch} >= 1, "`mla_decode_few` requires `pitch >= 1`"),
        tk::that(L >= int64_t{page}, "`mla_decode_few` requires `L >= page`"),
        tk::that(int64_t{page} % 64 == 0 || MAXP == 1,
                 "`mla_decode_few` requires `page % PIECE == 0 or MAXP == 1`"),
        tk::that(scale > 0.0f, "`mla_decode_few` requires `scale > 0`"),
        tk::that(0 < int64_t{queries},
                 "`queries` is at least 1, because `mla_decode_few` divides by it")});
    // attend_few(Qn, Qr, C, Kr, table, lengths, Part, Log, page, pitch, queries, scale)
    call.require({
        tk::that(int64_t{splits} < 2147221504,
                 "`splits` is {}; extents must be less than 2147221504", {int64_t{splits}}),
        tk::fits("splits*64", int64_t{splits} * 64),
        tk::that(0 < int64_t{pitch}, "`pitch` is at least 1, because `attend_few` divides by it"),
        tk::that(0 < int64_t{splits} * 64,
                 "`splits*64` is at least 1, because `attend_few` divides by it"),
        tk::that(0 < int64_t{page}, "`page` is at least 1, because `attend_few` divides by it"),
        tk::suits_tma_load(Qn), tk::suits_tma_load(Qr), tk::suits_tma_load(C),
        tk::suits_tma_load(Kr),
        tk::grid_fits(tk::multiply(tk::ceil_div(R, 16), int64_t{splits}), 2147418112),
        tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(R, 16), int64_t{splits}), B),
                      2147418112),
        tk::that(1 <= int64_t{splits} * 64,
                 "`ceil_div(length, splits*64)` divides by `splits*64`, which is {}: it must be at least 1",
                 {int64_t{splits} * 64}),
        tk::fits("ceil_div(length, splits*64)*64",
                 tk::ceil_div(tk::multiply(MAXP, int64_t{page}), int64_t{splits} * 64) * 64),
        tk::fits("s*chunk",
                 tk::multiply(int64_t{splits} - 1,
                              tk::ceil_div(tk::multiply(MAXP, int64_t{page}),
                                           int64_t{splits} * 64) * 64)),
        tk::fits("(s + 1)*chunk",
                 tk::multiply(int64_t{splits} - 1 + 1,
                              tk::ceil_div(tk::multiply(MAXP, int64_t{page}),
                                           int64_t{splits} * 64) * 64)),
        tk::fits("min((s + 1)*chunk, length) + 63",
                 tk::smaller(
                     tk::multiply(int64_t{splits} - 1 + 1,
                                  tk::ceil_div(tk::multiply(MAXP, int64_t{page}),
                                               int64_t{splits} * 64) * 64),
                     tk::multiply(MAXP, int64_t{page})) + 63),
        tk::that(1 <= int64_t{page},
                 "`j.start/page` divides by `page`, which is {}: it must be at least 1",
                 {int64_t{page}}),
        tk::fits("table[b, max(min(j.start/page, MAXP - 1), 0)]*pitch",
                 tk::larger(0,
                            tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                         int64_t{pitch}))),
        tk::that(-2147483648 <=
                 tk::smaller(0,
                             tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                          int64_t{pitch})),
                 "`table[b, max(min(j.start/page, MAXP - 1), 0)]*pitch` reaches {}; it must fit in 32 bits",
                 {
                     tk::smaller(0,
                                 tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                              int64_t{pitch}))}),
        tk::fits("table[b, max(min(j.start/page, MAXP - 1), 0)]*pitch + j.start%page",
                 tk::larger(0,
                            tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                         int64_t{pitch})) + (int64_t{page} - 1)),
        tk::fits("at + min(length - j.start, 64)",
                 tk::larger(0,
                            tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                         int64_t{pitch})) + (int64_t{page} - 1) +
                 tk::smaller(tk::multiply(MAXP, int64_t{page}), 64)),
        tk::that(-2147483648 <=
                 tk::smaller(0,
                             tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                          int64_t{pitch})) +
                 tk::smaller(0 -
                             (tk::smaller(
                                  tk::multiply(int64_t{splits} - 1 + 1,
                                               tk::ceil_div(tk::multiply(MAXP, int64_t{page}),
                                                            int64_t{splits} * 64) * 64),
                                  tk::multiply(MAXP, int64_t{page})) - 1), 64),
                 "`at + min(length - j.start, 64)` reaches {}; it must fit in 32 bits",
                 {
                     tk::smaller(0,
                                 tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                              int64_t{pitch})) +
                     tk::smaller(0 -
                                 (tk::smaller(
                                      tk::multiply(int64_t{splits} - 1 + 1,
                                                   tk::ceil_div(tk::multiply(MAXP, int64_t{page}),
                                                                int64_t{splits} * 64) * 64),
                                      tk::multiply(MAXP, int64_t{page})) - 1), 64)}),
        tk::fits("j.start + 64",
                 tk::smaller(
                     tk::multiply(int64_t{splits} - 1 + 1,
                                  tk::ceil_div(tk::multiply(MAXP, int64_t{page}),
                                               int64_t{splits} * 64) * 64),
                     tk::multiply(MAXP, int64_t{page})) - 1 + 64),
        tk::fits("length - queries", tk::multiply(MAXP, int64_t{page}) - int64_t{queries}),
        tk::fits("length - queries + 1", tk::multiply(MAXP, int64_t{page}) - int64_t{queries} + 1),
        tk::fits("j.start + row_index",
                 tk::smaller(
                     tk::multiply(int64_t{splits} - 1 + 1,
                                  tk::ceil_div(tk::multiply(MAXP, int64_t{page}),
                                               int64_t{splits} * 64) * 64),
                     tk::multiply(MAXP, int64_t{page})) - 1 + 262143),
        tk::fits("length - queries + (m.start + col_index)/heads",
                 tk::multiply(MAXP, int64_t{page}) - int64_t{queries} +
                 tk::floor_div(R - 1 + 262143,
                               tk::larger(tk::floor_div(R, int64_t{queries}), 1)))});
    // combine_few(Part, Log, O, LSE)
    call.require({tk::grid_fits(tk::multiply(16 * tk::ceil_div(R, 16), B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());

    // combine_few(Part, Log, O, LSE)
    const bool choice_2 = tk::hold(
        {tk::suits_fast(Part, "R"), tk::whole_vectors(Part, 8), tk::suits_fast(Log, "R"),
         tk::suits_fast(O), tk::suits_fast(LSE, "R")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    TK_FINISH_IF_FAILED(
        launch_attend_few(site, Qn, Qr, C, Kr, table, lengths, Part, Log, B, R, MAXP,
                          int64_t{splits}, page, pitch, queries, scale));
    if (choice_2) {
        TK_FINISH_IF_FAILED(launch_combine_few(
            site, tk::read_only(Part), tk::read_only(Log), O, LSE, int64_t{splits}, B, R));
    } else {
        TK_FINISH_IF_FAILED(launch_combine_few_general(
            site, tk::read_only(Part), tk::read_only(Log), O, LSE, int64_t{splits}, B, R));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(mla_decode_few, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                int32_t, int32_t, int32_t, int32_t, float)
}  // extern "C"
