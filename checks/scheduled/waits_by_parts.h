// Waits of a network part by part.
#pragma once

#include "checks/scheduled/exploration.h"

namespace tkc::checks {

// Whether no role hangs, shown part by part.
//
// Suppose that every role is blocked, and follow from each the role that it waits for: that ends in
// a circle, or with a role that is done. A reader waits for a writer, for an element; and the
// writer for the reader, for room, unless the pipeline has a stage for every element that is ever
// made: then it is `roomy`. A pipeline is a bridge if no other waits lead from its writer to its
// reader, nor back, where the writer may wait for room. So a circle that passes a bridge passes it
// both ways: the writer waits for room in it while the reader waits for an element of it. Then all
// stages hold elements that the reader took and keeps, which `explore` looks for. A role that is
// done made or took all elements of the bridge, if both ends count the same. So where counts are
// equal, what remains are circles between bridges: each part is run with its bridges open, which
// always have room and elements.
//
// The pipelines in `trusted` count as bridges too.
struct PipelineProofs {
    std::vector<bool> balanced, trusted, roomy;  // by pipeline
};
bool completes_by_parts(const Network& network, const std::vector<std::int64_t>& stages,
                        const PipelineProofs& proofs, std::size_t* states);

}  // namespace tkc::checks
