// Writes of outputs counted on the GPU in debug builds: what kernels add up and launchers look at.
#pragma once

#include <vector>

#include "ir/module.h"
#include "lowering/cuda/emit_context.h"
#include "lowering/cuda/tree.h"

namespace tkc::cuda {

// The tensors of a kernel whose writes are counted, numbered by their place in this list.
std::vector<const ir::Tensor*> counted_tensors(const ir::Kernel& kernel);

void emit(RoleContext& c, const ir::CountWrites& op, Block& out);

}  // namespace tkc::cuda
