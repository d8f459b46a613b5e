// Work on the cells that a thread holds: maps, constants, conversions, exchanges of neighbors,
// windows.
#pragma once

#include "../ptx/wgmma.cuh"
#include "../tile/tile.cuh"

#if TK_CUDA
namespace tk {

// dst[row, col] = fn(row, col, source values...). Sources: tiles of dst's shape, columns (their
// row's value), rows (their column's value). row and col count from the tile's corner; `thread`:
// its number among the threads of its layout. fn may return f32 for a narrow dst: neighbors are
// then rounded by one instruction. It may accept f32 for 8-bit cells that are stored in pairs.
template <class T, class Layout, class Fn, class... Sources>
TK_DEVICE void map(tile<T, Layout>& dst, int thread, Fn fn, const Sources&... sources) {
    const auto value = [&](int c) {
        return fn(Layout::row(thread, c), Layout::col(thread, c), cell_of<Layout>(sources, c)...);
    };
    TK_UNROLL
    for (int block = 0; block < Layout::blocks; ++block) {
        TK_UNROLL
        for (int i = 0; i < Layout::width; i += tile<T, Layout>::per) {
            const int c = block * Layout::width + i;
            dst.set(c, [&](int k) { return value(c + k); });
        }
    }
}

// The same for a function of only the source values: dst[row, col] = fn(source values...).
template <class T, class Layout, class Fn, class... Sources>
TK_DEVICE void map(tile<T, Layout>& dst, Fn fn, const Sources&... sources) {
    map(
        dst, 0, [&](int, int, const auto&... cells) { return fn(cells...); }, sources...);
}

// Hides the values of a fragment from the compiler: otherwise it would write a constant a second
// time on the path that skips a product loop, into the accumulator, and ptxas would serialize the
// products (C7515).
template <class T, class Layout>
TK_DEVICE void fill(tile<T, Layout>& dst, typename tile<T, Layout>::type value) {
    TK_UNROLL
    for (int block = 0; block < Layout::blocks; ++block) {
        TK_UNROLL
        for (int i = 0; i < Layout::width; ++i) dst.reg[block][i] = value;
        if constexpr (is_fragment<Layout>) ptx::pin(dst.reg[block]);
    }
}

template <class T, class Layout>
TK_DEVICE void zero(tile<T, Layout>& dst) {
    fill(dst, T{});
}

// The tile with its elements rounded to To (f32 to bf16, f16 or fp8), or widened to f32.
template <class To, class From, class Layout>
TK_DEVICE tile<To, Layout> convert(const tile<From, Layout>& source) {
    tile<To, Layout> result;
    map(
        result, 0, [](int, int, const auto& x) { return static_cast<float>(x); }, source);
    return result;
}

// rows of x *= factor; a warp whose factors are all 1 skips it. Not with products in flight: warps
// may diverge here.
template <class Layout, class Column>
TK_DEVICE void scale_rows(tile<float, Layout>& x, const tile<float, Column>& factor) {
    bool same = true;
    TK_UNROLL
    for (int c = 0; c < Column::cells; ++c) same = same && factor.cell(c) == 1.0f;
    if (__all_sync(0xffffffffu, same)) return;
    map(
        x, 0, [](int, int, float y, float f) { return y * f; }, x, factor);
}

// A window (subtile) of a fragment: rows from `row` on (multiples of 64), columns from `col` on
// (multiples of 8), both constants after unrolling.
template <int Height, int Width, class T, int Rows, int Cols>
TK_DEVICE fragment<T, Height, Width> subtile(const fragment<T, Rows, Cols>& source, int row,
                                             int col) {
    fragment<T, Height, Width> result;
    constexpr int share = fragment<T, Rows, Cols>::packed ? 4 : 2;
    TK_UNROLL
    for (int block = 0; block < Height / 64; ++block) {
        TK_UNROLL
        for (int i = 0; i < Width / share; ++i)
            result.reg[block][i] = source.reg[row / 64 + block][col / share + i];
    }
    return result;
}

}  // namespace tk
#endif
