// Who holds which cell of a register tile.
//
// A layout has four levels, innermost first: registers of a lane, lanes of a warp, warps of a
// role in one block, blocks of a cluster. Each is a list of modes. The number of a register, a
// lane, .. is read as digits, one for each mode, the first mode the fastest; the cell is the sum of
// digit * stride over all modes of its axis. A mode of stride 0 replicates: all of them hold the
// cell. Cells beyond the extents of the tile do not exist.
//
// Layouts say what the runtime does (runtime/tk/tile/register_layout.cuh); the fragment is that of
// wgmma's results (PTX ISA, "wgmma register fragments").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/warps.h"

namespace tkc::ir {

enum class Axis : std::uint8_t { row, col };

struct LayoutMode {
    Axis axis = Axis::row;
    std::int64_t extent = 1;
    std::int64_t stride = 0;

    friend bool operator==(const LayoutMode&, const LayoutMode&) = default;
};

struct Layout {
    std::vector<LayoutMode> registers, lanes, warps, blocks;

    // Whether none has been assigned: every layout has 32 lanes.
    bool empty() const { return lanes.empty(); }
    friend bool operator==(const Layout&, const Layout&) = default;
};

// A level by the name that it has in the text form; null for what is none.
std::vector<LayoutMode>* level_of(Layout& layout, std::string_view name);

// ---- layouts that roles use

// Rows over groups of threads of `warps` warps in each of `blocks` blocks. `lanes` threads share a
// row, in vectors of `vector` neighboring cells. A tile of one row is held by every group, a tile
// of one column by every thread of a group.
struct Stripes {
    std::int64_t warps = 1;
    std::int64_t blocks = 1;
    std::int64_t lanes = lanes_of_warp;
    std::int64_t vector = 1;

    std::int64_t threads() const { return lanes_of_warp * warps * blocks; }
};
Layout stripe_layout(std::int64_t rows, std::int64_t cols, const Stripes& stripes);

// wgmma's result, for each of `groups` warpgroups. `divided`: the axis that they divide among them;
// without one each has the whole tile. A tile of one row goes with the columns of a larger one, and
// one of one column with its rows.
Layout fragment_layout(std::int64_t rows, std::int64_t cols, std::int64_t groups,
                       std::optional<Axis> divided);

// The same registers read as rows of 32 cells (`fragments`): a warp has four rows at a time, and
// each of `groups` warpgroups the same number of rows, one after the other.
inline constexpr std::int64_t cells_of_line = 32;
Layout fragment_lines(std::int64_t rows, std::int64_t groups);

// The warps of a role over the rows and the columns of its products, which each of them does alone:
// a warp multiplies blocks of 16 rows, `rows` of them apart, by its part of the columns.
struct WarpGrid {
    std::int64_t rows = 1;
    std::int64_t cols = 1;

    friend bool operator==(const WarpGrid&, const WarpGrid&) = default;
};
// The results of mma.sync (PTX ISA, "matrix fragments for mma.m16n8k16"), and what is computed
// next to them. Warps that follow each other have neighboring columns. A tile of one row goes with
// the columns of a larger one, and one of one column with its rows.
Layout warp_fragment_layout(std::int64_t rows, std::int64_t cols, const WarpGrid& warps);
// The grid of which that is the layout; nothing: it is none of these.
std::optional<WarpGrid> warp_grid_of(const Layout& layout, std::int64_t rows, std::int64_t cols);

// All threads hold all cells.
Layout whole_layout(std::int64_t rows, std::int64_t cols, std::int64_t warps);

// ---- what follows from a layout

// Threads that hold something or nothing: all of the layout's lanes, warps and blocks.
std::int64_t threads_of(const Layout& layout);
// Blocks of a cluster over which the tile lies.
std::int64_t blocks_of(const Layout& layout);
// Cells that each thread has registers for.
std::int64_t cells_of_thread(const Layout& layout);
// Neighboring cells of a row that a thread holds at least.
std::int64_t vector_of(const Layout& layout);
// Threads that share a row (`Axis::col`: their numbers choose the column), or a column.
std::int64_t threads_along(const Layout& layout, Axis axis);
// The lanes of a warp among them.
std::int64_t lanes_along(const Layout& layout, Axis axis);
// Whether what lies along the axis lies over several warps.
bool crosses_warps(const Layout& layout, Axis axis);
// Whether all threads hold the same cells.
bool is_held_by_all(const Layout& layout);
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

// How many rows and columns of a thread lie before those of a part of its tile.
struct PlaceInThread {
    std::int64_t row = 0;
    std::int64_t col = 0;
};
// Where each thread has the cells of `part`, the part from [row, col] on of a tile of layout
// `whole`: the same place in all. Nothing: some are with other threads, or in other places.
std::optional<PlaceInThread> place_in_thread(const Layout& whole, const Layout& part,
                                             std::int64_t row, std::int64_t col);

// The layout of a row or a column that goes with a tile of this one: where it has one row or
// column, what chose them replicates.
Layout along(const Layout& layout, std::int64_t rows, std::int64_t cols);

// What is wrong with a layout of a tile of a role of so many warps; empty: nothing. Every cell has
// one place in one thread, or the same in each of those that replicate it.
std::string problem_of(const Layout& layout, std::int64_t rows, std::int64_t cols,
                       std::int64_t warps);

// `register(col 2 1, row 2 8) lane(col 4 2, row 8 1) warp(row 4 16)`: levels without modes are left
// out.
std::string to_string(const Layout& layout);

}  // namespace tkc::ir
