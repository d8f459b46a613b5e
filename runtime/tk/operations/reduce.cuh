// Reductions: along a row, within a thread, over the lanes and then the warps that share the row;
// over rows likewise.
#pragma once

#include "../ptx/barrier.cuh"
#include "../ptx/math.cuh"
#include "../tile/shared_tile.cuh"
#include "../tile/tile.cuh"
#include "integer.cuh"

#if TK_CUDA
namespace tk {

// What a reduction does with two values.
struct plus {
    template <class T>
    TK_DEVICE T operator()(T a, T b) const {
        if constexpr (std::is_integral_v<T>) return wrapping_add(a, b);
        else return a + b;
    }
};
struct maximum {
    template <class T>
    TK_DEVICE T operator()(T a, T b) const {
        return max(a, b);
    }
};
struct minimum {
    template <class T>
    TK_DEVICE T operator()(T a, T b) const {
        return min(a, b);
    }
};

namespace detail {

// The identity element of the operation.
template <class T>
TK_DEVICE T neutral(plus) {
    return T(0.0f);
}
template <class T>
TK_DEVICE T neutral(maximum) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(bits_of<T>(1) << (8 * sizeof(T) - 1));
    else return T(-__int_as_float(0x7f800000));
}
template <class T>
TK_DEVICE T neutral(minimum) {
    if constexpr (std::is_integral_v<T>) return static_cast<T>(~bits_of<T>(0) >> 1);
    else return T(__int_as_float(0x7f800000));
}

// x of all lanes of a warp, combined: one instruction, which exists for 32-bit integers.
TK_DEVICE int fold_warp(int x, plus) {
    return __reduce_add_sync(0xffffffffu, x);
}
TK_DEVICE int fold_warp(int x, maximum) {
    return __reduce_max_sync(0xffffffffu, x);
}
TK_DEVICE int fold_warp(int x, minimum) {
    return __reduce_min_sync(0xffffffffu, x);
}

// x of lanes that are adjacent along an axis, combined.
template <bool Rows, class Layout, class T, class Fn>
TK_DEVICE T fold_lanes(T x, Fn fn) {
    constexpr int first = Layout::thread_digits::place(Rows);
    constexpr int end = first * Layout::thread_digits::lane_extent(Rows);
    if constexpr (first == 1 && end == 32 && std::is_same_v<T, int>) {
        return fold_warp(x, fn);
    } else if constexpr (first != 0) {
        TK_UNROLL
        for (int step = first; step < end; step *= 2)
            x = fn(x, __shfl_xor_sync(0xffffffffu, x, step));
    }
    return x;
}

// The same for N values at once, `x`. While there are two or more, two lanes share the work: each
// sends half of its values, and combines those that it receives with the other half. 16 values take
// 16 exchanges this way, and 80 one by one. Value i ends in the lanes that `place` gives.
template <class Layout, int N>
struct lane_columns {
    static constexpr int first = Layout::thread_digits::place(true);
    static constexpr int end = first * Layout::thread_digits::lane_extent(true);
    TK_HOST_DEVICE static constexpr int halvings() {
        int count = 0;
        for (int step = first, n = N; first != 0 && step < end && n % 2 == 0; step *= 2, n /= 2)
            ++count;
        return count;
    }
    static constexpr int halved = halvings();
    static constexpr int kept = N >> halved;

    // The number of the first value that a lane keeps; the others follow it.
    TK_DEVICE static int place(int lane) {
        int at = 0;
        TK_UNROLL
        for (int i = 0; i < halved; ++i) at += (lane & first << i) != 0 ? N >> (i + 1) : 0;
        return at;
    }
    // Whether a lane is the first of those that keep the same values.
    TK_DEVICE static bool is_first(int lane) {
        return first == 0 || (lane & (end - 1) & ~((first << halved) - 1)) == 0;
    }

    // From halving I on. The numbers of values are constants for each, so that all stay in
    // registers.
    template <int I = 0, class T, class Fn>
    TK_DEVICE static void fold(T (&x)[static_cast<size_t>(N)], Fn fn, int lane) {
        if constexpr (I < halved) {
            constexpr int half = N >> (I + 1);
            const bool upper = (lane & first << I) != 0;
            TK_UNROLL
            for (int k = 0; k < half; ++k) {
                const T low = x[k];
                const T high = x[k + half];
                x[k] = fn(upper ? high : low,
                          __shfl_xor_sync(0xffffffffu, upper ? low : high, first << I));
            }
            fold<I + 1>(x, fn, lane);
        } else if constexpr (first << I < end && first != 0) {
            TK_UNROLL
            for (int k = 0; k < kept; ++k)
                x[k] = fn(x[k], __shfl_xor_sync(0xffffffffu, x[k], first << I));
            fold<I + 1>(x, fn, lane);
        }
    }
    // Distributes all values to all lanes again.
    template <int I = halved, class T>
    TK_DEVICE static void spread(T (&x)[static_cast<size_t>(N)], int lane) {
        if constexpr (I > 0) {
            constexpr int half = N >> I;
            const bool upper = (lane & first << (I - 1)) != 0;
            TK_UNROLL
            for (int k = 0; k < half; ++k) {
                const T own = x[k];
                const T other = __shfl_xor_sync(0xffffffffu, own, first << (I - 1));
                x[k] = upper ? other : own;
                x[k + half] = upper ? own : other;
            }
            spread<I - 1>(x, lane);
        }
    }
};

}  // namespace detail

// dst[row] = fn over the columns this thread holds of the row: a partial result, which finish_rows
// completes. `thread`: its number among the threads of the layout.
template <class T, class Column, class Layout, class Fn>
TK_DEVICE void fold_rows(tile<T, Column>& dst, const tile<T, Layout>& source, Fn fn, int thread) {
    static_assert(Column::rows == Layout::rows && Column::cells == Layout::thread_rows);
    // One row at a time: two chains, since consecutive additions depend on each other.
    constexpr int chains = Layout::thread_rows == Layout::blocks && Layout::thread_cols > 1 ? 2 : 1;
    T some[static_cast<size_t>(Column::cells)][static_cast<size_t>(chains)];
    TK_UNROLL
    for (int c = 0; c < Layout::cells; ++c) {
        const int row = Layout::row_index(c);
        const int col = Layout::col_index(c);
        const T x = Layout::has_col(thread, c) ? source.cell(c) : detail::neutral<T>(fn);
        some[row][col % chains] = col < chains ? x : fn(some[row][col % chains], x);
    }
    TK_UNROLL
    for (int row = 0; row < Column::cells; ++row)
        dst.reg[row / Column::width][row % Column::width] =
            chains == 1 ? some[row][0] : fn(some[row][0], some[row][chains - 1]);
}

// dst[row] = fn(dst[row], source[row, col]) over the columns this thread holds: like fold_rows,
// starting from dst. Tiles without a tail.
template <class T, class Column, class Layout, class Fn>
TK_DEVICE void reduce_rows(tile<T, Column>& dst, const tile<T, Layout>& source, Fn fn) {
    static_assert(Layout::whole_rows && Layout::whole_cols);
    TK_UNROLL
    for (int c = 0; c < Layout::cells; ++c) {
        const int row = Layout::row_index(c);
        T& to = dst.reg[row / Column::width][row % Column::width];
        to = fn(to, source.cell(c));
    }
}

// Combines the partial results of the lanes of each row that lie in one warp.
template <class T, class Column, class Fn>
TK_DEVICE void finish_rows(tile<T, Column>& dst, Fn fn) {
    TK_UNROLL
    for (int block = 0; block < Column::blocks; ++block) {
        TK_UNROLL
        for (int i = 0; i < Column::width; ++i)
            dst.reg[block][i] = detail::fold_lanes<false, Column>(dst.reg[block][i], fn);
    }
}

// The same if a row is distributed over several warps, which exchange their partial results through
// `parts` [row of a warp, warp]. They synchronize at named barrier `id`.
template <class T, class Column, int Warps, int Places, class Fn>
TK_DEVICE void finish_rows(tile<T, Column>& dst, Fn fn, const shared_tile<T, Places, Warps>& parts,
                           int thread, int id) {
    constexpr int shares = Column::row_warps;
    constexpr int lanes = Column::row_lanes;
    constexpr int rows = 32 / lanes;  // of a warp, for each row of a thread
    static_assert(shares > 1 && Warps * 32 == Column::threads && Column::cells * rows <= Places);
    finish_rows(dst, fn);
    barrier_sync(id, Column::threads);  // all have read what was there
    const int warp = thread / 32;
    const int row = thread % 32 / lanes;
    TK_UNROLL
    for (int c = 0; c < Column::cells; ++c) {
        if (thread % lanes == 0) set(parts, c * rows + row, warp, dst.cell(c));
    }
    barrier_sync(id, Column::threads);
    TK_UNROLL
    for (int c = 0; c < Column::cells; ++c) {
        const int first = warp / shares * shares;
        T all = get(parts, c * rows + row, first);
        TK_UNROLL
        for (int w = 1; w < shares; ++w) all = fn(all, get(parts, c * rows + row, first + w));
        dst.reg[c / Column::width][c % Column::width] = all;
    }
}

// The same for a tile that warpgroups divide by columns: each of them has the whole column `dst`,
// for its own columns of the tile. `thread`: the number in the role.
template <int Groups, class T, class Column, int Warps, int Places, class Fn>
TK_DEVICE void finish_rows_of_groups(tile<T, Column>& dst, Fn fn,
                                     const shared_tile<T, Places, Warps>& parts, int thread,
                                     int id) {
    constexpr int lanes = Column::row_lanes;
    constexpr int rows = 32 / lanes;  // of a warp, for each row of a thread
    static_assert(Warps == 4 * Groups && Column::cells * rows <= Places);
    finish_rows(dst, fn);
    barrier_sync(id, 32 * Warps);  // all have read what was there
    const int warp = thread / 32;
    const int row = thread % 32 / lanes;
    TK_UNROLL
    for (int c = 0; c < Column::cells; ++c) {
        if (thread % lanes == 0) set(parts, c * rows + row, warp, dst.cell(c));
    }
    barrier_sync(id, 32 * Warps);
    TK_UNROLL
    for (int c = 0; c < Column::cells; ++c) {
        T all = get(parts, c * rows + row, warp % 4);
        TK_UNROLL
        for (int group = 1; group < Groups; ++group)
            all = fn(all, get(parts, c * rows + row, warp % 4 + 4 * group));
        dst.reg[c / Column::width][c % Column::width] = all;
    }
}

// dst[col] = fn over all rows of the role's tile, of which `source` is this warpgroup's part, or
// the whole. The partial results of every warp go through `rows`, a shared tile with a row for
// each; the warps of the role synchronize at named barrier `id`. `thread`: the number in the role.
template <class T, class Row, class Layout, int Warps, int Cols, class Fn>
TK_DEVICE void reduce_columns(tile<T, Row>& dst, const tile<T, Layout>& source,
                              const shared_tile<T, Warps, Cols>& rows, Fn fn, int thread, int id) {
    static_assert(Row::cells == Layout::thread_cols && Cols == Layout::cols);
    const int own = thread % Layout::threads;  // in the warpgroup
    T folded[static_cast<size_t>(Row::cells)];
    TK_UNROLL
    for (int i = 0; i < Row::cells; ++i) {
        TK_UNROLL
        for (int r = 0; r < Layout::thread_rows; ++r) {
            const int c = Layout::cell_at(r, i);
            const T x = Layout::has_row(own, c) ? source.cell(c) : detail::neutral<T>(fn);
            folded[i] = r == 0 ? x : fn(folded[i], x);
        }
    }
    using columns = detail::lane_columns<Layout, Row::cells>;
    columns::fold(folded, fn, thread % 32);
    constexpr int warps = Layout::row_warps;
    constexpr int shares = Warps / warps;  // rows of `rows` in use
    if constexpr (shares > 1) {
        barrier_sync(id, 32 * Warps);  // all have read what was there
        const bool writes = columns::is_first(thread % 32);
        const int first = columns::place(thread % 32);
        TK_UNROLL
        for (int i = 0; i < columns::kept; ++i) {
            if (writes && Row::has_col(own, first + i))
                set(rows, thread / 32 / warps, Row::col(own, first + i), folded[i]);
        }
        barrier_sync(id, 32 * Warps);
        // Row by row: all of them at once would take a register for every value and address.
        TK_UNROLL
        for (int i = 0; i < Row::cells; ++i)
            if (Row::has_col(own, i)) folded[i] = get(rows, 0, Row::col(own, i));
        TK_NO_UNROLL
        for (int s = 1; s < shares; ++s) {
            TK_UNROLL
            for (int i = 0; i < Row::cells; ++i)
                if (Row::has_col(own, i)) folded[i] = fn(folded[i], get(rows, s, Row::col(own, i)));
        }
    } else {
        columns::spread(folded, thread % 32);
    }
    TK_UNROLL
    for (int i = 0; i < Row::cells; i += tile<T, Row>::per)
        dst.set(i, [&](int k) { return folded[i + k]; });
}

}  // namespace tk
#endif
