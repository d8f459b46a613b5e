// Whole tiles between global and shared memory through the copy engine; every function here is for
// one lane.
#pragma once

#include <cstddef>
#include <utility>

#include "../ptx/tma.cuh"
#include "../tile/shared_tile.cuh"
#include "pipeline.cuh"

#if TK_CUDA
namespace tk {

// Coordinates are those of the tensor map's dimensions, outermost first: ..., row, column. A tile
// takes one box per panel and per 256 rows; out-of-range elements load as zeros and are not stored.
namespace detail {

template <int Rank>
struct box_coordinates {
    int at[Rank];  // innermost first, as the instruction wants it
};

template <class... Coordinates>
TK_DEVICE auto reversed(Coordinates... coordinates) {
    constexpr int rank = sizeof...(coordinates);
    const int given[rank] = {static_cast<int>(coordinates)...};
    box_coordinates<rank> box;
    TK_UNROLL
    for (int i = 0; i < rank; ++i) box.at[i] = given[rank - 1 - i];
    return box;
}

// A column is stored in shared memory like a row, and comes from the tensor's innermost dimension.
template <class View>
TK_DEVICE auto lying(View window) {
    if constexpr (View::cols == 1 && View::span == 0)
        return tile_view<typename View::type, 1, View::rows, 0, 1>{window.address};
    else return window;
}

// Calls copy(address, coordinates) for each box of the window.
template <class View, int Rank, class Copy>
TK_DEVICE void for_each_box(View window, const box_coordinates<Rank>& origin, Copy copy) {
    constexpr int size = static_cast<int>(sizeof(typename View::type));
    constexpr int wide = box_columns(View::span, View::cols, size);
    constexpr int high = box_rows(View::span, View::rows);
    static_assert(View::rows == 1 || Rank >= 2, "a tile of several rows needs a row coordinate");
    static_assert(View::span != 0 || View::rows == 1 || wide == View::cols,
                  "the rows of an unswizzled tile are at most 256 elements for TMA");
    TK_UNROLL
    for (int col = 0; col < View::cols; col += wide) {
        TK_UNROLL
        for (int row = 0; row < View::rows; row += high) {
            box_coordinates<Rank> box = origin;
            box.at[0] += col;
            if constexpr (Rank >= 2) box.at[1] += row;
            copy(window.address + static_cast<uint32_t>(view_offset<View>(row, col)), box.at);
        }
    }
}

}  // namespace detail

// tile = tma_load(tensor[...]); completes on the barrier, which must expect Tile::bytes, clipped
// parts included.
template <class Tile, class... Coordinates>
TK_DEVICE void tma_load(const Tile& tile, const CUtensorMap_st& map, mbarrier& full,
                        Coordinates... coordinates) {
    detail::for_each_box(detail::lying(view(tile)), detail::reversed(coordinates...),
                         [&](uint32_t address, const auto& box) {
                             ptx::tma_load(address, &map, ptx::shared_address(&full), box);
                         });
}

// The same, written to this tile and signaled on this barrier in every block of the mask.
template <class Tile, class... Coordinates>
TK_DEVICE void tma_load_multicast(const Tile& tile, const CUtensorMap_st& map, mbarrier& full,
                                  int blocks, Coordinates... coordinates) {
    detail::for_each_box(view(tile), detail::reversed(coordinates...),
                         [&](uint32_t address, const auto& box) {
                             ptx::tma_load_multicast(address, &map, ptx::shared_address(&full),
                                                     static_cast<uint16_t>(blocks), box);
                         });
}

// Of `Rows` rows from `row` on, how many are in a view of which `left` rows are left there, any
// number. None if wrong data make the view begin before the tensor and end in these rows.
template <int Rows>
TK_DEVICE int rows_of_view(int row, int left) {
    return left >= Rows ? Rows : row < 0 ? 0 : max(left, 0);
}

namespace detail {

// Calls load(map, coordinates...) for a tile of which `inside` rows are in a view: with the map of
// views if the view ends in the tile; otherwise with that of the tensor, and, if no row is in the
// view, a position outside. (A box with nothing inside still accesses the address where its map
// begins: measured on an H200. A map of views begins before the tensor.)
template <int Axis, int Rows, class View, class Map, class Load, std::size_t... I>
TK_DEVICE void load_of_view(const View& views, const Map& map, int inside, Load load,
                            std::index_sequence<I...>, const int (&corner)[sizeof...(I)]) {
    if (inside != 0 && inside != Rows) {
        load(views, corner[Axis] + inside,
             (static_cast<int>(I) == Axis ? Rows - inside : corner[I])...);
    } else {
        const int row = inside == Rows ? corner[Axis] : -Rows;
        load(map, (static_cast<int>(I) == Axis ? row : corner[I])...);
    }
}

}  // namespace detail

// tile = tma_load(view[...]) of a view that contains rows_of_view(..) rows of the tile, along the
// tensor's axis Axis; zeros past its end. `views`: a map of views (of_views,
// runtime/tk/host/launcher.h); `map`: one of the tensor.
template <int Axis, class Tile, class View, class Map, class... Coordinates>
TK_DEVICE void tma_load_of_view(const Tile& tile, const View& views, const Map& map, mbarrier& full,
                                int inside, Coordinates... coordinates) {
    const int corner[] = {static_cast<int>(coordinates)...};
    detail::load_of_view<Axis, Tile::rows>(
        views, map, inside,
        [&](const auto& from, auto... at) { tma_load(tile, from, full, at...); },
        std::make_index_sequence<sizeof...(Coordinates)>{}, corner);
}
template <int Axis, class Tile, class View, class Map, class... Coordinates>
TK_DEVICE void tma_load_multicast_of_view(const Tile& tile, const View& views, const Map& map,
                                          mbarrier& full, int blocks, int inside,
                                          Coordinates... coordinates) {
    const int corner[] = {static_cast<int>(coordinates)...};
    detail::load_of_view<Axis, Tile::rows>(
        views, map, inside,
        [&](const auto& from, auto... at) {
            tma_load_multicast(tile, from, full, blocks, at...);
        },
        std::make_index_sequence<sizeof...(Coordinates)>{}, corner);
}

// tensor[...] = tile, as one bulk group of this thread. 16-byte units are written whole: unless
// rows of the tensor end with one, the elements after them are overwritten.
template <class Tile, class... Coordinates>
TK_DEVICE void tma_store(const CUtensorMap_st& map, const Tile& tile, Coordinates... coordinates) {
    detail::for_each_box(
        view(tile), detail::reversed(coordinates...),
        [&](uint32_t address, const auto& box) { ptx::tma_store(address, &map, box); });
    ptx::bulk_commit();
}

// A bulk group of this thread without a store: for code that counts groups.
TK_DEVICE void tma_store_nothing() { ptx::bulk_commit(); }

// tensor[...] += tile, as one bulk group of this thread.
template <class Tile, class... Coordinates>
TK_DEVICE void tma_reduce_add(const CUtensorMap_st& map, const Tile& tile,
                              Coordinates... coordinates) {
    detail::for_each_box(
        view(tile), detail::reversed(coordinates...),
        [&](uint32_t address, const auto& box) { ptx::tma_reduce_add(address, &map, box); });
    ptx::bulk_commit();
}

// Waits until at most Pending of this thread's stores still read shared memory: the tiles of the
// others may be overwritten.
template <int Pending>
TK_DEVICE void tma_store_wait_read() {
    ptx::bulk_wait_read<Pending>();
}

// Waits until at most Pending of this thread's stores are not yet in memory.
template <int Pending>
TK_DEVICE void tma_store_wait() {
    ptx::bulk_wait<Pending>();
}

template <class... Maps>
TK_DEVICE void tma_prefetch_maps(const Maps&... maps) {
    (ptx::prefetch_tensor_map(&maps), ...);
}

}  // namespace tk
#endif
