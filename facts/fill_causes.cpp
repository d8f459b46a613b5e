// Where functions of cells give NaN and infinity.
#include "facts/fill_causes.h"

#include <algorithm>
#include <cmath>

#include "language/function_cases.h"

namespace tkc::ir::padding {

namespace {

using Kind = FillValue::Kind;

bool reaches(const RealBounds& x, double infinity) {
    return infinity < 0 ? std::isinf(x.least) && x.least < 0 : std::isinf(x.most) && x.most > 0;
}
bool may_be_infinite(const RealBounds& x) { return reaches(x, -HUGE_VAL) || reaches(x, HUGE_VAL); }
// As a divisor of f32: what approximate functions take for 0, or for infinite.
bool divides_as_zero(Dtype dtype, const RealBounds& x) {
    if (dtype == Dtype::f64) return x.holds(0);
    return x.least < 1 / most_divisor && x.most > -1 / most_divisor;
}
bool divides_as_infinity(Dtype dtype, const RealBounds& x) {
    if (dtype == Dtype::f64) return may_be_infinite(x);
    return x.most > most_divisor || x.least < -most_divisor;
}

// Infinity less infinity. It takes both, so the better of their causes is enough.
Cause of_sum(const RealBounds& a, Cause infinite_a, const RealBounds& b, Cause infinite_b) {
    const bool opposite = (reaches(a, HUGE_VAL) && reaches(b, -HUGE_VAL)) ||
                          (reaches(a, -HUGE_VAL) && reaches(b, HUGE_VAL));
    return opposite ? std::min(infinite_a, infinite_b) : Cause::none;
}

// 0 times infinity. What makes the infinity makes the NaN. A number of the line that underflows to
// 0 makes NaN of an infinite constant, and none of data: that has no cause in the line.
Cause of_product(const FillValue& a, const FillValue& b) {
    const auto one_way = [](const FillValue& zero, const FillValue& infinite) {
        const bool both = bounds_of(zero).holds(0) && may_be_infinite(bounds_of(infinite));
        return both ? cause_of_infinity(infinite) : Cause::none;
    };
    return std::max(one_way(a, b), one_way(b, a));
}

// 0 by 0: data by the same 0 are infinite or NaN. Infinity by infinity: data by it are 0.
Cause of_quotient(Dtype dtype, const FillValue& a, const FillValue& b) {
    Cause made = Cause::none;
    const bool zeros = bounds_of(a).holds(0) || divides_as_zero(dtype, bounds_of(a));
    if (zeros && divides_as_zero(dtype, bounds_of(b))) made = b.of_line ? Cause::own : Cause::any;
    if (may_be_infinite(bounds_of(a)) && divides_as_infinity(dtype, bounds_of(b)))
        made = std::max(made, cause_of_infinity(a));
    return made;
}

// That a function adds to NaN among its arguments.
Cause of_function(Function function, Dtype dtype, const std::vector<FillValue>& x) {
    const RealBounds first = bounds_of(x[0]);
    switch (function) {
        case Function::add:
            return of_sum(first, cause_of_infinity(x[0]), bounds_of(x[1]), cause_of_infinity(x[1]));
        case Function::sub: {
            const RealBounds other = bounds_of(x[1]);
            return of_sum(first, cause_of_infinity(x[0]), {-other.most, -other.least},
                          cause_of_infinity(x[1]));
        }
        case Function::mul: return of_product(x[0], x[1]);
        case Function::fma: {
            const std::vector<FillValue> factors{x[0], x[1]};
            const RealBounds product =
                ir::bounds_of(Function::mul, dtype, {first, bounds_of(x[1])});
            return std::max(of_product(x[0], x[1]),
                            of_sum(product, cause_of_infinity(Function::mul, factors, product),
                                   bounds_of(x[2]), cause_of_infinity(x[2])));
        }
        case Function::div: return of_quotient(dtype, x[0], x[1]);
        case Function::sqrt:
        case Function::rsqrt:
        case Function::log:
        case Function::log2: return first.least < 0 ? Cause::any : Cause::none;
        case Function::from_bits:
        case Function::pow: return Cause::any;
        case Function::sin:
        case Function::cos: return may_be_infinite(first) ? cause_of_infinity(x[0]) : Cause::none;
        case Function::neg:
        case Function::abs:
        case Function::min:
        case Function::max:
        case Function::where:
        case Function::exp:
        case Function::exp2:
        case Function::tanh:
        case Function::erf:
        case Function::floor:
        case Function::ceil:
        case Function::round:
        case Function::to_bits:
        case TKC_INTEGER_FUNCTIONS:
        case TKC_BIT_FUNCTIONS:
        case TKC_COMPARISONS:
        case TKC_LOGIC: return Cause::none;
    }
    return Cause::any;
}

// Whether it may be finite where the i-th argument is infinite. What is known of padding does not
// say which sign infinity has in the line's own cells.
bool leaves_infinity(Function function, const std::vector<FillValue>& x, std::size_t i) {
    switch (function) {
        case Function::exp:
        case Function::exp2: return !is_constant(x[i], -HUGE_VAL);
        case Function::tanh:
        case Function::erf:
        case Function::rsqrt:
        case Function::to_bits:
        case Function::from_bits:
        case Function::pow:
        case Function::max:
        case Function::min: return true;
        case Function::div: return i == 1;
        case Function::add:
        case Function::sub:
        case Function::mul:
        case Function::neg:
        case Function::abs:
        case Function::fma:
        case Function::log2:
        case Function::log:
        case Function::sqrt:
        case Function::sin:
        case Function::cos:
        case Function::floor:
        case Function::ceil:
        case Function::round:
        case TKC_LOGIC:
        case TKC_COMPARISONS:
        case TKC_BIT_FUNCTIONS:
        case TKC_INTEGER_FUNCTIONS:
        case Function::where: return false;
    }
    return true;
}

bool are_of_line(const std::vector<FillValue>& x) {
    return std::all_of(x.begin(), x.end(), [](const FillValue& v) { return v.of_line; });
}

}  // namespace

Cause cause_of_infinity(const FillValue& x) {
    if (x.kind == Kind::constant && !std::isinf(x.value)) return Cause::none;
    if (x.of_line) return Cause::own;
    return x.kind == Kind::number ? x.infinite : Cause::any;
}

Cause cause_of_infinity(Function function, const std::vector<FillValue>& x,
                        const RealBounds& made) {
    if (are_of_line(x)) return Cause::own;
    if (std::all_of(x.begin(), x.end(),
                    [](const FillValue& v) { return v.kind == Kind::constant; }))
        return Cause::any;
    // By 0 that the line does not have.
    const bool divided = function == Function::div && !x[1].of_line && may_be_infinite(made);
    if (divided && divides_as_zero(Dtype::f32, bounds_of(x[1]))) return Cause::any;
    Cause worst = Cause::large;
    for (const FillValue& v : x) worst = std::max(worst, cause_of_infinity(v));
    return worst;
}

Cause cause_of_nan(Function function, Dtype dtype, const std::vector<FillValue>& x) {
    if (!is_real(dtype)) return Cause::none;
    Cause made = of_function(function, dtype, x);
    // A number made of numbers of the line is one itself.
    if (made != Cause::none && are_of_line(x)) made = Cause::same;
    for (std::size_t i = 0; i < x.size(); ++i) {
        Cause passed = x[i].nan;
        // The line's own cells are infinite, and what is made of them is not. But for exp(-inf): it
        // was -inf and inf, and in the line's own cells a number and inf, that gave NaN.
        if (passed == Cause::own && leaves_infinity(function, x, i))
            passed = x[i].nan_written ? Cause::any : Cause::large;
        made = std::max(made, passed);
    }
    return made;
}

bool decides_by(Function function, const std::vector<FillValue>& x, const FillValue& mixed) {
    switch (function) {
        // Neither NaN nor infinity is a finite number.
        case Function::eq:
        case Function::ne:
            return mixed.mixed_finite || !std::all_of(x.begin(), x.end(), [&](const FillValue& v) {
                       return &v == &mixed || (is_number(v) && !may_be_infinite(bounds_of(v)));
                   });
        case Function::lt:
        case Function::le:
        case Function::gt:
        case Function::ge:
        case Function::to_bits: return true;
        case TKC_ARITHMETIC:
        case Function::from_bits:
        case TKC_LOGIC:
        case TKC_BIT_FUNCTIONS:
        case TKC_INTEGER_FUNCTIONS:
        case TKC_REAL_FUNCTIONS:
        case Function::where: return false;
    }
    return true;
}

bool leaves_infinity(Function function, const std::vector<FillValue>& x) {
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (x[i].mixed != 0 && leaves_infinity(function, x, i)) return true;
    }
    return false;
}

namespace {

// What a function makes of some of the infinities among its arguments. `divides`: the divisor may
// be 0, which counts as one of them.
Infinities made_of(Function function, const std::vector<FillValue>& x,
                   const std::vector<Infinities>& infinities, bool divides) {
    const Infinities first = infinities[0];
    const auto flipped = [](const Infinities& y) { return Infinities{y.most, y.least}; };
    const auto of_any_sign = [](bool some) { return Infinities{some, some}; };
    const auto times = [&](std::size_t i, const FillValue& factor) {
        const Infinities& y = infinities[i];
        const RealBounds bounds = bounds_of(factor);
        if (bounds.least >= 0) return y;
        return bounds.most <= 0 ? flipped(y) : of_any_sign(static_cast<bool>(y));
    };
    const auto product = [&] { return either(times(0, x[1]), times(1, x[0])); };
    switch (function) {
        case Function::add:
        case Function::max:
        case Function::min: return either(first, infinities[1]);
        case Function::where: return either(infinities[1], infinities[2]);
        case Function::sub: return either(first, flipped(infinities[1]));
        case Function::neg: return flipped(first);
        case Function::abs: return {false, static_cast<bool>(first)};
        case Function::mul: return product();
        case Function::fma: return either(product(), infinities[2]);
        case Function::div: return of_any_sign(first || divides);
        case Function::floor:
        case Function::ceil:
        case Function::round: return first;
        case Function::exp:
        case Function::exp2:
        case Function::sqrt:
        case Function::log:
        case Function::log2: return {false, first.most};
        case Function::pow:
        case Function::from_bits: {
            bool any = false;
            for (const Infinities& one : infinities) any = any || one;
            return of_any_sign(any);
        }
        case Function::rsqrt:
        case Function::tanh:
        case Function::erf:
        case Function::sin:
        case Function::cos:
        case Function::to_bits:
        case TKC_INTEGER_FUNCTIONS:
        case TKC_BIT_FUNCTIONS:
        case TKC_COMPARISONS:
        case TKC_LOGIC: return {};
    }
    return {};
}

}  // namespace

Infinities placed_infinities(Function function, const std::vector<FillValue>& x) {
    std::vector<Infinities> placed;
    for (const FillValue& v : x) placed.push_back(v.placed);
    const bool by_zero_in_places =
        function == Function::div && !x[1].of_line && divides_as_zero(Dtype::f32, bounds_of(x[1]));
    return made_of(function, x, placed, by_zero_in_places);
}

Infinities written_infinities(Function function, const std::vector<FillValue>& x) {
    std::vector<Infinities> written;
    for (const FillValue& v : x) written.push_back(v.written);
    return made_of(function, x, written, function == Function::div && is_constant(x[1], 0));
}

bool writes_nan(Function function, const std::vector<FillValue>& x) {
    const auto both = [](const Infinities& a, const Infinities& b) {
        return (a.least && b.most) || (a.most && b.least);
    };
    const auto by_zero = [](const FillValue& zero, const FillValue& infinite) {
        return infinite.written && bounds_of(zero).holds(0);
    };
    bool made = std::any_of(x.begin(), x.end(), [](const FillValue& v) { return v.nan_written; });
    const bool multiplies = function == Function::mul || function == Function::fma;
    if (multiplies) made = made || by_zero(x[0], x[1]) || by_zero(x[1], x[0]);
    if (function == Function::fma)
        made = made || both(written_infinities(Function::mul, {x[0], x[1]}), x[2].written);
    if (function == Function::add) made = made || both(x[0].written, x[1].written);
    if (function == Function::sub)
        made = made || both(x[0].written, {x[1].written.most, x[1].written.least});
    if (function == Function::div) {
        made = made || (x[0].written && x[1].written) ||
               (is_constant(x[1], 0) && bounds_of(x[0]).holds(0));
    }
    const bool turns = function == Function::sin || function == Function::cos;
    return made || (turns && x[0].written);
}

}  // namespace tkc::ir::padding
