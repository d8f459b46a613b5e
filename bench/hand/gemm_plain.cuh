// gemm.tk as the compiler is to write it: C = A B, 128 x 256 x 64, nothing left to choose.
#pragma once

#include <cuda.h>

#include "tk/ptx/wgmma_n256.cuh"
#include "tk/tk.cuh"

namespace gemm {

// Shared memory: 229440 of 232448 bytes.
struct shared_memory {
    tk::shared_tile<tk::bf16, 128, 64> ab_a[4];  // pipeline ab[4] { a: bf16[BM, BK];  64 KiB
    tk::shared_tile<tk::bf16, 64, 256> ab_b[4];  //                  b: bf16[BK, BN]; }  128 KiB
    tk::shared_tile<tk::bf16, 64, 64>
        c_staging[2][2];  // two panels a warpgroup for tma_store(C)  32 KiB
    tk::pipeline<4> ab;
};

// grid (m in M by BM, n in N by BN) persistent raster(m, 8);
__global__ void __launch_bounds__(384, 1)
    gemm_kernel(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
                const __grid_constant__ CUtensorMap C, int M, int N, int K) {
    extern __shared__ __align__(1024) unsigned char memory[];
    auto& smem = *reinterpret_cast<shared_memory*>(memory);
    const int warpgroup = tk::warpgroup_index();
    if (threadIdx.x == 0) {
        smem.ab.init(1, 8);  // one lane expects bytes; the eight warps of consumer release
        tk::publish_barriers();
    }
    __syncthreads();
    const int grid_m = tk::tiles(M, 128);
    const int grid_n = tk::tiles(N, 256);
    const int programs = grid_m * grid_n;

    if (warpgroup == 2) {
        // role producer(1 warp)
        tk::registers_at_most<40>();
        if (tk::warp_index() == 8 && tk::elect_one()) {
            tk::tma_prefetch_maps(A, B, C);
            tk::cursor<4> ab_at;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, grid_m, grid_n, 8);
                const int m = point.row * 128;
                const int n = point.col * 256;
                // for k in K by BK
                for (int k = 0; k < K; k += 64) {
                    // produce ab { a = tma_load(A[m, k]); b = tma_load(B[k, n]); }
                    smem.ab.wait_empty(ab_at);
                    smem.ab.expect(ab_at, 16384 + 32768);
                    tk::tma_load(smem.ab_a[ab_at.stage], A, smem.ab.full[ab_at.stage], m, k);
                    tk::tma_load(smem.ab_b[ab_at.stage], B, smem.ab.full[ab_at.stage], k, n);
                    ab_at.advance();
                }
            }
        }
    } else {
        // role consumer(2 warpgroups): each has 64 rows of every tile
        tk::registers_at_least<232>();
        const bool leader = tk::warp_index() == 4 * warpgroup && tk::elect_one();
        tk::cursor<4> ab_at;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, grid_m, grid_n, 8);
            const int m = point.row * 128;
            const int n = point.col * 256;
            // var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 256> acc;
            tk::zero(acc);
            // for k in K by BK { consume ab as s { acc += mma(s.a, s.b); } }
            tk::cursor<4> ab_held = ab_at;  // the element whose product is in flight
            for (int k = 0; k < K; k += 64) {
                smem.ab.wait_full(ab_at);
                tk::mma_async(acc, tk::rows<64>(smem.ab_a[ab_at.stage], 64 * warpgroup),
                              smem.ab_b[ab_at.stage]);
                tk::mma_wait<1>(
                    acc);  // the product of the step before is done: its stage goes back
                if (k > 0) smem.ab.release(ab_held);
                ab_held = ab_at;
                ab_at.advance();
            }
            tk::mma_wait<0>(acc);
            if (K > 0) smem.ab.release(ab_held);
                // tma_store(C[m, n], bf16(acc)): through two panels of 64 columns in turn
#pragma unroll
            for (int panel = 0; panel < 4; ++panel) {
                auto& staging = smem.c_staging[warpgroup][panel % 2];
                tk::store_shared(staging,
                                 tk::convert<tk::bf16>(tk::subtile<64, 64>(acc, 0, 64 * panel)),
                                 tk::warpgroup_thread());
                tk::fence_async();
                if (leader)
                    tk::tma_store_wait_read<0>();  // frees the other panel, after the barrier
                tk::barrier_sync(1 + warpgroup, 128);
                if (leader) tk::tma_store(C, staging, m + 64 * warpgroup, n + 64 * panel);
            }
        }
        if (leader) tk::tma_store_wait_read<0>();
    }
}

}  // namespace gemm
