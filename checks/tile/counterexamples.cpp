// Refuting by example: launches of a few programs, of which all boxes are listed and compared.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "checks/tile/output.h"

namespace tkc::checks {

using namespace ir;

namespace {

// Truths that always hold and mention the names in conditions and loops of the access.
std::vector<NormalForm> names_in(const Access& access) {
    std::set<std::string> names;
    const auto add = [&](const NormalForm& x) {
        visit_atoms(x, [&](const Atom& a) {
            const bool number = a->name.find('#') != std::string::npos;
            if (a->kind == AtomKind::symbol && !a->truth && !number) names.insert(a->name);
        });
    };
    add(access.condition);
    for (const AccessAxis& axis : access.axes) {
        add(axis.base);
        if (axis.edge) add(*axis.edge);
    }
    for (const CountedLoop& c : access.counters) add(c.trips);
    std::vector<NormalForm> truths;
    for (const std::string& name : names) {
        const NormalForm x = symbol_form(name);
        truths.push_back(negation(equals_zero(x * x + NormalForm(1))));
    }
    return truths;
}

// Launches large enough that what is shifted by a constant meets what the next programs touch: a
// tile of 4 rows that begins 5 rows further on.
std::vector<NormalForm> far_enough(const std::vector<const Access*>& accesses) {
    std::vector<NormalForm> goals;
    const auto add = [&](const NormalForm& x, std::int64_t least) {
        const NormalForm goal = at_least_zero(x - NormalForm(least));
        if (std::find(goals.begin(), goals.end(), goal) == goals.end()) goals.push_back(goal);
    };
    for (std::size_t i = 0; i < accesses[0]->axes.size(); ++i) {
        std::int64_t shift = 0;
        std::int64_t step = 1;
        for (const Access* a : accesses) {
            const AccessAxis& axis = a->axes[i];
            shift = std::max(shift, std::abs(axis.base.constant()));
            for (const auto& [monomial, coefficient] : axis.base.terms()) {
                if (!monomial.empty()) step = std::max(step, std::abs(coefficient));
            }
            step = std::max(step, axis.length);
        }
        if (shift > 1 << 20 || step > 1 << 20) continue;
        for (const std::int64_t steps : {1, 2, 3}) {
            add(accesses[0]->axes[i].extent, shift + steps * step + 1);
        }
    }
    return goals;
}

}  // namespace

// Tries the doubts, then launches of several programs, then any.
bool Output::refute(const std::vector<const Access*>& accesses,
                    const std::vector<NormalForm>& doubts, Diagnostics& diag,
                    Obligation* result) const {
    std::vector<NormalForm> some;  // there are programs at all
    for (const CountedLoop& c : accesses[0]->counters) {
        if (c.of_grid) some.push_back(at_least_zero(c.trips - NormalForm(1)));
    }
    std::vector<std::vector<NormalForm>> attempts;
    for (const NormalForm& doubt : doubts) {
        attempts.push_back({doubt});
        attempts.back().insert(attempts.back().end(), some.begin(), some.end());
        attempts.push_back({doubt});
    }
    std::vector<NormalForm> many;
    std::set<std::string> known;
    const auto add_once = [&](const NormalForm& goal) {
        if (known.insert(goal.key()).second) many.push_back(goal);
    };
    for (const Access* a : accesses) {
        for (const CountedLoop& c : a->counters) {
            if (!c.of_grid) continue;
            attempts.push_back({at_least_zero(c.trips - NormalForm(2))});
            add_once(attempts.back()[0]);
        }
        for (const AccessAxis& axis : a->axes) {
            visit_atoms(axis.base, [&](const Atom& atom) {
                if (atom->kind != AtomKind::quotient) return;
                const NormalForm& d = atom->parts[1];
                if (!d.is_constant()) add_once(at_least_zero(d - NormalForm(2)));
            });
        }
    }
    attempts.push_back(many);
    attempts.push_back(some);
    for (const NormalForm& far : far_enough(accesses)) attempts.push_back({far});
    // Accesses under the same loops raise the same doubts.
    std::set<std::string> tried;
    return std::any_of(attempts.begin(), attempts.end(), [&](const auto& goals) {
        std::string keys;
        for (const NormalForm& goal : goals) keys += goal.key() + ";";
        return tried.insert(keys).second && refute_with(accesses, goals, diag, result);
    });
}

std::optional<Witness> Output::find_launch(const std::vector<const Access*>& accesses,
                                           std::vector<NormalForm> goals) const {
    for (const AccessAxis& axis : accesses[0]->axes) {
        goals.push_back(at_least_zero(axis.extent - NormalForm(1)));
    }
    std::set<std::string> names;  // so that every name they use has a value
    for (const Access* a : accesses) {
        for (const NormalForm& truth : names_in(*a)) {
            if (names.insert(truth.key()).second) goals.push_back(truth);
        }
    }
    return facts_.find(goals);
}

// Whether the data of a witness are as `trusts increasing(start)` says.
bool Output::obeys_increasing(const Witness& witness) const {
    for (const Trusted& t : kernel_.trusted) {
        constexpr std::string_view word = "increasing(";
        if (!t.fact.starts_with(word)) continue;
        std::map<std::int64_t, std::int64_t> elements;
        const std::string head = t.fact.substr(word.size(), t.fact.find(')') - word.size()) + "[";
        for (const auto& [leaf, value] : witness.values) {
            if (leaf.starts_with(head)) elements[std::stoll(leaf.substr(head.size()))] = value;
        }
        const bool rises =
            std::is_sorted(elements.begin(), elements.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
        if (!rises) return false;
    }
    return true;
}

bool Output::refute_with(const std::vector<const Access*>& accesses, std::vector<NormalForm> goals,
                         Diagnostics& diag, Obligation* result) const {
    const auto values = find_launch(accesses, std::move(goals));
    if (!values || !obeys_increasing(*values)) return false;
    Listing listing(values->values);
    for (const Access* a : accesses) {
        if (!listing.list(*a)) return false;
    }
    std::vector<std::int64_t> extents;
    for (const AccessAxis& axis : accesses[0]->axes) {
        const auto extent = evaluate(axis.extent, values->leaves());
        if (!extent) return false;
        extents.push_back(*extent);
    }
    const std::string text = text_of_extents(*values);
    const std::string where = text.empty() ? "in every launch" : "when " + text;
    if (!report(listing.boxes, extents, where, values->values, diag, result)) return false;
    result->witness = values->values;
    return true;
}

// The values of a witness without those of one program: the launch is meant.
std::string Output::text_of_extents(const Witness& witness) const {
    std::string text;
    std::set<std::string> seen;
    const auto add = [&](const std::string& name) {
        const auto found = witness.values.find(name);
        if (found == witness.values.end() || !seen.insert(name).second) return;
        text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, found->second);
    };
    for (const Tensor& t : kernel_.tensors) {
        for (const Scalar& extent : t.extents) {
            for (const std::string& name : symbols_of(extent)) add(name);
        }
    }
    for (const Parameter& p : kernel_.parameters) add(p.name);
    return text;
}

// Where a launch leaves something out since an extent is 0, as a loop then has no step: that these
// extents are not, unless something else is left out then.
std::string Output::missing_requirement(const Assignment& values) const {
    Facts facts = facts_;
    std::string missing;
    for (const std::string& name : names_in_extents(kernel_)) {
        const auto found = values.find(name);
        if (found == values.end() || found->second != 0) continue;
        facts.assume_at_least_zero(symbol_form(name) - NormalForm(1));
        missing += fmt::format("{}{} >= 1", missing.empty() ? "" : ", ", name);
    }
    if (missing.empty()) return missing;
    std::vector<Access> accesses;
    for (const Access* store : stores_) accesses.push_back(*store);
    Diagnostics unheard;
    std::vector<Obligation> list;
    Output then(kernel_, tensor_, accesses, facts, order_, trial_);
    return then.decide_writes(unheard, list) == Verdict::refuted ? "" : missing;
}

bool Output::report(const std::vector<Box>& boxes, const std::vector<std::int64_t>& extents,
                    const std::string& where, const Assignment& values, Diagnostics& diag,
                    Obligation* result) const {
    if (const auto overlap = find_overlap(boxes, in_order_)) {
        // Programs have no order but by counters. Roles of one have more than is proved here.
        const bool ordered =
            overlap->first->program == overlap->second->program || order_ != nullptr;
        if (!(ordered ? is_seen : is_refuted)(trial_, values)) return false;
        report_overlap(*overlap, text_of(overlap->part, tensor_.name, extents), where, diag,
                       result);
        return true;
    }
    if (tensor_.mode != Mode::out) return false;
    if (const auto gap = find_gap(boxes, extents)) {
        if (!is_refuted(trial_, values)) return false;
        const std::string part = text_of(*gap, tensor_.name, extents);
        const bool all = part.front() != '`';
        auto builder =
            diag.error(stores_[0]->span, msg::not_covered,
                       all ? fmt::format("no element of `{}` is written {}", tensor_.name, where)
                           : fmt::format("{} is never written {}", part, where));
        builder.label(tensor_.span, "every element of an `out` tensor must be written");
        if (const std::string missing = missing_requirement(values); !missing.empty()) {
            builder.help("if every launch satisfies this, write `{} requires {}{}`", kernel_.source,
                         kernel_.conditions.empty() ? "" : ".., ", missing);
        } else {
            builder.help(
                "let the grid or a loop around the store cover all of `{}`, and store "
                "unconditionally; or declare `inout {}`, if the rest keeps its old values",
                tensor_.name, tensor_.name);
        }
        result->text = where + ": nothing writes " + part;
        result->verdict = Verdict::refuted;
        return true;
    }
    return false;
}

void Output::report_overlap(const Overlap& overlap, const std::string& part,
                            const std::string& where, Diagnostics& diag, Obligation* result) const {
    const Access& x = *overlap.first->access;
    const Access& y = *overlap.second->access;
    const bool two_roles = overlap.first->program == overlap.second->program;
    const auto who = [&](const Box& box) {
        return two_roles ? fmt::format("role `{}`", box.access->role->name)
                         : fmt::format("program {}", box.program);
    };
    result->verdict = Verdict::refuted;
    if (x.writes && y.writes) {
        auto builder = diag.error(x.span, msg::written_by_two,
                                  two_roles ? "roles of one program" : "programs", part, where);
        if (&x != &y) builder.label(y.span, "and here");
        if (two_roles) {
            builder.note("{} and {}", who(*overlap.first), who(*overlap.second))
                .help("let one role store it, or let each role store its own part");
        } else {
            builder
                .note("the programs at {} and at {}", overlap.first->program,
                      overlap.second->program)
                .help(
                    "let every grid variable choose its own part of `{0}`; to sum over programs, "
                    "use `reduce_add` on `accumulate {0}`, or store one part per tile, as in `out "
                    "Part: f32[ceil_div(N, 256), M]`, and add the parts in a second kernel of an "
                    "`entry`",
                    tensor_.name);
        }
        result->text =
            fmt::format("{}: two {} write {}", where, two_roles ? "roles" : "programs", part);
        return;
    }
    const Box& reader = x.writes ? *overlap.second : *overlap.first;
    const Box& writer = x.writes ? *overlap.first : *overlap.second;
    diag.error(reader.access->span, msg::read_of_others, who(reader), part, who(writer), where)
        .primary("read here")
        .label(writer.access->span, "written here")
        .help(two_roles ? "read and store it in one role, or pass it through a pipeline"
                        : "read only the slices that the program itself stores, or pass the old "
                          "values as a separate input");
    result->text =
        fmt::format("{}: {} reads {} and {} writes it", where, who(reader), part, who(writer));
}

}  // namespace tkc::checks
