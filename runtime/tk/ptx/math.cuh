// Scalar functions of f32, and the exact ones of f64. The plain names are the hardware's
// approximations; max and min propagate NaN.
#pragma once

#include "config.h"

#if TK_CUDA
namespace tk {

// One instruction `name` of one operand.
#define TK_DEFINE_UNARY(name, instruction)              \
    TK_DEVICE float name(float x) {                     \
        float y;                                        \
        asm(instruction " %0, %1;" : "=f"(y) : "f"(x)); \
        return y;                                       \
    }
TK_DEFINE_UNARY(exp2, "ex2.approx.ftz.f32")
TK_DEFINE_UNARY(log2, "lg2.approx.ftz.f32")
TK_DEFINE_UNARY(rsqrt, "rsqrt.approx.ftz.f32")
TK_DEFINE_UNARY(sqrt, "sqrt.approx.ftz.f32")
TK_DEFINE_UNARY(reciprocal, "rcp.approx.ftz.f32")
TK_DEFINE_UNARY(tanh, "tanh.approx.f32")
TK_DEFINE_UNARY(sin, "sin.approx.ftz.f32")
TK_DEFINE_UNARY(cos, "cos.approx.ftz.f32")
#undef TK_DEFINE_UNARY

// div.approx: at most 2 ulp for |y| in 2^-126..2^126; beyond it 0 (PTX ISA, "div").
TK_DEVICE float divide(float x, float y) {
    float z;
    asm("div.approx.ftz.f32 %0, %1, %2;" : "=f"(z) : "f"(x), "f"(y));
    return z;
}

TK_DEVICE float max(float x, float y) {
    float z;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(z) : "f"(x), "f"(y));
    return z;
}

TK_DEVICE float min(float x, float y) {
    float z;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(z) : "f"(x), "f"(y));
    return z;
}

// There is no f64 instruction that propagates NaN.
TK_DEVICE double max(double x, double y) { return x != x ? x : y != y ? y : x < y ? y : x; }
TK_DEVICE double min(double x, double y) { return x != x ? x : y != y ? y : y < x ? y : x; }

TK_DEVICE int max(int x, int y) { return x > y ? x : y; }
TK_DEVICE int min(int x, int y) { return x < y ? x : y; }
TK_DEVICE long long max(long long x, long long y) { return x > y ? x : y; }
TK_DEVICE long long min(long long x, long long y) { return x < y ? x : y; }

// One rounding, written where the IR has a fused product; contraction by the compiler stays off.
TK_DEVICE float fma(float x, float y, float z) { return __fmaf_rn(x, y, z); }

TK_DEVICE float abs(float x) { return __int_as_float(__float_as_int(x) & 0x7fffffff); }

// The bits of x, with one pattern for every NaN; arithmetic gives that one on its own.
TK_DEVICE int to_bits(float x) { return x != x ? 0x7fffffff : __float_as_int(x); }

TK_DEVICE double fma(double x, double y, double z) { return __fma_rn(x, y, z); }
TK_DEVICE double abs(double x) { return ::fabs(x); }
TK_DEVICE double sqrt(double x) { return __dsqrt_rn(x); }

constexpr float log2_e = 1.4426950408889634f;
constexpr float ln_2 = 0.6931471805599453f;

TK_DEVICE float exp(float x) { return exp2(x * log2_e); }
TK_DEVICE float log(float x) { return log2(x) * ln_2; }
TK_DEVICE float pow(float x, float y) { return exp2(y * log2(x)); }  // for x >= 0

// At most 2 ulp (CUDA C++ Programming Guide, "Mathematical Functions").
TK_DEVICE float erf(float x) { return ::erff(x); }

// Integers: down, up, and to nearest, ties to even.
TK_DEVICE float floor(float x) { return ::floorf(x); }
TK_DEVICE float ceil(float x) { return ::ceilf(x); }
TK_DEVICE float round(float x) { return ::rintf(x); }
TK_DEVICE double floor(double x) { return ::floor(x); }
TK_DEVICE double ceil(double x) { return ::ceil(x); }
TK_DEVICE double round(double x) { return ::rint(x); }

}  // namespace tk
#endif
