// Parts of tiles.
#include "emulator/tile.h"

#include <algorithm>

namespace tkc::emulator {

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

void put(const Tile& cells, Tile& tile, std::int64_t row, std::int64_t col) {
    tile.with_cells([&](auto& to) {
        const auto& from = cells.cells_like(to);
        for (std::int64_t r = 0; r < cells.rows; ++r) {
            std::copy_n(from.begin() + r * cells.cols, cells.cols,
                        to.begin() + (row + r) * tile.cols + col);
        }
    });
}

}  // namespace tkc::emulator
