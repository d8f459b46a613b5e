// The conditions of a launch as data for the runtime (runtime/tk/host/conditions.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/module.h"
#include "lowering/cuda/tree.h"

namespace tkc::cuda {

using Conditions = std::vector<const ir::Condition*>;

// The elements of a list of conditions, in order. Those whose sentence is the runtime's become one
// of its kinds, and several of them one where a kind stands for several. What the host cannot tell
// is left out. `told`: who breaks one is told.
std::vector<Expr> condition_list(const ir::Signature& called, const Conditions& conditions,
                                 bool told = true);

// The end of the kernel's grid, if the condition is that its programs are less.
std::optional<std::int64_t> grid_end(const ir::Kernel& kernel, const ir::Condition& condition);

}  // namespace tkc::cuda
