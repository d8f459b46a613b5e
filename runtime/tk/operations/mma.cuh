// Products on the tensor cores: one call is one product and one commit group of the calling
// warpgroup.
#pragma once

#include "../ptx/pin_waits.cuh"
#include "../ptx/wgmma.cuh"
#include "../tile/descriptor.h"
#include "../tile/shared_tile.cuh"
#include "../tile/tile.cuh"

#if TK_CUDA
namespace tk {

// What the first step does with the old accumulator: always add, ignore it, or test a run-time
// flag.
struct accumulate_always {};
struct accumulate_never {};

namespace detail {

// How many elements of K one instruction multiplies: 32 bytes.
template <class T>
inline constexpr int depth = 32 / static_cast<int>(sizeof(T));

// The order of an operand. A tile [M, K] is K-major as A, its transposed view MN-major; a tile [K,
// N] is MN-major as B, its transposed view K-major.
template <class View, operand_order Order>
struct operand {
    using type = typename View::type;
    static constexpr operand_order order = Order;
    static constexpr int mn = Order == operand_order::k_major ? View::rows : View::cols;
    static constexpr int k = Order == operand_order::k_major ? View::cols : View::rows;
    static constexpr int transposed = Order == operand_order::mn_major;
    static_assert(sizeof(type) == 2 || Order == operand_order::k_major,
                  "products take 16 bits, and 8 bits and tf32 that lie along K");
    static_assert(View::span != 0, "an operand has a multiple of 8 rows and rows of 16 k bytes");
    static_assert(k % depth<type> == 0, "a product's K is a multiple of 32 bytes");

    uint32_t low;

    // The descriptor of K step `step` and the 64-row block (A) at `first`.
    TK_DEVICE uint64_t at(int step, int first) const {
        const uint32_t moved =
            low + static_cast<uint32_t>(
                      descriptor_advance(Order, View::span, View::lines, step, first) >> 4);
        return static_cast<uint64_t>(descriptor_high(Order, View::span, View::lines)) << 32 | moved;
    }
};

// One that begins within a panel, with lines that run along K: its steps are those of the tile,
// from a later one on.
template <class Whole, int Rows, int Cols, int Unit>
struct operand<inner_view<Whole, Rows, Cols, Unit>, operand_order::k_major> {
    using type = typename Whole::type;
    static constexpr int mn = Rows;
    static constexpr int k = Cols;
    static constexpr int transposed = 0;
    static_assert(Unit == 16 && k % depth<type> == 0, "a product's K is a multiple of 32 bytes");

    operand<Whole, operand_order::k_major> whole;
    int row;
    int step;

    TK_DEVICE uint64_t at(int further, int first) const {
        return whole.at(step + further, row + first);
    }
};

template <operand_order Order, class View>
TK_DEVICE auto operand_of(View window) {
    return operand<View, Order>{descriptor_low(Order, View::span, View::lines, window.address)};
}
template <operand_order Order, class Whole, int Rows, int Cols, int Unit>
TK_DEVICE auto operand_of(inner_view<Whole, Rows, Cols, Unit> window) {
    static_assert(Order == operand_order::k_major, "lines of M or N begin with a panel of it");
    return operand<inner_view<Whole, Rows, Cols, Unit>, Order>{
        operand_of<Order>(window.whole), window.row, window.col / depth<typename Whole::type>};
}

template <class Tile>
TK_DEVICE auto operand_a(const Tile& tile) {
    return operand_of<operand_order::k_major>(view(tile));
}
template <class View>
TK_DEVICE auto operand_a(const transposed_view<View>& tile) {
    return operand_of<operand_order::mn_major>(tile.view);
}
template <class Tile>
TK_DEVICE auto operand_b(const Tile& tile) {
    return operand_of<operand_order::mn_major>(view(tile));
}
template <class View>
TK_DEVICE auto operand_b(const transposed_view<View>& tile) {
    return operand_of<operand_order::k_major>(tile.view);
}

TK_DEVICE int adds(accumulate_always) { return 1; }
TK_DEVICE int adds(bool accumulate) { return accumulate; }

// One instruction: d (+)= a b, or d = a b if `Fresh`.
template <bool Fresh, class Left, class Right, int N, class Sum, int Count>
TK_DEVICE void multiply(Sum (&d)[Count], uint64_t a, uint64_t b, int accumulate) {
    using type = typename Left::type;
    using instruction = ptx::wgmma<N>;
    if constexpr (sizeof(type) == 4) {
        // The last 13 bits of floats are truncated.
        static_assert(lies_as<tf32, type> && lies_as<tf32, typename Right::type>);
        if constexpr (Fresh) instruction::tf32_fresh(d, a, b);
        else instruction::tf32(d, a, b, accumulate);
    } else if constexpr (sizeof(type) == 1) {
        using right_type = typename Right::type;
        if constexpr (Fresh) instruction::template bytes_fresh<type, right_type>(d, a, b);
        else instruction::template bytes<type, right_type>(d, a, b, accumulate);
    } else {
        static_assert(std::is_same_v<type, typename Right::type>, "both operands have one type");
        constexpr int left = Left::transposed;
        constexpr int right = Right::transposed;
        if constexpr (Fresh) instruction::template ss_fresh<type, left, right>(d, a, b);
        else instruction::template ss<type, left, right>(d, a, b, accumulate);
    }
}

template <class T, int M, int N>
TK_DEVICE void fence_all(fragment<T, M, N>& d) {
    TK_UNROLL
    for (int block = 0; block < M / 64; ++block) ptx::wgmma<N>::fence(d.reg[block]);
}

template <int First, class T, int M, int N>
TK_DEVICE void pin_from(fragment<T, M, N>& d) {
    TK_UNROLL
    for (int block = First; block < M / 64; ++block) ptx::pin(d.reg[block]);
}

}  // namespace detail

// A copy that ptxas treats as another value. If the products of a loop read an operand in every
// iteration, ptxas (CUDA 13.0) assigns it the registers of another operand that is computed in the
// loop, unless it has to keep the two apart.
template <class T, int M, int N>
TK_DEVICE fragment<T, M, N> renewed(const fragment<T, M, N>& a) {
    uint32_t all;  // lanes: the warp has converged, but the compilers do not know, nor move it
    asm volatile("activemask.b32 %0;" : "=r"(all));
    fragment<T, M, N> copy;
    TK_UNROLL
    for (int block = 0; block < M / 64; ++block) {
        TK_UNROLL
        for (int i = 0; i < N / 4; ++i) copy.reg[block][i] = a.reg[block][i] ^ ~all;
    }
    return copy;
}

// d (+)= a b with a and b in shared memory. Converged warpgroup. `accumulate`: nothing or true
// adds; a run-time bool chooses; accumulate_never starts from zero and reads no old value of d.
template <class Sum, int M, int N, class A, class B, class Accumulate = accumulate_always>
TK_DEVICE void mma_async(fragment<Sum, M, N>& d, const A& a, const B& b,
                         Accumulate accumulate = {}) {
    const auto left = detail::operand_a(a);
    const auto right = detail::operand_b(b);
    using left_type = decltype(detail::operand_a(a));
    using right_type = decltype(detail::operand_b(b));
    static_assert(left_type::mn == M && right_type::mn == N && left_type::k == right_type::k,
                  "d[M, N] (+)= a[M, K] b[K, N]");
    constexpr bool fresh = std::is_same_v<Accumulate, accumulate_never>;
    if constexpr (fresh) ptx::wgmma_fence();
    else detail::fence_all(d);
    TK_UNROLL
    for (int step = 0; step < left_type::k / detail::depth<typename left_type::type>; ++step) {
        TK_UNROLL
        for (int block = 0; block < M / 64; ++block) {
            const uint64_t at_a = left.at(step, 64 * block);
            const uint64_t at_b = right.at(step, 0);
            if constexpr (fresh) {
                if (step == 0)
                    detail::multiply<true, left_type, right_type, N>(d.reg[block], at_a, at_b, 0);
                else detail::multiply<false, left_type, right_type, N>(d.reg[block], at_a, at_b, 1);
            } else {
                detail::multiply<false, left_type, right_type, N>(
                    d.reg[block], at_a, at_b, step == 0 ? detail::adds(accumulate) : 1);
            }
        }
    }
    ptx::wgmma_commit();
}

// d (+)= a b with a in registers. a must not change until a wait that names it.
template <int M, int N, int K, class T, class B, class Accumulate = accumulate_always>
TK_DEVICE void mma_async(fragment<float, M, N>& d, fragment<T, M, K>& a, const B& b,
                         Accumulate accumulate = {}) {
    const auto right = detail::operand_b(b);
    using right_type = decltype(detail::operand_b(b));
    static_assert(right_type::mn == N && right_type::k == K && K % 16 == 0,
                  "d[M, N] (+)= a[M, K] b[K, N]");
    static_assert(std::is_same_v<T, typename right_type::type>, "both operands have one type");
    constexpr bool fresh = std::is_same_v<Accumulate, accumulate_never>;
    detail::pin_from<0>(a);
    if constexpr (fresh) ptx::wgmma_fence();
    else detail::fence_all(d);
    TK_UNROLL
    for (int step = 0; step < K / 16; ++step) {
        TK_UNROLL
        for (int block = 0; block < M / 64; ++block) {
            const uint64_t at_b = right.at(step, 0);
            const uint32_t* at_a = a.reg[block] + 4 * step;
            if constexpr (fresh) {
                if (step == 0)
                    ptx::wgmma<N>::template rs_fresh<T, right_type::transposed>(d.reg[block], at_a,
                                                                                at_b);
                else
                    ptx::wgmma<N>::template rs<T, right_type::transposed>(d.reg[block], at_a, at_b,
                                                                          1);
            } else {
                ptx::wgmma<N>::template rs<T, right_type::transposed>(
                    d.reg[block], at_a, at_b, step == 0 ? detail::adds(accumulate) : 1);
            }
        }
    }
    ptx::wgmma_commit();
}

// Waits until at most Pending products of this warpgroup are unfinished. Names every fragment,
// result or register operand, of the finished products: their values may then be accessed. The
// accumulator of a product that stays pending may be named too (in a chain), if only products
// access it.
template <int Pending, class T, int M, int N, class... More>
TK_DEVICE void mma_wait(fragment<T, M, N>& first, More&... more) {
    if constexpr (sizeof(T) == 4) {
        ptx::wgmma<N>::template wait<Pending>(first.reg[0]);
        detail::pin_from<1>(first);
    } else {
        ptx::wgmma_wait<Pending>();
        detail::pin_from<0>(first);
    }
    (detail::pin_from<0>(more), ...);
}

}  // namespace tk
#endif
