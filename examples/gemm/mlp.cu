// Made by tkc from mlp.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/cells.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/tk.cuh"

// layer: kernel layer with BM = 128, BN = 128, BK = 64.
// producer: 4 warps, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 163904 bytes of shared memory; persistent.
struct layer_shared {
    tk::shared_tile<tk::bf16, 128, 64> ab_a[4];
    tk::shared_tile<tk::bf16, 64, 128> ab_b[4];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[4];
    tk::pipeline<4> ab;
};
static_assert(offsetof(layer_shared, ab) == 163840);

__global__ void __launch_bounds__(384, 1) layer_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap C_map, const tk::tensor_argument<tk::bf16, 2> C, int M,
    int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    layer_shared& shared = *reinterpret_cast<layer_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, C_map);
        shared.ab.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // mlp.tk:9: role producer(4 warps) {
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<4> ab_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 128;
                const int n = point.col * 128;

                // mlp.tk:10: for k in K by BK { produce ab { a = load(A[m, k]); b = load(B[k, ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 64) {
                    shared.ab.begin(ab_next, 32768);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 k, n);
                    ab_next.advance();
                }
            }
        }
    } else {
        // mlp.tk:12: role consumer(2 warpgroups) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<4> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * 128;

            // mlp.tk:13: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 128> acc;
            tk::zero(acc);

            // mlp.tk:14: for k in K by BK { consume ab as s { acc += mma(s.a, s.b); } }
            tk::cursor<4> previous_ab;
            for (int k = 0; k < K; k += 64) {
                const tk::cursor<4> s = shared.ab.take(ab_next);
                tk::mma_async(acc, tk::rows<64>(shared.ab_a[s.stage], 64 * warpgroup),
                              shared.ab_b[s.stage]);
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // mlp.tk:15: store(C[m, n], bf16(acc));
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
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

// layer_general: kernel layer with BM = 128, BN = 128, BK = 64; any strides and alignment.
// producer: 4 warps, 56 registers a thread; consumer: 2 warpgroups, 224 registers a thread.
// 384 threads, 168 registers each at first, 131136 bytes of shared memory; persistent.
struct layer_general_shared {
    tk::shared_tile<tk::bf16, 128, 64> ab_a[4];
    tk::shared_tile<tk::bf16, 64, 128> ab_b[4];
    tk::pipeline<4> ab;
};
static_assert(offsetof(layer_general_shared, ab) == 131072);

__global__ void __launch_bounds__(384, 1) layer_general_kernel(
    const tk::tensor_argument<const tk::bf16, 2> A, const tk::tensor_argument<const tk::bf16, 2> B,
    const tk::tensor_argument<tk::bf16, 2> C, int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    layer_general_shared& shared = *reinterpret_cast<layer_general_shared*>(memory);

    if (threadIdx.x == 0) {
        shared.ab.init(4, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // mlp.tk:9: role producer(4 warps) {
        tk::registers_at_most<56>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        const int thread = int(threadIdx.x) - 256;
        tk::cursor<4> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * 128;

            // mlp.tk:10: for k in K by BK { produce ab { a = load(A[m, k]); b = load(B[k, n]); } }
            #pragma unroll 1
            for (int k = 0; k < K; k += 64) {
                shared.ab.wait_empty(ab_next);
                tk::copy_to_shared(shared.ab_a[ab_next.stage], tk::slice(A, {m, k}, M - m, K - k),
                                   thread, 128);
                tk::copy_to_shared(shared.ab_b[ab_next.stage], tk::slice(B, {k, n}, K - k, N - n),
                                   thread, 128);
                shared.ab.publish(ab_next);
                ab_next.advance();
            }
        }
    } else {
        // mlp.tk:12: role consumer(2 warpgroups) {
        tk::registers_at_least<224>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        tk::cursor<4> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * 128;

            // mlp.tk:13: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 128> acc;
            tk::zero(acc);

            // mlp.tk:14: for k in K by BK { consume ab as s { acc += mma(s.a, s.b); } }
            tk::cursor<4> previous_ab;
            for (int k = 0; k < K; k += 64) {
                const tk::cursor<4> s = shared.ab.take(ab_next);
                tk::mma_async(acc, tk::rows<64>(shared.ab_a[s.stage], 64 * warpgroup),
                              shared.ab_b[s.stage]);
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // mlp.tk:15: store(C[m, n], bf16(acc));
            tk::fragment<tk::bf16, 64, 128> t0 = tk::convert<tk::bf16>(acc);
            tk::store_global(tk::slice(C, {m + 64 * warpgroup, n}, M - (m + 64 * warpgroup), N - n),
                             t0, thread);
        }
    }
}

// hidden_layer: kernel hidden_layer with BM = 128, BN = 128, BK = 64.
// producer: 4 warps, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 163904 bytes of shared memory; persistent.
struct hidden_layer_shared {
    tk::shared_tile<tk::bf16, 128, 64> ab_a[4];
    tk::shared_tile<tk::bf16, 64, 128> ab_b[4];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[4];
    tk::pipeline<4> ab;
};
static_assert(offsetof(hidden_layer_shared, ab) == 163840);

__global__ void __launch_bounds__(384, 1) hidden_layer_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap C_map, const tk::tensor_argument<const tk::bf16, 1> bias,
    const tk::tensor_argument<tk::bf16, 2> C, int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    hidden_layer_shared& shared = *reinterpret_cast<hidden_layer_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, C_map);
        shared.ab.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // mlp.tk:25: role producer(4 warps) {
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<4> ab_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 128;
                const int n = point.col * 128;

                // mlp.tk:26: for k in K by BK { produce ab { a = load(A[m, k]); b = load(B[k, ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 64) {
                    shared.ab.begin(ab_next, 32768);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 k, n);
                    ab_next.advance();
                }
            }
        }
    } else {
        // mlp.tk:28: role consumer(2 warpgroups) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<4> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * 128;

            // mlp.tk:29: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 128> acc;
            tk::zero(acc);

            // mlp.tk:30: for k in K by BK { consume ab as s { acc += mma(s.a, s.b); } }
            tk::cursor<4> previous_ab;
            for (int k = 0; k < K; k += 64) {
                const tk::cursor<4> s = shared.ab.take(ab_next);
                tk::mma_async(acc, tk::rows<64>(shared.ab_a[s.stage], 64 * warpgroup),
                              shared.ab_b[s.stage]);
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // mlp.tk:31: store(C[m, n], bf16(max(acc + load(bias[n]), 0)));
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                tk::fragment<tk::bf16, 64, 64> t1;
                tk::map(t1, thread, [&](int, int col, float acc) {
                    return tk::max(acc +
                                   (n + panel + col < N ? float(tk::cell(bias, n + panel + col))
                                    : 0.0f), 0.0f);
                }, tk::subtile<64, 64>(acc, 0, panel));
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

// hidden_layer_general: kernel hidden_layer with BM = 128, BN = 128, BK = 64; any strides and
// alignment.
// producer: 4 warps, 56 registers a thread; consumer: 2 warpgroups, 224 registers a thread.
// 384 threads, 168 registers each at first, 131136 bytes of shared memory; persistent.
struct hidden_layer_general_shared {
    tk::shared_tile<tk::bf16, 128, 64> ab_a[4];
    tk::shared_tile<tk::bf16, 64, 128> ab_b[4];
    tk::pipeline<4> ab;
};
static_assert(offsetof(hidden_layer_general_shared, ab) == 131072);

__global__ void __launch_bounds__(384, 1) hidden_layer_general_kernel(
    const tk::tensor_argument<const tk::bf16, 2> A, const tk::tensor_argument<const tk::bf16, 2> B,
    const tk::tensor_argument<const tk::bf16, 1> bias, const tk::tensor_argument<tk::bf16, 2> C,
    int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    hidden_layer_general_shared& shared = *reinterpret_cast<hidden_layer_general_shared*>(memory);

    if (threadIdx.x == 0) {
        shared.ab.init(4, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // mlp.tk:25: role producer(4 warps) {
        tk::registers_at_most<56>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        const int thread = int(threadIdx.x) - 256;
        tk::cursor<4> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * 128;

            // mlp.tk:26: for k in K by BK { produce ab { a = load(A[m, k]); b = load(B[k, n]); } }
            #pragma unroll 1
            for (int k = 0; k < K; k += 64) {
                shared.ab.wait_empty(ab_next);
                tk::copy_to_shared(shared.ab_a[ab_next.stage], tk::slice(A, {m, k}, M - m, K - k),
                                   thread, 128);
                tk::copy_to_shared(shared.ab_b[ab_next.stage], tk::slice(B, {k, n}, K - k, N - n),
                                   thread, 128);
                shared.ab.publish(ab_next);
                ab_next.advance();
            }
        }
    } else {
        // mlp.tk:28: role consumer(2 warpgroups) {
        tk::registers_at_least<224>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        tk::cursor<4> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * 128;

            // mlp.tk:29: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 128> acc;
            tk::zero(acc);

            // mlp.tk:30: for k in K by BK { consume ab as s { acc += mma(s.a, s.b); } }
            tk::cursor<4> previous_ab;
            for (int k = 0; k < K; k += 64) {
                const tk::cursor<4> s = shared.ab.take(ab_next);
                tk::mma_async(acc, tk::rows<64>(shared.ab_a[s.stage], 64 * warpgroup),
                              shared.ab_b[s.stage]);
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // mlp.tk:31: store(C[m, n], bf16(max(acc + load(bias[n]), 0)));
            tk::fragment<tk::bf16, 64, 128> t1;
            tk::map(t1, thread, [&](int, int col, float acc) {
                return tk::max(acc + (n + col < N ? float(tk::cell(bias, n + col)) : 0.0f), 0.0f);
            }, acc);
            tk::store_global(tk::slice(C, {m + 64 * warpgroup, n}, M - (m + 64 * warpgroup), N - n),
                             t1, thread);
        }
    }
}

namespace {
tk::status launch_hidden_layer(const tk::launch_site& site, const tk::tensor& A,
                               const tk::tensor& B, const tk::tensor& bias, const tk::tensor& C,
                               int64_t M, int64_t K, int64_t N) {
    return tk::run<hidden_layer_kernel>(
        site, sizeof(hidden_layer_shared),
        tk::kernel_shape(384).blocks_per_sm(1).programmatic_launch(),
        tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), tk::box{A, {128, 64}, 128},
        tk::box{B, {64, 64}, 128}, tk::box{C, {64, 64}, 128}, bias, C, M, K, N);
}

tk::status launch_hidden_layer_general(const tk::launch_site& site, const tk::tensor& A,
                                       const tk::tensor& B, const tk::tensor& bias,
                                       const tk::tensor& C, int64_t M, int64_t K, int64_t N) {
    return tk::run<hidden_layer_general_kernel>(
        site, sizeof(hidden_layer_general_shared),
        tk::kernel_shape(384).blocks_per_sm(1).programmatic_launch(),
        tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), A, B, bias, C, M, K, N);
}

tk::status launch_layer(const tk::launch_site& site, const tk::tensor& A, const tk::tensor& B,
                        const tk::tensor& C, int64_t M, int64_t K, int64_t N) {
    return tk::run<layer_kernel>(
        site, sizeof(layer_shared), tk::kernel_shape(384).blocks_per_sm(1).programmatic_launch(),
        tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), tk::box{A, {128, 64}, 128},
        tk::box{B, {64, 64}, 128}, tk::box{C, {64, 64}, 128}, C, M, K, N);
}

tk::status launch_layer_general(const tk::launch_site& site, const tk::tensor& A,
                                const tk::tensor& B, const tk::tensor& C, int64_t M, int64_t K,
                                int64_t N) {
    return tk::run<layer_general_kernel>(
        site, sizeof(layer_general_shared),
        tk::kernel_shape(384).blocks_per_sm(1).programmatic_launch(),
        tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), A, B, C, M, K, N);
}

}  // namespace

extern "C" {
int layer(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*, size_t,
          cudaStream_t stream) {
    tk::arguments call{"layer"};
    const tk::tensor A = call.take("A", A_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor B = call.take("B", B_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = A.shape[0];
    const int64_t K = A.shape[1];
    const int64_t N = B.shape[1];
    call.require(
        {tk::same_extent("K", A, 1, B, 0), tk::same_extent("M", A, 0, C, 0),
         tk::same_extent("N", B, 1, C, 1), tk::extents_fit({{"M", M}, {"K", K}, {"N", N}}),
         tk::grid_fits(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), 2147418112)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128));
    const bool fast =
        tk::all_hold({tk::suits_fast(A, "K"), tk::suits_fast(B, "N"), tk::suits_fast(C, "N")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(
            tk::run<layer_kernel>(site, sizeof(layer_shared),
                                  tk::kernel_shape(384).blocks_per_sm(1).programmatic_launch(),
                                  programs, tk::box{A, {128, 64}, 128}, tk::box{B, {64, 64}, 128},
                                  tk::box{C, {64, 64}, 128}, C, M, K, N));
    }
    return tk::finish(tk::run<layer_general_kernel>(
        site, sizeof(layer_general_shared),
        tk::kernel_shape(384).blocks_per_sm(1).programmatic_launch(), programs, A, B, C, M, K, N));
}
TK_NO_WORKSPACE(layer, const DLTensor*, const DLTensor*, DLTensor*)

int hidden_layer(const DLTensor* A_given, const DLTensor* B_given, const DLTensor* bias_given,
                 DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"hidden_layer"};
    const tk::tensor A = call.take("A", A_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor B = call.take("B", B_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor bias = call.take("bias", bias_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = A.shape[0];
    const int64_t K = A.shape[1];
    const int64_t N = B.shape[1];
    call.require(
        {tk::same_extent("K", A, 1, B, 0), tk::same_extent("N", B, 1, bias, 0),
         tk::same_extent("M", A, 0, C, 0), tk::same_extent("N", B, 1, C, 1),
         tk::extents_fit({{"M", M}, {"K", K}, {"N", N}}),
         tk::grid_fits(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), 2147418112)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128));
    const bool fast =
        tk::all_hold({tk::suits_fast(A, "K"), tk::suits_fast(B, "N"), tk::suits_fast(C, "N")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(tk::run<hidden_layer_kernel>(
            site, sizeof(hidden_layer_shared),
            tk::kernel_shape(384).blocks_per_sm(1).programmatic_launch(), programs,
            tk::box{A, {128, 64}, 128}, tk::box{B, {64, 64}, 128}, tk::box{C, {64, 64}, 128}, bias,
            C, M, K, N));
    }
    return tk::finish(tk::run<hidden_layer_general_kernel>(
        site, sizeof(hidden_layer_general_shared),
        tk::kernel_shape(384).blocks_per_sm(1).programmatic_launch(), programs, A, B, bias, C, M, K,
        N));
}
TK_NO_WORKSPACE(hidden_layer, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*)

int mlp(const DLTensor* X_given, const DLTensor* W1_given, const DLTensor* bias_given,
        const DLTensor* W2_given, DLTensor* Y_given, DLTensor* T_given, void*, size_t,
        cudaStream_t stream) {
    tk::arguments call{"mlp"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor W1 = call.take("W1", W1_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor bias = call.take("bias", bias_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor W2 = call.take("W2", W2_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor T = call.take("T", T_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = X.shape[0];
    const int64_t K = X.shape[1];
    const int64_t H = W1.shape[1];
    const int64_t N = W2.shape[1];
    call.require(
        {tk::same_extent("K", X, 1, W1, 0), tk::same_extent("H", W1, 1, bias, 0),
         tk::same_extent("H", W1, 1, W2, 0), tk::same_extent("M", X, 0, Y, 0),
         tk::same_extent("N", W2, 1, Y, 1), tk::same_extent("M", X, 0, T, 0),
         tk::same_extent("H", W1, 1, T, 1),
         tk::extents_fit({{"M", M}, {"K", K}, {"H", H}, {"N", N}})});
    // hidden_layer(X, W1, bias, T)
    call.require(
        {tk::grid_fits(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(H, 128)), 2147418112)});
    // layer(T, W2, Y)
    call.require(
        {tk::grid_fits(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), 2147418112)});
    if (!call.ok()) return tk::finish(call.result());

    // hidden_layer(X, W1, bias, T)
    const bool choice_1 =
        tk::all_hold({tk::suits_fast(X, "K"), tk::suits_fast(W1, "H"), tk::suits_fast(T, "H")});

    // layer(T, W2, Y)
    const bool choice_2 =
        tk::all_hold({tk::suits_fast(T, "H"), tk::suits_fast(W2, "N"), tk::suits_fast(Y, "N")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1) {
        TK_FINISH_IF_FAILED(launch_hidden_layer(site, X, W1, bias, T, M, K, H));
    } else {
        TK_FINISH_IF_FAILED(launch_hidden_layer_general(site, X, W1, bias, T, M, K, H));
    }
    if (choice_2) {
        TK_FINISH_IF_FAILED(launch_layer(site, tk::read_only(T), W2, Y, M, H, N));
    } else {
        TK_FINISH_IF_FAILED(launch_layer_general(site, tk::read_only(T), W2, Y, M, H, N));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(mlp, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*,
                DLTensor*)
}  // extern "C"
