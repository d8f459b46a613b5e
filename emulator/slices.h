// Tiles from and to tensors in global memory.
#pragma once

#include <optional>
#include <vector>

#include "emulator/elementwise.h"
#include "emulator/environment.h"
#include "emulator/tile.h"
#include "ir/module.h"
#include "ir/store_rules.h"

namespace tkc::emulator {

// A slice at one place: where the cells of its tile lie, and which of them lie inside the tensor.
// Elements are counted from the start of the tensor's storage.
struct Window {
    std::int64_t corner = 0;  // the element of cell [0, 0], inside or not
    std::int64_t row_stride = 0;
    std::int64_t col_stride = 0;
    // Rows [row_begin, row_end) and columns [col_begin, col_end) lie inside.
    std::int64_t row_begin = 0, row_end = 0;
    std::int64_t col_begin = 0, col_end = 0;
    // Of a gather: the position of each row, or of each column; -1: it lies outside.
    std::vector<std::int64_t> rows{};
    std::vector<std::int64_t> cols{};

    std::int64_t element(std::int64_t row, std::int64_t col) const {
        const auto place = [](const std::vector<std::int64_t>& listed, std::int64_t at) {
            return listed.empty() ? at : listed[static_cast<std::size_t>(at)];
        };
        return corner + place(rows, row) * row_stride + place(cols, col) * col_stride;
    }
};

// A position that the window's list names twice.
std::optional<std::int64_t> listed_twice(const Window& window);

// Where a window ends: at the edges that the slice names, or, for TMA, at those of the tensor
// alone.
enum class Edges : std::uint8_t { named, of_tensor };

// The window of `rows` x `cols` cells that `slice` cuts out of `tensor`.
Window window_of(const ir::Slice& slice, const Tensor& tensor, std::int64_t rows, std::int64_t cols,
                 const Environment& env, Edges edges = Edges::named);
// The same from row `first_row` and column `first_col` of the window on.
Window shifted(Window w, std::int64_t first_row, std::int64_t first_col);

// Fills `tile` with the cells of the window, zeros outside of the tensor. `places`: those that the
// tile's cells are in the window.
void read_window(const Tensor& tensor, const Window& window, Tile& tile, const Places& places = {});
// Stores the cells of `tile` that lie inside, as the rules say.
void write_window(Tensor& tensor, const Window& window, const Tile& tile, const Places& places = {},
                  const ir::StoreRules& rules = ir::rules_of_stores(ir::Mode::out));

// Cells of a line of a tile, neighbors of each other, that lie at places one after the other.
struct ContiguousRange {
    std::int64_t first = 0;  // cell
    std::int64_t place = 0;
    std::int64_t count = 0;
};
// Those of the cells [0, length) that lie inside [begin, end), and in the list if there is one.
std::vector<ContiguousRange> contiguous_ranges_of(std::int64_t length,
                                                  const std::vector<std::int64_t>* places,
                                                  std::int64_t begin, std::int64_t end,
                                                  const std::vector<std::int64_t>& listed);

// f(element, step, row, col, count) for the cells of a tile of `rows` x `cols` that lie inside:
// `count` neighbors of the tile's memory at once, `step` elements from one to the next. They are
// cells of a row, or of the only column.
template <class F>
void for_each_contiguous_range(const Window& w, std::int64_t rows, std::int64_t cols,
                               const Places& places, F&& f) {
    const std::vector<ContiguousRange> down =
        contiguous_ranges_of(rows, places.rows, w.row_begin, w.row_end, w.rows);
    const std::vector<ContiguousRange> across =
        contiguous_ranges_of(cols, places.cols, w.col_begin, w.col_end, w.cols);
    if (cols == 1 && !across.empty()) {
        const std::int64_t corner = w.corner + across[0].place * w.col_stride;
        for (const ContiguousRange& s : down)
            f(corner + s.place * w.row_stride, w.row_stride, s.first, std::int64_t{0}, s.count);
        return;
    }
    for (const ContiguousRange& r : down) {
        for (std::int64_t i = 0; i < r.count; ++i) {
            const std::int64_t corner = w.corner + (r.place + i) * w.row_stride;
            for (const ContiguousRange& s : across)
                f(corner + s.place * w.col_stride, w.col_stride, r.first + i, s.first, s.count);
        }
    }
}

// f(element, row, col) for every cell of a tile of `rows` x `cols` that lies inside.
template <class F>
void for_each_inside(const Window& window, std::int64_t rows, std::int64_t cols,
                     const Places& places, F&& f) {
    const std::int64_t down = cols == 1 ? 1 : 0;
    for_each_contiguous_range(window, rows, cols, places,
                              [&](std::int64_t element, std::int64_t step, std::int64_t row,
                                  std::int64_t col, std::int64_t count) {
                                  for (std::int64_t i = 0; i < count; ++i)
                                      f(element + i * step, row + i * down, col + i * (1 - down));
                              });
}

}  // namespace tkc::emulator
