// The rules that every module must keep between passes. A violation is a bug of the compiler.
#pragma once

#include <string>
#include <vector>

#include "ir/module.h"

namespace tkc::ir {

// How much of the plan must be there. `partial`: what is planned must be right; `complete`: and
// nothing that the emitter needs may be missing.
enum class Plan { partial, complete };

// A sentence for each rule that the module breaks, with the kernel, role and operation; empty if
// it keeps them all. docs/ir.md lists the rules.
std::vector<std::string> verify(const Module& module, Plan plan = Plan::partial);

}  // namespace tkc::ir
