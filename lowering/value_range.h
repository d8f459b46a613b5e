// Between which values an index expression lies, over extents, parameters, grid and loop variables:
// as numbers for every launch, and as expressions over extents and parameters for one.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "ir/scalar.h"

namespace tkc::lowering {

/// Both ends included. The expressions are null where nothing better than the numbers is known.
struct ValueRange {
    std::int64_t least = 0;
    std::int64_t most = 0;
    ir::Scalar low;
    ir::Scalar high;

    bool fits_i32() const;
};

/// Ranges of the names in scope.
using Ranges = std::map<std::string, ValueRange>;

/// All of i32, of an unknown value.
ValueRange unknown_range();
/// An extent: 0 up to the limit of extents, and as an expression itself.
ValueRange extent_range(const std::string& name);
/// A scalar parameter: all of i32, and as an expression itself.
ValueRange parameter_range(const std::string& name);
/// What a variable takes from `begin` up to `end` - 1.
ValueRange variable_range(const ValueRange& begin, const ValueRange& end);

/// The range of an integer expression. Numbers saturate at +-2^62.
ValueRange range_of(const ir::Scalar& s, const Ranges& names);

}  // namespace tkc::lowering
