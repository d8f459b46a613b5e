// Between which numbers the results of arithmetic lie, as the machine computes them.
//
// Functions that are exact on the machine are computed at the ends of their arguments' bounds, in
// the dtype: rounding keeps order, so no result lies outside. What overflows is infinite, what
// underflows is 0. Where the runtime's function is approximate, bounds move away from the others by
// more than the error, and by what the machine flushes to 0.
#pragma once

#include <cmath>
#include <vector>

#include "language/dtype.h"
#include "language/function.h"

namespace tkc::ir {

// Both ends included, and infinite ones are infinite numbers. NaN is none of them.
struct RealBounds {
    double least = -HUGE_VAL;
    double most = HUGE_VAL;

    bool holds(double x) const { return least <= x && x <= most; }
    friend bool operator==(const RealBounds&, const RealBounds&) = default;
};

// Of cells of which some lie in `a` and some in `b`.
RealBounds joined(const RealBounds& a, const RealBounds& b);
// Of a function of numbers of `dtype`, which its result has, too, unless it compares. Results that
// are NaN are left out. Integers are those of the machine: all of the dtype where some may wrap.
RealBounds bounds_of(Function function, Dtype dtype, const std::vector<RealBounds>& x);
// Of x * x.
RealBounds bounds_of_square(Dtype dtype, const RealBounds& x);
// What a conversion makes of numbers of `from`. NaN, which becomes 0 in integers, is left out.
RealBounds converted(const RealBounds& x, Dtype from, Dtype to);
// Integers as a dtype has them: all of its numbers, if some may wrap.
RealBounds wrapped(const RealBounds& x, Dtype dtype);
// All numbers of a dtype, infinite ones too.
RealBounds bounds_of(Dtype dtype);
// Those that are not infinite.
RealBounds finite_bounds(Dtype dtype);
// The smallest number of a real dtype above 0.
double least_above_zero(Dtype dtype);
// From here on approximate functions of f32 take a divisor for infinite; below its inverse, a
// number for 0.
inline constexpr double most_divisor = 0x1p126;

}  // namespace tkc::ir
