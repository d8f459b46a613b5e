// Elementwise operations on whole tiles.
#pragma once

#include <vector>

#include "emulator/environment.h"
#include "emulator/tile.h"

namespace tkc::emulator {

/// `result` becomes `expression` of every cell: Element n is a cell of inputs[n], whose extents are
/// those of the result or 1. Row and Column count from (first_row, first_col): where the result is
/// a warpgroup's part of a role's tile.
void map(Tile& result, const ir::Scalar& expression, const std::vector<const Tile*>& inputs,
         const Environment& env, std::int64_t first_row = 0, std::int64_t first_col = 0);

/// Every cell of `result` becomes `value`.
void splat(Tile& result, const Number& value);

}  // namespace tkc::emulator
