// Normal forms as people write them.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "arithmetic/normal_form.h"
#include "arithmetic/number_names.h"

namespace tkc::ir {

namespace {

std::string list(const std::vector<NormalForm>& parts) {
    std::string text;
    for (const NormalForm& p : parts) text += (text.empty() ? "" : ", ") + to_string(p);
    return text;
}

// Bound names are %0, %1, ..: shown as i, j, ..
std::string name_of(const std::string& symbol) {
    if (symbol.size() == 2 && symbol[0] == '%') {
        return std::string(1, static_cast<char>('i' + symbol[1] - '0'));
    }
    return written_name(symbol);
}

// In parentheses unless it is one factor already.
std::string factor(const NormalForm& x) {
    const std::string text = to_string(x);
    const bool plain = x.terms().size() == 1 && text.find_first_of(" */-") == std::string::npos;
    return plain || (x.is_constant() && x.constant() >= 0) ? text : "(" + text + ")";
}

// Whether floor(x/d) reads better as a ceil_div, of what, and by how much that is more.
struct Ceiling {
    NormalForm numerator;
    std::int64_t excess;
};
std::optional<Ceiling> as_ceiling(const Atom& a) {
    const NormalForm& x = a->parts[0];
    std::int64_t d = 0;
    if (a->parts[1].is_constant(&d)) {
        if (x.constant() != d - 1) return std::nullopt;
        return Ceiling{x - NormalForm(d - 1), 0};
    }
    if (x.constant() >= 0) return std::nullopt;
    return Ceiling{x + NormalForm(1), 1};
}

std::string text_of(const Atom& a) {
    switch (a->kind) {
        case AtomKind::symbol: return name_of(a->name);
        case AtomKind::opaque: return a->name;
        case AtomKind::load:
            if (a->name[0] == unknown_number_mark) return written_name(a->name.substr(1));
            return a->name + "[" + list(a->parts) + "]";
        case AtomKind::quotient:
            if (const auto c = as_ceiling(a); c && c->excess == 0) {
                return fmt::format("ceil_div({}, {})", to_string(c->numerator),
                                   to_string(a->parts[1]));
            }
            return factor(a->parts[0]) + "/" + factor(a->parts[1]);
        case AtomKind::minimum: return "min(" + list(a->parts) + ")";
        case AtomKind::maximum: return "max(" + list(a->parts) + ")";
        case AtomKind::sum:
            return fmt::format("(sum of {} over {} in 0..{})", to_string(a->parts[1]),
                               name_of(a->name), to_string(a->parts[0]));
        case AtomKind::common_bits:
            return fmt::format("({} & {})", to_string(a->parts[0]), to_string(a->parts[1]));
        case AtomKind::power: return fmt::format("(1 << {})", factor(a->parts[0]));
        case AtomKind::wrapped: return fmt::format("{}({})", a->name, to_string(a->parts[0]));
        case AtomKind::nonnegative:
        case AtomKind::zero: return "(" + to_string_truth(NormalForm(a)) + ")";
    }
    return "?";
}

std::string text_of(const Monomial& monomial, std::int64_t magnitude) {
    std::string text = magnitude == 1 && !monomial.empty() ? "" : std::to_string(magnitude);
    const bool alone = monomial.size() == 1 && magnitude == 1;
    for (const Atom& a : monomial) {
        std::string one = text_of(a);
        if (!alone && a->kind == AtomKind::quotient && one.rfind("ceil_div", 0) != 0) {
            one = "(" + one + ")";
        }
        text += (text.empty() ? "" : "*") + one;
    }
    return text;
}

// x % d, where the form holds c*x - c*d*(x/d) with c = 1 or -1 next to other terms.
struct Remainder {
    std::string text;
    NormalForm rest;
    bool negative;
};
std::optional<Remainder> take_remainder(const NormalForm& form) {
    for (const auto& [monomial, coefficient] : form.terms()) {
        if (monomial.size() != 1 || monomial[0]->kind != AtomKind::quotient) continue;
        const NormalForm& x = monomial[0]->parts[0];
        std::int64_t d = 0;
        if (!monomial[0]->parts[1].is_constant(&d) || (coefficient != d && coefficient != -d)) {
            continue;
        }
        const bool negative = coefficient > 0;
        const NormalForm whole = x - NormalForm(d) * NormalForm(monomial[0]);
        const NormalForm rest = negative ? form + whole : form - whole;
        if (rest.terms().size() + x.terms().size() + 1 > form.terms().size()) continue;
        return Remainder{fmt::format("{} % {}", factor(x), d), rest, negative};
    }
    return std::nullopt;
}

// Joins terms, positive ones first; the sign of the first is written only if negative.
std::string join(const std::vector<std::pair<bool, std::string>>& terms) {
    std::string text;
    for (const bool negative : {false, true}) {
        for (const auto& [sign, term] : terms) {
            if (sign != negative) continue;
            if (text.empty()) {
                text = (sign ? "-" : "") + term;
            } else {
                text += (sign ? " - " : " + ") + term;
            }
        }
    }
    return text.empty() ? "0" : text;
}

std::string text_of_sum(NormalForm form) {
    std::vector<std::pair<bool, std::string>> terms;
    while (auto r = take_remainder(form)) {
        terms.emplace_back(r->negative, r->text);
        form = r->rest;
    }
    std::int64_t constant = form.constant();
    for (const auto& [monomial, coefficient] : form.terms()) {
        if (monomial.empty()) continue;
        const std::int64_t magnitude = coefficient < 0 ? -coefficient : coefficient;
        if (monomial.size() == 1 && monomial[0]->kind == AtomKind::quotient) {
            if (const auto c = as_ceiling(monomial[0]); c && c->excess != 0) {
                constant -= coefficient * c->excess;
                const std::string text = fmt::format("ceil_div({}, {})", to_string(c->numerator),
                                                     to_string(monomial[0]->parts[1]));
                terms.emplace_back(coefficient < 0,
                                   magnitude == 1 ? text : fmt::format("{}*{}", magnitude, text));
                continue;
            }
        }
        terms.emplace_back(coefficient < 0, text_of(monomial, magnitude));
    }
    if (constant != 0) {
        terms.emplace_back(constant < 0, std::to_string(constant < 0 ? -constant : constant));
    }
    return join(terms);
}

// `x >= 0` (or `x < 0`, or `x == 0`) with the negative terms on the other side.
std::string comparison(const NormalForm& x, const char* sign, const char* sign_past_one) {
    NormalForm left;
    NormalForm right;
    for (const auto& [monomial, coefficient] : x.terms()) {
        if (monomial.empty()) continue;
        (coefficient > 0 ? left : right)
            .add_term(monomial, coefficient > 0 ? coefficient : -coefficient);
    }
    std::int64_t constant = x.constant();
    if (constant == -1 && sign_past_one != nullptr) {  // x - 1 >= 0 is x > 0
        sign = sign_past_one;
        constant = 0;
    }
    (constant > 0 ? left : right) += NormalForm(constant > 0 ? constant : -constant);
    return fmt::format("{} {} {}", to_string(left), sign, to_string(right));
}

std::string text_of_truth(const Atom& a, bool holds) {
    switch (a->kind) {
        case AtomKind::nonnegative:
            return holds ? comparison(a->parts[0], ">=", ">") : comparison(a->parts[0], "<", "<=");
        case AtomKind::zero: return comparison(a->parts[0], holds ? "==" : "!=", nullptr);
        case AtomKind::symbol:
        case AtomKind::load:
        case AtomKind::quotient:
        case AtomKind::minimum:
        case AtomKind::maximum:
        case AtomKind::sum:
        case AtomKind::wrapped:
        case AtomKind::opaque:
        case AtomKind::common_bits:
        case AtomKind::power: break;
    }
    return (holds ? "" : "not ") + text_of(a);
}

// Each truth is a case, and each case is written twice as often as the one before.
constexpr std::size_t cases_at_most = 5;

bool has_many_cases(const NormalForm& x) {
    std::set<Atom> truths;
    for (const auto& [monomial, coefficient] : x.terms()) {
        for (const Atom& a : monomial) {
            if (a->truth) truths.insert(a);
        }
    }
    return truths.size() > cases_at_most;
}

}  // namespace

std::string to_string(const NormalForm& x) {
    if (x.is_unknown()) return "(not known)";
    const Atom truth = first_truth(x);
    if (!truth || has_many_cases(x)) return text_of_sum(x);
    return fmt::format("where({}, {}, {})", text_of_truth(truth, true),
                       to_string(with_truth(x, truth, true)),
                       to_string(with_truth(x, truth, false)));
}

std::string to_string_truth(const NormalForm& x) {
    std::int64_t constant = 0;
    if (x.is_constant(&constant)) return constant != 0 ? "true" : "false";
    const Atom truth = first_truth(x);
    if (!truth) return to_string(x) + " != 0";
    const NormalForm yes = with_truth(x, truth, true);
    const NormalForm no = with_truth(x, truth, false);
    const NormalForm always(1);
    if (no.is_zero()) {
        const std::string first = text_of_truth(truth, true);
        return yes == always ? first : first + " and " + to_string_truth(yes);
    }
    if (yes.is_zero()) {
        const std::string first = text_of_truth(truth, false);
        return no == always ? first : first + " and " + to_string_truth(no);
    }
    const bool yes_is_always = yes == always;
    if (yes_is_always || no == always) {
        const NormalForm& other = yes_is_always ? no : yes;
        return fmt::format("({} or {})", text_of_truth(truth, yes_is_always),
                           to_string_truth(other));
    }
    if (has_many_cases(x)) return text_of_sum(x) + " != 0";
    return fmt::format("where({}, {}, {})", text_of_truth(truth, true), to_string_truth(yes),
                       to_string_truth(no));
}

}  // namespace tkc::ir
