// Sums of the columns of a warp's tile that are only stored. Exchanges leave each of them with a
// few lanes, which can write it away: no lane needs the others then
// (runtime/tk/operations/folded.cuh).
#pragma once

#include <cstdint>
#include <map>

#include "ir/module.h"

namespace tkc::cuda {

// By result: the tile whose columns are summed.
std::map<std::uint32_t, ir::Value> scattered_sums(const ir::Kernel& kernel, const ir::Role& role);

}  // namespace tkc::cuda
