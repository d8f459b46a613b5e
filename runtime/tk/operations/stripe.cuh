// What roles of warps do with their register tiles: loads and stores of 16 bytes, elementwise work,
// reductions.
#pragma once

#include "../ptx/barrier.cuh"
#include "../tile/shared_tile.cuh"
#include "../tile/stripe.cuh"
#include "global.cuh"
#include "reduce.cuh"

#if TK_CUDA
namespace tk {

namespace detail {

// `count` neighbouring cells in memory: in units of 16 bytes or of all of them, if they are less.
template <class T, int Count>
struct run_of_cells {
    static constexpr int bytes = Count * static_cast<int>(sizeof(T));
    static constexpr int unit = bytes < 16 ? bytes : 16;
    static constexpr int per_unit = unit / static_cast<int>(sizeof(T));
    static constexpr bool fits = bytes % unit == 0 && (unit == 16 || unit == 8 || unit == 4 || unit == 2 || unit == 1);
};
template <int Bytes>
struct unit_of;
template <>
struct unit_of<16> { using type = uint4; };
template <>
struct unit_of<8> { using type = uint2; };
template <>
struct unit_of<4> { using type = uint32_t; };
template <>
struct unit_of<2> { using type = uint16_t; };
template <>
struct unit_of<1> { using type = uint8_t; };

// The neighbouring values that share a register of the tile, or the only one.
template <class Tile, class Value>
TK_DEVICE void hold(typename Tile::register_type& reg, Value value) {
    using type = typename Tile::type;
    if constexpr (Tile::per == 4) reg = pack<type>(value(0), value(1), value(2), value(3));
    else if constexpr (Tile::per == 2) reg = pack<type>(value(0), value(1));
    else reg = static_cast<type>(value(0));
}

// Whether the slice has all cells of each vector or none: known to the compiler where extents are constants, which then
// leaves out the code that moves cells one by one.
template <class Stripe, class Slice>
TK_DEVICE bool all_or_none(const Slice& slice) {
    return Stripe::cols % Stripe::vector == 0 && slice.whole_vectors(Stripe::vector);
}

// Whether the slice has all cells of a thread's vector at `col`, which then move in units.
template <bool Units, class Stripe, class Slice>
TK_DEVICE bool has_all(const Slice& slice, int col) {
    if (!Units) return false;
    if (all_or_none<Stripe>(slice))
        return (Stripe::whole_cols || col < Stripe::cols) && slice.holds_col(col);
    return (Stripe::whole_cols || col + Stripe::vector <= Stripe::cols) && slice.holds_col(col) &&
           slice.holds_col(col + Stripe::vector - 1);
}

template <bool Units, bool Fixed, class Source, class T, int Rows, int Cols, int Threads, int Lanes, int Vector>
TK_DEVICE void load(stripe<T, Rows, Cols, Threads, Lanes, Vector>& dst, const Source& source,
                    int thread) {
    using tile = stripe<T, Rows, Cols, Threads, Lanes, Vector>;
    using run = run_of_cells<T, tile::vector>;
    static_assert(!Units || run::fits);
    TK_UNROLL
    for (int pass = 0; pass < tile::passes; ++pass) {
        const int row = tile::row(thread, pass);
        const bool has_row = tile::has_row(thread, pass) && source.holds_row(row);
        TK_UNROLL
        for (int j = 0; j < tile::vectors; ++j) {
            const int first = j * tile::vector;
            const int col = tile::col(thread, first);
            T cells[static_cast<size_t>(tile::vector)];
            if (has_row && has_all<Units, tile>(source, col)) {
                using unit = typename unit_of<run::unit>::type;
                const unit* from = reinterpret_cast<const unit*>(source.at(row, col));
                unit words[static_cast<size_t>(tile::vector / run::per_unit)];
                TK_UNROLL
                for (int u = 0; u < tile::vector / run::per_unit; ++u)
                    words[u] = Fixed ? __ldg(from + u) : from[u];
                memcpy(cells, words, sizeof(cells));
            } else {
                TK_UNROLL
                for (int v = 0; v < tile::vector; ++v) {
                    cells[v] = T{};
                    if (Units && all_or_none<tile>(source)) continue;
                    if (has_row && tile::has_col(thread, first + v) && source.holds_col(col + v))
                        cells[v] = *source.at(row, col + v);
                }
            }
            TK_UNROLL
            for (int v = 0; v < tile::vector; v += tile::per)
                hold<tile>(dst.reg[pass][(first + v) / tile::per], [&](int i) { return cells[v + i]; });
        }
    }
}

template <bool Units, class Target, class T, int Rows, int Cols, int Threads, int Lanes, int Vector>
TK_DEVICE void store(const Target& dst, const stripe<T, Rows, Cols, Threads, Lanes, Vector>& source,
                     int thread) {
    using tile = stripe<T, Rows, Cols, Threads, Lanes, Vector>;
    using run = run_of_cells<T, tile::vector>;
    static_assert(!Units || run::fits);
    if (!tile::writes(thread)) return;
    TK_UNROLL
    for (int pass = 0; pass < tile::passes; ++pass) {
        const int row = tile::row(thread, pass);
        if (!tile::has_row(thread, pass) || !dst.holds_row(row)) continue;
        TK_UNROLL
        for (int j = 0; j < tile::vectors; ++j) {
            const int first = j * tile::vector;
            const int col = tile::col(thread, first);
            if (has_all<Units, tile>(dst, col)) {
                using unit = typename unit_of<run::unit>::type;
                unit words[static_cast<size_t>(tile::vector / run::per_unit)];
                T cells[static_cast<size_t>(tile::vector)];
                TK_UNROLL
                for (int v = 0; v < tile::vector; ++v) cells[v] = source.cell(pass, first + v);
                memcpy(words, cells, sizeof(cells));
                unit* to = reinterpret_cast<unit*>(dst.at(row, col));
                TK_UNROLL
                for (int u = 0; u < tile::vector / run::per_unit; ++u) to[u] = words[u];
            } else if (!Units || !all_or_none<tile>(dst)) {
                TK_UNROLL
                for (int v = 0; v < tile::vector; ++v) {
                    if (tile::has_col(thread, first + v) && dst.holds_col(col + v))
                        *dst.at(row, col + v) = source.cell(pass, first + v);
                }
            }
        }
    }
}

}  // namespace detail

// dst = slice, zeros past its edge; all threads of the role, of which this is number `thread`. Vectors: the
// slice is dense, and every row of it starts at a multiple of 16 bytes; nobody writes the tensor in this
// launch, so that loads pass earlier stores to others, or `in_order`.
template <class Source, class T, int Rows, int Cols, int Threads, int Lanes, int Vector>
TK_DEVICE void load_vectors(stripe<T, Rows, Cols, Threads, Lanes, Vector>& dst,
                            const Source& source, int thread) {
    detail::load<true, true>(dst, source, thread);
}
template <class Source, class T, int Rows, int Cols, int Threads, int Lanes, int Vector>
TK_DEVICE void load_vectors_in_order(stripe<T, Rows, Cols, Threads, Lanes, Vector>& dst,
                                     const Source& source, int thread) {
    detail::load<true, false>(dst, source, thread);
}
template <class Source, class T, int Rows, int Cols, int Threads, int Lanes, int Vector>
TK_DEVICE void load_global(stripe<T, Rows, Cols, Threads, Lanes, Vector>& dst, const Source& source,
                           int thread) {
    detail::load<false, false>(dst, source, thread);
}

// slice = source where the slice has elements.
template <class Target, class T, int Rows, int Cols, int Threads, int Lanes, int Vector>
TK_DEVICE void store_vectors(const Target& dst,
                             const stripe<T, Rows, Cols, Threads, Lanes, Vector>& source,
                             int thread) {
    detail::store<true>(dst, source, thread);
}
template <class Target, class T, int Rows, int Cols, int Threads, int Lanes, int Vector>
TK_DEVICE void store_global(const Target& dst,
                            const stripe<T, Rows, Cols, Threads, Lanes, Vector>& source,
                            int thread) {
    detail::store<false>(dst, source, thread);
}

// dst[row, col] = fn(row, col, source values ..). Sources: tiles of dst's shape, columns (their row's
// value), rows (their column's). fn may give f32 for a dst of bf16, f16 or fp8: pairs are then rounded by
// one instruction.
template <class T, int Rows, int Cols, int Threads, int Lanes, int Vector, class Fn, class... Sources>
TK_DEVICE void map(stripe<T, Rows, Cols, Threads, Lanes, Vector>& dst, int thread, Fn fn,
                   const Sources&... sources) {
    using tile = stripe<T, Rows, Cols, Threads, Lanes, Vector>;
    TK_UNROLL
    for (int pass = 0; pass < tile::passes; ++pass) {
        const auto value = [&](int i) {
            return fn(tile::row(thread, pass), tile::col(thread, i), sources.cell(pass, i)...);
        };
        TK_UNROLL
        for (int i = 0; i < tile::width; i += tile::per)
            detail::hold<tile>(dst.reg[pass][i / tile::per], [&](int k) { return value(i + k); });
    }
}

// dst = source with columns 2i and 2i + 1 exchanged: a thread holds both.
template <class T, int Rows, int Cols, int Threads, int Lanes, int Vector>
TK_DEVICE void swap_pairs(stripe<T, Rows, Cols, Threads, Lanes, Vector>& dst,
                          const stripe<T, Rows, Cols, Threads, Lanes, Vector>& source) {
    using tile = stripe<T, Rows, Cols, Threads, Lanes, Vector>;
    static_assert(tile::vector % 2 == 0);
    TK_UNROLL
    for (int pass = 0; pass < tile::passes; ++pass) {
        TK_UNROLL
        for (int i = 0; i < tile::width; i += 2 * (tile::per == 4 ? 2 : 1)) {
            if constexpr (tile::per == 4)
                dst.reg[pass][i / 4] = __byte_perm(source.reg[pass][i / 4], 0, 0x2301);
            else if constexpr (tile::per == 2)
                dst.reg[pass][i / 2] = __byte_perm(source.reg[pass][i / 2], 0, 0x1032);
            else {
                const T first = source.reg[pass][i];
                dst.reg[pass][i] = source.reg[pass][i + 1];
                dst.reg[pass][i + 1] = first;
            }
        }
    }
}

template <int Rows, int Cols, int Threads, int Lanes, int Vector>
TK_DEVICE void fill(stripe<float, Rows, Cols, Threads, Lanes, Vector>& dst, float value) {
    using tile = stripe<float, Rows, Cols, Threads, Lanes, Vector>;
    TK_UNROLL
    for (int pass = 0; pass < tile::passes; ++pass) {
        TK_UNROLL
        for (int i = 0; i < tile::width; ++i) dst.reg[pass][i] = value;
    }
}

// The tile with its elements rounded to To (f32 to bf16, f16 or fp8), or widened to f32.
template <class To, class From, int Rows, int Cols, int Threads, int Lanes, int Vector>
TK_DEVICE stripe<To, Rows, Cols, Threads, Lanes, Vector> convert(
    const stripe<From, Rows, Cols, Threads, Lanes, Vector>& source) {
    stripe<To, Rows, Cols, Threads, Lanes, Vector> result;
    map(
        result, 0, [](int, int, From x) { return static_cast<float>(x); }, source);
    return result;
}

namespace detail {

// What leaves the other operand as it is.
template <class T>
TK_DEVICE T neutral(plus) {
    return T(0.0f);
}
template <class T>
TK_DEVICE T neutral(maximum) {
    if constexpr (std::is_same_v<T, float>) return -__int_as_float(0x7f800000);
    else if constexpr (std::is_same_v<T, int>) return static_cast<int>(0x80000000u);
    else return T(-__int_as_float(0x7f800000));
}
template <class T>
TK_DEVICE T neutral(minimum) {
    if constexpr (std::is_same_v<T, float>) return __int_as_float(0x7f800000);
    else if constexpr (std::is_same_v<T, int>) return 0x7fffffff;
    else return T(__int_as_float(0x7f800000));
}

}  // namespace detail

// dst[row] = fn over the columns this thread holds of the row: a partial result, which finish_rows
// completes.
template <class T, int Rows, int Cols, int Threads, int Lanes, int Vector, class Fn>
TK_DEVICE void fold_rows(stripe<T, Rows, 1, Threads, Lanes, Vector>& dst,
                         const stripe<T, Rows, Cols, Threads, Lanes, Vector>& source, Fn fn,
                         int thread) {
    using tile = stripe<T, Rows, Cols, Threads, Lanes, Vector>;
    TK_UNROLL
    for (int pass = 0; pass < tile::passes; ++pass) {
        // Two chains: additions follow each other every other time.
        T some[2];
        TK_UNROLL
        for (int i = 0; i < tile::width; ++i) {
            const T x = tile::has_col(thread, i) ? source.cell(pass, i) : detail::neutral<T>(fn);
            some[i % 2] = i < 2 ? x : fn(some[i % 2], x);
        }
        dst.reg[pass][0] = tile::width == 1 ? some[0] : fn(some[0], some[1]);
    }
}

// Combines the partial results of the lanes of each row that lie in one warp.
template <class T, int Rows, int Threads, int Lanes, int Vector, class Fn>
TK_DEVICE void finish_rows(stripe<T, Rows, 1, Threads, Lanes, Vector>& dst, Fn fn) {
    using tile = stripe<T, Rows, 1, Threads, Lanes, Vector>;
    TK_UNROLL
    for (int pass = 0; pass < tile::passes; ++pass) {
        TK_UNROLL
        for (int step = 1; step < (Lanes < 32 ? Lanes : 32); step *= 2)
            dst.reg[pass][0] =
                fn(dst.reg[pass][0], __shfl_xor_sync(0xffffffffu, dst.reg[pass][0], step));
    }
}

// The same where a row lies over several warps, which exchange what each made of its own through
// `parts` [pass, warp]. They meet at named barrier `id`.
template <class T, int Rows, int Threads, int Lanes, int Vector, int Warps, int Passes, class Fn>
TK_DEVICE void finish_rows(stripe<T, Rows, 1, Threads, Lanes, Vector>& dst, Fn fn,
                           const shared_tile<T, Passes, Warps>& parts, int thread, int id) {
    using tile = stripe<T, Rows, 1, Threads, Lanes, Vector>;
    static_assert(Lanes > 32 && Warps * 32 == Threads && tile::passes <= Passes);
    constexpr int shares = Lanes / 32;  // warps of a row
    finish_rows(dst, fn);
    barrier_sync(id, Threads);  // all have read what was there
    const int warp = thread / 32;
    TK_UNROLL
    for (int pass = 0; pass < tile::passes; ++pass) {
        if (thread % 32 == 0) set(parts, pass, warp, dst.reg[pass][0]);
    }
    barrier_sync(id, Threads);
    TK_UNROLL
    for (int pass = 0; pass < tile::passes; ++pass) {
        const int first = warp / shares * shares;
        dst.reg[pass][0] = get(parts, pass, first);
        TK_UNROLL
        for (int w = 1; w < shares; ++w)
            dst.reg[pass][0] = fn(dst.reg[pass][0], get(parts, pass, first + w));
    }
}

// dst[col] = fn over all rows of `source`. What every warp made of its own rows goes through `rows`, a
// shared tile with a row for each warp; the warps meet at named barrier `id`.
template <class T, int Rows, int Cols, int Threads, int Lanes, int Vector, int Warps, class Fn>
TK_DEVICE void reduce_columns(stripe<T, 1, Cols, Threads, Lanes, Vector>& dst,
                              const stripe<T, Rows, Cols, Threads, Lanes, Vector>& source,
                              const shared_tile<T, Warps, Cols>& rows, Fn fn, int thread, int id) {
    using tile = stripe<T, Rows, Cols, Threads, Lanes, Vector>;
    static_assert(Warps * 32 == Threads);
    TK_UNROLL
    for (int i = 0; i < tile::width; ++i) {
        TK_UNROLL
        for (int pass = 0; pass < tile::passes; ++pass) {
            const T x =
                tile::has_row(thread, pass) ? source.cell(pass, i) : detail::neutral<T>(fn);
            dst.reg[0][i] = pass == 0 ? x : fn(dst.reg[0][i], x);
        }
        TK_UNROLL
        for (int step = Lanes; step < 32; step *= 2)
            dst.reg[0][i] = fn(dst.reg[0][i], __shfl_xor_sync(0xffffffffu, dst.reg[0][i], step));
    }
    constexpr int shares = Lanes < 32 ? Warps : Threads / Lanes;  // rows of `rows` in use
    if (shares == 1) return;
    const int share = thread / (Lanes < 32 ? 32 : Lanes);
    const bool first_of_warp = Lanes >= 32 || thread % 32 < Lanes;
    barrier_sync(id, Threads);  // all have read what was there
    TK_UNROLL
    for (int i = 0; i < tile::width; ++i) {
        if (first_of_warp && tile::has_col(thread, i))
            set(rows, share, tile::col(thread, i), dst.reg[0][i]);
    }
    barrier_sync(id, Threads);
    // Row by row: all of them at once would take a register for every value and address.
    TK_UNROLL
    for (int i = 0; i < tile::width; ++i)
        if (tile::has_col(thread, i)) dst.reg[0][i] = get(rows, 0, tile::col(thread, i));
    TK_NO_UNROLL
    for (int s = 1; s < shares; ++s) {
        TK_UNROLL
        for (int i = 0; i < tile::width; ++i)
            if (tile::has_col(thread, i))
                dst.reg[0][i] = fn(dst.reg[0][i], get(rows, s, tile::col(thread, i)));
    }
}

namespace detail {

// Running sums over the lanes of a row within a warp, and how much they are before this lane's.
template <int Lanes, class T>
TK_DEVICE T sum_before(T own, int lane, T& all) {
    T upto = own;
    TK_UNROLL
    for (int step = 1; step < Lanes; step *= 2) {
        const T other = __shfl_up_sync(0xffffffffu, upto, step, Lanes);
        if (lane >= step) upto += other;
    }
    all = __shfl_sync(0xffffffffu, upto, Lanes - 1, Lanes);
    const T before = __shfl_up_sync(0xffffffffu, upto, 1, Lanes);
    return lane == 0 ? T(0) : before;
}

// dst = running sums of this thread's vectors, each by itself; the sum of vector j.
template <class Tile>
TK_DEVICE auto sum_vector(Tile& dst, const Tile& source, int thread, int pass, int j) {
    typename Tile::type sum = 0;
    TK_UNROLL
    for (int v = 0; v < Tile::vector; ++v) {
        const int i = j * Tile::vector + v;
        if (Tile::has_col(thread, i)) sum += source.cell(pass, i);
        dst.reg[pass][i] = sum;
    }
    return sum;
}

template <class Tile>
TK_DEVICE void add_to_vector(Tile& dst, int pass, int j, typename Tile::type before) {
    TK_UNROLL
    for (int v = 0; v < Tile::vector; ++v) dst.reg[pass][j * Tile::vector + v] += before;
}

}  // namespace detail

// dst[row, col] = the sum of source[row, 0..col]; rows within a warp.
template <class T, int Rows, int Cols, int Threads, int Lanes, int Vector>
TK_DEVICE void running_sums(stripe<T, Rows, Cols, Threads, Lanes, Vector>& dst,
                            const stripe<T, Rows, Cols, Threads, Lanes, Vector>& source,
                            int thread) {
    using tile = stripe<T, Rows, Cols, Threads, Lanes, Vector>;
    static_assert(Lanes <= 32 && Cols != 1);
    TK_UNROLL
    for (int pass = 0; pass < tile::passes; ++pass) {
        T left = 0;  // the sum of all vectors further left
        TK_UNROLL
        for (int j = 0; j < tile::vectors; ++j) {
            T all;
            const T own = detail::sum_vector(dst, source, thread, pass, j);
            const T before = detail::sum_before<Lanes>(own, thread % Lanes, all);
            detail::add_to_vector(dst, pass, j, left + before);
            left += all;
        }
    }
}

// The same where a row lies over several warps, which exchange what each made of its own through
// `parts` [pass and vector, warp]. They meet at named barrier `id`.
template <class T, int Rows, int Cols, int Threads, int Lanes, int Vector, int Warps, int Parts>
TK_DEVICE void running_sums(stripe<T, Rows, Cols, Threads, Lanes, Vector>& dst,
                            const stripe<T, Rows, Cols, Threads, Lanes, Vector>& source,
                            const shared_tile<T, Parts, Warps>& parts, int thread, int id) {
    using tile = stripe<T, Rows, Cols, Threads, Lanes, Vector>;
    static_assert(Lanes > 32 && Warps * 32 == Threads && tile::passes * tile::vectors <= Parts);
    constexpr int shares = Lanes / 32;  // warps of a row
    const int warp = thread / 32;
    barrier_sync(id, Threads);  // all have read what was there
    TK_UNROLL
    for (int pass = 0; pass < tile::passes; ++pass) {
        TK_UNROLL
        for (int j = 0; j < tile::vectors; ++j) {
            T all;
            const T own = detail::sum_vector(dst, source, thread, pass, j);
            detail::add_to_vector(dst, pass, j, detail::sum_before<32>(own, thread % 32, all));
            if (thread % 32 == 0) set(parts, pass * tile::vectors + j, warp, all);
        }
    }
    barrier_sync(id, Threads);
    TK_UNROLL
    for (int pass = 0; pass < tile::passes; ++pass) {
        T left = 0;
        TK_UNROLL
        for (int j = 0; j < tile::vectors; ++j) {
            T before = left;
            TK_UNROLL
            for (int w = 0; w < shares; ++w) {
                const T part = get(parts, pass * tile::vectors + j, warp / shares * shares + w);
                if (w < warp % shares) before += part;
                left += part;
            }
            detail::add_to_vector(dst, pass, j, before);
        }
    }
}

// dst[col, row] = source[row, col], through `words`, where a row takes one word more than it fills: what
// neighbours in a column hold lies in different banks. The role's threads meet at named barrier `id`.
template <class T, int Rows, int Cols, int Threads, int Lanes, int Vector, int Words>
TK_DEVICE void transpose(stripe<T, Cols, Rows, Threads, Lanes, Vector>& dst,
                         const stripe<T, Rows, Cols, Threads, Lanes, Vector>& source,
                         const shared_tile<int, 1, Words>& words, int thread, int id) {
    using from = stripe<T, Rows, Cols, Threads, Lanes, Vector>;
    using to = stripe<T, Cols, Rows, Threads, Lanes, Vector>;
    constexpr int size = static_cast<int>(sizeof(T));
    constexpr int held = (Cols + from::vector - 1) / from::vector * from::vector;
    constexpr int pitch = ((held * size + 3) / 4 + 1) * 4;
    static_assert(Rows * pitch <= 4 * Words);
    constexpr int run = from::vector * size % 4 == 0 ? 4 / size : 1;  // cells that move at once
    auto* const place = const_cast<unsigned char*>(words.storage);
    barrier_sync(id, Threads);  // all have read what was there
    if (from::writes(thread)) {
        TK_UNROLL
        for (int pass = 0; pass < from::passes; ++pass) {
            const int row = from::row(thread, pass);
            TK_UNROLL
            for (int i = 0; i < from::width; i += run) {
                if (!from::has_row(thread, pass) || !from::has_col(thread, i)) continue;
                T cells[static_cast<size_t>(run)];
                TK_UNROLL
                for (int k = 0; k < run; ++k) cells[k] = source.cell(pass, i + k);
                memcpy(__builtin_assume_aligned(
                           place + row * pitch + from::col(thread, i) * size, run * size),
                       cells, sizeof(cells));
            }
        }
    }
    barrier_sync(id, Threads);
    TK_UNROLL
    for (int pass = 0; pass < to::passes; ++pass) {
        const int row = to::row(thread, pass);
        TK_UNROLL
        for (int i = 0; i < to::width; i += to::per) {
            detail::hold<to>(dst.reg[pass][i / to::per], [&](int k) {
                const int col = to::col(thread, i + k);
                if (!to::has_row(thread, pass) || !to::has_col(thread, i + k)) return T{};
                T cell;
                memcpy(&cell, __builtin_assume_aligned(place + col * pitch + row * size, size), size);
                return cell;
            });
        }
    }
}

}  // namespace tk
#endif
