// wgmma.mma_async m64nNk16 for bf16 and f16 with f32 sums; wgmma_nNNN.cuh defines one N each
// (PTX ISA, "wgmma.mma_async").
#pragma once

#include "config.h"
#include "wgmma_lists.h"

namespace tk {
struct bf16;
struct f16;
}  // namespace tk

#if TK_CUDA
namespace tk::ptx {

// wgmma<N> is one instruction width: products from shared memory (ss) and with A in registers (rs), and
// the fences that name its accumulator. Include ptx/wgmma_nNNN.cuh to have it.
template <int N>
struct wgmma {
    static_assert(N < 0, "include tk/ptx/wgmma_nNNN.cuh for this N (8..256, a multiple of 8)");
};

template <class T>
struct wgmma_type;  // defined for the element types that an instruction exists for
template <>
struct wgmma_type<bf16> {
    static constexpr bool is_bf16 = true;
};
template <>
struct wgmma_type<f16> {
    static constexpr bool is_bf16 = false;
};

TK_DEVICE void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

// Parts of the instruction's text. x0..x6 are the numbers of the operands after the accumulator.
#define TK_WGMMA_SS(n, r, type, constraint, x0, x1, x2, x3, x4)                                       \
    asm volatile("{\n.reg .pred keep;\nsetp.ne.b32 keep, %" #x2 ", 0;\n"                              \
                 "wgmma.mma_async.sync.aligned.m64n" #n "k16.f32." type "." type                      \
                 " {" TK_WGMMA_TEXT_##r "}, %" #x0 ", %" #x1 ", keep, 1, 1, %" #x3 ", %" #x4          \
                 ";\n}"                                                                               \
                 : TK_WGMMA_REGISTERS_##r(constraint, d)                                              \
                 : "l"(a), "l"(b), "r"(accumulate), "n"(TransA), "n"(TransB)                          \
                 : "memory")

#define TK_WGMMA_RS(n, r, type, constraint, x0, x1, x2, x3, x4, x5, x6)                               \
    asm volatile("{\n.reg .pred keep;\nsetp.ne.b32 keep, %" #x5 ", 0;\n"                              \
                 "wgmma.mma_async.sync.aligned.m64n" #n "k16.f32." type "." type                      \
                 " {" TK_WGMMA_TEXT_##r "}, {%" #x0 ", %" #x1 ", %" #x2 ", %" #x3 "}, %" #x4          \
                 ", keep, 1, 1, %" #x6 ";\n}"                                                         \
                 : TK_WGMMA_REGISTERS_##r(constraint, d)                                              \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(accumulate), "n"(TransB)   \
                 : "memory")

// accumulate = 0 ignores d (d = a b); Fresh says so to the compiler too, which then keeps no old value.
#define TK_DEFINE_WGMMA(n, r, x1, x2, x3, x4, x5, x6)                                                 \
    namespace tk::ptx {                                                                               \
    template <>                                                                                       \
    struct wgmma<n> {                                                                                 \
        template <class T, int TransA, int TransB>                                                    \
        static TK_DEVICE void ss(float (&d)[r], uint64_t a, uint64_t b, int accumulate) {             \
            if constexpr (wgmma_type<T>::is_bf16)                                                     \
                TK_WGMMA_SS(n, r, "bf16", "+f", r, x1, x2, x3, x4);                                   \
            else                                                                                      \
                TK_WGMMA_SS(n, r, "f16", "+f", r, x1, x2, x3, x4);                                    \
        }                                                                                             \
        template <class T, int TransA, int TransB>                                                    \
        static TK_DEVICE void ss_fresh(float (&d)[r], uint64_t a, uint64_t b) {                       \
            const int accumulate = 0;                                                                 \
            if constexpr (wgmma_type<T>::is_bf16)                                                     \
                TK_WGMMA_SS(n, r, "bf16", "=f", r, x1, x2, x3, x4);                                   \
            else                                                                                      \
                TK_WGMMA_SS(n, r, "f16", "=f", r, x1, x2, x3, x4);                                    \
        }                                                                                             \
        template <class T, int TransB>                                                                \
        static TK_DEVICE void rs(float (&d)[r], const uint32_t* a, uint64_t b, int accumulate) {      \
            if constexpr (wgmma_type<T>::is_bf16)                                                     \
                TK_WGMMA_RS(n, r, "bf16", "+f", r, x1, x2, x3, x4, x5, x6);                           \
            else                                                                                      \
                TK_WGMMA_RS(n, r, "f16", "+f", r, x1, x2, x3, x4, x5, x6);                            \
        }                                                                                             \
        template <class T, int TransB>                                                                \
        static TK_DEVICE void rs_fresh(float (&d)[r], const uint32_t* a, uint64_t b) {                \
            const int accumulate = 0;                                                                 \
            if constexpr (wgmma_type<T>::is_bf16)                                                     \
                TK_WGMMA_RS(n, r, "bf16", "=f", r, x1, x2, x3, x4, x5, x6);                           \
            else                                                                                      \
                TK_WGMMA_RS(n, r, "f16", "=f", r, x1, x2, x3, x4, x5, x6);                            \
        }                                                                                             \
        /* Ordinary code has written d: order that before the products that read it. */               \
        static TK_DEVICE void fence(float (&d)[r]) {                                                  \
            asm volatile("wgmma.fence.sync.aligned;"                                                  \
                         : TK_WGMMA_REGISTERS_##r("+f", d)::"memory");                                \
        }                                                                                             \
        /* At most Pending groups left; d passes through, so that no use of it moves above. */        \
        template <int Pending>                                                                        \
        static TK_DEVICE void wait(float (&d)[r]) {                                                   \
            asm volatile("wgmma.wait_group.sync.aligned %" #r ";"                                     \
                         : TK_WGMMA_REGISTERS_##r("+f", d)                                            \
                         : "n"(Pending)                                                               \
                         : "memory");                                                                 \
        }                                                                                             \
    };                                                                                                \
    }

// Pins registers at this point of the instruction stream: nothing is emitted, but no use of them moves
// across, because asm volatile statements keep their order.
template <int Count>
TK_DEVICE void pin(float (&d)[Count]) {
    TK_UNROLL
    for (int i = 0; i < Count; ++i) asm volatile("" : "+f"(d[i])::"memory");
}
template <int Count>
TK_DEVICE void pin(uint32_t (&d)[Count]) {
    TK_UNROLL
    for (int i = 0; i < Count; ++i) asm volatile("" : "+r"(d[i])::"memory");
}

TK_DEVICE void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

template <int Pending>
TK_DEVICE void wgmma_wait() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
}

}  // namespace tk::ptx
#else
#define TK_DEFINE_WGMMA(n, r, x1, x2, x3, x4, x5, x6)  // nothing for a host compiler
#endif
