// The part of `tkc explain` that is about launchers: among which kernels each chooses, and by what.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "ir/module.h"

namespace tkc {

// Numbers for which a choice is told, by name: extents and parameters.
using Extents = std::map<std::string, std::int64_t>;

// What each launcher of a scheduled module that has a choice uses. With `extents`: also which
// kernel runs for dense tensors of them, and what the others would take; or which extents are open.
std::string explain_launchers(const ir::Module& module, const Extents& extents);

}  // namespace tkc
