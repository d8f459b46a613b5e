// Made by tkc from gemm_tf32.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/integer.cuh"
#include "tk/ptx/wgmma_n064.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/ptx/wgmma_n192.cuh"
#include "tk/ptx/wgmma_n256.cuh"
#include "tk/tk.cuh"

// gemm_tf32_nt: kernel gemm_tf32_nt with BM = 128, BN = 256, BK = 32, CM = 1, WG = 2, S = 4, W = 8,
// ALT = false.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 196672 bytes of shared memory; persistent:
// gemm_tf32_nt_kernel<4, 256, 49152>.
// gemm_tf32_nt_square: kernel gemm_tf32_nt with BM = 128, BN = 128, BK = 32, CM = 1, WG = 2, S = 6,
// W = 8, ALT = false.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 196704 bytes of shared memory; persistent:
// gemm_tf32_nt_kernel<6, 128, 32768>.
template <int S, int BN>
struct gemm_tf32_nt_shared {
    tk::shared_tile<tk::tf32, 128, 32> ab_a[S];
    tk::shared_tile<tk::tf32, BN, 32> ab_b[S];
    tk::pipeline<S> ab;
};
static_assert(__builtin_offsetof(gemm_tf32_nt_shared<4, 256>, ab) == 196608);
static_assert(__builtin_offsetof(gemm_tf32_nt_shared<6, 128>, ab) == 196608);

template <int S, int BN, int bytes>
__global__ void __launch_bounds__(384, 1) gemm_tf32_nt_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const tk::tensor_argument<float, 2> C, int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_tf32_nt_shared<S, BN>& shared = *reinterpret_cast<gemm_tf32_nt_shared<S, BN>*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map);
        shared.ab.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_tf32.tk:13: role producer(1 warp) {
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

                // gemm_tf32.tk:14: for k in K by BK { produce ab { a = load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 32) {
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
        // gemm_tf32.tk:16: role consumer(WG warpgroups) alternate(ALT) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, BN);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        tk::cursor<S> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * BN;

            // gemm_tf32.tk:17: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, BN> acc;
            tk::zero(acc);

            // gemm_tf32.tk:18: for k in K by BK { consume ab as s { acc += mma(tf32(s.a), ..
            tk::cursor<S> previous_ab;
            for (int k = 0; k < K; k += 32) {
                const tk::cursor<S> s = shared.ab.take(ab_next);
                tk::mma_async(acc, tk::rows<64>(shared.ab_a[s.stage], 64 * warpgroup),
                              tk::transposed(shared.ab_b[s.stage]));
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_tf32.tk:19: store(C[m, n], acc);
            tk::store_global(tk::slice(C, {m + 64 * warpgroup, n}, M - (m + 64 * warpgroup), N - n),
                             acc, thread);
        }
    }
}

// gemm_tf32_nt_general: kernel gemm_tf32_nt with BM = 128, BN = 256, BK = 32, CM = 1, WG = 2, S =
// 4, W = 8, ALT = false; any strides and alignment.
// producer: 1 warp, 56 registers a thread; consumer: 2 warpgroups, 224 registers a thread.
// 384 threads, 168 registers each at first, 196672 bytes of shared memory; persistent:
// gemm_tf32_nt_general_kernel<4, 256, 8>.
// gemm_tf32_nt_pairs_general: kernel gemm_tf32_nt with BM = 128, BN = 256, BK = 32, CM = 2, WG = 2,
// S = 4, W = 8, ALT = false; any strides and alignment.
// producer: 1 warp, 56 registers a thread; consumer: 2 warpgroups, 224 registers a thread.
// 384 threads, 168 registers each at first, 196672 bytes of shared memory; persistent:
// gemm_tf32_nt_general_kernel<4, 256, 16>.
// gemm_tf32_nt_square_general: kernel gemm_tf32_nt with BM = 128, BN = 128, BK = 32, CM = 1, WG =
// 2, S = 6, W = 8, ALT = false; any strides and alignment.
// producer: 1 warp, 56 registers a thread; consumer: 2 warpgroups, 224 registers a thread.
// 384 threads, 168 registers each at first, 196704 bytes of shared memory; persistent:
// gemm_tf32_nt_general_kernel<6, 128, 8>.
template <int S, int BN>
struct gemm_tf32_nt_general_shared {
    tk::shared_tile<tk::tf32, 128, 32> ab_a[S];
    tk::shared_tile<tk::tf32, BN, 32> ab_b[S];
    tk::pipeline<S> ab;
};
static_assert(__builtin_offsetof(gemm_tf32_nt_general_shared<4, 256>, ab) == 196608);
static_assert(__builtin_offsetof(gemm_tf32_nt_general_shared<4, 256>, ab) == 196608);
static_assert(__builtin_offsetof(gemm_tf32_nt_general_shared<6, 128>, ab) == 196608);

template <int S, int BN, int band>
__global__ void __launch_bounds__(384, 1) gemm_tf32_nt_general_kernel(
    const tk::tensor_argument<const float, 2> A, const tk::tensor_argument<const float, 2> B,
    const tk::tensor_argument<float, 2> C, int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_tf32_nt_general_shared<S, BN>& shared =
        *reinterpret_cast<gemm_tf32_nt_general_shared<S, BN>*>(memory);

    if (threadIdx.x == 0) {
        shared.ab.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_tf32.tk:13: role producer(1 warp) {
        tk::registers_at_most<56>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, BN);
        const int programs = m_tiles * n_tiles;
        if (warp == 8) {
            const int thread = int(threadIdx.x) - 256;
            tk::cursor<S> ab_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, band);
                const int m = point.row * 128;
                const int n = point.col * BN;

                // gemm_tf32.tk:14: for k in K by BK { produce ab { a = load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 32) {
                    shared.ab.wait_empty(ab_next);
                    tk::copy_to_shared(shared.ab_a[ab_next.stage],
                                       tk::slice(A, {m, k}, M - m, K - k), thread, 32);
                    tk::copy_to_shared(shared.ab_b[ab_next.stage],
                                       tk::slice(B, {n, k}, N - n, K - k), thread, 32);
                    shared.ab.publish(ab_next);
                    ab_next.advance();
                }
            }
        }
    } else {
        // gemm_tf32.tk:16: role consumer(WG warpgroups) alternate(ALT) {
        tk::registers_at_least<224>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, BN);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        tk::cursor<S> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, band);
            const int m = point.row * 128;
            const int n = point.col * BN;

            // gemm_tf32.tk:17: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, BN> acc;
            tk::zero(acc);

            // gemm_tf32.tk:18: for k in K by BK { consume ab as s { acc += mma(tf32(s.a), ..
            tk::cursor<S> previous_ab;
            for (int k = 0; k < K; k += 32) {
                const tk::cursor<S> s = shared.ab.take(ab_next);
                tk::mma_async(acc, tk::rows<64>(shared.ab_a[s.stage], 64 * warpgroup),
                              tk::transposed(shared.ab_b[s.stage]));
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_tf32.tk:19: store(C[m, n], acc);
            tk::store_global(tk::slice(C, {m + 64 * warpgroup, n}, M - (m + 64 * warpgroup), N - n),
                             acc, thread);
        }
    }
}

// gemm_tf32_nt_pairs: kernel gemm_tf32_nt with BM = 128, BN = 256, BK = 32, CM = 2, WG = 2, S = 4,
// W = 8, ALT = false.
// producer: 1 warp, 40 registers a thread; consumer: 2 warpgroups, 232 registers a thread.
// 384 threads, 168 registers each at first, 196672 bytes of shared memory, clusters of 2 along m;
// persistent.
struct gemm_tf32_nt_pairs_shared {
    tk::shared_tile<tk::tf32, 128, 32> ab_a[4];
    tk::shared_tile<tk::tf32, 256, 32> ab_b[4];
    tk::pipeline<4> ab;
};
static_assert(offsetof(gemm_tf32_nt_pairs_shared, ab) == 196608);

__global__ void __launch_bounds__(384, 1) gemm_tf32_nt_pairs_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const tk::tensor_argument<float, 2> C, int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_tf32_nt_pairs_shared& shared = *reinterpret_cast<gemm_tf32_nt_pairs_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map);
        shared.ab.init(1, 16);
        tk::publish_barriers();
    }
    tk::cluster_sync();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_tf32.tk:13: role producer(1 warp) {
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

                // gemm_tf32.tk:14: for k in K by BK { produce ab { a = load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 32) {
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
        // gemm_tf32.tk:16: role consumer(WG warpgroups) alternate(ALT) {
        tk::registers_at_least<232>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 256);
        const int programs = tk::tiles(m_tiles * n_tiles, 2) * 2;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        tk::cursor<4> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::cluster_point point = tk::raster_clusters<2>(program, m_tiles, n_tiles, 16);
            const int m = point.row * 128;
            const int n = point.col * 256;

            // gemm_tf32.tk:17: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 256> acc;
            tk::zero(acc);

            // gemm_tf32.tk:18: for k in K by BK { consume ab as s { acc += mma(tf32(s.a), ..
            tk::cursor<4> previous_ab;
            for (int k = 0; k < K; k += 32) {
                const tk::cursor<4> s = shared.ab.take(ab_next);
                tk::mma_async(acc, tk::rows<64>(shared.ab_a[s.stage], 64 * warpgroup),
                              tk::transposed(shared.ab_b[s.stage]));
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release<2>(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release<2>(previous_ab);

            // gemm_tf32.tk:19: store(C[m, n], acc);
            tk::store_global(tk::slice(C, {m + 64 * warpgroup, n}, M - (m + 64 * warpgroup), N - n),
                             acc, thread);
        }
    }

    // Other blocks of the cluster may still arrive on this one's barriers.
    tk::cluster_sync();
}

// gemm_tf32_nt_turns: kernel gemm_tf32_nt with BM = 128, BN = 192, BK = 32, CM = 1, WG = 2, S = 5,
// W = 8, ALT = true.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups that alternate, 240 registers a
// thread.
// 384 threads, 168 registers each at first, 204880 bytes of shared memory; persistent.
struct gemm_tf32_nt_turns_shared {
    tk::shared_tile<tk::tf32, 128, 32> ab_a[5];
    tk::shared_tile<tk::tf32, 192, 32> ab_b[5];
    tk::pipeline<5> ab;
};
static_assert(offsetof(gemm_tf32_nt_turns_shared, ab) == 204800);

__global__ void __launch_bounds__(384, 1) gemm_tf32_nt_turns_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const tk::tensor_argument<float, 2> C, int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_tf32_nt_turns_shared& shared = *reinterpret_cast<gemm_tf32_nt_turns_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map);
        shared.ab.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_tf32.tk:13: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 192);
        const int programs = m_tiles * n_tiles;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<5> ab_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 128;
                const int n = point.col * 192;

                // gemm_tf32.tk:14: for k in K by BK { produce ab { a = load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 32) {
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
        // gemm_tf32.tk:16: role consumer(WG warpgroups) alternate(ALT) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 192);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        tk::cursor<5> ab_next;
        // Warpgroup 0 has the first turn.
        if (warpgroup == 1) tk::barrier_arrive(1, 256);
        const int ab_taken = tk::divide_up(K, 32);
        ab_next.skip(warpgroup * ab_taken);
        for (int program = blockIdx.x + warpgroup * gridDim.x; program < programs;
             program += 2 * gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * 192;

            // gemm_tf32.tk:17: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 128, 192> acc;
            tk::zero(acc);

            // gemm_tf32.tk:18: for k in K by BK { consume ab as s { acc += mma(tf32(s.a), ..
            tk::barrier_sync(1 + warpgroup, 256);
            tk::cursor<5> previous_ab;
            for (int k = 0; k < K; k += 32) {
                const tk::cursor<5> s = shared.ab.take(ab_next);
                tk::mma_async(acc, shared.ab_a[s.stage], tk::transposed(shared.ab_b[s.stage]));
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::barrier_arrive(2 - warpgroup, 256);
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_tf32.tk:19: store(C[m, n], acc);
            tk::store_global(tk::slice(C, {m, n}, M - m, N - n), acc, thread);

            // The elements of the programs in between are another warpgroup's.
            ab_next.skip(ab_taken);
        }
        // Whose turn it is takes it, so that no arrival is left over.
        if (warpgroup == tk::turn_behind(programs, 2)) tk::barrier_sync(1 + warpgroup, 256);
    }
}

// gemm_tf32_nt_turns_general: kernel gemm_tf32_nt with BM = 128, BN = 192, BK = 32, CM = 1, WG = 2,
// S = 5, W = 8, ALT = true; any strides and alignment.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups that alternate, 240 registers a
// thread.
// 384 threads, 168 registers each at first, 204880 bytes of shared memory; persistent.
struct gemm_tf32_nt_turns_general_shared {
    tk::shared_tile<tk::tf32, 128, 32> ab_a[5];
    tk::shared_tile<tk::tf32, 192, 32> ab_b[5];
    tk::pipeline<5> ab;
};
static_assert(offsetof(gemm_tf32_nt_turns_general_shared, ab) == 204800);

__global__ void __launch_bounds__(384, 1) gemm_tf32_nt_turns_general_kernel(
    const tk::tensor_argument<const float, 2> A, const tk::tensor_argument<const float, 2> B,
    const tk::tensor_argument<float, 2> C, int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_tf32_nt_turns_general_shared& shared =
        *reinterpret_cast<gemm_tf32_nt_turns_general_shared*>(memory);

    if (threadIdx.x == 0) {
        shared.ab.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_tf32.tk:13: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 192);
        const int programs = m_tiles * n_tiles;
        if (warp == 8) {
            const int thread = int(threadIdx.x) - 256;
            tk::cursor<5> ab_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 128;
                const int n = point.col * 192;

                // gemm_tf32.tk:14: for k in K by BK { produce ab { a = load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 32) {
                    shared.ab.wait_empty(ab_next);
                    tk::copy_to_shared(shared.ab_a[ab_next.stage],
                                       tk::slice(A, {m, k}, M - m, K - k), thread, 32);
                    tk::copy_to_shared(shared.ab_b[ab_next.stage],
                                       tk::slice(B, {n, k}, N - n, K - k), thread, 32);
                    shared.ab.publish(ab_next);
                    ab_next.advance();
                }
            }
        }
    } else {
        // gemm_tf32.tk:16: role consumer(WG warpgroups) alternate(ALT) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 192);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        tk::cursor<5> ab_next;
        // Warpgroup 0 has the first turn.
        if (warpgroup == 1) tk::barrier_arrive(1, 256);
        const int ab_taken = tk::divide_up(K, 32);
        ab_next.skip(warpgroup * ab_taken);
        for (int program = blockIdx.x + warpgroup * gridDim.x; program < programs;
             program += 2 * gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * 192;

            // gemm_tf32.tk:17: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 128, 192> acc;
            tk::zero(acc);

            // gemm_tf32.tk:18: for k in K by BK { consume ab as s { acc += mma(tf32(s.a), ..
            tk::barrier_sync(1 + warpgroup, 256);
            tk::cursor<5> previous_ab;
            for (int k = 0; k < K; k += 32) {
                const tk::cursor<5> s = shared.ab.take(ab_next);
                tk::mma_async(acc, shared.ab_a[s.stage], tk::transposed(shared.ab_b[s.stage]));
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::barrier_arrive(2 - warpgroup, 256);
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_tf32.tk:19: store(C[m, n], acc);
            tk::store_global(tk::slice(C, {m, n}, M - m, N - n), acc, thread);

            // The elements of the programs in between are another warpgroup's.
            ab_next.skip(ab_taken);
        }
        // Whose turn it is takes it, so that no arrival is left over.
        if (warpgroup == tk::turn_behind(programs, 2)) tk::barrier_sync(1 + warpgroup, 256);
    }
}

// gemm_tf32_nt_low: kernel gemm_tf32_nt with BM = 64, BN = 128, BK = 32, CM = 1, WG = 1, S = 8, W =
// 8, ALT = false.
// producer: 1 warp, 240 registers a thread; consumer: 1 warpgroup, 240 registers a thread.
// 256 threads, 255 registers each at first, 196736 bytes of shared memory; persistent:
// gemm_tf32_nt_low_kernel<8, 128, 24576>.
// gemm_tf32_nt_low_64: kernel gemm_tf32_nt with BM = 64, BN = 64, BK = 32, CM = 1, WG = 1, S = 12,
// W = 8, ALT = false.
// producer: 1 warp, 240 registers a thread; consumer: 1 warpgroup, 240 registers a thread.
// 256 threads, 255 registers each at first, 196800 bytes of shared memory; persistent:
// gemm_tf32_nt_low_kernel<12, 64, 16384>.
template <int S, int BN>
struct gemm_tf32_nt_low_shared {
    tk::shared_tile<tk::tf32, 64, 32> ab_a[S];
    tk::shared_tile<tk::tf32, BN, 32> ab_b[S];
    tk::pipeline<S> ab;
};
static_assert(__builtin_offsetof(gemm_tf32_nt_low_shared<8, 128>, ab) == 196608);
static_assert(__builtin_offsetof(gemm_tf32_nt_low_shared<12, 64>, ab) == 196608);

template <int S, int BN, int bytes>
__global__ void __launch_bounds__(256, 1) gemm_tf32_nt_low_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const tk::tensor_argument<float, 2> C, int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_tf32_nt_low_shared<S, BN>& shared =
        *reinterpret_cast<gemm_tf32_nt_low_shared<S, BN>*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map);
        shared.ab.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 4) {
        // gemm_tf32.tk:13: role producer(1 warp) {
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

                // gemm_tf32.tk:14: for k in K by BK { produce ab { a = load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 32) {
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
        // gemm_tf32.tk:16: role consumer(WG warpgroups) alternate(ALT) {
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(M, 64);
        const int n_tiles = tk::tiles(N, BN);
        const int programs = m_tiles * n_tiles;
        const int thread = tk::warpgroup_thread();
        tk::cursor<S> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 64;
            const int n = point.col * BN;

            // gemm_tf32.tk:17: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, BN> acc;
            tk::zero(acc);

            // gemm_tf32.tk:18: for k in K by BK { consume ab as s { acc += mma(tf32(s.a), ..
            tk::cursor<S> previous_ab;
            for (int k = 0; k < K; k += 32) {
                const tk::cursor<S> s = shared.ab.take(ab_next);
                tk::mma_async(acc, shared.ab_a[s.stage], tk::transposed(shared.ab_b[s.stage]));
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_tf32.tk:19: store(C[m, n], acc);
            tk::store_global(tk::slice(C, {m, n}, M - m, N - n), acc, thread);
        }
    }
}

// gemm_tf32_nt_low_general: kernel gemm_tf32_nt with BM = 64, BN = 128, BK = 32, CM = 1, WG = 1, S
// = 8, W = 8, ALT = false; any strides and alignment.
// producer: 1 warp, 240 registers a thread; consumer: 1 warpgroup, 240 registers a thread.
// 256 threads, 255 registers each at first, 196736 bytes of shared memory; persistent:
// gemm_tf32_nt_low_general_kernel<8, 128>.
// gemm_tf32_nt_low_64_general: kernel gemm_tf32_nt with BM = 64, BN = 64, BK = 32, CM = 1, WG = 1,
// S = 12, W = 8, ALT = false; any strides and alignment.
// producer: 1 warp, 240 registers a thread; consumer: 1 warpgroup, 240 registers a thread.
// 256 threads, 255 registers each at first, 196800 bytes of shared memory; persistent:
// gemm_tf32_nt_low_general_kernel<12, 64>.
template <int S, int BN>
struct gemm_tf32_nt_low_general_shared {
    tk::shared_tile<tk::tf32, 64, 32> ab_a[S];
    tk::shared_tile<tk::tf32, BN, 32> ab_b[S];
    tk::pipeline<S> ab;
};
static_assert(__builtin_offsetof(gemm_tf32_nt_low_general_shared<8, 128>, ab) == 196608);
static_assert(__builtin_offsetof(gemm_tf32_nt_low_general_shared<12, 64>, ab) == 196608);

template <int S, int BN>
__global__ void __launch_bounds__(256, 1) gemm_tf32_nt_low_general_kernel(
    const tk::tensor_argument<const float, 2> A, const tk::tensor_argument<const float, 2> B,
    const tk::tensor_argument<float, 2> C, int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_tf32_nt_low_general_shared<S, BN>& shared =
        *reinterpret_cast<gemm_tf32_nt_low_general_shared<S, BN>*>(memory);

    if (threadIdx.x == 0) {
        shared.ab.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 4) {
        // gemm_tf32.tk:13: role producer(1 warp) {
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(M, 64);
        const int n_tiles = tk::tiles(N, BN);
        const int programs = m_tiles * n_tiles;
        if (warp == 4) {
            const int thread = int(threadIdx.x) - 128;
            tk::cursor<S> ab_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 64;
                const int n = point.col * BN;

                // gemm_tf32.tk:14: for k in K by BK { produce ab { a = load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 32) {
                    shared.ab.wait_empty(ab_next);
                    tk::copy_to_shared(shared.ab_a[ab_next.stage],
                                       tk::slice(A, {m, k}, M - m, K - k), thread, 32);
                    tk::copy_to_shared(shared.ab_b[ab_next.stage],
                                       tk::slice(B, {n, k}, N - n, K - k), thread, 32);
                    shared.ab.publish(ab_next);
                    ab_next.advance();
                }
            }
        }
    } else {
        // gemm_tf32.tk:16: role consumer(WG warpgroups) alternate(ALT) {
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(M, 64);
        const int n_tiles = tk::tiles(N, BN);
        const int programs = m_tiles * n_tiles;
        const int thread = tk::warpgroup_thread();
        tk::cursor<S> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 64;
            const int n = point.col * BN;

            // gemm_tf32.tk:17: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, BN> acc;
            tk::zero(acc);

            // gemm_tf32.tk:18: for k in K by BK { consume ab as s { acc += mma(tf32(s.a), ..
            tk::cursor<S> previous_ab;
            for (int k = 0; k < K; k += 32) {
                const tk::cursor<S> s = shared.ab.take(ab_next);
                tk::mma_async(acc, shared.ab_a[s.stage], tk::transposed(shared.ab_b[s.stage]));
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_tf32.tk:19: store(C[m, n], acc);
            tk::store_global(tk::slice(C, {m, n}, M - m, N - n), acc, thread);
        }
    }
}

// turned: kernel turned with BM = 64, BN = 64.
// 256 threads, 48 registers each, 17408 bytes of shared memory: turned_kernel<5, 16, 4, true>.
// turned_general: kernel turned with BM = 64, BN = 64; any strides and alignment.
// 256 threads, 255 registers each, 17408 bytes of shared memory: turned_kernel<1, 32, 2, false>.
struct turned_shared {
    tk::shared_tile<int, 1, 4160> turned_turned[1];
};

template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) turned_kernel(
    const tk::tensor_argument<const float, 2> X, const tk::tensor_argument<float, 2> Y, int M,
    int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    turned_shared& shared = *reinterpret_cast<turned_shared*>(memory);

    tk::wait_for_previous_kernel();

    const int n_tiles = tk::tiles(N, 64);

    // gemm_tf32.tk:29: kernel turned<BM: int = 64, BN: int = 64>(X: f32[M, N], out Y: f32[N, M])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 64;
    const int m = program / n_tiles * 64;

    // gemm_tf32.tk:32: store(Y[n, m], load(X[m, n]).T);
    tk::stripe<float, 64, 64, 256, row_threads, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_vectors<vectors>(X, {m, n}, M - m, N - n), thread);
    tk::stripe<float, 64, 64, 256, row_threads, vector> t1;
    tk::transpose(t1, t0, shared.turned_turned[0], thread, 1);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(Y, {n, m}, N - n, M - m), t1, thread);
}

namespace {
int run_gemm_tf32_nt(const char* function, tk::candidates offered, const DLTensor* A_given,
                     const DLTensor* B_given, DLTensor* C_given, cudaStream_t stream) {
    tk::arguments call{function};
    const tk::tensor A = call.take("A", A_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor B = call.take("B", B_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = A.shape[0];
    const int64_t K = A.shape[1];
    const int64_t N = B.shape[0];
    call.require(
        {tk::same_extent("K", A, 1, B, 1), tk::same_extent("M", A, 0, C, 0),
         tk::same_extent("N", B, 0, C, 1), tk::extents_fit({{"M", M}, {"K", K}, {"N", N}})});
    if (!call.ok()) return tk::finish(call.result());

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call, offered};
    choice.candidate();  // gemm_tf32_nt
    choice.prefer({tk::suits_fast(A, "K"), tk::suits_fast(B, "K")});
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)),
                 9692 +
                 tk::multiply(
                     tk::larger(1024,
                                (A.stride[0] % 32 == 0 ? 304 : 482) +
                                (B.stride[0] % 32 == 0 ? 607 : 964)) + 20, tk::ceil_div(K, 32)),
                 2147418112);
    choice.candidate();  // gemm_tf32_nt_pairs
    choice.prefer({tk::suits_fast(A, "K"), tk::suits_fast(B, "K")});
    choice.offer(tk::ceil_div(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), 2) * 2,
                 9692 +
                 tk::multiply(tk::larger(1024, (A.stride[0] % 32 == 0 ? 304 : 482) + 607) + 20,
                              tk::ceil_div(K, 32)), 2147418112);
    choice.candidate();  // gemm_tf32_nt_square
    choice.prefer({tk::suits_fast(A, "K"), tk::suits_fast(B, "K")});
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
                 5596 +
                 tk::multiply(
                     tk::larger(512,
                                (A.stride[0] % 32 == 0 ? 304 : 482) +
                                (B.stride[0] % 32 == 0 ? 304 : 482)) + 20, tk::ceil_div(K, 32)),
                 2147418112);
    choice.candidate();  // gemm_tf32_nt_turns
    choice.prefer({tk::suits_fast(A, "K"), tk::suits_fast(B, "K")});
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 192)),
                 tk::larger(
                     tk::multiply(
                         tk::larger(768,
                                    (A.stride[0] % 32 == 0 ? 304 : 482) +
                                    (B.stride[0] % 32 == 0 ? 456 : 723)) + 20, tk::ceil_div(K, 32)),
                     tk::ceil_div(7644 +
                                  tk::multiply(
                                      tk::larger(768,
                                                 (A.stride[0] % 32 == 0 ? 304 : 482) +
                                                 (B.stride[0] % 32 == 0 ? 456 : 723)) + 20,
                                      tk::ceil_div(K, 32)), 2)) +
                 tk::ceil_div(7644 +
                              tk::multiply(
                                  tk::larger(768,
                                             (A.stride[0] % 32 == 0 ? 304 : 482) +
                                             (B.stride[0] % 32 == 0 ? 456 : 723)) + 20,
                                  tk::ceil_div(K, 32)) -
                              tk::larger(
                                  tk::multiply(
                                      tk::larger(768,
                                                 (A.stride[0] % 32 == 0 ? 304 : 482) +
                                                 (B.stride[0] % 32 == 0 ? 456 : 723)) + 20,
                                      tk::ceil_div(K, 32)),
                                  tk::ceil_div(7644 +
                                               tk::multiply(
                                                   tk::larger(768,
                                                              (A.stride[0] % 32 == 0 ? 304 : 482) +
                                                              (B.stride[0] % 32 == 0 ? 456 : 723)) +
                                                   20, tk::ceil_div(K, 32)), 2)),
                              tk::larger(
                                  tk::ceil_div(
                                      tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 192)),
                                      132), 1)), 2147418112);
    choice.candidate();  // gemm_tf32_nt_low
    choice.prefer({tk::suits_fast(A, "K"), tk::suits_fast(B, "K")});
    choice.offer(tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 128)),
                 3548 +
                 tk::multiply(
                     tk::larger(256,
                                (A.stride[0] % 32 == 0 ? 152 : 241) +
                                (B.stride[0] % 32 == 0 ? 304 : 482)) + 20, tk::ceil_div(K, 32)),
                 2147418112);
    choice.candidate();  // gemm_tf32_nt_low_64
    choice.prefer({tk::suits_fast(A, "K"), tk::suits_fast(B, "K")});
    choice.offer(tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 64)),
                 2524 +
                 tk::multiply(
                     tk::larger(128,
                                (A.stride[0] % 32 == 0 ? 152 : 241) +
                                (B.stride[0] % 32 == 0 ? 152 : 241)) + 20, tk::ceil_div(K, 32)),
                 2147418112);
    choice.candidate(true);  // gemm_tf32_nt_general
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)),
                 9692 + 3092 * tk::ceil_div(K, 32), 2147418112);
    choice.candidate(true);  // gemm_tf32_nt_pairs_general
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)),
                 9692 + 3092 * tk::ceil_div(K, 32), 2147418112);
    choice.candidate(true);  // gemm_tf32_nt_square_general
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
                 5596 + 2068 * tk::ceil_div(K, 32), 2147418112);
    choice.candidate(true);  // gemm_tf32_nt_turns_general
    choice.offer(
        tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 192)),
        tk::larger(2580 * tk::ceil_div(K, 32), tk::ceil_div(7644 + 2580 * tk::ceil_div(K, 32), 2)) +
        tk::ceil_div(7644 + 2580 * tk::ceil_div(K, 32) -
                     tk::larger(2580 * tk::ceil_div(K, 32),
                                tk::ceil_div(7644 + 2580 * tk::ceil_div(K, 32), 2)),
                     tk::larger(
                         tk::ceil_div(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 192)),
                                      132), 1)), 2147418112);
    choice.candidate(true);  // gemm_tf32_nt_low_general
    choice.offer(tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 128)),
                 3548 + 1556 * tk::ceil_div(K, 32), 2147418112);
    choice.candidate(true);  // gemm_tf32_nt_low_64_general
    choice.offer(tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 64)),
                 2524 + 1044 * tk::ceil_div(K, 32), 2147418112);
    if (!choice.ok()) return tk::finish(choice.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    const int best = choice.best(site);
    if (best == 0) {
        return tk::finish(tk::run<gemm_tf32_nt_kernel<4, 256, 49152>>(
            site, sizeof(gemm_tf32_nt_shared<4, 256>),
            tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)),
            tk::box{A, {128, 32}, 128, tk::rounds_to_tf32},
            tk::box{B, {256, 32}, 128, tk::rounds_to_tf32}, C, M, K, N));
    }
    if (best == 1) {
        return tk::finish(tk::run<gemm_tf32_nt_pairs_kernel>(
            site, sizeof(gemm_tf32_nt_pairs_shared),
            tk::kernel_shape(384).in_clusters(2).at_once(1).overlapping(),
            tk::ceil_div(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), 2) * 2,
            tk::box{A, {128, 32}, 128, tk::rounds_to_tf32},
            tk::box{B, {128, 32}, 128, tk::rounds_to_tf32}, C, M, K, N));
    }
    if (best == 2) {
        return tk::finish(tk::run<gemm_tf32_nt_kernel<6, 128, 32768>>(
            site, sizeof(gemm_tf32_nt_shared<6, 128>),
            tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
            tk::box{A, {128, 32}, 128, tk::rounds_to_tf32},
            tk::box{B, {128, 32}, 128, tk::rounds_to_tf32}, C, M, K, N));
    }
    if (best == 3) {
        return tk::finish(tk::run<gemm_tf32_nt_turns_kernel>(
            site, sizeof(gemm_tf32_nt_turns_shared), tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 192)),
            tk::box{A, {128, 32}, 128, tk::rounds_to_tf32},
            tk::box{B, {192, 32}, 128, tk::rounds_to_tf32}, C, M, K, N));
    }
    if (best == 4) {
        return tk::finish(tk::run<gemm_tf32_nt_low_kernel<8, 128, 24576>>(
            site, sizeof(gemm_tf32_nt_low_shared<8, 128>),
            tk::kernel_shape(256).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 128)),
            tk::box{A, {64, 32}, 128, tk::rounds_to_tf32},
            tk::box{B, {128, 32}, 128, tk::rounds_to_tf32}, C, M, K, N));
    }
    if (best == 5) {
        return tk::finish(tk::run<gemm_tf32_nt_low_kernel<12, 64, 16384>>(
            site, sizeof(gemm_tf32_nt_low_shared<12, 64>),
            tk::kernel_shape(256).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 64)),
            tk::box{A, {64, 32}, 128, tk::rounds_to_tf32},
            tk::box{B, {64, 32}, 128, tk::rounds_to_tf32}, C, M, K, N));
    }
    if (best == 6) {
        return tk::finish(tk::run<gemm_tf32_nt_general_kernel<4, 256, 8>>(
            site, sizeof(gemm_tf32_nt_general_shared<4, 256>),
            tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), A, B, C, M, K, N));
    }
    if (best == 7) {
        return tk::finish(tk::run<gemm_tf32_nt_general_kernel<4, 256, 16>>(
            site, sizeof(gemm_tf32_nt_general_shared<4, 256>),
            tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), A, B, C, M, K, N));
    }
    if (best == 8) {
        return tk::finish(tk::run<gemm_tf32_nt_general_kernel<6, 128, 8>>(
            site, sizeof(gemm_tf32_nt_general_shared<6, 128>),
            tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), A, B, C, M, K, N));
    }
    if (best == 9) {
        return tk::finish(tk::run<gemm_tf32_nt_turns_general_kernel>(
            site, sizeof(gemm_tf32_nt_turns_general_shared),
            tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 192)), A, B, C, M, K, N));
    }
    if (best == 10) {
        return tk::finish(tk::run<gemm_tf32_nt_low_general_kernel<8, 128>>(
            site, sizeof(gemm_tf32_nt_low_general_shared<8, 128>),
            tk::kernel_shape(256).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 128)), A, B, C, M, K, N));
    }
    return tk::finish(tk::run<gemm_tf32_nt_low_general_kernel<12, 64>>(
        site, sizeof(gemm_tf32_nt_low_general_shared<12, 64>),
        tk::kernel_shape(256).at_once(1).overlapping(),
        tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 64)), A, B, C, M, K, N));
}

tk::status launch_turned(const tk::launch_site& site, const tk::tensor& X, const tk::tensor& Y,
                         int64_t M, int64_t N) {
    return tk::run<turned_kernel<5, 16, 4, true>>(
        site, sizeof(turned_shared), tk::kernel_shape(256).overlapping(),
        tk::multiply(tk::ceil_div(N, 64), tk::ceil_div(M, 64)), X, Y, M, N);
}

tk::status launch_turned_general(const tk::launch_site& site, const tk::tensor& X,
                                 const tk::tensor& Y, int64_t M, int64_t N) {
    return tk::run<turned_kernel<1, 32, 2, false>>(
        site, sizeof(turned_shared), tk::kernel_shape(256).overlapping(),
        tk::multiply(tk::ceil_div(N, 64), tk::ceil_div(M, 64)), X, Y, M, N);
}

tk::status launch_gemm_tf32_nt(const tk::launch_site& site, const tk::tensor& A,
                               const tk::tensor& B, const tk::tensor& C, int64_t M, int64_t K,
                               int64_t N) {
    return tk::run<gemm_tf32_nt_kernel<4, 256, 49152>>(
        site, sizeof(gemm_tf32_nt_shared<4, 256>), tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)),
        tk::box{A, {128, 32}, 128, tk::rounds_to_tf32},
        tk::box{B, {256, 32}, 128, tk::rounds_to_tf32}, C, M, K, N);
}

tk::status launch_gemm_tf32_nt_pairs(const tk::launch_site& site, const tk::tensor& A,
                                     const tk::tensor& B, const tk::tensor& C, int64_t M, int64_t K,
                                     int64_t N) {
    return tk::run<gemm_tf32_nt_pairs_kernel>(
        site, sizeof(gemm_tf32_nt_pairs_shared),
        tk::kernel_shape(384).in_clusters(2).at_once(1).overlapping(),
        tk::ceil_div(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), 2) * 2,
        tk::box{A, {128, 32}, 128, tk::rounds_to_tf32},
        tk::box{B, {128, 32}, 128, tk::rounds_to_tf32}, C, M, K, N);
}

tk::status launch_gemm_tf32_nt_square(const tk::launch_site& site, const tk::tensor& A,
                                      const tk::tensor& B, const tk::tensor& C, int64_t M,
                                      int64_t K, int64_t N) {
    return tk::run<gemm_tf32_nt_kernel<6, 128, 32768>>(
        site, sizeof(gemm_tf32_nt_shared<6, 128>), tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
        tk::box{A, {128, 32}, 128, tk::rounds_to_tf32},
        tk::box{B, {128, 32}, 128, tk::rounds_to_tf32}, C, M, K, N);
}

tk::status launch_gemm_tf32_nt_turns(const tk::launch_site& site, const tk::tensor& A,
                                     const tk::tensor& B, const tk::tensor& C, int64_t M, int64_t K,
                                     int64_t N) {
    return tk::run<gemm_tf32_nt_turns_kernel>(
        site, sizeof(gemm_tf32_nt_turns_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 192)),
        tk::box{A, {128, 32}, 128, tk::rounds_to_tf32},
        tk::box{B, {192, 32}, 128, tk::rounds_to_tf32}, C, M, K, N);
}

tk::status launch_gemm_tf32_nt_low(const tk::launch_site& site, const tk::tensor& A,
                                   const tk::tensor& B, const tk::tensor& C, int64_t M, int64_t K,
                                   int64_t N) {
    return tk::run<gemm_tf32_nt_low_kernel<8, 128, 24576>>(
        site, sizeof(gemm_tf32_nt_low_shared<8, 128>),
        tk::kernel_shape(256).at_once(1).overlapping(),
        tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 128)),
        tk::box{A, {64, 32}, 128, tk::rounds_to_tf32},
        tk::box{B, {128, 32}, 128, tk::rounds_to_tf32}, C, M, K, N);
}

tk::status launch_gemm_tf32_nt_low_64(const tk::launch_site& site, const tk::tensor& A,
                                      const tk::tensor& B, const tk::tensor& C, int64_t M,
                                      int64_t K, int64_t N) {
    return tk::run<gemm_tf32_nt_low_kernel<12, 64, 16384>>(
        site, sizeof(gemm_tf32_nt_low_shared<12, 64>),
        tk::kernel_shape(256).at_once(1).overlapping(),
        tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 64)),
        tk::box{A, {64, 32}, 128, tk::rounds_to_tf32},
        tk::box{B, {64, 32}, 128, tk::rounds_to_tf32}, C, M, K, N);
}

tk::status launch_gemm_tf32_nt_general(const tk::launch_site& site, const tk::tensor& A,
                                       const tk::tensor& B, const tk::tensor& C, int64_t M,
                                       int64_t K, int64_t N) {
    return tk::run<gemm_tf32_nt_general_kernel<4, 256, 8>>(
        site, sizeof(gemm_tf32_nt_general_shared<4, 256>),
        tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), A, B, C, M, K, N);
}

tk::status launch_gemm_tf32_nt_pairs_general(const tk::launch_site& site, const tk::tensor& A,
                                             const tk::tensor& B, const tk::tensor& C, int64_t M,
                                             int64_t K, int64_t N) {
    return tk::run<gemm_tf32_nt_general_kernel<4, 256, 16>>(
        site, sizeof(gemm_tf32_nt_general_shared<4, 256>),
        tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), A, B, C, M, K, N);
}

tk::status launch_gemm_tf32_nt_square_general(const tk::launch_site& site, const tk::tensor& A,
                                              const tk::tensor& B, const tk::tensor& C, int64_t M,
                                              int64_t K, int64_t N) {
    return tk::run<gemm_tf32_nt_general_kernel<6, 128, 8>>(
        site, sizeof(gemm_tf32_nt_general_shared<6, 128>),
        tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), A, B, C, M, K, N);
}

tk::status launch_gemm_tf32_nt_turns_general(const tk::launch_site& site, const tk::tensor& A,
                                             const tk::tensor& B, const tk::tensor& C, int64_t M,
                                             int64_t K, int64_t N) {
    return tk::run<gemm_tf32_nt_turns_general_kernel>(
        site, sizeof(gemm_tf32_nt_turns_general_shared),
        tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 192)), A, B, C, M, K, N);
}

tk::status launch_gemm_tf32_nt_low_general(const tk::launch_site& site, const tk::tensor& A,
                                           const tk::tensor& B, const tk::tensor& C, int64_t M,
                                           int64_t K, int64_t N) {
    return tk::run<gemm_tf32_nt_low_general_kernel<8, 128>>(
        site, sizeof(gemm_tf32_nt_low_general_shared<8, 128>),
        tk::kernel_shape(256).at_once(1).overlapping(),
        tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 128)), A, B, C, M, K, N);
}

tk::status launch_gemm_tf32_nt_low_64_general(const tk::launch_site& site, const tk::tensor& A,
                                              const tk::tensor& B, const tk::tensor& C, int64_t M,
                                              int64_t K, int64_t N) {
    return tk::run<gemm_tf32_nt_low_general_kernel<12, 64>>(
        site, sizeof(gemm_tf32_nt_low_general_shared<12, 64>),
        tk::kernel_shape(256).at_once(1).overlapping(),
        tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 64)), A, B, C, M, K, N);
}

}  // namespace

extern "C" {
int gemm_tf32_nt(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*, size_t,
                 cudaStream_t stream) {
    return run_gemm_tf32_nt("gemm_tf32_nt", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, A_given,
                            B_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_tf32_nt, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_tf32_nt_pairs(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*,
                       size_t, cudaStream_t stream) {
    return run_gemm_tf32_nt("gemm_tf32_nt_pairs", {1, 7}, A_given, B_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_tf32_nt_pairs, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_tf32_nt_square(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*,
                        size_t, cudaStream_t stream) {
    return run_gemm_tf32_nt("gemm_tf32_nt_square", {2, 8}, A_given, B_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_tf32_nt_square, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_tf32_nt_turns(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*,
                       size_t, cudaStream_t stream) {
    return run_gemm_tf32_nt("gemm_tf32_nt_turns", {3, 9}, A_given, B_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_tf32_nt_turns, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_tf32_nt_low(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*,
                     size_t, cudaStream_t stream) {
    return run_gemm_tf32_nt("gemm_tf32_nt_low", {4, 10}, A_given, B_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_tf32_nt_low, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_tf32_nt_low_64(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*,
                        size_t, cudaStream_t stream) {
    return run_gemm_tf32_nt("gemm_tf32_nt_low_64", {5, 11}, A_given, B_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_tf32_nt_low_64, const DLTensor*, const DLTensor*, DLTensor*)

int turned(const DLTensor* X_given, DLTensor* Y_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"turned"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_f32, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = X.shape[0];
    const int64_t N = X.shape[1];
    call.require(
        {tk::same_extent("N", X, 1, Y, 0), tk::same_extent("M", X, 0, Y, 1),
         tk::extents_fit({{"M", M}, {"N", N}}),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 64), tk::ceil_div(M, 64)), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::ceil_div(N, 64), tk::ceil_div(M, 64));
    const bool fast = tk::hold(
        {tk::suits_fast(X, "N"), tk::whole_vectors(X, 4), tk::suits_fast(Y, "M"),
         tk::whole_vectors(Y, 4)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<turned_kernel<5, 16, 4, true>, turned_kernel<1, 32, 2, false>>(
        fast ? 0 : 1, site, sizeof(turned_shared), tk::kernel_shape(256).overlapping(), programs, X,
        Y, M, N));
}
TK_NO_WORKSPACE(turned, const DLTensor*, DLTensor*)

int gemm_tf32(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given,
              DLTensor* Turned_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"gemm_tf32"};
    const tk::tensor A = call.take("A", A_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor B = call.take("B", B_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 2, tk::access::write);
    const tk::tensor Turned = call.take("Turned", Turned_given, tk::dtype_f32, 2,
                                        tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = A.shape[0];
    const int64_t K = A.shape[1];
    const int64_t N = B.shape[1];
    call.require(
        {tk::same_extent("K", A, 1, B, 0), tk::same_extent("M", A, 0, C, 0),
         tk::same_extent("N", B, 1, C, 1), tk::same_extent("N", B, 1, Turned, 0),
         tk::same_extent("K", A, 1, Turned, 1), tk::extents_fit({{"M", M}, {"K", K}, {"N", N}})});
    // turned(B, Turned)
    call.require(
        {tk::grid_fits(tk::multiply(tk::ceil_div(N, 64), tk::ceil_div(K, 64)), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());

    // turned(B, Turned)
    const bool choice_1 = tk::hold(
        {tk::suits_fast(B, "N"), tk::whole_vectors(B, 4), tk::suits_fast(Turned, "K"),
         tk::whole_vectors(Turned, 4)});

    // gemm_tf32_nt(A, Turned, C)
    tk::selection choice_2{call};
    choice_2.candidate();  // gemm_tf32_nt
    choice_2.prefer({tk::suits_fast(A, "K"), tk::suits_fast(Turned, "K")});
    choice_2.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)),
                   9692 +
                   tk::multiply(
                       tk::larger(1024,
                                  (A.stride[0] % 32 == 0 ? 304 : 482) +
                                  (Turned.stride[0] % 32 == 0 ? 607 : 964)) + 20,
                       tk::ceil_div(K, 32)), 2147418112);
    choice_2.candidate();  // gemm_tf32_nt_pairs
    choice_2.prefer({tk::suits_fast(A, "K"), tk::suits_fast(Turned, "K")});
    choice_2.offer(tk::ceil_div(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), 2) * 2,
                   9692 +
                   tk::multiply(tk::larger(1024, (A.stride[0] % 32 == 0 ? 304 : 482) + 607) + 20,
                                tk::ceil_div(K, 32)), 2147418112);
    choice_2.candidate();  // gemm_tf32_nt_square
    choice_2.prefer({tk::suits_fast(A, "K"), tk::suits_fast(Turned, "K")});
    choice_2.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
                   5596 +
                   tk::multiply(
                       tk::larger(512,
                                  (A.stride[0] % 32 == 0 ? 304 : 482) +
                                  (Turned.stride[0] % 32 == 0 ? 304 : 482)) + 20,
                       tk::ceil_div(K, 32)), 2147418112);
    choice_2.candidate();  // gemm_tf32_nt_turns
    choice_2.prefer({tk::suits_fast(A, "K"), tk::suits_fast(Turned, "K")});
    choice_2.offer(
        tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 192)),
        tk::larger(
            tk::multiply(
                tk::larger(768,
                           (A.stride[0] % 32 == 0 ? 304 : 482) +
                           (Turned.stride[0] % 32 == 0 ? 456 : 723)) + 20, tk::ceil_div(K, 32)),
            tk::ceil_div(7644 +
                         tk::multiply(
                             tk::larger(768,
                                        (A.stride[0] % 32 == 0 ? 304 : 482) +
                                        (Turned.stride[0] % 32 == 0 ? 456 : 723)) + 20,
                             tk::ceil_div(K, 32)), 2)) +
        tk::ceil_div(7644 +
                     tk::multiply(
                         tk::larger(768,
                                    (A.stride[0] % 32 == 0 ? 304 : 482) +
                                    (Turned.stride[0] % 32 == 0 ? 456 : 723)) + 20,
                         tk::ceil_div(K, 32)) -
                     tk::larger(
                         tk::multiply(
                             tk::larger(768,
                                        (A.stride[0] % 32 == 0 ? 304 : 482) +
                                        (Turned.stride[0] % 32 == 0 ? 456 : 723)) + 20,
                             tk::ceil_div(K, 32)),
                         tk::ceil_div(7644 +
                                      tk::multiply(
                                          tk::larger(768,
                                                     (A.stride[0] % 32 == 0 ? 304 : 482) +
                                                     (Turned.stride[0] % 32 == 0 ? 456 : 723)) + 20,
                                          tk::ceil_div(K, 32)), 2)),
                     tk::larger(
                         tk::ceil_div(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 192)),
                                      132), 1)), 2147418112);
    choice_2.candidate();  // gemm_tf32_nt_low
    choice_2.prefer({tk::suits_fast(A, "K"), tk::suits_fast(Turned, "K")});
    choice_2.offer(tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 128)),
                   3548 +
                   tk::multiply(
                       tk::larger(256,
                                  (A.stride[0] % 32 == 0 ? 152 : 241) +
                                  (Turned.stride[0] % 32 == 0 ? 304 : 482)) + 20,
                       tk::ceil_div(K, 32)), 2147418112);
    choice_2.candidate();  // gemm_tf32_nt_low_64
    choice_2.prefer({tk::suits_fast(A, "K"), tk::suits_fast(Turned, "K")});
    choice_2.offer(tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 64)),
                   2524 +
                   tk::multiply(
                       tk::larger(128,
                                  (A.stride[0] % 32 == 0 ? 152 : 241) +
                                  (Turned.stride[0] % 32 == 0 ? 152 : 241)) + 20,
                       tk::ceil_div(K, 32)), 2147418112);
    choice_2.candidate(true);  // gemm_tf32_nt_general
    choice_2.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)),
                   9692 + 3092 * tk::ceil_div(K, 32), 2147418112);
    choice_2.candidate(true);  // gemm_tf32_nt_pairs_general
    choice_2.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)),
                   9692 + 3092 * tk::ceil_div(K, 32), 2147418112);
    choice_2.candidate(true);  // gemm_tf32_nt_square_general
    choice_2.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
                   5596 + 2068 * tk::ceil_div(K, 32), 2147418112);
    choice_2.candidate(true);  // gemm_tf32_nt_turns_general
    choice_2.offer(
        tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 192)),
        tk::larger(2580 * tk::ceil_div(K, 32), tk::ceil_div(7644 + 2580 * tk::ceil_div(K, 32), 2)) +
        tk::ceil_div(7644 + 2580 * tk::ceil_div(K, 32) -
                     tk::larger(2580 * tk::ceil_div(K, 32),
                                tk::ceil_div(7644 + 2580 * tk::ceil_div(K, 32), 2)),
                     tk::larger(
                         tk::ceil_div(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 192)),
                                      132), 1)), 2147418112);
    choice_2.candidate(true);  // gemm_tf32_nt_low_general
    choice_2.offer(tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 128)),
                   3548 + 1556 * tk::ceil_div(K, 32), 2147418112);
    choice_2.candidate(true);  // gemm_tf32_nt_low_64_general
    choice_2.offer(tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 64)),
                   2524 + 1044 * tk::ceil_div(K, 32), 2147418112);
    if (!choice_2.ok()) return tk::finish(choice_2.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1) {
        TK_FINISH_IF_FAILED(launch_turned(site, B, Turned, K, N));
    } else {
        TK_FINISH_IF_FAILED(launch_turned_general(site, B, Turned, K, N));
    }
    if (choice_2.best(site) == 0) {
        TK_FINISH_IF_FAILED(launch_gemm_tf32_nt(site, A, tk::read_only(Turned), C, M, K, N));
    }
    if (choice_2.best(site) == 1) {
        TK_FINISH_IF_FAILED(launch_gemm_tf32_nt_pairs(site, A, tk::read_only(Turned), C, M, K, N));
    }
    if (choice_2.best(site) == 2) {
        TK_FINISH_IF_FAILED(launch_gemm_tf32_nt_square(site, A, tk::read_only(Turned), C, M, K, N));
    }
    if (choice_2.best(site) == 3) {
        TK_FINISH_IF_FAILED(launch_gemm_tf32_nt_turns(site, A, tk::read_only(Turned), C, M, K, N));
    }
    if (choice_2.best(site) == 4) {
        TK_FINISH_IF_FAILED(launch_gemm_tf32_nt_low(site, A, tk::read_only(Turned), C, M, K, N));
    }
    if (choice_2.best(site) == 5) {
        TK_FINISH_IF_FAILED(launch_gemm_tf32_nt_low_64(site, A, tk::read_only(Turned), C, M, K, N));
    }
    if (choice_2.best(site) == 6) {
        TK_FINISH_IF_FAILED(
            launch_gemm_tf32_nt_general(site, A, tk::read_only(Turned), C, M, K, N));
    }
    if (choice_2.best(site) == 7) {
        TK_FINISH_IF_FAILED(
            launch_gemm_tf32_nt_pairs_general(site, A, tk::read_only(Turned), C, M, K, N));
    }
    if (choice_2.best(site) == 8) {
        TK_FINISH_IF_FAILED(
            launch_gemm_tf32_nt_square_general(site, A, tk::read_only(Turned), C, M, K, N));
    }
    if (choice_2.best(site) == 9) {
        TK_FINISH_IF_FAILED(
            launch_gemm_tf32_nt_turns_general(site, A, tk::read_only(Turned), C, M, K, N));
    }
    if (choice_2.best(site) == 10) {
        TK_FINISH_IF_FAILED(
            launch_gemm_tf32_nt_low_general(site, A, tk::read_only(Turned), C, M, K, N));
    }
    if (choice_2.best(site) == 11) {
        TK_FINISH_IF_FAILED(
            launch_gemm_tf32_nt_low_64_general(site, A, tk::read_only(Turned), C, M, K, N));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(gemm_tf32, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*)
}  // extern "C"
