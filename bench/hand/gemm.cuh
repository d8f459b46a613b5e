// C = A B on the tile runtime, written by hand as the compiler is to emit it; constants open the
// variants.
#pragma once

#include <cuda.h>

#include "tk/ptx/wgmma_n064.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/ptx/wgmma_n192.cuh"
#include "tk/ptx/wgmma_n256.cuh"
#include "tk/tk.cuh"

// Rows, columns and depth of a tile, stages, consumer warpgroups, whether B is stored [N, K],
// products left in flight per step, blocks of a cluster along m (they share B) and along n (they
// share A); Flag: the first product of a tile overwrites the accumulator instead of adding to zeros
// (then K must not be 0).
template <int Bm, int Bn, int Bk, int Stages, int Warpgroups, bool Nt, int InFlight = 1,
          int ClusterM = 1, int ClusterN = 1, bool Flag = false>
struct gemm_config {
    static constexpr int bm = Bm, bn = Bn, bk = Bk, stages = Stages, warpgroups = Warpgroups;
    static constexpr bool nt = Nt;
    static constexpr bool flag = Flag;
    static constexpr int in_flight = InFlight;
    static constexpr int cluster_m = ClusterM, cluster_n = ClusterN, cluster = ClusterM * ClusterN;
    static constexpr int sharers = ClusterM + ClusterN - 1;  // blocks that a block's loads write to
    static constexpr int threads = 128 * (Warpgroups + 1);
    static constexpr int wide_registers = Warpgroups == 3 ? 160 : Warpgroups == 2 ? 232 : 240;
    static constexpr int narrow_registers = Warpgroups == 3 ? 32 : 40;

    // Two staging panels in turn, where the number of panels of a program is even.
    static constexpr int panels =
        Warpgroups == 3 || Bm / Warpgroups / 64 * (Bn / 64) % 2 != 0 ? 1 : 2;

    using a_tile = tk::shared_tile<tk::bf16, Bm, Bk>;
    using b_tile = std::conditional_t<Nt, tk::shared_tile<tk::bf16, Bn, Bk>,
                                      tk::shared_tile<tk::bf16, Bk, Bn>>;
    using c_panel = tk::shared_tile<tk::bf16, 64, 64>;

    struct shared_memory {
        a_tile a[Stages];
        b_tile b[Stages];
        c_panel staging[Warpgroups][panels];
        tk::pipeline<Stages> ab;
    };
};

// grid (m in M by BM, n in N by BN) persistent raster(m, 8);
template <class G>
__global__ void __launch_bounds__(G::threads, 1)
    gemm_kernel(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
                const __grid_constant__ CUtensorMap C, int M, int N, int K, int band) {
    extern __shared__ __align__(1024) unsigned char memory[];
    auto& smem = *reinterpret_cast<typename G::shared_memory*>(memory);
    const int warpgroup = tk::warpgroup_index();
    if (threadIdx.x == 0) {
        smem.ab.init(1, 4 * G::warpgroups * G::sharers);
        tk::publish_barriers();
    }
    if constexpr (G::cluster > 1) tk::cluster_sync();
    else __syncthreads();

    const uint32_t rank = G::cluster > 1 ? tk::cluster_rank() : 0;
    const int rank_m = static_cast<int>(rank) % G::cluster_m;
    const int rank_n = static_cast<int>(rank) / G::cluster_m;
    const int rows = tk::tiles(M, G::bm * G::cluster_m);
    const int cols = tk::tiles(N, G::bn * G::cluster_n);
    const int programs = rows * cols;

    if (warpgroup == G::warpgroups) {
        // role producer(1 warp)
        tk::registers_at_most<G::narrow_registers>();
        if (tk::warp_index() == 4 * G::warpgroups && tk::elect_one()) {
            tk::tma_prefetch_maps(A, B, C);
            tk::cursor<G::stages> ab_at;
            for (int program = blockIdx.x / G::cluster; program < programs;
                 program += gridDim.x / G::cluster) {
                const auto point = tk::raster(program, rows, cols, band);
                const int m = (point.row * G::cluster_m + rank_m) * G::bm;
                const int n = (point.col * G::cluster_n + rank_n) * G::bn;
                // for k in K by BK { produce ab { a = tma_load(A[m, k]); b = tma_load(B[k, n]); } }
                for (int k = 0; k < K; k += G::bk) {
                    auto& full = smem.ab.full[ab_at.stage];
                    auto& a = smem.a[ab_at.stage];
                    auto& b = smem.b[ab_at.stage];
                    smem.ab.wait_empty(ab_at);
                    smem.ab.expect(ab_at, a.bytes + b.bytes);
                    if constexpr (G::cluster_n > 1) {
                        constexpr int part = G::bm / G::cluster_n,
                                      every = G::cluster_m * G::cluster_n;
                        int blocks = 0;
                        for (int i = rank_m; i < every; i += G::cluster_m) blocks |= 1 << i;
                        tk::tma_load_multicast(tk::rows<part>(a, part * rank_n), A, full, blocks,
                                               m + part * rank_n, k);
                    } else {
                        tk::tma_load(a, A, full, m, k);
                    }
                    if constexpr (G::cluster_m > 1) {
                        constexpr int part = G::bn / G::cluster_m;
                        const int blocks = ((1 << G::cluster_m) - 1) << (rank_n * G::cluster_m);
                        if constexpr (G::nt)
                            tk::tma_load_multicast(tk::rows<part>(b, part * rank_m), B, full,
                                                   blocks, n + part * rank_m, k);
                        else
                            tk::tma_load_multicast(tk::columns<part>(b, part * rank_m), B, full,
                                                   blocks, k, n + part * rank_m);
                    } else if constexpr (G::nt) {
                        tk::tma_load(b, B, full, n, k);
                    } else {
                        tk::tma_load(b, B, full, k, n);
                    }
                    ab_at.advance();
                }
            }
        }
    } else {
        // role consumer(2 warpgroups): rows height * warpgroup .. of every tile
        tk::registers_at_least<G::wide_registers>();
        constexpr int height = G::bm / G::warpgroups;
        const bool leader = tk::warp_index() == 4 * warpgroup && tk::elect_one();
        tk::cursor<G::stages> ab_at;
        const auto release = [&](const tk::cursor<G::stages>& at) {
            if constexpr (G::cluster > 1) {
                // the blocks that neighbor in m, then those that neighbor in n
                const int i = tk::lane_index(), j = i - G::cluster_m;
                const int to = i < G::cluster_m ? i + G::cluster_m * rank_n
                                                : rank_m + G::cluster_m * (j < rank_n ? j : j + 1);
                if (i < G::sharers) tk::ptx::mbarrier_arrive_remote(smem.ab.empty[at.stage], to);
            } else {
                smem.ab.release(at);
            }
        };
        for (int program = blockIdx.x / G::cluster; program < programs;
             program += gridDim.x / G::cluster) {
            const auto point = tk::raster(program, rows, cols, band);
            const int m = (point.row * G::cluster_m + rank_m) * G::bm;
            const int n = (point.col * G::cluster_n + rank_n) * G::bn;
            // var acc: f32[BM, BN] = 0;
            tk::fragment<float, height, G::bn> acc;
            if constexpr (!G::flag) tk::zero(acc);
            // for k in K by BK { consume ab as s { acc += mma(s.a, s.b); } }
            tk::cursor<G::stages> ab_held = ab_at;
            for (int k = 0; k < K; k += G::bk) {
                smem.ab.wait_full(ab_at);
                const auto a = tk::rows<height>(smem.a[ab_at.stage], height * warpgroup);
                if constexpr (G::nt)
                    tk::mma_async(acc, a, tk::transposed(smem.b[ab_at.stage]),
                                  G::flag ? k > 0 : true);
                else tk::mma_async(acc, a, smem.b[ab_at.stage], G::flag ? k > 0 : true);
                tk::mma_wait<G::in_flight>(acc);
                if constexpr (G::in_flight == 0) {
                    release(ab_at);
                } else {
                    if (k > 0) release(ab_held);
                    ab_held = ab_at;
                }
                ab_at.advance();
            }
            tk::mma_wait<0>(acc);
            if (K > 0) {
                if constexpr (G::in_flight != 0) release(ab_held);
            }

            // tma_store(C[m, n], bf16(acc)): two panels of 64 columns in turn
            TK_UNROLL
            for (int slice = 0; slice < height / 64 * (G::bn / 64); ++slice) {
                const int row = slice / (G::bn / 64) * 64;
                const int col = slice % (G::bn / 64) * 64;
                auto& panel = smem.staging[warpgroup][slice % G::panels];
                if constexpr (G::panels == 1) {
                    if (leader) tk::tma_store_wait_read<0>();
                    tk::barrier_sync(1 + warpgroup, 128);
                }
                tk::store_shared(panel, tk::convert<tk::bf16>(tk::subtile<64, 64>(acc, row, col)),
                                 tk::warpgroup_thread());
                tk::fence_async();
                if (leader && G::panels == 2)
                    tk::tma_store_wait_read<0>();  // the other panel is free after the barrier
                tk::barrier_sync(1 + warpgroup, 128);
                if (leader) tk::tma_store(C, panel, m + height * warpgroup + row, n + col);
            }
        }
        if (leader) tk::tma_store_wait_read<0>();
    }
    if constexpr (G::cluster > 1) tk::cluster_sync();
}
