// No role hangs: the network of roles, run against every trip count, completes and ends
// empty.
//
// The network is explored with every decision free. Where that finds something wrong, conditions
// that are the same throughout a program are tried both ways, those first that may have been
// decided differently in two places; in each case the network is explored again. What goes wrong is
// told with extents that lead there, if the facts allow any, and with the events before it.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "checks/check.h"
#include "checks/scheduled/exploration.h"
#include "checks/scheduled/waits_by_parts.h"
#include "checks/scheduled/waits_report.h"
#include "checks/tile/counts.h"

namespace tkc::checks {

namespace {

using namespace ir;

constexpr std::size_t explorations_at_most = 1024;  // 9 conditions both ways, and what is cut off
constexpr std::size_t states_at_most = 5 * many_states;  // of all of them: about a second

// What went wrong in one case. If no extents lead to it, perhaps because streams were chosen that
// no extents give together, each small number of trips is tried in turn, with what the others are
// then. Nothing if that finds none either.
std::optional<Obligation> explain(const Network& network, const std::vector<std::int64_t>& stages,
                                  const Outcome& outcome, const Case& holds, Diagnostics& diag,
                                  const TryWitness& trial) {
    if (auto told = report_refuted(network, stages, outcome, holds, diag, trial)) return told;
    std::int64_t most = 3;
    for (const std::int64_t s : stages) most += s;
    for (const Stream& stream : network.streams) {
        if (!stream.is_loop || !stream.surroundings.empty()) continue;
        for (std::int64_t n = 0; n <= std::min<std::int64_t>(most, 16); ++n) {
            const auto witness = holds.facts.find({equals_zero(stream.value - NormalForm(n))}, 16);
            if (!witness) continue;
            Forced forced;
            for (std::size_t s = 0; s < network.streams.size(); ++s) {
                const Stream& other = network.streams[s];
                const auto trips = evaluate(other.value, witness->leaves());
                if (other.is_loop && other.surroundings.empty() && trips) {
                    forced[static_cast<int>(s)] = *trips;
                }
            }
            const Outcome concrete = explore(network, stages, forced);
            if (concrete.kind == Outcome::Kind::complete) continue;
            if (auto told = report_refuted(network, stages, concrete, holds, diag, trial))
                return told;
        }
    }
    return std::nullopt;
}

// Conditions that are the same throughout a program, tried both ways as far as it takes.
//
// A condition that one stream carries to all roles is the same for all of them without that. A
// case is only needed where a condition steers through several streams, or by what follows from it
// for the facts. So a case is divided where its exploration fails, and not before: free decisions
// cover more than can happen, and what is right for them is right.
class Cases {
public:
    Cases(const Kernel& kernel, const Bindings& bindings, const Facts& known, Diagnostics& diag,
          const TryWitness& trial)
        : kernel_(kernel),
          bindings_(bindings),
          known_(known),
          diag_(diag),
          trial_(trial),
          truths_(constant_truths(kernel, bindings, known)) {
        for (const Pipeline& p : kernel.pipelines) stages_.push_back(p.stages);
        for (std::size_t i = 0; i < truths_.size(); ++i) places_.emplace(truths_[i]->key, i);
    }

    Obligation run() {
        Obligation result{"waits", Verdict::proved, kernel_.span, {}};
        explore_case({&known_, {}, known_}, std::vector<bool>(truths_.size(), false));
        if (refuted_) return std::move(*refuted_);
        if (undecided_) {
            const Network network = network_of(kernel_, bindings_, undecided_->facts);
            const Outcome outcome = explore(network, stages_);
            return report_undecided(network, stages_, outcome, *undecided_, diag_);
        }
        result.text = fmt::format("{} in {} visited, for all trip counts",
                                  counted(static_cast<std::int64_t>(states_), "state"),
                                  counted(static_cast<std::int64_t>(cases_), "case"));
        if (trusts_) {
            result.verdict = Verdict::trusted;
            result.text = "by `trusts balanced(..)`; checked when emulated and in debug builds";
        }
        return result;
    }

private:
    void explore_case(const Case& holds, std::vector<bool> tried) {
        const Network network = network_of(kernel_, bindings_, holds.facts);
        // Where a role is an element after, it is blocked while others execute any number of empty
        // loops, and no number of states is enough. Part by part that does not matter.
        Outcome outcome = explore(network, stages_, {}, few_states);
        if (outcome.kind == Outcome::Kind::too_many) {
            if (holds.assumed.empty() && goes_by_parts(network, holds.facts, false)) {
                ++cases_;
                return;
            }
            outcome = explore(network, stages_);
        }
        ++explorations_;
        states_ += outcome.states;
        if (outcome.kind == Outcome::Kind::complete) {
            ++cases_;
            return;
        }
        const std::optional<std::size_t> next = next_truth(network, outcome, tried);
        // Before conditions are tried: it may be none that is in the way.
        if (next && holds.assumed.empty() && goes_by_parts(network, holds.facts, false)) {
            ++cases_;
            return;
        }
        if (!next || gives_up()) {
            ++cases_;
            refuted_ = explain(network, stages_, outcome, holds, diag_, trial_);
            if (refuted_ || goes_by_parts(network, holds.facts, false)) return;
            if (goes_by_parts(network, holds.facts, true)) {
                trusts_ = true;
            } else if (!undecided_) {
                undecided_ = holds;
            }
            return;
        }
        const NormalForm truth(truths_[*next]);
        tried[*next] = true;
        for (const bool value : {false, true}) {
            // What the facts of every launch say of it already is not a case.
            if (known_.prove(value ? negation(truth) : truth)) continue;
            Case inside = holds;
            inside.assumed.push_back(value ? truth : negation(truth));
            inside.facts.assume(inside.assumed.back());
            if (inside.facts.contradictory()) continue;
            explore_case(inside, tried);
            if (refuted_ || (undecided_ && gives_up())) return;
        }
    }

    bool gives_up() const {
        return explorations_ >= explorations_at_most || states_ >= states_at_most;
    }

    // Whether the roles are in step for a reason that the exploration does not see: pipeline by
    // pipeline (waits_by_parts.h); with `trusting`, because the author says so of some.
    bool goes_by_parts(const Network& network, const Facts& facts, bool trusting) {
        PipelineProofs proofs;
        for (const Pipeline& p : kernel_.pipelines) {
            const bool stated = trusting && states_balance(kernel_, p);
            proofs.trusted.push_back(stated);
            proofs.balanced.push_back(stated || is_balanced(kernel_, p, bindings_, facts));
            proofs.roomy.push_back(is_roomy(kernel_, p, bindings_, facts));
        }
        return completes_by_parts(network, stages_, proofs, &states_);
    }

    // The condition to try both ways, of those that were not yet: first one on the way to what
    // went wrong that several streams depend on, then others of several streams, then any.
    std::optional<std::size_t> next_truth(const Network& network, const Outcome& outcome,
                                          const std::vector<bool>& tried) const {
        std::vector<std::size_t> streams(truths_.size(), 0);
        for (const Stream& stream : network.streams) {
            for (const std::size_t t : truths_of(stream.value)) ++streams[t];
        }
        std::vector<bool> on_the_way(truths_.size(), false);
        for (const Decision& d : outcome.decisions) {
            const NormalForm& decided = network.streams[index(d.stream)].value;
            for (const std::size_t t : truths_of(decided)) on_the_way[t] = true;
        }
        std::optional<std::size_t> best;
        int best_rank = -1;
        for (std::size_t t = 0; t < truths_.size(); ++t) {
            if (tried[t]) continue;
            const int rank = (streams[t] > 1 ? 2 : 0) + (on_the_way[t] ? 1 : 0);
            if (rank <= best_rank) continue;
            best = t;
            best_rank = rank;
        }
        return best;
    }

    // The conditions that a form depends on.
    std::set<std::size_t> truths_of(const NormalForm& x) const {
        std::set<std::size_t> found;
        visit_atoms(x, [&](const Atom& a) {
            const auto place = places_.find(a->key);
            if (place != places_.end()) found.insert(place->second);
        });
        return found;
    }

    const Kernel& kernel_;
    const Bindings& bindings_;
    const Facts& known_;
    Diagnostics& diag_;
    const TryWitness& trial_;
    std::vector<Atom> truths_;
    std::unordered_map<std::string, std::size_t> places_;  // of the conditions, by key
    std::vector<std::int64_t> stages_;
    std::size_t explorations_ = 0;
    std::size_t states_ = 0;
    std::size_t cases_ = 0;
    bool trusts_ = false;  // `balanced(p)`
    std::optional<Obligation> refuted_;
    std::optional<Case> undecided_;  // to tell if no other is refuted
};

}  // namespace

bool check_waits(const Kernel& kernel, Diagnostics& diag, std::vector<Obligation>* obligations,
                 const TryWitness& trial) {
    if (kernel.pipelines.empty()) return true;
    const Bindings bindings = bindings_of(kernel);
    const Facts known = facts_of(kernel, bindings);
    Obligation result = Cases(kernel, bindings, known, diag, trial).run();
    const bool good = result.verdict == Verdict::proved || result.verdict == Verdict::trusted;
    if (obligations != nullptr) obligations->push_back(std::move(result));
    return good;
}

}  // namespace tkc::checks
