// Rounding to the number types of the device: what a conversion or a store leaves of a number.
//
// Whatever the compiler folds, proves or emulates rounds here, so that all of them agree.
// Conversions round to nearest even; to f16 and bf16 what is too large becomes infinite; to fp8 it
// becomes the largest number (PTX ISA, cvt .satfinite), infinities too, and NaN stays NaN.
// Subnormals are kept. Integers keep their lowest bits.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "language/dtype.h"
#include "language/real_format.h"

namespace tkc {

inline constexpr int bias_of_f64 = 1023;
inline constexpr int bits_of_f64 = 52;

// Of a number that is not a subnormal f64; of those, something below all that a small format has.
constexpr int binary_exponent(double x) {
    return static_cast<int>((std::bit_cast<std::uint64_t>(x) >> bits_of_f64) & 0x7ff) - bias_of_f64;
}

// Whether it and its neighbors in the format are numbers of the format's common exponents, below
// its last binade.
constexpr bool is_common(const RealFormat& format, double x) {
    const int exponent = binary_exponent(x);
    return exponent >= 1 - format.bias() && exponent < format.bias();
}

// The bits of such a number, rounded: those below the format's are 0.
constexpr std::uint64_t rounded_bits(const RealFormat& format, double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const int lost = bits_of_f64 - format.mantissa;
    const std::uint64_t half = std::uint64_t{1} << (lost - 1);
    return (bits + half - 1 + ((bits >> lost) & 1)) >> lost << lost;
}

// To a format of fewer bits than f32.
inline double round_small(const RealFormat& format, double x) {
    if (is_common(format, x)) return std::bit_cast<double>(rounded_bits(format, x));
    if (std::isnan(x) || x == 0) return x;
    const double largest = format.largest();
    const double beyond = format.saturates ? largest : std::numeric_limits<double>::infinity();
    if (std::fabs(x) > 2 * largest) {  // infinities too
        return std::copysign(beyond, x);
    }
    // The unit in the last place at x, no finer than that of the subnormals.
    const int exponent = std::max(binary_exponent(x), 1 - format.bias());
    // Added to so large a number, x keeps whole units: to nearest, ties to even.
    const double large = 1.5 * exact_power(exponent - format.mantissa + bits_of_f64);
    const double rounded = std::fabs((std::fabs(x) + large) - large);
    return std::copysign(rounded <= largest ? rounded : beyond, x);
}

// The number of the real type `dtype` nearest to `x`, ties to even.
inline double round_to(Dtype dtype, double x) {
    if (dtype == Dtype::f64) return x;
    if (dtype == Dtype::f32) return static_cast<float>(x);
    return round_small(format_of(dtype), x);
}

// What a product takes of a number of f32 as tf32: f32's range with 10 bits of fraction, to
// nearest, ties away from zero (PTX ISA, "cvt", .rna.tf32). NaN stays NaN; what is too large is
// infinite.
constexpr float round_to_tf32(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    const bool is_nan = (bits & 0x7fffffffU) > 0x7f800000U;
    // Half a unit more of the magnitude: what carries goes to the exponent.
    const std::uint32_t rounded = (bits + 0x1000U) & 0xffffe000U;
    return is_nan ? x : std::bit_cast<float>(rounded);
}

// A conversion between real types: values that are not f64 go through f32, and are rounded twice.
inline double convert_real(Dtype dtype, double x) {
    return dtype == Dtype::f64 ? x : round_to(dtype, static_cast<float>(x));
}

// The integer that is left of `value` in the integer type `dtype`, or in bool: as C's conversion
// between integers does it.
constexpr std::int64_t wrap_to(Dtype dtype, std::int64_t value) {
    switch (dtype) {
        case Dtype::i8: return static_cast<std::int8_t>(value);
        case Dtype::i16: return static_cast<std::int16_t>(value);
        case Dtype::i32: return static_cast<std::int32_t>(value);
        case Dtype::u8: return static_cast<std::uint8_t>(value);
        case Dtype::u32: return static_cast<std::uint32_t>(value);
        case Dtype::boolean: return value != 0 ? 1 : 0;
        case Dtype::i64:
        case Dtype::f16:
        case Dtype::bf16:
        case Dtype::f32:
        case Dtype::f64:
        case Dtype::fp8_e4m3:
        case Dtype::fp8_e5m2: return value;
    }
    return value;
}

// Conversion of a real number to an integer type: truncated, saturated, NaN to 0 (PTX ISA, cvt).
inline std::int64_t truncate_to(Dtype dtype, double value) {
    if (std::isnan(value)) return 0;
    if (dtype == Dtype::boolean) return value != 0 ? 1 : 0;
    const bool is_signed = info(dtype).kind == DtypeClass::integer;
    const int digits = info(dtype).bits - (is_signed ? 1 : 0);
    const double above = std::ldexp(1.0, digits);  // the first number that is too large
    const double whole = std::trunc(value);
    if (whole >= above) {
        return static_cast<std::int64_t>((std::uint64_t{1} << digits) - 1);
    }
    const double lowest = is_signed ? -above : 0.0;
    return static_cast<std::int64_t>(whole < lowest ? lowest : whole);
}

}  // namespace tkc
