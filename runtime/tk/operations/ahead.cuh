// Loads of a role of warps that run a program ahead, or are the same in all programs: the cells of the next program are on their way to shared memory while
// those of this one are worked on. Every thread copies its own cells there and reads nobody else's: it waits for its
// own copies alone, and threads need not meet.
#pragma once

#include "../ptx/cp_async.cuh"
#include "../tile/shared_tile.cuh"
#include "stripe.cuh"

#if TK_CUDA
namespace tk {

namespace detail {

// Where thread `thread` keeps its units of 16 bytes of a tile: neighbours of a warp next to each other.
template <class Tile, int Cells>
struct units_ahead {
    using type = typename Tile::type;
    static constexpr int per_unit = 16 / static_cast<int>(sizeof(type));
    static constexpr int units = Tile::vector / per_unit;  // of a vector
    static constexpr int threads = Cells / (Tile::passes * Tile::width);
    static_assert(Tile::vector % per_unit == 0 && Cells % (Tile::passes * Tile::width) == 0);
    TK_DEVICE static int offset(int thread, int pass, int j, int u) {
        return 16 * (((pass * Tile::vectors + j) * units + u) * threads + thread % threads);
    }
};

}  // namespace detail

// Starts to copy the thread's cells of `source`, zeros past its edge, which no vector lies across.
template <class Tile, class T, int Cells, class Source>
TK_DEVICE void request_ahead(shared_tile<T, 1, Cells>& kept, const Source& source, int thread) {
    using place = detail::units_ahead<Tile, Cells>;
    TK_UNROLL
    for (int pass = 0; pass < Tile::passes; ++pass) {
        const int row = Tile::row(thread, pass);
        const bool has_row = Tile::has_row(thread, pass) && source.holds_row(row);
        TK_UNROLL
        for (int j = 0; j < Tile::vectors; ++j) {
            const int col = Tile::col(thread, j * Tile::vector);
            const bool has = has_row && (Tile::whole_cols || col < Tile::cols) && source.holds_col(col);
            TK_UNROLL
            for (int u = 0; u < place::units; ++u) {
                const uint32_t to = ptx::shared_address(kept.storage + place::offset(thread, pass, j, u));
                const T* from = has ? source.at(row, col + u * place::per_unit) : source.at(0, 0);
                ptx::cp_async_16(to, from, has ? 16 : 0);
            }
        }
    }
}

// Ends the copies of one tile, those that were started or none.
TK_DEVICE void close_ahead() { ptx::cp_async_commit(); }

// dst = what was requested for it. Others: tiles that have been closed since.
template <int Others, class T, int Rows, int Cols, int Threads, int Lanes, int Vector, int Cells>
TK_DEVICE void take_ahead(stripe<T, Rows, Cols, Threads, Lanes, Vector>& dst,
                          const shared_tile<T, 1, Cells>& kept, int thread) {
    using tile = stripe<T, Rows, Cols, Threads, Lanes, Vector>;
    using place = detail::units_ahead<tile, Cells>;
    ptx::cp_async_wait<Others>();
    TK_UNROLL
    for (int pass = 0; pass < tile::passes; ++pass) {
        TK_UNROLL
        for (int j = 0; j < tile::vectors; ++j) {
            T cells[static_cast<size_t>(tile::vector)];
            TK_UNROLL
            for (int u = 0; u < place::units; ++u) {
                const uint4 words =
                    *reinterpret_cast<const uint4*>(kept.storage + place::offset(thread, pass, j, u));
                memcpy(cells + u * place::per_unit, &words, 16);
            }
            TK_UNROLL
            for (int v = 0; v < tile::vector; v += tile::per)
                detail::hold<tile>(dst.reg[pass][(j * tile::vector + v) / tile::per],
                                   [&](int i) { return cells[v + i]; });
        }
    }
}

}  // namespace tk
#endif
