// Reductions of fragments along a row: within a thread first, then over the four lanes that share
// the row.
#pragma once

#include "../ptx/math.cuh"
#include "../tile/fragment.cuh"

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

}  // namespace tk
#endif
