// Which role of a block has how many registers per thread.
#pragma once

#include <cstdint>

#include "ir/module.h"
#include "lowering/pass.h"

namespace tkc::lowering {

// Registers are handed out by eights.
inline std::int64_t round_down_to_8(std::int64_t x) { return x / 8 * 8; }
inline std::int64_t round_up_to_8(std::int64_t x) { return (x + 7) / 8 * 8; }

// Where all roles are of warps: the blocks of a multiprocessor, and each thread's registers
// (choose_blocks.cpp). Reports a number that the author asks for and that cannot be (TK6014).
void choose_blocks(PassContext& context, ir::Kernel& kernel);

// The most blocks, fewer than the kernel has, with which each of its threads has more registers; 0
// where there are none.
std::int64_t fewer_blocks(const ir::Kernel& kernel);

// Gives every role its registers, and a kernel of warps its blocks of a multiprocessor. The roles
// lie in `warpgroups` warpgroups. Reports a pool that is too small (TK6006) and a role whose tiles
// do not fit (TK6007).
void plan_registers(PassContext& context, ir::Kernel& kernel, std::int64_t warpgroups);

}  // namespace tkc::lowering
