// Faults to put into scheduled IR, one at a time, to see that a run notices them.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "emulator/run.h"
#include "ir/module.h"

namespace tkc::emulator {

// Every way to weaken one synchronizing operation of `kernel`.
std::vector<Weakening> weakenings_of(const ir::Kernel& kernel);

// Why a fault makes no difference in this kernel, whatever the launch and the order.
struct Redundancy {
    std::string reason;          // empty: it may make one
    const ir::Op* by = nullptr;  // what gives the order in its place, if that is an operation
};
Redundancy why_redundant(const ir::Kernel& kernel, const Weakening& weakening);

// Why runs in which these operations were executed could not notice the fault; empty if they could.
std::string why_not_reached(const ir::Kernel& kernel, const Weakening& weakening,
                            const std::set<const ir::Op*>& executed);

// For people: "wait: one more pending".
std::string describe(const Weakening& weakening);

}  // namespace tkc::emulator
