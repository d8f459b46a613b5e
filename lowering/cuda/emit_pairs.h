// Elementwise operations on two cells at once, which share a register: bits of bytes as 16-bit
// reals, and sums and products of these.
#pragma once

#include <optional>

#include "ir/operations.h"
#include "lowering/cuda/emit_context.h"

namespace tkc::cuda {

// The function of two neighboring cells, if the map takes numbers of a few bits out of bytes and
// does with them only what one instruction does for two cells.
std::optional<Lambda> function_of_pairs(RoleContext& c, const ir::Map& op);

}  // namespace tkc::cuda
