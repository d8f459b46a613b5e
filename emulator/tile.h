// Tiles on the CPU.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/number.h"
#include "ir/types.h"

namespace tkc::emulator {

// The cells of a tile, row by row: of a real type as floats that are numbers of that type, of any
// other as integers (bool: 0 and 1).
struct Tile {
    Dtype dtype = Dtype::f32;
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    std::vector<float> reals;
    std::vector<std::int64_t> integers;

    Tile() = default;
    // Of zeros.
    Tile(Dtype type, std::int64_t row_count, std::int64_t col_count)
        : dtype(type), rows(row_count), cols(col_count) {
        const auto count = static_cast<std::size_t>(rows * cols);
        if (tkc::is_real(type)) reals.resize(count);
        else integers.resize(count);
    }
    explicit Tile(const ir::TileType& type) : Tile(type.dtype, type.rows, type.cols) {}

    bool is_real() const { return tkc::is_real(dtype); }
    std::size_t at(std::int64_t row, std::int64_t col) const {
        return static_cast<std::size_t>(row * cols + col);
    }
};

// A tile that several names may hold. Who changes one that others hold too must say so to them:
// operations make new tiles.
using TilePtr = std::shared_ptr<Tile>;

// Rows [row, row + rows) and columns [col, col + cols) of `tile`.
Tile part(const Tile& tile, std::int64_t row, std::int64_t rows, std::int64_t col,
          std::int64_t cols);
// Writes a part to where it lies in a tile of the same dtype.
void put(const Tile& cells, Tile& tile, std::int64_t row, std::int64_t col);

}  // namespace tkc::emulator
