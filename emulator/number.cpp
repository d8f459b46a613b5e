// Rounding, encoding and decoding of the device's number types.
#include "emulator/number.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "emulator/vectorised.h"
#include "language/rounding.h"

namespace tkc::emulator {

namespace {

using Format = RealFormat;

std::uint64_t encode_small(const Format& format, double x) {
    const std::uint64_t sign = std::signbit(x) ? std::uint64_t{1} << (format.bits() - 1) : 0;
    const std::uint64_t ones = (std::uint64_t{1} << format.exponent) - 1;
    const std::uint64_t last = (std::uint64_t{1} << format.mantissa) - 1;
    if (is_common(format, x)) {
        const std::uint64_t size = rounded_bits(format, x) & ~(std::uint64_t{1} << 63);
        const auto biases = static_cast<std::uint64_t>(bias_of_f64 - format.bias());
        return sign | ((size >> (bits_of_f64 - format.mantissa)) - (biases << format.mantissa));
    }
    if (std::isnan(x)) {
        return (ones << format.mantissa) | (format.infinities ? (last + 1) / 2 : last);
    }
    const double rounded = std::fabs(round_small(format, x));
    if (rounded == 0) return sign;
    if (std::isinf(rounded)) return sign | (ones << format.mantissa);
    const int exponent = std::max(binary_exponent(rounded), 1 - format.bias());
    // With its leading one; a subnormal has none, and its exponent field is then 0.
    const auto digits =
        static_cast<std::uint64_t>(rounded * exact_power(format.mantissa - exponent));
    const auto field = static_cast<std::uint64_t>(exponent + format.bias() - 1);
    return sign | ((field << format.mantissa) + digits);
}

constexpr double decode_small(const Format& format, std::uint64_t bits) {
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
    return sign * whole * exact_power(exponent - format.mantissa);
}

// The numbers of a format of 8 bits.
constexpr std::array<float, 256> all_numbers(Dtype dtype) {
    std::array<float, 256> numbers{};
    for (std::uint64_t bits = 0; bits < numbers.size(); ++bits)
        numbers[bits] = static_cast<float>(decode_small(format_of(dtype), bits));
    return numbers;
}
constexpr std::array<float, 256> numbers_of_e4m3 = all_numbers(Dtype::fp8_e4m3);
constexpr std::array<float, 256> numbers_of_e5m2 = all_numbers(Dtype::fp8_e5m2);

const std::array<float, 256>& numbers_of_fp8(Dtype dtype) {
    return dtype == Dtype::fp8_e4m3 ? numbers_of_e4m3 : numbers_of_e5m2;
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

constexpr std::uint32_t sign_of_f32 = 0x80000000U;
constexpr std::uint32_t infinity_of_f32 = 0x7f800000U;

// Bits of f32 after rounding to bf16: the lower half is 0.
inline std::uint32_t rounded_to_bf16(std::uint32_t bits) {
    const std::uint32_t up = bits + 0x7fffU + ((bits >> 16) & 1U);
    const bool is_nan = (bits & ~sign_of_f32) > infinity_of_f32;
    return (is_nan ? bits | 0x400000U : up) & 0xffff0000U;
}

// The compiler's own conversions of _Float16 are calls where the machine that is built for has
// none.
inline float rounded_to_f16(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    const std::uint32_t size = bits & ~sign_of_f32;
    const std::uint32_t up = (size + 0xfffU + ((size >> 13) & 1U)) & ~0x1fffU;
    // Next to 0.5, whose last place is the unit of f16's subnormals.
    const float small = (std::bit_cast<float>(size) + 0.5F) - 0.5F;
    std::uint32_t rounded = size < 0x38800000U ? std::bit_cast<std::uint32_t>(small) : up;
    rounded = rounded >= 0x47800000U ? infinity_of_f32 : rounded;
    rounded = size > infinity_of_f32 ? size | 0x400000U : rounded;
    return std::bit_cast<float>(rounded | (bits & sign_of_f32));
}

inline std::uint16_t encode_f16(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(rounded_to_f16(x));
    const std::uint32_t size = bits & ~sign_of_f32;
    const std::uint32_t normal = (size - (112U << 23)) >> 13;  // 112: the difference of the biases
    const auto subnormal = static_cast<std::uint32_t>(
        static_cast<std::int32_t>(std::bit_cast<float>(size < 0x38800000U ? size : 0) * 0x1p24F));
    std::uint32_t made = size < 0x38800000U ? subnormal : normal;
    made = size >= infinity_of_f32 ? 0x7c00U | ((size >> 13) & 0x3ffU) : made;
    return static_cast<std::uint16_t>(made | ((bits & sign_of_f32) >> 16));
}

inline float decode_f16(std::uint16_t half) {
    const std::uint32_t size = half & 0x7fffU;
    const auto scaled = std::bit_cast<std::uint32_t>(std::bit_cast<float>(size << 13) * 0x1p112F);
    std::uint32_t made = size >= 0x7c00U ? scaled | infinity_of_f32 : scaled;
    made = size > 0x7c00U ? made | 0x400000U : made;
    return std::bit_cast<float>(made | (std::uint32_t{half} & 0x8000U) << 16);
}

inline float decode_bf16(std::uint16_t bits) {
    return std::bit_cast<float>(std::uint32_t{bits} << 16);
}
inline std::uint16_t encode_bf16(float x) {
    return static_cast<std::uint16_t>(rounded_to_bf16(std::bit_cast<std::uint32_t>(x)) >> 16);
}

TKC_VECTORISED
void round_bf16(float* cells, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        cells[i] = std::bit_cast<float>(rounded_to_bf16(std::bit_cast<std::uint32_t>(cells[i])));
}

TKC_VECTORISED
void round_f16(float* cells, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) cells[i] = rounded_to_f16(cells[i]);
}

TKC_VECTORISED
void read_bf16(const std::byte* from, float* to, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        to[i] = decode_bf16(load<std::uint16_t>(from + i * sizeof(std::uint16_t)));
}

TKC_VECTORISED
void read_f16(const std::byte* from, float* to, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        to[i] = decode_f16(load<std::uint16_t>(from + i * sizeof(std::uint16_t)));
}

TKC_VECTORISED
void write_bf16(const float* from, std::byte* to, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        save(encode_bf16(from[i]), to + i * sizeof(std::uint16_t));
}

TKC_VECTORISED
void write_f16(const float* from, std::byte* to, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        save(encode_f16(from[i]), to + i * sizeof(std::uint16_t));
}

template <Dtype dtype>
void write_fp8(const float* from, std::byte* to, std::size_t count) {
    constexpr Format format = format_of(dtype);
    for (std::size_t i = 0; i < count; ++i)
        save(static_cast<std::uint8_t>(encode_small(format, from[i])), to + i);
}

// The integers as numbers of type T.
template <class T>
void wrap_as(std::int64_t* cells, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) cells[i] = static_cast<T>(cells[i]);
}

}  // namespace

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
        case Dtype::f32:
        case Dtype::f64:
        case Dtype::i8:
        case Dtype::i16:
        case Dtype::i32:
        case Dtype::i64:
        case Dtype::u8:
        case Dtype::u32:
        case Dtype::boolean: return;
    }
}

void round_cells(Dtype dtype, double* cells, std::size_t count) {
    if (dtype == Dtype::f64) return;
    const auto each = [&](auto&& round) {
        for (std::size_t i = 0; i < count; ++i) cells[i] = round(cells[i]);
    };
    if (dtype == Dtype::f32) return each([](double x) { return static_cast<float>(x); });
    const Format format = format_of(dtype);
    each([&](double x) { return round_small(format, x); });
}

void round_to_tf32(float* cells, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) cells[i] = tkc::round_to_tf32(cells[i]);
}

std::uint64_t encode(Dtype dtype, double x) {
    if (dtype == Dtype::f64) return std::bit_cast<std::uint64_t>(x);
    if (dtype == Dtype::f32) return std::bit_cast<std::uint32_t>(static_cast<float>(x));
    return encode_small(format_of(dtype), x);
}

double decode(Dtype dtype, std::uint64_t bits) {
    if (dtype == Dtype::f64) return std::bit_cast<double>(bits);
    if (dtype == Dtype::f32) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    return decode_small(format_of(dtype), bits);
}

void wrap_cells(Dtype dtype, std::int64_t* cells, std::size_t count) {
    switch (dtype) {
        case Dtype::i8: return wrap_as<std::int8_t>(cells, count);
        case Dtype::i16: return wrap_as<std::int16_t>(cells, count);
        case Dtype::i32: return wrap_as<std::int32_t>(cells, count);
        case Dtype::u8: return wrap_as<std::uint8_t>(cells, count);
        case Dtype::u32: return wrap_as<std::uint32_t>(cells, count);
        case Dtype::boolean: return wrap_as<bool>(cells, count);
        case Dtype::i64:
        case Dtype::f16:
        case Dtype::bf16:
        case Dtype::f32:
        case Dtype::f64:
        case Dtype::fp8_e4m3:
        case Dtype::fp8_e5m2: return;
    }
}

std::int64_t read_integer(Dtype dtype, const std::byte* at) {
    switch (dtype) {
        case Dtype::i8: return load<std::int8_t>(at);
        case Dtype::i16: return load<std::int16_t>(at);
        case Dtype::i32: return load<std::int32_t>(at);
        case Dtype::u8: return load<std::uint8_t>(at);
        case Dtype::u32: return load<std::uint32_t>(at);
        case Dtype::boolean: return load<std::uint8_t>(at) != 0 ? 1 : 0;
        case Dtype::i64: return load<std::int64_t>(at);
        case Dtype::f16:
        case Dtype::bf16:
        case Dtype::f32:
        case Dtype::f64:
        case Dtype::fp8_e4m3:
        case Dtype::fp8_e5m2: break;
    }
    throw std::logic_error("an integer of a real dtype");
}

double read_real(Dtype dtype, const std::byte* at) {
    switch (dtype) {
        case Dtype::fp8_e4m3:
        case Dtype::fp8_e5m2: return numbers_of_fp8(dtype)[load<std::uint8_t>(at)];
        case Dtype::bf16: return decode_bf16(load<std::uint16_t>(at));
        case Dtype::f16: return decode_f16(load<std::uint16_t>(at));
        case Dtype::f32: return load<float>(at);
        case Dtype::f64: return load<double>(at);
        case Dtype::i8:
        case Dtype::i16:
        case Dtype::i32:
        case Dtype::i64:
        case Dtype::u8:
        case Dtype::u32:
        case Dtype::boolean: break;
    }
    throw std::logic_error("a real number of an integer dtype");
}

void write_integer(Dtype dtype, std::int64_t value, std::byte* at) {
    const std::int64_t wrapped = wrap_to(dtype, value);
    std::memcpy(at, &wrapped,
                static_cast<std::size_t>(bytes(dtype)));  // x86 and Arm: low bytes first
}

void write_real(Dtype dtype, double value, std::byte* at) {
    const auto cell = static_cast<float>(value);  // no second rounding: cells are floats
    switch (dtype) {
        case Dtype::fp8_e4m3:
        case Dtype::fp8_e5m2: save(static_cast<std::uint8_t>(encode(dtype, value)), at); return;
        case Dtype::bf16: save(encode_bf16(cell), at); return;
        case Dtype::f16: save(encode_f16(cell), at); return;
        case Dtype::f32: save(cell, at); return;
        case Dtype::f64: save(value, at); return;
        case Dtype::i8:
        case Dtype::i16:
        case Dtype::i32:
        case Dtype::i64:
        case Dtype::u8:
        case Dtype::u32:
        case Dtype::boolean: break;
    }
    throw std::logic_error("a real number of an integer dtype");
}

template <class Number>
void read_numbers(Dtype dtype, const std::byte* from, Number* to, std::size_t count,
                  std::int64_t step) {
    const std::int64_t apart = step * bytes(dtype);
    const auto each = [&](auto&& read) {
        for (std::size_t i = 0; i < count; ++i, from += apart) to[i] = read(from);
    };
    if constexpr (std::is_same_v<Number, float>) {
        if (dtype == Dtype::bf16) {
            if (step == 1) return read_bf16(from, to, count);
            return each([](const std::byte* at) { return decode_bf16(load<std::uint16_t>(at)); });
        }
        if (dtype == Dtype::f16) {
            if (step == 1) return read_f16(from, to, count);
            return each([](const std::byte* at) { return decode_f16(load<std::uint16_t>(at)); });
        }
        if (bits_of(dtype) == 8) {
            const std::array<float, 256>& numbers = numbers_of_fp8(dtype);
            return each([&](const std::byte* at) { return numbers[load<std::uint8_t>(at)]; });
        }
    }
    if constexpr (!std::is_integral_v<Number>) {
        if (bytes(dtype) == static_cast<int>(sizeof(Number))) {
            if (step != 1) return each([](const std::byte* at) { return load<Number>(at); });
            std::memcpy(to, from, count * sizeof(Number));
            return;
        }
    }
    each([&](const std::byte* at) { return read_number<Number>(dtype, at); });
}

template <class Number>
void write_numbers(Dtype dtype, const Number* from, std::byte* to, std::size_t count,
                   std::int64_t step) {
    if constexpr (std::is_same_v<Number, float>) {
        if (step == 1 && dtype == Dtype::bf16) return write_bf16(from, to, count);
        if (step == 1 && dtype == Dtype::f16) return write_f16(from, to, count);
        if (step == 1 && dtype == Dtype::fp8_e4m3)
            return write_fp8<Dtype::fp8_e4m3>(from, to, count);
        if (step == 1 && dtype == Dtype::fp8_e5m2)
            return write_fp8<Dtype::fp8_e5m2>(from, to, count);
    }
    if constexpr (!std::is_integral_v<Number>) {
        if (step == 1 && bytes(dtype) == static_cast<int>(sizeof(Number))) {
            std::memcpy(to, from, count * sizeof(Number));
            return;
        }
    }
    for (std::size_t i = 0; i < count; ++i, to += step * bytes(dtype))
        write_number(dtype, from[i], to);
}

template void read_numbers(Dtype, const std::byte*, float*, std::size_t, std::int64_t);
template void read_numbers(Dtype, const std::byte*, double*, std::size_t, std::int64_t);
template void read_numbers(Dtype, const std::byte*, std::int64_t*, std::size_t, std::int64_t);
template void write_numbers(Dtype, const float*, std::byte*, std::size_t, std::int64_t);
template void write_numbers(Dtype, const double*, std::byte*, std::size_t, std::int64_t);
template void write_numbers(Dtype, const std::int64_t*, std::byte*, std::size_t, std::int64_t);

}  // namespace tkc::emulator
