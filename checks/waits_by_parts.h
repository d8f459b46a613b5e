// Waits of a network part by part.
#pragma once

#include "checks/exploration.h"

namespace tkc::checks {

// Whether no role waits for ever, shown part by part.
//
// A pipeline is a bridge if, without it, nothing joins its writer to its reader. Let every role
// stand still, and follow from each the role that it waits for: that ends in a circle, or with a
// role that is done. A circle that passes a bridge passes it both ways: the writer waits for room
// in it while the reader waits for an element of it. Then all stages hold elements that the reader
// took and keeps, which `explore` looks for. A role that is done made or took all elements of the
// bridge, if both ends count the same. So where counts are equal, what remains are circles between
// bridges: each part is run with its bridges open, which always have room and elements.
//
// The pipelines in `trusted` count as bridges too.
bool completes_by_parts(const Network& network, const std::vector<std::int64_t>& stages,
                        const std::vector<bool>& balanced, const std::vector<bool>& trusted,
                        std::size_t* states);

// By pipeline: whether it is a bridge.
std::vector<bool> bridges_of(const Network& network);

}  // namespace tkc::checks
