// The position of the largest or smallest cell of a row or column: within a thread, over the lanes,
// then over the warps that share it.
#pragma once

#include "../ptx/barrier.cuh"
#include "../tile/shared_tile.cuh"
#include "../tile/tile.cuh"
#include "reduce.cuh"

#if TK_CUDA
namespace tk {

// Whether cell x at position `at` precedes the best one so far: NaN before all others, the first of
// equal ones.
template <class Joined>
struct first_of {
    template <class T>
    TK_DEVICE bool operator()(T x, int at, T best, int best_at) const {
        if constexpr (std::is_floating_point_v<T>) {
            const bool nan = x != x;
            const bool best_nan = best != best;
            if (nan || best_nan) return nan && (!best_nan || at < best_at);
        }
        if (x == best) return at < best_at;
        return std::is_same_v<Joined, maximum> ? x > best : x < best;
    }
};

namespace detail {

// A cell and its position along the axis.
template <class T>
struct located {
    T cell;
    int place;
};

template <class T, class Joined>
TK_DEVICE void keep_first(located<T>& best, const located<T>& other, Joined) {
    if (first_of<Joined>{}(other.cell, other.place, best.cell, best.place)) best = other;
}

// For line `i`, of which this thread has cells: the best cell among those that its warp holds.
// `first_row`: of the thread's part of the tile.
template <bool Rows, class T, class Layout, class Joined>
TK_DEVICE located<T> locate_in_warp(const tile<T, Layout>& source, int i, int thread, int first_row,
                                    Joined joined) {
    located<T> best{neutral<T>(joined), 0x7fffffff};
    TK_UNROLL
    for (int k = 0; k < (Rows ? Layout::thread_rows : Layout::thread_cols); ++k) {
        const int c = Rows ? Layout::cell_at(k, i) : Layout::cell_at(i, k);
        if (!(Rows ? Layout::has_row(thread, c) : Layout::has_col(thread, c))) continue;
        keep_first(
            best,
            {source.cell(c), Rows ? first_row + Layout::row(thread, c) : Layout::col(thread, c)},
            joined);
    }
    constexpr int first = Layout::thread_digits::place(Rows);
    constexpr int end = first * Layout::thread_digits::lane_extent(Rows);
    if constexpr (first != 0) {
        TK_UNROLL
        for (int step = first; step < end; step *= 2)
            keep_first(best,
                       {__shfl_xor_sync(0xffffffffu, best.cell, step),
                        __shfl_xor_sync(0xffffffffu, best.place, step)},
                       joined);
    }
    return best;
}

// Combines the positions that `Warps` warps in a row of the role, or down its columns, have each
// found among their own cells, through `words`: for each warp and line the cell and its position.
// Line i has number line(i), or is unused if that is less than 0.
template <int Shares, int Lines, class T, class To, class Line, int Words, class Joined>
TK_DEVICE void locate_in_role(tile<int, To>& dst, located<T>* found,
                              const shared_tile<int, 1, Words>& words, int share, bool writes,
                              Line line, Joined joined, int threads, int id) {
    static_assert(static_cast<int>(sizeof(located<T>)) * Shares * Lines <= 4 * Words);
    auto* const place = reinterpret_cast<located<T>*>(const_cast<unsigned char*>(words.storage));
    barrier_sync(id, threads);  // all have read what was there
    TK_UNROLL
    for (int i = 0; i < To::cells; ++i)
        if (writes && line(i) >= 0) place[share * Lines + line(i)] = found[i];
    barrier_sync(id, threads);
    TK_UNROLL
    for (int i = 0; i < To::cells; ++i) {
        if (line(i) >= 0) {
            found[i] = place[line(i)];
            TK_NO_UNROLL
            for (int s = 1; s < Shares; ++s)
                keep_first(found[i], place[s * Lines + line(i)], joined);
        }
        dst.set(i, [&](int) { return found[i].place; });
    }
}

}  // namespace detail

// dst[row] = the column of the largest (`joined` maximum) or smallest (minimum) cell of the row,
// the first of equal ones; for rows within a warp. `thread`: its number among the threads of the
// layout.
template <class T, class To, class Layout, class Joined>
TK_DEVICE void locate_in_rows(tile<int, To>& dst, const tile<T, Layout>& source, Joined joined,
                              int thread) {
    static_assert(Layout::row_warps == 1 && To::cells == Layout::thread_rows);
    TK_UNROLL
    for (int i = 0; i < To::cells; ++i) {
        const int place = detail::locate_in_warp<false>(source, i, thread, 0, joined).place;
        dst.set(i, [&](int) { return place; });
    }
}

// The same for a row distributed over several warps, which synchronize at named barrier `id`.
template <class T, class To, class Layout, int Words, class Joined>
TK_DEVICE void locate_in_rows(tile<int, To>& dst, const tile<T, Layout>& source, Joined joined,
                              const shared_tile<int, 1, Words>& words, int thread, int id) {
    constexpr int shares = Layout::row_warps;
    static_assert(shares > 1 && To::cells == Layout::thread_rows);
    detail::located<T> found[static_cast<size_t>(To::cells)];
    TK_UNROLL
    for (int i = 0; i < To::cells; ++i)
        found[i] = detail::locate_in_warp<false>(source, i, thread, 0, joined);
    const auto line = [&](int i) { return To::has_row(thread, i) ? To::row(thread, i) : -1; };
    detail::locate_in_role<shares, Layout::rows>(dst, found, words, thread / 32 % shares,
                                                 thread % Layout::row_lanes == 0, line, joined,
                                                 Layout::threads, id);
}

// dst[col] = the row of the largest or smallest cell of the column of the role's tile. `source` is
// the part of one of `Groups` warpgroups, or the whole. The warps of the role synchronize at named
// barrier `id`.
template <int Groups = 1, class T, class To, class Layout, int Words, class Joined>
TK_DEVICE void locate_in_columns(tile<int, To>& dst, const tile<T, Layout>& source, Joined joined,
                                 const shared_tile<int, 1, Words>& words, int thread_of_role,
                                 int id) {
    static_assert(To::cells == Layout::thread_cols);
    constexpr int threads = Groups * Layout::threads;
    const int thread = Groups == 1 ? thread_of_role : thread_of_role % Layout::threads;
    const int first_row = Groups == 1 ? 0 : thread_of_role / Layout::threads * Layout::rows;
    constexpr int lanes = Layout::row_lanes;
    constexpr int warps = Layout::row_warps;
    constexpr int shares = threads / 32 / warps;
    detail::located<T> found[static_cast<size_t>(To::cells)];
    TK_UNROLL
    for (int i = 0; i < To::cells; ++i)
        found[i] = detail::locate_in_warp<true>(source, i, thread, first_row, joined);
    const auto line = [&](int i) { return To::has_col(thread, i) ? To::col(thread, i) : -1; };
    detail::locate_in_role<shares, Layout::cols>(dst, found, words, thread_of_role / 32 / warps,
                                                 thread % 32 < lanes, line, joined, threads, id);
}

}  // namespace tk
#endif
