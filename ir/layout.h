// Who holds which cell of a register tile.
//
// A layout has four levels, innermost first: registers of a lane, lanes of a warp, warps of a
// block, blocks of a cluster. Each is a list of modes. The number of a register, a lane, .. is read
// as digits, one for each mode, the first mode the fastest; the cell is the sum of digit * stride
// over all modes of its axis. A mode of stride 0 replicates: all of them hold the cell. Cells
// beyond the extents of the tile do not exist.
//
// Layouts say what the runtime does (runtime/tk/tile/stripe.cuh, fragment.cuh); the fragment is
// that of wgmma's results (PTX ISA, "wgmma register fragments").
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/module.h"

namespace tkc::ir {

enum class Axis : std::uint8_t { row, col };

struct LayoutMode {
    Axis axis = Axis::row;
    std::int64_t extent = 1;
    std::int64_t stride = 0;

    friend bool operator==(const LayoutMode&, const LayoutMode&) = default;
};

struct Layout {
    std::int64_t rows = 1;  // of the tile
    std::int64_t cols = 1;
    std::vector<LayoutMode> registers, lanes, warps, blocks;

    friend bool operator==(const Layout&, const Layout&) = default;
};

// Of a register tile of `role`, whose layout has been assigned. One that has none yet, because
// nothing mentions it, is held by all threads.
Layout layout_of(const Role& role, Value tile);

// Threads that hold something or nothing: all of the layout's lanes, warps and blocks.
std::int64_t threads_of(const Layout& layout);
// Cells that each thread has registers for.
std::int64_t cells_of_thread(const Layout& layout);
// Whether some cells are held by several threads.
bool is_replicated(const Layout& layout);
// Whether several lanes of a warp hold a cell.
bool lanes_replicate(const Layout& layout);
// Whether several of each `count` warps that follow each other hold a cell.
bool warps_replicate(const Layout& layout, std::int64_t count);

// How far apart along the axis cells are that the same threads hold, wherever they lie: the step by
// which registers repeat all that the threads do. 0: there is no such step.
std::int64_t period_of(const Layout& layout, Axis axis);
// Whether cells of two tiles, laid on each other, are with the same threads. The tiles may be of
// different extents; a multiple of the periods may lie between them.
bool same_pattern(const Layout& a, const Layout& b);

// `register(col 2 1, row 2 8) lane(col 4 2, row 8 1) warp(row 4 16) block()`
std::string to_string(const Layout& layout);

}  // namespace tkc::ir
