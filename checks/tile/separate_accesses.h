// Accesses that cannot meet, or only in order: of different programs, and of two roles of one.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "checks/tile/accesses.h"
#include "facts/facts.h"

namespace tkc::checks {

// Whether the two touch no element in common where different programs do them.
bool programs_apart(const Access& a, const Access& b, const ir::Facts& facts);

// Whether the two cannot touch one element where this number, of the grid or of a loop, differs.
// The numbers of `equal` are the same.
bool apart_where_different(const Access& a, const Access& b, const CountedLoop& number,
                           const std::set<std::string>& equal, const ir::Facts& facts);

// Whether, in one program, the load of one role comes before the store of another wherever they
// touch one element: the load fills a pipeline, and its element has been consumed before the
// store. A consumer waits until the element has landed, so the load is over.
bool consumed_before(const Access& load, const Access& store, const ir::Facts& facts);

// Whether, in one program, the two touch no element in common.
bool roles_apart(const Access& a, const Access& b, const ir::Facts& facts);

// Whether no two of the stores touch one element, but those of one role in one program, which
// happen one after the other. Many are not looked at.
bool each_apart(const std::vector<Access>& stores, const ir::Facts& facts);

}  // namespace tkc::checks
