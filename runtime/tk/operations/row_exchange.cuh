// Reductions of a row that is distributed over the blocks of a cluster: every warp sends its
// partial result to every block.
#pragma once

#include "../ptx/mbarrier.cuh"
#include "../ptx/shared.cuh"
#include "../tile/shared_tile.cuh"
#include "../tile/tile.cuh"
#include "reduce.cuh"

#if TK_CUDA
namespace tk {

// The memory of a block for them: a word for each warp of the cluster, twice, and a barrier for
// each of the two. Reductions use them alternately. No warp is more than one reduction ahead of
// another: it completes a reduction when all warps of the cluster have sent their parts of it, and
// they do so after reading those of the previous one.
TK_HOST_DEVICE constexpr int row_exchange_words(int warps) { return 2 * warps + 4; }

namespace detail {

template <int Warps, int Words>
TK_DEVICE mbarrier& meeting_barrier(shared_tile<int, 1, Words>& exchange, int place) {
    static_assert(Words == row_exchange_words(Warps) && shared_tile<int, 1, Words>::span == 0);
    return *reinterpret_cast<mbarrier*>(exchange.storage + 8 * Warps + 8 * place);
}

}  // namespace detail

// By one thread of every block; the cluster synchronizes before the first reduction.
template <int Words>
TK_DEVICE void init_row_exchange(shared_tile<int, 1, Words>& exchange) {
    constexpr int warps = (Words - 4) / 2;
    ptx::mbarrier_init(detail::meeting_barrier<warps>(exchange, 0), 1);
    ptx::mbarrier_init(detail::meeting_barrier<warps>(exchange, 1), 1);
    ptx::fence_mbarrier_init();
}

// Completes the partial results of the only row, over the layout's threads, in Blocks blocks; all
// of them, in the same order, count the reductions of the kernel from 0. Stores that complete on a
// barrier (PTX ISA, "st.async") are faster than stores and a barrier of the cluster
// (docs/decisions/0016-rows-over-a-cluster.md).
template <int Blocks, class T, class Layout, int Words, class Fn>
TK_DEVICE void finish_rows_of_cluster(tile<T, Layout>& dst, Fn fn,
                                      shared_tile<int, 1, Words>& exchange, int& meetings,
                                      int thread) {
    constexpr int threads = Layout::threads;
    constexpr int warps = threads / 32;
    static_assert(Layout::cells == 1 && Layout::lanes == threads && Blocks <= 32 && sizeof(T) == 4);
    finish_rows(dst, fn);
    const int place = meetings & 1;
    const uint32_t parity = static_cast<uint32_t>(meetings >> 1 & 1);
    ++meetings;
    mbarrier& barrier = detail::meeting_barrier<warps>(exchange, place);
    if (thread % (threads / Blocks) == 0) ptx::mbarrier_arrive_expect(barrier, 4 * warps);
    unsigned char* const parts = exchange.storage + 4 * warps * place;
    const int lane = thread % 32;
    if (lane < Blocks) {
        uint32_t bits;
        memcpy(&bits, &dst.reg[0][0], 4);
        ptx::store_shared_async_b32(ptx::shared_address(parts + 4 * (thread / 32)), barrier, lane,
                                    bits);
    }
    ptx::mbarrier_wait_cluster(barrier, parity);
    T all = detail::neutral<T>(fn);
    TK_UNROLL
    for (int w = 0; w < warps; w += 32) {
        if (w + lane >= warps) continue;
        const uint32_t bits = ptx::load_shared_b32(ptx::shared_address(parts + 4 * (w + lane)));
        T part;
        memcpy(&part, &bits, 4);
        all = w == 0 ? part : fn(all, part);
    }
    dst.reg[0][0] = all;
    TK_UNROLL
    for (int step = 1; step < 32; step *= 2)
        dst.reg[0][0] = fn(dst.reg[0][0], __shfl_xor_sync(0xffffffffu, dst.reg[0][0], step));
}

}  // namespace tk
#endif
