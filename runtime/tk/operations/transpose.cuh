// Transposes of register tiles: to and from shared tiles, and through them.
#pragma once

#include "../ptx/barrier.cuh"
#include "../tile/shared_tile.cuh"
#include "../tile/tile.cuh"
#include "shared.cuh"
#include "through_shared.cuh"

#if TK_CUDA
namespace tk {

namespace detail {

// fn(block, column, address) for the matrices of a fragment whose rows are columns of `window`,
// that of row 0 number `first`; as for_matrices.
template <class Layout, class View, class Four, class Two>
TK_DEVICE void for_transposed_matrices(const View& window, int first, int thread, Four four,
                                       Two two) {
    constexpr int cols = Layout::thread_cols / 2 * 8;
    const int lane = thread & 31;
    const int warp = thread & ~31;
    const int first_col = Layout::col(warp, 0);
    TK_UNROLL
    for (int block = 0; block < Layout::blocks; ++block) {
        const int at = first + Layout::row(warp, block * Layout::width) + (lane & 8);
        const int row = first_col + (lane & 7);
        TK_UNROLL
        for (int col = 0; col + 16 <= cols; col += 16)
            four(block, col / 4, address_of(window, row + col + 8 * (lane >> 4), at));
        if constexpr (cols % 16 != 0)
            two(block, (cols - 8) / 4, address_of(window, row + cols - 8, at));
    }
}

}  // namespace detail

// The transpose of source to a tile or window of its shape: all threads of a warpgroup, of which
// this is number `thread`. A tile of fewer columns takes the rows of source from `first_row` on, of
// 16 bits. Then as after store_shared.
template <class Tile, class T, class Layout>
TK_DEVICE void store_transposed(const Tile& to, const tile<T, Layout>& source, int thread,
                                int first_row = 0) {
    const auto window = view(to);
    using view_type = decltype(view(to));
    constexpr bool matrices = detail::moves_matrices<view_type, T, Layout> && ptx::has_stmatrix;
    static_assert(view_type::rows == Layout::cols && Layout::rows % view_type::cols == 0);
    static_assert(matrices || Layout::rows == view_type::cols);
    if constexpr (matrices) {
        const auto here = [&](int block) {
            const int row = Layout::row(0, block * Layout::width);
            return Layout::rows == view_type::cols ||
                   (first_row <= row && row < first_row + view_type::cols);
        };
        detail::for_transposed_matrices<Layout>(
            window, -first_row, thread,
            [&](int block, int i, uint32_t address) {
                const uint32_t* reg = source.reg[block] + i;
                if (here(block))
                    ptx::stmatrix_x4_transposed(address, reg[0], reg[1], reg[2], reg[3]);
            },
            [&](int block, int i, uint32_t address) {
                if (here(block))
                    ptx::stmatrix_x2_transposed(address, source.reg[block][i],
                                                source.reg[block][i + 1]);
            });
    } else {
        if (!Layout::writes(thread)) return;
        TK_UNROLL
        for (int c = 0; c < Layout::cells; ++c) {
            if (Layout::has_row(thread, c) && Layout::has_col(thread, c))
                set(to, Layout::col(thread, c), Layout::row(thread, c),
                    static_cast<typename view_type::type>(source.cell(c)));
        }
    }
}

// dst = the transpose of a tile, or of its columns from `first_col` on. Zeros where a thread holds
// no cell of it.
template <class Tile, class T, class Layout>
TK_DEVICE void load_transposed(tile<T, Layout>& dst, const Tile& from, int thread,
                               int first_col = 0) {
    const auto window = view(from);
    using view_type = decltype(view(from));
    static_assert(view_type::rows == Layout::cols && view_type::cols % Layout::rows == 0);
    if constexpr (detail::moves_matrices<view_type, T, Layout>) {
        detail::for_transposed_matrices<Layout>(
            window, first_col, thread,
            [&](int block, int i, uint32_t address) {
                uint32_t* reg = dst.reg[block] + i;
                ptx::ldmatrix_x4_transposed(address, reg[0], reg[1], reg[2], reg[3]);
            },
            [&](int block, int i, uint32_t address) {
                ptx::ldmatrix_x2_transposed(address, dst.reg[block][i], dst.reg[block][i + 1]);
            });
    } else {
        TK_UNROLL
        for (int c = 0; c < Layout::cells; c += tile<T, Layout>::per) {
            dst.set(c, [&](int k) {
                if (!Layout::has_row(thread, c + k) || !Layout::has_col(thread, c + k)) return T{};
                return static_cast<T>(
                    get(from, Layout::col(thread, c + k), first_col + Layout::row(thread, c + k)));
            });
        }
    }
}

// dst[col, row] = source[row, col], through `words`. Both tiles are the warpgroup's parts of those
// of a role of `Groups` warpgroups, which divide rows, or whole. The threads of the role
// synchronize at named barrier `id`.
template <int Groups = 1, class T, class To, class From, int Words>
TK_DEVICE void transpose(tile<T, To>& dst, const tile<T, From>& source,
                         const shared_tile<int, 1, Words>& words, int thread_of_role, int id) {
    constexpr int from_parts = To::cols / From::rows;
    constexpr int to_parts = From::cols / To::rows;
    static_assert(To::rows * to_parts == From::cols && (to_parts == 1 || to_parts == Groups));
    static_assert(To::cols == From::rows * from_parts && (from_parts == 1 || from_parts == Groups));
    static_assert(To::threads == From::threads);
    constexpr int threads = Groups * From::threads;
    const int thread = Groups == 1 ? thread_of_role : thread_of_role % From::threads;
    const int group = Groups == 1 ? 0 : thread_of_role / From::threads;
    constexpr int pitch = detail::row_pitch<T, From>;
    static_assert(To::cols * pitch <= 4 * Words);
    auto* const place = const_cast<unsigned char*>(words.storage);
    barrier_sync(id, threads);  // all have read what was there
    const int from_row = from_parts == 1 ? 0 : group * From::rows;
    if (From::writes(thread) && (from_parts == Groups || group == 0))
        detail::put_rows(place, source, thread, from_row);
    barrier_sync(id, threads);
    const int to_row = to_parts == 1 ? 0 : group * To::rows;
    TK_UNROLL
    for (int c = 0; c < To::cells; c += tile<T, To>::per) {
        dst.set(c, [&](int k) {
            const int row = To::row(thread, c + k);
            const int col = To::col(thread, c + k);
            if (!To::has_row(thread, c + k) || !To::has_col(thread, c + k)) return T{};
            return detail::get_cell<T>(place, pitch, col, to_row + row);
        });
    }
}

}  // namespace tk
#endif
