// Made by tkc from gemm_fp8_amax.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/integer.cuh"
#include "tk/ptx/wgmma_n192.cuh"
#include "tk/tk.cuh"

// gemm_fp8_amax: kernel gemm_fp8_amax with TA = fp8_e4m3, TB = fp8_e4m3, TC = fp8_e4m3.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 189504 bytes of shared memory; persistent.
struct gemm_fp8_amax_shared {
    tk::shared_tile<tk::fp8_e4m3, 128, 128> ab_a[4];
    tk::shared_tile<tk::fp8_e4m3, 192, 128> ab_b[4];
    tk::shared_tile<float, 8, 1> consumer_f32_rows_1[1];
    tk::shared_tile<tk::fp8_e4m3, 64, 64> consumer_C[6];
    unsigned char unused[512];
    tk::pipeline<4> ab;
};
static_assert(offsetof(gemm_fp8_amax_shared, ab) == 189440);

__global__ void __launch_bounds__(384, 1) gemm_fp8_amax_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap C_map, const tk::tensor_argument<tk::fp8_e4m3, 2> C,
    const tk::tensor_argument<float, 2> amax, int M, int K, int N, float scale, float scale_c) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_fp8_amax_shared& shared = *reinterpret_cast<gemm_fp8_amax_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, C_map);
        shared.ab.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_fp8_amax.tk:12: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 192);
        const int programs = m_tiles * n_tiles;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<4> ab_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 128;
                const int n = point.col * 192;

                // gemm_fp8_amax.tk:13: for k in K by 128 { produce ab { a = tma_load(A[m, k]); b ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 128) {
                    shared.ab.begin(ab_next, 40960);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 n, k);
                    ab_next.advance();
                }
            }
        }
    } else {
        // gemm_fp8_amax.tk:15: role consumer(2 warpgroups) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 192);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<4> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * 192;

            // gemm_fp8_amax.tk:16: var acc: f32[128, 192] = 0;
            tk::fragment<float, 64, 192> acc;
            tk::zero(acc);

            // gemm_fp8_amax.tk:17: for k in K by 128 { consume ab as s { acc += mma(s.a, s.b.T); ..
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

            // gemm_fp8_amax.tk:18: let most = max(pad(abs(acc), axis = 1, with = -inf), axis = 1);
            tk::fragment<float, 64, 192> t0;
            tk::map(t0, thread, [&](int, int col, float acc) {
                return col < N - n ? tk::abs(acc) : -INFINITY;
            }, acc);
            tk::column_fragment<float, 64> most;
            tk::fold_rows(most, t0, tk::maximum{}, thread);
            tk::finish_rows(most, tk::maximum{});

            // gemm_fp8_amax.tk:19: store(amax[m.index, n.index], scalar(max(pad(most, axis = 0, ..
            tk::column_fragment<float, 64> t2;
            tk::map(t2, thread, [&](int row, int, float most) {
                return 64 * warpgroup + row < M - m ? most : -INFINITY;
            }, most);
            tk::row_fragment<float, 1> t3;
            tk::reduce_columns(t3, t2, shared.consumer_f32_rows_1[0], tk::maximum{},
                               128 * warpgroup + thread, 3);
            const float number = t3.cell(0);
            tk::row_fragment<float, 1> t4;
            tk::fill(t4, number * scale);
            if (warpgroup == 0) {
                tk::store_global(
                    tk::slice<tk::no_axis, 1>(amax, {m / 128, n / 192}, 1,
                                              m / 128 < tk::divide_up(M, 128)
                                              ? tk::divide_up(N, 192) - n / 192 : 0), t4, thread);
            }

            // gemm_fp8_amax.tk:20: tma_store(C[m, n], TC(acc * (scale * scale_c)));
            #pragma unroll
            for (int panel = 0; panel < 192; panel += 64) {
                tk::fragment<tk::fp8_e4m3, 64, 64> t5;
                tk::map(t5, [&](float acc) { return acc * (scale * scale_c); },
                        tk::window<64, 64>(acc, 0, panel));
                tk::store_shared(shared.consumer_C[warpgroup * 3 + panel / 64 % 3], t5, thread);
                tk::fence_async();
                if (leader) tk::tma_store_wait_read<1>();
                tk::barrier_sync(1 + warpgroup, 128);
                if (N % 16 != 0 && N < n + panel + 64) {
                    tk::copy_to_global(
                        tk::dense_slice(C, {m + warpgroup * 64, n + panel},
                                        M - (m + warpgroup * 64), N - (n + panel)),
                        shared.consumer_C[warpgroup * 3 + panel / 64 % 3]);
                    if (leader) tk::tma_store_nothing();
                } else if (leader) {
                    tk::tma_store(C_map, shared.consumer_C[warpgroup * 3 + panel / 64 % 3],
                                  m + warpgroup * 64, n + panel);
                }
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

extern "C" {
int gemm_fp8_amax(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given,
                  DLTensor* amax_given, float scale, float scale_c, void*, size_t,
                  cudaStream_t stream) {
    tk::arguments call{"gemm_fp8_amax"};
    const tk::tensor A = call.take("A", A_given, tk::dtype_fp8_e4m3, 2, tk::access::read);
    const tk::tensor B = call.take("B", B_given, tk::dtype_fp8_e4m3, 2, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_fp8_e4m3, 2, tk::access::write);
    const tk::tensor amax = call.take("amax", amax_given, tk::dtype_f32, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = A.shape[0];
    const int64_t K = A.shape[1];
    const int64_t N = B.shape[0];
    call.require(
        {tk::same_extent("K", A, 1, B, 1), tk::same_extent("M", A, 0, C, 0),
         tk::same_extent("N", B, 0, C, 1), tk::extents_fit({{"M", M}, {"K", K}, {"N", N}}),
         tk::that(amax.shape[0] == tk::ceil_div(M, 128),
                  "axis 0 of `amax` is {}; it must be `ceil_div(M, 128)`, which is {}",
                  {amax.shape[0], tk::ceil_div(M, 128)}),
         tk::that(amax.shape[1] == tk::ceil_div(N, 192),
                  "axis 1 of `amax` is {}; it must be `ceil_div(N, 192)`, which is {}",
                  {amax.shape[1], tk::ceil_div(N, 192)}),
         tk::that(M > 0, "`gemm_fp8_amax` requires `M > 0`"),
         tk::that(N > 0, "`gemm_fp8_amax` requires `N > 0`"), tk::suits_tma_load(A, "K"),
         tk::suits_tma_load(B, "K"), tk::suits_tma_store(C, "N"),
         tk::grid_fits(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 192)), 2147418112)});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<gemm_fp8_amax_kernel>(
        site, sizeof(gemm_fp8_amax_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 192)), tk::box{A, {128, 128}, 128},
        tk::box{B, {192, 128}, 128}, tk::box{C, {64, 64}, 64}, C, amax, M, K, N, scale, scale_c));
}
TK_NO_WORKSPACE(gemm_fp8_amax, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, float, float)
}  // extern "C"
