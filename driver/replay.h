// `tkc test --replay`: the counterexamples of the proofs, run in the emulator.
#pragma once

#include "driver/options.h"

namespace tkc {

// Runs every kernel of the files that was refuted with extents, on these extents, as it is lowered
// to; says what the proof says and what came of it.
int replay(const TestCommand& command);

}  // namespace tkc
