// What makes cells of padding NaN or infinite (fill_value.h), function by function.
#pragma once

#include <vector>

#include "facts/fill_value.h"

namespace tkc::ir::padding {

// Of the infinite numbers among some cells.
Cause cause_of_infinity(const FillValue& x);
// Of those that a function makes of numbers; `made`: between which its results lie.
Cause cause_of_infinity(Function function, const std::vector<FillValue>& x, const RealBounds& made);
// Of the NaN that a function of numbers of a dtype gives: that of its arguments, and its own.
Cause cause_of_nan(Function function, Dtype dtype, const std::vector<FillValue>& x);
// Whether a function of data of which `mixed` may be NaN instead decides otherwise then.
bool decides_by(Function function, const std::vector<FillValue>& x, const FillValue& mixed);
// Whether a function may make a finite number of data that are infinite, but for padding.
bool leaves_infinity(Function function, const std::vector<FillValue>& x);
// Of those that a function makes of data, the ones that only some places of a line need have.
Infinities placed_infinities(Function function, const std::vector<FillValue>& x);
// Of those that a function makes, the ones that come of infinities which the author has written.
Infinities written_infinities(Function function, const std::vector<FillValue>& x);
// Whether NaN comes of these.
bool writes_nan(Function function, const std::vector<FillValue>& x);

}  // namespace tkc::ir::padding
