// Faults to put into scheduled IR, one at a time, to see that a run notices them.
#pragma once

#include <string>
#include <vector>

#include "emulator/run.h"
#include "ir/module.h"

namespace tkc::emulator {

// Every way to weaken one synchronising operation of `kernel`.
std::vector<Weakening> weakenings_of(const ir::Kernel& kernel);

// Why the operation that is weakened cannot matter in this kernel; empty if it can.
std::string why_redundant(const ir::Kernel& kernel, const Weakening& weakening);

// For people: "wait: one more pending".
std::string describe(const Weakening& weakening);

}  // namespace tkc::emulator
