// Matrix products of tiles.
#pragma once

#include "emulator/tile.h"
#include "ir/operations.h"

namespace tkc::emulator {

// result = a b, or result += a b, as `op` says. Products of 16-bit numbers and of tf32 are exact in
// double; they are summed in double, with what `result` held, and rounded once to f32. Sums of i32
// are exact, and wrap. Sums of fp8 are the tensor cores', which keep fewer bits (docs/numerics.md).
void multiply(Tile& result, const ir::Mma& op, const Tile& a, const Tile& b);

}  // namespace tkc::emulator
