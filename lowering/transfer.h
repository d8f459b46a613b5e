// What the tensor memory accelerator (TMA) can move, for the passes that decide and plan transfers.
#pragma once

#include <cstdint>
#include <string>

#include "ir/module.h"

namespace tkc::lowering {

// Why TMA cannot move `slice` to or from `tile` whatever the strides are; empty if it can where
// they are aligned.
std::string why_not_tma(const ir::Kernel& kernel, const ir::Slice& slice, const ir::TileType& tile);

}  // namespace tkc::lowering
