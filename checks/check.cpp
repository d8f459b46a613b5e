// The checks of each level, in order.
#include "checks/check.h"

#include <fmt/format.h>

#include "checks/tile/elements.h"
#include "checks/tile/loop_ends.h"
#include "checks/tile/requirements.h"

namespace tkc::checks {

std::string_view word(Verdict verdict) {
    switch (verdict) {
        case Verdict::proved: return "proved";
        case Verdict::refuted: return "refuted";
        case Verdict::undecided: return "not decided";
        case Verdict::trusted: return "trusted";
    }
    return "";
}

// What the kernel states about data that no launch can look at.
static void list_trusted(const ir::Kernel& kernel, std::vector<Obligation>* obligations) {
    if (obligations == nullptr) return;
    for (const ir::Trusted& t : kernel.trusted) {
        if (!t.tensor.empty()) continue;  // listed with what it is trusted for
        obligations->push_back({fmt::format("`{}`", t.fact), Verdict::trusted, t.span,
                                "stated; checked when emulated and in debug builds"});
    }
}

bool check_tile(const ir::Kernel& kernel, Diagnostics& diag, std::vector<Obligation>* obligations,
                const TryWitness& trial) {
    list_trusted(kernel, obligations);
    if (!check_requirements(kernel, diag)) return false;  // of no launch everything is true
    const bool counts = check_counts(kernel, diag, obligations, trial);
    const bool counters = check_counters(kernel, diag, obligations);
    // What is wrong with them would only be told once more as races.
    const bool coverage = counters && check_coverage(kernel, diag, obligations, trial);
    const bool clusters = check_clusters(kernel, diag, obligations);
    const bool elements = check_elements(kernel, diag, obligations, trial);
    if (coverage) warn_of_loop_ends(kernel, diag);
    return counts && counters && coverage && clusters && elements;
}

bool check_scheduled(const ir::Kernel& kernel, Diagnostics& diag,
                     std::vector<Obligation>* obligations, const TryWitness& trial) {
    const bool order = check_memory_order(kernel, diag, obligations);
    return check_waits(kernel, diag, obligations, trial) && order;
}

}  // namespace tkc::checks
