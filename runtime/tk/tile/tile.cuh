// A tile in the registers of the threads that its layout names.
#pragma once

#include "dtypes.cuh"
#include "register_layout.cuh"

namespace tk {

#if TK_CUDA
// A cell of two that share 16 bits, for a function of cells, which takes it as it is or as f32.
template <class T>
struct byte_cell {
    uint16_t pair;
    int at;
    TK_DEVICE operator T() const { return unpack_byte<T>(pair, at); }
    TK_DEVICE operator float() const { return widen_byte<T>(pair, at); }
};
#endif

// What one thread holds of a tile. 8-byte types take two registers a cell, 4-byte types and vectors
// of one cell a register each; narrow types share one between neighboring columns. A fragment of
// 2-byte cells is an A operand of wgmma as it is; one of 8-bit cells has them in twos, 16 bits that
// ptxas gives a register.
template <class T, class Layout>
struct tile {
    using type = T;
    using layout = Layout;
    static constexpr int rows = Layout::rows;
    static constexpr int cols = Layout::cols;
    static constexpr int cells = Layout::cells;
    static constexpr int blocks = Layout::blocks;
    static constexpr int width = Layout::width;
    static constexpr int per = per_register_of<T, Layout::vector>;
    static constexpr bool packed = per > 1;
    static constexpr bool bytes_in_twos = per == 2 && sizeof(T) == 1;
    using register_type =
        std::conditional_t<bytes_in_twos, uint16_t, std::conditional_t<packed, uint32_t, T>>;

    register_type reg[static_cast<size_t>(blocks)][static_cast<size_t>(width / per)];

#if TK_CUDA
    // The value of cell c; c must be a constant after unrolling.
    TK_DEVICE T cell(int c) const {
        const int block = c / width;
        const int within = c % width;
        if constexpr (bytes_in_twos) return unpack_byte<T>(reg[block][within / 2], within % 2);
        else if constexpr (packed) return unpack<T>(reg[block][within / per], within % per);
        else return reg[block][within];
    }
    // The same for a function of cells.
    TK_DEVICE auto argument(int c) const {
        if constexpr (bytes_in_twos) {
            return byte_cell<T>{reg[c / width][c % width / 2], c % width % 2};
        } else {
            return cell(c);
        }
    }
    // Sets `per` neighboring cells from c on, a multiple: value(i) is cell c + i. Floats are
    // rounded to narrow types by one instruction for all of them.
    template <class Value>
    TK_DEVICE void set(int c, Value value) {
        register_type& to = reg[c / width][c % width / per];
        if constexpr (bytes_in_twos) to = pack_bytes<T>(value(0), value(1));
        else if constexpr (per == 4) to = pack<T>(value(0), value(1), value(2), value(3));
        else if constexpr (per == 2) to = pack<T>(value(0), value(1));
        else to = static_cast<T>(value(0));
    }
#endif
};

// Tiles by what they are used for; [Rows, 1] and [1, Cols] next to a fragment.
template <class T, int Rows, int Cols>
using fragment = tile<T, fragment_layout<Rows, Cols>>;
template <class T, int Rows>
using column_fragment = tile<T, fragment_layout<Rows, 1>>;
template <class T, int Cols>
using row_fragment = tile<T, fragment_layout<1, Cols>>;
template <class T, int Rows, int Cols, int WarpRows, int WarpCols>
using warp_fragment = tile<T, warp_fragment_layout<Rows, Cols, WarpRows, WarpCols>>;
template <class T, int Rows, int Cols, int Threads, int Lanes, int Vector>
using stripe = tile<T, stripe_layout<Rows, Cols, Threads, Lanes, Vector>>;
// The registers of a fragment of 4-byte cells as rows of 32 cells: four of 8 columns are
// neighbors.
template <class T, int Rows>
using fragment_lines = stripe<T, Rows, 32, 128, 8, 4>;

// Whether the warps hold blocks of 16 rows and 8 columns as the tensor cores' results lie, of wgmma
// or of mma.sync.
template <class Layout>
inline constexpr bool is_fragment = false;
template <int Rows, int Cols, int Blocks, int Columns, int Step, class... Warps>
inline constexpr bool is_fragment<layout<
    Rows, Cols, modes<col_mode<2, 1>, row_mode<2, 8>, col_mode<Columns, 8>, row_mode<Blocks, Step>>,
    modes<col_mode<4, 2>, row_mode<8, 1>, Warps...>>> = true;

#if TK_CUDA
// The value that cell c of a tile of layout Of meets: its own, its row's, its column's.
template <class Of, class T, class Layout>
TK_DEVICE auto cell_of(const tile<T, Layout>& source, int c) {
    constexpr bool all_rows = Layout::rows == Of::rows;
    constexpr bool all_cols = Layout::cols == Of::cols;
    static_assert(all_rows || Layout::rows == 1, "tiles of one height, or one row");
    static_assert(all_cols || Layout::cols == 1, "tiles of one width, or one column");
    if constexpr (all_rows && all_cols) return source.argument(c);
    else return source.argument(Of::register_digits::index(all_rows, all_cols, c));
}
#endif

}  // namespace tk
