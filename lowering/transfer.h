// What the tensor memory accelerator (TMA) can move, for the passes that decide and plan transfers.
#pragma once

#include <cstdint>
#include <string>

#include "ir/types.h"

namespace tkc::lowering {

/// Why TMA cannot move `slice` to or from `tile` whatever the strides are; empty if it can where
/// they are aligned.
std::string why_not_tma(const ir::Slice& slice, const ir::TileType& tile);

/// Bytes of the swizzle of a shared tile: the widest of 128, 64 and 32 that divides its row. A
/// panel is that wide.
std::int64_t swizzle_of(const ir::TileType& tile);

/// Columns of one panel of a shared tile.
inline std::int64_t panel_columns(const ir::TileType& tile) {
    return swizzle_of(tile) / bytes(tile.dtype);
}

/// What a CTA can have of shared memory (CUDA programming guide, compute capability 9.0: 227 KiB).
inline constexpr std::int64_t shared_memory_limit = 232'448;

}  // namespace tkc::lowering
