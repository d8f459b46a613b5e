// Bounds of arithmetic as the machine does it.
#include "facts/real_bounds.h"

#include <algorithm>
#include <cfloat>

#include "facts/value_range.h"
#include "language/arithmetic.h"
#include "language/function_cases.h"

namespace tkc::ir {

namespace {

constexpr RealBounds everything{};

// ---- integers

double times(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

RealBounds negated(const RealBounds& x) { return {-x.most, -x.least}; }

RealBounds magnitude(const RealBounds& x) {
    if (x.least >= 0) return x;
    if (x.most <= 0) return negated(x);
    return {0, std::max(-x.least, x.most)};
}

// By a number of at least 1; of any other nothing is known.
RealBounds quotient(const RealBounds& a, const RealBounds& b) {
    if (b.least < 1) return everything;
    return {std::min(a.least / b.least, a.least / b.most),
            std::max(a.most / b.least, a.most / b.most)};
}

RealBounds as_integers(Function function, const std::vector<RealBounds>& x) {
    switch (function) {
        case Function::add: return {x[0].least + x[1].least, x[0].most + x[1].most};
        case Function::sub: return {x[0].least - x[1].most, x[0].most - x[1].least};
        case Function::mul: {
            const auto [least, most] =
                std::minmax({times(x[0].least, x[1].least), times(x[0].least, x[1].most),
                             times(x[0].most, x[1].least), times(x[0].most, x[1].most)});
            return {least, most};
        }
        case Function::neg: return negated(x[0]);
        case Function::abs: return magnitude(x[0]);
        case Function::max:
            return {std::max(x[0].least, x[1].least), std::max(x[0].most, x[1].most)};
        case Function::min:
            return {std::min(x[0].least, x[1].least), std::min(x[0].most, x[1].most)};
        case Function::where: return joined(x[1], x[2]);
        case Function::div: return quotient(x[0], x[1]);
        case Function::ceil_div: {
            const RealBounds real = quotient(x[0], x[1]);
            return {real.least, real.most + 1};
        }
        // 0 <= x % d < d, and no remainder is larger than a number that is not negative.
        case Function::mod: {
            if (x[1].least < 1) return everything;
            const double below = x[1].most - 1;
            return {0, x[0].least >= 0 ? std::min(x[0].most, below) : below};
        }
        // The bits that both have are no more than those of one that is not negative.
        case Function::bit_and: {
            if (x[0].least < 0 && x[1].least < 0) return everything;
            if (x[0].least < 0) return {0, x[1].most};
            return {0, x[1].least < 0 ? x[0].most : std::min(x[0].most, x[1].most)};
        }
        case Function::shift_right: return x[0].least >= 0 ? RealBounds{0, x[0].most} : everything;
        case Function::eq:
        case Function::ne:
        case Function::lt:
        case Function::le:
        case Function::gt:
        case Function::ge:
        case Function::logical_and:
        case Function::logical_or:
        case Function::logical_not: return {0, 1};
        case Function::bit_or:
        case Function::bit_xor:
        case Function::bit_not:
        case Function::shift_left:
        case Function::fma:
        case Function::exp2:
        case Function::exp:
        case Function::log2:
        case Function::log:
        case Function::sqrt:
        case Function::rsqrt:
        case Function::tanh:
        case Function::sin:
        case Function::cos:
        case Function::erf:
        case Function::pow:
        case Function::floor:
        case Function::ceil:
        case Function::round:
        case Function::to_bits:
        case Function::from_bits: return everything;
    }
    return everything;
}

// ---- real numbers

// The least and the largest of some results.
class Hull {
public:
    void add(double x) {
        if (std::isnan(x)) return;
        found_ = found_ ? joined(*found_, {x, x}) : RealBounds{x, x};
    }
    RealBounds all() const { return found_.value_or(everything); }

private:
    std::optional<RealBounds> found_;
};

// Of a function that is exact but for rounding, and monotone in each argument: its extremes are at
// the ends. Ends that give NaN are left out; but for 0 times infinity, what lies next to them goes
// on to another end.
RealBounds at_ends(Function function, Dtype dtype, const std::vector<RealBounds>& x) {
    Hull found;
    for (unsigned ends = 0; ends < 1U << x.size(); ++ends) {
        const auto end = [&](std::size_t i) {
            return i >= x.size() ? 0 : (ends >> i & 1U) != 0 ? x[i].most : x[i].least;
        };
        found.add(arithmetic::apply_in(dtype, function, end(0), end(1), end(2)));
    }
    if (function != Function::mul && function != Function::fma) return found.all();
    const auto is_infinite = [](const RealBounds& b) {
        return b.least == b.most && std::isinf(b.least);
    };
    const bool zero =
        (x[0].holds(0) && !is_infinite(x[1])) || (x[1].holds(0) && !is_infinite(x[0]));
    if (zero && function == Function::mul) found.add(0);
    if (zero && function == Function::fma) {
        found.add(x[2].least);
        found.add(x[2].most);
    }
    return found.all();
}

// Results of an approximate function of f32 that lie in there: tanh is right to 2^-11 of its
// result, the others but logarithms, sines and cosines to two last places.
RealBounds approximated(const RealBounds& x, Function function) {
    const bool near_zero = function == Function::log2 || function == Function::log ||
                           function == Function::sin || function == Function::cos;
    const double absolute = near_zero ? 0x1p-18 : 0;
    constexpr double relative = 0x1p-10;
    const auto outward = [&](double bound, double sign) {
        if (std::isinf(bound)) return bound;
        return bound + sign * (std::fabs(bound) * relative + absolute);
    };
    RealBounds made{outward(x.least, -1), outward(x.most, 1)};
    // What is too small may be flushed to 0, and may not.
    constexpr double smallest = 0x1p-126 * (1 + relative);
    if (made.least > 0 && made.least <= smallest) made.least = 0;
    if (made.most < 0 && made.most >= -smallest) made.most = 0;
    return made;
}

// Numbers of which approximate functions take some for 0.
bool may_be_zero(const RealBounds& x) {
    return x.least < 1 / most_divisor && x.most > -1 / most_divisor;
}

RealBounds real_quotient(Dtype dtype, const RealBounds& a, const RealBounds& b) {
    const bool exact = dtype == Dtype::f64;
    Hull found;
    if (exact ? b.holds(0) : may_be_zero(b)) {
        found.add(0);
        if (a.least == 0 && a.most == 0) return found.all();
        return everything;  // nobody knows the sign of a zero
    }
    for (const double x : {a.least, a.most}) {
        for (const double y : {b.least, b.most}) found.add(x / y);
    }
    if (exact ? a.holds(0) : may_be_zero(a)) found.add(0);
    if (!exact && (b.most > most_divisor || b.least < -most_divisor)) found.add(0);
    return exact ? found.all() : approximated(found.all(), Function::div);
}

// A growing function, computed on paper.
template <class F>
RealBounds growing(const RealBounds& x, const F& f) {
    return {f(x.least), f(x.most)};
}

RealBounds from_zero(const RealBounds& x) {
    return {std::max(x.least, 0.0), std::max(x.most, 0.0)};
}

RealBounds as_integers(Function function, const RealBounds& x) {
    // Subnormal operands may be flushed.
    const RealBounds above = from_zero({x.least < 1 / most_divisor ? 0 : x.least, x.most});
    switch (function) {
        case Function::exp2: return growing(x, [](double v) { return std::exp2(v); });
        case Function::exp: return growing(x, [](double v) { return std::exp(v); });
        case Function::tanh: return growing(x, [](double v) { return std::tanh(v); });
        case Function::erf: return growing(x, [](double v) { return std::erf(v); });
        case Function::log2: return growing(above, [](double v) { return std::log2(v); });
        case Function::log: return growing(above, [](double v) { return std::log(v); });
        case Function::sqrt: return growing(above, [](double v) { return std::sqrt(v); });
        case Function::rsqrt:
            if (may_be_zero(x)) return everything;
            return {1 / std::sqrt(above.most), 1 / std::sqrt(above.least)};
        case Function::sin:
        case Function::cos: return {-1, 1};
        case TKC_ARITHMETIC:
        case Function::fma:
        case Function::pow:
        case Function::floor:
        case Function::ceil:
        case Function::round:
        case TKC_LOGIC:
        case TKC_COMPARISONS:
        case TKC_BIT_FUNCTIONS:
        case TKC_INTEGER_FUNCTIONS:
        case TKC_BIT_PATTERNS:
        case Function::where: return everything;
    }
    return everything;
}

RealBounds of_reals(Function function, Dtype dtype, const std::vector<RealBounds>& x) {
    switch (function) {
        case Function::add:
        case Function::sub:
        case Function::mul:
        case Function::neg:
        case Function::max:
        case Function::min:
        case Function::fma:
        case Function::floor:
        case Function::ceil:
        case Function::round: return at_ends(function, dtype, x);
        case Function::abs: return magnitude(x[0]);
        case Function::where: return joined(x[1], x[2]);
        case Function::div: return converted(real_quotient(dtype, x[0], x[1]), Dtype::f64, dtype);
        case Function::sqrt:
            if (dtype == Dtype::f64) return at_ends(function, dtype, {from_zero(x[0])});
            [[fallthrough]];
        case Function::exp2:
        case Function::exp:
        case Function::log2:
        case Function::log:
        case Function::rsqrt:
        case Function::tanh:
        case Function::sin:
        case Function::cos:
        case Function::erf:
            return converted(approximated(as_integers(function, x[0]), function), Dtype::f64,
                             dtype);
        case Function::pow: return {0, HUGE_VAL};
        case Function::eq:
        case Function::ne:
        case Function::lt:
        case Function::le:
        case Function::gt:
        case Function::ge:
        case Function::logical_and:
        case Function::logical_or:
        case Function::logical_not: return {0, 1};
        case Function::mod:
        case Function::ceil_div:
        case Function::bit_and:
        case Function::bit_or:
        case Function::bit_xor:
        case Function::bit_not:
        case Function::shift_left:
        case Function::shift_right:
        case Function::to_bits:
        case Function::from_bits: return everything;
    }
    return everything;
}

}  // namespace

RealBounds joined(const RealBounds& a, const RealBounds& b) {
    return {std::min(a.least, b.least), std::max(a.most, b.most)};
}

RealBounds bounds_of(Function function, Dtype dtype, const std::vector<RealBounds>& x) {
    if (is_real(dtype)) return of_reals(function, dtype, x);
    const RealBounds made = as_integers(function, x);
    return info(function).kind == FunctionKind::compare ? made : wrapped(made, dtype);
}

RealBounds bounds_of_square(Dtype dtype, const RealBounds& x) {
    const RealBounds size = magnitude(x);
    return bounds_of(Function::mul, dtype, {size, size});
}

double least_above_zero(Dtype dtype) {
    const RealFormat format = format_of(dtype);
    return dtype == Dtype::f64 ? 0x1p-1074 : std::ldexp(format.smallest_normal(), -format.mantissa);
}

RealBounds finite_bounds(Dtype dtype) {
    if (!is_real(dtype)) return bounds_of(dtype);
    const double largest = dtype == Dtype::f64 ? DBL_MAX : format_of(dtype).largest();
    return {-largest, largest};
}

RealBounds bounds_of(Dtype dtype) {
    if (is_real(dtype)) return format_of(dtype).saturates ? finite_bounds(dtype) : everything;
    const ValueRange all = range_of_dtype(dtype);
    return {static_cast<double>(all.least), static_cast<double>(all.most)};
}

RealBounds wrapped(const RealBounds& x, Dtype dtype) {
    const RealBounds all = bounds_of(dtype);
    const RealBounds whole{std::floor(x.least), std::ceil(x.most)};
    return whole.least >= all.least && whole.most <= all.most ? whole : all;
}

RealBounds converted(const RealBounds& x, Dtype from, Dtype to) {
    if (is_real(to)) return growing(x, [&](double bound) { return convert_real(to, bound); });
    if (is_boolean(to)) return {0, 1};
    if (!is_real(from)) return wrapped(x, to);
    const RealBounds all = bounds_of(to);
    return growing(
        x, [&](double bound) { return std::clamp(std::trunc(bound), all.least, all.most); });
}

}  // namespace tkc::ir
