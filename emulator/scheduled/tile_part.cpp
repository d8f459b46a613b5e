// Parts of tiles, as the layouts of the runtime have them.
#include "emulator/scheduled/tile_part.h"

#include <algorithm>

#include "ir/cell_threads.h"
#include "ir/walk.h"

namespace tkc::emulator {

namespace {

constexpr std::int64_t lanes_of_one_warp = 32;

std::vector<std::int64_t> numbers(std::int64_t first, std::int64_t count) {
    std::vector<std::int64_t> list;
    for (std::int64_t i = 0; i < count; ++i) list.push_back(first + i);
    return list;
}

// Which threads write the cells of a tile: the number of a cell's writer is a sum of what its row
// and what its column add.
struct Writers {
    ir::CellThreads threads;
    std::vector<std::int64_t> of_row, of_col;

    Writers(const ir::Role& role, ir::Value v) : threads(role, v) {
        const ir::TileType& tile = role.tile(v);
        const std::int64_t corner = threads.writer(0, 0);
        for (std::int64_t r = 0; r < tile.rows; ++r) of_row.push_back(threads.writer(r, 0));
        for (std::int64_t c = 0; c < tile.cols; ++c) {
            of_col.push_back(threads.writer(0, c) - corner);
        }
    }
};

// A warp's threads hold all columns of some rows, or some columns of one group of rows.
void add_cells_of_warp(const Writers& writers, const ir::TileType& tile, std::int64_t lanes,
                       std::int64_t warp, TilePart& part) {
    const std::int64_t first = lanes_of_one_warp * warp;
    for (std::int64_t r = 0; r < tile.rows; ++r) {
        bool holds = false;
        for (std::int64_t t = first; t < first + lanes_of_one_warp && !holds; t += lanes) {
            holds = writers.threads.holds_row(t, r);
        }
        if (holds) part.rows.push_back(r);
    }
    const bool all = tile.cols == 1 || lanes <= lanes_of_one_warp;
    for (std::int64_t c = 0; c < tile.cols; ++c) {
        const std::int64_t lane = writers.of_col[static_cast<std::size_t>(c)];
        if (all || lane / lanes_of_one_warp == first % lanes / lanes_of_one_warp)
            part.cols.push_back(c);
    }
}

TilePartPtr part_of(const ir::Role& role, ir::Value v, const Writers& writers,
                    std::int64_t process) {
    const ir::TileType& tile = role.tile(v);
    const ir::Split split = role[v].split;
    TilePart part;
    const bool stripes = split == ir::Split::stripes;
    if (stripes) {
        add_cells_of_warp(writers, tile, role.row_lanes, process, part);
    } else {
        const bool by_rows = split == ir::Split::rows && tile.rows != 1;
        const bool by_cols = split == ir::Split::columns && tile.cols != 1;
        const std::int64_t rows = by_rows ? tile.rows / role.width : tile.rows;
        const std::int64_t cols = by_cols ? tile.cols / role.width : tile.cols;
        part.rows = numbers(by_rows ? process * rows : 0, rows);
        part.cols = numbers(by_cols ? process * cols : 0, cols);
    }
    part.type = {tile.dtype, static_cast<std::int64_t>(part.rows.size()),
                 static_cast<std::int64_t>(part.cols.size()), ir::Space::registers};
    const std::int64_t lanes = stripes ? role.row_lanes : 4;
    part.many_lanes =
        writers.threads.replicated() &&
        ((tile.rows == 1 && lanes < lanes_of_one_warp) || (tile.cols == 1 && lanes > 1));
    part.many_warps = !stripes && tile.rows == 1;
    if (!part.rows.empty() && !part.cols.empty()) {
        for (const std::int64_t r : part.rows) {
            part.writer_row.push_back(writers.of_row[static_cast<std::size_t>(r)]);
        }
        for (const std::int64_t c : part.cols) {
            part.writer_col.push_back(writers.of_col[static_cast<std::size_t>(c)]);
        }
        const std::int64_t width = stripes ? lanes_of_one_warp : 4 * lanes_of_one_warp;
        part.writes = (part.writer_row[0] + part.writer_col[0]) / width == process;
    }
    for (std::size_t c = 0; c < part.cols.size(); ++c) {
        const auto at = static_cast<std::int64_t>(c);
        const bool joins = c > 0 && part.cols[c] == part.cols[c - 1] + 1;
        if (joins) ++part.runs.back().second;
        else part.runs.emplace_back(at, 1);
    }
    return std::make_shared<TilePart>(std::move(part));
}

std::int64_t processes_of(const ir::Role& role) {
    return ir::runs_in_one_lane(role) ? 1 : role.width * role.row_blocks;
}

}  // namespace

TileParts::TileParts(const ir::Kernel& kernel) {
    for (const ir::Role& role : kernel.roles) {
        const std::int64_t count = processes_of(role);
        auto& processes = parts_[role.name];
        processes.resize(static_cast<std::size_t>(count),
                         std::vector<TilePartPtr>(role.values.size()));
        // Tiles of one shape lie alike.
        using PartShape = std::tuple<ir::Split, Dtype, std::int64_t, std::int64_t>;
        std::map<PartShape, std::vector<TilePartPtr>> known;  // by process
        for (std::uint32_t id = 0; id < role.values.size(); ++id) {
            const auto* tile = std::get_if<ir::TileType>(&role.values[id].type);
            if (tile == nullptr || tile->space != ir::Space::registers) continue;
            const PartShape shape{role.values[id].split, tile->dtype, tile->rows, tile->cols};
            std::vector<TilePartPtr>& parts = known[shape];
            if (parts.empty()) {
                const Writers writers(role, ir::Value{id});
                for (std::int64_t p = 0; p < count; ++p) {
                    parts.push_back(part_of(role, ir::Value{id}, writers, p));
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

// f(cell of the part, cell of the whole, number of neighbours).
template <class F>
void for_each_stretch(const TilePart& part, std::int64_t whole_cols, const F& f) {
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
    for_each_stretch(part, whole.cols, [&](std::int64_t from, std::int64_t to, std::int64_t count) {
        if (tile.is_real()) std::copy_n(tile.reals.begin() + from, count, whole.reals.begin() + to);
        else std::copy_n(tile.integers.begin() + from, count, whole.integers.begin() + to);
    });
}

void take_part(const TilePart& part, const Tile& whole, Tile& tile) {
    for_each_stretch(part, whole.cols, [&](std::int64_t to, std::int64_t from, std::int64_t count) {
        if (tile.is_real()) std::copy_n(whole.reals.begin() + from, count, tile.reals.begin() + to);
        else std::copy_n(whole.integers.begin() + from, count, tile.integers.begin() + to);
    });
}

}  // namespace tkc::emulator
