// Element types: bf16 and f16 as two stored bytes with explicit conversions, and packing of pairs.
#pragma once

#include <cstring>

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

// The low (half = 0) or high (half = 1) value of a pair.
template <class T>
TK_DEVICE T unpack(uint32_t pair, int half) {
    T value;
    value.bits = static_cast<uint16_t>(half == 0 ? pair & 0xffff : pair >> 16);
    return value;
}
#endif

}  // namespace tk
