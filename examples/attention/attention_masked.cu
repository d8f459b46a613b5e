// Made by tkc from attention_masked.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/cells.cuh"
#include "tk/operations/integer.cuh"
#include "tk/operations/tickets.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/tk.cuh"

// block_kinds: kernel block_kinds with MASK = causal, BM = 128, BN = 128.
// 256 threads, 255 registers each, 1024 bytes of shared memory: block_kinds_kernel<true>.
// block_kinds_general: kernel block_kinds with MASK = causal, BM = 128, BN = 128; any strides and
// alignment.
// 256 threads, 255 registers each, 1024 bytes of shared memory: block_kinds_kernel<false>.
struct block_kinds_shared {
    tk::shared_tile<int, 8, 1> block_kinds_i32_rows_1[1];
};

template <bool vectors>
__global__ void __launch_bounds__(256, 1) block_kinds_kernel(
    const tk::tensor_argument<const int, 2> OfRow, const tk::tensor_argument<const int, 2> OfCol,
    const tk::tensor_argument<int, 4> Kind, const tk::tensor_argument<int, 4> Turned, int LB, int M,
    int N, int LH) {
    extern __shared__ __align__(1024) unsigned char memory[];
    block_kinds_shared& shared = *reinterpret_cast<block_kinds_shared*>(memory);

    tk::wait_for_previous_kernel();

    const int n_tiles = tk::tiles(N, 128);
    const int m_tiles = tk::tiles(M, 128);

    // attention_masked.tk:23: kernel block_kinds<MASK: fn = causal, BM: int = 128, BN: int = 128>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 128;
    const int m = program / n_tiles % m_tiles * 128;
    const int h = program / (n_tiles * m_tiles) % LH;
    const int b = program / (n_tiles * m_tiles * LH);

    // attention_masked.tk:31: let sees = MASK(b, h, row, col, column(load(OfRow[b, m])), ..
    tk::stripe<int, 128, 1, 256, 32, 4> t0;
    tk::load_global(t0, tk::slice<1, tk::no_axis>(OfRow, {b, m}, M - m, 1), thread);
    tk::stripe<int, 1, 128, 256, 32, 4> t1;
    tk::load_slice<vectors>(
        t1, tk::slice_if_vectors<vectors, tk::no_axis, 1>(OfCol, {b, n}, 1, N - n), thread);

    // attention_masked.tk:32: let seen   = sum(sum(where(is and sees, 1, 0), axis = 1), axis = 0);
    tk::stripe<int, 128, 128, 256, 32, 4> t2;
    tk::map(t2, thread, [&](int row, int col, int, int) {
        const int x = m + row;
        const int x_2 = n + col;
        return x < M && x_2 < N && x >= x_2 ? 1 : 0;
    }, t0, t1);
    tk::stripe<int, 128, 1, 256, 32, 4> t3;
    tk::fold_rows(t3, t2, tk::plus{}, thread);
    tk::finish_rows(t3, tk::plus{});
    tk::stripe<int, 1, 1, 256, 32, 4> seen;
    tk::reduce_columns(seen, t3, shared.block_kinds_i32_rows_1[0], tk::plus{}, thread, 1);

    // attention_masked.tk:33: let hidden = sum(sum(where(is and not sees, 1, 0), axis = 1), axis ..
    tk::stripe<int, 128, 128, 256, 32, 4> t5;
    tk::map(t5, thread, [&](int row, int col, int, int) {
        const int x = m + row;
        const int x_2 = n + col;
        return x < M && x_2 < N && !(x >= x_2) ? 1 : 0;
    }, t0, t1);
    tk::stripe<int, 128, 1, 256, 32, 4> t6;
    tk::fold_rows(t6, t5, tk::plus{}, thread);
    tk::finish_rows(t6, tk::plus{});
    tk::stripe<int, 1, 1, 256, 32, 4> hidden;
    tk::reduce_columns(hidden, t6, shared.block_kinds_i32_rows_1[0], tk::plus{}, thread, 1);

    // attention_masked.tk:34: let kind = where(seen == 0, 0, where(hidden == 0, 2, 1));
    tk::stripe<int, 1, 1, 256, 32, 4> kind;
    tk::map(kind, [](int seen, int hidden) { return seen == 0 ? 0 : hidden == 0 ? 2 : 1; },
            seen, hidden);

    // attention_masked.tk:35: store(Kind[b, h, m.index, n.index], kind);
    tk::store_global(
        tk::slice<tk::no_axis, 3>(Kind, {b, h, m / 128, n / 128}, 1,
                                  m / 128 < tk::divide_up(M, 128) ? tk::divide_up(N, 128) - n / 128
                                  : 0), kind, thread);

    // attention_masked.tk:36: store(Turned[b, h, n.index, m.index], kind);
    tk::store_global(
        tk::slice<tk::no_axis, 3>(Turned, {b, h, n / 128, m / 128}, 1,
                                  n / 128 < tk::divide_up(N, 128) ? tk::divide_up(M, 128) - m / 128
                                  : 0), kind, thread);
}

// block_lists: kernel block_lists with BC = 128, BP = 64.
// 128 threads, 96 registers each: block_lists_kernel<5, true>.
// block_lists_general: kernel block_lists with BC = 128, BP = 64; any strides and alignment.
// 128 threads, 255 registers each: block_lists_kernel<1, false>.
template <int blocks_3, bool vectors>
__global__ void __launch_bounds__(128, blocks_3) block_lists_kernel(
    const tk::tensor_argument<const int, 4> Kind, const tk::tensor_argument<int, 3> Count,
    const tk::tensor_argument<int, 3> Whole, const tk::tensor_argument<int, 4> List, int LB, int LH,
    int R, int C) {
    tk::wait_for_previous_kernel();

    // attention_masked.tk:40: kernel block_lists<BC: int = 128, BP: int = 64>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program % R;
    const int h = program / R % LH;
    const int b = program / (R * LH);

    // attention_masked.tk:44: var count: i32[1, 1] = 0;
    tk::stripe<int, 1, 1, 128, 32, 4> count;
    tk::map(count, []() { return 0; });

    // attention_masked.tk:45: var whole: i32[1, 1] = 0;
    tk::stripe<int, 1, 1, 128, 32, 4> whole;
    tk::map(whole, []() { return 0; });

    // attention_masked.tk:46: for c in C by BC {
    for (int c = 0; c < C; c += 128) {
        // attention_masked.tk:47: let kind = load(Kind[b, h, r, c]);
        tk::stripe<int, 1, 128, 128, 32, 4> kind;
        tk::load_slice<vectors>(kind,
                                tk::slice_if_vectors<vectors, tk::no_axis, 3>(Kind, {b, h, r, c}, 1,
                                                                              C - c), thread);

        // attention_masked.tk:48: count += sum(where(kind > 0, 1, 0), axis = 1);
        tk::stripe<int, 1, 128, 128, 32, 4> t1;
        tk::map(t1, [](int kind) { return kind > 0 ? 1 : 0; }, kind);
        tk::stripe<int, 1, 1, 128, 32, 4> t2;
        tk::fold_rows(t2, t1, tk::plus{}, thread);
        tk::finish_rows(t2, tk::plus{});
        tk::map(count, [](int count, int t2) { return tk::wrapping_add(count, t2); }, count, t2);

        // attention_masked.tk:49: whole += sum(where(kind == 2, 1, 0), axis = 1);
        tk::stripe<int, 1, 128, 128, 32, 4> t3;
        tk::map(t3, [](int kind) { return kind == 2 ? 1 : 0; }, kind);
        tk::stripe<int, 1, 1, 128, 32, 4> t4;
        tk::fold_rows(t4, t3, tk::plus{}, thread);
        tk::finish_rows(t4, tk::plus{});
        tk::map(whole, [](int whole, int t4) { return tk::wrapping_add(whole, t4); }, whole, t4);
    }

    // attention_masked.tk:51: store(Count[b, h, r], count);
    tk::store_global(tk::slice<tk::no_axis, 2>(Count, {b, h, r}, 1, R - r), count, thread);

    // attention_masked.tk:52: store(Whole[b, h, r], whole);
    tk::store_global(tk::slice<tk::no_axis, 2>(Whole, {b, h, r}, 1, R - r), whole, thread);

    // attention_masked.tk:53: for p in C by BP {
    for (int p = 0; p < C; p += 64) {
        // attention_masked.tk:54: var blocks: i32[BP, 1] = 0;
        tk::stripe<int, 64, 1, 128, 32, 4> blocks;
        tk::map(blocks, []() { return 0; });

        // attention_masked.tk:55: var wholes: i32[1, 1] = 0;
        tk::stripe<int, 1, 1, 128, 32, 4> wholes;
        tk::map(wholes, []() { return 0; });

        // attention_masked.tk:56: var parts = whole;
        tk::stripe<int, 1, 1, 128, 32, 4> parts = whole;

        // attention_masked.tk:57: for c in C by BC {
        for (int c = 0; c < C; c += 128) {
            // attention_masked.tk:58: let kind = load(Kind[b, h, r, c]);
            tk::stripe<int, 1, 128, 128, 32, 4> kind_2;
            tk::load_slice<vectors>(
                kind_2, tk::slice_if_vectors<vectors, tk::no_axis, 3>(Kind, {b, h, r, c}, 1, C - c),
                thread);

            // attention_masked.tk:59: let is_whole = where(kind == 2, 1, 0);
            tk::stripe<int, 1, 128, 128, 32, 4> is_whole;
            tk::map(is_whole, [](int kind_2) { return kind_2 == 2 ? 1 : 0; }, kind_2);

            // attention_masked.tk:60: let is_part  = where(kind == 1, 1, 0);
            tk::stripe<int, 1, 128, 128, 32, 4> is_part;
            tk::map(is_part, [](int kind_2) { return kind_2 == 1 ? 1 : 0; }, kind_2);

            // attention_masked.tk:61: let place = where(kind == 2, wholes + cumsum(is_whole, ..
            tk::stripe<int, 1, 128, 128, 32, 4> t6;
            tk::running_sums(t6, is_whole, thread);
            tk::stripe<int, 1, 128, 128, 32, 4> t7;
            tk::running_sums(t7, is_part, thread);
            tk::stripe<int, 1, 128, 128, 32, 4> place;
            tk::map(place, [](int kind_2, int wholes, int t6, int parts, int t7) {
                return tk::wrapping_subtract(kind_2 == 2 ? tk::wrapping_add(wholes, t6)
                                             : tk::wrapping_add(parts, t7), 1);
            }, kind_2, wholes, t6, parts, t7);

            // attention_masked.tk:63: blocks += sum(where(here, c.start + range(BC), 0), axis = 1);
            tk::stripe<int, 64, 128, 128, 32, 4> t8;
            tk::map(t8, thread, [&](int row, int col, int kind_2, int place) {
                return kind_2 > 0 && place == p + row ? c + col : 0;
            }, kind_2, place);
            tk::stripe<int, 64, 1, 128, 32, 4> t9;
            tk::fold_rows(t9, t8, tk::plus{}, thread);
            tk::finish_rows(t9, tk::plus{});
            tk::map(blocks, [](int blocks, int t9) { return tk::wrapping_add(blocks, t9); },
                    blocks, t9);

            // attention_masked.tk:64: wholes += sum(is_whole, axis = 1);
            tk::stripe<int, 1, 1, 128, 32, 4> t10;
            tk::fold_rows(t10, is_whole, tk::plus{}, thread);
            tk::finish_rows(t10, tk::plus{});
            tk::map(wholes, [](int wholes, int t10) { return tk::wrapping_add(wholes, t10); },
                    wholes, t10);

            // attention_masked.tk:65: parts  += sum(is_part, axis = 1);
            tk::stripe<int, 1, 1, 128, 32, 4> t11;
            tk::fold_rows(t11, is_part, tk::plus{}, thread);
            tk::finish_rows(t11, tk::plus{});
            tk::map(parts, [](int parts, int t11) { return tk::wrapping_add(parts, t11); },
                    parts, t11);
        }

        // attention_masked.tk:67: store(List[b, h, r, p], blocks);
        tk::store_global(tk::slice<3, tk::no_axis>(List, {b, h, r, p}, C - p, 1), blocks, thread);
    }
}

// whole_blocks: kernel whole_blocks with BB = 128.
// 128 threads, 48 registers each: whole_blocks_kernel<10, 32, 4, true>.
// whole_blocks_general: kernel whole_blocks with BB = 128; any strides and alignment.
// 128 threads, 255 registers each: whole_blocks_kernel<1, 64, 2, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) whole_blocks_kernel(
    const tk::tensor_argument<const int, 2> Of, const tk::tensor_argument<int, 2> Whole, int LB,
    int M) {
    tk::wait_for_previous_kernel();

    const int m_tiles = tk::tiles(tk::divide_up(M, 128) * 128, 128);

    // attention_masked.tk:72: kernel whole_blocks<BB: int = 128>(Of: i32[LB, M], out Whole: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int m = program % m_tiles * 128;
    const int b = program / m_tiles;

    // attention_masked.tk:75: store(Whole[b, m], load(Of[b, m]));
    tk::stripe<int, 1, 128, 128, row_threads, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_vectors<vectors, tk::no_axis, 1>(Of, {b, m}, 1, M - m),
                            thread);
    tk::store_slice<vectors>(
        tk::slice_if_vectors<vectors, tk::no_axis, 1>(Whole, {b, m}, 1,
                                                      tk::divide_up(M, 128) * 128 - m), t0, thread);
}

// attention_masked: kernel attention_masked with T = bf16, D = 128, MASK = causal, BM = 128, BN =
// 128.
// producer: 1 warp, 40 registers a thread; consumer: 2 warpgroups, 232 registers a thread.
// 384 threads, 168 registers each at first, 197768 bytes of shared memory; persistent, programs
// dealt by a counter.
struct attention_masked_shared {
    tk::shared_tile<tk::bf16, 128, 128> qs_tile[1];
    tk::shared_tile<tk::bf16, 128, 128> ks_tile[2];
    tk::shared_tile<tk::bf16, 128, 128> vs_tile[2];
    tk::shared_tile<int, 1, 128> cs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> consumer_O[4];
    tk::pipeline<1> qs;
    tk::pipeline<2> ks;
    tk::pipeline<2> vs;
    tk::pipeline<2> cs;
    tk::pipeline<1> tickets;
    int ticket_numbers[1];
};
static_assert(offsetof(attention_masked_shared, ticket_numbers) == 197760);

__global__ void __launch_bounds__(384, 1) attention_masked_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap Keys_map, const __grid_constant__ CUtensorMap V_map,
    const __grid_constant__ CUtensorMap O_map, const tk::tensor_argument<const int, 3> Count,
    const tk::tensor_argument<const int, 3> Whole, const tk::tensor_argument<const int, 4> List,
    const tk::tensor_argument<float, 3> LSE, int B, int H, int M, int HKV, int N, int LB, int LH,
    float scale, unsigned* counters) {
    extern __shared__ __align__(1024) unsigned char memory[];
    attention_masked_shared& shared = *reinterpret_cast<attention_masked_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Q_map, K_map, Keys_map, V_map, O_map);
        shared.qs.init(1, 8);
        shared.ks.init(1, 8);
        shared.vs.init(1, 8);
        shared.cs.init(1, 8);
        shared.tickets.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // attention_masked.tk:112: role producer(1 warp) {
        tk::registers_at_most<40>();
        const int m_tiles = tk::tiles(M, 128);
        const int programs = m_tiles * H * B;
        const int section = tk::section_width(m_tiles, gridDim.x);
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> cs_next, ks_next, vs_next;
            tk::cursor<1> qs_next, tickets_next;
            for (int program = blockIdx.x; program < programs;) {
                const tk::grid_point place = tk::drawn(program, m_tiles, H * B, section);
                const int m = (m_tiles - 1 - place.row) * 128;
                const int h = place.col % H;
                const int b = place.col / H;

                // attention_masked.tk:102: let g  = h // (H / HKV);
                const int g = h / (H / HKV);

                // attention_masked.tk:103: let lb = min(b, LB - 1);
                const int lb = tk::min(b, LB - 1);

                // attention_masked.tk:104: let lh = min(h, LH - 1);
                const int lh = tk::min(h, LH - 1);

                // attention_masked.tk:105: let count = Count[lb, lh, m.index];
                const int count = tk::cell(Count, lb, lh, m / 128);

                // attention_masked.tk:106: let whole = Whole[lb, lh, m.index];
                const int whole = tk::cell(Whole, lb, lh, m / 128);

                // attention_masked.tk:113: produce qs = tma_load(Q[b, h, m, :]);
                shared.qs.begin(qs_next, 32768);
                tk::tma_load(shared.qs_tile[qs_next.stage], Q_map, shared.qs.full[qs_next.stage], b,
                             h, m, 0);
                qs_next.advance();

                // attention_masked.tk:114: if count > 0 {
                if (count > 0) {
                    // attention_masked.tk:115: produce ks = tma_load(K[b, g, List[lb, lh, ..
                    shared.ks.begin(ks_next, 32768);
                    tk::tma_load(shared.ks_tile[ks_next.stage], K_map,
                                 shared.ks.full[ks_next.stage], b, g,
                                 tk::cell(List, lb, lh, m / 128, 0) * 128, 0);
                    ks_next.advance();

                    // attention_masked.tk:116: if whole == 0 { produce cs = tma_load(Keys[lb, ..
                    if (whole == 0) {
                        shared.cs.begin(cs_next, 512);
                        tk::tma_load(shared.cs_tile[cs_next.stage], Keys_map,
                                     shared.cs.full[cs_next.stage], lb,
                                     tk::cell(List, lb, lh, m / 128, 0) * 128);
                        cs_next.advance();
                    }

                    // attention_masked.tk:117: for i in 1..whole {
                    #pragma unroll 1
                    for (int i = 1; i < whole; i += 1) {
                        // attention_masked.tk:118: produce ks = tma_load(K[b, g, List[lb, lh, ..
                        shared.ks.begin(ks_next, 32768);
                        tk::tma_load(shared.ks_tile[ks_next.stage], K_map,
                                     shared.ks.full[ks_next.stage], b, g,
                                     (i < tk::divide_up(N, 128) ? tk::cell(List, lb, lh, m / 128, i)
                                      : int{}) * 128, 0);
                        ks_next.advance();

                        // attention_masked.tk:119: produce vs = tma_load(V[b, g, List[lb, lh, ..
                        shared.vs.begin(vs_next, 32768);
                        tk::tma_load(shared.vs_tile[vs_next.stage], V_map,
                                     shared.vs.full[vs_next.stage], b, g,
                                     (0 <= i - 1 && i - 1 < tk::divide_up(N, 128)
                                      ? tk::cell(List, lb, lh, m / 128, i - 1) : int{}) * 128, 0);
                        vs_next.advance();
                    }

                    // attention_masked.tk:121: for i in max(whole, 1)..count {
                    #pragma unroll 1
                    for (int i = tk::max(whole, 1); i < count; i += 1) {
                        // attention_masked.tk:122: if D > 64 { produce vs = tma_load(V[b, g, ..
                        shared.vs.begin(vs_next, 32768);
                        tk::tma_load(shared.vs_tile[vs_next.stage], V_map,
                                     shared.vs.full[vs_next.stage], b, g,
                                     (0 <= i - 1 && i - 1 < tk::divide_up(N, 128)
                                      ? tk::cell(List, lb, lh, m / 128, i - 1) : int{}) * 128, 0);
                        vs_next.advance();

                        // attention_masked.tk:123: produce ks = tma_load(K[b, g, List[lb, lh, ..
                        shared.ks.begin(ks_next, 32768);
                        tk::tma_load(shared.ks_tile[ks_next.stage], K_map,
                                     shared.ks.full[ks_next.stage], b, g,
                                     (i < tk::divide_up(N, 128) ? tk::cell(List, lb, lh, m / 128, i)
                                      : int{}) * 128, 0);
                        ks_next.advance();

                        // attention_masked.tk:124: produce cs = tma_load(Keys[lb, List[lb, lh, ..
                        shared.cs.begin(cs_next, 512);
                        tk::tma_load(shared.cs_tile[cs_next.stage], Keys_map,
                                     shared.cs.full[cs_next.stage], lb,
                                     (i < tk::divide_up(N, 128) ? tk::cell(List, lb, lh, m / 128, i)
                                      : int{}) * 128);
                        cs_next.advance();
                    }

                    // attention_masked.tk:127: produce vs = tma_load(V[b, g, List[lb, lh, ..
                    shared.vs.begin(vs_next, 32768);
                    tk::tma_load(shared.vs_tile[vs_next.stage], V_map,
                                 shared.vs.full[vs_next.stage], b, g,
                                 (0 <= count - 1 && count - 1 < tk::divide_up(N, 128)
                                  ? tk::cell(List, lb, lh, m / 128, count - 1) : int{}) * 128, 0);
                    vs_next.advance();
                }

                // The next program.
                shared.tickets.wait_empty(tickets_next);
                program = tk::draw_ticket(shared.tickets, shared.ticket_numbers, tickets_next,
                                          counters);
                tickets_next.advance();
            }
        }
    } else {
        // attention_masked.tk:130: role consumer(BM / 64 warpgroups) {
        tk::registers_at_least<232>();
        const int m_tiles = tk::tiles(M, 128);
        const int programs = m_tiles * H * B;
        const int section = tk::section_width(m_tiles, gridDim.x);
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> cs_next, ks_next, vs_next;
        tk::cursor<1> qs_next;
        for (int program = blockIdx.x; program < programs;) {
            const tk::grid_point place = tk::drawn(program, m_tiles, H * B, section);
            const int m = (m_tiles - 1 - place.row) * 128;
            const int h = place.col % H;
            const int b = place.col / H;

            // attention_masked.tk:103: let lb = min(b, LB - 1);
            const int lb = tk::min(b, LB - 1);

            // attention_masked.tk:104: let lh = min(h, LH - 1);
            const int lh = tk::min(h, LH - 1);

            // attention_masked.tk:105: let count = Count[lb, lh, m.index];
            const int count = tk::cell(Count, lb, lh, m / 128);

            // attention_masked.tk:106: let whole = Whole[lb, lh, m.index];
            const int whole = tk::cell(Whole, lb, lh, m / 128);

            // attention_masked.tk:131: let q: T[BM, D] = consume qs;
            const tk::cursor<1> q_element = shared.qs.take(qs_next);
            tk::fragment<tk::bf16, 64, 128> q_2;
            tk::load_shared(q_2, tk::rows<64>(shared.qs_tile[q_element.stage], 64 * warpgroup),
                            thread);
            shared.qs.release_after_loads(q_element);

            // attention_masked.tk:133: var o: f32[BM, D] = 0;
            tk::fragment<float, 64, 128> o;
            tk::zero(o);

            // attention_masked.tk:134: var sm = softmax.start<BM>(scale);
            tk::column_fragment<float, 64> sm_max;
            tk::fill(sm_max, -INFINITY);
            tk::column_fragment<float, 64> sm_sum;
            tk::zero(sm_sum);
            tk::column_fragment<float, 64> sm_correction;
            tk::fill(sm_correction, 1.0f);
            const float sm_c = scale * 1.442695f;

            // attention_masked.tk:135: if count > 0 {
            if (count > 0) {
                // attention_masked.tk:136: let first = List[lb, lh, m.index, 0] * BN;
                const int first = tk::cell(List, lb, lh, m / 128, 0) * 128;

                // attention_masked.tk:137: var s = mma(q, (consume ks).T);
                const tk::cursor<2> ks_element = shared.ks.take(ks_next);
                tk::fragment<float, 64, 128> s;
                tk::mma_async(s, q_2, tk::transposed(shared.ks_tile[ks_element.stage]),
                              tk::accumulate_never{});
                tk::mma_wait<0>(s, q_2);
                shared.ks.release(ks_element);

                // attention_masked.tk:138: if whole == 0 {
                if (whole == 0) {
                    // attention_masked.tk:139: let seen = MASK(b, h, m.start + row_index(s), ..
                    const tk::cursor<2> cs_element = shared.cs.take(cs_next);
                    shared.cs.release(cs_element);

                    // attention_masked.tk:140: s = where(seen, s, -inf);
                    if (!(first + 127 <= m + 64 * warpgroup)) {
                        tk::map(s, thread, [&](int row, int col, float s) {
                            return m + 64 * warpgroup + row >= first + col ? s : -INFINITY;
                        }, s);
                    }
                }

                // <std.softmax>:30: let m  = max(sm.max, max(s, axis = 1));
                const int edge = N - tk::cell(List, lb, lh, m / 128, 0) * 128;
                if (!(edge >= 128)) {
                    tk::map(s, thread, [&](int, int col, float s) {
                        return col < edge ? s : -INFINITY;
                    }, s);
                }
                tk::column_fragment<float, 64> t3;
                tk::fold_rows(t3, s, tk::maximum{}, thread);
                tk::finish_rows(t3, tk::maximum{});
                tk::column_fragment<float, 64> m_2;
                tk::map(m_2, [](float sm_max, float t3) { return tk::max(sm_max, t3); },
                        sm_max, t3);

                // <std.softmax>:31: let m0 = where(m == -inf, 0, m) * sm.c;
                tk::column_fragment<float, 64> m0;
                tk::map(m0, [&](float m_2) { return (m_2 == -INFINITY ? 0.0f : m_2) * sm_c; }, m_2);

                // <std.softmax>:32: let p  = exp2(fma(s, sm.c, -m0));
                tk::fragment<float, 64, 128> p;
                tk::map(p, [&](float s, float m0) { return tk::exp2(tk::fma(s, sm_c, -m0)); },
                        s, m0);

                // <std.softmax>:33: sm.correction = where(m == sm.max, 1, exp2(fma(sm.max, sm.c, ..
                tk::map(sm_correction, [&](float m_2, float sm_max, float m0) {
                    return m_2 == sm_max ? 1.0f : tk::exp2(tk::fma(sm_max, sm_c, -m0));
                }, m_2, sm_max, m0);

                // <std.softmax>:34: sm.sum = sm.sum * sm.correction + sum(p, axis = 1);
                tk::column_fragment<float, 64> t4;
                tk::fold_rows(t4, p, tk::plus{}, thread);
                tk::map(sm_sum, [](float sm_sum, float sm_correction, float t4) {
                    return tk::fma(sm_sum, sm_correction, t4);
                }, sm_sum, sm_correction, t4);

                // <std.softmax>:35: sm.max = m;
                sm_max = m_2;

                // attention_masked.tk:142: var p = T(softmax.step(inout sm, attention.full(s, 0, ..
                tk::fragment<tk::bf16, 64, 128> p_2 = tk::convert<tk::bf16>(p);

                // attention_masked.tk:143: for i in 1..whole {
                for (int i = 1; i < whole; i += 1) {
                    // attention_masked.tk:144: s = mma(q, (consume ks).T);
                    const tk::cursor<2> ks_element_2 = shared.ks.take(ks_next);
                    tk::mma_async(s, q_2, tk::transposed(shared.ks_tile[ks_element_2.stage]),
                                  tk::accumulate_never{});

                    // attention_masked.tk:145: o += mma(p, consume vs);
                    const tk::cursor<2> vs_element = shared.vs.take(vs_next);
                    tk::mma_async(o, p_2, shared.vs_tile[vs_element.stage]);
                    // <std.softmax>:30
                    const int edge_2 = N -
                        (i < tk::divide_up(N, 128) ? tk::cell(List, lb, lh, m / 128, i) : int{}) *
                        128;
                    tk::mma_wait<1>(s, q_2);
                    shared.ks.release(ks_element_2);
                    if (!(edge_2 >= 128)) {
                        tk::map(s, thread, [&](int, int col, float s) {
                            return col < edge_2 ? s : -INFINITY;
                        }, s);
                    }
                    tk::column_fragment<float, 64> t6;
                    tk::fold_rows(t6, s, tk::maximum{}, thread);
                    tk::finish_rows(t6, tk::maximum{});
                    tk::column_fragment<float, 64> m_3;
                    tk::map(m_3, [](float sm_max, float t6) { return tk::max(sm_max, t6); },
                            sm_max, t6);
                    // <std.softmax>:31
                    tk::column_fragment<float, 64> m0_2;
                    tk::map(m0_2, [&](float m_3) { return (m_3 == -INFINITY ? 0.0f : m_3) * sm_c; },
                            m_3);
                    // <std.softmax>:32
                    tk::hold_waits(warp);
                    tk::fragment<float, 64, 128> p_3;
                    tk::map(p_3, [&](float s, float m0_2) {
                        return tk::exp2(tk::fma(s, sm_c, -m0_2));
                    }, s, m0_2);
                    // <std.softmax>:33
                    tk::map(sm_correction, [&](float m_3, float sm_max, float m0_2) {
                        return m_3 == sm_max ? 1.0f : tk::exp2(tk::fma(sm_max, sm_c, -m0_2));
                    }, m_3, sm_max, m0_2);
                    // <std.softmax>:34
                    tk::column_fragment<float, 64> t7;
                    tk::fold_rows(t7, p_3, tk::plus{}, thread);
                    tk::map(sm_sum, [](float sm_sum, float sm_correction, float t7) {
                        return tk::fma(sm_sum, sm_correction, t7);
                    }, sm_sum, sm_correction, t7);
                    // <std.softmax>:35
                    sm_max = m_3;
                    tk::mma_wait<0>(o, p_2);
                    shared.vs.release(vs_element);

                    // attention_masked.tk:146: p = T(softmax.step(inout sm, attention.full(s, 0, ..
                    p_2 = tk::convert<tk::bf16>(p_3);

                    // attention_masked.tk:147: o *= sm.correction;
                    tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                            o, sm_correction);
                }

                // attention_masked.tk:149: for i in max(whole, 1)..count {
                for (int i = tk::max(whole, 1); i < count; i += 1) {
                    // attention_masked.tk:150: let key = List[lb, lh, m.index, i] * BN;
                    const int key = (i < tk::divide_up(N, 128) ? tk::cell(List, lb, lh, m / 128, i)
                                     : int{}) * 128;

                    // attention_masked.tk:151: if D > 64 { o += mma(p, consume vs); }
                    const tk::cursor<2> vs_element_2 = shared.vs.take(vs_next);
                    tk::mma_async(o, p_2, shared.vs_tile[vs_element_2.stage]);

                    // attention_masked.tk:152: s = mma(q, (consume ks).T);
                    const tk::cursor<2> ks_element_3 = shared.ks.take(ks_next);
                    tk::mma_async(s, q_2, tk::transposed(shared.ks_tile[ks_element_3.stage]),
                                  tk::accumulate_never{});

                    // attention_masked.tk:154: let seen = MASK(b, h, m.start + row_index(s), key ..
                    const tk::cursor<2> cs_element_2 = shared.cs.take(cs_next);
                    shared.cs.release(cs_element_2);

                    // attention_masked.tk:155: p = T(softmax.step(inout sm, ..
                    const int edge_2 = N -
                        (i < tk::divide_up(N, 128) ? tk::cell(List, lb, lh, m / 128, i) : int{}) *
                        128;
                    tk::mma_wait<0>(o, s, p_2, q_2);
                    shared.vs.release(vs_element_2);
                    shared.ks.release(ks_element_3);
                    if (!(edge_2 >= 128 && key + 127 <= m + 64 * warpgroup)) {
                        tk::map(s, thread, [&](int row, int col, float s) {
                            return col < edge_2
                                ? (m + 64 * warpgroup + row >= key + col ? s : -INFINITY)
                                : -INFINITY;
                        }, s);
                    }
                    // <std.softmax>:30
                    tk::column_fragment<float, 64> t8;
                    tk::fold_rows(t8, s, tk::maximum{}, thread);
                    tk::finish_rows(t8, tk::maximum{});
                    tk::column_fragment<float, 64> m_4;
                    tk::map(m_4, [](float sm_max, float t8) { return tk::max(sm_max, t8); },
                            sm_max, t8);
                    // <std.softmax>:31
                    tk::column_fragment<float, 64> m0_3;
                    tk::map(m0_3, [&](float m_4) { return (m_4 == -INFINITY ? 0.0f : m_4) * sm_c; },
                            m_4);
                    // <std.softmax>:32
                    tk::fragment<float, 64, 128> p_4;
                    tk::map(p_4, [&](float s, float m0_3) {
                        return tk::exp2(tk::fma(s, sm_c, -m0_3));
                    }, s, m0_3);
                    // <std.softmax>:33
                    tk::map(sm_correction, [&](float m_4, float sm_max, float m0_3) {
                        return m_4 == sm_max ? 1.0f : tk::exp2(tk::fma(sm_max, sm_c, -m0_3));
                    }, m_4, sm_max, m0_3);
                    // <std.softmax>:34
                    tk::column_fragment<float, 64> t9;
                    tk::fold_rows(t9, p_4, tk::plus{}, thread);
                    tk::map(sm_sum, [](float sm_sum, float sm_correction, float t9) {
                        return tk::fma(sm_sum, sm_correction, t9);
                    }, sm_sum, sm_correction, t9);
                    // <std.softmax>:35
                    sm_max = m_4;
                    // attention_masked.tk:155
                    p_2 = tk::convert<tk::bf16>(p_4);

                    // attention_masked.tk:156: o *= sm.correction;
                    tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                            o, sm_correction);
                }

                // attention_masked.tk:158: o += mma(p, consume vs);
                const tk::cursor<2> vs_element_3 = shared.vs.take(vs_next);
                tk::mma_async(o, p_2, shared.vs_tile[vs_element_3.stage]);
                tk::mma_wait<0>(o, p_2);
                shared.vs.release(vs_element_3);
            }

            // attention_masked.tk:160: tma_store(O[b, h, m, :], T(softmax.finish(sm, o)));
            tk::column_fragment<float, 64> t1 = sm_sum;
            tk::finish_rows(t1, tk::plus{});
            tk::column_fragment<float, 64> t0;
            tk::map(t0, [](float t1) { return t1 == 0.0f ? 0.0f : tk::divide(1.0f, t1); }, t1);
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                tk::fragment<tk::bf16, 64, 64> t10;
                tk::map(t10, [](float o, float t0) { return o * t0; },
                        tk::window<64, 64>(o, 0, panel), t0);
                tk::store_shared(shared.consumer_O[warpgroup * 2 + panel / 64 % 2], t10, thread);
                tk::fence_async();
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                if (leader) {
                    tk::tma_store(O_map, shared.consumer_O[warpgroup * 2 + panel / 64 % 2], b, h,
                                  m + warpgroup * 64, panel);
                }
            }

            // attention_masked.tk:161: store(LSE[b, h, m], softmax.lse(sm));
            tk::column_fragment<float, 64> t11;
            tk::map(t11, [&](float t1, float sm_max) {
                return t1 == 0.0f ? -INFINITY : tk::fma(sm_max, sm_c, tk::log2(t1)) * 0.6931472f;
            }, t1, sm_max);
            tk::store_global(
                tk::slice<2, tk::no_axis>(LSE, {b, h, m + 64 * warpgroup}, M - (m + 64 * warpgroup),
                                          1), t11, thread);

            // The next program.
            shared.tickets.wait_full(q_element);
            program = shared.ticket_numbers[q_element.stage];
            shared.tickets.release_after_loads(q_element, tk::ordinary_alone{});
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

namespace {
tk::status launch_block_kinds(const tk::launch_site& site, const tk::tensor& OfRow,
                              const tk::tensor& OfCol, const tk::tensor& Kind,
                              const tk::tensor& Turned, int64_t LB, int64_t M, int64_t N,
                              int64_t LH) {
    return tk::run<block_kinds_kernel<true>>(
        site, sizeof(block_kinds_shared), tk::kernel_shape(256).overlapping(),
        tk::multiply(tk::multiply(tk::multiply(tk::ceil_div(N, 128), tk::ceil_div(M, 128)), LH),
                     LB), OfRow, OfCol, Kind, Turned, LB, M, N, LH);
}

tk::status launch_block_kinds_general(const tk::launch_site& site, const tk::tensor& OfRow,
                                      const tk::tensor& OfCol, const tk::tensor& Kind,
                                      const tk::tensor& Turned, int64_t LB, int64_t M, int64_t N,
                                      int64_t LH) {
    return tk::run<block_kinds_kernel<false>>(
        site, sizeof(block_kinds_shared), tk::kernel_shape(256).overlapping(),
        tk::multiply(tk::multiply(tk::multiply(tk::ceil_div(N, 128), tk::ceil_div(M, 128)), LH),
                     LB), OfRow, OfCol, Kind, Turned, LB, M, N, LH);
}

tk::status launch_block_lists(
    const tk::launch_site& site, const tk::tensor& Kind, const tk::tensor& Count,
    const tk::tensor& Whole, const tk::tensor& List, int64_t LB, int64_t LH, int64_t R, int64_t C) {
    return tk::run<block_lists_kernel<5, true>>(site, 0, tk::kernel_shape(128).overlapping(),
                                                tk::multiply(tk::multiply(R, LH), LB), Kind, Count,
                                                Whole, List, LB, LH, R, C);
}

tk::status launch_block_lists_general(
    const tk::launch_site& site, const tk::tensor& Kind, const tk::tensor& Count,
    const tk::tensor& Whole, const tk::tensor& List, int64_t LB, int64_t LH, int64_t R, int64_t C) {
    return tk::run<block_lists_kernel<1, false>>(site, 0, tk::kernel_shape(128).overlapping(),
                                                 tk::multiply(tk::multiply(R, LH), LB), Kind, Count,
                                                 Whole, List, LB, LH, R, C);
}

tk::status launch_whole_blocks(const tk::launch_site& site, const tk::tensor& Of,
                               const tk::tensor& Whole, int64_t LB, int64_t M) {
    return tk::run<whole_blocks_kernel<10, 32, 4, true>>(
        site, 0, tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(M, 128) * 128, 128), 0), LB), Of, Whole,
        LB, M);
}

tk::status launch_whole_blocks_general(const tk::launch_site& site, const tk::tensor& Of,
                                       const tk::tensor& Whole, int64_t LB, int64_t M) {
    return tk::run<whole_blocks_kernel<1, 64, 2, false>>(
        site, 0, tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(M, 128) * 128, 128), 0), LB), Of, Whole,
        LB, M);
}

tk::status launch_attention_masked(
    const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K, const tk::tensor& V,
    const tk::tensor& Keys, const tk::tensor& Count, const tk::tensor& Whole,
    const tk::tensor& List, const tk::tensor& O, const tk::tensor& LSE, int64_t B, int64_t H,
    int64_t M, int64_t HKV, int64_t N, int64_t LB, int64_t LH, float scale, void* workspace) {
    return tk::run<attention_masked_kernel>(
        site, sizeof(attention_masked_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(M, 128), H), B), tk::box{Q, {1, 1, 128, 64}, 128},
        tk::box{K, {1, 1, 128, 64}, 128}, tk::box{Keys, {1, 128}, 0},
        tk::box{V, {1, 1, 128, 64}, 128}, tk::box{O, {1, 1, 64, 64}, 128}, Count, Whole, List, LSE,
        B, H, M, HKV, N, LB, LH, scale, workspace);
}

}  // namespace

extern "C" {
int block_kinds(const DLTensor* OfRow_given, const DLTensor* OfCol_given, DLTensor* Kind_given,
                DLTensor* Turned_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"block_kinds"};
    const tk::tensor OfRow = call.take("OfRow", OfRow_given, tk::dtype_i32, 2, tk::access::read);
    const tk::tensor OfCol = call.take("OfCol", OfCol_given, tk::dtype_i32, 2, tk::access::read);
    const tk::tensor Kind = call.take("Kind", Kind_given, tk::dtype_i32, 4, tk::access::write);
    const tk::tensor Turned = call.take("Turned", Turned_given, tk::dtype_i32, 4,
                                        tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t LB = OfRow.shape[0];
    const int64_t M = OfRow.shape[1];
    const int64_t N = OfCol.shape[1];
    const int64_t LH = Kind.shape[1];
    call.require({
        tk::same_extent("LB", OfRow, 0, OfCol, 0), tk::same_extent("LB", OfRow, 0, Kind, 0),
        tk::same_extent("LB", OfRow, 0, Turned, 0), tk::same_extent("LH", Kind, 1, Turned, 1),
        tk::extents_fit({{"LB", LB}, {"M", M}, {"N", N}, {"LH", LH}}),
        tk::that(Kind.shape[2] == tk::ceil_div(M, 128),
                 "axis 2 of `Kind` is {}; it must be `ceil_div(M, 128)`, which is {}",
                 {Kind.shape[2], tk::ceil_div(M, 128)}),
        tk::that(Kind.shape[3] == tk::ceil_div(N, 128),
                 "axis 3 of `Kind` is {}; it must be `ceil_div(N, 128)`, which is {}",
                 {Kind.shape[3], tk::ceil_div(N, 128)}),
        tk::that(Turned.shape[2] == tk::ceil_div(N, 128),
                 "axis 2 of `Turned` is {}; it must be `ceil_div(N, 128)`, which is {}",
                 {Turned.shape[2], tk::ceil_div(N, 128)}),
        tk::that(Turned.shape[3] == tk::ceil_div(M, 128),
                 "axis 3 of `Turned` is {}; it must be `ceil_div(M, 128)`, which is {}",
                 {Turned.shape[3], tk::ceil_div(M, 128)}),
        tk::grid_fits(tk::multiply(tk::ceil_div(N, 128), tk::ceil_div(M, 128)), 2147483648),
        tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 128), tk::ceil_div(M, 128)), LH),
                      2147483648),
        tk::grid_fits(
            tk::multiply(tk::multiply(tk::multiply(tk::ceil_div(N, 128), tk::ceil_div(M, 128)), LH),
                         LB), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(
        tk::multiply(tk::multiply(tk::ceil_div(N, 128), tk::ceil_div(M, 128)), LH), LB);
    const bool fast = tk::hold({tk::suits_fast(OfCol, "N"), tk::whole_vectors(OfCol, 4)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<block_kinds_kernel<true>, block_kinds_kernel<false>>(
        fast ? 0 : 1, site, sizeof(block_kinds_shared), tk::kernel_shape(256).overlapping(),
        programs, OfRow, OfCol, Kind, Turned, LB, M, N, LH));
}
TK_NO_WORKSPACE(block_kinds, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*)

int block_lists(const DLTensor* Kind_given, DLTensor* Count_given, DLTensor* Whole_given,
                DLTensor* List_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"block_lists"};
    const tk::tensor Kind = call.take("Kind", Kind_given, tk::dtype_i32, 4, tk::access::read);
    const tk::tensor Count = call.take("Count", Count_given, tk::dtype_i32, 3, tk::access::write);
    const tk::tensor Whole = call.take("Whole", Whole_given, tk::dtype_i32, 3, tk::access::write);
    const tk::tensor List = call.take("List", List_given, tk::dtype_i32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t LB = Kind.shape[0];
    const int64_t LH = Kind.shape[1];
    const int64_t R = Kind.shape[2];
    const int64_t C = Kind.shape[3];
    call.require(
        {tk::same_extent("LB", Kind, 0, Count, 0), tk::same_extent("LH", Kind, 1, Count, 1),
         tk::same_extent("R", Kind, 2, Count, 2), tk::same_extent("LB", Kind, 0, Whole, 0),
         tk::same_extent("LH", Kind, 1, Whole, 1), tk::same_extent("R", Kind, 2, Whole, 2),
         tk::same_extent("LB", Kind, 0, List, 0), tk::same_extent("LH", Kind, 1, List, 1),
         tk::same_extent("R", Kind, 2, List, 2), tk::same_extent("C", Kind, 3, List, 3),
         tk::extents_fit({{"LB", LB}, {"LH", LH}, {"R", R}, {"C", C}}),
         tk::grid_fits(tk::multiply(R, LH), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(R, LH), LB), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(R, LH), LB);
    const bool fast = tk::hold({tk::suits_fast(Kind, "C"), tk::whole_vectors(Kind, 4)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<block_lists_kernel<5, true>, block_lists_kernel<1, false>>(
        fast ? 0 : 1, site, 0, tk::kernel_shape(128).overlapping(), programs, Kind, Count, Whole,
        List, LB, LH, R, C));
}
TK_NO_WORKSPACE(block_lists, const DLTensor*, DLTensor*, DLTensor*, DLTensor*)

int whole_blocks(const DLTensor* Of_given, DLTensor* Whole_given, void*, size_t,
                 cudaStream_t stream) {
    tk::arguments call{"whole_blocks"};
    const tk::tensor Of = call.take("Of", Of_given, tk::dtype_i32, 2, tk::access::read);
    const tk::tensor Whole = call.take("Whole", Whole_given, tk::dtype_i32, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t LB = Of.shape[0];
    const int64_t M = Of.shape[1];
    call.require(
        {tk::same_extent("LB", Of, 0, Whole, 0), tk::extents_fit({{"LB", LB}, {"M", M}}),
         tk::that(Whole.shape[1] == tk::ceil_div(M, 128) * 128,
                  "axis 1 of `Whole` is {}; it must be `ceil_div(M, 128)*128`, which is {}",
                  {Whole.shape[1], tk::ceil_div(M, 128) * 128}),
         tk::grid_fits(
             tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(M, 128) * 128, 128), 0), LB),
             2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs =
        tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(M, 128) * 128, 128), 0), LB);
    const bool fast = tk::hold(
        {tk::suits_fast(Of, "M"), tk::whole_vectors(Of, 4), tk::suits_fast(Whole),
         tk::that(tk::ceil_div(M, 128) * 128 % 4 == 0)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<whole_blocks_kernel<10, 32, 4, true>, whole_blocks_kernel<1, 64, 2, false>>(
            fast ? 0 : 1, site, 0, tk::kernel_shape(128).overlapping(), programs, Of, Whole, LB,
            M));
}
TK_NO_WORKSPACE(whole_blocks, const DLTensor*, DLTensor*)

int attention_masked(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
                     const DLTensor* OfRow_given, const DLTensor* Keys_given,
                     const DLTensor* Count_given, const DLTensor* Whole_given,
                     const DLTensor* List_given, DLTensor* O_given, DLTensor* LSE_given,
                     float scale, void* workspace, size_t workspace_bytes, cudaStream_t stream) {
    tk::arguments call{"attention_masked"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor OfRow = call.take("OfRow", OfRow_given, tk::dtype_i32, 2, tk::access::read);
    const tk::tensor Keys = call.take("Keys", Keys_given, tk::dtype_i32, 2, tk::access::read);
    const tk::tensor Count = call.take("Count", Count_given, tk::dtype_i32, 3, tk::access::read);
    const tk::tensor Whole = call.take("Whole", Whole_given, tk::dtype_i32, 3, tk::access::read);
    const tk::tensor List = call.take("List", List_given, tk::dtype_i32, 4, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t H = Q.shape[1];
    const int64_t M = Q.shape[2];
    const int64_t HKV = K.shape[1];
    const int64_t N = K.shape[2];
    const int64_t LB = OfRow.shape[0];
    const int64_t LH = Count.shape[1];
    call.require(
        {tk::fixed_extent(Q, 3, 128), tk::same_extent("B", Q, 0, K, 0), tk::fixed_extent(K, 3, 128),
         tk::same_extent("B", Q, 0, V, 0), tk::same_extent("HKV", K, 1, V, 1),
         tk::same_extent("N", K, 2, V, 2), tk::fixed_extent(V, 3, 128),
         tk::same_extent("M", Q, 2, OfRow, 1), tk::same_extent("LB", OfRow, 0, Keys, 0),
         tk::same_extent("LB", OfRow, 0, Count, 0), tk::same_extent("LB", OfRow, 0, Whole, 0),
         tk::same_extent("LH", Count, 1, Whole, 1), tk::same_extent("LB", OfRow, 0, List, 0),
         tk::same_extent("LH", Count, 1, List, 1), tk::same_extent("B", Q, 0, O, 0),
         tk::same_extent("H", Q, 1, O, 1), tk::same_extent("M", Q, 2, O, 2),
         tk::fixed_extent(O, 3, 128), tk::same_extent("B", Q, 0, LSE, 0),
         tk::same_extent("H", Q, 1, LSE, 1), tk::same_extent("M", Q, 2, LSE, 2),
         tk::extents_fit(
             {{"B", B}, {"H", H}, {"M", M}, {"HKV", HKV}, {"N", N}, {"LB", LB}, {"LH", LH}}),
         tk::that(Keys.shape[1] == tk::ceil_div(N, 128) * 128,
                  "axis 1 of `Keys` is {}; it must be `ceil_div(N, 128)*128`, which is {}",
                  {Keys.shape[1], tk::ceil_div(N, 128) * 128}),
         tk::that(Count.shape[2] == tk::ceil_div(M, 128),
                  "axis 2 of `Count` is {}; it must be `ceil_div(M, 128)`, which is {}",
                  {Count.shape[2], tk::ceil_div(M, 128)}),
         tk::that(Whole.shape[2] == tk::ceil_div(M, 128),
                  "axis 2 of `Whole` is {}; it must be `ceil_div(M, 128)`, which is {}",
                  {Whole.shape[2], tk::ceil_div(M, 128)}),
         tk::that(List.shape[2] == tk::ceil_div(M, 128),
                  "axis 2 of `List` is {}; it must be `ceil_div(M, 128)`, which is {}",
                  {List.shape[2], tk::ceil_div(M, 128)}),
         tk::that(List.shape[3] == tk::ceil_div(N, 128),
                  "axis 3 of `List` is {}; it must be `ceil_div(N, 128)`, which is {}",
                  {List.shape[3], tk::ceil_div(N, 128)}),
         tk::that(1 <= HKV, "`H%HKV` divides by `HKV`, which is {}: it must be at least 1", {HKV}),
         tk::that(tk::floor_mod(H, HKV) == 0, "`attention_masked` requires `H % HKV == 0`"),
         tk::that(scale > 0.0f, "`attention_masked` requires `scale > 0`"),
         tk::that(LB >= 1, "`attention_masked` requires `LB >= 1`"),
         tk::that(LH >= 1, "`attention_masked` requires `LH >= 1`"),
         tk::that(LB == 1 || LB == B, "`attention_masked` requires `LB == 1 or LB == B`"),
         tk::that(LH == 1 || LH == H, "`attention_masked` requires `LH == 1 or LH == H`"),
         tk::that(0 < HKV, "`HKV` is at least 1, because `attention_masked` divides by it"),
         tk::that(0 < tk::floor_div(H, HKV),
                  "`H/HKV` is at least 1, because `attention_masked` divides by it"),
         tk::suits_tma_load(Q), tk::suits_tma_load(K), tk::suits_tma_load(V),
         tk::suits_tma_load(Keys), tk::suits_tma_store(O),
         tk::grid_fits(tk::multiply(tk::ceil_div(M, 128), H), 2147418112),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(M, 128), H), B), 2147418112),
         tk::that(1 <= tk::floor_div(H, HKV),
                  "`h/(H/HKV)` divides by `H/HKV`, which is {}: it must be at least 1",
                  {tk::floor_div(H, HKV)})});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t counter_bytes = 4;
    TK_FINISH_IF_FAILED(tk::check_workspace(workspace, workspace_bytes, counter_bytes));

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    TK_FINISH_IF_FAILED(tk::clear_counters(workspace, counter_bytes, site));
    return tk::finish(tk::run<attention_masked_kernel>(
        site, sizeof(attention_masked_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(M, 128), H), B), tk::box{Q, {1, 1, 128, 64}, 128},
        tk::box{K, {1, 1, 128, 64}, 128}, tk::box{Keys, {1, 128}, 0},
        tk::box{V, {1, 1, 128, 64}, 128}, tk::box{O, {1, 1, 64, 64}, 128}, Count, Whole, List, LSE,
        B, H, M, HKV, N, LB, LH, scale, workspace));
}
size_t attention_masked_workspace(const DLTensor* Q_given, const DLTensor* K_given,
                                  const DLTensor* V_given, const DLTensor* OfRow_given,
                                  const DLTensor* Keys_given, const DLTensor* Count_given,
                                  const DLTensor* Whole_given, const DLTensor* List_given,
                                  DLTensor* O_given, DLTensor* LSE_given, float scale) {
    tk::arguments call{"attention_masked"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor OfRow = call.take("OfRow", OfRow_given, tk::dtype_i32, 2, tk::access::read);
    const tk::tensor Keys = call.take("Keys", Keys_given, tk::dtype_i32, 2, tk::access::read);
    const tk::tensor Count = call.take("Count", Count_given, tk::dtype_i32, 3, tk::access::read);
    const tk::tensor Whole = call.take("Whole", Whole_given, tk::dtype_i32, 3, tk::access::read);
    const tk::tensor List = call.take("List", List_given, tk::dtype_i32, 4, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return 0;
    return size_t(4);
}
TK_ERROR(attention_masked)

int mask_blocks(const DLTensor* OfRow_given, const DLTensor* OfCol_given, DLTensor* Count_given,
                DLTensor* Whole_given, DLTensor* List_given, DLTensor* CountOf_given,
                DLTensor* WholeOf_given, DLTensor* ListOf_given, DLTensor* Keys_given,
                DLTensor* Kind_given, DLTensor* Turned_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"mask_blocks"};
    const tk::tensor OfRow = call.take("OfRow", OfRow_given, tk::dtype_i32, 2, tk::access::read);
    const tk::tensor OfCol = call.take("OfCol", OfCol_given, tk::dtype_i32, 2, tk::access::read);
    const tk::tensor Count = call.take("Count", Count_given, tk::dtype_i32, 3, tk::access::write);
    const tk::tensor Whole = call.take("Whole", Whole_given, tk::dtype_i32, 3, tk::access::write);
    const tk::tensor List = call.take("List", List_given, tk::dtype_i32, 4, tk::access::write);
    const tk::tensor CountOf = call.take("CountOf", CountOf_given, tk::dtype_i32, 3,
                                         tk::access::write);
    const tk::tensor WholeOf = call.take("WholeOf", WholeOf_given, tk::dtype_i32, 3,
                                         tk::access::write);
    const tk::tensor ListOf = call.take("ListOf", ListOf_given, tk::dtype_i32, 4,
                                        tk::access::write);
    const tk::tensor Keys = call.take("Keys", Keys_given, tk::dtype_i32, 2, tk::access::write);
    const tk::tensor Kind = call.take("Kind", Kind_given, tk::dtype_i32, 4, tk::access::write);
    const tk::tensor Turned = call.take("Turned", Turned_given, tk::dtype_i32, 4,
                                        tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t LB = OfRow.shape[0];
    const int64_t M = OfRow.shape[1];
    const int64_t N = OfCol.shape[1];
    const int64_t LH = Count.shape[1];
    call.require(
        {tk::same_extent("LB", OfRow, 0, OfCol, 0), tk::same_extent("LB", OfRow, 0, Count, 0),
         tk::same_extent("LB", OfRow, 0, Whole, 0), tk::same_extent("LH", Count, 1, Whole, 1),
         tk::same_extent("LB", OfRow, 0, List, 0), tk::same_extent("LH", Count, 1, List, 1),
         tk::same_extent("LB", OfRow, 0, CountOf, 0), tk::same_extent("LH", Count, 1, CountOf, 1),
         tk::same_extent("LB", OfRow, 0, WholeOf, 0), tk::same_extent("LH", Count, 1, WholeOf, 1),
         tk::same_extent("LB", OfRow, 0, ListOf, 0), tk::same_extent("LH", Count, 1, ListOf, 1),
         tk::same_extent("LB", OfRow, 0, Keys, 0), tk::same_extent("LB", OfRow, 0, Kind, 0),
         tk::same_extent("LH", Count, 1, Kind, 1), tk::same_extent("LB", OfRow, 0, Turned, 0),
         tk::same_extent("LH", Count, 1, Turned, 1),
         tk::extents_fit({{"LB", LB}, {"M", M}, {"N", N}, {"LH", LH}}),
         tk::that(Count.shape[2] == tk::ceil_div(M, 128),
                  "axis 2 of `Count` is {}; it must be `ceil_div(M, 128)`, which is {}",
                  {Count.shape[2], tk::ceil_div(M, 128)}),
         tk::that(Whole.shape[2] == tk::ceil_div(M, 128),
                  "axis 2 of `Whole` is {}; it must be `ceil_div(M, 128)`, which is {}",
                  {Whole.shape[2], tk::ceil_div(M, 128)}),
         tk::that(List.shape[2] == tk::ceil_div(M, 128),
                  "axis 2 of `List` is {}; it must be `ceil_div(M, 128)`, which is {}",
                  {List.shape[2], tk::ceil_div(M, 128)}),
         tk::that(List.shape[3] == tk::ceil_div(N, 128),
                  "axis 3 of `List` is {}; it must be `ceil_div(N, 128)`, which is {}",
                  {List.shape[3], tk::ceil_div(N, 128)}),
         tk::that(CountOf.shape[2] == tk::ceil_div(N, 128),
                  "axis 2 of `CountOf` is {}; it must be `ceil_div(N, 128)`, which is {}",
                  {CountOf.shape[2], tk::ceil_div(N, 128)}),
         tk::that(WholeOf.shape[2] == tk::ceil_div(N, 128),
                  "axis 2 of `WholeOf` is {}; it must be `ceil_div(N, 128)`, which is {}",
                  {WholeOf.shape[2], tk::ceil_div(N, 128)}),
         tk::that(ListOf.shape[2] == tk::ceil_div(N, 128),
                  "axis 2 of `ListOf` is {}; it must be `ceil_div(N, 128)`, which is {}",
                  {ListOf.shape[2], tk::ceil_div(N, 128)}),
         tk::that(ListOf.shape[3] == tk::ceil_div(M, 128),
                  "axis 3 of `ListOf` is {}; it must be `ceil_div(M, 128)`, which is {}",
                  {ListOf.shape[3], tk::ceil_div(M, 128)}),
         tk::that(Keys.shape[1] == tk::ceil_div(N, 128) * 128,
                  "axis 1 of `Keys` is {}; it must be `ceil_div(N, 128)*128`, which is {}",
                  {Keys.shape[1], tk::ceil_div(N, 128) * 128}),
         tk::that(Kind.shape[2] == tk::ceil_div(M, 128),
                  "axis 2 of `Kind` is {}; it must be `ceil_div(M, 128)`, which is {}",
                  {Kind.shape[2], tk::ceil_div(M, 128)}),
         tk::that(Kind.shape[3] == tk::ceil_div(N, 128),
                  "axis 3 of `Kind` is {}; it must be `ceil_div(N, 128)`, which is {}",
                  {Kind.shape[3], tk::ceil_div(N, 128)}),
         tk::that(Turned.shape[2] == tk::ceil_div(N, 128),
                  "axis 2 of `Turned` is {}; it must be `ceil_div(N, 128)`, which is {}",
                  {Turned.shape[2], tk::ceil_div(N, 128)}),
         tk::that(Turned.shape[3] == tk::ceil_div(M, 128),
                  "axis 3 of `Turned` is {}; it must be `ceil_div(M, 128)`, which is {}",
                  {Turned.shape[3], tk::ceil_div(M, 128)})});
    // block_kinds(OfRow, OfCol, Kind, Turned)
    call.require({
        tk::grid_fits(tk::multiply(tk::ceil_div(N, 128), tk::ceil_div(M, 128)), 2147483648),
        tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 128), tk::ceil_div(M, 128)), LH),
                      2147483648),
        tk::grid_fits(
            tk::multiply(tk::multiply(tk::multiply(tk::ceil_div(N, 128), tk::ceil_div(M, 128)), LH),
                         LB), 2147483648)});
    // block_lists(Kind, Count, Whole, List)
    call.require({
        tk::that(tk::ceil_div(M, 128) < 2147221504,
                 "`ceil_div(M, 128)` is {}; extents must be less than 2147221504",
                 {tk::ceil_div(M, 128)}),
        tk::that(tk::ceil_div(N, 128) < 2147221504,
                 "`ceil_div(N, 128)` is {}; extents must be less than 2147221504",
                 {tk::ceil_div(N, 128)}),
        tk::grid_fits(tk::multiply(tk::ceil_div(M, 128), LH), 2147483648),
        tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(M, 128), LH), LB), 2147483648)});
    // block_lists(Turned, CountOf, WholeOf, ListOf)
    call.require(
        {tk::grid_fits(tk::multiply(tk::ceil_div(N, 128), LH), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 128), LH), LB), 2147483648)});
    // whole_blocks(OfCol, Keys)
    call.require({
        tk::grid_fits(
            tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(N, 128) * 128, 128), 0), LB),
            2147483648)});
    if (!call.ok()) return tk::finish(call.result());

    // block_kinds(OfRow, OfCol, Kind, Turned)
    const bool choice_1 = tk::hold({tk::suits_fast(OfCol, "N"), tk::whole_vectors(OfCol, 4)});

    // block_lists(Kind, Count, Whole, List)
    const bool choice_2 = tk::hold(
        {tk::that(Kind.stride[3] == 1), tk::that(Kind.address % 16 == 0),
         tk::that(Kind.stride[2] % 4 == 0 && 0 < Kind.stride[2] && Kind.stride[2] < 274877906944),
         tk::that(Kind.stride[1] % 4 == 0 && 0 < Kind.stride[1] && Kind.stride[1] < 274877906944),
         tk::that(Kind.stride[0] % 4 == 0 && 0 < Kind.stride[0] && Kind.stride[0] < 274877906944),
         tk::that(tk::ceil_div(N, 128) % 4 == 0)});

    // block_lists(Turned, CountOf, WholeOf, ListOf)
    const bool choice_3 = tk::hold(
        {tk::that(Turned.stride[3] == 1), tk::that(Turned.address % 16 == 0),
         tk::that(Turned.stride[2] % 4 == 0 && 0 < Turned.stride[2] &&
                  Turned.stride[2] < 274877906944),
         tk::that(Turned.stride[1] % 4 == 0 && 0 < Turned.stride[1] &&
                  Turned.stride[1] < 274877906944),
         tk::that(Turned.stride[0] % 4 == 0 && 0 < Turned.stride[0] &&
                  Turned.stride[0] < 274877906944), tk::that(tk::ceil_div(M, 128) % 4 == 0)});

    // whole_blocks(OfCol, Keys)
    const bool choice_4 =
        tk::hold({tk::suits_fast(OfCol, "N"), tk::whole_vectors(OfCol, 4), tk::suits_fast(Keys)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1) {
        TK_FINISH_IF_FAILED(launch_block_kinds(site, OfRow, OfCol, Kind, Turned, LB, M, N, LH));
    } else {
        TK_FINISH_IF_FAILED(
            launch_block_kinds_general(site, OfRow, OfCol, Kind, Turned, LB, M, N, LH));
    }
    if (choice_2) {
        TK_FINISH_IF_FAILED(
            launch_block_lists(site, tk::read_only(Kind), Count, Whole, List, LB, LH,
                               tk::ceil_div(M, 128), tk::ceil_div(N, 128)));
    } else {
        TK_FINISH_IF_FAILED(
            launch_block_lists_general(site, tk::read_only(Kind), Count, Whole, List, LB, LH,
                                       tk::ceil_div(M, 128), tk::ceil_div(N, 128)));
    }
    if (choice_3) {
        TK_FINISH_IF_FAILED(
            launch_block_lists(site, tk::read_only(Turned), CountOf, WholeOf, ListOf, LB, LH,
                               tk::ceil_div(N, 128), tk::ceil_div(M, 128)));
    } else {
        TK_FINISH_IF_FAILED(
            launch_block_lists_general(site, tk::read_only(Turned), CountOf, WholeOf, ListOf, LB,
                                       LH, tk::ceil_div(N, 128), tk::ceil_div(M, 128)));
    }
    if (choice_4) {
        TK_FINISH_IF_FAILED(launch_whole_blocks(site, OfCol, Keys, LB, N));
    } else {
        TK_FINISH_IF_FAILED(launch_whole_blocks_general(site, OfCol, Keys, LB, N));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(mask_blocks, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*)

int attention_by_mask(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
                      const DLTensor* OfRow_given, const DLTensor* OfCol_given, DLTensor* O_given,
                      DLTensor* LSE_given, DLTensor* Count_given, DLTensor* Whole_given,
                      DLTensor* List_given, DLTensor* Kind_given, DLTensor* Turned_given,
                      DLTensor* Keys_given, float scale, void* workspace, size_t workspace_bytes,
                      cudaStream_t stream) {
    tk::arguments call{"attention_by_mask"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor OfRow = call.take("OfRow", OfRow_given, tk::dtype_i32, 2, tk::access::read);
    const tk::tensor OfCol = call.take("OfCol", OfCol_given, tk::dtype_i32, 2, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor Count = call.take("Count", Count_given, tk::dtype_i32, 3, tk::access::write);
    const tk::tensor Whole = call.take("Whole", Whole_given, tk::dtype_i32, 3, tk::access::write);
    const tk::tensor List = call.take("List", List_given, tk::dtype_i32, 4, tk::access::write);
    const tk::tensor Kind = call.take("Kind", Kind_given, tk::dtype_i32, 4, tk::access::write);
    const tk::tensor Turned = call.take("Turned", Turned_given, tk::dtype_i32, 4,
                                        tk::access::write);
    const tk::tensor Keys = call.take("Keys", Keys_given, tk::dtype_i32, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t H = Q.shape[1];
    const int64_t M = Q.shape[2];
    const int64_t HKV = K.shape[1];
    const int64_t N = K.shape[2];
    call.require(
        {tk::fixed_extent(Q, 3, 128), tk::same_extent("B", Q, 0, K, 0), tk::fixed_extent(K, 3, 128),
         tk::same_extent("B", Q, 0, V, 0), tk::same_extent("HKV", K, 1, V, 1),
         tk::same_extent("N", K, 2, V, 2), tk::fixed_extent(V, 3, 128),
         tk::same_extent("B", Q, 0, OfRow, 0), tk::same_extent("M", Q, 2, OfRow, 1),
         tk::same_extent("B", Q, 0, OfCol, 0), tk::same_extent("N", K, 2, OfCol, 1),
         tk::same_extent("B", Q, 0, O, 0), tk::same_extent("H", Q, 1, O, 1),
         tk::same_extent("M", Q, 2, O, 2), tk::fixed_extent(O, 3, 128),
         tk::same_extent("B", Q, 0, LSE, 0), tk::same_extent("H", Q, 1, LSE, 1),
         tk::same_extent("M", Q, 2, LSE, 2), tk::same_extent("B", Q, 0, Count, 0),
         tk::same_extent("H", Q, 1, Count, 1), tk::same_extent("B", Q, 0, Whole, 0),
         tk::same_extent("H", Q, 1, Whole, 1), tk::same_extent("B", Q, 0, List, 0),
         tk::same_extent("H", Q, 1, List, 1), tk::same_extent("B", Q, 0, Kind, 0),
         tk::same_extent("H", Q, 1, Kind, 1), tk::same_extent("B", Q, 0, Turned, 0),
         tk::same_extent("H", Q, 1, Turned, 1), tk::same_extent("B", Q, 0, Keys, 0),
         tk::extents_fit({{"B", B}, {"H", H}, {"M", M}, {"HKV", HKV}, {"N", N}}),
         tk::that(Count.shape[2] == tk::ceil_div(M, 128),
                  "axis 2 of `Count` is {}; it must be `ceil_div(M, 128)`, which is {}",
                  {Count.shape[2], tk::ceil_div(M, 128)}),
         tk::that(Whole.shape[2] == tk::ceil_div(M, 128),
                  "axis 2 of `Whole` is {}; it must be `ceil_div(M, 128)`, which is {}",
                  {Whole.shape[2], tk::ceil_div(M, 128)}),
         tk::that(List.shape[2] == tk::ceil_div(M, 128),
                  "axis 2 of `List` is {}; it must be `ceil_div(M, 128)`, which is {}",
                  {List.shape[2], tk::ceil_div(M, 128)}),
         tk::that(List.shape[3] == tk::ceil_div(N, 128),
                  "axis 3 of `List` is {}; it must be `ceil_div(N, 128)`, which is {}",
                  {List.shape[3], tk::ceil_div(N, 128)}),
         tk::that(Kind.shape[2] == tk::ceil_div(M, 128),
                  "axis 2 of `Kind` is {}; it must be `ceil_div(M, 128)`, which is {}",
                  {Kind.shape[2], tk::ceil_div(M, 128)}),
         tk::that(Kind.shape[3] == tk::ceil_div(N, 128),
                  "axis 3 of `Kind` is {}; it must be `ceil_div(N, 128)`, which is {}",
                  {Kind.shape[3], tk::ceil_div(N, 128)}),
         tk::that(Turned.shape[2] == tk::ceil_div(N, 128),
                  "axis 2 of `Turned` is {}; it must be `ceil_div(N, 128)`, which is {}",
                  {Turned.shape[2], tk::ceil_div(N, 128)}),
         tk::that(Turned.shape[3] == tk::ceil_div(M, 128),
                  "axis 3 of `Turned` is {}; it must be `ceil_div(M, 128)`, which is {}",
                  {Turned.shape[3], tk::ceil_div(M, 128)}),
         tk::that(Keys.shape[1] == tk::ceil_div(N, 128) * 128,
                  "axis 1 of `Keys` is {}; it must be `ceil_div(N, 128)*128`, which is {}",
                  {Keys.shape[1], tk::ceil_div(N, 128) * 128}),
         tk::that(1 <= HKV, "`H%HKV` divides by `HKV`, which is {}: it must be at least 1", {HKV}),
         tk::that(tk::floor_mod(H, HKV) == 0, "`attention_by_mask` requires `H % HKV == 0`"),
         tk::that(scale > 0.0f, "`attention_by_mask` requires `scale > 0`"),
         tk::that(0 < HKV, "`HKV` is at least 1, because `attention_by_mask` divides by it")});
    // block_kinds(OfRow, OfCol, Kind, Turned)
    call.require(
        {tk::grid_fits(tk::multiply(tk::ceil_div(N, 128), tk::ceil_div(M, 128)), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 128), tk::ceil_div(M, 128)), H),
                       2147483648),
         tk::grid_fits(
             tk::multiply(tk::multiply(tk::multiply(tk::ceil_div(N, 128), tk::ceil_div(M, 128)), H),
                          B), 2147483648)});
    // block_lists(Kind, Count, Whole, List)
    call.require({
        tk::that(tk::ceil_div(M, 128) < 2147221504,
                 "`ceil_div(M, 128)` is {}; extents must be less than 2147221504",
                 {tk::ceil_div(M, 128)}),
        tk::that(tk::ceil_div(N, 128) < 2147221504,
                 "`ceil_div(N, 128)` is {}; extents must be less than 2147221504",
                 {tk::ceil_div(N, 128)}),
        tk::grid_fits(tk::multiply(tk::ceil_div(M, 128), H), 2147483648),
        tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(M, 128), H), B), 2147483648)});
    // whole_blocks(OfCol, Keys)
    call.require({
        tk::grid_fits(tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(N, 128) * 128, 128), 0), B),
                      2147483648)});
    // attention_masked(Q, K, V, OfRow, Keys, Count, Whole, List, O, LSE, scale)
    call.require(
        {tk::that(B >= 1, "`attention_masked` requires `B >= 1`"),
         tk::that(H >= 1, "`attention_masked` requires `H >= 1`"),
         tk::that(0 < tk::floor_div(H, HKV),
                  "`H/HKV` is at least 1, because `attention_masked` divides by it"),
         tk::suits_tma_load(Q), tk::suits_tma_load(K), tk::suits_tma_load(V),
         tk::suits_tma_load(Keys), tk::suits_tma_store(O),
         tk::grid_fits(tk::multiply(tk::ceil_div(M, 128), H), 2147418112),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(M, 128), H), B), 2147418112),
         tk::that(1 <= tk::floor_div(H, HKV),
                  "`h/(H/HKV)` divides by `H/HKV`, which is {}: it must be at least 1",
                  {tk::floor_div(H, HKV)})});
    if (!call.ok()) return tk::finish(call.result());

    // block_kinds(OfRow, OfCol, Kind, Turned)
    const bool choice_1 = tk::hold({tk::suits_fast(OfCol, "N"), tk::whole_vectors(OfCol, 4)});

    // block_lists(Kind, Count, Whole, List)
    const bool choice_2 = tk::hold(
        {tk::that(Kind.stride[3] == 1), tk::that(Kind.address % 16 == 0),
         tk::that(Kind.stride[2] % 4 == 0 && 0 < Kind.stride[2] && Kind.stride[2] < 274877906944),
         tk::that(Kind.stride[1] % 4 == 0 && 0 < Kind.stride[1] && Kind.stride[1] < 274877906944),
         tk::that(Kind.stride[0] % 4 == 0 && 0 < Kind.stride[0] && Kind.stride[0] < 274877906944),
         tk::that(tk::ceil_div(N, 128) % 4 == 0)});

    // whole_blocks(OfCol, Keys)
    const bool choice_3 =
        tk::hold({tk::suits_fast(OfCol, "N"), tk::whole_vectors(OfCol, 4), tk::suits_fast(Keys)});
    const int64_t counter_bytes = 4;
    TK_FINISH_IF_FAILED(tk::check_workspace(workspace, workspace_bytes, counter_bytes));

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1) {
        TK_FINISH_IF_FAILED(launch_block_kinds(site, OfRow, OfCol, Kind, Turned, B, M, N, H));
    } else {
        TK_FINISH_IF_FAILED(
            launch_block_kinds_general(site, OfRow, OfCol, Kind, Turned, B, M, N, H));
    }
    if (choice_2) {
        TK_FINISH_IF_FAILED(
            launch_block_lists(site, tk::read_only(Kind), Count, Whole, List, B, H,
                               tk::ceil_div(M, 128), tk::ceil_div(N, 128)));
    } else {
        TK_FINISH_IF_FAILED(
            launch_block_lists_general(site, tk::read_only(Kind), Count, Whole, List, B, H,
                                       tk::ceil_div(M, 128), tk::ceil_div(N, 128)));
    }
    if (choice_3) {
        TK_FINISH_IF_FAILED(launch_whole_blocks(site, OfCol, Keys, B, N));
    } else {
        TK_FINISH_IF_FAILED(launch_whole_blocks_general(site, OfCol, Keys, B, N));
    }
    TK_FINISH_IF_FAILED(tk::clear_counters(workspace, counter_bytes, site));
    TK_FINISH_IF_FAILED(launch_attention_masked(
        site, Q, K, V, tk::read_only(Keys), tk::read_only(Count), tk::read_only(Whole),
        tk::read_only(List), O, LSE, B, H, M, HKV, N, B, H, scale, workspace));
    return tk::finish({});
}
size_t attention_by_mask_workspace(
    const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
    const DLTensor* OfRow_given, const DLTensor* OfCol_given, DLTensor* O_given,
    DLTensor* LSE_given, DLTensor* Count_given, DLTensor* Whole_given, DLTensor* List_given,
    DLTensor* Kind_given, DLTensor* Turned_given, DLTensor* Keys_given, float scale) {
    tk::arguments call{"attention_by_mask"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor OfRow = call.take("OfRow", OfRow_given, tk::dtype_i32, 2, tk::access::read);
    const tk::tensor OfCol = call.take("OfCol", OfCol_given, tk::dtype_i32, 2, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor Count = call.take("Count", Count_given, tk::dtype_i32, 3, tk::access::write);
    const tk::tensor Whole = call.take("Whole", Whole_given, tk::dtype_i32, 3, tk::access::write);
    const tk::tensor List = call.take("List", List_given, tk::dtype_i32, 4, tk::access::write);
    const tk::tensor Kind = call.take("Kind", Kind_given, tk::dtype_i32, 4, tk::access::write);
    const tk::tensor Turned = call.take("Turned", Turned_given, tk::dtype_i32, 4,
                                        tk::access::write);
    const tk::tensor Keys = call.take("Keys", Keys_given, tk::dtype_i32, 2, tk::access::write);
    if (!call.ok()) return 0;
    return size_t(4);
}
TK_ERROR(attention_by_mask)
}  // extern "C"
