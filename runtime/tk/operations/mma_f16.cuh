// Products of f16 that accumulate in f16: mma_async of mma.cuh, for accumulators with two cells per
// register.
#pragma once

#include "../ptx/wgmma_f16.cuh"
#include "mma.cuh"

#if TK_CUDA
namespace tk {

// d (+)= a b with a and b in shared memory. Converged warpgroup. `accumulate` as in mma.cuh.
template <int M, int N, class A, class B, class Accumulate = accumulate_always>
TK_DEVICE void mma_async(fragment<f16, M, N>& d, const A& a, const B& b,
                         Accumulate accumulate = {}) {
    using instruction = ptx::wgmma_f16<N>;
    const auto left = detail::operand_a(a);
    const auto right = detail::operand_b(b);
    using left_type = decltype(detail::operand_a(a));
    using right_type = decltype(detail::operand_b(b));
    static_assert(left_type::mn == M && right_type::mn == N && left_type::k == right_type::k,
                  "d[M, N] (+)= a[M, K] b[K, N]");
    static_assert(std::is_same_v<typename left_type::type, f16> &&
                      std::is_same_v<typename right_type::type, f16>,
                  "products of f16 alone add up in f16");
    constexpr int turned_a = left_type::transposed;
    constexpr int turned_b = right_type::transposed;
    constexpr bool fresh = std::is_same_v<Accumulate, accumulate_never>;
    if constexpr (fresh) {
        ptx::wgmma_fence();
    } else {
        TK_UNROLL
        for (int block = 0; block < M / 64; ++block) instruction::fence(d.reg[block]);
    }
    TK_UNROLL
    for (int step = 0; step < left_type::k / 16; ++step) {
        TK_UNROLL
        for (int block = 0; block < M / 64; ++block) {
            const uint64_t at_a = left.at(step, 64 * block);
            const uint64_t at_b = right.at(step, 0);
            if constexpr (fresh) {
                if (step == 0)
                    instruction::template ss_fresh<turned_a, turned_b>(d.reg[block], at_a, at_b);
                else instruction::template ss<turned_a, turned_b>(d.reg[block], at_a, at_b, 1);
            } else {
                instruction::template ss<turned_a, turned_b>(
                    d.reg[block], at_a, at_b, step == 0 ? detail::adds(accumulate) : 1);
            }
        }
    }
    ptx::wgmma_commit();
}

// d (+)= a b with a in registers. a must not change until a wait that names it.
template <int M, int N, int K, class B, class Accumulate = accumulate_always>
TK_DEVICE void mma_async(fragment<f16, M, N>& d, fragment<f16, M, K>& a, const B& b,
                         Accumulate accumulate = {}) {
    using instruction = ptx::wgmma_f16<N>;
    const auto right = detail::operand_b(b);
    using right_type = decltype(detail::operand_b(b));
    static_assert(right_type::mn == N && right_type::k == K && K % 16 == 0,
                  "d[M, N] (+)= a[M, K] b[K, N]");
    static_assert(std::is_same_v<typename right_type::type, f16>,
                  "products of f16 alone add up in f16");
    constexpr int turned = right_type::transposed;
    constexpr bool fresh = std::is_same_v<Accumulate, accumulate_never>;
    detail::pin_from<0>(a);
    if constexpr (fresh) {
        ptx::wgmma_fence();
    } else {
        TK_UNROLL
        for (int block = 0; block < M / 64; ++block) instruction::fence(d.reg[block]);
    }
    TK_UNROLL
    for (int step = 0; step < K / 16; ++step) {
        TK_UNROLL
        for (int block = 0; block < M / 64; ++block) {
            const uint64_t at_b = right.at(step, 0);
            const uint32_t* at_a = a.reg[block] + 4 * step;
            if constexpr (fresh) {
                if (step == 0) instruction::template rs_fresh<turned>(d.reg[block], at_a, at_b);
                else instruction::template rs<turned>(d.reg[block], at_a, at_b, 1);
            } else {
                instruction::template rs<turned>(d.reg[block], at_a, at_b,
                                                 step == 0 ? detail::adds(accumulate) : 1);
            }
        }
    }
    ptx::wgmma_commit();
}

}  // namespace tk
#endif
