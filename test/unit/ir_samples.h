// Modules that the tests of the IR share: two written out, and a seeded generator of arbitrary
// ones.
#pragma once

#include <cstdint>
#include <string>

#include "ir/module.h"

namespace tkc::ir::samples {

// A GEMM in tile IR, as the front end makes it; verifies.
extern const char* const tile_gemm;
// The same, scheduled, with its plan; verifies as complete.
extern const char* const scheduled_gemm;

// A module with every kind of member and operation, in no sensible order: for the text form alone.
// `small`: without the numbers that nothing but text can hold.
Module random_module(std::uint32_t seed, bool small = false);
// An expression of any shape, whose calls have the right number of arguments.
Scalar random_scalar(std::uint32_t seed);

}  // namespace tkc::ir::samples
