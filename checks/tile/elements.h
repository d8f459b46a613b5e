// Single elements of tensors, `T[m + 1]`, are read inside of them, and nothing is divided by less
// than 1.
#pragma once

#include "checks/check.h"

namespace tkc::checks {

// On tile IR. False if an error was reported.
bool check_elements(const ir::Kernel& kernel, Diagnostics& diag,
                    std::vector<Obligation>* obligations, const TryWitness& trial = {});

// What the launch can tell of reads that no `if` guards, `T[0]` of a `T` that may be empty: for
// its contract. What is proved needs none.
std::vector<ir::Condition> conditions_of_elements(const ir::Kernel& kernel);

}  // namespace tkc::checks
