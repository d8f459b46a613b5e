// Made by tkc from attention_sparse_tokens.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/cells.cuh"
#include "tk/operations/gather.cuh"
#include "tk/operations/integer.cuh"
#include "tk/ptx/wgmma_n064.cuh"
#include "tk/ptx/wgmma_n256.cuh"
#include "tk/tk.cuh"

// attend: kernel attend with T = bf16, DV = 512, DR = 64, PART = f32, BM = 64, BN = 64.
// producer: 4 warps, 64 registers a thread; left: 1 warpgroup, 224 registers a thread; right: 1
// warpgroup, 216 registers a thread.
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
    const tk::tensor_argument<const tk::bf16, 2> C, const tk::tensor_argument<const tk::bf16, 2> Kr,
    const tk::tensor_argument<const int, 2> List, const tk::tensor_argument<float, 4> Part,
    const tk::tensor_argument<float, 3> Log, int N, int H, int L, int TOP, int S, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    attend_shared& shared = *reinterpret_cast<attend_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Qn_map, Qr_map);
        shared.qs.init(1, 4);
        shared.ls.init(128, 4);
        shared.hs.init(128, 8);
        shared.rs.init(128, 4);
        shared.ps.init(4, 4);
        shared.es.init(4, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // attention_sparse_tokens.tk:25: role producer(4 warps) {
        tk::registers_at_most<64>();
        const int m_tiles = tk::tiles(H, 64);
        const int programs = m_tiles * N * S;
        const int thread = int(threadIdx.x) - 256;
        const bool elected = warp == 8 && tk::elect_one();
        tk::cursor<2> hs_next, ls_next;
        tk::cursor<1> qs_next, rs_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int m = program % m_tiles * 64;
            const int n = program / m_tiles % N;
            const int s = program / (m_tiles * N);

            // attention_sparse_tokens.tk:16: let chunk = ceil_div(TOP, S * BN) * BN;
            const int chunk = tk::divide_up(TOP, S * 64) * 64;

            // attention_sparse_tokens.tk:26: produce qs { n = load(Qn[n, m, :]); r = load(Qr[n, ..
            if (elected) {
                shared.qs.wait_empty(qs_next);
                shared.qs.expect(qs_next, 73728);
                tk::tma_load(shared.qs_n[qs_next.stage], Qn_map, shared.qs.full[qs_next.stage], n,
                             m, 0);
                tk::tma_load(shared.qs_r[qs_next.stage], Qr_map, shared.qs.full[qs_next.stage], n,
                             m, 0);
            }
            qs_next.advance();

            // attention_sparse_tokens.tk:27: for (j) in keys {
            for (int j = s * chunk; j < tk::min((s + 1) * chunk, TOP); j += 64) {
                // attention_sparse_tokens.tk:29: produce ls = load(C[rows, 0 +: DV / 2]);
                shared.ls.wait_empty(ls_next);
                tk::copy_rows<128>(shared.ls_tile[ls_next.stage],
                                   tk::gathered_rows(tk::dense_slice(C, {0, 0}, TOP - j, 512), L,
                                                     [&](int i) {
                    return n < N && j + i < TOP ? tk::cell(List, n, j + i) : int{};
                }), thread);
                shared.ls.publish_copies(ls_next);
                ls_next.advance();

                // attention_sparse_tokens.tk:30: produce hs = load(C[rows, DV / 2 +: DV / 2]);
                shared.hs.wait_empty(hs_next);
                tk::copy_rows<128>(shared.hs_tile[hs_next.stage],
                                   tk::gathered_rows(
                                       tk::dense_slice(C, {0, 256}, TOP - j, 512 - 256), L,
                                       [&](int i) {
                    return n < N && j + i < TOP ? tk::cell(List, n, j + i) : int{};
                }), thread);
                shared.hs.publish_copies(hs_next);
                hs_next.advance();

                // attention_sparse_tokens.tk:31: produce rs = load(Kr[rows, :]);
                shared.rs.wait_empty(rs_next);
                tk::copy_rows<128>(shared.rs_tile[rs_next.stage],
                                   tk::gathered_rows(tk::dense_slice(Kr, {0, 0}, TOP - j, 64), L,
                                                     [&](int i) {
                    return n < N && j + i < TOP ? tk::cell(List, n, j + i) : int{};
                }), thread);
                shared.rs.publish_copies(rs_next);
                rs_next.advance();
            }
        }
    } else if (warp < 4) {
        // attention_sparse_tokens.tk:34: role left(1 warpgroup) {
        tk::registers_at_least<224>();
        const int m_tiles = tk::tiles(H, 64);
        const int programs = m_tiles * N * S;
        const int thread = tk::warpgroup_thread();
        tk::cursor<1> es_next_2, ps_next_2, qs_next, rs_next;
        tk::cursor<2> ls_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int m = program % m_tiles * 64;
            const int n = program / m_tiles % N;
            const int s = program / (m_tiles * N);

            // attention_sparse_tokens.tk:16: let chunk = ceil_div(TOP, S * BN) * BN;
            const int chunk = tk::divide_up(TOP, S * 64) * 64;

            // attention_sparse_tokens.tk:35: let q = consume qs;
            const tk::cursor<1> q = shared.qs.take(qs_next);

            // attention_sparse_tokens.tk:36: var o: f32[BM, DV / 2] = 0;
            tk::fragment<float, 64, 256> o;
            tk::zero(o);

            // attention_sparse_tokens.tk:37: var sm = softmax.start<BM>(scale);
            tk::column_fragment<float, 64> sm_max;
            tk::fill(sm_max, -INFINITY);
            tk::column_fragment<float, 64> sm_sum;
            tk::zero(sm_sum);
            tk::column_fragment<float, 64> sm_correction;
            tk::fill(sm_correction, 1.0f);
            const float sm_c = scale * 1.442695f;

            // attention_sparse_tokens.tk:38: for (j) in keys {
            tk::fragment<float, 64, 64> t;
            for (int j = s * chunk; j < tk::min((s + 1) * chunk, TOP); j += 64) {
                // attention_sparse_tokens.tk:39: let k = consume ls;
                const tk::cursor<2> k_element = shared.ls.take(ls_next);
                tk::fence_async();

                // attention_sparse_tokens.tk:40: var x = mma(q.n[:, 0 +: DV / 2], k.T);
                tk::fragment<float, 64, 64> x;
                tk::mma_async(x, tk::part<0, 0, 64, 256>(shared.qs_n[q.stage]),
                              tk::transposed(shared.ls_tile[k_element.stage]),
                              tk::accumulate_never{});

                // attention_sparse_tokens.tk:41: x += mma(q.n[:, DV / 2 +: DV / 2], (consume ..
                shared.hs.wait_full(k_element);
                tk::fence_async();
                tk::mma_async(x, tk::part<0, 256, 64, 256>(shared.qs_n[q.stage]),
                              tk::transposed(shared.hs_tile[k_element.stage]));

                // attention_sparse_tokens.tk:42: x += mma(q.r, (consume rs).T);
                const tk::cursor<1> rs_element = shared.rs.take(rs_next);
                tk::fence_async();
                tk::mma_async(x, shared.qs_r[q.stage],
                              tk::transposed(shared.rs_tile[rs_element.stage]));
                tk::mma_wait<0>(x);
                shared.hs.release(k_element);
                shared.rs.release(rs_element);

                // attention_sparse_tokens.tk:44: let t  = where(at >= 0 and at < L, pad(x, axis ..
                if (j + 64 <= TOP) {
                    tk::map(t, thread, [&](int, int col, float x) {
                        const int x_2 = n < N && j + col < TOP ? tk::cell(List, n, j + col) : int{};
                        return x_2 >= 0 && x_2 < L ? x : -INFINITY;
                    }, x);
                } else {
                    tk::map(t, thread, [&](int, int col, float x) {
                        const int x_2 = n < N && j + col < TOP ? tk::cell(List, n, j + col) : int{};
                        return x_2 >= 0 && x_2 < L ? (col < TOP - j ? x : -INFINITY) : -INFINITY;
                    }, x);
                }

                // <std.softmax>:30: let m  = max(sm.max, max(s, axis = 1));
                tk::column_fragment<float, 64> t4;
                tk::fold_rows(t4, t, tk::maximum{}, thread);
                tk::finish_rows(t4, tk::maximum{});
                tk::column_fragment<float, 64> m_2;
                tk::map(m_2, [](float sm_max, float t4) { return tk::max(sm_max, t4); },
                        sm_max, t4);

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
                tk::column_fragment<float, 64> t5;
                tk::fold_rows(t5, p, tk::plus{}, thread);
                tk::map(sm_sum, [](float sm_sum, float sm_correction, float t5) {
                    return tk::fma(sm_sum, sm_correction, t5);
                }, sm_sum, sm_correction, t5);

                // <std.softmax>:35: sm.max = m;
                sm_max = m_2;

                // attention_sparse_tokens.tk:45: let p = T(softmax.step(inout sm, t));
                tk::fragment<tk::bf16, 64, 64> p_2 = tk::convert<tk::bf16>(p);

                // attention_sparse_tokens.tk:46: produce ps { p = p; f = sm.correction; }
                shared.ps.wait_empty(ps_next_2);
                tk::store_shared(shared.ps_p[ps_next_2.stage], p_2, thread);
                tk::store_shared(shared.ps_f[ps_next_2.stage], sm_correction, thread);
                shared.ps.publish(ps_next_2);
                ps_next_2.advance();

                // attention_sparse_tokens.tk:47: o *= sm.correction;
                tk::scale_rows(o, sm_correction);

                // attention_sparse_tokens.tk:48: o += mma(p, k);
                tk::mma_async(o, p_2, shared.ls_tile[k_element.stage]);
                tk::mma_wait<0>(o, p_2);
                shared.ls.release(k_element);
            }
            shared.qs.release(q);

            // attention_sparse_tokens.tk:50: let e = where(sm.sum == 0, 0, 1 / sm.sum);
            tk::column_fragment<float, 64> t1 = sm_sum;
            tk::finish_rows(t1, tk::plus{});
            tk::column_fragment<float, 64> e;
            tk::map(e, [](float t1) { return t1 == 0.0f ? 0.0f : tk::divide(1.0f, t1); }, t1);

            // attention_sparse_tokens.tk:51: produce es = e;
            shared.es.wait_empty(es_next_2);
            tk::store_shared(shared.es_tile[es_next_2.stage], e, thread);
            shared.es.publish(es_next_2, tk::ordinary_alone{});
            es_next_2.advance();

            // attention_sparse_tokens.tk:52: store(Part[s, n, m, 0 +: DV / 2], PART(o * e));
            tk::fragment<float, 64, 256> t6;
            tk::map(t6, [](float o, float e) { return o * e; }, o, e);
            tk::store_global(tk::slice(Part, {s, n, m, 0}, H - m, 512), t6, thread);

            // attention_sparse_tokens.tk:53: store(Log[s, n, m], softmax.lse(sm));
            tk::column_fragment<float, 64> t7;
            tk::map(t7, [&](float t1, float sm_max) {
                return t1 == 0.0f ? -INFINITY : tk::fma(sm_max, sm_c, tk::log2(t1)) * 0.6931472f;
            }, t1, sm_max);
            tk::store_global(tk::slice<2, tk::no_axis>(Log, {s, n, m}, H - m, 1), t7, thread);
        }
    } else {
        // attention_sparse_tokens.tk:55: role right(1 warpgroup) {
        tk::registers_at_least<216>();
        const int m_tiles = tk::tiles(H, 64);
        const int programs = m_tiles * N * S;
        const int thread = tk::warpgroup_thread();
        tk::cursor<1> es_next_2, ps_next_2;
        tk::cursor<2> hs_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int m = program % m_tiles * 64;
            const int n = program / m_tiles % N;
            const int s = program / (m_tiles * N);

            // attention_sparse_tokens.tk:16: let chunk = ceil_div(TOP, S * BN) * BN;
            const int chunk = tk::divide_up(TOP, S * 64) * 64;

            // attention_sparse_tokens.tk:56: var o: f32[BM, DV / 2] = 0;
            tk::fragment<float, 64, 256> o;
            tk::zero(o);

            // attention_sparse_tokens.tk:57: for (j) in keys {
            for (int j = s * chunk; j < tk::min((s + 1) * chunk, TOP); j += 64) {
                // attention_sparse_tokens.tk:58: let k = consume hs;
                const tk::cursor<2> k_element = shared.hs.take(hs_next);
                tk::fence_async();

                // attention_sparse_tokens.tk:59: let w = consume ps;
                const tk::cursor<1> w = shared.ps.take(ps_next_2);

                // attention_sparse_tokens.tk:60: o *= w.f;
                tk::column_fragment<float, 64> t1;
                tk::map(t1, thread, [&](int row, int) {
                    return tk::get(shared.ps_f[w.stage], row, 0);
                });
                tk::map(o, [](float o, float t1) { return o * t1; }, o, t1);

                // attention_sparse_tokens.tk:61: o += mma(w.p, k);
                tk::mma_async(o, shared.ps_p[w.stage], shared.hs_tile[k_element.stage]);
                tk::mma_wait<0>(o);
                shared.ps.release_after_loads(w, tk::ordinary_alone{});
                shared.hs.release(k_element);
            }

            // attention_sparse_tokens.tk:63: store(Part[s, n, m, DV / 2 +: DV / 2], PART(o * ..
            const tk::cursor<1> es_element = shared.es.take(es_next_2);
            tk::column_fragment<float, 64> t2;
            tk::map(t2, thread, [&](int row, int) {
                return tk::get(shared.es_tile[es_element.stage], row, 0);
            });
            shared.es.release_after_loads(es_element, tk::ordinary_alone{});
            tk::fragment<float, 64, 256> t0;
            tk::map(t0, [](float o, float t2) { return o * t2; }, o, t2);
            tk::store_global(tk::slice(Part, {s, n, m, 256}, H - m, 512 - 256), t0, thread);
        }
    }
}

// attend_general: kernel attend with T = bf16, DV = 512, DR = 64, PART = f32, BM = 64, BN = 64; any
// strides and alignment.
// producer: 4 warps, 64 registers a thread; left: 1 warpgroup, 224 registers a thread; right: 1
// warpgroup, 216 registers a thread.
// 384 threads, 168 registers each at first, 222336 bytes of shared memory; persistent.
struct attend_general_shared {
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
static_assert(offsetof(attend_general_shared, es) == 222320);

__global__ void __launch_bounds__(384, 1) attend_general_kernel(
    const tk::tensor_argument<const tk::bf16, 3> Qn,
    const tk::tensor_argument<const tk::bf16, 3> Qr, const tk::tensor_argument<const tk::bf16, 2> C,
    const tk::tensor_argument<const tk::bf16, 2> Kr, const tk::tensor_argument<const int, 2> List,
    const tk::tensor_argument<float, 4> Part, const tk::tensor_argument<float, 3> Log, int N, int H,
    int L, int TOP, int S, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    attend_general_shared& shared = *reinterpret_cast<attend_general_shared*>(memory);

    if (threadIdx.x == 0) {
        shared.qs.init(4, 4);
        shared.ls.init(4, 4);
        shared.hs.init(4, 8);
        shared.rs.init(4, 4);
        shared.ps.init(4, 4);
        shared.es.init(4, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // attention_sparse_tokens.tk:25: role producer(4 warps) {
        tk::registers_at_most<64>();
        const int m_tiles = tk::tiles(H, 64);
        const int programs = m_tiles * N * S;
        const int thread = int(threadIdx.x) - 256;
        tk::cursor<2> hs_next, ls_next;
        tk::cursor<1> qs_next, rs_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int m = program % m_tiles * 64;
            const int n = program / m_tiles % N;
            const int s = program / (m_tiles * N);

            // attention_sparse_tokens.tk:16: let chunk = ceil_div(TOP, S * BN) * BN;
            const int chunk = tk::divide_up(TOP, S * 64) * 64;

            // attention_sparse_tokens.tk:26: produce qs { n = load(Qn[n, m, :]); r = load(Qr[n, ..
            shared.qs.wait_empty(qs_next);
            tk::copy_to_shared(shared.qs_n[qs_next.stage], tk::slice(Qn, {n, m, 0}, H - m, 512),
                               thread, 128);
            tk::copy_to_shared(shared.qs_r[qs_next.stage], tk::slice(Qr, {n, m, 0}, H - m, 64),
                               thread, 128);
            shared.qs.publish(qs_next);
            qs_next.advance();

            // attention_sparse_tokens.tk:27: for (j) in keys {
            for (int j = s * chunk; j < tk::min((s + 1) * chunk, TOP); j += 64) {
                // attention_sparse_tokens.tk:29: produce ls = load(C[rows, 0 +: DV / 2]);
                shared.ls.wait_empty(ls_next);
                tk::copy_to_shared(shared.ls_tile[ls_next.stage],
                                   tk::gathered_rows(tk::slice(C, {0, 0}, TOP - j, 512), L,
                                                     [&](int i) {
                    return n < N && j + i < TOP ? tk::cell(List, n, j + i) : int{};
                }), thread, 128);
                shared.ls.publish(ls_next);
                ls_next.advance();

                // attention_sparse_tokens.tk:30: produce hs = load(C[rows, DV / 2 +: DV / 2]);
                shared.hs.wait_empty(hs_next);
                tk::copy_to_shared(shared.hs_tile[hs_next.stage],
                                   tk::gathered_rows(tk::slice(C, {0, 256}, TOP - j, 512 - 256), L,
                                                     [&](int i) {
                    return n < N && j + i < TOP ? tk::cell(List, n, j + i) : int{};
                }), thread, 128);
                shared.hs.publish(hs_next);
                hs_next.advance();

                // attention_sparse_tokens.tk:31: produce rs = load(Kr[rows, :]);
                shared.rs.wait_empty(rs_next);
                tk::copy_to_shared(shared.rs_tile[rs_next.stage],
                                   tk::gathered_rows(tk::slice(Kr, {0, 0}, TOP - j, 64), L,
                                                     [&](int i) {
                    return n < N && j + i < TOP ? tk::cell(List, n, j + i) : int{};
                }), thread, 128);
                shared.rs.publish(rs_next);
                rs_next.advance();
            }
        }
    } else if (warp < 4) {
        // attention_sparse_tokens.tk:34: role left(1 warpgroup) {
        tk::registers_at_least<224>();
        const int m_tiles = tk::tiles(H, 64);
        const int programs = m_tiles * N * S;
        const int thread = tk::warpgroup_thread();
        tk::cursor<1> es_next_2, ps_next_2, qs_next, rs_next;
        tk::cursor<2> ls_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int m = program % m_tiles * 64;
            const int n = program / m_tiles % N;
            const int s = program / (m_tiles * N);

            // attention_sparse_tokens.tk:16: let chunk = ceil_div(TOP, S * BN) * BN;
            const int chunk = tk::divide_up(TOP, S * 64) * 64;

            // attention_sparse_tokens.tk:35: let q = consume qs;
            const tk::cursor<1> q = shared.qs.take(qs_next);

            // attention_sparse_tokens.tk:36: var o: f32[BM, DV / 2] = 0;
            tk::fragment<float, 64, 256> o;
            tk::zero(o);

            // attention_sparse_tokens.tk:37: var sm = softmax.start<BM>(scale);
            tk::column_fragment<float, 64> sm_max;
            tk::fill(sm_max, -INFINITY);
            tk::column_fragment<float, 64> sm_sum;
            tk::zero(sm_sum);
            tk::column_fragment<float, 64> sm_correction;
            tk::fill(sm_correction, 1.0f);
            const float sm_c = scale * 1.442695f;

            // attention_sparse_tokens.tk:38: for (j) in keys {
            tk::fragment<float, 64, 64> t;
            for (int j = s * chunk; j < tk::min((s + 1) * chunk, TOP); j += 64) {
                // attention_sparse_tokens.tk:39: let k = consume ls;
                const tk::cursor<2> k_element = shared.ls.take(ls_next);

                // attention_sparse_tokens.tk:40: var x = mma(q.n[:, 0 +: DV / 2], k.T);
                tk::fragment<float, 64, 64> x;
                tk::mma_async(x, tk::part<0, 0, 64, 256>(shared.qs_n[q.stage]),
                              tk::transposed(shared.ls_tile[k_element.stage]),
                              tk::accumulate_never{});

                // attention_sparse_tokens.tk:41: x += mma(q.n[:, DV / 2 +: DV / 2], (consume ..
                shared.hs.wait_full(k_element);
                tk::mma_async(x, tk::part<0, 256, 64, 256>(shared.qs_n[q.stage]),
                              tk::transposed(shared.hs_tile[k_element.stage]));

                // attention_sparse_tokens.tk:42: x += mma(q.r, (consume rs).T);
                const tk::cursor<1> rs_element = shared.rs.take(rs_next);
                tk::mma_async(x, shared.qs_r[q.stage],
                              tk::transposed(shared.rs_tile[rs_element.stage]));
                tk::mma_wait<0>(x);
                shared.hs.release(k_element);
                shared.rs.release(rs_element);

                // attention_sparse_tokens.tk:44: let t  = where(at >= 0 and at < L, pad(x, axis ..
                if (j + 64 <= TOP) {
                    tk::map(t, thread, [&](int, int col, float x) {
                        const int x_2 = n < N && j + col < TOP ? tk::cell(List, n, j + col) : int{};
                        return x_2 >= 0 && x_2 < L ? x : -INFINITY;
                    }, x);
                } else {
                    tk::map(t, thread, [&](int, int col, float x) {
                        const int x_2 = n < N && j + col < TOP ? tk::cell(List, n, j + col) : int{};
                        return x_2 >= 0 && x_2 < L ? (col < TOP - j ? x : -INFINITY) : -INFINITY;
                    }, x);
                }

                // <std.softmax>:30: let m  = max(sm.max, max(s, axis = 1));
                tk::column_fragment<float, 64> t4;
                tk::fold_rows(t4, t, tk::maximum{}, thread);
                tk::finish_rows(t4, tk::maximum{});
                tk::column_fragment<float, 64> m_2;
                tk::map(m_2, [](float sm_max, float t4) { return tk::max(sm_max, t4); },
                        sm_max, t4);

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
                tk::column_fragment<float, 64> t5;
                tk::fold_rows(t5, p, tk::plus{}, thread);
                tk::map(sm_sum, [](float sm_sum, float sm_correction, float t5) {
                    return tk::fma(sm_sum, sm_correction, t5);
                }, sm_sum, sm_correction, t5);

                // <std.softmax>:35: sm.max = m;
                sm_max = m_2;

                // attention_sparse_tokens.tk:45: let p = T(softmax.step(inout sm, t));
                tk::fragment<tk::bf16, 64, 64> p_2 = tk::convert<tk::bf16>(p);

                // attention_sparse_tokens.tk:46: produce ps { p = p; f = sm.correction; }
                shared.ps.wait_empty(ps_next_2);
                tk::store_shared(shared.ps_p[ps_next_2.stage], p_2, thread);
                tk::store_shared(shared.ps_f[ps_next_2.stage], sm_correction, thread);
                shared.ps.publish(ps_next_2);
                ps_next_2.advance();

                // attention_sparse_tokens.tk:47: o *= sm.correction;
                tk::scale_rows(o, sm_correction);

                // attention_sparse_tokens.tk:48: o += mma(p, k);
                tk::mma_async(o, p_2, shared.ls_tile[k_element.stage]);
                tk::mma_wait<0>(o, p_2);
                shared.ls.release(k_element);
            }
            shared.qs.release(q);

            // attention_sparse_tokens.tk:50: let e = where(sm.sum == 0, 0, 1 / sm.sum);
            tk::column_fragment<float, 64> t1 = sm_sum;
            tk::finish_rows(t1, tk::plus{});
            tk::column_fragment<float, 64> e;
            tk::map(e, [](float t1) { return t1 == 0.0f ? 0.0f : tk::divide(1.0f, t1); }, t1);

            // attention_sparse_tokens.tk:51: produce es = e;
            shared.es.wait_empty(es_next_2);
            tk::store_shared(shared.es_tile[es_next_2.stage], e, thread);
            shared.es.publish(es_next_2, tk::ordinary_alone{});
            es_next_2.advance();

            // attention_sparse_tokens.tk:52: store(Part[s, n, m, 0 +: DV / 2], PART(o * e));
            tk::fragment<float, 64, 256> t6;
            tk::map(t6, [](float o, float e) { return o * e; }, o, e);
            tk::store_global(tk::slice(Part, {s, n, m, 0}, H - m, 512), t6, thread);

            // attention_sparse_tokens.tk:53: store(Log[s, n, m], softmax.lse(sm));
            tk::column_fragment<float, 64> t7;
            tk::map(t7, [&](float t1, float sm_max) {
                return t1 == 0.0f ? -INFINITY : tk::fma(sm_max, sm_c, tk::log2(t1)) * 0.6931472f;
            }, t1, sm_max);
            tk::store_global(tk::slice<2, tk::no_axis>(Log, {s, n, m}, H - m, 1), t7, thread);
        }
    } else {
        // attention_sparse_tokens.tk:55: role right(1 warpgroup) {
        tk::registers_at_least<216>();
        const int m_tiles = tk::tiles(H, 64);
        const int programs = m_tiles * N * S;
        const int thread = tk::warpgroup_thread();
        tk::cursor<1> es_next_2, ps_next_2;
        tk::cursor<2> hs_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int m = program % m_tiles * 64;
            const int n = program / m_tiles % N;
            const int s = program / (m_tiles * N);

            // attention_sparse_tokens.tk:16: let chunk = ceil_div(TOP, S * BN) * BN;
            const int chunk = tk::divide_up(TOP, S * 64) * 64;

            // attention_sparse_tokens.tk:56: var o: f32[BM, DV / 2] = 0;
            tk::fragment<float, 64, 256> o;
            tk::zero(o);

            // attention_sparse_tokens.tk:57: for (j) in keys {
            for (int j = s * chunk; j < tk::min((s + 1) * chunk, TOP); j += 64) {
                // attention_sparse_tokens.tk:58: let k = consume hs;
                const tk::cursor<2> k_element = shared.hs.take(hs_next);

                // attention_sparse_tokens.tk:59: let w = consume ps;
                const tk::cursor<1> w = shared.ps.take(ps_next_2);

                // attention_sparse_tokens.tk:60: o *= w.f;
                tk::column_fragment<float, 64> t1;
                tk::map(t1, thread, [&](int row, int) {
                    return tk::get(shared.ps_f[w.stage], row, 0);
                });
                tk::map(o, [](float o, float t1) { return o * t1; }, o, t1);

                // attention_sparse_tokens.tk:61: o += mma(w.p, k);
                tk::mma_async(o, shared.ps_p[w.stage], shared.hs_tile[k_element.stage]);
                tk::mma_wait<0>(o);
                shared.ps.release_after_loads(w, tk::ordinary_alone{});
                shared.hs.release(k_element);
            }

            // attention_sparse_tokens.tk:63: store(Part[s, n, m, DV / 2 +: DV / 2], PART(o * ..
            const tk::cursor<1> es_element = shared.es.take(es_next_2);
            tk::column_fragment<float, 64> t2;
            tk::map(t2, thread, [&](int row, int) {
                return tk::get(shared.es_tile[es_element.stage], row, 0);
            });
            shared.es.release_after_loads(es_element, tk::ordinary_alone{});
            tk::fragment<float, 64, 256> t0;
            tk::map(t0, [](float o, float t2) { return o * t2; }, o, t2);
            tk::store_global(tk::slice(Part, {s, n, m, 256}, H - m, 512 - 256), t0, thread);
        }
    }
}

// mla_decode_combine_T_bf16_DV_512: kernel mla_decode.combine with T = bf16, DV = 512, BS = 8.
// 64 threads, 96 registers each, 5120 bytes of shared memory:
// mla_decode_combine_T_bf16_DV_512_kernel<10, 8, true>.
// mla_decode_combine_T_bf16_DV_512_general: kernel mla_decode.combine with T = bf16, DV = 512, BS =
// 8; any strides and alignment.
// 64 threads, 255 registers each, 5120 bytes of shared memory:
// mla_decode_combine_T_bf16_DV_512_kernel<1, 4, false>.
struct mla_decode_combine_T_bf16_DV_512_shared {
    tk::shared_tile<float, 2, 512> combine_f32_rows_512[1];
    tk::shared_tile<float, 2, 1> combine_f32_rows_1[1];
};
static_assert(offsetof(mla_decode_combine_T_bf16_DV_512_shared, combine_f32_rows_1) == 4096);

template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(64, blocks) mla_decode_combine_T_bf16_DV_512_kernel(
    const tk::tensor_argument<const float, 4> Part, const tk::tensor_argument<const float, 3> Log,
    const tk::tensor_argument<tk::bf16, 3> O, const tk::tensor_argument<float, 2> LSE, int S, int B,
    int R) {
    extern __shared__ __align__(1024) unsigned char memory[];
    mla_decode_combine_T_bf16_DV_512_shared& shared =
        *reinterpret_cast<mla_decode_combine_T_bf16_DV_512_shared*>(memory);

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

// attend_T_bf16_DV_512_DR_64_PART_bf16: kernel attend with T = bf16, DV = 512, DR = 64, PART =
// bf16, BM = 64, BN = 64.
// producer: 4 warps, 72 registers a thread; left: 1 warpgroup, 216 registers a thread; right: 1
// warpgroup, 216 registers a thread.
// 384 threads, 168 registers each at first, 230528 bytes of shared memory; persistent.
struct attend_T_bf16_DV_512_DR_64_PART_bf16_shared {
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
static_assert(offsetof(attend_T_bf16_DV_512_DR_64_PART_bf16_shared, es) == 230512);

__global__ void __launch_bounds__(384, 1) attend_T_bf16_DV_512_DR_64_PART_bf16_kernel(
    const __grid_constant__ CUtensorMap Qn_map, const __grid_constant__ CUtensorMap Qr_map,
    const __grid_constant__ CUtensorMap Part_map, const tk::tensor_argument<const tk::bf16, 2> C,
    const tk::tensor_argument<const tk::bf16, 2> Kr, const tk::tensor_argument<const int, 2> List,
    const tk::tensor_argument<float, 3> Log, int N, int H, int L, int TOP, int S, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    attend_T_bf16_DV_512_DR_64_PART_bf16_shared& shared =
        *reinterpret_cast<attend_T_bf16_DV_512_DR_64_PART_bf16_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Qn_map, Qr_map, Part_map);
        shared.qs.init(1, 4);
        shared.ls.init(128, 4);
        shared.hs.init(128, 8);
        shared.rs.init(128, 4);
        shared.ps.init(4, 4);
        shared.es.init(4, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // attention_sparse_tokens.tk:25: role producer(4 warps) {
        tk::registers_at_most<72>();
        const int m_tiles = tk::tiles(H, 64);
        const int programs = m_tiles * N * S;
        const int thread = int(threadIdx.x) - 256;
        const bool elected = warp == 8 && tk::elect_one();
        tk::cursor<2> hs_next, ls_next;
        tk::cursor<1> qs_next, rs_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int m = program % m_tiles * 64;
            const int n = program / m_tiles % N;
            const int s = program / (m_tiles * N);

            // attention_sparse_tokens.tk:16: let chunk = ceil_div(TOP, S * BN) * BN;
            const int chunk = tk::divide_up(TOP, S * 64) * 64;

            // attention_sparse_tokens.tk:26: produce qs { n = load(Qn[n, m, :]); r = load(Qr[n, ..
            if (elected) {
                shared.qs.wait_empty(qs_next);
                shared.qs.expect(qs_next, 73728);
                tk::tma_load(shared.qs_n[qs_next.stage], Qn_map, shared.qs.full[qs_next.stage], n,
                             m, 0);
                tk::tma_load(shared.qs_r[qs_next.stage], Qr_map, shared.qs.full[qs_next.stage], n,
                             m, 0);
            }
            qs_next.advance();

            // attention_sparse_tokens.tk:27: for (j) in keys {
            for (int j = s * chunk; j < tk::min((s + 1) * chunk, TOP); j += 64) {
                // attention_sparse_tokens.tk:29: produce ls = load(C[rows, 0 +: DV / 2]);
                shared.ls.wait_empty(ls_next);
                tk::copy_rows<128>(shared.ls_tile[ls_next.stage],
                                   tk::gathered_rows(tk::dense_slice(C, {0, 0}, TOP - j, 512), L,
                                                     [&](int i) {
                    return n < N && j + i < TOP ? tk::cell(List, n, j + i) : int{};
                }), thread);
                shared.ls.publish_copies(ls_next);
                ls_next.advance();

                // attention_sparse_tokens.tk:30: produce hs = load(C[rows, DV / 2 +: DV / 2]);
                shared.hs.wait_empty(hs_next);
                tk::copy_rows<128>(shared.hs_tile[hs_next.stage],
                                   tk::gathered_rows(
                                       tk::dense_slice(C, {0, 256}, TOP - j, 512 - 256), L,
                                       [&](int i) {
                    return n < N && j + i < TOP ? tk::cell(List, n, j + i) : int{};
                }), thread);
                shared.hs.publish_copies(hs_next);
                hs_next.advance();

                // attention_sparse_tokens.tk:31: produce rs = load(Kr[rows, :]);
                shared.rs.wait_empty(rs_next);
                tk::copy_rows<128>(shared.rs_tile[rs_next.stage],
                                   tk::gathered_rows(tk::dense_slice(Kr, {0, 0}, TOP - j, 64), L,
                                                     [&](int i) {
                    return n < N && j + i < TOP ? tk::cell(List, n, j + i) : int{};
                }), thread);
                shared.rs.publish_copies(rs_next);
                rs_next.advance();
            }
        }
    } else if (warp < 4) {
        // attention_sparse_tokens.tk:34: role left(1 warpgroup) {
        tk::registers_at_least<216>();
        const int m_tiles = tk::tiles(H, 64);
        const int programs = m_tiles * N * S;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<1> es_next_2, ps_next_2, qs_next, rs_next;
        tk::cursor<2> ls_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int m = program % m_tiles * 64;
            const int n = program / m_tiles % N;
            const int s = program / (m_tiles * N);

            // attention_sparse_tokens.tk:16: let chunk = ceil_div(TOP, S * BN) * BN;
            const int chunk = tk::divide_up(TOP, S * 64) * 64;

            // attention_sparse_tokens.tk:35: let q = consume qs;
            const tk::cursor<1> q = shared.qs.take(qs_next);

            // attention_sparse_tokens.tk:36: var o: f32[BM, DV / 2] = 0;
            tk::fragment<float, 64, 256> o;
            tk::zero(o);

            // attention_sparse_tokens.tk:37: var sm = softmax.start<BM>(scale);
            tk::column_fragment<float, 64> sm_max;
            tk::fill(sm_max, -INFINITY);
            tk::column_fragment<float, 64> sm_sum;
            tk::zero(sm_sum);
            tk::column_fragment<float, 64> sm_correction;
            tk::fill(sm_correction, 1.0f);
            const float sm_c = scale * 1.442695f;

            // attention_sparse_tokens.tk:38: for (j) in keys {
            tk::fragment<float, 64, 64> t;
            for (int j = s * chunk; j < tk::min((s + 1) * chunk, TOP); j += 64) {
                // attention_sparse_tokens.tk:39: let k = consume ls;
                const tk::cursor<2> k_element = shared.ls.take(ls_next);
                tk::fence_async();

                // attention_sparse_tokens.tk:40: var x = mma(q.n[:, 0 +: DV / 2], k.T);
                tk::fragment<float, 64, 64> x;
                tk::mma_async(x, tk::part<0, 0, 64, 256>(shared.qs_n[q.stage]),
                              tk::transposed(shared.ls_tile[k_element.stage]),
                              tk::accumulate_never{});

                // attention_sparse_tokens.tk:41: x += mma(q.n[:, DV / 2 +: DV / 2], (consume ..
                shared.hs.wait_full(k_element);
                tk::fence_async();
                tk::mma_async(x, tk::part<0, 256, 64, 256>(shared.qs_n[q.stage]),
                              tk::transposed(shared.hs_tile[k_element.stage]));

                // attention_sparse_tokens.tk:42: x += mma(q.r, (consume rs).T);
                const tk::cursor<1> rs_element = shared.rs.take(rs_next);
                tk::fence_async();
                tk::mma_async(x, shared.qs_r[q.stage],
                              tk::transposed(shared.rs_tile[rs_element.stage]));
                tk::mma_wait<0>(x);
                shared.hs.release(k_element);
                shared.rs.release(rs_element);

                // attention_sparse_tokens.tk:44: let t  = where(at >= 0 and at < L, pad(x, axis ..
                if (j + 64 <= TOP) {
                    tk::map(t, thread, [&](int, int col, float x) {
                        const int x_2 = n < N && j + col < TOP ? tk::cell(List, n, j + col) : int{};
                        return x_2 >= 0 && x_2 < L ? x : -INFINITY;
                    }, x);
                } else {
                    tk::map(t, thread, [&](int, int col, float x) {
                        const int x_2 = n < N && j + col < TOP ? tk::cell(List, n, j + col) : int{};
                        return x_2 >= 0 && x_2 < L ? (col < TOP - j ? x : -INFINITY) : -INFINITY;
                    }, x);
                }

                // <std.softmax>:30: let m  = max(sm.max, max(s, axis = 1));
                tk::column_fragment<float, 64> t4;
                tk::fold_rows(t4, t, tk::maximum{}, thread);
                tk::finish_rows(t4, tk::maximum{});
                tk::column_fragment<float, 64> m_2;
                tk::map(m_2, [](float sm_max, float t4) { return tk::max(sm_max, t4); },
                        sm_max, t4);

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
                tk::column_fragment<float, 64> t5;
                tk::fold_rows(t5, p, tk::plus{}, thread);
                tk::map(sm_sum, [](float sm_sum, float sm_correction, float t5) {
                    return tk::fma(sm_sum, sm_correction, t5);
                }, sm_sum, sm_correction, t5);

                // <std.softmax>:35: sm.max = m;
                sm_max = m_2;

                // attention_sparse_tokens.tk:45: let p = T(softmax.step(inout sm, t));
                tk::fragment<tk::bf16, 64, 64> p_2 = tk::convert<tk::bf16>(p);

                // attention_sparse_tokens.tk:46: produce ps { p = p; f = sm.correction; }
                shared.ps.wait_empty(ps_next_2);
                tk::store_shared(shared.ps_p[ps_next_2.stage], p_2, thread);
                tk::store_shared(shared.ps_f[ps_next_2.stage], sm_correction, thread);
                shared.ps.publish(ps_next_2);
                ps_next_2.advance();

                // attention_sparse_tokens.tk:47: o *= sm.correction;
                tk::scale_rows(o, sm_correction);

                // attention_sparse_tokens.tk:48: o += mma(p, k);
                tk::mma_async(o, p_2, shared.ls_tile[k_element.stage]);
                tk::mma_wait<0>(o, p_2);
                shared.ls.release(k_element);
            }

            // attention_sparse_tokens.tk:50: let e = where(sm.sum == 0, 0, 1 / sm.sum);
            tk::column_fragment<float, 64> t1 = sm_sum;
            tk::finish_rows(t1, tk::plus{});
            tk::column_fragment<float, 64> e;
            tk::map(e, [](float t1) { return t1 == 0.0f ? 0.0f : tk::divide(1.0f, t1); }, t1);

            // attention_sparse_tokens.tk:51: produce es = e;
            shared.es.wait_empty(es_next_2);
            tk::store_shared(shared.es_tile[es_next_2.stage], e, thread);
            shared.es.publish(es_next_2, tk::ordinary_alone{});
            es_next_2.advance();

            // attention_sparse_tokens.tk:52: store(Part[s, n, m, 0 +: DV / 2], PART(o * e));
            #pragma unroll
            for (int panel = 0; panel < 256; panel += 64) {
                tk::fragment<tk::bf16, 64, 64> t6;
                tk::map(t6, [](float o, float e) { return o * e; },
                        tk::window<64, 64>(o, 0, panel), e);
                tk::store_shared(tk::block<64>(shared.qs_n[q.stage], panel / 64 % 4), t6, thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if (leader) {
                    tk::tma_store(Part_map, tk::block<64>(shared.qs_n[q.stage], panel / 64 % 4), s,
                                  n, m, panel);
                }
            }
            if (leader) tk::tma_store_wait_read<0>();
            shared.qs.release(q);

            // attention_sparse_tokens.tk:53: store(Log[s, n, m], softmax.lse(sm));
            tk::column_fragment<float, 64> t7;
            tk::map(t7, [&](float t1, float sm_max) {
                return t1 == 0.0f ? -INFINITY : tk::fma(sm_max, sm_c, tk::log2(t1)) * 0.6931472f;
            }, t1, sm_max);
            tk::store_global(tk::slice<2, tk::no_axis>(Log, {s, n, m}, H - m, 1), t7, thread);
        }
    } else {
        // attention_sparse_tokens.tk:55: role right(1 warpgroup) {
        tk::registers_at_least<216>();
        const int m_tiles = tk::tiles(H, 64);
        const int programs = m_tiles * N * S;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<1> es_next_2, ps_next_2;
        tk::cursor<2> hs_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int m = program % m_tiles * 64;
            const int n = program / m_tiles % N;
            const int s = program / (m_tiles * N);

            // attention_sparse_tokens.tk:16: let chunk = ceil_div(TOP, S * BN) * BN;
            const int chunk = tk::divide_up(TOP, S * 64) * 64;

            // attention_sparse_tokens.tk:56: var o: f32[BM, DV / 2] = 0;
            tk::fragment<float, 64, 256> o;
            tk::zero(o);

            // attention_sparse_tokens.tk:57: for (j) in keys {
            for (int j = s * chunk; j < tk::min((s + 1) * chunk, TOP); j += 64) {
                // attention_sparse_tokens.tk:58: let k = consume hs;
                const tk::cursor<2> k_element = shared.hs.take(hs_next);
                tk::fence_async();

                // attention_sparse_tokens.tk:59: let w = consume ps;
                const tk::cursor<1> w = shared.ps.take(ps_next_2);

                // attention_sparse_tokens.tk:60: o *= w.f;
                tk::column_fragment<float, 64> t1;
                tk::map(t1, thread, [&](int row, int) {
                    return tk::get(shared.ps_f[w.stage], row, 0);
                });
                tk::map(o, [](float o, float t1) { return o * t1; }, o, t1);

                // attention_sparse_tokens.tk:61: o += mma(w.p, k);
                tk::mma_async(o, shared.ps_p[w.stage], shared.hs_tile[k_element.stage]);
                tk::mma_wait<0>(o);
                shared.ps.release_after_loads(w, tk::ordinary_alone{});
                shared.hs.release(k_element);
            }

            // attention_sparse_tokens.tk:63: store(Part[s, n, m, DV / 2 +: DV / 2], PART(o * ..
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
                if (leader) tk::tma_store(Part_map, shared.right_Part[0], s, n, m, 256 + panel);
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

// attend_T_bf16_DV_512_DR_64_PART_bf16_general: kernel attend with T = bf16, DV = 512, DR = 64,
// PART = bf16, BM = 64, BN = 64; any strides and alignment.
// producer: 4 warps, 72 registers a thread; left: 1 warpgroup, 216 registers a thread; right: 1
// warpgroup, 216 registers a thread.
// 384 threads, 168 registers each at first, 222336 bytes of shared memory; persistent.
struct attend_T_bf16_DV_512_DR_64_PART_bf16_general_shared {
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
static_assert(offsetof(attend_T_bf16_DV_512_DR_64_PART_bf16_general_shared, es) == 222320);

__global__ void __launch_bounds__(384, 1) attend_T_bf16_DV_512_DR_64_PART_bf16_general_kernel(
    const tk::tensor_argument<const tk::bf16, 3> Qn,
    const tk::tensor_argument<const tk::bf16, 3> Qr, const tk::tensor_argument<const tk::bf16, 2> C,
    const tk::tensor_argument<const tk::bf16, 2> Kr, const tk::tensor_argument<const int, 2> List,
    const tk::tensor_argument<tk::bf16, 4> Part, const tk::tensor_argument<float, 3> Log, int N,
    int H, int L, int TOP, int S, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    attend_T_bf16_DV_512_DR_64_PART_bf16_general_shared& shared =
        *reinterpret_cast<attend_T_bf16_DV_512_DR_64_PART_bf16_general_shared*>(memory);

    if (threadIdx.x == 0) {
        shared.qs.init(4, 4);
        shared.ls.init(4, 4);
        shared.hs.init(4, 8);
        shared.rs.init(4, 4);
        shared.ps.init(4, 4);
        shared.es.init(4, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // attention_sparse_tokens.tk:25: role producer(4 warps) {
        tk::registers_at_most<72>();
        const int m_tiles = tk::tiles(H, 64);
        const int programs = m_tiles * N * S;
        const int thread = int(threadIdx.x) - 256;
        tk::cursor<2> hs_next, ls_next;
        tk::cursor<1> qs_next, rs_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int m = program % m_tiles * 64;
            const int n = program / m_tiles % N;
            const int s = program / (m_tiles * N);

            // attention_sparse_tokens.tk:16: let chunk = ceil_div(TOP, S * BN) * BN;
            const int chunk = tk::divide_up(TOP, S * 64) * 64;

            // attention_sparse_tokens.tk:26: produce qs { n = load(Qn[n, m, :]); r = load(Qr[n, ..
            shared.qs.wait_empty(qs_next);
            tk::copy_to_shared(shared.qs_n[qs_next.stage], tk::slice(Qn, {n, m, 0}, H - m, 512),
                               thread, 128);
            tk::copy_to_shared(shared.qs_r[qs_next.stage], tk::slice(Qr, {n, m, 0}, H - m, 64),
                               thread, 128);
            shared.qs.publish(qs_next);
            qs_next.advance();

            // attention_sparse_tokens.tk:27: for (j) in keys {
            for (int j = s * chunk; j < tk::min((s + 1) * chunk, TOP); j += 64) {
                // attention_sparse_tokens.tk:29: produce ls = load(C[rows, 0 +: DV / 2]);
                shared.ls.wait_empty(ls_next);
                tk::copy_to_shared(shared.ls_tile[ls_next.stage],
                                   tk::gathered_rows(tk::slice(C, {0, 0}, TOP - j, 512), L,
                                                     [&](int i) {
                    return n < N && j + i < TOP ? tk::cell(List, n, j + i) : int{};
                }), thread, 128);
                shared.ls.publish(ls_next);
                ls_next.advance();

                // attention_sparse_tokens.tk:30: produce hs = load(C[rows, DV / 2 +: DV / 2]);
                shared.hs.wait_empty(hs_next);
                tk::copy_to_shared(shared.hs_tile[hs_next.stage],
                                   tk::gathered_rows(tk::slice(C, {0, 256}, TOP - j, 512 - 256), L,
                                                     [&](int i) {
                    return n < N && j + i < TOP ? tk::cell(List, n, j + i) : int{};
                }), thread, 128);
                shared.hs.publish(hs_next);
                hs_next.advance();

                // attention_sparse_tokens.tk:31: produce rs = load(Kr[rows, :]);
                shared.rs.wait_empty(rs_next);
                tk::copy_to_shared(shared.rs_tile[rs_next.stage],
                                   tk::gathered_rows(tk::slice(Kr, {0, 0}, TOP - j, 64), L,
                                                     [&](int i) {
                    return n < N && j + i < TOP ? tk::cell(List, n, j + i) : int{};
                }), thread, 128);
                shared.rs.publish(rs_next);
                rs_next.advance();
            }
        }
    } else if (warp < 4) {
        // attention_sparse_tokens.tk:34: role left(1 warpgroup) {
        tk::registers_at_least<216>();
        const int m_tiles = tk::tiles(H, 64);
        const int programs = m_tiles * N * S;
        const int thread = tk::warpgroup_thread();
        tk::cursor<1> es_next_2, ps_next_2, qs_next, rs_next;
        tk::cursor<2> ls_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int m = program % m_tiles * 64;
            const int n = program / m_tiles % N;
            const int s = program / (m_tiles * N);

            // attention_sparse_tokens.tk:16: let chunk = ceil_div(TOP, S * BN) * BN;
            const int chunk = tk::divide_up(TOP, S * 64) * 64;

            // attention_sparse_tokens.tk:35: let q = consume qs;
            const tk::cursor<1> q = shared.qs.take(qs_next);

            // attention_sparse_tokens.tk:36: var o: f32[BM, DV / 2] = 0;
            tk::fragment<float, 64, 256> o;
            tk::zero(o);

            // attention_sparse_tokens.tk:37: var sm = softmax.start<BM>(scale);
            tk::column_fragment<float, 64> sm_max;
            tk::fill(sm_max, -INFINITY);
            tk::column_fragment<float, 64> sm_sum;
            tk::zero(sm_sum);
            tk::column_fragment<float, 64> sm_correction;
            tk::fill(sm_correction, 1.0f);
            const float sm_c = scale * 1.442695f;

            // attention_sparse_tokens.tk:38: for (j) in keys {
            tk::fragment<float, 64, 64> t;
            for (int j = s * chunk; j < tk::min((s + 1) * chunk, TOP); j += 64) {
                // attention_sparse_tokens.tk:39: let k = consume ls;
                const tk::cursor<2> k_element = shared.ls.take(ls_next);

                // attention_sparse_tokens.tk:40: var x = mma(q.n[:, 0 +: DV / 2], k.T);
                tk::fragment<float, 64, 64> x;
                tk::mma_async(x, tk::part<0, 0, 64, 256>(shared.qs_n[q.stage]),
                              tk::transposed(shared.ls_tile[k_element.stage]),
                              tk::accumulate_never{});

                // attention_sparse_tokens.tk:41: x += mma(q.n[:, DV / 2 +: DV / 2], (consume ..
                shared.hs.wait_full(k_element);
                tk::mma_async(x, tk::part<0, 256, 64, 256>(shared.qs_n[q.stage]),
                              tk::transposed(shared.hs_tile[k_element.stage]));

                // attention_sparse_tokens.tk:42: x += mma(q.r, (consume rs).T);
                const tk::cursor<1> rs_element = shared.rs.take(rs_next);
                tk::mma_async(x, shared.qs_r[q.stage],
                              tk::transposed(shared.rs_tile[rs_element.stage]));
                tk::mma_wait<0>(x);
                shared.hs.release(k_element);
                shared.rs.release(rs_element);

                // attention_sparse_tokens.tk:44: let t  = where(at >= 0 and at < L, pad(x, axis ..
                if (j + 64 <= TOP) {
                    tk::map(t, thread, [&](int, int col, float x) {
                        const int x_2 = n < N && j + col < TOP ? tk::cell(List, n, j + col) : int{};
                        return x_2 >= 0 && x_2 < L ? x : -INFINITY;
                    }, x);
                } else {
                    tk::map(t, thread, [&](int, int col, float x) {
                        const int x_2 = n < N && j + col < TOP ? tk::cell(List, n, j + col) : int{};
                        return x_2 >= 0 && x_2 < L ? (col < TOP - j ? x : -INFINITY) : -INFINITY;
                    }, x);
                }

                // <std.softmax>:30: let m  = max(sm.max, max(s, axis = 1));
                tk::column_fragment<float, 64> t4;
                tk::fold_rows(t4, t, tk::maximum{}, thread);
                tk::finish_rows(t4, tk::maximum{});
                tk::column_fragment<float, 64> m_2;
                tk::map(m_2, [](float sm_max, float t4) { return tk::max(sm_max, t4); },
                        sm_max, t4);

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
                tk::column_fragment<float, 64> t5;
                tk::fold_rows(t5, p, tk::plus{}, thread);
                tk::map(sm_sum, [](float sm_sum, float sm_correction, float t5) {
                    return tk::fma(sm_sum, sm_correction, t5);
                }, sm_sum, sm_correction, t5);

                // <std.softmax>:35: sm.max = m;
                sm_max = m_2;

                // attention_sparse_tokens.tk:45: let p = T(softmax.step(inout sm, t));
                tk::fragment<tk::bf16, 64, 64> p_2 = tk::convert<tk::bf16>(p);

                // attention_sparse_tokens.tk:46: produce ps { p = p; f = sm.correction; }
                shared.ps.wait_empty(ps_next_2);
                tk::store_shared(shared.ps_p[ps_next_2.stage], p_2, thread);
                tk::store_shared(shared.ps_f[ps_next_2.stage], sm_correction, thread);
                shared.ps.publish(ps_next_2);
                ps_next_2.advance();

                // attention_sparse_tokens.tk:47: o *= sm.correction;
                tk::scale_rows(o, sm_correction);

                // attention_sparse_tokens.tk:48: o += mma(p, k);
                tk::mma_async(o, p_2, shared.ls_tile[k_element.stage]);
                tk::mma_wait<0>(o, p_2);
                shared.ls.release(k_element);
            }
            shared.qs.release(q);

            // attention_sparse_tokens.tk:50: let e = where(sm.sum == 0, 0, 1 / sm.sum);
            tk::column_fragment<float, 64> t1 = sm_sum;
            tk::finish_rows(t1, tk::plus{});
            tk::column_fragment<float, 64> e;
            tk::map(e, [](float t1) { return t1 == 0.0f ? 0.0f : tk::divide(1.0f, t1); }, t1);

            // attention_sparse_tokens.tk:51: produce es = e;
            shared.es.wait_empty(es_next_2);
            tk::store_shared(shared.es_tile[es_next_2.stage], e, thread);
            shared.es.publish(es_next_2, tk::ordinary_alone{});
            es_next_2.advance();

            // attention_sparse_tokens.tk:52: store(Part[s, n, m, 0 +: DV / 2], PART(o * e));
            tk::fragment<tk::bf16, 64, 256> t6;
            tk::map(t6, [](float o, float e) { return o * e; }, o, e);
            tk::store_global(tk::slice(Part, {s, n, m, 0}, H - m, 512), t6, thread);

            // attention_sparse_tokens.tk:53: store(Log[s, n, m], softmax.lse(sm));
            tk::column_fragment<float, 64> t7;
            tk::map(t7, [&](float t1, float sm_max) {
                return t1 == 0.0f ? -INFINITY : tk::fma(sm_max, sm_c, tk::log2(t1)) * 0.6931472f;
            }, t1, sm_max);
            tk::store_global(tk::slice<2, tk::no_axis>(Log, {s, n, m}, H - m, 1), t7, thread);
        }
    } else {
        // attention_sparse_tokens.tk:55: role right(1 warpgroup) {
        tk::registers_at_least<216>();
        const int m_tiles = tk::tiles(H, 64);
        const int programs = m_tiles * N * S;
        const int thread = tk::warpgroup_thread();
        tk::cursor<1> es_next_2, ps_next_2;
        tk::cursor<2> hs_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int m = program % m_tiles * 64;
            const int n = program / m_tiles % N;
            const int s = program / (m_tiles * N);

            // attention_sparse_tokens.tk:16: let chunk = ceil_div(TOP, S * BN) * BN;
            const int chunk = tk::divide_up(TOP, S * 64) * 64;

            // attention_sparse_tokens.tk:56: var o: f32[BM, DV / 2] = 0;
            tk::fragment<float, 64, 256> o;
            tk::zero(o);

            // attention_sparse_tokens.tk:57: for (j) in keys {
            for (int j = s * chunk; j < tk::min((s + 1) * chunk, TOP); j += 64) {
                // attention_sparse_tokens.tk:58: let k = consume hs;
                const tk::cursor<2> k_element = shared.hs.take(hs_next);

                // attention_sparse_tokens.tk:59: let w = consume ps;
                const tk::cursor<1> w = shared.ps.take(ps_next_2);

                // attention_sparse_tokens.tk:60: o *= w.f;
                tk::column_fragment<float, 64> t1;
                tk::map(t1, thread, [&](int row, int) {
                    return tk::get(shared.ps_f[w.stage], row, 0);
                });
                tk::map(o, [](float o, float t1) { return o * t1; }, o, t1);

                // attention_sparse_tokens.tk:61: o += mma(w.p, k);
                tk::mma_async(o, shared.ps_p[w.stage], shared.hs_tile[k_element.stage]);
                tk::mma_wait<0>(o);
                shared.ps.release_after_loads(w, tk::ordinary_alone{});
                shared.hs.release(k_element);
            }

            // attention_sparse_tokens.tk:63: store(Part[s, n, m, DV / 2 +: DV / 2], PART(o * ..
            const tk::cursor<1> es_element = shared.es.take(es_next_2);
            tk::column_fragment<float, 64> t2;
            tk::map(t2, thread, [&](int row, int) {
                return tk::get(shared.es_tile[es_element.stage], row, 0);
            });
            shared.es.release_after_loads(es_element, tk::ordinary_alone{});
            tk::fragment<tk::bf16, 64, 256> t0;
            tk::map(t0, [](float o, float t2) { return o * t2; }, o, t2);
            tk::store_global(tk::slice(Part, {s, n, m, 256}, H - m, 512 - 256), t0, thread);
        }
    }
}

namespace {
tk::status launch_attend(const tk::launch_site& site, const tk::tensor& Qn, const tk::tensor& Qr,
                         const tk::tensor& C, const tk::tensor& Kr, const tk::tensor& List,
                         const tk::tensor& Part, const tk::tensor& Log, int64_t N, int64_t H,
                         int64_t L, int64_t TOP, int64_t S, float scale) {
    return tk::run<attend_kernel>(
        site, sizeof(attend_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(H, 64), N), S), tk::box{Qn, {1, 64, 64}, 128},
        tk::box{Qr, {1, 64, 64}, 128}, C, Kr, List, Part, Log, N, H, L, TOP, S, scale);
}

tk::status launch_attend_general(
    const tk::launch_site& site, const tk::tensor& Qn, const tk::tensor& Qr, const tk::tensor& C,
    const tk::tensor& Kr, const tk::tensor& List, const tk::tensor& Part, const tk::tensor& Log,
    int64_t N, int64_t H, int64_t L, int64_t TOP, int64_t S, float scale) {
    return tk::run<attend_general_kernel>(site, sizeof(attend_general_shared),
                                          tk::kernel_shape(384).at_once(1).overlapping(),
                                          tk::multiply(tk::multiply(tk::ceil_div(H, 64), N), S), Qn,
                                          Qr, C, Kr, List, Part, Log, N, H, L, TOP, S, scale);
}

tk::status launch_mla_decode_combine_T_bf16_DV_512(
    const tk::launch_site& site, const tk::tensor& Part, const tk::tensor& Log, const tk::tensor& O,
    const tk::tensor& LSE, int64_t S, int64_t B, int64_t R) {
    return tk::run<mla_decode_combine_T_bf16_DV_512_kernel<10, 8, true>>(
        site, sizeof(mla_decode_combine_T_bf16_DV_512_shared), tk::kernel_shape(64).overlapping(),
        tk::multiply(R, B), Part, Log, O, LSE, S, B, R);
}

tk::status launch_mla_decode_combine_T_bf16_DV_512_general(
    const tk::launch_site& site, const tk::tensor& Part, const tk::tensor& Log, const tk::tensor& O,
    const tk::tensor& LSE, int64_t S, int64_t B, int64_t R) {
    return tk::run<mla_decode_combine_T_bf16_DV_512_kernel<1, 4, false>>(
        site, sizeof(mla_decode_combine_T_bf16_DV_512_shared), tk::kernel_shape(64).overlapping(),
        tk::multiply(R, B), Part, Log, O, LSE, S, B, R);
}

tk::status launch_attend_T_bf16_DV_512_DR_64_PART_bf16(
    const tk::launch_site& site, const tk::tensor& Qn, const tk::tensor& Qr, const tk::tensor& C,
    const tk::tensor& Kr, const tk::tensor& List, const tk::tensor& Part, const tk::tensor& Log,
    int64_t N, int64_t H, int64_t L, int64_t TOP, int64_t S, float scale) {
    return tk::run<attend_T_bf16_DV_512_DR_64_PART_bf16_kernel>(
        site, sizeof(attend_T_bf16_DV_512_DR_64_PART_bf16_shared),
        tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(H, 64), N), S), tk::box{Qn, {1, 64, 64}, 128},
        tk::box{Qr, {1, 64, 64}, 128}, tk::box{Part, {1, 1, 64, 64}, 128}, C, Kr, List, Log, N, H,
        L, TOP, S, scale);
}

tk::status launch_attend_T_bf16_DV_512_DR_64_PART_bf16_general(
    const tk::launch_site& site, const tk::tensor& Qn, const tk::tensor& Qr, const tk::tensor& C,
    const tk::tensor& Kr, const tk::tensor& List, const tk::tensor& Part, const tk::tensor& Log,
    int64_t N, int64_t H, int64_t L, int64_t TOP, int64_t S, float scale) {
    return tk::run<attend_T_bf16_DV_512_DR_64_PART_bf16_general_kernel>(
        site, sizeof(attend_T_bf16_DV_512_DR_64_PART_bf16_general_shared),
        tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(H, 64), N), S), Qn, Qr, C, Kr, List, Part, Log, N, H,
        L, TOP, S, scale);
}

}  // namespace

extern "C" {
int attend(const DLTensor* Qn_given, const DLTensor* Qr_given, const DLTensor* C_given,
           const DLTensor* Kr_given, const DLTensor* List_given, DLTensor* Part_given,
           DLTensor* Log_given, float scale, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"attend"};
    const tk::tensor Qn = call.take("Qn", Qn_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor Qr = call.take("Qr", Qr_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Kr = call.take("Kr", Kr_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor List = call.take("List", List_given, tk::dtype_i32, 2, tk::access::read);
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Log = call.take("Log", Log_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t N = Qn.shape[0];
    const int64_t H = Qn.shape[1];
    const int64_t L = C.shape[0];
    const int64_t TOP = List.shape[1];
    const int64_t S = Part.shape[0];
    call.require(
        {tk::fixed_extent(Qn, 2, 512), tk::same_extent("N", Qn, 0, Qr, 0),
         tk::same_extent("H", Qn, 1, Qr, 1), tk::fixed_extent(Qr, 2, 64),
         tk::fixed_extent(C, 1, 512), tk::same_extent("L", C, 0, Kr, 0),
         tk::fixed_extent(Kr, 1, 64), tk::same_extent("N", Qn, 0, List, 0),
         tk::same_extent("N", Qn, 0, Part, 1), tk::same_extent("H", Qn, 1, Part, 2),
         tk::fixed_extent(Part, 3, 512), tk::same_extent("S", Part, 0, Log, 0),
         tk::same_extent("N", Qn, 0, Log, 1), tk::same_extent("H", Qn, 1, Log, 2),
         tk::extents_fit({{"N", N}, {"H", H}, {"L", L}, {"TOP", TOP}, {"S", S}}),
         tk::fits("S*64", S * 64), tk::that(scale > 0.0f, "`attend` requires `scale > 0`"),
         tk::that(0 < S * 64, "`S*64` is at least 1, because `attend` divides by it"),
         tk::grid_fits(tk::multiply(tk::ceil_div(H, 64), N), 2147418112),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(H, 64), N), S), 2147418112),
         tk::that(1 <= S * 64,
                  "`ceil_div(TOP, S*64)` divides by `S*64`, which is {}: it must be at least 1",
                  {S * 64}), tk::fits("ceil_div(TOP, S*64)*64", tk::ceil_div(TOP, S * 64) * 64),
         tk::fits("s*chunk", tk::multiply(S - 1, tk::ceil_div(TOP, S * 64) * 64)),
         tk::fits("(s + 1)*chunk", tk::multiply(S - 1 + 1, tk::ceil_div(TOP, S * 64) * 64))});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(tk::ceil_div(H, 64), N), S);
    const bool fast =
        tk::hold({tk::suits_fast(Qn), tk::suits_fast(Qr), tk::suits_fast(C), tk::suits_fast(Kr)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(tk::run<attend_kernel>(
            site, sizeof(attend_shared), tk::kernel_shape(384).at_once(1).overlapping(), programs,
            tk::box{Qn, {1, 64, 64}, 128}, tk::box{Qr, {1, 64, 64}, 128}, C, Kr, List, Part, Log, N,
            H, L, TOP, S, scale));
    }
    return tk::finish(tk::run<attend_general_kernel>(
        site, sizeof(attend_general_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        programs, Qn, Qr, C, Kr, List, Part, Log, N, H, L, TOP, S, scale));
}
TK_NO_WORKSPACE(attend, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*, DLTensor*, float)

int attention_sparse_tokens(const DLTensor* Qn_given, const DLTensor* Qr_given,
                            const DLTensor* C_given, const DLTensor* Kr_given,
                            const DLTensor* List_given, DLTensor* O_given, DLTensor* LSE_given,
                            DLTensor* Part_given, DLTensor* Log_given, int32_t splits, float scale,
                            void*, size_t, cudaStream_t stream) {
    tk::arguments call{"attention_sparse_tokens"};
    const tk::tensor Qn = call.take("Qn", Qn_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor Qr = call.take("Qr", Qr_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Kr = call.take("Kr", Kr_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor List = call.take("List", List_given, tk::dtype_i32, 2, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 3, tk::access::write);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 2, tk::access::write);
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Log = call.take("Log", Log_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t N = Qn.shape[0];
    const int64_t H = Qn.shape[1];
    const int64_t L = C.shape[0];
    const int64_t TOP = List.shape[1];
    call.require(
        {tk::fixed_extent(Qn, 2, 512), tk::same_extent("N", Qn, 0, Qr, 0),
         tk::same_extent("H", Qn, 1, Qr, 1), tk::fixed_extent(Qr, 2, 64),
         tk::fixed_extent(C, 1, 512), tk::same_extent("L", C, 0, Kr, 0),
         tk::fixed_extent(Kr, 1, 64), tk::same_extent("N", Qn, 0, List, 0),
         tk::same_extent("N", Qn, 0, O, 0), tk::same_extent("H", Qn, 1, O, 1),
         tk::fixed_extent(O, 2, 512), tk::same_extent("N", Qn, 0, LSE, 0),
         tk::same_extent("H", Qn, 1, LSE, 1), tk::same_extent("N", Qn, 0, Part, 1),
         tk::same_extent("H", Qn, 1, Part, 2), tk::fixed_extent(Part, 3, 512),
         tk::same_extent("N", Qn, 0, Log, 1), tk::same_extent("H", Qn, 1, Log, 2),
         tk::extents_fit({{"N", N}, {"H", H}, {"L", L}, {"TOP", TOP}}),
         tk::that(Part.shape[0] == int64_t{splits},
                  "axis 0 of `Part` is {}; it must be `splits`, which is {}",
                  {Part.shape[0], int64_t{splits}}),
         tk::that(Log.shape[0] == int64_t{splits},
                  "axis 0 of `Log` is {}; it must be `splits`, which is {}",
                  {Log.shape[0], int64_t{splits}}),
         tk::that(int64_t{splits} >= 1, "`attention_sparse_tokens` requires `splits >= 1`"),
         tk::that(scale > 0.0f, "`attention_sparse_tokens` requires `scale > 0`")});
    // attend(Qn, Qr, C, Kr, List, Part, Log, scale)
    call.require({
        tk::that(int64_t{splits} < 2147221504,
                 "`splits` is {}; extents must be less than 2147221504", {int64_t{splits}}),
        tk::fits("splits*64", int64_t{splits} * 64),
        tk::that(0 < int64_t{splits} * 64,
                 "`splits*64` is at least 1, because `attend` divides by it"),
        tk::grid_fits(tk::multiply(tk::ceil_div(H, 64), N), 2147418112),
        tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(H, 64), N), int64_t{splits}),
                      2147418112),
        tk::that(1 <= int64_t{splits} * 64,
                 "`ceil_div(TOP, splits*64)` divides by `splits*64`, which is {}: it must be at least 1",
                 {int64_t{splits} * 64}),
        tk::fits("ceil_div(TOP, splits*64)*64", tk::ceil_div(TOP, int64_t{splits} * 64) * 64),
        tk::fits("s*chunk",
                 tk::multiply(int64_t{splits} - 1, tk::ceil_div(TOP, int64_t{splits} * 64) * 64)),
        tk::fits("(s + 1)*chunk",
                 tk::multiply(int64_t{splits} - 1 + 1,
                              tk::ceil_div(TOP, int64_t{splits} * 64) * 64))});
    // mla_decode.combine(Part, Log, O, LSE)
    call.require({tk::grid_fits(tk::multiply(H, N), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());

    // attend(Qn, Qr, C, Kr, List, Part, Log, scale)
    const bool choice_1 =
        tk::hold({tk::suits_fast(Qn), tk::suits_fast(Qr), tk::suits_fast(C), tk::suits_fast(Kr)});

    // mla_decode.combine(Part, Log, O, LSE)
    const bool choice_2 = tk::hold({tk::suits_fast(Part), tk::suits_fast(O)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1) {
        TK_FINISH_IF_FAILED(launch_attend(
            site, Qn, Qr, C, Kr, List, Part, Log, N, H, L, TOP, int64_t{splits}, scale));
    } else {
        TK_FINISH_IF_FAILED(launch_attend_general(
            site, Qn, Qr, C, Kr, List, Part, Log, N, H, L, TOP, int64_t{splits}, scale));
    }
    if (choice_2) {
        TK_FINISH_IF_FAILED(launch_mla_decode_combine_T_bf16_DV_512(
            site, tk::read_only(Part), tk::read_only(Log), O, LSE, int64_t{splits}, N, H));
    } else {
        TK_FINISH_IF_FAILED(launch_mla_decode_combine_T_bf16_DV_512_general(
            site, tk::read_only(Part), tk::read_only(Log), O, LSE, int64_t{splits}, N, H));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(attention_sparse_tokens, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                int32_t, float)

int attention_sparse_tokens_whole(
    const DLTensor* Qn_given, const DLTensor* Qr_given, const DLTensor* C_given,
    const DLTensor* Kr_given, const DLTensor* List_given, DLTensor* O_given, DLTensor* LSE_given,
    float scale, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"attention_sparse_tokens_whole"};
    const tk::tensor Qn = call.take("Qn", Qn_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor Qr = call.take("Qr", Qr_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Kr = call.take("Kr", Kr_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor List = call.take("List", List_given, tk::dtype_i32, 2, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t N = Qn.shape[0];
    const int64_t H = Qn.shape[1];
    const int64_t L = C.shape[0];
    const int64_t TOP = List.shape[1];
    call.require({
        tk::fixed_extent(Qn, 2, 512), tk::same_extent("N", Qn, 0, Qr, 0),
        tk::same_extent("H", Qn, 1, Qr, 1), tk::fixed_extent(Qr, 2, 64),
        tk::fixed_extent(C, 1, 512), tk::same_extent("L", C, 0, Kr, 0), tk::fixed_extent(Kr, 1, 64),
        tk::same_extent("N", Qn, 0, List, 0), tk::fixed_extent(O, 0, 1),
        tk::same_extent("N", Qn, 0, O, 1), tk::same_extent("H", Qn, 1, O, 2),
        tk::fixed_extent(O, 3, 512), tk::fixed_extent(LSE, 0, 1),
        tk::same_extent("N", Qn, 0, LSE, 1), tk::same_extent("H", Qn, 1, LSE, 2),
        tk::extents_fit({{"N", N}, {"H", H}, {"L", L}, {"TOP", TOP}}),
        tk::that(scale > 0.0f, "`attention_sparse_tokens_whole` requires `scale > 0`")});
    // attend(Qn, Qr, C, Kr, List, O, LSE, scale)
    call.require(
        {tk::grid_fits(tk::multiply(tk::ceil_div(H, 64), N), 2147418112),
         tk::fits("ceil_div(TOP, 1*64)*64", tk::ceil_div(TOP, 64) * 64)});
    if (!call.ok()) return tk::finish(call.result());

    // attend(Qn, Qr, C, Kr, List, O, LSE, scale)
    const bool choice_1 = tk::hold(
        {tk::suits_fast(Qn), tk::suits_fast(Qr), tk::suits_fast(C), tk::suits_fast(Kr),
         tk::suits_fast(O)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1) {
        TK_FINISH_IF_FAILED(launch_attend_T_bf16_DV_512_DR_64_PART_bf16(
            site, Qn, Qr, C, Kr, List, O, LSE, N, H, L, TOP, 1, scale));
    } else {
        TK_FINISH_IF_FAILED(launch_attend_T_bf16_DV_512_DR_64_PART_bf16_general(
            site, Qn, Qr, C, Kr, List, O, LSE, N, H, L, TOP, 1, scale));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(attention_sparse_tokens_whole, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, float)
}  // extern "C"
