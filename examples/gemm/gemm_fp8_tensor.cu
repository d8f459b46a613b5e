// Made by tkc from gemm_fp8_tensor.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/cells.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/ptx/wgmma_n256.cuh"
#include "tk/tk.cuh"

// gemm_fp8_tensor: kernel gemm_fp8_tensor with TA = fp8_e4m3, TB = fp8_e4m3, TC = bf16, BM = 128,
// BN = 256, BK = 128, CM = 1.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 229440 bytes of shared memory; persistent:
// gemm_fp8_tensor_kernel<256, 49152>.
// gemm_fp8_tensor_square: kernel gemm_fp8_tensor with TA = fp8_e4m3, TB = fp8_e4m3, TC = bf16, BM =
// 128, BN = 128, BK = 128, CM = 1.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 163904 bytes of shared memory; persistent:
// gemm_fp8_tensor_kernel<128, 32768>.
template <int BN>
struct gemm_fp8_tensor_shared {
    tk::shared_tile<tk::fp8_e4m3, 128, 128> ab_a[4];
    tk::shared_tile<tk::fp8_e4m3, BN, 128> ab_b[4];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[4];
    tk::pipeline<4> ab;
};
static_assert(offsetof(gemm_fp8_tensor_shared<256>, ab) == 229376);
static_assert(offsetof(gemm_fp8_tensor_shared<128>, ab) == 163840);

template <int BN, int bytes>
__global__ void __launch_bounds__(384, 1) gemm_fp8_tensor_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap C_map, const tk::tensor_argument<const float, 1> scale_a,
    const tk::tensor_argument<const float, 1> scale_b, const tk::tensor_argument<tk::bf16, 2> C,
    int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_fp8_tensor_shared<BN>& shared = *reinterpret_cast<gemm_fp8_tensor_shared<BN>*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, C_map);
        shared.ab.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_fp8_tensor.tk:11: role producer(1 warp) {
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

                // gemm_fp8_tensor.tk:12: for k in K by BK { produce ab { a = tma_load(A[m, k]); ..
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
        // gemm_fp8_tensor.tk:14: role consumer(2 warpgroups) {
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

            // gemm_fp8_tensor.tk:15: let scale = scale_a[0] * scale_b[0];
            const float scale = tk::cell(scale_a, 0) * tk::cell(scale_b, 0);

            // gemm_fp8_tensor.tk:16: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, BN> acc;
            tk::zero(acc);

            // gemm_fp8_tensor.tk:17: for k in K by BK { consume ab as s { acc += mma(s.a, ..
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

            // gemm_fp8_tensor.tk:18: tma_store(C[m, n], TC(acc * scale));
            #pragma unroll
            for (int panel = 0; panel < BN; panel += 64) {
                tk::fragment<tk::bf16, 64, 64> t0;
                tk::map(t0, [&](float acc) { return acc * scale; },
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

// gemm_fp8_tensor_tall: kernel gemm_fp8_tensor with TA = fp8_e4m3, TB = fp8_e4m3, TC = bf16, BM =
// 256, BN = 128, BK = 128, CM = 1.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 229440 bytes of shared memory; persistent.
struct gemm_fp8_tensor_tall_shared {
    tk::shared_tile<tk::fp8_e4m3, 256, 128> ab_a[4];
    tk::shared_tile<tk::fp8_e4m3, 128, 128> ab_b[4];
    tk::shared_tile<tk::bf16, 128, 64> consumer_C[2];
    tk::pipeline<4> ab;
};
static_assert(offsetof(gemm_fp8_tensor_tall_shared, ab) == 229376);

__global__ void __launch_bounds__(384, 1) gemm_fp8_tensor_tall_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap C_map, const tk::tensor_argument<const float, 1> scale_a,
    const tk::tensor_argument<const float, 1> scale_b, const tk::tensor_argument<tk::bf16, 2> C,
    int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_fp8_tensor_tall_shared& shared = *reinterpret_cast<gemm_fp8_tensor_tall_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, C_map);
        shared.ab.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_fp8_tensor.tk:11: role producer(1 warp) {
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

                // gemm_fp8_tensor.tk:12: for k in K by BK { produce ab { a = tma_load(A[m, k]); ..
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
        // gemm_fp8_tensor.tk:14: role consumer(2 warpgroups) {
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

            // gemm_fp8_tensor.tk:15: let scale = scale_a[0] * scale_b[0];
            const float scale = tk::cell(scale_a, 0) * tk::cell(scale_b, 0);

            // gemm_fp8_tensor.tk:16: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 128, 128> acc;
            tk::zero(acc);

            // gemm_fp8_tensor.tk:17: for k in K by BK { consume ab as s { acc += mma(s.a, ..
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

            // gemm_fp8_tensor.tk:18: tma_store(C[m, n], TC(acc * scale));
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                tk::fragment<tk::bf16, 128, 64> t0;
                tk::map(t0, [&](float acc) { return acc * scale; },
                        tk::window<128, 64>(acc, 0, panel));
                tk::store_shared(shared.consumer_C[warpgroup], t0, thread);
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

// gemm_fp8_tensor_pairs: kernel gemm_fp8_tensor with TA = fp8_e4m3, TB = fp8_e4m3, TC = bf16, BM =
// 128, BN = 256, BK = 128, CM = 2.
// producer: 1 warp, 40 registers a thread; consumer: 2 warpgroups, 232 registers a thread.
// 384 threads, 168 registers each at first, 229440 bytes of shared memory, clusters of 2 along m;
// persistent.
struct gemm_fp8_tensor_pairs_shared {
    tk::shared_tile<tk::fp8_e4m3, 128, 128> ab_a[4];
    tk::shared_tile<tk::fp8_e4m3, 256, 128> ab_b[4];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[4];
    tk::pipeline<4> ab;
};
static_assert(offsetof(gemm_fp8_tensor_pairs_shared, ab) == 229376);

__global__ void __launch_bounds__(384, 1) gemm_fp8_tensor_pairs_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap C_map, const tk::tensor_argument<const float, 1> scale_a,
    const tk::tensor_argument<const float, 1> scale_b, const tk::tensor_argument<tk::bf16, 2> C,
    int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_fp8_tensor_pairs_shared& shared = *reinterpret_cast<gemm_fp8_tensor_pairs_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, C_map);
        shared.ab.init(1, 16);
        tk::publish_barriers();
    }
    tk::cluster_sync();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_fp8_tensor.tk:11: role producer(1 warp) {
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

                // gemm_fp8_tensor.tk:12: for k in K by BK { produce ab { a = tma_load(A[m, k]); ..
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
        // gemm_fp8_tensor.tk:14: role consumer(2 warpgroups) {
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

            // gemm_fp8_tensor.tk:15: let scale = scale_a[0] * scale_b[0];
            const float scale = tk::cell(scale_a, 0) * tk::cell(scale_b, 0);

            // gemm_fp8_tensor.tk:16: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 256> acc;
            tk::zero(acc);

            // gemm_fp8_tensor.tk:17: for k in K by BK { consume ab as s { acc += mma(s.a, ..
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

            // gemm_fp8_tensor.tk:18: tma_store(C[m, n], TC(acc * scale));
            #pragma unroll
            for (int panel = 0; panel < 256; panel += 64) {
                tk::fragment<tk::bf16, 64, 64> t0;
                tk::map(t0, [&](float acc) { return acc * scale; },
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

    // Other blocks of the cluster may still arrive on this one's barriers.
    tk::cluster_sync();
}

// gemm_fp8_tensor_precise: kernel gemm_fp8_tensor_precise with TA = fp8_e4m3, TB = fp8_e4m3, TC =
// bf16, BM = 192, STAGES = 4, CM = 1.
// producer: 1 warp, 32 registers a thread; consumer: 3 warpgroups, 160 registers a thread.
// 512 threads, 128 registers each at first, 213056 bytes of shared memory; persistent:
// gemm_fp8_tensor_precise_kernel<192, 4, 6, 512, 12, 32, 40960, 160>.
// gemm_fp8_tensor_precise_square: kernel gemm_fp8_tensor_precise with TA = fp8_e4m3, TB = fp8_e4m3,
// TC = bf16, BM = 128, STAGES = 5, CM = 1.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 196688 bytes of shared memory; persistent:
// gemm_fp8_tensor_precise_kernel<128, 5, 4, 384, 8, 24, 32768, 240>.
template <int BM, int STAGES, int copies>
struct gemm_fp8_tensor_precise_shared {
    tk::shared_tile<tk::fp8_e4m3, BM, 128> ab_a[STAGES];
    tk::shared_tile<tk::fp8_e4m3, 128, 128> ab_b[STAGES];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[copies];
    tk::pipeline<STAGES> ab;
};
static_assert(__builtin_offsetof(gemm_fp8_tensor_precise_shared<192, 4, 6>, ab) == 212992);
static_assert(__builtin_offsetof(gemm_fp8_tensor_precise_shared<128, 5, 4>, ab) == 196608);

template <int BM, int STAGES, int copies, int threads, int takers, int registers, int bytes,
          int registers_2>
__global__ void __launch_bounds__(threads, 1) gemm_fp8_tensor_precise_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap C_map, const tk::tensor_argument<const float, 1> scale_a,
    const tk::tensor_argument<const float, 1> scale_b, const tk::tensor_argument<tk::bf16, 2> C,
    int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_fp8_tensor_precise_shared<BM, STAGES, copies>& shared =
        *reinterpret_cast<gemm_fp8_tensor_precise_shared<BM, STAGES, copies>*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, C_map);
        shared.ab.init(1, takers);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= takers) {
        // gemm_fp8_tensor.tk:34: role producer(1 warp) {
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

                // gemm_fp8_tensor.tk:35: for k in K by 128 { produce ab { a = tma_load(A[m, k]); ..
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
        // gemm_fp8_tensor.tk:37: role consumer(BM / 64 warpgroups) {
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

            // gemm_fp8_tensor.tk:38: let scale = scale_a[0] * scale_b[0];
            const float scale = tk::cell(scale_a, 0) * tk::cell(scale_b, 0);

            // gemm_fp8_tensor.tk:39: var acc: f32[BM, 128] = 0;
            tk::fragment<float, 64, 128> acc;
            tk::zero(acc);

            // gemm_fp8_tensor.tk:40: for k in K by 128 {
            for (int k = 0; k < K; k += 128) {
                // gemm_fp8_tensor.tk:41: consume ab as s {
                const tk::cursor<STAGES> s = shared.ab.take(ab_next);

                // gemm_fp8_tensor.tk:42: let t = mma(s.a, s.b.T);
                tk::fragment<float, 64, 128> t;
                tk::mma_async(t, tk::rows<64>(shared.ab_a[s.stage], 64 * warpgroup),
                              tk::transposed(shared.ab_b[s.stage]), tk::accumulate_never{});
                tk::mma_wait<0>(t);
                shared.ab.release(s);

                // gemm_fp8_tensor.tk:43: acc += t;
                tk::map(acc, [](float acc, float t) { return acc + t; }, acc, t);
            }

            // gemm_fp8_tensor.tk:46: tma_store(C[m, n], TC(acc * scale));
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                tk::fragment<tk::bf16, 64, 64> t1;
                tk::map(t1, [&](float acc) { return acc * scale; },
                        tk::window<64, 64>(acc, 0, panel));
                tk::store_shared(shared.consumer_C[warpgroup * 2 + panel / 64 % 2], t1, thread);
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

// gemm_fp8_tensor_precise_pairs: kernel gemm_fp8_tensor_precise with TA = fp8_e4m3, TB = fp8_e4m3,
// TC = bf16, BM = 192, STAGES = 4, CM = 2.
// producer: 1 warp, 32 registers a thread; consumer: 3 warpgroups, 160 registers a thread.
// 512 threads, 128 registers each at first, 213056 bytes of shared memory, clusters of 2 along m;
// persistent.
struct gemm_fp8_tensor_precise_pairs_shared {
    tk::shared_tile<tk::fp8_e4m3, 192, 128> ab_a[4];
    tk::shared_tile<tk::fp8_e4m3, 128, 128> ab_b[4];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[6];
    tk::pipeline<4> ab;
};
static_assert(offsetof(gemm_fp8_tensor_precise_pairs_shared, ab) == 212992);

__global__ void __launch_bounds__(512, 1) gemm_fp8_tensor_precise_pairs_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap C_map, const tk::tensor_argument<const float, 1> scale_a,
    const tk::tensor_argument<const float, 1> scale_b, const tk::tensor_argument<tk::bf16, 2> C,
    int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_fp8_tensor_precise_pairs_shared& shared =
        *reinterpret_cast<gemm_fp8_tensor_precise_pairs_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, C_map);
        shared.ab.init(1, 24);
        tk::publish_barriers();
    }
    tk::cluster_sync();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 12) {
        // gemm_fp8_tensor.tk:34: role producer(1 warp) {
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

                // gemm_fp8_tensor.tk:35: for k in K by 128 { produce ab { a = tma_load(A[m, k]); ..
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
            }
        }
    } else {
        // gemm_fp8_tensor.tk:37: role consumer(BM / 64 warpgroups) {
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

            // gemm_fp8_tensor.tk:38: let scale = scale_a[0] * scale_b[0];
            const float scale = tk::cell(scale_a, 0) * tk::cell(scale_b, 0);

            // gemm_fp8_tensor.tk:39: var acc: f32[BM, 128] = 0;
            tk::fragment<float, 64, 128> acc;
            tk::zero(acc);

            // gemm_fp8_tensor.tk:40: for k in K by 128 {
            for (int k = 0; k < K; k += 128) {
                // gemm_fp8_tensor.tk:41: consume ab as s {
                const tk::cursor<4> s = shared.ab.take(ab_next);

                // gemm_fp8_tensor.tk:42: let t = mma(s.a, s.b.T);
                tk::fragment<float, 64, 128> t;
                tk::mma_async(t, tk::rows<64>(shared.ab_a[s.stage], 64 * warpgroup),
                              tk::transposed(shared.ab_b[s.stage]), tk::accumulate_never{});
                tk::mma_wait<0>(t);
                shared.ab.release<2>(s);

                // gemm_fp8_tensor.tk:43: acc += t;
                tk::map(acc, [](float acc, float t) { return acc + t; }, acc, t);
            }

            // gemm_fp8_tensor.tk:46: tma_store(C[m, n], TC(acc * scale));
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                tk::fragment<tk::bf16, 64, 64> t1;
                tk::map(t1, [&](float acc) { return acc * scale; },
                        tk::window<64, 64>(acc, 0, panel));
                tk::store_shared(shared.consumer_C[warpgroup * 2 + panel / 64 % 2], t1, thread);
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
int run_gemm_fp8_tensor(const char* function, tk::candidates offered, const DLTensor* A_given,
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
        {tk::same_extent("K", A, 1, B, 1), tk::fixed_extent(scale_a, 0, 1),
         tk::fixed_extent(scale_b, 0, 1), tk::same_extent("M", A, 0, C, 0),
         tk::same_extent("N", B, 0, C, 1), tk::extents_fit({{"M", M}, {"K", K}, {"N", N}}),
         tk::suits_tma_load(A, "K"), tk::suits_tma_load(B, "K"), tk::suits_tma_store(C, "N")});
    if (!call.ok()) return tk::finish(call.result());

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call, offered};
    choice.candidate();  // gemm_fp8_tensor
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)),
                 3836 +
                 tk::multiply(
                     tk::larger(1024,
                                (A.stride[0] % 128 == 0 ? 304 : 482) +
                                (B.stride[0] % 128 == 0 ? 607 : 964)) + 20, tk::ceil_div(K, 128)),
                 2147418112);
    choice.candidate();  // gemm_fp8_tensor_tall
    choice.offer(tk::multiply(tk::ceil_div(M, 256), tk::ceil_div(N, 128)),
                 3836 +
                 tk::multiply(
                     tk::larger(1024,
                                (A.stride[0] % 128 == 0 ? 607 : 964) +
                                (B.stride[0] % 128 == 0 ? 304 : 482)) + 20, tk::ceil_div(K, 128)),
                 2147418112);
    choice.candidate();  // gemm_fp8_tensor_square
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
                 2668 +
                 tk::multiply(
                     tk::larger(512,
                                (A.stride[0] % 128 == 0 ? 304 : 482) +
                                (B.stride[0] % 128 == 0 ? 304 : 482)) + 20, tk::ceil_div(K, 128)),
                 2147418112);
    choice.candidate();  // gemm_fp8_tensor_pairs
    choice.offer(tk::ceil_div(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), 2) * 2,
                 3836 +
                 tk::multiply(tk::larger(1024, (A.stride[0] % 128 == 0 ? 304 : 482) + 607) + 20,
                              tk::ceil_div(K, 128)), 2147418112);
    if (!choice.ok()) return tk::finish(choice.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    const int best = choice.best(site);
    if (best == 0) {
        return tk::finish(tk::run<gemm_fp8_tensor_kernel<256, 49152>>(
            site, sizeof(gemm_fp8_tensor_shared<256>),
            tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), tk::box{A, {128, 128}, 128},
            tk::box{B, {256, 128}, 128}, tk::box{C, {64, 64}, 128}, scale_a, scale_b, C, M, K, N));
    }
    if (best == 1) {
        return tk::finish(tk::run<gemm_fp8_tensor_tall_kernel>(
            site, sizeof(gemm_fp8_tensor_tall_shared),
            tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 256), tk::ceil_div(N, 128)), tk::box{A, {256, 128}, 128},
            tk::box{B, {128, 128}, 128}, tk::box{C, {128, 64}, 128}, scale_a, scale_b, C, M, K, N));
    }
    if (best == 2) {
        return tk::finish(tk::run<gemm_fp8_tensor_kernel<128, 32768>>(
            site, sizeof(gemm_fp8_tensor_shared<128>),
            tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), tk::box{A, {128, 128}, 128},
            tk::box{B, {128, 128}, 128}, tk::box{C, {64, 64}, 128}, scale_a, scale_b, C, M, K, N));
    }
    return tk::finish(tk::run<gemm_fp8_tensor_pairs_kernel>(
        site, sizeof(gemm_fp8_tensor_pairs_shared),
        tk::kernel_shape(384).in_clusters(2).at_once(1).overlapping(),
        tk::ceil_div(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), 2) * 2,
        tk::box{A, {128, 128}, 128}, tk::box{B, {128, 128}, 128}, tk::box{C, {64, 64}, 128},
        scale_a, scale_b, C, M, K, N));
}

int run_gemm_fp8_tensor_precise(const char* function, tk::candidates offered,
                                const DLTensor* A_given, const DLTensor* B_given,
                                const DLTensor* scale_a_given, const DLTensor* scale_b_given,
                                DLTensor* C_given, cudaStream_t stream) {
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
        {tk::same_extent("K", A, 1, B, 1), tk::fixed_extent(scale_a, 0, 1),
         tk::fixed_extent(scale_b, 0, 1), tk::same_extent("M", A, 0, C, 0),
         tk::same_extent("N", B, 0, C, 1), tk::extents_fit({{"M", M}, {"K", K}, {"N", N}}),
         tk::suits_tma_load(A, "K"), tk::suits_tma_load(B, "K"), tk::suits_tma_store(C, "N")});
    if (!call.ok()) return tk::finish(call.result());

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call, offered};
    choice.candidate();  // gemm_fp8_tensor_precise
    choice.offer(tk::multiply(tk::ceil_div(M, 192), tk::ceil_div(N, 128)),
                 3252 +
                 tk::multiply(
                     tk::larger(942,
                                (A.stride[0] % 128 == 0 ? 456 : 723) +
                                (B.stride[0] % 128 == 0 ? 304 : 482)) + 20, tk::ceil_div(K, 128)),
                 2147418112);
    choice.candidate();  // gemm_fp8_tensor_precise_square
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
                 2668 +
                 tk::multiply(
                     tk::larger(686,
                                (A.stride[0] % 128 == 0 ? 304 : 482) +
                                (B.stride[0] % 128 == 0 ? 304 : 482)) + 20, tk::ceil_div(K, 128)),
                 2147418112);
    choice.candidate();  // gemm_fp8_tensor_precise_pairs
    choice.offer(tk::ceil_div(tk::multiply(tk::ceil_div(M, 192), tk::ceil_div(N, 128)), 2) * 2,
                 3252 +
                 tk::multiply(tk::larger(942, (A.stride[0] % 128 == 0 ? 456 : 723) + 304) + 20,
                              tk::ceil_div(K, 128)), 2147418112);
    if (!choice.ok()) return tk::finish(choice.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    const int best = choice.best(site);
    if (best == 0) {
        return tk::finish(
            tk::run<gemm_fp8_tensor_precise_kernel<192, 4, 6, 512, 12, 32, 40960, 160>>(
                site, sizeof(gemm_fp8_tensor_precise_shared<192, 4, 6>),
                tk::kernel_shape(512).at_once(1).overlapping(),
                tk::multiply(tk::ceil_div(M, 192), tk::ceil_div(N, 128)),
                tk::box{A, {192, 128}, 128}, tk::box{B, {128, 128}, 128}, tk::box{C, {64, 64}, 128},
                scale_a, scale_b, C, M, K, N));
    }
    if (best == 1) {
        return tk::finish(
            tk::run<gemm_fp8_tensor_precise_kernel<128, 5, 4, 384, 8, 24, 32768, 240>>(
                site, sizeof(gemm_fp8_tensor_precise_shared<128, 5, 4>),
                tk::kernel_shape(384).at_once(1).overlapping(),
                tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
                tk::box{A, {128, 128}, 128}, tk::box{B, {128, 128}, 128}, tk::box{C, {64, 64}, 128},
                scale_a, scale_b, C, M, K, N));
    }
    return tk::finish(tk::run<gemm_fp8_tensor_precise_pairs_kernel>(
        site, sizeof(gemm_fp8_tensor_precise_pairs_shared),
        tk::kernel_shape(512).in_clusters(2).at_once(1).overlapping(),
        tk::ceil_div(tk::multiply(tk::ceil_div(M, 192), tk::ceil_div(N, 128)), 2) * 2,
        tk::box{A, {192, 128}, 128}, tk::box{B, {64, 128}, 128}, tk::box{C, {64, 64}, 128}, scale_a,
        scale_b, C, M, K, N));
}

}  // namespace

extern "C" {
int gemm_fp8_tensor(const DLTensor* A_given, const DLTensor* B_given, const DLTensor* scale_a_given,
                    const DLTensor* scale_b_given, DLTensor* C_given, void*, size_t,
                    cudaStream_t stream) {
    return run_gemm_fp8_tensor("gemm_fp8_tensor", {0, 1, 2, 3}, A_given, B_given, scale_a_given,
                               scale_b_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_fp8_tensor, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*)

int gemm_fp8_tensor_tall(const DLTensor* A_given, const DLTensor* B_given,
                         const DLTensor* scale_a_given, const DLTensor* scale_b_given,
                         DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    return run_gemm_fp8_tensor("gemm_fp8_tensor_tall", {1}, A_given, B_given, scale_a_given,
                               scale_b_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_fp8_tensor_tall, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)

int gemm_fp8_tensor_square(const DLTensor* A_given, const DLTensor* B_given,
                           const DLTensor* scale_a_given, const DLTensor* scale_b_given,
                           DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    return run_gemm_fp8_tensor("gemm_fp8_tensor_square", {2}, A_given, B_given, scale_a_given,
                               scale_b_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_fp8_tensor_square, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)

int gemm_fp8_tensor_pairs(const DLTensor* A_given, const DLTensor* B_given,
                          const DLTensor* scale_a_given, const DLTensor* scale_b_given,
                          DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    return run_gemm_fp8_tensor("gemm_fp8_tensor_pairs", {3}, A_given, B_given, scale_a_given,
                               scale_b_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_fp8_tensor_pairs, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)

int gemm_fp8_tensor_precise(const DLTensor* A_given, const DLTensor* B_given,
                            const DLTensor* scale_a_given, const DLTensor* scale_b_given,
                            DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    return run_gemm_fp8_tensor_precise("gemm_fp8_tensor_precise", {0, 1, 2}, A_given, B_given,
                                       scale_a_given, scale_b_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_fp8_tensor_precise, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)

int gemm_fp8_tensor_precise_square(const DLTensor* A_given, const DLTensor* B_given,
                                   const DLTensor* scale_a_given, const DLTensor* scale_b_given,
                                   DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    return run_gemm_fp8_tensor_precise("gemm_fp8_tensor_precise_square", {1}, A_given, B_given,
                                       scale_a_given, scale_b_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_fp8_tensor_precise_square, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)

int gemm_fp8_tensor_precise_pairs(const DLTensor* A_given, const DLTensor* B_given,
                                  const DLTensor* scale_a_given, const DLTensor* scale_b_given,
                                  DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    return run_gemm_fp8_tensor_precise("gemm_fp8_tensor_precise_pairs", {2}, A_given, B_given,
                                       scale_a_given, scale_b_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_fp8_tensor_precise_pairs, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)
}  // extern "C"
