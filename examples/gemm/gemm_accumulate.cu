// Made by tkc from gemm_accumulate.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/ptx/wgmma_n256.cuh"
#include "tk/tk.cuh"

// gemm_accumulate: kernel gemm_accumulate with BM = 128, BN = 256, BK = 64.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 213056 bytes of shared memory; persistent.
struct gemm_accumulate_shared {
    tk::shared_tile<tk::bf16, 128, 64> ab_a[3];
    tk::shared_tile<tk::bf16, 64, 256> ab_b[3];
    tk::shared_tile<tk::bf16, 128, 256> cs_tile[1];
    tk::pipeline<3> ab;
    tk::pipeline<1> cs;
};
static_assert(offsetof(gemm_accumulate_shared, cs) == 213040);

__global__ void __launch_bounds__(384, 1) gemm_accumulate_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap C_map, const __grid_constant__ CUtensorMap C_map_2,
    const tk::tensor_argument<tk::bf16, 2> C, int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_accumulate_shared& shared = *reinterpret_cast<gemm_accumulate_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map, C_map, C_map_2);
        shared.ab.init(1, 8);
        shared.cs.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_accumulate.tk:9: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 256);
        const int programs = m_tiles * n_tiles;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<3> ab_next;
            tk::cursor<1> cs_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 128;
                const int n = point.col * 256;

                // gemm_accumulate.tk:10: for k in K by BK { produce ab { a = tma_load(A[m, k]); ..
                #pragma unroll 1
                for (int k = 0; k < K; k += 64) {
                    shared.ab.begin(ab_next, 49152);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 k, n);
                    ab_next.advance();
                }

                // gemm_accumulate.tk:11: produce cs = tma_load(C[m, n]);
                shared.cs.begin(cs_next, 65536);
                tk::tma_load(shared.cs_tile[cs_next.stage], C_map, shared.cs.full[cs_next.stage], m,
                             n);
                cs_next.advance();
            }
        }
    } else {
        // gemm_accumulate.tk:13: role consumer(2 warpgroups) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 256);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<3> ab_next;
        tk::cursor<1> cs_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * 256;

            // gemm_accumulate.tk:14: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 256> acc;
            tk::zero(acc);

            // gemm_accumulate.tk:15: for k in K by BK { consume ab as s { acc += mma(s.a, s.b); } }
            tk::cursor<3> previous_ab;
            for (int k = 0; k < K; k += 64) {
                const tk::cursor<3> s = shared.ab.take(ab_next);
                tk::mma_async(acc, tk::rows<64>(shared.ab_a[s.stage], 64 * warpgroup),
                              shared.ab_b[s.stage]);
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_accumulate.tk:16: consume cs as c { tma_store(C[m, n], bf16(acc + f32(c))); }
            const tk::cursor<1> c_element = shared.cs.take(cs_next);
            tk::fragment<tk::bf16, 64, 256> t1;
            tk::load_shared(t1, tk::rows<64>(shared.cs_tile[c_element.stage], 64 * warpgroup),
                            thread);
            #pragma unroll
            for (int panel = 0; panel < 256; panel += 64) {
                tk::fragment<tk::bf16, 64, 64> t0;
                tk::map(t0, [](float acc, tk::bf16 t1) { return acc + float(t1); },
                        tk::window<64, 64>(acc, 0, panel), tk::window<64, 64>(t1, 0, panel));
                tk::store_shared(
                    tk::block<64>(shared.cs_tile[c_element.stage], panel / 64 % 4 * 2 + warpgroup),
                    t0, thread);
                tk::fence_async();
                tk::barrier_sync(1 + warpgroup, 128);
                if (N % 8 != 0 && N < n + panel + 64) {
                    tk::copy_to_global(
                        tk::dense_slice(C, {m + warpgroup * 64, n + panel},
                                        M - (m + warpgroup * 64), N - (n + panel)),
                        tk::block<64>(shared.cs_tile[c_element.stage],
                                      panel / 64 % 4 * 2 + warpgroup));
                    if (leader) tk::tma_store_nothing();
                } else if (leader) {
                    tk::tma_store(C_map_2,
                                  tk::block<64>(shared.cs_tile[c_element.stage],
                                                panel / 64 % 4 * 2 + warpgroup), m + warpgroup * 64,
                                  n + panel);
                }
            }
            if (leader) tk::tma_store_wait_read<0>();
            shared.cs.release_after_loads(c_element);
        }
    }
}

extern "C" {
int gemm_accumulate(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*,
                    size_t, cudaStream_t stream) {
    tk::arguments call{"gemm_accumulate"};
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
         tk::suits_tma_load(A, "K"), tk::suits_tma_load(B, "N"), tk::suits_tma_store(C, "N"),
         tk::grid_fits(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), 2147418112)});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<gemm_accumulate_kernel>(
        site, sizeof(gemm_accumulate_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), tk::box{A, {128, 64}, 128},
        tk::box{B, {64, 64}, 128}, tk::box{C, {128, 64}, 128}, tk::box{C, {64, 64}, 128}, C, M, K,
        N));
}
TK_NO_WORKSPACE(gemm_accumulate, const DLTensor*, const DLTensor*, DLTensor*)
}  // extern "C"
