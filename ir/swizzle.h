// How a tile lies in shared memory: in panels as wide as a swizzle, side by side.
#pragma once

#include <cstdint>

#include "ir/types.h"

namespace tkc::ir {

// Bytes of the swizzle of a shared tile: the widest of 128, 64 and 32 that divides its row. A
// panel is that wide.
inline std::int64_t swizzle_of(const TileType& tile) {
    const std::int64_t row_bytes = tile.cols * bytes(tile.dtype);
    if (row_bytes % 128 == 0) return 128;
    return row_bytes % 64 == 0 ? 64 : 32;
}

// Lanes that copy one row of a shared tile, in 16-byte units: they take 128 bytes at a time, or
// less where the row is not a multiple of it (runtime/tk/operations/gather.cuh).
inline std::int64_t lanes_of_row(const TileType& tile) {
    const std::int64_t units = tile.cols * bytes(tile.dtype) / 16;
    if (units % 8 == 0) return 8;
    return units % 4 == 0 ? 4 : units % 2 == 0 ? 2 : 1;
}

// Columns of one panel of a shared tile.
inline std::int64_t panel_columns(const TileType& tile) {
    return swizzle_of(tile) / bytes(tile.dtype);
}

// Rows of one box of a tensor map: a tile with more than a box holds is copied by several, as
// runtime/tk/tile/layout.h divides it.
inline std::int64_t box_rows(const TileType& tile, std::int64_t most) {
    std::int64_t rows = tile.rows;
    if (rows > most) rows = most - most % 8;
    while (rows > 8 && tile.rows % rows != 0) rows -= 8;
    return rows;
}

// How a shared tile is divided among several that copy parts of it in bulk: by whole panels of
// columns, which keep their boxes, or by rows, since a swizzle repeats by 8 rows.
inline Split split_of(const TileType& tile, std::int64_t parts) {
    if (tile.cols == 1 || parts == 1) return Split::none;
    if (tile.cols % (parts * panel_columns(tile)) == 0) return Split::columns;
    return tile.rows % (parts * 8) == 0 ? Split::rows : Split::none;
}

// One part of the tile.
inline TileType part_of(TileType tile, Split split, std::int64_t parts) {
    if (split == Split::rows) tile.rows /= parts;
    if (split == Split::columns) tile.cols /= parts;
    return tile;
}

// Where a shared tile may begin, in bytes: where its swizzle starts over, after 8 lines (PTX ISA,
// "Swizzling modes"). Rows, columns and tiles whose rows are not multiples of 8 have none; TMA
// itself asks for 128.
inline std::int64_t alignment_of(const TileType& tile) {
    const std::int64_t row_bytes = tile.cols * bytes(tile.dtype);
    if (tile.rows % 8 != 0) return 128;
    if (row_bytes % 128 == 0) return 1024;
    if (row_bytes % 64 == 0) return 512;
    return row_bytes % 32 == 0 ? 256 : 128;
}

// Bytes from one of several shared tiles to the next.
inline std::int64_t pitch_of(const TileType& tile) {
    const std::int64_t alignment = alignment_of(tile);
    const std::int64_t size = tile.rows * tile.cols * bytes(tile.dtype);
    return (size + alignment - 1) / alignment * alignment;
}

}  // namespace tkc::ir
