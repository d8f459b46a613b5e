// Element types: bf16 and f16 as two stored bytes with explicit conversions, and packing of pairs.
#pragma once

#include <cstring>
#include <type_traits>

#include "../ptx/config.h"

namespace tk {

using f32 = float;
using i32 = int32_t;
using u32 = uint32_t;

#if !TK_CUDA
// The host's roundings, for tests: to nearest even, NaN stays NaN.
namespace host {
inline uint32_t bits_of(float x) {
    uint32_t bits;
    std::memcpy(&bits, &x, 4);
    return bits;
}
inline float float_of(uint32_t bits) {
    float x;
    std::memcpy(&x, &bits, 4);
    return x;
}
}  // namespace host
#endif

// bfloat16. Own types, because cuda_bf16.h costs every user 0.2 s of nvcc; the bits are the same as
// there.
struct bf16 {
    uint16_t bits;

    bf16() = default;
    TK_HOST_DEVICE explicit bf16(float x) {
#if defined(__CUDA_ARCH__)
        asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
#elif !TK_CUDA
        const uint32_t b = host::bits_of(x);
        bits = x != x ? 0x7fff : static_cast<uint16_t>((b + 0x7fff + ((b >> 16) & 1)) >> 16);
#else
        bits = static_cast<uint16_t>(x);  // unreachable: nvcc's host pass makes no tile values
#endif
    }
    TK_HOST_DEVICE explicit operator float() const {
#if defined(__CUDA_ARCH__)
        return __uint_as_float(static_cast<uint32_t>(bits) << 16);
#elif !TK_CUDA
        return host::float_of(static_cast<uint32_t>(bits) << 16);
#else
        return bits;
#endif
    }
};

// IEEE half precision; converted on the device only.
struct f16 {
    uint16_t bits;

    f16() = default;
#if TK_CUDA
    TK_DEVICE explicit f16(float x) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x)); }
    TK_DEVICE explicit operator float() const {
        float x;
        asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
        return x;
    }
#endif
};

static_assert(sizeof(bf16) == 2 && sizeof(f16) == 2);

// OCP FP8: e4m3 has no infinities and 448 as its largest number, e5m2 both and 57344. What is
// larger becomes the largest number, infinities too; NaN stays NaN (PTX ISA, "cvt", .satfinite).
// Converted on the device only.
struct fp8_e4m3 {
    uint8_t bits;

    fp8_e4m3() = default;
#if TK_CUDA
    TK_DEVICE explicit fp8_e4m3(float x) {
        uint16_t pair;
        asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(x));
        bits = static_cast<uint8_t>(pair);
    }
    TK_DEVICE explicit operator float() const {
        uint32_t pair;
        asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(pair) : "h"(static_cast<uint16_t>(bits)));
        f16 low;
        low.bits = static_cast<uint16_t>(pair);
        return static_cast<float>(low);
    }
#endif
};

struct fp8_e5m2 {
    uint8_t bits;

    fp8_e5m2() = default;
#if TK_CUDA
    TK_DEVICE explicit fp8_e5m2(float x) {
        uint16_t pair;
        asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(x));
        bits = static_cast<uint8_t>(pair);
    }
    // The upper half of an f16.
    TK_DEVICE explicit operator float() const {
        f16 wide;
        wide.bits = static_cast<uint16_t>(bits << 8);
        return static_cast<float>(wide);
    }
#endif
};

static_assert(sizeof(fp8_e4m3) == 1 && sizeof(fp8_e5m2) == 1);

// f32 in shared memory of which products alone read 11 bits, the upper 19 of the number: rounded
// when it is written, to nearest, ties away from zero. Nothing computes with it.
struct tf32 {
    uint32_t bits;

    tf32() = default;
#if TK_CUDA
    TK_DEVICE explicit tf32(float x) { asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x)); }
#endif
};

static_assert(sizeof(tf32) == 4);

// How a number of `T` lies in shared memory whose cells are `Cell`.
template <class Cell, class T>
inline constexpr bool lies_as = std::is_same_v<Cell, T> || (std::is_same_v<Cell, tf32> &&
                                                            std::is_same_v<T, float>);

// How many neighboring values share a register of a tile.
template <class T>
inline constexpr int per_register = 1;
template <>
inline constexpr int per_register<bf16> = 2;
template <>
inline constexpr int per_register<f16> = 2;
template <>
inline constexpr int per_register<fp8_e4m3> = 4;
template <>
inline constexpr int per_register<fp8_e5m2> = 4;

// The same where neighbors come in vectors of so many: 8-bit values in twos share one, too.
template <class T, int Vector>
inline constexpr int per_register_of = Vector == 2 && sizeof(T) == 1 && !std::is_same_v<T, bool> ? 2
                                       : Vector % per_register<T> == 0 ? per_register<T>
                                                                       : 1;

#if TK_CUDA
// Two values as one register, `low` in the low half: one instruction.
template <class T>
TK_DEVICE uint32_t pack(float low, float high);

template <>
TK_DEVICE uint32_t pack<bf16>(float low, float high) {
    uint32_t pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
    return pair;
}

template <>
TK_DEVICE uint32_t pack<f16>(float low, float high) {
    uint32_t pair;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
    return pair;
}

// Two stored values as one register.
template <class T>
TK_DEVICE uint32_t pack(T low, T high) {
    return static_cast<uint32_t>(low.bits) | static_cast<uint32_t>(high.bits) << 16;
}

// Four values as one register, the first in the lowest byte.
template <class T>
TK_DEVICE uint32_t pack(float x0, float x1, float x2, float x3);

template <>
TK_DEVICE uint32_t pack<fp8_e4m3>(float x0, float x1, float x2, float x3) {
    uint16_t low, high;
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(low) : "f"(x1), "f"(x0));
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(high) : "f"(x3), "f"(x2));
    return static_cast<uint32_t>(low) | static_cast<uint32_t>(high) << 16;
}

template <>
TK_DEVICE uint32_t pack<fp8_e5m2>(float x0, float x1, float x2, float x3) {
    uint16_t low, high;
    asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(low) : "f"(x1), "f"(x0));
    asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(high) : "f"(x3), "f"(x2));
    return static_cast<uint32_t>(low) | static_cast<uint32_t>(high) << 16;
}

template <class T>
TK_DEVICE uint32_t pack(T x0, T x1, T x2, T x3) {
    return static_cast<uint32_t>(x0.bits) | static_cast<uint32_t>(x1.bits) << 8 |
           static_cast<uint32_t>(x2.bits) << 16 | static_cast<uint32_t>(x3.bits) << 24;
}

// Value number `i` of a register, from the lowest bits.
template <class T>
TK_DEVICE T unpack(uint32_t packed, int i) {
    T value;
    value.bits = static_cast<decltype(value.bits)>(packed >> (32 / per_register<T> * i));
    return value;
}

// Two values of 8 bits as 16, `low` in the low byte. Floats are rounded by one instruction.
template <class T, class Given>
TK_DEVICE uint16_t pack_bytes(Given low, Given high) {
    uint16_t pair;
    if constexpr (std::is_same_v<T, fp8_e4m3> && std::is_same_v<Given, float>) {
        asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(high), "f"(low));
    } else if constexpr (std::is_same_v<T, fp8_e5m2> && std::is_same_v<Given, float>) {
        asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(high), "f"(low));
    } else {
        const T values[2] = {static_cast<T>(low), static_cast<T>(high)};
        memcpy(&pair, values, 2);
    }
    return pair;
}
// Value number `i` of them.
template <class T>
TK_DEVICE T unpack_byte(uint16_t pair, int i) {
    const uint8_t byte = static_cast<uint8_t>(pair >> (8 * i));
    T value;
    memcpy(&value, &byte, 1);
    return value;
}
// The same as f32, which is exact. Two fp8 numbers widen together: whoever asks for both gets them
// by one instruction. An integer of 0 .. 255 becomes the last bits of 2^23, which is then taken
// away: one permutation and one addition, where a conversion needs the byte taken out first.
template <class T>
TK_DEVICE float widen_byte(uint16_t pair, int i) {
    if constexpr (std::is_same_v<T, fp8_e4m3> || std::is_same_v<T, fp8_e5m2>) {
        uint32_t both;
        if constexpr (std::is_same_v<T, fp8_e4m3>)
            asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(both) : "h"(pair));
        else asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(both) : "h"(pair));
        return static_cast<float>(unpack<f16>(both, i));
    } else {
        constexpr bool negative = static_cast<T>(-1) < static_cast<T>(0);
        const uint32_t bytes = negative ? pair ^ 0x8080u : pair;  // 128 more
        const float offset = negative ? 8388608.0f + 128.0f : 8388608.0f;
        return __uint_as_float(__byte_perm(bytes, 0x4b000000u, i == 0 ? 0x7650 : 0x7651)) - offset;
    }
}
#endif

}  // namespace tk
