// In which order the programs of a kernel start.
//
// The blocks of a grid start in the order of their numbers (docs/decisions/0032-counters.md), and
// programs are numbered along the axes, the first of them fastest.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "facts/facts.h"
#include "ir/module.h"

namespace tkc::ir {

// Of the axes that the kernel's weight depends on: whether the heavy end is the last step, where
// programs then begin. `unclear`: the axis along which the weight neither only rises nor only
// falls; empty: there is none.
struct WeightedAxes {
    std::vector<GridAxis> free;      // the weight does not depend on them
    std::vector<GridAxis> weighted;  // with `reversed`
    std::string unclear;
};
WeightedAxes weighted_axes(const Kernel& kernel);

// The axis as programs walk it: `reversed` or not. Nothing where they walk it in no order that a
// program could rely on: persistent kernels, clusters. In bands of the raster, numbers still
// rise along each axis.
std::optional<GridAxis> axis_in_order(const Kernel& kernel, const std::string& var);
// Why there is none, for people: `persistent`; empty: there is one.
std::string word_without_order(const Kernel& kernel);

}  // namespace tkc::ir
