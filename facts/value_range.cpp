// Interval arithmetic on integer expressions, in numbers and in symbols at once.
#include "facts/value_range.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "base/overloaded.h"
#include "ir/contract.h"
#include "ir/parse.h"
#include "ir/walk.h"
#include "language/function_cases.h"

namespace tkc::ir {

namespace {

// Between the bounds in the text of a `Trusted`, as IR text.
constexpr const char* element_separator = " <= elements < ";

// Operands lie in 64 bits, so that no product leaves this.
__extension__ using Wide = __int128;

// An exact range: of one operation, before it wraps in the machine's dtype.
struct Paper {
    Wide least = 0;
    Wide most = 0;
    Scalar low;
    Scalar high;
};

ValueRange numbers(std::int64_t least, std::int64_t most) {
    return {least, most, nullptr, nullptr};
}
Paper paper(const ValueRange& r) { return {r.least, r.most, r.low, r.high}; }

// f(a, b) if both are known.
template <class F>
Scalar both(const Scalar& a, const Scalar& b, F f) {
    return a && b ? f(a, b) : nullptr;
}
Scalar smaller_of(const Scalar& a, const Scalar& b) {
    return same(a, b) ? a : call(Function::min, {a, b});
}
Scalar larger_of(const Scalar& a, const Scalar& b) {
    return same(a, b) ? a : call(Function::max, {a, b});
}

bool is_point(const ValueRange& r) {
    return r.low && r.high && (r.low == r.high || same(r.low, r.high));
}

Wide down_quotient(Wide a, Wide b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

Paper sum(const ValueRange& a, const ValueRange& b) {
    return {Wide{a.least} + b.least, Wide{a.most} + b.most, both(a.low, b.low, add),
            both(a.high, b.high, add)};
}

Paper negated(const ValueRange& a) {
    const auto minus = [](const Scalar& s) { return s ? call(Function::neg, {s}) : nullptr; };
    return {-Wide{a.most}, -Wide{a.least}, minus(a.high), minus(a.low)};
}

Paper difference(const ValueRange& a, const ValueRange& b) {
    return {Wide{a.least} - b.most, Wide{a.most} - b.least, both(a.low, b.high, sub),
            both(a.high, b.low, sub)};
}

// The product is least and most in corners: at the ends of both.
Paper product(const ValueRange& a, const ValueRange& b) {
    const Wide corners[] = {Wide{a.least} * b.least, Wide{a.least} * b.most, Wide{a.most} * b.least,
                            Wide{a.most} * b.most};
    Paper r{*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4),
            nullptr, nullptr};
    if (a.least >= 0 && b.least >= 0) {
        r.low = both(a.low, b.low, mul);
        r.high = both(a.high, b.high, mul);
        return r;
    }
    if (!a.low || !a.high || !b.low || !b.high) return r;
    // What is not negative grows the other's ends; else every corner may be the one.
    std::vector<Scalar> least;
    std::vector<Scalar> most;
    const auto consider = [](std::vector<Scalar>& list, const Scalar& x, const Scalar& y) {
        const Scalar corner = mul(x, y);
        const bool known =
            std::any_of(list.begin(), list.end(), [&](const Scalar& s) { return same(s, corner); });
        if (!known) list.push_back(corner);
    };
    for (const Scalar& x : {a.low, a.high}) {
        for (const Scalar& y : {b.low, b.high}) {
            const bool x_grows =
                a.least >= 0;  // a*b for the ends of a: b.low is least, b.high most
            const bool y_grows = b.least >= 0;
            if (!(x_grows && y == b.high && !is_point(b)) &&
                !(y_grows && x == a.high && !is_point(a)))
                consider(least, x, y);
            if (!(x_grows && y == b.low && !is_point(b)) &&
                !(y_grows && x == a.low && !is_point(a)))
                consider(most, x, y);
        }
    }
    r.low = least[0];
    r.high = most[0];
    for (std::size_t i = 1; i < least.size(); ++i) r.low = smaller_of(r.low, least[i]);
    for (std::size_t i = 1; i < most.size(); ++i) r.high = larger_of(r.high, most[i]);
    return r;
}

// Division by a number >= 1 (checked on its own) shrinks towards zero; `f` rounds.
Paper quotient(Function f, const ValueRange& a, const ValueRange& b) {
    const std::int64_t smallest = std::max<std::int64_t>(b.least, 1);
    const std::int64_t up = f == Function::ceil_div && smallest > 1 ? 1 : 0;
    Paper r{std::min<Wide>(down_quotient(a.least, smallest), 0),
            std::max<Wide>(down_quotient(a.most, smallest) + up, 0), nullptr, nullptr};
    std::int64_t divisor = 0;
    const bool constant = b.low && is_constant(b.low, &divisor) && divisor >= 1 &&
                          b.least == b.most;  // then it rises with what is divided
    if (a.least >= 0 || constant) {
        r.low = both(a.low, b.high, [&](const Scalar& x, const Scalar& y) {
            return call(f, {x, y});
        });
        r.high = both(a.high, b.low, [&](const Scalar& x, const Scalar& y) {
            return call(f, {x, y});
        });
    }
    return r;
}

Paper remainder(const ValueRange& b) {
    return {0, std::max<Wide>(Wide{b.most} - 1, 0), integer(0),
            b.high ? sub(b.high, integer(1)) : nullptr};
}

// A row or column of a tile. Extents leave room for as much (`extent_limit`).
ValueRange place_in_tile() {
    constexpr std::int64_t last = (std::int64_t{1} << 18) - 1;
    return {0, last, integer(0), integer(last)};
}

// One that is known bounds min from above, and max from below.
Paper min_of(const ValueRange& a, const ValueRange& b) {
    return {std::min(a.least, b.least), std::min(a.most, b.most), both(a.low, b.low, smaller_of),
            a.high && b.high ? smaller_of(a.high, b.high)
            : a.high         ? a.high
                             : b.high};
}
Paper max_of(const ValueRange& a, const ValueRange& b) {
    return {std::max(a.least, b.least), std::max(a.most, b.most),
            a.low && b.low ? larger_of(a.low, b.low)
            : a.low        ? a.low
                           : b.low,
            both(a.high, b.high, larger_of)};
}
Paper either(const ValueRange& a, const ValueRange& b) {
    return {std::min(a.least, b.least), std::max(a.most, b.most), both(a.low, b.low, smaller_of),
            both(a.high, b.high, larger_of)};
}

Paper magnitude(const ValueRange& a) {
    if (a.least >= 0) return paper(a);
    const Paper minus = negated(a);
    if (a.most <= 0) return minus;
    return {0, std::max(minus.most, Wide{a.most}), nullptr, both(minus.high, a.high, larger_of)};
}

// Bits of numbers that are not negative stay below the next power of two.
Paper bits(Function f, const ValueRange& a, const ValueRange& b, const ValueRange& all) {
    const bool natural = a.least >= 0 && b.least >= 0;
    if (f == Function::bit_and) {
        if (natural) return {0, std::min(a.most, b.most), nullptr, nullptr};
        if (a.least >= 0) return {0, a.most, nullptr, nullptr};
        if (b.least >= 0) return {0, b.most, nullptr, nullptr};
        return paper(all);
    }
    if (!natural) return paper(all);
    const auto top = static_cast<std::uint64_t>(std::max(a.most, b.most));
    const Wide most = (Wide{1} << std::bit_width(top)) - 1;
    return {0, std::min(most, Wide{all.most}), nullptr, nullptr};
}

Paper shifted(Function f, const ValueRange& a, const Scalar& count, const ValueRange& all) {
    std::int64_t places = 0;
    const bool known = is_constant(count, &places);
    places &= 31;
    if (f == Function::shift_left) {
        if (!known) return paper(all);
        const ValueRange factor{std::int64_t{1} << places, std::int64_t{1} << places,
                                integer(std::int64_t{1} << places),
                                integer(std::int64_t{1} << places)};
        return product(a, factor);
    }
    if (!known) return {std::min<Wide>(a.least, 0), std::max<Wide>(a.most, 0), nullptr, nullptr};
    return {a.least >> places, a.most >> places, nullptr, nullptr};
}

// On paper, from the ranges of the operands as the machine has them.
Paper as_integers(const Scalar& s, const std::vector<ValueRange>& x) {
    const ValueRange all = range_of_dtype(s->dtype);
    if (std::holds_alternative<Cast>(s->node)) return paper(x[0]);
    const Call& c = std::get<Call>(s->node);
    switch (c.function) {
        case Function::add: return sum(x[0], x[1]);
        case Function::sub: return difference(x[0], x[1]);
        case Function::mul: return product(x[0], x[1]);
        case Function::neg: return negated(x[0]);
        case Function::div:
        case Function::ceil_div: return quotient(c.function, x[0], x[1]);
        case Function::mod: return remainder(x[1]);
        case Function::min: return min_of(x[0], x[1]);
        case Function::max: return max_of(x[0], x[1]);
        case Function::abs: return magnitude(x[0]);
        case Function::where: return either(x[1], x[2]);
        case Function::bit_and:
        case Function::bit_or:
        case Function::bit_xor: return bits(c.function, x[0], x[1], all);
        case Function::shift_left:
        case Function::shift_right: return shifted(c.function, x[0], c.arguments[1], all);
        case Function::bit_not:
        case TKC_LOGIC:
        case TKC_COMPARISONS:
        case TKC_REAL_FUNCTIONS:
        case TKC_BIT_PATTERNS: break;
    }
    return paper(all);
}

// Unsigned numbers are for arithmetic that is meant to wrap, in hashes: no launch is refused for
// it.
bool may_ask_launch(Dtype dtype) { return info(dtype).kind == DtypeClass::integer; }

Step settled(Dtype dtype, const Paper& p) {
    const ValueRange all = range_of_dtype(dtype);
    const bool below = p.least < all.least;
    const bool above = p.most > all.most;
    Step step;
    step.range = {static_cast<std::int64_t>(std::clamp<Wide>(p.least, all.least, all.most)),
                  static_cast<std::int64_t>(std::clamp<Wide>(p.most, all.least, all.most)), p.low,
                  p.high};
    if (!below && !above) return step;
    if (may_ask_launch(dtype) && (!below || p.low) && (!above || p.high)) {
        step.fit = Fit::at_launch;
        if (below) step.low = p.low;
        if (above) step.high = p.high;
        return step;
    }
    return {Fit::never, all, nullptr, nullptr};
}

// The operands of a step; empty for what is none.
std::vector<Scalar> operands_of(const Scalar& s) {
    if (const auto* c = std::get_if<Call>(&s->node)) return c->arguments;
    if (const auto* k = std::get_if<Cast>(&s->node)) return {k->argument};
    return {};
}

ValueRange range_of_element(const ElementLoad& load, Dtype dtype, const Ranges& names) {
    const auto found = names.find(elements_of(load.tensor));
    if (found == names.end()) return range_of_dtype(dtype);
    if (!load.zero_outside) return found->second;
    const Paper p = either(found->second, {0, 0, integer(0), integer(0)});
    return {static_cast<std::int64_t>(p.least), static_cast<std::int64_t>(p.most), p.low, p.high};
}

}  // namespace

namespace {

bool is_made_of_places(const Scalar& s) {
    bool found = s->dtype == Dtype::i32;
    visit_nodes(s, [&](const ScalarNode& n) {
        const auto* c = std::get_if<Call>(&n.node);
        const bool bits = c != nullptr && info(c->function).kind == FunctionKind::bits;
        const bool cell = std::holds_alternative<Element>(n.node) ||
                          std::holds_alternative<ElementLoad>(n.node) ||
                          std::holds_alternative<External>(n.node);
        found = found && !bits && !cell && !is_real(n.dtype);
    });
    return found;
}

}  // namespace

std::vector<Scalar> compared_places(const Scalar& cell) {
    std::vector<Scalar> places;
    visit_nodes(cell, [&](const ScalarNode& n) {
        const auto* c = std::get_if<Call>(&n.node);
        if (c == nullptr || info(c->function).kind != FunctionKind::compare) return;
        for (const Scalar& x : c->arguments) {
            if (is_made_of_places(x)) places.push_back(x);
        }
    });
    return places;
}

bool RangeFinder::always_fits(const Scalar& s) {
    const std::vector<Scalar> operands = operands_of(s);
    return std::all_of(operands.begin(), operands.end(),
                       [&](const Scalar& x) { return always_fits(x); }) &&
           (!is_integer(s->dtype) || step_of(s).fit == Fit::always);
}

std::string elements_of(const std::string& tensor) { return tensor + "[]"; }

ValueRange range_of_dtype(Dtype dtype) {
    if (!is_integer(dtype)) return numbers(0, 1);
    const int width = info(dtype).bits;
    if (info(dtype).kind == DtypeClass::natural)
        return numbers(0, width >= 63 ? INT64_MAX : (std::int64_t{1} << width) - 1);
    if (width == 64) return numbers(INT64_MIN, INT64_MAX);
    return numbers(-(std::int64_t{1} << (width - 1)), (std::int64_t{1} << (width - 1)) - 1);
}

ValueRange extent_range(const std::string& name) {
    return {0, extent_limit - 1, symbol(name), symbol(name)};
}

ValueRange parameter_range(const std::string& name, Dtype dtype) {
    ValueRange range = range_of_dtype(dtype);
    range.low = range.high = symbol(name, dtype);
    return range;
}

namespace {

// x - 1; of y + 1 it is y.
Scalar before(const Scalar& x) {
    const auto* c = std::get_if<Call>(&x->node);
    std::int64_t one = 0;
    const bool next = c != nullptr && c->function == Function::add &&
                      is_constant(c->arguments[1], &one) && one == 1;
    return next ? c->arguments[0] : sub(x, integer(1));
}

}  // namespace

ValueRange variable_range(const ValueRange& begin, const ValueRange& end) {
    const std::int64_t last = end.most == INT64_MIN ? end.most : end.most - 1;
    return {begin.least, std::max(begin.least, last), begin.low,
            end.high ? before(end.high) : nullptr};
}

std::int64_t least_at_launch(Dtype dtype) {
    // 64 bits saturate at this where a launch is looked at (runtime/tk/host/integers.h).
    return std::max(range_of_dtype(dtype).least, -(std::int64_t{1} << 62) + 1);
}
std::int64_t most_at_launch(Dtype dtype) {
    return std::min(range_of_dtype(dtype).most, (std::int64_t{1} << 62) - 1);
}

bool fits(const Scalar& s, const std::vector<ValueRange>& operands, ValueRange* range) {
    const Step step = settled(s->dtype, as_integers(s, operands));
    *range = step.range;
    return step.fit == Fit::always;
}

Step RangeFinder::step_of(const Scalar& s) {
    std::vector<ValueRange> operands;
    const auto* c = std::get_if<Call>(&s->node);
    if (c == nullptr) {
        for (const Scalar& x : operands_of(s)) operands.push_back(range_of(x));
    } else {
        for (std::size_t i = 0; i < c->arguments.size(); ++i)
            operands.push_back(range_of_argument(*c, i));
    }
    if (operands.empty()) return {Fit::always, range_of(s), nullptr, nullptr};
    const bool numeric =
        is_integer(s->dtype) && std::none_of(operands.begin(), operands.end(),
                                             [](const ValueRange& r) { return r.most < r.least; });
    if (!numeric) return {Fit::always, range_of_dtype(s->dtype), nullptr, nullptr};
    Paper p = as_integers(s, operands);
    if (c != nullptr && c->function == Function::where) {
        if (const Scalar condition = at_launch(c->arguments[0])) {
            const auto chosen = [&](const Scalar& yes, const Scalar& no) {
                return same(yes, no) ? yes : call(Function::where, {condition, yes, no});
            };
            p.low = both(operands[1].low, operands[2].low, chosen);
            p.high = both(operands[1].high, operands[2].high, chosen);
        }
    }
    // What is made of extents and parameters alone is as good as one.
    if (c != nullptr && std::all_of(operands.begin(), operands.end(), is_point)) {
        std::vector<Scalar> points;
        for (const ValueRange& r : operands) points.push_back(r.low);
        p.low = p.high = call(c->function, points);
    }
    Step step = settled(s->dtype, p);
    if (step.fit == Fit::at_launch && asked_ == Asked::no)
        step = {Fit::never, range_of_dtype(s->dtype), nullptr, nullptr};
    return step;
}

ValueRange RangeFinder::range_of(const Scalar& s) {
    if (!is_integer(s->dtype)) return numbers(0, 1);
    const auto known = found_.find(s.get());
    if (known != found_.end()) return known->second;
    return found_[s.get()] = find(s);
}

ValueRange RangeFinder::find(const Scalar& s) {
    return std::visit(
        Overloaded{
            [&](const Integer& n) {
                const std::int64_t value = wrapped_value(s->dtype, n.value);
                const Scalar known = value == n.value ? s : integer(value, s->dtype);
                return ValueRange{value, value, known, known};
            },
            [&](const Symbol& n) { return range_of_name(n.name, s->dtype); },
            [&](const Call&) { return step_of(s).range; },
            [&](const Cast& n) {
                return is_real(n.argument->dtype) ? range_of_dtype(s->dtype) : step_of(s).range;
            },
            [&](const ElementLoad& n) { return range_of_element(n, s->dtype, names_); },
            [&](const Row&) { return place_in_tile(); },
            [&](const Column&) { return place_in_tile(); },
            [&](const auto&) { return range_of_dtype(s->dtype); },
        },
        s->node);
}

Ranges ranges_of(const Signature& called) {
    Ranges names;
    for (const Binding& b : bindings(called)) names[b.name] = extent_range(b.name);
    for (const Parameter& p : called.parameters) {
        if (!is_real(p.dtype)) names[p.name] = parameter_range(p.name, p.dtype);
    }
    for (const Constant& c : called.constants) {
        std::int64_t value = 0;
        if (c.value && is_constant(c.value, &value))
            names[c.name] = {value, value, c.value, c.value};
    }
    return names;
}

namespace {

void add_range(Ranges& names, const std::string& name, const ValueRange& range) {
    const auto [place, fresh] = names.try_emplace(name, range);
    if (fresh) return;
    const Paper p = either(place->second, range);
    place->second = {static_cast<std::int64_t>(p.least), static_cast<std::int64_t>(p.most), p.low,
                     p.high};
}

void add_block(Ranges& names, const Block& block) {
    for (const Op& op : block) {
        if (const auto* let = as<Let>(op)) {
            if (!is_real(let->value->dtype))
                add_range(names, let->name, range_of(let->value, names));
        } else if (const auto* loop = as<For>(op)) {
            add_range(names, loop->var,
                      variable_range(range_of(loop->begin, names), range_of(loop->end, names)));
        }
        for_each_block(op, [&](const Block& inner) { add_block(names, inner); });
    }
}

}  // namespace

std::vector<ElementRange> element_ranges(const Kernel& kernel) {
    std::vector<ElementRange> list;
    for (const Trusted& t : kernel.trusted) {
        const std::size_t bar = t.fact.find(element_separator);
        if (t.tensor.empty() || bar == std::string::npos) continue;
        ParseError error;
        const Scalar least = parse_scalar(t.fact.substr(0, bar), error);
        const Scalar end =
            parse_scalar(t.fact.substr(bar + std::string_view(element_separator).size()), error);
        if (least && end) list.push_back({t.tensor, least, end});
    }
    return list;
}

Trusted element_range(const ElementRange& range, Span span) {
    return {to_string(range.least) + element_separator + to_string(range.end), range.tensor, span};
}

Ranges ranges_at_launch(const Kernel& kernel) {
    Ranges names = ranges_of(static_cast<const Signature&>(kernel));
    for (const Tensor& t : kernel.tensors) {
        if (is_integer(t.dtype)) names[elements_of(t.name)] = range_of_dtype(t.dtype);
    }
    for (const ElementRange& e : element_ranges(kernel)) {
        const Tensor* tensor = find_tensor(kernel, e.tensor);
        if (tensor == nullptr || !is_integer(tensor->dtype)) continue;
        const ValueRange least = range_of(e.least, names);
        const ValueRange last = variable_range(least, range_of(e.end, names));
        ValueRange& range = names.at(elements_of(e.tensor));
        range.least = std::max(range.least, least.least);
        range.most = std::max(range.least, std::min(range.most, last.most));
        if (!range.low) range.low = least.low;
        if (!range.high) range.high = last.high;
    }
    return names;
}

namespace {

// Of what all roles know.
Ranges ranges_of_programs(const Kernel& kernel) {
    Ranges names = ranges_at_launch(kernel);
    for (const GridAxis& axis : kernel.grid) {
        const Scalar past = add(axis.end, integer(axis.step * steps_past_end(kernel, axis)));
        names[axis.var] = variable_range(range_of(axis.begin, names), range_of(past, names));
    }
    add_block(names, kernel.lets);
    return names;
}

}  // namespace

Ranges ranges_of(const Kernel& kernel) {
    Ranges names = ranges_of_programs(kernel);
    for (const Role& role : kernel.roles) add_block(names, role.body);
    return names;
}

Ranges ranges_of(const Kernel& kernel, const Role& role) {
    Ranges names = ranges_of_programs(kernel);
    const std::int64_t last = std::max<std::int64_t>(role.all_warpgroups(), 1) - 1;
    names[warpgroup_symbol] = {0, last, integer(0), integer(last)};
    add_block(names, role.body);
    return names;
}

}  // namespace tkc::ir
