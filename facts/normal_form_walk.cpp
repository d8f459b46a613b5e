// Normal forms of expressions, and what is done to forms: replacing atoms, substituting,
// evaluating.
#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_map>
#include <unordered_set>

#include "arithmetic/guards.h"
#include "arithmetic/normal_form.h"
#include "base/overloaded.h"
#include "facts/value_range.h"
#include "language/function_cases.h"

namespace tkc::ir {

namespace {

bool is_number(const Scalar& s) { return is_integer(s->dtype) || is_boolean(s->dtype); }

// An expression without structure for us: its text. If names in it are replaced, nothing is known.
NormalForm opaque(const Scalar& s, const Bindings& bindings) {
    for (const std::string& name : symbols_of(s)) {
        if (bindings.count(name) != 0) return NormalForm::unknown();
    }
    return opaque_form(to_string(s), is_boolean(s->dtype));
}

// Only functions with integer arguments arrive here.
std::optional<NormalForm> arithmetic(Function f, const std::vector<NormalForm>& a, Dtype dtype) {
    switch (f) {
        case Function::add: return a[0] + a[1];
        case Function::sub: return a[0] - a[1];
        case Function::mul: return a[0] * a[1];
        case Function::div: return quotient(a[0], a[1]);
        case Function::mod: return remainder(a[0], a[1]);
        case Function::ceil_div: return ceil_quotient(a[0], a[1]);
        case Function::neg: return -a[0];
        case Function::shift_left: return a[0] * power_of_two(a[1]);
        case Function::shift_right: return quotient(a[0], power_of_two(a[1]));
        case Function::bit_and: return common_bits(a[0], a[1]);
        case Function::bit_or: return a[0] + a[1] - common_bits(a[0], a[1]);
        case Function::bit_xor: return a[0] + a[1] - NormalForm(2) * common_bits(a[0], a[1]);
        case Function::bit_not:  // all bits of it, and no sign to copy where it has none
            return NormalForm(info(dtype).kind == DtypeClass::natural ? range_of_dtype(dtype).most
                                                                      : -1) -
                   a[0];
        case Function::abs: return maximum({a[0], -a[0]});
        case Function::min: return minimum(a);
        case Function::max: return maximum(a);
        case Function::eq: return equals_zero(a[0] - a[1]);
        case Function::ne: return negation(equals_zero(a[0] - a[1]));
        case Function::lt: return at_least_zero(a[1] - a[0] - NormalForm(1));
        case Function::le: return at_least_zero(a[1] - a[0]);
        case Function::gt: return at_least_zero(a[0] - a[1] - NormalForm(1));
        case Function::ge: return at_least_zero(a[0] - a[1]);
        case Function::logical_and: return a[0] * a[1];
        case Function::logical_or: return a[0] + a[1] - a[0] * a[1];
        case Function::logical_not: return negation(a[0]);
        case Function::where: return choose(a[0], a[1], a[2]);
        case TKC_REAL_FUNCTIONS:
        case TKC_BIT_PATTERNS: break;
    }
    return std::nullopt;
}

// A form, and where ranges are known the numbers between which it lies on the machine.
struct Formed {
    NormalForm form;
    ValueRange range;
};

class Former {
public:
    explicit Former(const Bindings& bindings) : bindings_(bindings) {
        if (bindings.ranges != nullptr)
            ranges_.emplace(*bindings.ranges, bindings.uses_launch_facts ? Asked::yes : Asked::no);
    }

    Formed make(const Scalar& s) {
        if (!s) return {NormalForm::unknown(), {}};
        if (!is_number(s)) return leaf(s, opaque(s, bindings_));
        return std::visit(
            Overloaded{
                [&](const Integer& n) {
                    // What was folded on paper is in its dtype on the machine.
                    const std::int64_t value =
                        bindings_.ranges == nullptr ? n.value : wrapped_value(s->dtype, n.value);
                    return Formed{NormalForm(value), {value, value, nullptr, nullptr}};
                },
                [&](const Real&) { return leaf(s, opaque(s, bindings_)); },
                [&](const Boolean& n) { return leaf(s, NormalForm(n.value ? 1 : 0)); },
                [&](const Symbol& n) {
                    const auto found = bindings_.find(n.name);
                    return leaf(s, found == bindings_.end()
                                       ? symbol_form(n.name, is_boolean(s->dtype))
                                       : found->second);
                },
                [&](const Element&) { return leaf(s, opaque(s, bindings_)); },
                [&](const Row&) { return leaf(s, opaque(s, bindings_)); },
                [&](const Column&) { return leaf(s, opaque(s, bindings_)); },
                [&](const ElementLoad& n) {
                    std::vector<NormalForm> position;
                    for (const Scalar& p : n.position) position.push_back(make(p).form);
                    // One that is zero outside is another value, there.
                    const std::string name = n.tensor + (n.zero_outside ? "?" : "");
                    return leaf(s, load_form(name, position, is_boolean(s->dtype)));
                },
                [&](const Call& n) { return of_call(s, n); },
                [&](const Cast& n) { return of_cast(s, n); },
                // What the function really computes is believed for cells, and proves nothing.
                [&](const External&) { return leaf(s, opaque(s, bindings_)); },
            },
            s->node);
    }

private:
    // What is not a step of arithmetic.
    Formed leaf(const Scalar& s, NormalForm form) {
        Formed made{std::move(form), {}};
        if (bindings_.ranges == nullptr || !is_integer(s->dtype)) return made;
        made.range = plain(ranges_->range_of(s));
        return made;
    }

    // The numbers alone, which mostly decide.
    static ValueRange plain(const ValueRange& range) {
        return {range.least, range.most, nullptr, nullptr};
    }

    // A step of which `form` is the value on paper.
    Formed step(const Scalar& s, NormalForm form, const std::vector<ValueRange>& operands) {
        Formed made{std::move(form), {}};
        if (bindings_.ranges == nullptr || !is_integer(s->dtype)) return made;
        if (fits(s, operands, &made.range)) return made;
        // Where what it sums up to is simpler, that may fit: start + (end - start).
        const NormalForm whole = modular(made.form, info(s->dtype).bits);
        const Step exact = ranges_->step_of(s);
        made.range = plain(exact.range);
        if (fits(whole, s->dtype, *bindings_.ranges)) {
            made.form = whole;
        } else if (exact.fit == Fit::never) {
            made.form = wrapped(s->dtype, made.form);
        }
        return made;
    }

    Formed of_call(const Scalar& s, const Call& c) {
        std::vector<NormalForm> arguments;
        std::vector<ValueRange> operands;
        for (std::size_t i = 0; i < c.arguments.size(); ++i) {
            const Scalar& x = c.arguments[i];
            if (!is_number(x)) return leaf(s, opaque(s, bindings_));
            const int depth = guard_of_argument(c, i) ? 1 : 0;
            guards_ += depth;
            Formed made = make(x);
            guards_ -= depth;
            arguments.push_back(std::move(made.form));
            operands.push_back(std::move(made.range));
        }
        if (divides(c.function) && operands[1].least < 1 &&
            (guards_ > 0 || is_guarded(arguments[1])))
            arguments[1] = at_least_one(std::move(arguments[1]));
        auto result = arithmetic(c.function, arguments, s->dtype);
        if (result && c.function == Function::shift_left && !arguments[1].is_constant()) {
            Formed made = step(s, NormalForm(0), operands);
            made.form = of_shift(s, std::move(*result));
            return made;
        }
        if (result) return step(s, std::move(*result), operands);
        Formed made = step(s, NormalForm(0), operands);  // the range is known nevertheless
        made.form = opaque(s, bindings_);
        return made;
    }

    // What is shifted up by a number of places that no constant gives leaves its dtype, unless the
    // ranges say that it does not.
    NormalForm of_shift(const Scalar& s, NormalForm product) const {
        const bool exact =
            bindings_.ranges == nullptr || fits(product, s->dtype, *bindings_.ranges);
        return exact ? product : wrapped(s->dtype, product);
    }

    Formed of_cast(const Scalar& s, const Cast& n) {
        if (!is_number(n.argument)) return leaf(s, opaque(s, bindings_));
        Formed x = make(n.argument);
        if (is_boolean(s->dtype) && is_integer(n.argument->dtype))
            return {negation(equals_zero(x.form)), {}};
        if (is_boolean(n.argument->dtype)) x.range = range_of_dtype(Dtype::boolean);
        return step(s, std::move(x.form), {x.range});
    }

    // A divisor is positive where it divides, and a quotient has no other meaning. In a form it
    // is next to what is known where its condition does not hold, so there it has one too.
    static NormalForm at_least_one(NormalForm divisor) {
        return divisor.is_constant() ? divisor : maximum({std::move(divisor), NormalForm(1)});
    }
    bool is_guarded(const NormalForm& divisor) const {
        return bindings_.guarded != nullptr && !divisor.is_unknown() &&
               bindings_.guarded->contains(divisor.key());
    }
    static bool divides(Function f) {
        return f == Function::div || f == Function::mod || f == Function::ceil_div;
    }

    const Bindings& bindings_;
    std::optional<RangeFinder> ranges_;  // where ranges are known
    int guards_ = 0;                     // conditions inside the expression, round what is formed
};

}  // namespace

NormalForm normal_form(const Scalar& s, const Bindings& bindings) {
    return Former(bindings).make(s).form;
}

namespace {

// What an atom or a form becomes; nothing: it stays as it is. Most do, and then nothing is made.
using Changed = std::optional<NormalForm>;

// The atom made again from other parts.
NormalForm remake(const Atom& a, std::vector<NormalForm> parts) {
    switch (a->kind) {
        case AtomKind::symbol:
        case AtomKind::opaque: return NormalForm(a);
        case AtomKind::load: return load_form(a->name, parts, a->truth);
        case AtomKind::quotient: return quotient(parts[0], parts[1]);
        case AtomKind::minimum: return minimum(std::move(parts));
        case AtomKind::maximum: return maximum(std::move(parts));
        case AtomKind::nonnegative: return at_least_zero(parts[0]);
        case AtomKind::zero: return equals_zero(parts[0]);
        case AtomKind::sum: return sum_over(parts[0], a->name, parts[1]);
        case AtomKind::wrapped: return wrapped(*find_dtype(a->name), parts[0]);
        case AtomKind::common_bits: return common_bits(parts[0], parts[1]);
        case AtomKind::power: return power_of_two(parts[0]);
    }
    return NormalForm::unknown();
}

// The atom made again from parts to which `f` was applied, where that changes one of them.
template <class F>
Changed with_parts(const Atom& a, const F& f) {
    std::vector<NormalForm> parts;  // once one of them is another
    for (std::size_t i = 0; i < a->parts.size(); ++i) {
        const NormalForm& p = a->parts[i];
        Changed made = f(p);
        if (made && parts.empty())
            parts.assign(a->parts.begin(), a->parts.begin() + static_cast<std::ptrdiff_t>(i));
        if (made || !parts.empty()) parts.push_back(made ? std::move(*made) : p);
    }
    if (parts.empty()) return std::nullopt;
    return remake(a, std::move(parts));
}

// The form with every atom at its top replaced by what `f` says.
template <class F>
Changed map_atoms(const NormalForm& x, const F& f) {
    if (x.is_unknown()) return std::nullopt;
    NormalForm result;
    bool changes = false;
    for (const Term& term : x.terms()) {
        const auto& [monomial, coefficient] = term;
        std::vector<Changed> factors;  // as long as one of them is another
        for (std::size_t i = 0; i < monomial.size(); ++i) {
            Changed made = f(monomial[i]);
            if (!made) continue;
            factors.resize(monomial.size());
            factors[i] = std::move(made);
        }
        if (!factors.empty() && !changes) {
            changes = true;
            for (const Term* before = x.terms().data(); before != &term; ++before)
                result.add_term(before->first, before->second);
        }
        if (!changes) continue;
        if (factors.empty()) {
            result.add_term(monomial, coefficient);
            continue;
        }
        NormalForm product(coefficient);
        for (std::size_t i = 0; i < monomial.size(); ++i)
            product = product * (factors[i] ? *factors[i] : NormalForm(monomial[i]));
        result += product;
    }
    if (!changes) return std::nullopt;
    return result;
}

// What heavy atoms became, each once.
using Replaced = std::unordered_map<Atom, Changed>;

Changed replace_atoms(const NormalForm& x,
                      const std::function<std::optional<NormalForm>(const Atom&)>& f,
                      Replaced& known) {
    return map_atoms(x, [&](const Atom& a) -> Changed {
        if (a->weight >= heavy) {
            if (const auto found = known.find(a); found != known.end()) return found->second;
        }
        Changed made =
            with_parts(a, [&](const NormalForm& p) { return replace_atoms(p, f, known); });
        // Usually still one atom, the same or another; what became something else is as wanted
        // already.
        Atom alone = made ? nullptr : a;
        if (made && made->terms().size() == 1 && made->terms()[0].first.size() == 1 &&
            made->terms()[0].second == 1)
            alone = made->terms()[0].first[0];
        if (alone != nullptr) {
            if (auto replaced = f(alone)) made = std::move(replaced);
        }
        if (a->weight >= heavy) known.emplace(a, made);
        return made;
    });
}

Changed substitute(const NormalForm& x, const Bindings& values, Replaced& known) {
    return map_atoms(x, [&](const Atom& a) -> Changed {
        if (a->kind == AtomKind::symbol) {
            const auto found = values.find(a->name);
            return found == values.end() ? std::nullopt : Changed(found->second);
        }
        if (a->kind == AtomKind::opaque || a->parts.empty()) return std::nullopt;
        if (a->kind == AtomKind::sum &&
            values.count(a->name) != 0) {  // the sum binds this name anew
            Bindings others = values;
            others.erase(a->name);
            Replaced known_there;
            Changed count = substitute(a->parts[0], values, known);
            Changed body = substitute(a->parts[1], others, known_there);
            if (!count && !body) return std::nullopt;
            return sum_over(count ? *count : a->parts[0], a->name, body ? *body : a->parts[1]);
        }
        if (a->weight >= heavy) {
            if (const auto found = known.find(a); found != known.end()) return found->second;
        }
        Changed made =
            with_parts(a, [&](const NormalForm& p) { return substitute(p, values, known); });
        if (a->weight >= heavy) known.emplace(a, made);
        return made;
    });
}

}  // namespace

NormalForm replace_atoms(const NormalForm& x,
                         const std::function<std::optional<NormalForm>(const Atom&)>& f) {
    Replaced known;
    return replace_atoms(x, f, known).value_or(x);
}

NormalForm substitute(const NormalForm& x, const Bindings& values) {
    Replaced known;
    return substitute(x, values, known).value_or(x);
}

namespace {

using Seen = std::unordered_set<Atom>;

void visit_atoms(const NormalForm& x, const std::function<void(const Atom&)>& f, Seen& seen) {
    for (const auto& [monomial, coefficient] : x.terms()) {
        for (const Atom& a : monomial) {
            if (a->weight >= heavy && !seen.insert(a).second) continue;
            f(a);
            for (const NormalForm& p : a->parts) visit_atoms(p, f, seen);
        }
    }
}

bool mentions(const NormalForm& x, const std::string& symbol, Seen& seen) {
    for (const auto& [monomial, coefficient] : x.terms()) {
        for (const Atom& a : monomial) {
            if (a->kind == AtomKind::symbol && a->name == symbol) return true;
            if (a->weight >= heavy && !seen.insert(a).second) continue;
            if (a->kind == AtomKind::sum && a->name == symbol) {
                if (mentions(a->parts[0], symbol, seen)) return true;
                continue;  // bound inside
            }
            for (const NormalForm& p : a->parts) {
                if (mentions(p, symbol, seen)) return true;
            }
        }
    }
    return false;
}

}  // namespace

void visit_atoms(const NormalForm& x, const std::function<void(const Atom&)>& f) {
    Seen seen;
    visit_atoms(x, f, seen);
}

bool mentions(const NormalForm& x, const std::string& symbol) {
    Seen seen;
    return mentions(x, symbol, seen);
}

Atom first_truth(const NormalForm& x) {
    for (const auto& [monomial, coefficient] : x.terms()) {
        for (const Atom& a : monomial) {
            if (a->truth) return a;
        }
    }
    return nullptr;
}

NormalForm with_truth(const NormalForm& x, const Atom& truth, bool value) {
    if (x.is_unknown()) return x;
    NormalForm result;
    for (const auto& [monomial, coefficient] : x.terms()) {
        std::vector<Atom> rest;
        for (const Atom& a : monomial) {
            if (a != truth) rest.push_back(a);
        }
        if (value || rest.size() == monomial.size()) result.add_term(Monomial(rest), coefficient);
    }
    return result;
}

namespace {

using Number = std::optional<std::int64_t>;

// One evaluation, and the values of heavy atoms.
struct Evaluation {
    const Leaves& leaves;
    std::unordered_map<Atom, Number> known = {};
};

Number evaluate(const NormalForm& x, Evaluation& values);

Number value_of_sum(const Atom& a, Evaluation& values) {
    const Number count = evaluate(a->parts[0], values);
    if (!count || *count > 4096) return std::nullopt;
    std::int64_t total = 0;
    for (std::int64_t i = 0; i < *count; ++i) {
        const Number term = evaluate(a->parts[1], [&](const std::string& name) -> Number {
            return name == a->name ? Number(i) : values.leaves(name);
        });
        if (!term || __builtin_add_overflow(total, *term, &total)) return std::nullopt;
    }
    return total;
}

Number value_of_load(const Atom& a, Evaluation& values) {
    std::string leaf = a->name + "[";
    for (const NormalForm& p : a->parts) {
        const Number position = evaluate(p, values);
        if (!position) return std::nullopt;
        if (&p != &a->parts.front()) leaf += ", ";
        std::array<char, 24> digits;
        leaf.append(digits.data(),
                    std::to_chars(digits.data(), digits.data() + digits.size(), *position).ptr);
    }
    leaf += ']';
    return values.leaves(leaf);
}

Number computed(const Atom& a, Evaluation& values) {
    if (a->kind == AtomKind::symbol || a->kind == AtomKind::opaque) return values.leaves(a->name);
    if (a->kind == AtomKind::load) return value_of_load(a, values);
    if (a->kind == AtomKind::sum) return value_of_sum(a, values);
    std::int64_t first = 0;
    std::int64_t last = 0;
    std::int64_t least = INT64_MAX;
    std::int64_t most = INT64_MIN;
    for (const NormalForm& p : a->parts) {
        const Number value = evaluate(p, values);
        if (!value) return std::nullopt;
        last = *value;
        if (&p == &a->parts.front()) first = last;
        least = std::min(least, last);
        most = std::max(most, last);
    }
    switch (a->kind) {
        case AtomKind::quotient: {
            if (last <= 0) return std::nullopt;
            const std::int64_t q = first / last;
            return first % last < 0 ? q - 1 : q;
        }
        case AtomKind::minimum: return least;
        case AtomKind::maximum: return most;
        case AtomKind::nonnegative: return first >= 0 ? 1 : 0;
        case AtomKind::zero: return first == 0 ? 1 : 0;
        case AtomKind::wrapped: return wrapped_value(*find_dtype(a->name), first);
        case AtomKind::common_bits: return first & last;
        case AtomKind::power: return std::int64_t{1} << (first & 31);
        case AtomKind::symbol:
        case AtomKind::load:
        case AtomKind::sum:
        case AtomKind::opaque: break;  // done above
    }
    return std::nullopt;
}

Number value_of(const Atom& a, Evaluation& values) {
    if (a->weight < heavy) return computed(a, values);
    if (const auto found = values.known.find(a); found != values.known.end()) return found->second;
    const Number value = computed(a, values);
    values.known.emplace(a, value);
    return value;
}

// A product is 0 where one of its truths is, whatever the other factors.
Number value_of_product(const Monomial& monomial, Evaluation& values) {
    std::int64_t product = 1;
    bool known = true;
    for (const bool truths : {true, false}) {
        for (const Atom& a : monomial) {
            if (a->truth != truths) continue;
            const Number value = value_of(a, values);
            if (value == 0) return 0;
            known = known && value && !__builtin_mul_overflow(product, *value, &product);
        }
        if (!known) return std::nullopt;
    }
    return product;
}

Number evaluate(const NormalForm& x, Evaluation& values) {
    if (x.is_unknown()) return std::nullopt;
    std::int64_t total = 0;
    for (const auto& [monomial, coefficient] : x.terms()) {
        const Number product = value_of_product(monomial, values);
        std::int64_t term = 0;
        if (!product || __builtin_mul_overflow(*product, coefficient, &term) ||
            __builtin_add_overflow(total, term, &total)) {
            return std::nullopt;
        }
    }
    return total;
}

}  // namespace

std::optional<std::int64_t> evaluate(const NormalForm& x, const Leaves& leaves) {
    Evaluation values{leaves};
    return evaluate(x, values);
}

}  // namespace tkc::ir
