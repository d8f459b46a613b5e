// Parts of tiles.
#include "emulator/tile.h"

#include <algorithm>

namespace tkc::emulator {

Tile::Tile(Dtype type, std::int64_t row_count, std::int64_t col_count)
    : dtype(type), rows(row_count), cols(col_count) {
    const auto count = static_cast<std::size_t>(rows * cols);
    with_cells(
        [&]<class Number>(std::vector<Number>& cells) { cells = std::vector<Number>(count); });
}

Tile part(const Tile& tile, std::int64_t row, std::int64_t rows, std::int64_t col,
          std::int64_t cols) {
    Tile result(tile.dtype, rows, cols);
    result.with_cells([&](auto& to) {
        const auto& from = tile.cells_like(to);
        for (std::int64_t r = 0; r < rows; ++r) {
            std::copy_n(from.begin() + (row + r) * tile.cols + col, cols, to.begin() + r * cols);
        }
    });
    return result;
}

}  // namespace tkc::emulator
