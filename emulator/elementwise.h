// Elementwise operations on whole tiles.
#pragma once

#include <vector>

#include "emulator/environment.h"
#include "emulator/tile.h"

namespace tkc::emulator {

// Rows and columns of a role's tile that the rows and columns of a part of it are; null: the same.
struct Places {
    const std::vector<std::int64_t>* rows = nullptr;
    const std::vector<std::int64_t>* cols = nullptr;
    std::int64_t row(std::int64_t i) const { return at(rows, i); }
    std::int64_t col(std::int64_t i) const { return at(cols, i); }

private:
    static std::int64_t at(const std::vector<std::int64_t>* list, std::int64_t i) {
        return list == nullptr ? i : (*list)[static_cast<std::size_t>(i)];
    }
};

// `result` becomes `expression` of every cell: Element n is a cell of inputs[n], whose extents are
// those of the result or 1. Row and Column are those of `places`.
void map(Tile& result, const ir::Scalar& expression, const std::vector<const Tile*>& inputs,
         const Environment& env, const Places& places = {});

// Every cell of `result` becomes `value`.
void splat(Tile& result, const Number& value);
// The first cell of the tile.
Number first_cell(const Tile& tile);

}  // namespace tkc::emulator
