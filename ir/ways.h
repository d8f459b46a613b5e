// Ways to an operation of a role, from the block of its body down to the one that holds it.
#pragma once

#include <vector>

#include "ir/module.h"

namespace tkc::ir {

// A block, and the place in it of the operation that is meant or holds the next block.
struct Inside {
    const Block* block;
    std::size_t place;

    const Op& op() const { return (*block)[place]; }
};
using Way = std::vector<Inside>;

// The way to the operation in `block`. Empty: it is not in there.
Way way_to(const Block& block, const Op* op);

// Whether `then` can come after `first` in one program; both begin in the same block.
bool can_follow(const Way& first, const Way& then);

// Whether the operation is a loop that takes a step in any case: its bounds are constants.
bool surely_runs(const Op& op);

}  // namespace tkc::ir
