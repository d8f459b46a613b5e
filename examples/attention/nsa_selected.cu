// Made by tkc from nsa_selected.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/cells.cuh"
#include "tk/operations/integer.cuh"
#include "tk/operations/tickets.cuh"
#include "tk/ptx/wgmma_n064.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/tk.cuh"

// listing: kernel listing with BS = 64, TOK = 4, BC = 128, BI = 16.
// 128 threads, 48 registers each, 2048 bytes of shared memory: listing_kernel<10, 4, 4, true>.
// listing_general: kernel listing with BS = 64, TOK = 4, BC = 128, BI = 16; any strides and
// alignment.
// 128 threads, 255 registers each, 2048 bytes of shared memory: listing_kernel<1, 4, 2, false>.
// listing_BS_64_TOK_8: kernel listing with BS = 64, TOK = 8, BC = 128, BI = 16.
// 128 threads, 48 registers each, 2048 bytes of shared memory: listing_kernel<10, 8, 4, true>.
// listing_BS_64_TOK_8_general: kernel listing with BS = 64, TOK = 8, BC = 128, BI = 16; any strides
// and alignment.
// 128 threads, 255 registers each, 2048 bytes of shared memory: listing_kernel<1, 8, 2, false>.
struct listing_shared {
    tk::shared_tile<int, 4, 128> listing_i32_rows_128[1];
};

template <int blocks, int TOK, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) listing_kernel(
    const tk::tensor_argument<const int, 4> list, const tk::tensor_argument<const int, 3> count,
    const tk::tensor_argument<int, 4> Tokens, int B, int N, int HKV, int SEL) {
    extern __shared__ __align__(1024) unsigned char memory[];
    listing_shared& shared = *reinterpret_cast<listing_shared*>(memory);

    tk::wait_for_previous_kernel();

    const int c_tiles = tk::tiles(tk::divide_up(N, 64), 128);
    const int t_tiles = tk::tiles(N, TOK);

    // nsa_selected.tk:20: kernel listing<BS: int = 64, TOK: int = 4, BC: int = 128, BI: int = 16>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int c = program % c_tiles * 128;
    const int t = program / c_tiles % t_tiles * TOK;
    const int g = program / (c_tiles * t_tiles) % HKV;
    const int b = program / (c_tiles * t_tiles * HKV);

    // nsa_selected.tk:26: var tokens: i32[1, BC] = 0;
    tk::stripe<int, 1, 128, 128, 32, vector> tokens;
    tk::map(tokens, []() { return 0; });

    // nsa_selected.tk:27: for k in min(TOK, N - t.start) {
    for (int k = 0; k < tk::min(TOK, N - t); k += 1) {
        // nsa_selected.tk:28: let token  = t.start + k;
        const int token = t + k;

        // nsa_selected.tk:29: let listed = min(count[b, token, g], SEL);
        const int listed = tk::min(tk::cell(count, b, token, g), SEL);

        // nsa_selected.tk:30: var found: i32[1, BC] = 0;
        tk::stripe<int, 1, 128, 128, 32, vector> found;
        tk::map(found, []() { return 0; });

        // nsa_selected.tk:31: for i in SEL by BI {
        for (int i = 0; i < SEL; i += 16) {
            // nsa_selected.tk:32: let is = i.start + column(range(BI)) < listed and ..
            tk::stripe<int, 16, 1, 128, 32, vector> t0;
            tk::load_global(t0,
                            tk::slice<3, tk::no_axis>(list, {b, token, g, i},
                                                      token < N ? SEL - i : 0, 1), thread);

            // nsa_selected.tk:33: found += sum(where(is, 1, 0), axis = 0);
            tk::stripe<int, 16, 128, 128, 32, vector> t1;
            tk::map(t1, thread, [&](int row, int col, int t0) {
                return i + row < listed && t0 == c + col ? 1 : 0;
            }, t0);
            tk::stripe<int, 1, 128, 128, 32, vector> t2;
            tk::reduce_columns(t2, t1, shared.listing_i32_rows_128[0], tk::plus{}, thread, 1);
            tk::map(found, [](int found, int t2) { return tk::wrapping_add(found, t2); },
                    found, t2);
        }

        // nsa_selected.tk:35: tokens = tokens | where(found > 0 and block * BS <= token, 1 << k, ..
        tk::map(tokens, thread, [&](int, int col, int tokens, int found) {
            return tokens | (found > 0 && (c + col) * 64 <= token ? 1 << (k & 31) : 0);
        }, tokens, found);
    }

    // nsa_selected.tk:37: store(Tokens[b, g, t.index, c], tokens);
    tk::store_slice<vectors>(
        tk::slice_if_vectors<vectors, tk::no_axis, 3>(Tokens, {b, g, t / TOK, c}, 1,
                                                      t / TOK < tk::divide_up(N, TOK)
                                                      ? tk::divide_up(N, 64) - c : 0), tokens,
        thread);
}

// unions: kernel unions with BS = 64, TOK = 4, BC = 128, BP = 32.
// 128 threads, 96 registers each: unions_kernel<5, 4, 4, true>.
// unions_general: kernel unions with BS = 64, TOK = 4, BC = 128, BP = 32; any strides and
// alignment.
// 128 threads, 255 registers each: unions_kernel<1, 4, 2, false>.
// unions_BS_64_TOK_8: kernel unions with BS = 64, TOK = 8, BC = 128, BP = 32.
// 128 threads, 96 registers each: unions_kernel<5, 8, 4, true>.
// unions_BS_64_TOK_8_general: kernel unions with BS = 64, TOK = 8, BC = 128, BP = 32; any strides
// and alignment.
// 128 threads, 255 registers each: unions_kernel<1, 8, 2, false>.
template <int blocks_5, int TOK, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks_5) unions_kernel(
    const tk::tensor_argument<const int, 4> Tokens, const tk::tensor_argument<int, 3> Blocks,
    const tk::tensor_argument<int, 4> List, const tk::tensor_argument<int, 4> Of, int B, int HKV,
    int R, int C, int listed) {
    tk::wait_for_previous_kernel();

    // nsa_selected.tk:41: kernel unions<BS: int = 64, TOK: int = 4, BC: int = 128, BP: int = 32>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program % R;
    const int g = program / R % HKV;
    const int b = program / (R * HKV);

    // nsa_selected.tk:46: let end = min(ceil_div((r + 1) * TOK, BS), C);
    const int end = tk::min(tk::divide_up((r + 1) * TOK, 64), C);

    // nsa_selected.tk:47: var blocks: i32[1, 1] = 0;
    tk::stripe<int, 1, 1, 128, 32, vector> blocks;
    tk::map(blocks, []() { return 0; });

    // nsa_selected.tk:48: for c in 0..end by BC { blocks += sum(where(load(Tokens[b, g, r, c]) ..
    for (int c = 0; c < end; c += 128) {
        tk::stripe<int, 1, 128, 128, 32, vector> t0;
        tk::load_slice<vectors>(t0,
                                tk::slice_if_vectors<vectors, tk::no_axis, 3>(Tokens, {b, g, r, c},
                                                                              1, C - c), thread);
        tk::stripe<int, 1, 128, 128, 32, vector> t1;
        tk::map(t1, [](int t0) { return t0 != 0 ? 1 : 0; }, t0);
        tk::stripe<int, 1, 1, 128, 32, vector> t2;
        tk::fold_rows(t2, t1, tk::plus{}, thread);
        tk::finish_rows(t2, tk::plus{});
        tk::map(blocks, [](int blocks, int t2) { return tk::wrapping_add(blocks, t2); },
                blocks, t2);
    }

    // nsa_selected.tk:49: store(Blocks[b, g, r], blocks);
    tk::store_global(tk::slice<tk::no_axis, 2>(Blocks, {b, g, r}, 1, R - r), blocks, thread);

    // nsa_selected.tk:50: for p in min(TOK * listed, C) by BP {
    tk::stripe<int, 1, 1, 128, 32, vector> before;
    for (int p = 0; p < tk::min(TOK * listed, C); p += 32) {
        // nsa_selected.tk:51: var which: i32[BP, 1] = 0;
        tk::stripe<int, 32, 1, 128, 32, vector> which;
        tk::map(which, []() { return 0; });

        // nsa_selected.tk:52: var whose: i32[BP, 1] = 0;
        tk::stripe<int, 32, 1, 128, 32, vector> whose;
        tk::map(whose, []() { return 0; });

        // nsa_selected.tk:53: if p.start < scalar(blocks) {
        const int number = blocks.cell(0);
        if (p < number) {
            // nsa_selected.tk:54: var before: i32[1, 1] = 0;
            tk::map(before, []() { return 0; });

            // nsa_selected.tk:55: for c in 0..end by BC {
            for (int c = 0; c < end; c += 128) {
                // nsa_selected.tk:56: let tokens = load(Tokens[b, g, r, c]);
                tk::stripe<int, 1, 128, 128, 32, vector> tokens;
                tk::load_slice<vectors>(
                    tokens,
                    tk::slice_if_vectors<vectors, tk::no_axis, 3>(Tokens, {b, g, r, c}, 1, C - c),
                    thread);

                // nsa_selected.tk:57: let one  = where(tokens != 0, 1, 0);
                tk::stripe<int, 1, 128, 128, 32, vector> one;
                tk::map(one, [](int tokens) { return tokens != 0 ? 1 : 0; }, tokens);

                // nsa_selected.tk:58: let here = tokens != 0 and before + cumsum(one, axis = 1) ..
                tk::stripe<int, 1, 128, 128, 32, vector> t4;
                tk::running_sums(t4, one, thread);
                tk::stripe<bool, 32, 128, 128, 32, vector> here;
                tk::map(here, thread, [&](int row, int, int tokens, int before, int t4) {
                    return tokens != 0 &&
                        tk::wrapping_subtract(tk::wrapping_add(before, t4), 1) == p + row;
                }, tokens, before, t4);

                // nsa_selected.tk:59: which  += sum(where(here, c.start + range(BC), 0), axis = 1);
                tk::stripe<int, 32, 128, 128, 32, vector> t5;
                tk::map(t5, thread, [&](int, int col, bool here) { return here ? c + col : 0; },
                        here);
                tk::stripe<int, 32, 1, 128, 32, vector> t6;
                tk::fold_rows(t6, t5, tk::plus{}, thread);
                tk::finish_rows(t6, tk::plus{});
                tk::map(which, [](int which, int t6) { return tk::wrapping_add(which, t6); },
                        which, t6);

                // nsa_selected.tk:60: whose  += sum(where(here, tokens, 0), axis = 1);
                tk::stripe<int, 32, 128, 128, 32, vector> t7;
                tk::map(t7, [](bool here, int tokens) { return here ? tokens : 0; }, here, tokens);
                tk::stripe<int, 32, 1, 128, 32, vector> t8;
                tk::fold_rows(t8, t7, tk::plus{}, thread);
                tk::finish_rows(t8, tk::plus{});
                tk::map(whose, [](int whose, int t8) { return tk::wrapping_add(whose, t8); },
                        whose, t8);

                // nsa_selected.tk:61: before += sum(one, axis = 1);
                tk::stripe<int, 1, 1, 128, 32, vector> t9;
                tk::fold_rows(t9, one, tk::plus{}, thread);
                tk::finish_rows(t9, tk::plus{});
                tk::map(before, [](int before, int t9) { return tk::wrapping_add(before, t9); },
                        before, t9);
            }
        }

        // nsa_selected.tk:64: store(List[b, g, r, p], which);
        tk::store_global(
            tk::slice<3, tk::no_axis>(List, {b, g, r, p}, tk::min(TOK * listed, C) - p, 1), which,
            thread);

        // nsa_selected.tk:65: store(Of[b, g, r, p], whose);
        tk::store_global(
            tk::slice<3, tk::no_axis>(Of, {b, g, r, p}, tk::min(TOK * listed, C) - p, 1), whose,
            thread);
    }
}

// in_rows: kernel in_rows with T = bf16, D = 128, G = 16.
// 64 threads, 48 registers each: in_rows_kernel<21, 16, 8, true>.
// in_rows_general: kernel in_rows with T = bf16, D = 128, G = 16; any strides and alignment.
// 64 threads, 255 registers each: in_rows_kernel<1, 32, 2, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(64, blocks) in_rows_kernel(
    const tk::tensor_argument<const tk::bf16, 5> X, const tk::tensor_argument<tk::bf16, 4> Rows,
    int B, int N, int HKV) {
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    // nsa_selected.tk:69: kernel in_rows<T: dtype = bf16, D: int = 128, G: int = 16>(X: T[B, N, ..
    if (warp < 2) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int t = program % N;
        const int g = program / N % HKV;
        const int b = program / (N * HKV);

        // nsa_selected.tk:72: store(Rows[b, g, t * G +: G, :], load(X[b, t, g, :, :]));
        tk::stripe<tk::bf16, 16, 128, 64, row_threads, vector> t0;
        tk::load_slice<vectors>(t0, tk::slice_if_dense<vectors>(X, {b, t, g, 0, 0}, 16, 128),
                                thread);
        tk::store_slice<vectors>(
            tk::slice_if_dense<vectors>(Rows, {b, g, t * 16, 0}, N * 16 - t * 16, 128), t0, thread);
    }
}

// in_tokens: kernel in_tokens with T = bf16, D = 128, G = 16.
// 64 threads, 64 registers each: in_tokens_kernel<16, 16, 8, true>.
// in_tokens_general: kernel in_tokens with T = bf16, D = 128, G = 16; any strides and alignment.
// 64 threads, 255 registers each: in_tokens_kernel<1, 32, 2, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(64, blocks) in_tokens_kernel(
    const tk::tensor_argument<const tk::bf16, 4> Rows,
    const tk::tensor_argument<const float, 3> Sums, const tk::tensor_argument<tk::bf16, 5> O,
    const tk::tensor_argument<float, 4> LSE, int B, int HKV, int N) {
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    // nsa_selected.tk:75: kernel in_tokens<T: dtype = bf16, D: int = 128, G: int = 16>(
    if (warp < 2) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int t = program % N;
        const int g = program / N % HKV;
        const int b = program / (N * HKV);

        // nsa_selected.tk:79: store(O[b, t, g, :, :], load(Rows[b, g, t * G +: G, :]));
        tk::stripe<tk::bf16, 16, 128, 64, row_threads, vector> t0;
        tk::load_slice<vectors>(
            t0, tk::slice_if_dense<vectors>(Rows, {b, g, t * 16, 0}, N * 16 - t * 16, 128), thread);
        tk::store_slice<vectors>(tk::slice_if_dense<vectors>(O, {b, t, g, 0, 0}, 16, 128), t0,
                                 thread);

        // nsa_selected.tk:80: store(LSE[b, t, g, :], load(Sums[b, g, t * G +: G]));
        tk::stripe<float, 1, 16, 64, row_threads, vector> t1;
        tk::load_slice<vectors>(t1,
                                tk::slice_if_vectors<vectors, tk::no_axis, 2>(Sums, {b, g, t * 16},
                                                                              1, N * 16 - t * 16),
                                thread);
        tk::store_slice<vectors>(
            tk::slice_if_dense<vectors, tk::no_axis, 3>(LSE, {b, t, g, 0}, 1, 16), t1, thread);
    }
}

// selected: kernel selected with T = bf16, D = 128, DV = 128, G = 16, BS = 64, HALF = 4, BK = 64.
// producer: 1 warp, 24 registers a thread; first: 1 warpgroup, 240 registers a thread; second: 1
// warpgroup, 240 registers a thread.
// 384 threads, 168 registers each at first, 196728 bytes of shared memory; persistent, programs
// dealt by a counter.
struct selected_shared {
    tk::shared_tile<tk::bf16, 64, 128> qs_tile[1];
    tk::shared_tile<tk::bf16, 64, 128> rs_tile[1];
    tk::shared_tile<tk::bf16, 64, 128> kv_k[4];
    tk::shared_tile<tk::bf16, 64, 128> kv_v[4];
    tk::shared_tile<tk::bf16, 64, 64> first_O[2];
    tk::shared_tile<tk::bf16, 64, 64> second_O[2];
    tk::pipeline<1> qs;
    tk::pipeline<1> rs;
    tk::pipeline<4> kv;
    tk::pipeline<1> tickets;
    int ticket_numbers[1];
};
static_assert(offsetof(selected_shared, ticket_numbers) == 196720);

__global__ void __launch_bounds__(384, 1) selected_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap V_map, const __grid_constant__ CUtensorMap O_map,
    const tk::tensor_argument<const int, 3> Blocks, const tk::tensor_argument<const int, 4> List,
    const tk::tensor_argument<const int, 4> Of, const tk::tensor_argument<float, 3> LSE, int B,
    int HKV, int N, int U, float scale, unsigned* counters) {
    extern __shared__ __align__(1024) unsigned char memory[];
    selected_shared& shared = *reinterpret_cast<selected_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Q_map, K_map, V_map, O_map);
        shared.qs.init(1, 4);
        shared.rs.init(1, 4);
        shared.kv.init(1, 8);
        shared.tickets.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // nsa_selected.tk:105: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int t_tiles = tk::tiles(N, 8);
        const int programs = t_tiles * HKV * B;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<4> kv_next;
            tk::cursor<1> qs_next, rs_next, tickets_next;
            for (int program = blockIdx.x; program < programs;) {
                const int t = program % t_tiles * 8;
                const int g = program / t_tiles % HKV;
                const int b = program / (t_tiles * HKV);

                // nsa_selected.tk:100: let blocks = Blocks[b, g, t.index];
                const int blocks = tk::cell(Blocks, b, g, t / 8);

                // nsa_selected.tk:106: produce qs = tma_load(Q[b, g, t.start * G +: 64, :]);
                shared.qs.begin(qs_next, 16384);
                tk::tma_load(shared.qs_tile[qs_next.stage], Q_map, shared.qs.full[qs_next.stage], b,
                             g, t * 16, 0);
                qs_next.advance();

                // nsa_selected.tk:107: produce rs = tma_load(Q[b, g, (t.start + HALF) * G +: 64, ..
                shared.rs.begin(rs_next, 16384);
                tk::tma_load(shared.rs_tile[rs_next.stage], Q_map, shared.rs.full[rs_next.stage], b,
                             g, (t + 4) * 16, 0);
                rs_next.advance();

                // nsa_selected.tk:108: for i in blocks * (BS // BK) {
                #pragma unroll 1
                for (int i = 0; i < blocks; i += 1) {
                    // nsa_selected.tk:109: let key = List[b, g, t.index, i // (BS // BK)] * BS + ..
                    const int key = (i < U ? tk::cell(List, b, g, t / 8, i) : int{}) * 64 + i % 1 *
                        64;

                    // nsa_selected.tk:110: produce kv { k = tma_load(K[b, key +: BK, g, :]); v = ..
                    shared.kv.begin(kv_next, 32768);
                    tk::tma_load(shared.kv_k[kv_next.stage], K_map, shared.kv.full[kv_next.stage],
                                 b, key, g, 0);
                    tk::tma_load(shared.kv_v[kv_next.stage], V_map, shared.kv.full[kv_next.stage],
                                 b, key, g, 0);
                    kv_next.advance();
                }

                // The next program.
                shared.tickets.wait_empty(tickets_next);
                program = tk::draw_ticket(shared.tickets, shared.ticket_numbers, tickets_next,
                                          counters);
                tickets_next.advance();
            }
        }
    } else if (warp < 4) {
        // nsa_selected.tk:113: role first(1 warpgroup) {
        tk::registers_at_least<240>();
        const int t_tiles = tk::tiles(N, 8);
        const int programs = t_tiles * HKV * B;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<4> kv_next;
        tk::cursor<1> qs_next;
        for (int program = blockIdx.x; program < programs;) {
            const int t = program % t_tiles * 8;
            const int g = program / t_tiles % HKV;
            const int b = program / (t_tiles * HKV);

            // nsa_selected.tk:100: let blocks = Blocks[b, g, t.index];
            const int blocks = tk::cell(Blocks, b, g, t / 8);

            // nsa_selected.tk:114: let q: T[64, D] = consume qs;
            const tk::cursor<1> q_element = shared.qs.take(qs_next);
            tk::fragment<tk::bf16, 64, 128> q_2;
            tk::load_shared(q_2, shared.qs_tile[q_element.stage], thread);
            shared.qs.release_after_loads(q_element);

            // nsa_selected.tk:116: var o: f32[64, DV] = 0;
            tk::fragment<float, 64, 128> o;
            tk::zero(o);

            // nsa_selected.tk:117: var sm = softmax.start<64>(scale);
            tk::column_fragment<float, 64> sm_max;
            tk::fill(sm_max, -INFINITY);
            tk::column_fragment<float, 64> sm_sum;
            tk::zero(sm_sum);
            tk::column_fragment<float, 64> sm_correction;
            tk::fill(sm_correction, 1.0f);
            const float sm_c = scale * 1.442695f;

            // nsa_selected.tk:118: for i in blocks * (BS // BK) {
            tk::fragment<float, 64, 64> s_3;
            for (int i = 0; i < blocks; i += 1) {
                // nsa_selected.tk:119: let key  = List[b, g, t.index, i // (BS // BK)] * BS + i ..
                const int key = (i < U ? tk::cell(List, b, g, t / 8, i) : int{}) * 64 + i % 1 * 64;

                // nsa_selected.tk:120: let bits = Of[b, g, t.index, i // (BS // BK)] & ((1 << ..
                const int bits = (i < U ? tk::cell(Of, b, g, t / 8, i) : int{}) & 15;

                // nsa_selected.tk:121: let s    = consume kv;
                const tk::cursor<4> s = shared.kv.take(kv_next);

                // nsa_selected.tk:122: if bits != 0 { see(inout sm, inout o, q, s.k, s.v, key, ..
                if (bits != 0) {
                    // nsa_selected.tk:85: let s = mma(q, k.T);
                    tk::fragment<tk::bf16, 64, 128> q_2_again = tk::renewed(q_2);
                    tk::fragment<float, 64, 64> s_2;
                    tk::mma_async(s_2, q_2_again, tk::transposed(shared.kv_k[s.stage]),
                                  tk::accumulate_never{});

                    // nsa_selected.tk:86: let p = T(softmax.step(inout sm, where(key + ..
                    const int edge = N -
                        ((i < U ? tk::cell(List, b, g, t / 8, i) : int{}) * 64 + i % 1 * 64);
                    tk::mma_wait<0>(s_2, q_2_again);
                    if (edge >= 64) {
                        tk::map(s_3, thread, [&](int row, int col, float s_2) {
                            const int x = row / 16;
                            return key + col <= (((bits >> (x & 31)) & 1) != 0 ? t + x : -1) ? s_2
                                : -INFINITY;
                        }, s_2);
                    } else {
                        tk::map(s_3, thread, [&](int row, int col, float s_2) {
                            const int x = row / 16;
                            return key + col <= (((bits >> (x & 31)) & 1) != 0 ? t + x : -1)
                                ? (col < edge ? s_2 : -INFINITY) : -INFINITY;
                        }, s_2);
                    }

                    // <std.softmax>:30: let m  = max(sm.max, max(s, axis = 1));
                    tk::column_fragment<float, 64> t1;
                    tk::fold_rows(t1, s_3, tk::maximum{}, thread);
                    tk::finish_rows(t1, tk::maximum{});
                    tk::column_fragment<float, 64> m;
                    tk::map(m, [](float sm_max, float t1) { return tk::max(sm_max, t1); },
                            sm_max, t1);

                    // <std.softmax>:31: let m0 = where(m == -inf, 0, m) * sm.c;
                    tk::column_fragment<float, 64> m0;
                    tk::map(m0, [&](float m) { return (m == -INFINITY ? 0.0f : m) * sm_c; }, m);

                    // <std.softmax>:32: let p  = exp2(fma(s, sm.c, -m0));
                    tk::fragment<float, 64, 64> p;
                    tk::map(p, [&](float s_3, float m0) {
                        return tk::exp2(tk::fma(s_3, sm_c, -m0));
                    }, s_3, m0);

                    // <std.softmax>:33: sm.correction = where(m == sm.max, 1, exp2(fma(sm.max, ..
                    tk::map(sm_correction, [&](float m, float sm_max, float m0) {
                        return m == sm_max ? 1.0f : tk::exp2(tk::fma(sm_max, sm_c, -m0));
                    }, m, sm_max, m0);

                    // <std.softmax>:34: sm.sum = sm.sum * sm.correction + sum(p, axis = 1);
                    tk::column_fragment<float, 64> t2;
                    tk::fold_rows(t2, p, tk::plus{}, thread);
                    tk::map(sm_sum, [](float sm_sum, float sm_correction, float t2) {
                        return tk::fma(sm_sum, sm_correction, t2);
                    }, sm_sum, sm_correction, t2);

                    // <std.softmax>:35: sm.max = m;
                    sm_max = m;
                    // nsa_selected.tk:86
                    tk::fragment<tk::bf16, 64, 64> p_2 = tk::convert<tk::bf16>(p);

                    // nsa_selected.tk:87: o *= sm.correction;
                    tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                            o, sm_correction);

                    // nsa_selected.tk:88: o += mma(p, v);
                    tk::mma_async(o, p_2, shared.kv_v[s.stage]);
                    tk::mma_wait<0>(o, p_2);
                }
                shared.kv.release(s);
            }

            // nsa_selected.tk:125: tma_store(O[b, g, t.start * G +: 64, :], T(softmax.finish(sm, ..
            tk::column_fragment<float, 64> t5 = sm_sum;
            tk::finish_rows(t5, tk::plus{});
            tk::column_fragment<float, 64> t0;
            tk::map(t0, [](float t5) { return t5 == 0.0f ? 0.0f : tk::divide(1.0f, t5); }, t5);
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                tk::fragment<tk::bf16, 64, 64> t3;
                tk::map(t3, [](float o, float t0) { return o * t0; },
                        tk::window<64, 64>(o, 0, panel), t0);
                tk::store_shared(shared.first_O[panel / 64 % 2], t3, thread);
                tk::fence_async();
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                if (leader) {
                    tk::tma_store(O_map, shared.first_O[panel / 64 % 2], b, g, t * 16, panel);
                }
            }

            // nsa_selected.tk:126: store(LSE[b, g, t.start * G +: 64], softmax.lse(sm));
            tk::column_fragment<float, 64> t4;
            tk::map(t4, [&](float t5, float sm_max) {
                return t5 == 0.0f ? -INFINITY : tk::fma(sm_max, sm_c, tk::log2(t5)) * 0.6931472f;
            }, t5, sm_max);
            tk::store_global(tk::slice<2, tk::no_axis>(LSE, {b, g, t * 16}, N * 16 - t * 16, 1), t4,
                             thread);

            // The next program.
            shared.tickets.wait_full(q_element);
            program = shared.ticket_numbers[q_element.stage];
            shared.tickets.release_after_loads(q_element, tk::ordinary_alone{});
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    } else {
        // nsa_selected.tk:135: role second(1 warpgroup) {
        tk::registers_at_least<240>();
        const int t_tiles = tk::tiles(N, 8);
        const int programs = t_tiles * HKV * B;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<4> kv_next;
        tk::cursor<1> rs_next;
        for (int program = blockIdx.x; program < programs;) {
            const int t = program % t_tiles * 8;
            const int g = program / t_tiles % HKV;
            const int b = program / (t_tiles * HKV);

            // nsa_selected.tk:100: let blocks = Blocks[b, g, t.index];
            const int blocks = tk::cell(Blocks, b, g, t / 8);

            // nsa_selected.tk:136: let q: T[64, D] = consume rs;
            const tk::cursor<1> q_element = shared.rs.take(rs_next);
            tk::fragment<tk::bf16, 64, 128> q_2;
            tk::load_shared(q_2, shared.rs_tile[q_element.stage], thread);
            shared.rs.release_after_loads(q_element);

            // nsa_selected.tk:138: var o: f32[64, DV] = 0;
            tk::fragment<float, 64, 128> o;
            tk::zero(o);

            // nsa_selected.tk:139: var sm = softmax.start<64>(scale);
            tk::column_fragment<float, 64> sm_max;
            tk::fill(sm_max, -INFINITY);
            tk::column_fragment<float, 64> sm_sum;
            tk::zero(sm_sum);
            tk::column_fragment<float, 64> sm_correction;
            tk::fill(sm_correction, 1.0f);
            const float sm_c = scale * 1.442695f;

            // nsa_selected.tk:140: for i in blocks * (BS // BK) {
            tk::fragment<float, 64, 64> s_3;
            for (int i = 0; i < blocks; i += 1) {
                // nsa_selected.tk:141: let key  = List[b, g, t.index, i // (BS // BK)] * BS + i ..
                const int key = (i < U ? tk::cell(List, b, g, t / 8, i) : int{}) * 64 + i % 1 * 64;

                // nsa_selected.tk:142: let bits = Of[b, g, t.index, i // (BS // BK)] >> HALF;
                const int bits = (i < U ? tk::cell(Of, b, g, t / 8, i) : int{}) >> 4;

                // nsa_selected.tk:143: let s    = consume kv;
                const tk::cursor<4> s = shared.kv.take(kv_next);

                // nsa_selected.tk:144: if bits != 0 { see(inout sm, inout o, q, s.k, s.v, key, ..
                if (bits != 0) {
                    // nsa_selected.tk:85: let s = mma(q, k.T);
                    tk::fragment<tk::bf16, 64, 128> q_2_again = tk::renewed(q_2);
                    tk::fragment<float, 64, 64> s_2;
                    tk::mma_async(s_2, q_2_again, tk::transposed(shared.kv_k[s.stage]),
                                  tk::accumulate_never{});

                    // nsa_selected.tk:86: let p = T(softmax.step(inout sm, where(key + ..
                    const int edge_2 = N -
                        ((i < U ? tk::cell(List, b, g, t / 8, i) : int{}) * 64 + i % 1 * 64);
                    tk::mma_wait<0>(s_2, q_2_again);
                    if (edge_2 >= 64) {
                        tk::map(s_3, thread, [&](int row, int col, float s_2) {
                            const int x = row / 16;
                            return key + col <= (((bits >> (x & 31)) & 1) != 0 ? t + 4 + x : -1)
                                ? s_2 : -INFINITY;
                        }, s_2);
                    } else {
                        tk::map(s_3, thread, [&](int row, int col, float s_2) {
                            const int x = row / 16;
                            return key + col <= (((bits >> (x & 31)) & 1) != 0 ? t + 4 + x : -1)
                                ? (col < edge_2 ? s_2 : -INFINITY) : -INFINITY;
                        }, s_2);
                    }

                    // <std.softmax>:30: let m  = max(sm.max, max(s, axis = 1));
                    tk::column_fragment<float, 64> t1;
                    tk::fold_rows(t1, s_3, tk::maximum{}, thread);
                    tk::finish_rows(t1, tk::maximum{});
                    tk::column_fragment<float, 64> m;
                    tk::map(m, [](float sm_max, float t1) { return tk::max(sm_max, t1); },
                            sm_max, t1);

                    // <std.softmax>:31: let m0 = where(m == -inf, 0, m) * sm.c;
                    tk::column_fragment<float, 64> m0;
                    tk::map(m0, [&](float m) { return (m == -INFINITY ? 0.0f : m) * sm_c; }, m);

                    // <std.softmax>:32: let p  = exp2(fma(s, sm.c, -m0));
                    tk::fragment<float, 64, 64> p;
                    tk::map(p, [&](float s_3, float m0) {
                        return tk::exp2(tk::fma(s_3, sm_c, -m0));
                    }, s_3, m0);

                    // <std.softmax>:33: sm.correction = where(m == sm.max, 1, exp2(fma(sm.max, ..
                    tk::map(sm_correction, [&](float m, float sm_max, float m0) {
                        return m == sm_max ? 1.0f : tk::exp2(tk::fma(sm_max, sm_c, -m0));
                    }, m, sm_max, m0);

                    // <std.softmax>:34: sm.sum = sm.sum * sm.correction + sum(p, axis = 1);
                    tk::column_fragment<float, 64> t2;
                    tk::fold_rows(t2, p, tk::plus{}, thread);
                    tk::map(sm_sum, [](float sm_sum, float sm_correction, float t2) {
                        return tk::fma(sm_sum, sm_correction, t2);
                    }, sm_sum, sm_correction, t2);

                    // <std.softmax>:35: sm.max = m;
                    sm_max = m;
                    // nsa_selected.tk:86
                    tk::fragment<tk::bf16, 64, 64> p_2 = tk::convert<tk::bf16>(p);

                    // nsa_selected.tk:87: o *= sm.correction;
                    tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                            o, sm_correction);

                    // nsa_selected.tk:88: o += mma(p, v);
                    tk::mma_async(o, p_2, shared.kv_v[s.stage]);
                    tk::mma_wait<0>(o, p_2);
                }
                shared.kv.release(s);
            }

            // nsa_selected.tk:147: tma_store(O[b, g, (t.start + HALF) * G +: 64, :], ..
            tk::column_fragment<float, 64> t5 = sm_sum;
            tk::finish_rows(t5, tk::plus{});
            tk::column_fragment<float, 64> t0;
            tk::map(t0, [](float t5) { return t5 == 0.0f ? 0.0f : tk::divide(1.0f, t5); }, t5);
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                tk::fragment<tk::bf16, 64, 64> t3;
                tk::map(t3, [](float o, float t0) { return o * t0; },
                        tk::window<64, 64>(o, 0, panel), t0);
                tk::store_shared(shared.second_O[panel / 64 % 2], t3, thread);
                tk::fence_async();
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(3, 128);
                if (leader) {
                    tk::tma_store(O_map, shared.second_O[panel / 64 % 2], b, g, (t + 4) * 16,
                                  panel);
                }
            }

            // nsa_selected.tk:148: store(LSE[b, g, (t.start + HALF) * G +: 64], softmax.lse(sm));
            tk::column_fragment<float, 64> t4;
            tk::map(t4, [&](float t5, float sm_max) {
                return t5 == 0.0f ? -INFINITY : tk::fma(sm_max, sm_c, tk::log2(t5)) * 0.6931472f;
            }, t5, sm_max);
            tk::store_global(
                tk::slice<2, tk::no_axis>(LSE, {b, g, (t + 4) * 16}, N * 16 - (t + 4) * 16, 1), t4,
                thread);

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
tk::status launch_listing_BS_64_TOK_8(const tk::launch_site& site, const tk::tensor& list,
                                      const tk::tensor& count, const tk::tensor& Tokens, int64_t B,
                                      int64_t N, int64_t HKV, int64_t SEL) {
    return tk::run<listing_kernel<10, 8, 4, true>>(
        site, sizeof(listing_shared), tk::kernel_shape(128).overlapping(),
        tk::multiply(
            tk::multiply(
                tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(N, 64), 128), 0),
                             tk::ceil_div(N, 8)), HKV), B), list, count, Tokens, B, N, HKV, SEL);
}

tk::status launch_listing_BS_64_TOK_8_general(const tk::launch_site& site, const tk::tensor& list,
                                              const tk::tensor& count, const tk::tensor& Tokens,
                                              int64_t B, int64_t N, int64_t HKV, int64_t SEL) {
    return tk::run<listing_kernel<1, 8, 2, false>>(
        site, sizeof(listing_shared), tk::kernel_shape(128).overlapping(),
        tk::multiply(
            tk::multiply(
                tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(N, 64), 128), 0),
                             tk::ceil_div(N, 8)), HKV), B), list, count, Tokens, B, N, HKV, SEL);
}

tk::status launch_unions_BS_64_TOK_8(const tk::launch_site& site, const tk::tensor& Tokens,
                                     const tk::tensor& Blocks, const tk::tensor& List,
                                     const tk::tensor& Of, int64_t B, int64_t HKV, int64_t R,
                                     int64_t C, int32_t listed) {
    return tk::run<unions_kernel<5, 8, 4, true>>(site, 0, tk::kernel_shape(128).overlapping(),
                                                 tk::multiply(tk::multiply(R, HKV), B), Tokens,
                                                 Blocks, List, Of, B, HKV, R, C, listed);
}

tk::status launch_unions_BS_64_TOK_8_general(const tk::launch_site& site, const tk::tensor& Tokens,
                                             const tk::tensor& Blocks, const tk::tensor& List,
                                             const tk::tensor& Of, int64_t B, int64_t HKV,
                                             int64_t R, int64_t C, int32_t listed) {
    return tk::run<unions_kernel<1, 8, 2, false>>(site, 0, tk::kernel_shape(128).overlapping(),
                                                  tk::multiply(tk::multiply(R, HKV), B), Tokens,
                                                  Blocks, List, Of, B, HKV, R, C, listed);
}

tk::status launch_in_rows(const tk::launch_site& site, const tk::tensor& X, const tk::tensor& Rows,
                          int64_t B, int64_t N, int64_t HKV) {
    return tk::run<in_rows_kernel<21, 16, 8, true>>(site, 0, tk::kernel_shape(64).overlapping(),
                                                    tk::multiply(tk::multiply(N, HKV), B), X, Rows,
                                                    B, N, HKV);
}

tk::status launch_in_rows_general(const tk::launch_site& site, const tk::tensor& X,
                                  const tk::tensor& Rows, int64_t B, int64_t N, int64_t HKV) {
    return tk::run<in_rows_kernel<1, 32, 2, false>>(site, 0, tk::kernel_shape(64).overlapping(),
                                                    tk::multiply(tk::multiply(N, HKV), B), X, Rows,
                                                    B, N, HKV);
}

tk::status launch_selected(const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K,
                           const tk::tensor& V, const tk::tensor& Blocks, const tk::tensor& List,
                           const tk::tensor& Of, const tk::tensor& O, const tk::tensor& LSE,
                           int64_t B, int64_t HKV, int64_t N, int64_t U, float scale,
                           void* workspace) {
    return tk::run<selected_kernel>(
        site, sizeof(selected_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(N, 8), HKV), B), tk::box{Q, {1, 1, 64, 64}, 128},
        tk::box{K, {1, 64, 1, 64}, 128}, tk::box{V, {1, 64, 1, 64}, 128},
        tk::box{O, {1, 1, 64, 64}, 128}, Blocks, List, Of, LSE, B, HKV, N, U, scale, workspace);
}

tk::status launch_in_tokens(const tk::launch_site& site, const tk::tensor& Rows,
                            const tk::tensor& Sums, const tk::tensor& O, const tk::tensor& LSE,
                            int64_t B, int64_t HKV, int64_t N) {
    return tk::run<in_tokens_kernel<16, 16, 8, true>>(site, 0, tk::kernel_shape(64).overlapping(),
                                                      tk::multiply(tk::multiply(N, HKV), B), Rows,
                                                      Sums, O, LSE, B, HKV, N);
}

tk::status launch_in_tokens_general(const tk::launch_site& site, const tk::tensor& Rows,
                                    const tk::tensor& Sums, const tk::tensor& O,
                                    const tk::tensor& LSE, int64_t B, int64_t HKV, int64_t N) {
    return tk::run<in_tokens_kernel<1, 32, 2, false>>(site, 0, tk::kernel_shape(64).overlapping(),
                                                      tk::multiply(tk::multiply(N, HKV), B), Rows,
                                                      Sums, O, LSE, B, HKV, N);
}

}  // namespace

extern "C" {
int listing(const DLTensor* list_given, const DLTensor* count_given, DLTensor* Tokens_given, void*,
            size_t, cudaStream_t stream) {
    tk::arguments call{"listing"};
    const tk::tensor list = call.take("list", list_given, tk::dtype_i32, 4, tk::access::read);
    const tk::tensor count = call.take("count", count_given, tk::dtype_i32, 3, tk::access::read);
    const tk::tensor Tokens = call.take("Tokens", Tokens_given, tk::dtype_i32, 4,
                                        tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = list.shape[0];
    const int64_t N = list.shape[1];
    const int64_t HKV = list.shape[2];
    const int64_t SEL = list.shape[3];
    call.require(
        {tk::same_extent("B", list, 0, count, 0), tk::same_extent("N", list, 1, count, 1),
         tk::same_extent("HKV", list, 2, count, 2), tk::same_extent("B", list, 0, Tokens, 0),
         tk::same_extent("HKV", list, 2, Tokens, 1),
         tk::extents_fit({{"B", B}, {"N", N}, {"HKV", HKV}, {"SEL", SEL}}),
         tk::that(Tokens.shape[2] == tk::ceil_div(N, 4),
                  "axis 2 of `Tokens` is {}; it must be `ceil_div(N, 4)`, which is {}",
                  {Tokens.shape[2], tk::ceil_div(N, 4)}),
         tk::that(Tokens.shape[3] == tk::ceil_div(N, 64),
                  "axis 3 of `Tokens` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Tokens.shape[3], tk::ceil_div(N, 64)}),
         tk::grid_fits(
             tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(N, 64), 128), 0),
                          tk::ceil_div(N, 4)), 2147483648),
         tk::grid_fits(
             tk::multiply(
                 tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(N, 64), 128), 0),
                              tk::ceil_div(N, 4)), HKV), 2147483648),
         tk::grid_fits(
             tk::multiply(
                 tk::multiply(
                     tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(N, 64), 128), 0),
                                  tk::ceil_div(N, 4)), HKV), B), 2147483648),
         tk::fits("(c.start + col_index)*64", (tk::ceil_div(N, 64) - 1 + 262143) * 64)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(
        tk::multiply(
            tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(N, 64), 128), 0), tk::ceil_div(N, 4)),
            HKV), B);
    const bool fast = tk::hold({tk::suits_fast(Tokens), tk::that(tk::ceil_div(N, 64) % 4 == 0)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<listing_kernel<10, 4, 4, true>, listing_kernel<1, 4, 2, false>>(
            fast ? 0 : 1, site, sizeof(listing_shared), tk::kernel_shape(128).overlapping(),
            programs, list, count, Tokens, B, N, HKV, SEL));
}
TK_NO_WORKSPACE(listing, const DLTensor*, const DLTensor*, DLTensor*)

int unions(const DLTensor* Tokens_given, DLTensor* Blocks_given, DLTensor* List_given,
           DLTensor* Of_given, int32_t listed, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"unions"};
    const tk::tensor Tokens = call.take("Tokens", Tokens_given, tk::dtype_i32, 4, tk::access::read);
    const tk::tensor Blocks = call.take("Blocks", Blocks_given, tk::dtype_i32, 3,
                                        tk::access::write);
    const tk::tensor List = call.take("List", List_given, tk::dtype_i32, 4, tk::access::write);
    const tk::tensor Of = call.take("Of", Of_given, tk::dtype_i32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Tokens.shape[0];
    const int64_t HKV = Tokens.shape[1];
    const int64_t R = Tokens.shape[2];
    const int64_t C = Tokens.shape[3];
    call.require(
        {tk::same_extent("B", Tokens, 0, Blocks, 0), tk::same_extent("HKV", Tokens, 1, Blocks, 1),
         tk::same_extent("R", Tokens, 2, Blocks, 2), tk::same_extent("B", Tokens, 0, List, 0),
         tk::same_extent("HKV", Tokens, 1, List, 1), tk::same_extent("R", Tokens, 2, List, 2),
         tk::same_extent("B", Tokens, 0, Of, 0), tk::same_extent("HKV", Tokens, 1, Of, 1),
         tk::same_extent("R", Tokens, 2, Of, 2),
         tk::extents_fit({{"B", B}, {"HKV", HKV}, {"R", R}, {"C", C}}),
         tk::fits("4*listed", 4 * int64_t{listed}),
         tk::that(-2147483648 <= 4 * int64_t{listed},
                  "`4*listed` reaches {}; it must fit in 32 bits", {4 * int64_t{listed}}),
         tk::that(List.shape[3] == tk::smaller(4 * int64_t{listed}, C),
                  "axis 3 of `List` is {}; it must be `min(4*listed, C)`, which is {}",
                  {List.shape[3], tk::smaller(4 * int64_t{listed}, C)}),
         tk::that(Of.shape[3] == tk::smaller(4 * int64_t{listed}, C),
                  "axis 3 of `Of` is {}; it must be `min(4*listed, C)`, which is {}",
                  {Of.shape[3], tk::smaller(4 * int64_t{listed}, C)}),
         tk::grid_fits(tk::multiply(R, HKV), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(R, HKV), B), 2147483648),
         tk::fits("(r + 1)*4", (R - 1 + 1) * 4)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(R, HKV), B);
    const bool fast = tk::hold({tk::suits_fast(Tokens, "C"), tk::whole_vectors(Tokens, 4)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<unions_kernel<5, 4, 4, true>, unions_kernel<1, 4, 2, false>>(
        fast ? 0 : 1, site, 0, tk::kernel_shape(128).overlapping(), programs, Tokens, Blocks, List,
        Of, B, HKV, R, C, listed));
}
TK_NO_WORKSPACE(unions, const DLTensor*, DLTensor*, DLTensor*, DLTensor*, int32_t)

int in_rows(const DLTensor* X_given, DLTensor* Rows_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"in_rows"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 5, tk::access::read);
    const tk::tensor Rows = call.take("Rows", Rows_given, tk::dtype_bf16, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = X.shape[0];
    const int64_t N = X.shape[1];
    const int64_t HKV = X.shape[2];
    call.require(
        {tk::fixed_extent(X, 3, 16), tk::fixed_extent(X, 4, 128),
         tk::same_extent("B", X, 0, Rows, 0), tk::same_extent("HKV", X, 2, Rows, 1),
         tk::fixed_extent(Rows, 3, 128), tk::extents_fit({{"B", B}, {"N", N}, {"HKV", HKV}}),
         tk::fits("N*16", N * 16),
         tk::that(Rows.shape[2] == N * 16, "axis 2 of `Rows` is {}; it must be `N*16`, which is {}",
                  {Rows.shape[2], N * 16}), tk::grid_fits(tk::multiply(N, HKV), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(N, HKV), B), 2147483648),
         tk::fits("t*16", (N - 1) * 16)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(N, HKV), B);
    const bool fast = tk::hold({tk::suits_fast(X), tk::suits_fast(Rows)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<in_rows_kernel<21, 16, 8, true>, in_rows_kernel<1, 32, 2, false>>(
            fast ? 0 : 1, site, 0, tk::kernel_shape(64).overlapping(), programs, X, Rows, B, N,
            HKV));
}
TK_NO_WORKSPACE(in_rows, const DLTensor*, DLTensor*)

int in_tokens(const DLTensor* Rows_given, const DLTensor* Sums_given, DLTensor* O_given,
              DLTensor* LSE_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"in_tokens"};
    const tk::tensor Rows = call.take("Rows", Rows_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Sums = call.take("Sums", Sums_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 5, tk::access::write);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Rows.shape[0];
    const int64_t HKV = Rows.shape[1];
    const int64_t N = O.shape[1];
    call.require(
        {tk::fixed_extent(Rows, 3, 128), tk::same_extent("B", Rows, 0, Sums, 0),
         tk::same_extent("HKV", Rows, 1, Sums, 1), tk::same_extent("B", Rows, 0, O, 0),
         tk::same_extent("HKV", Rows, 1, O, 2), tk::fixed_extent(O, 3, 16),
         tk::fixed_extent(O, 4, 128), tk::same_extent("B", Rows, 0, LSE, 0),
         tk::same_extent("N", O, 1, LSE, 1), tk::same_extent("HKV", Rows, 1, LSE, 2),
         tk::fixed_extent(LSE, 3, 16), tk::extents_fit({{"B", B}, {"HKV", HKV}, {"N", N}}),
         tk::fits("N*16", N * 16),
         tk::that(Rows.shape[2] == N * 16, "axis 2 of `Rows` is {}; it must be `N*16`, which is {}",
                  {Rows.shape[2], N * 16}),
         tk::that(Sums.shape[2] == N * 16, "axis 2 of `Sums` is {}; it must be `N*16`, which is {}",
                  {Sums.shape[2], N * 16}), tk::grid_fits(tk::multiply(N, HKV), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(N, HKV), B), 2147483648),
         tk::fits("t*16", (N - 1) * 16)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(N, HKV), B);
    const bool fast = tk::hold(
        {tk::suits_fast(Rows), tk::suits_fast(Sums), tk::that(N * 16 % 8 == 0), tk::suits_fast(O),
         tk::suits_fast(LSE)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<in_tokens_kernel<16, 16, 8, true>, in_tokens_kernel<1, 32, 2, false>>(
            fast ? 0 : 1, site, 0, tk::kernel_shape(64).overlapping(), programs, Rows, Sums, O, LSE,
            B, HKV, N));
}
TK_NO_WORKSPACE(in_tokens, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*)

int selected(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
             const DLTensor* Blocks_given, const DLTensor* List_given, const DLTensor* Of_given,
             DLTensor* O_given, DLTensor* LSE_given, float scale, void* workspace,
             size_t workspace_bytes, cudaStream_t stream) {
    tk::arguments call{"selected"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Blocks = call.take("Blocks", Blocks_given, tk::dtype_i32, 3, tk::access::read);
    const tk::tensor List = call.take("List", List_given, tk::dtype_i32, 4, tk::access::read);
    const tk::tensor Of = call.take("Of", Of_given, tk::dtype_i32, 4, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t HKV = Q.shape[1];
    const int64_t N = K.shape[1];
    const int64_t U = List.shape[3];
    call.require({
        tk::fixed_extent(Q, 3, 128), tk::same_extent("B", Q, 0, K, 0),
        tk::same_extent("HKV", Q, 1, K, 2), tk::fixed_extent(K, 3, 128),
        tk::same_extent("B", Q, 0, V, 0), tk::same_extent("N", K, 1, V, 1),
        tk::same_extent("HKV", Q, 1, V, 2), tk::fixed_extent(V, 3, 128),
        tk::same_extent("B", Q, 0, Blocks, 0), tk::same_extent("HKV", Q, 1, Blocks, 1),
        tk::same_extent("B", Q, 0, List, 0), tk::same_extent("HKV", Q, 1, List, 1),
        tk::same_extent("B", Q, 0, Of, 0), tk::same_extent("HKV", Q, 1, Of, 1),
        tk::same_extent("U", List, 3, Of, 3), tk::same_extent("B", Q, 0, O, 0),
        tk::same_extent("HKV", Q, 1, O, 1), tk::fixed_extent(O, 3, 128),
        tk::same_extent("B", Q, 0, LSE, 0), tk::same_extent("HKV", Q, 1, LSE, 1),
        tk::extents_fit({{"B", B}, {"HKV", HKV}, {"N", N}, {"U", U}}), tk::fits("N*16", N * 16),
        tk::that(Q.shape[2] == N * 16, "axis 2 of `Q` is {}; it must be `N*16`, which is {}",
                 {Q.shape[2], N * 16}),
        tk::that(Blocks.shape[2] == tk::ceil_div(N, 8),
                 "axis 2 of `Blocks` is {}; it must be `ceil_div(N, 8)`, which is {}",
                 {Blocks.shape[2], tk::ceil_div(N, 8)}),
        tk::that(List.shape[2] == tk::ceil_div(N, 8),
                 "axis 2 of `List` is {}; it must be `ceil_div(N, 8)`, which is {}",
                 {List.shape[2], tk::ceil_div(N, 8)}),
        tk::that(Of.shape[2] == tk::ceil_div(N, 8),
                 "axis 2 of `Of` is {}; it must be `ceil_div(N, 8)`, which is {}",
                 {Of.shape[2], tk::ceil_div(N, 8)}),
        tk::that(O.shape[2] == N * 16, "axis 2 of `O` is {}; it must be `N*16`, which is {}",
                 {O.shape[2], N * 16}),
        tk::that(LSE.shape[2] == N * 16, "axis 2 of `LSE` is {}; it must be `N*16`, which is {}",
                 {LSE.shape[2], N * 16}), tk::that(scale > 0.0f, "`selected` requires `scale > 0`"),
        tk::suits_tma_load(Q), tk::suits_tma_load(K), tk::suits_tma_load(V), tk::suits_tma_store(O),
        tk::grid_fits(tk::multiply(tk::ceil_div(N, 8), HKV), 2147418112),
        tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 8), HKV), B), 2147418112),
        tk::fits("t.start*16", (N - 1) * 16), tk::fits("(t.start + 4)*16", (N - 1 + 4) * 16)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t counter_bytes = 4;
    TK_FINISH_IF_FAILED(tk::check_workspace(workspace, workspace_bytes, counter_bytes));

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    TK_FINISH_IF_FAILED(tk::clear_counters(workspace, counter_bytes, site));
    return tk::finish(tk::run<selected_kernel>(
        site, sizeof(selected_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(N, 8), HKV), B), tk::box{Q, {1, 1, 64, 64}, 128},
        tk::box{K, {1, 64, 1, 64}, 128}, tk::box{V, {1, 64, 1, 64}, 128},
        tk::box{O, {1, 1, 64, 64}, 128}, Blocks, List, Of, LSE, B, HKV, N, U, scale, workspace));
}
size_t selected_workspace(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
                          const DLTensor* Blocks_given, const DLTensor* List_given,
                          const DLTensor* Of_given, DLTensor* O_given, DLTensor* LSE_given,
                          float scale) {
    tk::arguments call{"selected"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Blocks = call.take("Blocks", Blocks_given, tk::dtype_i32, 3, tk::access::read);
    const tk::tensor List = call.take("List", List_given, tk::dtype_i32, 4, tk::access::read);
    const tk::tensor Of = call.take("Of", Of_given, tk::dtype_i32, 4, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return 0;
    return size_t(4);
}
TK_ERROR(selected)

int nsa_selected(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
                 const DLTensor* list_given, const DLTensor* count_given, DLTensor* O_given,
                 DLTensor* LSE_given, DLTensor* Tokens_given, DLTensor* Blocks_given,
                 DLTensor* List_given, DLTensor* Of_given, DLTensor* Rows_given,
                 DLTensor* Outs_given, DLTensor* Sums_given, float scale, void* workspace,
                 size_t workspace_bytes, cudaStream_t stream) {
    tk::arguments call{"nsa_selected"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 5, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor list = call.take("list", list_given, tk::dtype_i32, 4, tk::access::read);
    const tk::tensor count = call.take("count", count_given, tk::dtype_i32, 3, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 5, tk::access::write);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Tokens = call.take("Tokens", Tokens_given, tk::dtype_i32, 4,
                                        tk::access::write);
    const tk::tensor Blocks = call.take("Blocks", Blocks_given, tk::dtype_i32, 3,
                                        tk::access::write);
    const tk::tensor List = call.take("List", List_given, tk::dtype_i32, 4, tk::access::write);
    const tk::tensor Of = call.take("Of", Of_given, tk::dtype_i32, 4, tk::access::write);
    const tk::tensor Rows = call.take("Rows", Rows_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Outs = call.take("Outs", Outs_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Sums = call.take("Sums", Sums_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t HKV = Q.shape[2];
    const int64_t SEL = list.shape[3];
    call.require(
        {tk::fixed_extent(Q, 3, 16), tk::fixed_extent(Q, 4, 128), tk::same_extent("B", Q, 0, K, 0),
         tk::same_extent("N", Q, 1, K, 1), tk::same_extent("HKV", Q, 2, K, 2),
         tk::fixed_extent(K, 3, 128), tk::same_extent("B", Q, 0, V, 0),
         tk::same_extent("N", Q, 1, V, 1), tk::same_extent("HKV", Q, 2, V, 2),
         tk::fixed_extent(V, 3, 128), tk::same_extent("B", Q, 0, list, 0),
         tk::same_extent("N", Q, 1, list, 1), tk::same_extent("HKV", Q, 2, list, 2),
         tk::same_extent("B", Q, 0, count, 0), tk::same_extent("N", Q, 1, count, 1),
         tk::same_extent("HKV", Q, 2, count, 2), tk::same_extent("B", Q, 0, O, 0),
         tk::same_extent("N", Q, 1, O, 1), tk::same_extent("HKV", Q, 2, O, 2),
         tk::fixed_extent(O, 3, 16), tk::fixed_extent(O, 4, 128),
         tk::same_extent("B", Q, 0, LSE, 0), tk::same_extent("N", Q, 1, LSE, 1),
         tk::same_extent("HKV", Q, 2, LSE, 2), tk::fixed_extent(LSE, 3, 16),
         tk::same_extent("B", Q, 0, Tokens, 0), tk::same_extent("HKV", Q, 2, Tokens, 1),
         tk::same_extent("B", Q, 0, Blocks, 0), tk::same_extent("HKV", Q, 2, Blocks, 1),
         tk::same_extent("B", Q, 0, List, 0), tk::same_extent("HKV", Q, 2, List, 1),
         tk::same_extent("B", Q, 0, Of, 0), tk::same_extent("HKV", Q, 2, Of, 1),
         tk::same_extent("B", Q, 0, Rows, 0), tk::same_extent("HKV", Q, 2, Rows, 1),
         tk::fixed_extent(Rows, 3, 128), tk::same_extent("B", Q, 0, Outs, 0),
         tk::same_extent("HKV", Q, 2, Outs, 1), tk::fixed_extent(Outs, 3, 128),
         tk::same_extent("B", Q, 0, Sums, 0), tk::same_extent("HKV", Q, 2, Sums, 1),
         tk::extents_fit({{"B", B}, {"N", N}, {"HKV", HKV}, {"SEL", SEL}}),
         tk::that(Tokens.shape[2] == tk::ceil_div(N, 8),
                  "axis 2 of `Tokens` is {}; it must be `ceil_div(N, 8)`, which is {}",
                  {Tokens.shape[2], tk::ceil_div(N, 8)}),
         tk::that(Tokens.shape[3] == tk::ceil_div(N, 64),
                  "axis 3 of `Tokens` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Tokens.shape[3], tk::ceil_div(N, 64)}),
         tk::that(Blocks.shape[2] == tk::ceil_div(N, 8),
                  "axis 2 of `Blocks` is {}; it must be `ceil_div(N, 8)`, which is {}",
                  {Blocks.shape[2], tk::ceil_div(N, 8)}),
         tk::that(List.shape[2] == tk::ceil_div(N, 8),
                  "axis 2 of `List` is {}; it must be `ceil_div(N, 8)`, which is {}",
                  {List.shape[2], tk::ceil_div(N, 8)}), tk::fits("8*SEL", 8 * SEL),
         tk::that(List.shape[3] == tk::smaller(8 * SEL, tk::ceil_div(N, 64)),
                  "axis 3 of `List` is {}; it must be `min(8*SEL, ceil_div(N, 64))`, which is {}",
                  {List.shape[3], tk::smaller(8 * SEL, tk::ceil_div(N, 64))}),
         tk::that(Of.shape[2] == tk::ceil_div(N, 8),
                  "axis 2 of `Of` is {}; it must be `ceil_div(N, 8)`, which is {}",
                  {Of.shape[2], tk::ceil_div(N, 8)}),
         tk::that(Of.shape[3] == tk::smaller(8 * SEL, tk::ceil_div(N, 64)),
                  "axis 3 of `Of` is {}; it must be `min(8*SEL, ceil_div(N, 64))`, which is {}",
                  {Of.shape[3], tk::smaller(8 * SEL, tk::ceil_div(N, 64))}),
         tk::fits("N*16", N * 16),
         tk::that(Rows.shape[2] == N * 16, "axis 2 of `Rows` is {}; it must be `N*16`, which is {}",
                  {Rows.shape[2], N * 16}),
         tk::that(Outs.shape[2] == N * 16, "axis 2 of `Outs` is {}; it must be `N*16`, which is {}",
                  {Outs.shape[2], N * 16}),
         tk::that(Sums.shape[2] == N * 16, "axis 2 of `Sums` is {}; it must be `N*16`, which is {}",
                  {Sums.shape[2], N * 16}),
         tk::that(scale > 0.0f, "`nsa_selected` requires `scale > 0`")});
    // listing(list, count, Tokens)
    call.require({
        tk::grid_fits(
            tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(N, 64), 128), 0), tk::ceil_div(N, 8)),
            2147483648),
        tk::grid_fits(
            tk::multiply(
                tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(N, 64), 128), 0),
                             tk::ceil_div(N, 8)), HKV), 2147483648),
        tk::grid_fits(
            tk::multiply(
                tk::multiply(
                    tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(N, 64), 128), 0),
                                 tk::ceil_div(N, 8)), HKV), B), 2147483648),
        tk::fits("(c.start + col_index)*64", (tk::ceil_div(N, 64) - 1 + 262143) * 64)});
    // unions(Tokens, Blocks, List, Of, SEL)
    call.require({
        tk::that(tk::ceil_div(N, 8) < 2147221504,
                 "`ceil_div(N, 8)` is {}; extents must be less than 2147221504",
                 {tk::ceil_div(N, 8)}),
        tk::that(tk::ceil_div(N, 64) < 2147221504,
                 "`ceil_div(N, 64)` is {}; extents must be less than 2147221504",
                 {tk::ceil_div(N, 64)}),
        tk::that(-2147483648 <= 8 * SEL, "`8*SEL` reaches {}; it must fit in 32 bits", {8 * SEL}),
        tk::grid_fits(tk::multiply(tk::ceil_div(N, 8), HKV), 2147483648),
        tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 8), HKV), B), 2147483648),
        tk::fits("(r + 1)*8", (tk::ceil_div(N, 8) - 1 + 1) * 8)});
    // in_rows(Q, Rows)
    call.require(
        {tk::grid_fits(tk::multiply(N, HKV), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(N, HKV), B), 2147483648),
         tk::fits("t*16", (N - 1) * 16)});
    // selected(Rows, K, V, Blocks, List, Of, Outs, Sums, scale)
    call.require({
        tk::that(tk::smaller(8 * SEL, tk::ceil_div(N, 64)) < 2147221504,
                 "`min(8*SEL, ceil_div(N, 64))` is {}; extents must be less than 2147221504",
                 {tk::smaller(8 * SEL, tk::ceil_div(N, 64))}), tk::suits_tma_load(Rows),
        tk::suits_tma_load(K), tk::suits_tma_load(V), tk::suits_tma_store(Outs),
        tk::grid_fits(tk::multiply(tk::ceil_div(N, 8), HKV), 2147418112),
        tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 8), HKV), B), 2147418112),
        tk::fits("(t.start + 4)*16", (N - 1 + 4) * 16)});
    if (!call.ok()) return tk::finish(call.result());

    // listing(list, count, Tokens)
    const bool choice_1 =
        tk::hold({tk::suits_fast(Tokens), tk::that(tk::ceil_div(N, 64) % 4 == 0)});

    // unions(Tokens, Blocks, List, Of, SEL)
    const bool choice_2 = tk::hold(
        {tk::that(Tokens.stride[3] == 1), tk::that(Tokens.address % 16 == 0),
         tk::that(Tokens.stride[2] % 4 == 0 && 0 < Tokens.stride[2] &&
                  Tokens.stride[2] < 274877906944),
         tk::that(Tokens.stride[1] % 4 == 0 && 0 < Tokens.stride[1] &&
                  Tokens.stride[1] < 274877906944),
         tk::that(Tokens.stride[0] % 4 == 0 && 0 < Tokens.stride[0] &&
                  Tokens.stride[0] < 274877906944), tk::that(tk::ceil_div(N, 64) % 4 == 0)});

    // in_rows(Q, Rows)
    const bool choice_3 = tk::hold({tk::suits_fast(Q), tk::suits_fast(Rows)});

    // in_tokens(Outs, Sums, O, LSE)
    const bool choice_5 = tk::hold(
        {tk::suits_fast(Outs), tk::suits_fast(Sums), tk::suits_fast(O), tk::suits_fast(LSE)});
    const int64_t counter_bytes = 4;
    TK_FINISH_IF_FAILED(tk::check_workspace(workspace, workspace_bytes, counter_bytes));

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1) {
        TK_FINISH_IF_FAILED(launch_listing_BS_64_TOK_8(site, list, count, Tokens, B, N, HKV, SEL));
    } else {
        TK_FINISH_IF_FAILED(
            launch_listing_BS_64_TOK_8_general(site, list, count, Tokens, B, N, HKV, SEL));
    }
    if (choice_2) {
        TK_FINISH_IF_FAILED(launch_unions_BS_64_TOK_8(
            site, tk::read_only(Tokens), Blocks, List, Of, B, HKV, tk::ceil_div(N, 8),
            tk::ceil_div(N, 64), static_cast<int32_t>(SEL)));
    } else {
        TK_FINISH_IF_FAILED(launch_unions_BS_64_TOK_8_general(
            site, tk::read_only(Tokens), Blocks, List, Of, B, HKV, tk::ceil_div(N, 8),
            tk::ceil_div(N, 64), static_cast<int32_t>(SEL)));
    }
    if (choice_3) {
        TK_FINISH_IF_FAILED(launch_in_rows(site, Q, Rows, B, N, HKV));
    } else {
        TK_FINISH_IF_FAILED(launch_in_rows_general(site, Q, Rows, B, N, HKV));
    }
    TK_FINISH_IF_FAILED(tk::clear_counters(workspace, counter_bytes, site));
    TK_FINISH_IF_FAILED(
        launch_selected(site, tk::read_only(Rows), K, V, tk::read_only(Blocks), tk::read_only(List),
                        tk::read_only(Of), Outs, Sums, B, HKV, N,
                        tk::smaller(8 * SEL, tk::ceil_div(N, 64)), scale, workspace));
    if (choice_5) {
        TK_FINISH_IF_FAILED(
            launch_in_tokens(site, tk::read_only(Outs), tk::read_only(Sums), O, LSE, B, HKV, N));
    } else {
        TK_FINISH_IF_FAILED(launch_in_tokens_general(
            site, tk::read_only(Outs), tk::read_only(Sums), O, LSE, B, HKV, N));
    }
    return tk::finish({});
}
size_t nsa_selected_workspace(
    const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
    const DLTensor* list_given, const DLTensor* count_given, DLTensor* O_given, DLTensor* LSE_given,
    DLTensor* Tokens_given, DLTensor* Blocks_given, DLTensor* List_given, DLTensor* Of_given,
    DLTensor* Rows_given, DLTensor* Outs_given, DLTensor* Sums_given, float scale) {
    tk::arguments call{"nsa_selected"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 5, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor list = call.take("list", list_given, tk::dtype_i32, 4, tk::access::read);
    const tk::tensor count = call.take("count", count_given, tk::dtype_i32, 3, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 5, tk::access::write);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Tokens = call.take("Tokens", Tokens_given, tk::dtype_i32, 4,
                                        tk::access::write);
    const tk::tensor Blocks = call.take("Blocks", Blocks_given, tk::dtype_i32, 3,
                                        tk::access::write);
    const tk::tensor List = call.take("List", List_given, tk::dtype_i32, 4, tk::access::write);
    const tk::tensor Of = call.take("Of", Of_given, tk::dtype_i32, 4, tk::access::write);
    const tk::tensor Rows = call.take("Rows", Rows_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Outs = call.take("Outs", Outs_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Sums = call.take("Sums", Sums_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return 0;
    return size_t(4);
}
TK_ERROR(nsa_selected)

int nsa_selected_rows(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
                      const DLTensor* list_given, const DLTensor* count_given, DLTensor* O_given,
                      DLTensor* LSE_given, DLTensor* Tokens_given, DLTensor* Blocks_given,
                      DLTensor* List_given, DLTensor* Of_given, float scale, void* workspace,
                      size_t workspace_bytes, cudaStream_t stream) {
    tk::arguments call{"nsa_selected_rows"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor list = call.take("list", list_given, tk::dtype_i32, 4, tk::access::read);
    const tk::tensor count = call.take("count", count_given, tk::dtype_i32, 3, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor Tokens = call.take("Tokens", Tokens_given, tk::dtype_i32, 4,
                                        tk::access::write);
    const tk::tensor Blocks = call.take("Blocks", Blocks_given, tk::dtype_i32, 3,
                                        tk::access::write);
    const tk::tensor List = call.take("List", List_given, tk::dtype_i32, 4, tk::access::write);
    const tk::tensor Of = call.take("Of", Of_given, tk::dtype_i32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t HKV = Q.shape[1];
    const int64_t N = K.shape[1];
    const int64_t SEL = list.shape[3];
    call.require({
        tk::fixed_extent(Q, 3, 128), tk::same_extent("B", Q, 0, K, 0),
        tk::same_extent("HKV", Q, 1, K, 2), tk::fixed_extent(K, 3, 128),
        tk::same_extent("B", Q, 0, V, 0), tk::same_extent("N", K, 1, V, 1),
        tk::same_extent("HKV", Q, 1, V, 2), tk::fixed_extent(V, 3, 128),
        tk::same_extent("B", Q, 0, list, 0), tk::same_extent("N", K, 1, list, 1),
        tk::same_extent("HKV", Q, 1, list, 2), tk::same_extent("B", Q, 0, count, 0),
        tk::same_extent("N", K, 1, count, 1), tk::same_extent("HKV", Q, 1, count, 2),
        tk::same_extent("B", Q, 0, O, 0), tk::same_extent("HKV", Q, 1, O, 1),
        tk::fixed_extent(O, 3, 128), tk::same_extent("B", Q, 0, LSE, 0),
        tk::same_extent("HKV", Q, 1, LSE, 1), tk::same_extent("B", Q, 0, Tokens, 0),
        tk::same_extent("HKV", Q, 1, Tokens, 1), tk::same_extent("B", Q, 0, Blocks, 0),
        tk::same_extent("HKV", Q, 1, Blocks, 1), tk::same_extent("B", Q, 0, List, 0),
        tk::same_extent("HKV", Q, 1, List, 1), tk::same_extent("B", Q, 0, Of, 0),
        tk::same_extent("HKV", Q, 1, Of, 1),
        tk::extents_fit({{"B", B}, {"HKV", HKV}, {"N", N}, {"SEL", SEL}}), tk::fits("N*16", N * 16),
        tk::that(Q.shape[2] == N * 16, "axis 2 of `Q` is {}; it must be `N*16`, which is {}",
                 {Q.shape[2], N * 16}),
        tk::that(O.shape[2] == N * 16, "axis 2 of `O` is {}; it must be `N*16`, which is {}",
                 {O.shape[2], N * 16}),
        tk::that(LSE.shape[2] == N * 16, "axis 2 of `LSE` is {}; it must be `N*16`, which is {}",
                 {LSE.shape[2], N * 16}),
        tk::that(Tokens.shape[2] == tk::ceil_div(N, 8),
                 "axis 2 of `Tokens` is {}; it must be `ceil_div(N, 8)`, which is {}",
                 {Tokens.shape[2], tk::ceil_div(N, 8)}),
        tk::that(Tokens.shape[3] == tk::ceil_div(N, 64),
                 "axis 3 of `Tokens` is {}; it must be `ceil_div(N, 64)`, which is {}",
                 {Tokens.shape[3], tk::ceil_div(N, 64)}),
        tk::that(Blocks.shape[2] == tk::ceil_div(N, 8),
                 "axis 2 of `Blocks` is {}; it must be `ceil_div(N, 8)`, which is {}",
                 {Blocks.shape[2], tk::ceil_div(N, 8)}),
        tk::that(List.shape[2] == tk::ceil_div(N, 8),
                 "axis 2 of `List` is {}; it must be `ceil_div(N, 8)`, which is {}",
                 {List.shape[2], tk::ceil_div(N, 8)}), tk::fits("8*SEL", 8 * SEL),
        tk::that(List.shape[3] == tk::smaller(8 * SEL, tk::ceil_div(N, 64)),
                 "axis 3 of `List` is {}; it must be `min(8*SEL, ceil_div(N, 64))`, which is {}",
                 {List.shape[3], tk::smaller(8 * SEL, tk::ceil_div(N, 64))}),
        tk::that(Of.shape[2] == tk::ceil_div(N, 8),
                 "axis 2 of `Of` is {}; it must be `ceil_div(N, 8)`, which is {}",
                 {Of.shape[2], tk::ceil_div(N, 8)}),
        tk::that(Of.shape[3] == tk::smaller(8 * SEL, tk::ceil_div(N, 64)),
                 "axis 3 of `Of` is {}; it must be `min(8*SEL, ceil_div(N, 64))`, which is {}",
                 {Of.shape[3], tk::smaller(8 * SEL, tk::ceil_div(N, 64))}),
        tk::that(scale > 0.0f, "`nsa_selected_rows` requires `scale > 0`")});
    // listing(list, count, Tokens)
    call.require({
        tk::grid_fits(
            tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(N, 64), 128), 0), tk::ceil_div(N, 8)),
            2147483648),
        tk::grid_fits(
            tk::multiply(
                tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(N, 64), 128), 0),
                             tk::ceil_div(N, 8)), HKV), 2147483648),
        tk::grid_fits(
            tk::multiply(
                tk::multiply(
                    tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(N, 64), 128), 0),
                                 tk::ceil_div(N, 8)), HKV), B), 2147483648),
        tk::fits("(c.start + col_index)*64", (tk::ceil_div(N, 64) - 1 + 262143) * 64)});
    // unions(Tokens, Blocks, List, Of, SEL)
    call.require({
        tk::that(tk::ceil_div(N, 8) < 2147221504,
                 "`ceil_div(N, 8)` is {}; extents must be less than 2147221504",
                 {tk::ceil_div(N, 8)}),
        tk::that(tk::ceil_div(N, 64) < 2147221504,
                 "`ceil_div(N, 64)` is {}; extents must be less than 2147221504",
                 {tk::ceil_div(N, 64)}),
        tk::that(-2147483648 <= 8 * SEL, "`8*SEL` reaches {}; it must fit in 32 bits", {8 * SEL}),
        tk::grid_fits(tk::multiply(tk::ceil_div(N, 8), HKV), 2147483648),
        tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 8), HKV), B), 2147483648),
        tk::fits("(r + 1)*8", (tk::ceil_div(N, 8) - 1 + 1) * 8)});
    // selected(Q, K, V, Blocks, List, Of, O, LSE, scale)
    call.require({
        tk::that(tk::smaller(8 * SEL, tk::ceil_div(N, 64)) < 2147221504,
                 "`min(8*SEL, ceil_div(N, 64))` is {}; extents must be less than 2147221504",
                 {tk::smaller(8 * SEL, tk::ceil_div(N, 64))}), tk::suits_tma_load(Q),
        tk::suits_tma_load(K), tk::suits_tma_load(V), tk::suits_tma_store(O),
        tk::grid_fits(tk::multiply(tk::ceil_div(N, 8), HKV), 2147418112),
        tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 8), HKV), B), 2147418112),
        tk::fits("t.start*16", (N - 1) * 16), tk::fits("(t.start + 4)*16", (N - 1 + 4) * 16)});
    if (!call.ok()) return tk::finish(call.result());

    // listing(list, count, Tokens)
    const bool choice_1 =
        tk::hold({tk::suits_fast(Tokens), tk::that(tk::ceil_div(N, 64) % 4 == 0)});

    // unions(Tokens, Blocks, List, Of, SEL)
    const bool choice_2 = tk::hold(
        {tk::that(Tokens.stride[3] == 1), tk::that(Tokens.address % 16 == 0),
         tk::that(Tokens.stride[2] % 4 == 0 && 0 < Tokens.stride[2] &&
                  Tokens.stride[2] < 274877906944),
         tk::that(Tokens.stride[1] % 4 == 0 && 0 < Tokens.stride[1] &&
                  Tokens.stride[1] < 274877906944),
         tk::that(Tokens.stride[0] % 4 == 0 && 0 < Tokens.stride[0] &&
                  Tokens.stride[0] < 274877906944), tk::that(tk::ceil_div(N, 64) % 4 == 0)});
    const int64_t counter_bytes = 4;
    TK_FINISH_IF_FAILED(tk::check_workspace(workspace, workspace_bytes, counter_bytes));

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1) {
        TK_FINISH_IF_FAILED(launch_listing_BS_64_TOK_8(site, list, count, Tokens, B, N, HKV, SEL));
    } else {
        TK_FINISH_IF_FAILED(
            launch_listing_BS_64_TOK_8_general(site, list, count, Tokens, B, N, HKV, SEL));
    }
    if (choice_2) {
        TK_FINISH_IF_FAILED(launch_unions_BS_64_TOK_8(
            site, tk::read_only(Tokens), Blocks, List, Of, B, HKV, tk::ceil_div(N, 8),
            tk::ceil_div(N, 64), static_cast<int32_t>(SEL)));
    } else {
        TK_FINISH_IF_FAILED(launch_unions_BS_64_TOK_8_general(
            site, tk::read_only(Tokens), Blocks, List, Of, B, HKV, tk::ceil_div(N, 8),
            tk::ceil_div(N, 64), static_cast<int32_t>(SEL)));
    }
    TK_FINISH_IF_FAILED(tk::clear_counters(workspace, counter_bytes, site));
    TK_FINISH_IF_FAILED(launch_selected(
        site, Q, K, V, tk::read_only(Blocks), tk::read_only(List), tk::read_only(Of), O, LSE, B,
        HKV, N, tk::smaller(8 * SEL, tk::ceil_div(N, 64)), scale, workspace));
    return tk::finish({});
}
size_t nsa_selected_rows_workspace(
    const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
    const DLTensor* list_given, const DLTensor* count_given, DLTensor* O_given, DLTensor* LSE_given,
    DLTensor* Tokens_given, DLTensor* Blocks_given, DLTensor* List_given, DLTensor* Of_given,
    float scale) {
    tk::arguments call{"nsa_selected_rows"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor list = call.take("list", list_given, tk::dtype_i32, 4, tk::access::read);
    const tk::tensor count = call.take("count", count_given, tk::dtype_i32, 3, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor Tokens = call.take("Tokens", Tokens_given, tk::dtype_i32, 4,
                                        tk::access::write);
    const tk::tensor Blocks = call.take("Blocks", Blocks_given, tk::dtype_i32, 3,
                                        tk::access::write);
    const tk::tensor List = call.take("List", List_given, tk::dtype_i32, 4, tk::access::write);
    const tk::tensor Of = call.take("Of", Of_given, tk::dtype_i32, 4, tk::access::write);
    if (!call.ok()) return 0;
    return size_t(4);
}
TK_ERROR(nsa_selected_rows)
}  // extern "C"
