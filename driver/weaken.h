// Whether tests notice faults that are put into what their kernels were lowered to.
#pragma once

#include <cstddef>

#include "driver/test_plan.h"

namespace tkc {

struct WeakenCounts {
    std::size_t tried = 0;
    std::size_t redundant = 0;    // in operations that make no difference in their kernel
    std::size_t not_reached = 0;  // where no test comes: operations, variants, larger launches
    std::size_t survivors = 0;    // that no test noticed

    void add(const WeakenCounts& other);
    bool all_noticed() const { return not_reached == 0 && survivors == 0; }
    std::string text() const;  // "12 faults, 2 redundant, 1 not reached, 0 not noticed"
};

// Weakens every synchronizing operation of the plan's lowered kernels, one at a time, and runs
// their tests under `seeds` seeds, of `jobs` faults at once. Prints a line a kernel, and a line for
// each fault that no test notices: why.
WeakenCounts weaken(const TestPlan& plan, int seeds, int jobs);

}  // namespace tkc
