// Parts of tiles.
#include "emulator/tile.h"

#include <algorithm>

namespace tkc::emulator {

Tile part(const Tile& tile, std::int64_t row, std::int64_t rows, std::int64_t col,
          std::int64_t cols) {
    Tile result(tile.dtype, rows, cols);
    const auto copy = [&](const auto& from, auto& to) {
        for (std::int64_t r = 0; r < rows; ++r) {
            std::copy_n(from.begin() + (row + r) * tile.cols + col, cols, to.begin() + r * cols);
        }
    };
    if (tile.is_real()) copy(tile.reals, result.reals);
    else copy(tile.integers, result.integers);
    return result;
}

void put(const Tile& cells, Tile& tile, std::int64_t row, std::int64_t col) {
    const auto copy = [&](const auto& from, auto& to) {
        for (std::int64_t r = 0; r < cells.rows; ++r) {
            std::copy_n(from.begin() + r * cells.cols, cells.cols,
                        to.begin() + (row + r) * tile.cols + col);
        }
    };
    if (cells.is_real()) copy(cells.reals, tile.reals);
    else copy(cells.integers, tile.integers);
}

}  // namespace tkc::emulator
