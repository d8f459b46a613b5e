// Made by tkc from attention_masked_backward.tk: change that, and not this.
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

// gradients_masked: kernel gradients_masked with T = bf16, D = 128, MASK = attention_masked.causal,
// BM = 64, BB = 128, BN = 128.
// producer: 1 warp, 40 registers a thread; consumer: 2 warpgroups, 232 registers a thread; adder: 2
// warps, 40 registers a thread.
// 384 threads, 168 registers each at first, 231600 bytes of shared memory.
struct gradients_masked_shared {
    tk::shared_tile<tk::bf16, 128, 128> kv_k[1];
    tk::shared_tile<tk::bf16, 128, 128> kv_v[1];
    tk::shared_tile<tk::bf16, 64, 128> qs_tile[2];
    tk::shared_tile<tk::bf16, 64, 128> os_tile[2];
    tk::shared_tile<float, 1, 64> ls_l[2];
    tk::shared_tile<float, 1, 64> ls_delta[2];
    tk::shared_tile<int, 1, 64> ls_of[2];
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
static_assert(offsetof(gradients_masked_shared, sums) == 231568);

__global__ void __launch_bounds__(384, 1) gradients_masked_kernel(
    const __grid_constant__ CUtensorMap K_map, const __grid_constant__ CUtensorMap V_map,
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap L_map,
    const __grid_constant__ CUtensorMap Delta_map, const __grid_constant__ CUtensorMap Of_map,
    const __grid_constant__ CUtensorMap dO_map, const __grid_constant__ CUtensorMap dK_map,
    const __grid_constant__ CUtensorMap dV_map, const __grid_constant__ CUtensorMap Sum_map,
    const tk::tensor_argument<const int, 3> CountOf,
    const tk::tensor_argument<const int, 3> WholeOf, const tk::tensor_argument<const int, 4> ListOf,
    int B, int H, int M, int HKV, int N, int LB, int LH, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gradients_masked_shared& shared = *reinterpret_cast<gradients_masked_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(K_map, V_map, Q_map, L_map, Delta_map, Of_map, dO_map, dK_map, dV_map,
                              Sum_map);
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
        const int n_tiles = tk::tiles(N, 128);
        // attention_masked_backward.tk:30: role producer(1 warp) {
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<1> kv_next;
            tk::cursor<2> ls_next, os_next, qs_next;
            const int program = blockIdx.x;
            const int n = program % n_tiles * 128;
            const int g = program / n_tiles % HKV;
            const int b = program / (n_tiles * HKV);

            // attention_masked_backward.tk:19: let group = H / HKV;
            const int group = H / HKV;

            // attention_masked_backward.tk:21: let lb = min(b, LB - 1);
            const int lb = tk::min(b, LB - 1);

            // attention_masked_backward.tk:31: produce kv { k = tma_load(K[b, g, n, :]); v = ..
            shared.kv.begin(kv_next, 65536);
            tk::tma_load(shared.kv_k[kv_next.stage], K_map, shared.kv.full[kv_next.stage], b, g, n,
                         0);
            tk::tma_load(shared.kv_v[kv_next.stage], V_map, shared.kv.full[kv_next.stage], b, g, n,
                         0);
            kv_next.advance();

            // attention_masked_backward.tk:32: for (h, t) in rows {
            #pragma unroll 1
            for (int h = g * group; h < (g + 1) * group; h += 1) {
                #pragma unroll 1
                for (int t = 0; t < tk::cell(CountOf, lb, tk::min(h, LH - 1), n / 128) * 2;
                     t += 1) {
                    // attention_masked_backward.tk:33: let i = ListOf[lb, min(h, LH - 1), ..
                    const int i = (t / 2 < tk::divide_up(M, 128)
                                   ? tk::cell(ListOf, lb, tk::min(h, LH - 1), n / 128, t / 2)
                                   : int{}) * 128 + t % 2 * 64;

                    // attention_masked_backward.tk:34: produce qs = tma_load(Q[b, h, i +: BM, :]);
                    shared.qs.begin(qs_next, 16384);
                    tk::tma_load(shared.qs_tile[qs_next.stage], Q_map,
                                 shared.qs.full[qs_next.stage], b, h, i, 0);
                    qs_next.advance();

                    // attention_masked_backward.tk:35: produce ls { l = tma_load(L[b, h, i +: ..
                    shared.ls.begin(ls_next, 768);
                    tk::tma_load(shared.ls_l[ls_next.stage], L_map, shared.ls.full[ls_next.stage],
                                 b, h, i);
                    tk::tma_load(shared.ls_delta[ls_next.stage], Delta_map,
                                 shared.ls.full[ls_next.stage], b, h, i);
                    tk::tma_load(shared.ls_of[ls_next.stage], Of_map, shared.ls.full[ls_next.stage],
                                 lb, i);
                    ls_next.advance();

                    // attention_masked_backward.tk:36: produce os = tma_load(dO[b, h, i +: BM, :]);
                    shared.os.begin(os_next, 16384);
                    tk::tma_load(shared.os_tile[os_next.stage], dO_map,
                                 shared.os.full[os_next.stage], b, h, i, 0);
                    os_next.advance();
                }
            }
        }
        // attention_masked_backward.tk:69: role adder(2 warps) {
        if (warp >= 9 && warp < 11) {
            const int part = warp - 9;
            const bool leader = tk::elect_one();
            tk::cursor<1> sums_next_2;
            const int program = blockIdx.x;
            const int n = program % n_tiles * 128;
            const int g = program / n_tiles % HKV;
            const int b = program / (n_tiles * HKV);

            // attention_masked_backward.tk:19: let group = H / HKV;
            const int group = H / HKV;

            // attention_masked_backward.tk:21: let lb = min(b, LB - 1);
            const int lb = tk::min(b, LB - 1);

            // attention_masked_backward.tk:70: consume sums as _nothing {}
            const tk::cursor<1> _nothing_element = shared.sums[part].take(sums_next_2);
            tk::fence_async();
            shared.sums[part].release(_nothing_element);

            // attention_masked_backward.tk:71: for (h, t) in rows {
            #pragma unroll 1
            for (int h = g * group; h < (g + 1) * group; h += 1) {
                #pragma unroll 1
                for (int t = 0; t < tk::cell(CountOf, lb, tk::min(h, LH - 1), n / 128) * 2;
                     t += 1) {
                    // attention_masked_backward.tk:72: let i = ListOf[lb, min(h, LH - 1), ..
                    const int i = (t / 2 < tk::divide_up(M, 128)
                                   ? tk::cell(ListOf, lb, tk::min(h, LH - 1), n / 128, t / 2)
                                   : int{}) * 128 + t % 2 * 64;

                    // attention_masked_backward.tk:73: reduce_add(Sum[b, h, i +: BM, :], consume ..
                    const tk::cursor<1> sums_element = shared.sums[part].take(sums_next_2);
                    tk::fence_async();
                    if (leader) {
                        tk::tma_reduce_add(Sum_map,
                                           tk::columns<64>(shared.sums_tile[sums_element.stage],
                                                           64 * part), b, h, i, part * 64);
                        tk::tma_store_wait_read<0>();
                    }
                    shared.sums[part].release_after_loads(sums_element, tk::ordinary_alone{});
                }
            }
        }
    } else {
        // attention_masked_backward.tk:39: role consumer(2 warpgroups) {
        tk::registers_at_least<232>();
        const int n_tiles = tk::tiles(N, 128);
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> dss_next_2, dss_taken, qs_next;
        tk::cursor<1> kv_next, sums_next_2;
        const int program = blockIdx.x;
        const int n = program % n_tiles * 128;
        const int g = program / n_tiles % HKV;
        const int b = program / (n_tiles * HKV);

        // attention_masked_backward.tk:19: let group = H / HKV;
        const int group = H / HKV;

        // attention_masked_backward.tk:20: let steep = scale * LOG2E;
        const float steep = scale * 1.442695f;

        // attention_masked_backward.tk:21: let lb = min(b, LB - 1);
        const int lb = tk::min(b, LB - 1);

        // attention_masked_backward.tk:40: let own = consume kv;
        const tk::cursor<1> own = shared.kv.take(kv_next);

        // attention_masked_backward.tk:42: var dk: f32[BN, D] = 0;
        tk::fragment<float, 64, 128> dk;
        tk::zero(dk);

        // attention_masked_backward.tk:43: var dv: f32[BN, D] = 0;
        tk::fragment<float, 64, 128> dv;
        tk::zero(dv);

        // attention_masked_backward.tk:44: var none: T[BN, BM] = 0;
        tk::fragment<tk::bf16, 64, 64> none;
        tk::map(none, []() { return tk::bf16(0.0f); });

        // attention_masked_backward.tk:45: produce dss = none;
        shared.dss.wait_empty(dss_next_2);
        tk::store_shared(tk::rows<64>(shared.dss_tile[dss_next_2.stage], 64 * warpgroup), none,
                         thread);
        shared.dss.publish(dss_next_2);
        dss_next_2.advance();

        // attention_masked_backward.tk:46: for (h, t) in rows {
        tk::fragment<float, 64, 64> e;
        for (int h = g * group; h < (g + 1) * group; h += 1) {
            for (int t = 0; t < tk::cell(CountOf, lb, tk::min(h, LH - 1), n / 128) * 2; t += 1) {
                // attention_masked_backward.tk:47: let i  = ListOf[lb, min(h, LH - 1), n.index, ..
                const int i = (t / 2 < tk::divide_up(M, 128)
                               ? tk::cell(ListOf, lb, tk::min(h, LH - 1), n / 128, t / 2) : int{}) *
                    128 + t % 2 * 64;

                // attention_masked_backward.tk:48: let q  = consume qs;
                const tk::cursor<2> q_element = shared.qs.take(qs_next);

                // attention_masked_backward.tk:49: let s  = mma(own.k, q.T);
                tk::fragment<float, 64, 64> s;
                tk::mma_async(s, tk::rows<64>(shared.kv_k[own.stage], 64 * warpgroup),
                              tk::transposed(shared.qs_tile[q_element.stage]),
                              tk::accumulate_never{});

                // attention_masked_backward.tk:50: let o  = consume os;
                shared.os.wait_full(q_element);

                // attention_masked_backward.tk:51: let dp = mma(own.v, o.T);
                tk::fragment<float, 64, 64> dp;
                tk::mma_async(dp, tk::rows<64>(shared.kv_v[own.stage], 64 * warpgroup),
                              tk::transposed(shared.os_tile[q_element.stage]),
                              tk::accumulate_never{});

                // attention_masked_backward.tk:54: let r  = consume ls;
                shared.ls.wait_full(q_element);
                tk::mma_wait<1>(s);

                // attention_masked_backward.tk:55: var e  = exp2(s * steep - r.l);
                tk::row_fragment<float, 64> t0;
                tk::load_shared(t0, shared.ls_l[q_element.stage], thread);
                tk::map(e, [&](float s, float t0) { return tk::exp2(tk::fma(s, steep, -t0)); },
                        s, t0);

                // attention_masked_backward.tk:56: if t >= WholeOf[lb, min(h, LH - 1), n.index] ..
                tk::hold_waits(warp);
                tk::mma_wait<0>(dp);
                if (t >= tk::cell(WholeOf, lb, tk::min(h, LH - 1), n / 128) * 2) {
                    if (!(n + 64 * warpgroup + 63 <= i)) {
                        tk::map(e, thread, [&](int row, int col, float e) {
                            return i + col >= n + 64 * warpgroup + row ? e : 0.0f;
                        }, e);
                    }
                }

                // attention_masked_backward.tk:57: let p  = where(key < N and row < M, e, 0);
                if (!(n + 64 * warpgroup + 64 <= N && i + 64 <= M)) {
                    tk::map(e, thread, [&](int row, int col, float e) {
                        return n + 64 * warpgroup + row < N && i + col < M ? e : 0.0f;
                    }, e);
                }

                // attention_masked_backward.tk:58: let ds = T(p * (dp - r.delta));
                tk::row_fragment<float, 64> t1;
                tk::load_shared(t1, shared.ls_delta[q_element.stage], thread);
                shared.ls.release_after_loads(q_element);
                tk::fragment<tk::bf16, 64, 64> ds;
                tk::map(ds, [](float e, float dp, float t1) { return e * (dp - t1); }, e, dp, t1);

                // attention_masked_backward.tk:59: dv += mma(T(p), o);
                tk::fragment<tk::bf16, 64, 64> t3 = tk::convert<tk::bf16>(e);
                tk::mma_async(dv, t3, shared.os_tile[q_element.stage]);

                // attention_masked_backward.tk:60: produce dss = ds;
                shared.dss.wait_empty(dss_next_2);
                tk::store_shared(tk::rows<64>(shared.dss_tile[dss_next_2.stage], 64 * warpgroup),
                                 ds, thread);
                shared.dss.publish(dss_next_2);
                dss_next_2.advance();

                // attention_masked_backward.tk:61: let dq = mma((consume dss).T, own.k);
                const tk::cursor<2> dss_element = shared.dss.take(dss_taken);
                tk::fragment<float, 64, 64> dq;
                tk::mma_async(dq, tk::transposed(shared.dss_tile[dss_element.stage]),
                              tk::columns<64>(shared.kv_k[own.stage], 64 * warpgroup),
                              tk::accumulate_never{});

                // attention_masked_backward.tk:62: dk += mma(ds, q);
                tk::mma_async(dk, ds, shared.qs_tile[q_element.stage]);

                // attention_masked_backward.tk:63: produce sums = dq;
                shared.sums[warpgroup].wait_empty(sums_next_2);
                tk::mma_wait<1>(dv, dq, t3);
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

        // attention_masked_backward.tk:65: produce sums = mma((consume dss).T, own.k);
        const tk::cursor<2> dss_element_2 = shared.dss.take(dss_taken);
        tk::fragment<float, 64, 64> t5;
        tk::mma_async(t5, tk::transposed(shared.dss_tile[dss_element_2.stage]),
                      tk::columns<64>(shared.kv_k[own.stage], 64 * warpgroup),
                      tk::accumulate_never{});
        shared.sums[warpgroup].wait_empty(sums_next_2);
        tk::mma_wait<0>(t5);
        shared.dss.release(dss_element_2);
        tk::store_shared(tk::columns<64>(shared.sums_tile[sums_next_2.stage], 64 * warpgroup), t5,
                         thread);
        shared.sums[warpgroup].publish(sums_next_2, tk::ordinary_alone{});
        sums_next_2.advance();

        // attention_masked_backward.tk:66: tma_store(dK[b, g, n, :], T(dk * scale));
        #pragma unroll
        for (int panel = 0; panel < 128; panel += 64) {
            tk::fragment<tk::bf16, 64, 64> t6;
            tk::map(t6, [&](float dk) { return dk * scale; }, tk::window<64, 64>(dk, 0, panel));
            tk::store_shared(shared.consumer_dK[warpgroup * 2 + panel / 64 % 2], t6, thread);
            tk::fence_async();
            tk::barrier_sync(1 + warpgroup, 128);
            if (leader) {
                tk::tma_store(dK_map, shared.consumer_dK[warpgroup * 2 + panel / 64 % 2], b, g,
                              n + warpgroup * 64, panel);
            }
        }

        // attention_masked_backward.tk:67: tma_store(dV[b, g, n, :], T(dv));
        #pragma unroll
        for (int panel = 0; panel < 128; panel += 64) {
            tk::store_shared(tk::block<64>(shared.kv_v[own.stage], panel / 64 % 2 * 2 + warpgroup),
                             tk::convert<tk::bf16>(tk::window<64, 64>(dv, 0, panel)), thread);
            tk::fence_async();
            tk::barrier_sync(1 + warpgroup, 128);
            if (leader) {
                tk::tma_store(dV_map,
                              tk::block<64>(shared.kv_v[own.stage], panel / 64 % 2 * 2 + warpgroup),
                              b, g, n + warpgroup * 64, panel);
            }
        }
        if (leader) tk::tma_store_wait_read<0>();
        shared.kv.release(own);

        if (leader) tk::tma_store_wait_read<0>();
    }
}

// gradients_masked_general: kernel gradients_masked with T = bf16, D = 128, MASK =
// attention_masked.causal, BM = 64, BB = 128, BN = 128; any strides and alignment.
// producer: 1 warp, 40 registers a thread; consumer: 2 warpgroups, 232 registers a thread; adder: 2
// warps, 40 registers a thread.
// 384 threads, 168 registers each at first, 231600 bytes of shared memory.
struct gradients_masked_general_shared {
    tk::shared_tile<tk::bf16, 128, 128> kv_k[1];
    tk::shared_tile<tk::bf16, 128, 128> kv_v[1];
    tk::shared_tile<tk::bf16, 64, 128> qs_tile[2];
    tk::shared_tile<tk::bf16, 64, 128> os_tile[2];
    tk::shared_tile<float, 1, 64> ls_l[2];
    tk::shared_tile<float, 1, 64> ls_delta[2];
    tk::shared_tile<int, 1, 64> ls_of[2];
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
static_assert(offsetof(gradients_masked_general_shared, sums) == 231568);

__global__ void __launch_bounds__(384, 1) gradients_masked_general_kernel(
    const __grid_constant__ CUtensorMap K_map, const __grid_constant__ CUtensorMap V_map,
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap L_map,
    const __grid_constant__ CUtensorMap Delta_map, const __grid_constant__ CUtensorMap Of_map,
    const __grid_constant__ CUtensorMap dO_map, const __grid_constant__ CUtensorMap dK_map,
    const __grid_constant__ CUtensorMap dV_map, const tk::tensor_argument<const int, 3> CountOf,
    const tk::tensor_argument<const int, 3> WholeOf, const tk::tensor_argument<const int, 4> ListOf,
    const tk::tensor_argument<float, 4> Sum, int B, int H, int M, int HKV, int N, int LB, int LH,
    float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gradients_masked_general_shared& shared =
        *reinterpret_cast<gradients_masked_general_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(K_map, V_map, Q_map, L_map, Delta_map, Of_map, dO_map, dK_map,
                              dV_map);
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
        const int n_tiles = tk::tiles(N, 128);
        // attention_masked_backward.tk:30: role producer(1 warp) {
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<1> kv_next;
            tk::cursor<2> ls_next, os_next, qs_next;
            const int program = blockIdx.x;
            const int n = program % n_tiles * 128;
            const int g = program / n_tiles % HKV;
            const int b = program / (n_tiles * HKV);

            // attention_masked_backward.tk:19: let group = H / HKV;
            const int group = H / HKV;

            // attention_masked_backward.tk:21: let lb = min(b, LB - 1);
            const int lb = tk::min(b, LB - 1);

            // attention_masked_backward.tk:31: produce kv { k = tma_load(K[b, g, n, :]); v = ..
            shared.kv.begin(kv_next, 65536);
            tk::tma_load(shared.kv_k[kv_next.stage], K_map, shared.kv.full[kv_next.stage], b, g, n,
                         0);
            tk::tma_load(shared.kv_v[kv_next.stage], V_map, shared.kv.full[kv_next.stage], b, g, n,
                         0);
            kv_next.advance();

            // attention_masked_backward.tk:32: for (h, t) in rows {
            #pragma unroll 1
            for (int h = g * group; h < (g + 1) * group; h += 1) {
                #pragma unroll 1
                for (int t = 0; t < tk::cell(CountOf, lb, tk::min(h, LH - 1), n / 128) * 2;
                     t += 1) {
                    // attention_masked_backward.tk:33: let i = ListOf[lb, min(h, LH - 1), ..
                    const int i = (t / 2 < tk::divide_up(M, 128)
                                   ? tk::cell(ListOf, lb, tk::min(h, LH - 1), n / 128, t / 2)
                                   : int{}) * 128 + t % 2 * 64;

                    // attention_masked_backward.tk:34: produce qs = tma_load(Q[b, h, i +: BM, :]);
                    shared.qs.begin(qs_next, 16384);
                    tk::tma_load(shared.qs_tile[qs_next.stage], Q_map,
                                 shared.qs.full[qs_next.stage], b, h, i, 0);
                    qs_next.advance();

                    // attention_masked_backward.tk:35: produce ls { l = tma_load(L[b, h, i +: ..
                    shared.ls.begin(ls_next, 768);
                    tk::tma_load(shared.ls_l[ls_next.stage], L_map, shared.ls.full[ls_next.stage],
                                 b, h, i);
                    tk::tma_load(shared.ls_delta[ls_next.stage], Delta_map,
                                 shared.ls.full[ls_next.stage], b, h, i);
                    tk::tma_load(shared.ls_of[ls_next.stage], Of_map, shared.ls.full[ls_next.stage],
                                 lb, i);
                    ls_next.advance();

                    // attention_masked_backward.tk:36: produce os = tma_load(dO[b, h, i +: BM, :]);
                    shared.os.begin(os_next, 16384);
                    tk::tma_load(shared.os_tile[os_next.stage], dO_map,
                                 shared.os.full[os_next.stage], b, h, i, 0);
                    os_next.advance();
                }
            }
        }
        // attention_masked_backward.tk:69: role adder(2 warps) {
        if (warp >= 9 && warp < 11) {
            const int part = warp - 9;
            const bool leader = tk::elect_one();
            tk::cursor<1> sums_next_2;
            const int program = blockIdx.x;
            const int n = program % n_tiles * 128;
            const int g = program / n_tiles % HKV;
            const int b = program / (n_tiles * HKV);

            // attention_masked_backward.tk:19: let group = H / HKV;
            const int group = H / HKV;

            // attention_masked_backward.tk:21: let lb = min(b, LB - 1);
            const int lb = tk::min(b, LB - 1);

            // attention_masked_backward.tk:70: consume sums as _nothing {}
            const tk::cursor<1> _nothing_element = shared.sums[part].take(sums_next_2);
            shared.sums[part].release(_nothing_element);

            // attention_masked_backward.tk:71: for (h, t) in rows {
            #pragma unroll 1
            for (int h = g * group; h < (g + 1) * group; h += 1) {
                #pragma unroll 1
                for (int t = 0; t < tk::cell(CountOf, lb, tk::min(h, LH - 1), n / 128) * 2;
                     t += 1) {
                    // attention_masked_backward.tk:72: let i = ListOf[lb, min(h, LH - 1), ..
                    const int i = (t / 2 < tk::divide_up(M, 128)
                                   ? tk::cell(ListOf, lb, tk::min(h, LH - 1), n / 128, t / 2)
                                   : int{}) * 128 + t % 2 * 64;

                    // attention_masked_backward.tk:73: reduce_add(Sum[b, h, i +: BM, :], consume ..
                    const tk::cursor<1> sums_element = shared.sums[part].take(sums_next_2);
                    tk::add_to_global(
                        tk::clipped(
                            tk::slice(Sum, {b, h, i, part * 64}, h < H ? M - i : 0,
                                      128 - part * 64), 0 - i, 0),
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
    } else {
        // attention_masked_backward.tk:39: role consumer(2 warpgroups) {
        tk::registers_at_least<232>();
        const int n_tiles = tk::tiles(N, 128);
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> dss_next_2, dss_taken, qs_next;
        tk::cursor<1> kv_next, sums_next_2;
        const int program = blockIdx.x;
        const int n = program % n_tiles * 128;
        const int g = program / n_tiles % HKV;
        const int b = program / (n_tiles * HKV);

        // attention_masked_backward.tk:19: let group = H / HKV;
        const int group = H / HKV;

        // attention_masked_backward.tk:20: let steep = scale * LOG2E;
        const float steep = scale * 1.442695f;

        // attention_masked_backward.tk:21: let lb = min(b, LB - 1);
        const int lb = tk::min(b, LB - 1);

        // attention_masked_backward.tk:40: let own = consume kv;
        const tk::cursor<1> own = shared.kv.take(kv_next);

        // attention_masked_backward.tk:42: var dk: f32[BN, D] = 0;
        tk::fragment<float, 64, 128> dk;
        tk::zero(dk);

        // attention_masked_backward.tk:43: var dv: f32[BN, D] = 0;
        tk::fragment<float, 64, 128> dv;
        tk::zero(dv);

        // attention_masked_backward.tk:44: var none: T[BN, BM] = 0;
        tk::fragment<tk::bf16, 64, 64> none;
        tk::map(none, []() { return tk::bf16(0.0f); });

        // attention_masked_backward.tk:45: produce dss = none;
        shared.dss.wait_empty(dss_next_2);
        tk::store_shared(tk::rows<64>(shared.dss_tile[dss_next_2.stage], 64 * warpgroup), none,
                         thread);
        shared.dss.publish(dss_next_2);
        dss_next_2.advance();

        // attention_masked_backward.tk:46: for (h, t) in rows {
        tk::fragment<float, 64, 64> e;
        for (int h = g * group; h < (g + 1) * group; h += 1) {
            for (int t = 0; t < tk::cell(CountOf, lb, tk::min(h, LH - 1), n / 128) * 2; t += 1) {
                // attention_masked_backward.tk:47: let i  = ListOf[lb, min(h, LH - 1), n.index, ..
                const int i = (t / 2 < tk::divide_up(M, 128)
                               ? tk::cell(ListOf, lb, tk::min(h, LH - 1), n / 128, t / 2) : int{}) *
                    128 + t % 2 * 64;

                // attention_masked_backward.tk:48: let q  = consume qs;
                const tk::cursor<2> q_element = shared.qs.take(qs_next);

                // attention_masked_backward.tk:49: let s  = mma(own.k, q.T);
                tk::fragment<float, 64, 64> s;
                tk::mma_async(s, tk::rows<64>(shared.kv_k[own.stage], 64 * warpgroup),
                              tk::transposed(shared.qs_tile[q_element.stage]),
                              tk::accumulate_never{});

                // attention_masked_backward.tk:50: let o  = consume os;
                shared.os.wait_full(q_element);

                // attention_masked_backward.tk:51: let dp = mma(own.v, o.T);
                tk::fragment<float, 64, 64> dp;
                tk::mma_async(dp, tk::rows<64>(shared.kv_v[own.stage], 64 * warpgroup),
                              tk::transposed(shared.os_tile[q_element.stage]),
                              tk::accumulate_never{});

                // attention_masked_backward.tk:54: let r  = consume ls;
                shared.ls.wait_full(q_element);
                tk::mma_wait<1>(s);

                // attention_masked_backward.tk:55: var e  = exp2(s * steep - r.l);
                tk::row_fragment<float, 64> t0;
                tk::load_shared(t0, shared.ls_l[q_element.stage], thread);
                tk::map(e, [&](float s, float t0) { return tk::exp2(tk::fma(s, steep, -t0)); },
                        s, t0);

                // attention_masked_backward.tk:56: if t >= WholeOf[lb, min(h, LH - 1), n.index] ..
                tk::hold_waits(warp);
                tk::mma_wait<0>(dp);
                if (t >= tk::cell(WholeOf, lb, tk::min(h, LH - 1), n / 128) * 2) {
                    if (!(n + 64 * warpgroup + 63 <= i)) {
                        tk::map(e, thread, [&](int row, int col, float e) {
                            return i + col >= n + 64 * warpgroup + row ? e : 0.0f;
                        }, e);
                    }
                }

                // attention_masked_backward.tk:57: let p  = where(key < N and row < M, e, 0);
                if (!(n + 64 * warpgroup + 64 <= N && i + 64 <= M)) {
                    tk::map(e, thread, [&](int row, int col, float e) {
                        return n + 64 * warpgroup + row < N && i + col < M ? e : 0.0f;
                    }, e);
                }

                // attention_masked_backward.tk:58: let ds = T(p * (dp - r.delta));
                tk::row_fragment<float, 64> t1;
                tk::load_shared(t1, shared.ls_delta[q_element.stage], thread);
                shared.ls.release_after_loads(q_element);
                tk::fragment<tk::bf16, 64, 64> ds;
                tk::map(ds, [](float e, float dp, float t1) { return e * (dp - t1); }, e, dp, t1);

                // attention_masked_backward.tk:59: dv += mma(T(p), o);
                tk::fragment<tk::bf16, 64, 64> t3 = tk::convert<tk::bf16>(e);
                tk::mma_async(dv, t3, shared.os_tile[q_element.stage]);

                // attention_masked_backward.tk:60: produce dss = ds;
                shared.dss.wait_empty(dss_next_2);
                tk::store_shared(tk::rows<64>(shared.dss_tile[dss_next_2.stage], 64 * warpgroup),
                                 ds, thread);
                shared.dss.publish(dss_next_2);
                dss_next_2.advance();

                // attention_masked_backward.tk:61: let dq = mma((consume dss).T, own.k);
                const tk::cursor<2> dss_element = shared.dss.take(dss_taken);
                tk::fragment<float, 64, 64> dq;
                tk::mma_async(dq, tk::transposed(shared.dss_tile[dss_element.stage]),
                              tk::columns<64>(shared.kv_k[own.stage], 64 * warpgroup),
                              tk::accumulate_never{});

                // attention_masked_backward.tk:62: dk += mma(ds, q);
                tk::mma_async(dk, ds, shared.qs_tile[q_element.stage]);

                // attention_masked_backward.tk:63: produce sums = dq;
                shared.sums[warpgroup].wait_empty(sums_next_2);
                tk::mma_wait<1>(dv, dq, t3);
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

        // attention_masked_backward.tk:65: produce sums = mma((consume dss).T, own.k);
        const tk::cursor<2> dss_element_2 = shared.dss.take(dss_taken);
        tk::fragment<float, 64, 64> t5;
        tk::mma_async(t5, tk::transposed(shared.dss_tile[dss_element_2.stage]),
                      tk::columns<64>(shared.kv_k[own.stage], 64 * warpgroup),
                      tk::accumulate_never{});
        shared.sums[warpgroup].wait_empty(sums_next_2);
        tk::mma_wait<0>(t5);
        shared.dss.release(dss_element_2);
        tk::store_shared(tk::columns<64>(shared.sums_tile[sums_next_2.stage], 64 * warpgroup), t5,
                         thread);
        shared.sums[warpgroup].publish(sums_next_2, tk::ordinary_alone{});
        sums_next_2.advance();

        // attention_masked_backward.tk:66: tma_store(dK[b, g, n, :], T(dk * scale));
        #pragma unroll
        for (int panel = 0; panel < 128; panel += 64) {
            tk::fragment<tk::bf16, 64, 64> t6;
            tk::map(t6, [&](float dk) { return dk * scale; }, tk::window<64, 64>(dk, 0, panel));
            tk::store_shared(shared.consumer_dK[warpgroup * 2 + panel / 64 % 2], t6, thread);
            tk::fence_async();
            tk::barrier_sync(1 + warpgroup, 128);
            if (leader) {
                tk::tma_store(dK_map, shared.consumer_dK[warpgroup * 2 + panel / 64 % 2], b, g,
                              n + warpgroup * 64, panel);
            }
        }

        // attention_masked_backward.tk:67: tma_store(dV[b, g, n, :], T(dv));
        #pragma unroll
        for (int panel = 0; panel < 128; panel += 64) {
            tk::store_shared(tk::block<64>(shared.kv_v[own.stage], panel / 64 % 2 * 2 + warpgroup),
                             tk::convert<tk::bf16>(tk::window<64, 64>(dv, 0, panel)), thread);
            tk::fence_async();
            tk::barrier_sync(1 + warpgroup, 128);
            if (leader) {
                tk::tma_store(dV_map,
                              tk::block<64>(shared.kv_v[own.stage], panel / 64 % 2 * 2 + warpgroup),
                              b, g, n + warpgroup * 64, panel);
            }
        }
        if (leader) tk::tma_store_wait_read<0>();
        shared.kv.release(own);

        if (leader) tk::tma_store_wait_read<0>();
    }
}

// attention_backward_row_sums_T_bf16_D_128_BQ_128: kernel attention_backward.row_sums with T =
// bf16, D = 128, BQ = 128, BM = 32.
// 128 threads, 128 registers each: attention_backward_row_sums_T_bf16_D_128_BQ_128_kernel<4, 16, 8,
// true>.
// attention_backward_row_sums_T_bf16_D_128_BQ_128_general: kernel attention_backward.row_sums with
// T = bf16, D = 128, BQ = 128, BM = 32; any strides and alignment.
// 128 threads, 255 registers each: attention_backward_row_sums_T_bf16_D_128_BQ_128_kernel<1, 32, 2,
// false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) attention_backward_row_sums_T_bf16_D_128_BQ_128_kernel(
    const tk::tensor_argument<const tk::bf16, 4> O, const tk::tensor_argument<const tk::bf16, 4> dO,
    const tk::tensor_argument<const float, 3> LSE, const tk::tensor_argument<float, 3> L,
    const tk::tensor_argument<float, 3> Delta, int B, int H, int M) {
    tk::wait_for_previous_kernel();

    const int m_tiles = tk::tiles(tk::divide_up(M, 128) * 128, 32);

    // attention_backward.tk:20: kernel row_sums<T: dtype = bf16, D: int = 128, BQ: int = 80, BM: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int m = program % m_tiles * 32;
    const int h = program / m_tiles % H;
    const int b = program / (m_tiles * H);

    // attention_backward.tk:25: store(L[b, h, m], load(LSE[b, h, m]) * LOG2E);
    tk::stripe<float, 1, 32, 128, row_threads, vector> t0;
    tk::load_slice<vectors>(
        t0, tk::slice_if_vectors<vectors, tk::no_axis, 2>(LSE, {b, h, m}, 1, M - m), thread);
    tk::stripe<float, 1, 32, 128, row_threads, vector> t1;
    tk::map(t1, [](float t0) { return t0 * 1.442695f; }, t0);
    tk::store_slice<vectors>(
        tk::slice_if_vectors<vectors, tk::no_axis, 2>(L, {b, h, m}, 1,
                                                      tk::divide_up(M, 128) * 128 - m), t1, thread);

    // attention_backward.tk:26: store(Delta[b, h, m], sum(f32(load(O[b, h, m, :])) * load(dO[b, ..
    tk::stripe<tk::bf16, 32, 128, 128, row_threads, vector> t2;
    tk::load_slice<vectors>(t2, tk::slice_if_dense<vectors>(O, {b, h, m, 0}, M - m, 128), thread);
    tk::stripe<tk::bf16, 32, 128, 128, row_threads, vector> t3;
    tk::load_slice<vectors>(t3, tk::slice_if_dense<vectors>(dO, {b, h, m, 0}, M - m, 128), thread);
    tk::stripe<float, 32, 128, 128, row_threads, vector> t4;
    tk::map(t4, [](tk::bf16 t2, tk::bf16 t3) { return float(t2) * float(t3); }, t2, t3);
    tk::stripe<float, 32, 1, 128, row_threads, vector> t5;
    tk::fold_rows(t5, t4, tk::plus{}, thread);
    tk::finish_rows(t5, tk::plus{});
    tk::store_global(
        tk::slice<2, tk::no_axis>(Delta, {b, h, m}, tk::divide_up(M, 128) * 128 - m, 1), t5,
        thread);
}

// attention_masked_whole_blocks: kernel attention_masked.whole_blocks with BB = 128.
// 128 threads, 48 registers each: attention_masked_whole_blocks_kernel<10, 32, 4, true>.
// attention_masked_whole_blocks_general: kernel attention_masked.whole_blocks with BB = 128; any
// strides and alignment.
// 128 threads, 255 registers each: attention_masked_whole_blocks_kernel<1, 64, 2, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) attention_masked_whole_blocks_kernel(
    const tk::tensor_argument<const int, 2> Of, const tk::tensor_argument<int, 2> Whole, int LB,
    int M) {
    tk::wait_for_previous_kernel();

    const int m_tiles = tk::tiles(tk::divide_up(M, 128) * 128, 128);

    // attention_masked.tk:72: kernel whole_blocks<BB: int = 128>(Of: i32[LB, M], out Whole: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int m = program % m_tiles * 128;
    const int b = program / m_tiles;

    // attention_masked.tk:75: store(Whole[b, m], load(Of[b, m]));
    tk::stripe<int, 1, 128, 128, row_threads, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_vectors<vectors, tk::no_axis, 1>(Of, {b, m}, 1, M - m),
                            thread);
    tk::store_slice<vectors>(
        tk::slice_if_vectors<vectors, tk::no_axis, 1>(Whole, {b, m}, 1,
                                                      tk::divide_up(M, 128) * 128 - m), t0, thread);
}

// attention_backward_scaled_T_bf16_D_128: kernel attention_backward.scaled with T = bf16, D = 128,
// BM = 16.
// 128 threads, 48 registers each: attention_backward_scaled_T_bf16_D_128_kernel<10, 16, 8, true>.
// attention_backward_scaled_T_bf16_D_128_general: kernel attention_backward.scaled with T = bf16, D
// = 128, BM = 16; any strides and alignment.
// 128 threads, 255 registers each: attention_backward_scaled_T_bf16_D_128_kernel<1, 32, 2, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) attention_backward_scaled_T_bf16_D_128_kernel(
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
    tk::stripe<float, 16, 128, 128, row_threads, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_dense<vectors>(Sum, {b, h, m, 0}, M - m, 128), thread);
    tk::stripe<tk::bf16, 16, 128, 128, row_threads, vector> t1;
    tk::map(t1, [&](float t0) { return t0 * scale; }, t0);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(dQ, {b, h, m, 0}, M - m, 128), t1, thread);
}

// attention_masked_block_kinds_MASK_attention_masked_causal: kernel attention_masked.block_kinds
// with MASK = attention_masked.causal, BM = 128, BN = 128.
// 256 threads, 255 registers each, 1024 bytes of shared memory:
// attention_masked_block_kinds_MASK_attention_masked_causal_kernel<true>.
// attention_masked_block_kinds_MASK_attention_masked_causal_general: kernel
// attention_masked.block_kinds with MASK = attention_masked.causal, BM = 128, BN = 128; any strides
// and alignment.
// 256 threads, 255 registers each, 1024 bytes of shared memory:
// attention_masked_block_kinds_MASK_attention_masked_causal_kernel<false>.
struct attention_masked_block_kinds_MASK_attention_masked_causal_shared {
    tk::shared_tile<int, 8, 1> block_kinds_i32_rows_1[1];
};

template <bool vectors>
__global__ void __launch_bounds__(256, 1) attention_masked_block_kinds_MASK_attention_masked_causal_kernel(
    const tk::tensor_argument<const int, 2> OfRow, const tk::tensor_argument<const int, 2> OfCol,
    const tk::tensor_argument<int, 4> Kind, const tk::tensor_argument<int, 4> Turned, int LB, int M,
    int N, int LH) {
    extern __shared__ __align__(1024) unsigned char memory[];
    attention_masked_block_kinds_MASK_attention_masked_causal_shared& shared =
        *reinterpret_cast<attention_masked_block_kinds_MASK_attention_masked_causal_shared*>(
        memory);

    tk::wait_for_previous_kernel();

    const int n_tiles = tk::tiles(N, 128);
    const int m_tiles = tk::tiles(M, 128);

    // attention_masked.tk:23: kernel block_kinds<MASK: fn = causal, BM: int = 128, BN: int = 128>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 128;
    const int m = program / n_tiles % m_tiles * 128;
    const int h = program / (n_tiles * m_tiles) % LH;
    const int b = program / (n_tiles * m_tiles * LH);

    // attention_masked.tk:31: let sees = MASK(b, h, row, col, column(load(OfRow[b, m])), ..
    tk::stripe<int, 128, 1, 256, 32, 4> t0;
    tk::load_global(t0, tk::slice<1, tk::no_axis>(OfRow, {b, m}, M - m, 1), thread);
    tk::stripe<int, 1, 128, 256, 32, 4> t1;
    tk::load_slice<vectors>(
        t1, tk::slice_if_vectors<vectors, tk::no_axis, 1>(OfCol, {b, n}, 1, N - n), thread);

    // attention_masked.tk:32: let seen   = sum(sum(where(is and sees, 1, 0), axis = 1), axis = 0);
    tk::stripe<int, 128, 128, 256, 32, 4> t2;
    tk::map(t2, thread, [&](int row, int col, int, int) {
        const int x = m + row;
        const int x_2 = n + col;
        return x < M && x_2 < N && x >= x_2 ? 1 : 0;
    }, t0, t1);
    tk::stripe<int, 128, 1, 256, 32, 4> t3;
    tk::fold_rows(t3, t2, tk::plus{}, thread);
    tk::finish_rows(t3, tk::plus{});
    tk::stripe<int, 1, 1, 256, 32, 4> seen;
    tk::reduce_columns(seen, t3, shared.block_kinds_i32_rows_1[0], tk::plus{}, thread, 1);

    // attention_masked.tk:33: let hidden = sum(sum(where(is and not sees, 1, 0), axis = 1), axis ..
    tk::stripe<int, 128, 128, 256, 32, 4> t5;
    tk::map(t5, thread, [&](int row, int col, int, int) {
        const int x = m + row;
        const int x_2 = n + col;
        return x < M && x_2 < N && !(x >= x_2) ? 1 : 0;
    }, t0, t1);
    tk::stripe<int, 128, 1, 256, 32, 4> t6;
    tk::fold_rows(t6, t5, tk::plus{}, thread);
    tk::finish_rows(t6, tk::plus{});
    tk::stripe<int, 1, 1, 256, 32, 4> hidden;
    tk::reduce_columns(hidden, t6, shared.block_kinds_i32_rows_1[0], tk::plus{}, thread, 1);

    // attention_masked.tk:34: let kind = where(seen == 0, 0, where(hidden == 0, 2, 1));
    tk::stripe<int, 1, 1, 256, 32, 4> kind;
    tk::map(kind, [](int seen, int hidden) { return seen == 0 ? 0 : hidden == 0 ? 2 : 1; },
            seen, hidden);

    // attention_masked.tk:35: store(Kind[b, h, m.index, n.index], kind);
    tk::store_global(
        tk::slice<tk::no_axis, 3>(Kind, {b, h, m / 128, n / 128}, 1,
                                  m / 128 < tk::divide_up(M, 128) ? tk::divide_up(N, 128) - n / 128
                                  : 0), kind, thread);

    // attention_masked.tk:36: store(Turned[b, h, n.index, m.index], kind);
    tk::store_global(
        tk::slice<tk::no_axis, 3>(Turned, {b, h, n / 128, m / 128}, 1,
                                  n / 128 < tk::divide_up(N, 128) ? tk::divide_up(M, 128) - m / 128
                                  : 0), kind, thread);
}

// attention_masked_block_lists: kernel attention_masked.block_lists with BC = 128, BP = 64.
// 128 threads, 96 registers each: attention_masked_block_lists_kernel<5, true>.
// attention_masked_block_lists_general: kernel attention_masked.block_lists with BC = 128, BP = 64;
// any strides and alignment.
// 128 threads, 255 registers each: attention_masked_block_lists_kernel<1, false>.
template <int blocks_3, bool vectors>
__global__ void __launch_bounds__(128, blocks_3) attention_masked_block_lists_kernel(
    const tk::tensor_argument<const int, 4> Kind, const tk::tensor_argument<int, 3> Count,
    const tk::tensor_argument<int, 3> Whole, const tk::tensor_argument<int, 4> List, int LB, int LH,
    int R, int C) {
    tk::wait_for_previous_kernel();

    // attention_masked.tk:40: kernel block_lists<BC: int = 128, BP: int = 64>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program % R;
    const int h = program / R % LH;
    const int b = program / (R * LH);

    // attention_masked.tk:44: var count: i32[1, 1] = 0;
    tk::stripe<int, 1, 1, 128, 32, 4> count;
    tk::map(count, []() { return 0; });

    // attention_masked.tk:45: var whole: i32[1, 1] = 0;
    tk::stripe<int, 1, 1, 128, 32, 4> whole;
    tk::map(whole, []() { return 0; });

    // attention_masked.tk:46: for c in C by BC {
    for (int c = 0; c < C; c += 128) {
        // attention_masked.tk:47: let kind = load(Kind[b, h, r, c]);
        tk::stripe<int, 1, 128, 128, 32, 4> kind;
        tk::load_slice<vectors>(kind,
                                tk::slice_if_vectors<vectors, tk::no_axis, 3>(Kind, {b, h, r, c}, 1,
                                                                              C - c), thread);

        // attention_masked.tk:48: count += sum(where(kind > 0, 1, 0), axis = 1);
        tk::stripe<int, 1, 128, 128, 32, 4> t1;
        tk::map(t1, [](int kind) { return kind > 0 ? 1 : 0; }, kind);
        tk::stripe<int, 1, 1, 128, 32, 4> t2;
        tk::fold_rows(t2, t1, tk::plus{}, thread);
        tk::finish_rows(t2, tk::plus{});
        tk::map(count, [](int count, int t2) { return tk::wrapping_add(count, t2); }, count, t2);

        // attention_masked.tk:49: whole += sum(where(kind == 2, 1, 0), axis = 1);
        tk::stripe<int, 1, 128, 128, 32, 4> t3;
        tk::map(t3, [](int kind) { return kind == 2 ? 1 : 0; }, kind);
        tk::stripe<int, 1, 1, 128, 32, 4> t4;
        tk::fold_rows(t4, t3, tk::plus{}, thread);
        tk::finish_rows(t4, tk::plus{});
        tk::map(whole, [](int whole, int t4) { return tk::wrapping_add(whole, t4); }, whole, t4);
    }

    // attention_masked.tk:51: store(Count[b, h, r], count);
    tk::store_global(tk::slice<tk::no_axis, 2>(Count, {b, h, r}, 1, R - r), count, thread);

    // attention_masked.tk:52: store(Whole[b, h, r], whole);
    tk::store_global(tk::slice<tk::no_axis, 2>(Whole, {b, h, r}, 1, R - r), whole, thread);

    // attention_masked.tk:53: for p in C by BP {
    for (int p = 0; p < C; p += 64) {
        // attention_masked.tk:54: var blocks: i32[BP, 1] = 0;
        tk::stripe<int, 64, 1, 128, 32, 4> blocks;
        tk::map(blocks, []() { return 0; });

        // attention_masked.tk:55: var wholes: i32[1, 1] = 0;
        tk::stripe<int, 1, 1, 128, 32, 4> wholes;
        tk::map(wholes, []() { return 0; });

        // attention_masked.tk:56: var parts = whole;
        tk::stripe<int, 1, 1, 128, 32, 4> parts = whole;

        // attention_masked.tk:57: for c in C by BC {
        for (int c = 0; c < C; c += 128) {
            // attention_masked.tk:58: let kind = load(Kind[b, h, r, c]);
            tk::stripe<int, 1, 128, 128, 32, 4> kind_2;
            tk::load_slice<vectors>(
                kind_2, tk::slice_if_vectors<vectors, tk::no_axis, 3>(Kind, {b, h, r, c}, 1, C - c),
                thread);

            // attention_masked.tk:59: let is_whole = where(kind == 2, 1, 0);
            tk::stripe<int, 1, 128, 128, 32, 4> is_whole;
            tk::map(is_whole, [](int kind_2) { return kind_2 == 2 ? 1 : 0; }, kind_2);

            // attention_masked.tk:60: let is_part  = where(kind == 1, 1, 0);
            tk::stripe<int, 1, 128, 128, 32, 4> is_part;
            tk::map(is_part, [](int kind_2) { return kind_2 == 1 ? 1 : 0; }, kind_2);

            // attention_masked.tk:61: let place = where(kind == 2, wholes + cumsum(is_whole, ..
            tk::stripe<int, 1, 128, 128, 32, 4> t6;
            tk::running_sums(t6, is_whole, thread);
            tk::stripe<int, 1, 128, 128, 32, 4> t7;
            tk::running_sums(t7, is_part, thread);
            tk::stripe<int, 1, 128, 128, 32, 4> place;
            tk::map(place, [](int kind_2, int wholes, int t6, int parts, int t7) {
                return tk::wrapping_subtract(kind_2 == 2 ? tk::wrapping_add(wholes, t6)
                                             : tk::wrapping_add(parts, t7), 1);
            }, kind_2, wholes, t6, parts, t7);

            // attention_masked.tk:63: blocks += sum(where(here, c.start + range(BC), 0), axis = 1);
            tk::stripe<int, 64, 128, 128, 32, 4> t8;
            tk::map(t8, thread, [&](int row, int col, int kind_2, int place) {
                return kind_2 > 0 && place == p + row ? c + col : 0;
            }, kind_2, place);
            tk::stripe<int, 64, 1, 128, 32, 4> t9;
            tk::fold_rows(t9, t8, tk::plus{}, thread);
            tk::finish_rows(t9, tk::plus{});
            tk::map(blocks, [](int blocks, int t9) { return tk::wrapping_add(blocks, t9); },
                    blocks, t9);

            // attention_masked.tk:64: wholes += sum(is_whole, axis = 1);
            tk::stripe<int, 1, 1, 128, 32, 4> t10;
            tk::fold_rows(t10, is_whole, tk::plus{}, thread);
            tk::finish_rows(t10, tk::plus{});
            tk::map(wholes, [](int wholes, int t10) { return tk::wrapping_add(wholes, t10); },
                    wholes, t10);

            // attention_masked.tk:65: parts  += sum(is_part, axis = 1);
            tk::stripe<int, 1, 1, 128, 32, 4> t11;
            tk::fold_rows(t11, is_part, tk::plus{}, thread);
            tk::finish_rows(t11, tk::plus{});
            tk::map(parts, [](int parts, int t11) { return tk::wrapping_add(parts, t11); },
                    parts, t11);
        }

        // attention_masked.tk:67: store(List[b, h, r, p], blocks);
        tk::store_global(tk::slice<3, tk::no_axis>(List, {b, h, r, p}, C - p, 1), blocks, thread);
    }
}

namespace {
tk::status launch_attention_backward_row_sums_T_bf16_D_128_BQ_128(
    const tk::launch_site& site, const tk::tensor& O, const tk::tensor& dO, const tk::tensor& LSE,
    const tk::tensor& L, const tk::tensor& Delta, int64_t B, int64_t H, int64_t M) {
    return tk::run<attention_backward_row_sums_T_bf16_D_128_BQ_128_kernel<4, 16, 8, true>>(
        site, 0, tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(M, 128) * 128, 32), 0), H),
                     B), O, dO, LSE, L, Delta, B, H, M);
}

tk::status launch_attention_backward_row_sums_T_bf16_D_128_BQ_128_general(
    const tk::launch_site& site, const tk::tensor& O, const tk::tensor& dO, const tk::tensor& LSE,
    const tk::tensor& L, const tk::tensor& Delta, int64_t B, int64_t H, int64_t M) {
    return tk::run<attention_backward_row_sums_T_bf16_D_128_BQ_128_kernel<1, 32, 2, false>>(
        site, 0, tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(M, 128) * 128, 32), 0), H),
                     B), O, dO, LSE, L, Delta, B, H, M);
}

tk::status launch_attention_masked_whole_blocks(const tk::launch_site& site, const tk::tensor& Of,
                                                const tk::tensor& Whole, int64_t LB, int64_t M) {
    return tk::run<attention_masked_whole_blocks_kernel<10, 32, 4, true>>(
        site, 0, tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(M, 128) * 128, 128), 0), LB), Of, Whole,
        LB, M);
}

tk::status launch_attention_masked_whole_blocks_general(
    const tk::launch_site& site, const tk::tensor& Of, const tk::tensor& Whole, int64_t LB,
    int64_t M) {
    return tk::run<attention_masked_whole_blocks_kernel<1, 64, 2, false>>(
        site, 0, tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(M, 128) * 128, 128), 0), LB), Of, Whole,
        LB, M);
}

tk::status launch_gradients_masked(
    const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K, const tk::tensor& V,
    const tk::tensor& dO, const tk::tensor& L, const tk::tensor& Delta, const tk::tensor& Of,
    const tk::tensor& CountOf, const tk::tensor& WholeOf, const tk::tensor& ListOf,
    const tk::tensor& Sum, const tk::tensor& dK, const tk::tensor& dV, int64_t B, int64_t H,
    int64_t M, int64_t HKV, int64_t N, int64_t LB, int64_t LH, float scale) {
    return tk::run<gradients_masked_kernel>(
        site, sizeof(gradients_masked_shared), tk::kernel_shape(384).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(N, 128), HKV), B), tk::box{K, {1, 1, 128, 64}, 128},
        tk::box{V, {1, 1, 128, 64}, 128}, tk::box{Q, {1, 1, 64, 64}, 128},
        tk::box{L, {1, 1, 64}, 0}, tk::box{Delta, {1, 1, 64}, 0}, tk::box{Of, {1, 64}, 0},
        tk::box{dO, {1, 1, 64, 64}, 128}, tk::box{dK, {1, 1, 64, 64}, 128},
        tk::box{dV, {1, 1, 64, 64}, 128}, tk::box{Sum, {1, 1, 64, 32}, 128}, CountOf, WholeOf,
        ListOf, B, H, M, HKV, N, LB, LH, scale);
}

tk::status launch_gradients_masked_general(
    const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K, const tk::tensor& V,
    const tk::tensor& dO, const tk::tensor& L, const tk::tensor& Delta, const tk::tensor& Of,
    const tk::tensor& CountOf, const tk::tensor& WholeOf, const tk::tensor& ListOf,
    const tk::tensor& Sum, const tk::tensor& dK, const tk::tensor& dV, int64_t B, int64_t H,
    int64_t M, int64_t HKV, int64_t N, int64_t LB, int64_t LH, float scale) {
    return tk::run<gradients_masked_general_kernel>(
        site, sizeof(gradients_masked_general_shared), tk::kernel_shape(384).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(N, 128), HKV), B), tk::box{K, {1, 1, 128, 64}, 128},
        tk::box{V, {1, 1, 128, 64}, 128}, tk::box{Q, {1, 1, 64, 64}, 128},
        tk::box{L, {1, 1, 64}, 0}, tk::box{Delta, {1, 1, 64}, 0}, tk::box{Of, {1, 64}, 0},
        tk::box{dO, {1, 1, 64, 64}, 128}, tk::box{dK, {1, 1, 64, 64}, 128},
        tk::box{dV, {1, 1, 64, 64}, 128}, CountOf, WholeOf, ListOf, Sum, B, H, M, HKV, N, LB, LH,
        scale);
}

tk::status launch_attention_backward_scaled_T_bf16_D_128(
    const tk::launch_site& site, const tk::tensor& Sum, const tk::tensor& dQ, int64_t B, int64_t H,
    int64_t M, float scale) {
    return tk::run<attention_backward_scaled_T_bf16_D_128_kernel<10, 16, 8, true>>(
        site, 0, tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(M, 16), H), B), Sum, dQ, B, H, M, scale);
}

tk::status launch_attention_backward_scaled_T_bf16_D_128_general(
    const tk::launch_site& site, const tk::tensor& Sum, const tk::tensor& dQ, int64_t B, int64_t H,
    int64_t M, float scale) {
    return tk::run<attention_backward_scaled_T_bf16_D_128_kernel<1, 32, 2, false>>(
        site, 0, tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(M, 16), H), B), Sum, dQ, B, H, M, scale);
}

tk::status launch_attention_masked_block_kinds_MASK_attention_masked_causal(
    const tk::launch_site& site, const tk::tensor& OfRow, const tk::tensor& OfCol,
    const tk::tensor& Kind, const tk::tensor& Turned, int64_t LB, int64_t M, int64_t N,
    int64_t LH) {
    return tk::run<attention_masked_block_kinds_MASK_attention_masked_causal_kernel<true>>(
        site, sizeof(attention_masked_block_kinds_MASK_attention_masked_causal_shared),
        tk::kernel_shape(256).overlapping(),
        tk::multiply(tk::multiply(tk::multiply(tk::ceil_div(N, 128), tk::ceil_div(M, 128)), LH),
                     LB), OfRow, OfCol, Kind, Turned, LB, M, N, LH);
}

tk::status launch_attention_masked_block_kinds_MASK_attention_masked_causal_general(
    const tk::launch_site& site, const tk::tensor& OfRow, const tk::tensor& OfCol,
    const tk::tensor& Kind, const tk::tensor& Turned, int64_t LB, int64_t M, int64_t N,
    int64_t LH) {
    return tk::run<attention_masked_block_kinds_MASK_attention_masked_causal_kernel<false>>(
        site, sizeof(attention_masked_block_kinds_MASK_attention_masked_causal_shared),
        tk::kernel_shape(256).overlapping(),
        tk::multiply(tk::multiply(tk::multiply(tk::ceil_div(N, 128), tk::ceil_div(M, 128)), LH),
                     LB), OfRow, OfCol, Kind, Turned, LB, M, N, LH);
}

tk::status launch_attention_masked_block_lists(
    const tk::launch_site& site, const tk::tensor& Kind, const tk::tensor& Count,
    const tk::tensor& Whole, const tk::tensor& List, int64_t LB, int64_t LH, int64_t R, int64_t C) {
    return tk::run<attention_masked_block_lists_kernel<5, true>>(
        site, 0, tk::kernel_shape(128).overlapping(), tk::multiply(tk::multiply(R, LH), LB), Kind,
        Count, Whole, List, LB, LH, R, C);
}

tk::status launch_attention_masked_block_lists_general(
    const tk::launch_site& site, const tk::tensor& Kind, const tk::tensor& Count,
    const tk::tensor& Whole, const tk::tensor& List, int64_t LB, int64_t LH, int64_t R, int64_t C) {
    return tk::run<attention_masked_block_lists_kernel<1, false>>(
        site, 0, tk::kernel_shape(128).overlapping(), tk::multiply(tk::multiply(R, LH), LB), Kind,
        Count, Whole, List, LB, LH, R, C);
}

}  // namespace

extern "C" {
int gradients_masked(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
                     const DLTensor* dO_given, const DLTensor* L_given, const DLTensor* Delta_given,
                     const DLTensor* Of_given, const DLTensor* OfCol_given,
                     const DLTensor* CountOf_given, const DLTensor* WholeOf_given,
                     const DLTensor* ListOf_given, DLTensor* Sum_given, DLTensor* dK_given,
                     DLTensor* dV_given, float scale, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"gradients_masked"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor L = call.take("L", L_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor Delta = call.take("Delta", Delta_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor Of = call.take("Of", Of_given, tk::dtype_i32, 2, tk::access::read);
    const tk::tensor OfCol = call.take("OfCol", OfCol_given, tk::dtype_i32, 2, tk::access::read);
    const tk::tensor CountOf = call.take("CountOf", CountOf_given, tk::dtype_i32, 3,
                                         tk::access::read);
    const tk::tensor WholeOf = call.take("WholeOf", WholeOf_given, tk::dtype_i32, 3,
                                         tk::access::read);
    const tk::tensor ListOf = call.take("ListOf", ListOf_given, tk::dtype_i32, 4, tk::access::read);
    const tk::tensor Sum = call.take("Sum", Sum_given, tk::dtype_f32, 4, tk::access::accumulate);
    const tk::tensor dK = call.take("dK", dK_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dV = call.take("dV", dV_given, tk::dtype_bf16, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t H = Q.shape[1];
    const int64_t M = Q.shape[2];
    const int64_t HKV = K.shape[1];
    const int64_t N = K.shape[2];
    const int64_t LB = Of.shape[0];
    const int64_t LH = CountOf.shape[1];
    call.require(
        {tk::fixed_extent(Q, 3, 128), tk::same_extent("B", Q, 0, K, 0), tk::fixed_extent(K, 3, 128),
         tk::same_extent("B", Q, 0, V, 0), tk::same_extent("HKV", K, 1, V, 1),
         tk::same_extent("N", K, 2, V, 2), tk::fixed_extent(V, 3, 128),
         tk::same_extent("B", Q, 0, dO, 0), tk::same_extent("H", Q, 1, dO, 1),
         tk::same_extent("M", Q, 2, dO, 2), tk::fixed_extent(dO, 3, 128),
         tk::same_extent("B", Q, 0, L, 0), tk::same_extent("H", Q, 1, L, 1),
         tk::same_extent("B", Q, 0, Delta, 0), tk::same_extent("H", Q, 1, Delta, 1),
         tk::same_extent("LB", Of, 0, OfCol, 0), tk::same_extent("N", K, 2, OfCol, 1),
         tk::same_extent("LB", Of, 0, CountOf, 0), tk::same_extent("LB", Of, 0, WholeOf, 0),
         tk::same_extent("LH", CountOf, 1, WholeOf, 1), tk::same_extent("LB", Of, 0, ListOf, 0),
         tk::same_extent("LH", CountOf, 1, ListOf, 1), tk::same_extent("B", Q, 0, Sum, 0),
         tk::same_extent("H", Q, 1, Sum, 1), tk::same_extent("M", Q, 2, Sum, 2),
         tk::fixed_extent(Sum, 3, 128), tk::same_extent("B", Q, 0, dK, 0),
         tk::same_extent("HKV", K, 1, dK, 1), tk::same_extent("N", K, 2, dK, 2),
         tk::fixed_extent(dK, 3, 128), tk::same_extent("B", Q, 0, dV, 0),
         tk::same_extent("HKV", K, 1, dV, 1), tk::same_extent("N", K, 2, dV, 2),
         tk::fixed_extent(dV, 3, 128),
         tk::extents_fit(
             {{"B", B}, {"H", H}, {"M", M}, {"HKV", HKV}, {"N", N}, {"LB", LB}, {"LH", LH}}),
         tk::that(L.shape[2] == tk::ceil_div(M, 128) * 128,
                  "axis 2 of `L` is {}; it must be `ceil_div(M, 128)*128`, which is {}",
                  {L.shape[2], tk::ceil_div(M, 128) * 128}),
         tk::that(Delta.shape[2] == tk::ceil_div(M, 128) * 128,
                  "axis 2 of `Delta` is {}; it must be `ceil_div(M, 128)*128`, which is {}",
                  {Delta.shape[2], tk::ceil_div(M, 128) * 128}),
         tk::that(Of.shape[1] == tk::ceil_div(M, 128) * 128,
                  "axis 1 of `Of` is {}; it must be `ceil_div(M, 128)*128`, which is {}",
                  {Of.shape[1], tk::ceil_div(M, 128) * 128}),
         tk::that(CountOf.shape[2] == tk::ceil_div(N, 128),
                  "axis 2 of `CountOf` is {}; it must be `ceil_div(N, 128)`, which is {}",
                  {CountOf.shape[2], tk::ceil_div(N, 128)}),
         tk::that(WholeOf.shape[2] == tk::ceil_div(N, 128),
                  "axis 2 of `WholeOf` is {}; it must be `ceil_div(N, 128)`, which is {}",
                  {WholeOf.shape[2], tk::ceil_div(N, 128)}),
         tk::that(ListOf.shape[2] == tk::ceil_div(N, 128),
                  "axis 2 of `ListOf` is {}; it must be `ceil_div(N, 128)`, which is {}",
                  {ListOf.shape[2], tk::ceil_div(N, 128)}),
         tk::that(ListOf.shape[3] == tk::ceil_div(M, 128),
                  "axis 3 of `ListOf` is {}; it must be `ceil_div(M, 128)`, which is {}",
                  {ListOf.shape[3], tk::ceil_div(M, 128)}),
         tk::that(1 <= HKV, "`H%HKV` divides by `HKV`, which is {}: it must be at least 1", {HKV}),
         tk::that(tk::floor_mod(H, HKV) == 0, "`gradients_masked` requires `H % HKV == 0`"),
         tk::that(LB >= 1, "`gradients_masked` requires `LB >= 1`"),
         tk::that(LH >= 1, "`gradients_masked` requires `LH >= 1`"),
         tk::that(LB == 1 || LB == B, "`gradients_masked` requires `LB == 1 or LB == B`"),
         tk::that(LH == 1 || LH == H, "`gradients_masked` requires `LH == 1 or LH == H`"),
         tk::that(0 < HKV, "`HKV` is at least 1, because `gradients_masked` divides by it"),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 128), HKV), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 128), HKV), B), 2147483648),
         tk::fits("g*group", tk::multiply(HKV - 1, tk::floor_div(H, HKV))),
         tk::fits("(g + 1)*group", tk::multiply(HKV - 1 + 1, tk::floor_div(H, HKV)))});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(tk::ceil_div(N, 128), HKV), B);

    // The general one only where the other does not suit.
    tk::selection choice{call};
    choice.candidate();  // gradients_masked
    choice.prefer(
        {tk::suits_fast(Q), tk::suits_fast(K), tk::suits_fast(V), tk::suits_fast(dO),
         tk::suits_fast(L), tk::suits_fast(Delta), tk::suits_fast(Of), tk::suits_fast(Sum),
         tk::suits_fast(dK), tk::suits_fast(dV)});
    choice.offer();
    choice.candidate(true);  // gradients_masked_general
    choice.require(
        {tk::suits_tma_load(Q), tk::suits_tma_load(K), tk::suits_tma_load(V),
         tk::suits_tma_load(dO), tk::suits_tma_load(L), tk::suits_tma_load(Delta),
         tk::suits_tma_load(Of), tk::suits_tma_store(dK), tk::suits_tma_store(dV)});
    choice.offer();
    if (!choice.ok()) return tk::finish(choice.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    TK_FINISH_IF_FAILED(tk::clear(Sum, site));
    const int best = choice.best(site);
    if (best == 0) {
        return tk::finish(tk::run<gradients_masked_kernel>(
            site, sizeof(gradients_masked_shared), tk::kernel_shape(384).overlapping(), programs,
            tk::box{K, {1, 1, 128, 64}, 128}, tk::box{V, {1, 1, 128, 64}, 128},
            tk::box{Q, {1, 1, 64, 64}, 128}, tk::box{L, {1, 1, 64}, 0},
            tk::box{Delta, {1, 1, 64}, 0}, tk::box{Of, {1, 64}, 0},
            tk::box{dO, {1, 1, 64, 64}, 128}, tk::box{dK, {1, 1, 64, 64}, 128},
            tk::box{dV, {1, 1, 64, 64}, 128}, tk::box{Sum, {1, 1, 64, 32}, 128}, CountOf, WholeOf,
            ListOf, B, H, M, HKV, N, LB, LH, scale));
    }
    return tk::finish(tk::run<gradients_masked_general_kernel>(
        site, sizeof(gradients_masked_general_shared), tk::kernel_shape(384).overlapping(),
        programs, tk::box{K, {1, 1, 128, 64}, 128}, tk::box{V, {1, 1, 128, 64}, 128},
        tk::box{Q, {1, 1, 64, 64}, 128}, tk::box{L, {1, 1, 64}, 0}, tk::box{Delta, {1, 1, 64}, 0},
        tk::box{Of, {1, 64}, 0}, tk::box{dO, {1, 1, 64, 64}, 128}, tk::box{dK, {1, 1, 64, 64}, 128},
        tk::box{dV, {1, 1, 64, 64}, 128}, CountOf, WholeOf, ListOf, Sum, B, H, M, HKV, N, LB, LH,
        scale));
}
TK_NO_WORKSPACE(gradients_masked, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                float)

int attention_masked_backward(
    const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
    const DLTensor* O_given, const DLTensor* LSE_given, const DLTensor* dO_given,
    const DLTensor* OfRow_given, const DLTensor* OfCol_given, const DLTensor* CountOf_given,
    const DLTensor* WholeOf_given, const DLTensor* ListOf_given, DLTensor* dQ_given,
    DLTensor* dK_given, DLTensor* dV_given, DLTensor* L_given, DLTensor* Delta_given,
    DLTensor* Of_given, DLTensor* Sum_given, float scale, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"attention_masked_backward"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor OfRow = call.take("OfRow", OfRow_given, tk::dtype_i32, 2, tk::access::read);
    const tk::tensor OfCol = call.take("OfCol", OfCol_given, tk::dtype_i32, 2, tk::access::read);
    const tk::tensor CountOf = call.take("CountOf", CountOf_given, tk::dtype_i32, 3,
                                         tk::access::read);
    const tk::tensor WholeOf = call.take("WholeOf", WholeOf_given, tk::dtype_i32, 3,
                                         tk::access::read);
    const tk::tensor ListOf = call.take("ListOf", ListOf_given, tk::dtype_i32, 4, tk::access::read);
    const tk::tensor dQ = call.take("dQ", dQ_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dK = call.take("dK", dK_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dV = call.take("dV", dV_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor L = call.take("L", L_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor Delta = call.take("Delta", Delta_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor Of = call.take("Of", Of_given, tk::dtype_i32, 2, tk::access::write);
    const tk::tensor Sum = call.take("Sum", Sum_given, tk::dtype_f32, 4, tk::access::accumulate);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t H = Q.shape[1];
    const int64_t M = Q.shape[2];
    const int64_t HKV = K.shape[1];
    const int64_t N = K.shape[2];
    const int64_t LB = OfRow.shape[0];
    const int64_t LH = CountOf.shape[1];
    call.require({
        tk::fixed_extent(Q, 3, 128), tk::same_extent("B", Q, 0, K, 0), tk::fixed_extent(K, 3, 128),
        tk::same_extent("B", Q, 0, V, 0), tk::same_extent("HKV", K, 1, V, 1),
        tk::same_extent("N", K, 2, V, 2), tk::fixed_extent(V, 3, 128),
        tk::same_extent("B", Q, 0, O, 0), tk::same_extent("H", Q, 1, O, 1),
        tk::same_extent("M", Q, 2, O, 2), tk::fixed_extent(O, 3, 128),
        tk::same_extent("B", Q, 0, LSE, 0), tk::same_extent("H", Q, 1, LSE, 1),
        tk::same_extent("M", Q, 2, LSE, 2), tk::same_extent("B", Q, 0, dO, 0),
        tk::same_extent("H", Q, 1, dO, 1), tk::same_extent("M", Q, 2, dO, 2),
        tk::fixed_extent(dO, 3, 128), tk::same_extent("M", Q, 2, OfRow, 1),
        tk::same_extent("LB", OfRow, 0, OfCol, 0), tk::same_extent("N", K, 2, OfCol, 1),
        tk::same_extent("LB", OfRow, 0, CountOf, 0), tk::same_extent("LB", OfRow, 0, WholeOf, 0),
        tk::same_extent("LH", CountOf, 1, WholeOf, 1), tk::same_extent("LB", OfRow, 0, ListOf, 0),
        tk::same_extent("LH", CountOf, 1, ListOf, 1), tk::same_extent("B", Q, 0, dQ, 0),
        tk::same_extent("H", Q, 1, dQ, 1), tk::same_extent("M", Q, 2, dQ, 2),
        tk::fixed_extent(dQ, 3, 128), tk::same_extent("B", Q, 0, dK, 0),
        tk::same_extent("HKV", K, 1, dK, 1), tk::same_extent("N", K, 2, dK, 2),
        tk::fixed_extent(dK, 3, 128), tk::same_extent("B", Q, 0, dV, 0),
        tk::same_extent("HKV", K, 1, dV, 1), tk::same_extent("N", K, 2, dV, 2),
        tk::fixed_extent(dV, 3, 128), tk::same_extent("B", Q, 0, L, 0),
        tk::same_extent("H", Q, 1, L, 1), tk::same_extent("B", Q, 0, Delta, 0),
        tk::same_extent("H", Q, 1, Delta, 1), tk::same_extent("LB", OfRow, 0, Of, 0),
        tk::same_extent("B", Q, 0, Sum, 0), tk::same_extent("H", Q, 1, Sum, 1),
        tk::same_extent("M", Q, 2, Sum, 2), tk::fixed_extent(Sum, 3, 128),
        tk::extents_fit(
            {{"B", B}, {"H", H}, {"M", M}, {"HKV", HKV}, {"N", N}, {"LB", LB}, {"LH", LH}}),
        tk::that(CountOf.shape[2] == tk::ceil_div(N, 128),
                 "axis 2 of `CountOf` is {}; it must be `ceil_div(N, 128)`, which is {}",
                 {CountOf.shape[2], tk::ceil_div(N, 128)}),
        tk::that(WholeOf.shape[2] == tk::ceil_div(N, 128),
                 "axis 2 of `WholeOf` is {}; it must be `ceil_div(N, 128)`, which is {}",
                 {WholeOf.shape[2], tk::ceil_div(N, 128)}),
        tk::that(ListOf.shape[2] == tk::ceil_div(N, 128),
                 "axis 2 of `ListOf` is {}; it must be `ceil_div(N, 128)`, which is {}",
                 {ListOf.shape[2], tk::ceil_div(N, 128)}),
        tk::that(ListOf.shape[3] == tk::ceil_div(M, 128),
                 "axis 3 of `ListOf` is {}; it must be `ceil_div(M, 128)`, which is {}",
                 {ListOf.shape[3], tk::ceil_div(M, 128)}),
        tk::that(L.shape[2] == tk::ceil_div(M, 128) * 128,
                 "axis 2 of `L` is {}; it must be `ceil_div(M, 128)*128`, which is {}",
                 {L.shape[2], tk::ceil_div(M, 128) * 128}),
        tk::that(Delta.shape[2] == tk::ceil_div(M, 128) * 128,
                 "axis 2 of `Delta` is {}; it must be `ceil_div(M, 128)*128`, which is {}",
                 {Delta.shape[2], tk::ceil_div(M, 128) * 128}),
        tk::that(Of.shape[1] == tk::ceil_div(M, 128) * 128,
                 "axis 1 of `Of` is {}; it must be `ceil_div(M, 128)*128`, which is {}",
                 {Of.shape[1], tk::ceil_div(M, 128) * 128}),
        tk::that(1 <= HKV, "`H%HKV` divides by `HKV`, which is {}: it must be at least 1", {HKV}),
        tk::that(tk::floor_mod(H, HKV) == 0, "`attention_masked_backward` requires `H % HKV == 0`"),
        tk::that(LB >= 1, "`attention_masked_backward` requires `LB >= 1`"),
        tk::that(LH >= 1, "`attention_masked_backward` requires `LH >= 1`"),
        tk::that(LB == 1 || LB == B, "`attention_masked_backward` requires `LB == 1 or LB == B`"),
        tk::that(LH == 1 || LH == H, "`attention_masked_backward` requires `LH == 1 or LH == H`"),
        tk::that(0 < HKV,
                 "`HKV` is at least 1, because `attention_masked_backward` divides by it")});
    // attention_backward.row_sums(O, dO, LSE, L, Delta)
    call.require({
        tk::grid_fits(tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(M, 128) * 128, 32), 0), H),
                      2147483648),
        tk::grid_fits(
            tk::multiply(
                tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(M, 128) * 128, 32), 0), H), B),
            2147483648)});
    // attention_masked.whole_blocks(OfRow, Of)
    call.require({
        tk::grid_fits(
            tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(M, 128) * 128, 128), 0), LB),
            2147483648)});
    // gradients_masked(Q, K, V, dO, L, Delta, Of, OfCol, CountOf, WholeOf, ListOf, Sum, dK, dV,
    // scale)
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

    // attention_masked.whole_blocks(OfRow, Of)
    const bool choice_2 =
        tk::hold({tk::suits_fast(OfRow, "M"), tk::whole_vectors(OfRow, 4), tk::suits_fast(Of)});

    // gradients_masked(Q, K, V, dO, L, Delta, Of, OfCol, CountOf, WholeOf, ListOf, Sum, dK, dV,
    // scale)
    tk::selection choice_3{call};
    choice_3.candidate();  // gradients_masked
    choice_3.prefer(
        {tk::suits_fast(Q), tk::suits_fast(K), tk::suits_fast(V), tk::suits_fast(dO),
         tk::suits_fast(L), tk::suits_fast(Delta), tk::suits_fast(Of), tk::suits_fast(Sum),
         tk::suits_fast(dK), tk::suits_fast(dV)});
    choice_3.offer();
    choice_3.candidate(true);  // gradients_masked_general
    choice_3.require(
        {tk::suits_tma_load(Q), tk::suits_tma_load(K), tk::suits_tma_load(V),
         tk::suits_tma_load(dO), tk::suits_tma_load(L), tk::suits_tma_load(Delta),
         tk::suits_tma_load(Of), tk::suits_tma_store(dK), tk::suits_tma_store(dV)});
    choice_3.offer();
    if (!choice_3.ok()) return tk::finish(choice_3.result());

    // attention_backward.scaled(Sum, dQ, scale)
    const bool choice_4 = tk::hold({tk::suits_fast(Sum), tk::suits_fast(dQ)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1) {
        TK_FINISH_IF_FAILED(launch_attention_backward_row_sums_T_bf16_D_128_BQ_128(
            site, O, dO, LSE, L, Delta, B, H, M));
    } else {
        TK_FINISH_IF_FAILED(launch_attention_backward_row_sums_T_bf16_D_128_BQ_128_general(
            site, O, dO, LSE, L, Delta, B, H, M));
    }
    if (choice_2) {
        TK_FINISH_IF_FAILED(launch_attention_masked_whole_blocks(site, OfRow, Of, LB, M));
    } else {
        TK_FINISH_IF_FAILED(launch_attention_masked_whole_blocks_general(site, OfRow, Of, LB, M));
    }
    TK_FINISH_IF_FAILED(tk::clear(Sum, site));
    if (choice_3.best(site) == 0) {
        TK_FINISH_IF_FAILED(launch_gradients_masked(
            site, Q, K, V, dO, tk::read_only(L), tk::read_only(Delta), tk::read_only(Of), CountOf,
            WholeOf, ListOf, Sum, dK, dV, B, H, M, HKV, N, LB, LH, scale));
    }
    if (choice_3.best(site) == 1) {
        TK_FINISH_IF_FAILED(launch_gradients_masked_general(
            site, Q, K, V, dO, tk::read_only(L), tk::read_only(Delta), tk::read_only(Of), CountOf,
            WholeOf, ListOf, Sum, dK, dV, B, H, M, HKV, N, LB, LH, scale));
    }
    if (choice_4) {
        TK_FINISH_IF_FAILED(launch_attention_backward_scaled_T_bf16_D_128(
            site, tk::read_only(Sum), dQ, B, H, M, scale));
    } else {
        TK_FINISH_IF_FAILED(launch_attention_backward_scaled_T_bf16_D_128_general(
            site, tk::read_only(Sum), dQ, B, H, M, scale));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(attention_masked_backward, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, float)

int gradients_by_mask(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
                      const DLTensor* O_given, const DLTensor* LSE_given, const DLTensor* dO_given,
                      const DLTensor* OfRow_given, const DLTensor* OfCol_given, DLTensor* dQ_given,
                      DLTensor* dK_given, DLTensor* dV_given, DLTensor* Kind_given,
                      DLTensor* Turned_given, DLTensor* CountOf_given, DLTensor* WholeOf_given,
                      DLTensor* ListOf_given, DLTensor* L_given, DLTensor* Delta_given,
                      DLTensor* Of_given, DLTensor* Sum_given, float scale, void*, size_t,
                      cudaStream_t stream) {
    tk::arguments call{"gradients_by_mask"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor OfRow = call.take("OfRow", OfRow_given, tk::dtype_i32, 2, tk::access::read);
    const tk::tensor OfCol = call.take("OfCol", OfCol_given, tk::dtype_i32, 2, tk::access::read);
    const tk::tensor dQ = call.take("dQ", dQ_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dK = call.take("dK", dK_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dV = call.take("dV", dV_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Kind = call.take("Kind", Kind_given, tk::dtype_i32, 4, tk::access::write);
    const tk::tensor Turned = call.take("Turned", Turned_given, tk::dtype_i32, 4,
                                        tk::access::write);
    const tk::tensor CountOf = call.take("CountOf", CountOf_given, tk::dtype_i32, 3,
                                         tk::access::write);
    const tk::tensor WholeOf = call.take("WholeOf", WholeOf_given, tk::dtype_i32, 3,
                                         tk::access::write);
    const tk::tensor ListOf = call.take("ListOf", ListOf_given, tk::dtype_i32, 4,
                                        tk::access::write);
    const tk::tensor L = call.take("L", L_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor Delta = call.take("Delta", Delta_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor Of = call.take("Of", Of_given, tk::dtype_i32, 2, tk::access::write);
    const tk::tensor Sum = call.take("Sum", Sum_given, tk::dtype_f32, 4, tk::access::accumulate);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t H = Q.shape[1];
    const int64_t M = Q.shape[2];
    const int64_t HKV = K.shape[1];
    const int64_t N = K.shape[2];
    call.require(
        {tk::fixed_extent(Q, 3, 128), tk::same_extent("B", Q, 0, K, 0), tk::fixed_extent(K, 3, 128),
         tk::same_extent("B", Q, 0, V, 0), tk::same_extent("HKV", K, 1, V, 1),
         tk::same_extent("N", K, 2, V, 2), tk::fixed_extent(V, 3, 128),
         tk::same_extent("B", Q, 0, O, 0), tk::same_extent("H", Q, 1, O, 1),
         tk::same_extent("M", Q, 2, O, 2), tk::fixed_extent(O, 3, 128),
         tk::same_extent("B", Q, 0, LSE, 0), tk::same_extent("H", Q, 1, LSE, 1),
         tk::same_extent("M", Q, 2, LSE, 2), tk::same_extent("B", Q, 0, dO, 0),
         tk::same_extent("H", Q, 1, dO, 1), tk::same_extent("M", Q, 2, dO, 2),
         tk::fixed_extent(dO, 3, 128), tk::same_extent("B", Q, 0, OfRow, 0),
         tk::same_extent("M", Q, 2, OfRow, 1), tk::same_extent("B", Q, 0, OfCol, 0),
         tk::same_extent("N", K, 2, OfCol, 1), tk::same_extent("B", Q, 0, dQ, 0),
         tk::same_extent("H", Q, 1, dQ, 1), tk::same_extent("M", Q, 2, dQ, 2),
         tk::fixed_extent(dQ, 3, 128), tk::same_extent("B", Q, 0, dK, 0),
         tk::same_extent("HKV", K, 1, dK, 1), tk::same_extent("N", K, 2, dK, 2),
         tk::fixed_extent(dK, 3, 128), tk::same_extent("B", Q, 0, dV, 0),
         tk::same_extent("HKV", K, 1, dV, 1), tk::same_extent("N", K, 2, dV, 2),
         tk::fixed_extent(dV, 3, 128), tk::same_extent("B", Q, 0, Kind, 0),
         tk::same_extent("H", Q, 1, Kind, 1), tk::same_extent("B", Q, 0, Turned, 0),
         tk::same_extent("H", Q, 1, Turned, 1), tk::same_extent("B", Q, 0, CountOf, 0),
         tk::same_extent("H", Q, 1, CountOf, 1), tk::same_extent("B", Q, 0, WholeOf, 0),
         tk::same_extent("H", Q, 1, WholeOf, 1), tk::same_extent("B", Q, 0, ListOf, 0),
         tk::same_extent("H", Q, 1, ListOf, 1), tk::same_extent("B", Q, 0, L, 0),
         tk::same_extent("H", Q, 1, L, 1), tk::same_extent("B", Q, 0, Delta, 0),
         tk::same_extent("H", Q, 1, Delta, 1), tk::same_extent("B", Q, 0, Of, 0),
         tk::same_extent("B", Q, 0, Sum, 0), tk::same_extent("H", Q, 1, Sum, 1),
         tk::same_extent("M", Q, 2, Sum, 2), tk::fixed_extent(Sum, 3, 128),
         tk::extents_fit({{"B", B}, {"H", H}, {"M", M}, {"HKV", HKV}, {"N", N}}),
         tk::that(Kind.shape[2] == tk::ceil_div(M, 128),
                  "axis 2 of `Kind` is {}; it must be `ceil_div(M, 128)`, which is {}",
                  {Kind.shape[2], tk::ceil_div(M, 128)}),
         tk::that(Kind.shape[3] == tk::ceil_div(N, 128),
                  "axis 3 of `Kind` is {}; it must be `ceil_div(N, 128)`, which is {}",
                  {Kind.shape[3], tk::ceil_div(N, 128)}),
         tk::that(Turned.shape[2] == tk::ceil_div(N, 128),
                  "axis 2 of `Turned` is {}; it must be `ceil_div(N, 128)`, which is {}",
                  {Turned.shape[2], tk::ceil_div(N, 128)}),
         tk::that(Turned.shape[3] == tk::ceil_div(M, 128),
                  "axis 3 of `Turned` is {}; it must be `ceil_div(M, 128)`, which is {}",
                  {Turned.shape[3], tk::ceil_div(M, 128)}),
         tk::that(CountOf.shape[2] == tk::ceil_div(N, 128),
                  "axis 2 of `CountOf` is {}; it must be `ceil_div(N, 128)`, which is {}",
                  {CountOf.shape[2], tk::ceil_div(N, 128)}),
         tk::that(WholeOf.shape[2] == tk::ceil_div(N, 128),
                  "axis 2 of `WholeOf` is {}; it must be `ceil_div(N, 128)`, which is {}",
                  {WholeOf.shape[2], tk::ceil_div(N, 128)}),
         tk::that(ListOf.shape[2] == tk::ceil_div(N, 128),
                  "axis 2 of `ListOf` is {}; it must be `ceil_div(N, 128)`, which is {}",
                  {ListOf.shape[2], tk::ceil_div(N, 128)}),
         tk::that(ListOf.shape[3] == tk::ceil_div(M, 128),
                  "axis 3 of `ListOf` is {}; it must be `ceil_div(M, 128)`, which is {}",
                  {ListOf.shape[3], tk::ceil_div(M, 128)}),
         tk::that(L.shape[2] == tk::ceil_div(M, 128) * 128,
                  "axis 2 of `L` is {}; it must be `ceil_div(M, 128)*128`, which is {}",
                  {L.shape[2], tk::ceil_div(M, 128) * 128}),
         tk::that(Delta.shape[2] == tk::ceil_div(M, 128) * 128,
                  "axis 2 of `Delta` is {}; it must be `ceil_div(M, 128)*128`, which is {}",
                  {Delta.shape[2], tk::ceil_div(M, 128) * 128}),
         tk::that(Of.shape[1] == tk::ceil_div(M, 128) * 128,
                  "axis 1 of `Of` is {}; it must be `ceil_div(M, 128)*128`, which is {}",
                  {Of.shape[1], tk::ceil_div(M, 128) * 128}),
         tk::that(1 <= HKV, "`H%HKV` divides by `HKV`, which is {}: it must be at least 1", {HKV}),
         tk::that(tk::floor_mod(H, HKV) == 0, "`gradients_by_mask` requires `H % HKV == 0`"),
         tk::that(0 < HKV, "`HKV` is at least 1, because `gradients_by_mask` divides by it")});
    // attention_masked.block_kinds(OfRow, OfCol, Kind, Turned)
    call.require(
        {tk::grid_fits(tk::multiply(tk::ceil_div(N, 128), tk::ceil_div(M, 128)), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 128), tk::ceil_div(M, 128)), H),
                       2147483648),
         tk::grid_fits(
             tk::multiply(tk::multiply(tk::multiply(tk::ceil_div(N, 128), tk::ceil_div(M, 128)), H),
                          B), 2147483648)});
    // attention_masked.block_lists(Turned, CountOf, WholeOf, ListOf)
    call.require({
        tk::that(tk::ceil_div(N, 128) < 2147221504,
                 "`ceil_div(N, 128)` is {}; extents must be less than 2147221504",
                 {tk::ceil_div(N, 128)}),
        tk::that(tk::ceil_div(M, 128) < 2147221504,
                 "`ceil_div(M, 128)` is {}; extents must be less than 2147221504",
                 {tk::ceil_div(M, 128)}),
        tk::grid_fits(tk::multiply(tk::ceil_div(N, 128), H), 2147483648),
        tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 128), H), B), 2147483648)});
    // attention_backward.row_sums(O, dO, LSE, L, Delta)
    call.require({
        tk::grid_fits(tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(M, 128) * 128, 32), 0), H),
                      2147483648),
        tk::grid_fits(
            tk::multiply(
                tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(M, 128) * 128, 32), 0), H), B),
            2147483648)});
    // attention_masked.whole_blocks(OfRow, Of)
    call.require({
        tk::grid_fits(tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(M, 128) * 128, 128), 0), B),
                      2147483648)});
    // gradients_masked(Q, K, V, dO, L, Delta, Of, OfCol, CountOf, WholeOf, ListOf, Sum, dK, dV,
    // scale)
    call.require(
        {tk::that(B >= 1, "`gradients_masked` requires `B >= 1`"),
         tk::that(H >= 1, "`gradients_masked` requires `H >= 1`"),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 128), HKV), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 128), HKV), B), 2147483648),
         tk::fits("g*group", tk::multiply(HKV - 1, tk::floor_div(H, HKV))),
         tk::fits("(g + 1)*group", tk::multiply(HKV - 1 + 1, tk::floor_div(H, HKV)))});
    // attention_backward.scaled(Sum, dQ, scale)
    call.require(
        {tk::grid_fits(tk::multiply(tk::ceil_div(M, 16), H), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(M, 16), H), B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());

    // attention_masked.block_kinds(OfRow, OfCol, Kind, Turned)
    const bool choice_1 = tk::hold({tk::suits_fast(OfCol, "N"), tk::whole_vectors(OfCol, 4)});

    // attention_masked.block_lists(Turned, CountOf, WholeOf, ListOf)
    const bool choice_2 = tk::hold(
        {tk::that(Turned.stride[3] == 1), tk::that(Turned.address % 16 == 0),
         tk::that(Turned.stride[2] % 4 == 0 && 0 < Turned.stride[2] &&
                  Turned.stride[2] < 274877906944),
         tk::that(Turned.stride[1] % 4 == 0 && 0 < Turned.stride[1] &&
                  Turned.stride[1] < 274877906944),
         tk::that(Turned.stride[0] % 4 == 0 && 0 < Turned.stride[0] &&
                  Turned.stride[0] < 274877906944), tk::that(tk::ceil_div(M, 128) % 4 == 0)});

    // attention_backward.row_sums(O, dO, LSE, L, Delta)
    const bool choice_3 = tk::hold(
        {tk::suits_fast(O), tk::suits_fast(dO), tk::suits_fast(LSE, "M"), tk::whole_vectors(LSE, 8),
         tk::suits_fast(L)});

    // attention_masked.whole_blocks(OfRow, Of)
    const bool choice_4 =
        tk::hold({tk::suits_fast(OfRow, "M"), tk::whole_vectors(OfRow, 4), tk::suits_fast(Of)});

    // gradients_masked(Q, K, V, dO, L, Delta, Of, OfCol, CountOf, WholeOf, ListOf, Sum, dK, dV,
    // scale)
    tk::selection choice_5{call};
    choice_5.candidate();  // gradients_masked
    choice_5.prefer(
        {tk::suits_fast(Q), tk::suits_fast(K), tk::suits_fast(V), tk::suits_fast(dO),
         tk::suits_fast(L), tk::suits_fast(Delta), tk::suits_fast(Of), tk::suits_fast(Sum),
         tk::suits_fast(dK), tk::suits_fast(dV)});
    choice_5.offer();
    choice_5.candidate(true);  // gradients_masked_general
    choice_5.require(
        {tk::suits_tma_load(Q), tk::suits_tma_load(K), tk::suits_tma_load(V),
         tk::suits_tma_load(dO), tk::suits_tma_load(L), tk::suits_tma_load(Delta),
         tk::suits_tma_load(Of), tk::suits_tma_store(dK), tk::suits_tma_store(dV)});
    choice_5.offer();
    if (!choice_5.ok()) return tk::finish(choice_5.result());

    // attention_backward.scaled(Sum, dQ, scale)
    const bool choice_6 = tk::hold({tk::suits_fast(Sum), tk::suits_fast(dQ)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1) {
        TK_FINISH_IF_FAILED(launch_attention_masked_block_kinds_MASK_attention_masked_causal(
            site, OfRow, OfCol, Kind, Turned, B, M, N, H));
    } else {
        TK_FINISH_IF_FAILED(
            launch_attention_masked_block_kinds_MASK_attention_masked_causal_general(
                site, OfRow, OfCol, Kind, Turned, B, M, N, H));
    }
    if (choice_2) {
        TK_FINISH_IF_FAILED(launch_attention_masked_block_lists(
            site, tk::read_only(Turned), CountOf, WholeOf, ListOf, B, H, tk::ceil_div(N, 128),
            tk::ceil_div(M, 128)));
    } else {
        TK_FINISH_IF_FAILED(launch_attention_masked_block_lists_general(
            site, tk::read_only(Turned), CountOf, WholeOf, ListOf, B, H, tk::ceil_div(N, 128),
            tk::ceil_div(M, 128)));
    }
    if (choice_3) {
        TK_FINISH_IF_FAILED(launch_attention_backward_row_sums_T_bf16_D_128_BQ_128(
            site, O, dO, LSE, L, Delta, B, H, M));
    } else {
        TK_FINISH_IF_FAILED(launch_attention_backward_row_sums_T_bf16_D_128_BQ_128_general(
            site, O, dO, LSE, L, Delta, B, H, M));
    }
    if (choice_4) {
        TK_FINISH_IF_FAILED(launch_attention_masked_whole_blocks(site, OfRow, Of, B, M));
    } else {
        TK_FINISH_IF_FAILED(launch_attention_masked_whole_blocks_general(site, OfRow, Of, B, M));
    }
    TK_FINISH_IF_FAILED(tk::clear(Sum, site));
    if (choice_5.best(site) == 0) {
        TK_FINISH_IF_FAILED(launch_gradients_masked(
            site, Q, K, V, dO, tk::read_only(L), tk::read_only(Delta), tk::read_only(Of),
            tk::read_only(CountOf), tk::read_only(WholeOf), tk::read_only(ListOf), Sum, dK, dV, B,
            H, M, HKV, N, B, H, scale));
    }
    if (choice_5.best(site) == 1) {
        TK_FINISH_IF_FAILED(launch_gradients_masked_general(
            site, Q, K, V, dO, tk::read_only(L), tk::read_only(Delta), tk::read_only(Of),
            tk::read_only(CountOf), tk::read_only(WholeOf), tk::read_only(ListOf), Sum, dK, dV, B,
            H, M, HKV, N, B, H, scale));
    }
    if (choice_6) {
        TK_FINISH_IF_FAILED(launch_attention_backward_scaled_T_bf16_D_128(
            site, tk::read_only(Sum), dQ, B, H, M, scale));
    } else {
        TK_FINISH_IF_FAILED(launch_attention_backward_scaled_T_bf16_D_128_general(
            site, tk::read_only(Sum), dQ, B, H, M, scale));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(gradients_by_mask, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, float)
}  // extern "C"
