// A register tile of a role of warps: every row lies over neighbouring threads in vectors of cells, so that
// a warp reads and writes whole lines of memory, 16 bytes a lane.
#pragma once

#include <type_traits>

#include "dtypes.cuh"

namespace tk {

// Rows x Cols over Threads threads. Lanes of them share a row: thread t holds the rows
// t / Lanes + k * Threads / Lanes, and of those the cells (t % Lanes) * Vector + v + j * Lanes * Vector.
// A tile of one row is held by every group of Lanes threads, a tile of one column by every lane of a row.
template <class T, int Rows, int Cols, int Threads, int Lanes, int Vector>
struct stripe {
    static_assert(Threads % Lanes == 0 && (Lanes & (Lanes - 1)) == 0 && Vector >= 1);
    using type = T;
    static constexpr int rows = Rows;
    static constexpr int cols = Cols;
    static constexpr int threads = Threads;
    static constexpr int lanes = Lanes;
    static constexpr int vector = Cols == 1 ? 1 : Vector;
    static constexpr int groups = Threads / Lanes;  // rows at a time
    static constexpr int passes = Rows == 1 ? 1 : (Rows + groups - 1) / groups;
    static constexpr int vectors = Cols == 1 ? 1 : (Cols + Lanes * Vector - 1) / (Lanes * Vector);
    static constexpr int width = vectors * vector;  // cells of a thread in one of its rows
    static constexpr int per = vector % per_register<T> == 0 ? per_register<T> : 1;
    static constexpr bool packed = per > 1;
    // Whether all rows, and all columns, that threads hold are cells of the tile.
    static constexpr bool whole_rows = Rows == 1 || Rows % groups == 0;
    static constexpr bool whole_cols = Cols == 1 || Cols % (Lanes * Vector) == 0;
    using register_type = std::conditional_t<packed, uint32_t, T>;

    register_type reg[static_cast<size_t>(passes)]
                     [static_cast<size_t>(width / per)];

    TK_HOST_DEVICE static constexpr int row(int thread, int pass) {
        return Rows == 1 ? 0 : pass * groups + thread / Lanes;
    }
    TK_HOST_DEVICE static constexpr int col(int thread, int i) {
        return Cols == 1 ? 0 : (i / vector * Lanes + thread % Lanes) * vector + i % vector;
    }
    // Whether the tile has the cell that the thread holds there.
    TK_HOST_DEVICE static constexpr bool has_row(int thread, int pass) {
        return whole_rows || row(thread, pass) < Rows;
    }
    TK_HOST_DEVICE static constexpr bool has_col(int thread, int i) {
        return whole_cols || col(thread, i) < Cols;
    }
    // Of the threads that hold a cell, the one that writes it away.
    TK_HOST_DEVICE static constexpr bool writes(int thread) {
        return (Rows != 1 || thread / Lanes == 0) && (Cols != 1 || thread % Lanes == 0);
    }

#if TK_CUDA
    // The value at (pass, i) of a larger tile: its own, its row's, its column's. Constants after unrolling.
    TK_DEVICE T cell(int pass, int i) const {
        const int p = passes == 1 ? 0 : pass;
        const int k = Cols == 1 ? 0 : i;
        if constexpr (packed) return unpack<T>(reg[p][k / per], k % per);
        else return reg[p][k];
    }
#endif
};

}  // namespace tk
