// Made by tkc from packed_chunks.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/cells.cuh"
#include "tk/operations/integer.cuh"
#include "tk/operations/slice_tile.cuh"
#include "tk/ptx/wgmma_n016.cuh"
#include "tk/ptx/wgmma_n032.cuh"
#include "tk/ptx/wgmma_n064.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/tk.cuh"

// packed_chunks_packed_chunks: kernel packed_chunks.packed_chunks with L = 64.
// 32 threads, 64 registers each.
__global__ void __launch_bounds__(32, 32) packed_chunks_packed_chunks_kernel(
    const tk::tensor_argument<const int, 1> start, const tk::tensor_argument<int, 1> First,
    const tk::tensor_argument<int, 1> Tokens, int P, int S) {
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    // packed_chunks.tk:5: kernel packed_chunks<L: int = 64>(start: i32[P], out First: i32[S], ..
    if (warp == 0) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int b = program;

        // packed_chunks.tk:9: let place   = start[b] // L + b;
        const int place = tk::wrapping_add(tk::divide_down(tk::cell(start, b), 64), b);

        // packed_chunks.tk:10: let room    = start[b + 1] // L + b + 1 - place;
        const int room = tk::wrapping_subtract(
            tk::wrapping_add(tk::wrapping_add(tk::divide_down(tk::cell(start, b + 1), 64), b), 1),
            place);

        // packed_chunks.tk:11: let Firsts  = First[place +: room];
        const int Firsts_end = tk::wrapping_add(place, room);

        // packed_chunks.tk:12: let Counted = Tokens[place +: room];
        const int Counted_end = tk::wrapping_add(place, room);

        // packed_chunks.tk:13: for i in room by 64 {
        for (int i = 0; i < room; i += 64) {
            // packed_chunks.tk:15: store(Firsts[i], first);
            tk::stripe<int, 1, 64, 32, 16, 4> t0;
            tk::map(t0, thread, [&](int, int col) {
                return tk::min(
                    tk::wrapping_add(tk::cell(start, b),
                                     tk::wrapping_multiply(tk::wrapping_add(i, col), 64)),
                    tk::cell(start, b + 1));
            });
            tk::barrier_sync(1, 32);
            tk::store_global(
                tk::clipped(
                    tk::slice(First, {tk::wrapping_add(place, i)}, 1,
                              tk::wrapping_subtract(tk::max(tk::min(Firsts_end, S), 0),
                                                    tk::wrapping_add(place, i))), 0,
                    tk::wrapping_subtract(0, tk::wrapping_add(place, i))), t0, thread);

            // packed_chunks.tk:16: store(Counted[i], min(start[b + 1] - first, L));
            tk::stripe<int, 1, 64, 32, 16, 4> t1;
            tk::map(t1, thread, [&](int, int col) {
                const int x = tk::cell(start, b + 1);
                return tk::min(
                    tk::wrapping_subtract(x,
                                          tk::min(
                                              tk::wrapping_add(tk::cell(start, b),
                                                               tk::wrapping_multiply(
                                                                   tk::wrapping_add(i, col), 64)),
                                              x)), 64);
            });
            tk::store_global(
                tk::clipped(
                    tk::slice(Tokens, {tk::wrapping_add(place, i)}, 1,
                              tk::wrapping_subtract(tk::max(tk::min(Counted_end, S), 0),
                                                    tk::wrapping_add(place, i))), 0,
                    tk::wrapping_subtract(0, tk::wrapping_add(place, i))), t1, thread);
        }
    }
}

// gated_delta_gates_T_f32_PACKED_true_ROUND_64: kernel gated_delta.gates with T = f32, PACKED =
// true, ROUND = 64, L = 64, BH = 32.
// 128 threads, 168 registers each, 9216 bytes of shared memory.
struct gated_delta_gates_T_f32_PACKED_true_ROUND_64_shared {
    tk::shared_tile<int, 1, 2112> gates_turned[1];
};

__global__ void __launch_bounds__(128, 3) gated_delta_gates_T_f32_PACKED_true_ROUND_64_kernel(
    const tk::tensor_argument<const float, 3> Gate, const tk::tensor_argument<const float, 3> Beta,
    const tk::tensor_argument<const int, 1> start, const tk::tensor_argument<float, 3> G,
    const tk::tensor_argument<float, 3> W, const tk::tensor_argument<float, 3> C, int B, int N,
    int H, int P, int R) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gated_delta_gates_T_f32_PACKED_true_ROUND_64_shared& shared =
        *reinterpret_cast<gated_delta_gates_T_f32_PACKED_true_ROUND_64_shared*>(memory);

    tk::wait_for_previous_kernel();

    const int h_tiles = tk::tiles(H, 32);
    const int t_tiles = tk::tiles(R, 64);

    // gated_delta.tk:38: kernel gates<T: dtype = f32, PACKED: bool = false, ROUND: int = 128, L: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int h = program % h_tiles * 32;
    const int t = program / h_tiles % t_tiles * 64;
    const int b = program / (h_tiles * t_tiles);

    // gated_delta.tk:46: var count: i32[1, 1] = 0;
    tk::stripe<int, 1, 1, 128, 32, 4> count;
    tk::map(count, []() { return 0; });

    // gated_delta.tk:47: for i in P by 128 {
    for (int i = 0; i < P; i += 128) {
        // gated_delta.tk:48: let from = (load(start[i]) // ROUND + i.start + range(128)) * ROUND;
        tk::stripe<int, 1, 128, 128, 32, 4> t0;
        tk::load_vectors(t0, tk::dense_slice(start, {i}, 1, P - i), thread);

        // gated_delta.tk:49: count += sum(pad(where(from <= t.start, 1, 0), axis = 1, with = 0), ..
        tk::stripe<int, 1, 128, 128, 32, 4> t1;
        tk::map(t1, thread, [&](int, int col, int t0) {
            return col < P - i
                ? (tk::wrapping_multiply(
                       tk::wrapping_add(tk::wrapping_add(tk::divide_down(t0, 64), i), col), 64) <= t
                   ? 1 : 0) : 0;
        }, t0);
        tk::stripe<int, 1, 1, 128, 32, 4> t2;
        tk::fold_rows(t2, t1, tk::plus{}, thread);
        tk::finish_rows(t2, tk::plus{});
        tk::map(count, [](int count, int t2) { return tk::wrapping_add(count, t2); }, count, t2);
    }

    // gated_delta.tk:51: let s      = max(min(scalar(count) - 1, P - 2), 0);
    const int number = count.cell(0);
    const int s = tk::max(tk::min(tk::wrapping_subtract(number, 1), P - 2), 0);

    // gated_delta.tk:52: let at     = t.start - (start[s] // ROUND + s) * ROUND;
    const int at = tk::wrapping_subtract(t, tk::wrapping_multiply(
        tk::wrapping_add(tk::divide_down(s < P ? tk::dense_cell(start, s) : int{}, 64), s), 64));

    // gated_delta.tk:53: let tokens = start[s + 1] - start[s];
    const int tokens = tk::wrapping_subtract(s + 1 < P ? tk::dense_cell(start, s + 1) : int{},
                                             s < P ? tk::dense_cell(start, s) : int{});

    // gated_delta.tk:54: let Gates  = Gate[0, start[s] +: tokens];
    const int Gates_start = s < P ? tk::dense_cell(start, s) : int{};
    const int Gates_end = tk::wrapping_add(s < P ? tk::dense_cell(start, s) : int{}, tokens);

    // gated_delta.tk:55: let Betas  = Beta[0, start[s] +: tokens];
    const int Betas_start = s < P ? tk::dense_cell(start, s) : int{};
    const int Betas_end = tk::wrapping_add(s < P ? tk::dense_cell(start, s) : int{}, tokens);

    // gated_delta.tk:56: let a = (f32(load(Gates[at +: L, h])) * LOG2E).T;
    tk::stripe<float, 64, 32, 128, 32, 4> t3;
    tk::load_vectors(t3,
                     tk::clipped(
                         tk::dense_slice(Gate, {0, tk::wrapping_add(Gates_start, at), h},
                                         B > 0
                                         ? tk::wrapping_subtract(tk::max(tk::min(Gates_end, N), 0),
                                                                 tk::wrapping_add(Gates_start, at))
                                         : 0, H - h),
                         tk::wrapping_subtract(0, tk::wrapping_add(Gates_start, at)), 0), thread);
    tk::stripe<float, 64, 32, 128, 32, 4> t4;
    tk::map(t4, [](float t3) { return t3 * 1.442695f; }, t3);
    tk::stripe<float, 32, 64, 128, 32, 4> a;
    tk::transpose(a, t4, shared.gates_turned[0], thread, 1);

    // gated_delta.tk:57: let g = cumsum(a, axis = 1);
    tk::stripe<float, 32, 64, 128, 32, 4> g;
    tk::running_sums(g, a, thread);

    // gated_delta.tk:58: store(G[b, h, t], g);
    tk::store_vectors(tk::vector_slice(G, {b, h, t}, H - h, R - t), g, thread);

    // gated_delta.tk:59: store(W[b, h, t], exp2(sum(a, axis = 1) - g));
    tk::stripe<float, 32, 1, 128, 32, 4> t7;
    tk::fold_rows(t7, a, tk::plus{}, thread);
    tk::finish_rows(t7, tk::plus{});
    tk::stripe<float, 32, 64, 128, 32, 4> t8;
    tk::map(t8, [](float t7, float g) { return tk::exp2(t7 - g); }, t7, g);
    tk::store_vectors(tk::vector_slice(W, {b, h, t}, H - h, R - t), t8, thread);

    // gated_delta.tk:60: store(C[b, h, t], f32(load(Betas[at +: L, h])).T);
    tk::stripe<float, 64, 32, 128, 32, 4> t9;
    tk::load_vectors(t9,
                     tk::clipped(
                         tk::dense_slice(Beta, {0, tk::wrapping_add(Betas_start, at), h},
                                         B > 0
                                         ? tk::wrapping_subtract(tk::max(tk::min(Betas_end, N), 0),
                                                                 tk::wrapping_add(Betas_start, at))
                                         : 0, H - h),
                         tk::wrapping_subtract(0, tk::wrapping_add(Betas_start, at)), 0), thread);
    tk::stripe<float, 32, 64, 128, 32, 4> t10;
    tk::transpose(t10, t9, shared.gates_turned[0], thread, 1);
    tk::store_vectors(tk::vector_slice(C, {b, h, t}, H - h, R - t), t10, thread);
}

// gated_delta_gates_T_f32_PACKED_true_ROUND_64_general: kernel gated_delta.gates with T = f32,
// PACKED = true, ROUND = 64, L = 64, BH = 32; any strides and alignment.
// 128 threads, 255 registers each, 9216 bytes of shared memory.
struct gated_delta_gates_T_f32_PACKED_true_ROUND_64_general_shared {
    tk::shared_tile<int, 1, 2112> gates_turned[1];
};

__global__ void __launch_bounds__(128, 1) gated_delta_gates_T_f32_PACKED_true_ROUND_64_general_kernel(
    const tk::tensor_argument<const float, 3> Gate, const tk::tensor_argument<const float, 3> Beta,
    const tk::tensor_argument<const int, 1> start, const tk::tensor_argument<float, 3> G,
    const tk::tensor_argument<float, 3> W, const tk::tensor_argument<float, 3> C, int B, int N,
    int H, int P, int R) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gated_delta_gates_T_f32_PACKED_true_ROUND_64_general_shared& shared =
        *reinterpret_cast<gated_delta_gates_T_f32_PACKED_true_ROUND_64_general_shared*>(memory);

    tk::wait_for_previous_kernel();

    const int h_tiles = tk::tiles(H, 32);
    const int t_tiles = tk::tiles(R, 64);

    // gated_delta.tk:38: kernel gates<T: dtype = f32, PACKED: bool = false, ROUND: int = 128, L: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int h = program % h_tiles * 32;
    const int t = program / h_tiles % t_tiles * 64;
    const int b = program / (h_tiles * t_tiles);

    // gated_delta.tk:46: var count: i32[1, 1] = 0;
    tk::stripe<int, 1, 1, 128, 32, 4> count;
    tk::map(count, []() { return 0; });

    // gated_delta.tk:47: for i in P by 128 {
    for (int i = 0; i < P; i += 128) {
        // gated_delta.tk:48: let from = (load(start[i]) // ROUND + i.start + range(128)) * ROUND;
        tk::stripe<int, 1, 128, 128, 32, 4> t0;
        tk::load_global(t0, tk::slice(start, {i}, 1, P - i), thread);

        // gated_delta.tk:49: count += sum(pad(where(from <= t.start, 1, 0), axis = 1, with = 0), ..
        tk::stripe<int, 1, 128, 128, 32, 4> t1;
        tk::map(t1, thread, [&](int, int col, int t0) {
            return col < P - i
                ? (tk::wrapping_multiply(
                       tk::wrapping_add(tk::wrapping_add(tk::divide_down(t0, 64), i), col), 64) <= t
                   ? 1 : 0) : 0;
        }, t0);
        tk::stripe<int, 1, 1, 128, 32, 4> t2;
        tk::fold_rows(t2, t1, tk::plus{}, thread);
        tk::finish_rows(t2, tk::plus{});
        tk::map(count, [](int count, int t2) { return tk::wrapping_add(count, t2); }, count, t2);
    }

    // gated_delta.tk:51: let s      = max(min(scalar(count) - 1, P - 2), 0);
    const int number = count.cell(0);
    const int s = tk::max(tk::min(tk::wrapping_subtract(number, 1), P - 2), 0);

    // gated_delta.tk:52: let at     = t.start - (start[s] // ROUND + s) * ROUND;
    const int at = tk::wrapping_subtract(t, tk::wrapping_multiply(
        tk::wrapping_add(tk::divide_down(s < P ? tk::cell(start, s) : int{}, 64), s), 64));

    // gated_delta.tk:53: let tokens = start[s + 1] - start[s];
    const int tokens = tk::wrapping_subtract(s + 1 < P ? tk::cell(start, s + 1) : int{},
                                             s < P ? tk::cell(start, s) : int{});

    // gated_delta.tk:54: let Gates  = Gate[0, start[s] +: tokens];
    const int Gates_start = s < P ? tk::cell(start, s) : int{};
    const int Gates_end = tk::wrapping_add(s < P ? tk::cell(start, s) : int{}, tokens);

    // gated_delta.tk:55: let Betas  = Beta[0, start[s] +: tokens];
    const int Betas_start = s < P ? tk::cell(start, s) : int{};
    const int Betas_end = tk::wrapping_add(s < P ? tk::cell(start, s) : int{}, tokens);

    // gated_delta.tk:56: let a = (f32(load(Gates[at +: L, h])) * LOG2E).T;
    tk::stripe<float, 64, 32, 128, 32, 4> t3;
    tk::load_global(t3,
                    tk::clipped(
                        tk::slice(Gate, {0, tk::wrapping_add(Gates_start, at), h},
                                  B > 0
                                  ? tk::wrapping_subtract(tk::max(tk::min(Gates_end, N), 0),
                                                          tk::wrapping_add(Gates_start, at)) : 0,
                                  H - h),
                        tk::wrapping_subtract(0, tk::wrapping_add(Gates_start, at)), 0), thread);
    tk::stripe<float, 64, 32, 128, 32, 4> t4;
    tk::map(t4, [](float t3) { return t3 * 1.442695f; }, t3);
    tk::stripe<float, 32, 64, 128, 32, 4> a;
    tk::transpose(a, t4, shared.gates_turned[0], thread, 1);

    // gated_delta.tk:57: let g = cumsum(a, axis = 1);
    tk::stripe<float, 32, 64, 128, 32, 4> g;
    tk::running_sums(g, a, thread);

    // gated_delta.tk:58: store(G[b, h, t], g);
    tk::store_global(tk::slice(G, {b, h, t}, H - h, R - t), g, thread);

    // gated_delta.tk:59: store(W[b, h, t], exp2(sum(a, axis = 1) - g));
    tk::stripe<float, 32, 1, 128, 32, 4> t7;
    tk::fold_rows(t7, a, tk::plus{}, thread);
    tk::finish_rows(t7, tk::plus{});
    tk::stripe<float, 32, 64, 128, 32, 4> t8;
    tk::map(t8, [](float t7, float g) { return tk::exp2(t7 - g); }, t7, g);
    tk::store_global(tk::slice(W, {b, h, t}, H - h, R - t), t8, thread);

    // gated_delta.tk:60: store(C[b, h, t], f32(load(Betas[at +: L, h])).T);
    tk::stripe<float, 64, 32, 128, 32, 4> t9;
    tk::load_global(t9,
                    tk::clipped(
                        tk::slice(Beta, {0, tk::wrapping_add(Betas_start, at), h},
                                  B > 0
                                  ? tk::wrapping_subtract(tk::max(tk::min(Betas_end, N), 0),
                                                          tk::wrapping_add(Betas_start, at)) : 0,
                                  H - h),
                        tk::wrapping_subtract(0, tk::wrapping_add(Betas_start, at)), 0), thread);
    tk::stripe<float, 32, 64, 128, 32, 4> t10;
    tk::transpose(t10, t9, shared.gates_turned[0], thread, 1);
    tk::store_global(tk::slice(C, {b, h, t}, H - h, R - t), t10, thread);
}

// gated_delta_segments_inverses_T_bf16_DK_128_PACKED_true: kernel gated_delta_segments.inverses
// with T = bf16, DK = 128, PACKED = true, L = 64.
// producer: 1 warp, 32 registers a thread; inverse: 3 warpgroups that alternate, 160 registers a
// thread.
// 512 threads, 128 registers each at first, 226496 bytes of shared memory; persistent.
struct gated_delta_segments_inverses_T_bf16_DK_128_PACKED_true_shared {
    tk::shared_tile<tk::bf16, 64, 128> ks_tile[6];
    tk::shared_tile<float, 1, 64> ms_g[6];
    tk::shared_tile<float, 64, 1> ms_gc[6];
    tk::shared_tile<float, 64, 1> ms_bc[6];
    tk::shared_tile<tk::f16, 64, 64> inverse_t3[3];
    tk::shared_tile<tk::f16, 64, 64> inverse_t5[3];
    tk::shared_tile<tk::f16, 64, 64> inverse_r0[3];
    tk::shared_tile<tk::f16, 64, 64> inverse_r1[3];
    tk::shared_tile<tk::bf16, 64, 64> inverse_Inverse[3];
    tk::pipeline<6> ks;
    tk::pipeline<6> ms;
};
static_assert(offsetof(gated_delta_segments_inverses_T_bf16_DK_128_PACKED_true_shared, ms) ==
              226400);

__global__ void __launch_bounds__(512, 1) gated_delta_segments_inverses_T_bf16_DK_128_PACKED_true_kernel(
    const __grid_constant__ CUtensorMap K_map, const __grid_constant__ CUtensorMap G_map,
    const __grid_constant__ CUtensorMap C_map, const __grid_constant__ CUtensorMap Inverse_map,
    const tk::tensor_argument<const int, 1> First, const tk::tensor_argument<const int, 1> Tokens,
    int B, int H, int R, int S) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gated_delta_segments_inverses_T_bf16_DK_128_PACKED_true_shared& shared =
        *reinterpret_cast<gated_delta_segments_inverses_T_bf16_DK_128_PACKED_true_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(K_map, G_map, C_map, Inverse_map);
        shared.ks.init(1, 4);
        shared.ms.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 12) {
        // gated_delta_segments.tk:25: role producer(1 warp) {
        tk::registers_at_most<32>();
        const int h_tiles = tk::tiles(H, 2);
        const int t_tiles = tk::tiles(R, 64);
        const int programs = h_tiles * t_tiles * B;
        if (warp == 12 && tk::elect_one()) {
            tk::cursor<6> ks_next, ms_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int h = program % h_tiles * 2;
                const int t = program / h_tiles % t_tiles * 64;
                const int b = program / (h_tiles * t_tiles);

                // gated_delta_segments.tk:20: let count = if PACKED { Tokens[t.index] } else { L };
                const int count = tk::cell(Tokens, t / 64);

                // gated_delta_segments.tk:21: let Kt = K[0, (if PACKED { First[t.index] } else { ..
                const int Kt_start = tk::cell(First, t / 64);
                const int Kt_end = tk::wrapping_add(tk::cell(First, t / 64), count);
                const int Gt_end = tk::wrapping_add(t, count);
                const int Ct_end = tk::wrapping_add(t, count);

                // gated_delta_segments.tk:26: for i in 2 {
                #pragma unroll 1
                for (int i = 0; i < 2; i += 1) {
                    // gated_delta_segments.tk:27: if PACKED { produce ks = tma_load(Kt[0 +: L, ..
                    shared.ks.begin(ks_next, 16384);
                    tk::tma_load(shared.ks_tile[ks_next.stage], K_map,
                                 shared.ks.full[ks_next.stage], 0, Kt_start, h + i, 0);
                    ks_next.advance();

                    // gated_delta_segments.tk:28: produce ms {
                    shared.ms.begin(ms_next, 768);

                    // gated_delta_segments.tk:29: g = tma_load(Gt[h.start + i, 0 +: L]); gc = ..
                    tk::tma_load(shared.ms_g[ms_next.stage], G_map, shared.ms.full[ms_next.stage],
                                 b, h + i, t);
                    tk::tma_load(shared.ms_gc[ms_next.stage], G_map, shared.ms.full[ms_next.stage],
                                 b, h + i, t);

                    // gated_delta_segments.tk:30: bc = column(tma_load(Ct[h.start + i, 0 +: L]));
                    tk::tma_load(shared.ms_bc[ms_next.stage], C_map, shared.ms.full[ms_next.stage],
                                 b, h + i, t);
                    // gated_delta_segments.tk:28
                    ms_next.advance();
                }
            }
        }
    } else {
        // gated_delta_segments.tk:34: role inverse(3 warpgroups) alternate {
        tk::registers_at_least<160>();
        const int h_tiles = tk::tiles(H, 2);
        const int t_tiles = tk::tiles(R, 64);
        const int programs = h_tiles * t_tiles * B;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<6> ks_next, ms_next;
        // Warpgroup 0 has the first turn.
        if (warpgroup == 2) tk::barrier_arrive(4, 256);
        const int ks_taken = 2;
        ks_next.skip(warpgroup * ks_taken);
        const int ms_taken = 2;
        ms_next.skip(warpgroup * ms_taken);
        for (int program = blockIdx.x + warpgroup * gridDim.x; program < programs;
             program += 3 * gridDim.x) {
            const int h = program % h_tiles * 2;
            const int t = program / h_tiles % t_tiles * 64;
            const int b = program / (h_tiles * t_tiles);

            // gated_delta_segments.tk:20: let count = if PACKED { Tokens[t.index] } else { L };
            const int count = tk::cell(Tokens, t / 64);

            // gated_delta_segments.tk:21: let Kt = K[0, (if PACKED { First[t.index] } else { 0 ..
            const int Kt_start = tk::cell(First, t / 64);
            const int Kt_end = tk::wrapping_add(tk::cell(First, t / 64), count);

            // gated_delta_segments.tk:35: let k0 = consume ks;
            tk::barrier_sync(4 + warpgroup, 256);
            const tk::cursor<6> k0_element = shared.ks.take(ks_next);

            // gated_delta_segments.tk:36: let p0 = mma(k0, k0.T);
            tk::fragment<float, 64, 64> p0;
            tk::mma_async(p0, shared.ks_tile[k0_element.stage],
                          tk::transposed(shared.ks_tile[k0_element.stage]), tk::accumulate_never{});

            // gated_delta_segments.tk:37: let k1 = consume ks;
            const tk::cursor<6> k1_element = shared.ks.take(ks_next);

            // gated_delta_segments.tk:38: let p1 = mma(k1, k1.T);
            tk::fragment<float, 64, 64> p1;
            tk::mma_async(p1, shared.ks_tile[k1_element.stage],
                          tk::transposed(shared.ks_tile[k1_element.stage]), tk::accumulate_never{});

            // gated_delta_segments.tk:39: let a0 = consume ms;
            const tk::cursor<6> a0 = shared.ms.take(ms_next);

            // gated_delta_segments.tk:41: let a1 = consume ms;
            const tk::cursor<6> a1 = shared.ms.take(ms_next);
            tk::barrier_arrive(4 + (warpgroup + 1) % 3, 256);
            tk::mma_wait<1>(p0);
            shared.ks.release(k0_element);

            // <std.triangular>:55: return rounded_inverses(shared(f16(m0)), shared(f16(m1)));
            tk::column_fragment<float, 64> t0;
            tk::map(t0, thread, [&](int row, int) {
                return tk::get(shared.ms_gc[a0.stage], row, 0);
            });
            tk::row_fragment<float, 64> t1;
            tk::load_shared(t1, shared.ms_g[a0.stage], thread);
            tk::column_fragment<float, 64> t10;
            tk::map(t10, thread, [&](int row, int) {
                return tk::get(shared.ms_bc[a0.stage], row, 0);
            });
            shared.ms.release_after_loads(a0);
            tk::fragment<tk::f16, 64, 64> t2;
            tk::map(t2, thread, [&](int row, int col, float p0, float t0, float t1, float t10) {
                const int x = tk::wrapping_subtract(Kt_end, Kt_start);
                return col < x
                    ? (row < x
                       ? (row > col ? p0 * tk::exp2(row >= col ? t0 - t1 : -INFINITY) * t10 : 0.0f)
                       : 0.0f) : 0.0f;
            }, p0, t0, t1, t10);
            tk::barrier_sync(1 + warpgroup, 128);
            tk::store_shared(shared.inverse_t3[warpgroup], t2, thread);
            tk::fence_async();
            tk::barrier_sync(1 + warpgroup, 128);
            tk::mma_wait<0>(p1);
            shared.ks.release(k1_element);
            tk::column_fragment<float, 64> t13;
            tk::map(t13, thread, [&](int row, int) {
                return tk::get(shared.ms_gc[a1.stage], row, 0);
            });
            tk::row_fragment<float, 64> t16;
            tk::load_shared(t16, shared.ms_g[a1.stage], thread);
            tk::column_fragment<float, 64> t19;
            tk::map(t19, thread, [&](int row, int) {
                return tk::get(shared.ms_bc[a1.stage], row, 0);
            });
            shared.ms.release_after_loads(a1);
            tk::fragment<tk::f16, 64, 64> t4;
            tk::map(t4, thread, [&](int row, int col, float p1, float t13, float t16, float t19) {
                const int x = tk::wrapping_subtract(Kt_end, Kt_start);
                return col < x
                    ? (row < x
                       ? (row > col ? p1 * tk::exp2(row >= col ? t13 - t16 : -INFINITY) * t19
                          : 0.0f) : 0.0f) : 0.0f;
            }, p1, t13, t16, t19);
            tk::barrier_sync(1 + warpgroup, 128);
            tk::store_shared(shared.inverse_t5[warpgroup], t4, thread);
            tk::fence_async();
            tk::barrier_sync(1 + warpgroup, 128);

            // <std.triangular>:60: var like: f32[64, 16] = 0;
            tk::fragment<float, 64, 16> like;
            tk::zero(like);

            // <std.triangular>:63: shared r0: f16[64, 64] = 0;
            tk::fragment<tk::f16, 64, 64> t6;
            tk::map(t6, []() { return tk::f16(0.0f); });
            tk::barrier_sync(1 + warpgroup, 128);
            tk::store_shared(shared.inverse_r0[warpgroup], t6, thread);
            tk::fence_async();
            tk::barrier_sync(1 + warpgroup, 128);

            // <std.triangular>:64: shared r1: f16[64, 64] = 0;
            tk::fragment<tk::f16, 64, 64> t7;
            tk::map(t7, []() { return tk::f16(0.0f); });
            tk::barrier_sync(1 + warpgroup, 128);
            tk::store_shared(shared.inverse_r1[warpgroup], t7, thread);
            tk::fence_async();
            tk::barrier_sync(1 + warpgroup, 128);

            // <std.triangular>:65: var v0 = inverses_of_pairs(f32(s0));
            tk::fragment<tk::f16, 64, 64> t22;
            tk::load_shared(t22, shared.inverse_t3[warpgroup], thread);
            tk::fragment<float, 64, 64> v0;
            tk::map(v0, thread, [](int row, int col, tk::f16 t22) {
                return row == col ? 1.0f : row >> 1 == col >> 1 ? -float(t22) : 0.0f;
            }, t22);

            // <std.triangular>:66: var v1 = inverses_of_pairs(f32(s1));
            tk::fragment<tk::f16, 64, 64> t25;
            tk::load_shared(t25, shared.inverse_t5[warpgroup], thread);
            tk::fragment<float, 64, 64> v1;
            tk::map(v1, thread, [](int row, int col, tk::f16 t25) {
                return row == col ? 1.0f : row >> 1 == col >> 1 ? -float(t25) : 0.0f;
            }, t25);

            // <std.triangular>:67: for b in 1..4 {
            for (int b_2 = 1; b_2 < 4; b_2 += 1) {
                // <std.triangular>:69: let h0 = f16(v0);
                tk::fragment<tk::f16, 64, 64> h0 = tk::convert<tk::f16>(v0);

                // <std.triangular>:18: return { a = mma(h[:, 0 +: 16], m[0 +: 16, 0 +: 16]), b = ..
                tk::fragment<tk::f16, 64, 16> t8;
                tk::slice_registers<0, 0>(t8, h0);
                tk::fragment<float, 64, 16> x0_a;
                tk::mma_async(x0_a, t8, tk::part<0, 0, 16, 16>(shared.inverse_t3[warpgroup]),
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 16> t11;
                tk::slice_registers<0, 4>(t11, h0);
                tk::fragment<float, 64, 16> x0_b;
                tk::mma_async(x0_b, t11, tk::part<16, 16, 16, 16>(shared.inverse_t3[warpgroup]),
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 16> t14;
                tk::slice_registers<0, 8>(t14, h0);
                tk::fragment<float, 64, 16> x0_c;
                tk::mma_async(x0_c, t14, tk::part<32, 32, 16, 16>(shared.inverse_t3[warpgroup]),
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 16> t17;
                tk::slice_registers<0, 12>(t17, h0);
                tk::fragment<float, 64, 16> x0_d;
                tk::mma_async(x0_d, t17, tk::part<48, 48, 16, 16>(shared.inverse_t3[warpgroup]),
                              tk::accumulate_never{});

                // <std.triangular>:71: r0 = h0;
                tk::barrier_sync(1 + warpgroup, 128);
                tk::store_shared(shared.inverse_r0[warpgroup], h0, thread);
                tk::fence_async();
                tk::barrier_sync(1 + warpgroup, 128);
                tk::mma_wait<3>(x0_a, t8);

                // <std.triangular>:72: let w0 = negated(x0, inside);
                tk::fragment<tk::f16, 64, 16> w0_a;
                tk::map(w0_a, thread, [&](int row, int col, float x0_a) {
                    const int x = (row & 15) >> (b_2 & 31);
                    return ((x & 1) == 1 ? x - 1 : -1) == col >> (b_2 & 31) ? -x0_a : 0.0f;
                }, x0_a);
                tk::hold_waits(warp);
                tk::mma_wait<2>(x0_b, t11);
                tk::fragment<tk::f16, 64, 16> w0_b;
                tk::map(w0_b, thread, [&](int row, int col, float x0_b) {
                    const int x = (row & 15) >> (b_2 & 31);
                    return ((x & 1) == 1 ? x - 1 : -1) == col >> (b_2 & 31) ? -x0_b : 0.0f;
                }, x0_b);
                tk::hold_waits(warp);
                tk::mma_wait<1>(x0_c, t14);
                tk::fragment<tk::f16, 64, 16> w0_c;
                tk::map(w0_c, thread, [&](int row, int col, float x0_c) {
                    const int x = (row & 15) >> (b_2 & 31);
                    return ((x & 1) == 1 ? x - 1 : -1) == col >> (b_2 & 31) ? -x0_c : 0.0f;
                }, x0_c);
                tk::hold_waits(warp);
                tk::mma_wait<0>(x0_d, t17);
                tk::fragment<tk::f16, 64, 16> w0_d;
                tk::map(w0_d, thread, [&](int row, int col, float x0_d) {
                    const int x = (row & 15) >> (b_2 & 31);
                    return ((x & 1) == 1 ? x - 1 : -1) == col >> (b_2 & 31) ? -x0_d : 0.0f;
                }, x0_d);

                // <std.triangular>:73: let h1 = f16(v1);
                tk::fragment<tk::f16, 64, 64> h1 = tk::convert<tk::f16>(v1);
                // <std.triangular>:18
                tk::fragment<tk::f16, 64, 16> t20;
                tk::slice_registers<0, 0>(t20, h1);
                tk::fragment<float, 64, 16> x1_a;
                tk::mma_async(x1_a, t20, tk::part<0, 0, 16, 16>(shared.inverse_t5[warpgroup]),
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 16> t23;
                tk::slice_registers<0, 4>(t23, h1);
                tk::fragment<float, 64, 16> x1_b;
                tk::mma_async(x1_b, t23, tk::part<16, 16, 16, 16>(shared.inverse_t5[warpgroup]),
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 16> t26;
                tk::slice_registers<0, 8>(t26, h1);
                tk::fragment<float, 64, 16> x1_c;
                tk::mma_async(x1_c, t26, tk::part<32, 32, 16, 16>(shared.inverse_t5[warpgroup]),
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 16> t29;
                tk::slice_registers<0, 12>(t29, h1);
                tk::fragment<float, 64, 16> x1_d;
                tk::mma_async(x1_d, t29, tk::part<48, 48, 16, 16>(shared.inverse_t5[warpgroup]),
                              tk::accumulate_never{});

                // <std.triangular>:26: v += mma(x.a, h[0 +: 16, :]);
                tk::mma_async(v0, w0_a, tk::part<0, 0, 16, 64>(shared.inverse_r0[warpgroup]));

                // <std.triangular>:27: v += mma(x.b, h[16 +: 16, :]);
                tk::mma_async(v0, w0_b, tk::part<16, 0, 16, 64>(shared.inverse_r0[warpgroup]));

                // <std.triangular>:28: v += mma(x.c, h[32 +: 16, :]);
                tk::mma_async(v0, w0_c, tk::part<32, 0, 16, 64>(shared.inverse_r0[warpgroup]));

                // <std.triangular>:29: v += mma(x.d, h[48 +: 16, :]);
                tk::mma_async(v0, w0_d, tk::part<48, 0, 16, 64>(shared.inverse_r0[warpgroup]));

                // <std.triangular>:76: r1 = h1;
                tk::barrier_sync(1 + warpgroup, 128);
                tk::store_shared(shared.inverse_r1[warpgroup], h1, thread);
                tk::fence_async();
                tk::barrier_sync(1 + warpgroup, 128);
                tk::mma_wait<7>(x1_a, t20);
                // <std.triangular>:26
                tk::fragment<tk::f16, 64, 16> t36;
                tk::map(t36, thread, [&](int row, int col, float x1_a) {
                    const int x = (row & 15) >> (b_2 & 31);
                    return ((x & 1) == 1 ? x - 1 : -1) == col >> (b_2 & 31) ? -x1_a : 0.0f;
                }, x1_a);
                tk::mma_async(v1, t36, tk::part<0, 0, 16, 64>(shared.inverse_r1[warpgroup]));
                tk::mma_wait<7>(x1_b, t23);
                // <std.triangular>:27
                tk::fragment<tk::f16, 64, 16> t38;
                tk::map(t38, thread, [&](int row, int col, float x1_b) {
                    const int x = (row & 15) >> (b_2 & 31);
                    return ((x & 1) == 1 ? x - 1 : -1) == col >> (b_2 & 31) ? -x1_b : 0.0f;
                }, x1_b);
                tk::mma_async(v1, t38, tk::part<16, 0, 16, 64>(shared.inverse_r1[warpgroup]));
                tk::mma_wait<7>(x1_c, t26);
                // <std.triangular>:28
                tk::fragment<tk::f16, 64, 16> t40;
                tk::map(t40, thread, [&](int row, int col, float x1_c) {
                    const int x = (row & 15) >> (b_2 & 31);
                    return ((x & 1) == 1 ? x - 1 : -1) == col >> (b_2 & 31) ? -x1_c : 0.0f;
                }, x1_c);
                tk::mma_async(v1, t40, tk::part<32, 0, 16, 64>(shared.inverse_r1[warpgroup]));
                tk::mma_wait<7>(x1_d, t29);
                // <std.triangular>:29
                tk::fragment<tk::f16, 64, 16> t42;
                tk::map(t42, thread, [&](int row, int col, float x1_d) {
                    const int x = (row & 15) >> (b_2 & 31);
                    return ((x & 1) == 1 ? x - 1 : -1) == col >> (b_2 & 31) ? -x1_d : 0.0f;
                }, x1_d);
                tk::mma_async(v1, t42, tk::part<48, 0, 16, 64>(shared.inverse_r1[warpgroup]));
                tk::mma_wait<0>(v0, v1, w0_a, w0_b, w0_c, w0_d, t36, t38, t40, t42);
            }

            // <std.triangular>:79: let h0 = f16(v0);
            tk::fragment<tk::f16, 64, 64> h0_2 = tk::convert<tk::f16>(v0);

            // <std.triangular>:36: return { a = mma(h[:, 16 +: 16], m[16 +: 16, 0 +: 16]), b = ..
            tk::fragment<tk::f16, 64, 16> t44;
            tk::slice_registers<0, 4>(t44, h0_2);
            tk::fragment<float, 64, 16> y0_a;
            tk::mma_async(y0_a, t44, tk::part<16, 0, 16, 16>(shared.inverse_t3[warpgroup]),
                          tk::accumulate_never{});
            tk::fragment<tk::f16, 64, 16> t47;
            tk::slice_registers<0, 12>(t47, h0_2);
            tk::fragment<float, 64, 16> y0_b;
            tk::mma_async(y0_b, t47, tk::part<48, 32, 16, 16>(shared.inverse_t3[warpgroup]),
                          tk::accumulate_never{});

            // <std.triangular>:81: r0 = h0;
            tk::barrier_sync(1 + warpgroup, 128);
            tk::store_shared(shared.inverse_r0[warpgroup], h0_2, thread);
            tk::fence_async();
            tk::barrier_sync(1 + warpgroup, 128);

            // <std.triangular>:82: let h1 = f16(v1);
            tk::fragment<tk::f16, 64, 64> h1_2 = tk::convert<tk::f16>(v1);
            // <std.triangular>:36
            tk::fragment<tk::f16, 64, 16> t50;
            tk::slice_registers<0, 4>(t50, h1_2);
            tk::fragment<float, 64, 16> y1_a;
            tk::mma_async(y1_a, t50, tk::part<16, 0, 16, 16>(shared.inverse_t5[warpgroup]),
                          tk::accumulate_never{});
            tk::fragment<tk::f16, 64, 16> t53;
            tk::slice_registers<0, 12>(t53, h1_2);
            tk::fragment<float, 64, 16> y1_b;
            tk::mma_async(y1_b, t53, tk::part<48, 32, 16, 16>(shared.inverse_t5[warpgroup]),
                          tk::accumulate_never{});
            tk::mma_wait<3>(y0_a, t44);

            // <std.triangular>:39: v += mma(f16(-x.a), h[0 +: 16, :]);
            tk::fragment<tk::f16, 64, 16> t56;
            tk::map(t56, [](float y0_a) { return -y0_a; }, y0_a);
            tk::mma_async(v0, t56, tk::part<0, 0, 16, 64>(shared.inverse_r0[warpgroup]));
            tk::mma_wait<3>(y0_b, t47);

            // <std.triangular>:40: v += mma(f16(-x.b), h[32 +: 16, :]);
            tk::fragment<tk::f16, 64, 16> t58;
            tk::map(t58, [](float y0_b) { return -y0_b; }, y0_b);
            tk::mma_async(v0, t58, tk::part<32, 0, 16, 64>(shared.inverse_r0[warpgroup]));

            // <std.triangular>:85: r1 = h1;
            tk::barrier_sync(1 + warpgroup, 128);
            tk::store_shared(shared.inverse_r1[warpgroup], h1_2, thread);
            tk::fence_async();
            tk::barrier_sync(1 + warpgroup, 128);
            tk::mma_wait<3>(y1_a, t50);
            // <std.triangular>:39
            tk::fragment<tk::f16, 64, 16> t60;
            tk::map(t60, [](float y1_a) { return -y1_a; }, y1_a);
            tk::mma_async(v1, t60, tk::part<0, 0, 16, 64>(shared.inverse_r1[warpgroup]));
            tk::mma_wait<3>(y1_b, t53);
            // <std.triangular>:40
            tk::fragment<tk::f16, 64, 16> t62;
            tk::map(t62, [](float y1_b) { return -y1_b; }, y1_b);
            tk::mma_async(v1, t62, tk::part<32, 0, 16, 64>(shared.inverse_r1[warpgroup]));
            tk::mma_wait<2>(v0, t56, t58);

            // <std.triangular>:87: let g0 = f16(v0);
            tk::fragment<tk::f16, 64, 64> g0 = tk::convert<tk::f16>(v0);

            // <std.triangular>:42: fn below_half(h: f16[64, 64], m: f16[64, 64]) -> f32[64, 32] ..
            tk::fragment<tk::f16, 64, 32> t64;
            tk::slice_registers<0, 8>(t64, g0);
            tk::fragment<float, 64, 32> z0;
            tk::mma_async(z0, t64, tk::part<32, 0, 32, 32>(shared.inverse_t3[warpgroup]),
                          tk::accumulate_never{});

            // <std.triangular>:89: r0 = g0;
            tk::barrier_sync(1 + warpgroup, 128);
            tk::store_shared(shared.inverse_r0[warpgroup], g0, thread);
            tk::fence_async();
            tk::barrier_sync(1 + warpgroup, 128);
            tk::mma_wait<1>(v1, t60, t62);

            // <std.triangular>:90: let g1 = f16(v1);
            tk::fragment<tk::f16, 64, 64> g1 = tk::convert<tk::f16>(v1);
            // <std.triangular>:42
            tk::fragment<tk::f16, 64, 32> t67;
            tk::slice_registers<0, 8>(t67, g1);
            tk::fragment<float, 64, 32> z1;
            tk::mma_async(z1, t67, tk::part<32, 0, 32, 32>(shared.inverse_t5[warpgroup]),
                          tk::accumulate_never{});
            tk::mma_wait<1>(z0, t64);

            // <std.triangular>:43: fn subtract_half(inout v: f32[64, 64], x: f32[64, 32], h: ..
            tk::fragment<tk::f16, 64, 32> t70;
            tk::map(t70, [](float z0) { return -z0; }, z0);
            tk::mma_async(v0, t70, tk::part<0, 0, 32, 64>(shared.inverse_r0[warpgroup]));

            // <std.triangular>:93: r1 = g1;
            tk::barrier_sync(1 + warpgroup, 128);
            tk::store_shared(shared.inverse_r1[warpgroup], g1, thread);
            tk::fence_async();
            tk::barrier_sync(1 + warpgroup, 128);
            tk::mma_wait<1>(z1, t67);
            // <std.triangular>:43
            tk::fragment<tk::f16, 64, 32> t72;
            tk::map(t72, [](float z1) { return -z1; }, z1);
            tk::mma_async(v1, t72, tk::part<0, 0, 32, 64>(shared.inverse_r1[warpgroup]));
            tk::mma_wait<1>(v0, t70);

            // gated_delta_segments.tk:44: let i0 = T(x.a);
            tk::mma_wait<0>(v1, t72);

            // gated_delta_segments.tk:45: let i1 = T(x.b);

            // gated_delta_segments.tk:46: tma_store(Inverse[b, h.start, t.start +: L, :], i0);
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                tk::fragment<tk::bf16, 64, 64> i0;
                tk::map(i0, thread, [](int row, int col, float v0) {
                    return row == col ? 0.0f : v0;
                }, v0);
                tk::store_shared(shared.inverse_Inverse[warpgroup], i0, thread);
                tk::fence_async();
                tk::barrier_sync(1 + warpgroup, 128);
                if (leader) {
                    tk::tma_store(Inverse_map, shared.inverse_Inverse[warpgroup], b, h, t, panel);
                }
            }

            // gated_delta_segments.tk:47: tma_store(Inverse[b, h.start + 1, t.start +: L, :], i1);
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                tk::fragment<tk::bf16, 64, 64> i1;
                tk::map(i1, thread, [](int row, int col, float v1) {
                    return row == col ? 0.0f : v1;
                }, v1);
                tk::store_shared(shared.inverse_Inverse[warpgroup], i1, thread);
                tk::fence_async();
                tk::barrier_sync(1 + warpgroup, 128);
                if (leader) {
                    tk::tma_store(Inverse_map, shared.inverse_Inverse[warpgroup], b, h + 1, t,
                                  panel);
                }
            }

            // The elements of the programs in between are another warpgroup's.
            ks_next.skip(2 * ks_taken);
            ms_next.skip(2 * ms_taken);
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
        // Whose turn it is takes it, so that no arrival is left over.
        if (warpgroup == tk::turn_behind(programs, 3)) tk::barrier_sync(4 + warpgroup, 256);
    }
}

// gated_delta_segments_chunks_T_bf16_DK_128_PACKED_true: kernel gated_delta_segments.chunks with T
// = bf16, DK = 128, BV = 64, PACKED = true, L = 64.
// producer: 1 warp, 40 registers a thread; state: 1 warpgroup, 232 registers a thread; output: 1
// warpgroup, 232 registers a thread.
// 384 threads, 168 registers each at first, 191760 bytes of shared memory.
struct gated_delta_segments_chunks_T_bf16_DK_128_PACKED_true_shared {
    tk::shared_tile<tk::bf16, 64, 128> ks_tile[4];
    tk::shared_tile<tk::bf16, 64, 128> qs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> vs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> ts_tile[2];
    tk::shared_tile<float, 1, 64> gs_g[3];
    tk::shared_tile<float, 64, 1> gs_gc[3];
    tk::shared_tile<float, 1, 64> gs_w[3];
    tk::shared_tile<float, 1, 64> gs_beta[3];
    tk::shared_tile<tk::bf16, 64, 64> us_tile[2];
    tk::shared_tile<tk::bf16, 64, 128> states_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> output_O[1];
    tk::pipeline<4> ks;
    tk::pipeline<2> qs;
    tk::pipeline<2> vs;
    tk::pipeline<2> ts;
    tk::pipeline<3> gs;
    tk::pipeline<2> us;
    tk::pipeline<2> states;
};
static_assert(offsetof(gated_delta_segments_chunks_T_bf16_DK_128_PACKED_true_shared, states) ==
              191728);

__global__ void __launch_bounds__(384, 1) gated_delta_segments_chunks_T_bf16_DK_128_PACKED_true_kernel(
    const __grid_constant__ CUtensorMap K_map, const __grid_constant__ CUtensorMap V_map,
    const __grid_constant__ CUtensorMap Inverse_map, const __grid_constant__ CUtensorMap G_map,
    const __grid_constant__ CUtensorMap W_map, const __grid_constant__ CUtensorMap C_map,
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap O_map,
    const tk::tensor_argument<const float, 4> Start, const tk::tensor_argument<const int, 1> start,
    const tk::tensor_argument<tk::bf16, 4> O, const tk::tensor_argument<float, 4> State, int B,
    int N, int H, int DV, int I, int P, int F, float scale, int segments) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gated_delta_segments_chunks_T_bf16_DK_128_PACKED_true_shared& shared =
        *reinterpret_cast<gated_delta_segments_chunks_T_bf16_DK_128_PACKED_true_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(K_map, V_map, Inverse_map, G_map, W_map, C_map, Q_map, O_map);
        shared.ks.init(1, 8);
        shared.qs.init(1, 4);
        shared.vs.init(1, 4);
        shared.ts.init(1, 4);
        shared.gs.init(1, 8);
        shared.us.init(4, 4);
        shared.states.init(4, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gated_delta_segments.tk:173: role producer(1 warp) {
        tk::registers_at_most<40>();
        const int c_tiles = tk::tiles(DV, 64);
        const int p_tiles = tk::max(segments, 0);
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<3> gs_next;
            tk::cursor<4> ks_next;
            tk::cursor<2> qs_next, ts_next, vs_next;
            const int program = blockIdx.x;
            const int c = program % c_tiles * 64;
            const int h = program / c_tiles % H;
            const int b = program / (c_tiles * H * p_tiles);

            // gated_delta_segments.tk:156: let first  = if PACKED { start[b] } else { 0 };
            const int first = tk::cell(start, b);

            // gated_delta_segments.tk:157: let tokens = if PACKED { start[b + 1] - start[b] } ..
            const int tokens = tk::wrapping_subtract(tk::cell(start, b + 1), tk::cell(start, b));

            // gated_delta_segments.tk:159: let end    = if PACKED { tokens } else { min((p + 1) ..
            const int end = tokens;

            // gated_delta_segments.tk:160: let place  = if PACKED { (start[b] // L + b) * L } ..
            const int place = tk::wrapping_multiply(
                tk::wrapping_add(tk::divide_down(tk::cell(start, b), 64), b), 64);

            // gated_delta_segments.tk:161: let room   = if PACKED { tokens } else { ceil_div(N, ..
            const int room = tokens;

            // gated_delta_segments.tk:162: let Qb = Q[0, first +: tokens];  let Kb = K[0, first ..
            const int Qb_end = tk::wrapping_add(first, tokens);
            const int Kb_end = tk::wrapping_add(first, tokens);
            const int Vb_end = tk::wrapping_add(first, tokens);

            // gated_delta_segments.tk:163: let Gb = G[at, h, place +: room];  let Wb = W[at, h, ..
            const int Gb_end = tk::wrapping_add(place, room);
            const int Wb_end = tk::wrapping_add(place, room);
            const int Cb_end = tk::wrapping_add(place, room);

            // gated_delta_segments.tk:164: let Ib = Inverse[at, h, place +: room];
            const int Ib_end = tk::wrapping_add(place, room);

            // gated_delta_segments.tk:174: for t in begin..end by L {
            #pragma unroll 1
            for (int t = 0; t < end; t += 64) {
                // gated_delta_segments.tk:175: if PACKED { produce ks = tma_load(Kb[t, h, :]) ..
                shared.ks.begin(ks_next, 16384);
                tk::tma_load(shared.ks_tile[ks_next.stage], K_map, shared.ks.full[ks_next.stage], 0,
                             tk::wrapping_add(first, t), h, 0);
                ks_next.advance();

                // gated_delta_segments.tk:176: if PACKED { produce vs = tma_load(Vb[t, h, c]) ..
                shared.vs.begin(vs_next, 8192);
                tk::tma_load(shared.vs_tile[vs_next.stage], V_map, shared.vs.full[vs_next.stage], 0,
                             tk::wrapping_add(first, t), h, c);
                vs_next.advance();

                // gated_delta_segments.tk:177: if PACKED { produce ts = tma_load(Ib[t.start +: ..
                shared.ts.begin(ts_next, 8192);
                tk::tma_load(shared.ts_tile[ts_next.stage], Inverse_map,
                             shared.ts.full[ts_next.stage], 0, h, tk::wrapping_add(place, t), 0);
                ts_next.advance();

                // gated_delta_segments.tk:178: produce gs {
                shared.gs.begin(gs_next, 1024);

                // gated_delta_segments.tk:179: g = tma_load(Gb[t.start +: L]); gc = ..
                tk::tma_load(shared.gs_g[gs_next.stage], G_map, shared.gs.full[gs_next.stage], 0, h,
                             tk::wrapping_add(place, t));
                tk::tma_load(shared.gs_gc[gs_next.stage], G_map, shared.gs.full[gs_next.stage], 0,
                             h, tk::wrapping_add(place, t));
                tk::tma_load(shared.gs_w[gs_next.stage], W_map, shared.gs.full[gs_next.stage], 0, h,
                             tk::wrapping_add(place, t));

                // gated_delta_segments.tk:180: beta = tma_load(Cb[t.start +: L]);
                tk::tma_load(shared.gs_beta[gs_next.stage], C_map, shared.gs.full[gs_next.stage], 0,
                             h, tk::wrapping_add(place, t));
                // gated_delta_segments.tk:178
                gs_next.advance();

                // gated_delta_segments.tk:182: if PACKED { produce qs = tma_load(Qb[t, h, :]) ..
                shared.qs.begin(qs_next, 16384);
                tk::tma_load(shared.qs_tile[qs_next.stage], Q_map, shared.qs.full[qs_next.stage], 0,
                             tk::wrapping_add(first, t), h, 0);
                qs_next.advance();
            }
        }
    } else if (warp < 4) {
        // gated_delta_segments.tk:185: role state(1 warpgroup) {
        tk::registers_at_least<232>();
        const int c_tiles = tk::tiles(DV, 64);
        const int p_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        tk::cursor<3> gs_next;
        tk::cursor<4> ks_next;
        tk::cursor<2> states_next_2, us_next_2, vs_next;
        const int program = blockIdx.x;
        const int c = program % c_tiles * 64;
        const int h = program / c_tiles % H;
        const int p = program / (c_tiles * H) % p_tiles;
        const int b = program / (c_tiles * H * p_tiles);

        // gated_delta_segments.tk:156: let first  = if PACKED { start[b] } else { 0 };
        const int first = tk::cell(start, b);

        // gated_delta_segments.tk:157: let tokens = if PACKED { start[b + 1] - start[b] } else { ..
        const int tokens = tk::wrapping_subtract(tk::cell(start, b + 1), tk::cell(start, b));

        // gated_delta_segments.tk:159: let end    = if PACKED { tokens } else { min((p + 1) * ..
        const int end = tokens;

        // gated_delta_segments.tk:162: let Qb = Q[0, first +: tokens];  let Kb = K[0, first +: ..
        const int Vb_end = tk::wrapping_add(first, tokens);

        // gated_delta_segments.tk:186: var s: f32[BV, DK] = load(Start[b * segments + p, h, c, :]);
        tk::fragment<float, 64, 128> s;
        tk::load_global(s,
                        tk::slice(Start, {b * segments + p, h, c, 0},
                                  b * segments + p > -1 && b * segments + p < I ? DV - c : 0, 128),
                        thread);

        // gated_delta_segments.tk:187: for t in begin..end by L {
        tk::fragment<tk::bf16, 64, 64> t7;
        for (int t = 0; t < end; t += 64) {
            // gated_delta_segments.tk:188: let k = consume ks;
            const tk::cursor<4> k_element = shared.ks.take(ks_next);

            // gated_delta_segments.tk:189: let r = T(s);
            tk::fragment<tk::bf16, 64, 128> r = tk::convert<tk::bf16>(s);

            // gated_delta_segments.tk:190: let y = mma(r, k.T);
            tk::fragment<float, 64, 64> y;
            tk::mma_async(y, r, tk::transposed(shared.ks_tile[k_element.stage]),
                          tk::accumulate_never{});

            // gated_delta_segments.tk:191: let v = consume vs;
            const tk::cursor<2> v_element = shared.vs.take(vs_next);

            // gated_delta_segments.tk:192: let a = consume gs;
            const tk::cursor<3> a = shared.gs.take(gs_next);

            // gated_delta_segments.tk:193: let x = consume ts;
            shared.ts.wait_full(v_element);

            // gated_delta.tk:25: var u = v * beta;
            tk::fragment<tk::bf16, 64, 64> t3;
            tk::load_transposed(t3, shared.vs_tile[v_element.stage], thread);
            shared.vs.release_after_loads(v_element);
            tk::row_fragment<float, 64> t0;
            tk::load_shared(t0, shared.gs_beta[a.stage], thread);
            tk::fragment<float, 64, 64> u;
            tk::map(u, [](tk::bf16 t3, float t0) { return float(t3) * t0; }, t3, t0);

            // gated_delta.tk:26: let since = exp2(g) * beta;
            tk::hold_waits(warp);
            tk::row_fragment<float, 64> t1;
            tk::load_shared(t1, shared.gs_g[a.stage], thread);
            tk::row_fragment<float, 64> t9;
            tk::load_shared(t9, shared.gs_beta[a.stage], thread);
            tk::row_fragment<float, 64> since;
            tk::map(since, [](float t1, float t9) { return tk::exp2(t1) * t9; }, t1, t9);
            tk::mma_wait<0>(y, r);

            // gated_delta.tk:27: u -= y * since;
            tk::map(u, [](float u, float y, float since) { return tk::fma(-y, since, u); },
                    u, y, since);

            // gated_delta.tk:28: u = pad(u, axis = 1, with = 0);
            if (!(tk::wrapping_subtract(Vb_end, tk::wrapping_add(first, t)) > 63)) {
                tk::map(u, thread, [&](int, int col, float u) {
                    return col < tk::wrapping_subtract(Vb_end, tk::wrapping_add(first, t)) ? u
                        : 0.0f;
                }, u);
            }

            // gated_delta.tk:29: u += mma(T(u), x.T);
            tk::fragment<tk::bf16, 64, 64> t4 = tk::convert<tk::bf16>(u);
            tk::mma_async(u, t4, tk::transposed(shared.ts_tile[v_element.stage]));

            // gated_delta.tk:30: s *= exp2(scalar(g[:, L - 1 +: 1]));
            tk::row_fragment<float, 1> t6;
            tk::load_shared(t6, tk::part<0, 63, 1, 1>(shared.gs_g[a.stage]), thread);
            const float number = t6.cell(0);
            tk::map(s, [&](float s) { return s * tk::exp2(number); }, s);

            // gated_delta.tk:31: s += mma(T(pad(u * w, axis = 1, with = 0)), k);
            tk::hold_waits(warp);
            tk::mma_wait<0>(u, t4);
            shared.ts.release(v_element);
            tk::row_fragment<float, 64> t10;
            tk::load_shared(t10, shared.gs_w[a.stage], thread);
            shared.gs.release_after_loads(a);
            if (tk::wrapping_subtract(Vb_end, tk::wrapping_add(first, t)) > 63) {
                tk::map(t7, [](float u, float t10) { return u * t10; }, u, t10);
            } else {
                tk::map(t7, thread, [&](int, int col, float u, float t10) {
                    return col < tk::wrapping_subtract(Vb_end, tk::wrapping_add(first, t)) ? u * t10
                        : 0.0f;
                }, u, t10);
            }
            tk::mma_async(s, t7, shared.ks_tile[k_element.stage]);

            // gated_delta_segments.tk:195: produce states = r;
            shared.states.wait_empty(states_next_2);
            tk::store_shared(shared.states_tile[states_next_2.stage], r, thread);
            shared.states.publish(states_next_2);
            states_next_2.advance();

            // gated_delta_segments.tk:196: produce us = T(u);
            tk::fragment<tk::bf16, 64, 64> t8 = tk::convert<tk::bf16>(u);
            shared.us.wait_empty(us_next_2);
            tk::store_shared(shared.us_tile[us_next_2.stage], t8, thread);
            shared.us.publish(us_next_2);
            us_next_2.advance();
            tk::mma_wait<0>(s, t7);
            shared.ks.release(k_element);
        }

        // gated_delta_segments.tk:198: if PACKED or p == segments - 1 { store(State[b, h, c, :], ..
        tk::store_global(tk::slice(State, {b, h, c, 0}, b < F ? DV - c : 0, 128), s, thread);
    } else {
        // gated_delta_segments.tk:200: role output(1 warpgroup) {
        tk::registers_at_least<232>();
        const int c_tiles = tk::tiles(DV, 64);
        const int p_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<3> gs_next;
        tk::cursor<4> ks_next;
        tk::cursor<2> qs_next;
        const int program = blockIdx.x;
        const int c = program % c_tiles * 64;
        const int h = program / c_tiles % H;
        const int b = program / (c_tiles * H * p_tiles);

        // gated_delta_segments.tk:156: let first  = if PACKED { start[b] } else { 0 };
        const int first = tk::cell(start, b);

        // gated_delta_segments.tk:157: let tokens = if PACKED { start[b + 1] - start[b] } else { ..
        const int tokens = tk::wrapping_subtract(tk::cell(start, b + 1), tk::cell(start, b));

        // gated_delta_segments.tk:159: let end    = if PACKED { tokens } else { min((p + 1) * ..
        const int end = tokens;

        // gated_delta_segments.tk:162: let Qb = Q[0, first +: tokens];  let Kb = K[0, first +: ..
        const int Kb_end = tk::wrapping_add(first, tokens);
        const int Ob_end = tk::wrapping_add(first, tokens);

        // gated_delta_segments.tk:201: for t in begin..end by L {
        for (int t = 0; t < end; t += 64) {
            // gated_delta_segments.tk:202: let k = consume ks;
            const tk::cursor<4> k_element = shared.ks.take(ks_next);

            // gated_delta_segments.tk:203: let a = consume gs;
            const tk::cursor<3> a = shared.gs.take(gs_next);

            // gated_delta_segments.tk:204: let q = consume qs;
            const tk::cursor<2> q_element = shared.qs.take(qs_next);

            // gated_delta_segments.tk:205: let y = mma(q, k.T);
            tk::fragment<float, 64, 64> y;
            tk::mma_async(y, shared.qs_tile[q_element.stage],
                          tk::transposed(shared.ks_tile[k_element.stage]), tk::accumulate_never{});

            // gated_delta_segments.tk:206: var o = mma(q, (consume states).T);
            shared.states.wait_full(q_element);
            tk::fragment<float, 64, 64> o;
            tk::mma_async(o, shared.qs_tile[q_element.stage],
                          tk::transposed(shared.states_tile[q_element.stage]),
                          tk::accumulate_never{});
            tk::mma_wait<1>(y);
            shared.ks.release(k_element);

            // gated_delta_segments.tk:207: let w = T(pad(y * decay.between(a.gc, a.g), axis = 1, ..
            tk::column_fragment<float, 64> t1;
            tk::map(t1, thread, [&](int row, int) {
                return tk::get(shared.gs_gc[a.stage], row, 0);
            });
            tk::row_fragment<float, 64> t3;
            tk::load_shared(t3, shared.gs_g[a.stage], thread);
            tk::fragment<tk::bf16, 64, 64> w;
            tk::map(w, thread, [&](int row, int col, float t1, float t3, float y) {
                return col < tk::wrapping_subtract(Kb_end, tk::wrapping_add(first, t))
                    ? y * tk::exp2(row >= col ? t1 - t3 : -INFINITY) : 0.0f;
            }, t1, t3, y);

            // gated_delta_segments.tk:208: o *= exp2(a.gc);
            tk::hold_waits(warp);
            tk::column_fragment<float, 64> t4;
            tk::map(t4, thread, [&](int row, int) {
                return tk::get(shared.gs_gc[a.stage], row, 0);
            });
            shared.gs.release_after_loads(a);
            tk::column_fragment<float, 64> t0;
            tk::map(t0, [](float t4) { return tk::exp2(t4); }, t4);
            tk::mma_wait<0>(o);
            shared.states.release(q_element);
            shared.qs.release(q_element);
            tk::map(o, [](float o, float t0) { return o * t0; }, o, t0);

            // gated_delta_segments.tk:209: o += mma(w, (consume us).T);
            shared.us.wait_full(q_element);
            tk::mma_async(o, w, tk::transposed(shared.us_tile[q_element.stage]));
            tk::mma_wait<0>(o, w);
            shared.us.release(q_element);

            // gated_delta_segments.tk:210: if PACKED { store(Ob[t, h, c], T(o * scale)); } else ..
            if (leader) tk::tma_store_wait<0>();
            tk::fence_async_all();
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                tk::fragment<tk::bf16, 64, 64> t2;
                tk::map(t2, [&](float o) { return o * scale; }, o);
                tk::store_shared(shared.output_O[0], t2, thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if ((DV % 8 != 0 && DV < c + panel + 64) ||
                    Ob_end < tk::wrapping_add(tk::wrapping_add(first, t), 64)) {
                    tk::copy_to_global(
                        tk::clipped(
                            tk::dense_slice<1, 3>(O, {0, tk::wrapping_add(first, t), h, c + panel},
                                                  B > 0
                                                  ? tk::wrapping_subtract(
                                                      tk::max(tk::min(Ob_end, N), 0),
                                                      tk::wrapping_add(first, t)) : 0,
                                                  DV - (c + panel)),
                            tk::wrapping_subtract(0, tk::wrapping_add(first, t)), 0),
                        shared.output_O[0]);
                    if (leader) tk::tma_store_nothing();
                } else if (leader) {
                    tk::tma_store(O_map, shared.output_O[0], 0, tk::wrapping_add(first, t), h,
                                  c + panel);
                }
            }
        }

        if (leader) tk::tma_store_wait_read<0>();
    }
}

// gated_delta_segments_chunks_T_bf16_DK_128_PACKED_true_general: kernel gated_delta_segments.chunks
// with T = bf16, DK = 128, BV = 64, PACKED = true, L = 64; any strides and alignment.
// producer: 1 warp, 40 registers a thread; state: 1 warpgroup, 232 registers a thread; output: 1
// warpgroup, 232 registers a thread.
// 384 threads, 168 registers each at first, 183568 bytes of shared memory.
struct gated_delta_segments_chunks_T_bf16_DK_128_PACKED_true_general_shared {
    tk::shared_tile<tk::bf16, 64, 128> ks_tile[4];
    tk::shared_tile<tk::bf16, 64, 128> qs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> vs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> ts_tile[2];
    tk::shared_tile<float, 1, 64> gs_g[3];
    tk::shared_tile<float, 64, 1> gs_gc[3];
    tk::shared_tile<float, 1, 64> gs_w[3];
    tk::shared_tile<float, 1, 64> gs_beta[3];
    tk::shared_tile<tk::bf16, 64, 64> us_tile[2];
    tk::shared_tile<tk::bf16, 64, 128> states_tile[2];
    tk::pipeline<4> ks;
    tk::pipeline<2> qs;
    tk::pipeline<2> vs;
    tk::pipeline<2> ts;
    tk::pipeline<3> gs;
    tk::pipeline<2> us;
    tk::pipeline<2> states;
};
static_assert(offsetof(gated_delta_segments_chunks_T_bf16_DK_128_PACKED_true_general_shared,
                       states) == 183536);

__global__ void __launch_bounds__(384, 1) gated_delta_segments_chunks_T_bf16_DK_128_PACKED_true_general_kernel(
    const __grid_constant__ CUtensorMap K_map, const __grid_constant__ CUtensorMap V_map,
    const __grid_constant__ CUtensorMap Inverse_map, const __grid_constant__ CUtensorMap G_map,
    const __grid_constant__ CUtensorMap W_map, const __grid_constant__ CUtensorMap C_map,
    const __grid_constant__ CUtensorMap Q_map, const tk::tensor_argument<const float, 4> Start,
    const tk::tensor_argument<const int, 1> start, const tk::tensor_argument<tk::bf16, 4> O,
    const tk::tensor_argument<float, 4> State, int B, int N, int H, int DV, int I, int P, int F,
    float scale, int segments) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gated_delta_segments_chunks_T_bf16_DK_128_PACKED_true_general_shared& shared =
        *reinterpret_cast<gated_delta_segments_chunks_T_bf16_DK_128_PACKED_true_general_shared*>(
        memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(K_map, V_map, Inverse_map, G_map, W_map, C_map, Q_map);
        shared.ks.init(1, 8);
        shared.qs.init(1, 4);
        shared.vs.init(1, 4);
        shared.ts.init(1, 4);
        shared.gs.init(1, 8);
        shared.us.init(4, 4);
        shared.states.init(4, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gated_delta_segments.tk:173: role producer(1 warp) {
        tk::registers_at_most<40>();
        const int c_tiles = tk::tiles(DV, 64);
        const int p_tiles = tk::max(segments, 0);
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<3> gs_next;
            tk::cursor<4> ks_next;
            tk::cursor<2> qs_next, ts_next, vs_next;
            const int program = blockIdx.x;
            const int c = program % c_tiles * 64;
            const int h = program / c_tiles % H;
            const int b = program / (c_tiles * H * p_tiles);

            // gated_delta_segments.tk:156: let first  = if PACKED { start[b] } else { 0 };
            const int first = tk::cell(start, b);

            // gated_delta_segments.tk:157: let tokens = if PACKED { start[b + 1] - start[b] } ..
            const int tokens = tk::wrapping_subtract(tk::cell(start, b + 1), tk::cell(start, b));

            // gated_delta_segments.tk:159: let end    = if PACKED { tokens } else { min((p + 1) ..
            const int end = tokens;

            // gated_delta_segments.tk:160: let place  = if PACKED { (start[b] // L + b) * L } ..
            const int place = tk::wrapping_multiply(
                tk::wrapping_add(tk::divide_down(tk::cell(start, b), 64), b), 64);

            // gated_delta_segments.tk:161: let room   = if PACKED { tokens } else { ceil_div(N, ..
            const int room = tokens;

            // gated_delta_segments.tk:162: let Qb = Q[0, first +: tokens];  let Kb = K[0, first ..
            const int Qb_end = tk::wrapping_add(first, tokens);
            const int Kb_end = tk::wrapping_add(first, tokens);
            const int Vb_end = tk::wrapping_add(first, tokens);

            // gated_delta_segments.tk:163: let Gb = G[at, h, place +: room];  let Wb = W[at, h, ..
            const int Gb_end = tk::wrapping_add(place, room);
            const int Wb_end = tk::wrapping_add(place, room);
            const int Cb_end = tk::wrapping_add(place, room);

            // gated_delta_segments.tk:164: let Ib = Inverse[at, h, place +: room];
            const int Ib_end = tk::wrapping_add(place, room);

            // gated_delta_segments.tk:174: for t in begin..end by L {
            #pragma unroll 1
            for (int t = 0; t < end; t += 64) {
                // gated_delta_segments.tk:175: if PACKED { produce ks = tma_load(Kb[t, h, :]) ..
                shared.ks.begin(ks_next, 16384);
                tk::tma_load(shared.ks_tile[ks_next.stage], K_map, shared.ks.full[ks_next.stage], 0,
                             tk::wrapping_add(first, t), h, 0);
                ks_next.advance();

                // gated_delta_segments.tk:176: if PACKED { produce vs = tma_load(Vb[t, h, c]) ..
                shared.vs.begin(vs_next, 8192);
                tk::tma_load(shared.vs_tile[vs_next.stage], V_map, shared.vs.full[vs_next.stage], 0,
                             tk::wrapping_add(first, t), h, c);
                vs_next.advance();

                // gated_delta_segments.tk:177: if PACKED { produce ts = tma_load(Ib[t.start +: ..
                shared.ts.begin(ts_next, 8192);
                tk::tma_load(shared.ts_tile[ts_next.stage], Inverse_map,
                             shared.ts.full[ts_next.stage], 0, h, tk::wrapping_add(place, t), 0);
                ts_next.advance();

                // gated_delta_segments.tk:178: produce gs {
                shared.gs.begin(gs_next, 1024);

                // gated_delta_segments.tk:179: g = tma_load(Gb[t.start +: L]); gc = ..
                tk::tma_load(shared.gs_g[gs_next.stage], G_map, shared.gs.full[gs_next.stage], 0, h,
                             tk::wrapping_add(place, t));
                tk::tma_load(shared.gs_gc[gs_next.stage], G_map, shared.gs.full[gs_next.stage], 0,
                             h, tk::wrapping_add(place, t));
                tk::tma_load(shared.gs_w[gs_next.stage], W_map, shared.gs.full[gs_next.stage], 0, h,
                             tk::wrapping_add(place, t));

                // gated_delta_segments.tk:180: beta = tma_load(Cb[t.start +: L]);
                tk::tma_load(shared.gs_beta[gs_next.stage], C_map, shared.gs.full[gs_next.stage], 0,
                             h, tk::wrapping_add(place, t));
                // gated_delta_segments.tk:178
                gs_next.advance();

                // gated_delta_segments.tk:182: if PACKED { produce qs = tma_load(Qb[t, h, :]) ..
                shared.qs.begin(qs_next, 16384);
                tk::tma_load(shared.qs_tile[qs_next.stage], Q_map, shared.qs.full[qs_next.stage], 0,
                             tk::wrapping_add(first, t), h, 0);
                qs_next.advance();
            }
        }
    } else if (warp < 4) {
        // gated_delta_segments.tk:185: role state(1 warpgroup) {
        tk::registers_at_least<232>();
        const int c_tiles = tk::tiles(DV, 64);
        const int p_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        tk::cursor<3> gs_next;
        tk::cursor<4> ks_next;
        tk::cursor<2> states_next_2, us_next_2, vs_next;
        const int program = blockIdx.x;
        const int c = program % c_tiles * 64;
        const int h = program / c_tiles % H;
        const int p = program / (c_tiles * H) % p_tiles;
        const int b = program / (c_tiles * H * p_tiles);

        // gated_delta_segments.tk:156: let first  = if PACKED { start[b] } else { 0 };
        const int first = tk::cell(start, b);

        // gated_delta_segments.tk:157: let tokens = if PACKED { start[b + 1] - start[b] } else { ..
        const int tokens = tk::wrapping_subtract(tk::cell(start, b + 1), tk::cell(start, b));

        // gated_delta_segments.tk:159: let end    = if PACKED { tokens } else { min((p + 1) * ..
        const int end = tokens;

        // gated_delta_segments.tk:162: let Qb = Q[0, first +: tokens];  let Kb = K[0, first +: ..
        const int Vb_end = tk::wrapping_add(first, tokens);

        // gated_delta_segments.tk:186: var s: f32[BV, DK] = load(Start[b * segments + p, h, c, :]);
        tk::fragment<float, 64, 128> s;
        tk::load_global(s,
                        tk::slice(Start, {b * segments + p, h, c, 0},
                                  b * segments + p > -1 && b * segments + p < I ? DV - c : 0, 128),
                        thread);

        // gated_delta_segments.tk:187: for t in begin..end by L {
        tk::fragment<tk::bf16, 64, 64> t7;
        for (int t = 0; t < end; t += 64) {
            // gated_delta_segments.tk:188: let k = consume ks;
            const tk::cursor<4> k_element = shared.ks.take(ks_next);

            // gated_delta_segments.tk:189: let r = T(s);
            tk::fragment<tk::bf16, 64, 128> r = tk::convert<tk::bf16>(s);

            // gated_delta_segments.tk:190: let y = mma(r, k.T);
            tk::fragment<float, 64, 64> y;
            tk::mma_async(y, r, tk::transposed(shared.ks_tile[k_element.stage]),
                          tk::accumulate_never{});

            // gated_delta_segments.tk:191: let v = consume vs;
            const tk::cursor<2> v_element = shared.vs.take(vs_next);

            // gated_delta_segments.tk:192: let a = consume gs;
            const tk::cursor<3> a = shared.gs.take(gs_next);

            // gated_delta_segments.tk:193: let x = consume ts;
            shared.ts.wait_full(v_element);

            // gated_delta.tk:25: var u = v * beta;
            tk::fragment<tk::bf16, 64, 64> t3;
            tk::load_transposed(t3, shared.vs_tile[v_element.stage], thread);
            shared.vs.release_after_loads(v_element);
            tk::row_fragment<float, 64> t0;
            tk::load_shared(t0, shared.gs_beta[a.stage], thread);
            tk::fragment<float, 64, 64> u;
            tk::map(u, [](tk::bf16 t3, float t0) { return float(t3) * t0; }, t3, t0);

            // gated_delta.tk:26: let since = exp2(g) * beta;
            tk::hold_waits(warp);
            tk::row_fragment<float, 64> t1;
            tk::load_shared(t1, shared.gs_g[a.stage], thread);
            tk::row_fragment<float, 64> t9;
            tk::load_shared(t9, shared.gs_beta[a.stage], thread);
            tk::row_fragment<float, 64> since;
            tk::map(since, [](float t1, float t9) { return tk::exp2(t1) * t9; }, t1, t9);
            tk::mma_wait<0>(y, r);

            // gated_delta.tk:27: u -= y * since;
            tk::map(u, [](float u, float y, float since) { return tk::fma(-y, since, u); },
                    u, y, since);

            // gated_delta.tk:28: u = pad(u, axis = 1, with = 0);
            if (!(tk::wrapping_subtract(Vb_end, tk::wrapping_add(first, t)) > 63)) {
                tk::map(u, thread, [&](int, int col, float u) {
                    return col < tk::wrapping_subtract(Vb_end, tk::wrapping_add(first, t)) ? u
                        : 0.0f;
                }, u);
            }

            // gated_delta.tk:29: u += mma(T(u), x.T);
            tk::fragment<tk::bf16, 64, 64> t4 = tk::convert<tk::bf16>(u);
            tk::mma_async(u, t4, tk::transposed(shared.ts_tile[v_element.stage]));

            // gated_delta.tk:30: s *= exp2(scalar(g[:, L - 1 +: 1]));
            tk::row_fragment<float, 1> t6;
            tk::load_shared(t6, tk::part<0, 63, 1, 1>(shared.gs_g[a.stage]), thread);
            const float number = t6.cell(0);
            tk::map(s, [&](float s) { return s * tk::exp2(number); }, s);

            // gated_delta.tk:31: s += mma(T(pad(u * w, axis = 1, with = 0)), k);
            tk::hold_waits(warp);
            tk::mma_wait<0>(u, t4);
            shared.ts.release(v_element);
            tk::row_fragment<float, 64> t10;
            tk::load_shared(t10, shared.gs_w[a.stage], thread);
            shared.gs.release_after_loads(a);
            if (tk::wrapping_subtract(Vb_end, tk::wrapping_add(first, t)) > 63) {
                tk::map(t7, [](float u, float t10) { return u * t10; }, u, t10);
            } else {
                tk::map(t7, thread, [&](int, int col, float u, float t10) {
                    return col < tk::wrapping_subtract(Vb_end, tk::wrapping_add(first, t)) ? u * t10
                        : 0.0f;
                }, u, t10);
            }
            tk::mma_async(s, t7, shared.ks_tile[k_element.stage]);

            // gated_delta_segments.tk:195: produce states = r;
            shared.states.wait_empty(states_next_2);
            tk::store_shared(shared.states_tile[states_next_2.stage], r, thread);
            shared.states.publish(states_next_2);
            states_next_2.advance();

            // gated_delta_segments.tk:196: produce us = T(u);
            tk::fragment<tk::bf16, 64, 64> t8 = tk::convert<tk::bf16>(u);
            shared.us.wait_empty(us_next_2);
            tk::store_shared(shared.us_tile[us_next_2.stage], t8, thread);
            shared.us.publish(us_next_2);
            us_next_2.advance();
            tk::mma_wait<0>(s, t7);
            shared.ks.release(k_element);
        }

        // gated_delta_segments.tk:198: if PACKED or p == segments - 1 { store(State[b, h, c, :], ..
        tk::store_global(tk::slice(State, {b, h, c, 0}, b < F ? DV - c : 0, 128), s, thread);
    } else {
        // gated_delta_segments.tk:200: role output(1 warpgroup) {
        tk::registers_at_least<232>();
        const int c_tiles = tk::tiles(DV, 64);
        const int p_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        tk::cursor<3> gs_next;
        tk::cursor<4> ks_next;
        tk::cursor<2> qs_next;
        const int program = blockIdx.x;
        const int c = program % c_tiles * 64;
        const int h = program / c_tiles % H;
        const int b = program / (c_tiles * H * p_tiles);

        // gated_delta_segments.tk:156: let first  = if PACKED { start[b] } else { 0 };
        const int first = tk::cell(start, b);

        // gated_delta_segments.tk:157: let tokens = if PACKED { start[b + 1] - start[b] } else { ..
        const int tokens = tk::wrapping_subtract(tk::cell(start, b + 1), tk::cell(start, b));

        // gated_delta_segments.tk:159: let end    = if PACKED { tokens } else { min((p + 1) * ..
        const int end = tokens;

        // gated_delta_segments.tk:162: let Qb = Q[0, first +: tokens];  let Kb = K[0, first +: ..
        const int Kb_end = tk::wrapping_add(first, tokens);
        const int Ob_end = tk::wrapping_add(first, tokens);

        // gated_delta_segments.tk:201: for t in begin..end by L {
        for (int t = 0; t < end; t += 64) {
            // gated_delta_segments.tk:202: let k = consume ks;
            const tk::cursor<4> k_element = shared.ks.take(ks_next);

            // gated_delta_segments.tk:203: let a = consume gs;
            const tk::cursor<3> a = shared.gs.take(gs_next);

            // gated_delta_segments.tk:204: let q = consume qs;
            const tk::cursor<2> q_element = shared.qs.take(qs_next);

            // gated_delta_segments.tk:205: let y = mma(q, k.T);
            tk::fragment<float, 64, 64> y;
            tk::mma_async(y, shared.qs_tile[q_element.stage],
                          tk::transposed(shared.ks_tile[k_element.stage]), tk::accumulate_never{});

            // gated_delta_segments.tk:206: var o = mma(q, (consume states).T);
            shared.states.wait_full(q_element);
            tk::fragment<float, 64, 64> o;
            tk::mma_async(o, shared.qs_tile[q_element.stage],
                          tk::transposed(shared.states_tile[q_element.stage]),
                          tk::accumulate_never{});
            tk::mma_wait<1>(y);
            shared.ks.release(k_element);

            // gated_delta_segments.tk:207: let w = T(pad(y * decay.between(a.gc, a.g), axis = 1, ..
            tk::column_fragment<float, 64> t1;
            tk::map(t1, thread, [&](int row, int) {
                return tk::get(shared.gs_gc[a.stage], row, 0);
            });
            tk::row_fragment<float, 64> t3;
            tk::load_shared(t3, shared.gs_g[a.stage], thread);
            tk::fragment<tk::bf16, 64, 64> w;
            tk::map(w, thread, [&](int row, int col, float t1, float t3, float y) {
                return col < tk::wrapping_subtract(Kb_end, tk::wrapping_add(first, t))
                    ? y * tk::exp2(row >= col ? t1 - t3 : -INFINITY) : 0.0f;
            }, t1, t3, y);

            // gated_delta_segments.tk:208: o *= exp2(a.gc);
            tk::hold_waits(warp);
            tk::column_fragment<float, 64> t4;
            tk::map(t4, thread, [&](int row, int) {
                return tk::get(shared.gs_gc[a.stage], row, 0);
            });
            shared.gs.release_after_loads(a);
            tk::column_fragment<float, 64> t0;
            tk::map(t0, [](float t4) { return tk::exp2(t4); }, t4);
            tk::mma_wait<0>(o);
            shared.states.release(q_element);
            shared.qs.release(q_element);
            tk::map(o, [](float o, float t0) { return o * t0; }, o, t0);

            // gated_delta_segments.tk:209: o += mma(w, (consume us).T);
            shared.us.wait_full(q_element);
            tk::mma_async(o, w, tk::transposed(shared.us_tile[q_element.stage]));
            tk::mma_wait<0>(o, w);
            shared.us.release(q_element);

            // gated_delta_segments.tk:210: if PACKED { store(Ob[t, h, c], T(o * scale)); } else ..
            tk::fragment<tk::bf16, 64, 64> t2;
            tk::map(t2, [&](float o) { return o * scale; }, o);
            tk::barrier_sync(2, 128);
            tk::store_global(
                tk::clipped(
                    tk::slice<1, 3>(O, {0, tk::wrapping_add(first, t), h, c},
                                    B > 0
                                    ? tk::wrapping_subtract(tk::max(tk::min(Ob_end, N), 0),
                                                            tk::wrapping_add(first, t)) : 0,
                                    DV - c), tk::wrapping_subtract(0, tk::wrapping_add(first, t)),
                    0), t2, thread);
        }
    }
}

namespace {
tk::status launch_packed_chunks_packed_chunks(const tk::launch_site& site, const tk::tensor& start,
                                              const tk::tensor& First, const tk::tensor& Tokens,
                                              int64_t P, int64_t S) {
    return tk::run<packed_chunks_packed_chunks_kernel>(site, 0, tk::kernel_shape(32).overlapping(),
                                                       tk::larger(P - 1, 0), start, First, Tokens,
                                                       P, S);
}

tk::status launch_gated_delta_gates_T_f32_PACKED_true_ROUND_64(
    const tk::launch_site& site, const tk::tensor& Gate, const tk::tensor& Beta,
    const tk::tensor& start, const tk::tensor& G, const tk::tensor& W, const tk::tensor& C,
    int64_t B, int64_t N, int64_t H, int64_t P, int64_t R) {
    return tk::run<gated_delta_gates_T_f32_PACKED_true_ROUND_64_kernel>(
        site, sizeof(gated_delta_gates_T_f32_PACKED_true_ROUND_64_shared),
        tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(H, 32), tk::ceil_div(R, 64)), B), Gate, Beta, start,
        G, W, C, B, N, H, P, R);
}

tk::status launch_gated_delta_gates_T_f32_PACKED_true_ROUND_64_general(
    const tk::launch_site& site, const tk::tensor& Gate, const tk::tensor& Beta,
    const tk::tensor& start, const tk::tensor& G, const tk::tensor& W, const tk::tensor& C,
    int64_t B, int64_t N, int64_t H, int64_t P, int64_t R) {
    return tk::run<gated_delta_gates_T_f32_PACKED_true_ROUND_64_general_kernel>(
        site, sizeof(gated_delta_gates_T_f32_PACKED_true_ROUND_64_general_shared),
        tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(H, 32), tk::ceil_div(R, 64)), B), Gate, Beta, start,
        G, W, C, B, N, H, P, R);
}

tk::status launch_gated_delta_segments_inverses_T_bf16_DK_128_PACKED_true(
    const tk::launch_site& site, const tk::tensor& K, const tk::tensor& G, const tk::tensor& C,
    const tk::tensor& First, const tk::tensor& Tokens, const tk::tensor& Inverse, int64_t B,
    int64_t H, int64_t R, int64_t S) {
    return tk::run<gated_delta_segments_inverses_T_bf16_DK_128_PACKED_true_kernel>(
        site, sizeof(gated_delta_segments_inverses_T_bf16_DK_128_PACKED_true_shared),
        tk::kernel_shape(512).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(H, 2), tk::ceil_div(R, 64)), B),
        tk::box{K, {1, 64, 1, 64}, 128}, tk::box{G, {1, 1, 64}, 0}, tk::box{C, {1, 1, 64}, 0},
        tk::box{Inverse, {1, 1, 64, 64}, 128}, First, Tokens, B, H, R, S);
}

tk::status launch_gated_delta_segments_chunks_T_bf16_DK_128_PACKED_true(
    const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K, const tk::tensor& V,
    const tk::tensor& Inverse, const tk::tensor& G, const tk::tensor& W, const tk::tensor& C,
    const tk::tensor& Start, const tk::tensor& start, const tk::tensor& O, const tk::tensor& State,
    int64_t B, int64_t N, int64_t H, int64_t DV, int64_t I, int64_t P, int64_t F, float scale,
    int32_t segments) {
    return tk::run<gated_delta_segments_chunks_T_bf16_DK_128_PACKED_true_kernel>(
        site, sizeof(gated_delta_segments_chunks_T_bf16_DK_128_PACKED_true_shared),
        tk::kernel_shape(384).overlapping(),
        tk::multiply(
            tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H), tk::larger(int64_t{segments}, 0)),
            tk::larger(P - 1, 0)), tk::box{K, {1, 64, 1, 64}, 128}, tk::box{V, {1, 64, 1, 64}, 128},
        tk::box{Inverse, {1, 1, 64, 64}, 128}, tk::box{G, {1, 1, 64}, 0}, tk::box{W, {1, 1, 64}, 0},
        tk::box{C, {1, 1, 64}, 0}, tk::box{Q, {1, 64, 1, 64}, 128}, tk::box{O, {1, 64, 1, 64}, 128},
        Start, start, O, State, B, N, H, DV, I, P, F, scale, segments);
}

tk::status launch_gated_delta_segments_chunks_T_bf16_DK_128_PACKED_true_general(
    const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K, const tk::tensor& V,
    const tk::tensor& Inverse, const tk::tensor& G, const tk::tensor& W, const tk::tensor& C,
    const tk::tensor& Start, const tk::tensor& start, const tk::tensor& O, const tk::tensor& State,
    int64_t B, int64_t N, int64_t H, int64_t DV, int64_t I, int64_t P, int64_t F, float scale,
    int32_t segments) {
    return tk::run<gated_delta_segments_chunks_T_bf16_DK_128_PACKED_true_general_kernel>(
        site, sizeof(gated_delta_segments_chunks_T_bf16_DK_128_PACKED_true_general_shared),
        tk::kernel_shape(384).overlapping(),
        tk::multiply(
            tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H), tk::larger(int64_t{segments}, 0)),
            tk::larger(P - 1, 0)), tk::box{K, {1, 64, 1, 64}, 128}, tk::box{V, {1, 64, 1, 64}, 128},
        tk::box{Inverse, {1, 1, 64, 64}, 128}, tk::box{G, {1, 1, 64}, 0}, tk::box{W, {1, 1, 64}, 0},
        tk::box{C, {1, 1, 64}, 0}, tk::box{Q, {1, 64, 1, 64}, 128}, Start, start, O, State, B, N, H,
        DV, I, P, F, scale, segments);
}

}  // namespace

extern "C" {
int gated_delta_packed(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
                       const DLTensor* Gate_given, const DLTensor* Beta_given,
                       const DLTensor* S0_given, const DLTensor* start_given, DLTensor* O_given,
                       DLTensor* State_given, DLTensor* First_given, DLTensor* Tokens_given,
                       DLTensor* G_given, DLTensor* W_given, DLTensor* C_given,
                       DLTensor* Inverse_given, float scale, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"gated_delta_packed"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Gate = call.take("Gate", Gate_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor Beta = call.take("Beta", Beta_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor State = call.take("State", State_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor First = call.take("First", First_given, tk::dtype_i32, 1, tk::access::write);
    const tk::tensor Tokens = call.take("Tokens", Tokens_given, tk::dtype_i32, 1,
                                        tk::access::write);
    const tk::tensor G = call.take("G", G_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor W = call.take("W", W_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor Inverse = call.take("Inverse", Inverse_given, tk::dtype_bf16, 4,
                                         tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t H = Q.shape[2];
    const int64_t DV = V.shape[3];
    const int64_t I = S0.shape[0];
    const int64_t P = start.shape[0];
    const int64_t F = State.shape[0];
    call.require(
        {tk::fixed_extent(Q, 3, 128), tk::same_extent("B", Q, 0, K, 0),
         tk::same_extent("N", Q, 1, K, 1), tk::same_extent("H", Q, 2, K, 2),
         tk::fixed_extent(K, 3, 128), tk::same_extent("B", Q, 0, V, 0),
         tk::same_extent("N", Q, 1, V, 1), tk::same_extent("H", Q, 2, V, 2),
         tk::same_extent("B", Q, 0, Gate, 0), tk::same_extent("N", Q, 1, Gate, 1),
         tk::same_extent("H", Q, 2, Gate, 2), tk::same_extent("B", Q, 0, Beta, 0),
         tk::same_extent("N", Q, 1, Beta, 1), tk::same_extent("H", Q, 2, Beta, 2),
         tk::same_extent("H", Q, 2, S0, 1), tk::same_extent("DV", V, 3, S0, 2),
         tk::fixed_extent(S0, 3, 128), tk::same_extent("B", Q, 0, O, 0),
         tk::same_extent("N", Q, 1, O, 1), tk::same_extent("H", Q, 2, O, 2),
         tk::same_extent("DV", V, 3, O, 3), tk::same_extent("H", Q, 2, State, 1),
         tk::same_extent("DV", V, 3, State, 2), tk::fixed_extent(State, 3, 128),
         tk::same_extent("B", Q, 0, G, 0), tk::same_extent("H", Q, 2, G, 1),
         tk::same_extent("B", Q, 0, W, 0), tk::same_extent("H", Q, 2, W, 1),
         tk::same_extent("B", Q, 0, C, 0), tk::same_extent("H", Q, 2, C, 1),
         tk::same_extent("B", Q, 0, Inverse, 0), tk::same_extent("H", Q, 2, Inverse, 1),
         tk::fixed_extent(Inverse, 3, 64),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"DV", DV}, {"I", I}, {"P", P}, {"F", F}}),
         tk::fits("N/64 + P", tk::floor_div(N, 64) + P),
         tk::that(First.shape[0] == tk::floor_div(N, 64) + P - 1,
                  "axis 0 of `First` is {}; it must be `N/64 + P - 1`, which is {}",
                  {First.shape[0], tk::floor_div(N, 64) + P - 1}),
         tk::that(Tokens.shape[0] == tk::floor_div(N, 64) + P - 1,
                  "axis 0 of `Tokens` is {}; it must be `N/64 + P - 1`, which is {}",
                  {Tokens.shape[0], tk::floor_div(N, 64) + P - 1}),
         tk::fits("(N/64 + P - 1)*64", (tk::floor_div(N, 64) + P - 1) * 64),
         tk::that(G.shape[2] == (tk::floor_div(N, 64) + P - 1) * 64,
                  "axis 2 of `G` is {}; it must be `(N/64 + P - 1)*64`, which is {}",
                  {G.shape[2], (tk::floor_div(N, 64) + P - 1) * 64}),
         tk::that(W.shape[2] == (tk::floor_div(N, 64) + P - 1) * 64,
                  "axis 2 of `W` is {}; it must be `(N/64 + P - 1)*64`, which is {}",
                  {W.shape[2], (tk::floor_div(N, 64) + P - 1) * 64}),
         tk::that(C.shape[2] == (tk::floor_div(N, 64) + P - 1) * 64,
                  "axis 2 of `C` is {}; it must be `(N/64 + P - 1)*64`, which is {}",
                  {C.shape[2], (tk::floor_div(N, 64) + P - 1) * 64}),
         tk::that(Inverse.shape[2] == (tk::floor_div(N, 64) + P - 1) * 64,
                  "axis 2 of `Inverse` is {}; it must be `(N/64 + P - 1)*64`, which is {}",
                  {Inverse.shape[2], (tk::floor_div(N, 64) + P - 1) * 64}),
         tk::that(B == 1, "`gated_delta_packed` requires `B == 1`"),
         tk::that(P >= 2, "`gated_delta_packed` requires `P >= 2`"),
         tk::that(F < P, "`gated_delta_packed` requires `F < P`"),
         tk::that(-2147483648 <= tk::ceil_div(tk::larger(N, 1), 64) * 64,
                  "`ceil_div(max(N, 1), 64)*64`, which `gated_delta_segments.chunks` is called with, is {}; it must fit in 32 bits",
                  {tk::ceil_div(tk::larger(N, 1), 64) * 64}),
         tk::that(tk::ceil_div(tk::larger(N, 1), 64) * 64 < 2147483648,
                  "`ceil_div(max(N, 1), 64)*64`, which `gated_delta_segments.chunks` is called with, is {}; it must fit in 32 bits",
                  {tk::ceil_div(tk::larger(N, 1), 64) * 64})});
    // packed_chunks.packed_chunks(start, First, Tokens)
    call.require({
        tk::that(tk::floor_div(N, 64) + P - 1 < 2147221504,
                 "`N/64 + P - 1` is {}; extents must be less than 2147221504",
                 {tk::floor_div(N, 64) + P - 1})});
    // gated_delta.gates(Gate, Beta, start, G, W, C)
    call.require({
        tk::that((tk::floor_div(N, 64) + P - 1) * 64 < 2147221504,
                 "`(N/64 + P - 1)*64` is {}; extents must be less than 2147221504",
                 {(tk::floor_div(N, 64) + P - 1) * 64}),
        tk::grid_fits(
            tk::multiply(tk::ceil_div(H, 32),
                         tk::ceil_div((tk::floor_div(N, 64) + P - 1) * 64, 64)), 2147483648),
        tk::grid_fits(
            tk::multiply(
                tk::multiply(tk::ceil_div(H, 32),
                             tk::ceil_div((tk::floor_div(N, 64) + P - 1) * 64, 64)), B),
            2147483648)});
    // gated_delta_segments.inverses(K, G, C, First, Tokens, Inverse)
    call.require(
        {tk::suits_tma_load(K),
         tk::that(G.stride[2] == 1,
                  "neighbours in a row of `G` are {} elements apart; `tma_load` needs 1: pass a copy with dense rows, or use `load`",
                  {G.stride[2]}),
         tk::that(G.address % 16 == 0,
                  "`G` begins {} bytes past a multiple of 16; `tma_load` needs a multiple: pass a copy, or use `load`",
                  {tk::floor_mod(G.address, 16)}),
         tk::that(G.stride[1] % 4 == 0 && 0 < G.stride[1] && G.stride[1] < 274877906944,
                  "the rows of `G` start {} bytes apart; `tma_load` needs a positive multiple of 16: pad `(N/64 + P - 1)*64` to a multiple of 4, or use `load`",
                  {G.stride[1] * 4}),
         tk::that(G.stride[0] % 4 == 0 && 0 < G.stride[0] && G.stride[0] < 274877906944,
                  "neighbours along axis 0 of `G` are {} bytes apart; `tma_load` needs a positive multiple of 16: pad `(N/64 + P - 1)*64` to a multiple of 4, or use `load`",
                  {G.stride[0] * 4}),
         tk::that(C.stride[2] == 1,
                  "neighbours in a row of `C` are {} elements apart; `tma_load` needs 1: pass a copy with dense rows, or use `load`",
                  {C.stride[2]}),
         tk::that(C.address % 16 == 0,
                  "`C` begins {} bytes past a multiple of 16; `tma_load` needs a multiple: pass a copy, or use `load`",
                  {tk::floor_mod(C.address, 16)}),
         tk::that(C.stride[1] % 4 == 0 && 0 < C.stride[1] && C.stride[1] < 274877906944,
                  "the rows of `C` start {} bytes apart; `tma_load` needs a positive multiple of 16: pad `(N/64 + P - 1)*64` to a multiple of 4, or use `load`",
                  {C.stride[1] * 4}),
         tk::that(C.stride[0] % 4 == 0 && 0 < C.stride[0] && C.stride[0] < 274877906944,
                  "neighbours along axis 0 of `C` are {} bytes apart; `tma_load` needs a positive multiple of 16: pad `(N/64 + P - 1)*64` to a multiple of 4, or use `load`",
                  {C.stride[0] * 4}), tk::suits_tma_store(Inverse),
         tk::grid_fits(
             tk::multiply(tk::ceil_div(H, 2),
                          tk::ceil_div((tk::floor_div(N, 64) + P - 1) * 64, 64)), 2147418112),
         tk::grid_fits(
             tk::multiply(
                 tk::multiply(tk::ceil_div(H, 2),
                              tk::ceil_div((tk::floor_div(N, 64) + P - 1) * 64, 64)), B),
             2147418112)});
    // gated_delta_segments.chunks(Q, K, V, Inverse, G, W, C, S0, start, O, State, scale, 1,
    // ceil_div(max(N, 1), 64)*64)
    call.require({
        tk::that(tk::ceil_div(tk::larger(N, 1), 64) * 64 >= 64,
                 "`chunks` requires `(ceil_div(max(N, 1), 64)*64) >= L`"),
        tk::that(tk::ceil_div(tk::larger(N, 1), 64) * 64 >= N,
                 "`chunks` requires `1 * (ceil_div(max(N, 1), 64)*64) >= N`"),
        tk::that(0 <= N, "`chunks` requires `(1 - 1) * (ceil_div(max(N, 1), 64)*64) <= N`"),
        tk::grid_fits(tk::multiply(tk::ceil_div(DV, 64), H), 2147483648),
        tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H), tk::larger(P - 1, 0)),
                      2147483648), tk::fits("b*1", tk::larger(0, P - 1 - 1)),
        tk::that(-2147483648 <= tk::smaller(0, P - 1 - 1),
                 "`b*1` reaches {}; it must fit in 32 bits", {tk::smaller(0, P - 1 - 1)})});
    if (!call.ok()) return tk::finish(call.result());

    // gated_delta.gates(Gate, Beta, start, G, W, C)
    const bool choice_2 = tk::hold(
        {tk::suits_fast(Gate, "H"), tk::whole_vectors(Gate, 4), tk::suits_fast(Beta, "H"),
         tk::suits_fast(start, "P"), tk::that(G.stride[2] == 1), tk::that(G.address % 16 == 0),
         tk::that(G.stride[1] % 4 == 0 && 0 < G.stride[1] && G.stride[1] < 274877906944),
         tk::that(G.stride[0] % 4 == 0 && 0 < G.stride[0] && G.stride[0] < 274877906944),
         tk::that(W.stride[2] == 1), tk::that(W.address % 16 == 0),
         tk::that(W.stride[1] % 4 == 0 && 0 < W.stride[1] && W.stride[1] < 274877906944),
         tk::that(W.stride[0] % 4 == 0 && 0 < W.stride[0] && W.stride[0] < 274877906944),
         tk::that(C.stride[2] == 1), tk::that(C.address % 16 == 0),
         tk::that(C.stride[1] % 4 == 0 && 0 < C.stride[1] && C.stride[1] < 274877906944),
         tk::that(C.stride[0] % 4 == 0 && 0 < C.stride[0] && C.stride[0] < 274877906944)});

    // gated_delta_segments.chunks(Q, K, V, Inverse, G, W, C, S0, start, O, State, scale, 1,
    // ceil_div(max(N, 1), 64)*64)
    tk::selection choice_4{call};
    choice_4.candidate();  // gated_delta_segments_chunks_T_bf16_DK_128_PACKED_true
    choice_4.prefer(
        {tk::suits_fast(Q), tk::suits_fast(K), tk::suits_fast(V, "DV"), tk::suits_fast(Inverse),
         tk::that(G.stride[2] == 1), tk::that(G.address % 16 == 0),
         tk::that(G.stride[1] % 4 == 0 && 0 < G.stride[1] && G.stride[1] < 274877906944),
         tk::that(G.stride[0] % 4 == 0 && 0 < G.stride[0] && G.stride[0] < 274877906944),
         tk::that(W.stride[2] == 1), tk::that(W.address % 16 == 0),
         tk::that(W.stride[1] % 4 == 0 && 0 < W.stride[1] && W.stride[1] < 274877906944),
         tk::that(W.stride[0] % 4 == 0 && 0 < W.stride[0] && W.stride[0] < 274877906944),
         tk::that(C.stride[2] == 1), tk::that(C.address % 16 == 0),
         tk::that(C.stride[1] % 4 == 0 && 0 < C.stride[1] && C.stride[1] < 274877906944),
         tk::that(C.stride[0] % 4 == 0 && 0 < C.stride[0] && C.stride[0] < 274877906944),
         tk::suits_fast(O, "DV")});
    choice_4.offer();
    choice_4.candidate(true);  // gated_delta_segments_chunks_T_bf16_DK_128_PACKED_true_general
    choice_4.require(
        {tk::suits_tma_load(Q), tk::suits_tma_load(K), tk::suits_tma_load(V, "DV"),
         tk::suits_tma_load(Inverse),
         tk::that(G.stride[2] == 1,
                  "neighbours in a row of `G` are {} elements apart; `tma_load` needs 1: pass a copy with dense rows, or use `load`",
                  {G.stride[2]}),
         tk::that(G.address % 16 == 0,
                  "`G` begins {} bytes past a multiple of 16; `tma_load` needs a multiple: pass a copy, or use `load`",
                  {tk::floor_mod(G.address, 16)}),
         tk::that(G.stride[1] % 4 == 0 && 0 < G.stride[1] && G.stride[1] < 274877906944,
                  "the rows of `G` start {} bytes apart; `tma_load` needs a positive multiple of 16: pad `(N/64 + P - 1)*64` to a multiple of 4, or use `load`",
                  {G.stride[1] * 4}),
         tk::that(G.stride[0] % 4 == 0 && 0 < G.stride[0] && G.stride[0] < 274877906944,
                  "neighbours along axis 0 of `G` are {} bytes apart; `tma_load` needs a positive multiple of 16: pad `(N/64 + P - 1)*64` to a multiple of 4, or use `load`",
                  {G.stride[0] * 4}),
         tk::that(W.stride[2] == 1,
                  "neighbours in a row of `W` are {} elements apart; `tma_load` needs 1: pass a copy with dense rows, or use `load`",
                  {W.stride[2]}),
         tk::that(W.address % 16 == 0,
                  "`W` begins {} bytes past a multiple of 16; `tma_load` needs a multiple: pass a copy, or use `load`",
                  {tk::floor_mod(W.address, 16)}),
         tk::that(W.stride[1] % 4 == 0 && 0 < W.stride[1] && W.stride[1] < 274877906944,
                  "the rows of `W` start {} bytes apart; `tma_load` needs a positive multiple of 16: pad `(N/64 + P - 1)*64` to a multiple of 4, or use `load`",
                  {W.stride[1] * 4}),
         tk::that(W.stride[0] % 4 == 0 && 0 < W.stride[0] && W.stride[0] < 274877906944,
                  "neighbours along axis 0 of `W` are {} bytes apart; `tma_load` needs a positive multiple of 16: pad `(N/64 + P - 1)*64` to a multiple of 4, or use `load`",
                  {W.stride[0] * 4}),
         tk::that(C.stride[2] == 1,
                  "neighbours in a row of `C` are {} elements apart; `tma_load` needs 1: pass a copy with dense rows, or use `load`",
                  {C.stride[2]}),
         tk::that(C.address % 16 == 0,
                  "`C` begins {} bytes past a multiple of 16; `tma_load` needs a multiple: pass a copy, or use `load`",
                  {tk::floor_mod(C.address, 16)}),
         tk::that(C.stride[1] % 4 == 0 && 0 < C.stride[1] && C.stride[1] < 274877906944,
                  "the rows of `C` start {} bytes apart; `tma_load` needs a positive multiple of 16: pad `(N/64 + P - 1)*64` to a multiple of 4, or use `load`",
                  {C.stride[1] * 4}),
         tk::that(C.stride[0] % 4 == 0 && 0 < C.stride[0] && C.stride[0] < 274877906944,
                  "neighbours along axis 0 of `C` are {} bytes apart; `tma_load` needs a positive multiple of 16: pad `(N/64 + P - 1)*64` to a multiple of 4, or use `load`",
                  {C.stride[0] * 4})});
    choice_4.offer();
    if (!choice_4.ok()) return tk::finish(choice_4.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    TK_FINISH_IF_FAILED(launch_packed_chunks_packed_chunks(
        site, start, First, Tokens, P, tk::floor_div(N, 64) + P - 1));
    if (choice_2) {
        TK_FINISH_IF_FAILED(launch_gated_delta_gates_T_f32_PACKED_true_ROUND_64(
            site, Gate, Beta, start, G, W, C, B, N, H, P, (tk::floor_div(N, 64) + P - 1) * 64));
    } else {
        TK_FINISH_IF_FAILED(launch_gated_delta_gates_T_f32_PACKED_true_ROUND_64_general(
            site, Gate, Beta, start, G, W, C, B, N, H, P, (tk::floor_div(N, 64) + P - 1) * 64));
    }
    TK_FINISH_IF_FAILED(launch_gated_delta_segments_inverses_T_bf16_DK_128_PACKED_true(
        site, K, tk::read_only(G), tk::read_only(C), tk::read_only(First), tk::read_only(Tokens),
        Inverse, B, H, (tk::floor_div(N, 64) + P - 1) * 64, tk::floor_div(N, 64) + P - 1));
    if (choice_4.best(site) == 0) {
        TK_FINISH_IF_FAILED(launch_gated_delta_segments_chunks_T_bf16_DK_128_PACKED_true(
            site, Q, K, V, tk::read_only(Inverse), tk::read_only(G), tk::read_only(W),
            tk::read_only(C), S0, start, O, State, B, N, H, DV, I, P, F, scale,
            static_cast<int32_t>(1)));
    }
    if (choice_4.best(site) == 1) {
        TK_FINISH_IF_FAILED(launch_gated_delta_segments_chunks_T_bf16_DK_128_PACKED_true_general(
            site, Q, K, V, tk::read_only(Inverse), tk::read_only(G), tk::read_only(W),
            tk::read_only(C), S0, start, O, State, B, N, H, DV, I, P, F, scale,
            static_cast<int32_t>(1)));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(gated_delta_packed, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, float)
}  // extern "C"
