// Tiles on the CPU.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "emulator/number.h"
#include "ir/types.h"

namespace tkc::emulator {

// The cells of a tile, row by row: of f64 as doubles, of any other real type as floats that are
// numbers of that type, of any other as integers (bool: 0 and 1).
struct Tile {
    Dtype dtype = Dtype::f32;
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    std::vector<float> reals;
    std::vector<double> doubles;
    std::vector<std::int64_t> integers;

    // f(cells), with those of the three lists that has them.
    template <class F>
    decltype(auto) with_cells(F&& f) {
        if (dtype == Dtype::f64) return f(doubles);
        return is_real() ? f(reals) : f(integers);
    }
    template <class F>
    decltype(auto) with_cells(F&& f) const {
        if (dtype == Dtype::f64) return f(doubles);
        return is_real() ? f(reals) : f(integers);
    }

    Tile() = default;
    // Of zeros.
    Tile(Dtype type, std::int64_t row_count, std::int64_t col_count);
    explicit Tile(const ir::TileType& type) : Tile(type.dtype, type.rows, type.cols) {}

    bool is_real() const { return tkc::is_real(dtype); }
    // The list of such numbers.
    template <class Number>
    const std::vector<Number>& cells_as() const {
        if constexpr (std::is_same_v<Number, double>) return doubles;
        else if constexpr (std::is_same_v<Number, float>) return reals;
        else return integers;
    }
    // The numbers of the list of another tile of the same dtype.
    template <class Number>
    const std::vector<Number>& cells_like(const std::vector<Number>&) const {
        return cells_as<Number>();
    }
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

}  // namespace tkc::emulator
