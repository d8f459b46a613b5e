// Slices of tensors in global memory, as kernels name them: which elements are inside, and where.
#pragma once

#include "../host/tensor_argument.h"
#include "../ptx/config.h"

#if TK_CUDA
namespace tk {

// A slice of a tensor: its first element, its strides in elements, and how many rows and columns
// are inside the tensor (may be negative, or more than the tile has).
template <class T>
struct global_tile {
    T* data;
    int64_t row_stride;
    int64_t col_stride;
    int rows;
    int cols;

    using type = T;
    TK_DEVICE bool holds(int row, int col) const { return row < rows && col < cols; }
    TK_DEVICE bool holds_pair(int row, int col) const { return row < rows && col + 1 < cols; }
    TK_DEVICE bool holds_row(int row) const { return row < rows; }
    TK_DEVICE bool holds_col(int col) const { return col < cols; }
    // Whether no vector of that many cells, at a multiple of them, is partly inside.
    TK_DEVICE bool whole_vectors(int cells) const { return cols % cells == 0; }
    TK_DEVICE T* at(int row, int col) const { return data + (row * row_stride + col * col_stride); }

    // One access, to a cell or several neighbors. Fixed: no program writes the tensor in this
    // launch.
    template <class Unit>
    TK_DEVICE static Unit read(const Unit* from) {
        return *from;
    }
    template <class Unit>
    TK_DEVICE static Unit read_fixed(const Unit* from) {
        return __ldg(from);
    }
    template <class Unit>
    TK_DEVICE static void write(Unit* to, const Unit& value) {
        *to = value;
    }
};

// Whether a slice has a policy for the L2 cache (cache.cuh).
template <class Slice>
inline constexpr bool is_hinted = false;

// The same for a slice whose rows end with a whole vector, which the launcher has checked.
template <class T>
struct vector_tile : global_tile<T> {
    TK_DEVICE static constexpr bool whole_vectors(int) { return true; }
};

// The same for a slice that may begin before the tensor: rows from `row_begin` and columns from
// `col_begin` on are inside.
template <class T>
struct clipped_tile : global_tile<T> {
    int row_begin;
    int col_begin;

    TK_DEVICE bool whole_vectors(int) const { return false; }
    TK_DEVICE bool holds(int row, int col) const { return holds_row(row) && holds_col(col); }
    TK_DEVICE bool holds_pair(int row, int col) const {
        return holds(row, col) && holds_col(col + 1);
    }
    TK_DEVICE bool holds_row(int row) const {
        return row >= row_begin && global_tile<T>::holds_row(row);
    }
    TK_DEVICE bool holds_col(int col) const {
        return col >= col_begin && global_tile<T>::holds_col(col);
    }
};

// ---- making them -------------------------------------------------------------------------------

// A position in a tensor, an index for each axis. It need not be inside.
template <int Rank>
struct position {
    int64_t at[Rank];
};

// Instead of an axis: the slice has one row, or one column; and, unless a slice names axes,
// the last two, of a vector one row.
constexpr int no_axis = -1;
constexpr int usual_axis = -2;

namespace detail {

template <bool Dense, int Rows, int Cols, class T, int Rank>
TK_DEVICE global_tile<T> slice_of(const tensor_argument<T, Rank>& tensor,
                                  const position<Rank>& from, int rows, int cols) {
    static_assert(Rows < Rank && Cols < Rank, "axes of the tensor");
    constexpr int row_axis = Rows != usual_axis ? Rows : Rank >= 2 ? Rank - 2 : no_axis;
    constexpr int col_axis = Cols != usual_axis ? Cols : Rank - 1;
    int64_t offset = 0;
    TK_UNROLL
    for (int axis = 0; axis < Rank; ++axis) offset += from.at[axis] * tensor.stride[axis];
    const auto stride = [&](int axis) -> int64_t {
        if (axis == no_axis) return 0;
        return Dense && axis == Rank - 1 ? 1 : tensor.stride[axis];
    };
    return {tensor.data + offset, stride(row_axis), stride(col_axis), rows, cols};
}

}  // namespace detail

// The slice of a tensor from a position on, of which that many rows and columns are inside: along
// the last two axes, or `slice<axis of the rows, axis of the columns>`.
template <int Rows = usual_axis, int Cols = usual_axis, class T, int Rank>
TK_DEVICE global_tile<T> slice(const tensor_argument<T, Rank>& tensor, const position<Rank>& from,
                               int rows, int cols) {
    return detail::slice_of<false, Rows, Cols>(tensor, from, rows, cols);
}
// The same for a tensor whose last axis has stride 1, which the launcher has checked.
template <int Rows = usual_axis, int Cols = usual_axis, class T, int Rank>
TK_DEVICE global_tile<T> dense_slice(const tensor_argument<T, Rank>& tensor,
                                     const position<Rank>& from, int rows, int cols) {
    return detail::slice_of<true, Rows, Cols>(tensor, from, rows, cols);
}
// The same where the rows of the slice end with a whole vector, too.
template <int Rows = usual_axis, int Cols = usual_axis, class T, int Rank>
TK_DEVICE vector_tile<T> vector_slice(const tensor_argument<T, Rank>& tensor,
                                      const position<Rank>& from, int rows, int cols) {
    return {detail::slice_of<true, Rows, Cols>(tensor, from, rows, cols)};
}

// The same selected by a constant of the kernel: contiguous or any, of whole vectors or any.
template <bool Dense, int Rows = usual_axis, int Cols = usual_axis, class T, int Rank>
TK_DEVICE global_tile<T> slice_if_dense(const tensor_argument<T, Rank>& tensor,
                                        const position<Rank>& from, int rows, int cols) {
    return detail::slice_of<Dense, Rows, Cols>(tensor, from, rows, cols);
}
template <bool Vectors, int Rows = usual_axis, int Cols = usual_axis, class T, int Rank>
TK_DEVICE auto slice_if_vectors(const tensor_argument<T, Rank>& tensor, const position<Rank>& from,
                                int rows, int cols) {
    if constexpr (Vectors) return vector_slice<Rows, Cols>(tensor, from, rows, cols);
    else return slice<Rows, Cols>(tensor, from, rows, cols);
}

// The same for a slice whose first rows and columns may be before the tensor.
template <class T>
TK_DEVICE clipped_tile<T> clipped(const global_tile<T>& slice, int row_begin, int col_begin) {
    return {slice, row_begin, col_begin};
}

}  // namespace tk
#endif
