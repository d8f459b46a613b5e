// How the warpgroups of a role divide its register tiles.
#pragma once

#include <vector>

#include "ir/module.h"
#include "lowering/pass.h"

namespace tkc::lowering {

// By number, which values get layouts among the tiles of the role. One that nothing mentions was
// joined into another operation.
std::vector<bool> with_layouts(const ir::Role& role);

// A warpgroup multiplies 64 rows at a time and keeps whole rows of the result. So tiles are divided
// by rows where they have 64 for each warpgroup: elementwise operations, conversions, stores and
// reductions along rows then stay within a warpgroup, and a reduction over rows brings the
// warpgroups together. A column goes with the rows of the tiles next to it; a row belongs to all
// rows, and every warpgroup has the whole of it.
//
// Tiles of fewer rows are divided by columns: each warpgroup multiplies all rows by its own columns
// of operand B. A row goes with the columns, a column belongs to all of them.
//
// Tiles that meet in an operation are divided alike. Reports what has too few rows, and cannot be
// divided by columns.
void assign_warpgroups(PassContext& context, const ir::Kernel& kernel, ir::Role& role);

}  // namespace tkc::lowering
