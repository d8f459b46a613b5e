// What elementwise work costs on a multiprocessor.
#pragma once

#include "ir/module.h"

namespace tkc::lowering {

// The cycles of a multiprocessor that the elementwise work of the operation takes, for the role's
// tiles as a whole; 0 for operations of other kinds.
double arithmetic_cycles(const ir::Kernel& kernel, const ir::Role& role, const ir::Op& op);

}  // namespace tkc::lowering
