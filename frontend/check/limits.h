// What a program may come to, so that its checks end soon: functions and `let`s are written out
// where they are called, and every loop is followed twice.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ir/warps.h"

namespace tkc::checker {

// Far above what fits anywhere: products of sizes that are not above them fit 64 bits.
constexpr std::int64_t tile_extent_limit = 1 << 18;
constexpr std::int64_t number_limit = 1 << 24;
constexpr std::int64_t stage_limit = 1 << 14;  // their barriers alone would fill shared memory
constexpr std::int64_t warp_limit = 32;        // of a block
using ir::warps_of_warpgroup;
constexpr std::int64_t depth_limit = 16;  // of a pipelined loop
constexpr std::size_t formula_limit = 1000;
constexpr std::size_t call_limit = 2000;
constexpr std::size_t loop_limit = 8;  // inside of each other
constexpr std::size_t statement_limit = 3000;
constexpr std::size_t parameter_limit = 256;
constexpr std::size_t condition_limit = 256;
constexpr std::size_t pipeline_limit = 64;
constexpr std::size_t role_limit = 32;  // a block has 32 warps

}  // namespace tkc::checker
