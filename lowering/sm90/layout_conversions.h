// Where a role of warps loads and stores tiles in another layout than the one they have next to
// products.
#pragma once

#include <vector>

#include "ir/module.h"

namespace tkc::lowering {

// Puts a convert_layout between a load or a store and the tile next to products that it moves,
// wherever that takes less time, and returns the values on the side of memory, which have no layout
// yet.
std::vector<ir::Value> convert_accesses(const ir::Kernel& kernel, ir::Role& role);

// Whether all that becomes of the tile is that it goes from memory to shared memory.
bool passes_through(const ir::Role& role, ir::Value v);

}  // namespace tkc::lowering
