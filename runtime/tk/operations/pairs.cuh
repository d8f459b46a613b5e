// Two neighboring 16-bit cells at once, which share a register: small integers from bytes, sums and
// products.
#pragma once

#include "../tile/tile.cuh"

#if TK_CUDA
namespace tk {

namespace detail {

// 128 and 1024, whose last bits count from 0; 1, -1 and -0, twice.
template <class T>
struct pair_constants;
template <>
struct pair_constants<bf16> {
    static constexpr uint32_t base = 0x43004300, one = 0x3f803f80, minus_one = 0xbf80bf80;
};
template <>
struct pair_constants<f16> {
    static constexpr uint32_t base = 0x64006400, one = 0x3c003c00, minus_one = 0xbc00bc00;
};

// x y + z, rounded once. All operations on pairs use this instruction: ptxas builds the others from
// it anyway, and compute capability 8.0 does not have them.
template <class T>
TK_DEVICE uint32_t fma_pairs(uint32_t x, uint32_t y, uint32_t z) {
    uint32_t result;
    if constexpr (std::is_same_v<T, bf16>)
        asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(result) : "r"(x), "r"(y), "r"(z));
    else asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(result) : "r"(x), "r"(y), "r"(z));
    return result;
}

// What the cells c and c + 1 of a tile of T in layout Of meet: bytes lie in the low halves of 16
// bits each.
template <class T, class Of, class Layout>
TK_DEVICE uint32_t pair_of(const tile<uint8_t, Layout>& source, int c) {
    static_assert(std::is_same_v<Of, Layout> && tile<uint8_t, Layout>::bytes_in_twos);
    return __byte_perm(source.reg[c / Layout::width][c % Layout::width / 2], 0, 0x4140);
}
template <class T, class Of, class Source, class Layout>
TK_DEVICE uint32_t pair_of(const tile<Source, Layout>& source, int c) {
    if constexpr (std::is_same_v<Of, Layout>) {
        return source.reg[c / Layout::width][c % Layout::width / 2];
    } else {
        const auto value = cell_of<Of>(source, c);
        return pack<T>(value, value);
    }
}

}  // namespace detail

// (byte >> Shift) & Mask of two bytes in 16 bits each, as numbers from T's base on.
template <class T, int Shift, int Mask>
TK_DEVICE uint32_t number_pair(uint32_t bytes) {
    static_assert(Mask < (std::is_same_v<T, bf16> ? 128 : 1024), "the last bits of the base");
    uint32_t pair;  // (x & y) | z, which nvcc makes two instructions where y and z are constants
    asm("lop3.b32 %0, %1, %2, %3, 0xea;"
        : "=r"(pair)
        : "r"(bytes >> Shift), "r"(Mask * 0x10001u), "r"(detail::pair_constants<T>::base));
    return pair;
}

template <class T>
TK_DEVICE uint32_t add_pairs(uint32_t x, uint32_t y) {
    return detail::fma_pairs<T>(x, detail::pair_constants<T>::one, y);
}
template <class T>
TK_DEVICE uint32_t subtract_pairs(uint32_t x, uint32_t y) {
    return detail::fma_pairs<T>(y, detail::pair_constants<T>::minus_one, x);
}
template <class T>
TK_DEVICE uint32_t multiply_pairs(uint32_t x, uint32_t y) {
    return detail::fma_pairs<T>(x, y, 0x80008000);
}

// x + Number, an integer that T holds.
template <class T, int Number>
TK_DEVICE uint32_t add_to_pair(uint32_t x) {
    const float number = Number;
    return add_pairs<T>(x, pack<T>(number, number));
}

// dst[row, col] = fn(source values...) for two neighboring columns at once. Sources: tiles of
// dst's layout, of T or bytes, and columns (their row's value, twice).
template <class T, class Layout, class Fn, class... Sources>
TK_DEVICE void map_pairs(tile<T, Layout>& dst, Fn fn, const Sources&... sources) {
    static_assert(sizeof(T) == 2 && tile<T, Layout>::per == 2, "two cells share a register");
    TK_UNROLL
    for (int block = 0; block < Layout::blocks; ++block) {
        TK_UNROLL
        for (int i = 0; i < Layout::width; i += 2) {
            dst.reg[block][i / 2] =
                fn(detail::pair_of<T, Layout>(sources, block * Layout::width + i)...);
        }
    }
}

}  // namespace tk
#endif
