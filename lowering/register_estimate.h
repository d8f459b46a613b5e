// How many registers the tiles of a role take: an estimate, made before ptxas has its say.
#pragma once

#include <cstdint>

#include "ir/module.h"

namespace tkc::lowering {

// Registers a thread for one value of the role; 0 if it is no register tile.
std::int64_t registers_of(const ir::Role& role, ir::Value value);

// Registers a thread for the tiles that are live at once, at the worst place of the role; nothing
// else counted.
std::int64_t tile_registers(const ir::Role& role);

// The same with what functions of tiles take beside their operands (`Needs::registers`), and the
// products of warps, where they do.
std::int64_t held_registers(const ir::Role& role);

// The same as nvcc holds it (held_values.h), for roles of warps.
std::int64_t nvcc_registers(const ir::Role& role, bool open);

// What a role needs beside its tiles: addresses, cursors of its pipelines, bounds.
std::int64_t other_registers(const ir::Kernel& kernel, const ir::Role& role);

}  // namespace tkc::lowering
