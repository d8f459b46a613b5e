// The proofs of a kernel: what tkc refuses, and what `tkc explain` lists.
//
// A verdict is one of three. `proved`; `refuted`, always with a witness; `undecided`: no proof
// within the fragment and no witness. What is undecided and stated by `requires` or `assume` is
// `trusted`. An undecided count or wait is refused too, with another
// message, because a hang is worse than a rewrite; an undecided coverage is only listed.
// docs/proofs.md has the arguments.
//
// A witness is a claim about what the kernel does, and proofs see less than that: what a role reads
// only when another has made it, for one. So whoever can run a launch does so before an error is
// reported with it (`TryWitness`), and what then ends well is not refuted.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnose.h"
#include "facts/facts.h"
#include "ir/module.h"

namespace tkc::checks {

enum class Verdict : std::uint8_t { proved, refuted, undecided, trusted };

// For people: proved, refuted, not decided, trusted.
std::string_view word(Verdict verdict);

// One thing to prove.
struct Obligation {
    std::string what;  // `counts of ab in consumer`, `waits`, `C is covered`
    Verdict verdict = Verdict::undecided;
    Span span;
    std::string text;  // the normal forms, the witness, or what stopped the proof
    std::optional<ir::Assignment> witness = {};  // refuted: values of extents and parameters
};

// What a launch with the values of a witness comes to.
enum class Trial : std::uint8_t {
    fails,      // something goes wrong
    ends_well,  // nothing does, or there is no such launch
    unknown,    // it could not be run, or not to its end
};
using TryWitness = std::function<Trial(const ir::Assignment&)>;  // empty: nobody can run any

// Whether a refutation whose values alone say that something is wrong can be reported.
inline bool is_refuted(const TryWitness& trial, const ir::Assignment& values) {
    return !trial || trial(values) != Trial::ends_well;
}
// The same where the values leave open in which order things happen.
inline bool is_seen(const TryWitness& trial, const ir::Assignment& values) {
    return !trial || trial(values) == Trial::fails;
}

// Counts of every pipeline, coverage of every output, and what the programs of a cluster share, on
// tile IR. False if an error was
// reported.
bool check_tile(const ir::Kernel& kernel, Diagnostics& diag, std::vector<Obligation>* obligations,
                const TryWitness& trial = {});

// Waits, spans and releases, and the order of global memory inside each role, on scheduled IR.
// False if an error was reported.
bool check_scheduled(const ir::Kernel& kernel, Diagnostics& diag,
                     std::vector<Obligation>* obligations, const TryWitness& trial = {});

// The parts of the above.
bool check_counts(const ir::Kernel& kernel, Diagnostics& diag, std::vector<Obligation>* obligations,
                  const TryWitness& trial = {});
bool check_coverage(const ir::Kernel& kernel, Diagnostics& diag,
                    std::vector<Obligation>* obligations, const TryWitness& trial = {});
bool check_counters(const ir::Kernel& kernel, Diagnostics& diag,
                    std::vector<Obligation>* obligations);
bool check_clusters(const ir::Kernel& kernel, Diagnostics& diag,
                    std::vector<Obligation>* obligations);
bool check_memory_order(const ir::Kernel& kernel, Diagnostics& diag,
                        std::vector<Obligation>* obligations);
bool check_waits(const ir::Kernel& kernel, Diagnostics& diag, std::vector<Obligation>* obligations,
                 const TryWitness& trial = {});

}  // namespace tkc::checks
