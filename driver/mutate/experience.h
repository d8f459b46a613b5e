// Which test to try a mutant on next.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <vector>

#include "driver/mutate/mutant.h"

namespace tkc {

// A run of a test, with its number among those of all programs.
struct NumberedRun {
    std::size_t number = 0;
    std::size_t program = 0;
    const OriginalRun* run = nullptr;
};

// How long it took to compile mutants for each set of constants, which differs much: a set may need
// many proofs that others do not.
class SetCosts {
public:
    double seconds(const CompiledSet* set) const {
        const auto found = seconds_.find(set);
        return found == seconds_.end() ? at_first : found->second;
    }
    // The last one counts half.
    void add(const CompiledSet* set, double seconds) {
        const auto [place, is_new] = seconds_.try_emplace(set, seconds);
        if (!is_new) place->second = (place->second + seconds) / 2;
    }

private:
    static constexpr double at_first = 0.1;
    std::map<const CompiledSet*, double> seconds_;
};

// How often each run settled what becomes of a mutant of one kernel. Most mutants are noticed by
// the same few tests, and to compile a file anew for other constants often takes longer than a run.
class Experience {
public:
    // How often it may be expected to settle a mutant, for each second that it takes.
    double promise(const NumberedRun& run, const std::set<const CompiledSet*>& compiled,
                   const SetCosts& costs) const {
        Tally tally;
        if (const auto found = tallies_.find(run.number); found != tallies_.end())
            tally = found->second;
        const double seconds =
            run.run->seconds + (compiled.contains(run.run->set) ? 0 : costs.seconds(run.run->set));
        return (tally.settled + 1) / ((tally.tried + 2) * std::max(seconds, 1e-6));
    }

    // The runs that one mutant was tried on, the last of which may have settled it.
    void add(const std::vector<std::size_t>& tried, bool settled) {
        for (const std::size_t number : tried) ++tallies_[number].tried;
        if (settled && !tried.empty()) ++tallies_[tried.back()].settled;
    }

private:
    struct Tally {
        double tried = 0;
        double settled = 0;
    };
    std::map<std::size_t, Tally> tallies_;
};

}  // namespace tkc
