// Attention forward by hand on the runtime: O = softmax(Q K' scale) V and the log-sum-exp of every
// row. What the compiler is to write for attention.tk; the constants of `config` open variants.
#pragma once

#include <cuda.h>

#include <type_traits>

#include "tk/ptx/wgmma_n064.cuh"
#include "tk/ptx/wgmma_n080.cuh"
#include "tk/ptx/wgmma_n096.cuh"
#include "tk/ptx/wgmma_n112.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/ptx/wgmma_n144.cuh"
#include "tk/ptx/wgmma_n160.cuh"
#include "tk/ptx/wgmma_n176.cuh"
#include "tk/ptx/wgmma_n192.cuh"
#include "tk/ptx/wgmma_n256.cuh"
#include "tk/tk.cuh"

namespace attention {

// Who may issue the products of a step: anybody, or one warpgroup after the other, which passes the
// turn when it has issued (`products`) or when its first product is done (`first_done`).
enum class turns { none, products, first_done };

// Lazy: rows are rescaled only where their maximum has grown by more than 2^8, which leaves room in
// every type concerned.
template <int D, int BM, int BN, bool Causal, int QStages = 1, turns Turns = turns::products,
          int Stages = 2, bool Lazy = false, bool Staged = false, bool RegisterQ = false>
struct config {
    static constexpr bool staged = Staged;  // O has shared memory of its own: Q's goes back early
    static constexpr bool register_q = RegisterQ;  // Q is an operand in registers
    static constexpr bool lazy = Lazy;
    static constexpr int d = D, bm = BM, bn = BN, q_stages = QStages, stages = Stages;
    static constexpr bool causal = Causal;
    static constexpr turns turn = Turns;
    static constexpr int consumers = BM / 64;
    static constexpr int threads = 128 * (consumers + 1);
    static constexpr int consumer_registers = consumers == 2 ? 240 : consumers == 3 ? 160 : 240;
    static constexpr int producer_registers = consumers == 3 ? 32 : 24;
    struct shared_memory {
        tk::shared_tile<tk::bf16, BM, D> q[QStages];
        tk::shared_tile<tk::bf16, BN, D> k[Stages];
        tk::shared_tile<tk::bf16, BN, D> v[Stages];
        tk::shared_tile<tk::bf16, 64, D> o[Staged ? BM / 64 : 0];
        tk::pipeline<QStages> qs;
        tk::pipeline<Stages> ks;
        tk::pipeline<Stages> vs;
    };
    static_assert(sizeof(shared_memory) <= 232448, "227 KiB a block");
};

// The blocks of rows and heads of the programs. Full attention: rows fastest, so that the programs
// at work share few heads' keys in L2. Causal: a thread block takes a heavy program and the light
// one that complements it, so that all do the same work: programs 2 u and 2 u + 1 are the u-th rows
// from the end and from the begin of a head.
struct place {
    int m, head;
    bool exists;
};
template <bool Causal>
TK_DEVICE place place_of(int program, int rows) {
    if constexpr (!Causal) return {program % rows, program / rows, true};
    const int pairs = (rows + 1) / 2;
    const int pair = program / 2 % pairs;
    const bool light = program % 2 == 1;
    return {light ? pair : rows - 1 - pair, program / 2 / pairs, !light || 2 * pair + 1 < rows};
}
template <bool Causal>
TK_DEVICE int programs_of(int rows, int heads) {
    return (Causal ? rows + rows % 2 : rows) * heads;
}
// The first program of this thread block, and the one after `program`.
template <bool Causal>
TK_DEVICE int first_program() {
    return (Causal ? 2 : 1) * static_cast<int>(blockIdx.x);
}
template <bool Causal>
TK_DEVICE int next_program(int program) {
    const int blocks = static_cast<int>(gridDim.x);
    if constexpr (!Causal) return program + blocks;
    return program % 2 == 0 ? program + 1 : program + 2 * blocks - 1;
}

template <class C>
struct softmax_state {
    tk::column_fragment<float, 64> max, sum, correction;
};

template <bool First, class A, class B>
TK_DEVICE auto& choose(A& first, B& second) {
    if constexpr (First) return first;
    else return second;
}

// rows of x *= factor, skipped where all factors of a warp are 1.
template <int Cols>
TK_DEVICE void scale_rows(tk::fragment<float, 64, Cols>& x,
                          const tk::column_fragment<float, 64>& factor) {
    if (__all_sync(0xffffffffu, factor.cell(0) == 1.0f && factor.cell(1) == 1.0f)) return;
    tk::map(
        x, tk::warpgroup_thread(), [](int, int, float y, float f) { return y * f; }, x, factor);
}

// One step of the online softmax: s becomes exp2(s c - m c), the row sums stay partial over the
// four lanes of a row. `Masked`: a row may have seen nothing yet.
template <bool Masked, class C>
TK_DEVICE void softmax_step(softmax_state<C>& sm, tk::fragment<float, 64, C::bn>& s, float c) {
    tk::column_fragment<float, 64> old = sm.max, scaled;
    const auto larger = [](float x, float y) { return tk::max(x, y); };
    tk::reduce_rows(sm.max, s, larger);
    tk::finish_rows(sm.max, larger);
    if constexpr (C::lazy)
        tk::map(
            sm.max, tk::warpgroup_thread(),
            [&](int, int, float m, float o) { return (m - o) * c > 8.0f ? m : o; }, sm.max, old);
    tk::map(
        scaled, tk::warpgroup_thread(),
        [&](int, int, float m) { return (Masked && m == -INFINITY ? 0.0f : m) * -c; }, sm.max);
    tk::map(
        sm.correction, tk::warpgroup_thread(),
        [&](int, int, float m, float o) { return tk::exp2(tk::fma(o, c, m)); }, scaled, old);
    if constexpr (C::lazy)
        tk::map(
            sm.correction, tk::warpgroup_thread(),
            [&](int, int, float f, float m, float o) { return m == o ? 1.0f : f; }, sm.correction,
            sm.max, old);
    tk::map(
        s, tk::warpgroup_thread(),
        [&](int, int, float x, float m) { return tk::exp2(tk::fma(x, c, m)); }, s, scaled);
    tk::map(
        sm.sum, tk::warpgroup_thread(), [](int, int, float x, float y) { return x * y; }, sm.sum,
        sm.correction);
    tk::reduce_rows(sm.sum, s, [](float x, float y) { return x + y; });
}

template <class C>
__global__ void __launch_bounds__(C::threads, 1)
    attention_kernel(const __grid_constant__ CUtensorMap Q, const __grid_constant__ CUtensorMap K,
                     const __grid_constant__ CUtensorMap V, const __grid_constant__ CUtensorMap O,
                     float* LSE, float scale, int B, int H, int HKV, int M, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    auto& smem = *reinterpret_cast<typename C::shared_memory*>(memory);
    constexpr int BM = C::bm, BN = C::bn, D = C::d;
    const int warp = tk::warp_index();
    if (threadIdx.x == 0) {
        smem.qs.init(1, 4 * C::consumers);
        smem.ks.init(1, 4 * C::consumers);
        smem.vs.init(1, 4 * C::consumers);
        tk::publish_barriers();
    }
    __syncthreads();
    const int rows = tk::tiles(M, BM);
    const int programs = programs_of<C::causal>(rows, H * B);
    const int shift = N - M;  // row i sees keys 0 ..= i + N - M

    if (warp >= 4 * C::consumers) {
        tk::registers_at_most<C::producer_registers>();
        if (warp == 4 * C::consumers && tk::elect_one()) {
            tk::cursor<C::q_stages> q_at;
            tk::cursor<C::stages> k_at, v_at;
            for (int program = first_program<C::causal>(); program < programs;
                 program = next_program<C::causal>(program)) {
                const place at = place_of<C::causal>(program, rows);
                if (!at.exists) continue;
                const int m = at.m * BM, h = at.head % H, b = at.head / H, g = h / (H / HKV);
                const int end = C::causal ? tk::min(m + BM + shift, N) : N;
                const auto load_k = [&](int j) {
                    smem.ks.wait_empty(k_at);
                    smem.ks.expect(k_at, smem.k[0].bytes);
                    tk::tma_load(smem.k[k_at.stage], K, smem.ks.full[k_at.stage], b, g, j, 0);
                    k_at.advance();
                };
                const auto load_v = [&](int j) {
                    smem.vs.wait_empty(v_at);
                    smem.vs.expect(v_at, smem.v[0].bytes);
                    tk::tma_load(smem.v[v_at.stage], V, smem.vs.full[v_at.stage], b, g, j, 0);
                    v_at.advance();
                };
                load_k(0);
                smem.qs.wait_empty(q_at);
                smem.qs.expect(q_at, smem.q[0].bytes);
                tk::tma_load(smem.q[q_at.stage], Q, smem.qs.full[q_at.stage], b, h, m, 0);
                q_at.advance();
                int j = BN;
                for (; j < end; j += BN) {
                    load_k(j);
                    load_v(j - BN);
                }
                load_v(j - BN);
            }
        }
    } else {
        tk::registers_at_least<C::consumer_registers>();
        const int warpgroup = tk::warpgroup_index();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        const float c = scale * tk::log2_e;
        tk::cursor<C::q_stages> q_at;
        tk::cursor<C::stages> k_at, v_at;
        constexpr bool taking_turns = C::turn != turns::none;
        constexpr int turn = 4;  // its first named barrier; 1.. are the epilogue's
        if (taking_turns && warpgroup == C::consumers - 1) tk::barrier_arrive(turn, 256);
        const auto wait_order = [&] {
            if (taking_turns) tk::barrier_sync(turn + warpgroup, 256);
        };
        const auto arrive_order = [&] {
            if (taking_turns)
                tk::barrier_arrive(turn + (warpgroup + 1 == C::consumers ? 0 : warpgroup + 1), 256);
        };
        for (int program = first_program<C::causal>(); program < programs;
             program = next_program<C::causal>(program)) {
            const place at = place_of<C::causal>(program, rows);
            if (!at.exists) continue;
            const int m = at.m * BM, h = at.head % H, b = at.head / H;
            const int end = C::causal ? tk::min(m + BM + shift, N) : N;
            const int first_row = m + 64 * warpgroup;

            // Scores of keys that do not exist, or are after the row, become -inf.
            const auto mask = [&](tk::fragment<float, 64, BN>& s, int j) {
                const int edge = N - j;
                const int away = first_row + shift - j;
                tk::map(
                    s, tk::warpgroup_thread(),
                    [&](int row, int col, float x) {
                        return col < edge && (!C::causal || col <= row + away) ? x : -INFINITY;
                    },
                    s);
            };
            const auto is_masked = [&](int j) {
                return j + BN > N || (C::causal && j + BN - 1 > first_row + shift);
            };

            smem.ks.wait_full(k_at);
            smem.qs.wait_full(q_at);
            const auto q_rows = tk::rows<64>(smem.q[q_at.stage], 64 * warpgroup);
            tk::fragment<tk::bf16, 64, C::register_q ? D : 16> q_registers;
            if constexpr (C::register_q) {
                tk::load_shared(q_registers, q_rows, tk::warpgroup_thread());
                smem.qs.release_after_loads(q_at);
            }
            auto& q = choose<C::register_q>(q_registers, q_rows);
            tk::fragment<float, 64, D> o;
            tk::fragment<tk::bf16, 64, BN> p;
            softmax_state<C> sm;
            {
                tk::fragment<float, 64, BN> s;
                tk::mma_async(s, q, tk::transposed(smem.k[k_at.stage]), tk::accumulate_never{});
                tk::mma_wait<0>(s);
                smem.ks.release(k_at);
                k_at.advance();
                if (is_masked(0)) mask(s, 0);
                tk::map(sm.max, tk::warpgroup_thread(), [](int, int) { return -INFINITY; });
                tk::map(sm.sum, tk::warpgroup_thread(), [](int, int) { return 0.0f; });
                softmax_step<true>(sm, s, c);
                p = tk::convert<tk::bf16>(s);
            }
            tk::zero(o);
            int j = BN;
            for (; j < end; j += BN) {
                tk::fragment<float, 64, BN> s;
                smem.ks.wait_full(k_at);
                wait_order();
                tk::mma_async(s, q, tk::transposed(smem.k[k_at.stage]), tk::accumulate_never{});
                smem.vs.wait_full(v_at);
                tk::mma_async(o, p, smem.v[v_at.stage]);
                if (C::turn == turns::products) arrive_order();
                tk::mma_wait<1>(s);
                if (C::turn == turns::first_done) arrive_order();
                smem.ks.release(k_at);
                k_at.advance();
                if (is_masked(j)) mask(s, j);
                softmax_step<C::causal>(sm, s, c);
                tk::mma_wait<0>(o, p);
                smem.vs.release(v_at);
                v_at.advance();
                p = tk::convert<tk::bf16>(s);
                if (C::lazy) scale_rows(o, sm.correction);
                else
                    tk::map(
                        o, tk::warpgroup_thread(), [](int, int, float x, float f) { return x * f; },
                        o, sm.correction);
            }
            if constexpr (C::staged && !C::register_q) smem.qs.release(q_at);
            smem.vs.wait_full(v_at);
            tk::mma_async(o, p, smem.v[v_at.stage]);
            tk::finish_rows(sm.sum, [](float x, float y) { return x + y; });
            tk::column_fragment<float, 64> inverse;
            tk::map(
                inverse, tk::warpgroup_thread(),
                [](int, int, float x) { return x == 0.0f ? 0.0f : tk::divide(1.0f, x); }, sm.sum);
            tk::mma_wait<0>(o, p);
            smem.vs.release(v_at);
            v_at.advance();

            // O goes out through its staging or this warpgroup's rows of Q, which it alone has
            // read.
            tk::fragment<tk::bf16, 64, D> result;
            tk::map(
                result, tk::warpgroup_thread(), [](int, int, float x, float f) { return x * f; }, o,
                inverse);
            if constexpr (C::staged) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                tk::store_shared(smem.o[warpgroup], result, tk::warpgroup_thread());
            } else {
                tk::store_shared(q_rows, result, tk::warpgroup_thread());
            }
            tk::fence_async();
            tk::barrier_sync(1 + warpgroup, 128);
            if (leader) {
                if constexpr (C::staged) tk::tma_store(O, smem.o[warpgroup], b, h, first_row, 0);
                else tk::tma_store(O, q_rows, b, h, first_row, 0);
            }
            tk::column_fragment<float, 64> lse;
            tk::map(
                lse, tk::warpgroup_thread(),
                [&](int, int, float x, float y) {
                    return y == 0.0f ? -INFINITY : (x * c + tk::log2(y)) * tk::ln_2;
                },
                sm.max, sm.sum);
            const tk::global_tile<float> rows_of_lse{
                LSE + (static_cast<int64_t>(b) * H + h) * M + first_row, 1, 0, M - first_row, 1};
            tk::store_global(rows_of_lse, lse, tk::warpgroup_thread());
            if constexpr (!C::staged) {
                if (leader) tk::tma_store_wait_read<0>();
                __syncwarp();
                smem.qs.release(q_at);
            }
            q_at.advance();
        }
        if (taking_turns && warpgroup == 0) tk::barrier_sync(turn, 256);
        if (leader) tk::tma_store_wait_read<0>();
    }
}

}  // namespace attention
