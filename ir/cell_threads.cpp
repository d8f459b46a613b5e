// Threads by cell, read off a layout.
#include "ir/cell_threads.h"

#include <utility>

namespace tkc::ir {

CellThreads::CellThreads(const Layout& layout, std::int64_t rows, std::int64_t cols)
    : threads_(threads_of(layout)) {
    std::int64_t place = 1;
    for (const auto* level : {&layout.lanes, &layout.warps, &layout.blocks}) {
        for (const LayoutMode& mode : *level) {
            if (mode.stride != 0)
                (mode.axis == Axis::row ? rows_ : cols_)
                    .push_back({place, mode.extent, mode.stride});
            place *= mode.extent;
        }
    }
    of_row_ = threads_by_cell(rows_, layout.registers, Axis::row, rows);
    of_col_ = threads_by_cell(cols_, layout.registers, Axis::col, cols);
}

std::int64_t CellThreads::part(std::int64_t thread, const std::vector<Digit>& digits) {
    std::int64_t sum = 0;
    for (const Digit& d : digits) sum += thread / d.place % d.extent * d.place;
    return sum;
}

// Goes through all that digits and registers can be.
std::vector<std::int64_t> CellThreads::threads_by_cell(const std::vector<Digit>& digits,
                                                       const std::vector<LayoutMode>& registers,
                                                       Axis axis, std::int64_t extent) {
    using Found = std::pair<std::int64_t, std::int64_t>;  // a cell, and what its thread is so far
    std::vector<Found> found{{0, 0}};
    const auto add = [&](std::int64_t count, std::int64_t stride, std::int64_t place) {
        std::vector<Found> next;
        for (const auto& [cell, thread] : found) {
            for (std::int64_t i = 0; i < count; ++i)
                next.emplace_back(cell + i * stride, thread + i * place);
        }
        found = std::move(next);
    };
    for (const Digit& d : digits) add(d.extent, d.stride, d.place);
    for (const LayoutMode& mode : registers) {
        if (mode.axis == axis) add(mode.extent, mode.stride, 0);
    }
    std::vector<std::int64_t> threads(static_cast<std::size_t>(extent));
    for (const auto& [cell, thread] : found) {
        if (cell < extent) threads[static_cast<std::size_t>(cell)] = thread;
    }
    return threads;
}

}  // namespace tkc::ir
