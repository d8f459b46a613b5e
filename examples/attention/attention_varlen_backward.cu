// Made by tkc from attention_varlen_backward.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/add.cuh"
#include "tk/operations/cells.cuh"
#include "tk/operations/integer.cuh"
#include "tk/ptx/wgmma_n064.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/tk.cuh"

// row_sums: kernel row_sums with T = bf16, D = 128, BQ = 64, BM = 16.
// 128 threads, 72 registers each: row_sums_kernel<7, 16, 8, true>.
// row_sums_general: kernel row_sums with T = bf16, D = 128, BQ = 64, BM = 16; any strides and
// alignment.
// 128 threads, 255 registers each: row_sums_kernel<1, 32, 2, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) row_sums_kernel(
    const tk::tensor_argument<const tk::bf16, 3> O, const tk::tensor_argument<const tk::bf16, 3> dO,
    const tk::tensor_argument<const float, 2> LSE, const tk::tensor_argument<float, 2> L,
    const tk::tensor_argument<float, 2> Delta, int TQ, int H) {
    tk::wait_for_previous_kernel();

    const int m_tiles = tk::tiles(tk::divide_up(TQ, 64) * 64, 16);

    // attention_varlen_backward.tk:12: kernel row_sums<T: dtype = bf16, D: int = 128, BQ: int = ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int m = program % m_tiles * 16;
    const int h = program / m_tiles;

    // attention_varlen_backward.tk:17: store(L[h, m], load(LSE[h, m]) * LOG2E);
    tk::stripe<float, 1, 16, 128, row_threads, vector> t0;
    tk::load_slice<vectors>(
        t0, tk::slice_if_vectors<vectors, tk::no_axis, 1>(LSE, {h, m}, 1, TQ - m), thread);
    tk::stripe<float, 1, 16, 128, row_threads, vector> t1;
    tk::map(t1, [](float t0) { return t0 * 1.442695f; }, t0);
    tk::store_slice<vectors>(
        tk::slice_if_vectors<vectors, tk::no_axis, 1>(L, {h, m}, 1, tk::divide_up(TQ, 64) * 64 - m),
        t1, thread);

    // attention_varlen_backward.tk:18: store(Delta[h, m], sum(f32(load(O[m, h, :])) * load(dO[m, ..
    tk::stripe<tk::bf16, 16, 128, 128, row_threads, vector> t2;
    tk::load_slice<vectors>(t2, tk::slice_if_dense<vectors, 0, 2>(O, {m, h, 0}, TQ - m, 128),
                            thread);
    tk::stripe<tk::bf16, 16, 128, 128, row_threads, vector> t3;
    tk::load_slice<vectors>(t3, tk::slice_if_dense<vectors, 0, 2>(dO, {m, h, 0}, TQ - m, 128),
                            thread);
    tk::stripe<float, 16, 128, 128, row_threads, vector> t4;
    tk::map(t4, [](tk::bf16 t2, tk::bf16 t3) { return float(t2) * float(t3); }, t2, t3);
    tk::stripe<float, 16, 1, 128, row_threads, vector> t5;
    tk::fold_rows(t5, t4, tk::plus{}, thread);
    tk::finish_rows(t5, tk::plus{});
    tk::store_global(tk::slice<1, tk::no_axis>(Delta, {h, m}, tk::divide_up(TQ, 64) * 64 - m, 1),
                     t5, thread);
}

// gradients: kernel gradients with T = bf16, D = 128, CAUSAL = false, WINDOW = 0, SOFTCAP = false,
// BM = 64, BN = 128.
// producer: 1 warp, 40 registers a thread; consumer: 2 warpgroups, 232 registers a thread; adder: 2
// warps, 40 registers a thread.
// 384 threads, 168 registers each at first, 230576 bytes of shared memory.
struct gradients_shared {
    tk::shared_tile<tk::bf16, 128, 128> kv_k[1];
    tk::shared_tile<tk::bf16, 128, 128> kv_v[1];
    tk::shared_tile<tk::bf16, 64, 128> qs_tile[2];
    tk::shared_tile<tk::bf16, 64, 128> os_tile[2];
    tk::shared_tile<float, 1, 64> ls_l[2];
    tk::shared_tile<float, 1, 64> ls_delta[2];
    tk::shared_tile<tk::bf16, 128, 64> dss_tile[2];
    tk::shared_tile<float, 64, 128> sums_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> consumer_dK[4];
    tk::pipeline<1> kv;
    tk::pipeline<2> qs;
    tk::pipeline<2> os;
    tk::pipeline<2> ls;
    tk::pipeline<2> dss;
    tk::pipeline<1> sums[2];
};
static_assert(offsetof(gradients_shared, sums) == 230544);

__global__ void __launch_bounds__(384, 1) gradients_kernel(
    const __grid_constant__ CUtensorMap K_map, const __grid_constant__ CUtensorMap V_map,
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap dO_map,
    const __grid_constant__ CUtensorMap dK_map, const __grid_constant__ CUtensorMap dV_map,
    const __grid_constant__ CUtensorMap Sum_map, const tk::tensor_argument<const float, 2> L,
    const tk::tensor_argument<const float, 2> Delta,
    const tk::tensor_argument<const int, 1> start_q,
    const tk::tensor_argument<const int, 1> start_k, const tk::tensor_argument<float, 3> Sum,
    const tk::tensor_argument<tk::bf16, 3> dK, const tk::tensor_argument<tk::bf16, 3> dV, int TQ,
    int H, int TK, int HKV, int B, int longest, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gradients_shared& shared = *reinterpret_cast<gradients_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(K_map, V_map, Q_map, dO_map, dK_map, dV_map, Sum_map);
        shared.kv.init(1, 8);
        shared.qs.init(1, 8);
        shared.os.init(1, 8);
        shared.ls.init(1, 8);
        shared.dss.init(8, 8);
        shared.sums[0].init(4, 1);
        shared.sums[1].init(4, 1);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        tk::registers_at_most<40>();
        const int n_tiles = tk::tiles(tk::max(longest, 0), 128);
        // attention_varlen_backward.tk:49: role producer(1 warp) registers(40) {
        if (warp == 8) {
            const int thread = int(threadIdx.x) - 256;
            const bool elected = warp == 8 && tk::elect_one();
            tk::cursor<1> kv_next;
            tk::cursor<2> ls_next, os_next, qs_next;
            const int program = blockIdx.x;
            const int n = program % n_tiles * 128;
            const int g = program / n_tiles % HKV;
            const int b = program / (n_tiles * HKV);

            // attention_varlen_backward.tk:30: let group = H / HKV;
            const int group = H / HKV;

            // attention_varlen_backward.tk:31: let lq = start_q[b + 1] - start_q[b];
            const int lq = tk::cell(start_q, b + 1) - tk::cell(start_q, b);

            // attention_varlen_backward.tk:32: let lk = start_k[b + 1] - start_k[b];
            const int lk = tk::cell(start_k, b + 1) - tk::cell(start_k, b);

            // attention_varlen_backward.tk:33: let Qb  = Q[start_q[b] +: lq];           let dOb  ..
            const int Qb_start = tk::cell(start_q, b);
            const int Qb_end = tk::cell(start_q, b) + lq;
            const int dOb_start = tk::cell(start_q, b);
            const int dOb_end = tk::cell(start_q, b) + lq;

            // attention_varlen_backward.tk:34: let Lb  = L[0 +: H, start_q[b] +: lq];   let ..
            const int Lb_start = tk::cell(start_q, b);
            const int Lb_end = tk::cell(start_q, b) + lq;
            const int Deltab_start = tk::cell(start_q, b);
            const int Deltab_end = tk::cell(start_q, b) + lq;

            // attention_varlen_backward.tk:35: let Kb  = K[start_k[b] +: lk];           let Vb   ..
            const int Kb_start = tk::cell(start_k, b);
            const int Kb_end = tk::cell(start_k, b) + lk;
            const int Vb_start = tk::cell(start_k, b);
            const int Vb_end = tk::cell(start_k, b) + lk;

            // attention_varlen_backward.tk:40: let end   = if WINDOW > 0 { min(n.end - 1 + ..
            const int end = lq;

            // attention_varlen_backward.tk:50: if n.start < lk {
            if (n < lk) {
                // attention_varlen_backward.tk:51: produce kv { k = load(Kb[n, g, :]) ..
                shared.kv.wait_empty(kv_next);
                if (elected) {
                    shared.kv.expect(kv_next, 65536);
                    tk::tma_load(shared.kv_k[kv_next.stage], K_map, shared.kv.full[kv_next.stage],
                                 Kb_start + n, g, 0);
                    tk::tma_load(shared.kv_v[kv_next.stage], V_map, shared.kv.full[kv_next.stage],
                                 Vb_start + n, g, 0);
                }
                kv_next.advance();

                // attention_varlen_backward.tk:52: for (h, i) in rows {
                #pragma unroll 1
                for (int h = g * group; h < (g + 1) * group; h += 1) {
                    #pragma unroll 1
                    for (int i = 0; i < end; i += 64) {
                        // attention_varlen_backward.tk:53: produce qs = load(Qb[i, h, :]) ..
                        shared.qs.wait_empty(qs_next);
                        if (elected) {
                            shared.qs.expect(qs_next, 16384);
                            tk::tma_load(shared.qs_tile[qs_next.stage], Q_map,
                                         shared.qs.full[qs_next.stage], Qb_start + i, h, 0);
                        }
                        qs_next.advance();

                        // attention_varlen_backward.tk:54: produce ls { l = load(Lb[h, i]) ..
                        shared.ls.wait_empty(ls_next);
                        tk::copy_to_shared(
                            shared.ls_l[ls_next.stage],
                            tk::clipped(
                                tk::slice<tk::no_axis, 1>(L, {h, Lb_start + i}, 1,
                                                          h < H
                                                          ? tk::max(
                                                              tk::min(Lb_end,
                                                                      tk::divide_up(TQ, 64) * 64),
                                                              0) - (Lb_start + i) : 0), 0,
                                0 - (Lb_start + i)), thread, 32);
                        tk::copy_to_shared(
                            shared.ls_delta[ls_next.stage],
                            tk::clipped(
                                tk::slice<tk::no_axis, 1>(Delta, {h, Deltab_start + i}, 1,
                                                          h < H
                                                          ? tk::max(
                                                              tk::min(Deltab_end,
                                                                      tk::divide_up(TQ, 64) * 64),
                                                              0) - (Deltab_start + i) : 0), 0,
                                0 - (Deltab_start + i)), thread, 32);
                        shared.ls.publish(ls_next, tk::ordinary_alone{});
                        ls_next.advance();

                        // attention_varlen_backward.tk:55: produce os = load(dOb[i, h, :]) ..
                        shared.os.wait_empty(os_next);
                        if (elected) {
                            shared.os.expect(os_next, 16384);
                            tk::tma_load(shared.os_tile[os_next.stage], dO_map,
                                         shared.os.full[os_next.stage], dOb_start + i, h, 0);
                        }
                        os_next.advance();
                    }
                }
            }
        }
        // attention_varlen_backward.tk:87: role adder(2 warps) registers(40) {
        if (warp >= 9 && warp < 11) {
            const int part = warp - 9;
            const bool leader = tk::elect_one();
            tk::cursor<1> sums_next_2;
            const int program = blockIdx.x;
            const int n = program % n_tiles * 128;
            const int g = program / n_tiles % HKV;
            const int b = program / (n_tiles * HKV);

            // attention_varlen_backward.tk:30: let group = H / HKV;
            const int group = H / HKV;

            // attention_varlen_backward.tk:31: let lq = start_q[b + 1] - start_q[b];
            const int lq = tk::cell(start_q, b + 1) - tk::cell(start_q, b);

            // attention_varlen_backward.tk:32: let lk = start_k[b + 1] - start_k[b];
            const int lk = tk::cell(start_k, b + 1) - tk::cell(start_k, b);

            // attention_varlen_backward.tk:37: let Sumb = Sum[start_q[b] +: lq];
            const int Sumb_start = tk::cell(start_q, b);
            const int Sumb_end = tk::cell(start_q, b) + lq;

            // attention_varlen_backward.tk:40: let end   = if WINDOW > 0 { min(n.end - 1 + ..
            const int end = lq;

            // attention_varlen_backward.tk:88: if n.start < lk {
            if (n < lk) {
                // attention_varlen_backward.tk:89: consume sums as _nothing {}
                const tk::cursor<1> _nothing_element = shared.sums[part].take(sums_next_2);
                tk::fence_async();
                shared.sums[part].release(_nothing_element);

                // attention_varlen_backward.tk:90: for (h, i) in rows { reduce_add(Sumb[i, h, ..
                #pragma unroll 1
                for (int h = g * group; h < (g + 1) * group; h += 1) {
                    #pragma unroll 1
                    for (int i = 0; i < end; i += 64) {
                        const tk::cursor<1> sums_element = shared.sums[part].take(sums_next_2);
                        tk::fence_async();
                        if (Sumb_end < Sumb_start + i + 64) {
                            tk::add_to_global(
                                tk::clipped(
                                    tk::dense_slice<0, 2>(Sum, {Sumb_start + i, h, part * 64},
                                                          h < H
                                                          ? tk::max(tk::min(Sumb_end, TQ), 0) -
                                                          (Sumb_start + i) : 0, 128 - part * 64),
                                    0 - (Sumb_start + i), 0),
                                tk::columns<64>(shared.sums_tile[sums_element.stage], 64 * part),
                                tk::lane_index(), 32);
                            if (leader) tk::tma_store_nothing();
                        } else if (leader) {
                            tk::tma_reduce_add(Sum_map,
                                               tk::columns<64>(shared.sums_tile[sums_element.stage],
                                                               64 * part), Sumb_start + i, h,
                                               part * 64);
                        }
                        if (leader) tk::tma_store_wait_read<0>();
                        shared.sums[part].release_after_loads(sums_element, tk::ordinary_alone{});
                    }
                }
            }
        }
    } else {
        // attention_varlen_backward.tk:59: role consumer(2 warpgroups) {
        tk::registers_at_least<232>();
        const int n_tiles = tk::tiles(tk::max(longest, 0), 128);
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> dss_next_2, dss_taken, qs_next;
        tk::cursor<1> kv_next, sums_next_2;
        const int program = blockIdx.x;
        const int n = program % n_tiles * 128;
        const int g = program / n_tiles % HKV;
        const int b = program / (n_tiles * HKV);

        // attention_varlen_backward.tk:30: let group = H / HKV;
        const int group = H / HKV;

        // attention_varlen_backward.tk:31: let lq = start_q[b + 1] - start_q[b];
        const int lq = tk::cell(start_q, b + 1) - tk::cell(start_q, b);

        // attention_varlen_backward.tk:32: let lk = start_k[b + 1] - start_k[b];
        const int lk = tk::cell(start_k, b + 1) - tk::cell(start_k, b);

        // attention_varlen_backward.tk:36: let dKb = dK[start_k[b] +: lk];          let dVb    = ..
        const int dKb_start = tk::cell(start_k, b);
        const int dKb_end = tk::cell(start_k, b) + lk;
        const int dVb_start = tk::cell(start_k, b);
        const int dVb_end = tk::cell(start_k, b) + lk;

        // attention_varlen_backward.tk:40: let end   = if WINDOW > 0 { min(n.end - 1 + WINDOW - ..
        const int end = lq;

        // attention_varlen_backward.tk:60: if n.start < lk {
        if (n < lk) {
            // attention_varlen_backward.tk:61: let t = consume kv;
            const tk::cursor<1> t = shared.kv.take(kv_next);

            // attention_varlen_backward.tk:62: var dk: f32[BN, D] = 0;
            tk::fragment<float, 64, 128> dk;
            tk::zero(dk);

            // attention_varlen_backward.tk:63: var dv: f32[BN, D] = 0;
            tk::fragment<float, 64, 128> dv;
            tk::zero(dv);

            // attention_varlen_backward.tk:64: var none: T[BN, BM] = 0;
            tk::fragment<tk::bf16, 64, 64> none;
            tk::map(none, []() { return tk::bf16(0.0f); });

            // attention_varlen_backward.tk:65: produce dss = none;
            shared.dss.wait_empty(dss_next_2);
            tk::store_shared(tk::rows<64>(shared.dss_tile[dss_next_2.stage], 64 * warpgroup), none,
                             thread);
            shared.dss.publish(dss_next_2);
            dss_next_2.advance();

            // attention_varlen_backward.tk:66: for (h, i) in rows {
            tk::fragment<float, 64, 64> p;
            for (int h = g * group; h < (g + 1) * group; h += 1) {
                for (int i = 0; i < end; i += 64) {
                    // attention_varlen_backward.tk:67: let q  = consume qs;
                    const tk::cursor<2> q_element = shared.qs.take(qs_next);

                    // attention_varlen_backward.tk:68: let s  = mma(t.k, q.T);
                    tk::fragment<float, 64, 64> s;
                    tk::mma_async(s, tk::rows<64>(shared.kv_k[t.stage], 64 * warpgroup),
                                  tk::transposed(shared.qs_tile[q_element.stage]),
                                  tk::accumulate_never{});

                    // attention_varlen_backward.tk:69: let o  = consume os;
                    shared.os.wait_full(q_element);

                    // attention_varlen_backward.tk:70: let dp = mma(t.v, o.T);
                    tk::fragment<float, 64, 64> dp;
                    tk::mma_async(dp, tk::rows<64>(shared.kv_v[t.stage], 64 * warpgroup),
                                  tk::transposed(shared.os_tile[q_element.stage]),
                                  tk::accumulate_never{});

                    // attention_varlen_backward.tk:74: let r  = consume ls;
                    shared.ls.wait_full(q_element);
                    tk::mma_wait<1>(s);

                    // <std.attention>:94: let p = where(seen, exp2(t * ((if SOFTCAP { cap } else ..
                    tk::row_fragment<float, 64> t0;
                    tk::load_shared(t0, shared.ls_l[q_element.stage], thread);
                    if (n + 64 * warpgroup + 64 <= lk && i + 64 <= lq) {
                        tk::map(p, [&](float s, float t0) {
                            return tk::exp2(tk::fma(s, scale * 1.442695f, -t0));
                        }, s, t0);
                    } else {
                        tk::map(p, thread, [&](int row, int col, float s, float t0) {
                            return n + 64 * warpgroup + row < lk && i + col < lq
                                ? tk::exp2(tk::fma(s, scale * 1.442695f, -t0)) : 0.0f;
                        }, s, t0);
                    }
                    tk::mma_wait<0>(dp);

                    // <std.attention>:100: let ds = T(p * (dp - delta));
                    tk::row_fragment<float, 64> t1;
                    tk::load_shared(t1, shared.ls_delta[q_element.stage], thread);
                    shared.ls.release_after_loads(q_element, tk::ordinary_alone{});
                    tk::fragment<tk::bf16, 64, 64> ds;
                    tk::map(ds, [](float p, float dp, float t1) { return p * (dp - t1); },
                            p, dp, t1);

                    // attention_varlen_backward.tk:75: let w  = attention.weigh<T>(s, dp, seen, ..
                    tk::fragment<tk::bf16, 64, 64> w_p = tk::convert<tk::bf16>(p);

                    // attention_varlen_backward.tk:76: dv += mma(w.p, o);
                    tk::mma_async(dv, w_p, shared.os_tile[q_element.stage]);

                    // attention_varlen_backward.tk:77: produce dss = w.ds;
                    shared.dss.wait_empty(dss_next_2);
                    tk::store_shared(
                        tk::rows<64>(shared.dss_tile[dss_next_2.stage], 64 * warpgroup), ds,
                        thread);
                    shared.dss.publish(dss_next_2);
                    dss_next_2.advance();

                    // attention_varlen_backward.tk:78: let dq = mma((consume dss).T, t.k);
                    const tk::cursor<2> dss_element = shared.dss.take(dss_taken);
                    tk::fragment<float, 64, 64> dq;
                    tk::mma_async(dq, tk::transposed(shared.dss_tile[dss_element.stage]),
                                  tk::columns<64>(shared.kv_k[t.stage], 64 * warpgroup),
                                  tk::accumulate_never{});

                    // attention_varlen_backward.tk:79: dk += mma(w.ds, q);
                    tk::mma_async(dk, ds, shared.qs_tile[q_element.stage]);

                    // attention_varlen_backward.tk:80: produce sums = dq;
                    shared.sums[warpgroup].wait_empty(sums_next_2);
                    tk::mma_wait<1>(dv, dq, w_p);
                    shared.os.release(q_element);
                    shared.dss.release(dss_element);
                    tk::store_shared(
                        tk::columns<64>(shared.sums_tile[sums_next_2.stage], 64 * warpgroup), dq,
                        thread);
                    shared.sums[warpgroup].publish(sums_next_2, tk::ordinary_alone{});
                    sums_next_2.advance();
                    tk::mma_wait<0>(dk, ds);
                    shared.qs.release(q_element);
                }
            }

            // attention_varlen_backward.tk:82: produce sums = mma((consume dss).T, t.k);
            const tk::cursor<2> dss_element_2 = shared.dss.take(dss_taken);
            tk::fragment<float, 64, 64> t3;
            tk::mma_async(t3, tk::transposed(shared.dss_tile[dss_element_2.stage]),
                          tk::columns<64>(shared.kv_k[t.stage], 64 * warpgroup),
                          tk::accumulate_never{});
            shared.sums[warpgroup].wait_empty(sums_next_2);
            tk::mma_wait<0>(t3);
            shared.dss.release(dss_element_2);
            shared.kv.release(t);
            tk::store_shared(tk::columns<64>(shared.sums_tile[sums_next_2.stage], 64 * warpgroup),
                             t3, thread);
            shared.sums[warpgroup].publish(sums_next_2, tk::ordinary_alone{});
            sums_next_2.advance();

            // attention_varlen_backward.tk:83: store(dKb[n, g, :], T(dk * scale));
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                tk::fragment<tk::bf16, 64, 64> t4;
                tk::map(t4, [&](float dk) { return dk * scale; }, tk::window<64, 64>(dk, 0, panel));
                tk::store_shared(shared.consumer_dK[warpgroup * 2 + panel / 64 % 2], t4, thread);
                tk::fence_async();
                tk::barrier_sync(1 + warpgroup, 128);
                if (dKb_end < dKb_start + n + warpgroup * 64 + 64) {
                    tk::copy_to_global(
                        tk::clipped(
                            tk::dense_slice<0, 2>(dK, {dKb_start + n + warpgroup * 64, g, panel},
                                                  tk::max(tk::min(dKb_end, TK), 0) -
                                                  (dKb_start + n + warpgroup * 64), 128 - panel),
                            0 - (dKb_start + n + warpgroup * 64), 0),
                        shared.consumer_dK[warpgroup * 2 + panel / 64 % 2]);
                    if (leader) tk::tma_store_nothing();
                } else if (leader) {
                    tk::tma_store(dK_map, shared.consumer_dK[warpgroup * 2 + panel / 64 % 2],
                                  dKb_start + n + warpgroup * 64, g, panel);
                }
            }

            // attention_varlen_backward.tk:84: store(dVb[n, g, :], T(dv));
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                tk::store_shared(shared.consumer_dK[warpgroup * 2 + panel / 64 % 2],
                                 tk::convert<tk::bf16>(tk::window<64, 64>(dv, 0, panel)), thread);
                tk::fence_async();
                tk::barrier_sync(1 + warpgroup, 128);
                if (dVb_end < dVb_start + n + warpgroup * 64 + 64) {
                    tk::copy_to_global(
                        tk::clipped(
                            tk::dense_slice<0, 2>(dV, {dVb_start + n + warpgroup * 64, g, panel},
                                                  tk::max(tk::min(dVb_end, TK), 0) -
                                                  (dVb_start + n + warpgroup * 64), 128 - panel),
                            0 - (dVb_start + n + warpgroup * 64), 0),
                        shared.consumer_dK[warpgroup * 2 + panel / 64 % 2]);
                    if (leader) tk::tma_store_nothing();
                } else if (leader) {
                    tk::tma_store(dV_map, shared.consumer_dK[warpgroup * 2 + panel / 64 % 2],
                                  dVb_start + n + warpgroup * 64, g, panel);
                }
            }
        }

        if (leader) tk::tma_store_wait_read<0>();
    }
}

// gradients_general: kernel gradients with T = bf16, D = 128, CAUSAL = false, WINDOW = 0, SOFTCAP =
// false, BM = 64, BN = 128; any strides and alignment.
// producer: 1 warp, 40 registers a thread; consumer: 2 warpgroups, 232 registers a thread; adder: 2
// warps, 40 registers a thread.
// 384 threads, 168 registers each at first, 197808 bytes of shared memory.
struct gradients_general_shared {
    tk::shared_tile<tk::bf16, 128, 128> kv_k[1];
    tk::shared_tile<tk::bf16, 128, 128> kv_v[1];
    tk::shared_tile<tk::bf16, 64, 128> qs_tile[2];
    tk::shared_tile<tk::bf16, 64, 128> os_tile[2];
    tk::shared_tile<float, 1, 64> ls_l[2];
    tk::shared_tile<float, 1, 64> ls_delta[2];
    tk::shared_tile<tk::bf16, 128, 64> dss_tile[2];
    tk::shared_tile<float, 64, 128> sums_tile[1];
    tk::pipeline<1> kv;
    tk::pipeline<2> qs;
    tk::pipeline<2> os;
    tk::pipeline<2> ls;
    tk::pipeline<2> dss;
    tk::pipeline<1> sums[2];
};
static_assert(offsetof(gradients_general_shared, sums) == 197776);

__global__ void __launch_bounds__(384, 1) gradients_general_kernel(
    const tk::tensor_argument<const tk::bf16, 3> Q, const tk::tensor_argument<const tk::bf16, 3> K,
    const tk::tensor_argument<const tk::bf16, 3> V, const tk::tensor_argument<const tk::bf16, 3> dO,
    const tk::tensor_argument<const float, 2> L, const tk::tensor_argument<const float, 2> Delta,
    const tk::tensor_argument<const int, 1> start_q,
    const tk::tensor_argument<const int, 1> start_k, const tk::tensor_argument<float, 3> Sum,
    const tk::tensor_argument<tk::bf16, 3> dK, const tk::tensor_argument<tk::bf16, 3> dV, int TQ,
    int H, int TK, int HKV, int B, int longest, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gradients_general_shared& shared = *reinterpret_cast<gradients_general_shared*>(memory);

    if (threadIdx.x == 0) {
        shared.kv.init(1, 8);
        shared.qs.init(1, 8);
        shared.os.init(1, 8);
        shared.ls.init(1, 8);
        shared.dss.init(8, 8);
        shared.sums[0].init(4, 1);
        shared.sums[1].init(4, 1);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        tk::registers_at_most<40>();
        const int n_tiles = tk::tiles(tk::max(longest, 0), 128);
        // attention_varlen_backward.tk:49: role producer(1 warp) registers(40) {
        if (warp == 8) {
            const int thread = int(threadIdx.x) - 256;
            tk::cursor<1> kv_next;
            tk::cursor<2> ls_next, os_next, qs_next;
            const int program = blockIdx.x;
            const int n = program % n_tiles * 128;
            const int g = program / n_tiles % HKV;
            const int b = program / (n_tiles * HKV);

            // attention_varlen_backward.tk:30: let group = H / HKV;
            const int group = H / HKV;

            // attention_varlen_backward.tk:31: let lq = start_q[b + 1] - start_q[b];
            const int lq = tk::cell(start_q, b + 1) - tk::cell(start_q, b);

            // attention_varlen_backward.tk:32: let lk = start_k[b + 1] - start_k[b];
            const int lk = tk::cell(start_k, b + 1) - tk::cell(start_k, b);

            // attention_varlen_backward.tk:33: let Qb  = Q[start_q[b] +: lq];           let dOb  ..
            const int Qb_start = tk::cell(start_q, b);
            const int Qb_end = tk::cell(start_q, b) + lq;
            const int dOb_start = tk::cell(start_q, b);
            const int dOb_end = tk::cell(start_q, b) + lq;

            // attention_varlen_backward.tk:34: let Lb  = L[0 +: H, start_q[b] +: lq];   let ..
            const int Lb_start = tk::cell(start_q, b);
            const int Lb_end = tk::cell(start_q, b) + lq;
            const int Deltab_start = tk::cell(start_q, b);
            const int Deltab_end = tk::cell(start_q, b) + lq;

            // attention_varlen_backward.tk:35: let Kb  = K[start_k[b] +: lk];           let Vb   ..
            const int Kb_start = tk::cell(start_k, b);
            const int Kb_end = tk::cell(start_k, b) + lk;
            const int Vb_start = tk::cell(start_k, b);
            const int Vb_end = tk::cell(start_k, b) + lk;

            // attention_varlen_backward.tk:40: let end   = if WINDOW > 0 { min(n.end - 1 + ..
            const int end = lq;

            // attention_varlen_backward.tk:50: if n.start < lk {
            if (n < lk) {
                // attention_varlen_backward.tk:51: produce kv { k = load(Kb[n, g, :]) ..
                shared.kv.wait_empty(kv_next);
                tk::copy_to_shared(shared.kv_k[kv_next.stage],
                                   tk::clipped(
                                       tk::slice<0, 2>(K, {Kb_start + n, g, 0},
                                                       tk::max(tk::min(Kb_end, TK), 0) -
                                                       (Kb_start + n), 128), 0 - (Kb_start + n), 0),
                                   thread, 32);
                tk::copy_to_shared(shared.kv_v[kv_next.stage],
                                   tk::clipped(
                                       tk::slice<0, 2>(V, {Vb_start + n, g, 0},
                                                       tk::max(tk::min(Vb_end, TK), 0) -
                                                       (Vb_start + n), 128), 0 - (Vb_start + n), 0),
                                   thread, 32);
                shared.kv.publish(kv_next);
                kv_next.advance();

                // attention_varlen_backward.tk:52: for (h, i) in rows {
                #pragma unroll 1
                for (int h = g * group; h < (g + 1) * group; h += 1) {
                    #pragma unroll 1
                    for (int i = 0; i < end; i += 64) {
                        // attention_varlen_backward.tk:53: produce qs = load(Qb[i, h, :]) ..
                        shared.qs.wait_empty(qs_next);
                        tk::copy_to_shared(shared.qs_tile[qs_next.stage],
                                           tk::clipped(
                                               tk::slice<0, 2>(Q, {Qb_start + i, h, 0},
                                                               h < H
                                                               ? tk::max(tk::min(Qb_end, TQ), 0) -
                                                               (Qb_start + i) : 0, 128),
                                               0 - (Qb_start + i), 0), thread, 32);
                        shared.qs.publish(qs_next);
                        qs_next.advance();

                        // attention_varlen_backward.tk:54: produce ls { l = load(Lb[h, i]) ..
                        shared.ls.wait_empty(ls_next);
                        tk::copy_to_shared(
                            shared.ls_l[ls_next.stage],
                            tk::clipped(
                                tk::slice<tk::no_axis, 1>(L, {h, Lb_start + i}, 1,
                                                          h < H
                                                          ? tk::max(
                                                              tk::min(Lb_end,
                                                                      tk::divide_up(TQ, 64) * 64),
                                                              0) - (Lb_start + i) : 0), 0,
                                0 - (Lb_start + i)), thread, 32);
                        tk::copy_to_shared(
                            shared.ls_delta[ls_next.stage],
                            tk::clipped(
                                tk::slice<tk::no_axis, 1>(Delta, {h, Deltab_start + i}, 1,
                                                          h < H
                                                          ? tk::max(
                                                              tk::min(Deltab_end,
                                                                      tk::divide_up(TQ, 64) * 64),
                                                              0) - (Deltab_start + i) : 0), 0,
                                0 - (Deltab_start + i)), thread, 32);
                        shared.ls.publish(ls_next, tk::ordinary_alone{});
                        ls_next.advance();

                        // attention_varlen_backward.tk:55: produce os = load(dOb[i, h, :]) ..
                        shared.os.wait_empty(os_next);
                        tk::copy_to_shared(shared.os_tile[os_next.stage],
                                           tk::clipped(
                                               tk::slice<0, 2>(dO, {dOb_start + i, h, 0},
                                                               h < H
                                                               ? tk::max(tk::min(dOb_end, TQ), 0) -
                                                               (dOb_start + i) : 0, 128),
                                               0 - (dOb_start + i), 0), thread, 32);
                        shared.os.publish(os_next);
                        os_next.advance();
                    }
                }
            }
        }
        // attention_varlen_backward.tk:87: role adder(2 warps) registers(40) {
        if (warp >= 9 && warp < 11) {
            const int part = warp - 9;
            const bool leader = tk::elect_one();
            tk::cursor<1> sums_next_2;
            const int program = blockIdx.x;
            const int n = program % n_tiles * 128;
            const int g = program / n_tiles % HKV;
            const int b = program / (n_tiles * HKV);

            // attention_varlen_backward.tk:30: let group = H / HKV;
            const int group = H / HKV;

            // attention_varlen_backward.tk:31: let lq = start_q[b + 1] - start_q[b];
            const int lq = tk::cell(start_q, b + 1) - tk::cell(start_q, b);

            // attention_varlen_backward.tk:32: let lk = start_k[b + 1] - start_k[b];
            const int lk = tk::cell(start_k, b + 1) - tk::cell(start_k, b);

            // attention_varlen_backward.tk:37: let Sumb = Sum[start_q[b] +: lq];
            const int Sumb_start = tk::cell(start_q, b);
            const int Sumb_end = tk::cell(start_q, b) + lq;

            // attention_varlen_backward.tk:40: let end   = if WINDOW > 0 { min(n.end - 1 + ..
            const int end = lq;

            // attention_varlen_backward.tk:88: if n.start < lk {
            if (n < lk) {
                // attention_varlen_backward.tk:89: consume sums as _nothing {}
                const tk::cursor<1> _nothing_element = shared.sums[part].take(sums_next_2);
                shared.sums[part].release(_nothing_element);

                // attention_varlen_backward.tk:90: for (h, i) in rows { reduce_add(Sumb[i, h, ..
                #pragma unroll 1
                for (int h = g * group; h < (g + 1) * group; h += 1) {
                    #pragma unroll 1
                    for (int i = 0; i < end; i += 64) {
                        const tk::cursor<1> sums_element = shared.sums[part].take(sums_next_2);
                        tk::add_to_global(
                            tk::clipped(
                                tk::slice<0, 2>(Sum, {Sumb_start + i, h, part * 64},
                                                h < H
                                                ? tk::max(tk::min(Sumb_end, TQ), 0) -
                                                (Sumb_start + i) : 0, 128 - part * 64),
                                0 - (Sumb_start + i), 0),
                            tk::columns<64>(shared.sums_tile[sums_element.stage], 64 * part),
                            tk::lane_index(), 32);
                        if (leader) {
                            tk::tma_store_nothing();
                            tk::tma_store_wait_read<0>();
                        }
                        shared.sums[part].release_after_loads(sums_element, tk::ordinary_alone{});
                    }
                }
            }
        }
    } else {
        // attention_varlen_backward.tk:59: role consumer(2 warpgroups) {
        tk::registers_at_least<232>();
        const int n_tiles = tk::tiles(tk::max(longest, 0), 128);
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        tk::cursor<2> dss_next_2, dss_taken, qs_next;
        tk::cursor<1> kv_next, sums_next_2;
        const int program = blockIdx.x;
        const int n = program % n_tiles * 128;
        const int g = program / n_tiles % HKV;
        const int b = program / (n_tiles * HKV);

        // attention_varlen_backward.tk:30: let group = H / HKV;
        const int group = H / HKV;

        // attention_varlen_backward.tk:31: let lq = start_q[b + 1] - start_q[b];
        const int lq = tk::cell(start_q, b + 1) - tk::cell(start_q, b);

        // attention_varlen_backward.tk:32: let lk = start_k[b + 1] - start_k[b];
        const int lk = tk::cell(start_k, b + 1) - tk::cell(start_k, b);

        // attention_varlen_backward.tk:36: let dKb = dK[start_k[b] +: lk];          let dVb    = ..
        const int dKb_start = tk::cell(start_k, b);
        const int dKb_end = tk::cell(start_k, b) + lk;
        const int dVb_start = tk::cell(start_k, b);
        const int dVb_end = tk::cell(start_k, b) + lk;

        // attention_varlen_backward.tk:40: let end   = if WINDOW > 0 { min(n.end - 1 + WINDOW - ..
        const int end = lq;

        // attention_varlen_backward.tk:60: if n.start < lk {
        if (n < lk) {
            // attention_varlen_backward.tk:61: let t = consume kv;
            const tk::cursor<1> t = shared.kv.take(kv_next);

            // attention_varlen_backward.tk:62: var dk: f32[BN, D] = 0;
            tk::fragment<float, 64, 128> dk;
            tk::zero(dk);

            // attention_varlen_backward.tk:63: var dv: f32[BN, D] = 0;
            tk::fragment<float, 64, 128> dv;
            tk::zero(dv);

            // attention_varlen_backward.tk:64: var none: T[BN, BM] = 0;
            tk::fragment<tk::bf16, 64, 64> none;
            tk::map(none, []() { return tk::bf16(0.0f); });

            // attention_varlen_backward.tk:65: produce dss = none;
            shared.dss.wait_empty(dss_next_2);
            tk::store_shared(tk::rows<64>(shared.dss_tile[dss_next_2.stage], 64 * warpgroup), none,
                             thread);
            shared.dss.publish(dss_next_2);
            dss_next_2.advance();

            // attention_varlen_backward.tk:66: for (h, i) in rows {
            tk::fragment<float, 64, 64> p;
            for (int h = g * group; h < (g + 1) * group; h += 1) {
                for (int i = 0; i < end; i += 64) {
                    // attention_varlen_backward.tk:67: let q  = consume qs;
                    const tk::cursor<2> q_element = shared.qs.take(qs_next);

                    // attention_varlen_backward.tk:68: let s  = mma(t.k, q.T);
                    tk::fragment<float, 64, 64> s;
                    tk::mma_async(s, tk::rows<64>(shared.kv_k[t.stage], 64 * warpgroup),
                                  tk::transposed(shared.qs_tile[q_element.stage]),
                                  tk::accumulate_never{});

                    // attention_varlen_backward.tk:69: let o  = consume os;
                    shared.os.wait_full(q_element);

                    // attention_varlen_backward.tk:70: let dp = mma(t.v, o.T);
                    tk::fragment<float, 64, 64> dp;
                    tk::mma_async(dp, tk::rows<64>(shared.kv_v[t.stage], 64 * warpgroup),
                                  tk::transposed(shared.os_tile[q_element.stage]),
                                  tk::accumulate_never{});

                    // attention_varlen_backward.tk:74: let r  = consume ls;
                    shared.ls.wait_full(q_element);
                    tk::mma_wait<1>(s);

                    // <std.attention>:94: let p = where(seen, exp2(t * ((if SOFTCAP { cap } else ..
                    tk::row_fragment<float, 64> t0;
                    tk::load_shared(t0, shared.ls_l[q_element.stage], thread);
                    if (n + 64 * warpgroup + 64 <= lk && i + 64 <= lq) {
                        tk::map(p, [&](float s, float t0) {
                            return tk::exp2(tk::fma(s, scale * 1.442695f, -t0));
                        }, s, t0);
                    } else {
                        tk::map(p, thread, [&](int row, int col, float s, float t0) {
                            return n + 64 * warpgroup + row < lk && i + col < lq
                                ? tk::exp2(tk::fma(s, scale * 1.442695f, -t0)) : 0.0f;
                        }, s, t0);
                    }
                    tk::mma_wait<0>(dp);

                    // <std.attention>:100: let ds = T(p * (dp - delta));
                    tk::row_fragment<float, 64> t1;
                    tk::load_shared(t1, shared.ls_delta[q_element.stage], thread);
                    shared.ls.release_after_loads(q_element, tk::ordinary_alone{});
                    tk::fragment<tk::bf16, 64, 64> ds;
                    tk::map(ds, [](float p, float dp, float t1) { return p * (dp - t1); },
                            p, dp, t1);

                    // attention_varlen_backward.tk:75: let w  = attention.weigh<T>(s, dp, seen, ..
                    tk::fragment<tk::bf16, 64, 64> w_p = tk::convert<tk::bf16>(p);

                    // attention_varlen_backward.tk:76: dv += mma(w.p, o);
                    tk::mma_async(dv, w_p, shared.os_tile[q_element.stage]);

                    // attention_varlen_backward.tk:77: produce dss = w.ds;
                    shared.dss.wait_empty(dss_next_2);
                    tk::store_shared(
                        tk::rows<64>(shared.dss_tile[dss_next_2.stage], 64 * warpgroup), ds,
                        thread);
                    shared.dss.publish(dss_next_2);
                    dss_next_2.advance();

                    // attention_varlen_backward.tk:78: let dq = mma((consume dss).T, t.k);
                    const tk::cursor<2> dss_element = shared.dss.take(dss_taken);
                    tk::fragment<float, 64, 64> dq;
                    tk::mma_async(dq, tk::transposed(shared.dss_tile[dss_element.stage]),
                                  tk::columns<64>(shared.kv_k[t.stage], 64 * warpgroup),
                                  tk::accumulate_never{});

                    // attention_varlen_backward.tk:79: dk += mma(w.ds, q);
                    tk::mma_async(dk, ds, shared.qs_tile[q_element.stage]);

                    // attention_varlen_backward.tk:80: produce sums = dq;
                    shared.sums[warpgroup].wait_empty(sums_next_2);
                    tk::mma_wait<1>(dv, dq, w_p);
                    shared.os.release(q_element);
                    shared.dss.release(dss_element);
                    tk::store_shared(
                        tk::columns<64>(shared.sums_tile[sums_next_2.stage], 64 * warpgroup), dq,
                        thread);
                    shared.sums[warpgroup].publish(sums_next_2, tk::ordinary_alone{});
                    sums_next_2.advance();
                    tk::mma_wait<0>(dk, ds);
                    shared.qs.release(q_element);
                }
            }

            // attention_varlen_backward.tk:82: produce sums = mma((consume dss).T, t.k);
            const tk::cursor<2> dss_element_2 = shared.dss.take(dss_taken);
            tk::fragment<float, 64, 64> t3;
            tk::mma_async(t3, tk::transposed(shared.dss_tile[dss_element_2.stage]),
                          tk::columns<64>(shared.kv_k[t.stage], 64 * warpgroup),
                          tk::accumulate_never{});
            shared.sums[warpgroup].wait_empty(sums_next_2);
            tk::mma_wait<0>(t3);
            shared.dss.release(dss_element_2);
            shared.kv.release(t);
            tk::store_shared(tk::columns<64>(shared.sums_tile[sums_next_2.stage], 64 * warpgroup),
                             t3, thread);
            shared.sums[warpgroup].publish(sums_next_2, tk::ordinary_alone{});
            sums_next_2.advance();

            // attention_varlen_backward.tk:83: store(dKb[n, g, :], T(dk * scale));
            tk::fragment<tk::bf16, 64, 128> t4;
            tk::map(t4, [&](float dk) { return dk * scale; }, dk);
            tk::store_global(
                tk::clipped(
                    tk::slice<0, 2>(dK, {dKb_start + n + 64 * warpgroup, g, 0},
                                    tk::max(tk::min(dKb_end, TK), 0) -
                                    (dKb_start + n + 64 * warpgroup), 128),
                    0 - (dKb_start + n + 64 * warpgroup), 0), t4, thread);

            // attention_varlen_backward.tk:84: store(dVb[n, g, :], T(dv));
            tk::fragment<tk::bf16, 64, 128> t5 = tk::convert<tk::bf16>(dv);
            tk::store_global(
                tk::clipped(
                    tk::slice<0, 2>(dV, {dVb_start + n + 64 * warpgroup, g, 0},
                                    tk::max(tk::min(dVb_end, TK), 0) -
                                    (dVb_start + n + 64 * warpgroup), 128),
                    0 - (dVb_start + n + 64 * warpgroup), 0), t5, thread);
        }
    }
}

// scaled: kernel scaled with T = bf16, D = 128, BM = 16.
// 128 threads, 48 registers each: scaled_kernel<10, 16, 8, true>.
// scaled_general: kernel scaled with T = bf16, D = 128, BM = 16; any strides and alignment.
// 128 threads, 255 registers each: scaled_kernel<1, 32, 2, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) scaled_kernel(
    const tk::tensor_argument<const float, 3> Sum, const tk::tensor_argument<tk::bf16, 3> dQ,
    int TQ, int H, float scale) {
    tk::wait_for_previous_kernel();

    const int m_tiles = tk::tiles(TQ, 16);

    // attention_varlen_backward.tk:95: kernel scaled<T: dtype = bf16, D: int = 128, BM: int = ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int m = program % m_tiles * 16;
    const int h = program / m_tiles;

    // attention_varlen_backward.tk:98: store(dQ[m, h, :], T(load(Sum[m, h, :]) * scale));
    tk::stripe<float, 16, 128, 128, row_threads, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_dense<vectors, 0, 2>(Sum, {m, h, 0}, TQ - m, 128),
                            thread);
    tk::stripe<tk::bf16, 16, 128, 128, row_threads, vector> t1;
    tk::map(t1, [&](float t0) { return t0 * scale; }, t0);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors, 0, 2>(dQ, {m, h, 0}, TQ - m, 128), t1,
                             thread);
}

namespace {
tk::status launch_row_sums(const tk::launch_site& site, const tk::tensor& O, const tk::tensor& dO,
                           const tk::tensor& LSE, const tk::tensor& L, const tk::tensor& Delta,
                           int64_t TQ, int64_t H) {
    return tk::run<row_sums_kernel<7, 16, 8, true>>(
        site, 0, tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(TQ, 64) * 64, 16), 0), H), O, dO, LSE, L,
        Delta, TQ, H);
}

tk::status launch_row_sums_general(const tk::launch_site& site, const tk::tensor& O,
                                   const tk::tensor& dO, const tk::tensor& LSE, const tk::tensor& L,
                                   const tk::tensor& Delta, int64_t TQ, int64_t H) {
    return tk::run<row_sums_kernel<1, 32, 2, false>>(
        site, 0, tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(TQ, 64) * 64, 16), 0), H), O, dO, LSE, L,
        Delta, TQ, H);
}

tk::status launch_gradients(
    const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K, const tk::tensor& V,
    const tk::tensor& dO, const tk::tensor& L, const tk::tensor& Delta, const tk::tensor& start_q,
    const tk::tensor& start_k, const tk::tensor& Sum, const tk::tensor& dK, const tk::tensor& dV,
    int64_t TQ, int64_t H, int64_t TK, int64_t HKV, int64_t B, int32_t longest, float scale) {
    return tk::run<gradients_kernel>(
        site, sizeof(gradients_shared), tk::kernel_shape(384).overlapping(),
        tk::multiply(tk::multiply(tk::larger(tk::ceil_div(int64_t{longest}, 128), 0), HKV), B),
        tk::box{K, {128, 1, 64}, 128}, tk::box{V, {128, 1, 64}, 128}, tk::box{Q, {64, 1, 64}, 128},
        tk::box{dO, {64, 1, 64}, 128}, tk::box{dK, {64, 1, 64}, 128}, tk::box{dV, {64, 1, 64}, 128},
        tk::box{Sum, {64, 1, 32}, 128}, L, Delta, start_q, start_k, Sum, dK, dV, TQ, H, TK, HKV, B,
        longest, scale);
}

tk::status launch_gradients_general(
    const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K, const tk::tensor& V,
    const tk::tensor& dO, const tk::tensor& L, const tk::tensor& Delta, const tk::tensor& start_q,
    const tk::tensor& start_k, const tk::tensor& Sum, const tk::tensor& dK, const tk::tensor& dV,
    int64_t TQ, int64_t H, int64_t TK, int64_t HKV, int64_t B, int32_t longest, float scale) {
    return tk::run<gradients_general_kernel>(
        site, sizeof(gradients_general_shared), tk::kernel_shape(384).overlapping(),
        tk::multiply(tk::multiply(tk::larger(tk::ceil_div(int64_t{longest}, 128), 0), HKV), B), Q,
        K, V, dO, L, Delta, start_q, start_k, Sum, dK, dV, TQ, H, TK, HKV, B, longest, scale);
}

tk::status launch_scaled(const tk::launch_site& site, const tk::tensor& Sum, const tk::tensor& dQ,
                         int64_t TQ, int64_t H, float scale) {
    return tk::run<scaled_kernel<10, 16, 8, true>>(site, 0, tk::kernel_shape(128).overlapping(),
                                                   tk::multiply(tk::ceil_div(TQ, 16), H), Sum, dQ,
                                                   TQ, H, scale);
}

tk::status launch_scaled_general(const tk::launch_site& site, const tk::tensor& Sum,
                                 const tk::tensor& dQ, int64_t TQ, int64_t H, float scale) {
    return tk::run<scaled_kernel<1, 32, 2, false>>(site, 0, tk::kernel_shape(128).overlapping(),
                                                   tk::multiply(tk::ceil_div(TQ, 16), H), Sum, dQ,
                                                   TQ, H, scale);
}

}  // namespace

extern "C" {
int row_sums(const DLTensor* O_given, const DLTensor* dO_given, const DLTensor* LSE_given,
             DLTensor* L_given, DLTensor* Delta_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"row_sums"};
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor L = call.take("L", L_given, tk::dtype_f32, 2, tk::access::write);
    const tk::tensor Delta = call.take("Delta", Delta_given, tk::dtype_f32, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t TQ = O.shape[0];
    const int64_t H = O.shape[1];
    call.require(
        {tk::fixed_extent(O, 2, 128), tk::same_extent("TQ", O, 0, dO, 0),
         tk::same_extent("H", O, 1, dO, 1), tk::fixed_extent(dO, 2, 128),
         tk::same_extent("H", O, 1, LSE, 0), tk::same_extent("TQ", O, 0, LSE, 1),
         tk::same_extent("H", O, 1, L, 0), tk::same_extent("H", O, 1, Delta, 0),
         tk::extents_fit({{"TQ", TQ}, {"H", H}}),
         tk::that(L.shape[1] == tk::ceil_div(TQ, 64) * 64,
                  "axis 1 of `L` is {}; it must be `ceil_div(TQ, 64)*64`, which is {}",
                  {L.shape[1], tk::ceil_div(TQ, 64) * 64}),
         tk::that(Delta.shape[1] == tk::ceil_div(TQ, 64) * 64,
                  "axis 1 of `Delta` is {}; it must be `ceil_div(TQ, 64)*64`, which is {}",
                  {Delta.shape[1], tk::ceil_div(TQ, 64) * 64}),
         tk::grid_fits(tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(TQ, 64) * 64, 16), 0), H),
                       2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs =
        tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(TQ, 64) * 64, 16), 0), H);
    const bool fast = tk::hold({
        tk::suits_fast(O), tk::suits_fast(dO), tk::suits_fast(LSE, "TQ"), tk::whole_vectors(LSE, 8),
        tk::suits_fast(L), tk::that(tk::ceil_div(TQ, 64) * 64 % 8 == 0)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<row_sums_kernel<7, 16, 8, true>, row_sums_kernel<1, 32, 2, false>>(
            fast ? 0 : 1, site, 0, tk::kernel_shape(128).overlapping(), programs, O, dO, LSE, L,
            Delta, TQ, H));
}
TK_NO_WORKSPACE(row_sums, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*)

int gradients(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
              const DLTensor* dO_given, const DLTensor* L_given, const DLTensor* Delta_given,
              const DLTensor* start_q_given, const DLTensor* start_k_given, DLTensor* Sum_given,
              DLTensor* dK_given, DLTensor* dV_given, int32_t longest, float scale, float cap,
              void*, size_t, cudaStream_t stream) {
    tk::arguments call{"gradients"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor L = call.take("L", L_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor Delta = call.take("Delta", Delta_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor start_q = call.take("start_q", start_q_given, tk::dtype_i32, 1,
                                         tk::access::read);
    const tk::tensor start_k = call.take("start_k", start_k_given, tk::dtype_i32, 1,
                                         tk::access::read);
    const tk::tensor Sum = call.take("Sum", Sum_given, tk::dtype_f32, 3, tk::access::accumulate);
    const tk::tensor dK = call.take("dK", dK_given, tk::dtype_bf16, 3, tk::access::write);
    const tk::tensor dV = call.take("dV", dV_given, tk::dtype_bf16, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t TQ = Q.shape[0];
    const int64_t H = Q.shape[1];
    const int64_t TK = K.shape[0];
    const int64_t HKV = K.shape[1];
    const int64_t B = start_q.shape[0] - 1;
    call.require({
        tk::fixed_extent(Q, 2, 128), tk::fixed_extent(K, 2, 128), tk::same_extent("TK", K, 0, V, 0),
        tk::same_extent("HKV", K, 1, V, 1), tk::fixed_extent(V, 2, 128),
        tk::same_extent("TQ", Q, 0, dO, 0), tk::same_extent("H", Q, 1, dO, 1),
        tk::fixed_extent(dO, 2, 128), tk::same_extent("H", Q, 1, L, 0),
        tk::same_extent("H", Q, 1, Delta, 0), tk::same_extent("TQ", Q, 0, Sum, 0),
        tk::same_extent("H", Q, 1, Sum, 1), tk::fixed_extent(Sum, 2, 128),
        tk::same_extent("TK", K, 0, dK, 0), tk::same_extent("HKV", K, 1, dK, 1),
        tk::fixed_extent(dK, 2, 128), tk::same_extent("TK", K, 0, dV, 0),
        tk::same_extent("HKV", K, 1, dV, 1), tk::fixed_extent(dV, 2, 128),
        tk::extents_fit({{"TQ", TQ}, {"H", H}, {"TK", TK}, {"HKV", HKV}}),
        tk::that(0 <= B, "axis 0 of `start_q` is {}; it is `B + 1`, at least 1",
                 {start_q.shape[0]}), tk::extents_fit({{"B", B}}),
        tk::that(L.shape[1] == tk::ceil_div(TQ, 64) * 64,
                 "axis 1 of `L` is {}; it must be `ceil_div(TQ, 64)*64`, which is {}",
                 {L.shape[1], tk::ceil_div(TQ, 64) * 64}),
        tk::that(Delta.shape[1] == tk::ceil_div(TQ, 64) * 64,
                 "axis 1 of `Delta` is {}; it must be `ceil_div(TQ, 64)*64`, which is {}",
                 {Delta.shape[1], tk::ceil_div(TQ, 64) * 64}),
        tk::that(start_k.shape[0] == B + 1,
                 "axis 0 of `start_k` is {}; it must be `B + 1`, which is {}",
                 {start_k.shape[0], B + 1}),
        tk::that(1 <= HKV, "`H%HKV` divides by `HKV`, which is {}: it must be at least 1", {HKV}),
        tk::that(tk::floor_mod(H, HKV) == 0, "`gradients` requires `H % HKV == 0`"),
        tk::that(0 < HKV, "`HKV` is at least 1, because `gradients` divides by it"),
        tk::fits("longest + 127", int64_t{longest} + 127),
        tk::grid_fits(tk::multiply(tk::larger(tk::ceil_div(int64_t{longest}, 128), 0), HKV),
                      2147483648),
        tk::grid_fits(
            tk::multiply(tk::multiply(tk::larger(tk::ceil_div(int64_t{longest}, 128), 0), HKV), B),
            2147483648), tk::fits("lk - lq", TK - (0 - TQ)),
        tk::that(-2147483648 <= 0 - TK - TQ, "`lk - lq` reaches {}; it must fit in 32 bits",
                 {0 - TK - TQ}), tk::fits("Kb_start + n.start", TK + (int64_t{longest} - 1)),
        tk::fits("g*group", tk::multiply(HKV - 1, tk::floor_div(H, HKV))),
        tk::fits("(g + 1)*group", tk::multiply(HKV - 1 + 1, tk::floor_div(H, HKV))),
        tk::fits("Qb_start + i.start", TQ + (TQ - 1)),
        tk::fits("n.start + row_index", int64_t{longest} - 1 + 262143)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs =
        tk::multiply(tk::multiply(tk::larger(tk::ceil_div(int64_t{longest}, 128), 0), HKV), B);

    // The general one only where the other does not suit.
    tk::selection choice{call};
    choice.candidate();  // gradients
    choice.prefer(
        {tk::suits_fast(Q), tk::suits_fast(K), tk::suits_fast(V), tk::suits_fast(dO),
         tk::suits_fast(Sum), tk::suits_fast(dK), tk::suits_fast(dV)});
    choice.require({tk::fits("Sumb_start + i.start + 64", TQ + (TQ - 1) + 64)});
    choice.offer();
    choice.candidate(true);  // gradients_general
    choice.offer();
    if (!choice.ok()) return tk::finish(choice.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    TK_FINISH_IF_FAILED(tk::clear(Sum, site));
    const int best = choice.best(site);
    if (best == 0) {
        return tk::finish(tk::run<gradients_kernel>(
            site, sizeof(gradients_shared), tk::kernel_shape(384).overlapping(), programs,
            tk::box{K, {128, 1, 64}, 128}, tk::box{V, {128, 1, 64}, 128},
            tk::box{Q, {64, 1, 64}, 128}, tk::box{dO, {64, 1, 64}, 128},
            tk::box{dK, {64, 1, 64}, 128}, tk::box{dV, {64, 1, 64}, 128},
            tk::box{Sum, {64, 1, 32}, 128}, L, Delta, start_q, start_k, Sum, dK, dV, TQ, H, TK, HKV,
            B, longest, scale));
    }
    return tk::finish(tk::run<gradients_general_kernel>(
        site, sizeof(gradients_general_shared), tk::kernel_shape(384).overlapping(), programs, Q, K,
        V, dO, L, Delta, start_q, start_k, Sum, dK, dV, TQ, H, TK, HKV, B, longest, scale));
}
TK_NO_WORKSPACE(gradients, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, int32_t, float, float)

int scaled(const DLTensor* Sum_given, DLTensor* dQ_given, float scale, void*, size_t,
           cudaStream_t stream) {
    tk::arguments call{"scaled"};
    const tk::tensor Sum = call.take("Sum", Sum_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor dQ = call.take("dQ", dQ_given, tk::dtype_bf16, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t TQ = Sum.shape[0];
    const int64_t H = Sum.shape[1];
    call.require(
        {tk::fixed_extent(Sum, 2, 128), tk::same_extent("TQ", Sum, 0, dQ, 0),
         tk::same_extent("H", Sum, 1, dQ, 1), tk::fixed_extent(dQ, 2, 128),
         tk::extents_fit({{"TQ", TQ}, {"H", H}}),
         tk::grid_fits(tk::multiply(tk::ceil_div(TQ, 16), H), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::ceil_div(TQ, 16), H);
    const bool fast = tk::hold({tk::suits_fast(Sum), tk::suits_fast(dQ)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<scaled_kernel<10, 16, 8, true>, scaled_kernel<1, 32, 2, false>>(
            fast ? 0 : 1, site, 0, tk::kernel_shape(128).overlapping(), programs, Sum, dQ, TQ, H,
            scale));
}
TK_NO_WORKSPACE(scaled, const DLTensor*, DLTensor*, float)

int attention_varlen_backward(
    const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
    const DLTensor* O_given, const DLTensor* LSE_given, const DLTensor* dO_given,
    const DLTensor* start_q_given, const DLTensor* start_k_given, DLTensor* dQ_given,
    DLTensor* dK_given, DLTensor* dV_given, DLTensor* L_given, DLTensor* Delta_given,
    DLTensor* Sum_given, int32_t longest, float scale, float cap, void*, size_t,
    cudaStream_t stream) {
    tk::arguments call{"attention_varlen_backward"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor start_q = call.take("start_q", start_q_given, tk::dtype_i32, 1,
                                         tk::access::read);
    const tk::tensor start_k = call.take("start_k", start_k_given, tk::dtype_i32, 1,
                                         tk::access::read);
    const tk::tensor dQ = call.take("dQ", dQ_given, tk::dtype_bf16, 3, tk::access::write);
    const tk::tensor dK = call.take("dK", dK_given, tk::dtype_bf16, 3, tk::access::write);
    const tk::tensor dV = call.take("dV", dV_given, tk::dtype_bf16, 3, tk::access::write);
    const tk::tensor L = call.take("L", L_given, tk::dtype_f32, 2, tk::access::write);
    const tk::tensor Delta = call.take("Delta", Delta_given, tk::dtype_f32, 2, tk::access::write);
    const tk::tensor Sum = call.take("Sum", Sum_given, tk::dtype_f32, 3, tk::access::accumulate);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t TQ = Q.shape[0];
    const int64_t H = Q.shape[1];
    const int64_t TK = K.shape[0];
    const int64_t HKV = K.shape[1];
    const int64_t B = start_q.shape[0] - 1;
    call.require({
        tk::fixed_extent(Q, 2, 128), tk::fixed_extent(K, 2, 128), tk::same_extent("TK", K, 0, V, 0),
        tk::same_extent("HKV", K, 1, V, 1), tk::fixed_extent(V, 2, 128),
        tk::same_extent("TQ", Q, 0, O, 0), tk::same_extent("H", Q, 1, O, 1),
        tk::fixed_extent(O, 2, 128), tk::same_extent("H", Q, 1, LSE, 0),
        tk::same_extent("TQ", Q, 0, LSE, 1), tk::same_extent("TQ", Q, 0, dO, 0),
        tk::same_extent("H", Q, 1, dO, 1), tk::fixed_extent(dO, 2, 128),
        tk::same_extent("TQ", Q, 0, dQ, 0), tk::same_extent("H", Q, 1, dQ, 1),
        tk::fixed_extent(dQ, 2, 128), tk::same_extent("TK", K, 0, dK, 0),
        tk::same_extent("HKV", K, 1, dK, 1), tk::fixed_extent(dK, 2, 128),
        tk::same_extent("TK", K, 0, dV, 0), tk::same_extent("HKV", K, 1, dV, 1),
        tk::fixed_extent(dV, 2, 128), tk::same_extent("H", Q, 1, L, 0),
        tk::same_extent("H", Q, 1, Delta, 0), tk::same_extent("TQ", Q, 0, Sum, 0),
        tk::same_extent("H", Q, 1, Sum, 1), tk::fixed_extent(Sum, 2, 128),
        tk::extents_fit({{"TQ", TQ}, {"H", H}, {"TK", TK}, {"HKV", HKV}}),
        tk::that(0 <= B, "axis 0 of `start_q` is {}; it is `B + 1`, at least 1",
                 {start_q.shape[0]}), tk::extents_fit({{"B", B}}),
        tk::that(start_k.shape[0] == B + 1,
                 "axis 0 of `start_k` is {}; it must be `B + 1`, which is {}",
                 {start_k.shape[0], B + 1}),
        tk::that(L.shape[1] == tk::ceil_div(TQ, 64) * 64,
                 "axis 1 of `L` is {}; it must be `ceil_div(TQ, 64)*64`, which is {}",
                 {L.shape[1], tk::ceil_div(TQ, 64) * 64}),
        tk::that(Delta.shape[1] == tk::ceil_div(TQ, 64) * 64,
                 "axis 1 of `Delta` is {}; it must be `ceil_div(TQ, 64)*64`, which is {}",
                 {Delta.shape[1], tk::ceil_div(TQ, 64) * 64}),
        tk::that(1 <= HKV, "`H%HKV` divides by `HKV`, which is {}: it must be at least 1", {HKV}),
        tk::that(tk::floor_mod(H, HKV) == 0, "`attention_varlen_backward` requires `H % HKV == 0`"),
        tk::that(0 < HKV,
                 "`HKV` is at least 1, because `attention_varlen_backward` divides by it")});
    // row_sums(O, dO, LSE, L, Delta)
    call.require({
        tk::grid_fits(tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(TQ, 64) * 64, 16), 0), H),
                      2147483648)});
    // gradients(Q, K, V, dO, L, Delta, start_q, start_k, Sum, dK, dV, longest, scale, cap)
    call.require(
        {tk::fits("longest + 127", int64_t{longest} + 127),
         tk::grid_fits(tk::multiply(tk::larger(tk::ceil_div(int64_t{longest}, 128), 0), HKV),
                       2147483648),
         tk::grid_fits(
             tk::multiply(tk::multiply(tk::larger(tk::ceil_div(int64_t{longest}, 128), 0), HKV), B),
             2147483648), tk::fits("lk - lq", TK - (0 - TQ)),
         tk::that(-2147483648 <= 0 - TK - TQ, "`lk - lq` reaches {}; it must fit in 32 bits",
                  {0 - TK - TQ}), tk::fits("Kb_start + n.start", TK + (int64_t{longest} - 1)),
         tk::fits("g*group", tk::multiply(HKV - 1, tk::floor_div(H, HKV))),
         tk::fits("(g + 1)*group", tk::multiply(HKV - 1 + 1, tk::floor_div(H, HKV))),
         tk::fits("Qb_start + i.start", TQ + (TQ - 1)),
         tk::fits("n.start + row_index", int64_t{longest} - 1 + 262143)});
    // scaled(Sum, dQ, scale)
    call.require({tk::grid_fits(tk::multiply(tk::ceil_div(TQ, 16), H), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());

    // row_sums(O, dO, LSE, L, Delta)
    const bool choice_1 = tk::hold(
        {tk::suits_fast(O), tk::suits_fast(dO), tk::suits_fast(LSE, "TQ"),
         tk::whole_vectors(LSE, 8), tk::suits_fast(L)});

    // gradients(Q, K, V, dO, L, Delta, start_q, start_k, Sum, dK, dV, longest, scale, cap)
    tk::selection choice_2{call};
    choice_2.candidate();  // gradients
    choice_2.prefer(
        {tk::suits_fast(Q), tk::suits_fast(K), tk::suits_fast(V), tk::suits_fast(dO),
         tk::suits_fast(Sum), tk::suits_fast(dK), tk::suits_fast(dV)});
    choice_2.require({tk::fits("Sumb_start + i.start + 64", TQ + (TQ - 1) + 64)});
    choice_2.offer();
    choice_2.candidate(true);  // gradients_general
    choice_2.offer();
    if (!choice_2.ok()) return tk::finish(choice_2.result());

    // scaled(Sum, dQ, scale)
    const bool choice_3 = tk::hold({tk::suits_fast(Sum), tk::suits_fast(dQ)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1) {
        TK_FINISH_IF_FAILED(launch_row_sums(site, O, dO, LSE, L, Delta, TQ, H));
    } else {
        TK_FINISH_IF_FAILED(launch_row_sums_general(site, O, dO, LSE, L, Delta, TQ, H));
    }
    TK_FINISH_IF_FAILED(tk::clear(Sum, site));
    if (choice_2.best(site) == 0) {
        TK_FINISH_IF_FAILED(
            launch_gradients(site, Q, K, V, dO, tk::read_only(L), tk::read_only(Delta), start_q,
                             start_k, Sum, dK, dV, TQ, H, TK, HKV, B, longest, scale));
    }
    if (choice_2.best(site) == 1) {
        TK_FINISH_IF_FAILED(launch_gradients_general(
            site, Q, K, V, dO, tk::read_only(L), tk::read_only(Delta), start_q, start_k, Sum, dK,
            dV, TQ, H, TK, HKV, B, longest, scale));
    }
    if (choice_3) {
        TK_FINISH_IF_FAILED(launch_scaled(site, tk::read_only(Sum), dQ, TQ, H, scale));
    } else {
        TK_FINISH_IF_FAILED(launch_scaled_general(site, tk::read_only(Sum), dQ, TQ, H, scale));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(attention_varlen_backward, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, int32_t, float,
                float)
}  // extern "C"
