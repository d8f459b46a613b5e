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

    bool has_row(std::int64_t row) const {
        return row >= row_begin && row < row_end &&
               (rows.empty() || rows[static_cast<std::size_t>(row)] >= 0);
    }
    bool has_col(std::int64_t col) const {
        return col >= col_begin && col < col_end &&
               (cols.empty() || cols[static_cast<std::size_t>(col)] >= 0);
    }
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

// f(element, row, col) for every cell of a tile of `rows` x `cols` that lies inside.
template <class F>
void for_each_inside(const Window& window, std::int64_t rows, std::int64_t cols,
                     const Places& places, F&& f) {
    for (std::int64_t r = 0; r < rows; ++r) {
        const std::int64_t row = places.row(r);
        if (!window.has_row(row)) continue;
        for (std::int64_t c = 0; c < cols; ++c) {
            const std::int64_t col = places.col(c);
            if (!window.has_col(col)) continue;
            f(window.element(row, col), r, c);
        }
    }
}

}  // namespace tkc::emulator
