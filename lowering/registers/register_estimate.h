// How many registers the tiles of a role need: an estimate, made before ptxas runs.
#pragma once

#include <cstdint>

#include "ir/module.h"

namespace tkc::lowering {

// Registers a thread for one value of the role; 0 if it is not a register tile.
std::int64_t registers_of(const ir::Role& role, ir::Value value);

// Registers a thread for the tiles that are live at once, at the worst place of the role; nothing
// else counted.
std::int64_t tile_registers(const ir::Role& role);

// The same with what functions of tiles take next to their operands (`Needs::registers`), and the
// products of warps, where they do.
std::int64_t live_registers(const ir::Role& role);

// The same as nvcc holds it (live_values.h), for roles of warps: at the worst place of all, and
// where tiles are loaded or stored, next to which there are addresses.
struct NvccRegisters {
    std::int64_t most = 0;
    std::int64_t at_accesses = 0;
};
NvccRegisters nvcc_registers(const ir::Role& role, bool open);

// `tile_registers`, or what is held where a role of warpgroups loads or stores a tile cell by cell,
// if that is more: two cells next to each other have an address, in 64 bits.
std::int64_t addressed_registers(const ir::Role& role);

// What a role needs next to that: numbers, cursors of its pipelines, descriptors, an address.
std::int64_t other_registers(const ir::Kernel& kernel, const ir::Role& role);

// All that a role of warpgroups holds, or one of warps that multiply, whose fragments count.
std::int64_t all_registers(const ir::Kernel& kernel, const ir::Role& role);

// All that a role of warps needs that fills stages for the others.
std::int64_t service_registers(const ir::Kernel& kernel, const ir::Role& role);

}  // namespace tkc::lowering
