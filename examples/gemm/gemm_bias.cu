// Made by tkc from gemm_bias.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/integer.cuh"
#include "tk/ptx/wgmma_n032.cuh"
#include "tk/ptx/wgmma_n064.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/ptx/wgmma_n160.cuh"
#include "tk/ptx/wgmma_n256.cuh"
#include "tk/tk.cuh"

// gemm_bias: kernel gemm_bias with GELU = false, BM = 128, BN = 256, BK = 64, CM = 1, WG = 2, S =
// 4, ALT = false.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 230480 bytes of shared memory; persistent:
// gemm_bias_kernel<4, 256, 49152, 512>.
// gemm_bias_square: kernel gemm_bias with GELU = false, BM = 128, BN = 128, BK = 64, CM = 1, WG =
// 2, S = 6, ALT = false.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 230512 bytes of shared memory; persistent:
// gemm_bias_kernel<6, 128, 32768, 256>.
template <int S, int BN>
struct gemm_bias_shared {
    tk::shared_tile<tk::bf16, 128, 64> ab_a[S];
    tk::shared_tile<tk::bf16, BN, 64> ab_b[S];
    tk::shared_tile<tk::bf16, 1, BN> biases_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[4];
    tk::pipeline<S> ab;
    tk::pipeline<1> biases;
};
static_assert(__builtin_offsetof(gemm_bias_shared<4, 256>, biases) == 230464);
static_assert(__builtin_offsetof(gemm_bias_shared<6, 128>, biases) == 230496);

template <int S, int BN, int bytes, int bytes_2>
__global__ void __launch_bounds__(384, 1) gemm_bias_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap bias_map, const __grid_constant__ CUtensorMap C_map,
    const tk::tensor_argument<tk::bf16, 2> C, int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_bias_shared<S, BN>& shared = *reinterpret_cast<gemm_bias_shared<S, BN>*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, bias_map, C_map);
        shared.ab.init(1, 8);
        shared.biases.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_bias.tk:17: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, BN);
        const int programs = m_tiles * n_tiles;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<S> ab_next;
            tk::cursor<1> biases_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 128;
                const int n = point.col * BN;

                // gemm_bias.tk:18: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 64) {
                    shared.ab.begin(ab_next, bytes);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 n, k);
                    ab_next.advance();
                }

                // gemm_bias.tk:19: produce biases = tma_load(bias[n]);
                shared.biases.begin(biases_next, bytes_2);
                tk::tma_load(shared.biases_tile[biases_next.stage], bias_map,
                             shared.biases.full[biases_next.stage], n);
                biases_next.advance();
            }
        }
    } else {
        // gemm_bias.tk:21: role consumer(WG warpgroups) alternate(ALT) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, BN);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<S> ab_next;
        tk::cursor<1> biases_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * BN;

            // gemm_bias.tk:22: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, BN> acc;
            tk::zero(acc);

            // gemm_bias.tk:23: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
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

            // gemm_bias.tk:24: let x = acc + consume biases;
            const tk::cursor<1> biases_element = shared.biases.take(biases_next);

            // gemm_bias.tk:25: tma_store(C[m, n], bf16(if GELU { gelu(x) } else { x }));
            tk::row_fragment<float, BN> t1;
            tk::map(t1, thread, [&](int, int col) {
                return float(tk::get(shared.biases_tile[biases_element.stage], 0, col));
            });
            shared.biases.release_after_loads(biases_element);
            tk::fragment<tk::bf16, 64, BN> t0;
            tk::map(t0, [](float acc, float t1) { return acc + float(t1); }, acc, t1);
            #pragma unroll
            for (int panel = 0; panel < BN; panel += 64) {
                tk::store_shared(shared.consumer_C[warpgroup * 2 + panel / 64 % 2],
                                 tk::window<64, 64>(t0, 0, panel), thread);
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

// gemm_bias_pairs: kernel gemm_bias with GELU = false, BM = 128, BN = 256, BK = 64, CM = 2, WG = 2,
// S = 4, ALT = false.
// producer: 1 warp, 40 registers a thread; consumer: 2 warpgroups, 232 registers a thread.
// 384 threads, 168 registers each at first, 230480 bytes of shared memory, clusters of 2 along m;
// persistent.
struct gemm_bias_pairs_shared {
    tk::shared_tile<tk::bf16, 128, 64> ab_a[4];
    tk::shared_tile<tk::bf16, 256, 64> ab_b[4];
    tk::shared_tile<tk::bf16, 1, 256> biases_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[4];
    tk::pipeline<4> ab;
    tk::pipeline<1> biases;
};
static_assert(offsetof(gemm_bias_pairs_shared, biases) == 230464);

__global__ void __launch_bounds__(384, 1) gemm_bias_pairs_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap bias_map, const __grid_constant__ CUtensorMap C_map,
    const tk::tensor_argument<tk::bf16, 2> C, int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_bias_pairs_shared& shared = *reinterpret_cast<gemm_bias_pairs_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, bias_map, C_map);
        shared.ab.init(1, 16);
        shared.biases.init(1, 8);
        tk::publish_barriers();
    }
    tk::cluster_sync();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_bias.tk:17: role producer(1 warp) {
        tk::registers_at_most<40>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 256);
        const int programs = tk::tiles(m_tiles * n_tiles, 2) * 2;
        if (warp == 8 && tk::elect_one()) {
            const int rank = tk::cluster_rank();
            tk::cursor<4> ab_next;
            tk::cursor<1> biases_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::cluster_point point = tk::raster_clusters<2>(program, m_tiles, n_tiles,
                                                                       16);
                const int m = point.row * 128;
                const int n = point.col * 256;

                // gemm_bias.tk:18: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
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

                // gemm_bias.tk:19: produce biases = tma_load(bias[n]);
                shared.biases.begin(biases_next, 512);
                tk::tma_load(shared.biases_tile[biases_next.stage], bias_map,
                             shared.biases.full[biases_next.stage], n);
                biases_next.advance();
            }
        }
    } else {
        // gemm_bias.tk:21: role consumer(WG warpgroups) alternate(ALT) {
        tk::registers_at_least<232>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 256);
        const int programs = tk::tiles(m_tiles * n_tiles, 2) * 2;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<4> ab_next;
        tk::cursor<1> biases_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::cluster_point point = tk::raster_clusters<2>(program, m_tiles, n_tiles, 16);
            const int m = point.row * 128;
            const int n = point.col * 256;

            // gemm_bias.tk:22: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 256> acc;
            tk::zero(acc);

            // gemm_bias.tk:23: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
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

            // gemm_bias.tk:24: let x = acc + consume biases;
            const tk::cursor<1> biases_element = shared.biases.take(biases_next);

            // gemm_bias.tk:25: tma_store(C[m, n], bf16(if GELU { gelu(x) } else { x }));
            tk::row_fragment<float, 256> t1;
            tk::map(t1, thread, [&](int, int col) {
                return float(tk::get(shared.biases_tile[biases_element.stage], 0, col));
            });
            shared.biases.release_after_loads(biases_element);
            tk::fragment<tk::bf16, 64, 256> t0;
            tk::map(t0, [](float acc, float t1) { return acc + float(t1); }, acc, t1);
            #pragma unroll
            for (int panel = 0; panel < 256; panel += 64) {
                tk::store_shared(shared.consumer_C[warpgroup * 2 + panel / 64 % 2],
                                 tk::window<64, 64>(t0, 0, panel), thread);
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

// gemm_bias_tall: kernel gemm_bias with GELU = false, BM = 256, BN = 128, BK = 64, CM = 1, WG = 2,
// S = 4, ALT = false.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 230480 bytes of shared memory; persistent.
struct gemm_bias_tall_shared {
    tk::shared_tile<tk::bf16, 256, 64> ab_a[4];
    tk::shared_tile<tk::bf16, 128, 64> ab_b[4];
    tk::shared_tile<tk::bf16, 1, 128> biases_tile[1];
    tk::shared_tile<tk::bf16, 128, 64> consumer_C[2];
    tk::pipeline<4> ab;
    tk::pipeline<1> biases;
};
static_assert(offsetof(gemm_bias_tall_shared, biases) == 230464);

__global__ void __launch_bounds__(384, 1) gemm_bias_tall_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap bias_map, const __grid_constant__ CUtensorMap C_map,
    const tk::tensor_argument<tk::bf16, 2> C, int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_bias_tall_shared& shared = *reinterpret_cast<gemm_bias_tall_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, bias_map, C_map);
        shared.ab.init(1, 8);
        shared.biases.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_bias.tk:17: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 256);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<4> ab_next;
            tk::cursor<1> biases_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 256;
                const int n = point.col * 128;

                // gemm_bias.tk:18: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 64) {
                    shared.ab.begin(ab_next, 49152);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 n, k);
                    ab_next.advance();
                }

                // gemm_bias.tk:19: produce biases = tma_load(bias[n]);
                shared.biases.begin(biases_next, 256);
                tk::tma_load(shared.biases_tile[biases_next.stage], bias_map,
                             shared.biases.full[biases_next.stage], n);
                biases_next.advance();
            }
        }
    } else {
        // gemm_bias.tk:21: role consumer(WG warpgroups) alternate(ALT) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 256);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<4> ab_next;
        tk::cursor<1> biases_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 256;
            const int n = point.col * 128;

            // gemm_bias.tk:22: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 128, 128> acc;
            tk::zero(acc);

            // gemm_bias.tk:23: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
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

            // gemm_bias.tk:24: let x = acc + consume biases;
            const tk::cursor<1> biases_element = shared.biases.take(biases_next);

            // gemm_bias.tk:25: tma_store(C[m, n], bf16(if GELU { gelu(x) } else { x }));
            tk::row_fragment<float, 128> t1;
            tk::map(t1, thread, [&](int, int col) {
                return float(tk::get(shared.biases_tile[biases_element.stage], 0, col));
            });
            shared.biases.release_after_loads(biases_element);
            tk::fragment<tk::bf16, 128, 128> t0;
            tk::map(t0, [](float acc, float t1) { return acc + float(t1); }, acc, t1);
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                tk::store_shared(shared.consumer_C[warpgroup], tk::window<128, 64>(t0, 0, panel),
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

// gemm_bias_turns: kernel gemm_bias with GELU = false, BM = 128, BN = 160, BK = 64, CM = 1, WG = 2,
// S = 4, ALT = true.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups that alternate, 240 registers a
// thread.
// 384 threads, 168 registers each at first, 230480 bytes of shared memory; persistent.
struct gemm_bias_turns_shared {
    tk::shared_tile<tk::bf16, 128, 64> ab_a[4];
    tk::shared_tile<tk::bf16, 160, 64> ab_b[4];
    tk::shared_tile<tk::bf16, 1, 160> biases_tile[1];
    tk::shared_tile<tk::bf16, 128, 32> consumer_C[10];
    unsigned char unused[512];
    tk::pipeline<4> ab;
    tk::pipeline<1> biases;
};
static_assert(offsetof(gemm_bias_turns_shared, biases) == 230464);

__global__ void __launch_bounds__(384, 1) gemm_bias_turns_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap bias_map, const __grid_constant__ CUtensorMap C_map,
    const tk::tensor_argument<tk::bf16, 2> C, int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_bias_turns_shared& shared = *reinterpret_cast<gemm_bias_turns_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, bias_map, C_map);
        shared.ab.init(1, 4);
        shared.biases.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_bias.tk:17: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 160);
        const int programs = m_tiles * n_tiles;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<4> ab_next;
            tk::cursor<1> biases_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 128;
                const int n = point.col * 160;

                // gemm_bias.tk:18: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 64) {
                    shared.ab.begin(ab_next, 36864);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 n, k);
                    ab_next.advance();
                }

                // gemm_bias.tk:19: produce biases = tma_load(bias[n]);
                shared.biases.begin(biases_next, 320);
                tk::tma_load(shared.biases_tile[biases_next.stage], bias_map,
                             shared.biases.full[biases_next.stage], n);
                biases_next.advance();
            }
        }
    } else {
        // gemm_bias.tk:21: role consumer(WG warpgroups) alternate(ALT) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 160);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<4> ab_next;
        tk::cursor<1> biases_next;
        // Warpgroup 0 has the first turn.
        if (warpgroup == 1) tk::barrier_arrive(3, 256);
        const int ab_taken = tk::divide_up(K, 64);
        ab_next.skip(warpgroup * ab_taken);
        const int biases_taken = 1;
        biases_next.skip(warpgroup * biases_taken);
        for (int program = blockIdx.x + warpgroup * gridDim.x; program < programs;
             program += 2 * gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * 160;

            // gemm_bias.tk:22: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 128, 160> acc;
            tk::zero(acc);

            // gemm_bias.tk:23: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
            tk::barrier_sync(3 + warpgroup, 256);
            tk::cursor<4> previous_ab;
            for (int k = 0; k < K; k += 64) {
                const tk::cursor<4> s = shared.ab.take(ab_next);
                tk::mma_async(acc, shared.ab_a[s.stage], tk::transposed(shared.ab_b[s.stage]));
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_bias.tk:24: let x = acc + consume biases;
            const tk::cursor<1> biases_element = shared.biases.take(biases_next);
            tk::barrier_arrive(4 - warpgroup, 256);

            // gemm_bias.tk:25: tma_store(C[m, n], bf16(if GELU { gelu(x) } else { x }));
            tk::row_fragment<float, 160> t1;
            tk::map(t1, thread, [&](int, int col) {
                return float(tk::get(shared.biases_tile[biases_element.stage], 0, col));
            });
            shared.biases.release_after_loads(biases_element);
            tk::fragment<tk::bf16, 128, 160> t0;
            tk::map(t0, [](float acc, float t1) { return acc + float(t1); }, acc, t1);
            #pragma unroll
            for (int panel = 0; panel < 160; panel += 32) {
                tk::store_shared(shared.consumer_C[warpgroup * 5 + panel / 32 % 5],
                                 tk::window<128, 32>(t0, 0, panel), thread);
                tk::fence_async();
                if (leader) tk::tma_store_wait_read<3>();
                tk::barrier_sync(1 + warpgroup, 128);
                if (N % 8 != 0 && N < n + panel + 32) {
                    tk::copy_to_global(tk::dense_slice(C, {m, n + panel}, M - m, N - (n + panel)),
                                       shared.consumer_C[warpgroup * 5 + panel / 32 % 5]);
                    if (leader) tk::tma_store_nothing();
                } else if (leader) {
                    tk::tma_store(C_map, shared.consumer_C[warpgroup * 5 + panel / 32 % 5], m,
                                  n + panel);
                }
            }

            // The elements of the programs in between are another warpgroup's.
            ab_next.skip(ab_taken);
            biases_next.skip(biases_taken);
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
        // Whose turn it is takes it, so that no arrival is left over.
        if (warpgroup == tk::turn_behind(programs, 2)) tk::barrier_sync(3 + warpgroup, 256);
    }
}

// gemm_bias_narrow: kernel gemm_bias with GELU = false, BM = 128, BN = 64, BK = 64, CM = 1, WG = 2,
// S = 8, ALT = false.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 214160 bytes of shared memory; persistent.
struct gemm_bias_narrow_shared {
    tk::shared_tile<tk::bf16, 128, 64> ab_a[8];
    tk::shared_tile<tk::bf16, 64, 64> ab_b[8];
    tk::shared_tile<tk::bf16, 1, 64> biases_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[2];
    tk::pipeline<8> ab;
    tk::pipeline<1> biases;
};
static_assert(offsetof(gemm_bias_narrow_shared, biases) == 214144);

__global__ void __launch_bounds__(384, 1) gemm_bias_narrow_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap bias_map, const __grid_constant__ CUtensorMap C_map,
    const tk::tensor_argument<tk::bf16, 2> C, int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_bias_narrow_shared& shared = *reinterpret_cast<gemm_bias_narrow_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, bias_map, C_map);
        shared.ab.init(1, 8);
        shared.biases.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_bias.tk:17: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 64);
        const int programs = m_tiles * n_tiles;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<8> ab_next;
            tk::cursor<1> biases_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 128;
                const int n = point.col * 64;

                // gemm_bias.tk:18: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 64) {
                    shared.ab.begin(ab_next, 24576);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 n, k);
                    ab_next.advance();
                }

                // gemm_bias.tk:19: produce biases = tma_load(bias[n]);
                shared.biases.begin(biases_next, 128);
                tk::tma_load(shared.biases_tile[biases_next.stage], bias_map,
                             shared.biases.full[biases_next.stage], n);
                biases_next.advance();
            }
        }
    } else {
        // gemm_bias.tk:21: role consumer(WG warpgroups) alternate(ALT) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 64);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<8> ab_next;
        tk::cursor<1> biases_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * 64;

            // gemm_bias.tk:22: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 64> acc;
            tk::zero(acc);

            // gemm_bias.tk:23: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
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

            // gemm_bias.tk:24: let x = acc + consume biases;
            const tk::cursor<1> biases_element = shared.biases.take(biases_next);

            // gemm_bias.tk:25: tma_store(C[m, n], bf16(if GELU { gelu(x) } else { x }));
            tk::row_fragment<float, 64> t1;
            tk::map(t1, thread, [&](int, int col) {
                return float(tk::get(shared.biases_tile[biases_element.stage], 0, col));
            });
            shared.biases.release_after_loads(biases_element);
            tk::fragment<tk::bf16, 64, 64> t0;
            tk::map(t0, [](float acc, float t1) { return acc + float(t1); }, acc, t1);
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                tk::store_shared(shared.consumer_C[warpgroup], t0, thread);
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

// gemm_bias_low: kernel gemm_bias with GELU = false, BM = 64, BN = 128, BK = 64, CM = 1, WG = 1, S
// = 8, ALT = false.
// producer: 1 warp, 240 registers a thread; consumer: 1 warpgroup, 240 registers a thread.
// 256 threads, 255 registers each at first, 214160 bytes of shared memory; persistent.
struct gemm_bias_low_shared {
    tk::shared_tile<tk::bf16, 64, 64> ab_a[8];
    tk::shared_tile<tk::bf16, 128, 64> ab_b[8];
    tk::shared_tile<tk::bf16, 1, 128> biases_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[2];
    tk::pipeline<8> ab;
    tk::pipeline<1> biases;
};
static_assert(offsetof(gemm_bias_low_shared, biases) == 214144);

__global__ void __launch_bounds__(256, 1) gemm_bias_low_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap bias_map, const __grid_constant__ CUtensorMap C_map,
    const tk::tensor_argument<tk::bf16, 2> C, int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_bias_low_shared& shared = *reinterpret_cast<gemm_bias_low_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, bias_map, C_map);
        shared.ab.init(1, 4);
        shared.biases.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 4) {
        // gemm_bias.tk:17: role producer(1 warp) {
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(M, 64);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        if (warp == 4 && tk::elect_one()) {
            tk::cursor<8> ab_next;
            tk::cursor<1> biases_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 64;
                const int n = point.col * 128;

                // gemm_bias.tk:18: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 64) {
                    shared.ab.begin(ab_next, 24576);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 n, k);
                    ab_next.advance();
                }

                // gemm_bias.tk:19: produce biases = tma_load(bias[n]);
                shared.biases.begin(biases_next, 256);
                tk::tma_load(shared.biases_tile[biases_next.stage], bias_map,
                             shared.biases.full[biases_next.stage], n);
                biases_next.advance();
            }
        }
    } else {
        // gemm_bias.tk:21: role consumer(WG warpgroups) alternate(ALT) {
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(M, 64);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<8> ab_next;
        tk::cursor<1> biases_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 64;
            const int n = point.col * 128;

            // gemm_bias.tk:22: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 128> acc;
            tk::zero(acc);

            // gemm_bias.tk:23: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
            tk::cursor<8> previous_ab;
            for (int k = 0; k < K; k += 64) {
                const tk::cursor<8> s = shared.ab.take(ab_next);
                tk::mma_async(acc, shared.ab_a[s.stage], tk::transposed(shared.ab_b[s.stage]));
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_bias.tk:24: let x = acc + consume biases;
            const tk::cursor<1> biases_element = shared.biases.take(biases_next);

            // gemm_bias.tk:25: tma_store(C[m, n], bf16(if GELU { gelu(x) } else { x }));
            tk::row_fragment<float, 128> t1;
            tk::map(t1, thread, [&](int, int col) {
                return float(tk::get(shared.biases_tile[biases_element.stage], 0, col));
            });
            shared.biases.release_after_loads(biases_element);
            tk::fragment<tk::bf16, 64, 128> t0;
            tk::map(t0, [](float acc, float t1) { return acc + float(t1); }, acc, t1);
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                tk::store_shared(shared.consumer_C[panel / 64 % 2],
                                 tk::window<64, 64>(t0, 0, panel), thread);
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

// gemm_bias_low_64: kernel gemm_bias with GELU = false, BM = 64, BN = 64, BK = 64, CM = 1, WG = 1,
// S = 12, ALT = false.
// producer: 1 warp, 240 registers a thread; consumer: 1 warpgroup, 240 registers a thread.
// 256 threads, 255 registers each at first, 206032 bytes of shared memory; persistent.
struct gemm_bias_low_64_shared {
    tk::shared_tile<tk::bf16, 64, 64> ab_a[12];
    tk::shared_tile<tk::bf16, 64, 64> ab_b[12];
    tk::shared_tile<tk::bf16, 1, 64> biases_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[1];
    tk::pipeline<12> ab;
    tk::pipeline<1> biases;
};
static_assert(offsetof(gemm_bias_low_64_shared, biases) == 206016);

__global__ void __launch_bounds__(256, 1) gemm_bias_low_64_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap bias_map, const __grid_constant__ CUtensorMap C_map,
    const tk::tensor_argument<tk::bf16, 2> C, int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_bias_low_64_shared& shared = *reinterpret_cast<gemm_bias_low_64_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, bias_map, C_map);
        shared.ab.init(1, 4);
        shared.biases.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 4) {
        // gemm_bias.tk:17: role producer(1 warp) {
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(M, 64);
        const int n_tiles = tk::tiles(N, 64);
        const int programs = m_tiles * n_tiles;
        if (warp == 4 && tk::elect_one()) {
            tk::cursor<12> ab_next;
            tk::cursor<1> biases_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 64;
                const int n = point.col * 64;

                // gemm_bias.tk:18: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 64) {
                    shared.ab.begin(ab_next, 16384);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 n, k);
                    ab_next.advance();
                }

                // gemm_bias.tk:19: produce biases = tma_load(bias[n]);
                shared.biases.begin(biases_next, 128);
                tk::tma_load(shared.biases_tile[biases_next.stage], bias_map,
                             shared.biases.full[biases_next.stage], n);
                biases_next.advance();
            }
        }
    } else {
        // gemm_bias.tk:21: role consumer(WG warpgroups) alternate(ALT) {
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(M, 64);
        const int n_tiles = tk::tiles(N, 64);
        const int programs = m_tiles * n_tiles;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<12> ab_next;
        tk::cursor<1> biases_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 64;
            const int n = point.col * 64;

            // gemm_bias.tk:22: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 64> acc;
            tk::zero(acc);

            // gemm_bias.tk:23: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
            tk::cursor<12> previous_ab;
            for (int k = 0; k < K; k += 64) {
                const tk::cursor<12> s = shared.ab.take(ab_next);
                tk::mma_async(acc, shared.ab_a[s.stage], tk::transposed(shared.ab_b[s.stage]));
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_bias.tk:24: let x = acc + consume biases;
            const tk::cursor<1> biases_element = shared.biases.take(biases_next);

            // gemm_bias.tk:25: tma_store(C[m, n], bf16(if GELU { gelu(x) } else { x }));
            tk::row_fragment<float, 64> t1;
            tk::map(t1, thread, [&](int, int col) {
                return float(tk::get(shared.biases_tile[biases_element.stage], 0, col));
            });
            shared.biases.release_after_loads(biases_element);
            tk::fragment<tk::bf16, 64, 64> t0;
            tk::map(t0, [](float acc, float t1) { return acc + float(t1); }, acc, t1);
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
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

// gemm_bias_low_32: kernel gemm_bias with GELU = false, BM = 64, BN = 32, BK = 64, CM = 1, WG = 1,
// S = 16, ALT = false.
// producer: 1 warp, 240 registers a thread; consumer: 1 warpgroup, 240 registers a thread.
// 256 threads, 255 registers each at first, 202000 bytes of shared memory; persistent.
struct gemm_bias_low_32_shared {
    tk::shared_tile<tk::bf16, 64, 64> ab_a[16];
    tk::shared_tile<tk::bf16, 32, 64> ab_b[16];
    tk::shared_tile<tk::bf16, 1, 32> biases_tile[1];
    tk::shared_tile<tk::bf16, 64, 32> consumer_C[1];
    unsigned char unused[512];
    tk::pipeline<16> ab;
    tk::pipeline<1> biases;
};
static_assert(offsetof(gemm_bias_low_32_shared, biases) == 201984);

__global__ void __launch_bounds__(256, 1) gemm_bias_low_32_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap bias_map, const __grid_constant__ CUtensorMap C_map,
    const tk::tensor_argument<tk::bf16, 2> C, int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_bias_low_32_shared& shared = *reinterpret_cast<gemm_bias_low_32_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, bias_map, C_map);
        shared.ab.init(1, 4);
        shared.biases.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 4) {
        // gemm_bias.tk:17: role producer(1 warp) {
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(M, 64);
        const int n_tiles = tk::tiles(N, 32);
        const int programs = m_tiles * n_tiles;
        if (warp == 4 && tk::elect_one()) {
            tk::cursor<16> ab_next;
            tk::cursor<1> biases_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 64;
                const int n = point.col * 32;

                // gemm_bias.tk:18: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 64) {
                    shared.ab.begin(ab_next, 12288);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 n, k);
                    ab_next.advance();
                }

                // gemm_bias.tk:19: produce biases = tma_load(bias[n]);
                shared.biases.begin(biases_next, 64);
                tk::tma_load(shared.biases_tile[biases_next.stage], bias_map,
                             shared.biases.full[biases_next.stage], n);
                biases_next.advance();
            }
        }
    } else {
        // gemm_bias.tk:21: role consumer(WG warpgroups) alternate(ALT) {
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(M, 64);
        const int n_tiles = tk::tiles(N, 32);
        const int programs = m_tiles * n_tiles;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<16> ab_next;
        tk::cursor<1> biases_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 64;
            const int n = point.col * 32;

            // gemm_bias.tk:22: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 32> acc;
            tk::zero(acc);

            // gemm_bias.tk:23: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
            tk::cursor<16> previous_ab;
            for (int k = 0; k < K; k += 64) {
                const tk::cursor<16> s = shared.ab.take(ab_next);
                tk::mma_async(acc, shared.ab_a[s.stage], tk::transposed(shared.ab_b[s.stage]));
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_bias.tk:24: let x = acc + consume biases;
            const tk::cursor<1> biases_element = shared.biases.take(biases_next);

            // gemm_bias.tk:25: tma_store(C[m, n], bf16(if GELU { gelu(x) } else { x }));
            tk::row_fragment<float, 32> t1;
            tk::map(t1, thread, [&](int, int col) {
                return float(tk::get(shared.biases_tile[biases_element.stage], 0, col));
            });
            shared.biases.release_after_loads(biases_element);
            tk::fragment<tk::bf16, 64, 32> t0;
            tk::map(t0, [](float acc, float t1) { return acc + float(t1); }, acc, t1);
            #pragma unroll
            for (int panel = 0; panel < 32; panel += 32) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                tk::store_shared(shared.consumer_C[0], t0, thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if (N % 8 != 0 && N < n + panel + 32) {
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

// gemm_bias_gelu: kernel gemm_bias with GELU = true, BM = 128, BN = 256, BK = 64, CM = 1, WG = 2, S
// = 4, ALT = false.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 230480 bytes of shared memory; persistent:
// gemm_bias_gelu_kernel<4, 256, 49152, 512>.
// gemm_bias_gelu_square: kernel gemm_bias with GELU = true, BM = 128, BN = 128, BK = 64, CM = 1, WG
// = 2, S = 6, ALT = false.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 230512 bytes of shared memory; persistent:
// gemm_bias_gelu_kernel<6, 128, 32768, 256>.
template <int S, int BN>
struct gemm_bias_gelu_shared {
    tk::shared_tile<tk::bf16, 128, 64> ab_a[S];
    tk::shared_tile<tk::bf16, BN, 64> ab_b[S];
    tk::shared_tile<tk::bf16, 1, BN> biases_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[4];
    tk::pipeline<S> ab;
    tk::pipeline<1> biases;
};
static_assert(__builtin_offsetof(gemm_bias_gelu_shared<4, 256>, biases) == 230464);
static_assert(__builtin_offsetof(gemm_bias_gelu_shared<6, 128>, biases) == 230496);

template <int S, int BN, int bytes, int bytes_2>
__global__ void __launch_bounds__(384, 1) gemm_bias_gelu_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap bias_map, const __grid_constant__ CUtensorMap C_map,
    const tk::tensor_argument<tk::bf16, 2> C, int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_bias_gelu_shared<S, BN>& shared = *reinterpret_cast<gemm_bias_gelu_shared<S, BN>*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, bias_map, C_map);
        shared.ab.init(1, 8);
        shared.biases.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_bias.tk:17: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, BN);
        const int programs = m_tiles * n_tiles;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<S> ab_next;
            tk::cursor<1> biases_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 128;
                const int n = point.col * BN;

                // gemm_bias.tk:18: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 64) {
                    shared.ab.begin(ab_next, bytes);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 n, k);
                    ab_next.advance();
                }

                // gemm_bias.tk:19: produce biases = tma_load(bias[n]);
                shared.biases.begin(biases_next, bytes_2);
                tk::tma_load(shared.biases_tile[biases_next.stage], bias_map,
                             shared.biases.full[biases_next.stage], n);
                biases_next.advance();
            }
        }
    } else {
        // gemm_bias.tk:21: role consumer(WG warpgroups) alternate(ALT) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, BN);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<S> ab_next;
        tk::cursor<1> biases_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * BN;

            // gemm_bias.tk:22: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, BN> acc;
            tk::zero(acc);

            // gemm_bias.tk:23: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
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

            // gemm_bias.tk:24: let x = acc + consume biases;
            const tk::cursor<1> biases_element = shared.biases.take(biases_next);

            // gemm_bias.tk:25: tma_store(C[m, n], bf16(if GELU { gelu(x) } else { x }));
            tk::row_fragment<float, BN> t1;
            tk::map(t1, thread, [&](int, int col) {
                return float(tk::get(shared.biases_tile[biases_element.stage], 0, col));
            });
            shared.biases.release_after_loads(biases_element);
            tk::fragment<tk::bf16, 64, BN> t0;
            tk::map(t0, [](float acc, float t1) {
                const float x_2 = acc + float(t1);
                return 0.5f * x_2 *
                    (1.0f + tk::tanh(0.7978846f * tk::fma(0.044715f * x_2 * x_2, x_2, x_2)));
            }, acc, t1);
            #pragma unroll
            for (int panel = 0; panel < BN; panel += 64) {
                tk::store_shared(shared.consumer_C[warpgroup * 2 + panel / 64 % 2],
                                 tk::window<64, 64>(t0, 0, panel), thread);
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

// gemm_bias_gelu_tall: kernel gemm_bias with GELU = true, BM = 256, BN = 128, BK = 64, CM = 1, WG =
// 2, S = 4, ALT = false.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 230480 bytes of shared memory; persistent.
struct gemm_bias_gelu_tall_shared {
    tk::shared_tile<tk::bf16, 256, 64> ab_a[4];
    tk::shared_tile<tk::bf16, 128, 64> ab_b[4];
    tk::shared_tile<tk::bf16, 1, 128> biases_tile[1];
    tk::shared_tile<tk::bf16, 128, 64> consumer_C[2];
    tk::pipeline<4> ab;
    tk::pipeline<1> biases;
};
static_assert(offsetof(gemm_bias_gelu_tall_shared, biases) == 230464);

__global__ void __launch_bounds__(384, 1) gemm_bias_gelu_tall_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap bias_map, const __grid_constant__ CUtensorMap C_map,
    const tk::tensor_argument<tk::bf16, 2> C, int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_bias_gelu_tall_shared& shared = *reinterpret_cast<gemm_bias_gelu_tall_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, bias_map, C_map);
        shared.ab.init(1, 8);
        shared.biases.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_bias.tk:17: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 256);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<4> ab_next;
            tk::cursor<1> biases_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 256;
                const int n = point.col * 128;

                // gemm_bias.tk:18: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 64) {
                    shared.ab.begin(ab_next, 49152);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 n, k);
                    ab_next.advance();
                }

                // gemm_bias.tk:19: produce biases = tma_load(bias[n]);
                shared.biases.begin(biases_next, 256);
                tk::tma_load(shared.biases_tile[biases_next.stage], bias_map,
                             shared.biases.full[biases_next.stage], n);
                biases_next.advance();
            }
        }
    } else {
        // gemm_bias.tk:21: role consumer(WG warpgroups) alternate(ALT) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 256);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<4> ab_next;
        tk::cursor<1> biases_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 256;
            const int n = point.col * 128;

            // gemm_bias.tk:22: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 128, 128> acc;
            tk::zero(acc);

            // gemm_bias.tk:23: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
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

            // gemm_bias.tk:24: let x = acc + consume biases;
            const tk::cursor<1> biases_element = shared.biases.take(biases_next);

            // gemm_bias.tk:25: tma_store(C[m, n], bf16(if GELU { gelu(x) } else { x }));
            tk::row_fragment<float, 128> t1;
            tk::map(t1, thread, [&](int, int col) {
                return float(tk::get(shared.biases_tile[biases_element.stage], 0, col));
            });
            shared.biases.release_after_loads(biases_element);
            tk::fragment<tk::bf16, 128, 128> t0;
            tk::map(t0, [](float acc, float t1) {
                const float x_2 = acc + float(t1);
                return 0.5f * x_2 *
                    (1.0f + tk::tanh(0.7978846f * tk::fma(0.044715f * x_2 * x_2, x_2, x_2)));
            }, acc, t1);
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                tk::store_shared(shared.consumer_C[warpgroup], tk::window<128, 64>(t0, 0, panel),
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

// gemm_bias_gelu_turns: kernel gemm_bias with GELU = true, BM = 128, BN = 160, BK = 64, CM = 1, WG
// = 2, S = 4, ALT = true.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups that alternate, 240 registers a
// thread.
// 384 threads, 168 registers each at first, 230480 bytes of shared memory; persistent.
struct gemm_bias_gelu_turns_shared {
    tk::shared_tile<tk::bf16, 128, 64> ab_a[4];
    tk::shared_tile<tk::bf16, 160, 64> ab_b[4];
    tk::shared_tile<tk::bf16, 1, 160> biases_tile[1];
    tk::shared_tile<tk::bf16, 128, 32> consumer_C[10];
    unsigned char unused[512];
    tk::pipeline<4> ab;
    tk::pipeline<1> biases;
};
static_assert(offsetof(gemm_bias_gelu_turns_shared, biases) == 230464);

__global__ void __launch_bounds__(384, 1) gemm_bias_gelu_turns_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap bias_map, const __grid_constant__ CUtensorMap C_map,
    const tk::tensor_argument<tk::bf16, 2> C, int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_bias_gelu_turns_shared& shared = *reinterpret_cast<gemm_bias_gelu_turns_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, bias_map, C_map);
        shared.ab.init(1, 4);
        shared.biases.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_bias.tk:17: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 160);
        const int programs = m_tiles * n_tiles;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<4> ab_next;
            tk::cursor<1> biases_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 128;
                const int n = point.col * 160;

                // gemm_bias.tk:18: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 64) {
                    shared.ab.begin(ab_next, 36864);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 n, k);
                    ab_next.advance();
                }

                // gemm_bias.tk:19: produce biases = tma_load(bias[n]);
                shared.biases.begin(biases_next, 320);
                tk::tma_load(shared.biases_tile[biases_next.stage], bias_map,
                             shared.biases.full[biases_next.stage], n);
                biases_next.advance();
            }
        }
    } else {
        // gemm_bias.tk:21: role consumer(WG warpgroups) alternate(ALT) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 160);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<4> ab_next;
        tk::cursor<1> biases_next;
        // Warpgroup 0 has the first turn.
        if (warpgroup == 1) tk::barrier_arrive(3, 256);
        const int ab_taken = tk::divide_up(K, 64);
        ab_next.skip(warpgroup * ab_taken);
        const int biases_taken = 1;
        biases_next.skip(warpgroup * biases_taken);
        for (int program = blockIdx.x + warpgroup * gridDim.x; program < programs;
             program += 2 * gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * 160;

            // gemm_bias.tk:22: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 128, 160> acc;
            tk::zero(acc);

            // gemm_bias.tk:23: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
            tk::barrier_sync(3 + warpgroup, 256);
            tk::cursor<4> previous_ab;
            for (int k = 0; k < K; k += 64) {
                const tk::cursor<4> s = shared.ab.take(ab_next);
                tk::mma_async(acc, shared.ab_a[s.stage], tk::transposed(shared.ab_b[s.stage]));
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_bias.tk:24: let x = acc + consume biases;
            const tk::cursor<1> biases_element = shared.biases.take(biases_next);
            tk::barrier_arrive(4 - warpgroup, 256);

            // gemm_bias.tk:25: tma_store(C[m, n], bf16(if GELU { gelu(x) } else { x }));
            tk::row_fragment<float, 160> t1;
            tk::map(t1, thread, [&](int, int col) {
                return float(tk::get(shared.biases_tile[biases_element.stage], 0, col));
            });
            shared.biases.release_after_loads(biases_element);
            tk::fragment<tk::bf16, 128, 160> t0;
            tk::map(t0, [](float acc, float t1) {
                const float x_2 = acc + float(t1);
                return 0.5f * x_2 *
                    (1.0f + tk::tanh(0.7978846f * tk::fma(0.044715f * x_2 * x_2, x_2, x_2)));
            }, acc, t1);
            #pragma unroll
            for (int panel = 0; panel < 160; panel += 32) {
                tk::store_shared(shared.consumer_C[warpgroup * 5 + panel / 32 % 5],
                                 tk::window<128, 32>(t0, 0, panel), thread);
                tk::fence_async();
                if (leader) tk::tma_store_wait_read<3>();
                tk::barrier_sync(1 + warpgroup, 128);
                if (N % 8 != 0 && N < n + panel + 32) {
                    tk::copy_to_global(tk::dense_slice(C, {m, n + panel}, M - m, N - (n + panel)),
                                       shared.consumer_C[warpgroup * 5 + panel / 32 % 5]);
                    if (leader) tk::tma_store_nothing();
                } else if (leader) {
                    tk::tma_store(C_map, shared.consumer_C[warpgroup * 5 + panel / 32 % 5], m,
                                  n + panel);
                }
            }

            // The elements of the programs in between are another warpgroup's.
            ab_next.skip(ab_taken);
            biases_next.skip(biases_taken);
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
        // Whose turn it is takes it, so that no arrival is left over.
        if (warpgroup == tk::turn_behind(programs, 2)) tk::barrier_sync(3 + warpgroup, 256);
    }
}

// gemm_bias_gelu_low: kernel gemm_bias with GELU = true, BM = 64, BN = 128, BK = 64, CM = 1, WG =
// 1, S = 8, ALT = false.
// producer: 1 warp, 240 registers a thread; consumer: 1 warpgroup, 240 registers a thread.
// 256 threads, 255 registers each at first, 214160 bytes of shared memory; persistent.
struct gemm_bias_gelu_low_shared {
    tk::shared_tile<tk::bf16, 64, 64> ab_a[8];
    tk::shared_tile<tk::bf16, 128, 64> ab_b[8];
    tk::shared_tile<tk::bf16, 1, 128> biases_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[2];
    tk::pipeline<8> ab;
    tk::pipeline<1> biases;
};
static_assert(offsetof(gemm_bias_gelu_low_shared, biases) == 214144);

__global__ void __launch_bounds__(256, 1) gemm_bias_gelu_low_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap bias_map, const __grid_constant__ CUtensorMap C_map,
    const tk::tensor_argument<tk::bf16, 2> C, int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_bias_gelu_low_shared& shared = *reinterpret_cast<gemm_bias_gelu_low_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, bias_map, C_map);
        shared.ab.init(1, 4);
        shared.biases.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 4) {
        // gemm_bias.tk:17: role producer(1 warp) {
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(M, 64);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        if (warp == 4 && tk::elect_one()) {
            tk::cursor<8> ab_next;
            tk::cursor<1> biases_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 64;
                const int n = point.col * 128;

                // gemm_bias.tk:18: for k in K by BK { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 64) {
                    shared.ab.begin(ab_next, 24576);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 n, k);
                    ab_next.advance();
                }

                // gemm_bias.tk:19: produce biases = tma_load(bias[n]);
                shared.biases.begin(biases_next, 256);
                tk::tma_load(shared.biases_tile[biases_next.stage], bias_map,
                             shared.biases.full[biases_next.stage], n);
                biases_next.advance();
            }
        }
    } else {
        // gemm_bias.tk:21: role consumer(WG warpgroups) alternate(ALT) {
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(M, 64);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<8> ab_next;
        tk::cursor<1> biases_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 64;
            const int n = point.col * 128;

            // gemm_bias.tk:22: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 128> acc;
            tk::zero(acc);

            // gemm_bias.tk:23: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
            tk::cursor<8> previous_ab;
            for (int k = 0; k < K; k += 64) {
                const tk::cursor<8> s = shared.ab.take(ab_next);
                tk::mma_async(acc, shared.ab_a[s.stage], tk::transposed(shared.ab_b[s.stage]));
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_bias.tk:24: let x = acc + consume biases;
            const tk::cursor<1> biases_element = shared.biases.take(biases_next);

            // gemm_bias.tk:25: tma_store(C[m, n], bf16(if GELU { gelu(x) } else { x }));
            tk::row_fragment<float, 128> t1;
            tk::map(t1, thread, [&](int, int col) {
                return float(tk::get(shared.biases_tile[biases_element.stage], 0, col));
            });
            shared.biases.release_after_loads(biases_element);
            tk::fragment<tk::bf16, 64, 128> t0;
            tk::map(t0, [](float acc, float t1) {
                const float x_2 = acc + float(t1);
                return 0.5f * x_2 *
                    (1.0f + tk::tanh(0.7978846f * tk::fma(0.044715f * x_2 * x_2, x_2, x_2)));
            }, acc, t1);
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                tk::store_shared(shared.consumer_C[panel / 64 % 2],
                                 tk::window<64, 64>(t0, 0, panel), thread);
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

namespace {
int run_gemm_bias(const char* function, tk::candidates offered, const DLTensor* A_given,
                  const DLTensor* B_given, const DLTensor* bias_given, DLTensor* C_given,
                  cudaStream_t stream) {
    tk::arguments call{function};
    const tk::tensor A = call.take("A", A_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor B = call.take("B", B_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor bias = call.take("bias", bias_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = A.shape[0];
    const int64_t K = A.shape[1];
    const int64_t N = B.shape[0];
    call.require(
        {tk::same_extent("K", A, 1, B, 1), tk::same_extent("N", B, 0, bias, 0),
         tk::same_extent("M", A, 0, C, 0), tk::same_extent("N", B, 0, C, 1),
         tk::extents_fit({{"M", M}, {"K", K}, {"N", N}}), tk::suits_tma_load(A, "K"),
         tk::suits_tma_load(B, "K"), tk::suits_tma_load(bias, "N"), tk::suits_tma_store(C, "N")});
    if (!call.ok()) return tk::finish(call.result());

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call, offered};
    choice.candidate();  // gemm_bias
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)),
                 1500 + (tk::larger(0, bias.stride[0] % 64 == 0 ? 10 : 16) + 792) + 1824 +
                 tk::multiply(
                     tk::larger(1024,
                                (A.stride[0] % 64 == 0 ? 304 : 482) +
                                (B.stride[0] % 64 == 0 ? 607 : 964)) + 20, tk::ceil_div(K, 64)),
                 2147418112);
    choice.candidate();  // gemm_bias_square
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
                 1500 + (tk::larger(0, bias.stride[0] % 64 == 0 ? 5 : 8) + 406) + 912 +
                 tk::multiply(
                     tk::larger(512,
                                (A.stride[0] % 64 == 0 ? 304 : 482) +
                                (B.stride[0] % 64 == 0 ? 304 : 482)) + 20, tk::ceil_div(K, 64)),
                 2147418112);
    choice.candidate();  // gemm_bias_pairs
    choice.offer(tk::ceil_div(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), 2) * 2,
                 1500 + (tk::larger(0, bias.stride[0] % 64 == 0 ? 10 : 16) + 792) + 1824 +
                 tk::multiply(tk::larger(1024, (A.stride[0] % 64 == 0 ? 304 : 482) + 607) + 20,
                              tk::ceil_div(K, 64)), 2147418112);
    choice.candidate();  // gemm_bias_tall
    choice.offer(tk::multiply(tk::ceil_div(M, 256), tk::ceil_div(N, 128)),
                 1500 + (tk::larger(0, bias.stride[0] % 64 == 0 ? 5 : 8) + 790) + 1824 +
                 tk::multiply(
                     tk::larger(1024,
                                (A.stride[0] % 64 == 0 ? 607 : 964) +
                                (B.stride[0] % 64 == 0 ? 304 : 482)) + 20, tk::ceil_div(K, 64)),
                 2147418112);
    choice.candidate();  // gemm_bias_turns
    choice.offer(
        tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 160)),
        tk::larger(
            tk::multiply(
                tk::larger(640,
                           (A.stride[0] % 64 == 0 ? 304 : 482) +
                           (B.stride[0] % 64 == 0 ? 380 : 603)) + 20, tk::ceil_div(K, 64)),
            tk::ceil_div(1500 + (tk::larger(0, bias.stride[0] % 64 == 0 ? 6 : 10) + 503) + 1140 +
                         tk::multiply(
                             tk::larger(640,
                                        (A.stride[0] % 64 == 0 ? 304 : 482) +
                                        (B.stride[0] % 64 == 0 ? 380 : 603)) + 20,
                             tk::ceil_div(K, 64)), 2)) +
        tk::ceil_div(1500 + (tk::larger(0, bias.stride[0] % 64 == 0 ? 6 : 10) + 503) + 1140 +
                     tk::multiply(
                         tk::larger(640,
                                    (A.stride[0] % 64 == 0 ? 304 : 482) +
                                    (B.stride[0] % 64 == 0 ? 380 : 603)) + 20,
                         tk::ceil_div(K, 64)) -
                     tk::larger(
                         tk::multiply(
                             tk::larger(640,
                                        (A.stride[0] % 64 == 0 ? 304 : 482) +
                                        (B.stride[0] % 64 == 0 ? 380 : 603)) + 20,
                             tk::ceil_div(K, 64)),
                         tk::ceil_div(1500 +
                                      (tk::larger(0, bias.stride[0] % 64 == 0 ? 6 : 10) + 503) +
                                      1140 +
                                      tk::multiply(
                                          tk::larger(640,
                                                     (A.stride[0] % 64 == 0 ? 304 : 482) +
                                                     (B.stride[0] % 64 == 0 ? 380 : 603)) + 20,
                                          tk::ceil_div(K, 64)), 2)),
                     tk::larger(
                         tk::ceil_div(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 160)),
                                      132), 1)), 2147418112);
    choice.candidate();  // gemm_bias_narrow
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 64)),
                 1500 + (tk::larger(0, bias.stride[0] % 64 == 0 ? 3 : 4) + 669) +
                 tk::multiply(
                     tk::larger(256,
                                (A.stride[0] % 64 == 0 ? 304 : 482) +
                                (B.stride[0] % 64 == 0 ? 152 : 241)) + 20, tk::ceil_div(K, 64)),
                 2147418112);
    choice.candidate();  // gemm_bias_low
    choice.offer(tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 128)),
                 1500 + (tk::larger(0, bias.stride[0] % 64 == 0 ? 5 : 8) + 214) + 456 +
                 tk::multiply(
                     tk::larger(256,
                                (A.stride[0] % 64 == 0 ? 152 : 241) +
                                (B.stride[0] % 64 == 0 ? 304 : 482)) + 20, tk::ceil_div(K, 64)),
                 2147418112);
    choice.candidate();  // gemm_bias_low_64
    choice.offer(tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 64)),
                 1500 + (tk::larger(0, bias.stride[0] % 64 == 0 ? 3 : 4) + 345) +
                 tk::multiply(
                     tk::larger(128,
                                (A.stride[0] % 64 == 0 ? 152 : 241) +
                                (B.stride[0] % 64 == 0 ? 152 : 241)) + 20, tk::ceil_div(K, 64)),
                 2147418112);
    choice.candidate();  // gemm_bias_low_32
    choice.offer(tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 32)),
                 1500 + (tk::larger(0, bias.stride[0] % 64 == 0 ? 2 : 2) + 183) +
                 tk::multiply(
                     tk::larger(96,
                                (A.stride[0] % 64 == 0 ? 152 : 241) +
                                (B.stride[0] % 64 == 0 ? 76 : 121)) + 20, tk::ceil_div(K, 64)),
                 2147418112);
    choice.candidate();  // gemm_bias_gelu
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)),
                 1500 + (tk::larger(0, bias.stride[0] % 64 == 0 ? 10 : 16) + 6680) + 1824 +
                 tk::multiply(
                     tk::larger(1024,
                                (A.stride[0] % 64 == 0 ? 304 : 482) +
                                (B.stride[0] % 64 == 0 ? 607 : 964)) + 20, tk::ceil_div(K, 64)),
                 2147418112);
    choice.candidate();  // gemm_bias_gelu_square
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
                 1500 + (tk::larger(0, bias.stride[0] % 64 == 0 ? 5 : 8) + 3350) + 912 +
                 tk::multiply(
                     tk::larger(512,
                                (A.stride[0] % 64 == 0 ? 304 : 482) +
                                (B.stride[0] % 64 == 0 ? 304 : 482)) + 20, tk::ceil_div(K, 64)),
                 2147418112);
    choice.candidate();  // gemm_bias_gelu_tall
    choice.offer(tk::multiply(tk::ceil_div(M, 256), tk::ceil_div(N, 128)),
                 1500 + (tk::larger(0, bias.stride[0] % 64 == 0 ? 5 : 8) + 6678) + 1824 +
                 tk::multiply(
                     tk::larger(1024,
                                (A.stride[0] % 64 == 0 ? 607 : 964) +
                                (B.stride[0] % 64 == 0 ? 304 : 482)) + 20, tk::ceil_div(K, 64)),
                 2147418112);
    choice.candidate();  // gemm_bias_gelu_turns
    choice.offer(
        tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 160)),
        tk::larger(
            tk::multiply(
                tk::larger(640,
                           (A.stride[0] % 64 == 0 ? 304 : 482) +
                           (B.stride[0] % 64 == 0 ? 380 : 603)) + 20, tk::ceil_div(K, 64)),
            tk::ceil_div(1500 + (tk::larger(0, bias.stride[0] % 64 == 0 ? 6 : 10) + 4183) + 1140 +
                         tk::multiply(
                             tk::larger(640,
                                        (A.stride[0] % 64 == 0 ? 304 : 482) +
                                        (B.stride[0] % 64 == 0 ? 380 : 603)) + 20,
                             tk::ceil_div(K, 64)), 2)) +
        tk::ceil_div(1500 + (tk::larger(0, bias.stride[0] % 64 == 0 ? 6 : 10) + 4183) + 1140 +
                     tk::multiply(
                         tk::larger(640,
                                    (A.stride[0] % 64 == 0 ? 304 : 482) +
                                    (B.stride[0] % 64 == 0 ? 380 : 603)) + 20,
                         tk::ceil_div(K, 64)) -
                     tk::larger(
                         tk::multiply(
                             tk::larger(640,
                                        (A.stride[0] % 64 == 0 ? 304 : 482) +
                                        (B.stride[0] % 64 == 0 ? 380 : 603)) + 20,
                             tk::ceil_div(K, 64)),
                         tk::ceil_div(1500 +
                                      (tk::larger(0, bias.stride[0] % 64 == 0 ? 6 : 10) + 4183) +
                                      1140 +
                                      tk::multiply(
                                          tk::larger(640,
                                                     (A.stride[0] % 64 == 0 ? 304 : 482) +
                                                     (B.stride[0] % 64 == 0 ? 380 : 603)) + 20,
                                          tk::ceil_div(K, 64)), 2)),
                     tk::larger(
                         tk::ceil_div(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 160)),
                                      132), 1)), 2147418112);
    choice.candidate();  // gemm_bias_gelu_low
    choice.offer(tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 128)),
                 1500 + (tk::larger(0, bias.stride[0] % 64 == 0 ? 5 : 8) + 1686) + 456 +
                 tk::multiply(
                     tk::larger(256,
                                (A.stride[0] % 64 == 0 ? 152 : 241) +
                                (B.stride[0] % 64 == 0 ? 304 : 482)) + 20, tk::ceil_div(K, 64)),
                 2147418112);
    if (!choice.ok()) return tk::finish(choice.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    const int best = choice.best(site);
    if (best == 0) {
        return tk::finish(tk::run<gemm_bias_kernel<4, 256, 49152, 512>>(
            site, sizeof(gemm_bias_shared<4, 256>), tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), tk::box{A, {128, 64}, 128},
            tk::box{B, {256, 64}, 128}, tk::box{bias, {256}, 0}, tk::box{C, {64, 64}, 128}, C, M, K,
            N));
    }
    if (best == 1) {
        return tk::finish(tk::run<gemm_bias_kernel<6, 128, 32768, 256>>(
            site, sizeof(gemm_bias_shared<6, 128>), tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), tk::box{A, {128, 64}, 128},
            tk::box{B, {128, 64}, 128}, tk::box{bias, {128}, 0}, tk::box{C, {64, 64}, 128}, C, M, K,
            N));
    }
    if (best == 2) {
        return tk::finish(tk::run<gemm_bias_pairs_kernel>(
            site, sizeof(gemm_bias_pairs_shared),
            tk::kernel_shape(384).in_clusters(2).at_once(1).overlapping(),
            tk::ceil_div(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), 2) * 2,
            tk::box{A, {128, 64}, 128}, tk::box{B, {128, 64}, 128}, tk::box{bias, {256}, 0},
            tk::box{C, {64, 64}, 128}, C, M, K, N));
    }
    if (best == 3) {
        return tk::finish(tk::run<gemm_bias_tall_kernel>(
            site, sizeof(gemm_bias_tall_shared), tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 256), tk::ceil_div(N, 128)), tk::box{A, {256, 64}, 128},
            tk::box{B, {128, 64}, 128}, tk::box{bias, {128}, 0}, tk::box{C, {128, 64}, 128}, C, M,
            K, N));
    }
    if (best == 4) {
        return tk::finish(tk::run<gemm_bias_turns_kernel>(
            site, sizeof(gemm_bias_turns_shared), tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 160)), tk::box{A, {128, 64}, 128},
            tk::box{B, {160, 64}, 128}, tk::box{bias, {160}, 0}, tk::box{C, {128, 32}, 64}, C, M, K,
            N));
    }
    if (best == 5) {
        return tk::finish(tk::run<gemm_bias_narrow_kernel>(
            site, sizeof(gemm_bias_narrow_shared), tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 64)), tk::box{A, {128, 64}, 128},
            tk::box{B, {64, 64}, 128}, tk::box{bias, {64}, 0}, tk::box{C, {64, 64}, 128}, C, M, K,
            N));
    }
    if (best == 6) {
        return tk::finish(tk::run<gemm_bias_low_kernel>(
            site, sizeof(gemm_bias_low_shared), tk::kernel_shape(256).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 128)), tk::box{A, {64, 64}, 128},
            tk::box{B, {128, 64}, 128}, tk::box{bias, {128}, 0}, tk::box{C, {64, 64}, 128}, C, M, K,
            N));
    }
    if (best == 7) {
        return tk::finish(tk::run<gemm_bias_low_64_kernel>(
            site, sizeof(gemm_bias_low_64_shared), tk::kernel_shape(256).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 64)), tk::box{A, {64, 64}, 128},
            tk::box{B, {64, 64}, 128}, tk::box{bias, {64}, 0}, tk::box{C, {64, 64}, 128}, C, M, K,
            N));
    }
    if (best == 8) {
        return tk::finish(tk::run<gemm_bias_low_32_kernel>(
            site, sizeof(gemm_bias_low_32_shared), tk::kernel_shape(256).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 32)), tk::box{A, {64, 64}, 128},
            tk::box{B, {32, 64}, 128}, tk::box{bias, {32}, 0}, tk::box{C, {64, 32}, 64}, C, M, K,
            N));
    }
    if (best == 9) {
        return tk::finish(tk::run<gemm_bias_gelu_kernel<4, 256, 49152, 512>>(
            site, sizeof(gemm_bias_gelu_shared<4, 256>),
            tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), tk::box{A, {128, 64}, 128},
            tk::box{B, {256, 64}, 128}, tk::box{bias, {256}, 0}, tk::box{C, {64, 64}, 128}, C, M, K,
            N));
    }
    if (best == 10) {
        return tk::finish(tk::run<gemm_bias_gelu_kernel<6, 128, 32768, 256>>(
            site, sizeof(gemm_bias_gelu_shared<6, 128>),
            tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), tk::box{A, {128, 64}, 128},
            tk::box{B, {128, 64}, 128}, tk::box{bias, {128}, 0}, tk::box{C, {64, 64}, 128}, C, M, K,
            N));
    }
    if (best == 11) {
        return tk::finish(tk::run<gemm_bias_gelu_tall_kernel>(
            site, sizeof(gemm_bias_gelu_tall_shared),
            tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 256), tk::ceil_div(N, 128)), tk::box{A, {256, 64}, 128},
            tk::box{B, {128, 64}, 128}, tk::box{bias, {128}, 0}, tk::box{C, {128, 64}, 128}, C, M,
            K, N));
    }
    if (best == 12) {
        return tk::finish(tk::run<gemm_bias_gelu_turns_kernel>(
            site, sizeof(gemm_bias_gelu_turns_shared),
            tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 160)), tk::box{A, {128, 64}, 128},
            tk::box{B, {160, 64}, 128}, tk::box{bias, {160}, 0}, tk::box{C, {128, 32}, 64}, C, M, K,
            N));
    }
    return tk::finish(tk::run<gemm_bias_gelu_low_kernel>(
        site, sizeof(gemm_bias_gelu_low_shared), tk::kernel_shape(256).at_once(1).overlapping(),
        tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 128)), tk::box{A, {64, 64}, 128},
        tk::box{B, {128, 64}, 128}, tk::box{bias, {128}, 0}, tk::box{C, {64, 64}, 128}, C, M, K,
        N));
}

}  // namespace

extern "C" {
int gemm_bias(const DLTensor* A_given, const DLTensor* B_given, const DLTensor* bias_given,
              DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    return run_gemm_bias("gemm_bias", {0, 1, 2, 3, 4, 5, 6, 7, 8}, A_given, B_given, bias_given,
                         C_given, stream);
}
TK_NO_WORKSPACE(gemm_bias, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_bias_square(const DLTensor* A_given, const DLTensor* B_given, const DLTensor* bias_given,
                     DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    return run_gemm_bias("gemm_bias_square", {1}, A_given, B_given, bias_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_bias_square, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_bias_pairs(const DLTensor* A_given, const DLTensor* B_given, const DLTensor* bias_given,
                    DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    return run_gemm_bias("gemm_bias_pairs", {2}, A_given, B_given, bias_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_bias_pairs, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_bias_tall(const DLTensor* A_given, const DLTensor* B_given, const DLTensor* bias_given,
                   DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    return run_gemm_bias("gemm_bias_tall", {3}, A_given, B_given, bias_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_bias_tall, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_bias_turns(const DLTensor* A_given, const DLTensor* B_given, const DLTensor* bias_given,
                    DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    return run_gemm_bias("gemm_bias_turns", {4}, A_given, B_given, bias_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_bias_turns, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_bias_narrow(const DLTensor* A_given, const DLTensor* B_given, const DLTensor* bias_given,
                     DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    return run_gemm_bias("gemm_bias_narrow", {5}, A_given, B_given, bias_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_bias_narrow, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_bias_low(const DLTensor* A_given, const DLTensor* B_given, const DLTensor* bias_given,
                  DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    return run_gemm_bias("gemm_bias_low", {6}, A_given, B_given, bias_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_bias_low, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_bias_low_64(const DLTensor* A_given, const DLTensor* B_given, const DLTensor* bias_given,
                     DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    return run_gemm_bias("gemm_bias_low_64", {7}, A_given, B_given, bias_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_bias_low_64, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_bias_low_32(const DLTensor* A_given, const DLTensor* B_given, const DLTensor* bias_given,
                     DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    return run_gemm_bias("gemm_bias_low_32", {8}, A_given, B_given, bias_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_bias_low_32, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_bias_gelu(const DLTensor* A_given, const DLTensor* B_given, const DLTensor* bias_given,
                   DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    return run_gemm_bias("gemm_bias_gelu", {9, 10, 11, 12, 13}, A_given, B_given, bias_given,
                         C_given, stream);
}
TK_NO_WORKSPACE(gemm_bias_gelu, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_bias_gelu_square(const DLTensor* A_given, const DLTensor* B_given,
                          const DLTensor* bias_given, DLTensor* C_given, void*, size_t,
                          cudaStream_t stream) {
    return run_gemm_bias("gemm_bias_gelu_square", {10}, A_given, B_given, bias_given, C_given,
                         stream);
}
TK_NO_WORKSPACE(gemm_bias_gelu_square, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_bias_gelu_tall(const DLTensor* A_given, const DLTensor* B_given,
                        const DLTensor* bias_given, DLTensor* C_given, void*, size_t,
                        cudaStream_t stream) {
    return run_gemm_bias("gemm_bias_gelu_tall", {11}, A_given, B_given, bias_given, C_given,
                         stream);
}
TK_NO_WORKSPACE(gemm_bias_gelu_tall, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_bias_gelu_turns(const DLTensor* A_given, const DLTensor* B_given,
                         const DLTensor* bias_given, DLTensor* C_given, void*, size_t,
                         cudaStream_t stream) {
    return run_gemm_bias("gemm_bias_gelu_turns", {12}, A_given, B_given, bias_given, C_given,
                         stream);
}
TK_NO_WORKSPACE(gemm_bias_gelu_turns, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_bias_gelu_low(const DLTensor* A_given, const DLTensor* B_given, const DLTensor* bias_given,
                       DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    return run_gemm_bias("gemm_bias_gelu_low", {13}, A_given, B_given, bias_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_bias_gelu_low, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*)
}  // extern "C"
