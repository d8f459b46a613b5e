// Parts of tiles, as the layouts of the runtime have them.
#include "emulator/scheduled/tile_part.h"

#include <algorithm>

#include "ir/cell_threads.h"
#include "ir/walk.h"
#include "ir/warps.h"

namespace tkc::emulator {

namespace {

// Whether lanes move the cells of others to and from shared memory: 8 x 8 matrices of 16 bits, as
// the fragments of products lie (runtime/tk/ptx/matrix.cuh).
bool may_move_matrices(const ir::TileType& tile, const ir::Layout& layout) {
    const std::vector<ir::LayoutMode> fragment{{ir::Axis::col, 4, 2}, {ir::Axis::row, 8, 1}};
    return bits_of(tile.dtype) == 16 && layout.lanes == fragment;
}

// The cells of a tile that the threads of a process hold.
TilePartPtr part_of(const ir::TileType& tile, const ir::Layout& layout,
                    const ir::CellThreads& threads, std::int64_t warps, std::int64_t process,
                    std::int32_t lanes) {
    const std::int64_t count = ir::lanes_of_warp * warps;
    const std::int64_t first = count * process;
    TilePart part;
    // What its threads hold, by what rows and columns add to the number of a writer.
    const auto all = static_cast<std::size_t>(ir::threads_of(layout));
    std::vector<char> rows(all), cols(all);
    for (std::int64_t t = first; t < first + count; ++t) {
        rows[static_cast<std::size_t>(threads.rows_held_by(t))] = 1;
        cols[static_cast<std::size_t>(threads.cols_held_by(t))] = 1;
    }
    for (std::int64_t r = 0; r < tile.rows; ++r) {
        if (rows[static_cast<std::size_t>(threads.of_row(r))] == 0) continue;
        part.rows.push_back(r);
        part.writer_row.push_back(threads.of_row(r));
    }
    for (std::int64_t c = 0; c < tile.cols; ++c) {
        if (cols[static_cast<std::size_t>(threads.of_col(c))] == 0) continue;
        part.cols.push_back(c);
        part.writer_col.push_back(threads.of_col(c));
    }
    part.type = {tile.dtype, static_cast<std::int64_t>(part.rows.size()),
                 static_cast<std::int64_t>(part.cols.size()), ir::Space::registers};
    part.lanes = lanes;
    part.moves_matrices = may_move_matrices(tile, layout);
    part.period = ir::period_of(layout, ir::Axis::col);
    part.many_lanes = ir::lanes_replicate(layout);
    part.many_warps = ir::warps_replicate(layout, warps);
    if (!part.rows.empty() && !part.cols.empty())
        part.writes = (part.writer_row[0] + part.writer_col[0]) / count == process;
    for (std::size_t c = 0; c < part.cols.size(); ++c) {
        const auto at = static_cast<std::int64_t>(c);
        const bool joins = c > 0 && part.cols[c] == part.cols[c - 1] + 1;
        if (joins) ++part.runs.back().second;
        else part.runs.emplace_back(at, 1);
    }
    return std::make_shared<TilePart>(std::move(part));
}

std::int64_t processes_of(const ir::Role& role) {
    return ir::runs_in_one_lane(role) ? 1 : role.width * ir::blocks_of(role);
}

}  // namespace

TileParts::TileParts(const ir::Kernel& kernel) {
    std::map<std::pair<std::string, std::int64_t>, std::int32_t> lanes;  // by layout and bytes
    for (const ir::Role& role : kernel.roles) {
        const std::int64_t count = processes_of(role);
        auto& processes = parts_[role.name];
        processes.resize(static_cast<std::size_t>(count),
                         std::vector<TilePartPtr>(role.values.size()));
        // Tiles of one shape and layout have the same parts.
        using PartShape = std::tuple<std::string, Dtype, std::int64_t, std::int64_t>;
        std::map<PartShape, std::vector<TilePartPtr>> known;  // by process
        for (std::uint32_t id = 0; id < role.values.size(); ++id) {
            const auto* tile = std::get_if<ir::TileType>(&role.values[id].type);
            if (tile == nullptr || tile->space != ir::Space::registers) continue;
            const ir::Layout layout = ir::layout_of(role, ir::Value{id});
            const PartShape shape{ir::to_string(layout), tile->dtype, tile->rows, tile->cols};
            std::vector<TilePartPtr>& parts = known[shape];
            if (parts.empty()) {
                const ir::CellThreads threads(layout, tile->rows, tile->cols);
                const std::int64_t warps = role.unit == ir::Unit::warp ? 1 : ir::warps_of_warpgroup;
                std::int32_t number = 0;
                if (!ir::is_replicated(layout) && !may_move_matrices(*tile, layout)) {
                    const auto next = static_cast<std::int32_t>(lanes.size() + 1);
                    number = lanes.try_emplace({std::get<0>(shape), bytes(tile->dtype)}, next)
                                 .first->second;
                }
                for (std::int64_t p = 0; p < count; ++p) {
                    parts.push_back(part_of(*tile, layout, threads, warps, p, number));
                }
            }
            for (std::size_t p = 0; p < processes.size(); ++p) processes[p][id] = parts[p];
        }
    }
}

const std::vector<TilePartPtr>& TileParts::of(const ir::Role& role, std::int64_t process) const {
    return parts_.at(role.name)[static_cast<std::size_t>(process)];
}

namespace {

// f(cell of the part, cell of the whole, number of neighbors).
template <class F>
void for_each_contiguous_range(const TilePart& part, std::int64_t whole_cols, const F& f) {
    const auto width = static_cast<std::int64_t>(part.cols.size());
    for (std::size_t i = 0; i < part.rows.size(); ++i) {
        for (const auto& [first, count] : part.runs) {
            f(static_cast<std::int64_t>(i) * width + first,
              part.rows[i] * whole_cols + part.cols[static_cast<std::size_t>(first)], count);
        }
    }
}

}  // namespace

void put_part(const TilePart& part, const Tile& tile, Tile& whole) {
    for_each_contiguous_range(
        part, whole.cols, [&](std::int64_t from, std::int64_t to, std::int64_t count) {
            whole.with_cells([&](auto& cells) {
                std::copy_n(tile.cells_like(cells).begin() + from, count, cells.begin() + to);
            });
        });
}

void take_part(const TilePart& part, const Tile& whole, Tile& tile) {
    for_each_contiguous_range(
        part, whole.cols, [&](std::int64_t to, std::int64_t from, std::int64_t count) {
            tile.with_cells([&](auto& cells) {
                std::copy_n(whole.cells_like(cells).begin() + from, count, cells.begin() + to);
            });
        });
}

}  // namespace tkc::emulator
