// Sums in global memory: cells are added to memory, in any order and without waiting (PTX ISA,
// "red").
#pragma once

#include "global.cuh"

#if TK_CUDA
namespace tk {
namespace detail {

// An L2 cache policy of the slice applies to every request (`.level::cache_hint`).
struct add {
    template <class Target>
    TK_DEVICE static void cell(const Target& dst, float* to, float x) {
        if constexpr (is_hinted<Target>)
            asm volatile("red.relaxed.gpu.global.add.L2::cache_hint.f32 [%0], %1, %2;" ::"l"(to),
                         "f"(x), "l"(dst.policy.bits)
                         : "memory");
        else asm volatile("red.relaxed.gpu.global.add.f32 [%0], %1;" ::"l"(to), "f"(x) : "memory");
    }
    template <class Target>
    TK_DEVICE static void cell(const Target& dst, int* to, int x) {
        if constexpr (is_hinted<Target>)
            asm volatile("red.relaxed.gpu.global.add.L2::cache_hint.s32 [%0], %1, %2;" ::"l"(to),
                         "r"(x), "l"(dst.policy.bits)
                         : "memory");
        else asm volatile("red.relaxed.gpu.global.add.s32 [%0], %1;" ::"l"(to), "r"(x) : "memory");
    }
    // Neighbors at a multiple of their size: f32 in one request, from PTX ISA 8.1 and sm_90 on.
    template <class Target>
    TK_DEVICE static void two(const Target& dst, float* to, float x, float y) {
#if __CUDA_ARCH__ >= 900
        if constexpr (is_hinted<Target>)
            asm volatile(
                "red.relaxed.gpu.global.add.L2::cache_hint.v2.f32 [%0], {%1, %2}, %3;" ::"l"(to),
                "f"(x), "f"(y), "l"(dst.policy.bits)
                : "memory");
        else
            asm volatile("red.relaxed.gpu.global.add.v2.f32 [%0], {%1, %2};" ::"l"(to), "f"(x),
                         "f"(y)
                         : "memory");
#else
        cell(dst, to, x);
        cell(dst, to + 1, y);
#endif
    }
    template <class Target>
    TK_DEVICE static void two(const Target& dst, int* to, int x, int y) {
        cell(dst, to, x);
        cell(dst, to + 1, y);
    }
    template <class Target>
    TK_DEVICE static void four(const Target& dst, float* to, const float (&x)[4]) {
#if __CUDA_ARCH__ >= 900
        if constexpr (is_hinted<Target>)
            asm volatile(
                "red.relaxed.gpu.global.add.L2::cache_hint.v4.f32 [%0], {%1, %2, %3, %4}, %5;" ::
                    "l"(to),
                "f"(x[0]), "f"(x[1]), "f"(x[2]), "f"(x[3]), "l"(dst.policy.bits)
                : "memory");
        else
            asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to),
                         "f"(x[0]), "f"(x[1]), "f"(x[2]), "f"(x[3])
                         : "memory");
#else
        two(dst, to, x[0], x[1]);
        two(dst, to + 2, x[2], x[3]);
#endif
    }
    template <class T, class Target, class Unit>
    TK_DEVICE static void unit(const Target& dst, Unit* to, const Unit& words) {
        constexpr int count = static_cast<int>(sizeof(Unit) / sizeof(T));
        static_assert(count == 1 || count == 2 || count == 4);
        T cells[static_cast<size_t>(count)];
        memcpy(cells, &words, sizeof(cells));
        T* const first = reinterpret_cast<T*>(to);
        if constexpr (count == 4 && std::is_same_v<T, float>) {
            four(dst, first, cells);
        } else {
            TK_UNROLL
            for (int i = 0; i < count; ++i) cell(dst, first + i, cells[i]);
        }
    }
};

}  // namespace detail

// slice += source where the slice has elements; f32 and i32. Several additions to one element
// happen in any order, so the last bits of f32 sums vary.
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

// slice += a shared tile, by `threads` threads: one warpgroup, if not said.
template <class Target, class Tile>
TK_DEVICE void add_to_global(const Target& dst, const Tile& tile, int thread = warpgroup_thread(),
                             int threads = 128) {
    detail::for_shared_cells(dst, tile, thread, threads,
                             [&](int row, int col, typename Target::type cell) {
                                 detail::add::cell(dst, dst.at(row, col), cell);
                             });
}

}  // namespace tk
#endif
