// Loops that divide an axis among programs, or among steps of a loop around them, and read over the
// end of their part into the next one.
#pragma once

#include "base/diagnose.h"
#include "ir/module.h"

namespace tkc::checks {

// On tile IR. Warns, with sizes that show it.
void warn_of_loop_ends(const ir::Kernel& kernel, Diagnostics& diag);

}  // namespace tkc::checks
