// wgmma.mma_async m64nNk16 of f16 with sums in f16: two neighboring columns in a register (PTX ISA,
// "wgmma.mma_async", the fragment of D of type .f16).
#pragma once

#include "wgmma.cuh"

#if TK_CUDA
// As those of wgmma_lists.h, for the numbers of registers between.
#define TK_WGMMA_TEXT_2 "%0, %1"
#define TK_WGMMA_TEXT_6 TK_WGMMA_TEXT_4 ", %4, %5"
#define TK_WGMMA_TEXT_10 TK_WGMMA_TEXT_8 ", %8, %9"
#define TK_WGMMA_TEXT_14 TK_WGMMA_TEXT_12 ", %12, %13"
#define TK_WGMMA_TEXT_18 TK_WGMMA_TEXT_16 ", %16, %17"
#define TK_WGMMA_TEXT_22 TK_WGMMA_TEXT_20 ", %20, %21"
#define TK_WGMMA_TEXT_26 TK_WGMMA_TEXT_24 ", %24, %25"
#define TK_WGMMA_TEXT_30 TK_WGMMA_TEXT_28 ", %28, %29"
#define TK_WGMMA_TEXT_34 TK_WGMMA_TEXT_32 ", %32, %33"
#define TK_WGMMA_TEXT_38 TK_WGMMA_TEXT_36 ", %36, %37"
#define TK_WGMMA_TEXT_42 TK_WGMMA_TEXT_40 ", %40, %41"
#define TK_WGMMA_TEXT_46 TK_WGMMA_TEXT_44 ", %44, %45"
#define TK_WGMMA_TEXT_50 TK_WGMMA_TEXT_48 ", %48, %49"
#define TK_WGMMA_TEXT_54 TK_WGMMA_TEXT_52 ", %52, %53"
#define TK_WGMMA_TEXT_58 TK_WGMMA_TEXT_56 ", %56, %57"
#define TK_WGMMA_TEXT_62 TK_WGMMA_TEXT_60 ", %60, %61"

#define TK_WGMMA_REGISTERS_2(c, d) c(d[0]), c(d[1])
#define TK_WGMMA_REGISTERS_6(c, d) \
    TK_WGMMA_REGISTERS_4(c, d), c(d[4]), c(d[5])
#define TK_WGMMA_REGISTERS_10(c, d) \
    TK_WGMMA_REGISTERS_8(c, d), c(d[8]), c(d[9])
#define TK_WGMMA_REGISTERS_14(c, d) \
    TK_WGMMA_REGISTERS_12(c, d), c(d[12]), c(d[13])
#define TK_WGMMA_REGISTERS_18(c, d) \
    TK_WGMMA_REGISTERS_16(c, d), c(d[16]), c(d[17])
#define TK_WGMMA_REGISTERS_22(c, d) \
    TK_WGMMA_REGISTERS_20(c, d), c(d[20]), c(d[21])
#define TK_WGMMA_REGISTERS_26(c, d) \
    TK_WGMMA_REGISTERS_24(c, d), c(d[24]), c(d[25])
#define TK_WGMMA_REGISTERS_30(c, d) \
    TK_WGMMA_REGISTERS_28(c, d), c(d[28]), c(d[29])
#define TK_WGMMA_REGISTERS_34(c, d) \
    TK_WGMMA_REGISTERS_32(c, d), c(d[32]), c(d[33])
#define TK_WGMMA_REGISTERS_38(c, d) \
    TK_WGMMA_REGISTERS_36(c, d), c(d[36]), c(d[37])
#define TK_WGMMA_REGISTERS_42(c, d) \
    TK_WGMMA_REGISTERS_40(c, d), c(d[40]), c(d[41])
#define TK_WGMMA_REGISTERS_46(c, d) \
    TK_WGMMA_REGISTERS_44(c, d), c(d[44]), c(d[45])
#define TK_WGMMA_REGISTERS_50(c, d) \
    TK_WGMMA_REGISTERS_48(c, d), c(d[48]), c(d[49])
#define TK_WGMMA_REGISTERS_54(c, d) \
    TK_WGMMA_REGISTERS_52(c, d), c(d[52]), c(d[53])
#define TK_WGMMA_REGISTERS_58(c, d) \
    TK_WGMMA_REGISTERS_56(c, d), c(d[56]), c(d[57])
#define TK_WGMMA_REGISTERS_62(c, d) \
    TK_WGMMA_REGISTERS_60(c, d), c(d[60]), c(d[61])

// x0..x6 are the numbers of the operands after the accumulator, as in wgmma.cuh.
#define TK_WGMMA_F16_SS(n, r, constraint, x0, x1, x2, x3, x4)                                         \
    asm volatile("{\n.reg .pred keep;\nsetp.ne.b32 keep, %" #x2 ", 0;\n"                              \
                 "wgmma.mma_async.sync.aligned.m64n" #n "k16.f16.f16.f16"                             \
                 " {" TK_WGMMA_TEXT_##r "}, %" #x0 ", %" #x1 ", keep, 1, 1, %" #x3 ", %" #x4          \
                 ";\n}"                                                                               \
                 : TK_WGMMA_REGISTERS_##r(constraint, d)                                              \
                 : "l"(a), "l"(b), "r"(accumulate), "n"(TransA), "n"(TransB)                          \
                 : "memory")

#define TK_WGMMA_F16_RS(n, r, constraint, x0, x1, x2, x3, x4, x5, x6)                                 \
    asm volatile("{\n.reg .pred keep;\nsetp.ne.b32 keep, %" #x5 ", 0;\n"                              \
                 "wgmma.mma_async.sync.aligned.m64n" #n "k16.f16.f16.f16"                             \
                 " {" TK_WGMMA_TEXT_##r "}, {%" #x0 ", %" #x1 ", %" #x2 ", %" #x3 "}, %" #x4          \
                 ", keep, 1, 1, %" #x6 ";\n}"                                                         \
                 : TK_WGMMA_REGISTERS_##r(constraint, d)                                              \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(accumulate), "n"(TransB)   \
                 : "memory")

#define TK_DEFINE_WGMMA_F16(n, r, x1, x2, x3, x4, x5, x6)                                             \
    template <>                                                                                       \
    struct wgmma_f16<n> {                                                                             \
        template <int TransA, int TransB>                                                             \
        static TK_DEVICE void ss(uint32_t (&d)[r], uint64_t a, uint64_t b, int accumulate) {          \
            TK_WGMMA_F16_SS(n, r, "+r", r, x1, x2, x3, x4);                                           \
        }                                                                                             \
        template <int TransA, int TransB>                                                             \
        static TK_DEVICE void ss_fresh(uint32_t (&d)[r], uint64_t a, uint64_t b) {                    \
            const int accumulate = 0;                                                                 \
            TK_WGMMA_F16_SS(n, r, "=r", r, x1, x2, x3, x4);                                           \
        }                                                                                             \
        template <int TransB>                                                                         \
        static TK_DEVICE void rs(uint32_t (&d)[r], const uint32_t* a, uint64_t b, int accumulate) {   \
            TK_WGMMA_F16_RS(n, r, "+r", r, x1, x2, x3, x4, x5, x6);                                   \
        }                                                                                             \
        template <int TransB>                                                                         \
        static TK_DEVICE void rs_fresh(uint32_t (&d)[r], const uint32_t* a, uint64_t b) {             \
            const int accumulate = 0;                                                                 \
            TK_WGMMA_F16_RS(n, r, "=r", r, x1, x2, x3, x4, x5, x6);                                   \
        }                                                                                             \
        /* As those of wgmma. */                                                                      \
        static TK_DEVICE void fence(uint32_t (&d)[r]) {                                               \
            asm volatile("wgmma.fence.sync.aligned;"                                                  \
                         : TK_WGMMA_REGISTERS_##r("+r", d)::"memory");                                \
        }                                                                                             \
    };

namespace tk::ptx {

// One width each: products from shared memory (ss) and with A in registers (rs).
template <int N>
struct wgmma_f16 {
    static_assert(N < 0, "a product has 8 to 256 columns, a multiple of 8");
};

TK_DEFINE_WGMMA_F16(8, 2, 3, 4, 5, 6, 7, 8)
TK_DEFINE_WGMMA_F16(16, 4, 5, 6, 7, 8, 9, 10)
TK_DEFINE_WGMMA_F16(24, 6, 7, 8, 9, 10, 11, 12)
TK_DEFINE_WGMMA_F16(32, 8, 9, 10, 11, 12, 13, 14)
TK_DEFINE_WGMMA_F16(40, 10, 11, 12, 13, 14, 15, 16)
TK_DEFINE_WGMMA_F16(48, 12, 13, 14, 15, 16, 17, 18)
TK_DEFINE_WGMMA_F16(56, 14, 15, 16, 17, 18, 19, 20)
TK_DEFINE_WGMMA_F16(64, 16, 17, 18, 19, 20, 21, 22)
TK_DEFINE_WGMMA_F16(72, 18, 19, 20, 21, 22, 23, 24)
TK_DEFINE_WGMMA_F16(80, 20, 21, 22, 23, 24, 25, 26)
TK_DEFINE_WGMMA_F16(88, 22, 23, 24, 25, 26, 27, 28)
TK_DEFINE_WGMMA_F16(96, 24, 25, 26, 27, 28, 29, 30)
TK_DEFINE_WGMMA_F16(104, 26, 27, 28, 29, 30, 31, 32)
TK_DEFINE_WGMMA_F16(112, 28, 29, 30, 31, 32, 33, 34)
TK_DEFINE_WGMMA_F16(120, 30, 31, 32, 33, 34, 35, 36)
TK_DEFINE_WGMMA_F16(128, 32, 33, 34, 35, 36, 37, 38)
TK_DEFINE_WGMMA_F16(136, 34, 35, 36, 37, 38, 39, 40)
TK_DEFINE_WGMMA_F16(144, 36, 37, 38, 39, 40, 41, 42)
TK_DEFINE_WGMMA_F16(152, 38, 39, 40, 41, 42, 43, 44)
TK_DEFINE_WGMMA_F16(160, 40, 41, 42, 43, 44, 45, 46)
TK_DEFINE_WGMMA_F16(168, 42, 43, 44, 45, 46, 47, 48)
TK_DEFINE_WGMMA_F16(176, 44, 45, 46, 47, 48, 49, 50)
TK_DEFINE_WGMMA_F16(184, 46, 47, 48, 49, 50, 51, 52)
TK_DEFINE_WGMMA_F16(192, 48, 49, 50, 51, 52, 53, 54)
TK_DEFINE_WGMMA_F16(200, 50, 51, 52, 53, 54, 55, 56)
TK_DEFINE_WGMMA_F16(208, 52, 53, 54, 55, 56, 57, 58)
TK_DEFINE_WGMMA_F16(216, 54, 55, 56, 57, 58, 59, 60)
TK_DEFINE_WGMMA_F16(224, 56, 57, 58, 59, 60, 61, 62)
TK_DEFINE_WGMMA_F16(232, 58, 59, 60, 61, 62, 63, 64)
TK_DEFINE_WGMMA_F16(240, 60, 61, 62, 63, 64, 65, 66)
TK_DEFINE_WGMMA_F16(248, 62, 63, 64, 65, 66, 67, 68)
TK_DEFINE_WGMMA_F16(256, 64, 65, 66, 67, 68, 69, 70)

}  // namespace tk::ptx

#undef TK_WGMMA_F16_SS
#undef TK_WGMMA_F16_RS
#undef TK_DEFINE_WGMMA_F16
#endif
