// What conditions say of the ranges of names, and of the launches in which they hold.
#include <algorithm>
#include <optional>

#include "facts/value_range.h"
#include "language/function_cases.h"

namespace tkc::ir {

namespace {

// Each finder inside of others looks at what they share again, so they are not nested further.
constexpr int deepest_guard = 4;

// Made of extents and parameters alone.
bool is_of_launch(const ValueRange& r) { return r.low && r.high && same(r.low, r.high); }

// The comparison `a < b`, `a <= b`, `a == b` or `a != b` that a guard makes of integers.
struct Comparison {
    Function function;
    Scalar a, b;
};

std::optional<Comparison> comparison_of(const Guard& part) {
    const auto* c = std::get_if<Call>(&part.condition->node);
    const bool whole = c != nullptr && info(c->function).kind == FunctionKind::compare &&
                       is_integer(c->arguments[0]->dtype);
    if (!whole) return std::nullopt;
    const Scalar& a = c->arguments[0];
    const Scalar& b = c->arguments[1];
    switch (c->function) {
        case Function::lt:
            return part.holds ? Comparison{Function::lt, a, b} : Comparison{Function::le, b, a};
        case Function::le:
            return part.holds ? Comparison{Function::le, a, b} : Comparison{Function::lt, b, a};
        case Function::gt:
            return part.holds ? Comparison{Function::lt, b, a} : Comparison{Function::le, a, b};
        case Function::ge:
            return part.holds ? Comparison{Function::le, b, a} : Comparison{Function::lt, a, b};
        case Function::eq: return Comparison{part.holds ? Function::eq : Function::ne, a, b};
        case Function::ne: return Comparison{part.holds ? Function::ne : Function::eq, a, b};
        case TKC_ARITHMETIC:
        case TKC_LOGIC:
        case TKC_BIT_FUNCTIONS:
        case TKC_INTEGER_FUNCTIONS:
        case TKC_REAL_FUNCTIONS:
        case TKC_BIT_PATTERNS:
        case Function::where: break;
    }
    return std::nullopt;
}

std::int64_t sum_in_range(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    if (!__builtin_add_overflow(a, b, &sum)) return sum;
    return b < 0 ? INT64_MIN : INT64_MAX;
}

// At most, or at least, the other number and `more`. A name of which a launch knows all
// stays as it is; and a launch is not asked about data, whatever they are compared with.
void bound_above(ValueRange& r, const ValueRange& other, std::int64_t more) {
    r.most = std::min(r.most, sum_in_range(other.most, more));
    if (is_of_launch(r) || !r.high || !other.high) return;
    r.high = call(Function::min, {r.high, add(other.high, integer(more))});
}
void bound_below(ValueRange& r, const ValueRange& other, std::int64_t more) {
    r.least = std::max(r.least, sum_in_range(other.least, more));
    if (is_of_launch(r) || !r.low || !other.low) return;
    r.low = call(Function::max, {r.low, add(other.low, integer(more))});
}
void leave_out(ValueRange& r, const ValueRange& other) {
    if (other.least != other.most) return;
    if (r.least == other.least) bound_below(r, other, 1);
    if (r.most == other.least) bound_above(r, other, -1);
}

}  // namespace

ValueRange RangeFinder::range_of_name(const std::string& name, Dtype dtype) const {
    for (const Ranges* names : {&closer_, &names_}) {
        const auto found = names->find(name);
        if (found != names->end()) return found->second;
    }
    return range_of_dtype(dtype);
}

ValueRange RangeFinder::range_of_argument(const Call& c, std::size_t argument) {
    const std::optional<Guard> guard = guard_of_argument(c, argument);
    return (guard ? inside(*guard) : *this).range_of(c.arguments[argument]);
}

// The names that the guard compares with something.
Ranges RangeFinder::closer(const Guard& guard) {
    Ranges found;
    const auto compare = [&](const Scalar& x, const Scalar& other, auto&& narrower) {
        const auto* name = std::get_if<Symbol>(&x->node);
        if (name == nullptr) return;
        const auto known = found.find(name->name);
        ValueRange r = known != found.end() ? known->second : range_of_name(name->name, x->dtype);
        narrower(r, range_of(other));
        // Never: then whatever was known may stay.
        if (r.least <= r.most) found[name->name] = r;
    };
    for (const Guard& part : parts_of(guard)) {
        const std::optional<Comparison> c = comparison_of(part);
        if (!c) continue;
        const std::int64_t apart = c->function == Function::lt ? 1 : 0;
        const auto above = [&](ValueRange& r, const ValueRange& b) { bound_above(r, b, -apart); };
        const auto below = [&](ValueRange& r, const ValueRange& b) { bound_below(r, b, apart); };
        if (c->function == Function::ne) {
            compare(c->a, c->b, leave_out);
            compare(c->b, c->a, leave_out);
            continue;
        }
        compare(c->a, c->b, above);
        compare(c->b, c->a, below);
        if (c->function != Function::eq) continue;
        compare(c->a, c->b, below);
        compare(c->b, c->a, above);
    }
    return found;
}

RangeFinder& RangeFinder::inside(const Guard& guard) {
    if (depth_ == deepest_guard) return *this;
    auto& made = inside_[{guard.condition.get(), guard.holds}];
    if (!made) {
        const Ranges found = closer(guard);
        if (found.empty()) return *this;
        made = std::make_shared<RangeFinder>(names_, asked_);
        made->closer_ = closer_;
        for (const auto& [name, range] : found) made->closer_[name] = range;
        made->depth_ = depth_ + 1;
    }
    return *made;
}

void narrow(Ranges& names, const Guard& guard) {
    const Ranges found = RangeFinder(names).closer(guard);
    for (const auto& [name, range] : found) names[name] = range;
}

Scalar RangeFinder::at_launch(const Scalar& condition) {
    if (is_constant(condition)) return condition;
    if (const auto* name = std::get_if<Symbol>(&condition->node)) {
        const ValueRange range = range_of_name(name->name, condition->dtype);
        return is_boolean(condition->dtype) && is_of_launch(range) ? range.low : nullptr;
    }
    const auto* c = std::get_if<Call>(&condition->node);
    if (c == nullptr) return nullptr;
    const bool compares = info(c->function).kind == FunctionKind::compare;
    const bool logic = info(c->function).kind == FunctionKind::logic;
    if (!logic && !(compares && is_integer(c->arguments[0]->dtype))) return nullptr;
    std::vector<Scalar> arguments;
    for (const Scalar& x : c->arguments) {
        if (logic) {
            arguments.push_back(at_launch(x));
        } else {
            const ValueRange range = range_of(x);
            arguments.push_back(is_of_launch(range) ? range.low : nullptr);
        }
        if (!arguments.back()) return nullptr;
    }
    return call(c->function, std::move(arguments));
}

// A comparison holds somewhere only if it does with the ends of both sides that favor it.
Scalar RangeFinder::reached_part(const Guard& part) {
    if (const Scalar known = at_launch(part.condition)) return part.holds ? known : opposite(known);
    const auto* logic = std::get_if<Call>(&part.condition->node);
    const Function joins = part.holds ? Function::logical_or : Function::logical_and;
    if (logic != nullptr && logic->function == joins) {
        const Scalar first = reached({logic->arguments[0], part.holds});
        const Scalar second = reached({logic->arguments[1], part.holds});
        return first && second ? call(Function::logical_or, {first, second}) : nullptr;
    }
    const std::optional<Comparison> c = comparison_of(part);
    if (!c || c->function == Function::ne) return nullptr;
    const ValueRange a = range_of(c->a);
    const ValueRange b = range_of(c->b);
    const auto ends = [](Function f, const Scalar& low, const Scalar& high) {
        return low && high ? call(f, {low, high}) : nullptr;
    };
    if (c->function != Function::eq) return ends(c->function, a.low, b.high);
    const Scalar first = ends(Function::le, a.low, b.high);
    const Scalar second = ends(Function::le, b.low, a.high);
    return first && second ? call(Function::logical_and, {first, second}) : first ? first : second;
}

Scalar RangeFinder::reached(const Guard& guard) {
    Scalar all;
    for (const Guard& part : parts_of(guard)) {
        const Scalar one = reached_part(part);
        std::int64_t known = 0;
        if (!one || (is_constant(one, &known) && known != 0)) continue;
        all = all ? call(Function::logical_and, {all, one}) : one;
    }
    return all;
}

}  // namespace tkc::ir
