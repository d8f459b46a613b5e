// Made by tkc from gemm_fp8_blocks.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/cells.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/tk.cuh"

// gemm_fp8_blocks: kernel gemm_fp8_blocks with TA = fp8_e4m3, TB = fp8_e4m3, TC = bf16, BM = 192,
// STAGES = 3, CM = 1.
// producer: 1 warp, 32 registers a thread; consumer: 3 warpgroups, 160 registers a thread.
// 512 threads, 128 registers each at first, 175152 bytes of shared memory; persistent:
// gemm_fp8_blocks_kernel<192, 3, 6, 512, 12, 32, 41728, 160>.
// gemm_fp8_blocks_square: kernel gemm_fp8_blocks with TA = fp8_e4m3, TB = fp8_e4m3, TC = bf16, BM =
// 128, STAGES = 5, CM = 1.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 199760 bytes of shared memory; persistent:
// gemm_fp8_blocks_kernel<128, 5, 4, 384, 8, 24, 33280, 240>.
template <int BM, int STAGES, int copies>
struct gemm_fp8_blocks_shared {
    tk::shared_tile<tk::fp8_e4m3, BM, 128> ab_a[STAGES];
    tk::shared_tile<tk::fp8_e4m3, 128, 128> ab_b[STAGES];
    tk::shared_tile<float, BM, 1> ab_rows[STAGES];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[copies];
    tk::pipeline<STAGES> ab;
};
static_assert(__builtin_offsetof(gemm_fp8_blocks_shared<192, 3, 6>, ab) == 175104);
static_assert(__builtin_offsetof(gemm_fp8_blocks_shared<128, 5, 4>, ab) == 199680);

template <int BM, int STAGES, int copies, int threads, int takers, int registers, int bytes,
          int registers_2>
__global__ void __launch_bounds__(threads, 1) gemm_fp8_blocks_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap scale_a_map, const __grid_constant__ CUtensorMap C_map,
    const tk::tensor_argument<const float, 2> scale_b, const tk::tensor_argument<tk::bf16, 2> C,
    int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_fp8_blocks_shared<BM, STAGES, copies>& shared =
        *reinterpret_cast<gemm_fp8_blocks_shared<BM, STAGES, copies>*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, scale_a_map, C_map);
        shared.ab.init(1, takers);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= takers) {
        // gemm_fp8_blocks.tk:17: role producer(1 warp) {
        tk::registers_at_most<registers>();
        const int m_tiles = tk::tiles(M, BM);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        if (warp == takers && tk::elect_one()) {
            tk::cursor<STAGES> ab_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * BM;
                const int n = point.col * 128;

                // gemm_fp8_blocks.tk:18: for k in K by 128 {
                #pragma unroll 1
                for (int k = 0; k < K; k += 128) {
                    // gemm_fp8_blocks.tk:19: produce ab {
                    shared.ab.begin(ab_next, bytes);

                    // gemm_fp8_blocks.tk:20: a = tma_load(A[m, k]);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);

                    // gemm_fp8_blocks.tk:21: b = tma_load(B[n, k]) multicast(m);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 n, k);

                    // gemm_fp8_blocks.tk:22: rows = column(tma_load(scale_a[k.index, m]));
                    tk::tma_load(shared.ab_rows[ab_next.stage], scale_a_map,
                                 shared.ab.full[ab_next.stage], k / 128, m);
                    // gemm_fp8_blocks.tk:19
                    ab_next.advance();
                }
            }
        }
    } else {
        // gemm_fp8_blocks.tk:26: role consumer(BM / 64 warpgroups) {
        tk::registers_at_least<registers_2>();
        const int m_tiles = tk::tiles(M, BM);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<STAGES> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * BM;
            const int n = point.col * 128;

            // gemm_fp8_blocks.tk:27: var acc: f32[BM, 128] = 0;
            tk::fragment<float, 64, 128> acc;
            tk::zero(acc);

            // gemm_fp8_blocks.tk:28: for k in K by 128 {
            for (int k = 0; k < K; k += 128) {
                // gemm_fp8_blocks.tk:29: let block = scale_b[n.index, k.index];
                const float block = tk::cell(scale_b, n / 128, k / 128);

                // gemm_fp8_blocks.tk:30: consume ab as s { acc += mma(s.a, s.b.T) * (s.rows * ..
                const tk::cursor<STAGES> s = shared.ab.take(ab_next);
                tk::fragment<float, 64, 128> t0;
                tk::mma_async(t0, tk::rows<64>(shared.ab_a[s.stage], 64 * warpgroup),
                              tk::transposed(shared.ab_b[s.stage]), tk::accumulate_never{});
                tk::column_fragment<float, 64> t3;
                tk::map(t3, thread, [&](int row, int) {
                    return tk::get(shared.ab_rows[s.stage], 64 * warpgroup + row, 0);
                });
                tk::column_fragment<float, 64> t2;
                tk::map(t2, [&](float t3) { return t3 * block; }, t3);
                tk::mma_wait<0>(t0);
                shared.ab.release_after_loads(s);
                tk::map(acc, [](float t0, float t2, float acc) { return tk::fma(t0, t2, acc); },
                        t0, t2, acc);
            }

            // gemm_fp8_blocks.tk:32: tma_store(C[m, n], TC(acc));
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                tk::store_shared(shared.consumer_C[warpgroup * 2 + panel / 64 % 2],
                                 tk::convert<tk::bf16>(tk::window<64, 64>(acc, 0, panel)), thread);
                tk::fence_async();
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                if (N % 8 != 0 && N < n + panel + 64) {
                    tk::copy_to_global(
                        tk::dense_slice(C, {m + warpgroup * 64, n + panel},
                                        M - (m + warpgroup * 64), N - (n + panel)),
                        shared.consumer_C[warpgroup * 2 + panel / 64 % 2]);
                    if (leader) tk::tma_store_nothing();
                } else if (leader) {
                    tk::tma_store(C_map, shared.consumer_C[warpgroup * 2 + panel / 64 % 2],
                                  m + warpgroup * 64, n + panel);
                }
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

// gemm_fp8_blocks_low: kernel gemm_fp8_blocks with TA = fp8_e4m3, TB = fp8_e4m3, TC = bf16, BM =
// 64, STAGES = 7, CM = 1.
// producer: 1 warp, 240 registers a thread; consumer: 1 warpgroup, 240 registers a thread.
// 256 threads, 255 registers each at first, 190576 bytes of shared memory; persistent.
struct gemm_fp8_blocks_low_shared {
    tk::shared_tile<tk::fp8_e4m3, 64, 128> ab_a[7];
    tk::shared_tile<tk::fp8_e4m3, 128, 128> ab_b[7];
    tk::shared_tile<float, 64, 1> ab_rows[7];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[2];
    tk::pipeline<7> ab;
};
static_assert(offsetof(gemm_fp8_blocks_low_shared, ab) == 190464);

__global__ void __launch_bounds__(256, 1) gemm_fp8_blocks_low_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap scale_a_map, const __grid_constant__ CUtensorMap C_map,
    const tk::tensor_argument<const float, 2> scale_b, const tk::tensor_argument<tk::bf16, 2> C,
    int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_fp8_blocks_low_shared& shared = *reinterpret_cast<gemm_fp8_blocks_low_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, scale_a_map, C_map);
        shared.ab.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 4) {
        // gemm_fp8_blocks.tk:17: role producer(1 warp) {
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(M, 64);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        if (warp == 4 && tk::elect_one()) {
            tk::cursor<7> ab_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 64;
                const int n = point.col * 128;

                // gemm_fp8_blocks.tk:18: for k in K by 128 {
                #pragma unroll 1
                for (int k = 0; k < K; k += 128) {
                    // gemm_fp8_blocks.tk:19: produce ab {
                    shared.ab.begin(ab_next, 24832);

                    // gemm_fp8_blocks.tk:20: a = tma_load(A[m, k]);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);

                    // gemm_fp8_blocks.tk:21: b = tma_load(B[n, k]) multicast(m);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 n, k);

                    // gemm_fp8_blocks.tk:22: rows = column(tma_load(scale_a[k.index, m]));
                    tk::tma_load(shared.ab_rows[ab_next.stage], scale_a_map,
                                 shared.ab.full[ab_next.stage], k / 128, m);
                    // gemm_fp8_blocks.tk:19
                    ab_next.advance();
                }
            }
        }
    } else {
        // gemm_fp8_blocks.tk:26: role consumer(BM / 64 warpgroups) {
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(M, 64);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<7> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 64;
            const int n = point.col * 128;

            // gemm_fp8_blocks.tk:27: var acc: f32[BM, 128] = 0;
            tk::fragment<float, 64, 128> acc;
            tk::zero(acc);

            // gemm_fp8_blocks.tk:28: for k in K by 128 {
            for (int k = 0; k < K; k += 128) {
                // gemm_fp8_blocks.tk:29: let block = scale_b[n.index, k.index];
                const float block = tk::cell(scale_b, n / 128, k / 128);

                // gemm_fp8_blocks.tk:30: consume ab as s { acc += mma(s.a, s.b.T) * (s.rows * ..
                const tk::cursor<7> s = shared.ab.take(ab_next);
                tk::fragment<float, 64, 128> t0;
                tk::mma_async(t0, shared.ab_a[s.stage], tk::transposed(shared.ab_b[s.stage]),
                              tk::accumulate_never{});
                tk::column_fragment<float, 64> t3;
                tk::map(t3, thread, [&](int row, int) {
                    return tk::get(shared.ab_rows[s.stage], row, 0);
                });
                tk::column_fragment<float, 64> t2;
                tk::map(t2, [&](float t3) { return t3 * block; }, t3);
                tk::mma_wait<0>(t0);
                shared.ab.release_after_loads(s);
                tk::map(acc, [](float t0, float t2, float acc) { return tk::fma(t0, t2, acc); },
                        t0, t2, acc);
            }

            // gemm_fp8_blocks.tk:32: tma_store(C[m, n], TC(acc));
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                tk::store_shared(shared.consumer_C[panel / 64 % 2],
                                 tk::convert<tk::bf16>(tk::window<64, 64>(acc, 0, panel)), thread);
                tk::fence_async();
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                if (N % 8 != 0 && N < n + panel + 64) {
                    tk::copy_to_global(tk::dense_slice(C, {m, n + panel}, M - m, N - (n + panel)),
                                       shared.consumer_C[panel / 64 % 2]);
                    if (leader) tk::tma_store_nothing();
                } else if (leader) {
                    tk::tma_store(C_map, shared.consumer_C[panel / 64 % 2], m, n + panel);
                }
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

// gemm_fp8_blocks_pairs: kernel gemm_fp8_blocks with TA = fp8_e4m3, TB = fp8_e4m3, TC = bf16, BM =
// 192, STAGES = 3, CM = 2.
// producer: 1 warp, 32 registers a thread; consumer: 3 warpgroups, 160 registers a thread.
// 512 threads, 128 registers each at first, 175152 bytes of shared memory, clusters of 2 along m;
// persistent.
struct gemm_fp8_blocks_pairs_shared {
    tk::shared_tile<tk::fp8_e4m3, 192, 128> ab_a[3];
    tk::shared_tile<tk::fp8_e4m3, 128, 128> ab_b[3];
    tk::shared_tile<float, 192, 1> ab_rows[3];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[6];
    tk::pipeline<3> ab;
};
static_assert(offsetof(gemm_fp8_blocks_pairs_shared, ab) == 175104);

__global__ void __launch_bounds__(512, 1) gemm_fp8_blocks_pairs_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap scale_a_map, const __grid_constant__ CUtensorMap C_map,
    const tk::tensor_argument<const float, 2> scale_b, const tk::tensor_argument<tk::bf16, 2> C,
    int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_fp8_blocks_pairs_shared& shared = *reinterpret_cast<gemm_fp8_blocks_pairs_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, scale_a_map, C_map);
        shared.ab.init(1, 24);
        tk::publish_barriers();
    }
    tk::cluster_sync();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 12) {
        // gemm_fp8_blocks.tk:17: role producer(1 warp) {
        tk::registers_at_most<32>();
        const int m_tiles = tk::tiles(M, 192);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = tk::tiles(m_tiles * n_tiles, 2) * 2;
        if (warp == 12 && tk::elect_one()) {
            const int rank = tk::cluster_rank();
            tk::cursor<3> ab_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::cluster_point point = tk::raster_clusters<2>(program, m_tiles, n_tiles,
                                                                       16);
                const int m = point.row * 192;
                const int n = point.col * 128;

                // gemm_fp8_blocks.tk:18: for k in K by 128 {
                #pragma unroll 1
                for (int k = 0; k < K; k += 128) {
                    // gemm_fp8_blocks.tk:19: produce ab {
                    shared.ab.begin(ab_next, 41728);

                    // gemm_fp8_blocks.tk:20: a = tma_load(A[m, k]);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);

                    // gemm_fp8_blocks.tk:21: b = tma_load(B[n, k]) multicast(m);
                    if (point.together) {
                        tk::tma_load_multicast(tk::rows<64>(shared.ab_b[ab_next.stage], 64 * rank),
                                               B_map, shared.ab.full[ab_next.stage], 3,
                                               n + 64 * rank, k);
                    } else {
                        #pragma unroll
                        for (int piece = 0; piece < 2; piece += 1) {
                            tk::tma_load(tk::rows<64>(shared.ab_b[ab_next.stage], 64 * piece),
                                         B_map, shared.ab.full[ab_next.stage], n + 64 * piece, k);
                        }
                    }

                    // gemm_fp8_blocks.tk:22: rows = column(tma_load(scale_a[k.index, m]));
                    tk::tma_load(shared.ab_rows[ab_next.stage], scale_a_map,
                                 shared.ab.full[ab_next.stage], k / 128, m);
                    // gemm_fp8_blocks.tk:19
                    ab_next.advance();
                }
            }
        }
    } else {
        // gemm_fp8_blocks.tk:26: role consumer(BM / 64 warpgroups) {
        tk::registers_at_least<160>();
        const int m_tiles = tk::tiles(M, 192);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = tk::tiles(m_tiles * n_tiles, 2) * 2;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<3> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::cluster_point point = tk::raster_clusters<2>(program, m_tiles, n_tiles, 16);
            const int m = point.row * 192;
            const int n = point.col * 128;

            // gemm_fp8_blocks.tk:27: var acc: f32[BM, 128] = 0;
            tk::fragment<float, 64, 128> acc;
            tk::zero(acc);

            // gemm_fp8_blocks.tk:28: for k in K by 128 {
            for (int k = 0; k < K; k += 128) {
                // gemm_fp8_blocks.tk:29: let block = scale_b[n.index, k.index];
                const float block = tk::cell(scale_b, n < N ? n / 128 : 0, k / 128);

                // gemm_fp8_blocks.tk:30: consume ab as s { acc += mma(s.a, s.b.T) * (s.rows * ..
                const tk::cursor<3> s = shared.ab.take(ab_next);
                tk::fragment<float, 64, 128> t0;
                tk::mma_async(t0, tk::rows<64>(shared.ab_a[s.stage], 64 * warpgroup),
                              tk::transposed(shared.ab_b[s.stage]), tk::accumulate_never{});
                tk::column_fragment<float, 64> t3;
                tk::map(t3, thread, [&](int row, int) {
                    return tk::get(shared.ab_rows[s.stage], 64 * warpgroup + row, 0);
                });
                tk::column_fragment<float, 64> t2;
                tk::map(t2, [&](float t3) { return t3 * block; }, t3);
                tk::mma_wait<0>(t0);
                shared.ab.release_after_loads<2>(s);
                tk::map(acc, [](float t0, float t2, float acc) { return tk::fma(t0, t2, acc); },
                        t0, t2, acc);
            }

            // gemm_fp8_blocks.tk:32: tma_store(C[m, n], TC(acc));
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                tk::store_shared(shared.consumer_C[warpgroup * 2 + panel / 64 % 2],
                                 tk::convert<tk::bf16>(tk::window<64, 64>(acc, 0, panel)), thread);
                tk::fence_async();
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                if (N % 8 != 0 && N < n + panel + 64) {
                    tk::copy_to_global(
                        tk::dense_slice(C, {m + warpgroup * 64, n + panel},
                                        M - (m + warpgroup * 64), N - (n + panel)),
                        shared.consumer_C[warpgroup * 2 + panel / 64 % 2]);
                    if (leader) tk::tma_store_nothing();
                } else if (leader) {
                    tk::tma_store(C_map, shared.consumer_C[warpgroup * 2 + panel / 64 % 2],
                                  m + warpgroup * 64, n + panel);
                }
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }

    // Other blocks of the cluster may still arrive on this one's barriers.
    tk::cluster_sync();
}

// gemm_fp8_blocks_f32: kernel gemm_fp8_blocks with TA = fp8_e4m3, TB = fp8_e4m3, TC = f32, BM =
// 128, STAGES = 4, CM = 1.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 198720 bytes of shared memory; persistent.
struct gemm_fp8_blocks_f32_shared {
    tk::shared_tile<tk::fp8_e4m3, 128, 128> ab_a[4];
    tk::shared_tile<tk::fp8_e4m3, 128, 128> ab_b[4];
    tk::shared_tile<float, 128, 1> ab_rows[4];
    tk::shared_tile<float, 64, 32> consumer_C[8];
    tk::pipeline<4> ab;
};
static_assert(offsetof(gemm_fp8_blocks_f32_shared, ab) == 198656);

__global__ void __launch_bounds__(384, 1) gemm_fp8_blocks_f32_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap scale_a_map, const __grid_constant__ CUtensorMap C_map,
    const tk::tensor_argument<const float, 2> scale_b, const tk::tensor_argument<float, 2> C, int M,
    int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_fp8_blocks_f32_shared& shared = *reinterpret_cast<gemm_fp8_blocks_f32_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, scale_a_map, C_map);
        shared.ab.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_fp8_blocks.tk:17: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<4> ab_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 128;
                const int n = point.col * 128;

                // gemm_fp8_blocks.tk:18: for k in K by 128 {
                #pragma unroll 1
                for (int k = 0; k < K; k += 128) {
                    // gemm_fp8_blocks.tk:19: produce ab {
                    shared.ab.begin(ab_next, 33280);

                    // gemm_fp8_blocks.tk:20: a = tma_load(A[m, k]);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);

                    // gemm_fp8_blocks.tk:21: b = tma_load(B[n, k]) multicast(m);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 n, k);

                    // gemm_fp8_blocks.tk:22: rows = column(tma_load(scale_a[k.index, m]));
                    tk::tma_load(shared.ab_rows[ab_next.stage], scale_a_map,
                                 shared.ab.full[ab_next.stage], k / 128, m);
                    // gemm_fp8_blocks.tk:19
                    ab_next.advance();
                }
            }
        }
    } else {
        // gemm_fp8_blocks.tk:26: role consumer(BM / 64 warpgroups) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<4> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * 128;

            // gemm_fp8_blocks.tk:27: var acc: f32[BM, 128] = 0;
            tk::fragment<float, 64, 128> acc;
            tk::zero(acc);

            // gemm_fp8_blocks.tk:28: for k in K by 128 {
            for (int k = 0; k < K; k += 128) {
                // gemm_fp8_blocks.tk:29: let block = scale_b[n.index, k.index];
                const float block = tk::cell(scale_b, n / 128, k / 128);

                // gemm_fp8_blocks.tk:30: consume ab as s { acc += mma(s.a, s.b.T) * (s.rows * ..
                const tk::cursor<4> s = shared.ab.take(ab_next);
                tk::fragment<float, 64, 128> t0;
                tk::mma_async(t0, tk::rows<64>(shared.ab_a[s.stage], 64 * warpgroup),
                              tk::transposed(shared.ab_b[s.stage]), tk::accumulate_never{});
                tk::column_fragment<float, 64> t2;
                tk::map(t2, thread, [&](int row, int) {
                    return tk::get(shared.ab_rows[s.stage], 64 * warpgroup + row, 0);
                });
                tk::column_fragment<float, 64> t1;
                tk::map(t1, [&](float t2) { return t2 * block; }, t2);
                tk::mma_wait<0>(t0);
                shared.ab.release_after_loads(s);
                tk::map(acc, [](float t0, float t1, float acc) { return tk::fma(t0, t1, acc); },
                        t0, t1, acc);
            }

            // gemm_fp8_blocks.tk:32: tma_store(C[m, n], TC(acc));
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 32) {
                tk::store_shared(shared.consumer_C[warpgroup * 4 + panel / 32 % 4],
                                 tk::window<64, 32>(acc, 0, panel), thread);
                tk::fence_async();
                if (leader) tk::tma_store_wait_read<2>();
                tk::barrier_sync(1 + warpgroup, 128);
                if (N % 4 != 0 && N < n + panel + 32) {
                    tk::copy_to_global(
                        tk::dense_slice(C, {m + warpgroup * 64, n + panel},
                                        M - (m + warpgroup * 64), N - (n + panel)),
                        shared.consumer_C[warpgroup * 4 + panel / 32 % 4]);
                    if (leader) tk::tma_store_nothing();
                } else if (leader) {
                    tk::tma_store(C_map, shared.consumer_C[warpgroup * 4 + panel / 32 % 4],
                                  m + warpgroup * 64, n + panel);
                }
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

// gemm_fp8_vectors: kernel gemm_fp8_vectors with TA = fp8_e4m3, TB = fp8_e4m3, TC = bf16, BM = 192,
// STAGES = 4, CM = 1.
// producer: 1 warp, 32 registers a thread; consumer: 3 warpgroups, 160 registers a thread.
// 512 threads, 128 registers each at first, 218176 bytes of shared memory; persistent:
// gemm_fp8_vectors_kernel<192, 4, 6, 512, 12, 32, 42240, 160>.
// gemm_fp8_vectors_square: kernel gemm_fp8_vectors with TA = fp8_e4m3, TB = fp8_e4m3, TC = bf16, BM
// = 128, STAGES = 5, CM = 1.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 201808 bytes of shared memory; persistent:
// gemm_fp8_vectors_kernel<128, 5, 4, 384, 8, 24, 33792, 240>.
template <int BM, int STAGES, int copies>
struct gemm_fp8_vectors_shared {
    tk::shared_tile<tk::fp8_e4m3, BM, 128> ab_a[STAGES];
    tk::shared_tile<tk::fp8_e4m3, 128, 128> ab_b[STAGES];
    tk::shared_tile<float, BM, 1> ab_rows[STAGES];
    tk::shared_tile<float, 1, 128> ab_cols[STAGES];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[copies];
    tk::pipeline<STAGES> ab;
};
static_assert(__builtin_offsetof(gemm_fp8_vectors_shared<192, 4, 6>, ab) == 218112);
static_assert(__builtin_offsetof(gemm_fp8_vectors_shared<128, 5, 4>, ab) == 201728);

template <int BM, int STAGES, int copies, int threads, int takers, int registers, int bytes,
          int registers_2>
__global__ void __launch_bounds__(threads, 1) gemm_fp8_vectors_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap scale_a_map,
    const __grid_constant__ CUtensorMap scale_b_map, const __grid_constant__ CUtensorMap C_map,
    const tk::tensor_argument<tk::bf16, 2> C, int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_fp8_vectors_shared<BM, STAGES, copies>& shared =
        *reinterpret_cast<gemm_fp8_vectors_shared<BM, STAGES, copies>*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, scale_a_map, scale_b_map, C_map);
        shared.ab.init(1, takers);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= takers) {
        // gemm_fp8_blocks.tk:48: role producer(1 warp) {
        tk::registers_at_most<registers>();
        const int m_tiles = tk::tiles(M, BM);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        if (warp == takers && tk::elect_one()) {
            tk::cursor<STAGES> ab_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * BM;
                const int n = point.col * 128;

                // gemm_fp8_blocks.tk:49: for k in K by 128 {
                #pragma unroll 1
                for (int k = 0; k < K; k += 128) {
                    // gemm_fp8_blocks.tk:50: produce ab {
                    shared.ab.begin(ab_next, bytes);

                    // gemm_fp8_blocks.tk:51: a = tma_load(A[m, k]);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);

                    // gemm_fp8_blocks.tk:52: b = tma_load(B[n, k]) multicast(m);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 n, k);

                    // gemm_fp8_blocks.tk:53: rows = column(tma_load(scale_a[k.index, m]));
                    tk::tma_load(shared.ab_rows[ab_next.stage], scale_a_map,
                                 shared.ab.full[ab_next.stage], k / 128, m);

                    // gemm_fp8_blocks.tk:54: cols = tma_load(scale_b[k.index, n]);
                    tk::tma_load(shared.ab_cols[ab_next.stage], scale_b_map,
                                 shared.ab.full[ab_next.stage], k / 128, n);
                    // gemm_fp8_blocks.tk:50
                    ab_next.advance();
                }
            }
        }
    } else {
        // gemm_fp8_blocks.tk:58: role consumer(BM / 64 warpgroups) {
        tk::registers_at_least<registers_2>();
        const int m_tiles = tk::tiles(M, BM);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<STAGES> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * BM;
            const int n = point.col * 128;

            // gemm_fp8_blocks.tk:59: var acc: f32[BM, 128] = 0;
            tk::fragment<float, 64, 128> acc;
            tk::zero(acc);

            // gemm_fp8_blocks.tk:60: for k in K by 128 { consume ab as s { acc += mma(s.a, ..
            for (int k = 0; k < K; k += 128) {
                const tk::cursor<STAGES> s = shared.ab.take(ab_next);
                tk::fragment<float, 64, 128> t0;
                tk::mma_async(t0, tk::rows<64>(shared.ab_a[s.stage], 64 * warpgroup),
                              tk::transposed(shared.ab_b[s.stage]), tk::accumulate_never{});
                tk::mma_wait<0>(t0);
                tk::column_fragment<float, 64> t2;
                tk::map(t2, thread, [&](int row, int) {
                    return tk::get(shared.ab_rows[s.stage], 64 * warpgroup + row, 0);
                });
                const auto t3 = tk::in_place(shared.ab_cols[s.stage], thread);
                tk::map(acc, [](float acc, float t0, float t2, float t3) {
                    return tk::fma(t0, t2 * t3, acc);
                }, acc, t0, t2, t3);
                shared.ab.release_after_loads(s);
            }

            // gemm_fp8_blocks.tk:61: tma_store(C[m, n], TC(acc));
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                tk::store_shared(shared.consumer_C[warpgroup * 2 + panel / 64 % 2],
                                 tk::convert<tk::bf16>(tk::window<64, 64>(acc, 0, panel)), thread);
                tk::fence_async();
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                if (N % 8 != 0 && N < n + panel + 64) {
                    tk::copy_to_global(
                        tk::dense_slice(C, {m + warpgroup * 64, n + panel},
                                        M - (m + warpgroup * 64), N - (n + panel)),
                        shared.consumer_C[warpgroup * 2 + panel / 64 % 2]);
                    if (leader) tk::tma_store_nothing();
                } else if (leader) {
                    tk::tma_store(C_map, shared.consumer_C[warpgroup * 2 + panel / 64 % 2],
                                  m + warpgroup * 64, n + panel);
                }
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

// gemm_fp8_vectors_low: kernel gemm_fp8_vectors with TA = fp8_e4m3, TB = fp8_e4m3, TC = bf16, BM =
// 64, STAGES = 7, CM = 1.
// producer: 1 warp, 240 registers a thread; consumer: 1 warpgroup, 240 registers a thread.
// 256 threads, 255 registers each at first, 194672 bytes of shared memory; persistent.
struct gemm_fp8_vectors_low_shared {
    tk::shared_tile<tk::fp8_e4m3, 64, 128> ab_a[7];
    tk::shared_tile<tk::fp8_e4m3, 128, 128> ab_b[7];
    tk::shared_tile<float, 64, 1> ab_rows[7];
    tk::shared_tile<float, 1, 128> ab_cols[7];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[2];
    tk::pipeline<7> ab;
};
static_assert(offsetof(gemm_fp8_vectors_low_shared, ab) == 194560);

__global__ void __launch_bounds__(256, 1) gemm_fp8_vectors_low_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap scale_a_map,
    const __grid_constant__ CUtensorMap scale_b_map, const __grid_constant__ CUtensorMap C_map,
    const tk::tensor_argument<tk::bf16, 2> C, int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_fp8_vectors_low_shared& shared = *reinterpret_cast<gemm_fp8_vectors_low_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, scale_a_map, scale_b_map, C_map);
        shared.ab.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 4) {
        // gemm_fp8_blocks.tk:48: role producer(1 warp) {
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(M, 64);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        if (warp == 4 && tk::elect_one()) {
            tk::cursor<7> ab_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 64;
                const int n = point.col * 128;

                // gemm_fp8_blocks.tk:49: for k in K by 128 {
                #pragma unroll 1
                for (int k = 0; k < K; k += 128) {
                    // gemm_fp8_blocks.tk:50: produce ab {
                    shared.ab.begin(ab_next, 25344);

                    // gemm_fp8_blocks.tk:51: a = tma_load(A[m, k]);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);

                    // gemm_fp8_blocks.tk:52: b = tma_load(B[n, k]) multicast(m);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 n, k);

                    // gemm_fp8_blocks.tk:53: rows = column(tma_load(scale_a[k.index, m]));
                    tk::tma_load(shared.ab_rows[ab_next.stage], scale_a_map,
                                 shared.ab.full[ab_next.stage], k / 128, m);

                    // gemm_fp8_blocks.tk:54: cols = tma_load(scale_b[k.index, n]);
                    tk::tma_load(shared.ab_cols[ab_next.stage], scale_b_map,
                                 shared.ab.full[ab_next.stage], k / 128, n);
                    // gemm_fp8_blocks.tk:50
                    ab_next.advance();
                }
            }
        }
    } else {
        // gemm_fp8_blocks.tk:58: role consumer(BM / 64 warpgroups) {
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(M, 64);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<7> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 64;
            const int n = point.col * 128;

            // gemm_fp8_blocks.tk:59: var acc: f32[BM, 128] = 0;
            tk::fragment<float, 64, 128> acc;
            tk::zero(acc);

            // gemm_fp8_blocks.tk:60: for k in K by 128 { consume ab as s { acc += mma(s.a, ..
            for (int k = 0; k < K; k += 128) {
                const tk::cursor<7> s = shared.ab.take(ab_next);
                tk::fragment<float, 64, 128> t0;
                tk::mma_async(t0, shared.ab_a[s.stage], tk::transposed(shared.ab_b[s.stage]),
                              tk::accumulate_never{});
                tk::mma_wait<0>(t0);
                tk::column_fragment<float, 64> t2;
                tk::map(t2, thread, [&](int row, int) {
                    return tk::get(shared.ab_rows[s.stage], row, 0);
                });
                const auto t3 = tk::in_place(shared.ab_cols[s.stage], thread);
                tk::map(acc, [](float acc, float t0, float t2, float t3) {
                    return tk::fma(t0, t2 * t3, acc);
                }, acc, t0, t2, t3);
                shared.ab.release_after_loads(s);
            }

            // gemm_fp8_blocks.tk:61: tma_store(C[m, n], TC(acc));
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                tk::store_shared(shared.consumer_C[panel / 64 % 2],
                                 tk::convert<tk::bf16>(tk::window<64, 64>(acc, 0, panel)), thread);
                tk::fence_async();
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                if (N % 8 != 0 && N < n + panel + 64) {
                    tk::copy_to_global(tk::dense_slice(C, {m, n + panel}, M - m, N - (n + panel)),
                                       shared.consumer_C[panel / 64 % 2]);
                    if (leader) tk::tma_store_nothing();
                } else if (leader) {
                    tk::tma_store(C_map, shared.consumer_C[panel / 64 % 2], m, n + panel);
                }
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

// gemm_fp8_vectors_pairs: kernel gemm_fp8_vectors with TA = fp8_e4m3, TB = fp8_e4m3, TC = bf16, BM
// = 192, STAGES = 4, CM = 2.
// producer: 1 warp, 32 registers a thread; consumer: 3 warpgroups, 160 registers a thread.
// 512 threads, 128 registers each at first, 218176 bytes of shared memory, clusters of 2 along m;
// persistent.
struct gemm_fp8_vectors_pairs_shared {
    tk::shared_tile<tk::fp8_e4m3, 192, 128> ab_a[4];
    tk::shared_tile<tk::fp8_e4m3, 128, 128> ab_b[4];
    tk::shared_tile<float, 192, 1> ab_rows[4];
    tk::shared_tile<float, 1, 128> ab_cols[4];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[6];
    tk::pipeline<4> ab;
};
static_assert(offsetof(gemm_fp8_vectors_pairs_shared, ab) == 218112);

__global__ void __launch_bounds__(512, 1) gemm_fp8_vectors_pairs_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap scale_a_map,
    const __grid_constant__ CUtensorMap scale_b_map, const __grid_constant__ CUtensorMap C_map,
    const tk::tensor_argument<tk::bf16, 2> C, int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_fp8_vectors_pairs_shared& shared =
        *reinterpret_cast<gemm_fp8_vectors_pairs_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, scale_a_map, scale_b_map, C_map);
        shared.ab.init(1, 24);
        tk::publish_barriers();
    }
    tk::cluster_sync();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 12) {
        // gemm_fp8_blocks.tk:48: role producer(1 warp) {
        tk::registers_at_most<32>();
        const int m_tiles = tk::tiles(M, 192);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = tk::tiles(m_tiles * n_tiles, 2) * 2;
        if (warp == 12 && tk::elect_one()) {
            const int rank = tk::cluster_rank();
            tk::cursor<4> ab_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::cluster_point point = tk::raster_clusters<2>(program, m_tiles, n_tiles,
                                                                       16);
                const int m = point.row * 192;
                const int n = point.col * 128;

                // gemm_fp8_blocks.tk:49: for k in K by 128 {
                #pragma unroll 1
                for (int k = 0; k < K; k += 128) {
                    // gemm_fp8_blocks.tk:50: produce ab {
                    shared.ab.begin(ab_next, 42240);

                    // gemm_fp8_blocks.tk:51: a = tma_load(A[m, k]);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);

                    // gemm_fp8_blocks.tk:52: b = tma_load(B[n, k]) multicast(m);
                    if (point.together) {
                        tk::tma_load_multicast(tk::rows<64>(shared.ab_b[ab_next.stage], 64 * rank),
                                               B_map, shared.ab.full[ab_next.stage], 3,
                                               n + 64 * rank, k);
                    } else {
                        #pragma unroll
                        for (int piece = 0; piece < 2; piece += 1) {
                            tk::tma_load(tk::rows<64>(shared.ab_b[ab_next.stage], 64 * piece),
                                         B_map, shared.ab.full[ab_next.stage], n + 64 * piece, k);
                        }
                    }

                    // gemm_fp8_blocks.tk:53: rows = column(tma_load(scale_a[k.index, m]));
                    tk::tma_load(shared.ab_rows[ab_next.stage], scale_a_map,
                                 shared.ab.full[ab_next.stage], k / 128, m);

                    // gemm_fp8_blocks.tk:54: cols = tma_load(scale_b[k.index, n]);
                    tk::tma_load(shared.ab_cols[ab_next.stage], scale_b_map,
                                 shared.ab.full[ab_next.stage], k / 128, n);
                    // gemm_fp8_blocks.tk:50
                    ab_next.advance();
                }
            }
        }
    } else {
        // gemm_fp8_blocks.tk:58: role consumer(BM / 64 warpgroups) {
        tk::registers_at_least<160>();
        const int m_tiles = tk::tiles(M, 192);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = tk::tiles(m_tiles * n_tiles, 2) * 2;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<4> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::cluster_point point = tk::raster_clusters<2>(program, m_tiles, n_tiles, 16);
            const int m = point.row * 192;
            const int n = point.col * 128;

            // gemm_fp8_blocks.tk:59: var acc: f32[BM, 128] = 0;
            tk::fragment<float, 64, 128> acc;
            tk::zero(acc);

            // gemm_fp8_blocks.tk:60: for k in K by 128 { consume ab as s { acc += mma(s.a, ..
            for (int k = 0; k < K; k += 128) {
                const tk::cursor<4> s = shared.ab.take(ab_next);
                tk::fragment<float, 64, 128> t0;
                tk::mma_async(t0, tk::rows<64>(shared.ab_a[s.stage], 64 * warpgroup),
                              tk::transposed(shared.ab_b[s.stage]), tk::accumulate_never{});
                tk::mma_wait<0>(t0);
                tk::column_fragment<float, 64> t2;
                tk::map(t2, thread, [&](int row, int) {
                    return tk::get(shared.ab_rows[s.stage], 64 * warpgroup + row, 0);
                });
                const auto t3 = tk::in_place(shared.ab_cols[s.stage], thread);
                tk::map(acc, [](float acc, float t0, float t2, float t3) {
                    return tk::fma(t0, t2 * t3, acc);
                }, acc, t0, t2, t3);
                shared.ab.release_after_loads<2>(s);
            }

            // gemm_fp8_blocks.tk:61: tma_store(C[m, n], TC(acc));
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                tk::store_shared(shared.consumer_C[warpgroup * 2 + panel / 64 % 2],
                                 tk::convert<tk::bf16>(tk::window<64, 64>(acc, 0, panel)), thread);
                tk::fence_async();
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                if (N % 8 != 0 && N < n + panel + 64) {
                    tk::copy_to_global(
                        tk::dense_slice(C, {m + warpgroup * 64, n + panel},
                                        M - (m + warpgroup * 64), N - (n + panel)),
                        shared.consumer_C[warpgroup * 2 + panel / 64 % 2]);
                    if (leader) tk::tma_store_nothing();
                } else if (leader) {
                    tk::tma_store(C_map, shared.consumer_C[warpgroup * 2 + panel / 64 % 2],
                                  m + warpgroup * 64, n + panel);
                }
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }

    // Other blocks of the cluster may still arrive on this one's barriers.
    tk::cluster_sync();
}

namespace {
int run_gemm_fp8_blocks(const char* function, tk::candidates offered, const DLTensor* A_given,
                        const DLTensor* scale_a_given, const DLTensor* B_given,
                        const DLTensor* scale_b_given, DLTensor* C_given, cudaStream_t stream) {
    tk::arguments call{function};
    const tk::tensor A = call.take("A", A_given, tk::dtype_fp8_e4m3, 2, tk::access::read);
    const tk::tensor scale_a = call.take("scale_a", scale_a_given, tk::dtype_f32, 2,
                                         tk::access::read);
    const tk::tensor B = call.take("B", B_given, tk::dtype_fp8_e4m3, 2, tk::access::read);
    const tk::tensor scale_b = call.take("scale_b", scale_b_given, tk::dtype_f32, 2,
                                         tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = A.shape[0];
    const int64_t K = A.shape[1];
    const int64_t N = B.shape[0];
    call.require(
        {tk::same_extent("M", A, 0, scale_a, 1), tk::same_extent("K", A, 1, B, 1),
         tk::same_extent("M", A, 0, C, 0), tk::same_extent("N", B, 0, C, 1),
         tk::extents_fit({{"M", M}, {"K", K}, {"N", N}}),
         tk::that(scale_a.shape[0] == tk::floor_div(K, 128),
                  "axis 0 of `scale_a` is {}; it must be `K/128`, which is {}",
                  {scale_a.shape[0], tk::floor_div(K, 128)}),
         tk::that(scale_b.shape[0] == tk::ceil_div(N, 128),
                  "axis 0 of `scale_b` is {}; it must be `ceil_div(N, 128)`, which is {}",
                  {scale_b.shape[0], tk::ceil_div(N, 128)}),
         tk::that(scale_b.shape[1] == tk::floor_div(K, 128),
                  "axis 1 of `scale_b` is {}; it must be `K/128`, which is {}",
                  {scale_b.shape[1], tk::floor_div(K, 128)}),
         tk::that(K % 128 == 0, "`K/128` is an extent, but {} is no multiple of 128", {K}),
         tk::suits_tma_load(A, "K"), tk::suits_tma_load(scale_a, "M"), tk::suits_tma_load(B, "K"),
         tk::suits_tma_store(C, "N")});
    if (!call.ok()) return tk::finish(call.result());

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call, offered};
    choice.candidate();  // gemm_fp8_blocks
    choice.offer(tk::multiply(tk::ceil_div(M, 192), tk::ceil_div(N, 128)),
                 3060 +
                 tk::multiply(
                     tk::larger(943,
                                (A.stride[0] % 128 == 0 ? 456 : 723) +
                                (B.stride[0] % 128 == 0 ? 304 : 482) +
                                (scale_a.stride[1] % 32 == 0 ? 15 : 23)) + 26,
                     tk::ceil_div(K, 128)), 2147418112);
    choice.candidate();  // gemm_fp8_blocks_square
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
                 2540 +
                 tk::multiply(
                     tk::larger(687,
                                (A.stride[0] % 128 == 0 ? 304 : 482) +
                                (B.stride[0] % 128 == 0 ? 304 : 482) +
                                (scale_a.stride[1] % 32 == 0 ? 10 : 16)) + 24,
                     tk::ceil_div(K, 128)), 2147418112);
    choice.candidate();  // gemm_fp8_blocks_low
    choice.offer(tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 128)),
                 2020 +
                 tk::multiply(
                     tk::larger(431,
                                (A.stride[0] % 128 == 0 ? 152 : 241) +
                                (B.stride[0] % 128 == 0 ? 304 : 482) +
                                (scale_a.stride[1] % 32 == 0 ? 5 : 8)) + 22, tk::ceil_div(K, 128)),
                 2147418112);
    choice.candidate();  // gemm_fp8_blocks_pairs
    choice.offer(tk::ceil_div(tk::multiply(tk::ceil_div(M, 192), tk::ceil_div(N, 128)), 2) * 2,
                 3060 +
                 tk::multiply(
                     tk::larger(943,
                                (A.stride[0] % 128 == 0 ? 456 : 723) + 304 +
                                (scale_a.stride[1] % 32 == 0 ? 15 : 23)) + 26,
                     tk::ceil_div(K, 128)), 2147418112);
    if (!choice.ok()) return tk::finish(choice.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    const int best = choice.best(site);
    if (best == 0) {
        return tk::finish(tk::run<gemm_fp8_blocks_kernel<192, 3, 6, 512, 12, 32, 41728, 160>>(
            site, sizeof(gemm_fp8_blocks_shared<192, 3, 6>),
            tk::kernel_shape(512).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 192), tk::ceil_div(N, 128)), tk::box{A, {192, 128}, 128},
            tk::box{B, {128, 128}, 128}, tk::box{scale_a, {1, 192}, 0}, tk::box{C, {64, 64}, 128},
            scale_b, C, M, K, N));
    }
    if (best == 1) {
        return tk::finish(tk::run<gemm_fp8_blocks_kernel<128, 5, 4, 384, 8, 24, 33280, 240>>(
            site, sizeof(gemm_fp8_blocks_shared<128, 5, 4>),
            tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), tk::box{A, {128, 128}, 128},
            tk::box{B, {128, 128}, 128}, tk::box{scale_a, {1, 128}, 0}, tk::box{C, {64, 64}, 128},
            scale_b, C, M, K, N));
    }
    if (best == 2) {
        return tk::finish(tk::run<gemm_fp8_blocks_low_kernel>(
            site, sizeof(gemm_fp8_blocks_low_shared),
            tk::kernel_shape(256).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 128)), tk::box{A, {64, 128}, 128},
            tk::box{B, {128, 128}, 128}, tk::box{scale_a, {1, 64}, 0}, tk::box{C, {64, 64}, 128},
            scale_b, C, M, K, N));
    }
    return tk::finish(tk::run<gemm_fp8_blocks_pairs_kernel>(
        site, sizeof(gemm_fp8_blocks_pairs_shared),
        tk::kernel_shape(512).in_clusters(2).at_once(1).overlapping(),
        tk::ceil_div(tk::multiply(tk::ceil_div(M, 192), tk::ceil_div(N, 128)), 2) * 2,
        tk::box{A, {192, 128}, 128}, tk::box{B, {64, 128}, 128}, tk::box{scale_a, {1, 192}, 0},
        tk::box{C, {64, 64}, 128}, scale_b, C, M, K, N));
}

int run_gemm_fp8_vectors(const char* function, tk::candidates offered, const DLTensor* A_given,
                         const DLTensor* scale_a_given, const DLTensor* B_given,
                         const DLTensor* scale_b_given, DLTensor* C_given, cudaStream_t stream) {
    tk::arguments call{function};
    const tk::tensor A = call.take("A", A_given, tk::dtype_fp8_e4m3, 2, tk::access::read);
    const tk::tensor scale_a = call.take("scale_a", scale_a_given, tk::dtype_f32, 2,
                                         tk::access::read);
    const tk::tensor B = call.take("B", B_given, tk::dtype_fp8_e4m3, 2, tk::access::read);
    const tk::tensor scale_b = call.take("scale_b", scale_b_given, tk::dtype_f32, 2,
                                         tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = A.shape[0];
    const int64_t K = A.shape[1];
    const int64_t N = B.shape[0];
    call.require(
        {tk::same_extent("M", A, 0, scale_a, 1), tk::same_extent("K", A, 1, B, 1),
         tk::same_extent("N", B, 0, scale_b, 1), tk::same_extent("M", A, 0, C, 0),
         tk::same_extent("N", B, 0, C, 1), tk::extents_fit({{"M", M}, {"K", K}, {"N", N}}),
         tk::that(scale_a.shape[0] == tk::floor_div(K, 128),
                  "axis 0 of `scale_a` is {}; it must be `K/128`, which is {}",
                  {scale_a.shape[0], tk::floor_div(K, 128)}),
         tk::that(scale_b.shape[0] == tk::floor_div(K, 128),
                  "axis 0 of `scale_b` is {}; it must be `K/128`, which is {}",
                  {scale_b.shape[0], tk::floor_div(K, 128)}),
         tk::that(K % 128 == 0, "`K/128` is an extent, but {} is no multiple of 128", {K}),
         tk::suits_tma_load(A, "K"), tk::suits_tma_load(scale_a, "M"), tk::suits_tma_load(B, "K"),
         tk::suits_tma_load(scale_b, "N"), tk::suits_tma_store(C, "N")});
    if (!call.ok()) return tk::finish(call.result());

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call, offered};
    choice.candidate();  // gemm_fp8_vectors
    choice.offer(tk::multiply(tk::ceil_div(M, 192), tk::ceil_div(N, 128)),
                 3060 +
                 tk::multiply(
                     tk::larger(1006,
                                (A.stride[0] % 128 == 0 ? 456 : 723) +
                                (B.stride[0] % 128 == 0 ? 304 : 482) +
                                (scale_a.stride[1] % 32 == 0 ? 15 : 23) +
                                (scale_b.stride[1] % 32 == 0 ? 10 : 16)) + 30,
                     tk::ceil_div(K, 128)), 2147418112);
    choice.candidate();  // gemm_fp8_vectors_square
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
                 2540 +
                 tk::multiply(
                     tk::larger(750,
                                (A.stride[0] % 128 == 0 ? 304 : 482) +
                                (B.stride[0] % 128 == 0 ? 304 : 482) +
                                (scale_a.stride[1] % 32 == 0 ? 10 : 16) +
                                (scale_b.stride[1] % 32 == 0 ? 10 : 16)) + 28,
                     tk::ceil_div(K, 128)), 2147418112);
    choice.candidate();  // gemm_fp8_vectors_low
    choice.offer(tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 128)),
                 2020 +
                 tk::multiply(
                     tk::larger(494,
                                (A.stride[0] % 128 == 0 ? 152 : 241) +
                                (B.stride[0] % 128 == 0 ? 304 : 482) +
                                (scale_a.stride[1] % 32 == 0 ? 5 : 8) +
                                (scale_b.stride[1] % 32 == 0 ? 10 : 16)) + 26,
                     tk::ceil_div(K, 128)), 2147418112);
    choice.candidate();  // gemm_fp8_vectors_pairs
    choice.offer(tk::ceil_div(tk::multiply(tk::ceil_div(M, 192), tk::ceil_div(N, 128)), 2) * 2,
                 3060 +
                 tk::multiply(
                     tk::larger(1006,
                                (A.stride[0] % 128 == 0 ? 456 : 723) + 304 +
                                (scale_a.stride[1] % 32 == 0 ? 15 : 23) +
                                (scale_b.stride[1] % 32 == 0 ? 10 : 16)) + 30,
                     tk::ceil_div(K, 128)), 2147418112);
    if (!choice.ok()) return tk::finish(choice.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    const int best = choice.best(site);
    if (best == 0) {
        return tk::finish(tk::run<gemm_fp8_vectors_kernel<192, 4, 6, 512, 12, 32, 42240, 160>>(
            site, sizeof(gemm_fp8_vectors_shared<192, 4, 6>),
            tk::kernel_shape(512).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 192), tk::ceil_div(N, 128)), tk::box{A, {192, 128}, 128},
            tk::box{B, {128, 128}, 128}, tk::box{scale_a, {1, 192}, 0},
            tk::box{scale_b, {1, 128}, 0}, tk::box{C, {64, 64}, 128}, C, M, K, N));
    }
    if (best == 1) {
        return tk::finish(tk::run<gemm_fp8_vectors_kernel<128, 5, 4, 384, 8, 24, 33792, 240>>(
            site, sizeof(gemm_fp8_vectors_shared<128, 5, 4>),
            tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), tk::box{A, {128, 128}, 128},
            tk::box{B, {128, 128}, 128}, tk::box{scale_a, {1, 128}, 0},
            tk::box{scale_b, {1, 128}, 0}, tk::box{C, {64, 64}, 128}, C, M, K, N));
    }
    if (best == 2) {
        return tk::finish(tk::run<gemm_fp8_vectors_low_kernel>(
            site, sizeof(gemm_fp8_vectors_low_shared),
            tk::kernel_shape(256).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 128)), tk::box{A, {64, 128}, 128},
            tk::box{B, {128, 128}, 128}, tk::box{scale_a, {1, 64}, 0},
            tk::box{scale_b, {1, 128}, 0}, tk::box{C, {64, 64}, 128}, C, M, K, N));
    }
    return tk::finish(tk::run<gemm_fp8_vectors_pairs_kernel>(
        site, sizeof(gemm_fp8_vectors_pairs_shared),
        tk::kernel_shape(512).in_clusters(2).at_once(1).overlapping(),
        tk::ceil_div(tk::multiply(tk::ceil_div(M, 192), tk::ceil_div(N, 128)), 2) * 2,
        tk::box{A, {192, 128}, 128}, tk::box{B, {64, 128}, 128}, tk::box{scale_a, {1, 192}, 0},
        tk::box{scale_b, {1, 128}, 0}, tk::box{C, {64, 64}, 128}, C, M, K, N));
}

}  // namespace

extern "C" {
int gemm_fp8_blocks(const DLTensor* A_given, const DLTensor* scale_a_given, const DLTensor* B_given,
                    const DLTensor* scale_b_given, DLTensor* C_given, void*, size_t,
                    cudaStream_t stream) {
    return run_gemm_fp8_blocks("gemm_fp8_blocks", {0, 1, 2, 3}, A_given, scale_a_given, B_given,
                               scale_b_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_fp8_blocks, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*)

int gemm_fp8_blocks_square(const DLTensor* A_given, const DLTensor* scale_a_given,
                           const DLTensor* B_given, const DLTensor* scale_b_given,
                           DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    return run_gemm_fp8_blocks("gemm_fp8_blocks_square", {1}, A_given, scale_a_given, B_given,
                               scale_b_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_fp8_blocks_square, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)

int gemm_fp8_blocks_low(const DLTensor* A_given, const DLTensor* scale_a_given,
                        const DLTensor* B_given, const DLTensor* scale_b_given, DLTensor* C_given,
                        void*, size_t, cudaStream_t stream) {
    return run_gemm_fp8_blocks("gemm_fp8_blocks_low", {2}, A_given, scale_a_given, B_given,
                               scale_b_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_fp8_blocks_low, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)

int gemm_fp8_blocks_pairs(const DLTensor* A_given, const DLTensor* scale_a_given,
                          const DLTensor* B_given, const DLTensor* scale_b_given, DLTensor* C_given,
                          void*, size_t, cudaStream_t stream) {
    return run_gemm_fp8_blocks("gemm_fp8_blocks_pairs", {3}, A_given, scale_a_given, B_given,
                               scale_b_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_fp8_blocks_pairs, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)

int gemm_fp8_blocks_f32(const DLTensor* A_given, const DLTensor* scale_a_given,
                        const DLTensor* B_given, const DLTensor* scale_b_given, DLTensor* C_given,
                        void*, size_t, cudaStream_t stream) {
    tk::arguments call{"gemm_fp8_blocks_f32"};
    const tk::tensor A = call.take("A", A_given, tk::dtype_fp8_e4m3, 2, tk::access::read);
    const tk::tensor scale_a = call.take("scale_a", scale_a_given, tk::dtype_f32, 2,
                                         tk::access::read);
    const tk::tensor B = call.take("B", B_given, tk::dtype_fp8_e4m3, 2, tk::access::read);
    const tk::tensor scale_b = call.take("scale_b", scale_b_given, tk::dtype_f32, 2,
                                         tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = A.shape[0];
    const int64_t K = A.shape[1];
    const int64_t N = B.shape[0];
    call.require(
        {tk::same_extent("M", A, 0, scale_a, 1), tk::same_extent("K", A, 1, B, 1),
         tk::same_extent("M", A, 0, C, 0), tk::same_extent("N", B, 0, C, 1),
         tk::extents_fit({{"M", M}, {"K", K}, {"N", N}}),
         tk::that(scale_a.shape[0] == tk::floor_div(K, 128),
                  "axis 0 of `scale_a` is {}; it must be `K/128`, which is {}",
                  {scale_a.shape[0], tk::floor_div(K, 128)}),
         tk::that(scale_b.shape[0] == tk::ceil_div(N, 128),
                  "axis 0 of `scale_b` is {}; it must be `ceil_div(N, 128)`, which is {}",
                  {scale_b.shape[0], tk::ceil_div(N, 128)}),
         tk::that(scale_b.shape[1] == tk::floor_div(K, 128),
                  "axis 1 of `scale_b` is {}; it must be `K/128`, which is {}",
                  {scale_b.shape[1], tk::floor_div(K, 128)}),
         tk::that(K % 128 == 0, "`K/128` is an extent, but {} is no multiple of 128", {K}),
         tk::suits_tma_load(A, "K"), tk::suits_tma_load(scale_a, "M"), tk::suits_tma_load(B, "K"),
         tk::suits_tma_store(C, "N"),
         tk::grid_fits(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), 2147418112)});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<gemm_fp8_blocks_f32_kernel>(
        site, sizeof(gemm_fp8_blocks_f32_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), tk::box{A, {128, 128}, 128},
        tk::box{B, {128, 128}, 128}, tk::box{scale_a, {1, 128}, 0}, tk::box{C, {64, 32}, 128},
        scale_b, C, M, K, N));
}
TK_NO_WORKSPACE(gemm_fp8_blocks_f32, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)

int gemm_fp8_vectors(const DLTensor* A_given, const DLTensor* scale_a_given,
                     const DLTensor* B_given, const DLTensor* scale_b_given, DLTensor* C_given,
                     void*, size_t, cudaStream_t stream) {
    return run_gemm_fp8_vectors("gemm_fp8_vectors", {0, 1, 2, 3}, A_given, scale_a_given, B_given,
                                scale_b_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_fp8_vectors, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)

int gemm_fp8_vectors_square(const DLTensor* A_given, const DLTensor* scale_a_given,
                            const DLTensor* B_given, const DLTensor* scale_b_given,
                            DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    return run_gemm_fp8_vectors("gemm_fp8_vectors_square", {1}, A_given, scale_a_given, B_given,
                                scale_b_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_fp8_vectors_square, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)

int gemm_fp8_vectors_low(const DLTensor* A_given, const DLTensor* scale_a_given,
                         const DLTensor* B_given, const DLTensor* scale_b_given, DLTensor* C_given,
                         void*, size_t, cudaStream_t stream) {
    return run_gemm_fp8_vectors("gemm_fp8_vectors_low", {2}, A_given, scale_a_given, B_given,
                                scale_b_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_fp8_vectors_low, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)

int gemm_fp8_vectors_pairs(const DLTensor* A_given, const DLTensor* scale_a_given,
                           const DLTensor* B_given, const DLTensor* scale_b_given,
                           DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    return run_gemm_fp8_vectors("gemm_fp8_vectors_pairs", {3}, A_given, scale_a_given, B_given,
                                scale_b_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_fp8_vectors_pairs, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)
}  // extern "C"
