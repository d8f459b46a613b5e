// Common divisors of the coefficients of normal forms.
#pragma once

#include <cstdint>
#include <limits>
#include <numeric>

namespace tkc::ir {

// The greatest common divisor, never negative. Coefficients that overflowed end at -2^63, which has
// no positive counterpart: 1 stands for a divisor of that size.
inline std::int64_t common_divisor(std::int64_t a, std::int64_t b) {
    const auto magnitude = [](std::int64_t x) {
        const auto bits = static_cast<std::uint64_t>(x);
        return x < 0 ? 0 - bits : bits;
    };
    const std::uint64_t g = std::gcd(magnitude(a), magnitude(b));
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    return g > most ? 1 : static_cast<std::int64_t>(g);
}

}  // namespace tkc::ir
