// Which accesses of different programs counters put in order. docs/proofs.md has the arguments.
#include <algorithm>

#include "checks/tile/counters.h"
#include "checks/tile/separate_accesses.h"

namespace tkc::checks {

using namespace ir;

namespace {

bool implies(const NormalForm& condition, const NormalForm& other) {
    return (condition * negation(other)).is_zero();
}

// Whether every loop around `outer` is around `inner`.
bool is_in_loops_of(const Access& inner, const Access& outer) {
    return outer.counters.size() <= inner.counters.size() &&
           std::equal(outer.counters.begin(), outer.counters.end(), inner.counters.begin(),
                      [](const auto& x, const auto& y) { return x.index == y.index; });
}

}  // namespace

// Whether the await has run wherever the access does.
bool CounterOrder::guards(const Counting& await, const Access& access) const {
    return await.role == access.role && await.place < access.place &&
           is_in_loops_of(access, await) && implies(access.condition, await.condition);
}

// Whether the signal runs after the access, wherever that does.
bool CounterOrder::releases(const Counting& signal, const Access& access) const {
    return signal.role == access.role && access.place < signal.place &&
           is_in_loops_of(access, signal) && implies(access.condition, signal.condition);
}

// Whether two accesses that meet are at one element of the counter: each place in it follows from
// the position along an axis of the tensor, which is divided into parts of one width.
bool CounterOrder::same_element(Access a, const Counting& of_a, Access b,
                                const Counting& of_b) const {
    simplify(a);
    simplify(b);
    const auto offset = [](const AccessAxis& axis, const NormalForm& place, std::int64_t width,
                           std::int64_t* at) {
        return !axis.whole && !axis.loops &&
               (axis.base - NormalForm(width) * place).is_constant(at) && *at >= 0 &&
               *at + axis.length <= width;
    };
    for (std::size_t i = 0; i < of_a.axes.size(); ++i) {
        const NormalForm& place_a = of_a.axes[i].base;
        const NormalForm& place_b = of_b.axes[i].base;
        std::int64_t known_a = 0;
        std::int64_t known_b = 0;
        bool same =
            place_a.is_constant(&known_a) && place_b.is_constant(&known_b) && known_a == known_b;
        for (std::size_t axis = 0; axis < a.axes.size() && !same; ++axis) {
            std::set<std::int64_t> widths{a.axes[axis].length, b.axes[axis].length};
            for (const auto& [monomial, coefficient] : a.axes[axis].base.terms())
                widths.insert(std::abs(coefficient));
            same = std::any_of(widths.begin(), widths.end(), [&](std::int64_t width) {
                std::int64_t at_a = 0;
                std::int64_t at_b = 0;
                return offset(a.axes[axis], place_a, width, &at_a) &&
                       offset(b.axes[axis], place_b, width, &at_b);
            });
        }
        if (!same) return false;
    }
    return true;
}

// Whether the store comes before the other access, of another program, wherever they meet.
bool CounterOrder::before(const Access& store, const Access& later) const {
    return std::any_of(awaited_.begin(), awaited_.end(), [&](const Awaited& w) {
        return w.form != Awaited::Form::in_turn && releases(*w.signal, store) &&
               guards(*w.await, later) && same_element(store, *w.signal, later, *w.await);
    });
}

bool CounterOrder::in_turn(const Access& a, const Access& b) const {
    return std::any_of(awaited_.begin(), awaited_.end(), [&](const Awaited& w) {
        return w.form == Awaited::Form::in_turn && releases(*w.signal, a) &&
               releases(*w.signal, b) && guards(*w.await, a) && guards(*w.await, b) &&
               same_element(a, *w.signal, b, *w.signal);
    });
}

bool CounterOrder::is_alone(const Access& a) const {
    return std::any_of(awaited_.begin(), awaited_.end(), [&](const Awaited& w) {
        return w.form == Awaited::Form::in_turn && same_loops(a, *w.signal) &&
               releases(*w.signal, a);
    });
}

bool CounterOrder::never_conflict(const Access& a, const Access& b) const {
    return programs_apart(a, b, facts_) && roles_apart(a, b, facts_);
}

bool CounterOrder::in_order(const Access& a, const Access& b) const {
    return in_turn(a, b) || before(a, b) || before(b, a);
}

bool CounterOrder::waits_for(const Access& load, const Access& store) const {
    return std::any_of(awaited_.begin(), awaited_.end(), [&](const Awaited& w) {
        return guards(*w.await, load) && releases(*w.signal, store);
    });
}

bool CounterOrder::is_written(const Access& load, const std::vector<const Access*>& stores) const {
    for (const Awaited& w : awaited_) {
        if (w.form == Awaited::Form::in_turn || !guards(*w.await, load)) continue;
        for (const Access* store : stores) {
            if (!releases(*w.signal, *store) || !same_loops(*store, *w.signal) ||
                !implies(w.signal->condition, store->condition))
                continue;
            // The program that wrote it: it follows from the element, or from an axis of the slice.
            Facts facts = facts_at(load);
            Bindings numbers = w.signaller;
            if (w.form == Awaited::Form::all) {
                std::optional<NormalForm> other;
                for (std::size_t axis = 0; axis < store->axes.size() && !other; ++axis) {
                    const NormalForm base = substitute(store->axes[axis].base, numbers);
                    const NormalForm rest = base - symbol_form(other_program);
                    if (store->axes[axis].whole || mentions(rest, other_program)) continue;
                    other = load.axes[axis].base - rest;
                }
                if (!other) continue;
                for (auto& [name, value] : numbers)
                    value = substitute(value, {{other_program, *other}});
                if (!facts.prove_at_least(*other - w.first, 0) ||
                    !facts.prove_at_least(w.first + w.count - NormalForm(1) - *other, 0))
                    continue;
            }
            bool contained = true;
            for (std::size_t axis = 0; axis < store->axes.size(); ++axis) {
                const AccessAxis& s = store->axes[axis];
                const AccessAxis& l = load.axes[axis];
                if (s.whole) continue;
                const NormalForm begin = substitute(s.base, numbers);
                contained = contained && !l.whole && !s.edge &&
                            facts.prove_at_least(l.base - begin, 0) &&
                            facts.prove_at_least(
                                begin + NormalForm(s.length) - l.base - NormalForm(l.length), 0);
            }
            if (contained) return true;
        }
    }
    return false;
}

}  // namespace tkc::checks
