// Candidates of launchers that may compute the same, and are not seen to: both are run on small
// launches.
#pragma once

#include <vector>

#include "compiler/explain.h"
#include "frontend/check/open_candidates.h"
#include "ir/module.h"

namespace tkc {

// Runs each pair on launches of several sizes, on data that are made up, as the tile IR of `module`
// means them. Where results differ, that is an error. What is undecided beyond loops and tiles is a
// warning, and so is what could not be tried; each is an obligation of the second kernel.
// False if an error was reported.
bool try_candidates(const ir::Module& module, const std::vector<OpenCandidates>& list,
                    Obligations& obligations, Diagnostics& diag);
// The warnings alone, of a module that is not good enough to be run.
void warn_of_candidates(const std::vector<OpenCandidates>& list, Diagnostics& diag);

}  // namespace tkc
