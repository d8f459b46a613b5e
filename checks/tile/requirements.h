// Whether any launch can keep what a kernel requires.
#pragma once

#include "base/diagnose.h"
#include "ir/module.h"

namespace tkc::checks {

// False, and an error, where the conditions exclude each other: then nothing could be launched,
// and everything would be proved of it.
bool check_requirements(const ir::Kernel& kernel, Diagnostics& diag);

}  // namespace tkc::checks
