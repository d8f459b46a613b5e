// What a program reads of scratch, or of an output, it has written before.
#pragma once

#include <vector>

#include "checks/tile/accesses.h"

namespace tkc::checks {

// Whether every element that the load reads was stored before, by the same role of the same
// program, on every way to the load and in every iteration.
bool written_before(const Access& load, const std::vector<const Access*>& stores,
                    const ir::Facts& facts);

}  // namespace tkc::checks
