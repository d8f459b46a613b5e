// Made by tkc from attention_backward_apart.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/add.cuh"
#include "tk/operations/integer.cuh"
#include "tk/ptx/wgmma_n064.cuh"
#include "tk/tk.cuh"

// gradients_apart: kernel gradients_apart with T = bf16, D = 64, CAUSAL = false, BOTTOM_RIGHT =
// true, WINDOW = 0, BM = 64, BN = 128, DETERMINISTIC = false.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 200 registers a thread; turner:
// 1 warpgroup, 88 registers a thread; adder: 1 warp, 24 registers a thread.
// 512 threads, 128 registers each at first, 148640 bytes of shared memory.
struct gradients_apart_shared {
    tk::shared_tile<tk::bf16, 128, 64> kv_k[1];
    tk::shared_tile<tk::bf16, 128, 64> kv_v[1];
    tk::shared_tile<tk::bf16, 64, 64> qs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> os_tile[2];
    tk::shared_tile<float, 1, 64> ls_l[2];
    tk::shared_tile<float, 1, 64> ls_delta[2];
    tk::shared_tile<tk::bf16, 128, 64> dss_tile[2];
    tk::shared_tile<float, 64, 64> sums_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> consumer_dK[2];
    tk::shared_tile<tk::bf16, 64, 64> consumer_dV[2];
    tk::pipeline<1> kv;
    tk::pipeline<2> qs;
    tk::pipeline<2> os;
    tk::pipeline<2> ls;
    tk::pipeline<2> dss;
    tk::pipeline<1> sums;
};
static_assert(offsetof(gradients_apart_shared, sums) == 148624);

__global__ void __launch_bounds__(512, 1) gradients_apart_kernel(
    const __grid_constant__ CUtensorMap K_map, const __grid_constant__ CUtensorMap V_map,
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap L_map,
    const __grid_constant__ CUtensorMap Delta_map, const __grid_constant__ CUtensorMap dO_map,
    const __grid_constant__ CUtensorMap dK_map, const __grid_constant__ CUtensorMap dV_map,
    const __grid_constant__ CUtensorMap Sum_map, int B, int H, int M, int HKV, int N, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gradients_apart_shared& shared = *reinterpret_cast<gradients_apart_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(K_map, V_map, Q_map, L_map, Delta_map, dO_map, dK_map, dV_map,
                              Sum_map);
        shared.kv.init(1, 12);
        shared.qs.init(1, 8);
        shared.os.init(1, 8);
        shared.ls.init(1, 8);
        shared.dss.init(8, 4);
        shared.sums.init(4, 1);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 12) {
        tk::registers_at_most<24>();
        const int n_tiles = tk::tiles(N, 128);
        // attention_backward_apart.tk:27: role producer(1 warp) {
        if (warp == 12 && tk::elect_one()) {
            tk::cursor<1> kv_next;
            tk::cursor<2> ls_next, os_next, qs_next;
            const int program = blockIdx.x;
            const int n = program % n_tiles * 128;
            const int g = program / n_tiles % HKV;
            const int b = program / (n_tiles * HKV);

            // attention_backward_apart.tk:14: let group = H / HKV;
            const int group = H / HKV;

            // attention_backward_apart.tk:18: let end   = if WINDOW > 0 { min(n.end - 1 + WINDOW ..
            const int end = M;

            // attention_backward_apart.tk:28: produce kv { k = load(K[b, g, n, :]); v = ..
            shared.kv.begin(kv_next, 32768);
            tk::tma_load(shared.kv_k[kv_next.stage], K_map, shared.kv.full[kv_next.stage], b, g, n,
                         0);
            tk::tma_load(shared.kv_v[kv_next.stage], V_map, shared.kv.full[kv_next.stage], b, g, n,
                         0);
            kv_next.advance();

            // attention_backward_apart.tk:29: for (h, i) in rows {
            #pragma unroll 1
            for (int h = g * group; h < (g + 1) * group; h += 1) {
                #pragma unroll 1
                for (int i = 0; i < end; i += 64) {
                    // attention_backward_apart.tk:30: produce qs = load(Q[b, h, i, :]);
                    shared.qs.begin(qs_next, 8192);
                    tk::tma_load(shared.qs_tile[qs_next.stage], Q_map,
                                 shared.qs.full[qs_next.stage], b, h, i, 0);
                    qs_next.advance();

                    // attention_backward_apart.tk:31: produce ls { l = load(L[b, h, i]); delta = ..
                    shared.ls.begin(ls_next, 512);
                    tk::tma_load(shared.ls_l[ls_next.stage], L_map, shared.ls.full[ls_next.stage],
                                 b, h, i);
                    tk::tma_load(shared.ls_delta[ls_next.stage], Delta_map,
                                 shared.ls.full[ls_next.stage], b, h, i);
                    ls_next.advance();

                    // attention_backward_apart.tk:32: produce os = load(dO[b, h, i, :]);
                    shared.os.begin(os_next, 8192);
                    tk::tma_load(shared.os_tile[os_next.stage], dO_map,
                                 shared.os.full[os_next.stage], b, h, i, 0);
                    os_next.advance();
                }
            }
        }
        // attention_backward_apart.tk:64: role adder(1 warp) {
        if (warp == 13) {
            const bool elected = warp == 13 && tk::elect_one();
            tk::cursor<1> sums_next_2;
            const int program = blockIdx.x;
            const int g = program / n_tiles % HKV;
            const int b = program / (n_tiles * HKV);

            // attention_backward_apart.tk:14: let group = H / HKV;
            const int group = H / HKV;

            // attention_backward_apart.tk:18: let end   = if WINDOW > 0 { min(n.end - 1 + WINDOW ..
            const int end = M;

            // attention_backward_apart.tk:65: for (h, i) in rows {
            #pragma unroll 1
            for (int h = g * group; h < (g + 1) * group; h += 1) {
                #pragma unroll 1
                for (int i = 0; i < end; i += 64) {
                    // attention_backward_apart.tk:67: reduce_add(Sum[b, h, i, :], consume sums);
                    const tk::cursor<1> sums_element = shared.sums.take(sums_next_2);
                    tk::fence_async();
                    if (elected) {
                        tk::tma_reduce_add(Sum_map, shared.sums_tile[sums_element.stage], b, h, i,
                                           0);
                        tk::tma_store_wait_read<0>();
                    }
                    shared.sums.release_after_loads(sums_element, tk::ordinary_alone{});
                }
            }
        }
    } else if (warp < 8) {
        // attention_backward_apart.tk:35: role consumer(2 warpgroups) {
        tk::registers_at_least<200>();
        const int n_tiles = tk::tiles(N, 128);
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> dss_next_2, qs_next;
        tk::cursor<1> kv_next;
        const int program = blockIdx.x;
        const int n = program % n_tiles * 128;
        const int g = program / n_tiles % HKV;
        const int b = program / (n_tiles * HKV);

        // attention_backward_apart.tk:14: let group = H / HKV;
        const int group = H / HKV;

        // attention_backward_apart.tk:15: let steep = scale * LOG2E;
        const float steep = scale * 1.442695f;

        // attention_backward_apart.tk:18: let end   = if WINDOW > 0 { min(n.end - 1 + WINDOW - ..
        const int end = M;

        // attention_backward_apart.tk:36: let t = consume kv;
        const tk::cursor<1> t = shared.kv.take(kv_next);

        // attention_backward_apart.tk:37: var dk: f32[BN, D] = 0;
        tk::fragment<float, 64, 64> dk;
        tk::zero(dk);

        // attention_backward_apart.tk:38: var dv: f32[BN, D] = 0;
        tk::fragment<float, 64, 64> dv;
        tk::zero(dv);

        // attention_backward_apart.tk:39: for (h, i) in rows {
        tk::fragment<float, 64, 64> p;
        tk::cursor<2> previous_os;
        tk::cursor<2> previous_qs;
        for (int h = g * group; h < (g + 1) * group; h += 1) {
            tk::fragment<tk::bf16, 64, 64> t2;
            tk::map(t2, []() { return tk::bf16(0.0f); });
            tk::fragment<tk::bf16, 64, 64> ds;
            tk::map(ds, []() { return tk::bf16(0.0f); });
            for (int i = 0; i < end; i += 64) {
                // attention_backward_apart.tk:40: let q  = consume qs;
                const tk::cursor<2> q_element = shared.qs.take(qs_next);

                // attention_backward_apart.tk:41: let s  = mma(t.k, q.T);
                tk::fragment<float, 64, 64> s;
                tk::mma_async(s, tk::rows<64>(shared.kv_k[t.stage], 64 * warpgroup),
                              tk::transposed(shared.qs_tile[q_element.stage]),
                              tk::accumulate_never{});

                // attention_backward_apart.tk:42: let o  = consume os;
                shared.os.wait_full(q_element);

                // attention_backward_apart.tk:43: let dp = mma(t.v, o.T);
                tk::fragment<float, 64, 64> dp;
                tk::mma_async(dp, tk::rows<64>(shared.kv_v[t.stage], 64 * warpgroup),
                              tk::transposed(shared.os_tile[q_element.stage]),
                              tk::accumulate_never{});

                // attention_backward_apart.tk:47: let r  = consume ls;
                shared.ls.wait_full(q_element);
                tk::mma_wait<1>(dv, dk, s, t2, ds);
                // attention_backward_apart.tk:39
                if (i > 0) shared.os.release(previous_os);
                if (i > 0) shared.qs.release(previous_qs);

                // attention_backward_apart.tk:48: let p  = where(seen, exp2(s * steep - r.l), 0);
                tk::row_fragment<float, 64> t0;
                tk::load_shared(t0, shared.ls_l[q_element.stage], thread);
                if (n + 64 * warpgroup + 64 <= N && i + 64 <= M) {
                    tk::map(p, [&](float s, float t0) { return tk::exp2(tk::fma(s, steep, -t0)); },
                            s, t0);
                } else {
                    tk::map(p, thread, [&](int row, int col, float s, float t0) {
                        return n + 64 * warpgroup + row < N && i + col < M
                            ? tk::exp2(tk::fma(s, steep, -t0)) : 0.0f;
                    }, s, t0);
                }
                tk::mma_wait<0>(dp);

                // attention_backward_apart.tk:49: let ds = T(p * (dp - r.delta));
                tk::row_fragment<float, 64> t1;
                tk::load_shared(t1, shared.ls_delta[q_element.stage], thread);
                shared.ls.release_after_loads(q_element);
                tk::map(ds, [](float p, float dp, float t1) { return p * (dp - t1); }, p, dp, t1);

                // attention_backward_apart.tk:50: produce dss = ds;
                shared.dss.wait_empty(dss_next_2);
                tk::store_shared(tk::rows<64>(shared.dss_tile[dss_next_2.stage], 64 * warpgroup),
                                 ds, thread);
                shared.dss.publish(dss_next_2);
                dss_next_2.advance();

                // attention_backward_apart.tk:51: dv += mma(T(p), o);
                t2 = tk::convert<tk::bf16>(p);
                tk::mma_async(dv, t2, shared.os_tile[q_element.stage]);

                // attention_backward_apart.tk:52: dk += mma(ds, q);
                tk::mma_async(dk, ds, shared.qs_tile[q_element.stage]);
                // attention_backward_apart.tk:39
                previous_os = q_element;
                previous_qs = q_element;
            }
            tk::mma_wait<0>(dv, dk, t2, ds);
            if (end > 0) {
                shared.os.release(previous_os);
                shared.qs.release(previous_qs);
            }
        }
        shared.kv.release(t);

        // attention_backward_apart.tk:54: store(dK[b, g, n, :], T(dk * scale));
        #pragma unroll
        for (int panel = 0; panel < 64; panel += 64) {
            tk::fragment<tk::bf16, 64, 64> t3;
            tk::map(t3, [&](float dk) { return dk * scale; }, dk);
            tk::store_shared(shared.consumer_dK[warpgroup], t3, thread);
            tk::fence_async();
            tk::barrier_sync(1 + warpgroup, 128);
            if (leader) {
                tk::tma_store(dK_map, shared.consumer_dK[warpgroup], b, g, n + warpgroup * 64,
                              panel);
            }
        }

        // attention_backward_apart.tk:55: store(dV[b, g, n, :], T(dv));
        #pragma unroll
        for (int panel = 0; panel < 64; panel += 64) {
            tk::store_shared(shared.consumer_dV[warpgroup], tk::convert<tk::bf16>(dv), thread);
            tk::fence_async();
            tk::barrier_sync(1 + warpgroup, 128);
            if (leader) {
                tk::tma_store(dV_map, shared.consumer_dV[warpgroup], b, g, n + warpgroup * 64,
                              panel);
            }
        }

        if (leader) tk::tma_store_wait_read<0>();
    } else {
        // attention_backward_apart.tk:57: role turner(1 warpgroup) registers(88) {
        tk::registers_at_most<88>();
        const int n_tiles = tk::tiles(N, 128);
        const int thread = tk::warpgroup_thread();
        tk::cursor<2> dss_next_2;
        tk::cursor<1> kv_next, sums_next_2;
        const int program = blockIdx.x;
        const int g = program / n_tiles % HKV;

        // attention_backward_apart.tk:14: let group = H / HKV;
        const int group = H / HKV;

        // attention_backward_apart.tk:18: let end   = if WINDOW > 0 { min(n.end - 1 + WINDOW - ..
        const int end = M;

        // attention_backward_apart.tk:58: let t = consume kv;
        const tk::cursor<1> t = shared.kv.take(kv_next);

        // attention_backward_apart.tk:59: for (h, i) in rows {
        for (int h = g * group; h < (g + 1) * group; h += 1) {
            for (int i = 0; i < end; i += 64) {
                // attention_backward_apart.tk:60: let d = consume dss;
                const tk::cursor<2> d_element = shared.dss.take(dss_next_2);

                // attention_backward_apart.tk:61: produce sums = mma(d.T, t.k);
                tk::fragment<float, 64, 64> t0;
                tk::mma_async(t0, tk::transposed(shared.dss_tile[d_element.stage]),
                              shared.kv_k[t.stage], tk::accumulate_never{});
                shared.sums.wait_empty(sums_next_2);
                tk::mma_wait<0>(t0);
                shared.dss.release(d_element);
                tk::store_shared(shared.sums_tile[sums_next_2.stage], t0, thread);
                shared.sums.publish(sums_next_2, tk::ordinary_alone{});
                sums_next_2.advance();
            }
        }
        shared.kv.release(t);
    }
}

// gradients_apart_general: kernel gradients_apart with T = bf16, D = 64, CAUSAL = false,
// BOTTOM_RIGHT = true, WINDOW = 0, BM = 64, BN = 128, DETERMINISTIC = false; any strides and
// alignment.
// producer: 1 warp, 72 registers a thread; consumer: 2 warpgroups, 176 registers a thread; turner:
// 1 warpgroup, 88 registers a thread; adder: 1 warp, 72 registers a thread.
// 512 threads, 128 registers each at first, 115872 bytes of shared memory.
struct gradients_apart_general_shared {
    tk::shared_tile<tk::bf16, 128, 64> kv_k[1];
    tk::shared_tile<tk::bf16, 128, 64> kv_v[1];
    tk::shared_tile<tk::bf16, 64, 64> qs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> os_tile[2];
    tk::shared_tile<float, 1, 64> ls_l[2];
    tk::shared_tile<float, 1, 64> ls_delta[2];
    tk::shared_tile<tk::bf16, 128, 64> dss_tile[2];
    tk::shared_tile<float, 64, 64> sums_tile[1];
    tk::pipeline<1> kv;
    tk::pipeline<2> qs;
    tk::pipeline<2> os;
    tk::pipeline<2> ls;
    tk::pipeline<2> dss;
    tk::pipeline<1> sums;
};
static_assert(offsetof(gradients_apart_general_shared, sums) == 115856);

__global__ void __launch_bounds__(512, 1) gradients_apart_general_kernel(
    const tk::tensor_argument<const tk::bf16, 4> Q, const tk::tensor_argument<const tk::bf16, 4> K,
    const tk::tensor_argument<const tk::bf16, 4> V, const tk::tensor_argument<const tk::bf16, 4> dO,
    const tk::tensor_argument<const float, 3> L, const tk::tensor_argument<const float, 3> Delta,
    const tk::tensor_argument<float, 4> Sum, const tk::tensor_argument<tk::bf16, 4> dK,
    const tk::tensor_argument<tk::bf16, 4> dV, int B, int H, int M, int HKV, int N, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gradients_apart_general_shared& shared =
        *reinterpret_cast<gradients_apart_general_shared*>(memory);

    if (threadIdx.x == 0) {
        shared.kv.init(1, 12);
        shared.qs.init(1, 8);
        shared.os.init(1, 8);
        shared.ls.init(1, 8);
        shared.dss.init(8, 4);
        shared.sums.init(4, 1);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 12) {
        tk::registers_at_most<72>();
        const int n_tiles = tk::tiles(N, 128);
        // attention_backward_apart.tk:27: role producer(1 warp) {
        if (warp == 12) {
            const int thread = int(threadIdx.x) - 384;
            tk::cursor<1> kv_next;
            tk::cursor<2> ls_next, os_next, qs_next;
            const int program = blockIdx.x;
            const int n = program % n_tiles * 128;
            const int g = program / n_tiles % HKV;
            const int b = program / (n_tiles * HKV);

            // attention_backward_apart.tk:14: let group = H / HKV;
            const int group = H / HKV;

            // attention_backward_apart.tk:18: let end   = if WINDOW > 0 { min(n.end - 1 + WINDOW ..
            const int end = M;

            // attention_backward_apart.tk:28: produce kv { k = load(K[b, g, n, :]); v = ..
            shared.kv.wait_empty(kv_next);
            tk::copy_to_shared(shared.kv_k[kv_next.stage], tk::slice(K, {b, g, n, 0}, N - n, 64),
                               thread, 32);
            tk::copy_to_shared(shared.kv_v[kv_next.stage], tk::slice(V, {b, g, n, 0}, N - n, 64),
                               thread, 32);
            shared.kv.publish(kv_next);
            kv_next.advance();

            // attention_backward_apart.tk:29: for (h, i) in rows {
            #pragma unroll 1
            for (int h = g * group; h < (g + 1) * group; h += 1) {
                #pragma unroll 1
                for (int i = 0; i < end; i += 64) {
                    // attention_backward_apart.tk:30: produce qs = load(Q[b, h, i, :]);
                    shared.qs.wait_empty(qs_next);
                    tk::copy_to_shared(shared.qs_tile[qs_next.stage],
                                       tk::slice(Q, {b, h, i, 0}, h < H ? M - i : 0, 64), thread,
                                       32);
                    shared.qs.publish(qs_next);
                    qs_next.advance();

                    // attention_backward_apart.tk:31: produce ls { l = load(L[b, h, i]); delta = ..
                    shared.ls.wait_empty(ls_next);
                    tk::copy_to_shared(shared.ls_l[ls_next.stage],
                                       tk::slice<tk::no_axis, 2>(L, {b, h, i}, 1,
                                                                 h < H
                                                                 ? tk::divide_up(M, 64) * 64 - i
                                                                 : 0), thread, 32);
                    tk::copy_to_shared(shared.ls_delta[ls_next.stage],
                                       tk::slice<tk::no_axis, 2>(Delta, {b, h, i}, 1,
                                                                 h < H
                                                                 ? tk::divide_up(M, 64) * 64 - i
                                                                 : 0), thread, 32);
                    shared.ls.publish(ls_next, tk::ordinary_alone{});
                    ls_next.advance();

                    // attention_backward_apart.tk:32: produce os = load(dO[b, h, i, :]);
                    shared.os.wait_empty(os_next);
                    tk::copy_to_shared(shared.os_tile[os_next.stage],
                                       tk::slice(dO, {b, h, i, 0}, h < H ? M - i : 0, 64), thread,
                                       32);
                    shared.os.publish(os_next);
                    os_next.advance();
                }
            }
        }
        // attention_backward_apart.tk:64: role adder(1 warp) {
        if (warp == 13) {
            const int thread = int(threadIdx.x) - 416;
            const bool elected = warp == 13 && tk::elect_one();
            tk::cursor<1> sums_next_2;
            const int program = blockIdx.x;
            const int g = program / n_tiles % HKV;
            const int b = program / (n_tiles * HKV);

            // attention_backward_apart.tk:14: let group = H / HKV;
            const int group = H / HKV;

            // attention_backward_apart.tk:18: let end   = if WINDOW > 0 { min(n.end - 1 + WINDOW ..
            const int end = M;

            // attention_backward_apart.tk:65: for (h, i) in rows {
            #pragma unroll 1
            for (int h = g * group; h < (g + 1) * group; h += 1) {
                #pragma unroll 1
                for (int i = 0; i < end; i += 64) {
                    // attention_backward_apart.tk:67: reduce_add(Sum[b, h, i, :], consume sums);
                    const tk::cursor<1> sums_element = shared.sums.take(sums_next_2);
                    tk::add_to_global(tk::slice(Sum, {b, h, i, 0}, h < H ? M - i : 0, 64),
                                      shared.sums_tile[sums_element.stage], thread, 32);
                    if (elected) {
                        tk::tma_store_nothing();
                        tk::tma_store_wait_read<0>();
                    }
                    shared.sums.release_after_loads(sums_element, tk::ordinary_alone{});
                }
            }
        }
    } else if (warp < 8) {
        // attention_backward_apart.tk:35: role consumer(2 warpgroups) {
        tk::registers_at_least<176>();
        const int n_tiles = tk::tiles(N, 128);
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        tk::cursor<2> dss_next_2, qs_next;
        tk::cursor<1> kv_next;
        const int program = blockIdx.x;
        const int n = program % n_tiles * 128;
        const int g = program / n_tiles % HKV;
        const int b = program / (n_tiles * HKV);

        // attention_backward_apart.tk:14: let group = H / HKV;
        const int group = H / HKV;

        // attention_backward_apart.tk:15: let steep = scale * LOG2E;
        const float steep = scale * 1.442695f;

        // attention_backward_apart.tk:18: let end   = if WINDOW > 0 { min(n.end - 1 + WINDOW - ..
        const int end = M;

        // attention_backward_apart.tk:36: let t = consume kv;
        const tk::cursor<1> t = shared.kv.take(kv_next);

        // attention_backward_apart.tk:37: var dk: f32[BN, D] = 0;
        tk::fragment<float, 64, 64> dk;
        tk::zero(dk);

        // attention_backward_apart.tk:38: var dv: f32[BN, D] = 0;
        tk::fragment<float, 64, 64> dv;
        tk::zero(dv);

        // attention_backward_apart.tk:39: for (h, i) in rows {
        tk::fragment<float, 64, 64> p;
        for (int h = g * group; h < (g + 1) * group; h += 1) {
            for (int i = 0; i < end; i += 64) {
                // attention_backward_apart.tk:40: let q  = consume qs;
                const tk::cursor<2> q_element = shared.qs.take(qs_next);

                // attention_backward_apart.tk:41: let s  = mma(t.k, q.T);
                tk::fragment<float, 64, 64> s;
                tk::mma_async(s, tk::rows<64>(shared.kv_k[t.stage], 64 * warpgroup),
                              tk::transposed(shared.qs_tile[q_element.stage]),
                              tk::accumulate_never{});

                // attention_backward_apart.tk:42: let o  = consume os;
                shared.os.wait_full(q_element);

                // attention_backward_apart.tk:43: let dp = mma(t.v, o.T);
                tk::fragment<float, 64, 64> dp;
                tk::mma_async(dp, tk::rows<64>(shared.kv_v[t.stage], 64 * warpgroup),
                              tk::transposed(shared.os_tile[q_element.stage]),
                              tk::accumulate_never{});

                // attention_backward_apart.tk:47: let r  = consume ls;
                shared.ls.wait_full(q_element);
                tk::mma_wait<1>(s);

                // attention_backward_apart.tk:48: let p  = where(seen, exp2(s * steep - r.l), 0);
                tk::row_fragment<float, 64> t0;
                tk::load_shared(t0, shared.ls_l[q_element.stage], thread);
                if (n + 64 * warpgroup + 64 <= N && i + 64 <= M) {
                    tk::map(p, [&](float s, float t0) { return tk::exp2(tk::fma(s, steep, -t0)); },
                            s, t0);
                } else {
                    tk::map(p, thread, [&](int row, int col, float s, float t0) {
                        return n + 64 * warpgroup + row < N && i + col < M
                            ? tk::exp2(tk::fma(s, steep, -t0)) : 0.0f;
                    }, s, t0);
                }
                tk::mma_wait<0>(dp);

                // attention_backward_apart.tk:49: let ds = T(p * (dp - r.delta));
                tk::row_fragment<float, 64> t1;
                tk::load_shared(t1, shared.ls_delta[q_element.stage], thread);
                shared.ls.release_after_loads(q_element, tk::ordinary_alone{});
                tk::fragment<tk::bf16, 64, 64> ds;
                tk::map(ds, [](float p, float dp, float t1) { return p * (dp - t1); }, p, dp, t1);

                // attention_backward_apart.tk:50: produce dss = ds;
                shared.dss.wait_empty(dss_next_2);
                tk::store_shared(tk::rows<64>(shared.dss_tile[dss_next_2.stage], 64 * warpgroup),
                                 ds, thread);
                shared.dss.publish(dss_next_2);
                dss_next_2.advance();

                // attention_backward_apart.tk:51: dv += mma(T(p), o);
                tk::fragment<tk::bf16, 64, 64> t2 = tk::convert<tk::bf16>(p);
                tk::mma_async(dv, t2, shared.os_tile[q_element.stage]);

                // attention_backward_apart.tk:52: dk += mma(ds, q);
                tk::mma_async(dk, ds, shared.qs_tile[q_element.stage]);
                tk::mma_wait<0>(dv, dk, t2, ds);
                shared.os.release(q_element);
                shared.qs.release(q_element);
            }
        }
        shared.kv.release(t);

        // attention_backward_apart.tk:54: store(dK[b, g, n, :], T(dk * scale));
        tk::fragment<tk::bf16, 64, 64> t3;
        tk::map(t3, [&](float dk) { return dk * scale; }, dk);
        tk::store_global(tk::slice(dK, {b, g, n + 64 * warpgroup, 0}, N - (n + 64 * warpgroup), 64),
                         t3, thread);

        // attention_backward_apart.tk:55: store(dV[b, g, n, :], T(dv));
        tk::fragment<tk::bf16, 64, 64> t4 = tk::convert<tk::bf16>(dv);
        tk::store_global(tk::slice(dV, {b, g, n + 64 * warpgroup, 0}, N - (n + 64 * warpgroup), 64),
                         t4, thread);
    } else {
        // attention_backward_apart.tk:57: role turner(1 warpgroup) registers(88) {
        tk::registers_at_most<88>();
        const int n_tiles = tk::tiles(N, 128);
        const int thread = tk::warpgroup_thread();
        tk::cursor<2> dss_next_2;
        tk::cursor<1> kv_next, sums_next_2;
        const int program = blockIdx.x;
        const int g = program / n_tiles % HKV;

        // attention_backward_apart.tk:14: let group = H / HKV;
        const int group = H / HKV;

        // attention_backward_apart.tk:18: let end   = if WINDOW > 0 { min(n.end - 1 + WINDOW - ..
        const int end = M;

        // attention_backward_apart.tk:58: let t = consume kv;
        const tk::cursor<1> t = shared.kv.take(kv_next);

        // attention_backward_apart.tk:59: for (h, i) in rows {
        for (int h = g * group; h < (g + 1) * group; h += 1) {
            for (int i = 0; i < end; i += 64) {
                // attention_backward_apart.tk:60: let d = consume dss;
                const tk::cursor<2> d_element = shared.dss.take(dss_next_2);

                // attention_backward_apart.tk:61: produce sums = mma(d.T, t.k);
                tk::fragment<float, 64, 64> t0;
                tk::mma_async(t0, tk::transposed(shared.dss_tile[d_element.stage]),
                              shared.kv_k[t.stage], tk::accumulate_never{});
                shared.sums.wait_empty(sums_next_2);
                tk::mma_wait<0>(t0);
                shared.dss.release(d_element);
                tk::store_shared(shared.sums_tile[sums_next_2.stage], t0, thread);
                shared.sums.publish(sums_next_2, tk::ordinary_alone{});
                sums_next_2.advance();
            }
        }
        shared.kv.release(t);
    }
}

// attention_backward_row_sums_T_bf16_D_64_BQ_64: kernel attention_backward.row_sums with T = bf16,
// D = 64, BQ = 64, BM = 64.
// 128 threads, 128 registers each: attention_backward_row_sums_T_bf16_D_64_BQ_64_kernel<4, 8, 8,
// true>.
// attention_backward_row_sums_T_bf16_D_64_BQ_64_general: kernel attention_backward.row_sums with T
// = bf16, D = 64, BQ = 64, BM = 64; any strides and alignment.
// 128 threads, 255 registers each: attention_backward_row_sums_T_bf16_D_64_BQ_64_kernel<1, 32, 2,
// false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) attention_backward_row_sums_T_bf16_D_64_BQ_64_kernel(
    const tk::tensor_argument<const tk::bf16, 4> O, const tk::tensor_argument<const tk::bf16, 4> dO,
    const tk::tensor_argument<const float, 3> LSE, const tk::tensor_argument<float, 3> L,
    const tk::tensor_argument<float, 3> Delta, int B, int H, int M) {
    tk::wait_for_previous_kernel();

    const int m_tiles = tk::tiles(tk::divide_up(M, 64) * 64, 64);

    // attention_backward.tk:20: kernel row_sums<T: dtype = bf16, D: int = 128, BQ: int = 80, BM: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int m = program % m_tiles * 64;
    const int h = program / m_tiles % H;
    const int b = program / (m_tiles * H);

    // attention_backward.tk:25: store(L[b, h, m], load(LSE[b, h, m]) * LOG2E);
    tk::stripe<float, 1, 64, 128, row_threads, vector> t0;
    tk::load_slice<vectors>(
        t0, tk::slice_if_vectors<vectors, tk::no_axis, 2>(LSE, {b, h, m}, 1, M - m), thread);
    tk::stripe<float, 1, 64, 128, row_threads, vector> t1;
    tk::map(t1, [](float t0) { return t0 * 1.442695f; }, t0);
    tk::store_slice<vectors>(
        tk::slice_if_vectors<vectors, tk::no_axis, 2>(L, {b, h, m}, 1,
                                                      tk::divide_up(M, 64) * 64 - m), t1, thread);

    // attention_backward.tk:26: store(Delta[b, h, m], sum(f32(load(O[b, h, m, :])) * load(dO[b, ..
    tk::stripe<tk::bf16, 64, 64, 128, row_threads, vector> t2;
    tk::load_slice<vectors>(t2, tk::slice_if_dense<vectors>(O, {b, h, m, 0}, M - m, 64), thread);
    tk::stripe<tk::bf16, 64, 64, 128, row_threads, vector> t3;
    tk::load_slice<vectors>(t3, tk::slice_if_dense<vectors>(dO, {b, h, m, 0}, M - m, 64), thread);
    tk::stripe<float, 64, 64, 128, row_threads, vector> t4;
    tk::map(t4, [](tk::bf16 t2, tk::bf16 t3) { return float(t2) * float(t3); }, t2, t3);
    tk::stripe<float, 64, 1, 128, row_threads, vector> t5;
    tk::fold_rows(t5, t4, tk::plus{}, thread);
    tk::finish_rows(t5, tk::plus{});
    tk::store_global(tk::slice<2, tk::no_axis>(Delta, {b, h, m}, tk::divide_up(M, 64) * 64 - m, 1),
                     t5, thread);
}

// attention_backward_scaled_T_bf16_D_64: kernel attention_backward.scaled with T = bf16, D = 64, BM
// = 16.
// 128 threads, 48 registers each: attention_backward_scaled_T_bf16_D_64_kernel<10, 8, 8, true>.
// attention_backward_scaled_T_bf16_D_64_general: kernel attention_backward.scaled with T = bf16, D
// = 64, BM = 16; any strides and alignment.
// 128 threads, 255 registers each: attention_backward_scaled_T_bf16_D_64_kernel<1, 32, 2, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) attention_backward_scaled_T_bf16_D_64_kernel(
    const tk::tensor_argument<const float, 4> Sum, const tk::tensor_argument<tk::bf16, 4> dQ, int B,
    int H, int M, float scale) {
    tk::wait_for_previous_kernel();

    const int m_tiles = tk::tiles(M, 16);

    // attention_backward.tk:133: kernel scaled<T: dtype = bf16, D: int = 128, BM: int = 16>(Sum: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int m = program % m_tiles * 16;
    const int h = program / m_tiles % H;
    const int b = program / (m_tiles * H);

    // attention_backward.tk:136: store(dQ[b, h, m, :], T(load(Sum[b, h, m, :]) * scale));
    tk::stripe<float, 16, 64, 128, row_threads, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_dense<vectors>(Sum, {b, h, m, 0}, M - m, 64), thread);
    tk::stripe<tk::bf16, 16, 64, 128, row_threads, vector> t1;
    tk::map(t1, [&](float t0) { return t0 * scale; }, t0);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(dQ, {b, h, m, 0}, M - m, 64), t1, thread);
}

namespace {
tk::status launch_attention_backward_row_sums_T_bf16_D_64_BQ_64(
    const tk::launch_site& site, const tk::tensor& O, const tk::tensor& dO, const tk::tensor& LSE,
    const tk::tensor& L, const tk::tensor& Delta, int64_t B, int64_t H, int64_t M) {
    return tk::run<attention_backward_row_sums_T_bf16_D_64_BQ_64_kernel<4, 8, 8, true>>(
        site, 0, tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(M, 64) * 64, 64), 0), H), B),
        O, dO, LSE, L, Delta, B, H, M);
}

tk::status launch_attention_backward_row_sums_T_bf16_D_64_BQ_64_general(
    const tk::launch_site& site, const tk::tensor& O, const tk::tensor& dO, const tk::tensor& LSE,
    const tk::tensor& L, const tk::tensor& Delta, int64_t B, int64_t H, int64_t M) {
    return tk::run<attention_backward_row_sums_T_bf16_D_64_BQ_64_kernel<1, 32, 2, false>>(
        site, 0, tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(M, 64) * 64, 64), 0), H), B),
        O, dO, LSE, L, Delta, B, H, M);
}

tk::status launch_gradients_apart(
    const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K, const tk::tensor& V,
    const tk::tensor& dO, const tk::tensor& L, const tk::tensor& Delta, const tk::tensor& Sum,
    const tk::tensor& dK, const tk::tensor& dV, int64_t B, int64_t H, int64_t M, int64_t HKV,
    int64_t N, float scale) {
    return tk::run<gradients_apart_kernel>(
        site, sizeof(gradients_apart_shared), tk::kernel_shape(512).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(N, 128), HKV), B), tk::box{K, {1, 1, 128, 64}, 128},
        tk::box{V, {1, 1, 128, 64}, 128}, tk::box{Q, {1, 1, 64, 64}, 128},
        tk::box{L, {1, 1, 64}, 0}, tk::box{Delta, {1, 1, 64}, 0}, tk::box{dO, {1, 1, 64, 64}, 128},
        tk::box{dK, {1, 1, 64, 64}, 128}, tk::box{dV, {1, 1, 64, 64}, 128},
        tk::box{Sum, {1, 1, 64, 32}, 128}, B, H, M, HKV, N, scale);
}

tk::status launch_gradients_apart_general(
    const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K, const tk::tensor& V,
    const tk::tensor& dO, const tk::tensor& L, const tk::tensor& Delta, const tk::tensor& Sum,
    const tk::tensor& dK, const tk::tensor& dV, int64_t B, int64_t H, int64_t M, int64_t HKV,
    int64_t N, float scale) {
    return tk::run<gradients_apart_general_kernel>(
        site, sizeof(gradients_apart_general_shared), tk::kernel_shape(512).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(N, 128), HKV), B), Q, K, V, dO, L, Delta, Sum, dK,
        dV, B, H, M, HKV, N, scale);
}

tk::status launch_attention_backward_scaled_T_bf16_D_64(
    const tk::launch_site& site, const tk::tensor& Sum, const tk::tensor& dQ, int64_t B, int64_t H,
    int64_t M, float scale) {
    return tk::run<attention_backward_scaled_T_bf16_D_64_kernel<10, 8, 8, true>>(
        site, 0, tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(M, 16), H), B), Sum, dQ, B, H, M, scale);
}

tk::status launch_attention_backward_scaled_T_bf16_D_64_general(
    const tk::launch_site& site, const tk::tensor& Sum, const tk::tensor& dQ, int64_t B, int64_t H,
    int64_t M, float scale) {
    return tk::run<attention_backward_scaled_T_bf16_D_64_kernel<1, 32, 2, false>>(
        site, 0, tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(M, 16), H), B), Sum, dQ, B, H, M, scale);
}

}  // namespace

extern "C" {
int gradients_apart(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
                    const DLTensor* dO_given, const DLTensor* L_given, const DLTensor* Delta_given,
                    DLTensor* Sum_given, DLTensor* dK_given, DLTensor* dV_given, float scale, void*,
                    size_t, cudaStream_t stream) {
    tk::arguments call{"gradients_apart"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor L = call.take("L", L_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor Delta = call.take("Delta", Delta_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor Sum = call.take("Sum", Sum_given, tk::dtype_f32, 4, tk::access::accumulate);
    const tk::tensor dK = call.take("dK", dK_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dV = call.take("dV", dV_given, tk::dtype_bf16, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t H = Q.shape[1];
    const int64_t M = Q.shape[2];
    const int64_t HKV = K.shape[1];
    const int64_t N = K.shape[2];
    call.require(
        {tk::fixed_extent(Q, 3, 64), tk::same_extent("B", Q, 0, K, 0), tk::fixed_extent(K, 3, 64),
         tk::same_extent("B", Q, 0, V, 0), tk::same_extent("HKV", K, 1, V, 1),
         tk::same_extent("N", K, 2, V, 2), tk::fixed_extent(V, 3, 64),
         tk::same_extent("B", Q, 0, dO, 0), tk::same_extent("H", Q, 1, dO, 1),
         tk::same_extent("M", Q, 2, dO, 2), tk::fixed_extent(dO, 3, 64),
         tk::same_extent("B", Q, 0, L, 0), tk::same_extent("H", Q, 1, L, 1),
         tk::same_extent("B", Q, 0, Delta, 0), tk::same_extent("H", Q, 1, Delta, 1),
         tk::same_extent("B", Q, 0, Sum, 0), tk::same_extent("H", Q, 1, Sum, 1),
         tk::same_extent("M", Q, 2, Sum, 2), tk::fixed_extent(Sum, 3, 64),
         tk::same_extent("B", Q, 0, dK, 0), tk::same_extent("HKV", K, 1, dK, 1),
         tk::same_extent("N", K, 2, dK, 2), tk::fixed_extent(dK, 3, 64),
         tk::same_extent("B", Q, 0, dV, 0), tk::same_extent("HKV", K, 1, dV, 1),
         tk::same_extent("N", K, 2, dV, 2), tk::fixed_extent(dV, 3, 64),
         tk::extents_fit({{"B", B}, {"H", H}, {"M", M}, {"HKV", HKV}, {"N", N}}),
         tk::that(L.shape[2] == tk::ceil_div(M, 64) * 64,
                  "axis 2 of `L` is {}; it must be `ceil_div(M, 64)*64`, which is {}",
                  {L.shape[2], tk::ceil_div(M, 64) * 64}),
         tk::that(Delta.shape[2] == tk::ceil_div(M, 64) * 64,
                  "axis 2 of `Delta` is {}; it must be `ceil_div(M, 64)*64`, which is {}",
                  {Delta.shape[2], tk::ceil_div(M, 64) * 64}),
         tk::that(1 <= HKV, "`H%HKV` divides by `HKV`, which is {}: it must be at least 1", {HKV}),
         tk::that(tk::floor_mod(H, HKV) == 0, "`gradients_apart` requires `H % HKV == 0`"),
         tk::that(0 < HKV, "`HKV` is at least 1, because `gradients_apart` divides by it"),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 128), HKV), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 128), HKV), B), 2147483648),
         tk::fits("g*group", tk::multiply(HKV - 1, tk::floor_div(H, HKV))),
         tk::fits("(g + 1)*group", tk::multiply(HKV - 1 + 1, tk::floor_div(H, HKV)))});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(tk::ceil_div(N, 128), HKV), B);
    const bool fast = tk::hold(
        {tk::suits_fast(Q), tk::suits_fast(K), tk::suits_fast(V), tk::suits_fast(dO),
         tk::suits_fast(L), tk::suits_fast(Delta), tk::suits_fast(Sum), tk::suits_fast(dK),
         tk::suits_fast(dV)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    TK_FINISH_IF_FAILED(tk::clear(Sum, site));
    if (fast) {
        return tk::finish(tk::run<gradients_apart_kernel>(
            site, sizeof(gradients_apart_shared), tk::kernel_shape(512).overlapping(), programs,
            tk::box{K, {1, 1, 128, 64}, 128}, tk::box{V, {1, 1, 128, 64}, 128},
            tk::box{Q, {1, 1, 64, 64}, 128}, tk::box{L, {1, 1, 64}, 0},
            tk::box{Delta, {1, 1, 64}, 0}, tk::box{dO, {1, 1, 64, 64}, 128},
            tk::box{dK, {1, 1, 64, 64}, 128}, tk::box{dV, {1, 1, 64, 64}, 128},
            tk::box{Sum, {1, 1, 64, 32}, 128}, B, H, M, HKV, N, scale));
    }
    return tk::finish(tk::run<gradients_apart_general_kernel>(
        site, sizeof(gradients_apart_general_shared), tk::kernel_shape(512).overlapping(), programs,
        Q, K, V, dO, L, Delta, Sum, dK, dV, B, H, M, HKV, N, scale));
}
TK_NO_WORKSPACE(gradients_apart, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, DLTensor*, float)

int attention_backward_apart(
    const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
    const DLTensor* O_given, const DLTensor* LSE_given, const DLTensor* dO_given,
    DLTensor* dQ_given, DLTensor* dK_given, DLTensor* dV_given, DLTensor* L_given,
    DLTensor* Delta_given, DLTensor* Sum_given, float scale, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"attention_backward_apart"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dQ = call.take("dQ", dQ_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dK = call.take("dK", dK_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dV = call.take("dV", dV_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor L = call.take("L", L_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor Delta = call.take("Delta", Delta_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor Sum = call.take("Sum", Sum_given, tk::dtype_f32, 4, tk::access::accumulate);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t H = Q.shape[1];
    const int64_t M = Q.shape[2];
    const int64_t HKV = K.shape[1];
    const int64_t N = K.shape[2];
    call.require(
        {tk::fixed_extent(Q, 3, 64), tk::same_extent("B", Q, 0, K, 0), tk::fixed_extent(K, 3, 64),
         tk::same_extent("B", Q, 0, V, 0), tk::same_extent("HKV", K, 1, V, 1),
         tk::same_extent("N", K, 2, V, 2), tk::fixed_extent(V, 3, 64),
         tk::same_extent("B", Q, 0, O, 0), tk::same_extent("H", Q, 1, O, 1),
         tk::same_extent("M", Q, 2, O, 2), tk::fixed_extent(O, 3, 64),
         tk::same_extent("B", Q, 0, LSE, 0), tk::same_extent("H", Q, 1, LSE, 1),
         tk::same_extent("M", Q, 2, LSE, 2), tk::same_extent("B", Q, 0, dO, 0),
         tk::same_extent("H", Q, 1, dO, 1), tk::same_extent("M", Q, 2, dO, 2),
         tk::fixed_extent(dO, 3, 64), tk::same_extent("B", Q, 0, dQ, 0),
         tk::same_extent("H", Q, 1, dQ, 1), tk::same_extent("M", Q, 2, dQ, 2),
         tk::fixed_extent(dQ, 3, 64), tk::same_extent("B", Q, 0, dK, 0),
         tk::same_extent("HKV", K, 1, dK, 1), tk::same_extent("N", K, 2, dK, 2),
         tk::fixed_extent(dK, 3, 64), tk::same_extent("B", Q, 0, dV, 0),
         tk::same_extent("HKV", K, 1, dV, 1), tk::same_extent("N", K, 2, dV, 2),
         tk::fixed_extent(dV, 3, 64), tk::same_extent("B", Q, 0, L, 0),
         tk::same_extent("H", Q, 1, L, 1), tk::same_extent("B", Q, 0, Delta, 0),
         tk::same_extent("H", Q, 1, Delta, 1), tk::same_extent("B", Q, 0, Sum, 0),
         tk::same_extent("H", Q, 1, Sum, 1), tk::same_extent("M", Q, 2, Sum, 2),
         tk::fixed_extent(Sum, 3, 64),
         tk::extents_fit({{"B", B}, {"H", H}, {"M", M}, {"HKV", HKV}, {"N", N}}),
         tk::that(L.shape[2] == tk::ceil_div(M, 64) * 64,
                  "axis 2 of `L` is {}; it must be `ceil_div(M, 64)*64`, which is {}",
                  {L.shape[2], tk::ceil_div(M, 64) * 64}),
         tk::that(Delta.shape[2] == tk::ceil_div(M, 64) * 64,
                  "axis 2 of `Delta` is {}; it must be `ceil_div(M, 64)*64`, which is {}",
                  {Delta.shape[2], tk::ceil_div(M, 64) * 64}),
         tk::that(1 <= HKV, "`H%HKV` divides by `HKV`, which is {}: it must be at least 1", {HKV}),
         tk::that(tk::floor_mod(H, HKV) == 0, "`attention_backward_apart` requires `H % HKV == 0`"),
         tk::that(0 < HKV,
                  "`HKV` is at least 1, because `attention_backward_apart` divides by it")});
    // attention_backward.row_sums(O, dO, LSE, L, Delta)
    call.require({
        tk::grid_fits(tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(M, 64) * 64, 64), 0), H),
                      2147483648),
        tk::grid_fits(
            tk::multiply(tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(M, 64) * 64, 64), 0), H),
                         B), 2147483648)});
    // gradients_apart(Q, K, V, dO, L, Delta, Sum, dK, dV, scale)
    call.require(
        {tk::grid_fits(tk::multiply(tk::ceil_div(N, 128), HKV), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 128), HKV), B), 2147483648),
         tk::fits("g*group", tk::multiply(HKV - 1, tk::floor_div(H, HKV))),
         tk::fits("(g + 1)*group", tk::multiply(HKV - 1 + 1, tk::floor_div(H, HKV)))});
    // attention_backward.scaled(Sum, dQ, scale)
    call.require(
        {tk::grid_fits(tk::multiply(tk::ceil_div(M, 16), H), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(M, 16), H), B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());

    // attention_backward.row_sums(O, dO, LSE, L, Delta)
    const bool choice_1 = tk::hold(
        {tk::suits_fast(O), tk::suits_fast(dO), tk::suits_fast(LSE, "M"), tk::whole_vectors(LSE, 8),
         tk::suits_fast(L)});

    // gradients_apart(Q, K, V, dO, L, Delta, Sum, dK, dV, scale)
    const bool choice_2 = tk::hold(
        {tk::suits_fast(Q), tk::suits_fast(K), tk::suits_fast(V), tk::suits_fast(dO),
         tk::suits_fast(L), tk::suits_fast(Delta), tk::suits_fast(Sum), tk::suits_fast(dK),
         tk::suits_fast(dV)});

    // attention_backward.scaled(Sum, dQ, scale)
    const bool choice_3 = tk::hold({tk::suits_fast(Sum), tk::suits_fast(dQ)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1) {
        TK_FINISH_IF_FAILED(launch_attention_backward_row_sums_T_bf16_D_64_BQ_64(
            site, O, dO, LSE, L, Delta, B, H, M));
    } else {
        TK_FINISH_IF_FAILED(launch_attention_backward_row_sums_T_bf16_D_64_BQ_64_general(
            site, O, dO, LSE, L, Delta, B, H, M));
    }
    TK_FINISH_IF_FAILED(tk::clear(Sum, site));
    if (choice_2) {
        TK_FINISH_IF_FAILED(
            launch_gradients_apart(site, Q, K, V, dO, tk::read_only(L), tk::read_only(Delta), Sum,
                                   dK, dV, B, H, M, HKV, N, scale));
    } else {
        TK_FINISH_IF_FAILED(launch_gradients_apart_general(
            site, Q, K, V, dO, tk::read_only(L), tk::read_only(Delta), Sum, dK, dV, B, H, M, HKV, N,
            scale));
    }
    if (choice_3) {
        TK_FINISH_IF_FAILED(launch_attention_backward_scaled_T_bf16_D_64(
            site, tk::read_only(Sum), dQ, B, H, M, scale));
    } else {
        TK_FINISH_IF_FAILED(launch_attention_backward_scaled_T_bf16_D_64_general(
            site, tk::read_only(Sum), dQ, B, H, M, scale));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(attention_backward_apart, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, float)
}  // extern "C"
