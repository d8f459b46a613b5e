// The integer arithmetic of launch contracts: 64 bits, total, rounding as in the language.
#pragma once

#include <cstdint>

namespace tk {

// Products saturate here, so that a comparison after an overflow still comes out right.
constexpr int64_t integer_limit = int64_t{1} << 62;

constexpr int64_t multiply(int64_t a, int64_t b) {
    int64_t product = 0;
    const bool negative = (a < 0) != (b < 0);
    if (__builtin_mul_overflow(a, b, &product)) return negative ? -integer_limit : integer_limit;
    if (product > integer_limit) return integer_limit;
    return product < -integer_limit ? -integer_limit : product;
}

// So do sums of 64-bit numbers.
constexpr int64_t saturated(__int128_t x) {
    if (x > integer_limit) return integer_limit;
    return x < -integer_limit ? -integer_limit : static_cast<int64_t>(x);
}
constexpr int64_t sum(int64_t a, int64_t b) { return saturated(__int128_t{a} + b); }
constexpr int64_t difference(int64_t a, int64_t b) { return saturated(__int128_t{a} - b); }

// Division rounds down; a divisor below 1 gives 0: the contract rejects such divisors.
constexpr int64_t floor_div(int64_t a, int64_t b) {
    if (b < 1) return 0;
    return a / b - (a % b < 0 ? 1 : 0);
}
constexpr int64_t floor_mod(int64_t a, int64_t b) { return b < 1 ? 0 : a - floor_div(a, b) * b; }
constexpr int64_t ceil_div(int64_t a, int64_t b) { return b < 1 ? 0 : a / b + (a % b > 0 ? 1 : 0); }
constexpr int64_t min_of(int64_t a, int64_t b) { return a < b ? a : b; }
constexpr int64_t max_of(int64_t a, int64_t b) { return a < b ? b : a; }

}  // namespace tk
