// What a program reads of a tensor that is written.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "checks/tile/first_writes.h"
#include "checks/tile/output.h"
#include "checks/tile/separate_accesses.h"
#include "checks/tile/stores.h"
#include "facts/elements_taken.h"

namespace tkc::checks {

using namespace ir;

// What is not decided can be stated, of loads of what data decide. `reads_own` says of an element
// that the program writes it: where it cannot have done so, scratch and outputs hold there what
// other programs wrote, and that has to be awaited.
void Output::trust_or_list_reads(const std::vector<const Access*>& open, Diagnostics& diag,
                                 Obligation& result) {
    const auto foreign =
        std::find_if(open.begin(), open.end(), [&](const Access* l) { return !may_be_own(*l); });
    if (foreign != open.end()) {
        result.span = (*foreign)->span;
        result.text = "the program has not written it, and awaits no program that does";
        if (foreign_ != nullptr) return;
        foreign_ = *foreign;
        diag.warning(result.span, msg::not_decided, result.what)
            .primary("the same program does not store to `{}` before this", tensor_.name)
            .label(stores_[0]->span, "written here")
            .help(
                "first `await` a counter that is incremented after the store, or store to `{}`; "
                "`trusts reads_own({})` does not cover elements that other programs write",
                tensor_.name, tensor_.name);
        return;
    }
    if (states_reads()) {
        result.verdict = Verdict::trusted;
        result.text = "stated; checked when emulated";
        return;
    }
    result.text = "neither proved, nor refuted with small extents; checked when emulated";
    diag.warning(result.span, msg::not_decided, result.what)
        .help("if this always holds, write `trusts reads_own({})`", tensor_.name);
}

// Whether what the load reads may be what its program wrote, was there at the launch, or was
// written by others that the program has waited for.
bool Output::may_be_own(const Access& load) const {
    if (tensor_.mode != Mode::scratch && tensor_.mode != Mode::out) return true;
    // What holds in all iterations of the loops round the two.
    const auto assume_for_all = [](const Access& access, Facts* known) {
        for (const NormalForm& branch : access.branches) {
            const bool varies = std::any_of(
                access.counters.begin(), access.counters.end(),
                [&](const CountedLoop& c) { return !c.of_grid && mentions(branch, c.index); });
            if (!varies) known->assume(branch);
        }
    };
    const auto runs_before = [&](const Access& store) {
        Facts known = facts_;
        assume_for_all(load, &known);
        assume_for_all(store, &known);
        if (known.contradictory()) return false;
        if (store.role != load.role || store.place < load.place) return true;
        return std::any_of(load.counters.begin(), load.counters.end(), [&](const CountedLoop& c) {
            return !c.of_grid &&
                   std::any_of(store.counters.begin(), store.counters.end(),
                               [&](const CountedLoop& other) { return other.index == c.index; });
        });
    };
    return std::any_of(stores_.begin(), stores_.end(),
                       [&](const Access* store) { return runs_before(*store); }) ||
           (order_ != nullptr && std::all_of(stores_.begin(), stores_.end(), [&](const Access* s) {
                return order_->waits_for(load, *s) || programs_apart(load, *s, facts_);
            }));
}

// Whether other programs write nothing of what the load reads, or in an order that counters keep.
bool Output::reads_own(const Access& load, bool settled, const std::vector<Access>& joined,
                       bool* by_counters) const {
    if (settled && lies_in_stores(load, joined)) return true;
    return std::all_of(stores_.begin(), stores_.end(), [&](const Access* store) {
        const bool ordered = counted(load, *store);
        *by_counters = *by_counters || ordered;
        return ordered || programs_apart(load, *store, facts_);
    });
}

// Between programs of a launch there is no order: a program may read of it only what no other one
// writes. Between its roles there is one where a pipeline makes it.
bool Output::decide_reads(Verdict writes, Diagnostics& diag, std::vector<Obligation>& list) {
    Obligation result{
        fmt::format("each program reads only elements of `{}` that it alone writes", tensor_.name),
        Verdict::undecided,
        loads_[0]->span,
        {}};
    // What counters order, several programs write.
    const bool settled =
        (writes == Verdict::proved || writes == Verdict::trusted) && !stores_are_counted();
    // Both branches of a condition, and slices side by side, are one store.
    std::vector<Access> joined;
    for (const Access* store : stores_) joined.push_back(*store);
    joined = joined_all(std::move(joined), facts_);
    bool by_counters = false;
    std::vector<const Access*> open;
    std::copy_if(loads_.begin(), loads_.end(), std::back_inserter(open), [&](const Access* load) {
        return !reads_own(*load, settled, joined, &by_counters);
    });
    const std::vector<SyncPoint> unordered = unordered_roles();
    if (!open.empty() || !unordered.empty()) {
        std::vector<const Access*> all = stores_;
        all.insert(all.end(), loads_.begin(), loads_.end());
        if (refute(all, {}, diag, &result)) {
            list.push_back(result);
            return result.verdict != Verdict::refuted;
        }
    }
    if (!open.empty()) {
        trust_or_list_reads(open, diag, result);
    } else {
        result.verdict = Verdict::proved;
        if (by_counters) {
            result.what = fmt::format(
                "each program reads only elements of `{}` that no other program writes at the same "
                "time",
                tensor_.name);
            result.text = "counters order the accesses of several programs";
        } else
            result.text = in_order_.empty()
                              ? "no other program writes the elements that it reads"
                              : "no other program writes the elements that it reads, and a role "
                                "stores only after consuming what another loaded";
    }
    list.push_back(result);
    if (!unordered.empty()) list_open_roles(unordered, diag, list);
    return true;
}

// Of two roles `reads_own` states which elements they touch where a pipeline takes what is loaded
// to the one that stores. Without that, nothing could make the order that it would state.
void Output::list_open_roles(const std::vector<SyncPoint>& open, Diagnostics& diag,
                             std::vector<Obligation>& list) const {
    const Access& load = *open[0].first;
    Obligation result{fmt::format("a role reads no element of `{}` that another role of its "
                                  "program writes at the same time",
                                  tensor_.name),
                      Verdict::undecided, load.span,
                      "neither proved, nor refuted with small extents; checked when emulated"};
    const bool handed_over = std::all_of(open.begin(), open.end(), [](const SyncPoint& m) {
        return pipelines_read(*m.second->role).contains(m.first->pipeline);
    });
    if (handed_over && states_reads()) {
        result.verdict = Verdict::trusted;
        result.text = "stated; checked when emulated";
    } else {
        auto builder = diag.warning(load.span, msg::not_decided, result.what);
        builder.label(open[0].second->span, "written here");
        if (handed_over) {
            builder.help("if this always holds, write `trusts reads_own({})`", tensor_.name);
        } else {
            builder.help(
                "let one role load from `{}` and store to it, or load it into a pipeline "
                "whose elements the other role consumes before it stores",
                tensor_.name);
        }
    }
    list.push_back(std::move(result));
}

bool Output::states_reads() const {
    return std::any_of(kernel_.trusted.begin(), kernel_.trusted.end(), [&](const Trusted& t) {
        return t.fact == "reads_own" && t.tensor == tensor_.name;
    });
}

// Whether the program itself stores what the load reads, in every run of it: one store writes the
// same slice wherever the load runs, or stores before it in its role write all of it. A store that
// does not run leaves the slice to any other program, so its place alone says nothing.
bool Output::lies_in_stores(const Access& load, const std::vector<Access>& joined) const {
    if (written_before(load, stores_, facts_)) return true;
    return std::any_of(joined.begin(), joined.end(), [&](const Access& store) {
        const auto same = renamed_as(store, load, facts_);
        return same && different_axes(store, *same, facts_).empty() && runs_with(store, *same);
    });
}

// Whether the store runs wherever the load does, whose loops are called alike.
bool Output::runs_with(const Access& store, const Access& load) const {
    if ((load.condition * negation(store.condition)).is_zero()) return true;
    Facts known = facts_;
    for (const CountedLoop& c : load.counters) assume_counted(c, &known);
    known.assume(load.condition);
    return known.prove(store.condition);
}

// Loads that are not shown to come before the stores of other roles that they meet.
std::vector<Output::SyncPoint> Output::unordered_roles() {
    std::vector<SyncPoint> open;
    for (const Access* load : loads_) {
        for (const Access* store : stores_) {
            if (load->role == store->role || roles_apart(*load, *store, facts_)) continue;
            if (consumed_before(*load, *store, facts_)) in_order_.emplace(load, store);
            else open.emplace_back(load, store);
        }
    }
    return open;
}

}  // namespace tkc::checks
