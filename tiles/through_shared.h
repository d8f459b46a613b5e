// Tiles that go through shared memory from thread to thread, row by row
// (runtime/tk/operations/through_shared.cuh).
#pragma once

#include "tiles/tile_function.h"

namespace tkc::ir {

// `done`: what the role does with the tile.
Scratch rows_in_shared(const Role& role, Value tile, std::string_view done);
// The same with rows that begin at multiples of 16 bytes, an odd number of them from one to the
// next: so eight rows lie in all banks (runtime/tk/operations/convert_layout.cuh).
Scratch lines_in_shared(const Role& role, Value tile, std::string_view done);

// Whether the buffer is such memory: its type has 4-byte words, whatever the tiles' cells are.
bool holds_words(const Buffer& buffer);

}  // namespace tkc::ir
