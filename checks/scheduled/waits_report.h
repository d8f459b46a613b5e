// Tells what went wrong when a network was run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checks/check.h"
#include "checks/scheduled/exploration.h"

namespace tkc::checks {

// "1 state", "2 states"
std::string counted(std::int64_t n, const char* noun);

// What holds in a case: the facts of every launch, and which conditions were taken to hold or not.
struct Case {
    const ir::Facts* known = nullptr;
    std::vector<ir::NormalForm> assumed;
    ir::Facts facts;  // both together
};

// An outcome that is not `complete`, if extents are found that lead to it, and roles that are
// still do so when they run; nothing is said without.
std::optional<Obligation> report_refuted(const Network& network,
                                         const std::vector<std::int64_t>& stages,
                                         const Outcome& outcome, const Case& holds,
                                         Diagnostics& diag, const TryWitness& trial);
// One for which none are found.
Obligation report_undecided(const Network& network, const std::vector<std::int64_t>& stages,
                            const Outcome& outcome, const Case& holds, Diagnostics& diag);

}  // namespace tkc::checks
