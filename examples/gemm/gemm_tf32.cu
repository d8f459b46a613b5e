// Made by tkc from gemm_tf32.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/convert_layout.cuh"
#include "tk/operations/mma_sync.cuh"
#include "tk/tk.cuh"

// gemm_tf32_nt: kernel gemm_tf32_nt with BM = 128, BN = 256, BK = 32, S = 2.
// producer: 1 warp, 24 registers a thread; consumer: 8 warps, 240 registers a thread.
// 384 threads, 168 registers each at first, 231456 bytes of shared memory; persistent.
struct gemm_tf32_nt_shared {
    tk::shared_tile<float, 128, 32> a_b_tiles_a[2];
    tk::shared_tile<float, 256, 32> a_b_tiles_b[2];
    tk::shared_tile<int, 1, 33280> consumer_turned[1];
    tk::pipeline<2> a_b_tiles;
};
static_assert(offsetof(gemm_tf32_nt_shared, a_b_tiles) == 231424);

__global__ void __launch_bounds__(384, 1) gemm_tf32_nt_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const tk::tensor_argument<float, 2> C, int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_tf32_nt_shared& shared = *reinterpret_cast<gemm_tf32_nt_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map);
        shared.a_b_tiles.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();

    const int warp = tk::warp_index();

    if (warp < 4) {
        // gemm_tf32.tk:7: kernel gemm_tf32_nt<schedule BM: int = 128, schedule BN: int = 256, ..
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 256);
        const int programs = m_tiles * n_tiles;
        if (warp == 0 && tk::elect_one()) {
            tk::cursor<2> a_b_tiles_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 128;
                const int n = point.col * 256;

                // gemm_tf32.tk:12: for k in K by BK pipelined(S) { acc += mma(tf32(load(A[m, ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 32) {
                    shared.a_b_tiles.begin(a_b_tiles_next, 49152);
                    tk::tma_load(shared.a_b_tiles_a[a_b_tiles_next.stage], A_map,
                                 shared.a_b_tiles.full[a_b_tiles_next.stage], m, k);
                    tk::tma_load(shared.a_b_tiles_b[a_b_tiles_next.stage], B_map,
                                 shared.a_b_tiles.full[a_b_tiles_next.stage], n, k);
                    a_b_tiles_next.advance();
                }
            }
        }
    } else {
        // gemm_tf32.tk:7: kernel gemm_tf32_nt<schedule BM: int = 128, schedule BN: int = 256, ..
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 256);
        const int programs = m_tiles * n_tiles;
        const int thread = int(threadIdx.x) - 128;
        tk::cursor<2> a_b_tiles_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * 256;

            // gemm_tf32.tk:11: var acc: f32[BM, BN] = 0;
            tk::warp_fragment<float, 128, 256, 2, 4> acc;
            tk::zero(acc);

            // gemm_tf32.tk:12: for k in K by BK pipelined(S) { acc += mma(tf32(load(A[m, k])), ..
            for (int k = 0; k < K; k += 32) {
                const tk::cursor<2> tiles = shared.a_b_tiles.take(a_b_tiles_next);
                tk::mma_sync(acc, shared.a_b_tiles_a[tiles.stage],
                             tk::transposed(shared.a_b_tiles_b[tiles.stage]), thread);
                shared.a_b_tiles.release_after_loads(tiles);
            }

            // gemm_tf32.tk:13: store(C[m, n], acc);
            tk::stripe<float, 128, 256, 256, 32, 4> acc_rows;
            tk::convert_layout(acc_rows, acc, shared.consumer_turned[0], thread, 1);
            tk::store_vectors(tk::vector_slice(C, {m, n}, M - m, N - n), acc_rows, thread);
        }
    }
}

// gemm_tf32_nt_general: kernel gemm_tf32_nt with BM = 128, BN = 256, BK = 32, S = 2; any strides
// and alignment.
// producer: 1 warp, 56 registers a thread; consumer: 8 warps, 224 registers a thread.
// 384 threads, 168 registers each at first, 98336 bytes of shared memory; persistent.
struct gemm_tf32_nt_general_shared {
    tk::shared_tile<float, 128, 32> a_b_tiles_a[2];
    tk::shared_tile<float, 256, 32> a_b_tiles_b[2];
    tk::pipeline<2> a_b_tiles;
};
static_assert(offsetof(gemm_tf32_nt_general_shared, a_b_tiles) == 98304);

__global__ void __launch_bounds__(384, 1) gemm_tf32_nt_general_kernel(
    const tk::tensor_argument<const float, 2> A, const tk::tensor_argument<const float, 2> B,
    const tk::tensor_argument<float, 2> C, int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_tf32_nt_general_shared& shared = *reinterpret_cast<gemm_tf32_nt_general_shared*>(memory);

    if (threadIdx.x == 0) {
        shared.a_b_tiles.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();

    const int warp = tk::warp_index();

    if (warp < 4) {
        // gemm_tf32.tk:7: kernel gemm_tf32_nt<schedule BM: int = 128, schedule BN: int = 256, ..
        tk::registers_at_most<56>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 256);
        const int programs = m_tiles * n_tiles;
        if (warp == 0) {
            const int thread = int(threadIdx.x);
            tk::cursor<2> a_b_tiles_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 128;
                const int n = point.col * 256;

                // gemm_tf32.tk:12: for k in K by BK pipelined(S) { acc += mma(tf32(load(A[m, ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 32) {
                    shared.a_b_tiles.wait_empty(a_b_tiles_next);
                    tk::copy_to_shared(shared.a_b_tiles_a[a_b_tiles_next.stage],
                                       tk::slice(A, {m, k}, M - m, K - k), thread, 32);
                    tk::copy_to_shared(shared.a_b_tiles_b[a_b_tiles_next.stage],
                                       tk::slice(B, {n, k}, N - n, K - k), thread, 32);
                    shared.a_b_tiles.publish(a_b_tiles_next, tk::ordinary_alone{});
                    a_b_tiles_next.advance();
                }
            }
        }
    } else {
        // gemm_tf32.tk:7: kernel gemm_tf32_nt<schedule BM: int = 128, schedule BN: int = 256, ..
        tk::registers_at_least<224>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 256);
        const int programs = m_tiles * n_tiles;
        const int thread = int(threadIdx.x) - 128;
        tk::cursor<2> a_b_tiles_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * 256;

            // gemm_tf32.tk:11: var acc: f32[BM, BN] = 0;
            tk::warp_fragment<float, 128, 256, 2, 4> acc;
            tk::zero(acc);

            // gemm_tf32.tk:12: for k in K by BK pipelined(S) { acc += mma(tf32(load(A[m, k])), ..
            for (int k = 0; k < K; k += 32) {
                const tk::cursor<2> tiles = shared.a_b_tiles.take(a_b_tiles_next);
                tk::mma_sync(acc, shared.a_b_tiles_a[tiles.stage],
                             tk::transposed(shared.a_b_tiles_b[tiles.stage]), thread);
                shared.a_b_tiles.release_after_loads(tiles, tk::ordinary_alone{});
            }

            // gemm_tf32.tk:13: store(C[m, n], acc);
            tk::store_global(tk::slice(C, {m, n}, M - m, N - n), acc, thread);
        }
    }
}

// gemm_tf32_nt_square: kernel gemm_tf32_nt with BM = 128, BN = 128, BK = 32, S = 5.
// producer: 1 warp, 168 registers a thread; consumer: 8 warps, 168 registers a thread.
// 384 threads, 168 registers each, 231504 bytes of shared memory; persistent:
// gemm_tf32_nt_square_kernel<128, 5, 16896, 32768, 4, 2>.
// gemm_tf32_nt_low: kernel gemm_tf32_nt with BM = 64, BN = 128, BK = 32, S = 8.
// producer: 1 warp, 168 registers a thread; consumer: 8 warps, 168 registers a thread.
// 384 threads, 168 registers each, 230528 bytes of shared memory; persistent:
// gemm_tf32_nt_square_kernel<64, 8, 8448, 24576, 2, 4>.
template <int BM, int S, int cols>
struct gemm_tf32_nt_square_shared {
    tk::shared_tile<float, BM, 32> a_b_tiles_a[S];
    tk::shared_tile<float, 128, 32> a_b_tiles_b[S];
    tk::shared_tile<int, 1, cols> consumer_turned[1];
    tk::pipeline<S> a_b_tiles;
};
static_assert(__builtin_offsetof(gemm_tf32_nt_square_shared<128, 5, 16896>, a_b_tiles) == 231424);
static_assert(__builtin_offsetof(gemm_tf32_nt_square_shared<64, 8, 8448>, a_b_tiles) == 230400);

template <int BM, int S, int cols, int bytes, int warp_rows, int warp_cols>
__global__ void __launch_bounds__(384, 1) gemm_tf32_nt_square_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const tk::tensor_argument<float, 2> C, int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_tf32_nt_square_shared<BM, S, cols>& shared =
        *reinterpret_cast<gemm_tf32_nt_square_shared<BM, S, cols>*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map);
        shared.a_b_tiles.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();

    const int m_tiles = tk::tiles(M, BM);
    const int n_tiles = tk::tiles(N, 128);
    const int programs = m_tiles * n_tiles;
    const int warp = tk::warp_index();

    if (warp < 4) {
        // gemm_tf32.tk:7: kernel gemm_tf32_nt<schedule BM: int = 128, schedule BN: int = 256, ..
        if (warp == 0 && tk::elect_one()) {
            tk::cursor<S> a_b_tiles_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * BM;
                const int n = point.col * 128;

                // gemm_tf32.tk:12: for k in K by BK pipelined(S) { acc += mma(tf32(load(A[m, ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 32) {
                    shared.a_b_tiles.begin(a_b_tiles_next, bytes);
                    tk::tma_load(shared.a_b_tiles_a[a_b_tiles_next.stage], A_map,
                                 shared.a_b_tiles.full[a_b_tiles_next.stage], m, k);
                    tk::tma_load(shared.a_b_tiles_b[a_b_tiles_next.stage], B_map,
                                 shared.a_b_tiles.full[a_b_tiles_next.stage], n, k);
                    a_b_tiles_next.advance();
                }
            }
        }
    } else {
        // gemm_tf32.tk:7: kernel gemm_tf32_nt<schedule BM: int = 128, schedule BN: int = 256, ..
        const int thread = int(threadIdx.x) - 128;
        tk::cursor<S> a_b_tiles_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * BM;
            const int n = point.col * 128;

            // gemm_tf32.tk:11: var acc: f32[BM, BN] = 0;
            tk::warp_fragment<float, BM, 128, warp_rows, warp_cols> acc;
            tk::zero(acc);

            // gemm_tf32.tk:12: for k in K by BK pipelined(S) { acc += mma(tf32(load(A[m, k])), ..
            for (int k = 0; k < K; k += 32) {
                const tk::cursor<S> tiles = shared.a_b_tiles.take(a_b_tiles_next);
                tk::mma_sync(acc, shared.a_b_tiles_a[tiles.stage],
                             tk::transposed(shared.a_b_tiles_b[tiles.stage]), thread);
                shared.a_b_tiles.release_after_loads(tiles);
            }

            // gemm_tf32.tk:13: store(C[m, n], acc);
            tk::stripe<float, BM, 128, 256, 32, 4> acc_rows;
            tk::convert_layout(acc_rows, acc, shared.consumer_turned[0], thread, 1);
            tk::store_vectors(tk::vector_slice(C, {m, n}, M - m, N - n), acc_rows, thread);
        }
    }
}

// gemm_tf32_nt_square_general: kernel gemm_tf32_nt with BM = 128, BN = 128, BK = 32, S = 5; any
// strides and alignment.
// producer: 1 warp, 168 registers a thread; consumer: 8 warps, 168 registers a thread.
// 384 threads, 168 registers each, 163920 bytes of shared memory; persistent:
// gemm_tf32_nt_square_general_kernel<128, 5, 4, 2>.
// gemm_tf32_nt_low_general: kernel gemm_tf32_nt with BM = 64, BN = 128, BK = 32, S = 8; any strides
// and alignment.
// producer: 1 warp, 168 registers a thread; consumer: 8 warps, 168 registers a thread.
// 384 threads, 168 registers each, 196736 bytes of shared memory; persistent:
// gemm_tf32_nt_square_general_kernel<64, 8, 2, 4>.
template <int BM, int S>
struct gemm_tf32_nt_square_general_shared {
    tk::shared_tile<float, BM, 32> a_b_tiles_a[S];
    tk::shared_tile<float, 128, 32> a_b_tiles_b[S];
    tk::pipeline<S> a_b_tiles;
};
static_assert(__builtin_offsetof(gemm_tf32_nt_square_general_shared<128, 5>, a_b_tiles) == 163840);
static_assert(__builtin_offsetof(gemm_tf32_nt_square_general_shared<64, 8>, a_b_tiles) == 196608);

template <int BM, int S, int warp_rows, int warp_cols>
__global__ void __launch_bounds__(384, 1) gemm_tf32_nt_square_general_kernel(
    const tk::tensor_argument<const float, 2> A, const tk::tensor_argument<const float, 2> B,
    const tk::tensor_argument<float, 2> C, int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_tf32_nt_square_general_shared<BM, S>& shared =
        *reinterpret_cast<gemm_tf32_nt_square_general_shared<BM, S>*>(memory);

    if (threadIdx.x == 0) {
        shared.a_b_tiles.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();

    const int m_tiles = tk::tiles(M, BM);
    const int n_tiles = tk::tiles(N, 128);
    const int programs = m_tiles * n_tiles;
    const int warp = tk::warp_index();

    if (warp < 4) {
        // gemm_tf32.tk:7: kernel gemm_tf32_nt<schedule BM: int = 128, schedule BN: int = 256, ..
        if (warp == 0) {
            const int thread = int(threadIdx.x);
            tk::cursor<S> a_b_tiles_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * BM;
                const int n = point.col * 128;

                // gemm_tf32.tk:12: for k in K by BK pipelined(S) { acc += mma(tf32(load(A[m, ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 32) {
                    shared.a_b_tiles.wait_empty(a_b_tiles_next);
                    tk::copy_to_shared(shared.a_b_tiles_a[a_b_tiles_next.stage],
                                       tk::slice(A, {m, k}, M - m, K - k), thread, 32);
                    tk::copy_to_shared(shared.a_b_tiles_b[a_b_tiles_next.stage],
                                       tk::slice(B, {n, k}, N - n, K - k), thread, 32);
                    shared.a_b_tiles.publish(a_b_tiles_next, tk::ordinary_alone{});
                    a_b_tiles_next.advance();
                }
            }
        }
    } else {
        // gemm_tf32.tk:7: kernel gemm_tf32_nt<schedule BM: int = 128, schedule BN: int = 256, ..
        const int thread = int(threadIdx.x) - 128;
        tk::cursor<S> a_b_tiles_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * BM;
            const int n = point.col * 128;

            // gemm_tf32.tk:11: var acc: f32[BM, BN] = 0;
            tk::warp_fragment<float, BM, 128, warp_rows, warp_cols> acc;
            tk::zero(acc);

            // gemm_tf32.tk:12: for k in K by BK pipelined(S) { acc += mma(tf32(load(A[m, k])), ..
            for (int k = 0; k < K; k += 32) {
                const tk::cursor<S> tiles = shared.a_b_tiles.take(a_b_tiles_next);
                tk::mma_sync(acc, shared.a_b_tiles_a[tiles.stage],
                             tk::transposed(shared.a_b_tiles_b[tiles.stage]), thread);
                shared.a_b_tiles.release_after_loads(tiles, tk::ordinary_alone{});
            }

            // gemm_tf32.tk:13: store(C[m, n], acc);
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

    const int n_tiles = tk::tiles(N, 64);

    // gemm_tf32.tk:19: kernel turned<BM: int = 64, BN: int = 64>(X: f32[M, N], out Y: f32[N, M])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 64;
    const int m = program / n_tiles * 64;

    // gemm_tf32.tk:22: store(Y[n, m], load(X[m, n]).T);
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
    choice.prefer(
        {tk::suits_fast(A, "K"), tk::suits_fast(B, "K"), tk::suits_fast(C, "N"),
         tk::whole_vectors(C, 4)});
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)),
                 11740 +
                 tk::multiply(
                     tk::larger(1614,
                                (A.stride[0] % 32 == 0 ? 304 : 482) +
                                (B.stride[0] % 32 == 0 ? 607 : 964)) + 20, tk::ceil_div(K, 32)),
                 2147418112);
    choice.candidate();  // gemm_tf32_nt_square
    choice.prefer(
        {tk::suits_fast(A, "K"), tk::suits_fast(B, "K"), tk::suits_fast(C, "N"),
         tk::whole_vectors(C, 4)});
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
                 6620 +
                 tk::multiply(
                     tk::larger(807,
                                (A.stride[0] % 32 == 0 ? 304 : 482) +
                                (B.stride[0] % 32 == 0 ? 304 : 482)) + 20, tk::ceil_div(K, 32)),
                 2147418112);
    choice.candidate();  // gemm_tf32_nt_low
    choice.prefer(
        {tk::suits_fast(A, "K"), tk::suits_fast(B, "K"), tk::suits_fast(C, "N"),
         tk::whole_vectors(C, 4)});
    choice.offer(tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 128)),
                 4060 +
                 tk::multiply(
                     tk::larger(404,
                                (A.stride[0] % 32 == 0 ? 152 : 241) +
                                (B.stride[0] % 32 == 0 ? 304 : 482)) + 20, tk::ceil_div(K, 32)),
                 2147418112);
    choice.candidate(true);  // gemm_tf32_nt_general
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)),
                 9692 + 3092 * tk::ceil_div(K, 32), 2147418112);
    choice.candidate(true);  // gemm_tf32_nt_square_general
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
                 5596 + 2068 * tk::ceil_div(K, 32), 2147418112);
    choice.candidate(true);  // gemm_tf32_nt_low_general
    choice.offer(tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 128)),
                 3548 + 1556 * tk::ceil_div(K, 32), 2147418112);
    if (!choice.ok()) return tk::finish(choice.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    const int best = choice.best(site);
    if (best == 0) {
        return tk::finish(tk::run<gemm_tf32_nt_kernel>(
            site, sizeof(gemm_tf32_nt_shared), tk::kernel_shape(384).at_once(1),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), tk::box{A, {128, 32}, 128},
            tk::box{B, {256, 32}, 128}, C, M, K, N));
    }
    if (best == 1) {
        return tk::finish(tk::run<gemm_tf32_nt_square_kernel<128, 5, 16896, 32768, 4, 2>>(
            site, sizeof(gemm_tf32_nt_square_shared<128, 5, 16896>),
            tk::kernel_shape(384).at_once(1),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), tk::box{A, {128, 32}, 128},
            tk::box{B, {128, 32}, 128}, C, M, K, N));
    }
    if (best == 2) {
        return tk::finish(tk::run<gemm_tf32_nt_square_kernel<64, 8, 8448, 24576, 2, 4>>(
            site, sizeof(gemm_tf32_nt_square_shared<64, 8, 8448>), tk::kernel_shape(384).at_once(1),
            tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 128)), tk::box{A, {64, 32}, 128},
            tk::box{B, {128, 32}, 128}, C, M, K, N));
    }
    if (best == 3) {
        return tk::finish(tk::run<gemm_tf32_nt_general_kernel>(
            site, sizeof(gemm_tf32_nt_general_shared), tk::kernel_shape(384).at_once(1),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), A, B, C, M, K, N));
    }
    if (best == 4) {
        return tk::finish(tk::run<gemm_tf32_nt_square_general_kernel<128, 5, 4, 2>>(
            site, sizeof(gemm_tf32_nt_square_general_shared<128, 5>),
            tk::kernel_shape(384).at_once(1),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), A, B, C, M, K, N));
    }
    return tk::finish(tk::run<gemm_tf32_nt_square_general_kernel<64, 8, 2, 4>>(
        site, sizeof(gemm_tf32_nt_square_general_shared<64, 8>), tk::kernel_shape(384).at_once(1),
        tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 128)), A, B, C, M, K, N));
}

tk::status launch_turned(const tk::launch_site& site, const tk::tensor& X, const tk::tensor& Y,
                         int64_t M, int64_t N) {
    return tk::run<turned_kernel<5, 16, 4, true>>(
        site, sizeof(turned_shared), tk::kernel_shape(256),
        tk::multiply(tk::ceil_div(N, 64), tk::ceil_div(M, 64)), X, Y, M, N);
}

tk::status launch_turned_general(const tk::launch_site& site, const tk::tensor& X,
                                 const tk::tensor& Y, int64_t M, int64_t N) {
    return tk::run<turned_kernel<1, 32, 2, false>>(
        site, sizeof(turned_shared), tk::kernel_shape(256),
        tk::multiply(tk::ceil_div(N, 64), tk::ceil_div(M, 64)), X, Y, M, N);
}

tk::status launch_gemm_tf32_nt(const tk::launch_site& site, const tk::tensor& A,
                               const tk::tensor& B, const tk::tensor& C, int64_t M, int64_t K,
                               int64_t N) {
    return tk::run<gemm_tf32_nt_kernel>(
        site, sizeof(gemm_tf32_nt_shared), tk::kernel_shape(384).at_once(1),
        tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), tk::box{A, {128, 32}, 128},
        tk::box{B, {256, 32}, 128}, C, M, K, N);
}

tk::status launch_gemm_tf32_nt_square(const tk::launch_site& site, const tk::tensor& A,
                                      const tk::tensor& B, const tk::tensor& C, int64_t M,
                                      int64_t K, int64_t N) {
    return tk::run<gemm_tf32_nt_square_kernel<128, 5, 16896, 32768, 4, 2>>(
        site, sizeof(gemm_tf32_nt_square_shared<128, 5, 16896>), tk::kernel_shape(384).at_once(1),
        tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), tk::box{A, {128, 32}, 128},
        tk::box{B, {128, 32}, 128}, C, M, K, N);
}

tk::status launch_gemm_tf32_nt_low(const tk::launch_site& site, const tk::tensor& A,
                                   const tk::tensor& B, const tk::tensor& C, int64_t M, int64_t K,
                                   int64_t N) {
    return tk::run<gemm_tf32_nt_square_kernel<64, 8, 8448, 24576, 2, 4>>(
        site, sizeof(gemm_tf32_nt_square_shared<64, 8, 8448>), tk::kernel_shape(384).at_once(1),
        tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 128)), tk::box{A, {64, 32}, 128},
        tk::box{B, {128, 32}, 128}, C, M, K, N);
}

tk::status launch_gemm_tf32_nt_general(const tk::launch_site& site, const tk::tensor& A,
                                       const tk::tensor& B, const tk::tensor& C, int64_t M,
                                       int64_t K, int64_t N) {
    return tk::run<gemm_tf32_nt_general_kernel>(
        site, sizeof(gemm_tf32_nt_general_shared), tk::kernel_shape(384).at_once(1),
        tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), A, B, C, M, K, N);
}

tk::status launch_gemm_tf32_nt_square_general(const tk::launch_site& site, const tk::tensor& A,
                                              const tk::tensor& B, const tk::tensor& C, int64_t M,
                                              int64_t K, int64_t N) {
    return tk::run<gemm_tf32_nt_square_general_kernel<128, 5, 4, 2>>(
        site, sizeof(gemm_tf32_nt_square_general_shared<128, 5>), tk::kernel_shape(384).at_once(1),
        tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), A, B, C, M, K, N);
}

tk::status launch_gemm_tf32_nt_low_general(const tk::launch_site& site, const tk::tensor& A,
                                           const tk::tensor& B, const tk::tensor& C, int64_t M,
                                           int64_t K, int64_t N) {
    return tk::run<gemm_tf32_nt_square_general_kernel<64, 8, 2, 4>>(
        site, sizeof(gemm_tf32_nt_square_general_shared<64, 8>), tk::kernel_shape(384).at_once(1),
        tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 128)), A, B, C, M, K, N);
}

}  // namespace

extern "C" {
int gemm_tf32_nt(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*, size_t,
                 cudaStream_t stream) {
    return run_gemm_tf32_nt("gemm_tf32_nt", {0, 1, 2, 3, 4, 5}, A_given, B_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_tf32_nt, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_tf32_nt_square(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*,
                        size_t, cudaStream_t stream) {
    return run_gemm_tf32_nt("gemm_tf32_nt_square", {1, 4}, A_given, B_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_tf32_nt_square, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_tf32_nt_low(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*,
                     size_t, cudaStream_t stream) {
    return run_gemm_tf32_nt("gemm_tf32_nt_low", {2, 5}, A_given, B_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_tf32_nt_low, const DLTensor*, const DLTensor*, DLTensor*)

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
        fast ? 0 : 1, site, sizeof(turned_shared), tk::kernel_shape(256), programs, X, Y, M, N));
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
    choice_2.prefer(
        {tk::suits_fast(A, "K"), tk::suits_fast(Turned, "K"), tk::suits_fast(C, "N"),
         tk::whole_vectors(C, 4)});
    choice_2.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)),
                   11740 +
                   tk::multiply(
                       tk::larger(1614,
                                  (A.stride[0] % 32 == 0 ? 304 : 482) +
                                  (Turned.stride[0] % 32 == 0 ? 607 : 964)) + 20,
                       tk::ceil_div(K, 32)), 2147418112);
    choice_2.candidate();  // gemm_tf32_nt_square
    choice_2.prefer(
        {tk::suits_fast(A, "K"), tk::suits_fast(Turned, "K"), tk::suits_fast(C, "N"),
         tk::whole_vectors(C, 4)});
    choice_2.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
                   6620 +
                   tk::multiply(
                       tk::larger(807,
                                  (A.stride[0] % 32 == 0 ? 304 : 482) +
                                  (Turned.stride[0] % 32 == 0 ? 304 : 482)) + 20,
                       tk::ceil_div(K, 32)), 2147418112);
    choice_2.candidate();  // gemm_tf32_nt_low
    choice_2.prefer(
        {tk::suits_fast(A, "K"), tk::suits_fast(Turned, "K"), tk::suits_fast(C, "N"),
         tk::whole_vectors(C, 4)});
    choice_2.offer(tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 128)),
                   4060 +
                   tk::multiply(
                       tk::larger(404,
                                  (A.stride[0] % 32 == 0 ? 152 : 241) +
                                  (Turned.stride[0] % 32 == 0 ? 304 : 482)) + 20,
                       tk::ceil_div(K, 32)), 2147418112);
    choice_2.candidate(true);  // gemm_tf32_nt_general
    choice_2.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)),
                   9692 + 3092 * tk::ceil_div(K, 32), 2147418112);
    choice_2.candidate(true);  // gemm_tf32_nt_square_general
    choice_2.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
                   5596 + 2068 * tk::ceil_div(K, 32), 2147418112);
    choice_2.candidate(true);  // gemm_tf32_nt_low_general
    choice_2.offer(tk::multiply(tk::ceil_div(M, 64), tk::ceil_div(N, 128)),
                   3548 + 1556 * tk::ceil_div(K, 32), 2147418112);
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
        TK_FINISH_IF_FAILED(launch_gemm_tf32_nt_square(site, A, tk::read_only(Turned), C, M, K, N));
    }
    if (choice_2.best(site) == 2) {
        TK_FINISH_IF_FAILED(launch_gemm_tf32_nt_low(site, A, tk::read_only(Turned), C, M, K, N));
    }
    if (choice_2.best(site) == 3) {
        TK_FINISH_IF_FAILED(
            launch_gemm_tf32_nt_general(site, A, tk::read_only(Turned), C, M, K, N));
    }
    if (choice_2.best(site) == 4) {
        TK_FINISH_IF_FAILED(
            launch_gemm_tf32_nt_square_general(site, A, tk::read_only(Turned), C, M, K, N));
    }
    if (choice_2.best(site) == 5) {
        TK_FINISH_IF_FAILED(
            launch_gemm_tf32_nt_low_general(site, A, tk::read_only(Turned), C, M, K, N));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(gemm_tf32, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*)
}  // extern "C"
