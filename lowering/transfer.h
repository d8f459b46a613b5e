// What the tensor memory accelerator (TMA) can move, for the passes that decide and plan transfers.
#pragma once

#include <cstdint>
#include <string>

#include "ir/module.h"

namespace tkc::lowering {

enum class Direction : std::uint8_t { load, store };

// Why TMA cannot move `slice` to or from `tile` whatever the strides are; empty if it can where
// they are aligned.
std::string why_not_tma(const ir::Kernel& kernel, const ir::Role& role, const ir::Slice& slice,
                        const ir::TileType& tile, Direction direction);

// Whether a role of warps stores a stage that it has consumed, and TMA can take each warp's part
// from there: it never passes through registers then.
bool stores_stage(const ir::Kernel& kernel, const ir::Role& role, const ir::Store& store);

}  // namespace tkc::lowering
