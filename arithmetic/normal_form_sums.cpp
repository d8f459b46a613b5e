// Sums over a range, in closed form where there is one: powers of the variable, and how many
// iterations a comparison or a remainder of the variable lets through.
#include <algorithm>

#include "arithmetic/normal_form_atoms.h"

namespace tkc::ir {

namespace {

// x = factor * variable + rest, with a constant factor and a rest without the variable.
struct Linear {
    std::int64_t factor = 0;
    NormalForm rest;
};
std::optional<Linear> linear_in(const NormalForm& x, const std::string& variable) {
    const NormalForm v = symbol_form(variable);
    Linear found;
    found.factor = x.coefficient(v.terms().begin()->first);
    found.rest = x - NormalForm(found.factor) * v;
    if (found.factor == 0 || found.rest.is_unknown() || mentions(found.rest, variable)) {
        return std::nullopt;
    }
    return found;
}

// What the variable is less than where the loop runs at all: n, for max(0, n) iterations.
NormalForm end_of(const NormalForm& count) {
    if (count.terms().size() != 1) return count;
    const auto& [monomial, factor] = *count.terms().begin();
    if (monomial.size() != 1 || monomial[0]->kind != AtomKind::maximum) return count;
    const std::vector<NormalForm>& parts = monomial[0]->parts;
    if (parts.size() != 2 || factor < 0) return count;
    for (const std::size_t zero : {std::size_t{0}, std::size_t{1}}) {
        if (parts[zero].is_zero()) return NormalForm(factor) * parts[1 - zero];
    }
    return count;
}

// Whether x >= 0 for all values of the variable from 0 to end - 1, if that is plain to see.
bool not_negative(const NormalForm& x, const std::string& variable, const NormalForm& end) {
    std::int64_t least = 0;
    if (x.is_constant(&least)) return least >= 0;
    const auto linear = linear_in(x, variable);
    if (!linear) return false;
    const NormalForm last = end - NormalForm(1);
    const NormalForm lowest =
        linear->factor > 0 ? linear->rest : linear->rest + NormalForm(linear->factor) * last;
    return lowest.is_constant(&least) && least >= 0;
}

// The body without what the range of the variable decides: max(0, i) is i.
NormalForm within(const NormalForm& body, const std::string& variable, const NormalForm& end) {
    return replace_atoms(body, [&](const Atom& a) -> std::optional<NormalForm> {
        if (a->kind == AtomKind::nonnegative) {
            if (not_negative(a->parts[0], variable, end)) return NormalForm(1);
            if (not_negative(-a->parts[0] - NormalForm(1), variable, end)) return NormalForm(0);
        }
        if (a->kind != AtomKind::maximum && a->kind != AtomKind::minimum) return std::nullopt;
        for (const NormalForm& best : a->parts) {
            const bool wins = std::all_of(a->parts.begin(), a->parts.end(), [&](const auto& p) {
                return &p == &best ||
                       not_negative(a->kind == AtomKind::maximum ? best - p : p - best, variable,
                                    end);
            });
            if (wins) return best;
        }
        return std::nullopt;
    });
}

// How many of the numbers below `end` leave `rest` when divided by d, less a constant.
NormalForm up_to(const NormalForm& end, std::int64_t rest, std::int64_t d) {
    return quotient(end - NormalForm(1 + rest), NormalForm(d));
}

// How many iterations satisfy an equation in the variable: `i == m`, `(i + m) % 2 == 1`.
std::optional<NormalForm> solutions(const NormalForm& count, const std::string& variable,
                                    const NormalForm& x) {
    if (const auto linear = linear_in(x, variable)) {
        if (std::abs(linear->factor) != 1) return std::nullopt;
        const NormalForm at = NormalForm(-linear->factor) * linear->rest;
        return at_least_zero(at) * at_least_zero(count - NormalForm(1) - at);
    }
    for (const auto& [monomial, coefficient] : x.terms()) {
        std::int64_t d = 0;
        if (monomial.size() != 1 || monomial[0]->kind != AtomKind::quotient) continue;
        const Atom q = monomial[0];
        if (!q->parts[1].is_constant(&d) || std::abs(coefficient) != d) continue;
        // x is +-(y % d) + constant
        const std::int64_t sign = coefficient < 0 ? 1 : -1;
        const NormalForm left =
            x - NormalForm(sign) * (q->parts[0] - NormalForm(d) * NormalForm(q));
        std::int64_t rest = 0;
        const auto linear = linear_in(q->parts[0], variable);
        if (!left.is_constant(&rest) || !linear || std::abs(linear->factor) != 1) continue;
        rest *= -sign;
        if (rest < 0 || rest >= d) return NormalForm(0);
        // y takes each number from `first` on, `count` of them
        const NormalForm first =
            linear->factor > 0 ? linear->rest : linear->rest - count + NormalForm(1);
        return up_to(first + count, rest, d) - up_to(first, rest, d);
    }
    return std::nullopt;
}

// The sum of a product all of whose factors contain the variable.
NormalForm sum_product(const NormalForm& count, const std::string& variable,
                       const NormalForm& product) {
    const NormalForm v = symbol_form(variable);
    if (product == v) return quotient(count * count - count, NormalForm(2));
    if (product == v * v) {
        const NormalForm n = count;
        return quotient(NormalForm(2) * n * n * n - NormalForm(3) * n * n + n, NormalForm(6));
    }
    const Monomial factors = product.terms().begin()->first;
    for (const Atom& a : factors) {
        if (a->kind != AtomKind::nonnegative && a->kind != AtomKind::zero) continue;
        const NormalForm others = with_truth(product, a, true);
        if (a->kind == AtomKind::zero) {
            if (!(others == NormalForm(1))) continue;
            if (const auto found = solutions(count, variable, a->parts[0])) return *found;
            continue;
        }
        const auto linear = linear_in(a->parts[0], variable);
        if (!linear) continue;
        // Up to an iteration it holds and then no more, or the other way round.
        const bool falls = linear->factor < 0;
        const NormalForm scale(std::abs(linear->factor));
        const NormalForm turn =
            falls ? quotient(linear->rest, scale) + NormalForm(1) : -quotient(linear->rest, scale);
        const NormalForm before = minimum({count, maximum({NormalForm(0), turn})});
        const NormalForm part = sum_over(before, variable, others);
        return falls ? part : sum_over(count, variable, others) - part;
    }
    int level = 0;  // of the new bound name: above those of the sums inside
    visit_atoms(product, [&](const Atom& a) {
        if (a->kind == AtomKind::sum) level = std::max(level, std::stoi(a->name.substr(1)) + 1);
    });
    std::string bound = "%" + std::to_string(level);
    while (bound != variable && mentions(product, bound)) bound = "%" + std::to_string(++level);
    return atom_form(AtomKind::sum, bound,
                     {count, substitute(product, {{variable, symbol_form(bound)}})}, false);
}

}  // namespace

NormalForm sum_over(const NormalForm& count, const std::string& variable, const NormalForm& body) {
    return by_cases({count}, [&](const std::vector<NormalForm>& parts) {
        if (parts[0].is_unknown() || body.is_unknown()) return NormalForm::unknown();
        NormalForm total;
        const NormalForm known = within(body, variable, end_of(parts[0]));
        for (const auto& [monomial, coefficient] : known.terms()) {
            NormalForm outside(coefficient);
            NormalForm inside(1);
            for (const Atom& a : monomial) {
                NormalForm& side = mentions(NormalForm(a), variable) ? inside : outside;
                side = side * NormalForm(a);
            }
            total += outside *
                     (inside == NormalForm(1) ? parts[0] : sum_product(parts[0], variable, inside));
        }
        return total;
    });
}

}  // namespace tkc::ir
