// Copies between global memory and tiles: slices with bounds, 64-bit offsets; element by element
// with any strides, or in 16-byte units.
#pragma once

#include <type_traits>

#include "../ptx/thread.cuh"
#include "../tile/shared_tile.cuh"
#include "../tile/tile.cuh"
#include "slice.cuh"

#if TK_CUDA
namespace tk {

// tile = slice, zeros past its edge; by `threads` threads numbered `thread`. Ordinary stores:
// publish them (pipeline::publish, or fence_async and a barrier) before a product or TMA reads the
// tile.
template <class Source, class Tile>
TK_DEVICE void copy_to_shared(const Tile& tile, const Source& source, int thread, int threads) {
    using T = std::remove_const_t<typename Source::type>;
    const auto window = view(tile);
    using view_type = decltype(view(tile));
    using cell = typename view_type::type;
    static_assert(lies_as<cell, T>);
    // Neighboring threads take neighboring addresses of global memory.
    const bool by_row = source.col_stride == 1 || source.row_stride != 1;
    for (int i = thread; i < view_type::rows * view_type::cols; i += threads) {
        const int row = by_row ? i / view_type::cols : i % view_type::rows;
        const int col = by_row ? i % view_type::cols : i / view_type::rows;
        T value{};
        if (source.holds(row, col)) value = source.read(source.at(row, col));
        set(window, row, col, static_cast<cell>(value));
    }
}

namespace detail {

// fn(row, column, cell) for the cells of a shared tile where the slice has elements.
template <class Target, class Tile, class Fn>
TK_DEVICE void for_shared_cells(const Target& dst, const Tile& tile, int thread, int threads,
                                Fn fn) {
    const auto window = view(tile);
    using view_type = decltype(view(tile));
    static_assert(std::is_same_v<typename Target::type, typename view_type::type>);
    TK_NO_UNROLL
    for (int i = thread; i < view_type::rows * view_type::cols; i += threads) {
        const int row = i / view_type::cols;
        const int col = i % view_type::cols;
        if (dst.holds(row, col)) fn(row, col, get(window, row, col));
    }
}

}  // namespace detail

// slice = tile where the slice has elements, by `threads` threads: one warpgroup by default.
template <class Target, class Tile>
TK_DEVICE void copy_to_global(const Target& dst, const Tile& tile, int thread = warpgroup_thread(),
                              int threads = 128) {
    detail::for_shared_cells(
        dst, tile, thread, threads,
        [&](int row, int col, typename Target::type cell) { dst.write(dst.at(row, col), cell); });
}

namespace detail {

// `Count` neighboring cells in memory: in 16-byte units or of all of them, if they are less.
template <class T, int Count>
struct run_of_cells {
    static constexpr int bytes = Count * static_cast<int>(sizeof(T));
    static constexpr int unit = bytes < 16 ? bytes : 16;
    static constexpr int per_unit = unit / static_cast<int>(sizeof(T));
    static constexpr bool fits =
        bytes % unit == 0 && (unit == 16 || unit == 8 || unit == 4 || unit == 2 || unit == 1);
};
template <int Bytes>
struct unit_of;
template <>
struct unit_of<16> {
    using type = uint4;
};
template <>
struct unit_of<8> {
    using type = uint2;
};
template <>
struct unit_of<4> {
    using type = uint32_t;
};
template <>
struct unit_of<2> {
    using type = uint16_t;
};
template <>
struct unit_of<1> {
    using type = uint8_t;
};

// Whether the slice has all cells of each vector or none: known to the compiler if extents are
// constants, which then removes the code that moves cells one by one.
template <class Layout, class Slice>
TK_DEVICE bool all_or_none(const Slice& slice) {
    return Layout::cols % Layout::vector == 0 && slice.whole_vectors(Layout::vector);
}

// Whether the slice has all cells of a thread's vector at `col`, which then move in units.
template <bool Units, class Layout, class Slice>
TK_DEVICE bool has_all(const Slice& slice, int col) {
    if (!Units) return false;
    if (all_or_none<Layout>(slice))
        return (Layout::whole_cols || col < Layout::cols) && slice.holds_col(col);
    return (Layout::whole_cols || col + Layout::vector <= Layout::cols) && slice.holds_col(col) &&
           slice.holds_col(col + Layout::vector - 1);
}

template <bool Units, bool Fixed, class Source, class T, class Layout>
TK_DEVICE void load(tile<T, Layout>& dst, const Source& source, int thread) {
    constexpr int vector = Layout::vector;
    using run = run_of_cells<T, vector>;
    static_assert(!Units || run::fits);
    TK_UNROLL
    for (int r = 0; r < Layout::thread_rows; ++r) {
        const int row = Layout::row_at(thread, r);
        const bool has_row = (Layout::whole_rows || row < Layout::rows) && source.holds_row(row);
        TK_UNROLL
        for (int j = 0; j < Layout::thread_cols / vector; ++j) {
            const int first = Layout::cell_at(r, j * vector);
            const int col = Layout::col_at(thread, j * vector);
            T cells[static_cast<size_t>(vector)];
            if (has_row && has_all<Units, Layout>(source, col)) {
                using unit = typename unit_of<run::unit>::type;
                const unit* from = reinterpret_cast<const unit*>(source.at(row, col));
                unit words[static_cast<size_t>(vector / run::per_unit)];
                TK_UNROLL
                for (int u = 0; u < vector / run::per_unit; ++u)
                    words[u] = Fixed ? source.read_fixed(from + u) : source.read(from + u);
                memcpy(cells, words, sizeof(cells));
            } else {
                TK_UNROLL
                for (int v = 0; v < vector; ++v) {
                    cells[v] = T{};
                    if (Units && all_or_none<Layout>(source)) continue;
                    if (has_row && (Layout::whole_cols || col + v < Layout::cols) &&
                        source.holds_col(col + v))
                        cells[v] = static_cast<T>(source.read(source.at(row, col + v)));
                }
            }
            TK_UNROLL
            for (int v = 0; v < vector; v += tile<T, Layout>::per)
                dst.set(first + v, [&](int k) { return cells[v + k]; });
        }
    }
}

// Two cells of a fragment's row at once: four lanes then fill a whole sector.
template <class T>
struct alignas(2 * sizeof(T)) pair {
    T x, y;
};
template <class Target>
TK_DEVICE bool pairs_are_aligned(const Target& dst) {
    constexpr int bytes = 2 * static_cast<int>(sizeof(typename Target::type));
    return dst.col_stride == 1 && dst.row_stride % 2 == 0 &&
           reinterpret_cast<uint64_t>(dst.data) % bytes == 0;
}

// What a store does with its elements: it replaces them, one, a pair or a unit of words at a time.
struct replace {
    template <class Target, class Element, class T>
    TK_DEVICE static void cell(const Target& dst, Element* to, T x) {
        dst.write(to, static_cast<Element>(x));
    }
    template <class Target, class Element, class T>
    TK_DEVICE static void two(const Target& dst, Element* to, T x, T y) {
        dst.write(reinterpret_cast<pair<T>*>(to), pair<T>{x, y});
    }
    template <class T, class Target, class Unit>
    TK_DEVICE static void unit(const Target& dst, Unit* to, const Unit& words) {
        dst.write(to, words);
    }
};

template <bool Units, class Join, class Target, class T, class Layout>
TK_DEVICE void store(const Target& dst, const tile<T, Layout>& source, int thread) {
    constexpr int vector = Layout::vector;
    using run = run_of_cells<T, vector>;
    static_assert(!Units || run::fits);
    if (!Layout::writes(thread)) return;
    const bool paired = is_fragment<Layout> && pairs_are_aligned(dst);
    TK_UNROLL
    for (int r = 0; r < Layout::thread_rows; ++r) {
        const int row = Layout::row_at(thread, r);
        if (!(Layout::whole_rows || row < Layout::rows) || !dst.holds_row(row)) continue;
        TK_UNROLL
        for (int j = 0; j < Layout::thread_cols / vector; ++j) {
            const int first = Layout::cell_at(r, j * vector);
            const int col = Layout::col_at(thread, j * vector);
            if constexpr (is_fragment<Layout>) {
                if (paired && dst.holds_col(col) && dst.holds_col(col + 1)) {
                    Join::two(dst, dst.at(row, col), source.cell(first), source.cell(first + 1));
                    continue;
                }
            }
            if (has_all<Units, Layout>(dst, col)) {
                using unit = typename unit_of<run::unit>::type;
                unit words[static_cast<size_t>(vector / run::per_unit)];
                T cells[static_cast<size_t>(vector)];
                TK_UNROLL
                for (int v = 0; v < vector; ++v) cells[v] = source.cell(first + v);
                memcpy(words, cells, sizeof(cells));
                unit* to = reinterpret_cast<unit*>(dst.at(row, col));
                TK_UNROLL
                for (int u = 0; u < vector / run::per_unit; ++u)
                    Join::template unit<T>(dst, to + u, words[u]);
            } else if (!Units || !all_or_none<Layout>(dst)) {
                TK_UNROLL
                for (int v = 0; v < vector; ++v) {
                    if ((Layout::whole_cols || col + v < Layout::cols) && dst.holds_col(col + v))
                        Join::cell(dst, dst.at(row, col + v), source.cell(first + v));
                }
            }
        }
    }
}

}  // namespace detail

// dst = slice, zeros past its edge; by all threads of the layout, of which this is number `thread`.
// Vectors: the slice is contiguous, and every row of it starts at a multiple of 16 bytes; no
// program writes the tensor in this launch, so that loads may be reordered with earlier stores to
// others, or `in_order`.
template <class Source, class T, class Layout>
TK_DEVICE void load_vectors(tile<T, Layout>& dst, const Source& source, int thread) {
    detail::load<true, true>(dst, source, thread);
}
template <class Source, class T, class Layout>
TK_DEVICE void load_vectors_in_order(tile<T, Layout>& dst, const Source& source, int thread) {
    detail::load<true, false>(dst, source, thread);
}
// Element by element; elements may have another type than the tile's, and are converted.
template <class Source, class T, class Layout>
TK_DEVICE void load_global(tile<T, Layout>& dst, const Source& source, int thread) {
    detail::load<false, false>(dst, source, thread);
}

// slice = source where the slice has elements.
template <class Target, class T, class Layout>
TK_DEVICE void store_vectors(const Target& dst, const tile<T, Layout>& source, int thread) {
    detail::store<true, detail::replace>(dst, source, thread);
}
template <class Target, class T, class Layout>
TK_DEVICE void store_global(const Target& dst, const tile<T, Layout>& source, int thread) {
    detail::store<false, detail::replace>(dst, source, thread);
}

// The same selected by a constant of the kernel: vectors, or element by element.
template <bool Vectors, class Source, class T, class Layout>
TK_DEVICE void load_slice(tile<T, Layout>& dst, const Source& source, int thread) {
    detail::load<Vectors, Vectors>(dst, source, thread);
}
template <bool Vectors, class Source, class T, class Layout>
TK_DEVICE void load_slice_in_order(tile<T, Layout>& dst, const Source& source, int thread) {
    detail::load<Vectors, false>(dst, source, thread);
}
template <bool Vectors, class Target, class T, class Layout>
TK_DEVICE void store_slice(const Target& dst, const tile<T, Layout>& source, int thread) {
    detail::store<Vectors, detail::replace>(dst, source, thread);
}

}  // namespace tk
#endif
