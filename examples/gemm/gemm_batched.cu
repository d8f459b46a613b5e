// Made by tkc from gemm_batched.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/ptx/wgmma_n064.cuh"
#include "tk/tk.cuh"

// gemm_batched: kernel gemm_batched with BM = 64, BN = 64, BK = 64, W = 4.
// producer: 1 warp, 240 registers a thread; consumer: 1 warpgroup, 240 registers a thread.
// 256 threads, 255 registers each at first, 73792 bytes of shared memory; persistent.
struct gemm_batched_shared {
    tk::shared_tile<tk::bf16, 64, 64> a_b_tiles_a[4];
    tk::shared_tile<tk::bf16, 64, 64> a_b_tiles_b[4];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[1];
    tk::pipeline<4> a_b_tiles;
};
static_assert(offsetof(gemm_batched_shared, a_b_tiles) == 73728);

__global__ void __launch_bounds__(256, 1) gemm_batched_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap C_map, const tk::tensor_argument<tk::bf16, 3> C, int G,
    int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_batched_shared& shared = *reinterpret_cast<gemm_batched_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, C_map);
        shared.a_b_tiles.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 4) {
        // gemm_batched.tk:3: kernel gemm_batched<BM: int = 64, BN: int = 64, BK: int = 64, W: ..
        tk::registers_at_most<240>();
        const int n_tiles = tk::tiles(N, 64);
        const int m_tiles = tk::tiles(M, 64);
        const int programs = n_tiles * m_tiles * G;
        if (warp == 4 && tk::elect_one()) {
            tk::cursor<4> a_b_tiles_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int n = program % n_tiles * 64;
                const int m = program / n_tiles % m_tiles * 64;
                const int g = program / (n_tiles * m_tiles);

                // gemm_batched.tk:8: for k in K by BK pipelined { acc += mma(load(A[g, m, k]), ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 64) {
                    shared.a_b_tiles.begin(a_b_tiles_next, 16384);
                    tk::tma_load(shared.a_b_tiles_a[a_b_tiles_next.stage], A_map,
                                 shared.a_b_tiles.full[a_b_tiles_next.stage], g, m, k);
                    tk::tma_load(shared.a_b_tiles_b[a_b_tiles_next.stage], B_map,
                                 shared.a_b_tiles.full[a_b_tiles_next.stage], g, k, n);
                    a_b_tiles_next.advance();
                }
            }
        }
    } else {
        // gemm_batched.tk:3: kernel gemm_batched<BM: int = 64, BN: int = 64, BK: int = 64, W: ..
        tk::registers_at_most<240>();
        const int n_tiles = tk::tiles(N, 64);
        const int m_tiles = tk::tiles(M, 64);
        const int programs = n_tiles * m_tiles * G;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<4> a_b_tiles_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int n = program % n_tiles * 64;
            const int m = program / n_tiles % m_tiles * 64;
            const int g = program / (n_tiles * m_tiles);

            // gemm_batched.tk:7: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 64> acc;
            tk::zero(acc);

            // gemm_batched.tk:8: for k in K by BK pipelined { acc += mma(load(A[g, m, k]), ..
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

            // gemm_batched.tk:9: store(C[g, m, n], bf16(acc));
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                tk::store_shared(shared.consumer_C[0], tk::convert<tk::bf16>(acc), thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if (N % 8 != 0 && N < n + panel + 64) {
                    tk::copy_to_global(
                        tk::dense_slice(C, {g, m, n + panel}, M - m, N - (n + panel)),
                        shared.consumer_C[0]);
                    if (leader) tk::tma_store_nothing();
                } else if (leader) {
                    tk::tma_store(C_map, shared.consumer_C[0], g, m, n + panel);
                }
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

// gemm_batched_general: kernel gemm_batched with BM = 64, BN = 64, BK = 64, W = 4; any strides and
// alignment.
// producer: 1 warp, 240 registers a thread; consumer: 1 warpgroup, 240 registers a thread.
// 256 threads, 255 registers each at first, 65600 bytes of shared memory; persistent.
struct gemm_batched_general_shared {
    tk::shared_tile<tk::bf16, 64, 64> a_b_tiles_a[4];
    tk::shared_tile<tk::bf16, 64, 64> a_b_tiles_b[4];
    tk::pipeline<4> a_b_tiles;
};
static_assert(offsetof(gemm_batched_general_shared, a_b_tiles) == 65536);

__global__ void __launch_bounds__(256, 1) gemm_batched_general_kernel(
    const tk::tensor_argument<const tk::bf16, 3> A, const tk::tensor_argument<const tk::bf16, 3> B,
    const tk::tensor_argument<tk::bf16, 3> C, int G, int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_batched_general_shared& shared = *reinterpret_cast<gemm_batched_general_shared*>(memory);

    if (threadIdx.x == 0) {
        shared.a_b_tiles.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 4) {
        // gemm_batched.tk:3: kernel gemm_batched<BM: int = 64, BN: int = 64, BK: int = 64, W: ..
        tk::registers_at_most<240>();
        const int n_tiles = tk::tiles(N, 64);
        const int m_tiles = tk::tiles(M, 64);
        const int programs = n_tiles * m_tiles * G;
        if (warp == 4) {
            const int thread = int(threadIdx.x) - 128;
            tk::cursor<4> a_b_tiles_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int n = program % n_tiles * 64;
                const int m = program / n_tiles % m_tiles * 64;
                const int g = program / (n_tiles * m_tiles);

                // gemm_batched.tk:8: for k in K by BK pipelined { acc += mma(load(A[g, m, k]), ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 64) {
                    shared.a_b_tiles.wait_empty(a_b_tiles_next);
                    tk::copy_to_shared(shared.a_b_tiles_a[a_b_tiles_next.stage],
                                       tk::slice(A, {g, m, k}, M - m, K - k), thread, 32);
                    tk::copy_to_shared(shared.a_b_tiles_b[a_b_tiles_next.stage],
                                       tk::slice(B, {g, k, n}, K - k, N - n), thread, 32);
                    shared.a_b_tiles.publish(a_b_tiles_next);
                    a_b_tiles_next.advance();
                }
            }
        }
    } else {
        // gemm_batched.tk:3: kernel gemm_batched<BM: int = 64, BN: int = 64, BK: int = 64, W: ..
        tk::registers_at_most<240>();
        const int n_tiles = tk::tiles(N, 64);
        const int m_tiles = tk::tiles(M, 64);
        const int programs = n_tiles * m_tiles * G;
        const int thread = tk::warpgroup_thread();
        tk::cursor<4> a_b_tiles_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int n = program % n_tiles * 64;
            const int m = program / n_tiles % m_tiles * 64;
            const int g = program / (n_tiles * m_tiles);

            // gemm_batched.tk:7: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 64> acc;
            tk::zero(acc);

            // gemm_batched.tk:8: for k in K by BK pipelined { acc += mma(load(A[g, m, k]), ..
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

            // gemm_batched.tk:9: store(C[g, m, n], bf16(acc));
            tk::fragment<tk::bf16, 64, 64> t0 = tk::convert<tk::bf16>(acc);
            tk::store_global(tk::slice(C, {g, m, n}, M - m, N - n), t0, thread);
        }
    }
}

extern "C" {
int gemm_batched(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*, size_t,
                 cudaStream_t stream) {
    tk::arguments call{"gemm_batched"};
    const tk::tensor A = call.take("A", A_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor B = call.take("B", B_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_bf16, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t G = A.shape[0];
    const int64_t M = A.shape[1];
    const int64_t K = A.shape[2];
    const int64_t N = B.shape[2];
    call.require({
        tk::same_extent("G", A, 0, B, 0), tk::same_extent("K", A, 2, B, 1),
        tk::same_extent("G", A, 0, C, 0), tk::same_extent("M", A, 1, C, 1),
        tk::same_extent("N", B, 2, C, 2), tk::extents_fit({{"G", G}, {"M", M}, {"K", K}, {"N", N}}),
        tk::grid_fits(tk::multiply(tk::ceil_div(N, 64), tk::ceil_div(M, 64)), 2147418112),
        tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 64), tk::ceil_div(M, 64)), G),
                      2147418112)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(tk::ceil_div(N, 64), tk::ceil_div(M, 64)),
                                          G);
    const bool fast =
        tk::hold({tk::suits_fast(A, "K"), tk::suits_fast(B, "N"), tk::suits_fast(C, "N")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(tk::run<gemm_batched_kernel>(
            site, sizeof(gemm_batched_shared), tk::kernel_shape(256).at_once(1).overlapping(),
            programs, tk::box{A, {1, 64, 64}, 128}, tk::box{B, {1, 64, 64}, 128},
            tk::box{C, {1, 64, 64}, 128}, C, G, M, K, N));
    }
    return tk::finish(tk::run<gemm_batched_general_kernel>(
        site, sizeof(gemm_batched_general_shared), tk::kernel_shape(256).at_once(1).overlapping(),
        programs, A, B, C, G, M, K, N));
}
TK_NO_WORKSPACE(gemm_batched, const DLTensor*, const DLTensor*, DLTensor*)
}  // extern "C"
