// Prefetches the next program's loads in a role of warps, or keeps loads that are the same in all
// programs: cells of the next program are copied to shared memory during the current one. Every
// thread reads only the elements it copied itself, so it waits only for its own copies, without a
// barrier.
#pragma once

#include "../ptx/cp_async.cuh"
#include "../tile/shared_tile.cuh"
#include "../tile/tile.cuh"
#include "slice.cuh"

#if TK_CUDA
namespace tk {

namespace detail {

// Where thread `thread` stores its 16-byte units of a tile: neighbors in a warp are adjacent.
template <class T, class Layout, int Cells>
struct prefetched_vectors {
    static constexpr int per_unit = 16 / static_cast<int>(sizeof(T));
    static constexpr int threads = Cells / Layout::cells;
    static_assert(Layout::vector % per_unit == 0 && Cells % Layout::cells == 0);
    TK_DEVICE static int offset(int thread, int cell) {
        return 16 * (cell / per_unit * threads + thread % threads);
    }
};

}  // namespace detail

// Starts copying the thread's cells of `source`, with zeros past its edge, which no vector crosses.
template <class Tile, class T, int Cells, class Source>
TK_DEVICE void prefetch_start(shared_tile<T, 1, Cells>& kept, const Source& source, int thread) {
    using Layout = typename Tile::layout;
    using place = detail::prefetched_vectors<T, Layout, Cells>;
    TK_UNROLL
    for (int first = 0; first < Layout::cells; first += Layout::vector) {
        const int row = Layout::row(thread, first);
        const int col = Layout::col(thread, first);
        const bool has = Layout::has_row(thread, first) && source.holds_row(row) &&
                         (Layout::whole_cols || col < Layout::cols) && source.holds_col(col);
        TK_UNROLL
        for (int v = 0; v < Layout::vector; v += place::per_unit) {
            const uint32_t to =
                ptx::shared_address(kept.storage + place::offset(thread, first + v));
            const T* from = has ? source.at(row, col + v) : source.at(0, 0);
            const uint32_t bytes = has ? 16 : 0;
            if constexpr (is_hinted<Source>) ptx::cp_async_16(to, from, bytes, source.policy.bits);
            else ptx::cp_async_16(to, from, bytes);
        }
    }
}

// Commits the copies of one tile, started or not.
TK_DEVICE void prefetch_commit() { ptx::cp_async_commit(); }

// dst = the tile requested earlier. Others: number of tiles committed since.
template <int Others, class T, class Layout, int Cells>
TK_DEVICE void prefetch_wait(tile<T, Layout>& dst, const shared_tile<T, 1, Cells>& kept,
                             int thread) {
    using place = detail::prefetched_vectors<T, Layout, Cells>;
    ptx::cp_async_wait<Others>();
    TK_UNROLL
    for (int first = 0; first < Layout::cells; first += Layout::vector) {
        T cells[static_cast<size_t>(Layout::vector)];
        TK_UNROLL
        for (int v = 0; v < Layout::vector; v += place::per_unit) {
            const uint4 words =
                *reinterpret_cast<const uint4*>(kept.storage + place::offset(thread, first + v));
            memcpy(cells + v, &words, 16);
        }
        TK_UNROLL
        for (int v = 0; v < Layout::vector; v += tile<T, Layout>::per)
            dst.set(first + v, [&](int i) { return cells[v + i]; });
    }
}

}  // namespace tk
#endif
