// Layouts of stripes and fragments, and what follows from their modes.
#include "ir/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tkc::ir {

namespace {

constexpr std::int64_t most_cells = 1 << 20;  // along a mode: more than any tile has
constexpr std::int64_t rows_of_block = 64;    // of wgmma's result: the rows of four warps

// The levels by name, innermost first.
struct LayoutLevel {
    std::string_view name;
    std::vector<LayoutMode> Layout::*modes;
};
constexpr std::array<LayoutLevel, 4> levels{{{"register", &Layout::registers},
                                             {"lane", &Layout::lanes},
                                             {"warp", &Layout::warps},
                                             {"block", &Layout::blocks}}};

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

std::int64_t extent_of(const std::vector<LayoutMode>& modes) {
    std::int64_t extent = 1;
    for (const LayoutMode& mode : modes) extent *= mode.extent;
    return extent;
}

// The number of what the modes count, or more than `limit`.
std::int64_t cells_up_to(const std::vector<LayoutMode>& modes, std::int64_t limit) {
    std::int64_t extent = 1;
    for (const LayoutMode& mode : modes) {
        if (extent > limit) break;
        extent *= mode.extent;
    }
    return extent;
}

// In how many places each row (or column) of a tile lies, those that replicate it not counted.
std::vector<std::int64_t> places_by_cell(const Layout& layout, Axis axis, std::int64_t extent) {
    std::vector<std::int64_t> places(static_cast<std::size_t>(extent));
    std::vector<std::int64_t> reached{0};  // below the extent
    for (const LayoutLevel& level : levels) {
        for (const LayoutMode& mode : layout.*level.modes) {
            // In registers a stride of 0 would be a second place.
            const bool own = mode.stride != 0 || level.modes == &Layout::registers;
            if (mode.axis != axis || !own || mode.extent == 1) continue;
            std::vector<std::int64_t> next;
            for (const std::int64_t cell : reached) {
                for (std::int64_t i = 0; i < mode.extent && cell + i * mode.stride < extent; ++i)
                    next.push_back(cell + i * mode.stride);
                if (next.size() > static_cast<std::size_t>(2 * extent))
                    return std::vector<std::int64_t>(places.size(), 2);
            }
            reached = std::move(next);
        }
    }
    for (const std::int64_t cell : reached) {
        if (cell < extent) ++places[static_cast<std::size_t>(cell)];
    }
    return places;
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
    std::int64_t reach = 1;  // from the first cell to past the last one, without this mode
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

std::vector<LayoutMode>* level_of(Layout& layout, std::string_view name) {
    for (const LayoutLevel& level : levels) {
        if (level.name == name) return &(layout.*level.modes);
    }
    return nullptr;
}

Layout stripe_layout(std::int64_t rows, std::int64_t cols, const Stripes& stripes) {
    Layout made;
    const std::int64_t lanes = stripes.lanes;
    const std::int64_t groups = stripes.threads() / lanes;
    const std::int64_t vector = cols == 1 ? 0 : stripes.vector;
    if (cols != 1) {
        made.registers.push_back({Axis::col, vector, 1});
        made.registers.push_back({Axis::col, ceil_div(cols, lanes * vector), lanes * vector});
    }
    if (rows != 1) made.registers.push_back({Axis::row, ceil_div(rows, groups), groups});
    divide_threads({{Axis::col, lanes, vector}, {Axis::row, groups, rows == 1 ? 0 : 1}},
                   stripes.warps, made);
    return made;
}

// A quad of lanes holds pairs of columns of a row, eight quads eight rows, twice.
Layout fragment_layout(std::int64_t rows, std::int64_t cols, std::int64_t groups,
                       std::optional<Axis> divided) {
    Layout made;
    const bool upright = cols == 1;  // it goes with the rows of a tile
    const bool flat = rows == 1;     // with its columns
    const std::int64_t part_cols = divided == Axis::col && !upright ? cols / groups : cols;
    const std::int64_t part_rows = divided == Axis::row && !flat ? rows / groups : rows;
    if (!upright) made.registers.push_back({Axis::col, 2, 1});
    if (!flat) made.registers.push_back({Axis::row, 2, 8});
    if (!upright) made.registers.push_back({Axis::col, ceil_div(part_cols, 8), 8});
    if (!flat)
        made.registers.push_back({Axis::row, ceil_div(part_rows, rows_of_block), rows_of_block});
    made.lanes = {{Axis::col, 4, upright ? 0 : 2}, {Axis::row, 8, flat ? 0 : 1}};
    made.warps = {{Axis::row, warps_of_warpgroup, flat ? 0 : rows_of_warp}};
    if (groups > 1) {
        if (divided == Axis::col)
            made.warps.push_back({Axis::col, groups, upright ? 0 : part_cols});
        else made.warps.push_back({Axis::row, groups, divided && !flat ? part_rows : 0});
    }
    return made;
}

Layout fragment_lines(std::int64_t rows, std::int64_t groups) {
    constexpr std::int64_t cells = 4;  // of 8 columns of a fragment
    Layout made = stripe_layout(rows / groups, cells_of_line,
                                {warps_of_warpgroup, 1, cells_of_line / cells, cells});
    if (groups > 1) made.warps.push_back({Axis::row, groups, rows / groups});
    return made;
}

Layout warp_fragment_layout(std::int64_t rows, std::int64_t cols, const WarpGrid& warps) {
    Layout made;
    const bool upright = cols == 1;
    const bool flat = rows == 1;
    const std::int64_t groups = ceil_div(cols, 8 * warps.cols);  // of 8 columns, of a warp
    const std::int64_t step = rows_of_warp * warps.rows;
    if (!upright) made.registers.push_back({Axis::col, 2, 1});
    if (!flat) made.registers.push_back({Axis::row, 2, 8});
    if (!upright) made.registers.push_back({Axis::col, groups, 8});
    if (!flat) made.registers.push_back({Axis::row, ceil_div(rows, step), step});
    made.lanes = {{Axis::col, 4, upright ? 0 : 2}, {Axis::row, 8, flat ? 0 : 1}};
    made.warps = {{Axis::col, warps.cols, upright ? 0 : 8 * groups},
                  {Axis::row, warps.rows, flat ? 0 : rows_of_warp}};
    return made;
}

std::optional<WarpGrid> warp_grid_of(const Layout& layout, std::int64_t rows, std::int64_t cols) {
    if (layout.warps.size() != 2) return std::nullopt;
    const WarpGrid grid{layout.warps[1].extent, layout.warps[0].extent};
    if (layout != warp_fragment_layout(rows, cols, grid)) return std::nullopt;
    return grid;
}

Layout whole_layout(std::int64_t rows, std::int64_t cols, std::int64_t warps) {
    Layout made;
    made.registers = {{Axis::col, cols, 1}, {Axis::row, rows, 1}};
    made.lanes = {{Axis::row, lanes_of_warp, 0}};
    made.warps = {{Axis::row, warps, 0}};
    return made;
}

std::int64_t threads_of(const Layout& layout) {
    return extent_of(layout.lanes) * extent_of(layout.warps) * extent_of(layout.blocks);
}

std::int64_t blocks_of(const Layout& layout) { return extent_of(layout.blocks); }

std::int64_t cells_of_thread(const Layout& layout) { return extent_of(layout.registers); }

std::int64_t vector_of(const Layout& layout) {
    if (layout.registers.empty()) return 1;
    const LayoutMode& first = layout.registers.front();
    return first.axis == Axis::col && first.stride == 1 ? first.extent : 1;
}

std::int64_t threads_along(const Layout& layout, Axis axis) {
    std::int64_t threads = 1;
    for (const auto* level : {&layout.lanes, &layout.warps, &layout.blocks}) {
        for (const LayoutMode& mode : *level) threads *= mode.axis == axis ? mode.extent : 1;
    }
    return threads;
}

std::int64_t lanes_along(const Layout& layout, Axis axis) {
    std::int64_t lanes = 1;
    for (const LayoutMode& mode : layout.lanes) lanes *= mode.axis == axis ? mode.extent : 1;
    return lanes;
}

bool crosses_warps(const Layout& layout, Axis axis) {
    const auto crosses = [&](const LayoutMode& m) { return m.axis == axis && m.extent > 1; };
    return std::any_of(layout.warps.begin(), layout.warps.end(), crosses) ||
           std::any_of(layout.blocks.begin(), layout.blocks.end(), crosses);
}

bool is_held_by_all(const Layout& layout) {
    const auto alike = [](const std::vector<LayoutMode>& modes) {
        return std::all_of(modes.begin(), modes.end(),
                           [](const LayoutMode& m) { return m.stride == 0 || m.extent == 1; });
    };
    return alike(layout.lanes) && alike(layout.warps) && alike(layout.blocks);
}

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

namespace {

// Where the numbers of the modes lie along the axis, those of the other one left out.
std::vector<std::int64_t> positions(const std::vector<LayoutMode>& modes, Axis axis) {
    std::vector<std::int64_t> reached{0};
    for (const LayoutMode& mode : modes) {
        if (mode.axis != axis) continue;
        std::vector<std::int64_t> next;
        for (std::int64_t i = 0; i < mode.extent; ++i) {
            for (const std::int64_t cell : reached) next.push_back(cell + i * mode.stride);
        }
        reached = std::move(next);
    }
    return reached;
}

bool same_digits(std::vector<LayoutMode> a, std::vector<LayoutMode> b) {
    for (auto* modes : {&a, &b})
        std::erase_if(*modes, [](const LayoutMode& m) { return m.extent == 1; });
    return a == b;
}

// The place of the first, if all of `part`, moved by `by`, follow each other in `whole`.
std::optional<std::int64_t> place_among(const std::vector<std::int64_t>& whole,
                                        const std::vector<std::int64_t>& part, std::int64_t by) {
    std::vector<std::int64_t> moved;
    for (const std::int64_t cell : part) moved.push_back(cell + by);
    const auto found = std::search(whole.begin(), whole.end(), moved.begin(), moved.end());
    if (found == whole.end()) return std::nullopt;
    return found - whole.begin();
}

}  // namespace

std::optional<PlaceInThread> place_in_thread(const Layout& whole, const Layout& part,
                                             std::int64_t row, std::int64_t col) {
    for (const auto level : {&Layout::lanes, &Layout::warps, &Layout::blocks})
        if (!same_digits(whole.*level, part.*level)) return std::nullopt;
    const auto place = [&](Axis axis, std::int64_t by) {
        return place_among(positions(whole.registers, axis), positions(part.registers, axis), by);
    };
    const std::optional<std::int64_t> rows = place(Axis::row, row);
    const std::optional<std::int64_t> cols = place(Axis::col, col);
    if (!rows || !cols) return std::nullopt;
    return PlaceInThread{*rows, *cols};
}

Layout along(const Layout& layout, std::int64_t rows, std::int64_t cols) {
    const auto is_single = [&](const LayoutMode& m) {
        return (m.axis == Axis::row ? rows : cols) == 1;
    };
    Layout made = layout;
    std::erase_if(made.registers, is_single);
    for (auto* level : {&made.lanes, &made.warps, &made.blocks}) {
        for (LayoutMode& mode : *level) {
            if (is_single(mode)) mode.stride = 0;
        }
    }
    return made;
}

std::string problem_of(const Layout& layout, std::int64_t rows, std::int64_t cols,
                       std::int64_t warps) {
    for (const LayoutLevel& level : levels) {
        for (const LayoutMode& mode : layout.*level.modes) {
            if (mode.extent < 1 || mode.extent > most_cells || mode.stride < 0 ||
                mode.stride > most_cells)
                return fmt::format("a mode of {} by {}", mode.extent, mode.stride);
        }
        if (cells_up_to(layout.*level.modes, most_cells) > most_cells)
            return fmt::format("its {}s are too many", level.name);
    }
    if (extent_of(layout.lanes) != lanes_of_warp)
        return fmt::format("{} lanes", extent_of(layout.lanes));
    if (extent_of(layout.warps) != warps)
        return fmt::format("{} warps for {}", extent_of(layout.warps), warps);
    if (rows < 1 || cols < 1 || rows > most_cells || cols > most_cells)
        return fmt::format("{} rows of {} cells", rows, cols);
    for (const auto& [axis, extent] : {std::pair{Axis::row, rows}, {Axis::col, cols}}) {
        const std::vector<std::int64_t> places = places_by_cell(layout, axis, extent);
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (places[i] != 1)
                return fmt::format("{} {} has {} places", axis == Axis::row ? "row" : "column", i,
                                   places[i]);
        }
    }
    return "";
}

std::string to_string(const Layout& layout) {
    std::string text;
    for (const LayoutLevel& level : levels) {
        const std::vector<LayoutMode>& modes = layout.*level.modes;
        if (modes.empty()) continue;
        text += fmt::format("{}{}({})", text.empty() ? "" : " ", level.name, to_string(modes));
    }
    return text;
}

}  // namespace tkc::ir
