// Column sums of a warp's tile that are only stored, from the lanes where the exchanges leave them
// (detail::lane_columns).
#pragma once

#include "global.cuh"
#include "reduce.cuh"

#if TK_CUDA
namespace tk {

// dst: of the columns that a lane keeps, in the first registers. store_scattered_columns knows
// which they are.
template <class T, class Row, class Layout, class Fn>
TK_DEVICE void reduce_scatter_columns(tile<T, Row>& dst, const tile<T, Layout>& source, Fn fn,
                                      int thread) {
    static_assert(Row::cells == Layout::thread_cols && Layout::threads == 32);
    T folded[static_cast<size_t>(Row::cells)];
    TK_UNROLL
    for (int i = 0; i < Row::cells; ++i) {
        TK_UNROLL
        for (int r = 0; r < Layout::thread_rows; ++r) {
            const int c = Layout::cell_at(r, i);
            const T x = Layout::has_row(thread, c) ? source.cell(c) : detail::neutral<T>(fn);
            folded[i] = r == 0 ? x : fn(folded[i], x);
        }
    }
    detail::lane_columns<Layout, Row::cells>::fold(folded, fn, thread);
    TK_UNROLL
    for (int i = 0; i < Row::cells; i += tile<T, Row>::per)
        dst.set(i, [&](int k) { return folded[i + k]; });
}

// slice = what reduce_scatter_columns made of a tile of type Source.
template <class Source, class Target, class T, class Row>
TK_DEVICE void store_scattered_columns(const Target& dst, const tile<T, Row>& sums, int thread) {
    using columns = detail::lane_columns<typename Source::layout, Row::cells>;
    if (!columns::is_first(thread) || !dst.holds_row(0)) return;
    const int first = columns::place(thread);
    TK_UNROLL
    for (int k = 0; k < columns::kept; ++k) {
        const int col = Row::col(thread, first + k);
        if ((Row::whole_cols || col < Row::cols) && dst.holds_col(col))
            detail::replace::cell(dst, dst.at(0, col), sums.cell(k));
    }
}

}  // namespace tk
#endif
