// Every element of an output is written, and by one program only; and what a program reads of a
// tensor that is written, it alone writes.
//
// Or they do so in an order that counters keep (counters.h).
//
// Proved from the form of the accesses (stores.h). Stores that do one thing in parts count as one:
// slices side by side, the two branches of a condition. Refuted by small extents for which the
// boxes of all programs are listed and compared (counterexamples.cpp). Else undecided, which is
// not an error: it is listed, and `trusts` can state it.
#include <fmt/format.h>

#include <algorithm>

#include "checks/tile/counted_blocks.h"
#include "checks/tile/output.h"
#include "checks/tile/separate_accesses.h"
#include "checks/tile/stores.h"
#include "facts/launch_facts.h"

namespace tkc::checks {

using namespace ir;

Output::Output(const Kernel& kernel, const Tensor& tensor, const std::vector<Access>& accesses,
               const Facts& facts, const CounterOrder* order, const TryWitness& trial)
    : kernel_(kernel), tensor_(tensor), facts_(facts), order_(order), trial_(trial) {
    for (const Access& a : accesses) {
        if (a.tensor == &tensor) (a.writes ? stores_ : loads_).push_back(&a);
    }
}

bool Output::decide(Diagnostics& diag, std::vector<Obligation>& list) {
    const bool owned = tensor_.mode == Mode::out || tensor_.mode == Mode::inout;
    if (stores_.empty()) return decide_unwritten(diag, list);
    const Verdict writes =
        owned || tensor_.mode == Mode::scratch ? decide_writes(diag, list) : Verdict::proved;
    if (writes == Verdict::refuted) return false;
    return loads_.empty() || (decide_first_writes(diag, list) && decide_reads(writes, diag, list));
}

std::string Output::whole_claim() const {
    return tensor_.mode == Mode::out
               ? fmt::format("every element of `{}` is written, by exactly one program",
                             tensor_.name)
               : fmt::format("no element of `{}` is written by two programs", tensor_.name);
}

bool Output::decide_unwritten(Diagnostics& diag, std::vector<Obligation>& list) const {
    const bool read = tensor_.mode == Mode::scratch && !loads_.empty();
    if (tensor_.mode != Mode::out && !read) return true;
    auto builder = diag.error(read ? loads_[0]->span : tensor_.span, msg::not_covered,
                              fmt::format("no element of `{}` is written", tensor_.name));
    if (read) {
        builder.primary("it is read here")
            .help("store to `{}` first, or make it an input", tensor_.name);
    } else {
        builder.help("store to `{}`, or remove the parameter", tensor_.name);
    }
    list.push_back({whole_claim(), Verdict::refuted, tensor_.span, "nothing writes it"});
    return false;
}

bool Output::stores_are_counted() const {
    if (order_ == nullptr) return false;
    for (const Access* a : stores_) {
        for (const Access* b : stores_) {
            if (!programs_apart(*a, *b, facts_) && !order_->in_order(*a, *b)) return false;
            if (a->role != b->role && !roles_apart(*a, *b, facts_)) return false;
        }
    }
    return true;
}

Verdict Output::decide_writes(Diagnostics& diag, std::vector<Obligation>& list) {
    Obligation result{whole_claim(), Verdict::undecided, stores_[0]->span, {}};
    std::vector<Access> sites;
    for (const Access* site : stores_) sites.push_back(*site);
    sites = joined_all(std::move(sites), facts_);
    Facts facts = facts_;
    if (sites.size() > 1) {  // perhaps loops that end where others begin
        std::size_t of_grid = 0;
        for (const CountedLoop& c : sites[0].counters) {
            if (!c.of_grid) continue;
            ++of_grid;
            assume_counted(c, &facts);
        }
        for (Access& site : sites) site = folded(std::move(site), of_grid, facts);
        sites = joined_all(std::move(sites), facts);
    }
    std::vector<NormalForm> doubts;
    bool covers = tensor_.mode != Mode::out;  // one store that fills it is enough
    // A list may name one place twice.
    const bool listed = std::any_of(sites.begin(), sites.end(), [](const Access& site) {
        return std::any_of(site.axes.begin(), site.axes.end(),
                           [](const AccessAxis& axis) { return axis.base.is_unknown(); });
    });
    bool disjoint = !listed && (sites.size() == 1 || each_apart(sites, facts_));
    // Of elements alone: where there is one, no axis of the tensor is empty.
    const Bindings bindings = bindings_of(kernel_);
    for (const Scalar& e : tensor_.extents) {
        facts.assume_at_least_zero(normal_form(e, bindings) - NormalForm(1));
    }
    for (const Access& site : sites) {
        const Attempt attempt = prove(site, facts);
        covers = covers || attempt.covers;
        // Where the positions along one axis are not a sum of strides, another axis may be.
        disjoint = disjoint && (attempt.disjoint || programs_apart(site, site, facts_));
        doubts.insert(doubts.end(), attempt.doubts.begin(), attempt.doubts.end());
    }
    if (!(covers && disjoint) && !listed && !(states("covers") && states("disjoint"))) {
        std::vector<Access> given;
        for (const Access* site : stores_) given.push_back(*site);
        const bool filled = fill_by_count(given, facts);
        covers = covers || filled;
        disjoint = disjoint || filled;
    }
    const auto none = covers && tensor_.mode == Mode::out ? unwritten_without_programs()
                                                          : std::optional<NormalForm>();
    if (none && disjoint && refute_without_programs(*none, diag, &result)) {
        list.push_back(result);
        return result.verdict;
    }
    covers = covers && !none;
    const bool counted = !disjoint && !listed && stores_are_counted();
    if (covers && counted) {
        result.verdict = Verdict::proved;
        result.text = "counters order the programs that write to the same element";
    } else if (covers && disjoint) {
        result.verdict = Verdict::proved;
        result.text = tensor_.mode == Mode::out ? "the tiles fill it without a gap"
                                                : "the tiles do not overlap";
    } else if ((counted || !refute(stores_, doubts, diag, &result)) &&
               !(none && refute_without_programs(*none, diag, &result))) {
        trust_or_list(covers, disjoint || counted, diag, result);
    }
    list.push_back(result);
    return result.verdict;
}

bool Output::states(std::string_view fact) const {
    return std::any_of(kernel_.trusted.begin(), kernel_.trusted.end(), [&](const Trusted& t) {
        return t.fact == fact && t.tensor == tensor_.name;
    });
}

// What is not decided can be stated: `trusts covers(C), disjoint(C)`.
void Output::trust_or_list(bool covers, bool disjoint, Diagnostics& diag,
                           Obligation& result) const {
    const bool needs_cover = !covers;
    const bool needs_disjoint = !disjoint;
    if ((covers || states("covers")) && (disjoint || states("disjoint"))) {
        result.verdict = Verdict::trusted;
        result.text = "by `trusts`; checked when emulated and in debug builds";
        return;
    }
    result.text =
        "neither proved, nor refuted with small extents; checked when emulated and in debug builds";
    diag.warning(result.span, msg::not_decided, result.what)
        .help("if this always holds, write `trusts {}{}{}`",
              needs_cover ? fmt::format("covers({})", tensor_.name) : "",
              needs_cover && needs_disjoint ? ", " : "",
              needs_disjoint ? fmt::format("disjoint({})", tensor_.name) : "");
}

std::optional<NormalForm> Output::unwritten_without_programs() const {
    const Bindings bindings = bindings_of(kernel_);
    std::vector<NormalForm> extents;
    for (const Scalar& e : tensor_.extents) extents.push_back(normal_form(e, bindings));
    const Facts launch = facts_of_launch(kernel_, bindings);
    for (const GridAxis& axis : kernel_.grid) {
        const NormalForm length =
            normal_form(axis.end, bindings) - normal_form(axis.begin, bindings);
        if (std::find(extents.begin(), extents.end(), length) != extents.end()) continue;
        if (launch.prove_at_least(length, 1)) continue;
        // Without programs along this axis nothing may be left to write; of a product, one of the
        // factors is 0.
        std::vector<NormalForm> none = {length};
        const NormalForm known = launch.apply(length);
        if (known.terms().size() == 1 && known.terms().begin()->second > 0) {
            none.clear();
            for (const Atom& a : known.terms().begin()->first) none.emplace_back(a);
        }
        const bool harmless = std::all_of(none.begin(), none.end(), [&](const NormalForm& x) {
            Facts empty = launch;
            if (empty.prove_at_least(x, 0)) {
                empty.assume_zero(x);
            } else {
                empty.assume_at_least_zero(-x);
            }
            return empty.contradictory() ||
                   std::any_of(extents.begin(), extents.end(), [&](const NormalForm& e) {
                       return empty.prove_at_least(-empty.apply(e), 0);
                   });
        });
        if (!harmless) return length;
    }
    return std::nullopt;
}

bool Output::refute_without_programs(const NormalForm& none, Diagnostics& diag,
                                     Obligation* result) const {
    const Bindings bindings = bindings_of(kernel_);
    const Facts launch = facts_of_launch(kernel_, bindings);
    std::vector<NormalForm> goals = {at_least_zero(-none)};
    for (const Scalar& e : tensor_.extents) {
        goals.push_back(at_least_zero(normal_form(e, bindings) - NormalForm(1)));
    }
    const auto values = launch.find(goals);
    if (!values || !is_refuted(trial_, values->values)) return false;
    const std::string where = text_of_extents(*values);
    diag.error(stores_[0]->span, msg::not_covered,
               fmt::format("no element of `{}` is written when {}", tensor_.name, where))
        .primary("no program executes this")
        .label(tensor_.span, "every element of an `out` tensor must be written")
        .help("write `{} {}requires {} >= 1`: if that is 0, the grid has no program",
              kernel_.source, kernel_.conditions.empty() ? "" : ".., ", to_string(none));
    result->verdict = Verdict::refuted;
    result->text = fmt::format("when {}: there is no program", where);
    result->witness = values->values;
    return true;
}

bool check_coverage(const Kernel& kernel, Diagnostics& diag, std::vector<Obligation>* obligations,
                    const TryWitness& trial) {
    const Facts facts = facts_of(kernel, bindings_of(kernel));
    std::optional<CounterOrder> order;
    if (!kernel.counters.empty()) order.emplace(kernel);
    const std::vector<Access> accesses = find_accesses(kernel);
    bool good = true;
    std::vector<Obligation> list;
    for (const Tensor& tensor : kernel.tensors) {
        if (tensor.mode == Mode::in) continue;
        Output output(kernel, tensor, accesses, facts, order ? &*order : nullptr, trial);
        good = output.decide(diag, list) && good;
    }
    if (obligations != nullptr) obligations->insert(obligations->end(), list.begin(), list.end());
    return good;
}

}  // namespace tkc::checks
