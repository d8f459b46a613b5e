// Made by tkc from gemm_f16.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/mma_f16.cuh"
#include "tk/tk.cuh"

// gemm_f16: kernel gemm_f16 with BM = 256, BN = 256, S = 3.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 229424 bytes of shared memory; persistent.
struct gemm_f16_shared {
    tk::shared_tile<tk::f16, 256, 64> ab_a[3];
    tk::shared_tile<tk::f16, 64, 256> ab_b[3];
    tk::shared_tile<tk::f16, 128, 64> consumer_C[2];
    tk::pipeline<3> ab;
};
static_assert(offsetof(gemm_f16_shared, ab) == 229376);

__global__ void __launch_bounds__(384, 1) gemm_f16_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap C_map, const tk::tensor_argument<tk::f16, 2> C, int M,
    int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_f16_shared& shared = *reinterpret_cast<gemm_f16_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, C_map);
        shared.ab.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_f16.tk:11: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 256);
        const int n_tiles = tk::tiles(N, 256);
        const int programs = m_tiles * n_tiles;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<3> ab_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 256;
                const int n = point.col * 256;

                // gemm_f16.tk:12: for k in K by 64 { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 64) {
                    shared.ab.begin(ab_next, 65536);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 k, n);
                    ab_next.advance();
                }
            }
        }
    } else {
        // gemm_f16.tk:14: role consumer(2 warpgroups) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 256);
        const int n_tiles = tk::tiles(N, 256);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<3> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 256;
            const int n = point.col * 256;

            // gemm_f16.tk:15: var acc: f16[BM, BN] = 0;
            tk::fragment<tk::f16, 128, 256> acc;
            tk::map(acc, []() { return tk::f16(0.0f); });

            // gemm_f16.tk:16: for k in K by 64 { consume ab as s { acc += mma(s.a, s.b, sums = ..
            tk::cursor<3> previous_ab;
            for (int k = 0; k < K; k += 64) {
                const tk::cursor<3> s = shared.ab.take(ab_next);
                tk::mma_async(acc, tk::rows<128>(shared.ab_a[s.stage], 128 * warpgroup),
                              shared.ab_b[s.stage]);
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_f16.tk:17: tma_store(C[m, n], acc);
            #pragma unroll
            for (int panel = 0; panel < 256; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                tk::store_shared(shared.consumer_C[warpgroup], tk::window<128, 64>(acc, 0, panel),
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

// gemm_f16_low: kernel gemm_f16 with BM = 128, BN = 256, S = 4.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 229440 bytes of shared memory; persistent:
// gemm_f16_low_kernel<4, 256, 49152>.
// gemm_f16_square: kernel gemm_f16 with BM = 128, BN = 128, S = 6.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 229472 bytes of shared memory; persistent:
// gemm_f16_low_kernel<6, 128, 32768>.
template <int S, int BN>
struct gemm_f16_low_shared {
    tk::shared_tile<tk::f16, 128, 64> ab_a[S];
    tk::shared_tile<tk::f16, 64, BN> ab_b[S];
    tk::shared_tile<tk::f16, 64, 64> consumer_C[4];
    tk::pipeline<S> ab;
};
static_assert(__builtin_offsetof(gemm_f16_low_shared<4, 256>, ab) == 229376);
static_assert(__builtin_offsetof(gemm_f16_low_shared<6, 128>, ab) == 229376);

template <int S, int BN, int bytes>
__global__ void __launch_bounds__(384, 1) gemm_f16_low_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap C_map, const tk::tensor_argument<tk::f16, 2> C, int M,
    int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_f16_low_shared<S, BN>& shared = *reinterpret_cast<gemm_f16_low_shared<S, BN>*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, C_map);
        shared.ab.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_f16.tk:11: role producer(1 warp) {
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

                // gemm_f16.tk:12: for k in K by 64 { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 64) {
                    shared.ab.begin(ab_next, bytes);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 k, n);
                    ab_next.advance();
                }
            }
        }
    } else {
        // gemm_f16.tk:14: role consumer(2 warpgroups) {
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

            // gemm_f16.tk:15: var acc: f16[BM, BN] = 0;
            tk::fragment<tk::f16, 64, BN> acc;
            tk::map(acc, []() { return tk::f16(0.0f); });

            // gemm_f16.tk:16: for k in K by 64 { consume ab as s { acc += mma(s.a, s.b, sums = ..
            tk::cursor<S> previous_ab;
            for (int k = 0; k < K; k += 64) {
                const tk::cursor<S> s = shared.ab.take(ab_next);
                tk::mma_async(acc, tk::rows<64>(shared.ab_a[s.stage], 64 * warpgroup),
                              shared.ab_b[s.stage]);
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_f16.tk:17: tma_store(C[m, n], acc);
            #pragma unroll
            for (int panel = 0; panel < BN; panel += 64) {
                tk::store_shared(shared.consumer_C[warpgroup * 2 + panel / 64 % 2],
                                 tk::window<64, 64>(acc, 0, panel), thread);
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

namespace {
int run_gemm_f16(const char* function, tk::candidates offered, const DLTensor* A_given,
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
         tk::same_extent("N", B, 1, C, 1), tk::extents_fit({{"M", M}, {"K", K}, {"N", N}}),
         tk::suits_tma_load(A, "K"), tk::suits_tma_load(B, "N"), tk::suits_tma_store(C, "N")});
    if (!call.ok()) return tk::finish(call.result());

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call, offered};
    choice.candidate();  // gemm_f16
    choice.offer(tk::multiply(tk::ceil_div(M, 256), tk::ceil_div(N, 256)),
                 5148 +
                 tk::multiply(
                     tk::larger(2048,
                                (A.stride[0] % 64 == 0 ? 607 : 964) +
                                (B.stride[0] % 64 == 0 ? 607 : 964)) + 20, tk::ceil_div(K, 64)),
                 2147418112);
    choice.candidate();  // gemm_f16_low
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)),
                 3324 +
                 tk::multiply(
                     tk::larger(1024,
                                (A.stride[0] % 64 == 0 ? 304 : 482) +
                                (B.stride[0] % 64 == 0 ? 607 : 964)) + 20, tk::ceil_div(K, 64)),
                 2147418112);
    choice.candidate();  // gemm_f16_square
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
                 2412 +
                 tk::multiply(
                     tk::larger(512,
                                (A.stride[0] % 64 == 0 ? 304 : 482) +
                                (B.stride[0] % 64 == 0 ? 304 : 482)) + 20, tk::ceil_div(K, 64)),
                 2147418112);
    if (!choice.ok()) return tk::finish(choice.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    const int best = choice.best(site);
    if (best == 0) {
        return tk::finish(tk::run<gemm_f16_kernel>(
            site, sizeof(gemm_f16_shared), tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 256), tk::ceil_div(N, 256)), tk::box{A, {256, 64}, 128},
            tk::box{B, {64, 64}, 128}, tk::box{C, {128, 64}, 128}, C, M, K, N));
    }
    if (best == 1) {
        return tk::finish(tk::run<gemm_f16_low_kernel<4, 256, 49152>>(
            site, sizeof(gemm_f16_low_shared<4, 256>),
            tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), tk::box{A, {128, 64}, 128},
            tk::box{B, {64, 64}, 128}, tk::box{C, {64, 64}, 128}, C, M, K, N));
    }
    return tk::finish(tk::run<gemm_f16_low_kernel<6, 128, 32768>>(
        site, sizeof(gemm_f16_low_shared<6, 128>), tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), tk::box{A, {128, 64}, 128},
        tk::box{B, {64, 64}, 128}, tk::box{C, {64, 64}, 128}, C, M, K, N));
}

}  // namespace

extern "C" {
int gemm_f16(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*, size_t,
             cudaStream_t stream) {
    return run_gemm_f16("gemm_f16", {0, 1, 2}, A_given, B_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_f16, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_f16_low(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*, size_t,
                 cudaStream_t stream) {
    return run_gemm_f16("gemm_f16_low", {1}, A_given, B_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_f16_low, const DLTensor*, const DLTensor*, DLTensor*)

int gemm_f16_square(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*,
                    size_t, cudaStream_t stream) {
    return run_gemm_f16("gemm_f16_square", {2}, A_given, B_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_f16_square, const DLTensor*, const DLTensor*, DLTensor*)
}  // extern "C"
