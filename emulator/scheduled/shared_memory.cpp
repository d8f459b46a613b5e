// Bytes of shared memory, and the order of accesses to them.
#include "emulator/scheduled/shared_memory.h"

#include <algorithm>
#include <utility>

#include "ir/swizzle.h"

namespace tkc::emulator {

std::int64_t SharedTile::panel_cols() const {
    return std::min(ir::panel_columns(all()), all().cols);
}

std::int64_t SharedTile::at(std::int64_t of_row, std::int64_t of_col) const {
    const ir::TileType& tile = all();
    const std::int64_t width = panel_cols();
    const std::int64_t panel = (col + of_col) / width;
    const std::int64_t here = std::min(width, tile.cols - panel * width);
    return base + bytes(tile.dtype) *
                      (panel * width * tile.rows + (row + of_row) * here + (col + of_col) % width);
}

SharedMemory::SharedMemory(std::int64_t bytes, std::int64_t unit)
    : unit_(unit),
      bytes_(static_cast<std::size_t>(bytes), std::byte{0xff}),
      units_(static_cast<std::size_t>((bytes + unit - 1) / unit)) {}

// Calls f(row, first col, count) for the stretches of cells that lie side by side in memory.
template <class F>
void SharedMemory::for_each_run(const SharedTile& tile, const Cells& cells, F&& f) const {
    const std::int64_t width = tile.panel_cols();
    const std::int64_t col_end = cells.col + cells.cols;
    for (std::int64_t r = cells.row; r < cells.row + cells.rows; ++r) {
        for (std::int64_t c = cells.col; c < col_end;) {
            const std::int64_t panel_end = ((tile.col + c) / width + 1) * width - tile.col;
            const std::int64_t next = std::min(col_end, panel_end);
            f(r, c, next - c);
            c = next;
        }
    }
}

// A place among the unit's reads.
std::uint32_t SharedMemory::add_read(Unit& unit) {
    std::uint32_t made = free_;
    if (made == none) {
        made = static_cast<std::uint32_t>(reads_.size());
        reads_.emplace_back();
    } else {
        free_ = reads_[made].next;
    }
    reads_[made].next = std::exchange(unit.reads, made);
    return made;
}

std::optional<SharedMemory::Conflict> SharedMemory::touch(const SharedTile& tile,
                                                          const Cells& cells, const Access& access,
                                                          const Knowledge& known) {
    std::optional<Conflict> conflict;
    const auto check = [&](const Access& before, std::int64_t byte) {
        if (before.event.agent < 0 || conflict) return;
        const auto agent = static_cast<std::size_t>(before.event.agent);
        const bool crosses = before.proxy == Proxy::generic && access.proxy == Proxy::async;
        const Clock& clock = crosses ? known.fenced : known.happened;
        if (before.event.time <= clock[agent]) return;
        conflict = Conflict{before, byte, before.event.time <= known.happened[agent]};
    };
    for_each_run(tile, cells, [&](std::int64_t row, std::int64_t col, std::int64_t count) {
        const std::int64_t begin = tile.at(row, col);
        const std::int64_t end = begin + count * bytes(tile.type.dtype);
        for (std::int64_t u = begin / unit_; u * unit_ < end; ++u) {
            Unit& state = units_[static_cast<std::size_t>(u)];
            check(state.write, u * unit_);
            if (access.write) {
                std::uint32_t* end_of_reads = &state.reads;
                for (; *end_of_reads != none; end_of_reads = &reads_[*end_of_reads].next)
                    check(reads_[*end_of_reads].access, u * unit_);
                *end_of_reads = free_;
                free_ = std::exchange(state.reads, none);
                state.write = access;
                continue;
            }
            std::uint32_t same = state.reads;
            while (same != none && reads_[same].access.event.agent != access.event.agent)
                same = reads_[same].next;
            if (same == none) same = add_read(state);
            reads_[same].access = access;
        }
    });
    return conflict;
}

void SharedMemory::read(const SharedTile& tile, const Cells& from, Tile& to) const {
    const Dtype dtype = tile.type.dtype;
    for_each_run(tile, from, [&](std::int64_t row, std::int64_t col, std::int64_t count) {
        const std::byte* at = bytes_.data() + tile.at(row, col);
        const std::size_t first = to.at(row - from.row, col - from.col);
        to.with_cells([&](auto& cells) {
            read_numbers(dtype, at, cells.data() + first, static_cast<std::size_t>(count));
        });
    });
}

void SharedMemory::write(const SharedTile& tile, const Cells& to, const Tile& from) {
    const Dtype dtype = tile.type.dtype;
    for_each_run(tile, to, [&](std::int64_t row, std::int64_t col, std::int64_t count) {
        std::byte* at = bytes_.data() + tile.at(row, col);
        const std::size_t first = from.at(row - to.row, col - to.col);
        from.with_cells([&](const auto& cells) {
            write_numbers(dtype, cells.data() + first, at, static_cast<std::size_t>(count));
        });
    });
}

void SharedMemory::poison(const SharedTile& tile, const Cells& cells) {
    for_each_run(tile, cells, [&](std::int64_t row, std::int64_t col, std::int64_t count) {
        std::fill_n(bytes_.begin() + tile.at(row, col), count * bytes(tile.type.dtype),
                    std::byte{0xff});
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
