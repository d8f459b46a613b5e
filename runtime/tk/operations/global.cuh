// Element by element between global memory and tiles: any strides, bounds checked, 64-bit offsets.
#pragma once

#include "../tile/fragment.cuh"
#include "../tile/shared_tile.cuh"

#if TK_CUDA
namespace tk {

// A slice of a tensor: its first element, its strides in elements, and how many rows and columns
// lie inside the tensor (may be negative, or more than the tile has).
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
    // Whether no vector of so many cells, at a multiple of them, lies partly inside.
    TK_DEVICE bool whole_vectors(int cells) const { return cols % cells == 0; }
    TK_DEVICE T* at(int row, int col) const { return data + (row * row_stride + col * col_stride); }
};

// The same of a slice whose rows end with a whole vector, which the launcher has seen to.
template <class T>
struct vector_tile : global_tile<T> {
    TK_DEVICE vector_tile(T* data, int64_t row_stride, int64_t col_stride, int rows, int cols)
        : global_tile<T>{data, row_stride, col_stride, rows, cols} {}
    TK_DEVICE static constexpr bool whole_vectors(int) { return true; }
};

// The same of a slice that may begin before the tensor: rows from `row_begin` and columns from
// `col_begin` on lie inside.
template <class T>
struct clipped_tile : global_tile<T> {
    int row_begin;
    int col_begin;

    TK_DEVICE clipped_tile(T* data, int64_t row_stride, int64_t col_stride, int rows, int cols,
                           int row_begin, int col_begin)
        : global_tile<T>{data, row_stride, col_stride, rows, cols},
          row_begin(row_begin),
          col_begin(col_begin) {}
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

namespace detail {
template <class T>
struct alignas(2 * sizeof(T)) pair {
    T x, y;
};
}  // namespace detail

// tile = slice, zeros past its edge; by `threads` threads numbered `thread`. Ordinary stores:
// publish them (pipeline::publish, or fence_async and a barrier) before a product or TMA reads the
// tile.
template <class Source, class Tile>
TK_DEVICE void copy_to_shared(const Tile& tile, const Source& source, int thread, int threads) {
    using T = std::remove_const_t<typename Source::type>;
    const auto window = view(tile);
    using view_type = decltype(view(tile));
    static_assert(std::is_same_v<T, typename view_type::type>);
    // Neighbouring threads take neighbouring addresses of global memory.
    const bool by_row = source.col_stride == 1 || source.row_stride != 1;
    for (int i = thread; i < view_type::rows * view_type::cols; i += threads) {
        const int row = by_row ? i / view_type::cols : i % view_type::rows;
        const int col = by_row ? i % view_type::cols : i / view_type::rows;
        T value{};
        if (source.holds(row, col)) value = *source.at(row, col);
        set(window, row, col, value);
    }
}

// slice = tile where the slice has elements; one warpgroup.
template <class Target, class Tile>
TK_DEVICE void copy_to_global(const Target& dst, const Tile& tile) {
    using T = typename Target::type;
    const auto window = view(tile);
    using view_type = decltype(view(tile));
    static_assert(std::is_same_v<T, typename view_type::type>);
    TK_NO_UNROLL
    for (int i = warpgroup_thread(); i < view_type::rows * view_type::cols; i += 128) {
        const int row = i / view_type::cols;
        const int col = i % view_type::cols;
        if (dst.holds(row, col)) *dst.at(row, col) = get(window, row, col);
    }
}

// slice = source where the slice has elements; one warpgroup.
template <class Target, class T, int Rows, int Cols>
TK_DEVICE void store_global(const Target& dst, const fragment<T, Rows, Cols>& source) {
    const int thread = warpgroup_thread();
    // Two neighbouring columns in one store where every pair is aligned: a quad then fills a whole
    // sector.
    const bool paired = dst.col_stride == 1 && dst.row_stride % 2 == 0 &&
                        reinterpret_cast<uint64_t>(dst.data) % (2 * sizeof(T)) == 0;
    TK_UNROLL
    for (int block = 0; block < Rows / 64; ++block) {
        TK_UNROLL
        for (int i = 0; i < Cols / 2; i += 2) {
            const int c = block * (Cols / 2) + i;
            const int row = fragment_row(Cols, thread, c);
            const int col = fragment_col(Cols, thread, c);
            if (paired && dst.holds_pair(row, col)) {
                if constexpr (sizeof(T) == 2)
                    *reinterpret_cast<uint32_t*>(dst.at(row, col)) = source.reg[block][i / 2];
                else
                    *reinterpret_cast<detail::pair<T>*>(dst.at(row, col)) = {
                        source.reg[block][i], source.reg[block][i + 1]};
            } else {
                if (dst.holds(row, col)) *dst.at(row, col) = source.cell(c);
                if (dst.holds(row, col + 1)) *dst.at(row, col + 1) = source.cell(c + 1);
            }
        }
    }
}

// dst = slice, zeros past its edge; one warpgroup. For tensors that nobody writes in this launch.
template <class Source, class T, int Rows, int Cols>
TK_DEVICE void load_global(fragment<T, Rows, Cols>& dst, const Source& source) {
    const int thread = warpgroup_thread();
    const auto value = [&](int row, int col) {
        T x{};
        if (source.holds(row, col)) x = *source.at(row, col);
        return x;
    };
    TK_UNROLL
    for (int block = 0; block < Rows / 64; ++block) {
        TK_UNROLL
        for (int i = 0; i < Cols / 2; i += 2) {
            const int c = block * (Cols / 2) + i;
            const int row = fragment_row(Cols, thread, c);
            const int col = fragment_col(Cols, thread, c);
            if constexpr (sizeof(T) == 2) {
                dst.reg[block][i / 2] = pack<T>(value(row, col), value(row, col + 1));
            } else {
                dst.reg[block][i] = value(row, col);
                dst.reg[block][i + 1] = value(row, col + 1);
            }
        }
    }
}

// One value per column, of the first row of `source`, or per row, of its first column; zeros where
// the slice has no elements.
template <class Source, class To, int Cols>
TK_DEVICE void load_global(row_fragment<To, Cols>& dst, const Source& source) {
    const int thread = warpgroup_thread();
    TK_UNROLL
    for (int i = 0; i < Cols / 4; ++i) {
        const int col = row_fragment_col(thread, i);
        dst.reg[i] = source.holds(0, col) ? static_cast<To>(*source.at(0, col)) : To{};
    }
}
template <class Source, class To, int Rows>
TK_DEVICE void load_global(column_fragment<To, Rows>& dst, const Source& source) {
    const int thread = warpgroup_thread();
    TK_UNROLL
    for (int i = 0; i < Rows / 32; ++i) {
        const int row = column_fragment_row(thread, i);
        dst.reg[i] = source.holds(row, 0) ? static_cast<To>(*source.at(row, 0)) : To{};
    }
}

// slice[row, 0] = source; the first lane of each quad writes.
template <class Target, class From, int Rows>
TK_DEVICE void store_global(const Target& dst, const column_fragment<From, Rows>& source) {
    using T = typename Target::type;
    const int thread = warpgroup_thread();
    TK_UNROLL
    for (int i = 0; i < Rows / 32; ++i) {
        const int row = column_fragment_row(thread, i);
        if (thread % 4 == 0 && dst.holds(row, 0)) *dst.at(row, 0) = static_cast<T>(source.reg[i]);
    }
}

// slice[0, col] = source; the first quad writes.
template <class Target, class From, int Cols>
TK_DEVICE void store_global(const Target& dst, const row_fragment<From, Cols>& source) {
    using T = typename Target::type;
    const int thread = warpgroup_thread();
    TK_UNROLL
    for (int i = 0; i < Cols / 4; ++i) {
        const int col = row_fragment_col(thread, i);
        if (thread < 4 && dst.holds(0, col)) *dst.at(0, col) = static_cast<T>(source.reg[i]);
    }
}

}  // namespace tk
#endif
