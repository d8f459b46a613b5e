// Register tiles of roles of warps to shared tiles and back.
#pragma once

#include "../ptx/shared.cuh"
#include "../tile/shared_tile.cuh"
#include "stripe.cuh"

#if TK_CUDA
namespace tk {

namespace detail {

// Bytes of a vector that move between a shared tile and registers at once: 16, 8 or 4, which no chunk of a swizzle
// divides; 0: cells move by themselves.
template <class View, class Stripe>
TK_HOST_DEVICE constexpr int shared_unit() {
    constexpr int size = static_cast<int>(sizeof(typename Stripe::type));
    constexpr int vector = Stripe::vector * size;
    constexpr int row = View::span == 0 ? View::cols * size : View::span;
    constexpr bool alike = std::is_same_v<typename View::type, typename Stripe::type>;
    constexpr bool whole = alike && Stripe::cols % Stripe::vector == 0 && Stripe::cols != 1;
    if (whole && vector % 16 == 0 && row % 16 == 0) return 16;
    if (whole && vector % 8 == 0 && row % 8 == 0) return 8;
    return whole && vector % 4 == 0 && row % 4 == 0 ? 4 : 0;
}

// fn(pass, first cell, address) for every unit that the thread holds of the tile.
template <class Stripe, class Tile, class Fn>
TK_DEVICE void for_shared_units(const Tile& tile, int thread, Fn fn) {
    const auto window = view(tile);
    using view_type = decltype(view(tile));
    constexpr int step = shared_unit<view_type, Stripe>() / static_cast<int>(sizeof(typename Stripe::type));
    TK_UNROLL
    for (int pass = 0; pass < Stripe::passes; ++pass) {
        const int row = Stripe::row(thread, pass);
        if (!Stripe::has_row(thread, pass)) continue;
        TK_UNROLL
        for (int i = 0; i < Stripe::width; i += step) {
            const int col = Stripe::col(thread, i);
            if (Stripe::whole_cols || col < Stripe::cols)
                fn(pass, i, window.address + view_offset<view_type>(row, col));
        }
    }
}

}  // namespace detail

// tile = stripe, in units of up to 16 bytes where vectors allow, else cell by cell.
template <class Tile, class T, int Rows, int Cols, int Threads, int Lanes, int Vector>
TK_DEVICE void store_shared(const Tile& to, const stripe<T, Rows, Cols, Threads, Lanes, Vector>& source,
                            int thread) {
    using tile = stripe<T, Rows, Cols, Threads, Lanes, Vector>;
    if (!tile::writes(thread)) return;
    constexpr int unit = detail::shared_unit<decltype(view(to)), tile>();
    if constexpr (unit != 0) {
        detail::for_shared_units<tile>(to, thread, [&](int pass, int first, uint32_t address) {
            T cells[static_cast<size_t>(unit) / sizeof(T)];
            uint32_t words[static_cast<size_t>(unit) / 4];
            TK_UNROLL
            for (int v = 0; v < unit / static_cast<int>(sizeof(T)); ++v) cells[v] = source.cell(pass, first + v);
            memcpy(words, cells, sizeof(words));
            if constexpr (unit == 16) ptx::store_shared_v4(address, words[0], words[1], words[2], words[3]);
            else if constexpr (unit == 8) ptx::store_shared_v2(address, words[0], words[1]);
            else ptx::store_shared_b32(address, words[0]);
        });
    } else {
        TK_UNROLL
        for (int pass = 0; pass < tile::passes; ++pass) {
            TK_UNROLL
            for (int i = 0; i < tile::width; ++i) {
                if (tile::has_row(thread, pass) && tile::has_col(thread, i))
                    set(to, tile::row(thread, pass), tile::col(thread, i), source.cell(pass, i));
            }
        }
    }
}

// Zeros where a thread holds what is no cell of the tile.
template <class Tile, class T, int Rows, int Cols, int Threads, int Lanes, int Vector>
TK_DEVICE void load_shared(stripe<T, Rows, Cols, Threads, Lanes, Vector>& dst, const Tile& from,
                           int thread) {
    using tile = stripe<T, Rows, Cols, Threads, Lanes, Vector>;
    constexpr int unit = detail::shared_unit<decltype(view(from)), tile>();
    if constexpr (unit != 0) {
        if constexpr (!tile::whole_rows || !tile::whole_cols) memset(dst.reg, 0, sizeof(dst.reg));
        detail::for_shared_units<tile>(from, thread, [&](int pass, int first, uint32_t address) {
            uint32_t words[static_cast<size_t>(unit) / 4];
            if constexpr (unit == 16) ptx::load_shared_v4(address, words[0], words[1], words[2], words[3]);
            else if constexpr (unit == 8) ptx::load_shared_v2(address, words[0], words[1]);
            else words[0] = ptx::load_shared_b32(address);
            T cells[static_cast<size_t>(unit) / sizeof(T)];
            memcpy(cells, words, sizeof(words));
            TK_UNROLL
            for (int v = 0; v < unit / static_cast<int>(sizeof(T)); v += tile::per)
                detail::hold<tile>(dst.reg[pass][(first + v) / tile::per], [&](int k) { return cells[v + k]; });
        });
    } else {
        map(dst, thread, [&](int row, int col) {
            return (tile::whole_rows || row < Rows) && (tile::whole_cols || col < Cols) ? get(from, row, col) : T{};
        });
    }
}

}  // namespace tk
#endif
