// Interval arithmetic on index expressions, in numbers and in symbols at once.
#include "lowering/value_range.h"

#include <algorithm>

#include "ir/contract.h"
#include "ir/overloaded.h"

namespace tkc::lowering {

namespace {

using namespace ir;

constexpr std::int64_t limit = std::int64_t{1} << 62;

__extension__ using Wide = __int128;

std::int64_t saturate(Wide x) {
    return static_cast<std::int64_t>(std::clamp<Wide>(x, -limit, limit));
}

ValueRange numbers(std::int64_t least, std::int64_t most) {
    return {least, most, nullptr, nullptr};
}

/// f(a, b) if both are known.
template <class F>
Scalar both(const Scalar& a, const Scalar& b, F f) {
    return a && b ? f(a, b) : nullptr;
}

std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
    return a >= 0 ? a / b : -((-a + b - 1) / b);
}

ValueRange sum(const ValueRange& a, const ValueRange& b) {
    return {saturate(Wide{a.least} + b.least), saturate(Wide{a.most} + b.most),
            both(a.low, b.low, add), both(a.high, b.high, add)};
}

ValueRange negated(const ValueRange& a) {
    const auto minus = [](const Scalar& s) { return s ? call(Function::neg, {s}) : nullptr; };
    return {-a.most, -a.least, minus(a.high), minus(a.low)};
}

ValueRange difference(const ValueRange& a, const ValueRange& b) {
    return {saturate(Wide{a.least} - b.most), saturate(Wide{a.most} - b.least),
            both(a.low, b.high, sub), both(a.high, b.low, sub)};
}

/// Expressions only where neither side can be negative: then the product grows with both.
ValueRange product(const ValueRange& a, const ValueRange& b) {
    const Wide corners[] = {Wide{a.least} * b.least, Wide{a.least} * b.most, Wide{a.most} * b.least,
                            Wide{a.most} * b.most};
    ValueRange r = numbers(saturate(*std::min_element(corners, corners + 4)),
                           saturate(*std::max_element(corners, corners + 4)));
    if (a.least >= 0 && b.least >= 0) {
        r.low = both(a.low, b.low, mul);
        r.high = both(a.high, b.high, mul);
    }
    return r;
}

/// Division by a number >= 1 (checked on its own) shrinks towards zero; `f` rounds.
ValueRange quotient(Function f, const ValueRange& a, const ValueRange& b) {
    const std::int64_t smallest = std::max<std::int64_t>(b.least, 1);
    const std::int64_t up = f == Function::ceil_div && smallest > 1 ? 1 : 0;
    ValueRange r = numbers(std::min<std::int64_t>(floor_quotient(a.least, smallest), 0),
                           std::max<std::int64_t>(floor_quotient(a.most, smallest) + up, 0));
    if (a.least >= 0) {
        r.low = both(a.low, b.high, [&](const Scalar& x, const Scalar& y) {
            return call(f, {x, y});
        });
        r.high = both(a.high, b.low, [&](const Scalar& x, const Scalar& y) {
            return call(f, {x, y});
        });
    }
    return r;
}

ValueRange remainder(const ValueRange& b) {
    return {0, std::max<std::int64_t>(b.most - 1, 0), integer(0),
            b.high ? sub(b.high, integer(1)) : nullptr};
}

ValueRange smaller(const ValueRange& a, const ValueRange& b) {
    const auto f = [](const Scalar& x, const Scalar& y) { return call(Function::min, {x, y}); };
    return {std::min(a.least, b.least), std::min(a.most, b.most), both(a.low, b.low, f),
            both(a.high, b.high, f)};
}

ValueRange larger(const ValueRange& a, const ValueRange& b) {
    const auto f = [](const Scalar& x, const Scalar& y) { return call(Function::max, {x, y}); };
    return {std::max(a.least, b.least), std::max(a.most, b.most), both(a.low, b.low, f),
            both(a.high, b.high, f)};
}

ValueRange either(const ValueRange& a, const ValueRange& b) {
    const ValueRange low = smaller(a, b);
    const ValueRange high = larger(a, b);
    return {low.least, high.most, low.low, high.high};
}

ValueRange range_of_call(const Call& c, const Ranges& names) {
    const auto argument = [&](std::size_t i) { return range_of(c.arguments[i], names); };
    switch (c.function) {
        case Function::add: return sum(argument(0), argument(1));
        case Function::sub: return difference(argument(0), argument(1));
        case Function::mul: return product(argument(0), argument(1));
        case Function::neg: return negated(argument(0));
        case Function::div:
        case Function::ceil_div: return quotient(c.function, argument(0), argument(1));
        case Function::mod: return remainder(argument(1));
        case Function::min: return smaller(argument(0), argument(1));
        case Function::max: return larger(argument(0), argument(1));
        case Function::where: return either(argument(1), argument(2));
        default: return unknown_range();  // comparisons and arithmetic on cells: no index
    }
}

}  // namespace

bool ValueRange::fits_i32() const { return least >= -i32_limit && most < i32_limit; }

ValueRange unknown_range() { return numbers(-i32_limit, i32_limit - 1); }

ValueRange extent_range(const std::string& name) {
    return {0, extent_limit - 1, symbol(name), symbol(name)};
}

ValueRange parameter_range(const std::string& name) {
    return {-i32_limit, i32_limit - 1, symbol(name), symbol(name)};
}

ValueRange variable_range(const ValueRange& begin, const ValueRange& end) {
    const ValueRange last = difference(end, numbers(1, 1));
    return {begin.least, std::max(begin.least, last.most), begin.low,
            end.high ? sub(end.high, integer(1)) : nullptr};
}

ValueRange range_of(const Scalar& s, const Ranges& names) {
    return std::visit(Overloaded{
                          [&](const Integer& n) {
                              return ValueRange{n.value, n.value, s, s};
                          },
                          [&](const Symbol& n) {
                              const auto found = names.find(n.name);
                              return found == names.end() ? unknown_range() : found->second;
                          },
                          [&](const Call& n) { return range_of_call(n, names); },
                          [&](const Cast& n) { return range_of(n.argument, names); },
                          [&](const Real&) { return unknown_range(); },
                          [&](const Boolean&) { return numbers(0, 1); },
                          [&](const Element&) { return unknown_range(); },
                          [&](const Row&) { return unknown_range(); },
                          [&](const Column&) { return unknown_range(); },
                          [&](const ElementLoad&) { return unknown_range(); },
                      },
                      s->node);
}

}  // namespace tkc::lowering
