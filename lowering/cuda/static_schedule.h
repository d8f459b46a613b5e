// Programs that are assigned to blocks by their weight (tk/operations/grid.cuh).
#pragma once

#include <string>
#include <vector>

#include "lowering/cuda/emit_context.h"

namespace tkc::cuda {

// Whether the kernel's are.
bool is_statically_scheduled(const KernelContext& k);

// `function(arguments.., rows, cols, blocks)`: rows are tiles of the axis of the weight, and
// columns all programs of the other axes.
Expr call_static_schedule(KernelContext& k, const std::string& function,
                          std::vector<Expr> arguments);

// `function(arguments.., rows, cols, last)`
Expr call_with_shape(KernelContext& k, const std::string& function, std::vector<Expr> arguments,
                     Expr last);

}  // namespace tkc::cuda
