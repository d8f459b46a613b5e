// Candidates of a launcher of which the checker does not see whether they compute the same. Who can
// run kernels tries them.
#pragma once

#include <string>
#include <vector>

#include "base/diagnose.h"

namespace tkc {

// One thing that is stored and may depend on which of two candidates runs.
struct OpenResult {
    Span span;           // what depends on a constant of the schedule
    Span store;          // where it is stored
    std::string tensor;  // .. to
    std::string what;    // "decides where the tiles of `m` begin, .."
    // It goes through arithmetic that may give the same for both; else it mostly does, as what a
    // loop carries from tile to tile.
    bool undecided = false;
};

struct OpenCandidates {
    std::string first;  // kernels of the module
    std::string other;
    std::string schedule;  // the constants in which they differ: BM`, `BN
    std::vector<OpenResult> results;
};

// Says that the results differ (an error). `seen`: where, in a sentence; "" where that follows from
// the text.
void report_difference(const OpenCandidates& candidates, const OpenResult& result,
                       const std::string& seen, Diagnostics& diag);
// Says that it is not decided whether they do (a warning). `why`: what trying them came to, in a
// sentence; "" where nobody did.
void report_undecided(const OpenCandidates& candidates, const OpenResult& result,
                      const std::string& why, Diagnostics& diag);

}  // namespace tkc
