// Which loads and stores of a role of warps can move 16 bytes at a time.
#pragma once

#include "ir/module.h"

namespace tkc::lowering {

/// Bytes of a lane's widest load or store.
inline constexpr std::int64_t widest_access = 16;

/// Whether the cells of each of the tile's rows lie side by side from a multiple of 16 bytes on, if
/// the tensor's rows and its address do: what the launcher then looks at.
bool has_vectors(const ir::Kernel& kernel, const ir::Role& role, const ir::Slice& slice,
                 const ir::TileType& tile);

}  // namespace tkc::lowering
