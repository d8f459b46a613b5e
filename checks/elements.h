// Single elements of tensors, `T[m + 1]`, are read inside of them, and nothing is divided by less
// than 1.
#pragma once

#include "checks/check.h"

namespace tkc::checks {

/// On tile IR. False if an error was reported.
bool check_elements(const ir::Kernel& kernel, Diagnostics& diag,
                    std::vector<Obligation>* obligations);

}  // namespace tkc::checks
