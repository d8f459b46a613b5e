// How many bulk stores may still read shared memory where a staging buffer is written again.
#pragma once

#include "ir/module.h"

namespace tkc::lowering {

// The waits in front of staged panels that leave none pending are given the largest number that
// will do, or left out with their barriers where the role has waited and met since. `again`: the
// role goes through its body for one program after another.
void relax_store_waits(ir::Role& role, bool again);

}  // namespace tkc::lowering
