// Which threads of a role touch which cells of a register tile when it moves to or from memory.
//
// This is the one place that answers it: the order of global memory
// (checks/scheduled/memory_order.h) asks whether two accesses are by the same threads, and the
// scheduled emulator who does each part of an access.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/layout.h"

namespace tkc::ir {

// The threads of a layout are numbered from 0: lanes fastest, then warps, then blocks. A thread
// holds the cells of some rows and some columns.
class CellThreads {
public:
    CellThreads(const Layout& layout, std::int64_t rows, std::int64_t cols);

    // The one that writes the cell to memory: the first of those that hold it.
    std::int64_t writer(std::int64_t row, std::int64_t col) const {
        return of_row(row) + of_col(col);
    }
    // A thread holds cells of the rows, and of the columns, whose of_row and of_col are these: of a
    // tile that is loaded, it reads them.
    std::int64_t rows_held_by(std::int64_t thread) const { return part(thread, rows_); }
    std::int64_t cols_held_by(std::int64_t thread) const { return part(thread, cols_); }
    bool holds(std::int64_t thread, std::int64_t row, std::int64_t col) const {
        return thread >= 0 && thread < threads_ && rows_held_by(thread) == of_row(row) &&
               cols_held_by(thread) == of_col(col);
    }
    // What the row, or the column, adds to the number of the writer.
    std::int64_t of_row(std::int64_t row) const { return of_row_[static_cast<std::size_t>(row)]; }
    std::int64_t of_col(std::int64_t col) const { return of_col_[static_cast<std::size_t>(col)]; }

private:
    // A digit of a thread's number: thread / place % extent.
    struct Digit {
        std::int64_t place = 1;
        std::int64_t extent = 1;
        std::int64_t stride = 0;
    };
    // What the digits add to the number of a thread.
    static std::int64_t part(std::int64_t thread, const std::vector<Digit>& digits);
    static std::vector<std::int64_t> threads_by_cell(const std::vector<Digit>& digits,
                                                     const std::vector<LayoutMode>& registers,
                                                     Axis axis, std::int64_t extent);

    std::int64_t threads_ = 0;
    std::vector<Digit> rows_, cols_;  // that choose rows, and columns
    std::vector<std::int64_t> of_row_, of_col_;
};

}  // namespace tkc::ir
