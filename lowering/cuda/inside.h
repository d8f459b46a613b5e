// What is plain from the text of a position: whether it can lie before the start of an axis, or
// outside of it.
#pragma once

#include "ir/module.h"

namespace tkc::cuda {

/// Sums, products and the like of extents, constants and variables that begin at 0 or later. False
/// where it may be so, but does not show.
bool never_negative(const ir::Kernel& kernel, const ir::Role& role, const ir::Scalar& s);

/// A single position along an axis of `extent` elements: a variable that runs from 0 to the extent,
/// or a constant below a constant extent.
bool stays_inside(const ir::Kernel& kernel, const ir::Role& role, const ir::Scalar& position,
                  const ir::Scalar& extent);

}  // namespace tkc::cuda
