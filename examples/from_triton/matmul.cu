// Made by tkc from matmul.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/ptx/wgmma_n064.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/ptx/wgmma_n256.cuh"
#include "tk/tk.cuh"

// matmul: kernel matmul with ACT = identity, BM = 128, BN = 256, BK = 64, W = 8.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 229440 bytes of shared memory; persistent:
// matmul_kernel<256, 49152>.
// matmul_128x128: kernel matmul with ACT = identity, BM = 128, BN = 128, BK = 64, W = 8.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 163904 bytes of shared memory; persistent:
// matmul_kernel<128, 32768>.
template <int BN>
struct matmul_shared {
    tk::shared_tile<tk::f16, 128, 64> a_b_tiles_a[4];
    tk::shared_tile<tk::f16, 64, BN> a_b_tiles_b[4];
    tk::shared_tile<tk::f16, 64, 64> consumer_C[4];
    tk::pipeline<4> a_b_tiles;
};
static_assert(offsetof(matmul_shared<256>, a_b_tiles) == 229376);
static_assert(offsetof(matmul_shared<128>, a_b_tiles) == 163840);

template <int BN, int bytes>
__global__ void __launch_bounds__(384, 1) matmul_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap C_map, const tk::tensor_argument<tk::f16, 2> C, int M,
    int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    matmul_shared<BN>& shared = *reinterpret_cast<matmul_shared<BN>*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, C_map);
        shared.a_b_tiles.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // matmul.tk:6: kernel matmul<ACT: fn = identity, schedule BM: int = 128, schedule BN: ..
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, BN);
        const int programs = m_tiles * n_tiles;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<4> a_b_tiles_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 128;
                const int n = point.col * BN;

                // matmul.tk:11: for k in K by BK pipelined { acc += mma(load(A[m, k]), load(B[k, ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 64) {
                    shared.a_b_tiles.begin(a_b_tiles_next, bytes);
                    tk::tma_load(shared.a_b_tiles_a[a_b_tiles_next.stage], A_map,
                                 shared.a_b_tiles.full[a_b_tiles_next.stage], m, k);
                    tk::tma_load(shared.a_b_tiles_b[a_b_tiles_next.stage], B_map,
                                 shared.a_b_tiles.full[a_b_tiles_next.stage], k, n);
                    a_b_tiles_next.advance();
                }
            }
        }
    } else {
        // matmul.tk:6: kernel matmul<ACT: fn = identity, schedule BM: int = 128, schedule BN: ..
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, BN);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<4> a_b_tiles_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * BN;

            // matmul.tk:10: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, BN> acc;
            tk::zero(acc);

            // matmul.tk:11: for k in K by BK pipelined { acc += mma(load(A[m, k]), load(B[k, ..
            tk::cursor<4> previous_a_b_tiles;
            for (int k = 0; k < K; k += 64) {
                const tk::cursor<4> tiles = shared.a_b_tiles.take(a_b_tiles_next);
                tk::mma_async(acc, tk::rows<64>(shared.a_b_tiles_a[tiles.stage], 64 * warpgroup),
                              shared.a_b_tiles_b[tiles.stage]);
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.a_b_tiles.release(previous_a_b_tiles);
                previous_a_b_tiles = tiles;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.a_b_tiles.release(previous_a_b_tiles);

            // matmul.tk:12: store(C[m, n], f16(ACT(acc)));
            #pragma unroll
            for (int panel = 0; panel < BN; panel += 64) {
                tk::store_shared(shared.consumer_C[warpgroup * 2 + panel / 64 % 2],
                                 tk::convert<tk::f16>(tk::window<64, 64>(acc, 0, panel)), thread);
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

// matmul_general: kernel matmul with ACT = identity, BM = 128, BN = 256, BK = 64, W = 8; any
// strides and alignment.
// producer: 1 warp, 56 registers a thread; consumer: 2 warpgroups, 224 registers a thread.
// 384 threads, 168 registers each at first, 196672 bytes of shared memory; persistent:
// matmul_general_kernel<256>.
// matmul_128x128_general: kernel matmul with ACT = identity, BM = 128, BN = 128, BK = 64, W = 8;
// any strides and alignment.
// producer: 1 warp, 56 registers a thread; consumer: 2 warpgroups, 224 registers a thread.
// 384 threads, 168 registers each at first, 131136 bytes of shared memory; persistent:
// matmul_general_kernel<128>.
template <int BN>
struct matmul_general_shared {
    tk::shared_tile<tk::f16, 128, 64> a_b_tiles_a[4];
    tk::shared_tile<tk::f16, 64, BN> a_b_tiles_b[4];
    tk::pipeline<4> a_b_tiles;
};
static_assert(offsetof(matmul_general_shared<256>, a_b_tiles) == 196608);
static_assert(offsetof(matmul_general_shared<128>, a_b_tiles) == 131072);

template <int BN>
__global__ void __launch_bounds__(384, 1) matmul_general_kernel(
    const tk::tensor_argument<const tk::f16, 2> A, const tk::tensor_argument<const tk::f16, 2> B,
    const tk::tensor_argument<tk::f16, 2> C, int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    matmul_general_shared<BN>& shared = *reinterpret_cast<matmul_general_shared<BN>*>(memory);

    if (threadIdx.x == 0) {
        shared.a_b_tiles.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // matmul.tk:6: kernel matmul<ACT: fn = identity, schedule BM: int = 128, schedule BN: ..
        tk::registers_at_most<56>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, BN);
        const int programs = m_tiles * n_tiles;
        if (warp == 8) {
            const int thread = int(threadIdx.x) - 256;
            tk::cursor<4> a_b_tiles_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 128;
                const int n = point.col * BN;

                // matmul.tk:11: for k in K by BK pipelined { acc += mma(load(A[m, k]), load(B[k, ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 64) {
                    shared.a_b_tiles.wait_empty(a_b_tiles_next);
                    tk::copy_to_shared(shared.a_b_tiles_a[a_b_tiles_next.stage],
                                       tk::slice(A, {m, k}, M - m, K - k), thread, 32);
                    tk::copy_to_shared(shared.a_b_tiles_b[a_b_tiles_next.stage],
                                       tk::slice(B, {k, n}, K - k, N - n), thread, 32);
                    shared.a_b_tiles.publish(a_b_tiles_next);
                    a_b_tiles_next.advance();
                }
            }
        }
    } else {
        // matmul.tk:6: kernel matmul<ACT: fn = identity, schedule BM: int = 128, schedule BN: ..
        tk::registers_at_least<224>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, BN);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        tk::cursor<4> a_b_tiles_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * BN;

            // matmul.tk:10: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, BN> acc;
            tk::zero(acc);

            // matmul.tk:11: for k in K by BK pipelined { acc += mma(load(A[m, k]), load(B[k, ..
            tk::cursor<4> previous_a_b_tiles;
            for (int k = 0; k < K; k += 64) {
                const tk::cursor<4> tiles = shared.a_b_tiles.take(a_b_tiles_next);
                tk::mma_async(acc, tk::rows<64>(shared.a_b_tiles_a[tiles.stage], 64 * warpgroup),
                              shared.a_b_tiles_b[tiles.stage]);
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.a_b_tiles.release(previous_a_b_tiles);
                previous_a_b_tiles = tiles;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.a_b_tiles.release(previous_a_b_tiles);

            // matmul.tk:12: store(C[m, n], f16(ACT(acc)));
            tk::fragment<tk::f16, 64, BN> t0 = tk::convert<tk::f16>(acc);
            tk::store_global(tk::slice(C, {m + 64 * warpgroup, n}, M - (m + 64 * warpgroup), N - n),
                             t0, thread);
        }
    }
}

// matmul_64x64: kernel matmul with ACT = identity, BM = 64, BN = 64, BK = 64, W = 4.
// producer: 1 warp, 240 registers a thread; consumer: 1 warpgroup, 240 registers a thread.
// 256 threads, 255 registers each at first, 73792 bytes of shared memory; persistent.
struct matmul_64x64_shared {
    tk::shared_tile<tk::f16, 64, 64> a_b_tiles_a[4];
    tk::shared_tile<tk::f16, 64, 64> a_b_tiles_b[4];
    tk::shared_tile<tk::f16, 64, 64> consumer_C[1];
    tk::pipeline<4> a_b_tiles;
};
static_assert(offsetof(matmul_64x64_shared, a_b_tiles) == 73728);

__global__ void __launch_bounds__(256, 1) matmul_64x64_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap C_map, const tk::tensor_argument<tk::f16, 2> C, int M,
    int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    matmul_64x64_shared& shared = *reinterpret_cast<matmul_64x64_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, C_map);
        shared.a_b_tiles.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 4) {
        // matmul.tk:6: kernel matmul<ACT: fn = identity, schedule BM: int = 128, schedule BN: ..
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(M, 64);
        const int n_tiles = tk::tiles(N, 64);
        const int programs = m_tiles * n_tiles;
        if (warp == 4 && tk::elect_one()) {
            tk::cursor<4> a_b_tiles_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 64;
                const int n = point.col * 64;

                // matmul.tk:11: for k in K by BK pipelined { acc += mma(load(A[m, k]), load(B[k, ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 64) {
                    shared.a_b_tiles.begin(a_b_tiles_next, 16384);
                    tk::tma_load(shared.a_b_tiles_a[a_b_tiles_next.stage], A_map,
                                 shared.a_b_tiles.full[a_b_tiles_next.stage], m, k);
                    tk::tma_load(shared.a_b_tiles_b[a_b_tiles_next.stage], B_map,
                                 shared.a_b_tiles.full[a_b_tiles_next.stage], k, n);
                    a_b_tiles_next.advance();
                }
            }
        }
    } else {
        // matmul.tk:6: kernel matmul<ACT: fn = identity, schedule BM: int = 128, schedule BN: ..
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(M, 64);
        const int n_tiles = tk::tiles(N, 64);
        const int programs = m_tiles * n_tiles;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<4> a_b_tiles_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 64;
            const int n = point.col * 64;

            // matmul.tk:10: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 64> acc;
            tk::zero(acc);

            // matmul.tk:11: for k in K by BK pipelined { acc += mma(load(A[m, k]), load(B[k, ..
            tk::cursor<4> previous_a_b_tiles;
            for (int k = 0; k < K; k += 64) {
                const tk::cursor<4> tiles = shared.a_b_tiles.take(a_b_tiles_next);
                tk::mma_async(acc, shared.a_b_tiles_a[tiles.stage],
                              shared.a_b_tiles_b[tiles.stage]);
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.a_b_tiles.release(previous_a_b_tiles);
                previous_a_b_tiles = tiles;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.a_b_tiles.release(previous_a_b_tiles);

            // matmul.tk:12: store(C[m, n], f16(ACT(acc)));
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                tk::store_shared(shared.consumer_C[0], tk::convert<tk::f16>(acc), thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if (N % 8 != 0 && N < n + panel + 64) {
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

// matmul_64x64_general: kernel matmul with ACT = identity, BM = 64, BN = 64, BK = 64, W = 4; any
// strides and alignment.
// producer: 1 warp, 240 registers a thread; consumer: 1 warpgroup, 240 registers a thread.
// 256 threads, 255 registers each at first, 65600 bytes of shared memory; persistent.
struct matmul_64x64_general_shared {
    tk::shared_tile<tk::f16, 64, 64> a_b_tiles_a[4];
    tk::shared_tile<tk::f16, 64, 64> a_b_tiles_b[4];
    tk::pipeline<4> a_b_tiles;
};
static_assert(offsetof(matmul_64x64_general_shared, a_b_tiles) == 65536);

__global__ void __launch_bounds__(256, 1) matmul_64x64_general_kernel(
    const tk::tensor_argument<const tk::f16, 2> A, const tk::tensor_argument<const tk::f16, 2> B,
    const tk::tensor_argument<tk::f16, 2> C, int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    matmul_64x64_general_shared& shared = *reinterpret_cast<matmul_64x64_general_shared*>(memory);

    if (threadIdx.x == 0) {
        shared.a_b_tiles.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 4) {
        // matmul.tk:6: kernel matmul<ACT: fn = identity, schedule BM: int = 128, schedule BN: ..
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(M, 64);
        const int n_tiles = tk::tiles(N, 64);
        const int programs = m_tiles * n_tiles;
        if (warp == 4) {
            const int thread = int(threadIdx.x) - 128;
            tk::cursor<4> a_b_tiles_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 64;
                const int n = point.col * 64;

                // matmul.tk:11: for k in K by BK pipelined { acc += mma(load(A[m, k]), load(B[k, ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 64) {
                    shared.a_b_tiles.wait_empty(a_b_tiles_next);
                    tk::copy_to_shared(shared.a_b_tiles_a[a_b_tiles_next.stage],
                                       tk::slice(A, {m, k}, M - m, K - k), thread, 32);
                    tk::copy_to_shared(shared.a_b_tiles_b[a_b_tiles_next.stage],
                                       tk::slice(B, {k, n}, K - k, N - n), thread, 32);
                    shared.a_b_tiles.publish(a_b_tiles_next);
                    a_b_tiles_next.advance();
                }
            }
        }
    } else {
        // matmul.tk:6: kernel matmul<ACT: fn = identity, schedule BM: int = 128, schedule BN: ..
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(M, 64);
        const int n_tiles = tk::tiles(N, 64);
        const int programs = m_tiles * n_tiles;
        const int thread = tk::warpgroup_thread();
        tk::cursor<4> a_b_tiles_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 64;
            const int n = point.col * 64;

            // matmul.tk:10: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 64> acc;
            tk::zero(acc);

            // matmul.tk:11: for k in K by BK pipelined { acc += mma(load(A[m, k]), load(B[k, ..
            tk::cursor<4> previous_a_b_tiles;
            for (int k = 0; k < K; k += 64) {
                const tk::cursor<4> tiles = shared.a_b_tiles.take(a_b_tiles_next);
                tk::mma_async(acc, shared.a_b_tiles_a[tiles.stage],
                              shared.a_b_tiles_b[tiles.stage]);
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.a_b_tiles.release(previous_a_b_tiles);
                previous_a_b_tiles = tiles;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.a_b_tiles.release(previous_a_b_tiles);

            // matmul.tk:12: store(C[m, n], f16(ACT(acc)));
            tk::fragment<tk::f16, 64, 64> t0 = tk::convert<tk::f16>(acc);
            tk::store_global(tk::slice(C, {m, n}, M - m, N - n), t0, thread);
        }
    }
}

// matmul_leaky: kernel matmul with ACT = leaky_relu, BM = 128, BN = 256, BK = 64, W = 8.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 229440 bytes of shared memory; persistent:
// matmul_leaky_kernel<256, 49152>.
// matmul_leaky_128x128: kernel matmul with ACT = leaky_relu, BM = 128, BN = 128, BK = 64, W = 8.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 163904 bytes of shared memory; persistent:
// matmul_leaky_kernel<128, 32768>.
template <int BN>
struct matmul_leaky_shared {
    tk::shared_tile<tk::f16, 128, 64> a_b_tiles_a[4];
    tk::shared_tile<tk::f16, 64, BN> a_b_tiles_b[4];
    tk::shared_tile<tk::f16, 64, 64> consumer_C[4];
    tk::pipeline<4> a_b_tiles;
};
static_assert(offsetof(matmul_leaky_shared<256>, a_b_tiles) == 229376);
static_assert(offsetof(matmul_leaky_shared<128>, a_b_tiles) == 163840);

template <int BN, int bytes>
__global__ void __launch_bounds__(384, 1) matmul_leaky_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap C_map, const tk::tensor_argument<tk::f16, 2> C, int M,
    int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    matmul_leaky_shared<BN>& shared = *reinterpret_cast<matmul_leaky_shared<BN>*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, C_map);
        shared.a_b_tiles.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // matmul.tk:6: kernel matmul<ACT: fn = identity, schedule BM: int = 128, schedule BN: ..
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, BN);
        const int programs = m_tiles * n_tiles;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<4> a_b_tiles_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 128;
                const int n = point.col * BN;

                // matmul.tk:11: for k in K by BK pipelined { acc += mma(load(A[m, k]), load(B[k, ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 64) {
                    shared.a_b_tiles.begin(a_b_tiles_next, bytes);
                    tk::tma_load(shared.a_b_tiles_a[a_b_tiles_next.stage], A_map,
                                 shared.a_b_tiles.full[a_b_tiles_next.stage], m, k);
                    tk::tma_load(shared.a_b_tiles_b[a_b_tiles_next.stage], B_map,
                                 shared.a_b_tiles.full[a_b_tiles_next.stage], k, n);
                    a_b_tiles_next.advance();
                }
            }
        }
    } else {
        // matmul.tk:6: kernel matmul<ACT: fn = identity, schedule BM: int = 128, schedule BN: ..
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, BN);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<4> a_b_tiles_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * BN;

            // matmul.tk:10: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, BN> acc;
            tk::zero(acc);

            // matmul.tk:11: for k in K by BK pipelined { acc += mma(load(A[m, k]), load(B[k, ..
            tk::cursor<4> previous_a_b_tiles;
            for (int k = 0; k < K; k += 64) {
                const tk::cursor<4> tiles = shared.a_b_tiles.take(a_b_tiles_next);
                tk::mma_async(acc, tk::rows<64>(shared.a_b_tiles_a[tiles.stage], 64 * warpgroup),
                              shared.a_b_tiles_b[tiles.stage]);
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.a_b_tiles.release(previous_a_b_tiles);
                previous_a_b_tiles = tiles;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.a_b_tiles.release(previous_a_b_tiles);

            // matmul.tk:12: store(C[m, n], f16(ACT(acc)));
            #pragma unroll
            for (int panel = 0; panel < BN; panel += 64) {
                tk::fragment<tk::f16, 64, 64> t0;
                tk::map(t0, [](float acc) { return acc >= 0.0f ? acc : 0.01f * acc; },
                        tk::window<64, 64>(acc, 0, panel));
                tk::store_shared(shared.consumer_C[warpgroup * 2 + panel / 64 % 2], t0, thread);
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

// matmul_leaky_general: kernel matmul with ACT = leaky_relu, BM = 128, BN = 256, BK = 64, W = 8;
// any strides and alignment.
// producer: 1 warp, 56 registers a thread; consumer: 2 warpgroups, 224 registers a thread.
// 384 threads, 168 registers each at first, 196672 bytes of shared memory; persistent:
// matmul_leaky_general_kernel<256>.
// matmul_leaky_128x128_general: kernel matmul with ACT = leaky_relu, BM = 128, BN = 128, BK = 64, W
// = 8; any strides and alignment.
// producer: 1 warp, 56 registers a thread; consumer: 2 warpgroups, 224 registers a thread.
// 384 threads, 168 registers each at first, 131136 bytes of shared memory; persistent:
// matmul_leaky_general_kernel<128>.
template <int BN>
struct matmul_leaky_general_shared {
    tk::shared_tile<tk::f16, 128, 64> a_b_tiles_a[4];
    tk::shared_tile<tk::f16, 64, BN> a_b_tiles_b[4];
    tk::pipeline<4> a_b_tiles;
};
static_assert(offsetof(matmul_leaky_general_shared<256>, a_b_tiles) == 196608);
static_assert(offsetof(matmul_leaky_general_shared<128>, a_b_tiles) == 131072);

template <int BN>
__global__ void __launch_bounds__(384, 1) matmul_leaky_general_kernel(
    const tk::tensor_argument<const tk::f16, 2> A, const tk::tensor_argument<const tk::f16, 2> B,
    const tk::tensor_argument<tk::f16, 2> C, int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    matmul_leaky_general_shared<BN>& shared =
        *reinterpret_cast<matmul_leaky_general_shared<BN>*>(memory);

    if (threadIdx.x == 0) {
        shared.a_b_tiles.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // matmul.tk:6: kernel matmul<ACT: fn = identity, schedule BM: int = 128, schedule BN: ..
        tk::registers_at_most<56>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, BN);
        const int programs = m_tiles * n_tiles;
        if (warp == 8) {
            const int thread = int(threadIdx.x) - 256;
            tk::cursor<4> a_b_tiles_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 128;
                const int n = point.col * BN;

                // matmul.tk:11: for k in K by BK pipelined { acc += mma(load(A[m, k]), load(B[k, ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 64) {
                    shared.a_b_tiles.wait_empty(a_b_tiles_next);
                    tk::copy_to_shared(shared.a_b_tiles_a[a_b_tiles_next.stage],
                                       tk::slice(A, {m, k}, M - m, K - k), thread, 32);
                    tk::copy_to_shared(shared.a_b_tiles_b[a_b_tiles_next.stage],
                                       tk::slice(B, {k, n}, K - k, N - n), thread, 32);
                    shared.a_b_tiles.publish(a_b_tiles_next);
                    a_b_tiles_next.advance();
                }
            }
        }
    } else {
        // matmul.tk:6: kernel matmul<ACT: fn = identity, schedule BM: int = 128, schedule BN: ..
        tk::registers_at_least<224>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, BN);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        tk::cursor<4> a_b_tiles_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * BN;

            // matmul.tk:10: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, BN> acc;
            tk::zero(acc);

            // matmul.tk:11: for k in K by BK pipelined { acc += mma(load(A[m, k]), load(B[k, ..
            tk::cursor<4> previous_a_b_tiles;
            for (int k = 0; k < K; k += 64) {
                const tk::cursor<4> tiles = shared.a_b_tiles.take(a_b_tiles_next);
                tk::mma_async(acc, tk::rows<64>(shared.a_b_tiles_a[tiles.stage], 64 * warpgroup),
                              shared.a_b_tiles_b[tiles.stage]);
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.a_b_tiles.release(previous_a_b_tiles);
                previous_a_b_tiles = tiles;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.a_b_tiles.release(previous_a_b_tiles);

            // matmul.tk:12: store(C[m, n], f16(ACT(acc)));
            tk::fragment<tk::f16, 64, BN> t0;
            tk::map(t0, [](float acc) { return acc >= 0.0f ? acc : 0.01f * acc; }, acc);
            tk::store_global(tk::slice(C, {m + 64 * warpgroup, n}, M - (m + 64 * warpgroup), N - n),
                             t0, thread);
        }
    }
}

// matmul_leaky_64x64: kernel matmul with ACT = leaky_relu, BM = 64, BN = 64, BK = 64, W = 4.
// producer: 1 warp, 240 registers a thread; consumer: 1 warpgroup, 240 registers a thread.
// 256 threads, 255 registers each at first, 73792 bytes of shared memory; persistent.
struct matmul_leaky_64x64_shared {
    tk::shared_tile<tk::f16, 64, 64> a_b_tiles_a[4];
    tk::shared_tile<tk::f16, 64, 64> a_b_tiles_b[4];
    tk::shared_tile<tk::f16, 64, 64> consumer_C[1];
    tk::pipeline<4> a_b_tiles;
};
static_assert(offsetof(matmul_leaky_64x64_shared, a_b_tiles) == 73728);

__global__ void __launch_bounds__(256, 1) matmul_leaky_64x64_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap C_map, const tk::tensor_argument<tk::f16, 2> C, int M,
    int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    matmul_leaky_64x64_shared& shared = *reinterpret_cast<matmul_leaky_64x64_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, C_map);
        shared.a_b_tiles.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 4) {
        // matmul.tk:6: kernel matmul<ACT: fn = identity, schedule BM: int = 128, schedule BN: ..
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(M, 64);
        const int n_tiles = tk::tiles(N, 64);
        const int programs = m_tiles * n_tiles;
        if (warp == 4 && tk::elect_one()) {
            tk::cursor<4> a_b_tiles_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 64;
                const int n = point.col * 64;

                // matmul.tk:11: for k in K by BK pipelined { acc += mma(load(A[m, k]), load(B[k, ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 64) {
                    shared.a_b_tiles.begin(a_b_tiles_next, 16384);
                    tk::tma_load(shared.a_b_tiles_a[a_b_tiles_next.stage], A_map,
                                 shared.a_b_tiles.full[a_b_tiles_next.stage], m, k);
                    tk::tma_load(shared.a_b_tiles_b[a_b_tiles_next.stage], B_map,
                                 shared.a_b_tiles.full[a_b_tiles_next.stage], k, n);
                    a_b_tiles_next.advance();
                }
            }
        }
    } else {
        // matmul.tk:6: kernel matmul<ACT: fn = identity, schedule BM: int = 128, schedule BN: ..
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(M, 64);
        const int n_tiles = tk::tiles(N, 64);
        const int programs = m_tiles * n_tiles;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<4> a_b_tiles_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 64;
            const int n = point.col * 64;

            // matmul.tk:10: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 64> acc;
            tk::zero(acc);

            // matmul.tk:11: for k in K by BK pipelined { acc += mma(load(A[m, k]), load(B[k, ..
            tk::cursor<4> previous_a_b_tiles;
            for (int k = 0; k < K; k += 64) {
                const tk::cursor<4> tiles = shared.a_b_tiles.take(a_b_tiles_next);
                tk::mma_async(acc, shared.a_b_tiles_a[tiles.stage],
                              shared.a_b_tiles_b[tiles.stage]);
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.a_b_tiles.release(previous_a_b_tiles);
                previous_a_b_tiles = tiles;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.a_b_tiles.release(previous_a_b_tiles);

            // matmul.tk:12: store(C[m, n], f16(ACT(acc)));
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                tk::fragment<tk::f16, 64, 64> t0;
                tk::map(t0, [](float acc) { return acc >= 0.0f ? acc : 0.01f * acc; }, acc);
                tk::store_shared(shared.consumer_C[0], t0, thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if (N % 8 != 0 && N < n + panel + 64) {
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

// matmul_leaky_64x64_general: kernel matmul with ACT = leaky_relu, BM = 64, BN = 64, BK = 64, W =
// 4; any strides and alignment.
// producer: 1 warp, 240 registers a thread; consumer: 1 warpgroup, 240 registers a thread.
// 256 threads, 255 registers each at first, 65600 bytes of shared memory; persistent.
struct matmul_leaky_64x64_general_shared {
    tk::shared_tile<tk::f16, 64, 64> a_b_tiles_a[4];
    tk::shared_tile<tk::f16, 64, 64> a_b_tiles_b[4];
    tk::pipeline<4> a_b_tiles;
};
static_assert(offsetof(matmul_leaky_64x64_general_shared, a_b_tiles) == 65536);

__global__ void __launch_bounds__(256, 1) matmul_leaky_64x64_general_kernel(
    const tk::tensor_argument<const tk::f16, 2> A, const tk::tensor_argument<const tk::f16, 2> B,
    const tk::tensor_argument<tk::f16, 2> C, int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    matmul_leaky_64x64_general_shared& shared =
        *reinterpret_cast<matmul_leaky_64x64_general_shared*>(memory);

    if (threadIdx.x == 0) {
        shared.a_b_tiles.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 4) {
        // matmul.tk:6: kernel matmul<ACT: fn = identity, schedule BM: int = 128, schedule BN: ..
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(M, 64);
        const int n_tiles = tk::tiles(N, 64);
        const int programs = m_tiles * n_tiles;
        if (warp == 4) {
            const int thread = int(threadIdx.x) - 128;
            tk::cursor<4> a_b_tiles_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 64;
                const int n = point.col * 64;

                // matmul.tk:11: for k in K by BK pipelined { acc += mma(load(A[m, k]), load(B[k, ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 64) {
                    shared.a_b_tiles.wait_empty(a_b_tiles_next);
                    tk::copy_to_shared(shared.a_b_tiles_a[a_b_tiles_next.stage],
                                       tk::slice(A, {m, k}, M - m, K - k), thread, 32);
                    tk::copy_to_shared(shared.a_b_tiles_b[a_b_tiles_next.stage],
                                       tk::slice(B, {k, n}, K - k, N - n), thread, 32);
                    shared.a_b_tiles.publish(a_b_tiles_next);
                    a_b_tiles_next.advance();
                }
            }
        }
    } else {
        // matmul.tk:6: kernel matmul<ACT: fn = identity, schedule BM: int = 128, schedule BN: ..
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(M, 64);
        const int n_tiles = tk::tiles(N, 64);
        const int programs = m_tiles * n_tiles;
        const int thread = tk::warpgroup_thread();
        tk::cursor<4> a_b_tiles_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 64;
            const int n = point.col * 64;

            // matmul.tk:10: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 64> acc;
            tk::zero(acc);

            // matmul.tk:11: for k in K by BK pipelined { acc += mma(load(A[m, k]), load(B[k, ..
            tk::cursor<4> previous_a_b_tiles;
            for (int k = 0; k < K; k += 64) {
                const tk::cursor<4> tiles = shared.a_b_tiles.take(a_b_tiles_next);
                tk::mma_async(acc, shared.a_b_tiles_a[tiles.stage],
                              shared.a_b_tiles_b[tiles.stage]);
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.a_b_tiles.release(previous_a_b_tiles);
                previous_a_b_tiles = tiles;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.a_b_tiles.release(previous_a_b_tiles);

            // matmul.tk:12: store(C[m, n], f16(ACT(acc)));
            tk::fragment<tk::f16, 64, 64> t0;
            tk::map(t0, [](float acc) { return acc >= 0.0f ? acc : 0.01f * acc; }, acc);
            tk::store_global(tk::slice(C, {m, n}, M - m, N - n), t0, thread);
        }
    }
}

namespace {
int run_matmul(const char* function, tk::candidates offered, const DLTensor* A_given,
               const DLTensor* B_given, DLTensor* C_given, cudaStream_t stream) {
    tk::arguments call{function};
    const tk::tensor A = call.take("A", A_given, tk::dtype_f16, 2, tk::access::read);
    const tk::tensor B = call.take("B", B_given, tk::dtype_f16, 2, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f16, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = A.shape[0];
    const int64_t K = A.shape[1];
    const int64_t N = B.shape[1];
    call.require(
        {tk::same_extent("K", A, 1, B, 0), tk::same_extent("M", A, 0, C, 0),
         tk::same_extent("N", B, 1, C, 1), tk::extents_fit({{"M", M}, {"K", K}, {"N", N}})});
    if (!call.ok()) return tk::finish(call.result());

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call, offered};
    choice.candidate();  // matmul
    choice.prefer({tk::suits_fast(A, "K"), tk::suits_fast(B, "N"), tk::suits_fast(C, "N")});
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)),
                 3580 +
                 tk::multiply(
                     tk::larger(1024,
                                (A.stride[0] % 64 == 0 ? 304 : 482) +
                                (B.stride[0] % 64 == 0 ? 607 : 964)) + 20, tk::ceil_div(K, 64)),
                 2147418112);
    choice.candidate();  // matmul_128x128
    choice.prefer({tk::suits_fast(A, "K"), tk::suits_fast(B, "N"), tk::suits_fast(C, "N")});
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
                 2540 +
                 tk::multiply(
                     tk::larger(512,
                                (A.stride[0] % 64 == 0 ? 304 : 482) +
                                (B.stride[0] % 64 == 0 ? 304 : 482)) + 20, tk::ceil_div(K, 64)),
                 2147418112);
    choice.candidate();  // matmul_64x64
    choice.prefer({tk::suits_fast(A, "K"), tk::suits_fast(B, "N"), tk::suits_fast(C, "N")});
    choice.offer(tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 64)),
                 1760 +
                 tk::multiply(
                     tk::larger(128,
                                (A.stride[0] % 64 == 0 ? 152 : 241) +
                                (B.stride[0] % 64 == 0 ? 152 : 241)) + 20, tk::ceil_div(K, 64)),
                 2147418112);
    choice.candidate(true);  // matmul_general
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)),
                 5852 + 3092 * tk::ceil_div(K, 64), 2147418112);
    choice.candidate(true);  // matmul_128x128_general
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
                 3676 + 2068 * tk::ceil_div(K, 64), 2147418112);
    choice.candidate(true);  // matmul_64x64_general
    choice.offer(tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 64)),
                 2044 + 1044 * tk::ceil_div(K, 64), 2147418112);
    choice.candidate();  // matmul_leaky
    choice.prefer({tk::suits_fast(A, "K"), tk::suits_fast(B, "N"), tk::suits_fast(C, "N")});
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)),
                 4348 +
                 tk::multiply(
                     tk::larger(1024,
                                (A.stride[0] % 64 == 0 ? 304 : 482) +
                                (B.stride[0] % 64 == 0 ? 607 : 964)) + 20, tk::ceil_div(K, 64)),
                 2147418112);
    choice.candidate();  // matmul_leaky_128x128
    choice.prefer({tk::suits_fast(A, "K"), tk::suits_fast(B, "N"), tk::suits_fast(C, "N")});
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
                 2924 +
                 tk::multiply(
                     tk::larger(512,
                                (A.stride[0] % 64 == 0 ? 304 : 482) +
                                (B.stride[0] % 64 == 0 ? 304 : 482)) + 20, tk::ceil_div(K, 64)),
                 2147418112);
    choice.candidate();  // matmul_leaky_64x64
    choice.prefer({tk::suits_fast(A, "K"), tk::suits_fast(B, "N"), tk::suits_fast(C, "N")});
    choice.offer(tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 64)),
                 1856 +
                 tk::multiply(
                     tk::larger(128,
                                (A.stride[0] % 64 == 0 ? 152 : 241) +
                                (B.stride[0] % 64 == 0 ? 152 : 241)) + 20, tk::ceil_div(K, 64)),
                 2147418112);
    choice.candidate(true);  // matmul_leaky_general
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)),
                 6620 + 3092 * tk::ceil_div(K, 64), 2147418112);
    choice.candidate(true);  // matmul_leaky_128x128_general
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
                 4060 + 2068 * tk::ceil_div(K, 64), 2147418112);
    choice.candidate(true);  // matmul_leaky_64x64_general
    choice.offer(tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 64)),
                 2140 + 1044 * tk::ceil_div(K, 64), 2147418112);
    if (!choice.ok()) return tk::finish(choice.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    const int best = choice.best(site);
    if (best == 0) {
        return tk::finish(tk::run<matmul_kernel<256, 49152>>(
            site, sizeof(matmul_shared<256>), tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), tk::box{A, {128, 64}, 128},
            tk::box{B, {64, 64}, 128}, tk::box{C, {64, 64}, 128}, C, M, K, N));
    }
    if (best == 1) {
        return tk::finish(tk::run<matmul_kernel<128, 32768>>(
            site, sizeof(matmul_shared<128>), tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), tk::box{A, {128, 64}, 128},
            tk::box{B, {64, 64}, 128}, tk::box{C, {64, 64}, 128}, C, M, K, N));
    }
    if (best == 2) {
        return tk::finish(tk::run<matmul_64x64_kernel>(
            site, sizeof(matmul_64x64_shared), tk::kernel_shape(256).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 64)), tk::box{A, {64, 64}, 128},
            tk::box{B, {64, 64}, 128}, tk::box{C, {64, 64}, 128}, C, M, K, N));
    }
    if (best == 3) {
        return tk::finish(tk::run<matmul_general_kernel<256>>(
            site, sizeof(matmul_general_shared<256>),
            tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), A, B, C, M, K, N));
    }
    if (best == 4) {
        return tk::finish(tk::run<matmul_general_kernel<128>>(
            site, sizeof(matmul_general_shared<128>),
            tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), A, B, C, M, K, N));
    }
    if (best == 5) {
        return tk::finish(tk::run<matmul_64x64_general_kernel>(
            site, sizeof(matmul_64x64_general_shared),
            tk::kernel_shape(256).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 64)), A, B, C, M, K, N));
    }
    if (best == 6) {
        return tk::finish(tk::run<matmul_leaky_kernel<256, 49152>>(
            site, sizeof(matmul_leaky_shared<256>), tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), tk::box{A, {128, 64}, 128},
            tk::box{B, {64, 64}, 128}, tk::box{C, {64, 64}, 128}, C, M, K, N));
    }
    if (best == 7) {
        return tk::finish(tk::run<matmul_leaky_kernel<128, 32768>>(
            site, sizeof(matmul_leaky_shared<128>), tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), tk::box{A, {128, 64}, 128},
            tk::box{B, {64, 64}, 128}, tk::box{C, {64, 64}, 128}, C, M, K, N));
    }
    if (best == 8) {
        return tk::finish(tk::run<matmul_leaky_64x64_kernel>(
            site, sizeof(matmul_leaky_64x64_shared), tk::kernel_shape(256).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 64)), tk::box{A, {64, 64}, 128},
            tk::box{B, {64, 64}, 128}, tk::box{C, {64, 64}, 128}, C, M, K, N));
    }
    if (best == 9) {
        return tk::finish(tk::run<matmul_leaky_general_kernel<256>>(
            site, sizeof(matmul_leaky_general_shared<256>),
            tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), A, B, C, M, K, N));
    }
    if (best == 10) {
        return tk::finish(tk::run<matmul_leaky_general_kernel<128>>(
            site, sizeof(matmul_leaky_general_shared<128>),
            tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), A, B, C, M, K, N));
    }
    return tk::finish(tk::run<matmul_leaky_64x64_general_kernel>(
        site, sizeof(matmul_leaky_64x64_general_shared),
        tk::kernel_shape(256).at_once(1).overlapping(),
        tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 64)), A, B, C, M, K, N));
}

}  // namespace

extern "C" {
int matmul(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*, size_t,
           cudaStream_t stream) {
    return run_matmul("matmul", {0, 1, 2, 3, 4, 5}, A_given, B_given, C_given, stream);
}
TK_NO_WORKSPACE(matmul, const DLTensor*, const DLTensor*, DLTensor*)

int matmul_128x128(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*,
                   size_t, cudaStream_t stream) {
    return run_matmul("matmul_128x128", {1, 4}, A_given, B_given, C_given, stream);
}
TK_NO_WORKSPACE(matmul_128x128, const DLTensor*, const DLTensor*, DLTensor*)

int matmul_64x64(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*, size_t,
                 cudaStream_t stream) {
    return run_matmul("matmul_64x64", {2, 5}, A_given, B_given, C_given, stream);
}
TK_NO_WORKSPACE(matmul_64x64, const DLTensor*, const DLTensor*, DLTensor*)

int matmul_leaky(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*, size_t,
                 cudaStream_t stream) {
    return run_matmul("matmul_leaky", {6, 7, 8, 9, 10, 11}, A_given, B_given, C_given, stream);
}
TK_NO_WORKSPACE(matmul_leaky, const DLTensor*, const DLTensor*, DLTensor*)

int matmul_leaky_128x128(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*,
                         size_t, cudaStream_t stream) {
    return run_matmul("matmul_leaky_128x128", {7, 10}, A_given, B_given, C_given, stream);
}
TK_NO_WORKSPACE(matmul_leaky_128x128, const DLTensor*, const DLTensor*, DLTensor*)

int matmul_leaky_64x64(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*,
                       size_t, cudaStream_t stream) {
    return run_matmul("matmul_leaky_64x64", {8, 11}, A_given, B_given, C_given, stream);
}
TK_NO_WORKSPACE(matmul_leaky_64x64, const DLTensor*, const DLTensor*, DLTensor*)
}  // extern "C"
