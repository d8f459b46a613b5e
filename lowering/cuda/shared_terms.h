// Terms that occur more than once in an expression, to be computed once under a name.
#pragma once

#include <vector>

#include "arithmetic/scalar.h"

namespace tkc::cuda {

// The terms of `s` that several others are made of, but for names and literals, and for what only a
// condition lets be evaluated; each before those that contain it.
std::vector<ir::Scalar> shared_terms(const ir::Scalar& s);

}  // namespace tkc::cuda
