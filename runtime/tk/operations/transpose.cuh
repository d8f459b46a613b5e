// Transposes of register tiles, through shared memory.
#pragma once

#include "../ptx/barrier.cuh"
#include "../tile/shared_tile.cuh"
#include "../tile/tile.cuh"

#if TK_CUDA
namespace tk {

// dst[col, row] = source[row, col], through `words`, where a row takes one word more than it fills:
// what neighbours in a column hold lies in different banks. Both tiles are the warpgroup's parts of
// those of a role of `Groups` warpgroups, which divide rows, or whole. The threads of the role, of
// which this is number `thread_of_role`, meet at named barrier `id`.
template <int Groups = 1, class T, class To, class From, int Words>
TK_DEVICE void transpose(tile<T, To>& dst, const tile<T, From>& source,
                         const shared_tile<int, 1, Words>& words, int thread_of_role, int id) {
    constexpr int from_parts = To::cols / From::rows;
    constexpr int to_parts = From::cols / To::rows;
    static_assert(To::rows * to_parts == From::cols && (to_parts == 1 || to_parts == Groups));
    static_assert(To::cols == From::rows * from_parts && (from_parts == 1 || from_parts == Groups));
    static_assert(To::threads == From::threads);
    constexpr int threads = Groups * From::threads;
    const int thread = Groups == 1 ? thread_of_role : thread_of_role % From::threads;
    const int group = Groups == 1 ? 0 : thread_of_role / From::threads;
    constexpr int size = static_cast<int>(sizeof(T));
    constexpr int vector = From::vector;
    constexpr int held = (From::cols + vector - 1) / vector * vector;
    constexpr int pitch = ((held * size + 3) / 4 + 1) * 4;
    static_assert(To::cols * pitch <= 4 * Words);
    constexpr int run = vector * size % 4 == 0 ? 4 / size : 1;  // cells that move at once
    auto* const place = const_cast<unsigned char*>(words.storage);
    barrier_sync(id, threads);  // all have read what was there
    const int from_row = from_parts == 1 ? 0 : group * From::rows;
    if (From::writes(thread) && (from_parts == Groups || group == 0)) {
        TK_UNROLL
        for (int i = 0; i < From::cells; i += run) {
            const int c = From::cell_at(i / From::thread_cols, i % From::thread_cols);
            if (!From::has_row(thread, c) || !From::has_col(thread, c)) continue;
            T cells[static_cast<size_t>(run)];
            TK_UNROLL
            for (int k = 0; k < run; ++k) cells[k] = source.cell(c + k);
            memcpy(__builtin_assume_aligned(place + (from_row + From::row(thread, c)) * pitch +
                                                From::col(thread, c) * size,
                                            run * size),
                   cells, sizeof(cells));
        }
    }
    barrier_sync(id, threads);
    const int to_row = to_parts == 1 ? 0 : group * To::rows;
    TK_UNROLL
    for (int c = 0; c < To::cells; c += tile<T, To>::per) {
        dst.set(c, [&](int k) {
            const int row = To::row(thread, c + k);
            const int col = To::col(thread, c + k);
            if (!To::has_row(thread, c + k) || !To::has_col(thread, c + k)) return T{};
            T cell;
            memcpy(&cell,
                   __builtin_assume_aligned(place + col * pitch + (to_row + row) * size, size),
                   size);
            return cell;
        });
    }
}

}  // namespace tk
#endif
