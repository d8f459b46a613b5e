// Roles of several warps that hand stages on to memory: each warp has its part of the tile.
#pragma once

#include "ir/module.h"

namespace tkc::ir {

// How the warps of a role divide a tile of a stage of `pipeline` that they store. None: they do
// not, since there is one, or there are no parts that bulk copies take.
Split split_of_stage(const Role& role, const Pipeline& pipeline, const TileType& tile);

// The part of a slice of memory that part `number` of a tile goes to; `part`: its type.
Slice part_of(const Slice& whole, Split split, const TileType& part, const Scalar& number);

}  // namespace tkc::ir
