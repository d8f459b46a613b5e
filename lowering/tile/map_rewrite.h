// Rewriting elementwise operations, shared by the passes that sink loads into them and join them.
#pragma once

#include "ir/operations.h"

namespace tkc::lowering {

// Where `map` reads `input`, it computes `cell` instead: an expression over row, col and, as `#n`,
// the tiles of `cell_inputs`, which become inputs of `map`.
void replace_input(ir::Map& map, ir::Value input, const ir::Scalar& cell,
                   const std::vector<ir::Value>& cell_inputs = {});

}  // namespace tkc::lowering
