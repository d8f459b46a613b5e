// Running sums along rows: within a thread's vectors, over the lanes, then the warps that share the
// row.
#pragma once

#include "../ptx/barrier.cuh"
#include "../tile/shared_tile.cuh"
#include "../tile/tile.cuh"
#include "reduce.cuh"

#if TK_CUDA
namespace tk {

namespace detail {

// The sum over the lanes of a row before this one in a warp, and over all of them.
template <int Lanes, class T>
TK_DEVICE T sum_before(T own, int lane, T& all) {
    T upto = own;
    TK_UNROLL
    for (int step = 1; step < Lanes; step *= 2) {
        const T other = __shfl_up_sync(0xffffffffu, upto, step, Lanes);
        if (lane >= step) upto = plus()(upto, other);
    }
    all = __shfl_sync(0xffffffffu, upto, Lanes - 1, Lanes);
    const T before = __shfl_up_sync(0xffffffffu, upto, 1, Lanes);
    return lane == 0 ? T(0) : before;
}

// Cells of a row that are consecutive in a thread; the row continues in the next thread.
template <class Layout>
inline constexpr int vectors_of_row = Layout::thread_cols / Layout::vector;

// The register of cell v of vector j of the thread's row r.
template <class T, class Layout>
TK_DEVICE T& vector_cell(tile<T, Layout>& of, int r, int j, int v) {
    const int c = Layout::cell_at(r, j * Layout::vector + v);
    return of.reg[c / Layout::width][c % Layout::width];
}

// dst = running sums of this thread's vectors, each separately; the sum of vector j.
template <class T, class Layout>
TK_DEVICE T sum_vector(tile<T, Layout>& dst, const tile<T, Layout>& source, int thread, int r,
                       int j) {
    T sum = 0;
    TK_UNROLL
    for (int v = 0; v < Layout::vector; ++v) {
        const int c = Layout::cell_at(r, j * Layout::vector + v);
        if (Layout::has_col(thread, c)) sum = plus()(sum, source.cell(c));
        vector_cell(dst, r, j, v) = sum;
    }
    return sum;
}

template <class T, class Layout>
TK_DEVICE void add_to_vector(tile<T, Layout>& dst, int r, int j, T before) {
    TK_UNROLL
    for (int v = 0; v < Layout::vector; ++v) {
        T& cell = vector_cell(dst, r, j, v);
        cell = plus()(cell, before);
    }
}

// dst = running sums of the part of the thread's row r that its warp holds, as if it were the whole
// row; the sum of that part.
template <class T, class Layout>
TK_DEVICE T sum_part(tile<T, Layout>& dst, const tile<T, Layout>& source, int thread, int r) {
    constexpr int lanes = Layout::row_lanes;
    T left = 0;
    TK_UNROLL
    for (int j = 0; j < vectors_of_row<Layout>; ++j) {
        T all;
        const T own = sum_vector(dst, source, thread, r, j);
        const T before = sum_before<lanes>(own, thread % lanes, all);
        add_to_vector(dst, r, j, plus()(left, before));
        left = plus()(left, all);
    }
    return left;
}

// For rows distributed over several warps, each of which has neighboring columns: parts [row of a
// warp, warp].
template <class T, class Layout, int Warps, int Places>
TK_DEVICE void sum_neighbours(tile<T, Layout>& dst, const tile<T, Layout>& source,
                              const shared_tile<T, Places, Warps>& parts, int thread, int id) {
    constexpr int shares = Layout::row_warps;
    constexpr int lanes = Layout::row_lanes;
    constexpr int rows = 32 / lanes;  // of a warp, for each row of a thread
    static_assert(Warps * 32 == Layout::threads && Layout::thread_rows * rows <= Places);
    const int warp = thread / 32;
    const int row = thread % 32 / lanes;
    barrier_sync(id, Layout::threads);  // all have read what was there
    TK_UNROLL
    for (int r = 0; r < Layout::thread_rows; ++r) {
        const T part = sum_part(dst, source, thread, r);
        if (thread % lanes == 0) set(parts, r * rows + row, warp, part);
    }
    barrier_sync(id, Layout::threads);
    TK_UNROLL
    for (int r = 0; r < Layout::thread_rows; ++r) {
        T before = 0;
        TK_UNROLL
        for (int w = 0; w < shares; ++w) {
            const T part = get(parts, r * rows + row, warp / shares * shares + w);
            if (w < warp % shares) before = plus()(before, part);
        }
        TK_UNROLL
        for (int j = 0; j < vectors_of_row<Layout>; ++j) add_to_vector(dst, r, j, before);
    }
}

// For rows whose warps take vectors in turn: parts [vector of a thread, warp].
template <class T, class Layout, int Warps, int Places>
TK_DEVICE void sum_turns(tile<T, Layout>& dst, const tile<T, Layout>& source,
                         const shared_tile<T, Places, Warps>& parts, int thread, int id) {
    constexpr int vectors = vectors_of_row<Layout>;
    static_assert(Layout::lanes > 32 && Warps * 32 == Layout::threads &&
                  Layout::thread_rows * vectors <= Places && !tile<T, Layout>::packed);
    constexpr int shares = Layout::lanes / 32;  // warps of a row
    const int warp = thread / 32;
    barrier_sync(id, Layout::threads);  // all have read what was there
    TK_UNROLL
    for (int r = 0; r < Layout::thread_rows; ++r) {
        TK_UNROLL
        for (int j = 0; j < vectors; ++j) {
            T all;
            const T own = sum_vector(dst, source, thread, r, j);
            add_to_vector(dst, r, j, sum_before<32>(own, thread % 32, all));
            if (thread % 32 == 0) set(parts, r * vectors + j, warp, all);
        }
    }
    barrier_sync(id, Layout::threads);
    TK_UNROLL
    for (int r = 0; r < Layout::thread_rows; ++r) {
        T left = 0;
        TK_UNROLL
        for (int j = 0; j < vectors; ++j) {
            T before = left;
            TK_UNROLL
            for (int w = 0; w < shares; ++w) {
                const T part = get(parts, r * vectors + j, warp / shares * shares + w);
                if (w < warp % shares) before = plus()(before, part);
                left = plus()(left, part);
            }
            add_to_vector(dst, r, j, before);
        }
    }
}

}  // namespace detail

// dst[row, col] = the sum of source[row, 0..col]; rows within a warp. `thread`: its number among
// the threads of the layout.
template <class T, class Layout>
TK_DEVICE void running_sums(tile<T, Layout>& dst, const tile<T, Layout>& source, int thread) {
    static_assert(Layout::row_warps == 1 && !tile<T, Layout>::packed);
    TK_UNROLL
    for (int r = 0; r < Layout::thread_rows; ++r) detail::sum_part(dst, source, thread, r);
}

// The same if a row is distributed over several warps, which exchange their sums through `parts`, a
// row for each vector of a thread, or for each row of a warp (is_fragment). They synchronize at
// named barrier `id`.
template <class T, class Layout, int Warps, int Places>
TK_DEVICE void running_sums(tile<T, Layout>& dst, const tile<T, Layout>& source,
                            const shared_tile<T, Places, Warps>& parts, int thread, int id) {
    if constexpr (is_fragment<Layout>) detail::sum_neighbours(dst, source, parts, thread, id);
    else detail::sum_turns(dst, source, parts, thread, id);
}

}  // namespace tk
#endif
