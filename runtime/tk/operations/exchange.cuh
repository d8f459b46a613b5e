// Exchanges of rows or columns whose indices differ in one bit: within a thread, between lanes, or
// through shared memory, depending on the layout.
#pragma once

#include "../ptx/barrier.cuh"
#include "through_shared.cuh"

#if TK_CUDA
namespace tk {
namespace detail {

template <class T>
TK_DEVICE T shuffle_xor(T x, int mask) {
    std::conditional_t<sizeof(T) == 8, unsigned long long, uint32_t> bits = 0;
    memcpy(&bits, &x, sizeof(T));
    bits = __shfl_xor_sync(0xffffffffu, bits, mask);
    memcpy(&x, &bits, sizeof(T));
    return x;
}

// Swaps cells of one register that are `Distance` apart.
template <int Per, int Distance, class Register>
TK_DEVICE Register exchange_within(Register x) {
    static_assert(Per == 2 || Per == 4);
    constexpr bool bytes = Distance * static_cast<int>(sizeof(Register)) == Per;
    return static_cast<Register>(__byte_perm(x, 0, bytes ? 0x2301 : 0x1032));
}

template <bool Rows, int Bit, class T, class Layout>
TK_DEVICE void exchange(tile<T, Layout>& dst, const tile<T, Layout>& source) {
    constexpr int step = 1 << Bit;
    constexpr int per = tile<T, Layout>::per;
    constexpr int registers = Layout::register_digits::distance(Rows, step);
    constexpr int lanes = Layout::thread_digits::distance(Rows, step);
    static_assert(registers != 0 || (0 < lanes && lanes < 32 && (lanes & (lanes - 1)) == 0),
                  "through shared memory");
    const tile<T, Layout> from = source;  // dst may be the source
    TK_UNROLL
    for (int c = 0; c < Layout::cells; c += per) {
        auto& to = dst.reg[c / Layout::width][c % Layout::width / per];
        if constexpr (registers != 0 && registers < per) {
            to = exchange_within<per, registers>(
                from.reg[c / Layout::width][c % Layout::width / per]);
        } else if constexpr (registers != 0) {
            const int p = Layout::register_digits::partner(Rows, step, c);
            to = from.reg[p / Layout::width][p % Layout::width / per];
        } else {
            to = shuffle_xor(from.reg[c / Layout::width][c % Layout::width / per], lanes);
        }
    }
}

template <bool Rows, int Bit, int Groups, class T, class Layout, int Words>
TK_DEVICE void exchange(tile<T, Layout>& dst, const tile<T, Layout>& source,
                        const shared_tile<int, 1, Words>& words, int thread_of_role, int id) {
    constexpr int pitch = row_pitch<T, Layout>;
    constexpr int threads = Groups * Layout::threads;
    static_assert(Groups * Layout::rows * pitch <= 4 * Words);
    const int thread = Groups == 1 ? thread_of_role : thread_of_role % Layout::threads;
    const int first_row = Groups == 1 ? 0 : thread_of_role / Layout::threads * Layout::rows;
    auto* const place = const_cast<unsigned char*>(words.storage);
    barrier_sync(id, threads);  // all have read what was there
    if (Layout::writes(thread)) put_rows(place, source, thread, first_row);
    barrier_sync(id, threads);
    TK_UNROLL
    for (int c = 0; c < Layout::cells; c += tile<T, Layout>::per) {
        dst.set(c, [&](int k) {
            if (!Layout::has_row(thread, c + k) || !Layout::has_col(thread, c + k)) return T{};
            const int row = first_row + Layout::row(thread, c + k);
            const int col = Layout::col(thread, c + k);
            return get_cell<T>(place, pitch, Rows ? row ^ (1 << Bit) : row,
                               Rows ? col : col ^ (1 << Bit));
        });
    }
}

}  // namespace detail

// dst[row, col] = source[row, col ^ (1 << Bit)], if a thread or a warp holds both.
template <int Bit, class T, class Layout>
TK_DEVICE void exchange_columns(tile<T, Layout>& dst, const tile<T, Layout>& source) {
    detail::exchange<false, Bit>(dst, source);
}
// dst[row, col] = source[row ^ (1 << Bit), col], likewise.
template <int Bit, class T, class Layout>
TK_DEVICE void exchange_rows(tile<T, Layout>& dst, const tile<T, Layout>& source) {
    detail::exchange<true, Bit>(dst, source);
}

// The same through `words`. The tile is the warpgroup's part of that of a role of `Groups`
// warpgroups, which divide rows, or all of it. The threads of the role synchronize at named barrier
// `id`.
template <int Bit, int Groups = 1, class T, class Layout, int Words>
TK_DEVICE void exchange_columns(tile<T, Layout>& dst, const tile<T, Layout>& source,
                                const shared_tile<int, 1, Words>& words, int thread_of_role,
                                int id) {
    detail::exchange<false, Bit, Groups>(dst, source, words, thread_of_role, id);
}
template <int Bit, int Groups = 1, class T, class Layout, int Words>
TK_DEVICE void exchange_rows(tile<T, Layout>& dst, const tile<T, Layout>& source,
                             const shared_tile<int, 1, Words>& words, int thread_of_role, int id) {
    detail::exchange<true, Bit, Groups>(dst, source, words, thread_of_role, id);
}

}  // namespace tk
#endif
