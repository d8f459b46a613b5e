// A tensor is cut into blocks, as wide along each axis as what is stored. The stores are taken
// apart until each has one form: by the remainders of numbers that are divided by a constant, and
// by what a position chooses between. Then each pair of them is shown to be at different blocks,
// and the sum of their conditions over all numbers to be the number of blocks.
#include "checks/tile/counted_blocks.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "checks/tile/stores.h"

namespace tkc::checks {

namespace {

using namespace ir;

constexpr std::size_t most_cases = 16;
constexpr const char* ahead = "#ahead";  // by how much a number is larger, less 1

// One of the stores in one case, and the block at which it lies.
struct Case {
    std::vector<NormalForm> block;
    std::vector<CountedLoop> counters;
    NormalForm condition;
};

NormalForm primed(const CountedLoop& c) { return symbol_form(c.index + "'"); }

// Whether the form is not a multiple of what divides all of it but a constant, and so never 0.
bool is_never_zero(const NormalForm& x) {
    std::int64_t common = 0;
    for (const auto& [monomial, coefficient] : x.terms()) {
        if (!monomial.empty()) common = std::gcd(common, coefficient);
    }
    return common == 0 ? x.constant() != 0 : x.constant() % common != 0;
}

// ---- blocks ----

// How many cells the blocks have along an axis; nothing: the stores differ in that, or lie across
// blocks.
std::optional<NormalForm> width_of(const std::vector<Access>& stores, std::size_t axis,
                                   const Facts& facts) {
    std::optional<NormalForm> width;
    for (const Access& store : stores) {
        const AccessAxis& along = store.axes[axis];
        if (along.edge || along.base.is_unknown()) return std::nullopt;
        const NormalForm size = along.whole ? along.extent : along.size();
        if (width && !facts.prove_equal(*width, size)) return std::nullopt;
        if (!width) width = size;
    }
    return width;
}

// The number of blocks along the axis, and that of each store's block.
std::optional<NormalForm> divide(const std::vector<Access>& stores, std::size_t axis,
                                 const Facts& facts, std::vector<Case>& cases) {
    const std::optional<NormalForm> width = width_of(stores, axis, facts);
    if (!width) return std::nullopt;
    const NormalForm& extent = stores[0].axes[axis].extent;
    std::int64_t cells = 0;
    const bool divides = width->is_constant(&cells) && cells > 0;
    for (std::size_t i = 0; i < stores.size(); ++i) {
        const AccessAxis& along = stores[i].axes[axis];
        const NormalForm base = along.whole ? NormalForm() : facts.apply(along.base);
        if (!base.is_zero() && (!divides || !remainder(base, *width).is_zero()))
            return std::nullopt;
        cases[i].block.push_back(base.is_zero() ? base : quotient(base, *width));
    }
    if (facts.prove_equal(*width, extent)) return NormalForm(1);
    if (!divides) return std::nullopt;
    return ceil_quotient(extent, *width);
}

// ---- cases ----

std::vector<NormalForm*> forms_of(Case& one) {
    std::vector<NormalForm*> forms = {&one.condition};
    for (NormalForm& x : one.block) forms.push_back(&x);
    return forms;
}

// The constant by which a number is divided somewhere, by itself.
std::optional<std::int64_t> divisor_of(Case& one, const CountedLoop& c) {
    constexpr std::int64_t largest = 8;
    const bool bounds = std::any_of(one.counters.begin(), one.counters.end(),
                                    [&](const auto& x) { return mentions(x.trips, c.index); });
    if (bounds) return std::nullopt;
    std::optional<std::int64_t> found;
    for (const NormalForm* form : forms_of(one)) {
        visit_atoms(*form, [&](const Atom& a) {
            std::int64_t by = 0;
            const bool divided = a->kind == AtomKind::quotient && a->parts[1].is_constant(&by) &&
                                 mentions(a->parts[0], c.index);
            if (divided && by > 1 && by <= largest && (!found || by > *found)) found = by;
        });
    }
    return found;
}

// The case in which the number leaves that remainder.
Case with_remainder(const Case& one, std::size_t at, std::int64_t by, std::int64_t left) {
    Case made = one;
    CountedLoop& c = made.counters[at];
    const std::string name = c.index;
    c.index = name + "%" + std::to_string(by) + "=" + std::to_string(left);
    c.trips = ceil_quotient(c.trips - NormalForm(left), NormalForm(by));
    const NormalForm number = NormalForm(by) * symbol_form(c.index) + NormalForm(left);
    for (NormalForm* form : forms_of(made)) *form = substitute(*form, {{name, number}});
    return made;
}

// What a position chooses by.
Atom choice_of(const Case& one) {
    for (const NormalForm& x : one.block) {
        if (const Atom truth = first_truth(x)) return truth;
    }
    return nullptr;
}

// The two cases of a choice.
std::vector<Case> by_choice(const Case& one, Atom truth) {
    std::vector<Case> made;
    for (const bool value : {true, false}) {
        Case half = one;
        for (NormalForm& x : half.block) x = with_truth(x, truth, value);
        const NormalForm holds(truth);
        half.condition =
            with_truth(half.condition, truth, value) * (value ? holds : negation(holds));
        made.push_back(std::move(half));
    }
    return made;
}

// The cases of one that has several; empty where it has none.
std::vector<Case> taken_apart(Case one) {
    std::vector<Case> made;
    for (std::size_t i = 0; i < one.counters.size(); ++i) {
        const auto by = divisor_of(one, one.counters[i]);
        if (!by) continue;
        for (std::int64_t left = 0; left < *by; ++left)
            made.push_back(with_remainder(one, i, *by, left));
        return made;
    }
    if (const Atom truth = choice_of(one)) return by_choice(one, truth);
    return made;
}

// All of them; empty where there are too many.
std::vector<Case> all_cases(std::vector<Case> open) {
    std::vector<Case> made;
    while (!open.empty()) {
        if (open.size() + made.size() > most_cases) return {};
        Case one = std::move(open.back());
        open.pop_back();
        if (one.condition.is_zero()) continue;
        std::vector<Case> parts = taken_apart(one);
        if (parts.empty()) made.push_back(std::move(one));
        for (Case& part : parts) open.push_back(std::move(part));
    }
    return made;
}

// ---- apart ----

// A condition that a number is not 0 is that it is at least 1, where it cannot be less.
void assume_condition(const NormalForm& condition, Facts* facts) {
    facts->assume(condition);
    visit_atoms(condition, [&](const Atom& a) {
        if (a->kind != AtomKind::zero || !facts->prove(negation(NormalForm(a)))) return;
        if (facts->prove_at_least(a->parts[0], 0)) facts->assume_at_least_zero(a->parts[0] - 1);
        else if (facts->prove_at_least(-a->parts[0], 0))
            facts->assume_at_least_zero(-a->parts[0] - 1);
    });
}

void assume_runs(const Case& one, const Bindings& names, Facts* facts) {
    for (const CountedLoop& c : one.counters) {
        const NormalForm number = substitute(symbol_form(c.index), names);
        facts->assume_at_least_zero(number);
        facts->assume_at_least_zero(trips_of_running(substitute(c.trips, names)) - NormalForm(1) -
                                    number);
    }
    const NormalForm condition = substitute(one.condition, names);
    if (!(condition == NormalForm(1))) assume_condition(condition, facts);
}

// Whether the two lie at different blocks, with these names for their numbers.
bool never_conflict(const Case& a, const Bindings& first, const Case& b, const Bindings& second,
                    const Facts& given) {
    Facts facts = given;
    facts.assume_at_least_zero(symbol_form(ahead));
    const Facts everywhere = facts;
    assume_runs(a, first, &facts);
    assume_runs(b, second, &facts);
    if (facts.contradictory()) return true;
    for (std::size_t i = 0; i < a.block.size(); ++i) {
        const NormalForm distance = substitute(b.block[i], second) - substitute(a.block[i], first);
        // A condition may fix one of the numbers, and hide that they differ.
        if (everywhere.prove_at_least(distance, 1) || is_never_zero(facts.apply(distance)) ||
            facts.prove_at_least(distance, 1) || facts.prove_at_least(-distance, 1))
            return true;
    }
    return false;
}

// Whether no two steps of the two lie at one block; of one and itself, no two different steps.
bool are_apart(const Case& a, const Case& b, const Facts& facts) {
    const bool itself = &a == &b;
    std::set<std::string> equal;
    const auto names = [&] {
        Bindings made;
        for (const CountedLoop& c : b.counters) {
            if (!equal.contains(c.index)) made[c.index] = primed(c);
        }
        return made;
    };
    // Where a number differs, they lie apart; so it is the same; and so on.
    const auto settles = [&](const CountedLoop& c) {
        if (equal.contains(c.index)) return false;
        const auto same = std::find_if(b.counters.begin(), b.counters.end(),
                                       [&](const auto& x) { return x.index == c.index; });
        if (same == b.counters.end()) return false;
        const NormalForm larger = symbol_form(c.index) + NormalForm(1) + symbol_form(ahead);
        Bindings second = names();
        second[c.index] = larger;
        if (!never_conflict(a, {}, b, second, facts)) return false;
        second[c.index] = symbol_form(c.index);
        return itself || never_conflict(a, {{c.index, larger}}, b, second, facts);
    };
    for (;;) {
        if (!itself && never_conflict(a, {}, b, names(), facts)) return true;
        const auto next = std::find_if(a.counters.begin(), a.counters.end(), settles);
        if (next == a.counters.end()) break;
        equal.insert(next->index);
    }
    return itself && equal.size() == a.counters.size();
}

bool lies_inside(const Case& one, const std::vector<NormalForm>& blocks, const Facts& given) {
    Facts facts = given;
    assume_runs(one, {}, &facts);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        if (!facts.prove_at_least(one.block[i], 0)) return false;
        if (!facts.prove_at_least(blocks[i] - one.block[i], 1)) return false;
    }
    return true;
}

// In all, however it is taken apart.
NormalForm steps_of(const Access& store) {
    NormalForm count = store.condition;
    for (auto c = store.counters.rbegin(); c != store.counters.rend(); ++c)
        count = sum_over(c->trips, c->index, count);
    return count;
}

}  // namespace

bool fill_by_count(const std::vector<Access>& stores, const Facts& facts) {
    if (stores.empty() || stores.size() > most_cases) return false;
    std::vector<Case> cases;
    NormalForm count;
    for (const Access& store : stores) {
        Case made{{}, store.counters, store.condition};
        for (CountedLoop& c : made.counters) c.trips = facts.simplify(c.trips);
        cases.push_back(std::move(made));
        count += steps_of(store);
    }
    std::vector<NormalForm> blocks;
    NormalForm all(1);
    for (std::size_t axis = 0; axis < stores[0].axes.size(); ++axis) {
        const std::optional<NormalForm> along = divide(stores, axis, facts, cases);
        if (!along) return false;
        blocks.push_back(*along);
        all = all * *along;
    }
    cases = all_cases(std::move(cases));
    if (cases.empty()) return false;
    if (!facts.prove_equal(facts.simplify(count), facts.simplify(all))) return false;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        if (!lies_inside(cases[i], blocks, facts)) return false;
        for (std::size_t j = i; j < cases.size(); ++j) {
            if (!are_apart(cases[i], cases[j], facts)) return false;
        }
    }
    return true;
}

}  // namespace tkc::checks
