// Register tiles to and from shared tiles: fragments by stmatrix and ldmatrix for 16 bits, all
// others in units of up to 16 bytes if their vectors allow it, those of 8-bit cells in 2 bytes.
#pragma once

#include "../ptx/matrix.cuh"
#include "../ptx/shared.cuh"
#include "../tile/shared_tile.cuh"
#include "../tile/tile.cuh"

#if TK_CUDA
namespace tk {

namespace detail {

// Bytes of a vector that move between a shared tile and registers at once: 16, 8 or 4, or 2 for
// 8-bit cells, which no chunk of a swizzle divides; 0: cells move separately.
//
// A fragment of 8-bit cells moves two cells at a time, 8 bytes of each of 8 rows for a warp, which
// swizzles put in different banks. Wider units would contain cells of other lanes: the accesses
// saved are spent on shuffles, which take as long, and combining halves costs more.
template <class View, class T, class Layout>
TK_HOST_DEVICE constexpr int shared_unit() {
    constexpr int size = static_cast<int>(sizeof(T));
    constexpr int vector = Layout::vector * size;
    constexpr int line = View::span == 0 ? View::pitch * size : View::span;
    constexpr int row = line % View::unit == 0 ? View::unit : line;
    constexpr bool alike = lies_as<typename View::type, T>;
    constexpr bool whole = alike && Layout::cols % Layout::vector == 0 && Layout::cols != 1;
    if (whole && vector % 16 == 0 && row % 16 == 0) return 16;
    if (whole && vector % 8 == 0 && row % 8 == 0) return 8;
    if (whole && vector % 4 == 0 && row % 4 == 0) return 4;
    return whole && tile<T, Layout>::bytes_in_twos && row % 2 == 0 ? 2 : 0;
}

// Whether the units of a thread are constant distances apart, as address_from requires: those of a
// warpgroup's fragment, of which 4 lanes hold 8 neighboring columns and 8 lanes as many rows; and
// those of its lines, of which a thread has one in every 16 rows.
template <class View, class T, class Layout, int Step>
TK_HOST_DEVICE constexpr bool units_are_constants_apart() {
    constexpr int size = static_cast<int>(sizeof(T));
    constexpr bool lines = Layout::thread_cols == Step && Layout::cols * size == View::span;
    if constexpr (has_whole_panels<View> && (is_fragment<Layout> || lines) && Layout::whole_rows &&
                  Layout::whole_cols) {
        bool apart = lines || (Layout::thread_digits::reach(false) + Step) * size <= 32;
        for (int c = 0; c < Layout::cells; c += Step)
            apart = apart && Layout::row(0, c) % 8 == 0 && Layout::col(0, c) * size % 32 == 0;
        return apart;
    } else {
        return false;
    }
}

// 8-byte units move half a warp at a time: 4 rows, of each the same 32 bytes. The swizzle of 16
// bytes puts two of the rows into the same banks. So some rows exchange the order of their units:
// where others move one, they move the unit so many bytes away. 0: nothing is won by that.
template <class View, class T, class Layout>
TK_HOST_DEVICE constexpr int exchanged_bytes() {
    constexpr int size = static_cast<int>(sizeof(T));
    constexpr int unit = shared_unit<View, T, Layout>();
    if constexpr (unit == 8 && size == 4 && is_fragment<Layout>) {
        constexpr int bytes = View::span == 128 ? 64 : View::span == 64 ? 32 : 0;
        const bool pairs = bytes != 0 && Layout::cols * size % (2 * bytes) == 0;
        return pairs && units_are_constants_apart<View, T, Layout, 2>() ? bytes : 0;
    } else {
        return 0;
    }
}
// Whether the thread's rows do. All of them are alike in this, as they lie 8 k apart.
template <class View, class Layout>
TK_DEVICE bool exchanges(int thread) {
    const int row = Layout::row(thread, 0);
    return ((View::span == 128 ? row : row >> 1) & 1) != 0;
}
// The first cell of the unit that a unit is exchanged with.
template <class T, class Layout>
TK_HOST_DEVICE constexpr int exchanged_with(int cell, int bytes) {
    const int index = Layout::col_index(cell);  // two 4-byte cells for each 32 bytes of a row
    return Layout::cell_at(Layout::row_index(cell), index ^ (bytes / 32 * 2));
}

// fn(first cell, address) for every unit that the thread holds of the tile. Where units are
// exchanged, it gets the address of the unit that moves in place of the cell's.
template <class T, class Layout, class View, class Fn>
TK_DEVICE void for_shared_units(const View& window, int thread, Fn fn) {
    constexpr int size = static_cast<int>(sizeof(T));
    constexpr int step = shared_unit<View, T, Layout>() / size;
    if constexpr (units_are_constants_apart<View, T, Layout, step>()) {
        constexpr int exchanged = exchanged_bytes<View, T, Layout>();
        uint32_t origin = address_of(window, Layout::row(thread, 0), Layout::col(thread, 0));
        if (exchanged != 0 && exchanges<View, Layout>(thread)) origin ^= exchanged;
        TK_UNROLL
        for (int c = 0; c < Layout::cells; c += step)
            fn(c, address_from<View>(origin, Layout::row(0, c), Layout::col(0, c) * size));
    } else {
        TK_UNROLL
        for (int c = 0; c < Layout::cells; c += step) {
            if (!Layout::has_row(thread, c)) continue;
            const int col = Layout::col(thread, c);
            if (Layout::whole_cols || col < Layout::cols)
                fn(c, address_of(window, Layout::row(thread, c), col));
        }
    }
}

// Whether whole matrices of 8 x 8 cells move.
template <class View, class T, class Layout>
inline constexpr bool moves_matrices = is_fragment<Layout> && sizeof(T) == 2 && View::span != 0 &&
                                       View::unit == 16 && Layout::whole_rows&& Layout::whole_cols;

// fn(block, column, address) for the matrices of a fragment, 16 or 8 columns at a time: lanes give
// the addresses of rows.
template <class Layout, class View, class Four, class Two>
TK_DEVICE void for_matrices(const View& window, int thread, Four four, Two two) {
    static_assert(View::span != 0, "16-bit rows of 16 k bytes");
    constexpr int cols = Layout::thread_cols / 2 * 8;  // of a warp
    const int lane = thread & 31;
    const int warp = thread & ~31;
    const int first = Layout::col(warp, 0);
    TK_UNROLL
    for (int block = 0; block < Layout::blocks; ++block) {
        const int row = Layout::row(warp, block * Layout::width) + (lane & 15);
        TK_UNROLL
        for (int col = 0; col + 16 <= cols; col += 16)
            four(block, col / 4, address_of(window, row, first + col + 8 * (lane >> 4)));
        if constexpr (cols % 16 != 0)
            two(block, (cols - 8) / 4, address_of(window, row, first + cols - 8));
    }
}

}  // namespace detail

// tile = source; all threads of the layout, of which this is number `thread`; the tile or window
// has the source's shape, or is a column of which the source is the part from `first_row` on.
// Before a product or TMA reads it, every thread calls fence_async, and the warps that wrote and
// those that read synchronize at a barrier.
template <class Tile, class T, class Layout>
TK_DEVICE void store_shared(const Tile& to, const tile<T, Layout>& source, int thread,
                            int first_row = 0) {
    const auto window = view(to);
    using view_type = decltype(view(to));
    static_assert(view_type::cols == Layout::cols);
    static_assert(view_type::rows == Layout::rows || Layout::cols == 1);
    constexpr int unit = detail::shared_unit<view_type, T, Layout>();
    if constexpr (detail::moves_matrices<view_type, T, Layout> && ptx::has_stmatrix) {
        detail::for_matrices<Layout>(
            window, thread,
            [&](int block, int i, uint32_t address) {
                const uint32_t* reg = source.reg[block] + i;
                ptx::stmatrix_x4(address, reg[0], reg[1], reg[2], reg[3]);
            },
            [&](int block, int i, uint32_t address) {
                ptx::stmatrix_x2(address, source.reg[block][i], source.reg[block][i + 1]);
            });
    } else if constexpr (unit != 0) {
        if (!Layout::writes(thread)) return;
        constexpr int exchanged = detail::exchanged_bytes<view_type, T, Layout>();
        const bool other = exchanged != 0 && detail::exchanges<view_type, Layout>(thread);
        detail::for_shared_units<T, Layout>(window, thread, [&](int first, uint32_t address) {
            if constexpr (unit == 2) {
                ptx::store_shared_b16(address,
                                      source.reg[first / Layout::width][first % Layout::width / 2]);
            } else {
                using cell = typename view_type::type;
                cell cells[static_cast<size_t>(unit) / sizeof(T)];
                uint32_t words[static_cast<size_t>(unit) / 4];
                TK_UNROLL
                for (int v = 0; v < unit / static_cast<int>(sizeof(T)); ++v) {
                    T value = source.cell(first + v);
                    if constexpr (exchanged != 0) {
                        const int with = detail::exchanged_with<T, Layout>(first, exchanged);
                        if (other) value = source.cell(with + v);
                    }
                    cells[v] = static_cast<cell>(value);
                }
                memcpy(words, cells, sizeof(words));
                if constexpr (unit == 16)
                    ptx::store_shared_v4(address, words[0], words[1], words[2], words[3]);
                else if constexpr (unit == 8) ptx::store_shared_v2(address, words[0], words[1]);
                else ptx::store_shared_b32(address, words[0]);
            }
        });
    } else {
        if (!Layout::writes(thread)) return;
        TK_UNROLL
        for (int c = 0; c < Layout::cells; ++c) {
            if (Layout::has_row(thread, c) && Layout::has_col(thread, c))
                set(to, first_row + Layout::row(thread, c), Layout::col(thread, c),
                    static_cast<typename view_type::type>(source.cell(c)));
        }
    }
}

// dst = tile. Zeros where a thread holds no cell of the tile.
template <class Tile, class T, class Layout>
TK_DEVICE void load_shared(tile<T, Layout>& dst, const Tile& from, int thread) {
    const auto window = view(from);
    using view_type = decltype(view(from));
    static_assert(view_type::rows == Layout::rows && view_type::cols == Layout::cols);
    constexpr int unit = detail::shared_unit<view_type, T, Layout>();
    constexpr int per = tile<T, Layout>::per;
    if constexpr (detail::moves_matrices<view_type, T, Layout>) {
        detail::for_matrices<Layout>(
            window, thread,
            [&](int block, int i, uint32_t address) {
                uint32_t* reg = dst.reg[block] + i;
                ptx::ldmatrix_x4(address, reg[0], reg[1], reg[2], reg[3]);
            },
            [&](int block, int i, uint32_t address) {
                ptx::ldmatrix_x2(address, dst.reg[block][i], dst.reg[block][i + 1]);
            });
    } else if constexpr (unit != 0) {
        if constexpr (!Layout::whole_rows || !Layout::whole_cols)
            memset(dst.reg, 0, sizeof(dst.reg));
        detail::for_shared_units<T, Layout>(window, thread, [&](int first, uint32_t address) {
            if constexpr (unit == 2) {
                dst.reg[first / Layout::width][first % Layout::width / 2] =
                    ptx::load_shared_b16(address);
            } else {
                uint32_t words[static_cast<size_t>(unit) / 4];
                if constexpr (unit == 16)
                    ptx::load_shared_v4(address, words[0], words[1], words[2], words[3]);
                else if constexpr (unit == 8) ptx::load_shared_v2(address, words[0], words[1]);
                else words[0] = ptx::load_shared_b32(address);
                T cells[static_cast<size_t>(unit) / sizeof(T)];
                memcpy(cells, words, sizeof(words));
                TK_UNROLL
                for (int v = 0; v < unit / static_cast<int>(sizeof(T)); v += per)
                    dst.set(first + v, [&](int k) { return cells[v + k]; });
            }
        });
        constexpr int exchanged = detail::exchanged_bytes<view_type, T, Layout>();
        if constexpr (exchanged != 0) {
            const bool other = detail::exchanges<view_type, Layout>(thread);
            TK_UNROLL
            for (int c = 0; c < Layout::cells; ++c) {
                const int with = detail::exchanged_with<T, Layout>(c, exchanged);
                if (with < c) continue;
                const T a = dst.cell(c), b = dst.cell(with);
                dst.set(c, [&](int) { return other ? b : a; });
                dst.set(with, [&](int) { return other ? a : b; });
            }
        }
    } else {
        TK_UNROLL
        for (int c = 0; c < Layout::cells; c += per) {
            dst.set(c, [&](int k) {
                if (!Layout::has_row(thread, c + k) || !Layout::has_col(thread, c + k)) return T{};
                return static_cast<T>(
                    get(from, Layout::row(thread, c + k), Layout::col(thread, c + k)));
            });
        }
    }
}

// A row of a shared tile as a source of `map`, which reads each cell where its function needs it.
template <class View>
struct row_in_place {
    View row;
    int thread;
};
template <class Tile>
TK_DEVICE auto in_place(const Tile& row, int thread) {
    static_assert(Tile::rows == 1, "a row");
    return row_in_place<decltype(view(row))>{view(row), thread};
}
template <class Of, class View>
TK_DEVICE auto cell_of(const row_in_place<View>& source, int c) {
    return get(source.row, 0, Of::col(source.thread, c));
}

}  // namespace tk
#endif
