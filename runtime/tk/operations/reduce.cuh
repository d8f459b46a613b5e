// Reductions of fragments: along a row, within a thread and over the four lanes that share the row;
// over rows, within a warp and over warps.
#pragma once

#include "../ptx/barrier.cuh"
#include "../ptx/math.cuh"
#include "../tile/fragment.cuh"
#include "../tile/shared_tile.cuh"

#if TK_CUDA
namespace tk {

// What a reduction does with two values.
struct plus {
    template <class T>
    TK_DEVICE T operator()(T a, T b) const {
        return a + b;
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

// dst[row] = fn over the columns this thread holds of the row: a partial result, which finish_rows
// completes. Whole warpgroup for both.
template <class T, int Rows, int Cols, class Fn>
TK_DEVICE void fold_rows(column_fragment<T, Rows>& dst, const fragment<T, Rows, Cols>& source,
                         Fn fn) {
    TK_UNROLL
    for (int c = 0; c < fragment<T, Rows, Cols>::cells; ++c) {
        const int within = c % (Cols / 2);
        const int i = 2 * (c / (Cols / 2)) + within / 2 % 2;
        dst.reg[i] =
            within < 4 && within % 2 == 0 ? source.cell(c) : fn(dst.reg[i], source.cell(c));
    }
}

// dst[row] = fn(dst[row], source[row, col]) over the columns this thread holds: what fold_rows does, on top
// of what dst held.
template <class T, int Rows, int Cols, class Fn>
TK_DEVICE void reduce_rows(column_fragment<T, Rows>& dst, const fragment<T, Rows, Cols>& source,
                           Fn fn) {
    TK_UNROLL
    for (int c = 0; c < fragment<T, Rows, Cols>::cells; ++c) {
        const int i = 2 * (c / (Cols / 2)) + c % (Cols / 2) / 2 % 2;
        dst.reg[i] = fn(dst.reg[i], source.cell(c));
    }
}

// Combines the partial results of the four lanes of each row.
template <class T, int Rows, class Fn>
TK_DEVICE void finish_rows(column_fragment<T, Rows>& dst, Fn fn) {
    TK_UNROLL
    for (int i = 0; i < Rows / 32; ++i) {
        dst.reg[i] = fn(dst.reg[i], __shfl_xor_sync(0xffffffffu, dst.reg[i], 1));
        dst.reg[i] = fn(dst.reg[i], __shfl_xor_sync(0xffffffffu, dst.reg[i], 2));
    }
}

// dst[col] = fn over all rows of the `source` fragments of the warpgroups that call it, warps 0 .. of which
// exchange what they made of their own through `rows`, a shared tile with a row for each. They
// meet at named barrier `id`.
template <class T, int Rows, int Cols, int Warps, class Fn>
TK_DEVICE void reduce_columns(row_fragment<T, Cols>& dst, const fragment<T, Rows, Cols>& source,
                              const shared_tile<T, Warps, Cols>& rows, Fn fn, int warp, int id) {
    constexpr int half = Cols / 2;
    TK_UNROLL
    for (int c = 0; c < fragment<T, Rows, Cols>::cells; ++c) {
        const int i = 2 * (c % half / 4) + c % 2;
        dst.reg[i] = c < half && c % 4 < 2 ? source.cell(c) : fn(dst.reg[i], source.cell(c));
    }
    TK_UNROLL
    for (int i = 0; i < Cols / 4; ++i) {
        TK_UNROLL
        for (int lanes = 4; lanes < 32; lanes *= 2)
            dst.reg[i] = fn(dst.reg[i], __shfl_xor_sync(0xffffffffu, dst.reg[i], lanes));
    }
    barrier_sync(id, 32 * Warps);  // all have read what was there
    const int lane = lane_index();
    TK_UNROLL
    for (int i = 0; i < Cols / 4; ++i) {
        if (lane < 4) set(rows, warp, row_fragment_col(lane, i), dst.reg[i]);
    }
    barrier_sync(id, 32 * Warps);
    TK_UNROLL
    for (int i = 0; i < Cols / 4; ++i) {
        const int col = row_fragment_col(lane, i);
        dst.reg[i] = get(rows, 0, col);
        TK_UNROLL
        for (int w = 1; w < Warps; ++w) dst.reg[i] = fn(dst.reg[i], get(rows, w, col));
    }
}

}  // namespace tk
#endif
