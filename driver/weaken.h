// Whether tests notice faults that are put into what their kernels were lowered to.
#pragma once

#include <cstddef>

#include "driver/test_plan.h"

namespace tkc {

struct WeakenCounts {
    std::size_t tried = 0;
    std::size_t redundant = 0;  // in operations that cannot matter in their kernel
    std::size_t survivors = 0;  // that no test noticed
};

// Weakens every synchronising operation of the plan's lowered kernels, one at a time, and runs
// their tests under `seeds` seeds. Prints a line a kernel and a line a survivor.
WeakenCounts weaken(const TestPlan& plan, int seeds);

}  // namespace tkc
