// The checks of each level, in order.
#include "checks/check.h"

namespace tkc::checks {

bool check_tile(const ir::Kernel& kernel, Diagnostics& diag, std::vector<Obligation>* obligations) {
    const bool counts = check_counts(kernel, diag, obligations);
    const bool coverage = check_coverage(kernel, diag, obligations);
    const bool clusters = check_clusters(kernel, diag, obligations);
    return counts && coverage && clusters;
}

bool check_scheduled(const ir::Kernel& kernel, Diagnostics& diag,
                     std::vector<Obligation>* obligations) {
    return check_waits(kernel, diag, obligations);
}

}  // namespace tkc::checks
