// Made by tkc from gemm_i8.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/integer.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/ptx/wgmma_n160.cuh"
#include "tk/ptx/wgmma_n256.cuh"
#include "tk/tk.cuh"

// gemm_i8: kernel gemm_i8 with TA = i8, TB = i8, BM = 128, BN = 256, BK = 128, CM = 1.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 229440 bytes of shared memory; persistent:
// gemm_i8_kernel<256, 4, 49152, 2, 0>.
// gemm_i8_square: kernel gemm_i8 with TA = i8, TB = i8, BM = 128, BN = 128, BK = 128, CM = 1.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 196672 bytes of shared memory; persistent:
// gemm_i8_kernel<128, 8, 32768, 4, 2>.
template <int BN, int copies>
struct gemm_i8_shared {
    tk::shared_tile<int8_t, 128, 128> ab_a[4];
    tk::shared_tile<int8_t, BN, 128> ab_b[4];
    tk::shared_tile<int, 64, 32> consumer_C[copies];
    tk::pipeline<4> ab;
};
static_assert(__builtin_offsetof(gemm_i8_shared<256, 4>, ab) == 229376);
static_assert(__builtin_offsetof(gemm_i8_shared<128, 8>, ab) == 196608);

template <int BN, int copies, int bytes, int size, int size_2>
__global__ void __launch_bounds__(384, 1) gemm_i8_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap C_map, const tk::tensor_argument<int, 2> C, int M, int K,
    int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_i8_shared<BN, copies>& shared = *reinterpret_cast<gemm_i8_shared<BN, copies>*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, C_map);
        shared.ab.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_i8.tk:10: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, BN);
        const int programs = m_tiles * n_tiles;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<4> ab_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 128;
                const int n = point.col * BN;

                // gemm_i8.tk:11: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
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
        // gemm_i8.tk:13: role consumer(2 warpgroups) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, BN);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<4> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * BN;

            // gemm_i8.tk:14: var acc: i32[BM, BN] = 0;
            tk::fragment<int, 64, BN> acc;
            tk::zero(acc);

            // gemm_i8.tk:15: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
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

            // gemm_i8.tk:16: tma_store(C[m, n], acc);
            #pragma unroll
            for (int panel = 0; panel < BN; panel += 32) {
                tk::store_shared(shared.consumer_C[warpgroup * size + panel / 32 % size],
                                 tk::window<64, 32>(acc, 0, panel), thread);
                tk::fence_async();
                if (leader) tk::tma_store_wait_read<size_2>();
                tk::barrier_sync(1 + warpgroup, 128);
                if (N % 4 != 0 && N < n + panel + 32) {
                    tk::copy_to_global(
                        tk::dense_slice(C, {m + warpgroup * 64, n + panel},
                                        M - (m + warpgroup * 64), N - (n + panel)),
                        shared.consumer_C[warpgroup * size + panel / 32 % size]);
                    if (leader) tk::tma_store_nothing();
                } else if (leader) {
                    tk::tma_store(C_map, shared.consumer_C[warpgroup * size + panel / 32 % size],
                                  m + warpgroup * 64, n + panel);
                }
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

// gemm_i8_tall: kernel gemm_i8 with TA = i8, TB = i8, BM = 256, BN = 128, BK = 128, CM = 1.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 229440 bytes of shared memory; persistent.
struct gemm_i8_tall_shared {
    tk::shared_tile<int8_t, 256, 128> ab_a[4];
    tk::shared_tile<int8_t, 128, 128> ab_b[4];
    tk::shared_tile<int, 128, 32> consumer_C[2];
    tk::pipeline<4> ab;
};
static_assert(offsetof(gemm_i8_tall_shared, ab) == 229376);

__global__ void __launch_bounds__(384, 1) gemm_i8_tall_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap C_map, const tk::tensor_argument<int, 2> C, int M, int K,
    int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_i8_tall_shared& shared = *reinterpret_cast<gemm_i8_tall_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, C_map);
        shared.ab.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_i8.tk:10: role producer(1 warp) {
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

                // gemm_i8.tk:11: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
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
        // gemm_i8.tk:13: role consumer(2 warpgroups) {
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

            // gemm_i8.tk:14: var acc: i32[BM, BN] = 0;
            tk::fragment<int, 128, 128> acc;
            tk::zero(acc);

            // gemm_i8.tk:15: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
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

            // gemm_i8.tk:16: tma_store(C[m, n], acc);
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 32) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                tk::store_shared(shared.consumer_C[warpgroup], tk::window<128, 32>(acc, 0, panel),
                                 thread);
                tk::fence_async();
                tk::barrier_sync(1 + warpgroup, 128);
                if (N % 4 != 0 && N < n + panel + 32) {
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

// gemm_i8_pairs: kernel gemm_i8 with TA = i8, TB = i8, BM = 128, BN = 256, BK = 128, CM = 2.
// producer: 1 warp, 40 registers a thread; consumer: 2 warpgroups, 232 registers a thread.
// 384 threads, 168 registers each at first, 229440 bytes of shared memory, clusters of 2 along m;
// persistent.
struct gemm_i8_pairs_shared {
    tk::shared_tile<int8_t, 128, 128> ab_a[4];
    tk::shared_tile<int8_t, 256, 128> ab_b[4];
    tk::shared_tile<int, 64, 32> consumer_C[4];
    tk::pipeline<4> ab;
};
static_assert(offsetof(gemm_i8_pairs_shared, ab) == 229376);

__global__ void __launch_bounds__(384, 1) gemm_i8_pairs_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap C_map, const tk::tensor_argument<int, 2> C, int M, int K,
    int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_i8_pairs_shared& shared = *reinterpret_cast<gemm_i8_pairs_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, C_map);
        shared.ab.init(1, 16);
        tk::publish_barriers();
    }
    tk::cluster_sync();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_i8.tk:10: role producer(1 warp) {
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

                // gemm_i8.tk:11: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
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
        // gemm_i8.tk:13: role consumer(2 warpgroups) {
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

            // gemm_i8.tk:14: var acc: i32[BM, BN] = 0;
            tk::fragment<int, 64, 256> acc;
            tk::zero(acc);

            // gemm_i8.tk:15: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
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

            // gemm_i8.tk:16: tma_store(C[m, n], acc);
            #pragma unroll
            for (int panel = 0; panel < 256; panel += 32) {
                tk::store_shared(shared.consumer_C[warpgroup * 2 + panel / 32 % 2],
                                 tk::window<64, 32>(acc, 0, panel), thread);
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

    // Other blocks of the cluster may still arrive on this one's barriers.
    tk::cluster_sync();
}

// gemm_i8_rows: kernel gemm_i8_rows with TA = i8, TB = i8, TC = bf16, BM = 128, BN = 256, BK = 128,
// CM = 1, S = 4, ALT = false.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 230480 bytes of shared memory; persistent:
// gemm_i8_rows_kernel<4, 256, 49152, 1024>.
// gemm_i8_rows_square: kernel gemm_i8_rows with TA = i8, TB = i8, TC = bf16, BM = 128, BN = 128, BK
// = 128, CM = 1, S = 6, ALT = false.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 230512 bytes of shared memory; persistent:
// gemm_i8_rows_kernel<6, 128, 32768, 512>.
template <int S, int BN>
struct gemm_i8_rows_shared {
    tk::shared_tile<int8_t, 128, 128> ab_a[S];
    tk::shared_tile<int8_t, BN, 128> ab_b[S];
    tk::shared_tile<float, 1, BN> scales_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[4];
    tk::pipeline<S> ab;
    tk::pipeline<1> scales;
};
static_assert(__builtin_offsetof(gemm_i8_rows_shared<4, 256>, scales) == 230464);
static_assert(__builtin_offsetof(gemm_i8_rows_shared<6, 128>, scales) == 230496);

template <int S, int BN, int bytes, int bytes_2>
__global__ void __launch_bounds__(384, 1) gemm_i8_rows_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap scale_b_map, const __grid_constant__ CUtensorMap C_map,
    const tk::tensor_argument<const float, 1> scale_a, const tk::tensor_argument<tk::bf16, 2> C,
    int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_i8_rows_shared<S, BN>& shared = *reinterpret_cast<gemm_i8_rows_shared<S, BN>*>(memory);

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
        // gemm_i8.tk:33: role producer(1 warp) {
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

                // gemm_i8.tk:34: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 128) {
                    shared.ab.begin(ab_next, bytes);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 n, k);
                    ab_next.advance();
                }

                // gemm_i8.tk:35: produce scales = tma_load(scale_b[n]);
                shared.scales.begin(scales_next, bytes_2);
                tk::tma_load(shared.scales_tile[scales_next.stage], scale_b_map,
                             shared.scales.full[scales_next.stage], n);
                scales_next.advance();
            }
        }
    } else {
        // gemm_i8.tk:37: role consumer(2 warpgroups) alternate(ALT) {
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

            // gemm_i8.tk:38: var rows: f32[BM, 1] = column(load(scale_a[m]));
            tk::column_fragment<float, 64> rows;
            tk::load_global(rows,
                            tk::slice<0, tk::no_axis>(scale_a, {m + 64 * warpgroup},
                                                      M - (m + 64 * warpgroup), 1), thread);

            // gemm_i8.tk:39: var acc: i32[BM, BN] = 0;
            tk::fragment<int, 64, BN> acc;
            tk::zero(acc);

            // gemm_i8.tk:40: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
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

            // gemm_i8.tk:41: tma_store(C[m, n], TC(f32(acc) * rows * consume scales));
            const tk::cursor<1> scales_element = shared.scales.take(scales_next);
            const auto t0 = tk::in_place(shared.scales_tile[scales_element.stage], thread);
            tk::fragment<tk::bf16, 64, BN> t1;
            tk::map(t1, [](int acc, float rows, float t0) { return float(acc) * rows * t0; },
                    acc, rows, t0);
            shared.scales.release_after_loads(scales_element);
            #pragma unroll
            for (int panel = 0; panel < BN; panel += 64) {
                tk::store_shared(shared.consumer_C[warpgroup * 2 + panel / 64 % 2],
                                 tk::window<64, 64>(t1, 0, panel), thread);
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

// gemm_i8_rows_tall: kernel gemm_i8_rows with TA = i8, TB = i8, TC = bf16, BM = 256, BN = 128, BK =
// 128, CM = 1, S = 4, ALT = false.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 230480 bytes of shared memory; persistent.
struct gemm_i8_rows_tall_shared {
    tk::shared_tile<int8_t, 256, 128> ab_a[4];
    tk::shared_tile<int8_t, 128, 128> ab_b[4];
    tk::shared_tile<float, 1, 128> scales_tile[1];
    tk::shared_tile<tk::bf16, 128, 64> consumer_C[2];
    tk::pipeline<4> ab;
    tk::pipeline<1> scales;
};
static_assert(offsetof(gemm_i8_rows_tall_shared, scales) == 230464);

__global__ void __launch_bounds__(384, 1) gemm_i8_rows_tall_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap scale_b_map, const __grid_constant__ CUtensorMap C_map,
    const tk::tensor_argument<const float, 1> scale_a, const tk::tensor_argument<tk::bf16, 2> C,
    int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_i8_rows_tall_shared& shared = *reinterpret_cast<gemm_i8_rows_tall_shared*>(memory);

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
        // gemm_i8.tk:33: role producer(1 warp) {
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

                // gemm_i8.tk:34: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 128) {
                    shared.ab.begin(ab_next, 49152);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 n, k);
                    ab_next.advance();
                }

                // gemm_i8.tk:35: produce scales = tma_load(scale_b[n]);
                shared.scales.begin(scales_next, 512);
                tk::tma_load(shared.scales_tile[scales_next.stage], scale_b_map,
                             shared.scales.full[scales_next.stage], n);
                scales_next.advance();
            }
        }
    } else {
        // gemm_i8.tk:37: role consumer(2 warpgroups) alternate(ALT) {
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

            // gemm_i8.tk:38: var rows: f32[BM, 1] = column(load(scale_a[m]));
            tk::column_fragment<float, 128> rows;
            tk::load_global(rows,
                            tk::slice<0, tk::no_axis>(scale_a, {m + 128 * warpgroup},
                                                      M - (m + 128 * warpgroup), 1), thread);

            // gemm_i8.tk:39: var acc: i32[BM, BN] = 0;
            tk::fragment<int, 128, 128> acc;
            tk::zero(acc);

            // gemm_i8.tk:40: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
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

            // gemm_i8.tk:41: tma_store(C[m, n], TC(f32(acc) * rows * consume scales));
            const tk::cursor<1> scales_element = shared.scales.take(scales_next);
            const auto t0 = tk::in_place(shared.scales_tile[scales_element.stage], thread);
            tk::fragment<tk::bf16, 128, 128> t1;
            tk::map(t1, [](int acc, float rows, float t0) { return float(acc) * rows * t0; },
                    acc, rows, t0);
            shared.scales.release_after_loads(scales_element);
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                tk::store_shared(shared.consumer_C[warpgroup], tk::window<128, 64>(t1, 0, panel),
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

// gemm_i8_rows_pairs: kernel gemm_i8_rows with TA = i8, TB = i8, TC = bf16, BM = 128, BN = 256, BK
// = 128, CM = 2, S = 4, ALT = false.
// producer: 1 warp, 40 registers a thread; consumer: 2 warpgroups, 232 registers a thread.
// 384 threads, 168 registers each at first, 230480 bytes of shared memory, clusters of 2 along m;
// persistent.
struct gemm_i8_rows_pairs_shared {
    tk::shared_tile<int8_t, 128, 128> ab_a[4];
    tk::shared_tile<int8_t, 256, 128> ab_b[4];
    tk::shared_tile<float, 1, 256> scales_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[4];
    tk::pipeline<4> ab;
    tk::pipeline<1> scales;
};
static_assert(offsetof(gemm_i8_rows_pairs_shared, scales) == 230464);

__global__ void __launch_bounds__(384, 1) gemm_i8_rows_pairs_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap scale_b_map, const __grid_constant__ CUtensorMap C_map,
    const tk::tensor_argument<const float, 1> scale_a, const tk::tensor_argument<tk::bf16, 2> C,
    int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_i8_rows_pairs_shared& shared = *reinterpret_cast<gemm_i8_rows_pairs_shared*>(memory);

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
        // gemm_i8.tk:33: role producer(1 warp) {
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

                // gemm_i8.tk:34: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
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

                // gemm_i8.tk:35: produce scales = tma_load(scale_b[n]);
                shared.scales.begin(scales_next, 1024);
                tk::tma_load(shared.scales_tile[scales_next.stage], scale_b_map,
                             shared.scales.full[scales_next.stage], n);
                scales_next.advance();
            }
        }
    } else {
        // gemm_i8.tk:37: role consumer(2 warpgroups) alternate(ALT) {
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

            // gemm_i8.tk:38: var rows: f32[BM, 1] = column(load(scale_a[m]));
            tk::column_fragment<float, 64> rows;
            tk::load_global(rows,
                            tk::slice<0, tk::no_axis>(scale_a, {m + 64 * warpgroup},
                                                      M - (m + 64 * warpgroup), 1), thread);

            // gemm_i8.tk:39: var acc: i32[BM, BN] = 0;
            tk::fragment<int, 64, 256> acc;
            tk::zero(acc);

            // gemm_i8.tk:40: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
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

            // gemm_i8.tk:41: tma_store(C[m, n], TC(f32(acc) * rows * consume scales));
            const tk::cursor<1> scales_element = shared.scales.take(scales_next);
            const auto t0 = tk::in_place(shared.scales_tile[scales_element.stage], thread);
            tk::fragment<tk::bf16, 64, 256> t1;
            tk::map(t1, [](int acc, float rows, float t0) { return float(acc) * rows * t0; },
                    acc, rows, t0);
            shared.scales.release_after_loads(scales_element);
            #pragma unroll
            for (int panel = 0; panel < 256; panel += 64) {
                tk::store_shared(shared.consumer_C[warpgroup * 2 + panel / 64 % 2],
                                 tk::window<64, 64>(t1, 0, panel), thread);
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

// gemm_i8_rows_turns: kernel gemm_i8_rows with TA = i8, TB = i8, TC = bf16, BM = 128, BN = 160, BK
// = 128, CM = 1, S = 5, ALT = true.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups that alternate, 240 registers a
// thread.
// 384 threads, 168 registers each at first, 218208 bytes of shared memory; persistent.
struct gemm_i8_rows_turns_shared {
    tk::shared_tile<int8_t, 128, 128> ab_a[5];
    tk::shared_tile<int8_t, 160, 128> ab_b[5];
    tk::shared_tile<float, 1, 160> scales_tile[1];
    tk::shared_tile<tk::bf16, 128, 32> consumer_C[4];
    tk::pipeline<5> ab;
    tk::pipeline<1> scales;
};
static_assert(offsetof(gemm_i8_rows_turns_shared, scales) == 218192);

__global__ void __launch_bounds__(384, 1) gemm_i8_rows_turns_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap scale_b_map, const __grid_constant__ CUtensorMap C_map,
    const tk::tensor_argument<const float, 1> scale_a, const tk::tensor_argument<tk::bf16, 2> C,
    int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_i8_rows_turns_shared& shared = *reinterpret_cast<gemm_i8_rows_turns_shared*>(memory);

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
        // gemm_i8.tk:33: role producer(1 warp) {
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

                // gemm_i8.tk:34: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 128) {
                    shared.ab.begin(ab_next, 36864);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 n, k);
                    ab_next.advance();
                }

                // gemm_i8.tk:35: produce scales = tma_load(scale_b[n]);
                shared.scales.begin(scales_next, 640);
                tk::tma_load(shared.scales_tile[scales_next.stage], scale_b_map,
                             shared.scales.full[scales_next.stage], n);
                scales_next.advance();
            }
        }
    } else {
        // gemm_i8.tk:37: role consumer(2 warpgroups) alternate(ALT) {
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

            // gemm_i8.tk:38: var rows: f32[BM, 1] = column(load(scale_a[m]));
            tk::column_fragment<float, 128> rows;
            tk::load_global(rows, tk::slice<0, tk::no_axis>(scale_a, {m}, M - m, 1), thread);

            // gemm_i8.tk:39: var acc: i32[BM, BN] = 0;
            tk::fragment<int, 128, 160> acc;
            tk::zero(acc);

            // gemm_i8.tk:40: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
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

            // gemm_i8.tk:41: tma_store(C[m, n], TC(f32(acc) * rows * consume scales));
            const tk::cursor<1> scales_element = shared.scales.take(scales_next);
            tk::barrier_arrive(4 - warpgroup, 256);
            const auto t0 = tk::in_place(shared.scales_tile[scales_element.stage], thread);
            tk::fragment<tk::bf16, 128, 160> t1;
            tk::map(t1, [](int acc, float rows, float t0) { return float(acc) * rows * t0; },
                    acc, rows, t0);
            shared.scales.release_after_loads(scales_element);
            #pragma unroll
            for (int panel = 0; panel < 160; panel += 32) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                tk::store_shared(shared.consumer_C[warpgroup * 2 + panel / 32 % 2],
                                 tk::window<128, 32>(t1, 0, panel), thread);
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

// gemm_i8_rows_turns_square: kernel gemm_i8_rows with TA = i8, TB = i8, TC = bf16, BM = 128, BN =
// 128, BK = 128, CM = 1, S = 5, ALT = true.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups that alternate, 240 registers a
// thread.
// 384 threads, 168 registers each at first, 230496 bytes of shared memory; persistent.
struct gemm_i8_rows_turns_square_shared {
    tk::shared_tile<int8_t, 128, 128> ab_a[5];
    tk::shared_tile<int8_t, 128, 128> ab_b[5];
    tk::shared_tile<float, 1, 128> scales_tile[1];
    tk::shared_tile<tk::bf16, 128, 64> consumer_C[4];
    tk::pipeline<5> ab;
    tk::pipeline<1> scales;
};
static_assert(offsetof(gemm_i8_rows_turns_square_shared, scales) == 230480);

__global__ void __launch_bounds__(384, 1) gemm_i8_rows_turns_square_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap scale_b_map, const __grid_constant__ CUtensorMap C_map,
    const tk::tensor_argument<const float, 1> scale_a, const tk::tensor_argument<tk::bf16, 2> C,
    int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_i8_rows_turns_square_shared& shared =
        *reinterpret_cast<gemm_i8_rows_turns_square_shared*>(memory);

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
        // gemm_i8.tk:33: role producer(1 warp) {
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

                // gemm_i8.tk:34: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 128) {
                    shared.ab.begin(ab_next, 32768);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 n, k);
                    ab_next.advance();
                }

                // gemm_i8.tk:35: produce scales = tma_load(scale_b[n]);
                shared.scales.begin(scales_next, 512);
                tk::tma_load(shared.scales_tile[scales_next.stage], scale_b_map,
                             shared.scales.full[scales_next.stage], n);
                scales_next.advance();
            }
        }
    } else {
        // gemm_i8.tk:37: role consumer(2 warpgroups) alternate(ALT) {
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

            // gemm_i8.tk:38: var rows: f32[BM, 1] = column(load(scale_a[m]));
            tk::column_fragment<float, 128> rows;
            tk::load_global(rows, tk::slice<0, tk::no_axis>(scale_a, {m}, M - m, 1), thread);

            // gemm_i8.tk:39: var acc: i32[BM, BN] = 0;
            tk::fragment<int, 128, 128> acc;
            tk::zero(acc);

            // gemm_i8.tk:40: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
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

            // gemm_i8.tk:41: tma_store(C[m, n], TC(f32(acc) * rows * consume scales));
            const tk::cursor<1> scales_element = shared.scales.take(scales_next);
            tk::barrier_arrive(4 - warpgroup, 256);
            const auto t0 = tk::in_place(shared.scales_tile[scales_element.stage], thread);
            tk::fragment<tk::bf16, 128, 128> t1;
            tk::map(t1, [](int acc, float rows, float t0) { return float(acc) * rows * t0; },
                    acc, rows, t0);
            shared.scales.release_after_loads(scales_element);
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                tk::store_shared(shared.consumer_C[warpgroup * 2 + panel / 64 % 2],
                                 tk::window<128, 64>(t1, 0, panel), thread);
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

namespace {
int run_gemm_i8(const char* function, tk::candidates offered, const DLTensor* A_given,
                const DLTensor* B_given, DLTensor* C_given, cudaStream_t stream) {
    tk::arguments call{function};
    const tk::tensor A = call.take("A", A_given, tk::dtype_i8, 2, tk::access::read);
    const tk::tensor B = call.take("B", B_given, tk::dtype_i8, 2, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_i32, 2, tk::access::write);
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
    choice.candidate();  // gemm_i8
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)),
                 5148 +
                 tk::multiply(
                     tk::larger(1024,
                                (A.stride[0] % 128 == 0 ? 304 : 482) +
                                (B.stride[0] % 128 == 0 ? 607 : 964)) + 20, tk::ceil_div(K, 128)),
                 2147418112);
    choice.candidate();  // gemm_i8_tall
    choice.offer(tk::multiply(tk::ceil_div(M, 256), tk::ceil_div(N, 128)),
                 5148 +
                 tk::multiply(
                     tk::larger(1024,
                                (A.stride[0] % 128 == 0 ? 607 : 964) +
                                (B.stride[0] % 128 == 0 ? 304 : 482)) + 20, tk::ceil_div(K, 128)),
                 2147418112);
    choice.candidate();  // gemm_i8_square
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
                 3324 +
                 tk::multiply(
                     tk::larger(512,
                                (A.stride[0] % 128 == 0 ? 304 : 482) +
                                (B.stride[0] % 128 == 0 ? 304 : 482)) + 20, tk::ceil_div(K, 128)),
                 2147418112);
    choice.candidate();  // gemm_i8_pairs
    choice.offer(tk::ceil_div(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), 2) * 2,
                 5148 +
                 tk::multiply(tk::larger(1024, (A.stride[0] % 128 == 0 ? 304 : 482) + 607) + 20,
                              tk::ceil_div(K, 128)), 2147418112);
    if (!choice.ok()) return tk::finish(choice.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    const int best = choice.best(site);
    if (best == 0) {
        return tk::finish(tk::run<gemm_i8_kernel<256, 4, 49152, 2, 0>>(
            site, sizeof(gemm_i8_shared<256, 4>), tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), tk::box{A, {128, 128}, 128},
            tk::box{B, {256, 128}, 128}, tk::box{C, {64, 32}, 128}, C, M, K, N));
    }
    if (best == 1) {
        return tk::finish(tk::run<gemm_i8_tall_kernel>(
            site, sizeof(gemm_i8_tall_shared), tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 256), tk::ceil_div(N, 128)), tk::box{A, {256, 128}, 128},
            tk::box{B, {128, 128}, 128}, tk::box{C, {128, 32}, 128}, C, M, K, N));
    }
    if (best == 2) {
        return tk::finish(tk::run<gemm_i8_kernel<128, 8, 32768, 4, 2>>(
            site, sizeof(gemm_i8_shared<128, 8>), tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), tk::box{A, {128, 128}, 128},
            tk::box{B, {128, 128}, 128}, tk::box{C, {64, 32}, 128}, C, M, K, N));
    }
    return tk::finish(tk::run<gemm_i8_pairs_kernel>(
        site, sizeof(gemm_i8_pairs_shared),
        tk::kernel_shape(384).in_clusters(2).at_once(1).overlapping(),
        tk::ceil_div(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), 2) * 2,
        tk::box{A, {128, 128}, 128}, tk::box{B, {128, 128}, 128}, tk::box{C, {64, 32}, 128}, C, M,
        K, N));
}

int run_gemm_i8_rows(const char* function, tk::candidates offered, const DLTensor* A_given,
                     const DLTensor* B_given, const DLTensor* scale_a_given,
                     const DLTensor* scale_b_given, DLTensor* C_given, cudaStream_t stream) {
    tk::arguments call{function};
    const tk::tensor A = call.take("A", A_given, tk::dtype_i8, 2, tk::access::read);
    const tk::tensor B = call.take("B", B_given, tk::dtype_i8, 2, tk::access::read);
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
    choice.candidate();  // gemm_i8_rows
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)),
                 1500 + (tk::larger(0, scale_b.stride[0] % 32 == 0 ? 19 : 31) + 1084) + 1824 +
                 tk::multiply(
                     tk::larger(1024,
                                (A.stride[0] % 128 == 0 ? 304 : 482) +
                                (B.stride[0] % 128 == 0 ? 607 : 964)) + 20, tk::ceil_div(K, 128)),
                 2147418112);
    choice.candidate();  // gemm_i8_rows_tall
    choice.offer(tk::multiply(tk::ceil_div(M, 256), tk::ceil_div(N, 128)),
                 1500 + (tk::larger(0, scale_b.stride[0] % 32 == 0 ? 10 : 16) + 1112) + 1824 +
                 tk::multiply(
                     tk::larger(1024,
                                (A.stride[0] % 128 == 0 ? 607 : 964) +
                                (B.stride[0] % 128 == 0 ? 304 : 482)) + 20, tk::ceil_div(K, 128)),
                 2147418112);
    choice.candidate();  // gemm_i8_rows_square
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
                 1500 + (tk::larger(0, scale_b.stride[0] % 32 == 0 ? 10 : 16) + 568) + 912 +
                 tk::multiply(
                     tk::larger(512,
                                (A.stride[0] % 128 == 0 ? 304 : 482) +
                                (B.stride[0] % 128 == 0 ? 304 : 482)) + 20, tk::ceil_div(K, 128)),
                 2147418112);
    choice.candidate();  // gemm_i8_rows_pairs
    choice.offer(tk::ceil_div(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), 2) * 2,
                 1500 + (tk::larger(0, scale_b.stride[0] % 32 == 0 ? 19 : 31) + 1084) + 1824 +
                 tk::multiply(tk::larger(1024, (A.stride[0] % 128 == 0 ? 304 : 482) + 607) + 20,
                              tk::ceil_div(K, 128)), 2147418112);
    choice.candidate();  // gemm_i8_rows_turns
    choice.offer(
        tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 160)),
        tk::larger(
            tk::multiply(
                tk::larger(640,
                           (A.stride[0] % 128 == 0 ? 304 : 482) +
                           (B.stride[0] % 128 == 0 ? 380 : 603)) + 20, tk::ceil_div(K, 128)),
            tk::ceil_div(1500 + (tk::larger(0, scale_b.stride[0] % 32 == 0 ? 12 : 19) + 697) +
                         1140 +
                         tk::multiply(
                             tk::larger(640,
                                        (A.stride[0] % 128 == 0 ? 304 : 482) +
                                        (B.stride[0] % 128 == 0 ? 380 : 603)) + 20,
                             tk::ceil_div(K, 128)), 2)) +
        tk::ceil_div(1500 + (tk::larger(0, scale_b.stride[0] % 32 == 0 ? 12 : 19) + 697) + 1140 +
                     tk::multiply(
                         tk::larger(640,
                                    (A.stride[0] % 128 == 0 ? 304 : 482) +
                                    (B.stride[0] % 128 == 0 ? 380 : 603)) + 20,
                         tk::ceil_div(K, 128)) -
                     tk::larger(
                         tk::multiply(
                             tk::larger(640,
                                        (A.stride[0] % 128 == 0 ? 304 : 482) +
                                        (B.stride[0] % 128 == 0 ? 380 : 603)) + 20,
                             tk::ceil_div(K, 128)),
                         tk::ceil_div(1500 +
                                      (tk::larger(0, scale_b.stride[0] % 32 == 0 ? 12 : 19) + 697) +
                                      1140 +
                                      tk::multiply(
                                          tk::larger(640,
                                                     (A.stride[0] % 128 == 0 ? 304 : 482) +
                                                     (B.stride[0] % 128 == 0 ? 380 : 603)) + 20,
                                          tk::ceil_div(K, 128)), 2)),
                     tk::larger(
                         tk::ceil_div(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 160)),
                                      132), 1)), 2147418112);
    choice.candidate();  // gemm_i8_rows_turns_square
    choice.offer(
        tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
        tk::larger(
            tk::multiply(
                tk::larger(512,
                           (A.stride[0] % 128 == 0 ? 304 : 482) +
                           (B.stride[0] % 128 == 0 ? 304 : 482)) + 20, tk::ceil_div(K, 128)),
            tk::ceil_div(1500 + (tk::larger(0, scale_b.stride[0] % 32 == 0 ? 10 : 16) + 568) + 912 +
                         tk::multiply(
                             tk::larger(512,
                                        (A.stride[0] % 128 == 0 ? 304 : 482) +
                                        (B.stride[0] % 128 == 0 ? 304 : 482)) + 20,
                             tk::ceil_div(K, 128)), 2)) +
        tk::ceil_div(1500 + (tk::larger(0, scale_b.stride[0] % 32 == 0 ? 10 : 16) + 568) + 912 +
                     tk::multiply(
                         tk::larger(512,
                                    (A.stride[0] % 128 == 0 ? 304 : 482) +
                                    (B.stride[0] % 128 == 0 ? 304 : 482)) + 20,
                         tk::ceil_div(K, 128)) -
                     tk::larger(
                         tk::multiply(
                             tk::larger(512,
                                        (A.stride[0] % 128 == 0 ? 304 : 482) +
                                        (B.stride[0] % 128 == 0 ? 304 : 482)) + 20,
                             tk::ceil_div(K, 128)),
                         tk::ceil_div(1500 +
                                      (tk::larger(0, scale_b.stride[0] % 32 == 0 ? 10 : 16) + 568) +
                                      912 +
                                      tk::multiply(
                                          tk::larger(512,
                                                     (A.stride[0] % 128 == 0 ? 304 : 482) +
                                                     (B.stride[0] % 128 == 0 ? 304 : 482)) + 20,
                                          tk::ceil_div(K, 128)), 2)),
                     tk::larger(
                         tk::ceil_div(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
                                      132), 1)), 2147418112);
    if (!choice.ok()) return tk::finish(choice.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    const int best = choice.best(site);
    if (best == 0) {
        return tk::finish(tk::run<gemm_i8_rows_kernel<4, 256, 49152, 1024>>(
            site, sizeof(gemm_i8_rows_shared<4, 256>),
            tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), tk::box{A, {128, 128}, 128},
            tk::box{B, {256, 128}, 128}, tk::box{scale_b, {256}, 0}, tk::box{C, {64, 64}, 128},
            scale_a, C, M, K, N));
    }
    if (best == 1) {
        return tk::finish(tk::run<gemm_i8_rows_tall_kernel>(
            site, sizeof(gemm_i8_rows_tall_shared), tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 256), tk::ceil_div(N, 128)), tk::box{A, {256, 128}, 128},
            tk::box{B, {128, 128}, 128}, tk::box{scale_b, {128}, 0}, tk::box{C, {128, 64}, 128},
            scale_a, C, M, K, N));
    }
    if (best == 2) {
        return tk::finish(tk::run<gemm_i8_rows_kernel<6, 128, 32768, 512>>(
            site, sizeof(gemm_i8_rows_shared<6, 128>),
            tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), tk::box{A, {128, 128}, 128},
            tk::box{B, {128, 128}, 128}, tk::box{scale_b, {128}, 0}, tk::box{C, {64, 64}, 128},
            scale_a, C, M, K, N));
    }
    if (best == 3) {
        return tk::finish(tk::run<gemm_i8_rows_pairs_kernel>(
            site, sizeof(gemm_i8_rows_pairs_shared),
            tk::kernel_shape(384).in_clusters(2).at_once(1).overlapping(),
            tk::ceil_div(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), 2) * 2,
            tk::box{A, {128, 128}, 128}, tk::box{B, {128, 128}, 128}, tk::box{scale_b, {256}, 0},
            tk::box{C, {64, 64}, 128}, scale_a, C, M, K, N));
    }
    if (best == 4) {
        return tk::finish(tk::run<gemm_i8_rows_turns_kernel>(
            site, sizeof(gemm_i8_rows_turns_shared), tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 160)), tk::box{A, {128, 128}, 128},
            tk::box{B, {160, 128}, 128}, tk::box{scale_b, {160}, 0}, tk::box{C, {128, 32}, 64},
            scale_a, C, M, K, N));
    }
    return tk::finish(tk::run<gemm_i8_rows_turns_square_kernel>(
        site, sizeof(gemm_i8_rows_turns_square_shared),
        tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), tk::box{A, {128, 128}, 128},
        tk::box{B, {128, 128}, 128}, tk::box{scale_b, {128}, 0}, tk::box{C, {128, 64}, 128},
        scale_a, C, M, K, N));
}

}  // namespace

extern "C" {
int gemm_i8(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*, size_t,
            cudaStream_t stream) {
    return run_gemm_i8("gemm_i8", {0, 1, 2, 3}, A_given, B_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_i8, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_i8_tall(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*, size_t,
                 cudaStream_t stream) {
    return run_gemm_i8("gemm_i8_tall", {1}, A_given, B_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_i8_tall, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_i8_square(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*,
                   size_t, cudaStream_t stream) {
    return run_gemm_i8("gemm_i8_square", {2}, A_given, B_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_i8_square, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_i8_pairs(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*,
                  size_t, cudaStream_t stream) {
    return run_gemm_i8("gemm_i8_pairs", {3}, A_given, B_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_i8_pairs, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_i8_rows(const DLTensor* A_given, const DLTensor* B_given, const DLTensor* scale_a_given,
                 const DLTensor* scale_b_given, DLTensor* C_given, void*, size_t,
                 cudaStream_t stream) {
    return run_gemm_i8_rows("gemm_i8_rows", {0, 1, 2, 3, 4, 5}, A_given, B_given, scale_a_given,
                            scale_b_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_i8_rows, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*)

int gemm_i8_rows_tall(const DLTensor* A_given, const DLTensor* B_given,
                      const DLTensor* scale_a_given, const DLTensor* scale_b_given,
                      DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    return run_gemm_i8_rows("gemm_i8_rows_tall", {1}, A_given, B_given, scale_a_given,
                            scale_b_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_i8_rows_tall, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)

int gemm_i8_rows_square(const DLTensor* A_given, const DLTensor* B_given,
                        const DLTensor* scale_a_given, const DLTensor* scale_b_given,
                        DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    return run_gemm_i8_rows("gemm_i8_rows_square", {2}, A_given, B_given, scale_a_given,
                            scale_b_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_i8_rows_square, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)

int gemm_i8_rows_pairs(const DLTensor* A_given, const DLTensor* B_given,
                       const DLTensor* scale_a_given, const DLTensor* scale_b_given,
                       DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    return run_gemm_i8_rows("gemm_i8_rows_pairs", {3}, A_given, B_given, scale_a_given,
                            scale_b_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_i8_rows_pairs, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)

int gemm_i8_rows_turns(const DLTensor* A_given, const DLTensor* B_given,
                       const DLTensor* scale_a_given, const DLTensor* scale_b_given,
                       DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    return run_gemm_i8_rows("gemm_i8_rows_turns", {4}, A_given, B_given, scale_a_given,
                            scale_b_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_i8_rows_turns, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)

int gemm_i8_rows_turns_square(const DLTensor* A_given, const DLTensor* B_given,
                              const DLTensor* scale_a_given, const DLTensor* scale_b_given,
                              DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    return run_gemm_i8_rows("gemm_i8_rows_turns_square", {5}, A_given, B_given, scale_a_given,
                            scale_b_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_i8_rows_turns_square, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)
}  // extern "C"
