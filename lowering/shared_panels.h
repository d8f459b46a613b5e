// Panels of shared tiles and of windows onto them: how a role's warpgroups divide columns there.
#pragma once

#include "ir/module.h"

namespace tkc::lowering {

// Whether each `width` columns of a shared tile that follow each other, from the first on, are
// whole panels.
bool takes_panels(const ir::Role& role, ir::Value tile, std::int64_t width);
// Whether they are, or each is a part of one panel.
bool takes_parts_of_panels(const ir::Role& role, ir::Value tile, std::int64_t width);

}  // namespace tkc::lowering
