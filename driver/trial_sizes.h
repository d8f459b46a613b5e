// Sizes of small launches in which two candidates of a launcher can show that they differ: several
// tiles along each axis that they cut in two ways, one tile of the one and two of the other, ..
#pragma once

#include <vector>

#include "ir/facts.h"
#include "ir/module.h"

namespace tkc {

// One launch. Values of extents and whole parameters, the most wanted first: what the kernels
// require may exclude them.
struct TrialSizes {
    std::vector<ir::Assignment> choices;
};

std::vector<TrialSizes> trial_sizes(const ir::Kernel& first, const ir::Kernel& other);

}  // namespace tkc
