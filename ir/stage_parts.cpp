// Roles of several warps that hand stages on to memory: each warp has its part of the tile.
#include "ir/stage_parts.h"

#include "ir/swizzle.h"

namespace tkc::ir {

Split split_of_stage(const Role& role, const Pipeline& pipeline, const TileType& tile) {
    if (role.unit != Unit::warp) return Split::none;
    return pipeline.parts > 1 ? pipeline.split : split_of(tile, role.warps());
}

Slice part_of(const Slice& whole, Split split, const TileType& part, const Scalar& number) {
    Slice slice = whole;
    if (split == Split::none) return slice;
    bool is_row = true;
    for (Range& r : slice.ranges) {
        if (r.kind == Range::Kind::index) continue;
        const std::int64_t extent = is_row ? part.rows : part.cols;
        const bool divided = is_row == (split == Split::rows);
        const Scalar before = divided ? mul(number, integer(extent)) : integer(0);
        r = {Range::Kind::span, add(r.base, before), extent, r.edge};
        is_row = false;
    }
    return slice;
}

}  // namespace tkc::ir
