// What sums and extremes of rows share with the completion of partial sums: how the warps of a row
// exchange what each made of its own.
#pragma once

#include "tiles/tile_function.h"

namespace tkc::ir {

// The buffer of a row that lies over a cluster of blocks.
std::string row_exchange_buffer(const Role& role);

// Of a column whose cells each lane has made of what it holds of the row.
Needs needs_of_completion(const Role& role, Value column);
// `function`: what joins two cells, as the runtime calls it.
RuntimeCall call_of_completion(const Role& role, Value column, const std::string& function);

// Whether all warps of the role meet in the operation.
bool synchronizes_warps(const Role& role, const Op& op);

}  // namespace tkc::ir
