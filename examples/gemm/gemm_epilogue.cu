// Made by tkc from gemm_epilogue.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/cells.cuh"
#include "tk/operations/integer.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/ptx/wgmma_n256.cuh"
#include "tk/tk.cuh"

// gated_residual: kernel gated_residual with BM = 128, BN = 256, BK = 64.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 213056 bytes of shared memory; persistent.
struct gated_residual_shared {
    tk::shared_tile<tk::bf16, 128, 64> ab_a[3];
    tk::shared_tile<tk::bf16, 256, 64> ab_b[3];
    tk::shared_tile<tk::bf16, 128, 256> xs_tile[1];
    tk::pipeline<3> ab;
    tk::pipeline<1> xs;
};
static_assert(offsetof(gated_residual_shared, xs) == 213040);

__global__ void __launch_bounds__(384, 1) gated_residual_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap X_map, const __grid_constant__ CUtensorMap Y_map,
    const __grid_constant__ CUtensorMap H_map, const tk::tensor_argument<const tk::bf16, 1> gate,
    const tk::tensor_argument<tk::bf16, 2> H, const tk::tensor_argument<tk::bf16, 2> Y, int M,
    int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gated_residual_shared& shared = *reinterpret_cast<gated_residual_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, X_map, Y_map, H_map);
        shared.ab.init(1, 8);
        shared.xs.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_epilogue.tk:12: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 256);
        const int programs = m_tiles * n_tiles;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<3> ab_next;
            tk::cursor<1> xs_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 128;
                const int n = point.col * 256;

                // gemm_epilogue.tk:13: for k in K by BK { produce ab { a = tma_load(A[m, k]); b ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 64) {
                    shared.ab.begin(ab_next, 49152);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 n, k);
                    ab_next.advance();
                }

                // gemm_epilogue.tk:14: produce xs = tma_load(X[m, n]);
                shared.xs.begin(xs_next, 65536);
                tk::tma_load(shared.xs_tile[xs_next.stage], X_map, shared.xs.full[xs_next.stage], m,
                             n);
                xs_next.advance();
            }
        }
    } else {
        // gemm_epilogue.tk:16: role consumer(2 warpgroups) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 256);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<3> ab_next;
        tk::cursor<1> xs_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * 256;

            // gemm_epilogue.tk:17: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 256> acc;
            tk::zero(acc);

            // gemm_epilogue.tk:18: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
            tk::cursor<3> previous_ab;
            for (int k = 0; k < K; k += 64) {
                const tk::cursor<3> s = shared.ab.take(ab_next);
                tk::mma_async(acc, tk::rows<64>(shared.ab_a[s.stage], 64 * warpgroup),
                              tk::transposed(shared.ab_b[s.stage]));
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_epilogue.tk:19: let x = consume xs;
            const tk::cursor<1> x_element = shared.xs.take(xs_next);

            // gemm_epilogue.tk:20: tma_store(Y[m, n], bf16(x + load(gate[n]) * acc));
            tk::fragment<tk::bf16, 64, 256> t3;
            tk::load_shared(t3, tk::rows<64>(shared.xs_tile[x_element.stage], 64 * warpgroup),
                            thread);
            #pragma unroll
            for (int panel = 0; panel < 256; panel += 64) {
                tk::fragment<tk::bf16, 64, 64> t1;
                tk::map(t1, thread, [&](int, int col, float acc, tk::bf16 t3) {
                    return tk::fma(n + panel + col < N ? float(tk::cell(gate, n + panel + col))
                                   : 0.0f, acc, float(t3));
                }, tk::window<64, 64>(acc, 0, panel), tk::window<64, 64>(t3, 0, panel));
                tk::store_shared(
                    tk::block<64>(shared.xs_tile[x_element.stage], panel / 64 % 4 * 2 + warpgroup),
                    t1, thread);
                tk::fence_async();
                tk::barrier_sync(1 + warpgroup, 128);
                if (N % 8 != 0 && N < n + panel + 64) {
                    tk::copy_to_global(
                        tk::dense_slice(Y, {m + warpgroup * 64, n + panel},
                                        M - (m + warpgroup * 64), N - (n + panel)),
                        tk::block<64>(shared.xs_tile[x_element.stage],
                                      panel / 64 % 4 * 2 + warpgroup));
                    if (leader) tk::tma_store_nothing();
                } else if (leader) {
                    tk::tma_store(Y_map,
                                  tk::block<64>(shared.xs_tile[x_element.stage],
                                                panel / 64 % 4 * 2 + warpgroup), m + warpgroup * 64,
                                  n + panel);
                }
            }

            // gemm_epilogue.tk:21: tma_store(H[m, n], bf16(acc));
            #pragma unroll
            for (int panel = 0; panel < 256; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                tk::store_shared(
                    tk::block<64>(shared.xs_tile[x_element.stage], panel / 64 % 4 * 2 + warpgroup),
                    tk::convert<tk::bf16>(tk::window<64, 64>(acc, 0, panel)), thread);
                tk::fence_async();
                tk::barrier_sync(1 + warpgroup, 128);
                if (N % 8 != 0 && N < n + panel + 64) {
                    tk::copy_to_global(
                        tk::dense_slice(H, {m + warpgroup * 64, n + panel},
                                        M - (m + warpgroup * 64), N - (n + panel)),
                        tk::block<64>(shared.xs_tile[x_element.stage],
                                      panel / 64 % 4 * 2 + warpgroup));
                    if (leader) tk::tma_store_nothing();
                } else if (leader) {
                    tk::tma_store(H_map,
                                  tk::block<64>(shared.xs_tile[x_element.stage],
                                                panel / 64 % 4 * 2 + warpgroup), m + warpgroup * 64,
                                  n + panel);
                }
            }
            if (leader) tk::tma_store_wait_read<0>();
            shared.xs.release_after_loads(x_element);
        }
    }
}

// logits: kernel logits with BM = 128, BN = 128, BK = 64.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 163904 bytes of shared memory; persistent.
struct logits_shared {
    tk::shared_tile<tk::bf16, 128, 64> ab_a[4];
    tk::shared_tile<tk::bf16, 128, 64> ab_b[4];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[4];
    tk::pipeline<4> ab;
};
static_assert(offsetof(logits_shared, ab) == 163840);

__global__ void __launch_bounds__(384, 1) logits_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap C_map, const tk::tensor_argument<tk::bf16, 2> C,
    const tk::tensor_argument<float, 2> largest, int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    logits_shared& shared = *reinterpret_cast<logits_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, C_map);
        shared.ab.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_epilogue.tk:31: role producer(1 warp) {
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

                // gemm_epilogue.tk:32: for k in K by BK { produce ab { a = tma_load(A[m, k]); b ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 64) {
                    shared.ab.begin(ab_next, 32768);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 n, k);
                    ab_next.advance();
                }
            }
        }
    } else {
        // gemm_epilogue.tk:34: role consumer(2 warpgroups) {
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

            // gemm_epilogue.tk:35: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 128> acc;
            tk::zero(acc);

            // gemm_epilogue.tk:36: for k in K by BK { consume ab as s { acc += mma(s.a, s.b.T); } }
            tk::cursor<4> previous_ab;
            for (int k = 0; k < K; k += 64) {
                const tk::cursor<4> s = shared.ab.take(ab_next);
                tk::mma_async(acc, tk::rows<64>(shared.ab_a[s.stage], 64 * warpgroup),
                              tk::transposed(shared.ab_b[s.stage]));
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_epilogue.tk:37: store(largest[n.index, m], max(pad(acc, axis = 1, with = ..
            tk::fragment<float, 64, 128> t0;
            tk::map(t0, thread, [&](int, int col, float acc) {
                return col < N - n ? acc : -INFINITY;
            }, acc);
            tk::column_fragment<float, 64> t1;
            tk::fold_rows(t1, t0, tk::maximum{}, thread);
            tk::finish_rows(t1, tk::maximum{});
            tk::store_global(
                tk::slice<1, tk::no_axis>(largest, {n / 128, m + 64 * warpgroup},
                                          n / 128 < tk::divide_up(N, 128) ? M - (m + 64 * warpgroup)
                                          : 0, 1), t1, thread);

            // gemm_epilogue.tk:38: tma_store(C[m, n], bf16(acc));
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
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

extern "C" {
int gated_residual(const DLTensor* A_given, const DLTensor* B_given, const DLTensor* gate_given,
                   const DLTensor* X_given, DLTensor* H_given, DLTensor* Y_given, void*, size_t,
                   cudaStream_t stream) {
    tk::arguments call{"gated_residual"};
    const tk::tensor A = call.take("A", A_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor B = call.take("B", B_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor gate = call.take("gate", gate_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor H = call.take("H", H_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = A.shape[0];
    const int64_t K = A.shape[1];
    const int64_t N = B.shape[0];
    call.require(
        {tk::same_extent("K", A, 1, B, 1), tk::same_extent("N", B, 0, gate, 0),
         tk::same_extent("M", A, 0, X, 0), tk::same_extent("N", B, 0, X, 1),
         tk::same_extent("M", A, 0, H, 0), tk::same_extent("N", B, 0, H, 1),
         tk::same_extent("M", A, 0, Y, 0), tk::same_extent("N", B, 0, Y, 1),
         tk::extents_fit({{"M", M}, {"K", K}, {"N", N}}), tk::suits_tma_load(A, "K"),
         tk::suits_tma_load(B, "K"), tk::suits_tma_load(X, "N"), tk::suits_tma_store(H, "N"),
         tk::suits_tma_store(Y, "N"),
         tk::grid_fits(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), 2147418112)});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<gated_residual_kernel>(
        site, sizeof(gated_residual_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), tk::box{A, {128, 64}, 128},
        tk::box{B, {256, 64}, 128}, tk::box{X, {128, 64}, 128}, tk::box{Y, {64, 64}, 128},
        tk::box{H, {64, 64}, 128}, gate, H, Y, M, K, N));
}
TK_NO_WORKSPACE(gated_residual, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*, DLTensor*)

int logits(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given,
           DLTensor* largest_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"logits"};
    const tk::tensor A = call.take("A", A_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor B = call.take("B", B_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor largest = call.take("largest", largest_given, tk::dtype_f32, 2,
                                         tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = A.shape[0];
    const int64_t K = A.shape[1];
    const int64_t N = B.shape[0];
    call.require(
        {tk::same_extent("K", A, 1, B, 1), tk::same_extent("M", A, 0, C, 0),
         tk::same_extent("N", B, 0, C, 1), tk::same_extent("M", A, 0, largest, 1),
         tk::extents_fit({{"M", M}, {"K", K}, {"N", N}}),
         tk::that(largest.shape[0] == tk::ceil_div(N, 128),
                  "axis 0 of `largest` is {}; it must be `ceil_div(N, 128)`, which is {}",
                  {largest.shape[0], tk::ceil_div(N, 128)}), tk::suits_tma_load(A, "K"),
         tk::suits_tma_load(B, "K"), tk::suits_tma_store(C, "N"),
         tk::grid_fits(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), 2147418112)});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<logits_kernel>(
        site, sizeof(logits_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), tk::box{A, {128, 64}, 128},
        tk::box{B, {128, 64}, 128}, tk::box{C, {64, 64}, 128}, C, largest, M, K, N));
}
TK_NO_WORKSPACE(logits, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*)
}  // extern "C"
