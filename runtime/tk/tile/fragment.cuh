// A warpgroup's register tile in the layout in which wgmma leaves its result; who holds which
// element.
#pragma once

#include <type_traits>

#include "dtypes.cuh"

namespace tk {

// Cell c of a thread (0 .. Rows * Cols / 128 - 1) is element (fragment_row, fragment_col). Blocks
// of 64 rows follow each other; within one, four cells cover 8 columns: two of row g, two of row g
// + 8 (PTX ISA, "wgmma register fragments: D").
TK_HOST_DEVICE constexpr int fragment_row(int cols, int thread, int cell) {
    const int block = cell / (cols / 2);
    return 64 * block + 16 * (thread / 32) + thread % 32 / 4 + 8 * (cell % (cols / 2) / 2 % 2);
}
TK_HOST_DEVICE constexpr int fragment_col(int cols, int thread, int cell) {
    const int within = cell % (cols / 2);
    return 8 * (within / 4) + 2 * (thread % 4) + within % 2;
}

// Registers of Rows x Cols over the 128 threads. 4-byte types hold one cell a register, 2-byte
// types two neighbouring columns; a 2-byte fragment is an A operand of wgmma as it is.
template <class T, int Rows, int Cols>
struct fragment {
    static_assert(Rows % 64 == 0 && Cols % 8 == 0, "a fragment has 64 k rows and 8 k columns");
    static_assert(sizeof(T) == 4 || sizeof(T) == 2);
    using type = T;
    static constexpr int rows = Rows;
    static constexpr int cols = Cols;
    static constexpr int blocks = Rows / 64;
    static constexpr int cells = Rows * Cols / 128;
    static constexpr bool packed = sizeof(T) == 2;
    using register_type = std::conditional_t<packed, uint32_t, T>;

    register_type reg[static_cast<size_t>(blocks)]
                     [static_cast<size_t>(packed ? Cols / 4 : Cols / 2)];

    // The value of cell c; c must be a constant after unrolling.
    TK_DEVICE T cell(int c) const {
        const int block = c / (Cols / 2);
        const int within = c % (Cols / 2);
#if TK_CUDA
        if constexpr (packed) return unpack<T>(reg[block][within / 2], within % 2);
        else
#endif
            return reg[block][within];
    }
};

// One value per row of a fragment of Rows rows: [Rows, 1], the same in the four lanes that share a
// row.
template <class T, int Rows>
struct column_fragment {
    static_assert(Rows % 64 == 0 && sizeof(T) == 4);
    using type = T;
    static constexpr int rows = Rows;
    static constexpr int cells = Rows / 32;

    T reg[static_cast<size_t>(cells)];  // reg[2 b + h]: row 64 b + 16 w + g + 8 h
};

// One value per column: [1, Cols].
template <class T, int Cols>
struct row_fragment {
    static_assert(Cols % 8 == 0 && sizeof(T) == 4);
    using type = T;
    static constexpr int cols = Cols;
    static constexpr int cells = Cols / 4;

    T reg[static_cast<size_t>(cells)];  // reg[2 j + i]: column 8 j + 2 q + i
};

// Row of value i of a column fragment, column of value i of a row fragment.
TK_HOST_DEVICE constexpr int column_fragment_row(int thread, int i) {
    return 64 * (i / 2) + 16 * (thread / 32) + thread % 32 / 4 + 8 * (i % 2);
}
TK_HOST_DEVICE constexpr int row_fragment_col(int thread, int i) {
    return 8 * (i / 2) + 2 * (thread % 4) + i % 2;
}

#if TK_CUDA
// The value that cell c of a fragment[Rows, Cols] meets: its own, its row's, its column's, or
// a scalar.
template <int Rows, int Cols, class T>
TK_DEVICE T cell_of(const fragment<T, Rows, Cols>& source, int c) {
    return source.cell(c);
}
template <int Rows, int Cols, class T>
TK_DEVICE T cell_of(const column_fragment<T, Rows>& source, int c) {
    return source.reg[2 * (c / (Cols / 2)) + c % (Cols / 2) / 2 % 2];
}
template <int Rows, int Cols, class T>
TK_DEVICE T cell_of(const row_fragment<T, Cols>& source, int c) {
    const int within = c % (Cols / 2);
    return source.reg[2 * (within / 4) + within % 2];
}
#endif

}  // namespace tk
