// Proving from the form of the accesses: a position along an axis is a sum of strides times the
// numbers of grid or loop iterations, and sorted by stride each is the length of what the ones
// before it fill together (tiles, chunks, mixed radix).
#include "checks/tile/stores.h"

#include <algorithm>

namespace tkc::checks {

using namespace ir;

namespace {

// The factor of the number in a form linear in it, if it is.
std::optional<NormalForm> stride_of(const NormalForm& x, const std::string& index) {
    const NormalForm at_zero = substitute(x, {{index, NormalForm(0)}});
    const NormalForm stride = substitute(x, {{index, NormalForm(1)}}) - at_zero;
    if (!(at_zero + stride * symbol_form(index) == x)) return std::nullopt;
    return stride;
}

// `(x + c) % extent` for a number x that runs over the whole axis visits each place once, whatever
// c is: the form without the remainder, or nothing.
std::optional<NormalForm> without_turn(const AccessAxis& axis) {
    std::optional<NormalForm> found;
    visit_atoms(axis.base, [&](const Atom& a) {
        if (a->kind != AtomKind::quotient || !(a->parts[1] == axis.extent)) return;
        const NormalForm whole = axis.base + axis.extent * NormalForm(a);
        if (whole == a->parts[0]) found = whole;
    });
    return found;
}

// Whether x is never less where the atom is larger.
bool grows_with(const NormalForm& x, Atom atom) {
    const auto holds_it = [&](const NormalForm& y) {
        bool found = false;
        visit_atoms(y, [&](const Atom& a) { found = found || a == atom; });
        return found;
    };
    for (const auto& [monomial, coefficient] : x.terms()) {
        const bool concerned = std::any_of(monomial.begin(), monomial.end(),
                                           [&](const Atom& a) { return holds_it(NormalForm(a)); });
        if (!concerned) continue;
        if (monomial.size() != 1 || coefficient < 0) return false;
        const Atom a = monomial[0];
        if (a == atom) continue;
        const bool extreme = a->kind == AtomKind::minimum || a->kind == AtomKind::maximum;
        const bool quotient = a->kind == AtomKind::quotient && !holds_it(a->parts[1]);
        if (!extreme && !quotient) return false;
        for (const NormalForm& p : a->parts) {
            if (!grows_with(p, atom)) return false;
        }
    }
    return true;
}

// How often a loop runs, without a bound that only keeps it from stepping past the edge of the
// axis: 4 for 0..min(4, H - first) where the positions begin at `first`. What lies outside is not
// written. That holds only where a later end means more iterations.
NormalForm unclipped(const NormalForm& trips, const NormalForm& stride, const NormalForm& first,
                     const NormalForm& extent, const Facts& facts) {
    Atom clip = nullptr;
    visit_atoms(trips, [&](const Atom& a) {
        if (a->kind == AtomKind::minimum && a->parts.size() == 2) clip = a;
    });
    if (clip == nullptr || !grows_with(trips, clip)) return trips;
    const auto with = [&](const NormalForm& part) {
        return facts.simplify(replace_atoms(trips, [&](const Atom& a) -> std::optional<NormalForm> {
            return a == clip ? std::optional(part) : std::nullopt;
        }));
    };
    for (const std::size_t edge : {std::size_t{0}, std::size_t{1}}) {
        // max(0, H - first) steps from `first` on end at H or after it, and so do H - first.
        const NormalForm end = first + stride * with(clip->parts[edge]);
        if (facts.prove_at_least(end - extent, 0)) return with(clip->parts[1 - edge]);
    }
    return trips;
}

// Whether the loop ends at the edge of the axis or after it, wherever the other numbers let it
// begin: `p..R by P` for all p. It then goes as far as there is something to write.
bool reaches_edge(const Access& site, const CountedLoop& loop, const NormalForm& position,
                  const NormalForm& stride, const NormalForm& extent, const Facts& known) {
    const bool varies =
        std::any_of(site.counters.begin(), site.counters.end(),
                    [&](const CountedLoop& other) { return mentions(loop.trips, other.index); });
    if (loop.of_grid || !varies) return false;
    Facts facts = known;
    for (const CountedLoop& c : site.counters) assume_counted(c, &facts);
    const NormalForm first = substitute(position, {{loop.index, NormalForm(0)}});
    return facts.prove_at_least(first + stride * loop.trips - extent, 0);
}

// The number whose stride is what is filled already, else one of a larger stride.
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

// The position with numbers that lead towards 0 counted from their other end: the same places.
NormalForm rising(const Access& site, NormalForm position, const Facts& facts) {
    for (const CountedLoop& c : site.counters) {
        if (!mentions(position, c.index)) continue;
        const auto stride = stride_of(position, c.index);
        if (!stride || !facts.prove_at_least(-*stride, 1)) continue;
        const NormalForm mirrored = c.trips - NormalForm(1) - symbol_form(c.index);
        position = substitute(position, {{c.index, mirrored}});
    }
    return position;
}

// One axis: the counters in it, from the smallest stride, fill it without a gap. Uses up those it
// finds.
void prove_axis(const Access& site, const AccessAxis& axis, const Facts& facts,
                std::vector<bool>& used, Attempt& attempt) {
    if (axis.whole) return;
    // What a view's edge cuts off is not written.
    if (axis.edge && !facts.prove_at_least(*axis.edge - axis.extent, 0)) attempt.covers = false;
    NormalForm filled = axis.size();
    const std::optional<NormalForm> turned = without_turn(axis);
    const NormalForm position = rising(site, turned.value_or(axis.base), facts);
    NormalForm rest = position;
    bool by_programs = false;
    bool to_the_edge = false;
    for (;;) {
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
        by_programs = by_programs || c.of_grid;
        rest = substitute(rest, {{c.index, NormalForm(0)}});
        to_the_edge = !turned && reaches_edge(site, c, position, stride, axis.extent, facts);
        if (to_the_edge) break;
        filled =
            filled *
            (c.of_grid || turned ? c.trips : unclipped(c.trips, stride, rest, axis.extent, facts));
    }
    if (turned) {
        // Once round the axis is each place once, wherever it starts; further, some are written
        // again, and none lies outside.
        if (by_programs && !facts.prove_at_least(axis.extent - filled, 0)) {
            attempt.disjoint = false;
            attempt.doubts.push_back(at_least_zero(filled - axis.extent - NormalForm(1)));
        }
        if (axis.length == 1 && facts.prove_at_least(filled - axis.extent, 0)) return;
    }
    for (const CountedLoop& c : site.counters) {
        if (mentions(rest, c.index)) attempt.disjoint = false;
    }
    if (!rest.is_zero() && (turned || !facts.prove_at_least(-rest, 0))) attempt.covers = false;
    if (to_the_edge) return;
    const NormalForm behind = axis.extent - (turned ? NormalForm(0) : rest) - filled;
    if (facts.prove_at_least(-behind, 0)) return;
    attempt.covers = false;
    attempt.doubts.push_back(at_least_zero(behind - NormalForm(1)));
}

// A number x that occurs as x div G and x mod G alone is two numbers, if G divides how many there
// are.
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

// Numbers that are 0 wherever the store runs: of loops of one step, and of a grid axis along which
// the store is under `if n.index == 0`, if there is such a program at all. Where it is
// under a condition that only the last of them meets, the number is that one's.
Access without_choice(Access site, const Facts& facts, Attempt& attempt) {
    for (CountedLoop& c : site.counters) {
        if (facts.prove_equal(c.trips, NormalForm(1))) {
            for (AccessAxis& axis : site.axes) {
                axis.base = substitute(axis.base, {{c.index, NormalForm(0)}});
            }
            continue;
        }
        const NormalForm number = symbol_form(c.index);
        const NormalForm last = facts.simplify(c.trips) - NormalForm(1);
        const std::pair<NormalForm, NormalForm> choices[] = {
            {equals_zero(number), NormalForm(0)},
            {equals_zero(number - last), last},
            {at_least_zero(number - last), last},
            {negation(at_least_zero(last - NormalForm(1) - number)), last}};
        const auto choice =
            std::find_if(std::begin(choices), std::end(choices), [&](const auto& one) {
                const NormalForm rest = substitute(site.condition, {{c.index, one.second}});
                return mentions(site.condition, c.index) && site.condition == rest * one.first;
            });
        if (choice == std::end(choices)) continue;
        const NormalForm value = choice->second;
        const NormalForm where_chosen = substitute(site.condition, {{c.index, value}});
        if (!facts.prove_at_least(c.trips, 1)) {
            attempt.doubts.push_back(at_least_zero(-c.trips));
            continue;
        }
        site.condition = where_chosen;
        for (AccessAxis& axis : site.axes) {
            axis.base = substitute(axis.base, {{c.index, value}});
        }
        c.trips = NormalForm(1);
    }
    return site;
}

}  // namespace

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

// ---- several accesses that do one thing ----

std::optional<Access> renamed_as(const Access& a, Access b, const Facts& facts) {
    if (a.counters.size() != b.counters.size()) return std::nullopt;
    Bindings names;
    for (std::size_t i = 0; i < a.counters.size(); ++i) {
        const CountedLoop& x = a.counters[i];
        const CountedLoop& y = b.counters[i];
        const NormalForm trips = substitute(y.trips, names);
        if (x.of_grid != y.of_grid || !facts.prove_equal(x.trips, trips)) return std::nullopt;
        if (x.index != y.index) names[y.index] = symbol_form(x.index);
    }
    for (AccessAxis& axis : b.axes) axis.base = substitute(axis.base, names);
    b.condition = substitute(b.condition, names);
    b.counters = a.counters;
    return b;
}

// Whether the slice is all of the axis, as `:` or as `0 +: 64` of 64.
static bool fills(const AccessAxis& axis, const Facts& facts) {
    if (axis.edge || axis.base.is_unknown()) return false;
    return axis.whole || (axis.base.is_zero() && facts.prove_equal(axis.size(), axis.extent));
}

std::vector<std::size_t> different_axes(const Access& a, const Access& b, const Facts& facts) {
    std::vector<std::size_t> list;
    for (std::size_t i = 0; i < a.axes.size(); ++i) {
        const AccessAxis& x = a.axes[i];
        const AccessAxis& y = b.axes[i];
        const bool ends = x.edge.has_value() == y.edge.has_value() &&
                          (!x.edge || facts.prove_equal(*x.edge, *y.edge));
        const bool same = x.whole != y.whole
                              ? fills(x, facts) && fills(y, facts)
                              : ends && (x.whole || (facts.prove_equal(x.size(), y.size()) &&
                                                     facts.prove_equal(x.base, y.base)));
        if (!same) list.push_back(i);
    }
    return list;
}

namespace {

// One store that writes what the two write: they lie side by side, or under a condition and its
// opposite.
std::optional<Access> joined(const Access& a, const Access& given, const Facts& facts) {
    const std::optional<Access> b = renamed_as(a, given, facts);
    if (!b) return std::nullopt;
    Access both = a;
    const std::vector<std::size_t> different = different_axes(a, *b, facts);
    const bool same_condition = a.condition == b->condition;
    if (different.empty() && same_condition && a.role == b->role)
        return both;  // one after the other
    if (different.empty() && (a.condition * b->condition).is_zero()) {
        both.condition = a.condition + b->condition;  // one or the other
        return both;
    }
    if (different.size() != 1 || !same_condition) return std::nullopt;
    AccessAxis& axis = both.axes[different[0]];
    const AccessAxis& other = b->axes[different[0]];
    if (axis.whole || other.whole || axis.edge || other.edge) return std::nullopt;
    const NormalForm distance = other.base - axis.base;
    const bool after = facts.prove_equal(distance, axis.size());
    if (!after && !facts.prove_equal(-distance, other.size())) return std::nullopt;
    if (!after) axis.base = other.base;
    if (axis.loops || other.loops) axis.loops = axis.size() + other.size();
    axis.length += other.length;
    return both;
}

}  // namespace

void assume_counted(const CountedLoop& loop, Facts* facts) {
    const NormalForm number = symbol_form(loop.index);
    facts->assume_at_least_zero(number);
    facts->assume_at_least_zero(loop.trips - NormalForm(1) - number);
}

Access folded(Access site, std::size_t kept, const Facts& facts) {
    for (std::size_t i = site.counters.size(); i > kept; --i) {
        const CountedLoop c = site.counters[i - 1];
        AccessAxis* along = nullptr;
        bool once = !c.of_grid && !mentions(site.condition, c.index);
        for (AccessAxis& axis : site.axes) {
            if (!mentions(axis.base, c.index) && !mentions(axis.size(), c.index)) continue;
            once = once && along == nullptr && !axis.whole;
            along = &axis;
        }
        for (const CountedLoop& other : site.counters)
            once = once && !mentions(other.trips, c.index);
        if (!once || along == nullptr || mentions(along->size(), c.index)) continue;
        const NormalForm base = rising(site, along->base, facts);
        const auto stride = stride_of(base, c.index);
        if (!stride || !facts.prove_equal(*stride, along->size())) continue;
        along->base = substitute(base, {{c.index, NormalForm(0)}});
        const NormalForm trips = unclipped(c.trips, *stride, along->base, along->extent, facts);
        along->loops = along->size() * facts.simplify(trips);
        site.counters.erase(site.counters.begin() + static_cast<std::ptrdiff_t>(i - 1));
    }
    return site;
}

namespace {

// Many accesses, each joined with what lies near it in the text, so that the time grows as their
// number does.
std::vector<Access> joined_in_order(std::vector<Access> list, const Facts& facts) {
    constexpr std::size_t near = 4;
    std::vector<Access> made;
    for (Access& access : list) {
        made.push_back(std::move(access));
        for (bool changed = true; changed;) {  // what was joined may fit what is before it
            changed = false;
            const std::size_t last = made.size() - 1;
            for (std::size_t i = last; i > 0 && last - i < near && !changed; --i) {
                auto both = joined(made[i - 1], made[last], facts);
                if (!both) continue;
                made.pop_back();
                made.erase(made.begin() + static_cast<std::ptrdiff_t>(i) - 1);
                made.push_back(std::move(*both));
                changed = true;
            }
        }
    }
    return made;
}

}  // namespace

std::vector<Access> joined_all(std::vector<Access> list, const Facts& facts) {
    if (list.size() > 16) list = joined_in_order(std::move(list), facts);
    for (bool changed = list.size() <= 16; changed;) {
        changed = false;
        for (std::size_t i = 0; i < list.size() && !changed; ++i) {
            for (std::size_t j = i + 1; j < list.size() && !changed; ++j) {
                auto both = joined(list[i], list[j], facts);
                if (!both) continue;
                list[i] = std::move(*both);
                list.erase(list.begin() + static_cast<std::ptrdiff_t>(j));
                changed = true;
            }
        }
    }
    return list;
}

}  // namespace tkc::checks
