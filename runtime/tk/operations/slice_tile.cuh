// Some of the rows or columns of a register tile.
#pragma once

#include "../ptx/barrier.cuh"
#include "../tile/shared_tile.cuh"
#include "../tile/tile.cuh"
#include "through_shared.cuh"

#if TK_CUDA
namespace tk {

// dst = source from the Row-th row and the Col-th column of each thread on: all threads keep their
// cells. A part that begins or ends inside a register is extracted from it.
template <int Row, int Col, class T, class To, class From>
TK_DEVICE void slice_registers(tile<T, To>& dst, const tile<T, From>& source) {
    static_assert(Row + To::thread_rows <= From::thread_rows);
    static_assert(Col + To::thread_cols <= From::thread_cols);
    constexpr int per = tile<T, To>::per;
    constexpr bool whole = per == tile<T, From>::per && Col % per == 0;
    TK_UNROLL
    for (int r = 0; r < To::thread_rows; ++r) {
        TK_UNROLL
        for (int j = 0; j < To::thread_cols; j += per) {
            const int to = To::cell_at(r, j);
            if constexpr (whole) {
                const int from = From::cell_at(Row + r, Col + j);
                dst.reg[to / To::width][to % To::width / per] =
                    source.reg[from / From::width][from % From::width / per];
            } else {
                dst.set(to,
                        [&](int k) { return source.cell(From::cell_at(Row + r, Col + j + k)); });
            }
        }
    }
}

// dst = source, cell by cell of a thread: the tiles are the same registers, read in two ways.
template <class T, class To, class From>
TK_DEVICE void same_registers(tile<T, To>& dst, const tile<T, From>& source) {
    static_assert(To::cells == From::cells && To::threads == From::threads);
    TK_UNROLL
    for (int c = 0; c < To::cells; ++c) dst.set(c, [&](int) { return source.cell(c); });
}

// dst[row, col] = source[Row + row, Col + col], through `words`. Both tiles are the warpgroup's
// rows of those of a role of `Groups` warpgroups. The threads of the role synchronize at named
// barrier `id`.
template <int Row, int Col, int Groups = 1, class T, class To, class From, int Words>
TK_DEVICE void slice_rows_and_columns(tile<T, To>& dst, const tile<T, From>& source,
                                      const shared_tile<int, 1, Words>& words, int thread_of_role,
                                      int id) {
    static_assert(To::threads == From::threads);
    constexpr int from_groups = From::rows == 1 ? 1 : Groups;
    constexpr int to_groups = To::rows == 1 ? 1 : Groups;
    static_assert(Row + To::rows * to_groups <= From::rows * from_groups);
    static_assert(Col + To::cols <= From::cols);
    constexpr int threads = Groups * From::threads;
    const int thread = Groups == 1 ? thread_of_role : thread_of_role % From::threads;
    const int group = Groups == 1 ? 0 : thread_of_role / From::threads;
    constexpr int pitch = detail::row_pitch<T, From>;
    static_assert(From::rows * from_groups * pitch <= 4 * Words);
    auto* const place = const_cast<unsigned char*>(words.storage);
    barrier_sync(id, threads);  // all have read what was there
    if (From::writes(thread) && (from_groups == Groups || group == 0))
        detail::put_rows(place, source, thread, from_groups == 1 ? 0 : group * From::rows);
    barrier_sync(id, threads);
    const int first = Row + (to_groups == 1 ? 0 : group * To::rows);
    TK_UNROLL
    for (int c = 0; c < To::cells; c += tile<T, To>::per) {
        dst.set(c, [&](int k) {
            const int row = To::row(thread, c + k);
            const int col = To::col(thread, c + k);
            if (!To::has_row(thread, c + k) || !To::has_col(thread, c + k)) return T{};
            return detail::get_cell<T>(place, pitch, first + row, Col + col);
        });
    }
}

}  // namespace tk
#endif
