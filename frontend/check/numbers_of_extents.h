// Extents of tiles of which functions make numbers, `x / R` where x is [R, C]: what of the schedule
// reaches results without a word in the kernel.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "base/source.h"
#include "base/span.h"

namespace tkc::checker {

struct NumberOfExtent {
    Span call;
    Span use;  // in the function
    std::string function;
    std::set<std::int64_t> values;  // of all that is inlined there
};
// By the place of the call and the name in the function.
using NumbersOfExtents = std::map<std::tuple<FileId, std::uint32_t, std::string>, NumberOfExtent>;

}  // namespace tkc::checker
