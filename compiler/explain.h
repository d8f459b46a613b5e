// `tkc explain`: what became of a program, in words that its author knows.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/source.h"
#include "checks/check.h"
#include "compiler/explain_launchers.h"
#include "ir/module.h"

namespace tkc {

// What was to be proved, by the name of the kernel.
using Obligations = std::map<std::string, std::vector<checks::Obligation>>;

// For every launcher of a scheduled module that has a choice: what it uses, and which kernel it
// takes for `extents`. For every kernel: threads and registers, who takes what of shared memory,
// what each load and store became, which lines wait for what, and what was proved.
// `derived`: what was done to kernels whose roles are derived, by their names in the source.
std::string explain(const ir::Module& module, const Obligations& obligations,
                    const SourceManager& sources,
                    const std::map<std::string, std::vector<std::string>>& derived,
                    const Extents& extents);

}  // namespace tkc
