// What `tkc test --mutate` says of mutants.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "driver/mutate/mutant.h"
#include "frontend/mutate/mutations.h"

namespace tkc {

enum class MutantVerdict {
    not_run,       // time was up
    silenced,      // by a comment
    same,          // the compiler makes the same of it
    refused,       // by the checks
    noticed,       // by a test
    unnoticed,     // by the tests of its function, which no kernel uses
    left,          // no test noticed it; what it means is not known yet
    gap,           // no test notices it, and a probe would
    beyond,        // where the reference does not describe the program, the two differ
    hidden,        // a probe would, if its reference did not call the function that was changed
    costs_more,    // no probe shows a difference, but it takes longer
    perhaps_same,  // no probe shows a difference
    broken,        // the compiler failed on it
};

struct MutantResult {
    mutation::Mutation mutation;
    MutantVerdict verdict = MutantVerdict::not_run;
    std::set<std::string> subjects{};   // whose kernels it changed, where no test noticed
    std::vector<std::size_t> probes{};  // that show the difference
    std::string test{};                 // one of them, as text; `beyond`: what it binds
};

struct MutateCounts {
    std::size_t mutants = 0;
    std::size_t refused = 0;
    std::size_t noticed = 0;
    std::size_t gaps = 0;
    std::size_t perhaps_same = 0;  // with those that cost more
    std::size_t silenced = 0;
    std::size_t not_run = 0;
    std::size_t broken = 0;
    std::size_t failed = 0;    // tests of the program as it is
    std::size_t untested = 0;  // kernels without a test, outputs that none compares
    std::size_t wide = 0;      // tolerances
    std::size_t written = 0;   // tests

    void add(const std::vector<MutantResult>& results);
    MutateCounts& operator+=(const MutateCounts& other);
    // Nothing to report, of what was run; and something was.
    bool good() const {
        return gaps + broken + failed + untested + wide == 0 && (mutants == 0 || not_run < mutants);
    }
};

// A paragraph for each kernel, entry, function or reference.
std::string render(const std::vector<MutantResult>& results, const SourceManager& sources);
std::string render_summary(const MutateCounts& counts, double seconds);

// Kernels and entries that no test runs, and outputs that no test compares: a sentence each.
std::vector<std::string> untested(const TestPlan& plan, const std::vector<OriginalRun>& runs);

// Prints a line for each test whose tolerance is wider than what its kernel needs makes plausible;
// gives their number.
std::size_t report_wide(const std::vector<OriginalRun>& runs);

// The smallest of 1, 2, 5, 10, .. times a power of ten that is not less.
double rounded_up(double tolerance);
// 1e-2, 0.
std::string tolerance_text(double tolerance);

}  // namespace tkc
