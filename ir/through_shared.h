// Tiles that go through shared memory from thread to thread, row by row
// (runtime/tk/operations/through_shared.cuh).
#pragma once

#include "ir/tile_function.h"

namespace tkc::ir {

// `done`: what the role does with the tile.
Scratch rows_in_shared(const Role& role, Value tile, std::string_view done);

}  // namespace tkc::ir
