// The text of a CUDA tree: indentation 4, at most 100 columns, parentheses only where C++ needs
// them.
#pragma once

#include <string>

#include "lowering/cuda/tree.h"

namespace tkc::cuda {

std::string print(const File& file);
// One expression on one line, for messages and tests.
std::string print(const Expr& expression);

}  // namespace tkc::cuda
