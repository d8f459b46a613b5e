// Sizes of small launches in which two candidates of a launcher can show that they differ: several
// tiles along each axis that they cut in two ways, one tile of the one and two of the other, ..
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "facts/facts.h"
#include "ir/module.h"

namespace tkc {

// One launch: values of extents and whole parameters. What is not named may be anything from
// `least` on that the kernels admit.
struct TrialSizes {
    ir::Assignment values;
    std::int64_t least = 0;
};

struct TrialLaunches {
    // For each launch that is wanted, its sizes: those that are tried first, since they show most,
    // and others in case that what the kernels require excludes them.
    std::vector<std::vector<TrialSizes>> sizes;
    // By tables of sequences, the steps of the loops over one: the smaller one first.
    std::map<std::string, std::array<std::int64_t, 2>> steps_of_tables;
};

TrialLaunches trial_launches(const ir::Kernel& first, const ir::Kernel& other);

}  // namespace tkc
