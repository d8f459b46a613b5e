// Made by tkc from gemm_simple.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/ptx/wgmma_n256.cuh"
#include "tk/tk.cuh"

// gemm_simple: kernel gemm_simple with BM = 128, BN = 256, BK = 64.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 229440 bytes of shared memory; persistent:
// gemm_simple_kernel<256, 49152>.
// gemm_simple_square: kernel gemm_simple with BM = 128, BN = 128, BK = 64.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 163904 bytes of shared memory; persistent:
// gemm_simple_kernel<128, 32768>.
template <int BN>
struct gemm_simple_shared {
    tk::shared_tile<tk::bf16, 128, 64> a_b_tiles_a[4];
    tk::shared_tile<tk::bf16, 64, BN> a_b_tiles_b[4];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[4];
    tk::pipeline<4> a_b_tiles;
};
static_assert(offsetof(gemm_simple_shared<256>, a_b_tiles) == 229376);
static_assert(offsetof(gemm_simple_shared<128>, a_b_tiles) == 163840);

template <int BN, int bytes>
__global__ void __launch_bounds__(384, 1) gemm_simple_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap C_map, const tk::tensor_argument<tk::bf16, 2> C, int M,
    int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_simple_shared<BN>& shared = *reinterpret_cast<gemm_simple_shared<BN>*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, C_map);
        shared.a_b_tiles.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_simple.tk:4: kernel gemm_simple<schedule BM: int = 128, schedule BN: int = 256, ..
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

                // gemm_simple.tk:9: for k in K by BK pipelined(4) { acc += mma(load(A[m, k]), ..
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
        // gemm_simple.tk:4: kernel gemm_simple<schedule BM: int = 128, schedule BN: int = 256, ..
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

            // gemm_simple.tk:8: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, BN> acc;
            tk::zero(acc);

            // gemm_simple.tk:9: for k in K by BK pipelined(4) { acc += mma(load(A[m, k]), ..
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

            // gemm_simple.tk:10: store(C[m, n], bf16(acc));
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

// gemm_simple_general: kernel gemm_simple with BM = 128, BN = 256, BK = 64; any strides and
// alignment.
// producer: 1 warp, 56 registers a thread; consumer: 2 warpgroups, 224 registers a thread.
// 384 threads, 168 registers each at first, 196672 bytes of shared memory; persistent:
// gemm_simple_general_kernel<256>.
// gemm_simple_square_general: kernel gemm_simple with BM = 128, BN = 128, BK = 64; any strides and
// alignment.
// producer: 1 warp, 56 registers a thread; consumer: 2 warpgroups, 224 registers a thread.
// 384 threads, 168 registers each at first, 131136 bytes of shared memory; persistent:
// gemm_simple_general_kernel<128>.
template <int BN>
struct gemm_simple_general_shared {
    tk::shared_tile<tk::bf16, 128, 64> a_b_tiles_a[4];
    tk::shared_tile<tk::bf16, 64, BN> a_b_tiles_b[4];
    tk::pipeline<4> a_b_tiles;
};
static_assert(offsetof(gemm_simple_general_shared<256>, a_b_tiles) == 196608);
static_assert(offsetof(gemm_simple_general_shared<128>, a_b_tiles) == 131072);

template <int BN>
__global__ void __launch_bounds__(384, 1) gemm_simple_general_kernel(
    const tk::tensor_argument<const tk::bf16, 2> A, const tk::tensor_argument<const tk::bf16, 2> B,
    const tk::tensor_argument<tk::bf16, 2> C, int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_simple_general_shared<BN>& shared =
        *reinterpret_cast<gemm_simple_general_shared<BN>*>(memory);

    if (threadIdx.x == 0) {
        shared.a_b_tiles.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_simple.tk:4: kernel gemm_simple<schedule BM: int = 128, schedule BN: int = 256, ..
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

                // gemm_simple.tk:9: for k in K by BK pipelined(4) { acc += mma(load(A[m, k]), ..
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
        // gemm_simple.tk:4: kernel gemm_simple<schedule BM: int = 128, schedule BN: int = 256, ..
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

            // gemm_simple.tk:8: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, BN> acc;
            tk::zero(acc);

            // gemm_simple.tk:9: for k in K by BK pipelined(4) { acc += mma(load(A[m, k]), ..
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

            // gemm_simple.tk:10: store(C[m, n], bf16(acc));
            tk::fragment<tk::bf16, 64, BN> t0 = tk::convert<tk::bf16>(acc);
            tk::store_global(tk::slice(C, {m + 64 * warpgroup, n}, M - (m + 64 * warpgroup), N - n),
                             t0, thread);
        }
    }
}

namespace {
int run_gemm_simple(const char* function, tk::candidates offered, const DLTensor* A_given,
                    const DLTensor* B_given, DLTensor* C_given, cudaStream_t stream) {
    tk::arguments call{function};
    const tk::tensor A = call.take("A", A_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor B = call.take("B", B_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_bf16, 2, tk::access::write);
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
    choice.candidate();  // gemm_simple
    choice.prefer({tk::suits_fast(A, "K"), tk::suits_fast(B, "N"), tk::suits_fast(C, "N")});
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)),
                 3580 +
                 tk::multiply(
                     tk::max_of(1024,
                                (A.stride[0] % 64 == 0 ? 304 : 482) +
                                (B.stride[0] % 64 == 0 ? 607 : 964)) + 20, tk::ceil_div(K, 64)),
                 2147418112);
    choice.candidate();  // gemm_simple_square
    choice.prefer({tk::suits_fast(A, "K"), tk::suits_fast(B, "N"), tk::suits_fast(C, "N")});
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
                 2540 +
                 tk::multiply(
                     tk::max_of(512,
                                (A.stride[0] % 64 == 0 ? 304 : 482) +
                                (B.stride[0] % 64 == 0 ? 304 : 482)) + 20, tk::ceil_div(K, 64)),
                 2147418112);
    choice.candidate(true);  // gemm_simple_general
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)),
                 5852 + 3092 * tk::ceil_div(K, 64), 2147418112);
    choice.candidate(true);  // gemm_simple_square_general
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
                 3676 + 2068 * tk::ceil_div(K, 64), 2147418112);
    if (!choice.ok()) return tk::finish(choice.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    const int best = choice.best(site);
    if (best == 0) {
        return tk::finish(tk::run<gemm_simple_kernel<256, 49152>>(
            site, sizeof(gemm_simple_shared<256>),
            tk::kernel_shape(384).blocks_per_sm(1).programmatic_launch(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), tk::box{A, {128, 64}, 128},
            tk::box{B, {64, 64}, 128}, tk::box{C, {64, 64}, 128}, C, M, K, N));
    }
    if (best == 1) {
        return tk::finish(tk::run<gemm_simple_kernel<128, 32768>>(
            site, sizeof(gemm_simple_shared<128>),
            tk::kernel_shape(384).blocks_per_sm(1).programmatic_launch(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), tk::box{A, {128, 64}, 128},
            tk::box{B, {64, 64}, 128}, tk::box{C, {64, 64}, 128}, C, M, K, N));
    }
    if (best == 2) {
        return tk::finish(tk::run<gemm_simple_general_kernel<256>>(
            site, sizeof(gemm_simple_general_shared<256>),
            tk::kernel_shape(384).blocks_per_sm(1).programmatic_launch(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), A, B, C, M, K, N));
    }
    return tk::finish(tk::run<gemm_simple_general_kernel<128>>(
        site, sizeof(gemm_simple_general_shared<128>),
        tk::kernel_shape(384).blocks_per_sm(1).programmatic_launch(),
        tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), A, B, C, M, K, N));
}

}  // namespace

extern "C" {
int gemm_simple(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*, size_t,
                cudaStream_t stream) {
    return run_gemm_simple("gemm_simple", {0, 1, 2, 3}, A_given, B_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_simple, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_simple_square(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*,
                       size_t, cudaStream_t stream) {
    return run_gemm_simple("gemm_simple_square", {1, 3}, A_given, B_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_simple_square, const DLTensor*, const DLTensor*, DLTensor*)
}  // extern "C"
