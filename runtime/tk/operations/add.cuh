// Sums in global memory: cells are added to what is there, in no fixed order and without waiting
// (PTX ISA, "red").
#pragma once

#include "global.cuh"

#if TK_CUDA
namespace tk {
namespace detail {

struct add {
    TK_DEVICE static void cell(float* to, float x) {
        asm volatile("red.relaxed.gpu.global.add.f32 [%0], %1;" ::"l"(to), "f"(x) : "memory");
    }
    TK_DEVICE static void cell(int* to, int x) {
        asm volatile("red.relaxed.gpu.global.add.s32 [%0], %1;" ::"l"(to), "r"(x) : "memory");
    }
    // Neighbours at a multiple of their size: f32 in one request, from PTX ISA 8.1 and sm_90 on.
    TK_DEVICE static void two(float* to, float x, float y) {
#if __CUDA_ARCH__ >= 900
        asm volatile("red.relaxed.gpu.global.add.v2.f32 [%0], {%1, %2};" ::"l"(to), "f"(x), "f"(y)
                     : "memory");
#else
        cell(to, x);
        cell(to + 1, y);
#endif
    }
    TK_DEVICE static void two(int* to, int x, int y) {
        cell(to, x);
        cell(to + 1, y);
    }
    template <class T, class Unit>
    TK_DEVICE static void unit(Unit* to, const Unit& words) {
        constexpr int count = static_cast<int>(sizeof(Unit) / sizeof(T));
        static_assert(count == 1 || count == 2 || count == 4);
        T cells[static_cast<size_t>(count)];
        memcpy(cells, &words, sizeof(cells));
        T* const first = reinterpret_cast<T*>(to);
        if constexpr (count == 4 && std::is_same_v<T, float>) {
#if __CUDA_ARCH__ >= 900
            asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(first),
                         "f"(cells[0]), "f"(cells[1]), "f"(cells[2]), "f"(cells[3])
                         : "memory");
#else
            two(first, cells[0], cells[1]);
            two(first + 2, cells[2], cells[3]);
#endif
        } else {
            TK_UNROLL
            for (int i = 0; i < count; ++i) cell(first + i, cells[i]);
        }
    }
};

}  // namespace detail

// slice += source where the slice has elements; of f32 and i32. Which of several sums to an element
// comes first is open, so that the last bits of sums of f32 are, too.
template <class Target, class T, class Layout>
TK_DEVICE void add_vectors(const Target& dst, const tile<T, Layout>& source, int thread) {
    detail::store<true, detail::add>(dst, source, thread);
}
template <class Target, class T, class Layout>
TK_DEVICE void add_global(const Target& dst, const tile<T, Layout>& source, int thread) {
    detail::store<false, detail::add>(dst, source, thread);
}
// One or the other, in kernels that are instances of one template.
template <bool Vectors, class Target, class T, class Layout>
TK_DEVICE void add_slice(const Target& dst, const tile<T, Layout>& source, int thread) {
    detail::store<Vectors, detail::add>(dst, source, thread);
}

}  // namespace tk
#endif
