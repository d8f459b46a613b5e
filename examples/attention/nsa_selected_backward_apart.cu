// Made by tkc from nsa_selected_backward_apart.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/add.cuh"
#include "tk/operations/cells.cuh"
#include "tk/operations/counters.cuh"
#include "tk/operations/integer.cuh"
#include "tk/ptx/wgmma_n016.cuh"
#include "tk/ptx/wgmma_n064.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/tk.cuh"

// sums_in_rows: kernel sums_in_rows with G = 16, BG = 16.
// 32 threads, 64 registers each: sums_in_rows_kernel<32, 4, 4, true>.
// sums_in_rows_general: kernel sums_in_rows with G = 16, BG = 16; any strides and alignment.
// 32 threads, 255 registers each: sums_in_rows_kernel<1, 8, 2, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(32, blocks) sums_in_rows_kernel(
    const tk::tensor_argument<const float, 4> L, const tk::tensor_argument<const float, 4> Delta,
    const tk::tensor_argument<float, 3> RowL, const tk::tensor_argument<float, 3> RowDelta, int B,
    int N, int HKV) {
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    // nsa_selected_backward_apart.tk:11: kernel sums_in_rows<G: int = 16, BG: int = ceil_div(G, ..
    if (warp == 0) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int t = program % N;
        const int g = program / N % HKV;
        const int b = program / (N * HKV);

        // nsa_selected_backward_apart.tk:15: store(RowL[b, g, t * G +: G], load(L[b, t, g, 0 +: ..
        tk::stripe<float, 1, 16, 32, row_threads, vector> t0;
        tk::load_slice<vectors>(
            t0, tk::slice_if_dense<vectors, tk::no_axis, 3>(L, {b, t, g, 0}, 1, 16), thread);
        tk::store_slice<vectors>(
            tk::slice_if_vectors<vectors, tk::no_axis, 2>(RowL, {b, g, t * 16}, 1, N * 16 - t * 16),
            t0, thread);

        // nsa_selected_backward_apart.tk:16: store(RowDelta[b, g, t * G +: G], load(Delta[b, t, ..
        tk::stripe<float, 1, 16, 32, row_threads, vector> t1;
        tk::load_slice<vectors>(
            t1, tk::slice_if_dense<vectors, tk::no_axis, 3>(Delta, {b, t, g, 0}, 1, 16), thread);
        tk::store_slice<vectors>(
            tk::slice_if_vectors<vectors, tk::no_axis, 2>(RowDelta, {b, g, t * 16}, 1,
                                                          N * 16 - t * 16), t1, thread);
    }
}

// query_gradients: kernel query_gradients with T = bf16, D = 128, DV = 128, G = 16, BS = 64, BM =
// 128, TOK = 8, BK = 64.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 163936 bytes of shared memory; persistent.
struct query_gradients_shared {
    tk::shared_tile<tk::bf16, 128, 128> q_tiles_tile[1];
    tk::shared_tile<tk::bf16, 128, 128> do_tiles_tile[1];
    tk::shared_tile<tk::bf16, 64, 128> k_tiles_tile[2];
    tk::shared_tile<tk::bf16, 64, 128> v_tiles_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> consumer_dQ[4];
    tk::pipeline<1> q_tiles;
    tk::pipeline<1> do_tiles;
    tk::pipeline<2> k_tiles;
    tk::pipeline<2> v_tiles;
};
static_assert(offsetof(query_gradients_shared, v_tiles) == 163904);

__global__ void __launch_bounds__(384, 1) query_gradients_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap dO_map,
    const __grid_constant__ CUtensorMap K_map, const __grid_constant__ CUtensorMap V_map,
    const __grid_constant__ CUtensorMap dQ_map, const tk::tensor_argument<const float, 3> L,
    const tk::tensor_argument<const float, 3> Delta, const tk::tensor_argument<const int, 3> Blocks,
    const tk::tensor_argument<const int, 4> List, const tk::tensor_argument<const int, 4> Of, int B,
    int HKV, int N, int U, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    query_gradients_shared& shared = *reinterpret_cast<query_gradients_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Q_map, dO_map, K_map, V_map, dQ_map);
        shared.q_tiles.init(1, 8);
        shared.do_tiles.init(1, 8);
        shared.k_tiles.init(1, 8);
        shared.v_tiles.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // nsa_selected_backward_apart.tk:19: kernel query_gradients<T: dtype = bf16, D: int = ..
        tk::registers_at_most<24>();
        const int t_tiles = tk::tiles(N, 8);
        const int programs = t_tiles * HKV * B;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<1> do_tiles_next, q_tiles_next;
            tk::cursor<2> k_tiles_next, v_tiles_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int t = program % t_tiles * 8;
                const int g = program / t_tiles % HKV;
                const int b = program / (t_tiles * HKV);

                // nsa_selected_backward_apart.tk:28: let blocks = Blocks[b, g, t.index];
                const int blocks = tk::cell(Blocks, b, g, t / 8);

                // nsa_selected_backward_apart.tk:29: let q     = tma_load(Q[b, g, t.start * G +: ..
                shared.q_tiles.begin(q_tiles_next, 32768);
                tk::tma_load(shared.q_tiles_tile[q_tiles_next.stage], Q_map,
                             shared.q_tiles.full[q_tiles_next.stage], b, g, t * 16, 0);
                q_tiles_next.advance();

                // nsa_selected_backward_apart.tk:30: let o     = shared(tma_load(dO[b, g, ..
                shared.do_tiles.begin(do_tiles_next, 32768);
                tk::tma_load(shared.do_tiles_tile[do_tiles_next.stage], dO_map,
                             shared.do_tiles.full[do_tiles_next.stage], b, g, t * 16, 0);
                do_tiles_next.advance();

                // nsa_selected_backward_apart.tk:35: for i in blocks * (BS // BK) pipelined(2) {
                #pragma unroll 1
                for (int i = 0; i < blocks; i += 1) {
                    // nsa_selected_backward_apart.tk:36: let key  = List[b, g, t.index, i // (BS ..
                    const int key = (i < U ? tk::cell(List, b, g, t / 8, i) : int{}) * 64 + i % 1 *
                        64;

                    // nsa_selected_backward_apart.tk:38: let k    = tma_load(K[b, key +: BK, g, ..
                    shared.k_tiles.begin(k_tiles_next, 16384);
                    tk::tma_load(shared.k_tiles_tile[k_tiles_next.stage], K_map,
                                 shared.k_tiles.full[k_tiles_next.stage], b, key, g, 0);
                    k_tiles_next.advance();

                    // nsa_selected_backward_apart.tk:40: let dp   = mma(o, tma_load(V[b, key +: ..
                    shared.v_tiles.begin(v_tiles_next, 16384);
                    tk::tma_load(shared.v_tiles_tile[v_tiles_next.stage], V_map,
                                 shared.v_tiles.full[v_tiles_next.stage], b, key, g, 0);
                    v_tiles_next.advance();
                }
            }
        }
    } else {
        // nsa_selected_backward_apart.tk:19: kernel query_gradients<T: dtype = bf16, D: int = ..
        tk::registers_at_least<240>();
        const int t_tiles = tk::tiles(N, 8);
        const int programs = t_tiles * HKV * B;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> k_tiles_next;
        tk::cursor<1> q_tiles_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int t = program % t_tiles * 8;
            const int g = program / t_tiles % HKV;
            const int b = program / (t_tiles * HKV);

            // nsa_selected_backward_apart.tk:28: let blocks = Blocks[b, g, t.index];
            const int blocks = tk::cell(Blocks, b, g, t / 8);

            // nsa_selected_backward_apart.tk:29: let q     = tma_load(Q[b, g, t.start * G +: BM, ..
            const tk::cursor<1> q_element = shared.q_tiles.take(q_tiles_next);
            tk::fragment<tk::bf16, 64, 128> q_2;
            tk::load_shared(q_2, tk::rows<64>(shared.q_tiles_tile[q_element.stage], 64 * warpgroup),
                            thread);
            shared.q_tiles.release_after_loads(q_element);

            // nsa_selected_backward_apart.tk:30: let o     = shared(tma_load(dO[b, g, t.start * ..
            shared.do_tiles.wait_full(q_element);

            // nsa_selected_backward_apart.tk:34: var dq: f32[BM, D] = 0;
            tk::fragment<float, 64, 128> dq;
            tk::zero(dq);

            // nsa_selected_backward_apart.tk:35: for i in blocks * (BS // BK) pipelined(2) {
            for (int i = 0; i < blocks; i += 1) {
                // nsa_selected_backward_apart.tk:36: let key  = List[b, g, t.index, i // (BS // ..
                const int key = (i < U ? tk::cell(List, b, g, t / 8, i) : int{}) * 64 + i % 1 * 64;

                // nsa_selected_backward_apart.tk:37: let bits = Of[b, g, t.index, i // (BS // BK)];
                const int bits = i < U ? tk::cell(Of, b, g, t / 8, i) : int{};

                // nsa_selected_backward_apart.tk:38: let k    = tma_load(K[b, key +: BK, g, :]);
                const tk::cursor<2> k_element = shared.k_tiles.take(k_tiles_next);

                // nsa_selected_backward_apart.tk:39: let s    = mma(q, k.T);
                tk::fragment<tk::bf16, 64, 128> q_2_again = tk::renewed(q_2);
                tk::fragment<float, 64, 64> s;
                tk::mma_async(s, q_2_again, tk::transposed(shared.k_tiles_tile[k_element.stage]),
                              tk::accumulate_never{});

                // nsa_selected_backward_apart.tk:40: let dp   = mma(o, tma_load(V[b, key +: BK, ..
                shared.v_tiles.wait_full(k_element);
                tk::fragment<float, 64, 64> dp;
                tk::mma_async(
                    dp, tk::rows<64>(shared.do_tiles_tile[q_element.stage], 64 * warpgroup),
                    tk::transposed(shared.v_tiles_tile[k_element.stage]), tk::accumulate_never{});
                tk::mma_wait<0>(s, dp, q_2_again);
                shared.v_tiles.release(k_element);

                // nsa_selected_backward_apart.tk:43: dq += mma(T(p * (dp - delta)), k);
                tk::fragment<tk::bf16, 64, 64> t4;
                tk::map(t4, thread, [&](int row, int col, float s, float dp) {
                    const int x = (64 * warpgroup + row) / 16;
                    return (key + col <= (((bits >> (x & 31)) & 1) != 0 ? t + x : -1)
                            ? tk::exp2(
                                tk::fma(s, scale * 1.442695f,
                                        -(b < B && g < HKV &&
                                          0 <=
                                          tk::wrapping_add(tk::wrapping_multiply(t, 16),
                                                           64 * warpgroup + row) &&
                                          tk::wrapping_add(tk::wrapping_multiply(t, 16),
                                                           64 * warpgroup + row) <
                                          tk::wrapping_multiply(N, 16)
                                          ? tk::cell(L, b, g,
                                                     tk::wrapping_add(tk::wrapping_multiply(t, 16),
                                                                      64 * warpgroup + row))
                                          : float{}))) : 0.0f) *
                        (dp -
                         (b < B && g < HKV &&
                          0 <=
                          tk::wrapping_add(tk::wrapping_multiply(t, 16), 64 * warpgroup + row) &&
                          tk::wrapping_add(tk::wrapping_multiply(t, 16), 64 * warpgroup + row) <
                          tk::wrapping_multiply(N, 16)
                          ? tk::cell(Delta, b, g,
                                     tk::wrapping_add(tk::wrapping_multiply(t, 16),
                                                      64 * warpgroup + row)) : float{}));
                }, s, dp);
                tk::mma_async(dq, t4, shared.k_tiles_tile[k_element.stage]);
                tk::mma_wait<0>(dq, t4);
                shared.k_tiles.release(k_element);
            }
            shared.do_tiles.release(q_element);

            // nsa_selected_backward_apart.tk:46: tma_store(dQ[b, g, t.start * G +: BM, :], T(dq ..
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                tk::fragment<tk::bf16, 64, 64> t5;
                tk::map(t5, [&](float dq) { return dq * scale; }, tk::window<64, 64>(dq, 0, panel));
                tk::store_shared(shared.consumer_dQ[warpgroup * 2 + panel / 64 % 2], t5, thread);
                tk::fence_async();
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                if (leader) {
                    tk::tma_store(dQ_map, shared.consumer_dQ[warpgroup * 2 + panel / 64 % 2], b, g,
                                  t * 16 + warpgroup * 64, panel);
                }
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

// from_rows: kernel from_rows with T = bf16, D = 128, G = 16.
// 64 threads, 48 registers each: from_rows_kernel<21, 16, 8, true>.
// from_rows_general: kernel from_rows with T = bf16, D = 128, G = 16; any strides and alignment.
// 64 threads, 255 registers each: from_rows_kernel<1, 32, 2, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(64, blocks) from_rows_kernel(
    const tk::tensor_argument<const tk::bf16, 4> Rows, const tk::tensor_argument<tk::bf16, 5> X,
    int B, int HKV, int N) {
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    // nsa_selected_backward_apart.tk:53: kernel from_rows<T: dtype = bf16, D: int = 128, G: int ..
    if (warp < 2) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int t = program % N;
        const int g = program / N % HKV;
        const int b = program / (N * HKV);

        // nsa_selected_backward_apart.tk:56: store(X[b, t, g, :, :], load(Rows[b, g, t * G +: G, ..
        tk::stripe<tk::bf16, 16, 128, 64, row_threads, vector> t0;
        tk::load_slice<vectors>(
            t0, tk::slice_if_dense<vectors>(Rows, {b, g, t * 16, 0}, N * 16 - t * 16, 128), thread);
        tk::store_slice<vectors>(tk::slice_if_dense<vectors>(X, {b, t, g, 0, 0}, 16, 128), t0,
                                 thread);
    }
}

// key_gradients: kernel key_gradients with T = bf16, D = 128, DV = 128, G = 16, BS = 64, RANGE =
// 1024, BN = 64, BG = 16, STAGES = 4.
// producer: 1 warp, 48 registers a thread; weigher: 1 warpgroup, 224 registers a thread; summer: 1
// warpgroup, 224 registers a thread; adder: 1 warp, 48 registers a thread.
// 384 threads, 168 registers each at first, 140544 bytes of shared memory.
struct key_gradients_shared {
    tk::shared_tile<tk::bf16, 64, 128> kv_k[1];
    tk::shared_tile<tk::bf16, 64, 128> kv_v[1];
    tk::shared_tile<tk::bf16, 16, 128> qs_tile[4];
    tk::shared_tile<tk::bf16, 16, 128> os_tile[4];
    tk::shared_tile<float, 1, 16> ls_l[4];
    tk::shared_tile<float, 1, 16> ls_delta[4];
    tk::shared_tile<tk::bf16, 64, 16> ws_p[2];
    tk::shared_tile<tk::bf16, 64, 16> ws_ds[2];
    tk::shared_tile<float, 64, 128> sums_k[1];
    tk::shared_tile<float, 64, 128> sums_v[1];
    tk::pipeline<1> kv;
    tk::pipeline<4> qs;
    tk::pipeline<4> os;
    tk::pipeline<4> ls;
    tk::pipeline<2> ws;
    tk::pipeline<1> sums;
};
static_assert(offsetof(key_gradients_shared, sums) == 140528);

__global__ void __launch_bounds__(384, 1) key_gradients_kernel(
    const __grid_constant__ CUtensorMap K_map, const __grid_constant__ CUtensorMap V_map,
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap L_map,
    const __grid_constant__ CUtensorMap Delta_map, const __grid_constant__ CUtensorMap dO_map,
    const __grid_constant__ CUtensorMap SumK_map, const __grid_constant__ CUtensorMap SumV_map,
    const tk::tensor_argument<const int, 4> Before, const tk::tensor_argument<const int, 3> Total,
    const tk::tensor_argument<const int, 3> Start, const tk::tensor_argument<const int, 3> TokensOf,
    int B, int N, int HKV, int E, float scale, unsigned* counters) {
    extern __shared__ __align__(1024) unsigned char memory[];
    key_gradients_shared& shared = *reinterpret_cast<key_gradients_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(K_map, V_map, Q_map, L_map, Delta_map, dO_map, SumK_map, SumV_map);
        shared.kv.init(1, 4);
        shared.qs.init(1, 8);
        shared.os.init(1, 8);
        shared.ls.init(1, 4);
        shared.ws.init(4, 4);
        shared.sums.init(4, 1);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        tk::registers_at_most<48>();
        const int n_tiles = tk::tiles(N, 64);
        const int r_tiles = tk::tiles(N, 1024);
        // nsa_selected_backward_apart.tk:82: role producer(1 warp) registers(48) {
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<1> kv_next;
            tk::cursor<4> ls_next, os_next, qs_next;
            const int program = blockIdx.x;
            const int n = program % n_tiles * 64;
            const int r = program / n_tiles % r_tiles * 1024;
            const int g = program / (n_tiles * r_tiles) % HKV;
            const int b = program / (n_tiles * r_tiles * HKV);

            // nsa_selected_backward_apart.tk:70: let j      = n.start // BS;
            const int j = n / 64;

            // nsa_selected_backward_apart.tk:71: let before = Before[b, g, r.start // 32, j];
            const int before = tk::cell(Before, b, g, r / 32, j);

            // nsa_selected_backward_apart.tk:72: let end    = if r.end < N { Before[b, g, ..
            const int end = r + 1024 < N
                ? tk::cell(Before, b, g, tk::divide_down(tk::min(r + 1024, N - 1), 32), j)
                : tk::cell(Total, b, g, j);

            // nsa_selected_backward_apart.tk:73: let first  = Start[b, g, j] + before;
            const int first = tk::cell(Start, b, g, j) + before;

            // nsa_selected_backward_apart.tk:74: let tokens = end - before;
            const int tokens = end - before;

            // nsa_selected_backward_apart.tk:83: if tokens > 0 {
            if (tokens > 0) {
                // nsa_selected_backward_apart.tk:84: produce kv { k = tma_load(K[b, n.start +: ..
                shared.kv.begin(kv_next, 32768);
                tk::tma_load(shared.kv_k[kv_next.stage], K_map, shared.kv.full[kv_next.stage], b, n,
                             g, 0);
                tk::tma_load(shared.kv_v[kv_next.stage], V_map, shared.kv.full[kv_next.stage], b, n,
                             g, 0);
                kv_next.advance();

                // nsa_selected_backward_apart.tk:85: for i in 0..tokens {
                #pragma unroll 1
                for (int i = 0; i < tokens; i += 1) {
                    // nsa_selected_backward_apart.tk:86: let t = TokensOf[b, g, min(max(first + ..
                    const int t = 0 <= tk::min(tk::max(first + i, 0), E - 1) &&
                        tk::min(tk::max(first + i, 0), E - 1) < E
                        ? tk::cell(TokensOf, b, g, tk::min(tk::max(first + i, 0), E - 1)) : int{};

                    // nsa_selected_backward_apart.tk:87: produce qs = tma_load(Q[b, t, g, 0 +: ..
                    shared.qs.begin(qs_next, 4096);
                    tk::tma_load(shared.qs_tile[qs_next.stage], Q_map,
                                 shared.qs.full[qs_next.stage], b, t, g, 0, 0);
                    qs_next.advance();

                    // nsa_selected_backward_apart.tk:88: produce ls { l = tma_load(L[b, t, g, ..
                    shared.ls.begin(ls_next, 128);
                    tk::tma_load(shared.ls_l[ls_next.stage], L_map, shared.ls.full[ls_next.stage],
                                 b, t, g, 0);
                    tk::tma_load(shared.ls_delta[ls_next.stage], Delta_map,
                                 shared.ls.full[ls_next.stage], b, t, g, 0);
                    ls_next.advance();

                    // nsa_selected_backward_apart.tk:89: produce os = tma_load(dO[b, t, g, 0 +: ..
                    shared.os.begin(os_next, 4096);
                    tk::tma_load(shared.os_tile[os_next.stage], dO_map,
                                 shared.os.full[os_next.stage], b, t, g, 0, 0);
                    os_next.advance();
                }
            }
        }
        // nsa_selected_backward_apart.tk:123: role adder(1 warp) registers(48) {
        if (warp == 9) {
            const bool elected = warp == 9 && tk::elect_one();
            tk::cursor<1> sums_next_2;
            const int program = blockIdx.x;
            const int n = program % n_tiles * 64;
            const int r = program / n_tiles % r_tiles * 1024;
            const int g = program / (n_tiles * r_tiles) % HKV;
            const int b = program / (n_tiles * r_tiles * HKV);

            // nsa_selected_backward_apart.tk:70: let j      = n.start // BS;
            const int j = n / 64;

            // nsa_selected_backward_apart.tk:71: let before = Before[b, g, r.start // 32, j];
            const int before = tk::cell(Before, b, g, r / 32, j);

            // nsa_selected_backward_apart.tk:72: let end    = if r.end < N { Before[b, g, ..
            const int end = r + 1024 < N
                ? tk::cell(Before, b, g, tk::divide_down(tk::min(r + 1024, N - 1), 32), j)
                : tk::cell(Total, b, g, j);

            // nsa_selected_backward_apart.tk:74: let tokens = end - before;
            const int tokens = end - before;

            // nsa_selected_backward_apart.tk:124: await(turn[b, g, n.index], r.index);
            if (elected) {
                tk::await(counters + ((b * HKV + g) * tk::divide_up(N, 64) + n / 64), r / 1024);
            }

            // nsa_selected_backward_apart.tk:125: if tokens > 0 {
            if (tokens > 0) {
                // nsa_selected_backward_apart.tk:126: let s = consume sums;
                const tk::cursor<1> s = shared.sums.take(sums_next_2);
                tk::fence_async();

                // nsa_selected_backward_apart.tk:127: reduce_add(SumK[b, n.start +: BN, g, :], ..
                tk::fence_async_all();
                tk::barrier_sync(1, 32);
                if (elected) {
                    tk::tma_reduce_add(SumK_map, shared.sums_k[s.stage], b, n, g, 0);
                    tk::tma_store_wait_read<0>();
                }

                // nsa_selected_backward_apart.tk:128: reduce_add(SumV[b, n.start +: BN, g, :], ..
                if (elected) {
                    tk::tma_reduce_add(SumV_map, shared.sums_v[s.stage], b, n, g, 0);
                    tk::tma_store_wait_read<0>();
                }
                shared.sums.release_after_loads(s, tk::ordinary_alone{});
            }
            if (elected) tk::tma_store_wait<0>();

            // nsa_selected_backward_apart.tk:130: signal(turn[b, g, n.index]);
            tk::barrier_sync(1, 32);
            if (elected) tk::signal(counters + ((b * HKV + g) * tk::divide_up(N, 64) + n / 64));
        }
    } else if (warp < 4) {
        // nsa_selected_backward_apart.tk:93: role weigher(1 warpgroup) {
        tk::registers_at_least<224>();
        const int n_tiles = tk::tiles(N, 64);
        const int r_tiles = tk::tiles(N, 1024);
        const int thread = tk::warpgroup_thread();
        tk::cursor<1> kv_next;
        tk::cursor<4> qs_next;
        tk::cursor<2> ws_next_2;
        const int program = blockIdx.x;
        const int n = program % n_tiles * 64;
        const int r = program / n_tiles % r_tiles * 1024;
        const int g = program / (n_tiles * r_tiles) % HKV;
        const int b = program / (n_tiles * r_tiles * HKV);

        // nsa_selected_backward_apart.tk:69: let steep  = scale * LOG2E;
        const float steep = scale * 1.442695f;

        // nsa_selected_backward_apart.tk:70: let j      = n.start // BS;
        const int j = n / 64;

        // nsa_selected_backward_apart.tk:71: let before = Before[b, g, r.start // 32, j];
        const int before = tk::cell(Before, b, g, r / 32, j);

        // nsa_selected_backward_apart.tk:72: let end    = if r.end < N { Before[b, g, min(r.end, ..
        const int end = r + 1024 < N
            ? tk::cell(Before, b, g, tk::divide_down(tk::min(r + 1024, N - 1), 32), j)
            : tk::cell(Total, b, g, j);

        // nsa_selected_backward_apart.tk:73: let first  = Start[b, g, j] + before;
        const int first = tk::cell(Start, b, g, j) + before;

        // nsa_selected_backward_apart.tk:74: let tokens = end - before;
        const int tokens = end - before;

        // nsa_selected_backward_apart.tk:94: if tokens > 0 {
        if (tokens > 0) {
            // nsa_selected_backward_apart.tk:95: let own = consume kv;
            const tk::cursor<1> own = shared.kv.take(kv_next);

            // nsa_selected_backward_apart.tk:96: let k: T[BN, D] = own.k;
            tk::fragment<tk::bf16, 64, 128> k;
            tk::load_shared(k, shared.kv_k[own.stage], thread);

            // nsa_selected_backward_apart.tk:97: let v: T[BN, DV] = own.v;
            tk::fragment<tk::bf16, 64, 128> v;
            tk::load_shared(v, shared.kv_v[own.stage], thread);
            shared.kv.release_after_loads(own);

            // nsa_selected_backward_apart.tk:98: for i in 0..tokens {
            tk::fragment<float, 64, 16> p;
            for (int i = 0; i < tokens; i += 1) {
                // nsa_selected_backward_apart.tk:99: let t  = TokensOf[b, g, min(max(first + i, ..
                const int t = 0 <= tk::min(tk::max(first + i, 0), E - 1) &&
                    tk::min(tk::max(first + i, 0), E - 1) < E
                    ? tk::cell(TokensOf, b, g, tk::min(tk::max(first + i, 0), E - 1)) : int{};

                // nsa_selected_backward_apart.tk:100: let s  = mma(k, (consume qs).T);
                const tk::cursor<4> qs_element = shared.qs.take(qs_next);
                tk::fragment<float, 64, 16> s;
                tk::mma_async(s, k, tk::transposed(shared.qs_tile[qs_element.stage]),
                              tk::accumulate_never{});

                // nsa_selected_backward_apart.tk:101: let dp = mma(v, (consume os).T);
                shared.os.wait_full(qs_element);
                tk::fragment<float, 64, 16> dp;
                tk::mma_async(dp, v, tk::transposed(shared.os_tile[qs_element.stage]),
                              tk::accumulate_never{});

                // nsa_selected_backward_apart.tk:103: let r  = consume ls;
                shared.ls.wait_full(qs_element);
                tk::mma_wait<1>(s, k);
                shared.qs.release(qs_element);

                // nsa_selected_backward_apart.tk:104: let p  = where(seen, exp2(s * steep - ..
                tk::row_fragment<float, 16> t0;
                tk::load_shared(t0, shared.ls_l[qs_element.stage], thread);
                if (n + 63 <= t) {
                    tk::map(p, [&](float s, float t0) { return tk::exp2(tk::fma(s, steep, -t0)); },
                            s, t0);
                } else {
                    tk::map(p, thread, [&](int row, int, float s, float t0) {
                        return row < 64 && n + row <= t ? tk::exp2(tk::fma(s, steep, -t0)) : 0.0f;
                    }, s, t0);
                }

                // nsa_selected_backward_apart.tk:105: produce ws { p = T(p); ds = T(p * (dp - ..
                tk::fragment<tk::bf16, 64, 16> t2 = tk::convert<tk::bf16>(p);
                tk::hold_waits(warp);
                tk::mma_wait<0>(dp, v);
                shared.os.release(qs_element);
                tk::row_fragment<float, 16> t1;
                tk::load_shared(t1, shared.ls_delta[qs_element.stage], thread);
                shared.ls.release_after_loads(qs_element);
                tk::fragment<tk::bf16, 64, 16> t3;
                tk::map(t3, [](float p, float dp, float t1) { return p * (dp - t1); }, p, dp, t1);
                shared.ws.wait_empty(ws_next_2);
                tk::store_shared(shared.ws_p[ws_next_2.stage], t2, thread);
                tk::store_shared(shared.ws_ds[ws_next_2.stage], t3, thread);
                shared.ws.publish(ws_next_2);
                ws_next_2.advance();
            }
        }
    } else {
        // nsa_selected_backward_apart.tk:109: role summer(1 warpgroup) {
        tk::registers_at_least<224>();
        const int n_tiles = tk::tiles(N, 64);
        const int r_tiles = tk::tiles(N, 1024);
        const int thread = tk::warpgroup_thread();
        tk::cursor<4> qs_next;
        tk::cursor<1> sums_next_2;
        tk::cursor<2> ws_next_2;
        const int program = blockIdx.x;
        const int n = program % n_tiles * 64;
        const int r = program / n_tiles % r_tiles * 1024;
        const int g = program / (n_tiles * r_tiles) % HKV;
        const int b = program / (n_tiles * r_tiles * HKV);

        // nsa_selected_backward_apart.tk:70: let j      = n.start // BS;
        const int j = n / 64;

        // nsa_selected_backward_apart.tk:71: let before = Before[b, g, r.start // 32, j];
        const int before = tk::cell(Before, b, g, r / 32, j);

        // nsa_selected_backward_apart.tk:72: let end    = if r.end < N { Before[b, g, min(r.end, ..
        const int end = r + 1024 < N
            ? tk::cell(Before, b, g, tk::divide_down(tk::min(r + 1024, N - 1), 32), j)
            : tk::cell(Total, b, g, j);

        // nsa_selected_backward_apart.tk:74: let tokens = end - before;
        const int tokens = end - before;

        // nsa_selected_backward_apart.tk:110: if tokens > 0 {
        if (tokens > 0) {
            // nsa_selected_backward_apart.tk:111: var dk: f32[BN, D] = 0;
            tk::fragment<float, 64, 128> dk;
            tk::zero(dk);

            // nsa_selected_backward_apart.tk:112: var dv: f32[BN, DV] = 0;
            tk::fragment<float, 64, 128> dv;
            tk::zero(dv);

            // nsa_selected_backward_apart.tk:113: for i in 0..tokens {
            for (int i = 0; i < tokens; i += 1) {
                // nsa_selected_backward_apart.tk:114: let q = consume qs;
                const tk::cursor<4> q_element = shared.qs.take(qs_next);

                // nsa_selected_backward_apart.tk:115: let o = consume os;
                shared.os.wait_full(q_element);

                // nsa_selected_backward_apart.tk:116: let w = consume ws;
                const tk::cursor<2> w = shared.ws.take(ws_next_2);

                // nsa_selected_backward_apart.tk:117: dv += mma(w.p, o);
                tk::mma_async(dv, shared.ws_p[w.stage], shared.os_tile[q_element.stage]);

                // nsa_selected_backward_apart.tk:118: dk += mma(w.ds, q);
                tk::mma_async(dk, shared.ws_ds[w.stage], shared.qs_tile[q_element.stage]);
                tk::mma_wait<0>(dv, dk);
                shared.os.release(q_element);
                shared.ws.release(w);
                shared.qs.release(q_element);
            }

            // nsa_selected_backward_apart.tk:120: produce sums { k = dk; v = dv; }
            shared.sums.wait_empty(sums_next_2);
            tk::store_shared(shared.sums_k[sums_next_2.stage], dk, thread);
            tk::store_shared(shared.sums_v[sums_next_2.stage], dv, thread);
            shared.sums.publish(sums_next_2, tk::ordinary_alone{});
            sums_next_2.advance();
        }
    }
}

// key_gradients_general: kernel key_gradients with T = bf16, D = 128, DV = 128, G = 16, BS = 64,
// RANGE = 1024, BN = 64, BG = 16, STAGES = 4; any strides and alignment.
// producer: 1 warp, 48 registers a thread; weigher: 1 warpgroup, 224 registers a thread; summer: 1
// warpgroup, 224 registers a thread; adder: 1 warp, 48 registers a thread.
// 384 threads, 168 registers each at first, 140544 bytes of shared memory.
struct key_gradients_general_shared {
    tk::shared_tile<tk::bf16, 64, 128> kv_k[1];
    tk::shared_tile<tk::bf16, 64, 128> kv_v[1];
    tk::shared_tile<tk::bf16, 16, 128> qs_tile[4];
    tk::shared_tile<tk::bf16, 16, 128> os_tile[4];
    tk::shared_tile<float, 1, 16> ls_l[4];
    tk::shared_tile<float, 1, 16> ls_delta[4];
    tk::shared_tile<tk::bf16, 64, 16> ws_p[2];
    tk::shared_tile<tk::bf16, 64, 16> ws_ds[2];
    tk::shared_tile<float, 64, 128> sums_k[1];
    tk::shared_tile<float, 64, 128> sums_v[1];
    tk::pipeline<1> kv;
    tk::pipeline<4> qs;
    tk::pipeline<4> os;
    tk::pipeline<4> ls;
    tk::pipeline<2> ws;
    tk::pipeline<1> sums;
};
static_assert(offsetof(key_gradients_general_shared, sums) == 140528);

__global__ void __launch_bounds__(384, 1) key_gradients_general_kernel(
    const __grid_constant__ CUtensorMap K_map, const __grid_constant__ CUtensorMap V_map,
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap L_map,
    const __grid_constant__ CUtensorMap Delta_map, const __grid_constant__ CUtensorMap dO_map,
    const tk::tensor_argument<const int, 4> Before, const tk::tensor_argument<const int, 3> Total,
    const tk::tensor_argument<const int, 3> Start, const tk::tensor_argument<const int, 3> TokensOf,
    const tk::tensor_argument<float, 4> SumK, const tk::tensor_argument<float, 4> SumV, int B,
    int N, int HKV, int E, float scale, unsigned* counters) {
    extern __shared__ __align__(1024) unsigned char memory[];
    key_gradients_general_shared& shared = *reinterpret_cast<key_gradients_general_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(K_map, V_map, Q_map, L_map, Delta_map, dO_map);
        shared.kv.init(1, 4);
        shared.qs.init(1, 8);
        shared.os.init(1, 8);
        shared.ls.init(1, 4);
        shared.ws.init(4, 4);
        shared.sums.init(4, 1);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        tk::registers_at_most<48>();
        const int n_tiles = tk::tiles(N, 64);
        const int r_tiles = tk::tiles(N, 1024);
        // nsa_selected_backward_apart.tk:82: role producer(1 warp) registers(48) {
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<1> kv_next;
            tk::cursor<4> ls_next, os_next, qs_next;
            const int program = blockIdx.x;
            const int n = program % n_tiles * 64;
            const int r = program / n_tiles % r_tiles * 1024;
            const int g = program / (n_tiles * r_tiles) % HKV;
            const int b = program / (n_tiles * r_tiles * HKV);

            // nsa_selected_backward_apart.tk:70: let j      = n.start // BS;
            const int j = n / 64;

            // nsa_selected_backward_apart.tk:71: let before = Before[b, g, r.start // 32, j];
            const int before = tk::cell(Before, b, g, r / 32, j);

            // nsa_selected_backward_apart.tk:72: let end    = if r.end < N { Before[b, g, ..
            const int end = r + 1024 < N
                ? tk::cell(Before, b, g, tk::divide_down(tk::min(r + 1024, N - 1), 32), j)
                : tk::cell(Total, b, g, j);

            // nsa_selected_backward_apart.tk:73: let first  = Start[b, g, j] + before;
            const int first = tk::cell(Start, b, g, j) + before;

            // nsa_selected_backward_apart.tk:74: let tokens = end - before;
            const int tokens = end - before;

            // nsa_selected_backward_apart.tk:83: if tokens > 0 {
            if (tokens > 0) {
                // nsa_selected_backward_apart.tk:84: produce kv { k = tma_load(K[b, n.start +: ..
                shared.kv.begin(kv_next, 32768);
                tk::tma_load(shared.kv_k[kv_next.stage], K_map, shared.kv.full[kv_next.stage], b, n,
                             g, 0);
                tk::tma_load(shared.kv_v[kv_next.stage], V_map, shared.kv.full[kv_next.stage], b, n,
                             g, 0);
                kv_next.advance();

                // nsa_selected_backward_apart.tk:85: for i in 0..tokens {
                #pragma unroll 1
                for (int i = 0; i < tokens; i += 1) {
                    // nsa_selected_backward_apart.tk:86: let t = TokensOf[b, g, min(max(first + ..
                    const int t = 0 <= tk::min(tk::max(first + i, 0), E - 1) &&
                        tk::min(tk::max(first + i, 0), E - 1) < E
                        ? tk::cell(TokensOf, b, g, tk::min(tk::max(first + i, 0), E - 1)) : int{};

                    // nsa_selected_backward_apart.tk:87: produce qs = tma_load(Q[b, t, g, 0 +: ..
                    shared.qs.begin(qs_next, 4096);
                    tk::tma_load(shared.qs_tile[qs_next.stage], Q_map,
                                 shared.qs.full[qs_next.stage], b, t, g, 0, 0);
                    qs_next.advance();

                    // nsa_selected_backward_apart.tk:88: produce ls { l = tma_load(L[b, t, g, ..
                    shared.ls.begin(ls_next, 128);
                    tk::tma_load(shared.ls_l[ls_next.stage], L_map, shared.ls.full[ls_next.stage],
                                 b, t, g, 0);
                    tk::tma_load(shared.ls_delta[ls_next.stage], Delta_map,
                                 shared.ls.full[ls_next.stage], b, t, g, 0);
                    ls_next.advance();

                    // nsa_selected_backward_apart.tk:89: produce os = tma_load(dO[b, t, g, 0 +: ..
                    shared.os.begin(os_next, 4096);
                    tk::tma_load(shared.os_tile[os_next.stage], dO_map,
                                 shared.os.full[os_next.stage], b, t, g, 0, 0);
                    os_next.advance();
                }
            }
        }
        // nsa_selected_backward_apart.tk:123: role adder(1 warp) registers(48) {
        if (warp == 9) {
            const int thread = int(threadIdx.x) - 288;
            const bool elected = warp == 9 && tk::elect_one();
            tk::cursor<1> sums_next_2;
            const int program = blockIdx.x;
            const int n = program % n_tiles * 64;
            const int r = program / n_tiles % r_tiles * 1024;
            const int g = program / (n_tiles * r_tiles) % HKV;
            const int b = program / (n_tiles * r_tiles * HKV);

            // nsa_selected_backward_apart.tk:70: let j      = n.start // BS;
            const int j = n / 64;

            // nsa_selected_backward_apart.tk:71: let before = Before[b, g, r.start // 32, j];
            const int before = tk::cell(Before, b, g, r / 32, j);

            // nsa_selected_backward_apart.tk:72: let end    = if r.end < N { Before[b, g, ..
            const int end = r + 1024 < N
                ? tk::cell(Before, b, g, tk::divide_down(tk::min(r + 1024, N - 1), 32), j)
                : tk::cell(Total, b, g, j);

            // nsa_selected_backward_apart.tk:74: let tokens = end - before;
            const int tokens = end - before;

            // nsa_selected_backward_apart.tk:124: await(turn[b, g, n.index], r.index);
            if (elected) {
                tk::await(counters + ((b * HKV + g) * tk::divide_up(N, 64) + n / 64), r / 1024);
            }

            // nsa_selected_backward_apart.tk:125: if tokens > 0 {
            if (tokens > 0) {
                // nsa_selected_backward_apart.tk:126: let s = consume sums;
                const tk::cursor<1> s = shared.sums.take(sums_next_2);

                // nsa_selected_backward_apart.tk:127: reduce_add(SumK[b, n.start +: BN, g, :], ..
                tk::barrier_sync(1, 32);
                tk::add_to_global(tk::slice<1, 3>(SumK, {b, n, g, 0}, N - n, 128),
                                  shared.sums_k[s.stage], thread, 32);
                if (elected) {
                    tk::tma_store_nothing();
                    tk::tma_store_wait_read<0>();
                }

                // nsa_selected_backward_apart.tk:128: reduce_add(SumV[b, n.start +: BN, g, :], ..
                tk::add_to_global(tk::slice<1, 3>(SumV, {b, n, g, 0}, N - n, 128),
                                  shared.sums_v[s.stage], thread, 32);
                if (elected) {
                    tk::tma_store_nothing();
                    tk::tma_store_wait_read<0>();
                }
                shared.sums.release_after_loads(s, tk::ordinary_alone{});
            }

            // nsa_selected_backward_apart.tk:130: signal(turn[b, g, n.index]);
            tk::barrier_sync(1, 32);
            if (elected) tk::signal(counters + ((b * HKV + g) * tk::divide_up(N, 64) + n / 64));
        }
    } else if (warp < 4) {
        // nsa_selected_backward_apart.tk:93: role weigher(1 warpgroup) {
        tk::registers_at_least<224>();
        const int n_tiles = tk::tiles(N, 64);
        const int r_tiles = tk::tiles(N, 1024);
        const int thread = tk::warpgroup_thread();
        tk::cursor<1> kv_next;
        tk::cursor<4> qs_next;
        tk::cursor<2> ws_next_2;
        const int program = blockIdx.x;
        const int n = program % n_tiles * 64;
        const int r = program / n_tiles % r_tiles * 1024;
        const int g = program / (n_tiles * r_tiles) % HKV;
        const int b = program / (n_tiles * r_tiles * HKV);

        // nsa_selected_backward_apart.tk:69: let steep  = scale * LOG2E;
        const float steep = scale * 1.442695f;

        // nsa_selected_backward_apart.tk:70: let j      = n.start // BS;
        const int j = n / 64;

        // nsa_selected_backward_apart.tk:71: let before = Before[b, g, r.start // 32, j];
        const int before = tk::cell(Before, b, g, r / 32, j);

        // nsa_selected_backward_apart.tk:72: let end    = if r.end < N { Before[b, g, min(r.end, ..
        const int end = r + 1024 < N
            ? tk::cell(Before, b, g, tk::divide_down(tk::min(r + 1024, N - 1), 32), j)
            : tk::cell(Total, b, g, j);

        // nsa_selected_backward_apart.tk:73: let first  = Start[b, g, j] + before;
        const int first = tk::cell(Start, b, g, j) + before;

        // nsa_selected_backward_apart.tk:74: let tokens = end - before;
        const int tokens = end - before;

        // nsa_selected_backward_apart.tk:94: if tokens > 0 {
        if (tokens > 0) {
            // nsa_selected_backward_apart.tk:95: let own = consume kv;
            const tk::cursor<1> own = shared.kv.take(kv_next);

            // nsa_selected_backward_apart.tk:96: let k: T[BN, D] = own.k;
            tk::fragment<tk::bf16, 64, 128> k;
            tk::load_shared(k, shared.kv_k[own.stage], thread);

            // nsa_selected_backward_apart.tk:97: let v: T[BN, DV] = own.v;
            tk::fragment<tk::bf16, 64, 128> v;
            tk::load_shared(v, shared.kv_v[own.stage], thread);
            shared.kv.release_after_loads(own);

            // nsa_selected_backward_apart.tk:98: for i in 0..tokens {
            tk::fragment<float, 64, 16> p;
            for (int i = 0; i < tokens; i += 1) {
                // nsa_selected_backward_apart.tk:99: let t  = TokensOf[b, g, min(max(first + i, ..
                const int t = 0 <= tk::min(tk::max(first + i, 0), E - 1) &&
                    tk::min(tk::max(first + i, 0), E - 1) < E
                    ? tk::cell(TokensOf, b, g, tk::min(tk::max(first + i, 0), E - 1)) : int{};

                // nsa_selected_backward_apart.tk:100: let s  = mma(k, (consume qs).T);
                const tk::cursor<4> qs_element = shared.qs.take(qs_next);
                tk::fragment<float, 64, 16> s;
                tk::mma_async(s, k, tk::transposed(shared.qs_tile[qs_element.stage]),
                              tk::accumulate_never{});

                // nsa_selected_backward_apart.tk:101: let dp = mma(v, (consume os).T);
                shared.os.wait_full(qs_element);
                tk::fragment<float, 64, 16> dp;
                tk::mma_async(dp, v, tk::transposed(shared.os_tile[qs_element.stage]),
                              tk::accumulate_never{});

                // nsa_selected_backward_apart.tk:103: let r  = consume ls;
                shared.ls.wait_full(qs_element);
                tk::mma_wait<1>(s, k);
                shared.qs.release(qs_element);

                // nsa_selected_backward_apart.tk:104: let p  = where(seen, exp2(s * steep - ..
                tk::row_fragment<float, 16> t0;
                tk::load_shared(t0, shared.ls_l[qs_element.stage], thread);
                if (n + 63 <= t) {
                    tk::map(p, [&](float s, float t0) { return tk::exp2(tk::fma(s, steep, -t0)); },
                            s, t0);
                } else {
                    tk::map(p, thread, [&](int row, int, float s, float t0) {
                        return row < 64 && n + row <= t ? tk::exp2(tk::fma(s, steep, -t0)) : 0.0f;
                    }, s, t0);
                }

                // nsa_selected_backward_apart.tk:105: produce ws { p = T(p); ds = T(p * (dp - ..
                tk::fragment<tk::bf16, 64, 16> t2 = tk::convert<tk::bf16>(p);
                tk::hold_waits(warp);
                tk::mma_wait<0>(dp, v);
                shared.os.release(qs_element);
                tk::row_fragment<float, 16> t1;
                tk::load_shared(t1, shared.ls_delta[qs_element.stage], thread);
                shared.ls.release_after_loads(qs_element);
                tk::fragment<tk::bf16, 64, 16> t3;
                tk::map(t3, [](float p, float dp, float t1) { return p * (dp - t1); }, p, dp, t1);
                shared.ws.wait_empty(ws_next_2);
                tk::store_shared(shared.ws_p[ws_next_2.stage], t2, thread);
                tk::store_shared(shared.ws_ds[ws_next_2.stage], t3, thread);
                shared.ws.publish(ws_next_2);
                ws_next_2.advance();
            }
        }
    } else {
        // nsa_selected_backward_apart.tk:109: role summer(1 warpgroup) {
        tk::registers_at_least<224>();
        const int n_tiles = tk::tiles(N, 64);
        const int r_tiles = tk::tiles(N, 1024);
        const int thread = tk::warpgroup_thread();
        tk::cursor<4> qs_next;
        tk::cursor<1> sums_next_2;
        tk::cursor<2> ws_next_2;
        const int program = blockIdx.x;
        const int n = program % n_tiles * 64;
        const int r = program / n_tiles % r_tiles * 1024;
        const int g = program / (n_tiles * r_tiles) % HKV;
        const int b = program / (n_tiles * r_tiles * HKV);

        // nsa_selected_backward_apart.tk:70: let j      = n.start // BS;
        const int j = n / 64;

        // nsa_selected_backward_apart.tk:71: let before = Before[b, g, r.start // 32, j];
        const int before = tk::cell(Before, b, g, r / 32, j);

        // nsa_selected_backward_apart.tk:72: let end    = if r.end < N { Before[b, g, min(r.end, ..
        const int end = r + 1024 < N
            ? tk::cell(Before, b, g, tk::divide_down(tk::min(r + 1024, N - 1), 32), j)
            : tk::cell(Total, b, g, j);

        // nsa_selected_backward_apart.tk:74: let tokens = end - before;
        const int tokens = end - before;

        // nsa_selected_backward_apart.tk:110: if tokens > 0 {
        if (tokens > 0) {
            // nsa_selected_backward_apart.tk:111: var dk: f32[BN, D] = 0;
            tk::fragment<float, 64, 128> dk;
            tk::zero(dk);

            // nsa_selected_backward_apart.tk:112: var dv: f32[BN, DV] = 0;
            tk::fragment<float, 64, 128> dv;
            tk::zero(dv);

            // nsa_selected_backward_apart.tk:113: for i in 0..tokens {
            for (int i = 0; i < tokens; i += 1) {
                // nsa_selected_backward_apart.tk:114: let q = consume qs;
                const tk::cursor<4> q_element = shared.qs.take(qs_next);

                // nsa_selected_backward_apart.tk:115: let o = consume os;
                shared.os.wait_full(q_element);

                // nsa_selected_backward_apart.tk:116: let w = consume ws;
                const tk::cursor<2> w = shared.ws.take(ws_next_2);

                // nsa_selected_backward_apart.tk:117: dv += mma(w.p, o);
                tk::mma_async(dv, shared.ws_p[w.stage], shared.os_tile[q_element.stage]);

                // nsa_selected_backward_apart.tk:118: dk += mma(w.ds, q);
                tk::mma_async(dk, shared.ws_ds[w.stage], shared.qs_tile[q_element.stage]);
                tk::mma_wait<0>(dv, dk);
                shared.os.release(q_element);
                shared.ws.release(w);
                shared.qs.release(q_element);
            }

            // nsa_selected_backward_apart.tk:120: produce sums { k = dk; v = dv; }
            shared.sums.wait_empty(sums_next_2);
            tk::store_shared(shared.sums_k[sums_next_2.stage], dk, thread);
            tk::store_shared(shared.sums_v[sums_next_2.stage], dv, thread);
            shared.sums.publish(sums_next_2, tk::ordinary_alone{});
            sums_next_2.advance();
        }
    }
}

// nsa_selected_backward_row_sums_T_bf16_D_128_G_16: kernel nsa_selected_backward.row_sums with T =
// bf16, D = 128, G = 16, BG = 16.
// 64 threads, 64 registers each: nsa_selected_backward_row_sums_T_bf16_D_128_G_16_kernel<16, 16, 8,
// true>.
// nsa_selected_backward_row_sums_T_bf16_D_128_G_16_general: kernel nsa_selected_backward.row_sums
// with T = bf16, D = 128, G = 16, BG = 16; any strides and alignment.
// 64 threads, 255 registers each: nsa_selected_backward_row_sums_T_bf16_D_128_G_16_kernel<1, 32, 2,
// false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(64, blocks) nsa_selected_backward_row_sums_T_bf16_D_128_G_16_kernel(
    const tk::tensor_argument<const tk::bf16, 5> O, const tk::tensor_argument<const tk::bf16, 5> dO,
    const tk::tensor_argument<const float, 4> LSE, const tk::tensor_argument<float, 4> L,
    const tk::tensor_argument<float, 4> Delta, int B, int N, int HKV) {
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    // nsa_selected_backward.tk:76: kernel row_sums<T: dtype = bf16, D: int = 128, G: int = 16, ..
    if (warp < 2) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int t = program % N;
        const int g = program / N % HKV;
        const int b = program / (N * HKV);

        // nsa_selected_backward.tk:80: store(L[b, t, g, :], load(LSE[b, t, g, 0 +: BG]) * LOG2E);
        tk::stripe<float, 1, 16, 64, row_threads, vector> t0;
        tk::load_slice<vectors>(
            t0, tk::slice_if_dense<vectors, tk::no_axis, 3>(LSE, {b, t, g, 0}, 1, 16), thread);
        tk::stripe<float, 1, 16, 64, row_threads, vector> t1;
        tk::map(t1, [](float t0) { return t0 * 1.442695f; }, t0);
        tk::store_slice<vectors>(
            tk::slice_if_dense<vectors, tk::no_axis, 3>(L, {b, t, g, 0}, 1, 16), t1, thread);

        // nsa_selected_backward.tk:81: store(Delta[b, t, g, :], sum(f32(load(O[b, t, g, 0 +: BG, ..
        tk::stripe<tk::bf16, 16, 128, 64, row_threads, vector> t2;
        tk::load_slice<vectors>(t2, tk::slice_if_dense<vectors>(O, {b, t, g, 0, 0}, 16, 128),
                                thread);
        tk::stripe<tk::bf16, 16, 128, 64, row_threads, vector> t3;
        tk::load_slice<vectors>(t3, tk::slice_if_dense<vectors>(dO, {b, t, g, 0, 0}, 16, 128),
                                thread);
        tk::stripe<float, 16, 128, 64, row_threads, vector> t4;
        tk::map(t4, [](tk::bf16 t2, tk::bf16 t3) { return float(t2) * float(t3); }, t2, t3);
        tk::stripe<float, 16, 1, 64, row_threads, vector> t5;
        tk::fold_rows(t5, t4, tk::plus{}, thread);
        tk::finish_rows(t5, tk::plus{});
        tk::store_global(tk::slice<3, tk::no_axis>(Delta, {b, t, g, 0}, 16, 1), t5, thread);
    }
}

// nsa_selected_listing_BS_64_TOK_8: kernel nsa_selected.listing with BS = 64, TOK = 8, BC = 128, BI
// = 16.
// 128 threads, 48 registers each, 2048 bytes of shared memory:
// nsa_selected_listing_BS_64_TOK_8_kernel<10, 8, 4, true>.
// nsa_selected_listing_BS_64_TOK_8_general: kernel nsa_selected.listing with BS = 64, TOK = 8, BC =
// 128, BI = 16; any strides and alignment.
// 128 threads, 255 registers each, 2048 bytes of shared memory:
// nsa_selected_listing_BS_64_TOK_8_kernel<1, 8, 2, false>.
// nsa_selected_listing_BS_64_TOK_32: kernel nsa_selected.listing with BS = 64, TOK = 32, BC = 128,
// BI = 16.
// 128 threads, 48 registers each, 2048 bytes of shared memory:
// nsa_selected_listing_BS_64_TOK_8_kernel<10, 32, 4, true>.
// nsa_selected_listing_BS_64_TOK_32_general: kernel nsa_selected.listing with BS = 64, TOK = 32, BC
// = 128, BI = 16; any strides and alignment.
// 128 threads, 255 registers each, 2048 bytes of shared memory:
// nsa_selected_listing_BS_64_TOK_8_kernel<1, 32, 2, false>.
struct nsa_selected_listing_BS_64_TOK_8_shared {
    tk::shared_tile<int, 4, 128> listing_i32_rows_128[1];
};

template <int blocks, int TOK, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) nsa_selected_listing_BS_64_TOK_8_kernel(
    const tk::tensor_argument<const int, 4> list, const tk::tensor_argument<const int, 3> count,
    const tk::tensor_argument<int, 4> Tokens, int B, int N, int HKV, int SEL) {
    extern __shared__ __align__(1024) unsigned char memory[];
    nsa_selected_listing_BS_64_TOK_8_shared& shared =
        *reinterpret_cast<nsa_selected_listing_BS_64_TOK_8_shared*>(memory);

    tk::wait_for_previous_kernel();

    const int c_tiles = tk::tiles(tk::divide_up(N, 64), 128);
    const int t_tiles = tk::tiles(N, TOK);

    // nsa_selected.tk:20: kernel listing<BS: int = 64, TOK: int = 4, BC: int = 128, BI: int = 16>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int c = program % c_tiles * 128;
    const int t = program / c_tiles % t_tiles * TOK;
    const int g = program / (c_tiles * t_tiles) % HKV;
    const int b = program / (c_tiles * t_tiles * HKV);

    // nsa_selected.tk:26: var tokens: i32[1, BC] = 0;
    tk::stripe<int, 1, 128, 128, 32, vector> tokens;
    tk::map(tokens, []() { return 0; });

    // nsa_selected.tk:27: for k in min(TOK, N - t.start) {
    for (int k = 0; k < tk::min(TOK, N - t); k += 1) {
        // nsa_selected.tk:28: let token  = t.start + k;
        const int token = t + k;

        // nsa_selected.tk:29: let listed = min(count[b, token, g], SEL);
        const int listed = tk::min(tk::cell(count, b, token, g), SEL);

        // nsa_selected.tk:30: var found: i32[1, BC] = 0;
        tk::stripe<int, 1, 128, 128, 32, vector> found;
        tk::map(found, []() { return 0; });

        // nsa_selected.tk:31: for i in SEL by BI {
        for (int i = 0; i < SEL; i += 16) {
            // nsa_selected.tk:32: let is = i.start + column(range(BI)) < listed and ..
            tk::stripe<int, 16, 1, 128, 32, vector> t0;
            tk::load_global(t0,
                            tk::slice<3, tk::no_axis>(list, {b, token, g, i},
                                                      token < N ? SEL - i : 0, 1), thread);

            // nsa_selected.tk:33: found += sum(where(is, 1, 0), axis = 0);
            tk::stripe<int, 16, 128, 128, 32, vector> t1;
            tk::map(t1, thread, [&](int row, int col, int t0) {
                return i + row < listed && t0 == c + col ? 1 : 0;
            }, t0);
            tk::stripe<int, 1, 128, 128, 32, vector> t2;
            tk::reduce_columns(t2, t1, shared.listing_i32_rows_128[0], tk::plus{}, thread, 1);
            tk::map(found, [](int found, int t2) { return tk::wrapping_add(found, t2); },
                    found, t2);
        }

        // nsa_selected.tk:35: tokens = tokens | where(found > 0 and block * BS <= token, 1 << k, ..
        tk::map(tokens, thread, [&](int, int col, int tokens, int found) {
            return tokens | (found > 0 && (c + col) * 64 <= token ? 1 << (k & 31) : 0);
        }, tokens, found);
    }

    // nsa_selected.tk:37: store(Tokens[b, g, t.index, c], tokens);
    tk::store_slice<vectors>(
        tk::slice_if_vectors<vectors, tk::no_axis, 3>(Tokens, {b, g, t / TOK, c}, 1,
                                                      t / TOK < tk::divide_up(N, TOK)
                                                      ? tk::divide_up(N, 64) - c : 0), tokens,
        thread);
}

// nsa_selected_unions_BS_64_TOK_8: kernel nsa_selected.unions with BS = 64, TOK = 8, BC = 128, BP =
// 32.
// 128 threads, 96 registers each: nsa_selected_unions_BS_64_TOK_8_kernel<5, 4, true>.
// nsa_selected_unions_BS_64_TOK_8_general: kernel nsa_selected.unions with BS = 64, TOK = 8, BC =
// 128, BP = 32; any strides and alignment.
// 128 threads, 255 registers each: nsa_selected_unions_BS_64_TOK_8_kernel<1, 2, false>.
template <int blocks_3, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks_3) nsa_selected_unions_BS_64_TOK_8_kernel(
    const tk::tensor_argument<const int, 4> Tokens, const tk::tensor_argument<int, 3> Blocks,
    const tk::tensor_argument<int, 4> List, const tk::tensor_argument<int, 4> Of, int B, int HKV,
    int R, int C, int listed) {
    tk::wait_for_previous_kernel();

    // nsa_selected.tk:41: kernel unions<BS: int = 64, TOK: int = 4, BC: int = 128, BP: int = 32>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program % R;
    const int g = program / R % HKV;
    const int b = program / (R * HKV);

    // nsa_selected.tk:46: let end = min(ceil_div((r + 1) * TOK, BS), C);
    const int end = tk::min(tk::divide_up((r + 1) * 8, 64), C);

    // nsa_selected.tk:47: var blocks: i32[1, 1] = 0;
    tk::stripe<int, 1, 1, 128, 32, vector> blocks;
    tk::map(blocks, []() { return 0; });

    // nsa_selected.tk:48: for c in 0..end by BC { blocks += sum(where(load(Tokens[b, g, r, c]) ..
    for (int c = 0; c < end; c += 128) {
        tk::stripe<int, 1, 128, 128, 32, vector> t0;
        tk::load_slice<vectors>(t0,
                                tk::slice_if_vectors<vectors, tk::no_axis, 3>(Tokens, {b, g, r, c},
                                                                              1, C - c), thread);
        tk::stripe<int, 1, 128, 128, 32, vector> t1;
        tk::map(t1, [](int t0) { return t0 != 0 ? 1 : 0; }, t0);
        tk::stripe<int, 1, 1, 128, 32, vector> t2;
        tk::fold_rows(t2, t1, tk::plus{}, thread);
        tk::finish_rows(t2, tk::plus{});
        tk::map(blocks, [](int blocks, int t2) { return tk::wrapping_add(blocks, t2); },
                blocks, t2);
    }

    // nsa_selected.tk:49: store(Blocks[b, g, r], blocks);
    tk::store_global(tk::slice<tk::no_axis, 2>(Blocks, {b, g, r}, 1, R - r), blocks, thread);

    // nsa_selected.tk:50: for p in min(TOK * listed, C) by BP {
    tk::stripe<int, 1, 1, 128, 32, vector> before;
    for (int p = 0; p < tk::min(8 * listed, C); p += 32) {
        // nsa_selected.tk:51: var which: i32[BP, 1] = 0;
        tk::stripe<int, 32, 1, 128, 32, vector> which;
        tk::map(which, []() { return 0; });

        // nsa_selected.tk:52: var whose: i32[BP, 1] = 0;
        tk::stripe<int, 32, 1, 128, 32, vector> whose;
        tk::map(whose, []() { return 0; });

        // nsa_selected.tk:53: if p.start < scalar(blocks) {
        const int number = blocks.cell(0);
        if (p < number) {
            // nsa_selected.tk:54: var before: i32[1, 1] = 0;
            tk::map(before, []() { return 0; });

            // nsa_selected.tk:55: for c in 0..end by BC {
            for (int c = 0; c < end; c += 128) {
                // nsa_selected.tk:56: let tokens = load(Tokens[b, g, r, c]);
                tk::stripe<int, 1, 128, 128, 32, vector> tokens;
                tk::load_slice<vectors>(
                    tokens,
                    tk::slice_if_vectors<vectors, tk::no_axis, 3>(Tokens, {b, g, r, c}, 1, C - c),
                    thread);

                // nsa_selected.tk:57: let one  = where(tokens != 0, 1, 0);
                tk::stripe<int, 1, 128, 128, 32, vector> one;
                tk::map(one, [](int tokens) { return tokens != 0 ? 1 : 0; }, tokens);

                // nsa_selected.tk:58: let here = tokens != 0 and before + cumsum(one, axis = 1) ..
                tk::stripe<int, 1, 128, 128, 32, vector> t4;
                tk::running_sums(t4, one, thread);
                tk::stripe<bool, 32, 128, 128, 32, vector> here;
                tk::map(here, thread, [&](int row, int, int tokens, int before, int t4) {
                    return tokens != 0 &&
                        tk::wrapping_subtract(tk::wrapping_add(before, t4), 1) == p + row;
                }, tokens, before, t4);

                // nsa_selected.tk:59: which  += sum(where(here, c.start + range(BC), 0), axis = 1);
                tk::stripe<int, 32, 128, 128, 32, vector> t5;
                tk::map(t5, thread, [&](int, int col, bool here) { return here ? c + col : 0; },
                        here);
                tk::stripe<int, 32, 1, 128, 32, vector> t6;
                tk::fold_rows(t6, t5, tk::plus{}, thread);
                tk::finish_rows(t6, tk::plus{});
                tk::map(which, [](int which, int t6) { return tk::wrapping_add(which, t6); },
                        which, t6);

                // nsa_selected.tk:60: whose  += sum(where(here, tokens, 0), axis = 1);
                tk::stripe<int, 32, 128, 128, 32, vector> t7;
                tk::map(t7, [](bool here, int tokens) { return here ? tokens : 0; }, here, tokens);
                tk::stripe<int, 32, 1, 128, 32, vector> t8;
                tk::fold_rows(t8, t7, tk::plus{}, thread);
                tk::finish_rows(t8, tk::plus{});
                tk::map(whose, [](int whose, int t8) { return tk::wrapping_add(whose, t8); },
                        whose, t8);

                // nsa_selected.tk:61: before += sum(one, axis = 1);
                tk::stripe<int, 1, 1, 128, 32, vector> t9;
                tk::fold_rows(t9, one, tk::plus{}, thread);
                tk::finish_rows(t9, tk::plus{});
                tk::map(before, [](int before, int t9) { return tk::wrapping_add(before, t9); },
                        before, t9);
            }
        }

        // nsa_selected.tk:64: store(List[b, g, r, p], which);
        tk::store_global(
            tk::slice<3, tk::no_axis>(List, {b, g, r, p}, tk::min(8 * listed, C) - p, 1), which,
            thread);

        // nsa_selected.tk:65: store(Of[b, g, r, p], whose);
        tk::store_global(tk::slice<3, tk::no_axis>(Of, {b, g, r, p}, tk::min(8 * listed, C) - p, 1),
                         whose, thread);
    }
}

// nsa_selected_in_rows_T_bf16_D_128_G_16: kernel nsa_selected.in_rows with T = bf16, D = 128, G =
// 16.
// 64 threads, 48 registers each: nsa_selected_in_rows_T_bf16_D_128_G_16_kernel<21, 16, 8, true>.
// nsa_selected_in_rows_T_bf16_D_128_G_16_general: kernel nsa_selected.in_rows with T = bf16, D =
// 128, G = 16; any strides and alignment.
// 64 threads, 255 registers each: nsa_selected_in_rows_T_bf16_D_128_G_16_kernel<1, 32, 2, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(64, blocks) nsa_selected_in_rows_T_bf16_D_128_G_16_kernel(
    const tk::tensor_argument<const tk::bf16, 5> X, const tk::tensor_argument<tk::bf16, 4> Rows,
    int B, int N, int HKV) {
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    // nsa_selected.tk:69: kernel in_rows<T: dtype = bf16, D: int = 128, G: int = 16>(X: T[B, N, ..
    if (warp < 2) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int t = program % N;
        const int g = program / N % HKV;
        const int b = program / (N * HKV);

        // nsa_selected.tk:72: store(Rows[b, g, t * G +: G, :], load(X[b, t, g, :, :]));
        tk::stripe<tk::bf16, 16, 128, 64, row_threads, vector> t0;
        tk::load_slice<vectors>(t0, tk::slice_if_dense<vectors>(X, {b, t, g, 0, 0}, 16, 128),
                                thread);
        tk::store_slice<vectors>(
            tk::slice_if_dense<vectors>(Rows, {b, g, t * 16, 0}, N * 16 - t * 16, 128), t0, thread);
    }
}

// nsa_selected_backward_counts: kernel nsa_selected_backward.counts with BC = 128, BR = 32.
// 256 threads, 128 registers each, 21504 bytes of shared memory:
// nsa_selected_backward_counts_kernel<2, true>.
// nsa_selected_backward_counts_general: kernel nsa_selected_backward.counts with BC = 128, BR = 32;
// any strides and alignment.
// 256 threads, 255 registers each, 21504 bytes of shared memory:
// nsa_selected_backward_counts_kernel<1, false>.
struct nsa_selected_backward_counts_shared {
    tk::shared_tile<int, 1, 4224> counts_turned[1];
    tk::shared_tile<int, 8, 128> counts_i32_rows_128[1];
};
static_assert(offsetof(nsa_selected_backward_counts_shared, counts_i32_rows_128) == 17408);

template <int blocks, bool vectors>
__global__ void __launch_bounds__(256, blocks) nsa_selected_backward_counts_kernel(
    const tk::tensor_argument<const int, 4> Tokens, const tk::tensor_argument<int, 4> Before,
    const tk::tensor_argument<int, 3> Total, int B, int HKV, int R, int C) {
    extern __shared__ __align__(1024) unsigned char memory[];
    nsa_selected_backward_counts_shared& shared =
        *reinterpret_cast<nsa_selected_backward_counts_shared*>(memory);

    tk::wait_for_previous_kernel();

    const int c_tiles = tk::tiles(C, 128);

    // nsa_selected_backward.tk:29: kernel counts<BC: int = 128, BR: int = 32>(Tokens: i32[B, ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int c = program % c_tiles * 128;
    const int g = program / c_tiles % HKV;
    const int b = program / (c_tiles * HKV);

    // nsa_selected_backward.tk:32: var before: i32[1, BC] = 0;
    tk::stripe<int, 1, 128, 256, 32, 4> before;
    tk::map(before, []() { return 0; });

    // nsa_selected_backward.tk:33: for r in R by BR {
    for (int r = 0; r < R; r += 32) {
        // nsa_selected_backward.tk:34: let n = pad(ones(load(Tokens[b, g, r, c])), axis = 0, ..
        tk::stripe<int, 32, 128, 256, 32, 4> t0;
        tk::load_slice<vectors>(
            t0, tk::slice_if_vectors<vectors>(Tokens, {b, g, r, c}, R - r, C - c), thread);
        tk::stripe<int, 32, 128, 256, 32, 4> n;
        tk::map(n, thread, [&](int row, int, int t0) {
            const int x = tk::wrapping_subtract(t0, (t0 >> 1) & 1431655765);
            const int x_2 = (x & 858993459) + ((x >> 2) & 858993459);
            return row < R - r
                ? tk::wrapping_multiply((x_2 + (x_2 >> 4)) & 252645135, 16843009) >> 24 : 0;
        }, t0);

        // nsa_selected_backward.tk:35: store(Before[b, g, r, c], before + cumsum(n, axis = 0) - n);
        tk::stripe<int, 128, 32, 256, 32, 4> t1;
        tk::transpose(t1, n, shared.counts_turned[0], thread, 1);
        tk::stripe<int, 128, 32, 256, 32, 4> t2;
        tk::running_sums(t2, t1, thread);
        tk::stripe<int, 32, 128, 256, 32, 4> t3;
        tk::transpose(t3, t2, shared.counts_turned[0], thread, 1);
        tk::stripe<int, 32, 128, 256, 32, 4> t4;
        tk::map(t4, [](int before, int t3, int n) {
            return tk::wrapping_subtract(tk::wrapping_add(before, t3), n);
        }, before, t3, n);
        tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(Before, {b, g, r, c}, R - r, C - c),
                                 t4, thread);

        // nsa_selected_backward.tk:36: before += sum(n, axis = 0);
        tk::stripe<int, 1, 128, 256, 32, 4> t5;
        tk::reduce_columns(t5, n, shared.counts_i32_rows_128[0], tk::plus{}, thread, 1);
        tk::map(before, [](int before, int t5) { return tk::wrapping_add(before, t5); },
                before, t5);
    }

    // nsa_selected_backward.tk:38: store(Total[b, g, c], before);
    tk::store_slice<vectors>(
        tk::slice_if_vectors<vectors, tk::no_axis, 2>(Total, {b, g, c}, 1, C - c), before, thread);
}

// nsa_selected_backward_starts: kernel nsa_selected_backward.starts with BC = 128.
// 128 threads, 48 registers each.
__global__ void __launch_bounds__(128, 10) nsa_selected_backward_starts_kernel(
    const tk::tensor_argument<const int, 3> Total, const tk::tensor_argument<int, 3> Start, int B,
    int HKV, int C) {
    tk::wait_for_previous_kernel();

    // nsa_selected_backward.tk:42: kernel starts<BC: int = 128>(Total: i32[B, HKV, C], out ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int g = program % HKV;
    const int b = program / HKV;

    // nsa_selected_backward.tk:45: var before: i32[1, 1] = 0;
    tk::stripe<int, 1, 1, 128, 32, 4> before;
    tk::map(before, []() { return 0; });

    // nsa_selected_backward.tk:46: for c in C by BC {
    for (int c = 0; c < C; c += 128) {
        // nsa_selected_backward.tk:47: let n = load(Total[b, g, c]);
        tk::stripe<int, 1, 128, 128, 32, 4> n;
        tk::load_vectors(n, tk::vector_slice<tk::no_axis, 2>(Total, {b, g, c}, 1, C - c), thread);

        // nsa_selected_backward.tk:48: store(Start[b, g, c], before + cumsum(n, axis = 1) - n);
        tk::stripe<int, 1, 128, 128, 32, 4> t1;
        tk::running_sums(t1, n, thread);
        tk::stripe<int, 1, 128, 128, 32, 4> t2;
        tk::map(t2, [](int before, int t1, int n) {
            return tk::wrapping_subtract(tk::wrapping_add(before, t1), n);
        }, before, t1, n);
        tk::store_vectors(tk::vector_slice<tk::no_axis, 2>(Start, {b, g, c}, 1, C - c), t2, thread);

        // nsa_selected_backward.tk:49: before += sum(n, axis = 1);
        tk::stripe<int, 1, 1, 128, 32, 4> t3;
        tk::fold_rows(t3, n, tk::plus{}, thread);
        tk::finish_rows(t3, tk::plus{});
        tk::map(before, [](int before, int t3) { return tk::wrapping_add(before, t3); },
                before, t3);
    }
}

// nsa_selected_backward_starts_general: kernel nsa_selected_backward.starts with BC = 128; any
// strides and alignment.
// 128 threads, 255 registers each, 1024 bytes of shared memory.
struct nsa_selected_backward_starts_general_shared {
    tk::shared_tile<int, 1, 4> starts_i32_scan[1];
    tk::shared_tile<int, 1, 4> starts_i32_parts[1];
};
static_assert(offsetof(nsa_selected_backward_starts_general_shared, starts_i32_parts) == 128);

__global__ void __launch_bounds__(128, 1) nsa_selected_backward_starts_general_kernel(
    const tk::tensor_argument<const int, 3> Total, const tk::tensor_argument<int, 3> Start, int B,
    int HKV, int C) {
    extern __shared__ __align__(1024) unsigned char memory[];
    nsa_selected_backward_starts_general_shared& shared =
        *reinterpret_cast<nsa_selected_backward_starts_general_shared*>(memory);

    tk::wait_for_previous_kernel();

    // nsa_selected_backward.tk:42: kernel starts<BC: int = 128>(Total: i32[B, HKV, C], out ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int g = program % HKV;
    const int b = program / HKV;

    // nsa_selected_backward.tk:45: var before: i32[1, 1] = 0;
    tk::stripe<int, 1, 1, 128, 64, 2> before;
    tk::map(before, []() { return 0; });

    // nsa_selected_backward.tk:46: for c in C by BC {
    for (int c = 0; c < C; c += 128) {
        // nsa_selected_backward.tk:47: let n = load(Total[b, g, c]);
        tk::stripe<int, 1, 128, 128, 64, 2> n;
        tk::load_global(n, tk::slice<tk::no_axis, 2>(Total, {b, g, c}, 1, C - c), thread);

        // nsa_selected_backward.tk:48: store(Start[b, g, c], before + cumsum(n, axis = 1) - n);
        tk::stripe<int, 1, 128, 128, 64, 2> t1;
        tk::running_sums(t1, n, shared.starts_i32_scan[0], thread, 1);
        tk::stripe<int, 1, 128, 128, 64, 2> t2;
        tk::map(t2, [](int before, int t1, int n) {
            return tk::wrapping_subtract(tk::wrapping_add(before, t1), n);
        }, before, t1, n);
        tk::store_global(tk::slice<tk::no_axis, 2>(Start, {b, g, c}, 1, C - c), t2, thread);

        // nsa_selected_backward.tk:49: before += sum(n, axis = 1);
        tk::stripe<int, 1, 1, 128, 64, 2> t3;
        tk::fold_rows(t3, n, tk::plus{}, thread);
        tk::finish_rows(t3, tk::plus{}, shared.starts_i32_parts[0], thread, 1);
        tk::map(before, [](int before, int t3) { return tk::wrapping_add(before, t3); },
                before, t3);
    }
}

// nsa_selected_backward_no_tokens: kernel nsa_selected_backward.no_tokens with BE = 1024.
// 128 threads, 48 registers each: nsa_selected_backward_no_tokens_kernel<10, 4, true>.
// nsa_selected_backward_no_tokens_general: kernel nsa_selected_backward.no_tokens with BE = 1024;
// any strides and alignment.
// 128 threads, 255 registers each: nsa_selected_backward_no_tokens_kernel<1, 2, false>.
template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) nsa_selected_backward_no_tokens_kernel(
    const tk::tensor_argument<int, 3> TokensOf, int B, int HKV, int E) {
    tk::wait_for_previous_kernel();

    const int e_tiles = tk::tiles(E, 1024);

    // nsa_selected_backward.tk:53: kernel no_tokens<BE: int = 1024>(out TokensOf: i32[B, HKV, E])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int e = program % e_tiles * 1024;
    const int g = program / e_tiles % HKV;
    const int b = program / (e_tiles * HKV);

    // nsa_selected_backward.tk:56: store(TokensOf[b, g, e], 0 * range(BE));
    tk::stripe<int, 1, 1024, 128, 128, vector> t0;
    tk::map(t0, []() { return 0; });
    tk::store_slice<vectors>(
        tk::slice_if_vectors<vectors, tk::no_axis, 2>(TokensOf, {b, g, e}, 1, E - e), t0, thread);
}

// nsa_selected_backward_tokens_of_BS_64: kernel nsa_selected_backward.tokens_of with BS = 64.
// 32 threads, 64 registers each.
__global__ void __launch_bounds__(32, 32) nsa_selected_backward_tokens_of_BS_64_kernel(
    const tk::tensor_argument<const int, 4> list, const tk::tensor_argument<const int, 3> count,
    const tk::tensor_argument<const int, 4> Tokens, const tk::tensor_argument<const int, 4> Before,
    const tk::tensor_argument<const int, 3> Start, const tk::tensor_argument<int, 3> TokensOf,
    int B, int N, int HKV, int SEL, int E) {
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    // nsa_selected_backward.tk:59: kernel tokens_of<BS: int = 64>(
    if (warp == 0) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int t = program % N;
        const int g = program / N % HKV;
        const int b = program / (N * HKV);

        // nsa_selected_backward.tk:65: for i in min(count[b, t, g], SEL) pipelined(4) {
        #pragma unroll 4
        for (int i = 0; i < tk::min(tk::cell(count, b, t, g), SEL); i += 1) {
            // nsa_selected_backward.tk:66: let block = list[b, t, g, i];
            const int block = i < SEL ? tk::cell(list, b, t, g, i) : int{};

            // nsa_selected_backward.tk:67: if block >= 0 and block * BS <= t {
            if (block >= 0 && tk::wrapping_multiply(block, 64) <= t) {
                // nsa_selected_backward.tk:68: let at      = min(block, ceil_div(N, BS) - 1);
                const int at = tk::min(block, tk::divide_up(N, 64) - 1);

                // nsa_selected_backward.tk:23: let pairs = x - ((x >> 1) & 1431655765);
                const int pairs = tk::wrapping_subtract(
                    (0 <= at && at < tk::divide_up(N, 64) ? tk::cell(Tokens, b, g, t / 32, at)
                     : int{}) & tk::wrapping_subtract(1 << ((t % 32) & 31), 1),
                    (((0 <= at && at < tk::divide_up(N, 64) ? tk::cell(Tokens, b, g, t / 32, at)
                       : int{}) & tk::wrapping_subtract(1 << ((t % 32) & 31), 1)) >> 1) &
                    1431655765);

                // nsa_selected_backward.tk:24: let fours = (pairs & 858993459) + ((pairs >> 2) & ..
                const int fours = (pairs & 858993459) + ((pairs >> 2) & 858993459);

                // nsa_selected_backward.tk:69: let earlier = ones(Tokens[b, g, t // 32, at] & ..
                const int earlier = tk::wrapping_multiply((fours + (fours >> 4)) & 252645135,
                                                          16843009) >> 24;

                // nsa_selected_backward.tk:70: store(TokensOf[b, g, min(max(Start[b, g, at] + ..
                tk::stripe<int, 1, 1, 32, 1, 1> t0;
                tk::map(t0, [&]() { return t; });
                tk::store_global(
                    tk::clipped(
                        tk::slice<tk::no_axis, 2>(TokensOf,
                                                  {b, g,
                                                   tk::min(
                                                       tk::max(
                                                           tk::wrapping_add(
                                                               tk::wrapping_add(0 <= at &&
                                                                                at <
                                                                                tk::divide_up(N, 64)
                                                                                ? tk::cell(Start, b,
                                                                                           g, at)
                                                                                : int{},
                                                                                0 <= at &&
                                                                                at <
                                                                                tk::divide_up(N, 64)
                                                                                ? tk::cell(Before,
                                                                                           b, g,
                                                                                           t / 32,
                                                                                           at)
                                                                                : int{}), earlier),
                                                           0), E - 1)}, 1,
                                                  E -
                                                  tk::min(
                                                      tk::max(
                                                          tk::wrapping_add(
                                                              tk::wrapping_add(0 <= at &&
                                                                               at <
                                                                               tk::divide_up(N, 64)
                                                                               ? tk::cell(Start, b,
                                                                                          g, at)
                                                                               : int{},
                                                                               0 <= at &&
                                                                               at <
                                                                               tk::divide_up(N, 64)
                                                                               ? tk::cell(Before, b,
                                                                                          g, t / 32,
                                                                                          at)
                                                                               : int{}), earlier),
                                                          0), E - 1)), 0,
                        0 -
                        tk::min(
                            tk::max(
                                tk::wrapping_add(
                                    tk::wrapping_add(0 <= at && at < tk::divide_up(N, 64)
                                                     ? tk::cell(Start, b, g, at) : int{},
                                                     0 <= at && at < tk::divide_up(N, 64)
                                                     ? tk::cell(Before, b, g, t / 32, at) : int{}),
                                    earlier), 0), E - 1)), t0, thread);
            }
        }
    }
}

// nsa_selected_backward_rounded_T_bf16_D_128: kernel nsa_selected_backward.rounded with T = bf16, D
// = 128, BN = 16.
// 128 threads, 48 registers each: nsa_selected_backward_rounded_T_bf16_D_128_kernel<10, 16, 8,
// true>.
// nsa_selected_backward_rounded_T_bf16_D_128_general: kernel nsa_selected_backward.rounded with T =
// bf16, D = 128, BN = 16; any strides and alignment.
// 128 threads, 255 registers each: nsa_selected_backward_rounded_T_bf16_D_128_kernel<1, 32, 2,
// false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) nsa_selected_backward_rounded_T_bf16_D_128_kernel(
    const tk::tensor_argument<const float, 4> Sum, const tk::tensor_argument<tk::bf16, 4> Y, int B,
    int N, int HKV, float scale) {
    tk::wait_for_previous_kernel();

    const int n_tiles = tk::tiles(N, 16);

    // nsa_selected_backward.tk:173: kernel rounded<T: dtype = bf16, D: int = 128, BN: int = ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 16;
    const int g = program / n_tiles % HKV;
    const int b = program / (n_tiles * HKV);

    // nsa_selected_backward.tk:176: store(Y[b, n, g, :], T(load(Sum[b, n, g, :]) * scale));
    tk::stripe<float, 16, 128, 128, row_threads, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_dense<vectors, 1, 3>(Sum, {b, n, g, 0}, N - n, 128),
                            thread);
    tk::stripe<tk::bf16, 16, 128, 128, row_threads, vector> t1;
    tk::map(t1, [&](float t0) { return t0 * scale; }, t0);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors, 1, 3>(Y, {b, n, g, 0}, N - n, 128), t1,
                             thread);
}

namespace {
tk::status launch_nsa_selected_backward_row_sums_T_bf16_D_128_G_16(
    const tk::launch_site& site, const tk::tensor& O, const tk::tensor& dO, const tk::tensor& LSE,
    const tk::tensor& L, const tk::tensor& Delta, int64_t B, int64_t N, int64_t HKV) {
    return tk::run<nsa_selected_backward_row_sums_T_bf16_D_128_G_16_kernel<16, 16, 8, true>>(
        site, 0, tk::kernel_shape(64).overlapping(), tk::multiply(tk::multiply(N, HKV), B), O, dO,
        LSE, L, Delta, B, N, HKV);
}

tk::status launch_nsa_selected_backward_row_sums_T_bf16_D_128_G_16_general(
    const tk::launch_site& site, const tk::tensor& O, const tk::tensor& dO, const tk::tensor& LSE,
    const tk::tensor& L, const tk::tensor& Delta, int64_t B, int64_t N, int64_t HKV) {
    return tk::run<nsa_selected_backward_row_sums_T_bf16_D_128_G_16_kernel<1, 32, 2, false>>(
        site, 0, tk::kernel_shape(64).overlapping(), tk::multiply(tk::multiply(N, HKV), B), O, dO,
        LSE, L, Delta, B, N, HKV);
}

tk::status launch_nsa_selected_listing_BS_64_TOK_8(
    const tk::launch_site& site, const tk::tensor& list, const tk::tensor& count,
    const tk::tensor& Tokens, int64_t B, int64_t N, int64_t HKV, int64_t SEL) {
    return tk::run<nsa_selected_listing_BS_64_TOK_8_kernel<10, 8, 4, true>>(
        site, sizeof(nsa_selected_listing_BS_64_TOK_8_shared), tk::kernel_shape(128).overlapping(),
        tk::multiply(
            tk::multiply(
                tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(N, 64), 128), 0),
                             tk::ceil_div(N, 8)), HKV), B), list, count, Tokens, B, N, HKV, SEL);
}

tk::status launch_nsa_selected_listing_BS_64_TOK_8_general(
    const tk::launch_site& site, const tk::tensor& list, const tk::tensor& count,
    const tk::tensor& Tokens, int64_t B, int64_t N, int64_t HKV, int64_t SEL) {
    return tk::run<nsa_selected_listing_BS_64_TOK_8_kernel<1, 8, 2, false>>(
        site, sizeof(nsa_selected_listing_BS_64_TOK_8_shared), tk::kernel_shape(128).overlapping(),
        tk::multiply(
            tk::multiply(
                tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(N, 64), 128), 0),
                             tk::ceil_div(N, 8)), HKV), B), list, count, Tokens, B, N, HKV, SEL);
}

tk::status launch_nsa_selected_unions_BS_64_TOK_8(
    const tk::launch_site& site, const tk::tensor& Tokens, const tk::tensor& Blocks,
    const tk::tensor& List, const tk::tensor& Of, int64_t B, int64_t HKV, int64_t R, int64_t C,
    int32_t listed) {
    return tk::run<nsa_selected_unions_BS_64_TOK_8_kernel<5, 4, true>>(
        site, 0, tk::kernel_shape(128).overlapping(), tk::multiply(tk::multiply(R, HKV), B), Tokens,
        Blocks, List, Of, B, HKV, R, C, listed);
}

tk::status launch_nsa_selected_unions_BS_64_TOK_8_general(
    const tk::launch_site& site, const tk::tensor& Tokens, const tk::tensor& Blocks,
    const tk::tensor& List, const tk::tensor& Of, int64_t B, int64_t HKV, int64_t R, int64_t C,
    int32_t listed) {
    return tk::run<nsa_selected_unions_BS_64_TOK_8_kernel<1, 2, false>>(
        site, 0, tk::kernel_shape(128).overlapping(), tk::multiply(tk::multiply(R, HKV), B), Tokens,
        Blocks, List, Of, B, HKV, R, C, listed);
}

tk::status launch_nsa_selected_in_rows_T_bf16_D_128_G_16(
    const tk::launch_site& site, const tk::tensor& X, const tk::tensor& Rows, int64_t B, int64_t N,
    int64_t HKV) {
    return tk::run<nsa_selected_in_rows_T_bf16_D_128_G_16_kernel<21, 16, 8, true>>(
        site, 0, tk::kernel_shape(64).overlapping(), tk::multiply(tk::multiply(N, HKV), B), X, Rows,
        B, N, HKV);
}

tk::status launch_nsa_selected_in_rows_T_bf16_D_128_G_16_general(
    const tk::launch_site& site, const tk::tensor& X, const tk::tensor& Rows, int64_t B, int64_t N,
    int64_t HKV) {
    return tk::run<nsa_selected_in_rows_T_bf16_D_128_G_16_kernel<1, 32, 2, false>>(
        site, 0, tk::kernel_shape(64).overlapping(), tk::multiply(tk::multiply(N, HKV), B), X, Rows,
        B, N, HKV);
}

tk::status launch_sums_in_rows(const tk::launch_site& site, const tk::tensor& L,
                               const tk::tensor& Delta, const tk::tensor& RowL,
                               const tk::tensor& RowDelta, int64_t B, int64_t N, int64_t HKV) {
    return tk::run<sums_in_rows_kernel<32, 4, 4, true>>(site, 0, tk::kernel_shape(32).overlapping(),
                                                        tk::multiply(tk::multiply(N, HKV), B), L,
                                                        Delta, RowL, RowDelta, B, N, HKV);
}

tk::status launch_sums_in_rows_general(
    const tk::launch_site& site, const tk::tensor& L, const tk::tensor& Delta,
    const tk::tensor& RowL, const tk::tensor& RowDelta, int64_t B, int64_t N, int64_t HKV) {
    return tk::run<sums_in_rows_kernel<1, 8, 2, false>>(site, 0, tk::kernel_shape(32).overlapping(),
                                                        tk::multiply(tk::multiply(N, HKV), B), L,
                                                        Delta, RowL, RowDelta, B, N, HKV);
}

tk::status launch_query_gradients(
    const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K, const tk::tensor& V,
    const tk::tensor& dO, const tk::tensor& L, const tk::tensor& Delta, const tk::tensor& Blocks,
    const tk::tensor& List, const tk::tensor& Of, const tk::tensor& dQ, int64_t B, int64_t HKV,
    int64_t N, int64_t U, float scale) {
    return tk::run<query_gradients_kernel>(
        site, sizeof(query_gradients_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(N, 8), HKV), B), tk::box{Q, {1, 1, 128, 64}, 128},
        tk::box{dO, {1, 1, 128, 64}, 128}, tk::box{K, {1, 64, 1, 64}, 128},
        tk::box{V, {1, 64, 1, 64}, 128}, tk::box{dQ, {1, 1, 64, 64}, 128}, L, Delta, Blocks, List,
        Of, B, HKV, N, U, scale);
}

tk::status launch_from_rows(const tk::launch_site& site, const tk::tensor& Rows,
                            const tk::tensor& X, int64_t B, int64_t HKV, int64_t N) {
    return tk::run<from_rows_kernel<21, 16, 8, true>>(site, 0, tk::kernel_shape(64).overlapping(),
                                                      tk::multiply(tk::multiply(N, HKV), B), Rows,
                                                      X, B, HKV, N);
}

tk::status launch_from_rows_general(const tk::launch_site& site, const tk::tensor& Rows,
                                    const tk::tensor& X, int64_t B, int64_t HKV, int64_t N) {
    return tk::run<from_rows_kernel<1, 32, 2, false>>(site, 0, tk::kernel_shape(64).overlapping(),
                                                      tk::multiply(tk::multiply(N, HKV), B), Rows,
                                                      X, B, HKV, N);
}

tk::status launch_nsa_selected_listing_BS_64_TOK_32(
    const tk::launch_site& site, const tk::tensor& list, const tk::tensor& count,
    const tk::tensor& Tokens, int64_t B, int64_t N, int64_t HKV, int64_t SEL) {
    return tk::run<nsa_selected_listing_BS_64_TOK_8_kernel<10, 32, 4, true>>(
        site, sizeof(nsa_selected_listing_BS_64_TOK_8_shared), tk::kernel_shape(128).overlapping(),
        tk::multiply(
            tk::multiply(
                tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(N, 64), 128), 0),
                             tk::ceil_div(N, 32)), HKV), B), list, count, Tokens, B, N, HKV, SEL);
}

tk::status launch_nsa_selected_listing_BS_64_TOK_32_general(
    const tk::launch_site& site, const tk::tensor& list, const tk::tensor& count,
    const tk::tensor& Tokens, int64_t B, int64_t N, int64_t HKV, int64_t SEL) {
    return tk::run<nsa_selected_listing_BS_64_TOK_8_kernel<1, 32, 2, false>>(
        site, sizeof(nsa_selected_listing_BS_64_TOK_8_shared), tk::kernel_shape(128).overlapping(),
        tk::multiply(
            tk::multiply(
                tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(N, 64), 128), 0),
                             tk::ceil_div(N, 32)), HKV), B), list, count, Tokens, B, N, HKV, SEL);
}

tk::status launch_nsa_selected_backward_counts(
    const tk::launch_site& site, const tk::tensor& Tokens, const tk::tensor& Before,
    const tk::tensor& Total, int64_t B, int64_t HKV, int64_t R, int64_t C) {
    return tk::run<nsa_selected_backward_counts_kernel<2, true>>(
        site, sizeof(nsa_selected_backward_counts_shared), tk::kernel_shape(256).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(C, 128), HKV), B), Tokens, Before, Total, B, HKV, R,
        C);
}

tk::status launch_nsa_selected_backward_counts_general(
    const tk::launch_site& site, const tk::tensor& Tokens, const tk::tensor& Before,
    const tk::tensor& Total, int64_t B, int64_t HKV, int64_t R, int64_t C) {
    return tk::run<nsa_selected_backward_counts_kernel<1, false>>(
        site, sizeof(nsa_selected_backward_counts_shared), tk::kernel_shape(256).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(C, 128), HKV), B), Tokens, Before, Total, B, HKV, R,
        C);
}

tk::status launch_nsa_selected_backward_starts(const tk::launch_site& site, const tk::tensor& Total,
                                               const tk::tensor& Start, int64_t B, int64_t HKV,
                                               int64_t C) {
    return tk::run<nsa_selected_backward_starts_kernel>(
        site, 0, tk::kernel_shape(128).overlapping(), tk::multiply(HKV, B), Total, Start, B, HKV,
        C);
}

tk::status launch_nsa_selected_backward_starts_general(
    const tk::launch_site& site, const tk::tensor& Total, const tk::tensor& Start, int64_t B,
    int64_t HKV, int64_t C) {
    return tk::run<nsa_selected_backward_starts_general_kernel>(
        site, sizeof(nsa_selected_backward_starts_general_shared),
        tk::kernel_shape(128).overlapping(), tk::multiply(HKV, B), Total, Start, B, HKV, C);
}

tk::status launch_nsa_selected_backward_no_tokens(
    const tk::launch_site& site, const tk::tensor& TokensOf, int64_t B, int64_t HKV, int64_t E) {
    return tk::run<nsa_selected_backward_no_tokens_kernel<10, 4, true>>(
        site, 0, tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(E, 1024), HKV), B), TokensOf, B, HKV, E);
}

tk::status launch_nsa_selected_backward_no_tokens_general(
    const tk::launch_site& site, const tk::tensor& TokensOf, int64_t B, int64_t HKV, int64_t E) {
    return tk::run<nsa_selected_backward_no_tokens_kernel<1, 2, false>>(
        site, 0, tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(E, 1024), HKV), B), TokensOf, B, HKV, E);
}

tk::status launch_nsa_selected_backward_tokens_of_BS_64(
    const tk::launch_site& site, const tk::tensor& list, const tk::tensor& count,
    const tk::tensor& Tokens, const tk::tensor& Before, const tk::tensor& Start,
    const tk::tensor& TokensOf, int64_t B, int64_t N, int64_t HKV, int64_t SEL, int64_t E) {
    return tk::run<nsa_selected_backward_tokens_of_BS_64_kernel>(
        site, 0, tk::kernel_shape(32).overlapping(), tk::multiply(tk::multiply(N, HKV), B), list,
        count, Tokens, Before, Start, TokensOf, B, N, HKV, SEL, E);
}

tk::status launch_key_gradients(
    const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K, const tk::tensor& V,
    const tk::tensor& dO, const tk::tensor& L, const tk::tensor& Delta, const tk::tensor& Before,
    const tk::tensor& Total, const tk::tensor& Start, const tk::tensor& TokensOf,
    const tk::tensor& SumK, const tk::tensor& SumV, int64_t B, int64_t N, int64_t HKV, int64_t E,
    float scale, void* workspace) {
    return tk::run<key_gradients_kernel>(
        site, sizeof(key_gradients_shared), tk::kernel_shape(384).overlapping(),
        tk::multiply(tk::multiply(tk::multiply(tk::ceil_div(N, 64), tk::ceil_div(N, 1024)), HKV),
                     B), tk::box{K, {1, 64, 1, 64}, 128}, tk::box{V, {1, 64, 1, 64}, 128},
        tk::box{Q, {1, 1, 1, 16, 64}, 128}, tk::box{L, {1, 1, 1, 16}, 0},
        tk::box{Delta, {1, 1, 1, 16}, 0}, tk::box{dO, {1, 1, 1, 16, 64}, 128},
        tk::box{SumK, {1, 64, 1, 32}, 128}, tk::box{SumV, {1, 64, 1, 32}, 128}, Before, Total,
        Start, TokensOf, B, N, HKV, E, scale, workspace);
}

tk::status launch_key_gradients_general(
    const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K, const tk::tensor& V,
    const tk::tensor& dO, const tk::tensor& L, const tk::tensor& Delta, const tk::tensor& Before,
    const tk::tensor& Total, const tk::tensor& Start, const tk::tensor& TokensOf,
    const tk::tensor& SumK, const tk::tensor& SumV, int64_t B, int64_t N, int64_t HKV, int64_t E,
    float scale, void* workspace) {
    return tk::run<key_gradients_general_kernel>(
        site, sizeof(key_gradients_general_shared), tk::kernel_shape(384).overlapping(),
        tk::multiply(tk::multiply(tk::multiply(tk::ceil_div(N, 64), tk::ceil_div(N, 1024)), HKV),
                     B), tk::box{K, {1, 64, 1, 64}, 128}, tk::box{V, {1, 64, 1, 64}, 128},
        tk::box{Q, {1, 1, 1, 16, 64}, 128}, tk::box{L, {1, 1, 1, 16}, 0},
        tk::box{Delta, {1, 1, 1, 16}, 0}, tk::box{dO, {1, 1, 1, 16, 64}, 128}, Before, Total, Start,
        TokensOf, SumK, SumV, B, N, HKV, E, scale, workspace);
}

tk::status launch_nsa_selected_backward_rounded_T_bf16_D_128(
    const tk::launch_site& site, const tk::tensor& Sum, const tk::tensor& Y, int64_t B, int64_t N,
    int64_t HKV, float scale) {
    return tk::run<nsa_selected_backward_rounded_T_bf16_D_128_kernel<10, 16, 8, true>>(
        site, 0, tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(N, 16), HKV), B), Sum, Y, B, N, HKV, scale);
}

tk::status launch_nsa_selected_backward_rounded_T_bf16_D_128_general(
    const tk::launch_site& site, const tk::tensor& Sum, const tk::tensor& Y, int64_t B, int64_t N,
    int64_t HKV, float scale) {
    return tk::run<nsa_selected_backward_rounded_T_bf16_D_128_kernel<1, 32, 2, false>>(
        site, 0, tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(N, 16), HKV), B), Sum, Y, B, N, HKV, scale);
}

}  // namespace

extern "C" {
int sums_in_rows(const DLTensor* L_given, const DLTensor* Delta_given, DLTensor* RowL_given,
                 DLTensor* RowDelta_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"sums_in_rows"};
    const tk::tensor L = call.take("L", L_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor Delta = call.take("Delta", Delta_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor RowL = call.take("RowL", RowL_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor RowDelta = call.take("RowDelta", RowDelta_given, tk::dtype_f32, 3,
                                          tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = L.shape[0];
    const int64_t N = L.shape[1];
    const int64_t HKV = L.shape[2];
    call.require(
        {tk::fixed_extent(L, 3, 16), tk::same_extent("B", L, 0, Delta, 0),
         tk::same_extent("N", L, 1, Delta, 1), tk::same_extent("HKV", L, 2, Delta, 2),
         tk::fixed_extent(Delta, 3, 16), tk::same_extent("B", L, 0, RowL, 0),
         tk::same_extent("HKV", L, 2, RowL, 1), tk::same_extent("B", L, 0, RowDelta, 0),
         tk::same_extent("HKV", L, 2, RowDelta, 1),
         tk::extents_fit({{"B", B}, {"N", N}, {"HKV", HKV}}), tk::fits("N*16", N * 16),
         tk::that(RowL.shape[2] == N * 16, "axis 2 of `RowL` is {}; it must be `N*16`, which is {}",
                  {RowL.shape[2], N * 16}),
         tk::that(RowDelta.shape[2] == N * 16,
                  "axis 2 of `RowDelta` is {}; it must be `N*16`, which is {}",
                  {RowDelta.shape[2], N * 16}), tk::grid_fits(tk::multiply(N, HKV), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(N, HKV), B), 2147483648),
         tk::fits("t*16", (N - 1) * 16)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(N, HKV), B);
    const bool fast = tk::hold(
        {tk::suits_fast(L), tk::suits_fast(Delta), tk::suits_fast(RowL), tk::that(N * 16 % 4 == 0),
         tk::suits_fast(RowDelta)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<sums_in_rows_kernel<32, 4, 4, true>, sums_in_rows_kernel<1, 8, 2, false>>(
            fast ? 0 : 1, site, 0, tk::kernel_shape(32).overlapping(), programs, L, Delta, RowL,
            RowDelta, B, N, HKV));
}
TK_NO_WORKSPACE(sums_in_rows, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*)

int query_gradients(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
                    const DLTensor* dO_given, const DLTensor* L_given, const DLTensor* Delta_given,
                    const DLTensor* Blocks_given, const DLTensor* List_given,
                    const DLTensor* Of_given, DLTensor* dQ_given, float scale, void*, size_t,
                    cudaStream_t stream) {
    tk::arguments call{"query_gradients"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor L = call.take("L", L_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor Delta = call.take("Delta", Delta_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor Blocks = call.take("Blocks", Blocks_given, tk::dtype_i32, 3, tk::access::read);
    const tk::tensor List = call.take("List", List_given, tk::dtype_i32, 4, tk::access::read);
    const tk::tensor Of = call.take("Of", Of_given, tk::dtype_i32, 4, tk::access::read);
    const tk::tensor dQ = call.take("dQ", dQ_given, tk::dtype_bf16, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t HKV = Q.shape[1];
    const int64_t N = K.shape[1];
    const int64_t U = List.shape[3];
    call.require(
        {tk::fixed_extent(Q, 3, 128), tk::same_extent("B", Q, 0, K, 0),
         tk::same_extent("HKV", Q, 1, K, 2), tk::fixed_extent(K, 3, 128),
         tk::same_extent("B", Q, 0, V, 0), tk::same_extent("N", K, 1, V, 1),
         tk::same_extent("HKV", Q, 1, V, 2), tk::fixed_extent(V, 3, 128),
         tk::same_extent("B", Q, 0, dO, 0), tk::same_extent("HKV", Q, 1, dO, 1),
         tk::fixed_extent(dO, 3, 128), tk::same_extent("B", Q, 0, L, 0),
         tk::same_extent("HKV", Q, 1, L, 1), tk::same_extent("B", Q, 0, Delta, 0),
         tk::same_extent("HKV", Q, 1, Delta, 1), tk::same_extent("B", Q, 0, Blocks, 0),
         tk::same_extent("HKV", Q, 1, Blocks, 1), tk::same_extent("B", Q, 0, List, 0),
         tk::same_extent("HKV", Q, 1, List, 1), tk::same_extent("B", Q, 0, Of, 0),
         tk::same_extent("HKV", Q, 1, Of, 1), tk::same_extent("U", List, 3, Of, 3),
         tk::same_extent("B", Q, 0, dQ, 0), tk::same_extent("HKV", Q, 1, dQ, 1),
         tk::fixed_extent(dQ, 3, 128),
         tk::extents_fit({{"B", B}, {"HKV", HKV}, {"N", N}, {"U", U}}), tk::fits("N*16", N * 16),
         tk::that(Q.shape[2] == N * 16, "axis 2 of `Q` is {}; it must be `N*16`, which is {}",
                  {Q.shape[2], N * 16}),
         tk::that(dO.shape[2] == N * 16, "axis 2 of `dO` is {}; it must be `N*16`, which is {}",
                  {dO.shape[2], N * 16}),
         tk::that(L.shape[2] == N * 16, "axis 2 of `L` is {}; it must be `N*16`, which is {}",
                  {L.shape[2], N * 16}),
         tk::that(Delta.shape[2] == N * 16,
                  "axis 2 of `Delta` is {}; it must be `N*16`, which is {}",
                  {Delta.shape[2], N * 16}),
         tk::that(Blocks.shape[2] == tk::ceil_div(N, 8),
                  "axis 2 of `Blocks` is {}; it must be `ceil_div(N, 8)`, which is {}",
                  {Blocks.shape[2], tk::ceil_div(N, 8)}),
         tk::that(List.shape[2] == tk::ceil_div(N, 8),
                  "axis 2 of `List` is {}; it must be `ceil_div(N, 8)`, which is {}",
                  {List.shape[2], tk::ceil_div(N, 8)}),
         tk::that(Of.shape[2] == tk::ceil_div(N, 8),
                  "axis 2 of `Of` is {}; it must be `ceil_div(N, 8)`, which is {}",
                  {Of.shape[2], tk::ceil_div(N, 8)}),
         tk::that(dQ.shape[2] == N * 16, "axis 2 of `dQ` is {}; it must be `N*16`, which is {}",
                  {dQ.shape[2], N * 16}), tk::suits_tma_load(Q), tk::suits_tma_load(K),
         tk::suits_tma_load(V), tk::suits_tma_load(dO), tk::suits_tma_store(dQ),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 8), HKV), 2147418112),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 8), HKV), B), 2147418112),
         tk::fits("t.start*16", (N - 1) * 16)});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<query_gradients_kernel>(
        site, sizeof(query_gradients_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(N, 8), HKV), B), tk::box{Q, {1, 1, 128, 64}, 128},
        tk::box{dO, {1, 1, 128, 64}, 128}, tk::box{K, {1, 64, 1, 64}, 128},
        tk::box{V, {1, 64, 1, 64}, 128}, tk::box{dQ, {1, 1, 64, 64}, 128}, L, Delta, Blocks, List,
        Of, B, HKV, N, U, scale));
}
TK_NO_WORKSPACE(query_gradients, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*, float)

int from_rows(const DLTensor* Rows_given, DLTensor* X_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"from_rows"};
    const tk::tensor Rows = call.take("Rows", Rows_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 5, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Rows.shape[0];
    const int64_t HKV = Rows.shape[1];
    const int64_t N = X.shape[1];
    call.require(
        {tk::fixed_extent(Rows, 3, 128), tk::same_extent("B", Rows, 0, X, 0),
         tk::same_extent("HKV", Rows, 1, X, 2), tk::fixed_extent(X, 3, 16),
         tk::fixed_extent(X, 4, 128), tk::extents_fit({{"B", B}, {"HKV", HKV}, {"N", N}}),
         tk::fits("N*16", N * 16),
         tk::that(Rows.shape[2] == N * 16, "axis 2 of `Rows` is {}; it must be `N*16`, which is {}",
                  {Rows.shape[2], N * 16}), tk::grid_fits(tk::multiply(N, HKV), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(N, HKV), B), 2147483648),
         tk::fits("t*16", (N - 1) * 16)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(N, HKV), B);
    const bool fast = tk::hold({tk::suits_fast(Rows), tk::suits_fast(X)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<from_rows_kernel<21, 16, 8, true>, from_rows_kernel<1, 32, 2, false>>(
            fast ? 0 : 1, site, 0, tk::kernel_shape(64).overlapping(), programs, Rows, X, B, HKV,
            N));
}
TK_NO_WORKSPACE(from_rows, const DLTensor*, DLTensor*)

int key_gradients(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
                  const DLTensor* dO_given, const DLTensor* L_given, const DLTensor* Delta_given,
                  const DLTensor* Before_given, const DLTensor* Total_given,
                  const DLTensor* Start_given, const DLTensor* TokensOf_given, DLTensor* SumK_given,
                  DLTensor* SumV_given, float scale, void* workspace, size_t workspace_bytes,
                  cudaStream_t stream) {
    tk::arguments call{"key_gradients"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 5, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 5, tk::access::read);
    const tk::tensor L = call.take("L", L_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor Delta = call.take("Delta", Delta_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor Before = call.take("Before", Before_given, tk::dtype_i32, 4, tk::access::read);
    const tk::tensor Total = call.take("Total", Total_given, tk::dtype_i32, 3, tk::access::read);
    const tk::tensor Start = call.take("Start", Start_given, tk::dtype_i32, 3, tk::access::read);
    const tk::tensor TokensOf = call.take("TokensOf", TokensOf_given, tk::dtype_i32, 3,
                                          tk::access::read);
    const tk::tensor SumK = call.take("SumK", SumK_given, tk::dtype_f32, 4, tk::access::accumulate);
    const tk::tensor SumV = call.take("SumV", SumV_given, tk::dtype_f32, 4, tk::access::accumulate);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t HKV = Q.shape[2];
    const int64_t E = TokensOf.shape[2];
    call.require(
        {tk::fixed_extent(Q, 3, 16), tk::fixed_extent(Q, 4, 128), tk::same_extent("B", Q, 0, K, 0),
         tk::same_extent("N", Q, 1, K, 1), tk::same_extent("HKV", Q, 2, K, 2),
         tk::fixed_extent(K, 3, 128), tk::same_extent("B", Q, 0, V, 0),
         tk::same_extent("N", Q, 1, V, 1), tk::same_extent("HKV", Q, 2, V, 2),
         tk::fixed_extent(V, 3, 128), tk::same_extent("B", Q, 0, dO, 0),
         tk::same_extent("N", Q, 1, dO, 1), tk::same_extent("HKV", Q, 2, dO, 2),
         tk::fixed_extent(dO, 3, 16), tk::fixed_extent(dO, 4, 128),
         tk::same_extent("B", Q, 0, L, 0), tk::same_extent("N", Q, 1, L, 1),
         tk::same_extent("HKV", Q, 2, L, 2), tk::fixed_extent(L, 3, 16),
         tk::same_extent("B", Q, 0, Delta, 0), tk::same_extent("N", Q, 1, Delta, 1),
         tk::same_extent("HKV", Q, 2, Delta, 2), tk::fixed_extent(Delta, 3, 16),
         tk::same_extent("B", Q, 0, Before, 0), tk::same_extent("HKV", Q, 2, Before, 1),
         tk::same_extent("B", Q, 0, Total, 0), tk::same_extent("HKV", Q, 2, Total, 1),
         tk::same_extent("B", Q, 0, Start, 0), tk::same_extent("HKV", Q, 2, Start, 1),
         tk::same_extent("B", Q, 0, TokensOf, 0), tk::same_extent("HKV", Q, 2, TokensOf, 1),
         tk::same_extent("B", Q, 0, SumK, 0), tk::same_extent("N", Q, 1, SumK, 1),
         tk::same_extent("HKV", Q, 2, SumK, 2), tk::fixed_extent(SumK, 3, 128),
         tk::same_extent("B", Q, 0, SumV, 0), tk::same_extent("N", Q, 1, SumV, 1),
         tk::same_extent("HKV", Q, 2, SumV, 2), tk::fixed_extent(SumV, 3, 128),
         tk::extents_fit({{"B", B}, {"N", N}, {"HKV", HKV}, {"E", E}}),
         tk::that(Before.shape[2] == tk::ceil_div(N, 32),
                  "axis 2 of `Before` is {}; it must be `ceil_div(N, 32)`, which is {}",
                  {Before.shape[2], tk::ceil_div(N, 32)}),
         tk::that(Before.shape[3] == tk::ceil_div(N, 64),
                  "axis 3 of `Before` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Before.shape[3], tk::ceil_div(N, 64)}),
         tk::that(Total.shape[2] == tk::ceil_div(N, 64),
                  "axis 2 of `Total` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Total.shape[2], tk::ceil_div(N, 64)}),
         tk::that(Start.shape[2] == tk::ceil_div(N, 64),
                  "axis 2 of `Start` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Start.shape[2], tk::ceil_div(N, 64)}),
         tk::that(E >= 1, "`key_gradients` requires `E >= 1`"),
         tk::that(tk::multiply(tk::multiply(B, HKV), tk::ceil_div(N, 64)) <= 268435456,
                  "the kernel has {} counters, and can have 2^28",
                  {tk::multiply(tk::multiply(B, HKV), tk::ceil_div(N, 64))}),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 64), tk::ceil_div(N, 1024)), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 64), tk::ceil_div(N, 1024)), HKV),
                       2147483648),
         tk::grid_fits(
             tk::multiply(
                 tk::multiply(tk::multiply(tk::ceil_div(N, 64), tk::ceil_div(N, 1024)), HKV), B),
             2147483648), tk::fits("Start[b, g, j] + before", E + N),
         tk::fits("first + i", E + N + (N - 1))});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(
        tk::multiply(tk::multiply(tk::ceil_div(N, 64), tk::ceil_div(N, 1024)), HKV), B);

    // The general one only where the other does not suit.
    tk::selection choice{call};
    choice.candidate();  // key_gradients
    choice.prefer(
        {tk::suits_fast(Q), tk::suits_fast(K), tk::suits_fast(V), tk::suits_fast(dO),
         tk::suits_fast(L), tk::suits_fast(Delta), tk::suits_fast(SumK), tk::suits_fast(SumV)});
    choice.offer();
    choice.candidate(true);  // key_gradients_general
    choice.require(
        {tk::suits_tma_load(Q), tk::suits_tma_load(K), tk::suits_tma_load(V),
         tk::suits_tma_load(dO), tk::suits_tma_load(L), tk::suits_tma_load(Delta)});
    choice.offer();
    if (!choice.ok()) return tk::finish(choice.result());
    const int64_t counter_bytes = 4 * tk::multiply(tk::multiply(B, HKV), tk::ceil_div(N, 64));
    TK_FINISH_IF_FAILED(tk::check_workspace(workspace, workspace_bytes, counter_bytes));

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    TK_FINISH_IF_FAILED(tk::clear(SumK, site));
    TK_FINISH_IF_FAILED(tk::clear(SumV, site));
    TK_FINISH_IF_FAILED(tk::clear_counters(workspace, counter_bytes, site));
    const int best = choice.best(site);
    if (best == 0) {
        return tk::finish(tk::run<key_gradients_kernel>(
            site, sizeof(key_gradients_shared), tk::kernel_shape(384).overlapping(), programs,
            tk::box{K, {1, 64, 1, 64}, 128}, tk::box{V, {1, 64, 1, 64}, 128},
            tk::box{Q, {1, 1, 1, 16, 64}, 128}, tk::box{L, {1, 1, 1, 16}, 0},
            tk::box{Delta, {1, 1, 1, 16}, 0}, tk::box{dO, {1, 1, 1, 16, 64}, 128},
            tk::box{SumK, {1, 64, 1, 32}, 128}, tk::box{SumV, {1, 64, 1, 32}, 128}, Before, Total,
            Start, TokensOf, B, N, HKV, E, scale, workspace));
    }
    return tk::finish(tk::run<key_gradients_general_kernel>(
        site, sizeof(key_gradients_general_shared), tk::kernel_shape(384).overlapping(), programs,
        tk::box{K, {1, 64, 1, 64}, 128}, tk::box{V, {1, 64, 1, 64}, 128},
        tk::box{Q, {1, 1, 1, 16, 64}, 128}, tk::box{L, {1, 1, 1, 16}, 0},
        tk::box{Delta, {1, 1, 1, 16}, 0}, tk::box{dO, {1, 1, 1, 16, 64}, 128}, Before, Total, Start,
        TokensOf, SumK, SumV, B, N, HKV, E, scale, workspace));
}
size_t key_gradients_workspace(
    const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
    const DLTensor* dO_given, const DLTensor* L_given, const DLTensor* Delta_given,
    const DLTensor* Before_given, const DLTensor* Total_given, const DLTensor* Start_given,
    const DLTensor* TokensOf_given, DLTensor* SumK_given, DLTensor* SumV_given, float scale) {
    tk::arguments call{"key_gradients"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 5, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 5, tk::access::read);
    const tk::tensor L = call.take("L", L_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor Delta = call.take("Delta", Delta_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor Before = call.take("Before", Before_given, tk::dtype_i32, 4, tk::access::read);
    const tk::tensor Total = call.take("Total", Total_given, tk::dtype_i32, 3, tk::access::read);
    const tk::tensor Start = call.take("Start", Start_given, tk::dtype_i32, 3, tk::access::read);
    const tk::tensor TokensOf = call.take("TokensOf", TokensOf_given, tk::dtype_i32, 3,
                                          tk::access::read);
    const tk::tensor SumK = call.take("SumK", SumK_given, tk::dtype_f32, 4, tk::access::accumulate);
    const tk::tensor SumV = call.take("SumV", SumV_given, tk::dtype_f32, 4, tk::access::accumulate);
    if (!call.ok()) return 0;
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t HKV = Q.shape[2];
    return size_t(4 * tk::multiply(tk::multiply(B, HKV), tk::ceil_div(N, 64)));
}
TK_ERROR(key_gradients)

int nsa_selected_backward_apart(
    const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
    const DLTensor* O_given, const DLTensor* LSE_given, const DLTensor* dO_given,
    const DLTensor* list_given, const DLTensor* count_given, DLTensor* dQ_given, DLTensor* dK_given,
    DLTensor* dV_given, DLTensor* L_given, DLTensor* Delta_given, DLTensor* Tiles_given,
    DLTensor* Blocks_given, DLTensor* List_given, DLTensor* Of_given, DLTensor* Rows_given,
    DLTensor* RowdO_given, DLTensor* RowL_given, DLTensor* RowDelta_given, DLTensor* RowdQ_given,
    DLTensor* Tokens_given, DLTensor* Before_given, DLTensor* Total_given, DLTensor* Start_given,
    DLTensor* TokensOf_given, DLTensor* SumK_given, DLTensor* SumV_given, float scale,
    void* workspace, size_t workspace_bytes, cudaStream_t stream) {
    tk::arguments call{"nsa_selected_backward_apart"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 5, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 5, tk::access::read);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 5, tk::access::read);
    const tk::tensor list = call.take("list", list_given, tk::dtype_i32, 4, tk::access::read);
    const tk::tensor count = call.take("count", count_given, tk::dtype_i32, 3, tk::access::read);
    const tk::tensor dQ = call.take("dQ", dQ_given, tk::dtype_bf16, 5, tk::access::write);
    const tk::tensor dK = call.take("dK", dK_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dV = call.take("dV", dV_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor L = call.take("L", L_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Delta = call.take("Delta", Delta_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Tiles = call.take("Tiles", Tiles_given, tk::dtype_i32, 4, tk::access::write);
    const tk::tensor Blocks = call.take("Blocks", Blocks_given, tk::dtype_i32, 3,
                                        tk::access::write);
    const tk::tensor List = call.take("List", List_given, tk::dtype_i32, 4, tk::access::write);
    const tk::tensor Of = call.take("Of", Of_given, tk::dtype_i32, 4, tk::access::write);
    const tk::tensor Rows = call.take("Rows", Rows_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor RowdO = call.take("RowdO", RowdO_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor RowL = call.take("RowL", RowL_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor RowDelta = call.take("RowDelta", RowDelta_given, tk::dtype_f32, 3,
                                          tk::access::write);
    const tk::tensor RowdQ = call.take("RowdQ", RowdQ_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Tokens = call.take("Tokens", Tokens_given, tk::dtype_i32, 4,
                                        tk::access::write);
    const tk::tensor Before = call.take("Before", Before_given, tk::dtype_i32, 4,
                                        tk::access::write);
    const tk::tensor Total = call.take("Total", Total_given, tk::dtype_i32, 3, tk::access::write);
    const tk::tensor Start = call.take("Start", Start_given, tk::dtype_i32, 3, tk::access::write);
    const tk::tensor TokensOf = call.take("TokensOf", TokensOf_given, tk::dtype_i32, 3,
                                          tk::access::write);
    const tk::tensor SumK = call.take("SumK", SumK_given, tk::dtype_f32, 4, tk::access::accumulate);
    const tk::tensor SumV = call.take("SumV", SumV_given, tk::dtype_f32, 4, tk::access::accumulate);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t HKV = Q.shape[2];
    const int64_t SEL = list.shape[3];
    call.require({
        tk::fixed_extent(Q, 3, 16), tk::fixed_extent(Q, 4, 128), tk::same_extent("B", Q, 0, K, 0),
        tk::same_extent("N", Q, 1, K, 1), tk::same_extent("HKV", Q, 2, K, 2),
        tk::fixed_extent(K, 3, 128), tk::same_extent("B", Q, 0, V, 0),
        tk::same_extent("N", Q, 1, V, 1), tk::same_extent("HKV", Q, 2, V, 2),
        tk::fixed_extent(V, 3, 128), tk::same_extent("B", Q, 0, O, 0),
        tk::same_extent("N", Q, 1, O, 1), tk::same_extent("HKV", Q, 2, O, 2),
        tk::fixed_extent(O, 3, 16), tk::fixed_extent(O, 4, 128), tk::same_extent("B", Q, 0, LSE, 0),
        tk::same_extent("N", Q, 1, LSE, 1), tk::same_extent("HKV", Q, 2, LSE, 2),
        tk::fixed_extent(LSE, 3, 16), tk::same_extent("B", Q, 0, dO, 0),
        tk::same_extent("N", Q, 1, dO, 1), tk::same_extent("HKV", Q, 2, dO, 2),
        tk::fixed_extent(dO, 3, 16), tk::fixed_extent(dO, 4, 128),
        tk::same_extent("B", Q, 0, list, 0), tk::same_extent("N", Q, 1, list, 1),
        tk::same_extent("HKV", Q, 2, list, 2), tk::same_extent("B", Q, 0, count, 0),
        tk::same_extent("N", Q, 1, count, 1), tk::same_extent("HKV", Q, 2, count, 2),
        tk::same_extent("B", Q, 0, dQ, 0), tk::same_extent("N", Q, 1, dQ, 1),
        tk::same_extent("HKV", Q, 2, dQ, 2), tk::fixed_extent(dQ, 3, 16),
        tk::fixed_extent(dQ, 4, 128), tk::same_extent("B", Q, 0, dK, 0),
        tk::same_extent("N", Q, 1, dK, 1), tk::same_extent("HKV", Q, 2, dK, 2),
        tk::fixed_extent(dK, 3, 128), tk::same_extent("B", Q, 0, dV, 0),
        tk::same_extent("N", Q, 1, dV, 1), tk::same_extent("HKV", Q, 2, dV, 2),
        tk::fixed_extent(dV, 3, 128), tk::same_extent("B", Q, 0, L, 0),
        tk::same_extent("N", Q, 1, L, 1), tk::same_extent("HKV", Q, 2, L, 2),
        tk::fixed_extent(L, 3, 16), tk::same_extent("B", Q, 0, Delta, 0),
        tk::same_extent("N", Q, 1, Delta, 1), tk::same_extent("HKV", Q, 2, Delta, 2),
        tk::fixed_extent(Delta, 3, 16), tk::same_extent("B", Q, 0, Tiles, 0),
        tk::same_extent("HKV", Q, 2, Tiles, 1), tk::same_extent("B", Q, 0, Blocks, 0),
        tk::same_extent("HKV", Q, 2, Blocks, 1), tk::same_extent("B", Q, 0, List, 0),
        tk::same_extent("HKV", Q, 2, List, 1), tk::same_extent("B", Q, 0, Of, 0),
        tk::same_extent("HKV", Q, 2, Of, 1), tk::same_extent("B", Q, 0, Rows, 0),
        tk::same_extent("HKV", Q, 2, Rows, 1), tk::fixed_extent(Rows, 3, 128),
        tk::same_extent("B", Q, 0, RowdO, 0), tk::same_extent("HKV", Q, 2, RowdO, 1),
        tk::fixed_extent(RowdO, 3, 128), tk::same_extent("B", Q, 0, RowL, 0),
        tk::same_extent("HKV", Q, 2, RowL, 1), tk::same_extent("B", Q, 0, RowDelta, 0),
        tk::same_extent("HKV", Q, 2, RowDelta, 1), tk::same_extent("B", Q, 0, RowdQ, 0),
        tk::same_extent("HKV", Q, 2, RowdQ, 1), tk::fixed_extent(RowdQ, 3, 128),
        tk::same_extent("B", Q, 0, Tokens, 0), tk::same_extent("HKV", Q, 2, Tokens, 1),
        tk::same_extent("B", Q, 0, Before, 0), tk::same_extent("HKV", Q, 2, Before, 1),
        tk::same_extent("B", Q, 0, Total, 0), tk::same_extent("HKV", Q, 2, Total, 1),
        tk::same_extent("B", Q, 0, Start, 0), tk::same_extent("HKV", Q, 2, Start, 1),
        tk::same_extent("B", Q, 0, TokensOf, 0), tk::same_extent("HKV", Q, 2, TokensOf, 1),
        tk::same_extent("B", Q, 0, SumK, 0), tk::same_extent("N", Q, 1, SumK, 1),
        tk::same_extent("HKV", Q, 2, SumK, 2), tk::fixed_extent(SumK, 3, 128),
        tk::same_extent("B", Q, 0, SumV, 0), tk::same_extent("N", Q, 1, SumV, 1),
        tk::same_extent("HKV", Q, 2, SumV, 2), tk::fixed_extent(SumV, 3, 128),
        tk::extents_fit({{"B", B}, {"N", N}, {"HKV", HKV}, {"SEL", SEL}}),
        tk::that(Tiles.shape[2] == tk::ceil_div(N, 8),
                 "axis 2 of `Tiles` is {}; it must be `ceil_div(N, 8)`, which is {}",
                 {Tiles.shape[2], tk::ceil_div(N, 8)}),
        tk::that(Tiles.shape[3] == tk::ceil_div(N, 64),
                 "axis 3 of `Tiles` is {}; it must be `ceil_div(N, 64)`, which is {}",
                 {Tiles.shape[3], tk::ceil_div(N, 64)}),
        tk::that(Blocks.shape[2] == tk::ceil_div(N, 8),
                 "axis 2 of `Blocks` is {}; it must be `ceil_div(N, 8)`, which is {}",
                 {Blocks.shape[2], tk::ceil_div(N, 8)}),
        tk::that(List.shape[2] == tk::ceil_div(N, 8),
                 "axis 2 of `List` is {}; it must be `ceil_div(N, 8)`, which is {}",
                 {List.shape[2], tk::ceil_div(N, 8)}), tk::fits("8*SEL", 8 * SEL),
        tk::that(List.shape[3] == tk::smaller(8 * SEL, tk::ceil_div(N, 64)),
                 "axis 3 of `List` is {}; it must be `min(8*SEL, ceil_div(N, 64))`, which is {}",
                 {List.shape[3], tk::smaller(8 * SEL, tk::ceil_div(N, 64))}),
        tk::that(Of.shape[2] == tk::ceil_div(N, 8),
                 "axis 2 of `Of` is {}; it must be `ceil_div(N, 8)`, which is {}",
                 {Of.shape[2], tk::ceil_div(N, 8)}),
        tk::that(Of.shape[3] == tk::smaller(8 * SEL, tk::ceil_div(N, 64)),
                 "axis 3 of `Of` is {}; it must be `min(8*SEL, ceil_div(N, 64))`, which is {}",
                 {Of.shape[3], tk::smaller(8 * SEL, tk::ceil_div(N, 64))}),
        tk::fits("N*16", N * 16),
        tk::that(Rows.shape[2] == N * 16, "axis 2 of `Rows` is {}; it must be `N*16`, which is {}",
                 {Rows.shape[2], N * 16}),
        tk::that(RowdO.shape[2] == N * 16,
                 "axis 2 of `RowdO` is {}; it must be `N*16`, which is {}",
                 {RowdO.shape[2], N * 16}),
        tk::that(RowL.shape[2] == N * 16, "axis 2 of `RowL` is {}; it must be `N*16`, which is {}",
                 {RowL.shape[2], N * 16}),
        tk::that(RowDelta.shape[2] == N * 16,
                 "axis 2 of `RowDelta` is {}; it must be `N*16`, which is {}",
                 {RowDelta.shape[2], N * 16}),
        tk::that(RowdQ.shape[2] == N * 16,
                 "axis 2 of `RowdQ` is {}; it must be `N*16`, which is {}",
                 {RowdQ.shape[2], N * 16}),
        tk::that(Tokens.shape[2] == tk::ceil_div(N, 32),
                 "axis 2 of `Tokens` is {}; it must be `ceil_div(N, 32)`, which is {}",
                 {Tokens.shape[2], tk::ceil_div(N, 32)}),
        tk::that(Tokens.shape[3] == tk::ceil_div(N, 64),
                 "axis 3 of `Tokens` is {}; it must be `ceil_div(N, 64)`, which is {}",
                 {Tokens.shape[3], tk::ceil_div(N, 64)}),
        tk::that(Before.shape[2] == tk::ceil_div(N, 32),
                 "axis 2 of `Before` is {}; it must be `ceil_div(N, 32)`, which is {}",
                 {Before.shape[2], tk::ceil_div(N, 32)}),
        tk::that(Before.shape[3] == tk::ceil_div(N, 64),
                 "axis 3 of `Before` is {}; it must be `ceil_div(N, 64)`, which is {}",
                 {Before.shape[3], tk::ceil_div(N, 64)}),
        tk::that(Total.shape[2] == tk::ceil_div(N, 64),
                 "axis 2 of `Total` is {}; it must be `ceil_div(N, 64)`, which is {}",
                 {Total.shape[2], tk::ceil_div(N, 64)}),
        tk::that(Start.shape[2] == tk::ceil_div(N, 64),
                 "axis 2 of `Start` is {}; it must be `ceil_div(N, 64)`, which is {}",
                 {Start.shape[2], tk::ceil_div(N, 64)}), tk::fits("N*SEL", tk::multiply(N, SEL)),
        tk::fits("N*SEL + 1", tk::multiply(N, SEL) + 1),
        tk::that(TokensOf.shape[2] == tk::multiply(N, SEL) + 1,
                 "axis 2 of `TokensOf` is {}; it must be `N*SEL + 1`, which is {}",
                 {TokensOf.shape[2], tk::multiply(N, SEL) + 1})});
    // nsa_selected_backward.row_sums(O, dO, LSE, L, Delta)
    call.require(
        {tk::grid_fits(tk::multiply(N, HKV), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(N, HKV), B), 2147483648)});
    // nsa_selected.listing(list, count, Tiles)
    call.require({
        tk::grid_fits(
            tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(N, 64), 128), 0), tk::ceil_div(N, 8)),
            2147483648),
        tk::grid_fits(
            tk::multiply(
                tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(N, 64), 128), 0),
                             tk::ceil_div(N, 8)), HKV), 2147483648),
        tk::grid_fits(
            tk::multiply(
                tk::multiply(
                    tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(N, 64), 128), 0),
                                 tk::ceil_div(N, 8)), HKV), B), 2147483648),
        tk::fits("(c.start + col_index)*64", (tk::ceil_div(N, 64) - 1 + 262143) * 64)});
    // nsa_selected.unions(Tiles, Blocks, List, Of, SEL)
    call.require({
        tk::that(tk::ceil_div(N, 8) < 2147221504,
                 "`ceil_div(N, 8)` is {}; extents must be less than 2147221504",
                 {tk::ceil_div(N, 8)}),
        tk::that(tk::ceil_div(N, 64) < 2147221504,
                 "`ceil_div(N, 64)` is {}; extents must be less than 2147221504",
                 {tk::ceil_div(N, 64)}),
        tk::that(-2147483648 <= 8 * SEL, "`8*SEL` reaches {}; it must fit in 32 bits", {8 * SEL}),
        tk::grid_fits(tk::multiply(tk::ceil_div(N, 8), HKV), 2147483648),
        tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 8), HKV), B), 2147483648),
        tk::fits("(r + 1)*8", (tk::ceil_div(N, 8) - 1 + 1) * 8)});
    // nsa_selected.in_rows(Q, Rows)
    call.require({tk::fits("t*16", (N - 1) * 16)});
    // query_gradients(Rows, K, V, RowdO, RowL, RowDelta, Blocks, List, Of, RowdQ, scale)
    call.require({
        tk::that(tk::smaller(8 * SEL, tk::ceil_div(N, 64)) < 2147221504,
                 "`min(8*SEL, ceil_div(N, 64))` is {}; extents must be less than 2147221504",
                 {tk::smaller(8 * SEL, tk::ceil_div(N, 64))}), tk::suits_tma_load(Rows),
        tk::suits_tma_load(K), tk::suits_tma_load(V), tk::suits_tma_load(RowdO),
        tk::suits_tma_store(RowdQ),
        tk::grid_fits(tk::multiply(tk::ceil_div(N, 8), HKV), 2147418112),
        tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 8), HKV), B), 2147418112)});
    // nsa_selected.listing(list, count, Tokens)
    call.require({
        tk::grid_fits(
            tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(N, 64), 128), 0),
                         tk::ceil_div(N, 32)), 2147483648),
        tk::grid_fits(
            tk::multiply(
                tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(N, 64), 128), 0),
                             tk::ceil_div(N, 32)), HKV), 2147483648),
        tk::grid_fits(
            tk::multiply(
                tk::multiply(
                    tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(N, 64), 128), 0),
                                 tk::ceil_div(N, 32)), HKV), B), 2147483648)});
    // nsa_selected_backward.counts(Tokens, Before, Total)
    call.require({
        tk::that(tk::ceil_div(N, 32) < 2147221504,
                 "`ceil_div(N, 32)` is {}; extents must be less than 2147221504",
                 {tk::ceil_div(N, 32)}),
        tk::grid_fits(tk::multiply(tk::ceil_div(tk::ceil_div(N, 64), 128), HKV), 2147483648),
        tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(tk::ceil_div(N, 64), 128), HKV), B),
                      2147483648)});
    // nsa_selected_backward.starts(Total, Start)
    call.require({tk::grid_fits(tk::multiply(HKV, B), 2147483648)});
    // nsa_selected_backward.no_tokens(TokensOf)
    call.require({
        tk::that(tk::multiply(N, SEL) + 1 < 2147221504,
                 "`N*SEL + 1` is {}; extents must be less than 2147221504",
                 {tk::multiply(N, SEL) + 1}),
        tk::grid_fits(tk::multiply(tk::ceil_div(tk::multiply(N, SEL) + 1, 1024), HKV), 2147483648),
        tk::grid_fits(
            tk::multiply(tk::multiply(tk::ceil_div(tk::multiply(N, SEL) + 1, 1024), HKV), B),
            2147483648)});
    // key_gradients(Q, K, V, dO, L, Delta, Before, Total, Start, TokensOf, SumK, SumV, scale)
    call.require(
        {tk::that(tk::multiply(N, SEL) + 1 >= 1, "`key_gradients` requires `(N*SEL + 1) >= 1`"),
         tk::that(tk::multiply(tk::multiply(B, HKV), tk::ceil_div(N, 64)) <= 268435456,
                  "the kernel has {} counters, and can have 2^28",
                  {tk::multiply(tk::multiply(B, HKV), tk::ceil_div(N, 64))}),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 64), tk::ceil_div(N, 1024)), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 64), tk::ceil_div(N, 1024)), HKV),
                       2147483648),
         tk::grid_fits(
             tk::multiply(
                 tk::multiply(tk::multiply(tk::ceil_div(N, 64), tk::ceil_div(N, 1024)), HKV), B),
             2147483648), tk::fits("Start[b, g, j] + before", tk::multiply(N, SEL) + 1 + N),
         tk::fits("first + i", tk::multiply(N, SEL) + 1 + N + (N - 1))});
    // nsa_selected_backward.rounded(SumK, dK, scale)
    call.require(
        {tk::grid_fits(tk::multiply(tk::ceil_div(N, 16), HKV), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 16), HKV), B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());

    // nsa_selected_backward.row_sums(O, dO, LSE, L, Delta)
    const bool choice_1 =
        tk::hold({tk::suits_fast(O), tk::suits_fast(dO), tk::suits_fast(LSE), tk::suits_fast(L)});

    // nsa_selected.listing(list, count, Tiles)
    const bool choice_2 = tk::hold({tk::suits_fast(Tiles), tk::that(tk::ceil_div(N, 64) % 4 == 0)});

    // nsa_selected.unions(Tiles, Blocks, List, Of, SEL)
    const bool choice_3 = tk::hold({
        tk::that(Tiles.stride[3] == 1), tk::that(Tiles.address % 16 == 0),
        tk::that(Tiles.stride[2] % 4 == 0 && 0 < Tiles.stride[2] && Tiles.stride[2] < 274877906944),
        tk::that(Tiles.stride[1] % 4 == 0 && 0 < Tiles.stride[1] && Tiles.stride[1] < 274877906944),
        tk::that(Tiles.stride[0] % 4 == 0 && 0 < Tiles.stride[0] && Tiles.stride[0] < 274877906944),
        tk::that(tk::ceil_div(N, 64) % 4 == 0)});

    // nsa_selected.in_rows(Q, Rows)
    const bool choice_4 = tk::hold({tk::suits_fast(Q), tk::suits_fast(Rows)});

    // nsa_selected.in_rows(dO, RowdO)
    const bool choice_5 = tk::hold({tk::suits_fast(dO), tk::suits_fast(RowdO)});

    // sums_in_rows(L, Delta, RowL, RowDelta)
    const bool choice_6 = tk::hold(
        {tk::suits_fast(L), tk::suits_fast(Delta), tk::suits_fast(RowL), tk::suits_fast(RowDelta)});

    // from_rows(RowdQ, dQ)
    const bool choice_8 = tk::hold({tk::suits_fast(RowdQ), tk::suits_fast(dQ)});

    // nsa_selected.listing(list, count, Tokens)
    const bool choice_9 =
        tk::hold({tk::suits_fast(Tokens), tk::that(tk::ceil_div(N, 64) % 4 == 0)});

    // nsa_selected_backward.counts(Tokens, Before, Total)
    const bool choice_10 = tk::hold({
        tk::that(Tokens.stride[3] == 1), tk::that(Tokens.address % 16 == 0),
        tk::that(Tokens.stride[2] % 4 == 0 && 0 < Tokens.stride[2] &&
                 Tokens.stride[2] < 274877906944),
        tk::that(Tokens.stride[1] % 4 == 0 && 0 < Tokens.stride[1] &&
                 Tokens.stride[1] < 274877906944),
        tk::that(Tokens.stride[0] % 4 == 0 && 0 < Tokens.stride[0] &&
                 Tokens.stride[0] < 274877906944), tk::that(tk::ceil_div(N, 64) % 4 == 0),
        tk::that(Before.stride[3] == 1), tk::that(Before.address % 16 == 0),
        tk::that(Before.stride[2] % 4 == 0 && 0 < Before.stride[2] &&
                 Before.stride[2] < 274877906944),
        tk::that(Before.stride[1] % 4 == 0 && 0 < Before.stride[1] &&
                 Before.stride[1] < 274877906944),
        tk::that(Before.stride[0] % 4 == 0 && 0 < Before.stride[0] &&
                 Before.stride[0] < 274877906944), tk::that(Total.stride[2] == 1),
        tk::that(Total.address % 16 == 0),
        tk::that(Total.stride[1] % 4 == 0 && 0 < Total.stride[1] && Total.stride[1] < 274877906944),
        tk::that(Total.stride[0] % 4 == 0 && 0 < Total.stride[0] &&
                 Total.stride[0] < 274877906944)});

    // nsa_selected_backward.starts(Total, Start)
    const bool choice_11 = tk::hold({
        tk::that(Total.stride[2] == 1), tk::that(Total.address % 16 == 0),
        tk::that(Total.stride[1] % 4 == 0 && 0 < Total.stride[1] && Total.stride[1] < 274877906944),
        tk::that(Total.stride[0] % 4 == 0 && 0 < Total.stride[0] && Total.stride[0] < 274877906944),
        tk::that(tk::ceil_div(N, 64) % 4 == 0), tk::that(Start.stride[2] == 1),
        tk::that(Start.address % 16 == 0),
        tk::that(Start.stride[1] % 4 == 0 && 0 < Start.stride[1] && Start.stride[1] < 274877906944),
        tk::that(Start.stride[0] % 4 == 0 && 0 < Start.stride[0] &&
                 Start.stride[0] < 274877906944)});

    // nsa_selected_backward.no_tokens(TokensOf)
    const bool choice_12 = tk::hold(
        {tk::that(TokensOf.stride[2] == 1), tk::that(TokensOf.address % 16 == 0),
         tk::that(TokensOf.stride[1] % 4 == 0 && 0 < TokensOf.stride[1] &&
                  TokensOf.stride[1] < 274877906944),
         tk::that(TokensOf.stride[0] % 4 == 0 && 0 < TokensOf.stride[0] &&
                  TokensOf.stride[0] < 274877906944),
         tk::that((tk::multiply(N, SEL) + 1) % 4 == 0)});

    // key_gradients(Q, K, V, dO, L, Delta, Before, Total, Start, TokensOf, SumK, SumV, scale)
    tk::selection choice_14{call};
    choice_14.candidate();  // key_gradients
    choice_14.prefer(
        {tk::suits_fast(Q), tk::suits_fast(K), tk::suits_fast(V), tk::suits_fast(dO),
         tk::suits_fast(L), tk::suits_fast(Delta), tk::suits_fast(SumK), tk::suits_fast(SumV)});
    choice_14.offer();
    choice_14.candidate(true);  // key_gradients_general
    choice_14.require(
        {tk::suits_tma_load(Q), tk::suits_tma_load(K), tk::suits_tma_load(V),
         tk::suits_tma_load(dO), tk::suits_tma_load(L), tk::suits_tma_load(Delta)});
    choice_14.offer();
    if (!choice_14.ok()) return tk::finish(choice_14.result());

    // nsa_selected_backward.rounded(SumK, dK, scale)
    const bool choice_15 = tk::hold({tk::suits_fast(SumK), tk::suits_fast(dK)});

    // nsa_selected_backward.rounded(SumV, dV, 1.0)
    const bool choice_16 = tk::hold({tk::suits_fast(SumV), tk::suits_fast(dV)});
    const int64_t counter_bytes = 4 * tk::multiply(tk::multiply(B, HKV), tk::ceil_div(N, 64));
    TK_FINISH_IF_FAILED(tk::check_workspace(workspace, workspace_bytes, counter_bytes));

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1) {
        TK_FINISH_IF_FAILED(launch_nsa_selected_backward_row_sums_T_bf16_D_128_G_16(
            site, O, dO, LSE, L, Delta, B, N, HKV));
    } else {
        TK_FINISH_IF_FAILED(launch_nsa_selected_backward_row_sums_T_bf16_D_128_G_16_general(
            site, O, dO, LSE, L, Delta, B, N, HKV));
    }
    if (choice_2) {
        TK_FINISH_IF_FAILED(
            launch_nsa_selected_listing_BS_64_TOK_8(site, list, count, Tiles, B, N, HKV, SEL));
    } else {
        TK_FINISH_IF_FAILED(launch_nsa_selected_listing_BS_64_TOK_8_general(
            site, list, count, Tiles, B, N, HKV, SEL));
    }
    if (choice_3) {
        TK_FINISH_IF_FAILED(launch_nsa_selected_unions_BS_64_TOK_8(
            site, tk::read_only(Tiles), Blocks, List, Of, B, HKV, tk::ceil_div(N, 8),
            tk::ceil_div(N, 64), static_cast<int32_t>(SEL)));
    } else {
        TK_FINISH_IF_FAILED(launch_nsa_selected_unions_BS_64_TOK_8_general(
            site, tk::read_only(Tiles), Blocks, List, Of, B, HKV, tk::ceil_div(N, 8),
            tk::ceil_div(N, 64), static_cast<int32_t>(SEL)));
    }
    if (choice_4) {
        TK_FINISH_IF_FAILED(
            launch_nsa_selected_in_rows_T_bf16_D_128_G_16(site, Q, Rows, B, N, HKV));
    } else {
        TK_FINISH_IF_FAILED(
            launch_nsa_selected_in_rows_T_bf16_D_128_G_16_general(site, Q, Rows, B, N, HKV));
    }
    if (choice_5) {
        TK_FINISH_IF_FAILED(
            launch_nsa_selected_in_rows_T_bf16_D_128_G_16(site, dO, RowdO, B, N, HKV));
    } else {
        TK_FINISH_IF_FAILED(
            launch_nsa_selected_in_rows_T_bf16_D_128_G_16_general(site, dO, RowdO, B, N, HKV));
    }
    if (choice_6) {
        TK_FINISH_IF_FAILED(launch_sums_in_rows(
            site, tk::read_only(L), tk::read_only(Delta), RowL, RowDelta, B, N, HKV));
    } else {
        TK_FINISH_IF_FAILED(launch_sums_in_rows_general(
            site, tk::read_only(L), tk::read_only(Delta), RowL, RowDelta, B, N, HKV));
    }
    TK_FINISH_IF_FAILED(launch_query_gradients(
        site, tk::read_only(Rows), K, V, tk::read_only(RowdO), tk::read_only(RowL),
        tk::read_only(RowDelta), tk::read_only(Blocks), tk::read_only(List), tk::read_only(Of),
        RowdQ, B, HKV, N, tk::smaller(8 * SEL, tk::ceil_div(N, 64)), scale));
    if (choice_8) {
        TK_FINISH_IF_FAILED(launch_from_rows(site, tk::read_only(RowdQ), dQ, B, HKV, N));
    } else {
        TK_FINISH_IF_FAILED(launch_from_rows_general(site, tk::read_only(RowdQ), dQ, B, HKV, N));
    }
    if (choice_9) {
        TK_FINISH_IF_FAILED(
            launch_nsa_selected_listing_BS_64_TOK_32(site, list, count, Tokens, B, N, HKV, SEL));
    } else {
        TK_FINISH_IF_FAILED(launch_nsa_selected_listing_BS_64_TOK_32_general(
            site, list, count, Tokens, B, N, HKV, SEL));
    }
    if (choice_10) {
        TK_FINISH_IF_FAILED(
            launch_nsa_selected_backward_counts(site, tk::read_only(Tokens), Before, Total, B, HKV,
                                                tk::ceil_div(N, 32), tk::ceil_div(N, 64)));
    } else {
        TK_FINISH_IF_FAILED(launch_nsa_selected_backward_counts_general(
            site, tk::read_only(Tokens), Before, Total, B, HKV, tk::ceil_div(N, 32),
            tk::ceil_div(N, 64)));
    }
    if (choice_11) {
        TK_FINISH_IF_FAILED(launch_nsa_selected_backward_starts(
            site, tk::read_only(Total), Start, B, HKV, tk::ceil_div(N, 64)));
    } else {
        TK_FINISH_IF_FAILED(launch_nsa_selected_backward_starts_general(
            site, tk::read_only(Total), Start, B, HKV, tk::ceil_div(N, 64)));
    }
    if (choice_12) {
        TK_FINISH_IF_FAILED(launch_nsa_selected_backward_no_tokens(
            site, TokensOf, B, HKV, tk::multiply(N, SEL) + 1));
    } else {
        TK_FINISH_IF_FAILED(launch_nsa_selected_backward_no_tokens_general(
            site, TokensOf, B, HKV, tk::multiply(N, SEL) + 1));
    }
    TK_FINISH_IF_FAILED(launch_nsa_selected_backward_tokens_of_BS_64(
        site, list, count, tk::read_only(Tokens), tk::read_only(Before), tk::read_only(Start),
        TokensOf, B, N, HKV, SEL, tk::multiply(N, SEL) + 1));
    TK_FINISH_IF_FAILED(tk::clear(SumK, site));
    TK_FINISH_IF_FAILED(tk::clear(SumV, site));
    TK_FINISH_IF_FAILED(tk::clear_counters(workspace, counter_bytes, site));
    if (choice_14.best(site) == 0) {
        TK_FINISH_IF_FAILED(launch_key_gradients(
            site, Q, K, V, dO, tk::read_only(L), tk::read_only(Delta), tk::read_only(Before),
            tk::read_only(Total), tk::read_only(Start), tk::read_only(TokensOf), SumK, SumV, B, N,
            HKV, tk::multiply(N, SEL) + 1, scale, workspace));
    }
    if (choice_14.best(site) == 1) {
        TK_FINISH_IF_FAILED(launch_key_gradients_general(
            site, Q, K, V, dO, tk::read_only(L), tk::read_only(Delta), tk::read_only(Before),
            tk::read_only(Total), tk::read_only(Start), tk::read_only(TokensOf), SumK, SumV, B, N,
            HKV, tk::multiply(N, SEL) + 1, scale, workspace));
    }
    if (choice_15) {
        TK_FINISH_IF_FAILED(launch_nsa_selected_backward_rounded_T_bf16_D_128(
            site, tk::read_only(SumK), dK, B, N, HKV, scale));
    } else {
        TK_FINISH_IF_FAILED(launch_nsa_selected_backward_rounded_T_bf16_D_128_general(
            site, tk::read_only(SumK), dK, B, N, HKV, scale));
    }
    if (choice_16) {
        TK_FINISH_IF_FAILED(launch_nsa_selected_backward_rounded_T_bf16_D_128(
            site, tk::read_only(SumV), dV, B, N, HKV, static_cast<float>(1.0f)));
    } else {
        TK_FINISH_IF_FAILED(launch_nsa_selected_backward_rounded_T_bf16_D_128_general(
            site, tk::read_only(SumV), dV, B, N, HKV, static_cast<float>(1.0f)));
    }
    return tk::finish({});
}
size_t nsa_selected_backward_apart_workspace(
    const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
    const DLTensor* O_given, const DLTensor* LSE_given, const DLTensor* dO_given,
    const DLTensor* list_given, const DLTensor* count_given, DLTensor* dQ_given, DLTensor* dK_given,
    DLTensor* dV_given, DLTensor* L_given, DLTensor* Delta_given, DLTensor* Tiles_given,
    DLTensor* Blocks_given, DLTensor* List_given, DLTensor* Of_given, DLTensor* Rows_given,
    DLTensor* RowdO_given, DLTensor* RowL_given, DLTensor* RowDelta_given, DLTensor* RowdQ_given,
    DLTensor* Tokens_given, DLTensor* Before_given, DLTensor* Total_given, DLTensor* Start_given,
    DLTensor* TokensOf_given, DLTensor* SumK_given, DLTensor* SumV_given, float scale) {
    tk::arguments call{"nsa_selected_backward_apart"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 5, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 5, tk::access::read);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 5, tk::access::read);
    const tk::tensor list = call.take("list", list_given, tk::dtype_i32, 4, tk::access::read);
    const tk::tensor count = call.take("count", count_given, tk::dtype_i32, 3, tk::access::read);
    const tk::tensor dQ = call.take("dQ", dQ_given, tk::dtype_bf16, 5, tk::access::write);
    const tk::tensor dK = call.take("dK", dK_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dV = call.take("dV", dV_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor L = call.take("L", L_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Delta = call.take("Delta", Delta_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Tiles = call.take("Tiles", Tiles_given, tk::dtype_i32, 4, tk::access::write);
    const tk::tensor Blocks = call.take("Blocks", Blocks_given, tk::dtype_i32, 3,
                                        tk::access::write);
    const tk::tensor List = call.take("List", List_given, tk::dtype_i32, 4, tk::access::write);
    const tk::tensor Of = call.take("Of", Of_given, tk::dtype_i32, 4, tk::access::write);
    const tk::tensor Rows = call.take("Rows", Rows_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor RowdO = call.take("RowdO", RowdO_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor RowL = call.take("RowL", RowL_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor RowDelta = call.take("RowDelta", RowDelta_given, tk::dtype_f32, 3,
                                          tk::access::write);
    const tk::tensor RowdQ = call.take("RowdQ", RowdQ_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Tokens = call.take("Tokens", Tokens_given, tk::dtype_i32, 4,
                                        tk::access::write);
    const tk::tensor Before = call.take("Before", Before_given, tk::dtype_i32, 4,
                                        tk::access::write);
    const tk::tensor Total = call.take("Total", Total_given, tk::dtype_i32, 3, tk::access::write);
    const tk::tensor Start = call.take("Start", Start_given, tk::dtype_i32, 3, tk::access::write);
    const tk::tensor TokensOf = call.take("TokensOf", TokensOf_given, tk::dtype_i32, 3,
                                          tk::access::write);
    const tk::tensor SumK = call.take("SumK", SumK_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor SumV = call.take("SumV", SumV_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return 0;
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t HKV = Q.shape[2];
    return size_t(4 * tk::multiply(tk::multiply(B, HKV), tk::ceil_div(N, 64)));
}
TK_ERROR(nsa_selected_backward_apart)
}  // extern "C"
