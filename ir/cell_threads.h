// Which threads of a role touch which cells of a register tile when it moves to or from memory.
//
// This is the one place that answers it: the order of global memory (checks/memory_order.h) asks
// whether two accesses are by the same threads, and the scheduled emulator who does each part of an
// access. It says what the runtime does (runtime/tk/tile/stripe.cuh, fragment.cuh).
#pragma once

#include <cstdint>

#include "ir/module.h"

namespace tkc::ir {

class CellThreads {
public:
    // Of a register tile of `role`, whose layout has been assigned.
    CellThreads(const Role& role, Value tile);

    // Threads of the role, numbered from 0; of all blocks, where a row lies over a cluster.
    std::int64_t threads() const { return threads_; }
    // The one that writes the cell to memory.
    std::int64_t writer(std::int64_t row, std::int64_t col) const;
    // Whether `thread` holds the cell: if the tile is loaded, it reads it. A thread holds the
    // cells of some rows and some columns.
    bool holds(std::int64_t thread, std::int64_t row, std::int64_t col) const {
        return holds_row(thread, row) && holds_col(thread, col);
    }
    bool holds_row(std::int64_t thread, std::int64_t row) const;
    bool holds_col(std::int64_t thread, std::int64_t col) const;
    // Whether some cells are held by several threads.
    bool replicated() const { return row_repeats_ > 1 || col_repeats_ > 1; }

    // Whether cells of a tile that lies on this one are with the same threads wherever they lie on
    // each other: the other tile may be of another size. So they are, too, where it lies a
    // multiple of the periods further; 0: nowhere else.
    bool has_pattern_of(const CellThreads& other) const;
    std::int64_t row_period() const;
    std::int64_t col_period() const;

private:
    std::int64_t of_row(std::int64_t row) const;
    std::int64_t of_col(std::int64_t col) const;

    // The number of a thread is of_row + of_col, plus multiples of the steps below for those that
    // hold the same cell.
    Split split_ = Split::none;
    std::int64_t rows_ = 0;
    std::int64_t cols_ = 0;
    std::int64_t threads_ = 0;
    std::int64_t lanes_ = 0;         // of stripes: that share a row
    std::int64_t vector_ = 0;        // of stripes: neighbouring cells of a thread
    std::int64_t rows_of_part_ = 0;  // of fragments: rows of one warpgroup
    std::int64_t row_repeats_ = 1;
    std::int64_t col_repeats_ = 1;
};

}  // namespace tkc::ir
