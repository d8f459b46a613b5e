// Stores that fill a tensor because there are as many of them as it has blocks.
#pragma once

#include <vector>

#include "checks/tile/accesses.h"

namespace tkc::checks {

// Whether these stores write every element of their tensor, and each by one step of one program:
// no two of them meet, all lie inside, and there are as many as there are blocks. So a permutation
// need not be turned round: `if m % 2 == 0 { Y[m + 1] } else { Y[m - 1] }`. In `facts` is that the
// tensor is not empty.
bool fill_by_count(const std::vector<Access>& stores, const ir::Facts& facts);

}  // namespace tkc::checks
