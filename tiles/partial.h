// Partial sums: columns of which each lane holds the sum over its own cells.
//
// The sum over the lanes commutes with whatever is linear, so a partial sum may be added to
// another, scaled by what is the same in all lanes of a row, and chosen by such a condition. Any
// other use needs the sum itself, and `complete` before it.
#pragma once

#include <functional>

#include "arithmetic/scalar.h"

namespace tkc::ir {

// Whether `cell`, an expression over cells of a column, is linear, without a constant term, in
// those inputs for which `partial` is true: then it is a partial sum as they are.
bool is_linear(const Scalar& cell, const std::function<bool(std::int64_t)>& partial);

}  // namespace tkc::ir
