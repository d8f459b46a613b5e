// Integer functions whose meaning C++ gives another or none: floor division, and min and max of
// other widths.
#pragma once

#include "../ptx/config.h"

namespace tk {

// Quotient rounded down and its remainder, 0 <= floor_mod(x, y) < y; y > 0.
template <class T>
TK_HOST_DEVICE constexpr T floor_div(T x, T y) {
    return x / y - (x % y < 0);
}
template <class T>
TK_HOST_DEVICE constexpr T floor_mod(T x, T y) {
    return x % y + (x % y < 0 ? y : 0);
}

// Quotient rounded up; y > 0. Nothing overflows.
template <class T>
TK_HOST_DEVICE constexpr T ceil_div(T x, T y) {
    return x / y + (x % y > 0);
}

template <class T>
TK_HOST_DEVICE constexpr T smaller(T x, T y) {
    return y < x ? y : x;
}
template <class T>
TK_HOST_DEVICE constexpr T larger(T x, T y) {
    return x < y ? y : x;
}
template <class T>
TK_HOST_DEVICE constexpr T magnitude(T x) {
    return x < 0 ? -x : x;
}

}  // namespace tk
