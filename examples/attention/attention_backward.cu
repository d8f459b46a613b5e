// Made by tkc from attention_backward.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/add.cuh"
#include "tk/operations/integer.cuh"
#include "tk/operations/slice_tile.cuh"
#include "tk/ptx/wgmma_n080.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/tk.cuh"

// row_sums: kernel row_sums with T = bf16, D = 128, BQ = 80, BM = 32.
// 128 threads, 128 registers each: row_sums_kernel<4, 16, 8, true>.
// row_sums_general: kernel row_sums with T = bf16, D = 128, BQ = 80, BM = 32; any strides and
// alignment.
// 128 threads, 255 registers each: row_sums_kernel<1, 32, 2, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) row_sums_kernel(
    const tk::tensor_argument<const tk::bf16, 4> O, const tk::tensor_argument<const tk::bf16, 4> dO,
    const tk::tensor_argument<const float, 3> LSE, const tk::tensor_argument<float, 3> L,
    const tk::tensor_argument<float, 3> Delta, int B, int H, int M) {
    tk::wait_for_previous_kernel();

    const int m_tiles = tk::tiles(tk::divide_up(M, 80) * 80, 32);

    // attention_backward.tk:21: kernel row_sums<T: dtype = bf16, D: int = 128, BQ: int = 80, BM: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int m = program % m_tiles * 32;
    const int h = program / m_tiles % H;
    const int b = program / (m_tiles * H);

    // attention_backward.tk:26: store(L[b, h, m], load(LSE[b, h, m]) * LOG2E);
    tk::stripe<float, 1, 32, 128, row_threads, vector> t0;
    tk::load_slice<vectors>(
        t0, tk::slice_if_vectors<vectors, tk::no_axis, 2>(LSE, {b, h, m}, 1, M - m), thread);
    tk::stripe<float, 1, 32, 128, row_threads, vector> t1;
    tk::map(t1, [](float t0) { return t0 * 1.442695f; }, t0);
    tk::store_slice<vectors>(
        tk::slice_if_vectors<vectors, tk::no_axis, 2>(L, {b, h, m}, 1,
                                                      tk::divide_up(M, 80) * 80 - m), t1, thread);

    // attention_backward.tk:27: store(Delta[b, h, m], sum(f32(load(O[b, h, m, :])) * load(dO[b, ..
    tk::stripe<tk::bf16, 32, 128, 128, row_threads, vector> t2;
    tk::load_slice<vectors>(t2, tk::slice_if_dense<vectors>(O, {b, h, m, 0}, M - m, 128), thread);
    tk::stripe<tk::bf16, 32, 128, 128, row_threads, vector> t3;
    tk::load_slice<vectors>(t3, tk::slice_if_dense<vectors>(dO, {b, h, m, 0}, M - m, 128), thread);
    tk::stripe<float, 32, 128, 128, row_threads, vector> t4;
    tk::map(t4, [](tk::bf16 t2, tk::bf16 t3) { return float(t2) * float(t3); }, t2, t3);
    tk::stripe<float, 32, 1, 128, row_threads, vector> t5;
    tk::fold_rows(t5, t4, tk::plus{}, thread);
    tk::finish_rows(t5, tk::plus{});
    tk::store_global(tk::slice<2, tk::no_axis>(Delta, {b, h, m}, tk::divide_up(M, 80) * 80 - m, 1),
                     t5, thread);
}

// gradients: kernel gradients with T = bf16, D = 128, CAUSAL = false, BOTTOM_RIGHT = true, WINDOW =
// 0, BM = 80, BN = 128, W = 128, DETERMINISTIC = false.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread; adder: 2
// warps, 24 registers a thread.
// 384 threads, 168 registers each at first, 231600 bytes of shared memory; may spill 28 bytes per
// thread.
struct gradients_shared {
    tk::shared_tile<tk::bf16, 128, 128> kv_k[1];
    tk::shared_tile<tk::bf16, 128, 128> kv_v[1];
    tk::shared_tile<tk::bf16, 80, 128> qs_tile[2];
    tk::shared_tile<tk::bf16, 80, 128> os_tile[2];
    tk::shared_tile<float, 1, 80> ls_l[2];
    tk::shared_tile<float, 1, 80> ls_delta[2];
    tk::shared_tile<tk::bf16, 128, 80> dss_tile[2];
    tk::shared_tile<float, 320, 32> sums_tile[1];
    tk::pipeline<1> kv;
    tk::pipeline<2> qs;
    tk::pipeline<2> os;
    tk::pipeline<2> ls;
    tk::pipeline<2> dss;
    tk::pipeline<1> sums[2];
};
static_assert(offsetof(gradients_shared, sums) == 231568);

__global__ void __launch_bounds__(384, 1) gradients_kernel(
    const __grid_constant__ CUtensorMap K_map, const __grid_constant__ CUtensorMap V_map,
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap L_map,
    const __grid_constant__ CUtensorMap Delta_map, const __grid_constant__ CUtensorMap dO_map,
    const __grid_constant__ CUtensorMap dK_map, const __grid_constant__ CUtensorMap dV_map,
    const __grid_constant__ CUtensorMap Sum_map, int B, int H, int M, int HKV, int N, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gradients_shared& shared = *reinterpret_cast<gradients_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(K_map, V_map, Q_map, L_map, Delta_map, dO_map, dK_map, dV_map,
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
        tk::registers_at_most<24>();
        const int n_tiles = tk::tiles(N, 128);
        // attention_backward.tk:63: role producer(1 warp) {
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<1> kv_next;
            tk::cursor<2> ls_next, os_next, qs_next;
            const int program = blockIdx.x;
            const tk::grid_point point = tk::raster(program % (HKV * n_tiles), HKV, n_tiles, 1);
            const int g = point.row;
            const int n = point.col * 128;
            const int b = program / (HKV * n_tiles);

            // attention_backward.tk:50: let group = H / HKV;
            const int group = H / HKV;

            // attention_backward.tk:54: let end   = if WINDOW > 0 { min(n.end - 1 + WINDOW - ..
            const int end = M;

            // attention_backward.tk:64: produce kv { k = load(K[b, g, n, 0 +: W]); v = load(V[b, ..
            shared.kv.begin(kv_next, 65536);
            tk::tma_load(shared.kv_k[kv_next.stage], K_map, shared.kv.full[kv_next.stage], b, g, n,
                         0);
            tk::tma_load(shared.kv_v[kv_next.stage], V_map, shared.kv.full[kv_next.stage], b, g, n,
                         0);
            kv_next.advance();

            // attention_backward.tk:65: for (h, i) in rows {
            #pragma unroll 1
            for (int h = g * group; h < (g + 1) * group; h += 1) {
                #pragma unroll 1
                for (int i = 0; i < end; i += 80) {
                    // attention_backward.tk:66: produce qs = load(Q[b, h, i, 0 +: W]);
                    shared.qs.begin(qs_next, 20480);
                    tk::tma_load(shared.qs_tile[qs_next.stage], Q_map,
                                 shared.qs.full[qs_next.stage], b, h, i, 0);
                    qs_next.advance();

                    // attention_backward.tk:67: produce ls { l = load(L[b, h, i]); delta = ..
                    shared.ls.begin(ls_next, 640);
                    tk::tma_load(shared.ls_l[ls_next.stage], L_map, shared.ls.full[ls_next.stage],
                                 b, h, i);
                    tk::tma_load(shared.ls_delta[ls_next.stage], Delta_map,
                                 shared.ls.full[ls_next.stage], b, h, i);
                    ls_next.advance();

                    // attention_backward.tk:68: produce os = load(dO[b, h, i, 0 +: W]);
                    shared.os.begin(os_next, 20480);
                    tk::tma_load(shared.os_tile[os_next.stage], dO_map,
                                 shared.os.full[os_next.stage], b, h, i, 0);
                    os_next.advance();
                }
            }
        }
        // attention_backward.tk:98: role adder(2 warps) {
        if (warp >= 9 && warp < 11) {
            const int part = warp - 9;
            const bool leader = tk::elect_one();
            tk::cursor<1> sums_next_2;
            const int program = blockIdx.x;
            const tk::grid_point point = tk::raster(program % (HKV * n_tiles), HKV, n_tiles, 1);
            const int g = point.row;
            const int b = program / (HKV * n_tiles);

            // attention_backward.tk:50: let group = H / HKV;
            const int group = H / HKV;

            // attention_backward.tk:54: let end   = if WINDOW > 0 { min(n.end - 1 + WINDOW - ..
            const int end = M;

            // attention_backward.tk:100: consume sums as _nothing {}
            const tk::cursor<1> _nothing_element = shared.sums[part].take(sums_next_2);
            tk::fence_async();
            shared.sums[part].release(_nothing_element);

            // attention_backward.tk:101: for (h, i) in rows { reduce_add(Sum[b, h, i.index, :, ..
            #pragma unroll 1
            for (int h = g * group; h < (g + 1) * group; h += 1) {
                #pragma unroll 1
                for (int i = 0; i < end; i += 80) {
                    const tk::cursor<1> sums_element = shared.sums[part].take(sums_next_2);
                    tk::fence_async();
                    if (leader) {
                        tk::tma_reduce_add(Sum_map,
                                           tk::rows<160>(shared.sums_tile[sums_element.stage],
                                                         160 * part), b, h, i / 80, part * 160, 0);
                        tk::tma_store_wait_read<0>();
                    }
                    shared.sums[part].release_after_loads(sums_element, tk::ordinary_alone{});
                }
            }
        }
    } else {
        // attention_backward.tk:71: role consumer(2 warpgroups) {
        tk::registers_at_least<240>();
        const int n_tiles = tk::tiles(N, 128);
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> dss_next_2, dss_taken, qs_next;
        tk::cursor<1> kv_next, sums_next_2;
        const int program = blockIdx.x;
        const tk::grid_point point = tk::raster(program % (HKV * n_tiles), HKV, n_tiles, 1);
        const int g = point.row;
        const int n = point.col * 128;
        const int b = program / (HKV * n_tiles);

        // attention_backward.tk:50: let group = H / HKV;
        const int group = H / HKV;

        // attention_backward.tk:51: let steep = scale * LOG2E;
        const float steep = scale * 1.442695f;

        // attention_backward.tk:54: let end   = if WINDOW > 0 { min(n.end - 1 + WINDOW - shift, ..
        const int end = M;

        // attention_backward.tk:72: let t = consume kv;
        const tk::cursor<1> t = shared.kv.take(kv_next);

        // attention_backward.tk:73: var dk: f32[BN, W] = 0;
        tk::fragment<float, 64, 128> dk;
        tk::zero(dk);

        // attention_backward.tk:74: var dv: f32[BN, W] = 0;
        tk::fragment<float, 64, 128> dv;
        tk::zero(dv);

        // attention_backward.tk:75: var none: T[BN, BM] = 0;
        tk::fragment<tk::bf16, 64, 80> none;
        tk::map(none, []() { return tk::bf16(0.0f); });

        // attention_backward.tk:76: produce dss = none;
        shared.dss.wait_empty(dss_next_2);
        tk::store_shared(tk::rows<64>(shared.dss_tile[dss_next_2.stage], 64 * warpgroup), none,
                         thread);
        shared.dss.publish(dss_next_2);
        dss_next_2.advance();

        // attention_backward.tk:77: for (h, i) in rows {
        tk::fragment<float, 64, 80> p;
        for (int h = g * group; h < (g + 1) * group; h += 1) {
            for (int i = 0; i < end; i += 80) {
                // attention_backward.tk:78: let q  = consume qs;
                const tk::cursor<2> q_element = shared.qs.take(qs_next);

                // attention_backward.tk:79: let s  = mma(t.k, q.T);
                tk::fragment<float, 64, 80> s;
                tk::mma_async(s, tk::rows<64>(shared.kv_k[t.stage], 64 * warpgroup),
                              tk::transposed(shared.qs_tile[q_element.stage]),
                              tk::accumulate_never{});

                // attention_backward.tk:80: let o  = consume os;
                shared.os.wait_full(q_element);

                // attention_backward.tk:81: let dp = mma(t.v, o.T);
                tk::fragment<float, 64, 80> dp;
                tk::mma_async(dp, tk::rows<64>(shared.kv_v[t.stage], 64 * warpgroup),
                              tk::transposed(shared.os_tile[q_element.stage]),
                              tk::accumulate_never{});

                // attention_backward.tk:85: let r  = consume ls;
                shared.ls.wait_full(q_element);
                tk::mma_wait<1>(s);

                // attention_backward.tk:86: let p  = where(seen, exp2(s * steep - r.l), 0);
                tk::row_fragment<float, 80> t0;
                tk::load_shared(t0, shared.ls_l[q_element.stage], thread);
                if (n + 64 * warpgroup + 64 <= N && i + 80 <= M) {
                    tk::map(p, [&](float s, float t0) { return tk::exp2(tk::fma(s, steep, -t0)); },
                            s, t0);
                } else {
                    tk::map(p, thread, [&](int row, int col, float s, float t0) {
                        return n + 64 * warpgroup + row < N && i + col < M
                            ? tk::exp2(tk::fma(s, steep, -t0)) : 0.0f;
                    }, s, t0);
                }
                tk::mma_wait<0>(dp);

                // attention_backward.tk:87: let ds = T(p * (dp - r.delta));
                tk::row_fragment<float, 80> t1;
                tk::load_shared(t1, shared.ls_delta[q_element.stage], thread);
                shared.ls.release_after_loads(q_element);
                tk::fragment<tk::bf16, 64, 80> ds;
                tk::map(ds, [](float p, float dp, float t1) { return p * (dp - t1); }, p, dp, t1);

                // attention_backward.tk:88: dv += mma(T(p), o);
                tk::fragment<tk::bf16, 64, 80> t2 = tk::convert<tk::bf16>(p);
                tk::mma_async(dv, t2, shared.os_tile[q_element.stage]);

                // attention_backward.tk:89: produce dss = ds;
                shared.dss.wait_empty(dss_next_2);
                tk::store_shared(tk::rows<64>(shared.dss_tile[dss_next_2.stage], 64 * warpgroup),
                                 ds, thread);
                shared.dss.publish(dss_next_2);
                dss_next_2.advance();

                // attention_backward.tk:90: let dq = if BM % 64 == 0 { mma((consume dss).T, t.k) ..
                const tk::cursor<2> dss_element = shared.dss.take(dss_taken);
                tk::fragment<float, 64, 80> dq;
                tk::mma_async(dq,
                              tk::transposed(tk::columns<64>(shared.kv_k[t.stage], 64 * warpgroup)),
                              shared.dss_tile[dss_element.stage], tk::accumulate_never{});

                // attention_backward.tk:91: dk += mma(ds, q);
                tk::mma_async(dk, ds, shared.qs_tile[q_element.stage]);
                tk::mma_wait<1>(dv, dq, t2);
                shared.os.release(q_element);
                shared.dss.release(dss_element);

                // attention_backward.tk:92: produce sums = fragments(dq);
                tk::fragment_lines<float, 160> t4;
                tk::same_registers(t4, dq);
                shared.sums[warpgroup].wait_empty(sums_next_2);
                tk::store_shared(
                    tk::rows<160>(shared.sums_tile[sums_next_2.stage], 160 * warpgroup), t4,
                    thread);
                shared.sums[warpgroup].publish(sums_next_2, tk::ordinary_alone{});
                sums_next_2.advance();
                // attention_backward.tk:77
                tk::pin_waits(warp);
                tk::mma_wait<0>(dk, ds);
                shared.qs.release(q_element);
            }
        }

        // attention_backward.tk:94: produce sums = fragments(if BM % 64 == 0 { mma((consume ..
        const tk::cursor<2> dss_element_2 = shared.dss.take(dss_taken);
        tk::fragment<float, 64, 80> t5;
        tk::mma_async(t5, tk::transposed(tk::columns<64>(shared.kv_k[t.stage], 64 * warpgroup)),
                      shared.dss_tile[dss_element_2.stage], tk::accumulate_never{});
        tk::mma_wait<0>(t5);
        shared.dss.release(dss_element_2);
        tk::fragment_lines<float, 160> t6;
        tk::same_registers(t6, t5);
        shared.sums[warpgroup].wait_empty(sums_next_2);
        tk::store_shared(tk::rows<160>(shared.sums_tile[sums_next_2.stage], 160 * warpgroup), t6,
                         thread);
        shared.sums[warpgroup].publish(sums_next_2, tk::ordinary_alone{});
        sums_next_2.advance();

        // attention_backward.tk:95: store(dK[b, g, n, 0 +: W], T(dk * scale));
        #pragma unroll
        for (int panel = 0; panel < 128; panel += 64) {
            tk::fragment<tk::bf16, 64, 64> t7;
            tk::map(t7, [&](float dk) { return dk * scale; }, tk::subtile<64, 64>(dk, 0, panel));
            tk::store_shared(tk::block<64>(shared.kv_v[t.stage], panel / 64 % 2 * 2 + warpgroup),
                             t7, thread);
            tk::fence_async();
            tk::barrier_sync(1 + warpgroup, 128);
            if (leader) {
                tk::tma_store(dK_map,
                              tk::block<64>(shared.kv_v[t.stage], panel / 64 % 2 * 2 + warpgroup),
                              b, g, n + warpgroup * 64, panel);
            }
        }

        // attention_backward.tk:96: store(dV[b, g, n, 0 +: W], T(dv));
        #pragma unroll
        for (int panel = 0; panel < 128; panel += 64) {
            if (leader) tk::tma_store_wait_read<1>();
            tk::barrier_sync(1 + warpgroup, 128);
            tk::store_shared(tk::block<64>(shared.kv_v[t.stage], panel / 64 % 2 * 2 + warpgroup),
                             tk::convert<tk::bf16>(tk::subtile<64, 64>(dv, 0, panel)), thread);
            tk::fence_async();
            tk::barrier_sync(1 + warpgroup, 128);
            if (leader) {
                tk::tma_store(dV_map,
                              tk::block<64>(shared.kv_v[t.stage], panel / 64 % 2 * 2 + warpgroup),
                              b, g, n + warpgroup * 64, panel);
            }
        }
        if (leader) tk::tma_store_wait_read<0>();
        shared.kv.release(t);
    }
}

// gradients_general: kernel gradients with T = bf16, D = 128, CAUSAL = false, BOTTOM_RIGHT = true,
// WINDOW = 0, BM = 80, BN = 128, W = 128, DETERMINISTIC = false; any strides and alignment.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread; adder: 2
// warps, 24 registers a thread.
// 384 threads, 168 registers each at first, 231600 bytes of shared memory; may spill 28 bytes per
// thread.
struct gradients_general_shared {
    tk::shared_tile<tk::bf16, 128, 128> kv_k[1];
    tk::shared_tile<tk::bf16, 128, 128> kv_v[1];
    tk::shared_tile<tk::bf16, 80, 128> qs_tile[2];
    tk::shared_tile<tk::bf16, 80, 128> os_tile[2];
    tk::shared_tile<float, 1, 80> ls_l[2];
    tk::shared_tile<float, 1, 80> ls_delta[2];
    tk::shared_tile<tk::bf16, 128, 80> dss_tile[2];
    tk::shared_tile<float, 320, 32> sums_tile[1];
    tk::pipeline<1> kv;
    tk::pipeline<2> qs;
    tk::pipeline<2> os;
    tk::pipeline<2> ls;
    tk::pipeline<2> dss;
    tk::pipeline<1> sums[2];
};
static_assert(offsetof(gradients_general_shared, sums) == 231568);

__global__ void __launch_bounds__(384, 1) gradients_general_kernel(
    const tk::tensor_argument<const tk::bf16, 4> Q, const tk::tensor_argument<const tk::bf16, 4> K,
    const tk::tensor_argument<const tk::bf16, 4> V, const tk::tensor_argument<const tk::bf16, 4> dO,
    const tk::tensor_argument<const float, 3> L, const tk::tensor_argument<const float, 3> Delta,
    const tk::tensor_argument<float, 5> Sum, const tk::tensor_argument<tk::bf16, 4> dK,
    const tk::tensor_argument<tk::bf16, 4> dV, int B, int H, int M, int HKV, int N, float scale) {
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
        tk::registers_at_most<24>();
        const int n_tiles = tk::tiles(N, 128);
        // attention_backward.tk:63: role producer(1 warp) {
        if (warp == 8) {
            const int thread = int(threadIdx.x) - 256;
            tk::cursor<1> kv_next;
            tk::cursor<2> ls_next, os_next, qs_next;
            const int program = blockIdx.x;
            const tk::grid_point point = tk::raster(program % (HKV * n_tiles), HKV, n_tiles, 1);
            const int g = point.row;
            const int n = point.col * 128;
            const int b = program / (HKV * n_tiles);

            // attention_backward.tk:50: let group = H / HKV;
            const int group = H / HKV;

            // attention_backward.tk:54: let end   = if WINDOW > 0 { min(n.end - 1 + WINDOW - ..
            const int end = M;

            // attention_backward.tk:64: produce kv { k = load(K[b, g, n, 0 +: W]); v = load(V[b, ..
            shared.kv.wait_empty(kv_next);
            tk::copy_to_shared(shared.kv_k[kv_next.stage], tk::slice(K, {b, g, n, 0}, N - n, 128),
                               thread, 32);
            tk::copy_to_shared(shared.kv_v[kv_next.stage], tk::slice(V, {b, g, n, 0}, N - n, 128),
                               thread, 32);
            shared.kv.publish(kv_next);
            kv_next.advance();

            // attention_backward.tk:65: for (h, i) in rows {
            #pragma unroll 1
            for (int h = g * group; h < (g + 1) * group; h += 1) {
                #pragma unroll 1
                for (int i = 0; i < end; i += 80) {
                    // attention_backward.tk:66: produce qs = load(Q[b, h, i, 0 +: W]);
                    shared.qs.wait_empty(qs_next);
                    tk::copy_to_shared(shared.qs_tile[qs_next.stage],
                                       tk::slice(Q, {b, h, i, 0}, h < H ? M - i : 0, 128), thread,
                                       32);
                    shared.qs.publish(qs_next);
                    qs_next.advance();

                    // attention_backward.tk:67: produce ls { l = load(L[b, h, i]); delta = ..
                    shared.ls.wait_empty(ls_next);
                    tk::copy_to_shared(shared.ls_l[ls_next.stage],
                                       tk::slice<tk::no_axis, 2>(L, {b, h, i}, 1,
                                                                 h < H
                                                                 ? tk::divide_up(M, 80) * 80 - i
                                                                 : 0), thread, 32);
                    tk::copy_to_shared(shared.ls_delta[ls_next.stage],
                                       tk::slice<tk::no_axis, 2>(Delta, {b, h, i}, 1,
                                                                 h < H
                                                                 ? tk::divide_up(M, 80) * 80 - i
                                                                 : 0), thread, 32);
                    shared.ls.publish(ls_next, tk::ordinary_alone{});
                    ls_next.advance();

                    // attention_backward.tk:68: produce os = load(dO[b, h, i, 0 +: W]);
                    shared.os.wait_empty(os_next);
                    tk::copy_to_shared(shared.os_tile[os_next.stage],
                                       tk::slice(dO, {b, h, i, 0}, h < H ? M - i : 0, 128), thread,
                                       32);
                    shared.os.publish(os_next);
                    os_next.advance();
                }
            }
        }
        // attention_backward.tk:98: role adder(2 warps) {
        if (warp >= 9 && warp < 11) {
            const int part = warp - 9;
            const bool leader = tk::elect_one();
            tk::cursor<1> sums_next_2;
            const int program = blockIdx.x;
            const tk::grid_point point = tk::raster(program % (HKV * n_tiles), HKV, n_tiles, 1);
            const int g = point.row;
            const int b = program / (HKV * n_tiles);

            // attention_backward.tk:50: let group = H / HKV;
            const int group = H / HKV;

            // attention_backward.tk:54: let end   = if WINDOW > 0 { min(n.end - 1 + WINDOW - ..
            const int end = M;

            // attention_backward.tk:100: consume sums as _nothing {}
            const tk::cursor<1> _nothing_element = shared.sums[part].take(sums_next_2);
            shared.sums[part].release(_nothing_element);

            // attention_backward.tk:101: for (h, i) in rows { reduce_add(Sum[b, h, i.index, :, ..
            #pragma unroll 1
            for (int h = g * group; h < (g + 1) * group; h += 1) {
                #pragma unroll 1
                for (int i = 0; i < end; i += 80) {
                    const tk::cursor<1> sums_element = shared.sums[part].take(sums_next_2);
                    tk::add_to_global(
                        tk::slice(Sum, {b, h, i / 80, part * 160, 0},
                                  i / 80 < tk::divide_up(M, 80) ? (h < H ? 320 - part * 160 : 0)
                                  : 0, 32),
                        tk::rows<160>(shared.sums_tile[sums_element.stage], 160 * part),
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
        // attention_backward.tk:71: role consumer(2 warpgroups) {
        tk::registers_at_least<240>();
        const int n_tiles = tk::tiles(N, 128);
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        tk::cursor<2> dss_next_2, dss_taken, qs_next;
        tk::cursor<1> kv_next, sums_next_2;
        const int program = blockIdx.x;
        const tk::grid_point point = tk::raster(program % (HKV * n_tiles), HKV, n_tiles, 1);
        const int g = point.row;
        const int n = point.col * 128;
        const int b = program / (HKV * n_tiles);

        // attention_backward.tk:50: let group = H / HKV;
        const int group = H / HKV;

        // attention_backward.tk:51: let steep = scale * LOG2E;
        const float steep = scale * 1.442695f;

        // attention_backward.tk:54: let end   = if WINDOW > 0 { min(n.end - 1 + WINDOW - shift, ..
        const int end = M;

        // attention_backward.tk:72: let t = consume kv;
        const tk::cursor<1> t = shared.kv.take(kv_next);

        // attention_backward.tk:73: var dk: f32[BN, W] = 0;
        tk::fragment<float, 64, 128> dk;
        tk::zero(dk);

        // attention_backward.tk:74: var dv: f32[BN, W] = 0;
        tk::fragment<float, 64, 128> dv;
        tk::zero(dv);

        // attention_backward.tk:75: var none: T[BN, BM] = 0;
        tk::fragment<tk::bf16, 64, 80> none;
        tk::map(none, []() { return tk::bf16(0.0f); });

        // attention_backward.tk:76: produce dss = none;
        shared.dss.wait_empty(dss_next_2);
        tk::store_shared(tk::rows<64>(shared.dss_tile[dss_next_2.stage], 64 * warpgroup), none,
                         thread);
        shared.dss.publish(dss_next_2);
        dss_next_2.advance();

        // attention_backward.tk:77: for (h, i) in rows {
        tk::fragment<float, 64, 80> p;
        for (int h = g * group; h < (g + 1) * group; h += 1) {
            for (int i = 0; i < end; i += 80) {
                // attention_backward.tk:78: let q  = consume qs;
                const tk::cursor<2> q_element = shared.qs.take(qs_next);

                // attention_backward.tk:79: let s  = mma(t.k, q.T);
                tk::fragment<float, 64, 80> s;
                tk::mma_async(s, tk::rows<64>(shared.kv_k[t.stage], 64 * warpgroup),
                              tk::transposed(shared.qs_tile[q_element.stage]),
                              tk::accumulate_never{});

                // attention_backward.tk:80: let o  = consume os;
                shared.os.wait_full(q_element);

                // attention_backward.tk:81: let dp = mma(t.v, o.T);
                tk::fragment<float, 64, 80> dp;
                tk::mma_async(dp, tk::rows<64>(shared.kv_v[t.stage], 64 * warpgroup),
                              tk::transposed(shared.os_tile[q_element.stage]),
                              tk::accumulate_never{});

                // attention_backward.tk:85: let r  = consume ls;
                shared.ls.wait_full(q_element);
                tk::mma_wait<1>(s);

                // attention_backward.tk:86: let p  = where(seen, exp2(s * steep - r.l), 0);
                tk::row_fragment<float, 80> t0;
                tk::load_shared(t0, shared.ls_l[q_element.stage], thread);
                if (n + 64 * warpgroup + 64 <= N && i + 80 <= M) {
                    tk::map(p, [&](float s, float t0) { return tk::exp2(tk::fma(s, steep, -t0)); },
                            s, t0);
                } else {
                    tk::map(p, thread, [&](int row, int col, float s, float t0) {
                        return n + 64 * warpgroup + row < N && i + col < M
                            ? tk::exp2(tk::fma(s, steep, -t0)) : 0.0f;
                    }, s, t0);
                }
                tk::mma_wait<0>(dp);

                // attention_backward.tk:87: let ds = T(p * (dp - r.delta));
                tk::row_fragment<float, 80> t1;
                tk::load_shared(t1, shared.ls_delta[q_element.stage], thread);
                shared.ls.release_after_loads(q_element, tk::ordinary_alone{});
                tk::fragment<tk::bf16, 64, 80> ds;
                tk::map(ds, [](float p, float dp, float t1) { return p * (dp - t1); }, p, dp, t1);

                // attention_backward.tk:88: dv += mma(T(p), o);
                tk::fragment<tk::bf16, 64, 80> t2 = tk::convert<tk::bf16>(p);
                tk::mma_async(dv, t2, shared.os_tile[q_element.stage]);

                // attention_backward.tk:89: produce dss = ds;
                shared.dss.wait_empty(dss_next_2);
                tk::store_shared(tk::rows<64>(shared.dss_tile[dss_next_2.stage], 64 * warpgroup),
                                 ds, thread);
                shared.dss.publish(dss_next_2);
                dss_next_2.advance();

                // attention_backward.tk:90: let dq = if BM % 64 == 0 { mma((consume dss).T, t.k) ..
                const tk::cursor<2> dss_element = shared.dss.take(dss_taken);
                tk::fragment<float, 64, 80> dq;
                tk::mma_async(dq,
                              tk::transposed(tk::columns<64>(shared.kv_k[t.stage], 64 * warpgroup)),
                              shared.dss_tile[dss_element.stage], tk::accumulate_never{});

                // attention_backward.tk:91: dk += mma(ds, q);
                tk::mma_async(dk, ds, shared.qs_tile[q_element.stage]);
                tk::mma_wait<1>(dv, dq, t2);
                shared.os.release(q_element);
                shared.dss.release(dss_element);

                // attention_backward.tk:92: produce sums = fragments(dq);
                tk::fragment_lines<float, 160> t4;
                tk::same_registers(t4, dq);
                shared.sums[warpgroup].wait_empty(sums_next_2);
                tk::store_shared(
                    tk::rows<160>(shared.sums_tile[sums_next_2.stage], 160 * warpgroup), t4,
                    thread);
                shared.sums[warpgroup].publish(sums_next_2, tk::ordinary_alone{});
                sums_next_2.advance();
                // attention_backward.tk:77
                tk::pin_waits(warp);
                tk::mma_wait<0>(dk, ds);
                shared.qs.release(q_element);
            }
        }

        // attention_backward.tk:94: produce sums = fragments(if BM % 64 == 0 { mma((consume ..
        const tk::cursor<2> dss_element_2 = shared.dss.take(dss_taken);
        tk::fragment<float, 64, 80> t5;
        tk::mma_async(t5, tk::transposed(tk::columns<64>(shared.kv_k[t.stage], 64 * warpgroup)),
                      shared.dss_tile[dss_element_2.stage], tk::accumulate_never{});
        tk::mma_wait<0>(t5);
        shared.dss.release(dss_element_2);
        shared.kv.release(t);
        tk::fragment_lines<float, 160> t6;
        tk::same_registers(t6, t5);
        shared.sums[warpgroup].wait_empty(sums_next_2);
        tk::store_shared(tk::rows<160>(shared.sums_tile[sums_next_2.stage], 160 * warpgroup), t6,
                         thread);
        shared.sums[warpgroup].publish(sums_next_2, tk::ordinary_alone{});
        sums_next_2.advance();

        // attention_backward.tk:95: store(dK[b, g, n, 0 +: W], T(dk * scale));
        tk::fragment<tk::bf16, 64, 128> t7;
        tk::map(t7, [&](float dk) { return dk * scale; }, dk);
        tk::store_global(
            tk::slice(dK, {b, g, n + 64 * warpgroup, 0}, N - (n + 64 * warpgroup), 128), t7,
            thread);

        // attention_backward.tk:96: store(dV[b, g, n, 0 +: W], T(dv));
        tk::fragment<tk::bf16, 64, 128> t8 = tk::convert<tk::bf16>(dv);
        tk::store_global(
            tk::slice(dV, {b, g, n + 64 * warpgroup, 0}, N - (n + 64 * warpgroup), 128), t8,
            thread);
    }
}

// scaled: kernel scaled with T = bf16, D = 128, BM = 16.
// 128 threads, 48 registers each: scaled_kernel<10, 16, 8, true>.
// scaled_general: kernel scaled with T = bf16, D = 128, BM = 16; any strides and alignment.
// 128 threads, 255 registers each: scaled_kernel<1, 32, 2, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) scaled_kernel(
    const tk::tensor_argument<const float, 4> Sum, const tk::tensor_argument<tk::bf16, 4> dQ, int B,
    int H, int M, float scale) {
    tk::wait_for_previous_kernel();

    const int m_tiles = tk::tiles(M, 16);

    // attention_backward.tk:134: kernel scaled<T: dtype = bf16, D: int = 128, BM: int = 16>(Sum: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int m = program % m_tiles * 16;
    const int h = program / m_tiles % H;
    const int b = program / (m_tiles * H);

    // attention_backward.tk:137: store(dQ[b, h, m, :], T(load(Sum[b, h, m, 0 +: D]) * scale));
    tk::stripe<float, 16, 128, 128, row_threads, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_dense<vectors>(Sum, {b, h, m, 0}, M - m, 128), thread);
    tk::stripe<tk::bf16, 16, 128, 128, row_threads, vector> t1;
    tk::map(t1, [&](float t0) { return t0 * scale; }, t0);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(dQ, {b, h, m, 0}, M - m, 128), t1, thread);
}

// scaled_fragments: kernel scaled_fragments with T = bf16, D = 128, BM = 80, W = 128.
// producer: 1 warp, 240 registers a thread; consumer: 1 warpgroup, 240 registers a thread; storer:
// 1 warp, 240 registers a thread.
// 256 threads, 255 registers each at first, 163920 bytes of shared memory; persistent.
struct scaled_fragments_shared {
    tk::shared_tile<float, 320, 32> sums_tile[3];
    tk::shared_tile<tk::bf16, 80, 128> rows_tile[2];
    tk::pipeline<3> sums;
    tk::pipeline<2> rows;
};
static_assert(offsetof(scaled_fragments_shared, rows) == 163888);

__global__ void __launch_bounds__(256, 1) scaled_fragments_kernel(
    const __grid_constant__ CUtensorMap Sum_map, const __grid_constant__ CUtensorMap dQ_map, int B,
    int H, int M, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    scaled_fragments_shared& shared = *reinterpret_cast<scaled_fragments_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Sum_map, dQ_map);
        shared.sums.init(1, 4);
        shared.rows.init(4, 1);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 4) {
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(M, 80);
        const int programs = m_tiles * H * B;
        // attention_backward.tk:147: role producer(1 warp) { produce sums = load(Sum[b, h, ..
        if (warp == 4 && tk::elect_one()) {
            tk::cursor<3> sums_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int m = program % m_tiles * 80;
                const int h = program / m_tiles % H;
                const int b = program / (m_tiles * H);
                shared.sums.begin(sums_next, 40960);
                tk::tma_load(shared.sums_tile[sums_next.stage], Sum_map,
                             shared.sums.full[sums_next.stage], b, h, m / 80, 0, 0);
                sums_next.advance();
            }
        }
        // attention_backward.tk:152: role storer(1 warp) { store(dQ[b, h, m, 0 +: W], consume ..
        if (warp == 5) {
            const bool elected = warp == 5 && tk::elect_one();
            tk::cursor<2> rows_next_2;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int m = program % m_tiles * 80;
                const int h = program / m_tiles % H;
                const int b = program / (m_tiles * H);
                const tk::cursor<2> rows_element = shared.rows.take(rows_next_2);
                tk::fence_async();
                if (elected) {
                    tk::tma_store(dQ_map, shared.rows_tile[rows_element.stage], b, h, m, 0);
                    tk::tma_store_wait_read<0>();
                }
                shared.rows.release_after_loads(rows_element, tk::ordinary_alone{});
            }
        }
    } else {
        // attention_backward.tk:148: role consumer(1 warpgroup) {
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(M, 80);
        const int programs = m_tiles * H * B;
        const int thread = tk::warpgroup_thread();
        tk::cursor<2> rows_next_2;
        tk::cursor<3> sums_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            // attention_backward.tk:149: let t = consume sums;
            const tk::cursor<3> t_element = shared.sums.take(sums_next);

            // attention_backward.tk:150: produce rows = if BM % 64 == 0 { T(from_fragments(t, W) ..
            tk::fragment_lines<float, 320> t0;
            tk::load_shared(t0, shared.sums_tile[t_element.stage], thread);
            shared.sums.release_after_loads(t_element);
            tk::fragment<float, 128, 80> t1;
            tk::same_registers(t1, t0);
            tk::fragment<tk::bf16, 128, 80> t2;
            tk::map(t2, [&](float t1) { return t1 * scale; }, t1);
            shared.rows.wait_empty(rows_next_2);
            tk::store_transposed(shared.rows_tile[rows_next_2.stage], t2, thread);
            shared.rows.publish(rows_next_2, tk::ordinary_alone{});
            rows_next_2.advance();
        }
    }
}

// scaled_fragments_general: kernel scaled_fragments with T = bf16, D = 128, BM = 80, W = 128; any
// strides and alignment.
// producer: 1 warp, 240 registers a thread; consumer: 1 warpgroup, 240 registers a thread; storer:
// 1 warp, 240 registers a thread.
// 256 threads, 255 registers each at first, 163920 bytes of shared memory; persistent.
struct scaled_fragments_general_shared {
    tk::shared_tile<float, 320, 32> sums_tile[3];
    tk::shared_tile<tk::bf16, 80, 128> rows_tile[2];
    tk::pipeline<3> sums;
    tk::pipeline<2> rows;
};
static_assert(offsetof(scaled_fragments_general_shared, rows) == 163888);

__global__ void __launch_bounds__(256, 1) scaled_fragments_general_kernel(
    const tk::tensor_argument<const float, 5> Sum, const tk::tensor_argument<tk::bf16, 4> dQ, int B,
    int H, int M, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    scaled_fragments_general_shared& shared =
        *reinterpret_cast<scaled_fragments_general_shared*>(memory);

    if (threadIdx.x == 0) {
        shared.sums.init(1, 4);
        shared.rows.init(4, 1);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 4) {
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(M, 80);
        const int programs = m_tiles * H * B;
        // attention_backward.tk:147: role producer(1 warp) { produce sums = load(Sum[b, h, ..
        if (warp == 4) {
            const int thread = int(threadIdx.x) - 128;
            tk::cursor<3> sums_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int m = program % m_tiles * 80;
                const int h = program / m_tiles % H;
                const int b = program / (m_tiles * H);
                shared.sums.wait_empty(sums_next);
                tk::copy_to_shared(shared.sums_tile[sums_next.stage],
                                   tk::slice(Sum, {b, h, m / 80, 0, 0},
                                             m / 80 < tk::divide_up(M, 80) ? 320 : 0, 32), thread,
                                   32);
                shared.sums.publish(sums_next, tk::ordinary_alone{});
                sums_next.advance();
            }
        }
        // attention_backward.tk:152: role storer(1 warp) { store(dQ[b, h, m, 0 +: W], consume ..
        if (warp == 5) {
            const int thread = int(threadIdx.x) - 160;
            const bool elected = warp == 5 && tk::elect_one();
            tk::cursor<2> rows_next_2;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int m = program % m_tiles * 80;
                const int h = program / m_tiles % H;
                const int b = program / (m_tiles * H);
                const tk::cursor<2> rows_element = shared.rows.take(rows_next_2);
                tk::copy_to_global(tk::slice(dQ, {b, h, m, 0}, M - m, 128),
                                   shared.rows_tile[rows_element.stage], thread, 32);
                if (elected) {
                    tk::tma_store_nothing();
                    tk::tma_store_wait_read<0>();
                }
                shared.rows.release_after_loads(rows_element, tk::ordinary_alone{});
            }
        }
    } else {
        // attention_backward.tk:148: role consumer(1 warpgroup) {
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(M, 80);
        const int programs = m_tiles * H * B;
        const int thread = tk::warpgroup_thread();
        tk::cursor<2> rows_next_2;
        tk::cursor<3> sums_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            // attention_backward.tk:149: let t = consume sums;
            const tk::cursor<3> t_element = shared.sums.take(sums_next);

            // attention_backward.tk:150: produce rows = if BM % 64 == 0 { T(from_fragments(t, W) ..
            tk::fragment_lines<float, 320> t0;
            tk::load_shared(t0, shared.sums_tile[t_element.stage], thread);
            shared.sums.release_after_loads(t_element, tk::ordinary_alone{});
            tk::fragment<float, 128, 80> t1;
            tk::same_registers(t1, t0);
            tk::fragment<tk::bf16, 128, 80> t2;
            tk::map(t2, [&](float t1) { return t1 * scale; }, t1);
            shared.rows.wait_empty(rows_next_2);
            tk::store_transposed(shared.rows_tile[rows_next_2.stage], t2, thread);
            shared.rows.publish(rows_next_2, tk::ordinary_alone{});
            rows_next_2.advance();
        }
    }
}

namespace {
tk::status launch_row_sums(const tk::launch_site& site, const tk::tensor& O, const tk::tensor& dO,
                           const tk::tensor& LSE, const tk::tensor& L, const tk::tensor& Delta,
                           int64_t B, int64_t H, int64_t M) {
    return tk::run<row_sums_kernel<4, 16, 8, true>>(
        site, 0, tk::kernel_shape(128).programmatic_launch(),
        tk::multiply(tk::multiply(tk::max_of(tk::ceil_div(tk::ceil_div(M, 80) * 80, 32), 0), H), B),
        O, dO, LSE, L, Delta, B, H, M);
}

tk::status launch_row_sums_general(const tk::launch_site& site, const tk::tensor& O,
                                   const tk::tensor& dO, const tk::tensor& LSE, const tk::tensor& L,
                                   const tk::tensor& Delta, int64_t B, int64_t H, int64_t M) {
    return tk::run<row_sums_kernel<1, 32, 2, false>>(
        site, 0, tk::kernel_shape(128).programmatic_launch(),
        tk::multiply(tk::multiply(tk::max_of(tk::ceil_div(tk::ceil_div(M, 80) * 80, 32), 0), H), B),
        O, dO, LSE, L, Delta, B, H, M);
}

tk::status launch_gradients(const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K,
                            const tk::tensor& V, const tk::tensor& dO, const tk::tensor& L,
                            const tk::tensor& Delta, const tk::tensor& Sum, const tk::tensor& dK,
                            const tk::tensor& dV, int64_t B, int64_t H, int64_t M, int64_t HKV,
                            int64_t N, float scale) {
    return tk::run<gradients_kernel>(
        site, sizeof(gradients_shared), tk::kernel_shape(384).programmatic_launch(),
        tk::multiply(tk::multiply(HKV, tk::ceil_div(N, 128)), B), tk::box{K, {1, 1, 128, 64}, 128},
        tk::box{V, {1, 1, 128, 64}, 128}, tk::box{Q, {1, 1, 80, 64}, 128},
        tk::box{L, {1, 1, 80}, 0}, tk::box{Delta, {1, 1, 80}, 0}, tk::box{dO, {1, 1, 80, 64}, 128},
        tk::box{dK, {1, 1, 64, 64}, 128}, tk::box{dV, {1, 1, 64, 64}, 128},
        tk::box{Sum, {1, 1, 1, 160, 32}, 128}, B, H, M, HKV, N, scale);
}

tk::status launch_gradients_general(
    const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K, const tk::tensor& V,
    const tk::tensor& dO, const tk::tensor& L, const tk::tensor& Delta, const tk::tensor& Sum,
    const tk::tensor& dK, const tk::tensor& dV, int64_t B, int64_t H, int64_t M, int64_t HKV,
    int64_t N, float scale) {
    return tk::run<gradients_general_kernel>(
        site, sizeof(gradients_general_shared), tk::kernel_shape(384).programmatic_launch(),
        tk::multiply(tk::multiply(HKV, tk::ceil_div(N, 128)), B), Q, K, V, dO, L, Delta, Sum, dK,
        dV, B, H, M, HKV, N, scale);
}

tk::status launch_scaled_fragments(const tk::launch_site& site, const tk::tensor& Sum,
                                   const tk::tensor& dQ, int64_t B, int64_t H, int64_t M,
                                   float scale) {
    return tk::run<scaled_fragments_kernel>(
        site, sizeof(scaled_fragments_shared),
        tk::kernel_shape(256).blocks_per_sm(1).programmatic_launch(),
        tk::multiply(tk::multiply(tk::ceil_div(M, 80), H), B),
        tk::box{Sum, {1, 1, 1, 160, 32}, 128}, tk::box{dQ, {1, 1, 80, 64}, 128}, B, H, M, scale);
}

tk::status launch_scaled_fragments_general(const tk::launch_site& site, const tk::tensor& Sum,
                                           const tk::tensor& dQ, int64_t B, int64_t H, int64_t M,
                                           float scale) {
    return tk::run<scaled_fragments_general_kernel>(
        site, sizeof(scaled_fragments_general_shared),
        tk::kernel_shape(256).blocks_per_sm(1).programmatic_launch(),
        tk::multiply(tk::multiply(tk::ceil_div(M, 80), H), B), Sum, dQ, B, H, M, scale);
}

}  // namespace

extern "C" {
int row_sums(const DLTensor* O_given, const DLTensor* dO_given, const DLTensor* LSE_given,
             DLTensor* L_given, DLTensor* Delta_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"row_sums"};
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor L = call.take("L", L_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor Delta = call.take("Delta", Delta_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = O.shape[0];
    const int64_t H = O.shape[1];
    const int64_t M = O.shape[2];
    call.require({
        tk::fixed_extent(O, 3, 128), tk::same_extent("B", O, 0, dO, 0),
        tk::same_extent("H", O, 1, dO, 1), tk::same_extent("M", O, 2, dO, 2),
        tk::fixed_extent(dO, 3, 128), tk::same_extent("B", O, 0, LSE, 0),
        tk::same_extent("H", O, 1, LSE, 1), tk::same_extent("M", O, 2, LSE, 2),
        tk::same_extent("B", O, 0, L, 0), tk::same_extent("H", O, 1, L, 1),
        tk::same_extent("B", O, 0, Delta, 0), tk::same_extent("H", O, 1, Delta, 1),
        tk::extents_fit({{"B", B}, {"H", H}, {"M", M}}),
        tk::check(L.shape[2] == tk::ceil_div(M, 80) * 80,
                  "axis 2 of `L` is {}; it must be `ceil_div(M, 80)*80`, which is {}",
                  {L.shape[2], tk::ceil_div(M, 80) * 80}),
        tk::check(Delta.shape[2] == tk::ceil_div(M, 80) * 80,
                  "axis 2 of `Delta` is {}; it must be `ceil_div(M, 80)*80`, which is {}",
                  {Delta.shape[2], tk::ceil_div(M, 80) * 80}),
        tk::grid_fits(tk::multiply(tk::max_of(tk::ceil_div(tk::ceil_div(M, 80) * 80, 32), 0), H),
                      2147483648),
        tk::grid_fits(
            tk::multiply(tk::multiply(tk::max_of(tk::ceil_div(tk::ceil_div(M, 80) * 80, 32), 0), H),
                         B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs =
        tk::multiply(tk::multiply(tk::max_of(tk::ceil_div(tk::ceil_div(M, 80) * 80, 32), 0), H), B);
    const bool fast = tk::all_hold(
        {tk::suits_fast(O), tk::suits_fast(dO), tk::suits_fast(LSE, "M"), tk::whole_vectors(LSE, 8),
         tk::suits_fast(L), tk::check(tk::ceil_div(M, 80) * 80 % 8 == 0)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<row_sums_kernel<4, 16, 8, true>, row_sums_kernel<1, 32, 2, false>>(
            fast ? 0 : 1, site, 0, tk::kernel_shape(128).programmatic_launch(), programs, O, dO,
            LSE, L, Delta, B, H, M));
}
TK_NO_WORKSPACE(row_sums, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*)

int gradients(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
              const DLTensor* dO_given, const DLTensor* L_given, const DLTensor* Delta_given,
              DLTensor* Sum_given, DLTensor* dK_given, DLTensor* dV_given, float scale, void*,
              size_t, cudaStream_t stream) {
    tk::arguments call{"gradients"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor L = call.take("L", L_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor Delta = call.take("Delta", Delta_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor Sum = call.take("Sum", Sum_given, tk::dtype_f32, 5, tk::access::accumulate);
    const tk::tensor dK = call.take("dK", dK_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dV = call.take("dV", dV_given, tk::dtype_bf16, 4, tk::access::write);
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
         tk::same_extent("B", Q, 0, dO, 0), tk::same_extent("H", Q, 1, dO, 1),
         tk::same_extent("M", Q, 2, dO, 2), tk::fixed_extent(dO, 3, 128),
         tk::same_extent("B", Q, 0, L, 0), tk::same_extent("H", Q, 1, L, 1),
         tk::same_extent("B", Q, 0, Delta, 0), tk::same_extent("H", Q, 1, Delta, 1),
         tk::same_extent("B", Q, 0, Sum, 0), tk::same_extent("H", Q, 1, Sum, 1),
         tk::fixed_extent(Sum, 3, 320), tk::fixed_extent(Sum, 4, 32),
         tk::same_extent("B", Q, 0, dK, 0), tk::same_extent("HKV", K, 1, dK, 1),
         tk::same_extent("N", K, 2, dK, 2), tk::fixed_extent(dK, 3, 128),
         tk::same_extent("B", Q, 0, dV, 0), tk::same_extent("HKV", K, 1, dV, 1),
         tk::same_extent("N", K, 2, dV, 2), tk::fixed_extent(dV, 3, 128),
         tk::extents_fit({{"B", B}, {"H", H}, {"M", M}, {"HKV", HKV}, {"N", N}}),
         tk::check(L.shape[2] == tk::ceil_div(M, 80) * 80,
                   "axis 2 of `L` is {}; it must be `ceil_div(M, 80)*80`, which is {}",
                   {L.shape[2], tk::ceil_div(M, 80) * 80}),
         tk::check(Delta.shape[2] == tk::ceil_div(M, 80) * 80,
                   "axis 2 of `Delta` is {}; it must be `ceil_div(M, 80)*80`, which is {}",
                   {Delta.shape[2], tk::ceil_div(M, 80) * 80}),
         tk::check(Sum.shape[2] == tk::ceil_div(M, 80),
                   "axis 2 of `Sum` is {}; it must be `ceil_div(M, 80)`, which is {}",
                   {Sum.shape[2], tk::ceil_div(M, 80)}),
         tk::check(1 <= HKV, "`H%HKV` divides by `HKV`, which is {}: it must be at least 1", {HKV}),
         tk::check(tk::floor_mod(H, HKV) == 0, "`gradients` requires `H % HKV == 0`"),
         tk::check(0 < HKV, "`HKV` is at least 1, because `gradients` divides by it"),
         tk::grid_fits(tk::multiply(HKV, tk::ceil_div(N, 128)), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(HKV, tk::ceil_div(N, 128)), B), 2147483648),
         tk::fits("g*group", tk::multiply(HKV - 1, tk::floor_div(H, HKV))),
         tk::fits("(g + 1)*group", tk::multiply(HKV - 1 + 1, tk::floor_div(H, HKV)))});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(HKV, tk::ceil_div(N, 128)), B);
    const bool fast = tk::all_hold(
        {tk::suits_fast(Q), tk::suits_fast(K), tk::suits_fast(V), tk::suits_fast(dO),
         tk::suits_fast(L), tk::suits_fast(Delta), tk::suits_fast(Sum), tk::suits_fast(dK),
         tk::suits_fast(dV)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    TK_FINISH_IF_FAILED(tk::clear(Sum, site));
    if (fast) {
        return tk::finish(tk::run<gradients_kernel>(
            site, sizeof(gradients_shared), tk::kernel_shape(384).programmatic_launch(), programs,
            tk::box{K, {1, 1, 128, 64}, 128}, tk::box{V, {1, 1, 128, 64}, 128},
            tk::box{Q, {1, 1, 80, 64}, 128}, tk::box{L, {1, 1, 80}, 0},
            tk::box{Delta, {1, 1, 80}, 0}, tk::box{dO, {1, 1, 80, 64}, 128},
            tk::box{dK, {1, 1, 64, 64}, 128}, tk::box{dV, {1, 1, 64, 64}, 128},
            tk::box{Sum, {1, 1, 1, 160, 32}, 128}, B, H, M, HKV, N, scale));
    }
    return tk::finish(tk::run<gradients_general_kernel>(
        site, sizeof(gradients_general_shared), tk::kernel_shape(384).programmatic_launch(),
        programs, Q, K, V, dO, L, Delta, Sum, dK, dV, B, H, M, HKV, N, scale));
}
TK_NO_WORKSPACE(gradients, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, DLTensor*, float)

int scaled(const DLTensor* Sum_given, DLTensor* dQ_given, float scale, void*, size_t,
           cudaStream_t stream) {
    tk::arguments call{"scaled"};
    const tk::tensor Sum = call.take("Sum", Sum_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor dQ = call.take("dQ", dQ_given, tk::dtype_bf16, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Sum.shape[0];
    const int64_t H = Sum.shape[1];
    const int64_t M = Sum.shape[2];
    call.require(
        {tk::fixed_extent(Sum, 3, 128), tk::same_extent("B", Sum, 0, dQ, 0),
         tk::same_extent("H", Sum, 1, dQ, 1), tk::same_extent("M", Sum, 2, dQ, 2),
         tk::fixed_extent(dQ, 3, 128), tk::extents_fit({{"B", B}, {"H", H}, {"M", M}}),
         tk::grid_fits(tk::multiply(tk::ceil_div(M, 16), H), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(M, 16), H), B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(tk::ceil_div(M, 16), H), B);
    const bool fast = tk::all_hold({tk::suits_fast(Sum), tk::suits_fast(dQ)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<scaled_kernel<10, 16, 8, true>, scaled_kernel<1, 32, 2, false>>(
            fast ? 0 : 1, site, 0, tk::kernel_shape(128).programmatic_launch(), programs, Sum, dQ,
            B, H, M, scale));
}
TK_NO_WORKSPACE(scaled, const DLTensor*, DLTensor*, float)

int scaled_fragments(const DLTensor* Sum_given, DLTensor* dQ_given, float scale, void*, size_t,
                     cudaStream_t stream) {
    tk::arguments call{"scaled_fragments"};
    const tk::tensor Sum = call.take("Sum", Sum_given, tk::dtype_f32, 5, tk::access::read);
    const tk::tensor dQ = call.take("dQ", dQ_given, tk::dtype_bf16, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Sum.shape[0];
    const int64_t H = Sum.shape[1];
    const int64_t M = dQ.shape[2];
    call.require(
        {tk::fixed_extent(Sum, 3, 320), tk::fixed_extent(Sum, 4, 32),
         tk::same_extent("B", Sum, 0, dQ, 0), tk::same_extent("H", Sum, 1, dQ, 1),
         tk::fixed_extent(dQ, 3, 128), tk::extents_fit({{"B", B}, {"H", H}, {"M", M}}),
         tk::check(Sum.shape[2] == tk::ceil_div(M, 80),
                   "axis 2 of `Sum` is {}; it must be `ceil_div(M, 80)`, which is {}",
                   {Sum.shape[2], tk::ceil_div(M, 80)}),
         tk::grid_fits(tk::multiply(tk::ceil_div(M, 80), H), 2147418112),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(M, 80), H), B), 2147418112)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(tk::ceil_div(M, 80), H), B);
    const bool fast = tk::all_hold({tk::suits_fast(Sum), tk::suits_fast(dQ)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(tk::run<scaled_fragments_kernel>(
            site, sizeof(scaled_fragments_shared),
            tk::kernel_shape(256).blocks_per_sm(1).programmatic_launch(), programs,
            tk::box{Sum, {1, 1, 1, 160, 32}, 128}, tk::box{dQ, {1, 1, 80, 64}, 128}, B, H, M,
            scale));
    }
    return tk::finish(tk::run<scaled_fragments_general_kernel>(
        site, sizeof(scaled_fragments_general_shared),
        tk::kernel_shape(256).blocks_per_sm(1).programmatic_launch(), programs, Sum, dQ, B, H, M,
        scale));
}
TK_NO_WORKSPACE(scaled_fragments, const DLTensor*, DLTensor*, float)

int attention_backward(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
                       const DLTensor* O_given, const DLTensor* LSE_given, const DLTensor* dO_given,
                       DLTensor* dQ_given, DLTensor* dK_given, DLTensor* dV_given,
                       DLTensor* L_given, DLTensor* Delta_given, DLTensor* Sum_given, float scale,
                       void*, size_t, cudaStream_t stream) {
    tk::arguments call{"attention_backward"};
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
    const tk::tensor Sum = call.take("Sum", Sum_given, tk::dtype_f32, 5, tk::access::accumulate);
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
         tk::fixed_extent(dO, 3, 128), tk::same_extent("B", Q, 0, dQ, 0),
         tk::same_extent("H", Q, 1, dQ, 1), tk::same_extent("M", Q, 2, dQ, 2),
         tk::fixed_extent(dQ, 3, 128), tk::same_extent("B", Q, 0, dK, 0),
         tk::same_extent("HKV", K, 1, dK, 1), tk::same_extent("N", K, 2, dK, 2),
         tk::fixed_extent(dK, 3, 128), tk::same_extent("B", Q, 0, dV, 0),
         tk::same_extent("HKV", K, 1, dV, 1), tk::same_extent("N", K, 2, dV, 2),
         tk::fixed_extent(dV, 3, 128), tk::same_extent("B", Q, 0, L, 0),
         tk::same_extent("H", Q, 1, L, 1), tk::same_extent("B", Q, 0, Delta, 0),
         tk::same_extent("H", Q, 1, Delta, 1), tk::same_extent("B", Q, 0, Sum, 0),
         tk::same_extent("H", Q, 1, Sum, 1), tk::fixed_extent(Sum, 3, 320),
         tk::fixed_extent(Sum, 4, 32),
         tk::extents_fit({{"B", B}, {"H", H}, {"M", M}, {"HKV", HKV}, {"N", N}}),
         tk::check(L.shape[2] == tk::ceil_div(M, 80) * 80,
                   "axis 2 of `L` is {}; it must be `ceil_div(M, 80)*80`, which is {}",
                   {L.shape[2], tk::ceil_div(M, 80) * 80}),
         tk::check(Delta.shape[2] == tk::ceil_div(M, 80) * 80,
                   "axis 2 of `Delta` is {}; it must be `ceil_div(M, 80)*80`, which is {}",
                   {Delta.shape[2], tk::ceil_div(M, 80) * 80}),
         tk::check(Sum.shape[2] == tk::ceil_div(M, 80),
                   "axis 2 of `Sum` is {}; it must be `ceil_div(M, 80)`, which is {}",
                   {Sum.shape[2], tk::ceil_div(M, 80)}),
         tk::check(1 <= HKV, "`H%HKV` divides by `HKV`, which is {}: it must be at least 1", {HKV}),
         tk::check(tk::floor_mod(H, HKV) == 0, "`attention_backward` requires `H % HKV == 0`"),
         tk::check(0 < HKV, "`HKV` is at least 1, because `attention_backward` divides by it")});
    // row_sums(O, dO, LSE, L, Delta)
    call.require({
        tk::grid_fits(tk::multiply(tk::max_of(tk::ceil_div(tk::ceil_div(M, 80) * 80, 32), 0), H),
                      2147483648),
        tk::grid_fits(
            tk::multiply(tk::multiply(tk::max_of(tk::ceil_div(tk::ceil_div(M, 80) * 80, 32), 0), H),
                         B), 2147483648)});
    // gradients(Q, K, V, dO, L, Delta, Sum, dK, dV, scale)
    call.require(
        {tk::grid_fits(tk::multiply(HKV, tk::ceil_div(N, 128)), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(HKV, tk::ceil_div(N, 128)), B), 2147483648),
         tk::fits("g*group", tk::multiply(HKV - 1, tk::floor_div(H, HKV))),
         tk::fits("(g + 1)*group", tk::multiply(HKV - 1 + 1, tk::floor_div(H, HKV)))});
    // scaled_fragments(Sum, dQ, scale)
    call.require(
        {tk::grid_fits(tk::multiply(tk::ceil_div(M, 80), H), 2147418112),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(M, 80), H), B), 2147418112)});
    if (!call.ok()) return tk::finish(call.result());

    // row_sums(O, dO, LSE, L, Delta)
    const bool choice_1 = tk::all_hold(
        {tk::suits_fast(O), tk::suits_fast(dO), tk::suits_fast(LSE, "M"), tk::whole_vectors(LSE, 8),
         tk::suits_fast(L)});

    // gradients(Q, K, V, dO, L, Delta, Sum, dK, dV, scale)
    const bool choice_2 = tk::all_hold(
        {tk::suits_fast(Q), tk::suits_fast(K), tk::suits_fast(V), tk::suits_fast(dO),
         tk::suits_fast(L), tk::suits_fast(Delta), tk::suits_fast(Sum), tk::suits_fast(dK),
         tk::suits_fast(dV)});

    // scaled_fragments(Sum, dQ, scale)
    const bool choice_3 = tk::all_hold({tk::suits_fast(Sum), tk::suits_fast(dQ)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1) {
        TK_FINISH_IF_FAILED(launch_row_sums(site, O, dO, LSE, L, Delta, B, H, M));
    } else {
        TK_FINISH_IF_FAILED(launch_row_sums_general(site, O, dO, LSE, L, Delta, B, H, M));
    }
    TK_FINISH_IF_FAILED(tk::clear(Sum, site));
    if (choice_2) {
        TK_FINISH_IF_FAILED(
            launch_gradients(site, Q, K, V, dO, tk::read_only(L), tk::read_only(Delta), Sum, dK, dV,
                             B, H, M, HKV, N, scale));
    } else {
        TK_FINISH_IF_FAILED(
            launch_gradients_general(site, Q, K, V, dO, tk::read_only(L), tk::read_only(Delta), Sum,
                                     dK, dV, B, H, M, HKV, N, scale));
    }
    if (choice_3) {
        TK_FINISH_IF_FAILED(launch_scaled_fragments(site, tk::read_only(Sum), dQ, B, H, M, scale));
    } else {
        TK_FINISH_IF_FAILED(
            launch_scaled_fragments_general(site, tk::read_only(Sum), dQ, B, H, M, scale));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(attention_backward, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, float)
}  // extern "C"
