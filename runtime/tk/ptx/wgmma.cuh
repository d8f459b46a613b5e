// wgmma.mma_async m64nNk16 for bf16 and f16, m64nNk8 for tf32 and m64nNk32 for fp8 with f32 sums,
// m64nNk32 for 8-bit integers with i32 sums; wgmma_nNNN.cuh defines one N each (PTX ISA,
// "wgmma.mma_async").
#pragma once

#include "config.h"
#include "wgmma_lists.h"

namespace tk {
struct bf16;
struct f16;
struct fp8_e4m3;
struct fp8_e5m2;
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

// The two 8-bit types of a kind that operands have, each its own: e4m3 and e5m2, or s8 and u8.
template <class T>
struct wgmma_byte;
template <>
struct wgmma_byte<fp8_e4m3> {
    static constexpr bool is_other = false;
};
template <>
struct wgmma_byte<fp8_e5m2> {
    static constexpr bool is_other = true;
};
template <>
struct wgmma_byte<int8_t> {
    static constexpr bool is_other = false;
};
template <>
struct wgmma_byte<uint8_t> {
    static constexpr bool is_other = true;
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

// Of operands that both lie along K: of tf32, or of 8 bits. `types`: how many numbers of K, those of
// the sums, of A and of B; `scales`: those of A and B, which reals have.
#define TK_WGMMA_ALONG_K(n, r, types, scales, constraint, x0, x1, x2)                                 \
    asm volatile("{\n.reg .pred keep;\nsetp.ne.b32 keep, %" #x2 ", 0;\n"                              \
                 "wgmma.mma_async.sync.aligned.m64n" #n types " {" TK_WGMMA_TEXT_##r "}, %" #x0       \
                 ", %" #x1 ", keep" scales ";\n}"                                                     \
                 : TK_WGMMA_REGISTERS_##r(constraint, d)                                              \
                 : "l"(a), "l"(b), "r"(accumulate)                                                    \
                 : "memory")

// By the types of A and B.
#define TK_WGMMA_BYTES_OF(n, r, sums, one, other, scales, constraint, x0, x1, x2)                     \
    do {                                                                                              \
        if constexpr (!wgmma_byte<A>::is_other && !wgmma_byte<B>::is_other)                           \
            TK_WGMMA_ALONG_K(n, r, "k32." sums one one, scales, constraint, x0, x1, x2);                       \
        else if constexpr (!wgmma_byte<A>::is_other)                                                  \
            TK_WGMMA_ALONG_K(n, r, "k32." sums one other, scales, constraint, x0, x1, x2);                     \
        else if constexpr (!wgmma_byte<B>::is_other)                                                  \
            TK_WGMMA_ALONG_K(n, r, "k32." sums other one, scales, constraint, x0, x1, x2);                     \
        else TK_WGMMA_ALONG_K(n, r, "k32." sums other other, scales, constraint, x0, x1, x2);                  \
    } while (false)

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
        template <class A, class B>                                                                   \
        static TK_DEVICE void bytes(float (&d)[r], uint64_t a, uint64_t b, int accumulate) {          \
            TK_WGMMA_BYTES_OF(n, r, "f32", ".e4m3", ".e5m2", ", 1, 1", "+f", r, x1, x2);              \
        }                                                                                             \
        template <class A, class B>                                                                   \
        static TK_DEVICE void bytes_fresh(float (&d)[r], uint64_t a, uint64_t b) {                    \
            const int accumulate = 0;                                                                 \
            TK_WGMMA_BYTES_OF(n, r, "f32", ".e4m3", ".e5m2", ", 1, 1", "=f", r, x1, x2);              \
        }                                                                                             \
        template <class A, class B>                                                                   \
        static TK_DEVICE void bytes(int (&d)[r], uint64_t a, uint64_t b, int accumulate) {            \
            TK_WGMMA_BYTES_OF(n, r, "s32", ".s8", ".u8", "", "+r", r, x1, x2);                        \
        }                                                                                             \
        template <class A, class B>                                                                   \
        static TK_DEVICE void bytes_fresh(int (&d)[r], uint64_t a, uint64_t b) {                      \
            const int accumulate = 0;                                                                 \
            TK_WGMMA_BYTES_OF(n, r, "s32", ".s8", ".u8", "", "=r", r, x1, x2);                        \
        }                                                                                             \
        static TK_DEVICE void tf32(float (&d)[r], uint64_t a, uint64_t b, int accumulate) {            \
            TK_WGMMA_ALONG_K(n, r, "k8.f32.tf32.tf32", ", 1, 1", "+f", r, x1, x2);                    \
        }                                                                                             \
        static TK_DEVICE void tf32_fresh(float (&d)[r], uint64_t a, uint64_t b) {                     \
            const int accumulate = 0;                                                                 \
            TK_WGMMA_ALONG_K(n, r, "k8.f32.tf32.tf32", ", 1, 1", "=f", r, x1, x2);                    \
        }                                                                                             \
        /* Ordinary code has written d: order that before the products that read it. */               \
        static TK_DEVICE void fence(float (&d)[r]) {                                                  \
            asm volatile("wgmma.fence.sync.aligned;"                                                  \
                         : TK_WGMMA_REGISTERS_##r("+f", d)::"memory");                                \
        }                                                                                             \
        static TK_DEVICE void fence(int (&d)[r]) {                                                    \
            asm volatile("wgmma.fence.sync.aligned;"                                                  \
                         : TK_WGMMA_REGISTERS_##r("+r", d)::"memory");                                \
        }                                                                                             \
        /* At most Pending groups left; d passes through, so that no use of it moves above. */        \
        template <int Pending>                                                                        \
        static TK_DEVICE void wait(float (&d)[r]) {                                                   \
            asm volatile("wgmma.wait_group.sync.aligned %" #r ";"                                     \
                         : TK_WGMMA_REGISTERS_##r("+f", d)                                            \
                         : "n"(Pending)                                                               \
                         : "memory");                                                                 \
        }                                                                                             \
        template <int Pending>                                                                        \
        static TK_DEVICE void wait(int (&d)[r]) {                                                     \
            asm volatile("wgmma.wait_group.sync.aligned %" #r ";"                                     \
                         : TK_WGMMA_REGISTERS_##r("+r", d)                                            \
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
TK_DEVICE void pin(int (&d)[Count]) {
    TK_UNROLL
    for (int i = 0; i < Count; ++i) asm volatile("" : "+r"(d[i])::"memory");
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
