// Integer functions that C++ lacks or defines otherwise: floor division, min and max of any width.
#pragma once

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

template <class T>
TK_HOST_DEVICE constexpr T magnitude(T x) {
    return x < 0 ? -x : x;
}

}  // namespace tk
