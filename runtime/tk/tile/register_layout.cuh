// Who holds which cell of a register tile: the layouts of the compiler
// (docs/decisions/0022-layouts.md) as types.
#pragma once

#include <type_traits>

#include "../ptx/config.h"

namespace tk {

// A digit of a number: it goes from 0 to Extent - 1, and moves Stride rows (or columns) further.
// Stride 0: all of them hold the same.
template <int Extent, int Stride>
struct row_mode {
    static constexpr int extent = Extent;
    static constexpr int stride = Stride;
    static constexpr bool on_rows = true;
};
template <int Extent, int Stride>
struct col_mode {
    static constexpr int extent = Extent;
    static constexpr int stride = Stride;
    static constexpr bool on_rows = false;
};

// The modes of a number, the fastest digit first.
template <class... Modes>
struct modes {};

namespace detail {

// What is read off a number whose digit `Mode` is at `Place`, with the others after it.
template <int Place, class... Modes>
struct digits;
template <int Place>
struct digits<Place> {
    static constexpr int size = 1;
    TK_HOST_DEVICE static constexpr int reach(bool) { return 0; }
    TK_HOST_DEVICE static constexpr int extent(bool) { return 1; }
    TK_HOST_DEVICE static constexpr int place(bool) { return 0; }
    TK_HOST_DEVICE static constexpr int position(bool, int) { return 0; }
    TK_HOST_DEVICE static constexpr int index(bool, bool, int) { return 0; }
    TK_HOST_DEVICE static constexpr int number_of(int, int) { return 0; }
    TK_HOST_DEVICE static constexpr int position_of(bool, int) { return 0; }
    TK_HOST_DEVICE static constexpr int lane_extent(bool) { return 1; }
    TK_HOST_DEVICE static constexpr bool is_first_holder(int) { return true; }
    TK_HOST_DEVICE static constexpr int distance(bool, int) { return 0; }
    TK_HOST_DEVICE static constexpr int partner(bool, int, int number) { return number; }
};
template <int Place, class Mode, class... Rest>
struct digits<Place, Mode, Rest...> {
    using rest = digits<Place * Mode::extent, Rest...>;
    static constexpr int size = Mode::extent * rest::size;

    TK_HOST_DEVICE static constexpr int digit(int number) {
        if (Mode::extent == 1) return 0;
        // Of the first digit the compiler is told how large it is, though it be all of the number.
        return rest::size == 1 && Place > 1 ? number / Place : number / Place % Mode::extent;
    }
    // From the first row (column) to the last one.
    TK_HOST_DEVICE static constexpr int reach(bool rows) {
        return (Mode::on_rows == rows ? (Mode::extent - 1) * Mode::stride : 0) + rest::reach(rows);
    }
    // How many digits of one axis there are, and the place of the first of them; 0: there is none.
    TK_HOST_DEVICE static constexpr int extent(bool rows) {
        return (Mode::on_rows == rows ? Mode::extent : 1) * rest::extent(rows);
    }
    // How many of them lie within the lowest 32 of the numbers, as those of lanes do.
    TK_HOST_DEVICE static constexpr int lane_extent(bool rows) {
        constexpr int room = Place < 32 ? 32 / Place : 1;
        constexpr int own = Mode::extent < room ? Mode::extent : room;
        return (Mode::on_rows == rows ? own : 1) * rest::lane_extent(rows);
    }
    TK_HOST_DEVICE static constexpr int place(bool rows) {
        return Mode::on_rows == rows && Mode::extent > 1 ? Place : rest::place(rows);
    }
    TK_HOST_DEVICE static constexpr int position(bool rows, int number) {
        return (Mode::on_rows == rows && Mode::stride != 0 ? digit(number) * Mode::stride : 0) +
               rest::position(rows, number);
    }
    // The number without the digits of an axis.
    TK_HOST_DEVICE static constexpr int index(bool rows, bool cols, int number) {
        const bool kept = Mode::on_rows ? rows : cols;
        const int behind = rest::index(rows, cols, number);
        return kept ? digit(number) + Mode::extent * behind : behind;
    }
    // The digit of an index that counts along this mode's axis alone, and what is left of it. The
    // last one is all of it: loops over indices then step by constants, also before they unroll.
    TK_HOST_DEVICE static constexpr int digit_of(int index) {
        return rest::extent(Mode::on_rows) == 1 ? index : index % Mode::extent;
    }
    // The number whose digits of the axes make these indices.
    TK_HOST_DEVICE static constexpr int number_of(int row_index, int col_index) {
        constexpr int extent = Mode::extent;
        return Mode::on_rows
                   ? digit_of(row_index) * Place + rest::number_of(row_index / extent, col_index)
                   : digit_of(col_index) * Place + rest::number_of(row_index, col_index / extent);
    }
    // Where the index of an axis lies.
    TK_HOST_DEVICE static constexpr int position_of(bool rows, int index) {
        if (Mode::on_rows != rows) return rest::position_of(rows, index);
        return digit_of(index) * Mode::stride + rest::position_of(rows, index / Mode::extent);
    }
    // Positions along an axis whose numbers differ in the bit of `step`, a power of two: how far
    // apart the numbers are; 0 if it is not this mode alone that tells them apart. The other one's
    // number.
    TK_HOST_DEVICE static constexpr bool tells_apart(bool rows, int step) {
        const int k = digit_step(step);
        return Mode::on_rows == rows && Mode::stride * k == step && Mode::extent % (2 * k) == 0;
    }
    TK_HOST_DEVICE static constexpr int digit_step(int step) {
        constexpr int stride = Mode::stride == 0 ? 1 : Mode::stride;
        return step < stride ? 1 : step / stride;
    }
    TK_HOST_DEVICE static constexpr int distance(bool rows, int step) {
        return tells_apart(rows, step) ? Place * digit_step(step) : rest::distance(rows, step);
    }
    TK_HOST_DEVICE static constexpr int partner(bool rows, int step, int number) {
        if (!tells_apart(rows, step)) return rest::partner(rows, step, number);
        const int k = digit_step(step);
        return (digit(number) & k) != 0 ? number - Place * k : number + Place * k;
    }
    TK_HOST_DEVICE static constexpr bool is_first_holder(int number) {
        return (Mode::stride != 0 || digit(number) == 0) && rest::is_first_holder(number);
    }
};

// Neighboring columns in the first registers.
template <class... Modes>
inline constexpr int first_columns = 1;
template <int Extent, class... Rest>
inline constexpr int first_columns<col_mode<Extent, 1>, Rest...> = Extent;

// How often the last mode repeats the others further down the tile.
template <class... Modes>
inline constexpr int last_rows = 1;
template <int Extent, int Stride>
inline constexpr int last_rows<row_mode<Extent, Stride>> = Extent;
template <class First, class Second, class... Rest>
inline constexpr int last_rows<First, Second, Rest...> = last_rows<Second, Rest...>;

}  // namespace detail

// A tile of Rows x Cols. Cell c of a thread is digits of `Registers`, the thread's number digits of
// `Threads`; the cell lies at the sum of what both say. Lanes of a warp are the lowest 32 of the
// threads. Cells beyond the extents do not exist.
template <int Rows, int Cols, class Registers, class Threads>
struct layout;

template <int Rows, int Cols, class... Registers, class... Threads>
struct layout<Rows, Cols, modes<Registers...>, modes<Threads...>> {
    using register_digits = detail::digits<1, Registers...>;
    using thread_digits = detail::digits<1, Threads...>;
    static constexpr int rows = Rows;
    static constexpr int cols = Cols;
    static constexpr int cells = register_digits::size;  // of a thread
    static constexpr int threads = thread_digits::size;
    static constexpr int vector = detail::first_columns<Registers...>;
    // Cells in `blocks` groups, each further down the tile than the one before.
    static constexpr int blocks = detail::last_rows<Registers...>;
    static constexpr int width = cells / blocks;
    // Threads that share a row; those of them in one warp, and the warps; threads of a warp that
    // share a column.
    static constexpr int lanes = thread_digits::extent(false);
    static constexpr int row_lanes = thread_digits::lane_extent(false);
    static constexpr int row_warps = lanes / row_lanes;
    static constexpr int col_lanes = thread_digits::lane_extent(true);
    // Whether all rows, and all columns, that threads hold are cells of the tile.
    static constexpr bool whole_rows =
        register_digits::reach(true) + thread_digits::reach(true) < Rows;
    static constexpr bool whole_cols =
        register_digits::reach(false) + thread_digits::reach(false) < Cols;

    TK_HOST_DEVICE static constexpr int row(int thread, int cell) {
        return thread_digits::position(true, thread) + register_digits::position(true, cell);
    }
    TK_HOST_DEVICE static constexpr int col(int thread, int cell) {
        return thread_digits::position(false, thread) + register_digits::position(false, cell);
    }
    TK_HOST_DEVICE static constexpr bool has_row(int thread, int cell) {
        return whole_rows || row(thread, cell) < Rows;
    }
    TK_HOST_DEVICE static constexpr bool has_col(int thread, int cell) {
        return whole_cols || col(thread, cell) < Cols;
    }
    // Rows, and columns, that a thread has cells of; which of them a cell is in; the cell there.
    static constexpr int thread_rows = register_digits::extent(true);
    static constexpr int thread_cols = register_digits::extent(false);
    TK_HOST_DEVICE static constexpr int cell_at(int row_index, int col_index) {
        return register_digits::number_of(row_index, col_index);
    }
    TK_HOST_DEVICE static constexpr int row_index(int cell) {
        return register_digits::index(true, false, cell);
    }
    TK_HOST_DEVICE static constexpr int col_index(int cell) {
        return register_digits::index(false, true, cell);
    }
    // Where they lie in the tile.
    TK_HOST_DEVICE static constexpr int row_at(int thread, int row_index) {
        return thread_digits::position(true, thread) +
               register_digits::position_of(true, row_index);
    }
    TK_HOST_DEVICE static constexpr int col_at(int thread, int col_index) {
        return thread_digits::position(false, thread) +
               register_digits::position_of(false, col_index);
    }
    // Of the threads that hold a cell, the one that writes it away.
    TK_HOST_DEVICE static constexpr bool writes(int thread) {
        return thread_digits::is_first_holder(thread);
    }
};

namespace detail {

template <int Rows, int Cols>
struct fragment_modes {
    static_assert(Rows % 64 == 0 && Cols % 8 == 0, "a fragment has 64 k rows and 8 k columns");
    using registers =
        modes<col_mode<2, 1>, row_mode<2, 8>, col_mode<Cols / 8, 8>, row_mode<Rows / 64, 64>>;
    using threads = modes<col_mode<4, 2>, row_mode<8, 1>, row_mode<4, 16>>;
};
template <int Rows>
struct fragment_modes<Rows, 1> {
    static_assert(Rows % 64 == 0, "a fragment has 64 k rows");
    using registers = modes<row_mode<2, 8>, row_mode<Rows / 64, 64>>;
    using threads = modes<col_mode<4, 0>, row_mode<8, 1>, row_mode<4, 16>>;
};
template <>
struct fragment_modes<1, 1> {
    using registers = modes<>;
    using threads = modes<col_mode<4, 0>, row_mode<8, 0>, row_mode<4, 0>>;
};
template <int Cols>
struct fragment_modes<1, Cols> {
    static_assert(Cols % 8 == 0, "a fragment has 8 k columns");
    using registers = modes<col_mode<2, 1>, col_mode<Cols / 8, 8>>;
    using threads = modes<col_mode<4, 2>, row_mode<8, 0>, row_mode<4, 0>>;
};

template <int Rows, int Cols, int WarpRows, int WarpCols>
struct warp_fragment_modes {
    static constexpr int groups = (Cols + 8 * WarpCols - 1) / (8 * WarpCols);
    static constexpr int step = 16 * WarpRows;
    static constexpr int blocks = (Rows + step - 1) / step;
    using tiles =
        modes<col_mode<2, 1>, row_mode<2, 8>, col_mode<groups, 8>, row_mode<blocks, step>>;
    using rows = modes<row_mode<2, 8>, row_mode<blocks, step>>;
    using cols = modes<col_mode<2, 1>, col_mode<groups, 8>>;
    using registers = std::conditional_t<Rows == 1, std::conditional_t<Cols == 1, modes<>, cols>,
                                         std::conditional_t<Cols == 1, rows, tiles>>;
    using threads = modes<col_mode<4, Cols == 1 ? 0 : 2>, row_mode<8, Rows == 1 ? 0 : 1>,
                          col_mode<WarpCols, Cols == 1 ? 0 : 8 * groups>,
                          row_mode<WarpRows, Rows == 1 ? 0 : 16>>;
};

template <int Rows, int Cols, int Threads, int Lanes, int Vector>
struct stripe_modes {
    static_assert(Threads % Lanes == 0 && (Lanes & (Lanes - 1)) == 0 && Vector >= 1);
    static constexpr int groups = Threads / Lanes;  // rows at a time
    using vectors = modes<col_mode<Vector, 1>,
                          col_mode<(Cols + Lanes * Vector - 1) / (Lanes * Vector), Lanes * Vector>,
                          row_mode<(Rows + groups - 1) / groups, groups>>;
    using rows = modes<row_mode<(Rows + groups - 1) / groups, groups>>;
    using cols = modes<col_mode<Vector, 1>,
                       col_mode<(Cols + Lanes * Vector - 1) / (Lanes * Vector), Lanes * Vector>>;
    using registers = std::conditional_t<Rows == 1, std::conditional_t<Cols == 1, modes<>, cols>,
                                         std::conditional_t<Cols == 1, rows, vectors>>;
    using threads =
        modes<col_mode<Lanes, Cols == 1 ? 0 : Vector>, row_mode<groups, Rows == 1 ? 0 : 1>>;
};

}  // namespace detail

// A warpgroup's part of a tile as wgmma leaves its result (PTX ISA, "wgmma register fragments: D"):
// blocks of 64 rows follow each other; within one, four cells cover 8 columns, two of row g and two
// of row g + 8. A tile of one row, or of one column, goes with the columns, or rows, of others.
template <int Rows, int Cols>
using fragment_layout = layout<Rows, Cols, typename detail::fragment_modes<Rows, Cols>::registers,
                               typename detail::fragment_modes<Rows, Cols>::threads>;

// A tile over WarpRows x WarpCols warps as mma.sync leaves its results (PTX ISA, "matrix fragments
// for mma.m16n8k16"): every warp has blocks of 16 rows, 16 WarpRows apart, and a part of the
// columns. A tile of one row, or of one column, goes with the columns, or rows, of others.
template <int Rows, int Cols, int WarpRows, int WarpCols>
using warp_fragment_layout =
    layout<Rows, Cols,
           typename detail::warp_fragment_modes<Rows, Cols, WarpRows, WarpCols>::registers,
           typename detail::warp_fragment_modes<Rows, Cols, WarpRows, WarpCols>::threads>;

// A tile over the Threads threads of a role of warps: Lanes of them share a row, in vectors of
// Vector cells, so that a warp reads and writes whole lines of memory, 16 bytes a lane. A tile of
// one row is held by every group of Lanes threads, a tile of one column by every lane of a row.
template <int Rows, int Cols, int Threads, int Lanes, int Vector>
using stripe_layout =
    layout<Rows, Cols, typename detail::stripe_modes<Rows, Cols, Threads, Lanes, Vector>::registers,
           typename detail::stripe_modes<Rows, Cols, Threads, Lanes, Vector>::threads>;

}  // namespace tk
