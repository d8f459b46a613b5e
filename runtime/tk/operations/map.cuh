// Element-wise work on fragments: map, fill, convert, windows.
#pragma once

#include "../ptx/wgmma.cuh"
#include "../tile/fragment.cuh"

#if TK_CUDA
namespace tk {

// dst[row, col] = fn(row, col, source values...). Sources: fragments of dst's shape, column
// fragments (their row's value), row fragments (their column's). row and col count from the
// fragment's corner. fn may give f32 for a 16-bit dst: pairs are then rounded by one instruction.
template <class T, int Rows, int Cols, class Fn, class... Sources>
TK_DEVICE void map(fragment<T, Rows, Cols>& dst, Fn fn, const Sources&... sources) {
    const int thread = static_cast<int>(threadIdx.x) & 127;
    const auto value = [&](int c) {
        return fn(fragment_row(Cols, thread, c), fragment_col(Cols, thread, c),
                  cell_of<Rows, Cols>(sources, c)...);
    };
    TK_UNROLL
    for (int block = 0; block < Rows / 64; ++block) {
        TK_UNROLL
        for (int i = 0; i < Cols / 2; i += fragment<T, Rows, Cols>::packed ? 2 : 1) {
            const int c = block * (Cols / 2) + i;
            if constexpr (fragment<T, Rows, Cols>::packed)
                dst.reg[block][i / 2] = pack<T>(value(c), value(c + 1));
            else dst.reg[block][i] = value(c);
        }
    }
}

// The same for one value per row: fn(row, source values...).
template <class T, int Rows, class Fn, class... Sources>
TK_DEVICE void map(column_fragment<T, Rows>& dst, Fn fn, const Sources&... sources) {
    const int thread = static_cast<int>(threadIdx.x) & 127;
    TK_UNROLL
    for (int i = 0; i < Rows / 32; ++i)
        dst.reg[i] = fn(column_fragment_row(thread, i), sources.reg[i]...);
}

// The same for one value per column: fn(col, source values...).
template <class T, int Cols, class Fn, class... Sources>
TK_DEVICE void map(row_fragment<T, Cols>& dst, Fn fn, const Sources&... sources) {
    const int thread = static_cast<int>(threadIdx.x) & 127;
    TK_UNROLL
    for (int i = 0; i < Cols / 4; ++i)
        dst.reg[i] = fn(row_fragment_col(thread, i), sources.reg[i]...);
}

// dst = source with columns 2i and 2i + 1 exchanged: a thread holds both.
template <class T, int Rows, int Cols>
TK_DEVICE void swap_pairs(fragment<T, Rows, Cols>& dst, const fragment<T, Rows, Cols>& source) {
    TK_UNROLL
    for (int block = 0; block < Rows / 64; ++block) {
        TK_UNROLL
        for (int i = 0; i < Cols / 2; i += 2) {
            if constexpr (fragment<T, Rows, Cols>::packed) {
                dst.reg[block][i / 2] = __byte_perm(source.reg[block][i / 2], 0, 0x1032);
            } else {
                const T first = source.reg[block][i];
                dst.reg[block][i] = source.reg[block][i + 1];
                dst.reg[block][i + 1] = first;
            }
        }
    }
}
template <class T, int Cols>
TK_DEVICE void swap_pairs(row_fragment<T, Cols>& dst, const row_fragment<T, Cols>& source) {
    TK_UNROLL
    for (int i = 0; i < Cols / 4; i += 2) {
        const T first = source.reg[i];
        dst.reg[i] = source.reg[i + 1];
        dst.reg[i + 1] = first;
    }
}

// The compiler is not told the values: it would write a constant a second time on the path that
// skips a loop of products, into the accumulator, and ptxas then makes products wait for each other
// (its C7515).
template <int Rows, int Cols>
TK_DEVICE void fill(fragment<float, Rows, Cols>& dst, float value) {
    TK_UNROLL
    for (int block = 0; block < Rows / 64; ++block) {
        TK_UNROLL
        for (int i = 0; i < Cols / 2; ++i) dst.reg[block][i] = value;
        ptx::pin(dst.reg[block]);
    }
}

template <int Rows>
TK_DEVICE void fill(column_fragment<float, Rows>& dst, float value) {
    TK_UNROLL
    for (int i = 0; i < Rows / 32; ++i) dst.reg[i] = value;
}

template <int Cols>
TK_DEVICE void fill(row_fragment<float, Cols>& dst, float value) {
    TK_UNROLL
    for (int i = 0; i < Cols / 4; ++i) dst.reg[i] = value;
}

template <class Fragment>
TK_DEVICE void zero(Fragment& dst) {
    fill(dst, 0.0f);
}

// The fragment with its elements rounded to To (f32 to bf16 or f16), or widened (16 bit to f32).
template <class To, class From, int Rows, int Cols>
TK_DEVICE fragment<To, Rows, Cols> convert(const fragment<From, Rows, Cols>& source) {
    fragment<To, Rows, Cols> result;
    map(
        result, [](int, int, From x) { return static_cast<float>(x); }, source);
    return result;
}

// rows of x *= factor; a warp whose factors are all 1 skips it. Not with products in flight: warps
// may part here.
template <int Rows, int Cols>
TK_DEVICE void scale_rows(fragment<float, Rows, Cols>& x,
                          const column_fragment<float, Rows>& factor) {
    bool same = true;
    TK_UNROLL
    for (int i = 0; i < Rows / 32; ++i) same = same && factor.reg[i] == 1.0f;
    if (__all_sync(0xffffffffu, same)) return;
    map(
        x, [](int, int, float y, float f) { return y * f; }, x, factor);
}

// A window of a fragment: rows from `row` on (multiples of 64), columns from `col` on (multiples of
// 8), both constants after unrolling.
template <int Height, int Width, class T, int Rows, int Cols>
TK_DEVICE fragment<T, Height, Width> window(const fragment<T, Rows, Cols>& source, int row,
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
