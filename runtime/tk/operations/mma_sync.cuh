// Warp-level products: each warp of a role multiplies its own rows and columns of the result by
// mma.sync. They are complete when the call returns.
#pragma once

#include "../ptx/matrix.cuh"
#include "../ptx/mma.cuh"
#include "../tile/shared_tile.cuh"
#include "../tile/tile.cuh"
#include "mma.cuh"

// TK_WARP_MODEL: the unit tests run the work of a warp on the CPU, with their own instructions.
#if TK_CUDA || defined(TK_WARP_MODEL)
namespace tk {
namespace detail {

// What a warp multiplies at once, 32 bytes of the extent that both operands share: so many numbers;
// and so many in each of the two chunks of 16 bytes that ldmatrix takes of it.
template <class T>
inline constexpr int product_depth = 32 / static_cast<int>(sizeof(T));
template <class T>
inline constexpr int half_depth = product_depth<T> / 2;

// Which numbers of a step lane 4 g + q holds, those of its first register and of its second.
// `chunks`: as they lie, 4 bytes of each chunk at byte 4 q. `pairs`, of tf32: those at 2 q and
// 2 q + 1, which it holds of a register tile. Any order does that both operands have.
enum class product_order { chunks, pairs };

// A float operand in shared memory or in registers, as products use it: rounded to tf32.
template <class T, size_t Count>
TK_DEVICE void round_operand(uint32_t (&reg)[Count]) {
    if constexpr (std::is_same_v<T, float>) {
        TK_UNROLL
        for (size_t i = 0; i < Count; ++i) reg[i] = ptx::to_tf32(__uint_as_float(reg[i]));
    }
}

// Two 4-byte numbers of a column of a window that lies across the shared extent, rows `q` and
// `q` + 4 below `row`. Lanes of odd q read them the other way round: so the rows that a warp reads
// at once lie in all banks.
template <class View>
TK_DEVICE void load_column(const View& view, int row, int q, int col, uint32_t& low,
                           uint32_t& high) {
    const bool odd = (q & 1) != 0;
    const uint32_t x = ptx::load_shared_b32(address_of(view, row + q + (odd ? 4 : 0), col));
    const uint32_t y = ptx::load_shared_b32(address_of(view, row + q + (odd ? 0 : 4), col));
    low = odd ? y : x;
    high = odd ? x : y;
}

// Operand A in shared memory, [M, K] or the transposed view of [K, M].
template <class View>
struct shared_a {
    using type = typename View::type;
    static constexpr int rows = View::rows;
    static constexpr int depth = View::cols;
    static constexpr product_order order = product_order::chunks;
    View view;

    // Rows `row` to row + 15 at step `step` of the shared extent.
    TK_DEVICE void load(uint32_t (&reg)[4], int row, int, int step, int lane) const {
        ptx::ldmatrix_x4(address_of(view, row + (lane & 15),
                                    product_depth<type> * step + half_depth<type> * (lane >> 4)),
                         reg[0], reg[1], reg[2], reg[3]);
        round_operand<type>(reg);
    }
};
template <class View>
struct shared_a<transposed_view<View>> {
    using type = typename View::type;
    static constexpr int rows = View::cols;
    static constexpr int depth = View::rows;
    static constexpr product_order order = product_order::chunks;
    static_assert(sizeof(type) != 1, "8-bit numbers lie along the shared extent");
    View view;

    TK_DEVICE void load(uint32_t (&reg)[4], int row, int, int step, int lane) const {
        const int first = product_depth<type> * step;
        if constexpr (sizeof(type) == 2) {
            ptx::ldmatrix_x4_transposed(
                address_of(view, first + (lane & 7) + 8 * (lane >> 4), row + (lane & 8)), reg[0],
                reg[1], reg[2], reg[3]);
        } else {
            load_column(view, first, lane & 3, row + (lane >> 2), reg[0], reg[2]);
            load_column(view, first, lane & 3, row + 8 + (lane >> 2), reg[1], reg[3]);
            round_operand<type>(reg);
        }
    }
};
// In registers: a tile whose rows lie as the result's, and whose columns every warp has.
template <class T, class Layout>
struct register_a {
    using type = T;
    static constexpr int rows = Layout::rows;
    static constexpr int depth = Layout::cols;
    static constexpr product_order order =
        sizeof(T) == 4 ? product_order::pairs : product_order::chunks;
    static_assert(is_fragment<Layout> && Layout::row_warps == 1 && sizeof(T) != 1);
    const tile<T, Layout>& from;

    TK_DEVICE void load(uint32_t (&reg)[4], int, int block, int step, int) const {
        TK_UNROLL
        for (int i = 0; i < 4; ++i) {
            if constexpr (sizeof(T) == 2) reg[i] = from.reg[block][4 * step + i];
            // Two of row g, two of row g + 8.
            else reg[i] = __float_as_uint(from.reg[block][4 * step + i / 2 + i % 2 * 2]);
        }
        round_operand<T>(reg);
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
// columns from `col` on, two for every 8.
template <class View>
struct shared_b {
    using type = typename View::type;
    static constexpr int depth = View::rows;
    static constexpr int cols = View::cols;
    static_assert(sizeof(type) != 1, "8-bit numbers lie along the shared extent");
    View view;

    template <int Columns, product_order Order>
    TK_DEVICE void load(uint32_t (&reg)[Columns / 4], int col, int step, int lane) const {
        const int first = product_depth<type> * step;
        if constexpr (sizeof(type) == 4) {
            const int q = lane & 3;
            const int own = col + (lane >> 2);
            TK_UNROLL
            for (int i = 0; i < Columns / 8; ++i) {
                if constexpr (Order == product_order::chunks) {
                    load_column(view, first, q, own + 8 * i, reg[2 * i], reg[2 * i + 1]);
                } else {
                    TK_UNROLL
                    for (int k = 0; k < 2; ++k)
                        reg[2 * i + k] =
                            ptx::load_shared_b32(address_of(view, first + 2 * q + k, own + 8 * i));
                }
            }
            round_operand<type>(reg);
        } else if constexpr (Columns == 16) {
            ptx::ldmatrix_x4_transposed(
                address_of(view, first + (lane & 15), col + 8 * (lane >> 4)), reg[0], reg[1],
                reg[2], reg[3]);
        } else {
            ptx::ldmatrix_x2_transposed(address_of(view, first + (lane & 15), col), reg[0], reg[1]);
        }
    }
};
template <class View>
struct shared_b<transposed_view<View>> {
    using type = typename View::type;
    static constexpr int depth = View::cols;
    static constexpr int cols = View::rows;
    View view;

    template <int Columns, product_order Order>
    TK_DEVICE void load(uint32_t (&reg)[Columns / 4], int col, int step, int lane) const {
        const int first = product_depth<type> * step;
        if constexpr (Order == product_order::pairs) {
            TK_UNROLL
            for (int i = 0; i < Columns / 8; ++i)
                ptx::load_shared_v2(
                    address_of(view, col + 8 * i + (lane >> 2), first + 2 * (lane & 3)), reg[2 * i],
                    reg[2 * i + 1]);
        } else {
            const int at = first + half_depth<type> * ((lane >> 3) & 1);
            if constexpr (Columns == 16)
                ptx::ldmatrix_x4(address_of(view, col + (lane & 7) + 8 * (lane >> 4), at), reg[0],
                                 reg[1], reg[2], reg[3]);
            else ptx::ldmatrix_x2(address_of(view, col + (lane & 7), at), reg[0], reg[1]);
        }
        round_operand<type>(reg);
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

// d += a b. The operands of the next part of the columns, or of the next step, are loaded while
// those of this one are multiplied.
template <class Sum, class Layout, class A, class B>
TK_DEVICE void multiply(tile<Sum, Layout>& d, const A& a, const B& b, int thread) {
    using a_type = typename A::type;
    using b_type = typename B::type;
    static_assert(A::rows == Layout::rows && B::cols == Layout::cols && A::depth == B::depth,
                  "d[M, N] (+)= a[M, K] b[K, N]");
    static_assert(A::depth % product_depth<a_type> == 0, "a product's K is a multiple of 32 bytes");
    static_assert(is_fragment<Layout> && Layout::whole_rows && Layout::whole_cols,
                  "warps multiply 16 m rows by 8 n columns each");
    constexpr int steps = A::depth / product_depth<a_type>;
    constexpr int blocks = Layout::blocks;
    constexpr int cols = Layout::thread_cols / 2 * 8;  // of a warp
    constexpr int most = sizeof(a_type) == 4 ? 32 : 64;
    constexpr int part = cols < most ? cols : most;  // whose operands are held at once
    constexpr int parts = (cols + part - 1) / part;
    const int lane = thread & 31;
    const int warp = thread & ~31;
    const int first_col = Layout::col(warp, 0);
    uint32_t left[2][static_cast<size_t>(blocks)][4];
    uint32_t right[2][static_cast<size_t>(part + 8) / 16][4];  // 16 columns at a time
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
            uint32_t(&to)[4] = right[at % 2][col / 16];
            if (first + col + 16 <= cols)
                b.template load<16, A::order>(to, first_col + first + col, at / parts, lane);
            else if (first + col + 8 <= cols)
                b.template load<8, A::order>(reinterpret_cast<uint32_t(&)[2]>(to),
                                             first_col + first + col, at / parts, lane);
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
                    ptx::mma_m16n8<a_type, b_type>(
                        d.reg[block] + (at % parts * part + col) / 2 / tile<Sum, Layout>::per,
                        left[at / parts % 2][block], right[at % 2][col / 16] + col % 16 / 4);
            }
        }
    }
}

}  // namespace detail
}  // namespace tk
#endif

#if TK_CUDA
namespace tk {

// d (+)= a b, all warps of the role, of whose threads this is number `thread`; in float of bf16,
// f16, or float, which is rounded to tf32; in int of 8-bit integers; in f16 of f16. a: shared [M,
// K], the transposed view of [K, M], or a register tile that lies as d; b: shared [K, N] or the
// transposed view of [N, K]. Integers of 8 bits are in shared memory, [M, K] and the view of [N,
// K]. accumulate_never starts from zero and reads no old value of d.
template <class Sum, class Layout, class A, class B, class Accumulate = accumulate_always>
TK_DEVICE void mma_sync(tile<Sum, Layout>& d, const A& a, const B& b, int thread, Accumulate = {}) {
    if constexpr (std::is_same_v<Accumulate, accumulate_never>) {
        TK_UNROLL
        for (int block = 0; block < Layout::blocks; ++block) {
            TK_UNROLL
            for (auto& sums : d.reg[block]) sums = {};
        }
    }
    detail::multiply(d, detail::sync_operand_a(a), detail::sync_operand_b(b), thread);
}

}  // namespace tk
#endif
