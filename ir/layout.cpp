// Layouts of stripes and fragments, and what follows from their modes.
#include "ir/layout.h"

#include <fmt/format.h>

#include <algorithm>

namespace tkc::ir {

namespace {

constexpr std::int64_t lanes_of_warp = 32;
constexpr std::int64_t warps_of_warpgroup = 4;
constexpr std::int64_t rows_of_warp = 16;   // of each row block of a fragment
constexpr std::int64_t rows_of_block = 64;  // of wgmma's result: the rows of four warps

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// The modes of threads, in order, as those of lanes, warps and blocks.
void divide_threads(const std::vector<LayoutMode>& modes, std::int64_t warps, Layout& layout) {
    std::int64_t within = 1;  // threads that the modes so far number
    const auto level = [&]() -> std::vector<LayoutMode>& {
        if (within < lanes_of_warp) return layout.lanes;
        return within < lanes_of_warp * warps ? layout.warps : layout.blocks;
    };
    for (LayoutMode mode : modes) {
        for (const std::int64_t end : {lanes_of_warp, lanes_of_warp * warps}) {
            if (within >= end || within * mode.extent <= end) continue;
            const LayoutMode inner{mode.axis, end / within, mode.stride};
            level().push_back(inner);
            within = end;
            mode.extent /= inner.extent;
            mode.stride *= inner.extent;
        }
        if (mode.extent == 1) continue;
        level().push_back(mode);
        within *= mode.extent;
    }
}

// Rows over groups of threads, the lanes of a group over the cells of a row.
Layout stripe(const TileType& tile, const Role& role) {
    Layout made;
    made.rows = tile.rows;
    made.cols = tile.cols;
    const std::int64_t lanes = role.row_lanes;
    const std::int64_t groups = role.stripe_threads() / lanes;
    const std::int64_t vector = tile.cols == 1 ? 0 : role.row_vector;
    if (tile.cols != 1) {
        made.registers.push_back({Axis::col, vector, 1});
        made.registers.push_back({Axis::col, ceil_div(tile.cols, lanes * vector), lanes * vector});
    }
    if (tile.rows != 1) made.registers.push_back({Axis::row, ceil_div(tile.rows, groups), groups});
    divide_threads({{Axis::col, lanes, vector}, {Axis::row, groups, tile.rows == 1 ? 0 : 1}},
                   role.warps(), made);
    return made;
}

// wgmma's result: a quad of lanes holds pairs of columns of a row, eight quads eight rows, twice.
Layout fragment(const TileType& tile, const Role& role, Split split) {
    Layout made;
    made.rows = tile.rows;
    made.cols = tile.cols;
    const std::int64_t groups = role.warpgroups();
    const bool upright = tile.cols == 1;  // it goes with the rows of a tile
    const bool flat = tile.rows == 1;     // with its columns
    const std::int64_t cols = split == Split::columns && !upright ? tile.cols / groups : tile.cols;
    const std::int64_t rows = split == Split::rows && !flat ? tile.rows / groups : tile.rows;
    if (!upright) made.registers.push_back({Axis::col, 2, 1});
    if (!flat) made.registers.push_back({Axis::row, 2, 8});
    if (!upright) made.registers.push_back({Axis::col, ceil_div(cols, 8), 8});
    if (!flat) made.registers.push_back({Axis::row, ceil_div(rows, rows_of_block), rows_of_block});
    made.lanes = {{Axis::col, 4, upright ? 0 : 2}, {Axis::row, 8, flat ? 0 : 1}};
    made.warps = {{Axis::row, warps_of_warpgroup, flat ? 0 : rows_of_warp}};
    if (groups > 1) {
        if (split == Split::columns) made.warps.push_back({Axis::col, groups, upright ? 0 : cols});
        else made.warps.push_back({Axis::row, groups, split == Split::rows && !flat ? rows : 0});
    }
    return made;
}

Layout undivided(const TileType& tile, const Role& role) {
    Layout made;
    made.rows = tile.rows;
    made.cols = tile.cols;
    made.registers = {{Axis::col, tile.cols, 1}, {Axis::row, tile.rows, 1}};
    made.lanes = {{Axis::row, lanes_of_warp, 0}};
    made.warps = {{Axis::row, role.warps(), 0}};
    return made;
}

std::int64_t extent_of(const std::vector<LayoutMode>& modes) {
    std::int64_t extent = 1;
    for (const LayoutMode& mode : modes) extent *= mode.extent;
    return extent;
}

bool replicates(const std::vector<LayoutMode>& modes) {
    return std::any_of(modes.begin(), modes.end(),
                       [](const LayoutMode& m) { return m.stride == 0 && m.extent > 1; });
}

// The last register mode of the axis, if what comes before it on the axis lies within its stride.
const LayoutMode* repeating_mode(const Layout& layout, Axis axis) {
    const LayoutMode* last = nullptr;
    for (const LayoutMode& mode : layout.registers) {
        if (mode.axis == axis && (last == nullptr || mode.stride > last->stride)) last = &mode;
    }
    if (last == nullptr) return nullptr;
    std::int64_t reach = 1;  // from the first cell to behind the last one, without this mode
    for (const auto* level : {&layout.registers, &layout.lanes, &layout.warps, &layout.blocks}) {
        for (const LayoutMode& mode : *level) {
            if (mode.axis == axis && &mode != last) reach += (mode.extent - 1) * mode.stride;
        }
    }
    return reach <= last->stride ? last : nullptr;
}

// The registers without how often they repeat.
std::vector<LayoutMode> registers_once(const Layout& layout) {
    std::vector<LayoutMode> modes = layout.registers;
    for (const Axis axis : {Axis::row, Axis::col}) {
        const LayoutMode* repeating = repeating_mode(layout, axis);
        if (repeating != nullptr)
            modes[static_cast<std::size_t>(repeating - layout.registers.data())].extent = 1;
    }
    return modes;
}

std::string to_string(const std::vector<LayoutMode>& modes) {
    std::string text;
    for (const LayoutMode& m : modes) {
        text += fmt::format("{}{} {} {}", text.empty() ? "" : ", ",
                            m.axis == Axis::row ? "row" : "col", m.extent, m.stride);
    }
    return text;
}

}  // namespace

Layout layout_of(const Role& role, Value tile) {
    const TileType& type = role.tile(tile);
    switch (role[tile].split) {
        case Split::none: return undivided(type, role);
        case Split::stripes: return stripe(type, role);
        case Split::whole:
        case Split::rows:
        case Split::columns: return fragment(type, role, role[tile].split);
    }
    return {};
}

std::int64_t threads_of(const Layout& layout) {
    return extent_of(layout.lanes) * extent_of(layout.warps) * extent_of(layout.blocks);
}

std::int64_t cells_of_thread(const Layout& layout) { return extent_of(layout.registers); }

bool is_replicated(const Layout& layout) {
    return replicates(layout.lanes) || replicates(layout.warps) || replicates(layout.blocks);
}

bool lanes_replicate(const Layout& layout) { return replicates(layout.lanes); }

bool warps_replicate(const Layout& layout, std::int64_t count) {
    std::int64_t within = 1;
    for (const LayoutMode& mode : layout.warps) {
        if (within >= count) break;
        if (mode.stride == 0 && mode.extent > 1) return true;
        within *= mode.extent;
    }
    return false;
}

std::int64_t period_of(const Layout& layout, Axis axis) {
    const LayoutMode* mode = repeating_mode(layout, axis);
    return mode == nullptr ? 0 : mode->stride;
}

bool same_pattern(const Layout& a, const Layout& b) {
    return a.lanes == b.lanes && a.warps == b.warps && a.blocks == b.blocks &&
           registers_once(a) == registers_once(b);
}

std::string to_string(const Layout& layout) {
    return fmt::format("register({}) lane({}) warp({}) block({})", to_string(layout.registers),
                       to_string(layout.lanes), to_string(layout.warps), to_string(layout.blocks));
}

}  // namespace tkc::ir
