// Several accesses that do one thing: they count as one.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "checks/accesses.h"

namespace tkc::checks {

/// `b` with the numbers of its loops called as those of `a`, if the loops run as often.
std::optional<Access> renamed_as(const Access& a, Access b, const ir::Facts& facts);

/// The axes on which the two differ.
std::vector<std::size_t> different_axes(const Access& a, const Access& b, const ir::Facts& facts);

/// The accesses, with those that write side by side, or one place after the other or instead of it,
/// put together.
std::vector<Access> joined_all(std::vector<Access> list, const ir::Facts& facts);

}  // namespace tkc::checks
