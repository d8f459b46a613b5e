// Where in emitted code each value of a role is declared.
#pragma once

#include <map>
#include <vector>

#include "ir/module.h"

namespace tkc::cuda {

// Values to declare right before an operation. A value that no operation names has no place.
// Values that both a program and the role's end touch are under `nullptr`: before the loop over
// programs.
using Placement = std::map<const ir::Op*, std::vector<ir::Value>>;

// Every value is declared in the innermost block that holds all its uses; a variable that a loop
// carries from one iteration to the next, outside that loop.
Placement place_values(const ir::Role& role);

}  // namespace tkc::cuda
