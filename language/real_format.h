// How the bits of a real dtype are divided, and what numbers that gives.
#pragma once

#include <bit>
#include <cstdint>

#include "language/dtype.h"

namespace tkc {

// 2 to that power, where it is a normal number of f64.
constexpr double exact_power(int exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

// One sign bit, `exponent` bits with the usual bias, `mantissa` bits.
struct RealFormat {
    int exponent;
    int mantissa;
    bool infinities;  // e4m3 has none: its largest exponent holds numbers, and NaN alone
    bool saturates;   // what is too large becomes the largest number
    constexpr int bias() const { return (1 << (exponent - 1)) - 1; }
    constexpr int bits() const { return 1 + exponent + mantissa; }
    constexpr int digits() const { return mantissa + 1; }  // with the leading one
    constexpr double largest() const {
        const int top = (1 << exponent) - 1 - bias();  // exponent of the last binade
        if (infinities) return (2.0 - exact_power(-mantissa)) * exact_power(top - 1);
        return (2.0 - exact_power(1 - mantissa)) * exact_power(top);
    }
    constexpr double smallest_normal() const { return exact_power(1 - bias()); }
};

// Of a dtype that is real.
constexpr RealFormat format_of(Dtype dtype) {
    switch (dtype) {
        case Dtype::f16: return {5, 10, true, false};
        case Dtype::bf16: return {8, 7, true, false};
        case Dtype::fp8_e4m3: return {4, 3, false, true};
        case Dtype::fp8_e5m2: return {5, 2, true, true};
        case Dtype::f32: return {8, 23, true, false};
        case Dtype::f64: return {11, 52, true, false};
        case Dtype::i8:
        case Dtype::i16:
        case Dtype::i32:
        case Dtype::i64:
        case Dtype::u8:
        case Dtype::u32:
        case Dtype::boolean: break;
    }
    return {0, 0, false, false};
}

}  // namespace tkc
