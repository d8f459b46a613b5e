// Proving from facts: linear combinations, quotients by their numerators, and cases.
#include <algorithm>
#include <array>
#include <limits>
#include <mutex>
#include <unordered_set>

#include "arithmetic/divisor.h"
#include "facts/facts.h"

namespace tkc::ir {

namespace {

constexpr int search_budget = 3000;  // steps of one proof: well under a millisecond
constexpr int case_depth = 8;
constexpr int combination_depth = 7;

// An atom whose cases can be distinguished: a truth, or an extreme whose parts hold no other.
Atom splittable(const NormalForm& x) {
    if (const Atom truth = first_truth(x)) return truth;
    Atom found = nullptr;
    visit_atoms(x, [&](const Atom& a) {  // outer ones come first, so the last is innermost
        if (a->kind == AtomKind::minimum || a->kind == AtomKind::maximum) found = a;
    });
    return found;
}

NormalForm with_atom(const NormalForm& x, const Atom& atom, const NormalForm& value) {
    return replace_atoms(x, [&](const Atom& a) -> std::optional<NormalForm> {
        return a == atom ? std::optional(value) : std::nullopt;
    });
}

}  // namespace

// The same questions are asked of the same facts again and again: by each instance, each role and
// each round of an analysis. So facts know what they were made of, and answers are kept with that.
struct Facts::History {
    std::map<std::string, History> next;  // by one more assumption
    // Whether a form is proved to be >= 0, and to be 0; and whether a case is excluded, by its
    // text. `wins`: that an extreme is decided, with little effort.
    std::unordered_map<NormalForm, bool, HashOfForm> at_least_zero, zero, wins;
    std::map<std::string, bool> excluded;
    std::unordered_map<NormalForm, NormalForm, HashOfForm> simplified;
    std::optional<std::vector<Assignment>> seeds, examples;
    static inline std::mutex lock;  // tests are run in threads
};

Facts::Facts() {
    static History nothing;
    history_ = &nothing;
}

Facts::Facts(const Facts&) = default;
Facts::Facts(Facts&&) noexcept = default;
Facts& Facts::operator=(const Facts&) = default;
Facts& Facts::operator=(Facts&&) noexcept = default;
Facts::~Facts() = default;

void Facts::remember(const std::string& assumption) {
    const std::scoped_lock guard(History::lock);
    history_ = &history_->next[assumption];
    asked_ = nullptr;
}

template <class Answers, class Key>
bool Facts::once(Answers History::*answers, const Key& question, FunctionRef<bool()> prove) const {
    Answers& known = history_->*answers;
    {
        const std::scoped_lock guard(History::lock);
        const auto found = known.find(question);
        if (found != known.end()) return found->second;
    }
    const bool answer = prove();
    const std::scoped_lock guard(History::lock);
    return known[question] = answer;
}

// What is kept at `place`, found by `find` if it is asked for the first time.
const std::vector<Assignment>& Facts::kept(std::optional<std::vector<Assignment>> History::*place,
                                           FunctionRef<std::vector<Assignment>()> find) const {
    {
        const std::scoped_lock guard(History::lock);
        if (history_->*place) return *(history_->*place);
    }
    std::vector<Assignment> found = find();
    const std::scoped_lock guard(History::lock);
    if (!(history_->*place)) history_->*place = std::move(found);
    return *(history_->*place);
}

void Facts::seek_examples() {
    seeds_ = &kept(&History::seeds, [&] { return find_examples(); });
    seeded_ = conditions_.size();
}

const std::vector<Assignment>& Facts::examples() const {
    return kept(&History::examples, [&] { return extended_examples(); });
}

namespace {

// Values of an example; and of numbers of which nothing is known, which can have any: all the same,
// or different ones.
Leaves completed(const Assignment& values, bool alike) {
    return [&values, alike](const std::string& name) -> std::optional<std::int64_t> {
        const auto found = values.find(name);
        if (found != values.end()) return found->second;
        if (name[0] != unknown_number_mark) return std::nullopt;
        std::int64_t value = 0;
        for (const char c : name) value = alike ? 0 : (3 * value + c) % 11;
        return value;
    };
}

}  // namespace

// x < 0 in a case that the facts allow: no proof of x >= 0 needs to be tried.
bool Facts::fails_in_example(const NormalForm& x) const {
    const std::vector<Assignment>& all = examples();
    return std::any_of(all.begin(), all.end(), [&](const Assignment& values) {
        for (const bool alike : {true, false}) {
            const auto value = evaluate(x, completed(values, alike));
            if (value && *value < 0) return true;
        }
        return false;
    });
}

// What proofs need of these facts, and the examples in which `holds` >= `least`.
Facts Facts::in_case(const NormalForm& holds, std::int64_t least) const {
    Facts facts;
    facts.history_ = history_;
    facts.solved_ = solved_;
    facts.truths_ = truths_;
    facts.facts_ = facts_;
    facts.elements_ = elements_;
    facts.numbers_ = numbers_;
    std::vector<const Assignment*> left;
    const auto keep = [&](const Assignment& values) {
        const auto value = evaluate(holds, completed(values, true));
        if (value && *value >= least) left.push_back(&values);
    };
    if (examples_of_case_) {
        for (const Assignment* values : *examples_of_case_) keep(*values);
    } else {
        for (const Assignment& values : examples()) keep(values);
    }
    facts.examples_of_case_ = std::move(left);
    return facts;
}

bool Facts::never_negative(const Monomial& monomial) const {
    return std::all_of(monomial.begin(), monomial.end(),
                       [&](const Atom& a) { return never_negative(a); });
}

bool Facts::never_negative(const Atom& a) const {
    if (a->truth) return true;
    const auto [place, fresh] = signs_.try_emplace(a, false);
    if (!fresh) return place->second;
    const auto part_is = [&](const NormalForm& p) {
        int budget = 100;
        return combine(p, {}, 3, &budget);
    };
    bool result = false;
    switch (a->kind) {
        case AtomKind::quotient: result = part_is(a->parts[0]); break;
        case AtomKind::minimum:
            result = std::all_of(a->parts.begin(), a->parts.end(), part_is);
            break;
        case AtomKind::maximum:
            result = std::any_of(a->parts.begin(), a->parts.end(), part_is);
            break;
        case AtomKind::sum: result = part_is(a->parts[1]); break;
        case AtomKind::power: result = true; break;
        case AtomKind::common_bits:
            result = std::any_of(a->parts.begin(), a->parts.end(), part_is);
            break;
        case AtomKind::wrapped:
        case AtomKind::load: {
            const std::vector<NormalForm> bounds = bounds_of(a);
            result = std::any_of(bounds.begin(), bounds.end(), [&](const NormalForm& b) {
                return b.coefficient(Monomial({a})) == 1 && part_is(NormalForm(a) - b);
            });
            result = result || part_is(NormalForm(a));
            break;
        }
        case AtomKind::symbol:
        case AtomKind::nonnegative:
        case AtomKind::zero:
        case AtomKind::opaque: result = part_is(NormalForm(a)); break;
    }
    signs_[a] = result;
    return result;
}

struct Facts::Bounded {
    Atom atom;
    std::vector<NormalForm> bounds;
};

bool Facts::is_bounded(const Atom& a) {
    switch (a->kind) {
        case AtomKind::quotient:
        case AtomKind::minimum:
        case AtomKind::maximum:
        case AtomKind::wrapped:
        case AtomKind::load:
        case AtomKind::common_bits:
        case AtomKind::power: return true;
        case AtomKind::symbol:
        case AtomKind::nonnegative:
        case AtomKind::zero:
        case AtomKind::sum:
        case AtomKind::opaque: return false;
    }
    return false;
}

// What bounds a quotient, an extreme or an element, each >= 0: of floor(y/c) that
// 0 <= y - c*floor(y/c) <= c - 1.
std::vector<NormalForm> Facts::bounds_around(const Atom& a) const {
    std::vector<NormalForm> all;
    if (a->kind == AtomKind::maximum || a->kind == AtomKind::minimum) {
        for (const NormalForm& p : a->parts)
            all.push_back(a->kind == AtomKind::maximum ? NormalForm(a) - p : p - NormalForm(a));
    } else if (a->kind == AtomKind::power) {
        all.push_back(NormalForm(a) - NormalForm(1));
    } else if (a->kind == AtomKind::quotient) {
        const NormalForm rest = a->parts[0] - a->parts[1] * NormalForm(a);
        all.push_back(rest);
        all.push_back(a->parts[1] - NormalForm(1) - rest);
        bound_numbers(a, &all);
    } else {
        all = bounds_of(a);
    }
    return all;
}

// The bounds of all atoms in x and in the facts.
Facts::Bounds Facts::bounds_with(const NormalForm& x) const {
    Bounds made;
    std::unordered_set<Atom> seen;
    visit_atoms(x, [&](const Atom& a) {
        if (!is_bounded(a) || !seen.insert(a).second) return;
        for (NormalForm& b : bounds_around(a)) made.own.push_back(std::move(b));
    });
    const std::size_t around = made.own.size();
    for (const auto& [monomial, coefficient] : x.terms()) {  // n*n >= n and n*n >= -n
        if (monomial.size() != 2 || monomial[0] != monomial[1]) continue;
        const NormalForm n(monomial[0]);
        made.own.push_back(n * n - n);
        made.own.push_back(n * n + n);
    }
    if (bounded_ == nullptr) {
        auto all = std::make_shared<std::vector<Bounded>>();
        std::unordered_set<Atom> known;
        for (const NormalForm& f : facts_) {
            visit_atoms(f, [&](const Atom& a) {
                if (is_bounded(a) && known.insert(a).second) all->push_back({a, bounds_around(a)});
            });
        }
        bounded_ = std::move(all);
    }
    made.of_facts = bounded_;
    for (std::size_t i = 0; i < around; ++i) made.all.push_back(&made.own[i]);
    for (const Bounded& b : *bounded_) {
        if (seen.contains(b.atom)) continue;
        for (const NormalForm& bound : b.bounds) made.all.push_back(&bound);
    }
    for (std::size_t i = around; i < made.own.size(); ++i) made.all.push_back(&made.own[i]);
    return made;
}

// The search for one combination of facts, and of the forms in `more`.
class Facts::Combination {
public:
    Combination(const Facts& facts, const std::vector<const NormalForm*>& more)
        : facts_(facts), more_(more) {}

    // x >= 0: as long as a term can be negative, subtracts the multiple of a form that removes it.
    bool reaches(const NormalForm& x, int depth, int* budget) {
        if (x.is_unknown() || --*budget < 0) return false;
        const auto bad = std::find_if(x.terms().begin(), x.terms().end(), [&](const Term& term) {
            const auto& [monomial, coefficient] = term;
            return coefficient <= 0 || (!monomial.empty() && !facts_.never_negative(monomial));
        });
        if (bad == x.terms().end()) return true;
        if (depth == 0) return false;
        const std::int64_t amount = bad->second;
        NormalForm& rest = rest_.at(static_cast<std::size_t>(depth));
        for (const auto& [form, here] : uses_of(bad->first)) {
            if ((here > 0) != (amount > 0)) continue;
            constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
            if (here == least || amount == least) continue;  // an overflow, with no magnitude
            const std::int64_t g = common_divisor(here, amount);
            // Forms are integers, so x >= 0 where m*x + m - 1 >= 0.
            const std::int64_t m = std::abs(here / g);
            const std::int64_t times = -std::abs(amount / g);
            if (m == 1) rest.become_sum(x, *form, times);
            else rest.become_sum(x * NormalForm(m) + NormalForm(m - 1), *form, times);
            if (reaches(rest, depth - 1, budget)) return true;
        }
        return false;
    }

private:
    struct Use {
        const NormalForm* form;
        std::int64_t coefficient;  // of the monomial; not 0
    };
    // The forms in which the monomial occurs. A search comes back to the same few monomials.
    const std::vector<Use>& uses_of(const Monomial& monomial) {
        const auto [place, fresh] = uses_.try_emplace(monomial);
        if (!fresh) return place->second;
        const auto add = [&](const NormalForm& f) {
            const std::int64_t here = f.coefficient(monomial);
            if (here != 0) place->second.push_back({&f, here});
        };
        for (const NormalForm& f : facts_.facts_) add(f);
        for (const NormalForm* f : more_) add(*f);
        return place->second;
    }

    struct HashOfMonomial {
        std::size_t operator()(const Monomial& m) const { return m.hash(); }
    };
    const Facts& facts_;
    const std::vector<const NormalForm*>& more_;
    std::unordered_map<Monomial, std::vector<Use>, HashOfMonomial> uses_;
    std::array<NormalForm, combination_depth + 1> rest_;  // by depth; they keep their memory
};

bool Facts::combine(const NormalForm& x, const std::vector<const NormalForm*>& more, int depth,
                    int* budget) const {
    return Combination(*this, more).reaches(x, depth, budget);
}

// floor(y/c) + z >= 0 iff y + c*z >= 0, and z - floor(y/c) >= 0 iff c*z + c - 1 - y >= 0, for c >
// 0.
bool Facts::prove_by_quotient(const NormalForm& x, int depth, int* budget) const {
    for (const auto& [monomial, coefficient] : x.terms()) {
        if (monomial.size() != 1 || monomial[0]->kind != AtomKind::quotient) continue;
        const std::int64_t scale = std::abs(coefficient);
        NormalForm rest;
        bool divides = true;
        for (const auto& [other, amount] : x.terms()) {
            if (&other == &monomial) continue;
            divides = divides && (other.empty() || amount % scale == 0);
            const std::int64_t down = amount % scale < 0 ? 1 : 0;
            rest.add_term(other, amount / scale - down);
        }
        if (!divides) continue;
        const NormalForm& y = monomial[0]->parts[0];
        const NormalForm& c = monomial[0]->parts[1];
        const NormalForm next = coefficient > 0 ? y + c * rest : c * rest + c - NormalForm(1) - y;
        if (prove(next, depth - 1, budget)) return true;
    }
    return false;
}

bool Facts::prove_by_cases(const NormalForm& x, int depth, int* budget) const {
    const Atom a = splittable(x);
    if (!a) return false;
    const auto holds = [&](Facts& facts, const NormalForm& value) {
        facts.case_ = case_ + a->key + " is " + value.key() + "; ";
        if (facts.contradictory()) return true;
        return facts.prove(facts.apply(with_atom(x, a, value)), depth - 1, budget);
    };
    if (a->truth) {
        for (const bool value : {true, false}) {
            const NormalForm truth(a);
            Facts facts = in_case(value ? truth : negation(truth), 1);
            facts.know(a, value);
            if (!holds(facts, NormalForm(value ? 1 : 0))) return false;
        }
        return true;
    }
    for (const NormalForm& chosen : a->parts) {
        const NormalForm best = chosen - NormalForm(a);
        Facts facts = in_case(a->kind == AtomKind::maximum ? best : -best, 0);
        // What is known of the extreme holds of the part that it is here.
        for (NormalForm& fact : facts.facts_) fact = with_atom(fact, a, chosen);
        for (const NormalForm& other : a->parts) {
            if (&other == &chosen) continue;
            facts.add_fact(a->kind == AtomKind::maximum ? chosen - other : other - chosen);
        }
        if (!holds(facts, chosen)) return false;
    }
    return true;
}

bool Facts::prove(const NormalForm& x, int depth, int* budget) const {
    if (x.is_unknown() || depth < 0 || *budget < 0) return false;
    if (x.is_constant()) return x.constant() >= 0 || contradictory();
    // Short combinations first, and never all of the budget: what needs cases should get to them.
    const Bounds bounds = bounds_with(x);
    Combination combination(*this, bounds.all);
    for (const int steps : {2, 4, combination_depth}) {
        int share = *budget / 4;
        const int before = share;
        if (combination.reaches(x, steps, &share)) return true;
        *budget -= before - share;
    }
    if (prove_by_quotient(x, depth, budget)) return true;
    return prove_by_cases(x, depth, budget);
}

NormalForm Facts::simplify(const NormalForm& x) const {
    if (x.is_unknown()) return x;
    {
        const std::scoped_lock guard(History::lock);
        const auto found = history_->simplified.find(x);
        if (found != history_->simplified.end()) return found->second;
    }
    const NormalForm simple = simplified(x);
    const std::scoped_lock guard(History::lock);
    return history_->simplified[x] = simple;
}

NormalForm Facts::simplified(const NormalForm& x) const {
    return replace_atoms(apply(x), [&](const Atom& a) -> std::optional<NormalForm> {
        if (a->kind != AtomKind::maximum && a->kind != AtomKind::minimum) return std::nullopt;
        for (const NormalForm& best : a->parts) {
            const bool wins = std::all_of(a->parts.begin(), a->parts.end(), [&](const auto& p) {
                if (&p == &best) return true;
                const NormalForm above = a->kind == AtomKind::maximum ? best - p : p - best;
                return once(&History::wins, above, [&] {
                    int budget = search_budget / 10;
                    return !fails_in_example(above) && prove(above, 2, &budget);
                });
            });
            if (wins) return best;
        }
        return std::nullopt;
    });
}

bool Facts::prove_at_least(const NormalForm& x, std::int64_t k) const {
    const NormalForm wanted = x - NormalForm(k);
    if (wanted.is_unknown()) return false;
    return once(&History::at_least_zero, wanted, [&] {
        if (fails_in_example(wanted)) return false;
        int budget = search_budget;
        return prove(simplify(wanted), case_depth, &budget);
    });
}

bool Facts::prove_equal(const NormalForm& a, const NormalForm& b) const {
    const NormalForm difference = a - b;
    if (difference.is_unknown()) return false;
    return once(&History::zero, difference, [&] {
        if (fails_in_example(difference) || fails_in_example(-difference)) return false;
        const NormalForm known = simplify(difference);
        if (known.is_zero()) return true;
        int budget = search_budget;
        return prove(known, case_depth, &budget) && prove(-known, case_depth, &budget);
    });
}

bool Facts::prove(const NormalForm& truth) const {
    return prove_at_least(truth, 1) || [&] {
        // a comparison by its difference: as truths have no arithmetic of their own
        const NormalForm known = apply(truth);
        if (known.terms().size() != 1 && !(known.terms().size() == 2 && known.constant() == 1)) {
            return false;
        }
        const Atom a = first_truth(known);
        if (!a || (!(known == NormalForm(a)) && !(known == negation(NormalForm(a))))) return false;
        const bool positive = known == NormalForm(a);
        if (a->kind == AtomKind::nonnegative) {
            return positive ? prove_at_least(a->parts[0], 0)
                            : prove_at_least(-a->parts[0] - NormalForm(1), 0);
        }
        if (a->kind != AtomKind::zero) return false;
        if (positive) return prove_equal(a->parts[0], NormalForm(0));
        return prove_at_least(a->parts[0], 1) || prove_at_least(-a->parts[0], 1);
    }();
}

bool Facts::contradictory() const {
    // What holds in an example does not exclude itself.
    if (examples_of_case_ ? !examples_of_case_->empty() : !examples().empty()) return false;
    if (!excluded_) {
        excluded_ = once(&History::excluded, case_, [&] {
            int budget = search_budget / 4;
            return combine(NormalForm(-1), bounds_with(NormalForm(0)).all, combination_depth,
                           &budget);
        });
    }
    return *excluded_;
}

}  // namespace tkc::ir
