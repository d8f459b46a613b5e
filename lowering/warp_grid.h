// How the warps of a role that multiply by themselves lie over the rows and columns of its tiles.
#pragma once

#include <optional>

#include "ir/module.h"

namespace tkc::lowering {

// Whether the role has such products.
bool multiplies_by_warps(const ir::Role& role);

// The grid that its tiles lie over; nothing: none.
std::optional<ir::WarpGrid> grid_of(const ir::Role& role);

// The grid by which the warps read the fewest bytes of shared memory; nothing: none can do all
// products.
std::optional<ir::WarpGrid> choose_grid(const ir::Kernel& kernel, const ir::Role& role);

// A product's `a` may be in registers where each warp has whole rows of it, as the instruction
// takes them. Else it goes through shared memory: once where it is written once, else at every
// product.
void share_operands(ir::Role& role, const ir::WarpGrid& warps);

}  // namespace tkc::lowering
