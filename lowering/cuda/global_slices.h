// Slices of tensors in global memory as the runtime takes them: where they begin, and how much of
// them lies inside.
#pragma once

#include <cstddef>
#include <vector>

#include "ir/module.h"
#include "lowering/cuda/emit_context.h"
#include "lowering/cuda/tree.h"

namespace tkc::cuda {

// Which axes of a slice are the rows and the columns of its tile.
struct TileAxes {
    const ir::Range* rows = nullptr;
    const ir::Range* cols = nullptr;
    std::size_t row_axis = 0;
    std::size_t col_axis = 0;
};
TileAxes tile_axes(const ir::Slice& slice, const ir::TileType& tile);

// Where the warpgroup's part of a tile begins: one of the two, or none.
struct PartPlace {
    Expr row;
    Expr col;
};
PartPlace place_of(RoleContext& c, ir::Value v);

// The position of a slice's corner: an axis of the tensor is a dimension of its map.
std::vector<Expr> coordinates(RoleContext& c, const ir::Slice& slice);

// How many cells from the start on lie in the tensor, which ends there, and in the view.
Expr cells_inside(RoleContext& c, const ir::Range& r, const ir::Scalar& end, const Expr& offset);

// `tk::slice(X, {r, 0}, R - r, 1024)`: the tensor, where the slice begins, from the warpgroup's
// part on, and how many rows and columns lie inside.
Expr global_slice(RoleContext& c, const ir::Slice& slice, const ir::TileType& tile,
                  const PartPlace& place);

}  // namespace tkc::cuda
