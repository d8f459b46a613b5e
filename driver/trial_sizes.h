// Sizes of small launches in which two candidates of a launcher can show that they differ: several
// tiles along each axis that they cut in two ways, one tile of the one and two of the other, ..
#pragma once

#include <vector>

#include "ir/facts.h"
#include "ir/module.h"

namespace tkc {

// One launch: values of extents and whole parameters. What is not named may be anything from
// `least` on that the kernels admit.
struct TrialSizes {
    ir::Assignment values;
    std::int64_t least = 0;
};

// For each launch that is wanted, its sizes: those that are tried first, since they show most, and
// others in case that what the kernels require excludes them.
std::vector<std::vector<TrialSizes>> trial_sizes(const ir::Kernel& first, const ir::Kernel& other);

}  // namespace tkc
