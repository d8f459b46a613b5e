// Integer functions that C++ lacks, defines otherwise or leaves open: floor division, min and max
// of any width, arithmetic that wraps.
#pragma once

#include <type_traits>

#include "../ptx/config.h"

namespace tk {

// Quotient rounded down and its remainder, 0 <= remainder(x, y) < y; y > 0.
template <class T>
TK_HOST_DEVICE constexpr T divide_down(T x, T y) {
    return x / y - (x % y < 0);
}
template <class T>
TK_HOST_DEVICE constexpr T remainder(T x, T y) {
    return x % y + (x % y < 0 ? y : 0);
}

// Quotient rounded up; y > 0. Nothing overflows.
template <class T>
TK_HOST_DEVICE constexpr T divide_up(T x, T y) {
    return x / y + (x % y > 0);
}

template <class T>
TK_HOST_DEVICE constexpr T least(T x, T y) {
    return y < x ? y : x;
}
template <class T>
TK_HOST_DEVICE constexpr T greatest(T x, T y) {
    return x < y ? y : x;
}
// x, or the end of the range of T that is nearer to it.
template <class T>
TK_HOST_DEVICE constexpr T saturated(int x) {
    constexpr bool negative = static_cast<T>(-1) < static_cast<T>(0);
    constexpr int top = negative ? (1 << (8 * sizeof(T) - 1)) - 1 : (1 << (8 * sizeof(T))) - 1;
    constexpr int bottom = negative ? -top - 1 : 0;
    return static_cast<T>(x < bottom ? bottom : x > top ? top : x);
}

// Arithmetic modulo 2^bits. In C++ overflow of signed integers is undefined; unsigned integers
// wrap.
template <class T>
using bits_of = std::make_unsigned_t<T>;
template <class T>
TK_HOST_DEVICE constexpr T wrapping_add(T x, T y) {
    return static_cast<T>(static_cast<bits_of<T>>(x) + static_cast<bits_of<T>>(y));
}
template <class T>
TK_HOST_DEVICE constexpr T wrapping_subtract(T x, T y) {
    return static_cast<T>(static_cast<bits_of<T>>(x) - static_cast<bits_of<T>>(y));
}
template <class T>
TK_HOST_DEVICE constexpr T wrapping_multiply(T x, T y) {
    return static_cast<T>(static_cast<bits_of<T>>(x) * static_cast<bits_of<T>>(y));
}
template <class T>
TK_HOST_DEVICE constexpr T wrapping_negate(T x) {
    return wrapping_subtract(T(0), x);
}
template <class T>
TK_HOST_DEVICE constexpr T wrapping_shift_left(T x, int places) {
    return static_cast<T>(static_cast<bits_of<T>>(x) << places);
}
// The smallest number has no positive counterpart, and is unchanged.
template <class T>
TK_HOST_DEVICE constexpr T magnitude(T x) {
    return x < 0 ? wrapping_negate(x) : x;
}

#if TK_CUDA
// Truncates, and saturates to the range of T; NaN becomes 0. The instructions convert a NaN
// differently if it has 64 bits or the result does (PTX ISA, "cvt").
template <class T, class Real>
TK_DEVICE T truncated(Real x) {
    if (x != x) return 0;
    if constexpr (std::is_same_v<Real, double>) {
        if constexpr (sizeof(T) == 8) return __double2ll_rz(x);
        else if constexpr (std::is_signed_v<T>) return __double2int_rz(x);
        else return __double2uint_rz(x);
    } else {
        static_assert(sizeof(T) == 8);
        return __float2ll_rz(x);
    }
}
#endif

}  // namespace tk
