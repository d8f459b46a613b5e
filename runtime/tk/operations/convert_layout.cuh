// Redistributes cells over threads: between the layout of products and one whose lanes move 16
// bytes of a row.
#pragma once

#include <string.h>

#include "../ptx/barrier.cuh"
#include "../tile/shared_tile.cuh"
#include "../tile/tile.cuh"

#if TK_CUDA
namespace tk {
namespace detail {

// Bytes from one row to the next: an odd number of 16-byte units, so that eight rows cover all
// banks.
template <class T, class Layout>
inline constexpr int line_pitch = ((Layout::cols * static_cast<int>(sizeof(T)) + 15) / 16 | 1) * 16;

// fn(first cell, address) for every vector that the thread holds, which begins at a multiple of its
// size.
template <class T, class Layout, class Fn>
TK_DEVICE void for_vectors(unsigned char* place, int thread, Fn fn) {
    static_assert(Layout::cols % Layout::vector == 0, "no row ends within a vector");
    constexpr int pitch = line_pitch<T, Layout>;
    constexpr int size = static_cast<int>(sizeof(T));
    constexpr int run = Layout::vector;
    TK_UNROLL
    for (int r = 0; r < Layout::thread_rows; ++r) {
        TK_UNROLL
        for (int j = 0; j < Layout::thread_cols; j += run) {
            const int c = Layout::cell_at(r, j);
            if (!Layout::has_row(thread, c) || !Layout::has_col(thread, c)) continue;
            fn(c, static_cast<unsigned char*>(__builtin_assume_aligned(
                      place + Layout::row(thread, c) * pitch + Layout::col(thread, c) * size,
                      run * size < 16 ? run * size : 16)));
        }
    }
}

}  // namespace detail

// dst = source, through `words`. The threads of the role, all of which hold a part of both,
// synchronize at named barrier `id`; `thread`: their number.
template <class T, class To, class From, int Words>
TK_DEVICE void convert_layout(tile<T, To>& dst, const tile<T, From>& source,
                              const shared_tile<int, 1, Words>& words, int thread, int id) {
    static_assert(To::rows == From::rows && To::cols == From::cols);
    static_assert(To::threads == From::threads);
    static_assert(To::rows * detail::line_pitch<T, To> <= 4 * Words);
    auto* const place = const_cast<unsigned char*>(words.storage);
    barrier_sync(id, To::threads);  // all have read what was there
    if (From::writes(thread)) {
        detail::for_vectors<T, From>(place, thread, [&](int first, unsigned char* to) {
            T cells[static_cast<size_t>(From::vector)];
            TK_UNROLL
            for (int k = 0; k < From::vector; ++k) cells[k] = source.cell(first + k);
            memcpy(to, cells, sizeof(cells));
        });
    }
    barrier_sync(id, To::threads);
    if constexpr (!To::whole_rows || !To::whole_cols) memset(dst.reg, 0, sizeof(dst.reg));
    detail::for_vectors<T, To>(place, thread, [&](int first, const unsigned char* from) {
        T cells[static_cast<size_t>(To::vector)];
        memcpy(cells, from, sizeof(cells));
        TK_UNROLL
        for (int k = 0; k < To::vector; k += tile<T, To>::per)
            dst.set(first + k, [&](int i) { return cells[k + i]; });
    });
}

}  // namespace tk
#endif
