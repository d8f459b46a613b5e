// Every element of an output is written, and by one program only; and what a program reads of a
// tensor that is written, it alone writes.
//
// Proved from the form of the accesses: a position along an axis is a sum of strides times the
// numbers of grid or loop iterations, and sorted by stride each is the length of what the ones
// before it fill together (tiles, chunks, mixed radix). Stores that do one thing in parts count as
// one: slices side by side, the two branches of a condition. Refuted by small extents for which the
// boxes of all programs are listed and compared. Else undecided, which is no error: it is listed,
// and `requires` can state it.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "checks/boxes.h"
#include "checks/check.h"
#include "checks/joins.h"

namespace tkc::checks {

namespace {

using namespace ir;

/// The factor of the number in a form linear in it, if it is.
std::optional<NormalForm> stride_of(const NormalForm& x, const std::string& index) {
    const NormalForm at_zero = substitute(x, {{index, NormalForm(0)}});
    const NormalForm stride = substitute(x, {{index, NormalForm(1)}}) - at_zero;
    if (!(at_zero + stride * symbol_form(index) == x)) return std::nullopt;
    return stride;
}

/// What is missing for a proof: truths under which a refutation is likely.
struct Attempt {
    bool covers = true;    // every element is written
    bool disjoint = true;  // and none by two programs
    std::vector<NormalForm> doubts;
};

/// `(x + c) % extent` for a number x that runs over the whole axis visits each place once, whatever
/// c is: the form without the remainder, or nothing.
std::optional<NormalForm> without_turn(const AccessAxis& axis) {
    std::optional<NormalForm> found;
    visit_atoms(axis.base, [&](const Atom& a) {
        if (a->kind != AtomKind::quotient || !(a->parts[1] == axis.extent)) return;
        const NormalForm whole = axis.base + axis.extent * NormalForm(a);
        if (whole == a->parts[0]) found = whole;
    });
    return found;
}

/// How often a loop runs, without a bound that only keeps it from stepping past the edge of the
/// axis: 4 for 0..min(4, H - first) where the positions begin at `first`. What lies outside is not
/// written.
NormalForm unclipped(const NormalForm& trips, const NormalForm& stride, const NormalForm& first,
                     const NormalForm& extent, const Facts& facts) {
    Atom clip = nullptr;
    visit_atoms(trips, [&](const Atom& a) {
        if (a->kind == AtomKind::minimum && a->parts.size() == 2) clip = a;
    });
    if (clip == nullptr) return trips;
    const auto with = [&](const NormalForm& part) {
        return facts.simplify(replace_atoms(trips, [&](const Atom& a) -> std::optional<NormalForm> {
            return a == clip ? std::optional(part) : std::nullopt;
        }));
    };
    for (const std::size_t edge : {std::size_t{0}, std::size_t{1}}) {
        // max(0, H - first) steps from `first` on end at H or behind it, and so do H - first.
        const NormalForm end = first + stride * with(clip->parts[edge]);
        if (facts.prove_at_least(end - extent, 0)) return with(clip->parts[1 - edge]);
    }
    return trips;
}

/// The number whose stride is what is filled already, else one of a larger stride.
std::optional<std::size_t> next_counter(const Access& site, const NormalForm& rest,
                                        const NormalForm& filled, const Facts& facts) {
    std::optional<std::size_t> apart;
    NormalForm least;
    for (std::size_t i = 0; i < site.counters.size(); ++i) {
        const CountedLoop& c = site.counters[i];
        if (!mentions(rest, c.index)) continue;
        const auto stride = stride_of(rest, c.index);
        if (!stride) continue;
        if (facts.prove_equal(*stride, filled)) return i;
        if (!facts.prove_at_least(*stride - filled, 0)) continue;
        if (apart && !facts.prove_at_least(least - *stride, 0)) continue;
        apart = i;
        least = *stride;
    }
    return apart;
}

/// One axis: the counters in it, from the smallest stride, fill it without a gap. Uses up those it
/// finds.
void prove_axis(const Access& site, const AccessAxis& axis, const Facts& facts,
                std::vector<bool>& used, Attempt& attempt) {
    if (axis.whole) return;
    NormalForm filled(axis.length);
    const std::optional<NormalForm> turned = without_turn(axis);
    NormalForm rest = turned.value_or(axis.base);
    for (;;) {
        // Once round the axis is each place once; what is left only says where it starts.
        if (turned && axis.length == 1 && facts.prove_equal(filled, axis.extent)) return;
        const std::optional<std::size_t> i = next_counter(site, rest, filled, facts);
        if (!i) break;
        const CountedLoop& c = site.counters[*i];
        const NormalForm stride = *stride_of(rest, c.index);
        if (!facts.prove_equal(stride, filled)) {  // a gap
            attempt.covers = false;
            attempt.doubts.push_back(at_least_zero(axis.extent - filled - NormalForm(1)));
            filled = stride;
        }
        if (used[*i]) attempt.disjoint = attempt.covers = false;
        used[*i] = true;
        rest = substitute(rest, {{c.index, NormalForm(0)}});
        filled =
            filled * (c.of_grid ? c.trips : unclipped(c.trips, stride, rest, axis.extent, facts));
    }
    for (const CountedLoop& c : site.counters) {
        if (mentions(rest, c.index)) attempt.disjoint = false;
    }
    if (!rest.is_zero()) attempt.covers = false;
    if (facts.prove_at_least(filled - axis.extent, 0)) return;
    attempt.covers = false;
    attempt.doubts.push_back(at_least_zero(axis.extent - filled - NormalForm(1)));
}

/// A number x that occurs as x div G and x mod G alone is two numbers, if G divides how many there
/// are.
Access with_digits(Access site, const Facts& facts) {
    for (std::size_t i = 0; i < site.counters.size(); ++i) {
        const CountedLoop c = site.counters[i];
        const NormalForm number = symbol_form(c.index);
        std::optional<NormalForm> radix;
        bool several = false;
        for (const AccessAxis& axis : site.axes) {
            visit_atoms(axis.base, [&](const Atom& a) {
                if (a->kind != AtomKind::quotient || !(a->parts[0] == number)) return;
                several = several || (radix && !(*radix == a->parts[1]));
                radix = a->parts[1];
            });
        }
        if (!radix || several) continue;
        const NormalForm high = facts.simplify(quotient(c.trips, *radix));
        if (!facts.prove_equal(c.trips, *radix * high)) continue;
        CountedLoop digit = c;
        digit.index = c.index + "'";
        digit.trips = *radix;
        const NormalForm div = symbol_form(c.index + "\"");
        for (AccessAxis& axis : site.axes) {
            axis.base = replace_atoms(axis.base, [&](const Atom& a) -> std::optional<NormalForm> {
                const bool whole = a->kind == AtomKind::quotient && a->parts[0] == number;
                return whole ? std::optional(div) : std::nullopt;
            });
            axis.base = substitute(axis.base, {{c.index, *radix * div + symbol_form(digit.index)}});
        }
        site.counters[i].index = c.index + "\"";
        site.counters[i].trips = high;
        site.counters.insert(site.counters.begin() + static_cast<std::ptrdiff_t>(i), digit);
        ++i;
    }
    return site;
}

/// Numbers that are 0 wherever the store runs: of loops of one step, and of a grid axis along which
/// the store stands under `if n.index == 0`, if there is such a program at all.
Access without_choice(Access site, const Facts& facts, Attempt& attempt) {
    for (CountedLoop& c : site.counters) {
        if (facts.prove_equal(c.trips, NormalForm(1))) {
            for (AccessAxis& axis : site.axes) {
                axis.base = substitute(axis.base, {{c.index, NormalForm(0)}});
            }
            continue;
        }
        const NormalForm chosen = equals_zero(symbol_form(c.index));
        const NormalForm where_chosen = substitute(site.condition, {{c.index, NormalForm(0)}});
        if (!(site.condition == where_chosen * chosen)) continue;
        if (!facts.prove_at_least(c.trips, 1)) {
            attempt.doubts.push_back(at_least_zero(-c.trips));
            continue;
        }
        site.condition = where_chosen;
        for (AccessAxis& axis : site.axes) {
            axis.base = substitute(axis.base, {{c.index, NormalForm(0)}});
        }
        c.trips = NormalForm(1);
    }
    return site;
}

Attempt prove(const Access& given, const Facts& facts) {
    Attempt attempt;
    const Access site = without_choice(with_digits(given, facts), facts, attempt);
    std::vector<bool> used(site.counters.size(), false);
    for (const AccessAxis& axis : site.axes) prove_axis(site, axis, facts, used, attempt);
    for (std::size_t i = 0; i < used.size(); ++i) {
        const CountedLoop& c = site.counters[i];
        if (used[i]) continue;
        // A loop that stores to one place again and again overwrites in order; but it must run.
        if (!c.of_grid && facts.prove_at_least(c.trips, 1)) continue;
        if (c.of_grid && facts.prove_at_least(-c.trips, -1)) continue;
        (c.of_grid ? attempt.disjoint : attempt.covers) = false;
        attempt.doubts.push_back(c.of_grid ? at_least_zero(c.trips - NormalForm(2))
                                           : negation(at_least_zero(c.trips - NormalForm(1))));
    }
    if (!facts.prove(site.condition)) {
        attempt.covers = false;
        attempt.doubts.push_back(negation(site.condition));
    }
    return attempt;
}

// ---- one tensor ----

class Output {
public:
    Output(const Kernel& kernel, const Tensor& tensor, const std::vector<Access>& accesses,
           const Facts& facts)
        : kernel_(kernel), tensor_(tensor), facts_(facts) {
        for (const Access& a : accesses) {
            if (a.tensor == &tensor) (a.writes ? stores_ : loads_).push_back(&a);
        }
    }

    /// False if something was refuted.
    bool decide(Diagnostics& diag, std::vector<Obligation>& list) {
        const bool owned = tensor_.mode == Mode::out || tensor_.mode == Mode::inout;
        if (stores_.empty()) return decide_unwritten(diag, list);
        const Verdict writes =
            owned || tensor_.mode == Mode::scratch ? decide_writes(diag, list) : Verdict::proved;
        if (writes == Verdict::refuted) return false;
        return loads_.empty() || decide_reads(writes, diag, list);
    }

private:
    std::string whole_claim() const {
        return tensor_.mode == Mode::out
                   ? fmt::format("`{}`: every element is written, by one program", tensor_.name)
                   : fmt::format("`{}`: no element is written by two programs", tensor_.name);
    }

    bool decide_unwritten(Diagnostics& diag, std::vector<Obligation>& list) const {
        const bool read = tensor_.mode == Mode::scratch && !loads_.empty();
        if (tensor_.mode != Mode::out && !read) return true;
        auto builder = diag.error(read ? loads_[0]->span : tensor_.span, msg::not_covered, "all",
                                  tensor_.name, "in every launch");
        if (read) {
            builder.primary("it is read here")
                .help("store to `{}` first, or take it as an input", tensor_.name);
        } else {
            builder.help("store to `{}`, or remove the parameter", tensor_.name);
        }
        list.push_back({whole_claim(), Verdict::refuted, tensor_.span, "nobody writes it"});
        return false;
    }

    Verdict decide_writes(Diagnostics& diag, std::vector<Obligation>& list) {
        Obligation result{whole_claim(), Verdict::undecided, stores_[0]->span, {}};
        std::vector<Access> sites;
        for (const Access* site : stores_) sites.push_back(*site);
        sites = joined_all(std::move(sites), facts_);
        std::vector<NormalForm> doubts;
        bool covers = sites.size() == 1 || tensor_.mode != Mode::out;
        bool disjoint = sites.size() == 1;
        for (const Access& site : sites) {
            const Attempt attempt = prove(site, facts_);
            covers = covers && (attempt.covers || tensor_.mode != Mode::out);
            disjoint = disjoint && attempt.disjoint;
            doubts.insert(doubts.end(), attempt.doubts.begin(), attempt.doubts.end());
        }
        if (covers && disjoint) {
            result.verdict = Verdict::proved;
            result.text = tensor_.mode == Mode::out ? "the tiles fill it without a gap"
                                                    : "the tiles lie side by side";
        } else if (!refute(stores_, doubts, diag, &result)) {
            trust_or_list(covers, disjoint, diag, result);
        }
        list.push_back(result);
        return result.verdict;
    }

    /// What is not decided can be stated: `requires covers(C), disjoint(C)`.
    void trust_or_list(bool covers, bool disjoint, Diagnostics& diag, Obligation& result) const {
        const bool needs_cover = !covers;
        const bool needs_disjoint = !disjoint;
        for (const Trusted& t : kernel_.trusted) {
            covers = covers || (t.fact == "covers" && t.tensor == tensor_.name);
            disjoint = disjoint || (t.fact == "disjoint" && t.tensor == tensor_.name);
        }
        if (covers && disjoint) {
            result.verdict = Verdict::trusted;
            result.text = "by `requires`; checked when emulated and in debug builds";
            return;
        }
        result.text =
            "neither shown nor refuted by small extents; checked when emulated and in "
            "debug builds";
        diag.warning(result.span, msg::not_decided, result.what)
            .help("if it holds, state it: `requires {}{}{}`",
                  needs_cover ? fmt::format("covers({})", tensor_.name) : "",
                  needs_cover && needs_disjoint ? ", " : "",
                  needs_disjoint ? fmt::format("disjoint({})", tensor_.name) : "");
    }

    /// A program may read of it only what it alone writes.
    bool decide_reads(Verdict writes, Diagnostics& diag, std::vector<Obligation>& list) {
        Obligation result{
            fmt::format("`{}`: a program reads only what it alone writes", tensor_.name),
            Verdict::undecided,
            loads_[0]->span,
            {}};
        const bool settled = writes == Verdict::proved || writes == Verdict::trusted;
        const bool inside = std::all_of(loads_.begin(), loads_.end(), [&](const Access* load) {
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
            if (!refute(all, {}, diag, &result)) trust_or_list(true, false, diag, result);
        }
        list.push_back(result);
        return result.verdict != Verdict::refuted;
    }

    // ---- examples ----

    /// Tries the doubts, then launches of several programs, then any.
    bool refute(const std::vector<const Access*>& accesses, const std::vector<NormalForm>& doubts,
                Diagnostics& diag, Obligation* result) const {
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
        // Accesses under the same loops raise the same doubts.
        std::set<std::string> tried;
        return std::any_of(attempts.begin(), attempts.end(), [&](const auto& goals) {
            std::string keys;
            for (const NormalForm& goal : goals) keys += goal.key() + ";";
            return tried.insert(keys).second && refute_with(accesses, goals, diag, result);
        });
    }

    bool refute_with(const std::vector<const Access*>& accesses, std::vector<NormalForm> goals,
                     Diagnostics& diag, Obligation* result) const {
        for (const AccessAxis& axis : accesses[0]->axes) {
            goals.push_back(at_least_zero(axis.extent - NormalForm(1)));
        }
        std::set<std::string> names;  // so that every name they use has a value
        for (const Access* a : accesses) {
            for (const NormalForm& truth : names_in(*a)) {
                if (names.insert(truth.key()).second) goals.push_back(truth);
            }
        }
        const auto values = facts_.find(goals);
        if (!values) return false;
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
        const std::string where = text.empty() ? "in every launch" : "with " + text;
        if (!report(listing.boxes, extents, where, diag, result)) return false;
        result->witness = values->values;
        return true;
    }

    /// The values of a witness without those of one program: the launch is meant.
    std::string text_of_extents(const Witness& witness) const {
        std::string text;
        const auto add = [&](const std::string& name) {
            const auto found = witness.values.find(name);
            if (found == witness.values.end()) return;
            if (text.find(name + " =") != std::string::npos) return;
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

    /// Truths that always hold and mention the names in conditions and loops of the access.
    static std::vector<NormalForm> names_in(const Access& access) {
        std::set<std::string> names;
        const auto add = [&](const NormalForm& x) {
            visit_atoms(x, [&](const Atom& a) {
                const bool number = a->name.find('#') != std::string::npos;
                if (a->kind == AtomKind::symbol && !a->truth && !number) names.insert(a->name);
            });
        };
        add(access.condition);
        for (const AccessAxis& axis : access.axes) add(axis.base);
        for (const CountedLoop& c : access.counters) add(c.trips);
        std::vector<NormalForm> truths;
        for (const std::string& name : names) {
            const NormalForm x = symbol_form(name);
            truths.push_back(negation(equals_zero(x * x + NormalForm(1))));
        }
        return truths;
    }

    bool report(const std::vector<Box>& boxes, const std::vector<std::int64_t>& extents,
                const std::string& where, Diagnostics& diag, Obligation* result) const {
        if (const auto overlap = find_overlap(boxes)) {
            tell_overlap(*overlap, text_of(overlap->part, extents), where, diag, result);
            return true;
        }
        if (tensor_.mode != Mode::out) return false;
        if (const auto gap = find_gap(boxes, extents)) {
            const std::string part = text_of(*gap, extents);
            diag.error(stores_[0]->span, msg::not_covered, part, tensor_.name, where)
                .label(tensor_.span, "an `out` tensor is written whole")
                .help(
                    "let the grid or a loop around the store cover all of `{}`, and store under "
                    "no condition",
                    tensor_.name);
            result->text = where + ": nobody writes " + part;
            result->verdict = Verdict::refuted;
            return true;
        }
        return false;
    }

    void tell_overlap(const Overlap& overlap, const std::string& part, const std::string& where,
                      Diagnostics& diag, Obligation* result) const {
        const Access& x = *overlap.first->access;
        const Access& y = *overlap.second->access;
        const bool two_roles = overlap.first->program == overlap.second->program;
        const auto who = [&](const Box& box) {
            return two_roles ? fmt::format("role `{}`", box.access->role->name)
                             : fmt::format("the program of {}", box.program);
        };
        result->verdict = Verdict::refuted;
        if (x.writes && y.writes) {
            auto builder = diag.error(x.span, msg::written_by_two, part, tensor_.name,
                                      two_roles ? "roles of one program" : "programs", where);
            if (&x != &y) builder.label(y.span, "and here");
            if (two_roles) {
                builder.note("by {} and by {}", who(*overlap.first), who(*overlap.second))
                    .help("let one role store it, or each its own part");
            } else {
                builder
                    .note("by {} and by the one of {}", who(*overlap.first),
                          overlap.second->program)
                    .help("let every grid variable choose its own part of `{}`", tensor_.name);
            }
            result->text =
                fmt::format("{}: two {} write {}", where, two_roles ? "roles" : "programs", part);
            return;
        }
        const Box& reader = x.writes ? *overlap.second : *overlap.first;
        const Box& writer = x.writes ? *overlap.first : *overlap.second;
        diag.error(reader.access->span, msg::read_of_others, part, tensor_.name, who(reader),
                   who(writer), where)
            .primary("read here")
            .label(writer.access->span, "written here")
            .help(two_roles
                      ? "read and store it in one role, or pass it through a pipeline"
                      : "read only the slices that the program itself stores, or take the old "
                        "values as an input of its own");
        result->text = fmt::format("{}: {} is read by {} and written by {}", where, part,
                                   who(reader), who(writer));
    }

    const Kernel& kernel_;
    const Tensor& tensor_;
    std::vector<const Access*> stores_;
    std::vector<const Access*> loads_;
    const Facts& facts_;
};

}  // namespace

bool check_coverage(const Kernel& kernel, Diagnostics& diag, std::vector<Obligation>* obligations) {
    const Facts facts = facts_of(kernel, bindings_of(kernel));
    const std::vector<Access> accesses = find_accesses(kernel);
    bool good = true;
    std::vector<Obligation> list;
    for (const Tensor& tensor : kernel.tensors) {
        if (tensor.mode == Mode::in) continue;
        good = Output(kernel, tensor, accesses, facts).decide(diag, list) && good;
    }
    if (obligations != nullptr) obligations->insert(obligations->end(), list.begin(), list.end());
    return good;
}

}  // namespace tkc::checks
