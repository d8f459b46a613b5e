// Positions are computed in the dtypes of their numbers. What a launch knows of them it is asked
// for (lowering/contract/derive_contract.cpp); where data may take a step out of its dtype, the
// step is asserted to fit.
#pragma once

#include "ir/module.h"

namespace tkc::checks {

// On tile IR whose padding is settled. Puts the assertions before the operations that compute what
// positions are made of.
void assert_places_fit(ir::Kernel& kernel);

}  // namespace tkc::checks
