// Taking facts in: solving for names, knowing truths, and the facts of a kernel.
#include "facts/facts.h"

#include <fmt/format.h>

#include "arithmetic/divisor.h"
#include "arithmetic/guards.h"
#include "facts/guarded_divisors.h"
#include "facts/launch_facts.h"
#include "facts/value_range.h"
#include "ir/contract.h"
#include "ir/parse_tokens.h"
#include "ir/reflect.h"

namespace tkc::ir {

namespace {

// The atom, where the form is this one atom.
Atom single_atom(const NormalForm& x) {
    if (x.is_unknown() || x.terms().size() != 1) return nullptr;
    const auto& [monomial, coefficient] = *x.terms().begin();
    return monomial.size() == 1 && coefficient == 1 ? monomial[0] : nullptr;
}

// The form with the constant rounded down to a multiple of what divides all else, divided by that:
// still >= 0.
NormalForm tightened(const NormalForm& x) {
    std::int64_t g = 0;
    for (const auto& [monomial, coefficient] : x.terms()) {
        if (!monomial.empty()) g = common_divisor(g, coefficient);
    }
    if (g <= 1) return x;
    NormalForm result;
    for (const auto& [monomial, coefficient] : x.terms()) {
        const std::int64_t rest = coefficient % g;
        result.add_term(monomial, (coefficient - (rest < 0 ? rest + g : rest)) / g);
    }
    return result;
}

}  // namespace

// What was found out of atoms by what was known until now.
void Facts::forget_answers() {
    signs_.clear();
    excluded_.reset();
    bounded_ = nullptr;
}

void Facts::add_fact(NormalForm x) {
    x = tightened(x);
    if (x.is_unknown() || (x.is_constant() && x.constant() >= 0)) return;
    forget_answers();
    // min(a, b) + k >= 0 says it of both, -max(a, b) + k >= 0 too; floor(y/c) + z >= 0 says y + c*z
    // >= 0.
    for (const auto& [monomial, coefficient] : x.terms()) {
        if (monomial.size() != 1) continue;
        const Atom& a = monomial[0];
        const NormalForm rest = x - NormalForm(coefficient) * NormalForm(a);
        if ((a->kind == AtomKind::minimum && coefficient > 0) ||
            (a->kind == AtomKind::maximum && coefficient < 0)) {
            for (const NormalForm& p : a->parts) add_fact(rest + NormalForm(coefficient) * p);
            return;
        }
        if (a->kind == AtomKind::quotient && (coefficient == 1 || coefficient == -1)) {
            const NormalForm& d = a->parts[1];
            const NormalForm last = coefficient < 0 ? d - NormalForm(1) : NormalForm(0);
            facts_.push_back(rest * d + last + NormalForm(coefficient) * a->parts[0]);
        }
    }
    facts_.push_back(std::move(x));
}

void Facts::assume_at_least_zero(const NormalForm& x) {
    remember(">= " + x.key());
    conditions_.push_back(at_least_zero(x));
    add_fact(apply(x));
}

void Facts::assume_zero(const NormalForm& x) {
    remember("== " + x.key());
    conditions_.push_back(equals_zero(x));
    const NormalForm known = apply(x);
    if (known.is_zero()) return;
    add_fact(known);
    add_fact(-known);
    solve(known);
}

// x == 0 gives a name (N == M: N is M), or a name as a multiple (K % 64 == 0: K is 64 * K/64).
void Facts::solve(const NormalForm& x) {
    for (const auto& [monomial, coefficient] : x.terms()) {
        if (monomial.size() != 1) continue;
        const Atom& a = monomial[0];
        if (a->kind == AtomKind::symbol && !a->truth && (coefficient == 1 || coefficient == -1)) {
            const NormalForm rest = x - NormalForm(coefficient) * NormalForm(a);
            if (mentions(rest, a->name)) continue;
            return define(a->name, NormalForm(-coefficient) * rest);
        }
    }
    for (const auto& [monomial, coefficient] : x.terms()) {
        for (const Atom& a : monomial) {
            if (a->kind != AtomKind::quotient) continue;
            const Atom whole = single_atom(a->parts[0]);
            if (!whole || whole->kind != AtomKind::symbol) continue;
            const NormalForm left = a->parts[0] - a->parts[1] * NormalForm(a);
            if (x == left || x == -left) {
                const std::string share = "(" + to_string(NormalForm(a)) + ")";
                made_up_.insert(share);
                const bool positive = never_negative(whole);  // divisors are at least 1
                define(whole->name, a->parts[1] * symbol_form(share));
                if (positive) add_fact(symbol_form(share));
                return;
            }
        }
    }
}

void Facts::define(const std::string& name, const NormalForm& value) {
    for (auto& [other, form] : solved_) form = substitute(form, {{name, value}});
    solved_[name] = value;
    bounded_ = nullptr;
    const std::vector<NormalForm> before = std::move(facts_);
    facts_.clear();
    for (const NormalForm& x : before) add_fact(apply(x));
}

void Facts::know(const Atom& truth, bool value) {
    if (truth->kind == AtomKind::nonnegative) {
        add_fact(value ? truth->parts[0] : -truth->parts[0] - NormalForm(1));
    } else if (truth->kind == AtomKind::zero && value) {
        const NormalForm& x = truth->parts[0];
        add_fact(x);
        add_fact(-x);
        solve(x);
    } else if (truth->kind == AtomKind::zero) {
        // Not 0, and on one side of it: a number that is even or odd and not odd is even.
        for (const NormalForm& x : {truth->parts[0], -truth->parts[0]}) {
            int budget = 100;
            if (!combine(x, bounds_with(x).all, 3, &budget)) continue;
            add_fact(x - NormalForm(1));
            break;
        }
    }
    truths_[truth] = value;
    bounded_ = nullptr;
}

void Facts::assume(const NormalForm& truth) {
    remember(truth.key());
    conditions_.push_back(truth);
    const NormalForm known = apply(truth);
    if (known.is_zero()) return add_fact(NormalForm(-1));
    // A conjunction of truths and negated truths: take it apart; of anything else only the
    // condition is kept.
    NormalForm rest = known;
    while (const Atom a = first_truth(rest)) {
        const NormalForm yes = with_truth(rest, a, true);
        const NormalForm no = with_truth(rest, a, false);
        if (no.is_zero()) {
            know(a, true);
            rest = yes;
        } else if (yes.is_zero()) {
            know(a, false);
            rest = no;
        } else {
            return;
        }
    }
}

void Facts::assume_range(const std::string& name, const NormalForm& begin, const NormalForm& end,
                         std::int64_t step) {
    remember(name + " from " + begin.key() + " by " + std::to_string(step));
    NormalForm value = symbol_form(name);
    if (step > 1) {
        const std::string index = name + ".index";
        counted_.insert(index);
        made_up_.insert(index);
        value = begin + NormalForm(step) * symbol_form(index);
        define(name, apply(value));
        assume_at_least_zero(symbol_form(index));
    } else {
        counted_.insert(name);
        assume_at_least_zero(value - begin);
    }
    assume_at_least_zero(end - value - NormalForm(1));
}

void Facts::assume_elements(const std::string& tensor, const NormalForm& least,
                            const NormalForm& most) {
    remember(tensor + "[] from " + least.key() + " to " + most.key());
    forget_answers();
    elements_[tensor].push_back({least, most});
}

void Facts::assume_numbers(std::shared_ptr<const Ranges> ranges) {
    std::string text = "numbers";
    for (const auto& [name, range] : *ranges)
        text += fmt::format(" {}:{}..{}", name, range.least, range.most);
    remember(text);
    numbers_ = std::move(ranges);
    bounded_ = nullptr;
}

void Facts::bound_numbers(const Atom& quotient, std::vector<NormalForm>* bounds) const {
    constexpr std::int64_t small = 1 << 16;
    if (numbers_ == nullptr) return;
    const auto known = numbers_of(NormalForm(quotient), *numbers_);
    if (!known || known->first < -small || known->second >= small) return;
    bounds->push_back(NormalForm(quotient) - NormalForm(known->first));
    bounds->push_back(NormalForm(known->second) - NormalForm(quotient));
}

std::vector<NormalForm> Facts::bounds_of(const Atom& a) const {
    std::vector<NormalForm> all;
    // That a number lies in 32 bits helps no proof, and takes time in each.
    const auto add = [&](const NormalForm& least, const NormalForm& most) {
        std::int64_t bound = 0;
        if (!least.is_unknown() && !(least.is_constant(&bound) && bound <= -i32_limit))
            all.push_back(NormalForm(a) - apply(least));
        if (!most.is_unknown() && !(most.is_constant(&bound) && bound >= i32_limit - 1))
            all.push_back(apply(most) - NormalForm(a));
    };
    if (a->kind == AtomKind::wrapped) {
        const ValueRange range = range_of_dtype(*find_dtype(a->name));
        add(NormalForm(range.least), NormalForm(range.most));
    } else if (a->kind == AtomKind::common_bits) {
        // Shared with a number that is not negative, they are no more than it.
        for (const NormalForm& p : a->parts) {
            int budget = 100;
            if (combine(p, {}, 3, &budget)) add(NormalForm(0), p);
        }
    } else if (a->kind == AtomKind::load) {
        const auto found = elements_.find(a->name);
        if (found == elements_.end()) return all;
        for (const auto& [least, most] : found->second) add(least, most);
    }
    return all;
}

NormalForm Facts::apply(const NormalForm& x) const {
    const NormalForm known = solved_.empty() ? x : substitute(x, solved_);
    if (truths_.empty()) return known;
    return replace_atoms(known, [&](const Atom& a) -> std::optional<NormalForm> {
        if (!a->truth) return std::nullopt;
        const auto found = truths_.find(a);
        if (found == truths_.end()) return std::nullopt;
        return NormalForm(found->second ? 1 : 0);
    });
}

bool names_number(const Op& op) { return as<Let>(op) != nullptr || as<ReadNumber>(op) != nullptr; }

Scalar unknown_number(const ReadNumber& read) {
    return element_load(std::string(1, unknown_number_mark) + read.name, read.place, false,
                        Dtype::i32);
}

Bindings bindings_of(const Block& lets, Bindings outer) {
    for (const Op& op : lets) {
        if (const auto* read = std::get_if<ReadNumber>(&op.node))
            outer[read->name] = normal_form(unknown_number(*read), outer);
        const auto* let = std::get_if<Let>(&op.node);
        if (let == nullptr) continue;
        if (is_integer(let->value->dtype) || is_boolean(let->value->dtype)) {
            outer[let->name] = normal_form(let->value, outer);
        }
    }
    return outer;
}

Bindings bindings_of(const Kernel& kernel) {
    Bindings constants;
    constants.ranges = std::make_shared<const Ranges>(ranges_of(kernel));
    for (const Constant& c : kernel.constants) {
        std::int64_t value = 0;
        if (c.value && is_constant(c.value, &value)) constants[c.name] = NormalForm(value);
    }
    constants.guarded = guarded_divisors(kernel, constants);
    return bindings_of(kernel.lets, constants);
}

Facts facts_of_launch(const Kernel& kernel, const Bindings& given, Conditions conditions) {
    Facts facts;
    Bindings bindings = given;
    bindings.ranges = nullptr;  // extents and conditions are the launch's, which has 64 bits
    for (const Tensor& t : kernel.tensors) {
        for (const Scalar& extent : t.extents) {
            facts.assume_at_least_zero(normal_form(extent, bindings));
        }
    }
    for (const Binding& b : ir::bindings(kernel)) {
        if (b.offset != 0) facts.assume_at_least_zero(symbol_form(b.name));
    }
    const auto assume = [&](const Scalar& condition, const Bindings& names) {
        for (const Guard& part : parts_of({condition, true})) {
            const NormalForm truth = normal_form(part.condition, names);
            const NormalForm holds = part.holds ? truth : negation(truth);
            const Atom a = single_atom(holds);
            if (a && a->kind == AtomKind::zero) {
                facts.assume_zero(a->parts[0]);
            } else {
                facts.assume(holds);
            }
        }
    };
    for (const Condition& c : kernel.conditions) {
        if (c.derived && conditions == Conditions::required) continue;
        bool of_argument = false;  // strides and addresses: nothing here depends on them
        for (const std::string& name : symbols_of(c.holds)) {
            of_argument = of_argument || name.find('.') != std::string::npos;
        }
        if (of_argument) continue;
        assume(c.holds, bindings);
    }
    // What is stated about data holds as the machine computes it.
    for (const Trusted& t : kernel.trusted) {
        if (t.fact != stated_condition) continue;
        Tokens tokens(t.tensor, 0);
        const Scalar holds = parse_expression(tokens);
        if (!tokens.failed()) assume(holds, given);
    }
    facts.assume_numbers(std::make_shared<const Ranges>(ranges_at_launch(kernel)));
    for (const Parameter& p : kernel.parameters) {
        if (is_integer(p.dtype) && range_of_dtype(p.dtype).least == 0)
            facts.assume_at_least_zero(symbol_form(p.name));
    }
    for (const Tensor& t : kernel.tensors) {
        if (!is_integer(t.dtype)) continue;
        const ValueRange all = range_of_dtype(t.dtype);
        if (bits_of(t.dtype) < 64)
            facts.assume_elements(t.name, NormalForm(all.least), NormalForm(all.most));
    }
    for (const ElementRange& e : element_ranges(kernel)) {
        facts.assume_elements(e.tensor, normal_form(e.least, bindings),
                              normal_form(e.end, bindings) - NormalForm(1));
    }
    return facts;
}

Facts facts_of(const Kernel& kernel, const Bindings& given, Conditions conditions) {
    Facts facts = facts_of_launch(kernel, given, conditions);
    Bindings bindings = given;
    bindings.ranges = nullptr;
    for (const GridAxis& axis : kernel.grid) {
        facts.assume_range(axis.var, normal_form(axis.begin, bindings),
                           normal_form(axis.end, bindings), axis.step);
    }
    facts.seek_examples();
    return facts;
}

}  // namespace tkc::ir
