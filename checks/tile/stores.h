// What stores do together, by the form of their positions: every element once, or some twice.
#pragma once

#include <optional>
#include <vector>

#include "checks/tile/accesses.h"

namespace tkc::checks {

// What was proved of the stores of one site, and truths under which a refutation of the rest is
// likely.
struct Attempt {
    bool covers = true;    // every element is written
    bool disjoint = true;  // and none by two programs
    std::vector<ir::NormalForm> doubts;
};
Attempt prove(const Access& site, const ir::Facts& facts);

// `b` with the numbers of its loops called as those of `a`, if the loops run as often.
std::optional<Access> renamed_as(const Access& a, Access b, const ir::Facts& facts);

// The axes on which the two differ.
std::vector<std::size_t> different_axes(const Access& a, const Access& b, const ir::Facts& facts);

// Takes in that the number of a loop's iteration is one of those that it runs over.
void assume_counted(const CountedLoop& loop, ir::Facts* facts);

// The same store, with the loops after the first `kept` counters as one longer slice each, where
// they store slices side by side.
Access folded(Access site, std::size_t kept, const ir::Facts& facts);

// Fewer stores that write what these write: slices side by side, and both branches of a condition,
// are one.
std::vector<Access> joined_all(std::vector<Access> list, const ir::Facts& facts);

}  // namespace tkc::checks
