// The shared memory of a block: its bytes, and who touched them last.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/scheduled/knowledge.h"
#include "emulator/tile.h"
#include "ir/module.h"

namespace tkc::emulator {

// Which way an access goes.
enum class Proxy : std::uint8_t { generic, async };

// A tile in shared memory: where it begins and how it is laid out. Rows lie in panels as wide as
// the swizzle, one panel after the other. The swizzle itself permutes the 16-byte units of eight
// neighboring rows, the same for all who touch the tile, and is left out.
struct SharedTile {
    std::int64_t base = 0;  // bytes
    ir::TileType type;
    // Of a window: the tile that it is a part of, which begins at `base`, and where in it.
    ir::TileType whole{};
    std::int64_t row = 0;
    std::int64_t col = 0;

    SharedTile window(const ir::TileType& part, std::int64_t first_row,
                      std::int64_t first_col) const {
        return {base, part, all(), row + first_row, col + first_col};
    }
    const ir::TileType& all() const { return whole.rows == 0 ? type : whole; }

    std::int64_t panel_cols() const;
};

// Rectangle of a tile's cells.
struct Cells {
    std::int64_t row = 0, rows = 0, col = 0, cols = 0;
};
// Part `number` of a tile that is divided into `parts`; of `none`, all of it.
Cells cells_of_part(const ir::TileType& tile, ir::Split split, std::int64_t parts,
                    std::int64_t number);

class SharedMemory {
public:
    // `bytes` of NaNs: memory that was never written is NaN. Order is kept for units of `unit`
    // bytes.
    SharedMemory(std::int64_t bytes, std::int64_t unit);

    // An access as far as order is concerned.
    struct Access {
        Event event;
        Proxy proxy = Proxy::generic;
        bool write = false;
        const ir::Op* op = nullptr;
        // Which lane of a warp touches which byte: accesses of one warp with the same number from 1
        // on, or by the same operation, give each to the same lane. 0: not known.
        std::int32_t lanes = 0;
    };
    // All lanes in one instruction, for each other.
    static constexpr std::int32_t lanes_together = -1;
    // Of a product's operand `a`: rows of other warps, which this one's tensor core may read, too.
    static constexpr std::int32_t rows_of_others = -2;
    // Two accesses to the same bytes that nothing orders.
    struct Conflict {
        Access before;
        std::int64_t byte = 0;
        bool fence_missing = false;  // ordered, but for the other proxy
        bool of_lanes = false;       // of one warp, whose lanes have not met in between
    };
    // Notes an access of a warp that knows `known` to some cells of a tile. The first conflict, if
    // there is one.
    std::optional<Conflict> touch(const SharedTile& tile, const Cells& cells, const Access& access,
                                  const Knowledge& known);

    // To and from the cells of another tile that begin at [row, col].
    void read(const SharedTile& tile, const Cells& from, Tile& to, std::int64_t row = 0,
              std::int64_t col = 0) const;
    void write(const SharedTile& tile, const Cells& to, const Tile& from, std::int64_t row = 0,
               std::int64_t col = 0);
    // What is there is no number any more; no access of anybody.
    void poison(const SharedTile& tile, const Cells& cells);

    std::int64_t size() const { return static_cast<std::int64_t>(bytes_.size()); }

private:
    // What units have gone through. Most that lie side by side have gone through the same.
    struct History {
        Access write;  // the last one
        std::vector<Access>
            reads;  // since then, the latest of each agent; the most recent one is first
        std::int64_t units = 0;     // that have it
        std::int64_t touched = -1;  // by which call of `touch`,
        std::uint32_t next = 0;     // and the history of these units after it
    };
    // The history that follows on another by an access.
    std::uint32_t follow(std::uint32_t before, const Access& access);
    template <class F>
    void for_each_run(const SharedTile& tile, const Cells& cells, F&& f) const;

    std::int64_t unit_;
    std::vector<std::byte> bytes_;
    std::vector<std::uint32_t> units_;  // their histories
    std::vector<History> histories_;
    std::vector<std::uint32_t> free_;  // of `histories_`: no unit has them
    std::vector<std::uint32_t> left_;  // those that the units of this call had before it
    std::int64_t calls_ = 0;           // of `touch`
};

}  // namespace tkc::emulator
