// `tkc explain`: what became of a program, in words that its author knows.
#pragma once

#include <string>

#include "frontend/source.h"
#include "ir/module.h"

namespace tkc {

/// For every kernel of a scheduled module: threads and registers, who takes what of shared memory,
/// what each load and store became, and which lines wait for what.
std::string explain(const ir::Module& module, const SourceManager& sources);

}  // namespace tkc
