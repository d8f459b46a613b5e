// How threads are grouped, the same on every target.
#pragma once

#include <cstdint>

namespace tkc::ir {

inline constexpr std::int64_t lanes_of_warp = 32;
inline constexpr std::int64_t warps_of_warpgroup = 4;
// Of each 64 rows of an accumulator of wgmma, or of its operand A, those of one warp.
inline constexpr std::int64_t rows_of_warp = 16;
inline constexpr std::int64_t lanes_of_warpgroup = lanes_of_warp * warps_of_warpgroup;

}  // namespace tkc::ir
