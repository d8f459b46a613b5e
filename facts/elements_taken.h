// How many elements of a pipeline a role takes in a program. Roles whose copies run programs in
// turn pass over the elements of the programs between theirs by this number.
#pragma once

#include <set>
#include <string>

#include "ir/module.h"

namespace tkc::ir {

// By extents and parameters alone; null where programs differ, or where a program differs from
// another by what it reads.
Scalar elements_taken(const Kernel& kernel, const Role& role, const std::string& pipeline);

// The pipelines of which the role takes elements.
std::set<std::string> pipelines_read(const Role& role);

// Whether the block makes or takes elements of any pipeline (tile IR).
bool moves_elements(const Block& block);

}  // namespace tkc::ir
