// The functions of language/functions.def on numbers: f32 arithmetic as the device does it, and
// integers. The proofs of padding, the emulators and the references compute by these.
//
// Exact functions (+ - * fma, comparisons, min, max, abs, where) agree with the device bit for bit.
// The others are computed in double and rounded once; the device's instruction is within the bound
// that functions.def states. The .ftz instructions turn subnormal results into zeros.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "language/function_cases.h"
#include "language/rounding.h"

namespace tkc::arithmetic {

inline float flush(double x) {
    const auto rounded = static_cast<float>(x);
    const bool subnormal = std::fabs(rounded) < std::numeric_limits<float>::min();
    return subnormal ? std::copysign(0.0F, rounded) : rounded;
}
template <class Real>
Real propagating_min(Real a, Real b) {
    if (a != a || b != b) return std::numeric_limits<Real>::quiet_NaN();
    return b < a ? b : a;
}
template <class Real>
Real propagating_max(Real a, Real b) {
    if (a != a || b != b) return std::numeric_limits<Real>::quiet_NaN();
    return a < b ? b : a;
}
inline float exp2_of(float x) { return flush(std::exp2(static_cast<double>(flush(x)))); }
inline float log2_of(float x) { return flush(std::log2(static_cast<double>(flush(x)))); }

// div.approx.ftz: a quotient by more than 2^126 is 0 (PTX ISA, div).
inline float quotient(float a, float b) {
    const float x = flush(a);
    const float y = flush(b);
    if (std::fabs(y) > 0x1p126F && !std::isinf(y)) {
        return std::isinf(x) ? std::numeric_limits<float>::quiet_NaN() : x * y > 0 ? 0.0F : -0.0F;
    }
    return flush(static_cast<double>(x) / static_cast<double>(y));
}

inline constexpr float log2_e = 1.4426950408889634F;
inline constexpr float ln_2 = 0.6931471805599453F;

// The quotient rounded down; `b` is positive.
constexpr std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
    const std::int64_t q = a / b;
    return a % b < 0 ? q - 1 : q;
}

// A function of reals that gives a real.
inline float apply(Function f, float a, float b, float c) {
    switch (f) {
        case Function::add: return a + b;
        case Function::sub: return a - b;
        case Function::mul: return a * b;
        case Function::div: return quotient(a, b);
        case Function::neg: return -a;
        case Function::min: return propagating_min(a, b);
        case Function::max: return propagating_max(a, b);
        case Function::abs: return std::fabs(a);
        case Function::fma: return std::fma(a, b, c);
        case Function::exp2: return exp2_of(a);
        case Function::exp: return exp2_of(a * log2_e);
        case Function::log2: return log2_of(a);
        case Function::log: return log2_of(a) * ln_2;
        case Function::sqrt: return flush(std::sqrt(static_cast<double>(flush(a))));
        case Function::rsqrt: return flush(1.0 / std::sqrt(static_cast<double>(flush(a))));
        case Function::tanh: return static_cast<float>(std::tanh(static_cast<double>(a)));
        case Function::sin: return flush(std::sin(static_cast<double>(flush(a))));
        case Function::cos: return flush(std::cos(static_cast<double>(flush(a))));
        case Function::erf: return static_cast<float>(std::erf(static_cast<double>(a)));
        case Function::pow: return exp2_of(b * log2_of(a));
        case Function::floor: return std::floor(a);
        case Function::ceil: return std::ceil(a);
        case Function::round: return std::nearbyint(a);
        case TKC_COMPARISONS:
        case TKC_LOGIC:
        case TKC_BIT_FUNCTIONS:
        case TKC_INTEGER_FUNCTIONS:
        case TKC_BIT_PATTERNS:
        case Function::where: break;
    }
    return std::numeric_limits<float>::quiet_NaN();
}

// The same of f64, which has those that are exact.
inline double apply(Function f, double a, double b, double c) {
    switch (f) {
        case Function::add: return a + b;
        case Function::sub: return a - b;
        case Function::mul: return a * b;
        case Function::div: return a / b;
        case Function::neg: return -a;
        case Function::min: return propagating_min(a, b);
        case Function::max: return propagating_max(a, b);
        case Function::abs: return std::fabs(a);
        case Function::fma: return std::fma(a, b, c);
        case Function::sqrt: return std::sqrt(a);
        case Function::floor: return std::floor(a);
        case Function::ceil: return std::ceil(a);
        case Function::round: return std::nearbyint(a);
        case Function::exp2:
        case Function::exp:
        case Function::log2:
        case Function::log:
        case Function::rsqrt:
        case Function::tanh:
        case Function::sin:
        case Function::cos:
        case Function::erf:
        case Function::pow:
        case TKC_COMPARISONS:
        case TKC_LOGIC:
        case TKC_BIT_FUNCTIONS:
        case TKC_INTEGER_FUNCTIONS:
        case TKC_BIT_PATTERNS:
        case Function::where: break;
    }
    return std::numeric_limits<double>::quiet_NaN();
}

// A function of numbers of a real dtype. Those of fewer bits are computed in f32, and rounded.
inline double apply_in(Dtype dtype, Function f, double a, double b, double c) {
    if (dtype == Dtype::f64) return apply(f, a, b, c);
    const float made =
        apply(f, static_cast<float>(a), static_cast<float>(b), static_cast<float>(c));
    return round_to(dtype, made);
}

// A function of integers (bools among them) that gives an integer. Divisors are not 0.
inline std::int64_t apply(Function f, std::int64_t a, std::int64_t b, std::int64_t c) {
    const auto wrap = [](std::uint64_t x) { return static_cast<std::int64_t>(x); };
    const auto x = static_cast<std::uint64_t>(a);
    const auto y = static_cast<std::uint64_t>(b);
    switch (f) {
        case Function::add: return wrap(x + y);
        case Function::sub: return wrap(x - y);
        case Function::mul: return wrap(x * y);
        case Function::div: return floor_quotient(a, b);
        case Function::mod: return a - floor_quotient(a, b) * b;
        case Function::ceil_div: return a / b + (a % b > 0 ? 1 : 0);
        case Function::neg: return wrap(0 - x);
        case Function::min: return b < a ? b : a;
        case Function::max: return a < b ? b : a;
        case Function::abs: return a < 0 ? wrap(0 - x) : a;
        case Function::bit_and: return a & b;
        case Function::bit_or: return a | b;
        case Function::bit_xor: return a ^ b;
        case Function::bit_not: return ~a;
        case Function::shift_left: return wrap(x << (y & 31));
        case Function::shift_right: return a >> (y & 31);
        case Function::logical_and: return (a != 0 && b != 0) ? 1 : 0;
        case Function::logical_or: return (a != 0 || b != 0) ? 1 : 0;
        case Function::logical_not: return a == 0 ? 1 : 0;
        case Function::where: return a != 0 ? b : c;
        case TKC_COMPARISONS:
        case TKC_REAL_FUNCTIONS:
        case TKC_BIT_PATTERNS: break;
    }
    return 0;
}

// The 32 bits of a number, as an integer; every NaN has those of 0x7fffffff.
inline std::int32_t to_bits(float x) {
    if (x != x) return std::numeric_limits<std::int32_t>::max();
    std::int32_t bits = 0;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}
inline float from_bits(std::int32_t bits) {
    float x = 0;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

// A comparison of two reals or two integers.
template <class T>
bool compare(Function f, T a, T b) {
    switch (f) {
        case Function::eq: return a == b;
        case Function::ne: return a != b;
        case Function::lt: return a < b;
        case Function::le: return a <= b;
        case Function::gt: return a > b;
        case Function::ge: return a >= b;
        case TKC_ARITHMETIC:
        case TKC_LOGIC:
        case TKC_BIT_FUNCTIONS:
        case TKC_INTEGER_FUNCTIONS:
        case TKC_REAL_FUNCTIONS:
        case TKC_BIT_PATTERNS:
        case Function::where: break;
    }
    return false;
}

inline bool divides(Function f) {
    return f == Function::div || f == Function::mod || f == Function::ceil_div;
}

}  // namespace tkc::arithmetic
