// Fragments to and from shared tiles: stmatrix and ldmatrix for 16 bits, vector accesses for 32.
#pragma once

#include "../ptx/matrix.cuh"
#include "../tile/fragment.cuh"
#include "../tile/shared_tile.cuh"

#if TK_CUDA
namespace tk {

// tile = source; one warpgroup, tile of the fragment's shape. Before a product or TMA reads the
// tile, every thread calls fence_async and the warps that wrote and those that read meet at a
// barrier.
template <class T, int Rows, int Cols, class Tile>
TK_DEVICE void store_shared(const Tile& tile, const fragment<T, Rows, Cols>& source) {
    const auto window = view(tile);
    using view_type = decltype(view(tile));
    static_assert(view_type::rows == Rows && view_type::cols == Cols);
    const int thread = warpgroup_thread();
    const int lane = thread & 31;
    TK_UNROLL
    for (int block = 0; block < Rows / 64; ++block) {
        if constexpr (sizeof(T) == 2) {
            static_assert(view_type::span != 0, "16-bit rows of 16 k bytes");
            const int row = 64 * block + 16 * (thread / 32) + (lane & 15);
            TK_UNROLL
            for (int col = 0; col + 16 <= Cols; col += 16) {
                const uint32_t* reg = source.reg[block] + col / 4;
                ptx::stmatrix_x4(
                    window.address + view_offset<view_type>(row, col + 8 * (lane >> 4)), reg[0],
                    reg[1], reg[2], reg[3]);
            }
            if constexpr (Cols % 16 != 0)
                ptx::stmatrix_x2(window.address + view_offset<view_type>(row, Cols - 8),
                                 source.reg[block][Cols / 4 - 2], source.reg[block][Cols / 4 - 1]);
        } else {
            TK_UNROLL
            for (int i = 0; i < Cols / 2; i += 2) {
                const int c = block * (Cols / 2) + i;
                uint32_t pair[2];
                memcpy(pair, &source.reg[block][i], 8);
                ptx::store_shared_v2(
                    window.address + view_offset<view_type>(fragment_row(Cols, thread, c),
                                                            fragment_col(Cols, thread, c)),
                    pair[0], pair[1]);
            }
        }
    }
}

// dst = tile; one warpgroup.
template <class T, int Rows, int Cols, class Tile>
TK_DEVICE void load_shared(fragment<T, Rows, Cols>& dst, const Tile& tile) {
    const auto window = view(tile);
    using view_type = decltype(view(tile));
    static_assert(view_type::rows == Rows && view_type::cols == Cols);
    const int thread = warpgroup_thread();
    const int lane = thread & 31;
    TK_UNROLL
    for (int block = 0; block < Rows / 64; ++block) {
        if constexpr (sizeof(T) == 2) {
            static_assert(view_type::span != 0, "16-bit rows of 16 k bytes");
            const int row = 64 * block + 16 * (thread / 32) + (lane & 15);
            TK_UNROLL
            for (int col = 0; col + 16 <= Cols; col += 16) {
                uint32_t* reg = dst.reg[block] + col / 4;
                ptx::ldmatrix_x4(
                    window.address + view_offset<view_type>(row, col + 8 * (lane >> 4)), reg[0],
                    reg[1], reg[2], reg[3]);
            }
            if constexpr (Cols % 16 != 0)
                ptx::ldmatrix_x2(window.address + view_offset<view_type>(row, Cols - 8),
                                 dst.reg[block][Cols / 4 - 2], dst.reg[block][Cols / 4 - 1]);
        } else {
            TK_UNROLL
            for (int i = 0; i < Cols / 2; i += 2) {
                const int c = block * (Cols / 2) + i;
                uint32_t pair[2];
                ptx::load_shared_v2(
                    window.address + view_offset<view_type>(fragment_row(Cols, thread, c),
                                                            fragment_col(Cols, thread, c)),
                    pair[0], pair[1]);
                memcpy(&dst.reg[block][i], pair, 8);
            }
        }
    }
}

}  // namespace tk
#endif
