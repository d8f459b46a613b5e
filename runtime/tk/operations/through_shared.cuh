// Transfers of register tiles through shared memory, for functions whose cells move to other
// threads.
#pragma once

#include "../tile/shared_tile.cuh"
#include "../tile/tile.cuh"

#if TK_CUDA
namespace tk {
namespace detail {

// A row takes one 4-byte word more than it fills, or one cell: neighbors in a column are in
// different banks.
template <class T, class Layout>
inline constexpr int row_pitch = (((Layout::cols + Layout::vector - 1) / Layout::vector *
                                       Layout::vector * static_cast<int>(sizeof(T)) +
                                   3) /
                                      4 +
                                  (sizeof(T) == 8 ? 2 : 1)) *
                                 4;

// Row by row from `place` on, what this thread holds of the tile; the first row is number
// `first_row`.
template <class T, class Layout>
TK_DEVICE void put_rows(unsigned char* place, const tile<T, Layout>& source, int thread,
                        int first_row) {
    constexpr int pitch = row_pitch<T, Layout>;
    constexpr int size = static_cast<int>(sizeof(T));
    // Cells that move at once.
    constexpr int run = size >= 4                        ? 1
                        : Layout::vector * size % 4 == 0 ? 4 / size
                        : Layout::vector * size % 2 == 0 ? (2 + size - 1) / size
                                                         : 1;
    TK_UNROLL
    for (int i = 0; i < Layout::cells; i += run) {
        const int c = Layout::cell_at(i / Layout::thread_cols, i % Layout::thread_cols);
        if (!Layout::has_row(thread, c) || !Layout::has_col(thread, c)) continue;
        T cells[static_cast<size_t>(run)];
        TK_UNROLL
        for (int k = 0; k < run; ++k) cells[k] = source.cell(c + k);
        memcpy(__builtin_assume_aligned(place + (first_row + Layout::row(thread, c)) * pitch +
                                            Layout::col(thread, c) * size,
                                        run * size),
               cells, sizeof(cells));
    }
}

template <class T>
TK_DEVICE T get_cell(const unsigned char* place, int pitch, int row, int col) {
    constexpr int size = static_cast<int>(sizeof(T));
    T cell;
    memcpy(&cell, __builtin_assume_aligned(place + row * pitch + col * size, size), size);
    return cell;
}

}  // namespace detail
}  // namespace tk
#endif
