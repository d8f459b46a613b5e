// Between which numbers the results of arithmetic lie, as the machine rounds them.
//
// Bounds are kept outward: a bound that is not a number of the dtype moves away from the others, so
// that no rounding of a result leaves them. Where the runtime's function is approximate, it moves
// by more than the error.
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "language/dtype.h"
#include "language/function.h"

namespace tkc::ir {

// Both ends included. Infinite ends: no bound; the numbers are finite all the same.
struct RealBounds {
    double least = -HUGE_VAL;
    double most = HUGE_VAL;

    friend bool operator==(const RealBounds&, const RealBounds&) = default;
};

// The function of numbers as on paper, of infinite ones, too. Empty where that hangs on the dtype.
std::optional<double> on_paper(Function function, const std::vector<double>& x);
// Of cells of which some lie in `a` and some in `b`.
RealBounds joined(const RealBounds& a, const RealBounds& b);
// Of a function of finite numbers, before they are rounded. What divides is not 0.
RealBounds bounds_of(Function function, const std::vector<RealBounds>& x);
// Of x * x.
RealBounds bounds_of_square(const RealBounds& x);
// What becomes of them in a dtype: rounded outward; of integers all numbers of the dtype, if some
// may wrap.
RealBounds rounded(const RealBounds& x, Dtype dtype);
// What approximate functions of f32 make of results that lie there.
RealBounds approximated(const RealBounds& x, Function function);
// All numbers of a dtype.
RealBounds bounds_of(Dtype dtype);
// Whether the dtype has exactly that number, and no unit flushes it to 0.
bool is_number_of(double value, Dtype dtype);

}  // namespace tkc::ir
