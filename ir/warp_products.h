// How the warps of a role divide its products among them, each of which they do by themselves.
#pragma once

#include <vector>

#include "ir/module.h"
#include "target/target.h"

namespace tkc::ir {

// Whether there is an instruction for [rows, cols], `depth` bytes of the shared extent.
bool multiplies(const TargetProducts& has, std::int64_t rows, std::int64_t cols,
                std::int64_t depth);

// The grids of `warps` warps of which each warp can multiply its part of [rows, cols].
std::vector<WarpGrid> grids_for(const TargetProducts& has, std::int64_t warps, std::int64_t rows,
                                std::int64_t cols);
// Those that serve for all products of a role of warps that had so many.
std::vector<WarpGrid> grids_for(const TargetProducts& has, std::int64_t warps, const Role& role);

// The number of warps nearest to `warps` for which there are grids, smaller ones first; 0: none.
template <class Grids>
std::int64_t warps_with(std::int64_t warps, std::int64_t most, const Grids& grids) {
    for (std::int64_t fewer = warps; fewer > 0; --fewer) {
        if (!grids(fewer).empty()) return fewer;
    }
    for (std::int64_t more = warps + 1; more <= most; ++more) {
        if (!grids(more).empty()) return more;
    }
    return 0;
}

}  // namespace tkc::ir
