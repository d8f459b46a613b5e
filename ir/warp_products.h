// How the warps of a role divide its products among them, each of which they do by themselves.
#pragma once

#include <optional>
#include <vector>

#include "ir/module.h"
#include "target/target.h"

namespace tkc::ir {

// In steps of so many columns there are instructions of about `cols` columns.
std::int64_t column_step(const TargetProducts& has, Dtype operands, std::int64_t cols);

// Whether there is an instruction for [rows, cols], `depth` bytes of the shared extent.
bool multiplies(const TargetProducts& has, std::int64_t rows, std::int64_t cols,
                std::int64_t depth);

// The grids of `warps` warps of which each warp can multiply its part of [rows, cols].
std::vector<WarpGrid> grids_for(const TargetProducts& has, std::int64_t warps, std::int64_t rows,
                                std::int64_t cols);
// Those that serve for all products of a role of warps that had so many.
std::vector<WarpGrid> grids_for(const TargetProducts& has, std::int64_t warps, const Role& role);

// The type that products of `a` and `b` add up in, `tf32` where f32 operands are rounded to it;
// nothing: no instruction of warps, or of warpgroups, multiplies them.
std::optional<Dtype> sums_of(Dtype a, Dtype b, bool tf32, bool by_warps);
// Whether they may add up in `sums`: that type, or f16 of f16 (PTX ISA, "wgmma.mma_async" and
// "mma").
bool adds_up_in(Dtype sums, Dtype a, Dtype b, bool tf32, bool by_warps);

// Whether an operand lies along the extent that both share, or is refused: [M, K] or the transpose
// of [N, K]. ldmatrix transposes 16 bits at a time, and takes pairs of 8-bit numbers for one; tf32
// warps read by other loads. wgmma transposes operands of 16 bits alone (PTX ISA,
// "wgmma.mma_async", imm-trans-a).
bool lies_along_shared_extent(Dtype dtype, bool by_warps);

// Whether warpgroups multiply `a` from their registers, where it lies as results do: of 16 bits. A
// lane's operand of tf32 are columns q and q + 4 of every eight, and those of a result 2 q and
// 2 q + 1; `b`, in shared memory, cannot be read in their order.
bool stays_in_registers(Dtype a);
// Whether warps multiply `a` from their registers, where it lies as results do. They have all of
// its columns then. A result's lane holds two neighboring columns of every eight: an operand of 16
// bits the same two, one of tf32 two that may be any (the other operand is read in their order),
// and one of 8 bits four neighbors.
bool stays_in_registers(Dtype a, const WarpGrid& warps);

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
