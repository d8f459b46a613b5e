// Products of the warps of a role, each of which multiplies its own rows and columns of the result
// by mma.sync: they are over when the call returns.
#pragma once

#include "../ptx/matrix.cuh"
#include "../ptx/mma.cuh"
#include "../tile/shared_tile.cuh"
#include "../tile/tile.cuh"
#include "mma.cuh"

#if TK_CUDA
namespace tk {
namespace detail {

// What a warp multiplies at once: 16 of the extent that both operands share.
inline constexpr int product_depth = 16;

// Operand A in shared memory, [M, K] or the transposed view of [K, M].
template <class View>
struct shared_a {
    using type = typename View::type;
    static constexpr int rows = View::rows;
    static constexpr int depth = View::cols;
    View view;

    // Rows `row` to row + 15 at step `step` of the shared extent.
    TK_DEVICE void load(uint32_t (&reg)[4], int row, int, int step, int lane) const {
        ptx::ldmatrix_x4(view.address + view_offset<View>(row + (lane & 15),
                                                          product_depth * step + 8 * (lane >> 4)),
                         reg[0], reg[1], reg[2], reg[3]);
    }
};
template <class View>
struct shared_a<transposed_view<View>> {
    using type = typename View::type;
    static constexpr int rows = View::cols;
    static constexpr int depth = View::rows;
    View view;

    TK_DEVICE void load(uint32_t (&reg)[4], int row, int, int step, int lane) const {
        ptx::ldmatrix_x4_transposed(
            view.address + view_offset<View>(product_depth * step + (lane & 7) + 8 * (lane >> 4),
                                             row + (lane & 8)),
            reg[0], reg[1], reg[2], reg[3]);
    }
};
// In registers: a tile whose rows lie as the result's, and whose columns every warp has.
template <class T, class Layout>
struct register_a {
    using type = T;
    static constexpr int rows = Layout::rows;
    static constexpr int depth = Layout::cols;
    static_assert(is_fragment<Layout> && Layout::row_warps == 1 && sizeof(T) == 2);
    const tile<T, Layout>& from;

    TK_DEVICE void load(uint32_t (&reg)[4], int, int block, int step, int) const {
        TK_UNROLL
        for (int i = 0; i < 4; ++i) reg[i] = from.reg[block][4 * step + i];
    }
};

template <class T, class Layout>
TK_DEVICE auto sync_operand_a(const tile<T, Layout>& a) {
    return register_a<T, Layout>{a};
}
template <class View>
TK_DEVICE auto sync_operand_a(const transposed_view<View>& a) {
    return shared_a<transposed_view<View>>{a.view};
}
template <class Tile>
TK_DEVICE auto sync_operand_a(const Tile& a) {
    return shared_a<decltype(view(a))>{view(a)};
}

// Operand B in shared memory, [K, N] or the transposed view of [N, K]: the registers of 16 or 8
// columns from `col` on.
template <class View>
struct shared_b {
    using type = typename View::type;
    static constexpr int depth = View::rows;
    static constexpr int cols = View::cols;
    View view;

    template <int Columns>
    TK_DEVICE void load(uint32_t* reg, int col, int step, int lane) const {
        const int row = product_depth * step + (lane & 15);
        if constexpr (Columns == 16)
            ptx::ldmatrix_x4_transposed(
                view.address + view_offset<View>(row, col + 8 * (lane >> 4)), reg[0], reg[1],
                reg[2], reg[3]);
        else
            ptx::ldmatrix_x2_transposed(view.address + view_offset<View>(row, col), reg[0], reg[1]);
    }
};
template <class View>
struct shared_b<transposed_view<View>> {
    using type = typename View::type;
    static constexpr int depth = View::cols;
    static constexpr int cols = View::rows;
    View view;

    template <int Columns>
    TK_DEVICE void load(uint32_t* reg, int col, int step, int lane) const {
        const int depth_at = product_depth * step + (lane & 8);
        if constexpr (Columns == 16)
            ptx::ldmatrix_x4(
                view.address + view_offset<View>(col + (lane & 7) + 8 * (lane >> 4), depth_at),
                reg[0], reg[1], reg[2], reg[3]);
        else
            ptx::ldmatrix_x2(view.address + view_offset<View>(col + (lane & 7), depth_at), reg[0],
                             reg[1]);
    }
};

template <class View>
TK_DEVICE auto sync_operand_b(const transposed_view<View>& b) {
    return shared_b<transposed_view<View>>{b.view};
}
template <class Tile>
TK_DEVICE auto sync_operand_b(const Tile& b) {
    return shared_b<decltype(view(b))>{view(b)};
}

// d += a b. The operands of the next part of the columns, or of the next step, are on their way
// while those of this one are multiplied.
template <class Layout, class A, class B>
TK_DEVICE void multiply(tile<float, Layout>& d, const A& a, const B& b, int thread) {
    using type = typename A::type;
    static_assert(std::is_same_v<type, typename B::type>, "both operands have one type");
    static_assert(A::rows == Layout::rows && B::cols == Layout::cols && A::depth == B::depth,
                  "d[M, N] (+)= a[M, K] b[K, N]");
    static_assert(A::depth % product_depth == 0, "a product's K is a multiple of 16");
    static_assert(is_fragment<Layout> && Layout::whole_rows && Layout::whole_cols,
                  "warps multiply 16 m rows by 8 n columns each");
    constexpr int steps = A::depth / product_depth;
    constexpr int blocks = Layout::blocks;
    constexpr int cols = Layout::thread_cols / 2 * 8;  // of a warp
    constexpr int part = cols < 64 ? cols : 64;        // whose operands are held at once
    constexpr int parts = (cols + part - 1) / part;
    const int lane = thread & 31;
    const int warp = thread & ~31;
    const int first_col = Layout::col(warp, 0);
    uint32_t left[2][static_cast<size_t>(blocks)][4];
    uint32_t right[2][static_cast<size_t>(part) / 4];
    const auto load_a = [&](int step) {
        TK_UNROLL
        for (int block = 0; block < blocks; ++block)
            a.load(left[step % 2][block], Layout::row(warp, block * Layout::width), block, step,
                   lane);
    };
    const auto load_b = [&](int at) {
        const int first = at % parts * part;
        TK_UNROLL
        for (int col = 0; col < part; col += 16) {
            if (first + col + 16 <= cols)
                b.template load<16>(right[at % 2] + col / 4, first_col + first + col, at / parts,
                                    lane);
            else if (first + col + 8 <= cols)
                b.template load<8>(right[at % 2] + col / 4, first_col + first + col, at / parts,
                                   lane);
        }
    };
    load_a(0);
    load_b(0);
    TK_UNROLL
    for (int at = 0; at < steps * parts; ++at) {
        if (at + 1 < steps * parts) {
            if ((at + 1) % parts == 0) load_a((at + 1) / parts);
            load_b(at + 1);
        }
        TK_UNROLL
        for (int block = 0; block < blocks; ++block) {
            TK_UNROLL
            for (int col = 0; col < part; col += 8) {
                if (at % parts * part + col < cols)
                    ptx::mma_m16n8k16<type>(d.reg[block] + (at % parts * part + col) / 2,
                                            left[at / parts % 2][block], right[at % 2] + col / 4);
            }
        }
    }
}

}  // namespace detail

// d (+)= a b, all warps of the role, of whose threads this is number `thread`. a: shared [M, K], the
// transposed view of [K, M], or a register tile of d's layout; b: shared [K, N] or the transposed
// view of [N, K]. accumulate_never starts from zero and reads no old value of d.
template <class Layout, class A, class B, class Accumulate = accumulate_always>
TK_DEVICE void mma_sync(tile<float, Layout>& d, const A& a, const B& b, int thread,
                        Accumulate = {}) {
    if constexpr (std::is_same_v<Accumulate, accumulate_never>) {
        TK_UNROLL
        for (int block = 0; block < Layout::blocks; ++block) {
            TK_UNROLL
            for (int i = 0; i < Layout::width; ++i) d.reg[block][i] = 0.0f;
        }
    }
    detail::multiply(d, detail::sync_operand_a(a), detail::sync_operand_b(b), thread);
}

}  // namespace tk
#endif
