// Rounding, encoding and decoding of the device's number types.
#include "emulator/number.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace tkc::emulator {

namespace {

// A small floating-point format: one sign bit, `exponent` bits with the usual bias, `mantissa`
// bits.
struct Format {
    int exponent;
    int mantissa;
    bool infinities;  // e4m3 has none: its largest exponent holds numbers, and NaN alone
    bool saturates;
    int bias() const { return (1 << (exponent - 1)) - 1; }
    int bits() const { return 1 + exponent + mantissa; }
    double largest() const {
        const int top = (1 << exponent) - 1 - bias();  // exponent of the last binade
        if (infinities) return std::ldexp(2.0 - std::ldexp(1.0, -mantissa), top - 1);
        return std::ldexp(2.0 - std::ldexp(1.0, 1 - mantissa), top);
    }
};

constexpr Format format_of(Dtype dtype) {
    switch (dtype) {
        case Dtype::f16: return {5, 10, true, false};
        case Dtype::bf16: return {8, 7, true, false};
        case Dtype::fp8_e4m3: return {4, 3, false, true};
        case Dtype::fp8_e5m2: return {5, 2, true, true};
        default: return {8, 23, true, false};
    }
}

double round_small(const Format& format, double x) {
    if (std::isnan(x) || x == 0) return x;
    const double largest = format.largest();
    if (std::isinf(x)) return format.saturates ? std::copysign(largest, x) : x;
    // The unit in the last place at x, no finer than that of the subnormals.
    const int exponent = std::max(std::ilogb(x), 1 - format.bias());
    const double unit = std::ldexp(1.0, exponent - format.mantissa);
    const double rounded = std::nearbyint(x / unit) * unit;  // the default mode: ties to even
    if (std::fabs(rounded) <= largest) return rounded;
    return std::copysign(format.saturates ? largest : std::numeric_limits<double>::infinity(), x);
}

std::uint64_t encode_small(const Format& format, double x) {
    const std::uint64_t sign = std::signbit(x) ? std::uint64_t{1} << (format.bits() - 1) : 0;
    const std::uint64_t ones = (std::uint64_t{1} << format.exponent) - 1;
    const std::uint64_t last = (std::uint64_t{1} << format.mantissa) - 1;
    if (std::isnan(x)) {
        return (ones << format.mantissa) | (format.infinities ? (last + 1) / 2 : last);
    }
    const double rounded = std::fabs(round_small(format, x));
    if (rounded == 0) return sign;
    if (std::isinf(rounded)) return sign | (ones << format.mantissa);
    const int exponent = std::max(std::ilogb(rounded), 1 - format.bias());
    // With its leading one; a subnormal has none, and its exponent field is then 0.
    const auto digits = static_cast<std::uint64_t>(std::ldexp(rounded, format.mantissa - exponent));
    const auto field = static_cast<std::uint64_t>(exponent + format.bias() - 1);
    return sign | ((field << format.mantissa) + digits);
}

double decode_small(const Format& format, std::uint64_t bits) {
    const std::uint64_t last = (std::uint64_t{1} << format.mantissa) - 1;
    const std::uint64_t ones = (std::uint64_t{1} << format.exponent) - 1;
    const std::uint64_t digits = bits & last;
    const std::uint64_t field = (bits >> format.mantissa) & ones;
    const double sign = (bits >> (format.bits() - 1) & 1) != 0 ? -1.0 : 1.0;
    if (field == ones) {
        if (format.infinities && digits == 0) return sign * std::numeric_limits<double>::infinity();
        if (format.infinities || digits == last) return std::numeric_limits<double>::quiet_NaN();
    }
    const int exponent = static_cast<int>(field == 0 ? 1 : field) - format.bias();
    const auto whole = static_cast<double>(field == 0 ? digits : digits + last + 1);
    return sign * std::ldexp(whole, exponent - format.mantissa);
}

template <class T>
T load(const std::byte* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

template <class T>
void save(T value, std::byte* at) {
    std::memcpy(at, &value, sizeof value);
}

void round_bf16(float* cells, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        const auto bits = std::bit_cast<std::uint32_t>(cells[i]);
        const std::uint32_t up = bits + 0x7fffU + ((bits >> 16) & 1U);
        const bool is_nan = (bits & 0x7fffffffU) > 0x7f800000U;
        cells[i] = std::bit_cast<float>((is_nan ? bits | 0x400000U : up) & 0xffff0000U);
    }
}

void round_f16(float* cells, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        cells[i] = static_cast<float>(static_cast<_Float16>(cells[i]));
}

}  // namespace

double round_to(Dtype dtype, double x) {
    switch (dtype) {
        case Dtype::f64: return x;
        case Dtype::f32: return static_cast<float>(x);
        default: return round_small(format_of(dtype), x);
    }
}

void round_cells(Dtype dtype, float* cells, std::size_t count) {
    switch (dtype) {
        case Dtype::bf16: round_bf16(cells, count); return;
        case Dtype::f16: round_f16(cells, count); return;
        case Dtype::fp8_e4m3:
        case Dtype::fp8_e5m2:
            for (std::size_t i = 0; i < count; ++i) {
                cells[i] = static_cast<float>(round_small(format_of(dtype), cells[i]));
            }
            return;
        default: return;
    }
}

void round_to_tf32(float* cells, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        const auto bits = std::bit_cast<std::uint32_t>(cells[i]);
        const bool is_nan = (bits & 0x7fffffffU) > 0x7f800000U;
        // Half a unit more of the magnitude: what carries goes to the exponent.
        const std::uint32_t rounded = (bits + 0x1000U) & 0xffffe000U;
        if (!is_nan) cells[i] = std::bit_cast<float>(rounded);
    }
}

std::uint64_t encode(Dtype dtype, double x) {
    switch (dtype) {
        case Dtype::f64: return std::bit_cast<std::uint64_t>(x);
        case Dtype::f32: return std::bit_cast<std::uint32_t>(static_cast<float>(x));
        default: return encode_small(format_of(dtype), x);
    }
}

double decode(Dtype dtype, std::uint64_t bits) {
    switch (dtype) {
        case Dtype::f64: return std::bit_cast<double>(bits);
        case Dtype::f32: return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
        default: return decode_small(format_of(dtype), bits);
    }
}

std::int64_t wrap_to(Dtype dtype, std::int64_t value) {
    switch (dtype) {
        case Dtype::i8: return static_cast<std::int8_t>(value);
        case Dtype::i16: return static_cast<std::int16_t>(value);
        case Dtype::i32: return static_cast<std::int32_t>(value);
        case Dtype::u8: return static_cast<std::uint8_t>(value);
        case Dtype::u32: return static_cast<std::uint32_t>(value);
        case Dtype::boolean: return value != 0 ? 1 : 0;
        default: return value;
    }
}

std::int64_t truncate_to(Dtype dtype, double value) {
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

std::int64_t read_integer(Dtype dtype, const std::byte* at) {
    switch (dtype) {
        case Dtype::i8: return load<std::int8_t>(at);
        case Dtype::i16: return load<std::int16_t>(at);
        case Dtype::i32: return load<std::int32_t>(at);
        case Dtype::u8: return load<std::uint8_t>(at);
        case Dtype::u32: return load<std::uint32_t>(at);
        case Dtype::boolean: return load<std::uint8_t>(at) != 0 ? 1 : 0;
        default: return load<std::int64_t>(at);
    }
}

double read_real(Dtype dtype, const std::byte* at) {
    switch (bytes(dtype)) {
        case 1: return decode(dtype, load<std::uint8_t>(at));
        case 2:
            if (dtype == Dtype::bf16) {
                return std::bit_cast<float>(std::uint32_t{load<std::uint16_t>(at)} << 16);
            }
            return static_cast<float>(load<_Float16>(at));
        case 4: return load<float>(at);
        default: return load<double>(at);
    }
}

void write_integer(Dtype dtype, std::int64_t value, std::byte* at) {
    const std::int64_t wrapped = wrap_to(dtype, value);
    std::memcpy(at, &wrapped,
                static_cast<std::size_t>(bytes(dtype)));  // x86 and Arm: low bytes first
}

void write_real(Dtype dtype, double value, std::byte* at) {
    switch (bytes(dtype)) {
        case 1: save(static_cast<std::uint8_t>(encode(dtype, value)), at); return;
        case 2:
            if (dtype == Dtype::bf16) {
                auto cell = static_cast<float>(value);  // no second rounding: cells are floats
                round_bf16(&cell, 1);
                save(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(cell) >> 16), at);
            } else {
                save(static_cast<_Float16>(static_cast<float>(value)), at);
            }
            return;
        case 4: save(static_cast<float>(value), at); return;
        default: save(value, at); return;
    }
}

}  // namespace tkc::emulator
