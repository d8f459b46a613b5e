// What is plain from the text of a position: whether it can lie outside of an axis.
#pragma once

#include "facts/plain_signs.h"

namespace tkc::cuda {

// A single position along an axis of `extent` elements: a variable that runs from 0 to the extent,
// or a constant below a constant extent.
bool stays_inside(const ir::Kernel& kernel, const ir::Role& role, const ir::PlainSigns& signs,
                  const ir::Scalar& position, const ir::Scalar& extent);

}  // namespace tkc::cuda
