// Bounds of arithmetic as the machine does it, rounded outward.
#include "ir/real_bounds.h"

#include <algorithm>

#include "ir/value_range.h"
#include "language/real_format.h"

namespace tkc::ir {

namespace {

// 0 times no bound is 0: all numbers are finite.
double times(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }
// By a positive number that may be as close to 0, or as large, as one likes.
double over(double a, double b) {
    if (a == 0) return 0;
    if (std::isinf(b)) return std::isinf(a) ? a : 0;
    return b == 0 ? std::copysign(HUGE_VAL, a) : a / b;
}

RealBounds negated(const RealBounds& x) { return {-x.most, -x.least}; }

RealBounds sum(const RealBounds& a, const RealBounds& b) {
    return {a.least + b.least, a.most + b.most};
}

RealBounds product(const RealBounds& a, const RealBounds& b) {
    const auto [least, most] = std::minmax({times(a.least, b.least), times(a.least, b.most),
                                            times(a.most, b.least), times(a.most, b.most)});
    return {least, most};
}

RealBounds quotient(const RealBounds& a, const RealBounds& b) {
    if (b.least < 0) return {};
    return {std::min(over(a.least, b.least), over(a.least, b.most)),
            std::max(over(a.most, b.least), over(a.most, b.most))};
}

RealBounds magnitude(const RealBounds& x) {
    if (x.least >= 0) return x;
    if (x.most <= 0) return negated(x);
    return {0, std::max(-x.least, x.most)};
}

// Of a function that grows with each of its arguments.
RealBounds growing(Function function, const std::vector<RealBounds>& x) {
    std::vector<double> least;
    std::vector<double> most;
    for (const RealBounds& one : x) {
        least.push_back(one.least);
        most.push_back(one.most);
    }
    return {*on_paper(function, least), *on_paper(function, most)};
}

// Of a square root or logarithm, of no number below 0.
RealBounds from_zero(const RealBounds& x) { return {std::max(x.least, 0.0), x.most}; }

double outward(double x, double by) { return std::isinf(x) ? x : x + by; }

RealBounds within(const RealBounds& x, const RealBounds& limits) {
    return {std::clamp(x.least, limits.least, limits.most),
            std::clamp(x.most, limits.least, limits.most)};
}

}  // namespace

std::optional<double> on_paper(Function function, const std::vector<double>& x) {
    const auto truth = [](bool b) { return b ? 1.0 : 0.0; };
    switch (function) {
        case Function::add: return x[0] + x[1];
        case Function::sub: return x[0] - x[1];
        case Function::mul: return x[0] * x[1];
        case Function::neg: return -x[0];
        case Function::eq: return truth(x[0] == x[1]);
        case Function::ne: return truth(x[0] != x[1]);
        case Function::lt: return truth(x[0] < x[1]);
        case Function::le: return truth(x[0] <= x[1]);
        case Function::gt: return truth(x[0] > x[1]);
        case Function::ge: return truth(x[0] >= x[1]);
        case Function::logical_and: return truth(x[0] != 0 && x[1] != 0);
        case Function::logical_or: return truth(x[0] != 0 || x[1] != 0);
        case Function::logical_not: return truth(x[0] == 0);
        case Function::where: return x[0] != 0 ? x[1] : x[2];
        case Function::min: return std::isnan(x[0]) ? x[0] : x[1] < x[0] ? x[1] : x[0];
        case Function::max: return std::isnan(x[0]) ? x[0] : x[1] > x[0] ? x[1] : x[0];
        case Function::abs: return std::fabs(x[0]);
        case Function::fma: return x[0] * x[1] + x[2];
        case Function::exp2: return std::exp2(x[0]);
        case Function::exp: return std::exp(x[0]);
        case Function::log2: return std::log2(x[0]);
        case Function::log: return std::log(x[0]);
        case Function::sqrt: return std::sqrt(x[0]);
        case Function::rsqrt: return 1 / std::sqrt(x[0]);
        case Function::tanh: return std::tanh(x[0]);
        case Function::sin: return std::sin(x[0]);
        case Function::cos: return std::cos(x[0]);
        case Function::erf: return std::erf(x[0]);
        case Function::pow: return std::exp2(x[1] * std::log2(x[0]));
        case Function::floor: return std::floor(x[0]);
        case Function::ceil: return std::ceil(x[0]);
        case Function::round: return std::nearbyint(x[0]);
        case Function::bit_and:
        case Function::bit_or:
        case Function::bit_xor:
        case Function::bit_not:
        case Function::shift_left:
        case Function::shift_right:
        case Function::div:  // of integers and floats alike here: only 0 / x matters
        case Function::mod:
        case Function::ceil_div: return std::nullopt;
    }
    return std::nullopt;
}

RealBounds joined(const RealBounds& a, const RealBounds& b) {
    return {std::min(a.least, b.least), std::max(a.most, b.most)};
}

RealBounds bounds_of_square(const RealBounds& x) {
    const RealBounds size = magnitude(x);
    return product(size, size);
}

RealBounds bounds_of(Function function, const std::vector<RealBounds>& x) {
    switch (function) {
        case Function::add:
        case Function::max:
        case Function::min:
        case Function::exp2:
        case Function::exp:
        case Function::tanh:
        case Function::erf:
        case Function::floor:
        case Function::ceil:
        case Function::round: return growing(function, x);
        case Function::log2:
        case Function::log:
        case Function::sqrt: return growing(function, {from_zero(x[0])});
        case Function::sub: return sum(x[0], negated(x[1]));
        case Function::mul: return product(x[0], x[1]);
        case Function::fma: return sum(product(x[0], x[1]), x[2]);
        case Function::neg: return negated(x[0]);
        case Function::abs: return magnitude(x[0]);
        case Function::where: return joined(x[1], x[2]);
        case Function::div: return quotient(x[0], x[1]);
        case Function::ceil_div: {
            const RealBounds real = quotient(x[0], x[1]);
            return {real.least, real.most + 1};
        }
        // 0 <= x % d < d, and no remainder is larger than a number that is not negative.
        case Function::mod: {
            if (x[1].least < 1) return {};
            const double below = x[1].most - 1;
            return {0, x[0].least >= 0 ? std::min(x[0].most, below) : below};
        }
        // The bits that both have are no more than those of one that is not negative.
        case Function::bit_and: {
            if (x[0].least < 0 && x[1].least < 0) return {};
            if (x[0].least < 0) return {0, x[1].most};
            return {0, x[1].least < 0 ? x[0].most : std::min(x[0].most, x[1].most)};
        }
        case Function::shift_right:
            return x[0].least >= 0 ? RealBounds{0, x[0].most} : RealBounds{};
        case Function::rsqrt: {
            const RealBounds root = bounds_of(Function::sqrt, x);
            return {over(1, root.most), over(1, root.least)};
        }
        case Function::sin:
        case Function::cos: return {-1, 1};
        case Function::eq:
        case Function::ne:
        case Function::lt:
        case Function::le:
        case Function::gt:
        case Function::ge:
        case Function::logical_and:
        case Function::logical_or:
        case Function::logical_not: return {0, 1};
        case Function::pow:
        case Function::bit_or:
        case Function::bit_xor:
        case Function::bit_not:
        case Function::shift_left: return {};
    }
    return {};
}

RealBounds approximated(const RealBounds& x, Function function) {
    const bool exact = function == Function::fma || function == Function::floor ||
                       function == Function::ceil || function == Function::round;
    const bool real = info(function).kind == FunctionKind::real || function == Function::div;
    if (!real || exact) return x;
    // tanh is right to 2^-11 of its result, the others but these to two last places.
    const bool near_zero = function == Function::log2 || function == Function::log ||
                           function == Function::sin || function == Function::cos;
    const double absolute = near_zero ? 0x1p-18 : 0;
    constexpr double relative = 0x1p-10;
    return {outward(x.least, -std::fabs(x.least) * relative - absolute),
            outward(x.most, std::fabs(x.most) * relative + absolute)};
}

bool is_number_of(double value, Dtype dtype) {
    if (value == 0 || std::isinf(value)) return true;
    if (std::isnan(value)) return false;
    if (!is_real(dtype)) return value == std::trunc(value);
    const RealFormat format = format_of(dtype);
    const double size = std::fabs(value);
    if (size < format.smallest_normal() || size > format.largest()) return false;
    int exponent = 0;
    const double digits = std::ldexp(std::frexp(value, &exponent), format.digits());
    return digits == std::trunc(digits);
}

RealBounds bounds_of(Dtype dtype) {
    if (!is_real(dtype)) {
        const ValueRange all = range_of_dtype(dtype);
        return {static_cast<double>(all.least), static_cast<double>(all.most)};
    }
    const RealFormat format = format_of(dtype);
    return format.saturates ? RealBounds{-format.largest(), format.largest()} : RealBounds{};
}

RealBounds rounded(const RealBounds& x, Dtype dtype) {
    const RealBounds all = bounds_of(dtype);
    if (!is_real(dtype)) {
        const RealBounds whole{std::floor(x.least), std::ceil(x.most)};
        return whole.least >= all.least && whole.most <= all.most ? whole : all;
    }
    const RealFormat format = format_of(dtype);
    const auto moved = [&](double bound, double sign) {
        if (is_number_of(bound, dtype)) return bound;
        const double by = std::fabs(bound) * std::ldexp(1.0, 1 - format.digits());
        return outward(bound, sign * (by + format.smallest_normal()));
    };
    return within({moved(x.least, -1), moved(x.most, 1)}, all);
}

}  // namespace tkc::ir
