// The passes from tile IR to scheduled IR, in order.
#pragma once

#include <span>

#include "lowering/pass.h"

namespace tkc::lowering {

// The whole lowering; its order is explained where it is defined.
std::span<const Pass> pipeline();

}  // namespace tkc::lowering
