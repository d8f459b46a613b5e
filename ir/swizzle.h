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

// Columns of one panel of a shared tile.
inline std::int64_t panel_columns(const TileType& tile) {
    return swizzle_of(tile) / bytes(tile.dtype);
}

}  // namespace tkc::ir
