// Which grids of warps have an instruction for their parts.
#include "ir/warp_products.h"

#include <algorithm>

#include "ir/walk.h"

namespace tkc::ir {

bool multiplies(const TargetProducts& has, std::int64_t rows, std::int64_t cols,
                std::int64_t depth) {
    return has.rows > 0 && rows > 0 && rows % has.rows == 0 && cols > 0 &&
           cols % has.column_step == 0 && cols <= has.most_columns && depth % has.depth_bytes == 0;
}

std::vector<WarpGrid> grids_for(const TargetProducts& has, std::int64_t warps, std::int64_t rows,
                                std::int64_t cols) {
    std::vector<WarpGrid> grids;
    for (std::int64_t down = 1; down <= warps; ++down) {
        const std::int64_t across = warps / down;
        if (down * across == warps && rows % down == 0 && cols % across == 0 &&
            multiplies(has, rows / down, cols / across, has.depth_bytes))
            grids.push_back({down, across});
    }
    return grids;
}

std::vector<WarpGrid> grids_for(const TargetProducts& has, std::int64_t warps, const Role& role) {
    std::vector<WarpGrid> common;
    bool first = true;
    walk_only<Mma>(role.body, [&](const Mma& m) {
        const TileType& result = role.tile(m.result);
        const std::vector<WarpGrid> grids = grids_for(has, warps, result.rows, result.cols);
        if (first) common = grids;
        first = false;
        std::erase_if(common, [&](const WarpGrid& g) {
            return std::find(grids.begin(), grids.end(), g) == grids.end();
        });
    });
    return common;
}

}  // namespace tkc::ir
