// Matching awaits with the programs that signal. checks/tile/counters.h says what is looked for.
#include "checks/tile/counters.h"

#include <fmt/format.h>

#include <algorithm>

#include "checks/tile/separate_accesses.h"
#include "facts/program_order.h"

namespace tkc::checks {

using namespace ir;

namespace {

void assume_number(const NormalForm& number, const NormalForm& trips, Facts* facts) {
    facts->assume_at_least_zero(number);
    facts->assume_at_least_zero(trips_of_running(trips) - NormalForm(1) - number);
}

// For people: numbers of the grid and of loops by what they are called there.
std::string words(NormalForm x, const Access& at) {
    for (const CountedLoop& c : at.counters) {
        const bool plain = c.step == 1 && c.begin.is_zero();
        x = substitute(x, {{c.index, symbol_form(plain ? c.var : c.var + ".index")}});
    }
    return to_string(x);
}

// The grid axes along which a program that is at the same element may differ.
std::vector<const CountedLoop*> may_differ(const Access& a, const Access& b,
                                           std::set<std::string>* equal, const Facts& facts) {
    std::vector<const CountedLoop*> left;
    for (const CountedLoop& c : b.counters) {
        if (!c.of_grid) continue;
        if (facts.prove_at_least(NormalForm(1) - c.trips, 0)) equal->insert(c.index);
        else left.push_back(&c);
    }
    for (bool changed = true; changed;) {
        const auto settled = std::find_if(left.begin(), left.end(), [&](const CountedLoop* c) {
            return apart_where_different(a, b, *c, *equal, facts);
        });
        changed = settled != left.end();
        if (!changed) break;
        equal->insert((*settled)->index);
        left.erase(settled);
    }
    return left;
}

// Whether a program comes to the place at most once for each element.
bool comes_once(const Access& site, const Facts& facts) {
    std::set<std::string> equal;
    for (const CountedLoop& c : site.counters) {
        if (!c.of_grid && !apart_where_different(site, site, c, equal, facts)) return false;
        equal.insert(c.index);
    }
    return true;
}

// Facts that a product of something not negative and of what an axis of the grid leaves to its end
// is not negative: `h < H` follows from them for h = g*(H/G) + i.
void assume_products(const Access& site, const NormalForm& position, Facts* facts) {
    for (const CountedLoop& c : site.counters) {
        const Atom number = symbol_form(c.index).terms()[0].first[0];
        for (const auto& [monomial, coefficient] : position.terms()) {
            if (monomial.size() < 2) continue;
            NormalForm rest(1);
            bool once = false;
            bool known = true;
            for (const Atom& atom : monomial) {
                if (atom == number && !once) {
                    once = true;
                    continue;
                }
                rest = rest * NormalForm(atom);
                known = known && facts->prove_at_least(NormalForm(atom), 0);
            }
            if (!once || !known) continue;
            const NormalForm left =
                trips_of_running(c.trips) - NormalForm(1) - symbol_form(c.index);
            facts->assume_at_least_zero(left * rest);
        }
    }
}

// The number that the form is, alone with factor 1, besides others; null: none of `open`.
const CountedLoop* number_to_solve(const NormalForm& form,
                                   const std::vector<const CountedLoop*>& open) {
    for (const CountedLoop* c : open) {
        const NormalForm rest = form - symbol_form(c->index);
        if (!mentions(rest, c->index)) return c;
    }
    return nullptr;
}

}  // namespace

CounterOrder::CounterOrder(const Kernel& kernel)
    : kernel_(kernel),
      facts_(facts_of(kernel, bindings_of(kernel))),
      found_(find_accesses_in_order(kernel)) {
    for (Access& a : found_.accesses) simplify(a);
    for (Counting& c : found_.countings) {
        c.count = simplify(c).simplify(c.count);
    }
    for (const Counting& c : found_.countings) check_places(c);
    for (const Counting& c : found_.countings) {
        if (c.waits) prove(c);
    }
}

Facts CounterOrder::facts_at(const Access& access) const {
    Facts facts = facts_;
    for (const CountedLoop& c : access.counters)
        assume_number(symbol_form(c.index), c.trips, &facts);
    if (!(access.condition == NormalForm(1))) facts.assume(access.condition);
    return facts;
}

// Without the min and max that the place decides, so that forms can be solved and compared.
// Gives what is known there, but for conditions.
Facts CounterOrder::simplify(Access& access) const {
    Facts facts = facts_;
    for (CountedLoop& c : access.counters) {
        c.trips = facts.simplify(trips_of_running(c.trips));
        c.begin = facts.simplify(c.begin);
        assume_number(symbol_form(c.index), c.trips, &facts);
    }
    for (AccessAxis& axis : access.axes) axis.base = facts.simplify(axis.base);
    access.condition = facts.simplify(access.condition);
    return facts;
}

void CounterOrder::check_places(const Counting& c) {
    Facts facts = facts_at(c);
    for (std::size_t axis = 0; axis < c.axes.size(); ++axis) {
        const NormalForm& base = c.axes[axis].base;
        assume_products(c, base, &facts);
        const bool inside = facts.prove_at_least(base, 0) &&
                            facts.prove_at_least(c.axes[axis].extent - NormalForm(1) - base, 0);
        if (inside) continue;
        failures_.push_back(
            {&c,
             fmt::format("cannot prove that `{}` is within axis {} of `{}`, which has {} elements",
                         words(base, c), axis, c.counter->name, words(c.axes[axis].extent, c)),
             fmt::format(
                 "give `{}` a larger extent, or state the condition that ensures it: `requires ..`",
                 c.counter->name)});
        return;
    }
}

// ---- who signals -------------------------------------------------------------------------------

// The numbers of the signal, where it is at the element of the await, along x at `other`.
bool CounterOrder::solve(const Counting& signal, const Counting& await,
                         const std::set<std::string>& equal, const NormalForm* other,
                         Awaited& made) const {
    std::vector<const CountedLoop*> open;
    for (const CountedLoop& c : signal.counters) {
        if (equal.contains(c.index)) continue;
        if (c.index == made.axis && other != nullptr) made.signaller[c.index] = *other;
        else open.push_back(&c);
    }
    std::set<std::size_t> used;
    for (bool changed = true; changed && !open.empty();) {
        changed = false;
        for (std::size_t axis = 0; axis < signal.axes.size() && !changed; ++axis) {
            if (used.contains(axis)) continue;
            const NormalForm& base = signal.axes[axis].base;
            // The rest must be known.
            const CountedLoop* number = number_to_solve(base, open);
            if (number == nullptr) continue;
            const NormalForm rest = base - symbol_form(number->index);
            const bool known = std::none_of(open.begin(), open.end(), [&](const CountedLoop* c) {
                return c != number && mentions(rest, c->index);
            });
            if (!known) continue;
            made.signaller[number->index] =
                await.axes[axis].base - substitute(rest, made.signaller);
            open.erase(std::find(open.begin(), open.end(), number));
            used.insert(axis);
            changed = true;
        }
    }
    return open.empty();
}

// Whether the program along x at `other` comes to the signal at the element of the await. `facts`
// speak of the await's numbers and of `other`.
bool CounterOrder::happens(const Awaited& made, const NormalForm& other, Facts facts) const {
    Bindings numbers = made.signaller;
    for (auto& [name, value] : numbers) value = substitute(value, {{other_program, other}});
    for (const CountedLoop& c : made.signal->counters) {
        const auto found = numbers.find(c.index);
        if (found == numbers.end()) continue;
        const NormalForm trips = trips_of_running(substitute(c.trips, numbers));
        if (!facts.prove_at_least(found->second, 0) ||
            !facts.prove_at_least(trips - NormalForm(1) - found->second, 0))
            return false;
    }
    for (std::size_t axis = 0; axis < made.signal->axes.size(); ++axis) {
        const NormalForm there = substitute(made.signal->axes[axis].base, numbers);
        if (!facts.prove_equal(there, made.await->axes[axis].base)) return false;
    }
    const NormalForm condition = substitute(made.signal->condition, numbers);
    return condition == NormalForm(1) || facts.prove(condition);
}

namespace {

std::string later_text(const Awaited& made) {
    return fmt::format("`{}` is incremented by programs that do not start before it",
                       made.await->counter->name);
}

constexpr const char* help_earlier =
    "wait for earlier programs: they start in grid order, the leftmost axis varying fastest, or, "
    "with `heaviest_first`, the heaviest first";

}  // namespace

void CounterOrder::prove(const Counting& await) {
    const std::string& name = await.counter->name;
    const auto fail = [&](std::string reason, std::string help) {
        failures_.push_back({&await, std::move(reason), std::move(help)});
    };
    if (const std::string word = word_without_order(kernel_); !word.empty())
        return fail(
            fmt::format(
                "the programs of a kernel with `{}` do not start one by one in a fixed order",
                word),
            fmt::format("remove `{}`", word));
    Awaited made;
    made.await = &await;
    for (const Counting& c : found_.countings) {
        if (c.waits || c.counter != await.counter) continue;
        if (made.signal != nullptr)
            return fail(
                fmt::format(
                    "`{}` is incremented by several `signal`s, and the order is only known for one",
                    name),
                "give each `signal` its own counter");
        made.signal = &c;
    }
    if (made.signal == nullptr)
        return fail(fmt::format("nothing increments `{}`", name),
                    fmt::format("write `signal({}[..])` after the work that it waits for", name));
    if (!comes_once(*made.signal, facts_))
        return fail(
            fmt::format("cannot prove that a program signals an element of `{}` only once", name),
            "use a different element of the counter in each iteration");
    const Facts here = facts_at(await);
    if (const auto reason = prove_with(made, here)) return fail(*reason, help_earlier);
    awaited_.push_back(std::move(made));
}

// Empty: proved, and the rest of `made` is filled in.
std::optional<std::string> CounterOrder::prove_with(Awaited& made, const Facts& here) const {
    const Counting& await = *made.await;
    const Counting& signal = *made.signal;
    std::set<std::string> equal;
    const std::vector<const CountedLoop*> differing = may_differ(await, signal, &equal, facts_);
    if (differing.empty()) {
        return fmt::format("only the program itself signals this element of `{}`",
                           await.counter->name);
    }
    if (differing.size() > 1) {
        return fmt::format(
            "programs that signal this element of `{}` may differ along `{}` and `{}`, but their "
            "order is only known along one axis of the grid",
            await.counter->name, differing[0]->var, differing[1]->var);
    }
    const CountedLoop& x = *differing.front();
    made.axis = x.index;
    const std::optional<GridAxis> axis = axis_in_order(kernel_, x.var);
    if (!axis) return fmt::format("the order of programs along `{}` is not known", x.var);
    const NormalForm own = symbol_form(x.index);
    // By how much the program at y starts before this one.
    const auto lead = [&](const NormalForm& y) { return axis->reversed ? y - own : own - y; };
    const NormalForm other = symbol_form(other_program);

    // One: it follows from the element which program signals it.
    Awaited one = made;
    if (solve(signal, await, equal, nullptr, one)) {
        const NormalForm y = one.signaller.at(x.index);
        if (!here.prove_at_least(NormalForm(1) - await.count, 0))
            return fmt::format("one program signals this element of `{}`, but it waits for {}",
                               await.counter->name, words(await.count, await));
        if (!here.prove_at_least(lead(y), 1)) return later_text(made);
        if (!happens(one, y, here))
            return fmt::format("cannot prove that the program with `{}` number {} signals it",
                               x.var, words(y, await));
        one.form = Awaited::Form::one;
        made = std::move(one);
        return std::nullopt;
    }
    if (!solve(signal, await, equal, &other, made))
        return fmt::format(
            "it is not known in which iteration a program signals this element of `{}`",
            await.counter->name);

    // In turn, or all: programs first .. first + count - 1 along x, in the order of the axis.
    const bool section =
        same_loops(await, signal) && await.place < signal.place && await.role == signal.role &&
        await.condition == signal.condition &&
        std::equal(await.axes.begin(), await.axes.end(), signal.axes.begin(),
                   [](const AccessAxis& a, const AccessAxis& b) { return a.base == b.base; });
    made.form = section ? Awaited::Form::in_turn : Awaited::Form::all;
    made.count = await.count;
    if (section) made.first = axis->reversed ? own + NormalForm(1) : own - await.count;
    else made.first = axis->reversed ? trips_of_running(x.trips) - await.count : NormalForm(0);
    if (!here.prove_at_least(await.count, 0))
        return fmt::format("cannot prove that {} is not negative", words(await.count, await));
    Facts among = here;  // `other` is one of them
    among.assume_at_least_zero(other - made.first);
    among.assume_at_least_zero(made.first + made.count - NormalForm(1) - other);
    if (!among.prove_at_least(lead(other), 1)) return later_text(made);
    if (!happens(made, other, among))
        return fmt::format("cannot prove that {} earlier programs signal this element of `{}`",
                           words(await.count, await), await.counter->name);
    // And of any program that signals: it is one of them, or its own turn is one of the same row.
    Facts any = here;
    assume_number(other, x.trips, &any);
    for (const CountedLoop& c : signal.counters) {
        const auto number = made.signaller.find(c.index);
        if (number == made.signaller.end() || c.of_grid) continue;
        assume_number(number->second, substitute(c.trips, made.signaller), &any);
    }
    const NormalForm condition = substitute(signal.condition, made.signaller);
    if (!(condition == NormalForm(1))) any.assume(condition);
    if (section) {
        const NormalForm start = axis->reversed ? own + await.count : own - await.count;
        if (!any.prove_equal(substitute(start, made.signaller), start))
            return fmt::format(
                "cannot prove that the programs that signal this element of `{}` wait for each "
                "other in one sequence",
                await.counter->name);
    } else if (!any.prove_at_least(other - made.first, 0) ||
               !any.prove_at_least(made.first + made.count - NormalForm(1) - other, 0)) {
        return fmt::format("cannot prove that at most {} programs signal this element of `{}`",
                           words(await.count, await), await.counter->name);
    }
    return std::nullopt;
}

// ---- what is told ------------------------------------------------------------------------------

bool CounterOrder::check(Diagnostics& diag, std::vector<Obligation>* obligations) const {
    for (const Awaited& w : awaited_) {
        if (obligations == nullptr) break;
        static constexpr const char* forms[] = {
            "the program that it waits for starts before it, and signals",
            "the programs that it waits for start before it, and no others signal",
            "each program waits for its predecessors, in sequence"};
        obligations->push_back({fmt::format("`await` of `{}` ends", w.await->counter->name),
                                Verdict::proved, w.await->span,
                                forms[static_cast<std::size_t>(w.form)]});
    }
    std::set<std::string> told;  // a section has a wait and a signal
    for (const Failure& failure : failures_) {
        if (!told.insert(failure.reason).second) continue;
        diag.error(failure.at->span, msg::counter_refused, failure.at->waits ? "await" : "signal",
                   failure.reason)
            .label(failure.at->counter->span, "declared here")
            .help("{}", failure.help);
    }
    return failures_.empty();
}

bool check_counters(const Kernel& kernel, Diagnostics& diag, std::vector<Obligation>* obligations) {
    return kernel.counters.empty() || CounterOrder(kernel).check(diag, obligations);
}

void settle_sums(Kernel& kernel) {
    if (kernel.counters.empty()) return;
    const CounterOrder order(kernel);
    for (Tensor& tensor : kernel.tensors) {
        if (tensor.mode != Mode::accumulate) continue;
        std::vector<const Access*> adds;
        for (const Access& a : order.accesses()) {
            if (a.tensor == &tensor) adds.push_back(&a);
        }
        // Each place comes at most once to an element in a turn, and no two come to one element.
        tensor.in_order = !adds.empty();
        for (const Access* a : adds) {
            tensor.in_order &= order.in_turn(*a, *a) && order.is_alone(*a);
            for (const Access* b : adds) {
                tensor.in_order &= a == b || order.never_conflict(*a, *b);
            }
        }
    }
}

}  // namespace tkc::checks
