// Panels of shared tiles and of windows onto them: how a role's warpgroups divide columns there.
#pragma once

#include "ir/module.h"

namespace tkc::lowering {

// Whether each `width` columns of a shared tile that follow each other, from the first on, are
// whole panels.
bool takes_panels(const ir::Role& role, ir::Value tile, std::int64_t width);
// Whether they are, or each is a part of one panel.
bool takes_parts_of_panels(const ir::Role& role, ir::Value tile, std::int64_t width);

// How a store of a register tile is staged: each warpgroup writes what it holds panel by panel.
struct StagedPanel {
    ir::TileType type;
    bool by_columns;      // the warpgroups hold columns of what is stored, not rows
    std::int64_t panels;  // of each warpgroup
};
StagedPanel panel_of_store(const ir::Role& role, const ir::Store& store);

}  // namespace tkc::lowering
