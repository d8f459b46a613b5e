// Made by tkc from gemm_nt.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/integer.cuh"
#include "tk/ptx/wgmma_n032.cuh"
#include "tk/ptx/wgmma_n048.cuh"
#include "tk/ptx/wgmma_n064.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/ptx/wgmma_n192.cuh"
#include "tk/ptx/wgmma_n224.cuh"
#include "tk/ptx/wgmma_n256.cuh"
#include "tk/tk.cuh"

// gemm_nt: kernel gemm_nt with BM = 128, BN = 256, BK = 64, CM = 1, WG = 2, S = 4, W = 8, ALT =
// false.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 229440 bytes of shared memory; persistent:
// gemm_nt_kernel<4, 256, 49152>.
// gemm_nt_square: kernel gemm_nt with BM = 128, BN = 128, BK = 64, CM = 1, WG = 2, S = 6, W = 8,
// ALT = false.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 229472 bytes of shared memory; persistent:
// gemm_nt_kernel<6, 128, 32768>.
template <int S, int BN>
struct gemm_nt_shared {
    tk::shared_tile<tk::bf16, 128, 64> ab_a[S];
    tk::shared_tile<tk::bf16, BN, 64> ab_b[S];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[4];
    tk::pipeline<S> ab;
};
static_assert(__builtin_offsetof(gemm_nt_shared<4, 256>, ab) == 229376);
static_assert(__builtin_offsetof(gemm_nt_shared<6, 128>, ab) == 229376);

template <int S, int BN, int bytes>
__global__ void __launch_bounds__(384, 1) gemm_nt_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap C_map, const tk::tensor_argument<tk::bf16, 2> C, int M,
    int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_nt_shared<S, BN>& shared = *reinterpret_cast<gemm_nt_shared<S, BN>*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, C_map);
        shared.ab.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_nt.tk:12: role producer(1 warp) {
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

                // gemm_nt.tk:13: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 64) {
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
        // gemm_nt.tk:15: role consumer(WG warpgroups) alternate(ALT) {
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

            // gemm_nt.tk:16: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, BN> acc;
            tk::zero(acc);

            // gemm_nt.tk:17: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
            tk::cursor<S> previous_ab;
            for (int k = 0; k < K; k += 64) {
                const tk::cursor<S> s = shared.ab.take(ab_next);
                tk::mma_async(acc, tk::rows<64>(shared.ab_a[s.stage], 64 * warpgroup),
                              tk::transposed(shared.ab_b[s.stage]));
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_nt.tk:18: tma_store(C[m, n], bf16(acc));
            #pragma unroll
            for (int panel = 0; panel < BN; panel += 64) {
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

// gemm_nt_pairs: kernel gemm_nt with BM = 128, BN = 256, BK = 64, CM = 2, WG = 2, S = 4, W = 8, ALT
// = false.
// producer: 1 warp, 40 registers a thread; consumer: 2 warpgroups, 232 registers a thread.
// 384 threads, 168 registers each at first, 229440 bytes of shared memory, clusters of 2 along m;
// persistent.
struct gemm_nt_pairs_shared {
    tk::shared_tile<tk::bf16, 128, 64> ab_a[4];
    tk::shared_tile<tk::bf16, 256, 64> ab_b[4];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[4];
    tk::pipeline<4> ab;
};
static_assert(offsetof(gemm_nt_pairs_shared, ab) == 229376);

__global__ void __launch_bounds__(384, 1) gemm_nt_pairs_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap C_map, const tk::tensor_argument<tk::bf16, 2> C, int M,
    int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_nt_pairs_shared& shared = *reinterpret_cast<gemm_nt_pairs_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, C_map);
        shared.ab.init(1, 16);
        tk::publish_barriers();
    }
    tk::cluster_sync();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_nt.tk:12: role producer(1 warp) {
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

                // gemm_nt.tk:13: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 64) {
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
        // gemm_nt.tk:15: role consumer(WG warpgroups) alternate(ALT) {
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

            // gemm_nt.tk:16: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 256> acc;
            tk::zero(acc);

            // gemm_nt.tk:17: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
            tk::cursor<4> previous_ab;
            for (int k = 0; k < K; k += 64) {
                const tk::cursor<4> s = shared.ab.take(ab_next);
                tk::mma_async(acc, tk::rows<64>(shared.ab_a[s.stage], 64 * warpgroup),
                              tk::transposed(shared.ab_b[s.stage]));
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release<2>(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release<2>(previous_ab);

            // gemm_nt.tk:18: tma_store(C[m, n], bf16(acc));
            #pragma unroll
            for (int panel = 0; panel < 256; panel += 64) {
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

// gemm_nt_tall: kernel gemm_nt with BM = 256, BN = 128, BK = 64, CM = 1, WG = 2, S = 4, W = 8, ALT
// = false.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 229440 bytes of shared memory; persistent.
struct gemm_nt_tall_shared {
    tk::shared_tile<tk::bf16, 256, 64> ab_a[4];
    tk::shared_tile<tk::bf16, 128, 64> ab_b[4];
    tk::shared_tile<tk::bf16, 128, 64> consumer_C[2];
    tk::pipeline<4> ab;
};
static_assert(offsetof(gemm_nt_tall_shared, ab) == 229376);

__global__ void __launch_bounds__(384, 1) gemm_nt_tall_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap C_map, const tk::tensor_argument<tk::bf16, 2> C, int M,
    int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_nt_tall_shared& shared = *reinterpret_cast<gemm_nt_tall_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, C_map);
        shared.ab.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_nt.tk:12: role producer(1 warp) {
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

                // gemm_nt.tk:13: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 64) {
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
        // gemm_nt.tk:15: role consumer(WG warpgroups) alternate(ALT) {
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

            // gemm_nt.tk:16: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 128, 128> acc;
            tk::zero(acc);

            // gemm_nt.tk:17: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
            tk::cursor<4> previous_ab;
            for (int k = 0; k < K; k += 64) {
                const tk::cursor<4> s = shared.ab.take(ab_next);
                tk::mma_async(acc, tk::rows<128>(shared.ab_a[s.stage], 128 * warpgroup),
                              tk::transposed(shared.ab_b[s.stage]));
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_nt.tk:18: tma_store(C[m, n], bf16(acc));
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                tk::store_shared(shared.consumer_C[warpgroup],
                                 tk::convert<tk::bf16>(tk::window<128, 64>(acc, 0, panel)), thread);
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

// gemm_nt_224: kernel gemm_nt with BM = 128, BN = 224, BK = 64, CM = 1, WG = 2, S = 4, W = 8, ALT =
// false.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 196672 bytes of shared memory; persistent.
struct gemm_nt_224_shared {
    tk::shared_tile<tk::bf16, 128, 64> ab_a[4];
    tk::shared_tile<tk::bf16, 224, 64> ab_b[4];
    tk::shared_tile<tk::bf16, 64, 32> consumer_C[4];
    tk::pipeline<4> ab;
};
static_assert(offsetof(gemm_nt_224_shared, ab) == 196608);

__global__ void __launch_bounds__(384, 1) gemm_nt_224_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap C_map, const tk::tensor_argument<tk::bf16, 2> C, int M,
    int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_nt_224_shared& shared = *reinterpret_cast<gemm_nt_224_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, C_map);
        shared.ab.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_nt.tk:12: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 224);
        const int programs = m_tiles * n_tiles;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<4> ab_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 128;
                const int n = point.col * 224;

                // gemm_nt.tk:13: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 64) {
                    shared.ab.begin(ab_next, 45056);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 n, k);
                    ab_next.advance();
                }
            }
        }
    } else {
        // gemm_nt.tk:15: role consumer(WG warpgroups) alternate(ALT) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 224);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<4> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * 224;

            // gemm_nt.tk:16: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 224> acc;
            tk::zero(acc);

            // gemm_nt.tk:17: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
            tk::cursor<4> previous_ab;
            for (int k = 0; k < K; k += 64) {
                const tk::cursor<4> s = shared.ab.take(ab_next);
                tk::mma_async(acc, tk::rows<64>(shared.ab_a[s.stage], 64 * warpgroup),
                              tk::transposed(shared.ab_b[s.stage]));
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_nt.tk:18: tma_store(C[m, n], bf16(acc));
            #pragma unroll
            for (int panel = 0; panel < 224; panel += 32) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                tk::store_shared(shared.consumer_C[warpgroup * 2 + panel / 32 % 2],
                                 tk::convert<tk::bf16>(tk::window<64, 32>(acc, 0, panel)), thread);
                tk::fence_async();
                tk::barrier_sync(1 + warpgroup, 128);
                if (N % 8 != 0 && N < n + panel + 32) {
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

// gemm_nt_turns: kernel gemm_nt with BM = 128, BN = 192, BK = 64, CM = 1, WG = 2, S = 4, W = 8, ALT
// = true.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups that alternate, 240 registers a
// thread.
// 384 threads, 168 registers each at first, 229440 bytes of shared memory; persistent.
struct gemm_nt_turns_shared {
    tk::shared_tile<tk::bf16, 128, 64> ab_a[4];
    tk::shared_tile<tk::bf16, 192, 64> ab_b[4];
    tk::shared_tile<tk::bf16, 128, 64> consumer_C[4];
    tk::pipeline<4> ab;
};
static_assert(offsetof(gemm_nt_turns_shared, ab) == 229376);

__global__ void __launch_bounds__(384, 1) gemm_nt_turns_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap C_map, const tk::tensor_argument<tk::bf16, 2> C, int M,
    int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_nt_turns_shared& shared = *reinterpret_cast<gemm_nt_turns_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, C_map);
        shared.ab.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_nt.tk:12: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 192);
        const int programs = m_tiles * n_tiles;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<4> ab_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 128;
                const int n = point.col * 192;

                // gemm_nt.tk:13: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 64) {
                    shared.ab.begin(ab_next, 40960);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 n, k);
                    ab_next.advance();
                }
            }
        }
    } else {
        // gemm_nt.tk:15: role consumer(WG warpgroups) alternate(ALT) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 192);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<4> ab_next;
        // Warpgroup 0 has the first turn.
        if (warpgroup == 1) tk::barrier_arrive(3, 256);
        const int ab_taken = tk::divide_up(K, 64);
        ab_next.skip(warpgroup * ab_taken);
        for (int program = blockIdx.x + warpgroup * gridDim.x; program < programs;
             program += 2 * gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * 192;

            // gemm_nt.tk:16: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 128, 192> acc;
            tk::zero(acc);

            // gemm_nt.tk:17: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
            tk::barrier_sync(3 + warpgroup, 256);
            tk::cursor<4> previous_ab;
            for (int k = 0; k < K; k += 64) {
                const tk::cursor<4> s = shared.ab.take(ab_next);
                tk::mma_async(acc, shared.ab_a[s.stage], tk::transposed(shared.ab_b[s.stage]));
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::barrier_arrive(4 - warpgroup, 256);
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_nt.tk:18: tma_store(C[m, n], bf16(acc));
            #pragma unroll
            for (int panel = 0; panel < 192; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                tk::store_shared(shared.consumer_C[warpgroup * 2 + panel / 64 % 2],
                                 tk::convert<tk::bf16>(tk::window<128, 64>(acc, 0, panel)), thread);
                tk::fence_async();
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

// gemm_nt_narrow: kernel gemm_nt with BM = 128, BN = 64, BK = 64, CM = 1, WG = 2, S = 8, W = 8, ALT
// = false.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 213120 bytes of shared memory; persistent.
struct gemm_nt_narrow_shared {
    tk::shared_tile<tk::bf16, 128, 64> ab_a[8];
    tk::shared_tile<tk::bf16, 64, 64> ab_b[8];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[2];
    tk::pipeline<8> ab;
};
static_assert(offsetof(gemm_nt_narrow_shared, ab) == 212992);

__global__ void __launch_bounds__(384, 1) gemm_nt_narrow_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap C_map, const tk::tensor_argument<tk::bf16, 2> C, int M,
    int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_nt_narrow_shared& shared = *reinterpret_cast<gemm_nt_narrow_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, C_map);
        shared.ab.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_nt.tk:12: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 64);
        const int programs = m_tiles * n_tiles;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<8> ab_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 128;
                const int n = point.col * 64;

                // gemm_nt.tk:13: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 64) {
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
        // gemm_nt.tk:15: role consumer(WG warpgroups) alternate(ALT) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 64);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<8> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * 64;

            // gemm_nt.tk:16: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 64> acc;
            tk::zero(acc);

            // gemm_nt.tk:17: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
            tk::cursor<8> previous_ab;
            for (int k = 0; k < K; k += 64) {
                const tk::cursor<8> s = shared.ab.take(ab_next);
                tk::mma_async(acc, tk::rows<64>(shared.ab_a[s.stage], 64 * warpgroup),
                              tk::transposed(shared.ab_b[s.stage]));
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_nt.tk:18: tma_store(C[m, n], bf16(acc));
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                tk::store_shared(shared.consumer_C[warpgroup], tk::convert<tk::bf16>(acc), thread);
                tk::fence_async();
                tk::barrier_sync(1 + warpgroup, 128);
                if (N % 8 != 0 && N < n + panel + 64) {
                    tk::copy_to_global(
                        tk::dense_slice(C, {m + warpgroup * 64, n + panel},
                                        M - (m + warpgroup * 64), N - (n + panel)),
                        shared.consumer_C[warpgroup]);
                    if (leader) tk::tma_store_nothing();
                } else if (leader) {
                    tk::tma_store(C_map, shared.consumer_C[warpgroup], m + warpgroup * 64,
                                  n + panel);
                }
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

// gemm_nt_low: kernel gemm_nt with BM = 64, BN = 128, BK = 64, CM = 1, WG = 1, S = 8, W = 8, ALT =
// false.
// producer: 1 warp, 240 registers a thread; consumer: 1 warpgroup, 240 registers a thread.
// 256 threads, 255 registers each at first, 213120 bytes of shared memory; persistent:
// gemm_nt_low_kernel<8, 128, 64, 2, 24576, 0>.
// gemm_nt_low_48: kernel gemm_nt with BM = 64, BN = 48, BK = 64, CM = 1, WG = 1, S = 14, W = 8, ALT
// = false.
// producer: 1 warp, 240 registers a thread; consumer: 1 warpgroup, 240 registers a thread.
// 256 threads, 255 registers each at first, 207072 bytes of shared memory; persistent:
// gemm_nt_low_kernel<14, 48, 16, 3, 14336, 1>.
template <int S, int BN, int cols, int copies>
struct gemm_nt_low_shared {
    tk::shared_tile<tk::bf16, 64, 64> ab_a[S];
    tk::shared_tile<tk::bf16, BN, 64> ab_b[S];
    tk::shared_tile<tk::bf16, 64, cols> consumer_C[copies];
    tk::pipeline<S> ab;
};
static_assert(__builtin_offsetof(gemm_nt_low_shared<8, 128, 64, 2>, ab) == 212992);
static_assert(__builtin_offsetof(gemm_nt_low_shared<14, 48, 16, 3>, ab) == 206848);

template <int S, int BN, int cols, int copies, int bytes, int size>
__global__ void __launch_bounds__(256, 1) gemm_nt_low_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap C_map, const tk::tensor_argument<tk::bf16, 2> C, int M,
    int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_nt_low_shared<S, BN, cols, copies>& shared =
        *reinterpret_cast<gemm_nt_low_shared<S, BN, cols, copies>*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, C_map);
        shared.ab.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 4) {
        // gemm_nt.tk:12: role producer(1 warp) {
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(M, 64);
        const int n_tiles = tk::tiles(N, BN);
        const int programs = m_tiles * n_tiles;
        if (warp == 4 && tk::elect_one()) {
            tk::cursor<S> ab_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 64;
                const int n = point.col * BN;

                // gemm_nt.tk:13: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 64) {
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
        // gemm_nt.tk:15: role consumer(WG warpgroups) alternate(ALT) {
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(M, 64);
        const int n_tiles = tk::tiles(N, BN);
        const int programs = m_tiles * n_tiles;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<S> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 64;
            const int n = point.col * BN;

            // gemm_nt.tk:16: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, BN> acc;
            tk::zero(acc);

            // gemm_nt.tk:17: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
            tk::cursor<S> previous_ab;
            for (int k = 0; k < K; k += 64) {
                const tk::cursor<S> s = shared.ab.take(ab_next);
                tk::mma_async(acc, shared.ab_a[s.stage], tk::transposed(shared.ab_b[s.stage]));
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_nt.tk:18: tma_store(C[m, n], bf16(acc));
            #pragma unroll
            for (int panel = 0; panel < BN; panel += cols) {
                tk::store_shared(shared.consumer_C[panel / cols % copies],
                                 tk::convert<tk::bf16>(tk::window<64, cols>(acc, 0, panel)),
                                 thread);
                tk::fence_async();
                if (leader) tk::tma_store_wait_read<size>();
                tk::barrier_sync(1, 128);
                if (N % 8 != 0 && N < n + panel + cols) {
                    tk::copy_to_global(tk::dense_slice(C, {m, n + panel}, M - m, N - (n + panel)),
                                       shared.consumer_C[panel / cols % copies]);
                    if (leader) tk::tma_store_nothing();
                } else if (leader) {
                    tk::tma_store(C_map, shared.consumer_C[panel / cols % copies], m, n + panel);
                }
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

// gemm_nt_low_64: kernel gemm_nt with BM = 64, BN = 64, BK = 64, CM = 1, WG = 1, S = 12, W = 8, ALT
// = false.
// producer: 1 warp, 240 registers a thread; consumer: 1 warpgroup, 240 registers a thread.
// 256 threads, 255 registers each at first, 204992 bytes of shared memory; persistent:
// gemm_nt_low_64_kernel<64, 12, 64, 16384>.
// gemm_nt_low_32: kernel gemm_nt with BM = 64, BN = 32, BK = 128, CM = 1, WG = 1, S = 8, W = 8, ALT
// = false.
// producer: 1 warp, 240 registers a thread; consumer: 1 warpgroup, 240 registers a thread.
// 256 threads, 255 registers each at first, 200832 bytes of shared memory; persistent:
// gemm_nt_low_64_kernel<128, 8, 32, 24576>.
template <int BK, int S, int BN>
struct gemm_nt_low_64_shared {
    tk::shared_tile<tk::bf16, 64, BK> ab_a[S];
    tk::shared_tile<tk::bf16, BN, BK> ab_b[S];
    tk::shared_tile<tk::bf16, 64, BN> consumer_C[1];
    tk::pipeline<S> ab;
};
static_assert(__builtin_offsetof(gemm_nt_low_64_shared<64, 12, 64>, ab) == 204800);
static_assert(__builtin_offsetof(gemm_nt_low_64_shared<128, 8, 32>, ab) == 200704);

template <int BK, int S, int BN, int bytes>
__global__ void __launch_bounds__(256, 1) gemm_nt_low_64_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap C_map, const tk::tensor_argument<tk::bf16, 2> C, int M,
    int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_nt_low_64_shared<BK, S, BN>& shared =
        *reinterpret_cast<gemm_nt_low_64_shared<BK, S, BN>*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, C_map);
        shared.ab.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 4) {
        // gemm_nt.tk:12: role producer(1 warp) {
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(M, 64);
        const int n_tiles = tk::tiles(N, BN);
        const int programs = m_tiles * n_tiles;
        if (warp == 4 && tk::elect_one()) {
            tk::cursor<S> ab_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 64;
                const int n = point.col * BN;

                // gemm_nt.tk:13: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += BK) {
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
        // gemm_nt.tk:15: role consumer(WG warpgroups) alternate(ALT) {
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(M, 64);
        const int n_tiles = tk::tiles(N, BN);
        const int programs = m_tiles * n_tiles;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<S> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 64;
            const int n = point.col * BN;

            // gemm_nt.tk:16: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, BN> acc;
            tk::zero(acc);

            // gemm_nt.tk:17: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
            tk::cursor<S> previous_ab;
            for (int k = 0; k < K; k += BK) {
                const tk::cursor<S> s = shared.ab.take(ab_next);
                tk::mma_async(acc, shared.ab_a[s.stage], tk::transposed(shared.ab_b[s.stage]));
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_nt.tk:18: tma_store(C[m, n], bf16(acc));
            #pragma unroll
            for (int panel = 0; panel < BN; panel += BN) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                tk::store_shared(shared.consumer_C[0], tk::convert<tk::bf16>(acc), thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if (N % 8 != 0 && N < n + panel + BN) {
                    tk::copy_to_global(tk::dense_slice(C, {m, n + panel}, M - m, N - (n + panel)),
                                       shared.consumer_C[0]);
                    if (leader) tk::tma_store_nothing();
                } else if (leader) {
                    tk::tma_store(C_map, shared.consumer_C[0], m, n + panel);
                }
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

namespace {
int run_gemm_nt(const char* function, tk::candidates offered, const DLTensor* A_given,
                const DLTensor* B_given, DLTensor* C_given, cudaStream_t stream) {
    tk::arguments call{function};
    const tk::tensor A = call.take("A", A_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor B = call.take("B", B_given, tk::dtype_bf16, 2, tk::access::read);
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
    choice.candidate();  // gemm_nt
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)),
                 3580 +
                 tk::multiply(
                     tk::larger(1024,
                                (A.stride[0] % 64 == 0 ? 304 : 482) +
                                (B.stride[0] % 64 == 0 ? 607 : 964)) + 20, tk::ceil_div(K, 64)),
                 2147418112);
    choice.candidate();  // gemm_nt_square
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
                 2540 +
                 tk::multiply(
                     tk::larger(512,
                                (A.stride[0] % 64 == 0 ? 304 : 482) +
                                (B.stride[0] % 64 == 0 ? 304 : 482)) + 20, tk::ceil_div(K, 64)),
                 2147418112);
    choice.candidate();  // gemm_nt_pairs
    choice.offer(tk::ceil_div(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), 2) * 2,
                 3580 +
                 tk::multiply(tk::larger(1024, (A.stride[0] % 64 == 0 ? 304 : 482) + 607) + 20,
                              tk::ceil_div(K, 64)), 2147418112);
    choice.candidate();  // gemm_nt_tall
    choice.offer(tk::multiply(tk::ceil_div(M, 256), tk::ceil_div(N, 128)),
                 3580 +
                 tk::multiply(
                     tk::larger(1024,
                                (A.stride[0] % 64 == 0 ? 607 : 964) +
                                (B.stride[0] % 64 == 0 ? 304 : 482)) + 20, tk::ceil_div(K, 64)),
                 2147418112);
    choice.candidate();  // gemm_nt_224
    choice.require({tk::that(M > 64, "`gemm_nt` requires `M > 64 or BN != 224`")});
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 224)),
                 3320 +
                 tk::multiply(
                     tk::larger(896,
                                (A.stride[0] % 64 == 0 ? 304 : 482) +
                                (B.stride[0] % 64 == 0 ? 531 : 844)) + 20, tk::ceil_div(K, 64)),
                 2147418112);
    choice.candidate();  // gemm_nt_turns
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 192)),
                 tk::larger(
                     tk::multiply(
                         tk::larger(768,
                                    (A.stride[0] % 64 == 0 ? 304 : 482) +
                                    (B.stride[0] % 64 == 0 ? 456 : 723)) + 20, tk::ceil_div(K, 64)),
                     tk::ceil_div(3060 +
                                  tk::multiply(
                                      tk::larger(768,
                                                 (A.stride[0] % 64 == 0 ? 304 : 482) +
                                                 (B.stride[0] % 64 == 0 ? 456 : 723)) + 20,
                                      tk::ceil_div(K, 64)), 2)) +
                 tk::ceil_div(3060 +
                              tk::multiply(
                                  tk::larger(768,
                                             (A.stride[0] % 64 == 0 ? 304 : 482) +
                                             (B.stride[0] % 64 == 0 ? 456 : 723)) + 20,
                                  tk::ceil_div(K, 64)) -
                              tk::larger(
                                  tk::multiply(
                                      tk::larger(768,
                                                 (A.stride[0] % 64 == 0 ? 304 : 482) +
                                                 (B.stride[0] % 64 == 0 ? 456 : 723)) + 20,
                                      tk::ceil_div(K, 64)),
                                  tk::ceil_div(3060 +
                                               tk::multiply(
                                                   tk::larger(768,
                                                              (A.stride[0] % 64 == 0 ? 304 : 482) +
                                                              (B.stride[0] % 64 == 0 ? 456 : 723)) +
                                                   20, tk::ceil_div(K, 64)), 2)),
                              tk::larger(
                                  tk::ceil_div(
                                      tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 192)),
                                      132), 1)), 2147418112);
    choice.candidate();  // gemm_nt_narrow
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 64)),
                 2020 +
                 tk::multiply(
                     tk::larger(256,
                                (A.stride[0] % 64 == 0 ? 304 : 482) +
                                (B.stride[0] % 64 == 0 ? 152 : 241)) + 20, tk::ceil_div(K, 64)),
                 2147418112);
    choice.candidate();  // gemm_nt_low
    choice.offer(tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 128)),
                 2020 +
                 tk::multiply(
                     tk::larger(256,
                                (A.stride[0] % 64 == 0 ? 152 : 241) +
                                (B.stride[0] % 64 == 0 ? 304 : 482)) + 20, tk::ceil_div(K, 64)),
                 2147418112);
    choice.candidate();  // gemm_nt_low_64
    choice.offer(tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 64)),
                 1760 +
                 tk::multiply(
                     tk::larger(128,
                                (A.stride[0] % 64 == 0 ? 152 : 241) +
                                (B.stride[0] % 64 == 0 ? 152 : 241)) + 20, tk::ceil_div(K, 64)),
                 2147418112);
    choice.candidate();  // gemm_nt_low_48
    choice.offer(tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 48)),
                 1695 +
                 tk::multiply(
                     tk::larger(112,
                                (A.stride[0] % 64 == 0 ? 152 : 241) +
                                (B.stride[0] % 64 == 0 ? 114 : 181)) + 20, tk::ceil_div(K, 64)),
                 2147418112);
    choice.candidate();  // gemm_nt_low_32
    choice.offer(tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 32)),
                 1630 +
                 tk::multiply(
                     tk::larger(192,
                                (A.stride[0] % 64 == 0 ? 304 : 482) +
                                (B.stride[0] % 64 == 0 ? 152 : 241)) + 20, tk::ceil_div(K, 128)),
                 2147418112);
    if (!choice.ok()) return tk::finish(choice.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    const int best = choice.best(site);
    if (best == 0) {
        return tk::finish(tk::run<gemm_nt_kernel<4, 256, 49152>>(
            site, sizeof(gemm_nt_shared<4, 256>), tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), tk::box{A, {128, 64}, 128},
            tk::box{B, {256, 64}, 128}, tk::box{C, {64, 64}, 128}, C, M, K, N));
    }
    if (best == 1) {
        return tk::finish(tk::run<gemm_nt_kernel<6, 128, 32768>>(
            site, sizeof(gemm_nt_shared<6, 128>), tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), tk::box{A, {128, 64}, 128},
            tk::box{B, {128, 64}, 128}, tk::box{C, {64, 64}, 128}, C, M, K, N));
    }
    if (best == 2) {
        return tk::finish(tk::run<gemm_nt_pairs_kernel>(
            site, sizeof(gemm_nt_pairs_shared),
            tk::kernel_shape(384).in_clusters(2).at_once(1).overlapping(),
            tk::ceil_div(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), 2) * 2,
            tk::box{A, {128, 64}, 128}, tk::box{B, {128, 64}, 128}, tk::box{C, {64, 64}, 128}, C, M,
            K, N));
    }
    if (best == 3) {
        return tk::finish(tk::run<gemm_nt_tall_kernel>(
            site, sizeof(gemm_nt_tall_shared), tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 256), tk::ceil_div(N, 128)), tk::box{A, {256, 64}, 128},
            tk::box{B, {128, 64}, 128}, tk::box{C, {128, 64}, 128}, C, M, K, N));
    }
    if (best == 4) {
        return tk::finish(tk::run<gemm_nt_224_kernel>(
            site, sizeof(gemm_nt_224_shared), tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 224)), tk::box{A, {128, 64}, 128},
            tk::box{B, {224, 64}, 128}, tk::box{C, {64, 32}, 64}, C, M, K, N));
    }
    if (best == 5) {
        return tk::finish(tk::run<gemm_nt_turns_kernel>(
            site, sizeof(gemm_nt_turns_shared), tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 192)), tk::box{A, {128, 64}, 128},
            tk::box{B, {192, 64}, 128}, tk::box{C, {128, 64}, 128}, C, M, K, N));
    }
    if (best == 6) {
        return tk::finish(tk::run<gemm_nt_narrow_kernel>(
            site, sizeof(gemm_nt_narrow_shared), tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 64)), tk::box{A, {128, 64}, 128},
            tk::box{B, {64, 64}, 128}, tk::box{C, {64, 64}, 128}, C, M, K, N));
    }
    if (best == 7) {
        return tk::finish(tk::run<gemm_nt_low_kernel<8, 128, 64, 2, 24576, 0>>(
            site, sizeof(gemm_nt_low_shared<8, 128, 64, 2>),
            tk::kernel_shape(256).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 128)), tk::box{A, {64, 64}, 128},
            tk::box{B, {128, 64}, 128}, tk::box{C, {64, 64}, 128}, C, M, K, N));
    }
    if (best == 8) {
        return tk::finish(tk::run<gemm_nt_low_64_kernel<64, 12, 64, 16384>>(
            site, sizeof(gemm_nt_low_64_shared<64, 12, 64>),
            tk::kernel_shape(256).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 64)), tk::box{A, {64, 64}, 128},
            tk::box{B, {64, 64}, 128}, tk::box{C, {64, 64}, 128}, C, M, K, N));
    }
    if (best == 9) {
        return tk::finish(tk::run<gemm_nt_low_kernel<14, 48, 16, 3, 14336, 1>>(
            site, sizeof(gemm_nt_low_shared<14, 48, 16, 3>),
            tk::kernel_shape(256).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 48)), tk::box{A, {64, 64}, 128},
            tk::box{B, {48, 64}, 128}, tk::box{C, {64, 16}, 32}, C, M, K, N));
    }
    return tk::finish(tk::run<gemm_nt_low_64_kernel<128, 8, 32, 24576>>(
        site, sizeof(gemm_nt_low_64_shared<128, 8, 32>),
        tk::kernel_shape(256).at_once(1).overlapping(),
        tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 32)), tk::box{A, {64, 64}, 128},
        tk::box{B, {32, 64}, 128}, tk::box{C, {64, 32}, 64}, C, M, K, N));
}

}  // namespace

extern "C" {
int gemm_nt(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*, size_t,
            cudaStream_t stream) {
    return run_gemm_nt("gemm_nt", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, A_given, B_given, C_given,
                       stream);
}
TK_NO_WORKSPACE(gemm_nt, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_nt_square(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*,
                   size_t, cudaStream_t stream) {
    return run_gemm_nt("gemm_nt_square", {1}, A_given, B_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_nt_square, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_nt_pairs(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*,
                  size_t, cudaStream_t stream) {
    return run_gemm_nt("gemm_nt_pairs", {2}, A_given, B_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_nt_pairs, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_nt_tall(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*, size_t,
                 cudaStream_t stream) {
    return run_gemm_nt("gemm_nt_tall", {3}, A_given, B_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_nt_tall, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_nt_224(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*, size_t,
                cudaStream_t stream) {
    return run_gemm_nt("gemm_nt_224", {4}, A_given, B_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_nt_224, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_nt_turns(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*,
                  size_t, cudaStream_t stream) {
    return run_gemm_nt("gemm_nt_turns", {5}, A_given, B_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_nt_turns, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_nt_narrow(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*,
                   size_t, cudaStream_t stream) {
    return run_gemm_nt("gemm_nt_narrow", {6}, A_given, B_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_nt_narrow, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_nt_low(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*, size_t,
                cudaStream_t stream) {
    return run_gemm_nt("gemm_nt_low", {7}, A_given, B_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_nt_low, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_nt_low_64(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*,
                   size_t, cudaStream_t stream) {
    return run_gemm_nt("gemm_nt_low_64", {8}, A_given, B_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_nt_low_64, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_nt_low_48(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*,
                   size_t, cudaStream_t stream) {
    return run_gemm_nt("gemm_nt_low_48", {9}, A_given, B_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_nt_low_48, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_nt_low_32(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*,
                   size_t, cudaStream_t stream) {
    return run_gemm_nt("gemm_nt_low_32", {10}, A_given, B_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_nt_low_32, const DLTensor*, const DLTensor*, DLTensor*)
}  // extern "C"
