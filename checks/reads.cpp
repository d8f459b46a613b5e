// What a program reads of a tensor that is written.
#include <fmt/format.h>

#include <algorithm>

#include "checks/first_writes.h"
#include "checks/output.h"
#include "checks/stores.h"

namespace tkc::checks {

using namespace ir;

/// What is not decided can be stated.
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

/// A program may read of it only what it alone writes.
bool Output::decide_reads(Verdict writes, Diagnostics& diag, std::vector<Obligation>& list) {
    Obligation result{fmt::format("`{}`: a program reads only what it alone writes", tensor_.name),
                      Verdict::undecided,
                      loads_[0]->span,
                      {}};
    const bool settled = writes == Verdict::proved || writes == Verdict::trusted;
    const bool inside = std::all_of(loads_.begin(), loads_.end(), [&](const Access* load) {
        if (written_before(*load, stores_, facts_)) return true;
        return std::any_of(stores_.begin(), stores_.end(), [&](const Access* store) {
            if (load->role != store->role) return false;
            const auto same = renamed_as(*store, *load, facts_);
            return same && different_axes(*store, *same, facts_).empty();
        });
    });
    if (inside && settled) {
        result.verdict = Verdict::proved;
        result.text = "it reads the slices that it stores";
    } else {
        std::vector<const Access*> all = stores_;
        all.insert(all.end(), loads_.begin(), loads_.end());
        if (!refute(all, {}, diag, &result)) trust_or_list_reads(diag, result);
    }
    list.push_back(result);
    return result.verdict != Verdict::refuted;
}

}  // namespace tkc::checks
