// Made by tkc from gemm_fp8.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/cells.cuh"
#include "tk/operations/integer.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/ptx/wgmma_n160.cuh"
#include "tk/ptx/wgmma_n256.cuh"
#include "tk/tk.cuh"

// gemm_fp8: kernel gemm_fp8 with TA = fp8_e4m3, TB = fp8_e4m3, TC = bf16, BM = 128, BN = 256, BK =
// 128, CM = 1, WG = 2, S = 4, ALT = false.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 229440 bytes of shared memory; persistent:
// gemm_fp8_kernel<4, 256, 49152>.
// gemm_fp8_square: kernel gemm_fp8 with TA = fp8_e4m3, TB = fp8_e4m3, TC = bf16, BM = 128, BN =
// 128, BK = 128, CM = 1, WG = 2, S = 6, ALT = false.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 229472 bytes of shared memory; persistent:
// gemm_fp8_kernel<6, 128, 32768>.
template <int S, int BN>
struct gemm_fp8_shared {
    tk::shared_tile<tk::fp8_e4m3, 128, 128> ab_a[S];
    tk::shared_tile<tk::fp8_e4m3, BN, 128> ab_b[S];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[4];
    tk::pipeline<S> ab;
};
static_assert(__builtin_offsetof(gemm_fp8_shared<4, 256>, ab) == 229376);
static_assert(__builtin_offsetof(gemm_fp8_shared<6, 128>, ab) == 229376);

template <int S, int BN, int bytes>
__global__ void __launch_bounds__(384, 1) gemm_fp8_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap C_map, const tk::tensor_argument<tk::bf16, 2> C, int M,
    int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_fp8_shared<S, BN>& shared = *reinterpret_cast<gemm_fp8_shared<S, BN>*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, C_map);
        shared.ab.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_fp8.tk:14: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, BN);
        const int programs = m_tiles * n_tiles;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<S> ab_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 128;
                const int n = point.col * BN;

                // gemm_fp8.tk:15: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 128) {
                    shared.ab.begin(ab_next, bytes);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 n, k);
                    ab_next.advance();
                }
            }
        }
    } else {
        // gemm_fp8.tk:17: role consumer(WG warpgroups) alternate(ALT) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, BN);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<S> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * BN;

            // gemm_fp8.tk:18: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, BN> acc;
            tk::zero(acc);

            // gemm_fp8.tk:19: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
            tk::cursor<S> previous_ab;
            for (int k = 0; k < K; k += 128) {
                const tk::cursor<S> s = shared.ab.take(ab_next);
                tk::mma_async(acc, tk::rows<64>(shared.ab_a[s.stage], 64 * warpgroup),
                              tk::transposed(shared.ab_b[s.stage]));
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_fp8.tk:20: tma_store(C[m, n], TC(acc));
            #pragma unroll
            for (int panel = 0; panel < BN; panel += 64) {
                tk::store_shared(shared.consumer_C[warpgroup * 2 + panel / 64 % 2],
                                 tk::convert<tk::bf16>(tk::subtile<64, 64>(acc, 0, panel)), thread);
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

// gemm_fp8_tall: kernel gemm_fp8 with TA = fp8_e4m3, TB = fp8_e4m3, TC = bf16, BM = 256, BN = 128,
// BK = 128, CM = 1, WG = 2, S = 4, ALT = false.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 229440 bytes of shared memory; persistent.
struct gemm_fp8_tall_shared {
    tk::shared_tile<tk::fp8_e4m3, 256, 128> ab_a[4];
    tk::shared_tile<tk::fp8_e4m3, 128, 128> ab_b[4];
    tk::shared_tile<tk::bf16, 128, 64> consumer_C[2];
    tk::pipeline<4> ab;
};
static_assert(offsetof(gemm_fp8_tall_shared, ab) == 229376);

__global__ void __launch_bounds__(384, 1) gemm_fp8_tall_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap C_map, const tk::tensor_argument<tk::bf16, 2> C, int M,
    int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_fp8_tall_shared& shared = *reinterpret_cast<gemm_fp8_tall_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, C_map);
        shared.ab.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_fp8.tk:14: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 256);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<4> ab_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 256;
                const int n = point.col * 128;

                // gemm_fp8.tk:15: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 128) {
                    shared.ab.begin(ab_next, 49152);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 n, k);
                    ab_next.advance();
                }
            }
        }
    } else {
        // gemm_fp8.tk:17: role consumer(WG warpgroups) alternate(ALT) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 256);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<4> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 256;
            const int n = point.col * 128;

            // gemm_fp8.tk:18: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 128, 128> acc;
            tk::zero(acc);

            // gemm_fp8.tk:19: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
            tk::cursor<4> previous_ab;
            for (int k = 0; k < K; k += 128) {
                const tk::cursor<4> s = shared.ab.take(ab_next);
                tk::mma_async(acc, tk::rows<128>(shared.ab_a[s.stage], 128 * warpgroup),
                              tk::transposed(shared.ab_b[s.stage]));
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_fp8.tk:20: tma_store(C[m, n], TC(acc));
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                tk::store_shared(shared.consumer_C[warpgroup],
                                 tk::convert<tk::bf16>(tk::subtile<128, 64>(acc, 0, panel)),
                                 thread);
                tk::fence_async();
                tk::barrier_sync(1 + warpgroup, 128);
                if (N % 8 != 0 && N < n + panel + 64) {
                    tk::copy_to_global(
                        tk::dense_slice(C, {m + warpgroup * 128, n + panel},
                                        M - (m + warpgroup * 128), N - (n + panel)),
                        shared.consumer_C[warpgroup]);
                    if (leader) tk::tma_store_nothing();
                } else if (leader) {
                    tk::tma_store(C_map, shared.consumer_C[warpgroup], m + warpgroup * 128,
                                  n + panel);
                }
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

// gemm_fp8_pairs: kernel gemm_fp8 with TA = fp8_e4m3, TB = fp8_e4m3, TC = bf16, BM = 128, BN = 256,
// BK = 128, CM = 2, WG = 2, S = 4, ALT = false.
// producer: 1 warp, 40 registers a thread; consumer: 2 warpgroups, 232 registers a thread.
// 384 threads, 168 registers each at first, 229440 bytes of shared memory, clusters of 2 along m;
// persistent.
struct gemm_fp8_pairs_shared {
    tk::shared_tile<tk::fp8_e4m3, 128, 128> ab_a[4];
    tk::shared_tile<tk::fp8_e4m3, 256, 128> ab_b[4];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[4];
    tk::pipeline<4> ab;
};
static_assert(offsetof(gemm_fp8_pairs_shared, ab) == 229376);

__global__ void __launch_bounds__(384, 1) gemm_fp8_pairs_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap C_map, const tk::tensor_argument<tk::bf16, 2> C, int M,
    int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_fp8_pairs_shared& shared = *reinterpret_cast<gemm_fp8_pairs_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, C_map);
        shared.ab.init(1, 16);
        tk::publish_barriers();
    }
    tk::cluster_sync();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_fp8.tk:14: role producer(1 warp) {
        tk::registers_at_most<40>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 256);
        const int programs = tk::tiles(m_tiles * n_tiles, 2) * 2;
        if (warp == 8 && tk::elect_one()) {
            const int rank = tk::cluster_rank();
            tk::cursor<4> ab_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::cluster_point point = tk::raster_clusters<2>(program, m_tiles, n_tiles,
                                                                       16);
                const int m = point.row * 128;
                const int n = point.col * 256;

                // gemm_fp8.tk:15: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 128) {
                    shared.ab.begin(ab_next, 49152);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    if (point.together) {
                        tk::tma_load_multicast(
                            tk::rows<128>(shared.ab_b[ab_next.stage], 128 * rank), B_map,
                            shared.ab.full[ab_next.stage], 3, n + 128 * rank, k);
                    } else {
                        #pragma unroll
                        for (int piece = 0; piece < 2; piece += 1) {
                            tk::tma_load(tk::rows<128>(shared.ab_b[ab_next.stage], 128 * piece),
                                         B_map, shared.ab.full[ab_next.stage], n + 128 * piece, k);
                        }
                    }
                    ab_next.advance();
                }
            }
        }
    } else {
        // gemm_fp8.tk:17: role consumer(WG warpgroups) alternate(ALT) {
        tk::registers_at_least<232>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 256);
        const int programs = tk::tiles(m_tiles * n_tiles, 2) * 2;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<4> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::cluster_point point = tk::raster_clusters<2>(program, m_tiles, n_tiles, 16);
            const int m = point.row * 128;
            const int n = point.col * 256;

            // gemm_fp8.tk:18: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 256> acc;
            tk::zero(acc);

            // gemm_fp8.tk:19: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
            tk::cursor<4> previous_ab;
            for (int k = 0; k < K; k += 128) {
                const tk::cursor<4> s = shared.ab.take(ab_next);
                tk::mma_async(acc, tk::rows<64>(shared.ab_a[s.stage], 64 * warpgroup),
                              tk::transposed(shared.ab_b[s.stage]));
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release<2>(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release<2>(previous_ab);

            // gemm_fp8.tk:20: tma_store(C[m, n], TC(acc));
            #pragma unroll
            for (int panel = 0; panel < 256; panel += 64) {
                tk::store_shared(shared.consumer_C[warpgroup * 2 + panel / 64 % 2],
                                 tk::convert<tk::bf16>(tk::subtile<64, 64>(acc, 0, panel)), thread);
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

// gemm_fp8_turns: kernel gemm_fp8 with TA = fp8_e4m3, TB = fp8_e4m3, TC = bf16, BM = 128, BN = 160,
// BK = 128, CM = 1, WG = 2, S = 5, ALT = true.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups that alternate, 240 registers a
// thread.
// 384 threads, 168 registers each at first, 217168 bytes of shared memory; persistent.
struct gemm_fp8_turns_shared {
    tk::shared_tile<tk::fp8_e4m3, 128, 128> ab_a[5];
    tk::shared_tile<tk::fp8_e4m3, 160, 128> ab_b[5];
    tk::shared_tile<tk::bf16, 128, 32> consumer_C[4];
    tk::pipeline<5> ab;
};
static_assert(offsetof(gemm_fp8_turns_shared, ab) == 217088);

__global__ void __launch_bounds__(384, 1) gemm_fp8_turns_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap C_map, const tk::tensor_argument<tk::bf16, 2> C, int M,
    int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_fp8_turns_shared& shared = *reinterpret_cast<gemm_fp8_turns_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, C_map);
        shared.ab.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_fp8.tk:14: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 160);
        const int programs = m_tiles * n_tiles;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<5> ab_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 128;
                const int n = point.col * 160;

                // gemm_fp8.tk:15: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 128) {
                    shared.ab.begin(ab_next, 36864);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 n, k);
                    ab_next.advance();
                }
            }
        }
    } else {
        // gemm_fp8.tk:17: role consumer(WG warpgroups) alternate(ALT) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 160);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<5> ab_next;
        // Warpgroup 0 has the first turn.
        if (warpgroup == 1) tk::barrier_arrive(3, 256);
        const int ab_taken = tk::divide_up(K, 128);
        ab_next.skip(warpgroup * ab_taken);
        for (int program = blockIdx.x + warpgroup * gridDim.x; program < programs;
             program += 2 * gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * 160;

            // gemm_fp8.tk:18: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 128, 160> acc;
            tk::zero(acc);

            // gemm_fp8.tk:19: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
            tk::barrier_sync(3 + warpgroup, 256);
            tk::cursor<5> previous_ab;
            for (int k = 0; k < K; k += 128) {
                const tk::cursor<5> s = shared.ab.take(ab_next);
                tk::mma_async(acc, shared.ab_a[s.stage], tk::transposed(shared.ab_b[s.stage]));
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::barrier_arrive(4 - warpgroup, 256);
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_fp8.tk:20: tma_store(C[m, n], TC(acc));
            #pragma unroll
            for (int panel = 0; panel < 160; panel += 32) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                tk::store_shared(shared.consumer_C[warpgroup * 2 + panel / 32 % 2],
                                 tk::convert<tk::bf16>(tk::subtile<128, 32>(acc, 0, panel)),
                                 thread);
                tk::fence_async();
                tk::barrier_sync(1 + warpgroup, 128);
                if (N % 8 != 0 && N < n + panel + 32) {
                    tk::copy_to_global(tk::dense_slice(C, {m, n + panel}, M - m, N - (n + panel)),
                                       shared.consumer_C[warpgroup * 2 + panel / 32 % 2]);
                    if (leader) tk::tma_store_nothing();
                } else if (leader) {
                    tk::tma_store(C_map, shared.consumer_C[warpgroup * 2 + panel / 32 % 2], m,
                                  n + panel);
                }
            }

            // The elements of the programs in between are another warpgroup's.
            ab_next.skip(ab_taken);
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
        // Whose turn it is takes it, so that no arrival is left over.
        if (warpgroup == tk::turn_behind(programs, 2)) tk::barrier_sync(3 + warpgroup, 256);
    }
}

// gemm_fp8_turns_square: kernel gemm_fp8 with TA = fp8_e4m3, TB = fp8_e4m3, TC = bf16, BM = 128, BN
// = 128, BK = 128, CM = 1, WG = 2, S = 5, ALT = true.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups that alternate, 240 registers a
// thread.
// 384 threads, 168 registers each at first, 229456 bytes of shared memory; persistent.
struct gemm_fp8_turns_square_shared {
    tk::shared_tile<tk::fp8_e4m3, 128, 128> ab_a[5];
    tk::shared_tile<tk::fp8_e4m3, 128, 128> ab_b[5];
    tk::shared_tile<tk::bf16, 128, 64> consumer_C[4];
    tk::pipeline<5> ab;
};
static_assert(offsetof(gemm_fp8_turns_square_shared, ab) == 229376);

__global__ void __launch_bounds__(384, 1) gemm_fp8_turns_square_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap C_map, const tk::tensor_argument<tk::bf16, 2> C, int M,
    int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_fp8_turns_square_shared& shared = *reinterpret_cast<gemm_fp8_turns_square_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, C_map);
        shared.ab.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_fp8.tk:14: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<5> ab_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 128;
                const int n = point.col * 128;

                // gemm_fp8.tk:15: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 128) {
                    shared.ab.begin(ab_next, 32768);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 n, k);
                    ab_next.advance();
                }
            }
        }
    } else {
        // gemm_fp8.tk:17: role consumer(WG warpgroups) alternate(ALT) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<5> ab_next;
        // Warpgroup 0 has the first turn.
        if (warpgroup == 1) tk::barrier_arrive(3, 256);
        const int ab_taken = tk::divide_up(K, 128);
        ab_next.skip(warpgroup * ab_taken);
        for (int program = blockIdx.x + warpgroup * gridDim.x; program < programs;
             program += 2 * gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * 128;

            // gemm_fp8.tk:18: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 128, 128> acc;
            tk::zero(acc);

            // gemm_fp8.tk:19: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
            tk::barrier_sync(3 + warpgroup, 256);
            tk::cursor<5> previous_ab;
            for (int k = 0; k < K; k += 128) {
                const tk::cursor<5> s = shared.ab.take(ab_next);
                tk::mma_async(acc, shared.ab_a[s.stage], tk::transposed(shared.ab_b[s.stage]));
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::barrier_arrive(4 - warpgroup, 256);
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_fp8.tk:20: tma_store(C[m, n], TC(acc));
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                tk::store_shared(shared.consumer_C[warpgroup * 2 + panel / 64 % 2],
                                 tk::convert<tk::bf16>(tk::subtile<128, 64>(acc, 0, panel)),
                                 thread);
                tk::fence_async();
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                if (N % 8 != 0 && N < n + panel + 64) {
                    tk::copy_to_global(tk::dense_slice(C, {m, n + panel}, M - m, N - (n + panel)),
                                       shared.consumer_C[warpgroup * 2 + panel / 64 % 2]);
                    if (leader) tk::tma_store_nothing();
                } else if (leader) {
                    tk::tma_store(C_map, shared.consumer_C[warpgroup * 2 + panel / 64 % 2], m,
                                  n + panel);
                }
            }

            // The elements of the programs in between are another warpgroup's.
            ab_next.skip(ab_taken);
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
        // Whose turn it is takes it, so that no arrival is left over.
        if (warpgroup == tk::turn_behind(programs, 2)) tk::barrier_sync(3 + warpgroup, 256);
    }
}

// gemm_fp8_low: kernel gemm_fp8 with TA = fp8_e4m3, TB = fp8_e4m3, TC = bf16, BM = 64, BN = 128, BK
// = 128, CM = 1, WG = 1, S = 8, ALT = false.
// producer: 1 warp, 240 registers a thread; consumer: 1 warpgroup, 240 registers a thread.
// 256 threads, 255 registers each at first, 213120 bytes of shared memory; persistent.
struct gemm_fp8_low_shared {
    tk::shared_tile<tk::fp8_e4m3, 64, 128> ab_a[8];
    tk::shared_tile<tk::fp8_e4m3, 128, 128> ab_b[8];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[2];
    tk::pipeline<8> ab;
};
static_assert(offsetof(gemm_fp8_low_shared, ab) == 212992);

__global__ void __launch_bounds__(256, 1) gemm_fp8_low_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap C_map, const tk::tensor_argument<tk::bf16, 2> C, int M,
    int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_fp8_low_shared& shared = *reinterpret_cast<gemm_fp8_low_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, C_map);
        shared.ab.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 4) {
        // gemm_fp8.tk:14: role producer(1 warp) {
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(M, 64);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        if (warp == 4 && tk::elect_one()) {
            tk::cursor<8> ab_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 64;
                const int n = point.col * 128;

                // gemm_fp8.tk:15: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 128) {
                    shared.ab.begin(ab_next, 24576);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 n, k);
                    ab_next.advance();
                }
            }
        }
    } else {
        // gemm_fp8.tk:17: role consumer(WG warpgroups) alternate(ALT) {
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(M, 64);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<8> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 64;
            const int n = point.col * 128;

            // gemm_fp8.tk:18: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 128> acc;
            tk::zero(acc);

            // gemm_fp8.tk:19: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
            tk::cursor<8> previous_ab;
            for (int k = 0; k < K; k += 128) {
                const tk::cursor<8> s = shared.ab.take(ab_next);
                tk::mma_async(acc, shared.ab_a[s.stage], tk::transposed(shared.ab_b[s.stage]));
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_fp8.tk:20: tma_store(C[m, n], TC(acc));
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                tk::store_shared(shared.consumer_C[panel / 64 % 2],
                                 tk::convert<tk::bf16>(tk::subtile<64, 64>(acc, 0, panel)), thread);
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

// gemm_fp8_e5m2: kernel gemm_fp8 with TA = fp8_e5m2, TB = fp8_e4m3, TC = bf16, BM = 128, BN = 256,
// BK = 128, CM = 1, WG = 2, S = 4, ALT = false.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 229440 bytes of shared memory; persistent.
struct gemm_fp8_e5m2_shared {
    tk::shared_tile<tk::fp8_e5m2, 128, 128> ab_a[4];
    tk::shared_tile<tk::fp8_e4m3, 256, 128> ab_b[4];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[4];
    tk::pipeline<4> ab;
};
static_assert(offsetof(gemm_fp8_e5m2_shared, ab) == 229376);

__global__ void __launch_bounds__(384, 1) gemm_fp8_e5m2_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap C_map, const tk::tensor_argument<tk::bf16, 2> C, int M,
    int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_fp8_e5m2_shared& shared = *reinterpret_cast<gemm_fp8_e5m2_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, C_map);
        shared.ab.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_fp8.tk:14: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 256);
        const int programs = m_tiles * n_tiles;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<4> ab_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 128;
                const int n = point.col * 256;

                // gemm_fp8.tk:15: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 128) {
                    shared.ab.begin(ab_next, 49152);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 n, k);
                    ab_next.advance();
                }
            }
        }
    } else {
        // gemm_fp8.tk:17: role consumer(WG warpgroups) alternate(ALT) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 256);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<4> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * 256;

            // gemm_fp8.tk:18: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 256> acc;
            tk::zero(acc);

            // gemm_fp8.tk:19: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
            tk::cursor<4> previous_ab;
            for (int k = 0; k < K; k += 128) {
                const tk::cursor<4> s = shared.ab.take(ab_next);
                tk::mma_async(acc, tk::rows<64>(shared.ab_a[s.stage], 64 * warpgroup),
                              tk::transposed(shared.ab_b[s.stage]));
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_fp8.tk:20: tma_store(C[m, n], TC(acc));
            #pragma unroll
            for (int panel = 0; panel < 256; panel += 64) {
                tk::store_shared(shared.consumer_C[warpgroup * 2 + panel / 64 % 2],
                                 tk::convert<tk::bf16>(tk::subtile<64, 64>(acc, 0, panel)), thread);
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

// gemm_fp8_f32: kernel gemm_fp8 with TA = fp8_e4m3, TB = fp8_e4m3, TC = f32, BM = 128, BN = 256, BK
// = 128, CM = 1, WG = 2, S = 4, ALT = false.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 229440 bytes of shared memory; persistent.
struct gemm_fp8_f32_shared {
    tk::shared_tile<tk::fp8_e4m3, 128, 128> ab_a[4];
    tk::shared_tile<tk::fp8_e4m3, 256, 128> ab_b[4];
    tk::shared_tile<float, 64, 32> consumer_C[4];
    tk::pipeline<4> ab;
};
static_assert(offsetof(gemm_fp8_f32_shared, ab) == 229376);

__global__ void __launch_bounds__(384, 1) gemm_fp8_f32_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap C_map, const tk::tensor_argument<float, 2> C, int M, int K,
    int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_fp8_f32_shared& shared = *reinterpret_cast<gemm_fp8_f32_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, C_map);
        shared.ab.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_fp8.tk:14: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 256);
        const int programs = m_tiles * n_tiles;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<4> ab_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 128;
                const int n = point.col * 256;

                // gemm_fp8.tk:15: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 128) {
                    shared.ab.begin(ab_next, 49152);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 n, k);
                    ab_next.advance();
                }
            }
        }
    } else {
        // gemm_fp8.tk:17: role consumer(WG warpgroups) alternate(ALT) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 256);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<4> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * 256;

            // gemm_fp8.tk:18: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 256> acc;
            tk::zero(acc);

            // gemm_fp8.tk:19: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
            tk::cursor<4> previous_ab;
            for (int k = 0; k < K; k += 128) {
                const tk::cursor<4> s = shared.ab.take(ab_next);
                tk::mma_async(acc, tk::rows<64>(shared.ab_a[s.stage], 64 * warpgroup),
                              tk::transposed(shared.ab_b[s.stage]));
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_fp8.tk:20: tma_store(C[m, n], TC(acc));
            #pragma unroll
            for (int panel = 0; panel < 256; panel += 32) {
                tk::store_shared(shared.consumer_C[warpgroup * 2 + panel / 32 % 2],
                                 tk::subtile<64, 32>(acc, 0, panel), thread);
                tk::fence_async();
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                if (N % 4 != 0 && N < n + panel + 32) {
                    tk::copy_to_global(
                        tk::dense_slice(C, {m + warpgroup * 64, n + panel},
                                        M - (m + warpgroup * 64), N - (n + panel)),
                        shared.consumer_C[warpgroup * 2 + panel / 32 % 2]);
                    if (leader) tk::tma_store_nothing();
                } else if (leader) {
                    tk::tma_store(C_map, shared.consumer_C[warpgroup * 2 + panel / 32 % 2],
                                  m + warpgroup * 64, n + panel);
                }
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

// gemm_fp8_rows: kernel gemm_fp8_rows with TA = fp8_e4m3, TB = fp8_e4m3, TC = bf16, BM = 128, BN =
// 256, BK = 128, CM = 1, WG = 2, S = 4, ALT = false.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 230480 bytes of shared memory; persistent:
// gemm_fp8_rows_kernel<4, 256, 49152, 1024>.
// gemm_fp8_rows_square: kernel gemm_fp8_rows with TA = fp8_e4m3, TB = fp8_e4m3, TC = bf16, BM =
// 128, BN = 128, BK = 128, CM = 1, WG = 2, S = 6, ALT = false.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 230512 bytes of shared memory; persistent:
// gemm_fp8_rows_kernel<6, 128, 32768, 512>.
template <int S, int BN>
struct gemm_fp8_rows_shared {
    tk::shared_tile<tk::fp8_e4m3, 128, 128> ab_a[S];
    tk::shared_tile<tk::fp8_e4m3, BN, 128> ab_b[S];
    tk::shared_tile<float, 1, BN> scales_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[4];
    tk::pipeline<S> ab;
    tk::pipeline<1> scales;
};
static_assert(__builtin_offsetof(gemm_fp8_rows_shared<4, 256>, scales) == 230464);
static_assert(__builtin_offsetof(gemm_fp8_rows_shared<6, 128>, scales) == 230496);

template <int S, int BN, int bytes, int bytes_2>
__global__ void __launch_bounds__(384, 1) gemm_fp8_rows_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap scale_b_map, const __grid_constant__ CUtensorMap C_map,
    const tk::tensor_argument<const float, 1> scale_a, const tk::tensor_argument<tk::bf16, 2> C,
    int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_fp8_rows_shared<S, BN>& shared = *reinterpret_cast<gemm_fp8_rows_shared<S, BN>*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, scale_b_map, C_map);
        shared.ab.init(1, 8);
        shared.scales.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_fp8.tk:42: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, BN);
        const int programs = m_tiles * n_tiles;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<S> ab_next;
            tk::cursor<1> scales_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 128;
                const int n = point.col * BN;

                // gemm_fp8.tk:43: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 128) {
                    shared.ab.begin(ab_next, bytes);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 n, k);
                    ab_next.advance();
                }

                // gemm_fp8.tk:44: produce scales = tma_load(scale_b[n]);
                shared.scales.begin(scales_next, bytes_2);
                tk::tma_load(shared.scales_tile[scales_next.stage], scale_b_map,
                             shared.scales.full[scales_next.stage], n);
                scales_next.advance();
            }
        }
    } else {
        // gemm_fp8.tk:46: role consumer(WG warpgroups) alternate(ALT) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, BN);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<S> ab_next;
        tk::cursor<1> scales_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * BN;

            // gemm_fp8.tk:47: var rows: f32[BM, 1] = column(load(scale_a[m]));
            tk::column_fragment<float, 64> rows;
            tk::load_global(rows,
                            tk::slice<0, tk::no_axis>(scale_a, {m + 64 * warpgroup},
                                                      M - (m + 64 * warpgroup), 1), thread);

            // gemm_fp8.tk:48: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, BN> acc;
            tk::zero(acc);

            // gemm_fp8.tk:49: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
            tk::cursor<S> previous_ab;
            for (int k = 0; k < K; k += 128) {
                const tk::cursor<S> s = shared.ab.take(ab_next);
                tk::mma_async(acc, tk::rows<64>(shared.ab_a[s.stage], 64 * warpgroup),
                              tk::transposed(shared.ab_b[s.stage]));
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_fp8.tk:50: tma_store(C[m, n], TC(acc * rows * consume scales));
            const tk::cursor<1> scales_element = shared.scales.take(scales_next);
            const auto t0 = tk::in_place(shared.scales_tile[scales_element.stage], thread);
            tk::fragment<tk::bf16, 64, BN> t1;
            tk::map(t1, [](float acc, float rows, float t0) { return acc * rows * t0; },
                    acc, rows, t0);
            shared.scales.release_after_loads(scales_element);
            #pragma unroll
            for (int panel = 0; panel < BN; panel += 64) {
                tk::store_shared(shared.consumer_C[warpgroup * 2 + panel / 64 % 2],
                                 tk::subtile<64, 64>(t1, 0, panel), thread);
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

// gemm_fp8_rows_tall: kernel gemm_fp8_rows with TA = fp8_e4m3, TB = fp8_e4m3, TC = bf16, BM = 256,
// BN = 128, BK = 128, CM = 1, WG = 2, S = 4, ALT = false.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 230480 bytes of shared memory; persistent.
struct gemm_fp8_rows_tall_shared {
    tk::shared_tile<tk::fp8_e4m3, 256, 128> ab_a[4];
    tk::shared_tile<tk::fp8_e4m3, 128, 128> ab_b[4];
    tk::shared_tile<float, 1, 128> scales_tile[1];
    tk::shared_tile<tk::bf16, 128, 64> consumer_C[2];
    tk::pipeline<4> ab;
    tk::pipeline<1> scales;
};
static_assert(offsetof(gemm_fp8_rows_tall_shared, scales) == 230464);

__global__ void __launch_bounds__(384, 1) gemm_fp8_rows_tall_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap scale_b_map, const __grid_constant__ CUtensorMap C_map,
    const tk::tensor_argument<const float, 1> scale_a, const tk::tensor_argument<tk::bf16, 2> C,
    int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_fp8_rows_tall_shared& shared = *reinterpret_cast<gemm_fp8_rows_tall_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, scale_b_map, C_map);
        shared.ab.init(1, 8);
        shared.scales.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_fp8.tk:42: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 256);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<4> ab_next;
            tk::cursor<1> scales_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 256;
                const int n = point.col * 128;

                // gemm_fp8.tk:43: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 128) {
                    shared.ab.begin(ab_next, 49152);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 n, k);
                    ab_next.advance();
                }

                // gemm_fp8.tk:44: produce scales = tma_load(scale_b[n]);
                shared.scales.begin(scales_next, 512);
                tk::tma_load(shared.scales_tile[scales_next.stage], scale_b_map,
                             shared.scales.full[scales_next.stage], n);
                scales_next.advance();
            }
        }
    } else {
        // gemm_fp8.tk:46: role consumer(WG warpgroups) alternate(ALT) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 256);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<4> ab_next;
        tk::cursor<1> scales_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 256;
            const int n = point.col * 128;

            // gemm_fp8.tk:47: var rows: f32[BM, 1] = column(load(scale_a[m]));
            tk::column_fragment<float, 128> rows;
            tk::load_global(rows,
                            tk::slice<0, tk::no_axis>(scale_a, {m + 128 * warpgroup},
                                                      M - (m + 128 * warpgroup), 1), thread);

            // gemm_fp8.tk:48: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 128, 128> acc;
            tk::zero(acc);

            // gemm_fp8.tk:49: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
            tk::cursor<4> previous_ab;
            for (int k = 0; k < K; k += 128) {
                const tk::cursor<4> s = shared.ab.take(ab_next);
                tk::mma_async(acc, tk::rows<128>(shared.ab_a[s.stage], 128 * warpgroup),
                              tk::transposed(shared.ab_b[s.stage]));
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_fp8.tk:50: tma_store(C[m, n], TC(acc * rows * consume scales));
            const tk::cursor<1> scales_element = shared.scales.take(scales_next);
            const auto t0 = tk::in_place(shared.scales_tile[scales_element.stage], thread);
            tk::fragment<tk::bf16, 128, 128> t1;
            tk::map(t1, [](float acc, float rows, float t0) { return acc * rows * t0; },
                    acc, rows, t0);
            shared.scales.release_after_loads(scales_element);
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                tk::store_shared(shared.consumer_C[warpgroup], tk::subtile<128, 64>(t1, 0, panel),
                                 thread);
                tk::fence_async();
                tk::barrier_sync(1 + warpgroup, 128);
                if (N % 8 != 0 && N < n + panel + 64) {
                    tk::copy_to_global(
                        tk::dense_slice(C, {m + warpgroup * 128, n + panel},
                                        M - (m + warpgroup * 128), N - (n + panel)),
                        shared.consumer_C[warpgroup]);
                    if (leader) tk::tma_store_nothing();
                } else if (leader) {
                    tk::tma_store(C_map, shared.consumer_C[warpgroup], m + warpgroup * 128,
                                  n + panel);
                }
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

// gemm_fp8_rows_pairs: kernel gemm_fp8_rows with TA = fp8_e4m3, TB = fp8_e4m3, TC = bf16, BM = 128,
// BN = 256, BK = 128, CM = 2, WG = 2, S = 4, ALT = false.
// producer: 1 warp, 40 registers a thread; consumer: 2 warpgroups, 232 registers a thread.
// 384 threads, 168 registers each at first, 230480 bytes of shared memory, clusters of 2 along m;
// persistent.
struct gemm_fp8_rows_pairs_shared {
    tk::shared_tile<tk::fp8_e4m3, 128, 128> ab_a[4];
    tk::shared_tile<tk::fp8_e4m3, 256, 128> ab_b[4];
    tk::shared_tile<float, 1, 256> scales_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[4];
    tk::pipeline<4> ab;
    tk::pipeline<1> scales;
};
static_assert(offsetof(gemm_fp8_rows_pairs_shared, scales) == 230464);

__global__ void __launch_bounds__(384, 1) gemm_fp8_rows_pairs_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap scale_b_map, const __grid_constant__ CUtensorMap C_map,
    const tk::tensor_argument<const float, 1> scale_a, const tk::tensor_argument<tk::bf16, 2> C,
    int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_fp8_rows_pairs_shared& shared = *reinterpret_cast<gemm_fp8_rows_pairs_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, scale_b_map, C_map);
        shared.ab.init(1, 16);
        shared.scales.init(1, 8);
        tk::publish_barriers();
    }
    tk::cluster_sync();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_fp8.tk:42: role producer(1 warp) {
        tk::registers_at_most<40>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 256);
        const int programs = tk::tiles(m_tiles * n_tiles, 2) * 2;
        if (warp == 8 && tk::elect_one()) {
            const int rank = tk::cluster_rank();
            tk::cursor<4> ab_next;
            tk::cursor<1> scales_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::cluster_point point = tk::raster_clusters<2>(program, m_tiles, n_tiles,
                                                                       16);
                const int m = point.row * 128;
                const int n = point.col * 256;

                // gemm_fp8.tk:43: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 128) {
                    shared.ab.begin(ab_next, 49152);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    if (point.together) {
                        tk::tma_load_multicast(
                            tk::rows<128>(shared.ab_b[ab_next.stage], 128 * rank), B_map,
                            shared.ab.full[ab_next.stage], 3, n + 128 * rank, k);
                    } else {
                        #pragma unroll
                        for (int piece = 0; piece < 2; piece += 1) {
                            tk::tma_load(tk::rows<128>(shared.ab_b[ab_next.stage], 128 * piece),
                                         B_map, shared.ab.full[ab_next.stage], n + 128 * piece, k);
                        }
                    }
                    ab_next.advance();
                }

                // gemm_fp8.tk:44: produce scales = tma_load(scale_b[n]);
                shared.scales.begin(scales_next, 1024);
                tk::tma_load(shared.scales_tile[scales_next.stage], scale_b_map,
                             shared.scales.full[scales_next.stage], n);
                scales_next.advance();
            }
        }
    } else {
        // gemm_fp8.tk:46: role consumer(WG warpgroups) alternate(ALT) {
        tk::registers_at_least<232>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 256);
        const int programs = tk::tiles(m_tiles * n_tiles, 2) * 2;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<4> ab_next;
        tk::cursor<1> scales_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::cluster_point point = tk::raster_clusters<2>(program, m_tiles, n_tiles, 16);
            const int m = point.row * 128;
            const int n = point.col * 256;

            // gemm_fp8.tk:47: var rows: f32[BM, 1] = column(load(scale_a[m]));
            tk::column_fragment<float, 64> rows;
            tk::load_global(rows,
                            tk::slice<0, tk::no_axis>(scale_a, {m + 64 * warpgroup},
                                                      M - (m + 64 * warpgroup), 1), thread);

            // gemm_fp8.tk:48: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 256> acc;
            tk::zero(acc);

            // gemm_fp8.tk:49: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
            tk::cursor<4> previous_ab;
            for (int k = 0; k < K; k += 128) {
                const tk::cursor<4> s = shared.ab.take(ab_next);
                tk::mma_async(acc, tk::rows<64>(shared.ab_a[s.stage], 64 * warpgroup),
                              tk::transposed(shared.ab_b[s.stage]));
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release<2>(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release<2>(previous_ab);

            // gemm_fp8.tk:50: tma_store(C[m, n], TC(acc * rows * consume scales));
            const tk::cursor<1> scales_element = shared.scales.take(scales_next);
            const auto t0 = tk::in_place(shared.scales_tile[scales_element.stage], thread);
            tk::fragment<tk::bf16, 64, 256> t1;
            tk::map(t1, [](float acc, float rows, float t0) { return acc * rows * t0; },
                    acc, rows, t0);
            shared.scales.release_after_loads(scales_element);
            #pragma unroll
            for (int panel = 0; panel < 256; panel += 64) {
                tk::store_shared(shared.consumer_C[warpgroup * 2 + panel / 64 % 2],
                                 tk::subtile<64, 64>(t1, 0, panel), thread);
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

// gemm_fp8_rows_turns: kernel gemm_fp8_rows with TA = fp8_e4m3, TB = fp8_e4m3, TC = bf16, BM = 128,
// BN = 160, BK = 128, CM = 1, WG = 2, S = 5, ALT = true.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups that alternate, 240 registers a
// thread.
// 384 threads, 168 registers each at first, 218208 bytes of shared memory; persistent.
struct gemm_fp8_rows_turns_shared {
    tk::shared_tile<tk::fp8_e4m3, 128, 128> ab_a[5];
    tk::shared_tile<tk::fp8_e4m3, 160, 128> ab_b[5];
    tk::shared_tile<float, 1, 160> scales_tile[1];
    tk::shared_tile<tk::bf16, 128, 32> consumer_C[4];
    tk::pipeline<5> ab;
    tk::pipeline<1> scales;
};
static_assert(offsetof(gemm_fp8_rows_turns_shared, scales) == 218192);

__global__ void __launch_bounds__(384, 1) gemm_fp8_rows_turns_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap scale_b_map, const __grid_constant__ CUtensorMap C_map,
    const tk::tensor_argument<const float, 1> scale_a, const tk::tensor_argument<tk::bf16, 2> C,
    int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_fp8_rows_turns_shared& shared = *reinterpret_cast<gemm_fp8_rows_turns_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, scale_b_map, C_map);
        shared.ab.init(1, 4);
        shared.scales.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_fp8.tk:42: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 160);
        const int programs = m_tiles * n_tiles;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<5> ab_next;
            tk::cursor<1> scales_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 128;
                const int n = point.col * 160;

                // gemm_fp8.tk:43: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 128) {
                    shared.ab.begin(ab_next, 36864);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 n, k);
                    ab_next.advance();
                }

                // gemm_fp8.tk:44: produce scales = tma_load(scale_b[n]);
                shared.scales.begin(scales_next, 640);
                tk::tma_load(shared.scales_tile[scales_next.stage], scale_b_map,
                             shared.scales.full[scales_next.stage], n);
                scales_next.advance();
            }
        }
    } else {
        // gemm_fp8.tk:46: role consumer(WG warpgroups) alternate(ALT) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 160);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<5> ab_next;
        tk::cursor<1> scales_next;
        // Warpgroup 0 has the first turn.
        if (warpgroup == 1) tk::barrier_arrive(3, 256);
        const int ab_taken = tk::divide_up(K, 128);
        ab_next.skip(warpgroup * ab_taken);
        const int scales_taken = 1;
        scales_next.skip(warpgroup * scales_taken);
        for (int program = blockIdx.x + warpgroup * gridDim.x; program < programs;
             program += 2 * gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * 160;

            // gemm_fp8.tk:47: var rows: f32[BM, 1] = column(load(scale_a[m]));
            tk::column_fragment<float, 128> rows;
            tk::load_global(rows, tk::slice<0, tk::no_axis>(scale_a, {m}, M - m, 1), thread);

            // gemm_fp8.tk:48: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 128, 160> acc;
            tk::zero(acc);

            // gemm_fp8.tk:49: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
            tk::barrier_sync(3 + warpgroup, 256);
            tk::cursor<5> previous_ab;
            for (int k = 0; k < K; k += 128) {
                const tk::cursor<5> s = shared.ab.take(ab_next);
                tk::mma_async(acc, shared.ab_a[s.stage], tk::transposed(shared.ab_b[s.stage]));
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_fp8.tk:50: tma_store(C[m, n], TC(acc * rows * consume scales));
            const tk::cursor<1> scales_element = shared.scales.take(scales_next);
            tk::barrier_arrive(4 - warpgroup, 256);
            const auto t0 = tk::in_place(shared.scales_tile[scales_element.stage], thread);
            tk::fragment<tk::bf16, 128, 160> t1;
            tk::map(t1, [](float acc, float rows, float t0) { return acc * rows * t0; },
                    acc, rows, t0);
            shared.scales.release_after_loads(scales_element);
            #pragma unroll
            for (int panel = 0; panel < 160; panel += 32) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                tk::store_shared(shared.consumer_C[warpgroup * 2 + panel / 32 % 2],
                                 tk::subtile<128, 32>(t1, 0, panel), thread);
                tk::fence_async();
                tk::barrier_sync(1 + warpgroup, 128);
                if (N % 8 != 0 && N < n + panel + 32) {
                    tk::copy_to_global(tk::dense_slice(C, {m, n + panel}, M - m, N - (n + panel)),
                                       shared.consumer_C[warpgroup * 2 + panel / 32 % 2]);
                    if (leader) tk::tma_store_nothing();
                } else if (leader) {
                    tk::tma_store(C_map, shared.consumer_C[warpgroup * 2 + panel / 32 % 2], m,
                                  n + panel);
                }
            }

            // The elements of the programs in between are another warpgroup's.
            ab_next.skip(ab_taken);
            scales_next.skip(scales_taken);
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
        // Whose turn it is takes it, so that no arrival is left over.
        if (warpgroup == tk::turn_behind(programs, 2)) tk::barrier_sync(3 + warpgroup, 256);
    }
}

// gemm_fp8_rows_turns_square: kernel gemm_fp8_rows with TA = fp8_e4m3, TB = fp8_e4m3, TC = bf16, BM
// = 128, BN = 128, BK = 128, CM = 1, WG = 2, S = 5, ALT = true.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups that alternate, 240 registers a
// thread.
// 384 threads, 168 registers each at first, 230496 bytes of shared memory; persistent.
struct gemm_fp8_rows_turns_square_shared {
    tk::shared_tile<tk::fp8_e4m3, 128, 128> ab_a[5];
    tk::shared_tile<tk::fp8_e4m3, 128, 128> ab_b[5];
    tk::shared_tile<float, 1, 128> scales_tile[1];
    tk::shared_tile<tk::bf16, 128, 64> consumer_C[4];
    tk::pipeline<5> ab;
    tk::pipeline<1> scales;
};
static_assert(offsetof(gemm_fp8_rows_turns_square_shared, scales) == 230480);

__global__ void __launch_bounds__(384, 1) gemm_fp8_rows_turns_square_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap scale_b_map, const __grid_constant__ CUtensorMap C_map,
    const tk::tensor_argument<const float, 1> scale_a, const tk::tensor_argument<tk::bf16, 2> C,
    int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_fp8_rows_turns_square_shared& shared =
        *reinterpret_cast<gemm_fp8_rows_turns_square_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, scale_b_map, C_map);
        shared.ab.init(1, 4);
        shared.scales.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_fp8.tk:42: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<5> ab_next;
            tk::cursor<1> scales_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 128;
                const int n = point.col * 128;

                // gemm_fp8.tk:43: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 128) {
                    shared.ab.begin(ab_next, 32768);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 n, k);
                    ab_next.advance();
                }

                // gemm_fp8.tk:44: produce scales = tma_load(scale_b[n]);
                shared.scales.begin(scales_next, 512);
                tk::tma_load(shared.scales_tile[scales_next.stage], scale_b_map,
                             shared.scales.full[scales_next.stage], n);
                scales_next.advance();
            }
        }
    } else {
        // gemm_fp8.tk:46: role consumer(WG warpgroups) alternate(ALT) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<5> ab_next;
        tk::cursor<1> scales_next;
        // Warpgroup 0 has the first turn.
        if (warpgroup == 1) tk::barrier_arrive(3, 256);
        const int ab_taken = tk::divide_up(K, 128);
        ab_next.skip(warpgroup * ab_taken);
        const int scales_taken = 1;
        scales_next.skip(warpgroup * scales_taken);
        for (int program = blockIdx.x + warpgroup * gridDim.x; program < programs;
             program += 2 * gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * 128;

            // gemm_fp8.tk:47: var rows: f32[BM, 1] = column(load(scale_a[m]));
            tk::column_fragment<float, 128> rows;
            tk::load_global(rows, tk::slice<0, tk::no_axis>(scale_a, {m}, M - m, 1), thread);

            // gemm_fp8.tk:48: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 128, 128> acc;
            tk::zero(acc);

            // gemm_fp8.tk:49: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
            tk::barrier_sync(3 + warpgroup, 256);
            tk::cursor<5> previous_ab;
            for (int k = 0; k < K; k += 128) {
                const tk::cursor<5> s = shared.ab.take(ab_next);
                tk::mma_async(acc, shared.ab_a[s.stage], tk::transposed(shared.ab_b[s.stage]));
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_fp8.tk:50: tma_store(C[m, n], TC(acc * rows * consume scales));
            const tk::cursor<1> scales_element = shared.scales.take(scales_next);
            tk::barrier_arrive(4 - warpgroup, 256);
            const auto t0 = tk::in_place(shared.scales_tile[scales_element.stage], thread);
            tk::fragment<tk::bf16, 128, 128> t1;
            tk::map(t1, [](float acc, float rows, float t0) { return acc * rows * t0; },
                    acc, rows, t0);
            shared.scales.release_after_loads(scales_element);
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                tk::store_shared(shared.consumer_C[warpgroup * 2 + panel / 64 % 2],
                                 tk::subtile<128, 64>(t1, 0, panel), thread);
                tk::fence_async();
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                if (N % 8 != 0 && N < n + panel + 64) {
                    tk::copy_to_global(tk::dense_slice(C, {m, n + panel}, M - m, N - (n + panel)),
                                       shared.consumer_C[warpgroup * 2 + panel / 64 % 2]);
                    if (leader) tk::tma_store_nothing();
                } else if (leader) {
                    tk::tma_store(C_map, shared.consumer_C[warpgroup * 2 + panel / 64 % 2], m,
                                  n + panel);
                }
            }

            // The elements of the programs in between are another warpgroup's.
            ab_next.skip(ab_taken);
            scales_next.skip(scales_taken);
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
        // Whose turn it is takes it, so that no arrival is left over.
        if (warpgroup == tk::turn_behind(programs, 2)) tk::barrier_sync(3 + warpgroup, 256);
    }
}

// gemm_fp8_rows_low: kernel gemm_fp8_rows with TA = fp8_e4m3, TB = fp8_e4m3, TC = bf16, BM = 64, BN
// = 128, BK = 128, CM = 1, WG = 1, S = 8, ALT = false.
// producer: 1 warp, 240 registers a thread; consumer: 1 warpgroup, 240 registers a thread.
// 256 threads, 255 registers each at first, 214160 bytes of shared memory; persistent.
struct gemm_fp8_rows_low_shared {
    tk::shared_tile<tk::fp8_e4m3, 64, 128> ab_a[8];
    tk::shared_tile<tk::fp8_e4m3, 128, 128> ab_b[8];
    tk::shared_tile<float, 1, 128> scales_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[2];
    tk::pipeline<8> ab;
    tk::pipeline<1> scales;
};
static_assert(offsetof(gemm_fp8_rows_low_shared, scales) == 214144);

__global__ void __launch_bounds__(256, 1) gemm_fp8_rows_low_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap scale_b_map, const __grid_constant__ CUtensorMap C_map,
    const tk::tensor_argument<const float, 1> scale_a, const tk::tensor_argument<tk::bf16, 2> C,
    int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_fp8_rows_low_shared& shared = *reinterpret_cast<gemm_fp8_rows_low_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, scale_b_map, C_map);
        shared.ab.init(1, 4);
        shared.scales.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 4) {
        // gemm_fp8.tk:42: role producer(1 warp) {
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(M, 64);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        if (warp == 4 && tk::elect_one()) {
            tk::cursor<8> ab_next;
            tk::cursor<1> scales_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 64;
                const int n = point.col * 128;

                // gemm_fp8.tk:43: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 128) {
                    shared.ab.begin(ab_next, 24576);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 n, k);
                    ab_next.advance();
                }

                // gemm_fp8.tk:44: produce scales = tma_load(scale_b[n]);
                shared.scales.begin(scales_next, 512);
                tk::tma_load(shared.scales_tile[scales_next.stage], scale_b_map,
                             shared.scales.full[scales_next.stage], n);
                scales_next.advance();
            }
        }
    } else {
        // gemm_fp8.tk:46: role consumer(WG warpgroups) alternate(ALT) {
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(M, 64);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<8> ab_next;
        tk::cursor<1> scales_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 64;
            const int n = point.col * 128;

            // gemm_fp8.tk:47: var rows: f32[BM, 1] = column(load(scale_a[m]));
            tk::column_fragment<float, 64> rows;
            tk::load_global(rows, tk::slice<0, tk::no_axis>(scale_a, {m}, M - m, 1), thread);

            // gemm_fp8.tk:48: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 128> acc;
            tk::zero(acc);

            // gemm_fp8.tk:49: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
            tk::cursor<8> previous_ab;
            for (int k = 0; k < K; k += 128) {
                const tk::cursor<8> s = shared.ab.take(ab_next);
                tk::mma_async(acc, shared.ab_a[s.stage], tk::transposed(shared.ab_b[s.stage]));
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_fp8.tk:50: tma_store(C[m, n], TC(acc * rows * consume scales));
            const tk::cursor<1> scales_element = shared.scales.take(scales_next);
            const auto t0 = tk::in_place(shared.scales_tile[scales_element.stage], thread);
            tk::fragment<tk::bf16, 64, 128> t1;
            tk::map(t1, [](float acc, float rows, float t0) { return acc * rows * t0; },
                    acc, rows, t0);
            shared.scales.release_after_loads(scales_element);
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                tk::store_shared(shared.consumer_C[panel / 64 % 2],
                                 tk::subtile<64, 64>(t1, 0, panel), thread);
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

// gemm_fp8_rows_e5m2: kernel gemm_fp8_rows with TA = fp8_e5m2, TB = fp8_e4m3, TC = bf16, BM = 128,
// BN = 256, BK = 128, CM = 1, WG = 2, S = 4, ALT = false.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 230480 bytes of shared memory; persistent.
struct gemm_fp8_rows_e5m2_shared {
    tk::shared_tile<tk::fp8_e5m2, 128, 128> ab_a[4];
    tk::shared_tile<tk::fp8_e4m3, 256, 128> ab_b[4];
    tk::shared_tile<float, 1, 256> scales_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[4];
    tk::pipeline<4> ab;
    tk::pipeline<1> scales;
};
static_assert(offsetof(gemm_fp8_rows_e5m2_shared, scales) == 230464);

__global__ void __launch_bounds__(384, 1) gemm_fp8_rows_e5m2_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap scale_b_map, const __grid_constant__ CUtensorMap C_map,
    const tk::tensor_argument<const float, 1> scale_a, const tk::tensor_argument<tk::bf16, 2> C,
    int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_fp8_rows_e5m2_shared& shared = *reinterpret_cast<gemm_fp8_rows_e5m2_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, scale_b_map, C_map);
        shared.ab.init(1, 8);
        shared.scales.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_fp8.tk:42: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 256);
        const int programs = m_tiles * n_tiles;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<4> ab_next;
            tk::cursor<1> scales_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 128;
                const int n = point.col * 256;

                // gemm_fp8.tk:43: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 128) {
                    shared.ab.begin(ab_next, 49152);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 n, k);
                    ab_next.advance();
                }

                // gemm_fp8.tk:44: produce scales = tma_load(scale_b[n]);
                shared.scales.begin(scales_next, 1024);
                tk::tma_load(shared.scales_tile[scales_next.stage], scale_b_map,
                             shared.scales.full[scales_next.stage], n);
                scales_next.advance();
            }
        }
    } else {
        // gemm_fp8.tk:46: role consumer(WG warpgroups) alternate(ALT) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 256);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<4> ab_next;
        tk::cursor<1> scales_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * 256;

            // gemm_fp8.tk:47: var rows: f32[BM, 1] = column(load(scale_a[m]));
            tk::column_fragment<float, 64> rows;
            tk::load_global(rows,
                            tk::slice<0, tk::no_axis>(scale_a, {m + 64 * warpgroup},
                                                      M - (m + 64 * warpgroup), 1), thread);

            // gemm_fp8.tk:48: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 256> acc;
            tk::zero(acc);

            // gemm_fp8.tk:49: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
            tk::cursor<4> previous_ab;
            for (int k = 0; k < K; k += 128) {
                const tk::cursor<4> s = shared.ab.take(ab_next);
                tk::mma_async(acc, tk::rows<64>(shared.ab_a[s.stage], 64 * warpgroup),
                              tk::transposed(shared.ab_b[s.stage]));
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_fp8.tk:50: tma_store(C[m, n], TC(acc * rows * consume scales));
            const tk::cursor<1> scales_element = shared.scales.take(scales_next);
            const auto t0 = tk::in_place(shared.scales_tile[scales_element.stage], thread);
            tk::fragment<tk::bf16, 64, 256> t1;
            tk::map(t1, [](float acc, float rows, float t0) { return acc * rows * t0; },
                    acc, rows, t0);
            shared.scales.release_after_loads(scales_element);
            #pragma unroll
            for (int panel = 0; panel < 256; panel += 64) {
                tk::store_shared(shared.consumer_C[warpgroup * 2 + panel / 64 % 2],
                                 tk::subtile<64, 64>(t1, 0, panel), thread);
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

// gemm_fp8_rows_f32: kernel gemm_fp8_rows with TA = fp8_e4m3, TB = fp8_e4m3, TC = f32, BM = 128, BN
// = 256, BK = 128, CM = 1, WG = 2, S = 4, ALT = false.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 230480 bytes of shared memory; persistent.
struct gemm_fp8_rows_f32_shared {
    tk::shared_tile<tk::fp8_e4m3, 128, 128> ab_a[4];
    tk::shared_tile<tk::fp8_e4m3, 256, 128> ab_b[4];
    tk::shared_tile<float, 1, 256> scales_tile[1];
    tk::shared_tile<float, 64, 32> consumer_C[4];
    tk::pipeline<4> ab;
    tk::pipeline<1> scales;
};
static_assert(offsetof(gemm_fp8_rows_f32_shared, scales) == 230464);

__global__ void __launch_bounds__(384, 1) gemm_fp8_rows_f32_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap scale_b_map, const __grid_constant__ CUtensorMap C_map,
    const tk::tensor_argument<const float, 1> scale_a, const tk::tensor_argument<float, 2> C, int M,
    int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_fp8_rows_f32_shared& shared = *reinterpret_cast<gemm_fp8_rows_f32_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, scale_b_map, C_map);
        shared.ab.init(1, 8);
        shared.scales.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_fp8.tk:42: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 256);
        const int programs = m_tiles * n_tiles;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<4> ab_next;
            tk::cursor<1> scales_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 128;
                const int n = point.col * 256;

                // gemm_fp8.tk:43: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 128) {
                    shared.ab.begin(ab_next, 49152);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 n, k);
                    ab_next.advance();
                }

                // gemm_fp8.tk:44: produce scales = tma_load(scale_b[n]);
                shared.scales.begin(scales_next, 1024);
                tk::tma_load(shared.scales_tile[scales_next.stage], scale_b_map,
                             shared.scales.full[scales_next.stage], n);
                scales_next.advance();
            }
        }
    } else {
        // gemm_fp8.tk:46: role consumer(WG warpgroups) alternate(ALT) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 256);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<4> ab_next;
        tk::cursor<1> scales_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * 256;

            // gemm_fp8.tk:47: var rows: f32[BM, 1] = column(load(scale_a[m]));
            tk::column_fragment<float, 64> rows;
            tk::load_global(rows,
                            tk::slice<0, tk::no_axis>(scale_a, {m + 64 * warpgroup},
                                                      M - (m + 64 * warpgroup), 1), thread);

            // gemm_fp8.tk:48: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 256> acc;
            tk::zero(acc);

            // gemm_fp8.tk:49: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
            tk::cursor<4> previous_ab;
            for (int k = 0; k < K; k += 128) {
                const tk::cursor<4> s = shared.ab.take(ab_next);
                tk::mma_async(acc, tk::rows<64>(shared.ab_a[s.stage], 64 * warpgroup),
                              tk::transposed(shared.ab_b[s.stage]));
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_fp8.tk:50: tma_store(C[m, n], TC(acc * rows * consume scales));
            const tk::cursor<1> scales_element = shared.scales.take(scales_next);
            const auto t0 = tk::in_place(shared.scales_tile[scales_element.stage], thread);
            tk::fragment<float, 64, 256> t1;
            tk::map(t1, [](float acc, float rows, float t0) { return acc * rows * t0; },
                    acc, rows, t0);
            shared.scales.release_after_loads(scales_element);
            #pragma unroll
            for (int panel = 0; panel < 256; panel += 32) {
                tk::store_shared(shared.consumer_C[warpgroup * 2 + panel / 32 % 2],
                                 tk::subtile<64, 32>(t1, 0, panel), thread);
                tk::fence_async();
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                if (N % 4 != 0 && N < n + panel + 32) {
                    tk::copy_to_global(
                        tk::dense_slice(C, {m + warpgroup * 64, n + panel},
                                        M - (m + warpgroup * 64), N - (n + panel)),
                        shared.consumer_C[warpgroup * 2 + panel / 32 % 2]);
                    if (leader) tk::tma_store_nothing();
                } else if (leader) {
                    tk::tma_store(C_map, shared.consumer_C[warpgroup * 2 + panel / 32 % 2],
                                  m + warpgroup * 64, n + panel);
                }
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

// gemm_fp8_rows_fp8: kernel gemm_fp8_rows with TA = fp8_e4m3, TB = fp8_e4m3, TC = fp8_e4m3, BM =
// 128, BN = 256, BK = 128, CM = 1, WG = 2, S = 4, ALT = false.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 230480 bytes of shared memory; persistent.
struct gemm_fp8_rows_fp8_shared {
    tk::shared_tile<tk::fp8_e4m3, 128, 128> ab_a[4];
    tk::shared_tile<tk::fp8_e4m3, 256, 128> ab_b[4];
    tk::shared_tile<float, 1, 256> scales_tile[1];
    tk::shared_tile<tk::fp8_e4m3, 64, 128> consumer_C[4];
    tk::pipeline<4> ab;
    tk::pipeline<1> scales;
};
static_assert(offsetof(gemm_fp8_rows_fp8_shared, scales) == 230464);

__global__ void __launch_bounds__(384, 1) gemm_fp8_rows_fp8_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap scale_b_map, const __grid_constant__ CUtensorMap C_map,
    const tk::tensor_argument<const float, 1> scale_a, const tk::tensor_argument<tk::fp8_e4m3, 2> C,
    int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_fp8_rows_fp8_shared& shared = *reinterpret_cast<gemm_fp8_rows_fp8_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, scale_b_map, C_map);
        shared.ab.init(1, 8);
        shared.scales.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_fp8.tk:42: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 256);
        const int programs = m_tiles * n_tiles;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<4> ab_next;
            tk::cursor<1> scales_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 128;
                const int n = point.col * 256;

                // gemm_fp8.tk:43: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 128) {
                    shared.ab.begin(ab_next, 49152);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 n, k);
                    ab_next.advance();
                }

                // gemm_fp8.tk:44: produce scales = tma_load(scale_b[n]);
                shared.scales.begin(scales_next, 1024);
                tk::tma_load(shared.scales_tile[scales_next.stage], scale_b_map,
                             shared.scales.full[scales_next.stage], n);
                scales_next.advance();
            }
        }
    } else {
        // gemm_fp8.tk:46: role consumer(WG warpgroups) alternate(ALT) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 256);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<4> ab_next;
        tk::cursor<1> scales_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * 256;

            // gemm_fp8.tk:47: var rows: f32[BM, 1] = column(load(scale_a[m]));
            tk::column_fragment<float, 64> rows;
            tk::load_global(rows,
                            tk::slice<0, tk::no_axis>(scale_a, {m + 64 * warpgroup},
                                                      M - (m + 64 * warpgroup), 1), thread);

            // gemm_fp8.tk:48: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 256> acc;
            tk::zero(acc);

            // gemm_fp8.tk:49: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
            tk::cursor<4> previous_ab;
            for (int k = 0; k < K; k += 128) {
                const tk::cursor<4> s = shared.ab.take(ab_next);
                tk::mma_async(acc, tk::rows<64>(shared.ab_a[s.stage], 64 * warpgroup),
                              tk::transposed(shared.ab_b[s.stage]));
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_fp8.tk:50: tma_store(C[m, n], TC(acc * rows * consume scales));
            const tk::cursor<1> scales_element = shared.scales.take(scales_next);
            const auto t0 = tk::in_place(shared.scales_tile[scales_element.stage], thread);
            tk::fragment<tk::fp8_e4m3, 64, 256> t1;
            tk::map(t1, [](float acc, float rows, float t0) { return acc * rows * t0; },
                    acc, rows, t0);
            shared.scales.release_after_loads(scales_element);
            #pragma unroll
            for (int panel = 0; panel < 256; panel += 128) {
                tk::store_shared(shared.consumer_C[warpgroup * 2 + panel / 128 % 2],
                                 tk::subtile<64, 128>(t1, 0, panel), thread);
                tk::fence_async();
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                if (N % 16 != 0 && N < n + panel + 128) {
                    tk::copy_to_global(
                        tk::dense_slice(C, {m + warpgroup * 64, n + panel},
                                        M - (m + warpgroup * 64), N - (n + panel)),
                        shared.consumer_C[warpgroup * 2 + panel / 128 % 2]);
                    if (leader) tk::tma_store_nothing();
                } else if (leader) {
                    tk::tma_store(C_map, shared.consumer_C[warpgroup * 2 + panel / 128 % 2],
                                  m + warpgroup * 64, n + panel);
                }
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

// gemm_fp8_precise: kernel gemm_fp8_precise with TA = fp8_e4m3, TB = fp8_e4m3, TC = bf16, BM = 192,
// STAGES = 4, CM = 1.
// producer: 1 warp, 32 registers a thread; consumer: 3 warpgroups, 160 registers a thread.
// 512 threads, 128 registers each at first, 214096 bytes of shared memory; persistent:
// gemm_fp8_precise_kernel<192, 4, 6, 512, 12, 32, 40960, 160>.
// gemm_fp8_precise_square: kernel gemm_fp8_precise with TA = fp8_e4m3, TB = fp8_e4m3, TC = bf16, BM
// = 128, STAGES = 5, CM = 1.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 197728 bytes of shared memory; persistent:
// gemm_fp8_precise_kernel<128, 5, 4, 384, 8, 24, 32768, 240>.
template <int BM, int STAGES, int copies>
struct gemm_fp8_precise_shared {
    tk::shared_tile<tk::fp8_e4m3, BM, 128> ab_a[STAGES];
    tk::shared_tile<tk::fp8_e4m3, 128, 128> ab_b[STAGES];
    tk::shared_tile<float, 1, 128> scales_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[copies];
    tk::pipeline<STAGES> ab;
    tk::pipeline<1> scales;
};
static_assert(__builtin_offsetof(gemm_fp8_precise_shared<192, 4, 6>, scales) == 214080);
static_assert(__builtin_offsetof(gemm_fp8_precise_shared<128, 5, 4>, scales) == 197712);

template <int BM, int STAGES, int copies, int threads, int takers, int registers, int bytes,
          int registers_2>
__global__ void __launch_bounds__(threads, 1) gemm_fp8_precise_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap scale_b_map, const __grid_constant__ CUtensorMap C_map,
    const tk::tensor_argument<const float, 1> scale_a, const tk::tensor_argument<tk::bf16, 2> C,
    int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_fp8_precise_shared<BM, STAGES, copies>& shared =
        *reinterpret_cast<gemm_fp8_precise_shared<BM, STAGES, copies>*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, scale_b_map, C_map);
        shared.ab.init(1, takers);
        shared.scales.init(1, takers);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= takers) {
        // gemm_fp8.tk:74: role producer(1 warp) {
        tk::registers_at_most<registers>();
        const int m_tiles = tk::tiles(M, BM);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        if (warp == takers && tk::elect_one()) {
            tk::cursor<STAGES> ab_next;
            tk::cursor<1> scales_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * BM;
                const int n = point.col * 128;

                // gemm_fp8.tk:75: for k in K by 128 { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 128) {
                    shared.ab.begin(ab_next, bytes);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 n, k);
                    ab_next.advance();
                }

                // gemm_fp8.tk:76: produce scales = tma_load(scale_b[n]);
                shared.scales.begin(scales_next, 512);
                tk::tma_load(shared.scales_tile[scales_next.stage], scale_b_map,
                             shared.scales.full[scales_next.stage], n);
                scales_next.advance();
            }
        }
    } else {
        // gemm_fp8.tk:78: role consumer(BM / 64 warpgroups) {
        tk::registers_at_least<registers_2>();
        const int m_tiles = tk::tiles(M, BM);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<STAGES> ab_next;
        tk::cursor<1> scales_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * BM;
            const int n = point.col * 128;

            // gemm_fp8.tk:80: var acc: f32[BM, 128] = 0;
            tk::fragment<float, 64, 128> acc;
            tk::zero(acc);

            // gemm_fp8.tk:81: for k in K by 128 {
            for (int k = 0; k < K; k += 128) {
                // gemm_fp8.tk:82: consume ab as s {
                const tk::cursor<STAGES> s = shared.ab.take(ab_next);

                // gemm_fp8.tk:83: let t = mma(s.a, s.b.T);
                tk::fragment<float, 64, 128> t;
                tk::mma_async(t, tk::rows<64>(shared.ab_a[s.stage], 64 * warpgroup),
                              tk::transposed(shared.ab_b[s.stage]), tk::accumulate_never{});
                tk::mma_wait<0>(t);
                shared.ab.release(s);

                // gemm_fp8.tk:84: acc += t;
                tk::map(acc, [](float acc, float t) { return acc + t; }, acc, t);
            }

            // gemm_fp8.tk:87: tma_store(C[m, n], TC(acc * rows * consume scales));
            const tk::cursor<1> scales_element = shared.scales.take(scales_next);
            const auto t0 = tk::in_place(shared.scales_tile[scales_element.stage], thread);
            tk::fragment<tk::bf16, 64, 128> t2;
            tk::map(t2, thread, [&](int row, int, float acc, float t0) {
                return acc *
                    (m + 64 * warpgroup + row < M ? tk::cell(scale_a, m + 64 * warpgroup + row)
                     : float{}) * t0;
            }, acc, t0);
            shared.scales.release_after_loads(scales_element);
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                tk::store_shared(shared.consumer_C[warpgroup * 2 + panel / 64 % 2],
                                 tk::subtile<64, 64>(t2, 0, panel), thread);
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

// gemm_fp8_precise_low: kernel gemm_fp8_precise with TA = fp8_e4m3, TB = fp8_e4m3, TC = bf16, BM =
// 64, STAGES = 7, CM = 1.
// producer: 1 warp, 240 registers a thread; consumer: 1 warpgroup, 240 registers a thread.
// 256 threads, 255 registers each at first, 189568 bytes of shared memory; persistent.
struct gemm_fp8_precise_low_shared {
    tk::shared_tile<tk::fp8_e4m3, 64, 128> ab_a[7];
    tk::shared_tile<tk::fp8_e4m3, 128, 128> ab_b[7];
    tk::shared_tile<float, 1, 128> scales_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[2];
    tk::pipeline<7> ab;
    tk::pipeline<1> scales;
};
static_assert(offsetof(gemm_fp8_precise_low_shared, scales) == 189552);

__global__ void __launch_bounds__(256, 1) gemm_fp8_precise_low_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap scale_b_map, const __grid_constant__ CUtensorMap C_map,
    const tk::tensor_argument<const float, 1> scale_a, const tk::tensor_argument<tk::bf16, 2> C,
    int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_fp8_precise_low_shared& shared = *reinterpret_cast<gemm_fp8_precise_low_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, scale_b_map, C_map);
        shared.ab.init(1, 4);
        shared.scales.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 4) {
        // gemm_fp8.tk:74: role producer(1 warp) {
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(M, 64);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        if (warp == 4 && tk::elect_one()) {
            tk::cursor<7> ab_next;
            tk::cursor<1> scales_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 64;
                const int n = point.col * 128;

                // gemm_fp8.tk:75: for k in K by 128 { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 128) {
                    shared.ab.begin(ab_next, 24576);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 n, k);
                    ab_next.advance();
                }

                // gemm_fp8.tk:76: produce scales = tma_load(scale_b[n]);
                shared.scales.begin(scales_next, 512);
                tk::tma_load(shared.scales_tile[scales_next.stage], scale_b_map,
                             shared.scales.full[scales_next.stage], n);
                scales_next.advance();
            }
        }
    } else {
        // gemm_fp8.tk:78: role consumer(BM / 64 warpgroups) {
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(M, 64);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<7> ab_next;
        tk::cursor<1> scales_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 64;
            const int n = point.col * 128;

            // gemm_fp8.tk:80: var acc: f32[BM, 128] = 0;
            tk::fragment<float, 64, 128> acc;
            tk::zero(acc);

            // gemm_fp8.tk:81: for k in K by 128 {
            for (int k = 0; k < K; k += 128) {
                // gemm_fp8.tk:82: consume ab as s {
                const tk::cursor<7> s = shared.ab.take(ab_next);

                // gemm_fp8.tk:83: let t = mma(s.a, s.b.T);
                tk::fragment<float, 64, 128> t;
                tk::mma_async(t, shared.ab_a[s.stage], tk::transposed(shared.ab_b[s.stage]),
                              tk::accumulate_never{});
                tk::mma_wait<0>(t);
                shared.ab.release(s);

                // gemm_fp8.tk:84: acc += t;
                tk::map(acc, [](float acc, float t) { return acc + t; }, acc, t);
            }

            // gemm_fp8.tk:87: tma_store(C[m, n], TC(acc * rows * consume scales));
            const tk::cursor<1> scales_element = shared.scales.take(scales_next);
            const auto t0 = tk::in_place(shared.scales_tile[scales_element.stage], thread);
            tk::fragment<tk::bf16, 64, 128> t2;
            tk::map(t2, thread, [&](int row, int, float acc, float t0) {
                return acc * (m + row < M ? tk::cell(scale_a, m + row) : float{}) * t0;
            }, acc, t0);
            shared.scales.release_after_loads(scales_element);
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                tk::store_shared(shared.consumer_C[panel / 64 % 2],
                                 tk::subtile<64, 64>(t2, 0, panel), thread);
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

// gemm_fp8_precise_pairs: kernel gemm_fp8_precise with TA = fp8_e4m3, TB = fp8_e4m3, TC = bf16, BM
// = 192, STAGES = 4, CM = 2.
// producer: 1 warp, 32 registers a thread; consumer: 3 warpgroups, 160 registers a thread.
// 512 threads, 128 registers each at first, 214096 bytes of shared memory, clusters of 2 along m;
// persistent.
struct gemm_fp8_precise_pairs_shared {
    tk::shared_tile<tk::fp8_e4m3, 192, 128> ab_a[4];
    tk::shared_tile<tk::fp8_e4m3, 128, 128> ab_b[4];
    tk::shared_tile<float, 1, 128> scales_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[6];
    tk::pipeline<4> ab;
    tk::pipeline<1> scales;
};
static_assert(offsetof(gemm_fp8_precise_pairs_shared, scales) == 214080);

__global__ void __launch_bounds__(512, 1) gemm_fp8_precise_pairs_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap scale_b_map, const __grid_constant__ CUtensorMap C_map,
    const tk::tensor_argument<const float, 1> scale_a, const tk::tensor_argument<tk::bf16, 2> C,
    int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_fp8_precise_pairs_shared& shared =
        *reinterpret_cast<gemm_fp8_precise_pairs_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, scale_b_map, C_map);
        shared.ab.init(1, 24);
        shared.scales.init(1, 12);
        tk::publish_barriers();
    }
    tk::cluster_sync();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 12) {
        // gemm_fp8.tk:74: role producer(1 warp) {
        tk::registers_at_most<32>();
        const int m_tiles = tk::tiles(M, 192);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = tk::tiles(m_tiles * n_tiles, 2) * 2;
        if (warp == 12 && tk::elect_one()) {
            const int rank = tk::cluster_rank();
            tk::cursor<4> ab_next;
            tk::cursor<1> scales_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::cluster_point point = tk::raster_clusters<2>(program, m_tiles, n_tiles,
                                                                       16);
                const int m = point.row * 192;
                const int n = point.col * 128;

                // gemm_fp8.tk:75: for k in K by 128 { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 128) {
                    shared.ab.begin(ab_next, 40960);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
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
                    ab_next.advance();
                }

                // gemm_fp8.tk:76: produce scales = tma_load(scale_b[n]);
                shared.scales.begin(scales_next, 512);
                tk::tma_load(shared.scales_tile[scales_next.stage], scale_b_map,
                             shared.scales.full[scales_next.stage], n);
                scales_next.advance();
            }
        }
    } else {
        // gemm_fp8.tk:78: role consumer(BM / 64 warpgroups) {
        tk::registers_at_least<160>();
        const int m_tiles = tk::tiles(M, 192);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = tk::tiles(m_tiles * n_tiles, 2) * 2;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<4> ab_next;
        tk::cursor<1> scales_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::cluster_point point = tk::raster_clusters<2>(program, m_tiles, n_tiles, 16);
            const int m = point.row * 192;
            const int n = point.col * 128;

            // gemm_fp8.tk:80: var acc: f32[BM, 128] = 0;
            tk::fragment<float, 64, 128> acc;
            tk::zero(acc);

            // gemm_fp8.tk:81: for k in K by 128 {
            for (int k = 0; k < K; k += 128) {
                // gemm_fp8.tk:82: consume ab as s {
                const tk::cursor<4> s = shared.ab.take(ab_next);

                // gemm_fp8.tk:83: let t = mma(s.a, s.b.T);
                tk::fragment<float, 64, 128> t;
                tk::mma_async(t, tk::rows<64>(shared.ab_a[s.stage], 64 * warpgroup),
                              tk::transposed(shared.ab_b[s.stage]), tk::accumulate_never{});
                tk::mma_wait<0>(t);
                shared.ab.release<2>(s);

                // gemm_fp8.tk:84: acc += t;
                tk::map(acc, [](float acc, float t) { return acc + t; }, acc, t);
            }

            // gemm_fp8.tk:87: tma_store(C[m, n], TC(acc * rows * consume scales));
            const tk::cursor<1> scales_element = shared.scales.take(scales_next);
            const auto t0 = tk::in_place(shared.scales_tile[scales_element.stage], thread);
            tk::fragment<tk::bf16, 64, 128> t2;
            tk::map(t2, thread, [&](int row, int, float acc, float t0) {
                return acc *
                    (m + 64 * warpgroup + row < M ? tk::cell(scale_a, m + 64 * warpgroup + row)
                     : float{}) * t0;
            }, acc, t0);
            shared.scales.release_after_loads(scales_element);
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                tk::store_shared(shared.consumer_C[warpgroup * 2 + panel / 64 % 2],
                                 tk::subtile<64, 64>(t2, 0, panel), thread);
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
int run_gemm_fp8(const char* function, tk::candidates offered, const DLTensor* A_given,
                 const DLTensor* B_given, DLTensor* C_given, cudaStream_t stream) {
    tk::arguments call{function};
    const tk::tensor A = call.take("A", A_given, tk::dtype_fp8_e4m3, 2, tk::access::read);
    const tk::tensor B = call.take("B", B_given, tk::dtype_fp8_e4m3, 2, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = A.shape[0];
    const int64_t K = A.shape[1];
    const int64_t N = B.shape[0];
    call.require(
        {tk::same_extent("K", A, 1, B, 1), tk::same_extent("M", A, 0, C, 0),
         tk::same_extent("N", B, 0, C, 1), tk::extents_fit({{"M", M}, {"K", K}, {"N", N}}),
         tk::suits_tma_load(A, "K"), tk::suits_tma_load(B, "K"), tk::suits_tma_store(C, "N")});
    if (!call.ok()) return tk::finish(call.result());

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call, offered};
    choice.candidate();  // gemm_fp8
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)),
                 3580 +
                 tk::multiply(
                     tk::max_of(1024,
                                (A.stride[0] % 128 == 0 ? 304 : 482) +
                                (B.stride[0] % 128 == 0 ? 607 : 964)) + 20, tk::ceil_div(K, 128)),
                 2147418112);
    choice.candidate();  // gemm_fp8_tall
    choice.offer(tk::multiply(tk::ceil_div(M, 256), tk::ceil_div(N, 128)),
                 3580 +
                 tk::multiply(
                     tk::max_of(1024,
                                (A.stride[0] % 128 == 0 ? 607 : 964) +
                                (B.stride[0] % 128 == 0 ? 304 : 482)) + 20, tk::ceil_div(K, 128)),
                 2147418112);
    choice.candidate();  // gemm_fp8_square
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
                 2540 +
                 tk::multiply(
                     tk::max_of(512,
                                (A.stride[0] % 128 == 0 ? 304 : 482) +
                                (B.stride[0] % 128 == 0 ? 304 : 482)) + 20, tk::ceil_div(K, 128)),
                 2147418112);
    choice.candidate();  // gemm_fp8_pairs
    choice.offer(tk::ceil_div(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), 2) * 2,
                 3580 +
                 tk::multiply(tk::max_of(1024, (A.stride[0] % 128 == 0 ? 304 : 482) + 607) + 20,
                              tk::ceil_div(K, 128)), 2147418112);
    choice.candidate();  // gemm_fp8_turns
    choice.offer(
        tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 160)),
        tk::max_of(
            tk::multiply(
                tk::max_of(640,
                           (A.stride[0] % 128 == 0 ? 304 : 482) +
                           (B.stride[0] % 128 == 0 ? 380 : 603)) + 20, tk::ceil_div(K, 128)),
            tk::ceil_div(2800 +
                         tk::multiply(
                             tk::max_of(640,
                                        (A.stride[0] % 128 == 0 ? 304 : 482) +
                                        (B.stride[0] % 128 == 0 ? 380 : 603)) + 20,
                             tk::ceil_div(K, 128)), 2)) +
        tk::ceil_div(2800 +
                     tk::multiply(
                         tk::max_of(640,
                                    (A.stride[0] % 128 == 0 ? 304 : 482) +
                                    (B.stride[0] % 128 == 0 ? 380 : 603)) + 20,
                         tk::ceil_div(K, 128)) -
                     tk::max_of(
                         tk::multiply(
                             tk::max_of(640,
                                        (A.stride[0] % 128 == 0 ? 304 : 482) +
                                        (B.stride[0] % 128 == 0 ? 380 : 603)) + 20,
                             tk::ceil_div(K, 128)),
                         tk::ceil_div(2800 +
                                      tk::multiply(
                                          tk::max_of(640,
                                                     (A.stride[0] % 128 == 0 ? 304 : 482) +
                                                     (B.stride[0] % 128 == 0 ? 380 : 603)) + 20,
                                          tk::ceil_div(K, 128)), 2)),
                     tk::max_of(
                         tk::ceil_div(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 160)),
                                      132), 1)), 2147418112);
    choice.candidate();  // gemm_fp8_turns_square
    choice.offer(
        tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
        tk::max_of(
            tk::multiply(
                tk::max_of(512,
                           (A.stride[0] % 128 == 0 ? 304 : 482) +
                           (B.stride[0] % 128 == 0 ? 304 : 482)) + 20, tk::ceil_div(K, 128)),
            tk::ceil_div(2540 +
                         tk::multiply(
                             tk::max_of(512,
                                        (A.stride[0] % 128 == 0 ? 304 : 482) +
                                        (B.stride[0] % 128 == 0 ? 304 : 482)) + 20,
                             tk::ceil_div(K, 128)), 2)) +
        tk::ceil_div(2540 +
                     tk::multiply(
                         tk::max_of(512,
                                    (A.stride[0] % 128 == 0 ? 304 : 482) +
                                    (B.stride[0] % 128 == 0 ? 304 : 482)) + 20,
                         tk::ceil_div(K, 128)) -
                     tk::max_of(
                         tk::multiply(
                             tk::max_of(512,
                                        (A.stride[0] % 128 == 0 ? 304 : 482) +
                                        (B.stride[0] % 128 == 0 ? 304 : 482)) + 20,
                             tk::ceil_div(K, 128)),
                         tk::ceil_div(2540 +
                                      tk::multiply(
                                          tk::max_of(512,
                                                     (A.stride[0] % 128 == 0 ? 304 : 482) +
                                                     (B.stride[0] % 128 == 0 ? 304 : 482)) + 20,
                                          tk::ceil_div(K, 128)), 2)),
                     tk::max_of(
                         tk::ceil_div(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
                                      132), 1)), 2147418112);
    choice.candidate();  // gemm_fp8_low
    choice.offer(tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 128)),
                 2020 +
                 tk::multiply(
                     tk::max_of(256,
                                (A.stride[0] % 128 == 0 ? 152 : 241) +
                                (B.stride[0] % 128 == 0 ? 304 : 482)) + 20, tk::ceil_div(K, 128)),
                 2147418112);
    if (!choice.ok()) return tk::finish(choice.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    const int best = choice.best(site);
    if (best == 0) {
        return tk::finish(tk::run<gemm_fp8_kernel<4, 256, 49152>>(
            site, sizeof(gemm_fp8_shared<4, 256>),
            tk::kernel_shape(384).blocks_per_sm(1).programmatic_launch(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), tk::box{A, {128, 128}, 128},
            tk::box{B, {256, 128}, 128}, tk::box{C, {64, 64}, 128}, C, M, K, N));
    }
    if (best == 1) {
        return tk::finish(tk::run<gemm_fp8_tall_kernel>(
            site, sizeof(gemm_fp8_tall_shared),
            tk::kernel_shape(384).blocks_per_sm(1).programmatic_launch(),
            tk::multiply(tk::ceil_div(M, 256), tk::ceil_div(N, 128)), tk::box{A, {256, 128}, 128},
            tk::box{B, {128, 128}, 128}, tk::box{C, {128, 64}, 128}, C, M, K, N));
    }
    if (best == 2) {
        return tk::finish(tk::run<gemm_fp8_kernel<6, 128, 32768>>(
            site, sizeof(gemm_fp8_shared<6, 128>),
            tk::kernel_shape(384).blocks_per_sm(1).programmatic_launch(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), tk::box{A, {128, 128}, 128},
            tk::box{B, {128, 128}, 128}, tk::box{C, {64, 64}, 128}, C, M, K, N));
    }
    if (best == 3) {
        return tk::finish(tk::run<gemm_fp8_pairs_kernel>(
            site, sizeof(gemm_fp8_pairs_shared),
            tk::kernel_shape(384).in_clusters(2).blocks_per_sm(1).programmatic_launch(),
            tk::ceil_div(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), 2) * 2,
            tk::box{A, {128, 128}, 128}, tk::box{B, {128, 128}, 128}, tk::box{C, {64, 64}, 128}, C,
            M, K, N));
    }
    if (best == 4) {
        return tk::finish(tk::run<gemm_fp8_turns_kernel>(
            site, sizeof(gemm_fp8_turns_shared),
            tk::kernel_shape(384).blocks_per_sm(1).programmatic_launch(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 160)), tk::box{A, {128, 128}, 128},
            tk::box{B, {160, 128}, 128}, tk::box{C, {128, 32}, 64}, C, M, K, N));
    }
    if (best == 5) {
        return tk::finish(tk::run<gemm_fp8_turns_square_kernel>(
            site, sizeof(gemm_fp8_turns_square_shared),
            tk::kernel_shape(384).blocks_per_sm(1).programmatic_launch(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), tk::box{A, {128, 128}, 128},
            tk::box{B, {128, 128}, 128}, tk::box{C, {128, 64}, 128}, C, M, K, N));
    }
    return tk::finish(tk::run<gemm_fp8_low_kernel>(
        site, sizeof(gemm_fp8_low_shared),
        tk::kernel_shape(256).blocks_per_sm(1).programmatic_launch(),
        tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 128)), tk::box{A, {64, 128}, 128},
        tk::box{B, {128, 128}, 128}, tk::box{C, {64, 64}, 128}, C, M, K, N));
}

int run_gemm_fp8_rows(const char* function, tk::candidates offered, const DLTensor* A_given,
                      const DLTensor* B_given, const DLTensor* scale_a_given,
                      const DLTensor* scale_b_given, DLTensor* C_given, cudaStream_t stream) {
    tk::arguments call{function};
    const tk::tensor A = call.take("A", A_given, tk::dtype_fp8_e4m3, 2, tk::access::read);
    const tk::tensor B = call.take("B", B_given, tk::dtype_fp8_e4m3, 2, tk::access::read);
    const tk::tensor scale_a = call.take("scale_a", scale_a_given, tk::dtype_f32, 1,
                                         tk::access::read);
    const tk::tensor scale_b = call.take("scale_b", scale_b_given, tk::dtype_f32, 1,
                                         tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = A.shape[0];
    const int64_t K = A.shape[1];
    const int64_t N = B.shape[0];
    call.require(
        {tk::same_extent("K", A, 1, B, 1), tk::same_extent("M", A, 0, scale_a, 0),
         tk::same_extent("N", B, 0, scale_b, 0), tk::same_extent("M", A, 0, C, 0),
         tk::same_extent("N", B, 0, C, 1), tk::extents_fit({{"M", M}, {"K", K}, {"N", N}}),
         tk::suits_tma_load(A, "K"), tk::suits_tma_load(B, "K"), tk::suits_tma_load(scale_b, "N"),
         tk::suits_tma_store(C, "N")});
    if (!call.ok()) return tk::finish(call.result());

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call, offered};
    choice.candidate();  // gemm_fp8_rows
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)),
                 1500 + (tk::max_of(0, scale_b.stride[0] % 32 == 0 ? 19 : 31) + 828) + 1824 +
                 tk::multiply(
                     tk::max_of(1024,
                                (A.stride[0] % 128 == 0 ? 304 : 482) +
                                (B.stride[0] % 128 == 0 ? 607 : 964)) + 20, tk::ceil_div(K, 128)),
                 2147418112);
    choice.candidate();  // gemm_fp8_rows_tall
    choice.offer(tk::multiply(tk::ceil_div(M, 256), tk::ceil_div(N, 128)),
                 1500 + (tk::max_of(0, scale_b.stride[0] % 32 == 0 ? 10 : 16) + 856) + 1824 +
                 tk::multiply(
                     tk::max_of(1024,
                                (A.stride[0] % 128 == 0 ? 607 : 964) +
                                (B.stride[0] % 128 == 0 ? 304 : 482)) + 20, tk::ceil_div(K, 128)),
                 2147418112);
    choice.candidate();  // gemm_fp8_rows_square
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
                 1500 + (tk::max_of(0, scale_b.stride[0] % 32 == 0 ? 10 : 16) + 440) + 912 +
                 tk::multiply(
                     tk::max_of(512,
                                (A.stride[0] % 128 == 0 ? 304 : 482) +
                                (B.stride[0] % 128 == 0 ? 304 : 482)) + 20, tk::ceil_div(K, 128)),
                 2147418112);
    choice.candidate();  // gemm_fp8_rows_pairs
    choice.offer(tk::ceil_div(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), 2) * 2,
                 1500 + (tk::max_of(0, scale_b.stride[0] % 32 == 0 ? 19 : 31) + 828) + 1824 +
                 tk::multiply(tk::max_of(1024, (A.stride[0] % 128 == 0 ? 304 : 482) + 607) + 20,
                              tk::ceil_div(K, 128)), 2147418112);
    choice.candidate();  // gemm_fp8_rows_turns
    choice.offer(
        tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 160)),
        tk::max_of(
            tk::multiply(
                tk::max_of(640,
                           (A.stride[0] % 128 == 0 ? 304 : 482) +
                           (B.stride[0] % 128 == 0 ? 380 : 603)) + 20, tk::ceil_div(K, 128)),
            tk::ceil_div(1500 + (tk::max_of(0, scale_b.stride[0] % 32 == 0 ? 12 : 19) + 537) +
                         1140 +
                         tk::multiply(
                             tk::max_of(640,
                                        (A.stride[0] % 128 == 0 ? 304 : 482) +
                                        (B.stride[0] % 128 == 0 ? 380 : 603)) + 20,
                             tk::ceil_div(K, 128)), 2)) +
        tk::ceil_div(1500 + (tk::max_of(0, scale_b.stride[0] % 32 == 0 ? 12 : 19) + 537) + 1140 +
                     tk::multiply(
                         tk::max_of(640,
                                    (A.stride[0] % 128 == 0 ? 304 : 482) +
                                    (B.stride[0] % 128 == 0 ? 380 : 603)) + 20,
                         tk::ceil_div(K, 128)) -
                     tk::max_of(
                         tk::multiply(
                             tk::max_of(640,
                                        (A.stride[0] % 128 == 0 ? 304 : 482) +
                                        (B.stride[0] % 128 == 0 ? 380 : 603)) + 20,
                             tk::ceil_div(K, 128)),
                         tk::ceil_div(1500 +
                                      (tk::max_of(0, scale_b.stride[0] % 32 == 0 ? 12 : 19) + 537) +
                                      1140 +
                                      tk::multiply(
                                          tk::max_of(640,
                                                     (A.stride[0] % 128 == 0 ? 304 : 482) +
                                                     (B.stride[0] % 128 == 0 ? 380 : 603)) + 20,
                                          tk::ceil_div(K, 128)), 2)),
                     tk::max_of(
                         tk::ceil_div(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 160)),
                                      132), 1)), 2147418112);
    choice.candidate();  // gemm_fp8_rows_turns_square
    choice.offer(
        tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
        tk::max_of(
            tk::multiply(
                tk::max_of(512,
                           (A.stride[0] % 128 == 0 ? 304 : 482) +
                           (B.stride[0] % 128 == 0 ? 304 : 482)) + 20, tk::ceil_div(K, 128)),
            tk::ceil_div(1500 + (tk::max_of(0, scale_b.stride[0] % 32 == 0 ? 10 : 16) + 440) + 912 +
                         tk::multiply(
                             tk::max_of(512,
                                        (A.stride[0] % 128 == 0 ? 304 : 482) +
                                        (B.stride[0] % 128 == 0 ? 304 : 482)) + 20,
                             tk::ceil_div(K, 128)), 2)) +
        tk::ceil_div(1500 + (tk::max_of(0, scale_b.stride[0] % 32 == 0 ? 10 : 16) + 440) + 912 +
                     tk::multiply(
                         tk::max_of(512,
                                    (A.stride[0] % 128 == 0 ? 304 : 482) +
                                    (B.stride[0] % 128 == 0 ? 304 : 482)) + 20,
                         tk::ceil_div(K, 128)) -
                     tk::max_of(
                         tk::multiply(
                             tk::max_of(512,
                                        (A.stride[0] % 128 == 0 ? 304 : 482) +
                                        (B.stride[0] % 128 == 0 ? 304 : 482)) + 20,
                             tk::ceil_div(K, 128)),
                         tk::ceil_div(1500 +
                                      (tk::max_of(0, scale_b.stride[0] % 32 == 0 ? 10 : 16) + 440) +
                                      912 +
                                      tk::multiply(
                                          tk::max_of(512,
                                                     (A.stride[0] % 128 == 0 ? 304 : 482) +
                                                     (B.stride[0] % 128 == 0 ? 304 : 482)) + 20,
                                          tk::ceil_div(K, 128)), 2)),
                     tk::max_of(
                         tk::ceil_div(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
                                      132), 1)), 2147418112);
    choice.candidate();  // gemm_fp8_rows_low
    choice.offer(tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 128)),
                 1500 + (tk::max_of(0, scale_b.stride[0] % 32 == 0 ? 10 : 16) + 232) + 456 +
                 tk::multiply(
                     tk::max_of(256,
                                (A.stride[0] % 128 == 0 ? 152 : 241) +
                                (B.stride[0] % 128 == 0 ? 304 : 482)) + 20, tk::ceil_div(K, 128)),
                 2147418112);
    if (!choice.ok()) return tk::finish(choice.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    const int best = choice.best(site);
    if (best == 0) {
        return tk::finish(tk::run<gemm_fp8_rows_kernel<4, 256, 49152, 1024>>(
            site, sizeof(gemm_fp8_rows_shared<4, 256>),
            tk::kernel_shape(384).blocks_per_sm(1).programmatic_launch(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), tk::box{A, {128, 128}, 128},
            tk::box{B, {256, 128}, 128}, tk::box{scale_b, {256}, 0}, tk::box{C, {64, 64}, 128},
            scale_a, C, M, K, N));
    }
    if (best == 1) {
        return tk::finish(tk::run<gemm_fp8_rows_tall_kernel>(
            site, sizeof(gemm_fp8_rows_tall_shared),
            tk::kernel_shape(384).blocks_per_sm(1).programmatic_launch(),
            tk::multiply(tk::ceil_div(M, 256), tk::ceil_div(N, 128)), tk::box{A, {256, 128}, 128},
            tk::box{B, {128, 128}, 128}, tk::box{scale_b, {128}, 0}, tk::box{C, {128, 64}, 128},
            scale_a, C, M, K, N));
    }
    if (best == 2) {
        return tk::finish(tk::run<gemm_fp8_rows_kernel<6, 128, 32768, 512>>(
            site, sizeof(gemm_fp8_rows_shared<6, 128>),
            tk::kernel_shape(384).blocks_per_sm(1).programmatic_launch(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), tk::box{A, {128, 128}, 128},
            tk::box{B, {128, 128}, 128}, tk::box{scale_b, {128}, 0}, tk::box{C, {64, 64}, 128},
            scale_a, C, M, K, N));
    }
    if (best == 3) {
        return tk::finish(tk::run<gemm_fp8_rows_pairs_kernel>(
            site, sizeof(gemm_fp8_rows_pairs_shared),
            tk::kernel_shape(384).in_clusters(2).blocks_per_sm(1).programmatic_launch(),
            tk::ceil_div(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), 2) * 2,
            tk::box{A, {128, 128}, 128}, tk::box{B, {128, 128}, 128}, tk::box{scale_b, {256}, 0},
            tk::box{C, {64, 64}, 128}, scale_a, C, M, K, N));
    }
    if (best == 4) {
        return tk::finish(tk::run<gemm_fp8_rows_turns_kernel>(
            site, sizeof(gemm_fp8_rows_turns_shared),
            tk::kernel_shape(384).blocks_per_sm(1).programmatic_launch(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 160)), tk::box{A, {128, 128}, 128},
            tk::box{B, {160, 128}, 128}, tk::box{scale_b, {160}, 0}, tk::box{C, {128, 32}, 64},
            scale_a, C, M, K, N));
    }
    if (best == 5) {
        return tk::finish(tk::run<gemm_fp8_rows_turns_square_kernel>(
            site, sizeof(gemm_fp8_rows_turns_square_shared),
            tk::kernel_shape(384).blocks_per_sm(1).programmatic_launch(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), tk::box{A, {128, 128}, 128},
            tk::box{B, {128, 128}, 128}, tk::box{scale_b, {128}, 0}, tk::box{C, {128, 64}, 128},
            scale_a, C, M, K, N));
    }
    return tk::finish(tk::run<gemm_fp8_rows_low_kernel>(
        site, sizeof(gemm_fp8_rows_low_shared),
        tk::kernel_shape(256).blocks_per_sm(1).programmatic_launch(),
        tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 128)), tk::box{A, {64, 128}, 128},
        tk::box{B, {128, 128}, 128}, tk::box{scale_b, {128}, 0}, tk::box{C, {64, 64}, 128}, scale_a,
        C, M, K, N));
}

int run_gemm_fp8_precise(const char* function, tk::candidates offered, const DLTensor* A_given,
                         const DLTensor* B_given, const DLTensor* scale_a_given,
                         const DLTensor* scale_b_given, DLTensor* C_given, cudaStream_t stream) {
    tk::arguments call{function};
    const tk::tensor A = call.take("A", A_given, tk::dtype_fp8_e4m3, 2, tk::access::read);
    const tk::tensor B = call.take("B", B_given, tk::dtype_fp8_e4m3, 2, tk::access::read);
    const tk::tensor scale_a = call.take("scale_a", scale_a_given, tk::dtype_f32, 1,
                                         tk::access::read);
    const tk::tensor scale_b = call.take("scale_b", scale_b_given, tk::dtype_f32, 1,
                                         tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = A.shape[0];
    const int64_t K = A.shape[1];
    const int64_t N = B.shape[0];
    call.require(
        {tk::same_extent("K", A, 1, B, 1), tk::same_extent("M", A, 0, scale_a, 0),
         tk::same_extent("N", B, 0, scale_b, 0), tk::same_extent("M", A, 0, C, 0),
         tk::same_extent("N", B, 0, C, 1), tk::extents_fit({{"M", M}, {"K", K}, {"N", N}}),
         tk::suits_tma_load(A, "K"), tk::suits_tma_load(B, "K"), tk::suits_tma_load(scale_b, "N"),
         tk::suits_tma_store(C, "N")});
    if (!call.ok()) return tk::finish(call.result());

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call, offered};
    choice.candidate();  // gemm_fp8_precise
    choice.offer(tk::multiply(tk::ceil_div(M, 192), tk::ceil_div(N, 128)),
                 1500 + (tk::max_of(0, scale_b.stride[0] % 32 == 0 ? 10 : 16) + 792) + 1368 +
                 tk::multiply(
                     tk::max_of(942,
                                (A.stride[0] % 128 == 0 ? 456 : 723) +
                                (B.stride[0] % 128 == 0 ? 304 : 482)) + 20, tk::ceil_div(K, 128)),
                 2147418112);
    choice.candidate();  // gemm_fp8_precise_square
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
                 1500 + (tk::max_of(0, scale_b.stride[0] % 32 == 0 ? 10 : 16) + 536) + 912 +
                 tk::multiply(
                     tk::max_of(686,
                                (A.stride[0] % 128 == 0 ? 304 : 482) +
                                (B.stride[0] % 128 == 0 ? 304 : 482)) + 20, tk::ceil_div(K, 128)),
                 2147418112);
    choice.candidate();  // gemm_fp8_precise_low
    choice.offer(tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 128)),
                 1500 + (tk::max_of(0, scale_b.stride[0] % 32 == 0 ? 10 : 16) + 280) + 456 +
                 tk::multiply(
                     tk::max_of(430,
                                (A.stride[0] % 128 == 0 ? 152 : 241) +
                                (B.stride[0] % 128 == 0 ? 304 : 482)) + 20, tk::ceil_div(K, 128)),
                 2147418112);
    choice.candidate();  // gemm_fp8_precise_pairs
    choice.offer(tk::ceil_div(tk::multiply(tk::ceil_div(M, 192), tk::ceil_div(N, 128)), 2) * 2,
                 1500 + (tk::max_of(0, scale_b.stride[0] % 32 == 0 ? 10 : 16) + 792) + 1368 +
                 tk::multiply(tk::max_of(942, (A.stride[0] % 128 == 0 ? 456 : 723) + 304) + 20,
                              tk::ceil_div(K, 128)), 2147418112);
    if (!choice.ok()) return tk::finish(choice.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    const int best = choice.best(site);
    if (best == 0) {
        return tk::finish(tk::run<gemm_fp8_precise_kernel<192, 4, 6, 512, 12, 32, 40960, 160>>(
            site, sizeof(gemm_fp8_precise_shared<192, 4, 6>),
            tk::kernel_shape(512).blocks_per_sm(1).programmatic_launch(),
            tk::multiply(tk::ceil_div(M, 192), tk::ceil_div(N, 128)), tk::box{A, {192, 128}, 128},
            tk::box{B, {128, 128}, 128}, tk::box{scale_b, {128}, 0}, tk::box{C, {64, 64}, 128},
            scale_a, C, M, K, N));
    }
    if (best == 1) {
        return tk::finish(tk::run<gemm_fp8_precise_kernel<128, 5, 4, 384, 8, 24, 32768, 240>>(
            site, sizeof(gemm_fp8_precise_shared<128, 5, 4>),
            tk::kernel_shape(384).blocks_per_sm(1).programmatic_launch(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), tk::box{A, {128, 128}, 128},
            tk::box{B, {128, 128}, 128}, tk::box{scale_b, {128}, 0}, tk::box{C, {64, 64}, 128},
            scale_a, C, M, K, N));
    }
    if (best == 2) {
        return tk::finish(tk::run<gemm_fp8_precise_low_kernel>(
            site, sizeof(gemm_fp8_precise_low_shared),
            tk::kernel_shape(256).blocks_per_sm(1).programmatic_launch(),
            tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 128)), tk::box{A, {64, 128}, 128},
            tk::box{B, {128, 128}, 128}, tk::box{scale_b, {128}, 0}, tk::box{C, {64, 64}, 128},
            scale_a, C, M, K, N));
    }
    return tk::finish(tk::run<gemm_fp8_precise_pairs_kernel>(
        site, sizeof(gemm_fp8_precise_pairs_shared),
        tk::kernel_shape(512).in_clusters(2).blocks_per_sm(1).programmatic_launch(),
        tk::ceil_div(tk::multiply(tk::ceil_div(M, 192), tk::ceil_div(N, 128)), 2) * 2,
        tk::box{A, {192, 128}, 128}, tk::box{B, {64, 128}, 128}, tk::box{scale_b, {128}, 0},
        tk::box{C, {64, 64}, 128}, scale_a, C, M, K, N));
}

}  // namespace

extern "C" {
int gemm_fp8(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*, size_t,
             cudaStream_t stream) {
    return run_gemm_fp8("gemm_fp8", {0, 1, 2, 3, 4, 5, 6}, A_given, B_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_fp8, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_fp8_tall(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*,
                  size_t, cudaStream_t stream) {
    return run_gemm_fp8("gemm_fp8_tall", {1}, A_given, B_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_fp8_tall, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_fp8_square(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*,
                    size_t, cudaStream_t stream) {
    return run_gemm_fp8("gemm_fp8_square", {2}, A_given, B_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_fp8_square, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_fp8_pairs(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*,
                   size_t, cudaStream_t stream) {
    return run_gemm_fp8("gemm_fp8_pairs", {3}, A_given, B_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_fp8_pairs, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_fp8_turns(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*,
                   size_t, cudaStream_t stream) {
    return run_gemm_fp8("gemm_fp8_turns", {4}, A_given, B_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_fp8_turns, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_fp8_turns_square(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given,
                          void*, size_t, cudaStream_t stream) {
    return run_gemm_fp8("gemm_fp8_turns_square", {5}, A_given, B_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_fp8_turns_square, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_fp8_low(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*, size_t,
                 cudaStream_t stream) {
    return run_gemm_fp8("gemm_fp8_low", {6}, A_given, B_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_fp8_low, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_fp8_e5m2(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*,
                  size_t, cudaStream_t stream) {
    tk::arguments call{"gemm_fp8_e5m2"};
    const tk::tensor A = call.take("A", A_given, tk::dtype_fp8_e5m2, 2, tk::access::read);
    const tk::tensor B = call.take("B", B_given, tk::dtype_fp8_e4m3, 2, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = A.shape[0];
    const int64_t K = A.shape[1];
    const int64_t N = B.shape[0];
    call.require(
        {tk::same_extent("K", A, 1, B, 1), tk::same_extent("M", A, 0, C, 0),
         tk::same_extent("N", B, 0, C, 1), tk::extents_fit({{"M", M}, {"K", K}, {"N", N}}),
         tk::suits_tma_load(A, "K"), tk::suits_tma_load(B, "K"), tk::suits_tma_store(C, "N"),
         tk::grid_fits(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), 2147418112)});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<gemm_fp8_e5m2_kernel>(
        site, sizeof(gemm_fp8_e5m2_shared),
        tk::kernel_shape(384).blocks_per_sm(1).programmatic_launch(),
        tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), tk::box{A, {128, 128}, 128},
        tk::box{B, {256, 128}, 128}, tk::box{C, {64, 64}, 128}, C, M, K, N));
}
TK_NO_WORKSPACE(gemm_fp8_e5m2, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_fp8_f32(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*, size_t,
                 cudaStream_t stream) {
    tk::arguments call{"gemm_fp8_f32"};
    const tk::tensor A = call.take("A", A_given, tk::dtype_fp8_e4m3, 2, tk::access::read);
    const tk::tensor B = call.take("B", B_given, tk::dtype_fp8_e4m3, 2, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = A.shape[0];
    const int64_t K = A.shape[1];
    const int64_t N = B.shape[0];
    call.require(
        {tk::same_extent("K", A, 1, B, 1), tk::same_extent("M", A, 0, C, 0),
         tk::same_extent("N", B, 0, C, 1), tk::extents_fit({{"M", M}, {"K", K}, {"N", N}}),
         tk::suits_tma_load(A, "K"), tk::suits_tma_load(B, "K"), tk::suits_tma_store(C, "N"),
         tk::grid_fits(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), 2147418112)});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<gemm_fp8_f32_kernel>(
        site, sizeof(gemm_fp8_f32_shared),
        tk::kernel_shape(384).blocks_per_sm(1).programmatic_launch(),
        tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), tk::box{A, {128, 128}, 128},
        tk::box{B, {256, 128}, 128}, tk::box{C, {64, 32}, 128}, C, M, K, N));
}
TK_NO_WORKSPACE(gemm_fp8_f32, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_fp8_rows(const DLTensor* A_given, const DLTensor* B_given, const DLTensor* scale_a_given,
                  const DLTensor* scale_b_given, DLTensor* C_given, void*, size_t,
                  cudaStream_t stream) {
    return run_gemm_fp8_rows("gemm_fp8_rows", {0, 1, 2, 3, 4, 5, 6}, A_given, B_given,
                             scale_a_given, scale_b_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_fp8_rows, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*)

int gemm_fp8_rows_tall(const DLTensor* A_given, const DLTensor* B_given,
                       const DLTensor* scale_a_given, const DLTensor* scale_b_given,
                       DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    return run_gemm_fp8_rows("gemm_fp8_rows_tall", {1}, A_given, B_given, scale_a_given,
                             scale_b_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_fp8_rows_tall, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)

int gemm_fp8_rows_square(const DLTensor* A_given, const DLTensor* B_given,
                         const DLTensor* scale_a_given, const DLTensor* scale_b_given,
                         DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    return run_gemm_fp8_rows("gemm_fp8_rows_square", {2}, A_given, B_given, scale_a_given,
                             scale_b_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_fp8_rows_square, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)

int gemm_fp8_rows_pairs(const DLTensor* A_given, const DLTensor* B_given,
                        const DLTensor* scale_a_given, const DLTensor* scale_b_given,
                        DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    return run_gemm_fp8_rows("gemm_fp8_rows_pairs", {3}, A_given, B_given, scale_a_given,
                             scale_b_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_fp8_rows_pairs, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)

int gemm_fp8_rows_turns(const DLTensor* A_given, const DLTensor* B_given,
                        const DLTensor* scale_a_given, const DLTensor* scale_b_given,
                        DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    return run_gemm_fp8_rows("gemm_fp8_rows_turns", {4}, A_given, B_given, scale_a_given,
                             scale_b_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_fp8_rows_turns, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)

int gemm_fp8_rows_turns_square(const DLTensor* A_given, const DLTensor* B_given,
                               const DLTensor* scale_a_given, const DLTensor* scale_b_given,
                               DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    return run_gemm_fp8_rows("gemm_fp8_rows_turns_square", {5}, A_given, B_given, scale_a_given,
                             scale_b_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_fp8_rows_turns_square, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)

int gemm_fp8_rows_low(const DLTensor* A_given, const DLTensor* B_given,
                      const DLTensor* scale_a_given, const DLTensor* scale_b_given,
                      DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    return run_gemm_fp8_rows("gemm_fp8_rows_low", {6}, A_given, B_given, scale_a_given,
                             scale_b_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_fp8_rows_low, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)

int gemm_fp8_rows_e5m2(const DLTensor* A_given, const DLTensor* B_given,
                       const DLTensor* scale_a_given, const DLTensor* scale_b_given,
                       DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"gemm_fp8_rows_e5m2"};
    const tk::tensor A = call.take("A", A_given, tk::dtype_fp8_e5m2, 2, tk::access::read);
    const tk::tensor B = call.take("B", B_given, tk::dtype_fp8_e4m3, 2, tk::access::read);
    const tk::tensor scale_a = call.take("scale_a", scale_a_given, tk::dtype_f32, 1,
                                         tk::access::read);
    const tk::tensor scale_b = call.take("scale_b", scale_b_given, tk::dtype_f32, 1,
                                         tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = A.shape[0];
    const int64_t K = A.shape[1];
    const int64_t N = B.shape[0];
    call.require(
        {tk::same_extent("K", A, 1, B, 1), tk::same_extent("M", A, 0, scale_a, 0),
         tk::same_extent("N", B, 0, scale_b, 0), tk::same_extent("M", A, 0, C, 0),
         tk::same_extent("N", B, 0, C, 1), tk::extents_fit({{"M", M}, {"K", K}, {"N", N}}),
         tk::suits_tma_load(A, "K"), tk::suits_tma_load(B, "K"), tk::suits_tma_load(scale_b, "N"),
         tk::suits_tma_store(C, "N"),
         tk::grid_fits(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), 2147418112)});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<gemm_fp8_rows_e5m2_kernel>(
        site, sizeof(gemm_fp8_rows_e5m2_shared),
        tk::kernel_shape(384).blocks_per_sm(1).programmatic_launch(),
        tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), tk::box{A, {128, 128}, 128},
        tk::box{B, {256, 128}, 128}, tk::box{scale_b, {256}, 0}, tk::box{C, {64, 64}, 128}, scale_a,
        C, M, K, N));
}
TK_NO_WORKSPACE(gemm_fp8_rows_e5m2, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)

int gemm_fp8_rows_f32(const DLTensor* A_given, const DLTensor* B_given,
                      const DLTensor* scale_a_given, const DLTensor* scale_b_given,
                      DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"gemm_fp8_rows_f32"};
    const tk::tensor A = call.take("A", A_given, tk::dtype_fp8_e4m3, 2, tk::access::read);
    const tk::tensor B = call.take("B", B_given, tk::dtype_fp8_e4m3, 2, tk::access::read);
    const tk::tensor scale_a = call.take("scale_a", scale_a_given, tk::dtype_f32, 1,
                                         tk::access::read);
    const tk::tensor scale_b = call.take("scale_b", scale_b_given, tk::dtype_f32, 1,
                                         tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = A.shape[0];
    const int64_t K = A.shape[1];
    const int64_t N = B.shape[0];
    call.require(
        {tk::same_extent("K", A, 1, B, 1), tk::same_extent("M", A, 0, scale_a, 0),
         tk::same_extent("N", B, 0, scale_b, 0), tk::same_extent("M", A, 0, C, 0),
         tk::same_extent("N", B, 0, C, 1), tk::extents_fit({{"M", M}, {"K", K}, {"N", N}}),
         tk::suits_tma_load(A, "K"), tk::suits_tma_load(B, "K"), tk::suits_tma_load(scale_b, "N"),
         tk::suits_tma_store(C, "N"),
         tk::grid_fits(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), 2147418112)});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<gemm_fp8_rows_f32_kernel>(
        site, sizeof(gemm_fp8_rows_f32_shared),
        tk::kernel_shape(384).blocks_per_sm(1).programmatic_launch(),
        tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), tk::box{A, {128, 128}, 128},
        tk::box{B, {256, 128}, 128}, tk::box{scale_b, {256}, 0}, tk::box{C, {64, 32}, 128}, scale_a,
        C, M, K, N));
}
TK_NO_WORKSPACE(gemm_fp8_rows_f32, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)

int gemm_fp8_rows_fp8(const DLTensor* A_given, const DLTensor* B_given,
                      const DLTensor* scale_a_given, const DLTensor* scale_b_given,
                      DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"gemm_fp8_rows_fp8"};
    const tk::tensor A = call.take("A", A_given, tk::dtype_fp8_e4m3, 2, tk::access::read);
    const tk::tensor B = call.take("B", B_given, tk::dtype_fp8_e4m3, 2, tk::access::read);
    const tk::tensor scale_a = call.take("scale_a", scale_a_given, tk::dtype_f32, 1,
                                         tk::access::read);
    const tk::tensor scale_b = call.take("scale_b", scale_b_given, tk::dtype_f32, 1,
                                         tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_fp8_e4m3, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = A.shape[0];
    const int64_t K = A.shape[1];
    const int64_t N = B.shape[0];
    call.require(
        {tk::same_extent("K", A, 1, B, 1), tk::same_extent("M", A, 0, scale_a, 0),
         tk::same_extent("N", B, 0, scale_b, 0), tk::same_extent("M", A, 0, C, 0),
         tk::same_extent("N", B, 0, C, 1), tk::extents_fit({{"M", M}, {"K", K}, {"N", N}}),
         tk::suits_tma_load(A, "K"), tk::suits_tma_load(B, "K"), tk::suits_tma_load(scale_b, "N"),
         tk::suits_tma_store(C, "N"),
         tk::grid_fits(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), 2147418112)});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<gemm_fp8_rows_fp8_kernel>(
        site, sizeof(gemm_fp8_rows_fp8_shared),
        tk::kernel_shape(384).blocks_per_sm(1).programmatic_launch(),
        tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), tk::box{A, {128, 128}, 128},
        tk::box{B, {256, 128}, 128}, tk::box{scale_b, {256}, 0}, tk::box{C, {64, 128}, 128},
        scale_a, C, M, K, N));
}
TK_NO_WORKSPACE(gemm_fp8_rows_fp8, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)

int gemm_fp8_precise(const DLTensor* A_given, const DLTensor* B_given,
                     const DLTensor* scale_a_given, const DLTensor* scale_b_given,
                     DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    return run_gemm_fp8_precise("gemm_fp8_precise", {0, 1, 2, 3}, A_given, B_given, scale_a_given,
                                scale_b_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_fp8_precise, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)

int gemm_fp8_precise_square(const DLTensor* A_given, const DLTensor* B_given,
                            const DLTensor* scale_a_given, const DLTensor* scale_b_given,
                            DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    return run_gemm_fp8_precise("gemm_fp8_precise_square", {1}, A_given, B_given, scale_a_given,
                                scale_b_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_fp8_precise_square, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)

int gemm_fp8_precise_low(const DLTensor* A_given, const DLTensor* B_given,
                         const DLTensor* scale_a_given, const DLTensor* scale_b_given,
                         DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    return run_gemm_fp8_precise("gemm_fp8_precise_low", {2}, A_given, B_given, scale_a_given,
                                scale_b_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_fp8_precise_low, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)

int gemm_fp8_precise_pairs(const DLTensor* A_given, const DLTensor* B_given,
                           const DLTensor* scale_a_given, const DLTensor* scale_b_given,
                           DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    return run_gemm_fp8_precise("gemm_fp8_precise_pairs", {3}, A_given, B_given, scale_a_given,
                                scale_b_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_fp8_precise_pairs, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)
}  // extern "C"
