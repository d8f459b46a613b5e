// Which test to try a mutant on next.
#pragma once

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

// How often each run settled what becomes of a mutant of one kernel. Most mutants are noticed by
// the same few tests, and to compile a file anew for other constants often takes longer than a run.
class Experience {
public:
    // How often it may be expected to settle a mutant, for each second that it takes.
    double promise(const NumberedRun& run, const std::set<const CompiledSet*>& compiled) const {
        Tally tally;
        if (const auto found = tallies_.find(run.number); found != tallies_.end())
            tally = found->second;
        const double seconds =
            run.run->seconds + (compiled.contains(run.run->set) ? 0 : seconds_for_a_set);
        return (tally.settled + 1) / ((tally.tried + 2) * seconds);
    }

    // The runs that one mutant was tried on, the last of which may have settled it.
    void add(const std::vector<std::size_t>& tried, bool settled) {
        for (const std::size_t number : tried) ++tallies_[number].tried;
        if (settled && !tried.empty()) ++tallies_[tried.back()].settled;
    }

private:
    static constexpr double seconds_for_a_set = 0.1;
    struct Tally {
        double tried = 0;
        double settled = 0;
    };
    std::map<std::size_t, Tally> tallies_;
};

}  // namespace tkc
