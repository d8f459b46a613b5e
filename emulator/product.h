// Matrix products of tiles.
#pragma once

#include "emulator/tile.h"

namespace tkc::emulator {

// result = a b, or result += a b; the operands as given or transposed. Products of 16-bit numbers
// are exact in double; they are summed in double, with what `result` held, and rounded once to
// f32.
void multiply(Tile& result, bool accumulate, const Tile& a, bool a_transposed, const Tile& b,
              bool b_transposed);

}  // namespace tkc::emulator
