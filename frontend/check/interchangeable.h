// Whether a launcher may take either of two instances of a kernel.
#pragma once

#include "frontend/parse/ast.h"
#include "ir/module.h"

namespace tkc::checker {

// Whether both, made of `kernel`, mean the same for every argument that both accept.
bool interchangeable(const ast::Kernel& kernel, const ir::Kernel& a, const ir::Kernel& b);

}  // namespace tkc::checker
