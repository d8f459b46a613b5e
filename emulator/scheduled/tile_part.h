// The part of a role's register tile that one process holds: a warpgroup's rows, or the cells that
// the threads of a warp hold.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "emulator/tile.h"
#include "ir/module.h"

namespace tkc::emulator {

// Cells [rows[i], cols[j]] of the role's tile are cells [i, j] of the part.
struct TilePart {
    ir::TileType type;  // of the part
    std::vector<std::int64_t> rows;
    std::vector<std::int64_t> cols;
    // Thread writer_row[i] + writer_col[j] of the role writes cell [i, j] to memory.
    std::vector<std::int64_t> writer_row;
    std::vector<std::int64_t> writer_col;
    bool writes = true;       // whether the writers are threads of this process
    bool many_lanes = false;  // several lanes of a warp hold a cell, each of which reads it
    bool many_warps = false;  // and every warp of the process does
    // Which lanes those of its warps are: parts with one number give a cell to the same lane, which
    // moves it to and from shared memory itself. 0: not known. `moves_matrices`: all lanes move the
    // cells together.
    std::int32_t lanes = 0;
    bool moves_matrices = false;
    std::int64_t period = 0;  // columns so far apart are with the same lanes (ir::period_of)
    // The columns as stretches of neighbors: first one here, number of them.
    std::vector<std::pair<std::int64_t, std::int64_t>> runs;
};
using TilePartPtr = std::shared_ptr<const TilePart>;

// The parts of all register tiles of a kernel's roles, made once for a launch. A role's processes
// are its warpgroups, or its warps, those of all blocks that its rows lie over.
class TileParts {
public:
    explicit TileParts(const ir::Kernel& kernel);
    // Of one of the role's processes, by value; null for what is not a register tile.
    const std::vector<TilePartPtr>& of(const ir::Role& role, std::int64_t process) const;
    std::int64_t processes(const ir::Role& role) const {
        return static_cast<std::int64_t>(parts_.at(role.name).size());
    }

private:
    std::map<std::string, std::vector<std::vector<TilePartPtr>>> parts_;  // by role, by process
};

// `tile`, a part, put into the whole tile; or taken out of it.
void put_part(const TilePart& part, const Tile& tile, Tile& whole);
void take_part(const TilePart& part, const Tile& whole, Tile& tile);

}  // namespace tkc::emulator
