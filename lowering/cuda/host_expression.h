// Expressions of the launch contract as C++ of a launcher, in 64-bit integers.
#pragma once

#include <string>

#include "ir/module.h"
#include "lowering/cuda/tree.h"

namespace tkc::cuda {

/// The expression over the names that a launcher declares: extents (int64_t), parameters, and
/// tensors with `shape`, `stride` and `address`. Null where it needs what the host does not know
/// (elements of tensors).
Expr host_expression(const ir::Kernel& kernel, const ir::Scalar& s);

/// A name of the user as it stands in a launcher, where some words are C++ or the launcher's own.
std::string host_name(const std::string& name);

}  // namespace tkc::cuda
