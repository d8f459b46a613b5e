// Made by tkc from gemm_tn.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/ptx/wgmma_n256.cuh"
#include "tk/tk.cuh"

// gemm_tn: kernel gemm_tn with BM = 128, BN = 256, BK = 64, CM = 1.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 229440 bytes of shared memory; persistent.
struct gemm_tn_shared {
    tk::shared_tile<tk::bf16, 64, 128> ab_a[4];
    tk::shared_tile<tk::bf16, 64, 256> ab_b[4];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[4];
    tk::pipeline<4> ab;
};
static_assert(offsetof(gemm_tn_shared, ab) == 229376);

__global__ void __launch_bounds__(384, 1) gemm_tn_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap C_map, const tk::tensor_argument<tk::bf16, 2> C, int K,
    int M, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_tn_shared& shared = *reinterpret_cast<gemm_tn_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, C_map);
        shared.ab.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_tn.tk:9: role producer(1 warp) {
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

                // gemm_tn.tk:10: for k in K by BK { produce ab { a = tma_load(A[k, m]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 64) {
                    shared.ab.begin(ab_next, 49152);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 k, m);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 k, n);
                    ab_next.advance();
                }
            }
        }
    } else {
        // gemm_tn.tk:12: role consumer(2 warpgroups) {
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

            // gemm_tn.tk:13: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 256> acc;
            tk::zero(acc);

            // gemm_tn.tk:14: for k in K by BK { consume ab as s { acc += mma(s.a.T, s.b); } }
            tk::cursor<4> previous_ab;
            for (int k = 0; k < K; k += 64) {
                const tk::cursor<4> s = shared.ab.take(ab_next);
                tk::mma_async(acc,
                              tk::transposed(tk::columns<64>(shared.ab_a[s.stage], 64 * warpgroup)),
                              shared.ab_b[s.stage]);
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_tn.tk:15: tma_store(C[m, n], bf16(acc));
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
}

// gemm_tn_pairs: kernel gemm_tn with BM = 128, BN = 256, BK = 64, CM = 2.
// producer: 1 warp, 40 registers a thread; consumer: 2 warpgroups, 232 registers a thread.
// 384 threads, 168 registers each at first, 229440 bytes of shared memory, clusters of 2 along m;
// persistent.
struct gemm_tn_pairs_shared {
    tk::shared_tile<tk::bf16, 64, 128> ab_a[4];
    tk::shared_tile<tk::bf16, 64, 256> ab_b[4];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[4];
    tk::pipeline<4> ab;
};
static_assert(offsetof(gemm_tn_pairs_shared, ab) == 229376);

__global__ void __launch_bounds__(384, 1) gemm_tn_pairs_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap C_map, const tk::tensor_argument<tk::bf16, 2> C, int K,
    int M, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_tn_pairs_shared& shared = *reinterpret_cast<gemm_tn_pairs_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, C_map);
        shared.ab.init(1, 16);
        tk::publish_barriers();
    }
    tk::cluster_sync();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_tn.tk:9: role producer(1 warp) {
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

                // gemm_tn.tk:10: for k in K by BK { produce ab { a = tma_load(A[k, m]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 64) {
                    shared.ab.begin(ab_next, 49152);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 k, m);
                    if (point.together) {
                        tk::tma_load_multicast(
                            tk::columns<128>(shared.ab_b[ab_next.stage], 128 * rank), B_map,
                            shared.ab.full[ab_next.stage], 3, k, n + 128 * rank);
                    } else {
                        #pragma unroll
                        for (int piece = 0; piece < 2; piece += 1) {
                            tk::tma_load(tk::columns<128>(shared.ab_b[ab_next.stage], 128 * piece),
                                         B_map, shared.ab.full[ab_next.stage], k, n + 128 * piece);
                        }
                    }
                    ab_next.advance();
                }
            }
        }
    } else {
        // gemm_tn.tk:12: role consumer(2 warpgroups) {
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

            // gemm_tn.tk:13: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 256> acc;
            tk::zero(acc);

            // gemm_tn.tk:14: for k in K by BK { consume ab as s { acc += mma(s.a.T, s.b); } }
            tk::cursor<4> previous_ab;
            for (int k = 0; k < K; k += 64) {
                const tk::cursor<4> s = shared.ab.take(ab_next);
                tk::mma_async(acc,
                              tk::transposed(tk::columns<64>(shared.ab_a[s.stage], 64 * warpgroup)),
                              shared.ab_b[s.stage]);
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release<2>(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release<2>(previous_ab);

            // gemm_tn.tk:15: tma_store(C[m, n], bf16(acc));
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

// gemm_tn_tall: kernel gemm_tn with BM = 256, BN = 128, BK = 64, CM = 1.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 229440 bytes of shared memory; persistent.
struct gemm_tn_tall_shared {
    tk::shared_tile<tk::bf16, 64, 256> ab_a[4];
    tk::shared_tile<tk::bf16, 64, 128> ab_b[4];
    tk::shared_tile<tk::bf16, 128, 64> consumer_C[2];
    tk::pipeline<4> ab;
};
static_assert(offsetof(gemm_tn_tall_shared, ab) == 229376);

__global__ void __launch_bounds__(384, 1) gemm_tn_tall_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap C_map, const tk::tensor_argument<tk::bf16, 2> C, int K,
    int M, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_tn_tall_shared& shared = *reinterpret_cast<gemm_tn_tall_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, C_map);
        shared.ab.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_tn.tk:9: role producer(1 warp) {
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

                // gemm_tn.tk:10: for k in K by BK { produce ab { a = tma_load(A[k, m]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 64) {
                    shared.ab.begin(ab_next, 49152);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 k, m);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 k, n);
                    ab_next.advance();
                }
            }
        }
    } else {
        // gemm_tn.tk:12: role consumer(2 warpgroups) {
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

            // gemm_tn.tk:13: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 128, 128> acc;
            tk::zero(acc);

            // gemm_tn.tk:14: for k in K by BK { consume ab as s { acc += mma(s.a.T, s.b); } }
            tk::cursor<4> previous_ab;
            for (int k = 0; k < K; k += 64) {
                const tk::cursor<4> s = shared.ab.take(ab_next);
                tk::mma_async(
                    acc, tk::transposed(tk::columns<128>(shared.ab_a[s.stage], 128 * warpgroup)),
                    shared.ab_b[s.stage]);
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_tn.tk:15: tma_store(C[m, n], bf16(acc));
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

namespace {
int run_gemm_tn(const char* function, tk::candidates offered, const DLTensor* A_given,
                const DLTensor* B_given, DLTensor* C_given, cudaStream_t stream) {
    tk::arguments call{function};
    const tk::tensor A = call.take("A", A_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor B = call.take("B", B_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t K = A.shape[0];
    const int64_t M = A.shape[1];
    const int64_t N = B.shape[1];
    call.require(
        {tk::same_extent("K", A, 0, B, 0), tk::same_extent("M", A, 1, C, 0),
         tk::same_extent("N", B, 1, C, 1), tk::extents_fit({{"K", K}, {"M", M}, {"N", N}}),
         tk::suits_tma_load(A, "M"), tk::suits_tma_load(B, "N"), tk::suits_tma_store(C, "N")});
    if (!call.ok()) return tk::finish(call.result());

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call, offered};
    choice.candidate();  // gemm_tn
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)),
                 3580 +
                 tk::multiply(
                     tk::larger(1024,
                                (A.stride[0] % 64 == 0 ? 304 : 482) +
                                (B.stride[0] % 64 == 0 ? 607 : 964)) + 20, tk::ceil_div(K, 64)),
                 2147418112);
    choice.candidate();  // gemm_tn_pairs
    choice.offer(tk::ceil_div(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), 2) * 2,
                 3580 +
                 tk::multiply(tk::larger(1024, (A.stride[0] % 64 == 0 ? 304 : 482) + 607) + 20,
                              tk::ceil_div(K, 64)), 2147418112);
    choice.candidate();  // gemm_tn_tall
    choice.offer(tk::multiply(tk::ceil_div(M, 256), tk::ceil_div(N, 128)),
                 3580 +
                 tk::multiply(
                     tk::larger(1024,
                                (A.stride[0] % 64 == 0 ? 607 : 964) +
                                (B.stride[0] % 64 == 0 ? 304 : 482)) + 20, tk::ceil_div(K, 64)),
                 2147418112);
    if (!choice.ok()) return tk::finish(choice.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    const int best = choice.best(site);
    if (best == 0) {
        return tk::finish(tk::run<gemm_tn_kernel>(
            site, sizeof(gemm_tn_shared), tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), tk::box{A, {64, 64}, 128},
            tk::box{B, {64, 64}, 128}, tk::box{C, {64, 64}, 128}, C, K, M, N));
    }
    if (best == 1) {
        return tk::finish(tk::run<gemm_tn_pairs_kernel>(
            site, sizeof(gemm_tn_pairs_shared),
            tk::kernel_shape(384).in_clusters(2).at_once(1).overlapping(),
            tk::ceil_div(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), 2) * 2,
            tk::box{A, {64, 64}, 128}, tk::box{B, {64, 64}, 128}, tk::box{C, {64, 64}, 128}, C, K,
            M, N));
    }
    return tk::finish(tk::run<gemm_tn_tall_kernel>(
        site, sizeof(gemm_tn_tall_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::ceil_div(M, 256), tk::ceil_div(N, 128)), tk::box{A, {64, 64}, 128},
        tk::box{B, {64, 64}, 128}, tk::box{C, {128, 64}, 128}, C, K, M, N));
}

}  // namespace

extern "C" {
int gemm_tn(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*, size_t,
            cudaStream_t stream) {
    return run_gemm_tn("gemm_tn", {0, 1, 2}, A_given, B_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_tn, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_tn_pairs(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*,
                  size_t, cudaStream_t stream) {
    return run_gemm_tn("gemm_tn_pairs", {1}, A_given, B_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_tn_pairs, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_tn_tall(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*, size_t,
                 cudaStream_t stream) {
    return run_gemm_tn("gemm_tn_tall", {2}, A_given, B_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_tn_tall, const DLTensor*, const DLTensor*, DLTensor*)
}  // extern "C"
