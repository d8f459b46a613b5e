// Transposes of register tiles, through shared memory.
#pragma once

#include "../ptx/barrier.cuh"
#include "../tile/shared_tile.cuh"
#include "../tile/tile.cuh"
#include "through_shared.cuh"

#if TK_CUDA
namespace tk {

// dst[col, row] = source[row, col], through `words`. Both tiles are the warpgroup's parts of those
// of a role of `Groups` warpgroups, which divide rows, or whole. The threads of the role meet at
// named barrier `id`.
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
    constexpr int pitch = detail::row_pitch<T, From>;
    static_assert(To::cols * pitch <= 4 * Words);
    auto* const place = const_cast<unsigned char*>(words.storage);
    barrier_sync(id, threads);  // all have read what was there
    const int from_row = from_parts == 1 ? 0 : group * From::rows;
    if (From::writes(thread) && (from_parts == Groups || group == 0))
        detail::put_rows(place, source, thread, from_row);
    barrier_sync(id, threads);
    const int to_row = to_parts == 1 ? 0 : group * To::rows;
    TK_UNROLL
    for (int c = 0; c < To::cells; c += tile<T, To>::per) {
        dst.set(c, [&](int k) {
            const int row = To::row(thread, c + k);
            const int col = To::col(thread, c + k);
            if (!To::has_row(thread, c + k) || !To::has_col(thread, c + k)) return T{};
            return detail::get_cell<T>(place, pitch, col, to_row + row);
        });
    }
}

}  // namespace tk
#endif
