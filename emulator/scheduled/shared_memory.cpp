// Bytes of shared memory, and the order of accesses to them.
#include "emulator/scheduled/shared_memory.h"

#include <algorithm>

#include "ir/reflect.h"
#include "ir/swizzle.h"

namespace tkc::emulator {

std::int64_t SharedTile::panel_cols() const {
    return std::min(ir::panel_columns(all()), all().cols);
}

SharedMemory::SharedMemory(std::int64_t bytes, std::int64_t unit)
    : unit_(unit),
      bytes_(static_cast<std::size_t>(bytes), std::byte{0xff}),
      units_(static_cast<std::size_t>((bytes + unit - 1) / unit)),
      histories_(1) {
    histories_[0].units = static_cast<std::int64_t>(units_.size());
}

// Calls f(byte, row, first col, count) for the stretches of cells that lie side by side in memory.
template <class F>
void SharedMemory::for_each_run(const SharedTile& tile, const Cells& cells, F&& f) const {
    const ir::TileType& all = tile.all();
    const std::int64_t size = bytes(all.dtype);
    const std::int64_t width = tile.panel_cols();
    const std::int64_t col_end = cells.col + cells.cols;
    for (std::int64_t r = cells.row; r < cells.row + cells.rows; ++r) {
        for (std::int64_t c = cells.col; c < col_end;) {
            const std::int64_t first = (tile.col + c) / width * width;  // of the panel
            const std::int64_t next = std::min(col_end, first + width - tile.col);
            const std::int64_t here = std::min(width, all.cols - first);
            const std::int64_t cell =
                first * all.rows + (tile.row + r) * here + tile.col + c - first;
            f(tile.base + size * cell, r, c, next - c);
            c = next;
        }
    }
}

std::uint32_t SharedMemory::follow(std::uint32_t before, const Access& access) {
    if (free_.empty()) {
        free_.push_back(static_cast<std::uint32_t>(histories_.size()));
        histories_.emplace_back();
    }
    const std::uint32_t made = free_.back();
    free_.pop_back();
    const History& old = histories_[before];
    History& history = histories_[made];
    history.units = 0;
    history.touched = -1;
    history.write = access.write ? access : old.write;
    history.reads.clear();
    if (access.write) return made;
    // The most recent agents are first.
    const auto is_own = [&](const Access& read) { return read.event.agent == access.event.agent; };
    const auto own = std::find_if(old.reads.begin(), old.reads.end(), is_own);
    if (own == old.reads.end()) history.reads.push_back(access);
    history.reads.insert(history.reads.end(), old.reads.begin(), old.reads.end());
    if (own != old.reads.end())
        history.reads[static_cast<std::size_t>(own - old.reads.begin())] = access;
    return made;
}

std::optional<SharedMemory::Conflict> SharedMemory::touch(const SharedTile& tile,
                                                          const Cells& cells, const Access& access,
                                                          const Knowledge& known) {
    std::optional<Conflict> conflict;
    // Where a store is staged over an operand, lowering relies on warps reading their own rows of
    // it (lowering/sm90/lower_stores.cpp).
    const auto* staged = access.op == nullptr ? nullptr : ir::as<ir::WriteShared>(*access.op);
    const bool over_operand = staged != nullptr && staged->held;
    const auto check = [&](const Access& before, std::int64_t byte) {
        if (before.event.agent < 0 || conflict) return;
        if (over_operand && before.lanes == rows_of_others) return;
        const auto agent = static_cast<std::size_t>(before.event.agent);
        const bool crosses = before.proxy == Proxy::generic && access.proxy == Proxy::async;
        const Clock& clock = crosses ? known.fenced : known.happened;
        // What the warp's clock of global memory holds of itself is up to where its lanes last met.
        const bool own = before.event.agent == access.event.agent;
        const bool same_lanes =
            before.op == access.op || (before.lanes == access.lanes && access.lanes > 0);
        // What one instruction has read for all lanes, none of them can overwrite too early.
        const bool was_read = !before.write && before.lanes == lanes_together;
        const bool apart = own && !same_lanes && !was_read && access.proxy == Proxy::generic &&
                           before.event.time > known.global.happened[agent];
        if (before.event.time <= clock[agent] && !apart) return;
        conflict =
            Conflict{before, byte, !apart && before.event.time <= known.happened[agent], apart};
    };
    ++calls_;
    left_.clear();
    // For consecutive units with the same history.
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::int64_t count = 0;
    const auto move = [&] {
        histories_[from].units -= count;
        histories_[to].units += count;
        count = 0;
    };
    const auto note = [&](std::int64_t u) {
        std::uint32_t& unit = units_[static_cast<std::size_t>(u)];
        if (unit != from || count == 0) {
            move();
            from = unit;
            if (histories_[from].touched != calls_) {
                check(histories_[from].write, u * unit_);
                for (const Access& read : histories_[from].reads) {
                    if (access.write) check(read, u * unit_);
                }
                to = follow(from, access);
                histories_[from].touched = calls_;
                histories_[from].next = to;
                left_.push_back(from);
            }
            to = histories_[from].next;
        }
        unit = to;
        ++count;
    };
    const std::int64_t size = bytes(tile.type.dtype);
    for_each_run(tile, cells, [&](std::int64_t begin, std::int64_t, std::int64_t, std::int64_t n) {
        const std::int64_t first = begin / unit_;
        const std::int64_t last = (begin + n * size + unit_ - 1) / unit_;
        // Mostly all of a run has the history of the one before.
        std::uint32_t others = count == 0 ? 1 : 0;
        for (std::int64_t u = first; u < last; ++u)
            others |= units_[static_cast<std::size_t>(u)] ^ from;
        if (others == 0) {
            std::fill(units_.begin() + first, units_.begin() + last, to);
            count += last - first;
        } else {
            for (std::int64_t u = first; u < last; ++u) note(u);
        }
    });
    move();
    for (const std::uint32_t history : left_) {
        if (histories_[history].units == 0) free_.push_back(history);
    }
    return conflict;
}

void SharedMemory::read(const SharedTile& tile, const Cells& from, Tile& to, std::int64_t row,
                        std::int64_t col) const {
    const Dtype dtype = tile.type.dtype;
    to.with_cells([&](auto& cells) {
        for_each_run(tile, from,
                     [&](std::int64_t byte, std::int64_t r, std::int64_t c, std::int64_t count) {
                         const std::size_t first = to.at(row + r - from.row, col + c - from.col);
                         read_numbers(dtype, bytes_.data() + byte, cells.data() + first,
                                      static_cast<std::size_t>(count));
                     });
    });
}

void SharedMemory::write(const SharedTile& tile, const Cells& to, const Tile& from,
                         std::int64_t row, std::int64_t col) {
    const Dtype dtype = tile.type.dtype;
    from.with_cells([&](const auto& cells) {
        for_each_run(tile, to,
                     [&](std::int64_t byte, std::int64_t r, std::int64_t c, std::int64_t count) {
                         const std::size_t first = from.at(row + r - to.row, col + c - to.col);
                         write_numbers(dtype, cells.data() + first, bytes_.data() + byte,
                                       static_cast<std::size_t>(count));
                     });
    });
}

void SharedMemory::poison(const SharedTile& tile, const Cells& cells) {
    for_each_run(
        tile, cells, [&](std::int64_t byte, std::int64_t, std::int64_t, std::int64_t count) {
            std::fill_n(bytes_.begin() + byte, count * bytes(tile.type.dtype), std::byte{0xff});
        });
}

Cells cells_of_part(const ir::TileType& tile, ir::Split split, std::int64_t parts,
                    std::int64_t number) {
    const ir::TileType part = ir::part_of(tile, split, parts);
    const bool by_rows = split == ir::Split::rows;
    const bool by_columns = split == ir::Split::columns;
    return {by_rows ? number * part.rows : 0, part.rows, by_columns ? number * part.cols : 0,
            part.cols};
}

}  // namespace tkc::emulator
