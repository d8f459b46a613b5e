// Made by tkc from nsa_selected_backward.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/add.cuh"
#include "tk/operations/cells.cuh"
#include "tk/operations/integer.cuh"
#include "tk/operations/tickets.cuh"
#include "tk/ptx/wgmma_n016.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/tk.cuh"

// counts: kernel counts with BC = 128, BR = 32.
// 256 threads, 128 registers each, 21504 bytes of shared memory: counts_kernel<2, true>.
// counts_general: kernel counts with BC = 128, BR = 32; any strides and alignment.
// 256 threads, 255 registers each, 21504 bytes of shared memory: counts_kernel<1, false>.
struct counts_shared {
    tk::shared_tile<int, 1, 4224> counts_turned[1];
    tk::shared_tile<int, 8, 128> counts_i32_rows_128[1];
};
static_assert(offsetof(counts_shared, counts_i32_rows_128) == 17408);

template <int blocks, bool vectors>
__global__ void __launch_bounds__(256, blocks) counts_kernel(
    const tk::tensor_argument<const int, 4> Tokens, const tk::tensor_argument<int, 4> Before,
    const tk::tensor_argument<int, 3> Total, int B, int HKV, int R, int C) {
    extern __shared__ __align__(1024) unsigned char memory[];
    counts_shared& shared = *reinterpret_cast<counts_shared*>(memory);

    tk::wait_for_previous_kernel();

    const int c_tiles = tk::tiles(C, 128);

    // nsa_selected_backward.tk:29: kernel counts<BC: int = 128, BR: int = 32>(Tokens: i32[B, ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int c = program % c_tiles * 128;
    const int g = program / c_tiles % HKV;
    const int b = program / (c_tiles * HKV);

    // nsa_selected_backward.tk:32: var before: i32[1, BC] = 0;
    tk::stripe<int, 1, 128, 256, 32, 4> before;
    tk::map(before, []() { return 0; });

    // nsa_selected_backward.tk:33: for r in R by BR {
    for (int r = 0; r < R; r += 32) {
        // nsa_selected_backward.tk:34: let n = pad(ones(load(Tokens[b, g, r, c])), axis = 0, ..
        tk::stripe<int, 32, 128, 256, 32, 4> t0;
        tk::load_slice<vectors>(
            t0, tk::slice_if_vectors<vectors>(Tokens, {b, g, r, c}, R - r, C - c), thread);
        tk::stripe<int, 32, 128, 256, 32, 4> n;
        tk::map(n, thread, [&](int row, int, int t0) {
            const int x = tk::wrapping_subtract(t0, (t0 >> 1) & 1431655765);
            const int x_2 = (x & 858993459) + ((x >> 2) & 858993459);
            return row < R - r
                ? tk::wrapping_multiply((x_2 + (x_2 >> 4)) & 252645135, 16843009) >> 24 : 0;
        }, t0);

        // nsa_selected_backward.tk:35: store(Before[b, g, r, c], before + cumsum(n, axis = 0) - n);
        tk::stripe<int, 128, 32, 256, 32, 4> t1;
        tk::transpose(t1, n, shared.counts_turned[0], thread, 1);
        tk::stripe<int, 128, 32, 256, 32, 4> t2;
        tk::running_sums(t2, t1, thread);
        tk::stripe<int, 32, 128, 256, 32, 4> t3;
        tk::transpose(t3, t2, shared.counts_turned[0], thread, 1);
        tk::stripe<int, 32, 128, 256, 32, 4> t4;
        tk::map(t4, [](int before, int t3, int n) {
            return tk::wrapping_subtract(tk::wrapping_add(before, t3), n);
        }, before, t3, n);
        tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(Before, {b, g, r, c}, R - r, C - c),
                                 t4, thread);

        // nsa_selected_backward.tk:36: before += sum(n, axis = 0);
        tk::stripe<int, 1, 128, 256, 32, 4> t5;
        tk::reduce_columns(t5, n, shared.counts_i32_rows_128[0], tk::plus{}, thread, 1);
        tk::map(before, [](int before, int t5) { return tk::wrapping_add(before, t5); },
                before, t5);
    }

    // nsa_selected_backward.tk:38: store(Total[b, g, c], before);
    tk::store_slice<vectors>(
        tk::slice_if_vectors<vectors, tk::no_axis, 2>(Total, {b, g, c}, 1, C - c), before, thread);
}

// starts: kernel starts with BC = 128.
// 128 threads, 48 registers each.
__global__ void __launch_bounds__(128, 10) starts_kernel(
    const tk::tensor_argument<const int, 3> Total, const tk::tensor_argument<int, 3> Start, int B,
    int HKV, int C) {
    tk::wait_for_previous_kernel();

    // nsa_selected_backward.tk:42: kernel starts<BC: int = 128>(Total: i32[B, HKV, C], out ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int g = program % HKV;
    const int b = program / HKV;

    // nsa_selected_backward.tk:45: var before: i32[1, 1] = 0;
    tk::stripe<int, 1, 1, 128, 32, 4> before;
    tk::map(before, []() { return 0; });

    // nsa_selected_backward.tk:46: for c in C by BC {
    for (int c = 0; c < C; c += 128) {
        // nsa_selected_backward.tk:47: let n = load(Total[b, g, c]);
        tk::stripe<int, 1, 128, 128, 32, 4> n;
        tk::load_vectors(n, tk::vector_slice<tk::no_axis, 2>(Total, {b, g, c}, 1, C - c), thread);

        // nsa_selected_backward.tk:48: store(Start[b, g, c], before + cumsum(n, axis = 1) - n);
        tk::stripe<int, 1, 128, 128, 32, 4> t1;
        tk::running_sums(t1, n, thread);
        tk::stripe<int, 1, 128, 128, 32, 4> t2;
        tk::map(t2, [](int before, int t1, int n) {
            return tk::wrapping_subtract(tk::wrapping_add(before, t1), n);
        }, before, t1, n);
        tk::store_vectors(tk::vector_slice<tk::no_axis, 2>(Start, {b, g, c}, 1, C - c), t2, thread);

        // nsa_selected_backward.tk:49: before += sum(n, axis = 1);
        tk::stripe<int, 1, 1, 128, 32, 4> t3;
        tk::fold_rows(t3, n, tk::plus{}, thread);
        tk::finish_rows(t3, tk::plus{});
        tk::map(before, [](int before, int t3) { return tk::wrapping_add(before, t3); },
                before, t3);
    }
}

// starts_general: kernel starts with BC = 128; any strides and alignment.
// 128 threads, 255 registers each, 1024 bytes of shared memory.
struct starts_general_shared {
    tk::shared_tile<int, 1, 4> starts_i32_scan[1];
    tk::shared_tile<int, 1, 4> starts_i32_parts[1];
};
static_assert(offsetof(starts_general_shared, starts_i32_parts) == 128);

__global__ void __launch_bounds__(128, 1) starts_general_kernel(
    const tk::tensor_argument<const int, 3> Total, const tk::tensor_argument<int, 3> Start, int B,
    int HKV, int C) {
    extern __shared__ __align__(1024) unsigned char memory[];
    starts_general_shared& shared = *reinterpret_cast<starts_general_shared*>(memory);

    tk::wait_for_previous_kernel();

    // nsa_selected_backward.tk:42: kernel starts<BC: int = 128>(Total: i32[B, HKV, C], out ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int g = program % HKV;
    const int b = program / HKV;

    // nsa_selected_backward.tk:45: var before: i32[1, 1] = 0;
    tk::stripe<int, 1, 1, 128, 64, 2> before;
    tk::map(before, []() { return 0; });

    // nsa_selected_backward.tk:46: for c in C by BC {
    for (int c = 0; c < C; c += 128) {
        // nsa_selected_backward.tk:47: let n = load(Total[b, g, c]);
        tk::stripe<int, 1, 128, 128, 64, 2> n;
        tk::load_global(n, tk::slice<tk::no_axis, 2>(Total, {b, g, c}, 1, C - c), thread);

        // nsa_selected_backward.tk:48: store(Start[b, g, c], before + cumsum(n, axis = 1) - n);
        tk::stripe<int, 1, 128, 128, 64, 2> t1;
        tk::running_sums(t1, n, shared.starts_i32_scan[0], thread, 1);
        tk::stripe<int, 1, 128, 128, 64, 2> t2;
        tk::map(t2, [](int before, int t1, int n) {
            return tk::wrapping_subtract(tk::wrapping_add(before, t1), n);
        }, before, t1, n);
        tk::store_global(tk::slice<tk::no_axis, 2>(Start, {b, g, c}, 1, C - c), t2, thread);

        // nsa_selected_backward.tk:49: before += sum(n, axis = 1);
        tk::stripe<int, 1, 1, 128, 64, 2> t3;
        tk::fold_rows(t3, n, tk::plus{}, thread);
        tk::finish_rows(t3, tk::plus{}, shared.starts_i32_parts[0], thread, 1);
        tk::map(before, [](int before, int t3) { return tk::wrapping_add(before, t3); },
                before, t3);
    }
}

// no_tokens: kernel no_tokens with BE = 1024.
// 128 threads, 48 registers each: no_tokens_kernel<10, 4, true>.
// no_tokens_general: kernel no_tokens with BE = 1024; any strides and alignment.
// 128 threads, 255 registers each: no_tokens_kernel<1, 2, false>.
template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) no_tokens_kernel(
    const tk::tensor_argument<int, 3> TokensOf, int B, int HKV, int E) {
    tk::wait_for_previous_kernel();

    const int e_tiles = tk::tiles(E, 1024);

    // nsa_selected_backward.tk:53: kernel no_tokens<BE: int = 1024>(out TokensOf: i32[B, HKV, E])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int e = program % e_tiles * 1024;
    const int g = program / e_tiles % HKV;
    const int b = program / (e_tiles * HKV);

    // nsa_selected_backward.tk:56: store(TokensOf[b, g, e], 0 * range(BE));
    tk::stripe<int, 1, 1024, 128, 128, vector> t0;
    tk::map(t0, []() { return 0; });
    tk::store_slice<vectors>(
        tk::slice_if_vectors<vectors, tk::no_axis, 2>(TokensOf, {b, g, e}, 1, E - e), t0, thread);
}

// tokens_of: kernel tokens_of with BS = 64.
// 32 threads, 64 registers each.
__global__ void __launch_bounds__(32, 32) tokens_of_kernel(
    const tk::tensor_argument<const int, 4> list, const tk::tensor_argument<const int, 3> count,
    const tk::tensor_argument<const int, 4> Tokens, const tk::tensor_argument<const int, 4> Before,
    const tk::tensor_argument<const int, 3> Start, const tk::tensor_argument<int, 3> TokensOf,
    int B, int N, int HKV, int SEL, int E) {
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    // nsa_selected_backward.tk:59: kernel tokens_of<BS: int = 64>(
    if (warp == 0) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int t = program % N;
        const int g = program / N % HKV;
        const int b = program / (N * HKV);

        // nsa_selected_backward.tk:65: for i in min(count[b, t, g], SEL) pipelined(4) {
        #pragma unroll 4
        for (int i = 0; i < tk::min(tk::cell(count, b, t, g), SEL); i += 1) {
            // nsa_selected_backward.tk:66: let block = list[b, t, g, i];
            const int block = i < SEL ? tk::cell(list, b, t, g, i) : int{};

            // nsa_selected_backward.tk:67: if block >= 0 and block * BS <= t {
            if (block >= 0 && tk::wrapping_multiply(block, 64) <= t) {
                // nsa_selected_backward.tk:68: let at      = min(block, ceil_div(N, BS) - 1);
                const int at = tk::min(block, tk::divide_up(N, 64) - 1);

                // nsa_selected_backward.tk:23: let pairs = x - ((x >> 1) & 1431655765);
                const int pairs = tk::wrapping_subtract(
                    (0 <= at && at < tk::divide_up(N, 64) ? tk::cell(Tokens, b, g, t / 32, at)
                     : int{}) & tk::wrapping_subtract(1 << ((t % 32) & 31), 1),
                    (((0 <= at && at < tk::divide_up(N, 64) ? tk::cell(Tokens, b, g, t / 32, at)
                       : int{}) & tk::wrapping_subtract(1 << ((t % 32) & 31), 1)) >> 1) &
                    1431655765);

                // nsa_selected_backward.tk:24: let fours = (pairs & 858993459) + ((pairs >> 2) & ..
                const int fours = (pairs & 858993459) + ((pairs >> 2) & 858993459);

                // nsa_selected_backward.tk:69: let earlier = ones(Tokens[b, g, t // 32, at] & ..
                const int earlier = tk::wrapping_multiply((fours + (fours >> 4)) & 252645135,
                                                          16843009) >> 24;

                // nsa_selected_backward.tk:70: store(TokensOf[b, g, min(max(Start[b, g, at] + ..
                tk::stripe<int, 1, 1, 32, 1, 1> t0;
                tk::map(t0, [&]() { return t; });
                tk::store_global(
                    tk::clipped(
                        tk::slice<tk::no_axis, 2>(TokensOf,
                                                  {b, g,
                                                   tk::min(
                                                       tk::max(
                                                           tk::wrapping_add(
                                                               tk::wrapping_add(0 <= at &&
                                                                                at <
                                                                                tk::divide_up(N, 64)
                                                                                ? tk::cell(Start, b,
                                                                                           g, at)
                                                                                : int{},
                                                                                0 <= at &&
                                                                                at <
                                                                                tk::divide_up(N, 64)
                                                                                ? tk::cell(Before,
                                                                                           b, g,
                                                                                           t / 32,
                                                                                           at)
                                                                                : int{}), earlier),
                                                           0), E - 1)}, 1,
                                                  E -
                                                  tk::min(
                                                      tk::max(
                                                          tk::wrapping_add(
                                                              tk::wrapping_add(0 <= at &&
                                                                               at <
                                                                               tk::divide_up(N, 64)
                                                                               ? tk::cell(Start, b,
                                                                                          g, at)
                                                                               : int{},
                                                                               0 <= at &&
                                                                               at <
                                                                               tk::divide_up(N, 64)
                                                                               ? tk::cell(Before, b,
                                                                                          g, t / 32,
                                                                                          at)
                                                                               : int{}), earlier),
                                                          0), E - 1)), 0,
                        0 -
                        tk::min(
                            tk::max(
                                tk::wrapping_add(
                                    tk::wrapping_add(0 <= at && at < tk::divide_up(N, 64)
                                                     ? tk::cell(Start, b, g, at) : int{},
                                                     0 <= at && at < tk::divide_up(N, 64)
                                                     ? tk::cell(Before, b, g, t / 32, at) : int{}),
                                    earlier), 0), E - 1)), t0, thread);
            }
        }
    }
}

// row_sums: kernel row_sums with T = bf16, D = 128, G = 16, BG = 16.
// 64 threads, 64 registers each: row_sums_kernel<16, 16, 8, true>.
// row_sums_general: kernel row_sums with T = bf16, D = 128, G = 16, BG = 16; any strides and
// alignment.
// 64 threads, 255 registers each: row_sums_kernel<1, 32, 2, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(64, blocks) row_sums_kernel(
    const tk::tensor_argument<const tk::bf16, 5> O, const tk::tensor_argument<const tk::bf16, 5> dO,
    const tk::tensor_argument<const float, 4> LSE, const tk::tensor_argument<float, 4> L,
    const tk::tensor_argument<float, 4> Delta, int B, int N, int HKV) {
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    // nsa_selected_backward.tk:76: kernel row_sums<T: dtype = bf16, D: int = 128, G: int = 16, ..
    if (warp < 2) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int t = program % N;
        const int g = program / N % HKV;
        const int b = program / (N * HKV);

        // nsa_selected_backward.tk:80: store(L[b, t, g, :], load(LSE[b, t, g, 0 +: BG]) * LOG2E);
        tk::stripe<float, 1, 16, 64, row_threads, vector> t0;
        tk::load_slice<vectors>(
            t0, tk::slice_if_dense<vectors, tk::no_axis, 3>(LSE, {b, t, g, 0}, 1, 16), thread);
        tk::stripe<float, 1, 16, 64, row_threads, vector> t1;
        tk::map(t1, [](float t0) { return t0 * 1.442695f; }, t0);
        tk::store_slice<vectors>(
            tk::slice_if_dense<vectors, tk::no_axis, 3>(L, {b, t, g, 0}, 1, 16), t1, thread);

        // nsa_selected_backward.tk:81: store(Delta[b, t, g, :], sum(f32(load(O[b, t, g, 0 +: BG, ..
        tk::stripe<tk::bf16, 16, 128, 64, row_threads, vector> t2;
        tk::load_slice<vectors>(t2, tk::slice_if_dense<vectors>(O, {b, t, g, 0, 0}, 16, 128),
                                thread);
        tk::stripe<tk::bf16, 16, 128, 64, row_threads, vector> t3;
        tk::load_slice<vectors>(t3, tk::slice_if_dense<vectors>(dO, {b, t, g, 0, 0}, 16, 128),
                                thread);
        tk::stripe<float, 16, 128, 64, row_threads, vector> t4;
        tk::map(t4, [](tk::bf16 t2, tk::bf16 t3) { return float(t2) * float(t3); }, t2, t3);
        tk::stripe<float, 16, 1, 64, row_threads, vector> t5;
        tk::fold_rows(t5, t4, tk::plus{}, thread);
        tk::finish_rows(t5, tk::plus{});
        tk::store_global(tk::slice<3, tk::no_axis>(Delta, {b, t, g, 0}, 16, 1), t5, thread);
    }
}

// gradients: kernel gradients with T = bf16, D = 128, DV = 128, G = 16, BS = 64, RANGE = 1024, BN =
// 64, BG = 16, STAGES = 4, FEW = 2.
// producer: 1 warp, 48 registers a thread; weigher: 1 warpgroup, 224 registers a thread; summer: 1
// warpgroup, 224 registers a thread; adder: 1 warp, 48 registers a thread.
// 384 threads, 168 registers each at first, 157000 bytes of shared memory; persistent, programs
// dealt by a counter.
struct gradients_shared {
    tk::shared_tile<tk::bf16, 64, 128> kv_k[2];
    tk::shared_tile<tk::bf16, 64, 128> kv_v[2];
    tk::shared_tile<tk::bf16, 16, 128> qs_tile[4];
    tk::shared_tile<tk::bf16, 16, 128> os_tile[4];
    tk::shared_tile<float, 1, 16> ls_l[4];
    tk::shared_tile<float, 1, 16> ls_delta[4];
    tk::shared_tile<tk::bf16, 64, 16> ws_p[2];
    tk::shared_tile<tk::bf16, 64, 16> ws_ds[2];
    tk::shared_tile<float, 128, 16> dqs_tile[2];
    tk::shared_tile<float, 64, 128> sums_tile[1];
    tk::pipeline<2> kv;
    tk::pipeline<4> qs;
    tk::pipeline<4> os;
    tk::pipeline<4> ls;
    tk::pipeline<2> ws;
    tk::pipeline<2> dqs;
    tk::pipeline<1> sums;
    tk::pipeline<1> tickets;
    int ticket_numbers[1];
};
static_assert(offsetof(gradients_shared, ticket_numbers) == 156992);

__global__ void __launch_bounds__(384, 1) gradients_kernel(
    const __grid_constant__ CUtensorMap K_map, const __grid_constant__ CUtensorMap V_map,
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap L_map,
    const __grid_constant__ CUtensorMap Delta_map, const __grid_constant__ CUtensorMap dO_map,
    const __grid_constant__ CUtensorMap SumQ_map, const __grid_constant__ CUtensorMap SumK_map,
    const __grid_constant__ CUtensorMap SumV_map, const tk::tensor_argument<const int, 4> Before,
    const tk::tensor_argument<const int, 3> Total, const tk::tensor_argument<const int, 3> Start,
    const tk::tensor_argument<const int, 3> TokensOf, int B, int N, int HKV, int E, float scale,
    unsigned* counters) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gradients_shared& shared = *reinterpret_cast<gradients_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(K_map, V_map, Q_map, L_map, Delta_map, dO_map, SumQ_map, SumK_map,
                              SumV_map);
        shared.kv.init(1, 8);
        shared.qs.init(1, 8);
        shared.os.init(1, 8);
        shared.ls.init(1, 4);
        shared.ws.init(4, 4);
        shared.dqs.init(4, 1);
        shared.sums.init(4, 1);
        shared.tickets.init(1, 9);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        tk::registers_at_most<48>();
        const int n_tiles = tk::tiles(N, 64);
        const int r_tiles = tk::tiles(N, 1024);
        const int programs = n_tiles * r_tiles * HKV * B;
        // nsa_selected_backward.tk:109: role producer(1 warp) registers(48) {
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> kv_next;
            tk::cursor<4> ls_next, os_next, qs_next;
            tk::cursor<1> tickets_next;
            for (int program = blockIdx.x; program < programs;) {
                const int n = program % n_tiles * 64;
                const int r = program / n_tiles % r_tiles * 1024;
                const int g = program / (n_tiles * r_tiles) % HKV;
                const int b = program / (n_tiles * r_tiles * HKV);

                // nsa_selected_backward.tk:96: let j      = n.start // BS;
                const int j = n / 64;

                // nsa_selected_backward.tk:97: let before = Before[b, g, r.start // 32, j];
                const int before = tk::cell(Before, b, g, r / 32, j);

                // nsa_selected_backward.tk:98: let end    = if r.end < N { Before[b, g, ..
                const int end = r + 1024 < N
                    ? tk::cell(Before, b, g, tk::divide_down(tk::min(r + 1024, N - 1), 32), j)
                    : tk::cell(Total, b, g, j);

                // nsa_selected_backward.tk:99: let first  = Start[b, g, j] + before;
                const int first = tk::cell(Start, b, g, j) + before;

                // nsa_selected_backward.tk:100: let tokens = end - before;
                const int tokens = end - before;

                // nsa_selected_backward.tk:110: if tokens > 0 {
                if (tokens > 0) {
                    // nsa_selected_backward.tk:111: produce kv { k = tma_load(K[b, n.start +: ..
                    shared.kv.begin(kv_next, 32768);
                    tk::tma_load(shared.kv_k[kv_next.stage], K_map, shared.kv.full[kv_next.stage],
                                 b, n, g, 0);
                    tk::tma_load(shared.kv_v[kv_next.stage], V_map, shared.kv.full[kv_next.stage],
                                 b, n, g, 0);
                    kv_next.advance();

                    // nsa_selected_backward.tk:112: for i in 0..tokens {
                    #pragma unroll 1
                    for (int i = 0; i < tokens; i += 1) {
                        // nsa_selected_backward.tk:113: let t = TokensOf[b, g, min(max(first + ..
                        const int t = 0 <= tk::min(tk::max(first + i, 0), E - 1) &&
                            tk::min(tk::max(first + i, 0), E - 1) < E
                            ? tk::cell(TokensOf, b, g, tk::min(tk::max(first + i, 0), E - 1))
                            : int{};

                        // nsa_selected_backward.tk:114: produce qs = tma_load(Q[b, t, g, 0 +: ..
                        shared.qs.begin(qs_next, 4096);
                        tk::tma_load(shared.qs_tile[qs_next.stage], Q_map,
                                     shared.qs.full[qs_next.stage], b, t, g, 0, 0);
                        qs_next.advance();

                        // nsa_selected_backward.tk:115: produce ls { l = tma_load(L[b, t, g, ..
                        shared.ls.begin(ls_next, 128);
                        tk::tma_load(shared.ls_l[ls_next.stage], L_map,
                                     shared.ls.full[ls_next.stage], b, t, g, 0);
                        tk::tma_load(shared.ls_delta[ls_next.stage], Delta_map,
                                     shared.ls.full[ls_next.stage], b, t, g, 0);
                        ls_next.advance();

                        // nsa_selected_backward.tk:116: produce os = tma_load(dO[b, t, g, 0 +: ..
                        shared.os.begin(os_next, 4096);
                        tk::tma_load(shared.os_tile[os_next.stage], dO_map,
                                     shared.os.full[os_next.stage], b, t, g, 0, 0);
                        os_next.advance();
                    }
                }

                // The next program.
                shared.tickets.wait_empty(tickets_next);
                program = tk::draw_ticket(shared.tickets, shared.ticket_numbers, tickets_next,
                                          counters);
                tickets_next.advance();
            }
        }
        // nsa_selected_backward.tk:154: role adder(1 warp) registers(48) {
        if (warp == 9) {
            const bool elected = warp == 9 && tk::elect_one();
            tk::cursor<2> dqs_next_2;
            tk::cursor<1> sums_next_2, tickets_next;
            for (int program = blockIdx.x; program < programs;) {
                const int n = program % n_tiles * 64;
                const int r = program / n_tiles % r_tiles * 1024;
                const int g = program / (n_tiles * r_tiles) % HKV;
                const int b = program / (n_tiles * r_tiles * HKV);

                // nsa_selected_backward.tk:96: let j      = n.start // BS;
                const int j = n / 64;

                // nsa_selected_backward.tk:97: let before = Before[b, g, r.start // 32, j];
                const int before = tk::cell(Before, b, g, r / 32, j);

                // nsa_selected_backward.tk:98: let end    = if r.end < N { Before[b, g, ..
                const int end = r + 1024 < N
                    ? tk::cell(Before, b, g, tk::divide_down(tk::min(r + 1024, N - 1), 32), j)
                    : tk::cell(Total, b, g, j);

                // nsa_selected_backward.tk:99: let first  = Start[b, g, j] + before;
                const int first = tk::cell(Start, b, g, j) + before;

                // nsa_selected_backward.tk:100: let tokens = end - before;
                const int tokens = end - before;

                // nsa_selected_backward.tk:155: if tokens > 0 {
                if (tokens > 0) {
                    // nsa_selected_backward.tk:156: for i in 0..tokens {
                    #pragma unroll 1
                    for (int i = 0; i < tokens; i += 1) {
                        // nsa_selected_backward.tk:157: let t = TokensOf[b, g, min(max(first + ..
                        const int t = 0 <= tk::min(tk::max(first + i, 0), E - 1) &&
                            tk::min(tk::max(first + i, 0), E - 1) < E
                            ? tk::cell(TokensOf, b, g, tk::min(tk::max(first + i, 0), E - 1))
                            : int{};

                        // nsa_selected_backward.tk:158: reduce_add(SumQ[b, t, g, :, :], consume ..
                        const tk::cursor<2> dqs_element = shared.dqs.take(dqs_next_2);
                        tk::fence_async();
                        if (elected) {
                            tk::tma_reduce_add(SumQ_map, shared.dqs_tile[dqs_element.stage], b, t,
                                               g, 0, 0);
                            tk::tma_store_wait_read<0>();
                        }
                        shared.dqs.release_after_loads(dqs_element, tk::ordinary_alone{});
                    }

                    // nsa_selected_backward.tk:160: reduce_add(SumK[b, n.start +: BN, g, :], ..
                    const tk::cursor<1> sums_element = shared.sums.take(sums_next_2);
                    tk::fence_async();
                    if (elected) {
                        tk::tma_reduce_add(SumK_map, shared.sums_tile[sums_element.stage], b, n, g,
                                           0);
                        tk::tma_store_wait_read<0>();
                    }
                    shared.sums.release_after_loads(sums_element, tk::ordinary_alone{});

                    // nsa_selected_backward.tk:161: if DV == D { reduce_add(SumV[b, n.start +: ..
                    const tk::cursor<1> sums_element_2 = shared.sums.take(sums_next_2);
                    tk::fence_async();
                    if (elected) {
                        tk::tma_reduce_add(SumV_map, shared.sums_tile[sums_element_2.stage], b, n,
                                           g, 0);
                        tk::tma_store_wait_read<0>();
                    }
                    shared.sums.release_after_loads(sums_element_2, tk::ordinary_alone{});
                }

                // The next program.
                const tk::cursor<1> ticket = shared.tickets.take(tickets_next);
                program = shared.ticket_numbers[ticket.stage];
                shared.tickets.release_after_loads(ticket, tk::ordinary_alone{});
            }
        }
    } else if (warp < 4) {
        // nsa_selected_backward.tk:120: role weigher(1 warpgroup) {
        tk::registers_at_least<224>();
        const int n_tiles = tk::tiles(N, 64);
        const int r_tiles = tk::tiles(N, 1024);
        const int programs = n_tiles * r_tiles * HKV * B;
        const int thread = tk::warpgroup_thread();
        tk::cursor<2> kv_next, ws_next_2;
        tk::cursor<4> qs_next;
        tk::cursor<1> tickets_next;
        for (int program = blockIdx.x; program < programs;) {
            const int n = program % n_tiles * 64;
            const int r = program / n_tiles % r_tiles * 1024;
            const int g = program / (n_tiles * r_tiles) % HKV;
            const int b = program / (n_tiles * r_tiles * HKV);

            // nsa_selected_backward.tk:95: let steep  = scale * LOG2E;
            const float steep = scale * 1.442695f;

            // nsa_selected_backward.tk:96: let j      = n.start // BS;
            const int j = n / 64;

            // nsa_selected_backward.tk:97: let before = Before[b, g, r.start // 32, j];
            const int before = tk::cell(Before, b, g, r / 32, j);

            // nsa_selected_backward.tk:98: let end    = if r.end < N { Before[b, g, min(r.end, N ..
            const int end = r + 1024 < N
                ? tk::cell(Before, b, g, tk::divide_down(tk::min(r + 1024, N - 1), 32), j)
                : tk::cell(Total, b, g, j);

            // nsa_selected_backward.tk:99: let first  = Start[b, g, j] + before;
            const int first = tk::cell(Start, b, g, j) + before;

            // nsa_selected_backward.tk:100: let tokens = end - before;
            const int tokens = end - before;

            // nsa_selected_backward.tk:121: if tokens > 0 {
            if (tokens > 0) {
                // nsa_selected_backward.tk:122: let own = consume kv;
                const tk::cursor<2> own = shared.kv.take(kv_next);

                // nsa_selected_backward.tk:123: let k: T[BN, D] = own.k;
                tk::fragment<tk::bf16, 64, 128> k;
                tk::load_shared(k, shared.kv_k[own.stage], thread);

                // nsa_selected_backward.tk:124: let v: T[BN, DV] = own.v;
                tk::fragment<tk::bf16, 64, 128> v;
                tk::load_shared(v, shared.kv_v[own.stage], thread);
                shared.kv.release_after_loads(own);

                // nsa_selected_backward.tk:125: for i in 0..tokens {
                tk::fragment<float, 64, 16> p;
                for (int i = 0; i < tokens; i += 1) {
                    // nsa_selected_backward.tk:126: let t  = TokensOf[b, g, min(max(first + i, ..
                    const int t = 0 <= tk::min(tk::max(first + i, 0), E - 1) &&
                        tk::min(tk::max(first + i, 0), E - 1) < E
                        ? tk::cell(TokensOf, b, g, tk::min(tk::max(first + i, 0), E - 1)) : int{};

                    // nsa_selected_backward.tk:127: let s  = mma(k, (consume qs).T);
                    const tk::cursor<4> qs_element = shared.qs.take(qs_next);
                    tk::fragment<float, 64, 16> s;
                    tk::mma_async(s, k, tk::transposed(shared.qs_tile[qs_element.stage]),
                                  tk::accumulate_never{});
                    tk::mma_wait<0>(s, k);
                    shared.qs.release(qs_element);

                    // nsa_selected_backward.tk:128: let dp = mma(v, (consume os).T);
                    shared.os.wait_full(qs_element);
                    tk::fragment<float, 64, 16> dp;
                    tk::mma_async(dp, v, tk::transposed(shared.os_tile[qs_element.stage]),
                                  tk::accumulate_never{});
                    tk::mma_wait<0>(dp, v);
                    shared.os.release(qs_element);

                    // nsa_selected_backward.tk:130: let r  = consume ls;
                    shared.ls.wait_full(qs_element);

                    // nsa_selected_backward.tk:131: let p  = where(seen, exp2(s * steep - r.l), 0);
                    tk::row_fragment<float, 16> t0;
                    tk::load_shared(t0, shared.ls_l[qs_element.stage], thread);
                    if (n + 63 <= t) {
                        tk::map(p, [&](float s, float t0) {
                            return tk::exp2(tk::fma(s, steep, -t0));
                        }, s, t0);
                    } else {
                        tk::map(p, thread, [&](int row, int, float s, float t0) {
                            return row < 64 && n + row <= t ? tk::exp2(tk::fma(s, steep, -t0))
                                : 0.0f;
                        }, s, t0);
                    }

                    // nsa_selected_backward.tk:132: produce ws { p = T(p); ds = T(p * (dp - ..
                    tk::fragment<tk::bf16, 64, 16> t2 = tk::convert<tk::bf16>(p);
                    tk::row_fragment<float, 16> t1;
                    tk::load_shared(t1, shared.ls_delta[qs_element.stage], thread);
                    shared.ls.release_after_loads(qs_element);
                    tk::fragment<tk::bf16, 64, 16> t3;
                    tk::map(t3, [](float p, float dp, float t1) { return p * (dp - t1); },
                            p, dp, t1);
                    shared.ws.wait_empty(ws_next_2);
                    tk::store_shared(shared.ws_p[ws_next_2.stage], t2, thread);
                    tk::store_shared(shared.ws_ds[ws_next_2.stage], t3, thread);
                    shared.ws.publish(ws_next_2);
                    ws_next_2.advance();
                }
            }

            // The next program.
            const tk::cursor<1> ticket = shared.tickets.take(tickets_next);
            program = shared.ticket_numbers[ticket.stage];
            shared.tickets.release_after_loads(ticket, tk::ordinary_alone{});
        }
    } else {
        // nsa_selected_backward.tk:136: role summer(1 warpgroup) {
        tk::registers_at_least<224>();
        const int n_tiles = tk::tiles(N, 64);
        const int r_tiles = tk::tiles(N, 1024);
        const int programs = n_tiles * r_tiles * HKV * B;
        const int thread = tk::warpgroup_thread();
        tk::cursor<2> dqs_next_2, kv_next, ws_next_2;
        tk::cursor<4> qs_next;
        tk::cursor<1> sums_next_2, tickets_next;
        for (int program = blockIdx.x; program < programs;) {
            const int n = program % n_tiles * 64;
            const int r = program / n_tiles % r_tiles * 1024;
            const int g = program / (n_tiles * r_tiles) % HKV;
            const int b = program / (n_tiles * r_tiles * HKV);

            // nsa_selected_backward.tk:96: let j      = n.start // BS;
            const int j = n / 64;

            // nsa_selected_backward.tk:97: let before = Before[b, g, r.start // 32, j];
            const int before = tk::cell(Before, b, g, r / 32, j);

            // nsa_selected_backward.tk:98: let end    = if r.end < N { Before[b, g, min(r.end, N ..
            const int end = r + 1024 < N
                ? tk::cell(Before, b, g, tk::divide_down(tk::min(r + 1024, N - 1), 32), j)
                : tk::cell(Total, b, g, j);

            // nsa_selected_backward.tk:100: let tokens = end - before;
            const int tokens = end - before;

            // nsa_selected_backward.tk:137: if tokens > 0 {
            if (tokens > 0) {
                // nsa_selected_backward.tk:138: let own = consume kv;
                const tk::cursor<2> own = shared.kv.take(kv_next);

                // nsa_selected_backward.tk:139: var dk: f32[BN, D] = 0;
                tk::fragment<float, 64, 128> dk;
                tk::zero(dk);

                // nsa_selected_backward.tk:140: var dv: f32[BN, DV] = 0;
                tk::fragment<float, 64, 128> dv;
                tk::zero(dv);

                // nsa_selected_backward.tk:141: for i in 0..tokens {
                for (int i = 0; i < tokens; i += 1) {
                    // nsa_selected_backward.tk:142: let q  = consume qs;
                    const tk::cursor<4> q_element = shared.qs.take(qs_next);

                    // nsa_selected_backward.tk:143: let o  = consume os;
                    shared.os.wait_full(q_element);

                    // nsa_selected_backward.tk:144: let w  = consume ws;
                    const tk::cursor<2> w = shared.ws.take(ws_next_2);

                    // nsa_selected_backward.tk:145: let dq = mma(own.k.T, w.ds);
                    tk::fragment<float, 128, 16> dq;
                    tk::mma_async(dq, tk::transposed(shared.kv_k[own.stage]), shared.ws_ds[w.stage],
                                  tk::accumulate_never{});

                    // nsa_selected_backward.tk:146: dv += mma(w.p, o);
                    tk::mma_async(dv, shared.ws_p[w.stage], shared.os_tile[q_element.stage]);
                    tk::mma_wait<0>(dq, dv);
                    shared.os.release(q_element);

                    // nsa_selected_backward.tk:147: dk += mma(w.ds, q);
                    tk::mma_async(dk, shared.ws_ds[w.stage], shared.qs_tile[q_element.stage]);
                    tk::mma_wait<0>(dk);
                    shared.ws.release(w);
                    shared.qs.release(q_element);

                    // nsa_selected_backward.tk:148: produce dqs = dq;
                    shared.dqs.wait_empty(dqs_next_2);
                    tk::store_shared(shared.dqs_tile[dqs_next_2.stage], dq, thread);
                    shared.dqs.publish(dqs_next_2, tk::ordinary_alone{});
                    dqs_next_2.advance();
                }
                shared.kv.release(own);

                // nsa_selected_backward.tk:150: produce sums = dk;
                shared.sums.wait_empty(sums_next_2);
                tk::store_shared(shared.sums_tile[sums_next_2.stage], dk, thread);
                shared.sums.publish(sums_next_2, tk::ordinary_alone{});
                sums_next_2.advance();

                // nsa_selected_backward.tk:151: if DV == D { produce sums = dv; } else { ..
                shared.sums.wait_empty(sums_next_2);
                tk::store_shared(shared.sums_tile[sums_next_2.stage], dv, thread);
                shared.sums.publish(sums_next_2, tk::ordinary_alone{});
                sums_next_2.advance();
            }

            // The next program.
            const tk::cursor<1> ticket = shared.tickets.take(tickets_next);
            program = shared.ticket_numbers[ticket.stage];
            shared.tickets.release_after_loads(ticket, tk::ordinary_alone{});
        }
    }
}

// gradients_general: kernel gradients with T = bf16, D = 128, DV = 128, G = 16, BS = 64, RANGE =
// 1024, BN = 64, BG = 16, STAGES = 4, FEW = 2; any strides and alignment.
// producer: 1 warp, 48 registers a thread; weigher: 1 warpgroup, 224 registers a thread; summer: 1
// warpgroup, 224 registers a thread; adder: 1 warp, 48 registers a thread.
// 384 threads, 168 registers each at first, 157000 bytes of shared memory; persistent, programs
// dealt by a counter.
struct gradients_general_shared {
    tk::shared_tile<tk::bf16, 64, 128> kv_k[2];
    tk::shared_tile<tk::bf16, 64, 128> kv_v[2];
    tk::shared_tile<tk::bf16, 16, 128> qs_tile[4];
    tk::shared_tile<tk::bf16, 16, 128> os_tile[4];
    tk::shared_tile<float, 1, 16> ls_l[4];
    tk::shared_tile<float, 1, 16> ls_delta[4];
    tk::shared_tile<tk::bf16, 64, 16> ws_p[2];
    tk::shared_tile<tk::bf16, 64, 16> ws_ds[2];
    tk::shared_tile<float, 128, 16> dqs_tile[2];
    tk::shared_tile<float, 64, 128> sums_tile[1];
    tk::pipeline<2> kv;
    tk::pipeline<4> qs;
    tk::pipeline<4> os;
    tk::pipeline<4> ls;
    tk::pipeline<2> ws;
    tk::pipeline<2> dqs;
    tk::pipeline<1> sums;
    tk::pipeline<1> tickets;
    int ticket_numbers[1];
};
static_assert(offsetof(gradients_general_shared, ticket_numbers) == 156992);

__global__ void __launch_bounds__(384, 1) gradients_general_kernel(
    const __grid_constant__ CUtensorMap K_map, const __grid_constant__ CUtensorMap V_map,
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap L_map,
    const __grid_constant__ CUtensorMap Delta_map, const __grid_constant__ CUtensorMap dO_map,
    const tk::tensor_argument<const int, 4> Before, const tk::tensor_argument<const int, 3> Total,
    const tk::tensor_argument<const int, 3> Start, const tk::tensor_argument<const int, 3> TokensOf,
    const tk::tensor_argument<float, 5> SumQ, const tk::tensor_argument<float, 4> SumK,
    const tk::tensor_argument<float, 4> SumV, int B, int N, int HKV, int E, float scale,
    unsigned* counters) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gradients_general_shared& shared = *reinterpret_cast<gradients_general_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(K_map, V_map, Q_map, L_map, Delta_map, dO_map);
        shared.kv.init(1, 8);
        shared.qs.init(1, 8);
        shared.os.init(1, 8);
        shared.ls.init(1, 4);
        shared.ws.init(4, 4);
        shared.dqs.init(4, 1);
        shared.sums.init(4, 1);
        shared.tickets.init(1, 9);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        tk::registers_at_most<48>();
        const int n_tiles = tk::tiles(N, 64);
        const int r_tiles = tk::tiles(N, 1024);
        const int programs = n_tiles * r_tiles * HKV * B;
        // nsa_selected_backward.tk:109: role producer(1 warp) registers(48) {
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> kv_next;
            tk::cursor<4> ls_next, os_next, qs_next;
            tk::cursor<1> tickets_next;
            for (int program = blockIdx.x; program < programs;) {
                const int n = program % n_tiles * 64;
                const int r = program / n_tiles % r_tiles * 1024;
                const int g = program / (n_tiles * r_tiles) % HKV;
                const int b = program / (n_tiles * r_tiles * HKV);

                // nsa_selected_backward.tk:96: let j      = n.start // BS;
                const int j = n / 64;

                // nsa_selected_backward.tk:97: let before = Before[b, g, r.start // 32, j];
                const int before = tk::cell(Before, b, g, r / 32, j);

                // nsa_selected_backward.tk:98: let end    = if r.end < N { Before[b, g, ..
                const int end = r + 1024 < N
                    ? tk::cell(Before, b, g, tk::divide_down(tk::min(r + 1024, N - 1), 32), j)
                    : tk::cell(Total, b, g, j);

                // nsa_selected_backward.tk:99: let first  = Start[b, g, j] + before;
                const int first = tk::cell(Start, b, g, j) + before;

                // nsa_selected_backward.tk:100: let tokens = end - before;
                const int tokens = end - before;

                // nsa_selected_backward.tk:110: if tokens > 0 {
                if (tokens > 0) {
                    // nsa_selected_backward.tk:111: produce kv { k = tma_load(K[b, n.start +: ..
                    shared.kv.begin(kv_next, 32768);
                    tk::tma_load(shared.kv_k[kv_next.stage], K_map, shared.kv.full[kv_next.stage],
                                 b, n, g, 0);
                    tk::tma_load(shared.kv_v[kv_next.stage], V_map, shared.kv.full[kv_next.stage],
                                 b, n, g, 0);
                    kv_next.advance();

                    // nsa_selected_backward.tk:112: for i in 0..tokens {
                    #pragma unroll 1
                    for (int i = 0; i < tokens; i += 1) {
                        // nsa_selected_backward.tk:113: let t = TokensOf[b, g, min(max(first + ..
                        const int t = 0 <= tk::min(tk::max(first + i, 0), E - 1) &&
                            tk::min(tk::max(first + i, 0), E - 1) < E
                            ? tk::cell(TokensOf, b, g, tk::min(tk::max(first + i, 0), E - 1))
                            : int{};

                        // nsa_selected_backward.tk:114: produce qs = tma_load(Q[b, t, g, 0 +: ..
                        shared.qs.begin(qs_next, 4096);
                        tk::tma_load(shared.qs_tile[qs_next.stage], Q_map,
                                     shared.qs.full[qs_next.stage], b, t, g, 0, 0);
                        qs_next.advance();

                        // nsa_selected_backward.tk:115: produce ls { l = tma_load(L[b, t, g, ..
                        shared.ls.begin(ls_next, 128);
                        tk::tma_load(shared.ls_l[ls_next.stage], L_map,
                                     shared.ls.full[ls_next.stage], b, t, g, 0);
                        tk::tma_load(shared.ls_delta[ls_next.stage], Delta_map,
                                     shared.ls.full[ls_next.stage], b, t, g, 0);
                        ls_next.advance();

                        // nsa_selected_backward.tk:116: produce os = tma_load(dO[b, t, g, 0 +: ..
                        shared.os.begin(os_next, 4096);
                        tk::tma_load(shared.os_tile[os_next.stage], dO_map,
                                     shared.os.full[os_next.stage], b, t, g, 0, 0);
                        os_next.advance();
                    }
                }

                // The next program.
                shared.tickets.wait_empty(tickets_next);
                program = tk::draw_ticket(shared.tickets, shared.ticket_numbers, tickets_next,
                                          counters);
                tickets_next.advance();
            }
        }
        // nsa_selected_backward.tk:154: role adder(1 warp) registers(48) {
        if (warp == 9) {
            const int thread = int(threadIdx.x) - 288;
            const bool elected = warp == 9 && tk::elect_one();
            tk::cursor<2> dqs_next_2;
            tk::cursor<1> sums_next_2, tickets_next;
            for (int program = blockIdx.x; program < programs;) {
                const int n = program % n_tiles * 64;
                const int r = program / n_tiles % r_tiles * 1024;
                const int g = program / (n_tiles * r_tiles) % HKV;
                const int b = program / (n_tiles * r_tiles * HKV);

                // nsa_selected_backward.tk:96: let j      = n.start // BS;
                const int j = n / 64;

                // nsa_selected_backward.tk:97: let before = Before[b, g, r.start // 32, j];
                const int before = tk::cell(Before, b, g, r / 32, j);

                // nsa_selected_backward.tk:98: let end    = if r.end < N { Before[b, g, ..
                const int end = r + 1024 < N
                    ? tk::cell(Before, b, g, tk::divide_down(tk::min(r + 1024, N - 1), 32), j)
                    : tk::cell(Total, b, g, j);

                // nsa_selected_backward.tk:99: let first  = Start[b, g, j] + before;
                const int first = tk::cell(Start, b, g, j) + before;

                // nsa_selected_backward.tk:100: let tokens = end - before;
                const int tokens = end - before;

                // nsa_selected_backward.tk:155: if tokens > 0 {
                if (tokens > 0) {
                    // nsa_selected_backward.tk:156: for i in 0..tokens {
                    #pragma unroll 1
                    for (int i = 0; i < tokens; i += 1) {
                        // nsa_selected_backward.tk:157: let t = TokensOf[b, g, min(max(first + ..
                        const int t = 0 <= tk::min(tk::max(first + i, 0), E - 1) &&
                            tk::min(tk::max(first + i, 0), E - 1) < E
                            ? tk::cell(TokensOf, b, g, tk::min(tk::max(first + i, 0), E - 1))
                            : int{};

                        // nsa_selected_backward.tk:158: reduce_add(SumQ[b, t, g, :, :], consume ..
                        const tk::cursor<2> dqs_element = shared.dqs.take(dqs_next_2);
                        tk::add_to_global(
                            tk::slice(SumQ, {b, t, g, 0, 0}, t > -1 && t < N ? 128 : 0, 16),
                            shared.dqs_tile[dqs_element.stage], thread, 32);
                        if (elected) {
                            tk::tma_store_nothing();
                            tk::tma_store_wait_read<0>();
                        }
                        shared.dqs.release_after_loads(dqs_element, tk::ordinary_alone{});
                    }

                    // nsa_selected_backward.tk:160: reduce_add(SumK[b, n.start +: BN, g, :], ..
                    const tk::cursor<1> sums_element = shared.sums.take(sums_next_2);
                    tk::add_to_global(tk::slice<1, 3>(SumK, {b, n, g, 0}, N - n, 128),
                                      shared.sums_tile[sums_element.stage], thread, 32);
                    if (elected) {
                        tk::tma_store_nothing();
                        tk::tma_store_wait_read<0>();
                    }
                    shared.sums.release_after_loads(sums_element, tk::ordinary_alone{});

                    // nsa_selected_backward.tk:161: if DV == D { reduce_add(SumV[b, n.start +: ..
                    const tk::cursor<1> sums_element_2 = shared.sums.take(sums_next_2);
                    tk::add_to_global(tk::slice<1, 3>(SumV, {b, n, g, 0}, N - n, 128),
                                      shared.sums_tile[sums_element_2.stage], thread, 32);
                    if (elected) {
                        tk::tma_store_nothing();
                        tk::tma_store_wait_read<0>();
                    }
                    shared.sums.release_after_loads(sums_element_2, tk::ordinary_alone{});
                }

                // The next program.
                const tk::cursor<1> ticket = shared.tickets.take(tickets_next);
                program = shared.ticket_numbers[ticket.stage];
                shared.tickets.release_after_loads(ticket, tk::ordinary_alone{});
            }
        }
    } else if (warp < 4) {
        // nsa_selected_backward.tk:120: role weigher(1 warpgroup) {
        tk::registers_at_least<224>();
        const int n_tiles = tk::tiles(N, 64);
        const int r_tiles = tk::tiles(N, 1024);
        const int programs = n_tiles * r_tiles * HKV * B;
        const int thread = tk::warpgroup_thread();
        tk::cursor<2> kv_next, ws_next_2;
        tk::cursor<4> qs_next;
        tk::cursor<1> tickets_next;
        for (int program = blockIdx.x; program < programs;) {
            const int n = program % n_tiles * 64;
            const int r = program / n_tiles % r_tiles * 1024;
            const int g = program / (n_tiles * r_tiles) % HKV;
            const int b = program / (n_tiles * r_tiles * HKV);

            // nsa_selected_backward.tk:95: let steep  = scale * LOG2E;
            const float steep = scale * 1.442695f;

            // nsa_selected_backward.tk:96: let j      = n.start // BS;
            const int j = n / 64;

            // nsa_selected_backward.tk:97: let before = Before[b, g, r.start // 32, j];
            const int before = tk::cell(Before, b, g, r / 32, j);

            // nsa_selected_backward.tk:98: let end    = if r.end < N { Before[b, g, min(r.end, N ..
            const int end = r + 1024 < N
                ? tk::cell(Before, b, g, tk::divide_down(tk::min(r + 1024, N - 1), 32), j)
                : tk::cell(Total, b, g, j);

            // nsa_selected_backward.tk:99: let first  = Start[b, g, j] + before;
            const int first = tk::cell(Start, b, g, j) + before;

            // nsa_selected_backward.tk:100: let tokens = end - before;
            const int tokens = end - before;

            // nsa_selected_backward.tk:121: if tokens > 0 {
            if (tokens > 0) {
                // nsa_selected_backward.tk:122: let own = consume kv;
                const tk::cursor<2> own = shared.kv.take(kv_next);

                // nsa_selected_backward.tk:123: let k: T[BN, D] = own.k;
                tk::fragment<tk::bf16, 64, 128> k;
                tk::load_shared(k, shared.kv_k[own.stage], thread);

                // nsa_selected_backward.tk:124: let v: T[BN, DV] = own.v;
                tk::fragment<tk::bf16, 64, 128> v;
                tk::load_shared(v, shared.kv_v[own.stage], thread);
                shared.kv.release_after_loads(own);

                // nsa_selected_backward.tk:125: for i in 0..tokens {
                tk::fragment<float, 64, 16> p;
                for (int i = 0; i < tokens; i += 1) {
                    // nsa_selected_backward.tk:126: let t  = TokensOf[b, g, min(max(first + i, ..
                    const int t = 0 <= tk::min(tk::max(first + i, 0), E - 1) &&
                        tk::min(tk::max(first + i, 0), E - 1) < E
                        ? tk::cell(TokensOf, b, g, tk::min(tk::max(first + i, 0), E - 1)) : int{};

                    // nsa_selected_backward.tk:127: let s  = mma(k, (consume qs).T);
                    const tk::cursor<4> qs_element = shared.qs.take(qs_next);
                    tk::fragment<float, 64, 16> s;
                    tk::mma_async(s, k, tk::transposed(shared.qs_tile[qs_element.stage]),
                                  tk::accumulate_never{});
                    tk::mma_wait<0>(s, k);
                    shared.qs.release(qs_element);

                    // nsa_selected_backward.tk:128: let dp = mma(v, (consume os).T);
                    shared.os.wait_full(qs_element);
                    tk::fragment<float, 64, 16> dp;
                    tk::mma_async(dp, v, tk::transposed(shared.os_tile[qs_element.stage]),
                                  tk::accumulate_never{});
                    tk::mma_wait<0>(dp, v);
                    shared.os.release(qs_element);

                    // nsa_selected_backward.tk:130: let r  = consume ls;
                    shared.ls.wait_full(qs_element);

                    // nsa_selected_backward.tk:131: let p  = where(seen, exp2(s * steep - r.l), 0);
                    tk::row_fragment<float, 16> t0;
                    tk::load_shared(t0, shared.ls_l[qs_element.stage], thread);
                    if (n + 63 <= t) {
                        tk::map(p, [&](float s, float t0) {
                            return tk::exp2(tk::fma(s, steep, -t0));
                        }, s, t0);
                    } else {
                        tk::map(p, thread, [&](int row, int, float s, float t0) {
                            return row < 64 && n + row <= t ? tk::exp2(tk::fma(s, steep, -t0))
                                : 0.0f;
                        }, s, t0);
                    }

                    // nsa_selected_backward.tk:132: produce ws { p = T(p); ds = T(p * (dp - ..
                    tk::fragment<tk::bf16, 64, 16> t2 = tk::convert<tk::bf16>(p);
                    tk::row_fragment<float, 16> t1;
                    tk::load_shared(t1, shared.ls_delta[qs_element.stage], thread);
                    shared.ls.release_after_loads(qs_element);
                    tk::fragment<tk::bf16, 64, 16> t3;
                    tk::map(t3, [](float p, float dp, float t1) { return p * (dp - t1); },
                            p, dp, t1);
                    shared.ws.wait_empty(ws_next_2);
                    tk::store_shared(shared.ws_p[ws_next_2.stage], t2, thread);
                    tk::store_shared(shared.ws_ds[ws_next_2.stage], t3, thread);
                    shared.ws.publish(ws_next_2);
                    ws_next_2.advance();
                }
            }

            // The next program.
            const tk::cursor<1> ticket = shared.tickets.take(tickets_next);
            program = shared.ticket_numbers[ticket.stage];
            shared.tickets.release_after_loads(ticket, tk::ordinary_alone{});
        }
    } else {
        // nsa_selected_backward.tk:136: role summer(1 warpgroup) {
        tk::registers_at_least<224>();
        const int n_tiles = tk::tiles(N, 64);
        const int r_tiles = tk::tiles(N, 1024);
        const int programs = n_tiles * r_tiles * HKV * B;
        const int thread = tk::warpgroup_thread();
        tk::cursor<2> dqs_next_2, kv_next, ws_next_2;
        tk::cursor<4> qs_next;
        tk::cursor<1> sums_next_2, tickets_next;
        for (int program = blockIdx.x; program < programs;) {
            const int n = program % n_tiles * 64;
            const int r = program / n_tiles % r_tiles * 1024;
            const int g = program / (n_tiles * r_tiles) % HKV;
            const int b = program / (n_tiles * r_tiles * HKV);

            // nsa_selected_backward.tk:96: let j      = n.start // BS;
            const int j = n / 64;

            // nsa_selected_backward.tk:97: let before = Before[b, g, r.start // 32, j];
            const int before = tk::cell(Before, b, g, r / 32, j);

            // nsa_selected_backward.tk:98: let end    = if r.end < N { Before[b, g, min(r.end, N ..
            const int end = r + 1024 < N
                ? tk::cell(Before, b, g, tk::divide_down(tk::min(r + 1024, N - 1), 32), j)
                : tk::cell(Total, b, g, j);

            // nsa_selected_backward.tk:100: let tokens = end - before;
            const int tokens = end - before;

            // nsa_selected_backward.tk:137: if tokens > 0 {
            if (tokens > 0) {
                // nsa_selected_backward.tk:138: let own = consume kv;
                const tk::cursor<2> own = shared.kv.take(kv_next);

                // nsa_selected_backward.tk:139: var dk: f32[BN, D] = 0;
                tk::fragment<float, 64, 128> dk;
                tk::zero(dk);

                // nsa_selected_backward.tk:140: var dv: f32[BN, DV] = 0;
                tk::fragment<float, 64, 128> dv;
                tk::zero(dv);

                // nsa_selected_backward.tk:141: for i in 0..tokens {
                for (int i = 0; i < tokens; i += 1) {
                    // nsa_selected_backward.tk:142: let q  = consume qs;
                    const tk::cursor<4> q_element = shared.qs.take(qs_next);

                    // nsa_selected_backward.tk:143: let o  = consume os;
                    shared.os.wait_full(q_element);

                    // nsa_selected_backward.tk:144: let w  = consume ws;
                    const tk::cursor<2> w = shared.ws.take(ws_next_2);

                    // nsa_selected_backward.tk:145: let dq = mma(own.k.T, w.ds);
                    tk::fragment<float, 128, 16> dq;
                    tk::mma_async(dq, tk::transposed(shared.kv_k[own.stage]), shared.ws_ds[w.stage],
                                  tk::accumulate_never{});

                    // nsa_selected_backward.tk:146: dv += mma(w.p, o);
                    tk::mma_async(dv, shared.ws_p[w.stage], shared.os_tile[q_element.stage]);
                    tk::mma_wait<0>(dq, dv);
                    shared.os.release(q_element);

                    // nsa_selected_backward.tk:147: dk += mma(w.ds, q);
                    tk::mma_async(dk, shared.ws_ds[w.stage], shared.qs_tile[q_element.stage]);
                    tk::mma_wait<0>(dk);
                    shared.ws.release(w);
                    shared.qs.release(q_element);

                    // nsa_selected_backward.tk:148: produce dqs = dq;
                    shared.dqs.wait_empty(dqs_next_2);
                    tk::store_shared(shared.dqs_tile[dqs_next_2.stage], dq, thread);
                    shared.dqs.publish(dqs_next_2, tk::ordinary_alone{});
                    dqs_next_2.advance();
                }
                shared.kv.release(own);

                // nsa_selected_backward.tk:150: produce sums = dk;
                shared.sums.wait_empty(sums_next_2);
                tk::store_shared(shared.sums_tile[sums_next_2.stage], dk, thread);
                shared.sums.publish(sums_next_2, tk::ordinary_alone{});
                sums_next_2.advance();

                // nsa_selected_backward.tk:151: if DV == D { produce sums = dv; } else { ..
                shared.sums.wait_empty(sums_next_2);
                tk::store_shared(shared.sums_tile[sums_next_2.stage], dv, thread);
                shared.sums.publish(sums_next_2, tk::ordinary_alone{});
                sums_next_2.advance();
            }

            // The next program.
            const tk::cursor<1> ticket = shared.tickets.take(tickets_next);
            program = shared.ticket_numbers[ticket.stage];
            shared.tickets.release_after_loads(ticket, tk::ordinary_alone{});
        }
    }
}

// scaled: kernel scaled with T = bf16, D = 128, G = 16, BG = 16.
// 256 threads, 80 registers each, 5120 bytes of shared memory: scaled_kernel<3, 16, 8, true>.
// scaled_general: kernel scaled with T = bf16, D = 128, G = 16, BG = 16; any strides and alignment.
// 256 threads, 255 registers each, 5120 bytes of shared memory: scaled_kernel<1, 32, 4, false>.
struct scaled_shared {
    tk::shared_tile<int, 1, 1152> scaled_turned[1];
};

template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) scaled_kernel(
    const tk::tensor_argument<const float, 5> SumQ, const tk::tensor_argument<tk::bf16, 5> dQ,
    int B, int N, int HKV, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    scaled_shared& shared = *reinterpret_cast<scaled_shared*>(memory);

    tk::wait_for_previous_kernel();

    // nsa_selected_backward.tk:166: kernel scaled<T: dtype = bf16, D: int = 128, G: int = 16, ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int t = program % N;
    const int g = program / N % HKV;
    const int b = program / (N * HKV);

    // nsa_selected_backward.tk:170: store(dQ[b, t, g, 0 +: BG, :], T(load(SumQ[b, t, g, :, :]) * ..
    tk::stripe<float, 128, 16, 256, row_threads, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_dense<vectors>(SumQ, {b, t, g, 0, 0}, 128, 16),
                            thread);
    tk::stripe<tk::bf16, 128, 16, 256, row_threads, vector> t1;
    tk::map(t1, [&](float t0) { return t0 * scale; }, t0);
    tk::stripe<tk::bf16, 16, 128, 256, row_threads, vector> t2;
    tk::transpose(t2, t1, shared.scaled_turned[0], thread, 1);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(dQ, {b, t, g, 0, 0}, 16, 128), t2, thread);
}

// rounded: kernel rounded with T = bf16, D = 128, BN = 16.
// 128 threads, 48 registers each: rounded_kernel<10, 16, 8, true>.
// rounded_general: kernel rounded with T = bf16, D = 128, BN = 16; any strides and alignment.
// 128 threads, 255 registers each: rounded_kernel<1, 32, 2, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) rounded_kernel(
    const tk::tensor_argument<const float, 4> Sum, const tk::tensor_argument<tk::bf16, 4> Y, int B,
    int N, int HKV, float scale) {
    tk::wait_for_previous_kernel();

    const int n_tiles = tk::tiles(N, 16);

    // nsa_selected_backward.tk:173: kernel rounded<T: dtype = bf16, D: int = 128, BN: int = ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 16;
    const int g = program / n_tiles % HKV;
    const int b = program / (n_tiles * HKV);

    // nsa_selected_backward.tk:176: store(Y[b, n, g, :], T(load(Sum[b, n, g, :]) * scale));
    tk::stripe<float, 16, 128, 128, row_threads, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_dense<vectors, 1, 3>(Sum, {b, n, g, 0}, N - n, 128),
                            thread);
    tk::stripe<tk::bf16, 16, 128, 128, row_threads, vector> t1;
    tk::map(t1, [&](float t0) { return t0 * scale; }, t0);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors, 1, 3>(Y, {b, n, g, 0}, N - n, 128), t1,
                             thread);
}

// nsa_selected_listing_BS_64_TOK_32: kernel nsa_selected.listing with BS = 64, TOK = 32, BC = 128,
// BI = 16.
// 128 threads, 48 registers each, 2048 bytes of shared memory:
// nsa_selected_listing_BS_64_TOK_32_kernel<10, 4, true>.
// nsa_selected_listing_BS_64_TOK_32_general: kernel nsa_selected.listing with BS = 64, TOK = 32, BC
// = 128, BI = 16; any strides and alignment.
// 128 threads, 255 registers each, 2048 bytes of shared memory:
// nsa_selected_listing_BS_64_TOK_32_kernel<1, 2, false>.
struct nsa_selected_listing_BS_64_TOK_32_shared {
    tk::shared_tile<int, 4, 128> listing_i32_rows_128[1];
};

template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) nsa_selected_listing_BS_64_TOK_32_kernel(
    const tk::tensor_argument<const int, 4> list, const tk::tensor_argument<const int, 3> count,
    const tk::tensor_argument<int, 4> Tokens, int B, int N, int HKV, int SEL) {
    extern __shared__ __align__(1024) unsigned char memory[];
    nsa_selected_listing_BS_64_TOK_32_shared& shared =
        *reinterpret_cast<nsa_selected_listing_BS_64_TOK_32_shared*>(memory);

    tk::wait_for_previous_kernel();

    const int c_tiles = tk::tiles(tk::divide_up(N, 64), 128);
    const int t_tiles = tk::tiles(N, 32);

    // nsa_selected.tk:20: kernel listing<BS: int = 64, TOK: int = 4, BC: int = 128, BI: int = 16>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int c = program % c_tiles * 128;
    const int t = program / c_tiles % t_tiles * 32;
    const int g = program / (c_tiles * t_tiles) % HKV;
    const int b = program / (c_tiles * t_tiles * HKV);

    // nsa_selected.tk:26: var tokens: i32[1, BC] = 0;
    tk::stripe<int, 1, 128, 128, 32, vector> tokens;
    tk::map(tokens, []() { return 0; });

    // nsa_selected.tk:27: for k in min(TOK, N - t.start) {
    for (int k = 0; k < tk::min(32, N - t); k += 1) {
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
        tk::slice_if_vectors<vectors, tk::no_axis, 3>(Tokens, {b, g, t / 32, c}, 1,
                                                      t / 32 < tk::divide_up(N, 32)
                                                      ? tk::divide_up(N, 64) - c : 0), tokens,
        thread);
}

namespace {
tk::status launch_nsa_selected_listing_BS_64_TOK_32(
    const tk::launch_site& site, const tk::tensor& list, const tk::tensor& count,
    const tk::tensor& Tokens, int64_t B, int64_t N, int64_t HKV, int64_t SEL) {
    return tk::run<nsa_selected_listing_BS_64_TOK_32_kernel<10, 4, true>>(
        site, sizeof(nsa_selected_listing_BS_64_TOK_32_shared), tk::kernel_shape(128).overlapping(),
        tk::multiply(
            tk::multiply(
                tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(N, 64), 128), 0),
                             tk::ceil_div(N, 32)), HKV), B), list, count, Tokens, B, N, HKV, SEL);
}

tk::status launch_nsa_selected_listing_BS_64_TOK_32_general(
    const tk::launch_site& site, const tk::tensor& list, const tk::tensor& count,
    const tk::tensor& Tokens, int64_t B, int64_t N, int64_t HKV, int64_t SEL) {
    return tk::run<nsa_selected_listing_BS_64_TOK_32_kernel<1, 2, false>>(
        site, sizeof(nsa_selected_listing_BS_64_TOK_32_shared), tk::kernel_shape(128).overlapping(),
        tk::multiply(
            tk::multiply(
                tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(N, 64), 128), 0),
                             tk::ceil_div(N, 32)), HKV), B), list, count, Tokens, B, N, HKV, SEL);
}

tk::status launch_counts(const tk::launch_site& site, const tk::tensor& Tokens,
                         const tk::tensor& Before, const tk::tensor& Total, int64_t B, int64_t HKV,
                         int64_t R, int64_t C) {
    return tk::run<counts_kernel<2, true>>(site, sizeof(counts_shared),
                                           tk::kernel_shape(256).overlapping(),
                                           tk::multiply(tk::multiply(tk::ceil_div(C, 128), HKV), B),
                                           Tokens, Before, Total, B, HKV, R, C);
}

tk::status launch_counts_general(const tk::launch_site& site, const tk::tensor& Tokens,
                                 const tk::tensor& Before, const tk::tensor& Total, int64_t B,
                                 int64_t HKV, int64_t R, int64_t C) {
    return tk::run<counts_kernel<1, false>>(site, sizeof(counts_shared),
                                            tk::kernel_shape(256).overlapping(),
                                            tk::multiply(tk::multiply(tk::ceil_div(C, 128), HKV),
                                                         B), Tokens, Before, Total, B, HKV, R, C);
}

tk::status launch_starts(const tk::launch_site& site, const tk::tensor& Total,
                         const tk::tensor& Start, int64_t B, int64_t HKV, int64_t C) {
    return tk::run<starts_kernel>(site, 0, tk::kernel_shape(128).overlapping(),
                                  tk::multiply(HKV, B), Total, Start, B, HKV, C);
}

tk::status launch_starts_general(const tk::launch_site& site, const tk::tensor& Total,
                                 const tk::tensor& Start, int64_t B, int64_t HKV, int64_t C) {
    return tk::run<starts_general_kernel>(site, sizeof(starts_general_shared),
                                          tk::kernel_shape(128).overlapping(), tk::multiply(HKV, B),
                                          Total, Start, B, HKV, C);
}

tk::status launch_no_tokens(const tk::launch_site& site, const tk::tensor& TokensOf, int64_t B,
                            int64_t HKV, int64_t E) {
    return tk::run<no_tokens_kernel<10, 4, true>>(
        site, 0, tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(E, 1024), HKV), B), TokensOf, B, HKV, E);
}

tk::status launch_no_tokens_general(const tk::launch_site& site, const tk::tensor& TokensOf,
                                    int64_t B, int64_t HKV, int64_t E) {
    return tk::run<no_tokens_kernel<1, 2, false>>(
        site, 0, tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(E, 1024), HKV), B), TokensOf, B, HKV, E);
}

tk::status launch_tokens_of(
    const tk::launch_site& site, const tk::tensor& list, const tk::tensor& count,
    const tk::tensor& Tokens, const tk::tensor& Before, const tk::tensor& Start,
    const tk::tensor& TokensOf, int64_t B, int64_t N, int64_t HKV, int64_t SEL, int64_t E) {
    return tk::run<tokens_of_kernel>(site, 0, tk::kernel_shape(32).overlapping(),
                                     tk::multiply(tk::multiply(N, HKV), B), list, count, Tokens,
                                     Before, Start, TokensOf, B, N, HKV, SEL, E);
}

tk::status launch_row_sums(const tk::launch_site& site, const tk::tensor& O, const tk::tensor& dO,
                           const tk::tensor& LSE, const tk::tensor& L, const tk::tensor& Delta,
                           int64_t B, int64_t N, int64_t HKV) {
    return tk::run<row_sums_kernel<16, 16, 8, true>>(site, 0, tk::kernel_shape(64).overlapping(),
                                                     tk::multiply(tk::multiply(N, HKV), B), O, dO,
                                                     LSE, L, Delta, B, N, HKV);
}

tk::status launch_row_sums_general(const tk::launch_site& site, const tk::tensor& O,
                                   const tk::tensor& dO, const tk::tensor& LSE, const tk::tensor& L,
                                   const tk::tensor& Delta, int64_t B, int64_t N, int64_t HKV) {
    return tk::run<row_sums_kernel<1, 32, 2, false>>(site, 0, tk::kernel_shape(64).overlapping(),
                                                     tk::multiply(tk::multiply(N, HKV), B), O, dO,
                                                     LSE, L, Delta, B, N, HKV);
}

tk::status launch_gradients(
    const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K, const tk::tensor& V,
    const tk::tensor& dO, const tk::tensor& L, const tk::tensor& Delta, const tk::tensor& Before,
    const tk::tensor& Total, const tk::tensor& Start, const tk::tensor& TokensOf,
    const tk::tensor& SumQ, const tk::tensor& SumK, const tk::tensor& SumV, int64_t B, int64_t N,
    int64_t HKV, int64_t E, float scale, void* workspace) {
    return tk::run<gradients_kernel>(
        site, sizeof(gradients_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::multiply(tk::ceil_div(N, 64), tk::ceil_div(N, 1024)), HKV),
                     B), tk::box{K, {1, 64, 1, 64}, 128}, tk::box{V, {1, 64, 1, 64}, 128},
        tk::box{Q, {1, 1, 1, 16, 64}, 128}, tk::box{L, {1, 1, 1, 16}, 0},
        tk::box{Delta, {1, 1, 1, 16}, 0}, tk::box{dO, {1, 1, 1, 16, 64}, 128},
        tk::box{SumQ, {1, 1, 1, 128, 16}, 64}, tk::box{SumK, {1, 64, 1, 32}, 128},
        tk::box{SumV, {1, 64, 1, 32}, 128}, Before, Total, Start, TokensOf, B, N, HKV, E, scale,
        workspace);
}

tk::status launch_gradients_general(
    const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K, const tk::tensor& V,
    const tk::tensor& dO, const tk::tensor& L, const tk::tensor& Delta, const tk::tensor& Before,
    const tk::tensor& Total, const tk::tensor& Start, const tk::tensor& TokensOf,
    const tk::tensor& SumQ, const tk::tensor& SumK, const tk::tensor& SumV, int64_t B, int64_t N,
    int64_t HKV, int64_t E, float scale, void* workspace) {
    return tk::run<gradients_general_kernel>(
        site, sizeof(gradients_general_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::multiply(tk::ceil_div(N, 64), tk::ceil_div(N, 1024)), HKV),
                     B), tk::box{K, {1, 64, 1, 64}, 128}, tk::box{V, {1, 64, 1, 64}, 128},
        tk::box{Q, {1, 1, 1, 16, 64}, 128}, tk::box{L, {1, 1, 1, 16}, 0},
        tk::box{Delta, {1, 1, 1, 16}, 0}, tk::box{dO, {1, 1, 1, 16, 64}, 128}, Before, Total, Start,
        TokensOf, SumQ, SumK, SumV, B, N, HKV, E, scale, workspace);
}

tk::status launch_scaled(const tk::launch_site& site, const tk::tensor& SumQ, const tk::tensor& dQ,
                         int64_t B, int64_t N, int64_t HKV, float scale) {
    return tk::run<scaled_kernel<3, 16, 8, true>>(
        site, sizeof(scaled_shared), tk::kernel_shape(256).overlapping(),
        tk::multiply(tk::multiply(N, HKV), B), SumQ, dQ, B, N, HKV, scale);
}

tk::status launch_scaled_general(const tk::launch_site& site, const tk::tensor& SumQ,
                                 const tk::tensor& dQ, int64_t B, int64_t N, int64_t HKV,
                                 float scale) {
    return tk::run<scaled_kernel<1, 32, 4, false>>(
        site, sizeof(scaled_shared), tk::kernel_shape(256).overlapping(),
        tk::multiply(tk::multiply(N, HKV), B), SumQ, dQ, B, N, HKV, scale);
}

tk::status launch_rounded(const tk::launch_site& site, const tk::tensor& Sum, const tk::tensor& Y,
                          int64_t B, int64_t N, int64_t HKV, float scale) {
    return tk::run<rounded_kernel<10, 16, 8, true>>(
        site, 0, tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(N, 16), HKV), B), Sum, Y, B, N, HKV, scale);
}

tk::status launch_rounded_general(const tk::launch_site& site, const tk::tensor& Sum,
                                  const tk::tensor& Y, int64_t B, int64_t N, int64_t HKV,
                                  float scale) {
    return tk::run<rounded_kernel<1, 32, 2, false>>(
        site, 0, tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(N, 16), HKV), B), Sum, Y, B, N, HKV, scale);
}

}  // namespace

extern "C" {
int counts(const DLTensor* Tokens_given, DLTensor* Before_given, DLTensor* Total_given, void*,
           size_t, cudaStream_t stream) {
    tk::arguments call{"counts"};
    const tk::tensor Tokens = call.take("Tokens", Tokens_given, tk::dtype_i32, 4, tk::access::read);
    const tk::tensor Before = call.take("Before", Before_given, tk::dtype_i32, 4,
                                        tk::access::write);
    const tk::tensor Total = call.take("Total", Total_given, tk::dtype_i32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Tokens.shape[0];
    const int64_t HKV = Tokens.shape[1];
    const int64_t R = Tokens.shape[2];
    const int64_t C = Tokens.shape[3];
    call.require(
        {tk::same_extent("B", Tokens, 0, Before, 0), tk::same_extent("HKV", Tokens, 1, Before, 1),
         tk::same_extent("R", Tokens, 2, Before, 2), tk::same_extent("C", Tokens, 3, Before, 3),
         tk::same_extent("B", Tokens, 0, Total, 0), tk::same_extent("HKV", Tokens, 1, Total, 1),
         tk::same_extent("C", Tokens, 3, Total, 2),
         tk::extents_fit({{"B", B}, {"HKV", HKV}, {"R", R}, {"C", C}}),
         tk::grid_fits(tk::multiply(tk::ceil_div(C, 128), HKV), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(C, 128), HKV), B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(tk::ceil_div(C, 128), HKV), B);
    const bool fast = tk::hold(
        {tk::suits_fast(Tokens, "C"), tk::whole_vectors(Tokens, 4), tk::suits_fast(Before, "C"),
         tk::suits_fast(Total, "C")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<counts_kernel<2, true>, counts_kernel<1, false>>(
        fast ? 0 : 1, site, sizeof(counts_shared), tk::kernel_shape(256).overlapping(), programs,
        Tokens, Before, Total, B, HKV, R, C));
}
TK_NO_WORKSPACE(counts, const DLTensor*, DLTensor*, DLTensor*)

int starts(const DLTensor* Total_given, DLTensor* Start_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"starts"};
    const tk::tensor Total = call.take("Total", Total_given, tk::dtype_i32, 3, tk::access::read);
    const tk::tensor Start = call.take("Start", Start_given, tk::dtype_i32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Total.shape[0];
    const int64_t HKV = Total.shape[1];
    const int64_t C = Total.shape[2];
    call.require(
        {tk::same_extent("B", Total, 0, Start, 0), tk::same_extent("HKV", Total, 1, Start, 1),
         tk::same_extent("C", Total, 2, Start, 2),
         tk::extents_fit({{"B", B}, {"HKV", HKV}, {"C", C}}),
         tk::grid_fits(tk::multiply(HKV, B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast = tk::hold(
        {tk::suits_fast(Total, "C"), tk::whole_vectors(Total, 4), tk::suits_fast(Start, "C")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(
            tk::run<starts_kernel>(site, 0, tk::kernel_shape(128).overlapping(),
                                   tk::multiply(HKV, B), Total, Start, B, HKV, C));
    }
    return tk::finish(tk::run<starts_general_kernel>(
        site, sizeof(starts_general_shared), tk::kernel_shape(128).overlapping(),
        tk::multiply(HKV, B), Total, Start, B, HKV, C));
}
TK_NO_WORKSPACE(starts, const DLTensor*, DLTensor*)

int no_tokens(DLTensor* TokensOf_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"no_tokens"};
    const tk::tensor TokensOf = call.take("TokensOf", TokensOf_given, tk::dtype_i32, 3,
                                          tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = TokensOf.shape[0];
    const int64_t HKV = TokensOf.shape[1];
    const int64_t E = TokensOf.shape[2];
    call.require(
        {tk::extents_fit({{"B", B}, {"HKV", HKV}, {"E", E}}),
         tk::grid_fits(tk::multiply(tk::ceil_div(E, 1024), HKV), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(E, 1024), HKV), B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(tk::ceil_div(E, 1024), HKV), B);
    const bool fast = tk::hold({tk::suits_fast(TokensOf, "E"), tk::whole_vectors(TokensOf, 4)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<no_tokens_kernel<10, 4, true>, no_tokens_kernel<1, 2, false>>(
        fast ? 0 : 1, site, 0, tk::kernel_shape(128).overlapping(), programs, TokensOf, B, HKV, E));
}
TK_NO_WORKSPACE(no_tokens, DLTensor*)

int tokens_of(const DLTensor* list_given, const DLTensor* count_given, const DLTensor* Tokens_given,
              const DLTensor* Before_given, const DLTensor* Start_given, DLTensor* TokensOf_given,
              void*, size_t, cudaStream_t stream) {
    tk::arguments call{"tokens_of"};
    const tk::tensor list = call.take("list", list_given, tk::dtype_i32, 4, tk::access::read);
    const tk::tensor count = call.take("count", count_given, tk::dtype_i32, 3, tk::access::read);
    const tk::tensor Tokens = call.take("Tokens", Tokens_given, tk::dtype_i32, 4, tk::access::read);
    const tk::tensor Before = call.take("Before", Before_given, tk::dtype_i32, 4, tk::access::read);
    const tk::tensor Start = call.take("Start", Start_given, tk::dtype_i32, 3, tk::access::read);
    const tk::tensor TokensOf = call.take("TokensOf", TokensOf_given, tk::dtype_i32, 3,
                                          tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = list.shape[0];
    const int64_t N = list.shape[1];
    const int64_t HKV = list.shape[2];
    const int64_t SEL = list.shape[3];
    const int64_t E = TokensOf.shape[2];
    call.require(
        {tk::same_extent("B", list, 0, count, 0), tk::same_extent("N", list, 1, count, 1),
         tk::same_extent("HKV", list, 2, count, 2), tk::same_extent("B", list, 0, Tokens, 0),
         tk::same_extent("HKV", list, 2, Tokens, 1), tk::same_extent("B", list, 0, Before, 0),
         tk::same_extent("HKV", list, 2, Before, 1), tk::same_extent("B", list, 0, Start, 0),
         tk::same_extent("HKV", list, 2, Start, 1), tk::same_extent("B", list, 0, TokensOf, 0),
         tk::same_extent("HKV", list, 2, TokensOf, 1),
         tk::extents_fit({{"B", B}, {"N", N}, {"HKV", HKV}, {"SEL", SEL}, {"E", E}}),
         tk::that(Tokens.shape[2] == tk::ceil_div(N, 32),
                  "axis 2 of `Tokens` is {}; it must be `ceil_div(N, 32)`, which is {}",
                  {Tokens.shape[2], tk::ceil_div(N, 32)}),
         tk::that(Tokens.shape[3] == tk::ceil_div(N, 64),
                  "axis 3 of `Tokens` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Tokens.shape[3], tk::ceil_div(N, 64)}),
         tk::that(Before.shape[2] == tk::ceil_div(N, 32),
                  "axis 2 of `Before` is {}; it must be `ceil_div(N, 32)`, which is {}",
                  {Before.shape[2], tk::ceil_div(N, 32)}),
         tk::that(Before.shape[3] == tk::ceil_div(N, 64),
                  "axis 3 of `Before` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Before.shape[3], tk::ceil_div(N, 64)}),
         tk::that(Start.shape[2] == tk::ceil_div(N, 64),
                  "axis 2 of `Start` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Start.shape[2], tk::ceil_div(N, 64)}),
         tk::grid_fits(tk::multiply(N, HKV), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(N, HKV), B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<tokens_of_kernel>(
        site, 0, tk::kernel_shape(32).overlapping(), tk::multiply(tk::multiply(N, HKV), B), list,
        count, Tokens, Before, Start, TokensOf, B, N, HKV, SEL, E));
}
TK_NO_WORKSPACE(tokens_of, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)

int row_sums(const DLTensor* O_given, const DLTensor* dO_given, const DLTensor* LSE_given,
             DLTensor* L_given, DLTensor* Delta_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"row_sums"};
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 5, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 5, tk::access::read);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor L = call.take("L", L_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Delta = call.take("Delta", Delta_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = O.shape[0];
    const int64_t N = O.shape[1];
    const int64_t HKV = O.shape[2];
    call.require(
        {tk::fixed_extent(O, 3, 16), tk::fixed_extent(O, 4, 128), tk::same_extent("B", O, 0, dO, 0),
         tk::same_extent("N", O, 1, dO, 1), tk::same_extent("HKV", O, 2, dO, 2),
         tk::fixed_extent(dO, 3, 16), tk::fixed_extent(dO, 4, 128),
         tk::same_extent("B", O, 0, LSE, 0), tk::same_extent("N", O, 1, LSE, 1),
         tk::same_extent("HKV", O, 2, LSE, 2), tk::fixed_extent(LSE, 3, 16),
         tk::same_extent("B", O, 0, L, 0), tk::same_extent("N", O, 1, L, 1),
         tk::same_extent("HKV", O, 2, L, 2), tk::fixed_extent(L, 3, 16),
         tk::same_extent("B", O, 0, Delta, 0), tk::same_extent("N", O, 1, Delta, 1),
         tk::same_extent("HKV", O, 2, Delta, 2), tk::fixed_extent(Delta, 3, 16),
         tk::extents_fit({{"B", B}, {"N", N}, {"HKV", HKV}}),
         tk::grid_fits(tk::multiply(N, HKV), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(N, HKV), B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(N, HKV), B);
    const bool fast =
        tk::hold({tk::suits_fast(O), tk::suits_fast(dO), tk::suits_fast(LSE), tk::suits_fast(L)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<row_sums_kernel<16, 16, 8, true>, row_sums_kernel<1, 32, 2, false>>(
            fast ? 0 : 1, site, 0, tk::kernel_shape(64).overlapping(), programs, O, dO, LSE, L,
            Delta, B, N, HKV));
}
TK_NO_WORKSPACE(row_sums, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*)

int gradients(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
              const DLTensor* dO_given, const DLTensor* L_given, const DLTensor* Delta_given,
              const DLTensor* Before_given, const DLTensor* Total_given,
              const DLTensor* Start_given, const DLTensor* TokensOf_given, DLTensor* SumQ_given,
              DLTensor* SumK_given, DLTensor* SumV_given, float scale, void* workspace,
              size_t workspace_bytes, cudaStream_t stream) {
    tk::arguments call{"gradients"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 5, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 5, tk::access::read);
    const tk::tensor L = call.take("L", L_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor Delta = call.take("Delta", Delta_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor Before = call.take("Before", Before_given, tk::dtype_i32, 4, tk::access::read);
    const tk::tensor Total = call.take("Total", Total_given, tk::dtype_i32, 3, tk::access::read);
    const tk::tensor Start = call.take("Start", Start_given, tk::dtype_i32, 3, tk::access::read);
    const tk::tensor TokensOf = call.take("TokensOf", TokensOf_given, tk::dtype_i32, 3,
                                          tk::access::read);
    const tk::tensor SumQ = call.take("SumQ", SumQ_given, tk::dtype_f32, 5, tk::access::accumulate);
    const tk::tensor SumK = call.take("SumK", SumK_given, tk::dtype_f32, 4, tk::access::accumulate);
    const tk::tensor SumV = call.take("SumV", SumV_given, tk::dtype_f32, 4, tk::access::accumulate);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t HKV = Q.shape[2];
    const int64_t E = TokensOf.shape[2];
    call.require({
        tk::fixed_extent(Q, 3, 16), tk::fixed_extent(Q, 4, 128), tk::same_extent("B", Q, 0, K, 0),
        tk::same_extent("N", Q, 1, K, 1), tk::same_extent("HKV", Q, 2, K, 2),
        tk::fixed_extent(K, 3, 128), tk::same_extent("B", Q, 0, V, 0),
        tk::same_extent("N", Q, 1, V, 1), tk::same_extent("HKV", Q, 2, V, 2),
        tk::fixed_extent(V, 3, 128), tk::same_extent("B", Q, 0, dO, 0),
        tk::same_extent("N", Q, 1, dO, 1), tk::same_extent("HKV", Q, 2, dO, 2),
        tk::fixed_extent(dO, 3, 16), tk::fixed_extent(dO, 4, 128), tk::same_extent("B", Q, 0, L, 0),
        tk::same_extent("N", Q, 1, L, 1), tk::same_extent("HKV", Q, 2, L, 2),
        tk::fixed_extent(L, 3, 16), tk::same_extent("B", Q, 0, Delta, 0),
        tk::same_extent("N", Q, 1, Delta, 1), tk::same_extent("HKV", Q, 2, Delta, 2),
        tk::fixed_extent(Delta, 3, 16), tk::same_extent("B", Q, 0, Before, 0),
        tk::same_extent("HKV", Q, 2, Before, 1), tk::same_extent("B", Q, 0, Total, 0),
        tk::same_extent("HKV", Q, 2, Total, 1), tk::same_extent("B", Q, 0, Start, 0),
        tk::same_extent("HKV", Q, 2, Start, 1), tk::same_extent("B", Q, 0, TokensOf, 0),
        tk::same_extent("HKV", Q, 2, TokensOf, 1), tk::same_extent("B", Q, 0, SumQ, 0),
        tk::same_extent("N", Q, 1, SumQ, 1), tk::same_extent("HKV", Q, 2, SumQ, 2),
        tk::fixed_extent(SumQ, 3, 128), tk::fixed_extent(SumQ, 4, 16),
        tk::same_extent("B", Q, 0, SumK, 0), tk::same_extent("N", Q, 1, SumK, 1),
        tk::same_extent("HKV", Q, 2, SumK, 2), tk::fixed_extent(SumK, 3, 128),
        tk::same_extent("B", Q, 0, SumV, 0), tk::same_extent("N", Q, 1, SumV, 1),
        tk::same_extent("HKV", Q, 2, SumV, 2), tk::fixed_extent(SumV, 3, 128),
        tk::extents_fit({{"B", B}, {"N", N}, {"HKV", HKV}, {"E", E}}),
        tk::that(Before.shape[2] == tk::ceil_div(N, 32),
                 "axis 2 of `Before` is {}; it must be `ceil_div(N, 32)`, which is {}",
                 {Before.shape[2], tk::ceil_div(N, 32)}),
        tk::that(Before.shape[3] == tk::ceil_div(N, 64),
                 "axis 3 of `Before` is {}; it must be `ceil_div(N, 64)`, which is {}",
                 {Before.shape[3], tk::ceil_div(N, 64)}),
        tk::that(Total.shape[2] == tk::ceil_div(N, 64),
                 "axis 2 of `Total` is {}; it must be `ceil_div(N, 64)`, which is {}",
                 {Total.shape[2], tk::ceil_div(N, 64)}),
        tk::that(Start.shape[2] == tk::ceil_div(N, 64),
                 "axis 2 of `Start` is {}; it must be `ceil_div(N, 64)`, which is {}",
                 {Start.shape[2], tk::ceil_div(N, 64)}),
        tk::that(E >= 1, "`gradients` requires `E >= 1`"),
        tk::grid_fits(tk::multiply(tk::ceil_div(N, 64), tk::ceil_div(N, 1024)), 2147418112),
        tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 64), tk::ceil_div(N, 1024)), HKV),
                      2147418112),
        tk::grid_fits(
            tk::multiply(
                tk::multiply(tk::multiply(tk::ceil_div(N, 64), tk::ceil_div(N, 1024)), HKV), B),
            2147418112), tk::fits("Start[b, g, j] + before", E + N),
        tk::fits("first + i", E + N + (N - 1))});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(
        tk::multiply(tk::multiply(tk::ceil_div(N, 64), tk::ceil_div(N, 1024)), HKV), B);

    // The general one only where the other does not suit.
    tk::selection choice{call};
    choice.candidate();  // gradients
    choice.prefer(
        {tk::suits_fast(Q), tk::suits_fast(K), tk::suits_fast(V), tk::suits_fast(dO),
         tk::suits_fast(L), tk::suits_fast(Delta), tk::suits_fast(SumQ), tk::suits_fast(SumK),
         tk::suits_fast(SumV)});
    choice.offer();
    choice.candidate(true);  // gradients_general
    choice.require(
        {tk::suits_tma_load(Q), tk::suits_tma_load(K), tk::suits_tma_load(V),
         tk::suits_tma_load(dO), tk::suits_tma_load(L), tk::suits_tma_load(Delta)});
    choice.offer();
    if (!choice.ok()) return tk::finish(choice.result());
    const int64_t counter_bytes = 4;
    TK_FINISH_IF_FAILED(tk::check_workspace(workspace, workspace_bytes, counter_bytes));

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    TK_FINISH_IF_FAILED(tk::clear(SumQ, site));
    TK_FINISH_IF_FAILED(tk::clear(SumK, site));
    TK_FINISH_IF_FAILED(tk::clear(SumV, site));
    TK_FINISH_IF_FAILED(tk::clear_counters(workspace, counter_bytes, site));
    const int best = choice.best(site);
    if (best == 0) {
        return tk::finish(tk::run<gradients_kernel>(
            site, sizeof(gradients_shared), tk::kernel_shape(384).at_once(1).overlapping(),
            programs, tk::box{K, {1, 64, 1, 64}, 128}, tk::box{V, {1, 64, 1, 64}, 128},
            tk::box{Q, {1, 1, 1, 16, 64}, 128}, tk::box{L, {1, 1, 1, 16}, 0},
            tk::box{Delta, {1, 1, 1, 16}, 0}, tk::box{dO, {1, 1, 1, 16, 64}, 128},
            tk::box{SumQ, {1, 1, 1, 128, 16}, 64}, tk::box{SumK, {1, 64, 1, 32}, 128},
            tk::box{SumV, {1, 64, 1, 32}, 128}, Before, Total, Start, TokensOf, B, N, HKV, E, scale,
            workspace));
    }
    return tk::finish(tk::run<gradients_general_kernel>(
        site, sizeof(gradients_general_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        programs, tk::box{K, {1, 64, 1, 64}, 128}, tk::box{V, {1, 64, 1, 64}, 128},
        tk::box{Q, {1, 1, 1, 16, 64}, 128}, tk::box{L, {1, 1, 1, 16}, 0},
        tk::box{Delta, {1, 1, 1, 16}, 0}, tk::box{dO, {1, 1, 1, 16, 64}, 128}, Before, Total, Start,
        TokensOf, SumQ, SumK, SumV, B, N, HKV, E, scale, workspace));
}
size_t gradients_workspace(
    const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
    const DLTensor* dO_given, const DLTensor* L_given, const DLTensor* Delta_given,
    const DLTensor* Before_given, const DLTensor* Total_given, const DLTensor* Start_given,
    const DLTensor* TokensOf_given, DLTensor* SumQ_given, DLTensor* SumK_given,
    DLTensor* SumV_given, float scale) {
    tk::arguments call{"gradients"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 5, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 5, tk::access::read);
    const tk::tensor L = call.take("L", L_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor Delta = call.take("Delta", Delta_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor Before = call.take("Before", Before_given, tk::dtype_i32, 4, tk::access::read);
    const tk::tensor Total = call.take("Total", Total_given, tk::dtype_i32, 3, tk::access::read);
    const tk::tensor Start = call.take("Start", Start_given, tk::dtype_i32, 3, tk::access::read);
    const tk::tensor TokensOf = call.take("TokensOf", TokensOf_given, tk::dtype_i32, 3,
                                          tk::access::read);
    const tk::tensor SumQ = call.take("SumQ", SumQ_given, tk::dtype_f32, 5, tk::access::accumulate);
    const tk::tensor SumK = call.take("SumK", SumK_given, tk::dtype_f32, 4, tk::access::accumulate);
    const tk::tensor SumV = call.take("SumV", SumV_given, tk::dtype_f32, 4, tk::access::accumulate);
    if (!call.ok()) return 0;
    return size_t(4);
}
TK_ERROR(gradients)

int scaled(const DLTensor* SumQ_given, DLTensor* dQ_given, float scale, void*, size_t,
           cudaStream_t stream) {
    tk::arguments call{"scaled"};
    const tk::tensor SumQ = call.take("SumQ", SumQ_given, tk::dtype_f32, 5, tk::access::read);
    const tk::tensor dQ = call.take("dQ", dQ_given, tk::dtype_bf16, 5, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = SumQ.shape[0];
    const int64_t N = SumQ.shape[1];
    const int64_t HKV = SumQ.shape[2];
    call.require(
        {tk::fixed_extent(SumQ, 3, 128), tk::fixed_extent(SumQ, 4, 16),
         tk::same_extent("B", SumQ, 0, dQ, 0), tk::same_extent("N", SumQ, 1, dQ, 1),
         tk::same_extent("HKV", SumQ, 2, dQ, 2), tk::fixed_extent(dQ, 3, 16),
         tk::fixed_extent(dQ, 4, 128), tk::extents_fit({{"B", B}, {"N", N}, {"HKV", HKV}}),
         tk::grid_fits(tk::multiply(N, HKV), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(N, HKV), B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(N, HKV), B);
    const bool fast = tk::hold({tk::suits_fast(SumQ), tk::suits_fast(dQ)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<scaled_kernel<3, 16, 8, true>, scaled_kernel<1, 32, 4, false>>(
        fast ? 0 : 1, site, sizeof(scaled_shared), tk::kernel_shape(256).overlapping(), programs,
        SumQ, dQ, B, N, HKV, scale));
}
TK_NO_WORKSPACE(scaled, const DLTensor*, DLTensor*, float)

int rounded(const DLTensor* Sum_given, DLTensor* Y_given, float scale, void*, size_t,
            cudaStream_t stream) {
    tk::arguments call{"rounded"};
    const tk::tensor Sum = call.take("Sum", Sum_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Sum.shape[0];
    const int64_t N = Sum.shape[1];
    const int64_t HKV = Sum.shape[2];
    call.require(
        {tk::fixed_extent(Sum, 3, 128), tk::same_extent("B", Sum, 0, Y, 0),
         tk::same_extent("N", Sum, 1, Y, 1), tk::same_extent("HKV", Sum, 2, Y, 2),
         tk::fixed_extent(Y, 3, 128), tk::extents_fit({{"B", B}, {"N", N}, {"HKV", HKV}}),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 16), HKV), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 16), HKV), B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(tk::ceil_div(N, 16), HKV), B);
    const bool fast = tk::hold({tk::suits_fast(Sum), tk::suits_fast(Y)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<rounded_kernel<10, 16, 8, true>, rounded_kernel<1, 32, 2, false>>(
            fast ? 0 : 1, site, 0, tk::kernel_shape(128).overlapping(), programs, Sum, Y, B, N, HKV,
            scale));
}
TK_NO_WORKSPACE(rounded, const DLTensor*, DLTensor*, float)

int nsa_selected_backward(
    const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
    const DLTensor* O_given, const DLTensor* LSE_given, const DLTensor* dO_given,
    const DLTensor* list_given, const DLTensor* count_given, DLTensor* dQ_given, DLTensor* dK_given,
    DLTensor* dV_given, DLTensor* Tokens_given, DLTensor* Before_given, DLTensor* Total_given,
    DLTensor* Start_given, DLTensor* TokensOf_given, DLTensor* L_given, DLTensor* Delta_given,
    DLTensor* SumQ_given, DLTensor* SumK_given, DLTensor* SumV_given, float scale, void* workspace,
    size_t workspace_bytes, cudaStream_t stream) {
    tk::arguments call{"nsa_selected_backward"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 5, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 5, tk::access::read);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 5, tk::access::read);
    const tk::tensor list = call.take("list", list_given, tk::dtype_i32, 4, tk::access::read);
    const tk::tensor count = call.take("count", count_given, tk::dtype_i32, 3, tk::access::read);
    const tk::tensor dQ = call.take("dQ", dQ_given, tk::dtype_bf16, 5, tk::access::write);
    const tk::tensor dK = call.take("dK", dK_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dV = call.take("dV", dV_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Tokens = call.take("Tokens", Tokens_given, tk::dtype_i32, 4,
                                        tk::access::write);
    const tk::tensor Before = call.take("Before", Before_given, tk::dtype_i32, 4,
                                        tk::access::write);
    const tk::tensor Total = call.take("Total", Total_given, tk::dtype_i32, 3, tk::access::write);
    const tk::tensor Start = call.take("Start", Start_given, tk::dtype_i32, 3, tk::access::write);
    const tk::tensor TokensOf = call.take("TokensOf", TokensOf_given, tk::dtype_i32, 3,
                                          tk::access::write);
    const tk::tensor L = call.take("L", L_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Delta = call.take("Delta", Delta_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor SumQ = call.take("SumQ", SumQ_given, tk::dtype_f32, 5, tk::access::accumulate);
    const tk::tensor SumK = call.take("SumK", SumK_given, tk::dtype_f32, 4, tk::access::accumulate);
    const tk::tensor SumV = call.take("SumV", SumV_given, tk::dtype_f32, 4, tk::access::accumulate);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t HKV = Q.shape[2];
    const int64_t SEL = list.shape[3];
    call.require({
        tk::fixed_extent(Q, 3, 16), tk::fixed_extent(Q, 4, 128), tk::same_extent("B", Q, 0, K, 0),
        tk::same_extent("N", Q, 1, K, 1), tk::same_extent("HKV", Q, 2, K, 2),
        tk::fixed_extent(K, 3, 128), tk::same_extent("B", Q, 0, V, 0),
        tk::same_extent("N", Q, 1, V, 1), tk::same_extent("HKV", Q, 2, V, 2),
        tk::fixed_extent(V, 3, 128), tk::same_extent("B", Q, 0, O, 0),
        tk::same_extent("N", Q, 1, O, 1), tk::same_extent("HKV", Q, 2, O, 2),
        tk::fixed_extent(O, 3, 16), tk::fixed_extent(O, 4, 128), tk::same_extent("B", Q, 0, LSE, 0),
        tk::same_extent("N", Q, 1, LSE, 1), tk::same_extent("HKV", Q, 2, LSE, 2),
        tk::fixed_extent(LSE, 3, 16), tk::same_extent("B", Q, 0, dO, 0),
        tk::same_extent("N", Q, 1, dO, 1), tk::same_extent("HKV", Q, 2, dO, 2),
        tk::fixed_extent(dO, 3, 16), tk::fixed_extent(dO, 4, 128),
        tk::same_extent("B", Q, 0, list, 0), tk::same_extent("N", Q, 1, list, 1),
        tk::same_extent("HKV", Q, 2, list, 2), tk::same_extent("B", Q, 0, count, 0),
        tk::same_extent("N", Q, 1, count, 1), tk::same_extent("HKV", Q, 2, count, 2),
        tk::same_extent("B", Q, 0, dQ, 0), tk::same_extent("N", Q, 1, dQ, 1),
        tk::same_extent("HKV", Q, 2, dQ, 2), tk::fixed_extent(dQ, 3, 16),
        tk::fixed_extent(dQ, 4, 128), tk::same_extent("B", Q, 0, dK, 0),
        tk::same_extent("N", Q, 1, dK, 1), tk::same_extent("HKV", Q, 2, dK, 2),
        tk::fixed_extent(dK, 3, 128), tk::same_extent("B", Q, 0, dV, 0),
        tk::same_extent("N", Q, 1, dV, 1), tk::same_extent("HKV", Q, 2, dV, 2),
        tk::fixed_extent(dV, 3, 128), tk::same_extent("B", Q, 0, Tokens, 0),
        tk::same_extent("HKV", Q, 2, Tokens, 1), tk::same_extent("B", Q, 0, Before, 0),
        tk::same_extent("HKV", Q, 2, Before, 1), tk::same_extent("B", Q, 0, Total, 0),
        tk::same_extent("HKV", Q, 2, Total, 1), tk::same_extent("B", Q, 0, Start, 0),
        tk::same_extent("HKV", Q, 2, Start, 1), tk::same_extent("B", Q, 0, TokensOf, 0),
        tk::same_extent("HKV", Q, 2, TokensOf, 1), tk::same_extent("B", Q, 0, L, 0),
        tk::same_extent("N", Q, 1, L, 1), tk::same_extent("HKV", Q, 2, L, 2),
        tk::fixed_extent(L, 3, 16), tk::same_extent("B", Q, 0, Delta, 0),
        tk::same_extent("N", Q, 1, Delta, 1), tk::same_extent("HKV", Q, 2, Delta, 2),
        tk::fixed_extent(Delta, 3, 16), tk::same_extent("B", Q, 0, SumQ, 0),
        tk::same_extent("N", Q, 1, SumQ, 1), tk::same_extent("HKV", Q, 2, SumQ, 2),
        tk::fixed_extent(SumQ, 3, 128), tk::fixed_extent(SumQ, 4, 16),
        tk::same_extent("B", Q, 0, SumK, 0), tk::same_extent("N", Q, 1, SumK, 1),
        tk::same_extent("HKV", Q, 2, SumK, 2), tk::fixed_extent(SumK, 3, 128),
        tk::same_extent("B", Q, 0, SumV, 0), tk::same_extent("N", Q, 1, SumV, 1),
        tk::same_extent("HKV", Q, 2, SumV, 2), tk::fixed_extent(SumV, 3, 128),
        tk::extents_fit({{"B", B}, {"N", N}, {"HKV", HKV}, {"SEL", SEL}}),
        tk::that(Tokens.shape[2] == tk::ceil_div(N, 32),
                 "axis 2 of `Tokens` is {}; it must be `ceil_div(N, 32)`, which is {}",
                 {Tokens.shape[2], tk::ceil_div(N, 32)}),
        tk::that(Tokens.shape[3] == tk::ceil_div(N, 64),
                 "axis 3 of `Tokens` is {}; it must be `ceil_div(N, 64)`, which is {}",
                 {Tokens.shape[3], tk::ceil_div(N, 64)}),
        tk::that(Before.shape[2] == tk::ceil_div(N, 32),
                 "axis 2 of `Before` is {}; it must be `ceil_div(N, 32)`, which is {}",
                 {Before.shape[2], tk::ceil_div(N, 32)}),
        tk::that(Before.shape[3] == tk::ceil_div(N, 64),
                 "axis 3 of `Before` is {}; it must be `ceil_div(N, 64)`, which is {}",
                 {Before.shape[3], tk::ceil_div(N, 64)}),
        tk::that(Total.shape[2] == tk::ceil_div(N, 64),
                 "axis 2 of `Total` is {}; it must be `ceil_div(N, 64)`, which is {}",
                 {Total.shape[2], tk::ceil_div(N, 64)}),
        tk::that(Start.shape[2] == tk::ceil_div(N, 64),
                 "axis 2 of `Start` is {}; it must be `ceil_div(N, 64)`, which is {}",
                 {Start.shape[2], tk::ceil_div(N, 64)}), tk::fits("N*SEL", tk::multiply(N, SEL)),
        tk::fits("N*SEL + 1", tk::multiply(N, SEL) + 1),
        tk::that(TokensOf.shape[2] == tk::multiply(N, SEL) + 1,
                 "axis 2 of `TokensOf` is {}; it must be `N*SEL + 1`, which is {}",
                 {TokensOf.shape[2], tk::multiply(N, SEL) + 1})});
    // nsa_selected.listing(list, count, Tokens)
    call.require({
        tk::grid_fits(
            tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(N, 64), 128), 0),
                         tk::ceil_div(N, 32)), 2147483648),
        tk::grid_fits(
            tk::multiply(
                tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(N, 64), 128), 0),
                             tk::ceil_div(N, 32)), HKV), 2147483648),
        tk::grid_fits(
            tk::multiply(
                tk::multiply(
                    tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(N, 64), 128), 0),
                                 tk::ceil_div(N, 32)), HKV), B), 2147483648),
        tk::fits("(c.start + col_index)*64", (tk::ceil_div(N, 64) - 1 + 262143) * 64)});
    // counts(Tokens, Before, Total)
    call.require({
        tk::that(tk::ceil_div(N, 32) < 2147221504,
                 "`ceil_div(N, 32)` is {}; extents must be less than 2147221504",
                 {tk::ceil_div(N, 32)}),
        tk::that(tk::ceil_div(N, 64) < 2147221504,
                 "`ceil_div(N, 64)` is {}; extents must be less than 2147221504",
                 {tk::ceil_div(N, 64)}),
        tk::grid_fits(tk::multiply(tk::ceil_div(tk::ceil_div(N, 64), 128), HKV), 2147483648),
        tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(tk::ceil_div(N, 64), 128), HKV), B),
                      2147483648)});
    // starts(Total, Start)
    call.require({tk::grid_fits(tk::multiply(HKV, B), 2147483648)});
    // no_tokens(TokensOf)
    call.require({
        tk::that(tk::multiply(N, SEL) + 1 < 2147221504,
                 "`N*SEL + 1` is {}; extents must be less than 2147221504",
                 {tk::multiply(N, SEL) + 1}),
        tk::grid_fits(tk::multiply(tk::ceil_div(tk::multiply(N, SEL) + 1, 1024), HKV), 2147483648),
        tk::grid_fits(
            tk::multiply(tk::multiply(tk::ceil_div(tk::multiply(N, SEL) + 1, 1024), HKV), B),
            2147483648)});
    // tokens_of(list, count, Tokens, Before, Start, TokensOf)
    call.require(
        {tk::grid_fits(tk::multiply(N, HKV), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(N, HKV), B), 2147483648)});
    // gradients(Q, K, V, dO, L, Delta, Before, Total, Start, TokensOf, SumQ, SumK, SumV, scale)
    call.require(
        {tk::that(tk::multiply(N, SEL) + 1 >= 1, "`gradients` requires `(N*SEL + 1) >= 1`"),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 64), tk::ceil_div(N, 1024)), 2147418112),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 64), tk::ceil_div(N, 1024)), HKV),
                       2147418112),
         tk::grid_fits(
             tk::multiply(
                 tk::multiply(tk::multiply(tk::ceil_div(N, 64), tk::ceil_div(N, 1024)), HKV), B),
             2147418112), tk::fits("Start[b, g, j] + before", tk::multiply(N, SEL) + 1 + N),
         tk::fits("first + i", tk::multiply(N, SEL) + 1 + N + (N - 1))});
    // rounded(SumK, dK, scale)
    call.require(
        {tk::grid_fits(tk::multiply(tk::ceil_div(N, 16), HKV), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 16), HKV), B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());

    // nsa_selected.listing(list, count, Tokens)
    const bool choice_1 =
        tk::hold({tk::suits_fast(Tokens), tk::that(tk::ceil_div(N, 64) % 4 == 0)});

    // counts(Tokens, Before, Total)
    const bool choice_2 = tk::hold({
        tk::that(Tokens.stride[3] == 1), tk::that(Tokens.address % 16 == 0),
        tk::that(Tokens.stride[2] % 4 == 0 && 0 < Tokens.stride[2] &&
                 Tokens.stride[2] < 274877906944),
        tk::that(Tokens.stride[1] % 4 == 0 && 0 < Tokens.stride[1] &&
                 Tokens.stride[1] < 274877906944),
        tk::that(Tokens.stride[0] % 4 == 0 && 0 < Tokens.stride[0] &&
                 Tokens.stride[0] < 274877906944), tk::that(tk::ceil_div(N, 64) % 4 == 0),
        tk::that(Before.stride[3] == 1), tk::that(Before.address % 16 == 0),
        tk::that(Before.stride[2] % 4 == 0 && 0 < Before.stride[2] &&
                 Before.stride[2] < 274877906944),
        tk::that(Before.stride[1] % 4 == 0 && 0 < Before.stride[1] &&
                 Before.stride[1] < 274877906944),
        tk::that(Before.stride[0] % 4 == 0 && 0 < Before.stride[0] &&
                 Before.stride[0] < 274877906944), tk::that(Total.stride[2] == 1),
        tk::that(Total.address % 16 == 0),
        tk::that(Total.stride[1] % 4 == 0 && 0 < Total.stride[1] && Total.stride[1] < 274877906944),
        tk::that(Total.stride[0] % 4 == 0 && 0 < Total.stride[0] &&
                 Total.stride[0] < 274877906944)});

    // starts(Total, Start)
    const bool choice_3 = tk::hold({
        tk::that(Total.stride[2] == 1), tk::that(Total.address % 16 == 0),
        tk::that(Total.stride[1] % 4 == 0 && 0 < Total.stride[1] && Total.stride[1] < 274877906944),
        tk::that(Total.stride[0] % 4 == 0 && 0 < Total.stride[0] && Total.stride[0] < 274877906944),
        tk::that(tk::ceil_div(N, 64) % 4 == 0), tk::that(Start.stride[2] == 1),
        tk::that(Start.address % 16 == 0),
        tk::that(Start.stride[1] % 4 == 0 && 0 < Start.stride[1] && Start.stride[1] < 274877906944),
        tk::that(Start.stride[0] % 4 == 0 && 0 < Start.stride[0] &&
                 Start.stride[0] < 274877906944)});

    // no_tokens(TokensOf)
    const bool choice_4 = tk::hold(
        {tk::that(TokensOf.stride[2] == 1), tk::that(TokensOf.address % 16 == 0),
         tk::that(TokensOf.stride[1] % 4 == 0 && 0 < TokensOf.stride[1] &&
                  TokensOf.stride[1] < 274877906944),
         tk::that(TokensOf.stride[0] % 4 == 0 && 0 < TokensOf.stride[0] &&
                  TokensOf.stride[0] < 274877906944),
         tk::that((tk::multiply(N, SEL) + 1) % 4 == 0)});

    // row_sums(O, dO, LSE, L, Delta)
    const bool choice_6 =
        tk::hold({tk::suits_fast(O), tk::suits_fast(dO), tk::suits_fast(LSE), tk::suits_fast(L)});

    // gradients(Q, K, V, dO, L, Delta, Before, Total, Start, TokensOf, SumQ, SumK, SumV, scale)
    tk::selection choice_7{call};
    choice_7.candidate();  // gradients
    choice_7.prefer(
        {tk::suits_fast(Q), tk::suits_fast(K), tk::suits_fast(V), tk::suits_fast(dO),
         tk::suits_fast(L), tk::suits_fast(Delta), tk::suits_fast(SumQ), tk::suits_fast(SumK),
         tk::suits_fast(SumV)});
    choice_7.offer();
    choice_7.candidate(true);  // gradients_general
    choice_7.require(
        {tk::suits_tma_load(Q), tk::suits_tma_load(K), tk::suits_tma_load(V),
         tk::suits_tma_load(dO), tk::suits_tma_load(L), tk::suits_tma_load(Delta)});
    choice_7.offer();
    if (!choice_7.ok()) return tk::finish(choice_7.result());

    // scaled(SumQ, dQ, scale)
    const bool choice_8 = tk::hold({tk::suits_fast(SumQ), tk::suits_fast(dQ)});

    // rounded(SumK, dK, scale)
    const bool choice_9 = tk::hold({tk::suits_fast(SumK), tk::suits_fast(dK)});

    // rounded(SumV, dV, 1.0)
    const bool choice_10 = tk::hold({tk::suits_fast(SumV), tk::suits_fast(dV)});
    const int64_t counter_bytes = 4;
    TK_FINISH_IF_FAILED(tk::check_workspace(workspace, workspace_bytes, counter_bytes));

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1) {
        TK_FINISH_IF_FAILED(
            launch_nsa_selected_listing_BS_64_TOK_32(site, list, count, Tokens, B, N, HKV, SEL));
    } else {
        TK_FINISH_IF_FAILED(launch_nsa_selected_listing_BS_64_TOK_32_general(
            site, list, count, Tokens, B, N, HKV, SEL));
    }
    if (choice_2) {
        TK_FINISH_IF_FAILED(
            launch_counts(site, tk::read_only(Tokens), Before, Total, B, HKV, tk::ceil_div(N, 32),
                          tk::ceil_div(N, 64)));
    } else {
        TK_FINISH_IF_FAILED(
            launch_counts_general(site, tk::read_only(Tokens), Before, Total, B, HKV,
                                  tk::ceil_div(N, 32), tk::ceil_div(N, 64)));
    }
    if (choice_3) {
        TK_FINISH_IF_FAILED(
            launch_starts(site, tk::read_only(Total), Start, B, HKV, tk::ceil_div(N, 64)));
    } else {
        TK_FINISH_IF_FAILED(
            launch_starts_general(site, tk::read_only(Total), Start, B, HKV, tk::ceil_div(N, 64)));
    }
    if (choice_4) {
        TK_FINISH_IF_FAILED(launch_no_tokens(site, TokensOf, B, HKV, tk::multiply(N, SEL) + 1));
    } else {
        TK_FINISH_IF_FAILED(
            launch_no_tokens_general(site, TokensOf, B, HKV, tk::multiply(N, SEL) + 1));
    }
    TK_FINISH_IF_FAILED(
        launch_tokens_of(site, list, count, tk::read_only(Tokens), tk::read_only(Before),
                         tk::read_only(Start), TokensOf, B, N, HKV, SEL, tk::multiply(N, SEL) + 1));
    if (choice_6) {
        TK_FINISH_IF_FAILED(launch_row_sums(site, O, dO, LSE, L, Delta, B, N, HKV));
    } else {
        TK_FINISH_IF_FAILED(launch_row_sums_general(site, O, dO, LSE, L, Delta, B, N, HKV));
    }
    TK_FINISH_IF_FAILED(tk::clear(SumQ, site));
    TK_FINISH_IF_FAILED(tk::clear(SumK, site));
    TK_FINISH_IF_FAILED(tk::clear(SumV, site));
    TK_FINISH_IF_FAILED(tk::clear_counters(workspace, counter_bytes, site));
    if (choice_7.best(site) == 0) {
        TK_FINISH_IF_FAILED(launch_gradients(
            site, Q, K, V, dO, tk::read_only(L), tk::read_only(Delta), tk::read_only(Before),
            tk::read_only(Total), tk::read_only(Start), tk::read_only(TokensOf), SumQ, SumK, SumV,
            B, N, HKV, tk::multiply(N, SEL) + 1, scale, workspace));
    }
    if (choice_7.best(site) == 1) {
        TK_FINISH_IF_FAILED(launch_gradients_general(
            site, Q, K, V, dO, tk::read_only(L), tk::read_only(Delta), tk::read_only(Before),
            tk::read_only(Total), tk::read_only(Start), tk::read_only(TokensOf), SumQ, SumK, SumV,
            B, N, HKV, tk::multiply(N, SEL) + 1, scale, workspace));
    }
    if (choice_8) {
        TK_FINISH_IF_FAILED(launch_scaled(site, tk::read_only(SumQ), dQ, B, N, HKV, scale));
    } else {
        TK_FINISH_IF_FAILED(launch_scaled_general(site, tk::read_only(SumQ), dQ, B, N, HKV, scale));
    }
    if (choice_9) {
        TK_FINISH_IF_FAILED(launch_rounded(site, tk::read_only(SumK), dK, B, N, HKV, scale));
    } else {
        TK_FINISH_IF_FAILED(
            launch_rounded_general(site, tk::read_only(SumK), dK, B, N, HKV, scale));
    }
    if (choice_10) {
        TK_FINISH_IF_FAILED(
            launch_rounded(site, tk::read_only(SumV), dV, B, N, HKV, static_cast<float>(1.0f)));
    } else {
        TK_FINISH_IF_FAILED(launch_rounded_general(
            site, tk::read_only(SumV), dV, B, N, HKV, static_cast<float>(1.0f)));
    }
    return tk::finish({});
}
size_t nsa_selected_backward_workspace(
    const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
    const DLTensor* O_given, const DLTensor* LSE_given, const DLTensor* dO_given,
    const DLTensor* list_given, const DLTensor* count_given, DLTensor* dQ_given, DLTensor* dK_given,
    DLTensor* dV_given, DLTensor* Tokens_given, DLTensor* Before_given, DLTensor* Total_given,
    DLTensor* Start_given, DLTensor* TokensOf_given, DLTensor* L_given, DLTensor* Delta_given,
    DLTensor* SumQ_given, DLTensor* SumK_given, DLTensor* SumV_given, float scale) {
    tk::arguments call{"nsa_selected_backward"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 5, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 5, tk::access::read);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 5, tk::access::read);
    const tk::tensor list = call.take("list", list_given, tk::dtype_i32, 4, tk::access::read);
    const tk::tensor count = call.take("count", count_given, tk::dtype_i32, 3, tk::access::read);
    const tk::tensor dQ = call.take("dQ", dQ_given, tk::dtype_bf16, 5, tk::access::write);
    const tk::tensor dK = call.take("dK", dK_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dV = call.take("dV", dV_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Tokens = call.take("Tokens", Tokens_given, tk::dtype_i32, 4,
                                        tk::access::write);
    const tk::tensor Before = call.take("Before", Before_given, tk::dtype_i32, 4,
                                        tk::access::write);
    const tk::tensor Total = call.take("Total", Total_given, tk::dtype_i32, 3, tk::access::write);
    const tk::tensor Start = call.take("Start", Start_given, tk::dtype_i32, 3, tk::access::write);
    const tk::tensor TokensOf = call.take("TokensOf", TokensOf_given, tk::dtype_i32, 3,
                                          tk::access::write);
    const tk::tensor L = call.take("L", L_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Delta = call.take("Delta", Delta_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor SumQ = call.take("SumQ", SumQ_given, tk::dtype_f32, 5, tk::access::write);
    const tk::tensor SumK = call.take("SumK", SumK_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor SumV = call.take("SumV", SumV_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return 0;
    return size_t(4);
}
TK_ERROR(nsa_selected_backward)
}  // extern "C"
