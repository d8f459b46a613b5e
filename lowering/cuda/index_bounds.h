// What is plain from the text of a position: whether it can lie before the start of an axis, or
// outside of it.
#pragma once

#include <set>
#include <string>

#include "ir/module.h"
#include "ir/value_range.h"

namespace tkc::cuda {

// The names of a kernel whose values depend on what it reads, or loops whose ends do.
std::set<std::string> names_of_data(const ir::Kernel& kernel);

// Whether a position depends on what the kernel reads, by itself or by one of these names. What
// the launcher knows of extents and parameters says nothing about it.
bool is_from_data(const std::set<std::string>& names, const ir::Scalar& s);

// Sums, products and the like of extents, constants and variables that begin at 0 or later. False
// where it may be so, but does not show.
bool never_negative(const ir::Kernel& kernel, const ir::Role& role, const ir::Ranges& names,
                    const ir::Scalar& s);

// A single position along an axis of `extent` elements: a variable that runs from 0 to the extent,
// or a constant below a constant extent.
bool stays_inside(const ir::Kernel& kernel, const ir::Role& role, const ir::Ranges& names,
                  const ir::Scalar& position, const ir::Scalar& extent);

}  // namespace tkc::cuda
