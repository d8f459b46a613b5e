// What a program reads of a tensor that is written.
#include <fmt/format.h>

#include <algorithm>

#include "checks/first_writes.h"
#include "checks/output.h"
#include "checks/separate_accesses.h"
#include "checks/stores.h"

namespace tkc::checks {

using namespace ir;

// What is not decided can be stated.
void Output::trust_or_list_reads(Diagnostics& diag, Obligation& result) const {
    for (const Trusted& t : kernel_.trusted) {
        if (t.fact != "reads_own" || t.tensor != tensor_.name) continue;
        result.verdict = Verdict::trusted;
        result.text = "stated; checked when emulated and in debug builds";
        return;
    }
    result.text =
        "neither shown nor refuted by small extents; checked when emulated and in debug builds";
    diag.warning(result.span, msg::not_decided, result.what)
        .help("if it holds, state it: `trusts reads_own({})`", tensor_.name);
}

// Between programs of a launch there is no order: a program may read of it only what no other one
// writes. Between its roles there is one where a pipeline makes it.
bool Output::decide_reads(Verdict writes, Diagnostics& diag, std::vector<Obligation>& list) {
    Obligation result{fmt::format("`{}`: a program reads only what it alone writes", tensor_.name),
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
    const bool own = std::all_of(loads_.begin(), loads_.end(), [&](const Access* load) {
        return (settled && lies_in_stores(*load, joined)) ||
               std::all_of(stores_.begin(), stores_.end(), [&](const Access* store) {
                   const bool ordered = counted(*load, *store);
                   by_counters = by_counters || ordered;
                   return ordered || programs_apart(*load, *store, facts_);
               });
    });
    const bool ordered = order_roles();
    if (own && ordered) {
        result.verdict = Verdict::proved;
        if (by_counters) {
            result.what = fmt::format("`{}`: a program reads what no other one writes meanwhile",
                                      tensor_.name);
            result.text = "counters order what several programs do there";
        } else
            result.text = in_order_.empty() ? "no other program writes what it reads"
                                            : "no other program writes what it reads, and what one "
                                              "role loads, another has consumed before it stores";
    } else {
        std::vector<const Access*> all = stores_;
        all.insert(all.end(), loads_.begin(), loads_.end());
        if (!refute(all, {}, diag, &result)) trust_or_list_reads(diag, result);
    }
    list.push_back(result);
    return result.verdict != Verdict::refuted;
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

// Whether each load comes before the stores of other roles that it meets.
bool Output::order_roles() {
    bool ordered = true;
    for (const Access* load : loads_) {
        for (const Access* store : stores_) {
            if (load->role == store->role || roles_apart(*load, *store, facts_)) continue;
            if (consumed_before(*load, *store, facts_)) {
                in_order_.emplace(load, store);
            } else {
                ordered = false;
            }
        }
    }
    return ordered;
}

}  // namespace tkc::checks
