// mma.sync: products of one warp, whose operands and results lie in its registers (PTX ISA, "matrix
// multiply-accumulate operation using mma instruction").
#pragma once

#include <type_traits>

#include "../tile/dtypes.cuh"
#include "config.h"

#if TK_CUDA
namespace tk::ptx {

// f32 rounded to the numbers that products take as tf32: to nearest, ties away from zero.
TK_DEVICE uint32_t to_tf32(float x) { return tf32(x).bits; }

#define TK_MMA(shape, d_type, a_type, b_type, constraint)                                        \
    asm("mma.sync.aligned." shape ".row.col." d_type "." a_type "." b_type "." d_type            \
        " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                       \
        : "+" constraint(d[0]), "+" constraint(d[1]), "+" constraint(d[2]), "+" constraint(d[3]) \
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))

// d += a b of [16, k] x [k, 8], where k numbers of A are 32 bytes. Lane 4 g + q holds of d the rows
// g and g + 8 at columns 2 q and 2 q + 1. Of a it holds those rows, 4 bytes at byte 4 q of the row
// to a register, and then 4 at byte 16 + 4 q; of b the same bytes of column g, as if it were a row
// (PTX ISA, "matrix fragments for mma.m16n8k16", .. "k8", .. "k32"). Operands of float are tf32.
template <class A, class B>
TK_DEVICE void mma_m16n8(float* d, const uint32_t* a, const uint32_t* b) {
    static_assert(std::is_same_v<A, B>, "both operands have one type");
    if constexpr (std::is_same_v<A, bf16>) TK_MMA("m16n8k16", "f32", "bf16", "bf16", "f");
    else if constexpr (std::is_same_v<A, f16>) TK_MMA("m16n8k16", "f32", "f16", "f16", "f");
    else {
        static_assert(std::is_same_v<A, float>);
        TK_MMA("m16n8k8", "f32", "tf32", "tf32", "f");
    }
}

// Sums of 8-bit integers wrap.
template <class A, class B>
TK_DEVICE void mma_m16n8(int32_t* d, const uint32_t* a, const uint32_t* b) {
    static_assert(sizeof(A) == 1 && std::is_integral_v<A> && sizeof(B) == 1 &&
                  std::is_integral_v<B>);
    constexpr bool signed_b = std::is_signed_v<B>;
    if constexpr (std::is_signed_v<A> && signed_b) TK_MMA("m16n8k32", "s32", "s8", "s8", "r");
    else if constexpr (std::is_signed_v<A>) TK_MMA("m16n8k32", "s32", "s8", "u8", "r");
    else if constexpr (signed_b) TK_MMA("m16n8k32", "s32", "u8", "s8", "r");
    else TK_MMA("m16n8k32", "s32", "u8", "u8", "r");
}
#undef TK_MMA

// Sums of f16 in f16: a register has two neighboring columns, the first those of row g and the
// second those of row g + 8.
template <class A, class B>
TK_DEVICE void mma_m16n8(uint32_t* d, const uint32_t* a, const uint32_t* b) {
    static_assert(std::is_same_v<A, f16> && std::is_same_v<B, f16>);
    asm("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, "
        "{%0, %1};"
        : "+r"(d[0]), "+r"(d[1])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

}  // namespace tk::ptx
#endif
