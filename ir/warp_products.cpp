// Which grids of warps have an instruction for their parts.
#include "ir/warp_products.h"

#include <algorithm>

#include "ir/walk.h"

namespace tkc::ir {

std::int64_t column_step(const TargetProducts& has, Dtype operands, std::int64_t cols) {
    const bool every_second = is_integer(operands) && cols > has.integer_columns;
    return (every_second ? 2 : 1) * has.column_step;
}

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

std::optional<Dtype> sums_of(Dtype a, Dtype b, bool tf32, bool by_warps) {
    if (tf32) return a == Dtype::f32 && b == a ? std::optional(a) : std::nullopt;
    if (is_16_bit_real(a) && b == a) return Dtype::f32;
    if (is_fp8(a) && is_fp8(b) && !by_warps) return Dtype::f32;
    const bool bytes_of_integers =
        is_integer(a) && is_integer(b) && bits_of(a) == 8 && bits_of(b) == 8;
    return bytes_of_integers ? std::optional(Dtype::i32) : std::nullopt;
}

bool adds_up_in(Dtype sums, Dtype a, Dtype b, bool tf32, bool by_warps) {
    const std::optional<Dtype> usual = sums_of(a, b, tf32, by_warps);
    return usual == sums || (usual && sums == Dtype::f16 && a == sums);
}

bool lies_along_shared_extent(Dtype dtype, bool by_warps) {
    return by_warps ? bits_of(dtype) == 8 : bits_of(dtype) != 16;
}

bool stays_in_registers(Dtype a) { return bits_of(a) == 16; }

bool stays_in_registers(Dtype a, const WarpGrid& warps) {
    return warps.cols == 1 && bits_of(a) != 8;
}

}  // namespace tkc::ir
