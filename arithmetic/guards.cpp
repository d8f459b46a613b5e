// Walking expressions with the conditions under which their parts are evaluated.
#include "arithmetic/guards.h"

#include <algorithm>

#include "language/function_cases.h"

namespace tkc::ir {

bool needs_its_condition(const Scalar& s) {
    bool found = false;
    visit_nodes(s, [&](const ScalarNode& n) {
        const auto* load = std::get_if<ElementLoad>(&n.node);
        const auto* c = std::get_if<Call>(&n.node);
        const bool divides =
            c != nullptr && (c->function == Function::div || c->function == Function::mod ||
                             c->function == Function::ceil_div);
        found = found || (load != nullptr && !load->zero_outside) ||
                (divides && is_integer(n.dtype) && !is_constant(c->arguments[1]));
    });
    return found;
}

bool is_single_number(const Scalar& s) {
    bool single = true;
    visit_nodes(s, [&](const ScalarNode& n) {
        single = single && !std::holds_alternative<Element>(n.node) &&
                 !std::holds_alternative<Row>(n.node) && !std::holds_alternative<Column>(n.node);
    });
    return single;
}

bool chooses_by_number(const Call& call) {
    const bool chooses = call.function == Function::where ||
                         call.function == Function::logical_and ||
                         call.function == Function::logical_or;
    return chooses && is_single_number(call.arguments[0]);
}

std::optional<Guard> guard_of_argument(const Call& call, std::size_t argument) {
    if (argument == 0 || !chooses_by_number(call)) return std::nullopt;
    const bool holds = call.function != Function::logical_or && argument == 1;
    return Guard{call.arguments[0], holds};
}

void visit_evaluated(const Scalar& s, Guards& guards,
                     FunctionRef<void(const Scalar&, const Guards&)> f) {
    if (const auto* c = std::get_if<Call>(&s->node)) {
        for (std::size_t i = 0; i < c->arguments.size(); ++i) {
            const std::optional<Guard> guard = guard_of_argument(*c, i);
            if (guard) guards.push_back(*guard);
            visit_evaluated(c->arguments[i], guards, f);
            if (guard) guards.pop_back();
        }
    } else if (const auto* load = std::get_if<ElementLoad>(&s->node)) {
        for (const Scalar& x : load->position) visit_evaluated(x, guards, f);
    } else if (const auto* k = std::get_if<Cast>(&s->node)) {
        visit_evaluated(k->argument, guards, f);
    } else if (const auto* e = std::get_if<External>(&s->node)) {
        for (const Scalar& x : e->arguments) visit_evaluated(x, guards, f);
    }
    f(s, guards);
}

Scalar rewrite_evaluated(const Scalar& s, Guards& guards,
                         FunctionRef<Scalar(const Scalar&, const Guards&)> f) {
    const auto each = [&](const std::vector<Scalar>& list) {
        std::vector<Scalar> made;
        for (const Scalar& x : list) made.push_back(rewrite_evaluated(x, guards, f));
        return made;
    };
    Scalar rebuilt = s;
    if (const auto* c = std::get_if<Call>(&s->node)) {
        Call made{c->function, c->arguments};
        for (std::size_t i = 0; i < made.arguments.size(); ++i) {
            const std::optional<Guard> guard = guard_of_argument(made, i);
            if (guard) guards.push_back(*guard);
            made.arguments[i] = rewrite_evaluated(made.arguments[i], guards, f);
            if (guard) guards.pop_back();
        }
        rebuilt = call(made.function, std::move(made.arguments));
    } else if (const auto* load = std::get_if<ElementLoad>(&s->node)) {
        rebuilt = element_load(load->tensor, each(load->position), load->zero_outside, s->dtype);
    } else if (const auto* k = std::get_if<Cast>(&s->node)) {
        rebuilt = cast(s->dtype, rewrite_evaluated(k->argument, guards, f));
    } else if (const auto* e = std::get_if<External>(&s->node)) {
        rebuilt = external(e->name, e->header, each(e->arguments),
                           rewrite_evaluated(e->meaning, guards, f));
    }
    const Scalar replaced = f(rebuilt, guards);
    return replaced ? replaced : rebuilt;
}

Scalar opposite(const Scalar& condition) {
    const auto* c = std::get_if<Call>(&condition->node);
    const bool reals = c != nullptr && is_real(c->arguments[0]->dtype);  // NaN is unordered
    if (c == nullptr || reals) return call(Function::logical_not, {condition});
    switch (c->function) {
        case Function::eq: return call(Function::ne, c->arguments);
        case Function::ne: return call(Function::eq, c->arguments);
        case Function::lt: return call(Function::ge, c->arguments);
        case Function::le: return call(Function::gt, c->arguments);
        case Function::gt: return call(Function::le, c->arguments);
        case Function::ge: return call(Function::lt, c->arguments);
        case Function::logical_not: return c->arguments[0];
        case Function::logical_and:
            return call(Function::logical_or,
                        {opposite(c->arguments[0]), opposite(c->arguments[1])});
        case Function::logical_or:
            return call(Function::logical_and,
                        {opposite(c->arguments[0]), opposite(c->arguments[1])});
        case TKC_ARITHMETIC:
        case TKC_BIT_FUNCTIONS:
        case TKC_INTEGER_FUNCTIONS:
        case TKC_REAL_FUNCTIONS:
        case TKC_BIT_PATTERNS:
        case Function::where: break;
    }
    return call(Function::logical_not, {condition});
}

Guards parts_of(const Guard& guard) {
    const auto* c = std::get_if<Call>(&guard.condition->node);
    if (c != nullptr && c->function == Function::logical_not)
        return parts_of({c->arguments[0], !guard.holds});
    const Function joins = guard.holds ? Function::logical_and : Function::logical_or;
    if (c == nullptr || c->function != joins) return {guard};
    Guards parts = parts_of({c->arguments[0], guard.holds});
    for (Guard& part : parts_of({c->arguments[1], guard.holds})) parts.push_back(std::move(part));
    return parts;
}

Scalar condition_of(const Guard& guard) {
    return guard.holds ? guard.condition : opposite(guard.condition);
}

Scalar condition_of(const Guards& guards) {
    Scalar all;
    for (const Guard& guard : guards) {
        const Scalar one = condition_of(guard);
        all = all ? call(Function::logical_and, {all, one}) : one;
    }
    return all;
}

}  // namespace tkc::ir
