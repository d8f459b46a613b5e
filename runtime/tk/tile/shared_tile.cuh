// A tile in shared memory, windows onto it, and the transposed view of it that a product takes.
#pragma once

#include "../ptx/shared.cuh"
#include "../ptx/thread.cuh"
#include "dtypes.cuh"
#include "layout.h"

namespace tk {

// Storage of Rows x Cols elements, laid out as layout.h says. A member of the kernel's struct of
// shared memory, which must start at a multiple of 1024.
template <class T, int Rows, int Cols>
struct alignas(tile_alignment(span_of(Rows, Cols* static_cast<int>(sizeof(T))))) shared_tile {
    using type = T;
    static constexpr int rows = Rows;
    static constexpr int cols = Cols;
    static constexpr int span = span_of(Rows, Cols* static_cast<int>(sizeof(T)));
    static constexpr int lines = Rows;
    static constexpr int bytes = Rows * Cols * static_cast<int>(sizeof(T));

    unsigned char storage[static_cast<size_t>(bytes)];
};

// A window of Rows x Cols of a shared tile whose panels have Lines lines of Span bytes.
template <class T, int Rows, int Cols, int Span, int Lines>
struct tile_view {
    using type = T;
    static constexpr int rows = Rows;
    static constexpr int cols = Cols;
    static constexpr int span = Span;
    static constexpr int lines = Lines;
    static constexpr int pitch = Cols;  // columns from a row to the next, where there are no panels
    static constexpr int unit = 16;     // rows begin at a multiple of so many bytes, or of a span

    uint32_t address;  // in the shared window
};

// Windows that begin with the first row of a swizzle and with whole panels.
template <class View>
inline constexpr bool has_whole_panels = false;
template <class T, int Rows, int Cols, int Span, int Lines>
inline constexpr bool has_whole_panels<tile_view<T, Rows, Cols, Span, Lines>> = Span != 0;

// Columns of a panel from one within it on, where they are a power of two and begin at a multiple
// of it: the address has the place of the first in its low bits, which the swizzle leaves alone.
template <class T, int Rows, int Cols, int Span, int Lines>
struct panel_view : tile_view<T, Rows, Cols, Span, Lines> {};

// Any other part of a whole tile: the swizzle is that of the tile's own rows and columns. `Unit`:
// its columns begin at a multiple of so many bytes.
template <class Whole, int Rows, int Cols, int Unit>
struct inner_view {
    using type = typename Whole::type;
    static constexpr int rows = Rows;
    static constexpr int cols = Cols;
    static constexpr int span = Whole::span;
    static constexpr int lines = Whole::lines;
    static constexpr int pitch = Whole::cols;
    static constexpr int unit = Unit;

    Whole whole;
    int row;
    int col;
};

// The same bytes with rows and columns exchanged; products take it, nothing moves.
template <class View>
struct transposed_view {
    View view;
};

// The byte offset of (row, col) from a window's address; row windows start at multiples of 8 lines
// and column windows at whole panels, so the swizzle's phase is that of the window's own row.
template <class View>
TK_HOST_DEVICE constexpr int view_offset(int row, int col) {
    constexpr int size = static_cast<int>(sizeof(typename View::type));
    return View::span == 0
               ? (row * View::cols + col) * size
               : panel_offset(View::span == 0 ? 16 : View::span, View::lines, row, col * size);
}

// The address of (row, col) of a window.
template <class View>
TK_DEVICE uint32_t address_of(const View& window, int row, int col) {
    return window.address + static_cast<uint32_t>(view_offset<View>(row, col));
}
template <class T, int Rows, int Cols, int Span, int Lines>
TK_DEVICE uint32_t address_of(const panel_view<T, Rows, Cols, Span, Lines>& window, int row,
                              int col) {
    using view_type = panel_view<T, Rows, Cols, Span, Lines>;
    const uint32_t first = window.address & (Span - 1);
    return (window.address - first + static_cast<uint32_t>(view_offset<view_type>(row, col))) ^
           first;
}
template <class Whole, int Rows, int Cols, int Unit>
TK_DEVICE uint32_t address_of(const inner_view<Whole, Rows, Cols, Unit>& window, int row, int col) {
    return address_of(window.whole, window.row + row, window.col + col);
}

// The address of a place `rows` further down and `bytes` to the right of one whose address is
// `origin`, in a window of whole panels. `rows` is a multiple of 8, so the swizzle is the origin's;
// `bytes` is a multiple of 32, and the origin lies in the first 32 bytes of its row, so the bits of
// both do not meet. With constants, addresses of a thread are few registers and offsets.
template <class View>
TK_DEVICE uint32_t address_from(uint32_t origin, int rows, int bytes) {
    static_assert(View::span != 0, "panels");
    constexpr int span = View::span == 0 ? 16 : View::span;
    return (origin ^ static_cast<uint32_t>(bytes % span)) +
           static_cast<uint32_t>(bytes / span * View::lines * span + rows * span);
}

#if TK_CUDA
// The whole tile as a window.
template <class T, int Rows, int Cols>
TK_DEVICE auto view(const shared_tile<T, Rows, Cols>& tile) {
    return tile_view<T, Rows, Cols, shared_tile<T, Rows, Cols>::span, Rows>{
        ptx::shared_address(tile.storage)};
}
#endif
template <class T, int Rows, int Cols, int Span, int Lines>
TK_DEVICE auto view(tile_view<T, Rows, Cols, Span, Lines> window) {
    return window;
}
template <class T, int Rows, int Cols, int Span, int Lines>
TK_DEVICE auto view(panel_view<T, Rows, Cols, Span, Lines> window) {
    return window;
}

template <class Whole, int Rows, int Cols, int Unit>
TK_DEVICE auto view(const inner_view<Whole, Rows, Cols, Unit>& window) {
    return window;
}

// Rows x Cols cells of a tile from (Row, Col) on: a window with an address of its own where it
// begins with whole panels, or is a part of one (columns_of_panel), and its rows at a multiple
// of 8.
template <int Row, int Col, int Rows, int Cols, class Tile>
TK_DEVICE auto part(const Tile& tile) {
    const auto all = view(tile);
    using whole = decltype(view(tile));
    using type = typename whole::type;
    constexpr int span = whole::span;
    constexpr int first = Col * static_cast<int>(sizeof(type));
    constexpr int width = Cols * static_cast<int>(sizeof(type));
    static_assert(Row + Rows <= whole::rows && Col + Cols <= whole::cols, "a part of the tile");
    constexpr int panel = span == 0 ? 1 : span;  // without panels nothing is divided by it
    constexpr uint32_t moved =
        static_cast<uint32_t>(Row * panel + first / panel * panel * whole::lines + first % panel);
    if constexpr (span != 0 && Row % 8 == 0 && first % panel == 0) {
        return tile_view<type, Rows, Cols, span, whole::lines>{all.address + moved};
    } else if constexpr (span != 0 && Row % 8 == 0 && width % 16 == 0 && panel % width == 0 &&
                         first % width == 0) {
        return panel_view<type, Rows, Cols, span, whole::lines>{{all.address + moved}};
    } else {
        constexpr int unit = first % 16 == 0  ? 16
                             : first % 8 == 0 ? 8
                             : first % 4 == 0 ? 4
                             : first % 2 == 0 ? 2
                                              : 1;
        return inner_view<whole, Rows, Cols, unit>{all, Row, Col};
    }
}

// Count rows from `first` on, a multiple of 8.
template <int Count, class Tile>
TK_DEVICE auto rows(const Tile& tile, int first) {
    const auto all = view(tile);
    using all_type = decltype(view(tile));
    static_assert(all_type::span != 0 && Count % 8 == 0);
    return tile_view<typename all_type::type, Count, all_type::cols, all_type::span,
                     all_type::lines>{all.address + static_cast<uint32_t>(first * all_type::span)};
}

template <int Count, class T, int Rows, int Cols, int Span, int Lines>
TK_DEVICE auto rows(const panel_view<T, Rows, Cols, Span, Lines>& window, int first) {
    static_assert(Count % 8 == 0);
    return panel_view<T, Count, Cols, Span, Lines>{
        {window.address + static_cast<uint32_t>(first * Span)}};
}
template <int Count, class Whole, int Rows, int Cols, int Unit>
TK_DEVICE auto rows(const inner_view<Whole, Rows, Cols, Unit>& window, int first) {
    return inner_view<Whole, Count, Cols, Unit>{window.whole, window.row + first, window.col};
}

// Count columns from `first` on, both whole panels, or of a single row.
template <int Count, class Tile>
TK_DEVICE auto columns(const Tile& tile, int first) {
    const auto all = view(tile);
    using all_type = decltype(view(tile));
    constexpr int size = static_cast<int>(sizeof(typename all_type::type));
    constexpr bool one_row = all_type::span == 0 && all_type::rows == 1;
    static_assert(one_row || (all_type::span != 0 && Count * size % all_type::span == 0));
    return tile_view<typename all_type::type, all_type::rows, Count, all_type::span,
                     all_type::lines>{all.address +
                                      static_cast<uint32_t>(first * size * all_type::lines)};
}

// Of a window that begins anywhere, a multiple of Count.
template <int Count, class Whole, int Rows, int Cols, int Unit>
TK_DEVICE auto columns(const inner_view<Whole, Rows, Cols, Unit>& window, int first) {
    constexpr int width = Count * static_cast<int>(sizeof(typename Whole::type));
    constexpr int unit = width % Unit == 0 ? Unit : width % 4 == 0 ? 4 : width % 2 == 0 ? 2 : 1;
    return inner_view<Whole, Rows, Count, unit>{window.whole, window.row, window.col + first};
}

// Count columns from `first` on, a part of a panel. As the right operand of a product it needs no
// more than its address: the swizzle follows from the bits of an address (PTX ISA, "Swizzling
// modes"), which the tensor core counts from where the window begins.
template <int Count, class Tile>
TK_DEVICE auto columns_of_panel(const Tile& tile, int first) {
    const auto all = view(tile);
    using all_type = decltype(view(tile));
    constexpr int size = static_cast<int>(sizeof(typename all_type::type));
    static_assert(all_type::span % (Count * size) == 0 && Count % 8 == 0);
    const int byte = first * size;
    return panel_view<typename all_type::type, all_type::rows, Count, all_type::span,
                      all_type::lines>{
        {all.address +
         static_cast<uint32_t>(byte / all_type::span * all_type::span * all_type::lines +
                               byte % all_type::span)}};
}

template <int Count, class T, int Rows, int Cols, int Span, int Lines>
TK_DEVICE auto columns_of_panel(const panel_view<T, Rows, Cols, Span, Lines>& window, int first) {
    static_assert(Cols % Count == 0 && Count % 8 == 0);
    return panel_view<T, Rows, Count, Span, Lines>{
        {window.address + static_cast<uint32_t>(first * static_cast<int>(sizeof(T)))}};
}
template <int Count, class Whole, int Rows, int Cols, int Unit>
TK_DEVICE auto columns_of_panel(const inner_view<Whole, Rows, Cols, Unit>& window, int first) {
    return columns<Count>(window, first);
}

// Block `number` of Height lines of one panel, counted as they lie: down the first panel, then down
// the next.
template <int Height, class Tile>
TK_DEVICE auto block(const Tile& tile, int number) {
    const auto all = view(tile);
    using all_type = decltype(view(tile));
    constexpr int size = static_cast<int>(sizeof(typename all_type::type));
    static_assert(all_type::span != 0 && Height % 8 == 0 && all_type::lines % Height == 0);
    static_assert(all_type::lines == all_type::rows, "of a tile, or of whole columns of it");
    return tile_view<typename all_type::type, Height, all_type::span / size, all_type::span,
                     all_type::lines>{all.address +
                                      static_cast<uint32_t>(number * Height * all_type::span)};
}

// tile.T as an operand.
template <class Tile>
TK_DEVICE auto transposed(const Tile& tile) {
    return transposed_view<decltype(view(tile))>{view(tile)};
}

#if TK_CUDA
// One element, for generic code; any thread.
template <class Tile>
TK_DEVICE typename Tile::type get(const Tile& tile, int row, int col) {
    const auto window = view(tile);
    const uint32_t at = address_of(window, row, col);
    typename Tile::type value;
    if constexpr (sizeof(value) == 1) {
        const uint8_t bits = ptx::load_shared_b8(at);
        memcpy(&value, &bits, 1);
    } else if constexpr (sizeof(value) == 2) {
        value.bits = ptx::load_shared_b16(at);
    } else if constexpr (sizeof(value) == 8) {
        uint32_t bits[2];
        ptx::load_shared_v2(at, bits[0], bits[1]);
        memcpy(&value, bits, 8);
    } else {
        const uint32_t bits = ptx::load_shared_b32(at);
        memcpy(&value, &bits, 4);
    }
    return value;
}
template <class Tile>
TK_DEVICE void set(const Tile& tile, int row, int col, typename Tile::type value) {
    const auto window = view(tile);
    const uint32_t at = address_of(window, row, col);
    if constexpr (sizeof(value) == 1) {
        uint8_t bits;
        memcpy(&bits, &value, 1);
        ptx::store_shared_b8(at, bits);
    } else if constexpr (sizeof(value) == 2) {
        ptx::store_shared_b16(at, value.bits);
    } else if constexpr (sizeof(value) == 8) {
        uint32_t bits[2];
        memcpy(bits, &value, 8);
        ptx::store_shared_v2(at, bits[0], bits[1]);
    } else {
        uint32_t bits;
        memcpy(&bits, &value, 4);
        ptx::store_shared_b32(at, bits);
    }
}
#endif

}  // namespace tk
