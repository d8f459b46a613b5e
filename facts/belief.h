// What a kernel believes, as its author wrote it.
#pragma once

#include <string>

#include "ir/module.h"

namespace tkc::ir {

// `covers(O)`, `balanced(p)`, `start[0] == 0`.
inline std::string to_string(const Trusted& belief) {
    return belief.tensor.empty() ? belief.fact : belief.fact + "(" + belief.tensor + ")";
}

}  // namespace tkc::ir
