// Expressions of the launch contract as C++ of a launcher, in 64-bit integers.
#pragma once

#include "ir/module.h"
#include "lowering/cuda/tree.h"

namespace tkc::cuda {

// The expression over the names that a launcher declares: extents (int64_t), parameters, and
// tensors with `shape`, `stride` and `address`. Null where it needs what the host does not know
// (elements of tensors).
Expr host_expression(const ir::Signature& called, const ir::Scalar& s);

// The parameter of that name; null where there is none.
const ir::Parameter* find_parameter(const ir::Signature& called, const std::string& name);

}  // namespace tkc::cuda
