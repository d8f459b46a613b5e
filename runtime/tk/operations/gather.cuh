// Slices whose rows, or columns, each have their own position, and asynchronous copies of such rows
// into a stage.
#pragma once

#include "../ptx/cp_async.cuh"
#include "../tile/shared_tile.cuh"
#include "slice.cuh"

#if TK_CUDA
namespace tk {

// `position(row)`: the position of row `row` along its axis of `extent` elements; a row whose
// position is not inside has no cells. The slice itself begins at position 0, and its `rows` is the
// number of rows with a position.
template <class Slice, class Position>
struct gathered_rows_tile : Slice {
    int extent;
    Position position;
    // Code that moves a row checks whether it is inside, and then accesses its cells: its position
    // is read once.
    mutable int known_row;
    mutable int known_place;

    // The position in the list, -1 if there is none, and whether it is inside.
    TK_DEVICE int place(int row) const { return Slice::holds_row(row) ? position(row) : -1; }
    TK_DEVICE bool is_inside(int place) const {
        return static_cast<unsigned>(place) < static_cast<unsigned>(extent);
    }
    TK_DEVICE bool holds_row(int row) const {
        known_row = row;
        known_place = place(row);
        return is_inside(known_place);
    }
    TK_DEVICE bool holds(int row, int col) const { return holds_row(row) && Slice::holds_col(col); }
    TK_DEVICE auto* at(int row, int col) const {
        return Slice::at(row == known_row ? known_place : place(row), col);
    }
};

// The same of columns. No two of them are neighbors.
template <class Slice, class Position>
struct gathered_columns_tile : Slice {
    int extent;
    int64_t stride;
    Position position;

    TK_DEVICE bool holds_col(int col) const {
        return Slice::holds_col(col) &&
               static_cast<unsigned>(position(col)) < static_cast<unsigned>(extent);
    }
    TK_DEVICE bool holds(int row, int col) const { return Slice::holds_row(row) && holds_col(col); }
    TK_DEVICE bool holds_pair(int, int) const { return false; }
    TK_DEVICE bool whole_vectors(int) const { return false; }
    TK_DEVICE auto* at(int row, int col) const {
        return Slice::at(row, 0) + position(col) * stride;
    }
};

template <class Slice, class Position>
TK_DEVICE gathered_rows_tile<Slice, Position> gathered_rows(const Slice& slice, int extent,
                                                            Position position) {
    return {slice, extent, position, -1, -1};
}
template <class Slice, class Position>
TK_DEVICE gathered_columns_tile<Slice, Position> gathered_columns(Slice slice, int extent,
                                                                  Position position) {
    const int64_t stride = slice.col_stride;
    slice.col_stride = 0;
    return {slice, extent, stride, position};
}

// Starts copying the rows of a slice into a stage, zeros for rows without a position; by `Threads`
// threads numbered `thread`. Rows are contiguous, begin at multiples of 16 bytes and end with a
// whole 16-byte unit. It does not wait: pipeline::publish_copies arrives on the barrier.
template <int Threads, class Source, class Tile>
TK_DEVICE void copy_rows(const Tile& tile, const Source& source, int thread) {
    using T = std::remove_const_t<typename Source::type>;
    const auto window = view(tile);
    using view_type = decltype(view(tile));
    static_assert(std::is_same_v<T, typename view_type::type>);
    constexpr int cells = 16 / static_cast<int>(sizeof(T));
    constexpr int units = view_type::cols / cells;
    static_assert(view_type::cols % cells == 0, "rows of whole units");
    // Lanes of a row: neighbors take neighboring units, a line of 128 bytes at a time.
    constexpr int lanes = units % 8 == 0 ? 8 : units % 4 == 0 ? 4 : units % 2 == 0 ? 2 : 1;
    constexpr int at_once = Threads / lanes;
    constexpr int steps = (view_type::rows + at_once - 1) / at_once;
    constexpr int together = steps < 4 ? steps : 4;  // whose positions are read at once
    constexpr bool whole = view_type::rows % (at_once * together) == 0;
    // They take a panel at a time: from one to the next, addresses differ by constants.
    constexpr int panel = view_type::span == 0 ? 16 * lanes : view_type::lines * view_type::span;
    static_assert(view_type::span == 0 || view_type::span == 16 * lanes, "a panel of a row");
    const int first = thread / lanes;
    const int lane = thread % lanes;
    TK_NO_UNROLL
    for (int step = 0; step < steps; step += together) {
        int places[together];
        TK_UNROLL
        for (int i = 0; i < together; ++i) {
            const int row = first + (step + i) * at_once;
            places[i] = whole || row < view_type::rows ? source.place(row) : -1;
        }
        TK_UNROLL
        for (int i = 0; i < together; ++i) {
            const int row = first + (step + i) * at_once;
            if (!whole && row >= view_type::rows) break;
            const bool has = source.is_inside(places[i]);
            const T* const begin =
                source.data + (has ? places[i] : 0) * source.row_stride + lane * cells;
            const uint32_t to = address_of(window, row, lane * cells);
            TK_UNROLL_SOME
            for (int group = 0; group < units / lanes; ++group) {
                const bool inside = has && source.holds_col((group * lanes + lane) * cells);
                const T* const cell = begin + group * lanes * cells;
                const uint32_t unit = to + static_cast<uint32_t>(group * panel);
                if constexpr (is_hinted<Source>)
                    ptx::cp_async_16_if(inside, unit, cell, source.policy.bits);
                else ptx::cp_async_16_if(inside, unit, cell);
            }
        }
    }
}

}  // namespace tk
#endif
