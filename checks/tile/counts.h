// Whether the ends of a pipeline agree on the number of its elements.
#pragma once

#include "facts/facts.h"
#include "ir/module.h"

namespace tkc::checks {

// Whether every reader takes what the writer makes, on either level of the IR.
bool is_balanced(const ir::Kernel& kernel, const ir::Pipeline& pipeline,
                 const ir::Bindings& bindings, const ir::Facts& facts);

// Whether the pipeline has a stage for every element that a program makes: its writer never waits.
bool is_roomy(const ir::Kernel& kernel, const ir::Pipeline& pipeline, const ir::Bindings& bindings,
              const ir::Facts& facts);

// Whether the kernel states it: `trusts balanced(p)`.
bool states_balance(const ir::Kernel& kernel, const ir::Pipeline& pipeline);

}  // namespace tkc::checks
