// Made by tkc from attention_varlen.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/cells.cuh"
#include "tk/operations/integer.cuh"
#include "tk/operations/tickets.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/tk.cuh"

// list_blocks: kernel list_blocks with BM = 128.
// 32 threads, 64 registers each.
__global__ void __launch_bounds__(32, 32) list_blocks_kernel(
    const tk::tensor_argument<const int, 1> start_q,
    const tk::tensor_argument<const int, 1> start_k, const tk::tensor_argument<int, 1> Of,
    const tk::tensor_argument<int, 1> Block, int E, int B) {
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    // attention_varlen.tk:16: kernel list_blocks<BM: int = 128>(start_q: i32[B + 1], start_k: ..
    if (warp == 0) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int b = program;

        // attention_varlen.tk:20: let blocks = ceil_div(start_q[b + 1] - start_q[b], BM);
        const int blocks = tk::divide_up(
            tk::wrapping_subtract(tk::dense_cell(start_q, b + 1), tk::dense_cell(start_q, b)), 128);

        // attention_varlen.tk:21: let keys   = start_k[b + 1] - start_k[b];
        const int keys = tk::wrapping_subtract(tk::dense_cell(start_k, b + 1),
                                               tk::dense_cell(start_k, b));

        // attention_varlen.tk:22: let begin_q = start_q[0 +: B];   let end_q = start_q[1 +: B];
        const int end_q_end = 1 + B;

        // attention_varlen.tk:23: let begin_k = start_k[0 +: B];   let end_k = start_k[1 +: B];
        const int end_k_end = 1 + B;

        // attention_varlen.tk:24: var before: i32[1, 1] = 0;
        tk::stripe<int, 1, 1, 32, 32, 4> before;
        tk::map(before, []() { return 0; });

        // attention_varlen.tk:25: var all: i32[1, 1] = 0;
        tk::stripe<int, 1, 1, 32, 32, 4> all;
        tk::map(all, []() { return 0; });

        // attention_varlen.tk:26: for c in B by 128 {
        for (int c = 0; c < B; c += 128) {
            // attention_varlen.tk:27: let here  = pad((load(end_q[c]) - load(begin_q[c]) + (BM - ..
            tk::stripe<int, 1, 128, 32, 32, 4> t0;
            tk::load_global(t0,
                            tk::dense_slice(start_q, {1 + c}, 1,
                                            tk::min(end_q_end, B + 1) - (1 + c)), thread);
            tk::stripe<int, 1, 128, 32, 32, 4> t1;
            tk::load_vectors(t1, tk::dense_slice(start_q, {c}, 1, tk::min(B, B + 1) - c), thread);
            tk::stripe<int, 1, 128, 32, 32, 4> here;
            tk::map(here, thread, [&](int, int col, int t0, int t1) {
                return col < 1 + B - (1 + c) ? tk::divide_down(
                    tk::wrapping_add(tk::wrapping_subtract(t0, t1), 127), 128) : 0;
            }, t0, t1);

            // attention_varlen.tk:28: let other = load(end_k[c]) - load(begin_k[c]);
            tk::stripe<int, 1, 128, 32, 32, 4> t2;
            tk::load_global(t2,
                            tk::dense_slice(start_k, {1 + c}, 1,
                                            tk::min(end_k_end, B + 1) - (1 + c)), thread);
            tk::stripe<int, 1, 128, 32, 32, 4> t3;
            tk::load_vectors(t3, tk::dense_slice(start_k, {c}, 1, tk::min(B, B + 1) - c), thread);

            // attention_varlen.tk:30: before += sum(pad(where(first, here, 0), axis = 1, with = ..
            tk::stripe<int, 1, 128, 32, 32, 4> t4;
            tk::map(t4, thread, [&](int, int col, int t2, int t3, int here) {
                const int x = tk::wrapping_subtract(t2, t3);
                return x > keys || (x == keys && c + col < b) ? here : 0;
            }, t2, t3, here);
            tk::stripe<int, 1, 1, 32, 32, 4> t5;
            tk::fold_rows(t5, t4, tk::plus{}, thread);
            tk::finish_rows(t5, tk::plus{});
            tk::map(before, [](int before, int t5) { return tk::wrapping_add(before, t5); },
                    before, t5);

            // attention_varlen.tk:31: all    += sum(here, axis = 1);
            tk::stripe<int, 1, 1, 32, 32, 4> t6;
            tk::fold_rows(t6, here, tk::plus{}, thread);
            tk::finish_rows(t6, tk::plus{});
            tk::map(all, [](int all, int t6) { return tk::wrapping_add(all, t6); }, all, t6);
        }

        // attention_varlen.tk:33: let first = scalar(before);
        const int number = before.cell(0);
        const int first = number;

        // attention_varlen.tk:34: for i in blocks {
        for (int i = 0; i < blocks; i += 1) {
            // attention_varlen.tk:35: store(Of[first + i], b);
            tk::stripe<int, 1, 1, 32, 32, 4> t7;
            tk::map(t7, [&]() { return b; });
            tk::store_global(
                tk::clipped(
                    tk::slice(Of, {tk::wrapping_add(first, i)}, 1,
                              tk::wrapping_subtract(E, tk::wrapping_add(first, i))), 0,
                    tk::wrapping_subtract(0, tk::wrapping_add(first, i))), t7, thread);

            // attention_varlen.tk:36: store(Block[first + i], blocks - 1 - i);
            tk::stripe<int, 1, 1, 32, 32, 4> t8;
            tk::map(t8, [&]() { return blocks - 1 - i; });
            tk::store_global(
                tk::clipped(
                    tk::slice(Block, {tk::wrapping_add(first, i)}, 1,
                              tk::wrapping_subtract(E, tk::wrapping_add(first, i))), 0,
                    tk::wrapping_subtract(0, tk::wrapping_add(first, i))), t8, thread);
        }

        // attention_varlen.tk:38: if b == B - 1 {
        if (b == B - 1) {
            // attention_varlen.tk:39: for e in scalar(all)..E {
            const int number_2 = all.cell(0);
            for (int e = number_2; e < E; e += 1) {
                // attention_varlen.tk:40: store(Of[e], 0);
                tk::stripe<int, 1, 1, 32, 32, 4> t9;
                tk::map(t9, []() { return 0; });
                tk::store_global(
                    tk::clipped(tk::slice(Of, {e}, 1, tk::wrapping_subtract(E, e)), 0,
                                tk::wrapping_subtract(0, e)), t9, thread);

                // attention_varlen.tk:41: store(Block[e], -1);
                tk::stripe<int, 1, 1, 32, 32, 4> t10;
                tk::map(t10, []() { return -1; });
                tk::store_global(
                    tk::clipped(tk::slice(Block, {e}, 1, tk::wrapping_subtract(E, e)), 0,
                                tk::wrapping_subtract(0, e)), t10, thread);
            }
        }
    }
}

// list_blocks_general: kernel list_blocks with BM = 128; any strides and alignment.
// 32 threads, 255 registers each.
__global__ void __launch_bounds__(32, 1) list_blocks_general_kernel(
    const tk::tensor_argument<const int, 1> start_q,
    const tk::tensor_argument<const int, 1> start_k, const tk::tensor_argument<int, 1> Of,
    const tk::tensor_argument<int, 1> Block, int E, int B) {
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    // attention_varlen.tk:16: kernel list_blocks<BM: int = 128>(start_q: i32[B + 1], start_k: ..
    if (warp == 0) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int b = program;

        // attention_varlen.tk:20: let blocks = ceil_div(start_q[b + 1] - start_q[b], BM);
        const int blocks = tk::divide_up(
            tk::wrapping_subtract(tk::cell(start_q, b + 1), tk::cell(start_q, b)), 128);

        // attention_varlen.tk:21: let keys   = start_k[b + 1] - start_k[b];
        const int keys = tk::wrapping_subtract(tk::cell(start_k, b + 1), tk::cell(start_k, b));

        // attention_varlen.tk:22: let begin_q = start_q[0 +: B];   let end_q = start_q[1 +: B];
        const int end_q_end = 1 + B;

        // attention_varlen.tk:23: let begin_k = start_k[0 +: B];   let end_k = start_k[1 +: B];
        const int end_k_end = 1 + B;

        // attention_varlen.tk:24: var before: i32[1, 1] = 0;
        tk::stripe<int, 1, 1, 32, 32, 2> before;
        tk::map(before, []() { return 0; });

        // attention_varlen.tk:25: var all: i32[1, 1] = 0;
        tk::stripe<int, 1, 1, 32, 32, 2> all;
        tk::map(all, []() { return 0; });

        // attention_varlen.tk:26: for c in B by 128 {
        for (int c = 0; c < B; c += 128) {
            // attention_varlen.tk:27: let here  = pad((load(end_q[c]) - load(begin_q[c]) + (BM - ..
            tk::stripe<int, 1, 128, 32, 32, 2> t0;
            tk::load_global(t0, tk::slice(start_q, {1 + c}, 1, tk::min(end_q_end, B + 1) - (1 + c)),
                            thread);
            tk::stripe<int, 1, 128, 32, 32, 2> t1;
            tk::load_global(t1, tk::slice(start_q, {c}, 1, tk::min(B, B + 1) - c), thread);
            tk::stripe<int, 1, 128, 32, 32, 2> here;
            tk::map(here, thread, [&](int, int col, int t0, int t1) {
                return col < 1 + B - (1 + c) ? tk::divide_down(
                    tk::wrapping_add(tk::wrapping_subtract(t0, t1), 127), 128) : 0;
            }, t0, t1);

            // attention_varlen.tk:28: let other = load(end_k[c]) - load(begin_k[c]);
            tk::stripe<int, 1, 128, 32, 32, 2> t2;
            tk::load_global(t2, tk::slice(start_k, {1 + c}, 1, tk::min(end_k_end, B + 1) - (1 + c)),
                            thread);
            tk::stripe<int, 1, 128, 32, 32, 2> t3;
            tk::load_global(t3, tk::slice(start_k, {c}, 1, tk::min(B, B + 1) - c), thread);

            // attention_varlen.tk:30: before += sum(pad(where(first, here, 0), axis = 1, with = ..
            tk::stripe<int, 1, 128, 32, 32, 2> t4;
            tk::map(t4, thread, [&](int, int col, int t2, int t3, int here) {
                const int x = tk::wrapping_subtract(t2, t3);
                return x > keys || (x == keys && c + col < b) ? here : 0;
            }, t2, t3, here);
            tk::stripe<int, 1, 1, 32, 32, 2> t5;
            tk::fold_rows(t5, t4, tk::plus{}, thread);
            tk::finish_rows(t5, tk::plus{});
            tk::map(before, [](int before, int t5) { return tk::wrapping_add(before, t5); },
                    before, t5);

            // attention_varlen.tk:31: all    += sum(here, axis = 1);
            tk::stripe<int, 1, 1, 32, 32, 2> t6;
            tk::fold_rows(t6, here, tk::plus{}, thread);
            tk::finish_rows(t6, tk::plus{});
            tk::map(all, [](int all, int t6) { return tk::wrapping_add(all, t6); }, all, t6);
        }

        // attention_varlen.tk:33: let first = scalar(before);
        const int number = before.cell(0);
        const int first = number;

        // attention_varlen.tk:34: for i in blocks {
        for (int i = 0; i < blocks; i += 1) {
            // attention_varlen.tk:35: store(Of[first + i], b);
            tk::stripe<int, 1, 1, 32, 32, 2> t7;
            tk::map(t7, [&]() { return b; });
            tk::store_global(
                tk::clipped(
                    tk::slice(Of, {tk::wrapping_add(first, i)}, 1,
                              tk::wrapping_subtract(E, tk::wrapping_add(first, i))), 0,
                    tk::wrapping_subtract(0, tk::wrapping_add(first, i))), t7, thread);

            // attention_varlen.tk:36: store(Block[first + i], blocks - 1 - i);
            tk::stripe<int, 1, 1, 32, 32, 2> t8;
            tk::map(t8, [&]() { return blocks - 1 - i; });
            tk::store_global(
                tk::clipped(
                    tk::slice(Block, {tk::wrapping_add(first, i)}, 1,
                              tk::wrapping_subtract(E, tk::wrapping_add(first, i))), 0,
                    tk::wrapping_subtract(0, tk::wrapping_add(first, i))), t8, thread);
        }

        // attention_varlen.tk:38: if b == B - 1 {
        if (b == B - 1) {
            // attention_varlen.tk:39: for e in scalar(all)..E {
            const int number_2 = all.cell(0);
            for (int e = number_2; e < E; e += 1) {
                // attention_varlen.tk:40: store(Of[e], 0);
                tk::stripe<int, 1, 1, 32, 32, 2> t9;
                tk::map(t9, []() { return 0; });
                tk::store_global(
                    tk::clipped(tk::slice(Of, {e}, 1, tk::wrapping_subtract(E, e)), 0,
                                tk::wrapping_subtract(0, e)), t9, thread);

                // attention_varlen.tk:41: store(Block[e], -1);
                tk::stripe<int, 1, 1, 32, 32, 2> t10;
                tk::map(t10, []() { return -1; });
                tk::store_global(
                    tk::clipped(tk::slice(Block, {e}, 1, tk::wrapping_subtract(E, e)), 0,
                                tk::wrapping_subtract(0, e)), t10, thread);
            }
        }
    }
}

// attend: kernel attend with T = bf16, D = 128, CAUSAL = false, WINDOW = 0, SOFTCAP = false, BM =
// 128, BN = 128.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 196712 bytes of shared memory; persistent, programs
// dealt by a counter.
struct attend_shared {
    tk::shared_tile<tk::bf16, 128, 128> q_tiles_tile[1];
    tk::shared_tile<tk::bf16, 128, 128> k_tiles_tile[2];
    tk::shared_tile<tk::bf16, 128, 128> v_tiles_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> consumer_O[4];
    tk::pipeline<1> q_tiles;
    tk::pipeline<2> k_tiles;
    tk::pipeline<2> v_tiles;
    tk::pipeline<1> tickets;
    int ticket_numbers[1];
};
static_assert(offsetof(attend_shared, ticket_numbers) == 196704);

__global__ void __launch_bounds__(384, 1) attend_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap V_map, const __grid_constant__ CUtensorMap O_map,
    const tk::tensor_argument<const int, 1> start_q,
    const tk::tensor_argument<const int, 1> start_k, const tk::tensor_argument<const int, 1> Of,
    const tk::tensor_argument<const int, 1> Block, const tk::tensor_argument<tk::bf16, 3> O,
    const tk::tensor_argument<float, 2> LSE, int TQ, int H, int HKV, int E, int B, float scale,
    unsigned* counters) {
    extern __shared__ __align__(1024) unsigned char memory[];
    attend_shared& shared = *reinterpret_cast<attend_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Q_map, K_map, V_map, O_map);
        shared.q_tiles.init(1, 8);
        shared.k_tiles.init(1, 8);
        shared.v_tiles.init(1, 8);
        shared.tickets.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // attention_varlen.tk:46: kernel attend<T: dtype = bf16, D: int = 128, CAUSAL: bool = ..
        tk::registers_at_most<24>();
        const int programs = E * H;
        const int section = tk::section_width(E, gridDim.x);
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> k_tiles_next, v_tiles_next;
            tk::cursor<1> q_tiles_next, tickets_next;
            for (int program = blockIdx.x; program < programs;) {
                const tk::grid_point place = tk::drawn(program, E, H, section);
                const int e = place.row;
                const int h = place.col;

                // attention_varlen.tk:54: let g  = h // (H / HKV);
                const int g = h / (H / HKV);

                // attention_varlen.tk:55: let b  = Of[e];
                const int b = tk::cell(Of, e);

                // attention_varlen.tk:56: let m  = Block[e] * BM;
                const int m = tk::cell(Block, e) * 128;

                // attention_varlen.tk:57: let lq = start_q[b + 1] - start_q[b];
                const int lq = (0 <= b + 1 && b + 1 < B + 1 ? tk::cell(start_q, b + 1) : int{}) -
                    (0 <= b && b < B + 1 ? tk::cell(start_q, b) : int{});

                // attention_varlen.tk:58: let lk = start_k[b + 1] - start_k[b];
                const int lk = (0 <= b + 1 && b + 1 < B + 1 ? tk::cell(start_k, b + 1) : int{}) -
                    (0 <= b && b < B + 1 ? tk::cell(start_k, b) : int{});

                // attention_varlen.tk:59: let Qb = Q[start_q[b] +: lq];  let Ob = O[start_q[b] ..
                const int Qb_start = 0 <= b && b < B + 1 ? tk::cell(start_q, b) : int{};
                const int Qb_end = (0 <= b && b < B + 1 ? tk::cell(start_q, b) : int{}) + lq;

                // attention_varlen.tk:60: let Kb = K[start_k[b] +: lk];  let Vb = V[start_k[b] ..
                const int Kb_start = 0 <= b && b < B + 1 ? tk::cell(start_k, b) : int{};
                const int Kb_end = (0 <= b && b < B + 1 ? tk::cell(start_k, b) : int{}) + lk;
                const int Vb_start = 0 <= b && b < B + 1 ? tk::cell(start_k, b) : int{};
                const int Vb_end = (0 <= b && b < B + 1 ? tk::cell(start_k, b) : int{}) + lk;

                // attention_varlen.tk:63: let end   = if CAUSAL { max(min(first + BM, lk), 0) } ..
                const int end = lk;

                // attention_varlen.tk:64: if m >= 0 {
                if (m >= 0) {
                    // attention_varlen.tk:65: let q = tma_load(Qb[m +: BM, h, :]);
                    shared.q_tiles.begin(q_tiles_next, 32768);
                    tk::tma_load(shared.q_tiles_tile[q_tiles_next.stage], Q_map,
                                 shared.q_tiles.full[q_tiles_next.stage], Qb_start + m, h, 0);
                    q_tiles_next.advance();

                    // attention_varlen.tk:68: for j in begin..end by BN pipelined(2) {
                    if (end > 0) {
                        // attention_varlen.tk:69: let s = mma(q, tma_load(Kb[j, g, :]).T);
                        shared.k_tiles.begin(k_tiles_next, 32768);
                        tk::tma_load(shared.k_tiles_tile[k_tiles_next.stage], K_map,
                                     shared.k_tiles.full[k_tiles_next.stage], Kb_start, g, 0);
                        k_tiles_next.advance();
                        // attention_varlen.tk:68
                        #pragma unroll 1
                        for (int j = 128; j < end; j += 128) {
                            // attention_varlen.tk:69
                            shared.k_tiles.begin(k_tiles_next, 32768);
                            tk::tma_load(shared.k_tiles_tile[k_tiles_next.stage], K_map,
                                         shared.k_tiles.full[k_tiles_next.stage], Kb_start + j, g,
                                         0);
                            k_tiles_next.advance();

                            // attention_varlen.tk:73: o += mma(p, tma_load(Vb[j, g, :]) ..
                            shared.v_tiles.begin(v_tiles_next, 32768);
                            tk::tma_load(shared.v_tiles_tile[v_tiles_next.stage], V_map,
                                         shared.v_tiles.full[v_tiles_next.stage],
                                         Vb_start + (j - 128), g, 0);
                            v_tiles_next.advance();
                        }
                        shared.v_tiles.begin(v_tiles_next, 32768);
                        tk::tma_load(shared.v_tiles_tile[v_tiles_next.stage], V_map,
                                     shared.v_tiles.full[v_tiles_next.stage],
                                     Vb_start + tk::max(tk::divide_up(end, 128) - 1, 0) * 128, g,
                                     0);
                        v_tiles_next.advance();
                    }
                }

                // The next program.
                shared.tickets.wait_empty(tickets_next);
                program = tk::draw_ticket(shared.tickets, shared.ticket_numbers, tickets_next,
                                          counters);
                tickets_next.advance();
            }
        }
    } else {
        // attention_varlen.tk:46: kernel attend<T: dtype = bf16, D: int = 128, CAUSAL: bool = ..
        tk::registers_at_least<240>();
        const int programs = E * H;
        const int section = tk::section_width(E, gridDim.x);
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> k_tiles_next, v_tiles_next;
        tk::cursor<1> q_tiles_next, tickets_next;
        for (int program = blockIdx.x; program < programs;) {
            const tk::grid_point place = tk::drawn(program, E, H, section);
            const int e = place.row;
            const int h = place.col;

            // attention_varlen.tk:55: let b  = Of[e];
            const int b = tk::cell(Of, e);

            // attention_varlen.tk:56: let m  = Block[e] * BM;
            const int m = tk::cell(Block, e) * 128;

            // attention_varlen.tk:57: let lq = start_q[b + 1] - start_q[b];
            const int lq = (0 <= b + 1 && b + 1 < B + 1 ? tk::cell(start_q, b + 1) : int{}) -
                (0 <= b && b < B + 1 ? tk::cell(start_q, b) : int{});

            // attention_varlen.tk:58: let lk = start_k[b + 1] - start_k[b];
            const int lk = (0 <= b + 1 && b + 1 < B + 1 ? tk::cell(start_k, b + 1) : int{}) -
                (0 <= b && b < B + 1 ? tk::cell(start_k, b) : int{});

            // attention_varlen.tk:60: let Kb = K[start_k[b] +: lk];  let Vb = V[start_k[b] +: lk];
            const int Kb_start = 0 <= b && b < B + 1 ? tk::cell(start_k, b) : int{};
            const int Kb_end = (0 <= b && b < B + 1 ? tk::cell(start_k, b) : int{}) + lk;

            // attention_varlen.tk:63: let end   = if CAUSAL { max(min(first + BM, lk), 0) } else ..
            const int end = lk;

            // attention_varlen.tk:59: let Qb = Q[start_q[b] +: lq];  let Ob = O[start_q[b] +: ..
            const int Ob_start = 0 <= b && b < B + 1 ? tk::cell(start_q, b) : int{};
            const int Ob_end = (0 <= b && b < B + 1 ? tk::cell(start_q, b) : int{}) + lq;
            const int Lb_start = 0 <= b && b < B + 1 ? tk::cell(start_q, b) : int{};
            const int Lb_end = (0 <= b && b < B + 1 ? tk::cell(start_q, b) : int{}) + lq;

            // attention_varlen.tk:64: if m >= 0 {
            if (m >= 0) {
                // attention_varlen.tk:65: let q = tma_load(Qb[m +: BM, h, :]);
                const tk::cursor<1> q_element = shared.q_tiles.take(q_tiles_next);
                tk::fragment<tk::bf16, 64, 128> q_2;
                tk::load_shared(q_2,
                                tk::rows<64>(shared.q_tiles_tile[q_element.stage], 64 * warpgroup),
                                thread);
                shared.q_tiles.release_after_loads(q_element);

                // attention_varlen.tk:66: var o: f32[BM, D] = 0;
                tk::fragment<float, 64, 128> o;
                tk::zero(o);

                // attention_varlen.tk:67: var sm = softmax.start<BM>(if SOFTCAP { 1.0 } else { ..
                tk::column_fragment<float, 64> sm_max;
                tk::fill(sm_max, -INFINITY);
                tk::column_fragment<float, 64> sm_sum;
                tk::zero(sm_sum);
                tk::column_fragment<float, 64> sm_correction;
                tk::fill(sm_correction, 1.0f);
                const float sm_c = scale * 1.442695f;

                // attention_varlen.tk:68: for j in begin..end by BN pipelined(2) {
                if (end > 0) {
                    // attention_varlen.tk:69: let s = mma(q, tma_load(Kb[j, g, :]).T);
                    const tk::cursor<2> k_tiles_element = shared.k_tiles.take(k_tiles_next);
                    tk::fragment<float, 64, 128> s_first;
                    tk::mma_async(s_first, q_2,
                                  tk::transposed(shared.k_tiles_tile[k_tiles_element.stage]),
                                  tk::accumulate_never{});
                    tk::mma_wait<0>(s_first, q_2);
                    shared.k_tiles.release(k_tiles_element);

                    // <std.softmax>:30: let m  = max(sm.max, max(s, axis = 1));
                    if (!(Kb_start + 128 <= Kb_end)) {
                        tk::map(s_first, thread, [&](int, int col, float s_first) {
                            return col < Kb_end - Kb_start ? s_first : -INFINITY;
                        }, s_first);
                    }
                    tk::column_fragment<float, 64> t2;
                    tk::fold_rows(t2, s_first, tk::maximum{}, thread);
                    tk::finish_rows(t2, tk::maximum{});
                    tk::column_fragment<float, 64> m_2;
                    tk::map(m_2, [](float sm_max, float t2) { return tk::max(sm_max, t2); },
                            sm_max, t2);

                    // <std.softmax>:31: let m0 = where(m == -inf, 0, m) * sm.c;
                    tk::column_fragment<float, 64> m0;
                    tk::map(m0, [&](float m_2) { return (m_2 == -INFINITY ? 0.0f : m_2) * sm_c; },
                            m_2);

                    // <std.softmax>:32: let p  = exp2(fma(s, sm.c, -m0));
                    tk::fragment<float, 64, 128> p;
                    tk::map(p, [&](float s_first, float m0) {
                        return tk::exp2(tk::fma(s_first, sm_c, -m0));
                    }, s_first, m0);

                    // <std.softmax>:33: sm.correction = where(m == sm.max, 1, exp2(fma(sm.max, ..
                    tk::map(sm_correction, [&](float m_2, float sm_max, float m0) {
                        return m_2 == sm_max ? 1.0f : tk::exp2(tk::fma(sm_max, sm_c, -m0));
                    }, m_2, sm_max, m0);

                    // <std.softmax>:34: sm.sum = sm.sum * sm.correction + sum(p, axis = 1);
                    tk::column_fragment<float, 64> t3;
                    tk::fold_rows(t3, p, tk::plus{}, thread);
                    tk::map(sm_sum, [](float sm_sum, float sm_correction, float t3) {
                        return tk::fma(sm_sum, sm_correction, t3);
                    }, sm_sum, sm_correction, t3);

                    // <std.softmax>:35: sm.max = m;
                    sm_max = m_2;

                    // attention_varlen.tk:71: let p = T(softmax.step(inout sm, attention.seen(t, ..
                    tk::fragment<tk::bf16, 64, 128> p_2 = tk::convert<tk::bf16>(p);

                    // attention_varlen.tk:72: o *= sm.correction;
                    tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                            o, sm_correction);
                    // attention_varlen.tk:68
                    for (int j = 128; j < end; j += 128) {
                        // attention_varlen.tk:69
                        const tk::cursor<2> k_tiles_element_2 = shared.k_tiles.take(k_tiles_next);
                        tk::fragment<float, 64, 128> s;
                        tk::mma_async(s, q_2,
                                      tk::transposed(shared.k_tiles_tile[k_tiles_element_2.stage]),
                                      tk::accumulate_never{});

                        // attention_varlen.tk:73: o += mma(p, tma_load(Vb[j, g, :]) allow_foreign);
                        const tk::cursor<2> v_tiles_element = shared.v_tiles.take(v_tiles_next);
                        tk::mma_async(o, p_2, shared.v_tiles_tile[v_tiles_element.stage]);
                        tk::mma_wait<1>(s, q_2);
                        shared.k_tiles.release(k_tiles_element_2);
                        // <std.softmax>:30
                        if (!(Kb_start + j + 128 <= Kb_end)) {
                            tk::map(s, thread, [&](int, int col, float s) {
                                return col < Kb_end - (Kb_start + j) ? s : -INFINITY;
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
                        tk::map(m0_2, [&](float m_3) {
                            return (m_3 == -INFINITY ? 0.0f : m_3) * sm_c;
                        }, m_3);
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
                        shared.v_tiles.release(v_tiles_element);
                        // attention_varlen.tk:71
                        p_2 = tk::convert<tk::bf16>(p_3);
                        // attention_varlen.tk:72
                        tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                                o, sm_correction);
                    }
                    // attention_varlen.tk:73
                    const tk::cursor<2> v_tiles_element_2 = shared.v_tiles.take(v_tiles_next);
                    tk::mma_async(o, p_2, shared.v_tiles_tile[v_tiles_element_2.stage]);
                    tk::mma_wait<0>(o, p_2);
                    shared.v_tiles.release(v_tiles_element_2);
                }

                // attention_varlen.tk:75: store(Ob[m +: BM, h, :], T(softmax.finish(sm, o)));
                tk::column_fragment<float, 64> t4 = sm_sum;
                tk::finish_rows(t4, tk::plus{});
                tk::column_fragment<float, 64> t0;
                tk::map(t0, [](float t4) { return t4 == 0.0f ? 0.0f : tk::divide(1.0f, t4); }, t4);
                #pragma unroll
                for (int panel = 0; panel < 128; panel += 64) {
                    tk::fragment<tk::bf16, 64, 64> t8;
                    tk::map(t8, [](float o, float t0) { return o * t0; },
                            tk::window<64, 64>(o, 0, panel), t0);
                    tk::store_shared(shared.consumer_O[warpgroup * 2 + panel / 64 % 2], t8, thread);
                    tk::fence_async();
                    if (leader) tk::tma_store_wait_read<0>();
                    tk::barrier_sync(1 + warpgroup, 128);
                    if (Ob_end < Ob_start + m + warpgroup * 64 + 64) {
                        tk::copy_to_global(
                            tk::clipped(
                                tk::dense_slice<0, 2>(O, {Ob_start + m + warpgroup * 64, h, panel},
                                                      tk::max(tk::min(Ob_end, TQ), 0) -
                                                      (Ob_start + m + warpgroup * 64), 128 - panel),
                                0 - (Ob_start + m + warpgroup * 64), 0),
                            shared.consumer_O[warpgroup * 2 + panel / 64 % 2]);
                        if (leader) tk::tma_store_nothing();
                    } else if (leader) {
                        tk::tma_store(O_map, shared.consumer_O[warpgroup * 2 + panel / 64 % 2],
                                      Ob_start + m + warpgroup * 64, h, panel);
                    }
                }

                // attention_varlen.tk:76: store(Lb[m +: BM], softmax.lse(sm));
                tk::column_fragment<float, 64> t9;
                tk::map(t9, [&](float t4, float sm_max) {
                    return t4 == 0.0f ? -INFINITY
                        : tk::fma(sm_max, sm_c, tk::log2(t4)) * 0.6931472f;
                }, t4, sm_max);
                tk::store_global(
                    tk::clipped(
                        tk::slice<1, tk::no_axis>(LSE, {h, Lb_start + m + 64 * warpgroup},
                                                  tk::max(tk::min(Lb_end, TQ), 0) -
                                                  (Lb_start + m + 64 * warpgroup), 1),
                        0 - (Lb_start + m + 64 * warpgroup), 0), t9, thread);
            }

            // The next program.
            const tk::cursor<1> ticket = shared.tickets.take(tickets_next);
            program = shared.ticket_numbers[ticket.stage];
            shared.tickets.release_after_loads(ticket, tk::ordinary_alone{});
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

// attend_general: kernel attend with T = bf16, D = 128, CAUSAL = false, WINDOW = 0, SOFTCAP =
// false, BM = 128, BN = 128; any strides and alignment.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 163944 bytes of shared memory; persistent, programs
// dealt by a counter.
struct attend_general_shared {
    tk::shared_tile<tk::bf16, 128, 128> q_tiles_tile[1];
    tk::shared_tile<tk::bf16, 128, 128> k_tiles_tile[2];
    tk::shared_tile<tk::bf16, 128, 128> v_tiles_tile[2];
    tk::pipeline<1> q_tiles;
    tk::pipeline<2> k_tiles;
    tk::pipeline<2> v_tiles;
    tk::pipeline<1> tickets;
    int ticket_numbers[1];
};
static_assert(offsetof(attend_general_shared, ticket_numbers) == 163936);

__global__ void __launch_bounds__(384, 1) attend_general_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap V_map, const tk::tensor_argument<const int, 1> start_q,
    const tk::tensor_argument<const int, 1> start_k, const tk::tensor_argument<const int, 1> Of,
    const tk::tensor_argument<const int, 1> Block, const tk::tensor_argument<tk::bf16, 3> O,
    const tk::tensor_argument<float, 2> LSE, int TQ, int H, int HKV, int E, int B, float scale,
    unsigned* counters) {
    extern __shared__ __align__(1024) unsigned char memory[];
    attend_general_shared& shared = *reinterpret_cast<attend_general_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Q_map, K_map, V_map);
        shared.q_tiles.init(1, 8);
        shared.k_tiles.init(1, 8);
        shared.v_tiles.init(1, 8);
        shared.tickets.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // attention_varlen.tk:46: kernel attend<T: dtype = bf16, D: int = 128, CAUSAL: bool = ..
        tk::registers_at_most<24>();
        const int programs = E * H;
        const int section = tk::section_width(E, gridDim.x);
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> k_tiles_next, v_tiles_next;
            tk::cursor<1> q_tiles_next, tickets_next;
            for (int program = blockIdx.x; program < programs;) {
                const tk::grid_point place = tk::drawn(program, E, H, section);
                const int e = place.row;
                const int h = place.col;

                // attention_varlen.tk:54: let g  = h // (H / HKV);
                const int g = h / (H / HKV);

                // attention_varlen.tk:55: let b  = Of[e];
                const int b = tk::cell(Of, e);

                // attention_varlen.tk:56: let m  = Block[e] * BM;
                const int m = tk::cell(Block, e) * 128;

                // attention_varlen.tk:57: let lq = start_q[b + 1] - start_q[b];
                const int lq = (0 <= b + 1 && b + 1 < B + 1 ? tk::cell(start_q, b + 1) : int{}) -
                    (0 <= b && b < B + 1 ? tk::cell(start_q, b) : int{});

                // attention_varlen.tk:58: let lk = start_k[b + 1] - start_k[b];
                const int lk = (0 <= b + 1 && b + 1 < B + 1 ? tk::cell(start_k, b + 1) : int{}) -
                    (0 <= b && b < B + 1 ? tk::cell(start_k, b) : int{});

                // attention_varlen.tk:59: let Qb = Q[start_q[b] +: lq];  let Ob = O[start_q[b] ..
                const int Qb_start = 0 <= b && b < B + 1 ? tk::cell(start_q, b) : int{};
                const int Qb_end = (0 <= b && b < B + 1 ? tk::cell(start_q, b) : int{}) + lq;

                // attention_varlen.tk:60: let Kb = K[start_k[b] +: lk];  let Vb = V[start_k[b] ..
                const int Kb_start = 0 <= b && b < B + 1 ? tk::cell(start_k, b) : int{};
                const int Kb_end = (0 <= b && b < B + 1 ? tk::cell(start_k, b) : int{}) + lk;
                const int Vb_start = 0 <= b && b < B + 1 ? tk::cell(start_k, b) : int{};
                const int Vb_end = (0 <= b && b < B + 1 ? tk::cell(start_k, b) : int{}) + lk;

                // attention_varlen.tk:63: let end   = if CAUSAL { max(min(first + BM, lk), 0) } ..
                const int end = lk;

                // attention_varlen.tk:64: if m >= 0 {
                if (m >= 0) {
                    // attention_varlen.tk:65: let q = tma_load(Qb[m +: BM, h, :]);
                    shared.q_tiles.begin(q_tiles_next, 32768);
                    tk::tma_load(shared.q_tiles_tile[q_tiles_next.stage], Q_map,
                                 shared.q_tiles.full[q_tiles_next.stage], Qb_start + m, h, 0);
                    q_tiles_next.advance();

                    // attention_varlen.tk:68: for j in begin..end by BN pipelined(2) {
                    if (end > 0) {
                        // attention_varlen.tk:69: let s = mma(q, tma_load(Kb[j, g, :]).T);
                        shared.k_tiles.begin(k_tiles_next, 32768);
                        tk::tma_load(shared.k_tiles_tile[k_tiles_next.stage], K_map,
                                     shared.k_tiles.full[k_tiles_next.stage], Kb_start, g, 0);
                        k_tiles_next.advance();
                        // attention_varlen.tk:68
                        #pragma unroll 1
                        for (int j = 128; j < end; j += 128) {
                            // attention_varlen.tk:69
                            shared.k_tiles.begin(k_tiles_next, 32768);
                            tk::tma_load(shared.k_tiles_tile[k_tiles_next.stage], K_map,
                                         shared.k_tiles.full[k_tiles_next.stage], Kb_start + j, g,
                                         0);
                            k_tiles_next.advance();

                            // attention_varlen.tk:73: o += mma(p, tma_load(Vb[j, g, :]) ..
                            shared.v_tiles.begin(v_tiles_next, 32768);
                            tk::tma_load(shared.v_tiles_tile[v_tiles_next.stage], V_map,
                                         shared.v_tiles.full[v_tiles_next.stage],
                                         Vb_start + (j - 128), g, 0);
                            v_tiles_next.advance();
                        }
                        shared.v_tiles.begin(v_tiles_next, 32768);
                        tk::tma_load(shared.v_tiles_tile[v_tiles_next.stage], V_map,
                                     shared.v_tiles.full[v_tiles_next.stage],
                                     Vb_start + tk::max(tk::divide_up(end, 128) - 1, 0) * 128, g,
                                     0);
                        v_tiles_next.advance();
                    }
                }

                // The next program.
                shared.tickets.wait_empty(tickets_next);
                program = tk::draw_ticket(shared.tickets, shared.ticket_numbers, tickets_next,
                                          counters);
                tickets_next.advance();
            }
        }
    } else {
        // attention_varlen.tk:46: kernel attend<T: dtype = bf16, D: int = 128, CAUSAL: bool = ..
        tk::registers_at_least<240>();
        const int programs = E * H;
        const int section = tk::section_width(E, gridDim.x);
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        tk::cursor<2> k_tiles_next, v_tiles_next;
        tk::cursor<1> q_tiles_next, tickets_next;
        for (int program = blockIdx.x; program < programs;) {
            const tk::grid_point place = tk::drawn(program, E, H, section);
            const int e = place.row;
            const int h = place.col;

            // attention_varlen.tk:55: let b  = Of[e];
            const int b = tk::cell(Of, e);

            // attention_varlen.tk:56: let m  = Block[e] * BM;
            const int m = tk::cell(Block, e) * 128;

            // attention_varlen.tk:57: let lq = start_q[b + 1] - start_q[b];
            const int lq = (0 <= b + 1 && b + 1 < B + 1 ? tk::cell(start_q, b + 1) : int{}) -
                (0 <= b && b < B + 1 ? tk::cell(start_q, b) : int{});

            // attention_varlen.tk:58: let lk = start_k[b + 1] - start_k[b];
            const int lk = (0 <= b + 1 && b + 1 < B + 1 ? tk::cell(start_k, b + 1) : int{}) -
                (0 <= b && b < B + 1 ? tk::cell(start_k, b) : int{});

            // attention_varlen.tk:60: let Kb = K[start_k[b] +: lk];  let Vb = V[start_k[b] +: lk];
            const int Kb_start = 0 <= b && b < B + 1 ? tk::cell(start_k, b) : int{};
            const int Kb_end = (0 <= b && b < B + 1 ? tk::cell(start_k, b) : int{}) + lk;

            // attention_varlen.tk:63: let end   = if CAUSAL { max(min(first + BM, lk), 0) } else ..
            const int end = lk;

            // attention_varlen.tk:59: let Qb = Q[start_q[b] +: lq];  let Ob = O[start_q[b] +: ..
            const int Ob_start = 0 <= b && b < B + 1 ? tk::cell(start_q, b) : int{};
            const int Ob_end = (0 <= b && b < B + 1 ? tk::cell(start_q, b) : int{}) + lq;
            const int Lb_start = 0 <= b && b < B + 1 ? tk::cell(start_q, b) : int{};
            const int Lb_end = (0 <= b && b < B + 1 ? tk::cell(start_q, b) : int{}) + lq;

            // attention_varlen.tk:64: if m >= 0 {
            if (m >= 0) {
                // attention_varlen.tk:65: let q = tma_load(Qb[m +: BM, h, :]);
                const tk::cursor<1> q_element = shared.q_tiles.take(q_tiles_next);
                tk::fragment<tk::bf16, 64, 128> q_2;
                tk::load_shared(q_2,
                                tk::rows<64>(shared.q_tiles_tile[q_element.stage], 64 * warpgroup),
                                thread);
                shared.q_tiles.release_after_loads(q_element);

                // attention_varlen.tk:66: var o: f32[BM, D] = 0;
                tk::fragment<float, 64, 128> o;
                tk::zero(o);

                // attention_varlen.tk:67: var sm = softmax.start<BM>(if SOFTCAP { 1.0 } else { ..
                tk::column_fragment<float, 64> sm_max;
                tk::fill(sm_max, -INFINITY);
                tk::column_fragment<float, 64> sm_sum;
                tk::zero(sm_sum);
                tk::column_fragment<float, 64> sm_correction;
                tk::fill(sm_correction, 1.0f);
                const float sm_c = scale * 1.442695f;

                // attention_varlen.tk:68: for j in begin..end by BN pipelined(2) {
                if (end > 0) {
                    // attention_varlen.tk:69: let s = mma(q, tma_load(Kb[j, g, :]).T);
                    const tk::cursor<2> k_tiles_element = shared.k_tiles.take(k_tiles_next);
                    tk::fragment<float, 64, 128> s_first;
                    tk::mma_async(s_first, q_2,
                                  tk::transposed(shared.k_tiles_tile[k_tiles_element.stage]),
                                  tk::accumulate_never{});
                    tk::mma_wait<0>(s_first, q_2);
                    shared.k_tiles.release(k_tiles_element);

                    // <std.softmax>:30: let m  = max(sm.max, max(s, axis = 1));
                    if (!(Kb_start + 128 <= Kb_end)) {
                        tk::map(s_first, thread, [&](int, int col, float s_first) {
                            return col < Kb_end - Kb_start ? s_first : -INFINITY;
                        }, s_first);
                    }
                    tk::column_fragment<float, 64> t2;
                    tk::fold_rows(t2, s_first, tk::maximum{}, thread);
                    tk::finish_rows(t2, tk::maximum{});
                    tk::column_fragment<float, 64> m_2;
                    tk::map(m_2, [](float sm_max, float t2) { return tk::max(sm_max, t2); },
                            sm_max, t2);

                    // <std.softmax>:31: let m0 = where(m == -inf, 0, m) * sm.c;
                    tk::column_fragment<float, 64> m0;
                    tk::map(m0, [&](float m_2) { return (m_2 == -INFINITY ? 0.0f : m_2) * sm_c; },
                            m_2);

                    // <std.softmax>:32: let p  = exp2(fma(s, sm.c, -m0));
                    tk::fragment<float, 64, 128> p;
                    tk::map(p, [&](float s_first, float m0) {
                        return tk::exp2(tk::fma(s_first, sm_c, -m0));
                    }, s_first, m0);

                    // <std.softmax>:33: sm.correction = where(m == sm.max, 1, exp2(fma(sm.max, ..
                    tk::map(sm_correction, [&](float m_2, float sm_max, float m0) {
                        return m_2 == sm_max ? 1.0f : tk::exp2(tk::fma(sm_max, sm_c, -m0));
                    }, m_2, sm_max, m0);

                    // <std.softmax>:34: sm.sum = sm.sum * sm.correction + sum(p, axis = 1);
                    tk::column_fragment<float, 64> t3;
                    tk::fold_rows(t3, p, tk::plus{}, thread);
                    tk::map(sm_sum, [](float sm_sum, float sm_correction, float t3) {
                        return tk::fma(sm_sum, sm_correction, t3);
                    }, sm_sum, sm_correction, t3);

                    // <std.softmax>:35: sm.max = m;
                    sm_max = m_2;

                    // attention_varlen.tk:71: let p = T(softmax.step(inout sm, attention.seen(t, ..
                    tk::fragment<tk::bf16, 64, 128> p_2 = tk::convert<tk::bf16>(p);

                    // attention_varlen.tk:72: o *= sm.correction;
                    tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                            o, sm_correction);
                    // attention_varlen.tk:68
                    for (int j = 128; j < end; j += 128) {
                        // attention_varlen.tk:69
                        const tk::cursor<2> k_tiles_element_2 = shared.k_tiles.take(k_tiles_next);
                        tk::fragment<float, 64, 128> s;
                        tk::mma_async(s, q_2,
                                      tk::transposed(shared.k_tiles_tile[k_tiles_element_2.stage]),
                                      tk::accumulate_never{});

                        // attention_varlen.tk:73: o += mma(p, tma_load(Vb[j, g, :]) allow_foreign);
                        const tk::cursor<2> v_tiles_element = shared.v_tiles.take(v_tiles_next);
                        tk::mma_async(o, p_2, shared.v_tiles_tile[v_tiles_element.stage]);
                        tk::mma_wait<1>(s, q_2);
                        shared.k_tiles.release(k_tiles_element_2);
                        // <std.softmax>:30
                        if (!(Kb_start + j + 128 <= Kb_end)) {
                            tk::map(s, thread, [&](int, int col, float s) {
                                return col < Kb_end - (Kb_start + j) ? s : -INFINITY;
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
                        tk::map(m0_2, [&](float m_3) {
                            return (m_3 == -INFINITY ? 0.0f : m_3) * sm_c;
                        }, m_3);
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
                        shared.v_tiles.release(v_tiles_element);
                        // attention_varlen.tk:71
                        p_2 = tk::convert<tk::bf16>(p_3);
                        // attention_varlen.tk:72
                        tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                                o, sm_correction);
                    }
                    // attention_varlen.tk:73
                    const tk::cursor<2> v_tiles_element_2 = shared.v_tiles.take(v_tiles_next);
                    tk::mma_async(o, p_2, shared.v_tiles_tile[v_tiles_element_2.stage]);
                    tk::mma_wait<0>(o, p_2);
                    shared.v_tiles.release(v_tiles_element_2);
                }

                // attention_varlen.tk:75: store(Ob[m +: BM, h, :], T(softmax.finish(sm, o)));
                tk::column_fragment<float, 64> t4 = sm_sum;
                tk::finish_rows(t4, tk::plus{});
                tk::column_fragment<float, 64> t0;
                tk::map(t0, [](float t4) { return t4 == 0.0f ? 0.0f : tk::divide(1.0f, t4); }, t4);
                tk::fragment<tk::bf16, 64, 128> t8;
                tk::map(t8, [](float o, float t0) { return o * t0; }, o, t0);
                tk::store_global(
                    tk::clipped(
                        tk::slice<0, 2>(O, {Ob_start + m + 64 * warpgroup, h, 0},
                                        tk::max(tk::min(Ob_end, TQ), 0) -
                                        (Ob_start + m + 64 * warpgroup), 128),
                        0 - (Ob_start + m + 64 * warpgroup), 0), t8, thread);

                // attention_varlen.tk:76: store(Lb[m +: BM], softmax.lse(sm));
                tk::column_fragment<float, 64> t9;
                tk::map(t9, [&](float t4, float sm_max) {
                    return t4 == 0.0f ? -INFINITY
                        : tk::fma(sm_max, sm_c, tk::log2(t4)) * 0.6931472f;
                }, t4, sm_max);
                tk::store_global(
                    tk::clipped(
                        tk::slice<1, tk::no_axis>(LSE, {h, Lb_start + m + 64 * warpgroup},
                                                  tk::max(tk::min(Lb_end, TQ), 0) -
                                                  (Lb_start + m + 64 * warpgroup), 1),
                        0 - (Lb_start + m + 64 * warpgroup), 0), t9, thread);
            }

            // The next program.
            const tk::cursor<1> ticket = shared.tickets.take(tickets_next);
            program = shared.ticket_numbers[ticket.stage];
            shared.tickets.release_after_loads(ticket, tk::ordinary_alone{});
        }
    }
}

// attend_T_bf16_D_128_CAUSAL_true_WINDOW_0_SOFTCAP_false: kernel attend with T = bf16, D = 128,
// CAUSAL = true, WINDOW = 0, SOFTCAP = false, BM = 128, BN = 128.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 196712 bytes of shared memory; persistent, programs
// dealt by a counter.
struct attend_T_bf16_D_128_CAUSAL_true_WINDOW_0_SOFTCAP_false_shared {
    tk::shared_tile<tk::bf16, 128, 128> q_tiles_tile[1];
    tk::shared_tile<tk::bf16, 128, 128> k_tiles_tile[2];
    tk::shared_tile<tk::bf16, 128, 128> v_tiles_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> consumer_O[4];
    tk::pipeline<1> q_tiles;
    tk::pipeline<2> k_tiles;
    tk::pipeline<2> v_tiles;
    tk::pipeline<1> tickets;
    int ticket_numbers[1];
};
static_assert(offsetof(attend_T_bf16_D_128_CAUSAL_true_WINDOW_0_SOFTCAP_false_shared,
                       ticket_numbers) == 196704);

__global__ void __launch_bounds__(384, 1) attend_T_bf16_D_128_CAUSAL_true_WINDOW_0_SOFTCAP_false_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap V_map, const __grid_constant__ CUtensorMap O_map,
    const tk::tensor_argument<const int, 1> start_q,
    const tk::tensor_argument<const int, 1> start_k, const tk::tensor_argument<const int, 1> Of,
    const tk::tensor_argument<const int, 1> Block, const tk::tensor_argument<tk::bf16, 3> O,
    const tk::tensor_argument<float, 2> LSE, int TQ, int H, int HKV, int E, int B, float scale,
    unsigned* counters) {
    extern __shared__ __align__(1024) unsigned char memory[];
    attend_T_bf16_D_128_CAUSAL_true_WINDOW_0_SOFTCAP_false_shared& shared =
        *reinterpret_cast<attend_T_bf16_D_128_CAUSAL_true_WINDOW_0_SOFTCAP_false_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Q_map, K_map, V_map, O_map);
        shared.q_tiles.init(1, 8);
        shared.k_tiles.init(1, 8);
        shared.v_tiles.init(1, 8);
        shared.tickets.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // attention_varlen.tk:46: kernel attend<T: dtype = bf16, D: int = 128, CAUSAL: bool = ..
        tk::registers_at_most<24>();
        const int programs = E * H;
        const int section = tk::section_width(E, gridDim.x);
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> k_tiles_next, v_tiles_next;
            tk::cursor<1> q_tiles_next, tickets_next;
            for (int program = blockIdx.x; program < programs;) {
                const tk::grid_point place = tk::drawn(program, E, H, section);
                const int e = place.row;
                const int h = place.col;

                // attention_varlen.tk:54: let g  = h // (H / HKV);
                const int g = h / (H / HKV);

                // attention_varlen.tk:55: let b  = Of[e];
                const int b = tk::cell(Of, e);

                // attention_varlen.tk:56: let m  = Block[e] * BM;
                const int m = tk::cell(Block, e) * 128;

                // attention_varlen.tk:57: let lq = start_q[b + 1] - start_q[b];
                const int lq = (0 <= b + 1 && b + 1 < B + 1 ? tk::cell(start_q, b + 1) : int{}) -
                    (0 <= b && b < B + 1 ? tk::cell(start_q, b) : int{});

                // attention_varlen.tk:58: let lk = start_k[b + 1] - start_k[b];
                const int lk = (0 <= b + 1 && b + 1 < B + 1 ? tk::cell(start_k, b + 1) : int{}) -
                    (0 <= b && b < B + 1 ? tk::cell(start_k, b) : int{});

                // attention_varlen.tk:59: let Qb = Q[start_q[b] +: lq];  let Ob = O[start_q[b] ..
                const int Qb_start = 0 <= b && b < B + 1 ? tk::cell(start_q, b) : int{};
                const int Qb_end = (0 <= b && b < B + 1 ? tk::cell(start_q, b) : int{}) + lq;

                // attention_varlen.tk:60: let Kb = K[start_k[b] +: lk];  let Vb = V[start_k[b] ..
                const int Kb_start = 0 <= b && b < B + 1 ? tk::cell(start_k, b) : int{};
                const int Kb_end = (0 <= b && b < B + 1 ? tk::cell(start_k, b) : int{}) + lk;
                const int Vb_start = 0 <= b && b < B + 1 ? tk::cell(start_k, b) : int{};
                const int Vb_end = (0 <= b && b < B + 1 ? tk::cell(start_k, b) : int{}) + lk;

                // attention_varlen.tk:61: let first = m + lk - lq;
                const int first = m + lk - lq;

                // attention_varlen.tk:63: let end   = if CAUSAL { max(min(first + BM, lk), 0) } ..
                const int end = tk::max(tk::min(first + 128, lk), 0);

                // attention_varlen.tk:64: if m >= 0 {
                if (m >= 0) {
                    // attention_varlen.tk:65: let q = tma_load(Qb[m +: BM, h, :]);
                    shared.q_tiles.begin(q_tiles_next, 32768);
                    tk::tma_load(shared.q_tiles_tile[q_tiles_next.stage], Q_map,
                                 shared.q_tiles.full[q_tiles_next.stage], Qb_start + m, h, 0);
                    q_tiles_next.advance();

                    // attention_varlen.tk:68: for j in begin..end by BN pipelined(2) {
                    if (end > 0) {
                        // attention_varlen.tk:69: let s = mma(q, tma_load(Kb[j, g, :]).T);
                        shared.k_tiles.begin(k_tiles_next, 32768);
                        tk::tma_load(shared.k_tiles_tile[k_tiles_next.stage], K_map,
                                     shared.k_tiles.full[k_tiles_next.stage], Kb_start, g, 0);
                        k_tiles_next.advance();
                        // attention_varlen.tk:68
                        #pragma unroll 1
                        for (int j = 128; j < end; j += 128) {
                            // attention_varlen.tk:69
                            shared.k_tiles.begin(k_tiles_next, 32768);
                            tk::tma_load(shared.k_tiles_tile[k_tiles_next.stage], K_map,
                                         shared.k_tiles.full[k_tiles_next.stage], Kb_start + j, g,
                                         0);
                            k_tiles_next.advance();

                            // attention_varlen.tk:73: o += mma(p, tma_load(Vb[j, g, :]) ..
                            shared.v_tiles.begin(v_tiles_next, 32768);
                            tk::tma_load(shared.v_tiles_tile[v_tiles_next.stage], V_map,
                                         shared.v_tiles.full[v_tiles_next.stage],
                                         Vb_start + (j - 128), g, 0);
                            v_tiles_next.advance();
                        }
                        shared.v_tiles.begin(v_tiles_next, 32768);
                        tk::tma_load(shared.v_tiles_tile[v_tiles_next.stage], V_map,
                                     shared.v_tiles.full[v_tiles_next.stage],
                                     Vb_start + tk::max(tk::divide_up(end, 128) - 1, 0) * 128, g,
                                     0);
                        v_tiles_next.advance();
                    }
                }

                // The next program.
                shared.tickets.wait_empty(tickets_next);
                program = tk::draw_ticket(shared.tickets, shared.ticket_numbers, tickets_next,
                                          counters);
                tickets_next.advance();
            }
        }
    } else {
        // attention_varlen.tk:46: kernel attend<T: dtype = bf16, D: int = 128, CAUSAL: bool = ..
        tk::registers_at_least<240>();
        const int programs = E * H;
        const int section = tk::section_width(E, gridDim.x);
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> k_tiles_next, v_tiles_next;
        tk::cursor<1> q_tiles_next, tickets_next;
        for (int program = blockIdx.x; program < programs;) {
            const tk::grid_point place = tk::drawn(program, E, H, section);
            const int e = place.row;
            const int h = place.col;

            // attention_varlen.tk:55: let b  = Of[e];
            const int b = tk::cell(Of, e);

            // attention_varlen.tk:56: let m  = Block[e] * BM;
            const int m = tk::cell(Block, e) * 128;

            // attention_varlen.tk:57: let lq = start_q[b + 1] - start_q[b];
            const int lq = (0 <= b + 1 && b + 1 < B + 1 ? tk::cell(start_q, b + 1) : int{}) -
                (0 <= b && b < B + 1 ? tk::cell(start_q, b) : int{});

            // attention_varlen.tk:58: let lk = start_k[b + 1] - start_k[b];
            const int lk = (0 <= b + 1 && b + 1 < B + 1 ? tk::cell(start_k, b + 1) : int{}) -
                (0 <= b && b < B + 1 ? tk::cell(start_k, b) : int{});

            // attention_varlen.tk:60: let Kb = K[start_k[b] +: lk];  let Vb = V[start_k[b] +: lk];
            const int Kb_start = 0 <= b && b < B + 1 ? tk::cell(start_k, b) : int{};
            const int Kb_end = (0 <= b && b < B + 1 ? tk::cell(start_k, b) : int{}) + lk;

            // attention_varlen.tk:61: let first = m + lk - lq;
            const int first = m + lk - lq;

            // attention_varlen.tk:63: let end   = if CAUSAL { max(min(first + BM, lk), 0) } else ..
            const int end = tk::max(tk::min(first + 128, lk), 0);

            // attention_varlen.tk:59: let Qb = Q[start_q[b] +: lq];  let Ob = O[start_q[b] +: ..
            const int Ob_start = 0 <= b && b < B + 1 ? tk::cell(start_q, b) : int{};
            const int Ob_end = (0 <= b && b < B + 1 ? tk::cell(start_q, b) : int{}) + lq;
            const int Lb_start = 0 <= b && b < B + 1 ? tk::cell(start_q, b) : int{};
            const int Lb_end = (0 <= b && b < B + 1 ? tk::cell(start_q, b) : int{}) + lq;

            // attention_varlen.tk:64: if m >= 0 {
            if (m >= 0) {
                // attention_varlen.tk:65: let q = tma_load(Qb[m +: BM, h, :]);
                const tk::cursor<1> q_element = shared.q_tiles.take(q_tiles_next);
                tk::fragment<tk::bf16, 64, 128> q_2;
                tk::load_shared(q_2,
                                tk::rows<64>(shared.q_tiles_tile[q_element.stage], 64 * warpgroup),
                                thread);
                shared.q_tiles.release_after_loads(q_element);

                // attention_varlen.tk:66: var o: f32[BM, D] = 0;
                tk::fragment<float, 64, 128> o;
                tk::zero(o);

                // attention_varlen.tk:67: var sm = softmax.start<BM>(if SOFTCAP { 1.0 } else { ..
                tk::column_fragment<float, 64> sm_max;
                tk::fill(sm_max, -INFINITY);
                tk::column_fragment<float, 64> sm_sum;
                tk::zero(sm_sum);
                tk::column_fragment<float, 64> sm_correction;
                tk::fill(sm_correction, 1.0f);
                const float sm_c = scale * 1.442695f;

                // attention_varlen.tk:68: for j in begin..end by BN pipelined(2) {
                if (end > 0) {
                    // attention_varlen.tk:69: let s = mma(q, tma_load(Kb[j, g, :]).T);
                    const tk::cursor<2> k_tiles_element = shared.k_tiles.take(k_tiles_next);
                    tk::fragment<float, 64, 128> s_first;
                    tk::mma_async(s_first, q_2,
                                  tk::transposed(shared.k_tiles_tile[k_tiles_element.stage]),
                                  tk::accumulate_never{});
                    tk::mma_wait<0>(s_first, q_2);
                    shared.k_tiles.release(k_tiles_element);

                    // attention_varlen.tk:71: let p = T(softmax.step(inout sm, attention.seen(t, ..
                    if (!(first + 64 * warpgroup >= 127 && Kb_start + 128 <= Kb_end)) {
                        tk::map(s_first, thread, [&](int row, int col, float s_first) {
                            return col <= first + 64 * warpgroup + row
                                ? (col < Kb_end - Kb_start ? s_first : -INFINITY) : -INFINITY;
                        }, s_first);
                    }

                    // <std.softmax>:30: let m  = max(sm.max, max(s, axis = 1));
                    tk::column_fragment<float, 64> t1;
                    tk::fold_rows(t1, s_first, tk::maximum{}, thread);
                    tk::finish_rows(t1, tk::maximum{});
                    tk::column_fragment<float, 64> m_2;
                    tk::map(m_2, [](float sm_max, float t1) { return tk::max(sm_max, t1); },
                            sm_max, t1);

                    // <std.softmax>:31: let m0 = where(m == -inf, 0, m) * sm.c;
                    tk::column_fragment<float, 64> m0;
                    tk::map(m0, [&](float m_2) { return (m_2 == -INFINITY ? 0.0f : m_2) * sm_c; },
                            m_2);

                    // <std.softmax>:32: let p  = exp2(fma(s, sm.c, -m0));
                    tk::fragment<float, 64, 128> p;
                    tk::map(p, [&](float s_first, float m0) {
                        return tk::exp2(tk::fma(s_first, sm_c, -m0));
                    }, s_first, m0);

                    // <std.softmax>:33: sm.correction = where(m == sm.max, 1, exp2(fma(sm.max, ..
                    tk::map(sm_correction, [&](float m_2, float sm_max, float m0) {
                        return m_2 == sm_max ? 1.0f : tk::exp2(tk::fma(sm_max, sm_c, -m0));
                    }, m_2, sm_max, m0);

                    // <std.softmax>:34: sm.sum = sm.sum * sm.correction + sum(p, axis = 1);
                    tk::column_fragment<float, 64> t2;
                    tk::fold_rows(t2, p, tk::plus{}, thread);
                    tk::map(sm_sum, [](float sm_sum, float sm_correction, float t2) {
                        return tk::fma(sm_sum, sm_correction, t2);
                    }, sm_sum, sm_correction, t2);

                    // <std.softmax>:35: sm.max = m;
                    sm_max = m_2;
                    // attention_varlen.tk:71
                    tk::fragment<tk::bf16, 64, 128> p_2 = tk::convert<tk::bf16>(p);

                    // attention_varlen.tk:72: o *= sm.correction;
                    tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                            o, sm_correction);
                    // attention_varlen.tk:68
                    for (int j = 128; j < end; j += 128) {
                        // attention_varlen.tk:69
                        const tk::cursor<2> k_tiles_element_2 = shared.k_tiles.take(k_tiles_next);
                        tk::fragment<float, 64, 128> s_2;
                        tk::mma_async(s_2, q_2,
                                      tk::transposed(shared.k_tiles_tile[k_tiles_element_2.stage]),
                                      tk::accumulate_never{});

                        // attention_varlen.tk:73: o += mma(p, tma_load(Vb[j, g, :]) allow_foreign);
                        const tk::cursor<2> v_tiles_element = shared.v_tiles.take(v_tiles_next);
                        tk::mma_async(o, p_2, shared.v_tiles_tile[v_tiles_element.stage]);
                        tk::mma_wait<1>(s_2, q_2);
                        shared.k_tiles.release(k_tiles_element_2);
                        // attention_varlen.tk:71
                        if (!(j + 127 <= first + 64 * warpgroup && Kb_start + j + 128 <= Kb_end)) {
                            tk::map(s_2, thread, [&](int row, int col, float s_2) {
                                return j + col <= first + 64 * warpgroup + row
                                    ? (col < Kb_end - (Kb_start + j) ? s_2 : -INFINITY) : -INFINITY;
                            }, s_2);
                        }
                        // <std.softmax>:30
                        tk::column_fragment<float, 64> t4;
                        tk::fold_rows(t4, s_2, tk::maximum{}, thread);
                        tk::finish_rows(t4, tk::maximum{});
                        tk::column_fragment<float, 64> m_3;
                        tk::map(m_3, [](float sm_max, float t4) { return tk::max(sm_max, t4); },
                                sm_max, t4);
                        // <std.softmax>:31
                        tk::column_fragment<float, 64> m0_2;
                        tk::map(m0_2, [&](float m_3) {
                            return (m_3 == -INFINITY ? 0.0f : m_3) * sm_c;
                        }, m_3);
                        // <std.softmax>:32
                        tk::hold_waits(warp);
                        tk::fragment<float, 64, 128> p_3;
                        tk::map(p_3, [&](float s_2, float m0_2) {
                            return tk::exp2(tk::fma(s_2, sm_c, -m0_2));
                        }, s_2, m0_2);
                        // <std.softmax>:33
                        tk::map(sm_correction, [&](float m_3, float sm_max, float m0_2) {
                            return m_3 == sm_max ? 1.0f : tk::exp2(tk::fma(sm_max, sm_c, -m0_2));
                        }, m_3, sm_max, m0_2);
                        // <std.softmax>:34
                        tk::column_fragment<float, 64> t5;
                        tk::fold_rows(t5, p_3, tk::plus{}, thread);
                        tk::map(sm_sum, [](float sm_sum, float sm_correction, float t5) {
                            return tk::fma(sm_sum, sm_correction, t5);
                        }, sm_sum, sm_correction, t5);
                        // <std.softmax>:35
                        sm_max = m_3;
                        tk::mma_wait<0>(o, p_2);
                        shared.v_tiles.release(v_tiles_element);
                        // attention_varlen.tk:71
                        p_2 = tk::convert<tk::bf16>(p_3);
                        // attention_varlen.tk:72
                        tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                                o, sm_correction);
                    }
                    // attention_varlen.tk:73
                    const tk::cursor<2> v_tiles_element_2 = shared.v_tiles.take(v_tiles_next);
                    tk::mma_async(o, p_2, shared.v_tiles_tile[v_tiles_element_2.stage]);
                    tk::mma_wait<0>(o, p_2);
                    shared.v_tiles.release(v_tiles_element_2);
                }

                // attention_varlen.tk:75: store(Ob[m +: BM, h, :], T(softmax.finish(sm, o)));
                tk::column_fragment<float, 64> t3 = sm_sum;
                tk::finish_rows(t3, tk::plus{});
                tk::column_fragment<float, 64> t0;
                tk::map(t0, [](float t3) { return t3 == 0.0f ? 0.0f : tk::divide(1.0f, t3); }, t3);
                #pragma unroll
                for (int panel = 0; panel < 128; panel += 64) {
                    tk::fragment<tk::bf16, 64, 64> t6;
                    tk::map(t6, [](float o, float t0) { return o * t0; },
                            tk::window<64, 64>(o, 0, panel), t0);
                    tk::store_shared(shared.consumer_O[warpgroup * 2 + panel / 64 % 2], t6, thread);
                    tk::fence_async();
                    if (leader) tk::tma_store_wait_read<0>();
                    tk::barrier_sync(1 + warpgroup, 128);
                    if (Ob_end < Ob_start + m + warpgroup * 64 + 64) {
                        tk::copy_to_global(
                            tk::clipped(
                                tk::dense_slice<0, 2>(O, {Ob_start + m + warpgroup * 64, h, panel},
                                                      tk::max(tk::min(Ob_end, TQ), 0) -
                                                      (Ob_start + m + warpgroup * 64), 128 - panel),
                                0 - (Ob_start + m + warpgroup * 64), 0),
                            shared.consumer_O[warpgroup * 2 + panel / 64 % 2]);
                        if (leader) tk::tma_store_nothing();
                    } else if (leader) {
                        tk::tma_store(O_map, shared.consumer_O[warpgroup * 2 + panel / 64 % 2],
                                      Ob_start + m + warpgroup * 64, h, panel);
                    }
                }

                // attention_varlen.tk:76: store(Lb[m +: BM], softmax.lse(sm));
                tk::column_fragment<float, 64> t7;
                tk::map(t7, [&](float t3, float sm_max) {
                    return t3 == 0.0f ? -INFINITY
                        : tk::fma(sm_max, sm_c, tk::log2(t3)) * 0.6931472f;
                }, t3, sm_max);
                tk::store_global(
                    tk::clipped(
                        tk::slice<1, tk::no_axis>(LSE, {h, Lb_start + m + 64 * warpgroup},
                                                  tk::max(tk::min(Lb_end, TQ), 0) -
                                                  (Lb_start + m + 64 * warpgroup), 1),
                        0 - (Lb_start + m + 64 * warpgroup), 0), t7, thread);
            }

            // The next program.
            const tk::cursor<1> ticket = shared.tickets.take(tickets_next);
            program = shared.ticket_numbers[ticket.stage];
            shared.tickets.release_after_loads(ticket, tk::ordinary_alone{});
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

// attend_T_bf16_D_128_CAUSAL_true_WINDOW_0_SOFTCAP_false_general: kernel attend with T = bf16, D =
// 128, CAUSAL = true, WINDOW = 0, SOFTCAP = false, BM = 128, BN = 128; any strides and alignment.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 163944 bytes of shared memory; persistent, programs
// dealt by a counter.
struct attend_T_bf16_D_128_CAUSAL_true_WINDOW_0_SOFTCAP_false_general_shared {
    tk::shared_tile<tk::bf16, 128, 128> q_tiles_tile[1];
    tk::shared_tile<tk::bf16, 128, 128> k_tiles_tile[2];
    tk::shared_tile<tk::bf16, 128, 128> v_tiles_tile[2];
    tk::pipeline<1> q_tiles;
    tk::pipeline<2> k_tiles;
    tk::pipeline<2> v_tiles;
    tk::pipeline<1> tickets;
    int ticket_numbers[1];
};
static_assert(offsetof(attend_T_bf16_D_128_CAUSAL_true_WINDOW_0_SOFTCAP_false_general_shared,
                       ticket_numbers) == 163936);

__global__ void __launch_bounds__(384, 1) attend_T_bf16_D_128_CAUSAL_true_WINDOW_0_SOFTCAP_false_general_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap V_map, const tk::tensor_argument<const int, 1> start_q,
    const tk::tensor_argument<const int, 1> start_k, const tk::tensor_argument<const int, 1> Of,
    const tk::tensor_argument<const int, 1> Block, const tk::tensor_argument<tk::bf16, 3> O,
    const tk::tensor_argument<float, 2> LSE, int TQ, int H, int HKV, int E, int B, float scale,
    unsigned* counters) {
    extern __shared__ __align__(1024) unsigned char memory[];
    attend_T_bf16_D_128_CAUSAL_true_WINDOW_0_SOFTCAP_false_general_shared& shared =
        *reinterpret_cast<attend_T_bf16_D_128_CAUSAL_true_WINDOW_0_SOFTCAP_false_general_shared*>(
        memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Q_map, K_map, V_map);
        shared.q_tiles.init(1, 8);
        shared.k_tiles.init(1, 8);
        shared.v_tiles.init(1, 8);
        shared.tickets.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // attention_varlen.tk:46: kernel attend<T: dtype = bf16, D: int = 128, CAUSAL: bool = ..
        tk::registers_at_most<24>();
        const int programs = E * H;
        const int section = tk::section_width(E, gridDim.x);
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> k_tiles_next, v_tiles_next;
            tk::cursor<1> q_tiles_next, tickets_next;
            for (int program = blockIdx.x; program < programs;) {
                const tk::grid_point place = tk::drawn(program, E, H, section);
                const int e = place.row;
                const int h = place.col;

                // attention_varlen.tk:54: let g  = h // (H / HKV);
                const int g = h / (H / HKV);

                // attention_varlen.tk:55: let b  = Of[e];
                const int b = tk::cell(Of, e);

                // attention_varlen.tk:56: let m  = Block[e] * BM;
                const int m = tk::cell(Block, e) * 128;

                // attention_varlen.tk:57: let lq = start_q[b + 1] - start_q[b];
                const int lq = (0 <= b + 1 && b + 1 < B + 1 ? tk::cell(start_q, b + 1) : int{}) -
                    (0 <= b && b < B + 1 ? tk::cell(start_q, b) : int{});

                // attention_varlen.tk:58: let lk = start_k[b + 1] - start_k[b];
                const int lk = (0 <= b + 1 && b + 1 < B + 1 ? tk::cell(start_k, b + 1) : int{}) -
                    (0 <= b && b < B + 1 ? tk::cell(start_k, b) : int{});

                // attention_varlen.tk:59: let Qb = Q[start_q[b] +: lq];  let Ob = O[start_q[b] ..
                const int Qb_start = 0 <= b && b < B + 1 ? tk::cell(start_q, b) : int{};
                const int Qb_end = (0 <= b && b < B + 1 ? tk::cell(start_q, b) : int{}) + lq;

                // attention_varlen.tk:60: let Kb = K[start_k[b] +: lk];  let Vb = V[start_k[b] ..
                const int Kb_start = 0 <= b && b < B + 1 ? tk::cell(start_k, b) : int{};
                const int Kb_end = (0 <= b && b < B + 1 ? tk::cell(start_k, b) : int{}) + lk;
                const int Vb_start = 0 <= b && b < B + 1 ? tk::cell(start_k, b) : int{};
                const int Vb_end = (0 <= b && b < B + 1 ? tk::cell(start_k, b) : int{}) + lk;

                // attention_varlen.tk:61: let first = m + lk - lq;
                const int first = m + lk - lq;

                // attention_varlen.tk:63: let end   = if CAUSAL { max(min(first + BM, lk), 0) } ..
                const int end = tk::max(tk::min(first + 128, lk), 0);

                // attention_varlen.tk:64: if m >= 0 {
                if (m >= 0) {
                    // attention_varlen.tk:65: let q = tma_load(Qb[m +: BM, h, :]);
                    shared.q_tiles.begin(q_tiles_next, 32768);
                    tk::tma_load(shared.q_tiles_tile[q_tiles_next.stage], Q_map,
                                 shared.q_tiles.full[q_tiles_next.stage], Qb_start + m, h, 0);
                    q_tiles_next.advance();

                    // attention_varlen.tk:68: for j in begin..end by BN pipelined(2) {
                    if (end > 0) {
                        // attention_varlen.tk:69: let s = mma(q, tma_load(Kb[j, g, :]).T);
                        shared.k_tiles.begin(k_tiles_next, 32768);
                        tk::tma_load(shared.k_tiles_tile[k_tiles_next.stage], K_map,
                                     shared.k_tiles.full[k_tiles_next.stage], Kb_start, g, 0);
                        k_tiles_next.advance();
                        // attention_varlen.tk:68
                        #pragma unroll 1
                        for (int j = 128; j < end; j += 128) {
                            // attention_varlen.tk:69
                            shared.k_tiles.begin(k_tiles_next, 32768);
                            tk::tma_load(shared.k_tiles_tile[k_tiles_next.stage], K_map,
                                         shared.k_tiles.full[k_tiles_next.stage], Kb_start + j, g,
                                         0);
                            k_tiles_next.advance();

                            // attention_varlen.tk:73: o += mma(p, tma_load(Vb[j, g, :]) ..
                            shared.v_tiles.begin(v_tiles_next, 32768);
                            tk::tma_load(shared.v_tiles_tile[v_tiles_next.stage], V_map,
                                         shared.v_tiles.full[v_tiles_next.stage],
                                         Vb_start + (j - 128), g, 0);
                            v_tiles_next.advance();
                        }
                        shared.v_tiles.begin(v_tiles_next, 32768);
                        tk::tma_load(shared.v_tiles_tile[v_tiles_next.stage], V_map,
                                     shared.v_tiles.full[v_tiles_next.stage],
                                     Vb_start + tk::max(tk::divide_up(end, 128) - 1, 0) * 128, g,
                                     0);
                        v_tiles_next.advance();
                    }
                }

                // The next program.
                shared.tickets.wait_empty(tickets_next);
                program = tk::draw_ticket(shared.tickets, shared.ticket_numbers, tickets_next,
                                          counters);
                tickets_next.advance();
            }
        }
    } else {
        // attention_varlen.tk:46: kernel attend<T: dtype = bf16, D: int = 128, CAUSAL: bool = ..
        tk::registers_at_least<240>();
        const int programs = E * H;
        const int section = tk::section_width(E, gridDim.x);
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        tk::cursor<2> k_tiles_next, v_tiles_next;
        tk::cursor<1> q_tiles_next, tickets_next;
        for (int program = blockIdx.x; program < programs;) {
            const tk::grid_point place = tk::drawn(program, E, H, section);
            const int e = place.row;
            const int h = place.col;

            // attention_varlen.tk:55: let b  = Of[e];
            const int b = tk::cell(Of, e);

            // attention_varlen.tk:56: let m  = Block[e] * BM;
            const int m = tk::cell(Block, e) * 128;

            // attention_varlen.tk:57: let lq = start_q[b + 1] - start_q[b];
            const int lq = (0 <= b + 1 && b + 1 < B + 1 ? tk::cell(start_q, b + 1) : int{}) -
                (0 <= b && b < B + 1 ? tk::cell(start_q, b) : int{});

            // attention_varlen.tk:58: let lk = start_k[b + 1] - start_k[b];
            const int lk = (0 <= b + 1 && b + 1 < B + 1 ? tk::cell(start_k, b + 1) : int{}) -
                (0 <= b && b < B + 1 ? tk::cell(start_k, b) : int{});

            // attention_varlen.tk:60: let Kb = K[start_k[b] +: lk];  let Vb = V[start_k[b] +: lk];
            const int Kb_start = 0 <= b && b < B + 1 ? tk::cell(start_k, b) : int{};
            const int Kb_end = (0 <= b && b < B + 1 ? tk::cell(start_k, b) : int{}) + lk;

            // attention_varlen.tk:61: let first = m + lk - lq;
            const int first = m + lk - lq;

            // attention_varlen.tk:63: let end   = if CAUSAL { max(min(first + BM, lk), 0) } else ..
            const int end = tk::max(tk::min(first + 128, lk), 0);

            // attention_varlen.tk:59: let Qb = Q[start_q[b] +: lq];  let Ob = O[start_q[b] +: ..
            const int Ob_start = 0 <= b && b < B + 1 ? tk::cell(start_q, b) : int{};
            const int Ob_end = (0 <= b && b < B + 1 ? tk::cell(start_q, b) : int{}) + lq;
            const int Lb_start = 0 <= b && b < B + 1 ? tk::cell(start_q, b) : int{};
            const int Lb_end = (0 <= b && b < B + 1 ? tk::cell(start_q, b) : int{}) + lq;

            // attention_varlen.tk:64: if m >= 0 {
            if (m >= 0) {
                // attention_varlen.tk:65: let q = tma_load(Qb[m +: BM, h, :]);
                const tk::cursor<1> q_element = shared.q_tiles.take(q_tiles_next);
                tk::fragment<tk::bf16, 64, 128> q_2;
                tk::load_shared(q_2,
                                tk::rows<64>(shared.q_tiles_tile[q_element.stage], 64 * warpgroup),
                                thread);
                shared.q_tiles.release_after_loads(q_element);

                // attention_varlen.tk:66: var o: f32[BM, D] = 0;
                tk::fragment<float, 64, 128> o;
                tk::zero(o);

                // attention_varlen.tk:67: var sm = softmax.start<BM>(if SOFTCAP { 1.0 } else { ..
                tk::column_fragment<float, 64> sm_max;
                tk::fill(sm_max, -INFINITY);
                tk::column_fragment<float, 64> sm_sum;
                tk::zero(sm_sum);
                tk::column_fragment<float, 64> sm_correction;
                tk::fill(sm_correction, 1.0f);
                const float sm_c = scale * 1.442695f;

                // attention_varlen.tk:68: for j in begin..end by BN pipelined(2) {
                if (end > 0) {
                    // attention_varlen.tk:69: let s = mma(q, tma_load(Kb[j, g, :]).T);
                    const tk::cursor<2> k_tiles_element = shared.k_tiles.take(k_tiles_next);
                    tk::fragment<float, 64, 128> s_first;
                    tk::mma_async(s_first, q_2,
                                  tk::transposed(shared.k_tiles_tile[k_tiles_element.stage]),
                                  tk::accumulate_never{});
                    tk::mma_wait<0>(s_first, q_2);
                    shared.k_tiles.release(k_tiles_element);

                    // attention_varlen.tk:71: let p = T(softmax.step(inout sm, attention.seen(t, ..
                    if (!(first + 64 * warpgroup >= 127 && Kb_start + 128 <= Kb_end)) {
                        tk::map(s_first, thread, [&](int row, int col, float s_first) {
                            return col <= first + 64 * warpgroup + row
                                ? (col < Kb_end - Kb_start ? s_first : -INFINITY) : -INFINITY;
                        }, s_first);
                    }

                    // <std.softmax>:30: let m  = max(sm.max, max(s, axis = 1));
                    tk::column_fragment<float, 64> t1;
                    tk::fold_rows(t1, s_first, tk::maximum{}, thread);
                    tk::finish_rows(t1, tk::maximum{});
                    tk::column_fragment<float, 64> m_2;
                    tk::map(m_2, [](float sm_max, float t1) { return tk::max(sm_max, t1); },
                            sm_max, t1);

                    // <std.softmax>:31: let m0 = where(m == -inf, 0, m) * sm.c;
                    tk::column_fragment<float, 64> m0;
                    tk::map(m0, [&](float m_2) { return (m_2 == -INFINITY ? 0.0f : m_2) * sm_c; },
                            m_2);

                    // <std.softmax>:32: let p  = exp2(fma(s, sm.c, -m0));
                    tk::fragment<float, 64, 128> p;
                    tk::map(p, [&](float s_first, float m0) {
                        return tk::exp2(tk::fma(s_first, sm_c, -m0));
                    }, s_first, m0);

                    // <std.softmax>:33: sm.correction = where(m == sm.max, 1, exp2(fma(sm.max, ..
                    tk::map(sm_correction, [&](float m_2, float sm_max, float m0) {
                        return m_2 == sm_max ? 1.0f : tk::exp2(tk::fma(sm_max, sm_c, -m0));
                    }, m_2, sm_max, m0);

                    // <std.softmax>:34: sm.sum = sm.sum * sm.correction + sum(p, axis = 1);
                    tk::column_fragment<float, 64> t2;
                    tk::fold_rows(t2, p, tk::plus{}, thread);
                    tk::map(sm_sum, [](float sm_sum, float sm_correction, float t2) {
                        return tk::fma(sm_sum, sm_correction, t2);
                    }, sm_sum, sm_correction, t2);

                    // <std.softmax>:35: sm.max = m;
                    sm_max = m_2;
                    // attention_varlen.tk:71
                    tk::fragment<tk::bf16, 64, 128> p_2 = tk::convert<tk::bf16>(p);

                    // attention_varlen.tk:72: o *= sm.correction;
                    tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                            o, sm_correction);
                    // attention_varlen.tk:68
                    for (int j = 128; j < end; j += 128) {
                        // attention_varlen.tk:69
                        const tk::cursor<2> k_tiles_element_2 = shared.k_tiles.take(k_tiles_next);
                        tk::fragment<float, 64, 128> s_2;
                        tk::mma_async(s_2, q_2,
                                      tk::transposed(shared.k_tiles_tile[k_tiles_element_2.stage]),
                                      tk::accumulate_never{});

                        // attention_varlen.tk:73: o += mma(p, tma_load(Vb[j, g, :]) allow_foreign);
                        const tk::cursor<2> v_tiles_element = shared.v_tiles.take(v_tiles_next);
                        tk::mma_async(o, p_2, shared.v_tiles_tile[v_tiles_element.stage]);
                        tk::mma_wait<1>(s_2, q_2);
                        shared.k_tiles.release(k_tiles_element_2);
                        // attention_varlen.tk:71
                        if (!(j + 127 <= first + 64 * warpgroup && Kb_start + j + 128 <= Kb_end)) {
                            tk::map(s_2, thread, [&](int row, int col, float s_2) {
                                return j + col <= first + 64 * warpgroup + row
                                    ? (col < Kb_end - (Kb_start + j) ? s_2 : -INFINITY) : -INFINITY;
                            }, s_2);
                        }
                        // <std.softmax>:30
                        tk::column_fragment<float, 64> t4;
                        tk::fold_rows(t4, s_2, tk::maximum{}, thread);
                        tk::finish_rows(t4, tk::maximum{});
                        tk::column_fragment<float, 64> m_3;
                        tk::map(m_3, [](float sm_max, float t4) { return tk::max(sm_max, t4); },
                                sm_max, t4);
                        // <std.softmax>:31
                        tk::column_fragment<float, 64> m0_2;
                        tk::map(m0_2, [&](float m_3) {
                            return (m_3 == -INFINITY ? 0.0f : m_3) * sm_c;
                        }, m_3);
                        // <std.softmax>:32
                        tk::hold_waits(warp);
                        tk::fragment<float, 64, 128> p_3;
                        tk::map(p_3, [&](float s_2, float m0_2) {
                            return tk::exp2(tk::fma(s_2, sm_c, -m0_2));
                        }, s_2, m0_2);
                        // <std.softmax>:33
                        tk::map(sm_correction, [&](float m_3, float sm_max, float m0_2) {
                            return m_3 == sm_max ? 1.0f : tk::exp2(tk::fma(sm_max, sm_c, -m0_2));
                        }, m_3, sm_max, m0_2);
                        // <std.softmax>:34
                        tk::column_fragment<float, 64> t5;
                        tk::fold_rows(t5, p_3, tk::plus{}, thread);
                        tk::map(sm_sum, [](float sm_sum, float sm_correction, float t5) {
                            return tk::fma(sm_sum, sm_correction, t5);
                        }, sm_sum, sm_correction, t5);
                        // <std.softmax>:35
                        sm_max = m_3;
                        tk::mma_wait<0>(o, p_2);
                        shared.v_tiles.release(v_tiles_element);
                        // attention_varlen.tk:71
                        p_2 = tk::convert<tk::bf16>(p_3);
                        // attention_varlen.tk:72
                        tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                                o, sm_correction);
                    }
                    // attention_varlen.tk:73
                    const tk::cursor<2> v_tiles_element_2 = shared.v_tiles.take(v_tiles_next);
                    tk::mma_async(o, p_2, shared.v_tiles_tile[v_tiles_element_2.stage]);
                    tk::mma_wait<0>(o, p_2);
                    shared.v_tiles.release(v_tiles_element_2);
                }

                // attention_varlen.tk:75: store(Ob[m +: BM, h, :], T(softmax.finish(sm, o)));
                tk::column_fragment<float, 64> t3 = sm_sum;
                tk::finish_rows(t3, tk::plus{});
                tk::column_fragment<float, 64> t0;
                tk::map(t0, [](float t3) { return t3 == 0.0f ? 0.0f : tk::divide(1.0f, t3); }, t3);
                tk::fragment<tk::bf16, 64, 128> t6;
                tk::map(t6, [](float o, float t0) { return o * t0; }, o, t0);
                tk::store_global(
                    tk::clipped(
                        tk::slice<0, 2>(O, {Ob_start + m + 64 * warpgroup, h, 0},
                                        tk::max(tk::min(Ob_end, TQ), 0) -
                                        (Ob_start + m + 64 * warpgroup), 128),
                        0 - (Ob_start + m + 64 * warpgroup), 0), t6, thread);

                // attention_varlen.tk:76: store(Lb[m +: BM], softmax.lse(sm));
                tk::column_fragment<float, 64> t7;
                tk::map(t7, [&](float t3, float sm_max) {
                    return t3 == 0.0f ? -INFINITY
                        : tk::fma(sm_max, sm_c, tk::log2(t3)) * 0.6931472f;
                }, t3, sm_max);
                tk::store_global(
                    tk::clipped(
                        tk::slice<1, tk::no_axis>(LSE, {h, Lb_start + m + 64 * warpgroup},
                                                  tk::max(tk::min(Lb_end, TQ), 0) -
                                                  (Lb_start + m + 64 * warpgroup), 1),
                        0 - (Lb_start + m + 64 * warpgroup), 0), t7, thread);
            }

            // The next program.
            const tk::cursor<1> ticket = shared.tickets.take(tickets_next);
            program = shared.ticket_numbers[ticket.stage];
            shared.tickets.release_after_loads(ticket, tk::ordinary_alone{});
        }
    }
}

namespace {
tk::status launch_list_blocks(const tk::launch_site& site, const tk::tensor& start_q,
                              const tk::tensor& start_k, const tk::tensor& Of,
                              const tk::tensor& Block, int64_t E, int64_t B) {
    return tk::run<list_blocks_kernel>(site, 0, tk::kernel_shape(32).overlapping(), B, start_q,
                                       start_k, Of, Block, E, B);
}

tk::status launch_list_blocks_general(const tk::launch_site& site, const tk::tensor& start_q,
                                      const tk::tensor& start_k, const tk::tensor& Of,
                                      const tk::tensor& Block, int64_t E, int64_t B) {
    return tk::run<list_blocks_general_kernel>(site, 0, tk::kernel_shape(32).overlapping(), B,
                                               start_q, start_k, Of, Block, E, B);
}

tk::status launch_attend(const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K,
                         const tk::tensor& V, const tk::tensor& start_q, const tk::tensor& start_k,
                         const tk::tensor& Of, const tk::tensor& Block, const tk::tensor& O,
                         const tk::tensor& LSE, int64_t TQ, int64_t H, int64_t HKV, int64_t E,
                         int64_t B, float scale, void* workspace) {
    return tk::run<attend_kernel>(
        site, sizeof(attend_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(E, H), tk::box{Q, {128, 1, 64}, 128}, tk::box{K, {128, 1, 64}, 128},
        tk::box{V, {128, 1, 64}, 128}, tk::box{O, {64, 1, 64}, 128}, start_q, start_k, Of, Block, O,
        LSE, TQ, H, HKV, E, B, scale, workspace);
}

tk::status launch_attend_general(
    const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K, const tk::tensor& V,
    const tk::tensor& start_q, const tk::tensor& start_k, const tk::tensor& Of,
    const tk::tensor& Block, const tk::tensor& O, const tk::tensor& LSE, int64_t TQ, int64_t H,
    int64_t HKV, int64_t E, int64_t B, float scale, void* workspace) {
    return tk::run<attend_general_kernel>(
        site, sizeof(attend_general_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(E, H), tk::box{Q, {128, 1, 64}, 128}, tk::box{K, {128, 1, 64}, 128},
        tk::box{V, {128, 1, 64}, 128}, start_q, start_k, Of, Block, O, LSE, TQ, H, HKV, E, B, scale,
        workspace);
}

tk::status launch_attend_T_bf16_D_128_CAUSAL_true_WINDOW_0_SOFTCAP_false(
    const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K, const tk::tensor& V,
    const tk::tensor& start_q, const tk::tensor& start_k, const tk::tensor& Of,
    const tk::tensor& Block, const tk::tensor& O, const tk::tensor& LSE, int64_t TQ, int64_t H,
    int64_t HKV, int64_t E, int64_t B, float scale, void* workspace) {
    return tk::run<attend_T_bf16_D_128_CAUSAL_true_WINDOW_0_SOFTCAP_false_kernel>(
        site, sizeof(attend_T_bf16_D_128_CAUSAL_true_WINDOW_0_SOFTCAP_false_shared),
        tk::kernel_shape(384).at_once(1).overlapping(), tk::multiply(E, H),
        tk::box{Q, {128, 1, 64}, 128}, tk::box{K, {128, 1, 64}, 128}, tk::box{V, {128, 1, 64}, 128},
        tk::box{O, {64, 1, 64}, 128}, start_q, start_k, Of, Block, O, LSE, TQ, H, HKV, E, B, scale,
        workspace);
}

tk::status launch_attend_T_bf16_D_128_CAUSAL_true_WINDOW_0_SOFTCAP_false_general(
    const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K, const tk::tensor& V,
    const tk::tensor& start_q, const tk::tensor& start_k, const tk::tensor& Of,
    const tk::tensor& Block, const tk::tensor& O, const tk::tensor& LSE, int64_t TQ, int64_t H,
    int64_t HKV, int64_t E, int64_t B, float scale, void* workspace) {
    return tk::run<attend_T_bf16_D_128_CAUSAL_true_WINDOW_0_SOFTCAP_false_general_kernel>(
        site, sizeof(attend_T_bf16_D_128_CAUSAL_true_WINDOW_0_SOFTCAP_false_general_shared),
        tk::kernel_shape(384).at_once(1).overlapping(), tk::multiply(E, H),
        tk::box{Q, {128, 1, 64}, 128}, tk::box{K, {128, 1, 64}, 128}, tk::box{V, {128, 1, 64}, 128},
        start_q, start_k, Of, Block, O, LSE, TQ, H, HKV, E, B, scale, workspace);
}

}  // namespace

extern "C" {
int list_blocks(const DLTensor* start_q_given, const DLTensor* start_k_given, DLTensor* Of_given,
                DLTensor* Block_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"list_blocks"};
    const tk::tensor start_q = call.take("start_q", start_q_given, tk::dtype_i32, 1,
                                         tk::access::read);
    const tk::tensor start_k = call.take("start_k", start_k_given, tk::dtype_i32, 1,
                                         tk::access::read);
    const tk::tensor Of = call.take("Of", Of_given, tk::dtype_i32, 1, tk::access::write);
    const tk::tensor Block = call.take("Block", Block_given, tk::dtype_i32, 1, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t E = Of.shape[0];
    const int64_t B = start_q.shape[0] - 1;
    call.require(
        {tk::same_extent("E", Of, 0, Block, 0), tk::extents_fit({{"E", E}}),
         tk::that(0 <= B, "axis 0 of `start_q` is {}; it is `B + 1`, at least 1",
                  {start_q.shape[0]}), tk::extents_fit({{"B", B}}),
         tk::that(start_k.shape[0] == B + 1,
                  "axis 0 of `start_k` is {}; it must be `B + 1`, which is {}",
                  {start_k.shape[0], B + 1})});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast = tk::hold({tk::suits_fast(start_q), tk::suits_fast(start_k)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<list_blocks_kernel, list_blocks_general_kernel>(
        fast ? 0 : 1, site, 0, tk::kernel_shape(32).overlapping(), B, start_q, start_k, Of, Block,
        E, B));
}
TK_NO_WORKSPACE(list_blocks, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*)

int attend(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
           const DLTensor* start_q_given, const DLTensor* start_k_given, const DLTensor* Of_given,
           const DLTensor* Block_given, DLTensor* O_given, DLTensor* LSE_given, float scale,
           float cap, void* workspace, size_t workspace_bytes, cudaStream_t stream) {
    tk::arguments call{"attend"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor start_q = call.take("start_q", start_q_given, tk::dtype_i32, 1,
                                         tk::access::read);
    const tk::tensor start_k = call.take("start_k", start_k_given, tk::dtype_i32, 1,
                                         tk::access::read);
    const tk::tensor Of = call.take("Of", Of_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Block = call.take("Block", Block_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 3, tk::access::write);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t TQ = Q.shape[0];
    const int64_t H = Q.shape[1];
    const int64_t TK = K.shape[0];
    const int64_t HKV = K.shape[1];
    const int64_t E = Of.shape[0];
    const int64_t B = start_q.shape[0] - 1;
    call.require({
        tk::fixed_extent(Q, 2, 128), tk::fixed_extent(K, 2, 128), tk::same_extent("TK", K, 0, V, 0),
        tk::same_extent("HKV", K, 1, V, 1), tk::fixed_extent(V, 2, 128),
        tk::same_extent("E", Of, 0, Block, 0), tk::same_extent("TQ", Q, 0, O, 0),
        tk::same_extent("H", Q, 1, O, 1), tk::fixed_extent(O, 2, 128),
        tk::same_extent("H", Q, 1, LSE, 0), tk::same_extent("TQ", Q, 0, LSE, 1),
        tk::extents_fit({{"TQ", TQ}, {"H", H}, {"TK", TK}, {"HKV", HKV}, {"E", E}}),
        tk::that(0 <= B, "axis 0 of `start_q` is {}; it is `B + 1`, at least 1",
                 {start_q.shape[0]}), tk::extents_fit({{"B", B}}),
        tk::that(start_k.shape[0] == B + 1,
                 "axis 0 of `start_k` is {}; it must be `B + 1`, which is {}",
                 {start_k.shape[0], B + 1}),
        tk::that(1 <= HKV, "`H%HKV` divides by `HKV`, which is {}: it must be at least 1", {HKV}),
        tk::that(tk::floor_mod(H, HKV) == 0, "`attend` requires `H % HKV == 0`"),
        tk::that(scale > 0.0f, "`attend` requires `scale > 0`"),
        tk::that(0 < HKV, "`HKV` is at least 1, because `attend` divides by it"),
        tk::that(0 < tk::floor_div(H, HKV),
                 "`H/HKV` is at least 1, because `attend` divides by it"),
        tk::grid_fits(tk::multiply(E, H), 2147418112),
        tk::that(1 <= tk::floor_div(H, HKV),
                 "`h/(H/HKV)` divides by `H/HKV`, which is {}: it must be at least 1",
                 {tk::floor_div(H, HKV)}),
        tk::fits("m + lk", (tk::ceil_div(TQ, 128) - 1) * 128 + TK),
        tk::fits("m + lk - lq", (tk::ceil_div(TQ, 128) - 1) * 128 + TK - (0 - TQ)),
        tk::that(-2147483648 <= -128 + (0 - TK) - TQ,
                 "`m + lk - lq` reaches {}; it must fit in 32 bits", {-128 + (0 - TK) - TQ}),
        tk::fits("Qb_start + m", TQ + (tk::ceil_div(TQ, 128) - 1) * 128),
        tk::fits("Kb_start + j.start", TK + (TK - 1)),
        tk::fits("Vb_start + (j.start - 128)", TK + (TK - 1 - 128)),
        tk::fits("Vb_start + max(ceil_div(end, 128) - 1, 0)*128",
                 TK + tk::larger(tk::ceil_div(TK, 128) - 1, 0) * 128),
        tk::fits("Kb_start + j.start + 128", TK + (TK - 1) + 128),
        tk::that(-2147483648 <= 0 - TK - (TK + (TK - 1)),
                 "`Kb_end - (Kb_start + j.start)` reaches {}; it must fit in 32 bits",
                 {0 - TK - (TK + (TK - 1))})});
    if (!call.ok()) return tk::finish(call.result());

    // The general one only where the other does not suit.
    tk::selection choice{call};
    choice.candidate();  // attend
    choice.prefer({tk::suits_fast(Q), tk::suits_fast(K), tk::suits_fast(V), tk::suits_fast(O)});
    choice.offer();
    choice.candidate(true);  // attend_general
    choice.require({tk::suits_tma_load(Q), tk::suits_tma_load(K), tk::suits_tma_load(V)});
    choice.offer();
    if (!choice.ok()) return tk::finish(choice.result());
    const int64_t counter_bytes = 4;
    TK_FINISH_IF_FAILED(tk::check_workspace(workspace, workspace_bytes, counter_bytes));

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    TK_FINISH_IF_FAILED(tk::clear_counters(workspace, counter_bytes, site));
    const int best = choice.best(site);
    if (best == 0) {
        return tk::finish(tk::run<attend_kernel>(
            site, sizeof(attend_shared), tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(E, H), tk::box{Q, {128, 1, 64}, 128}, tk::box{K, {128, 1, 64}, 128},
            tk::box{V, {128, 1, 64}, 128}, tk::box{O, {64, 1, 64}, 128}, start_q, start_k, Of,
            Block, O, LSE, TQ, H, HKV, E, B, scale, workspace));
    }
    return tk::finish(tk::run<attend_general_kernel>(
        site, sizeof(attend_general_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(E, H), tk::box{Q, {128, 1, 64}, 128}, tk::box{K, {128, 1, 64}, 128},
        tk::box{V, {128, 1, 64}, 128}, start_q, start_k, Of, Block, O, LSE, TQ, H, HKV, E, B, scale,
        workspace));
}
size_t attend_workspace(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
                        const DLTensor* start_q_given, const DLTensor* start_k_given,
                        const DLTensor* Of_given, const DLTensor* Block_given, DLTensor* O_given,
                        DLTensor* LSE_given, float scale, float cap) {
    tk::arguments call{"attend"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor start_q = call.take("start_q", start_q_given, tk::dtype_i32, 1,
                                         tk::access::read);
    const tk::tensor start_k = call.take("start_k", start_k_given, tk::dtype_i32, 1,
                                         tk::access::read);
    const tk::tensor Of = call.take("Of", Of_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Block = call.take("Block", Block_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 3, tk::access::write);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 2, tk::access::write);
    if (!call.ok()) return 0;
    return size_t(4);
}
TK_ERROR(attend)

int attention_varlen(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
                     const DLTensor* start_q_given, const DLTensor* start_k_given,
                     DLTensor* O_given, DLTensor* LSE_given, DLTensor* Of_given,
                     DLTensor* Block_given, float scale, float cap, void* workspace,
                     size_t workspace_bytes, cudaStream_t stream) {
    tk::arguments call{"attention_varlen"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor start_q = call.take("start_q", start_q_given, tk::dtype_i32, 1,
                                         tk::access::read);
    const tk::tensor start_k = call.take("start_k", start_k_given, tk::dtype_i32, 1,
                                         tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 3, tk::access::write);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 2, tk::access::write);
    const tk::tensor Of = call.take("Of", Of_given, tk::dtype_i32, 1, tk::access::write);
    const tk::tensor Block = call.take("Block", Block_given, tk::dtype_i32, 1, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t TQ = Q.shape[0];
    const int64_t H = Q.shape[1];
    const int64_t TK = K.shape[0];
    const int64_t HKV = K.shape[1];
    const int64_t B = start_q.shape[0] - 1;
    call.require(
        {tk::fixed_extent(Q, 2, 128), tk::fixed_extent(K, 2, 128),
         tk::same_extent("TK", K, 0, V, 0), tk::same_extent("HKV", K, 1, V, 1),
         tk::fixed_extent(V, 2, 128), tk::same_extent("TQ", Q, 0, O, 0),
         tk::same_extent("H", Q, 1, O, 1), tk::fixed_extent(O, 2, 128),
         tk::same_extent("H", Q, 1, LSE, 0), tk::same_extent("TQ", Q, 0, LSE, 1),
         tk::extents_fit({{"TQ", TQ}, {"H", H}, {"TK", TK}, {"HKV", HKV}}),
         tk::that(0 <= B, "axis 0 of `start_q` is {}; it is `B + 1`, at least 1",
                  {start_q.shape[0]}), tk::extents_fit({{"B", B}}),
         tk::that(start_k.shape[0] == B + 1,
                  "axis 0 of `start_k` is {}; it must be `B + 1`, which is {}",
                  {start_k.shape[0], B + 1}), tk::fits("TQ/128 + B", tk::floor_div(TQ, 128) + B),
         tk::that(Of.shape[0] == tk::floor_div(TQ, 128) + B,
                  "axis 0 of `Of` is {}; it must be `TQ/128 + B`, which is {}",
                  {Of.shape[0], tk::floor_div(TQ, 128) + B}),
         tk::that(Block.shape[0] == tk::floor_div(TQ, 128) + B,
                  "axis 0 of `Block` is {}; it must be `TQ/128 + B`, which is {}",
                  {Block.shape[0], tk::floor_div(TQ, 128) + B}),
         tk::that(1 <= HKV, "`H%HKV` divides by `HKV`, which is {}: it must be at least 1", {HKV}),
         tk::that(tk::floor_mod(H, HKV) == 0, "`attention_varlen` requires `H % HKV == 0`"),
         tk::that(scale > 0.0f, "`attention_varlen` requires `scale > 0`"),
         tk::that(0 < HKV, "`HKV` is at least 1, because `attention_varlen` divides by it")});
    // list_blocks(start_q, start_k, Of, Block)
    call.require({
        tk::that(tk::floor_div(TQ, 128) + B < 2147221504,
                 "`TQ/128 + B` is {}; extents must be less than 2147221504",
                 {tk::floor_div(TQ, 128) + B})});
    // attend(Q, K, V, start_q, start_k, Of, Block, O, LSE, scale, cap)
    call.require({
        tk::that(0 < tk::floor_div(H, HKV),
                 "`H/HKV` is at least 1, because `attend` divides by it"),
        tk::grid_fits(tk::multiply(tk::floor_div(TQ, 128) + B, H), 2147418112),
        tk::that(1 <= tk::floor_div(H, HKV),
                 "`h/(H/HKV)` divides by `H/HKV`, which is {}: it must be at least 1",
                 {tk::floor_div(H, HKV)}),
        tk::fits("m + lk", (tk::ceil_div(TQ, 128) - 1) * 128 + TK),
        tk::fits("m + lk - lq", (tk::ceil_div(TQ, 128) - 1) * 128 + TK - (0 - TQ)),
        tk::that(-2147483648 <= -128 + (0 - TK) - TQ,
                 "`m + lk - lq` reaches {}; it must fit in 32 bits", {-128 + (0 - TK) - TQ}),
        tk::fits("Qb_start + m", TQ + (tk::ceil_div(TQ, 128) - 1) * 128),
        tk::fits("Kb_start + j.start", TK + (TK - 1)),
        tk::fits("Vb_start + (j.start - 128)", TK + (TK - 1 - 128)),
        tk::fits("Vb_start + max(ceil_div(end, 128) - 1, 0)*128",
                 TK + tk::larger(tk::ceil_div(TK, 128) - 1, 0) * 128),
        tk::fits("Kb_start + j.start + 128", TK + (TK - 1) + 128),
        tk::that(-2147483648 <= 0 - TK - (TK + (TK - 1)),
                 "`Kb_end - (Kb_start + j.start)` reaches {}; it must fit in 32 bits",
                 {0 - TK - (TK + (TK - 1))})});
    if (!call.ok()) return tk::finish(call.result());

    // list_blocks(start_q, start_k, Of, Block)
    const bool choice_1 = tk::hold({tk::suits_fast(start_q), tk::suits_fast(start_k)});

    // attend(Q, K, V, start_q, start_k, Of, Block, O, LSE, scale, cap)
    tk::selection choice_2{call};
    choice_2.candidate();  // attend
    choice_2.prefer({tk::suits_fast(Q), tk::suits_fast(K), tk::suits_fast(V), tk::suits_fast(O)});
    choice_2.offer();
    choice_2.candidate(true);  // attend_general
    choice_2.require({tk::suits_tma_load(Q), tk::suits_tma_load(K), tk::suits_tma_load(V)});
    choice_2.offer();
    if (!choice_2.ok()) return tk::finish(choice_2.result());
    const int64_t counter_bytes = 4;
    TK_FINISH_IF_FAILED(tk::check_workspace(workspace, workspace_bytes, counter_bytes));

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1) {
        TK_FINISH_IF_FAILED(
            launch_list_blocks(site, start_q, start_k, Of, Block, tk::floor_div(TQ, 128) + B, B));
    } else {
        TK_FINISH_IF_FAILED(launch_list_blocks_general(
            site, start_q, start_k, Of, Block, tk::floor_div(TQ, 128) + B, B));
    }
    TK_FINISH_IF_FAILED(tk::clear_counters(workspace, counter_bytes, site));
    if (choice_2.best(site) == 0) {
        TK_FINISH_IF_FAILED(
            launch_attend(site, Q, K, V, start_q, start_k, tk::read_only(Of), tk::read_only(Block),
                          O, LSE, TQ, H, HKV, tk::floor_div(TQ, 128) + B, B, scale, workspace));
    }
    if (choice_2.best(site) == 1) {
        TK_FINISH_IF_FAILED(launch_attend_general(
            site, Q, K, V, start_q, start_k, tk::read_only(Of), tk::read_only(Block), O, LSE, TQ, H,
            HKV, tk::floor_div(TQ, 128) + B, B, scale, workspace));
    }
    return tk::finish({});
}
size_t attention_varlen_workspace(
    const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
    const DLTensor* start_q_given, const DLTensor* start_k_given, DLTensor* O_given,
    DLTensor* LSE_given, DLTensor* Of_given, DLTensor* Block_given, float scale, float cap) {
    tk::arguments call{"attention_varlen"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor start_q = call.take("start_q", start_q_given, tk::dtype_i32, 1,
                                         tk::access::read);
    const tk::tensor start_k = call.take("start_k", start_k_given, tk::dtype_i32, 1,
                                         tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 3, tk::access::write);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 2, tk::access::write);
    const tk::tensor Of = call.take("Of", Of_given, tk::dtype_i32, 1, tk::access::write);
    const tk::tensor Block = call.take("Block", Block_given, tk::dtype_i32, 1, tk::access::write);
    if (!call.ok()) return 0;
    return size_t(4);
}
TK_ERROR(attention_varlen)

int attention_varlen_causal(const DLTensor* Q_given, const DLTensor* K_given,
                            const DLTensor* V_given, const DLTensor* start_q_given,
                            const DLTensor* start_k_given, DLTensor* O_given, DLTensor* LSE_given,
                            DLTensor* Of_given, DLTensor* Block_given, float scale, float cap,
                            void* workspace, size_t workspace_bytes, cudaStream_t stream) {
    tk::arguments call{"attention_varlen_causal"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor start_q = call.take("start_q", start_q_given, tk::dtype_i32, 1,
                                         tk::access::read);
    const tk::tensor start_k = call.take("start_k", start_k_given, tk::dtype_i32, 1,
                                         tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 3, tk::access::write);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 2, tk::access::write);
    const tk::tensor Of = call.take("Of", Of_given, tk::dtype_i32, 1, tk::access::write);
    const tk::tensor Block = call.take("Block", Block_given, tk::dtype_i32, 1, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t TQ = Q.shape[0];
    const int64_t H = Q.shape[1];
    const int64_t TK = K.shape[0];
    const int64_t HKV = K.shape[1];
    const int64_t B = start_q.shape[0] - 1;
    call.require({
        tk::fixed_extent(Q, 2, 128), tk::fixed_extent(K, 2, 128), tk::same_extent("TK", K, 0, V, 0),
        tk::same_extent("HKV", K, 1, V, 1), tk::fixed_extent(V, 2, 128),
        tk::same_extent("TQ", Q, 0, O, 0), tk::same_extent("H", Q, 1, O, 1),
        tk::fixed_extent(O, 2, 128), tk::same_extent("H", Q, 1, LSE, 0),
        tk::same_extent("TQ", Q, 0, LSE, 1),
        tk::extents_fit({{"TQ", TQ}, {"H", H}, {"TK", TK}, {"HKV", HKV}}),
        tk::that(0 <= B, "axis 0 of `start_q` is {}; it is `B + 1`, at least 1",
                 {start_q.shape[0]}), tk::extents_fit({{"B", B}}),
        tk::that(start_k.shape[0] == B + 1,
                 "axis 0 of `start_k` is {}; it must be `B + 1`, which is {}",
                 {start_k.shape[0], B + 1}), tk::fits("TQ/128 + B", tk::floor_div(TQ, 128) + B),
        tk::that(Of.shape[0] == tk::floor_div(TQ, 128) + B,
                 "axis 0 of `Of` is {}; it must be `TQ/128 + B`, which is {}",
                 {Of.shape[0], tk::floor_div(TQ, 128) + B}),
        tk::that(Block.shape[0] == tk::floor_div(TQ, 128) + B,
                 "axis 0 of `Block` is {}; it must be `TQ/128 + B`, which is {}",
                 {Block.shape[0], tk::floor_div(TQ, 128) + B}),
        tk::that(1 <= HKV, "`H%HKV` divides by `HKV`, which is {}: it must be at least 1", {HKV}),
        tk::that(tk::floor_mod(H, HKV) == 0, "`attention_varlen_causal` requires `H % HKV == 0`"),
        tk::that(scale > 0.0f, "`attention_varlen_causal` requires `scale > 0`"),
        tk::that(0 < HKV, "`HKV` is at least 1, because `attention_varlen_causal` divides by it")});
    // list_blocks(start_q, start_k, Of, Block)
    call.require({
        tk::that(tk::floor_div(TQ, 128) + B < 2147221504,
                 "`TQ/128 + B` is {}; extents must be less than 2147221504",
                 {tk::floor_div(TQ, 128) + B})});
    // attend(Q, K, V, start_q, start_k, Of, Block, O, LSE, scale, cap)
    call.require({
        tk::that(0 < tk::floor_div(H, HKV),
                 "`H/HKV` is at least 1, because `attend` divides by it"),
        tk::grid_fits(tk::multiply(tk::floor_div(TQ, 128) + B, H), 2147418112),
        tk::that(1 <= tk::floor_div(H, HKV),
                 "`h/(H/HKV)` divides by `H/HKV`, which is {}: it must be at least 1",
                 {tk::floor_div(H, HKV)}),
        tk::fits("m + lk", (tk::ceil_div(TQ, 128) - 1) * 128 + TK),
        tk::fits("m + lk - lq", (tk::ceil_div(TQ, 128) - 1) * 128 + TK - (0 - TQ)),
        tk::that(-2147483648 <= -128 + (0 - TK) - TQ,
                 "`m + lk - lq` reaches {}; it must fit in 32 bits", {-128 + (0 - TK) - TQ}),
        tk::fits("first + 128", (tk::ceil_div(TQ, 128) - 1) * 128 + TK - (0 - TQ) + 128),
        tk::fits("Qb_start + m", TQ + (tk::ceil_div(TQ, 128) - 1) * 128),
        tk::fits("Kb_start + j.start",
                 TK +
                 (tk::larger(
                      tk::smaller((tk::ceil_div(TQ, 128) - 1) * 128 + TK - (0 - TQ) + 128, TK), 0) -
                  1)),
        tk::fits("Vb_start + (j.start - 128)",
                 TK +
                 (tk::larger(
                      tk::smaller((tk::ceil_div(TQ, 128) - 1) * 128 + TK - (0 - TQ) + 128, TK), 0) -
                  1 - 128)),
        tk::fits("Vb_start + max(ceil_div(end, 128) - 1, 0)*128",
                 TK +
                 tk::larger(
                     tk::ceil_div(
                         tk::larger(
                             tk::smaller((tk::ceil_div(TQ, 128) - 1) * 128 + TK - (0 - TQ) + 128,
                                         TK), 0), 128) - 1, 0) * 128),
        tk::fits("first + row_index", (tk::ceil_div(TQ, 128) - 1) * 128 + TK - (0 - TQ) + 262143),
        tk::fits("Kb_start + j.start + 128",
                 TK +
                 (tk::larger(
                      tk::smaller((tk::ceil_div(TQ, 128) - 1) * 128 + TK - (0 - TQ) + 128, TK), 0) -
                  1) + 128),
        tk::that(-2147483648 <=
                 0 - TK -
                 (TK +
                  (tk::larger(
                       tk::smaller((tk::ceil_div(TQ, 128) - 1) * 128 + TK - (0 - TQ) + 128, TK),
                       0) - 1)),
                 "`Kb_end - (Kb_start + j.start)` reaches {}; it must fit in 32 bits",
                 {0 - TK -
                  (TK +
                   (tk::larger(
                        tk::smaller((tk::ceil_div(TQ, 128) - 1) * 128 + TK - (0 - TQ) + 128, TK),
                        0) - 1))})});
    if (!call.ok()) return tk::finish(call.result());

    // list_blocks(start_q, start_k, Of, Block)
    const bool choice_1 = tk::hold({tk::suits_fast(start_q), tk::suits_fast(start_k)});

    // attend(Q, K, V, start_q, start_k, Of, Block, O, LSE, scale, cap)
    tk::selection choice_2{call};
    choice_2.candidate();  // attend_T_bf16_D_128_CAUSAL_true_WINDOW_0_SOFTCAP_false
    choice_2.prefer({tk::suits_fast(Q), tk::suits_fast(K), tk::suits_fast(V), tk::suits_fast(O)});
    choice_2.offer();
    choice_2.candidate(true);  // attend_T_bf16_D_128_CAUSAL_true_WINDOW_0_SOFTCAP_false_general
    choice_2.require({tk::suits_tma_load(Q), tk::suits_tma_load(K), tk::suits_tma_load(V)});
    choice_2.offer();
    if (!choice_2.ok()) return tk::finish(choice_2.result());
    const int64_t counter_bytes = 4;
    TK_FINISH_IF_FAILED(tk::check_workspace(workspace, workspace_bytes, counter_bytes));

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1) {
        TK_FINISH_IF_FAILED(
            launch_list_blocks(site, start_q, start_k, Of, Block, tk::floor_div(TQ, 128) + B, B));
    } else {
        TK_FINISH_IF_FAILED(launch_list_blocks_general(
            site, start_q, start_k, Of, Block, tk::floor_div(TQ, 128) + B, B));
    }
    TK_FINISH_IF_FAILED(tk::clear_counters(workspace, counter_bytes, site));
    if (choice_2.best(site) == 0) {
        TK_FINISH_IF_FAILED(launch_attend_T_bf16_D_128_CAUSAL_true_WINDOW_0_SOFTCAP_false(
            site, Q, K, V, start_q, start_k, tk::read_only(Of), tk::read_only(Block), O, LSE, TQ, H,
            HKV, tk::floor_div(TQ, 128) + B, B, scale, workspace));
    }
    if (choice_2.best(site) == 1) {
        TK_FINISH_IF_FAILED(launch_attend_T_bf16_D_128_CAUSAL_true_WINDOW_0_SOFTCAP_false_general(
            site, Q, K, V, start_q, start_k, tk::read_only(Of), tk::read_only(Block), O, LSE, TQ, H,
            HKV, tk::floor_div(TQ, 128) + B, B, scale, workspace));
    }
    return tk::finish({});
}
size_t attention_varlen_causal_workspace(
    const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
    const DLTensor* start_q_given, const DLTensor* start_k_given, DLTensor* O_given,
    DLTensor* LSE_given, DLTensor* Of_given, DLTensor* Block_given, float scale, float cap) {
    tk::arguments call{"attention_varlen_causal"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor start_q = call.take("start_q", start_q_given, tk::dtype_i32, 1,
                                         tk::access::read);
    const tk::tensor start_k = call.take("start_k", start_k_given, tk::dtype_i32, 1,
                                         tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 3, tk::access::write);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 2, tk::access::write);
    const tk::tensor Of = call.take("Of", Of_given, tk::dtype_i32, 1, tk::access::write);
    const tk::tensor Block = call.take("Block", Block_given, tk::dtype_i32, 1, tk::access::write);
    if (!call.ok()) return 0;
    return size_t(4);
}
TK_ERROR(attention_varlen_causal)
}  // extern "C"
