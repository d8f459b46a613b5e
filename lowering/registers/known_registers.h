// What ptxas can work out of an operand of wgmma in registers.
#pragma once

#include <set>
#include <string>

#include "ir/module.h"

namespace tkc::lowering {

// Whether some register of a warpgroup's tile holds the same number in all threads whatever the
// data are, and places alone say so: `where(row_index(x) >= col_index(x), x, 0)` of [64, 64] has
// zeros in columns 56 to 63 of the rows that a thread holds first. `cell` makes the tile. What the
// variables of `loops` decide may be so in some step, and counts.
bool has_constant_register(const ir::TileType& type, const ir::Scalar& cell,
                           const std::set<std::string>& loops);

}  // namespace tkc::lowering
